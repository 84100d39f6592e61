//! Solver bodies: awake bodies in contiguous arrays, split into constant and hot mutable data.
//!
//! Law: a solver body is derived from its body in the block, and lives for one step.

use base::number::{max, min, sqrt};
use base::{Mat3, Quat, Vec3};

use crate::aabb::Aabb;
use crate::body::{Body, flag};
use crate::force_field::{ForceField, external_acceleration_of};
use crate::limits::SIZE_MIN;
use crate::pose::Pose;
use crate::settings::Settings;
use crate::shape::Shape;

/// An awake body: what the solver reads. A kinematic body has an inverse mass of zero.
#[derive(Clone, Copy, Debug)]
pub struct SolverBody {
    /// Its slot.
    pub slot: u16,
    /// Whether it is in free flight: then its position is integrated exactly.
    pub is_free: bool,
    /// Whether it has a joint. CCD then follows its center only; its contacts are found as far ahead as it moves.
    pub is_joined: bool,
    /// Whether it touches an articulation that its contact is solved with: it is then warm started as joined bodies are.
    pub touches_articulation: bool,
    /// Whether it penetrates a static body so deeply that its center may enter it.
    pub is_deep: bool,
    /// The sum of the push-out speeds of its overlaps, in metres per second.
    pub push_speed_sum: f32,
    /// Its speed limit in this step.
    pub speed_max: f32,
    /// Its fraction of the mass of its articulation.
    pub mass_fraction: f32,
    /// Its pose at the start of the step.
    pub pose: Pose,
    /// Its center of mass at the start of the step, in the world.
    pub center_of_mass: Vec3,
    /// Its rotation at the start of the step.
    pub start_rotation: Quat,
    /// Its current rotation.
    pub rotation: Quat,
    /// Its acceleration by forces, gravity and force fields.
    pub acceleration: Vec3,
    /// The part of it from gravity and force fields.
    pub external_acceleration: Vec3,
    /// Its inverse mass; zero if immovable.
    pub inverse_mass: f32,
    /// Its inverse inertia tensor in world axes: xx, yy, zz, xy, xz, yz.
    pub inverse_inertia: [f32; 6],
    /// Its angular acceleration by torques.
    pub angular_acceleration: Vec3,
    /// The factor by which its velocity is damped in a sub-step.
    pub linear_damping: f32,
    /// The same for its angular velocity.
    pub angular_damping: f32,
    /// Its principal moments of inertia; zero if they are equal, since then there is no gyroscopic torque.
    pub principal_moments: Vec3,
    /// Its principal axes, relative to its shape.
    pub principal_axes: Quat,
    /// The radius of its bounding sphere around the center of mass.
    pub bounding_radius: f32,
    /// The time it has been at rest, in seconds.
    pub rest_seconds: f32,
}

/// A vector padded to four floats, so that it is loaded at once.
pub type PaddedVec3 = [f32; 4];

/// The velocity of a solver body and the motion since the step began: what the solver changes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct SolverVelocity {
    /// Its linear velocity.
    pub linear: PaddedVec3,
    /// Its angular velocity.
    pub angular: PaddedVec3,
    /// Its translation since the step began.
    pub delta_position: PaddedVec3,
    /// Its rotation vector since the step began.
    pub delta_rotation: PaddedVec3,
    /// Its free velocity: after forces of this sub-step, before impulses.
    pub free_linear: PaddedVec3,
    /// Its free angular velocity.
    pub free_angular: PaddedVec3,
}

impl SolverBody {
    /// A body that does not exist: immovable, at the origin.
    pub const NO_BODY: SolverBody = SolverBody {
        slot: 0,
        is_free: true,
        is_joined: false,
        touches_articulation: false,
        is_deep: false,
        push_speed_sum: 0.0,
        speed_max: f32::INFINITY,
        mass_fraction: 1.0,
        pose: Pose::IDENTITY,
        center_of_mass: Vec3::ZERO,
        start_rotation: Quat::IDENTITY,
        rotation: Quat::IDENTITY,
        acceleration: Vec3::ZERO,
        external_acceleration: Vec3::ZERO,
        inverse_mass: 0.0,
        inverse_inertia: [0.0; 6],
        angular_acceleration: Vec3::ZERO,
        linear_damping: 1.0,
        angular_damping: 1.0,
        principal_moments: Vec3::ZERO,
        principal_axes: Quat::IDENTITY,
        bounding_radius: 0.0,
        rest_seconds: 0.0,
    };

