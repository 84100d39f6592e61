//! Spheres and capsules against boxes, in the space of the box.
//!
//! The distance of a point to a box is that to the point clamped to it. The distance of a piece of a line is convex along it, and
//! its slope consists of at most seven straight parts: so its least is found exactly, without iterating to it. A core that
//! passes through the box is pushed out by the side or the pair of edges across which it is least deep.

use base::{Vec3, number};

use super::{PREFERENCE, Pair, RIM, feature, one_point, round_contact, round_point};
use crate::manifold::Manifold;

/// A core this near to the box, in sizes of the pair, counts as touching it: its direction would not be exact.
const TOUCHING: f32 = 1e-4;

/// From this cosine on, a direction is that of a side, and a capsule lies along an edge: about two degrees.
const ALIKE: f32 = 0.9995;

#[inline]
pub(super) fn sphere(radius: f32, half: Vec3, pair: &Pair) -> Manifold {
    let centre = pair.b.direction_back(-pair.offset);
    let nearest = centre.clamp(-half, half);
    let squared = nearest.distance_squared(centre);
    if squared.is_normal() {
        let place = pair.b.direction(nearest) + pair.offset;
        return round_contact([Vec3::ZERO, place], [radius, 0.0], Vec3::Z, 0, pair.margin);
    }
    // The centre is inside: out by the nearest side.
    let depth = half - centre.abs();
    let inside = depth.min_component() >= 0.0;
    if !inside {
        return Manifold::default();
    }
    let axis = index_of_least(depth.to_array());
    let normal = pair.b.axes.columns[axis] * if centre.to_array()[axis] > 0.0 { -1.0 } else { 1.0 };
    one_point(normal, round_point(Vec3::ZERO, -depth.to_array()[axis], [radius, 0.0], normal, 0))
}

pub(super) fn capsule(half_length: f32, radius: f32, half: Vec3, pair: &Pair) -> Manifold {
    let axis = pair.a.axes.columns[2];
    let core = Core {
        middle: pair.b.direction_back(-pair.offset),
        direction: pair.b.direction_back(axis),
        half_length,
        radius,
        half,
    };
    let bounds = (core.direction * half_length).abs() + half + Vec3::splat(radius + pair.margin);
    let near = (bounds - core.middle.abs()).min_component() >= 0.0;
    if !near {
        return Manifold::default();
    }
    let at = core.nearest();
    let place = core.at(at);
    let excess = place - place.clamp(-half, half);
    let distance = excess.length();
    let touching = TOUCHING * number::max(half_length, half.max_component());
    let contact = if distance - radius > pair.margin {
        Contact::none()
    } else if distance > touching {
        core.outside(at, excess * (1.0 / distance), distance)
    } else {
        core.through()
    };
    let normal = pair.b.direction(-contact.out);
    let mut manifold = Manifold { normal, ..Manifold::default() };
    for &(along, distance, which) in contact.points.iter().flatten() {
        if distance - radius <= pair.margin {
            manifold.push(round_point(axis * along, distance, [radius, 0.0], normal, feature::round(which)));
        }
    }
    manifold
}

/// A capsule's core, as the box sees it.
struct Core {
    middle: Vec3,
    direction: Vec3,
    half_length: f32,
    radius: f32,
    half: Vec3,
}

/// A direction out of the box, and up to two points: how far along the core, how far from the box, and which.
struct Contact {
    out: Vec3,
    points: [Option<(f32, f32, u32)>; 2],
}

impl Contact {
    fn none() -> Contact {
        Contact { out: Vec3::ZERO, points: [None, None] }
    }
}

impl Core {
    #[inline]
    fn at(&self, along: f32) -> Vec3 {
        self.middle + self.direction * along
    }

    /// Half the slope of the squared distance to the box, along the core.
    #[inline]
    fn slope(&self, along: f32) -> f32 {
        let place = self.at(along);
        (place - place.clamp(-self.half, self.half)).dot(self.direction)
    }

    /// Where along the core it is nearest to the box.
    fn nearest(&self) -> f32 {
        let (mut low, mut high) = (-self.half_length, self.half_length);
        let (mut slope_low, mut slope_high) = (self.slope(low), self.slope(high));
        if slope_low >= 0.0 {
            return low;
        }
        if slope_high <= 0.0 {
            return high;
        }
        let (middle, direction, half) = (self.middle.to_array(), self.direction.to_array(), self.half.to_array());
        for axis in 0..3 {
            for side in [-half[axis], half[axis]] {
                // Parallel to the side this is infinite or NaN, and not within.
                let bend = (side - middle[axis]) / direction[axis];
                if bend > low && bend < high {
                    let slope = self.slope(bend);
                    if slope < 0.0 {
                        (low, slope_low) = (bend, slope);
                    } else {
                        (high, slope_high) = (bend, slope);
                    }
                }
            }
        }
        low + (high - low) * (slope_low / (slope_low - slope_high))
    }

