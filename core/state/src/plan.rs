//! The memory layout of a block.
//!
//! Systems reserve their regions in a [`Layout`], once, in one fixed order; [`Layout::finish`] makes the [`Plan`] that
//! all blocks of this game share. Each system begins on a new page, and so does each region with many elements,
//! so that a page belongs to one system and has elements of at most one region.
//!
//! Laws
//! 1. The same reservations in the same order give the same plan: same offsets, same hash, on every machine.
//! 2. The plan's hash covers every name, type, offset, capacity and chunk size. Blocks of equal hash are the same kind.
//! 3. A mistake here (a duplicate name, a capacity out of range) panics at start-up.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use base::bytes::ByteWriter;
use base::handle::SLOTS_MAX;
use base::plain::{Description, Kind};

use crate::limits::{BLOCK_BYTES_MAX, LINE_BYTES, NAME_BYTES_MAX, OUTBOX_BYTES, PAGE_BYTES, PAINT_BYTES, REGIONS_MAX};

/// Reserves the regions of a block.
#[derive(Debug)]
pub struct Layout {
    name: String,
    systems: Vec<System>,
    regions: Vec<Region>,
    end: usize,
    outbox_bytes: u32,
    paint_bytes: u32,
}

/// The finished layout, shared by all blocks of one kind.
#[derive(Debug)]
pub struct Plan {
    name: String,
    systems: Vec<System>,
    regions: Vec<Region>,
    bytes: usize,
    hash: u64,
    /// For each page, the region whose elements are on it.
    page_regions: Vec<Option<u16>>,
    /// The regions of all brushes, in the order they were listed.
    pub(crate) brushes: Vec<u16>,
    /// The regions of all alarms.
    pub(crate) alarms: Vec<u16>,
    /// For each region, the outbox of its first chunk.
    outboxes: Vec<usize>,
    pub(crate) outbox_bytes: u32,
    pub(crate) paint_bytes: u32,
}

/// A named part of a world, on its own pages.
#[derive(Debug)]
pub struct System {
    /// Its name.
    pub name: String,
    /// Its pages.
    pub pages: Range<usize>,
}

/// One reservation.
#[derive(Debug)]
pub struct Region {
    /// Its name, unique in this plan.
    pub name: String,
    /// The number of its system.
    pub system: usize,
    /// Its kind.
    pub kind: RegionKind,
    /// All its bytes.
    pub bytes: Range<usize>,
    /// The type of its head.
    pub head: Option<&'static Description>,
    /// Its elements.
    pub elements: Elements,
    /// For pools: the type of the blocks of each class.
    pub classes: Vec<(String, &'static Description)>,
    /// For the rows and alarms of entities: the array whose slots they belong to.
    pub twin: Option<u16>,
}

/// The kind of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionKind {
    /// Exactly one value.
    Single,
    /// A datum array.
    Datums,
    /// A bounded list.
    List,
    /// The bytes of a pool.
    Pool,
    /// The waiting entries of a brush.
    Brush,
    /// The alarms of entities, a timing wheel.
    Alarms,
}

/// The elements of a region.
#[derive(Clone, Copy, Debug)]
pub struct Elements {
    /// The offset of the first one.
    pub start: usize,
    /// The distance from one to the next.
    pub stride: usize,
    /// The capacity.
    pub capacity: u32,
    /// The type of the header before each value.
    pub header: Option<&'static Description>,
    /// The offset of the value in its element.
    pub value_offset: usize,
    /// The type of each value.
    pub value: &'static Description,
    /// Which elements are living.
    pub life: Life,
    /// Elements per job; zero where there are no jobs.
    pub chunk: u32,
}

/// Which elements of a region are living. The content of the others has no meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// All.
    Always,
    /// Those whose bit is set in the bit set of 64-bit words that starts here.
    Bits(usize),
    /// Those below the 32-bit count that lies here.
    Below(usize),
}

/// The argument of [`Layout::reserve`].
pub(crate) struct Reservation<'a> {
    pub name: &'a str,
    pub kind: RegionKind,
    pub head: Option<&'static Description>,
    /// The number of bit sets with one bit per element.
    pub bit_sets: usize,
    pub capacity: u32,
    pub header: Option<&'static Description>,
    pub value: &'static Description,
    pub value_align: usize,
    pub chunk: u32,
    /// From the start of the head and the start of the bit sets.
    pub life: fn(usize, usize) -> Life,
}

impl Layout {
    /// An empty layout of a game with this name. Worlds begin with `Layout::of_world`.
    pub(crate) fn new(name: &str) -> Layout {
        Layout {
            name: checked_name(name),
            systems: Vec::new(),
            regions: Vec::new(),
            end: 0,
            outbox_bytes: OUTBOX_BYTES,
            paint_bytes: PAINT_BYTES,
        }
    }

