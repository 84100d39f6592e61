//! The hash tree (Merkle tree) of a world: pages, systems, root.
//!
//! Laws
//! 1. The hash is a function of the living elements: dead ones count as zeros.
//! 2. Blocks whose living bytes differ have different hashes (up to 64-bit collisions); the path from the root leads to
//!    the system and the page that differ.
//! 3. An update hashes only dirty pages. The result equals that of hashing everything.
//! 4. Only bytes count: renaming a field or a type changes no hash. Layout hashes are compared separately wherever
//!    blocks meet.

use alloc::vec::Vec;
use core::ops::Range;

use base::hash::hash;
use base::plain;

use crate::bits;
use crate::block::Block;
use crate::limits::PAGE_BYTES;
use crate::marks::{Marks, Moment};
use crate::plan::{Life, Plan, Region};

#[cfg(test)]
mod tests;

/// All hashes of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HashTree {
    /// One for every page.
    pub pages: Vec<u64>,
    /// One for every system: the hash of its pages' hashes.
    pub systems: Vec<u64>,
    /// The hash of the systems' hashes.
    pub root: u64,
}

impl HashTree {
    /// The hashes of a block, computed from scratch.
    pub fn of(block: &Block) -> HashTree {
        let mut tree = HashTree::empty(block.plan());
        (0..block.plan().pages()).for_each(|page| tree.pages[page] = hash_living(block, page));
        tree.hash_systems(block.plan());
        tree
    }

    pub(crate) fn empty(plan: &Plan) -> HashTree {
        HashTree { pages: alloc::vec![0; plan.pages()], systems: alloc::vec![0; plan.systems().len()], root: 0 }
    }

    /// Rehashes the pages written since `moment`. Where the garbage in dead elements is zero, pages are hashed as they
    /// are.
    pub(crate) fn update(&mut self, block: &Block, marks: &Marks, moment: Moment, garbage: u8) {
        let hash_page = if garbage == 0 { hash_all } else { hash_living };
        for page in marks.since(moment).flatten() {
            self.pages[page] = hash_page(block, page);
        }
        self.hash_systems(block.plan());
    }

    fn hash_systems(&mut self, plan: &Plan) {
        for (hash_of_system, system) in self.systems.iter_mut().zip(plan.systems()) {
            *hash_of_system = hash(plain::cast_slice(&self.pages[system.pages.clone()]));
        }
        self.root = hash(plain::cast_slice(&self.systems));
    }
}

fn hash_all(block: &Block, page: usize) -> u64 {
    hash(&block.bytes()[page * PAGE_BYTES..(page + 1) * PAGE_BYTES])
}

fn hash_living(block: &Block, page: usize) -> u64 {
    let bytes = &block.bytes()[page * PAGE_BYTES..(page + 1) * PAGE_BYTES];
    match block.plan().region_on_page(page) {
        Some(region) if has_dead_on(block, region, page) => {
            let mut living: [u8; PAGE_BYTES] = *bytes.first_chunk().expect("a page has all its bytes");
            clear_dead(block, region, page, &mut living);
            hash(&living)
        }
        _ => hash(bytes),
    }
}

/// The elements of a region that overlap a page.
fn elements_on(region: &Region, page: usize) -> Range<u32> {
    let elements = &region.elements;
    let last = elements.start + elements.stride * elements.capacity as usize;
    let start = (page * PAGE_BYTES).clamp(elements.start, last) - elements.start;
    let end = ((page + 1) * PAGE_BYTES).clamp(elements.start, last) - elements.start;
    (start / elements.stride) as u32..end.div_ceil(elements.stride) as u32
}

fn has_dead_on(block: &Block, region: &Region, page: usize) -> bool {
    let elements = elements_on(region, page);
    match region.elements.life {
        Life::Always => false,
        Life::Below(count) => *block.value::<u32>(count) < elements.end,
        Life::Bits(start) => !bits::all_set(living_words(block, start, &elements), elements),
    }
}

/// The words of a bit set up to the last of these elements.
fn living_words<'a>(block: &'a Block, start: usize, elements: &Range<u32>) -> &'a [u64] {
    plain::cast_slice(&block.bytes()[start..start + (elements.end as usize).div_ceil(64) * 8])
}

fn clear_dead(block: &Block, region: &Region, page: usize, copy: &mut [u8; PAGE_BYTES]) {
    let page_start = page * PAGE_BYTES;
    let elements = elements_on(region, page);
    let mut clear = |dead: Range<u32>| {
        let start = region.elements.element(dead.start).start.saturating_sub(page_start);
        let end = (region.elements.element(dead.end - 1).end - page_start).min(PAGE_BYTES);
        copy[start..end].fill(0);
    };
    match region.elements.life {
        Life::Always => {}
        Life::Below(count) => {
            let first = (*block.value::<u32>(count)).clamp(elements.start, elements.end);
            if first < elements.end {
                clear(first..elements.end);
            }
        }
        Life::Bits(start) => {
            let words = living_words(block, start, &elements);
            let mut from = elements.start;
            while let Some(first) = bits::first_clear(words, from, elements.end) {
                let end = bits::first_set(words, first, elements.end).unwrap_or(elements.end);
                clear(first..end);
                from = end;
            }
        }
    }
}
