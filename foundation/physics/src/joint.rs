//! Joints: what holds two bodies together, and in which ways they may still move.
//!
//! A joint has a frame on each of its bodies: an anchor and a turn. Of how the second frame lies as the first sees it, some of the
//! six ways of moving are *locked*, and one may be left: its *way*. Along it there can be limits, a spring and a motor.
//!
//! | kind | locked | way | |
//! |---|---|---|---|
//! | fixed | everything | | with hertz: a soft weld |
//! | hinge | all but turning about x | the angle about x | doors, turrets, elbows |
//! | slider | all but moving along x | how far along x | lifts, pistons |
//! | ball | moving | the twist about x; the swing of x besides | hips, chains |
//! | distance | nothing | how far the anchors are apart | ropes, rods, springs |
//! | wheel | moving along x and y, turning about y and z | how far along z | the motor turns the wheel about x |
//!
//! Laws
//! 1. A joint is plain values in the block, with the impulses of the last step, with which the solver begins.
//! 2. A body that is [`Handle::NONE`] is the world: then that frame lies in the world.
//! 3. A joint one of whose numbers is not finite, or whose body is gone, is taken out of the world, counted and told.
//! 4. Joined bodies do not collide with one another, unless the joint says so.

pub mod draft;

use base::number::abs;
use base::{Handle, Plain, Quat, Vec3};

use crate::body::Body;
use crate::limits::FAR;

/// A joint in the block.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Joint {
    /// The first body, or none: the world.
    pub first: Handle<Body>,
    /// The second body, or none.
    pub second: Handle<Body>,
    /// What kind it is: see [`Kind`].
    pub kind: u32,
    /// What else it is: see [`flag`].
    pub flags: u32,
    /// Where the joint is, seen from the first body's origin.
    pub first_anchor: Vec3,
    /// Where it is, seen from the second's.
    pub second_anchor: Vec3,
    /// How the joint's frame is turned against the first body.
    pub first_turn: Quat,
    /// How it is turned against the second.
    pub second_turn: Quat,
    /// The least its way may be, if it is limited. Angles may go round more than once.
    pub least: f32,
    /// The most its way may be.
    pub most: f32,
    /// How far a ball may swing from its axis, in radians; zero: as far as it likes, since a ball that may not swing at all is a
    /// hinge.
    pub swing_most: f32,
    /// Where the spring rests.
    pub rest: f32,
    /// How often its spring swings in a second; zero: there is none. Of the bodies' masses at the joint; of a wheel, the hull's,
    /// shared among its wheels, so that two hertz give the same ride to a light car and a heavy one.
    pub hertz: f32,
    /// How much the spring is damped: one is just enough not to swing on.
    pub damping: f32,
    /// How much of their turning against one another its bodies lose per second, where they may turn. Without any, what dangles from
    /// a joint swings for ever.
    pub drag: f32,
    /// How fast the motor turns or moves; with a goal: how fast at most.
    pub motor_speed: f32,
    /// Where the motor goes, if it has a goal.
    pub motor_goal: f32,
    /// How strong the motor is, in newtons or newton metres. Zero: it is off.
    pub motor_force: f32,
    /// How far a wheel is steered about z, in radians.
    pub steering: f32,
    /// At what force it breaks, in newtons, as the mean of a step. Zero: never, since a joint that bears nothing is none.
    pub break_force: f32,
    /// At what torque.
    pub break_torque: f32,
    /// What it did in the last part of the last step: along its axes, about them, limit, swing, spring, motor.
    pub impulses: [f32; SLOTS],
    /// Where it is: the angle, the length, the travel.
    pub way: f32,
    /// How fast that changes; of a wheel: how fast it turns.
    pub speed: f32,
    /// What force it bore in the last step.
    pub force: f32,
    /// What torque.
    pub torque: f32,
}

/// How many impulses are remembered.
pub const SLOTS: usize = 10;

/// Which impulse is which: three along the axes, three about them, then these.
pub mod slot {
    /// Of the limit: above zero at the least, below at the most.
    pub const LIMIT: usize = 6;
    /// Of what keeps it from swinging too far.
    pub const SWING: usize = 7;
    /// Of the spring.
    pub const SPRING: usize = 8;
    /// Of the motor.
    pub const MOTOR: usize = 9;
}

