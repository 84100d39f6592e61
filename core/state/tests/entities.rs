//! Entities: a datum and a row of values each, created, changed, resized and deleted together.

use crate::common;

use std::collections::BTreeMap;

use base::{Handle, Plain};
use common::nonsense::{apply, change, structure};
use common::{CHECKED, assert_same, assert_stops, cases, repeat};
use proptest::prelude::*;
use state::limits::ALARM_CYCLES;
use state::report::memory_report;
use state::{Alone, Entities, Heap, Layout, Settings, Workers, World, differences, each, each_entity};
use testing::workers::{self, Threads};

#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
struct Thing {
    weight: f32,
    kind: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Plain)]
#[repr(C)]
struct Cell {
    bits: u64,
    share: f64,
}

type Things = Entities<Thing, Cell>;

const CAPACITY: u32 = 130;
const VALUES: u32 = 600;

fn scene(settings: Settings) -> (World, Things) {
    let mut layout = Layout::of_world("things");
    layout.system("before");
    layout.datums::<u32>("others", 10);
    layout.system("life");
    let things = layout.entities::<Thing, Cell>("things", CAPACITY, VALUES, 64);
    layout.system("after");
    layout.single::<u64>("one");
    (World::new(&layout.finish(), &Heap, settings, 1), things)
}

fn refused(world: &World, region: &str) -> u64 {
    memory_report(world).rows.iter().find(|row| row.region == region).expect("it was reserved").refused
}

#[test]
fn a_new_entity_is_zeros_and_awake() {
    let (mut world, things) = scene(CHECKED);
    let thing = things.create(&mut world, 5).expect("there is room");
    assert_eq!(things.get(&world, thing), &Thing { weight: 0.0, kind: 0 });
    assert_eq!(things.values(&world, thing), [Cell::default(); 5]);
    assert!(things.is_awake(&world, thing));
    let bare = things.create(&mut world, 0).expect("there is room");
    assert!(things.values(&world, bare).is_empty());
    assert_eq!((things.count(&world), things.capacity()), (2, CAPACITY));
    let found: Vec<_> = things.iterate(&world).map(|(handle, _)| handle).collect();
    assert_eq!(found, [thing, bare]);
    assert_eq!(things.handle(things.address(bare)), Some(bare));
}

#[test]
fn both_parts_can_be_changed_together_and_are_made_canonical() {
    let (mut world, things) = scene(CHECKED);
    let thing = things.create(&mut world, 2).expect("there is room");
    let sum = things.edit_both(&mut world, thing, |thing, values| {
        thing.weight = -0.0;
        values[1].share = -0.0;
        values[0].bits = 7;
        values.len()
    });
    assert_eq!(sum, 2);
    assert_eq!(things.get(&world, thing).weight.to_bits(), 0);
    assert_eq!(things.values(&world, thing)[1].share.to_bits(), 0);
    assert_eq!(things.values(&world, thing)[0].bits, 7);
    world.hash();
}

#[test]
fn a_stale_handle_finds_no_values() {
    let (mut world, things) = scene(CHECKED);
    let thing = things.create(&mut world, 2).expect("there is room");
    things.delete(&mut world, thing);
    let next = things.create(&mut world, 3).expect("there is room");
    assert_eq!(next.slot(), thing.slot());
    assert!(things.find(&world, thing).is_none() && things.find_mut(&mut world, thing).is_none());
    assert!(things.find_values(&world, thing.raw()).is_none());
    assert!(things.find_values(&world, 0xdead_beef).is_none());
    let (found, _, values) = things.find_values(&world, next.raw()).expect("it lives");
    assert_eq!((found, values.len()), (next, 3));
    let words = ["\"things\"", "is stale"];
    assert_stops(&words, || things.values(&world, thing).len());
    assert_stops(&words, || things.edit_both(&mut world, thing, |_, _| ()));
    assert_stops(&words, || things.resize(&mut world, thing, 1));
    assert_stops(&words, || things.wake_at(&mut world, thing, 1));
    assert_stops(&words, || things.delete(&mut world, thing));
    assert_stops(&["NONE names no datum"], || things.values(&world, Handle::NONE).len());
    assert_eq!(things.count(&world), 1);
}

