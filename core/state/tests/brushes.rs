//! Brushes against a model: the order of strokes does not depend on threads or on the order of queueing.

use crate::common;

use base::plain::{bytes_of, pod_read_unaligned};
use base::{Handle, Plain};
use common::{CHECKED, assert_same, assert_stops, cases};
use proptest::prelude::*;
use state::{Address, Alone, Brush, Datums, Heap, Layout, Settings, Stroke, Workers, World, each};
use testing::workers::{self, Threads};

const BRUSHES: usize = 4;
const WAITING_MAX: u32 = 6;
/// The bytes of an outbox that an entry with a payload of four bytes takes.
const ENTRY_BYTES: u32 = 32;

/// A source or target of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    /// The item in this slot of one of the two arrays.
    Item(usize, u16),
    Brush(u16),
    Player(u16),
    World,
    /// An address that was never set.
    Zero,
}

impl Who {
    /// Its part of the sort key: the array, then the slot.
    fn place(self) -> (u16, u16) {
        match self {
            Who::Item(array, slot) => (array as u16 + 1, slot),
            Who::Brush(number) => (0x8000 | number, 0),
            Who::Player(number) => (0xfffe, number),
            Who::World => (0xffff, 0xffff),
            Who::Zero => (0, 0),
        }
    }
}

/// An entry to be queued.
#[derive(Clone, Copy, Debug)]
struct Order {
    brush: usize,
    target: Who,
    /// The source to queue with. Items always queue with themselves as source.
    name: Option<Who>,
}

#[derive(Clone, Debug)]
struct Script {
    /// For each cycle: the items, by number, and the entries they queue.
    cycles: Vec<Vec<(usize, Order)>>,
    /// For each cycle and brush: the number of rounds; zero if it does not paint.
    rounds: Vec<[u32; BRUSHES]>,
    /// The entries queued while an entry is painted, chosen by its number.
    answers: Vec<Vec<Order>>,
    /// The entries queued before the first cycle.
    first: Vec<Order>,
    outbox_entries: u32,
    paint_entries: u32,
}

/// A painted entry: brush, target, source, number.
type Record = (usize, Who, Who, u32);

/// The number of items in each array.
const ITEMS: [u16; 2] = [70, 20];

fn item(number: usize) -> Who {
    let number = number as u16 % (ITEMS[0] + ITEMS[1]);
    if number < ITEMS[0] { Who::Item(0, number) } else { Who::Item(1, number - ITEMS[0]) }
}

fn who() -> impl Strategy<Value = Who> {
    prop_oneof![
        6 => (0..90_usize).prop_map(item),
        3 => (0..2_usize).prop_map(|slot| Who::Item(0, slot as u16)),
        1 => (0..3_u16).prop_map(Who::Player),
        1 => Just(Who::World),
        1 => Just(Who::Zero),
    ]
}

fn order() -> impl Strategy<Value = Order> {
    (0..BRUSHES, who(), prop::option::weighted(0.4, who())).prop_map(|(brush, target, name)| Order {
        brush,
        target,
        name,
    })
}

fn script() -> impl Strategy<Value = Script> {
    let items = if cfg!(miri) { 10 } else { 60 };
    let cycle = (
        prop::collection::vec((0..90_usize, order()), 0..items),
        prop::array::uniform4(prop_oneof![5 => Just(1_u32), 2 => Just(3), 1 => Just(0)]),
    );
    let answers = prop::collection::vec(prop::collection::vec(order(), 0..3), 1..12);
    (
        prop::collection::vec(cycle, 1..4),
        answers,
        prop::collection::vec(order(), 0..5),
        prop_oneof![3 => Just(100_u32), 1 => 0..6_u32],
        prop_oneof![3 => Just(1000_u32), 1 => 0..20_u32],
    )
        .prop_map(|(cycles, answers, first, outbox_entries, paint_entries)| {
            let (cycles, rounds) = cycles.into_iter().unzip();
            Script { cycles, rounds, answers, first, outbox_entries, paint_entries }
        })
}

/// The entries queued while the entry of this number is painted. Chains of answers are bounded.
fn answers_to(script: &Script, number: u32) -> &[Order] {
    let generation = number / 1_000_000;
    if generation >= 3 { &[] } else { &script.answers[number as usize % script.answers.len()] }
}

