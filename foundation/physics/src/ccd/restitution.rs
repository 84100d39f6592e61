//! Impact response: Newton's restitution and Coulomb friction at a time of impact.
//!
//! Law: an impact adds no energy. The separation speed is at most the approach speed, and friction only removes energy.

use base::number::{max, min, sqrt};
use base::{Mat3, Quat, Vec3};
use jobs::NONE as NO_BODY;

use super::{Ccd, CcdBody, CcdScene, Impact, SleeperVelocity};
use crate::body::{Body, flag};
use crate::contact::{ContactEvent, ContactEventKind};
use crate::pose::Pose;
use crate::ray;
use crate::solver_body::{SolverBody, SolverVelocity, pad};
use crate::sweep::DRIVER_TURN_MIN;

impl Ccd {
    /// Applies the impulse of an impact. False if the bodies do not approach: then the segment only ends.
    pub(super) fn resolve_impact(
        &mut self,
        scene: &CcdScene<'_>,
        ccd_body: &CcdBody,
        impact: &Impact,
        solver_bodies: &mut [SolverBody],
        velocities: &mut [SolverVelocity],
    ) -> bool {
        let body_index = ccd_body.solver_body as usize;
        let (Some((first, one)), Some((second, other))) =
            (scene.body(solver_bodies[body_index].slot), scene.body(impact.slot))
        else {
            return false;
        };
        let target = scene.solver_indices.get(usize::from(impact.slot)).copied().unwrap_or(NO_BODY);
        let is_moving = (target as usize) < solver_bodies.len();
        let left = (1.0 - impact.time_of_impact) * scene.settings.seconds;
        let near = ImpactBody::of(&solver_bodies[body_index], &velocities[body_index], one, ccd_body.start_rotation);
        // The velocity of a freely falling body contains acceleration over the whole step: the part after the impact is
        // left out.
        let gain = solver_bodies[body_index].velocity_gain(left);
        let near = ImpactBody { velocity: near.velocity - gain, ..near };
        let [is_near_backed, is_far_backed] = self.are_backed(scene, ccd_body, impact);
        let near = if is_near_backed { near.immovable() } else { near };
        let far_rotation = if is_moving {
            let (solver_body, solver_velocity) = (&solver_bodies[target as usize], &velocities[target as usize]);
            (Quat::from_rotation_vector(
                crate::solver_body::unpad(solver_velocity.delta_rotation) * impact.time_of_impact,
            ) * solver_body.start_rotation)
                .normal()
        } else {
            other.rotation
        };
        let far = if is_moving {
            ImpactBody::of(&solver_bodies[target as usize], &velocities[target as usize], other, far_rotation)
        } else {
            self.struck(impact.slot, ImpactBody::resting(other))
        };
        let far = if is_far_backed { far.immovable() } else { far };
        let far_center_of_mass = if is_moving {
            let translation = velocities[target as usize].delta_position() * impact.time_of_impact;
            solver_bodies[target as usize].center_of_mass + translation
        } else {
            other.world_center_of_mass()
        };
        let point = ccd_body.center_of_mass + impact.arm;
        let far_arm = point - far_center_of_mass;
        let speed = (far.velocity_at(far_arm) - near.velocity_at(impact.arm)).dot(impact.normal);
        if speed >= 0.0 {
            return false;
        }
        let restitution =
            if -speed > scene.settings.restitution_threshold { max(one.restitution, other.restitution) } else { 0.0 };
        let inverse_effective_mass =
            near.inverse_effective_mass(impact.arm, impact.normal) + far.inverse_effective_mass(far_arm, impact.normal);
        let is_turning = far.angular_velocity.length() * scene.settings.seconds > DRIVER_TURN_MIN;
        let change = if ccd_body.is_driven && !other.is_dynamic() && is_turning {
            max(-(1.0 + restitution) * speed, turning_rebound([&near, &far], far_arm, impact.normal) - speed)
        } else {
            -(1.0 + restitution) * speed
        };
        let normal_impulse = if inverse_effective_mass > 0.0 { change / inverse_effective_mass } else { 0.0 };
        let friction_max = sqrt(max(one.friction * other.friction, 0.0)) * normal_impulse;
        let relative_velocity =
            |near: &ImpactBody, far: &ImpactBody| far.velocity_at(far_arm) - near.velocity_at(impact.arm);
        let friction = |near: &ImpactBody, far: &ImpactBody| {
            let tangential =
                relative_velocity(near, far) - impact.normal * relative_velocity(near, far).dot(impact.normal);
            let direction = tangential.normal();
            let inverse_mass =
                near.inverse_effective_mass(impact.arm, direction) + far.inverse_effective_mass(far_arm, direction);
            direction * if inverse_mass > 0.0 { min(tangential.length() / inverse_mass, friction_max) } else { 0.0 }
        };
        let hit = |impulse: Vec3| (near.with_impulse(impact.arm, -impulse), far.with_impulse(far_arm, impulse));
        let push = impact.normal * normal_impulse;
        let impulse = push - friction(&near, &far);
        let (mut near_after, mut far_after) = hit(impulse);
        // The work of an impulse is its product with the mean of the relative velocities before and after. Newton's
        // restitution with simultaneous friction can add energy (Kane 1984): then friction is applied after the normal
        // impulse, with the relative velocity that is left, and each impulse alone removes energy.
        if impulse.dot(relative_velocity(&near, &far) + relative_velocity(&near_after, &far_after)) > 0.0 {
            let (near, far) = hit(push);
            let friction = friction(&near, &far);
            (near_after, far_after) = (near.with_impulse(impact.arm, friction), far.with_impulse(far_arm, -friction));
        }
        let near_after = ImpactBody { velocity: near_after.velocity + gain, ..near_after };
        near_after.store(&solver_bodies[body_index], &mut velocities[body_index], ccd_body.start_rotation);
        if is_moving {
            far_after.store(&solver_bodies[target as usize], &mut velocities[target as usize], far_rotation);
        } else if other.is_dynamic() && self.sleeper_velocities.len() < self.sleeper_velocities.capacity() {
            self.sleeper_velocities.push(SleeperVelocity {
                slot: impact.slot,
                velocity: far_after.velocity - far.velocity,
                angular_velocity: far_after.angular_velocity - far.angular_velocity,
            });
        }
        if self.impacts.len() < self.impacts.capacity() {
            let event = ContactEvent::of(first, second, ContactEventKind::Hit);
            let far_pose = Pose::new(far_center_of_mass - far_rotation.rotate(other.center_of_mass), far_rotation);
            // A center stops before the surface.
            let is_center = impact.arm == Vec3::ZERO;
            let ahead = scene
                .shape_of(other)
                .filter(|_| is_center)
                .and_then(|shape| ray::cast(shape, &far_pose, point, impact.normal, one.bounding_radius + AHEAD_MAX));
            self.impacts.push(ContactEvent {
                speed: -speed,
                impulse: normal_impulse,
                point: ahead.map_or(point, |hit| point + impact.normal * hit.distance),
                normal: impact.normal,
                ..event
            });
        }
        true
    }

