//! Plans: equal reservations give equal offsets and hashes on every machine; different ones give different hashes.

use crate::common;

use std::sync::Arc;

use base::{Handle, Plain, Truth, Vec3};
use common::fleet::Fleet;
use common::{assert_stops, cases};
use proptest::prelude::*;
use state::plan::{Life, RegionKind};
use state::{Heap, Layout, Plan, World};

#[derive(Clone, Copy, Plain)]
#[repr(C)]
struct Tower {
    height: f64,
    place: Vec3,
    door: Handle<Tower>,
    is_lit: Truth,
    windows: [u8; 3],
    bricks: u32,
}

#[derive(Clone, Copy, Plain)]
#[repr(C, align(16))]
struct Cube {
    faces: [u32; 12],
}

fn golden() -> Arc<Plan> {
    let mut layout = Layout::of_world("golden");
    layout.set_outbox_bytes(1000);
    layout.system("town");
    layout.single::<u8>("mayor");
    layout.single::<Tower>("first");
    layout.datums::<Tower>("towers", 1000);
    layout.datums_in_chunks::<u8>("lamps", 65, 64);
    layout.single::<u64>("between");
    layout.system("goods");
    layout.list::<[u16; 3]>("prices", 999);
    let pool = layout.pool("store", 5000, 33);
    layout.class::<Cube>(pool, "cubes");
    layout.class::<u16>(pool, "grains");
    layout.datums::<Cube>("cubes", 3);
    layout.system("causes");
    layout.brush::<Tower>("build", 50);
    layout.brush::<[u8; 5]>("burn", 7);
    layout.finish()
}

