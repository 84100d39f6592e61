//! Meshes: decoded vertices and indices, with levels of detail.

use base::{Vec2, Vec3, Vec4};

/// Triangles with one material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshResource {
    /// The index of its material slot in the model; none: the default material.
    pub slot: Option<u32>,
    /// Its bounds in the frame of its node.
    pub bounds: Extent,
    /// Its levels of detail, the finest first; never empty.
    pub lods: Vec<MeshLod>,
}

/// One level of detail: each list has one element per vertex, or none if the mesh lacks that attribute.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshLod {
    /// The positions. Never empty in a resource that is ready.
    pub positions: Vec<Vec3>,
    /// The normals; always there.
    pub normals: Vec<Vec3>,
    /// The tangents, and the sign of the bitangents.
    pub tangents: Vec<Vec4>,
    /// The two sets of texture coordinates.
    pub uvs: [Vec<Vec2>; 2],
    /// The colours in linear light, and opacities.
    pub colours: Vec<Vec4>,
    /// The joints: indices into the joints of the skin.
    pub joints: Vec<[u16; 4]>,
    /// The weights of the joints.
    pub weights: Vec<[f32; 4]>,
    /// Three indices for each triangle, each within the vertices; counter-clockwise seen from outside.
    pub indices: Vec<u32>,
    /// No vertex of the source lies farther than this from the level, in metres.
    pub error: f32,
}

/// An axis-aligned box and a sphere around something.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extent {
    /// The smallest corner of the box.
    pub min: Vec3,
    /// The largest corner of the box.
    pub max: Vec3,
    /// The centre of the sphere.
    pub centre: Vec3,
    /// The radius of the sphere.
    pub radius: f32,
}

impl MeshLod {
    /// The number of triangles.
    pub fn triangles(&self) -> usize {
        self.indices.len() / 3
    }

    /// The bytes of its lists.
    pub fn bytes(&self) -> usize {
        let vectors = (self.positions.len() + self.normals.len()) * size_of::<Vec3>();
        let fours = (self.tangents.len() + self.colours.len()) * size_of::<Vec4>();
        let uvs = (self.uvs[0].len() + self.uvs[1].len()) * size_of::<Vec2>();
        vectors + fours + uvs + self.joints.len() * 8 + self.weights.len() * 16 + self.indices.len() * 4
    }
}

impl Extent {
    /// Around points; at the origin without any.
    pub fn around(points: &[Vec3]) -> Extent {
        let first = points.first().copied().unwrap_or_default();
        let (min, max) = points.iter().fold((first, first), |(min, max), point| (min.min(*point), max.max(*point)));
        let centre = (min + max) * 0.5;
        let square = points.iter().fold(0.0, |most, point| base::number::max(most, (*point - centre).length_squared()));
        Extent { min, max, centre, radius: base::number::sqrt(square) }
    }
}
