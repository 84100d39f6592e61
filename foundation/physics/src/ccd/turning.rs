//! Joined bodies that turn far in a step: their articulation is rewound to the time of impact.
//!
//! Contacts of joined bodies are speculative: that covers what they do within a third of a radian. A body that turns farther is swept
//! about the anchor of its joint, along the motion that the solver found. If it would pass through something, its whole tree goes back
//! along its path to the first impact, rebounds there with the response of the whole tree, and loses the rest of the step.
//!
//! Laws
//! 1. Only the first impact of a tree counts; of equal times, that of the lowest solver body.
//! 2. Joints are satisfied on the way back: each body follows its parent, see
//!    [`rewind`](crate::solve::articulations::projection::ArticulationProjector::rewind).

use base::Vec3;
use base::number::max;
use jobs::NONE as NO_BODY;

use super::restitution::ImpactBody;
use super::{Ccd, CcdBody, CcdScene, ROTATION_SAMPLES, SleeperVelocity};
use crate::aabb::Aabb;
use crate::body::flag;
use crate::contact::{ContactEvent, ContactEventKind};
use crate::pose::Pose;
use crate::solve::articulations::projection::ArticulationProjector;
use crate::solver_body::{SolverBody, SolverVelocity, unpad};
use crate::sweep::{self, Motion};

/// The first impact of a turning body.
#[derive(Clone, Copy)]
pub(super) struct TurningHit {
    tree: u32,
    /// As a part of the step.
    time: f32,
    solver_body: u32,
    slot: u16,
    normal: Vec3,
    point: Vec3,
}

impl Ccd {
    /// Rewinds all articulations of which a body would turn through something.
    pub(super) fn rewind_articulations(
        &mut self,
        scene: &CcdScene<'_>,
        projector: &mut ArticulationProjector<'_>,
        solver_bodies: &mut [SolverBody],
        velocities: &mut [SolverVelocity],
    ) {
        self.turning_hits.clear();
        for ccd_body in &self.bodies {
            if let Some(hit) = scene.turning_hit(ccd_body, projector, solver_bodies, velocities) {
                self.turning_hits.push(hit);
            }
        }
        if self.turning_hits.is_empty() {
            return;
        }
        self.turning_hits.sort_unstable_by(|one, other| {
            one.tree
                .cmp(&other.tree)
                .then(one.time.total_cmp(&other.time))
                .then(one.solver_body.cmp(&other.solver_body))
        });
        let mut tree = NO_BODY;
        for index in 0..self.turning_hits.len() {
            let hit = self.turning_hits[index];
            if core::mem::replace(&mut tree, hit.tree) != hit.tree {
                let candidates = &mut self.candidates;
                projector.rewind(hit.tree, hit.time, (solver_bodies, velocities), |solver_body| {
                    candidates[solver_body as usize] = true;
                });
                self.rebound(scene, projector, &hit, solver_bodies, velocities);
            }
        }
        self.gather(scene, solver_bodies, velocities);
    }

    /// Applies the impulse of an impact to both sides.
    fn rebound(
        &mut self,
        scene: &CcdScene<'_>,
        projector: &mut ArticulationProjector<'_>,
        hit: &TurningHit,
        solver_bodies: &mut [SolverBody],
        velocities: &mut [SolverVelocity],
    ) {
        let index = hit.solver_body as usize;
        let (Some((first, one)), Some((second, other))) = (scene.body(solver_bodies[index].slot), scene.body(hit.slot))
        else {
            return;
        };
        let target = scene.solver_indices.get(usize::from(hit.slot)).copied().unwrap_or(NO_BODY) as usize;
        let (far, far_center_of_mass) = match (solver_bodies.get(target), velocities.get(target)) {
            (Some(solver_body), Some(motion)) => (
                ImpactBody::of(solver_body, motion, other, solver_body.rotation),
                solver_body.center_of_mass + motion.delta_position(),
            ),
            _ => (self.struck(hit.slot, ImpactBody::resting(other)), other.world_center_of_mass()),
        };
        let arm = hit.point - solver_bodies[index].center_of_mass - velocities[index].delta_position();
        let far_arm = hit.point - far_center_of_mass;
        let near_velocity = velocities[index].linear() + velocities[index].angular().cross(arm);
        let speed = (near_velocity - far.velocity_at(far_arm)).dot(hit.normal);
        if speed <= 0.0 {
            return;
        }
        let restitution =
            if speed > scene.settings.restitution_threshold { max(one.restitution, other.restitution) } else { 0.0 };
        let far_inverse_mass = far.inverse_effective_mass(far_arm, hit.normal);
        let impulse =
            projector.push(hit.solver_body, [-hit.normal, arm], (solver_bodies, velocities), |inverse_mass| {
                (1.0 + restitution) * speed / (inverse_mass + far_inverse_mass)
            });
        let far_after = far.with_impulse(far_arm, hit.normal * impulse);
        match (solver_bodies.get(target), velocities.get_mut(target)) {
            (Some(solver_body), Some(motion)) => far_after.store(solver_body, motion, solver_body.rotation),
            _ if other.is_dynamic() && self.sleeper_velocities.len() < self.sleeper_velocities.capacity() => {
                self.sleeper_velocities.push(SleeperVelocity {
                    slot: hit.slot,
                    velocity: far_after.velocity - far.velocity,
                    angular_velocity: far_after.angular_velocity - far.angular_velocity,
                });
            }
            _ => {}
        }
        if self.impacts.len() < self.impacts.capacity() {
            let event = ContactEvent::of(first, second, ContactEventKind::Hit);
            self.impacts.push(ContactEvent { speed, impulse, point: hit.point, normal: hit.normal, ..event });
        }
    }
}

