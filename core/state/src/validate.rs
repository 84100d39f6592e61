//! Validation of blocks from outside.
//!
//! Laws
//! 1. A block that is accepted cannot make any access panic that a freshly built block would not.
//! 2. Every byte belongs to a field or is zero: so two accepted blocks with different hashes differ in a named field.
//! 3. Handles in values are not validated: code that reads them uses `find`.

use alloc::format;
use alloc::string::String;
use core::ops::Range;

use base::handle::{GENERATION_MIN, Handle};
use base::number::{is_canonical, is_canonical_f64};
use base::plain::{self, Description, Kind, Number, Plain};

use crate::life::{ArrayHead, BlockPrefix, ListHead, PoolBlock, PoolHead, granules_for};
use crate::limits::GRANULE_BYTES;
use crate::plan::{Life, Plan, Region, RegionKind};

/// Checks that bytes from outside are a consistent block: every count, bit, generation and offset agrees with the
/// others, and bytes that belong to no field are zero. They need not be aligned.
pub(crate) fn validate(plan: &Plan, bytes: &[u8]) -> Result<(), String> {
    let found = Found { bytes };
    let mut end = 0;
    for (number, region) in plan.regions().iter().enumerate() {
        let complaint = match region.kind {
            RegionKind::Single => Ok(()),
            RegionKind::Datums => found.check_array(region).and_then(|()| found.check_twin(plan, region)),
            RegionKind::List | RegionKind::Brush => found.check_list(region),
            RegionKind::Pool => found.check_pool(region, &plan.regions()[number - 1]),
            RegionKind::Alarms => found.check_alarms(plan, region),
        };
        let complaint = complaint.and_then(|()| found.check_zero(end..region.bytes.start));
        let complaint = complaint.and_then(|()| found.check_gaps(region));
        let complaint = complaint.and_then(|()| found.check_values(region));
        complaint.map_err(|complaint| format!("\"{}\": {complaint}", region.name))?;
        end = region.bytes.end;
    }
    found.check_zero(end..plan.bytes())
}

/// The bytes under validation.
struct Found<'a> {
    bytes: &'a [u8],
}

