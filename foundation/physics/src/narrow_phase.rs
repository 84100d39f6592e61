//! The narrow phase over all pairs: manifolds become contact constraints, warm started from the contacts of the last step.
//!
//! Laws
//! 1. The constraints of a pair depend on both bodies and their old contacts only.
//! 2. The result is in key order. Beyond the capacity, contacts between dynamic bodies with the highest keys are dropped first,
//!    then those with static bodies.
//! 3. Bodies at the same position separate in a pseudo-random direction seeded by their slots; a common one would line them up.

mod fast_pair;
mod lever_arm;
mod pair_body;
mod warm_start;

use alloc::vec::Vec;

use base::Vec3;
use base::number::{max, min};
use jobs::arena::ARENA_BLOCK;
use jobs::{Arena, NONE as NO_BODY, each_chunk, each_run};
use state::{Block, Datums, Workers};

use crate::body::{Body, flag};
use crate::contact::Contact;
use crate::limits::{MANIFOLDS_MAX, POINTS_MAX};
use crate::manifold::Manifolds;
use crate::narrow;
use crate::settings::Settings;
use crate::shapes::Shapes;
use crate::solver_body::SolverBody;
pub use pair_body::{POINT, PairBody};

/// A contact constraint: a manifold between two bodies, with everything the solver needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct ContactConstraint {
    /// Its persistent part, with the impulses of the last step.
    pub contact: Contact,
    /// The lever arms of the points, from the first center of mass.
    pub arms: [Vec3; POINTS_MAX],
    /// From the second center of mass to the first.
    pub between: Vec3,
    /// The separation at each point; negative if they penetrate.
    pub separations: [f32; POINTS_MAX],
    /// The largest approach velocity of its points, along the normal; negative if they approach.
    pub approach: f32,
    /// The relative acceleration along the normal, in metres per second squared.
    pub acceleration: f32,
    /// The approach speed from which on there is restitution.
    pub restitution_threshold: f32,
    /// The indices of both solver bodies, or [`NO_BODY`] for a body that is not simulated.
    pub body_indices: [u32; 2],
    /// The combined friction coefficient.
    pub friction: f32,
    /// The combined coefficient of restitution.
    pub restitution: f32,
    /// The combined rolling resistance.
    pub rolling_resistance: f32,
    /// Whether a body is a trigger: then it is not solved.
    pub is_trigger: bool,
    /// Whether the bodies will touch within the step at their current velocities.
    pub is_active: bool,
}

/// Pairs per job of the narrow phase.
const PAIRS_CHUNK: usize = 128;

/// Pairs per job of the ordering.
const RUNS_CHUNK: usize = 1024;

/// Positions closer than this fraction of the smaller inscribed radius count as equal.
const SAME_PLACE: f32 = 1.0e-3;

/// What the narrow phase reads.
#[derive(Clone, Copy)]
pub struct NarrowPhaseContext<'a> {
    /// The block.
    pub block: &'a Block,
    /// The bodies in it.
    pub bodies: Datums<Body>,
    /// The contacts of the last step, in key order.
    pub old: &'a [Contact],
    /// The shapes.
    pub shapes: &'a Shapes,
    /// The settings.
    pub settings: &'a Settings,
    /// The solver bodies.
    pub solver_bodies: &'a [SolverBody],
    /// The pair bodies of the solver bodies.
    pub pair_bodies: &'a [PairBody],
    /// Whether there are joints.
    pub are_joined: bool,
    /// The solver index of each slot.
    pub solver_indices: &'a [u32],
}

/// The constraints of a pair, as a range of the arena.
#[derive(Clone, Copy, Debug, Default)]
pub struct ManifoldRange {
    start: u32,
    count: u32,
}

/// The narrow phase and its memory.
pub struct NarrowPhase {
    arena: Arena<ContactConstraint>,
    runs: Vec<ManifoldRange>,
    /// Indices into the arena, in key order.
    order: Vec<u32>,
    /// The end of each chunk of pairs in `order`.
    ends: Vec<u32>,
    /// The capacity.
    capacity: usize,
}

impl NarrowPhase {
    /// Allocates for this many pairs and contacts.
    pub fn new(pairs: usize, contacts: usize) -> NarrowPhase {
        // Each job may leave part of its last arena block unused.
        let room = contacts + pairs.div_ceil(PAIRS_CHUNK) * ARENA_BLOCK;
        NarrowPhase {
            arena: Arena::new(room),
            runs: Vec::with_capacity(pairs),
            order: Vec::with_capacity(contacts),
            ends: Vec::with_capacity(pairs.div_ceil(RUNS_CHUNK)),
            capacity: contacts,
        }
    }

