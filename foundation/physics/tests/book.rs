//! The chapter of the book on physics agrees with the code.

use crate::common;
use crate::table;

use base::Vec3;
use common::Scene;
use physics::limits::{
    CHILDREN_MAX, FORCE_FIELDS_MAX, HEIGHT_FIELD_SIDE_MAX, HULL_FACES_MAX, HULL_VERTICES_MAX, MANIFOLDS_MAX,
    MESH_TRIANGLES_MAX, POINTS_MAX, POSITION_MAX, SIZE_MAX, SIZE_MIN,
};
use physics::{Capacities, Settings, Shape};
use table::table;

const PAGE: &str = include_str!("../../../docs/book/src/physics.md");
const SETTINGS: &str = include_str!("../src/settings.rs");
const STEP: &str = include_str!("../src/step.rs");

/// The number in a table cell, without the text around it.
fn number(text: &str) -> Option<f32> {
    text.replace('_', "").parse().ok()
}

#[test]
fn every_setting_is_listed_in_order_with_its_default_and_a_reason() {
    let rows = table(PAGE, "| setting | default | in the level | why it is so |");
    let source =
        SETTINGS.split_once("fn default()").and_then(|(_, rest)| rest.split_once("Settings {")).expect("one").1;
    let lines = source.split_once("impl Settings").expect("more follows").0.lines();
    let own: Vec<(&str, &str)> =
        lines.filter_map(|line| line.strip_prefix("            ")?.strip_suffix(',')?.split_once(": ")).collect();
    assert_eq!(own.len(), 15, "{own:?}");
    assert_eq!(Settings::default().gravity, Vec3::ZERO);
    for (row, (name, value)) in rows.iter().zip(&own) {
        assert_eq!(row[0], format!("`{name}`"));
        let value = if *value == "Vec3::ZERO" { None } else { Some(number(value).expect("a number")) };
        assert_eq!(number(&row[1]), value, "{name}");
        assert!(row[3].len() > 20, "{name} has a reason");
    }
    assert_eq!(rows.len(), own.len());
}

#[test]
fn the_phases_of_the_step_match_the_module_page() {
    let written: String =
        STEP.lines().filter_map(|line| line.strip_prefix("//! ")).map(|line| format!("{line}\n")).collect();
    // The name of a link.
    let short_name = |name: &str| match name.strip_prefix('[').and_then(|name| name.split_once(']')) {
        Some((name, _)) => name.to_string(),
        None => name.to_string(),
    };
    let short = |cell: &String| cell.split(", ").map(short_name).collect::<Vec<_>>().join(", ");
    let head = "| | what happens | where |";
    let own: Vec<Vec<String>> = table(&written, head).iter().map(|row| row.iter().map(short).collect()).collect();
    assert!(own.len() >= 7);
    assert_eq!(table(PAGE, head), own);
}

#[test]
fn limits_are_listed_with_their_values() {
    let rows = table(PAGE, "| limit | how much | what happens then | condition |");
    let count = |count: usize| count.to_string();
    let expected = [
        ("points of a manifold", count(POINTS_MAX)),
        ("manifolds of two bodies", count(MANIFOLDS_MAX)),
        ("force fields", count(FORCE_FIELDS_MAX)),
        ("vertices and faces of a hull", count(HULL_VERTICES_MAX)),
        ("vertices and faces of a hull", count(HULL_FACES_MAX)),
        ("triangles of a mesh", count(MESH_TRIANGLES_MAX)),
        ("heights along a side of a height field", count(HEIGHT_FIELD_SIDE_MAX)),
        ("parts of a compound", count(CHILDREN_MAX)),
        ("smallest size of a shape, in metres", SIZE_MIN.to_string()),
        ("largest size of a shape, in metres", SIZE_MAX.to_string()),
        ("distance from the origin along an axis, in metres", POSITION_MAX.to_string()),
    ];
    for (limit, much) in expected {
        let row = rows.iter().find(|row| row[0] == limit).expect(limit);
        assert_eq!(row[1], much, "{limit}");
    }
    let room = Capacities::for_bodies(1000);
    let expected = [
        ("contacts", room.contacts, "4 for each body and 64"),
        ("broad-phase pairs", room.pairs, "12 for each body and 256"),
        ("joints", room.joints, "1 for each 4 bodies and 16"),
        ("contact events of one step", room.events, "1 for each body and 64"),
    ];
    for (limit, room, words) in expected {
        let row = rows.iter().find(|row| row[0] == limit).expect(limit);
        assert!(row[1].ends_with(words), "{limit}");
        let numbers: Vec<u32> = words.split(' ').filter_map(|word| word.parse().ok()).collect();
        let own = match numbers[..] {
            [each, more] => each * 1000 + more,
            [each, of, more] => each * 1000 / of + more,
            _ => 0,
        };
        assert_eq!(room, own, "{limit}");
    }
}

#[test]
fn free_flight_is_a_parabola_for_any_number_of_substeps() {
    for substeps in [1, 4, 7] {
        let mut scene = Scene::new(4, 10.0);
        (scene.settings.substeps, scene.settings.seconds) = (substeps, 0.01);
        let ball = scene.add(Shape::Sphere(0.5), 1.0, Vec3::ZERO, |body| body.velocity = Vec3::new(3.0, 0.0, 20.0));
        scene.run(200);
        // After two seconds: 20 t - 5 t².
        let place = scene.body(ball).position;
        assert!((place - Vec3::new(6.0, 0.0, 20.0)).length() < 1e-3, "{substeps}: {place:?}");
    }
}

#[test]
fn a_body_at_its_apex_is_slow_too_briefly_to_fall_asleep() {
    let settings = Settings::default();
    let moment = 2.0 * settings.sleep_speed / 9.81;
    assert!(moment < 0.0103 && settings.sleep_seconds > 40.0 * moment, "{moment}");
    let height = settings.restitution_threshold * settings.restitution_threshold / (2.0 * 9.81);
    assert!((0.01..0.015).contains(&height), "a body that falls from a centimetre stays down: {height}");
}
