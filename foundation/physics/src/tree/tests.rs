use alloc::vec;
use alloc::vec::Vec;

use base::{Quat, Vec3};
use proptest::prelude::*;

use super::*;

fn boxes(of: impl Strategy<Value = f32> + Clone, count: usize) -> impl Strategy<Value = Vec<Bounds>> {
    let vector = (of.clone(), of.clone(), of).prop_map(|(x, y, z)| Vec3::new(x, y, z));
    let one = (vector, (0.0f32..3.0, 0.0f32..3.0, 0.0f32..3.0));
    let one = one.prop_map(|(least, (x, y, z))| Bounds { least, most: least + Vec3::new(x, y, z) });
    prop::collection::vec(one, 0..count)
}

fn depth(tree: &Tree) -> usize {
    let mut deepest = 0;
    let mut stack = vec![(0, 1)];
    while let Some((index, depth)) = stack.pop() {
        deepest = depth.max(deepest);
        let node = &tree.nodes[index];
        if node.count == 0 {
            stack.extend([(node.first as usize, depth + 1), (node.first as usize + 1, depth + 1)]);
        }
    }
    deepest
}

fn found_in(tree: &Tree, bounds: &Bounds) -> Vec<u32> {
    let mut found = Vec::new();
    assert!(tree.each_in(bounds, |item| {
        found.push(item);
        true
    }));
    found.sort_unstable();
    found
}

#[test]
fn an_empty_tree_finds_nothing() {
    let tree = Tree::new(&[]);
    assert!(found_in(&tree, &Bounds::centred(Vec3::ZERO, Vec3::splat(1e9))).is_empty());
    tree.each_along(&Line::new(Vec3::ZERO, Vec3::X), 1e9, |_, _| panic!("nothing is there"));
    assert_eq!(tree.bounds(), Bounds::EMPTY);
}

#[test]
fn equal_boxes_and_boxes_on_a_hostile_row_stay_within_the_depth() {
    let equal = vec![Bounds::centred(Vec3::ONE, Vec3::ONE); 10_000];
    assert!(depth(&Tree::new(&equal)) <= 14);
    // Each is twice as far as the one before: bins always cut off a few.
    let row: Vec<Bounds> = (0..2000)
        .map(|index| Bounds::centred(Vec3::X * base::number::pow_whole(1.08, index % 1000), Vec3::splat(0.1)))
        .collect();
    let tree = Tree::new(&row);
    assert!(depth(&tree) <= DEPTH_MAX, "{}", depth(&tree));
    assert_eq!(found_in(&tree, &tree.bounds()).len(), 2000);
}

#[test]
fn boxes_that_are_no_numbers_are_never_met_and_spoil_nothing() {
    let bad = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    let mut boxes = vec![Bounds::centred(Vec3::ZERO, Vec3::ONE); 9];
    for (index, bad) in (0..).zip(bad) {
        boxes[index * 3] = Bounds { least: Vec3::splat(bad), most: Vec3::splat(bad) };
    }
    let tree = Tree::new(&boxes);
    assert_eq!(found_in(&tree, &Bounds::centred(Vec3::ZERO, Vec3::splat(5.0))), [1, 2, 4, 5, 7, 8]);
}

#[test]
fn a_tree_that_is_made_anew_in_its_room_allocates_nothing() {
    let mut tree = Tree::with_capacity(100);
    let room = (tree.nodes.capacity(), tree.entries.capacity());
    for count in [100, 3, 77, 0, 100] {
        let row: Vec<Bounds> = (0..count).map(|at| Bounds::centred(Vec3::X * at as f32, Vec3::splat(0.4))).collect();
        tree.rebuild(&row);
        assert_eq!((tree.nodes.capacity(), tree.entries.capacity()), room);
        assert_eq!(found_in(&tree, &Bounds::centred(Vec3::ZERO, Vec3::splat(1e9))).len(), count);
    }
}

