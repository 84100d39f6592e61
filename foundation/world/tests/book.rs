//! The chapters of the book on the world and its bodies agree with the code.

use crate::common;
use crate::table;

use base::{Handle, Vec3};
use common::Scene;
use script::check::{Setting, check};
use script::compile::{begin, extend};
use script::environment::Environment;
use script::machine::{Limits, Scratch};
use script::parse::parse;
use table::table;
use world::effects::EFFECTS;
use world::limits::{LARGE, LARGE_MAX};
use world::object::{POSITION, VARIABLES, VELOCITY, vector_of};
use world::queries::SIGNATURES;
use world::vocabulary::{EVENTS, HANDLERS};
use world::{Condition, Object, classes};

const WORLD: &str = include_str!("../../../docs/book/src/world.md");
const PHYSICS: &str = include_str!("../../../docs/book/src/physics.md");
const WAYS: &str = include_str!("../../../docs/book/src/ways.md");
const STAGES: &str = include_str!("../src/stages.rs");
const LANGUAGE: &str = include_str!("../../../docs/book/src/language.md");

#[test]
fn every_condition_is_listed_with_its_text() {
    let rows: Vec<String> =
        table(WORLD, "| condition | what is done about it |").into_iter().map(|row| row[0].clone()).collect();
    let all: Vec<&str> = Condition::ALL.iter().map(|condition| condition.text()).collect();
    assert_eq!(rows, all);
}

#[test]
fn the_table_of_stages_matches_the_module_page() {
    let written: String =
        STAGES.lines().filter_map(|line| line.strip_prefix("//! ")).map(|line| format!("{line}\n")).collect();
    let own: Vec<Vec<String>> =
        table(&written, "| | stage | what happens | in |").into_iter().map(|row| row[..3].to_vec()).collect();
    assert_eq!(table(WORLD, "| | stage | what happens |"), own);
    assert!(own.len() >= 10);
}

#[test]
fn the_variables_of_every_object_are_listed_in_order() {
    let rows: Vec<String> =
        table(WORLD, "| variable | what it is | first value |").into_iter().map(|row| row[0].clone()).collect();
    assert_eq!(rows, VARIABLES.map(|name| format!("`{name}`")));
}

#[test]
fn every_handler_of_the_tables_is_known_to_the_checks() {
    let (own, of_bodies) =
        (table(WORLD, "| handler | parameters | called |"), table(PHYSICS, "| handler | parameters | called when |"));
    let names = own.iter().chain(&of_bodies).flat_map(|row| row[0].split(", "));
    let mut names: Vec<&str> = names.map(|name| name.trim_matches('`')).filter(|name| *name != "OnName").collect();
    names.sort_unstable();
    names.dedup();
    let mut events: Vec<String> = EVENTS.iter().map(|event| format!("On{event}")).collect();
    events.sort_unstable();
    assert_eq!(names, events);
    for name in names.into_iter().filter(|name| *name != "OnMessage") {
        assert!(HANDLERS.iter().any(|handler| handler.name == name), "{name}");
    }
}

#[test]
fn every_query_is_listed_with_its_help() {
    for query in &SIGNATURES {
        let described = format!("| `{}` | {} |", query.signature, query.help);
        assert!(LANGUAGE.contains(&described), "{described}");
    }
}

/// The sources of the other sections are run by a test of the language.
#[test]
fn the_sources_about_queries_run_and_find_nothing_without_a_world() {
    let (_, section) = LANGUAGE.split_once("\n## Queries\n").expect("it has the section");
    let section = section.split("\n## ").next().expect("it has a text");
    let setting = Setting { queries: &SIGNATURES, ..Setting::default() };
    let sources = tags_of(section);
    assert!(sources.len() >= 2);
    for (_, source) in sources {
        let tree = parse(source);
        let (program, compiled) = extend(begin(&["this"], &[], &SIGNATURES), source, &tree);
        assert_eq!([tree.reports.clone(), compiled, check(source, &tree, &setting).reports].concat(), [], "{source}");
        let mut environment = Environment::new(&program, 4096);
        let mut scratch = Scratch::new(Limits::default());
        for statement in &program.statements {
            environment.evaluate(&program, *statement, &[], &mut scratch).expect("it ends");
            assert_eq!(scratch.complaints(), [], "{source}");
        }
    }
}