/// What kinds of joints there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    /// Nothing moves.
    Fixed = 0,
    /// Turns about x.
    Hinge = 1,
    /// Moves along x.
    Slider = 2,
    /// Turns about everything.
    Ball = 3,
    /// Keeps anchors at some distance.
    Distance = 4,
    /// Turns about x, moves along z, is steered about z.
    Wheel = 5,
}

/// What a joint can be: bits of [`Joint::flags`].
pub mod flag {
    /// Its bodies collide with one another.
    pub const COLLIDES: u32 = 1;
    /// Its way is limited.
    pub const LIMITED: u32 = 1 << 1;
    /// Its motor has a goal, not only a speed.
    pub const GOAL: u32 = 1 << 2;
}

impl Kind {
    /// The kind of this number, if there is one.
    pub fn of(number: u32) -> Option<Kind> {
        use Kind::{Ball, Distance, Fixed, Hinge, Slider, Wheel};
        [Fixed, Hinge, Slider, Ball, Distance, Wheel].into_iter().find(|kind| *kind as u32 == number)
    }

    /// Which ways of moving and of turning are locked: a bit for each axis.
    pub fn locks(self) -> (u32, u32) {
        match self {
            Kind::Fixed => (0b111, 0b111),
            Kind::Hinge => (0b111, 0b110),
            Kind::Slider => (0b110, 0b111),
            Kind::Ball => (0b111, 0),
            Kind::Distance => (0, 0),
            Kind::Wheel => (0b011, 0b110),
        }
    }

    /// Whether its way is an angle.
    pub fn is_angle(self) -> bool {
        matches!(self, Kind::Hinge | Kind::Ball)
    }
}

impl Joint {
    /// What kind it is; nonsense is fixed.
    pub fn kind(&self) -> Kind {
        Kind::of(self.kind).unwrap_or(Kind::Fixed)
    }

    /// Whether it is this.
    pub fn is(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Lets the motor turn or move at a speed, with this force or torque at most. To brake: a speed of zero.
    pub fn drive(&mut self, speed: f32, force: f32) {
        self.flags &= !flag::GOAL;
        (self.motor_speed, self.motor_force) = (speed, force);
    }

    /// Lets the motor go to an angle or place, no faster than `speed`, and hold there.
    pub fn drive_to(&mut self, goal: f32, speed: f32, force: f32) {
        self.flags |= flag::GOAL;
        (self.motor_goal, self.motor_speed, self.motor_force) = (goal, abs(speed), force);
    }

    /// Lets go of the motor.
    pub fn coast(&mut self) {
        self.motor_force = 0.0;
    }

    /// Limits its way.
    pub fn limit(&mut self, least: f32, most: f32) {
        self.flags |= flag::LIMITED;
        (self.least, self.most) = (least, most);
    }

    /// Whether every number of it is finite and makes sense.
    pub fn is_sound(&self) -> bool {
        let numbers = [
            [self.least, self.most, self.swing_most, self.rest],
            [self.hertz, self.damping, self.motor_speed, self.motor_goal],
            [self.motor_force, self.steering, self.break_force, self.break_torque],
            [self.way, self.speed, self.force, self.torque],
            [self.drag; 4],
        ];
        let anchors = [self.first_anchor, self.second_anchor];
        let turns = [self.first_turn, self.second_turn];
        let is_long = |turn: &Quat| turn.is_finite() && abs(turn.dot(*turn) - 1.0) < 0.01;
        numbers.as_flattened().iter().chain(&self.impulses).all(|number| number.is_finite())
            && anchors.iter().all(|anchor| anchor.is_finite() && anchor.abs().max_component() <= FAR)
            && turns.iter().all(is_long)
            && Kind::of(self.kind).is_some()
            && (self.first != self.second)
            && self.hertz >= 0.0
            && self.damping >= 0.0
            && self.drag >= 0.0
            && self.motor_force >= 0.0
    }
}
