//! Colours: contacts that have no body in common may be solved at once.
//!
//! Law: each contact, in the order of keys, gets the first colour that neither of its bodies has yet. So colours follow from the
//! contacts alone.

use alloc::vec::Vec;

use state::share::{NOBODY, Pairing};

use crate::limits::{COLOURS_MAX, LANES};

/// Which contacts are solved together: blocks of lanes, of one or of several points, colour by colour.
pub struct Colours {
    /// The colours each mover has.
    taken: Vec<u32>,
    /// The colour of each contact; `COLOURS_MAX` if none was left.
    colour: Vec<u8>,
    /// The contacts of each colour, one behind the other.
    sorted: Vec<u32>,
    starts: [u32; COLOURS_MAX + 2],
}

impl Colours {
    /// Room for so many movers and contacts.
    pub fn new(movers: usize, contacts: usize) -> Colours {
        Colours {
            taken: Vec::with_capacity(movers),
            colour: Vec::with_capacity(contacts),
            sorted: Vec::with_capacity(contacts),
            starts: [0; COLOURS_MAX + 2],
        }
    }

    /// Colours contacts of so many movers; each is given by its movers, or [`NOBODY`].
    pub fn paint(&mut self, movers: usize, contacts: impl Iterator<Item = [u32; 2]> + Clone) {
        self.taken.clear();
        self.taken.resize(movers, 0);
        self.colour.clear();
        self.starts = [0; COLOURS_MAX + 2];
        for ends in contacts {
            let taken = ends.iter().filter(|end| **end != NOBODY).fold(0, |bits, end| bits | self.taken[*end as usize]);
            let colour = taken.trailing_ones() as usize;
            if colour < COLOURS_MAX {
                for end in ends.iter().filter(|end| **end != NOBODY) {
                    self.taken[*end as usize] |= 1 << colour;
                }
            }
            self.colour.push(colour as u8);
            self.starts[colour + 1] += 1;
        }
        for colour in 0..=COLOURS_MAX {
            self.starts[colour + 1] += self.starts[colour];
        }
        self.sorted.clear();
        self.sorted.resize(self.colour.len(), 0);
        let mut places = self.starts;
        for (index, colour) in self.colour.iter().enumerate() {
            let place = &mut places[usize::from(*colour)];
            self.sorted[*place as usize] = index as u32;
            *place += 1;
        }
    }

    /// The contacts of a colour, in the order of keys. The last, `COLOURS_MAX`, are those for which no colour was left.
    pub fn of(&self, colour: usize) -> &[u32] {
        &self.sorted[self.starts[colour] as usize..self.starts[colour + 1] as usize]
    }
}

/// Puts the contacts of all colours that are meant into blocks of lanes. `place` is told which contact comes where.
pub fn fill_lanes(
    colours: &Colours,
    pairing: &mut Pairing<LANES>,
    movers: usize,
    is_meant: impl Fn(u32) -> bool,
    ends: impl Fn(u32) -> [u32; 2],
    mut place: impl FnMut(usize, usize, u32),
) {
    pairing.begin(movers);
    let mut blocks = 0;
    for colour in 0..=COLOURS_MAX {
        let is_last = colour == COLOURS_MAX;
        if is_last {
            pairing.begin_sequence();
        } else {
            pairing.begin_colour();
        }
        // What has no colour may meet anybody: one lane a block.
        let lanes = if is_last { 1 } else { LANES };
        let mut block = [[NOBODY; LANES]; 2];
        let mut lane = 0;
        for contact in colours.of(colour).iter().copied().filter(|contact| is_meant(*contact)) {
            let [first, second] = ends(contact);
            (block[0][lane], block[1][lane]) = (first, second);
            place(blocks, lane, contact);
            lane += 1;
            if lane == lanes {
                pairing.push(block);
                (block, lane, blocks) = ([[NOBODY; LANES]; 2], 0, blocks + 1);
            }
        }
        if lane > 0 {
            pairing.push(block);
            blocks += 1;
        }
    }
}
