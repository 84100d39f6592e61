//! Colours: contacts that have no body in common may be solved at once.
//!
//! Laws
//! 1. Each contact, in the order of keys, gets the first colour that neither of its bodies has yet. So colours follow from the
//!    contacts alone.
//! 2. The contacts of a colour and a kind, in the order of keys, fill blocks of lanes. What finds no colour has a block of its own.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use state::Workers;
use state::share::{NOBODY, Pairing, each_chunk_of_two};

use crate::limits::{COLOURS_MAX, CONTACTS_CHUNK, LANES};

/// Which contacts are solved together: blocks of lanes, of one or of several points, colour by colour.
pub struct Colours {
    /// The colours each mover has.
    taken: Vec<u32>,
    /// The colour of each contact; `COLOURS_MAX` if none was left.
    colour: Vec<u8>,
    /// Where each contact is solved.
    places: Vec<Place>,
    /// The contact in each lane of each block, of both kinds, or [`NO_CONTACT`].
    lanes: [Vec<AtomicU32>; 2],
    /// The movers in the blocks.
    pairing: Pairing<LANES>,
}

/// Where a contact is solved: the block times the lanes plus the lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Not at all.
    Nowhere,
    /// Among those of one point.
    One(u32),
    /// Among those of several.
    Many(u32),
}

/// A lane without a contact.
pub const NO_CONTACT: u32 = u32::MAX;

/// How many blocks of both kinds each colour has.
type Counts = [[u32; 2]; COLOURS_MAX + 1];

impl Colours {
    /// Room for so many movers and contacts.
    pub fn new(movers: usize, contacts: usize) -> Colours {
        // In each colour the last block may be nearly empty; what has no colour has a block of its own.
        let blocks = contacts + COLOURS_MAX;
        let lanes = || Vec::with_capacity(blocks * LANES);
        Colours {
            taken: Vec::with_capacity(movers),
            colour: Vec::with_capacity(contacts),
            places: Vec::with_capacity(contacts),
            lanes: [lanes(), lanes()],
            pairing: Pairing::new(blocks, COLOURS_MAX + 1, movers),
        }
    }

    /// Colours contacts of so many movers; each is given by its movers, or [`NOBODY`], and by whether it has one point. Some are not
    /// solved at all.
    pub fn paint(
        &mut self,
        movers: usize,
        contacts: impl Iterator<Item = Option<([u32; 2], bool)>>,
        ends: impl Fn(u32) -> [u32; 2] + Sync,
        workers: &dyn Workers,
    ) {
        let counts = self.choose(movers, contacts);
        let blocks = self.fill_lanes(&counts, workers);
        let lanes = &self.lanes;
        self.pairing.make(workers, movers, (&blocks, true), |kind, block| {
            let mut pairs = [[NOBODY; LANES]; 2];
            for (lane, contact) in lanes_of(lanes, kind, block).into_iter().enumerate() {
                if contact != NO_CONTACT {
                    [pairs[0][lane], pairs[1][lane]] = ends(contact);
                }
            }
            pairs
        });
    }

    /// Where each contact is solved.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The movers in the blocks; those of one point are of the kind 0, the others of the kind 1.
    pub fn pairing(&self) -> &Pairing<LANES> {
        &self.pairing
    }

    /// How many blocks there are of a kind.
    pub fn blocks(&self, kind: usize) -> usize {
        self.lanes[kind].len() / LANES
    }

    /// The contacts in a block, or [`NO_CONTACT`].
    #[inline]
    pub fn lanes(&self, kind: usize, block: usize) -> [u32; LANES] {
        lanes_of(&self.lanes, kind, block)
    }

    /// Chooses the colours, and counts the contacts of each kind in each. Each is given its number among these. Only one can do it,
    /// since each choice follows from those before it.
    fn choose(&mut self, movers: usize, contacts: impl Iterator<Item = Option<([u32; 2], bool)>>) -> Counts {
        self.taken.clear();
        self.taken.resize(movers, 0);
        self.colour.clear();
        self.places.clear();
        let mut counts = [[0; 2]; COLOURS_MAX + 1];
        for contact in contacts {
            let Some((ends, is_one)) = contact else {
                self.colour.push(0);
                self.places.push(Place::Nowhere);
                continue;
            };
            let bits = |end: u32| self.taken.get(end as usize).copied().unwrap_or(0);
            let colour = (bits(ends[0]) | bits(ends[1])).trailing_ones() as usize;
            if colour < COLOURS_MAX {
                for end in ends {
                    if let Some(taken) = self.taken.get_mut(end as usize) {
                        *taken |= 1 << colour;
                    }
                }
            }
            let count = &mut counts[colour][usize::from(!is_one)];
            self.colour.push(colour as u8);
            self.places.push(if is_one { Place::One(*count) } else { Place::Many(*count) });
            *count += 1;
        }
        counts
    }

    /// Puts all contacts into the lanes of blocks. Gives back how many blocks there are.
    fn fill_lanes(&mut self, counts: &Counts, workers: &dyn Workers) -> Counts {
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
        // Each lane is filled by one contact, so it does not matter who comes first.
        each_chunk_of_two(workers, (&mut self.places, &mut self.colour), CONTACTS_CHUNK, |first, places, colours| {
            for (index, (place, colour)) in places.iter_mut().zip(colours).enumerate() {
                let colour = usize::from(*colour);
                let (kind, at) = match place {
                    Place::Nowhere => continue,
                    Place::One(at) => (0, at),
                    Place::Many(at) => (1, at),
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
        });
        blocks
    }
}

fn lanes_of(lanes: &[Vec<AtomicU32>; 2], kind: usize, block: usize) -> [u32; LANES] {
    let own = &lanes[kind][block * LANES..(block + 1) * LANES];
    core::array::from_fn(|lane| own[lane].load(Relaxed))
}
