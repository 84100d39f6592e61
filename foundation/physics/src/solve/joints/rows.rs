//! Rows: what a joint wants of the velocities of its two bodies, one number at a time.
//!
//! A row is a direction in which the second body moves against the first, and an impulse along it. What of the joint it holds is
//! measured twice: where the bodies are, and where their velocities would bring them. The difference is what the row sees as its
//! speed; so what turns is held on its circle and not on the tangent, and neither gains nor loses by it.
//!
//! Law: rows follow from the joint and where both bodies are, and from nothing else.

use base::number::{abs, atan2, clamp, max, sign, wrap_angle};
use base::{Quat, Vec3};

use crate::joint::{Joint, Kind, flag, slot};
use crate::mover::turned;

/// How many rows a joint has at most: a hinge's five, limit, spring and motor.
pub const ROWS_MAX: usize = 8;

/// One body of a joint, or what stands for it.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    /// Where its centre of mass was as the step began.
    pub centre: Vec3,
    /// How far it has moved since.
    pub moved: Vec3,
    /// How it is turned.
    pub orientation: Quat,
    /// How fast its centre moves.
    pub velocity: Vec3,
    /// How it turns.
    pub spin: Vec3,
    /// Where the joint is, seen from its centre of mass, not turned.
    pub anchor: Vec3,
    /// How the joint's frame is turned against it.
    pub turn: Quat,
}

/// How both frames lie.
#[derive(Clone, Copy, Debug)]
pub struct Frames {
    /// The first frame.
    pub first: Quat,
    /// The second.
    pub second: Quat,
    /// From the first body's centre to the joint.
    pub first_arm: Vec3,
    /// From the second's.
    pub second_arm: Vec3,
    /// From the joint on the first to the joint on the second.
    pub apart: Vec3,
}

/// What a joint is about, in numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measure {
    /// How far each lock is off: along three axes, and about them.
    pub locks: [f32; 6],
    /// The way.
    pub way: f32,
    /// What the motor turns or moves.
    pub turn: f32,
    /// How far the axis has swung.
    pub swing: f32,
}

/// A direction in which the second moves against the first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    /// Along.
    pub linear: Vec3,
    /// What a turn of the first is worth.
    pub first: Vec3,
    /// What a turn of the second is worth.
    pub second: Vec3,
    /// Which impulse it is.
    pub slot: usize,
}

/// The rows of a joint.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rows {
    /// The rows.
    pub list: [Row; ROWS_MAX],
    /// How many there are.
    pub count: usize,
}

impl Side {
    /// A place in the world.
    pub const WORLD: Side = Side {
        centre: Vec3::ZERO,
        moved: Vec3::ZERO,
        orientation: Quat::IDENTITY,
        velocity: Vec3::ZERO,
        spin: Vec3::ZERO,
        anchor: Vec3::ZERO,
        turn: Quat::IDENTITY,
    };

    /// Where it would be so much later.
    #[must_use]
    pub fn later(&self, seconds: f32) -> Side {
        let moved = self.moved + self.velocity * seconds;
        Side { moved, orientation: turned(self.orientation, self.spin, seconds), ..*self }
    }
}

impl Frames {
    /// Of two bodies.
    pub fn new(first: &Side, second: &Side) -> Frames {
        let (first_arm, second_arm) =
            (first.orientation.rotate(first.anchor), second.orientation.rotate(second.anchor));
        let between = (second.centre - first.centre) + (second.moved - first.moved);
        Frames {
            first: first.orientation * first.turn,
            second: second.orientation * second.turn,
            first_arm,
            second_arm,
            apart: between + second_arm - first_arm,
        }
    }

    /// What the joint is about. Angles are those nearest to where it was.
    pub fn measure(&self, joint: &Joint) -> Measure {
        let kind = joint.kind();
        let linear = self.first.rotate_back(self.apart);
        let between = self.first.conjugate() * self.second;
        let axis = between.rotate(Vec3::X);
        let twist = wrap_angle(2.0 * atan2(between.x, between.w));
        let angular = match kind.locks().1 {
            0b111 => between.axis_part() * (2.0 * if between.w < 0.0 { -1.0 } else { 1.0 }),
            _ => {
                let off = Vec3::new(0.0, -axis.z, axis.y);
                // Beyond a right angle it is as far off as can be.
                if axis.x < 0.0 { off.normal_or(Vec3::Y) } else { off }
            }
        };
        let way = match kind {
            Kind::Fixed => 0.0,
            Kind::Hinge | Kind::Ball => joint.way + wrap_angle(twist - joint.way),
            Kind::Slider => linear.x,
            Kind::Distance => self.apart.length(),
            Kind::Wheel => linear.z,
        };
        Measure {
            locks: [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z],
            way,
            turn: if kind == Kind::Wheel { twist } else { way },
            swing: Vec3::X.angle_to(axis),
        }
    }

