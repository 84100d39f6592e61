//! Overload: whatever objects do, it is warned of, and the world keeps running.

use crate::common;

use base::{Handle, Vec3};
use common::stage::{Request, puppets};
use common::{SCENARIO, Scene, class};
use state::Settings;
use world::Condition::{self, *};
use world::Object;

const STATE: &str =
    "{ name \"n\", type \"number\", state true, default 0 }, { name \"other\", type \"handle\", state true },
{ name \"list\", type \"any\", state true }";

const PLAIN: Settings = Settings { is_checked: false, garbage: 0xdd, shuffle: 0 };

/// A witness keeps running whatever the others do: it updates, and receives its own messages.
const WITNESS: &str = "@thing\n!set OnUpdate Lambda(s, [ !set n n + 1, !Send(~this, \"hear\", n) ]())\n!set OnHear Lambda(what, !set list what)";

fn scene(tag: &str, placements: &str, limits: &str) -> Scene {
    let scenario = format!("@scenario\n{limits}\n!set placements [{{ object \"w.thing\" }}, {placements}]");
    let texts = [("a.thing", tag), ("w.thing", WITNESS), (SCENARIO, scenario.as_str())];
    Scene::with_settings(&[&class("thing", STATE)], &texts, PLAIN)
}

const SMALL: &str = "!set objects_max 256\n!set messages_max 128\n!set values_max 30000";

/// Runs an overload that causes these conditions, then fifty cycles in which the world keeps running.
#[track_caller]
fn check(mut scene: Scene, cycles: u32, named: &[Condition]) -> Scene {
    scene.run(cycles);
    let conditions = scene.conditions();
    for condition in named {
        assert!(conditions.contains(condition), "{conditions:?} has no {condition:?}");
    }
    live_on(&mut scene);
    scene
}

/// Runs fifty cycles: the witness keeps updating, and the containers stay consistent.
#[track_caller]
fn live_on(scene: &mut Scene) {
    let witness = scene.one("w.thing");
    let before = scene.number(witness, "n");
    scene.run(50);
    assert_eq!(scene.number(witness, "n"), before + 50.0);
    let heard = scene.get(witness, "list").as_number().expect("it hears");
    assert!(heard >= before + 48.0, "the last message it received was {heard}");
    scene.assert_containers_hold();
}

#[test]
fn handlers_that_spawn_themselves() {
    let tag = "@thing\n!set OnSpawn Lambda(z, [ !Spawn(\"a.thing\"), !Spawn(\"a.thing\"), !Spawn(\"a.thing\") ]())\n!set OnDestroy Lambda(z, [ !Spawn(\"a.thing\"), !Spawn(\"a.thing\") ]())
!set OnUpdate Lambda(s, [ !set n n + 1, if n > 30 then !Destroy(~this) ]())";
    let scene = check(scene(tag, "{ object \"a.thing\" }", SMALL), 100, &[NoRoomForObject]);
    assert!(scene.rules.parts.progress.get(&scene.world).destroyed > 100);
}

#[test]
fn the_65536th_object() {
    let limits = "!set objects_max 65535\n!set values_max 1500000";
    let tag = "@thing\n!set storage 4\n!set OnPing Lambda(z, [ !Spawn(\"a.thing\"), !Spawn(\"a.thing\"), !Spawn(\"a.thing\", {}, Lambda(made, !set n if made = nothing then 1 else 2)) ]())";
    let placements =
        "{ object \"a.thing\", team 1, count 65532, spread vec(1000, 1000, 1000) }, { object \"b.thing\" }";
    let caller = "@thing\n!set OnUpdate Lambda(s, [ !set n n + 1, if n = 3 then !Send(nearest_object(position, 3000, { team 1 }), \"ping\") ]())";
    let scenario = format!("@scenario\n{limits}\n!set placements [{{ object \"w.thing\" }}, {placements}]");
    let globals = "@globals\n!set fuel 1000000\n";
    let texts = [
        ("a.thing", tag),
        ("b.thing", caller),
        ("w.thing", WITNESS),
        ("globals.globals", globals),
        (SCENARIO, scenario.as_str()),
    ];
    let mut scene = Scene::with_settings(&[&class("thing", STATE)], &texts, PLAIN);
    let objects = scene.rules.parts.objects;
    assert_eq!(objects.count(&scene.world), 65535, "the level, the witness, the caller, and all others");
    assert_eq!(scene.conditions(), []);
    scene.run(10);
    assert_eq!(scene.conditions(), [NoRoomForObject]);
    assert_eq!(objects.count(&scene.world), 65535);
    let witness = scene.one("w.thing");
    let before = scene.number(witness, "n");
    scene.run(50);
    assert_eq!(scene.number(witness, "n"), before + 50.0);
}

#[test]
fn destroying_oneself_and_others_in_the_same_update() {
    let tag = "@thing\n!set OnUpdate Lambda(s, [ !Destroy(~this), !Destroy(nearest_object(position, 100, { class \"thing\", except ~this, team 1 })), !Send(~this, \"x\"), !Damage(~this, 1),
!Attach(~this, owner), !Give(~this, ~this), !Move(vec(1, 1, 1)), !After(10, [ !set n 1 ]) ]())
!set OnDestroy Lambda(z, [ !Destroy(~this), !Attach(~this, ~level), !set position vec(9, 9, 9), !set team 5, if team = 1 then !Spawn(\"a.thing\", { team 2 }) ]())";
    let scene = check(
        scene(tag, "{ object \"a.thing\", team 1, count 100, spread vec(10, 10, 10) }", SMALL),
        20,
        &[NoSuchObject],
    );
    assert_eq!(scene.all("a.thing").len(), 0);
}

#[test]
fn on_destroy_that_fills_the_queue_leaves_no_object_half_destroyed() {
    let tag = "@thing\n!set OnUpdate Lambda(s, !Destroy(~this))\n!set many Lambda(count, if count > 0 then [ !Send(~level, \"last\", [1, 2, 3, 4, 5, 6, 7, 8]), many(count - 1) ]())
!set OnDestroy Lambda(z, many(30))";
    let scene = check(scene(tag, "{ object \"a.thing\", count 200 }", SMALL), 100, &[QueueFull]);
    assert_eq!(scene.all("a.thing").len(), 0, "every object asked to be destroyed");
}

#[test]
fn the_spatial_hash_stays_consistent_when_queues_are_full() {
    let tag = "@thing\n!set many Lambda(count, if count > 0 then [ !Send(~level, \"word\", [1, 2, 3, 4, 5, 6, 7, 8]), many(count - 1) ]())
!set OnUpdate Lambda(s, [ !set n n + 1, if n < 20 then many(30), if n < 20 then !set position vec(n * 40, 0, 0), if n < 20 then !set team n % 32 ]())";
    let mut scene = scene(tag, "{ object \"a.thing\", count 200 }", SMALL);
    scene.run(15);
    assert!(scene.count(QueueFull) > 0);
    scene.run(15);
    live_on(&mut scene);
    scene.assert_settled();
    assert!(
        scene
            .all("a.thing")
            .iter()
            .all(|thing| scene.get(*thing, "position").as_vector() == Some(Vec3::new(760.0, 0.0, 0.0)))
    );
}

#[test]
fn parents_destroyed_before_their_children() {
    let tag = "@thing
!set OnSpawn Lambda(z, if n < 6 then !Spawn(\"a.thing\", { n n + 1 }, Lambda(made, [ !Attach(made, ~this), !Give(made, ~this) ]())))
!set OnUpdate Lambda(s, if n = 0 and count_objects() > 6 then !Destroy(~this))
!set OnDestroy Lambda(z, !Detach(~this))";
    let scene = check(scene(tag, "{ object \"a.thing\", count 10 }", SMALL), 60, &[]);
    assert_eq!(scene.all("a.thing").len(), 0, "all end with their parents");
}

#[test]
fn attachments_that_would_be_cyclic_or_too_deep() {
    let tag = "@thing
!set OnSpawn Lambda(z, if n < 25 then !Spawn(\"a.thing\", { n n + 1 }, Lambda(made, [ !Attach(made, ~this), !set other made ]())))
!set OnUpdate Lambda(s, [ !Attach(~this, other), !Attach(~this, ~this), !Attach(owner, ~this) ]())";
    let scene = check(scene(tag, "{ object \"a.thing\" }", SMALL), 60, &[AttachedInCircle, AttachedTooDeep]);
    assert_eq!(scene.all("a.thing").len(), 26);
}

#[test]
fn positions_that_are_not_finite() {
    let tag = "@thing\n!set big 1e300\n!set OnUpdate Lambda(s, [ !set n n + 1, !set position vec(1, 1, 1) * big * n, !set velocity vec(big, 0, 0) - vec(big, 0, 0), !set facing vec(big, big, big) * big,
!Move(vec(big, 0, 0) * big), !Spawn(\"b.thing\", { position vec(big, 1, 1) * big, velocity position * big, facing vec(0, 0, 0), team 99 }), !set team n + 40 ]())";
    let quiet = "@thing\n!set OnUpdate Lambda(s, !Destroy(~this))\n";
    let scenario =
        format!("@scenario\n{SMALL}\n!set placements [{{ object \"w.thing\" }}, {{ object \"a.thing\", count 3 }}]");
    let texts = [("a.thing", tag), ("b.thing", quiet), ("w.thing", WITNESS), (SCENARIO, scenario.as_str())];
    let scene = check(Scene::with_settings(&[&class("thing", STATE)], &texts, PLAIN), 30, &[NotFinite, NoSuchTeam]);
    for (_, object) in scene.all_objects() {
        assert!(object.position.is_finite() && object.facing.is_finite() && object.team < 32);
    }
}

#[test]
fn handles_of_other_worlds() {
    let mut scene = puppets(&[(0, Vec3::ZERO, 1), (1, Vec3::X, 2)], 16.0, PLAIN);
    scene.run(2);
    let things = scene.all("a.thing");
    let strange =
        [0, 1, 0x8000_0000, 0xffff_0000, 0x8001_ffff, u32::MAX - 1, 0x0000_ffff, things[0].raw() ^ 0x0001_0000];
    for raw in strange {
        for name in ["own", "give", "attach", "team"] {
            scene.request(Request { name, who: things[0], other: Handle::from_raw(raw), place: Vec3::ZERO, number: 1 });
            scene.request(Request { name, who: Handle::from_raw(raw), other: things[0], place: Vec3::ZERO, number: 1 });
        }
        scene.run(1);
        scene.assert_containers_hold();
    }
    assert!(scene.count(NoSuchObject) > 0 || scene.count(EventRefused) > 0);
    scene.run(50);
    let object: Object = *scene.rules.parts.objects.get(&scene.world, things[0]);
    assert!(object.owner.is_none() && object.parent.is_none());
}

#[test]
fn messages_that_fit_arrive_and_larger_ones_are_warned_of() {
    let tag = "@thing
!set OnUpdate Lambda(s, [ !set n n + 1, if n = 1 then !Send(~this, \"take\", [1, [2, 3], { a [4] }], n), if n = 2 then !Send(~this, \"take\", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13], 1),
if n = 3 then !Send(~this, \"take\", Lambda(x, x), 1) ]())
!set OnTake Lambda(what, number, !set list what)";
    let scene = check(scene(tag, "{ object \"a.thing\" }", SMALL), 10, &[TooMuch]);
    assert_eq!((scene.count(TooMuch), scene.conditions().len()), (1, 1));
    let taken = scene.get(scene.one("a.thing"), "list");
    assert_eq!(taken, script::value::Value::NOTHING, "lambdas cannot be sent");
}

#[test]
fn spawn_records_with_lists_and_unknown_names() {
    let tag = "@thing\n!set storage 6
!set OnSpawn Lambda(z, if n = 0 then [ !Spawn(\"a.thing\", { n 1, list [1, 2, 3] }), !Spawn(\"a.thing\", { n 2, list [1, 2, 3, 4, 5, 6, 7] }), !Spawn(\"a.thing\", { n 3, this nothing, nonsense 6, OnSpawn 7 }),
!Spawn(\"a.thing\", { n 4, position 3, team [1], velocity nothing, facing true }), !Spawn(\"a.thing\", { n 5, waiting [1, 2, 3, 4], sender 5 }), !Spawn(\"a.thing\", { n 6, owner \"x\", team \"y\" }) ]())";
    let mut scene = check(scene(tag, "{ object \"a.thing\" }", SMALL), 10, &[]);
    let all = scene.all("a.thing");
    assert_eq!(all.len(), 7, "{:?}", scene.conditions());
    let count = |scene: &Scene, number: f64| {
        let thing = all.iter().find(|thing| scene.number(**thing, "n") == number).expect("the object exists");
        let values = scene.rules.parts.objects.values(&scene.world, *thing);
        let head = scene.rules.parts.objects.get(&scene.world, *thing).mind;
        script::row::RowView { head: &head, values }.parts(scene.get(*thing, "list")).len()
    };
    assert_eq!((count(&scene, 1.0), count(&scene, 2.0)), (3, 0), "a value that does not fit keeps the tag's value");
    live_on(&mut scene);
}

#[test]
fn a_spawn_record_cannot_override_this() {
    let tag = "@thing\n!set OnSpawn Lambda(z, if n = 0 then [ !set n 5, !Spawn(\"a.thing\", { n 1, this ~this }) ]())
!set OnUpdate Lambda(s, if n = 1 then !Destroy(~this))";
    let scene = check(scene(tag, "{ object \"a.thing\" }", SMALL), 10, &[]);
    assert_eq!(scene.number(scene.one("a.thing"), "n"), 5.0);
}

#[test]
fn thousands_of_timers() {
    let tag = "@thing\n!set storage 4000\n!set many Lambda(count, if count > 0 then [ !Every(100 + count, [ !set n n + 1 ]), many(count - 1) ]())
!set OnSpawn Lambda(z, many(50))\n!set OnUpdate Lambda(s, if n < 1 then many(40))";
    let limits = "!set objects_max 64\n!set values_max 200000";
    let scene = check(scene(tag, "{ object \"a.thing\", count 40 }", limits), 60, &[]);
    let thing = scene.all("a.thing")[3];
    assert!(scene.number(thing, "n") > 300.0, "{} {:?}", scene.number(thing, "n"), scene.conditions());
    // More than the storage holds: a warning, and the evaluation has no effect.
    let tag = "@thing\n!set storage 10\n!set OnUpdate Lambda(s, [ !set n n + 1, !Every(1000, [ !set n 0 ]) ]())";
    let scene = check(self::scene(tag, "{ object \"a.thing\" }", SMALL), 20, &[Halted]);
    assert!(scene.number(scene.one("a.thing"), "n") <= 3.0);
}

#[test]
fn messages_in_an_endless_ring() {
    let tag = "@thing\n!set OnSpawn Lambda(z, !Send(~this, \"ball\"))
!set OnBall Lambda(z, [ !set n n + 1, !Send(nearest_object(position, 100, { except ~this }), \"ball\"), !Damage(nearest_object(position, 100, { except ~this }), 1), !Send(~this, \"ball\") ]())
!set OnDamage Lambda(a, k, !Damage(~this, 1))";
    check(scene(tag, "{ object \"a.thing\", count 50, spread vec(10, 10, 10) }", SMALL), 60, &[QueueFull]);
}