impl CcdScene<'_> {
    /// The first impact of a joined body that turns far.
    fn turning_hit(
        &self,
        ccd_body: &CcdBody,
        projector: &ArticulationProjector<'_>,
        solver_bodies: &[SolverBody],
        velocities: &[SolverVelocity],
    ) -> Option<TurningHit> {
        let index = ccd_body.solver_body as usize;
        let (solver_body, velocity) = (&solver_bodies[index], &velocities[index]);
        let (tree, anchor) = projector.anchor_of(ccd_body.solver_body).filter(|_| solver_body.is_joined)?;
        let (_, body) = self.body(solver_body.slot).filter(|(_, body)| !body.is(flag::POINT | flag::TRIGGER))?;
        let shape = self.shape_of(body)?;
        let (rotation, end_rotation) = (unpad(velocity.delta_rotation), solver_body.rotation);
        let start = solver_body.center_of_mass + solver_body.start_rotation.rotate(anchor);
        let end = solver_body.center_of_mass + velocity.delta_position() + end_rotation.rotate(anchor);
        let origin = solver_body.center_of_mass - solver_body.start_rotation.rotate(body.center_of_mass);
        let motion = Motion {
            pose: Pose::new(origin, solver_body.start_rotation),
            pivot: body.center_of_mass + anchor,
            translation: end - start,
            rotation,
        };
        let reach = body.bounding_radius + anchor.length();
        if !sweep::turns_far(shape, &motion, [body.inscribed_radius, reach]) {
            return None;
        }
        let bounds = Aabb { min: start.min(end) - Vec3::splat(reach), max: start.max(end) + Vec3::splat(reach) };
        let own = &self.broad.moving[index];
        let mut best: Option<TurningHit> = None;
        self.broad.visit_overlapping(&bounds, |proxy| {
            let slot = proxy.slot();
            if slot == own.slot() || !own.can_collide(proxy) || self.is_non_colliding(slot, own.slot()) {
                return;
            }
            let Some((_, other)) = self.body(slot).filter(|(_, other)| !other.is(flag::TRIGGER | flag::POINT)) else {
                return;
            };
            let Some(other_shape) = self.shape_of(other) else { return };
            let other_motion = self.motion_of(other, slot, 0.0, solver_bodies, velocities);
            let time_max = best.as_ref().map_or(1.0, |best| best.time);
            // It may leave a surface that it touches, and meet it again.
            let hit = (0..ROTATION_SAMPLES).find_map(|sample| {
                let from = sample as f32 / ROTATION_SAMPLES as f32;
                if from >= time_max {
                    return None;
                }
                let left = 1.0 - from;
                let (near, far) = (motion.after(from), other_motion.after(from));
                let hit = sweep::sweep_before(shape, &near, other_shape, &far, (time_max - from) / left)?;
                let time = from + hit.time * left;
                let point = motion.at(time).position + hit.anchor;
                // The solver may have stopped it, but too late.
                let passed = motion.at(1.0).point(motion.at(time).local_point(point)) - point;
                let is_passing =
                    (passed - other_motion.translation * (1.0 - time)).dot(hit.normal) > self.settings.slop;
                is_passing.then_some(TurningHit {
                    tree,
                    time,
                    solver_body: ccd_body.solver_body,
                    slot,
                    normal: hit.normal,
                    point,
                })
            });
            let is_first =
                |hit: &TurningHit| best.as_ref().is_none_or(|best| (hit.time, slot) < (best.time, best.slot));
            if let Some(hit) = hit.filter(is_first) {
                best = Some(hit);
            }
        });
        best
    }
}
