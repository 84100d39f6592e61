//! The model of a family: everything that is drawn.

use base::Vec3;
use base::number::{max, min};
use view::classes::model::{LightKind, VertexFormat, VertexMeaning};

use super::family::{Family, Role};
use super::kept;
use super::mesh::{BuiltSurface, MeshOptions};
use super::vertices::{AttributeLayout, Extent};
use crate::lscript::{self, RecordText};
use crate::product::{Part, Product};
use crate::result_cache::ResultCache;
use crate::scene::material::TextureSlot;
use crate::scene::transform::Transform;

/// The meshes of the model that belong to one mesh of the scene.
struct BuiltMesh {
    first: usize,
    surfaces: Vec<BuiltSurface>,
}

/// The product of the model.
pub fn product(family: &Family, name: &str, options: &MeshOptions, cache: &dyn ResultCache) -> Product {
    let scene = &family.scene;
    let is_drawn = |node: usize| matches!(family.roles[node], Role::Structure | Role::Marker(_));
    let mut is_used = vec![false; scene.meshes.len()];
    for (_, node) in scene.nodes.iter().enumerate().filter(|(number, _)| is_drawn(*number)) {
        node.mesh.into_iter().for_each(|mesh| is_used[mesh] = true);
    }
    let has_normal_map =
        |material: usize| scene.materials[material].textures.iter().any(|(slot, _)| *slot == TextureSlot::Normal);
    let mut meshes: Vec<BuiltMesh> = Vec::with_capacity(scene.meshes.len());
    let mut count = 0;
    for (number, mesh) in scene.meshes.iter().enumerate() {
        let surfaces = if is_used[number] { kept::surfaces(cache, mesh, has_normal_map, options) } else { Vec::new() };
        count += surfaces.len();
        meshes.push(BuiltMesh { first: count - surfaces.len(), surfaces });
    }
    let mut made = Product { name: name.to_string(), class: "model", bulk_field: "data", ..Product::default() };
    let bounds = bounds(family, &meshes, is_drawn);
    let mut field = |name: &str, value: String| made.fields.push((name.to_string(), value));
    field("bounds", bounds);
    field("nodes", nodes(family, &meshes, is_drawn));
    let mut parts = Vec::new();
    let skins = skins(family, &mut parts);
    field("skins", skins);
    let written = meshes_text(family, &meshes, &mut parts);
    field("meshes", written);
    field("materials", materials(family));
    field("markers", markers(family));
    field("lights", lights(family, is_drawn));
    made.parts = parts;
    made
}

fn nodes(family: &Family, meshes: &[BuiltMesh], is_drawn: impl Fn(usize) -> bool) -> String {
    lscript::list(family.scene.nodes.iter().enumerate().map(|(number, node)| {
        let drawn =
            node.mesh.filter(|_| is_drawn(number)).map(|mesh| &meshes[mesh]).filter(|mesh| !mesh.surfaces.is_empty());
        let skin = node.skin.filter(|skin| drawn.is_some() && !family.scene.skins[*skin].joints.is_empty());
        let record = RecordText::new().with("name", lscript::text(&family.node_names[number])).with_if(
            node.parent.is_some(),
            "parent",
            node.parent.unwrap_or(0),
        );
        let record = placed(record, &node.place)
            .with_if(drawn.is_some(), "first_mesh", drawn.map_or(0, |mesh| mesh.first))
            .with_if(drawn.is_some(), "mesh_count", drawn.map_or(0, |mesh| mesh.surfaces.len()));
        record.with_if(skin.is_some(), "skin", skin.unwrap_or(0)).finish()
    }))
}

fn placed(record: RecordText, place: &Transform) -> RecordText {
    let rotation = place.rotation;
    let turn = [rotation.x, rotation.y, rotation.z, rotation.w].map(lscript::number);
    record
        .with_if(place.position != Vec3::ZERO, "position", lscript::vector(place.position))
        .with_if(rotation != base::Quat::IDENTITY, "rotation", format!("[{}]", turn.join(", ")))
        .with_if(place.scale != Vec3::splat(1.0), "scale", lscript::vector(place.scale))
}

