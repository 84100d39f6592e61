//! Joints as scripts say them: which kinds there are, what can be said of one, and the draft that follows from it.
//!
//! `!Connect(~this, door, "hinge", { at place, axis vec(0, 0, 1), least 0, most 2 })`
//!
//! Laws
//! 1. All that can be said is in the two tables here. What is said otherwise is told, and the rest counts.
//! 2. Places and directions are the world's, at that moment. How the two lie then is the zero of angles and ways, but for
//!    lengths, which are what they are.
//! 3. Every number is finite and cut to the range of its row: no saying can make a joint that is not sound.
//! 4. The level stands for the world itself: what is joined to it is joined to a place.

use base::number::{clamp, max, min};
use base::{Handle, StringId, Vec3};
use physics::{Body, Draft, Joint};
use script::value::Value;

use crate::condition::Condition;
use crate::limits::{DRAG_MOST, FAR, FAST, FORCE_MOST, HERTZ_MOST};
use crate::object::Object;
use crate::parts::{Joining, JoiningKind, NUMBERS_MAX, VECTORS_MAX};

/// What can be said of a joint.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it says, and what holds if it is not said.
    pub help: &'static str,
    id: StringId,
    least: f32,
    most: f32,
}

/// A kind of joint.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its name.
    pub name: &'static str,
    /// What is left to move.
    pub help: &'static str,
    id: StringId,
}

const fn field(name: &'static str, (least, most): (f32, f32), help: &'static str) -> Field {
    Field { name, help, id: StringId::new(name), least, most }
}

const fn kind(name: &'static str, help: &'static str) -> Kind {
    Kind { name, help, id: StringId::new(name) }
}

const HALF_TURN: f32 = core::f32::consts::PI;

/// The kinds of joints.
#[rustfmt::skip]
pub static KINDS: [Kind; 9] = [
    kind("fixed", "nothing; with `hertz` it is a soft weld"),
    kind("hinge", "it turns about `axis`: doors, turrets, elbows"),
    kind("slider", "it moves along `axis`: lifts, pistons"),
    kind("ball", "it turns about `at` as it likes: hips, chains"),
    kind("cone", "the same, but swings from `axis` by `swing` at most, and turns about it by `twist`"),
    kind("distance", "everything, but `from` and `at` stay as far apart as they are, or as `least` and `most` say"),
    kind("rope", "everything, but `from` and `at` come no farther apart than `most`; not given, than they are"),
    kind("spring", "everything, but a spring draws `from` and `at` to the distance `rest`"),
    kind("wheel", "a wheel, the second, on a hull: it turns about `axis` and moves along `up` on a spring"),
];

/// What is said in numbers.
#[rustfmt::skip]
pub static NUMBERS: [Field; NUMBERS_MAX] = [
    field("least", (-FAR, FAR), "The least angle, way or distance. Not given: there is none."),
    field("most", (-FAR, FAR), "The most. Not given: there is none."),
    field("swing", (0.0, HALF_TURN), "How far a cone swings, in radians. Not given: 1. With 0, as far as it likes."),
    field("twist", (0.0, HALF_TURN), "How far a cone turns to both sides, in radians. Not given: 1."),
    field("rest", (-FAR, FAR), "The angle, way or distance at which the spring rests. Not given: as it is now."),
    field("hertz", (0.0, HERTZ_MOST), "How often in a second its spring swings. Not given: 2 for springs and wheels; others have none."),
    field("damping", (0.0, HERTZ_MOST), "How much the spring is damped; 1 is just enough not to swing on. Not given: 1, and 0.7 for wheels."),
    field("drag", (0.0, DRAG_MOST), "At what rate the two lose their turning against one another, per second, of hinges, balls and cones: 3 leaves a twentieth of it after a second. Not given: 0; then none is lost."),
    field("speed", (-FAST, FAST), "How fast its motor turns or moves, in radians or metres per second. Not given: 0; then it brakes."),
    field("force", (0.0, FORCE_MOST), "How strong its motor is, in newtons or newton metres. Not given: it has none."),
    field("goal", (-FAR, FAR), "The angle or way to which its motor goes and holds, as fast as `speed`; of a wheel, the angle by which it is steered. Not given: none."),
    field("breaks", (0.0, FORCE_MOST), "The force at which it breaks, in newtons. Not given: none does."),
    field("breaks_torque", (0.0, FORCE_MOST), "The torque at which it breaks, in newton metres. Not given: none does."),
    field("collides", (0.0, 1.0), "Whether the two collide with one another. Not given: false."),
];

