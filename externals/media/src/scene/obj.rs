//! Reads Wavefront `.obj`: text lines with vertices and faces, and materials in a file beside it.
//!
//! Objects and groups become nodes. A polygon is triangulated as a fan.

mod mtl;

use std::collections::{BTreeMap, HashMap};

use base::{Vec2, Vec3, Vec4};

use super::material::{SceneMaterial, name_beside};
use super::surface::{MeshSurface, SceneMesh};
use super::{Scene, SceneNode};
use crate::error::ImportError;
use crate::importer::Source;
use crate::limits::{CORNERS_MAX, FACE_CORNERS_MAX, NODES_MAX, SCENE_ITEMS_MAX};

/// The most material libraries of a file.
const LIBRARIES_MAX: usize = 64;

/// Reads a file, and the material libraries that it names.
pub fn read(source: &Source<'_>) -> Result<Scene, ImportError> {
    let text = std::str::from_utf8(source.bytes)
        .map_err(|_| ImportError::Damaged("expected a text, found bytes that are none".into()))?;
    let mut reader = ObjReader::default();
    for (index, line) in text.lines().enumerate() {
        let in_line = |error: LineError| match error {
            LineError::Wrong(what) => ImportError::Damaged(format!("line {}: {what}", index + 1)),
            LineError::TooLarge { what, limit } => ImportError::TooLarge { what, found: limit + 1, limit },
        };
        reader.line(line).map_err(in_line)?;
    }
    reader.finish(source)
}