fn skins(family: &Family, parts: &mut Vec<Part>) -> String {
    let skins = family.scene.skins.iter().enumerate().map(|(number, skin)| {
        let mut bytes = Vec::with_capacity(skin.inverse_bind.len() * 48);
        for affine in &skin.inverse_bind {
            for row in 0..3 {
                let [x, y, z] = affine.axes.map(|axis| axis[row]);
                [x, y, z, affine.origin[row]]
                    .iter()
                    .for_each(|part| bytes.extend(base::number::canonical(*part).to_le_bytes()));
            }
        }
        let name = if skin.name.is_empty() { format!("skin.{number}") } else { format!("{}.{number}", skin.name) };
        parts.push(Part { name: format!("skin {number}"), bytes });
        let joints = lscript::lines(skin.joints.iter().map(ToString::to_string), 16);
        RecordText::new()
            .with("name", lscript::text(&name))
            .with("joints", joints)
            .with("part", parts.len() - 1)
            .finish()
    });
    lscript::list(skins)
}

fn meshes_text(family: &Family, meshes: &[BuiltMesh], parts: &mut Vec<Part>) -> String {
    let mut records = Vec::new();
    for (number, mesh) in meshes.iter().enumerate() {
        for (index, surface) in mesh.surfaces.iter().enumerate() {
            let name = &family.mesh_names[number];
            // Names of meshes have no slash, so it is unique.
            let name = if index == 0 { name.clone() } else { format!("{name}/{index}") };
            let lods = surface.lods.iter().enumerate().map(|(level, lod)| {
                parts.push(Part { name: format!("{name} lod {level} vertices"), bytes: lod.vertices.clone() });
                parts.push(Part { name: format!("{name} lod {level} indices"), bytes: lod.indices.clone() });
                RecordText::new()
                    .with("vertex_part", parts.len() - 2)
                    .with("index_part", parts.len() - 1)
                    .with("vertices", lod.vertex_count)
                    .with("triangles", lod.triangle_count)
                    .with("error", lscript::number(lod.error))
                    .finish()
            });
            let lods = lscript::list(lods.collect::<Vec<_>>());
            let record = RecordText::new()
                .with("name", lscript::text(&name))
                .with_if(surface.material.is_some(), "material", surface.material.unwrap_or(0))
                .with("bounds", bounds_text(surface.extent, surface.extent.centre(), surface.radius))
                .with("stride", surface.stride)
                .with("attributes", lscript::list(surface.attributes.iter().map(attribute)))
                .with("lods", lods);
            records.push(record.finish());
        }
    }
    lscript::list(records)
}

fn attribute(attribute: &AttributeLayout) -> String {
    let meaning = match attribute.meaning {
        VertexMeaning::Position => "position",
        VertexMeaning::Normal => "normal",
        VertexMeaning::Tangent => "tangent",
        VertexMeaning::Uv0 => "uv0",
        VertexMeaning::Uv1 => "uv1",
        VertexMeaning::Colour => "colour",
        VertexMeaning::Joints => "joints",
        VertexMeaning::Weights => "weights",
    };
    let format = match attribute.format {
        VertexFormat::F32 => "f32",
        VertexFormat::Range16 => "range16",
        VertexFormat::Octahedral => "octahedral",
        VertexFormat::OctahedralSign => "octahedral_sign",
        VertexFormat::Unit8 => "unit8",
        VertexFormat::Index8 => "index8",
        VertexFormat::Index16 => "index16",
    };
    let has_range = attribute.format == VertexFormat::Range16;
    RecordText::new()
        .with("meaning", lscript::text(meaning))
        .with("format", lscript::text(format))
        .with("offset", attribute.offset)
        .with_if(has_range, "min", lscript::vector(attribute.min))
        .with_if(has_range, "size", lscript::vector(attribute.size))
        .finish()
}

