//! Datum arrays against a simple reference model.

use crate::common;

use base::handle::first_generation;
use base::{Handle, Plain};
use common::{CHECKED, assert_stops, cases, panic_message};
use proptest::prelude::*;
use proptest::sample::Index;
use state::{Alone, Datums, Heap, Layout, Settings, World, each};
use testing::workers::Threads;

#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
struct Ball {
    weight: f64,
    colour: u32,
    twin: Handle<Ball>,
}

fn balls(capacity: u32) -> (World, Datums<Ball>) {
    let mut layout = Layout::of_world("balls");
    layout.system("toys");
    let balls = layout.datums_in_chunks::<Ball>("balls", capacity, 64);
    (World::new(&layout.finish(), &Heap, CHECKED, 1), balls)
}

/// The bytes of one slot's value.
fn value_bytes(world: &World, name: &str, slot: u32) -> Vec<u8> {
    let region = world.plan().regions().iter().find(|region| region.name == name).expect("it was reserved");
    world.bytes()[region.elements.value(slot)].to_vec()
}

/// The reference model of an array, without bits or bytes.
#[derive(Clone, Debug)]
struct Model {
    slots: Vec<Option<(u16, u32, bool)>>,
    next_generation: u16,
    count_max: u32,
    refused: u64,
}

impl Model {
    fn new(capacity: u32) -> Model {
        Model {
            slots: vec![None; capacity as usize],
            next_generation: first_generation("balls"),
            count_max: 0,
            refused: 0,
        }
    }

    fn create(&mut self) -> Option<Handle<Ball>> {
        let Some(slot) = self.slots.iter().position(Option::is_none) else {
            self.refused += 1;
            return None;
        };
        let generation = self.next_generation;
        self.next_generation = if generation == 0xffff { 0x8000 } else { generation + 1 };
        self.slots[slot] = Some((generation, 0, true));
        self.count_max = self.count_max.max(self.count());
        Some(Handle::new(slot as u16, generation))
    }

    fn count(&self) -> u32 {
        self.slots.iter().flatten().count() as u32
    }

    fn find(&mut self, handle: Handle<Ball>) -> Option<&mut Option<(u16, u32, bool)>> {
        let slot = self.slots.get_mut(usize::from(handle.slot()))?;
        slot.is_some_and(|(generation, ..)| generation == handle.generation()).then_some(slot)
    }
}

#[derive(Clone, Debug)]
enum Operation {
    Create,
    Delete(Name),
    Edit(Name, u32),
    Read(Name),
    SetAwake(Name, bool),
    Cycle,
    SaveAndLoad,
}

/// The handle to use: one that was issued at some time, or one that never was.
#[derive(Clone, Debug)]
enum Name {
    Given(Index),
    Raw(u32),
}

fn name() -> impl Strategy<Value = Name> {
    prop_oneof![
        12 => any::<Index>().prop_map(Name::Given),
        1 => prop_oneof![Just(0), Just(u32::MAX), Just(0x8000_0000), any::<u32>()].prop_map(Name::Raw),
        1 => (0..80_u32, any::<u16>()).prop_map(|(slot, generation)| Name::Raw(u32::from(generation) << 16 | slot)),
    ]
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        6 => Just(Operation::Create),
        4 => name().prop_map(Operation::Delete),
        3 => (name(), any::<u32>()).prop_map(|(name, value)| Operation::Edit(name, value)),
        4 => name().prop_map(Operation::Read),
        2 => (name(), any::<bool>()).prop_map(|(name, is_awake)| Operation::SetAwake(name, is_awake)),
        1 => Just(Operation::Cycle),
        1 => Just(Operation::SaveAndLoad),
    ]
}

/// Every getter gives what the model gives; those that must not panic never do.
fn read(world: &mut World, balls: Datums<Ball>, model: &mut Model, handle: Handle<Ball>) {
    let expected = model.find(handle).and_then(|slot| *slot).map(|(_, colour, _)| colour);
    let raw = balls.find_raw(world, handle.raw());
    assert_eq!(raw.map(|(found, ball)| (found, ball.colour)), expected.map(|colour| (handle, colour)));
    assert_eq!(balls.find(world, handle).map(|ball| ball.colour), expected);
    assert_eq!(balls.find_mut(world, handle).map(|ball| ball.colour), expected);
    assert_eq!(balls.edit(world, handle, |ball| ball.colour), expected);
    match expected {
        Some(colour) => {
            assert_eq!(balls.get(world, handle).colour, colour);
            assert_eq!(balls.get_mut(world, handle).colour, colour);
            assert_eq!(balls.at_slot(world, handle.slot()).map(|(found, _)| found), Some(handle));
        }
        None => {
            assert_stops(&["datum array \"balls\""], || balls.get(world, handle).colour);
            assert_stops(&["datum array \"balls\""], || balls.get_mut(world, handle).colour);
        }
    }
}

