//! Debug drawing: the state of physics as lines.

use crate::common;

use base::{Quat, Vec3};
use common::{SCENARIO, Scene, class};
use physics::flag;
use view::{Drawing, Kind, Topic, Topics};

const GROUND: &str = "@thing\n!set body { shape \"box\", half vec(50, 9, 1), fixed true }\n";
const ON_GROUND: &str = "{ object \"ground.thing\", position vec(0, 0, -1) }";

fn scene(texts: &[(&str, &str)], placements: &str) -> Scene {
    let scenario = format!(
        "@scenario\n!set objects_max 256\n!set bodies_max 128\n!set physics {{ gravity vec(0, 0, -9.81) }}\n!set placements [{placements}]\n"
    );
    let mut all = vec![("ground.thing", GROUND), (SCENARIO, scenario.as_str())];
    all.extend_from_slice(texts);
    Scene::new(&[&class("thing", "")], &all)
}

fn drawn(scene: &Scene, topics: Topics) -> Drawing {
    let mut drawing = Drawing::new(10_000);
    scene.rules.draw(&scene.world, topics, &mut drawing);
    drawing
}

fn only(topic: Topic) -> Topics {
    Topics::NONE.with(topic)
}

/// Draws one floating body at (1, 2, 3) and returns its lines in its own drawing.
fn outline(body: &str, geometry: Option<&str>) -> (Vec<[Vec3; 2]>, usize) {
    let thing = format!("@thing\n!set body {{ {body} }}\n");
    let mut texts = vec![("it.thing", thing.as_str())];
    texts.extend(geometry.map(|text| ("it.geometry", text)));
    let scene = scene(&texts, "{ object \"it.thing\", position vec(1, 2, 3) }");
    let drawing = drawn(&scene, only(Topic::Shapes));
    let own = |place: Vec3| place - Vec3::new(1.0, 2.0, 3.0);
    let owner = scene.one("it.thing").raw();
    assert!(drawing.lines().iter().all(|line| line.owner == owner && line.colour == line.kind.colour()));
    (drawing.lines().iter().map(|line| [own(line.from), own(line.to)]).collect(), drawing.solids().len())
}

#[test]
fn round_shapes_are_drawn_on_their_surface() {
    let (lines, solids) = outline("shape \"sphere\", radius 2", None);
    assert_eq!((lines.len(), solids), (72, 1), "three circles");
    assert!(lines.iter().flatten().all(|place| (place.length() - 2.0).abs() < 1e-4));
    let (lines, solids) = outline("shape \"capsule\", radius 0.5, length 3", None);
    assert_eq!((lines.len(), solids), (2 * 24 + 4 * 12 + 4, 1));
    let from_axis = |place: &Vec3| {
        let along = base::number::clamp(place.z, -1.5, 1.5);
        (*place - Vec3::new(0.0, 0.0, along)).length()
    };
    assert!(lines.iter().flatten().all(|place| (from_axis(place) - 0.5).abs() < 1e-4));
}

#[test]
fn objects_without_bodies_are_crosses_and_trigger_volumes_are_outlined() {
    let scenario = "@scenario\n!set placements [{ object \"a.thing\", position vec(1, 2, 3) }]\n!set trigger_volumes [{ name \"ball\", centre vec(9, 0, 0), radius 2 }, { name \"room\", centre vec(0, 9, 0), half vec(1, 2, 3) }]\n";
    let scene = Scene::new(&[&class("thing", "")], &[("a.thing", "@thing\n!set radius 4\n"), (SCENARIO, scenario)]);
    let drawing = drawn(&scene, only(Topic::Shapes));
    let (thing, place) = (scene.one("a.thing").raw(), Vec3::new(1.0, 2.0, 3.0));
    let cross: Vec<_> = drawing.of_kind(Kind::Object).collect();
    assert_eq!(cross.len(), 3);
    for line in cross {
        assert_eq!((line.owner, (line.from + line.to) * 0.5), (thing, place));
        assert!(((line.to - line.from).length() - 8.0).abs() < 1e-4);
    }
    let volumes: Vec<_> = drawing.of_kind(Kind::Trigger).collect();
    assert_eq!(volumes.len(), 72 + 12);
    let near = |place: Vec3| volumes.iter().filter(|line| (line.from - place).length() < 4.0).count();
    assert_eq!((near(Vec3::new(9.0, 0.0, 0.0)), near(Vec3::new(0.0, 9.0, 0.0))), (72, 12));
    assert_eq!(drawn(&scene, only(Topic::Bounds)).lines().len(), 0, "only with the shapes");
}

