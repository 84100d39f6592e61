//! A map for agents that fly: a sparse grid of volumes.
//!
//! Cells lie in chunks of 8 × 8 × 8. A chunk that no obstacle is near is only a number; the others have a page with the clearance of
//! each cell. A chunk follows from the geometry alone, so a rebuild of the chunks near a change gives the same cells as a full
//! build, as long as there are pages enough. A chunk without a page when there should be one is closed, and counted.

use alloc::vec::Vec;

use base::{Plain, Vec2, Vec3, number};

use crate::geometry::{Column, Geometry, Spans};
use crate::ground::ChangedBox;
use crate::lattice::Lattice;
use crate::limits::{CHUNK_CELLS, CHUNK_SIDE, CLEARANCE_MAX};
use crate::moves::{ALL, OFFSETS, legal};
use crate::terrain::Terrain;

/// The chunk is free, and everything near it.
const FREE: u32 = u32::MAX;
/// The chunk is solid.
const SOLID: u32 = u32::MAX - 1;
/// There was no page left: the chunk is closed.
const LOST: u32 = u32::MAX - 2;

/// The clearances of the cells of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Plain)]
#[repr(C)]
pub struct Page {
    clearances: [u8; CHUNK_CELLS],
    /// One more than the chunk that uses it; 0 if it is not used.
    used_by: u32,
}

impl Default for Page {
    fn default() -> Page {
        Page { clearances: [0; CHUNK_CELLS], used_by: 0 }
    }
}

/// How the cells of a space are grouped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpaceChunks {
    lattice: Lattice,
    clearance_max: u8,
    chunks: [u32; 3],
}

impl SpaceChunks {
    /// The chunks of a lattice, and the largest clearance that is told apart, from 1 to [`CLEARANCE_MAX`].
    pub fn new(lattice: Lattice, clearance_max: u8) -> SpaceChunks {
        let chunks = lattice.size().map(|side| side.div_ceil(CHUNK_SIDE));
        SpaceChunks { lattice, clearance_max: clearance_max.clamp(1, CLEARANCE_MAX), chunks }
    }

    /// The number of chunks.
    pub fn count(&self) -> u32 {
        self.chunks[0] * self.chunks[1] * self.chunks[2]
    }

    /// The lattice.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    fn number(&self, [x, y, z]: [u32; 3]) -> u32 {
        x + self.chunks[0] * (y + self.chunks[1] * z)
    }
}

/// The index of a cell in its page.
#[inline]
fn in_page([x, y, z]: [u32; 3]) -> usize {
    (x % CHUNK_SIDE + CHUNK_SIDE * (y % CHUNK_SIDE + CHUNK_SIDE * (z % CHUNK_SIDE))) as usize
}

/// A space, to be asked.
#[derive(Clone, Copy, Debug)]
pub struct Space<'a> {
    settings: &'a SpaceChunks,
    chunks: &'a [u32],
    pages: &'a [Page],
}

impl<'a> Space<'a> {
    /// The space in these chunks and pages. Panics if the chunks are not as many as the settings say.
    pub fn new(settings: &'a SpaceChunks, chunks: &'a [u32], pages: &'a [Page]) -> Space<'a> {
        assert_eq!(chunks.len(), settings.count() as usize, "a space has one entry for each chunk");
        Space { settings, chunks, pages }
    }

    /// The number of chunks that are closed because there were no pages left.
    pub fn lost(&self) -> usize {
        self.chunks.iter().filter(|chunk| **chunk == LOST).count()
    }

    #[inline]
    fn chunk_of(&self, position: [u32; 3]) -> u32 {
        self.chunks[self.settings.number(position.map(|at| at / CHUNK_SIDE)) as usize]
    }

    #[inline]
    fn clearance_at(&self, position: [u32; 3]) -> u8 {
        match self.chunk_of(position) {
            FREE => self.settings.clearance_max,
            SOLID | LOST => 0,
            // A page that does not exist, from a foreign block, is closed.
            page => self.pages.get(page as usize).map_or(0, |page| page.clearances[in_page(position)]),
        }
    }
}

impl Terrain for Space<'_> {
    fn lattice(&self) -> &Lattice {
        &self.settings.lattice
    }

