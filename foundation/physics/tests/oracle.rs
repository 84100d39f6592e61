//! Distances and contacts compared with parry, which computes them by other methods.
//!
//! Ours are tested at many scales. Parry has an absolute tolerance, so it always gets shapes of unit size.

use base::{Pcg, Quat, Random, Vec3};
use parry3d::math::{Pose as TheirPose, Rotation, Vector};
use parry3d::query;
use parry3d::shape::{Ball, Capsule, ConvexPolyhedron, Cuboid, Shape as TheirShape};
use physics::distance::{Convex, distance};
use physics::manifold::{Manifold, Manifolds};
use physics::narrow::collide;
use physics::pose::Pose;
use physics::shape::Shape;

/// A pair to compare: both shapes in both libraries, and their poses.
struct Case {
    shapes: [Shape; 2],
    theirs: [Box<dyn TheirShape>; 2],
    places: [(Vec3, Quat); 2],
    size: f32,
}

fn vector(vector: Vec3) -> Vector {
    Vector::new(vector.x, vector.y, vector.z)
}

fn random_in_cube(random: &mut Pcg) -> Vec3 {
    Vec3::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0), random.between(-1.0, 1.0))
}

fn random_shape(random: &mut Pcg, size: f32) -> (Shape, Box<dyn TheirShape>) {
    let kind = random.below(4);
    let mut length = || random.between(0.1, 1.0);
    match kind {
        0 => {
            let radius = length();
            (Shape::Sphere(radius * size), Box::new(Ball::new(radius)))
        }
        1 => {
            let (half, radius) = (length(), length());
            let theirs = Capsule::new(Vector::new(0.0, 0.0, -half), Vector::new(0.0, 0.0, half), radius);
            (Shape::Capsule { half: half * size, radius: radius * size }, Box::new(theirs))
        }
        2 => {
            let half = Vec3::new(length(), length(), length());
            (Shape::Box(half * size), Box::new(Cuboid::new(vector(half))))
        }
        _ => loop {
            let count = 4 + random.below(28);
            let points: Vec<Vec3> = (0..count).map(|_| random_in_cube(random) * size).collect();
            let Ok(Shape::Hull(hull)) = Shape::hull(&points) else { continue };
            let corners: Vec<Vector> = hull.vertices().iter().map(|&vertex| vector(vertex / size)).collect();
            let Some(theirs) = ConvexPolyhedron::from_convex_hull(&corners) else { continue };
            break (Shape::Hull(hull), Box::new(theirs));
        },
    }
}

fn random_rotation(random: &mut Pcg) -> Quat {
    match random.below(4) {
        // Aligned and rotated by multiples of 45 degrees: the cases of equal axes.
        0 => Quat::IDENTITY,
        1 => Quat::from_rotation_vector(Vec3::Z * (random.below(8) as f32 * core::f32::consts::FRAC_PI_4)),
        _ => Quat::from_rotation_vector(random_in_cube(random) * 3.0),
    }
}

fn case(random: &mut Pcg, spread: f32) -> Case {
    let size = base::number::pow(10.0, random.range(-4, 4) as f32);
    let ((a, their_a), (b, their_b)) = (random_shape(random, size), random_shape(random, size));
    let turns = [random_rotation(random), random_rotation(random)];
    let offset = random_in_cube(random) * (size * spread);
    let places = [(Vec3::ZERO, turns[0]), (offset, turns[1])];
    Case { shapes: [a, b], theirs: [their_a, their_b], places, size }
}

impl Case {
    fn poses(&self) -> [Pose; 2] {
        self.places.map(|(position, turn)| Pose::new(position, turn))
    }

    fn their_poses(&self) -> [TheirPose; 2] {
        self.places.map(|(position, turn)| {
            TheirPose::from_parts(vector(position / self.size), Rotation::from_xyzw(turn.x, turn.y, turn.z, turn.w))
        })
    }

    fn describe(&self) -> String {
        format!("{:?} {:?}", self.shapes, self.places)
    }

    fn collide(&self, margin: f32) -> Manifold {
        let [a, b] = self.poses();
        let mut found = Manifolds::default();
        collide(&self.shapes[0], &a, &self.shapes[1], &b, margin, &mut found);
        found.as_slice().first().copied().unwrap_or_default()
    }