    /// All rows of a joint.
    pub fn rows(&self, joint: &Joint) -> Rows {
        let (mut rows, kind) = (Rows::default(), joint.kind());
        let axes = self.first.matrix().columns;
        let (moving, turning) = kind.locks();
        for (index, axis) in axes.into_iter().enumerate() {
            if moving >> index & 1 == 1 {
                rows.push(self.along(axis, index));
            }
        }
        for (index, axis) in axes.into_iter().enumerate() {
            if turning >> index & 1 == 1 {
                rows.push(about(axis, 3 + index));
            }
        }
        let Some(way) = self.way_row(kind, false) else { return rows };
        if joint.is(flag::LIMITED) {
            rows.push(Row { slot: slot::LIMIT, ..way });
        }
        if kind == Kind::Ball && joint.swing_most > 0.0 {
            let axis = axes[0].cross(self.second.rotate(Vec3::X));
            rows.push(about(axis.normal_or(axes[1]), slot::SWING));
        }
        if joint.hertz > 0.0 && kind != Kind::Ball {
            rows.push(Row { slot: slot::SPRING, ..way });
        }
        if joint.motor_force > 0.0 {
            let motor = self.way_row(kind, true).unwrap_or(way);
            rows.push(Row { slot: slot::MOTOR, ..motor });
        }
        rows
    }

    /// In which direction its way is; or what its motor moves, which is another with a wheel.
    pub fn way_row(&self, kind: Kind, is_motor: bool) -> Option<Row> {
        let axis = |axis: Vec3| self.first.rotate(axis);
        Some(match kind {
            Kind::Fixed => return None,
            Kind::Slider => self.along(axis(Vec3::X), 0),
            Kind::Wheel if !is_motor => self.along(axis(Vec3::Z), 0),
            Kind::Distance => self.along(self.apart.normal_or(axis(Vec3::X)), 0),
            Kind::Wheel | Kind::Hinge | Kind::Ball => about(self.twist_axis(), 0),
        })
    }

    /// Along an axis of the first frame, which turns with the first body.
    fn along(&self, axis: Vec3, slot: usize) -> Row {
        let first = (self.first_arm + self.apart).cross(axis);
        Row { linear: axis, first, second: self.second_arm.cross(axis), slot }
    }

    /// The axis the twist is about: between both axes, and longer the farther they have swung apart.
    fn twist_axis(&self) -> Vec3 {
        let (first, second) = (self.first.rotate(Vec3::X), self.second.rotate(Vec3::X));
        (first + second) * (1.0 / max(1.0 + first.dot(second), 0.1))
    }
}

impl Rows {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Row> {
        self.list[..self.count].iter()
    }

    fn push(&mut self, row: Row) {
        if let Some(place) = self.list.get_mut(self.count) {
            *place = row;
            self.count += 1;
        }
    }
}

impl Row {
    /// How fast the second moves against the first.
    #[inline]
    pub fn speed(&self, first: &Side, second: &Side) -> f32 {
        self.linear.dot(second.velocity - first.velocity) + self.second.dot(second.spin) - self.first.dot(first.spin)
    }
}

/// How fast a motor is to turn or move.
pub fn motor_speed(joint: &Joint, measure: &Measure, rate: f32) -> f32 {
    if !joint.is(flag::GOAL) {
        return joint.motor_speed;
    }
    let left = joint.motor_goal - measure.turn;
    let is_round = joint.kind().is_angle() && !joint.is(flag::LIMITED);
    let left = if is_round { wrap_angle(left) } else { left };
    let most = abs(joint.motor_speed);
    clamp(left * rate, -most, most)
}

/// A turn about an axis.
fn about(axis: Vec3, slot: usize) -> Row {
    Row { linear: Vec3::ZERO, first: axis, second: axis, slot }
}

/// The nearest of what goes round once to where it is, once it is not limited.
pub fn kept_way(joint: &Joint, way: f32) -> f32 {
    if joint.kind().is_angle() && !joint.is(flag::LIMITED) { wrap_angle(way) } else { way }
}

/// Which side of its limits is nearer: above zero the least, below the most.
pub fn nearer_limit(joint: &Joint, way: f32) -> f32 {
    if sign(joint.most - joint.least) <= 0.0 {
        return 0.0;
    }
    if way - joint.least < joint.most - way { 1.0 } else { -1.0 }
}