#[test]
fn entities_cannot_be_written_while_the_world_rests() {
    let (mut world, things) = scene(CHECKED);
    let thing = things.create(&mut world, 2).expect("there is room");
    world.set_up(|_| ());
    let before = world.bytes().to_vec();
    let resting = "while the world is resting";
    assert_stops(&["create in \"things\"", resting], || things.create(&mut world, 1));
    assert_stops(&["delete from \"things\"", resting], || things.delete(&mut world, thing));
    assert_stops(&["edit \"things\"", resting], || things.edit_both(&mut world, thing, |_, _| ()));
    assert_stops(&["edit \"things values\"", resting], || things.resize(&mut world, thing, 3));
    assert_stops(&["edit \"things alarms\"", resting], || things.wake_at(&mut world, thing, 3));
    assert!(world.bytes() == before);
}

#[test]
fn an_entity_that_does_not_fit_is_refused_and_counted() {
    let (mut world, things) = scene(CHECKED);
    let large = things.create(&mut world, VALUES).expect("exactly this many values were reserved");
    assert!(things.create(&mut world, 1000).is_none());
    assert!(things.create(&mut world, u32::MAX).is_none());
    assert_eq!((refused(&world, "things"), refused(&world, "things values bytes")), (0, 2));
    assert_eq!(things.count(&world), 1);
    while things.create(&mut world, 0).is_some() {}
    assert_eq!(things.count(&world), CAPACITY, "there is a slot for each, although one row has all the values");
    assert_eq!((refused(&world, "things"), refused(&world, "things values bytes")), (1, 2));
    assert!(!things.resize(&mut world, large, VALUES + 200));
    assert_eq!(things.values(&world, large).len(), VALUES as usize);
    assert_eq!((refused(&world, "things"), refused(&world, "things values bytes")), (1, 3));
    let bytes = world.bytes().to_vec();
    world.adopt(&bytes).expect("no partial entity is left");
}

#[test]
fn a_layout_that_is_too_large_stops_the_program_with_its_name() {
    assert_stops(&["\"things\"", "a block has at most"], || {
        let mut layout = Layout::of_world("large");
        layout.system("all");
        layout.entities::<Thing, Cell>("things", 65_535, u32::MAX, 64);
    });
}

#[test]
fn a_difference_in_a_value_names_the_entity_and_the_value() {
    let (mut left, things) = scene(CHECKED);
    let (mut right, _) = scene(CHECKED);
    for world in [&mut left, &mut right] {
        for _ in 0..100 {
            things.create(world, 1 + world.cycle() as u32).expect("there is room");
        }
        let (first, _) = things.at_slot(world, 31).expect("it was made");
        assert!(things.resize(world, first, 5));
    }
    let thing = things.at_slot(&left, 31).expect("it was made").0;
    let said = |left: &World, right: &World| -> Vec<String> {
        differences(left, right, 10).iter().map(|found| found.to_string()).collect()
    };
    things.edit_both(&mut right, thing, |_, values| values[3].bits = 6);
    assert_eq!(said(&left, &right), ["cycle 0, life, things[#0x001F].values[3].bits: 0 ≠ 6"]);
    things.get_mut(&mut left, thing).kind = 9;
    assert_eq!(said(&left, &right)[0], "cycle 0, life, things[#0x001F].kind: 9 ≠ 0");
    things.get_mut(&mut right, thing).kind = 9;
    things.edit_both(&mut left, thing, |_, values| values[3].bits = 6);
    assert!(said(&left, &right).is_empty());
    things.wake_at(&mut left, thing, 77);
    let alarm = "cycle 0, life, things[#0x001F].alarm for the cycle that is 77 of every 128: true ≠ false";
    assert_eq!(said(&left, &right), [alarm]);
    things.wake_at(&mut right, thing, 77);
    assert_same(&mut left, &mut right, "at the end");
    things.resize(&mut right, thing, 6);
    assert!(said(&left, &right)[0].contains("things values, slot 31: bytes 80 ≠ 96"), "{:?}", said(&left, &right));
}

