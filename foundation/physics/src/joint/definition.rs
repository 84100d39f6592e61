//! Joint definitions: joints in world coordinates, before they are added to a world.
//!
//! Law: a definition has the position of the joint in the world; the frames on both bodies follow from their poses when
//! it is added. The relative pose at that moment is the zero of angles and displacements.

use base::number::clamp;
use base::{Handle, Mat3, Quat, Vec3};

use crate::body::Body;
use crate::joint::{IMPULSES, Joint, JointKind, flag};

/// A joint that is not in the world yet.
#[derive(Clone, Copy, Debug)]
pub struct JointDefinition {
    joint: Joint,
    /// Anchor on the first body.
    first: Vec3,
    /// Anchor on the second body: the same point, except for distances.
    second: Vec3,
    /// Rotation of the joint frame.
    rotation: Quat,
}

impl JointDefinition {
    /// Welds both bodies together.
    pub fn fixed(first: Handle<Body>, second: Handle<Body>, anchor: Vec3) -> JointDefinition {
        JointDefinition::new(JointKind::Fixed, [first, second], anchor, Quat::IDENTITY)
    }

    /// The second body rotates about an axis of the first.
    pub fn hinge(first: Handle<Body>, second: Handle<Body>, anchor: Vec3, axis: Vec3) -> JointDefinition {
        JointDefinition::new(JointKind::Hinge, [first, second], anchor, Quat::between(Vec3::X, axis))
    }

    /// The second body translates along an axis of the first.
    pub fn slider(first: Handle<Body>, second: Handle<Body>, anchor: Vec3, axis: Vec3) -> JointDefinition {
        JointDefinition::new(JointKind::Slider, [first, second], anchor, Quat::between(Vec3::X, axis))
    }

    /// The second body rotates freely about a point of the first.
    pub fn ball(first: Handle<Body>, second: Handle<Body>, anchor: Vec3) -> JointDefinition {
        JointDefinition::new(JointKind::Ball, [first, second], anchor, Quat::IDENTITY)
    }

    /// A ball joint with a cone limit: its axis swings by at most `swing`, and twists by at most `twist` in both
    /// directions.
    pub fn cone(
        first: Handle<Body>,
        second: Handle<Body>,
        anchor: Vec3,
        axis: Vec3,
        (swing, twist): (f32, f32),
    ) -> JointDefinition {
        let mut definition =
            JointDefinition::new(JointKind::Ball, [first, second], anchor, Quat::between(Vec3::X, axis));
        definition.joint.swing_max = clamp(swing, 0.0, core::f32::consts::PI);
        definition.with_limits(-twist, twist)
    }

    /// A rope: the distance of two points is at most `length`.
    pub fn rope(first: Handle<Body>, second: Handle<Body>, anchors: [Vec3; 2], length: f32) -> JointDefinition {
        JointDefinition::distance(first, second, anchors).with_limits(0.0, length)
    }

    /// A rod: the distance of two points stays as it is.
    pub fn rod(first: Handle<Body>, second: Handle<Body>, anchors: [Vec3; 2]) -> JointDefinition {
        let length = anchors[0].distance(anchors[1]);
        JointDefinition::distance(first, second, anchors).with_limits(length, length)
    }

    /// A spring between two points; their current distance is its rest length.
    pub fn spring(
        first: Handle<Body>,
        second: Handle<Body>,
        anchors: [Vec3; 2],
        hertz: f32,
        damping_ratio: f32,
    ) -> JointDefinition {
        JointDefinition::distance(first, second, anchors).with_spring(hertz, damping_ratio)
    }

    /// A wheel on a hull: it rotates about `axle` and translates along `up` on a spring, which rests at its current
    /// position.
    ///
    /// The defaults, two hertz and a damping ratio of 0.7, are those of cars: the hull overshoots once.
    pub fn wheel(hull: Handle<Body>, wheel: Handle<Body>, anchor: Vec3, up: Vec3, axle: Vec3) -> JointDefinition {
        let up = up.normal_or(Vec3::Z);
        let axle = (axle - up * axle.dot(up)).normal_or(up.perpendicular());
        let rotation = Quat::from_matrix(Mat3::from_columns(axle, up.cross(axle), up));
        JointDefinition::new(JointKind::Wheel, [hull, wheel], anchor, rotation).with_spring(2.0, 0.7)
    }

