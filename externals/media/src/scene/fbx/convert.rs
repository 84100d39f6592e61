//! The scene of ufbx as one of ours.

use std::collections::HashMap;

use base::{Quat, Vec2, Vec3, Vec4};
use view::classes::animation::ChannelTarget;
use view::classes::material::{AlphaMode, TextureWrap};
use view::classes::model::LightKind;

use super::super::material::{SceneMaterial, SceneTexture, TextureSlot, name_beside};
use super::super::surface::{MeshSurface, SceneMesh};
use super::super::transform::{Affine, Transform};
use super::super::{Interpolation, Property, Scene, SceneClip, SceneCurve, SceneLight, SceneNode, SceneSkin};
use crate::error::ImportError;
use crate::importer::Source;
use crate::limits::{
    COORDINATE_MAX, CORNERS_MAX, DECODED_BYTES_MAX, FACE_CORNERS_MAX, NODE_DEPTH_MAX, NODES_MAX, SAMPLES_MAX,
    SCENE_ITEMS_MAX,
};

/// The most memory that the library may use for results, and for its work, each.
const LIBRARY_BYTES_MAX: usize = DECODED_BYTES_MAX as usize / 2;
/// The frames per second at which curves are sampled that are not linear.
const RATE: f64 = 30.0;

/// Reads the scene of a file.
pub fn read(source: &Source<'_>) -> Result<Scene, ImportError> {
    let limited = || ufbx::AllocatorOpts { memory_limit: LIBRARY_BYTES_MAX, ..Default::default() };
    let options = ufbx::LoadOpts {
        temp_allocator: limited(),
        result_allocator: limited(),
        ignore_embedded: true,
        clean_skin_weights: true,
        node_depth_limit: NODE_DEPTH_MAX as u32,
        index_error_handling: ufbx::IndexErrorHandling::AbortLoading,
        file_format: ufbx::FileFormat::Fbx,
        no_format_from_content: true,
        space_conversion: ufbx::SpaceConversion::AdjustTransforms,
        geometry_transform_handling: ufbx::GeometryTransformHandling::ModifyGeometry,
        inherit_mode_handling: ufbx::InheritModeHandling::Compensate,
        target_axes: ufbx::CoordinateAxes::right_handed_y_up(),
        target_unit_meters: 1.0,
        ..Default::default()
    };
    let found = ufbx::load_memory(source.bytes, options)
        .map_err(|error| ImportError::Damaged(format!("FBX: {} {}", short(&error.description), short(error.info()))))?;
    let mut scene = Scene { generator: short(&found.metadata.creator), ..Scene::default() };
    let counts = [
        ("nodes", found.nodes.len(), NODES_MAX),
        ("meshes", found.meshes.len(), SCENE_ITEMS_MAX),
        ("materials", found.materials.len(), SCENE_ITEMS_MAX),
    ];
    for (what, found, limit) in counts {
        if found > limit {
            return Err(ImportError::TooLarge { what, found: found as u64, limit: limit as u64 });
        }
    }
    let numbers = nodes(&found, &mut scene);
    scene.materials = found.materials.iter().map(|material| read_material(material)).collect();
    meshes(&found, &numbers, &mut scene)?;
    clips(&found, &numbers, &mut scene)?;
    Ok(scene)
}

