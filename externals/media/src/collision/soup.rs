//! A triangle soup, and its cleaning before use: rounded and welded.
//!
//! Laws
//! 1. Positions are rounded to a decimal step of at most a hundred-thousandth of the size. So texts are short, and
//!    nearly coincident vertices coincide.
//! 2. Coincident vertices are welded. Degenerate triangles and unused vertices are dropped.
//! 3. Defects are reported, not repaired: open edges, inconsistent winding, a mesh that is inside out.

use base::Vec3;
use base::number::{abs, max, min};
use physics::limits::{MESH_TRIANGLES_MAX, SIZE_MAX, SIZE_MIN};

use crate::error::ImportError;
use crate::scene::Scene;
use crate::scene::transform::Affine;

/// Triangles over vertices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleSoup {
    /// The points.
    pub points: Vec<Vec3>,
    /// The vertex indices of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// Defects of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeshFaults {
    /// The number of degenerate triangles, which were dropped.
    pub dropped: usize,
    /// The number of edges with one triangle.
    pub open_edges: usize,
    /// The number of edges with inconsistent winding, or with more than two triangles.
    pub torn_edges: usize,
    /// Whether its faces point inwards.
    pub is_inside_out: bool,
}

impl TriangleSoup {
    /// The triangles of some nodes of a scene, whose transformations are given. Time and memory are bounded by the most
    /// triangles of a mesh, since every surface has some.
    pub fn of(
        scene: &Scene,
        places: &[Affine],
        nodes: impl Iterator<Item = usize>,
    ) -> Result<TriangleSoup, ImportError> {
        let mut soup = TriangleSoup::default();
        for node in nodes {
            let Some(mesh) = scene.nodes[node].mesh else { continue };
            let place = &places[node];
            let is_mirrored = place.is_mirrored();
            for surface in &scene.meshes[mesh].surfaces {
                let points = surface.positions.iter().map(|point| place.point(*point));
                let turned = |[a, b, c]: [u32; 3]| if is_mirrored { [a, c, b] } else { [a, b, c] };
                soup.add(points, surface.triangles.iter().copied().map(turned))?;
            }
        }
        Ok(soup)
    }

    /// Appends triangles over their own vertices. Fails if there are too many.
    pub fn add(
        &mut self,
        points: impl ExactSizeIterator<Item = Vec3>,
        triangles: impl IntoIterator<Item = [u32; 3]>,
    ) -> Result<(), ImportError> {
        let count = points.len();
        let first = self.points.len();
        let too_large = |what: &'static str, found: usize, limit: usize| {
            Err(ImportError::TooLarge { what, found: found as u64, limit: limit as u64 })
        };
        if first + count > MESH_TRIANGLES_MAX * 3 {
            return too_large("points of a shape", first + count, MESH_TRIANGLES_MAX * 3);
        }
        self.points.extend(points);
        for triangle in triangles {
            if self.triangles.len() >= MESH_TRIANGLES_MAX {
                return too_large("triangles of a shape", MESH_TRIANGLES_MAX + 1, MESH_TRIANGLES_MAX);
            }
            if triangle.iter().any(|corner| *corner as usize >= count) {
                return Err(ImportError::Damaged(
                    "expected triangles over existing points, found another index".into(),
                ));
            }
            self.triangles.push(triangle.map(|corner| corner + first as u32));
        }
        Ok(())
    }

    /// Rounded and welded; and its defects.
    pub fn settled(self) -> Result<(TriangleSoup, MeshFaults), ImportError> {
        let points = &self.points;
        let used = || self.triangles.iter().flatten().map(|corner| points[*corner as usize]);
        let Some(first) = used().next() else { return Err(ImportError::Empty("triangles")) };
        if let Some(bad) = used().find(|point| !point.is_finite() || point.abs().max_component() > SIZE_MAX) {
            let [x, y, z] = bad.to_array();
            return Err(ImportError::Damaged(format!(
                "expected points within {SIZE_MAX} m, found one at {x}, {y}, {z}"
            )));
        }
        let (least, most) = used().fold((first, first), |(least, most), point| (least.min(point), most.max(point)));
        let size = (most - least).max_component();
        if size < SIZE_MIN * 10.0 {
            let least = SIZE_MIN * 10.0;
            return Err(ImportError::Damaged(format!("expected something larger than {least} m, found {size} m")));
        }
        let parts = parts_of(size);
        let points: Vec<Vec3> = points.iter().map(|point| rounded(*point, parts)).collect();
        let soup = weld(&points, &self.triangles);
        if soup.triangles.is_empty() {
            return Err(ImportError::Empty("triangles with an area"));
        }
        let faults = soup.faults(self.triangles.len() - soup.triangles.len());
        Ok((soup, faults))
    }

    fn faults(&self, dropped: usize) -> MeshFaults {
        let mut edges: Vec<(u32, u32, bool)> = Vec::with_capacity(self.triangles.len() * 3);
        for [a, b, c] in &self.triangles {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                edges.push((*from.min(to), *from.max(to), from < to));
            }
        }
        edges.sort_unstable();
        let (mut open_edges, mut torn_edges) = (0, 0);
        for at_edge in edges.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            match at_edge {
                [_] => open_edges += 1,
                [one, other] if one.2 != other.2 => {}
                _ => torn_edges += 1,
            }
        }
        let is_closed = open_edges == 0 && torn_edges == 0;
        MeshFaults { dropped, open_edges, torn_edges, is_inside_out: is_closed && self.volume() < 0.0 }
    }

    /// The enclosed volume, if it is closed; negative if it is inside out.
    fn volume(&self) -> f64 {
        let middle = self.points.first().copied().unwrap_or_default();
        let sum = self.triangles.iter().map(|triangle| {
            let [a, b, c] = triangle.map(|corner| self.points[corner as usize] - middle);
            f64::from(a.cross(b).dot(c))
        });
        sum.sum::<f64>() / 6.0
    }
}

