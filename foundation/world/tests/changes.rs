//! Tags that change, appear and disappear while their objects live.

use crate::common;

use base::StringId;
use common::{SCENARIO, Scene, class};
use script::value::Value;
use world::Condition::*;
use world::question::{Filter, Question};

const STATE: &str = "{ name \"n\", type \"number\", state true, default 0 }";

const TICKS: &str = "@thing\n!set OnUpdate Lambda(s, !set n n + 1)\n";

fn scene(tag: &str) -> Scene {
    let scenario = "@scenario\n!set objects_max 64\n!set placements [{ object \"a.thing\", position vec(1, 2, 3), team 4 }, { object \"w.thing\" }]";
    let headers = [class("thing", STATE), class("aardvark", STATE), class("zebra", STATE)];
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    Scene::new(&headers, &[("a.thing", tag), ("w.thing", TICKS), (SCENARIO, scenario)])
}

fn of_class(scene: &Scene, class: &str) -> usize {
    let filter = Filter { class: StringId::from(class), ..Filter::default() };
    let listed = scene.ask(&Question::All, &filter).found.len();
    assert_eq!(scene.ask(&Question::Count, &filter).count as usize, listed);
    let near = Question::Within { centre: base::Vec3::ZERO, radius: 1000.0 };
    assert_eq!(scene.ask(&near, &filter).found.len(), listed);
    listed
}

#[test]
fn an_object_whose_tag_is_removed_does_nothing_until_it_is_back() {
    let mut scene = scene(TICKS);
    scene.run(10);
    let (thing, witness) = (scene.one("a.thing"), scene.one("w.thing"));
    scene.lose("a.thing");
    scene.run(1);
    assert_eq!(scene.conditions(), [TagLost]);
    let before = scene.number(witness, "n");
    scene.run(50);
    assert_eq!(scene.number(witness, "n"), before + 50.0, "the world keeps running");
    let objects = scene.rules.parts.objects;
    assert!(!objects.is_awake(&scene.world, thing));
    assert_eq!(of_class(&scene, "thing"), 1, "its class is unknown");
    assert_eq!(scene.ask(&Question::Count, &Filter::default()).count, 2, "but the object still exists");
    // The tag is back, with more variables than before.
    let longer = "@thing\n!set more 7\n!set storage 40\n!set OnUpdate Lambda(s, [ !set n n + 1, !set more more + 1 ]())\n!set more 7\n";
    scene.change(&[("a.thing", longer)]);
    scene.run(11);
    assert_eq!(scene.conditions(), [TagLost, TagChanged]);
    assert_eq!(scene.number(thing, "n"), 10.0);
    assert_eq!(scene.get(thing, "more"), Value::number(17.0));
    assert_eq!(objects.get(&scene.world, thing).team, 4);
    assert_eq!(of_class(&scene, "thing"), 2);
    scene.assert_containers_hold();
}

#[test]
fn entries_for_an_object_without_a_tag_have_no_effect() {
    let tag = "@thing\n!set OnSpawn Lambda(z, [ !Every(20, [ !set n n + 1 ]), !After(400, [ !set n 1000 ]) ]())";
    let mut scene = scene(tag);
    scene.run(5);
    scene.lose("a.thing");
    scene.run(100);
    assert_eq!(scene.conditions(), [TagLost]);
    scene.change(&[("a.thing", tag)]);
    scene.run(50);
    assert_eq!(scene.number(scene.one("a.thing"), "n"), 0.0, "its timers were dropped with its row");
}