/// Reads the nodes depth first, and returns the place of each node of the file.
fn nodes(found: &ufbx::Scene, scene: &mut Scene) -> Vec<Option<usize>> {
    let mut numbers = vec![None; found.nodes.len()];
    let mut stack: Vec<(&ufbx::Node, Option<usize>)> =
        found.root_node.children.iter().rev().map(|child| (&**child, None)).collect();
    while let Some((node, parent)) = stack.pop() {
        let Some(slot @ None) = numbers.get_mut(node.element.typed_id as usize) else { continue };
        let own = scene.nodes.len();
        *slot = Some(own);
        let mut properties = Vec::new();
        for property in node
            .element
            .props
            .props
            .iter()
            .filter(|property| property.flags.has_any(ufbx::PropFlags::USER_DEFINED))
            .take(64)
        {
            let value = match property.type_ {
                ufbx::PropType::String => Property::Text(property.value_str.chars().take(1000).collect()),
                ufbx::PropType::Boolean => Property::Truth(property.value_int != 0),
                _ => Property::Number(property.value_vec4.x),
            };
            properties.push((short(&property.name), value));
        }
        let place = transform(&node.local_transform);
        scene.nodes.push(SceneNode {
            name: short(&node.element.name),
            parent,
            place: if place.is_finite() { place } else { Transform::default() },
            mesh: node.mesh.as_ref().map(|mesh| mesh.element.typed_id as usize),
            skin: None,
            light: node.light.as_ref().map(|light| read_light(light)),
            properties,
        });
        stack.extend(node.children.iter().rev().map(|child| (&**child, Some(own))));
    }
    numbers
}

fn read_light(light: &ufbx::Light) -> SceneLight {
    let unit = |value: f64| base::number::clamp(value as f32, 0.0, 1.0);
    SceneLight {
        kind: match light.type_ {
            ufbx::LightType::Directional => LightKind::Directional,
            ufbx::LightType::Spot => LightKind::Spot,
            _ => LightKind::Point,
        },
        colour: Vec3::new(unit(light.color.x), unit(light.color.y), unit(light.color.z)),
        intensity: base::number::clamp(light.intensity as f32, 0.0, 1e9),
        range: 0.0,
        direction: vector(&light.local_direction).normal_or(-Vec3::Z),
        // Whole angles in degrees become half angles in radians.
        cone: [light.inner_angle, light.outer_angle]
            .map(|angle| base::number::clamp((angle * (std::f64::consts::PI / 360.0)) as f32, 0.0, 3.2)),
    }
}

fn read_material(material: &ufbx::Material) -> SceneMaterial {
    let surface = &material.pbr;
    let unit = |value: f64| base::number::clamp(value as f32, 0.0, 1.0);
    let number =
        |map: &ufbx::MaterialMap, otherwise: f32| if map.has_value { unit(map.value_vec4.x) } else { otherwise };
    let colour = |map: &ufbx::MaterialMap, otherwise: Vec3| {
        let value = &map.value_vec4;
        if map.has_value { Vec3::new(unit(value.x), unit(value.y), unit(value.z)) } else { otherwise }
    };
    let base = colour(&surface.base_color, Vec3::splat(1.0)) * number(&surface.base_factor, 1.0);
    let opacity = number(&surface.opacity, 1.0);
    let mut made = SceneMaterial {
        name: short(&material.element.name),
        base_colour: Vec4::new(base.x, base.y, base.z, opacity),
        metallic: number(&surface.metalness, 0.0),
        roughness: number(&surface.roughness, 1.0),
        emissive: colour(&surface.emission_color, Vec3::ZERO) * number(&surface.emission_factor, 1.0),
        alpha: if opacity < 1.0 { AlphaMode::Blend } else { AlphaMode::Opaque },
        ..SceneMaterial::default()
    };
    for (slot, map) in [
        (TextureSlot::BaseColour, &surface.base_color),
        (TextureSlot::MetallicRoughness, &surface.roughness),
        (TextureSlot::Normal, &surface.normal_map),
        (TextureSlot::Occlusion, &surface.ambient_occlusion),
        (TextureSlot::Emissive, &surface.emission_color),
    ] {
        let Some(texture) = map.texture.as_ref().filter(|_| map.texture_enabled) else { continue };
        // Paths are those of another machine: the relative one, or the name alone.
        let relative = texture.relative_filename.replace('\\', "/");
        let name = relative.rsplit('/').next().unwrap_or("").to_string();
        let Some(file) = name_beside(&relative).or_else(|| name_beside(&name)) else { continue };
        let wrap = |wrap: &ufbx::WrapMode| match wrap {
            ufbx::WrapMode::Clamp => TextureWrap::Clamp,
            ufbx::WrapMode::Repeat => TextureWrap::Repeat,
        };
        let mut texture_made = SceneTexture::new(file);
        texture_made.wrap = [wrap(&texture.wrap_u), wrap(&texture.wrap_v)];
        made.textures.push((slot, texture_made));
    }
    made
}

