//! The lower bound: a plain memory copy of our block, without anything else that a snapshot needs.

use astrarium::base::hash;

use super::contender::Contender;
use super::ours::Ours;
use super::scene::{Object, Tally};

const PAGE_BYTES: usize = 4096;

/// Our world, whose bytes are copied directly.
pub struct Memcpy {
    ours: Ours,
    /// Page-aligned, like a block.
    copy: Vec<u8>,
    start: usize,
}

impl Memcpy {
    /// A world with these objects.
    pub fn new(objects: &[Object]) -> Memcpy {
        let ours = Ours::new(objects);
        // Written once, so that no page fault occurs during a copy.
        let copy = vec![1; ours.bytes().len() + PAGE_BYTES];
        let start = copy.as_ptr().align_offset(PAGE_BYTES);
        Memcpy { ours, copy, start }
    }

    /// A hash of the bytes.
    pub fn hash(&mut self) -> u64 {
        hash::hash(self.ours.bytes())
    }
}

impl Contender for Memcpy {
    fn name(&self) -> &'static str {
        "memcpy of the block"
    }

    fn churn(&mut self, births: &[Object]) {
        self.ours.churn(births);
    }

    fn touch(&mut self, places: &[u32]) {
        self.ours.touch(places);
    }

    fn save(&mut self) {
        let bytes = self.ours.bytes();
        self.copy[self.start..self.start + bytes.len()].copy_from_slice(bytes);
    }

    fn save_and_hash(&mut self) -> u64 {
        self.save();
        self.hash()
    }

    /// Not a plain copy, since only a world may write to its block. It only prepares the next round and is not measured.
    fn restore(&mut self) {
        self.ours.adopt(&self.copy[self.start..]);
    }

    fn find_again(&mut self) {
        self.ours.find_again();
    }

    fn tally(&mut self) -> Tally {
        self.ours.tally()
    }
}
