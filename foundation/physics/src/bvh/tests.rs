use alloc::vec;
use alloc::vec::Vec;

use base::{Quat, Vec3};
use proptest::prelude::*;

use super::*;

fn boxes(of: impl Strategy<Value = f32> + Clone, count: usize) -> impl Strategy<Value = Vec<Aabb>> {
    let vector = (of.clone(), of.clone(), of).prop_map(|(x, y, z)| Vec3::new(x, y, z));
    let one = (vector, (0.0f32..3.0, 0.0f32..3.0, 0.0f32..3.0));
    let one = one.prop_map(|(min, (x, y, z))| Aabb { min, max: min + Vec3::new(x, y, z) });
    prop::collection::vec(one, 0..count)
}

fn depth(bvh: &Bvh) -> usize {
    let mut deepest = 0;
    let mut stack = vec![(0, 1)];
    while let Some((index, depth)) = stack.pop() {
        deepest = depth.max(deepest);
        let node = &bvh.nodes[index];
        if node.count == 0 {
            stack.extend([(node.first as usize, depth + 1), (node.first as usize + 1, depth + 1)]);
        }
    }
    deepest
}

fn found_in(bvh: &Bvh, aabb: &Aabb) -> Vec<u32> {
    let mut found = Vec::new();
    assert!(bvh.visit_overlapping(aabb, |item| {
        found.push(item);
        true
    }));
    found.sort_unstable();
    found
}

#[test]
fn an_empty_bvh_finds_nothing() {
    let bvh = Bvh::new(&[]);
    assert!(found_in(&bvh, &Aabb::from_center(Vec3::ZERO, Vec3::splat(1e9))).is_empty());
    bvh.visit_swept(&SweptAabb::ray(Vec3::ZERO, Vec3::X), 1e9, |_, _| panic!("an empty BVH has no primitives"));
    assert_eq!(bvh.aabb(), Aabb::EMPTY);
}

#[test]
fn equal_and_geometrically_spaced_boxes_keep_the_depth_limit() {
    let equal = vec![Aabb::from_center(Vec3::ONE, Vec3::ONE); 10_000];
    assert!(depth(&Bvh::new(&equal)) <= 14);
    // Distances grow by 8 % each: every split separates only a few.
    let row: Vec<Aabb> = (0..2000)
        .map(|index| Aabb::from_center(Vec3::X * base::number::pow_whole(1.08, index % 1000), Vec3::splat(0.1)))
        .collect();
    let bvh = Bvh::new(&row);
    assert!(depth(&bvh) <= DEPTH_MAX, "{}", depth(&bvh));
    assert_eq!(found_in(&bvh, &bvh.aabb()).len(), 2000);
}

#[test]
fn boxes_that_are_not_finite_are_never_visited() {
    let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    let mut boxes = vec![Aabb::from_center(Vec3::ZERO, Vec3::ONE); 9];
    for (index, bad) in (0..).zip(bad) {
        boxes[index * 3] = Aabb { min: Vec3::splat(bad), max: Vec3::splat(bad) };
    }
    let bvh = Bvh::new(&boxes);
    assert_eq!(found_in(&bvh, &Aabb::from_center(Vec3::ZERO, Vec3::splat(5.0))), [1, 2, 4, 5, 7, 8]);
}

#[test]
fn rebuilding_within_the_capacity_allocates_nothing() {
    let mut bvh = Bvh::with_capacity(100);
    let room = (bvh.nodes.capacity(), bvh.primitives.capacity());
    for count in [100, 3, 77, 0, 100] {
        let row: Vec<Aabb> = (0..count).map(|at| Aabb::from_center(Vec3::X * at as f32, Vec3::splat(0.4))).collect();
        bvh.rebuild(&row);
        assert_eq!((bvh.nodes.capacity(), bvh.primitives.capacity()), room);
        assert_eq!(found_in(&bvh, &Aabb::from_center(Vec3::ZERO, Vec3::splat(1e9))).len(), count);
    }
}

