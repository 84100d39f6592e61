//! The solver: from velocities and contacts to velocities that keep bodies apart, in small steps.
//!
//! | in each sub-step | |
//! |---|---|
//! | forces | velocities change by what pulls and turns |
//! | warm | what the impulses of the last sub-step (at first: of the last step) did, as a first guess |
//! | solve | hold apart, with overlap pushed out softly |
//! | move | bodies move and turn by their velocities |
//! | relax | hold apart without pushing, so that what pushed adds no speed, and rub; blows are given back |
//!
//! Laws
//! 1. Contacts are worked on colour by colour, and within a colour no body is in two. So it does not matter who works on which.
//! 2. Friction works in the second look only: in the first it would hold on to what only pushes overlap out.
//! 3. Whoever is in a crowd (others overlap with it so deeply that they would push, added up, faster than overlap may be pushed out)
//!    is made no faster than that, or than the fastest that it touches: what they push one another adds up along them, and one look
//!    takes too little of it back.

pub mod together;

pub mod block;

pub mod joints;

use alloc::vec::Vec;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use base::Vec3;
use base::number::{max, min};
use state::Workers;
use state::share::pairing::{Blocks, Portions, ROUNDS_MAX, Round, RoundWork};
use state::share::{PairWork, Pairs, each_chunk};

use crate::colours::{Colours, NO_CONTACT, Place};
use crate::contact::Contact;
use crate::limits::{BLOCKS_CHUNK, BODIES_CHUNK, COLOURS_MAX, LANES, POINTS_MAX, SIZE_LEAST};
use crate::mover::{Motion, Mover, row, turned, vector};
use crate::settings::Settings;
use crate::sketch::{Sketch, Sketches};
use crate::touching::Narrow;
use block::{Block, Pace, Stiffness};
use joints::Joints;
use joints::footing::Footings;
use together::FACTORS;

/// The solver's room to work in.
pub struct Solver {
    colours: Colours,
    ones: Vec<Block<1, 1>>,
    many: Vec<Block<POINTS_MAX, FACTORS>>,
    /// Contacts that are worked out with the joints of their bodies.
    footings: Footings,
    /// Which movers something will touch within the step.
    held: Vec<bool>,
    /// What is done next, without anything else in between.
    rounds: Vec<Round<Deed>>,
}

/// How often those that met in a sub-step are looked at again.
const BOUNCE_LOOKS: u32 = 3;

/// What pushes at a body more slowly than this part of how fast it may makes no crowd.
const CROWD_LEAST: f32 = 0.125;

/// Fewer blocks than this are done by one: to share them would cost more.
const ALONE_BLOCKS: usize = 2 * BLOCKS_CHUNK;

/// How many blocks one job prepares at least, and how many jobs do it at most: each has a part of every colour.
const PREPARED_CHUNK: usize = 16;
const PREPARED_JOBS: usize = 64;

/// How much one job does.
const PORTIONS: Portions = Portions { elements: BODIES_CHUNK, blocks: BLOCKS_CHUNK, blocks_alone: ALONE_BLOCKS };

/// What is done to all movers, or to all contacts of a colour: see the table above.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Pull { is_first: bool },
    Warm,
    WarmJoined,
    Solve,
    Go,
    Relax { colour: u32 },
    Bounce { is_last: bool },
}

impl Solver {
    /// Room for so many bodies, contacts and joints.
    pub fn new(bodies: usize, contacts: usize, joints: usize) -> Solver {
        let blocks = contacts + COLOURS_MAX;
        Solver {
            colours: Colours::new(bodies, contacts),
            ones: Vec::with_capacity(blocks),
            many: Vec::with_capacity(blocks),
            footings: Footings::new(bodies, contacts, joints),
            held: Vec::with_capacity(bodies),
            rounds: Vec::with_capacity(ROUNDS_MAX),
        }
    }

