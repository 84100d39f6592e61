//! How far two convex shapes are apart, and where they are nearest.
//!
//! The method is that of Gilbert, Johnson and Keerthi: the nearest point to the origin, of all differences between points of
//! the one and points of the other, is approached from the inside by up to four of them.
//!
//! Laws
//! 1. Two shapes that overlap are exactly zero apart.
//! 2. It ends after [`ROUNDS_MAX`] rounds at the latest; what it has then is the answer. In between it is worked out in double
//!    precision, so that the last bits of a round do not decide about the next.
//! 3. What is round is a core (a point, a piece of a line) and a radius around it.
//! 4. Points are seen from the position of the first shape, along the axes of the world.

use base::Vec3;
use base::number::double;

use crate::pose::Pose;
use crate::shape::Shape;

mod simplex;

use simplex::{Simplex, Wide};

/// After how many rounds the search ends at the latest.
pub const ROUNDS_MAX: u32 = 64;

/// How far apart two shapes are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The distance of the surfaces; zero if they overlap.
    pub distance: f32,
    /// The distance of the cores: of what is left of both without their radii. Zero if those overlap.
    pub distance_cores: f32,
    /// The nearest point of the first one's surface.
    pub point_a: Vec3,
    /// The nearest point of the second one's surface.
    pub point_b: Vec3,
    /// From the first to the second; zero if the cores overlap.
    pub normal: Vec3,
}

/// A convex thing: the farthest point of its core in any direction, and a radius.
#[derive(Clone, Copy, Debug)]
pub struct Convex<'shape> {
    core: Core<'shape>,
    radius: f32,
}

#[derive(Clone, Copy, Debug)]
enum Core<'shape> {
    Point,
    /// From minus this to this on the z axis.
    Piece(f32),
    Box(Vec3),
    Points(&'shape [Vec3]),
    Triangle([Vec3; 3]),
}

impl<'shape> Convex<'shape> {
    /// Of a shape; none if it is not a convex one.
    #[inline]
    pub fn of(shape: &'shape Shape) -> Option<Convex<'shape>> {
        Some(match shape {
            Shape::Sphere(radius) => Convex { core: Core::Point, radius: *radius },
            Shape::Capsule { half, radius } => Convex { core: Core::Piece(*half), radius: *radius },
            Shape::Box(half) => Convex { core: Core::Box(*half), radius: 0.0 },
            Shape::Hull(hull) => Convex { core: Core::Points(hull.vertices()), radius: 0.0 },
            Shape::Mesh(_) | Shape::Field(_) | Shape::Compound(_) => return None,
        })
    }

    /// Of a triangle.
    #[inline]
    pub fn of_triangle(triangle: [Vec3; 3]) -> Convex<'static> {
        Convex { core: Core::Triangle(triangle), radius: 0.0 }
    }

    /// Of the hull of some points, of which there is at least one.
    #[inline]
    pub fn of_points(points: &'shape [Vec3]) -> Convex<'shape> {
        Convex { core: Core::Points(points), radius: 0.0 }
    }

    /// The same without its radius.
    #[inline]
    #[must_use]
    pub fn core(self) -> Convex<'shape> {
        Convex { radius: 0.0, ..self }
    }

    /// How far it reaches beyond its core.
    #[inline]
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// How far any of its points is from its origin, at most.
    pub fn reach(&self) -> f32 {
        let farthest = |points: &[Vec3]| points.iter().fold(0.0, |most, point| base::number::max(most, point.length()));
        self.radius
            + match &self.core {
                Core::Point => 0.0,
                Core::Piece(half) => *half,
                Core::Box(half) => half.length(),
                Core::Points(points) => farthest(points),
                Core::Triangle(points) => farthest(points),
            }
    }

    /// The farthest point of the core in a direction; of equals, the first.
    #[inline]
    pub fn support(&self, direction: Vec3) -> Vec3 {
        self.support_wide([direction.x.into(), direction.y.into(), direction.z.into()])
    }

    #[inline]
    fn support_wide(&self, direction: Wide) -> Vec3 {
        let towards = |half: f32, part: f64| if part < 0.0 { -half } else { half };
        match &self.core {
            Core::Point => Vec3::ZERO,
            Core::Piece(half) => Vec3::new(0.0, 0.0, towards(*half, direction[2])),
            Core::Box(half) => {
                Vec3::new(towards(half.x, direction[0]), towards(half.y, direction[1]), towards(half.z, direction[2]))
            }
            Core::Points(points) => farthest(points, direction),
            Core::Triangle(points) => farthest(points, direction),
        }
    }
}

