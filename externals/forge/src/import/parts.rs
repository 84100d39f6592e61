//! What is concave as a few hulls: an approximate convex decomposition, by parry's port of V-HACD.
//!
//! Parry divides the room that the triangles enclose into small cubes, and cuts these where that saves most of the volume by which
//! hulls are larger than what is in them. The hulls are ours, around the pieces of surface in each part. Those that grow least by it
//! are put together: as long as that costs nearly nothing, and until there are no more than were asked for.
//!
//! Laws
//! 1. Parry is known in this file only, and is given numbers between 0 and 1: neither size nor place of the mesh matter to it.
//! 2. It is built to be the same everywhere: in software, without vectors.
//! 3. How much memory it takes is known before it begins: where large triangles would be in too many cubes, cubes are larger.

use std::panic::{AssertUnwindSafe, catch_unwind};

use base::Vec3;
use base::number::{floor, max};
use parry::math::Vector;
use parry::transformation::vhacd::{VHACD, VHACDParameters};
use parry::transformation::voxelization::FillMode;
use physics::hull::Hull;

use super::around;
use super::soup::Soup;

/// How many cubes there are along the longest side, the most first.
const RESOLUTIONS: [u32; 4] = [48, 32, 24, 16];
/// How often a triangle may be in a cube, all of them together.
const CROSSINGS_MAX: f64 = (1 << 21) as f64;
/// By how much of the whole a part may be less than convex before it is cut.
const CONCAVITY: f32 = 0.005;
/// By how much of the whole two parts may grow to be put together at any rate.
const JOINED: f32 = 0.002;

/// At most so many hulls, as corners; and how far they leave points out.
pub fn decompose(soup: &Soup, most: usize) -> Result<(Vec<Vec<Vec3>>, f32), String> {
    // What has no inside has no parts; this also says why.
    let (corners, left_out) = around(&soup.points)?;
    if most == 1 {
        return Ok((vec![corners], left_out));
    }
    let frame = Unit::around(&soup.points);
    let points: Vec<Vec3> = soup.points.iter().map(|point| frame.enter(*point)).collect();
    let pieces = cut(&points, &soup.triangles, most)?;
    let mut parts: Vec<Part> = pieces.into_iter().filter_map(Part::around).collect();
    if parts.is_empty() {
        return Ok((vec![corners], left_out));
    }
    join(&mut parts, most.max(1));
    let left_out = parts.iter().fold(0.0, |most, part| max(most, part.left_out)) * frame.size;
    let leave = |part: &Part| part.corners.iter().map(|corner| frame.leave(*corner)).collect();
    Ok((parts.iter().map(leave).collect(), left_out))
}

/// The pieces of surface in each part.
fn cut(points: &[Vec3], triangles: &[[u32; 3]], most: usize) -> Result<Vec<Vec<Vec3>>, String> {
    let is_fine = |resolution: &&u32| crossings(points, triangles, **resolution) <= CROSSINGS_MAX;
    let resolution = RESOLUTIONS.iter().find(is_fine).copied();
    let resolution = resolution.ok_or("it has too many large triangles to be cut into parts; make it simpler")?;
    let given: Vec<Vector> = points.iter().map(|point| Vector::new(point.x, point.y, point.z)).collect();
    let parameters = VHACDParameters {
        resolution,
        concavity: CONCAVITY,
        max_convex_hulls: most as u32,
        // Hulls around whole cubes are never flat, and so never fail.
        convex_hull_approximation: false,
        fill_mode: FillMode::FloodFill { detect_cavities: false },
        ..VHACDParameters::default()
    };
    // Another's code, on numbers that a file chose: if it finds a case that it does not know, that is told like any other.
    let found = catch_unwind(AssertUnwindSafe(|| {
        VHACD::decompose(&parameters, &given, triangles, true).compute_primitive_intersections(&given, triangles)
    }));
    let found = found.map_err(|_| String::from("it could not be cut into parts; try it as a hull, or simpler"))?;
    let back = |point: &Vector| Vec3::new(point.x, point.y, point.z);
    Ok(found.iter().map(|piece| piece.iter().map(back).filter(|point| point.is_finite()).collect()).collect())
}

/// How many cubes triangles are in at most, all of them together.
fn crossings(points: &[Vec3], triangles: &[[u32; 3]], resolution: u32) -> f64 {
    let sum = triangles.iter().map(|triangle| {
        let [a, b, c] = triangle.map(|corner| points[corner as usize]);
        let size = (a.max(b).max(c) - a.min(b).min(c)) * resolution as f32;
        let mut cubes = size.to_array().map(|side| f64::from(floor(side)) + 2.0);
        cubes.sort_unstable_by(f64::total_cmp);
        // A triangle is flat: it fills no more than twice its two longer sides.
        f64::min(cubes[0], 2.0) * cubes[1] * cubes[2]
    });
    sum.sum()
}

/// A cube of side one, and where it is.
struct Unit {
    least: Vec3,
    size: f32,
}

impl Unit {
    fn around(points: &[Vec3]) -> Unit {
        let first = points.first().copied().unwrap_or_default();
        let (least, most) =
            points.iter().fold((first, first), |(least, most), point| (least.min(*point), most.max(*point)));
        Unit { least, size: (most - least).max_component() }
    }

    fn enter(&self, point: Vec3) -> Vec3 {
        (point - self.least) / self.size
    }

    /// Back, rounded as the mesh was.
    fn leave(&self, point: Vec3) -> Vec3 {
        super::soup::rounded_for(self.size, self.least + point * self.size)
    }
}

/// A hull under way.
#[derive(Clone)]
struct Part {
    corners: Vec<Vec3>,
    volume: f32,
    left_out: f32,
}

impl Part {
    fn around(mut points: Vec<Vec3>) -> Option<Part> {
        points.sort_unstable_by_key(|point| point.to_array().map(f32::to_bits));
        points.dedup();
        let hull = Hull::new(&points).ok()?;
        let volume = hull.triangles().fold(0.0, |sum, [a, b, c]| sum + a.cross(b).dot(c)) / 6.0;
        Some(Part { corners: hull.vertices().to_vec(), volume, left_out: hull.left_out() })
    }

    fn with(&self, other: &Part) -> Option<Part> {
        let joined = Part::around([self.corners.as_slice(), &other.corners].concat())?;
        Some(Part { left_out: max(joined.left_out, max(self.left_out, other.left_out)), ..joined })
    }
}

/// Puts parts together, those first that grow least by it: until there are no more than so many, and as long as it costs nearly
/// nothing, since cubes are also cut where there was no need.
fn join(parts: &mut Vec<Part>, most: usize) {
    let tolerance = parts.iter().fold(0.0, |sum, part| sum + part.volume) * JOINED;
    let growth = |one: &Part, other: &Part| {
        let joined = one.with(other);
        joined.map_or(f32::INFINITY, |joined| joined.volume - one.volume - other.volume)
    };
    // For each part how much it grows with each of those before it.
    let mut table: Vec<Vec<f32>> = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        table.push(parts[..number].iter().map(|other| growth(part, other)).collect());
    }
    // Each turn leaves one part less.
    while parts.len() > 1 {
        let pairs = (1..parts.len()).flat_map(|second| (0..second).map(move |first| (first, second)));
        let rank = |(first, second): &(usize, usize)| table[*second][*first];
        let Some((first, second)) = pairs.min_by(|one, other| rank(one).total_cmp(&rank(other))) else { return };
        if parts.len() <= most && rank(&(first, second)) > tolerance {
            return;
        }
        // Two around which there is no hull are no loss.
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
