use base::Quat;

use super::*;

#[test]
fn invalid_rays_hit_nothing() {
    let ball = Shape::Sphere(1.0);
    let pose = Pose::IDENTITY;
    assert_eq!(cast(&ball, &pose, Vec3::ZERO, Vec3::ZERO, 1.0), None);
    assert_eq!(cast(&ball, &pose, Vec3::X * f32::NAN, Vec3::X, 1.0), None);
    assert_eq!(cast(&ball, &pose, Vec3::ZERO, Vec3::X * f32::INFINITY, 1.0), None);
    assert_eq!(cast(&ball, &pose, Vec3::ZERO, Vec3::X, f32::NAN), None);
    assert_eq!(cast(&ball, &pose, Vec3::ZERO, Vec3::X, -1.0), None);
}

#[test]
fn rays_from_inside_hit_at_distance_zero() {
    let pose = Pose::new(Vec3::ONE, Quat::from_axis_angle(Vec3::X, 1.0));
    for shape in [Shape::Sphere(1.0), Shape::Capsule { half: 1.0, radius: 0.5 }, Shape::Box(Vec3::ONE)] {
        let hit = cast(&shape, &pose, Vec3::ONE * 1.1, Vec3::Y * 3.0, 10.0).unwrap();
        assert_eq!(hit.distance, 0.0);
        assert!(hit.normal.distance(-Vec3::Y) < 1e-6);
    }
}

#[test]
fn hits_beyond_the_length_do_not_count() {
    let pose = Pose::new(Vec3::X * 5.0, Quat::IDENTITY);
    for shape in [Shape::Sphere(1.0), Shape::Capsule { half: 1.0, radius: 1.0 }, Shape::Box(Vec3::ONE)] {
        assert_eq!(cast(&shape, &pose, Vec3::ZERO, Vec3::X, 3.999), None);
        let hit = cast(&shape, &pose, Vec3::ZERO, Vec3::X * 0.01, 4.001).unwrap();
        assert_eq!((hit.distance, hit.normal), (4.0, -Vec3::X));
        assert_eq!(cast(&shape, &pose, Vec3::ZERO, -Vec3::X, 1e9), None);
    }
}
