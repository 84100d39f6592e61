//! The first surface that a ray meets: what lies under a pointer.
//!
//! Laws
//! 1. A thing with a solid body is met at the body's shape, any other with a model at the boxes around the model's meshes, as they are
//!    posed, or around the whole model if a skin deforms it. What has neither is met at its shape or marker.
//! 2. A thing that holds the beginning of the ray is not met: an eye within a hall sees what stands in it.
//! 3. The sphere around a thing only decides whether a closer look is worth it; except that what is smaller than a few pixels is met
//!    there, so that distant things can be pointed at.

#[cfg(test)]
mod tests;

use base::number::{max, min};
use base::{Quat, Vec3};
use tags::Library;
use tags::packed::View;

use crate::classes::Model;
use crate::frame::Frame;
use crate::instance::{Instance, NodePose, Shape, look};
use crate::obstacles::{Meeting, MeshTree, ObstacleMeshes, Way, cuboid, segment};

/// The radius around a small thing within which it is met, in parts of its distance.
const TOLERANCE: f32 = 0.008;
/// The nodes between a mesh and the root of its model that are followed.
const NODE_DEPTH_MAX: usize = 64;

/// The surfaces that a frame shows.
#[derive(Clone, Copy)]
pub struct Surfaces<'a> {
    /// The frame, as it is shown.
    pub frame: &'a Frame,
    /// The trees of its shapes' meshes.
    pub meshes: &'a ObstacleMeshes,
    /// The tags: for the bounds of models.
    pub content: &'a Library,
}

/// A ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointingRay {
    /// Where it begins.
    pub from: Vec3,
    /// Its direction, of unit length.
    pub direction: Vec3,
    /// What is nearer is not met, in metres.
    pub near: f32,
    /// What is farther is not met, in metres.
    pub far: f32,
}

/// The surface that was met.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetSurface {
    /// The raw handle of the object.
    pub object: u32,
    /// The distance along the ray.
    pub distance: f32,
}

