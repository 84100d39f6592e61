//! The life of objects: updates, queries, messages, damage, spawning and destruction.

use crate::common;

use base::Vec3;
use common::{SCENARIO, Scene, class};
use script::value::Value;
use world::Condition;

const COUNTER: &str = "{ name \"ticks\", type \"number\", state true, default 0 },
    { name \"heard\", type \"number\", state true, default 0 }, { name \"step\", type \"number\", default 1 }";

fn placed(rest: &str) -> String {
    format!("@scenario\n!set objects_max 256\n!set placements [{rest}]\n")
}

fn scene(tag: &str, placements: &str) -> Scene {
    let scenario = placed(placements);
    Scene::new(&[&class("thing", COUNTER)], &[("a.thing", tag), (SCENARIO, &scenario)])
}

#[test]
fn an_object_updates_with_its_own_period_and_sleeps_in_between() {
    let tag =
        "@thing\n!set update_period 50\n!set step 3\n!set OnUpdate Lambda(seconds, [ !set ticks ticks + step ]())";
    let mut scene = scene(tag, "{ object \"a.thing\" }");
    let thing = scene.one("a.thing");
    let mut awake = 0;
    for _ in 0..100 {
        scene.run(1);
        awake += u32::from(scene.rules.parts.objects.is_awake(&scene.world, thing));
    }
    assert_eq!(scene.number(thing, "ticks"), 60.0);
    assert!(awake <= 3, "it was awake after {awake} of 100 cycles");
    assert_eq!(scene.conditions(), []);
}

#[test]
fn an_object_without_work_is_never_visited_again() {
    let mut scene = scene("@thing\n", "{ object \"a.thing\" }");
    scene.run(2);
    let thing = scene.one("a.thing");
    assert!(!scene.rules.parts.objects.is_awake(&scene.world, thing));
}

#[test]
fn velocity_moves_an_object_by_itself() {
    let mut scene = scene("@thing\n", "{ object \"a.thing\", position vec(1, 0, 0), velocity vec(0, 100, 0) }");
    scene.run(100);
    let thing = scene.one("a.thing");
    let object = scene.rules.parts.objects.get(&scene.world, thing);
    assert!((object.position - Vec3::new(1.0, 100.0, 0.0)).length() < 0.01, "{:?}", object.position);
    assert_eq!(scene.get(thing, "position").as_vector(), Some(object.position));
}

#[test]
fn messages_reach_their_handlers_and_answers_come_back() {
    let tag = "@thing
!set OnSpawn Lambda(nobody, !Spawn(\"a.thing\", { ticks 5, position vec(9, 0, 0) }, Lambda(made, !Send(made, \"ping\", 7))))
!set OnPing Lambda(number, [ !set heard heard + number, !Send(~sender, \"pong\", number * 2) ]())
!set OnPong Lambda(number, !set heard heard + number)";
    let scenario = placed("{ object \"a.thing\" }");
    let once = tag.replace("!set OnSpawn Lambda(nobody, ", "!set OnSpawn Lambda(nobody, if ticks = 0 then ");
    let mut scene = Scene::new(&[&class("thing", COUNTER)], &[("a.thing", &once), (SCENARIO, &scenario)]);
    scene.run(6);
    let things = scene.all("a.thing");
    assert_eq!(things.len(), 2, "{:?}", scene.conditions());
    assert_eq!((scene.number(things[0], "heard"), scene.number(things[1], "heard")), (14.0, 7.0));
    assert_eq!(scene.number(things[1], "ticks"), 5.0);
    assert_eq!(scene.get(things[1], "position").as_vector(), Some(Vec3::new(9.0, 0.0, 0.0)));
    assert_eq!(scene.get(things[1], "owner"), world::object::value_of(things[0]));
    assert_eq!(scene.conditions(), []);
}

const LEVEL_CLASS: &str = "@EnvironmentHeader
!set Namespace \"mission\"
!set Base \"scenario\"
!set Attributes [{ name \"lost\", type \"number\", state true, default 0 }]
";

#[test]
fn damage_reaches_its_handler_and_on_destroy_is_called() {
    let tag = "@thing
!set OnUpdate Lambda(seconds, if ticks = 0 and team = 1 then [ !set ticks 1, !Damage(nearest_object(position, 50, { enemy_of team }), 30, \"laser\") ]())
!set OnDamage Lambda(amount, kind, [ !set heard heard + (if kind = \"laser\" then amount * 2 else amount), if heard > 50 then !Destroy(~this) ]())
!set OnDestroy Lambda(nobody, !Send(~level, \"lost\", heard))";
    let mission = "@mission\n!set objects_max 64\n!set OnLost Lambda(heard, !set lost lost + heard)
!set placements [{ object \"a.thing\", team 1 }, { object \"a.thing\", team 2, position vec(3, 0, 0) }]";
    let headers = [&class("thing", COUNTER), LEVEL_CLASS];
    let mut scene = Scene::on("levels/test.mission", &headers, &[("a.thing", tag), ("levels/test.mission", mission)]);
    scene.run(6);
    assert_eq!(scene.all("a.thing").len(), 1, "{:?}", scene.conditions());
    assert_eq!(scene.rules.parts.progress.get(&scene.world).destroyed, 1);
    assert_eq!(scene.level("lost"), Value::number(60.0));
    assert_eq!(scene.conditions(), []);
}

#[test]
fn timers_fire_when_due_and_the_object_sleeps_until_then() {
    let tag = "@thing
!set OnSpawn Lambda(nobody, [ !After(300, [ !set heard 1 ]), !Every(100, [ !set ticks ticks + 1 ]) ]())";
    let mut scene = scene(tag, "{ object \"a.thing\" }");
    let thing = scene.one("a.thing");
    scene.run(25);
    assert_eq!((scene.number(thing, "ticks"), scene.number(thing, "heard")), (2.0, 0.0));
    assert!(!scene.rules.parts.objects.is_awake(&scene.world, thing));
    scene.run(100);
    assert_eq!((scene.number(thing, "ticks"), scene.number(thing, "heard")), (12.0, 1.0));
}

#[test]
fn constants_of_a_tag_are_not_stored_in_the_world() {
    let tag = "@thing\n!set storage 0\n!set OnUpdate Lambda(seconds, [ !set ticks ticks + step ]())";
    let scene = scene(tag, "{ object \"a.thing\" }");
    let thing = scene.one("a.thing");
    let values = scene.rules.parts.objects.values(&scene.world, thing);
    // Position, velocity, facing, team, owner; ticks, heard; `~this` and the rest only where they are used.
    assert!(values.len() <= 8, "{}", values.len());
    assert_eq!(scene.get(thing, "step"), Value::number(1.0));
}

#[test]
fn attached_objects_follow_their_parents_and_are_destroyed_with_them() {
    let tag = "@thing
!set markers [{ name \"top\", offset vec(0, 0, 2) }]
!set OnSpawn Lambda(nobody, if ticks = 0 then !Spawn(\"a.thing\", { ticks 1 }, Lambda(made, !Attach(made, ~this, \"top\"))))
!set OnEnd Lambda(nobody, !Destroy(~this))
!set OnUpdate Lambda(seconds, if ticks = 0 and position.x > 3 and heard = 0 then [ !set heard 1, !Destroy(~this) ]())";
    let mut scene = scene(tag, "{ object \"a.thing\", velocity vec(10, 0, 0) }");
    scene.run(20);
    let things = scene.all("a.thing");
    assert_eq!(things.len(), 2, "{:?}", scene.conditions());
    let objects = scene.rules.parts.objects;
    let (parent, child) = (objects.get(&scene.world, things[0]), objects.get(&scene.world, things[1]));
    assert_eq!(child.position, parent.position + Vec3::new(0.0, 0.0, 2.0));
    assert_eq!(scene.get(things[1], "position").as_vector(), Some(child.position));
    scene.run(40);
    assert_eq!(scene.all("a.thing").len(), 0);
    assert_eq!(scene.conditions(), []);
    assert_eq!(scene.rules.parts.counts.get(&scene.world).of(Condition::AttachedInCircle), 0);
}

#[test]
fn the_nearest_object_is_found_at_any_distance() {
    let tag = "@thing\n!set OnUpdate Lambda(seconds, if nearest_object(position, 2000, { except ~this }) <> nothing then !set heard 1)";
    for far in [10, 100, 300, 1000, 1999, 2001] {
        let mut scene =
            scene(tag, &format!("{{ object \"a.thing\" }}, {{ object \"a.thing\", position vec({far}, 0, 0) }}"));
        scene.run(4);
        let expected = if far <= 2000 { 1.0 } else { 0.0 };
        for thing in scene.all("a.thing") {
            assert_eq!(scene.number(thing, "heard"), expected, "{far}");
        }
    }
}

#[test]
fn a_message_without_a_handler_does_nothing() {
    let tag = "@thing
!set OnSpawn Lambda(z, if ticks = 0 then [ !set ticks 1, !Spawn(\"b.thing\", {}, Lambda(made, [ !Send(made, \"tell\"), !Spawn(\"b.thing\"), !Log(1) ]())) ]())";
    let scenario = placed("{ object \"a.thing\" }");
    let texts = [("a.thing", tag), ("b.thing", "@thing\n"), (SCENARIO, scenario.as_str())];
    let mut scene = Scene::new(&[&class("thing", COUNTER)], &texts);
    scene.run(30);
    assert_eq!(scene.all("b.thing").len(), 2, "a message without a handler does not repeat the effects of its sender");
    assert_eq!(scene.rules.parts.progress.get(&scene.world).messages, 1);
}
