//! What no copy can beat: the bytes of our own block, as they lie, with everything else about the world left out.

use astrarium::base::hash;

use super::contender::Contender;
use super::ours::Ours;
use super::scene::{Object, Tally};

const PAGE_BYTES: usize = 4096;

/// A world of ours whose bytes are copied without asking it.
pub struct Memcpy {
    ours: Ours,
    /// Begins on a page, as a block does.
    copy: Vec<u8>,
    start: usize,
}

impl Memcpy {
    /// A world with these objects.
    pub fn new(objects: &[Object]) -> Memcpy {
        let ours = Ours::new(objects);
        // Written once, so that the operating system gives no page in the midst of a copy.
        let copy = vec![1; ours.bytes().len() + PAGE_BYTES];
        let start = copy.as_ptr().align_offset(PAGE_BYTES);
        Memcpy { ours, copy, start }
    }

    /// A number that stands for the bytes.
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

    /// No copy at all, as nobody but a world may write to its block: this is for what comes next, and not compared.
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
