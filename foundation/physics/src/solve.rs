//! The solver: from velocities and contacts to velocities that keep bodies apart, in small steps.
//!
//! | in each sub-step | |
//! |---|---|
//! | forces | velocities change by what pulls and turns |
//! | warm | what the impulses of the last sub-step (at first: of the last step) did, as a first guess |
//! | solve | hold apart and rub, with overlap pushed out softly |
//! | move | bodies move and turn by their velocities |
//! | relax | the same without pushing, so that what pushed adds no speed; blows are given back |
//!
//! Law: contacts are worked on colour by colour, and within a colour no body is in two. So it does not matter who works on which.

pub mod together;

pub mod block;

pub mod joints;

use alloc::vec::Vec;

use base::Vec3;
use base::number::min;
use state::share::{PairWork, Pairing, Pairs, each_chunk, each_chunk_of_two};
use state::{Alone, Workers};

use crate::colours::{Colours, fill_lanes};
use crate::contact::Contact;
use crate::limits::{BLOCKS_CHUNK, BODIES_CHUNK, COLOURS_MAX, LANES, POINTS_MAX};
use crate::mover::{Motion, Mover, row, turned, vector};
use crate::settings::Settings;
use crate::touching::Narrow;
use block::{Block, Pace, Stiffness};
use joints::Joints;
use together::FACTORS;

/// The solver's room to work in.
pub struct Solver {
    colours: Colours,
    ones: Blocks<1, 1>,
    many: Blocks<POINTS_MAX, FACTORS>,
    /// Where each contact is solved: the block times the lanes plus the lane, and whether that is among those of one point.
    places: Vec<Place>,
}

/// All blocks of contacts with up to so many points.
struct Blocks<const POINTS: usize, const FACTORS: usize> {
    pairing: Pairing<LANES>,
    lanes: Vec<[u32; LANES]>,
    blocks: Vec<Block<POINTS, FACTORS>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Nowhere,
    One(u32),
    Many(u32),
}

/// A lane without a contact.
const NO_CONTACT: u32 = u32::MAX;

/// How often those that met in a sub-step are looked at again.
const BOUNCE_LOOKS: u32 = 3;

/// Fewer blocks than this are done by one: to share them would cost more.
const ALONE_BLOCKS: usize = 2 * BLOCKS_CHUNK;

impl Solver {
    /// Room for so many bodies and contacts.
    pub fn new(bodies: usize, contacts: usize) -> Solver {
        Solver {
            colours: Colours::new(bodies, contacts),
            ones: Blocks::new(bodies, contacts),
            many: Blocks::new(bodies, contacts),
            places: Vec::with_capacity(contacts),
        }
    }

    /// Works a step out: what the movers' motions become.
    pub fn solve(
        &mut self,
        settings: &Settings,
        narrow: &Narrow,
        joints: &mut Joints,
        (movers, motions): (&mut [Mover], &mut [Motion]),
        workers: &dyn Workers,
    ) {
        joints.prepare(narrow, movers, motions);
        let pace = Pace::new(settings);
        self.prepare(settings, narrow, movers, workers);
        let seconds = settings.seconds / settings.substeps as f32;
        for substep in 0..settings.substeps {
            let is_first = substep == 0;
            each_chunk_of_two(workers, (movers, motions), BODIES_CHUNK, |_, movers, motions| {
                movers.iter().zip(motions).for_each(|(mover, motion)| pull(mover, motion, is_first, seconds));
            });
            joints.warm(is_first, settings, (movers, motions), workers);
            if is_first {
                self.each(workers, motions, &Warm);
            } else if !joints.is_empty() {
                self.each(workers, motions, &WarmJoined);
            }
            self.each(workers, motions, &Solve { pace });
            joints.solve(settings, (movers, motions), workers);
            each_chunk_of_two(workers, (movers, motions), BODIES_CHUNK, |_, movers, motions| {
                movers.iter_mut().zip(motions).for_each(|(mover, motion)| go(mover, motion, seconds));
            });
            self.each(workers, motions, &Relax { pace });
            for look in 1..=BOUNCE_LOOKS {
                let is_last = look == BOUNCE_LOOKS;
                self.each(workers, motions, &Bounce { pace, is_last });
            }
            joints.relax(settings, (movers, motions), workers);
        }
    }

    /// Writes into a contact what is remembered of it.
    pub fn remember(&self, index: usize, contact: &mut Contact) {
        match self.places[index] {
            Place::Nowhere => {}
            Place::One(at) => self.ones.blocks[at as usize / LANES].remember(at as usize % LANES, contact),
            Place::Many(at) => self.many.blocks[at as usize / LANES].remember(at as usize % LANES, contact),
        }
    }

