//! The geometry pool: one buffer with the vertices and two with the indices of all meshes.
//!
//! The second list of indices has the same triangles in the same order, but one vertex for each position: what is drawn by
//! positions alone has then half the vertices or fewer, since normals and texture coordinates split them.

use std::collections::BTreeMap;

use base::number::{clamp, round};
use base::plain::cast_slice;
use base::{Vec2, Vec3, Vec4};

use crate::gpu::blocks::{LEVELS_MAX, VertexBlock};
use crate::gpu::buffer::GrowingBuffer;
use crate::resources::{MeshLod, ModelResource};

/// A level of detail in the pool.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PooledLevel {
    /// The first of its indices.
    pub first_index: u32,
    /// Their number.
    pub index_count: u32,
    /// The vertex that index 0 means.
    pub base_vertex: i32,
    /// The error in metres; negative: the distance at which it begins.
    pub error: f32,
}

/// A mesh in the pool.
#[derive(Clone, Debug, Default)]
pub struct PooledMesh {
    /// Its levels, the finest first.
    pub levels: Vec<PooledLevel>,
}

/// The geometry of all models.
pub struct Geometry {
    /// The vertices.
    pub vertices: GrowingBuffer,
    /// The indices.
    pub indices: GrowingBuffer,
    /// The indices of vertices that differ in their positions.
    pub position_indices: GrowingBuffer,
    vertex_count: u32,
    index_count: u32,
    /// The meshes of each model, by its serial.
    models: BTreeMap<u64, Vec<PooledMesh>>,
}

/// The most bytes of vertices, and of indices: beyond, the pool is emptied and filled with what is in use.
const POOL_BYTES_MAX: u64 = 1 << 30;

impl Geometry {
    /// An empty pool.
    pub fn new(device: &wgpu::Device) -> Geometry {
        let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::STORAGE;
        Geometry {
            vertices: GrowingBuffer::new(device, "vertices", wgpu::BufferUsages::VERTEX | usage),
            indices: GrowingBuffer::new(device, "indices", wgpu::BufferUsages::INDEX | usage),
            position_indices: GrowingBuffer::new(device, "position indices", wgpu::BufferUsages::INDEX | usage),
            vertex_count: 0,
            index_count: 0,
            models: BTreeMap::new(),
        }
    }

    /// The meshes of a model, put into the pool if it is new. None if there is no room even in an empty pool.
    pub fn model(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        model: &ModelResource,
    ) -> Option<&[PooledMesh]> {
        if !self.models.contains_key(&model.serial) {
            let meshes = self.add(device, queue, model)?;
            self.models.insert(model.serial, meshes);
        }
        self.models.get(&model.serial).map(Vec::as_slice)
    }

    /// Whether so much lies in the pool that it should be emptied.
    pub fn is_full(&self) -> bool {
        u64::from(self.vertex_count) * size_of::<VertexBlock>() as u64 > POOL_BYTES_MAX
            || u64::from(self.index_count) * 4 > POOL_BYTES_MAX
    }

    /// Empties the pool; its buffers stay.
    pub fn clear(&mut self) {
        self.models.clear();
        (self.vertex_count, self.index_count) = (0, 0);
    }

    fn add(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, model: &ModelResource) -> Option<Vec<PooledMesh>> {
        let mut vertices: Vec<VertexBlock> = Vec::new();
        let mut indices: Vec<u32> = Vec::new();
        let mut position_indices: Vec<u32> = Vec::new();
        let mut meshes = Vec::with_capacity(model.meshes.len());
        for mesh in &model.meshes {
            let mut levels = Vec::new();
            for level in chosen_levels(mesh.lods.len()) {
                let lod = &mesh.lods[level];
                let base = self.vertex_count as usize + vertices.len();
                levels.push(PooledLevel {
                    first_index: u32::try_from(self.index_count as usize + indices.len()).ok()?,
                    index_count: u32::try_from(lod.indices.len()).ok()?,
                    base_vertex: i32::try_from(base).ok()?,
                    error: level_error(model, lod, level),
                });
                let own: Vec<VertexBlock> = (0..lod.positions.len()).map(|vertex| packed_vertex(lod, vertex)).collect();
                let firsts = first_alike(&own);
                let first = |index: &u32| firsts.get(*index as usize).copied().unwrap_or(*index);
                position_indices.extend(lod.indices.iter().map(first));
                vertices.extend(own);
                indices.extend(&lod.indices);
            }
            meshes.push(PooledMesh { levels });
        }
        let vertex_bytes = size_of::<VertexBlock>() as u64;
        let (vertex_at, index_at) = (u64::from(self.vertex_count) * vertex_bytes, u64::from(self.index_count) * 4);
        let has_room = self.vertices.grow(device, queue, vertex_at + vertices.len() as u64 * vertex_bytes)
            && self.indices.grow(device, queue, index_at + indices.len() as u64 * 4)
            && self.position_indices.grow(device, queue, index_at + indices.len() as u64 * 4);
        if !has_room {
            return None;
        }
        if !vertices.is_empty() && !indices.is_empty() {
            queue.write_buffer(self.vertices.get(), vertex_at, cast_slice(&vertices));
            queue.write_buffer(self.indices.get(), index_at, cast_slice(&indices));
            queue.write_buffer(self.position_indices.get(), index_at, cast_slice(&position_indices));
        }
        self.vertex_count += u32::try_from(vertices.len()).ok()?;
        self.index_count += u32::try_from(indices.len()).ok()?;
        Some(meshes)
    }
}

