//! Stepping a world never allocates on the heap, whatever happens in it.

mod common;

use common::{SCENARIO, Scene, class};
use host::allocation::{CountingAllocator, allocations_while_forbidden, forbid, is_watched};
use host::thread_pool::ThreadPool;
use state::{Alone, Settings, Workers};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const STATE: &str =
    "{ name \"n\", type \"number\", state true, default 0 }, { name \"other\", type \"handle\", state true },
{ name \"list\", type \"any\", state true }";

const PLAIN: Settings = Settings { is_checked: false, garbage: 0, shuffle: 0 };

fn scene(tag: &str, count: u32) -> Scene {
    let scenario = format!(
        "@scenario\n!set objects_max 600\n!set messages_max 256\n!set values_max 60000\n!set trigger_volumes [{{ name \"gate\", half vec(10, 10, 10) }}]
!set OnEnter Lambda(who, zone, !Send(who, \"ping\", 1))
!set triggers [{{ name \"t\", when Lambda(true), action Lambda(!Log(\"t\", 3)), repeats true }}]
!set placements [{{ object \"a.thing\", count {count}, spread vec(20, 20, 20) }}, {{ object \"b.thing\", count 20, team 2 }}]"
    );
    let idle = "@thing\n!set OnPing Lambda(z, !set n n + 1)\n!set OnUpdate Lambda(s, !set n n + 1)\n";
    let texts = [("a.thing", tag), ("b.thing", idle), (SCENARIO, scenario.as_str())];
    Scene::with_settings(&[&class("thing", STATE)], &texts, PLAIN)
}

/// Steps, and fails on any allocation.
fn step(scene: &mut Scene, cycles: u32, workers: &dyn Workers, what: &str) {
    assert!(is_watched());
    for cycle in 0..cycles {
        let before = allocations_while_forbidden();
        forbid(|| scene.run_with(1, workers));
        let taken = allocations_while_forbidden() - before;
        assert_eq!(taken, 0, "{what}, cycle {cycle}: {taken} allocations");
    }
}

/// From the first cycle on, with one worker and with several.
fn check(tag: &str, count: u32, what: &str) {
    let mut alone = scene(tag, count);
    step(&mut alone, 40, &Alone, what);
    let mut together = scene(tag, count);
    step(&mut together, 40, &ThreadPool::new(4), what);
    assert_eq!(alone.world.hash(), together.world.hash());
}

#[test]
fn spawning_does_not_allocate() {
    check(
        "@thing\n!set storage 20\n!set OnSpawn Lambda(z, [ !Spawn(\"a.thing\", { list [1, 2], n n + 1 }, Lambda(made, !set other made)), !Spawn(\"b.thing\") ]())
!set OnUpdate Lambda(s, [ !set n n + 1, if n > 20 then !Destroy(~this) ]())\n!set OnDestroy Lambda(z, !Spawn(\"a.thing\"))",
        4,
        "spawning",
    );
}

#[test]
fn shape_queries_do_not_allocate() {
    check(
        "@thing\n!set storage 400\n!set body { shape \"sphere\", gravity 0 }
!set OnSpawn Lambda(z, !Connect(~level, ~this, \"spring\"))
!set OnUpdate Lambda(s, [ !set list overlap_all(~this, position), !set n count(sweep_all({ radius 1, length 2 }, position, vec(0, 0, 0))) + count(surface_all(position, 9)),
!set other sweep_first(vec(1, 2, 3), position, vec(0, 0, 0), { layer 0, except ~this }).object, !set list map(joints_of(~this), Lambda(joint, joint.way)),
!set n n + (if overlap_any(2, position) then 1 else 0) ]())",
        30,
        "shapes",
    );
}

#[test]
fn finding_ways_does_not_allocate() {
    let make = || {
        let floor = "@object\n!set body { shape \"box\", half vec(20, 20, 0.5), fixed true }";
        let wall = "@object\n!set body { shape \"capsule\", length 4, fixed true }\n!set OnUpdate Lambda(s, [ if now() = 200 then !Destroy(~this), !Move(position + vec(0.1, 0, 0), true) ]())";
        let walker = "@object\n!set OnUpdate Lambda(s, [ !Seek(vec(9, 9, 0)), !Seek(position), !set velocity (let next = way_next(position, vec(9, 9, 0)) in if next = nothing then vec(1, 0, 0) else normal(next - position)), if find_way(position, vec(-9, 9, 0)).complete then !Flag(\"no\", true) ]())";
        let scenario = "@scenario\n!set objects_max 256\n!set navigation { kind \"ground\", least vec(-20, -20, -2), most vec(20, 20, 5) }
!set placements [{ object \"floor.object\", position vec(0, 0, -0.5) }, { object \"wall.object\", count 5, spread vec(9, 9, 0) }, { object \"walker.object\", count 40, spread vec(9, 9, 0) }]";
        let texts = [("floor.object", floor), ("wall.object", wall), ("walker.object", walker), (SCENARIO, scenario)];
        Scene::with_settings(&[], &texts, PLAIN)
    };
    step(&mut make(), 40, &Alone, "ways");
    step(&mut make(), 40, &ThreadPool::new(4), "ways");
}

#[test]
fn queries_do_not_allocate() {
    check(
        "@thing\n!set storage 400\n!set near Cached Lambda(far, count(within(vec(0, 0, 0), far)))
!set OnUpdate Lambda(s, [ !set list within(position, 30), !set n count(ray_all(position, vec(0, 0, 0))) + near(30) + count(objects({ team 2 })),
!set other nearest_object(position, 100, { enemy_of team }), !Damage(other, count_objects(), \"x\"), !set list sort(objects(), Lambda(o, o.n)) ]())",
        100,
        "questions",
    );
}

#[test]
fn messages_timers_and_warnings_do_not_allocate() {
    check(
        "@thing\n!set storage 100\n!set word nothing\n!set OnSpawn Lambda(z, [ !Every(10, [ !Send(~this, \"ping\", [n, [n]]) ]), !Every(30, [ !set n n + 1 ]) ]())
!set OnPing Lambda(given, [ !set list given, !Send(~this, \"ping\", given), !Send(other, \"ping\", 1), !Log(given, n) ]())
!set OnUpdate Lambda(s, [ !set other nearest_object(position, 100, { except ~this }), !Attach(~this, other), !Give(~this, other), !Flag(\"no\", true),
!set velocity vec(1, 0, 0) / word, !Nonsense(1), !Play(\"boom\"), !Join(~this, n) ]())",
        100,
        "messages",
    );
}

#[test]
fn a_hot_reload_allocates_only_between_cycles() {
    let tags = [
        "@thing\n!set storage 30\n!set OnSpawn Lambda(z, !set list [1, 2, 3])\n!set OnUpdate Lambda(s, !set n n + 1)",
        "@thing\n!set storage 60\n!set extra 5\n!set f Lambda(x, x + count(within(position, 9)))\n!set OnUpdate Lambda(s, [ !set n f(n), !set extra extra + 1, !Spawn(\"b.thing\") ]())",
        "@thing\n!set storage 8\n!set g Cached Lambda(x, x * 2)\n!set OnUpdate Lambda(s, [ !set n g(n) % 100, !Send(~this, \"ping\") ]())\n!set OnPing Lambda(z, !set n n + 1)",
    ];
    for workers in [1, 3] {
        let crew = ThreadPool::new(workers);
        let mut scene = scene(tags[0], 100);
        step(&mut scene, 3, &crew, "before any change");
        for round in 1..7 {
            scene.change(&[("a.thing", tags[round % 3])]);
            step(&mut scene, 5, &crew, "after a change");
        }
        scene.lose("a.thing");
        step(&mut scene, 5, &crew, "after a loss");
        scene.change(&[("a.thing", tags[1])]);
        step(&mut scene, 5, &crew, "after a return");
    }
}

#[test]
fn extracting_does_not_allocate_once_a_frame_has_grown() {
    let tag = "@thing\n!set model \"a.model\"\n!set velocity vec(1, 0, 0)\n!set graph \"a.animation_graph\"\n\
        !set effects [{ name \"a\", effect \"a.effect\", when Lambda(n > 3) }]\n!set sounds [{ name \"a\", sound \"a.sound\" }]\n\
        !set OnUpdate Lambda(s, [ !set n n + 1, !Animate(\"b\"), !Play(\"a.effect\", { scale 2 }) ]())\n";
    let texts = [
        ("a.thing", tag),
        (SCENARIO, "@scenario\n!set objects_max 100\n!set placements [{ object \"a.thing\", count 60 }]\n"),
        ("a.effect", "@effect\n!set sounds [{ name \"a\", sound \"a.sound\" }]\n"),
        ("a.sound", "@sound\n!set sample_rate 100\n!set frames 100\n"),
        ("a.model", "@model\n!set materials [{ name \"a\", material \"a.material\" }]\n"),
        ("a.material", "@material\n!set roughness Lambda(~this.n / 100)\n!set metallic Lambda(~this.wrong)\n"),
        (
            "a.animation_graph",
            "@animation_graph\n!set n 0\n!set parameters [{ name \"n\", smoothing 1 }]\n\
            !set layers [{ name \"a\", weight Lambda(n / 10), states [{ name \"a\", speed Lambda(n) }, { name \"b\" }],\n\
            transitions [{ name \"back\", to \"a\", when Lambda(n % 7 = 3) }] }]\n",
        ),
    ];
    let mut scene = Scene::with_settings(&[&class("thing", STATE)], &texts, PLAIN);
    scene.run(300);
    step(&mut scene, 5, &ThreadPool::new(2), "animation graphs");
    let (mut frame, moment) = (view::Frame::new(0), view::Moment::default());
    scene.rules.extract(&scene.world, &moment, &mut frame);
    assert!(frame.instances.len() == 60 && frame.effects.len() > 1000 && frame.parameters.len() == 120);
    assert!(frame.sounds.len() > 100 && !frame.clips.is_empty());
    let before = allocations_while_forbidden();
    forbid(|| {
        for _ in 0..10 {
            scene.rules.extract(&scene.world, &moment, &mut frame);
        }
    });
    assert_eq!(allocations_while_forbidden() - before, 0);
}
