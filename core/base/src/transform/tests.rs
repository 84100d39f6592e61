use super::*;
use crate::random::{Pcg, Random};

fn random(pcg: &mut Pcg) -> Transform {
    Transform {
        rotation: Quat::from_rotation_vector(pcg.in_sphere() * 3.0),
        position: pcg.in_sphere() * 10.0,
        scale: pcg.between(0.1, 3.0),
    }
}

#[test]
fn a_product_does_the_right_one_first() {
    let mut pcg = Pcg::new(1, 5);
    for _ in 0..200 {
        let (outer, inner, point) = (random(&mut pcg), random(&mut pcg), pcg.in_sphere());
        let expected = outer.move_point(inner.move_point(point));
        assert!((outer * inner).move_point(point).distance(expected) < 1e-4);
        assert!(Mat4::from(outer).move_point(point).distance(outer.move_point(point)) < 1e-5);
        assert!(Mat4::from(outer).move_direction(point).distance(outer.move_direction(point)) < 1e-5);
    }
    let some = random(&mut pcg);
    assert_eq!(Transform::IDENTITY * some, some);
}

#[test]
fn an_inverse_undoes() {
    let mut pcg = Pcg::new(2, 5);
    for _ in 0..200 {
        let (transform, point) = (random(&mut pcg), pcg.in_sphere());
        let inverse = transform.inverse().expect("its scale is not zero");
        assert!(inverse.move_point(transform.move_point(point)).distance(point) < 1e-4);
    }
    assert_eq!(Transform { scale: 0.0, ..Transform::IDENTITY }.inverse(), None);
}

#[test]
fn halfway_lies_between() {
    let to = Transform { rotation: Quat::from_axis_angle(Vec3::Z, 1.0), position: Vec3::X * 4.0, scale: 3.0 };
    let half = Transform::IDENTITY.lerp(to, 0.5);
    assert_eq!(half.position, Vec3::X * 2.0);
    assert_eq!(half.scale, 2.0);
    assert!(half.rotation.angle_to(Quat::from_axis_angle(Vec3::Z, 0.5)) < 1e-3);
}

#[test]
fn a_motion_goes_on_in_a_straight_line_and_an_even_turn() {
    let motion = Motion {
        position: Vec3::X,
        velocity: Vec3::Y * 2.0,
        rotation: Quat::IDENTITY,
        angular_velocity: Vec3::Z * 3.0,
    };
    let later = motion.at(0.5);
    assert_eq!(later.position, Vec3::new(1.0, 1.0, 0.0));
    assert_eq!(later.velocity, motion.velocity);
    assert!(later.rotation.angle_to(Quat::from_axis_angle(Vec3::Z, 1.5)) < 1e-3);
    assert_eq!(motion.at(0.0), motion);
    assert_eq!(motion.velocity_at(Vec3::X * 2.0), Vec3::Y * 5.0);
    assert_eq!(motion.transform().position, Vec3::X);
    assert_eq!(Motion::default().rotation, Quat::IDENTITY);
}

#[test]
fn a_stored_transform_has_no_negative_zero() {
    let transform = Transform { position: Vec3::splat(-0.0), ..Transform::IDENTITY }.canonical();
    assert_eq!(transform.position.x.to_bits(), 0);
    let motion = Motion { velocity: Vec3::splat(f32::NAN), ..Motion::default() }.canonical();
    assert_eq!(motion.velocity.y.to_bits(), number::NAN.to_bits());
}
