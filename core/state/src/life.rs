//! Liveness of elements: the heads at the start of regions, and the content of dead elements.
//!
//! Law: the header of a dead element is zero, and its value is garbage: one repeated byte, the same in the whole world.

use core::ops::Range;

use base::handle::{Handle, first_generation};
use base::plain::Plain;

use crate::block::Block;
use crate::limits::GRANULE_BYTES;
use crate::plan::{Elements, Life, RegionKind};

/// The head of a datum array.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub(crate) struct ArrayHead {
    /// The number of living slots.
    pub count: u32,
    /// The maximum so far.
    pub count_max: u32,
    /// Every slot below is taken: the first free one is here or above.
    pub taken_below: u32,
    /// The number of refused requests.
    pub refused: u32,
    /// The generation of the next datum.
    pub next_generation: u16,
    pub spare: [u16; 3],
}

/// The head of a list, and of the waiting entries of a brush.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub(crate) struct ListHead {
    /// The number of elements.
    pub count: u32,
    /// The maximum so far.
    pub count_max: u32,
    /// The number of refused requests.
    pub refused: u32,
    pub spare: u32,
}

/// The head of a pool's bytes, counted in granules.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub(crate) struct PoolHead {
    /// Granules in use.
    pub used: u32,
    /// The maximum so far.
    pub used_max: u32,
    /// All granules from here on are free.
    pub end: u32,
    /// The number of refused requests.
    pub refused: u32,
    /// The number of compactions.
    pub compactions: u32,
    pub spare: u32,
}

/// The prefix of every block of a pool, by which blocks are walked in address order.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub(crate) struct BlockPrefix {
    /// The handle of the block's datum.
    pub owner: Handle<PoolBlock>,
    /// Its length in granules, this prefix included.
    pub granules: u32,
    pub spare: u64,
}

/// A block of a pool: position, length and class of its bytes. The datum that a pool's handles name.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct PoolBlock {
    /// The first granule.
    pub(crate) start: u32,
    /// Its length in bytes, as requested.
    pub(crate) bytes: u32,
    /// Its class.
    pub(crate) class: u32,
}

/// Writes the heads of an empty block.
pub(crate) fn prepare(block: &mut Block) {
    let plan = block.plan().clone();
    for region in plan.regions().iter().filter(|region| region.kind == RegionKind::Datums) {
        block.value_mut::<ArrayHead>(region.bytes.start).next_generation = first_generation(&region.name);
    }
}

/// Fills all dead elements as the law says.
pub(crate) fn fill_dead(block: &mut Block, garbage: u8) {
    let plan = block.plan().clone();
    for region in plan.regions().iter().filter(|region| region.elements.life != Life::Always) {
        for index in 0..region.elements.capacity {
            if !block.is_living(region, index) {
                overwrite_dead(&region.elements, index..index + 1, garbage, block.bytes_mut());
            }
        }
    }
}

/// Overwrites these elements as dead ones. `bytes` is the whole block.
pub(crate) fn overwrite_dead(elements: &Elements, dead: Range<u32>, garbage: u8, bytes: &mut [u8]) {
    for index in dead {
        bytes[elements.element(index)].fill(0);
        bytes[elements.value(index)].fill(garbage);
    }
}

/// The granules of a block of this many bytes.
pub(crate) const fn granules_for(bytes: u64) -> u64 {
    (size_of::<BlockPrefix>() as u64 + bytes).div_ceil(GRANULE_BYTES as u64)
}