/// What is said in vectors.
#[rustfmt::skip]
pub static VECTORS: [Field; VECTORS_MAX] = [
    field("at", (-FAR, FAR), "Where it is, and where on the second. Not given: where the second is."),
    field("axis", (-FAR, FAR), "The direction of its axis; of a wheel, of its axle. Not given: `vec(0, 0, 1)`, and `vec(0, 1, 0)` for wheels."),
    field("from", (-FAR, FAR), "Where it is on the first, of ropes, springs and distances. Not given: where the first is."),
    field("up", (-FAR, FAR), "The direction in which a wheel is sprung. Not given: `vec(0, 0, 1)`."),
];

const LEAST: usize = 0;
const MOST: usize = 1;
const SWING: usize = 2;
const TWIST: usize = 3;
const REST: usize = 4;
const HERTZ: usize = 5;
const DAMPING: usize = 6;
const DRAG: usize = 7;
const SPEED: usize = 8;
const FORCE: usize = 9;
const GOAL: usize = 10;
const BREAKS: usize = 11;
const BREAKS_TORQUE: usize = 12;
const COLLIDES: usize = 13;

const AT: usize = 0;
const AXIS: usize = 1;
const FROM: usize = 2;
const UP: usize = 3;

const HINGE: StringId = StringId::new("hinge");
const SLIDER: StringId = StringId::new("slider");
const BALL: StringId = StringId::new("ball");
const CONE: StringId = StringId::new("cone");
const DISTANCE: StringId = StringId::new("distance");
const ROPE: StringId = StringId::new("rope");
const SPRING: StringId = StringId::new("spring");
const WHEEL: StringId = StringId::new("wheel");

/// Whether there is a kind of this name.
pub fn is_kind(name: StringId) -> bool {
    KINDS.iter().any(|kind| kind.id == name)
}

impl Joining {
    /// Nothing is said yet.
    pub fn new(kind: JoiningKind, name: StringId, [one, other]: [Handle<Object>; 2]) -> Joining {
        let (numbers, vectors) = ([0.0; NUMBERS_MAX], [Vec3::ZERO; VECTORS_MAX]);
        Joining { name, numbers, vectors, given: 0, kind: kind as u32, one, other }
    }

    /// The motor is to go so fast and, if that is said, be so strong.
    pub fn drive(&mut self, speed: Value, force: Value) -> Result<(), Condition> {
        self.say_number(SPEED, speed)?;
        self.say_number(FORCE, force)
    }

    /// The wheel is to be steered, the motor is to go there.
    pub fn steer(&mut self, goal: Value) -> Result<(), Condition> {
        self.say_number(GOAL, goal)
    }

    /// Says what a field of a record says. What makes no sense is not said.
    pub fn say(&mut self, name: StringId, value: Value) -> Result<(), Condition> {
        let place = |fields: &[Field]| fields.iter().position(|field| field.id == name);
        match (place(&NUMBERS), place(&VECTORS)) {
            (Some(number), _) => self.say_number(number, value),
            (None, Some(vector)) => self.say_vector(vector, value),
            (None, None) => Err(Condition::NoSuchEffect),
        }
    }

    /// Whether it is of the sort of which two bodies may have several: those that leave everything free but a distance.
    pub fn is_distance(&self) -> bool {
        matches!(self.name, DISTANCE | ROPE | SPRING)
    }