/// A position rounded as in a mesh of this size.
pub fn rounded_for(size: f32, point: Vec3) -> Vec3 {
    rounded(point, parts_of(size))
}

/// The number of rounding steps per metre: a power of ten, so that a step is at most a hundred-thousandth of the size.
fn parts_of(size: f32) -> f64 {
    let mut parts = 1.0_f64;
    for _ in 0..12 {
        if 1.0 / parts <= f64::from(size) * 1e-5 {
            break;
        }
        parts *= 10.0;
    }
    parts
}

fn rounded(point: Vec3, parts: f64) -> Vec3 {
    let round = |number: f32| (base::number::double::round(f64::from(number) * parts) / parts) as f32;
    Vec3::new(round(point.x), round(point.y), round(point.z)).canonical()
}

/// Welds coincident vertices, in the order in which triangles use them.
fn weld(points: &[Vec3], triangles: &[[u32; 3]]) -> TriangleSoup {
    let key = |corner: &u32| points[*corner as usize].to_array().map(f32::to_bits);
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_unstable_by_key(|corner| (key(corner), *corner));
    let mut first = vec![0_u32; points.len()];
    for same in order.chunk_by(|one, other| key(one) == key(other)) {
        same.iter().for_each(|corner| first[*corner as usize] = same[0]);
    }
    const UNUSED: u32 = u32::MAX;
    let mut numbers = vec![UNUSED; points.len()];
    let mut soup = TriangleSoup::default();
    for triangle in triangles {
        let corners = triangle.map(|corner| first[corner as usize]);
        if !has_area(corners.map(|corner| points[corner as usize])) {
            continue;
        }
        let numbered = corners.map(|corner| {
            let number = &mut numbers[corner as usize];
            if *number == UNUSED {
                *number = soup.points.len() as u32;
                soup.points.push(points[corner as usize]);
            }
            *number
        });
        soup.triangles.push(numbered);
    }
    soup
}

/// Whether the height of a triangle exceeds a hundred-thousandth of its longest side.
fn has_area([a, b, c]: [Vec3; 3]) -> bool {
    let (ab, bc, ca) = (a.distance(b), b.distance(c), c.distance(a));
    let (longest, shortest) = (max(max(ab, bc), ca), min(min(ab, bc), ca));
    shortest > 0.0 && abs((b - a).cross(c - a).length()) > longest * longest * 1e-5
}