fn meshes(found: &ufbx::Scene, numbers: &[Option<usize>], scene: &mut Scene) -> Result<(), ImportError> {
    let (mut corners, mut dropped) = (0_u64, 0);
    let mut skin_of: Vec<Option<usize>> = Vec::new();
    for mesh in &found.meshes {
        corners += mesh.num_triangles as u64 * 3;
        if corners > CORNERS_MAX {
            return Err(ImportError::TooLarge { what: "corners of triangles", found: corners, limit: CORNERS_MAX });
        }
        let skin = mesh.skin_deformers.iter().next().and_then(|deformer| read_skin(deformer, numbers));
        let mut made = SceneMesh { name: short(&mesh.element.name), surfaces: Vec::new() };
        let mut builders: Vec<FaceReader<'_>> = Vec::new();
        let mut builder_of: HashMap<u32, usize> = HashMap::new();
        for (number, face) in mesh.faces.iter().enumerate() {
            let material = mesh.face_material.get(number).copied().unwrap_or(0);
            let at = *builder_of.entry(material).or_insert_with(|| {
                builders.push(FaceReader::new(mesh, material, skin.is_some()));
                builders.len() - 1
            });
            builders[at].face(face);
        }
        for builder in builders {
            let mut surface = builder.surface;
            dropped += surface.clean();
            if !surface.triangles.is_empty() {
                made.surfaces.push(surface);
            }
        }
        scene.meshes.push(made);
        skin_of.push(skin.map(|skin| {
            scene.skins.push(skin);
            scene.skins.len() - 1
        }));
    }
    let count = scene.meshes.len();
    for node in &mut scene.nodes {
        node.mesh = node.mesh.filter(|mesh| *mesh < count);
        node.skin = node.mesh.and_then(|mesh| skin_of[mesh]);
    }
    if dropped > 0 {
        scene.warn(format!("{dropped} triangles with vertices at no finite place are left out"));
    }
    let morphs = found.meshes.iter().filter(|mesh| !mesh.blend_deformers.is_empty()).count();
    for (count, what) in [
        (morphs, "meshes have morph targets (blend shapes), which are left out"),
        (found.cameras.len(), "cameras are left out"),
    ] {
        if count > 0 {
            scene.warn(format!("{count} {what}"));
        }
    }
    Ok(())
}

fn read_skin(deformer: &ufbx::SkinDeformer, numbers: &[Option<usize>]) -> Option<SceneSkin> {
    let mut made = SceneSkin { name: short(&deformer.element.name), ..SceneSkin::default() };
    for cluster in &deformer.clusters {
        let bone = cluster.bone_node.as_ref()?;
        made.joints.push((*numbers.get(bone.element.typed_id as usize)?)?);
        let matrix = &cluster.geometry_to_bone;
        let column = |x: f64, y: f64, z: f64| Vec3::new(x as f32, y as f32, z as f32);
        let affine = Affine {
            axes: [
                column(matrix.m00, matrix.m10, matrix.m20),
                column(matrix.m01, matrix.m11, matrix.m21),
                column(matrix.m02, matrix.m12, matrix.m22),
            ],
            origin: column(matrix.m03, matrix.m13, matrix.m23),
        };
        made.inverse_bind.push(if affine.is_finite() { affine } else { Affine::IDENTITY });
    }
    (!made.joints.is_empty() && made.joints.len() <= 1 << 16).then_some(made)
}

