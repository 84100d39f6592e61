//! Joints between the bodies of objects.

use crate::common;

use base::{Handle, Vec3};
use common::{SCENARIO, Scene, cases, class};
use host::thread_pool::ThreadPool;
use proptest::prelude::*;
use world::joint_request::{KINDS, NUMBERS, VECTORS};
use world::object::{POSITION, VELOCITY, handle_of, vector_of};
use world::query::Joints;
use world::{Condition, LEVEL, Object};

const STATE: &str = "{ name \"n\", type \"number\", state true, default 0 }, { name \"other\", type \"handle\", state true }, { name \"place\", type \"vector\", state true }";

const GROUND: &str = "@thing\n!set body { shape \"box\", half vec(200, 200, 1), fixed true }\n";

const ON_GROUND: &str = "{ object \"ground.thing\", position vec(0, 0, -1) }";

fn scene_with(settings: &str, texts: &[(&str, &str)], placements: &str) -> Scene {
    let scenario = format!(
        "@scenario\n!set objects_max 64\n!set messages_max 64\n!set bodies_max 32\n{settings}\n!set physics {{ gravity vec(0, 0, -10) }}\n!set placements [{placements}]\n"
    );
    let mut all = vec![("ground.thing", GROUND), (SCENARIO, scenario.as_str())];
    all.extend_from_slice(texts);
    Scene::new(&[&class("thing", STATE)], &all)
}

fn scene(texts: &[(&str, &str)], placements: &str) -> Scene {
    scene_with("", texts, placements)
}

fn vector(scene: &Scene, object: Handle<Object>, variable: usize) -> Vec3 {
    vector_of(scene.rules.parts.objects.values(&scene.world, object)[variable], Vec3::ZERO)
}

fn place(scene: &Scene, path: &str) -> Vec3 {
    vector(scene, scene.one(path), POSITION)
}

fn facing(scene: &Scene, path: &str) -> Vec3 {
    scene.rules.parts.objects.get(&scene.world, scene.one(path)).orientation.rotate(Vec3::X)
}

fn joints(scene: &Scene) -> u32 {
    scene.rules.parts.physics.parts.joints.count(&scene.world)
}

#[track_caller]
fn assert_near(one: f32, other: f32, off: f32) {
    assert!((one - other).abs() <= off, "{one} is not {other}");
}

