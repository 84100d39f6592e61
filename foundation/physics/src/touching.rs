//! Touching: the narrow phase over all pairs, with what the contacts of the last step remember.
//!
//! Laws
//! 1. Each pair is looked at on its own; what comes of it follows from both bodies and their old contacts.
//! 2. The result is in the order of keys. If there is too much of it, of those that do not touch what nobody can move the highest
//!    keys are left out; then of the others.
//! 3. Those that are put into the very same place part in directions that follow from who they are. If it were the same for all,
//!    they would become a row.

mod lever;
mod load;
mod side;

use alloc::vec::Vec;

use base::Vec3;
use base::number::{max, min};
use state::share::{Arena, LEASE, NOBODY, each_chunk, each_run};
use state::{Block, Datums, Workers};

use crate::body::{Body, flag};
use crate::contact::Contact;
use crate::limits::{MANIFOLDS_MAX, POINTS_MAX};
use crate::manifold::Manifolds;
use crate::mover::Mover;
use crate::narrow;
use crate::settings::Settings;
use crate::shapes::Shapes;
pub use side::{POINT, Side};

/// A manifold between two bodies, with all the solver needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Touching {
    /// What will be remembered of it; with the impulses of the last step.
    pub contact: Contact,
    /// The points, seen from the first body's centre of mass.
    pub arms: [Vec3; POINTS_MAX],
    /// From the second body's centre of mass to the first's.
    pub between: Vec3,
    /// How far the surfaces are apart at each point.
    pub separations: [f32; POINTS_MAX],
    /// How fast the point that comes nearest meets the other, along the normal; below zero if it comes nearer.
    pub approach: f32,
    /// How forces speed the second up against the first along the normal, in metres per second squared.
    pub acceleration: f32,
    /// How fast they have to meet to bounce.
    pub bounce_speed: f32,
    /// The movers, or [`NOBODY`] where one does not move.
    pub movers: [u32; 2],
    /// How rough both are together.
    pub friction: f32,
    /// How much of a blow is given back.
    pub restitution: f32,
    /// How hard it is to roll.
    pub rolling: f32,
    /// Whether one of them is a trigger: then nothing is held apart.
    pub is_trigger: bool,
    /// Whether they will touch within the step if nothing holds them.
    pub is_active: bool,
}

/// How many pairs one job looks at.
const PAIRS_CHUNK: usize = 128;

/// How many pairs one job puts in order.
const RUNS_CHUNK: usize = 1024;

/// Middles that are nearer than this part of a body are in the same place.
const SAME_PLACE: f32 = 1.0e-3;

/// All that a look at a pair needs.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// The block as it is.
    pub block: &'a Block,
    /// The bodies in it.
    pub bodies: Datums<Body>,
    /// The contacts of the last step, in the order of keys.
    pub old: &'a [Contact],
    /// The shapes.
    pub shapes: &'a Shapes,
    /// The settings.
    pub settings: &'a Settings,
    /// The movers.
    pub movers: &'a [Mover],
    /// Those of the movers.
    pub sides: &'a [Side],
    /// Whether anybody is joined.
    pub are_joined: bool,
    /// Which slot is which mover.
    pub places: &'a [u32],
}

/// Where the manifolds of a pair lie.
#[derive(Clone, Copy, Debug, Default)]
pub struct Run {
    start: u32,
    count: u32,
}

/// The narrow phase: room to work in.
pub struct Narrow {
    arena: Arena<Touching>,
    runs: Vec<Run>,
    /// Which of what lies in the arena comes when.
    order: Vec<u32>,
    /// Where what comes of each chunk of pairs ends.
    ends: Vec<u32>,
    /// How many there may be.
    most: usize,
}

impl Narrow {
    /// Room for so many pairs and contacts.
    pub fn new(pairs: usize, contacts: usize) -> Narrow {
        // Each job may leave some room over.
        let room = contacts + pairs.div_ceil(PAIRS_CHUNK) * LEASE;
        Narrow {
            arena: Arena::new(room),
            runs: Vec::with_capacity(pairs),
            order: Vec::with_capacity(contacts),
            ends: Vec::with_capacity(pairs.div_ceil(RUNS_CHUNK)),
            most: contacts,
        }
    }