#[test]
fn class_sets_follow_added_and_removed_classes() {
    let mut scene = scene(TICKS);
    scene.run(3);
    assert_eq!((of_class(&scene, "thing"), of_class(&scene, "aardvark"), of_class(&scene, "object")), (2, 0, 2));
    // A class whose name sorts before all others: every class number changes.
    scene.change(&[("x.aardvark", "@aardvark\n"), ("y.zebra", "@zebra\n")]);
    scene.run(2);
    assert_eq!((of_class(&scene, "thing"), of_class(&scene, "aardvark"), of_class(&scene, "zebra")), (2, 0, 0));
    assert_eq!(of_class(&scene, "object"), 2);
    scene.change(&[("w.thing", "@thing\n!set OnSpawn Lambda(z, !Spawn(\"x.aardvark\"))\n!set OnUpdate Lambda(s, if n < 9 then [ !set n 9, !Spawn(\"x.aardvark\") ]())\n")]);
    scene.run(4);
    assert_eq!((of_class(&scene, "thing"), of_class(&scene, "aardvark"), of_class(&scene, "object")), (2, 1, 3));
    scene.lose("x.aardvark");
    scene.run(2);
    assert_eq!((of_class(&scene, "thing"), of_class(&scene, "aardvark"), of_class(&scene, "zebra")), (2, 0, 0));
    scene.run(50);
    scene.assert_containers_hold();
}

#[test]
fn updates_stay_spread_when_the_tag_of_many_objects_changes() {
    let slow = |step: u32| format!("@thing\n!set update_period 200\n!set OnUpdate Lambda(s, !set n n + {step})\n");
    let scenario = "@scenario\n!set objects_max 64\n!set placements [{ object \"a.thing\", count 40 }]";
    let mut scene = Scene::new(&[&class("thing", STATE)], &[("a.thing", &slow(1)), (SCENARIO, scenario)]);
    scene.run(60);
    scene.change(&[("a.thing", &slow(10))]);
    scene.run(25);
    let things = scene.all("a.thing");
    let mut most = 0;
    for _ in 0..40 {
        let before: Vec<f64> = things.iter().map(|thing| scene.number(*thing, "n")).collect();
        scene.run(1);
        let updated =
            things.iter().zip(&before).filter(|(thing, before)| scene.number(**thing, "n") != **before).count();
        most = most.max(updated);
    }
    assert!(most <= 8, "{most} of 40 updated in one cycle of 20");
}

#[test]
fn a_tag_that_outgrows_the_capacity_is_warned_of() {
    let scenario = "@scenario\n!set objects_max 64\n!set values_max 700\n!set placements [{ object \"a.thing\", count 20 }, { object \"w.thing\" }]";
    let mut scene =
        Scene::new(&[&class("thing", STATE)], &[("a.thing", TICKS), ("w.thing", TICKS), (SCENARIO, scenario)]);
    scene.run(5);
    scene.change(&[
        ("a.thing", "@thing\n!set storage 400\n!set OnUpdate Lambda(s, !set n n + 2)\n"),
        ("b.thing", TICKS),
    ]);
    let before = scene.number(scene.one("w.thing"), "n");
    scene.run(50);
    assert!(scene.count(TagChanged) > 0, "{:?}", scene.conditions());
    assert_eq!(scene.number(scene.one("w.thing"), "n"), before + 50.0);
    // Small again: all of them run.
    scene.change(&[("a.thing", "@thing\n!set OnUpdate Lambda(s, !set n n + 3)\n")]);
    scene.run(2);
    let before: Vec<f64> = scene.all("a.thing").iter().map(|thing| scene.number(*thing, "n")).collect();
    scene.run(10);
    let after: Vec<f64> = scene.all("a.thing").iter().map(|thing| scene.number(*thing, "n")).collect();
    assert!(before.iter().zip(&after).all(|(before, after)| *after == before + 30.0), "{before:?} {after:?}");
    scene.assert_containers_hold();
}

