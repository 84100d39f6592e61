//! Jacobians of joints: how the constraint coordinates of a joint change with the velocities of its two bodies.
//!
//! Constraint coordinates are evaluated twice: at the current poses, and at the poses predicted from the current
//! velocities. A row takes their difference, not J·v, as its displacement over the sub-step: then a rotating body stays
//! on its circle and not on the tangent, and neither gains nor loses energy by it. SHAKE and RATTLE constrain positions
//! at the end of a step for the same reason (Ryckaert et al. 1977, Andersen 1983).
//!
//! Law: rows are a function of the joint and the poses of both bodies, and of nothing else.

use base::number::{abs, atan2, clamp, max, sign, wrap_angle};
use base::{Quat, Vec3};

use crate::joint::{Joint, JointKind, flag, impulse};
use crate::solver_body::integrate_rotation;

/// The largest number of rows of a joint: five locks of a hinge, limit, spring and motor.
pub const ROWS_MAX: usize = 8;

/// One body of a joint, or the world in its place.
#[derive(Clone, Copy, Debug)]
pub struct JointBody {
    /// The centre of mass at the beginning of the step.
    pub center_of_mass: Vec3,
    /// The translation since then.
    pub moved: Vec3,
    /// The current rotation.
    pub rotation: Quat,
    /// The velocity of the centre of mass.
    pub velocity: Vec3,
    /// The angular velocity.
    pub angular_velocity: Vec3,
    /// The anchor of the joint relative to the centre of mass, in the frame of the body.
    pub anchor: Vec3,
    /// The rotation of the joint frame relative to the body.
    pub frame: Quat,
}

/// Both joint frames in the world.
#[derive(Clone, Copy, Debug)]
pub struct JointFrames {
    /// Rotation of the frame on the first body.
    pub rotation_a: Quat,
    /// Rotation of the frame on the second body.
    pub rotation_b: Quat,
    /// From the centre of mass of the first body to its anchor.
    pub arm_a: Vec3,
    /// From the centre of mass of the second body to its anchor.
    pub arm_b: Vec3,
    /// From the anchor on the first body to the anchor on the second.
    pub separation: Vec3,
}

/// The constraint coordinates of a joint.
#[derive(Clone, Copy, Debug, Default)]
pub struct JointCoordinates {
    /// Errors of the locked degrees of freedom: along three axes, and about them.
    pub locked: [f32; 6],
    /// The joint coordinate: angle, distance or travel of the free degree of freedom.
    pub coordinate: f32,
    /// The coordinate that the motor drives: of a wheel, its angle.
    pub motor: f32,
    /// The swing angle between both x axes.
    pub swing: f32,
}

/// One row of a Jacobian: the velocity of the second body relative to the first along one direction.
#[derive(Clone, Copy, Debug, Default)]
pub struct JacobianRow {
    /// Coefficient of the linear velocities: negative for the first body.
    pub linear: Vec3,
    /// Coefficient of the angular velocity of the first body, negated.
    pub angular_a: Vec3,
    /// Coefficient of the angular velocity of the second body.
    pub angular_b: Vec3,
    /// Index of the accumulated impulse in [`Joint::impulses`].
    pub impulse_index: usize,
}

/// The rows of one joint.
#[derive(Clone, Copy, Debug, Default)]
pub struct Jacobian {
    /// The rows.
    pub list: [JacobianRow; ROWS_MAX],
    /// The number of rows in use.
    pub count: usize,
}

impl JointBody {
    /// The world itself: at rest at the origin.
    pub const WORLD: JointBody = JointBody {
        center_of_mass: Vec3::ZERO,
        moved: Vec3::ZERO,
        rotation: Quat::IDENTITY,
        velocity: Vec3::ZERO,
        angular_velocity: Vec3::ZERO,
        anchor: Vec3::ZERO,
        frame: Quat::IDENTITY,
    };

    /// The pose after this time at the current velocities.
    #[must_use]
    pub fn predicted(&self, seconds: f32) -> JointBody {
        let moved = self.moved + self.velocity * seconds;
        JointBody { moved, rotation: integrate_rotation(self.rotation, self.angular_velocity, seconds), ..*self }
    }
}

impl JointFrames {
    /// The frames of two bodies.
    pub fn new(first: &JointBody, second: &JointBody) -> JointFrames {
        let (arm_a, arm_b) = (first.rotation.rotate(first.anchor), second.rotation.rotate(second.anchor));
        let between = (second.center_of_mass - first.center_of_mass) + (second.moved - first.moved);
        JointFrames {
            rotation_a: first.rotation * first.frame,
            rotation_b: second.rotation * second.frame,
            arm_a,
            arm_b,
            separation: between + arm_b - arm_a,
        }
    }

    /// The constraint coordinates. Angles are unwrapped: the value closest to the last one.
    pub fn coordinates(&self, joint: &Joint) -> JointCoordinates {
        let kind = joint.kind();
        let linear = self.rotation_a.rotate_back(self.separation);
        let between = self.rotation_a.conjugate() * self.rotation_b;
        let axis = between.rotate(Vec3::X);
        let twist = wrap_angle(2.0 * atan2(between.x, between.w));
        let angular = match kind.locks().1 {
            0b111 => between.axis_part() * (2.0 * if between.w < 0.0 { -1.0 } else { 1.0 }),
            _ => {
                let off = Vec3::new(0.0, -axis.z, axis.y);
                // Beyond a right angle the error stays at its maximum.
                if axis.x < 0.0 { off.normal_or(Vec3::Y) } else { off }
            }
        };
        let coordinate = match kind {
            JointKind::Fixed => 0.0,
            JointKind::Hinge | JointKind::Ball => joint.coordinate + wrap_angle(twist - joint.coordinate),
            JointKind::Slider => linear.x,
            JointKind::Distance => self.separation.length(),
            JointKind::Wheel => linear.z,
        };
        JointCoordinates {
            locked: [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z],
            coordinate,
            motor: if kind == JointKind::Wheel { twist } else { coordinate },
            swing: Vec3::X.angle_to(axis),
        }
    }

