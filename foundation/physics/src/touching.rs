//! Touching: the narrow phase over all pairs, with what the contacts of the last step remember.
//!
//! Laws
//! 1. Each pair is looked at on its own; what comes of it follows from both bodies and their old contacts.
//! 2. The result is in the order of keys. If there is too much of it, the highest keys are left out.
//! 3. A contact keeps its load when its points become others: what held those that are gone is shared out among those that are new.
//!    Otherwise whatever lies flush would be let go of, and caught again, whenever a corner comes to lie beyond an edge.
//! 4. Who rests on a side does not lean on it: its levers stay what they were when it came to rest, until it turns, slides, or has
//!    moved by [`LEVER_SLACK`] of their length. The solver gives way to bending a little, more so the taller a tower is; if levers
//!    followed, a tower of forty would lean more for leaning, and fall. Only where something pulls: elsewhere nothing falls, and
//!    what turns there keeps turning as much as it did.
//! 5. Those that are put into the very same place part in directions that follow from who they are. If it were the same for all,
//!    they would become a row.

use alloc::vec::Vec;

use base::number::{max, min, sqrt};
use base::{Pcg, Random, Vec3};
use state::share::{Arena, LEASE, NOBODY, each_chunk, each_run};
use state::{Block, Datums, Workers};

use crate::body::{Body, flag};
use crate::contact::{Contact, TOUCHING};
use crate::limits::{MANIFOLDS_MAX, POINTS_MAX};
use crate::manifold::{Manifold, Manifolds};
use crate::mover::Mover;
use crate::narrow;
use crate::pose::Pose;
use crate::settings::Settings;
use crate::shape::Shape;
use crate::shapes::Shapes;

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

/// One side of a pair: all that a look at it needs, side by side.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    pose: Pose,
    centre: Vec3,
    velocity: Vec3,
    spin: Vec3,
    acceleration: Vec3,
    /// Which mover it is, or [`NOBODY`].
    mover: u32,
    shape: u32,
    flags: u32,
    friction: f32,
    restitution: f32,
    rolling: f32,
    inner: f32,
    reach: f32,
    /// Whether something pulls at it besides forces.
    is_pulled: bool,
}

/// What triggers see of a point: next to nothing.
pub static POINT: Shape = Shape::Sphere(1.0e-3);

/// How many pairs one job looks at.
const PAIRS_CHUNK: usize = 128;

/// How many pairs one job puts in order.
const RUNS_CHUNK: usize = 1024;

/// How far the middle of a contact may move, as a part of how far its points are from it, before levers follow.
const LEVER_SLACK: f32 = 0.02;
/// Whoever turns by more than this in a step (in radians), or slides by that part of a lever, does not rest.
const LEVER_CALM: f32 = 0.002;
/// How many points a side has that bears without leaning.
const LEVER_POINTS: usize = 3;

/// Middles that are nearer than this part of a body are in the same place.
const SAME_PLACE: f32 = 1.0e-3;

