//! Every runtime error is a condition with a name, and the world keeps running.

use crate::common;

use base::{Handle, StringId, Vec3};
use common::{SCENARIO, Scene, class};
use relay::Event;
use script::value::Value;
use world::Condition::{self, *};
use world::Object;

const STATE: &str =
    "{ name \"n\", type \"number\", state true, default 0 }, { name \"other\", type \"handle\", state true }";

fn scene_of(tag: &str, scenario: &str) -> Scene {
    Scene::new(&[&class("thing", STATE)], &[("a.thing", tag), (SCENARIO, scenario)])
}

fn scene(tag: &str) -> Scene {
    scene_of(tag, "@scenario\n!set objects_max 64\n!set messages_max 64\n!set placements [{ object \"a.thing\" }]\n")
}

/// Runs a tag for some cycles; exactly these conditions come up.
#[track_caller]
fn check(tag: &str, cycles: u32, expected: &[Condition]) -> Scene {
    let mut scene = scene(tag);
    scene.run(cycles);
    assert_eq!(scene.conditions(), expected, "{:?}", scene.rules.log.take(&scene.rules.prototypes));
    scene
}

#[test]
fn every_variable_that_a_spawn_cannot_give_is_told() {
    let tag = "@thing\n!set OnSpawn Lambda(if n = 0 then !Spawn(\"a.thing\", { n 1, aaa 1, zzz 2, mmm 3 }))";
    let mut scene = Scene::new(
        &[&class("thing", "{ name \"n\", type \"number\", state true, default 0 }")],
        &[("a.thing", tag), (SCENARIO, "@scenario\n!set objects_max 64\n!set placements [{ object \"a.thing\" }]\n")],
    );
    scene.run(4);
    assert_eq!((scene.conditions(), scene.count(NotGiven)), (vec![NotGiven], 3));
    // At the line that asks, of the object that asks.
    let asker = scene.all("a.thing")[0];
    let lines = scene.rules.log.take(&scene.rules.prototypes);
    let place = format!("a.thing:2:35 #{:08x}: spawning with a variable", asker.raw());
    for name in ["(aaa)", "(zzz)", "(mmm)"] {
        assert!(lines.iter().any(|line| line.contains(&place) && line.ends_with(name)), "{name}: {lines:?}");
    }
    assert_eq!(lines.len(), 3, "{lines:?}");
}

/// The lines that a tag logs in its first cycles.
fn logged(tag: &str) -> Vec<String> {
    let mut scene = scene(tag);
    scene.run(4);
    scene.rules.log.take(&scene.rules.prototypes)
}

#[test]
fn an_unknown_effect_and_wrong_arguments_are_told_apart() {
    let of = |call: &str| logged(&format!("@thing\n!set what nothing\n!set OnSpawn Lambda({call})")).remove(0);
    assert!(of("!Wrap(3)").ends_with(": there is no such effect (Wrap)"), "{}", of("!Wrap(3)"));
    let wrong = of("!Spawn(what)");
    assert!(
        wrong.contains("a.thing:3:") && wrong.contains(": an effect with wrong arguments (Spawn): expected `!Spawn("),
        "{wrong}"
    );
    let kind = of("let kind = \"glue\" in !Connect(~this, other, kind)");
    assert!(kind.ends_with("an effect with wrong arguments (glue)"), "{kind}");
}

#[test]
fn a_full_capacity_names_its_field_and_number() {
    let storm = logged(
        "@thing\n!set OnSpawn Lambda(n, [ !Spawn(\"a.thing\"), !Spawn(\"a.thing\"), !Spawn(\"a.thing\"), !Spawn(\"a.thing\"), !Spawn(\"a.thing\"), !Spawn(\"a.thing\"), !Spawn(\"a.thing\"), !Spawn(\"a.thing\") ]())",
    );
    assert!(storm.iter().any(|line| line.contains("(a.thing): `objects_max` of the level is 64")), "{storm:?}");
    let scenario =
        "@scenario\n!set objects_max 64\n!set values_max 256\n!set placements [{ object \"a.thing\", count 60 }]";
    let mut scene = scene_of("@thing\n!set storage 100\n", scenario);
    scene.run(3);
    let lines = scene.rules.log.take(&scene.rules.prototypes);
    assert!(lines.iter().any(|line| line.contains("`values_max` of the level is 256")), "{lines:?}");
}

#[test]
fn runaway_spawning_stops_at_the_capacity() {
    let scene =
        check("@thing\n!set OnSpawn Lambda(n, [ !Spawn(\"a.thing\"), !Spawn(\"a.thing\") ]())", 50, &[NoRoomForObject]);
    assert_eq!(scene.rules.parts.objects.count(&scene.world), 64);
}

