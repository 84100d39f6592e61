//! Joints: constraints between two bodies, with the degrees of freedom that they leave.
//!
//! A joint has a frame on each of its bodies: an anchor and a rotation. Of the six degrees of freedom of the second
//! frame relative to the first, some are *locked*; one of those left is the *joint coordinate*, which can have limits,
//! a spring and a motor.
//!
//! | kind | locked | joint coordinate | |
//! |---|---|---|---|
//! | fixed | all | | with hertz: a soft weld |
//! | hinge | all but rotation about x | angle about x | doors, turrets, elbows |
//! | slider | all but translation along x | displacement along x | lifts, pistons |
//! | ball | translation | twist about x; the swing of x has its own limit | hips, chains |
//! | distance | none | distance of the anchors | ropes, rods, springs |
//! | wheel | translation along x and y, rotation about y and z | displacement along z | the motor rotates the wheel about x |
//!
//! Laws
//! 1. A joint is plain data in the block, with the accumulated impulses of the last step for warm starting.
//! 2. A body that is [`Handle::NONE`] is the world: then that frame is in world coordinates.
//! 3. A joint with a number that is not finite, or whose body was removed, is removed, counted and reported.
//! 4. Joined bodies do not collide with each other, unless the joint has [`flag::COLLIDES`].

pub mod definition;

use base::number::abs;
use base::{Handle, Plain, Quat, Vec3};

use crate::body::Body;
use crate::limits::POSITION_MAX;

/// A joint in the block.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Joint {
    /// The first body, or none: the world.
    pub first: Handle<Body>,
    /// The second body, or none: the world.
    pub second: Handle<Body>,
    /// Its kind, a [`JointKind`].
    pub kind: u32,
    /// Its flags: see [`flag`].
    pub flags: u32,
    /// Anchor relative to the origin of the first body.
    pub first_anchor: Vec3,
    /// Anchor relative to the origin of the second body.
    pub second_anchor: Vec3,
    /// Rotation of the joint frame relative to the first body.
    pub first_rotation: Quat,
    /// Rotation of the joint frame relative to the second body.
    pub second_rotation: Quat,
    /// Lower limit of the joint coordinate, if it is limited. Angles may exceed one turn.
    pub lower: f32,
    /// Upper limit of the joint coordinate.
    pub upper: f32,
    /// Largest swing angle of a ball joint, in radians; zero: no limit, since a ball joint that cannot swing is a
    /// hinge.
    pub swing_max: f32,
    /// Rest position of the spring.
    pub rest: f32,
    /// Frequency of the spring; zero: no spring. For the effective mass at the joint; of a wheel, for its share of the
    /// hull's mass, so that two hertz give a light and a heavy car the same ride.
    pub hertz: f32,
    /// Damping ratio of the spring: 1 is critical damping.
    pub damping_ratio: f32,
    /// Rate at which the relative angular velocity of the bodies decays, per second, if the joint coordinate is an
    /// angle. With zero, a pendulum never comes to rest.
    pub drag: f32,
    /// Speed of the motor; with a target, its largest speed.
    pub motor_speed: f32,
    /// The coordinate that the motor drives to, if it has a target.
    pub motor_target: f32,
    /// The largest force or torque of the motor, in newtons or newton metres. Zero: no motor.
    pub motor_force: f32,
    /// Steering angle of a wheel about z, in radians.
    pub steering: f32,
    /// Force at which the joint breaks, in newtons, as the mean over a step. Zero: it never breaks.
    pub break_force: f32,
    /// Torque at which it breaks, in newton metres.
    pub break_torque: f32,
    /// Accumulated impulses of the last sub-step: along three axes, about them, limit, swing, spring, motor.
    pub impulses: [f32; IMPULSES],
    /// The joint coordinate: angle, distance or displacement.
    pub coordinate: f32,
    /// The rate of the joint coordinate; of a wheel, its angular velocity.
    pub speed: f32,
    /// Force on the joint in the last step.
    pub force: f32,
    /// Torque on the joint in the last step.
    pub torque: f32,
}

/// The number of accumulated impulses.
pub const IMPULSES: usize = 10;

