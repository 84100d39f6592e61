//! Trigger volumes, triggers, the end of a level, and the players' objects.

use crate::common;

use base::{StringId, Vec3};
use common::{Scene, class};
use relay::Event;
use script::value::Value;
use world::Condition;

const STATE: &str =
    "{ name \"n\", type \"number\", state true, default 0 }, { name \"other\", type \"handle\", state true }";

const MISSION: &str = "@EnvironmentHeader
!set Namespace \"mission\"
!set Base \"scenario\"
!set Attributes [{ name \"entered\", type \"number\", state true, default 0 }, { name \"gone\", type \"number\", state true, default 0 },
{ name \"count\", type \"number\", state true, default 0 }, { name \"again\", type \"number\", state true, default 0 },
{ name \"last\", type \"string\", state true }]
";

const LEVEL_PATH: &str = "levels/test.mission";

/// A level with a trigger volume around (10, 0, 0) that counts objects entering and leaving it.
fn scene(tag: &str, rest: &str) -> Scene {
    let level = format!(
        "@mission\n!set objects_max 64
!set trigger_volumes [{{ name \"gate\", centre vec(10, 0, 0), half vec(2, 2, 2) }}, {{ name \"ball\", centre vec(-10, 0, 0), radius 2 }}]
!set OnEnter Lambda(who, zone, [ !set entered entered + 1, !set last zone ]())
!set OnLeave Lambda(who, zone, [ !set gone gone + 1, !set last zone ]())
{rest}"
    );
    Scene::on(LEVEL_PATH, &[&class("thing", STATE), MISSION], &[("a.thing", tag), (LEVEL_PATH, &level)])
}

fn crossings(scene: &Scene) -> (f64, f64) {
    let number = |name: &str| scene.level(name).as_number().expect("a number");
    (number("entered"), number("gone"))
}

const ONE: &str = "!set placements [{ object \"a.thing\" }]";

#[test]
fn an_object_that_crosses_a_trigger_volume_enters_and_leaves_it_once() {
    let mut scene = scene("@thing\n", "!set placements [{ object \"a.thing\", velocity vec(50, 0, 0) }]");
    scene.run(20);
    assert_eq!(crossings(&scene), (1.0, 0.0));
    assert_eq!(scene.level("last"), Value::string(StringId::from("gate")));
    scene.run(20);
    assert_eq!(crossings(&scene), (1.0, 1.0));
    assert_eq!(scene.conditions(), []);
}

#[test]
fn spawning_in_a_trigger_volume_enters_it_and_destruction_leaves_it() {
    let tag = "@thing\n!set OnUpdate Lambda(s, [ !set n n + 1, if n = 5 then !Destroy(~this) ]())";
    let mut scene = scene(tag, "!set placements [{ object \"a.thing\", position vec(-10, 1, 0) }]");
    scene.run(2);
    assert_eq!(crossings(&scene), (1.0, 0.0));
    assert_eq!(scene.level("last"), Value::string(StringId::from("ball")));
    scene.run(10);
    assert_eq!(scene.all("a.thing").len(), 0);
    assert_eq!(crossings(&scene), (1.0, 1.0));
    assert_eq!(scene.conditions(), []);
}

#[test]
fn an_object_moved_into_a_trigger_volume_enters_it() {
    let tag = "@thing\n!set OnUpdate Lambda(s, [ !set n n + 1, if n = 3 then !Move(vec(10, 0, 0)), if n = 6 then !Move(vec(-10, 0, 0)),
if n = 9 then !set position vec(0, 0, 0) ]())";
    let mut scene = scene(tag, ONE);
    scene.run(6);
    assert_eq!(crossings(&scene), (1.0, 0.0));
    scene.run(3);
    assert_eq!(crossings(&scene), (2.0, 1.0));
    scene.run(3);
    assert_eq!(crossings(&scene), (2.0, 2.0));
    assert_eq!(scene.conditions(), []);
}

#[test]
fn an_attached_object_enters_a_trigger_volume_with_its_parent() {
    let tag = "@thing
!set OnSpawn Lambda(z, if n = 0 then !Spawn(\"a.thing\", { n 100 }, Lambda(made, !Attach(made, ~this))))
!set OnUpdate Lambda(s, [ !set n n + 1, if n = 10 then !set position vec(10, 0, 0), if n = 20 then !set position vec(0, 0, 0),
if n = 30 then !set position vec(10, 0, 0), if n = 40 then !Destroy(~this) ]())";
    let mut scene = scene(tag, ONE);
    scene.run(18);
    assert_eq!(scene.all("a.thing").len(), 2);
    assert_eq!(crossings(&scene), (2.0, 0.0));
    scene.run(10);
    assert_eq!(crossings(&scene), (2.0, 2.0));
    scene.run(30);
    assert_eq!(scene.all("a.thing").len(), 0);
    assert_eq!(crossings(&scene), (4.0, 4.0), "every object that entered has left");
    assert_eq!(scene.conditions(), []);
}

#[test]
fn on_destroy_spawns_at_the_position_of_its_object() {
    let tag = "@thing\n!set OnUpdate Lambda(s, if n = 0 then !Destroy(~this))\n!set OnDestroy Lambda(z, !Spawn(\"a.thing\", { n 1 }))";
    let mut scene = scene(tag, "!set placements [{ object \"a.thing\", position vec(7, 8, 9), team 3 }]");
    scene.run(4);
    let left = scene.one("a.thing");
    let object = scene.rules.parts.objects.get(&scene.world, left);
    assert_eq!((object.position, object.team), (Vec3::new(7.0, 8.0, 9.0), 3));
    assert!(object.owner.is_none());
}

#[test]
fn a_trigger_fires_once_unless_it_repeats() {
    let triggers = "!set triggers [{ name \"once\", when Lambda(entered = 1), action Lambda(!set count count + 1) },
{ name \"often\", when Lambda(entered = 1), action Lambda(!set again again + 1), repeats true },
{ name \"never\", when Lambda(entered = 99), action Lambda(!set again again + 1000) },
{ name \"empty\" }]\n";
    let rest = format!("{triggers}!set placements [{{ object \"a.thing\", position vec(10, 0, 0) }}]");
    let mut scene = scene("@thing\n", &rest);
    scene.run(30);
    assert_eq!(scene.level("count"), Value::number(1.0), "{:?}", scene.rules.log.take(&scene.rules.prototypes));
    assert!(
        scene.level("again").as_number().is_some_and(|again| (20.0..100.0).contains(&again)),
        "{:?}",
        scene.level("again")
    );
    assert_eq!(scene.conditions(), []);
}

#[test]
fn the_level_ends_once_and_the_first_end_counts() {
    let tag = "@thing\n!set OnUpdate Lambda(s, [ !set n n + 1, if n = 3 then !EndLevel(\"won\", \"levels/next.scenario\"), if n = 4 then !EndLevel(\"lost\") ]())";
    let mut scene = scene(tag, ONE);
    scene.run(2);
    assert_eq!(scene.rules.parts.progress.get(&scene.world).is_over, 0);
    scene.run(10);
    let progress = *scene.rules.parts.progress.get(&scene.world);
    assert_eq!((progress.is_over, progress.result), (1, StringId::from("won")));
    assert_eq!(progress.next, StringId::from("levels/next.scenario"));
    assert_eq!(scene.conditions(), []);
}

#[test]
fn the_level_cannot_be_destroyed() {
    let mut scene = scene(
        "@thing\n!set OnUpdate Lambda(s, [ !Destroy(~level), !Damage(~level, 3), !Attach(~level, ~this) ]())",
        ONE,
    );
    scene.run(30);
    assert!(scene.rules.parts.objects.find_raw(&scene.world, world::LEVEL.raw()).is_some());
    scene.run(50);
    assert_eq!(scene.level("count"), Value::number(0.0));
}

#[test]
fn the_level_has_no_position_and_cannot_be_moved() {
    let tag = "@thing\n!set OnUpdate Lambda(s, [ !set n count(within(vec(0, 0, 0), 1000)) + count_objects(),
!Attach(~level, ~this), !Give(~level, ~this), !Join(~level, 7) ]())";
    let mut scene = scene(tag, ONE);
    scene.run(10);
    let thing = scene.one("a.thing");
    let level = *scene.rules.parts.objects.get(&scene.world, world::LEVEL);
    assert!(level.parent.is_none() && level.owner.is_none() && level.team == 0 && level.cell == u32::MAX);
    assert_eq!(scene.number(thing, "n"), 2.0);
    assert_eq!(scene.conditions(), [Condition::NoSuchObject]);
}

#[test]
fn events_reach_the_players_own_object_while_it_exists() {
    let events = "@events\n!set kinds [{ name \"go\", fields [{ name \"far\", kind \"number\" }] }]";
    let level = "@mission\n!set objects_max 64\n!set events \"input.events\"
!set players [{ object \"a.thing\", team 1 }, { object \"a.thing\", team 2, position vec(5, 0, 0) }, { object \"no.thing\" }]";
    let tag = "@thing\n!set OnGo Lambda(far, [ !set n n + far, if n > 100 then !Destroy(~this) ]())";
    let texts = [("a.thing", tag), (LEVEL_PATH, level), ("input.events", events)];
    let mut scene = Scene::on(LEVEL_PATH, &[&class("thing", STATE), MISSION], &texts);
    let go = |far: f32| Event::new(StringId::new("go"), &[far.to_bits()]);
    let things = scene.all("a.thing");
    scene.events = vec![(0, go(1.0)), (1, go(10.0)), (1, go(20.0))];
    scene.run(1);
    assert_eq!((scene.number(things[0], "n"), scene.number(things[1], "n")), (1.0, 30.0));
    let before = scene.count(Condition::NoSuchObject) + scene.count(Condition::NoSuchPlayer);
    scene.events = vec![(2, go(1.0)), (3, go(1.0)), (u16::MAX - 1, go(1.0))];
    scene.run(1);
    assert_eq!(scene.count(Condition::NoSuchObject) + scene.count(Condition::NoSuchPlayer), before + 3);
    scene.events = vec![(0, go(1000.0))];
    scene.run(3);
    assert_eq!(scene.all("a.thing"), [things[1]]);
    scene.events = vec![(0, go(1.0)), (0, go(2.0)), (1, go(1.0))];
    scene.run(50);
    assert_eq!(scene.number(things[1], "n"), 31.0);
}
