//! One mesh: normals, quantised vertices, levels of detail, orders for the caches.
//!
//! Law: the result is a function of the mesh and the options alone, so that it can be kept for the hash of both.

use base::Vec3;
use base::number::{max, sqrt};

use super::normals;
use super::simplify::Simplifier;
use super::vertex_cache;
use super::vertices::{self, AttributeLayout, Extent};
use crate::scene::surface::{MeshSurface, SceneMesh};

/// Meshes of fewer triangles get no further levels of detail.
const LOD_TRIANGLES_MIN: usize = 64;
/// A level that has more triangles than this part of the one before is not worth it.
const LOD_PART_MAX: f32 = 0.8;

/// How meshes are built.
#[derive(Clone, Copy, Debug)]
pub struct MeshOptions {
    /// The most levels of detail.
    pub lods: usize,
    /// The largest error of a level, relative to the size of the mesh.
    pub lod_error: f32,
    /// Whether missing normals are smooth, not flat.
    pub has_smooth_normals: bool,
    /// Whether surfaces with a normal map get tangents.
    pub has_tangents: bool,
}

/// A surface as it is stored.
#[derive(Clone, Debug)]
pub struct BuiltSurface {
    /// The material of the scene.
    pub material: Option<usize>,
    /// The smallest box around it.
    pub extent: Extent,
    /// The radius of the sphere around the centre of the box.
    pub radius: f32,
    /// The bytes of a vertex.
    pub stride: usize,
    /// The attributes of a vertex.
    pub attributes: Vec<AttributeLayout>,
    /// The levels of detail, the finest first.
    pub lods: Vec<BuiltLod>,
}

/// A level of detail as it is stored.
#[derive(Clone, Debug)]
pub struct BuiltLod {
    /// The vertices.
    pub vertices: Vec<u8>,
    /// The indices, of 16 or 32 bits.
    pub indices: Vec<u8>,
    /// The number of vertices.
    pub vertex_count: usize,
    /// The number of triangles.
    pub triangle_count: usize,
    /// How far points of the source are at most from it, in metres.
    pub error: f32,
    /// The average cache miss ratio, before and after.
    pub miss_ratios: (f32, f32),
}

/// Builds all surfaces of a mesh. Materials with a normal map are told by their numbers.
pub fn build(mesh: &SceneMesh, has_normal_map: impl Fn(usize) -> bool, options: &MeshOptions) -> Vec<BuiltSurface> {
    let extent = Extent::around(mesh.surfaces.iter().flat_map(used_positions));
    let built = mesh.surfaces.iter().map(|surface| {
        let mut surface = surface.clone();
        if surface.normals.is_empty() {
            if options.has_smooth_normals { normals::add_smooth(&mut surface) } else { normals::add_flat(&mut surface) }
        }
        let is_mapped = surface.material.is_some_and(&has_normal_map);
        if options.has_tangents && is_mapped && surface.tangents.is_empty() {
            normals::add_tangents(&mut surface);
        }
        build_surface(surface, extent, options)
    });
    built.filter(|surface| !surface.lods.is_empty()).collect()
}

fn used_positions(surface: &MeshSurface) -> impl Iterator<Item = Vec3> {
    surface.triangles.iter().flatten().map(|corner| surface.positions[*corner as usize])
}

fn build_surface(mut surface: MeshSurface, mesh: Extent, options: &MeshOptions) -> BuiltSurface {
    let encoded = vertices::encode(&mut surface, mesh);
    let extent = Extent::around(surface.triangles.iter().flatten().map(|corner| encoded.positions[*corner as usize]));
    let centre = extent.centre();
    let radius = surface
        .triangles
        .iter()
        .flatten()
        .fold(0.0, |most, corner| max(most, centre.distance_squared(encoded.positions[*corner as usize])));
    // Half a step along each axis.
    let step = encoded.attributes[0].size / 65535.0 * 0.5;
    let quantisation = step.length();
    let mut made = BuiltSurface {
        material: surface.material,
        extent,
        radius: sqrt(radius),
        stride: encoded.stride,
        attributes: encoded.attributes.clone(),
        lods: Vec::new(),
    };
    if surface.triangles.is_empty() {
        return made;
    }
    let mut add = |triangles: &[[u32; 3]], error: f32| {
        let count = encoded.positions.len();
        let before = vertex_cache::miss_ratio(triangles, count, vertex_cache::CACHE);
        let mut ordered = vertex_cache::optimise(triangles, count);
        let after = vertex_cache::miss_ratio(&ordered, count, vertex_cache::CACHE);
        let used = vertex_cache::order_vertices(&mut ordered, count);
        let is_small = used.len() <= 1 << 16;
        let index = |corner: &u32| corner.to_le_bytes().into_iter().take(if is_small { 2 } else { 4 });
        made.lods.push(BuiltLod {
            vertices: encoded.gather(&used),
            indices: ordered.iter().flatten().flat_map(index).collect(),
            vertex_count: used.len(),
            triangle_count: ordered.len(),
            error,
            miss_ratios: (before, after),
        });
    };
    add(&surface.triangles, quantisation);
    if surface.triangles.len() < LOD_TRIANGLES_MIN || options.lods <= 1 {
        return made;
    }
    let error_max = options.lod_error * (extent.max - extent.min).max_component();
    let mut simplifier = Simplifier::new(&encoded.positions, &surface.triangles);
    let mut before = surface.triangles.len();
    for _ in 1..options.lods {
        if before < LOD_TRIANGLES_MIN {
            break;
        }
        simplifier.reduce(before / 2);
        let error = simplifier.error() as f32 + quantisation;
        let is_worth_it = simplifier.count() as f32 <= before as f32 * LOD_PART_MAX;
        if !is_worth_it || error > error_max + quantisation {
            break;
        }
        add(&simplifier.triangles(), error);
        before = simplifier.count();
    }
    made
}