/// Runs an update that uses every operation on a thing.
fn live(world: &mut World, things: Things, workers: &dyn Workers) {
    world.simulate(
        workers,
        &[&each_entity(things, |item, values| {
            let now = item.now().kind;
            assert_eq!(values, things.values(item.frozen, item.handle), "the next values start as the present ones");
            item.next.kind = now.wrapping_add(1);
            for (index, value) in values.iter_mut().enumerate() {
                value.bits = value.bits.wrapping_mul(31).wrapping_add(index as u64 + u64::from(now));
                value.share = -0.0;
            }
            if now % 5 == 4 {
                item.sleep_until(item.cycle() + u64::from(now % 3));
            }
        })],
    );
    world.rest();
}

#[test]
fn updates_are_the_same_on_all_workers() {
    let mut expected = None;
    for workers in workers::all().into_iter().step_by(repeat(1, 5) as usize) {
        let (mut world, things) = scene(CHECKED);
        for number in 0..CAPACITY {
            let thing = things.create(&mut world, number % 9).expect("there is room");
            things.get_mut(&mut world, thing).kind = number;
        }
        for _ in 0..repeat(20, 3) {
            live(&mut world, things, &*workers);
        }
        let hash = world.hash();
        assert_eq!(*expected.get_or_insert(hash), hash);
        let bytes = world.bytes().to_vec();
        world.adopt(&bytes).expect("all values are canonical");
    }
}

#[test]
fn keys_of_another_plan_are_detected() {
    let mut layout = Layout::of_world("other");
    layout.system("before");
    layout.datums::<u32>("others", 10);
    layout.system("life");
    let others = layout.entities::<Thing, Cell>("things", CAPACITY, VALUES + 50, 64);
    layout.finish();
    let (mut world, things) = scene(CHECKED);
    things.create(&mut world, 4).expect("there is room");
    assert_stops(&["another plan"], || world.simulate(&Alone, &[&each_entity(others, |_, _| ())]));
    world.simulate(&Alone, &[&each_entity(things, |_, _| ())]);
}

#[test]
fn only_entities_have_alarms() {
    let mut layout = Layout::of_world("bare");
    layout.system("all");
    let others = layout.datums::<u32>("others", 10);
    let mut world = World::new(&layout.finish(), &Heap, CHECKED, 1);
    others.create(&mut world).expect("there is room");
    assert_stops(&["\"others\" has no alarms", "Layout::entities"], || {
        world.simulate(&Alone, &[&each(others, |item| item.sleep_until(3))]);
    });
}

/// The cycles in which the only entity is visited, if it does `what` in the first of them.
fn visits(what: impl Fn(&mut state::Item<'_, Thing>) + Sync, cycles: u64) -> Vec<u64> {
    let (mut world, things) = scene(CHECKED);
    let thing = things.create(&mut world, 1).expect("there is room");
    let mut visits = Vec::new();
    for cycle in 0..cycles {
        let before = things.get(&world, thing).kind;
        world.simulate(
            &Alone,
            &[&each_entity(things, |item, _| {
                if item.next.kind == 0 {
                    what(item)
                } else {
                    item.sleep()
                }
                item.next.kind += 1;
            })],
        );
        if things.get(&world, thing).kind != before {
            visits.push(cycle);
        }
        world.rest();
    }
    visits
}

#[test]
fn an_entity_that_sleeps_until_a_cycle_is_awake_in_it() {
    assert_eq!(visits(|item| item.sleep_until(5), 10), [0, 5]);
    assert_eq!(visits(|item| item.sleep_until(1), 10), [0, 1]);
    assert_eq!(visits(|item| item.sleep_until(0), 10), [0, 1], "an alarm in the past goes off in the next cycle");
    let far = ALARM_CYCLES - 1;
    assert_eq!(visits(|item| item.sleep_until(far), 300), [0, far]);
    assert_eq!(
        visits(|item| item.sleep_until(far + 1), 300),
        [0, far],
        "an alarm beyond the timing wheel goes off early"
    );
    assert_eq!(visits(|item| item.sleep_until(u64::MAX), 300), [0, far]);
    assert_eq!(visits(|item| item.sleep(), 300), [0]);
    let twice = |item: &mut state::Item<'_, Thing>| {
        item.sleep_until(9);
        item.sleep_until(4);
        item.sleep_until(7);
    };
    assert_eq!(visits(twice, 20), [0, 4], "the earliest alarm counts");
    let woken = |item: &mut state::Item<'_, Thing>| {
        item.sleep();
        item.wake();
        item.wake_at(6);
    };
    assert_eq!(visits(woken, 20), [0, 1, 6], "an awake entity can set an alarm too");
}

