//! Painting all targets at once: the same as one after the other, with any crew, in any order of queueing.

mod common;

use base::Plain;
use base::random::{Draw, Random};
use common::crews::{self, Threads};
use common::{CHECKED, assert_same, assert_stops, cases, repeat};
use proptest::prelude::*;
use state::{Address, Alone, Brush, Entities, Heap, Item, Layout, One, Settings, Stroke, Workers, World, each_entity};

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
    left_out: One<u64>,
}

const CAPACITY: u32 = 300;

fn scene(settings: Settings, outbox_bytes: u32) -> (World, Scene) {
    let mut layout = Layout::of_world("storms");
    layout.set_outbox_bytes(outbox_bytes);
    layout.system("life");
    let things = layout.entities("things", CAPACITY, 1500, 64);
    let left_out = layout.one("left out");
    layout.system("causes");
    let before = layout.brush("before", 200);
    let storm = layout.brush("storm", 200);
    let after = layout.brush("after", 200);
    let doom = layout.brush("doom", 50);
    let scene = Scene { things, before, storm, after, doom, left_out };
    let mut world = World::new(&layout.finish(), &Heap, settings, 1);
    for number in 0..200 {
        let thing = scene.things.create(&mut world, number % 7).expect("there is room");
        scene.things.edit(&mut world, thing).chain = number.into();
    }
    (world, scene)
}

/// How a world of the tests is stepped.
#[derive(Clone, Copy)]
enum Way<'a> {
    /// All targets at once.
    Together(&'a dyn Workers),
    /// One entry after the other, which must be the same as long as nobody queues for who is done.
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
                        item.queue(self.storm, self.anybody(chance.below(330)), &word);
                    }
                }
            })],
        );
        self.before.paint(world, |world, stroke| {
            // Somebody made in this very cycle is queued for, too.
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
                        item.queue(self.storm, self.anybody(number), &word);
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
        let mut counted = self.left_out.edit(world);
        *counted = counted.wrapping_mul(31).wrapping_add(left_out.into());
        drop(counted);
        self.after.paint(world, |world, stroke| {
            let Some(thing) = self.things.handle(stroke.target) else { return };
            if let Some(mut thing) = self.things.try_edit(world, thing) {
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
            if self.things.try_get(world, thing).is_some() {
                self.things.delete(world, thing);
            }
        });
        world.rest();
    }

    /// What the other way does with an entry, one after the other. Gives one if it is left out.
    fn paint_one(&self, world: &mut World, stroke: Stroke<Word>) -> u32 {
        let found = self.things.handle(stroke.target);
        let Some(thing) = found.filter(|thing| self.things.get_untrusted(world, thing.raw()).is_some()) else {
            return 1;
        };
        let next = self.things.edit_both(world, thing, |thing, values| receive(stroke.payload, thing, values));
        if let Some((number, word)) = next {
            self.storm.queue_from(world, self.anybody(number), stroke.target, &word);
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

    /// The first user of a slot, who may be gone; or nobody; or nonsense.
    fn anybody(&self, number: u32) -> Address {
        match number {
            310.. => Address::WORLD,
            305.. => self.things.address(base::Handle::from_raw(number)),
            303.. => self.things.address(base::Handle::from_raw(0xf000_0000 | (number * 7))),
            _ => self.things.address(base::Handle::new(number as u16, 0xe874 + number as u16)),
        }
    }
}

/// Changes a thing so that the order shows. Gives what it says to whom.
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
fn all_at_once_is_the_same_as_one_after_the_other() {
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
fn every_crew_paints_the_same_also_where_outboxes_overflow() {
    let mut expected = None;
    for workers in crews::all().into_iter().step_by(repeat(1, 5) as usize) {
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
fn what_a_target_queues_at_a_brush_that_is_done_waits_for_the_next_cycle() {
    let (mut world, scene) = scene(CHECKED, 4000);
    world.simulate(&Alone, &[]);
    scene.before.paint(&mut world, |_, _| ());
    let thing = scene.things.get_absolute(&world, 3).expect("it was made").0;
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
fn a_target_that_was_made_in_this_cycle_has_no_frozen_state() {
    let (mut world, scene) = scene(CHECKED, 4000);
    world.simulate(&Alone, &[]);
    let thing = scene.things.create(&mut world, 2).expect("there is room");
    let old = scene.things.get_absolute(&world, 3).expect("it was made").0;
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
fn painting_targets_keeps_to_the_order_of_a_cycle() {
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
    layout.one::<u64>("one");
    let others = layout.entities::<Thing, f64>("things", CAPACITY, 10, 64);
    assert_stops(&["entities of another plan"], || {
        scene.after.paint_entities(&mut world, &Alone, others, |_, _, _| ());
    });
}

#[test]
fn a_panic_in_a_target_says_what_it_said_and_the_world_can_be_put_back() {
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
    fn neither_workers_nor_shuffling_nor_being_put_back_show(
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
