use super::*;
use crate::random::{Pcg, Random};

fn near(first: Vec3, second: Vec3) -> bool {
    first.distance(second) < 1e-5
}

#[test]
fn operators_work_component_by_component() {
    let (a, b) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(4.0, 8.0, 16.0));
    assert_eq!(a + b, Vec3::new(5.0, 10.0, 19.0));
    assert_eq!(b - a, Vec3::new(3.0, 6.0, 13.0));
    assert_eq!(-a, Vec3::new(-1.0, -2.0, -3.0));
    assert_eq!(a * 2.0, 2.0 * a);
    assert_eq!(b / 4.0, Vec3::new(1.0, 2.0, 4.0));
    assert_eq!(a.times(b), Vec3::new(4.0, 16.0, 48.0));
    let mut c = a;
    c += b;
    c -= a;
    c *= 3.0;
    c /= 3.0;
    assert_eq!(c, b);
    assert_eq!(a.lerp(b, 0.5), Vec3::new(2.5, 5.0, 9.5));
    assert_eq!(Vec3::from_array(a.to_array()), a);
    assert_eq!((a[0], a[1], a[2]), (1.0, 2.0, 3.0));
}

#[test]
fn the_dot_product_is_summed_from_left_to_right() {
    let large = Vec4::new(1e8, 1.0, -1e8, 1.0);
    // From the left the first 1 is lost in 1e8, the last is not.
    assert_eq!(large.dot(Vec4::ONE), 1.0);
}

#[test]
fn the_cross_product_is_right_handed_and_perpendicular() {
    assert_eq!(Vec3::X.cross(Vec3::Y), Vec3::Z);
    assert_eq!(Vec2::X.cross(Vec2::Y), 1.0);
    assert_eq!(Vec2::X.turned_left(), Vec2::Y);
    let (a, b) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(-4.0, 0.5, 2.0));
    assert_eq!(a.cross(b).dot(a), 0.0);
    assert_eq!(a.cross(b).dot(b), 0.0);
}

#[test]
fn a_normal_has_length_one_or_is_zero() {
    let mut pcg = Pcg::new(1, 2);
    for _ in 0..1_000 {
        let vector = pcg.on_sphere() * number::exp(pcg.between(-40.0, 40.0));
        assert!((vector.normal().length() - 1.0).abs() < 1e-6, "{vector:?}");
    }
    for nothing in [0.0, -0.0, 1e-20, 1e30, f32::INFINITY, f32::NAN] {
        assert_eq!(Vec3::new(nothing, 0.0, 0.0).normal(), Vec3::ZERO);
        assert_eq!(Vec3::new(0.0, 0.0, nothing).normal_or(Vec3::Y), Vec3::Y);
    }
}

#[test]
fn a_perpendicular_is_perpendicular_for_every_direction() {
    let mut pcg = Pcg::new(2, 2);
    for _ in 0..1_000 {
        let direction = pcg.on_sphere();
        let perpendicular = direction.perpendicular();
        assert!(direction.dot(perpendicular).abs() < 1e-6);
        assert!((perpendicular.length() - 1.0).abs() < 1e-6);
    }
    for axis in [Vec3::X, -Vec3::Y, Vec3::Z] {
        assert_eq!(axis.dot(axis.perpendicular()), 0.0);
    }
    assert_eq!(Vec3::ZERO.perpendicular(), Vec3::X);
}

#[test]
fn limits_and_steps_end_where_they_say() {
    let vector = Vec3::new(3.0, 4.0, 0.0);
    assert_eq!(vector.limit_length(5.0), vector);
    assert!(near(vector.limit_length(1.0), Vec3::new(0.6, 0.8, 0.0)));
    assert_eq!(vector.move_towards(Vec3::ZERO, 5.0), Vec3::ZERO);
    assert!(near(vector.move_towards(Vec3::ZERO, 1.0), Vec3::new(2.4, 3.2, 0.0)));
    assert_eq!(vector.move_towards(vector, -1.0), vector);
    assert!(near(vector.project_on(Vec3::X * 7.0), Vec3::X * 3.0));
    assert_eq!(vector.project_on(Vec3::ZERO), Vec3::ZERO);
    assert_eq!(vector.reflect(Vec3::Y), Vec3::new(3.0, -4.0, 0.0));
}

#[test]
fn smallest_and_largest_are_found_by_our_own_rules() {
    let (a, b) = (Vec3::new(1.0, -2.0, 0.0), Vec3::new(-1.0, 2.0, -0.0));
    assert_eq!(a.min(b), Vec3::new(-1.0, -2.0, 0.0));
    assert_eq!(a.max(b), Vec3::new(1.0, 2.0, 0.0));
    assert_eq!(b.min(a).z.to_bits(), (-0.0_f32).to_bits());
    assert_eq!(a.clamp(Vec3::splat(-1.0), Vec3::splat(0.5)), Vec3::new(0.5, -1.0, 0.0));
    assert_eq!((a.min_component(), a.max_component()), (-2.0, 1.0));
    assert_eq!(b.canonical().z.to_bits(), 0);
}

#[test]
fn angles_are_measured_from_x_towards_y() {
    assert_eq!(Vec2::ZERO.angle(), 0.0);
    assert!((Vec2::from_angle(2.0).angle() - 2.0).abs() < 1e-6);
    assert_eq!(Vec3::X.angle_to(Vec3::Y * 3.0), number::HALF_PI);
    assert_eq!(Vec3::X.angle_to(-Vec3::X), number::PI);
    assert_eq!(Vec3::X.angle_to(Vec3::ZERO), 0.0);
}

#[test]
#[should_panic(expected = "component 3 of a Vec3")]
fn a_component_beyond_the_last_is_refused() {
    let _ = Vec3::ZERO[3];
}