fn materials(family: &Family) -> String {
    lscript::list(family.material_names.iter().zip(&family.material_paths).map(|(name, path)| {
        let path = family.path(&format!("materials/{path}.material"));
        RecordText::new().with("name", lscript::text(name)).with("material", lscript::beside(&path)).finish()
    }))
}

fn markers(family: &Family) -> String {
    let mut names = super::names::NameTable::default();
    let markers = family.scene.nodes.iter().zip(&family.roles).filter_map(|(node, role)| match role {
        Role::Marker(name) => {
            let record = RecordText::new().with("name", lscript::text(&names.unique(name, "marker", "."))).with_if(
                node.parent.is_some(),
                "node",
                node.parent.unwrap_or(0),
            );
            Some(placed(record, &Transform { scale: Vec3::splat(1.0), ..node.place }).finish())
        }
        _ => None,
    });
    lscript::list(markers.collect::<Vec<_>>())
}

fn lights(family: &Family, is_drawn: impl Fn(usize) -> bool) -> String {
    let nodes = family.scene.nodes.iter().enumerate().filter(|(number, _)| is_drawn(*number));
    lscript::list(nodes.filter_map(|(number, node)| {
        let light = node.light?;
        let kind = match light.kind {
            LightKind::Point => "point",
            LightKind::Spot => "spot",
            LightKind::Directional => "directional",
        };
        let is_spot = light.kind == LightKind::Spot;
        let cone = format!("vec({}, {})", lscript::number(light.cone[0]), lscript::number(light.cone[1]));
        let record = RecordText::new()
            .with("name", lscript::text(&family.node_names[number]))
            .with("node", number)
            .with("kind", lscript::text(kind))
            .with_if(light.kind != LightKind::Point, "direction", lscript::vector(light.direction))
            .with("colour", lscript::vector(light.colour))
            .with("intensity", lscript::number(light.intensity))
            .with_if(light.range > 0.0, "range", lscript::number(light.range))
            .with_if(is_spot, "cone", cone);
        Some(record.finish())
    }))
}

fn bounds(family: &Family, meshes: &[BuiltMesh], is_drawn: impl Fn(usize) -> bool) -> String {
    // One box and sphere for each mesh of the scene first, so that surfaces and nodes are not multiplied.
    let boxes: Vec<Option<(Extent, f32)>> = meshes
        .iter()
        .map(|mesh| {
            let corners = mesh.surfaces.iter().flat_map(|surface| [surface.extent.min, surface.extent.max]);
            let whole = Extent::around(corners);
            let radius = mesh.surfaces.iter().fold(0.0, |most, surface| {
                max(most, whole.centre().distance(surface.extent.centre()) + surface.radius)
            });
            (!mesh.surfaces.is_empty()).then_some((whole, radius))
        })
        .collect();
    let drawn: Vec<(usize, Extent, f32)> = family
        .scene
        .nodes
        .iter()
        .enumerate()
        .filter(|(number, _)| is_drawn(*number))
        .filter_map(|(number, node)| boxes[node.mesh?].map(|(extent, radius)| (number, extent, radius)))
        .collect();
    let corners = drawn.iter().flat_map(|(node, extent, _)| {
        (0..8).map(move |corner: u32| {
            let pick =
                |axis: u32| if corner >> axis & 1 == 1 { extent.max[axis as usize] } else { extent.min[axis as usize] };
            family.places[*node].point(Vec3::new(pick(0), pick(1), pick(2)))
        })
    });
    let extent = Extent::around(corners.filter(|corner| corner.is_finite()));
    let centre = extent.centre();
    let reach = drawn.iter().fold(0.0, |most, (node, own, radius)| {
        let place = &family.places[*node];
        max(most, place.point(own.centre()).distance(centre) + radius * place.stretch())
    });
    bounds_text(extent, centre, min(reach, (extent.max - extent.min).length() * 0.5))
}

fn bounds_text(extent: Extent, centre: Vec3, radius: f32) -> String {
    RecordText::new()
        .with("min", lscript::vector(extent.min))
        .with("max", lscript::vector(extent.max))
        .with("centre", lscript::vector(centre))
        .with("radius", lscript::number(radius))
        .finish()
}
