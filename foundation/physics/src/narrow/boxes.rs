//! Boxes against boxes: fifteen directions, then a side cut to the size of the other.
//!
//! Two boxes are apart along one of three directions of the sides of each, or nine across an edge of each. The one along which they
//! are farthest apart (or least deep) is that of the contact. Along a side, the opposite side of the other box is cut to its
//! size, which leaves up to eight points; across edges it is one point.

use base::{Vec3, number};

use super::clip::{Over, keep_four};
use super::facets::BoxSeen;
use super::{PREFERENCE, Pair, RIM, feature, flat, in_world, one_point, second_seen};
use crate::manifold::{Manifold, ManifoldPoint};
use crate::pose::Pose;

/// As [`PREFERENCE`], among sides and edges: boxes that lie on one another give way by so much, and must not be thought to meet edge
/// on edge, in one point, for it.
const PREFERENCE_LYING: f32 = 5e-3;

/// Edges whose squared sine is below this are parallel: they are apart along a side, if at all.
const PARALLEL: f32 = 1e-6;

pub(super) fn boxes(a: Vec3, b: Vec3, pair: &Pair) -> Manifold {
    let seen = Seen::new(a, b, pair);
    let [side_a, side_b] = seen.sides();
    // Told this way round, a NaN is no contact.
    let near = side_a.apart <= pair.margin && side_b.apart <= pair.margin;
    if !near {
        return Manifold::default();
    }
    let preference = PREFERENCE_LYING * number::min(a.min_component(), b.min_component());
    let by_second = side_b.apart > side_a.apart + preference;
    let side = if by_second { side_b } else { side_a };
    let found = match seen.edges(side.apart + preference) {
        Some(edges) if edges.apart > pair.margin => return Manifold::default(),
        Some(edges) => seen.across_edges(&edges, pair),
        None if by_second => seen.other_way().on_side(side.axis, pair).turned_to_first(pair),
        None => seen.on_side(side.axis, pair).into_manifold(pair),
    };
    if found.count > 0 { found } else { nearest(a, b, pair) }
}

/// Where two boxes are nearest that are apart and not above each other: at corners, mostly.
#[cold]
fn nearest(a: Vec3, b: Vec3, pair: &Pair) -> Manifold {
    let second = second_seen(pair);
    let (seen_a, seen_b) = (BoxSeen::new(a, &Pose::IDENTITY), BoxSeen::new(b, &second));
    in_world(flat::nearest(&seen_a.facets(), &seen_b.facets(), pair.margin, None), pair.a, Vec3::ZERO)
}

/// The second box as the first sees it.
struct Seen {
    /// Halves of the first and the second.
    half: [[f32; 3]; 2],
    /// Where the second's middle is.
    offset: [f32; 3],
    /// Its axes: `axes[j][i]` is the part of its axis `j` along our axis `i`.
    axes: [[f32; 3]; 3],
    /// The same without signs.
    axes_abs: [[f32; 3]; 3],
    /// Where its middle is, along its own axes.
    offset_own: [f32; 3],
    /// Whether this is the second's view.
    reference: u32,
}

/// A side's direction, and how far the boxes are apart along it.
#[derive(Clone, Copy)]
struct Side {
    axis: usize,
    apart: f32,
}

/// An edge of each, and how far they are apart.
struct Edges {
    axes: [usize; 2],
    apart: f32,
    length: f32,
}

/// The points that a side was cut to, in the space of the box with the side that cut.
struct Cut {
    points: [Over; 8],
    count: usize,
    axis: usize,
    sign: f32,
    height: f32,
}

impl Seen {
    #[inline]
    fn new(a: Vec3, b: Vec3, pair: &Pair) -> Seen {
        let offset = pair.a.direction_back(pair.offset);
        let axes = pair.b.axes.columns.map(|axis| pair.a.direction_back(axis));
        Seen {
            half: [a.to_array(), b.to_array()],
            offset: offset.to_array(),
            axes: axes.map(Vec3::to_array),
            axes_abs: axes.map(|axis| axis.abs().to_array()),
            offset_own: axes.map(|axis| axis.dot(offset)),
            reference: 0,
        }
    }