impl Found<'_> {
    fn value<T: Plain>(&self, offset: usize) -> T {
        plain::pod_read_unaligned(&self.bytes[offset..offset + size_of::<T>()])
    }

    fn is_living(&self, region: &Region, index: u32) -> bool {
        match region.elements.life {
            Life::Always => true,
            Life::Bits(start) => self.is_set(start, index),
            Life::Below(count) => index < self.value(count),
        }
    }

    fn is_set(&self, start: usize, index: u32) -> bool {
        self.value::<u64>(start + (index as usize / 64) * 8) >> (index % 64) & 1 == 1
    }

    fn check_array(&self, region: &Region) -> Result<(), String> {
        let head: ArrayHead = self.value(region.bytes.start);
        let capacity = region.elements.capacity;
        if head.next_generation < GENERATION_MIN {
            return Err(format!("the next generation is {:#06x}", head.next_generation));
        }
        if head.taken_below > capacity || head.count_max > capacity || head.count > head.count_max {
            return Err(format!("{head:?} does not fit {capacity} slots"));
        }
        let [_, awake] = region.bit_sets();
        let mut count = 0;
        for slot in 0..capacity {
            let generation: u16 = self.value(region.elements.element(slot).start);
            let is_living = self.is_living(region, slot);
            if is_living != (generation >= GENERATION_MIN) || (!is_living && generation != 0) {
                let life = if is_living { "living" } else { "free" };
                return Err(format!("slot {slot} has generation {generation:#06x} and is {life}"));
            }
            if !is_living && slot < head.taken_below {
                return Err(format!("slot {slot} is free, but the head says all below {} are taken", head.taken_below));
            }
            if !is_living && self.is_set(awake.start, slot) {
                return Err(format!("slot {slot} is free and awake"));
            }
            count += u32::from(is_living);
        }
        if count == head.count {
            Ok(())
        } else {
            Err(format!("{count} slots are living, the head counts {}", head.count))
        }
    }

    /// Twin arrays have the same living slots.
    fn check_twin(&self, plan: &Plan, region: &Region) -> Result<(), String> {
        let Some(twin) = region.twin.map(|twin| &plan.regions()[usize::from(twin)]) else { return Ok(()) };
        let differs = |slot: &u32| self.is_living(region, *slot) != self.is_living(twin, *slot);
        match (0..region.elements.capacity).find(differs) {
            Some(slot) => Err(format!("slot {slot} is living in only one of this array and \"{}\"", twin.name)),
            None => Ok(()),
        }
    }

    /// No alarm is set for a slot out of range.
    fn check_alarms(&self, plan: &Plan, region: &Region) -> Result<(), String> {
        let Some(array) = region.twin.map(|twin| &plan.regions()[usize::from(twin)]) else { return Ok(()) };
        let slots = array.elements.capacity;
        let words = slots.div_ceil(64);
        let mut last = (words - 1..region.elements.capacity).step_by(words as usize);
        let goes_beyond = |index: u32| {
            let word: u64 = self.value(region.elements.element(index).start);
            !slots.is_multiple_of(64) && word >> (slots % 64) != 0
        };
        if last.any(goes_beyond) { Err(format!("an alarm is set for a slot beyond {slots}")) } else { Ok(()) }
    }

    fn check_list(&self, region: &Region) -> Result<(), String> {
        let head: ListHead = self.value(region.bytes.start);
        let capacity = region.elements.capacity;
        let fits = head.count <= head.count_max && head.count_max <= capacity;
        if fits { Ok(()) } else { Err(format!("{head:?} does not fit {capacity} elements")) }
    }

    /// Walks the blocks in address order: each must agree with its datum, and the granules between them must be free.
    fn check_pool(&self, region: &Region, owners: &Region) -> Result<(), String> {
        let head: PoolHead = self.value(region.bytes.start);
        let capacity = region.elements.capacity;
        if head.end > capacity || head.used > head.used_max || head.used_max > capacity {
            return Err(format!("{head:?} does not fit {capacity} granules"));
        }
        let (mut granule, mut used, mut blocks) = (0, 0, 0);
        while granule < capacity {
            if !self.is_living(region, granule) {
                granule += 1;
                continue;
            }
            let start = region.elements.element(granule).start;
            let prefix: BlockPrefix = self.value(start);
            let end = granule.saturating_add(prefix.granules);
            if prefix.granules == 0 || end > head.end || (granule..end).any(|part| !self.is_living(region, part)) {
                return Err(format!("the block at granule {granule} has {} granules", prefix.granules));
            }
            let owner = self.owner_of(owners, prefix.owner).filter(|owner| owner.start == granule);
            let Some(owner) = owner else {
                return Err(format!("the block at granule {granule} is not that of its owner {:?}", prefix.owner));
            };
            let class = region.classes.get(owner.class as usize).map(|(_, class)| *class);
            let class = class.filter(|class| owner.bytes.is_multiple_of(class.bytes));
            let fits = granules_for(owner.bytes.into()) == u64::from(prefix.granules);
            let Some(class) = class.filter(|_| fits) else {
                return Err(format!("the block at granule {granule} has {} granules for {owner:?}", prefix.granules));
            };
            let value = start + size_of::<BlockPrefix>();
            let value = value..value + owner.bytes as usize;
            self.check_zero(value.end..start + prefix.granules as usize * GRANULE_BYTES)?;
            value.step_by(class.bytes as usize).try_for_each(|at| self.check_value(class, at))?;
            used += prefix.granules;
            blocks += 1;
            granule = end;
        }
        let owned = self.value::<ArrayHead>(owners.bytes.start).count;
        if used == head.used && blocks == owned {
            Ok(())
        } else {
            Err(format!("found {blocks} blocks of {used} granules, the head counts {owned} of {}", head.used))
        }
    }

    fn owner_of(&self, owners: &Region, handle: Handle<PoolBlock>) -> Option<PoolBlock> {
        let slot = u32::from(handle.slot());
        let is_there = slot < owners.elements.capacity
            && handle.generation() >= GENERATION_MIN
            && self.value::<u16>(owners.elements.element(slot).start) == handle.generation();
        is_there.then(|| self.value(owners.elements.value(slot).start))
    }

    /// The gaps between head, bit sets, header and value of living elements, and the end of the region must be zero.
    fn check_gaps(&self, region: &Region) -> Result<(), String> {
        let elements = &region.elements;
        let capacity = elements.capacity as usize;
        for set in region.bit_sets() {
            let last: u64 = if set.is_empty() { 0 } else { self.value(set.end - 8) };
            if !capacity.is_multiple_of(64) && last >> (capacity % 64) != 0 {
                return Err(format!("a bit set goes beyond slot {capacity}"));
            }
        }
        let head_end = region.bytes.start + region.head.map_or(0, |head| head.bytes as usize);
        let [first, last] = region.bit_sets();
        self.check_zero(head_end..first.start)?;
        self.check_zero(last.end..elements.start)?;
        self.check_zero(elements.start + elements.stride * capacity..region.bytes.end)?;
        let header = elements.header.map_or(0, |header| header.bytes as usize);
        let value_end = elements.value_offset + elements.value.bytes as usize;
        if header == elements.value_offset && value_end == elements.stride {
            return Ok(());
        }
        for index in (0..elements.capacity).filter(|index| self.is_living(region, *index)) {
            let start = elements.element(index).start;
            self.check_zero(start + header..start + elements.value_offset)?;
            self.check_zero(start + value_end..start + elements.stride)?;
        }
        Ok(())
    }

    /// The values of all living elements; those of a pool block by block.
    fn check_values(&self, region: &Region) -> Result<(), String> {
        let elements = &region.elements;
        if region.kind == RegionKind::Pool {
            return Ok(());
        }
        let mut living = (0..elements.capacity).filter(|index| self.is_living(region, *index));
        living.try_for_each(|index| self.check_value(elements.value, elements.value(index).start))
    }

    /// Numbers with several bit patterns must have the canonical one.
    fn check_value(&self, what: &Description, at: usize) -> Result<(), String> {
        let is_canonical = match what.kind {
            Kind::Number(Number::Float) if what.bytes == 4 => is_canonical(self.value(at)),
            Kind::Number(Number::Float) => is_canonical_f64(self.value(at)),
            Kind::Number(Number::Truth) => self.bytes[at] <= 1,
            Kind::Number(_) => true,
            Kind::Enum(variants) => {
                let mut number = [0; 8];
                let bytes = what.bytes as usize;
                number[..bytes].copy_from_slice(&self.bytes[at..at + bytes]);
                variants.iter().any(|variant| variant.number == u64::from_le_bytes(number))
            }
            Kind::Record(fields) => {
                let mut fields = fields.iter();
                return fields.try_for_each(|field| self.check_value(field.description, at + field.offset as usize));
            }
            Kind::Array { element: Description { kind: Kind::Number(Number::Unsigned), .. }, .. } => true,
            Kind::Array { element, count } => {
                return (0..count)
                    .try_for_each(|index| self.check_value(element, at + (index * element.bytes) as usize));
            }
        };
        if is_canonical { Ok(()) } else { Err(format!("byte {at} begins a {} that is not canonical", what.name)) }
    }

    fn check_zero(&self, gap: Range<usize>) -> Result<(), String> {
        match self.bytes[gap.clone()].iter().position(|byte| *byte != 0) {
            Some(index) => Err(format!("byte {} belongs to no field and is not zero", gap.start + index)),
            None => Ok(()),
        }
    }
}
