//! Rigid bodies: pose, velocity, mass, material and collision filter.
//!
//! Laws
//! 1. A body has its last and its current pose: the motion of the step follows from both.
//! 2. Forces and torques act for one step; then they are cleared.
//! 3. The position is that of the shape's origin. The velocity is that of the center of mass.
//! 4. A static body never moves. A kinematic body (not static, inverse mass zero) follows its velocity and nothing stops it. A
//!    dynamic body has mass and is moved by forces, contacts and joints.

use base::{Mat3, Plain, Quat, Vec3};

use crate::limits::POSITION_MAX;
use crate::mass::Mass;
use crate::shape::Shape;

/// A body in the block.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Body {
    /// The position of its shape's origin.
    pub position: Vec3,
    /// The index of its shape in the content.
    pub shape: u32,
    /// Its rotation.
    pub rotation: Quat,
    /// The velocity of its center of mass, in metres per second.
    pub velocity: Vec3,
    /// Its inverse mass; zero if it is static or kinematic.
    pub inverse_mass: f32,
    /// Its angular velocity, in radians per second, in world axes.
    pub angular_velocity: Vec3,
    /// The time it has been at rest, in seconds.
    pub rest_seconds: f32,
    /// Its position before the last step.
    pub last_position: Vec3,
    /// Bits of [`flag`].
    pub flags: u32,
    /// Its rotation before the last step.
    pub last_rotation: Quat,
    /// The force at its center of mass in the next step, in newtons.
    pub force: Vec3,
    /// The factor of gravity and force fields.
    pub gravity_scale: f32,
    /// The torque in the next step, in newton metres.
    pub torque: Vec3,
    /// The friction coefficient. A contact has the geometric mean of both.
    pub friction: f32,
    /// Its inverse principal moments of inertia.
    pub inverse_inertia: Vec3,
    /// The coefficient of restitution, from 0 to 1. A contact has the larger of both.
    pub restitution: f32,
    /// Its principal axes, relative to its shape.
    pub principal_axes: Quat,
    /// The acceleration by gravity and force fields in the last step it was awake; a change wakes it.
    pub external_acceleration: Vec3,
    /// Angular damping, per second.
    pub angular_damping: f32,
    /// Its center of mass, relative to its origin.
    pub center_of_mass: Vec3,
    /// Rolling and torsional resistance, in metres: the radius of an equivalent contact disc.
    pub rolling_resistance: f32,
    /// Linear damping, per second.
    pub linear_damping: f32,
    /// Its collision layers: a bit for each.
    pub layers: u32,
    /// The layers it collides with. Two bodies collide if each is on a layer of the other's mask.
    pub mask: u32,
    /// The owner's number; physics only compares it with that of force fields.
    pub owner: u32,
    /// Bodies of the same group do not collide, unless it is zero.
    pub group: u32,
    /// The radius of its bounding sphere around the center of mass.
    pub bounding_radius: f32,
    /// The radius of its largest inscribed sphere: a body that moves farther in one step could tunnel.
    pub inscribed_radius: f32,
}

/// Bits of [`Body::flags`].
pub mod flag {
    /// Static. Without this bit and without mass it is kinematic.
    pub const STATIC: u32 = 1;
    /// Asleep.
    pub const ASLEEP: u32 = 1 << 1;
    /// A trigger (sensor): it reports overlaps, and has no contacts.
    pub const TRIGGER: u32 = 1 << 2;
    /// It never sleeps.
    pub const NEVER_SLEEPS: u32 = 1 << 3;
    /// A point mass: its motion is a ray cast, with exactly ordered hits.
    pub const POINT: u32 = 1 << 4;
    /// Quarantined because a number was not finite: not simulated until it is placed anew.
    pub const QUARANTINED: u32 = 1 << 5;
    /// Its rotation is fixed.
    pub const FIXED_ROTATION: u32 = 1 << 6;
}

