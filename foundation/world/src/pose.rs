//! The orientation of an object as its scripts see it: `orientation`, `up`, `right` and `spin`, beside `facing`.
//!
//! | variable | |
//! |---|---|
//! | `orientation` | its rotation as a rotation vector: the axis, times the angle in radians |
//! | `up` | the direction of its z axis |
//! | `right` | the opposite of its y axis |
//! | `spin` | its angular velocity, in radians per second |
//!
//! Laws
//! 1. A row has a variable of these only if the tag names it. All of them can be read of any object: the world computes them from the
//!    datum and the body.
//! 2. After an object settles, the variables are bit-equal to what the datum gives: any other value is a request of its script.
//! 3. Of several requests in one cycle `orientation` counts; then `facing` with `up`, then `facing`, `up` and `right` alone, each by the
//!    shortest rotation.

use base::{Quat, StringId, Vec3};
use script::program::{Operation, Program};
use script::value::Value;

use crate::object::{FACING, Object, set};

/// The names, in the order of their numbers here.
pub const POSE_VARIABLES: [&str; 4] = ["orientation", "up", "right", "spin"];

const ORIENTATION: usize = 0;
const UP: usize = 1;
const RIGHT: usize = 2;
const SPIN: usize = 3;

const NAMES: [StringId; 4] = [
    StringId::new(POSE_VARIABLES[ORIENTATION]),
    StringId::new(POSE_VARIABLES[UP]),
    StringId::new(POSE_VARIABLES[RIGHT]),
    StringId::new(POSE_VARIABLES[SPIN]),
];

/// The direction of the axis that is `right` before any rotation: x is forward, y left, z up.
const RIGHT_AXIS: Vec3 = Vec3::new(0.0, -1.0, 0.0);

/// Where the rows of a prototype hold these variables; `u32::MAX` for those they do not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoseVariables([u32; 4]);

impl PoseVariables {
    /// No variables.
    pub const NONE: PoseVariables = PoseVariables([u32::MAX; 4]);

    /// Those of a baked program.
    pub fn of(program: &Program) -> PoseVariables {
        PoseVariables(POSE_VARIABLES.map(|name| program.variable(name).unwrap_or(u32::MAX)))
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(self) -> bool {
        self == PoseVariables::NONE
    }

    /// Whether the rows have `spin`.
    #[inline]
    pub fn has_spin(self) -> bool {
        self.0[SPIN] != u32::MAX
    }

    fn value(self, values: &[Value], which: usize) -> Option<Value> {
        values.get(self.0[which] as usize).copied()
    }

    /// The angular velocity that a row states, if it has the variable; zero if it is not finite.
    #[inline]
    pub fn spin(self, values: &[Value]) -> Option<Vec3> {
        let value = self.value(values, SPIN)?;
        Some(value.as_vector().filter(|spin| spin.is_finite()).unwrap_or(Vec3::ZERO))
    }

    /// Whether a row states this angular velocity, or none at all.
    #[inline]
    pub fn has_equal_spin(self, values: &[Value], spin: Vec3) -> bool {
        self.value(values, SPIN).is_none_or(|value| value == Value::vector(spin))
    }

    /// Sets the angular velocity of a row.
    #[inline]
    pub fn set_spin(self, values: &mut [Value], spin: Vec3) {
        set(values, self.0[SPIN] as usize, Value::vector(spin));
    }

    /// Writes what an object's datum gives: law 2.
    pub fn write(self, object: &Object, values: &mut [Value]) {
        if self.is_empty() {
            return;
        }
        for which in [ORIENTATION, UP, RIGHT] {
            if self.0[which] != u32::MAX {
                set(values, self.0[which] as usize, Value::vector(derived(object.orientation, which)));
            }
        }
    }

    /// What a row requests that differs from the datum. False in the second place if a value is no finite vector or no direction.
    pub fn requested(self, object: &Object, values: &[Value]) -> (StatedPose, Option<StringId>) {
        let (mut stated, mut wrong) = (StatedPose::default(), None);
        let facing = values.get(FACING).copied().unwrap_or_default();
        if facing.as_vector() != Some(object.facing) {
            stated.facing = direction(facing);
            wrong = stated.facing.is_none().then_some(StringId::new("facing"));
        }
        for which in [ORIENTATION, UP, RIGHT] {
            let Some(value) = self.value(values, which) else { continue };
            if value == Value::vector(derived(object.orientation, which)) {
                continue;
            }
            stated.set(which, value);
            if stated.get(which).is_none() {
                wrong = Some(NAMES[which]);
            }
        }
        (stated, wrong)
    }

    /// What the row of a new object states besides the defaults.
    pub fn stated(self, values: &[Value]) -> StatedPose {
        let mut stated = StatedPose::default();
        let facing = values.get(FACING).copied().unwrap_or_default();
        stated.facing = direction(facing).filter(|facing| *facing != Vec3::X);
        for which in [ORIENTATION, UP, RIGHT] {
            if let Some(value) = self.value(values, which).filter(|value| *value != Value::vector(identity(which))) {
                stated.set(which, value);
            }
        }
        stated.spin = self.spin(values).filter(|spin| *spin != Vec3::ZERO);
        stated
    }
}

/// An orientation that is stated in part or in whole. All directions have unit length.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StatedPose {
    /// The direction of the x axis.
    pub facing: Option<Vec3>,
    /// The rotation vector.
    pub orientation: Option<Vec3>,
    /// The direction of the z axis.
    pub up: Option<Vec3>,
    /// The opposite of the direction of the y axis.
    pub right: Option<Vec3>,
    /// The angular velocity.
    pub spin: Option<Vec3>,
}

