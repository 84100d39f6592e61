//! Costs by tag and by line: exact fuel, no influence on the world, no allocation while stepping.

mod common;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use common::{SCENARIO, Scene, class};
use host::allocation::{CountingAllocator, allocations_while_forbidden, forbid};
use host::thread_pool::ThreadPool;
use state::{Alone, Settings, Workers};
use world::{Domain, LineCost, ObjectCost, ProfileClock, StepInput, TagCost};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The cycles of a run; objects send from the third evaluation on.
const CYCLES: u32 = 12;

const STATE: &str = "{ name \"n\", type \"number\", state true, default 0 }";

const BUSY: &str = "@thing
!set work Lambda(x, sum(map([x, x + 1, x + 2], Lambda(y, y * y))))
!set OnUpdate Lambda(s,
    [
        !set n n + 1,
        if n > 2 then
            !Send(nearest_object(position, 50, { class \"plain\" }), \"poke\", work(n))
    ]())
!set OnDestroy Lambda(z, !set n 0)
";

const IDLE: &str = "@plain
!set update_period 100
!set OnPoke Lambda(x, !set n n + x)
";

fn scene() -> Scene {
    let scenario = "@scenario\n!set objects_max 600
!set placements [{ object \"a.thing\", count 300, spread vec(20, 20, 20) }, { object \"b.plain\", count 20, spread vec(20, 20, 20) }]";
    let headers = [class("thing", STATE), class("plain", STATE)];
    let headers: Vec<&str> = headers.iter().map(String::as_str).collect();
    let plain = Settings { is_checked: false, garbage: 0, shuffle: 0 };
    Scene::with_settings(&headers, &[("a.thing", BUSY), ("b.plain", IDLE), (SCENARIO, scenario)], plain)
}

/// A clock that advances by 10 with every reading.
fn clock() -> ProfileClock {
    let time = AtomicU64::new(0);
    Arc::new(move || time.fetch_add(10, Relaxed))
}

#[derive(Debug, Default, PartialEq)]
struct Found {
    tags: BTreeMap<(String, String), ObjectCost>,
    lines: BTreeMap<(String, u32), u64>,
}

impl Found {
    fn cost(&self, path: &str) -> ObjectCost {
        let found = self.tags.iter().find(|((tag, _), _)| tag == path);
        found.map(|(_, cost)| *cost).unwrap_or_default()
    }
}

fn take(scene: &Scene, found: &mut Found, has_lines: bool) {
    let input = StepInput { content: &scene.content, changed: &scene.changed, events: &[] };
    let mut names = BTreeMap::new();
    scene.rules.each_object_tag(&mut |tag, path, class| {
        names.insert(tag, (path.to_string(), class.to_string()));
    });
    scene.rules.take_costs(&input, &mut |TagCost { tag, cost }| {
        found.tags.entry(names[&tag].clone()).or_default().add(cost);
    });
    if has_lines {
        scene.rules.take_lines(&input, &mut |LineCost { tag, line, fuel }| {
            *found.lines.entry((names[&tag].0.clone(), line)).or_default() += fuel;
        });
    }
}

fn profiled(workers: &dyn Workers, cycles: u32) -> (u64, Found) {
    let mut scene = scene();
    scene.rules.prepare_profile(&clock());
    scene.rules.switch_profile(true);
    let mut found = Found::default();
    let before = allocations_while_forbidden();
    for _ in 0..cycles {
        forbid(|| scene.run_with(1, workers));
        take(&scene, &mut found, false);
    }
    assert_eq!(allocations_while_forbidden() - before, 0, "measuring does not allocate while stepping");
    take(&scene, &mut found, true);
    (scene.world.hash(), found)
}

#[test]
fn a_profile_changes_nothing_and_its_fuel_is_exact_with_any_number_of_workers() {
    let mut plain = scene();
    plain.run(CYCLES);
    let (hash, mut alone) = profiled(&Alone, CYCLES);
    assert_eq!(hash, plain.world.hash(), "the world is the same without a profile");
    let (hash, mut together) = profiled(&ThreadPool::new(3), CYCLES);
    assert_eq!(hash, plain.world.hash());
    let fuel: u64 = alone.tags.values().map(|cost| cost.fuel).sum();
    assert_eq!(alone.lines.values().sum::<u64>(), fuel, "every unit of fuel has a line");
    let (busy, cycles) = (alone.cost("a.thing"), u64::from(CYCLES));
    // Each is visited in every cycle, and evaluates `OnUpdate` from the second on.
    assert_eq!((busy.updates, busy.evaluations), (300 * cycles, 300 * (cycles - 1)));
    let idle = alone.cost("b.plain");
    assert!(idle.updates > 300 * (cycles - 3) && idle.evaluations == 300 * (cycles - 3), "{idle:?}");
    assert!(alone.tags.contains_key(&("a.thing".into(), "thing".into())), "{:?}", alone.tags.keys());
    let line = |line: u32| alone.lines.get(&(String::from("a.thing"), line)).copied().unwrap_or(0);
    assert!(line(2) > 0 && line(7) > 0, "{:?}", alone.lines);
    assert!(!alone.lines.contains_key(&("a.thing".into(), 9)), "nothing was destroyed");
    // Times depend on the workers; all else does not.
    for found in [&mut alone, &mut together] {
        found.tags.values_mut().for_each(|cost| cost.nanos = 0);
    }
    assert_eq!(alone, together);
}

#[test]
fn times_of_tags_are_estimated_from_the_measured_updates() {
    let (_, found) = profiled(&Alone, CYCLES);
    // The clock advances by 10 within each measured update, and the estimate is for all.
    let busy = found.cost("a.thing");
    assert_eq!(busy.nanos, busy.updates * 10);
}

#[test]
fn a_profile_that_is_off_counts_nothing_and_one_that_is_on_survives_changed_tags() {
    let mut scene = scene();
    let mut found = Found::default();
    scene.rules.switch_profile(true);
    scene.run(5);
    take(&scene, &mut found, true);
    assert_eq!(found, Found::default(), "nothing was prepared");
    scene.rules.prepare_profile(&clock());
    scene.run(5);
    take(&scene, &mut found, true);
    assert_eq!(found, Found::default(), "it is off");
    scene.rules.switch_profile(true);
    scene.change(&[("a.thing", "@thing\n\n\n!set OnUpdate Lambda(s, !set n n + 1)\n")]);
    scene.run(5);
    take(&scene, &mut found, true);
    assert_eq!(found.cost("a.thing").updates, 5 * 300);
    assert!(found.lines.contains_key(&("a.thing".into(), 4)), "{:?}", found.lines);
}

#[test]
fn budgets_are_read_from_the_globals_and_change_no_world() {
    let texts = |globals: &'static str| {
        [("globals.globals", globals), ("a.thing", "@thing\n!set OnUpdate Lambda(s, !set n n + 1)\n")]
    };
    let class = class("thing", STATE);
    let mut with = Scene::new(
        &[&class],
        &texts(
            "@globals\n!set budgets [{ domain \"physics\", milliseconds 0.5 }, { domain \"step\", milliseconds 4 }]\n",
        ),
    );
    let mut without = Scene::new(&[&class], &texts("@globals\n"));
    let budgets: Vec<(Domain, u64)> = with.rules.budgets().iter().map(|budget| (budget.domain, budget.nanos)).collect();
    assert_eq!(budgets, [(Domain::Physics, 500_000), (Domain::Step, 4_000_000)]);
    assert!(without.rules.budgets().is_empty());
    with.run(20);
    without.run(20);
    assert_eq!(with.world.hash(), without.world.hash());
}
