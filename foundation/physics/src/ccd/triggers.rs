//! Triggers and CCD: bodies that pass through a trigger within one step.
//!
//! Triggers test for overlap at the beginning of a step. A body that overlaps a trigger neither then nor at the end of
//! the step, but in between, has passed it: it entered and left.
//!
//! Laws
//! 1. No body is stopped.
//! 2. Kinematic bodies that move far are tested along their whole way through the step, as nothing stops them.
//! 3. A pair is reported once per step, ordered by time, then by slots, however often it passed.
//! 4. Passes beyond the capacity are counted.

use alloc::vec::Vec;

use base::{Handle, Vec3};
use jobs::NONE as NO_BODY;

use super::motion_segment::MotionSegment;
use super::{CcdBody, CcdScene};
use crate::aabb::Aabb;
use crate::body::{Body, flag};
use crate::contact::{ContactEvent, ContactEventKind};
use crate::manifold::Manifolds;
use crate::narrow;
use crate::narrow_phase::POINT;
use crate::pose::Pose;
use crate::shape::Shape;
use crate::solver_body::{SolverBody, SolverVelocity};
use crate::sweep::{self, sweep_before};

/// The passes of one step.
pub struct TriggerPasses {
    list: Vec<TriggerPass>,
    /// The number of passes beyond the capacity.
    pub refused: u64,
}

/// A pair that passed each other; one of them is a trigger.
#[derive(Clone, Copy)]
struct TriggerPass {
    time: f32,
    first: Handle<Body>,
    second: Handle<Body>,
    point: Vec3,
    normal: Vec3,
}

impl TriggerPass {
    fn slots(&self) -> (u16, u16) {
        (self.first.slot(), self.second.slot())
    }
}

impl TriggerPasses {
    /// Allocates for this many passes.
    pub fn new(capacity: usize) -> TriggerPasses {
        TriggerPasses { list: Vec::with_capacity(capacity), refused: 0 }
    }

    /// Removes all passes.
    pub fn clear(&mut self) {
        self.list.clear();
        self.refused = 0;
    }

    /// The events of each pass: entered, then left.
    pub fn events(&self) -> impl Iterator<Item = [ContactEvent; 2]> {
        self.list.iter().map(|pass| {
            let TriggerPass { first, second, point, normal, .. } = *pass;
            let event_of = |kind| ContactEvent { point, normal, ..ContactEvent::of(first, second, kind) };
            [event_of(ContactEventKind::Entered), event_of(ContactEventKind::Left)]
        })
    }

    fn add(&mut self, pass: TriggerPass) {
        if self.list.len() < self.list.capacity() {
            self.list.push(pass);
        } else {
            self.refused += 1;
        }
    }

    /// Removes pairs that overlap at the end of the step, which the next step reports, and sorts the others.
    pub(super) fn retain_left(
        &mut self,
        scene: &CcdScene<'_>,
        solver_bodies: &[SolverBody],
        velocities: &[SolverVelocity],
    ) {
        let overlaps = |pass: &TriggerPass| {
            let [one, other] =
                [pass.first, pass.second].map(|handle| scene.pose_at_end(handle.slot(), solver_bodies, velocities));
            one.zip(other).is_some_and(|(one, other)| scene.overlaps(one, other))
        };
        self.list.retain(|pass| !overlaps(pass));
        // Both bodies of a pair may have found it.
        let pair = |pass: &TriggerPass| {
            let (first, second) = pass.slots();
            (first.min(second), first.max(second))
        };
        self.list.sort_unstable_by(|one, other| {
            let by_time = one.time.total_cmp(&other.time).then(one.slots().cmp(&other.slots()));
            pair(one).cmp(&pair(other)).then(by_time)
        });
        self.list.dedup_by_key(|pass| pair(pass));
        self.list.sort_unstable_by(|one, other| one.time.total_cmp(&other.time).then(one.slots().cmp(&other.slots())));
    }
}