    /// Works a step out: what the movers' motions become.
    pub fn solve(
        &mut self,
        settings: &Settings,
        (narrow, sketches): (&Narrow, &Sketches),
        joints: &mut Joints,
        (movers, motions): (&mut [Mover], &mut [Motion]),
        workers: &dyn Workers,
    ) {
        joints.prepare((narrow, sketches), &mut self.footings, (movers, motions));
        self.prepare((narrow, sketches), movers, workers);
        let is_crowd = hold_back(settings, sketches, movers, motions);
        let seconds = settings.seconds / settings.substeps as f32;
        let work = Substep { pace: Pace::new(settings), seconds, blows: AtomicU64::new(0) };
        for substep in 0..settings.substeps {
            let is_first = substep == 0;
            self.rounds.push(Round::Elements(Deed::Pull { is_first }));
            if !joints.is_empty() {
                self.run(&work, (movers, motions), workers);
                joints.warm(is_first, settings, &mut self.footings, (movers, motions), workers);
            }
            if is_first {
                self.each_colour(|_| Deed::Warm);
            } else if !joints.is_empty() {
                self.each_colour(|_| Deed::WarmJoined);
            }
            self.each_colour(|_| Deed::Solve);
            if !joints.is_empty() {
                self.run(&work, (movers, motions), workers);
                joints.solve(settings, &mut self.footings, (movers, motions), workers);
            }
            self.rounds.push(Round::Elements(Deed::Go));
            if !joints.is_empty() {
                self.run(&work, (movers, motions), workers);
                joints.take_back(&mut self.footings, (movers, motions), workers);
            }
            self.each_colour(|colour| Deed::Relax { colour });
            self.run(&work, (movers, motions), workers);
            for look in 1..=BOUNCE_LOOKS {
                let is_last = look == BOUNCE_LOOKS;
                let blown = (0..=COLOURS_MAX as u32).filter(|colour| work.blows.load(Relaxed) >> colour & 1 == 1);
                self.rounds.extend(blown.map(|colour| Round::Colour(colour, Deed::Bounce { is_last })));
            }
            work.blows.store(0, Relaxed);
            self.run(&work, (movers, motions), workers);
            joints.relax(settings, (&mut self.footings, BOUNCE_LOOKS), (movers, motions), workers);
        }
        if is_crowd {
            movers.iter().zip(motions).for_each(|(mover, motion)| limit(mover, motion));
        }
    }

    /// Writes into a contact what is remembered of it.
    pub fn remember(&self, index: usize, contact: &mut Contact) {
        if let Some(footing) = self.footings.of(index) {
            return footing.remember(contact);
        }
        match self.colours.places()[index] {
            Place::Nowhere => {}
            Place::One(at) => self.ones[at as usize / LANES].remember(at as usize % LANES, contact),
            Place::Many(at) => self.many[at as usize / LANES].remember(at as usize % LANES, contact),
        }
    }

    /// What held a contact apart in this step, in newton seconds.
    pub fn total(&self, index: usize) -> f32 {
        if let Some(footing) = self.footings.of(index) {
            return footing.total();
        }
        match self.colours.places()[index] {
            Place::Nowhere => 0.0,
            Place::One(at) => self.ones[at as usize / LANES].total(at as usize % LANES),
            Place::Many(at) => self.many[at as usize / LANES].total(at as usize % LANES),
        }
    }