    /// Collides all pairs. Returns the number of contacts beyond the capacity.
    pub fn find(&mut self, context: NarrowPhaseContext<'_>, pairs: &[[u16; 2]], workers: &dyn Workers) -> u32 {
        self.runs.resize(pairs.len(), ManifoldRange::default());
        let runs = &mut self.runs;
        let is_complete = self.arena.fill_per_worker(|arenas| {
            each_chunk(workers, runs, PAIRS_CHUNK, |first, runs| {
                let (mut cursor, mut found) = (context.old_from(pairs[first]), PairManifolds::new());
                let mut arena = arenas.of_job(first, pairs.len());
                for (run, pair) in runs.iter_mut().zip(&pairs[first..]) {
                    context.at(*pair, &mut cursor, &mut found);
                    *run = found.put(found.count, |list| arena.push(list));
                }
            });
        });
        let is_complete = is_complete && self.count_runs() <= self.capacity;
        let refused = if is_complete { 0 } else { self.find_within_capacity(context, pairs) };
        let total = self.count_runs();
        assert!(total <= self.capacity, "{total} contacts, and a capacity of {}", self.capacity);
        self.order.resize(total, 0);
        let runs = &self.runs;
        each_run(workers, &mut self.order, &self.ends, |chunk, order| {
            let runs = &runs[chunk * RUNS_CHUNK..runs.len().min((chunk + 1) * RUNS_CHUNK)];
            let all = runs.iter().flat_map(|run| run.start..run.start + run.count);
            order.iter_mut().zip(all).for_each(|(place, index)| *place = index);
        });
        debug_assert!(
            self.iter().is_sorted_by(|one, other| one.contact.key() < other.contact.key()),
            "law 2 of the narrow phase: contacts are in key order"
        );
        refused
    }

    /// All constraints, in key order.
    pub fn iter(&self) -> impl Iterator<Item = &ContactConstraint> {
        let all = self.arena.as_slice();
        self.order.iter().map(move |index| &all[*index as usize])
    }

    /// The number of constraints.
    pub fn count(&self) -> usize {
        self.order.len()
    }

    /// A constraint, by its index in key order.
    pub fn get(&self, index: usize) -> &ContactConstraint {
        &self.arena.as_slice()[self.order[index] as usize]
    }

    /// Prefix sums of the constraints by chunks of pairs; returns the total.
    fn count_runs(&mut self) -> usize {
        let mut total = 0;
        self.ends.clear();
        for runs in self.runs.chunks(RUNS_CHUNK) {
            total += runs.iter().map(|run| run.count).sum::<u32>();
            self.ends.push(total);
        }
        total as usize
    }

    /// Beyond the capacity, sequentially: pairs with a static body first, then the others, both in key order. Returns the number
    /// dropped.
    fn find_within_capacity(&mut self, context: NarrowPhaseContext<'_>, pairs: &[[u16; 2]]) -> u32 {
        let (runs, mut refused, mut left) = (&mut self.runs, 0, self.capacity);
        self.arena.fill(|arena| {
            for involve_static in [true, false] {
                let (mut cursor, mut found) = (0, PairManifolds::new());
                let some =
                    runs.iter_mut().zip(pairs).filter(|(_, pair)| context.involves_static(**pair) == involve_static);
                for (run, pair) in some {
                    context.at(*pair, &mut cursor, &mut found);
                    let count = found.count.min(left);
                    (left, refused) = (left - count, refused + (found.count - count) as u32);
                    *run = found.put(count, |list| arena.push(list));
                }
            }
        });
        refused
    }
}

/// The constraints of one pair.
struct PairManifolds {
    manifolds: Manifolds,
    list: [ContactConstraint; MANIFOLDS_MAX],
    count: usize,
}

impl PairManifolds {
    fn new() -> PairManifolds {
        PairManifolds { manifolds: Manifolds::default(), list: [ContactConstraint::default(); MANIFOLDS_MAX], count: 0 }
    }

    #[inline]
    fn put(&self, count: usize, push: impl FnOnce(&[ContactConstraint]) -> Option<u32>) -> ManifoldRange {
        if count == 0 {
            return ManifoldRange::default();
        }
        push(&self.list[..count])
            .map_or_else(ManifoldRange::default, |start| ManifoldRange { start, count: count as u32 })
    }
}

