//! Joint requests: the kinds of joints, the parameters that scripts can give, and the joint that follows from them.
//!
//! `!Connect(~this, door, "hinge", { at place, axis vec(0, 0, 1), lower 0, upper 2 })`
//!
//! Laws
//! 1. The two tables here are all parameters. An unknown or unsuitable one is warned of, and the others count.
//! 2. Anchors and axes are in world space at that moment. The relative pose at that moment is the zero of angles and translations;
//!    distances are absolute.
//! 3. Every number is finite and clamped to the range of its row: no request makes an invalid joint.
//! 4. The level stands for the world: an object joined to it is joined to a point in space.

use base::number::{clamp, max, min};
use base::{Handle, StringId, Vec3};
use physics::{Body, Joint, JointDefinition};
use script::value::Value;

use crate::condition::Condition;
use crate::limits::{DRAG_MAX, FAR, FAST, FORCE_MAX, HERTZ_MAX};
use crate::object::Object;
use crate::parts::{JointRequest, NUMBERS_MAX, VECTORS_MAX};

/// A parameter of a joint.
#[derive(Clone, Copy, Debug)]
pub struct JointField {
    /// Its name.
    pub name: &'static str,
    /// What it means, and its default.
    pub help: &'static str,
    id: StringId,
    former_name: &'static str,
    former: StringId,
    min: f32,
    max: f32,
}

/// A kind of joint.
#[derive(Clone, Copy, Debug)]
pub struct JointKindRow {
    /// Its name.
    pub name: &'static str,
    /// The freedom it leaves.
    pub help: &'static str,
    id: StringId,
}

const fn field(name: &'static str, (min, max): (f32, f32), help: &'static str) -> JointField {
    JointField { name, help, id: StringId::new(name), former_name: "", former: StringId::NONE, min, max }
}

/// A row with the name that older scripts use.
const fn renamed(former: &'static str, field: JointField) -> JointField {
    JointField { former_name: former, former: StringId::new(former), ..field }
}

const fn kind(name: &'static str, help: &'static str) -> JointKindRow {
    JointKindRow { name, help, id: StringId::new(name) }
}

const HALF_TURN: f32 = core::f32::consts::PI;

/// The kinds of joints, with the freedom that each leaves.
#[rustfmt::skip]
pub static KINDS: [JointKindRow; 9] = [
    kind("fixed", "none; with `hertz` it is a soft weld"),
    kind("hinge", "rotation about `axis`: doors, turrets, elbows"),
    kind("slider", "translation along `axis`: lifts, pistons"),
    kind("ball", "rotation about `at`: hips, chains"),
    kind("cone", "rotation about `at`, with `swing` from `axis` and `twist` about it limited"),
    kind("distance", "all; `from` and `at` keep their distance, or stay between `lower` and `upper`"),
    kind("rope", "all; the distance of `from` and `at` is at most `upper`; not given, the current one"),
    kind("spring", "all; a spring holds `from` and `at` at the distance `rest`"),
    kind("wheel", "a wheel, the second body, on a chassis: it rotates about `axis` and moves along `up` on a spring"),
];

/// The scalar parameters.
#[rustfmt::skip]
pub static NUMBERS: [JointField; NUMBERS_MAX] = [
    renamed("least", field("lower", (-FAR, FAR), "The lower limit of the angle, translation or distance. Not given: none.")),
    renamed("most", field("upper", (-FAR, FAR), "The upper limit. Not given: none.")),
    field("swing", (0.0, HALF_TURN), "The swing limit of a cone, in radians. Not given: 1. With 0, there is none."),
    field("twist", (0.0, HALF_TURN), "The twist limit of a cone in both directions, in radians. Not given: 1."),
    field("rest", (-FAR, FAR), "The angle, translation or distance at which the spring is at rest. Not given: the current one."),
    field("hertz", (0.0, HERTZ_MAX), "The frequency of its spring. Not given: 2 for springs and wheels; others have no spring."),
    field("damping", (0.0, HERTZ_MAX), "The damping ratio of the spring; 1 is critical damping. Not given: 1, and 0.7 for wheels."),
    field("drag", (0.0, DRAG_MAX), "The rate at which the two bodies lose their relative angular velocity, per second, of hinges, balls and cones: 3 leaves a twentieth of it after a second. Not given: 0."),
    field("speed", (-FAST, FAST), "The speed of its motor, in radians or metres per second. Not given: 0; then it brakes."),
    field("force", (0.0, FORCE_MAX), "The maximum force or torque of its motor, in newtons or newton metres. Not given: it has no motor."),
    renamed("goal", field("target", (-FAR, FAR), "The angle or position that its motor drives to and holds, at most at `speed`; of a wheel, the steering angle. Not given: none.")),
    renamed("breaks", field("break_force", (0.0, FORCE_MAX), "The force at which it breaks, in newtons. Not given: it never breaks.")),
    renamed("breaks_torque", field("break_torque", (0.0, FORCE_MAX), "The torque at which it breaks, in newton metres. Not given: it never breaks.")),
    field("collides", (0.0, 1.0), "Whether the two bodies collide with each other. Not given: false."),
];

