use super::*;
use crate::random::{Pcg, Random};

fn random3(pcg: &mut Pcg) -> Mat3 {
    Mat3::from_columns(pcg.in_sphere(), pcg.in_sphere(), pcg.in_sphere())
}

#[test]
fn a_product_applies_the_right_factor_first() {
    let mut pcg = Pcg::new(1, 3);
    let (a, b, v) = (random3(&mut pcg), random3(&mut pcg), pcg.on_sphere());
    assert!(((a * b) * v).distance(a * (b * v)) < 1e-6);
    assert_eq!(Mat3::IDENTITY * Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 2.0, 3.0));
}

#[test]
fn an_inverse_has_the_reciprocal_determinant() {
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
    }
}

#[test]
fn a_singular_matrix_has_no_inverse() {
    assert_eq!(Mat3::from_columns(Vec3::X, Vec3::X, Vec3::Z).inverse(), None);
    assert_eq!(Mat3::from_diagonal(Vec3::splat(f32::NAN)).inverse(), None);
    assert_eq!(Mat3::from_diagonal(Vec3::splat(1e20)).inverse(), None);
}

#[test]
fn transposing_twice_is_the_identity() {
    let mut pcg = Pcg::new(3, 3);
    let three = random3(&mut pcg);
    assert_eq!(three.transpose().transpose(), three);
    assert_eq!(three.transpose().columns[0].y, three.columns[1].x);
}

#[test]
fn cross_and_outer_matrices_give_the_products() {
    let (a, b, c) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(-4.0, 0.5, 2.0), Vec3::new(8.0, 1.0, 0.25));
    assert_eq!(Mat3::cross_with(a) * b, a.cross(b));
    assert_eq!(Mat3::outer(a, b) * c, a * b.dot(c));
    let sum = Mat3::outer(a, b) + Mat3::IDENTITY - Mat3::outer(a, b);
    assert_eq!(sum, Mat3::IDENTITY);
}
