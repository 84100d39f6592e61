//! Touching: the narrow phase over all pairs, with what the contacts of the last step remember.
//!
//! Laws
//! 1. Each pair is looked at on its own; what comes of it follows from both bodies and their old contacts.
//! 2. The result is in the order of keys. If there is too much of it, the highest keys are left out.

use alloc::vec::Vec;

use base::Vec3;
use base::number::{max, min, sqrt};
use state::share::{Arena, Filling, NOBODY, each_chunk};
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
    /// How fast each point meets the other, along the normal; below zero if they come nearer.
    pub approaches: [f32; POINTS_MAX],
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
    /// Whether they were in touch before.
    pub was_touching: bool,
    /// Whether they will touch within the step if nothing holds them.
    pub is_active: bool,
}

/// What triggers see of a point: next to nothing.
pub static POINT: Shape = Shape::Sphere(1.0e-3);

/// How many pairs one job looks at.
const PAIRS_CHUNK: usize = 32;

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
}

impl Narrow {
    /// Room for so many pairs and contacts.
    pub fn new(pairs: usize, contacts: usize) -> Narrow {
        Narrow { arena: Arena::new(contacts), runs: Vec::with_capacity(pairs), order: Vec::with_capacity(contacts) }
    }

    /// Looks at all pairs. Gives back how many manifolds had to be left out.
    pub fn find(&mut self, look: Look<'_>, pairs: &[[u16; 2]], workers: &dyn Workers) -> u32 {
        self.runs.clear();
        self.runs.resize(pairs.len(), Run::default());
        let runs = &mut self.runs;
        let is_complete = self.arena.fill(|arena| {
            each_chunk(workers, runs, PAIRS_CHUNK, |first, runs| {
                let (mut cursor, mut found) = (look.old_from(pairs[first]), Found::new());
                for (run, pair) in runs.iter_mut().zip(&pairs[first..]) {
                    look.at(*pair, &mut cursor, &mut found);
                    *run = found.put_into(arena, found.count);
                }
            });
        });
        let refused = if is_complete { 0 } else { self.find_the_first(look, pairs) };
        self.order.clear();
        self.order.extend(self.runs.iter().flat_map(|run| run.start..run.start + run.count));
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

    fn find_the_first(&mut self, look: Look<'_>, pairs: &[[u16; 2]]) -> u32 {
        let (runs, mut refused) = (&mut self.runs, 0);
        self.arena.fill(|arena| {
            let (mut cursor, mut found) = (0, Found::new());
            for (run, pair) in runs.iter_mut().zip(pairs) {
                look.at(*pair, &mut cursor, &mut found);
                let count = found.count.min(arena.left());
                refused += (found.count - count) as u32;
                *run = found.put_into(arena, count);
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
    fn put_into(&self, arena: &Filling<Touching>, count: usize) -> Run {
        if count == 0 {
            return Run::default();
        }
        arena.push(&self.list[..count]).map_or_else(Run::default, |start| Run { start, count: count as u32 })
    }
}

/// One side of a pair.
struct Side<'a> {
    body: &'a Body,
    pose: Pose,
    centre: Vec3,
    mover: u32,
    acceleration: Vec3,
}

impl Look<'_> {
    /// The first old contact that is this pair's or a later one's.
    fn old_from(&self, [first, second]: [u16; 2]) -> usize {
        self.old.partition_point(|contact| (contact.first, contact.second) < (first, second))
    }

    fn at(&self, pair: [u16; 2], cursor: &mut usize, found: &mut Found) {
        found.count = 0;
        let (Some(mut first), Some(mut second)) = (self.side(pair[0]), self.side(pair[1])) else { return };
        let (mut one, mut other) = (self.shapes.get(first.body.shape), self.shapes.get(second.body.shape));
        if first.body.is(flag::POINT) || second.body.is(flag::POINT) {
            let is_trigger = first.body.is(flag::TRIGGER) || second.body.is(flag::TRIGGER);
            // Points are followed along their way instead; only triggers look where they are.
            if !is_trigger || first.body.is(flag::POINT) && second.body.is(flag::POINT) {
                return;
            }
            for (side, shape) in [(&mut first, &mut one), (&mut second, &mut other)] {
                if side.body.is(flag::POINT) {
                    (side.pose.position, *shape) = (side.centre, Some(&POINT));
                }
            }
        }
        let (Some(one), Some(other)) = (one, other) else { return };
        let manifolds = &mut found.manifolds;
        manifolds.clear();
        narrow::collide(one, &first.pose, other, &second.pose, self.margin(&first, &second), manifolds);
        if manifolds.as_slice().is_empty() {
            return;
        }
        manifolds.as_mut_slice().sort_unstable_by_key(|manifold| manifold.child);
        let old = self.old_of(pair, cursor);
        for (place, manifold) in found.list.iter_mut().zip(manifolds.as_slice()) {
            *place = self.touching(pair, (&first, &second), manifold, old);
            found.count += 1;
        }
    }

    fn side(&self, slot: u16) -> Option<Side<'_>> {
        let (_, body) = self.bodies.get_absolute(self.block, slot)?;
        let mover = self.places.get(usize::from(slot)).copied().unwrap_or(NOBODY);
        Some(match self.movers.get(mover as usize) {
            Some(moving) => {
                let Mover { pose, centre, acceleration, .. } = *moving;
                Side { body, pose, centre, mover, acceleration }
            }
            None => {
                let pose = Pose::new(body.position, body.orientation);
                Side { body, pose, centre: pose.point(body.centre), mover: NOBODY, acceleration: Vec3::ZERO }
            }
        })
    }

    /// How far apart surfaces may be and still meet within the step. No farther than half of what cannot pass through: whoever is
    /// faster is followed along its way. Who is joined is not followed: there it is as far as they go.
    fn margin(&self, first: &Side<'_>, second: &Side<'_>) -> f32 {
        let speed = (second.body.velocity - first.body.velocity).length();
        let is_joined = |side: &Side<'_>| self.movers.get(side.mover as usize).is_some_and(|mover| mover.is_joined);
        if is_joined(first) || is_joined(second) {
            let tip = |side: &Side<'_>| side.body.spin.length() * side.body.reach;
            return self.settings.margin + (speed + tip(first) + tip(second)) * self.settings.seconds;
        }
        let inner = |side: &Side<'_>| if side.body.inner > 0.0 { side.body.inner } else { f32::INFINITY };
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

    fn touching(
        &self,
        pair: [u16; 2],
        (first, second): (&Side<'_>, &Side<'_>),
        manifold: &Manifold,
        old: &[Contact],
    ) -> Touching {
        let (one, other, normal) = (first.body, second.body, manifold.normal);
        let offset = first.pose.position - first.centre;
        let between = first.centre - second.centre;
        let known = old.iter().find(|contact| contact.child == manifold.child);
        let was_touching = known.is_some_and(Contact::is_touching);
        let mut touching = Touching {
            contact: Contact {
                child: manifold.child,
                first: pair[0],
                second: pair[1],
                normal,
                ..known.copied().unwrap_or_default()
            },
            between,
            movers: [first.mover, second.mover],
            friction: sqrt(max(one.friction * other.friction, 0.0)),
            restitution: max(one.restitution, other.restitution),
            rolling: max(one.rolling, other.rolling),
            is_trigger: one.is(flag::TRIGGER) || other.is(flag::TRIGGER),
            was_touching,
            ..Touching::default()
        };
        let acceleration = (second.acceleration - first.acceleration).dot(normal);
        touching.acceleration = acceleration;
        let strongest = max(first.acceleration.length_squared(), second.acceleration.length_squared());
        let gained = sqrt(strongest) * (3.0 * self.settings.seconds);
        touching.bounce_speed = min(self.settings.bounce_speed_least, gained);
        let (mut features, mut impulses) = ([0; POINTS_MAX], [0.0; POINTS_MAX]);
        let mut is_touching = false;
        for (index, point) in manifold.points().iter().enumerate() {
            let arm = point.place + offset;
            touching.arms[index] = arm;
            touching.separations[index] = point.separation;
            let one_velocity = one.velocity + one.spin.cross(arm);
            let other_velocity = other.velocity + other.spin.cross(arm + between);
            let speed = (other_velocity - one_velocity).dot(normal);
            touching.approaches[index] = impact_speed(speed, acceleration, point.separation);
            features[index] = point.feature;
            impulses[index] = known.map_or(0.0, |known| known.impulse_of(point.feature));
            is_touching |= point.separation <= self.settings.slop;
            let end = point.separation + speed * self.settings.seconds;
            touching.is_active |= end <= self.settings.slop;
        }
        touching.contact.state = manifold.count | if is_touching { TOUCHING } else { 0 };
        (touching.contact.features, touching.contact.impulses) = (features, impulses);
        if known.is_none() {
            (touching.contact.friction, touching.contact.rolling, touching.contact.twist) =
                (Vec3::ZERO, Vec3::ZERO, 0.0);
        }
        touching
    }
}

/// How fast two surfaces meet that are apart and come nearer, under a constant pull: not how fast they are now, but when they meet.
fn impact_speed(speed: f32, acceleration: f32, separation: f32) -> f32 {
    if speed >= 0.0 || separation <= 0.0 {
        return speed;
    }
    -sqrt(max(speed * speed - 2.0 * acceleration * separation, 0.0))
}

impl Touching {
    /// The middle of its points: where friction works, seen from the first body's centre of mass.
    pub fn middle(&self) -> Vec3 {
        let arms = &self.arms[..self.contact.count().max(1)];
        let sum = arms.iter().fold(Vec3::ZERO, |sum, arm| sum + *arm);
        sum * (1.0 / arms.len() as f32)
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
