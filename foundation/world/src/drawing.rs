//! Debug drawing: the state of a world's physics as lines, with the objects that have no bodies.
//!
//! | topic | lines |
//! |---|---|
//! | shapes | outlines of all bodies, by state: awake, asleep, fixed (static), kinematic, trigger, quarantined; of the level's trigger volumes; and crosses at objects without bodies |
//! | contacts | contact points, normals and impulses |
//! | joints | from the centers of mass to the anchors; axes and limits |
//! | bounds | axis-aligned bounding boxes |
//! | centers_of_mass | centers of mass, with the principal axes of inertia |
//! | velocities | the displacement in a tenth of a second, and the axis of rotation |
//!
//! Laws
//! 1. Drawing only reads the world.
//! 2. Topics with few lines come first, bodies in the order of slots, then objects without bodies, static bodies last: beyond the
//!    capacity of the drawing, ground is left out first.
//! 3. Drawing ends once the drawing is full: it costs at most the drawing's capacity and a visit of every body and object.

mod joined;
mod outline;
mod pen;
mod touching;

use base::{Vec3, number};
use physics::force_field::external_acceleration_at;
use physics::pose::Pose;
use physics::{Body, Shape, flag};
use state::Block;
use view::{Drawing, Kind, Topic, Topics};

use crate::rules::{LEVEL, Rules};
use pen::Pen;

impl Rules {
    /// The up direction at a position: against the acceleration by gravity and force fields. Zero if that is
    /// negligible.
    pub fn up_at(&self, block: &Block, place: Vec3) -> Vec3 {
        let pulled =
            external_acceleration_at(place, &self.level.physics, self.parts.physics.parts.force_fields.get(block));
        if pulled.length() > PULL_MIN { -pulled.normal() } else { Vec3::ZERO }
    }

    /// Adds the lines of a block's physics to a drawing, and sets the drawing's up direction against the level's gravity.
    pub fn draw(&self, block: &Block, topics: Topics, drawing: &mut Drawing) {
        drawing.set_up(-self.level.physics.gravity);
        if topics.has(Topic::Contacts) {
            touching::draw(self, block, drawing);
        }
        if topics.has(Topic::Joints) {
            joined::draw(self, block, drawing);
        }
        if topics.has(Topic::Velocities) {
            self.each_body(block, drawing, velocities);
        }
        if topics.has(Topic::CentersOfMass) {
            self.each_body(block, drawing, centre);
        }
        if topics.has(Topic::Bounds) {
            self.each_body(block, drawing, bounds);
        }
        if topics.has(Topic::Shapes) {
            self.each_body(block, drawing, |body, shape, drawing| shape_of(body, shape, drawing, false));
            self.markers(block, drawing);
            self.each_body(block, drawing, |body, shape, drawing| shape_of(body, shape, drawing, true));
            self.floors(block, drawing);
        }
    }

    /// Draws the trigger volumes of the level, and a cross at each object without a body, as large as its radius.
    fn markers(&self, block: &Block, drawing: &mut Drawing) {
        for volume in &self.level.trigger_volumes {
            let pose = Pose { position: volume.centre, ..Pose::IDENTITY };
            let mut pen = Pen::new(drawing, Kind::Trigger, LEVEL.raw());
            if volume.radius > 0.0 {
                outline::sphere(volume.radius, &pose, &mut pen);
            } else {
                outline::cuboid(volume.half, &pose, &mut pen);
            }
        }
        for (handle, object) in self.parts.objects.iterate(block) {
            if drawing.is_full() {
                return;
            }
            if handle != LEVEL && self.parts.body_of(block, handle).is_none() {
                let mut pen = Pen::new(drawing, Kind::Object, handle.raw());
                let axes = object.orientation.matrix().columns;
                axes.into_iter().for_each(|axis| pen.both_ways(object.position, axis * object.radius));
            }
        }
    }