impl Body {
    /// A dynamic body of a shape (index in the content, and shape) and mass.
    pub fn new((number, shape): (u32, &Shape), mass: &Mass, position: Vec3, rotation: Quat) -> Body {
        let rotation = rotation.normal();
        Body {
            position,
            shape: number,
            rotation,
            velocity: Vec3::ZERO,
            inverse_mass: mass.inverse_mass(),
            angular_velocity: Vec3::ZERO,
            rest_seconds: 0.0,
            last_position: position,
            flags: 0,
            last_rotation: rotation,
            force: Vec3::ZERO,
            gravity_scale: 1.0,
            torque: Vec3::ZERO,
            friction: 0.5,
            inverse_inertia: mass.inverse_moments(),
            restitution: 0.0,
            principal_axes: mass.principal_axes,
            external_acceleration: Vec3::ZERO,
            angular_damping: 0.0,
            center_of_mass: mass.center_of_mass,
            rolling_resistance: 0.0,
            linear_damping: 0.0,
            layers: 1,
            mask: u32::MAX,
            owner: 0,
            group: 0,
            bounding_radius: shape.bounding_radius(mass.center_of_mass),
            inscribed_radius: shape.inscribed_radius(),
        }
    }

    /// A static body.
    pub fn new_static(shape: (u32, &Shape), position: Vec3, rotation: Quat) -> Body {
        Body { flags: flag::STATIC, ..Body::new(shape, &Mass::NONE, position, rotation) }
    }

