//! Loaded blocks are not trusted: a world keeps running with every block that passes verification.

use crate::common;

use base::{Handle, StringId, Vec3};
use common::{SCENARIO, Scene, cases, class};
use proptest::prelude::*;
use script::row::Head;
use state::plan::{Life, RegionKind};
use state::{Settings, World};
use world::query::Joints;
use world::question::{Filter, Form, Question, Want};
use world::{LEVEL, Object};

const PLAIN: Settings = Settings { is_checked: false, garbage: 0, shuffle: 0 };

const STATE: &str =
    "{ name \"n\", type \"number\", state true, default 0 }, { name \"other\", type \"handle\", state true },
{ name \"list\", type \"any\", state true }";

/// A world that uses everything: lists, timers, callbacks, attachments, owners, trigger volumes, flags, players, queued
/// messages.
fn full() -> Scene {
    let tag = "@thing
!set storage 64
!set markers [{ name \"top\", offset vec(0, 0, 2) }]
!set OnSpawn Lambda(z, [ !Every(30, [ !set n n + 1 ]), !After(2000, [ !set n 0 ]), !set list [1, [2, 3], { a 4 }],
  if n < 3 then !Spawn(\"a.thing\", { n n + 1, position position + vec(3, 0, 0), list [n, n] }, Lambda(made, [ !set other made, !Attach(made, ~this, \"top\") ]())) ]())
!set OnUpdate Lambda(s, [ !Send(other, \"ping\", list, n), !Damage(nearest_object(position, 100, { enemy_of team }), 1, \"x\"),
  !set facing vec(1, n, 0), if n > 20 then !Destroy(~this), !Flag(\"armed\", n > 5), !set velocity vec(n, 1, 0) ]())
!set OnPing Lambda(given, number, [ !set list given, !Send(~sender, \"pong\", number) ]())
!set OnPong Lambda(number, !Send(~level, \"pong\", number))
!set OnDamage Lambda(amount, kind, !set n n + amount)
!set OnDestroy Lambda(z, [ !Spawn(\"b.thing\"), !Send(other, \"pong\", 1) ]())";
    let rock = "@thing\n!set OnSpawn Lambda(z, !Every(500, [ !set n n + 1, !Move(vec(n, n, n)) ]))\n!set OnPong Lambda(n, !Give(~this, ~sender))";
    let scenario = "@scenario\n!set objects_max 96\n!set messages_max 64\n!set values_max 16384\n!set events \"input.events\"
!set players [{ object \"a.thing\", team 1 }]
!set placements [{ object \"a.thing\", team 1, count 3, spread vec(30, 30, 30) }, { object \"a.thing\", team 2, count 3, spread vec(30, 30, 30) }, { object \"b.thing\", count 4 }]
!set trigger_volumes [{ name \"gate\", half vec(10, 10, 10) }]
!set triggers [{ name \"t\", when Lambda(true), action Lambda(!Log(\"t\")), repeats true }]
!set OnEnter Lambda(who, zone, !Send(who, \"pong\", 1))";
    let events = "@events\n!set kinds [{ name \"ping\", fields [{ name \"to\", kind \"vector\" }] }]";
    let globals = "@globals\n!set flags [\"armed\"]\n";
    let texts = [
        ("a.thing", tag),
        ("b.thing", rock),
        (SCENARIO, scenario),
        ("input.events", events),
        ("globals.globals", globals),
    ];
    let mut scene = Scene::with_settings(&[&class("thing", STATE)], &texts, PLAIN);
    scene.run(12);
    scene
}

/// Exercises a world: steps it, changes its tags, runs queries, saves it.
fn live_on(scene: &mut Scene, cycles: u32) {
    for _ in 0..cycles {
        scene.events.push((0, relay::Event::new(StringId::new("ping"), &[0, 0, 0])));
        scene.run(1);
    }
    ask_everything(scene);
    scene.change(&[("b.thing", "@thing\n!set OnUpdate Lambda(s, !set n n + 1)\n")]);
    scene.run(cycles / 2);
    let bytes = scene.world.bytes().to_vec();
    scene.world.adopt(&bytes).expect("a world stepped from an accepted block is consistent");
    scene.run(2);
    scene.rules.log.take(&scene.rules.prototypes);
}

fn ask_everything(scene: &Scene) {
    let (centre, far) = (Vec3::ZERO, Vec3::splat(1000.0));
    for question in [
        Question::All,
        Question::Count,
        Question::Within { centre, radius: 50.0 },
        Question::Nearest { centre, radius_max: f64::INFINITY, count: 4 },
        Question::Box { least: -far, most: far },
        Question::Ray { from: -far, to: far, want: Want::All },
        Question::Sweep { form: Form::Ball(3.0), from: -far, to: far, want: Want::All },
        Question::Sweep { form: Form::Object(LEVEL.cast()), from: -far, to: far, want: Want::First },
        Question::Overlap { form: Form::Box { half: far, facing: far }, at: centre, want: Want::All },
        Question::Surface { centre, radius_max: f64::INFINITY, want: Want::All },
    ] {
        for filter in [
            Filter::default(),
            Filter {
                team: Some(1),
                class: StringId::from("thing"),
                flag: StringId::from("armed"),
                ..Filter::default()
            },
            Filter { owner: Some(LEVEL.cast()), ..Filter::default() },
        ] {
            scene.ask_with(&question, &filter, 4096, 100_000);
        }
    }
    let sight = scene.rules.sight(&scene.world);
    for (of, _) in scene.all_objects() {
        sight.joint(&Joints { of: of.cast(), other: None, from: 0 }, 1000);
        sight.joint(&Joints { of: LEVEL.cast(), other: Some(of.cast()), from: 0 }, 3);
    }
}

/// The offsets of all bytes of living elements, by region.
fn living_bytes(world: &World) -> Vec<(String, Vec<usize>)> {
    let bytes = world.bytes();
    let mut all = Vec::new();
    for region in world.plan().regions() {
        let elements = &region.elements;
        if region.name == "time" || region.kind == RegionKind::Pool && region.name.contains("owners") {
            continue;
        }
        let is_living = |index: &u32| match elements.life {
            Life::Always => true,
            Life::Bits(start) => bytes[start + *index as usize / 8] >> (index % 8) & 1 == 1,
            Life::Below(at) => *index < u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")),
        };
        let places: Vec<usize> = (0..elements.capacity)
            .filter(is_living)
            .flat_map(|index| {
                let element = elements.element(index);
                element.start + elements.value_offset..element.end
            })
            .collect();
        if !places.is_empty() {
            all.push((region.name.to_string(), places));
        }
    }
    all
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Flip(u8),
    Byte(u8),
    Extreme(bool),
    Copy(prop::sample::Index),
}

fn change() -> BoxedStrategy<Change> {
    prop_oneof![
        (0..8_u8).prop_map(Change::Flip),
        any::<u8>().prop_map(Change::Byte),
        any::<bool>().prop_map(Change::Extreme),
        any::<prop::sample::Index>().prop_map(Change::Copy),
    ]
    .boxed()
}

/// The bytes of a value: mostly with a valid kind, sometimes arbitrary.
fn nonsense() -> BoxedStrategy<[u64; 2]> {
    let small = prop_oneof![0..64_u64, any::<u64>(), (0..64_u64, 0..64_u64).prop_map(|(high, low)| high << 32 | low)];
    let extra = prop_oneof![0..8_u64, any::<u32>().prop_map(u64::from), (0..9_u64).prop_map(|shift| 1 << (24 + shift))];
    prop_oneof![
        1 => any::<[u64; 2]>(),
        6 => (small, 0..12_u64, extra).prop_map(|(bits, kind, extra)| [bits, kind | extra << 32]),
        1 => any::<f64>().prop_map(|number| [number.to_bits(), 1]),
    ]
    .boxed()
}

/// A handle in a loaded block: of an object, of none, or arbitrary.
fn handle() -> BoxedStrategy<u32> {
    prop_oneof![
        any::<u32>(),
        Just(0),
        Just(u32::MAX),
        (0..40_u32).prop_map(|number| number | 0x8000_0000),
        (0..40_u32).prop_map(|slot| slot | 1 << 31)
    ]
    .boxed()
}

#[test]
fn full_bit_sets_yield_only_existing_slots() {
    let mut scene = full();
    let mut bytes = scene.world.bytes().to_vec();
    let (_, places) = living_bytes(&scene.world).into_iter().find(|(name, _)| name == "sets").expect("a region");
    places.into_iter().for_each(|at| bytes[at] = 0xff);
    scene.world.adopt(&bytes).expect("any bits are a consistent block");
    live_on(&mut scene, 20);
}

proptest! {
    #![proptest_config(cases(40, 30))]

    #[test]
    fn a_block_with_changed_bytes_is_refused_or_keeps_running(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), change()), 1..12),
    ) {
        let mut scene = full();
        let places = living_bytes(&scene.world);
        let mut bytes = scene.world.bytes().to_vec();
        for (region, place, change) in changes {
            let (_, places) = region.get(&places);
            let at = *place.get(places);
            let word = (at & !3).min(bytes.len() - 4);
            match change {
                Change::Flip(bit) => bytes[at] ^= 1 << bit,
                Change::Byte(byte) => bytes[at] = byte,
                Change::Extreme(large) => bytes[word..word + 4].fill(if large { 0xff } else { 0 }),
                Change::Copy(from) => {
                    let from = *from.get(places) & !3;
                    bytes.copy_within(from..from + 4, word);
                }
            }
        }
        if scene.world.adopt(&bytes).is_ok() {
            live_on(&mut scene, 20);
        }
    }

    #[test]
    fn arbitrary_datums_do_not_stop_the_world(
        wrong in prop::collection::vec((any::<prop::sample::Index>(), 0..24_u32, handle(), any::<u32>(), any::<f32>()), 1..12),
    ) {
        let mut scene = full();
        let objects = scene.rules.parts.objects;
        let all: Vec<Handle<Object>> = objects.iterate(&scene.world).map(|(handle, _)| handle).collect();
        scene.world.set_up(|world| {
            for (who, what, raw, number, float) in &wrong {
                let existing = all[*number as usize % all.len()];
                let link = if number % 2 == 0 { existing } else { Handle::from_raw(*raw) };
                let mut object = objects.get_mut(world, *who.get(&all));
                match what {
                    0 => object.parent = link,
                    1 => object.first_child = link,
                    2 => object.next_child = link,
                    3 => object.owner = link,
                    4 => object.first_owned = link,
                    5 => object.next_owned = link,
                    6 => object.previous_owned = link,
                    7 => object.next_in_cell = link,
                    8 => object.previous_in_cell = link,
                    9 => object.cell = *number,
                    10 => object.team = *number,
                    11 => object.flags = *number,
                    12 => (object.stage, object.far_update) = (*number as u16, (*number >> 16) as u16),
                    13 => object.class = *number,
                    14 => object.mind = Head { program: *number, ..object.mind },
                    15 => object.mind = Head { program: *number % 5, ..object.mind },
                    16 => object.position = Vec3::splat(*float),
                    17 => object.facing = Vec3::splat(*float),
                    18 => object.radius = *float,
                    19 => object.update_at = u64::from(*number) << 32,
                    20 => object.born_at = u64::MAX - u64::from(*number),
                    21 => object.orientation.w = *float,
                    22 => object.mind.tickets = *number as _,
                    _ => object.marker = StringId::from_number(u64::from(*number)),
                }
            }
        });
        live_on(&mut scene, 20);
    }

    #[test]
    fn arbitrary_rows_do_not_stop_the_world(
        wrong in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), nonsense()), 1..20),
        lengths in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![0..12_u32, 0..200_u32]), 0..4),
    ) {
        let mut scene = full();
        let objects = scene.rules.parts.objects;
        let all: Vec<Handle<Object>> = objects.iterate(&scene.world).map(|(handle, _)| handle).collect();
        scene.world.set_up(|world| {
            for (who, length) in &lengths {
                objects.resize(world, *who.get(&all), *length);
            }
            for (who, place, bits) in &wrong {
                objects.edit_both(world, *who.get(&all), |_, values| {
                    if !values.is_empty() {
                        let index = place.index(values.len());
                        values[index] = base::plain::pod_read_unaligned(base::plain::bytes_of(bits));
                    }
                });
            }
        });
        live_on(&mut scene, 20);
    }
}
