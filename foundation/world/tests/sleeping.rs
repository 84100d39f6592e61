//! An object with nothing to do is not visited; one with something to do is visited when it is due.

use crate::common;

use base::{Handle, Vec3};
use common::stage::{Request, puppets};
use common::{SCENARIO, Scene, class};
use script::value::Value;
use state::Settings;
use world::Object;

const STATE: &str =
    "{ name \"n\", type \"number\", state true, default 0 }, { name \"m\", type \"number\", state true, default 0 }";

fn scene(tag: &str) -> Scene {
    let scenario = "@scenario\n!set objects_max 64\n!set placements [{ object \"a.thing\" }]";
    Scene::new(&[&class("thing", STATE)], &[("a.thing", tag), (SCENARIO, scenario)])
}

/// The number of cycles, out of these, in which an object is visited.
fn visits(scene: &mut Scene, object: Handle<Object>, cycles: u32) -> u32 {
    (0..cycles)
        .map(|_| {
            // An object is visited in a cycle if it is awake when the cycle begins or has an alarm for it. An invalid
            // team shows a visit: every visit replaces it.
            let objects = scene.rules.parts.objects;
            scene.world.set_up(|world| {
                objects.edit_both(world, object, |_, values| values[world::object::TEAM] = Value::NOTHING);
            });
            scene.run(1);
            // Settling replaced the invalid team.
            let was_visited = objects.values(&scene.world, object)[world::object::TEAM] != Value::NOTHING;
            scene.world.set_up(|world| {
                objects.edit_both(world, object, |_, values| values[world::object::TEAM] = Value::number(0.0));
            });
            u32::from(was_visited)
        })
        .sum()
}

#[test]
fn an_object_without_work_is_not_visited() {
    let mut scene = scene("@thing\n!set OnPing Lambda(z, !set n n + 1)\n!set OnDamage Lambda(a, k, !set n n + a)\n");
    let thing = scene.one("a.thing");
    scene.run(3);
    assert_eq!(visits(&mut scene, thing, 300), 0);
}

#[test]
fn an_object_is_visited_once_per_update_period() {
    for (period, expected) in [(10, 300), (50, 60), (1000, 3), (2000, 3)] {
        let tag = format!("@thing\n!set update_period {period}\n!set OnUpdate Lambda(s, !set n n + 1)\n");
        let mut scene = scene(&tag);
        let thing = scene.one("a.thing");
        scene.run(3);
        let before = scene.number(thing, "n");
        let count = visits(&mut scene, thing, 300);
        // Beyond the range of alarms it is also woken in between, without an update.
        assert!(count <= expected && count + 3 >= expected.min(300 * 10 / period), "{period}: {count}");
        let updates = scene.number(thing, "n") - before;
        assert!((updates - 3000.0 / f64::from(period)).abs() <= 1.0, "{period}: {updates}");
    }
}

#[test]
fn far_timers_fire_in_their_cycle_and_cost_almost_nothing_until_then() {
    for cycles in [1_u32, 2, 100, 126, 127, 128, 129, 130, 200, 255, 256, 257, 1000, 5000] {
        let tag = format!("@thing\n!set OnSpawn Lambda(z, !After({}, [ !set n 1 ]))\n", cycles * 10);
        let mut scene = scene(&tag);
        let thing = scene.one("a.thing");
        scene.run(1);
        let count = if cycles > 3 { visits(&mut scene, thing, cycles - 1) } else { (scene.run(cycles - 1), 0).1 };
        assert_eq!(scene.number(thing, "n"), 0.0, "{cycles}");
        scene.run(1);
        assert_eq!(scene.number(thing, "n"), 1.0, "{cycles}");
        assert!(count <= 1 + cycles / 100, "{cycles}: visited {count} times before it was due");
        scene.run(2);
        assert_eq!(visits(&mut scene, thing, 300), 0, "{cycles}");
    }
}