    /// Whether it has this flag.
    #[inline]
    pub fn is(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Whether it is dynamic.
    pub fn is_dynamic(&self) -> bool {
        self.inverse_mass > 0.0 && !self.is(flag::STATIC)
    }

    /// Whether it is simulated: not static, asleep or quarantined.
    #[inline]
    pub fn is_simulated(&self) -> bool {
        self.flags & (flag::STATIC | flag::ASLEEP | flag::QUARANTINED) == 0
    }

    /// Its center of mass in the world.
    #[inline]
    pub fn world_center_of_mass(&self) -> Vec3 {
        self.position + self.rotation.rotate(self.center_of_mass)
    }

    /// Its inverse inertia tensor in world axes.
    pub fn inverse_inertia_world(&self) -> Mat3 {
        let axes = (self.rotation * self.principal_axes).matrix();
        let [x, y, z] = axes.columns;
        let k = self.inverse_inertia;
        Mat3::from_columns(x * k.x, y * k.y, z * k.z) * axes.transpose()
    }

    /// Adds a force at the center of mass.
    pub fn add_force(&mut self, force: Vec3) {
        self.force += force;
        self.wake();
    }

    /// Adds a force at a point of the world.
    pub fn add_force_at(&mut self, force: Vec3, point: Vec3) {
        self.torque += (point - self.world_center_of_mass()).cross(force);
        self.add_force(force);
    }

    /// Adds a force in body axes at a point of the body, as an engine does.
    pub fn add_local_force_at(&mut self, force: Vec3, point: Vec3) {
        let point = self.position + self.rotation.rotate(point);
        self.add_force_at(self.rotation.rotate(force), point);
    }

    /// Adds a torque.
    pub fn add_torque(&mut self, torque: Vec3) {
        self.torque += torque;
        self.wake();
    }

    /// Applies an impulse at the center of mass, in newton seconds.
    pub fn add_impulse(&mut self, impulse: Vec3) {
        self.velocity += impulse * self.inverse_mass;
        self.wake();
    }

    /// Applies an impulse at a point of the world.
    pub fn add_impulse_at(&mut self, impulse: Vec3, point: Vec3) {
        let turn = (point - self.world_center_of_mass()).cross(impulse);
        if !self.is(flag::FIXED_ROTATION) {
            self.angular_velocity += self.inverse_inertia_world() * turn;
        }
        self.add_impulse(impulse);
    }

    /// Wakes it.
    pub fn wake(&mut self) {
        self.flags &= !flag::ASLEEP;
        self.rest_seconds = 0.0;
    }

    /// Puts it to sleep.
    pub fn fall_asleep(&mut self) {
        self.flags |= flag::ASLEEP;
        (self.velocity, self.angular_velocity) = (Vec3::ZERO, Vec3::ZERO);
    }

    /// Quarantines it at its last valid pose, and replaces every number that is not finite.
    pub fn quarantine(&mut self) {
        let number = |number: f32| if number.is_finite() { number } else { 0.0 };
        let vector = |vector: Vec3, other: Vec3| if vector.is_finite() { vector } else { other };
        let place = |place: Vec3, other: Vec3| {
            vector(place, other).clamp(Vec3::splat(-POSITION_MAX), Vec3::splat(POSITION_MAX))
        };
        let turn = |turn: Quat| if is_unit(turn) { turn } else { Quat::IDENTITY };
        self.flags |= flag::QUARANTINED;
        (self.velocity, self.angular_velocity, self.force, self.torque) =
            (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        self.last_position = place(self.last_position, vector(self.position, Vec3::ZERO));
        self.position = place(self.position, self.last_position);
        (self.rotation, self.last_rotation) = (turn(self.rotation), turn(self.last_rotation));
        self.principal_axes = turn(self.principal_axes);
        self.inverse_mass = base::number::max(number(self.inverse_mass), 0.0);
        self.inverse_inertia = vector(self.inverse_inertia, Vec3::ZERO);
        (self.center_of_mass, self.external_acceleration) =
            (vector(self.center_of_mass, Vec3::ZERO), vector(self.external_acceleration, Vec3::ZERO));
        (self.gravity_scale, self.friction) = (number(self.gravity_scale), number(self.friction));
        (self.restitution, self.rolling_resistance) = (number(self.restitution), number(self.rolling_resistance));
        (self.linear_damping, self.angular_damping) = (number(self.linear_damping), number(self.angular_damping));
        (self.bounding_radius, self.inscribed_radius) = (number(self.bounding_radius), number(self.inscribed_radius));
        self.rest_seconds = number(self.rest_seconds);
    }

    /// The velocity of a point of the world that moves with it.
    pub fn velocity_at(&self, point: Vec3) -> Vec3 {
        self.velocity + self.angular_velocity.cross(point - self.world_center_of_mass())
    }

    /// Whether every number is finite and in range.
    pub fn is_valid(&self) -> bool {
        // Zero times a number that is not finite is NaN.
        let moves = self.velocity * 0.0 + self.angular_velocity * 0.0 + self.force * 0.0 + self.torque * 0.0;
        let places = self.position * 0.0 + self.last_position * 0.0 + self.center_of_mass * 0.0;
        let vectors = moves + places + (self.inverse_inertia * 0.0 + self.external_acceleration * 0.0);
        let numbers = [
            self.inverse_mass,
            self.gravity_scale,
            self.friction,
            self.restitution,
            self.rolling_resistance,
            self.linear_damping,
        ];
        let others = [self.angular_damping, self.bounding_radius, self.inscribed_radius, self.rest_seconds];
        let numbers = numbers.iter().chain(&others).fold(0.0, |sum, number| sum + number * 0.0);
        // Without short circuits: nearly always all of them hold.
        (vectors.x + vectors.y + vectors.z + numbers == 0.0)
            & is_unit(self.rotation)
            & is_unit(self.last_rotation)
            & is_unit(self.principal_axes)
            & (self.inverse_mass >= 0.0)
            & (self.position.abs().max_component() <= POSITION_MAX)
    }
}

/// Whether a quaternion has unit length; false if it is not finite.
#[inline]
fn is_unit(turn: Quat) -> bool {
    base::number::abs(turn.dot(turn) - 1.0) < 0.01
}
