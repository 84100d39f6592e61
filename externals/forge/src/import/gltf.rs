//! Import of glTF 2.0, as `.gltf` or `.glb`: the triangles of its meshes, transformed by its nodes.
//!
//! Parsed by hand, since a shape needs only positions and indices, and since every offset is checked here before it is
//! used.

mod accessor;
mod affine;

use base::Vec3;
use serde_json::Value;

use super::ReadBeside;
use super::soup::TriangleSoup;
use crate::limits::{IMPORT_DEPTH_MAX, IMPORT_NODES_MAX};
use accessor::Buffers;
use affine::Affine;

/// The magic of a `.glb`.
const MAGIC: &[u8; 4] = b"glTF";
/// The types of its chunks.
const JSON: u32 = 0x4e4f_534a;
const BIN: u32 = 0x004e_4942;

/// Reads the triangles of a file: of its whole scene, or of a named node with its descendants.
pub fn read(bytes: &[u8], name: Option<&str>, beside: ReadBeside<'_>) -> Result<TriangleSoup, String> {
    let (text, binary) = if bytes.starts_with(MAGIC) { chunks(bytes)? } else { (bytes, None) };
    let json: Value = serde_json::from_slice(text).map_err(|error| format!("expected JSON: {error}"))?;
    let version = json["asset"]["version"].as_str().unwrap_or("none");
    if !version.starts_with("2.") {
        return Err(format!("expected glTF of version 2, found {}", short(version)));
    }
    check_extensions(&json)?;
    let buffers = Buffers::read(&json, binary, beside)?;
    let mut walk = NodeWalk {
        json: &json,
        buffers,
        name,
        is_found: name.is_none(),
        seen: Vec::new(),
        soup: TriangleSoup::default(),
    };
    walk.scene()?;
    match name {
        Some(name) if !walk.is_found => Err(format!("expected a node called \"{name}\", found {}", names(&json))),
        _ => Ok(walk.soup),
    }
}

/// The JSON of a `.glb`, and its binary chunk.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), String> {
    let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let chunk = |at: usize| -> Option<(u32, &[u8], usize)> {
        let (length, kind) = (number(at)? as usize, number(at + 4)?);
        let end = at.checked_add(8)?.checked_add(length)?;
        Some((kind, bytes.get(at + 8..end)?, end))
    };
    let torn = || String::from("expected a whole .glb, found one whose chunks do not add up");
    let Some((JSON, text, end)) = chunk(12) else { return Err(torn()) };
    match chunk(end) {
        Some((BIN, binary, _)) => Ok((text, Some(binary))),
        Some(_) => Ok((text, None)),
        None if end >= bytes.len() => Ok((text, None)),
        None => Err(torn()),
    }
}

/// Required extensions that do not affect positions are accepted.
fn check_extensions(json: &Value) -> Result<(), String> {
    const HARMLESS: [&str; 6] =
        ["KHR_materials_", "KHR_texture_", "KHR_lights_", "KHR_mesh_quantization", "EXT_texture_", "KHR_animation_"];
    let required = json["extensionsRequired"].as_array().map_or(&[][..], Vec::as_slice);
    let is_known = |name: &str| HARMLESS.iter().any(|harmless| name.starts_with(harmless));
    match required.iter().map(|name| name.as_str().unwrap_or("none")).find(|name| !is_known(name)) {
        Some(name) => {
            Err(format!("it needs the extension {}, which is not known here; export it without", short(name)))
        }
        None => Ok(()),
    }
}

/// A traversal of the nodes of a scene.
struct NodeWalk<'a> {
    json: &'a Value,
    buffers: Buffers<'a>,
    name: Option<&'a str>,
    is_found: bool,
    /// The visited nodes: each at most once.
    seen: Vec<bool>,
    soup: TriangleSoup,
}