    /// Starts a system: regions reserved from here on belong to it.
    pub fn system(&mut self, name: &str) {
        assert!(self.systems.iter().all(|system| system.name != name), "two systems are called \"{name}\"");
        self.close_system();
        let page = self.end / PAGE_BYTES;
        self.systems.push(System { name: checked_name(name), pages: page..page });
    }

    /// Sets the size of the outbox of a chunk.
    pub fn set_outbox_bytes(&mut self, bytes: u32) {
        self.outbox_bytes = bytes.next_multiple_of(8);
    }

    /// Sets the size of the outbox of painting.
    pub fn set_paint_bytes(&mut self, bytes: u32) {
        self.paint_bytes = bytes.next_multiple_of(8);
    }

    /// Finishes the layout.
    pub fn finish(mut self) -> Arc<Plan> {
        assert!(!self.regions.is_empty(), "the layout of \"{}\" reserves nothing", self.name);
        self.close_system();
        let mut page_regions = alloc::vec![None; self.end / PAGE_BYTES];
        for (number, region) in self.regions.iter().enumerate() {
            if region.elements.life != Life::Always {
                page_regions[pages_of(&region.bytes)].fill(Some(number as u16));
            }
        }
        let all_of = |kind| {
            let is_one = |number: &u16| self.regions[usize::from(*number)].kind == kind;
            (0..self.regions.len() as u16).filter(is_one).collect()
        };
        let (brushes, alarms) = (all_of(RegionKind::Brush), all_of(RegionKind::Alarms));
        let chunks = self.regions.iter().scan(0, |next, region| {
            let first = *next;
            *next += region.chunks();
            Some(first)
        });
        let outboxes = chunks.collect();
        let hash = self.hash();
        Arc::new(Plan {
            name: self.name,
            systems: self.systems,
            regions: self.regions,
            bytes: self.end,
            hash,
            page_regions,
            brushes,
            alarms,
            outboxes,
            outbox_bytes: self.outbox_bytes,
            paint_bytes: self.paint_bytes,
        })
    }

    /// Reserves one region and returns its number.
    pub(crate) fn reserve(&mut self, wanted: Reservation<'_>) -> (u16, &Region) {
        let Reservation { name, kind, capacity, .. } = wanted;
        assert!(!self.systems.is_empty(), "region \"{name}\" is reserved before any system is begun");
        assert!(self.regions.iter().all(|region| region.name != name), "two regions are called \"{name}\"");
        assert!(self.regions.len() < REGIONS_MAX, "more than {REGIONS_MAX} regions");
        assert!(capacity > 0, "\"{name}\" has capacity 0");
        if matches!(kind, RegionKind::Datums) {
            assert!(capacity <= SLOTS_MAX, "\"{name}\" has {capacity} slots, handles reach {SLOTS_MAX}");
        }
        let shares_pages = kind == RegionKind::Single;
        let start = self.end.next_multiple_of(if shares_pages { 16 } else { PAGE_BYTES });
        let head_end = start + wanted.head.map_or(0, |head| head.bytes as usize).next_multiple_of(8);
        let words_end = head_end + wanted.bit_sets * (capacity as usize).div_ceil(64) * 8;
        let align = wanted.value_align.max(if wanted.header.is_some() { 2 } else { 1 });
        let header = wanted.header.map_or(0, |header| header.bytes as usize);
        let value_offset = header.next_multiple_of(align);
        let stride = (value_offset + wanted.value.bytes as usize).next_multiple_of(align).max(1);
        // Elements of whole cache lines are aligned to a line, so that none straddles more lines than necessary.
        let line = if stride.is_multiple_of(LINE_BYTES) { LINE_BYTES } else { 16 };
        let elements_start = words_end.next_multiple_of(align.max(line));
        let last = elements_start + stride * capacity as usize;
        let end = if shares_pages { last } else { last.next_multiple_of(PAGE_BYTES) };
        assert!(end <= BLOCK_BYTES_MAX, "\"{name}\" ends at {end} bytes; a block has at most {BLOCK_BYTES_MAX}");
        self.end = end;
        self.regions.push(Region {
            name: checked_name(name),
            system: self.systems.len() - 1,
            kind,
            bytes: start..end,
            head: wanted.head,
            elements: Elements {
                start: elements_start,
                stride,
                capacity,
                header: wanted.header,
                value_offset,
                value: wanted.value,
                life: (wanted.life)(start, head_end),
                chunk: wanted.chunk,
            },
            classes: Vec::new(),
            twin: None,
        });
        let number = self.regions.len() - 1;
        (number as u16, &self.regions[number])
    }

    /// Registers the next class of a pool and returns its number.
    pub(crate) fn add_class(&mut self, region: u16, name: &str, description: &'static Description) -> u32 {
        let classes = &mut self.regions[usize::from(region)].classes;
        classes.push((checked_name(name), description));
        classes.len() as u32 - 1
    }

    /// Makes a region the twin of an array: its elements belong to the array's slots.
    pub(crate) fn set_twin(&mut self, region: u16, of: u16) {
        self.regions[usize::from(region)].twin = Some(of);
    }