#[test]
fn timers_changed_by_messages_while_asleep_fire_at_their_new_time() {
    let tag = "@thing
!set timer nothing
!set OnSpawn Lambda(z, !set timer !After(3000, [ !set n n + 1 ]))
!set OnSooner Lambda(other, place, number, [ !Cancel(timer), !set timer !After(50, [ !set n n + 10 ]) ]())
!set OnNever Lambda(other, place, number, !Cancel(timer))
!set OnLater Lambda(other, place, number, !set timer !After(4000, [ !set m m + 1 ]))";
    let scenario = "@scenario\n!set objects_max 64\n!set placements [{ object \"a.thing\", count 4 }]";
    let texts = [("a.thing", tag), (SCENARIO, scenario), ("d.teller", "")];
    let teller = "@teller\n!set sooner nothing
!set OnUpdate Lambda(s, [ !set ticks ticks + 1, if ticks = 100 then [ !Send(objects({ class \"thing\" })[#0], \"sooner\", 1, 2, 3), !Send(objects({ class \"thing\" })[#1], \"never\", 1, 2, 3), !Send(objects({ class \"thing\" })[#2], \"later\", 1, 2, 3) ]() ]())";
    let scenario = scenario.replace("[{ object", "[{ object \"d.teller\" }, { object");
    let headers =
        [class("thing", STATE), class("teller", "{ name \"ticks\", type \"number\", state true, default 0 }")];
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    let texts = [texts[0], (SCENARIO, &scenario), ("d.teller", teller)];
    let mut scene = Scene::new(&headers, &texts);
    let things = scene.all("a.thing");
    scene.run(140);
    let numbers =
        |scene: &Scene, name: &str| things.iter().map(|thing| scene.number(*thing, name)).collect::<Vec<f64>>();
    assert_eq!(numbers(&scene, "n"), [10.0, 0.0, 0.0, 0.0], "{:?}", scene.rules.log.take(&scene.rules.prototypes));
    scene.run(165);
    assert_eq!(numbers(&scene, "n"), [10.0, 0.0, 1.0, 1.0]);
    assert_eq!(numbers(&scene, "m"), [0.0, 0.0, 0.0, 0.0]);
    scene.run(205);
    assert_eq!(numbers(&scene, "n"), [10.0, 0.0, 1.0, 1.0]);
    assert_eq!(numbers(&scene, "m"), [0.0, 0.0, 1.0, 0.0]);
    assert!(things.iter().all(|thing| !scene.rules.parts.objects.is_awake(&scene.world, *thing)));
}

#[test]
fn moving_objects_are_visited_and_stopped_ones_are_not() {
    let mut scene = puppets(&[(0, Vec3::ZERO, 0)], 16.0, Settings::default());
    scene.run(2);
    let thing = scene.one("a.thing");
    assert_eq!(visits(&mut scene, thing, 20), 0);
    let request = |scene: &mut Scene, name: &'static str, place: Vec3| {
        scene.request(Request { name, who: thing, other: Handle::NONE, place, number: 0 });
        scene.run(3);
    };
    request(&mut scene, "speed", Vec3::new(1.0, 0.0, 0.0));
    assert_eq!(visits(&mut scene, thing, 50), 50);
    request(&mut scene, "speed", Vec3::ZERO);
    assert_eq!(visits(&mut scene, thing, 50), 0);
    request(&mut scene, "move", Vec3::new(1000.0, 0.0, 0.0));
    assert_eq!(visits(&mut scene, thing, 50), 0);
    assert_eq!(scene.rules.parts.objects.get(&scene.world, thing).position, Vec3::new(1000.0, 0.0, 0.0));
}

#[test]
fn attached_objects_are_moved_while_asleep() {
    let mut scene = puppets(&[(1, Vec3::ZERO, 0), (2, Vec3::X, 0)], 16.0, Settings::default());
    scene.run(2);
    let (parent, child) = (scene.one("b.puppet"), scene.one("c.doll"));
    scene.request(Request { name: "attach", who: child, other: parent, place: Vec3::ZERO, number: 0 });
    scene.request(Request { name: "speed", who: parent, other: parent, place: Vec3::new(10.0, 0.0, 0.0), number: 0 });
    scene.run(3);
    assert_eq!(visits(&mut scene, child, 100), 0);
    let objects = scene.rules.parts.objects;
    let (parent, child) = (*objects.get(&scene.world, parent), *objects.get(&scene.world, child));
    assert!(parent.position.x > 9.0 && child.position == parent.position, "{:?}", child.position);
    scene.assert_containers_hold();
}
