use super::*;
use crate::random::{Pcg, Random};

fn random(pcg: &mut Pcg) -> Quat {
    Quat::from_axis_angle(pcg.on_sphere(), pcg.between(-6.0, 6.0))
}

fn near(first: Quat, second: Quat) -> bool {
    first.angle_to(second) < 2e-3 && (first.to_vector().length() - 1.0).abs() < 1e-5
}

#[test]
fn a_rotation_about_z_takes_x_towards_y() {
    let quarter = Quat::from_axis_angle(Vec3::Z * 5.0, number::HALF_PI);
    assert!(quarter.rotate(Vec3::X).distance(Vec3::Y) < 1e-6);
    assert!(quarter.rotate_back(Vec3::Y).distance(Vec3::X) < 1e-6);
    assert_eq!(Quat::from_axis_angle(Vec3::ZERO, 1.0), Quat::IDENTITY);
}

#[test]
fn a_product_rotates_by_the_right_factor_first() {
    let mut pcg = Pcg::new(1, 4);
    for _ in 0..200 {
        let (a, b, v) = (random(&mut pcg), random(&mut pcg), pcg.on_sphere());
        assert!((a * b * v).distance(a.rotate(b.rotate(v))) < 1e-5);
        assert!((a * a.conjugate()).to_vector().distance(Vec4::W) < 1e-5);
        assert!((a.matrix() * v).distance(a.rotate(v)) < 1e-5);
    }
}

#[test]
fn every_representation_round_trips() {
    let mut pcg = Pcg::new(2, 4);
    for _ in 0..1_000 {
        let quat = random(&mut pcg);
        assert!(near(Quat::from_matrix(quat.matrix()), quat), "matrix of {quat:?}");
        assert!(near(Quat::from_rotation_vector(quat.rotation_vector()), quat), "vector of {quat:?}");
        assert!(near(Quat::from_euler(quat.euler()), quat), "angles of {quat:?}");
    }
    let angles = Vec3::new(0.3, -0.5, 1.1);
    assert!(Quat::from_euler(angles).euler().distance(angles) < 1e-5);
    assert_eq!(Quat::from_rotation_vector(Vec3::ZERO), Quat::IDENTITY);
    assert_eq!(Quat::IDENTITY.rotation_vector(), Vec3::ZERO);
    assert_eq!(Quat::from_matrix(Mat3::IDENTITY), Quat::IDENTITY);
}

#[test]
fn the_matrix_of_a_half_turn_round_trips() {
    for axis in [Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.6, -0.8, 0.0), Vec3::new(0.0, 0.6, 0.8)] {
        let quat = Quat::from_parts(axis, 0.0);
        assert!(near(Quat::from_matrix(quat.matrix()), quat), "{axis:?}");
    }
}

#[test]
fn gimbal_lock_is_resolved_as_one_rotation_about_z() {
    for y in [number::HALF_PI, -number::HALF_PI] {
        let quat = Quat::from_euler(Vec3::new(0.4, y, 1.0));
        assert!(near(Quat::from_euler(quat.euler()), quat));
        assert_eq!(quat.euler().x, 0.0);
    }
}

#[test]
fn the_rotation_between_two_directions_takes_one_to_the_other() {
    let mut pcg = Pcg::new(3, 4);
    for _ in 0..1_000 {
        let (from, to) = (pcg.on_sphere(), pcg.on_sphere());
        assert!(Quat::between(from * 3.0, to * 0.1).rotate(from).distance(to) < 1e-5);
        let almost = (pcg.on_sphere() * 1e-4 - from).normal();
        assert!(Quat::between(from, almost).rotate(from).distance(almost) < 1e-5);
        assert!(Quat::between(from, -from).rotate(from).distance(-from) < 1e-5);
    }
    assert_eq!(Quat::between(Vec3::X, Vec3::X), Quat::IDENTITY);
    assert_eq!(Quat::between(Vec3::X, Vec3::ZERO), Quat::IDENTITY);
}

#[test]
fn interpolation_follows_the_shorter_arc_and_is_exact_at_its_ends() {
    let mut pcg = Pcg::new(4, 4);
    for _ in 0..500 {
        let (from, to) = (random(&mut pcg), random(&mut pcg));
        let whole = from.angle_to(to);
        assert!(near(from.slerp(to, 0.0), from) && near(from.slerp(to, 1.0), to));
        assert!(near(from.nlerp(to, 0.0), from) && near(from.nlerp(to, 1.0), to));
        assert!((from.slerp(to, 0.25).angle_to(from) - whole / 4.0).abs() < 2e-3);
        assert!((from.nlerp(-to, 0.5).angle_to(from) - whole / 2.0).abs() < 2e-3);
    }
}

#[test]
fn integrating_a_constant_angular_velocity_gives_its_angle() {
    let turned = Quat::IDENTITY.turned(Vec3::Z * 3.0, 0.5);
    assert!(near(turned, Quat::from_axis_angle(Vec3::Z, 1.5)));
    let mut stepped = Quat::IDENTITY;
    for _ in 0..50 {
        stepped = stepped.integrate(Vec3::Z * 3.0, 0.01);
    }
    assert!(near(stepped, turned));
    assert_eq!(Quat::IDENTITY.turned(Vec3::ZERO, 1.0), Quat::IDENTITY);
}

#[test]
fn degenerate_arguments_give_the_identity() {
    assert_eq!(Quat::new(0.0, 0.0, 0.0, 0.0).normal(), Quat::IDENTITY);
    assert_eq!(Quat::new(f32::NAN, 0.0, 0.0, 1.0).normal(), Quat::IDENTITY);
    assert_eq!(Quat::default(), Quat::IDENTITY);
}