impl NarrowPhaseContext<'_> {
    /// Whether two bodies touch, or will within the step at their current velocities.
    pub fn will_touch(&self, pair: [u16; 2]) -> bool {
        let (mut cursor, mut found) = (self.old_from(pair), PairManifolds::new());
        self.at(pair, &mut cursor, &mut found);
        let touches = |constraint: &ContactConstraint| {
            !constraint.is_trigger && (constraint.contact.is_touching() || constraint.is_active)
        };
        found.list[..found.count].iter().any(touches) || self.will_hit(pair)
    }

    /// Whether a body of the pair is not dynamic.
    fn involves_static(&self, pair: [u16; 2]) -> bool {
        let body = |slot: u16| self.bodies.at_slot(self.block, slot);
        pair.into_iter().any(|slot| body(slot).is_some_and(|(_, body)| !body.is_dynamic()))
    }

    /// The index of the first old contact of this pair or a later one.
    fn old_from(&self, [first, second]: [u16; 2]) -> usize {
        self.old.partition_point(|contact| (contact.first, contact.second) < (first, second))
    }

    fn at(&self, pair: [u16; 2], cursor: &mut usize, found: &mut PairManifolds) {
        found.count = 0;
        let mut resting = [PairBody::NO_BODY; 2];
        let [space_first, space_second] = &mut resting;
        let (Some(mut first), Some(mut second)) = (self.side(pair[0], space_first), self.side(pair[1], space_second))
        else {
            return;
        };
        let shape = |side: &PairBody| self.shapes.colliding(side.shape, side.is(flag::STATIC));
        let (mut one, mut other) = (shape(first), shape(second));
        let (place_first, place_second);
        if first.is(flag::POINT) || second.is(flag::POINT) {
            let is_trigger = first.is(flag::TRIGGER) || second.is(flag::TRIGGER);
            // CCD handles points; only triggers test their positions.
            if !is_trigger || first.is(flag::POINT) && second.is(flag::POINT) {
                return;
            }
            if first.is(flag::POINT) {
                place_first = first.at_center_of_mass();
                (first, one) = (&place_first, Some(&POINT));
            }
            if second.is(flag::POINT) {
                place_second = second.at_center_of_mass();
                (second, other) = (&place_second, Some(&POINT));
            }
        }
        let (Some(one), Some(other)) = (one, other) else { return };
        let place_beside;
        let near = SAME_PLACE * min(first.inscribed_radius, second.inscribed_radius);
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
            debug_assert!((manifold.normal.length_squared() - 1.0).abs() < 0.02, "{manifold:?}");
            self.fill_constraint(pair, (first, second), manifold, old, place);
            found.count += 1;
        }
    }

    /// A body of the pair; that of a resting body is made in `space`.
    #[inline]
    fn side<'a>(&'a self, slot: u16, space: &'a mut PairBody) -> Option<&'a PairBody> {
        let solver_body = self.solver_indices.get(usize::from(slot)).copied().unwrap_or(NO_BODY);
        if let Some(side) = self.pair_bodies.get(solver_body as usize) {
            return Some(side);
        }
        let (_, body) = self.bodies.at_slot(self.block, slot)?;
        *space = PairBody::of_resting(body);
        Some(space)
    }

    /// The speculative distance of a pair: as far as they move in the step, capped at half the smaller inscribed radius, beyond which
    /// CCD takes over. Without the cap for joined bodies, since CCD follows only their centers, and turns of [`JOINED_TURN_MAX`].
    #[inline]
    fn margin(&self, first: &PairBody, second: &PairBody) -> f32 {
        let speed = (second.velocity - first.velocity).length();
        let is_joined = |side: &PairBody| {
            self.solver_bodies.get(side.solver_body as usize).is_some_and(|solver_body| solver_body.is_joined)
        };
        if self.are_joined && (is_joined(first) || is_joined(second)) {
            let seconds = self.settings.seconds;
            let tip =
                |side: &PairBody| min(side.angular_velocity.length() * seconds, JOINED_TURN_MAX) * side.bounding_radius;
            return self.settings.speculative_margin + speed * seconds + tip(first) + tip(second);
        }
        let inscribed_radius =
            |side: &PairBody| if side.inscribed_radius > 0.0 { side.inscribed_radius } else { f32::INFINITY };
        let limit = max(min(inscribed_radius(first), inscribed_radius(second)) * 0.5, self.settings.speculative_margin);
        min(self.settings.speculative_margin + speed * self.settings.seconds, limit)
    }

    /// The old contacts of this pair. The cursor advances with the pairs.
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

/// The largest rotation of a joined body in a step, in radians, for which contacts are found ahead: the normal of a contact is that
/// of the beginning of the step. Bodies that turn farther are swept.
const JOINED_TURN_MAX: f32 = 0.4;

impl ContactConstraint {
    /// An empty constraint.
    pub const NONE: ContactConstraint = ContactConstraint {
        contact: Contact::NONE,
        arms: [Vec3::ZERO; POINTS_MAX],
        between: Vec3::ZERO,
        separations: [0.0; POINTS_MAX],
        approach: 0.0,
        acceleration: 0.0,
        restitution_threshold: 0.0,
        body_indices: [NO_BODY; 2],
        friction: 0.0,
        restitution: 0.0,
        rolling_resistance: 0.0,
        is_trigger: false,
        is_active: false,
    };

    /// Whether a body is immovable: static, kinematic or asleep.
    pub fn involves_static(&self, solver_bodies: &[SolverBody]) -> bool {
        self.body_indices
            .iter()
            .any(|index| solver_bodies.get(*index as usize).is_none_or(|solver_body| solver_body.inverse_mass == 0.0))
    }
}
