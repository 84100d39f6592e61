//! The distance and closest points of two convex shapes: GJK (Gilbert, Johnson and Keerthi 1988).
//!
//! The point of the Minkowski difference closest to the origin is approached by simplices of up to four support points.
//!
//! Laws
//! 1. The distance of overlapping shapes is exactly zero.
//! 2. The search ends after at most [`ITERATIONS_MAX`] iterations with the best result so far. It runs in double precision, so
//!    that the last bits of one iteration do not decide about the next.
//! 3. A rounded shape is a core (point or segment) with a radius.
//! 4. Points are relative to the position of the first shape, along the world axes.

use base::Vec3;
use base::number::double;

use crate::pose::Pose;
use crate::shape::Shape;
use crate::vector64::{Vector64, dot, narrow, scale, subtract, widen};

mod simplex;

use simplex::Simplex;

/// Limit of GJK iterations.
pub const ITERATIONS_MAX: u32 = 64;

/// The distance of two shapes and where they are closest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// The distance of the surfaces; zero if they overlap.
    pub distance: f32,
    /// The distance of the cores, without radii. Zero if those overlap.
    pub core_distance: f32,
    /// The closest point on the first surface.
    pub point_a: Vec3,
    /// The closest point on the second surface.
    pub point_b: Vec3,
    /// The unit normal from the first to the second; zero if the cores overlap.
    pub normal: Vec3,
}

/// A convex shape: the support function of its core, and a radius.
#[derive(Clone, Copy, Debug)]
pub struct Convex<'shape> {
    core: Core<'shape>,
    radius: f32,
}

#[derive(Clone, Copy, Debug)]
enum Core<'shape> {
    Point,
    /// From minus this to this on the z axis.
    Segment(f32),
    Box(Vec3),
    Points(&'shape [Vec3]),
    Triangle([Vec3; 3]),
}

impl<'shape> Convex<'shape> {
    /// Of a shape; none if it is not convex.
    #[inline]
    pub fn of(shape: &'shape Shape) -> Option<Convex<'shape>> {
        Some(match shape {
            Shape::Sphere(radius) => Convex { core: Core::Point, radius: *radius },
            Shape::Capsule { half, radius } => Convex { core: Core::Segment(*half), radius: *radius },
            Shape::Box(half) => Convex { core: Core::Box(*half), radius: 0.0 },
            Shape::Hull(hull) => Convex { core: Core::Points(hull.vertices()), radius: 0.0 },
            Shape::Mesh(_) | Shape::HeightField(_) | Shape::Compound(_) => return None,
        })
    }

    /// Of a triangle.
    #[inline]
    pub fn of_triangle(triangle: [Vec3; 3]) -> Convex<'static> {
        Convex { core: Core::Triangle(triangle), radius: 0.0 }
    }

    /// The convex hull of points, of which there is at least one.
    #[inline]
    pub fn of_points(points: &'shape [Vec3]) -> Convex<'shape> {
        Convex { core: Core::Points(points), radius: 0.0 }
    }

    /// Without its radius.
    #[inline]
    #[must_use]
    pub fn core(self) -> Convex<'shape> {
        Convex { radius: 0.0, ..self }
    }

    /// The radius around its core.
    #[inline]
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// The radius of a sphere around its origin that contains it.
    pub fn bounding_radius(&self) -> f32 {
        let farthest = |points: &[Vec3]| {
            points.iter().fold(0.0, |max_length, point| base::number::max(max_length, point.length()))
        };
        self.radius
            + match &self.core {
                Core::Point => 0.0,
                Core::Segment(half) => *half,
                Core::Box(half) => half.length(),
                Core::Points(points) => farthest(points),
                Core::Triangle(points) => farthest(points),
            }
    }

    /// The support point of the core in a direction; of equals, the first.
    #[inline]
    pub fn support(&self, direction: Vec3) -> Vec3 {
        self.support64([direction.x.into(), direction.y.into(), direction.z.into()])
    }

