//! Approximate convex decomposition of a concave mesh, by parry's port of V-HACD (Mamou and Ghorbel 2009).
//!
//! Parry voxelises the volume that the triangles enclose, and splits it along the planes that reduce concavity most.
//! The hulls are ours, around the pieces of surface in each part. Parts are then merged greedily, those first that grow
//! least: as long as the growth is negligible, and until there are no more than requested.
//!
//! Laws
//! 1. Only this file uses parry, and passes coordinates between 0 and 1: neither size nor position of the mesh matter.
//! 2. Parry is built for determinism: in software, without SIMD.
//! 3. Memory and time are bounded, whatever the size of the mesh: where large triangles would cover too many voxels, the voxels are
//!    larger, and where even the largest are too many, the mesh is refused.

use std::panic::{AssertUnwindSafe, catch_unwind};

use base::Vec3;
use base::number::{floor, max};
use parry::math::Vector;
use parry::transformation::vhacd::{VHACD, VHACDParameters};
use parry::transformation::voxelization::FillMode;
use physics::hull::Hull;

use super::around;
use super::soup::TriangleSoup;
use crate::error::ImportError;

/// The number of voxels along the longest side, in order of preference.
const RESOLUTIONS: [u32; 4] = [48, 32, 24, 16];
/// The most pairs of a triangle and a voxel.
const CROSSINGS_MAX: f64 = (1 << 19) as f64;
/// The concavity, relative to the whole, above which a part is split.
const CONCAVITY: f32 = 0.005;
/// The growth, relative to the whole, below which two parts are always merged.
const JOINED: f32 = 0.002;

/// At most this many hulls, as vertices; and how far points lie outside of them.
pub fn decompose(soup: &TriangleSoup, most: usize) -> Result<(Vec<Vec<Vec3>>, f32), ImportError> {
    // A mesh without volume has no parts; this also gives the error message.
    let (corners, left_out) = around(&soup.points)?;
    if most == 1 {
        return Ok((vec![corners], left_out));
    }
    let frame = UnitCube::around(&soup.points);
    let points: Vec<Vec3> = soup.points.iter().map(|point| frame.enter(*point)).collect();
    let pieces = cut(&points, &soup.triangles, most)?;
    let mut parts: Vec<Piece> = pieces.into_iter().filter_map(Piece::around).collect();
    if parts.is_empty() {
        return Ok((vec![corners], left_out));
    }
    join(&mut parts, most.max(1));
    let left_out = parts.iter().fold(0.0, |most, part| max(most, part.left_out)) * frame.size;
    let leave = |part: &Piece| part.corners.iter().map(|corner| frame.leave(*corner)).collect();
    Ok((parts.iter().map(leave).collect(), left_out))
}

/// The pieces of surface in each part.
fn cut(points: &[Vec3], triangles: &[[u32; 3]], most: usize) -> Result<Vec<Vec<Vec3>>, ImportError> {
    let is_fine = |resolution: &&u32| crossings(points, triangles, **resolution) <= CROSSINGS_MAX;
    let resolution = RESOLUTIONS.iter().find(is_fine).copied();
    let resolution = resolution.ok_or_else(|| {
        ImportError::Unsupported("it has too many large triangles to be cut into parts; make it simpler".into())
    })?;
    let given: Vec<Vector> = points.iter().map(|point| Vector::new(point.x, point.y, point.z)).collect();
    let parameters = VHACDParameters {
        resolution,
        concavity: CONCAVITY,
        max_convex_hulls: most as u32,
        // Hulls around whole voxels are never flat, and so never fail.
        convex_hull_approximation: false,
        fill_mode: FillMode::FloodFill { detect_cavities: false },
        ..VHACDParameters::default()
    };
    // Third-party code on untrusted numbers: a panic becomes an error message.
    let found = catch_unwind(AssertUnwindSafe(|| {
        VHACD::decompose(&parameters, &given, triangles, true).compute_primitive_intersections(&given, triangles)
    }));
    let found = found
        .map_err(|_| ImportError::Unsupported("it could not be cut into parts; try it as a hull, or simpler".into()))?;
    let back = |point: &Vector| Vec3::new(point.x, point.y, point.z);
    Ok(found.iter().map(|piece| piece.iter().map(back).filter(|point| point.is_finite()).collect()).collect())
}

