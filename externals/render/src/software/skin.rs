//! Placements of nodes, and linear blend skinning.

use base::{Mat3, Vec3};
use view::NodePose;

use crate::resources::{MeshLod, ModelResource};

/// A coordinate frame: a matrix, then a translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// The images of the axes.
    pub matrix: Mat3,
    /// The image of the origin.
    pub origin: Vec3,
}

/// The vertices of a skinned mesh.
pub struct SkinnedVertices {
    /// The positions.
    pub positions: Vec<Vec3>,
    /// The normals, not of unit length.
    pub normals: Vec<Vec3>,
}

impl Placement {
    /// The frame itself.
    pub const IDENTITY: Placement = Placement { matrix: Mat3::IDENTITY, origin: Vec3::ZERO };

    /// At a place, by a matrix.
    pub fn new(origin: Vec3, matrix: Mat3) -> Placement {
        Placement { matrix, origin }
    }

    /// A point in the outer frame.
    #[inline]
    pub fn point(&self, point: Vec3) -> Vec3 {
        self.matrix * point + self.origin
    }

    /// A frame within this one, in the outer frame.
    #[must_use]
    pub fn then(&self, inner: &Placement) -> Placement {
        Placement { matrix: self.matrix * inner.matrix, origin: self.point(inner.origin) }
    }

    /// The matrix for normals: the cofactors, which also hold for a flat scale.
    pub fn normals(&self) -> Mat3 {
        let [x, y, z] = self.matrix.columns;
        let sign = if self.matrix.determinant() < 0.0 { -1.0 } else { 1.0 };
        Mat3::from_columns(y.cross(z), z.cross(x), x.cross(y)) * sign
    }

    fn of(pose: &NodePose) -> Placement {
        Placement::new(pose.position, pose.rotation.normal().matrix() * Mat3::from_diagonal(pose.scale))
    }
}

/// The frames of all nodes in the frame of the model, in a pose; nodes without one have that of rest.
pub fn node_placements(model: &ModelResource, poses: &[NodePose]) -> Vec<Placement> {
    let mut placements: Vec<Placement> = Vec::with_capacity(model.nodes.len());
    for (index, node) in model.nodes.iter().enumerate() {
        let rest = NodePose { position: node.position, rotation: node.rotation, scale: node.scale };
        let is_sound =
            |pose: &&NodePose| pose.position.is_finite() && pose.rotation.is_finite() && pose.scale.is_finite();
        let own = Placement::of(poses.get(index).filter(is_sound).unwrap_or(&rest));
        let parent = node.parent.and_then(|parent| placements.get(parent as usize)).copied();
        placements.push(parent.unwrap_or(Placement::IDENTITY).then(&own));
    }
    placements
}

/// The vertices of a mesh as its joints move them, in the frame of the model.
pub fn skinned(model: &ModelResource, skin: u32, lod: &MeshLod, nodes: &[Placement]) -> SkinnedVertices {
    let skin = &model.skins[skin as usize];
    let joints: Vec<Placement> = skin
        .joints
        .iter()
        .zip(&skin.inverse_binds)
        .map(|(node, [x, y, z])| {
            let column = |at: usize| Vec3::new(x[at], y[at], z[at]);
            let bind = Placement::new(column(3), Mat3::from_columns(column(0), column(1), column(2)));
            nodes.get(*node as usize).copied().unwrap_or(Placement::IDENTITY).then(&bind)
        })
        .collect();
    let mut vertices = SkinnedVertices { positions: Vec::new(), normals: Vec::new() };
    for (index, position) in lod.positions.iter().enumerate() {
        let (numbers, weights) = (lod.joints[index], lod.weights.get(index).copied().unwrap_or([1.0, 0.0, 0.0, 0.0]));
        let (mut point, mut normal) = (Vec3::ZERO, Vec3::ZERO);
        for (number, weight) in numbers.into_iter().zip(weights) {
            if weight > 0.0
                && let Some(joint) = joints.get(usize::from(number))
            {
                point += joint.point(*position) * weight;
                normal += joint.matrix * lod.normals[index] * weight;
            }
        }
        vertices.positions.push(if point.is_finite() { point } else { *position });
        vertices.normals.push(if normal.is_finite() { normal } else { lod.normals[index] });
    }
    vertices
}