    /// What held a contact apart in this step, in newton seconds.
    pub fn total(&self, index: usize) -> f32 {
        match self.places[index] {
            Place::Nowhere => 0.0,
            Place::One(at) => self.ones.blocks[at as usize / LANES].total(at as usize % LANES),
            Place::Many(at) => self.many.blocks[at as usize / LANES].total(at as usize % LANES),
        }
    }

    fn prepare(&mut self, settings: &Settings, narrow: &Narrow, movers: &mut [Mover], workers: &dyn Workers) {
        let is_solved = |index: u32| {
            let touching = narrow.get(index as usize);
            let nearest = touching.separations[..touching.contact.count()].iter().copied().fold(f32::INFINITY, min);
            !touching.is_trigger && (touching.is_active || nearest <= settings.margin)
        };
        self.places.clear();
        for index in 0..narrow.count() as u32 {
            let place = match is_solved(index) {
                false => Place::Nowhere,
                true if narrow.get(index as usize).contact.count() == 1 => Place::One(0),
                true => Place::Many(0),
            };
            self.places.push(place);
            let touching = narrow.get(index as usize);
            if place != Place::Nowhere && touching.is_active {
                for mover in touching.movers {
                    if let Some(mover) = movers.get_mut(mover as usize) {
                        mover.is_free = false;
                    }
                }
            }
        }
        let places = &mut self.places;
        let ends = |index: u32| narrow.get(index as usize).movers;
        let none = [state::share::NOBODY; 2];
        let solved = (0..narrow.count() as u32)
            .map(|index| if places[index as usize] == Place::Nowhere { none } else { ends(index) });
        self.colours.paint(movers.len(), solved);
        let is_one = |index: u32, places: &[Place]| matches!(places[index as usize], Place::One(_));
        let is_many = |index: u32, places: &[Place]| matches!(places[index as usize], Place::Many(_));
        let before = &*places;
        self.ones.fill(&self.colours, movers.len(), |index| is_one(index, before), ends);
        self.many.fill(&self.colours, movers.len(), |index| is_many(index, before), ends);
        self.ones.each_place(|contact, at| places[contact as usize] = Place::One(at));
        self.many.each_place(|contact, at| places[contact as usize] = Place::Many(at));
        self.ones.prepare(narrow, movers, workers);
        self.many.prepare(narrow, movers, workers);
    }

    fn each(
        &mut self,
        workers: &dyn Workers,
        motions: &mut [Motion],
        work: &(impl PairWork<Block<1, 1>, Motion, LANES> + PairWork<Block<POINTS_MAX, FACTORS>, Motion, LANES>),
    ) {
        for colour in 0..=COLOURS_MAX {
            self.ones.each(workers, colour, motions, work);
            self.many.each(workers, colour, motions, work);
        }
    }
}

impl<const POINTS: usize, const FACTORS: usize> Blocks<POINTS, FACTORS> {
    fn new(bodies: usize, contacts: usize) -> Self {
        // In each colour the last block may be nearly empty; what has no colour has a block of its own.
        let blocks = contacts + COLOURS_MAX;
        Blocks {
            pairing: Pairing::new(blocks, COLOURS_MAX + 1, bodies),
            lanes: Vec::with_capacity(blocks),
            blocks: Vec::with_capacity(blocks),
        }
    }

    fn fill(
        &mut self,
        colours: &Colours,
        movers: usize,
        is_meant: impl Fn(u32) -> bool,
        ends: impl Fn(u32) -> [u32; 2],
    ) {
        let lanes = &mut self.lanes;
        lanes.clear();
        fill_lanes(colours, &mut self.pairing, movers, is_meant, ends, |block, lane, contact| {
            if block == lanes.len() {
                lanes.push([NO_CONTACT; LANES]);
            }
            lanes[block][lane] = contact;
        });
    }

    /// Tells where each contact is solved.
    fn each_place(&self, mut tell: impl FnMut(u32, u32)) {
        for (block, lanes) in self.lanes.iter().enumerate() {
            for (lane, contact) in lanes.iter().enumerate().filter(|(_, contact)| **contact != NO_CONTACT) {
                tell(*contact, (block * LANES + lane) as u32);
            }
        }
    }

    fn prepare(&mut self, narrow: &Narrow, movers: &[Mover], workers: &dyn Workers) {
        let lanes = &self.lanes;
        self.blocks.resize(lanes.len(), Block::NOTHING);
        each_chunk(workers, &mut self.blocks, BLOCKS_CHUNK, |first, blocks| {
            for (block, lanes) in blocks.iter_mut().zip(&lanes[first..]) {
                let contact = |index: u32| (index != NO_CONTACT).then(|| narrow.get(index as usize));
                block.prepare(lanes.map(contact), movers);
            }
        });
    }

