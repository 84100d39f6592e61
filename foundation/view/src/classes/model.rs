//! The class `model`: meshes with levels of detail, on a tree of nodes.
//!
//! Lengths are metres; x is forward, y left and z up. A node draws a range of consecutive meshes, so that a mesh is
//! stored once however often it is used. Vertices and indices lie in parts of the bulk data.

use base::{StringId, Truth, Vec2, Vec3, Vec4};
use tags::{Bulk, Choice, Names, Record, Reference, Series, Tag};

use super::material::Material;
use super::source::SourceRecord;

/// Meshes with levels of detail, on a tree of nodes.
#[derive(Tag)]
#[repr(C)]
pub struct Model {
    /// Where it came from.
    pub source: SourceRecord,
    /// Its vertices, indices and inverse bind matrices.
    pub data: Bulk,
    /// Its bounds in the rest pose.
    #[tag(read_only)]
    pub bounds: ModelBounds,
    /// Its nodes, parents before their children.
    pub nodes: Series<ModelNode>,
    /// Its skins: the joints that deform meshes.
    #[tag(read_only)]
    pub skins: Series<ModelSkin>,
    /// Its meshes.
    #[tag(read_only)]
    pub meshes: Series<ModelMesh>,
    /// Its material slots.
    pub materials: Series<ModelMaterial>,
    /// Its markers: named points at which objects and effects are attached.
    pub markers: Series<ModelMarker>,
    /// Its lights.
    pub lights: Series<ModelLight>,
    /// Set by people: materials that replace those of the slots of the same names.
    pub material_overrides: Series<ModelMaterialOverride>,
    /// Set by people: the distances at which the levels of detail from 1 on begin. Empty: chosen by their errors.
    pub lod_distances: Series<ModelLodDistance>,
    /// Set by people: a factor on all distances of levels of detail.
    #[tag(range(0.01, 100), default = 1)]
    pub lod_bias: f32,
    /// Set by people: whether it casts shadows.
    #[tag(default = true)]
    pub casts_shadow: Truth,
    /// Set by people: whether shadows fall on it.
    #[tag(default = true)]
    pub receives_shadow: Truth,
}

/// An axis-aligned box and a sphere around something.
#[derive(Record)]
#[repr(C)]
pub struct ModelBounds {
    /// The smallest corner of the box.
    #[tag(unit = "m")]
    pub min: Vec3,
    /// The largest corner of the box.
    #[tag(unit = "m")]
    pub max: Vec3,
    /// The centre of the sphere.
    #[tag(unit = "m")]
    pub centre: Vec3,
    /// The radius of the sphere.
    #[tag(unit = "m", range(0, 10000000))]
    pub radius: f32,
}

/// A node: a coordinate frame, which animations move.
#[derive(Record)]
#[repr(C)]
pub struct ModelNode {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// The index of its parent; -1: none.
    #[tag(range(-1, 1048575), default = -1)]
    pub parent: i32,
    /// Its position in its parent's frame.
    #[tag(unit = "m")]
    pub position: Vec3,
    /// Its rotation in its parent's frame, as a quaternion: x, y, z, w.
    #[tag(default = "[0, 0, 0, 1]")]
    pub rotation: Vec4,
    /// Its scale along its own axes.
    #[tag(default = "vec(1, 1, 1)")]
    pub scale: Vec3,
    /// The index of the first mesh that it draws.
    pub first_mesh: u32,
    /// The number of meshes that it draws.
    pub mesh_count: u32,
    /// The index of the skin that deforms them; -1: none.
    #[tag(range(-1, 1048575), default = -1)]
    pub skin: i32,
}

/// The joints that deform skinned meshes (linear blend skinning).
#[derive(Record)]
#[repr(C)]
pub struct ModelSkin {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// The indices of the nodes that are its joints.
    pub joints: Series<u32>,
    /// The part with the inverse bind matrix of each joint: three rows of four 32-bit floats.
    pub part: u32,
}

/// A mesh: triangles with one material.
#[derive(Record)]
#[repr(C)]
pub struct ModelMesh {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// The index of its material slot; -1: none.
    #[tag(range(-1, 65535), default = -1)]
    pub material: i32,
    /// Its bounds, in the frame of its node.
    pub bounds: ModelBounds,
    /// The size of a vertex.
    #[tag(unit = "bytes", range(0, 1024))]
    pub stride: u32,
    /// The attributes of its vertices.
    pub attributes: Series<VertexAttribute>,
    /// Its levels of detail, the finest first.
    pub lods: Series<ModelLod>,
}