    /// The first as the second sees it.
    fn other_way(&self) -> Seen {
        Seen {
            half: [self.half[1], self.half[0]],
            offset: self.offset_own.map(|part| -part),
            axes: transposed(&self.axes),
            axes_abs: transposed(&self.axes_abs),
            offset_own: self.offset.map(|part| -part),
            reference: 1,
        }
    }

    /// The best side of each.
    #[inline]
    fn sides(&self) -> [Side; 2] {
        let [a, b] = self.half;
        let axes = &self.axes_abs;
        let apart_a: [f32; 3] = core::array::from_fn(|i| {
            self.offset[i].abs() - (a[i] + (b[0] * axes[0][i] + b[1] * axes[1][i] + b[2] * axes[2][i]))
        });
        let apart_b: [f32; 3] = core::array::from_fn(|j| {
            self.offset_own[j].abs() - (b[j] + (a[0] * axes[j][0] + a[1] * axes[j][1] + a[2] * axes[j][2]))
        });
        [greatest(apart_a), greatest(apart_b)]
    }

    /// The pair of edges across which the boxes are farthest apart, if that is more than `least`.
    #[inline]
    fn edges(&self, least: f32) -> Option<Edges> {
        let [a, b] = self.half;
        let mut best = None;
        let mut least = least;
        for (i, (i1, i2)) in NEXT.into_iter().enumerate() {
            for (j, (j1, j2)) in NEXT.into_iter().enumerate() {
                // The direction is across our axis i and its axis j; its length is the sine of their angle.
                let (c1, c2) = (self.axes[j][i1], self.axes[j][i2]);
                let squared = c1 * c1 + c2 * c2;
                let reach_a = a[i1] * self.axes_abs[j][i2] + a[i2] * self.axes_abs[j][i1];
                let reach_b = b[j1] * self.axes_abs[j2][i] + b[j2] * self.axes_abs[j1][i];
                let apart = (self.offset[i2] * c1 - self.offset[i1] * c2).abs() - (reach_a + reach_b);
                // Compared in squares, so that a root is taken only of the few that win.
                let limit = least * least * squared;
                let wins = if least < 0.0 {
                    apart >= 0.0 || apart * apart < limit
                } else {
                    apart > 0.0 && apart * apart > limit
                };
                if wins && squared > PARALLEL {
                    let length = number::sqrt(squared);
                    least = apart / length;
                    best = Some(Edges { axes: [i, j], apart: least, length });
                }
            }
        }
        best
    }

