//! Models: meshes on a tree of nodes.

use base::number::{clamp, cos};
use base::{Quat, StringId, Vec3};
use tags::packed::View;
use view::classes::Model;
use view::classes::model::{LightKind, ModelBounds, ModelMesh, ModelSkin};
use view::{BulkKind, PartState};

use crate::limits::{LODS_MAX, NODES_MAX, TRIANGLES_MAX, VERTICES_MAX};
use crate::resources::ContentSource;
use crate::resources::cache::Step;
use crate::resources::mesh::{Extent, MeshLod, MeshResource};
use crate::resources::vertices::{read_indices, read_vertices};

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

/// Why a model cannot be had now.
enum NotYet {
    Loading,
    Failed(String),
}

impl ModelResource {
    /// Reads a model; its serial is 0.
    pub(super) fn load(tag: StringId, source: ContentSource<'_>) -> Step<ModelResource> {
        let Some(model) = source.content.get_as::<Model>(tag) else {
            return Step::Failed("no model tag: its shape is shown".to_string());
        };
        match read(model, source) {
            Ok(read) => Step::Ready(read),
            Err(NotYet::Loading) => Step::Loading,
            Err(NotYet::Failed(why)) => Step::Failed(format!("{why}: its shape is shown")),
        }
    }

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

fn read(model: View<'_, Model>, source: ContentSource<'_>) -> Result<ModelResource, NotYet> {
    // All parts are requested before the first one that is missing ends this.
    let meshes: Vec<Result<MeshResource, NotYet>> =
        model.each(&model.meshes).iter().map(|mesh| read_mesh(model, mesh, source)).collect();
    let skins: Vec<Result<SkinResource, NotYet>> =
        model.each(&model.skins).iter().map(|skin| read_skin(model, skin, source)).collect();
    let meshes = meshes.into_iter().collect::<Result<Vec<_>, _>>()?;
    let skins = skins.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut nodes = Vec::new();
    for (index, node) in model.each(&model.nodes).iter().take(NODES_MAX).enumerate() {
        let end = node.first_mesh.saturating_add(node.mesh_count).min(meshes.len() as u32);
        nodes.push(NodeResource {
            name: node.name,
            parent: u32::try_from(node.parent).ok().filter(|parent| (*parent as usize) < index),
            position: finite(node.position),
            rotation: Quat::from_vector(node.rotation).normal(),
            scale: if node.scale.is_finite() { node.scale } else { Vec3::ONE },
            first_mesh: node.first_mesh.min(end),
            mesh_count: end.saturating_sub(node.first_mesh),
            skin: u32::try_from(node.skin).ok().filter(|skin| (*skin as usize) < skins.len()),
        });
    }
    if nodes.is_empty() {
        nodes.push(NodeResource { mesh_count: meshes.len() as u32, ..NodeResource::default() });
    }
    let overrides = model.each(&model.material_overrides);
    let slot = |slot: &view::classes::model::ModelMaterial| {
        overrides.iter().find(|other| other.slot == slot.name).map_or(slot.material.id(), |other| other.material.id())
    };
    let mut distances: Vec<(u32, f32)> =
        model.each(&model.lod_distances).iter().map(|lod| (lod.level, lod.distance)).collect();
    distances.sort_by_key(|(level, _)| *level);
    Ok(ModelResource {
        serial: 0,
        bounds: extent(&model.bounds),
        slots: model.each(&model.materials).iter().map(slot).collect(),
        markers: markers(model, nodes.len()),
        lights: lamps(model, nodes.len()),
        nodes,
        skins,
        meshes,
        lod_distances: distances.into_iter().take(LODS_MAX).map(|(_, distance)| distance).collect(),
        lod_bias: if model.lod_bias > 0.0 { model.lod_bias } else { 1.0 },
        casts_shadow: model.casts_shadow.is_true(),
        receives_shadow: model.receives_shadow.is_true(),
    })
}

fn markers(model: View<'_, Model>, nodes: usize) -> Vec<MarkerResource> {
    let markers = model.each(&model.markers).iter();
    let read = markers.map(|marker| MarkerResource {
        name: marker.name,
        node: u32::try_from(marker.node).ok().filter(|node| (*node as usize) < nodes),
        position: finite(marker.position),
        rotation: Quat::from_vector(marker.rotation).normal(),
    });
    read.collect()
}

fn lamps(model: View<'_, Model>, nodes: usize) -> Vec<ModelLamp> {
    let lights = model.each(&model.lights).iter().filter(|light| (light.node as usize) < nodes);
    let read = lights.map(|light| ModelLamp {
        node: light.node,
        kind: light.kind.get(),
        direction: light.direction.normal_or(Vec3::X),
        intensity: finite(light.colour * light.intensity),
        range: light.range,
        cone: [light.cone.x, light.cone.y].map(|angle| cos(clamp(angle, 0.0, 3.1))),
    });
    read.collect()
}

fn read_mesh(model: View<'_, Model>, mesh: &ModelMesh, source: ContentSource<'_>) -> Result<MeshResource, NotYet> {
    let mut lods = Vec::new();
    for level in model.each(&mesh.lods).iter().take(LODS_MAX) {
        let [vertices, indices] = [level.vertex_part, level.index_part].map(|index| part(model, index, source));
        let (vertices, indices) = (vertices?, indices?);
        if level.vertices > VERTICES_MAX || level.triangles > TRIANGLES_MAX {
            return Err(NotYet::Failed(format!(
                "{} vertices and {} triangles are too many",
                level.vertices, level.triangles
            )));
        }
        let mut lod = MeshLod { error: level.error, ..MeshLod::default() };
        let attributes = model.each(&mesh.attributes);
        read_vertices(&vertices, level.vertices as usize, mesh.stride as usize, attributes, &mut lod)
            .and_then(|()| read_indices(&indices, level.vertices, level.triangles, &mut lod))
            .map_err(NotYet::Failed)?;
        lods.push(lod);
    }
    if lods.is_empty() {
        return Err(NotYet::Failed("a mesh has no level of detail".to_string()));
    }
    let slot = u32::try_from(mesh.material).ok();
    Ok(MeshResource { slot, bounds: extent(&mesh.bounds), lods })
}

fn read_skin(model: View<'_, Model>, skin: &ModelSkin, source: ContentSource<'_>) -> Result<SkinResource, NotYet> {
    let joints = model.each(&skin.joints).to_vec();
    let bytes = part(model, skin.part, source)?;
    let (floats, rest) = bytes.as_chunks::<4>();
    if floats.len() != joints.len() * 12 || !rest.is_empty() {
        let what = format!("a skin of {} joints has {} bytes of matrices", joints.len(), bytes.len());
        return Err(NotYet::Failed(what));
    }
    let nodes = model.each(&model.nodes).len().clamp(1, NODES_MAX) as u32;
    let values: Vec<f32> = floats.iter().map(|float| f32::from_le_bytes(*float)).collect();
    let rows = |matrix: &[f32; 12]| [0, 4, 8].map(|row| [0, 1, 2, 3].map(|column| matrix[row + column]));
    Ok(SkinResource {
        joints: joints.iter().map(|joint| (*joint).min(nodes - 1)).collect(),
        inverse_binds: values.as_chunks::<12>().0.iter().map(rows).collect(),
    })
}

fn part(model: View<'_, Model>, index: u32, source: ContentSource<'_>) -> Result<std::sync::Arc<[u8]>, NotYet> {
    match source.bulk.part(&model.get().data, index, BulkKind::Geometry) {
        PartState::Ready(bytes) => Ok(bytes),
        PartState::Loading => Err(NotYet::Loading),
        PartState::Failed => Err(NotYet::Failed(format!("part {index} of its bulk data cannot be read"))),
    }
}

fn extent(bounds: &ModelBounds) -> Extent {
    let radius = if bounds.radius.is_finite() { base::number::max(bounds.radius, 0.0) } else { 0.0 };
    let [min, max, centre] = [bounds.min, bounds.max, bounds.centre].map(finite);
    Extent { min, max, centre, radius }
}

fn finite(vector: Vec3) -> Vec3 {
    if vector.is_finite() { vector } else { Vec3::ZERO }
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
