//! Drafts: joints as they are thought of, in the world, before they are laid into it.
//!
//! Law: a draft says where the joint is in the world at this moment; when it is laid in, the frames on both bodies follow from
//! where those are then. What they are to one another at that moment is the zero of all angles and ways.

use base::number::clamp;
use base::{Handle, Mat3, Quat, Vec3};

use crate::body::Body;
use crate::joint::{Joint, Kind, SLOTS, flag};

/// A joint that is not in the world yet.
#[derive(Clone, Copy, Debug)]
pub struct Draft {
    joint: Joint,
    /// Where the joint is on the first.
    first: Vec3,
    /// Where it is on the second: the same place, but for a distance.
    second: Vec3,
    /// How its frame is turned.
    turn: Quat,
}

impl Draft {
    /// Both are one piece.
    pub fn fixed(first: Handle<Body>, second: Handle<Body>, anchor: Vec3) -> Draft {
        Draft::new(Kind::Fixed, [first, second], anchor, Quat::IDENTITY)
    }

    /// The second turns about an axis of the first.
    pub fn hinge(first: Handle<Body>, second: Handle<Body>, anchor: Vec3, axis: Vec3) -> Draft {
        Draft::new(Kind::Hinge, [first, second], anchor, Quat::between(Vec3::X, axis))
    }

    /// The second moves along an axis of the first.
    pub fn slider(first: Handle<Body>, second: Handle<Body>, anchor: Vec3, axis: Vec3) -> Draft {
        Draft::new(Kind::Slider, [first, second], anchor, Quat::between(Vec3::X, axis))
    }

    /// The second turns freely about a point of the first.
    pub fn ball(first: Handle<Body>, second: Handle<Body>, anchor: Vec3) -> Draft {
        Draft::new(Kind::Ball, [first, second], anchor, Quat::IDENTITY)
    }

    /// A ball whose axis swings no farther than `swing` and that twists about it no farther than `twist`, to both sides.
    pub fn cone(
        first: Handle<Body>,
        second: Handle<Body>,
        anchor: Vec3,
        axis: Vec3,
        (swing, twist): (f32, f32),
    ) -> Draft {
        let mut draft = Draft::new(Kind::Ball, [first, second], anchor, Quat::between(Vec3::X, axis));
        draft.joint.swing_most = clamp(swing, 0.0, core::f32::consts::PI);
        draft.limited(-twist, twist)
    }

    /// A rope: two points are no farther apart than `length`.
    pub fn rope(first: Handle<Body>, second: Handle<Body>, anchors: [Vec3; 2], length: f32) -> Draft {
        Draft::distance(first, second, anchors).limited(0.0, length)
    }

    /// A rod: two points stay as far apart as they are.
    pub fn rod(first: Handle<Body>, second: Handle<Body>, anchors: [Vec3; 2]) -> Draft {
        let length = anchors[0].distance(anchors[1]);
        Draft::distance(first, second, anchors).limited(length, length)
    }

    /// A spring between two points, which rests at the distance they have.
    pub fn spring(first: Handle<Body>, second: Handle<Body>, anchors: [Vec3; 2], hertz: f32, damping: f32) -> Draft {
        Draft::distance(first, second, anchors).sprung(hertz, damping)
    }

    /// A wheel on a hull: it turns about `axle` and moves along `up` on a spring, from where it is now.
    ///
    /// Left as they are, the spring has two hertz, as cars do, and is damped by 0.7, so that the hull nods once and no more.
    pub fn wheel(hull: Handle<Body>, wheel: Handle<Body>, anchor: Vec3, up: Vec3, axle: Vec3) -> Draft {
        let up = up.normal_or(Vec3::Z);
        let axle = (axle - up * axle.dot(up)).normal_or(up.perpendicular());
        let turn = Quat::from_matrix(Mat3::from_columns(axle, up.cross(axle), up));
        Draft::new(Kind::Wheel, [hull, wheel], anchor, turn).sprung(2.0, 0.7)
    }

    /// The same with limits to its way.
    #[must_use]
    pub fn limited(mut self, least: f32, most: f32) -> Draft {
        self.joint.limit(least, most);
        self
    }

    /// The same with a spring along its way, which rests where it is now.
    #[must_use]
    pub fn sprung(mut self, hertz: f32, damping: f32) -> Draft {
        (self.joint.hertz, self.joint.damping) = (hertz, damping);
        self
    }

    /// The same, but its bodies lose so much of their turning against one another per second.
    #[must_use]
    pub fn dragging(mut self, drag: f32) -> Draft {
        self.joint.drag = drag;
        self
    }

    /// The same with a motor that turns or moves at a speed.
    #[must_use]
    pub fn driven(mut self, speed: f32, force: f32) -> Draft {
        self.joint.drive(speed, force);
        self
    }

    /// The same, but it breaks.
    #[must_use]
    pub fn breaking(mut self, force: f32, torque: f32) -> Draft {
        (self.joint.break_force, self.joint.break_torque) = (force, torque);
        self
    }

    /// The same, but its bodies collide with one another.
    #[must_use]
    pub fn colliding(mut self) -> Draft {
        self.joint.flags |= flag::COLLIDES;
        self
    }

    /// The bodies it joins.
    pub fn ends(&self) -> [Handle<Body>; 2] {
        [self.joint.first, self.joint.second]
    }

    /// The joint, between bodies where they are now; none is the world.
    pub fn lay(&self, first: Option<&Body>, second: Option<&Body>) -> Joint {
        let place = |body: Option<&Body>, anchor: Vec3| match body {
            Some(body) => {
                let back = body.orientation.conjugate();
                (back.rotate(anchor - body.position), (back * self.turn).normal())
            }
            None => (anchor, self.turn),
        };
        let (first_anchor, first_turn) = place(first, self.first);
        let (second_anchor, second_turn) = place(second, self.second);
        Joint { first_anchor, first_turn, second_anchor, second_turn, ..self.joint }
    }

    fn distance(first: Handle<Body>, second: Handle<Body>, anchors: [Vec3; 2]) -> Draft {
        let length = anchors[0].distance(anchors[1]);
        let mut draft = Draft::new(Kind::Distance, [first, second], anchors[0], Quat::IDENTITY);
        draft.second = anchors[1];
        (draft.joint.rest, draft.joint.way) = (length, length);
        draft
    }

    fn new(kind: Kind, [first, second]: [Handle<Body>; 2], anchor: Vec3, turn: Quat) -> Draft {
        let joint = Joint {
            first,
            second,
            kind: kind as u32,
            flags: 0,
            first_anchor: Vec3::ZERO,
            second_anchor: Vec3::ZERO,
            first_turn: Quat::IDENTITY,
            second_turn: Quat::IDENTITY,
            least: 0.0,
            most: 0.0,
            swing_most: 0.0,
            rest: 0.0,
            hertz: 0.0,
            damping: 0.0,
            drag: 0.0,
            motor_speed: 0.0,
            motor_goal: 0.0,
            motor_force: 0.0,
            steering: 0.0,
            break_force: 0.0,
            break_torque: 0.0,
            impulses: [0.0; SLOTS],
            way: 0.0,
            speed: 0.0,
            force: 0.0,
            torque: 0.0,
        };
        Draft { joint, first: anchor, second: anchor, turn }
    }
}