#[test]
fn every_effect_is_listed_with_its_brush_and_its_help() {
    let mut listed = Vec::new();
    for row in table(WORLD, "| effect | brush |") {
        listed.extend(row[0].split(", ").map(|name| (name.to_string(), row[1].clone())));
    }
    for row in &EFFECTS {
        let expected = (format!("`!{}`", row.effect.name), row.brush.to_string());
        assert!(listed.contains(&expected), "{expected:?}");
        let described = format!("| `!{}` | {} |", row.effect.signature, row.effect.help);
        assert!(LANGUAGE.contains(&described), "{described}");
    }
    // Two effects of the script machine, and the row for those of games.
    assert_eq!(listed.len(), EFFECTS.len() + 3);
}

#[test]
fn the_tags_of_the_book_have_no_mistakes() {
    for (page, least) in [(WORLD, 2), (PHYSICS, 16), (WAYS, 4)] {
        let tags = tags_of(page);
        for (path, source) in &tags {
            let class =
                source.lines().next().and_then(|line| line.strip_prefix('@')).expect("its first line names its class");
            assert!(path.is_empty() || path.ends_with(&format!(".{class}")), "{path}");
            let known = classes();
            let made = known.get(class).expect("the class exists").pack_text(source);
            assert_eq!(made.reports, [], "{source}");
        }
        assert!(tags.len() >= least);
    }
}

#[test]
fn the_yard_behaves_as_described() {
    let mut scene = Scene::on("levels/yard.scenario", &[], &tags_of(PHYSICS));
    scene.run(1000);
    assert_eq!(scene.conditions(), []);
    let crates = scene.all("things/crate.object");
    assert_eq!(crates.len(), 20);
    for one in crates {
        let place = variable(&scene, one, POSITION);
        assert!((0.38..10.0).contains(&place.z) && variable(&scene, one, VELOCITY).length() < 0.1, "{place:?}");
    }
}

#[test]
fn every_body_of_the_chapter_behaves_as_described() {
    let mut scene = yard(&[
        ("lift", Vec3::new(10.0, 0.0, 0.2)),
        ("walker", Vec3::new(10.0, 0.0, 1.3)),
        ("ghost", Vec3::new(20.0, 0.0, 0.9)),
        ("rocket", Vec3::new(30.0, 0.0, 2.0)),
        ("glass", Vec3::new(40.0, 0.0, 4.0)),
        ("gate", Vec3::new(0.0, 0.0, 0.0)),
        ("crate", Vec3::new(0.0, 0.0, 3.0)),
        ("wedge", Vec3::new(50.0, 0.0, 1.0)),
        ("table", Vec3::new(60.0, 0.0, 1.0)),
        ("ramp", Vec3::new(70.0, 0.0, 0.0)),
        ("hill", Vec3::new(80.0, 0.0, 0.0)),
    ]);
    scene.run(500);
    // A message to the glass may arrive after it is gone.
    assert!(
        scene.conditions().iter().all(|condition| *condition == Condition::NoSuchObject),
        "{:?}",
        scene.conditions()
    );
    let height = |name: &str| variable(&scene, scene.one(&format!("things/{name}.object")), POSITION).z;
    let expected = [
        ("lift", 3.2),
        ("walker", 4.2),
        ("ghost", 0.9),
        ("gate", 0.0),
        ("crate", 0.4),
        ("wedge", 0.0),
        ("table", 0.0),
        ("ramp", 0.0),
        ("hill", 0.0),
    ];
    for (name, expected) in expected {
        assert!((height(name) - expected).abs() < 0.05, "{name}: {}", height(name));
    }
    assert!(height("rocket") > 40.0, "{}", height("rocket"));
    assert!(scene.all("things/glass.object").is_empty(), "it fell from four metres");
    assert_eq!(scene.number(scene.one("things/gate.object"), "inside"), 1.0, "the crate lies in it");
}

