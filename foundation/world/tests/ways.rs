//! Ways around obstacles, in levels made of tags.

use crate::common;

use common::{SCENARIO, Scene, class};
use host::thread_pool::ThreadPool;
use navigation::GroundCell;
use proptest::prelude::*;
use script::message::Message;
use script::value::Value;
use state::Workers;
use state::save::{SaveHeader, load};

const FLOOR: &str = "@object\n!set body { shape \"box\", half vec(20, 20, 0.5), fixed true }\n";
const WALL: &str = "@object\n!set body { shape \"box\", half vec(0.5, 6, 1.5), fixed true }
!set OnOpen Lambda(z, !Destroy(~this))
!set OnShift Lambda(to, !Move(to, true))
!set OnTurn Lambda(to, !set facing to)\n";
const WALKER: &str = "@walker\n!set storage 64
!set OnUpdate Lambda(s, [
    if seeks then !Seek(goal),
    let next = way_next(position, goal) in !set velocity if next = nothing then vec(0, 0, 0) else if length(next - position) < 0.1 then vec(0, 0, 0) else normal(next - position) * 8,
    if probes then let way = find_way(position, goal) in [ !set complete way.complete, !set corners count(way.points) ](),
    !set free is_walkable(position)
]())\n";
const STATE: &str = "{ name \"goal\", type \"vector\", state true }, { name \"complete\", type \"truth\", state true },
{ name \"probes\", type \"truth\", state true }, { name \"seeks\", type \"truth\", state true }, { name \"free\", type \"truth\", state true }, { name \"corners\", type \"number\", state true }";

const NAVIGATION: &str =
    "!set navigation { kind \"ground\", least vec(-20, -20, -2), most vec(20, 20, 5), cell_size 0.5, radius 0.4 }";

/// A floor with a wall across it from y = -6 to 6, and walkers west of it whose goal is in the east.
fn scene_with(navigation: &str, more: &str, walker: &str) -> Scene {
    let scenario = format!(
        "@scenario\n!set objects_max 256\n{navigation}\n!set placements [{{ object \"floor.object\", position vec(0, 0, -0.5) }}, {{ name \"wall\", object \"wall.object\", position vec(0, 0, 1.5) }}, {more}]"
    );
    let texts = [("floor.object", FLOOR), ("wall.object", WALL), ("a.walker", walker), (SCENARIO, scenario.as_str())];
    Scene::new(&[&class("walker", STATE)], &texts)
}

const ONE: &str = "{ object \"a.walker\", position vec(-8, 0, 0.5) }";

fn scene(more: &str, walker: &str) -> Scene {
    scene_with(NAVIGATION, more, &format!("{WALKER}!set goal vec(8, 0, 0.5)\n{walker}"))
}

fn place(scene: &Scene, index: usize) -> base::Vec3 {
    let walker = scene.all("a.walker")[index];
    scene.rules.parts.objects.get(&scene.world, walker).position
}

/// Walks, and checks that no object passes the wall. Returns the hash of every tenth cycle, and of the last.
fn walk(scene: &mut Scene, cycles: u32, workers: &dyn Workers) -> Vec<u64> {
    let count = scene.all("a.walker").len();
    let step = |cycle| {
        scene.run_with(1, workers);
        for index in 0..count {
            let at = place(scene, index);
            assert!(at.x.abs() >= 0.5 || at.y.abs() >= 6.0, "{at:?} is in the wall");
            assert!((at.z - 0.5).abs() < 0.01, "{at:?} keeps its height above the floor");
        }
        (cycle % 10 == 0 || cycle + 1 == cycles).then(|| scene.world.hash())
    };
    (0..cycles).filter_map(step).collect()
}

/// Sends a wall a message, if there are so many.
fn tell(scene: &mut Scene, index: usize, name: &str, value: Value) {
    let (messages, objects) = (scene.rules.parts.messages, scene.rules.parts.objects);
    let Some(wall) = scene.all("wall.object").get(index).map(|wall| objects.address(*wall)) else { return };
    let message = Message::new(base::StringId::from(name), Value::NOTHING).with_atoms(&[value]).expect("one value");
    scene.world.set_up(|world| messages.queue_from(world, wall, wall, &message));
}

fn cells(scene: &Scene) -> &[GroundCell] {
    scene.rules.parts.ways.expect("a map").cells.get(&scene.world)
}

#[test]
fn a_walker_goes_around_a_wall() {
    for seeks in ["", "!set seeks true\n"] {
        let mut scene = scene(ONE, &format!("{seeks}!set probes true\n"));
        walk(&mut scene, 20, &state::Alone);
        let walker = scene.one("a.walker");
        assert_eq!(scene.get(walker, "complete"), Value::TRUE);
        assert_eq!(scene.get(walker, "free"), Value::TRUE);
        assert!((3.0..=5.0).contains(&scene.number(walker, "corners")), "{}", scene.number(walker, "corners"));
        walk(&mut scene, 400, &state::Alone);
        let away = (place(&scene, 0) - base::Vec3::new(8.0, 0.0, 0.5)).length();
        assert!(away < 0.2, "{away}: {:?}", scene.conditions());
        assert_eq!(scene.conditions(), []);
    }
}

#[test]
fn a_world_loaded_on_the_way_goes_on_the_same() {
    let make = || {
        scene("{ object \"a.walker\", count 20, position vec(-10, 0, 0.5), spread vec(3, 9, 0) }", "!set seeks true\n")
    };
    let (mut one, mut other) = (make(), make());
    // The first field is still being computed.
    for cycles in [1, 2, 40] {
        walk(&mut one, cycles, &state::Alone);
        let hash = one.world.hash();
        let mut file = SaveHeader::of(&one.world, hash, 5, "test").encode().to_vec();
        file.extend_from_slice(one.world.bytes());
        load(&mut other.world, &file, "test").expect("it was just saved");
        assert_eq!(walk(&mut one, 30, &state::Alone), walk(&mut other, 30, &state::Alone), "after {cycles}");
    }
}

#[test]
fn the_number_of_workers_does_not_matter() {
    let run = |workers: &dyn Workers| {
        let more = "{ object \"a.walker\", count 140, position vec(-10, 0, 0.5), spread vec(3, 9, 0) }";
        let mut scene = scene(more, "!set seeks true\n");
        walk(&mut scene, 60, workers)
    };
    let alone = run(&state::Alone);
    for count in [2, 5] {
        assert!(run(&ThreadPool::new(count)) == alone, "{count} workers");
    }
}

/// A wall that closes the level from side to side.
const LONG: &str = "{ name \"north\", object \"wall.object\", position vec(0, 13, 1.5) }, { object \"wall.object\", position vec(0, 18, 1.5) },
{ object \"wall.object\", position vec(0, -13, 1.5) }, { object \"wall.object\", position vec(0, -18, 1.5) }, { object \"wall.object\", position vec(0, 7, 1.5) }, { object \"wall.object\", position vec(0, -7, 1.5) }";

#[test]
fn a_wall_that_is_removed_opens_the_way() {
    for seeks in ["", "!set seeks true\n"] {
        let mut scene = scene(&format!("{ONE}, {LONG}"), &format!("{seeks}!set probes true\n"));
        scene.run(100);
        let walker = scene.one("a.walker");
        assert_eq!(scene.get(walker, "complete"), Value::FALSE);
        assert!(place(&scene, 0).x < 0.0, "it waits at the wall");
        let closed = cells(&scene).to_vec();
        // The middle: the walls beside it leave two metres.
        tell(&mut scene, 0, "open", Value::NOTHING);
        scene.run(3);
        assert!(cells(&scene) != closed);
        scene.run(500);
        assert_eq!(scene.get(walker, "complete"), Value::TRUE);
        let away = (place(&scene, 0) - base::Vec3::new(8.0, 0.0, 0.5)).length();
        assert!(away < 0.2, "{away}: {:?}", scene.conditions());
    }
}

#[test]
fn agents_that_fly_go_around_and_over() {
    let space = "!set navigation { kind \"space\", least vec(-20, -20, 0), most vec(20, 20, 10), radius 1 }";
    let walker = format!("{WALKER}!set goal vec(8, 0, 1.5)\n!set seeks true\n");
    let mut scene = scene_with(space, "{ object \"a.walker\", position vec(-8, 0, 1.5) }", &walker);
    let mut highest = 0.0;
    for _ in 0..400 {
        scene.run(1);
        let at = place(&scene, 0);
        assert!(at.x.abs() >= 1.4 || at.y.abs() >= 6.9 || at.z >= 3.9, "{at:?} touches the wall");
        highest = base::number::max(highest, at.z);
    }
    assert!(highest > 3.0, "over the wall is the shortest way");
    assert!((place(&scene, 0) - base::Vec3::new(8.0, 0.0, 1.5)).length() < 0.2);
}

#[test]
fn a_level_without_a_map_has_no_ways() {
    let mut scene = scene_with("", ONE, &format!("{WALKER}!set goal vec(8, 0, 0.5)\n!set seeks true\n"));
    scene.run(20);
    let walker = scene.one("a.walker");
    assert_eq!((scene.get(walker, "complete"), scene.get(walker, "free")), (Value::FALSE, Value::FALSE));
    assert_eq!(place(&scene, 0).x, -8.0);
    assert_eq!(scene.conditions(), []);
}

#[test]
fn a_map_that_cannot_be_made_is_a_mistake() {
    let made = |text: &str| {
        let classes = world::classes();
        classes.get("scenario").expect("the class").pack_text(text).packed
    };
    for (text, count) in [
        ("@scenario\n!set navigation { kind \"ground\", most vec(0, 9, 9) }\n", 1),
        ("@scenario\n!set navigation { kind \"space\", most vec(9000, 9000, 9000) }\n", 1),
        ("@scenario\n!set navigation { kind \"ground\", most vec(9, 9, 9) }\n", 0),
        ("@scenario\n", 0),
    ] {
        let mistakes = world::tag_checks::check_scenario(&made(text), &|_| None);
        assert_eq!(mistakes.len(), count, "{text}");
    }
}

proptest! {
    #![proptest_config(common::cases(12, 20))]

    #[test]
    fn a_map_after_changes_is_that_of_a_new_world(moves in prop::collection::vec((0_usize..3, -15_i32..15, -15_i32..15, 0_i32..3), 1..5)) {
        let walls = "{ object \"wall.object\", position vec(5, 3, 1.5) }, { object \"wall.object\", position vec(-6, -3, 1.5) }";
        let mut scene = scene(walls, "");
        for (index, x, y, kind) in moves {
            let (name, value) = match kind {
                0 => ("open", Value::NOTHING),
                1 => ("shift", Value::vector(base::Vec3::new(x as f32, y as f32 * 0.7, 1.5))),
                _ => ("turn", Value::vector(base::Vec3::new(x as f32, y as f32 + 0.5, 0.0).normal())),
            };
            tell(&mut scene, index, name, value);
            scene.run(4);
        }
        let partial = cells(&scene).to_vec();
        // The same bodies, built from nothing.
        let rules = &scene.rules;
        scene.world.set_up(|world| world::way_building::set_up(rules, world));
        prop_assert!(cells(&scene) == partial);
    }
}