    /// Cuts the opposite side of the second to the size of one of ours.
    fn on_side(&self, axis: usize, pair: &Pair) -> Cut {
        let [a, b] = self.half;
        let sign = if self.offset[axis] < 0.0 { -1.0 } else { 1.0 };
        let along: [f32; 3] = core::array::from_fn(|j| self.axes_abs[j][axis]);
        let other = greatest(along).axis;
        let other_sign = if self.axes[other][axis] * sign > 0.0 { -1.0 } else { 1.0 };
        let (u, v) = NEXT[axis];
        let (k, l) = NEXT[other];
        let seen = |vector: &[f32; 3], scale: f32| [vector[u] * scale, vector[v] * scale, vector[axis] * sign * scale];
        let middle = seen(&self.axes[other], other_sign * b[other]);
        let middle =
            [middle[0] + self.offset[u], middle[1] + self.offset[v], middle[2] + self.offset[axis] * sign - a[axis]];
        let (first, second) = (seen(&self.axes[k], b[k]), seen(&self.axes[l], b[l]));
        let corner = |s: f32, t: f32, begins: u8, ends: u8| Corner {
            place: core::array::from_fn(|part| middle[part] + s * first[part] + t * second[part]),
            begins,
            ends,
        };
        let mut polygon = Polygon { corners: [Corner::default(); 8], count: 4 };
        polygon.corners[0] = corner(1.0, 1.0, 3, 0);
        polygon.corners[1] = corner(-1.0, 1.0, 0, 1);
        polygon.corners[2] = corner(-1.0, -1.0, 1, 2);
        polygon.corners[3] = corner(1.0, -1.0, 2, 3);
        let rim = RIM * (a[u] + a[v]);
        polygon.cut::<0>(1.0, a[u] + rim, 64);
        polygon.cut::<0>(-1.0, a[u] + rim, 65);
        polygon.cut::<1>(1.0, a[v] + rim, 66);
        polygon.cut::<1>(-1.0, a[v] + rim, 67);
        let number = |axis: usize, sign: f32| axis as u32 * 2 + u32::from(sign > 0.0);
        let (cutting, cut) = (number(axis, sign), number(other, other_sign));
        let mut found = Cut { points: [Over::default(); 8], count: 0, axis, sign, height: a[axis] };
        for corner in &polygon.corners[..polygon.count] {
            let [u, v, height] = corner.place;
            if height <= pair.margin {
                let feature = feature::side(self.reference, cutting, cut, corner.begins.into(), corner.ends.into());
                found.points[found.count] = Over { u, v, height, feature };
                found.count += 1;
            }
        }
        found.count = keep_four(&mut found.points[..found.count], PREFERENCE * a[axis]);
        found
    }

    /// The one point between two edges; none if they are apart and nearest at an end of one of them.
    fn across_edges(&self, edges: &Edges, pair: &Pair) -> Manifold {
        let [i, j] = edges.axes;
        let ((i1, i2), (j1, j2)) = (NEXT[i], NEXT[j]);
        let [a, b] = self.half;
        let mut normal = [0.0; 3];
        normal[i1] = -self.axes[j][i2] / edges.length;
        normal[i2] = self.axes[j][i1] / edges.length;
        let normal = Vec3::from_array(normal);
        let offset = Vec3::from_array(self.offset);
        let normal = if normal.dot(offset) < 0.0 { -normal } else { normal };
        let axes = self.axes.map(Vec3::from_array);
        let towards = |part: f32, half: f32| if part < 0.0 { -half } else { half };
        let mut place_a = [0.0; 3];
        place_a[i1] = towards(normal.to_array()[i1], a[i1]);
        place_a[i2] = towards(normal.to_array()[i2], a[i2]);
        let (b1, b2) = (-towards(normal.dot(axes[j1]), b[j1]), -towards(normal.dot(axes[j2]), b[j2]));
        let place_b = offset + axes[j1] * b1 + axes[j2] * b2;
        // The nearest points of both lines: the first is our axis i.
        let between = place_b - Vec3::from_array(place_a);
        let cosine = self.axes[j][i];
        let (along_a, along_b) = (between.to_array()[i], between.dot(axes[j]));
        let sine_squared = edges.length * edges.length;
        let wanted_a = (along_a - cosine * along_b) / sine_squared;
        let wanted_b = (cosine * along_a - along_b) / sine_squared;
        let beyond = wanted_a.abs() > a[i] * (1.0 + RIM) || wanted_b.abs() > b[j] * (1.0 + RIM);
        if edges.apart > 0.0 && beyond {
            return Manifold::default();
        }
        let at_a = number::clamp(wanted_a, -a[i], a[i]);
        let at_b = number::clamp(wanted_b, -b[j], b[j]);
        place_a[i] = at_a;
        let middle = (Vec3::from_array(place_a) + place_b + axes[j] * at_b) * 0.5;
        let sign = |part: f32| u32::from(part > 0.0);
        let number_a = i as u32 * 4 + sign(place_a[i1]) * 2 + sign(place_a[i2]);
        let number_b = j as u32 * 4 + sign(b1) * 2 + sign(b2);
        let place = pair.a.direction(middle);
        let point = ManifoldPoint { place, separation: edges.apart, feature: feature::edges(number_a, number_b) };
        one_point(pair.a.direction(normal), point)
    }
}