/// The most voxels that the triangles cover, counted per triangle.
fn crossings(points: &[Vec3], triangles: &[[u32; 3]], resolution: u32) -> f64 {
    let sum = triangles.iter().map(|triangle| {
        let [a, b, c] = triangle.map(|corner| points[corner as usize]);
        let size = (a.max(b).max(c) - a.min(b).min(c)) * resolution as f32;
        let mut cubes = size.to_array().map(|side| f64::from(floor(side)) + 2.0);
        cubes.sort_unstable_by(f64::total_cmp);
        // A triangle is flat: it covers at most two layers along its shortest extent.
        f64::min(cubes[0], 2.0) * cubes[1] * cubes[2]
    });
    sum.sum()
}

/// The transformation to a unit cube.
struct UnitCube {
    least: Vec3,
    size: f32,
}

impl UnitCube {
    fn around(points: &[Vec3]) -> UnitCube {
        let first = points.first().copied().unwrap_or_default();
        let (least, most) =
            points.iter().fold((first, first), |(least, most), point| (least.min(*point), most.max(*point)));
        UnitCube { least, size: (most - least).max_component() }
    }

    fn enter(&self, point: Vec3) -> Vec3 {
        (point - self.least) / self.size
    }

    /// Back, rounded like the mesh.
    fn leave(&self, point: Vec3) -> Vec3 {
        super::soup::rounded_for(self.size, self.least + point * self.size)
    }
}

/// A hull of the decomposition.
#[derive(Clone)]
struct Piece {
    corners: Vec<Vec3>,
    volume: f32,
    left_out: f32,
}

impl Piece {
    fn around(mut points: Vec<Vec3>) -> Option<Piece> {
        points.sort_unstable_by_key(|point| point.to_array().map(f32::to_bits));
        points.dedup();
        let hull = Hull::new(&points).ok()?;
        let volume = hull.triangles().fold(0.0, |sum, [a, b, c]| sum + a.cross(b).dot(c)) / 6.0;
        Some(Piece { corners: hull.vertices().to_vec(), volume, left_out: hull.simplification_error() })
    }

    fn with(&self, other: &Piece) -> Option<Piece> {
        let joined = Piece::around([self.corners.as_slice(), &other.corners].concat())?;
        Some(Piece { left_out: max(joined.left_out, max(self.left_out, other.left_out)), ..joined })
    }
}

/// Merges parts greedily, those first that grow least: until there are at most this many, and as long as the growth is
/// negligible, since V-HACD also splits where it need not.
fn join(parts: &mut Vec<Piece>, most: usize) {
    let tolerance = parts.iter().fold(0.0, |sum, part| sum + part.volume) * JOINED;
    let growth = |one: &Piece, other: &Piece| {
        let joined = one.with(other);
        joined.map_or(f32::INFINITY, |joined| joined.volume - one.volume - other.volume)
    };
    // For each part, its growth when merged with each part before it.
    let mut table: Vec<Vec<f32>> = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        table.push(parts[..number].iter().map(|other| growth(part, other)).collect());
    }
    // Each iteration removes one part.
    while parts.len() > 1 {
        let pairs = (1..parts.len()).flat_map(|second| (0..second).map(move |first| (first, second)));
        let rank = |(first, second): &(usize, usize)| table[*second][*first];
        let Some((first, second)) = pairs.min_by(|one, other| rank(one).total_cmp(&rank(other))) else { return };
        if parts.len() <= most && rank(&(first, second)) > tolerance {
            return;
        }
        // Two parts without a common hull are no loss.
        let joined = parts[first].with(&parts[second]).unwrap_or_else(|| parts[first].clone());
        parts.remove(second);
        table.remove(second);
        for row in table.iter_mut().skip(second) {
            row.remove(second);
        }
        parts[first] = joined;
        for other in 0..parts.len() {
            let (less, more) = (first.min(other), first.max(other));
            if less < more {
                table[more][less] = growth(&parts[more], &parts[less]);
            }
        }
    }
}