/// The world of a script.
struct Scene {
    world: World,
    arrays: [Datums<u32>; 2],
    brushes: [Brush<u32>; BRUSHES],
}

impl Scene {
    fn new(script: &Script, settings: Settings) -> Scene {
        let mut layout = Layout::of_world("strokes");
        layout.set_outbox_bytes(script.outbox_entries * ENTRY_BYTES);
        layout.set_paint_bytes(script.paint_entries * ENTRY_BYTES);
        layout.system("items");
        let arrays =
            ["a", "b"].map(|name| layout.datums_in_chunks::<u32>(name, if name == "a" { 130 } else { 20 }, 64));
        layout.system("brushes");
        let brushes = ["one", "two", "three", "four"].map(|name| layout.brush::<u32>(name, WAITING_MAX));
        let mut scene = Scene { world: World::new(&layout.finish(), &Heap, settings, 1), arrays, brushes };
        for (array, count) in scene.arrays.into_iter().zip(ITEMS) {
            for _ in 0..count {
                array.create(&mut scene.world).expect("there is room");
            }
        }
        for (index, order) in script.first.iter().enumerate() {
            scene.queue(order, None, index as u32);
        }
        scene
    }

    fn address(&self, who: Who) -> Address {
        match who {
            Who::Item(array, slot) => {
                let (handle, _) = self.arrays[array].at_slot(&self.world, slot).expect("it is living");
                self.arrays[array].address(handle)
            }
            Who::Brush(number) => pod_read_unaligned(&[0, 0, 0, 0, number as u8, 0x80, 0, 0]),
            Who::Player(number) => Address::player(number),
            Who::World => Address::WORLD,
            Who::Zero => pod_read_unaligned(&[0; 8]),
        }
    }

    fn who(&self, address: Address) -> Who {
        let bytes = bytes_of(&address);
        let (slot, array) = (u16::from_le_bytes([bytes[0], bytes[1]]), u16::from_le_bytes([bytes[4], bytes[5]]));
        let who = match array {
            0 => Who::Zero,
            1 | 2 => Who::Item(usize::from(array) - 1, slot),
            0xfffe => Who::Player(slot),
            0xffff => Who::World,
            _ => Who::Brush(array & 0x7fff),
        };
        assert_eq!(self.address(who), address, "an address round-trips");
        who
    }

    fn queue(&mut self, order: &Order, source: Option<Who>, number: u32) {
        let (target, brush) = (self.address(order.target), self.brushes[order.brush]);
        match order.name.or(source) {
            Some(name) => {
                let name = self.address(name);
                brush.queue_from(&mut self.world, target, name, &number)
            }
            None => brush.queue(&mut self.world, target, &number),
        };
    }

    /// Runs one cycle of the script and returns the painted entries.
    fn cycle(&mut self, script: &Script, cycle: usize, workers: &dyn Workers) -> Vec<Record> {
        let queued: Vec<(Who, Address, usize, u32)> = script.cycles[cycle]
            .iter()
            .enumerate()
            .map(|(index, (who, order))| {
                (item(*who), self.address(order.target), order.brush, (cycle * 1000 + index + 100) as u32)
            })
            .collect();
        let brushes = self.brushes;
        let update = |number: usize| {
            let queued = &queued;
            each(self.arrays[number], move |it| {
                let me = Who::Item(number, it.handle.slot());
                for (_, target, brush, number) in queued.iter().filter(|(who, ..)| *who == me) {
                    it.queue(brushes[*brush], *target, number);
                }
            })
        };
        self.world.simulate(workers, &[&update(0), &update(1)]);
        let mut painted = Vec::new();
        for brush in 0..BRUSHES {
            let rounds = script.rounds[cycle][brush];
            if rounds == 0 {
                continue;
            }
            let mut strokes: Vec<Stroke<u32>> = Vec::new();
            let (arrays, brushes) = (self.arrays, self.brushes);
            brushes[brush].paint_in_rounds(&mut self.world, rounds, |world, stroke| {
                strokes.push(stroke);
                for order in answers_to(script, stroke.payload) {
                    let address = |who| match who {
                        Who::Item(array, slot) => {
                            arrays[array].address(arrays[array].at_slot(world, slot).expect("it is living").0)
                        }
                        Who::Player(number) => Address::player(number),
                        Who::Zero => pod_read_unaligned(&[0; 8]),
                        Who::World | Who::Brush(_) => Address::WORLD,
                    };
                    let (target, number) = (address(order.target), stroke.payload + 1_000_000);
                    match order.name {
                        // A painter may queue with the source of the entry it paints.
                        Some(Who::World) => brushes[order.brush].queue_from(world, target, stroke.source, &number),
                        Some(name) => brushes[order.brush].queue_from(world, target, address(name), &number),
                        None => brushes[order.brush].queue(world, target, &number),
                    };
                }
            });
            let said = strokes.iter().map(|it| (brush, self.who(it.target), self.who(it.source), it.payload));
            painted.extend(said);
        }
        self.world.rest();
        painted
    }
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    target: Who,
    source: Who,
    /// The place of its source in the sort order; entries that waited come first.
    place: (u16, u16),
    sequence: u32,
    number: u32,
}

