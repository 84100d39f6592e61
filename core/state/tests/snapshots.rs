//! Incremental snapshots: they cost only the pages written, and equal full copies.

use crate::common;

use common::fleet::{Fleet, Push};
use common::{CHECKED, assert_same, assert_stops, cases};
use proptest::prelude::*;
use proptest::sample::Index;
use state::{Address, Alone, HashTree, Heap, Settings, Snapshot, World};
use testing::workers::Threads;

/// An operation on one of two worlds.
#[derive(Clone, Debug)]
enum Operation {
    Step,
    Launch(u32),
    Sink(Index),
    Edit(Index, i32),
    Queue(Index),
    Save(usize),
    Restore(usize),
    Adopt(usize),
    Hash,
    Fail,
}

fn operation() -> impl Strategy<Value = (usize, Operation)> {
    let operation = prop_oneof![
        3 => Just(Operation::Step),
        2 => (0..1000_u32).prop_map(Operation::Launch),
        2 => any::<Index>().prop_map(Operation::Sink),
        3 => (any::<Index>(), any::<i32>()).prop_map(|(index, hull)| Operation::Edit(index, hull)),
        1 => any::<Index>().prop_map(Operation::Queue),
        4 => (0..4_usize).prop_map(Operation::Save),
        4 => (0..4_usize).prop_map(Operation::Restore),
        1 => (0..4_usize).prop_map(Operation::Adopt),
        2 => Just(Operation::Hash),
        1 => Just(Operation::Fail),
    ];
    (0..2_usize, operation)
}

fn apply(fleet: &Fleet, world: &mut World, operation: &Operation) {
    match operation {
        Operation::Step => fleet.step(world, &Alone),
        Operation::Launch(number) => {
            world.set_up(|world| fleet.launch_ship(world, base::Handle::NONE, *number));
        }
        Operation::Sink(index) | Operation::Edit(index, _) | Operation::Queue(index) => {
            let ships: Vec<_> = fleet.ships.iterate(world).map(|(handle, _)| handle).collect();
            if ships.is_empty() {
                return;
            }
            let ship = ships[index.index(ships.len())];
            world.set_up(|world| match operation {
                Operation::Sink(_) => fleet.ships.delete(world, ship),
                Operation::Edit(_, hull) => fleet.ships.get_mut(world, ship).hull = *hull,
                _ => {
                    fleet.push.queue(world, fleet.ships.address(ship), &Push { force: [1.0; 2], depth: 1 });
                }
            });
        }
        Operation::Hash => {
            world.hash();
        }
        _ => unreachable!("snapshots are handled by the caller"),
    }
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn snapshots_equal_full_copies(
        operations in prop::collection::vec(operation(), 1..common::repeat(60, 8) as usize),
    ) {
        let fleet = Fleet::new();
        let mut worlds = [fleet.world(CHECKED, 1), fleet.world(Settings { is_checked: false, ..CHECKED }, 2)];
        let mut snapshots: Vec<Snapshot> = (0..4).map(|index| worlds[index % 2].snapshot(&Heap)).collect();
        let mut copies: Vec<Vec<u8>> = (0..4).map(|index| worlds[index % 2].bytes().to_vec()).collect();
        for (which, operation) in operations {
            let world = &mut worlds[which];
            match operation {
                Operation::Save(number) => {
                    world.save(&mut snapshots[number]);
                    copies[number] = world.bytes().to_vec();
                }
                Operation::Restore(number) => {
                    world.restore(&snapshots[number]);
                    prop_assert!(world.bytes() == copies[number], "{number} was not restored exactly");
                }
                Operation::Adopt(number) => {
                    world.adopt(&copies[number]).expect("a snapshot is consistent");
                    prop_assert!(world.bytes() == copies[number]);
                }
                Operation::Fail => {
                    let before = world.snapshot(&Heap);
                    assert_stops(&["in the middle"], || {
                        world.simulate(&Alone, &[&state::each(fleet.ships, |ship| ship.next.fuel = 0)]);
                        fleet.push.queue(world, Address::WORLD, &Push { force: [0.0; 2], depth: 0 });
                        fleet.push.paint(world, |world, _| {
                            fleet.launch_ship(world, base::Handle::NONE, 1);
                            fleet.bell.queue(world, Address::WORLD, &common::fleet::Bell);
                            panic!("in the middle of painting")
                        });
                    });
                    world.restore(&before);
                    prop_assert!(world.bytes() == before.block().bytes());
                }
                operation => apply(&fleet, world, &operation),
            }
            for (snapshot, copy) in snapshots.iter().zip(&copies) {
                prop_assert!(snapshot.block().bytes() == copy, "a snapshot changed without an update");
            }
            let tree = world.hash_tree().clone();
            prop_assert_eq!(tree, HashTree::of(world));
        }
    }
}

#[test]
fn a_restored_snapshot_gives_the_same_future() {
    let fleet = Fleet::new();
    let mut world = fleet.seasoned(CHECKED, 3, 5);
    let early = world.snapshot(&Heap);
    let run = |world: &mut World| -> Vec<u64> {
        (0..common::repeat(10, 2))
            .map(|_| {
                fleet.step(world, &Threads(2));
                world.hash()
            })
            .collect()
    };
    let first = run(&mut world);
    world.restore(&early);
    assert_eq!(run(&mut world), first);
    let mut other = fleet.seasoned(Settings { garbage: 0x11, ..CHECKED }, 99, 2);
    other.restore(&early);
    assert_eq!(run(&mut other), first, "in another world too");
}

