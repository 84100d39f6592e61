//! Pairs in the order of their slots.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use state::Workers;
use state::share::{each_chunk, each_run};

use crate::limits::BODIES_CHUNK;

/// Room to put pairs in order.
pub(super) struct Sorted {
    /// How many pairs of each piece of what was found go to each chunk of slots, then where the next of them goes.
    tallies: Vec<u32>,
    /// The pairs, chunk of slots by chunk: the first slot in the upper half.
    spread: Vec<AtomicU32>,
    /// Where each chunk's end.
    ends: Vec<u32>,
    pairs: Vec<[u16; 2]>,
}

/// Into how many pieces what was found is cut at most, and how long they are at least.
const PIECES_MAX: usize = 16;
const PIECE_LEAST: usize = 2048;

impl Sorted {
    /// Room for so many bodies and pairs.
    pub fn new(bodies: usize, pairs: usize) -> Sorted {
        let chunks = bodies.div_ceil(BODIES_CHUNK);
        Sorted {
            tallies: alloc::vec![0; chunks * PIECES_MAX],
            spread: (0..pairs).map(|_| AtomicU32::new(0)).collect(),
            ends: alloc::vec![0; chunks],
            pairs: alloc::vec![[0; 2]; pairs],
        }
    }

    /// Sorts pairs, of which no two are the same: first by chunks of slots, each piece of what was found on its own; then within each
    /// chunk. So it does not show in which order they came.
    pub fn sort(&mut self, found: &[[u16; 2]], workers: &dyn Workers) -> &[[u16; 2]] {
        let chunks = self.ends.len();
        if found.is_empty() {
            return &[];
        }
        let piece = PIECE_LEAST.max(found.len().div_ceil(PIECES_MAX));
        let pieces = found.len().div_ceil(piece);
        let piece_of = |number: usize| &found[number * piece..found.len().min((number + 1) * piece)];
        let chunk_of = |pair: &[u16; 2]| usize::from(pair[0]) / BODIES_CHUNK;
        each_chunk(workers, &mut self.tallies[..pieces * chunks], chunks, |at, tallies| {
            tallies.fill(0);
            piece_of(at / chunks).iter().for_each(|pair| tallies[chunk_of(pair)] += 1);
        });
        let mut total = 0;
        for (chunk, end) in self.ends.iter_mut().enumerate() {
            for number in 0..pieces {
                total += core::mem::replace(&mut self.tallies[number * chunks + chunk], total);
            }
            *end = total;
        }
        let spread = &self.spread;
        each_chunk(workers, &mut self.tallies[..pieces * chunks], chunks, |at, places| {
            for pair in piece_of(at / chunks) {
                let place = &mut places[chunk_of(pair)];
                spread[*place as usize].store(u32::from(pair[0]) << 16 | u32::from(pair[1]), Relaxed);
                *place += 1;
            }
        });
        let ends = &self.ends;
        each_run(workers, &mut self.pairs, ends, |chunk, pairs| {
            let start = if chunk == 0 { 0 } else { ends[chunk - 1] as usize };
            sort_chunk(&spread[start..start + pairs.len()], pairs);
        });
        &self.pairs[..found.len()]
    }
}

/// Puts the pairs of a chunk of slots in order: by the first of each in one go, then each one's partners.
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
        let place = &mut starts[first_of(pair)];
        pairs[*place as usize] = [(pair >> 16) as u16, pair as u16];
        *place += 1;
    }
    // Now each start is where the next one's run begins.
    let mut from = 0;
    for end in starts {
        pairs[from..end as usize].sort_unstable();
        from = end as usize;
    }
}