/// One attribute of a vertex.
#[derive(Record)]
#[repr(C)]
pub struct VertexAttribute {
    /// What it is.
    #[tag(key, default = "\"position\"")]
    pub meaning: Choice<VertexMeaning>,
    /// How it is stored.
    #[tag(default = "\"f32\"")]
    pub format: Choice<VertexFormat>,
    /// Its place in a vertex.
    #[tag(unit = "bytes", range(0, 1023))]
    pub offset: u32,
    /// With a range: the value of the number 0.
    pub min: Vec3,
    /// With a range: what is added to it for the largest number.
    pub size: Vec3,
}

/// What an attribute of a vertex is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum VertexMeaning {
    /// Its position.
    Position,
    /// Its normal.
    Normal,
    /// Its tangent, and the sign of its bitangent.
    Tangent,
    /// Its first texture coordinates.
    Uv0,
    /// Its second texture coordinates.
    Uv1,
    /// Its colour, in linear light, and opacity.
    Colour,
    /// The joints that move it: four indices into the joints of the skin.
    Joints,
    /// Their weights.
    Weights,
}

/// How an attribute of a vertex is stored, little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum VertexFormat {
    /// 32-bit floats: three of a position, two of texture coordinates.
    F32,
    /// 16-bit numbers from `min` to `min + size`: four of a position, the last unused, two of texture coordinates.
    Range16,
    /// A direction as two signed 16-bit numbers in the octahedral mapping (Meyer et al. 2010).
    Octahedral,
    /// The same; the lowest bit of the second number is set where the bitangent is negative.
    OctahedralSign,
    /// Four 8-bit numbers from 0 to 1.
    Unit8,
    /// Four 8-bit integers.
    Index8,
    /// Four 16-bit integers.
    Index16,
}

/// A level of detail of a mesh.
#[derive(Record)]
#[repr(C)]
pub struct ModelLod {
    /// The part with its vertices.
    pub vertex_part: u32,
    /// The part with its indices: 16 bits each up to 65,536 vertices, otherwise 32.
    pub index_part: u32,
    /// The number of its vertices.
    pub vertices: u32,
    /// The number of its triangles.
    pub triangles: u32,
    /// No vertex of the source lies farther than this from the level.
    #[tag(unit = "m", range(0, 10000000))]
    pub error: f32,
}

/// A material slot.
#[derive(Record)]
#[repr(C)]
pub struct ModelMaterial {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// The material.
    pub material: Reference<Material>,
}

/// A material that replaces the imported one of a slot.
#[derive(Record)]
#[repr(C)]
pub struct ModelMaterialOverride {
    /// The name of the slot.
    #[tag(key)]
    pub slot: StringId,
    /// The material.
    pub material: Reference<Material>,
}

/// A named point of a model.
#[derive(Record)]
#[repr(C)]
pub struct ModelMarker {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// The index of the node that it moves with; -1: none.
    #[tag(range(-1, 1048575), default = -1)]
    pub node: i32,
    /// Its position in the frame of the node.
    #[tag(unit = "m")]
    pub position: Vec3,
    /// Its rotation in the frame of the node, as a quaternion: x, y, z, w.
    #[tag(default = "[0, 0, 0, 1]")]
    pub rotation: Vec4,
}

/// A light of a model.
#[derive(Record)]
#[repr(C)]
pub struct ModelLight {
    /// Its name.
    #[tag(key)]
    pub name: StringId,
    /// The index of its node.
    pub node: u32,
    /// Its kind.
    #[tag(default = "\"point\"")]
    pub kind: Choice<LightKind>,
    /// The direction in which it shines, in the frame of its node.
    #[tag(default = "vec(1, 0, 0)")]
    pub direction: Vec3,
    /// Its colour, in linear light.
    #[tag(default = "vec(1, 1, 1)")]
    pub colour: Vec3,
    /// Its intensity: candela, or lux for a directional light.
    #[tag(unit = "cd", range(0, 1000000000), default = 1)]
    pub intensity: f32,
    /// The distance beyond which it does not reach; 0: everywhere.
    #[tag(unit = "m", range(0, 10000000))]
    pub range: f32,
    /// The angles from the axis of a spot light at which it begins to fade, and at which it is dark, in radians.
    #[tag(default = "vec(0, 0.7853982)")]
    pub cone: Vec2,
}

/// The kinds of lights.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum LightKind {
    /// In all directions from a point.
    Point,
    /// A cone.
    Spot,
    /// Parallel rays, as of the sun.
    Directional,
}

/// The distance at which a level of detail begins.
#[derive(Record)]
#[repr(C)]
pub struct ModelLodDistance {
    /// The level, from 1.
    #[tag(key, range(1, 15), default = 1)]
    pub level: u32,
    /// The distance.
    #[tag(unit = "m", range(0, 10000000))]
    pub distance: f32,
}