fn compare(world: &World, balls: Datums<Ball>, model: &Model) {
    let living = model.slots.iter().enumerate().filter_map(|(slot, found)| Some((slot, (*found)?)));
    let expected: Vec<_> =
        living.map(|(slot, (generation, colour, _))| (Handle::new(slot as u16, generation), colour)).collect();
    let found: Vec<_> = balls.iterate(world).map(|(handle, ball)| (handle, ball.colour)).collect();
    assert_eq!(found, expected);
    assert_eq!(balls.count(world), model.count());
    for (slot, found) in model.slots.iter().enumerate() {
        let there = balls.at_slot(world, slot as u16).map(|(handle, ball)| (handle.generation(), ball.colour));
        assert_eq!(there, found.map(|(generation, colour, _)| (generation, colour)));
        match found {
            Some((generation, _, is_awake)) => {
                assert_eq!(balls.is_awake(world, Handle::new(slot as u16, *generation)), *is_awake)
            }
            None => assert!(value_bytes(world, "balls", slot as u32).iter().all(|byte| *byte == 0xdd)),
        }
    }
    let report = state::report::memory_report(world);
    let row = report.rows.iter().find(|row| row.region == "balls").expect("it has a row");
    let expected = (u64::from(model.count()), u64::from(model.count_max), model.refused);
    assert_eq!((row.used, row.used_max, row.refused), expected);
}

/// A cycle in which every awake ball increments its colour, and balls of odd colour fall asleep.
fn cycle(world: &mut World, balls: Datums<Ball>, model: &mut Model) {
    let update = each(balls, |ball| {
        ball.next.colour = ball.now().colour.wrapping_add(1);
        if ball.next.colour % 2 == 1 {
            ball.sleep();
        }
    });
    world.simulate(&Alone, &[&update]);
    world.rest();
    for (_, colour, is_awake) in model.slots.iter_mut().flatten().filter(|(_, _, is_awake)| *is_awake) {
        *colour = colour.wrapping_add(1);
        *is_awake = *colour % 2 == 0;
    }
}

fn follow(capacity: u32, operations: Vec<Operation>) {
    let (mut world, balls) = balls(capacity);
    let mut model = Model::new(capacity);
    let mut given: Vec<Handle<Ball>> = Vec::new();
    for operation in operations {
        let resolve = |name: &Name| match name {
            Name::Given(index) if !given.is_empty() => given[index.index(given.len())],
            Name::Given(_) => Handle::NONE,
            Name::Raw(raw) => Handle::from_raw(*raw),
        };
        match &operation {
            Operation::Create => {
                let created = world.set_up(|world| {
                    let (handle, mut ball) = balls.create(world)?;
                    assert_eq!(base::plain::bytes_of(&*ball), [0; 16], "a new datum is zero");
                    ball.weight = -0.0;
                    Some(handle)
                });
                assert_eq!(created, model.create());
                given.extend(created);
            }
            Operation::Delete(name) => {
                let handle = resolve(name);
                match model.find(handle) {
                    Some(slot) => {
                        *slot = None;
                        world.set_up(|world| balls.delete(world, handle));
                    }
                    None => assert_stops(&["datum array \"balls\""], || {
                        world.set_up(|world| balls.delete(world, handle));
                    }),
                }
            }
            Operation::Edit(name, colour) => {
                let handle = resolve(name);
                if let Some(Some((_, found, _))) = model.find(handle) {
                    *found = *colour;
                    world.set_up(|world| balls.get_mut(world, handle).colour = *colour);
                }
            }
            Operation::Read(name) => {
                let handle = resolve(name);
                world.set_up(|world| read(world, balls, &mut model, handle));
            }
            Operation::SetAwake(name, is_awake) => {
                let handle = resolve(name);
                if let Some(Some((_, _, found))) = model.find(handle) {
                    *found = *is_awake;
                    world.set_up(|world| balls.set_awake(world, handle, *is_awake));
                }
            }
            Operation::Cycle => cycle(&mut world, balls, &mut model),
            Operation::SaveAndLoad => {
                let bytes = world.bytes().to_vec();
                world.adopt(&bytes).expect("the bytes of a valid world are consistent");
                assert!(world.bytes() == bytes);
            }
        }
        if world.phase() == state::phase::Phase::SettingUp {
            world.set_up(|_| ());
        }
        compare(&world, balls, &model);
    }
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn an_array_matches_its_model(
        capacity in prop_oneof![1..6_u32, 60..70_u32, 127..130_u32],
        operations in prop::collection::vec(operation(), 1..common::repeat(120, 25) as usize),
    ) {
        follow(capacity, operations);
    }
}

