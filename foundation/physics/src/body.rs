//! A body: where it is, how it moves, what it weighs and how it takes part.
//!
//! Laws
//! 1. A body has two states, the last and the current: what moved it and what it may have met on its way follow from both.
//! 2. Forces and torques count for one step; then they are zero again.
//! 3. Its position is that of its shape's origin. Velocity is that of its centre of mass, and spin is about it.

use base::{Mat3, Plain, Quat, Vec3};

use crate::limits::FAR;
use crate::mass::Mass;
use crate::shape::Shape;

/// A body in the block.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Body {
    /// Where the origin of its shape is.
    pub position: Vec3,
    /// The number of its shape in the content.
    pub shape: u32,
    /// How it is turned.
    pub orientation: Quat,
    /// How fast its centre of mass moves, in metres per second.
    pub velocity: Vec3,
    /// One over its mass; zero if nothing can move it.
    pub inverse_mass: f32,
    /// How fast it turns, in radians per second about the axes of the world.
    pub spin: Vec3,
    /// For how long it has hardly moved, in seconds.
    pub rest_seconds: f32,
    /// Where it was before the last step.
    pub last_position: Vec3,
    /// What it is: see [`flag`].
    pub flags: u32,
    /// How it was turned before the last step.
    pub last_orientation: Quat,
    /// What pulls at its centre of mass in the next step, in newtons.
    pub force: Vec3,
    /// How much of gravity it feels.
    pub gravity: f32,
    /// What turns it in the next step, in newton metres.
    pub torque: Vec3,
    /// How rough it is.
    pub friction: f32,
    /// One over its moments of inertia, about its own axes of inertia.
    pub inverse_inertia: Vec3,
    /// How much of a blow it gives back, from 0 to 1.
    pub restitution: f32,
    /// How its axes of inertia are turned against those of its shape.
    pub inertia_turn: Quat,
    /// What gravity and all pulls did to it in the last step in which it was awake: if that becomes another, it wakes.
    pub felt: Vec3,
    /// How much of its spin it loses per second.
    pub spin_damping: f32,
    /// Where its centre of mass is, seen from its origin.
    pub centre: Vec3,
    /// How hard it is to roll and to spin on the spot, in metres: as if it touched the ground on a disc of this radius.
    pub rolling: f32,
    /// How much of its velocity it loses per second.
    pub damping: f32,
    /// The layers it is on: a bit for each.
    pub layers: u32,
    /// The layers it meets. Two bodies meet if each is on a layer the other meets.
    pub meets: u32,
    /// Whose body it is: whatever whoever made it says.
    pub owner: u32,
    /// Bodies of one group other than zero do not meet.
    pub group: u32,
    /// How far its shape reaches from its centre of mass.
    pub reach: f32,
    /// The radius of the largest ball within it: what moves farther in one step could pass through things.
    pub inner: f32,
}

/// What a body can be: bits of [`Body::flags`].
pub mod flag {
    /// It never moves. Without this and without mass it goes where its velocity leads, and nothing stops it.
    pub const FIXED: u32 = 1;
    /// It is asleep.
    pub const ASLEEP: u32 = 1 << 1;
    /// It notices what touches it, and stops nothing.
    pub const TRIGGER: u32 = 1 << 2;
    /// It never sleeps.
    pub const RESTLESS: u32 = 1 << 3;
    /// Its shape counts as a point, and its way as a line: it meets what the line meets, in exact order.
    pub const POINT: u32 = 1 << 4;
    /// Something about it was not finite: it stands still and touches nothing until somebody sets it right.
    pub const QUARANTINED: u32 = 1 << 5;
    /// It does not turn, whatever hits it.
    pub const UPRIGHT: u32 = 1 << 6;
}

impl Body {
    /// A body of this shape, with its number in the content, and this mass, at a place.
    pub fn new((number, shape): (u32, &Shape), mass: &Mass, position: Vec3, orientation: Quat) -> Body {
        let orientation = orientation.normal();
        Body {
            position,
            shape: number,
            orientation,
            velocity: Vec3::ZERO,
            inverse_mass: mass.inverse_mass(),
            spin: Vec3::ZERO,
            rest_seconds: 0.0,
            last_position: position,
            flags: 0,
            last_orientation: orientation,
            force: Vec3::ZERO,
            gravity: 1.0,
            torque: Vec3::ZERO,
            friction: 0.5,
            inverse_inertia: mass.inverse_moments(),
            restitution: 0.0,
            inertia_turn: mass.turn,
            felt: Vec3::ZERO,
            spin_damping: 0.0,
            centre: mass.centre,
            rolling: 0.0,
            damping: 0.0,
            layers: 1,
            meets: u32::MAX,
            owner: 0,
            group: 0,
            reach: shape.reach(mass.centre),
            inner: shape.inner(),
        }
    }

    /// A body that never moves.
    pub fn fixed(shape: (u32, &Shape), position: Vec3, orientation: Quat) -> Body {
        Body { flags: flag::FIXED, ..Body::new(shape, &Mass::NONE, position, orientation) }
    }

