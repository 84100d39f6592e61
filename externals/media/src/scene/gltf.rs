//! Reads glTF 2.0, as `.gltf` or `.glb`.
//!
//! Parsed by hand: every offset is checked before it is used, and the work is in proportion to the files, however often
//! nodes, meshes and accessors are used (see [`budget`]).
//!
//! Extensions that are understood: `KHR_mesh_quantization`, `KHR_texture_transform`, `KHR_materials_emissive_strength`,
//! `KHR_materials_unlit`, `KHR_lights_punctual`. Others that a file requires are an error if they compress meshes, and
//! a warning if they only change looks.

mod accessor;
mod animation;
mod budget;
mod container;
mod geometry;
mod material;
mod nodes;
mod skin;

use std::collections::BTreeSet;

use super::json::{Json, JsonDocument};
use super::{Scene, SceneMesh};
use crate::error::ImportError;
use crate::importer::Source;
use crate::limits::SCENE_ITEMS_MAX;
use accessor::Buffers;
use budget::Budget;

/// Reads the scene of a file.
pub fn read(source: &Source<'_>) -> Result<Scene, ImportError> {
    let (text, binary) = container::parts(source.bytes)?;
    let document = JsonDocument::parse(text)?;
    let root = document.root();
    let version = root.get("asset").get("version").text().unwrap_or_default();
    if !version.starts_with("2.") {
        return Err(ImportError::Unsupported(format!("expected glTF of version 2, found {}", short(&version))));
    }
    let generator = root.get("asset").get("generator").text().map(|text| short(&text)).unwrap_or_default();
    let mut scene = Scene { generator, ..Scene::default() };
    check_extensions(root, &mut scene)?;
    check_compression(root)?;
    let buffers = Buffers::read(root, binary, source)?;
    let bytes_max = source.bytes.len() as u64 + buffers.bytes_beside();
    let mut budget = Budget::new(bytes_max);
    let numbers = nodes::read(root, &mut scene)?;
    material::read(root, &buffers, bytes_max, &mut scene)?;
    meshes(root, &buffers, &mut budget, &mut scene)?;
    skin::read(root, &buffers, &numbers, &mut budget, &mut scene)?;
    animation::read(root, &buffers, &numbers, &mut budget, &mut scene)?;
    check_indices(&mut scene)?;
    remark_left_out(root, &mut scene);
    Ok(scene)
}

/// The program that wrote a file, if it is one and says so.
pub fn generator(bytes: &[u8]) -> Option<String> {
    let (text, _) = container::parts(bytes).ok()?;
    let document = JsonDocument::parse(text).ok()?;
    let generator = document.root().get("asset").get("generator").text().map(|text| short(&text));
    generator.filter(|generator| !generator.is_empty())
}

/// Extensions that change what numbers mean cannot be ignored.
fn check_extensions(root: Json<'_>, scene: &mut Scene) -> Result<(), ImportError> {
    const KNOWN: [&str; 5] = [
        "KHR_mesh_quantization",
        "KHR_texture_transform",
        "KHR_materials_emissive_strength",
        "KHR_materials_unlit",
        "KHR_lights_punctual",
    ];
    const LOOKS: [&str; 5] = ["KHR_materials_", "KHR_texture_", "EXT_texture_", "MSFT_", "KHR_xmp"];
    const COMPRESSED: [&str; 3] = ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_meshopt_compression"];
    for name in root.get("extensionsRequired").elements().take(SCENE_ITEMS_MAX) {
        let name = name.text().unwrap_or_default();
        if KNOWN.contains(&&*name) {
            continue;
        }
        if COMPRESSED.contains(&&*name) {
            let message = format!("meshes compressed by {name}; export without compression");
            return Err(ImportError::Unsupported(message));
        }
        if LOOKS.iter().any(|start| name.starts_with(start)) {
            scene.warn(format!("the extension {} is ignored: some materials look different", short(&name)));
            continue;
        }
        return Err(ImportError::Unsupported(format!("the required extension {}; export without it", short(&name))));
    }
    Ok(())
}

