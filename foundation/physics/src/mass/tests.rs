use alloc::vec::Vec;

use base::{Mat3, Pcg, Quat, Random, Vec3};
use proptest::prelude::*;

use super::{Mass, Weight};
use crate::error::ShapeError;
use crate::pose::Pose;
use crate::shape::Shape;

fn near(a: Mat3, b: Mat3, slack: f32) -> bool {
    a.columns.iter().zip(b.columns).all(|(a, b)| a.distance(b) <= slack)
}

fn corners(half: Vec3) -> Vec<Vec3> {
    let sign = |corner: u32, axis: u32| if corner >> axis & 1 == 0 { -1.0 } else { 1.0 };
    (0..8).map(|corner| Vec3::new(sign(corner, 0), sign(corner, 1), sign(corner, 2)).times(half)).collect()
}

fn check(shape: &Shape, weight: Weight, mass: f32, moments: Vec3) {
    let mass_of = Mass::of(shape, weight).unwrap();
    assert!((mass_of.mass - mass).abs() < 1e-5 * mass, "{mass_of:?}");
    assert!(mass_of.moments.distance(moments) < 1e-5 * moments.length(), "{mass_of:?}");
    assert_eq!((mass_of.center_of_mass, mass_of.principal_axes), (Vec3::ZERO, Quat::IDENTITY));
}

#[test]
fn primitives_match_their_closed_forms() {
    check(&Shape::Sphere(1.0), Weight::Total(10.0), 10.0, Vec3::splat(4.0));
    check(&Shape::Box(Vec3::new(1.0, 2.0, 3.0)), Weight::Density(1.0), 48.0, Vec3::new(208.0, 160.0, 80.0));
    check(&Shape::Box(Vec3::splat(0.5)), Weight::Total(6.0), 6.0, Vec3::ONE);
    // A long thin capsule is a rod, a short one a sphere.
    check(&Shape::Capsule { half: 500.0, radius: 1e-3 }, Weight::Total(12.0), 12.0, Vec3::new(1e6, 1e6, 6e-6));
    check(&Shape::Capsule { half: 1e-6, radius: 1.0 }, Weight::Total(10.0), 10.0, Vec3::splat(4.0));
}

#[test]
fn a_box_as_a_hull_has_the_mass_properties_of_the_box() {
    let half = Vec3::new(0.2, 0.7, 1.1);
    let turn = Quat::from_rotation_vector(Vec3::new(0.4, -1.0, 0.3));
    let offset = Vec3::new(3.0, -200.0, 40.0);
    let points: Vec<Vec3> = corners(half).into_iter().map(|corner| turn.rotate(corner) + offset).collect();
    let hull = Mass::of(&Shape::hull(&points).unwrap(), Weight::Density(700.0)).unwrap();
    let cuboid = Mass::of(&Shape::Box(half), Weight::Density(700.0)).unwrap();
    assert!((hull.mass / cuboid.mass - 1.0).abs() < 1e-4);
    assert!(hull.center_of_mass.distance(offset) < 1e-3);
    let axes = turn.matrix();
    assert!(near(hull.matrix(), axes * cuboid.matrix() * axes.transpose(), 1e-3 * cuboid.moments.length()));
}

#[test]
fn a_capsule_as_a_hull_has_about_its_mass_properties() {
    let mut random = Pcg::default();
    let points: Vec<Vec3> =
        (0..4000).map(|number| random.on_sphere() * 0.5 + Vec3::Z * if number % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let hull = Mass::of(&Shape::hull(&points).unwrap(), Weight::Total(1.0)).unwrap();
    let capsule = Mass::of(&Shape::Capsule { half: 1.0, radius: 0.5 }, Weight::Total(1.0)).unwrap();
    assert!(near(hull.matrix(), capsule.matrix(), 0.1 * capsule.moments.length()), "{hull:?} {capsule:?}");
}

#[test]
fn two_halves_of_a_box_add_up_to_the_box() {
    let whole = Mass::of(&Shape::Box(Vec3::new(2.0, 1.0, 0.5)), Weight::Total(8.0)).unwrap();
    let part = Mass::of(&Shape::Box(Vec3::new(0.5, 1.0, 1.0)), Weight::Total(4.0)).unwrap();
    let turn = Quat::from_rotation_vector(Vec3::Y * base::number::HALF_PI);
    let sum = Mass::sum([-1.0, 1.0].map(|x| (Pose::new(Vec3::new(x, 0.0, 0.0), turn), part))).unwrap();
    assert!((sum.mass - 8.0).abs() < 1e-4 && sum.center_of_mass.length() < 1e-5, "{sum:?}");
    assert!(near(sum.matrix(), whole.matrix(), 1e-4), "{sum:?} {whole:?}");
}

#[test]
fn invalid_masses_are_refused() {
    for weight in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-40] {
        assert_eq!(Mass::of(&Shape::Sphere(1.0), Weight::Total(weight)), Err(ShapeError::Mass));
        assert_eq!(Mass::of(&Shape::Sphere(1.0), Weight::Density(weight)), Err(ShapeError::Mass));
    }
    let triangle = [Vec3::X, Vec3::Y, Vec3::Z];
    assert_eq!(Mass::of_triangles([triangle], Weight::Density(1.0)), Err(ShapeError::NotClosed));
    assert_eq!(Mass::of_triangles([], Weight::Density(1.0)), Err(ShapeError::NotClosed));
    let Ok(Shape::Hull(hull)) = Shape::hull(&corners(Vec3::ONE)) else { panic!("a cube is a hull") };
    let inside_out = hull.triangles().map(|[a, b, c]| [a, c, b]);
    assert_eq!(Mass::of_triangles(inside_out, Weight::Density(1.0)), Err(ShapeError::NotClosed));
    assert_eq!(Mass::sum([]), Err(ShapeError::Mass));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_hull_has_valid_mass_properties(seed: u64, count in 4_usize..40, scale in -5..6_i32, far in 0.0_f32..10.0) {
        let mut random = Pcg::new(seed, 1);
        let scale = base::number::pow(10.0, scale as f32);
        let middle = random.on_sphere() * far;
        let points: Vec<Vec3> = (0..count).map(|_| (random.in_sphere() + middle) * scale).collect();
        if let Ok(shape) = Shape::hull(&points) {
            let mass_of = Mass::of(&shape, Weight::Total(1.0));
            prop_assert!(mass_of.is_ok(), "{mass_of:?} {points:?}");
            let mass_of = mass_of.unwrap();
            let Shape::Hull(hull) = &shape else { panic!("a hull is a hull") };
            let inside = hull.planes().iter().all(|plane| plane.signed_distance(mass_of.center_of_mass) < 1e-5 * scale * (1.0 + far));
            prop_assert!(inside, "{mass_of:?} {points:?}");
        }
    }
}
