//! Orientation and spin as scripts see and set them, markers with a direction, local forces, denied moves, world time.

use crate::common;

use std::f32::consts::PI;

use base::{Handle, Quat, Vec3};
use common::{SCENARIO, Scene, class};
use script::value::Value;
use world::object::vector_of;
use world::{Condition, Object};

const STATE: &str =
    "{ name \"n\", type \"number\", state true, default 0 }, { name \"other\", type \"handle\", state true },
{ name \"a\", type \"vector\", state true }, { name \"b\", type \"vector\", state true }";

fn scene(texts: &[(&str, &str)], placements: &str) -> Scene {
    let scenario = format!(
        "@scenario\n!set objects_max 256\n!set bodies_max 64\n!set physics {{ gravity vec(0, 0, 0) }}\n!set placements [{placements}]\n"
    );
    let mut all = vec![(SCENARIO, scenario.as_str())];
    all.extend_from_slice(texts);
    Scene::new(&[&class("thing", STATE)], &all)
}

fn object(scene: &Scene, path: &str) -> Object {
    *scene.rules.parts.objects.get(&scene.world, scene.one(path))
}

fn vector(scene: &Scene, handle: Handle<Object>, name: &str) -> Vec3 {
    vector_of(scene.get(handle, name), Vec3::splat(f32::NAN))
}

fn near(one: Vec3, other: Vec3) -> bool {
    (one - other).length() < 1e-5
}

#[test]
fn scripts_read_the_orientation_of_themselves_and_of_others() {
    let own = "@thing\n!set OnUpdate Lambda([ !set a up, !set b right ]())\n!set body { shape \"box\" }\n";
    let reader = "@thing\n!set OnSpawn Lambda(!set other nearest_object(position, 100, { except ~this }))
!set OnUpdate Lambda([ !set a other.up, !set b other.orientation ]())\n";
    let placements = "{ object \"own.thing\", orientation vec(1.5707964, 0, 0) }, { object \"reader.thing\", position vec(5, 0, 0) }";
    let mut scene = scene(&[("own.thing", own), ("reader.thing", reader)], placements);
    scene.run(5);
    let (own, reader) = (scene.one("own.thing"), scene.one("reader.thing"));
    assert!(near(vector(&scene, own, "a"), -Vec3::Y), "a quarter turn about x: {:?}", vector(&scene, own, "a"));
    assert!(near(vector(&scene, own, "b"), -Vec3::Z), "{:?}", vector(&scene, own, "b"));
    assert!(near(vector(&scene, reader, "a"), -Vec3::Y), "{:?}", vector(&scene, reader, "a"));
    assert!(near(vector(&scene, reader, "b"), Vec3::new(PI / 2.0, 0.0, 0.0)), "{:?}", vector(&scene, reader, "b"));
    assert_eq!(scene.conditions(), []);
}

#[test]
fn a_row_has_only_the_variables_that_its_tag_names() {
    let scene = scene(&[("plain.thing", "@thing\n"), ("up.thing", "@thing\n!set OnUpdate Lambda(!set a up)\n")], "");
    let rows = ["plain.thing", "up.thing"].map(|path| {
        let number = scene.rules.prototypes.number(base::StringId::from(path)).expect(path);
        scene.rules.prototypes.programs().get(number).expect(path).variables.clone()
    });
    let has = |row: &[String], name: &str| row.iter().any(|variable| variable == name);
    assert!(["up", "right", "orientation", "spin"].iter().all(|name| !has(&rows[0], name)), "{:?}", rows[0]);
    assert!(has(&rows[1], "up") && !has(&rows[1], "right") && !has(&rows[1], "spin"), "{:?}", rows[1]);
}

#[test]
fn scripts_set_the_orientation_of_a_body() {
    for (set, expected) in [
        ("!set orientation vec(0, 0, 1.5707964)", Quat::from_axis_angle(Vec3::Z, PI / 2.0)),
        ("!set up vec(0, 3, 0)", Quat::between(Vec3::Z, Vec3::Y)),
        ("!set right vec(0, 0, 1)", Quat::between(-Vec3::Y, Vec3::Z)),
        (
            "[ !set facing vec(0, 1, 0), !set up vec(1, 0, 0) ]()",
            Quat::from_matrix(base::Mat3::from_columns(Vec3::Y, Vec3::Z, Vec3::X)),
        ),
    ] {
        let tag = format!("@thing\n!set body {{ shape \"box\" }}\n!set OnSpawn Lambda(!After(50, Lambda({set})))\n");
        let mut scene = scene(&[("a.thing", &tag)], "{ object \"a.thing\" }");
        scene.run(12);
        let found = object(&scene, "a.thing");
        assert!(found.orientation.angle_to(expected) < 1e-3, "{set}: {:?} instead of {expected:?}", found.orientation);
        let body = scene.rules.parts.body_of(&scene.world, scene.one("a.thing")).expect("a body");
        assert_eq!(scene.rules.parts.physics.parts.bodies.get(&scene.world, body).rotation, found.orientation, "{set}");
        assert!(near(found.facing, expected.rotate(Vec3::X)), "{set}");
        assert_eq!(scene.conditions(), [], "{set}");
        let hash = found.orientation;
        scene.run(20);
        assert_eq!(object(&scene, "a.thing").orientation, hash, "{set}: it was set once");
    }
}

#[test]
fn an_orientation_that_is_none_is_reported_and_the_last_one_kept() {
    let tag = "@thing\n!set OnSpawn Lambda(!After(50, Lambda(!set up vec(0, 0, 0))))\n";
    let mut scene = scene(&[("a.thing", tag)], "{ object \"a.thing\", facing vec(0, 1, 0) }");
    scene.run(12);
    assert_eq!(scene.conditions(), [Condition::NotFinite]);
    assert!(near(vector(&scene, scene.one("a.thing"), "up"), Vec3::Z));
    assert!(near(object(&scene, "a.thing").facing, Vec3::Y));
}

#[test]
fn spin_is_read_and_set_with_and_without_a_body() {
    let turning = "!set OnSpawn Lambda(!set spin vec(0, 0, 1))\n!set OnUpdate Lambda(!set a spin)\n";
    for body in ["", "!set body { shape \"sphere\" }\n"] {
        let tag = format!("@thing\n{body}{turning}");
        let mut scene = scene(&[("a.thing", &tag)], "{ object \"a.thing\" }");
        scene.run(158);
        let found = object(&scene, "a.thing");
        let angle = found.orientation.angle_to(Quat::IDENTITY);
        assert!((angle - 1.57).abs() < 0.03, "{body}: a radian a second for 1.58 s: {angle}");
        assert!(near(vector(&scene, scene.one("a.thing"), "a"), Vec3::Z), "{body}");
        assert!(near(found.facing, found.orientation.rotate(Vec3::X)), "{body}");
        assert_eq!(scene.conditions(), [], "{body}");
    }
}

#[test]
fn placements_and_spawns_state_orientation_and_spin() {
    let maker = "@thing\n!set OnSpawn Lambda(!Spawn(\"b.thing\", { position vec(9, 0, 0), up vec(0, 1, 0), spin vec(3, 0, 0) }))\n";
    let ball = "@thing\n!set body { shape \"sphere\" }\n";
    let texts = [("a.thing", ball), ("b.thing", ball), ("maker.thing", maker), ("plain.thing", "@thing\n")];
    let placements = "{ object \"a.thing\", facing vec(0, 1, 0), up vec(1, 0, 0), spin vec(0, 0, 2) }, { object \"maker.thing\", position vec(50, 0, 0) }";
    let mut scene = scene(&texts, placements);
    assert!(near(object(&scene, "a.thing").orientation.rotate(Vec3::Z), Vec3::X), "from the first cycle on");
    scene.run(2);
    let spin = |scene: &Scene, path: &str| {
        let body = scene.rules.parts.body_of(&scene.world, scene.one(path)).expect("a body");
        scene.rules.parts.physics.parts.bodies.get(&scene.world, body).angular_velocity
    };
    assert!(near(spin(&scene, "a.thing"), Vec3::new(0.0, 0.0, 2.0)));
    assert!(near(spin(&scene, "b.thing"), Vec3::new(3.0, 0.0, 0.0)));
    let up = object(&scene, "b.thing").orientation.rotate(Vec3::Z);
    assert!((up - Vec3::Y).length() < 0.1, "turned by two cycles of its spin: {up:?}");
    assert_eq!(scene.conditions(), []);
}

#[test]
fn what_turns_by_itself_needs_a_body_or_the_variable() {
    let scene = scene(&[("plain.thing", "@thing\n")], "{ object \"plain.thing\", spin vec(0, 0, 1) }");
    let mut scene = scene;
    scene.run(1);
    assert_eq!(scene.conditions(), [Condition::NotGiven]);
}

#[test]
fn a_changed_tag_that_names_the_orientation_finds_it() {
    let mut scene = scene(
        &[("a.thing", "@thing\n!set body { shape \"box\" }\n")],
        "{ object \"a.thing\", facing vec(0, 1, 0), spin vec(0, 0, 1) }",
    );
    scene.run(5);
    let before = object(&scene, "a.thing").orientation;
    scene.change(&[(
        "a.thing",
        "@thing\n!set body { shape \"box\" }\n!set OnUpdate Lambda([ !set a orientation, !set b spin ]())\n",
    )]);
    scene.run(3);
    let after = object(&scene, "a.thing").orientation;
    assert!(before.angle_to(after) < 0.05, "it turns on as before: {before:?} {after:?}");
    assert!(near(vector(&scene, scene.one("a.thing"), "b"), Vec3::Z));
}

#[test]
fn local_forces_act_in_the_axes_of_the_body() {
    let check = |effect: &str, velocity: Vec3, spin: Vec3| {
        let tag =
            format!("@thing\n!set body {{ shape \"sphere\", radius 0.5, mass 2 }}\n!set OnSpawn Lambda({effect})\n");
        let mut scene = scene(&[("a.thing", &tag)], "{ object \"a.thing\", facing vec(0, 1, 0) }");
        scene.run(3);
        let body = scene.rules.parts.body_of(&scene.world, scene.one("a.thing")).expect("a body");
        let body = *scene.rules.parts.physics.parts.bodies.get(&scene.world, body);
        assert!(near(body.velocity, velocity), "{effect}: {:?}", body.velocity);
        assert!((body.angular_velocity - spin).length() < 1e-3, "{effect}: {:?}", body.angular_velocity);
        assert_eq!(scene.conditions(), [], "{effect}");
    };
    // Its x axis is the world's y. 200 N on 2 kg for 10 ms; a moment of inertia of 0.2 kg m².
    check("!LocalForce(~this, vec(200, 0, 0))", Vec3::Y, Vec3::ZERO);
    check("!LocalImpulse(~this, vec(2, 0, 0))", Vec3::Y, Vec3::ZERO);
    check("!LocalTorque(~this, vec(20, 0, 0))", Vec3::ZERO, Vec3::Y);
    check("!LocalImpulse(~this, vec(2, 0, 0), vec(0, 0.1, 0))", Vec3::Y, Vec3::new(0.0, 0.0, -1.0));
}

const WALL: &str = "@thing\n!set body { shape \"box\", half vec(3, 3, 3), fixed true }\n";

#[test]
fn a_move_into_a_fixed_body_is_denied_and_told() {
    let mover = |body: &str, effect: &str| {
        format!(
            "@thing\n!set body {{ shape \"box\"{body} }}\n!set OnSpawn Lambda({effect})
!set OnMoveDenied Lambda(to, by, [ !set a to, !set other by, !set n n + 1 ]())\n"
        )
    };
    let run = |tag: &str| {
        let placements =
            "{ object \"wall.thing\", position vec(0, 0, 3) }, { object \"a.thing\", position vec(20, 0, 0) }";
        let mut scene = scene(&[("wall.thing", WALL), ("a.thing", tag)], placements);
        scene.run(4);
        scene
    };
    let scene = run(&mover("", "!Move(vec(1, 0, 3))"));
    let denied = scene.one("a.thing");
    assert_eq!(object(&scene, "a.thing").position, Vec3::new(20.0, 0.0, 0.0));
    assert_eq!((scene.conditions(), scene.number(denied, "n")), (vec![Condition::MoveBlocked], 1.0));
    assert_eq!(vector(&scene, denied, "a"), Vec3::new(1.0, 0.0, 3.0));
    assert_eq!(world::object::handle_of(scene.get(denied, "other")), scene.one("wall.thing"));
    // Beside it, on top of it, as much in it as a designer may be wrong, and where it may.
    for (body, effect, expected) in [
        ("", "!Move(vec(4, 0, 3))", Vec3::new(4.0, 0.0, 3.0)),
        ("", "!Move(vec(0, 0, 6.5))", Vec3::new(0.0, 0.0, 6.5)),
        ("", "!Move(vec(0, 0, 6.49))", Vec3::new(0.0, 0.0, 6.49)),
        ("", "!Move(vec(1, 0, 3), true)", Vec3::new(1.0, 0.0, 3.0)),
        (", moves_into_solids true", "!Move(vec(1, 0, 3))", Vec3::new(1.0, 0.0, 3.0)),
        (", trigger true", "!Move(vec(1, 0, 3))", Vec3::new(1.0, 0.0, 3.0)),
        (", layer 1, collides_with [1]", "!Move(vec(1, 0, 3))", Vec3::new(1.0, 0.0, 3.0)),
    ] {
        let scene = run(&mover(body, effect));
        let found = object(&scene, "a.thing").position;
        assert!((found - expected).length() < 0.5, "{body} {effect}: {found:?}");
        assert_eq!(scene.conditions(), [], "{body} {effect}");
    }
}

#[test]
fn a_move_into_a_closed_volume_is_told_with_its_name() {
    let level = "@scenario\n!set objects_max 64\n!set trigger_volumes [{ name \"vault\", centre vec(10, 0, 0), radius 2, closed true }]
!set placements [{ object \"a.thing\" }]\n";
    let tag = "@thing\n!set OnSpawn Lambda(!Move(vec(10, 0, 0)))\n!set OnMoveDenied Lambda(to, by, [ !set a to, !set n if by = \"vault\" then 1 else 2 ]())\n";
    let mut scene = Scene::new(&[&class("thing", STATE)], &[(SCENARIO, level), ("a.thing", tag)]);
    scene.run(4);
    let denied = scene.one("a.thing");
    assert_eq!((scene.number(denied, "n"), vector(&scene, denied, "a")), (1.0, Vec3::new(10.0, 0.0, 0.0)));
    assert_eq!(scene.conditions(), [Condition::MoveDenied]);
}

#[test]
fn markers_with_a_direction_turn_what_is_attached_and_aim_what_is_fired() {
    let tank = "@thing\n!set markers [{ name \"gun\", offset vec(0, 1, 0), facing vec(0, 1, 0) }, { name \"plain\", offset vec(0, 2, 0) }]
!set OnSpawn Lambda([ !Spawn(\"gun.thing\", { facing vec(0, 0, 1) }, Lambda(made, !Attach(made, ~this, \"gun\"))),
!Spawn(\"box.thing\", { facing vec(0, 0, 1) }, Lambda(made, !Attach(made, ~this, \"plain\"))) ]())
!set OnUpdate Lambda(let m = marker_of(~this, \"gun\") in [ !set a m.position, !set b m.facing ]())\n";
    let texts = [("tank.thing", tank), ("gun.thing", "@thing\n"), ("box.thing", "@thing\n")];
    let mut scene = scene(&texts, "{ object \"tank.thing\", position vec(5, 0, 0), facing vec(0, 1, 0) }");
    scene.run(6);
    let gun = object(&scene, "gun.thing");
    assert!(near(gun.facing, -Vec3::X) && near(gun.position, Vec3::new(4.0, 0.0, 0.0)), "{gun:?}");
    let kept = object(&scene, "box.thing");
    assert!(near(kept.facing, Vec3::Z) && near(kept.position, Vec3::new(3.0, 0.0, 0.0)), "{kept:?}");
    let tank = scene.one("tank.thing");
    assert!(near(vector(&scene, tank, "a"), Vec3::new(4.0, 0.0, 0.0)) && near(vector(&scene, tank, "b"), -Vec3::X));
    assert_eq!(scene.conditions(), []);
}

#[test]
fn scripts_know_the_time_of_the_world() {
    let tag = "@thing\n!set OnUpdate Lambda(!set n now())\n";
    let mut scene = scene(&[("a.thing", tag)], "{ object \"a.thing\" }");
    scene.run(8);
    assert_eq!(scene.get(scene.one("a.thing"), "n"), Value::number(70.0), "the eighth cycle begins after 70 ms");
}

#[test]
fn cylinders_and_cones_have_the_mass_and_inertia_of_round_ones() {
    let texts = [
        ("wheel.thing", "@thing\n!set body { shape \"cylinder\", radius 0.5, length 0.2, density 1000 }\n"),
        ("hat.thing", "@thing\n!set body { shape \"cone\", radius 0.5, length 1, density 1000 }\n"),
    ];
    let scene = scene(&texts, "");
    let body = |path: &str| {
        let number = scene.rules.prototypes.number(base::StringId::from(path)).expect(path);
        scene.rules.prototypes.get(number).and_then(|prototype| prototype.body).expect(path)
    };
    let check = |path: &str, volume: f32, around: f32, across: f32| {
        let body = body(path);
        let mass = 1.0 / body.inverse_mass;
        assert!((mass / (volume * 1000.0) - 1.0).abs() < 1e-4, "{path}: {mass}");
        let moments = body.inverse_inertia.to_array().map(|inverse| 1.0 / inverse / mass);
        let mut sorted = moments;
        sorted.sort_by(f32::total_cmp);
        let mut expected = [around, across, across];
        expected.sort_by(f32::total_cmp);
        for (found, expected) in sorted.iter().zip(expected) {
            assert!((found / expected - 1.0).abs() < 1e-3, "{path}: {sorted:?} instead of {expected:?}");
        }
        assert!(body.center_of_mass.length() < 1e-4, "{path}: {:?}", body.center_of_mass);
    };
    check("wheel.thing", PI * 0.25 * 0.2, 0.125, (3.0 * 0.25 + 0.04) / 12.0);
    check("hat.thing", PI * 0.25 / 3.0, 0.3 * 0.25, 0.15 * 0.25 + 0.0375);
}
