//! Graph colouring of contacts (greedy): contacts of one colour share no body, so they are solved in parallel.
//!
//! Laws
//! 1. Each contact, in key order, gets the lowest colour that neither of its bodies has. So colours depend on the contacts alone.
//! 2. The contacts of a colour and a kind fill blocks of lanes in key order. A contact beyond the last colour has a block to itself,
//!    and these blocks are solved one after the other.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use jobs::{NONE as NO_BODY, Pairing, each_chunk_of_two};
use state::Workers;

use crate::limits::{COLOURS_MAX, CONTACTS_CHUNK, LANES};

/// The blocks of contacts, by colour: single-point and multi-point ones.
pub struct Colours {
    /// The colours each body has, as bits.
    taken: Vec<u32>,
    /// The colour of each contact; `COLOURS_MAX` beyond the last.
    colour: Vec<u8>,
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

/// The number of blocks of both kinds in each colour.
type BlockCounts = [[u32; 2]; COLOURS_MAX + 1];

impl Colours {
    /// Allocates for this many bodies and contacts.
    pub fn new(solver_bodies: usize, contacts: usize) -> Colours {
        // The last block of a colour may be nearly empty; a contact without a colour has a block to itself.
        let blocks = contacts + COLOURS_MAX;
        let lanes = || Vec::with_capacity(blocks * LANES);
        Colours {
            taken: Vec::with_capacity(solver_bodies),
            colour: Vec::with_capacity(contacts),
            locations: Vec::with_capacity(contacts),
            lanes: [lanes(), lanes()],
            pairing: Pairing::new(blocks, COLOURS_MAX + 1, solver_bodies),
        }
    }

    /// Colours contacts. Each is given by its body indices, or [`NO_BODY`], and by whether it has one point; `None` is not solved.
    pub fn assign(
        &mut self,
        solver_bodies: usize,
        contacts: impl Iterator<Item = Option<([u32; 2], bool)>>,
        ends: impl Fn(u32) -> [u32; 2] + Sync,
        workers: &dyn Workers,
    ) {
        let counts = self.choose_colours(solver_bodies, contacts);
        let blocks = self.fill_lanes(&counts, workers);
        let lanes = &self.lanes;
        self.pairing.make(workers, solver_bodies, (&blocks, true), |kind, block| {
            let mut pairs = [[NO_BODY; LANES]; 2];
            for (lane, contact) in lanes_of(lanes, kind, block).into_iter().enumerate() {
                if contact != NO_CONTACT {
                    [pairs[0][lane], pairs[1][lane]] = ends(contact);
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

    /// Chooses colours, and counts the contacts of each colour and kind. Sequential: each choice depends on those before it.
    fn choose_colours(
        &mut self,
        solver_bodies: usize,
        contacts: impl Iterator<Item = Option<([u32; 2], bool)>>,
    ) -> BlockCounts {
        self.taken.clear();
        self.taken.resize(solver_bodies, 0);
        self.colour.clear();
        self.locations.clear();
        let mut counts = [[0; 2]; COLOURS_MAX + 1];
        for contact in contacts {
            let Some((ends, has_one_point)) = contact else {
                self.colour.push(0);
                self.locations.push(ContactLocation::Unsolved);
                continue;
            };
            let bits = |end: u32| self.taken.get(end as usize).copied().unwrap_or(0);
            let colour = (bits(ends[0]) | bits(ends[1])).trailing_ones() as usize;
            assert!(
                ends[0] != ends[1] || ends[0] == NO_BODY,
                "a contact is between two bodies, and body {} is both",
                ends[0]
            );
            if colour < COLOURS_MAX {
                for end in ends {
                    if let Some(taken) = self.taken.get_mut(end as usize) {
                        debug_assert!(*taken >> colour & 1 == 0, "body {end} is twice in colour {colour}");
                        *taken |= 1 << colour;
                    }
                }
            }
            let count = &mut counts[colour][usize::from(!has_one_point)];
            self.colour.push(colour as u8);
            self.locations.push(if has_one_point {
                ContactLocation::SinglePoint(*count)
            } else {
                ContactLocation::MultiPoint(*count)
            });
            *count += 1;
        }
        counts
    }

    /// Assigns lanes. Returns the number of blocks.
    fn fill_lanes(&mut self, counts: &BlockCounts, workers: &dyn Workers) -> BlockCounts {
        let blocks_of =
            |colour: usize, count: u32| if colour == COLOURS_MAX { count } else { count.div_ceil(LANES as u32) };
        let (mut blocks, mut starts) = ([[0; 2]; COLOURS_MAX + 1], [[0; 2]; COLOURS_MAX + 1]);
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
        let lanes = &self.lanes;
        // Each lane is written by one contact only, so the order does not matter.
        each_chunk_of_two(
            workers,
            (&mut self.locations, &mut self.colour),
            CONTACTS_CHUNK,
            |first, locations, colours| {
                for (index, (location, colour)) in locations.iter_mut().zip(colours).enumerate() {
                    let colour = usize::from(*colour);
                    let (kind, at) = match location {
                        ContactLocation::Unsolved => continue,
                        ContactLocation::SinglePoint(at) => (0, at),
                        ContactLocation::MultiPoint(at) => (1, at),
                    };
                    let start = starts[colour][kind];
                    if colour == COLOURS_MAX {
                        *at = start + *at * LANES as u32;
                        (1..LANES).for_each(|lane| lanes[kind][*at as usize + lane].store(NO_CONTACT, Relaxed));
                    } else {
                        *at += start;
                    }
                    lanes[kind][*at as usize].store((first + index) as u32, Relaxed);
                }
            },
        );
        blocks
    }
}

fn lanes_of(lanes: &[Vec<AtomicU32>; 2], kind: usize, block: usize) -> [u32; LANES] {
    let own = &lanes[kind][block * LANES..(block + 1) * LANES];
    core::array::from_fn(|lane| own[lane].load(Relaxed))
}
