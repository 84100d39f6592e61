//! Vertices as bytes: quantised, interleaved, and each stored once.

use std::collections::HashMap;

use base::number::{abs, clamp, round};
use base::{Vec2, Vec3};
use view::classes::model::{VertexFormat, VertexMeaning};

use crate::scene::surface::MeshSurface;

/// The size up to which positions have 16 bits: a step is then at most half a millimetre.
const QUANTISED_SIZE_MAX: f32 = 32.0;
/// The size up to which texture coordinates have 16 bits: a step is then an eighth of a pixel of 1024.
const QUANTISED_UV_MAX: f32 = 8.0;

/// One attribute of the vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttributeLayout {
    /// What it is.
    pub meaning: VertexMeaning,
    /// How it is stored.
    pub format: VertexFormat,
    /// Its place in a vertex.
    pub offset: usize,
    /// With a range: the value of the number 0.
    pub min: Vec3,
    /// With a range: what is added to it for the largest number.
    pub size: Vec3,
}

/// The vertices of a surface.
#[derive(Clone, Debug, Default)]
pub struct VertexBytes {
    /// The attributes.
    pub attributes: Vec<AttributeLayout>,
    /// The bytes of a vertex.
    pub stride: usize,
    /// The vertices.
    pub bytes: Vec<u8>,
    /// The positions as they are decoded again.
    pub positions: Vec<Vec3>,
}

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// The smallest corner.
    pub min: Vec3,
    /// The largest corner.
    pub max: Vec3,
}

impl Extent {
    /// Around points; at the origin without any.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Extent {
        let mut points = points.into_iter();
        let first = points.next().unwrap_or_default();
        let (min, max) = points.fold((first, first), |(min, max), point| (min.min(point), max.max(point)));
        Extent { min, max }
    }

    /// Its middle.
    #[must_use]
    pub fn centre(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }
}

/// Encodes the vertices of a surface, each once, and renumbers its triangles. Positions are quantised in the extent of
/// the whole mesh, so that neighbouring surfaces meet exactly.
pub fn encode(surface: &mut MeshSurface, mesh: Extent) -> VertexBytes {
    let (attributes, stride) = layout(surface, mesh);
    let mut made = VertexBytes { attributes, stride, ..VertexBytes::default() };
    let mut number_of: HashMap<Vec<u8>, u32> = HashMap::with_capacity(surface.positions.len());
    let mut numbers = Vec::with_capacity(surface.positions.len());
    let mut vertex = Vec::with_capacity(stride);
    for at in 0..surface.positions.len() {
        vertex.clear();
        let position = write_vertex(surface, at, &made.attributes, &mut vertex);
        let number = *number_of.entry(vertex.clone()).or_insert_with(|| {
            made.bytes.extend_from_slice(&vertex);
            made.positions.push(position);
            made.positions.len() as u32 - 1
        });
        numbers.push(number);
    }
    surface.triangles.iter_mut().flatten().for_each(|corner| *corner = numbers[*corner as usize]);
    surface.triangles.retain(|[a, b, c]| a != b && b != c && c != a);
    made
}

impl VertexBytes {
    /// Only these vertices, in this order.
    #[must_use]
    pub fn gather(&self, vertices: &[u32]) -> Vec<u8> {
        let vertex = |number: &u32| &self.bytes[*number as usize * self.stride..][..self.stride];
        vertices.iter().flat_map(vertex).copied().collect()
    }
}