/// A reference model of the laws, without keys, outboxes or bytes.
#[derive(Default)]
struct Model {
    waiting: [Vec<(Who, Who, u32)>; BRUSHES],
    queue: [Vec<Entry>; BRUSHES],
    is_done: [bool; BRUSHES],
    brush_refused: [u64; BRUSHES],
    refused: u64,
    paint_used: u32,
    sequence: u32,
}

impl Model {
    fn wait(&mut self, brush: usize, target: Who, source: Who, number: u32) {
        if self.waiting[brush].len() < WAITING_MAX as usize {
            self.waiting[brush].push((target, source, number));
        } else {
            self.brush_refused[brush] += 1;
        }
    }

    fn push(&mut self, script: &Script, brush: usize, entry: Entry) {
        if self.paint_used < script.paint_entries {
            self.paint_used += 1;
            self.queue[brush].push(entry);
        } else {
            self.refused += 1;
        }
    }

    fn sorted(&mut self, brush: usize) -> Vec<Entry> {
        let mut entries = std::mem::take(&mut self.queue[brush]);
        entries.sort_by_key(|entry| (entry.target.place(), entry.place, entry.sequence));
        entries
    }

    fn keep(&mut self, brush: usize) {
        for entry in self.sorted(brush) {
            self.wait(brush, entry.target, entry.source, entry.number);
        }
    }

    fn cycle(&mut self, script: &Script, cycle: usize) -> Vec<Record> {
        self.is_done = [false; BRUSHES];
        (self.paint_used, self.sequence) = (0, 1 << 31);
        self.simulate(script, cycle);
        let mut painted = Vec::new();
        for brush in 0..BRUSHES {
            let rounds = script.rounds[cycle][brush];
            if rounds == 0 {
                continue;
            }
            for (index, (target, source, number)) in std::mem::take(&mut self.waiting[brush]).into_iter().enumerate() {
                self.push(script, brush, Entry { target, source, place: (0, 0), sequence: index as u32, number });
            }
            for _ in 0..rounds {
                for entry in self.sorted(brush) {
                    painted.push((brush, entry.target, entry.source, entry.number));
                    self.answer(script, brush, entry);
                }
            }
            self.is_done[brush] = true;
            self.keep(brush);
        }
        (0..BRUSHES).for_each(|brush| self.keep(brush));
        painted
    }

    fn simulate(&mut self, script: &Script, cycle: usize) {
        let mut used = std::collections::BTreeMap::new();
        for number in 0..usize::from(ITEMS[0] + ITEMS[1]) {
            let source = item(number);
            let (array, slot) = source.place();
            let mine = script.cycles[cycle].iter().enumerate().filter(|(_, (who, _))| item(*who) == source);
            for (sequence, (index, (_, order))) in mine.enumerate() {
                let used = used.entry((array, slot / 64)).or_insert(0);
                if *used == script.outbox_entries {
                    self.refused += 1;
                    continue;
                }
                *used += 1;
                let number = (cycle * 1000 + index + 100) as u32;
                let (target, sequence) = (order.target, sequence as u32);
                self.queue[order.brush].push(Entry { target, source, place: source.place(), sequence, number });
            }
        }
    }