    /// How far the second must be moved along a direction to clear the first: exact, by support functions.
    fn depth_along(&self, normal: Vec3) -> f64 {
        let [a, b] = self.poses();
        let reach = |shape: &Shape, pose: &Pose, direction: Vec3| {
            let convex = Convex::of(shape).expect("all shapes here are convex");
            let point = pose.point(convex.support(pose.local_direction(direction)));
            f64::from(point.dot(direction)) + f64::from(convex.radius())
        };
        reach(&self.shapes[0], &a, normal) + reach(&self.shapes[1], &b, -normal)
    }
}

#[test]
fn distances_match_parry() {
    let mut random = Pcg::new(1, 1);
    let (mut apart, mut unlike) = (0, 0);
    for _ in 0..5000 {
        let case = case(&mut random, 3.0);
        let [a, b] = [&case.shapes[0], &case.shapes[1]].map(|shape| Convex::of(shape).unwrap());
        let [pose_a, pose_b] = case.poses();
        let ours = distance(&a, &pose_a, &b, &pose_b);
        let [their_a, their_b] = case.their_poses();
        let theirs =
            query::distance(&their_a, &*case.theirs[0], &their_b, &*case.theirs[1]).unwrap().distance * case.size;
        // Parry sometimes stops early.
        let error = (ours.distance - theirs).abs() / (case.size + ours.distance);
        assert!(error < 0.01, "{} and {theirs}: {}", ours.distance, case.describe());
        unlike += u32::from(error > 1e-3);
        if ours.distance > 1e-3 * case.size {
            apart += 1;
            let between = ours.point_b - ours.point_a;
            assert!((between.length() - ours.distance).abs() < 1e-5 * case.size, "{ours:?} {}", case.describe());
            assert!(between.distance(ours.normal * ours.distance) < 1e-4 * case.size, "{ours:?} {}", case.describe());
            // The planes through the closest points separate the shapes.
            assert!((case.depth_along(ours.normal) + f64::from(ours.distance)).abs() < f64::from(1e-5 * case.size));
        }
    }
    println!("{apart} apart; {unlike} by parry differ by more than a thousandth");
    assert!(unlike * 50 < apart && apart > 2000 && apart < 4800, "{apart}");
}

#[test]
fn no_penetration_depth_is_smaller_than_ours() {
    let mut random = Pcg::new(2, 1);
    let (mut deep, mut inexact, mut unlike, mut other_direction) = (0, 0, 0, 0);
    for _ in 0..5000 {
        let case = case(&mut random, 1.2);
        let [their_a, their_b] = case.their_poses();
        let theirs = query::contact(&their_a, &*case.theirs[0], &their_b, &*case.theirs[1], 0.0).unwrap();
        let theirs = theirs.map(|theirs| (theirs.dist * case.size, theirs.normal1));
        let ours = case.collide(0.0);
        let slack = 1e-3 * case.size;
        let Some(theirs) = theirs.filter(|theirs| theirs.0 < -2.0 * slack) else {
            assert!(ours.count == 0 || ours.min_separation() > -4.0 * slack, "{ours:?} {theirs:?} {}", case.describe());
            continue;
        };
        assert!(ours.count > 0, "{theirs:?} {}", case.describe());
        deep += 1;
        // Our normal separates the shapes, and no other does so over a smaller distance.
        let along = case.depth_along(ours.normal) as f32;
        // Where a face is preferred to edges that are as deep but for rounding, the deepest vertex lies beyond its boundary.
        let depth = -ours.min_separation();
        assert!(
            depth < along + slack && depth > along - 20.0 * slack,
            "{along} {ours:?} {theirs:?} {}",
            case.describe()
        );
        inexact += u32::from(depth < along - slack);
        let their_normal = Vec3::new(theirs.1.x, theirs.1.y, theirs.1.z);
        let their_depth = case.depth_along(their_normal) as f32;
        assert!(along < their_depth + slack, "{along} {their_depth} {ours:?} {theirs:?} {}", case.describe());
        for _ in 0..20 {
            let other = (ours.normal + random_in_cube(&mut random) * random.between(0.0, 1.0)).normal();
            assert!(
                other == Vec3::ZERO || along < case.depth_along(other) as f32 + slack,
                "{other:?} {}",
                case.describe()
            );
        }
        unlike += u32::from((along + theirs.0).abs() > 5.0 * slack);
        other_direction += u32::from(ours.normal.dot(their_normal) < 0.99);
    }
    println!(
        "{deep} deep; {unlike} of another depth by parry, {other_direction} of another direction; {inexact} beyond a rim"
    );
    assert!(deep > 2500 && unlike * 20 < deep && inexact * 100 < deep);
}
