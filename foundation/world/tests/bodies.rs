//! Objects with bodies.

use crate::common;

use base::{Handle, Vec3};
use common::{SCENARIO, Scene, class};
use host::thread_pool::ThreadPool;
use physics::flag;
use world::object::{POSITION, VELOCITY, vector_of};
use world::question::{Filter, Question, Want};
use world::{Condition, Object};

const STATE: &str =
    "{ name \"n\", type \"number\", state true, default 0 }, { name \"other\", type \"handle\", state true }";

const GROUND: &str = "@thing\n!set body { shape \"box\", half vec(50, 50, 1), fixed true }\n";

fn scene(texts: &[(&str, &str)], placements: &str) -> Scene {
    let scenario = format!(
        "@scenario\n!set objects_max 256\n!set bodies_max 128\n!set physics {{ gravity vec(0, 0, -10) }}\n!set placements [{placements}]\n"
    );
    let mut all = vec![("ground.thing", GROUND), (SCENARIO, scenario.as_str())];
    all.extend_from_slice(texts);
    Scene::new(&[&class("thing", STATE)], &all)
}

fn vector(scene: &Scene, object: Handle<Object>, variable: usize) -> Vec3 {
    vector_of(scene.rules.parts.objects.values(&scene.world, object)[variable], Vec3::ZERO)
}

const ON_GROUND: &str = "{ object \"ground.thing\", position vec(0, 0, -1) }";

#[test]
fn a_body_falls_and_its_object_with_it() {
    let ball = "@thing\n!set body { shape \"sphere\", radius 0.5 }\n!set OnCollide Lambda(who, speed, blow, place, normal, [ !set n n + 1, !set other who ]())";
    let placements = format!("{ON_GROUND}, {{ object \"ball.thing\", position vec(0, 0, 3) }}");
    let mut scene = scene(&[("ball.thing", ball)], &placements);
    scene.run(10);
    let ball = scene.one("ball.thing");
    assert!((vector(&scene, ball, VELOCITY).z + 1.0).abs() < 0.11, "{:?}", vector(&scene, ball, VELOCITY));
    scene.run(200);
    let place = vector(&scene, ball, POSITION);
    assert!((place.z - 0.5).abs() < 0.02, "{place:?}");
    assert_eq!(scene.rules.parts.objects.get(&scene.world, ball).position, place);
    assert_eq!(scene.number(ball, "n"), 1.0, "it touched the ground once");
}

