//! Sorts pairs by their slots: a parallel counting sort by chunks of the first slot, then within each chunk.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use jobs::{each_chunk, each_run};
use state::Workers;

use crate::limits::BODIES_CHUNK;

/// Buffers of the sort.
pub(super) struct PairSorter {
    /// Pairs per block of input and chunk of slots; then the offset at which the next of them is written.
    counts: Vec<u32>,
    /// The pairs grouped by chunk, the first slot in the upper half.
    scattered: Vec<AtomicU32>,
    /// Where each chunk ends.
    ends: Vec<u32>,
    pairs: Vec<[u16; 2]>,
}

/// The most blocks the input is divided into, and their least length.
const BLOCKS_MAX: usize = 16;
const BLOCK_MIN: usize = 2048;

impl PairSorter {
    /// Allocates for this many bodies and pairs.
    pub fn new(bodies: usize, pairs: usize) -> PairSorter {
        let chunks = bodies.div_ceil(BODIES_CHUNK);
        PairSorter {
            counts: alloc::vec![0; chunks * BLOCKS_MAX],
            scattered: (0..pairs).map(|_| AtomicU32::new(0)).collect(),
            ends: alloc::vec![0; chunks],
            pairs: alloc::vec![[0; 2]; pairs],
        }
    }

    /// Sorts distinct pairs of slots below `slots_end`: each block of input is scattered into chunks of slots, then each chunk is sorted. The result does
    /// not depend on the order of the input.
    pub fn sort(&mut self, found: &[[u16; 2]], slots_end: usize, workers: &dyn Workers) -> &[[u16; 2]] {
        let chunks = slots_end.div_ceil(BODIES_CHUNK);
        if found.is_empty() {
            return &[];
        }
        let block = BLOCK_MIN.max(found.len().div_ceil(BLOCKS_MAX));
        let blocks = found.len().div_ceil(block);
        let block_of = |number: usize| &found[number * block..found.len().min((number + 1) * block)];
        let chunk_of = |pair: &[u16; 2]| usize::from(pair[0]) / BODIES_CHUNK;
        each_chunk(workers, &mut self.counts[..blocks * chunks], chunks, |at, counts| {
            counts.fill(0);
            block_of(at / chunks).iter().for_each(|pair| counts[chunk_of(pair)] += 1);
        });
        let mut total = 0;
        for (chunk, end) in self.ends[..chunks].iter_mut().enumerate() {
            for number in 0..blocks {
                total += core::mem::replace(&mut self.counts[number * chunks + chunk], total);
            }
            *end = total;
        }
        let scattered = &self.scattered;
        each_chunk(workers, &mut self.counts[..blocks * chunks], chunks, |at, offsets| {
            for pair in block_of(at / chunks) {
                let offset = &mut offsets[chunk_of(pair)];
                scattered[*offset as usize].store(u32::from(pair[0]) << 16 | u32::from(pair[1]), Relaxed);
                *offset += 1;
            }
        });
        let ends = &self.ends[..chunks];
        each_run(workers, &mut self.pairs, ends, |chunk, pairs| {
            let start = if chunk == 0 { 0 } else { ends[chunk - 1] as usize };
            sort_chunk(&scattered[start..start + pairs.len()], pairs);
        });
        &self.pairs[..found.len()]
    }
}

/// Sorts the pairs of a chunk: counting sort by the first slot, then each run by the second.
fn sort_chunk(from: &[AtomicU32], pairs: &mut [[u16; 2]]) {
    let first_of = |pair: u32| (pair >> 16) as usize % BODIES_CHUNK;
    let mut starts = [0_u32; BODIES_CHUNK];
    from.iter().for_each(|pair| starts[first_of(pair.load(Relaxed))] += 1);
    let mut total = 0;
    for start in &mut starts {
        total += core::mem::replace(start, total);
    }
    for pair in from {
        let pair = pair.load(Relaxed);
        let offset = &mut starts[first_of(pair)];
        pairs[*offset as usize] = [(pair >> 16) as u16, pair as u16];
        *offset += 1;
    }
    // Each start is now the end of its run.
    let mut from = 0;
    for end in starts {
        pairs[from..end as usize].sort_unstable();
        from = end as usize;
    }
}