    fn prepare(&mut self, (narrow, sketches): (&Narrow, &Sketches), movers: &mut [Mover], workers: &dyn Workers) {
        let (held, footings, sketches) = (&mut self.held, &self.footings, sketches.as_slice());
        held.clear();
        held.resize(movers.len(), false);
        let solved = sketches.iter().enumerate().map(|(index, sketch)| {
            if sketch.is_solved() && sketch.is_active() {
                for mover in sketch.movers {
                    if let Some(is_held) = held.get_mut(mover as usize) {
                        *is_held = true;
                    }
                }
            }
            (sketch.is_solved() && footings.of(index).is_none()).then(|| (sketch.movers, sketch.has_one_point()))
        });
        self.colours.paint(movers.len(), solved, |index| sketches[index as usize].movers, workers);
        each_chunk(workers, movers, BODIES_CHUNK, |first, movers| {
            movers.iter_mut().zip(&held[first..]).for_each(|(mover, is_held)| mover.is_free &= !is_held);
        });
        let (colours, movers) = (&self.colours, &*movers);
        self.ones.resize(colours.blocks(0), Block::NOTHING);
        self.many.resize(colours.blocks(1), Block::NOTHING);
        let jobs = (self.ones.len() + self.many.len()).div_ceil(PREPARED_CHUNK).min(PREPARED_JOBS);
        let first = |start: usize, blocks: &mut [Block<1, 1>]| prepare(blocks, 0, start, colours, (narrow, movers));
        let second = |start: usize, blocks: &mut [Block<POINTS_MAX, FACTORS>]| {
            prepare(blocks, 1, start, colours, (narrow, movers));
        };
        let blocks = (&mut self.ones[..], &mut self.many[..]);
        colours.pairing().each_block((workers, jobs), blocks, (first, second));
    }

    /// Does this to all contacts, colour by colour.
    fn each_colour(&mut self, deed: impl Fn(u32) -> Deed) {
        let pairing = self.colours.pairing();
        let colours = (0..pairing.colours() as u32).filter(|colour| !pairing.is_empty(*colour as usize));
        self.rounds.extend(colours.map(|colour| Round::Colour(colour, deed(colour))));
    }

    /// Does all that was put off.
    fn run(&mut self, work: &Substep, (movers, motions): (&mut [Mover], &mut [Motion]), workers: &dyn Workers) {
        let blocks = (&mut self.ones[..], &mut self.many[..]);
        let pairing = self.colours.pairing();
        pairing.each_round((workers, PORTIONS), &self.rounds, (movers, motions), blocks, work);
        self.rounds.clear();
    }
}

/// Prepares blocks of one kind, the first of which has this number.
fn prepare<const POINTS: usize, const FACTORS: usize>(
    blocks: &mut [Block<POINTS, FACTORS>],
    kind: usize,
    start: usize,
    colours: &Colours,
    (narrow, movers): (&Narrow, &[Mover]),
) {
    for (index, block) in blocks.iter_mut().enumerate() {
        let contact = |index: u32| (index != NO_CONTACT).then(|| narrow.get(index as usize));
        block.prepare(colours.lanes(kind, start + index).map(contact), movers);
    }
}

/// What is done in each sub-step.
struct Substep {
    pace: Pace,
    seconds: f32,
    /// In which colours something met: a bit for each.
    blows: AtomicU64,
}

impl RoundWork<LANES> for Substep {
    type Element = Motion;
    type Owner = Mover;
    type First = Block<1, 1>;
    type Second = Block<POINTS_MAX, FACTORS>;
    type What = Deed;

    fn elements(&self, deed: Deed, movers: &mut [Mover], motions: &mut [Motion]) {
        let each = movers.iter_mut().zip(motions);
        match deed {
            Deed::Pull { is_first } => each.for_each(|(mover, motion)| pull(mover, motion, is_first, self.seconds)),
            _ => each.for_each(|(mover, motion)| go(mover, motion, self.seconds)),
        }
    }

    fn first(&self, deed: Deed, blocks: Blocks<'_, Block<1, 1>, Motion, LANES>) {
        self.pairs(deed, blocks);
    }

    fn second(&self, deed: Deed, blocks: Blocks<'_, Block<POINTS_MAX, FACTORS>, Motion, LANES>) {
        self.pairs(deed, blocks);
    }
}