    #[inline]
    fn clearance(&self, cell: u32) -> u8 {
        self.clearance_at(self.settings.lattice.position(cell))
    }

    fn moves(&self, cell: u32, needed: u8) -> u32 {
        let (position, needed) = (self.settings.lattice.position(cell), needed.max(1));
        let is_inner = |axis: usize| {
            let at = position[axis] % CHUNK_SIDE;
            at > 0 && at < CHUNK_SIDE - 1 && position[axis] + 1 < self.settings.lattice.size()[axis]
        };
        let is_free = self.chunk_of(position) == FREE && needed <= self.settings.clearance_max;
        if is_free && is_inner(0) && is_inner(1) && is_inner(2) {
            return (1 << ALL) - 1;
        }
        let mut free = 0;
        for (index, offset) in OFFSETS.iter().enumerate() {
            let other = self.settings.lattice.beside(position, *offset);
            if other.is_some_and(|other| self.clearance(other) >= needed) {
                free |= 1 << index;
            }
        }
        legal(free, ALL)
    }

    fn stand(&self, cell: u32) -> Vec3 {
        self.settings.lattice.centre(cell)
    }

    fn holds(&self, _: u32, _: Vec3) -> bool {
        true
    }
}

/// Working memory of a build.
#[derive(Clone, Debug, Default)]
pub struct SpaceBuild {
    /// Whether each cell of a column of chunks, and of the cells around it, is solid.
    solid: Vec<bool>,
}

impl SpaceBuild {
    /// Working memory for spaces of these settings.
    pub fn new(settings: &SpaceChunks) -> SpaceBuild {
        let side = (CHUNK_SIDE + 2 * u32::from(settings.clearance_max)) as usize;
        SpaceBuild { solid: alloc::vec![false; side * side * settings.lattice.size()[2] as usize] }
    }

    /// Builds all chunks.
    pub fn build(
        &mut self,
        settings: &SpaceChunks,
        (chunks, pages): (&mut [u32], &mut [Page]),
        geometry: &mut impl Geometry,
    ) {
        pages.iter_mut().for_each(|page| page.used_by = 0);
        chunks.fill(FREE);
        let [x, y, z] = settings.chunks;
        self.rebuild_chunks(settings, (chunks, pages), [[0, x], [0, y], [0, z]], geometry);
    }

    /// Rebuilds the chunks that a change of the geometry in a box can reach. Returns their number.
    pub fn rebuild(
        &mut self,
        settings: &SpaceChunks,
        (chunks, pages): (&mut [u32], &mut [Page]),
        changed: &ChangedBox,
        geometry: &mut impl Geometry,
    ) -> u32 {
        let reach = u32::from(settings.clearance_max) + 1;
        let touched = |axis: usize| {
            let [from, to] = settings.lattice.touched(axis, changed.least[axis], changed.most[axis], reach);
            if from < to { [from / CHUNK_SIDE, to.div_ceil(CHUNK_SIDE)] } else { [0, 0] }
        };
        self.rebuild_chunks(settings, (chunks, pages), [touched(0), touched(1), touched(2)], geometry)
    }

    fn rebuild_chunks(
        &mut self,
        settings: &SpaceChunks,
        (chunks, pages): (&mut [u32], &mut [Page]),
        [[left, right], [front, back], [low, high]]: [[u32; 2]; 3],
        geometry: &mut impl Geometry,
    ) -> u32 {
        assert_eq!(chunks.len(), settings.count() as usize, "a space has one entry for each chunk");
        for y in front..back {
            for x in left..right {
                if low < high {
                    self.fill(settings, [x, y], geometry);
                }
                for z in low..high {
                    let number = settings.number([x, y, z]);
                    let page = self.page(settings, [x, y, z]);
                    store(&mut chunks[number as usize], number, pages, page);
                }
            }
        }
        (right - left) * (back - front) * (high - low)
    }

    fn side(settings: &SpaceChunks) -> i32 {
        (CHUNK_SIDE + 2 * u32::from(settings.clearance_max)) as i32
    }

