//! Graph colouring of contacts (greedy): contacts of one colour share no body, so they are solved in parallel.
//!
//! Laws
//! 1. Each contact, in key order, gets the lowest colour that neither of its bodies has. So colours depend on the contacts alone.
//! 2. The contacts of a colour and a kind fill blocks of lanes in key order. A contact beyond the last colour has a block to itself,
//!    and these blocks are solved one after the other.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use jobs::{NONE as NO_BODY, Pairing, each_chunk, each_chunk_of_two};
use state::Workers;

use crate::limits::{COLOURS_MAX, CONTACTS_CHUNK, LANES};

/// The blocks of contacts, by colour: single-point and multi-point ones.
pub struct Colours {
    /// The colours each body has, as bits.
    taken: Vec<u32>,
    /// The solver bodies of each contact, or [`NO_BODY`].
    ends: Vec<[u32; 2]>,
    /// The kind of each contact: 0 single-point, 1 multi-point, or [`UNSOLVED`].
    kinds: Vec<u8>,
    /// The colour of each contact; `COLOURS_MAX` beyond the last.
    colour: Vec<u8>,
    /// Counters for each chunk of contacts.
    chunk_counts: Vec<BlockCounts>,
    /// The block and lane of each contact.
    locations: Vec<ContactLocation>,
    /// The contact in each lane of the blocks of both kinds, or [`NO_CONTACT`].
    lanes: [Vec<AtomicU32>; 2],
    /// The bodies in the blocks.
    pairing: Pairing<LANES>,
}

/// Where a contact is solved: block × [`LANES`] + lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactLocation {
    /// Not in a block.
    Unsolved,
    /// In a single-point block.
    SinglePoint(u32),
    /// In a multi-point block.
    MultiPoint(u32),
}

/// A lane without a contact.
pub const NO_CONTACT: u32 = u32::MAX;

/// The kind of a contact that is not solved.
const UNSOLVED: u8 = 2;

/// The number of blocks, or of contacts, of both kinds in each colour.
type BlockCounts = [[u32; 2]; COLOURS_MAX + 1];

const NO_COUNTS: BlockCounts = [[0; 2]; COLOURS_MAX + 1];

impl Colours {
    /// Allocates for this many bodies and contacts.
    pub fn new(solver_bodies: usize, contacts: usize) -> Colours {
        // The last block of a colour may be nearly empty; a contact without a colour has a block to itself.
        let blocks = contacts + COLOURS_MAX;
        let lanes = || Vec::with_capacity(blocks * LANES);
        Colours {
            taken: Vec::with_capacity(solver_bodies),
            ends: Vec::with_capacity(contacts),
            kinds: Vec::with_capacity(contacts),
            colour: Vec::with_capacity(contacts),
            chunk_counts: Vec::with_capacity(contacts.div_ceil(CONTACTS_CHUNK)),
            locations: Vec::with_capacity(contacts),
            lanes: [lanes(), lanes()],
            pairing: Pairing::new(blocks, COLOURS_MAX + 1, solver_bodies),
        }
    }

    /// Colours contacts. Each is given by its body indices, or [`NO_BODY`], and by whether it has one point; `None` is not solved.
    pub fn assign(
        &mut self,
        solver_bodies: usize,
        contacts: usize,
        contact: impl Fn(usize) -> Option<([u32; 2], bool)> + Sync,
        workers: &dyn Workers,
    ) {
        self.list_ends(contacts, contact, workers);
        self.choose_colours(solver_bodies);
        let blocks = self.fill_lanes(workers);
        let (lanes, ends) = (&self.lanes, &self.ends);
        self.pairing.make(workers, solver_bodies, (&blocks, true), |kind, block| {
            let mut pairs = [[NO_BODY; LANES]; 2];
            for (lane, contact) in lanes_of(lanes, kind, block).into_iter().enumerate() {
                if contact != NO_CONTACT {
                    [pairs[0][lane], pairs[1][lane]] = ends[contact as usize];
                }
            }
            pairs
        });
    }

    /// The block and lane of each contact.
    pub fn locations(&self) -> &[ContactLocation] {
        &self.locations
    }

    /// The bodies in the blocks; single-point blocks are kind 0, multi-point blocks kind 1.
    pub fn pairing(&self) -> &Pairing<LANES> {
        &self.pairing
    }

    /// The number of blocks of a kind.
    pub fn blocks(&self, kind: usize) -> usize {
        self.lanes[kind].len() / LANES
    }

    /// The contacts in a block, or [`NO_CONTACT`].
    #[inline]
    pub fn lanes(&self, kind: usize, block: usize) -> [u32; LANES] {
        lanes_of(&self.lanes, kind, block)
    }

    /// Lists the ends and the kind of each contact: few bytes, since the choice of colours is sequential.
    fn list_ends(
        &mut self,
        contacts: usize,
        contact: impl Fn(usize) -> Option<([u32; 2], bool)> + Sync,
        workers: &dyn Workers,
    ) {
        self.ends.resize(contacts, [NO_BODY; 2]);
        self.colour.resize(contacts, 0);
        self.kinds.resize(contacts, UNSOLVED);
        let slices = (&mut self.ends[..], &mut self.kinds[..]);
        each_chunk_of_two(workers, slices, CONTACTS_CHUNK, |first, ends, kinds| {
            for (index, (ends, kind)) in ends.iter_mut().zip(kinds).enumerate() {
                (*ends, *kind) = match contact(first + index) {
                    None => ([NO_BODY; 2], UNSOLVED),
                    Some((ends, has_one_point)) => (ends, u8::from(!has_one_point)),
                };
                assert!(
                    ends[0] != ends[1] || ends[0] == NO_BODY,
                    "a contact is between two bodies, and body {} is both",
                    ends[0]
                );
            }
        });
    }

