use proptest::prelude::*;

use super::*;

fn check_refused(columns: usize, heights: &[f32], spacing: Vec2, expected: FieldError) {
    assert_eq!(Field::new(columns, heights, spacing, |_, _| false).unwrap_err(), expected);
}

#[test]
fn what_makes_no_field_is_refused_with_its_reason() {
    check_refused(0, &[], Vec2::ONE, FieldError::Side);
    check_refused(1, &[0.0; 4], Vec2::ONE, FieldError::Side);
    check_refused(4, &[0.0; 4], Vec2::ONE, FieldError::Side);
    check_refused(usize::MAX, &[0.0; 4], Vec2::ONE, FieldError::Side);
    check_refused(FIELD_SIDE_MAX + 1, &vec![0.0; 2 * FIELD_SIDE_MAX + 2], Vec2::ONE, FieldError::Side);
    check_refused(2, &[0.0; 5], Vec2::ONE, FieldError::Heights);
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-9, 1e6] {
        check_refused(2, &[0.0; 4], Vec2::new(1.0, bad), FieldError::Spacing);
        check_refused(2, &[0.0; 4], Vec2::new(bad, 1.0), FieldError::Spacing);
    }
    for bad in [f32::NAN, f32::INFINITY, -2e6] {
        check_refused(2, &[0.0, 0.0, bad, 0.0], Vec2::ONE, FieldError::Height(2));
    }
}

#[test]
fn the_largest_field_can_be_made() {
    let heights = vec![1.0; FIELD_SIDE_MAX * FIELD_SIDE_MAX];
    let field = Field::new(FIELD_SIDE_MAX, &heights, Vec2::splat(0.5), |_, _| false).unwrap();
    assert_eq!(field.bounds().most, Vec3::new(1024.0, 1024.0, 1.0));
    assert_eq!(field.height_at(1024.0, 1024.0), Some(1.0));
    assert_eq!(field.height_at(1024.1, 0.0), None);
}

#[test]
fn a_field_that_is_all_holes_is_nowhere() {
    let field = Field::new(3, &[0.0; 9], Vec2::ONE, |_, _| true).unwrap();
    assert!(field.each_in(&Bounds::centred(Vec3::ZERO, Vec3::splat(1e6)), |_| false));
    assert_eq!(field.height_at(0.5, 0.5), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn neighbours_share_their_edges_and_agree_about_them(
        heights in prop::collection::vec(-2.0f32..2.0, 20), holes in prop::collection::vec(any::<bool>(), 12),
    ) {
        let field = Field::new(5, &heights, Vec2::new(0.5, 2.0), |x, y| holes[(y * 4 + x) as usize] && y == 1).unwrap();
        let mut all = Vec::new();
        field.each_in(&field.bounds(), |triangle| { all.push(field.facet(triangle)); true });
        for facet in &all {
            let [a, b, c] = facet.points;
            let normal = (b - a).cross(c - a).normal();
            prop_assert!(normal.distance(facet.normal) < 1e-4 && normal.z > 0.0);
            for edge in 0..3 {
                let (from, to) = (facet.points[edge], facet.points[(edge + 1) % 3]);
                let beyond = all.iter().find_map(|other| {
                    let same = (0..3).find(|&at| other.points[at] == to && other.points[(at + 1) % 3] == from)?;
                    Some((other, same))
                });
                match beyond {
                    None => prop_assert_eq!(facet.edges[edge], Edge::Open),
                    Some((other, at)) => {
                        prop_assert_eq!(facet.edges[edge], other.edges[at]);
                        prop_assert_eq!(facet.across[edge], other.normal);
                        prop_assert_eq!(facet.apexes[edge], other.points[(at + 2) % 3]);
                    }
                }
            }
        }
    }

    #[test]
    fn the_height_over_a_point_lies_on_a_triangle(
        heights in prop::collection::vec(-2.0f32..2.0, 20), x in 0.0f32..4.0, y in 0.0f32..3.0,
    ) {
        let field = Field::new(5, &heights, Vec2::ONE, |_, _| false).unwrap();
        let place = Vec3::new(x, y, field.height_at(x, y).unwrap());
        let mut least = f32::INFINITY;
        field.each_near(&Bounds::around([place]), 9.0, |triangle| {
            let nearest = crate::facet::nearest_on_triangle(&field.points(triangle), place);
            least = number::min(least, nearest.distance(place));
            number::max(least, 1e-3)
        });
        prop_assert!(least < 1e-4, "{}", least);
    }
}
