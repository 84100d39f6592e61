//! The difference of two blocks, by field names.
//!
//! Laws
//! 1. Two blocks with different hashes have at least one difference. Dead elements have none.
//! 2. A difference names the cycle, the system, the region, the slot where there are slots, the field and both values.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use base::plain::{Description, Kind};

use crate::bits;
use crate::block::Block;
use crate::life::{BlockPrefix, PoolBlock};
use crate::limits::ALARM_CYCLES;
use crate::plan::{Region, RegionKind};

/// One value that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The brush cycle of the first block.
    pub cycle: u64,
    /// The system it lies in.
    pub system: String,
    /// The region it lies in; for a value of an entity, that of the entity.
    pub region: String,
    /// The element.
    pub slot: Option<u32>,
    /// The field; empty for the whole element.
    pub field: String,
    /// The index in the row of an entity, if it is a value of one.
    pub row_value: Option<u32>,
    /// Whether it belongs to an entity.
    pub is_entity: bool,
    /// The value in the first block.
    pub left: String,
    /// The value in the second block.
    pub right: String,
}

/// The first `max` differences of two blocks of the same plan, in address order.
///
/// # Panics
/// If the plans differ.
pub fn differences(left: &Block, right: &Block, max: usize) -> Vec<Difference> {
    assert_eq!(left.plan().hash(), right.plan().hash(), "blocks of different plans cannot be compared field by field");
    let mut search = Search { left, right, max, found: Vec::new(), row_value: None };
    let regions = left.plan().regions();
    for (number, region) in regions.iter().enumerate() {
        // Including the gap up to the next region, which should be zero.
        let end = regions.get(number + 1).map_or(left.plan().bytes(), |next| next.bytes.start);
        let all = region.bytes.start..end;
        if left.bytes()[all.clone()] == right.bytes()[all.clone()] {
            continue;
        }
        let before = search.found.len();
        match region.kind {
            RegionKind::Pool => search.compare_pool(region, &regions[number - 1]),
            RegionKind::Alarms => search.compare_alarms(region),
            _ => search.compare_region(region),
        }
        if search.found.len() == before {
            search.compare_bytes(region, all);
        }
    }
    search.found
}

struct Search<'a> {
    left: &'a Block,
    right: &'a Block,
    max: usize,
    found: Vec<Difference>,
    /// The value of an entity's row that is being compared.
    row_value: Option<u32>,
}