    /// A sleeping body with the velocity that earlier impacts of the step gave it.
    pub(super) fn struck(&self, slot: u16, at_rest: ImpactBody) -> ImpactBody {
        let earlier = self.sleeper_velocities.iter().filter(|sleeper| sleeper.slot == slot);
        earlier.fold(at_rest, |body, sleeper| ImpactBody {
            velocity: body.velocity + sleeper.velocity,
            angular_velocity: body.angular_velocity + sleeper.angular_velocity,
            ..body
        })
    }
}

/// The least speed at which a body rebounds from a kinematic one that turns into it: so it is not hit without end in ever shorter times,
/// but again when that has turned by 0.15 radians.
fn turning_rebound([body, turning]: [&ImpactBody; 2], arm: Vec3, normal: Vec3) -> f32 {
    const TURN: f32 = 0.15;
    let surface = -turning.angular_velocity.cross(arm).dot(normal);
    if surface <= 0.0 {
        return 0.0;
    }
    // What flies on straight falls behind the surface by the third power of the turn; what slides along it, by the second.
    let sliding = body.velocity - turning.velocity_at(arm);
    let sliding = (sliding - normal * sliding.dot(normal)).length();
    surface * (TURN * TURN / 3.0) + sliding * TURN
}

/// How far from a body its surface point is looked for, beyond its bounding radius, in metres.
const AHEAD_MAX: f32 = 0.1;

/// The state of one body at an impact.
#[derive(Clone, Copy)]
pub(super) struct ImpactBody {
    pub velocity: Vec3,
    pub angular_velocity: Vec3,
    inverse_mass: f32,
    inverse_inertia: Mat3,
}

impl ImpactBody {
    /// A solver body at the time when it has this rotation.
    pub fn of(solver_body: &SolverBody, solver_velocity: &SolverVelocity, body: &Body, rotation: Quat) -> ImpactBody {
        let can_rotate = solver_body.inverse_mass > 0.0 && !body.is(flag::FIXED_ROTATION);
        let turned = Body { rotation, ..*body };
        ImpactBody {
            velocity: solver_velocity.linear(),
            angular_velocity: solver_body.transport_angular_velocity(
                solver_velocity.angular(),
                solver_body.rotation,
                rotation,
            ),
            inverse_mass: solver_body.inverse_mass,
            inverse_inertia: if can_rotate { turned.inverse_inertia_world() } else { Mat3::ZERO },
        }
    }

    pub fn resting(body: &Body) -> ImpactBody {
        let can_move = body.is_dynamic();
        let can_rotate = can_move && !body.is(flag::FIXED_ROTATION);
        ImpactBody {
            velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            inverse_mass: if can_move { body.inverse_mass } else { 0.0 },
            inverse_inertia: if can_rotate { body.inverse_inertia_world() } else { Mat3::ZERO },
        }
    }

    /// The same with a weight that nothing changes.
    fn immovable(self) -> ImpactBody {
        ImpactBody { inverse_mass: 0.0, inverse_inertia: Mat3::ZERO, ..self }
    }

    pub fn velocity_at(&self, arm: Vec3) -> Vec3 {
        self.velocity + self.angular_velocity.cross(arm)
    }

    pub fn inverse_effective_mass(&self, arm: Vec3, direction: Vec3) -> f32 {
        let angular = arm.cross(direction);
        self.inverse_mass * direction.length_squared() + (self.inverse_inertia * angular).dot(angular)
    }

    pub fn with_impulse(self, arm: Vec3, impulse: Vec3) -> ImpactBody {
        let velocity = self.velocity + impulse * self.inverse_mass;
        ImpactBody {
            velocity,
            angular_velocity: self.angular_velocity + self.inverse_inertia * arm.cross(impulse),
            ..self
        }
    }

    /// Stores velocities as they will be at the end of the step, from the rotation at the impact.
    pub fn store(self, solver_body: &SolverBody, solver_velocity: &mut SolverVelocity, rotation: Quat) {
        let angular_velocity =
            solver_body.transport_angular_velocity(self.angular_velocity, rotation, solver_body.rotation);
        (solver_velocity.linear, solver_velocity.angular) = (pad(self.velocity), pad(angular_velocity));
    }
}