#[test]
fn an_edited_lambda_goes_on_in_timers_handlers_and_callbacks() {
    let tag = |step: u32| {
        format!(
            "@thing\n!set OnSpawn Lambda(z, do [ !Every(20, tick), !Every(20, [ !set m m + {step} ]), !EventHandler(~this, \"poke\", [ !set p p + {step} ]) ])\n\
             !set tick [ !set n n + {step} ]\n!set m 0\n!set p 0\n!set OnUpdate Lambda(s, !Send(~this, \"poke\"))"
        )
    };
    let mut scene = scene(&tag(1));
    scene.run(20);
    let thing = scene.one("a.thing");
    scene.change(&[("a.thing", &tag(1000))]);
    scene.run(20);
    for name in ["n", "m", "p"] {
        assert!(scene.get(thing, name).as_number() >= Some(8000.0), "{name}: {:?}", scene.get(thing, name));
    }
    assert_eq!(scene.conditions(), []);
    // A lambda that is gone takes its timers with it, and that is told.
    scene.change(&[("a.thing", "@thing\n!set m 0\n!set p 0\n!set other [ !set p 5 ]")]);
    scene.run(2);
    assert_eq!(scene.conditions(), [TagChanged]);
    let lines = scene.rules.log.take(&scene.rules.prototypes);
    let told = |words: &str| {
        lines.iter().any(|line| line.contains("the tag of the object changed: its ") && line.ends_with(words))
    };
    assert!(told("timer of `tick` (line 3) is dropped, since that is gone"), "{lines:?}");
    assert!(told("timer of a lambda in `OnSpawn` (line 2) is dropped, since that is gone"), "{lines:?}");
    assert!(told("handler of a lambda in `OnSpawn` (line 2) is dropped, since that is gone"), "{lines:?}");
    assert_eq!((lines.len(), scene.count(TagChanged)), (3, 3), "{lines:?}");
}

#[test]
fn timers_that_are_alike_are_told_once_with_their_number() {
    let tag = "@thing\n!set storage 40\n!set tick [ !set n n + 1 ]\n!set OnSpawn Lambda(z, do [ !Every(20, tick), !Every(30, tick), !After(5000, tick), !Every(20, tock) ])\n!set tock [ !set n n + 2 ]\n";
    let mut scene = scene(tag);
    scene.run(5);
    let without = "@thing\n!set storage 40\n!set tock [ !set n n + 2 ]\n";
    scene.change(&[("a.thing", &format!("{without}!set OnPoke Lambda(!Log(1))\n"))]);
    scene.run(2);
    let lines = scene.rules.log.take(&scene.rules.prototypes);
    assert!(lines[0].ends_with("its timer of `tick` (line 3) is dropped, since that is gone, 3 times"), "{lines:?}");
    assert_eq!((lines.len(), scene.count(TagChanged)), (1, 3), "{lines:?}");
    let thing = scene.one("a.thing");
    let before = scene.number(thing, "n");
    scene.run(20);
    assert_eq!(scene.number(thing, "n"), before + 20.0, "the other goes on");
    // A tag without effects has no timers.
    scene.change(&[("a.thing", without)]);
    scene.run(2);
    let lines = scene.rules.log.take(&scene.rules.prototypes);
    assert!(lines[0].contains("timer of `tock` (line 3) is dropped, since the tag has no effects now"), "{lines:?}");
}

#[test]
fn a_log_shows_lists_limits_and_what_was_expected() {
    let tag = "@thing\n!set storage 24\n!set words [\"hard\", 1]\n!set xs []\n!set kept [1, { a \"b\" }]\n!set OnSpawn Lambda(z, !Log(\"{kept} of {n}\", kept, kind(3)))\n\
               !set OnUpdate Lambda(s, do [ !After(10, [ !set xs range(50) ]), !After(10, Lambda(endless(1))), !After(10, [ !set n n + first(words) ]) ])\n\
               !set endless Lambda(x, endless(x) + 1)";
    let mut scene = scene(tag);
    scene.run(8);
    let lines = scene.rules.log.take(&scene.rules.prototypes).join("\n");
    assert!(lines.contains("[1, { a \"b\" }] of 0 [1, { a \"b\" }] number"), "{lines}");
    assert!(lines.contains("a.thing:7:"), "{lines}");
    assert!(
        lines.contains("its calls were nested deeper than 64; the field `depth` of the globals raises that"),
        "{lines}"
    );
    assert!(lines.contains(": expected a number, found hard"), "{lines}");
}
