//! Force fields of levels and of objects, with which they move.

use crate::common;

use base::{Handle, Vec3};
use common::{SCENARIO, Scene};
use host::thread_pool::ThreadPool;
use physics::flag;
use physics::limits::FORCE_FIELDS_MAX;
use state::{Alone, Heap};
use world::object::{POSITION, VELOCITY, vector_of};
use world::{Condition, Object};

const CRATE: (&str, &str) =
    ("crate.object", "@object\n!set body { shape \"box\", half vec(0.4, 0.4, 0.4), friction 0.8 }\n");
const PLANET: (&str, &str) = (
    "planet.object",
    "@object\n!set body { shape \"sphere\", radius 10, kinematic true, friction 0.8 }
!set force_field { kind \"planet\", radius 10, strength 10 }
!set OnSpawn Lambda(nobody, !After(3000, [ !set velocity vec(-40, 0, 0) ]))\n",
);

fn scene(texts: &[(&str, &str)], physics: &str, placements: &str) -> Scene {
    let scenario = format!(
        "@scenario\n!set objects_max 512\n!set bodies_max 128\n!set physics {{ {physics} }}\n!set placements [{placements}]\n"
    );
    let mut all = texts.to_vec();
    all.push((SCENARIO, scenario.as_str()));
    Scene::new(&[], &all)
}

fn vector(scene: &Scene, object: Handle<Object>, variable: usize) -> Vec3 {
    vector_of(scene.rules.parts.objects.values(&scene.world, object)[variable], Vec3::ZERO)
}

fn is_asleep(scene: &Scene, object: Handle<Object>) -> bool {
    let parts = &scene.rules.parts;
    let body = parts.body_of(&scene.world, object).expect("it has a body");
    parts.physics.parts.bodies.get(&scene.world, body).is(flag::ASLEEP)
}

const TWO: &str = "{ object \"planet.object\" }, { object \"crate.object\", position vec(0, 0, 12) }";

#[test]
fn a_body_asleep_on_a_planet_wakes_when_the_planet_leaves() {
    let mut scene = scene(&[CRATE, PLANET], "", TWO);
    scene.run(290);
    let (crate_, planet) = (scene.one("crate.object"), scene.one("planet.object"));
    assert!(is_asleep(&scene, crate_));
    assert!((vector(&scene, crate_, POSITION).z - 10.4).abs() < 0.02);
    // The planet flies away: the crate falls after it while it is in the field.
    scene.run(200);
    assert!(!is_asleep(&scene, crate_));
    assert!(vector(&scene, crate_, VELOCITY).x < -0.5, "{:?}", vector(&scene, crate_, VELOCITY));
    let away = vector(&scene, planet, POSITION) - vector(&scene, crate_, POSITION);
    assert!(away.length() > 40.0, "{away:?}");
    assert_eq!(scene.conditions(), []);
}

#[test]
fn a_force_field_rotates_and_moves_with_its_object_and_needs_no_body() {
    // The deck of a ship that faces along y and flies up: its x axis is the world's y axis.
    let ship = "@object\n!set force_field { kind \"uniform\", half vec(4, 1, 1), acceleration vec(3, 0, 0), replaces true, drag 5 }\n";
    let placements = "{ object \"ship.object\", facing vec(0, 1, 0), velocity vec(0, 0, 10) },
        { object \"crate.object\", position vec(0, 3, 0), velocity vec(0, 0, 10) },
        { object \"crate.object\", position vec(3, 0, 0), velocity vec(0, 0, 10) }";
    let mut scene = scene(&[CRATE, ("ship.object", ship)], "gravity vec(0, 0, -10)", placements);
    scene.run(50);
    let mut found: Vec<Vec3> = scene.all("crate.object").iter().map(|one| vector(&scene, *one, VELOCITY)).collect();
    found.sort_by(|one, other| one.z.total_cmp(&other.z));
    assert!((found[0].z - 5.0).abs() < 0.2, "the crate outside is not accelerated: {found:?}");
    assert!((found[1].z - 10.0).abs() < 0.2 && found[1].y > 0.4, "the crate inside is carried along: {found:?}");
}

#[test]
fn force_fields_beyond_the_capacity_are_left_out_and_counted() {
    let many = "@object\n!set force_field { kind \"uniform\", acceleration vec(0, 0, 1) }\n";
    let placements = "{ object \"many.object\", count 100 }, { object \"crate.object\" }";
    let level = "fields [{ kind \"uniform\", acceleration vec(1, 0, 0) }]";
    let mut scene = scene(&[CRATE, ("many.object", many)], level, placements);
    scene.run(100);
    assert!(scene.conditions().iter().all(|condition| *condition == Condition::FieldsLeftOut));
    let counts = scene.rules.parts.counts.get(&scene.world);
    assert!(counts.fields_left_out >= 37, "{}", counts.fields_left_out);
    let velocity = vector(&scene, scene.one("crate.object"), VELOCITY);
    assert!(
        (velocity.x - 1.0).abs() < 0.05 && (velocity.z - (FORCE_FIELDS_MAX as f32 - 1.0)).abs() < 1.5,
        "{velocity:?}"
    );
}

#[test]
fn results_depend_neither_on_workers_nor_on_restoring() {
    let moon = "@object\n!set body { shape \"sphere\", radius 1, mass 1000 }
!set force_field { kind \"planet\", radius 1, strength 2, influence_radius 8, drag 0.1 }\n";
    let placements = format!(
        "{TWO}, {{ object \"moon.object\", position vec(20, 0, 0), velocity vec(0, 7, 0) }},
        {{ object \"crate.object\", position vec(0, 0, -14), count 20, spread vec(6, 6, 1) }}"
    );
    let make = || scene(&[CRATE, PLANET, ("moon.object", moon)], "", &placements);
    let (mut one, mut many) = (make(), make());
    let crew = ThreadPool::new(4).with_shuffle(7);
    for cycle in 0..200 {
        if cycle % 20 == 7 {
            let copy = one.world.snapshot(&Heap);
            many = make();
            many.world.restore(&copy);
        }
        one.run_with(1, &Alone);
        many.run_with(1, &crew);
        assert_eq!(one.world.hash(), many.world.hash(), "{cycle}");
    }
}
