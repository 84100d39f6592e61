//! The room a step is worked out in. Nothing in it outlives a step that could change a result: what was made of those that rest is
//! thrown away as soon as one of them is not where it was, and the lists of who may come near whom are only where pairs are looked
//! for (see `near`).

mod gather;
mod merge;
mod rest;
mod wake;
mod write;

use alloc::vec::Vec;
use core::sync::atomic::AtomicU32;

use base::number::min;
use state::share::NOBODY;
use state::{Workers, World};

use crate::broad::Broad;
use crate::contact::{Contact, Touch};
use crate::fast::{Fast, Ground};
use crate::islands::Islands;
use crate::limits::{BODIES_CHUNK, PULLS_MAX};
use crate::mover::{Motion, Mover};
use crate::parts::{Capacities, Parts};
use crate::pull::Pull;
use crate::settings::Settings;
use crate::shapes::Shapes;
use crate::sketch::Sketches;
use crate::solve::Solver;
use crate::solve::joints::Joints;
use crate::touching::{Look, Narrow, Side};
use gather::Resting;
use merge::Change;

/// Room for one step.
pub struct Room {
    /// Which slot is which mover, or [`NOBODY`].
    places: Vec<u32>,
    movers: Vec<Mover>,
    motions: Vec<Motion>,
    /// What a look at a pair needs of each mover.
    sides: Vec<Side>,
    /// What pulls.
    pulls: Vec<Pull>,
    sleepers: Vec<bool>,
    /// What the proxies of those that rest were made from.
    resting: Vec<Resting>,
    /// Those whose body is not sound.
    unsound: Vec<u16>,
    broad: Broad,
    narrow: Narrow,
    sketches: Sketches,
    solver: Solver,
    fast: Fast,
    joints: Joints,
    islands: Islands,
    /// The contacts of the last step.
    old: Vec<Contact>,
    /// Which contacts are written: the new ones by their index, old ones with the upper bit.
    written: Vec<u32>,
    /// Which pairs somebody has to be told of, or woken for.
    changes: Vec<Change>,
    /// Of each chunk of slots how many of two things there are, and where they end.
    tallies: Vec<[AtomicU32; 2]>,
    ends: Vec<[u32; 2]>,
    runs: Vec<u32>,
    touches: Vec<Touch>,
    /// Who is woken: a bit for each slot.
    woken: Vec<u64>,
    touches_refused: u64,
    are_pairs_complete: bool,
    contacts_refused: u32,
    /// Whether some body may be asleep.
    is_any_asleep: bool,
}

/// So far in what nobody can move, as a part of how far its middle is from its surface, is deep. Who is not followed goes no farther
/// than half of that in a step.
const DEEP: f32 = 0.25;

impl Room {
    /// Room for so much.
    pub fn new(capacities: Capacities) -> Room {
        let (bodies, contacts) = (capacities.bodies as usize, capacities.contacts as usize);
        let (pairs, chunks) = (capacities.pairs as usize, bodies.div_ceil(BODIES_CHUNK));
        Room {
            places: alloc::vec![NOBODY; bodies],
            movers: Vec::with_capacity(bodies),
            motions: Vec::with_capacity(bodies),
            sides: Vec::with_capacity(bodies),
            pulls: Vec::with_capacity(PULLS_MAX),
            sleepers: Vec::with_capacity(bodies),
            resting: Vec::with_capacity(bodies),
            unsound: Vec::with_capacity(bodies),
            broad: Broad::new(bodies, pairs),
            narrow: Narrow::new(pairs, contacts),
            sketches: Sketches::with_capacity(contacts),
            solver: Solver::new(bodies, contacts, capacities.joints as usize),
            fast: Fast::new(bodies),
            joints: Joints::new(capacities),
            islands: Islands::with_capacity(bodies),
            old: Vec::with_capacity(contacts),
            written: Vec::with_capacity(contacts * 2),
            changes: Vec::with_capacity(contacts * 2),
            tallies: (0..chunks).map(|_| Default::default()).collect(),
            ends: Vec::with_capacity(chunks),
            runs: Vec::with_capacity(chunks),
            touches: Vec::with_capacity(capacities.touches as usize),
            woken: alloc::vec![0; bodies.div_ceil(64)],
            touches_refused: 0,
            are_pairs_complete: true,
            contacts_refused: 0,
            is_any_asleep: false,
        }
    }

    /// Finds the pairs whose boxes touch.
    pub fn find_pairs(&mut self, workers: &dyn Workers) {
        self.are_pairs_complete = self.broad.find(workers);
        self.broad.leave_out(self.joints.apart());
    }

    /// Finds where they touch.
    pub fn find_touching(
        &mut self,
        world: &World,
        parts: Parts,
        shapes: &Shapes,
        settings: &Settings,
        workers: &dyn Workers,
    ) {
        let look = Look {
            block: world,
            bodies: parts.bodies,
            old: &self.old,
            shapes,
            settings,
            movers: &self.movers,
            sides: &self.sides,
            are_joined: self.joints.is_any_gathered(),
            places: &self.places,
        };
        self.contacts_refused = self.narrow.find(look, self.broad.pairs(), workers);
        self.sketches.draw(&self.narrow, &self.movers, settings, workers);
    }

    /// Works out how the movers move.
    pub fn solve(&mut self, settings: &Settings, workers: &dyn Workers) {
        let (contacts, movers) = ((&self.narrow, &self.sketches), (&mut self.movers[..], &mut self.motions[..]));
        self.solver.solve(settings, contacts, &mut self.joints, movers, workers);
        self.sketches.note(workers, |index| self.solver.total(index) > 0.0);
    }

    /// Follows those that are fast along their way.
    pub fn follow_fast(
        &mut self,
        world: &World,
        parts: Parts,
        shapes: &Shapes,
        settings: &Settings,
        workers: &dyn Workers,
    ) {
        self.mark_deep(world, parts);
        let (bodies, places) = (parts.bodies, &self.places);
        let apart = self.joints.apart();
        let ground = Ground { block: world, bodies, shapes, settings, broad: &self.broad, places, apart };
        if !self.fast.choose(&ground, &self.movers, &self.motions, workers) {
            return;
        }
        self.broad.plant(workers);
        let (mut trees, apart) = self.joints.trees();
        let ground = Ground { block: world, bodies, shapes, settings, broad: &self.broad, places, apart };
        self.fast.follow(&ground, &mut trees, (&mut self.movers, &mut self.motions), workers);
    }

    /// Notes who is deep in what nobody can move.
    fn mark_deep(&mut self, world: &World, parts: Parts) {
        let sketches = self.sketches.as_slice().iter().enumerate();
        for (index, _) in sketches.filter(|(_, sketch)| sketch.is_pressed()) {
            let touching = self.narrow.get(index);
            let deepest = touching.separations[..touching.contact.count()].iter().copied().fold(0.0, min);
            for mover in touching.movers {
                let Some(mover) = self.movers.get_mut(mover as usize) else { continue };
                let inner = parts.bodies.get_absolute(world, mover.slot).map_or(0.0, |(_, body)| body.inner);
                mover.is_deep |= mover.inverse_mass > 0.0 && deepest < -DEEP * inner;
            }
        }
    }
}
