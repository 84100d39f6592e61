//! Phases of a cycle: forbidden accesses are caught and named.

use crate::common;

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use base::Handle;
use base::random::Random;
use common::fleet::{Bell, Fleet, Note, Push};
use common::{assert_stops, repeat};
use state::phase::Phase;
use state::{Address, Alone, Heap, Layout, Settings, Workers, World, each};
use testing::workers::Threads;

fn scene() -> (World, Fleet) {
    let fleet = Fleet::new();
    (fleet.world(common::CHECKED, 1), fleet)
}

#[test]
fn writes_are_refused_while_the_world_rests() {
    let (mut world, fleet) = scene();
    let before = world.bytes().to_vec();
    let (ship, hold) = fleet.ships.iterate(&world).map(|(handle, ship)| (handle, ship.hold)).next().expect("a ship");
    let resting = "while the world is resting";
    assert_eq!(world.phase(), Phase::Resting);
    assert_stops(&["edit \"ships\"", resting], || fleet.ships.get_mut(&mut world, ship).hull = 1);
    assert_stops(&["edit \"ships\"", resting], || fleet.ships.find_mut(&mut world, ship).is_some());
    assert_stops(&["create in \"ships\"", resting], || fleet.ships.create(&mut world).is_some());
    assert_stops(&["delete from \"ships\"", resting], || fleet.ships.delete(&mut world, ship));
    assert_stops(&["edit \"ships\"", resting], || fleet.ships.set_awake(&mut world, ship, false));
    assert_stops(&["edit \"ships\"", resting], || fleet.ships.set_awake(&mut world, ship, true));
    assert_stops(&["edit \"weather\"", resting], || fleet.weather.get_mut(&mut world).bells = 1);
    let note = Note { cycle: 1, hull: 1, ship };
    assert_stops(&["edit \"log\"", resting], || fleet.log.push(&mut world, note));
    assert_stops(&["edit \"log\"", resting], || fleet.log.truncate(&mut world, 0));
    assert_stops(&["create in \"hold\"", resting], || fleet.cargo.create(&mut world));
    assert_stops(&["delete from \"hold\"", resting], || fleet.hold.delete(&mut world, hold));
    assert_stops(&["edit \"hold bytes\"", resting], || fleet.cargo.edit(&mut world, hold, |_| ()));
    assert_stops(&["queue at \"bell\"", resting], || fleet.bell.queue(&mut world, Address::WORLD, &Bell));
    assert_stops(&["queue at \"bell\"", resting], || {
        fleet.bell.queue_from(&mut world, Address::WORLD, Address::player(1), &Bell)
    });
    assert_stops(&["edit \"time\"", resting], || world.random().next_u32());
    assert!(world.bytes() == before, "not one byte was written");
}

#[test]
fn painting_and_setting_up_may_write() {
    let (mut world, fleet) = scene();
    let ship = fleet.ships.iterate(&world).next().expect("a ship").0;
    world.set_up(|world| fleet.ships.get_mut(world, ship).hull = 5);
    world.simulate(&Alone, &[]);
    fleet.ships.get_mut(&mut world, ship).hull += 1;
    assert_eq!(world.phase(), Phase::Painting);
    fleet.push.paint(&mut world, |world, _| fleet.ships.get_mut(world, ship).hull += 1);
    world.rest();
    assert_eq!(fleet.ships.get(&world, ship).hull, 7);
}

#[test]
fn the_phases_of_a_cycle_have_a_fixed_order() {
    let (mut world, fleet) = scene();
    assert_stops(&["brush \"push\" paints after simulation"], || fleet.push.paint(&mut world, |_, _| ()));
    assert_stops(&["a cycle ends after painting"], || world.rest());
    world.simulate(&Alone, &[]);
    assert_stops(&["cannot begin a cycle while painting"], || world.simulate(&Alone, &[]));
    assert_stops(&["cannot set up while painting"], || world.set_up(|_| ()));
    assert_stops(&["cannot copy a world that is painting"], || world.snapshot(&Heap).block().bytes().len());
    fleet.push.paint(&mut world, |_, _| ());
    assert_stops(&["brush \"push\" paints once a cycle"], || fleet.push.paint(&mut world, |_, _| ()));
    world.rest();
    assert_stops(&["brush \"push\" paints after simulation"], || fleet.push.paint(&mut world, |_, _| ()));
    assert_eq!(world.cycle(), 1);
}