#[test]
fn boxes_and_hulls_are_drawn_by_their_edges() {
    let (lines, solids) = outline("shape \"box\", half vec(1, 2, 3)", None);
    assert_eq!((lines.len(), solids), (12, 1));
    assert!(lines.iter().flatten().all(|place| place.abs() == Vec3::new(1.0, 2.0, 3.0)));
    let along = |axis: fn(Vec3) -> f32| lines.iter().filter(|[from, to]| axis(*to - *from) != 0.0).count();
    assert_eq!((along(|way| way.x), along(|way| way.y), along(|way| way.z)), (4, 4, 4));
    let hull = "@geometry\n!set points [vec(-1, -1, 0), vec(1, -1, 0), vec(1, 1, 0), vec(-1, 1, 0), vec(0, 0, 1)]\n";
    let (lines, solids) = outline("shape \"geometry\", geometry \"it.geometry\"", Some(hull));
    assert_eq!((lines.len(), solids), (8, 1), "a pyramid");
}

#[test]
fn a_mesh_is_drawn_by_its_creases_and_borders_each_edge_once() {
    let roof = "@geometry\n!set kind \"mesh\"
!set points [vec(-1, -2, 0), vec(-1, 2, 0), vec(0, -2, 1), vec(0, 2, 1), vec(1, -2, 0), vec(1, 2, 0), vec(9, 9, 9)]
!set triangles [0, 2, 3, 0, 3, 1, 2, 4, 5, 2, 5, 3, 6, 6, 6]\n";
    let (lines, solids) = outline("shape \"geometry\", geometry \"it.geometry\", fixed true", Some(roof));
    assert_eq!((lines.len(), solids), (7, 0), "the ridge and the rim, without the diagonals: {lines:?}");
    let ridge = lines.iter().filter(|line| line.iter().all(|place| place.z == 1.0)).count();
    assert_eq!(ridge, 1);
}

#[test]
fn a_height_field_is_drawn_as_its_grid_and_a_fine_one_coarser() {
    let ground = |columns: usize, rows: usize| {
        let heights: Vec<String> = (0..columns * rows).map(|number| format!("{}", number % 3)).collect();
        format!(
            "@geometry\n!set kind \"height_field\"\n!set columns {columns}\n!set spacing 2\n!set heights [{}]\n",
            heights.join(", ")
        )
    };
    let body = "shape \"geometry\", geometry \"it.geometry\", fixed true";
    let (lines, solids) = outline(body, Some(&ground(3, 4)));
    assert_eq!((lines.len(), solids), (2 * 4 + 3 * 3, 0));
    let far = |lines: &[[Vec3; 2]]| lines.iter().flatten().fold(Vec3::ZERO, |far, place| far.max(*place));
    assert_eq!(far(&lines), Vec3::new(4.0, 6.0, 2.0));
    let (lines, _) = outline(body, Some(&ground(131, 3)));
    assert_eq!(far(&lines), Vec3::new(260.0, 4.0, 2.0), "including the last row");
    assert_eq!(lines.len(), 44 * 3 + 45 * 2, "every third column and the last, every row");
}