impl Search<'_> {
    fn compare_region(&mut self, region: &Region) {
        if let Some(head) = region.head {
            self.compare_values(region, None, "head", head, region.bytes.start);
        }
        let elements = &region.elements;
        for index in 0..elements.capacity {
            let slot = (region.kind != RegionKind::Single).then_some(index);
            let lives = (self.left.is_living(region, index), self.right.is_living(region, index));
            match lives {
                (false, false) => {}
                (true, true) => {
                    let element = elements.element(index);
                    if let Some(header) = elements.header {
                        let name = if region.kind == RegionKind::Datums { "generation" } else { "entry" };
                        self.compare_values(region, slot, name, header, element.start);
                    }
                    self.compare_values(region, slot, "", elements.value, elements.value(index).start);
                    if region.kind == RegionKind::Datums {
                        self.compare_awake(region, index);
                    }
                }
                (left, _) => self.report_life(region, index, left),
            }
            if self.is_full() {
                return;
            }
        }
    }

    /// Compares blocks of a pool by owner, independent of their position; positions are compared with the owners.
    fn compare_pool(&mut self, region: &Region, owners: &Region) {
        if let Some(head) = region.head {
            self.compare_values(region, None, "head", head, region.bytes.start);
        }
        let entities = owners.twin.map(|twin| &self.left.plan().regions()[usize::from(twin)]);
        for slot in 0..owners.elements.capacity {
            if !self.left.is_living(owners, slot) || !self.right.is_living(owners, slot) {
                continue;
            }
            let at = owners.elements.value(slot).start;
            let (left, right): (&PoolBlock, &PoolBlock) = (self.left.value(at), self.right.value(at));
            let Some((name, class)) = region.classes.get(left.class as usize) else { continue };
            if (left.class, left.bytes) != (right.class, right.bytes) || class.bytes == 0 {
                continue;
            }
            let start = |block: &PoolBlock| region.elements.element(block.start).start + size_of::<BlockPrefix>();
            let (left_at, right_at) = (start(left), start(right));
            for index in 0..left.bytes / class.bytes {
                let offset = (index * class.bytes) as usize;
                let is_alone = left.bytes == class.bytes && entities.is_none();
                let path = if is_alone { name.clone() } else { format!("{name}[{index}]") };
                let of = entities.unwrap_or(region);
                self.row_value = entities.map(|_| index);
                self.compare_at(of, Some(slot), path, class, left_at + offset, right_at + offset);
                self.row_value = None;
            }
        }
    }

    /// Compares the alarms of each slot.
    fn compare_alarms(&mut self, region: &Region) {
        let elements = &region.elements;
        let words = elements.capacity / ALARM_CYCLES as u32;
        let Some(array) = region.twin.map(|twin| &self.left.plan().regions()[usize::from(twin)]) else { return };
        for index in 0..elements.capacity {
            let at = elements.element(index).start;
            let (left, right): (u64, u64) = (*self.left.value(at), *self.right.value(at));
            for bit in bits::positions(left ^ right, 0) {
                let cycle = index / words;
                let path = format!("alarm for the cycle that is {cycle} of every {ALARM_CYCLES}");
                let is_set = |word: u64| format!("{}", word >> bit & 1 == 1);
                self.report(array, Some(index % words * 64 + bit), path, is_set(left), is_set(right));
            }
        }
    }

    /// If no field differs, reports the first byte outside all fields that does.
    fn compare_bytes(&mut self, region: &Region, all: Range<usize>) {
        let elements = &region.elements;
        let last = elements.start + elements.stride * elements.capacity as usize;
        let is_dead = |at: usize| {
            let index = at.wrapping_sub(elements.start) / elements.stride;
            (elements.start..last).contains(&at) && !self.left.is_living(region, index as u32)
        };
        let (left, right) = (self.left.bytes(), self.right.bytes());
        if let Some(at) = all.into_iter().find(|at| left[*at] != right[*at] && !is_dead(*at)) {
            let (left, right) = (format!("{:#04x}", left[at]), format!("{:#04x}", right[at]));
            self.report(region, None, format!("byte {at} of the block"), left, right);
        }
    }

    fn compare_values(&mut self, region: &Region, slot: Option<u32>, path: &str, what: &Description, at: usize) {
        self.compare_at(region, slot, String::from(path), what, at, at);
    }

    fn compare_at(
        &mut self,
        region: &Region,
        slot: Option<u32>,
        path: String,
        what: &Description,
        left: usize,
        right: usize,
    ) {
        let size = what.bytes as usize;
        let (left_bytes, right_bytes) = (bytes(self.left, left, size), bytes(self.right, right, size));
        if left_bytes == right_bytes || self.is_full() {
            return;
        }
        match what.kind {
            Kind::Number(_) | Kind::Enum(_) => {
                let (left, right) = (text(what, left_bytes), text(what, right_bytes));
                self.report(region, slot, path, left, right);
            }
            Kind::Record(fields) => {
                for field in fields {
                    let offset = field.offset as usize;
                    let path =
                        if path.is_empty() { String::from(field.name) } else { format!("{path}.{}", field.name) };
                    self.compare_at(region, slot, path, field.description, left + offset, right + offset);
                }
            }
            Kind::Array { element, count } => {
                for index in 0..count {
                    let offset = index as usize * element.bytes as usize;
                    self.compare_at(region, slot, format!("{path}[{index}]"), element, left + offset, right + offset);
                }
            }
        }
    }

    fn compare_awake(&mut self, region: &Region, slot: u32) {
        let is_awake = |block: &Block| {
            let crate::plan::Life::Bits(living) = region.elements.life else { return false };
            let words = (region.elements.capacity as usize).div_ceil(64);
            let word: u64 = *block.value(living + (words + slot as usize / 64) * 8);
            word >> (slot % 64) & 1 == 1
        };
        let (left, right) = (is_awake(self.left), is_awake(self.right));
        if left != right {
            self.report(region, Some(slot), String::from("awake"), format!("{left}"), format!("{right}"));
        }
    }

    fn report_life(&mut self, region: &Region, index: u32, left_lives: bool) {
        let value = |block: &Block| {
            let range = region.elements.value(index);
            text(region.elements.value, bytes(block, range.start, range.len()))
        };
        let (left, right) = if left_lives {
            (value(self.left), String::from("nothing"))
        } else {
            (String::from("nothing"), value(self.right))
        };
        self.report(region, Some(index), String::new(), left, right);
    }

    fn report(&mut self, region: &Region, slot: Option<u32>, field: String, left: String, right: String) {
        if self.is_full() {
            return;
        }
        self.found.push(Difference {
            cycle: self.left.cycle(),
            system: self.left.plan().systems()[region.system].name.clone(),
            region: region.name.clone(),
            slot,
            field,
            row_value: self.row_value,
            is_entity: self.is_entity(region),
            left,
            right,
        });
    }

    /// Whether this region has twins (rows, alarms).
    fn is_entity(&self, region: &Region) -> bool {
        let of = |twin: u16| core::ptr::eq(&self.left.plan().regions()[usize::from(twin)], region);
        self.left.plan().regions().iter().filter_map(|region| region.twin).any(of)
    }

    fn is_full(&self) -> bool {
        self.found.len() >= self.max
    }
}

fn bytes(block: &Block, start: usize, size: usize) -> &[u8] {
    let range: Range<usize> = start..start.saturating_add(size);
    block.bytes().get(range).unwrap_or(&[])
}

fn text(description: &Description, bytes: &[u8]) -> String {
    let mut text = String::new();
    description.write_value(bytes, &mut text).expect("a string takes all that is written to it");
    text
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "cycle {}, {}, {}", self.cycle, self.system, self.region)?;
        if let Some(slot) = self.slot.filter(|_| self.is_entity) {
            let dot = if self.field.is_empty() { "" } else { "." };
            return write!(formatter, "[#{slot:#06X}]{dot}{}: {} ≠ {}", self.field, self.left, self.right);
        }
        if let Some(slot) = self.slot {
            write!(formatter, ", slot {slot}")?;
        }
        let field = if self.field.is_empty() { String::new() } else { format!("{} ", self.field) };
        write!(formatter, ": {field}{} ≠ {}", self.left, self.right)
    }
}