proptest! {
    #[test]
    fn a_box_meets_what_it_touches(boxes in boxes(-20.0f32..20.0, 200), asked in boxes(-20.0f32..20.0, 5)) {
        let tree = Tree::new(&boxes);
        for asked in asked {
            let expected: Vec<u32> = (0..).zip(&boxes).filter(|(_, own)| own.touches(&asked)).map(|(at, _)| at).collect();
            prop_assert_eq!(found_in(&tree, &asked), expected);
        }
    }

    #[test]
    fn a_line_meets_what_it_enters_and_what_is_first_is_found_first(
        boxes in boxes(-20.0f32..20.0, 200),
        from in (-30.0f32..30.0, -30.0f32..30.0, -30.0f32..30.0),
        towards in prop_oneof![Just((0.0, 0.0, 1.0)), Just((0.0, -1.0, 0.0)), (-1.0f32..1.0, -1.0f32..1.0, -1.0f32..1.0)],
    ) {
        let tree = Tree::new(&boxes);
        let line = Line::new(Vec3::new(from.0, from.1, from.2), Vec3::new(towards.0, towards.1, towards.2).normal());
        let expected: Vec<u32> = (0..).zip(&boxes).filter(|(_, own)| line.enters(own.least, own.most, 40.0).is_some()).map(|(at, _)| at).collect();
        let mut found = Vec::new();
        tree.each_along(&line, 40.0, |item, _| { found.push(item); 40.0 });
        found.sort_unstable();
        prop_assert_eq!(found, expected);
        let first = boxes.iter().filter_map(|own| line.enters(own.least, own.most, 40.0)).fold(40.0, base::number::min);
        let mut nearest = 40.0;
        tree.each_along(&line, 40.0, |_, near| { nearest = base::number::min(nearest, near); nearest });
        prop_assert_eq!(nearest, first);
    }

    #[test]
    fn the_nearest_is_found(boxes in boxes(-20.0f32..20.0, 100), at in (-30.0f32..30.0, -30.0f32..30.0, -30.0f32..30.0)) {
        let tree = Tree::new(&boxes);
        let asked = Bounds::around([Vec3::new(at.0, at.1, at.2)]);
        let expected = boxes.iter().map(|own| own.distance_squared(&asked)).fold(1e6, base::number::min);
        let mut least = 1e6;
        tree.each_near(&asked, 1e3, |item| {
            least = base::number::min(least, boxes[item as usize].distance_squared(&asked));
            base::number::sqrt(least) * 1.00001
        });
        prop_assert_eq!(least, expected);
    }

    #[test]
    fn pairs_of_two_trees_are_those_whose_boxes_touch(
        first in boxes(-9.0f32..9.0, 60),
        second in boxes(-9.0f32..9.0, 60),
        turn in (-3.0f32..3.0, -3.0f32..3.0, -3.0f32..3.0),
    ) {
        let pose = Pose::new(Vec3::new(turn.1, turn.2, turn.0), Quat::from_rotation_vector(Vec3::new(turn.0, turn.1, turn.2)));
        let (own, other) = (Tree::new(&first), Tree::new(&second));
        let mut found = Vec::new();
        own.each_pair(&other, &pose, 0.1, |first, second| { found.push((first, second)); true });
        found.sort_unstable();
        let expected: Vec<(u32, u32)> = (0..).zip(&first).flat_map(|(at, first)| {
            let touching = move |second: &Bounds| first.touches(&second.moved(&pose).grown(0.1));
            (0..).zip(&second).filter(move |(_, second)| touching(second)).map(move |(other, _)| (at, other))
        }).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn absurd_boxes_end_in_no_panic(boxes in boxes(any::<f32>(), 60)) {
        let tree = Tree::new(&boxes);
        found_in(&tree, &Bounds::centred(Vec3::ZERO, Vec3::splat(1e30)));
        tree.each_along(&Line::new(Vec3::ZERO, Vec3::X), f32::INFINITY, |_, near| near);
    }
}
