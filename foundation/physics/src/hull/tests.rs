use alloc::vec::Vec;

use base::{Pcg, Quat, Random, Vec3};
use proptest::prelude::*;

use super::Hull;
use crate::error::ShapeError;

fn cube(half: f32) -> Vec<Vec3> {
    let sign = |corner: u32, axis: u32| if corner >> axis & 1 == 0 { -half } else { half };
    (0..8).map(|corner| Vec3::new(sign(corner, 0), sign(corner, 1), sign(corner, 2))).collect()
}

fn random(random: &mut Pcg) -> Vec3 {
    let mut part = || random.below(2_000_001) as f32 / 1e6 - 1.0;
    Vec3::new(part(), part(), part())
}

/// The laws of hulls.
fn check_laws(hull: &Hull, points: &[Vec3]) {
    let (vertices, faces, edges) = (hull.vertices().len(), hull.faces().len(), hull.edges().len());
    assert!(vertices <= 64 && faces <= 64, "{vertices} {faces}");
    assert_eq!(vertices + faces, edges + 2);
    let size = points.iter().fold(0.0, |most, point| base::number::max(most, point.abs().max_component()));
    for plane in hull.planes() {
        assert!((plane.normal.length() - 1.0).abs() < 1e-5);
        for &point in points {
            let signed_distance = plane.signed_distance(point);
            assert!(
                signed_distance <= hull.simplification_error() + 2e-4 * size,
                "{signed_distance} over {plane:?}, {} simplified",
                hull.simplification_error()
            );
        }
    }
    for edge in hull.edges() {
        let along = hull.vertices()[usize::from(edge.to)] - hull.vertices()[usize::from(edge.from)];
        let turn = hull.planes()[usize::from(edge.left)].normal.cross(hull.planes()[usize::from(edge.right)].normal);
        assert!(turn.dot(along.normal()) > -1e-3, "{edge:?} {turn:?} {along:?}");
    }
}

fn check(points: &[Vec3], expected: Result<[usize; 3], ShapeError>) {
    let hull = Hull::new(points);
    if let Ok(hull) = &hull {
        check_laws(hull, points);
    }
    assert_eq!(hull.map(|hull| [hull.vertices().len(), hull.edges().len(), hull.faces().len()]), expected);
}

#[test]
fn a_cube_has_six_faces_whatever_interior_points_it_has() {
    check(&cube(1.0), Ok([8, 12, 6]));
    check(&cube(1e-5), Ok([8, 12, 6]));
    check(&cube(9e5), Ok([8, 12, 6]));
    let mut points = cube(1.0);
    let mut generator = Pcg::default();
    points.extend((0..500).map(|_| random(&mut generator) * 0.999));
    points.extend(cube(1.0));
    check(&points, Ok([8, 12, 6]));
    let turn = Quat::from_rotation_vector(Vec3::new(0.3, 0.7, -1.1));
    let turned: Vec<Vec3> = cube(1.0).into_iter().map(|point| turn.rotate(point) + Vec3::splat(50.0)).collect();
    check(&turned, Ok([8, 12, 6]));
}

#[test]
fn a_grid_of_points_is_a_cube() {
    let line = || (0..6).map(|step| step as f32 * 0.2 - 0.5);
    let points: Vec<Vec3> =
        line().flat_map(|x| line().flat_map(move |y| line().map(move |z| Vec3::new(x, y, z)))).collect();
    check(&points, Ok([8, 12, 6]));
}

#[test]
fn degenerate_points_are_refused() {
    check(&[], Err(ShapeError::TooFewPoints));
    check(&[Vec3::X; 3], Err(ShapeError::TooFewPoints));
    check(&[Vec3::X; 9], Err(ShapeError::TooSmall));
    check(&[Vec3::X, Vec3::Y, Vec3::Z, Vec3::splat(f32::NAN)], Err(ShapeError::NotFinite));
    check(&[Vec3::X, Vec3::Y, Vec3::Z, Vec3::splat(f32::INFINITY)], Err(ShapeError::NotFinite));
    check(&cube(2e6), Err(ShapeError::TooLarge));
    check(&cube(1e-7), Err(ShapeError::TooSmall));
    check(&[Vec3::ZERO, Vec3::X, Vec3::X * 2.0, Vec3::X * 3.0, Vec3::X * 4.0], Err(ShapeError::Flat));
    let flat: Vec<Vec3> = cube(1.0).into_iter().map(|point| Vec3::new(point.x, point.y, point.z * 1e-6)).collect();
    check(&flat, Err(ShapeError::Flat));
}

#[test]
fn a_thin_plate_is_a_hull() {
    let plate: Vec<Vec3> = cube(1.0).into_iter().map(|point| Vec3::new(point.x, point.y, point.z * 1e-3)).collect();
    check(&plate, Ok([8, 12, 6]));
}

#[test]
fn a_cylinder_keeps_its_side_faces() {
    let points: Vec<Vec3> = (0..32)
        .flat_map(|step| {
            let (sine, cosine) = base::number::sin_cos(step as f32 * base::number::TAU / 32.0);
            [Vec3::new(cosine, sine, -1.0), Vec3::new(cosine, sine, 1.0)]
        })
        .collect();
    check(&points, Ok([64, 96, 34]));
}

#[test]
fn a_ball_of_points_is_simplified() {
    let mut generator = Pcg::default();
    let points: Vec<Vec3> = (0..1000).map(|_| random(&mut generator).normal_or(Vec3::X)).collect();
    let hull = Hull::new(&points).unwrap();
    check_laws(&hull, &points);
    assert!(
        hull.vertices().len() >= 30 && hull.simplification_error() > 0.0 && hull.simplification_error() < 0.2,
        "{}",
        hull.simplification_error()
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hulls_of_random_points_keep_the_laws(seed: u64, count in 4_usize..200, scale in -5..5_i32, rounding in 0_u32..8) {
        let mut generator = Pcg::new(seed, 1);
        let scale = base::number::pow(10.0, scale as f32);
        // Rounded to a coarse grid, many points are coplanar or coincide.
        let grid = (1_u32 << rounding) as f32;
        let points: Vec<Vec3> = (0..count)
            .map(|_| Vec3::from_array(random(&mut generator).to_array().map(|part| base::number::round(part * grid) / grid * scale)))
            .collect();
        match Hull::new(&points) {
            Ok(hull) => check_laws(&hull, &points),
            Err(error) => prop_assert!(matches!(error, ShapeError::Flat | ShapeError::TooSmall), "{error:?}"),
        }
    }

    #[test]
    fn arbitrary_points_give_a_valid_hull_or_an_error(bits in prop::collection::vec(any::<[u32; 3]>(), 0..40)) {
        let points: Vec<Vec3> = bits.iter().map(|bits| Vec3::from_array(bits.map(f32::from_bits))).collect();
        if let Ok(hull) = Hull::new(&points) {
            check_laws(&hull, &points);
        }
    }
}