/// The faces of a mesh with one material.
struct FaceReader<'a> {
    mesh: &'a ufbx::Mesh,
    is_skinned: bool,
    vertex_of: HashMap<[u32; 5], u32>,
    indices: Vec<u32>,
    surface: MeshSurface,
}

impl<'a> FaceReader<'a> {
    fn new(mesh: &'a ufbx::Mesh, material: u32, is_skinned: bool) -> FaceReader<'a> {
        let material = mesh.materials.get(material as usize).map(|material| material.element.typed_id as usize);
        let surface = MeshSurface { material, ..MeshSurface::default() };
        FaceReader { mesh, is_skinned, vertex_of: HashMap::new(), indices: Vec::new(), surface }
    }

    fn face(&mut self, face: &ufbx::Face) {
        if !(3..=FACE_CORNERS_MAX as u32).contains(&face.num_indices) {
            return;
        }
        self.indices.resize((face.num_indices as usize - 2) * 3, 0);
        let count = ufbx::triangulate_face(&mut self.indices, self.mesh, *face) as usize;
        for triangle in 0..count {
            let corners = [0, 1, 2].map(|corner| self.indices[triangle * 3 + corner]);
            let corners = corners.map(|corner| self.vertex(corner as usize));
            self.surface.triangles.push(corners);
        }
    }

    /// The vertex of a corner: the same for all corners with the same numbers of all attributes.
    fn vertex(&mut self, corner: usize) -> u32 {
        let mesh = self.mesh;
        let index = |indices: &[u32]| indices.get(corner).copied().unwrap_or(u32::MAX);
        let second = mesh.uv_sets.get(1).map(|set| &set.vertex_uv);
        let key = [
            index(&mesh.vertex_position.indices),
            index(&mesh.vertex_normal.indices),
            index(&mesh.vertex_uv.indices),
            index(&mesh.vertex_color.indices),
            second.map_or(u32::MAX, |uv| index(&uv.indices)),
        ];
        if let Some(vertex) = self.vertex_of.get(&key) {
            return *vertex;
        }
        let surface = &mut self.surface;
        let number = surface.positions.len() as u32;
        surface.positions.push(mesh.vertex_position.values.get(key[0] as usize).map_or(Vec3::splat(f32::NAN), vector));
        if mesh.vertex_normal.exists {
            surface.normals.push(mesh.vertex_normal.values.get(key[1] as usize).map_or(Vec3::Z, vector));
        }
        // The origin of texture coordinates is at the bottom left; ours is at the top left.
        let pair = |uv: &ufbx::Vec2| Vec2::new(uv.x as f32, 1.0 - uv.y as f32);
        if mesh.vertex_uv.exists {
            surface.uvs[0].push(mesh.vertex_uv.values.get(key[2] as usize).map_or(Vec2::ZERO, pair));
        }
        if let Some(second) = second.filter(|uv| uv.exists) {
            surface.uvs[1].push(second.values.get(key[4] as usize).map_or(Vec2::ZERO, pair));
        }
        if mesh.vertex_color.exists {
            let colour = mesh.vertex_color.values.get(key[3] as usize);
            let four = |value: &ufbx::Vec4| Vec4::new(value.x as f32, value.y as f32, value.z as f32, value.w as f32);
            surface.colours.push(colour.map_or(Vec4::splat(1.0), four));
        }
        if self.is_skinned {
            let (joints, weights) = self.weights(corner);
            self.surface.joints.push(joints);
            self.surface.weights.push(weights);
        }
        self.vertex_of.insert(key, number);
        number
    }

    /// The four largest weights of a corner: the library lists the largest first.
    fn weights(&self, corner: usize) -> ([u16; 4], [f32; 4]) {
        let (mut joints, mut weights) = ([0; 4], [0.0; 4]);
        let Some(skin) = self.mesh.skin_deformers.iter().next() else { return (joints, weights) };
        let vertex = self.mesh.vertex_indices.get(corner).and_then(|vertex| skin.vertices.get(*vertex as usize));
        let Some(vertex) = vertex else { return (joints, weights) };
        for slot in 0..vertex.num_weights.min(4) as usize {
            let Some(weight) = skin.weights.get(vertex.weight_begin as usize + slot) else { continue };
            joints[slot] = weight.cluster_index.min(skin.clusters.len() as u32 - 1) as u16;
            weights[slot] = weight.weight as f32;
        }
        (joints, weights)
    }
}

fn clips(found: &ufbx::Scene, numbers: &[Option<usize>], scene: &mut Scene) -> Result<(), ImportError> {
    let mut keys = 0_u64;
    for stack in found.anim_stacks.iter().take(SCENE_ITEMS_MAX) {
        let limited = || ufbx::AllocatorOpts { memory_limit: LIBRARY_BYTES_MAX, ..Default::default() };
        let options = ufbx::BakeOpts {
            temp_allocator: limited(),
            result_allocator: limited(),
            trim_start_time: true,
            resample_rate: RATE,
            ..Default::default()
        };
        let baked = ufbx::bake_anim(found, &stack.anim, options)
            .map_err(|error| ImportError::Damaged(format!("FBX: an animation: {}", short(&error.description))))?;
        let mut clip = SceneClip { name: short(&stack.element.name), curves: Vec::new() };
        for node in &baked.nodes {
            let Some(own) = numbers.get(node.typed_id as usize).copied().flatten() else { continue };
            keys += (node.translation_keys.len() + node.rotation_keys.len() + node.scale_keys.len()) as u64;
            if keys > SAMPLES_MAX {
                return Err(ImportError::TooLarge { what: "keys of curves", found: keys, limit: SAMPLES_MAX });
            }
            let vectors = |keys: &[ufbx::BakedVec3]| -> Vec<(f64, [f32; 4])> {
                keys.iter().map(|key| (key.time, vector(&key.value).with_w(0.0).to_array())).collect()
            };
            let turns =
                node.rotation_keys.iter().map(|key| (key.time, rotation(&key.value).to_vector().to_array())).collect();
            for (target, keys) in [
                (ChannelTarget::Position, vectors(&node.translation_keys)),
                (ChannelTarget::Rotation, turns),
                (ChannelTarget::Scale, vectors(&node.scale_keys)),
            ] {
                clip.curves.extend(curve(own, target, keys));
            }
        }
        scene.clips.push(clip);
    }
    Ok(())
}

fn curve(node: usize, target: ChannelTarget, keys: Vec<(f64, [f32; 4])>) -> Option<SceneCurve> {
    let times: Vec<f32> = keys.iter().map(|(time, _)| base::number::clamp(*time as f32, 0.0, 86400.0)).collect();
    let values: Vec<[f32; 4]> = keys.into_iter().map(|(_, value)| value).collect();
    let is_sound = |number: &f32| number.is_finite() && number.abs() <= COORDINATE_MAX;
    let is_sound = !times.is_empty() && times.is_sorted() && values.iter().flatten().all(is_sound);
    is_sound.then_some(SceneCurve { node, target, interpolation: Interpolation::Linear, times, values })
}

fn transform(transform: &ufbx::Transform) -> Transform {
    Transform {
        position: vector(&transform.translation),
        rotation: rotation(&transform.rotation),
        scale: vector(&transform.scale),
    }
}

fn vector(vector: &ufbx::Vec3) -> Vec3 {
    Vec3::new(vector.x as f32, vector.y as f32, vector.z as f32)
}

fn rotation(rotation: &ufbx::Quat) -> Quat {
    Quat::new(rotation.x as f32, rotation.y as f32, rotation.z as f32, rotation.w as f32).normal()
}

fn short(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(100).collect()
}