    /// Looks at all pairs. Gives back how many manifolds had to be left out.
    pub fn find(&mut self, look: Look<'_>, pairs: &[[u16; 2]], workers: &dyn Workers) -> u32 {
        self.runs.resize(pairs.len(), Run::default());
        let runs = &mut self.runs;
        let is_complete = self.arena.lease_out(|leases| {
            each_chunk(workers, runs, PAIRS_CHUNK, |first, runs| {
                let (mut cursor, mut found) = (look.old_from(pairs[first]), Found::new());
                let mut lease = leases.lease(first, pairs.len());
                for (run, pair) in runs.iter_mut().zip(&pairs[first..]) {
                    look.at(*pair, &mut cursor, &mut found);
                    *run = found.put(found.count, |list| lease.push(list));
                }
            });
        });
        let is_complete = is_complete && self.count_runs() <= self.most;
        let refused = if is_complete { 0 } else { self.find_the_first(look, pairs) };
        let total = self.count_runs();
        self.order.resize(total, 0);
        let runs = &self.runs;
        each_run(workers, &mut self.order, &self.ends, |chunk, order| {
            let runs = &runs[chunk * RUNS_CHUNK..runs.len().min((chunk + 1) * RUNS_CHUNK)];
            let all = runs.iter().flat_map(|run| run.start..run.start + run.count);
            order.iter_mut().zip(all).for_each(|(place, index)| *place = index);
        });
        refused
    }

    /// What was found, in the order of keys.
    pub fn iter(&self) -> impl Iterator<Item = &Touching> {
        let all = self.arena.as_slice();
        self.order.iter().map(move |index| &all[*index as usize])
    }

    /// How many were found.
    pub fn count(&self) -> usize {
        self.order.len()
    }

    /// One of them, in the order of keys.
    pub fn get(&self, index: usize) -> &Touching {
        &self.arena.as_slice()[self.order[index] as usize]
    }

    /// Counts what was found, up to the end of each chunk of pairs.
    fn count_runs(&mut self) -> usize {
        let mut total = 0;
        self.ends.clear();
        for runs in self.runs.chunks(RUNS_CHUNK) {
            total += runs.iter().map(|run| run.count).sum::<u32>();
            self.ends.push(total);
        }
        total as usize
    }

    /// With too many for the room there is: those with what nobody can move first, then those of the lowest slots. Tells how many
    /// are left out.
    fn find_the_first(&mut self, look: Look<'_>, pairs: &[[u16; 2]]) -> u32 {
        let (runs, mut refused, mut left) = (&mut self.runs, 0, self.most);
        self.arena.fill(|arena| {
            for are_hard in [true, false] {
                let (mut cursor, mut found) = (0, Found::new());
                let some = runs.iter_mut().zip(pairs).filter(|(_, pair)| look.is_hard(**pair) == are_hard);
                for (run, pair) in some {
                    look.at(*pair, &mut cursor, &mut found);
                    let count = found.count.min(left);
                    (left, refused) = (left - count, refused + (found.count - count) as u32);
                    *run = found.put(count, |list| arena.push(list));
                }
            }
        });
        refused
    }
}

/// Room for what is found of one pair.
struct Found {
    manifolds: Manifolds,
    list: [Touching; MANIFOLDS_MAX],
    count: usize,
}

impl Found {
    fn new() -> Found {
        Found { manifolds: Manifolds::default(), list: [Touching::default(); MANIFOLDS_MAX], count: 0 }
    }

    #[inline]
    fn put(&self, count: usize, push: impl FnOnce(&[Touching]) -> Option<u32>) -> Run {
        if count == 0 {
            return Run::default();
        }
        push(&self.list[..count]).map_or_else(Run::default, |start| Run { start, count: count as u32 })
    }
}

