//! Shape queries of objects: sweeps, overlaps and nearest surfaces.

use crate::common;

use base::number::{max, sqrt};
use base::{Handle, Quat, Vec3};
use common::{SCENARIO, Scene, cases, class};
use physics::closest_points::closest_points;
use physics::flag;
use physics::overlap::is_overlapping;
use physics::pose::Pose;
use physics::shape::Shape;
use physics::sweep::{Motion, sweep};
use proptest::prelude::*;
use world::limits::CLOSE_COST;
use world::question::{Asked, Filter, Form, Hits, QueryHit, Question, Want};
use world::{Condition, Object};

const STATE: &str = "{ name \"n\", type \"number\", state true, default 0 }, { name \"m\", type \"number\", state true, default 0 }, { name \"other\", type \"handle\", state true }, { name \"place\", type \"vector\", state true }, { name \"across\", type \"vector\", state true }";

const THINGS: [(&str, &str); 8] = [
    ("plate.thing", "@thing\n!set body { shape \"box\", half vec(0.1, 3, 3), fixed true, layer 2 }"),
    ("gate.thing", "@thing\n!set body { shape \"box\", half vec(1, 9, 9), fixed true, trigger true }"),
    ("ball.thing", "@thing\n!set body { shape \"sphere\", radius 1, gravity 0 }"),
    ("post.thing", "@thing\n!set body { shape \"capsule\", radius 0.5, length 4, fixed true }"),
    ("wedge.thing", "@thing\n!set body { shape \"geometry\", geometry \"w.geometry\", fixed true }"),
    ("floor.thing", "@thing\n!set body { shape \"geometry\", geometry \"f.geometry\", fixed true }"),
    ("bare.thing", "@thing\n!set radius 2"),
    ("tiny.thing", "@thing\n"),
];

const SHAPES: [(&str, &str); 2] = [
    (
        "w.geometry",
        "@geometry\n!set points [vec(-2, -1, 0), vec(2, -1, 0), vec(-2, 1, 0), vec(2, 1, 0), vec(-2, -1, 2), vec(-2, 1, 2)]",
    ),
    (
        "f.geometry",
        "@geometry\n!set kind \"height_field\"\n!set columns 3\n!set spacing 40\n!set heights [0, 0, 0, 0, 3, 0, 0, 0, 0]",
    ),
];

fn scene(texts: &[(&str, &str)], placements: &str) -> Scene {
    let scenario = format!(
        "@scenario\n!set objects_max 128\n!set bodies_max 96\n!set cell_size 8\n!set placements [{placements}]\n"
    );
    let mut all = vec![(SCENARIO, scenario.as_str())];
    all.extend(THINGS.iter().chain(&SHAPES).filter(|(path, _)| !texts.iter().any(|(other, _)| other == path)));
    all.extend_from_slice(texts);
    Scene::new(&[&class("thing", STATE)], &all)
}

fn placed(things: &[(&str, Vec3, Vec3)]) -> String {
    let vector = |at: &Vec3| format!("vec({}, {}, {})", at.x, at.y, at.z);
    let place = |(name, at, facing): &(&str, Vec3, Vec3)| {
        format!("{{ object \"{name}.thing\", position {}, facing {} }}", vector(at), vector(facing))
    };
    things.iter().map(place).collect::<Vec<_>>().join(", ")
}

fn ask(scene: &Scene, question: &Question, filter: &Filter) -> (Vec<QueryHit>, Asked) {
    let mut hits = Hits::new(4096);
    let asked = scene.rules.sight(&scene.world).find(question, filter, &mut hits, u64::MAX);
    assert!(!asked.is_cut);
    (hits.as_slice().to_vec(), asked)
}

#[track_caller]
fn assert_near(one: Vec3, other: Vec3) {
    assert!(one.distance(other) < 2e-3, "{one:?} is not {other:?}");
}

const X: Vec3 = Vec3::X;

#[test]
fn a_ray_from_beyond_the_end_of_space_hits_what_is_in_it() {
    let level = "@scenario\n!set objects_max 64\n!set bodies_max 8\n!set placements [{ object \"ball.object\", position vec(5, 0, 0) }]\n";
    let ball = "@object\n!set body { shape \"sphere\", radius 1 }\n";
    let mut scene = Scene::new(&[], &[(SCENARIO, level), ("ball.object", ball)]);
    scene.run(2);
    let sight = scene.rules.sight(&scene.world);
    for far in [1e7, 1e9, 1e18, 1e30, 3e38] {
        for (from, to, expected) in [(-far, far, 1), (far, -far, 1), (far, far / 2.0, 0), (0.0, far, 1)] {
            let ray = |x: f32| Vec3::new(x, 0.0, 0.0);
            let question = Question::Ray { from: ray(from), to: ray(to), want: Want::All };
            let mut hits = Hits::new(8);
            sight.find(&question, &Filter::default(), &mut hits, u64::MAX);
            assert_eq!(hits.as_slice().len(), expected, "{from} to {to}");
        }
    }
}