/// Meshes whose numbers are only there in compressed form, though the file does not require the extension.
fn check_compression(root: Json<'_>) -> Result<(), ImportError> {
    let refuse =
        |name: &str| Err(ImportError::Unsupported(format!("meshes compressed by {name}; export without compression")));
    for buffer in root.get("buffers").elements().take(SCENE_ITEMS_MAX) {
        for name in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
            let extension = buffer.get("extensions").get(name);
            if extension.is_there() && !buffer.get("uri").is_there() {
                return refuse(name);
            }
        }
    }
    const DRACO: &str = "KHR_draco_mesh_compression";
    let primitives = (root.get("meshes").elements().take(SCENE_ITEMS_MAX))
        .flat_map(|mesh| mesh.get("primitives").elements().take(SCENE_ITEMS_MAX));
    let compressed = primitives.filter(|primitive| primitive.get("extensions").get(DRACO).is_there());
    let positions: BTreeSet<usize> =
        compressed.filter_map(|primitive| primitive.get("attributes").get("POSITION").index()).collect();
    let has_numbers = |accessor: &Json<'_>| accessor.get("bufferView").is_there() || accessor.get("sparse").is_there();
    let mut accessors = root.get("accessors").elements().enumerate().filter(|(index, _)| positions.contains(index));
    if accessors.any(|(_, accessor)| !has_numbers(&accessor)) { refuse(DRACO) } else { Ok(()) }
}

/// Says what of a file is not read.
fn remark_left_out(root: Json<'_>, scene: &mut Scene) {
    let (mut morphs, mut joints, mut uvs) = (0_usize, 0_usize, 0_usize);
    for mesh in root.get("meshes").elements().take(SCENE_ITEMS_MAX) {
        let primitives = || mesh.get("primitives").elements().take(SCENE_ITEMS_MAX);
        let has = |name: &str| primitives().any(|primitive| primitive.get("attributes").get(name).is_there());
        morphs += usize::from(primitives().any(|primitive| primitive.get("targets").is_there()));
        joints += usize::from(has("JOINTS_1"));
        uvs += usize::from(has("TEXCOORD_2"));
    }
    let cameras = root.get("cameras").elements().take(SCENE_ITEMS_MAX).count();
    let scenes = root.get("scenes").elements().take(SCENE_ITEMS_MAX).count().saturating_sub(1);
    for (count, what) in [
        (morphs, "meshes have morph targets (shape keys), which are left out"),
        (joints, "meshes have more than four joints per vertex; those beyond are left out"),
        (uvs, "meshes have more than two sets of texture coordinates; those beyond are left out"),
        (cameras, "cameras are left out"),
        (scenes, "further scenes of the file are left out; only its default scene is read"),
    ] {
        if count > 0 {
            scene.warn(format!("{count} {what}"));
        }
    }
}

/// Reads all meshes that a node uses.
fn meshes(root: Json<'_>, buffers: &Buffers<'_>, budget: &mut Budget, scene: &mut Scene) -> Result<(), ImportError> {
    let found: Vec<Json<'_>> = items(root, "meshes")?;
    let mut is_used = vec![false; found.len()];
    for node in &scene.nodes {
        if let Some(mesh) = node.mesh {
            let is_used = is_used.get_mut(mesh);
            *is_used
                .ok_or_else(|| ImportError::Damaged(format!("a node names the mesh {mesh}, which is not there")))? =
                true;
        }
    }
    let (mut dropped, mut skipped) = (0, 0);
    for (index, mesh) in found.iter().enumerate() {
        let mut made = SceneMesh {
            name: mesh.get("name").text().map(|name| short(&name)).unwrap_or_default(),
            surfaces: Vec::new(),
        };
        for primitive in mesh.get("primitives").elements().filter(|_| is_used[index]) {
            match geometry::surface(primitive, buffers, budget, scene.materials.len())? {
                Some(mut surface) => {
                    dropped += surface.clean();
                    if !surface.triangles.is_empty() {
                        made.surfaces.push(surface);
                    }
                }
                None => skipped += 1,
            }
        }
        scene.meshes.push(made);
    }
    if dropped > 0 {
        scene.warn(format!("{dropped} triangles with vertices at no finite place are left out"));
    }
    if skipped > 0 {
        scene.warn(format!("{skipped} primitives are left out: points, lines, or without positions"));
    }
    Ok(())
}

fn check_indices(scene: &mut Scene) -> Result<(), ImportError> {
    let (meshes, skins) = (scene.meshes.len(), scene.skins.len());
    for node in &mut scene.nodes {
        if node.mesh.is_some_and(|mesh| mesh >= meshes) || node.skin.is_some_and(|skin| skin >= skins) {
            return Err(ImportError::Damaged("a node names a mesh or a skin that is not there".into()));
        }
    }
    Ok(())
}

/// The elements of a list of the document, unless there are too many.
fn items<'d>(root: Json<'d>, name: &'static str) -> Result<Vec<Json<'d>>, ImportError> {
    let items: Vec<Json<'d>> = root.get(name).elements().take(SCENE_ITEMS_MAX + 1).collect();
    if items.len() > SCENE_ITEMS_MAX {
        return Err(ImportError::TooLarge { what: name, found: items.len() as u64, limit: SCENE_ITEMS_MAX as u64 });
    }
    Ok(items)
}

/// A text of the file, for names and messages.
fn short(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(100).collect()
}