    fn answer(&mut self, script: &Script, brush: usize, entry: Entry) {
        for order in answers_to(script, entry.number) {
            let source = match order.name {
                None => Who::Brush(brush as u16),
                Some(Who::World) => entry.source,
                Some(name) => name,
            };
            let number = entry.number + 1_000_000;
            if self.is_done[order.brush] {
                self.wait(order.brush, order.target, source, number);
            } else {
                self.sequence += 1;
                let (target, place, sequence) = (order.target, source.place(), self.sequence);
                self.push(script, order.brush, Entry { target, source, place, sequence, number });
            }
        }
    }
}

/// Asserts that all counters of the world match the model.
fn assert_counts(scene: &Scene, model: &Model) {
    assert_eq!(scene.world.time().entries_refused, model.refused);
    let report = state::report::memory_report(&scene.world);
    for (number, name) in ["one", "two", "three", "four"].into_iter().enumerate() {
        let row = report.rows.iter().find(|row| row.region == name).expect("it has a row");
        assert_eq!(
            (row.used, row.refused),
            (model.waiting[number].len() as u64, model.brush_refused[number]),
            "{name}"
        );
        assert_eq!(scene.brushes[number].waiting(&scene.world) as usize, model.waiting[number].len());
    }
}

proptest! {
    #![proptest_config(cases(120))]

    #[test]
    fn strokes_are_painted_in_key_order(script in script()) {
        let mut model = Model::default();
        for (index, order) in script.first.iter().enumerate() {
            model.wait(order.brush, order.target, order.name.unwrap_or(Who::World), index as u32);
        }
        let expected: Vec<Vec<Record>> = (0..script.cycles.len()).map(|cycle| model.cycle(&script, cycle)).collect();
        let mut hashes: Option<Vec<u64>> = None;
        for (index, crew) in workers::all().into_iter().enumerate() {
            let settings = Settings { shuffle: index as u64 * 77, garbage: index as u8, ..CHECKED };
            let mut scene = Scene::new(&script, settings);
            let mut chain = Vec::new();
            for (cycle, expected) in expected.iter().enumerate() {
                let painted = scene.cycle(&script, cycle, crew.as_ref());
                prop_assert_eq!(&painted, expected, "cycle {} with crew {}", cycle, index);
                chain.push(scene.world.hash());
                if index % 2 == 1 {
                    // Waiting entries are in the block, so its bytes alone restore them.
                    let bytes = scene.world.bytes().to_vec();
                    let settings = Settings { garbage: 0x55, ..settings };
                    scene.world = World::new(&scene.world.plan().clone(), &Heap, settings, 99);
                    scene.world.adopt(&bytes).expect("it adds up");
                }
            }
            assert_counts(&scene, &model);
            prop_assert_eq!(hashes.get_or_insert_with(|| chain.clone()), &chain);
        }
    }
}

/// A world with ten lamps and three brushes that paint in this order.
fn lamps() -> (World, Datums<u32>, [Brush<u32>; 3]) {
    let mut layout = Layout::of_world("lamps");
    layout.system("all");
    let lamps = layout.datums::<u32>("lamps", 10);
    let brushes = ["dawn", "noon", "dusk"].map(|name| layout.brush::<u32>(name, 4));
    let mut world = World::new(&layout.finish(), &Heap, CHECKED, 1);
    for _ in 0..10 {
        lamps.create(&mut world).expect("there is room");
    }
    (world, lamps, brushes)
}

/// Paints all brushes, each entry once, and returns the payloads in order.
fn paint_all(world: &mut World, brushes: &[Brush<u32>]) -> Vec<u32> {
    let mut painted = Vec::new();
    for brush in brushes {
        brush.paint(world, |_, stroke| painted.push(stroke.payload));
    }
    painted
}

