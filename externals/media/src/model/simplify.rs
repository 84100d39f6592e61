//! Levels of detail by edge collapse with quadric error metrics (Garland and Heckbert 1997).
//!
//! An edge is collapsed onto one of its ends (half-edge collapse), so that all levels use vertices of the source, with
//! their attributes. Points at one position with different attributes form a seam; a collapse must say for each vertex
//! at its start which vertex at its end takes its place, so that seams are kept.
//!
//! Laws
//! 1. A border stays a border: its points move only along it.
//! 2. No triangle turns over; the topology is kept (link condition, Dey et al. 1999).
//! 3. The stated error is measured, not estimated: no point of the source is farther from the level.
//! 4. The cost of a collapse is bounded: points of a high valence stay where they are.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use base::Vec3;
use base::number::double::sqrt;

use super::quadric::{Quadric, cross, distance_squared, dot, minus};

/// The most triangles around a point that is moved, and around one that another is moved to.
const VALENCE_MAX: (usize, usize) = (48, 96);
/// The weight of borders and of seams, relative to that of triangles.
const BORDER_WEIGHT: f64 = 10.0;
const SEAM_WEIGHT: f64 = 1.0;
/// The least cosine of the angle by which a triangle may turn in one collapse.
const TURN_COSINE: f64 = 0.2;
/// The most triangles around a point that another is compared with when the error is measured.
const MEASURED_MAX: usize = 64;
/// The most steps from triangle to triangle.
const WALK_MAX: usize = 16;

/// A mesh that becomes simpler and simpler.
pub struct Simplifier {
    points: Vec<[f64; 3]>,
    /// The point of each vertex.
    point_of: Vec<u32>,
    triangles: Vec<[u32; 3]>,
    is_gone: Vec<bool>,
    live: usize,
    /// The triangles at each point.
    around: Vec<Vec<u32>>,
    quadrics: Vec<Quadric>,
    is_border: Vec<bool>,
    is_locked: Vec<bool>,
    /// The point that took the place of each; itself, if it is still there.
    moved_to: Vec<u32>,
    changes: Vec<u32>,
    queue: BinaryHeap<Reverse<Collapse>>,
}

/// A possible collapse. Ordered by its cost; ties by the points, so that the order does not depend on chance.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Collapse {
    /// The bits of a float that is not negative, which are in its order.
    cost: u64,
    from: u32,
    to: u32,
    changes: (u32, u32),
}

impl Simplifier {
    /// For triangles over vertices at these places.
    pub fn new(positions: &[Vec3], triangles: &[[u32; 3]]) -> Simplifier {
        let (points, point_of) = weld(positions);
        let at = |corner: &u32| point_of[*corner as usize];
        let is_flat = |triangle: &[u32; 3]| {
            let [a, b, c] = [at(&triangle[0]), at(&triangle[1]), at(&triangle[2])];
            a == b || b == c || c == a
        };
        let triangles: Vec<[u32; 3]> = triangles.iter().filter(|triangle| !is_flat(triangle)).copied().collect();
        let count = points.len();
        let mut made = Simplifier {
            is_gone: vec![false; triangles.len()],
            live: triangles.len(),
            around: vec![Vec::new(); count],
            quadrics: vec![Quadric::default(); count],
            is_border: vec![false; count],
            is_locked: vec![false; count],
            moved_to: (0..count as u32).collect(),
            changes: vec![0; count],
            queue: BinaryHeap::new(),
            points,
            point_of,
            triangles,
        };
        made.prepare();
        made
    }

    /// The number of triangles.
    pub fn count(&self) -> usize {
        self.live
    }

    /// Collapses edges until there are at most this many triangles, or none can be collapsed.
    pub fn reduce(&mut self, triangles: usize) {
        while self.live > triangles {
            let Some(Reverse(next)) = self.queue.pop() else { return };
            let (from, to) = (next.from as usize, next.to as usize);
            let is_current = next.changes == (self.changes[from], self.changes[to]);
            let is_there = self.moved_to[from] == next.from && self.moved_to[to] == next.to;
            if is_current
                && is_there
                && let Some(vertices) = self.replacements(from, to)
            {
                self.collapse(from, to, &vertices);
            }
        }
    }

    /// The triangles.
    pub fn triangles(&self) -> Vec<[u32; 3]> {
        let live = self.triangles.iter().zip(&self.is_gone).filter(|(_, is_gone)| !**is_gone);
        live.map(|(triangle, _)| *triangle).collect()
    }

    /// The largest distance of a point of the source from the triangles. The nearest triangle is sought from the point that took
    /// its place, from triangle to triangle as long as they come nearer; so the distance may be smaller, but not larger.
    pub fn error(&mut self) -> f64 {
        let mut worst = 0.0;
        for point in 0..self.points.len() {
            let now = self.find(point);
            if now != point {
                let distance = self.distance_squared_from(point, now);
                worst = if distance > worst { distance } else { worst };
            }
        }
        sqrt(worst)
    }

