//! Parallel painting of targets: the same result as sequential painting, on all workers, in any order of queueing.

use crate::common;

use base::Plain;
use base::random::{Draw, Random};
use common::{CHECKED, assert_same, assert_stops, cases, repeat};
use proptest::prelude::*;
use state::{
    Address, Alone, Brush, Entities, Heap, Item, Layout, Settings, Single, Stroke, Workers, World, each_entity,
};
use testing::workers::{self, Threads};

#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
struct Thing {
    chain: u64,
    weight: f32,
    hits: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
struct Word {
    number: u32,
    depth: u32,
}

struct Scene {
    things: Entities<Thing, f64>,
    before: Brush<Word>,
    storm: Brush<Word>,
    after: Brush<Word>,
    doom: Brush<u32>,
    left_out: Single<u64>,
}

const CAPACITY: u32 = 300;

fn scene(settings: Settings, outbox_bytes: u32) -> (World, Scene) {
    let mut layout = Layout::of_world("storms");
    layout.set_outbox_bytes(outbox_bytes);
    layout.system("life");
    let things = layout.entities("things", CAPACITY, 1500, 64);
    let left_out = layout.single("left out");
    layout.system("causes");
    let before = layout.brush("before", 200);
    let storm = layout.brush("storm", 200);
    let after = layout.brush("after", 200);
    let doom = layout.brush("doom", 50);
    let scene = Scene { things, before, storm, after, doom, left_out };
    let mut world = World::new(&layout.finish(), &Heap, settings, 1);
    for number in 0..200 {
        let thing = scene.things.create(&mut world, number % 7).expect("there is room");
        scene.things.get_mut(&mut world, thing).chain = number.into();
    }
    (world, scene)
}

/// How the test world is stepped.
#[derive(Clone, Copy)]
enum Way<'a> {
    /// All targets in parallel.
    Together(&'a dyn Workers),
    /// One entry after the other: the same result, unless an entry is queued for a target that is already done.
    OneByOne,
}

impl Scene {
    fn step(&self, world: &mut World, way: Way<'_>, seed: u64, is_storm: bool) {
        let workers = match way {
            Way::Together(workers) => workers,
            Way::OneByOne => &Alone,
        };
        world.simulate(
            workers,
            &[&each_entity(self.things, |item, _| {
                let mut chance = Draw::new(seed, item.cycle(), 1, item.handle.slot().into());
                if is_storm || chance.below(12) == 0 {
                    for _ in 0..chance.below(4) {
                        let word = Word { number: chance.below(1000), depth: chance.below(4) };
                        item.queue(self.storm, self.any_address(chance.below(330)), &word);
                    }
                }
            })],
        );
        self.before.paint(world, |world, stroke| {
            // Also queues for an entity created in this cycle.
            if let Some(thing) = self.things.create(world, stroke.payload.number % 9) {
                self.storm.queue(world, self.things.address(thing), &stroke.payload);
                self.storm.queue_from(world, self.things.address(thing), stroke.target, &stroke.payload);
            }
        });
        let left_out = match way {
            Way::Together(workers) => {
                self.storm.paint_entities_in_rounds(world, workers, self.things, 3, |stroke, item, values| {
                    assert_eq!(self.things.handle(stroke.target), Some(item.handle));
                    let next = receive(stroke.payload, item.next, values);
                    if let Some((number, word)) = next {
                        item.queue(self.storm, self.any_address(number), &word);
                        item.queue(self.after, item.address(), &word);
                    }
                    self.nap(item, stroke.payload);
                })
            }
            Way::OneByOne => {
                let mut left_out = 0;
                self.storm.paint_in_rounds(world, 3, |world, stroke| left_out += self.paint_one(world, stroke));
                left_out
            }
        };
        let mut counted = self.left_out.get_mut(world);
        *counted = counted.wrapping_mul(31).wrapping_add(left_out.into());
        drop(counted);
        self.after.paint(world, |world, stroke| {
            let Some(thing) = self.things.handle(stroke.target) else { return };
            if let Some(mut thing) = self.things.find_mut(world, thing) {
                thing.chain = thing.chain.wrapping_mul(7).wrapping_add(stroke.payload.number.into());
            }
            if stroke.payload.number.is_multiple_of(5) {
                self.doom.queue(world, stroke.target, &1);
            }
            if stroke.payload.number.is_multiple_of(3) {
                self.before.queue(world, stroke.target, &stroke.payload);
            }
        });
        self.doom.paint(world, |world, stroke| {
            let Some(thing) = self.things.handle(stroke.target) else { return };
            if self.things.find(world, thing).is_some() {
                self.things.delete(world, thing);
            }
        });
        world.rest();
    }