impl Cut {
    /// As the first sees it, whose side has cut.
    fn into_manifold(self, pair: &Pair) -> Manifold {
        self.placed(pair.a.axes.columns)
    }

    /// As the first sees it, where the second's side has cut.
    fn turned_to_first(self, pair: &Pair) -> Manifold {
        self.placed(pair.b.axes.columns).turned(-pair.offset)
    }

    fn placed(&self, axes: [Vec3; 3]) -> Manifold {
        let (u, v) = NEXT[self.axis];
        let normal = axes[self.axis] * self.sign;
        let mut manifold = Manifold { normal, ..Manifold::default() };
        for point in &self.points[..self.count] {
            let place = axes[u] * point.u + axes[v] * point.v + normal * (self.height + point.height * 0.5);
            manifold.push(ManifoldPoint { place, separation: point.height, feature: point.feature });
        }
        manifold
    }
}

/// A corner over a side: where on it and how far above, and between which two edges.
#[derive(Clone, Copy, Default)]
struct Corner {
    place: [f32; 3],
    begins: u8,
    ends: u8,
}

/// Up to eight corners, going around: four of a side, and one more for each of four cuts.
struct Polygon {
    corners: [Corner; 8],
    count: usize,
}

impl Polygon {
    /// Cuts off what reaches further than `limit` along an axis.
    #[inline]
    fn cut<const AXIS: usize>(&mut self, sign: f32, limit: f32, edge: u8) {
        let mut over: [f32; 8] = [0.0; 8];
        let mut any = false;
        for (over, corner) in over.iter_mut().zip(&self.corners[..self.count]) {
            *over = corner.place[AXIS] * sign - limit;
            any |= *over > 0.0;
        }
        if !any {
            return;
        }
        let mut kept = Polygon { corners: [Corner::default(); 8], count: 0 };
        for index in 0..self.count {
            let next = if index + 1 == self.count { 0 } else { index + 1 };
            let (corner, other) = (&self.corners[index], &self.corners[next]);
            let (over_this, over_next) = (over[index], over[next]);
            if over_this <= 0.0 {
                kept.push(*corner);
            }
            if (over_this > 0.0) != (over_next > 0.0) {
                let part = over_this / (over_this - over_next);
                let place =
                    core::array::from_fn(|axis| corner.place[axis] + (other.place[axis] - corner.place[axis]) * part);
                let (begins, ends) = if over_this > 0.0 { (edge, corner.ends) } else { (corner.ends, edge) };
                kept.push(Corner { place, begins, ends });
            }
        }
        *self = kept;
    }

    /// A cut of a convex polygon adds one corner at most. What rounding would add beyond eight is left out.
    #[inline]
    fn push(&mut self, corner: Corner) {
        if let Some(place) = self.corners.get_mut(self.count) {
            *place = corner;
            self.count += 1;
        }
    }
}

/// The two axes that follow an axis, going around.
const NEXT: [(usize, usize); 3] = [(1, 2), (2, 0), (0, 1)];

#[inline]
fn greatest([first, second, third]: [f32; 3]) -> Side {
    if first >= second && first >= third {
        Side { axis: 0, apart: first }
    } else if second >= third {
        Side { axis: 1, apart: second }
    } else {
        Side { axis: 2, apart: third }
    }
}

#[inline]
fn transposed([x, y, z]: &[[f32; 3]; 3]) -> [[f32; 3]; 3] {
    [[x[0], y[0], z[0]], [x[1], y[1], z[1]], [x[2], y[2], z[2]]]
}
