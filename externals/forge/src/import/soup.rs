//! Triangles as files have them, and what is done to them before anything is made: turned, scaled, rounded, welded.
//!
//! Laws
//! 1. Places are rounded to a decimal step that is a hundred-thousandth of the whole, or less. So texts are short, and corners that
//!    nearly meet do.
//! 2. Corners at one place are one. Triangles without an area are dropped, and corners that no triangle uses.
//! 3. What is odd is told, not mended: open edges, triangles that look the other way than their neighbours, a whole that is
//!    inside out.

use base::Vec3;
use base::number::{abs, max, min};
use physics::limits::{MESH_TRIANGLES_MAX, SIZE_LEAST, SIZE_MOST};

use super::Up;

/// Triangles between points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Soup {
    /// The points.
    pub points: Vec<Vec3>,
    /// For each triangle its points.
    pub triangles: Vec<[u32; 3]>,
}

/// What is odd about some triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// How many triangles had no area and were dropped.
    pub dropped: usize,
    /// How many edges have a triangle on one side only.
    pub open_edges: usize,
    /// How many edges have triangles that look in different directions, or more than two.
    pub torn_edges: usize,
    /// Whether all of it looks inwards.
    pub is_inside_out: bool,
}

impl Soup {
    /// Adds triangles between points of their own. False if that would be too many.
    pub fn add(&mut self, points: &[Vec3], triangles: impl IntoIterator<Item = [u32; 3]>) -> Result<(), String> {
        let first = self.points.len();
        if first + points.len() > MESH_TRIANGLES_MAX * 3 {
            return Err(format!("expected at most {} points, found more", MESH_TRIANGLES_MAX * 3));
        }
        self.points.extend_from_slice(points);
        for triangle in triangles {
            if self.triangles.len() >= MESH_TRIANGLES_MAX {
                return Err(format!("expected at most {MESH_TRIANGLES_MAX} triangles, found more"));
            }
            if triangle.iter().any(|corner| *corner as usize >= points.len()) {
                return Err(String::from("expected triangles between points that are there, found another"));
            }
            self.triangles.push(triangle.map(|corner| corner + first as u32));
        }
        Ok(())
    }

    /// Turned, scaled, rounded and welded; and what is odd about it.
    pub fn settled(self, up: Up, scale: f32) -> Result<(Soup, Faults), String> {
        if !(scale.is_finite() && scale > 0.0) {
            return Err(format!("expected a scale above 0, found {scale}"));
        }
        let turned = |point: &Vec3| match up {
            Up::Y => Vec3::new(point.z, point.x, point.y) * scale,
            Up::Z => *point * scale,
        };
        let points: Vec<Vec3> = self.points.iter().map(turned).collect();
        let used = || self.triangles.iter().flatten().map(|corner| points[*corner as usize]);
        let Some(first) = used().next() else { return Err(String::from("expected triangles, found none")) };
        if let Some(bad) = used().find(|point| !point.is_finite() || point.abs().max_component() > SIZE_MOST) {
            let [x, y, z] = bad.to_array();
            return Err(format!("expected points within {SIZE_MOST} m, found one at {x}, {y}, {z}"));
        }
        let (least, most) = used().fold((first, first), |(least, most), point| (least.min(point), most.max(point)));
        let size = (most - least).max_component();
        if size < SIZE_LEAST * 10.0 {
            return Err(format!("expected something larger than {} m, found {size} m", SIZE_LEAST * 10.0));
        }
        let parts = parts_of(size);
        let points: Vec<Vec3> = points.iter().map(|point| rounded(*point, parts)).collect();
        let soup = weld(&points, &self.triangles);
        if soup.triangles.is_empty() {
            return Err(String::from("expected triangles with an area, found none"));
        }
        let faults = soup.faults(self.triangles.len() - soup.triangles.len());
        Ok((soup, faults))
    }

    fn faults(&self, dropped: usize) -> Faults {
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
        Faults { dropped, open_edges, torn_edges, is_inside_out: is_closed && self.volume() < 0.0 }
    }

    /// The volume within, if it is closed; below zero if it is inside out.
    fn volume(&self) -> f64 {
        let middle = self.points.first().copied().unwrap_or_default();
        let sum = self.triangles.iter().map(|triangle| {
            let [a, b, c] = triangle.map(|corner| self.points[corner as usize] - middle);
            f64::from(a.cross(b).dot(c))
        });
        sum.sum::<f64>() / 6.0
    }
}

/// A place rounded as those of something of this size are.
pub fn rounded_for(size: f32, point: Vec3) -> Vec3 {
    rounded(point, parts_of(size))
}

/// Into how many parts a metre is divided to round places: a power of ten, so that a part is no more than a hundred-thousandth of
/// the size.
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

/// Corners at one place become one, in the order in which triangles use them.
fn weld(points: &[Vec3], triangles: &[[u32; 3]]) -> Soup {
    let key = |corner: &u32| points[*corner as usize].to_array().map(f32::to_bits);
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_unstable_by_key(|corner| (key(corner), *corner));
    let mut first = vec![0_u32; points.len()];
    for same in order.chunk_by(|one, other| key(one) == key(other)) {
        same.iter().for_each(|corner| first[*corner as usize] = same[0]);
    }
    const UNUSED: u32 = u32::MAX;
    let mut numbers = vec![UNUSED; points.len()];
    let mut soup = Soup::default();
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

/// Whether a triangle is higher than a hundred-thousandth of its longest side.
fn has_area([a, b, c]: [Vec3; 3]) -> bool {
    let (ab, bc, ca) = (a.distance(b), b.distance(c), c.distance(a));
    let (longest, shortest) = (max(max(ab, bc), ca), min(min(ab, bc), ca));
    shortest > 0.0 && abs((b - a).cross(c - a).length()) > longest * longest * 1e-5
}