const HULL: &str = "@thing\n!set body { shape \"box\", half vec(2, 1, 0.5), mass 500 }
!set OnSpawn Lambda(z, !Spawn(\"gun.thing\", { position position + vec(0, 0, 1) }, Lambda(gun, [
    !set other gun,
    !Connect(~this, gun, \"hinge\", { axis vec(0, 0, 1), speed 3, force 500, target 0 }) ]())))
!set OnAim Lambda(angle, !Steer(~this, other, angle))
!set OnTurn Lambda(speed, !Drive(other, ~this, speed))";
const GUN: &str = "@thing\n!set body { shape \"box\", half vec(1, 0.2, 0.2), mass 20 }";

fn turret() -> Scene {
    let boss = "@thing\n!set OnSpawn Lambda(z, [ !After(500, [ !Send(hull(), \"aim\", 1.2) ]), !After(1500, [ !Send(hull(), \"turn\", -2) ]) ]())
!set hull Lambda(nearest_object(position, 1000, { class \"thing\", except [~this, ~level] }))";
    let placements = format!(
        "{ON_GROUND}, {{ object \"boss.thing\", position vec(0, 0, 0.6) }}, {{ object \"hull.thing\", position vec(0, 0, 0.5) }}"
    );
    scene(&[("boss.thing", boss), ("hull.thing", HULL), ("gun.thing", GUN)], &placements)
}

#[test]
fn a_turret_on_a_hull_aims_and_turns() {
    let mut scene = turret();
    scene.run(45);
    assert_eq!(joints(&scene), 1, "{:?}", scene.conditions());
    assert_near(facing(&scene, "gun.thing").x, 1.0, 0.01);
    scene.run(95);
    let aimed = facing(&scene, "gun.thing");
    assert_near(aimed.x, base::number::cos(1.2), 0.02);
    assert_near(aimed.y, base::number::sin(1.2), 0.02);
    assert_near(place(&scene, "gun.thing").z - place(&scene, "hull.thing").z, 1.0, 0.01);
    scene.run(60);
    let joint = *scene.rules.parts.physics.parts.joints.iterate(&scene.world).next().expect("a joint").1;
    assert_near(joint.speed, -2.0, 0.05);
    assert_eq!(scene.conditions(), []);
}

#[test]
fn scripts_read_their_joints() {
    let hull = "@thing\n!set body { shape \"box\", half vec(2, 1, 0.5), mass 500, gravity 0 }\n!set joint nothing\n!set angle 0\n!set gone false
!set OnSpawn Lambda(z, !Spawn(\"gun.thing\", { position position + vec(0, 0, 1) }, Lambda(gun, [
    !set other gun,
    !Connect(~this, gun, \"rope\"),
    !Connect(~this, gun, \"hinge\", { axis vec(0, 0, 1), speed 3, force 500, target 1.2 }) ]())))
!set OnUpdate Lambda(s, [ !set angle joint_between(other, ~this).way, !set joint joint_between(~this, other), !set n count(joints_of(~this)),
    !set place if joint = nothing then place else vec(joint.way, joint.speed, joint.force), !set gone is_living(other) and joint = nothing ]())
!set OnCut Lambda(z, !Disconnect(~this, other))";
    let gun = "@thing\n!set body { shape \"box\", half vec(1, 0.2, 0.2), mass 20, gravity 0 }
!set OnSpawn Lambda(z, !After(2000, [ !Send(joints_of(~this)[0].object, \"cut\", 0) ]))";
    let mut scene = scene(&[("hull.thing", hull), ("gun.thing", gun)], "{ object \"hull.thing\" }");
    scene.run(30);
    let hull = scene.one("hull.thing");
    let read = |scene: &Scene| scene.get(hull, "place").as_vector().expect("the script stored a vector");
    assert_near(read(&scene).y, 3.0, 0.2);
    assert!(read(&scene).x > 0.2 && read(&scene).x < 1.2, "{:?}", read(&scene));
    assert_eq!(scene.number(hull, "n"), 2.0, "the rope and the hinge");
    scene.run(100);
    assert_near(read(&scene).x, 1.2, 0.02);
    assert_near(read(&scene).y, 0.0, 0.02);
    assert_eq!(scene.number(hull, "angle") as f32, read(&scene).x, "either order of the objects");
    assert_eq!(scene.get(hull, "gone"), script::value::Value::FALSE);
    scene.run(80);
    assert_eq!((scene.number(hull, "n"), scene.get(hull, "gone")), (0.0, script::value::Value::TRUE));
    assert_eq!(scene.conditions(), []);
}

#[test]
fn joints_of_others_cost_nothing() {
    let pair = "@thing\n!set body { shape \"sphere\", radius 0.1, gravity 0 }
!set OnSpawn Lambda(z, !Connect(~this, ~level, \"ball\"))";
    let cost = |count: u32| {
        let mut scene =
            scene(&[("pair.thing", pair)], &format!("{{ object \"pair.thing\", count {count}, spread vec(9, 9, 9) }}"));
        scene.run(5);
        assert_eq!(joints(&scene), count);
        let of = scene.all("pair.thing")[0].cast();
        let sight = scene.rules.sight(&scene.world);
        let asked = |of, other| sight.joint(&Joints { of, other, from: 0 }, 1000).cost;
        let level = LEVEL.cast();
        [asked(of, None), asked(of, Some(level)), asked(level, Some(of))]
    };
    assert_eq!((cost(1), cost(12)), ([2; 3], [2; 3]));
}

#[test]
fn a_joint_reports_its_load_before_it_breaks() {
    // It hangs from the world; the force on it grows by 10 N per cycle, besides its weight of 20 N.
    let load = "@thing\n!set body { shape \"sphere\", mass 2 }\n!set pull 0\n!set strain 0\n!set worst 0
!set OnSpawn Lambda(z, !Connect(~level, ~this, \"fixed\", { break_force 1000 }))
!set OnUpdate Lambda(s, [ !set pull pull + 10, !Force(~this, vec(0, 0, 0 - pull)), !set strain joint_between(~this, ~level).strain,
    !set n joint_between(~level, ~this).force, !set worst if strain <> nothing then strain else worst ]())
!set OnBreak Lambda(who, !set other who)";
    let mut scene = scene(&[("load.thing", load)], "{ object \"load.thing\", position vec(0, 0, 9) }");
    scene.run(52);
    let load = scene.one("load.thing");
    let (pull, force) = (scene.number(load, "pull") as f32, scene.number(load, "n") as f32);
    assert_near(force, pull + 20.0 - 20.0, 25.0);
    assert_near(scene.number(load, "strain") as f32, force / 1000.0, 1e-5);
    assert_eq!(handle_of(scene.get(load, "other")), Handle::NONE);
    scene.run(60);
    assert_eq!(handle_of(scene.get(load, "other")), LEVEL, "it broke");
    let worst = scene.number(load, "worst");
    assert!(worst > 0.95 && worst <= 1.0, "{worst}");
    assert_eq!(scene.get(load, "strain"), script::value::Value::NOTHING);
    assert_eq!(scene.conditions(), []);
}

#[test]
fn a_door_swings_within_its_limits() {
    let door = "@thing\n!set body { shape \"box\", half vec(0.5, 0.05, 1), mass 20, gravity 0 }
!set OnSpawn Lambda(z, [ !Connect(~level, ~this, \"hinge\", { at position - vec(0.5, 0, 0), lower 0, upper 1 }), !Impulse(~this, vec(0, 60, 0)) ]())
!set OnPush Lambda(z, !Impulse(~this, vec(0, -200, 0)))";
    let pusher = "@thing\n!set OnSpawn Lambda(z, !After(600, [ !Send(nearest_object(position, 50, { class \"thing\", except ~this }), \"push\", 0) ]))";
    let placements =
        "{ object \"door.thing\", position vec(0.5, 0, 1) }, { object \"pusher.thing\", position vec(0.5, 0.2, 1) }";
    let mut scene = scene(&[("door.thing", door), ("pusher.thing", pusher)], placements);
    let (mut least, mut most): (f32, f32) = (0.0, 0.0);
    for _ in 0..150 {
        scene.run(1);
        let at = place(&scene, "door.thing");
        assert_near(at.length_squared(), 1.25, 0.02);
        let angle = base::number::atan2(at.y, at.x);
        (least, most) = (base::number::min(least, angle), base::number::max(most, angle));
    }
    assert_near(most, 1.0, 0.06);
    assert_near(least, 0.0, 0.06);
    assert_eq!(scene.conditions(), []);
}

const HEAD: &str = "@thing\n!set body { shape \"sphere\", radius 0.2, mass 4 }
!set OnSpawn Lambda(z, !Spawn(\"chest.thing\", { position position - vec(0, 0, 0.6) }, Lambda(made,
    !Connect(made, ~this, \"cone\", { at position - vec(0, 0, 0.25), swing 0.6, twist 0.5 }))))";
const CHEST: &str = "@thing\n!set body { shape \"sphere\", radius 0.35, mass 20 }
!set OnSpawn Lambda(z, !Spawn(\"leg.thing\", { position position - vec(0, 0, 0.6) }, Lambda(made,
    !Connect(~this, made, \"ball\", { at position - vec(0, 0, 0.35) }))))";
const LEG: &str = "@thing\n!set body { shape \"sphere\", radius 0.2, mass 8 }\n!set OnSpawn Lambda(z, !Impulse(~this, vec(20, 5, 0)))";

fn ragdoll() -> Scene {
    let placements = format!("{ON_GROUND}, {{ object \"head.thing\", position vec(0, 0, 3) }}");
    scene(&[("head.thing", HEAD), ("chest.thing", CHEST), ("leg.thing", LEG)], &placements)
}

#[test]
fn a_ragdoll_falls_and_stays_in_one_piece() {
    let mut scene = ragdoll();
    scene.run(8);
    for _ in 0..25 {
        scene.run(12);
        let [head, chest, leg] = ["head.thing", "chest.thing", "leg.thing"].map(|path| place(&scene, path));
        // A neck of 0.35 and 0.25, bent by at most 0.6; a hip of 0.35 and 0.25 without a limit.
        let neck = head.distance(chest);
        assert!(neck > 0.55 && neck < 0.61, "{neck}");
        assert!(chest.distance(leg) < 0.61);
    }
    assert_eq!(joints(&scene), 2);
    assert!(place(&scene, "chest.thing").z < 0.6, "it lies");
    assert!(vector(&scene, scene.one("chest.thing"), VELOCITY).length() < 1.0);
    assert_eq!(scene.conditions(), []);
}

const CAR: &str = "@thing\n!set body { shape \"box\", half vec(1.5, 0.7, 0.3), mass 800 }
!set OnSpawn Lambda(z, [ !Log(0), wheel(1, 0.9), wheel(1, -0.9), wheel(-1, 0.9), wheel(-1, -0.9) ]())
!set wheel Lambda(x, y, !Spawn(\"wheel.thing\", { position position + vec(x, y, -0.4) }, Lambda(made, [
    !Connect(~this, made, \"wheel\", { lower -0.2, upper 0.2 }),
    !Send(made, \"hull\", ~this) ]())))";
const WHEEL: &str = "@thing\n!set body { shape \"sphere\", radius 0.4, mass 15, friction 1 }
!set OnHull Lambda(hull, [ !set other hull, !set n position.x - hull.position.x, !After(300, go), !After(900, turn) ]())
!set go [ if n < 0 then !Drive(other, ~this, 15, 400) ]
!set turn [ if n > 0 then !Steer(other, ~this, 0.4) ]";

fn car() -> Scene {
    let placements = format!("{ON_GROUND}, {{ object \"car.thing\", position vec(0, 0, 0.85) }}");
    scene(&[("car.thing", CAR), ("wheel.thing", WHEEL)], &placements)
}

#[test]
fn a_car_stands_drives_and_is_steered() {
    let mut scene = car();
    scene.run(28);
    assert_eq!(joints(&scene), 4, "{:?}", scene.conditions());
    let start = place(&scene, "car.thing");
    assert!(start.z > 0.6 && start.length_squared() < 1.0, "{start:?}");
    scene.run(62);
    let straight = place(&scene, "car.thing");
    // Two motors of 400 N m at wheels of 0.4 m push 860 kg for 0.57 s.
    assert_near(straight.x, 0.38, 0.03);
    assert_near(straight.y, 0.0, 0.01);
    scene.run(110);
    let turned = facing(&scene, "car.thing");
    assert!(turned.y > 0.3 && turned.z.abs() < 0.1, "{turned:?} {:?}", place(&scene, "car.thing"));
    assert_eq!((joints(&scene), scene.conditions()), (4, vec![]));
}

#[test]
fn a_broken_joint_is_reported_to_both_objects() {
    let top = "@thing\n!set body { shape \"sphere\", fixed true }
!set OnSpawn Lambda(z, !Spawn(\"weight.thing\", { position position - vec(0, 0, 2) }, Lambda(made, !Connect(~this, made, \"ball\", { at position, break_force 80 }))))
!set OnBreak Lambda(who, where, [ !set n n + 1, !set other who, !set place where ]())";
    for (mass, breaks) in [(7, 0.0), (9, 1.0)] {
        let weight = format!(
            "@thing\n!set body {{ shape \"sphere\", mass {mass} }}\n!set OnBreak Lambda(who, [ !set n n + 1, !set other who ]())"
        );
        let mut scene =
            scene(&[("top.thing", top), ("weight.thing", &weight)], "{ object \"top.thing\", position vec(0, 0, 9) }");
        scene.run(60);
        let (top, weight) = (scene.one("top.thing"), scene.one("weight.thing"));
        for (to, other) in [(top, weight), (weight, top)] {
            assert_eq!(scene.number(to, "n"), breaks, "{mass}");
            let reported = handle_of(scene.get(to, "other"));
            assert_eq!(reported, if breaks > 0.0 { other } else { Handle::NONE });
        }
        if breaks > 0.0 {
            let place = scene.get(top, "place").as_vector().expect("where it broke");
            assert!(place.distance(Vec3::new(0.0, 0.0, 9.0)) < 0.1, "{place:?}");
        }
    }
}

#[test]
fn a_broken_joint_to_the_world_is_reported_with_the_level() {
    let lamp = "@thing\n!set body { shape \"sphere\", mass 9 }
!set OnSpawn Lambda(z, !Connect(~this, ~level, \"fixed\", { at position, break_force 80 }))
!set OnBreak Lambda(who, [ !set n n + 1, !set other who ]())";
    let mut scene = scene(&[("lamp.thing", lamp)], "{ object \"lamp.thing\", position vec(0, 0, 9) }");
    scene.run(30);
    let lamp = scene.one("lamp.thing");
    assert_eq!((scene.number(lamp, "n"), handle_of(scene.get(lamp, "other"))), (1.0, LEVEL));
    assert_eq!((joints(&scene), scene.conditions()), (0, vec![]));
}

/// Two balls in empty space. The first runs `first` soon after it was spawned, and `then` later.
fn two(first: &str, then: &str) -> Scene {
    two_with("", first, then)
}

fn two_with(settings: &str, first: &str, then: &str) -> Scene {
    let one = format!(
        "@thing\n!set body {{ shape \"sphere\", gravity 0 }}\n!set n 0
!set OnSpawn Lambda(z, [ !set other nearest_object(position, 50, {{ class \"thing\", except ~this }}), !After(20, [ {first} ]), !After(100, [ {then} ]) ]())
!set OnBreak Lambda(who, !set n n + 1)"
    );
    let other = "@thing\n!set body { shape \"sphere\", gravity 0 }\n!set OnBreak Lambda(who, [ !set n n + 1, !set other who ]())";
    let placements =
        "{ object \"one.thing\", position vec(0, 0, 5) }, { object \"other.thing\", position vec(3, 0, 5) }";
    let texts = [("one.thing", one.as_str()), ("other.thing", other), ("bare.thing", "@thing\n")];
    let mut scene = scene_with(settings, &texts, placements);
    scene.run(8);
    scene
}

#[test]
fn invalid_requests_are_warned_of_and_harmless() {
    use Condition::{NoBody, NoSuchEffect, NoSuchJoint, NoSuchObject, NotFinite};
    let check = |text: &str, expected: &[Condition], count: u32| {
        let scene = two(text, "!Log(0)");
        assert_eq!((scene.conditions().as_slice(), joints(&scene)), (expected, count), "{text}");
    };
    check("!Connect(~this, other, \"fixed\")", &[], 1);
    check("!Connect(~this, other, \"fixed\", {})", &[], 1);
    check("let kind = \"glue\" in !Connect(~this, other, kind)", &[NoSuchEffect], 0);
    check("let how = { axes vec(0, 0, 1) } in !Connect(~this, other, \"hinge\", how)", &[NoSuchEffect], 1);
    check("!Connect(~this, other, \"hinge\", { axis 1, at true })", &[NoSuchEffect], 1);
    check("!Connect(~this, other, \"hinge\", { axis vec(0, 0, 0), lower 2, upper -2 })", &[], 1);
    check("!Connect(~this, other, \"hinge\", { least nothing, at nothing })", &[], 1);
    check("!Connect(~this, other, \"slider\", { upper 1e308 * 10 })", &[NotFinite], 1);
    check("!Connect(~this, other, \"wheel\", { axis vec(0, 0, 1), up vec(0, 0, 1) })", &[], 1);
    check("!Connect(~this, other, \"spring\", { hertz 1e30, damping -5, force -7 })", &[], 1);
    check("!Connect(~this, other, \"ball\", { at vec(1e30, 0, 0) })", &[], 1);
    check("!Connect(~this, ~this, \"fixed\")", &[NoSuchEffect], 0);
    check("!Connect(~level, ~level, \"fixed\")", &[NoSuchEffect], 0);
    check("!Connect(~this, nothing, \"fixed\")", &[NoSuchObject], 0);
    check("!Connect(~this, ~level, \"fixed\"), !Disconnect(~level, ~this)", &[], 0);
    check("!Spawn(\"bare.thing\", {}, Lambda(made, !Connect(made, ~this, \"fixed\")))", &[NoBody], 0);
    check("!Drive(~this, other, 1, 1)", &[NoSuchJoint], 0);
    check("!Steer(other, ~this, 1)", &[NoSuchJoint], 0);
    check("!Disconnect(other, ~this)", &[NoSuchJoint], 0);
    check(
        "!Connect(~this, other, \"hinge\"), !Drive(~this, other, if n = 0 then \"fast\" else 1, 1)",
        &[NoSuchEffect],
        1,
    );
    check("!Connect(~this, other, \"hinge\"), !Steer(~this, other, 1e308 * 10)", &[NotFinite], 1);
}

#[test]
fn two_objects_have_one_joint_and_any_number_of_ropes() {
    let check = |text: &str, count: u32| {
        let scene = two(text, "!Log(0)");
        assert_eq!((joints(&scene), scene.conditions()), (count, vec![]), "{text}");
    };
    check("!Connect(~this, other, \"fixed\"), !Connect(other, ~this, \"hinge\")", 1);
    check("!Connect(~this, other, \"rope\"), !Connect(~this, other, \"spring\")", 2);
    check("!Connect(~this, other, \"rope\"), !Connect(~this, other, \"ball\"), !Connect(~this, ~level, \"ball\")", 3);
    check("!Connect(~this, other, \"rope\"), !Connect(~this, other, \"ball\"), !Disconnect(other, ~this)", 0);
}

#[test]
fn joints_beyond_the_capacity_are_warned_of() {
    let text = "!Connect(~this, other, \"rope\"), !Connect(~this, other, \"rope\"), !Connect(~this, other, \"rope\")";
    let scene = two_with("!set joints_max 2", text, "!Log(0)");
    assert_eq!((joints(&scene), scene.count(Condition::NoRoomForJoint)), (2, 1));
}

#[test]
fn disconnecting_sends_no_break_but_destruction_does() {
    let join = "!Connect(~this, other, \"distance\"), !Connect(~this, other, \"spring\")";
    for (then, reported) in
        [("!Disconnect(~this, other)", 0.0), ("!Destroy(~this)", 2.0), ("!Attach(~this, other)", 2.0)]
    {
        let mut scene = two(join, then);
        assert_eq!(joints(&scene), 2);
        let one = scene.one("one.thing");
        scene.run(10);
        let other = scene.one("other.thing");
        assert_eq!((joints(&scene), scene.number(other, "n")), (0, reported), "{then}");
        assert_eq!(handle_of(scene.get(other, "other")), if reported > 0.0 { one } else { Handle::NONE }, "{then}");
        assert_eq!(scene.conditions(), [], "{then}");
    }
}

#[test]
fn ropes_springs_and_lifts_keep_their_lengths() {
    let hung = |kind: &str, parameters: &str| {
        let text = format!(
            "@thing\n!set body {{ shape \"sphere\", mass 2 }}\n!set OnSpawn Lambda(z, !Connect(~level, ~this, \"{kind}\", {{ {parameters} }}))"
        );
        let mut scene = scene(&[("a.thing", &text)], "{ object \"a.thing\", position vec(0, 0, 5) }");
        scene.run(160);
        assert_eq!(scene.conditions(), [], "{kind} {parameters}");
        place(&scene, "a.thing").z
    };
    let check = |kind: &str, parameters: &str, height: f32| {
        let found = hung(kind, parameters);
        assert!((found - height).abs() < 0.03, "{kind} {parameters}: {found}, not {height}");
    };
    check("rope", "from vec(0, 0, 6), upper 2.5", 3.5);
    check("rope", "from vec(0, 0, 6)", 5.0);
    check("distance", "from vec(0, 0, 8)", 5.0);
    check("distance", "from vec(0, 0, 8), lower 1, upper 4", 4.0);
    // It sags by g / (2 pi hertz)^2.
    check("spring", "from vec(0, 0, 8), hertz 2", 5.0 - 10.0 / 157.9);
    check("spring", "from vec(0, 0, 8), hertz 2, rest 4", 4.0 - 10.0 / 157.9);
    check("slider", "force 100, speed 2, upper 1", 6.0);
    check("slider", "force 100, speed 2, target -1.5", 3.5);
    check("slider", "lower -0.5", 4.5);
    check("fixed", "", 5.0);
}

#[test]
fn joints_depend_neither_on_workers_nor_on_restoring() {
    for make in [turret as fn() -> Scene, ragdoll, car] {
        let mut reference = make();
        let (mut hashes, mut saved) = (Vec::new(), Vec::new());
        for part in 0..10 {
            if [1, 5].contains(&part) {
                saved.push((part, reference.world.bytes().to_vec()));
            }
            reference.run(11);
            hashes.push(reference.world.hash());
        }
        let mut other = make();
        let crew = ThreadPool::new(3);
        for hash in &hashes {
            other.run_with(11, &crew);
            assert_eq!(other.world.hash(), *hash);
        }
        for (part, bytes) in saved {
            let mut other = make();
            other.world.adopt(&bytes).expect("a saved world loads");
            for hash in &hashes[part..] {
                other.run(11);
                assert_eq!(other.world.hash(), *hash, "from {part}");
            }
        }
    }
}

#[test]
fn drag_of_a_joint_slows_rotation_at_its_rate() {
    let check = |kind: &str, parameters: &str, left: f32| {
        let wheel = format!(
            "@thing\n!set body {{ shape \"box\", half vec(1, 1, 0.2), mass 10, gravity 0 }}\n!set OnSpawn Lambda(z, [
    !Connect(~level, ~this, \"{kind}\", {{ axis vec(0, 0, 1), {parameters} }}),
    !Impulse(~this, vec(0, 20, 0), position + vec(1, 0, 0)) ]())"
        );
        let mut scene = scene(&[("wheel.thing", &wheel)], "{ object \"wheel.thing\" }");
        let spin = |scene: &Scene| {
            let parts = &scene.rules.parts;
            let body = parts.body_of(&scene.world, scene.one("wheel.thing")).expect("it has one");
            parts.physics.parts.bodies.get(&scene.world, body).angular_velocity.z
        };
        scene.run(10);
        let before = spin(&scene);
        assert_eq!((scene.conditions(), joints(&scene)), (vec![], 1));
        scene.run(100);
        assert_near(spin(&scene) / before, left, 0.002);
    };
    for kind in ["hinge", "ball"] {
        check(kind, "drag 0", 1.0);
        check(kind, "collides false", 1.0);
        check(kind, "drag -5", 1.0);
        check(kind, "drag 0.5", 0.6065);
        check(kind, "drag 3", 0.05);
        check(kind, "drag 1e30", 0.0);
    }
    check("cone", "drag 3, twist 3.2", 0.05);
}

/// Joint parameters as scripts may give them, valid or not.
fn call() -> impl Strategy<Value = String> {
    let names = NUMBERS.iter().chain(&VECTORS).map(|field| field.name).chain(["colour"]).collect::<Vec<&str>>();
    let value = prop_oneof![
        (-10.0f32..10.0).prop_map(|number| format!("{number:.2}")),
        prop::sample::select(vec!["1e30", "-1e30", "1e308 * 10", "0", "true", "nothing", "\"x\"", "~this", "[1, 2]"])
            .prop_map(String::from),
        [-5.0f32..5.0, -5.0..5.0, -5.0..5.0].prop_map(|[x, y, z]| format!("vec({x:.1}, {y:.1}, {z:.1})")),
        Just(String::from("vec(1e20, 1e38, 0)")),
    ];
    let fields = prop::collection::btree_map(prop::sample::select(names), value, 0..8);
    let record = fields.prop_map(|fields| {
        let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name} {value}")).collect();
        format!("{{ {} }}", fields.join(", "))
    });
    let kinds = KINDS.iter().map(|kind| kind.name).chain(["glue"]).collect::<Vec<&str>>();
    let who = || prop::sample::select(vec!["~this", "other", "~level", "nothing", "other", "~this"]);
    prop_oneof![
        4 => (who(), who(), prop::sample::select(kinds), record)
            .prop_map(|(one, other, kind, record)| format!("let how = {record}, kind = \"{kind}\" in !Connect({one}, {other}, kind, how)")),
        1 => (who(), who(), -100.0f32..100.0).prop_map(|(one, other, speed)| format!("!Drive({one}, {other}, {speed:.1}, 1e9)")),
        1 => (who(), who(), -9.0f32..9.0).prop_map(|(one, other, angle)| format!("!Steer({one}, {other}, {angle:.1})")),
        1 => (who(), who()).prop_map(|(one, other)| format!("!Disconnect({one}, {other})")),
        1 => who().prop_map(|one| format!("!Destroy({one})")),
    ]
}

proptest! {
    #![proptest_config(cases(24, 64))]

    #[test]
    fn no_joint_parameters_stop_the_world(calls in prop::collection::vec(call(), 1..6), later in prop::collection::vec(call(), 1..4)) {
        let mut scene = two_with("!set joints_max 3", &calls.join(", "), &later.join(", "));
        scene.run(25);
        for path in ["one.thing", "other.thing"] {
            for object in scene.all(path) {
                prop_assert!(vector(&scene, object, POSITION).is_finite() && vector(&scene, object, VELOCITY).is_finite());
            }
        }
        let mut other = two_with("!set joints_max 3", &calls.join(", "), &later.join(", "));
        other.run_with(25, &ThreadPool::new(2));
        prop_assert_eq!(scene.world.hash(), other.world.hash());
    }
}

#[test]
fn the_book_lists_all_kinds_and_parameters() {
    let book = include_str!("../../../docs/book/src/world.md");
    let table = |head: &str| -> Vec<String> {
        book.lines()
            .skip_while(|line| *line != head)
            .skip(2)
            .take_while(|line| line.starts_with('|'))
            .map(String::from)
            .collect()
    };
    let kinds: Vec<String> = KINDS.iter().map(|kind| format!("| `{}` | {} |", kind.name, kind.help)).collect();
    assert_eq!(table("| kind | what is left to move |"), kinds);
    let fields = VECTORS.iter().chain(&NUMBERS);
    let fields: Vec<String> = fields.map(|field| format!("| `{}` | {} |", field.name, field.help)).collect();
    assert_eq!(table("| field | what it says |"), fields);
}