#[test]
fn an_alarm_of_a_deleted_entity_wakes_at_most_its_successor() {
    let (mut world, things) = scene(CHECKED);
    let first = things.create(&mut world, 1).expect("there is room");
    let second = things.create(&mut world, 1).expect("there is room");
    for thing in [first, second] {
        things.set_awake(&mut world, thing, false);
        things.wake_at(&mut world, thing, 2);
    }
    things.delete(&mut world, first);
    things.delete(&mut world, second);
    let next = things.create(&mut world, 1).expect("there is room");
    things.set_awake(&mut world, next, false);
    for cycle in 0..4 {
        world.simulate(&Alone, &[]);
        world.rest();
        assert_eq!(things.is_awake(&world, next), cycle >= 2);
        let bytes = world.bytes().to_vec();
        world.adopt(&bytes).expect("a dead slot has no awake bit");
    }
}

#[test]
fn continuing_from_another_cycle_count_wakes_all_entities_once() {
    let (mut world, things) = scene(CHECKED);
    let thing = things.create(&mut world, 1).expect("there is room");
    things.set_awake(&mut world, thing, false);
    things.wake_at(&mut world, thing, 50);
    world.go_on_from(0);
    assert!(!things.is_awake(&world, thing), "the same count changes nothing");
    world.go_on_from(1000);
    assert!(things.is_awake(&world, thing));
    world.set_up(|world| things.set_awake(world, thing, false));
    for _ in 0..ALARM_CYCLES {
        world.simulate(&Alone, &[]);
        world.rest();
        assert!(!things.is_awake(&world, thing), "the old alarm is cleared");
    }
}

/// The region of this name.
fn region<'a>(world: &'a World, name: &str) -> &'a state::plan::Region {
    world.plan().regions().iter().find(|region| region.name == name).expect("it was reserved")
}

#[test]
fn a_row_in_a_different_slot_than_its_entity_is_refused() {
    let (mut world, things) = scene(CHECKED);
    things.create(&mut world, 1).expect("there is room");
    things.create(&mut world, 2).expect("there is room");
    let bytes = world.bytes().to_vec();
    let mut spoilt = bytes.clone();
    let owners = region(&world, "things values");
    // Moves the owner of the second row from slot 1 to slot 5, with its living and awake bits, the lowest possibly free
    // slot and the slot stored in the row.
    let (from, to) = (owners.elements.element(1), owners.elements.element(5));
    spoilt.copy_within(from.clone(), to.start);
    spoilt[from.start..from.start + 2].fill(0);
    let bits = owners.bytes.start + 24;
    for set in [bits, bits + 24] {
        assert_eq!(spoilt[set], 0b11);
        spoilt[set] = 0b10_0001;
    }
    spoilt[owners.bytes.start + 8] = 1;
    let row = region(&world, "things values bytes").elements.element(1).start;
    assert_eq!(spoilt[row], 1, "the owner's slot");
    spoilt[row] = 5;
    let said = world.adopt(&spoilt).expect_err("the owner is in another slot").to_string();
    assert!(said.contains("\"things values\": slot 1 is living in only one of this array and \"things\""), "{said}");
    world.adopt(&bytes).expect("nothing was changed");
}