fn layout(surface: &MeshSurface, mesh: Extent) -> (Vec<AttributeLayout>, usize) {
    let mut attributes = Vec::new();
    let mut offset = 0;
    let mut add = |is_there: bool, meaning, format, bytes: usize, min: Vec3, size: Vec3| {
        if is_there {
            attributes.push(AttributeLayout { meaning, format, offset, min, size });
            offset += bytes;
        }
    };
    let size = mesh.max - mesh.min;
    if size.max_component() <= QUANTISED_SIZE_MAX {
        add(true, VertexMeaning::Position, VertexFormat::Range16, 8, mesh.min, size);
    } else {
        add(true, VertexMeaning::Position, VertexFormat::F32, 12, Vec3::ZERO, Vec3::ZERO);
    }
    let zero = Vec3::ZERO;
    add(!surface.normals.is_empty(), VertexMeaning::Normal, VertexFormat::Octahedral, 4, zero, zero);
    add(!surface.tangents.is_empty(), VertexMeaning::Tangent, VertexFormat::OctahedralSign, 4, zero, zero);
    for (uvs, meaning) in surface.uvs.iter().zip([VertexMeaning::Uv0, VertexMeaning::Uv1]) {
        let extent = Extent::around(uvs.iter().map(|uv| uv.with_z(0.0)));
        let size = extent.max - extent.min;
        if size.max_component() <= QUANTISED_UV_MAX {
            add(!uvs.is_empty(), meaning, VertexFormat::Range16, 4, extent.min, size);
        } else {
            add(!uvs.is_empty(), meaning, VertexFormat::F32, 8, zero, zero);
        }
    }
    add(!surface.colours.is_empty(), VertexMeaning::Colour, VertexFormat::Unit8, 4, zero, zero);
    let is_wide = surface.joints.iter().flatten().any(|joint| *joint > 255);
    let (format, bytes) = if is_wide { (VertexFormat::Index16, 8) } else { (VertexFormat::Index8, 4) };
    add(!surface.joints.is_empty(), VertexMeaning::Joints, format, bytes, zero, zero);
    add(!surface.weights.is_empty(), VertexMeaning::Weights, VertexFormat::Unit8, 4, zero, zero);
    (attributes, offset)
}

/// Writes a vertex, and returns its position as it is decoded again.
fn write_vertex(surface: &MeshSurface, at: usize, attributes: &[AttributeLayout], out: &mut Vec<u8>) -> Vec3 {
    let mut place = surface.positions[at];
    for attribute in attributes {
        match (attribute.meaning, attribute.format) {
            (VertexMeaning::Position, VertexFormat::Range16) => {
                let numbers = steps(place, attribute);
                place = attribute.min
                    + attribute.size.times(Vec3::from_array(numbers.map(|number| f32::from(number) / 65535.0)));
                numbers.iter().chain([&0]).for_each(|number| out.extend(number.to_le_bytes()));
            }
            (VertexMeaning::Position, _) => {
                place = place.canonical();
                place.to_array().iter().for_each(|number| out.extend(number.to_le_bytes()));
            }
            (VertexMeaning::Normal, _) => {
                octahedral(surface.normals[at]).iter().for_each(|number| out.extend(number.to_le_bytes()));
            }
            (VertexMeaning::Tangent, _) => {
                let tangent = surface.tangents[at];
                let [x, y] = octahedral(tangent.xyz());
                let y = y & !1 | i16::from(tangent.w < 0.0);
                [x, y].iter().for_each(|number| out.extend(number.to_le_bytes()));
            }
            (VertexMeaning::Uv0, format) => write_uv(surface.uvs[0][at], format, attribute, out),
            (VertexMeaning::Uv1, format) => write_uv(surface.uvs[1][at], format, attribute, out),
            (VertexMeaning::Colour, _) => out.extend(surface.colours[at].to_array().map(unit)),
            (VertexMeaning::Joints, VertexFormat::Index16) => {
                surface.joints[at].iter().for_each(|joint| out.extend(joint.to_le_bytes()));
            }
            (VertexMeaning::Joints, _) => out.extend(surface.joints[at].map(|joint| joint.to_le_bytes()[0])),
            (VertexMeaning::Weights, _) => out.extend(weights(surface.weights[at])),
        }
    }
    place
}

fn write_uv(uv: Vec2, format: VertexFormat, attribute: &AttributeLayout, out: &mut Vec<u8>) {
    match format {
        VertexFormat::Range16 => {
            let [u, v, _] = steps(uv.with_z(0.0), attribute);
            [u, v].iter().for_each(|number| out.extend(number.to_le_bytes()));
        }
        _ => uv.canonical().to_array().iter().for_each(|number| out.extend(number.to_le_bytes())),
    }
}