/// The vector parameters.
#[rustfmt::skip]
pub static VECTORS: [JointField; VECTORS_MAX] = [
    field("at", (-FAR, FAR), "The anchor, on the second body. Not given: the second object's position."),
    field("axis", (-FAR, FAR), "Its axis; of a wheel, the axle. Not given: `vec(0, 0, 1)`, and `vec(0, 1, 0)` for wheels."),
    field("from", (-FAR, FAR), "The anchor on the first body, of ropes, springs and distances. Not given: the first object's position."),
    field("up", (-FAR, FAR), "The direction of a wheel's suspension. Not given: `vec(0, 0, 1)`."),
];

/// The names of the kinds of joints.
pub static KIND_NAMES: [&str; KINDS.len()] = {
    let mut names = [""; KINDS.len()];
    let mut index = 0;
    while index < KINDS.len() {
        names[index] = KINDS[index].name;
        index += 1;
    }
    names
};

/// The names of all parameters, and those of older scripts behind them; empty where there is none.
pub static FIELD_NAMES: [&str; 2 * (NUMBERS_MAX + VECTORS_MAX)] = {
    let mut names = [""; 2 * (NUMBERS_MAX + VECTORS_MAX)];
    let all = NUMBERS_MAX + VECTORS_MAX;
    let mut index = 0;
    while index < all {
        let field = if index < NUMBERS_MAX { &NUMBERS[index] } else { &VECTORS[index - NUMBERS_MAX] };
        (names[index], names[all + index]) = (field.name, field.former_name);
        index += 1;
    }
    names
};

const LOWER: usize = 0;
const UPPER: usize = 1;
const SWING: usize = 2;
const TWIST: usize = 3;
const REST: usize = 4;
const HERTZ: usize = 5;
const DAMPING: usize = 6;
const DRAG: usize = 7;
const SPEED: usize = 8;
const FORCE: usize = 9;
const TARGET: usize = 10;
const BREAK_FORCE: usize = 11;
const BREAK_TORQUE: usize = 12;
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

/// Whether this is the name of a kind of joint.
pub fn is_kind(name: StringId) -> bool {
    KINDS.iter().any(|kind| kind.id == name)
}

impl JointRequest {
    /// A request without parameters.
    pub fn new(kind: u32, name: StringId, [one, other]: [Handle<Object>; 2]) -> JointRequest {
        let (numbers, vectors) = ([0.0; NUMBERS_MAX], [Vec3::ZERO; VECTORS_MAX]);
        JointRequest { name, numbers, vectors, given: 0, kind, one, other }
    }

    /// Sets the motor's speed and, if given, its force.
    pub fn drive(&mut self, speed: Value, force: Value) -> Result<(), Condition> {
        self.set_number(SPEED, speed)?;
        self.set_number(FORCE, force)
    }

    /// Sets the steering angle of a wheel, or the target of a motor.
    pub fn steer(&mut self, goal: Value) -> Result<(), Condition> {
        self.set_number(TARGET, goal)
    }

    /// Sets the parameter of a record's field. One that does not fit is not set.
    pub fn say(&mut self, name: StringId, value: Value) -> Result<(), Condition> {
        let is_it = |field: &JointField| field.id == name || (field.former == name && !name.is_none());
        let place = |fields: &[JointField]| fields.iter().position(is_it);
        match (place(&NUMBERS), place(&VECTORS)) {
            (Some(number), _) => self.set_number(number, value),
            (None, Some(vector)) => self.set_vector(vector, value),
            (None, None) => Err(Condition::NoSuchEffect),
        }
    }

    /// Whether it constrains only a distance. Two bodies may have several such joints.
    pub fn is_distance(&self) -> bool {
        matches!(self.name, DISTANCE | ROPE | SPRING)
    }