#[test]
fn an_alarm_for_a_slot_out_of_range_is_refused() {
    let (mut world, _) = scene(CHECKED);
    let mut bytes = world.bytes().to_vec();
    let alarms = region(&world, "things alarms").bytes.start;
    // 130 slots take three words per cycle; the last word has two bits.
    bytes[alarms + 5 * 24 + 16] = 0b10;
    world.adopt(&bytes).expect("there is a slot 129");
    bytes[alarms + 5 * 24 + 16] = 0b100;
    let said = world.adopt(&bytes).expect_err("there is no slot 130").to_string();
    assert!(said.contains("\"things alarms\": an alarm is set for a slot beyond 130"), "{said}");
}

#[test]
fn the_hash_of_the_plan_covers_entities() {
    let hash = |values: u32, chunk: u32, twice: bool| {
        let mut layout = Layout::of_world("things");
        layout.system("life");
        layout.entities::<Thing, Cell>("things", 130, values, chunk);
        if twice {
            layout.entities::<Thing, u8>("more", 1, 1, 64);
        }
        layout.finish().hash()
    };
    let all = [hash(600, 64, false), hash(700, 64, false), hash(600, 128, false), hash(600, 64, true)];
    for (index, one) in all.iter().enumerate() {
        assert!(!all[..index].contains(one));
    }
    assert_eq!(all[0], hash(600, 64, false));
}

/// An operation of the random test below. Numbers select among the existing entities.
#[derive(Clone, Debug)]
enum Act {
    Create(u32),
    Delete(usize),
    Resize(usize, u32),
    Write(usize, u64),
    Awake(usize, bool),
    Alarm(usize, u64),
    Step,
    Save,
    Restore,
    Adopt,
}

fn act() -> impl Strategy<Value = Act> {
    let count = || prop_oneof![8 => 0..12_u32, 1 => 0..200_u32, 1 => Just(VALUES)];
    prop_oneof![
        6 => count().prop_map(Act::Create),
        3 => any::<usize>().prop_map(Act::Delete),
        4 => (any::<usize>(), count()).prop_map(|(which, count)| Act::Resize(which, count)),
        3 => (any::<usize>(), any::<u64>()).prop_map(|(which, bits)| Act::Write(which, bits)),
        2 => (any::<usize>(), any::<bool>()).prop_map(|(which, awake)| Act::Awake(which, awake)),
        3 => (any::<usize>(), 0..150_u64).prop_map(|(which, ahead)| Act::Alarm(which, ahead)),
        4 => Just(Act::Step),
        1 => Just(Act::Save),
        1 => Just(Act::Restore),
        1 => Just(Act::Adopt),
    ]
}

/// The model of an entity.
#[derive(Clone, Debug, PartialEq)]
struct Known {
    values: Vec<u64>,
    kind: u32,
    is_awake: bool,
}

#[derive(Clone, Debug, Default)]
struct Model {
    living: BTreeMap<u16, (Handle<Thing>, Known)>,
    /// Slots to be woken, by cycle.
    alarms: BTreeMap<u64, Vec<u16>>,
    cycle: u64,
}

impl Model {
    fn pick(&mut self, which: usize) -> Option<&mut (Handle<Thing>, Known)> {
        let count = self.living.len();
        if count == 0 { None } else { self.living.values_mut().nth(which % count) }
    }

    fn granules(&self) -> u64 {
        self.living.values().map(|(_, known)| granules(known.values.len() as u32)).sum()
    }