    fn distance_squared_from(&self, point: usize, start: usize) -> f64 {
        let way = minus(self.points[point], self.points[start]);
        let mut best = (dot(way, way), None);
        let mut next = vec![start];
        for _ in 0..WALK_MAX {
            let before = best.0;
            for triangle in next.iter().flat_map(|near| self.around[*near].iter().take(MEASURED_MAX)) {
                let corners = self.points_of(*triangle).map(|corner| self.points[corner as usize]);
                let distance = distance_squared(self.points[point], corners);
                if distance < best.0 {
                    best = (distance, Some(*triangle));
                }
            }
            match best {
                (distance, Some(triangle)) if distance < before => {
                    next = self.points_of(triangle).iter().map(|corner| *corner as usize).collect();
                }
                _ => break,
            }
        }
        best.0
    }

    fn find(&mut self, point: usize) -> usize {
        let mut now = point;
        while self.moved_to[now] as usize != now {
            now = self.moved_to[now] as usize;
        }
        // The way is shortened, so that long chains are walked once.
        let mut at = point;
        while self.moved_to[at] as usize != at {
            at = std::mem::replace(&mut self.moved_to[at], now as u32) as usize;
        }
        now
    }

    fn prepare(&mut self) {
        let mut edges: Vec<(u32, u32, u32, u32, u32)> = Vec::with_capacity(self.triangles.len() * 3);
        for (number, triangle) in self.triangles.iter().enumerate() {
            let ends = triangle.map(|corner| self.point_of[corner as usize]);
            for corner in 0..3 {
                self.around[ends[corner] as usize].push(number as u32);
                let next = (corner + 1) % 3;
                let (low, high) = if ends[corner] < ends[next] { (corner, next) } else { (next, corner) };
                edges.push((ends[low], ends[high], triangle[low], triangle[high], number as u32));
            }
            let [a, b, c] = ends.map(|end| self.points[end as usize]);
            let normal = cross(minus(b, a), minus(c, a));
            let length = sqrt(dot(normal, normal));
            if length > 0.0 {
                let plane = Quadric::plane(normal.map(|part| part / length), a, length * 0.5);
                ends.iter().for_each(|end| self.quadrics[*end as usize] = self.quadrics[*end as usize].plus(&plane));
            }
        }
        edges.sort_unstable();
        for edge in edges.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            let (one, other) = (edge[0].0 as usize, edge[0].1 as usize);
            let is_seam = edge.iter().any(|side| (side.2, side.3) != (edge[0].2, edge[0].3));
            match edge.len() {
                1 => {
                    (self.is_border[one], self.is_border[other]) = (true, true);
                    self.constrain(edge[0].4, one, other, BORDER_WEIGHT);
                }
                2 if is_seam => edge.iter().for_each(|side| self.constrain(side.4, one, other, SEAM_WEIGHT)),
                2 => {}
                _ => (self.is_locked[one], self.is_locked[other]) = (true, true),
            }
        }
        for edge in edges.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            self.propose(edge[0].0 as usize, edge[0].1 as usize);
            self.propose(edge[0].1 as usize, edge[0].0 as usize);
        }
    }

    /// Adds the plane through an edge, perpendicular to a triangle at it.
    fn constrain(&mut self, triangle: u32, one: usize, other: usize, weight: f64) {
        let [a, b, c] =
            self.triangles[triangle as usize].map(|corner| self.points[self.point_of[corner as usize] as usize]);
        let way = minus(self.points[other], self.points[one]);
        let normal = cross(cross(minus(b, a), minus(c, a)), way);
        let length = sqrt(dot(normal, normal));
        if length > 0.0 {
            let plane = Quadric::plane(normal.map(|part| part / length), self.points[one], dot(way, way) * weight);
            self.quadrics[one] = self.quadrics[one].plus(&plane);
            self.quadrics[other] = self.quadrics[other].plus(&plane);
        }
    }

    fn propose(&mut self, from: usize, to: usize) {
        let is_fixed = self.is_locked[from] || self.is_border[from] && !self.is_border[to];
        if is_fixed || self.around[from].len() > VALENCE_MAX.0 || self.around[to].len() > VALENCE_MAX.1 {
            return;
        }
        let cost = self.quadrics[from].plus(&self.quadrics[to]).at(self.points[to]);
        let changes = (self.changes[from], self.changes[to]);
        self.queue.push(Reverse(Collapse { cost: cost.to_bits(), from: from as u32, to: to as u32, changes }));
    }

    fn points_of(&self, triangle: u32) -> [u32; 3] {
        self.triangles[triangle as usize].map(|corner| self.point_of[corner as usize])
    }

    /// For each vertex at the start of a collapse the one at its end; none if it is not allowed.
    fn replacements(&self, from: usize, to: usize) -> Option<Vec<(u32, u32)>> {
        let mut vertices: Vec<(u32, u32)> = Vec::new();
        let mut shared = 0;
        for triangle in &self.around[from] {
            let points = self.points_of(*triangle);
            let corners = self.triangles[*triangle as usize];
            let Some(end) = points.iter().position(|point| *point as usize == to) else { continue };
            let start = points.iter().position(|point| *point as usize == from)?;
            shared += 1;
            match vertices.iter().find(|(old, _)| *old == corners[start]) {
                Some((_, new)) if *new != corners[end] => return None,
                Some(_) => {}
                None => vertices.push((corners[start], corners[end])),
            }
        }
        let is_edge = if self.is_border[from] { shared == 1 } else { shared == 2 };
        let rest = self.around[from].len() + self.around[to].len();
        if !is_edge || rest <= 2 * shared || !self.is_linked(from, to, shared) {
            return None;
        }
        for triangle in &self.around[from] {
            let points = self.points_of(*triangle);
            let corners = self.triangles[*triangle as usize];
            let start = points.iter().position(|point| *point as usize == from)?;
            if !vertices.iter().any(|(old, _)| *old == corners[start]) {
                return None;
            }
            if !points.contains(&(to as u32)) && self.turns(points, start, to) {
                return None;
            }
        }
        Some(vertices)
    }

    /// The link condition: the points next to both ends are those opposite of the edge.
    fn is_linked(&self, from: usize, to: usize, shared: usize) -> bool {
        let neighbours = |point: usize| {
            let mut found: Vec<u32> =
                self.around[point].iter().flat_map(|triangle| self.points_of(*triangle)).collect();
            found.sort_unstable();
            found.dedup();
            found
        };
        let others = neighbours(to);
        let is_end = |point: u32| point as usize == from || point as usize == to;
        let common =
            neighbours(from).into_iter().filter(|point| !is_end(*point) && others.binary_search(point).is_ok());
        common.count() == shared
    }

    /// Whether a triangle turns over, or becomes flat, when a corner is moved.
    fn turns(&self, points: [u32; 3], corner: usize, to: usize) -> bool {
        let normal = |[a, b, c]: [[f64; 3]; 3]| cross(minus(b, a), minus(c, a));
        let mut places = points.map(|point| self.points[point as usize]);
        let before = normal(places);
        places[corner] = self.points[to];
        let after = normal(places);
        let lengths = sqrt(dot(before, before)) * sqrt(dot(after, after));
        // A triangle that is flat already may stay so.
        lengths <= 0.0 && dot(before, before) > 0.0 || dot(before, after) < TURN_COSINE * lengths
    }

    fn collapse(&mut self, from: usize, to: usize, vertices: &[(u32, u32)]) {
        self.quadrics[to] = self.quadrics[to].plus(&self.quadrics[from]);
        self.moved_to[from] = to as u32;
        self.changes[to] += 1;
        let mut neighbours: Vec<u32> = Vec::new();
        for triangle in std::mem::take(&mut self.around[from]) {
            let points = self.points_of(triangle);
            if points.contains(&(to as u32)) {
                self.is_gone[triangle as usize] = true;
                self.live -= 1;
                for point in points.iter().filter(|point| **point as usize != from) {
                    self.around[*point as usize].retain(|own| *own != triangle);
                }
                neighbours.extend(points);
                continue;
            }
            for corner in &mut self.triangles[triangle as usize] {
                if let Some((_, new)) = vertices.iter().find(|(old, _)| old == corner) {
                    *corner = *new;
                }
            }
            self.around[to].push(triangle);
        }
        neighbours.extend(self.around[to].iter().flat_map(|triangle| self.points_of(*triangle)));
        neighbours.sort_unstable();
        neighbours.dedup();
        for point in neighbours.into_iter().map(|point| point as usize).filter(|point| *point != to && *point != from) {
            self.propose(point, to);
            self.propose(to, point);
        }
    }
}