    /// Paints one entry sequentially. Returns 1 if it is skipped.
    fn paint_one(&self, world: &mut World, stroke: Stroke<Word>) -> u32 {
        let found = self.things.handle(stroke.target);
        let Some(thing) = found.filter(|thing| self.things.find_raw(world, thing.raw()).is_some()) else {
            return 1;
        };
        let next = self.things.edit_both(world, thing, |thing, values| receive(stroke.payload, thing, values));
        if let Some((number, word)) = next {
            self.storm.queue_from(world, self.any_address(number), stroke.target, &word);
            self.after.queue_from(world, stroke.target, stroke.target, &word);
        }
        let cycle = world.cycle();
        match stroke.payload.number % 4 {
            0 => self.things.set_awake(world, thing, false),
            1 => self.things.set_awake(world, thing, true),
            2 => self.things.wake_at(world, thing, cycle + 5),
            _ => {}
        }
        0
    }

    fn nap(&self, item: &mut Item<'_, Thing>, word: Word) {
        match word.number % 4 {
            0 => item.sleep(),
            1 => item.wake(),
            2 => item.wake_at(item.cycle() + 5),
            _ => {}
        }
    }

    /// The address of the first entity of a slot, which may be deleted; or the world; or an invalid address.
    fn any_address(&self, number: u32) -> Address {
        match number {
            310.. => Address::WORLD,
            305.. => self.things.address(base::Handle::from_raw(number)),
            303.. => self.things.address(base::Handle::from_raw(0xf000_0000 | (number * 7))),
            _ => self.things.address(base::Handle::new(number as u16, 0xe874 + number as u16)),
        }
    }
}

/// Changes a thing so that the result depends on the order. Returns the target and the entry it queues.
fn receive(word: Word, thing: &mut Thing, values: &mut [f64]) -> Option<(u32, Word)> {
    thing.chain = thing.chain.wrapping_mul(0x9e37_79b9).wrapping_add(word.number.into());
    thing.hits = thing.hits.wrapping_add(1);
    thing.weight = -0.0;
    for (index, value) in values.iter_mut().enumerate() {
        *value = *value * 0.5 + f64::from(word.number) + index as f64;
    }
    let number = (thing.chain >> 7) as u32 % 330;
    (word.depth > 0).then(|| (number, Word { number, depth: word.depth - 1 }))
}

#[test]
fn parallel_painting_equals_sequential_painting() {
    for seed in 0..u64::from(repeat(6, 1)) {
        let (mut one_by_one, scene) = scene(CHECKED, 64 * 1024);
        let (mut together, _) = self::scene(Settings { shuffle: 9, ..CHECKED }, 64 * 1024);
        for cycle in 0..repeat(20, 3) {
            let is_storm = cycle % 3 == 0;
            scene.step(&mut one_by_one, Way::OneByOne, seed, is_storm);
            scene.step(&mut together, Way::Together(&Threads(2)), seed, is_storm);
            assert_same(&mut one_by_one, &mut together, &format!("seed {seed}, cycle {cycle}"));
        }
        assert_eq!(one_by_one.time().entries_refused, 0);
        let hits: u32 = scene.things.iterate(&one_by_one).map(|(_, thing)| thing.hits).sum();
        assert!(cfg!(miri) || hits > 500, "{hits} hits");
        assert!(*scene.left_out.get(&one_by_one) > 0);
    }
}

#[test]
fn painting_is_the_same_on_all_workers_even_if_outboxes_overflow() {
    let mut expected = None;
    for workers in workers::all().into_iter().step_by(repeat(1, 5) as usize) {
        let (mut world, scene) = scene(CHECKED, 1500);
        for cycle in 0..repeat(12, 3) {
            scene.step(&mut world, Way::Together(&*workers), 4, cycle % 3 != 2);
        }
        assert!(cfg!(miri) || world.time().entries_refused > 10);
        let hash = world.hash();
        assert_eq!(*expected.get_or_insert(hash), hash);
    }
}

#[test]
fn entries_queued_at_a_finished_brush_wait_for_the_next_cycle() {
    let (mut world, scene) = scene(CHECKED, 4000);
    world.simulate(&Alone, &[]);
    scene.before.paint(&mut world, |_, _| ());
    let thing = scene.things.at_slot(&world, 3).expect("it was made").0;
    scene.storm.queue(&mut world, scene.things.address(thing), &Word { number: 1, depth: 0 });
    let left_out = scene.storm.paint_entities(&mut world, &Alone, scene.things, |_, item, _| {
        item.queue(scene.before, item.address(), &Word { number: 8, depth: 0 });
        item.queue(scene.storm, item.address(), &Word { number: 9, depth: 0 });
    });
    world.rest();
    assert_eq!(left_out, 0);
    assert_eq!((scene.before.waiting(&world), scene.storm.waiting(&world)), (1, 1));
    let mut said = Vec::new();
    world.simulate(&Alone, &[]);
    scene.before.paint(&mut world, |_, stroke| said.push((stroke.source, stroke.payload.number)));
    assert_eq!(said, [(scene.things.address(thing), 8)]);
}

#[test]
fn a_target_created_in_this_cycle_has_no_frozen_state() {
    let (mut world, scene) = scene(CHECKED, 4000);
    world.simulate(&Alone, &[]);
    let thing = scene.things.create(&mut world, 2).expect("there is room");
    let old = scene.things.at_slot(&world, 3).expect("it was made").0;
    for target in [thing, old] {
        scene.storm.queue(&mut world, scene.things.address(target), &Word { number: 1, depth: 0 });
    }
    scene.storm.paint_entities(&mut world, &Alone, scene.things, |_, item, values| {
        assert_eq!(item.try_now().is_some(), item.handle == old);
        item.next.hits = 1 + values.len() as u32;
    });
    assert_eq!(scene.things.get(&world, thing).hits, 3);
}

#[test]
fn painting_targets_respects_the_phases_of_a_cycle() {
    let (mut world, scene) = scene(CHECKED, 4000);
    let paint = |world: &mut World, brush: Brush<Word>| {
        brush.paint_entities(world, &Alone, scene.things, |_, _, _| ());
    };
    assert_stops(&["brush \"storm\" paints after simulation"], || paint(&mut world, scene.storm));
    world.simulate(&Alone, &[]);
    paint(&mut world, scene.storm);
    assert_stops(&["brush \"storm\" paints once a cycle"], || paint(&mut world, scene.storm));
    assert_stops(&["brush \"before\" paints before \"storm\""], || paint(&mut world, scene.before));
    let mut layout = Layout::of_world("other");
    layout.system("all");
    layout.single::<u64>("one");
    let others = layout.entities::<Thing, f64>("things", CAPACITY, 10, 64);
    assert_stops(&["entities of another plan"], || {
        scene.after.paint_entities(&mut world, &Alone, others, |_, _, _| ());
    });
}

#[test]
fn a_panic_in_a_target_keeps_its_message_and_the_world_can_be_restored() {
    for workers in [&Alone as &dyn Workers, &Threads(3)] {
        let (mut world, scene) = scene(CHECKED, 4000);
        world.set_up(|_| ());
        let good = world.snapshot(&Heap);
        let hash = world.hash();
        world.simulate(&Alone, &[]);
        for (thing, _) in scene.things.iterate(good.block()) {
            scene.storm.queue(&mut world, scene.things.address(thing), &Word { number: 1, depth: 0 });
        }
        assert_stops(&["slot 70 is cursed"], || {
            scene.storm.paint_entities(&mut world, workers, scene.things, |_, item, _| {
                item.next.hits = 5;
                assert_ne!(item.handle.slot(), 70, "slot 70 is cursed");
            });
        });
        world.restore(&good);
        assert_eq!(world.hash(), hash);
        scene.step(&mut world, Way::Together(workers), 1, true);
    }
}

proptest! {
    #![proptest_config(cases(25))]

    #[test]
    fn results_do_not_depend_on_workers_shuffling_or_restoring(
        seed in any::<u64>(),
        shuffle in any::<u64>(),
        outbox in prop_oneof![Just(64 * 1024_u32), 0..3000_u32],
        crew in prop::collection::vec(1..17_u32, 1..if cfg!(miri) { 3 } else { 12 }),
    ) {
        let (mut plain, scene) = scene(CHECKED, outbox);
        let (mut other, _) = self::scene(Settings { garbage: 0, shuffle, ..CHECKED }, outbox);
        for world in [&mut plain, &mut other] {
            world.set_up(|_| ());
        }
        for (cycle, workers) in crew.into_iter().enumerate() {
            let is_storm = cycle % 2 == 0;
            scene.step(&mut plain, Way::Together(&Alone), seed, is_storm);
            let before = other.snapshot(&Heap);
            scene.step(&mut other, Way::Together(&Threads(3)), seed ^ 1, is_storm);
            other.restore(&before);
            let bytes = other.bytes().to_vec();
            other.adopt(&bytes).expect("it adds up");
            scene.step(&mut other, Way::Together(&Threads(workers)), seed, is_storm);
            prop_assert_eq!(plain.hash(), other.hash());
        }
        assert_same(&mut plain, &mut other, "at the end");
    }
}