/// Name, bytes, first element, stride, offset of the value, capacity, chunk.
type Row = (&'static str, [usize; 7]);

const GOLDEN: [Row; 12] = [
    ("time", [0, 48, 0, 48, 0, 1, 0]),
    ("mayor", [4096, 4097, 4096, 1, 0, 1, 0]),
    ("first", [4112, 4144, 4112, 32, 0, 1, 0]),
    ("towers", [8192, 49152, 8480, 40, 8, 1000, 256]),
    ("lamps", [49152, 53248, 49216, 4, 2, 65, 64]),
    ("between", [53248, 53256, 53248, 8, 0, 1, 0]),
    ("prices", [57344, 65536, 57360, 6, 0, 999, 0]),
    ("store", [65536, 69632, 65584, 16, 4, 33, 256]),
    ("store bytes", [69632, 77824, 69680, 32, 0, 157, 0]),
    ("cubes", [77824, 81920, 77888, 64, 16, 3, 256]),
    ("build", [81920, 86016, 81936, 56, 24, 50, 0]),
    ("burn", [86016, 90112, 86032, 32, 24, 7, 0]),
];

#[test]
fn the_offsets_of_one_plan_are_these_on_every_machine() {
    let plan = golden();
    for (region, (name, numbers)) in plan.regions().iter().zip(GOLDEN) {
        let elements = &region.elements;
        let found = [
            region.bytes.start,
            region.bytes.end,
            elements.start,
            elements.stride,
            elements.value_offset,
            elements.capacity as usize,
            elements.chunk as usize,
        ];
        assert_eq!((region.name.as_str(), found), (name, numbers));
    }
    assert_eq!(plan.regions().len(), GOLDEN.len());
    let systems: Vec<_> = plan.systems().iter().map(|system| (system.name.as_str(), system.pages.clone())).collect();
    assert_eq!(systems, [("time", 0..1), ("town", 1..14), ("goods", 14..20), ("causes", 20..22)]);
    assert_eq!((plan.bytes(), plan.pages(), plan.hash()), (90112, 22, 17_278_848_521_166_739_871));
}

#[test]
fn the_hash_of_one_world_is_this_on_every_machine() {
    let fleet = Fleet::new();
    let mut world = fleet.seasoned(common::CHECKED, 2026, 25);
    assert_eq!((fleet.plan.hash(), world.hash()), (6_928_169_778_731_101_389, 16_919_728_893_405_883_951));
}

#[test]
fn the_same_reservations_give_the_same_plan() {
    let (first, second) = (golden(), golden());
    assert_eq!(first.hash(), second.hash());
    assert_eq!(format!("{:?}", first.regions()), format!("{:?}", second.regions()));
}

#[test]
fn regions_do_not_overlap_and_pages_belong_to_one_system() {
    let plan = golden();
    let mut end = 0;
    for region in plan.regions() {
        assert!(region.bytes.start >= end, "\"{}\" overlaps the region before it", region.name);
        let elements = &region.elements;
        assert!(
            elements.start >= region.bytes.start && elements.element(elements.capacity - 1).end <= region.bytes.end
        );
        let pages = &plan.systems()[region.system].pages;
        assert!(region.bytes.start >= pages.start * 4096 && region.bytes.end <= pages.end * 4096);
        assert!(region.kind == RegionKind::Single || region.bytes.start.is_multiple_of(4096));
        assert_eq!(elements.life == Life::Always, region.kind == RegionKind::Single);
        end = region.bytes.end;
    }
    let mut page = 0;
    for system in plan.systems() {
        assert_eq!(system.pages.start, page);
        page = system.pages.end;
    }
    assert_eq!(page, plan.pages());
}

/// One small plan, with one thing about it changed.
fn changed(change: usize) -> Arc<Plan> {
    #[derive(Clone, Copy, Plain)]
    #[repr(C)]
    struct Boat {
        mast: u32,
        keel: u32,
    }
    mod other_name {
        #[derive(Clone, Copy, base::Plain)]
        #[repr(C)]
        pub struct Ship {
            mast: u32,
            keel: u32,
        }
    }
    mod other_field {
        #[derive(Clone, Copy, base::Plain)]
        #[repr(C)]
        pub struct Boat {
            mast: u32,
            hull: u32,
        }
    }
    mod other_order {
        #[derive(Clone, Copy, base::Plain)]
        #[repr(C)]
        pub struct Boat {
            keel: u32,
            mast: u32,
        }
    }
    mod other_type {
        #[derive(Clone, Copy, base::Plain)]
        #[repr(C)]
        pub struct Boat {
            mast: u32,
            keel: i32,
        }
    }
    mod other_parts {
        #[derive(Clone, Copy, base::Plain)]
        #[repr(C)]
        pub struct Boat {
            mast: [u16; 2],
            keel: u32,
        }
    }
    let is = |number: usize| change == number;
    let mut layout = Layout::of_world(if is(1) { "other" } else { "changed" });
    if is(2) {
        layout.set_outbox_bytes(1 << 12);
    }
    if is(3) {
        layout.set_paint_bytes(1 << 12);
    }
    layout.system(if is(4) { "other" } else { "first" });
    let (name, capacity) = (if is(5) { "others" } else { "boats" }, if is(6) { 101 } else { 100 });
    match change {
        7 => {
            layout.datums::<other_name::Ship>(name, capacity);
        }
        8 => {
            layout.datums::<other_field::Boat>(name, capacity);
        }
        9 => {
            layout.datums::<other_order::Boat>(name, capacity);
        }
        10 => {
            layout.datums::<other_type::Boat>(name, capacity);
        }
        11 => {
            layout.datums::<other_parts::Boat>(name, capacity);
        }
        12 => {
            layout.datums_in_chunks::<Boat>(name, capacity, 64);
        }
        13 => {
            layout.list::<Boat>(name, capacity);
        }
        14 => {}
        _ => {
            layout.datums::<Boat>(name, capacity);
        }
    }
    if is(15) {
        layout.system("second");
    }
    if is(16) {
        layout.single::<f32>("wave");
        layout.single::<f32>("wind");
    } else {
        layout.single::<f32>("wind");
        layout.single::<f32>("wave");
    }
    let (bytes, blocks) = (if is(17) { 2000 } else { 1000 }, if is(18) { 11 } else { 10 });
    let pool = layout.pool(if is(19) { "cargo" } else { "hold" }, bytes, blocks);
    let classes = if is(20) { ["planks", "barrels"] } else { ["barrels", "planks"] };
    for name in classes {
        layout.class::<u32>(pool, name);
    }
    match change {
        21 => {}
        22 => {
            layout.class::<i32>(pool, "sacks");
        }
        _ => {
            layout.class::<u32>(pool, "sacks");
        }
    }
    let waiting = if is(23) { 6 } else { 5 };
    if is(24) {
        layout.brush::<u8>("sink", 5);
        layout.brush::<u8>("sail", waiting);
    } else {
        layout.brush::<u8>("sail", waiting);
        layout.brush::<u8>("sink", 5);
    }
    match change {
        25 => {
            layout.single::<u64>("last");
        }
        26 => {
            layout.single::<[u32; 2]>("last");
        }
        27 => {
            layout.single::<Handle<u8>>("last");
        }
        _ => {
            layout.single::<u32>("last");
        }
    }
    layout.finish()
}

#[test]
fn any_change_of_name_order_type_field_capacity_or_chunk_changes_the_hash() {
    let plans: Vec<_> = (0..28).map(changed).collect();
    for (left_number, left) in plans.iter().enumerate() {
        assert_eq!(left.hash(), changed(left_number).hash());
        for (right_number, right) in plans.iter().enumerate().skip(left_number + 1) {
            assert_ne!(left.hash(), right.hash(), "changes {left_number} and {right_number}");
        }
    }
}

#[test]
fn invalid_layouts_panic_at_start() {
    let layout = || {
        let mut layout = Layout::of_world("mistakes");
        layout.system("all");
        layout.single::<u8>("one");
        layout
    };
    assert_stops(&["two regions are called \"one\""], || layout().list::<u8>("one", 3).get(&world_of(layout())).len());
    assert_stops(&["two systems are called \"all\""], || layout().system("all"));
    assert_stops(&["two systems are called \"time\""], || layout().system("time"));
    assert_stops(&["\"none\" has capacity 0"], || layout().datums::<u8>("none", 0));
    assert_stops(&["\"none\" has capacity 0"], || layout().brush::<u8>("none", 0));
    assert_stops(&["chunks of 0 slots"], || layout().datums_in_chunks::<u8>("odd", 5, 0));
    assert_stops(&["chunks of 100 slots"], || layout().datums_in_chunks::<u8>("odd", 5, 100));
    assert_stops(&["is not a name"], || layout().single::<u8>(""));
    assert_stops(&["is not a name"], || layout().single::<u8>(&"x".repeat(49)));
    assert_stops(&["\"huge\" ends at", "1073741824"], || layout().list::<[u64; 1000]>("huge", 200_000));
}

fn world_of(layout: Layout) -> World {
    World::new(&layout.finish(), &Heap, common::CHECKED, 1)
}

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn arrays_of_any_size_can_be_filled_and_do_not_overlap(
        capacities in prop::collection::vec(1..200_u32, 1..5),
        pool_bytes in 1..3000_u32,
    ) {
        let mut layout = Layout::of_world("sizes");
        layout.system("all");
        let names = ["a", "b", "c", "d", "e"];
        let named = names.iter().zip(&capacities);
        let arrays: Vec<_> = named.map(|(name, capacity)| layout.datums::<[u8; 7]>(name, *capacity)).collect();
        let pool = layout.pool("pool", pool_bytes, 10);
        let letters = layout.class::<u8>(pool, "letters");
        let list = layout.list::<u8>("list", 100);
        let mut world = world_of(layout);
        let left = pool.bytes_left(&world) as u32;
        prop_assert!(left >= pool_bytes);
        let whole = letters.create_many(&mut world, left - 16).expect("an empty pool can allocate its capacity");
        letters.edit(&mut world, whole, |letters| letters.fill(0xaa));
        (0..100).for_each(|_| assert!(list.push(&mut world, 0xbb)));
        for (array, capacity) in arrays.iter().zip(&capacities) {
            for _ in 0..*capacity {
                *array.create(&mut world).expect("there is room").1 = [0xcc; 7];
            }
            prop_assert!(array.create(&mut world).is_none());
        }
        for array in &arrays {
            prop_assert!(array.iterate(&world).all(|(_, value)| *value == [0xcc; 7]));
        }
        prop_assert!(letters.get(&world, whole).expect("it is of this class").iter().all(|letter| *letter == 0xaa));
        prop_assert_eq!(list.get(&world), &[0xbb; 100][..]);
        let bytes = world.bytes().to_vec();
        world.adopt(&bytes).expect("the bytes of a valid world are consistent");
    }
}