    fn step(&mut self) {
        for slot in self.alarms.remove(&self.cycle).unwrap_or_default() {
            if let Some((_, known)) = self.living.get_mut(&slot) {
                known.is_awake = true;
            }
        }
        for (slot, (_, known)) in self.living.iter_mut().filter(|(_, (_, known))| known.is_awake) {
            known.kind = known.kind.wrapping_add(1);
            known.values.iter_mut().for_each(|value| *value = value.wrapping_add(u64::from(*slot)));
            if known.kind % 3 == 0 {
                known.is_awake = false;
                self.alarms.entry(self.cycle + 1 + u64::from(known.kind) % 127).or_default().push(*slot);
            }
        }
        self.cycle += 1;
    }

    fn assert_is(&self, world: &World, things: Things) {
        let found: Vec<_> = things.iterate(world).collect();
        assert_eq!(found.len(), self.living.len());
        for ((handle, thing), (expected, known)) in found.into_iter().zip(self.living.values()) {
            let values = things.values(world, handle).iter().map(|value| value.bits).collect();
            let is_awake = things.is_awake(world, handle);
            assert_eq!((handle, &Known { values, kind: thing.kind, is_awake }), (*expected, known));
        }
    }
}

fn granules(values: u32) -> u64 {
    (16 + u64::from(values) * 16).div_ceil(32)
}

fn pool_granules() -> u64 {
    (u64::from(VALUES) * 16 + u64::from(CAPACITY) * 47).div_ceil(32)
}

