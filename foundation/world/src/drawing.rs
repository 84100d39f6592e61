//! Drawing: what physics knows of a world, as lines for people and machines to see.
//!
//! | topic | what is drawn |
//! |---|---|
//! | shapes | outlines of all bodies, by what they are: awake, asleep, fixed, driven, trigger, quarantined |
//! | contacts | where bodies touch, which way they push, and how hard |
//! | joints | from bodies to where they are joined, axes, limits |
//! | bounds | the boxes along the axes in which bodies are looked for |
//! | centres | centres of mass, with the axes of inertia |
//! | velocities | where bodies get in a tenth of a second, and about what they turn |
//!
//! Laws
//! 1. The world is read and nothing else: a world that was drawn goes on as if it had not been.
//! 2. Topics come with the fewest lines first, bodies in the order of their slots, those that never move last: so where room is
//!    short, ground is what is left out.
//! 3. Once a frame is full, drawing ends: whatever shapes there are, it costs no more than its room and a look at every body.

mod joined;
mod outline;
mod pen;
mod touching;

use base::{Vec3, number};
use physics::pose::Pose;
use physics::pull::felt_at;
use physics::{Body, Shape, flag};
use state::Block;
use view::{Frame, Kind, Topic, Topics};

use crate::rules::Rules;
use pen::Pen;

impl Rules {
    /// Which way is up at a place: away from where gravity and fields pull there. Zero where hardly anything pulls.
    pub fn up_at(&self, block: &Block, place: Vec3) -> Vec3 {
        let pulled = felt_at(place, &self.level.physics, self.parts.physics.parts.pulls.get(block));
        if pulled.length() > PULL_LEAST { -pulled.normal() } else { Vec3::ZERO }
    }

    /// Adds the lines of a block's physics to a frame, and says which way is up if there are no fields.
    pub fn draw(&self, block: &Block, topics: Topics, frame: &mut Frame) {
        frame.set_up(-self.level.physics.gravity);
        if topics.has(Topic::Contacts) {
            touching::draw(self, block, frame);
        }
        if topics.has(Topic::Joints) {
            joined::draw(self, block, frame);
        }
        if topics.has(Topic::Velocities) {
            self.each_body(block, frame, velocities);
        }
        if topics.has(Topic::Centres) {
            self.each_body(block, frame, centre);
        }
        if topics.has(Topic::Bounds) {
            self.each_body(block, frame, bounds);
        }
        if topics.has(Topic::Shapes) {
            self.each_body(block, frame, |body, shape, frame| shape_of(body, shape, frame, false));
            self.each_body(block, frame, |body, shape, frame| shape_of(body, shape, frame, true));
            self.floors(block, frame);
        }
    }

    /// What looks up is ground, if there is an up.
    fn floors(&self, block: &Block, frame: &mut Frame) {
        self.each_body(block, frame, |body, shape, frame| {
            if let (Shape::Box(half), Kind::Fixed) = (shape, kind_of(body)) {
                let up = self.up_at(block, body.position);
                outline::floor(*half, &pose_of(body), up, &mut Pen::new(frame, Kind::Fixed, body.owner));
            }
        });
    }

    /// Draws every body that has a shape, as long as there is room.
    fn each_body(&self, block: &Block, frame: &mut Frame, draw: impl Fn(&Body, &Shape, &mut Frame)) {
        for (_, body) in self.parts.physics.parts.bodies.iterate(block) {
            if frame.is_full() {
                return;
            }
            if let Some(shape) = self.moulds.shapes().get(body.shape) {
                draw(body, shape, frame);
            }
        }
    }
}

/// What a body is, for whoever looks at it.
pub fn kind_of(body: &Body) -> Kind {
    match body {
        _ if body.is(flag::QUARANTINED) => Kind::Quarantined,
        _ if body.is(flag::TRIGGER) => Kind::Trigger,
        _ if body.is(flag::FIXED) => Kind::Fixed,
        _ if body.inverse_mass == 0.0 => Kind::Driven,
        _ if body.is(flag::ASLEEP) => Kind::Asleep,
        _ => Kind::Awake,
    }
}

/// Less than this pulls nowhere, in metres per second squared.
const PULL_LEAST: f32 = 0.01;
/// How far ahead velocities are drawn, in seconds.
const AHEAD_SECONDS: f32 = 0.1;
/// Slower is not drawn: metres or radians per second.
const SPEED_LEAST: f32 = 1e-3;
/// How large the cross at a centre of mass is, as a part of the body's reach.
const CENTRE_PART: f32 = 0.25;

fn pose_of(body: &Body) -> Pose {
    Pose::new(body.position, body.orientation)
}

fn shape_of(body: &Body, shape: &Shape, frame: &mut Frame, is_fixed: bool) {
    let kind = kind_of(body);
    if body.is(flag::FIXED) == is_fixed {
        // What is ground, or is only noticed, hides nobody.
        let is_solid = !matches!(kind, Kind::Fixed | Kind::Trigger);
        outline::draw(shape, &pose_of(body), &mut Pen::new(frame, kind, body.owner), is_solid);
    }
}

fn bounds(body: &Body, shape: &Shape, frame: &mut Frame) {
    let around = shape.bounds(&pose_of(body));
    let pose = Pose { position: around.middle(), ..Pose::IDENTITY };
    outline::cuboid(around.half(), &pose, &mut Pen::new(frame, Kind::Bounds, body.owner));
}

fn centre(body: &Body, _: &Shape, frame: &mut Frame) {
    let axes = (body.orientation * body.inertia_turn).matrix().columns;
    let half = CENTRE_PART * body.reach;
    let mut pen = Pen::new(frame, Kind::Centre, body.owner);
    axes.into_iter().for_each(|axis| pen.both_ways(body.centre(), axis * half));
}

fn velocities(body: &Body, _: &Shape, frame: &mut Frame) {
    let from = body.centre();
    let is_seen = |vector: Vec3| number::max(vector.length(), SPEED_LEAST) > SPEED_LEAST;
    if is_seen(body.velocity) {
        Pen::new(frame, Kind::Velocity, body.owner).line(from, from + body.velocity * AHEAD_SECONDS);
    }
    if is_seen(body.spin) {
        let axis = body.spin * (AHEAD_SECONDS * body.reach);
        Pen::new(frame, Kind::Spin, body.owner).line(from, from + axis);
    }
}