#[test]
fn a_sweep_stops_at_the_first_object_in_its_path() {
    let things =
        [("gate", X * 10.0, X), ("plate", X * 20.0, X), ("bare", X * 30.0, X), ("ball", Vec3::new(40.0, 2.5, 0.0), X)];
    let mut scene = scene(&[], &placed(&things));
    scene.run(2);
    let who = |path: &str| scene.one(&format!("{path}.thing")).cast();
    let sweep = |form: Form, from: Vec3, to: Vec3, want: Want| {
        ask(&scene, &Question::Sweep { form, from, to, want }, &Filter::default()).0
    };
    let far = X * 50.0;
    let first = sweep(Form::Ball(0.5), Vec3::ZERO, far, Want::First);
    assert_eq!(first.len(), 1);
    assert_eq!(first[0].handle, who("plate"), "the gate is a trigger");
    assert!((first[0].distance - 19.4).abs() < 1e-3, "{first:?}");
    assert_near(first[0].at, X * 19.9);
    assert_near(first[0].normal, -X);
    let all = sweep(Form::Ball(2.0), Vec3::ZERO, far, Want::All);
    let names: Vec<_> = all.iter().map(|hit| hit.handle).collect();
    assert_eq!(names, [who("plate"), who("bare"), who("ball")]);
    // At contact the centres are three apart, 2.5 of it sideways.
    assert!((all[2].distance - (40.0 - f64::from(sqrt(9.0 - 6.25)))).abs() < 2e-3, "{all:?}");
    assert!(
        sweep(Form::Ball(0.5), Vec3::Z * 5.0, far + Vec3::Z * 5.0, Want::Any).is_empty(),
        "the sweep passes above all objects"
    );
    let boxed = Form::Box { half: Vec3::new(0.5, 2.0, 0.5), facing: Vec3::Y };
    assert!((sweep(boxed, Vec3::ZERO, far, Want::First)[0].distance - 17.9).abs() < 2e-3, "the capsule is rotated");
    // The ball's own shape, from its position: it hits other objects in its path, but not itself.
    let own = Form::Object(who("ball"));
    let back = sweep(own, Vec3::new(40.0, 2.5, 0.0), Vec3::new(0.0, 2.5, 0.0), Want::First);
    assert_eq!(back[0].handle, who("bare"));
    for (form, from, to) in [
        (Form::Ball(-1.0), Vec3::ZERO, far),
        (Form::Ball(f32::NAN), Vec3::ZERO, far),
        (Form::Ball(1.0), Vec3::ZERO, X * f32::INFINITY),
        (Form::Ball(1.0), X * f32::NAN, far),
        (Form::Ball(1.0), X * 20.0, X * 20.0),
        (Form::Box { half: Vec3::new(1.0, 0.0, 1.0), facing: X }, Vec3::ZERO, far),
        (Form::Capsule { radius: 1.0, length: f32::INFINITY, facing: X }, Vec3::ZERO, far),
        (Form::Object(Handle::new(99, 3)), Vec3::ZERO, far),
    ] {
        assert!(sweep(form, from, to, Want::All).is_empty(), "{form:?}");
    }
}

