//! The hull as triangles, grown from four points by the one that reaches out farthest, again and again.
//!
//! A point is outside if it is above a side by more than the slack, which is what single precision leaves of a coordinate. When it is
//! added, sides that it lies in the plane of go as well as those that it is above of: else slivers would be left between them.

use alloc::vec;
use alloc::vec::Vec;

use base::Vec3;
use base::number::double;

use super::SIZE_LEAST;
use crate::error::ShapeError;

/// How many slacks thick a hull is at least.
const FLAT: f64 = 50.0;

pub(super) type Wide = [f64; 3];

/// A hull of triangles.
pub(super) struct Grown {
    /// All points, seen from the middle of their bounds.
    pub points: Vec<Wide>,
    /// That middle.
    pub middle: Wide,
    /// Its sides, those that are gone included.
    pub sides: Vec<Side>,
    /// How large it is.
    pub size: f64,
}

/// A triangle of the hull.
#[derive(Clone)]
pub(super) struct Side {
    /// Its corners, against the clock.
    pub corners: [usize; 3],
    /// The side beyond the edge that begins at each corner.
    pub beyond: [usize; 3],
    pub normal: Wide,
    pub offset: f64,
    pub gone: bool,
}

impl Grown {
    pub(super) fn living(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.sides.len()).filter(|&side| !self.sides[side].gone)
    }

    /// How many corners its sides have: two more than half the sides.
    pub(super) fn vertices_count(&self) -> usize {
        self.living().count() / 2 + 2
    }
}

impl Side {
    pub(super) fn height(&self, point: Wide) -> f64 {
        dot(self.normal, point) - self.offset
    }
}

pub(super) fn grow(points: &[Vec3], vertices_max: usize) -> Result<Grown, ShapeError> {
    let wide: Vec<Wide> = points.iter().map(|point| point.to_array().map(f64::from)).collect();
    let least: Wide =
        core::array::from_fn(|axis| wide.iter().fold(f64::INFINITY, |least, p| double::min(least, p[axis])));
    let most: Wide =
        core::array::from_fn(|axis| wide.iter().fold(f64::NEG_INFINITY, |most, p| double::max(most, p[axis])));
    let middle: Wide = core::array::from_fn(|axis| (least[axis] + most[axis]) * 0.5);
    let extent: Wide = core::array::from_fn(|axis| most[axis] - least[axis]);
    let size = double::max(extent[0], double::max(extent[1], extent[2]));
    if size < f64::from(SIZE_LEAST) {
        return Err(ShapeError::TooSmall);
    }
    let reach = least.iter().chain(&most).fold(0.0, |reach, part| double::max(reach, part.abs()));
    let slack = double::max(1e-6 * size, 4.0 * f64::from(f32::EPSILON) * reach);
    let points: Vec<Wide> = wide.into_iter().map(|point| minus(point, middle)).collect();
    let mut grown = Grown { sides: Vec::new(), size, middle, points };
    let mut outside = grown.first_four(slack)?;
    let mut vertices = 4;
    // Every round adds a corner, and corners are among the points.
    for _ in 0..grown.points.len() {
        let Some(farthest) = outside.farthest() else { break };
        if vertices >= vertices_max {
            break;
        }
        let removed = grown.add(farthest, outside.sides[farthest], slack);
        outside.sort_again(&grown, &removed, farthest, slack);
        vertices = grown.vertices_count();
    }
    Ok(grown)
}

/// For every point that is still outside: above which side, and how far.
struct Outside {
    sides: Vec<usize>,
    heights: Vec<f64>,
}

impl Outside {
    /// The point that is farthest out; of equals, the first.
    fn farthest(&self) -> Option<usize> {
        let mut best: Option<usize> = None;
        for (point, &height) in self.heights.iter().enumerate() {
            if height > best.map_or(0.0, |best| self.heights[best]) {
                best = Some(point);
            }
        }
        best
    }

    /// Points above sides that are gone are above others now, or inside.
    fn sort_again(&mut self, grown: &Grown, removed: &[bool], added: usize, slack: f64) {
        self.heights[added] = 0.0;
        for point in 0..self.heights.len() {
            let was_above_removed = removed.get(self.sides[point]).copied().unwrap_or(false);
            if self.heights[point] > 0.0 && was_above_removed {
                self.sort(grown, point, slack);
            }
        }
    }

    fn sort(&mut self, grown: &Grown, point: usize, slack: f64) {
        (self.sides[point], self.heights[point]) = (usize::MAX, 0.0);
        for index in grown.living() {
            let height = grown.sides[index].height(grown.points[point]);
            if height > slack && height > self.heights[point] {
                (self.sides[point], self.heights[point]) = (index, height);
            }
        }
    }
}