proptest! {
    #[test]
    fn an_overlap_query_visits_all_overlapping_boxes(boxes in boxes(-20.0f32..20.0, 200), asked in boxes(-20.0f32..20.0, 5)) {
        let bvh = Bvh::new(&boxes);
        for asked in asked {
            let expected: Vec<u32> = (0..).zip(&boxes).filter(|(_, own)| own.overlaps(&asked)).map(|(at, _)| at).collect();
            prop_assert_eq!(found_in(&bvh, &asked), expected);
        }
    }

    #[test]
    fn a_ray_visits_all_boxes_it_enters_and_finds_the_first(
        boxes in boxes(-20.0f32..20.0, 200),
        from in (-30.0f32..30.0, -30.0f32..30.0, -30.0f32..30.0),
        towards in prop_oneof![Just((0.0, 0.0, 1.0)), Just((0.0, -1.0, 0.0)), (-1.0f32..1.0, -1.0f32..1.0, -1.0f32..1.0)],
    ) {
        let bvh = Bvh::new(&boxes);
        let swept = SweptAabb::ray(Vec3::new(from.0, from.1, from.2), Vec3::new(towards.0, towards.1, towards.2).normal());
        let expected: Vec<u32> = (0..).zip(&boxes).filter(|(_, own)| swept.enter(own.min, own.max, 40.0).is_some()).map(|(at, _)| at).collect();
        let mut found = Vec::new();
        bvh.visit_swept(&swept, 40.0, |item, _| { found.push(item); 40.0 });
        found.sort_unstable();
        prop_assert_eq!(found, expected);
        let first = boxes.iter().filter_map(|own| swept.enter(own.min, own.max, 40.0)).fold(40.0, base::number::min);
        let mut nearest = 40.0;
        bvh.visit_swept(&swept, 40.0, |_, entry| { nearest = base::number::min(nearest, entry); nearest });
        prop_assert_eq!(nearest, first);
    }

    #[test]
    fn the_closest_box_is_found(boxes in boxes(-20.0f32..20.0, 100), at in (-30.0f32..30.0, -30.0f32..30.0, -30.0f32..30.0)) {
        let bvh = Bvh::new(&boxes);
        let asked = Aabb::from_points([Vec3::new(at.0, at.1, at.2)]);
        let expected = boxes.iter().map(|own| own.distance_squared(&asked)).fold(1e6, base::number::min);
        let mut min = 1e6;
        bvh.visit_within(&asked, 1e3, |item| {
            min = base::number::min(min, boxes[item as usize].distance_squared(&asked));
            base::number::sqrt(min) * 1.00001
        });
        prop_assert_eq!(min, expected);
    }

    #[test]
    fn pairs_of_two_bvhs_are_those_whose_boxes_overlap(
        first in boxes(-9.0f32..9.0, 60),
        second in boxes(-9.0f32..9.0, 60),
        turn in (-3.0f32..3.0, -3.0f32..3.0, -3.0f32..3.0),
    ) {
        let pose = Pose::new(Vec3::new(turn.1, turn.2, turn.0), Quat::from_rotation_vector(Vec3::new(turn.0, turn.1, turn.2)));
        let (own, other) = (Bvh::new(&first), Bvh::new(&second));
        let mut found = Vec::new();
        own.visit_pairs(&other, &pose, 0.1, |first, second| { found.push((first, second)); true });
        found.sort_unstable();
        let expected: Vec<(u32, u32)> = (0..).zip(&first).flat_map(|(at, first)| {
            let touching = move |second: &Aabb| first.overlaps(&second.transformed(&pose).expanded(0.1));
            (0..).zip(&second).filter(move |(_, second)| touching(second)).map(move |(other, _)| (at, other))
        }).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn arbitrary_floats_do_not_panic(boxes in boxes(any::<f32>(), 60)) {
        let bvh = Bvh::new(&boxes);
        found_in(&bvh, &Aabb::from_center(Vec3::ZERO, Vec3::splat(1e30)));
        bvh.visit_swept(&SweptAabb::ray(Vec3::ZERO, Vec3::X), f32::INFINITY, |_, entry| entry);
    }
}
