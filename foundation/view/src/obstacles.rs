//! What stands in the way of a camera or a sound: the solid things of a frame.
//!
//! Presentation asks its own copies: the shapes of a published frame and trees of the catalogue's meshes. So it never waits for the
//! world, and costs the world nothing.
//!
//! Laws
//! 1. Things that never move and large ones are in the way; small ones pass by. Markers, hidden things and triggers never are.
//! 2. A thing that holds the beginning of a way is not in the way.
//! 3. Whatever the numbers are, an answer is from 0 to the distance that was asked for.

mod mesh_tree;
#[cfg(test)]
mod tests;

use alloc::collections::BTreeMap;

use base::number::{clamp, max, min, sqrt};
use base::{StringId, Vec3};

use crate::camera::FreePath;
use crate::catalogue::ShapeCatalogue;
use crate::frame::Frame;
use crate::instance::{Instance, Shape, look};

pub use mesh_tree::MeshTree;

/// Moving things with a smaller radius are not in the way, in metres.
const SMALL: f32 = 2.0;

/// The trees of a catalogue's meshes. They are made when the catalogue changes.
#[derive(Clone, Debug, Default)]
pub struct ObstacleMeshes {
    version: Option<u64>,
    trees: BTreeMap<StringId, MeshTree>,
}

impl ObstacleMeshes {
    /// Follows a catalogue. Costs nothing if it is the same; otherwise some milliseconds for each 100,000 triangles.
    pub fn update(&mut self, catalogue: &ShapeCatalogue) {
        if self.version.replace(catalogue.version) != Some(catalogue.version) {
            self.trees = catalogue.meshes.iter().map(|(name, mesh)| (*name, MeshTree::of(mesh))).collect();
        }
    }

    /// The tree of a mesh.
    pub(crate) fn tree(&self, name: StringId) -> Option<&MeshTree> {
        self.trees.get(&name)
    }
}

/// The solid things of a frame.
#[derive(Clone, Copy)]
pub struct Obstacles<'a> {
    /// The frame, as it is shown.
    pub frame: &'a Frame,
    /// The trees of its meshes.
    pub meshes: &'a ObstacleMeshes,
    /// The object that is not in its own way, nor is what is attached to it; 0 if there is none.
    pub except: u32,
}

/// A way that something goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub(crate) from: Vec3,
    /// Of unit length.
    pub(crate) direction: Vec3,
    pub(crate) distance: f32,
    /// The radius of what goes.
    pub(crate) radius: f32,
}

impl FreePath for Obstacles<'_> {
    /// The cost is a visit of every instance, about 5 ns, and of the trees that the way touches.
    fn free_distance(&self, from: Vec3, direction: Vec3, distance: f32, radius: f32) -> f32 {
        let direction = direction.normal_or(Vec3::ZERO);
        let is_sound = from.is_finite() && direction != Vec3::ZERO && distance.is_finite() && radius.is_finite();
        if !is_sound || distance <= 0.0 {
            return max(if distance.is_finite() { distance } else { 0.0 }, 0.0);
        }
        let mut way = Way { from, direction, distance, radius: max(radius, 0.0) };
        for instance in &self.frame.instances {
            if let Some(found) = self.meets(instance, &way) {
                way.distance = clamp(found, 0.0, way.distance);
            }
        }
        way.distance
    }
}

