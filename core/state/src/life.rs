//! What is living in a block: the heads that regions begin with, and what dead elements hold.
//!
//! Law: a dead element's header is zero and its value is garbage: one byte, repeated, the same in all of a world.

use core::ops::Range;

use base::handle::{Handle, first_salt};
use base::plain::Plain;

use crate::block::Block;
use crate::limits::GRANULE_BYTES;
use crate::plan::{Elements, Life, RegionKind};

/// The head of a datum array.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub(crate) struct ArrayHead {
    /// How many are living.
    pub count: u32,
    /// The most that ever were.
    pub count_max: u32,
    /// Every slot below is taken: the first free one is here or above.
    pub taken_below: u32,
    /// How often there was no room.
    pub refused: u32,
    /// The salt of the next to be created.
    pub next_salt: u16,
    pub spare: [u16; 3],
}

/// The head of a list, and of what a brush carries over.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub(crate) struct ListHead {
    /// How many there are.
    pub count: u32,
    /// The most that ever were.
    pub count_max: u32,
    /// How often there was no room.
    pub refused: u32,
    pub spare: u32,
}

/// The head of a pool's bytes, counted in granules.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub(crate) struct PoolHead {
    /// How many belong to blocks.
    pub used: u32,
    /// The most that ever did.
    pub used_max: u32,
    /// Above here all are free.
    pub end: u32,
    /// How often there was no room.
    pub refused: u32,
    /// How often blocks were moved together to make room.
    pub compactions: u32,
    pub spare: u32,
}

/// What stands before the bytes of every block of a pool, so that the blocks can be walked in the order they lie.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub(crate) struct BlockPrefix {
    /// Who it belongs to.
    pub owner: Handle<PoolBlock>,
    /// How long it is, this prefix included.
    pub granules: u32,
    pub spare: u64,
}

/// A block of a pool: where its bytes lie and of which class they are. The datum a pool's handles name.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct PoolBlock {
    /// The first granule.
    pub(crate) start: u32,
    /// How many bytes its owner asked for.
    pub(crate) bytes: u32,
    /// Which of the pool's classes it is.
    pub(crate) class: u32,
}

/// Writes the heads of an empty block.
pub(crate) fn prepare(block: &mut Block) {
    let plan = block.plan().clone();
    for region in plan.regions().iter().filter(|region| region.kind == RegionKind::Datums) {
        block.value_mut::<ArrayHead>(region.bytes.start).next_salt = first_salt(&region.name);
    }
}

/// Makes all dead elements what the law says.
pub(crate) fn fill_dead(block: &mut Block, garbage: u8) {
    let plan = block.plan().clone();
    for region in plan.regions().iter().filter(|region| region.elements.life != Life::Always) {
        for index in 0..region.elements.capacity {
            if !block.is_living(region, index) {
                bury(&region.elements, index..index + 1, garbage, block.bytes_mut());
            }
        }
    }
}

/// Makes these elements dead ones. `bytes` are those of the whole block.
pub(crate) fn bury(elements: &Elements, dead: Range<u32>, garbage: u8, bytes: &mut [u8]) {
    for index in dead {
        bytes[elements.element(index)].fill(0);
        bytes[elements.value(index)].fill(garbage);
    }
}

/// How many granules a block of so many bytes takes.
pub(crate) const fn granules_for(bytes: u64) -> u64 {
    (size_of::<BlockPrefix>() as u64 + bytes).div_ceil(GRANULE_BYTES as u64)
}
