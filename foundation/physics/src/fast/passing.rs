//! Passing: who goes through a trigger within one step.
//!
//! Triggers look where bodies are as a step begins. Whoever is in one neither then nor as the step ends, but was on its way, has
//! passed it: it came and went.
//!
//! Laws
//! 1. Nothing is stopped.
//! 2. Who passed whom is told once for a step, in the order of times, then of slots, however often it did.
//! 3. If there are more than there is room for, the rest is counted.

use alloc::vec::Vec;

use base::{Handle, Vec3};
use state::share::NOBODY;

use super::way::Way;
use super::{Ground, Runner};
use crate::body::{Body, flag};
use crate::bounds::Bounds;
use crate::contact::{Touch, TouchKind};
use crate::manifold::Manifolds;
use crate::mover::{Motion, Mover};
use crate::narrow;
use crate::pose::Pose;
use crate::shape::Shape;
use crate::sweep::{self, sweep_before};
use crate::touching::POINT;

/// Who passed whom in a step.
pub struct Passing {
    list: Vec<Pass>,
    /// How many found no room.
    pub refused: u64,
}

/// One passed another, of which one is a trigger.
#[derive(Clone, Copy)]
struct Pass {
    time: f32,
    first: Handle<Body>,
    second: Handle<Body>,
    point: Vec3,
    normal: Vec3,
}

impl Pass {
    fn slots(&self) -> (u16, u16) {
        (self.first.slot(), self.second.slot())
    }
}

impl Passing {
    /// Room for so many.
    pub fn new(most: usize) -> Passing {
        Passing { list: Vec::with_capacity(most), refused: 0 }
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.list.clear();
        self.refused = 0;
    }

    /// What is to be told: that one came, and that it went.
    pub fn touches(&self) -> impl Iterator<Item = [Touch; 2]> {
        self.list.iter().map(|pass| {
            let Pass { first, second, point, normal, .. } = *pass;
            let told = |kind| Touch { point, normal, ..Touch::of(first, second, kind) };
            [told(TouchKind::Entered), told(TouchKind::Left)]
        })
    }

    fn add(&mut self, pass: Pass) {
        if self.list.len() < self.list.capacity() {
            self.list.push(pass);
        } else {
            self.refused += 1;
        }
    }

    /// Leaves those out who are in there as the step ends: they will be noticed. Brings the others into their order.
    pub(super) fn settle(&mut self, ground: &Ground<'_>, movers: &[Mover], motions: &[Motion]) {
        let is_in = |pass: &Pass| {
            let [one, other] = [pass.first, pass.second].map(|handle| ground.end_of(handle.slot(), movers, motions));
            one.zip(other).is_some_and(|(one, other)| ground.is_in(one, other))
        };
        self.list.retain(|pass| !is_in(pass));
        self.list.sort_unstable_by(|one, other| one.slots().cmp(&other.slots()).then(one.time.total_cmp(&other.time)));
        self.list.dedup_by_key(|pass| pass.slots());
        self.list.sort_unstable_by(|one, other| one.time.total_cmp(&other.time).then(one.slots().cmp(&other.slots())));
    }
}

impl Ground<'_> {
    /// Looks which triggers are on a piece of way, as far as a part of it. If the body is a trigger itself: which bodies.
    pub(super) fn pass(
        &self,
        (runner, way, part): (&Runner, &Way, f32),
        movers: &[Mover],
        motions: &[Motion],
        passing: &mut Passing,
    ) {
        let own = &self.broad.movers[runner.mover as usize];
        let Some((first, body)) = self.body(own.slot()) else { return };
        let Some(shape) = self.outline(body) else { return };
        let motion = as_seen(
            body,
            sweep::Motion {
                pose: Pose::new(way.centre - way.orientation.rotate(body.centre), way.orientation),
                centre: body.centre,
                translation: way.translation,
                rotation: way.rotation,
            },
        );
        let (end, reach) = (way.centre + way.translation * part, Vec3::splat(body.reach));
        let bounds = Bounds { least: way.centre.min(end) - reach, most: way.centre.max(end) + reach };
        self.broad.each(&bounds.grown(self.settings.margin), |proxy| {
            let slot = proxy.slot();
            if slot == own.slot() || !own.meets(proxy) || self.is_apart(own.slot(), slot) {
                return;
            }
            let Some((second, other)) = self.body(slot) else { return };
            if !is_noticed(body, other) {
                return;
            }
            let Some(other_shape) = self.outline(other) else { return };
            let other_motion = as_seen(other, self.way_of(other, slot, runner.from, movers, motions));
            let Some(hit) = sweep_before(shape, &motion, other_shape, &other_motion, part) else { return };
            let starts = [body, other].map(|body| pose_of(body, &Pose::new(body.position, body.orientation)));
            if self.is_in((shape, starts[0]), (other_shape, starts[1])) {
                return;
            }
            let time = runner.from + hit.time * (1.0 - runner.from);
            let point = motion.at(hit.time).position + hit.place;
            passing.add(Pass { time, first, second, point, normal: hit.normal });
        });
    }

    /// What triggers see of a body: its shape, and of a point a point.
    fn outline(&self, body: &Body) -> Option<&Shape> {
        if body.is(flag::POINT) { Some(&POINT) } else { self.shapes.get(body.shape) }
    }

    /// Where a body is as the step ends.
    fn end_of(&self, slot: u16, movers: &[Mover], motions: &[Motion]) -> Option<(&Shape, Pose)> {
        let (_, body) = self.body(slot)?;
        let place = self.places.get(usize::from(slot)).copied().unwrap_or(NOBODY) as usize;
        let pose = match (movers.get(place), motions.get(place)) {
            (Some(mover), Some(motion)) => {
                let centre = mover.centre + motion.moved();
                Pose::new(centre - mover.orientation.rotate(body.centre), mover.orientation)
            }
            _ => Pose::new(body.position, body.orientation),
        };
        Some((self.outline(body)?, pose_of(body, &pose)))
    }

    /// Whether a trigger notices a body that lies so.
    fn is_in(&self, (one, pose): (&Shape, Pose), (other, other_pose): (&Shape, Pose)) -> bool {
        let mut found = Manifolds::default();
        narrow::collide(one, &pose, other, &other_pose, self.settings.slop, &mut found);
        let points = found.as_slice().iter().flat_map(|manifold| manifold.points());
        points.into_iter().any(|point| point.separation <= self.settings.slop)
    }
}

/// Whether one of two is a trigger that notices the other.
pub(super) fn is_noticed(one: &Body, other: &Body) -> bool {
    one.is(flag::TRIGGER) != other.is(flag::TRIGGER) && !(one.is(flag::POINT) && other.is(flag::POINT))
}

/// Where a body is, for triggers: a point is at its centre.
fn pose_of(body: &Body, pose: &Pose) -> Pose {
    if body.is(flag::POINT) { Pose { position: pose.point(body.centre), ..*pose } } else { *pose }
}

/// How a body moves, for triggers.
fn as_seen(body: &Body, motion: sweep::Motion) -> sweep::Motion {
    if !body.is(flag::POINT) {
        return motion;
    }
    sweep::Motion {
        pose: pose_of(body, &motion.pose),
        centre: Vec3::ZERO,
        translation: motion.translation,
        rotation: Vec3::ZERO,
    }
}