#[test]
fn a_brush_paints_alone_and_completely() {
    let (mut world, fleet) = scene();
    world.simulate(&Alone, &[]);
    fleet.push.queue(&mut world, Address::WORLD, &Push { force: [0.0; 2], depth: 0 });
    assert_stops(&["brush \"bell\" cannot paint within another"], || {
        fleet.push.paint(&mut world, |world, _| fleet.bell.paint(world, |_, _| ()));
    });
    let (mut world, fleet) = scene();
    world.simulate(&Alone, &[]);
    fleet.push.queue(&mut world, Address::WORLD, &Push { force: [0.0; 2], depth: 0 });
    assert_stops(&["cannot end while a brush paints"], || fleet.push.paint(&mut world, |world, _| world.rest()));
    assert_stops(&["cannot begin a cycle while painting"], || {
        let (mut world, fleet) = scene();
        world.simulate(&Alone, &[]);
        fleet.push.paint(&mut world, |world, _| world.simulate(&Alone, &[]));
    });
}

#[test]
fn two_domains_on_one_array_are_refused() {
    let (mut world, fleet) = scene();
    assert_stops(&["two domains update \"ships\""], || {
        let (first, second) = (each(fleet.ships, |_| ()), each(fleet.ships, |_| ()));
        world.simulate(&Alone, &[&first, &each(fleet.mines, |_| ()), &second]);
    });
    assert_eq!(world.phase(), Phase::Resting, "the cycle did not begin");
    fleet.step(&mut world, &Alone);
}

#[test]
fn a_key_of_another_plan_is_detected_before_any_write() {
    let mut layout = Layout::of_world("small");
    layout.system("all");
    // With this capacity, garbage of this array lies where the other array has its bits, and looks like an awake item.
    let small = layout.datums_in_chunks::<u32>("small", 300, 64);
    let small_plan = layout.finish();
    let mut layout = Layout::of_world("large");
    layout.system("all");
    let large = layout.datums_in_chunks::<u32>("large", 6400, 64);
    layout.single::<u64>("one");
    let large_plan = layout.finish();
    let mut world = World::new(&small_plan, &Heap, common::CHECKED, 1);
    let mut other = World::new(&large_plan, &Heap, common::CHECKED, 1);
    small.create(&mut world).expect("there is room");
    large.create(&mut other).expect("there is room");
    for workers in [&Alone as &dyn Workers, &Threads(2)] {
        assert_stops(&["another plan"], || world.simulate(workers, &[&each(large, |item| *item.next = 1)]));
        assert_stops(&["another plan"], || other.simulate(workers, &[&each(small, |item| *item.next = 1)]));
    }
    world.simulate(&Alone, &[&each(small, |item| *item.next = 1)]);
}

/// Workers that break the laws of `Workers`.
enum Lazy {
    Forgets,
    Repeats,
    Invents,
}

impl Workers for Lazy {
    fn run(&self, count: u32, job: &(dyn Fn(u32) + Sync)) {
        match self {
            Lazy::Forgets => (1..count).for_each(job),
            Lazy::Repeats => (0..count).chain([0]).for_each(job),
            Lazy::Invents => (0..=count).for_each(job),
        }
    }

    fn threads(&self) -> u32 {
        1
    }
}

#[test]
fn workers_that_do_not_run_each_job_once_are_detected() {
    for (crew, words) in [(Lazy::Forgets, "did not run all"), (Lazy::Repeats, "twice"), (Lazy::Invents, "index")] {
        let (mut world, fleet) = scene();
        let good = world.snapshot(&Heap);
        let hash = world.hash();
        assert_stops(&[words], || fleet.step(&mut world, &crew));
        world.restore(&good);
        assert_eq!(world.hash(), hash);
        fleet.step(&mut world, &Alone);
    }
}

#[test]
fn a_panic_in_an_update_keeps_its_message_and_the_world_can_be_restored() {
    for workers in [&Alone as &dyn Workers, &Threads(3)] {
        let (mut world, fleet) = scene();
        let good = world.snapshot(&Heap);
        let before = world.bytes().to_vec();
        assert_stops(&["slot 70 is cursed"], || {
            let update = each(fleet.ships, |ship| {
                ship.next.hull = 0;
                assert_ne!(ship.handle.slot(), 70, "slot 70 is cursed");
            });
            world.simulate(workers, &[&update]);
        });
        assert_eq!(world.phase(), Phase::Simulating);
        assert!(world.frozen().bytes() == before, "the frozen world can be saved");
        world.restore(&good);
        assert!(world.bytes() == before);
        assert_eq!(world.phase(), Phase::Resting);
    }
}

