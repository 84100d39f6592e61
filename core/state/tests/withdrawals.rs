//! Withdrawal of queued entries, waiting ones included: deterministic, and without a trace.

use crate::common;

use common::{CHECKED, assert_same, assert_stops, cases};
use proptest::prelude::*;
use state::{Address, Alone, Brush, Datums, Heap, Layout, List, Settings, Workers, World, each};
use testing::workers::{self, Threads};

struct Scene {
    items: Datums<u32>,
    painted: List<u32>,
    first: Brush<u32>,
    second: Brush<u32>,
}

fn scene(settings: Settings) -> (World, Scene) {
    let mut layout = Layout::of_world("regrets");
    layout.system("all");
    let items = layout.datums_in_chunks("items", 200, 64);
    let painted = layout.list("painted", 2000);
    let first = layout.brush("first", 100);
    let second = layout.brush("second", 100);
    let mut world = World::new(&layout.finish(), &Heap, settings, 1);
    for number in 0..150 {
        *items.create(&mut world).expect("there is room").1 = number;
    }
    (world, Scene { items, painted, first, second })
}

impl Scene {
    /// A cycle in which every item queues its number for the world at the second brush.
    fn simulate(&self, world: &mut World, workers: &dyn Workers) {
        world.simulate(
            workers,
            &[&each(self.items, |item| {
                let number = *item.now();
                item.queue(self.second, Address::WORLD, &number);
            })],
        );
    }

    fn paint_second(&self, world: &mut World) {
        self.second.paint(world, |world, stroke| assert!(self.painted.push(world, stroke.payload)));
    }
}

#[test]
fn entries_of_another_brush_can_be_withdrawn() {
    for workers in workers::all() {
        let (mut world, scene) = scene(Settings { shuffle: 5, ..CHECKED });
        scene.simulate(&mut world, &*workers);
        scene.first.queue(&mut world, Address::WORLD, &0);
        let mut asked = Vec::new();
        scene.first.paint(&mut world, |world, _| {
            let withdrawn = scene.second.withdraw(world, |stroke| {
                assert_eq!(stroke.target, Address::WORLD);
                assert_eq!(scene.items.handle(stroke.source).map(|item| u32::from(item.slot())), Some(stroke.payload));
                asked.push(stroke.payload);
                stroke.payload % 3 == 0
            });
            assert_eq!(withdrawn, 50);
        });
        assert_eq!(asked, (0..150).collect::<Vec<_>>(), "in the order of keys");
        scene.paint_second(&mut world);
        world.rest();
        let expected: Vec<u32> = (0..150).filter(|number| number % 3 != 0).collect();
        assert_eq!(scene.painted.get(&world), expected);
        assert_eq!(scene.second.waiting(&world), 0);
    }
}

#[test]
fn waiting_entries_can_be_withdrawn() {
    let (mut world, scene) = scene(CHECKED);
    for number in 1000..1010 {
        scene.second.queue(&mut world, Address::player(2), &number);
    }
    world.simulate(&Alone, &[]);
    scene.second.queue(&mut world, Address::WORLD, &1004);
    let is_even = |stroke: &state::Stroke<u32>| stroke.payload.is_multiple_of(2);
    assert_eq!(scene.second.withdraw(&mut world, is_even), 6);
    assert_eq!(scene.second.withdraw(&mut world, is_even), 0);
    assert_eq!(scene.second.waiting(&world), 5);
    scene.paint_second(&mut world);
    world.rest();
    assert_eq!(scene.painted.get(&world), [1001, 1003, 1005, 1007, 1009]);
    let bytes = world.bytes().to_vec();
    world.adopt(&bytes).expect("no trace is left");
}

#[test]
fn entries_queued_for_the_next_cycle_can_be_withdrawn() {
    let (mut world, scene) = scene(CHECKED);
    world.simulate(&Alone, &[]);
    scene.paint_second(&mut world);
    for number in 0..6 {
        scene.second.queue(&mut world, Address::WORLD, &number);
    }
    assert_eq!(scene.second.withdraw(&mut world, |stroke| stroke.payload < 4), 4);
    assert_eq!(scene.second.waiting(&world), 2);
    world.rest();
    world.simulate(&Alone, &[]);
    scene.paint_second(&mut world);
    assert_eq!(scene.painted.get(&world), [4, 5]);
}

#[test]
fn a_brush_can_withdraw_entries_of_its_next_round_only() {
    let (mut world, scene) = scene(CHECKED);
    world.simulate(&Alone, &[]);
    for number in 0..3 {
        scene.second.queue(&mut world, Address::WORLD, &number);
    }
    scene.second.paint_in_rounds(&mut world, 5, |world, stroke| {
        scene.painted.push(world, stroke.payload);
        if stroke.payload < 3 {
            scene.second.queue(world, Address::WORLD, &(stroke.payload + 10));
        }
        if stroke.payload == 1 {
            assert_eq!(scene.second.withdraw(world, |stroke| stroke.payload != 11), 1, "the entry of the first");
        }
    });
    world.rest();
    assert_eq!(scene.painted.get(&world), [0, 1, 2, 11, 12]);
}

#[test]
fn withdrawing_counts_as_a_write() {
    let (mut world, scene) = scene(CHECKED);
    scene.second.queue(&mut world, Address::WORLD, &1);
    assert_eq!(scene.second.withdraw(&mut world, |_| true), 1, "while setting up");
    world.set_up(|_| ());
    assert_stops(&["cannot withdraw from \"second\"", "resting"], || scene.second.withdraw(&mut world, |_| true));
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn withdrawn_entries_leave_no_trace(
        waiting in prop::collection::vec(0..50_u32, 0..20),
        meant in prop::collection::vec(any::<bool>(), 50),
        workers in 1..17_u32,
        shuffle in any::<u64>(),
    ) {
        let is_meant = |number: u32| meant[number as usize % 50];
        let (mut with, scene) = scene(Settings { shuffle, ..CHECKED });
        let (mut without, _) = self::scene(CHECKED);
        for number in &waiting {
            scene.second.queue(&mut with, Address::player(1), number);
            if !is_meant(*number) {
                scene.second.queue(&mut without, Address::player(1), number);
            }
        }
        scene.simulate(&mut with, &Threads(workers));
        without.simulate(&Alone, &[&each(scene.items, |item| {
            let number = *item.now();
            if !is_meant(number) {
                item.queue(scene.second, Address::WORLD, &number);
            }
        })]);
        let mut calls = 0;
        let withdrawn = scene.second.withdraw(&mut with, |stroke| {
            calls += 1;
            is_meant(stroke.payload)
        });
        let taken = (0..150).chain(waiting.iter().copied()).filter(|number| is_meant(*number)).count();
        prop_assert_eq!((withdrawn as usize, calls), (taken, 150 + waiting.len()));
        for world in [&mut with, &mut without] {
            scene.paint_second(world);
            world.rest();
        }
        prop_assert_eq!(scene.painted.get(&with), scene.painted.get(&without));
        // Only the peak number of waiting entries differs.
        let found = state::differences(&with, &without, 5);
        prop_assert!(found.iter().all(|found| found.field == "head.count_max"), "{:?}", found);
        if waiting.iter().all(|number| !is_meant(*number)) {
            assert_same(&mut with, &mut without, "after painting");
        }
    }
}