    #[inline]
    fn support64(&self, direction: Vector64) -> Vec3 {
        let signed = |half: f32, part: f64| if part < 0.0 { -half } else { half };
        match &self.core {
            Core::Point => Vec3::ZERO,
            Core::Segment(half) => Vec3::new(0.0, 0.0, signed(*half, direction[2])),
            Core::Box(half) => {
                Vec3::new(signed(half.x, direction[0]), signed(half.y, direction[1]), signed(half.z, direction[2]))
            }
            Core::Points(points) => farthest(points, direction),
            Core::Triangle(points) => farthest(points, direction),
        }
    }
}

/// The distance of two convex shapes.
pub fn distance(a: &Convex, pose_a: &Pose, b: &Convex, pose_b: &Pose) -> Distance {
    let relative = RelativePose::new(pose_a, pose_b);
    let offset = relative.offset;
    // The offset of the centers is a good initial direction.
    let mut direction = if dot(offset, offset) > 0.0 { offset } else { [1.0, 0.0, 0.0] };
    let mut simplex = Simplex::default();
    let mut closest_squared = f64::INFINITY;
    let mut farthest = 0.0;
    for _ in 0..ITERATIONS_MAX {
        let point_a = a.support64(direction);
        let point_b = b.support64(relative.local_direction(scale(direction, -1.0)));
        let (a64, b64) = (widen(point_a), relative.point(point_b));
        let between = subtract(b64, a64);
        farthest = double::max(farthest, dot(between, between));
        // The new support point bounds the distance from below: if the gap is closed, the present point is the closest.
        let gains_nothing =
            closest_squared.is_finite() && closest_squared - dot(between, direction) <= 1e-11 * closest_squared;
        if gains_nothing || simplex.contains(between) {
            break;
        }
        simplex.push(between, [a64, b64]);
        let reached = simplex.reduce();
        let squared = dot(reached, reached);
        if simplex.is_tetrahedron() || squared <= 1e-22 * farthest {
            (direction, closest_squared) = ([0.0; 3], 0.0);
            break;
        }
        // Rounding would cycle.
        if squared >= closest_squared {
            break;
        }
        (direction, closest_squared) = (reached, squared);
    }
    result(pose_a, [a.radius, b.radius], direction, closest_squared, simplex.witnesses())
}

fn result(pose_a: &Pose, radii: [f32; 2], direction: Vector64, squared: f64, [a64, b64]: [Vector64; 2]) -> Distance {
    let to_world = |vector: Vector64| pose_a.direction(narrow(vector));
    // If the first iteration already failed, nothing is finite.
    let cores = if squared.is_finite() { double::sqrt(squared) } else { f64::INFINITY };
    let normal = if cores > 0.0 && cores.is_finite() { to_world(scale(direction, 1.0 / cores)) } else { Vec3::ZERO };
    let core_distance = cores as f32;
    let separation = (cores - f64::from(radii[0]) - f64::from(radii[1])) as f32;
    Distance {
        distance: base::number::max(separation, 0.0),
        core_distance,
        point_a: to_world(a64) + normal * radii[0],
        point_b: to_world(b64) - normal * radii[1],
        normal,
    }
}

/// The second pose relative to the first, in double precision.
struct RelativePose {
    axes: [Vector64; 3],
    offset: Vector64,
}

impl RelativePose {
    fn new(a: &Pose, b: &Pose) -> RelativePose {
        let axes_a = a.axes.columns.map(widen);
        let local_direction = |vector: Vector64| axes_a.map(|axis| dot(axis, vector));
        RelativePose {
            axes: b.axes.columns.map(|axis| local_direction(widen(axis))),
            offset: local_direction(subtract(widen(b.position), widen(a.position))),
        }
    }

    #[inline]
    fn point(&self, point: Vec3) -> Vector64 {
        let [x, y, z] = widen(point);
        core::array::from_fn(|i| self.axes[0][i] * x + self.axes[1][i] * y + self.axes[2][i] * z + self.offset[i])
    }

    #[inline]
    fn local_direction(&self, direction: Vector64) -> Vector64 {
        self.axes.map(|axis| dot(axis, direction))
    }
}

/// The support point is chosen in single precision: one as far but for rounding is as good.
#[inline]
fn farthest(points: &[Vec3], direction: Vector64) -> Vec3 {
    let direction = narrow(direction);
    let mut best = (f32::NEG_INFINITY, Vec3::ZERO);
    for &point in points {
        let along = point.dot(direction);
        if along > best.0 {
            best = (along, point);
        }
    }
    best.1
}