/// The impulse of a point that was not there in the last step, until it is known what it takes over.
const STRANGER: f32 = -1.0;

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

    fn find_the_first(&mut self, look: Look<'_>, pairs: &[[u16; 2]]) -> u32 {
        let (runs, mut refused, mut left) = (&mut self.runs, 0, self.most);
        self.arena.fill(|arena| {
            let (mut cursor, mut found) = (0, Found::new());
            for (run, pair) in runs.iter_mut().zip(pairs) {
                look.at(*pair, &mut cursor, &mut found);
                let count = found.count.min(left);
                (left, refused) = (left - count, refused + (found.count - count) as u32);
                *run = found.put(count, |list| arena.push(list));
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
        let pose = Pose::new(body.position, body.orientation);
        *space = Side::new(body, NOBODY, pose, pose.point(body.centre), [Vec3::ZERO; 2]);
        Some(space)
    }

    /// How far apart surfaces may be and still meet within the step. No farther than half of what cannot pass through: whoever is
    /// faster is followed along its way. Who is joined is not followed: there it is as far as they go.
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

    #[inline]
    fn touching(
        &self,
        pair: [u16; 2],
        (one, other): (&Side, &Side),
        manifold: &Manifold,
        old: &[Contact],
        touching: &mut Touching,
    ) {
        let normal = manifold.normal;
        let offset = one.pose.position - one.centre;
        let between = one.centre - other.centre;
        let known = old.iter().find(|contact| contact.child == manifold.child);
        let acceleration = (other.acceleration - one.acceleration).dot(normal);
        let strongest = max(one.acceleration.length_squared(), other.acceleration.length_squared());
        let gained = sqrt(strongest) * (3.0 * self.settings.seconds);
        let (mut is_touching, mut is_active, mut approach, mut strangers) = (false, false, 0.0, 0);
        let contact = &mut touching.contact;
        for (index, point) in manifold.points().iter().enumerate() {
            let arm = point.place + offset;
            touching.arms[index] = arm;
            touching.separations[index] = point.separation;
            let one_velocity = one.velocity + one.spin.cross(arm);
            let other_velocity = other.velocity + other.spin.cross(arm + between);
            let speed = (other_velocity - one_velocity).dot(normal);
            approach = min(approach, impact_speed(speed, acceleration, point.separation));
            contact.features[index] = point.feature;
            let impulse = known.and_then(|known| known.impulse_of(point.feature));
            (contact.impulses[index], strangers) =
                (impulse.unwrap_or(STRANGER), strangers + u32::from(impulse.is_none()));
            is_touching |= point.separation <= self.settings.slop;
            is_active |= point.separation + speed * self.settings.seconds <= self.settings.slop;
        }
        for index in manifold.points().len()..POINTS_MAX {
            (touching.arms[index], touching.separations[index]) = (Vec3::ZERO, 0.0);
            (contact.features[index], contact.impulses[index]) = (0, 0.0);
        }
        if strangers > 0 {
            let lost = known.map_or(0.0, |known| known.impulse_beside(&contact.features[..manifold.points().len()]));
            let share = lost / strangers as f32;
            contact.impulses.iter_mut().filter(|impulse| **impulse < 0.0).for_each(|impulse| *impulse = share);
        }
        (contact.child, [contact.first, contact.second]) = (manifold.child, pair);
        contact.state = manifold.count | if is_touching { TOUCHING } else { 0 };
        contact.normal = normal;
        (contact.friction, contact.rolling, contact.twist) =
            known.map_or((Vec3::ZERO, Vec3::ZERO, 0.0), |known| (known.friction, known.rolling, known.twist));
        (touching.between, touching.movers) = (between, [one.mover, other.mover]);
        (touching.approach, touching.acceleration) = (approach, acceleration);
        touching.bounce_speed = min(self.settings.bounce_speed_least, gained);
        touching.friction = sqrt(max(one.friction * other.friction, 0.0));
        touching.restitution = max(one.restitution, other.restitution);
        touching.rolling = max(one.rolling, other.rolling);
        (touching.is_trigger, touching.is_active) = (one.is(flag::TRIGGER) || other.is(flag::TRIGGER), is_active);
        let now = touching.levers();
        touching.contact.levers = now;
        let may_rest = manifold.points().len() >= LEVER_POINTS && strangers == 0 && (one.is_pulled || other.is_pulled);
        if let Some(known) = known.filter(|_| may_rest) {
            self.keep_levers((one, other), known, now, touching);
        }
    }

    /// Lets a contact with the same points as before keep its levers, if both rest: see the laws.
    #[inline]
    fn keep_levers(&self, (one, other): (&Side, &Side), known: &Contact, now: [Vec3; 2], touching: &mut Touching) {
        let normal = touching.contact.normal;
        let level = |vector: Vec3| vector - normal * vector.dot(normal);
        let squared = now[0].distance_squared(touching.arms[0]);
        let calm = LEVER_CALM * LEVER_CALM / (self.settings.seconds * self.settings.seconds);
        let turning = max(one.spin.length_squared(), other.spin.length_squared());
        let sliding = other.velocity + other.spin.cross(now[1]) - one.velocity - one.spin.cross(now[0]);
        let rests = turning <= calm && level(sliding).length_squared() <= calm * squared;
        if !rests || !known.is_touching() || known.count() != touching.contact.count() {
            return;
        }
        let shifts = [level(known.levers[0] - now[0]), level(known.levers[1] - now[1])];
        if shifts.iter().all(|shift| shift.length_squared() < LEVER_SLACK * LEVER_SLACK * squared) {
            touching.arms.iter_mut().for_each(|arm| *arm += shifts[0]);
            touching.between += shifts[1] - shifts[0];
            touching.contact.levers = known.levers;
        }
    }
}

/// How fast two surfaces meet that are apart and come nearer, under a constant pull: not how fast they are now, but when they meet.
fn impact_speed(speed: f32, acceleration: f32, separation: f32) -> f32 {
    if speed >= 0.0 || separation <= 0.0 {
        return speed;
    }
    -sqrt(max(speed * speed - 2.0 * acceleration * separation, 0.0))
}

impl Side {
    /// Nobody.
    pub const NOBODY: Side = Side {
        pose: Pose::IDENTITY,
        centre: Vec3::ZERO,
        velocity: Vec3::ZERO,
        spin: Vec3::ZERO,
        acceleration: Vec3::ZERO,
        mover: NOBODY,
        shape: 0,
        flags: 0,
        friction: 0.0,
        restitution: 0.0,
        rolling: 0.0,
        inner: 0.0,
        reach: 0.0,
        is_pulled: false,
    };

    /// That of a body that moves.
    pub fn of_mover(index: u32, body: &Body, mover: &Mover) -> Side {
        Side::new(body, index, mover.pose, mover.centre, [mover.acceleration, mover.felt])
    }

    #[inline]
    fn new(body: &Body, mover: u32, pose: Pose, centre: Vec3, [acceleration, felt]: [Vec3; 2]) -> Side {
        let Body { velocity, spin, shape, flags, friction, restitution, rolling, inner, reach, .. } = *body;
        Side {
            pose,
            centre,
            velocity,
            spin,
            acceleration,
            mover,
            shape,
            flags,
            friction,
            restitution,
            rolling,
            inner,
            reach,
            is_pulled: felt != Vec3::ZERO,
        }
    }

    #[inline]
    fn is(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// The same a little aside, in a direction that follows from who the two are.
    #[cold]
    fn beside(&self, pair: [u16; 2], far: f32) -> Side {
        let seed = u64::from(pair[0]) << 16 | u64::from(pair[1]);
        let position = self.pose.position + Pcg::new(seed, seed).on_sphere() * far;
        Side { pose: Pose { position, ..self.pose }, ..*self }
    }

    /// The same as a point in its centre.
    fn at_centre(&self) -> Side {
        Side { pose: Pose { position: self.centre, ..self.pose }, ..*self }
    }
}

impl Touching {
    /// The middle of its points: where friction works, seen from the first body's centre of mass.
    pub fn middle(&self) -> Vec3 {
        let arms = &self.arms[..self.contact.count().max(1)];
        let sum = arms.iter().fold(Vec3::ZERO, |sum, arm| sum + *arm);
        sum * (1.0 / arms.len() as f32)
    }

    /// The same, and seen from the second's.
    pub fn levers(&self) -> [Vec3; 2] {
        let middle = self.middle();
        [middle, middle + self.between]
    }

    /// How far its points are from their middle, on average; if there is one, how large the disc is that it stands for.
    pub fn lever(&self) -> f32 {
        let (middle, count) = (self.middle(), self.contact.count());
        if count < 2 {
            return self.rolling;
        }
        self.arms[..count].iter().fold(0.0, |sum, arm| sum + arm.distance(middle)) / count as f32
    }

    /// Whether nothing can move one of both.
    pub fn is_hard(&self, movers: &[Mover]) -> bool {
        self.movers.iter().any(|mover| movers.get(*mover as usize).is_none_or(|mover| mover.inverse_mass == 0.0))
    }
}