    /// The solver body of a body, at the start of the step.
    pub fn new(slot: u16, body: &Body, settings: &Settings, force_fields: &[ForceField]) -> SolverBody {
        debug_assert!(body.is_valid(), "body in slot {slot} is invalid: {body:?}");
        let pose = Pose::new(body.position, body.rotation);
        let has_fixed_rotation = body.is(flag::FIXED_ROTATION);
        let inertia = if has_fixed_rotation { Mat3::ZERO } else { body.inverse_inertia_world() };
        let [x, y, z] = inertia.columns;
        let external = external_acceleration_of(body, settings, force_fields);
        // An infinite acceleration counts as none: it would spread to every body in contact.
        let finite = |vector: Vec3| if vector.is_finite() { vector } else { Vec3::ZERO };
        SolverBody {
            slot,
            is_free: true,
            is_joined: false,
            touches_articulation: false,
            is_deep: false,
            push_speed_sum: 0.0,
            speed_max: f32::INFINITY,
            mass_fraction: 1.0,
            pose,
            center_of_mass: body.position + pose.direction(body.center_of_mass),
            start_rotation: body.rotation,
            rotation: body.rotation,
            acceleration: finite(external.acceleration + body.force * body.inverse_mass),
            external_acceleration: finite(external.acceleration),
            inverse_mass: body.inverse_mass,
            inverse_inertia: [x.x, y.y, z.z, y.x, z.x, z.y],
            angular_acceleration: finite(inertia * body.torque),
            linear_damping: damping_factor(max(body.linear_damping, 0.0) + external.drag, settings),
            angular_damping: damping_factor(max(body.angular_damping, 0.0) + external.drag, settings),
            principal_moments: if has_fixed_rotation { Vec3::ZERO } else { asymmetric_moments(body.inverse_inertia) },
            principal_axes: body.principal_axes,
            bounding_radius: body.bounding_radius,
            // A sleeping body that is simulated has been pushed.
            rest_seconds: if body.is(flag::ASLEEP) { 0.0 } else { body.rest_seconds },
        }
    }

    /// Its velocity gain by forces in this time, in free flight.
    pub fn velocity_gain(&self, seconds: f32) -> Vec3 {
        if self.is_free { self.acceleration * seconds } else { Vec3::ZERO }
    }

    /// The angular velocity after a sub-step of torque-free rotation (gyroscopic torque): implicit midpoint rule, solved by Newton's
    /// method, then scaled to the kinetic energy before.
    pub fn integrate_gyroscopic(&self, angular_velocity: Vec3, seconds: f32) -> Vec3 {
        let frame = self.rotation * self.principal_axes;
        let local = frame.rotate_back(angular_velocity);
        let (inertia, half) = (Mat3::from_diagonal(self.principal_moments), 0.5 * seconds);
        let mut next = local;
        for _ in 0..GYROSCOPIC_ITERATIONS {
            let middle = (local + next) * 0.5;
            let momentum = self.principal_moments.times(middle);
            let excess = self.principal_moments.times(next - local) + middle.cross(momentum) * seconds;
            let slope = inertia + (Mat3::cross_with(middle) * inertia - Mat3::cross_with(momentum)) * half;
            let Some(inverse) = slope.inverse() else { return angular_velocity };
            next -= inverse * excess;
        }
        let energy = |angular_velocity: Vec3| angular_velocity.dot(self.principal_moments.times(angular_velocity));
        let (before, after) = (energy(local), energy(next));
        if after > 0.0 && after.is_finite() { frame.rotate(next * sqrt(before / after)) } else { angular_velocity }
    }
}

impl SolverBody {
    /// Transports an angular velocity from one rotation of the body to another along torque-free motion: the direction of the angular
    /// momentum and the energy are kept. The transport back is the inverse.
    pub fn transport_angular_velocity(&self, angular_velocity: Vec3, from: Quat, to: Quat) -> Vec3 {
        if self.principal_moments == Vec3::ZERO {
            return angular_velocity;
        }
        let (from, to) = (from * self.principal_axes, to * self.principal_axes);
        let local = from.rotate_back(angular_velocity);
        let momentum = self.principal_moments.times(local);
        let turned = to.rotate_back(from.rotate(momentum));
        let next = Vec3::new(
            turned.x / self.principal_moments.x,
            turned.y / self.principal_moments.y,
            turned.z / self.principal_moments.z,
        );
        let (before, after) = (local.dot(momentum), next.dot(turned));
        if after > 0.0 && after.is_finite() { to.rotate(next * sqrt(before / after)) } else { angular_velocity }
    }
}

