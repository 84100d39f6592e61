//! Dropped things come to rest by the friction curve of their tag.

use crate::common;

use base::Vec3;
use common::{SCENARIO, Scene, class};
use host::thread_pool::ThreadPool;
use physics::flag;

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
    let handle = scene.one("a.thing");
    let at = scene.rules.parts.body_of(&scene.world, handle).expect("a body");
    // As a push of a script would.
    scene.world.set_up(|world| {
        let mut body = scene.rules.parts.physics.parts.bodies.get_mut(world, at);
        body.add_impulse(Vec3::new(2000.0, 0.0, 0.0));
        let velocity = body.velocity;
        drop(body);
        scene.rules.parts.objects.edit_both(world, handle, |object, values| {
            object.velocity = velocity;
            values[world::object::VELOCITY] = script::value::Value::vector(velocity);
        });
    });
    scene.run(50);
    assert!(body(&scene).velocity.x > 1.0, "{:?}", body(&scene).velocity);
    scene.run(450);
    assert!(body(&scene).is(flag::ASLEEP));
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