fn step(world: &mut World, things: Things, workers: &dyn Workers) {
    world.simulate(
        workers,
        &[&each_entity(things, |item, values| {
            item.next.kind = item.next.kind.wrapping_add(1);
            let slot = u64::from(item.handle.slot());
            values.iter_mut().for_each(|value| value.bits = value.bits.wrapping_add(slot));
            if item.next.kind % 3 == 0 {
                item.sleep_until(item.cycle() + 1 + u64::from(item.next.kind) % 127);
            }
        })],
    );
    world.rest();
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn entities_match_their_model(
        acts in prop::collection::vec(act(), 1..if cfg!(miri) { 30 } else { 250 }),
        workers in 1..4_u32,
        garbage in prop_oneof![Just(0_u8), Just(0xdd)],
    ) {
        let (mut world, things) = scene(Settings { garbage, ..CHECKED });
        let mut model = Model::default();
        let mut kept = None;
        world.set_up(|_| ());
        for act in acts {
            match act {
                Act::Create(count) => {
                    let made = world.set_up(|world| things.create(world, count));
                    let fits = model.living.len() < CAPACITY as usize
                        && model.granules() + granules(count) <= pool_granules();
                    assert_eq!(made.is_some(), fits);
                    if let Some(handle) = made {
                        let free = (0..).find(|slot| !model.living.contains_key(slot));
                        assert_eq!(Some(handle.slot()), free, "the first free slot");
                        let known = Known { values: vec![0; count as usize], kind: 0, is_awake: true };
                        model.living.insert(handle.slot(), (handle, known));
                    }
                }
                Act::Delete(which) => {
                    if let Some((handle, _)) = model.pick(which).cloned() {
                        world.set_up(|world| things.delete(world, handle));
                        model.living.remove(&handle.slot());
                    }
                }
                Act::Resize(which, count) => {
                    let used = model.granules();
                    let Some((handle, known)) = model.pick(which) else { continue };
                    let now = granules(known.values.len() as u32);
                    let fits = used - now + granules(count) <= pool_granules();
                    let is_done = world.set_up(|world| things.resize(world, *handle, count));
                    assert_eq!(is_done, fits, "from {} to {count} values", known.values.len());
                    if fits {
                        known.values.resize(count as usize, 0);
                    }
                }
                Act::Write(which, bits) => {
                    let Some((handle, known)) = model.pick(which) else { continue };
                    world.set_up(|world| things.edit_both(world, *handle, |thing, values| {
                        thing.kind = bits as u32;
                        values.iter_mut().for_each(|value| value.bits = bits);
                    }));
                    known.kind = bits as u32;
                    known.values.fill(bits);
                }
                Act::Awake(which, is_awake) => {
                    let Some((handle, known)) = model.pick(which) else { continue };
                    world.set_up(|world| things.set_awake(world, *handle, is_awake));
                    known.is_awake = is_awake;
                }
                Act::Alarm(which, ahead) => {
                    let Some((handle, _)) = model.pick(which).cloned() else { continue };
                    let cycle = world.cycle();
                    world.set_up(|world| things.wake_at(world, handle, cycle + ahead));
                    model.alarms.entry(cycle + ahead.min(ALARM_CYCLES - 2)).or_default().push(handle.slot());
                }
                Act::Step => {
                    step(&mut world, things, &Threads(workers));
                    model.step();
                }
                Act::Save => kept = Some((world.snapshot(&Heap), model.clone())),
                Act::Restore => {
                    if let Some((snapshot, known)) = &kept {
                        world.restore(snapshot);
                        model = known.clone();
                    }
                }
                Act::Adopt => {
                    let bytes = world.bytes().to_vec();
                    world.adopt(&bytes).expect("it adds up");
                }
            }
            model.assert_is(&world, things);
        }
        world.hash();
    }

    #[test]
    fn corrupt_blocks_are_refused_or_harmless(
        changes in prop::collection::vec((any::<usize>(), any::<usize>(), change()), 1..4),
        is_anywhere in any::<bool>(),
    ) {
        let (mut world, things) = scene(CHECKED);
        for number in 0..40 {
            let thing = things.create(&mut world, number % 6).expect("there is room");
            things.get_mut(&mut world, thing).kind = number;
            if number % 5 == 4 {
                things.delete(&mut world, thing);
            }
        }
        (0..3).for_each(|_| step(&mut world, things, &Alone));
        let mut bytes = world.bytes().to_vec();
        let groups = structure(world.plan(), &bytes);
        for (group, place, change) in changes {
            let group = &groups[group % groups.len()];
            let at = if is_anywhere { place % bytes.len() } else { group[place % group.len()] };
            apply(&mut bytes, at, change);
        }
        let before = world.hash();
        if world.adopt(&bytes).is_err() {
            prop_assert_eq!(world.hash(), before);
            return Ok(());
        }
        for round in 0..5 {
            step(&mut world, things, &Threads(2));
            let found: Vec<_> = things.iterate(&world).map(|(handle, _)| handle).collect();
            world.set_up(|world| {
                for (number, thing) in found.into_iter().enumerate() {
                    match (number + round) % 4 {
                        0 => things.delete(world, thing),
                        1 => assert!(things.values(world, thing).len() < 1 << 20),
                        _ => {
                            things.resize(world, thing, number as u32 % 9);
                        }
                    }
                }
                while things.create(world, 7).is_some() {}
            });
        }
        let bytes = world.bytes().to_vec();
        world.adopt(&bytes).expect("a stepped world is consistent");
        world.hash();
    }

    #[test]
    fn restoring_in_every_cycle_changes_nothing(
        numbers in prop::collection::vec(0..20_u32, 1..40),
        cycles in 1..if cfg!(miri) { 5 } else { 60_u32 },
    ) {
        let (mut plain, things) = scene(CHECKED);
        let (mut other, _) = scene(Settings { garbage: 0x11, shuffle: 3, ..CHECKED });
        for world in [&mut plain, &mut other] {
            for number in &numbers {
                if let Some(thing) = things.create(world, *number) {
                    things.get_mut(world, thing).kind = *number;
                }
            }
            world.set_up(|_| ());
        }
        for _ in 0..cycles {
            step(&mut plain, things, &Alone);
            let before = other.snapshot(&Heap);
            step(&mut other, things, &Threads(2));
            other.restore(&before);
            let bytes = other.bytes().to_vec();
            let (mut third, _) = scene(CHECKED);
            third.adopt(&bytes).expect("it adds up");
            other = third;
            step(&mut other, things, &Threads(3));
            prop_assert_eq!(plain.hash(), other.hash());
        }
        assert_same(&mut plain, &mut other, "at the end");
    }
}