#[test]
fn overlaps_use_the_exact_shapes() {
    let turned = Vec3::new(1.0, 1.0, 0.0);
    let things = [
        ("plate", X * 20.0, turned),
        ("bare", X * 30.0, X),
        ("gate", X * 20.0, X),
        ("floor", Vec3::new(-40.0, 60.0, 0.0), X),
    ];
    let mut scene = scene(&[], &placed(&things));
    scene.run(2);
    let who = |path: &str| scene.one(&format!("{path}.thing")).cast();
    let overlap = |form: Form, at: Vec3, filter: Filter| {
        let hits = ask(&scene, &Question::Overlap { form, at, want: Want::All }, &filter).0;
        hits.iter().map(|hit| hit.handle).collect::<Vec<Handle<()>>>()
    };
    let all = Filter::default();
    // The plate is three wide, rotated by an eighth of a turn: its edge is at 2.1 along both axes.
    assert_eq!(overlap(Form::Ball(0.2), Vec3::new(18.0, 2.0, 0.0), all), [who("plate")]);
    assert_eq!(
        overlap(Form::Ball(0.2), Vec3::new(20.0, 2.0, 0.0), all),
        [],
        "inside the bounding sphere, outside the shape"
    );
    assert_eq!(overlap(Form::Ball(9.0), X * 25.0, all), [who("plate"), who("bare")], "in the order of handles");
    assert_eq!(overlap(Form::Ball(9.0), X * 25.0, Filter { layers: Some(1 << 2), ..all }), [who("plate")]);
    assert_eq!(overlap(Form::Ball(9.0), X * 25.0, Filter { layers: Some(1), ..all }), []);
    assert_eq!(
        overlap(Form::Ball(9.0), X * 25.0, Filter { except: [who("plate"), Handle::NONE], ..all }),
        [who("bare")]
    );
    assert_eq!(overlap(Form::Object(who("bare")), X * 30.0, all), [], "not itself");
    // The floor extends far from its position: its top is at 3.
    assert_eq!(overlap(Form::Ball(0.1), Vec3::new(0.0, 100.0, 3.05), all), [who("floor")]);
    assert_eq!(overlap(Form::Ball(0.1), Vec3::new(0.0, 100.0, 3.2), all), []);
    let any = Question::Overlap { form: Form::Ball(0.0), at: X * 31.9, want: Want::Any };
    assert_eq!(ask(&scene, &any, &all).0.len(), 1, "a point is a sphere of radius zero");
}

#[test]
fn the_nearest_surface_need_not_belong_to_the_nearest_object() {
    let things = [("tiny", X * 4.0, X), ("plate", Vec3::new(5.0, 0.0, 0.0), Vec3::Y), ("ball", X * 30.0, X)];
    let mut scene = scene(&[], &placed(&things));
    scene.run(2);
    let who = |path: &str| scene.one(&format!("{path}.thing")).cast();
    let surface = |centre: Vec3, radius_max: f64, want: Want| {
        ask(&scene, &Question::Surface { centre, radius_max, want }, &Filter::default()).0
    };
    // The plate lies along x: its edge is at 2.
    let met = surface(Vec3::ZERO, 10.0, Want::First);
    assert_eq!(met[0].handle, who("plate"));
    assert!((met[0].distance - 2.0).abs() < 1e-4, "{met:?}");
    assert_near(met[0].at, X * 2.0);
    assert_near(met[0].normal, -X);
    assert_eq!(surface(Vec3::ZERO, 1.9, Want::First), []);
    assert_eq!(surface(Vec3::ZERO, -1.0, Want::All), []);
    assert_eq!(surface(Vec3::ZERO, f64::NAN, Want::All), []);
    let all: Vec<_> = surface(X * 30.5, f64::INFINITY, Want::All).iter().map(|hit| hit.handle).collect();
    assert_eq!(all, [who("ball"), who("plate"), who("tiny")]);
    let inside = surface(X * 30.5, 5.0, Want::First)[0];
    assert_eq!((inside.distance, inside.at, inside.normal), (0.0, X * 30.5, Vec3::ZERO));
    let far = surface(Vec3::new(3000.0, 0.0, 0.0), f64::INFINITY, Want::First);
    assert_eq!(far[0].handle, who("ball"), "the search radius grows until an object is found");
}

#[test]
fn queries_skip_bodies_while_they_are_triggers() {
    let ball = "@thing\n!set body { shape \"sphere\", radius 1, gravity 0 }\n!set OnSpawn Lambda(z, !After(100, [ !Body(~this, \"trigger\", true) ]))";
    let gate = "@thing\n!set body { shape \"box\", half vec(1, 9, 9), fixed true, trigger true }\n!set OnSpawn Lambda(z, !After(100, [ !Body(~this, \"trigger\", false) ]))";
    let things = [("ball", X * 5.0, X), ("gate", X * 20.0, X)];
    let mut scene = scene(&[("ball.thing", ball), ("gate.thing", gate)], &placed(&things));
    for path in ["ball.thing", "gate.thing"] {
        scene.run(if path == "ball.thing" { 3 } else { 20 });
        let (from, to, want) = (Vec3::ZERO, X * 30.0, Want::First);
        for question in [Question::Ray { from, to, want }, Question::Sweep { form: Form::Ball(0.1), from, to, want }] {
            assert_eq!(ask(&scene, &question, &Filter::default()).0[0].handle, scene.one(path).cast(), "{question:?}");
        }
    }
}