#[test]
fn taking_snapshots_changes_nothing() {
    let fleet = Fleet::new();
    let mut quiet = fleet.seasoned(CHECKED, 3, 2);
    let mut copied = fleet.seasoned(CHECKED, 3, 2);
    let mut snapshot = copied.snapshot(&Heap);
    for cycle in 0..common::repeat(8, 2) {
        fleet.step(&mut quiet, &Alone);
        copied.save(&mut snapshot);
        copied.hash();
        copied.snapshot(&Heap);
        fleet.step(&mut copied, &Alone);
        copied.save(&mut snapshot);
        let now = snapshot.block().bytes().to_vec();
        copied.adopt(&now).expect("it adds up");
        assert_same(&mut quiet, &mut copied, &format!("cycle {cycle}"));
        assert!(quiet.bytes() == copied.bytes());
    }
}

#[test]
fn a_snapshot_costs_only_the_pages_written_since() {
    let fleet = Fleet::new();
    let mut world = fleet.world(CHECKED, 3);
    let ship = fleet.ships.iterate(&world).next().expect("a ship").0;
    let mut pages = world.bytes().to_vec();
    let mut moment = world.copy_changed(state::marks::Moment::NEVER, &mut pages);
    assert!(pages == world.bytes());
    for hull in 0..3 {
        world.set_up(|world| fleet.ships.get_mut(world, ship).hull = hull);
        let mut touched = vec![0xee; pages.len()];
        moment = world.copy_changed(moment, &mut touched);
        let copied = touched.chunks(4096).filter(|page| page.iter().any(|byte| *byte != 0xee)).count();
        assert_eq!(copied, 1);
    }
    let mut touched = vec![0xee; pages.len()];
    world.copy_changed(moment, &mut touched);
    assert!(touched.iter().all(|byte| *byte == 0xee), "no page was written, so none is copied");
}

#[test]
fn waiting_entries_on_many_pages_are_copied_and_hashed() {
    let mut layout = state::Layout::of_world("queue");
    layout.system("all");
    let brush = layout.brush::<[u8; 200]>("brush", 100);
    let mut world = World::new(&layout.finish(), &Heap, CHECKED, 1);
    let mut snapshot = world.snapshot(&Heap);
    for round in 1..4_u8 {
        world.set_up(|world| {
            for number in 0..u16::from(round) * 30 {
                assert!(brush.queue(world, Address::player(number), &[round; 200]));
            }
        });
        world.hash();
        world.save(&mut snapshot);
        assert!(snapshot.block().bytes() == world.bytes(), "round {round}, waiting");
        world.simulate(&Alone, &[]);
        brush.paint(&mut world, |_, stroke| assert_eq!(stroke.payload, [round; 200]));
        world.rest();
        world.hash();
        world.save(&mut snapshot);
        assert!(snapshot.block().bytes() == world.bytes(), "round {round}, painted");
        world.simulate(&Alone, &[]);
        assert!(world.frozen().bytes() == snapshot.block().bytes());
        world.rest();
    }
}

#[test]
fn falling_asleep_and_waking_are_copied_and_hashed() {
    let mut layout = state::Layout::of_world("sleep");
    layout.system("all");
    // Large enough that living bits, awake bits and slots lie on separate pages.
    let sheep = layout.datums::<u8>("sheep", common::repeat(0xffff, 100));
    let mut world = World::new(&layout.finish(), &Heap, CHECKED, 1);
    let (first, _) = sheep.create(&mut world).expect("there is room");
    world.set_up(|_| ());
    let mut snapshot = world.snapshot(&Heap);
    let awake = world.hash();
    world.simulate(&Alone, &[&state::each(sheep, |sheep| sheep.sleep())]);
    world.rest();
    assert!(!sheep.is_awake(&world, first));
    assert_ne!(world.hash(), awake);
    world.save(&mut snapshot);
    assert!(snapshot.block().bytes() == world.bytes());
    world.set_up(|world| sheep.set_awake(world, first, true));
    world.hash();
    world.restore(&snapshot);
    assert!(!sheep.is_awake(&world, first));
    world.simulate(&Alone, &[&state::each(sheep, |_| panic!("it sleeps"))]);
}

#[test]
fn garbage_changes_neither_the_hash_nor_the_future() {
    let fleet = Fleet::new();
    let mut worlds = [0x00, 0xdd, 0xff].map(|garbage| fleet.world(Settings { garbage, ..CHECKED }, 8));
    for cycle in 0..common::repeat(12, 3) {
        for world in &mut worlds {
            fleet.step(world, &Alone);
        }
        let [first, second, third] = &mut worlds;
        assert_same(first, second, &format!("cycle {cycle}"));
        assert_same(first, third, &format!("cycle {cycle}"));
        assert!(first.bytes() != second.bytes(), "the garbage is there");
        if cycle % 3 == 2 {
            // Each continues from the bytes of another, with its own garbage byte.
            let bytes = [first.bytes().to_vec(), second.bytes().to_vec(), third.bytes().to_vec()];
            for (world, other) in worlds.iter_mut().zip([1, 2, 0]) {
                let own = world.bytes().to_vec();
                world.adopt(&bytes[other]).expect("it adds up");
                assert!(world.bytes() == own, "cycle {cycle}");
            }
        }
    }
}

#[test]
fn snapshots_of_another_plan_are_refused() {
    let mut world = Fleet::new().world(CHECKED, 1);
    let mut other = Fleet::called("armada").world(CHECKED, 1);
    let mut snapshot = other.snapshot(&Heap);
    assert_stops(&["another plan"], || world.restore(&snapshot));
    assert_stops(&["another plan"], || world.save(&mut snapshot));
    let short = vec![0; 4096];
    let error = world.adopt(&short).expect_err("it is too short").to_string();
    assert!(error.contains("4096 bytes instead of"), "{error}");
}