enum LineError {
    Wrong(&'static str),
    TooLarge { what: &'static str, limit: u64 },
}

/// What was read so far.
#[derive(Default)]
struct ObjReader {
    positions: Vec<Vec3>,
    colours: Vec<Vec4>,
    uvs: Vec<Vec2>,
    normals: Vec<Vec3>,
    nodes: Vec<ObjNode>,
    node_of: BTreeMap<String, usize>,
    node: usize,
    materials: Vec<String>,
    material_of: BTreeMap<String, usize>,
    material: Option<usize>,
    libraries: Vec<String>,
    corners: Vec<Corner>,
    triangles: u64,
}

#[derive(Default)]
struct ObjNode {
    name: String,
    surfaces: BTreeMap<Option<usize>, ObjSurface>,
}

/// Triangles over corners, each of which is a vertex of its own.
#[derive(Default)]
struct ObjSurface {
    vertex_of: HashMap<Corner, u32>,
    vertices: Vec<Corner>,
    triangles: Vec<[u32; 3]>,
}

/// A position, texture coordinates and a normal, by their numbers; [`NONE`] for none.
type Corner = [u32; 3];

const NONE: u32 = u32::MAX;

impl ObjReader {
    fn line(&mut self, line: &str) -> Result<(), LineError> {
        let wrong = LineError::Wrong;
        let mut words = line.split_whitespace();
        let rest = || line.trim_start().split_once(char::is_whitespace).map_or("", |(_, rest)| rest.trim());
        match words.next() {
            Some("v") => {
                let [x, y, z] = numbers(&mut words).ok_or(wrong("expected three numbers behind v"))?;
                if let Some([red, green, blue]) = numbers(&mut words) {
                    self.colours.resize(self.positions.len(), Vec4::splat(1.0));
                    self.colours.push(Vec4::new(red, green, blue, 1.0));
                }
                self.positions.push(Vec3::new(x, y, z));
            }
            Some("vt") => {
                let [u, v] = numbers(&mut words).ok_or(wrong("expected two numbers behind vt"))?;
                // The origin is at the bottom left; ours is at the top left.
                self.uvs.push(Vec2::new(u, 1.0 - v));
            }
            Some("vn") => {
                let [x, y, z] = numbers(&mut words).ok_or(wrong("expected three numbers behind vn"))?;
                self.normals.push(Vec3::new(x, y, z));
            }
            Some("o" | "g") => {
                let name = rest().chars().filter(|letter| !letter.is_control()).take(100).collect();
                self.node = self.find_node(name)?;
            }
            Some("usemtl") => {
                let name: String = rest().chars().take(100).collect();
                if self.materials.len() >= SCENE_ITEMS_MAX {
                    return Err(LineError::TooLarge { what: "materials", limit: SCENE_ITEMS_MAX as u64 });
                }
                let next = self.materials.len();
                let number = *self.material_of.entry(name.clone()).or_insert(next);
                if number == next {
                    self.materials.push(name);
                }
                self.material = Some(number);
            }
            Some("mtllib") if self.libraries.len() < LIBRARIES_MAX => self.libraries.push(rest().to_string()),
            Some("f") => self.face(words)?,
            _ => {}
        }
        Ok(())
    }

    fn find_node(&mut self, name: String) -> Result<usize, LineError> {
        if let Some(number) = self.node_of.get(&name) {
            return Ok(*number);
        }
        if self.nodes.len() >= NODES_MAX {
            return Err(LineError::TooLarge { what: "objects", limit: NODES_MAX as u64 });
        }
        self.nodes.push(ObjNode { name: name.clone(), surfaces: BTreeMap::new() });
        self.node_of.insert(name, self.nodes.len() - 1);
        Ok(self.nodes.len() - 1)
    }

    fn face<'a>(&mut self, words: impl Iterator<Item = &'a str>) -> Result<(), LineError> {
        let mut corners = std::mem::take(&mut self.corners);
        corners.clear();
        for word in words {
            let corner = self.corner(word);
            corners.push(corner.ok_or(LineError::Wrong("expected corners that name vertices above it"))?);
            if corners.len() > FACE_CORNERS_MAX {
                return Err(LineError::Wrong("expected a face of fewer corners"));
            }
        }
        if corners.len() < 3 {
            return Err(LineError::Wrong("expected three corners or more behind f"));
        }
        self.triangles += corners.len() as u64 - 2;
        if self.triangles * 3 > CORNERS_MAX {
            return Err(LineError::TooLarge { what: "triangles", limit: CORNERS_MAX / 3 });
        }
        if self.nodes.is_empty() {
            self.node = self.find_node(String::new())?;
        }
        let surface = self.nodes[self.node].surfaces.entry(self.material).or_default();
        let [first, second] = [corners[0], corners[1]].map(|corner| surface.vertex(corner));
        let mut before = second;
        for corner in &corners[2..] {
            let vertex = surface.vertex(*corner);
            surface.triangles.push([first, before, vertex]);
            before = vertex;
        }
        self.corners = corners;
        Ok(())
    }

    /// A corner such as `7`, `7/2/3`, `7//3` or `-1`, which is the last one so far.
    fn corner(&self, word: &str) -> Option<Corner> {
        let mut parts = word.split('/');
        let position = number(parts.next()?, self.positions.len())?;
        let mut other = |count: usize| match parts.next() {
            None | Some("") => Some(NONE),
            Some(text) => number(text, count),
        };
        Some([position, other(self.uvs.len())?, other(self.normals.len())?])
    }

    fn finish(mut self, source: &Source<'_>) -> Result<Scene, ImportError> {
        let mut scene = Scene::default();
        self.colours.resize(if self.colours.is_empty() { 0 } else { self.positions.len() }, Vec4::splat(1.0));
        let mut known: BTreeMap<String, SceneMaterial> = BTreeMap::new();
        for library in &self.libraries {
            match name_beside(library).map(|name| (source.beside)(&name)) {
                Some(Ok(bytes)) => mtl::read(&bytes, &mut known),
                Some(Err(_)) | None => {
                    let name: String = library.chars().take(100).collect();
                    scene.warn(format!(
                        "the material library \"{name}\" is not beside the file; its materials are plain"
                    ));
                }
            }
        }
        for name in &self.materials {
            let plain = || SceneMaterial { name: name.clone(), metallic: 0.0, ..SceneMaterial::default() };
            scene.materials.push(known.get(name).cloned().unwrap_or_else(plain));
        }
        let mut dropped = 0;
        for node in std::mem::take(&mut self.nodes) {
            let mut mesh = SceneMesh { name: node.name.clone(), surfaces: Vec::new() };
            for (material, surface) in node.surfaces {
                let mut surface = self.surface(material, surface);
                dropped += surface.clean();
                if !surface.triangles.is_empty() {
                    mesh.surfaces.push(surface);
                }
            }
            scene.nodes.push(SceneNode { name: node.name, mesh: Some(scene.meshes.len()), ..SceneNode::default() });
            scene.meshes.push(mesh);
        }
        if dropped > 0 {
            scene.warn(format!("{dropped} triangles with vertices at no finite place are left out"));
        }
        Ok(scene)
    }

    fn surface(&self, material: Option<usize>, surface: ObjSurface) -> MeshSurface {
        let vertices = &surface.vertices;
        let all_have = |part: usize| vertices.iter().all(|corner| corner[part] != NONE);
        let mut made = MeshSurface { material, triangles: surface.triangles, ..MeshSurface::default() };
        made.positions = vertices.iter().map(|corner| self.positions[corner[0] as usize]).collect();
        if !self.colours.is_empty() {
            made.colours = vertices.iter().map(|corner| self.colours[corner[0] as usize]).collect();
        }
        if all_have(1) {
            made.uvs[0] = vertices.iter().map(|corner| self.uvs[corner[1] as usize]).collect();
        }
        if all_have(2) {
            made.normals = vertices.iter().map(|corner| self.normals[corner[2] as usize]).collect();
        }
        made
    }
}

impl ObjSurface {
    fn vertex(&mut self, corner: Corner) -> u32 {
        *self.vertex_of.entry(corner).or_insert_with(|| {
            self.vertices.push(corner);
            self.vertices.len() as u32 - 1
        })
    }
}

fn numbers<'a, const N: usize>(words: &mut impl Iterator<Item = &'a str>) -> Option<[f32; N]> {
    let mut found = [0.0; N];
    for number in &mut found {
        *number = words.next()?.parse::<f32>().ok().filter(|number| number.is_finite())?;
    }
    Some(found)
}

fn number(text: &str, count: usize) -> Option<u32> {
    let number: i64 = text.parse().ok()?;
    let count = i64::try_from(count).ok()?;
    let index = if number > 0 { number - 1 } else { count.checked_add(number)? };
    (number != 0 && (0..count).contains(&index)).then(|| u32::try_from(index).ok())?
}