#[test]
fn updates_see_the_frozen_world_and_their_own_next_state() {
    let (mut world, fleet) = scene();
    let before = world.bytes().to_vec();
    let seen = AtomicU32::new(0);
    let update = each(fleet.ships, |ship| {
        assert!(ship.frozen.bytes() == before);
        assert_eq!(ship.now(), ship.next, "the next state starts as the present one");
        ship.next.hull = -1;
        assert_eq!(fleet.ships.get(ship.frozen, ship.handle).hull, 60);
        assert_eq!(ship.cycle(), 0);
        seen.fetch_add(1, Relaxed);
    });
    world.simulate(&Threads(2), &[&update]);
    assert_eq!(seen.load(Relaxed), 100);
    assert!(fleet.ships.iterate(&world).all(|(_, ship)| ship.hull == -1));
}

#[test]
fn sleeping_items_are_not_visited() {
    let (mut world, fleet) = scene();
    let ships: Vec<_> = fleet.ships.iterate(&world).map(|(handle, _)| handle).collect();
    world.simulate(
        &Alone,
        &[&each(fleet.ships, |ship| {
            if ship.handle.slot() != 65 {
                ship.sleep();
            }
        })],
    );
    assert!(!fleet.ships.is_awake(&world, ships[64]));
    fleet.ships.set_awake(&mut world, ships[3], true);
    world.rest();
    let awake = ships.iter().filter(|ship| fleet.ships.is_awake(&world, **ship));
    assert_eq!(awake.map(|ship| ship.slot()).collect::<Vec<_>>(), [3, 65]);
    let count = AtomicU32::new(0);
    world.simulate(
        &Alone,
        &[&each(fleet.ships, |_| {
            count.fetch_add(1, Relaxed);
        })],
    );
    assert_eq!(count.into_inner(), 2);
}

#[test]
fn random_draws_follow_from_seed_cycle_array_purpose_and_slot() {
    let draws = |seed: u64, purpose: u16| {
        let fleet = Fleet::new();
        let mut world = fleet.world(Settings { shuffle: seed, ..common::CHECKED }, seed);
        let mut chain = Vec::new();
        for _ in 0..2 {
            world.simulate(&Threads(2), &[&each(fleet.ships, |ship| ship.next.fuel = ship.random(purpose).next_u32())]);
            world.rest();
            chain.extend(fleet.ships.iterate(&world).map(|(_, ship)| ship.fuel));
        }
        chain
    };
    let first = draws(1, 1);
    assert_eq!(first, draws(1, 1));
    let mut distinct = [first, draws(2, 1), draws(1, 2)].concat();
    distinct.sort_unstable();
    distinct.dedup();
    assert!(distinct.len() > 590, "draws are almost all different");
}

#[test]
fn items_created_while_painting_are_simulated_in_the_next_cycle() {
    let (mut world, fleet) = scene();
    world.simulate(&Alone, &[]);
    let new = fleet.launch_ship(&mut world, Handle::NONE, 5).expect("there is room");
    world.rest();
    world.simulate(&Alone, &[&each(fleet.ships, |ship| ship.next.crew = ship.now().crew + 1)]);
    assert_eq!(fleet.ships.get(&world, new).crew, 6);
}

#[test]
fn brushes_paint_in_the_order_the_layout_lists_them() {
    let (mut world, fleet) = scene();
    world.simulate(&Alone, &[]);
    fleet.bell.paint(&mut world, |_, _| ());
    assert_stops(&["brush \"push\" paints before \"bell\""], || fleet.push.paint(&mut world, |_, _| ()));
    world.rest();
    world.simulate(&Alone, &[]);
    fleet.push.paint(&mut world, |_, _| ());
    fleet.bell.paint(&mut world, |_, _| ());
    world.rest();
}

#[test]
fn all_written_pages_are_frozen_on_all_workers() {
    // Enough for several jobs, and a last page in a partial one.
    let mut layout = Layout::of_world("large");
    layout.system("all");
    let items = layout.datums::<[u64; 64]>("items", 5000);
    let plan = layout.finish();
    for workers in [&Alone as &dyn Workers, &Threads(1), &Threads(3)] {
        let settings = Settings { is_checked: false, ..common::CHECKED };
        let mut world = World::new(&plan, &Heap, settings, 1);
        for _ in 0..repeat(5000, 3) {
            items.create(&mut world).expect("there is room").1[63] = 7;
        }
        for cycle in 0..3 {
            let before = world.bytes().to_vec();
            world.simulate(workers, &[]);
            assert!(world.frozen().bytes() == before, "cycle {cycle}");
            // In the next cycle few pages were written.
            let last = items.at_slot(&world, repeat(4999, 2) as u16).expect("it was made").0;
            items.get_mut(&mut world, last)[0] = cycle;
            world.rest();
        }
    }
}