    /// The joint it asks for, between bodies at these positions.
    pub fn draft(&self, [first, second]: [Handle<Body>; 2], places: [Vec3; 2]) -> JointDefinition {
        let at = self.vector(AT, places[1]);
        let axis = self.vector(AXIS, Vec3::Z).normal_or(Vec3::Z);
        let anchors = [self.vector(FROM, places[0]), at];
        let hertz = self.number(HERTZ, if matches!(self.name, SPRING | WHEEL) { 2.0 } else { 0.0 });
        let damping = self.number(DAMPING, if self.name == WHEEL { 0.7 } else { 1.0 });
        let draft = match self.name {
            HINGE => JointDefinition::hinge(first, second, at, axis),
            SLIDER => JointDefinition::slider(first, second, at, axis),
            BALL => JointDefinition::ball(first, second, at),
            CONE => JointDefinition::cone(first, second, at, axis, (self.number(SWING, 1.0), self.number(TWIST, 1.0))),
            ROPE => JointDefinition::rope(first, second, anchors, anchors[0].distance(anchors[1])),
            DISTANCE if hertz == 0.0 => JointDefinition::rod(first, second, anchors),
            SPRING | DISTANCE => JointDefinition::spring(first, second, anchors, hertz, damping),
            WHEEL => {
                let up = self.vector(UP, Vec3::Z).normal_or(Vec3::Z);
                JointDefinition::wheel(first, second, at, up, self.vector(AXIS, Vec3::Y))
            }
            _ => JointDefinition::fixed(first, second, at),
        };
        let draft = draft
            .with_spring(hertz, damping)
            .with_drag(self.number(DRAG, 0.0))
            .with_motor(self.number(SPEED, 0.0), self.number(FORCE, 0.0))
            .with_break_limits(self.number(BREAK_FORCE, 0.0), self.number(BREAK_TORQUE, 0.0));
        let draft = if self.number(COLLIDES, 0.0) != 0.0 { draft.with_collision() } else { draft };
        if !self.has(LOWER) && !self.has(UPPER) {
            return draft;
        }
        let none = if self.is_distance() { 0.0 } else { -FAR };
        let (lower, upper) = (self.number(LOWER, none), self.number(UPPER, FAR));
        draft.with_limits(min(lower, upper), max(lower, upper))
    }

    /// Applies the spring and motor parameters that are given to an existing joint.
    pub fn change(&self, joint: &mut Joint) {
        if self.has(REST) {
            joint.rest = self.number(REST, 0.0);
        }
        if self.has(SPEED) || self.has(FORCE) {
            joint.drive(self.number(SPEED, joint.motor_speed), self.number(FORCE, joint.motor_force));
        }
        if self.has(TARGET) {
            let goal = self.number(TARGET, 0.0);
            match joint.kind() {
                physics::joint::JointKind::Wheel => joint.steering = goal,
                _ => joint.drive_to(goal, joint.motor_speed, joint.motor_force),
            }
        }
    }

    fn set_number(&mut self, number: usize, value: Value) -> Result<(), Condition> {
        let given = match value {
            Value::NOTHING => return Ok(()),
            _ => value.as_number().or(value.as_truth().map(|truth| f64::from(u8::from(truth)))),
        };
        let given = given.ok_or(Condition::NoSuchEffect)?;
        if !given.is_finite() {
            return Err(Condition::NotFinite);
        }
        let field = &NUMBERS[number];
        self.numbers[number] = clamp(given as f32, field.min, field.max);
        self.given |= 1 << number;
        Ok(())
    }

    fn set_vector(&mut self, vector: usize, value: Value) -> Result<(), Condition> {
        if value == Value::NOTHING {
            return Ok(());
        }
        let given = value.as_vector().ok_or(Condition::NoSuchEffect)?;
        if !given.is_finite() {
            return Err(Condition::NotFinite);
        }
        let field = &VECTORS[vector];
        self.vectors[vector] = given.max(Vec3::splat(field.min)).min(Vec3::splat(field.max));
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
    fn the_constants_are_the_indices_of_the_rows() {
        let check = |field: &JointField, name: &str| assert_eq!(field.name, name);
        for (place, name) in [
            (LOWER, "lower"),
            (UPPER, "upper"),
            (SWING, "swing"),
            (TWIST, "twist"),
            (REST, "rest"),
            (HERTZ, "hertz"),
            (DAMPING, "damping"),
            (DRAG, "drag"),
            (SPEED, "speed"),
            (FORCE, "force"),
            (TARGET, "target"),
            (BREAK_FORCE, "break_force"),
            (BREAK_TORQUE, "break_torque"),
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