    /// The joint it asks for, between bodies that are at these places.
    pub fn draft(&self, [first, second]: [Handle<Body>; 2], places: [Vec3; 2]) -> Draft {
        let at = self.vector(AT, places[1]);
        let axis = self.vector(AXIS, Vec3::Z).normal_or(Vec3::Z);
        let anchors = [self.vector(FROM, places[0]), at];
        let hertz = self.number(HERTZ, if matches!(self.name, SPRING | WHEEL) { 2.0 } else { 0.0 });
        let damping = self.number(DAMPING, if self.name == WHEEL { 0.7 } else { 1.0 });
        let draft = match self.name {
            HINGE => Draft::hinge(first, second, at, axis),
            SLIDER => Draft::slider(first, second, at, axis),
            BALL => Draft::ball(first, second, at),
            CONE => Draft::cone(first, second, at, axis, (self.number(SWING, 1.0), self.number(TWIST, 1.0))),
            ROPE => Draft::rope(first, second, anchors, anchors[0].distance(anchors[1])),
            DISTANCE if hertz == 0.0 => Draft::rod(first, second, anchors),
            SPRING | DISTANCE => Draft::spring(first, second, anchors, hertz, damping),
            WHEEL => {
                let up = self.vector(UP, Vec3::Z).normal_or(Vec3::Z);
                Draft::wheel(first, second, at, up, self.vector(AXIS, Vec3::Y))
            }
            _ => Draft::fixed(first, second, at),
        };
        let draft = draft
            .sprung(hertz, damping)
            .dragging(self.number(DRAG, 0.0))
            .driven(self.number(SPEED, 0.0), self.number(FORCE, 0.0))
            .breaking(self.number(BREAKS, 0.0), self.number(BREAKS_TORQUE, 0.0));
        let draft = if self.number(COLLIDES, 0.0) != 0.0 { draft.colliding() } else { draft };
        if !self.has(LEAST) && !self.has(MOST) {
            return draft;
        }
        let none = if self.is_distance() { 0.0 } else { -FAR };
        let (least, most) = (self.number(LEAST, none), self.number(MOST, FAR));
        draft.limited(min(least, most), max(least, most))
    }

    /// Changes what is said of the spring and the motor of a joint that is there.
    pub fn change(&self, joint: &mut Joint) {
        if self.has(REST) {
            joint.rest = self.number(REST, 0.0);
        }
        if self.has(SPEED) || self.has(FORCE) {
            joint.drive(self.number(SPEED, joint.motor_speed), self.number(FORCE, joint.motor_force));
        }
        if self.has(GOAL) {
            let goal = self.number(GOAL, 0.0);
            match joint.kind() {
                physics::joint::Kind::Wheel => joint.steering = goal,
                _ => joint.drive_to(goal, joint.motor_speed, joint.motor_force),
            }
        }
    }

    fn say_number(&mut self, number: usize, value: Value) -> Result<(), Condition> {
        let said = match value {
            Value::NOTHING => return Ok(()),
            _ => value.as_number().or(value.as_truth().map(|truth| f64::from(u8::from(truth)))),
        };
        let said = said.ok_or(Condition::NoSuchEffect)?;
        if !said.is_finite() {
            return Err(Condition::NotFinite);
        }
        let field = &NUMBERS[number];
        self.numbers[number] = clamp(said as f32, field.least, field.most);
        self.given |= 1 << number;
        Ok(())
    }

    fn say_vector(&mut self, vector: usize, value: Value) -> Result<(), Condition> {
        if value == Value::NOTHING {
            return Ok(());
        }
        let said = value.as_vector().ok_or(Condition::NoSuchEffect)?;
        if !said.is_finite() {
            return Err(Condition::NotFinite);
        }
        let field = &VECTORS[vector];
        self.vectors[vector] = said.max(Vec3::splat(field.least)).min(Vec3::splat(field.most));
        self.given |= 1 << (NUMBERS_MAX + vector);
        Ok(())
    }

    fn has(&self, field: usize) -> bool {
        self.given >> field & 1 == 1
    }

    fn number(&self, number: usize, otherwise: f32) -> f32 {
        if self.has(number) { self.numbers[number] } else { otherwise }
    }

    fn vector(&self, vector: usize, otherwise: Vec3) -> Vec3 {
        if self.has(NUMBERS_MAX + vector) { self.vectors[vector] } else { otherwise }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_places_of_the_fields_are_those_of_the_tables() {
        let check = |field: &Field, name: &str| assert_eq!(field.name, name);
        for (place, name) in [
            (LEAST, "least"),
            (MOST, "most"),
            (SWING, "swing"),
            (TWIST, "twist"),
            (REST, "rest"),
            (HERTZ, "hertz"),
            (DAMPING, "damping"),
            (DRAG, "drag"),
            (SPEED, "speed"),
            (FORCE, "force"),
            (GOAL, "goal"),
            (BREAKS, "breaks"),
            (BREAKS_TORQUE, "breaks_torque"),
            (COLLIDES, "collides"),
        ] {
            check(&NUMBERS[place], name);
        }
        for (place, name) in [(AT, "at"), (AXIS, "axis"), (FROM, "from"), (UP, "up")] {
            check(&VECTORS[place], name);
        }
        let kinds = [StringId::new("fixed"), HINGE, SLIDER, BALL, CONE, DISTANCE, ROPE, SPRING, WHEEL];
        assert!(KINDS.iter().map(|kind| kind.id).eq(kinds));
    }
}