    /// The core is outside, and nearest at `at`: one point, or two where it lies along a side or an edge.
    fn outside(&self, at: f32, out: Vec3, distance: f32) -> Contact {
        let single = Contact { out, points: [Some((at, distance, 0)), None] };
        let along = out.abs();
        let axis = index_of_least((-along).to_array());
        if along.to_array()[axis] > ALIKE {
            // Where the nearest point is beyond the rim, it is the one that counts.
            let enough = distance + RIM * self.radius;
            let both = self.on_side(axis, out.to_array()[axis] > 0.0);
            let both = both.filter(|both| both.points.iter().flatten().any(|point| point.1 <= enough));
            return both.map_or(single, |both| Contact { out, ..both });
        }
        let edge = index_of_least(along.to_array());
        if along.to_array()[edge] > 0.0 || self.direction.to_array()[edge].abs() < ALIKE {
            return single;
        }
        let Some(ends) = self.between([self.middle, self.direction], &[edge]) else { return single };
        let corner = self.at(at) - out * distance;
        Contact { out, points: ends.map(|(along, which)| Some((along, (self.at(along) - corner).dot(out), which))) }
    }

    /// The core passes through the box.
    fn through(&self) -> Contact {
        let (middle, direction, half) = (self.middle.to_array(), self.direction.to_array(), self.half.to_array());
        let sides: [f32; 3] =
            core::array::from_fn(|axis| half[axis] + self.half_length * direction[axis].abs() - middle[axis].abs());
        let axis = index_of_least(sides);
        let mut best = -sides[axis] + PREFERENCE * self.half.min_component();
        let mut edge = None;
        for (index, unit) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            let across = unit.cross(self.direction);
            if across.length_squared() < 1e-6 {
                continue;
            }
            let across = across.normal();
            let across = if across.dot(self.middle) < 0.0 { -across } else { across };
            let separation = across.dot(self.middle) - across.abs().dot(self.half);
            if separation > best {
                best = separation;
                edge = Some((index, across));
            }
        }
        let Some((index, out)) = edge else {
            return self.on_side(axis, middle[axis] > 0.0).unwrap_or_else(Contact::none);
        };
        // Across an edge of the box: the nearest point of the core to the line that the edge is on.
        let signs = out.to_array().map(|part| if part < 0.0 { -1.0 } else { 1.0 });
        let mut corner = Vec3::new(signs[0], signs[1], signs[2]).times(self.half).to_array();
        corner[index] = 0.0;
        let mut way = (Vec3::from_array(corner) - self.middle).to_array();
        let mut flat = direction;
        (way[index], flat[index]) = (0.0, 0.0);
        let (way, flat) = (Vec3::from_array(way), Vec3::from_array(flat));
        let along = number::clamp(way.dot(flat) / flat.length_squared(), -self.half_length, self.half_length);
        Contact { out, points: [Some((along, best, 0)), None] }
    }

    /// Both ends of the part that is above a side.
    fn on_side(&self, axis: usize, positive: bool) -> Option<Contact> {
        let others = [(axis + 1) % 3, (axis + 2) % 3];
        let ends = self.between([self.middle, self.direction], &others)?;
        let mut out = [0.0; 3];
        out[axis] = if positive { 1.0 } else { -1.0 };
        let out = Vec3::from_array(out);
        let height = self.half.to_array()[axis];
        Some(Contact { out, points: ends.map(|(along, which)| Some((along, self.at(along).dot(out) - height, which))) })
    }

    /// The part of the core within the box along some axes, each end with what it ends at. None if it is hardly a part.
    fn between(&self, [middle, direction]: [Vec3; 2], axes: &[usize]) -> Option<[(f32, u32); 2]> {
        let (middle, direction, half) = (middle.to_array(), direction.to_array(), self.half.to_array());
        let (mut low, mut high) = ((-self.half_length, 1), (self.half_length, 2));
        for &axis in axes {
            let reach = half[axis] + RIM * (half[axis] + self.half_length);
            for (sign, which) in [(-1.0, 3), (1.0, 4)] {
                let which = which + 2 * axis as u32;
                let speed = direction[axis] * sign;
                let room = reach - middle[axis] * sign;
                if speed.abs() <= 1e-6 {
                    if room < 0.0 {
                        return None;
                    }
                } else if speed > 0.0 && room / speed < high.0 {
                    high = (room / speed, which);
                } else if speed < 0.0 && room / speed > low.0 {
                    low = (room / speed, which);
                }
            }
        }
        (high.0 - low.0 > RIM * number::min(self.half_length, self.radius)).then_some([low, high])
    }
}

#[inline]
fn index_of_least([first, second, third]: [f32; 3]) -> usize {
    if first <= second && first <= third {
        0
    } else if second <= third {
        1
    } else {
        2
    }
}