    /// The same with limits on the joint coordinate.
    #[must_use]
    pub fn with_limits(mut self, lower: f32, upper: f32) -> JointDefinition {
        self.joint.limit(lower, upper);
        self
    }

    /// The same with a spring along the joint coordinate, which rests at its current value.
    #[must_use]
    pub fn with_spring(mut self, hertz: f32, damping_ratio: f32) -> JointDefinition {
        (self.joint.hertz, self.joint.damping_ratio) = (hertz, damping_ratio);
        self
    }

    /// The same with a decay rate of the relative angular velocity, per second.
    #[must_use]
    pub fn with_drag(mut self, drag: f32) -> JointDefinition {
        self.joint.drag = drag;
        self
    }

    /// The same with a motor that runs at a speed.
    #[must_use]
    pub fn with_motor(mut self, speed: f32, force: f32) -> JointDefinition {
        self.joint.drive(speed, force);
        self
    }

    /// The same, but it breaks at a force or torque.
    #[must_use]
    pub fn with_break_limits(mut self, force: f32, torque: f32) -> JointDefinition {
        (self.joint.break_force, self.joint.break_torque) = (force, torque);
        self
    }

    /// The same, but its bodies collide with each other.
    #[must_use]
    pub fn with_collision(mut self) -> JointDefinition {
        self.joint.flags |= flag::COLLIDES;
        self
    }

    /// The bodies it joins.
    pub fn ends(&self) -> [Handle<Body>; 2] {
        [self.joint.first, self.joint.second]
    }

    /// The joint between bodies at their current poses; none is the world.
    pub fn resolve(&self, first: Option<&Body>, second: Option<&Body>) -> Joint {
        let place = |body: Option<&Body>, anchor: Vec3| match body {
            Some(body) => {
                let back = body.rotation.conjugate();
                (back.rotate(anchor - body.position), (back * self.rotation).normal())
            }
            None => (anchor, self.rotation),
        };
        let (first_anchor, first_rotation) = place(first, self.first);
        let (second_anchor, second_rotation) = place(second, self.second);
        Joint { first_anchor, first_rotation, second_anchor, second_rotation, ..self.joint }
    }

    fn distance(first: Handle<Body>, second: Handle<Body>, anchors: [Vec3; 2]) -> JointDefinition {
        let length = anchors[0].distance(anchors[1]);
        let mut definition = JointDefinition::new(JointKind::Distance, [first, second], anchors[0], Quat::IDENTITY);
        definition.second = anchors[1];
        (definition.joint.rest, definition.joint.coordinate) = (length, length);
        definition
    }

    fn new(kind: JointKind, [first, second]: [Handle<Body>; 2], anchor: Vec3, rotation: Quat) -> JointDefinition {
        let joint = Joint {
            first,
            second,
            kind: kind as u32,
            flags: 0,
            first_anchor: Vec3::ZERO,
            second_anchor: Vec3::ZERO,
            first_rotation: Quat::IDENTITY,
            second_rotation: Quat::IDENTITY,
            lower: 0.0,
            upper: 0.0,
            swing_max: 0.0,
            rest: 0.0,
            hertz: 0.0,
            damping_ratio: 0.0,
            drag: 0.0,
            motor_speed: 0.0,
            motor_target: 0.0,
            motor_force: 0.0,
            steering: 0.0,
            break_force: 0.0,
            break_torque: 0.0,
            impulses: [0.0; IMPULSES],
            coordinate: 0.0,
            speed: 0.0,
            force: 0.0,
            torque: 0.0,
        };
        JointDefinition { joint, first: anchor, second: anchor, rotation }
    }
}