    /// The rows of a joint: locks first, then limit, swing, spring and motor.
    pub fn jacobian(&self, joint: &Joint) -> Jacobian {
        let (mut rows, kind) = (Jacobian::default(), joint.kind());
        let axes = self.rotation_a.matrix().columns;
        let (moving, turning) = kind.locks();
        for (index, axis) in axes.into_iter().enumerate() {
            if moving >> index & 1 == 1 {
                rows.push(self.linear_row(axis, index));
            }
        }
        for (index, axis) in axes.into_iter().enumerate() {
            if turning >> index & 1 == 1 {
                rows.push(angular_row(axis, 3 + index));
            }
        }
        let Some(along) = self.coordinate_row(kind, false) else { return rows };
        if joint.is(flag::LIMITED) {
            rows.push(JacobianRow { impulse_index: impulse::LIMIT, ..along });
        }
        if kind == JointKind::Ball && joint.swing_max > 0.0 {
            let axis = axes[0].cross(self.rotation_b.rotate(Vec3::X));
            rows.push(angular_row(axis.normal_or(axes[1]), impulse::SWING));
        }
        if joint.hertz > 0.0 && kind != JointKind::Ball {
            rows.push(JacobianRow { impulse_index: impulse::SPRING, ..along });
        }
        if joint.motor_force > 0.0 {
            let motor = self.coordinate_row(kind, true).unwrap_or(along);
            rows.push(JacobianRow { impulse_index: impulse::MOTOR, ..motor });
        }
        rows
    }

    /// The row of the joint coordinate, or of the coordinate that the motor drives, which differs for a wheel.
    pub fn coordinate_row(&self, kind: JointKind, is_motor: bool) -> Option<JacobianRow> {
        let axis = |axis: Vec3| self.rotation_a.rotate(axis);
        Some(match kind {
            JointKind::Fixed => return None,
            JointKind::Slider => self.linear_row(axis(Vec3::X), 0),
            JointKind::Wheel if !is_motor => self.linear_row(axis(Vec3::Z), 0),
            JointKind::Distance => self.linear_row(self.separation.normal_or(axis(Vec3::X)), 0),
            JointKind::Wheel | JointKind::Hinge | JointKind::Ball => angular_row(self.twist_axis(), 0),
        })
    }

    /// A row along an axis of the first frame, which rotates with the first body.
    fn linear_row(&self, axis: Vec3, impulse_index: usize) -> JacobianRow {
        let angular_a = (self.arm_a + self.separation).cross(axis);
        JacobianRow { linear: axis, angular_a, angular_b: self.arm_b.cross(axis), impulse_index }
    }

    /// The axis of the twist angle: the sum of both x axes, scaled to the rate of the twist at the current swing.
    fn twist_axis(&self) -> Vec3 {
        let (first, second) = (self.rotation_a.rotate(Vec3::X), self.rotation_b.rotate(Vec3::X));
        (first + second) * (1.0 / max(1.0 + first.dot(second), 0.1))
    }
}

impl Jacobian {
    /// The rows in order.
    pub fn iter(&self) -> impl Iterator<Item = &JacobianRow> {
        self.list[..self.count].iter()
    }

    fn push(&mut self, row: JacobianRow) {
        assert!(self.count < ROWS_MAX, "a joint has more rows than any kind of joint needs");
        self.list[self.count] = row;
        self.count += 1;
    }
}

impl JacobianRow {
    /// The velocity of the second body relative to the first along this row.
    #[inline]
    pub fn relative_velocity(&self, first: &JointBody, second: &JointBody) -> f32 {
        self.linear.dot(second.velocity - first.velocity) + self.angular_b.dot(second.angular_velocity)
            - self.angular_a.dot(first.angular_velocity)
    }
}

/// The speed that a motor aims for.
pub fn motor_target_speed(joint: &Joint, coordinates: &JointCoordinates, rate: f32) -> f32 {
    if !joint.is(flag::HAS_TARGET) {
        return joint.motor_speed;
    }
    let left = joint.motor_target - coordinates.motor;
    let is_round = joint.kind().is_angle() && !joint.is(flag::LIMITED);
    let left = if is_round { wrap_angle(left) } else { left };
    let speed_max = abs(joint.motor_speed);
    clamp(left * rate, -speed_max, speed_max)
}

/// A row of relative rotation about an axis.
fn angular_row(axis: Vec3, impulse_index: usize) -> JacobianRow {
    JacobianRow { linear: Vec3::ZERO, angular_a: axis, angular_b: axis, impulse_index }
}

/// The coordinate to be stored: the angle of an unlimited joint is wrapped to one turn.
pub fn wrapped_coordinate(joint: &Joint, coordinate: f32) -> f32 {
    if joint.kind().is_angle() && !joint.is(flag::LIMITED) { wrap_angle(coordinate) } else { coordinate }
}

/// Which limit is nearer: 1 for the lower, -1 for the upper, 0 if both are equal.
pub fn nearer_limit(joint: &Joint, coordinate: f32) -> f32 {
    if sign(joint.upper - joint.lower) <= 0.0 {
        return 0.0;
    }
    if coordinate - joint.lower < joint.upper - coordinate { 1.0 } else { -1.0 }
}