#[test]
fn exact_tests_cost_more_and_end_with_the_budget() {
    let things: Vec<_> = (0..20).map(|number| ("ball", X * (number as f32 * 3.0), X)).collect();
    let mut scene = scene(&[], &placed(&things));
    scene.run(2);
    let question = |want: Want| Question::Overlap { form: Form::Ball(6.5), at: Vec3::ZERO, want };
    let (hits, asked) = ask(&scene, &question(Want::All), &Filter::default());
    assert_eq!(hits.len(), 3, "the third ball extends from 5 to 7 metres");
    let visited = asked.cost - 3 * CLOSE_COST;
    assert!((3..=20).contains(&visited), "{asked:?}");
    assert_eq!(
        ask(&scene, &question(Want::Any), &Filter::default()).1.cost,
        asked.cost,
        "the cost does not depend on which hit is found first"
    );
    for budget in 0..asked.cost {
        let mut hits = Hits::new(64);
        let cut = scene.rules.sight(&scene.world).find(&question(Want::All), &Filter::default(), &mut hits, budget);
        assert!(cut.is_cut && cut.cost <= budget, "{budget}");
    }
    let no_match = Filter { team: Some(7), ..Filter::default() };
    assert!(
        ask(&scene, &question(Want::All), &no_match).1.cost <= visited,
        "objects that the filter rejects are not tested exactly"
    );
}

#[test]
fn scripts_get_complete_results_of_shape_queries() {
    let asker = "@thing\n!set OnUpdate Lambda(s, [
    !set met sweep_first({ radius 0.5, length 1 }, position, position + vec(20, 0, 0), { except ~this, layer [0, 2] }),
    !set n met.distance, !set place met.at, !set across met.normal, !set other met.object,
    !set m count(overlap_all(8, vec(10, 0, 0), { class \"thing\" })) * 100 + count(surface_all(vec(10, 0, 0), 20))
        + (if overlap_any(~this, vec(10, 0, 0)) then 1000 else 0) ]())\n!set met nothing";
    let things = [("asker", Vec3::ZERO, X), ("plate", X * 10.0, X), ("ball", X * 14.0, X)];
    let mut scene = scene(&[("asker.thing", asker)], &placed(&things));
    scene.run(3);
    assert_eq!(scene.conditions(), []);
    let asker = scene.one("asker.thing");
    assert!((scene.number(asker, "n") - 9.4).abs() < 1e-3, "{}", scene.number(asker, "n"));
    let place = scene.get(asker, "place").as_vector().expect("a place");
    assert!((place.x - 9.9).abs() < 1e-3 && place.z.abs() <= 0.5, "it touches along its whole length: {place:?}");
    assert_near(scene.get(asker, "across").as_vector().expect("a direction"), -X);
    assert_eq!(world::object::handle_of(scene.get(asker, "other")), scene.one("plate.thing"));
    assert_eq!(scene.number(asker, "m"), 1203.0);
}

#[test]
fn a_query_beyond_its_budget_halts_the_script_with_a_warning() {
    let asker =
        "@thing\n!set OnUpdate Lambda(s, !set n count(filter(range(3000), Lambda(i, overlap_any(500, vec(0, 0, 0))))))";
    let things: Vec<_> = (0..60).map(|number| ("ball", X * (number as f32 * 3.0), X)).collect();
    let mut scene = scene(&[("asker.thing", asker)], &format!("{{ object \"asker.thing\" }}, {}", placed(&things)));
    scene.run(2);
    assert!(scene.conditions().contains(&Condition::Halted), "{:?}", scene.conditions());
}

/// The shape and pose of every object except triggers.
fn all_objects(scene: &Scene) -> Vec<(Handle<Object>, Shape, Pose)> {
    let shape = |handle: Handle<Object>, object: &Object| {
        let Some(body) = scene.rules.parts.body_of(&scene.world, handle) else {
            return Some(Shape::Sphere(object.radius));
        };
        let body = scene.rules.parts.physics.parts.bodies.get(&scene.world, body);
        (!body.is(flag::TRIGGER)).then(|| scene.rules.prototypes.shapes().get(body.shape).expect("a shape").clone())
    };
    let all = scene.all_objects();
    let all = all.iter().filter_map(|(handle, object)| {
        Some((*handle, shape(*handle, object)?, Pose::new(object.position, object.orientation)))
    });
    all.collect()
}

/// The result of a linear scan over all objects.
fn naive(scene: &Scene, question: &Question) -> Vec<(u32, f32)> {
    let made = |form: Form| match form {
        Form::Ball(radius) => (Shape::Sphere(radius), X),
        Form::Box { half, facing } => (Shape::Box(half), facing),
        Form::Capsule { radius, length, facing } => (Shape::Capsule { half: length / 2.0, radius }, facing),
        Form::Object(_) => unreachable!("not a shape query"),
    };
    let turned = |at: Vec3, facing: Vec3| Pose::new(at, Quat::between(X, facing.normal_or(X)));
    let mut found = Vec::new();
    for (handle, shape, pose) in all_objects(scene) {
        let distance = match *question {
            Question::Sweep { form, from, to, .. } => {
                let (own, facing) = made(form);
                let motion = Motion { translation: to - from, ..Motion::at_rest(turned(from, facing)) };
                sweep(&own, &motion, &shape, &Motion::at_rest(pose)).map(|hit| hit.time * (to - from).length())
            }
            Question::Overlap { form, at, .. } => {
                let (own, facing) = made(form);
                is_overlapping(&own, &turned(at, facing), &shape, &pose).then_some(0.0)
            }
            Question::Surface { centre, radius_max, .. } => {
                let most = radius_max as f32;
                closest_points(&Shape::Sphere(0.0), &turned(centre, X), &shape, &pose, most).map(|found| found.distance)
            }
            _ => unreachable!("not a shape query"),
        };
        found.extend(distance.map(|distance| (handle, distance)));
    }
    found.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.slot().cmp(&other.0.slot())));
    found.into_iter().map(|(handle, distance)| (handle.raw(), distance)).collect()
}