impl StatedPose {
    /// Takes a value under a variable's name; false if the name is none of them, or the value does not fit.
    pub fn say(&mut self, name: StringId, value: Value) -> bool {
        const FACING_NAME: StringId = StringId::new("facing");
        if name == FACING_NAME {
            self.facing = direction(value);
            return self.facing.is_some();
        }
        let Some(which) = NAMES.iter().position(|known| *known == name) else { return false };
        self.set(which, value);
        self.get(which).is_some()
    }

    fn set(&mut self, which: usize, value: Value) {
        let finite = value.as_vector().filter(|vector| vector.is_finite());
        match which {
            ORIENTATION => self.orientation = finite,
            UP => self.up = direction(value),
            RIGHT => self.right = direction(value),
            _ => self.spin = finite.map(limited_spin),
        }
    }

    fn get(&self, which: usize) -> Option<Vec3> {
        [self.orientation, self.up, self.right, self.spin][which]
    }

    /// Those of another where this one states nothing.
    #[must_use]
    pub fn or(self, other: StatedPose) -> StatedPose {
        StatedPose {
            facing: self.facing.or(other.facing),
            orientation: self.orientation.or(other.orientation),
            up: self.up.or(other.up),
            right: self.right.or(other.right),
            spin: self.spin.or(other.spin),
        }
    }

    /// The orientation of an object with this one before, and its facing: law 3. None if nothing is stated.
    pub fn turned(&self, before: Quat, facing: Vec3) -> Option<(Quat, Vec3)> {
        let shortest = |from: Vec3, to: Vec3| {
            let turned = (Quat::between(from, to) * before).normal();
            (turned, turned.rotate(Vec3::X).canonical())
        };
        let turned = match *self {
            StatedPose { orientation: Some(rotation), .. } => {
                let turned = Quat::from_rotation_vector(rotation).normal();
                (turned, turned.rotate(Vec3::X).canonical())
            }
            StatedPose { facing: Some(to), up: Some(up), .. } => {
                let turned = frame(to, up);
                (turned, turned.rotate(Vec3::X).canonical())
            }
            // As it was written: a script that reads it finds what it set.
            StatedPose { facing: Some(to), .. } => ((Quat::between(facing, to) * before).normal(), to),
            StatedPose { up: Some(up), .. } => shortest(before.rotate(Vec3::Z), up),
            StatedPose { right: Some(right), .. } => shortest(before.rotate(RIGHT_AXIS), right),
            _ => return None,
        };
        (turned.0.is_finite() && turned.1.is_finite()).then_some(turned)
    }
}

/// The value of a variable of any object, except `spin`.
pub fn known(object: &Object, name: StringId) -> Option<Value> {
    let which = NAMES[..SPIN].iter().position(|known| *known == name)?;
    Some(Value::vector(derived(object.orientation, which)))
}

/// Whether a name is that of the angular velocity.
#[inline]
pub fn is_spin(name: StringId) -> bool {
    name == NAMES[SPIN]
}

/// Whether a tag's program names a variable of these: only then a row has it.
pub fn is_named(program: &Program, name: &str) -> bool {
    let (variable, id) = (program.variable(name), StringId::from(name));
    let constant = |number: u32| program.constants.get(number as usize).and_then(|constant| constant.as_string());
    let mut code = program.functions.iter().flat_map(|function| &function.code);
    code.any(|instruction| match instruction.operation {
        Operation::Variable | Operation::SetVariable => Some(instruction.number) == variable,
        // `~this.up`
        Operation::Field => constant(instruction.number) == Some(id),
        _ => false,
    })
}

/// The rotation whose x axis is `facing` and whose z axis is as near to `up` as it can be. Both have unit length.
pub fn frame(facing: Vec3, up: Vec3) -> Quat {
    let turn = Quat::between(Vec3::X, facing);
    let wanted = up - facing * up.dot(facing);
    if wanted.length_squared() < 1e-12 {
        return turn;
    }
    (Quat::between(turn.rotate(Vec3::Z), wanted.normal()) * turn).normal()
}

/// The angular velocity within the limit.
pub fn limited_spin(spin: Vec3) -> Vec3 {
    let most = Vec3::splat(crate::limits::SPIN_MAX);
    spin.clamp(-most, most).canonical()
}

fn derived(orientation: Quat, which: usize) -> Vec3 {
    match which {
        ORIENTATION => orientation.rotation_vector(),
        UP => orientation.rotate(Vec3::Z),
        _ => orientation.rotate(RIGHT_AXIS),
    }
    .canonical()
}

/// The value of a variable without any rotation.
fn identity(which: usize) -> Vec3 {
    [Vec3::ZERO, Vec3::Z, RIGHT_AXIS][which]
}

/// The direction of a value; none if it is no finite vector or has no length.
fn direction(value: Value) -> Option<Vec3> {
    let vector = value.as_vector().filter(|vector| vector.is_finite() && vector.length_squared() > 0.0)?;
    let direction = vector.normal().canonical();
    (direction.is_finite() && direction != Vec3::ZERO).then_some(direction)
}