#[test]
fn the_door_opens_and_the_lamp_creaks_and_falls() {
    let mut tags = tags_of(PHYSICS);
    let boss = |what: &str| {
        let whom = "nearest_object(position, 1, { except ~this })";
        format!("@object\n!set OnSpawn Lambda(nobody, !After(500, [ !Send({whom}, {what}) ]))\n")
    };
    let (open, hang, fell) = (boss("\"open\""), boss("\"load\", 200"), boss("\"load\", 400"));
    tags.extend([("open.object", open.as_str()), ("hang.object", hang.as_str()), ("fell.object", fell.as_str())]);
    let level = "@scenario\n!set physics { gravity vec(0, 0, -9.81) }\n!set placements [
        { object \"things/door.object\", position vec(0, 0, 1) }, { object \"open.object\", position vec(0, 0.1, 1) },
        { object \"things/lamp.object\", position vec(10, 0, 9) }, { object \"hang.object\", position vec(10, 0.1, 9) },
        { object \"things/lamp.object\", position vec(20, 0, 9) }, { object \"fell.object\", position vec(20, 0.1, 9) }]";
    let mut scene = with_level(&tags, level);
    scene.run(45);
    let door = scene.one("things/door.object");
    assert_eq!(scene.get(door, "is_open"), script::value::Value::FALSE);
    assert!(variable(&scene, door, POSITION).distance(Vec3::Z) < 0.01, "it is shut");
    scene.run(250);
    assert_eq!(scene.conditions(), []);
    assert_eq!(scene.get(door, "is_open"), script::value::Value::TRUE);
    assert!(variable(&scene, door, POSITION).y > 0.45);
    let lamps = scene.all("things/lamp.object");
    let [hangs, fell] = lamps[..] else { panic!("two lamps") };
    // 98 N and 200 N are below the limit of 400 N; 498 N exceed it.
    assert!((variable(&scene, hangs, POSITION).z - 9.0).abs() < 0.05 && scene.number(hangs, "creaks") > 100.0);
    assert!(variable(&scene, fell, POSITION).z < 5.0, "{:?}", variable(&scene, fell, POSITION));
}

#[test]
fn the_camera_stays_in_front_of_walls() {
    let mut tags = tags_of(PHYSICS);
    let boss = "@object\n!set radius 0
!set OnSpawn Lambda(nobody, !Spawn(\"things/camera.object\", {}, Lambda(made, !Send(made, \"follow\", nearest_object(position, 5, { class \"object\", except [~this, made] })))))";
    let wall = "@object\n!set body { shape \"box\", half vec(0.5, 9, 9), fixed true }";
    tags.extend([("boss.object", boss), ("wall.object", wall)]);
    for (wall, expected) in [(-20.0, Vec3::new(-6.0, 0.0, 3.0)), (-4.5, Vec3::new(-3.7, 0.0, 1.85))] {
        let level = format!(
            "@scenario\n!set placements [{{ object \"things/ghost.object\" }}, {{ object \"boss.object\", position vec(0, 3, 0) }},
            {{ object \"wall.object\", position vec({wall}, 0, 0) }}]"
        );
        let mut scene = with_level(&tags, &level);
        scene.run(10);
        assert_eq!(scene.conditions(), []);
        let place = variable(&scene, scene.one("things/camera.object"), POSITION);
        assert!(place.distance(expected) < 0.01, "{place:?}");
    }
}

#[test]
fn a_bolt_hits_the_object_in_its_path_and_is_destroyed() {
    let tags = tags_of(PHYSICS);
    let level = "@scenario\n!set placements [{ object \"things/crate.object\" },
        { object \"shots/bolt.object\", position vec(-40.1, 0.2, 0), velocity vec(800, 0, 0) }]";
    let mut scene = with_level(&tags, level);
    scene.run(10);
    assert_eq!(scene.conditions(), []);
    assert!(scene.all("shots/bolt.object").is_empty());
    let one = scene.one("things/crate.object");
    let velocity = variable(&scene, one, VELOCITY);
    // 0.05 kg at 800 m/s hit 20 kg, with a restitution of a tenth.
    assert!((1.5..2.5).contains(&velocity.x), "{velocity:?}");
}

#[test]
fn planets_shafts_wind_and_water_behave_as_described() {
    let tags = tags_of(PHYSICS);
    let (_, shaft) = tags.iter().find(|(path, _)| *path == "levels/shaft.scenario").expect("the page has the level");
    let mut scene = with_level(&tags, shaft);
    scene.run(400);
    assert_eq!(scene.conditions(), []);
    let mut places: Vec<Vec3> =
        scene.all("things/crate.object").iter().map(|crate_| variable(&scene, *crate_, POSITION)).collect();
    places.sort_by(|one, other| one.x.total_cmp(&other.x));
    assert!(places[0].z > 8.0, "the crate in the shaft rises: {places:?}");
    assert!((places[1].z - 0.4).abs() < 0.02, "the crate beside it stays: {places:?}");
    assert!(places[2].y > 1.0, "the wind carries it along: {places:?}");
    let level = "@scenario\n!set physics { gravity vec(0, 0, -9.81) }\n!set placements [
        { object \"things/pool.object\" }, { object \"things/crate.object\" }]";
    let mut scene = with_level(&tags, level);
    scene.run(200);
    let sinking = variable(&scene, scene.one("things/crate.object"), VELOCITY);
    assert!((sinking.z + 0.405).abs() < 0.02, "it sinks slowly: {sinking:?}");
    let level =
        "@scenario\n!set objects_max 64\n!set bodies_max 16\n!set placements [{ object \"things/planet.object\" },
        { object \"things/moon.object\", position vec(100, 0, 0), velocity vec(0, 15.66, 0) },
        { object \"things/crate.object\", position vec(0, 0, -60) }]";
    let mut scene = with_level(&tags, level);
    // A revolution takes 40.12 seconds; this is a quarter of it.
    scene.run(1003);
    let place = variable(&scene, scene.one("things/moon.object"), POSITION);
    assert!(place.distance(Vec3::new(0.0, 100.0, 0.0)) < 0.2, "{place:?}");
    let place = variable(&scene, scene.one("things/crate.object"), POSITION);
    assert!((place.length() - 50.4).abs() < 0.05, "it rests below: {place:?}");
}

#[test]
fn the_physics_settings_of_a_level_are_listed_with_their_defaults() {
    let rows = table(PHYSICS, "| setting | default | in the level | why it is so |");
    let names: Vec<&str> = rows.iter().filter_map(|row| row[2].strip_prefix('`')?.strip_suffix('`')).collect();
    assert_eq!(names, ["gravity", "substeps", "bounce_speed", "sleep_speed", "sleep_after"]);
    for row in rows.iter().filter(|row| !row[2].is_empty()) {
        let value = if row[1] == "none" { "vec(0, 0, 0)" } else { &row[1] };
        let source = format!("@scenario\n!set physics {{ {} {value} }}\n", row[2].trim_matches('`'));
        assert_eq!(classes().get("scenario").expect("a class").pack_text(&source).reports, [], "{source}");
    }
    let scene = Scene::new(&[], &[(common::SCENARIO, "@scenario\n")]);
    assert_eq!(scene.rules.level.physics, physics::Settings::default());
}

#[test]
fn the_limits_of_physics_are_listed_with_their_conditions() {
    let rows = table(PHYSICS, "| limit | how much | what happens then | condition |");
    let known = |text: &str| text == "–" || Condition::ALL.iter().any(|condition| condition.text() == text);
    assert!(rows.len() >= 15);
    for row in &rows {
        assert!(known(&row[3]), "{row:?}");
    }
    let large = rows.iter().find(|row| row[0].contains(&format!("{LARGE} m"))).expect("the book lists it");
    assert_eq!(large[1], LARGE_MAX.to_string());
    for condition in [
        Condition::NoBody,
        Condition::NoRoomForBody,
        Condition::BodyQuarantined,
        Condition::ContactsLeftOut,
        Condition::FieldsLeftOut,
    ] {
        assert!(rows.iter().any(|row| row[3] == condition.text()), "{condition:?}");
    }
}

/// The tags of a page with their paths; the path is empty if there is none.
fn tags_of(page: &str) -> Vec<(&str, &str)> {
    let blocks = page.split("```lscript").skip(1);
    let inside = blocks.map(|block| block.split("```").next().unwrap_or(""));
    inside.filter_map(|inside| inside.split_once('\n')).map(|(path, source)| (path.trim(), source)).collect()
}

#[test]
fn the_scout_of_the_chapter_on_ways_goes_around_the_wall() {
    let mut scene = Scene::on("levels/pass.scenario", &[], &tags_of(WAYS));
    let scout = scene.one("pass/scout.object");
    let mut widest = 0.0;
    for _ in 0..600 {
        scene.run(1);
        widest = base::number::max(widest, variable(&scene, scout, POSITION).y.abs());
    }
    assert!(widest > 6.0, "{widest}");
    let away = (variable(&scene, scout, POSITION) - Vec3::new(8.0, 0.0, 0.5)).length();
    assert!(away < 0.2, "{away}");
    assert_eq!(scene.conditions(), []);
}

/// A level with objects of the chapter, and its ground.
fn yard(things: &[(&str, Vec3)]) -> Scene {
    let place = |(name, at): &(&str, Vec3)| {
        format!("{{ object \"things/{name}.object\", position vec({}, {}, {}) }}", at.x, at.y, at.z)
    };
    let places: Vec<String> = [("ground", Vec3::new(0.0, 0.0, -1.0))].iter().chain(things).map(place).collect();
    let level =
        format!("@scenario\n!set physics {{ gravity vec(0, 0, -9.81) }}\n!set placements [{}]\n", places.join(", "));
    with_level(&tags_of(PHYSICS), &level)
}

fn with_level(tags: &[(&str, &str)], level: &str) -> Scene {
    let mut tags = tags.to_vec();
    tags.push((common::SCENARIO, level));
    Scene::new(&[], &tags)
}

fn variable(scene: &Scene, object: Handle<Object>, variable: usize) -> Vec3 {
    vector_of(scene.rules.parts.objects.values(&scene.world, object)[variable], Vec3::ZERO)
}