/// For each vertex the first one at the same place that moves with the same joints.
fn first_alike(vertices: &[VertexBlock]) -> Vec<u32> {
    let mut firsts = BTreeMap::new();
    (0..)
        .zip(vertices)
        .map(|(index, vertex)| {
            // Both zeros are one place.
            let place = vertex.position.map(|part| (part + 0.0).to_bits());
            *firsts.entry((place, vertex.joints, vertex.weights)).or_insert(index)
        })
        .collect()
}

/// The levels that are kept: the finest, the coarsest, and as many between as fit.
fn chosen_levels(count: usize) -> impl Iterator<Item = usize> {
    let kept = count.min(LEVELS_MAX);
    (0..kept).map(move |index| if kept < 2 { 0 } else { index * (count - 1) / (kept - 1) })
}

fn level_error(model: &ModelResource, lod: &MeshLod, level: usize) -> f32 {
    let by_hand = level.checked_sub(1).and_then(|index| model.lod_distances.get(index));
    by_hand.map_or(lod.error, |distance| -distance.max(1e-3))
}

fn packed_vertex(lod: &MeshLod, vertex: usize) -> VertexBlock {
    let at = |list: &[Vec2]| list.get(vertex).copied().unwrap_or_default();
    let normal = lod.normals.get(vertex).copied().unwrap_or(Vec3::Z);
    let tangent = lod.tangents.get(vertex).copied().unwrap_or(normal.perpendicular().with_w(1.0));
    let colour = lod.colours.get(vertex).copied().unwrap_or(Vec4::ONE);
    let weights = lod.weights.get(vertex).copied().unwrap_or([1.0, 0.0, 0.0, 0.0]);
    VertexBlock {
        position: lod.positions[vertex].to_array(),
        normal: octahedral(normal),
        tangent: with_sign(octahedral(tangent.xyz()), tangent.w < 0.0),
        uv: at(&lod.uvs[0]).to_array(),
        uv1: at(&lod.uvs[1]).to_array().map(half_float),
        colour: colour.to_array().map(unit8),
        joints: lod.joints.get(vertex).copied().unwrap_or_default(),
        weights: weights.map(unit8),
    }
}

fn unit8(value: f32) -> u8 {
    round(clamp(value, 0.0, 1.0) * 255.0) as u8
}

/// A direction in the octahedral mapping (Meyer et al. 2010).
fn octahedral(direction: Vec3) -> [i16; 2] {
    let sum = direction.x.abs() + direction.y.abs() + direction.z.abs();
    let n = if sum > 0.0 { direction * (1.0 / sum) } else { Vec3::Z };
    let sign = |value: f32| if value >= 0.0 { 1.0 } else { -1.0 };
    let [x, y] = if n.z >= 0.0 { [n.x, n.y] } else { [(1.0 - n.y.abs()) * sign(n.x), (1.0 - n.x.abs()) * sign(n.y)] };
    [x, y].map(|value| round(clamp(value, -1.0, 1.0) * 32767.0) as i16)
}

/// The lowest bit of the second number says that the bitangent is negative.
fn with_sign([x, y]: [i16; 2], is_negative: bool) -> [i16; 2] {
    // -32768 would be read as -1 as well, and its lowest bit could not be kept.
    let y = y.clamp(-32766, 32766) & !1;
    [x, if is_negative { y | 1 } else { y }]
}

/// The nearest 16-bit float; too small ones are 0, too large ones the largest.
pub(super) fn half_float(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let rounded = (bits & 0x7fff_ffff).saturating_add(0x1000);
    let exponent = (rounded >> 23).cast_signed() - 127 + 15;
    match exponent {
        ..=0 => sign,
        31.. => sign | 0x7bff,
        _ => sign | (exponent as u16) << 10 | (rounded >> 13 & 0x3ff) as u16,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_finest_and_the_coarsest_level_are_kept() {
        let chosen = |count| chosen_levels(count).collect::<Vec<_>>();
        assert_eq!(chosen(0), []);
        assert_eq!(chosen(1), [0]);
        assert_eq!(chosen(3), [0, 1, 2]);
        assert_eq!(chosen(4), [0, 1, 2, 3]);
        assert_eq!(chosen(9), [0, 2, 5, 8]);
    }

    #[test]
    fn vertices_at_one_place_are_one_unless_their_joints_differ() {
        let vertex = |x: f32, joint: u16| VertexBlock {
            position: [x, 0.0, 0.0],
            normal: [joint.cast_signed(), 7],
            joints: [joint, 0, 0, 0],
            ..VertexBlock::default()
        };
        let vertices = [vertex(1.0, 0), vertex(-0.0, 0), vertex(1.0, 0), vertex(1.0, 3), vertex(0.0, 0)];
        assert_eq!(first_alike(&vertices), [0, 1, 0, 3, 1]);
    }

    #[test]
    fn half_floats_are_near() {
        for (value, bits) in [(0.0, 0), (1.0, 0x3c00), (-2.0, 0xc000), (0.5, 0x3800), (1e9, 0x7bff), (1e-9, 0)] {
            assert_eq!(half_float(value), bits, "{value}");
        }
    }

    #[test]
    fn directions_survive_packing() {
        for direction in [Vec3::X, -Vec3::Y, -Vec3::Z, Vec3::new(0.6, -0.64, -0.48)] {
            let [x, y] = octahedral(direction).map(|part| f32::from(part) / 32767.0);
            let mut n = Vec3::new(x, y, 1.0 - x.abs() - y.abs());
            let fold = base::number::max(-n.z, 0.0);
            n.x += if n.x >= 0.0 { -fold } else { fold };
            n.y += if n.y >= 0.0 { -fold } else { fold };
            assert!(n.normal().distance(direction) < 1e-3, "{direction:?} {n:?}");
        }
    }
}