    /// Chooses colours. Sequential: each choice depends on those before it. Contacts that are not solved have no ends, and so take
    /// no colour from another.
    fn choose_colours(&mut self, solver_bodies: usize) {
        self.taken.clear();
        self.taken.resize(solver_bodies, 0);
        let taken = &mut self.taken[..];
        for (ends, colour) in self.ends.iter().zip(&mut self.colour) {
            let [first, second] = ends.map(|end| end as usize);
            let bits = |end: usize| taken.get(end).copied().unwrap_or(0);
            let lowest = (bits(first) | bits(second)).trailing_ones();
            *colour = lowest as u8;
            // Beyond the last colour there is no bit.
            let bit = 1_u32.checked_shl(lowest).unwrap_or(0);
            for end in [first, second] {
                if let Some(taken) = taken.get_mut(end) {
                    debug_assert!(*taken & bit == 0, "body {end} is twice in colour {lowest}");
                    *taken |= bit;
                }
            }
        }
    }

    /// Counts the contacts of each colour and kind, by chunks, and returns the number of all; the counters of each chunk then say how
    /// many there are in the chunks before it.
    fn count_colours(&mut self, workers: &dyn Workers) -> BlockCounts {
        let chunks = self.colour.len().div_ceil(CONTACTS_CHUNK);
        self.chunk_counts.resize(chunks, NO_COUNTS);
        let (colours, kinds) = (&self.colour, &self.kinds);
        each_chunk(workers, &mut self.chunk_counts, 1, |first, counts| {
            for (chunk, counts) in counts.iter_mut().enumerate() {
                *counts = NO_COUNTS;
                let start = (first + chunk) * CONTACTS_CHUNK;
                let own = start..colours.len().min(start + CONTACTS_CHUNK);
                for (colour, kind) in
                    colours[own.clone()].iter().zip(&kinds[own]).filter(|(_, kind)| **kind != UNSOLVED)
                {
                    counts[usize::from(*colour)][usize::from(*kind)] += 1;
                }
            }
        });
        let mut totals = NO_COUNTS;
        for counts in &mut self.chunk_counts {
            for (total, count) in totals.iter_mut().flatten().zip(counts.iter_mut().flatten()) {
                let before = *total;
                *total += *count;
                *count = before;
            }
        }
        totals
    }

    /// Assigns lanes. Returns the number of blocks.
    fn fill_lanes(&mut self, workers: &dyn Workers) -> BlockCounts {
        let counts = self.count_colours(workers);
        let blocks_of =
            |colour: usize, count: u32| if colour == COLOURS_MAX { count } else { count.div_ceil(LANES as u32) };
        let (mut blocks, mut starts) = (NO_COUNTS, NO_COUNTS);
        for kind in 0..2 {
            let mut total = 0;
            for colour in 0..=COLOURS_MAX {
                blocks[colour][kind] = blocks_of(colour, counts[colour][kind]);
                starts[colour][kind] = total * LANES as u32;
                total += blocks[colour][kind];
            }
            let lanes = &mut self.lanes[kind];
            lanes.resize_with(total as usize * LANES, || AtomicU32::new(NO_CONTACT));
            for colour in 0..COLOURS_MAX {
                let (start, filled) = (starts[colour][kind], counts[colour][kind]);
                let end = start + blocks[colour][kind] * LANES as u32;
                lanes[(start + filled) as usize..end as usize].iter_mut().for_each(|lane| *lane.get_mut() = NO_CONTACT);
            }
        }
        self.locations.resize(self.colour.len(), ContactLocation::Unsolved);
        let (lanes, colours, kinds, chunk_counts) = (&self.lanes, &self.colour, &self.kinds, &self.chunk_counts);
        // Each lane is written by one contact only, so the order does not matter.
        each_chunk(workers, &mut self.locations, CONTACTS_CHUNK, |first, locations| {
            for (chunk, locations) in locations.chunks_mut(CONTACTS_CHUNK).enumerate() {
                let first = first + chunk * CONTACTS_CHUNK;
                let mut next = chunk_counts[first / CONTACTS_CHUNK];
                for (index, location) in locations.iter_mut().enumerate() {
                    let (colour, kind) = (usize::from(colours[first + index]), kinds[first + index]);
                    if kind == UNSOLVED {
                        *location = ContactLocation::Unsolved;
                        continue;
                    }
                    let kind = usize::from(kind);
                    let place = next[colour][kind];
                    next[colour][kind] += 1;
                    let mut at = starts[colour][kind] + place;
                    if colour == COLOURS_MAX {
                        at = starts[colour][kind] + place * LANES as u32;
                        (1..LANES).for_each(|lane| lanes[kind][at as usize + lane].store(NO_CONTACT, Relaxed));
                    }
                    *location =
                        if kind == 0 { ContactLocation::SinglePoint(at) } else { ContactLocation::MultiPoint(at) };
                    lanes[kind][at as usize].store((first + index) as u32, Relaxed);
                }
            }
        });
        blocks
    }
}

fn lanes_of(lanes: &[Vec<AtomicU32>; 2], kind: usize, block: usize) -> [u32; LANES] {
    let own = &lanes[kind][block * LANES..(block + 1) * LANES];
    core::array::from_fn(|lane| own[lane].load(Relaxed))
}
