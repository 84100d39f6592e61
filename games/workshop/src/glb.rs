//! Binary glTF 2.0 of a mesh: one node with a primitive for each paint, and a node for each marker.

use std::fmt::Write;

use astrarium::base::{Quat, Vec3};

use crate::bake;
use crate::mesh::Mesh;

/// The file of a mesh. Surfaces within `reach` metres darken one another.
pub fn write(mesh: &Mesh, name: &str, reach: f32) -> Vec<u8> {
    let brightness = bake::brightness(mesh, reach);
    let mut writer = Writer::default();
    let mut primitives = Vec::new();
    for (number, paint) in mesh.paints.iter().enumerate() {
        let own: Vec<usize> =
            (0..mesh.triangles.len()).filter(|index| mesh.triangles[*index].paint == number).collect();
        if own.is_empty() {
            continue;
        }
        let corners = || own.iter().flat_map(|index| (0..3).map(move |corner| (*index, corner)));
        let positions: Vec<[f32; 3]> =
            corners().map(|(index, corner)| turned(mesh.triangles[index].corners[corner])).collect();
        let normals: Vec<[f32; 3]> =
            corners().map(|(index, corner)| turned(mesh.triangles[index].normals[corner])).collect();
        let uvs: Vec<[f32; 2]> = corners()
            .map(|(index, corner)| {
                let triangle = &mesh.triangles[index];
                let flat = (triangle.corners[1] - triangle.corners[0]).cross(triangle.corners[2] - triangle.corners[0]);
                box_projection(triangle.corners[corner], flat, paint.texture_size)
            })
            .collect();
        let colours: Vec<[f32; 3]> = corners().map(|(index, corner)| [brightness[index][corner]; 3]).collect();
        let position = writer.accessor(&positions, "VEC3", true);
        let normal = writer.accessor(&normals, "VEC3", false);
        let uv = writer.accessor(&uvs, "VEC2", false);
        let colour = writer.accessor(&colours, "VEC3", false);
        primitives.push(format!(
            "{{\"attributes\":{{\"POSITION\":{position},\"NORMAL\":{normal},\"TEXCOORD_0\":{uv},\"COLOR_0\":{colour}}},\"material\":{number}}}"
        ));
    }
    let json = document(mesh, name, &primitives, &writer);
    container(json, writer.bytes)
}

/// A vector in the axes of glTF: z forward, x left, y up.
fn turned(vector: Vec3) -> [f32; 3] {
    [vector.y, vector.z, vector.x]
}

/// Texture coordinates on the side of a box that a surface faces most.
fn box_projection(point: Vec3, normal: Vec3, size: f32) -> [f32; 2] {
    let (x, y, z) = (normal.x.abs(), normal.y.abs(), normal.z.abs());
    let (u, v) = if z >= x && z >= y {
        (point.x, point.y)
    } else if y >= x {
        (point.x, point.z)
    } else {
        (point.y, point.z)
    };
    [u / size, v / size]
}

#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
    views: String,
    accessors: String,
    count: usize,
}

impl Writer {
    /// Adds values; returns the number of their accessor.
    fn accessor<const N: usize>(&mut self, values: &[[f32; N]], kind: &str, has_bounds: bool) -> usize {
        let (offset, comma) = (self.bytes.len(), if self.count == 0 { "" } else { "," });
        self.bytes.extend(values.iter().flatten().flat_map(|value| value.to_le_bytes()));
        let length = self.bytes.len() - offset;
        let _ = write!(self.views, "{comma}{{\"buffer\":0,\"byteOffset\":{offset},\"byteLength\":{length}}}");
        let bounds = if has_bounds { bounds(values) } else { String::new() };
        let (number, count) = (self.count, values.len());
        let _ = write!(
            self.accessors,
            "{comma}{{\"bufferView\":{number},\"componentType\":5126,\"count\":{count},\"type\":\"{kind}\"{bounds}}}"
        );
        self.count += 1;
        number
    }
}