    /// Marks the solid cells in and around a column of chunks.
    fn fill(&mut self, settings: &SpaceChunks, [x, y]: [u32; 2], geometry: &mut impl Geometry) {
        let (lattice, side) = (&settings.lattice, SpaceBuild::side(settings));
        let (least, cell, layers) = (lattice.least(), lattice.cell(), lattice.size()[2] as usize);
        let corner = |column: i32, row: i32| {
            let margin = i32::from(settings.clearance_max);
            let at = |chunk: u32, index: i32| (chunk * CHUNK_SIDE) as i32 + index - margin;
            Vec2::new(least.x + at(x, column) as f32 * cell, least.y + at(y, row) as f32 * cell)
        };
        self.solid.fill(false);
        geometry.gather(&Column { least: corner(0, 0), most: corner(side, side) });
        let mut spans = Spans::default();
        for row in 0..side {
            for column in 0..side {
                spans.clear();
                let footprint = Column { least: corner(column, row), most: corner(column + 1, row + 1) };
                geometry.spans(&footprint, &mut spans);
                let start = (row * side + column) as usize * layers;
                for span in spans.as_slice() {
                    let at = |height: f32| number::clamp((height - least.z) / cell, 0.0, layers as f32);
                    let (from, to) = (number::floor(at(span.low)) as usize, number::ceil(at(span.high)) as usize);
                    self.solid[start + from.min(layers)..start + to.max(from).min(layers)].fill(true);
                }
            }
        }
    }

    /// The clearances of a chunk: the distance, along an axis, to the nearest solid cell. None if all are the largest.
    fn page(&self, settings: &SpaceChunks, [_, _, z]: [u32; 3]) -> Option<Page> {
        let (side, most, layers) =
            (SpaceBuild::side(settings), i32::from(settings.clearance_max), settings.lattice.size()[2] as i32);
        let bottom = (z * CHUNK_SIDE) as i32;
        let mut nearest = [[0_u8; CHUNK_CELLS]; 1];
        let clearances = &mut nearest[0];
        clearances.fill(most as u8);
        for row in 0..side {
            for column in 0..side {
                let start = (row * side + column) * layers;
                let window = (bottom - most).max(0)..(bottom + CHUNK_SIDE as i32 + most).min(layers);
                for layer in window.filter(|layer| self.solid[(start + layer) as usize]) {
                    spread(clearances, [column - most, row - most, layer - bottom], most);
                }
            }
        }
        let is_free = clearances.iter().all(|clearance| i32::from(*clearance) == most);
        (!is_free).then_some(Page { clearances: *clearances, used_by: 0 })
    }
}

/// Lowers the clearances around a solid cell, at a position relative to the chunk.
fn spread(clearances: &mut [u8; CHUNK_CELLS], at: [i32; 3], most: i32) {
    let side = CHUNK_SIDE as i32;
    let range = |axis: usize| (at[axis] - most + 1).max(0)..(at[axis] + most).min(side);
    for z in range(2) {
        for y in range(1) {
            for x in range(0) {
                let distance = (x - at[0]).abs().max((y - at[1]).abs()).max((z - at[2]).abs());
                let own = &mut clearances[(x + side * (y + side * z)) as usize];
                *own = (*own).min(distance as u8);
            }
        }
    }
}

/// Stores a chunk: in its page, in the first page that is not used, or without one.
fn store(chunk: &mut u32, number: u32, pages: &mut [Page], page: Option<Page>) {
    let own = pages.get_mut(*chunk as usize).filter(|page| page.used_by == number + 1);
    let Some(page) = page.filter(|page| page.clearances.iter().any(|clearance| *clearance > 0)) else {
        if let Some(own) = own {
            *own = Page::default();
        }
        *chunk = if page.is_some() { SOLID } else { FREE };
        return;
    };
    let used = Page { used_by: number + 1, ..page };
    match own {
        Some(own) => *own = used,
        None => match pages.iter().position(|page| page.used_by == 0) {
            Some(free) => (pages[free], *chunk) = (used, free as u32),
            None => *chunk = LOST,
        },
    }
}