    #[inline]
    fn each(
        &mut self,
        workers: &dyn Workers,
        colour: usize,
        motions: &mut [Motion],
        work: &impl PairWork<Block<POINTS, FACTORS>, Motion, LANES>,
    ) {
        let count = self.pairing.blocks_of(colour).len();
        if count == 0 {
            return;
        }
        let workers = if count < ALONE_BLOCKS { &Alone } else { workers };
        self.pairing.each((workers, BLOCKS_CHUNK), colour, (motions, &mut self.blocks), work);
    }
}

/// What is done to all blocks, one after the other: see the table above.
struct Warm;
struct WarmJoined;
struct Solve {
    pace: Pace,
}
struct Relax {
    pace: Pace,
}
struct Bounce {
    pace: Pace,
    is_last: bool,
}

impl<const POINTS: usize, const FACTORS: usize> PairWork<Block<POINTS, FACTORS>, Motion, LANES> for Warm {
    #[inline(always)]
    fn work(&self, block: &mut Block<POINTS, FACTORS>, pairs: &mut Pairs<'_, Motion, LANES>) {
        block.warm(pairs);
    }
}

impl<const POINTS: usize, const FACTORS: usize> PairWork<Block<POINTS, FACTORS>, Motion, LANES> for WarmJoined {
    #[inline(always)]
    fn work(&self, block: &mut Block<POINTS, FACTORS>, pairs: &mut Pairs<'_, Motion, LANES>) {
        block.warm_joined(pairs);
    }
}

impl<const POINTS: usize, const FACTORS: usize> PairWork<Block<POINTS, FACTORS>, Motion, LANES> for Solve {
    #[inline(always)]
    fn work(&self, block: &mut Block<POINTS, FACTORS>, pairs: &mut Pairs<'_, Motion, LANES>) {
        block.solve(pairs, &self.pace);
    }
}

impl<const POINTS: usize, const FACTORS: usize> PairWork<Block<POINTS, FACTORS>, Motion, LANES> for Relax {
    #[inline(always)]
    fn work(&self, block: &mut Block<POINTS, FACTORS>, pairs: &mut Pairs<'_, Motion, LANES>) {
        block.relax(pairs, &self.pace);
    }
}

impl<const POINTS: usize, const FACTORS: usize> PairWork<Block<POINTS, FACTORS>, Motion, LANES> for Bounce {
    #[inline(always)]
    fn work(&self, block: &mut Block<POINTS, FACTORS>, pairs: &mut Pairs<'_, Motion, LANES>) {
        block.bounce(pairs, &self.pace, self.is_last);
    }
}

impl Pace {
    fn new(settings: &Settings) -> Pace {
        let seconds = settings.seconds / settings.substeps as f32;
        let hertz = min(settings.contact_hertz, 0.25 / seconds);
        Pace {
            rate: 1.0 / seconds,
            push_speed_max: settings.push_speed_max,
            soft: Stiffness::new(hertz, settings.contact_damping, seconds),
            hard: Stiffness::new(2.0 * hertz, settings.contact_damping, seconds),
        }
    }
}

/// Forces and torques change velocities, and what impulses did in the last sub-step they are expected to do again. That is all that
/// has changed since: nobody has to go through the contacts for it.
fn pull(mover: &Mover, motion: &mut Motion, is_first: bool, seconds: f32) {
    let (velocity, spin) = (motion.velocity(), motion.spin());
    // Joints turn with their bodies: what they did in the last sub-step they do along other axes in the next.
    let is_anew = is_first || mover.is_joined;
    let warm =
        if is_anew { [Vec3::ZERO; 2] } else { [velocity - vector(motion.pulled), spin - vector(motion.pulled_spin)] };
    let velocity = (velocity + mover.acceleration * seconds) * mover.damping;
    let spin = (spin + mover.spin_acceleration * seconds) * mover.spin_damping;
    let spin = if mover.inertia == Vec3::ZERO { spin } else { mover.precess(spin, seconds) };
    (motion.pulled, motion.pulled_spin) = (row(velocity), row(spin));
    (motion.velocity, motion.spin) = (row(velocity + warm[0]), row(spin + warm[1]));
}

/// Bodies move by their velocities.
fn go(mover: &mut Mover, motion: &mut Motion, seconds: f32) {
    let (velocity, spin) = (motion.velocity(), motion.spin());
    // What nothing holds falls as if time were not cut up: by half of what it has gained less than by all of it.
    let held = if mover.is_free { mover.acceleration * (0.5 * seconds * seconds) } else { Vec3::ZERO };
    motion.moved = row(motion.moved() + velocity * seconds - held);
    motion.turned = row(vector(motion.turned) + spin * seconds);
    mover.orientation = turned(mover.orientation, spin, seconds);
}