/// Indices of accumulated impulses: three along the axes, three about them, then these.
pub mod impulse {
    /// Of the limit: positive at the lower, negative at the upper.
    pub const LIMIT: usize = 6;
    /// Of the swing limit.
    pub const SWING: usize = 7;
    /// Of the spring.
    pub const SPRING: usize = 8;
    /// Of the motor.
    pub const MOTOR: usize = 9;
}

/// The kinds of joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum JointKind {
    /// Locks all six degrees of freedom.
    Fixed = 0,
    /// Rotates about x.
    Hinge = 1,
    /// Translates along x.
    Slider = 2,
    /// Rotates about all axes.
    Ball = 3,
    /// Constrains the distance of the anchors.
    Distance = 4,
    /// Rotates about x, translates along z, is steered about z.
    Wheel = 5,
}

/// Bits of [`Joint::flags`].
pub mod flag {
    /// Its bodies collide with each other.
    pub const COLLIDES: u32 = 1;
    /// Its joint coordinate is limited.
    pub const LIMITED: u32 = 1 << 1;
    /// Its motor drives to a target, not only at a speed.
    pub const HAS_TARGET: u32 = 1 << 2;
}

impl JointKind {
    /// The kind with this number, if there is one.
    pub fn of(number: u32) -> Option<JointKind> {
        use JointKind::{Ball, Distance, Fixed, Hinge, Slider, Wheel};
        [Fixed, Hinge, Slider, Ball, Distance, Wheel].into_iter().find(|kind| *kind as u32 == number)
    }

    /// The locked translations and rotations, a bit for each axis.
    pub fn locks(self) -> (u32, u32) {
        match self {
            JointKind::Fixed => (0b111, 0b111),
            JointKind::Hinge => (0b111, 0b110),
            JointKind::Slider => (0b110, 0b111),
            JointKind::Ball => (0b111, 0),
            JointKind::Distance => (0, 0),
            JointKind::Wheel => (0b011, 0b110),
        }
    }

    /// Whether its joint coordinate is an angle.
    pub fn is_angle(self) -> bool {
        matches!(self, JointKind::Hinge | JointKind::Ball)
    }
}

impl Joint {
    /// Its kind; an unknown number is a fixed joint.
    pub fn kind(&self) -> JointKind {
        JointKind::of(self.kind).unwrap_or(JointKind::Fixed)
    }

    /// Whether it has a flag.
    pub fn is(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Drives the motor at a speed, with at most this force or torque. A speed of zero brakes.
    pub fn drive(&mut self, speed: f32, force: f32) {
        self.flags &= !flag::HAS_TARGET;
        (self.motor_speed, self.motor_force) = (speed, force);
    }

    /// Drives the motor to a coordinate, no faster than `speed`, and holds it there.
    pub fn drive_to(&mut self, target: f32, speed: f32, force: f32) {
        self.flags |= flag::HAS_TARGET;
        (self.motor_target, self.motor_speed, self.motor_force) = (target, abs(speed), force);
    }

    /// Switches the motor off.
    pub fn coast(&mut self) {
        self.motor_force = 0.0;
    }

    /// Limits the joint coordinate.
    pub fn limit(&mut self, lower: f32, upper: f32) {
        self.flags |= flag::LIMITED;
        (self.lower, self.upper) = (lower, upper);
    }

    /// Whether every number is finite and in its range.
    pub fn is_valid(&self) -> bool {
        let numbers = [
            [self.lower, self.upper, self.swing_max, self.rest],
            [self.hertz, self.damping_ratio, self.motor_speed, self.motor_target],
            [self.motor_force, self.steering, self.break_force, self.break_torque],
            [self.coordinate, self.speed, self.force, self.torque],
            [self.drag; 4],
        ];
        let anchors = [self.first_anchor, self.second_anchor];
        let rotations = [self.first_rotation, self.second_rotation];
        let is_unit = |rotation: &Quat| rotation.is_finite() && abs(rotation.dot(*rotation) - 1.0) < 0.01;
        numbers.as_flattened().iter().chain(&self.impulses).all(|number| number.is_finite())
            && anchors.iter().all(|anchor| anchor.is_finite() && anchor.abs().max_component() <= POSITION_MAX)
            && rotations.iter().all(is_unit)
            && JointKind::of(self.kind).is_some()
            && (self.first != self.second)
            && self.hertz >= 0.0
            && self.damping_ratio >= 0.0
            && self.drag >= 0.0
            && self.motor_force >= 0.0
    }
}