impl Substep {
    fn pairs<const POINTS: usize, const FACTORS: usize>(
        &self,
        deed: Deed,
        blocks: Blocks<'_, Block<POINTS, FACTORS>, Motion, LANES>,
    ) {
        let pace = self.pace;
        match deed {
            Deed::Warm => blocks.each(&Warm),
            Deed::WarmJoined => blocks.each(&WarmJoined),
            Deed::Solve => blocks.each(&Solve { pace }),
            Deed::Relax { colour } => blocks.each(&Relax { pace, colour, blows: &self.blows }),
            Deed::Bounce { is_last } => blocks.each(&Bounce { pace, is_last }),
            Deed::Pull { .. } | Deed::Go => {}
        }
    }
}

/// What is done to all blocks, one after the other: see the table above.
struct Warm;
struct WarmJoined;
struct Solve {
    pace: Pace,
}
struct Relax<'a> {
    pace: Pace,
    colour: u32,
    blows: &'a AtomicU64,
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

impl<const POINTS: usize, const FACTORS: usize> PairWork<Block<POINTS, FACTORS>, Motion, LANES> for Relax<'_> {
    #[inline(always)]
    fn work(&self, block: &mut Block<POINTS, FACTORS>, pairs: &mut Pairs<'_, Motion, LANES>) {
        block.relax(pairs, &self.pace);
        // Looked at before it is set, so that cores do not take it from one another.
        if block.has_blow() && self.blows.load(Relaxed) >> self.colour & 1 == 0 {
            self.blows.fetch_or(1 << self.colour, Relaxed);
        }
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

const _: () = assert!(2 + (COLOURS_MAX + 1) * (3 + BOUNCE_LOOKS as usize) <= ROUNDS_MAX, "a sub-step is run in one go");

/// Says how fast those may become that are in a crowd: as fast as any that they touch. False if there is none.
fn hold_back(settings: &Settings, sketches: &Sketches, movers: &mut [Mover], motions: &[Motion]) -> bool {
    let (rate, most) = (Pace::new(settings).soft.bias_rate, settings.push_speed_max);
    let deep = |sketch: &&Sketch| sketch.is_solved() && sketch.is_active() && sketch.depth * rate > CROWD_LEAST * most;
    let mut is_any = false;
    for sketch in sketches.as_slice().iter().filter(deep) {
        for mover in sketch.movers {
            if let Some(mover) = movers.get_mut(mover as usize) {
                mover.crowded += min(sketch.depth * rate, most);
            }
        }
        is_any = true;
    }
    if !is_any {
        return false;
    }
    let is_crowded = |mover: &Mover| mover.crowded > most;
    let speed =
        |mover: &Mover, motion: &Motion| motion.velocity().length() + mover.acceleration.length() * settings.seconds;
    for (mover, motion) in movers.iter_mut().zip(motions).filter(|(mover, _)| is_crowded(mover)) {
        mover.speed_most = max(speed(mover, motion), most);
    }
    for [first, second] in sketches.as_slice().iter().map(|sketch| sketch.movers) {
        for (one, other) in [(first, second), (second, first)] {
            let Some(motion) = motions.get(other as usize) else { continue };
            if let Some(mover) = movers.get_mut(one as usize).filter(|mover| is_crowded(mover)) {
                mover.speed_most = max(mover.speed_most, speed(mover, motion));
            }
        }
    }
    true
}

/// Takes away what is too fast of one in a crowd.
fn limit(mover: &Mover, motion: &mut Motion) {
    if mover.speed_most < f32::INFINITY {
        motion.velocity = row(motion.velocity().limit_length(mover.speed_most));
        motion.spin = row(motion.spin().limit_length(mover.speed_most / max(mover.reach, SIZE_LEAST)));
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
    limit(mover, motion);
    let (velocity, spin) = (motion.velocity(), motion.spin());
    // What nothing holds falls as if time were not cut up: by half of what it has gained less than by all of it.
    let held = if mover.is_free { mover.acceleration * (0.5 * seconds * seconds) } else { Vec3::ZERO };
    motion.moved = row(motion.moved() + velocity * seconds - held);
    motion.turned = row(vector(motion.turned) + spin * seconds);
    mover.orientation = turned(mover.orientation, spin, seconds);
}
