//! Laws of contact manifolds, for all pairs of convex shapes.

use base::{Pcg, Quat, Random, Vec3};
use physics::manifold::{Manifold, Manifolds};
use physics::narrow::{collide, convex_against_triangle};
use physics::pose::Pose;
use physics::shape::Shape;
use proptest::prelude::*;

fn cylinder(sides: u32, radius: f32, half: f32) -> Shape {
    let points: Vec<Vec3> = (0..sides)
        .flat_map(|side| {
            let (sine, cosine) = base::number::sin_cos(side as f32 * base::number::TAU / sides as f32);
            [-half, half].map(|z| Vec3::new(cosine * radius, sine * radius, z))
        })
        .collect();
    Shape::hull(&points).expect("a cylinder is a body")
}

fn shapes() -> Vec<Shape> {
    let mut random = Pcg::new(3, 3);
    let points: Vec<Vec3> = (0..20).map(|_| random.in_sphere()).collect();
    vec![
        Shape::Sphere(0.6),
        Shape::Capsule { half: 0.7, radius: 0.3 },
        Shape::Box(Vec3::new(0.4, 0.6, 0.8)),
        cylinder(12, 0.5, 0.6),
        Shape::hull(&points).expect("twenty points are a body"),
    ]
}

fn one(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, margin: f32) -> Manifold {
    let mut found = Manifolds::default();
    collide(a, pose_a, b, pose_b, margin, &mut found);
    found.as_slice().first().copied().unwrap_or_default()
}

fn features(manifold: &Manifold) -> Vec<u32> {
    let mut features: Vec<u32> = manifold.points().iter().map(|point| point.feature).collect();
    features.sort_unstable();
    features
}

fn check_laws(found: &Manifold, margin: f32) {
    if found.count == 0 {
        return;
    }
    assert!((found.normal.length() - 1.0).abs() < 1e-3, "{found:?}");
    for point in found.points() {
        assert!(point.anchor.is_finite() && point.separation <= margin, "{found:?}");
    }
    let mut features = features(found);
    features.dedup();
    assert_eq!(features.len(), found.count as usize, "{found:?}");
}

fn random_pose(random: &mut Pcg, spread: f32) -> Pose {
    Pose::new(random.in_sphere() * spread, Quat::from_rotation_vector(random.in_sphere() * 3.0))
}

#[test]
fn swapped_shapes_give_the_flipped_manifold() {
    let mut random = Pcg::new(4, 1);
    let shapes = shapes();
    for _ in 0..200 {
        for a in &shapes {
            for b in &shapes {
                let (pose_a, pose_b) = (random_pose(&mut random, 0.7), random_pose(&mut random, 0.7));
                let (found, other) = (one(a, &pose_a, b, &pose_b, 0.05), one(b, &pose_b, a, &pose_a, 0.05));
                check_laws(&found, 0.05);
                assert_eq!(found.count > 0, other.count > 0, "{a:?} {pose_a:?} {b:?} {pose_b:?}");
                if found.count > 0 {
                    // Faces whose separations differ by less than the preference may be chosen either way.
                    let slack = if found.normal.distance(-other.normal) < 1e-3 { 1e-3 } else { 0.01 };
                    assert!((found.min_separation() - other.min_separation()).abs() < slack, "{found:?} {other:?}");
                }
            }
        }
    }
}

#[test]
fn contacts_do_not_depend_on_the_pose_of_the_pair() {
    let mut random = Pcg::new(5, 1);
    let shapes = shapes();
    let turn = Quat::from_rotation_vector(Vec3::new(0.5, -0.3, 0.8));
    for _ in 0..100 {
        for a in &shapes {
            for b in &shapes {
                let (pose_a, pose_b) = (random_pose(&mut random, 0.8), random_pose(&mut random, 0.8));
                let far = Pose::new(Vec3::new(64.0, -32.0, 16.0), turn);
                let found = one(a, &pose_a, b, &pose_b, 0.0);
                let moved = one(a, &far.compose(&pose_a), b, &far.compose(&pose_b), 0.0);
                if found.count > 0 && found.min_separation() < -0.01 && moved.count > 0 {
                    assert!((found.min_separation() - moved.min_separation()).abs() < 0.01, "{found:?} {moved:?}");
                }
                assert!(moved.count > 0 || found.count == 0 || found.min_separation() > -0.01, "{found:?} {moved:?}");
            }
        }
    }
}