    /// Draws grids on the upper sides of large static boxes, where there is an up direction.
    fn floors(&self, block: &Block, drawing: &mut Drawing) {
        self.each_body(block, drawing, |body, shape, drawing| {
            if let (Shape::Box(half), Kind::Fixed) = (shape, kind_of(body)) {
                let up = self.up_at(block, body.position);
                outline::floor(*half, &pose_of(body), up, &mut Pen::new(drawing, Kind::Fixed, body.owner));
            }
        });
    }

    /// Draws every body that has a shape, until the drawing is full.
    fn each_body(&self, block: &Block, drawing: &mut Drawing, draw: impl Fn(&Body, &Shape, &mut Drawing)) {
        for (_, body) in self.parts.physics.parts.bodies.iterate(block) {
            if drawing.is_full() {
                return;
            }
            if let Some(shape) = self.prototypes.shapes().get(body.shape) {
                draw(body, shape, drawing);
            }
        }
    }
}

/// The kind of line that shows a body, by its state.
pub fn kind_of(body: &Body) -> Kind {
    match body {
        _ if body.is(flag::QUARANTINED) => Kind::Quarantined,
        _ if body.is(flag::TRIGGER) => Kind::Trigger,
        _ if body.is(flag::STATIC) => Kind::Fixed,
        _ if body.inverse_mass == 0.0 => Kind::Kinematic,
        _ if body.is(flag::ASLEEP) => Kind::Asleep,
        _ => Kind::Awake,
    }
}

/// Accelerations up to this give no up direction, in metres per second squared.
const PULL_MIN: f32 = 0.01;
/// The time over which displacements are drawn, in seconds.
const AHEAD_SECONDS: f32 = 0.1;
/// Speeds up to this are not drawn, in metres or radians per second.
const SPEED_MIN: f32 = 1e-3;
/// The half size of the cross at a centre of mass, as a fraction of the bounding radius.
const CENTRE_PART: f32 = 0.25;

fn pose_of(body: &Body) -> Pose {
    Pose::new(body.position, body.rotation)
}

fn shape_of(body: &Body, shape: &Shape, drawing: &mut Drawing, is_fixed: bool) {
    let kind = kind_of(body);
    if body.is(flag::STATIC) == is_fixed {
        // Ground and triggers hide nothing behind them.
        let is_solid = !matches!(kind, Kind::Fixed | Kind::Trigger);
        outline::draw(shape, &pose_of(body), &mut Pen::new(drawing, kind, body.owner), is_solid);
    }
}

fn bounds(body: &Body, shape: &Shape, drawing: &mut Drawing) {
    let around = shape.aabb(&pose_of(body));
    let pose = Pose { position: around.center(), ..Pose::IDENTITY };
    outline::cuboid(around.half_extent(), &pose, &mut Pen::new(drawing, Kind::Bounds, body.owner));
}

fn centre(body: &Body, _: &Shape, drawing: &mut Drawing) {
    let axes = (body.rotation * body.principal_axes).matrix().columns;
    let half = CENTRE_PART * body.bounding_radius;
    let mut pen = Pen::new(drawing, Kind::CenterOfMass, body.owner);
    axes.into_iter().for_each(|axis| pen.both_ways(body.world_center_of_mass(), axis * half));
}

fn velocities(body: &Body, _: &Shape, drawing: &mut Drawing) {
    let from = body.world_center_of_mass();
    let is_seen = |vector: Vec3| number::max(vector.length(), SPEED_MIN) > SPEED_MIN;
    if is_seen(body.velocity) {
        Pen::new(drawing, Kind::Velocity, body.owner).line(from, from + body.velocity * AHEAD_SECONDS);
    }
    if is_seen(body.angular_velocity) {
        let axis = body.angular_velocity * (AHEAD_SECONDS * body.bounding_radius);
        Pen::new(drawing, Kind::AngularVelocity, body.owner).line(from, from + axis);
    }
}