#[test]
fn a_compound_is_drawn_part_by_part() {
    let dumbbell = "@geometry\n!set kind \"compound\"\n!set parts [
    { half vec(1, 0.1, 0.1) }, { shape \"sphere\", position vec(1, 0, 0), radius 0.3 }, { shape \"sphere\", position vec(-1, 0, 0), radius 0.3 }
]\n";
    let (lines, solids) = outline("shape \"geometry\", geometry \"it.geometry\"", Some(dumbbell));
    assert_eq!((lines.len(), solids), (12 + 2 * 72, 3));
    assert!(lines[12..84].iter().flatten().all(|place| ((*place - Vec3::X).length() - 0.3).abs() < 1e-4));
}

#[test]
fn the_kind_of_lines_shows_the_state_of_a_body() {
    let thing = |body: &str| format!("@thing\n!set body {{ shape \"box\", {body} }}\n");
    let (block, lift, gate) = (thing("mass 3"), thing("kinematic true"), thing("trigger true, fixed true"));
    let texts = [("block.thing", block.as_str()), ("lift.thing", lift.as_str()), ("gate.thing", gate.as_str())];
    let placements = format!(
        "{ON_GROUND}, {{ object \"block.thing\", position vec(0, 0, 0.5) }}, {{ object \"lift.thing\", position vec(5, 0, 5) }}, {{ object \"gate.thing\", position vec(9, 0, 5) }}"
    );
    let mut scene = scene(&texts, &placements);
    let count = |scene: &Scene, kind: Kind| drawn(scene, only(Topic::Shapes)).of_kind(kind).count();
    let kinds = [Kind::Awake, Kind::Asleep, Kind::Fixed, Kind::Kinematic, Kind::Trigger, Kind::Quarantined];
    scene.run(2);
    assert_eq!(kinds.map(|kind| count(&scene, kind)), [12, 0, 12, 12, 12, 0]);
    let drawing = drawn(&scene, only(Topic::Shapes));
    assert_eq!(drawing.solids().len(), 2, "ground and triggers are not solids");
    assert_eq!(drawing.lines().last().map(|line| line.kind), Some(Kind::Trigger), "static bodies come last");
    assert_eq!(drawing.up(), Vec3::Z);
    scene.run(100);
    assert_eq!(kinds.map(|kind| count(&scene, kind)), [0, 12, 12, 12, 12, 0]);
    let bodies = scene.rules.parts.physics.parts.bodies;
    let (handle, _) = bodies.iterate(&scene.world).find(|(_, body)| body.is(flag::ASLEEP)).unwrap();
    scene.world.set_up(|world| bodies.get_mut(world, handle).quarantine());
    assert_eq!(kinds.map(|kind| count(&scene, kind)), [0, 0, 12, 12, 12, 12]);
}

#[test]
fn the_impulses_under_a_resting_block_show_its_weight() {
    let block = "@thing\n!set body { shape \"box\", half vec(0.5, 0.5, 0.5), mass 7, never_sleeps true }\n";
    let placements = format!("{ON_GROUND}, {{ object \"block.thing\", position vec(0, 0, 0.5) }}");
    let mut scene = scene(&[("block.thing", block)], &placements);
    scene.run(200);
    let drawing = drawn(&scene, only(Topic::Contacts));
    assert_eq!((drawing.of_kind(Kind::Contact).count(), drawing.of_kind(Kind::Impulse).count()), (4 * 3, 4));
    let lengths: Vec<Vec3> = drawing.of_kind(Kind::Impulse).map(|line| line.to - line.from).collect();
    let whole: f32 = lengths.iter().map(|way| way.z).sum();
    // Half of its bounding radius.
    let expected = 0.75_f32.sqrt() / 2.0;
    assert!((whole - expected).abs() < 0.05 * expected, "{lengths:?}");
    for line in drawing.of_kind(Kind::Impulse) {
        let at = line.from;
        assert!((at.x.abs() - 0.5).abs() < 0.01 && (at.y.abs() - 0.5).abs() < 0.01 && at.z.abs() < 0.01, "{at:?}");
    }
}