#[test]
fn features_persist_while_a_resting_hull_jitters() {
    let bodies = [cylinder(4, 0.5, 0.5), cylinder(6, 0.5, 0.5), cylinder(16, 0.5, 0.5), Shape::Box(Vec3::splat(0.5))];
    let ground = Shape::Box(Vec3::new(3.0, 3.0, 0.5));
    for below in bodies.iter().chain([&ground]) {
        for above in &bodies {
            let at = |shift: f32| {
                let turn = Quat::from_rotation_vector(Vec3::new(shift, -shift, 0.1 + shift));
                let pose = Pose::new(Vec3::new(0.05 + shift, shift, 0.995 - shift), turn);
                one(below, &Pose::IDENTITY, above, &pose, 0.02)
            };
            let still = at(0.0);
            check_laws(&still, 0.02);
            assert_eq!(still.count, 4, "{still:?}");
            for shift in [-1e-5, -1e-6, 1e-6, 1e-5] {
                assert_eq!(features(&at(shift)), features(&still), "{below:?} {above:?} {shift}");
            }
        }
    }
}

/// A shape over the triangle (−2, −2), (2, −2), (0, 3) in the plane z = 0.
fn check_triangle(shape: &Shape, place: Vec3, count: u32, separation: f32, edges: u32, normal: Vec3) {
    let triangle = [Vec3::new(-2.0, -2.0, 0.0), Vec3::new(2.0, -2.0, 0.0), Vec3::new(0.0, 3.0, 0.0)];
    let mesh = Pose::new(Vec3::new(10.0, 20.0, 30.0), Quat::IDENTITY);
    let pose = Pose::new(place + mesh.position, Quat::IDENTITY);
    let found = convex_against_triangle(shape, &pose, triangle, &mesh, 0.05);
    check_laws(&found, 0.05);
    assert_eq!(found.count, count, "{shape:?} {place:?} {found:?}");
    if count > 0 {
        assert!((found.min_separation() - separation).abs() < 1e-4, "{shape:?} {place:?} {found:?}");
        assert!(found.normal.distance(normal) < 1e-3, "{shape:?} {place:?} {found:?}");
        assert!(found.points().iter().all(|point| point.feature & 7 == edges), "{shape:?} {place:?} {found:?}");
    }
}

#[test]
fn shapes_touch_triangles_from_the_front() {
    let ball = Shape::Sphere(0.5);
    let (middle, behind) = (Vec3::new(0.0, 0.0, 0.49), Vec3::new(0.0, 0.0, -0.49));
    let cuboid = Shape::Box(Vec3::splat(0.5));
    let upright = Shape::Capsule { half: 0.25, radius: 0.25 };
    for (shape, points) in [(&ball, 1), (&cuboid, 4), (&upright, 1), (&cylinder(8, 0.5, 0.5), 4)] {
        check_triangle(shape, middle, points, -0.01, 0, -Vec3::Z);
        check_triangle(shape, behind, 0, 0.0, 0, Vec3::ZERO);
        check_triangle(shape, Vec3::new(0.0, 0.0, 0.56), 0, 0.0, 0, Vec3::ZERO);
        check_triangle(shape, Vec3::new(0.0, -3.0, 0.3), 0, 0.0, 0, Vec3::ZERO);
    }
    // Beside an edge and beside a vertex.
    check_triangle(&ball, Vec3::new(0.0, -2.3, 0.39), 1, -0.00796, 1, Vec3::new(0.0, 0.3, -0.39).normal());
    check_triangle(&ball, Vec3::new(0.0, 3.3, 0.39), 1, -0.00796, 6, Vec3::new(0.0, -0.3, -0.39).normal());
    check_triangle(&upright, Vec3::new(0.0, -2.1, 0.45), 1, -0.02639, 1, Vec3::new(0.0, 0.1, -0.2).normal());
}