fn steps(value: Vec3, attribute: &AttributeLayout) -> [u16; 3] {
    [0, 1, 2].map(|axis| {
        let size = attribute.size[axis];
        let part = if size > 0.0 { (value[axis] - attribute.min[axis]) / size } else { 0.0 };
        round(clamp(part, 0.0, 1.0) * 65535.0) as u16
    })
}

fn unit(value: f32) -> u8 {
    round(clamp(value, 0.0, 1.0) * 255.0) as u8
}

/// Four weights whose sum is 255: what rounding lost goes to the largest.
fn weights(weights: [f32; 4]) -> [u8; 4] {
    let mut rounded = weights.map(|weight| i32::from(unit(weight)));
    let largest = (0..4).max_by_key(|at| (rounded[*at], 3 - at)).unwrap_or(0);
    rounded[largest] += 255 - rounded.iter().sum::<i32>();
    rounded.map(|weight| weight.clamp(0, 255) as u8)
}

/// The octahedral mapping of a direction (Meyer, Süßmuth, Sußner, Stamminger and Greiner 2010).
#[must_use]
pub fn octahedral(direction: Vec3) -> [i16; 2] {
    let sum = abs(direction.x) + abs(direction.y) + abs(direction.z);
    let flat = if sum > 0.0 { direction / sum } else { Vec3::Z };
    let sign = |value: f32| if value < 0.0 { -1.0 } else { 1.0 };
    let folded = if flat.z < 0.0 {
        Vec2::new((1.0 - abs(flat.y)) * sign(flat.x), (1.0 - abs(flat.x)) * sign(flat.y))
    } else {
        flat.xy()
    };
    [folded.x, folded.y].map(|value| round(clamp(value, -1.0, 1.0) * 32767.0) as i16)
}

/// The direction of an octahedral mapping.
#[must_use]
pub fn from_octahedral([x, y]: [i16; 2]) -> Vec3 {
    let (x, y) = (f32::from(x) / 32767.0, f32::from(y) / 32767.0);
    let z = 1.0 - abs(x) - abs(y);
    let sign = |value: f32| if value < 0.0 { -1.0 } else { 1.0 };
    let fold = base::number::max(-z, 0.0);
    Vec3::new(x - fold * sign(x), y - fold * sign(y), z).normal_or(Vec3::Z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Pcg, Random};

    #[test]
    fn directions_survive_the_octahedral_mapping() {
        let mut random = Pcg::new(3, 1);
        let mut worst = 0.0_f32;
        for _ in 0..10_000 {
            let direction = random.on_sphere();
            worst = base::number::max(worst, direction.angle_to(from_octahedral(octahedral(direction))));
        }
        assert!(worst < 1e-4, "{worst} radians");
        for axis in [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z] {
            assert_eq!(from_octahedral(octahedral(axis)), axis);
        }
    }

    #[test]
    fn equal_vertices_are_stored_once() {
        let mut surface = MeshSurface {
            positions: vec![
                Vec3::ZERO,
                Vec3::X,
                Vec3::Y,
                Vec3::X,
                Vec3::Y,
                Vec3::new(1.0, 1.0, 0.0),
                Vec3::new(1e-7, 0.0, 0.0),
            ],
            triangles: vec![[0, 1, 2], [3, 5, 4], [0, 6, 1]],
            ..MeshSurface::default()
        };
        let extent = Extent::around(surface.positions.iter().copied());
        let made = encode(&mut surface, extent);
        assert_eq!((made.positions.len(), made.stride, made.bytes.len()), (4, 8, 32));
        assert_eq!(surface.triangles, [[0, 1, 2], [1, 3, 2]], "a triangle that has collapsed is left out");
        assert_eq!(made.positions[3], Vec3::new(1.0, 1.0, 0.0));
    }

    #[test]
    fn weights_add_up() {
        for given in
            [[1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.25; 4], [0.9985, 0.0005, 0.0005, 0.0005]]
        {
            assert_eq!(weights(given).iter().map(|weight| u32::from(*weight)).sum::<u32>(), 255, "{given:?}");
        }
    }
}
