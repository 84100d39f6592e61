use super::*;
use crate::random::{Pcg, Random};

fn random3(pcg: &mut Pcg) -> Mat3 {
    Mat3::from_columns(pcg.in_sphere(), pcg.in_sphere(), pcg.in_sphere())
}

fn random4(pcg: &mut Pcg) -> Mat4 {
    Mat4 { columns: [(); 4].map(|()| pcg.in_sphere().with_w(pcg.between(-1.0, 1.0))) }
}

#[test]
fn a_product_does_the_right_one_first() {
    let mut pcg = Pcg::new(1, 3);
    let (a, b, v) = (random3(&mut pcg), random3(&mut pcg), pcg.on_sphere());
    assert!(((a * b) * v).distance(a * (b * v)) < 1e-6);
    let (a, b, v) = (random4(&mut pcg), random4(&mut pcg), pcg.on_sphere().with_w(1.0));
    assert!(((a * b) * v).distance(a * (b * v)) < 1e-6);
    assert_eq!(Mat3::IDENTITY * Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(Mat4::IDENTITY * b, b);
}

#[test]
fn an_inverse_undoes_and_has_one_over_the_determinant() {
    let mut pcg = Pcg::new(2, 3);
    for _ in 0..500 {
        let matrix = random3(&mut pcg);
        if matrix.determinant().abs() > 0.05 {
            let inverse = matrix.inverse().expect("its determinant is not zero");
            let product = matrix * inverse;
            for (column, axis) in product.columns.into_iter().zip([Vec3::X, Vec3::Y, Vec3::Z]) {
                assert!(column.distance(axis) < 1e-4, "{matrix:?}");
            }
            assert!((inverse.determinant() * matrix.determinant() - 1.0).abs() < 1e-3);
        }
        let matrix = random4(&mut pcg);
        if matrix.determinant().abs() > 0.05 {
            let product = matrix * matrix.inverse().expect("its determinant is not zero");
            for (column, axis) in product.columns.into_iter().zip([Vec4::X, Vec4::Y, Vec4::Z, Vec4::W]) {
                assert!(column.distance(axis) < 1e-4, "{matrix:?}");
            }
        }
    }
}

#[test]
fn what_is_flat_has_no_inverse() {
    assert_eq!(Mat3::from_columns(Vec3::X, Vec3::X, Vec3::Z).inverse(), None);
    assert_eq!(Mat3::from_diagonal(Vec3::splat(f32::NAN)).inverse(), None);
    assert_eq!(Mat3::from_diagonal(Vec3::splat(1e20)).inverse(), None);
    assert_eq!(Mat3::ZERO.with_position(Vec3::ONE).inverse(), None);
}

#[test]
fn transposing_twice_changes_nothing() {
    let mut pcg = Pcg::new(3, 3);
    let (three, four) = (random3(&mut pcg), random4(&mut pcg));
    assert_eq!(three.transpose().transpose(), three);
    assert_eq!(four.transpose().transpose(), four);
    assert_eq!(three.transpose().columns[0].y, three.columns[1].x);
    assert_eq!(four.transpose().columns[3].x, four.columns[0].w);
    assert!((four.transpose().determinant() - four.determinant()).abs() < 1e-6);
}

#[test]
fn cross_and_outer_matrices_do_what_their_names_say() {
    let (a, b, c) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(-4.0, 0.5, 2.0), Vec3::new(8.0, 1.0, 0.25));
    assert_eq!(Mat3::cross_with(a) * b, a.cross(b));
    assert_eq!(Mat3::outer(a, b) * c, a * b.dot(c));
    let sum = Mat3::outer(a, b) + Mat3::IDENTITY - Mat3::outer(a, b);
    assert_eq!(sum, Mat3::IDENTITY);
}

#[test]
fn a_view_looks_along_minus_z() {
    let view = Mat4::look_at(Vec3::new(0.0, 5.0, 0.0), Vec3::ZERO, Vec3::Z);
    assert_eq!(view.move_point(Vec3::ZERO), Vec3::new(0.0, 0.0, -5.0));
    assert_eq!(view.move_direction(Vec3::Z), Vec3::Y);
    let nowhere = Mat4::look_at(Vec3::ONE, Vec3::ONE, Vec3::Z);
    assert!(nowhere.columns.into_iter().all(Vec4::is_finite));
}

#[test]
fn depth_goes_from_near_to_far() {
    let depth = |view: Mat4, distance: f32| view.project(Vec3::new(0.0, 0.0, -distance)).map(|point| point.z);
    let view = Mat4::perspective(1.0, 1.5, 0.5, 100.0);
    assert_eq!(depth(view, 0.5), Some(0.0));
    assert!((depth(view, 100.0).expect("in front") - 1.0).abs() < 1e-6);
    assert_eq!(depth(view, -1.0), None);
    let view = Mat4::perspective_reversed(1.0, 1.5, 0.5);
    assert_eq!(depth(view, 0.5), Some(1.0));
    assert_eq!(depth(view, 5e9), Some(1e-10));
    let view = Mat4::orthographic(4.0, 2.0, 1.0, 3.0);
    assert_eq!(view.project(Vec3::new(2.0, -1.0, -2.0)), Some(Vec3::new(1.0, -1.0, 0.5)));
}