impl Obstacles<'_> {
    /// Whether the straight way between two points is free.
    pub fn sees(&self, from: Vec3, to: Vec3) -> bool {
        let distance = from.distance(to);
        self.free_distance(from, to - from, distance, 0.0) >= distance
    }

    /// Where a way meets an instance.
    fn meets(&self, instance: &Instance, way: &Way) -> Option<f32> {
        let is_own = self.except != 0 && (instance.object == self.except || instance.parent == self.except);
        if is_own || instance.look & (look::HIDDEN | look::PASSABLE) != 0 {
            return None;
        }
        let scale = instance.scale;
        let radius = match instance.shape {
            Shape::None | Shape::Marker { .. } => return None,
            Shape::Sphere { radius } => radius,
            Shape::Capsule { radius, length } => radius + length * 0.5,
            Shape::Box { half } => half.length(),
            Shape::Mesh { name } => self.meshes.trees.get(&name)?.radius(),
        } * scale;
        if instance.look & look::FIXED == 0 && radius < SMALL {
            return None;
        }
        // The ball around it: most things are far from the way.
        let to = instance.position - way.from;
        let along = clamp(to.dot(way.direction), 0.0, way.distance);
        let reach = radius + way.radius;
        // Numbers that are not finite are not near.
        let is_near = (to - way.direction * along).length_squared() <= reach * reach;
        if !is_near {
            return None;
        }
        let local = Way {
            from: instance.orientation.rotate_back(-to),
            direction: instance.orientation.rotate_back(way.direction),
            ..*way
        };
        match instance.shape {
            Shape::Sphere { radius } => fitting(&local, |way, more| segment(way, 0.0, radius * scale + more)),
            Shape::Capsule { radius, length } => {
                fitting(&local, |way, more| segment(way, length * 0.5 * scale, radius * scale + more))
            }
            Shape::Box { half } => fitting(&local, |way, more| cuboid(way, half * scale + Vec3::splat(more))),
            Shape::Mesh { name } => self.mesh(name, scale, &local),
            Shape::None | Shape::Marker { .. } => None,
        }
    }

    /// A ball in front of a mesh: rays through its middle and its sides.
    fn mesh(&self, name: StringId, scale: f32, way: &Way) -> Option<f32> {
        let tree = self.meshes.trees.get(&name).filter(|_| scale > 0.0)?;
        let cast = |from: Vec3| {
            let found = tree.cast(from * (1.0 / scale), way.direction, (way.distance + way.radius) / scale)?;
            Some(max(found * scale - way.radius, 0.0))
        };
        let middle = cast(way.from);
        if way.radius <= 0.0 {
            return middle;
        }
        let side = way.direction.perpendicular().normal_or(Vec3::Y) * way.radius;
        let other = way.direction.cross(side);
        let sides = [side, -side, other, -other].map(|aside| cast(way.from + aside));
        sides.into_iter().chain([middle]).flatten().reduce(min).filter(|found| *found <= way.distance)
    }
}

/// Where a way meets a shape that grows by the way's radius; by nothing if the way begins in the margin.
fn fitting(way: &Way, meet: impl Fn(&Way, f32) -> Meeting) -> Option<f32> {
    let found = match meet(way, way.radius) {
        Meeting::Within => meet(way, 0.0),
        other => other,
    };
    if let Meeting::At(found) = found { Some(found) } else { None }
}

/// How a way meets a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Meeting {
    /// Not at all.
    Never,
    /// It begins in it.
    Within,
    /// At this distance.
    At(f32),
}

/// A way and a capsule along the z axis; a sphere if its half length is 0.
pub(crate) fn segment(way: &Way, half: f32, radius: f32) -> Meeting {
    let nearest = Vec3::new(0.0, 0.0, clamp(way.from.z, -half, half));
    if way.from.distance_squared(nearest) < radius * radius {
        return Meeting::Within;
    }
    let mut found = f32::INFINITY;
    for end in [-half, half] {
        let to = way.from - Vec3::new(0.0, 0.0, end);
        found = min(found, first_root(1.0, to.dot(way.direction), to.length_squared() - radius * radius));
    }
    let (from, direction) = (Vec3::new(way.from.x, way.from.y, 0.0), Vec3::new(way.direction.x, way.direction.y, 0.0));
    let side = first_root(direction.length_squared(), from.dot(direction), from.length_squared() - radius * radius);
    if side.is_finite() && (way.from.z + way.direction.z * side).abs() <= half {
        found = min(found, side);
    }
    if found <= way.distance { Meeting::At(found) } else { Meeting::Never }
}

/// The first time t ≥ 0 with a·t² + 2·b·t + c = 0; infinite if there is none.
fn first_root(a: f32, b: f32, c: f32) -> f32 {
    let inner = b * b - a * c;
    let is_met = a > 1e-12 && inner >= 0.0;
    if !is_met {
        return f32::INFINITY;
    }
    let time = (-b - sqrt(inner)) / a;
    if time >= 0.0 { time } else { f32::INFINITY }
}

/// A way and a box.
pub(crate) fn cuboid(way: &Way, half: Vec3) -> Meeting {
    let (mut enter, mut leave) = (f32::NEG_INFINITY, f32::INFINITY);
    for axis in 0..3 {
        let (from, step, half) = (way.from[axis], way.direction[axis], half[axis]);
        if step.abs() < 1e-9 {
            if from.abs() > half {
                return Meeting::Never;
            }
            continue;
        }
        let (one, other) = ((-half - from) / step, (half - from) / step);
        (enter, leave) = (max(enter, min(one, other)), min(leave, max(one, other)));
    }
    match enter <= leave && leave >= 0.0 {
        true if enter <= 0.0 => Meeting::Within,
        true if enter <= way.distance => Meeting::At(enter),
        _ => Meeting::Never,
    }
}