impl NodeWalk<'_> {
    fn scene(&mut self) -> Result<(), String> {
        let json = self.json;
        let nodes = list(&json["nodes"]).len();
        if nodes > IMPORT_NODES_MAX {
            return Err(format!("expected at most {IMPORT_NODES_MAX} nodes, found {nodes}"));
        }
        self.seen = vec![false; nodes];
        let scene = json["scene"].as_u64().unwrap_or(0) as usize;
        let mut roots: Vec<usize> = Vec::new();
        match list(&json["scenes"]).get(scene) {
            Some(scene) => roots.extend(list(&scene["nodes"]).iter().map(index)),
            // Without a scene, all root nodes are meant.
            None => {
                let mut is_child = vec![false; nodes];
                for child in list(&json["nodes"]).iter().flat_map(|node| list(&node["children"])).map(index) {
                    if let Some(is_child) = is_child.get_mut(child) {
                        *is_child = true;
                    }
                }
                roots.extend((0..nodes).filter(|node| !is_child[*node]));
            }
        }
        roots.into_iter().try_for_each(|root| self.node(root, &Affine::IDENTITY, self.name.is_none(), 0))
    }

    fn node(&mut self, number: usize, parent: &Affine, is_meant: bool, depth: usize) -> Result<(), String> {
        let node = list(&self.json["nodes"]).get(number).filter(|_| depth < IMPORT_DEPTH_MAX);
        let node = node.ok_or_else(|| format!("expected nodes that are there, at most {IMPORT_DEPTH_MAX} deep"))?;
        if std::mem::replace(&mut self.seen[number], true) {
            return Err(format!("expected a tree of nodes, found node {number} twice in it"));
        }
        let is_named = self.name.is_some() && node["name"].as_str() == self.name;
        self.is_found |= is_named;
        let is_meant = is_meant || is_named;
        let place = parent.then(&Affine::of(node)?);
        if let (true, Some(mesh)) = (is_meant, node["mesh"].as_u64()) {
            self.mesh(mesh as usize, &place)?;
        }
        let json = self.json;
        let children = list(&list(&json["nodes"])[number]["children"]);
        children.iter().map(index).try_for_each(|child| self.node(child, &place, is_meant, depth + 1))
    }

    fn mesh(&mut self, number: usize, place: &Affine) -> Result<(), String> {
        let mesh = list(&self.json["meshes"]).get(number);
        let mesh = mesh.ok_or_else(|| format!("expected a mesh {number}, found none"))?;
        for primitive in list(&mesh["primitives"]) {
            let mode = primitive["mode"].as_u64().unwrap_or(TRIANGLES);
            let Some(position) = primitive["attributes"]["POSITION"].as_u64() else { continue };
            if !(TRIANGLES..=FAN).contains(&mode) {
                continue;
            }
            let points = self.buffers.places(position as usize)?;
            let points: Vec<Vec3> = points.into_iter().map(|point| place.point(point)).collect();
            let corners = match primitive["indices"].as_u64() {
                Some(indices) => self.buffers.indices(indices as usize)?,
                None => (0..points.len() as u32).collect(),
            };
            self.soup.add(&points, triangles(&corners, mode, place.is_mirrored()))?;
        }
        Ok(())
    }
}

/// The triangles of a primitive.
const TRIANGLES: u64 = 4;
const STRIP: u64 = 5;
const FAN: u64 = 6;

fn triangles(corners: &[u32], mode: u64, is_mirrored: bool) -> impl Iterator<Item = [u32; 3]> + '_ {
    let count = match mode {
        TRIANGLES => corners.len() / 3,
        _ => corners.len().saturating_sub(2),
    };
    (0..count).map(move |number| {
        let [a, b, c] = match mode {
            TRIANGLES => [3 * number, 3 * number + 1, 3 * number + 2],
            // Every second triangle of a strip is reversed.
            STRIP if number % 2 == 1 => [number + 1, number, number + 2],
            STRIP => [number, number + 1, number + 2],
            _ => [0, number + 1, number + 2],
        }
        .map(|at| corners[at]);
        if is_mirrored { [a, c, b] } else { [a, b, c] }
    })
}

/// A list, or an empty one.
fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// An index; an invalid one is out of range.
fn index(value: &Value) -> usize {
    value.as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or(usize::MAX)
}

/// The names of some nodes, for a message.
fn names(json: &Value) -> String {
    let names = list(&json["nodes"]).iter().filter_map(|node| node["name"].as_str());
    let names: Vec<String> = names.take(8).map(short).collect();
    if names.is_empty() { String::from("nodes without names") } else { names.join(", ") }
}

fn short(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_control()).take(60).collect()
}