#[test]
fn entries_for_a_later_brush_are_painted_this_cycle_and_for_an_earlier_one_the_next() {
    let (mut world, _, [dawn, noon, dusk]) = lamps();
    world.simulate(&Alone, &[]);
    dawn.queue(&mut world, Address::WORLD, &1);
    noon.queue(&mut world, Address::WORLD, &2);
    let mut painted = Vec::new();
    for brush in [dawn, noon, dusk] {
        brush.paint(&mut world, |world, stroke| {
            painted.push(stroke.payload);
            if stroke.payload == 2 {
                assert!(dawn.queue(world, Address::WORLD, &3), "already painted: waits");
                assert!(noon.queue(world, Address::WORLD, &4), "painting now: waits");
                assert!(dusk.queue(world, Address::WORLD, &5), "not yet painted: in this cycle");
            }
        });
    }
    world.rest();
    assert_eq!(painted, [1, 2, 5]);
    assert_eq!([dawn, noon, dusk].map(|brush| brush.waiting(&world)), [1, 1, 0]);
    world.simulate(&Alone, &[]);
    assert_eq!(paint_all(&mut world, &[dawn, noon, dusk]), [3, 4]);
    world.rest();
    assert_eq!([dawn, noon, dusk].map(|brush| brush.waiting(&world)), [0, 0, 0]);
}

#[test]
fn rounds_paint_entries_that_a_brush_queues_at_itself() {
    for (rounds, expected, left) in [(1, 1, 1), (3, 3, 1), (10, 5, 0)] {
        let (mut world, _, [dawn, ..]) = lamps();
        world.simulate(&Alone, &[]);
        dawn.queue(&mut world, Address::WORLD, &1);
        let mut painted = 0;
        dawn.paint_in_rounds(&mut world, rounds, |world, stroke| {
            painted += 1;
            if stroke.payload < 5 {
                dawn.queue(world, Address::WORLD, &(stroke.payload + 1));
            }
        });
        world.rest();
        assert_eq!((painted, dawn.waiting(&world)), (expected, left), "{rounds} rounds");
    }
}

#[test]
fn waiting_entries_come_first_and_keep_their_source() {
    let (mut world, lamps, [dawn, ..]) = lamps();
    let handles: Vec<_> = lamps.iterate(&world).map(|(handle, _)| handle).collect();
    let address = |index: usize| lamps.address(handles[index]);
    for (target, number) in [(2, 20), (1, 10), (2, 21)] {
        dawn.queue_from(&mut world, address(target), Address::player(7), &number);
    }
    world.simulate(
        &Alone,
        &[&each(lamps, |lamp| {
            let target = handles[usize::from(lamp.handle.slot()) % 4];
            lamp.queue(dawn, lamps.address(target), &(100 + u32::from(lamp.handle.slot())));
        })],
    );
    let mut painted = Vec::new();
    dawn.paint(&mut world, |_, stroke| painted.push((lamps.handle(stroke.target), stroke.source, stroke.payload)));
    let payloads: Vec<_> = painted.iter().map(|(_, _, payload)| *payload).collect();
    assert_eq!(payloads, [100, 104, 108, 10, 101, 105, 109, 20, 21, 102, 106, 103, 107]);
    assert_eq!((painted[3].0, painted[3].1), (Some(handles[1]), Address::player(7)));
    assert_eq!(painted[4].1, address(1));
}

#[test]
fn a_painter_may_queue_with_the_source_of_its_stroke() {
    let (mut world, lamps, [dawn, noon, _]) = lamps();
    let target = lamps.address(lamps.iterate(&world).next().expect("it is living").0);
    world.simulate(
        &Alone,
        &[&each(lamps, |lamp| {
            for number in 0..4 {
                lamp.queue(dawn, target, &number);
                lamp.queue(noon, target, &number);
            }
        })],
    );
    dawn.paint(&mut world, |world, stroke| {
        noon.queue_from(world, stroke.target, stroke.source, &(stroke.payload + 10));
    });
    let mut painted = Vec::new();
    noon.paint(&mut world, |_, stroke| painted.push(stroke.payload));
    let once = [0, 1, 2, 3, 10, 11, 12, 13];
    assert_eq!(painted, once.repeat(10));
}

#[test]
fn a_brush_that_does_not_paint_keeps_its_entries_and_accepts_more() {
    let (mut world, _, [dawn, noon, dusk]) = lamps();
    for cycle in 0..3 {
        world.simulate(&Alone, &[]);
        noon.queue(&mut world, Address::WORLD, &cycle);
        assert_eq!(paint_all(&mut world, &[dawn, dusk]), []);
        world.rest();
        assert_eq!(noon.waiting(&world), cycle + 1);
    }
    world.simulate(&Alone, &[]);
    assert_eq!(paint_all(&mut world, &[dawn, noon, dusk]), [0, 1, 2]);
}