impl Surfaces<'_> {
    /// The first surface of an object on a ray. The cost is a visit of every instance, and a closer look at those near the ray.
    pub fn first(&self, ray: &PointingRay) -> Option<MetSurface> {
        let mut nearest: Option<MetSurface> = None;
        for instance in self.frame.instances.iter().filter(|it| it.object != 0 && it.look & look::HIDDEN == 0) {
            let far = nearest.map_or(ray.far, |met| met.distance);
            if let Some(distance) = self.meet(instance, ray, far).filter(|found| *found < far) {
                nearest = Some(MetSurface { object: instance.object, distance });
            }
        }
        nearest
    }

    /// Where a ray meets an instance.
    fn meet(&self, instance: &Instance, ray: &PointingRay, far: f32) -> Option<f32> {
        let model = self.content.get_as::<Model>(instance.model).filter(|_| !self.has_solid_body(instance));
        let (centre, radius) = match &model {
            Some(model) => {
                let centre = instance.orientation.rotate(model.bounds.centre * instance.scale);
                (instance.position + centre, model.bounds.radius * instance.scale)
            }
            None => (instance.position, self.shape_radius(instance.shape) * instance.scale),
        };
        let to = centre - ray.from;
        let along = to.dot(ray.direction);
        let tolerance = along * TOLERANCE;
        let (reach, beside) = (max(radius, tolerance), to.length_squared() - along * along);
        // Numbers that are not finite are not near.
        let is_near = beside <= reach * reach && along + radius > ray.near && along - reach < far;
        if !is_near {
            return None;
        }
        if radius <= tolerance {
            return Some(max(along - tolerance, ray.near));
        }
        let scale = max(instance.scale, 1e-6);
        // In the instance's own frame, without its scale.
        let local = Way {
            from: instance.orientation.rotate_back(ray.from - instance.position) * (1.0 / scale),
            direction: instance.orientation.rotate_back(ray.direction),
            distance: far / scale,
            radius: 0.0,
        };
        let found = match (&model, instance.shape) {
            (Some(model), _) => self.meet_model(model, instance, &local),
            (None, Shape::Marker { radius } | Shape::Sphere { radius }) => surface(segment(&local, 0.0, radius)),
            (None, Shape::Capsule { radius, length }) => surface(segment(&local, length * 0.5, radius)),
            (None, Shape::Box { half }) => surface(cuboid(&local, half)),
            (None, Shape::Mesh { name }) => {
                self.meshes.tree(name).and_then(|tree| tree.cast(local.from, local.direction, local.distance))
            }
            (None, Shape::None) => surface(segment(&local, 0.0, 1.0)),
        };
        found.map(|found| found * scale).filter(|found| *found > ray.near)
    }

    /// Whether its body's shape is what it is met at.
    fn has_solid_body(&self, instance: &Instance) -> bool {
        instance.look & look::PASSABLE == 0
            && match instance.shape {
                Shape::None | Shape::Marker { .. } => false,
                Shape::Mesh { name } => self.meshes.tree(name).is_some(),
                Shape::Sphere { .. } | Shape::Capsule { .. } | Shape::Box { .. } => true,
            }
    }

    fn shape_radius(&self, shape: Shape) -> f32 {
        match shape {
            Shape::None => 1.0,
            Shape::Marker { radius } | Shape::Sphere { radius } => radius,
            Shape::Capsule { radius, length } => radius + length * 0.5,
            Shape::Box { half } => half.length(),
            Shape::Mesh { name } => self.meshes.tree(name).map_or(1.0, MeshTree::radius),
        }
    }

    /// Where a way in the frame of a model meets the boxes around its meshes.
    fn meet_model(&self, model: &View<'_, Model>, instance: &Instance, way: &Way) -> Option<f32> {
        let (nodes, meshes) = (model.each(&model.nodes), model.each(&model.meshes));
        if nodes.is_empty() || meshes.is_empty() || nodes.iter().any(|node| node.skin >= 0) {
            return surface(between(way, model.bounds.min, model.bounds.max));
        }
        let poses = instance.pose.of(&self.frame.poses);
        let mut nearest: Option<f32> = None;
        for (index, node) in nodes.iter().enumerate().filter(|(_, node)| node.mesh_count > 0) {
            let first = node.first_mesh as usize;
            let own = meshes.iter().skip(first).take(node.mesh_count as usize);
            let within = way_within(model, poses, index, way);
            for mesh in own {
                let found = surface(between(&within, mesh.bounds.min, mesh.bounds.max));
                nearest = [nearest, found].into_iter().flatten().reduce(min);
            }
        }
        nearest
    }
}

/// A way in the frame of a node. Its direction is scaled with the node, so that distances stay those of the model.
fn way_within(model: &View<'_, Model>, poses: &[NodePose], node: usize, way: &Way) -> Way {
    let nodes = model.each(&model.nodes);
    let mut chain = [0; NODE_DEPTH_MAX];
    let mut depth = 0;
    let mut next = Some(node);
    while let Some((index, node)) = next.and_then(|index| Some((index, nodes.get(index)?))) {
        if depth == NODE_DEPTH_MAX {
            break;
        }
        chain[depth] = index;
        depth += 1;
        // Parents lie before their children: a tag that says otherwise ends here.
        next = usize::try_from(node.parent).ok().filter(|parent| *parent < index);
    }
    let mut within = *way;
    for index in chain[..depth].iter().rev() {
        let node = &nodes[*index];
        let rest = || NodePose {
            position: node.position,
            rotation: Quat::from_vector(node.rotation).normal(),
            scale: node.scale,
        };
        let pose = poses.get(*index).copied().unwrap_or_else(rest);
        let inverse = |scale: f32| if scale.abs() < 1e-6 { 1e6 } else { 1.0 / scale };
        let smaller = Vec3::new(inverse(pose.scale.x), inverse(pose.scale.y), inverse(pose.scale.z));
        within.from = pose.rotation.rotate_back(within.from - pose.position).times(smaller);
        within.direction = pose.rotation.rotate_back(within.direction).times(smaller);
    }
    within
}

/// A way and the box between two corners.
fn between(way: &Way, low: Vec3, high: Vec3) -> Meeting {
    let middle = (low + high) * 0.5;
    cuboid(&Way { from: way.from - middle, ..*way }, high - middle)
}

fn surface(meeting: Meeting) -> Option<f32> {
    if let Meeting::At(distance) = meeting { Some(distance) } else { None }
}