    /// Whether it has this flag.
    #[inline]
    pub fn is(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Whether others can move it, once it is awake.
    pub fn can_be_moved(&self) -> bool {
        self.inverse_mass > 0.0 && !self.is(flag::FIXED)
    }

    /// Whether it takes part in the solver: it moves, and is awake.
    #[inline]
    pub fn is_moving(&self) -> bool {
        self.flags & (flag::FIXED | flag::ASLEEP | flag::QUARANTINED) == 0
    }

    /// Where its centre of mass is.
    #[inline]
    pub fn centre(&self) -> Vec3 {
        self.position + self.orientation.rotate(self.centre)
    }

    /// One over its inertia, about the axes of the world.
    pub fn inverse_inertia_world(&self) -> Mat3 {
        let axes = (self.orientation * self.inertia_turn).matrix();
        let [x, y, z] = axes.columns;
        let k = self.inverse_inertia;
        Mat3::from_columns(x * k.x, y * k.y, z * k.z) * axes.transpose()
    }

    /// Pulls at it, at its centre of mass.
    pub fn add_force(&mut self, force: Vec3) {
        self.force += force;
        self.wake();
    }

    /// Pulls at a point of the world.
    pub fn add_force_at(&mut self, force: Vec3, point: Vec3) {
        self.torque += (point - self.centre()).cross(force);
        self.add_force(force);
    }

    /// Pulls along its own axes at one of its own points, as its engines would.
    pub fn add_local_force_at(&mut self, force: Vec3, point: Vec3) {
        let point = self.position + self.orientation.rotate(point);
        self.add_force_at(self.orientation.rotate(force), point);
    }

    /// Turns it.
    pub fn add_torque(&mut self, torque: Vec3) {
        self.torque += torque;
        self.wake();
    }

    /// Hits it at its centre of mass, in newton seconds.
    pub fn add_impulse(&mut self, impulse: Vec3) {
        self.velocity += impulse * self.inverse_mass;
        self.wake();
    }

    /// Hits it at a point of the world.
    pub fn add_impulse_at(&mut self, impulse: Vec3, point: Vec3) {
        let turn = (point - self.centre()).cross(impulse);
        if !self.is(flag::UPRIGHT) {
            self.spin += self.inverse_inertia_world() * turn;
        }
        self.add_impulse(impulse);
    }

    /// Lets it move again.
    pub fn wake(&mut self) {
        self.flags &= !flag::ASLEEP;
        self.rest_seconds = 0.0;
    }

    /// It does not move until something touches it.
    pub fn fall_asleep(&mut self) {
        self.flags |= flag::ASLEEP;
        (self.velocity, self.spin) = (Vec3::ZERO, Vec3::ZERO);
    }

    /// Something about it is not finite: it stands still where it last was, and touches nothing. What was no sound number is
    /// none any more.
    pub fn quarantine(&mut self) {
        let number = |number: f32| if number.is_finite() { number } else { 0.0 };
        let vector = |vector: Vec3, other: Vec3| if vector.is_finite() { vector } else { other };
        let place = |place: Vec3, other: Vec3| vector(place, other).clamp(Vec3::splat(-FAR), Vec3::splat(FAR));
        let turn = |turn: Quat| if is_turn(turn) { turn } else { Quat::IDENTITY };
        self.flags |= flag::QUARANTINED;
        (self.velocity, self.spin, self.force, self.torque) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        self.last_position = place(self.last_position, vector(self.position, Vec3::ZERO));
        self.position = place(self.position, self.last_position);
        (self.orientation, self.last_orientation) = (turn(self.orientation), turn(self.last_orientation));
        self.inertia_turn = turn(self.inertia_turn);
        self.inverse_mass = base::number::max(number(self.inverse_mass), 0.0);
        self.inverse_inertia = vector(self.inverse_inertia, Vec3::ZERO);
        (self.centre, self.felt) = (vector(self.centre, Vec3::ZERO), vector(self.felt, Vec3::ZERO));
        (self.gravity, self.friction) = (number(self.gravity), number(self.friction));
        (self.restitution, self.rolling) = (number(self.restitution), number(self.rolling));
        (self.damping, self.spin_damping) = (number(self.damping), number(self.spin_damping));
        (self.reach, self.inner) = (number(self.reach), number(self.inner));
        self.rest_seconds = number(self.rest_seconds);
    }

    /// How fast one of its points moves.
    pub fn velocity_at(&self, point: Vec3) -> Vec3 {
        self.velocity + self.spin.cross(point - self.centre())
    }

    /// Whether every number of it is finite and within what physics can work with.
    pub fn is_sound(&self) -> bool {
        // Zero times what is not finite is not zero.
        let moves = self.velocity * 0.0 + self.spin * 0.0 + self.force * 0.0 + self.torque * 0.0;
        let places = self.position * 0.0 + self.last_position * 0.0 + self.centre * 0.0;
        let vectors = moves + places + (self.inverse_inertia * 0.0 + self.felt * 0.0);
        let numbers = [self.inverse_mass, self.gravity, self.friction, self.restitution, self.rolling, self.damping];
        let others = [self.spin_damping, self.reach, self.inner, self.rest_seconds];
        let numbers = numbers.iter().chain(&others).fold(0.0, |sum, number| sum + number * 0.0);
        // Asked all at once, since nearly always all are so.
        (vectors.x + vectors.y + vectors.z + numbers == 0.0)
            & is_turn(self.orientation)
            & is_turn(self.last_orientation)
            & is_turn(self.inertia_turn)
            & (self.inverse_mass >= 0.0)
            & (self.position.abs().max_component() <= FAR)
    }
}

/// Whether this turns and does nothing else. What is not finite does not.
#[inline]
fn is_turn(turn: Quat) -> bool {
    base::number::abs(turn.dot(turn) - 1.0) < 0.01
}