#[test]
fn entries_queued_during_set_up_are_painted_in_the_first_cycle() {
    let (mut world, _, brushes) = lamps();
    assert!(brushes[1].queue(&mut world, Address::WORLD, &5));
    world.set_up(|world| assert!(brushes[0].queue(world, Address::player(2), &6)));
    world.simulate(&Alone, &[]);
    assert_eq!(paint_all(&mut world, &brushes), [6, 5]);
}

#[test]
fn entries_beyond_the_waiting_limit_are_refused_and_counted() {
    let (mut world, _, [dawn, noon, dusk]) = lamps();
    let fits: Vec<_> = (0..6).map(|number| dawn.queue(&mut world, Address::WORLD, &number)).collect();
    assert_eq!(fits, [true, true, true, true, false, false]);
    let report = state::report::memory_report(&world);
    let refused = |name: &str| report.rows.iter().find(|row| row.region == name).map(|row| row.refused);
    assert_eq!([refused("dawn"), refused("noon"), refused("dusk")], [Some(2), Some(0), Some(0)]);
    world.simulate(&Alone, &[]);
    assert_eq!(paint_all(&mut world, &[dawn, noon, dusk]), [0, 1, 2, 3]);
    assert_eq!(world.time().entries_refused, 0);
}

#[test]
fn the_same_entries_are_refused_on_all_workers() {
    let mut painted_first: Option<(Vec<u32>, u64)> = None;
    for crew in workers::all() {
        let mut layout = Layout::of_world("crowd");
        layout.set_outbox_bytes(300);
        layout.set_paint_bytes(1000);
        layout.system("all");
        let crowd = layout.datums_in_chunks::<u32>("crowd", 300, 64);
        let shout = layout.brush::<u32>("shout", 5);
        let whisper = layout.brush::<[u8; 21]>("whisper", 5);
        let mut world = World::new(&layout.finish(), &Heap, CHECKED, 1);
        for _ in 0..300 {
            crowd.create(&mut world).expect("there is room");
        }
        world.simulate(
            crew.as_ref(),
            &[&each(crowd, |one| {
                let number = u32::from(one.handle.slot());
                if number % 3 == 0 {
                    one.queue(whisper, one.address(), &[1; 21]);
                }
                one.queue(shout, one.address(), &number);
            })],
        );
        let refused = world.time().entries_refused;
        assert!(refused > 200, "outboxes are small");
        let mut painted = Vec::new();
        shout.paint(&mut world, |world, stroke| {
            painted.push(stroke.payload);
            shout.queue(world, Address::WORLD, &(stroke.payload + 1000));
        });
        whisper.paint(&mut world, |_, stroke| painted.push(u32::from(stroke.payload[20])));
        world.rest();
        painted.push(shout.waiting(&world));
        let this = (painted, world.hash());
        assert_eq!(*painted_first.get_or_insert_with(|| this.clone()), this);
    }
}

#[test]
fn payloads_are_made_canonical() {
    let mut layout = Layout::of_world("floats");
    layout.system("all");
    let items = layout.datums::<u32>("items", 3);
    let brush = layout.brush::<[f32; 2]>("brush", 4);
    let later = layout.brush::<[f32; 2]>("later", 4);
    let mut world = World::new(&layout.finish(), &Heap, CHECKED, 1);
    items.create(&mut world).expect("there is room");
    let odd = [-0.0, f32::from_bits(0xffc1_2345)];
    brush.queue(&mut world, Address::WORLD, &odd);
    world.simulate(
        &Alone,
        &[&each(items, |item| {
            item.queue(brush, Address::WORLD, &odd);
        })],
    );
    let mut painted = Vec::new();
    brush.paint(&mut world, |world, stroke| {
        painted.push(stroke.payload.map(f32::to_bits));
        later.queue(world, Address::WORLD, &odd);
        brush.queue(world, Address::WORLD, &odd);
    });
    later.paint(&mut world, |_, stroke| painted.push(stroke.payload.map(f32::to_bits)));
    world.rest();
    let bytes = world.bytes().to_vec();
    world.adopt(&bytes).expect("waiting entries are canonical too");
    world.simulate(&Alone, &[]);
    brush.paint(&mut world, |_, stroke| painted.push(stroke.payload.map(f32::to_bits)));
    assert_eq!(painted, vec![[0, 0x7fc0_0000]; 6]);
}

