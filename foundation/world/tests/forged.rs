//! Blocks of levels with bodies, joints and maps, forged anywhere, also where the lists say how long they are: refused, or the world goes on.

use crate::common;

use common::{SCENARIO, Scene, cases, class};
use proptest::prelude::*;
use state::Settings;

const PLAIN: Settings = Settings { is_checked: false, garbage: 0, shuffle: 0 };

const STATE: &str = "{ name \"goal\", type \"vector\", state true }, { name \"other\", type \"handle\", state true }";

/// Walkers around a wall that is moved, a turret on a hull, balls that roll.
fn level(navigation: &str) -> Scene {
    let scenario = format!(
        "@scenario\n!set objects_max 64\n!set messages_max 64\n!set bodies_max 32\n!set physics {{ gravity vec(0, 0, -10) }}
!set navigation {{ {navigation}, least vec(-10, -10, -2), most vec(10, 10, 6), cell_size 1, field_cells 64 }}
!set placements [{{ object \"floor.thing\", position vec(0, 0, -0.5) }}, {{ object \"wall.thing\", position vec(0, 0, 1.5) }},
{{ object \"a.thing\", count 3, position vec(-6, 0, 0.5), spread vec(2, 4, 0) }}, {{ object \"hull.thing\", position vec(6, 6, 0.6) }},
{{ object \"ball.thing\", count 4, position vec(0, -7, 2), spread vec(6, 1, 1) }}]"
    );
    let texts = [
        ("floor.thing", "@thing\n!set body { shape \"box\", half vec(10, 10, 0.5), fixed true }\n"),
        (
            "wall.thing",
            "@thing\n!set body { shape \"box\", half vec(0.5, 4, 1.5), fixed true }\n!set OnSpawn Lambda(z, !Every(300, [ !Move(position + vec(0, 0.5, 0), true) ]))\n",
        ),
        (
            "a.thing",
            "@thing\n!set goal vec(7, 0, 0.5)\n!set OnUpdate Lambda(s, [ !Seek(goal), !Seek(goal + vec(0, 3, 0)), let next = way_next(position, goal) in !set velocity if next = nothing then vec(0, 0, 0) else next - position, find_way(position, goal + vec(0, 2, 0)), is_walkable(position) ]())\n",
        ),
        (
            "hull.thing",
            "@thing\n!set body { shape \"box\", half vec(1, 1, 0.5), mass 500 }\n!set OnSpawn Lambda(z, !Spawn(\"gun.thing\", { position position + vec(0, 0, 1) }, Lambda(gun, [ !set other gun, !Connect(~this, gun, \"hinge\", { axis vec(0, 0, 1), speed 3, force 500, target 1 }) ]())))\n!set OnUpdate Lambda(s, joint_between(~this, other))\n",
        ),
        ("gun.thing", "@thing\n!set body { shape \"box\", half vec(1, 0.2, 0.2), mass 20 }\n"),
        (
            "ball.thing",
            "@thing\n!set body { shape \"sphere\", radius 0.5 }\n!set OnCollide Lambda(who, speed, blow, place, normal, !set other who)\n",
        ),
        (SCENARIO, scenario.as_str()),
    ];
    let mut scene = Scene::with_settings(&[&class("thing", STATE)], &texts, PLAIN);
    // The wall has just moved: the map is new, and a field is being computed.
    scene.run(33);
    scene
}

/// Steps a world that has taken a forged block, changes its tags, and takes its block again.
fn live_on(scene: &mut Scene) {
    scene.run(20);
    scene.change(&[("wall.thing", "@thing\n!set body { shape \"box\", half vec(2, 1, 1), fixed true }\n")]);
    scene.run(10);
    let bytes = scene.world.bytes().to_vec();
    scene.world.adopt(&bytes).expect("a world stepped from an accepted block is consistent");
    scene.run(2);
    scene.rules.log.take(&scene.rules.prototypes);
}

/// A region, a place in it, and a word. Half of the places are at its beginning, where its numbers are.
type Forgery = (prop::sample::Index, bool, prop::sample::Index, u32);

fn forgery() -> impl Strategy<Value = Forgery> {
    let word = prop_oneof![
        3 => 0..64_u32,
        1 => Just(u32::MAX),
        1 => Just(u32::MAX - 1),
        1 => Just(f32::NAN.to_bits()),
        1 => Just(f32::MAX.to_bits()),
        2 => any::<u32>(),
    ];
    (any::<prop::sample::Index>(), any::<bool>(), any::<prop::sample::Index>(), word)
}

/// Forges regions whose names are chosen, and lets the world go on if it takes them. Returns whether it did.
fn forge(scene: &mut Scene, forgeries: &[Forgery], is_chosen: impl Fn(&str) -> bool) -> bool {
    let mut bytes = scene.world.bytes().to_vec();
    let regions = scene.world.plan().regions().iter().filter(|region| is_chosen(&region.name));
    let regions: Vec<core::ops::Range<usize>> = regions.map(|region| region.bytes.clone()).collect();
    for (region, is_head, place, word) in forgeries {
        let region = region.get(&regions);
        let length = if *is_head { region.len().min(32) } else { region.len() };
        let at = region.start + place.index(length / 4) * 4;
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
    }
    let is_taken = scene.world.adopt(&bytes).is_ok();
    if is_taken {
        live_on(scene);
    }
    is_taken
}

/// The regions of a map.
const MAP: [&str; 8] =
    ["ground cells", "space chunks", "space pages", "solids", "goals", "field work", "field costs", "field links"];

#[test]
fn a_map_whose_lists_are_too_short_is_built_again() {
    let mut taken = 0;
    for navigation in ["kind \"ground\"", "kind \"space\", radius 0.5"] {
        for name in MAP {
            let (mut scene, mut sound) = (level(navigation), level(navigation));
            let region = scene.world.plan().regions().iter().find(|region| region.name == name).expect("a region");
            let head = region.bytes.start;
            let mut bytes = scene.world.bytes().to_vec();
            bytes[head..head + 4].copy_from_slice(&0_u32.to_le_bytes());
            // Refused, it goes on as it was.
            taken += u32::from(scene.world.adopt(&bytes).is_ok());
            live_on(&mut scene);
            live_on(&mut sound);
            let ways = scene.rules.parts.ways.expect("a map");
            assert_eq!(ways.cells.get(&scene.world), ways.cells.get(&sound.world), "{name}");
            assert_eq!(ways.chunks.count(&scene.world), ways.chunks.count(&sound.world), "{name}");
        }
    }
    assert!(taken >= 8, "only {taken} shortened lists were taken");
}

proptest! {
    #![proptest_config(cases(40, 30))]

    #[test]
    fn a_forged_map_is_refused_or_the_world_goes_on(forgeries in prop::collection::vec(forgery(), 1..12)) {
        for navigation in ["kind \"ground\"", "kind \"space\", radius 0.5"] {
            forge(&mut level(navigation), &forgeries, |name| MAP.contains(&name));
        }
    }

    #[test]
    fn a_forged_block_is_refused_or_the_world_goes_on(forgeries in prop::collection::vec(forgery(), 1..6)) {
        forge(&mut level("kind \"ground\""), &forgeries, |name| name != "time");
    }
}