    /// The number of brushes so far.
    pub(crate) fn brush_count(&self) -> u16 {
        self.regions.iter().filter(|region| region.kind == RegionKind::Brush).count() as u16
    }

    fn close_system(&mut self) {
        self.end = self.end.next_multiple_of(PAGE_BYTES);
        if let Some(system) = self.systems.last_mut() {
            system.pages.end = self.end / PAGE_BYTES;
        }
    }

    fn hash(&self) -> u64 {
        let mut text = Vec::new();
        let mut write = |part: &str, numbers: &[usize]| {
            text.put(part.as_bytes());
            text.write_u8(0);
            for number in numbers {
                text.write_u64(*number as u64);
            }
        };
        write(&self.name, &[PAGE_BYTES, self.outbox_bytes as usize, self.paint_bytes as usize]);
        for system in &self.systems {
            write(&system.name, &[system.pages.start, system.pages.end]);
        }
        for region in &self.regions {
            let elements = &region.elements;
            write(&region.name, &[region.system, region.kind as usize, region.bytes.start, region.bytes.end]);
            let sizes = [elements.start, elements.stride, elements.capacity as usize, elements.chunk as usize];
            write("elements", &sizes);
            let descriptions = [region.head, elements.header, Some(elements.value)];
            descriptions.into_iter().flatten().for_each(|description| describe(description, &mut write));
            for (name, description) in &region.classes {
                write(name, &[]);
                describe(description, &mut write);
            }
            if let Some(twin) = region.twin {
                write("twin", &[usize::from(twin)]);
            }
        }
        base::hash::hash(&text)
    }
}

impl Plan {
    /// The game's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All systems in order.
    pub fn systems(&self) -> &[System] {
        &self.systems
    }

    /// All regions in order.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// The size of a block in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The size of a block in pages.
    pub fn pages(&self) -> usize {
        self.bytes / PAGE_BYTES
    }

    /// The layout hash. See law 2.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The region with elements on this page, if any.
    pub(crate) fn region_on_page(&self, page: usize) -> Option<&Region> {
        self.page_regions[page].map(|number| &self.regions[usize::from(number)])
    }

    /// The number of jobs if every chunk of every array had work.
    pub(crate) fn chunks_max(&self) -> usize {
        self.regions.iter().map(Region::chunks).sum()
    }

    /// The outbox of a chunk of an array.
    pub(crate) fn outbox(&self, array: u16, chunk: u16) -> usize {
        self.outboxes[usize::from(array)] + usize::from(chunk)
    }
}

impl Region {
    /// The number of jobs for all its elements.
    fn chunks(&self) -> usize {
        let Elements { capacity, chunk, .. } = self.elements;
        if chunk == 0 { 0 } else { capacity.div_ceil(chunk) as usize }
    }

    /// The byte ranges of its bit sets: living, and awake (an empty range if it has none).
    pub(crate) fn bit_sets(&self) -> [Range<usize>; 2] {
        let head_end = self.bytes.start + self.head.map_or(0, |head| head.bytes as usize);
        let Life::Bits(start) = self.elements.life else { return [head_end..head_end, head_end..head_end] };
        let middle = start + (self.elements.capacity as usize).div_ceil(64) * 8;
        let awake = if self.kind == RegionKind::Datums { middle - start } else { 0 };
        [start..middle, middle..middle + awake]
    }
}

impl Elements {
    /// The bytes of one element, header included.
    pub fn element(&self, index: u32) -> Range<usize> {
        let start = self.start + self.stride * index as usize;
        start..start + self.stride
    }

    /// The bytes of one value.
    pub fn value(&self, index: u32) -> Range<usize> {
        let start = self.start + self.stride * index as usize + self.value_offset;
        start..start + self.value.bytes as usize
    }
}

/// The pages that a range of bytes touches.
pub(crate) fn pages_of(bytes: &Range<usize>) -> Range<usize> {
    bytes.start / PAGE_BYTES..bytes.end.div_ceil(PAGE_BYTES)
}

fn checked_name(name: &str) -> String {
    assert!(
        !name.is_empty() && name.len() <= NAME_BYTES_MAX,
        "\"{name}\" is not a name of 1 to {NAME_BYTES_MAX} bytes"
    );
    String::from(name)
}

fn describe(description: &Description, write: &mut dyn FnMut(&str, &[usize])) {
    write(description.name, &[description.bytes as usize]);
    match description.kind {
        Kind::Number(number) => write("number", &[number as usize]),
        Kind::Enum(variants) => {
            write("enum", &[variants.len()]);
            variants.iter().for_each(|variant| write(variant.name, &[variant.number as usize]));
        }
        Kind::Record(fields) => {
            write("record", &[fields.len()]);
            for field in fields {
                write(field.name, &[field.offset as usize]);
                describe(field.description, write);
            }
        }
        Kind::Array { element, count } => {
            write("array", &[count as usize]);
            describe(element, write);
        }
    }
}