fn place() -> impl Strategy<Value = Vec3> {
    (-30.0f32..30.0, -30.0f32..30.0, -12.0f32..12.0).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

fn direction() -> impl Strategy<Value = Vec3> {
    (-1.0f32..1.0, -1.0f32..1.0, -1.0f32..1.0).prop_map(|(x, y, z)| Vec3::new(x, y, z))
}

fn form() -> impl Strategy<Value = Form> {
    let size = || prop_oneof![0.1f32..2.0, 0.1f32..12.0];
    prop_oneof![
        prop_oneof![Just(0.0), size()].prop_map(Form::Ball),
        (size(), size(), size(), direction())
            .prop_map(|(x, y, z, facing)| Form::Box { half: Vec3::new(x, y, z), facing }),
        (size(), size(), direction()).prop_map(|(radius, length, facing)| Form::Capsule { radius, length, facing }),
    ]
}

fn question(want: Want) -> impl Strategy<Value = Question> {
    let radius = prop_oneof![0.0..40.0, Just(f64::INFINITY)];
    prop_oneof![
        (form(), place(), place()).prop_map(move |(form, from, to)| Question::Sweep { form, from, to, want }),
        (form(), place()).prop_map(move |(form, at)| Question::Overlap { form, at, want }),
        (place(), radius).prop_map(move |(centre, radius_max)| Question::Surface { centre, radius_max, want }),
    ]
}

proptest! {
    #![proptest_config(cases(60, 50))]

    #[test]
    fn shape_queries_match_a_linear_scan(
        things in prop::collection::vec((0..THINGS.len(), place(), direction()), 1..50),
        questions in prop::collection::vec(question(Want::All), 1..12),
    ) {
        let things: Vec<_> = things.iter().map(|(which, at, facing)| {
            (THINGS[*which].0.trim_end_matches(".thing"), *at, facing.normal_or(X))
        }).collect();
        let mut scene = scene(&[], &placed(&things));
        scene.run(1);
        for question in questions {
            let truth = naive(&scene, &question);
            let (hits, _) = ask(&scene, &question, &Filter::default());
            let found: Vec<_> = hits.iter().map(|hit| (hit.handle.raw(), hit.distance as f32)).collect();
            prop_assert_eq!(&found, &truth, "{:?}", question);
            let one = match question {
                Question::Sweep { form, from, to, .. } => Question::Sweep { form, from, to, want: Want::First },
                Question::Overlap { form, at, .. } => Question::Overlap { form, at, want: Want::First },
                Question::Surface { centre, radius_max, .. } => Question::Surface { centre, radius_max, want: Want::First },
                other => other,
            };
            let (hits, _) = ask(&scene, &one, &Filter::default());
            let first: Vec<_> = hits.iter().map(|hit| (hit.handle.raw(), hit.distance as f32)).collect();
            let is_overlap = matches!(question, Question::Overlap { .. });
            prop_assert_eq!(first.first(), truth.first(), "{:?} {}", one, is_overlap);
            prop_assert!(hits.iter().all(|hit| hit.at.is_finite() && max(hit.normal.length() - 1.0001, 0.0) == 0.0));
        }
    }
}
