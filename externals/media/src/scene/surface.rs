//! The meshes of a scene: triangles over vertices with attributes.

use base::{Vec2, Vec3, Vec4};

use crate::limits::COORDINATE_MAX;

/// A mesh.
#[derive(Clone, Debug, Default)]
pub struct SceneMesh {
    /// Its name.
    pub name: String,
    /// Its surfaces, each with triangles.
    pub surfaces: Vec<MeshSurface>,
}

/// Triangles with one material. An attribute has a value for every vertex, or none at all.
#[derive(Clone, Debug, Default)]
pub struct MeshSurface {
    /// The material.
    pub material: Option<usize>,
    /// The positions of the vertices.
    pub positions: Vec<Vec3>,
    /// The normals.
    pub normals: Vec<Vec3>,
    /// The tangents, and the signs of the bitangents.
    pub tangents: Vec<Vec4>,
    /// Two sets of texture coordinates.
    pub uvs: [Vec<Vec2>; 2],
    /// The colours, in linear light.
    pub colours: Vec<Vec4>,
    /// The joints.
    pub joints: Vec<[u16; 4]>,
    /// The weights of the joints.
    pub weights: Vec<[f32; 4]>,
    /// The vertices of the triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl MeshSurface {
    /// Removes triangles with a vertex at no finite place, and repairs other attributes that are not finite. Returns the
    /// number of triangles removed.
    pub fn clean(&mut self) -> usize {
        let is_sound = |position: &Vec3| position.is_finite() && position.abs().max_component() <= COORDINATE_MAX;
        let before = self.triangles.len();
        if !self.positions.iter().all(is_sound) {
            let positions = &self.positions;
            self.triangles.retain(|triangle| triangle.iter().all(|corner| is_sound(&positions[*corner as usize])));
            self.positions
                .iter_mut()
                .filter(|position| !is_sound(position))
                .for_each(|position| *position = Vec3::ZERO);
        }
        self.normals.iter_mut().for_each(|normal| *normal = finite(*normal).normal_or(Vec3::Z));
        for tangent in &mut self.tangents {
            let sign = if tangent.w < 0.0 { -1.0 } else { 1.0 };
            *tangent = finite(tangent.xyz()).normal_or(Vec3::X).with_w(sign);
        }
        for uv in
            self.uvs.iter_mut().flatten().filter(|uv| !uv.is_finite() || uv.abs().max_component() > COORDINATE_MAX)
        {
            *uv = Vec2::ZERO;
        }
        for colour in self.colours.iter_mut() {
            *colour = if colour.is_finite() { colour.clamp(Vec4::ZERO, Vec4::splat(1.0)) } else { Vec4::splat(1.0) };
        }
        for weights in &mut self.weights {
            for weight in weights.iter_mut() {
                *weight = if weight.is_finite() && *weight > 0.0 { *weight } else { 0.0 };
            }
            let sum: f32 = weights.iter().fold(0.0, |sum, weight| sum + weight);
            *weights =
                if sum > 0.0 && sum.is_finite() { weights.map(|weight| weight / sum) } else { [1.0, 0.0, 0.0, 0.0] };
        }
        before - self.triangles.len()
    }
}

fn finite(vector: Vec3) -> Vec3 {
    if vector.is_finite() && vector.abs().max_component() < 1e15 { vector } else { Vec3::ZERO }
}
