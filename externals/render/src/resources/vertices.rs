//! Vertices and indices from the bytes of a model.

use base::number::{abs, max};
use base::{Vec2, Vec3, Vec4};
use view::classes::model::{VertexAttribute, VertexFormat, VertexMeaning};

use crate::resources::mesh::MeshLod;

/// Decodes all vertices.
// The error is text: it says what is wrong with the bytes, and callers do no more than report it.
pub fn read_vertices(
    bytes: &[u8],
    count: usize,
    stride: usize,
    attributes: &[VertexAttribute],
    lod: &mut MeshLod,
) -> Result<(), String> {
    if count == 0 || stride == 0 || count.checked_mul(stride) != Some(bytes.len()) {
        return Err(format!("{count} vertices of {stride} bytes are expected, {} bytes found", bytes.len()));
    }
    for attribute in attributes {
        let (offset, size) = (attribute.offset as usize, bytes_of(attribute));
        if offset + size > stride {
            let meaning = attribute.meaning.get();
            return Err(format!("the attribute {meaning:?} ends at byte {} of {stride}", offset + size));
        }
        let each = bytes.chunks_exact(stride).map(|vertex| &vertex[offset..offset + size]);
        match attribute.meaning.get() {
            VertexMeaning::Position => lod.positions = each.map(|at| finite(vector(at, attribute))).collect(),
            VertexMeaning::Normal => lod.normals = each.map(|at| direction(at, attribute).xyz()).collect(),
            VertexMeaning::Tangent => lod.tangents = each.map(|at| direction(at, attribute)).collect(),
            VertexMeaning::Uv0 => lod.uvs[0] = each.map(|at| finite(vector(at, attribute)).xy()).collect(),
            VertexMeaning::Uv1 => lod.uvs[1] = each.map(|at| finite(vector(at, attribute)).xy()).collect(),
            VertexMeaning::Colour => lod.colours = each.map(|at| Vec4::from_array(units(at))).collect(),
            VertexMeaning::Joints => lod.joints = each.map(|at| joints(at, attribute)).collect(),
            VertexMeaning::Weights => lod.weights = each.map(units).collect(),
        }
    }
    if lod.positions.is_empty() {
        return Err("the vertices have no positions".to_string());
    }
    Ok(())
}

/// Decodes the indices, and computes normals where there are none.
// The error is text, as above.
pub fn read_indices(bytes: &[u8], vertices: u32, triangles: u32, lod: &mut MeshLod) -> Result<(), String> {
    let wide = if vertices <= 65536 { 2 } else { 4 };
    let expected = (triangles as usize).checked_mul(3 * wide);
    if expected != Some(bytes.len()) {
        return Err(format!("{triangles} triangles are expected, {} bytes of indices found", bytes.len()));
    }
    lod.indices = if wide == 2 {
        bytes.as_chunks::<2>().0.iter().map(|index| u32::from(u16::from_le_bytes(*index))).collect()
    } else {
        bytes.as_chunks::<4>().0.iter().map(|index| u32::from_le_bytes(*index)).collect()
    };
    if let Some(outside) = lod.indices.iter().find(|index| **index >= vertices) {
        return Err(format!("a triangle has the vertex {outside} of {vertices}"));
    }
    if lod.normals.is_empty() {
        lod.normals = smooth_normals(&lod.positions, &lod.indices);
    }
    Ok(())
}

/// Normals as the averages of the triangles around each vertex, weighted by area.
pub fn smooth_normals(positions: &[Vec3], indices: &[u32]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; positions.len()];
    for corners in indices.as_chunks::<3>().0 {
        let [a, b, c] = corners.map(|corner| positions[corner as usize]);
        let area = (b - a).cross(c - a);
        for corner in corners {
            normals[*corner as usize] += area;
        }
    }
    normals.into_iter().map(|normal| normal.normal_or(Vec3::Z)).collect()
}

fn bytes_of(attribute: &VertexAttribute) -> usize {
    let is_position = attribute.meaning.get() == VertexMeaning::Position;
    match attribute.format.get() {
        VertexFormat::F32 if is_position => 12,
        VertexFormat::F32 => 8,
        VertexFormat::Range16 if is_position => 8,
        VertexFormat::Index16 => 8,
        _ => 4,
    }
}

fn half(bytes: &[u8], at: usize) -> u16 {
    bytes.get(2 * at..).and_then(|rest| rest.first_chunk()).map_or(0, |pair| u16::from_le_bytes(*pair))
}

fn float(bytes: &[u8], at: usize) -> f32 {
    bytes.get(4 * at..).and_then(|rest| rest.first_chunk()).map_or(0.0, |four| f32::from_le_bytes(*four))
}

/// A position, or texture coordinates in its first two components.
fn vector(bytes: &[u8], attribute: &VertexAttribute) -> Vec3 {
    match attribute.format.get() {
        VertexFormat::Range16 => {
            let steps = Vec3::from_array([0, 1, 2].map(|axis| f32::from(half(bytes, axis)) / 65535.0));
            attribute.min + attribute.size.times(steps)
        }
        _ => Vec3::from_array([0, 1, 2].map(|axis| float(bytes, axis))),
    }
}

/// A direction in the octahedral mapping, and the sign of its bitangent.
fn direction(bytes: &[u8], attribute: &VertexAttribute) -> Vec4 {
    let [x, y] = [0, 1].map(|axis| half(bytes, axis) as i16);
    let has_sign = attribute.format.get() == VertexFormat::OctahedralSign;
    let sign = if has_sign && y & 1 == 1 { -1.0 } else { 1.0 };
    let (x, y) = (f32::from(x) / 32767.0, f32::from(y) / 32767.0);
    let z = 1.0 - abs(x) - abs(y);
    let side = |value: f32| if value < 0.0 { -1.0 } else { 1.0 };
    let fold = max(-z, 0.0);
    Vec3::new(x - fold * side(x), y - fold * side(y), z).normal_or(Vec3::Z).with_w(sign)
}

fn units(bytes: &[u8]) -> [f32; 4] {
    [0, 1, 2, 3].map(|at| f32::from(bytes.get(at).copied().unwrap_or(0)) / 255.0)
}

fn joints(bytes: &[u8], attribute: &VertexAttribute) -> [u16; 4] {
    match attribute.format.get() {
        VertexFormat::Index16 => [0, 1, 2, 3].map(|at| half(bytes, at)),
        _ => [0, 1, 2, 3].map(|at| u16::from(bytes.get(at).copied().unwrap_or(0))),
    }
}

fn finite(vector: Vec3) -> Vec3 {
    if vector.is_finite() { vector } else { Vec3::ZERO }
}

/// Texture coordinates of a position on the sides of a box, for meshes that have none.
pub fn box_uv(position: Vec3, normal: Vec3) -> Vec2 {
    let Vec3 { x, y, z } = normal.abs();
    if x >= y && x >= z {
        Vec2::new(position.y, position.z)
    } else if y >= z {
        Vec2::new(position.x, position.z)
    } else {
        Vec2::new(position.x, position.y)
    }
}