impl CcdScene<'_> {
    /// Finds the triggers on a segment up to a part of it. If the body itself is a trigger: the bodies.
    pub(super) fn find_passes(
        &self,
        (ccd_body, segment, part): (&CcdBody, &MotionSegment, f32),
        solver_bodies: &[SolverBody],
        velocities: &[SolverVelocity],
        passes: &mut TriggerPasses,
    ) {
        let own = &self.broad.moving[ccd_body.solver_body as usize];
        let Some((first, body)) = self.body(own.slot()) else { return };
        let Some(shape) = self.outline(body) else { return };
        let motion = trigger_motion(
            body,
            sweep::Motion {
                pose: Pose::new(
                    segment.center_of_mass - segment.start_rotation.rotate(body.center_of_mass),
                    segment.start_rotation,
                ),
                pivot: body.center_of_mass,
                translation: segment.translation,
                rotation: segment.rotation,
            },
        );
        let (end, radius) = (segment.center_of_mass + segment.translation * part, Vec3::splat(body.bounding_radius));
        let bounds =
            Aabb { min: segment.center_of_mass.min(end) - radius, max: segment.center_of_mass.max(end) + radius };
        self.broad.visit_overlapping(&bounds.expanded(self.settings.speculative_margin), |proxy| {
            let slot = proxy.slot();
            if slot == own.slot() || !own.can_collide(proxy) || self.is_non_colliding(own.slot(), slot) {
                return;
            }
            let Some((second, other)) = self.body(slot) else { return };
            if !is_detected(body, other) {
                return;
            }
            let Some(other_shape) = self.outline(other) else { return };
            let other_motion =
                trigger_motion(other, self.motion_of(other, slot, ccd_body.from, solver_bodies, velocities));
            let Some(hit) = sweep_before(shape, &motion, other_shape, &other_motion, part) else { return };
            let starts = [body, other].map(|body| trigger_pose(body, &Pose::new(body.position, body.rotation)));
            if self.overlaps((shape, starts[0]), (other_shape, starts[1])) {
                return;
            }
            let time = ccd_body.from + hit.time * (1.0 - ccd_body.from);
            let point = motion.at(hit.time).position + hit.anchor;
            passes.add(TriggerPass { time, first, second, point, normal: hit.normal });
        });
    }

    /// The shape of a body for triggers: a point is a tiny sphere.
    fn outline(&self, body: &Body) -> Option<&Shape> {
        if body.is(flag::POINT) { Some(&POINT) } else { self.shapes.get(body.shape) }
    }

    /// Shape and pose of a body at the end of the step.
    fn pose_at_end(
        &self,
        slot: u16,
        solver_bodies: &[SolverBody],
        velocities: &[SolverVelocity],
    ) -> Option<(&Shape, Pose)> {
        let (_, body) = self.body(slot)?;
        let body_index = self.solver_indices.get(usize::from(slot)).copied().unwrap_or(NO_BODY) as usize;
        let pose = match (solver_bodies.get(body_index), velocities.get(body_index)) {
            (Some(solver_body), Some(solver_velocity)) => {
                let center_of_mass = solver_body.center_of_mass + solver_velocity.delta_position();
                Pose::new(center_of_mass - solver_body.rotation.rotate(body.center_of_mass), solver_body.rotation)
            }
            _ => Pose::new(body.position, body.rotation),
        };
        Some((self.outline(body)?, trigger_pose(body, &pose)))
    }

    /// Whether two shapes overlap, by the criterion of triggers.
    fn overlaps(&self, (one, pose): (&Shape, Pose), (other, other_pose): (&Shape, Pose)) -> bool {
        let mut found = Manifolds::default();
        narrow::collide(one, &pose, other, &other_pose, self.settings.slop, &mut found);
        let points = found.as_slice().iter().flat_map(|manifold| manifold.points());
        points.into_iter().any(|point| point.separation <= self.settings.slop)
    }
}

/// Whether one of two bodies is a trigger that detects the other.
pub(super) fn is_detected(one: &Body, other: &Body) -> bool {
    one.is(flag::TRIGGER) != other.is(flag::TRIGGER) && !(one.is(flag::POINT) && other.is(flag::POINT))
}

/// The pose of a body for triggers: a point is at its centre of mass.
fn trigger_pose(body: &Body, pose: &Pose) -> Pose {
    if body.is(flag::POINT) { Pose { position: pose.point(body.center_of_mass), ..*pose } } else { *pose }
}

/// The motion of a body for triggers.
fn trigger_motion(body: &Body, motion: sweep::Motion) -> sweep::Motion {
    if !body.is(flag::POINT) {
        return motion;
    }
    sweep::Motion {
        pose: trigger_pose(body, &motion.pose),
        pivot: Vec3::ZERO,
        translation: motion.translation,
        rotation: Vec3::ZERO,
    }
}
