use proptest::prelude::*;

use super::*;

fn check_refused(columns: usize, heights: &[f32], spacing: Vec2, expected: HeightFieldError) {
    assert_eq!(HeightField::new(columns, heights, spacing, |_, _| false).unwrap_err(), expected);
}

#[test]
fn invalid_height_fields_are_refused_with_the_reason() {
    check_refused(0, &[], Vec2::ONE, HeightFieldError::Side);
    check_refused(1, &[0.0; 4], Vec2::ONE, HeightFieldError::Side);
    check_refused(4, &[0.0; 4], Vec2::ONE, HeightFieldError::Side);
    check_refused(usize::MAX, &[0.0; 4], Vec2::ONE, HeightFieldError::Side);
    check_refused(
        HEIGHT_FIELD_SIDE_MAX + 1,
        &vec![0.0; 2 * HEIGHT_FIELD_SIDE_MAX + 2],
        Vec2::ONE,
        HeightFieldError::Side,
    );
    check_refused(2, &[0.0; 5], Vec2::ONE, HeightFieldError::Heights);
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-9, 1e6] {
        check_refused(2, &[0.0; 4], Vec2::new(1.0, bad), HeightFieldError::Spacing);
        check_refused(2, &[0.0; 4], Vec2::new(bad, 1.0), HeightFieldError::Spacing);
    }
    for bad in [f32::NAN, f32::INFINITY, -2e6] {
        check_refused(2, &[0.0, 0.0, bad, 0.0], Vec2::ONE, HeightFieldError::Height(2));
    }
}

#[test]
fn the_largest_height_field_can_be_built() {
    let heights = vec![1.0; HEIGHT_FIELD_SIDE_MAX * HEIGHT_FIELD_SIDE_MAX];
    let field = HeightField::new(HEIGHT_FIELD_SIDE_MAX, &heights, Vec2::splat(0.5), |_, _| false).unwrap();
    assert_eq!(field.aabb().max, Vec3::new(1024.0, 1024.0, 1.0));
    assert_eq!(field.height_at(1024.0, 1024.0), Some(1.0));
    assert_eq!(field.height_at(1024.1, 0.0), None);
}

#[test]
fn a_height_field_of_holes_is_empty() {
    let field = HeightField::new(3, &[0.0; 9], Vec2::ONE, |_, _| true).unwrap();
    assert!(field.visit_overlapping(&Aabb::from_center(Vec3::ZERO, Vec3::splat(1e6)), |_| false));
    assert_eq!(field.height_at(0.5, 0.5), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn neighbours_share_edges_and_agree_about_their_kind(
        heights in prop::collection::vec(-2.0f32..2.0, 20), holes in prop::collection::vec(any::<bool>(), 12),
    ) {
        let field = HeightField::new(5, &heights, Vec2::new(0.5, 2.0), |x, y| holes[(y * 4 + x) as usize] && y == 1).unwrap();
        let mut all = Vec::new();
        field.visit_overlapping(&field.aabb(), |triangle| { all.push(field.triangle(triangle)); true });
        for triangle in &all {
            let [a, b, c] = triangle.vertices;
            let normal = (b - a).cross(c - a).normal();
            prop_assert!(normal.distance(triangle.normal) < 1e-4 && normal.z > 0.0);
            for edge in 0..3 {
                let (from, to) = (triangle.vertices[edge], triangle.vertices[(edge + 1) % 3]);
                let beyond = all.iter().find_map(|other| {
                    let same = (0..3).find(|&at| other.vertices[at] == to && other.vertices[(at + 1) % 3] == from)?;
                    Some((other, same))
                });
                match beyond {
                    None => prop_assert_eq!(triangle.edges[edge], EdgeKind::Open),
                    Some((other, at)) => {
                        prop_assert_eq!(triangle.edges[edge], other.edges[at]);
                        prop_assert_eq!(triangle.neighbour_normals[edge], other.normal);
                        prop_assert_eq!(triangle.neighbour_apexes[edge], other.vertices[(at + 2) % 3]);
                    }
                }
            }
        }
    }

    #[test]
    fn the_height_over_a_point_lies_on_a_triangle(
        heights in prop::collection::vec(-2.0f32..2.0, 20), x in 0.0f32..4.0, y in 0.0f32..3.0,
    ) {
        let field = HeightField::new(5, &heights, Vec2::ONE, |_, _| false).unwrap();
        let place = Vec3::new(x, y, field.height_at(x, y).unwrap());
        let mut min = f32::INFINITY;
        field.visit_within(&Aabb::from_points([place]), 9.0, |triangle| {
            let nearest = crate::surface::closest_point_on_triangle(&field.triangle_vertices(triangle), place);
            min = number::min(min, nearest.distance(place));
            number::max(min, 1e-3)
        });
        prop_assert!(min < 1e-4, "{}", min);
    }
}