/// Newton iterations of the gyroscopic integration.
const GYROSCOPIC_ITERATIONS: u32 = 2;

impl Body {
    /// Takes over the result of the step. A body that became invalid is quarantined where it was.
    pub fn write_back(&mut self, solver_body: &SolverBody, velocity: &SolverVelocity, speed_max: f32) {
        (self.last_position, self.last_rotation) = (self.position, self.rotation);
        (self.force, self.torque, self.external_acceleration) =
            (Vec3::ZERO, Vec3::ZERO, solver_body.external_acceleration);
        self.flags &= !flag::ASLEEP;
        let position =
            solver_body.center_of_mass + velocity.delta_position() - solver_body.rotation.rotate(self.center_of_mass);
        let next = Body {
            // With the center of mass at the origin, rotation adds no rounding error.
            position: if self.center_of_mass == Vec3::ZERO {
                self.position + velocity.delta_position()
            } else {
                position
            },
            rotation: solver_body.rotation,
            velocity: velocity.linear().limit_length(speed_max),
            // The surface speed has the same limit.
            angular_velocity: velocity
                .angular()
                .limit_length(speed_max / base::number::max(self.bounding_radius, SIZE_MIN)),
            ..*self
        };
        if next.is_valid() {
            *self = next;
        } else {
            self.quarantine();
        }
    }
}

impl SolverVelocity {
    /// The velocity of a body, at the start of the step.
    pub fn new(body: &Body) -> SolverVelocity {
        SolverVelocity { linear: pad(body.velocity), angular: pad(body.angular_velocity), ..SolverVelocity::default() }
    }

    /// Its linear velocity.
    #[inline]
    pub fn linear(&self) -> Vec3 {
        unpad(self.linear)
    }

    /// Its angular velocity.
    #[inline]
    pub fn angular(&self) -> Vec3 {
        unpad(self.angular)
    }

    /// Its translation since the step began.
    #[inline]
    pub fn delta_position(&self) -> Vec3 {
        unpad(self.delta_position)
    }
}

/// The swept AABB of a body in a step: start and end, its rotation, and the speculative margin.
pub fn swept_bounds(shape: &Shape, body: &Body, solver_body: &SolverBody, settings: &Settings) -> Aabb {
    let here = shape.aabb(&solver_body.pose);
    let displacement =
        body.velocity * settings.seconds + solver_body.external_acceleration * (settings.seconds * settings.seconds);
    let there = Aabb { min: here.min + displacement, max: here.max + displacement };
    let turn =
        min(body.angular_velocity.length() * settings.seconds, 1.0) * (body.bounding_radius - body.inscribed_radius);
    here.union(&there).expanded(settings.speculative_margin + max(turn, 0.0))
}

/// The damping factor of a sub-step, implicit.
fn damping_factor(linear_damping: f32, settings: &Settings) -> f32 {
    1.0 / (1.0 + linear_damping * settings.seconds / settings.substeps as f32)
}

/// Principal moments of inertia; zero if they are equal, or the body cannot rotate.
fn asymmetric_moments(inverse: Vec3) -> Vec3 {
    let (least, most) = (inverse.min_component(), inverse.max_component());
    if least > 0.0 && most > least * 1.0001 {
        Vec3::new(1.0 / inverse.x, 1.0 / inverse.y, 1.0 / inverse.z)
    } else {
        Vec3::ZERO
    }
}

/// Integrates a rotation: linearly for small angles, exactly for others.
#[inline]
pub fn integrate_rotation(rotation: Quat, angular_velocity: Vec3, seconds: f32) -> Quat {
    let angle = angular_velocity.length_squared() * (seconds * seconds);
    if angle == 0.0 {
        rotation
    } else if angle < SMALL_ANGLE * SMALL_ANGLE {
        rotation.integrate(angular_velocity, seconds)
    } else {
        rotation.turned(angular_velocity, seconds)
    }
}

/// Below this angle the linear update is accurate enough, in radians.
const SMALL_ANGLE: f32 = 0.02;

/// Pads a vector.
#[inline]
pub fn pad(vector: Vec3) -> PaddedVec3 {
    [vector.x, vector.y, vector.z, 0.0]
}

/// The vector without padding.
#[inline]
pub fn unpad([x, y, z, _]: PaddedVec3) -> Vec3 {
    Vec3::new(x, y, z)
}