#[test]
fn a_rotation_that_is_no_unit_quaternion_gives_finite_contacts_or_none() {
    let (shapes, huge) = (shapes(), Quat::new(3e9, -2e9, 5e8, 1e9));
    let (pose, scaled) = (Pose::new(Vec3::ZERO, Quat::IDENTITY), Pose::new(Vec3::splat(0.3), huge));
    let mut found = Manifolds::default();
    for pair in 0..shapes.len() * shapes.len() {
        let (one, other) = (&shapes[pair / shapes.len()], &shapes[pair % shapes.len()]);
        collide(one, &pose, other, &scaled, 0.1, &mut found);
        collide(one, &scaled, other, &pose, 0.1, &mut found);
    }
    for point in found.as_slice().iter().flat_map(|manifold| manifold.points()) {
        assert!(point.anchor.is_finite() && point.separation.is_finite(), "{point:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_poses_give_finite_contacts_or_none(bits: [[u32; 7]; 2], which in 0_usize..25, margin: f32) {
        let shapes = shapes();
        let poses = bits.map(|bits| {
            let [x, y, z, a, b, c, d] = bits.map(f32::from_bits);
            Pose::new(Vec3::new(x, y, z), Quat::new(a, b, c, d))
        });
        let mut found = Manifolds::default();
        collide(&shapes[which / 5], &poses[0], &shapes[which % 5], &poses[1], margin, &mut found);
        for point in found.as_slice().iter().flat_map(|manifold| manifold.points()) {
            prop_assert!(point.anchor.is_finite() && point.separation.is_finite());
        }
    }

    #[test]
    fn close_poses_of_any_rotation_keep_the_laws(seed: u64, which in 0_usize..25, scale in -5..5_i32, thin in -3..1_i32) {
        let mut random = Pcg::new(seed, 1);
        let scale = base::number::pow(10.0, scale as f32);
        let thin = base::number::pow(10.0, thin as f32);
        let sized = |shape: &Shape| match shape {
            Shape::Sphere(radius) => Shape::Sphere(radius * scale),
            Shape::Capsule { half, radius } => Shape::Capsule { half: half * scale, radius: radius * scale * thin },
            Shape::Box(half) => Shape::Box(Vec3::new(half.x, half.y, half.z * thin) * scale),
            Shape::Hull(hull) => {
                let points: Vec<Vec3> =
                    hull.vertices().iter().map(|vertex| Vec3::new(vertex.x, vertex.y, vertex.z * thin) * scale).collect();
                Shape::hull(&points).expect("the shape was valid at its original size")
            }
            other => other.clone(),
        };
        let shapes: Vec<Shape> = shapes().iter().map(sized).collect();
        let mut pose = || {
            let turns = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(1.0, 1.0, 0.0), random.in_sphere()];
            let turn = turns[random.below(5) as usize] * base::number::HALF_PI;
            Pose::new(random.in_sphere() * scale * random.unit(), Quat::from_rotation_vector(turn))
        };
        let (pose_a, pose_b) = (pose(), pose());
        let margin = 0.02 * scale;
        check_laws(&one(&shapes[which / 5], &pose_a, &shapes[which % 5], &pose_b, margin), margin);
        let triangle = [random.in_sphere() * scale, random.in_sphere() * scale, random.in_sphere() * scale];
        check_laws(&convex_against_triangle(&shapes[which / 5], &pose_a, triangle, &pose_b, margin), margin);
    }

    #[test]
    fn arbitrary_triangles_give_finite_contacts_or_none(bits: [[u32; 3]; 3], which in 0_usize..5) {
        let triangle = bits.map(|corner| Vec3::from_array(corner.map(f32::from_bits)));
        let found = convex_against_triangle(&shapes()[which], &Pose::IDENTITY, triangle, &Pose::IDENTITY, 0.1);
        check_laws(&found, 0.1);
    }
}