impl Look<'_> {
    /// Whether nobody can move one of both.
    fn is_hard(&self, pair: [u16; 2]) -> bool {
        let body = |slot: u16| self.bodies.get_absolute(self.block, slot);
        pair.into_iter().any(|slot| body(slot).is_some_and(|(_, body)| !body.can_be_moved()))
    }

    /// The first old contact that is this pair's or a later one's.
    fn old_from(&self, [first, second]: [u16; 2]) -> usize {
        self.old.partition_point(|contact| (contact.first, contact.second) < (first, second))
    }

    fn at(&self, pair: [u16; 2], cursor: &mut usize, found: &mut Found) {
        found.count = 0;
        let mut resting = [Side::NOBODY; 2];
        let [space_first, space_second] = &mut resting;
        let (Some(mut first), Some(mut second)) = (self.side(pair[0], space_first), self.side(pair[1], space_second))
        else {
            return;
        };
        let (mut one, mut other) = (self.shapes.get(first.shape), self.shapes.get(second.shape));
        let (place_first, place_second);
        if first.is(flag::POINT) || second.is(flag::POINT) {
            let is_trigger = first.is(flag::TRIGGER) || second.is(flag::TRIGGER);
            // Points are followed along their way instead; only triggers look where they are.
            if !is_trigger || first.is(flag::POINT) && second.is(flag::POINT) {
                return;
            }
            if first.is(flag::POINT) {
                place_first = first.at_centre();
                (first, one) = (&place_first, Some(&POINT));
            }
            if second.is(flag::POINT) {
                place_second = second.at_centre();
                (second, other) = (&place_second, Some(&POINT));
            }
        }
        let (Some(one), Some(other)) = (one, other) else { return };
        let place_beside;
        let near = SAME_PLACE * min(first.inner, second.inner);
        if first.pose.position.distance_squared(second.pose.position) < near * near {
            place_beside = second.beside(pair, near);
            second = &place_beside;
        }
        let manifolds = &mut found.manifolds;
        manifolds.clear();
        narrow::collide(one, &first.pose, other, &second.pose, self.margin(first, second), manifolds);
        if manifolds.as_slice().is_empty() {
            return;
        }
        manifolds.as_mut_slice().sort_unstable_by_key(|manifold| manifold.child);
        let old = self.old_of(pair, cursor);
        for (place, manifold) in found.list.iter_mut().zip(manifolds.as_slice()) {
            self.touching(pair, (first, second), manifold, old, place);
            found.count += 1;
        }
    }

    /// One side. That of one that rests is made where there is space for it.
    #[inline]
    fn side<'a>(&'a self, slot: u16, space: &'a mut Side) -> Option<&'a Side> {
        let mover = self.places.get(usize::from(slot)).copied().unwrap_or(NOBODY);
        if let Some(side) = self.sides.get(mover as usize) {
            return Some(side);
        }
        let (_, body) = self.bodies.get_absolute(self.block, slot)?;
        *space = Side::of_resting(body);
        Some(space)
    }

    /// How far apart surfaces may be and still meet within the step. No farther than half of what cannot pass through: whoever is
    /// faster is followed along its way. Of whom is joined, only the middle is: there it is as far as they go.
    #[inline]
    fn margin(&self, first: &Side, second: &Side) -> f32 {
        let speed = (second.velocity - first.velocity).length();
        let is_joined = |side: &Side| self.movers.get(side.mover as usize).is_some_and(|mover| mover.is_joined);
        if self.are_joined && (is_joined(first) || is_joined(second)) {
            let tip = |side: &Side| side.spin.length() * side.reach;
            return self.settings.margin + (speed + tip(first) + tip(second)) * self.settings.seconds;
        }
        let inner = |side: &Side| if side.inner > 0.0 { side.inner } else { f32::INFINITY };
        let limit = max(min(inner(first), inner(second)) * 0.5, self.settings.margin);
        min(self.settings.margin + speed * self.settings.seconds, limit)
    }

    /// The old contacts of this pair. The cursor walks along with the pairs.
    fn old_of(&self, [first, second]: [u16; 2], cursor: &mut usize) -> &[Contact] {
        let is_before = |contact: &Contact| (contact.first, contact.second) < (first, second);
        while self.old.get(*cursor).is_some_and(is_before) {
            *cursor += 1;
        }
        let rest = &self.old[*cursor..];
        let count = rest.iter().take_while(|contact| (contact.first, contact.second) == (first, second)).count();
        *cursor += count;
        &rest[..count]
    }
}

impl Touching {
    /// Nobody touches nobody.
    pub const NOWHERE: Touching = Touching {
        contact: Contact::NONE,
        arms: [Vec3::ZERO; POINTS_MAX],
        between: Vec3::ZERO,
        separations: [0.0; POINTS_MAX],
        approach: 0.0,
        acceleration: 0.0,
        bounce_speed: 0.0,
        movers: [NOBODY; 2],
        friction: 0.0,
        restitution: 0.0,
        rolling: 0.0,
        is_trigger: false,
        is_active: false,
    };

    /// Whether nothing can move one of both.
    pub fn is_hard(&self, movers: &[Mover]) -> bool {
        self.movers.iter().any(|mover| movers.get(*mover as usize).is_none_or(|mover| mover.inverse_mass == 0.0))
    }
}
