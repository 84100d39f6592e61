//! How often far-off things are updated, and how long cycles are: rules of tags.

use crate::common;

use base::Vec3;
use common::{SCENARIO, Scene, class};
use host::thread_pool::ThreadPool;
use script::value::Value;

const STATE: &str =
    "{ name \"n\", type \"number\", state true, default 0 }, { name \"sum\", type \"number\", state true, default 0 }";

/// A thing that counts its updates and adds up what they say has passed.
const COUNTER: &str = "@thing\n!set OnUpdate Lambda(seconds, [ !set n n + 1, !set sum sum + seconds ]())
!set far_updates [{ distance 50, period 100 }, { distance 200, period 500 }]\n";

fn scene(players: &[Vec3], globals: &str) -> Scene {
    let list =
        players.iter().map(|at| format!("{{ object \"player.thing\", position vec({}, {}, {}) }}", at.x, at.y, at.z));
    let level = format!(
        "@scenario\n!set objects_max 64\n!set players [{}]\n!set placements [{{ object \"a.thing\", position vec(100, 0, 0) }}]\n",
        list.collect::<Vec<_>>().join(", ")
    );
    let player = "@thing\n!set OnGo Lambda(place, !set position place)\n";
    let texts =
        [(SCENARIO, level.as_str()), ("a.thing", COUNTER), ("player.thing", player), ("globals.globals", globals)];
    Scene::new(&[&class("thing", STATE)], &texts)
}

#[test]
fn the_nearest_of_all_players_decides_how_often_an_object_is_updated() {
    let updates = |players: &[Vec3]| {
        let mut scene = scene(players, "@globals\n");
        scene.run(1000);
        let counter = scene.one("a.thing");
        (scene.number(counter, "n"), scene.number(counter, "sum"))
    };
    let at = |x: f32| Vec3::new(x, 0.0, 0.0);
    for (players, expected) in [
        (vec![at(90.0)], 1000.0),
        (vec![at(30.0)], 100.0),
        (vec![at(-500.0)], 20.0),
        (vec![at(-500.0), at(30.0), at(-900.0)], 100.0),
        (vec![at(-500.0), at(30.0), at(101.0)], 1000.0),
        // Without players there is no distance.
        (vec![], 1000.0),
    ] {
        let (count, sum) = updates(&players);
        assert!((count - expected).abs() <= 2.0, "{players:?}: {count} updates instead of {expected}");
        assert!((sum - 10.0).abs() < 0.6, "{players:?}: the seconds that were said add up to {sum}");
    }
}

#[test]
fn the_rate_follows_a_player_who_comes_nearer() {
    let mut scene = scene(&[Vec3::new(-500.0, 0.0, 0.0), Vec3::new(-900.0, 0.0, 0.0)], "@globals\n");
    scene.run(200);
    let counter = scene.one("a.thing");
    let before = scene.number(counter, "n");
    let player = scene.all("player.thing")[1];
    scene.world.set_up(|world| {
        scene.rules.parts.objects.edit_both(world, player, |_, values| {
            values[world::object::POSITION] = Value::vector(Vec3::new(99.0, 0.0, 0.0));
        });
        scene.rules.parts.objects.set_awake(world, player, true);
    });
    scene.run(200);
    let after = scene.number(counter, "n") - before;
    assert!((149.0..=200.0).contains(&after), "within half a second it is updated in every cycle: {after}");
}

#[test]
fn the_rates_are_the_same_with_any_number_of_workers() {
    let hash = |workers: u32| {
        let mut scene = scene(&[Vec3::new(30.0, 0.0, 0.0), Vec3::new(400.0, 0.0, 0.0)], "@globals\n");
        scene.run_with(300, &ThreadPool::new(workers));
        scene.world.hash()
    };
    assert_eq!(hash(1), hash(4));
}

#[test]
fn the_length_of_a_brush_cycle_comes_from_the_globals() {
    for (milliseconds, per_safe) in [(10.0, 5), (20.0, 3), (5.0, 12)] {
        let globals = format!(
            "@globals\n!set brush_cycle {milliseconds}\n!set safe_cycle {}\n",
            milliseconds * f64::from(per_safe)
        );
        let level = "@scenario\n!set objects_max 64\n!set bodies_max 8\n!set physics { gravity vec(0, 0, -10) }
!set placements [{ object \"a.thing\", velocity vec(1, 0, 0) }, { object \"ball.thing\", position vec(0, 50, 0) }]\n";
        let a = "@thing\n!set OnSpawn Lambda(!After(500, Lambda(!set sum now())))\n!set OnUpdate Lambda(s, !set n n + s)\n!set update_period 100\n";
        let ball = "@thing\n!set body { shape \"sphere\" }\n";
        let texts = [(SCENARIO, level), ("a.thing", a), ("ball.thing", ball), ("globals.globals", globals.as_str())];
        let mut scene = Scene::new(&[&class("thing", STATE)], &texts);
        let lengths = scene.rules.level.settings.lengths;
        assert_eq!((lengths.brush_nanos, lengths.brushes_per_safe), ((milliseconds * 1e6) as u64, per_safe));
        assert_eq!(*scene.rules.parts.lengths.get(&scene.world), lengths, "a save carries them");
        let cycles = (1000.0 / milliseconds) as u32;
        scene.run(cycles);
        let found = scene.one("a.thing");
        let place = scene.rules.parts.objects.get(&scene.world, found).position;
        assert!((place.x - 1.0).abs() < 1e-3, "{milliseconds} ms: a metre a second for a second: {place:?}");
        let fallen = scene.rules.parts.objects.get(&scene.world, scene.one("ball.thing")).velocity.z;
        assert!((fallen + 10.0).abs() < 0.21, "{milliseconds} ms: {fallen}");
        assert_eq!(scene.number(found, "sum"), 500.0 + milliseconds * 0.0, "{milliseconds} ms");
        assert!((scene.number(found, "n") - 1.0).abs() < 0.11, "{milliseconds} ms");
    }
}