/// The different positions, and the number of each vertex's.
fn weld(positions: &[Vec3]) -> (Vec<[f64; 3]>, Vec<u32>) {
    let key = |at: &u32| positions[*at as usize].canonical().to_array().map(f32::to_bits);
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.sort_unstable_by_key(|at| (key(at), *at));
    let mut point_of = vec![0; positions.len()];
    let mut points = Vec::new();
    for same in order.chunk_by(|one, other| key(one) == key(other)) {
        same.iter().for_each(|at| point_of[*at as usize] = points.len() as u32);
        points.push(positions[same[0] as usize].to_array().map(f64::from));
    }
    (points, point_of)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sphere of radius 1 with a seam, as spheres with texture coordinates have.
    fn sphere(rings: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let (columns, mut positions, mut triangles) = (rings * 2, Vec::new(), Vec::new());
        for ring in 0..=rings {
            for column in 0..=columns {
                let turn = (column % columns) as f32 / columns as f32 * 2.0 * std::f32::consts::PI;
                let (sine, cosine) = base::number::sin_cos(turn);
                let (height, radius) = base::number::sin_cos((ring as f32 / rings as f32 - 0.5) * std::f32::consts::PI);
                let radius = if ring == 0 || ring == rings { 0.0 } else { radius };
                positions.push(Vec3::new(cosine * radius, sine * radius, height));
            }
        }
        let at = |ring: u32, column: u32| ring * (columns + 1) + column;
        for ring in 0..rings {
            for column in 0..columns {
                triangles.push([at(ring, column), at(ring, column + 1), at(ring + 1, column + 1)]);
                triangles.push([at(ring, column), at(ring + 1, column + 1), at(ring + 1, column)]);
            }
        }
        (positions, triangles)
    }

    fn volume(positions: &[Vec3], triangles: &[[u32; 3]]) -> f32 {
        let of = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|corner| positions[corner as usize]);
            a.cross(b).dot(c) / 6.0
        };
        triangles.iter().map(of).sum()
    }

    #[test]
    fn a_sphere_with_a_seam_keeps_its_volume_and_says_its_error() {
        let (positions, triangles) = sphere(32);
        let mut simplifier = Simplifier::new(&positions, &triangles);
        let whole = simplifier.count();
        for part in [2, 4, 8] {
            simplifier.reduce(whole / part);
            let made = simplifier.triangles();
            let (count, error, volume) = (simplifier.count(), simplifier.error(), volume(&positions, &made));
            println!("{whole} triangles of a sphere: {count}, error {error} m, volume {volume} m3");
            assert!(count <= whole / part && made.len() == count, "{count}");
            assert!(error < 0.02 * part as f64 && volume > 4.19 - 0.15 * part as f32, "{error} {volume}");
        }
    }

    #[test]
    fn a_flat_square_loses_all_triangles_inside_and_keeps_its_border() {
        let side = 16_u32;
        let positions: Vec<Vec3> = (0..17 * 17).map(|at| Vec3::new((at % 17) as f32, (at / 17) as f32, 0.0)).collect();
        let mut triangles = Vec::new();
        for y in 0..side {
            for x in 0..side {
                let at = |x: u32, y: u32| y * 17 + x;
                triangles.push([at(x, y), at(x + 1, y), at(x + 1, y + 1)]);
                triangles.push([at(x, y), at(x + 1, y + 1), at(x, y + 1)]);
            }
        }
        let mut simplifier = Simplifier::new(&positions, &triangles);
        simplifier.reduce(2);
        let made = simplifier.triangles();
        let area: f32 = made
            .iter()
            .map(|triangle| {
                let [a, b, c] = triangle.map(|corner| positions[corner as usize]);
                (b - a).cross(c - a).z * 0.5
            })
            .sum();
        assert!((area - 256.0).abs() < 1e-3, "{area}");
        assert!(made.len() <= 8 && simplifier.error() < 1e-6, "{} triangles, error {}", made.len(), simplifier.error());
    }

    #[test]
    fn anything_can_be_given_and_nothing_vanishes() {
        let positions = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::X];
        for triangles in [
            &[][..],
            &[[0, 1, 2]],
            &[[0, 1, 2], [0, 1, 2], [0, 1, 2]],
            &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
            &[[1, 4, 0], [0, 0, 0]],
            &[[0, 1, 2], [1, 0, 3], [0, 1, 4], [2, 3, 4]],
        ] {
            let mut simplifier = Simplifier::new(&positions, triangles);
            let before = simplifier.count();
            simplifier.reduce(0);
            assert!(before == 0 || simplifier.count() > 0, "{triangles:?}");
            assert_eq!(simplifier.error(), simplifier.error());
        }
        let fan: Vec<[u32; 3]> = (1..20_000).map(|corner| [0, corner, corner + 1]).collect();
        let around: Vec<Vec3> = (0..20_001)
            .map(|at| {
                let (y, x) = base::number::sin_cos(at as f32 * 3e-4);
                if at == 0 { Vec3::ZERO } else { Vec3::new(x, y, 0.0) }
            })
            .collect();
        let mut simplifier = Simplifier::new(&around, &fan);
        simplifier.reduce(1000);
        assert!(simplifier.count() <= fan.len());
    }
}