#[test]
fn the_first_generation_comes_from_the_name() {
    let mut layout = Layout::of_world("generations");
    layout.system("all");
    let script = layout.datums::<u32>("script", 4);
    let mut world = World::new(&layout.finish(), &Heap, CHECKED, 1);
    let first = script.create(&mut world).expect("there is room").0;
    let second = script.create(&mut world).expect("there is room").0;
    assert_eq!((first.raw(), second.raw()), (0xe373_0000, 0xe374_0001));
}

#[test]
fn generations_count_over_all_slots_and_wrap() {
    let mut layout = Layout::of_world("generations");
    layout.system("all");
    let array = layout.datums::<u32>("~~", 3);
    let mut world = World::new(&layout.finish(), &Heap, CHECKED, 1);
    let mut expected = 0xfe7e;
    for round in 0..600 {
        let (handle, _) = array.create(&mut world).expect("there is room");
        assert_eq!((handle.slot(), handle.generation()), (0, expected), "round {round}");
        array.delete(&mut world, handle);
        expected = if expected == 0xffff { 0x8000 } else { expected + 1 };
    }
    assert!(expected < 0x9000, "it wrapped");
}

#[test]
fn a_new_datum_takes_the_first_free_slot() {
    let (mut world, balls) = balls(200);
    let handles: Vec<_> = (0..200).map(|_| balls.create(&mut world).expect("there is room").0).collect();
    for slot in [150, 3, 64, 63] {
        balls.delete(&mut world, handles[slot]);
    }
    let next: Vec<_> = (0..4).map(|_| balls.create(&mut world).expect("there is room").0.slot()).collect();
    assert_eq!(next, [3, 63, 64, 150]);
    assert!(balls.create(&mut world).is_none());
}

#[test]
fn the_last_slot_of_the_largest_array_can_be_used() {
    let mut layout = Layout::of_world("large");
    layout.system("all");
    let array = layout.datums::<u8>("large", 0xffff);
    let mut world = World::new(&layout.finish(), &Heap, Settings::default(), 1);
    let count = if cfg!(miri) { 100 } else { 0xffff };
    let mut last = Handle::NONE;
    for _ in 0..count {
        last = array.create(&mut world).expect("there is room").0;
    }
    assert!(!last.is_none());
    assert_eq!(u32::from(last.slot()) + 1, count);
    assert_eq!(array.get(&world, last), &0);
}

#[test]
#[should_panic(expected = "handles reach 65535")]
fn an_array_with_more_slots_than_handles_is_refused() {
    let mut layout = Layout::of_world("too large");
    layout.system("all");
    layout.datums::<u8>("large", 0x10000);
}

#[test]
fn running_out_of_slots_is_counted_and_affects_no_other_array() {
    let mut layout = Layout::of_world("two");
    layout.system("all");
    let small = layout.datums::<u32>("small", 2);
    let other = layout.datums::<u32>("other", 5);
    let mut world = World::new(&layout.finish(), &Heap, CHECKED, 1);
    for _ in 0..2 {
        small.create(&mut world).expect("there is room");
    }
    for _ in 0..3 {
        assert!(small.create(&mut world).is_none());
    }
    assert_eq!((small.count(&world), other.count(&world)), (2, 0));
    let report = state::report::memory_report(&world);
    let refused = |name: &str| report.rows.iter().find(|row| row.region == name).map(|row| row.refused);
    assert_eq!((refused("small"), refused("other")), (Some(3), Some(0)));
    assert!(other.create(&mut world).is_some());
}

#[test]
fn a_deleted_datum_is_filled_with_the_garbage_byte() {
    for garbage in [0x00, 0xdd, 0xff] {
        let mut layout = Layout::of_world("garbage");
        layout.system("all");
        let array = layout.datums::<[f32; 3]>("array", 2);
        let mut world = World::new(&layout.finish(), &Heap, Settings { garbage, ..CHECKED }, 1);
        let (handle, mut value) = array.create(&mut world).expect("there is room");
        *value = [1.0, 2.0, 3.0];
        drop(value);
        array.delete(&mut world, handle);
        assert_eq!(value_bytes(&world, "array", 0), [garbage; 12]);
        let (_, value) = array.create(&mut world).expect("there is room");
        assert_eq!(*value, [0.0; 3]);
    }
}