/// How far two convex things are apart.
pub fn distance(a: &Convex, pose_a: &Pose, b: &Convex, pose_b: &Pose) -> Distance {
    let seen = Seen::new(pose_a, pose_b);
    let offset = seen.offset;
    // From the middle of the one to that of the other is a good first guess of where they are near.
    let mut way = if simplex::dot(offset, offset) > 0.0 { offset } else { [1.0, 0.0, 0.0] };
    let mut simplex = Simplex::default();
    let mut nearest = f64::INFINITY;
    let mut farthest = 0.0;
    for _ in 0..ROUNDS_MAX {
        let point_a = a.support_wide(way);
        let point_b = b.support_wide(seen.back(simplex::scaled(way, -1.0)));
        let (wide_a, wide_b) = (simplex::wide(point_a), seen.point(point_b));
        let between = simplex::minus(wide_b, wide_a);
        farthest = double::max(farthest, simplex::dot(between, between));
        // No point of the difference is nearer along the way than this one: if that gains nothing, the way is the answer.
        let gains_nothing = nearest.is_finite() && nearest - simplex::dot(between, way) <= 1e-11 * nearest;
        if gains_nothing || simplex.knows(between) {
            break;
        }
        simplex.push(between, [wide_a, wide_b]);
        let reached = simplex.reduce();
        let squared = simplex::dot(reached, reached);
        if simplex.is_full() || squared <= 1e-22 * farthest {
            (way, nearest) = ([0.0; 3], 0.0);
            break;
        }
        // Rounding would go around in circles.
        if squared >= nearest {
            break;
        }
        (way, nearest) = (reached, squared);
    }
    finish(pose_a, [a.radius, b.radius], way, nearest, simplex.witnesses())
}

fn finish(pose_a: &Pose, radii: [f32; 2], way: Wide, squared: f64, [wide_a, wide_b]: [Wide; 2]) -> Distance {
    let turned = |vector: Wide| pose_a.direction(simplex::narrow(vector));
    // The last round may have been broken off before there was a distance at all: then nothing is finite.
    let cores = if squared.is_finite() { double::sqrt(squared) } else { f64::INFINITY };
    let normal = if cores > 0.0 && cores.is_finite() { turned(simplex::scaled(way, 1.0 / cores)) } else { Vec3::ZERO };
    let distance_cores = cores as f32;
    let apart = (cores - f64::from(radii[0]) - f64::from(radii[1])) as f32;
    Distance {
        distance: base::number::max(apart, 0.0),
        distance_cores,
        point_a: turned(wide_a) + normal * radii[0],
        point_b: turned(wide_b) - normal * radii[1],
        normal,
    }
}

/// The second pose as the first sees it, in double precision.
struct Seen {
    axes: [Wide; 3],
    offset: Wide,
}

impl Seen {
    fn new(a: &Pose, b: &Pose) -> Seen {
        let axes_a = a.axes.columns.map(simplex::wide);
        let back = |vector: Wide| axes_a.map(|axis| simplex::dot(axis, vector));
        Seen {
            axes: b.axes.columns.map(|axis| back(simplex::wide(axis))),
            offset: back(simplex::minus(simplex::wide(b.position), simplex::wide(a.position))),
        }
    }

    #[inline]
    fn point(&self, point: Vec3) -> Wide {
        let [x, y, z] = simplex::wide(point);
        core::array::from_fn(|i| self.axes[0][i] * x + self.axes[1][i] * y + self.axes[2][i] * z + self.offset[i])
    }

    #[inline]
    fn back(&self, direction: Wide) -> Wide {
        self.axes.map(|axis| simplex::dot(axis, direction))
    }
}

/// Which is farthest is decided in single precision: one that is as far but for rounding is as good.
#[inline]
fn farthest(points: &[Vec3], direction: Wide) -> Vec3 {
    let direction = simplex::narrow(direction);
    let mut best = (f32::NEG_INFINITY, Vec3::ZERO);
    for &point in points {
        let along = point.dot(direction);
        if along > best.0 {
            best = (along, point);
        }
    }
    best.1
}