impl Grown {
    /// Four points that are far from each other.
    fn first_four(&mut self, slack: f64) -> Result<Outside, ShapeError> {
        let farthest = |measure: &dyn Fn(Wide) -> f64| {
            let mut best = (0, f64::NEG_INFINITY);
            for (index, &point) in self.points.iter().enumerate() {
                let far = measure(point);
                if far > best.1 {
                    best = (index, far);
                }
            }
            best
        };
        let (a, _) = farthest(&|point| point[0] + 0.5 * point[1] + 0.25 * point[2]);
        let (a, _) = farthest(&|point| squared(minus(point, self.points[a])));
        let at_a = self.points[a];
        let (b, _) = farthest(&|point| squared(minus(point, at_a)));
        let along = minus(self.points[b], at_a);
        let (c, _) = farthest(&|point| squared(cross(along, minus(point, at_a))));
        let across = cross(along, minus(self.points[c], at_a));
        let length = double::sqrt(squared(across));
        // Within a few slacks of a line or a plane nothing is sure.
        if length <= FLAT * slack * double::sqrt(squared(along)) {
            return Err(ShapeError::Flat);
        }
        let (d, height) = farthest(&|point| dot(across, minus(point, at_a)).abs() / length);
        if height <= FLAT * slack {
            return Err(ShapeError::Flat);
        }
        // The fourth is below the side of the first three.
        let (b, c) = if dot(across, minus(self.points[d], at_a)) > 0.0 { (c, b) } else { (b, c) };
        for (corners, beyond) in
            [([a, b, c], [1, 2, 3]), ([b, a, d], [0, 3, 2]), ([c, b, d], [0, 1, 3]), ([a, c, d], [0, 2, 1])]
        {
            let side = self.side(corners, beyond);
            self.sides.push(side);
        }
        let mut outside = Outside { sides: vec![usize::MAX; self.points.len()], heights: vec![0.0; self.points.len()] };
        for point in 0..self.points.len() {
            outside.sort(self, point, slack);
        }
        Ok(outside)
    }

    fn side(&self, corners: [usize; 3], beyond: [usize; 3]) -> Side {
        let [a, b, c] = corners.map(|corner| self.points[corner]);
        let normal = cross(minus(b, a), minus(c, a));
        let length = double::sqrt(squared(normal));
        let normal = if length > 0.0 { normal.map(|part| part / length) } else { normal };
        Side { corners, beyond, normal, offset: dot(normal, a), gone: false }
    }

    /// Adds a point that is above a side. Tells which sides are gone.
    fn add(&mut self, point: usize, above: usize, slack: f64) -> Vec<bool> {
        let place = self.points[point];
        let mut visible = vec![false; self.sides.len()];
        visible[above] = true;
        let mut open = vec![above];
        // Every side is opened once at most.
        while let Some(index) = open.pop() {
            for beyond in self.sides[index].beyond {
                if !visible[beyond] && self.sides[beyond].height(place) > -slack {
                    visible[beyond] = true;
                    open.push(beyond);
                }
            }
        }
        if self.living().all(|index| visible[index]) {
            // Slack has made everything visible: only what is surely so.
            for (visible, side) in visible.iter_mut().zip(&self.sides) {
                *visible = *visible && side.height(place) > 0.0;
            }
        }
        let rim = self.rim(&visible);
        let first = self.sides.len();
        for (number, &(from, to, outer, edge)) in rim.iter().enumerate() {
            let before = first + (number + rim.len() - 1) % rim.len();
            let after = first + (number + 1) % rim.len();
            let side = self.side([from, to, point], [outer, after, before]);
            self.sides.push(side);
            self.sides[outer].beyond[edge] = first + number;
        }
        if !rim.is_empty() {
            for (side, _) in self.sides.iter_mut().zip(&visible).filter(|(_, visible)| **visible) {
                side.gone = true;
            }
        }
        visible
    }

    /// The edges around what is visible, one after the other: corners, the side outside, and which edge of it. Empty if they do
    /// not go around once.
    fn rim(&self, visible: &[bool]) -> Vec<(usize, usize, usize, usize)> {
        let mut edges = Vec::new();
        for index in self.living().filter(|&index| visible[index]) {
            let side = &self.sides[index];
            for edge in 0..3 {
                let outer = side.beyond[edge];
                if !visible[outer] {
                    let (from, to) = (side.corners[edge], side.corners[(edge + 1) % 3]);
                    let theirs = self.sides[outer].corners.iter().position(|&corner| corner == to);
                    edges.extend(theirs.map(|theirs| (from, to, outer, theirs)));
                }
            }
        }
        let mut rim: Vec<(usize, usize, usize, usize)> = Vec::new();
        let mut next = edges.first().copied();
        while let Some(edge) = next {
            if rim.len() >= edges.len() {
                return Vec::new();
            }
            rim.push(edge);
            next = edges.iter().find(|other| other.0 == edge.1).copied().filter(|other| *other != rim[0]);
        }
        if rim.len() == edges.len() && rim.len() >= 3 { rim } else { Vec::new() }
    }
}

pub(super) fn dot(a: Wide, b: Wide) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn minus(a: Wide, b: Wide) -> Wide {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(super) fn cross(a: Wide, b: Wide) -> Wide {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(super) fn squared(a: Wide) -> f64 {
    dot(a, a)
}