#[test]
fn payloads_of_all_sizes_arrive_intact() {
    #[derive(Clone, Copy, Debug, PartialEq, Plain)]
    #[repr(C)]
    struct Nothing;

    let mut layout = Layout::of_world("sizes");
    layout.system("all");
    let items = layout.datums_in_chunks::<u32>("items", 100, 64);
    let nothing = layout.brush::<Nothing>("nothing", 4);
    let odd = layout.brush::<[u8; 13]>("odd", 4);
    let largest = layout.brush::<[u64; 128]>("largest", 4);
    let mut world = World::new(&layout.finish(), &Heap, CHECKED, 1);
    for _ in 0..100 {
        items.create(&mut world).expect("there is room");
    }
    let update = each(items, |item| {
        let slot = item.handle.slot();
        item.queue(nothing, item.address(), &Nothing);
        item.queue(odd, item.address(), &[slot as u8; 13]);
        if slot % 10 == 0 {
            item.queue(largest, item.address(), &[u64::from(slot); 128]);
        }
    });
    world.simulate(&Threads(3), &[&update]);
    let mut counts = [0; 3];
    nothing.paint(&mut world, |_, _| counts[0] += 1);
    odd.paint(&mut world, |world, stroke| {
        counts[1] += 1;
        let slot = items.handle(stroke.target).expect("it is for an item").slot();
        assert_eq!(stroke.payload, [slot as u8; 13]);
        nothing.queue(world, stroke.target, &Nothing);
    });
    largest.paint(&mut world, |world, stroke| {
        counts[2] += 1;
        let slot = items.handle(stroke.target).expect("it is for an item").slot();
        assert_eq!(stroke.payload, [u64::from(slot); 128]);
        largest.queue(world, stroke.target, &[7; 128]);
    });
    world.rest();
    assert_eq!(counts, [100, 100, 10]);
    assert_eq!((nothing.waiting(&world), largest.waiting(&world)), (4, 4));
    world.simulate(&Alone, &[]);
    largest.paint(&mut world, |_, stroke| assert_eq!(stroke.payload, [7; 128]));
}

#[test]
#[should_panic(expected = "the payload of brush \"huge\" has")]
fn a_payload_too_large_is_refused_at_start() {
    let mut layout = Layout::of_world("sizes");
    layout.system("all");
    layout.brush::<[u64; 129]>("huge", 4);
}

#[test]
fn entries_of_a_failed_cycle_are_gone_after_restoring() {
    let (mut world, _, [dawn, noon, dusk]) = lamps();
    world.set_up(|_| ());
    let (mut twin, ..) = lamps();
    twin.set_up(|_| ());
    let good = world.snapshot(&Heap);
    assert_stops(&["in the middle"], || {
        world.simulate(&Alone, &[]);
        dusk.queue(&mut world, Address::WORLD, &1);
        dawn.queue(&mut world, Address::WORLD, &2);
        noon.queue(&mut world, Address::WORLD, &3);
        dawn.paint(&mut world, |_, _| ());
        noon.paint(&mut world, |_, _| panic!("in the middle"));
    });
    world.restore(&good);
    for world in [&mut world, &mut twin] {
        world.set_up(|world| noon.queue(world, Address::WORLD, &4));
    }
    assert_same(&mut world, &mut twin, "restored");
    for world in [&mut world, &mut twin] {
        world.simulate(&Alone, &[]);
        assert_eq!(paint_all(world, &[dawn, noon, dusk]), [4]);
        world.rest();
    }
    assert_same(&mut world, &mut twin, "a cycle later");
}

#[test]
fn an_address_identifies_its_kind() {
    let (world, lamps, _) = lamps();
    let (first, _) = lamps.iterate(&world).next().expect("it is living");
    assert_eq!(lamps.handle(lamps.address(first)), Some(first));
    assert_eq!(lamps.handle(Address::WORLD), None);
    assert_eq!(lamps.handle(Address::player(0)), None);
    let mut layout = Layout::of_world("more");
    layout.system("all");
    layout.single::<u32>("one");
    let others = layout.datums::<u32>("others", 4);
    assert_eq!(others.handle(lamps.address(first)), None::<Handle<u32>>);
}