#[test]
fn excess_messages_are_carried_over_or_refused() {
    let tag = "@thing\n!set OnSpawn Lambda(n, !Send(~this, \"storm\"))
!set OnStorm Lambda(nobody, [ !set n n + 1, !Send(~this, \"storm\"), !Send(~this, \"storm\") ]())";
    let mut scene = scene(tag);
    scene.run(30);
    assert_eq!(scene.conditions(), [MessagesLeftOver, QueueFull]);
    let thing = scene.one("a.thing");
    assert!(scene.number(thing, "n") > 100.0, "{}", scene.number(thing, "n"));
    assert!(scene.rules.parts.messages.waiting(&scene.world) <= 64);
}

#[test]
fn invalid_positions_are_warned_of_and_the_last_good_one_is_kept() {
    let tag = "@thing\n!set OnUpdate Lambda(s, [ !set position position * (1 / (n - n)), !set n n + 1 ]())";
    let mut scene = scene(tag);
    scene.run(5);
    assert!(scene.count(NotFinite) + scene.count(Complained) > 0, "{:?}", scene.conditions());
    let thing = scene.one("a.thing");
    assert!(scene.rules.parts.objects.get(&scene.world, thing).position.is_finite());
    let far =
        "@thing\n!set OnUpdate Lambda(s, [ !set position vec(1, 0, 0) * 1e30, !set velocity vec(0, 1, 0) * 1e20 ]())";
    let scene = check(far, 5, &[TooFar, TooFast]);
    let thing = scene.one("a.thing");
    assert_eq!(scene.rules.parts.objects.get(&scene.world, thing).position.x, world::limits::FAR);
    let facing = "@thing\n!set OnUpdate Lambda(s, !set facing vec(0, 0, 0))";
    check(facing, 5, &[NotFinite]);
}

#[test]
fn effects_without_a_target_are_warned_of() {
    check("@thing\n!set OnSpawn Lambda(n, !Send(nothing, \"x\"))", 3, &[NoSuchObject]);
    check("@thing\n!set OnSpawn Lambda(n, !Spawn(\"b.thing\"))", 3, &[NoSuchTag]);
    check("@thing\n!set OnSpawn Lambda(n, !Attach(~this, ~this))", 3, &[AttachedInCircle]);
    check("@thing\n!set OnSpawn Lambda(n, !Flag(\"armed\", true))", 3, &[NoSuchFlag]);
    check("@thing\n!set OnSpawn Lambda(nobody, !set team n + 99)", 3, &[NoSuchTeam]);
    check("@thing\n!set OnSpawn Lambda(n, !Impulse(~this, vec(1, 0, 0)))", 3, &[NoBody]);
    check("@thing\n!set loop Lambda(n, loop(n))\n!set OnSpawn Lambda(n, loop(1))", 3, &[Halted]);
}

#[test]
fn a_stale_handle_reaches_no_object() {
    let tag = "@thing
!set OnSpawn Lambda(z, if n = 0 then !Spawn(\"a.thing\", { n 1 }, Lambda(made, !set other made)))
!set OnUpdate Lambda(s, if n = 1 then !Destroy(~this) else if other <> nothing then [ !Send(other, \"x\"), !Damage(other, 1) ]())";
    let mut scene = scene(tag);
    scene.run(10);
    assert_eq!(scene.conditions(), [NoSuchObject]);
    assert_eq!(scene.all("a.thing").len(), 1);
}

#[test]
fn an_object_destroyed_by_several_is_destroyed_once() {
    let tag = "@thing\n!set OnUpdate Lambda(s, [ !Destroy(~this), !Destroy(~this), !Destroy(~this) ]())
!set OnDestroy Lambda(n, !Spawn(\"a.thing\", { n 1 }))";
    let mut scene = scene(tag);
    scene.run(40);
    let progress = scene.rules.parts.progress.get(&scene.world);
    assert!(progress.destroyed > 5, "{progress:?}");
    assert_eq!(progress.spawned, progress.destroyed + 2, "the level and one living object");
    assert_eq!(scene.conditions(), []);
}

#[test]
fn cyclic_attachments_are_refused() {
    let tag = "@thing
!set OnSpawn Lambda(z, if n < 3 then !Spawn(\"a.thing\", { n n + 1 }, Lambda(made, [ !Attach(made, ~this), !set other made ]())))
!set OnUpdate Lambda(s, if n = 0 and other <> nothing and other.other <> nothing then !Attach(~this, other.other))";
    let mut scene = scene(tag);
    scene.run(20);
    assert_eq!(scene.conditions(), [AttachedInCircle]);
    let objects = scene.rules.parts.objects;
    for (handle, _) in objects.iterate(&scene.world) {
        let (mut at, mut steps) = (handle, 0);
        while let Some(object) = objects.find(&scene.world, at) {
            (at, steps) = (object.parent, steps + 1);
            assert!(steps < 10);
        }
    }
}

#[test]
fn invalid_events_and_unknown_players_are_warned_of_and_harmless() {
    let scenario = "@scenario\n!set objects_max 64\n!set events \"input.events\"
!set players [{ object \"a.thing\", team 1 }]";
    let events = "@events\n!set kinds [{ name \"go\", fields [{ name \"to\", kind \"vector\", min -10, max 10 }] }]";
    let tag = "@thing\n!set OnGo Lambda(to, [ !set n n + 1, !set position to ]())";
    let mut scene =
        Scene::new(&[&class("thing", STATE)], &[("a.thing", tag), (SCENARIO, scenario), ("input.events", events)]);
    let go = |x: f32| Event::new(StringId::new("go"), &[x.to_bits(), 0, 0]);
    scene.events =
        vec![(0, go(3.0)), (0, go(f32::NAN)), (0, go(11.0)), (0, Event::new(StringId::new("no"), &[])), (1, go(1.0))];
    scene.run(2);
    let thing = scene.one("a.thing");
    assert_eq!(scene.number(thing, "n"), 1.0);
    assert_eq!(scene.get(thing, "position").as_vector(), Some(Vec3::new(3.0, 0.0, 0.0)));
    assert_eq!((scene.count(EventRefused), scene.count(NoSuchPlayer)), (3, 1));
    let lines = scene.rules.log.take(&scene.rules.prototypes).join("\n");
    assert!(lines.contains("player 0"), "{lines}");
}

#[test]
fn moves_into_a_closed_trigger_volume_are_denied() {
    let scenario = "@scenario\n!set objects_max 64\n!set placements [{ object \"a.thing\" }]
!set trigger_volumes [{ name \"wall\", centre vec(10, 0, 0), half vec(2, 2, 2), closed true }]";
    let tag = "@thing\n!set OnUpdate Lambda(s, [ !set n n + 1, !Move(vec(n, 0, 0)) ]())";
    let mut scene = scene_of(tag, scenario);
    scene.run(20);
    assert_eq!(scene.conditions(), [MoveDenied]);
    assert_eq!(scene.count(MoveDenied), 5);
    let thing = scene.one("a.thing");
    assert!(scene.get(thing, "position").as_vector().is_some_and(|at| at.x > 12.0));
}

#[test]
fn the_log_names_tag_line_and_object() {
    let tag = "@thing\n!set word nothing\n!set OnUpdate Lambda(s,\n    !set n\n        n + word)";
    let mut scene = scene(tag);
    scene.run(2);
    let lines = scene.rules.log.take(&scene.rules.prototypes);
    let line = lines.first().expect("a warning was logged");
    let thing = scene.one("a.thing");
    assert!(line.contains(&format!("a.thing:5:9 #{:08x}", thing.raw())), "{line}");
}

#[test]
fn running_out_of_variables_is_harmless() {
    let scenario =
        "@scenario\n!set objects_max 64\n!set values_max 256\n!set placements [{ object \"a.thing\", count 60 }]";
    let mut scene = scene_of("@thing\n!set storage 100\n", scenario);
    scene.run(3);
    assert_eq!(scene.conditions(), [NoRoomForVariables]);
    let count = scene.rules.parts.objects.count(&scene.world);
    assert!((2..40).contains(&count), "{count}");
}

#[test]
fn an_arbitrary_row_is_harmless() {
    let tag = "@thing\n!set OnUpdate Lambda(s, [ !set n n + 1, !Send(other, \"x\"), !Attach(~this, other), !Give(~this, other) ]())";
    let mut scene = scene(tag);
    scene.run(2);
    let thing = scene.one("a.thing");
    let objects = scene.rules.parts.objects;
    for nonsense in [0_u32, 1, 0x8000_0000, 0xffff_0000, 0x8001_ffff, u32::MAX - 1] {
        scene.world.set_up(|world| {
            objects.edit_both(world, thing, |_, values| {
                let value = Value::handle(Handle::<Object>::from_raw(nonsense).cast(), 3);
                values.iter_mut().skip(4).for_each(|place| *place = value);
            });
        });
        scene.run(3);
    }
    assert!(scene.count(NoSuchObject) > 0);
}

#[test]
fn invalid_spawn_variables_are_warned_of_and_the_tags_values_kept() {
    let tag = "@thing\n!set OnSpawn Lambda(z, if team = 0 then !Spawn(\"a.thing\", { n \"many\", hulk 3, team 2 }))";
    let mut scene = scene(tag);
    scene.run(2);
    assert_eq!(scene.conditions(), [NotGiven]);
    let made = scene.all("a.thing")[1];
    assert_eq!((scene.number(made, "n"), scene.number(made, "team")), (0.0, 2.0));
}

#[test]
fn a_warning_names_the_tag_the_line_and_the_missing_target() {
    let tag = "@thing
!set OnSpawn Lambda(z, !Spawn(\"a.thing\", {}, Lambda(made, [ !set other made, !Destroy(made) ]())))
!set OnUpdate Lambda(s,
    [ !Send(other, \"hello\"), !Damage(nothing, 1) ]())
";
    let mut scene = scene(tag);
    scene.run(6);
    let lines = scene.rules.log.take(&scene.rules.prototypes);
    let text = NoSuchObject.text();
    let has =
        |parts: &[&str]| lines.iter().any(|line| line.contains(text) && parts.iter().all(|part| line.contains(part)));
    assert!(has(&["a.thing:4:30 #", "(Damage)"]), "{lines:?}");
    assert!(has(&["a.thing #", " -> #"]), "{lines:?}");
}
