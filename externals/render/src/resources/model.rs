//! Models: meshes on a tree of nodes.

use base::{Quat, StringId, Vec3};
use view::classes::model::LightKind;

use crate::resources::mesh::{Extent, MeshResource};

/// A model in memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelResource {
    /// Differs between all resources and versions of them.
    pub serial: u64,
    /// Its bounds in the rest pose.
    pub bounds: Extent,
    /// Its nodes, parents before their children; never empty.
    pub nodes: Vec<NodeResource>,
    /// Its skins.
    pub skins: Vec<SkinResource>,
    /// Its meshes.
    pub meshes: Vec<MeshResource>,
    /// The material tag of each slot, with the overrides applied; none: the default material.
    pub slots: Vec<StringId>,
    /// Its markers.
    pub markers: Vec<MarkerResource>,
    /// Its lights.
    pub lights: Vec<ModelLamp>,
    /// The distances at which the levels of detail from 1 on begin, before the bias. Empty: by their errors.
    pub lod_distances: Vec<f32>,
    /// A factor on all distances of levels of detail.
    pub lod_bias: f32,
    /// Whether it casts shadows.
    pub casts_shadow: bool,
    /// Whether shadows fall on it.
    pub receives_shadow: bool,
}

/// A node of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeResource {
    /// Its name.
    pub name: StringId,
    /// The index of its parent, which is smaller than its own.
    pub parent: Option<u32>,
    /// Its position in its parent's frame.
    pub position: Vec3,
    /// Its rotation in its parent's frame.
    pub rotation: Quat,
    /// Its scale along its own axes.
    pub scale: Vec3,
    /// The index of the first mesh that it draws.
    pub first_mesh: u32,
    /// The number of meshes that it draws: all of them exist.
    pub mesh_count: u32,
    /// The index of the skin that deforms them.
    pub skin: Option<u32>,
}

/// The joints that deform meshes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkinResource {
    /// The node of each joint.
    pub joints: Vec<u32>,
    /// The inverse bind matrix of each joint: three rows of four.
    pub inverse_binds: Vec<[[f32; 4]; 3]>,
}

/// A named point of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkerResource {
    /// Its name.
    pub name: StringId,
    /// The index of the node that it moves with.
    pub node: Option<u32>,
    /// Its position in the frame of the node.
    pub position: Vec3,
    /// Its rotation in the frame of the node.
    pub rotation: Quat,
}

/// A light of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelLamp {
    /// The index of its node.
    pub node: u32,
    /// Its kind.
    pub kind: LightKind,
    /// The direction in which it shines, in the frame of its node.
    pub direction: Vec3,
    /// Its colour in linear light, times its intensity.
    pub intensity: Vec3,
    /// The distance beyond which it does not reach; 0: everywhere.
    pub range: f32,
    /// The cosines of the angles at which a spot light begins to fade, and at which it is dark.
    pub cone: [f32; 2],
}

impl ModelResource {
    /// The bytes of its meshes.
    pub fn bytes(&self) -> usize {
        self.meshes.iter().flat_map(|mesh| &mesh.lods).map(|lod| lod.bytes()).sum()
    }

    /// A model of one mesh at the origin, without material.
    pub fn of_mesh(serial: u64, mesh: MeshResource) -> ModelResource {
        ModelResource {
            serial,
            bounds: mesh.bounds,
            nodes: vec![NodeResource { mesh_count: 1, ..NodeResource::default() }],
            meshes: vec![mesh],
            lod_bias: 1.0,
            casts_shadow: true,
            receives_shadow: true,
            ..ModelResource::default()
        }
    }
}

impl Default for NodeResource {
    fn default() -> NodeResource {
        NodeResource {
            name: StringId::NONE,
            parent: None,
            position: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            scale: Vec3::ONE,
            first_mesh: 0,
            mesh_count: 0,
            skin: None,
        }
    }
}