#[test]
fn joints_are_drawn_with_their_axes_and_limits() {
    let joined = |kind: &str| {
        format!(
            "@thing\n!set body {{ shape \"box\", half vec(0.5, 0.05, 1), mass 20, gravity 0 }}
!set OnSpawn Lambda(z, !Connect(~level, ~this, {kind}))"
        )
    };
    for (kind, axes, limits) in [
        ("\"hinge\", { at position - vec(0.5, 0, 0), axis vec(0, 0, 1), lower 0, upper 1 }", 1, 6),
        ("\"hinge\", { at position, axis vec(0, 0, 1) }", 1, 0),
        ("\"slider\", { at position, axis vec(0, 0, 1), lower -1, upper 2 }", 1, 3),
        ("\"fixed\", { at position }", 0, 0),
    ] {
        let thing = joined(kind);
        let mut scene = scene(&[("door.thing", &thing)], "{ object \"door.thing\", position vec(0, 0, 5) }");
        scene.run(5);
        let drawing = drawn(&scene, only(Topic::Joints));
        assert!(drawing.of_kind(Kind::Joint).count() >= 3, "{kind}: {:?}", scene.conditions());
        assert_eq!(
            (drawing.of_kind(Kind::Axis).count(), drawing.of_kind(Kind::Limit).count()),
            (axes, limits),
            "{kind}"
        );
        let is_upright = |way: Vec3| way.x.abs() < 1e-4 && way.y.abs() < 1e-4 && way.z.abs() > 0.1;
        assert!(drawing.of_kind(Kind::Axis).all(|line| is_upright(line.to - line.from)), "{kind}");
    }
}

#[test]
fn all_topics_together_are_the_sum_of_each_alone() {
    let ball = "@thing\n!set body { shape \"sphere\", radius 0.5 }\n!set velocity vec(1, 0, 0)\n";
    let placements = format!("{ON_GROUND}, {{ object \"ball.thing\", position vec(0, 0, 0.5) }}");
    let mut scene = scene(&[("ball.thing", ball)], &placements);
    scene.run(20);
    let mut whole = 0;
    for topic in Topic::ALL {
        let drawing = drawn(&scene, only(topic));
        assert!(drawing.lines().iter().all(|line| line.kind.topic() == topic));
        assert!(topic == Topic::Joints || !drawing.lines().is_empty(), "{}", topic.name());
        whole += drawing.lines().len();
    }
    assert_eq!(drawn(&scene, Topics::ALL).lines().len(), whole);
    assert!(drawn(&scene, Topics::NONE).lines().is_empty());
    let drawing = drawn(&scene, only(Topic::Velocities));
    let ahead: Vec<Vec3> = drawing.of_kind(Kind::Velocity).map(|line| line.to - line.from).collect();
    assert!(ahead.len() == 1 && ahead[0].x > 0.05 && ahead[0].x <= 0.1, "a tenth of a second: {ahead:?}");
    assert_eq!(drawing.of_kind(Kind::AngularVelocity).count(), 1, "it rolls");
}

#[test]
fn drawing_changes_nothing_and_is_repeatable() {
    let ball = "@thing\n!set body { shape \"sphere\", radius 0.5, restitution 0.5 }\n";
    let placements =
        format!("{ON_GROUND}, {{ object \"ball.thing\", position vec(0, 0, 6), count 30, spread vec(1, 1, 4) }}");
    let (mut one, mut other) =
        (scene(&[("ball.thing", ball)], &placements), scene(&[("ball.thing", ball)], &placements));
    for _ in 0..40 {
        let drawing = drawn(&one, Topics::ALL);
        assert_eq!(drawing.lines(), drawn(&one, Topics::ALL).lines());
        one.run(5);
        other.run(5);
        assert_eq!(one.world.hash(), other.world.hash());
    }
    assert_eq!(drawn(&one, Topics::ALL).lines(), drawn(&other, Topics::ALL).lines());
}