fn bounds<const N: usize>(values: &[[f32; N]]) -> String {
    let (mut low, mut high) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N]);
    for value in values {
        for axis in 0..N {
            low[axis] = astrarium::base::number::min(low[axis], value[axis]);
            high[axis] = astrarium::base::number::max(high[axis], value[axis]);
        }
    }
    format!(",\"min\":{low:?},\"max\":{high:?}")
}

fn document(mesh: &Mesh, name: &str, primitives: &[String], writer: &Writer) -> String {
    let mut nodes = format!("{{\"name\":\"{name}\",\"mesh\":0}}");
    let mut roots = String::from("0");
    for (number, marker) in mesh.markers.iter().enumerate() {
        let rotation = Quat::between(Vec3::X, marker.facing);
        // The same rotation about turned axes.
        let (position, axis) = (turned(marker.position), [rotation.y, rotation.z, rotation.x]);
        let _ = write!(
            nodes,
            ",{{\"name\":\"MK_{}\",\"translation\":{position:?},\"rotation\":[{},{},{},{}]}}",
            marker.name, axis[0], axis[1], axis[2], rotation.w
        );
        let _ = write!(roots, ",{}", number + 1);
    }
    let mut textures: Vec<&str> = Vec::new();
    let mut materials = String::new();
    let mut has_strength = false;
    for (number, paint) in mesh.paints.iter().enumerate() {
        let [red, green, blue] = paint.colour;
        let map = paint.texture.map_or_else(String::new, |file| {
            let known = textures.iter().position(|own| *own == file);
            let index = known.unwrap_or_else(|| {
                textures.push(file);
                textures.len() - 1
            });
            format!(",\"baseColorTexture\":{{\"index\":{index}}}")
        });
        let _ = write!(
            materials,
            "{}{{\"name\":\"{}\",\"pbrMetallicRoughness\":{{\"baseColorFactor\":[{red},{green},{blue},1],\"metallicFactor\":{},\"roughnessFactor\":{}{map}}},\"emissiveFactor\":{:?}",
            if number == 0 { "" } else { "," },
            paint.name,
            paint.metallic,
            paint.roughness,
            paint.emissive
        );
        if paint.strength > 1.0 {
            has_strength = true;
            let _ = write!(
                materials,
                ",\"extensions\":{{\"KHR_materials_emissive_strength\":{{\"emissiveStrength\":{}}}}}",
                paint.strength
            );
        }
        materials.push('}');
    }
    let images: Vec<String> = textures.iter().map(|file| format!("{{\"uri\":\"{file}\"}}")).collect();
    let sources: Vec<String> = (0..textures.len()).map(|index| format!("{{\"source\":{index}}}")).collect();
    let pictures = if textures.is_empty() {
        String::new()
    } else {
        format!(",\"images\":[{}],\"textures\":[{}]", images.join(","), sources.join(","))
    };
    let extensions = if has_strength { ",\"extensionsUsed\":[\"KHR_materials_emissive_strength\"]" } else { "" };
    format!(
        "{{\"asset\":{{\"version\":\"2.0\",\"generator\":\"astrarium workshop\"}},\"scene\":0,\"scenes\":[{{\"nodes\":[{roots}]}}],\"nodes\":[{nodes}],\"meshes\":[{{\"name\":\"{name}\",\"primitives\":[{}]}}],\"materials\":[{materials}]{pictures}{extensions},\"accessors\":[{}],\"bufferViews\":[{}],\"buffers\":[{{\"byteLength\":{}}}]}}",
        primitives.join(","),
        writer.accessors,
        writer.views,
        writer.bytes.len()
    )
}

fn container(mut json: String, mut bytes: Vec<u8>) -> Vec<u8> {
    while !json.len().is_multiple_of(4) {
        json.push(' ');
    }
    while !bytes.len().is_multiple_of(4) {
        bytes.push(0);
    }
    let total = 12 + 8 + json.len() + 8 + bytes.len();
    let mut out = Vec::with_capacity(total);
    out.extend(b"glTF");
    for number in [2, total as u32, json.len() as u32, 0x4e4f_534a] {
        out.extend(number.to_le_bytes());
    }
    out.extend(json.as_bytes());
    for number in [bytes.len() as u32, 0x004e_4942] {
        out.extend(number.to_le_bytes());
    }
    out.extend(bytes);
    out
}
