//! Dropped things come to rest by the friction curve of their tag.

use crate::common;

use base::{Handle, Vec3};
use common::{SCENARIO, Scene, class};
use host::thread_pool::ThreadPool;
use physics::{Body, flag};
use world::Object;

const CURVE: &str = ", settling { slope 25, curve [{ seconds 0, friction 0.02 }, { seconds 1, friction 0.1 }, { seconds 3, friction 1 }] }";

/// A ball or a box on a plane that falls along x by this many degrees.
fn scene(shape: &str, settling: &str, degrees: f32, speed: f32) -> Scene {
    let (sine, cosine) = base::number::sin_cos(degrees.to_radians());
    let level = format!(
        "@scenario\n!set objects_max 64\n!set bodies_max 16\n!set physics {{ gravity vec(0, 0, -10) }}
!set placements [{{ object \"ground.thing\", facing vec({cosine}, 0, {}) }},
{{ object \"a.thing\", position vec({}, 0, {}), facing vec({cosine}, 0, {}), velocity vec({}, 0, {}) }}]\n",
        -sine,
        sine * 0.5,
        cosine * 0.5,
        -sine,
        speed * cosine,
        -speed * sine
    );
    let ground = "@thing\n!set body { shape \"box\", half vec(2000, 20, 1), fixed true }\n!set OnSpawn Lambda(!set position facing * 0)\n";
    // The upper side of the ground goes through the origin.
    let ground = ground.replace("facing * 0", &format!("vec({}, 0, {})", -sine, -cosine));
    let tag = format!("@thing\n!set body {{ {shape}, friction 0.5{settling} }}\n");
    Scene::new(&[&class("thing", "")], &[(SCENARIO, &level), ("ground.thing", &ground), ("a.thing", &tag)])
}

fn body(scene: &Scene) -> physics::Body {
    let body = scene.rules.parts.body_of(&scene.world, scene.one("a.thing")).expect("a body");
    *scene.rules.parts.physics.parts.bodies.get(&scene.world, body)
}

const BALL: &str = "shape \"sphere\", radius 0.5";

#[test]
fn a_ball_on_a_gentle_slope_comes_to_rest_and_sleeps() {
    for (degrees, speed) in [(0.0, 3.0), (5.0, 1.0), (10.0, 2.0)] {
        let mut without = scene(BALL, "", degrees, speed);
        without.run(600);
        assert!(body(&without).velocity.length() > 1.0, "{degrees}: without a curve it rolls on");
        let mut with = scene(BALL, CURVE, degrees, speed);
        with.run(50);
        assert!(body(&with).velocity.length() > 0.5, "{degrees}: the friction is low in the first second");
        with.run(400);
        let rests = body(&with);
        assert!(rests.is(flag::ASLEEP), "{degrees}: {:?} {:?}", rests.velocity, rests.angular_velocity);
        assert_eq!(with.conditions(), []);
    }
}

#[test]
fn steep_slopes_are_left_at_full_speed() {
    let run = |settling: &str| {
        let mut scene = scene(BALL, settling, 35.0, 0.0);
        scene.run(300);
        body(&scene)
    };
    assert_eq!(run("").position, run(CURVE).position, "not a bit of friction");
    assert!(run(CURVE).velocity.length() > 10.0);
}

#[test]
fn what_is_hit_after_it_came_to_rest_rolls_again() {
    let mut scene = scene(BALL, CURVE, 0.0, 1.0);
    scene.run(450);
    assert!(body(&scene).is(flag::ASLEEP));
    let ball = scene.one("a.thing");
    change(&mut scene, ball, |body| body.add_impulse(Vec3::new(2000.0, 0.0, 0.0)));
    scene.run(50);
    assert!(body(&scene).velocity.x > 1.0, "{:?}", body(&scene).velocity);
    scene.run(450);
    assert!(body(&scene).is(flag::ASLEEP));
}

/// A flat ground, and these things on it, whose tags are `a.thing` and so on.
fn things(tags: &[&str], placements: &str) -> Scene {
    let level = format!(
        "@scenario\n!set objects_max 64\n!set bodies_max 32\n!set physics {{ gravity vec(0, 0, -10) }}
!set placements [{{ object \"ground.thing\" }}, {placements}]\n"
    );
    let ground = "@thing\n!set body { shape \"box\", half vec(2000, 2000, 1), fixed true }\n!set OnSpawn Lambda(!set position vec(0, 0, -1))\n";
    let mut texts = vec![(SCENARIO.to_string(), level), ("ground.thing".into(), ground.into())];
    texts.extend(tags.iter().zip('a'..).map(|(tag, name)| (format!("{name}.thing"), format!("@thing\n{tag}\n"))));
    let texts: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    Scene::new(&[&class("thing", "")], &texts)
}

fn handle_of(scene: &Scene, object: Handle<Object>) -> Handle<Body> {
    scene.rules.parts.body_of(&scene.world, object).expect("a body")
}

/// Changes a body between two cycles as an effect of a script would.
fn change(scene: &mut Scene, object: Handle<Object>, change: impl FnOnce(&mut Body)) {
    let at = handle_of(scene, object);
    let (parts, world) = (&scene.rules.parts, &mut scene.world);
    world.set_up(|world| {
        let mut body = parts.physics.parts.bodies.get_mut(world, at);
        change(&mut body);
        let velocity = body.velocity;
        drop(body);
        parts.objects.edit_both(world, object, |object, values| {
            object.velocity = velocity;
            values[world::object::VELOCITY] = script::value::Value::vector(velocity);
        });
    });
}

/// A ball that stands on the ground for as long as its curve lasts, and longer, but never sleeps.
fn settled(others: &[&str], placements: &str) -> Scene {
    let ball = format!("!set body {{ {BALL}, mass 2, friction 0.5, never_sleeps true{CURVE} }}");
    let mut tags = vec![ball.as_str()];
    tags.extend_from_slice(others);
    let mut scene = things(&tags, &format!("{{ object \"a.thing\", position vec(0, 0, 0.5) }}{placements}"));
    scene.run(400);
    assert!(body(&scene).velocity.length() < 0.01 && !body(&scene).is(flag::ASLEEP), "{:?}", body(&scene));
    scene
}

#[test]
fn what_is_hit_before_it_sleeps_rolls_on() {
    let other = format!("!set body {{ {BALL}, mass 2, friction 0, gravity 0 }}");
    let mut scene = settled(&[&other], ", { object \"b.thing\", position vec(-13, 0, 0.5), velocity vec(2, 0, 0) }");
    scene.run(300);
    // Restitution 0 and equal masses: both would have 1 m/s, a little less while the first one begins to roll.
    let hit = body(&scene);
    assert!(hit.velocity.x > 0.3 && hit.position.x > 0.5, "{:?} at {:?}", hit.velocity, hit.position);
    assert_eq!(scene.conditions(), []);
}

#[test]
fn what_is_thrown_again_is_not_stopped_where_it_lands() {
    let mut scene = settled(&[], "");
    let ball = scene.one("a.thing");
    change(&mut scene, ball, |body| body.velocity = Vec3::new(3.0, 0.0, 2.0));
    scene.run(60);
    let (low, there) = (body(&scene).position.z, body(&scene).velocity);
    assert!(low < 0.51 && there.x > 1.5, "it has landed and rolls: {there:?} at a height of {low}");
    // And after its curve it stands again.
    scene.run(500);
    assert!(body(&scene).velocity.length() < 0.01, "{:?}", body(&scene).velocity);
}

#[test]
fn what_neighbours_keep_awake_can_be_pushed_on() {
    let neighbour = format!("!set body {{ {BALL}, mass 2, friction 0.5, never_sleeps true }}");
    let mut scene = settled(&[&neighbour], ", { object \"b.thing\", position vec(0, 1, 0.5) }");
    let ball = scene.one("a.thing");
    change(&mut scene, ball, |body| body.add_impulse(Vec3::new(4.0, 0.0, 0.0)));
    scene.run(50);
    assert!(body(&scene).velocity.x > 1.0, "{:?}", body(&scene).velocity);
    scene.run(500);
    assert!(body(&scene).velocity.length() < 0.01, "{:?}", body(&scene).velocity);
}

#[test]
fn a_settled_body_is_held_by_no_more_than_the_friction_of_its_curve() {
    // Its last friction is 1, so its 2 kg are held against 20 N; a ball that already rolls loses 10 m/s in a second, as 28 N would take.
    for (force, moves) in [(15.0, false), (45.0, true)] {
        let mut scene = settled(&[], "");
        let ball = scene.one("a.thing");
        for _ in 0..30 {
            change(&mut scene, ball, |body| body.add_force(Vec3::new(force, 0.0, 0.0)));
            scene.run(1);
        }
        let found = body(&scene).velocity.x;
        assert!(if moves { found > 0.5 } else { found < 0.01 }, "{force} N: {found} m/s");
    }
}

#[test]
fn a_ball_that_was_settled_leaves_its_slot_without_a_trace() {
    let mut scene = settled(&[], "");
    let slot = usize::from(handle_of(&scene, scene.one("a.thing")).slot());
    let seconds = |scene: &Scene| scene.rules.parts.settling.get(&scene.world)[slot].seconds;
    assert!(seconds(&scene) > 3.0);
    scene.change(&[("a.thing", &format!("@thing\n!set body {{ {BALL}, mass 2 }}\n"))]);
    scene.run(2);
    assert_eq!(seconds(&scene), 0.0);
}

/// A corpse: a trunk of 40 kg with two limbs of 8 kg at cone joints, on its back.
fn corpse(settling: &str, speed: f32) -> Scene {
    let trunk = format!(
        "!set storage 96\n!set body {{ shape \"capsule\", radius 0.15, length 0.4, mass 40, friction 0.0002{settling} }}
!set OnSpawn Lambda([ grow(vec(0, 0, 0.6), vec(0, 0, 0.37))(), grow(vec(0, 0, -0.6), vec(0, 0, -0.37))() ])
!set grow Lambda(place, joint, [ !Spawn(\"b.thing\", {{ position position + place, velocity velocity }}, Lambda(part,
    !Connect(~this, part, \"cone\", {{ at position + joint, axis joint, swing 1, twist 0.4 }}))) ])"
    );
    let limb = format!("!set body {{ shape \"capsule\", radius 0.08, length 0.3, mass 8, friction 0.0002{settling} }}");
    let place = format!("{{ object \"a.thing\", position vec(0, 0, 1.2), velocity vec({speed}, 0.5, 0) }}");
    things(&[&trunk, &limb], &place)
}

#[test]
fn a_corpse_comes_to_rest_and_can_be_kicked_on() {
    let mut without = corpse("", 4.0);
    without.run(600);
    assert!(body(&without).velocity.length() > 1.0, "without a curve it slides on: {:?}", body(&without).velocity);
    let mut with = corpse(CURVE, 4.0);
    with.run(900);
    let parts: Vec<Handle<Object>> = with.all("a.thing").into_iter().chain(with.all("b.thing")).collect();
    assert_eq!(parts.len(), 3);
    let of = |scene: &Scene, object: Handle<Object>| {
        *scene.rules.parts.physics.parts.bodies.get(&scene.world, handle_of(scene, object))
    };
    assert!(
        parts.iter().all(|part| of(&with, *part).is(flag::ASLEEP)),
        "{:?}",
        parts.iter().map(|part| of(&with, *part).velocity).collect::<Vec<_>>()
    );
    // Each limb still hangs at the end of the trunk.
    let is_whole = |scene: &Scene| {
        parts[1..].iter().zip([1.0, -1.0]).all(|(limb, side)| {
            let end = |object, length: f32| {
                let body = of(scene, object);
                body.position + body.rotation.rotate(Vec3::new(0.0, 0.0, length))
            };
            (end(parts[0], side * 0.37) - end(*limb, side * -0.23)).length() < 0.01
        })
    };
    assert!(is_whole(&with));
    // Kicked twice: asleep, and again before it sleeps.
    for wait in [0, 30] {
        let before = of(&with, parts[0]).position;
        change(&mut with, parts[1], |limb| limb.add_impulse(Vec3::new(120.0, 0.0, 0.0)));
        with.run(60);
        let way = (of(&with, parts[0]).position - before).length();
        assert!(way > 0.3, "after {wait} cycles: {way} m");
        assert!(is_whole(&with));
        with.run(400);
        let speeds: Vec<f32> = parts.iter().map(|part| of(&with, *part).velocity.length()).collect();
        assert!(speeds.iter().all(|speed| *speed < 0.05), "{speeds:?} m/s");
        change(&mut with, parts[0], Body::wake);
        with.run(wait);
    }
    assert_eq!(with.conditions(), []);
}

#[test]
fn it_is_the_same_with_any_number_of_workers() {
    let hash = |workers: u32| {
        let mut scene = scene("shape \"cylinder\", radius 0.5, length 1", CURVE, 12.0, 3.0);
        let pool = ThreadPool::new(workers);
        scene.run_with(200, &pool);
        scene.world.hash()
    };
    assert_eq!(hash(1), hash(3));
}