#[test]
fn beyond_the_capacity_ground_is_left_out_first() {
    let ball = "@thing\n!set body { shape \"sphere\", radius 0.5 }\n";
    let placements =
        format!("{ON_GROUND}, {{ object \"ball.thing\", position vec(0, 0, 6), count 5, spread vec(9, 9, 4) }}");
    let scene = scene(&[("ball.thing", ball)], &placements);
    let mut drawing = Drawing::new(5 * 72 + 5);
    scene.rules.draw(&scene.world, only(Topic::Shapes), &mut drawing);
    assert_eq!((drawing.of_kind(Kind::Awake).count(), drawing.of_kind(Kind::Fixed).count()), (5 * 72, 5));
    assert!(drawing.is_full() && drawing.refused() > 0);
}

#[test]
fn wide_ground_has_a_grid_on_its_upper_side() {
    let plate = "@thing\n!set body { shape \"box\", half vec(1, 20, 11), fixed true }\n";
    let scene = |facing: &str| {
        let mut scene = scene(&[("plate.thing", plate)], &format!("{{ object \"plate.thing\", facing {facing} }}"));
        scene.run(2);
        drawn(&scene, only(Topic::Shapes)).lines().to_vec()
    };
    let lines = scene("vec(0, 0, 1)");
    // 40 m by 22 m, in cells of 2 m.
    assert_eq!(lines.len(), 12 + 20 * 12 + 21 * 11);
    assert!(lines[12..].iter().all(|line| (line.from.z - 1.0).abs() < 1e-3 && (line.to.z - 1.0).abs() < 1e-3));
    assert_eq!(scene("vec(1, 0, 0)").len(), 12, "a wall has none");
}

#[test]
fn a_rotated_body_is_drawn_rotated() {
    let plank = "@thing\n!set body { shape \"box\", half vec(2, 0.1, 0.1), gravity 0 }\n";
    let mut scene = scene(&[("plank.thing", plank)], "{ object \"plank.thing\", facing vec(0, 1, 0) }");
    scene.run(2);
    let lines = drawn(&scene, only(Topic::Shapes)).lines().to_vec();
    let back = Quat::between(Vec3::X, Vec3::Y);
    let far = lines.iter().fold(Vec3::ZERO, |far, line| far.max(back.rotate_back(line.from).abs()));
    assert!((far - Vec3::new(2.0, 0.1, 0.1)).length() < 1e-4, "{far:?}");
}

#[test]
fn up_is_opposite_to_gravity_and_force_fields() {
    let planet = "@thing\n!set body { shape \"sphere\", radius 20, fixed true }\n!set force_field { kind \"planet\", strength 8, radius 20 }\n";
    let plate = "@thing\n!set body { shape \"box\", half vec(1, 20, 11), fixed true }\n";
    let scenario = "@scenario\n!set objects_max 64\n!set bodies_max 16\n!set placements [{ object \"planet.thing\" },
        { object \"plate.thing\", position vec(40, 0, 0) }]\n";
    let mut scene =
        Scene::new(&[&class("thing", "")], &[("planet.thing", planet), ("plate.thing", plate), (SCENARIO, scenario)]);
    scene.run(2);
    let up_at = |place| scene.rules.up_at(&scene.world, place);
    for way in [Vec3::X, -Vec3::Y, Vec3::new(0.6, 0.0, -0.8)] {
        assert!((up_at(way * 25.0) - way).length() < 1e-5, "{way:?}");
    }
    assert_eq!(up_at(Vec3::ZERO), Vec3::ZERO);
    // The side of the plate away from the planet is ground: 40 m by 22 m, in cells of 2 m.
    let drawing = drawn(&scene, only(Topic::Shapes));
    let plate = scene.one("plate.thing").raw();
    let on_top = |line: &&view::Line| line.owner == plate && line.from.x > 40.9 && line.to.x > 40.9;
    assert_eq!(drawing.lines().iter().filter(on_top).count(), 4 + 20 * 12 + 21 * 11);
}
