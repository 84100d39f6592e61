//! Poses: the transforms of a model's nodes, and the matrices of its joints.

use base::{Quat, Vec3};
use view::NodePose;

use crate::gpu::blocks::MatrixRows;
use crate::resources::{ModelResource, NodeResource};

/// The rows of a rotation with scale and offset.
pub fn rows(position: Vec3, rotation: Quat, scale: Vec3) -> MatrixRows {
    let [x, y, z] = rotation.matrix().columns;
    std::array::from_fn(|row| [x[row] * scale.x, y[row] * scale.y, z[row] * scale.z, position[row]])
}

/// The product of two matrices.
pub fn product(left: &MatrixRows, right: &MatrixRows) -> MatrixRows {
    std::array::from_fn(|row| {
        let [a, b, c, d] = left[row];
        std::array::from_fn(|column| {
            let sum = a * right[0][column] + b * right[1][column] + c * right[2][column];
            if column == 3 { sum + d } else { sum }
        })
    })
}

/// Adds the matrices of all nodes in the frame of the model, and after them those of the joints of all skins. A pose without
/// a transform for a node leaves it in its rest pose. Returns the place of the first.
pub fn add_matrices(model: &ModelResource, pose: &[NodePose], out: &mut Vec<MatrixRows>) -> u32 {
    let first = out.len();
    for (index, node) in model.nodes.iter().enumerate() {
        let local = pose.get(index).map_or_else(|| rest(node), |pose| rows(pose.position, pose.rotation, pose.scale));
        let parent = node.parent.filter(|parent| (*parent as usize) < index);
        let own = parent.map_or(local, |parent| product(&out[first + parent as usize], &local));
        out.push(own);
    }
    for skin in &model.skins {
        for (joint, bind) in skin.joints.iter().zip(&skin.inverse_binds) {
            let node = out.get(first + *joint as usize).copied().unwrap_or(IDENTITY);
            out.push(product(&node, bind));
        }
    }
    first as u32
}

/// The number of matrices that a model has.
pub fn matrix_count(model: &ModelResource) -> usize {
    model.nodes.len() + model.skins.iter().map(|skin| skin.joints.len().min(skin.inverse_binds.len())).sum::<usize>()
}

/// The place of a skin's first joint among the matrices of its model.
pub fn skin_offset(model: &ModelResource, skin: u32) -> u32 {
    let before = model.skins.iter().take(skin as usize);
    (model.nodes.len() + before.map(|skin| skin.joints.len().min(skin.inverse_binds.len())).sum::<usize>()) as u32
}

/// The matrix that changes nothing.
pub const IDENTITY: MatrixRows = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]];

fn rest(node: &NodeResource) -> MatrixRows {
    rows(node.position, node.rotation, node.scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::SkinResource;

    #[test]
    fn children_follow_their_parents_and_joints_their_nodes() {
        let node =
            |x: f32, parent| NodeResource { position: Vec3::new(x, 0.0, 0.0), parent, ..NodeResource::default() };
        let bind = rows(Vec3::new(-3.0, 0.0, 0.0), Quat::IDENTITY, Vec3::ONE);
        let model = ModelResource {
            nodes: vec![node(1.0, None), node(2.0, Some(0))],
            skins: vec![SkinResource { joints: vec![1], inverse_binds: vec![bind] }],
            ..ModelResource::default()
        };
        let mut out = vec![IDENTITY];
        assert_eq!(add_matrices(&model, &[], &mut out), 1);
        assert_eq!((out[2][0][3], out[3]), (3.0, IDENTITY));
        assert_eq!((out.len() - 1, skin_offset(&model, 0)), (matrix_count(&model), 2));
        let pose = NodePose { position: Vec3::new(5.0, 0.0, 0.0), rotation: Quat::IDENTITY, scale: Vec3::splat(2.0) };
        let first = add_matrices(&model, &[pose], &mut out) as usize;
        assert_eq!((out[first + 1][0][3], out[first + 1][0][0]), (9.0, 2.0));
    }
}