#[test]
fn stored_values_are_canonical() {
    let (mut world, balls) = balls(2);
    let (handle, mut ball) = balls.create(&mut world).expect("there is room");
    ball.weight = -0.0;
    drop(ball);
    assert_eq!(balls.get(&world, handle).weight.to_bits(), 0);
    balls.get_mut(&mut world, handle).weight = f64::from_bits(0xfff8_0000_0000_0001);
    assert_eq!(balls.get(&world, handle).weight.to_bits(), 0x7ff8_0000_0000_0000);
    world.simulate(&Alone, &[&each(balls, |ball| ball.next.weight = -0.0)]);
    assert_eq!(balls.get(&world, handle).weight.to_bits(), 0);
}

#[test]
fn panics_name_the_array_the_slot_and_the_generations() {
    let (mut world, balls) = balls(4);
    let (first, _) = balls.create(&mut world).expect("there is room");
    let (second, _) = balls.create(&mut world).expect("there is room");
    balls.delete(&mut world, first);
    let (third, _) = balls.create(&mut world).expect("there is room");
    balls.delete(&mut world, second);
    let array = "datum array \"balls\" of 4 Ball";
    let said = |handle: Handle<Ball>| panic_message(|| balls.get(&world, handle).colour);
    assert_eq!((first.generation(), third.generation()), (0xe162, 0xe164));
    let stale = said(first);
    assert_eq!(
        stale,
        format!("{array}: handle 0xe1620000 (slot 0, generation 0xe162) is stale: the slot holds generation 0xe164")
    );
    let free = said(second);
    assert_eq!(free, format!("{array}: handle 0xe1630001 (slot 1, generation 0xe163) is stale: the slot is free"));
    assert_eq!(said(Handle::NONE), format!("{array}: NONE names no datum"));
    let zero = said(Handle::from_raw(0));
    assert!(zero.starts_with(array) && zero.contains("slot 0, generation 0x0000") && zero.contains("never issued"));
    let beyond = said(Handle::new(4, 0xe164));
    assert!(beyond.contains("slot 4, generation 0xe164") && beyond.contains("out of range"), "{beyond}");
    assert_stops(&[array, "never issued"], || balls.get(&world, Handle::new(1, 0x7fff)).colour);
    assert_stops(&[array, "out of range"], || balls.get(&world, Handle::new(9, 0x8000)).colour);
    assert_stops(&[array, "slot 4 is out of range"], || balls.at_slot(&world, 4).is_some());
    assert_stops(&[array, "slot 0, generation 0xe162", "0xe164"], || balls.is_awake(&world, first));
    assert_stops(&[array, "slot 0, generation 0xe162", "0xe164"], || balls.delete(&mut world, first));
    assert_stops(&[array, "slot 0, generation 0xe162", "0xe164"], || balls.set_awake(&mut world, first, true));
}

#[test]
fn a_datum_without_bytes_can_be_counted_named_and_deleted() {
    #[derive(Clone, Copy, Debug, Plain)]
    #[repr(C)]
    struct Mark;

    let mut layout = Layout::of_world("marks");
    layout.system("all");
    // With this capacity the last slot ends at the end of the block.
    let marks = layout.datums::<Mark>("marks", 1800);
    let plan = layout.finish();
    let region = &plan.regions()[1];
    assert_eq!(region.elements.element(1799).end, plan.bytes(), "the last slot ends at the end of the block");
    let mut world = World::new(&plan, &Heap, CHECKED, 1);
    let handles: Vec<_> = (0..1800).map(|_| marks.create(&mut world).expect("there is room").0).collect();
    world.simulate(&Threads(2), &[&each(marks, |mark| mark.sleep())]);
    marks.delete(&mut world, handles[1799]);
    world.rest();
    assert_eq!(marks.count(&world), 1799);
    assert!(!marks.is_awake(&world, handles[5]));
    world.hash();
}

#[test]
fn the_refusal_counter_saturates() {
    let (mut world, balls) = balls(1);
    balls.create(&mut world).expect("there is room");
    world.set_up(|_| ());
    let mut bytes = world.bytes().to_vec();
    let region = world.plan().regions().iter().find(|region| region.name == "balls").expect("it was reserved");
    // The fourth number of the head counts refusals.
    bytes[region.bytes.start + 12..region.bytes.start + 16].fill(0xff);
    world.adopt(&bytes).expect("a saturated counter is consistent");
    world.set_up(|world| assert!(balls.create(world).is_none()));
    let report = state::report::memory_report(&world);
    assert_eq!(report.rows[1].refused, u64::from(u32::MAX));
}