#[test]
fn scripts_push_change_and_place_bodies() {
    let box_tag = "@thing\n!set body { shape \"box\", mass 2, gravity 0 }
!set OnSpawn Lambda(z, !Impulse(~this, vec(4, 0, 0)))
!set OnStop Lambda(z, !set velocity vec(0, 0, 0))
!set OnGo Lambda(z, !set position vec(0, 20, 5))
!set OnHeavy Lambda(z, !Body(~this, \"gravity\", 1))
!set OnPull Lambda(z, !Force(~this, vec(0, 200, 0)))";
    let driver = "@thing\n!set OnSpawn Lambda(z, [ !After(100, [ !Send(box(), \"stop\", 0) ]), !After(200, [ !Send(box(), \"go\", 0) ]),
 !After(300, [ !Send(box(), \"pull\", 0) ]), !After(400, [ !Send(box(), \"heavy\", 0) ]) ]())
!set box Lambda(nearest_object(position, 1000, { class \"thing\", except ~this }))";
    let placements =
        "{ object \"box.thing\", position vec(0, 0, 5) }, { object \"driver.thing\", position vec(0, 0, 5) }";
    let mut scene = scene(&[("box.thing", box_tag), ("driver.thing", driver)], placements);
    let object = scene.one("box.thing");
    scene.run(8);
    assert_eq!(vector(&scene, object, VELOCITY), Vec3::new(2.0, 0.0, 0.0), "{:?}", scene.conditions());
    scene.run(8);
    assert_eq!(vector(&scene, object, VELOCITY), Vec3::ZERO, "{:?}", scene.conditions());
    scene.run(8);
    assert_eq!(vector(&scene, object, POSITION), Vec3::new(0.0, 20.0, 5.0));
    scene.run(10);
    assert_eq!(vector(&scene, object, VELOCITY), Vec3::new(0.0, 1.0, 0.0), "one cycle of 200 N on 2 kg");
    scene.run(20);
    assert!(vector(&scene, object, VELOCITY).z < -0.5);
}

#[test]
fn a_trigger_reports_entering_and_leaving() {
    let gate = "@thing\n!set body { shape \"box\", half vec(1, 5, 5), trigger true, fixed true }
!set OnEnter Lambda(who, zone, !set n n + 1)\n!set OnLeave Lambda(who, zone, !set n n + 10)";
    let ball = "@thing\n!set body { shape \"sphere\", radius 0.5, gravity 0 }\n!set velocity vec(5, 0, 0)";
    let placements = "{ object \"gate.thing\" }, { object \"ball.thing\", position vec(-4, 0, 0) }";
    let mut scene = scene(&[("gate.thing", gate), ("ball.thing", ball)], placements);
    let gate = scene.one("gate.thing");
    scene.run(80);
    assert_eq!(scene.number(gate, "n"), 1.0);
    scene.run(100);
    assert_eq!(scene.number(gate, "n"), 11.0);
    assert!(vector(&scene, scene.one("ball.thing"), POSITION).x > 4.0, "the trigger does not stop it");
}

#[test]
fn a_trigger_reports_a_body_that_crosses_it_within_one_step() {
    let gate = "@thing\n!set body { shape \"box\", half vec(0.05, 5, 5), trigger true, fixed true }
!set OnEnter Lambda(who, zone, [ !set n n + 1, !set other who ]())\n!set OnLeave Lambda(who, zone, !set n n * 10)";
    for (point, speed) in [(true, 3.0), (true, 900.0), (false, 3.0), (false, 900.0)] {
        let ball = format!(
            "@thing\n!set body {{ shape \"sphere\", radius 0.1, gravity 0, point {point} }}\n!set velocity vec({speed}, 0, 0)"
        );
        let placements = "{ object \"gate.thing\" }, { object \"ball.thing\", position vec(-0.7, 0, 0) }";
        let mut scene = scene(&[("gate.thing", gate), ("ball.thing", &ball)], placements);
        let gate = scene.one("gate.thing");
        scene.run(80);
        assert_eq!(scene.number(gate, "n"), 10.0, "it entered, then left: {point} {speed}");
        assert_eq!(world::object::handle_of(scene.get(gate, "other")), scene.one("ball.thing"));
        assert_eq!(scene.conditions(), []);
    }
}

#[test]
fn a_sleeping_body_that_a_script_has_hit_takes_part_in_that_very_step() {
    for speed in [0.3_f32, 2.0, 5.0, 20.0, 100.0, 1000.0] {
        let ball = format!(
            "@thing\n!set body {{ shape \"sphere\", radius 0.2, mass 5 }}
!set OnSpawn Lambda(nobody, if position.x < 0 then !After(1000, [ !set velocity vec({speed}, 0, 0) ]))
!set OnCollide Lambda(who, speed, blow, place, normal, !set n n + blow)"
        );
        let placements = "{ object \"ball.thing\", position vec(-1, 0, 0) }, { object \"ball.thing\" }";
        let scenario = format!("@scenario\n!set objects_max 64\n!set bodies_max 16\n!set placements [{placements}]\n");
        let mut scene = Scene::new(&[&class("thing", STATE)], &[("ball.thing", &ball), (SCENARIO, &scenario)]);
        let [first, second] = scene.all("ball.thing")[..] else { panic!("two balls") };
        let is_asleep = |scene: &Scene| {
            let parts = &scene.rules.parts;
            let body = parts.body_of(&scene.world, second).expect("a body");
            parts.physics.parts.bodies.get(&scene.world, body).is(flag::ASLEEP)
        };
        scene.run(99);
        assert!(is_asleep(&scene), "{speed} m/s");
        let mut cycles = 0;
        while vector(&scene, first, VELOCITY).x == speed || vector(&scene, first, VELOCITY).x == 0.0 {
            assert_eq!(vector(&scene, second, VELOCITY), Vec3::ZERO, "{speed} m/s: nothing has touched it");
            scene.run(1);
            cycles += 1;
            assert!(cycles < 400, "{speed} m/s: they never meet");
        }
        // In the step of the hit: both go on with half the speed, and no momentum is lost.
        let (one, other) = (vector(&scene, first, VELOCITY), vector(&scene, second, VELOCITY));
        let half = Vec3::new(speed / 2.0, 0.0, 0.0);
        let error = base::number::max((one - half).length(), (other - half).length());
        assert!(error < 0.01 * speed && !is_asleep(&scene), "{speed} m/s: {one:?} and {other:?}");
        // What the scripts are told is the impulse of that hit, not that of a wall.
        scene.run(2);
        let told = scene.number(second, "n");
        assert!((told - f64::from(speed) * 2.5).abs() < f64::from(speed) * 0.05, "{speed} m/s: {told} N s");
    }
}

#[test]
fn a_moved_body_keeps_its_velocity() {
    let check = |place: &str, expected: Vec3, conditions: &[Condition]| {
        let ball = format!(
            "@thing\n!set body {{ shape \"sphere\", gravity 0 }}\n!set velocity vec(5, 0, 0)\n!set OnSpawn Lambda(z, !After(200, [ !Move({place}) ]))"
        );
        let mut scene = scene(&[("ball.thing", &ball)], "{ object \"ball.thing\" }");
        let object = scene.one("ball.thing");
        scene.run(40);
        let place = vector(&scene, object, POSITION);
        assert!((place - expected).abs().max_component() <= 1.0, "{place:?}");
        assert_eq!(vector(&scene, object, VELOCITY), Vec3::new(5.0, 0.0, 0.0));
        assert_eq!(scene.conditions(), conditions);
    };
    check("vec(0, 50, 0)", Vec3::new(1.0, 50.0, 0.0), &[]);
    check("vec(0, 1e9, 0)", Vec3::new(1.0, world::limits::FAR, 0.0), &[Condition::TooFar]);
}

#[test]
fn every_begin_event_is_followed_by_an_end_event() {
    // Entering adds ten, leaving adds one.
    const GATE: &str = "@thing\n!set body { shape \"box\", half vec(2, 2, 2), trigger true, fixed true }
!set OnEnter Lambda(who, [ !set n n + 10, !set other who ]())\n!set OnLeave Lambda(who, [ !set n n + 1, !set other nothing ]())";
    const PLATE: &str = "@thing\n!set body { shape \"box\", half vec(2, 2, 0.5), fixed true }
!set OnCollide Lambda(who, [ !set n n + 10, !set other who ]())\n!set OnSeparate Lambda(who, [ !set n n + 1, !set other nothing ]())";
    let check = |watcher: &str, action: &str, later: u32, expected: f64| {
        let ball = format!(
            "@thing\n!set body {{ shape \"geometry\", geometry \"pair.geometry\", gravity 0 }}
!set OnSpawn Lambda(z, !After(200, [ {action} ]))"
        );
        let pair = "@geometry\n!set kind \"compound\"\n!set parts [{ shape \"sphere\" }, { shape \"sphere\", position vec(1, 0, 0) }]";
        let placements = "{ object \"gate.thing\" }, { object \"hook.thing\", position vec(50, 0, 0) }, { object \"ball.thing\", position vec(-0.5, 0, 0.9) }";
        let texts =
            [("gate.thing", watcher), ("ball.thing", ball.as_str()), ("hook.thing", "@thing"), ("pair.geometry", pair)];
        let mut scene = scene(&texts, placements);
        let gate = scene.one("gate.thing");
        scene.run(15);
        assert_eq!(scene.number(gate, "n"), 10.0, "{watcher} {action} {:?}", scene.conditions());
        scene.run(later);
        assert_eq!(scene.number(gate, "n"), expected, "{watcher} {action}");
        let conditions = scene.conditions();
        assert!(conditions.is_empty(), "{watcher} {action} {conditions:?}");
    };
    for watcher in [GATE, PLATE] {
        check(watcher, "!Destroy(~this)", 10, 11.0);
        check(watcher, "!Move(vec(0, 0, 9))", 10, 11.0);
        check(watcher, "!Attach(~this, nearest_object(vec(50, 0, 0), 1, { class \"thing\" }))", 10, 11.0);
    }
    check(GATE, "!Move(vec(0.2, 0.2, 0.2))", 10, 10.0);
    check(GATE, "!set velocity vec(40, 0, 0)", 20, 11.0);
}

#[test]
fn objects_destroyed_together_get_no_end_event() {
    let gate = "@thing\n!set body { shape \"box\", half vec(2, 2, 2), trigger true, fixed true }
!set OnLeave Lambda(who, !set n 1)\n!set OnSpawn Lambda(z, !After(200, [ !Destroy(~this) ]))";
    let ball =
        "@thing\n!set body { shape \"sphere\", gravity 0 }\n!set OnSpawn Lambda(z, !After(200, [ !Destroy(~this) ]))";
    for placements in
        ["{ object \"gate.thing\" }, { object \"ball.thing\" }", "{ object \"ball.thing\" }, { object \"gate.thing\" }"]
    {
        let mut scene = scene(&[("gate.thing", gate), ("ball.thing", ball)], placements);
        scene.run(30);
        assert_eq!((scene.all("gate.thing").len(), scene.all("ball.thing").len()), (0, 0));
        assert_eq!(scene.conditions(), []);
    }
}

#[test]
fn a_trigger_that_moves_every_cycle_reports_once() {
    let cart = "@thing\n!set body { shape \"box\", half vec(1, 5, 5), trigger true, fixed true }
!set OnUpdate Lambda(s, !set position position + vec(0.05, 0, 0))
!set OnEnter Lambda(who, !set n n + 10)\n!set OnLeave Lambda(who, !set n n + 1)";
    for fixed in [true, false] {
        let ball = format!("@thing\n!set body {{ shape \"sphere\", radius 0.5, gravity 0, fixed {fixed} }}");
        let placements = "{ object \"cart.thing\" }, { object \"ball.thing\", position vec(3, 0, 0) }";
        let mut scene = scene(&[("cart.thing", cart), ("ball.thing", &ball)], placements);
        let cart = scene.one("cart.thing");
        scene.run(60);
        assert_eq!(scene.number(cart, "n"), if fixed { 0.0 } else { 10.0 }, "two fixed bodies have no contact");
        scene.run(60);
        assert_eq!(scene.number(cart, "n"), if fixed { 0.0 } else { 11.0 });
    }
}

#[test]
fn an_attached_object_has_no_body_until_it_is_detached() {
    let hull = "@thing\n!set body { shape \"box\", gravity 0 }\n!set velocity vec(1, 0, 0)
!set OnSpawn Lambda(z, !Spawn(\"gun.thing\", { position position + vec(0, 0, 1) }, Lambda(made, [ !Attach(made, ~this), !set other made, !After(500, [ !Detach(other) ]) ]())))";
    let gun = "@thing\n!set body { shape \"sphere\", radius 0.2 }\n!set survives_parent true";
    let mut scene =
        scene(&[("hull.thing", hull), ("gun.thing", gun)], "{ object \"hull.thing\", position vec(0, 0, 50) }");
    scene.run(30);
    let gun = scene.one("gun.thing");
    assert!(scene.rules.parts.bodies.get(&scene.world)[usize::from(gun.slot())].is_none());
    let hull = scene.one("hull.thing");
    assert_eq!(vector(&scene, gun, POSITION).z, vector(&scene, hull, POSITION).z);
    scene.run(120);
    assert!(vector(&scene, gun, POSITION).z < 49.0, "it falls: {:?}", scene.conditions());
}

#[test]
fn a_changed_tag_changes_the_bodies_of_its_objects() {
    let ball = |gravity: f32, radius: f32| {
        format!("@thing\n!set body {{ shape \"sphere\", radius {radius}, gravity {gravity} }}\n")
    };
    let placements = format!("{ON_GROUND}, {{ object \"ball.thing\", position vec(0, 0, 5) }}");
    let mut scene = scene(&[("ball.thing", &ball(0.0, 0.5))], &placements);
    scene.run(50);
    let object = scene.one("ball.thing");
    assert_eq!(vector(&scene, object, POSITION).z, 5.0);
    scene.change(&[("ball.thing", &ball(1.0, 1.0)), ("a.thing", "@thing\n")]);
    scene.run(300);
    let place = vector(&scene, object, POSITION);
    assert!((place.z - 1.0).abs() < 0.02, "{place:?}");
}

#[test]
fn an_object_with_an_invalid_shape_is_warned_of_and_lives_without_a_body() {
    let none = "@thing\n!set body { shape \"geometry\" }\n!set velocity vec(1, 0, 0)";
    let mut scene = scene(&[("a.thing", none)], "{ object \"a.thing\" }");
    scene.run(10);
    assert_eq!(scene.count(Condition::NoShape), 1);
    assert!(vector(&scene, scene.one("a.thing"), POSITION).x > 0.0, "without a body, its velocity moves it");
}

#[test]
fn a_heap_depends_neither_on_workers_nor_on_restoring() {
    let ball = "@thing\n!set body { shape \"sphere\", radius 0.4 }\n!set OnCollide Lambda(who, speed, blow, place, normal, [ !set n n + 1, if n > 6 then !Destroy(~this) ]())
!set OnDestroy Lambda(z, !Spawn(\"box.thing\", { position position + vec(0, 0, 6) }))";
    let crate_tag = "@thing\n!set body { shape \"box\", half vec(0.4, 0.3, 0.5), friction 0.8 }\n!set OnUpdate Lambda(s, if velocity.x > 1 then !Impulse(~this, vec(0, 100, 0), position + vec(0, 0, 1)))";
    let placements = format!(
        "{ON_GROUND}, {{ object \"ball.thing\", position vec(0, 0, 8), count 12, spread vec(1, 1, 4) }}, {{ object \"box.thing\", position vec(0, 0, 8), count 12, spread vec(1, 1, 4) }}"
    );
    let make = || scene(&[("ball.thing", ball), ("box.thing", crate_tag)], &placements);
    let mut reference = make();
    let mut hashes = Vec::new();
    let mut saved = Vec::new();
    for cycle in 0..70 {
        if cycle % 25 == 3 {
            saved.push((cycle, reference.world.bytes().to_vec()));
        }
        reference.run(1);
        hashes.push(reference.world.hash());
    }
    for workers in [2, 8] {
        let mut other = make();
        for hash in &hashes {
            other.run_with(1, &ThreadPool::new(workers));
            assert_eq!(other.world.hash(), *hash);
        }
    }
    for (cycle, bytes) in saved {
        let mut other = make();
        other.world.adopt(&bytes).expect("a saved world loads");
        for hash in &hashes[cycle..] {
            other.run(1);
            assert_eq!(other.world.hash(), *hash, "from {cycle}");
        }
    }
}

#[test]
fn bodies_rest_on_ground_of_every_kind() {
    let hull = "@geometry\n!set points [vec(-9, -9, -1), vec(9, -9, -1), vec(-9, 9, -1), vec(9, 9, -1), vec(-9, -9, 0), vec(9, -9, 0), vec(-9, 9, 0), vec(9, 9, 0)]";
    let mesh = "@geometry\n!set kind \"mesh\"\n!set points [vec(-9, -9, 0), vec(9, -9, 0), vec(9, 9, 0), vec(-9, 9, 0)]\n!set triangles [0, 1, 2, 0, 2, 3]";
    let field = "@geometry\n!set kind \"height_field\"\n!set columns 3\n!set spacing 9\n!set heights [0, 0, 0, 0, 0, 0, 0, 0, 0]";
    let compound = "@geometry\n!set kind \"compound\"\n!set parts [{ half vec(9, 9, 1), position vec(0, 0, -1) }, { shape \"sphere\", position vec(8, 8, 0) }]";
    for (kind, text) in [("hull", hull), ("mesh", mesh), ("field", field), ("compound", compound)] {
        let ground = "@thing\n!set body { shape \"geometry\", geometry \"g.geometry\", fixed true }";
        let ball = "@thing\n!set body { shape \"box\" }";
        // The origin of a height field is its minimum corner.
        let at = if kind == "field" { "vec(-9, -9, 0)" } else { "vec(0, 0, 0)" };
        let placements = format!(
            "{{ object \"floor.thing\", position {at} }}, {{ object \"box.thing\", position vec(0.3, 0.2, 2) }}"
        );
        let mut scene = scene(&[("g.geometry", text), ("floor.thing", ground), ("box.thing", ball)], &placements);
        scene.run(200);
        let place = vector(&scene, scene.one("box.thing"), POSITION);
        assert!((place.z - 0.5).abs() < 0.02, "{kind}: {place:?} {:?}", scene.conditions());
    }
}

#[test]
fn rays_hit_the_exact_shapes() {
    let hills = "@geometry\n!set kind \"height_field\"\n!set columns 3\n!set spacing 200\n!set heights [0, 0, 0, 0, 40, 0, 0, 0, 0]";
    let ground = "@thing\n!set body { shape \"geometry\", geometry \"g.geometry\", fixed true }\n!set radius 0";
    let plate = "@thing\n!set body { shape \"box\", half vec(0.1, 3, 3), fixed true }";
    let gate = "@thing\n!set body { shape \"box\", half vec(1, 9, 9), fixed true, trigger true }";
    let placements = "{ object \"floor.thing\", position vec(-200, -200, 0) }, { object \"plate.thing\", position vec(50, 2, 60) }, { object \"gate.thing\", position vec(20, 0, 60) }";
    let texts = [("g.geometry", hills), ("floor.thing", ground), ("plate.thing", plate), ("gate.thing", gate)];
    let mut scene = scene(&texts, placements);
    scene.run(3);
    let first = |scene: &Scene, from: Vec3, to: Vec3| {
        let question = Question::Ray { from, to, want: Want::First };
        let found = scene.ask_with(&question, &Filter::default(), 64, 100_000).found;
        found.first().map(|(who, distance)| (who.raw(), from + (to - from).normal() * *distance as f32))
    };
    let raw = |path: &str| scene.one(path).raw();
    // Through the trigger, onto the side of the plate. Beside the plate nothing, although within its bounding sphere.
    let met = first(&scene, Vec3::new(0.0, 4.9, 60.0), Vec3::new(100.0, 4.9, 60.0));
    assert_eq!(met.map(|(who, _)| who), Some(raw("plate.thing")));
    assert!(met.is_some_and(|(_, at)| (at.x - 49.9).abs() < 1e-3), "{met:?}");
    assert_eq!(first(&scene, Vec3::new(0.0, 5.1, 60.0), Vec3::new(100.0, 5.1, 60.0)), None);
    // Down onto the hill, far from the origin of the height field.
    let met = first(&scene, Vec3::new(0.0, 0.0, 100.0), Vec3::new(0.0, 0.0, -100.0));
    assert_eq!(met.map(|(who, _)| who), Some(raw("floor.thing")));
    assert!(met.is_some_and(|(_, at)| (at.z - 40.0).abs() < 0.01), "{met:?}");
}

#[test]
fn a_capsule_of_length_zero_is_a_sphere() {
    let parts = "@geometry\n!set kind \"compound\"\n!set parts [{ shape \"capsule\", radius 0.5, length 0 }]";
    let texts = [
        ("g.geometry", parts),
        ("capsule.thing", "@thing\n!set body { shape \"capsule\", radius 0.5, length 0 }"),
        ("ball.thing", "@thing\n!set body { shape \"sphere\", radius 0.5 }"),
        ("part.thing", "@thing\n!set body { shape \"geometry\", geometry \"g.geometry\" }"),
    ];
    let placements = format!(
        "{ON_GROUND}, {{ object \"capsule.thing\", position vec(0, 0, 2) }}, {{ object \"ball.thing\", position vec(5, 0, 2) }}, {{ object \"part.thing\", position vec(10, 0, 2) }}"
    );
    let mut scene = scene(&texts, &placements);
    scene.run(150);
    assert_eq!(scene.conditions(), []);
    let height = |path: &str| vector(&scene, scene.one(path), POSITION).z;
    assert_eq!(height("capsule.thing"), height("ball.thing"));
    assert!((height("part.thing") - 0.5).abs() < 0.02);
}

#[test]
fn a_fixed_body_starts_from_rest_when_it_is_freed() {
    let thing = "@thing\n!set body { shape \"sphere\", radius 0.5, mass 2 }\n!set velocity vec(3, 0, 0)
!set OnSpawn Lambda(z, [ !Impulse(~this, vec(0, 8, 0), position + vec(0, 0, 1)), !After(200, [ !Body(~this, \"fixed\", true) ]),
    !After(300, [ !set velocity vec(0, 9, 0), !Force(~this, vec(0, 5000, 0)), !Impulse(~this, vec(0, 5000, 0)), !Torque(~this, vec(0, 0, 900)) ]),
    !After(600, [ !Body(~this, \"fixed\", false) ]), !After(900, [ !Body(~this, \"fixed\", true), !Impulse(~this, vec(5000, 0, 0)), !Body(~this, \"fixed\", false), !Impulse(~this, vec(4, 0, 0)) ]) ]())";
    let mut scene = scene(&[("a.thing", thing)], "{ object \"a.thing\", position vec(0, 0, 50) }");
    let object = scene.one("a.thing");
    scene.run(18);
    assert!(vector(&scene, object, VELOCITY).length() > 3.0);
    scene.run(10);
    let place = vector(&scene, object, POSITION);
    assert_eq!(vector(&scene, object, VELOCITY), Vec3::ZERO);
    scene.run(30);
    assert_eq!((vector(&scene, object, POSITION), vector(&scene, object, VELOCITY)), (place, Vec3::ZERO));
    scene.run(25);
    let (now, velocity) = (vector(&scene, object, POSITION), vector(&scene, object, VELOCITY));
    assert_eq!((now.x, now.y, velocity.x, velocity.y), (place.x, place.y, 0.0, 0.0), "it only falls");
    assert!(velocity.z < -1.0 && velocity.z > -3.0, "{velocity:?}");
    let body = scene.rules.parts.body_of(&scene.world, object).expect("a body");
    assert_eq!(scene.rules.parts.physics.parts.bodies.get(&scene.world, body).angular_velocity, Vec3::ZERO);
    scene.run(12);
    let velocity = vector(&scene, object, VELOCITY);
    assert!((velocity.x - 2.0).abs() < 1e-5 && velocity.z > -1.0, "fixed and freed within a cycle: {velocity:?}");
    assert_eq!(scene.conditions(), []);
}

#[test]
fn a_body_fixed_by_its_tag_has_no_velocity() {
    let wall = |fixed: bool| {
        format!("@thing\n!set body {{ shape \"box\", fixed {fixed}, gravity 0 }}\n!set velocity vec(1, 0, 0)")
    };
    let mut scene = scene(&[("a.thing", &wall(true))], "{ object \"a.thing\" }");
    scene.run(5);
    let object = scene.one("a.thing");
    assert_eq!((vector(&scene, object, POSITION), vector(&scene, object, VELOCITY)), (Vec3::ZERO, Vec3::ZERO));
    scene.change(&[("a.thing", &wall(false))]);
    scene.run(5);
    assert_eq!(vector(&scene, object, VELOCITY), Vec3::ZERO, "it starts from rest");
}

#[test]
fn contact_events_beyond_the_capacity_are_counted() {
    let ball =
        "@thing\n!set body { shape \"sphere\", radius 0.5, gravity 0 }\n!set OnCollide Lambda(who, !set n n + 1)";
    let crowd = |count: u32| {
        let scenario = format!(
            "@scenario\n!set objects_max 64\n!set bodies_max 20\n!set contacts_max 400\n!set placements [{{ object \"ball.thing\", count {count}, spread vec(0.01, 0.01, 0.01) }}]\n"
        );
        let texts = [("ball.thing", ball), (SCENARIO, scenario.as_str())];
        let mut scene = Scene::new(&[&class("thing", STATE)], &texts);
        scene.run(2);
        let received: f64 = scene.all("ball.thing").iter().map(|ball| scene.number(*ball, "n")).sum();
        (scene.count(Condition::NoRoomForTouch), received)
    };
    // The capacity is 20 + 64 events, each of which reaches both objects.
    assert_eq!(crowd(10), (0, 90.0));
    assert_eq!(crowd(20), (190 - 84, 168.0));
}
