use alloc::sync::Arc;
use alloc::vec;

use base::{Quat, Vec2, Vec3};

use super::*;
use crate::height_field::HeightField;

fn at(x: f32) -> Pose {
    Pose::new(Vec3::X * x, Quat::from_axis_angle(Vec3::Z, x))
}

#[test]
fn nested_compounds_are_flattened() {
    let inner = Compound::new([(at(1.0), Shape::Sphere(1.0)), (at(2.0), Shape::Sphere(2.0))]).unwrap();
    let inner = Shape::Compound(Arc::new(inner));
    let outer = Compound::new([(at(3.0), inner.clone()), (at(0.0), Shape::Sphere(3.0)), (at(-1.0), inner)]).unwrap();
    let radii = outer.children().iter().map(|child| match child.shape {
        Shape::Sphere(radius) => radius,
        _ => panic!("{child:?}"),
    });
    assert!(radii.eq([1.0, 2.0, 3.0, 1.0, 2.0]));
    let expected = at(3.0).point(at(2.0).point(Vec3::Y));
    assert!(outer.children()[1].pose.point(Vec3::Y).distance(expected) < 1e-6);
}

#[test]
fn invalid_compounds_are_refused_with_the_reason() {
    let check = |parts: Vec<(Pose, Shape)>, expected| assert_eq!(Compound::new(parts).unwrap_err(), expected);
    let ball = (at(0.0), Shape::Sphere(1.0));
    check(vec![], CompoundError::Empty);
    check(vec![ball.clone(); CHILDREN_MAX + 1], CompoundError::TooMany);
    let full = Shape::Compound(Arc::new(Compound::new(vec![ball.clone(); CHILDREN_MAX]).unwrap()));
    check(vec![(at(0.0), full), ball.clone()], CompoundError::TooMany);
    for bad in [f32::NAN, f32::INFINITY, 1e9] {
        check(
            vec![ball.clone(), (Pose::new(Vec3::Y * bad, Quat::IDENTITY), Shape::Sphere(1.0))],
            CompoundError::Pose(1),
        );
    }
    let field = Shape::HeightField(Arc::new(HeightField::new(2, &[0.0; 4], Vec2::ONE, |_, _| false).unwrap()));
    check(vec![(at(0.0), field)], CompoundError::HeightField(0));
}

#[test]
fn sub_shape_ids_unpack_to_child_and_triangle() {
    for parts in [(0, 0), (1, 0), (0, 7), (CHILDREN_MAX as u32 - 1, MESH_TRIANGLES_MAX as u32 - 1)] {
        assert_eq!(Compound::unpack_id(Compound::pack_id(parts.0, parts.1)), parts);
    }
}
