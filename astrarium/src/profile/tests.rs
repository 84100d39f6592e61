//! Tests of profiles without a world.

use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use base::random::Draw;
use base::{Random, StringId};
use tags::Library;
use world::workspaces::STAGES;
use world::{Budget, Domain, LineCost, ObjectCost, Rules};

use super::tally::PHYSICS;
use super::*;
use crate::objects::ObjectGame;

/// A clock that is set by hand.
fn clock() -> (ProfileClock, Arc<AtomicU64>) {
    let time = Arc::new(AtomicU64::new(1));
    let read = Arc::clone(&time);
    (Arc::new(move || read.load(Relaxed)), time)
}

fn game() -> ObjectGame {
    ObjectGame::new(Rules::new("test", &Library::new(), StringId::default()))
}

/// A step of these stages, by number and time, and these phases of physics.
fn times(cycle: u64, stages: &[(u32, u64)], phases: &[(StepPhase, u64)]) -> Spike {
    let mut step = StepTimes { cycle, ..StepTimes::default() };
    for (phase, nanos) in phases {
        let index = StepPhase::ALL.iter().position(|other| other == phase).expect("it is one of all");
        step.phases[index].add(*nanos);
        step.nanos += nanos;
    }
    for (stage, nanos) in stages {
        step.stages[*stage as usize - 1].add(*nanos);
        step.nanos += nanos;
    }
    Spike { ended: 0, step, tags: [None; limits::TAGS_NAMED] }
}

#[test]
fn phases_count_in_their_stage_and_the_step_is_the_whole() {
    let mut tally = Tally::default();
    for cycle in 0..3 {
        tally.add(&times(cycle, &[(1, 100), (9, 50)], &[(StepPhase::Gather, 7), (StepPhase::Solve, 30)]), false);
    }
    let summary = tally.summary();
    assert_eq!((summary.first, summary.until, summary.steps, summary.nanos), (0, 3, 3, 3 * 187));
    let rows: Vec<(&str, u64)> = summary.rows.iter().map(|row| (&row.name[..], row.nanos)).collect();
    assert_eq!(rows[..2], [(STAGES[0], 300), (STAGES[PHYSICS], 3 * 87)]);
    assert!(summary.rows.iter().all(|row| row.calls == 3 && row.is_phase == (row.nanos < 100)));
    assert_eq!(summary.domains(), [(Domain::Step, 3 * 187), (Domain::Mechanics, 300), (Domain::Physics, 3 * 87)]);
}

#[test]
fn an_exceeded_budget_is_told_once_per_second_with_the_tags_that_took_most() {
    let mut watch = BudgetWatch::default();
    let budgets = [
        Budget { domain: Domain::Physics, nanos: 4_000_000 },
        Budget { domain: Domain::Messages, nanos: 1 },
        Budget { domain: Domain::Step, nanos: 50_000_000 },
    ];
    let mut names = TagNames::default();
    let tags = ["a.ship", "b.ship"].map(|path| {
        names.add(StringId::from(path), path, "ship");
        StringId::from(path)
    });
    let most = || [Some((tags[0], 1_500_000)), Some((tags[1], 20_000)), None];
    let step = |cycle| times(cycle, &[(1, 900), (9, 5_000_000)], &[(StepPhase::Solve, 250_000)]).step;
    let mut told = Vec::new();
    for cycle in 0..300 {
        watch.compare(cycle * 10_000_000, &step(cycle), &budgets, most);
        told.extend(watch.take(&names));
    }
    let rest = "; most: a.ship 1.50 ms, b.ship 0.02 ms";
    let again = " (and 99 more steps since the last such line)";
    assert_eq!(
        told,
        [
            format!("cycle 0: physics took 5.25 ms, its budget is 4.00 ms{rest}"),
            format!("cycle 100: physics took 5.25 ms, its budget is 4.00 ms{again}{rest}"),
            format!("cycle 200: physics took 5.25 ms, its budget is 4.00 ms{again}{rest}"),
        ]
    );
}

#[test]
fn the_slowest_steps_of_the_last_seconds_are_kept() {
    let (clock, time) = clock();
    let mut profile = StepProfile::new(clock);
    let game = game();
    let mut step = |cycle: u64, nanos: u64| {
        profile.begin_step(&game, cycle);
        time.fetch_add(nanos, Relaxed);
        profile.add(Lap::Stage(1));
        profile.end_step();
        profile.settle(&game, &StepInput::empty());
        profile.summary().slowest.iter().map(|step| step.cycle).collect::<Vec<u64>>()
    };
    for cycle in 0..50 {
        step(cycle, 1000 + cycle % 7);
    }
    assert_eq!(step(50, 9_000)[0], 50);
    let slowest = step(51, 8_000);
    assert_eq!((slowest[..2].to_vec(), slowest.len()), (vec![50, 51], SPIKES_MAX));
    assert_eq!(step(52, SPIKE_NANOS), [52], "those of long ago are dropped");
    assert!(profile.end_second(&game) && !profile.end_second(&game));
    let second = profile.last_second();
    assert_eq!((second.steps, second.slowest[0].cycle), (53, 52));
    assert_eq!(second.slowest[0].stages, [(STAGES[0].to_string(), SPIKE_NANOS)]);
}

fn summary() -> ProfileSummary {
    let paths = [("ships/a.ship", "ship"), ("ships/ü.ship", "ship"), ("b.mine", "mine")];
    let mut names = TagNames::default();
    paths.iter().for_each(|(path, class)| names.add(StringId::from(*path), path, class));
    let mut tally = Tally::default();
    tally.reserve(&Arc::new(names), 100);
    for cycle in 400..410 {
        tally.add(&times(cycle, &[(1, 100), (5, 3), (9, 50)], &[(StepPhase::Gather, 7)]), cycle == 400);
    }
    for (number, (path, _)) in paths.into_iter().enumerate() {
        let (tag, count) = (StringId::from(path), number as u64 + 1);
        tally.add_tag(tag, ObjectCost { updates: 10, nanos: 1000 * count, evaluations: count, fuel: 400 });
        tally.add_line(LineCost { tag, line: 3, fuel: 100 });
        tally.add_line(LineCost { tag, line: 4, fuel: 300 });
    }
    let longest = tally.longest();
    let slow = Spike { tags: longest, ..times(410, &[(1, 900)], &[]) };
    tally.add(&slow, false);
    tally.summary()
}

#[test]
fn tables_are_sorted_by_cost_and_lines_share_the_time_of_their_tag() {
    let summary = summary();
    let tags: Vec<&str> = summary.tags.iter().map(|row| &row.path[..]).collect();
    assert_eq!(tags, ["b.mine", "ships/ü.ship", "ships/a.ship"]);
    let classes = summary.classes();
    let classes: Vec<(&str, u64)> = classes.iter().map(|row| (&row.class[..], row.cost.nanos)).collect();
    assert_eq!(classes, [("ship", 3000), ("mine", 3000)]);
    assert_eq!((summary.lines[0].line, summary.lines[0].fuel), (4, 300));
    let of_mine = summary.lines.iter().find(|line| line.path == "b.mine" && line.line == 4).expect("it is there");
    assert_eq!(summary.line_nanos(of_mine), Some(3000 * 300 / 400));
    let text = summary.to_string();
    for part in ["step", "physics", "mechanics", "ships/ü.ship", "b.mine:4", "slowest step", "410"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn summaries_add_up() {
    let (mut whole, part) = (ProfileSummary::default(), summary());
    whole.absorb(&part);
    assert_eq!(whole, part);
    whole.absorb(&part);
    assert_eq!((whole.steps, whole.nanos, whole.tags.len(), whole.lines.len()), (22, 2 * part.nanos, 3, 6));
    assert_eq!(whole.tags[0].cost.fuel, 800);
    let mut most = part.clone();
    (most.steps, most.nanos) = (u64::MAX, u64::MAX);
    most.rows[0].nanos = u64::MAX;
    most.tags[0].cost.nanos = u64::MAX;
    most.lines[0].fuel = u64::MAX;
    whole.absorb(&most);
    assert_eq!((whole.steps, whole.classes().len()), (u64::MAX, 2), "numbers of a track may be anything");
    assert!(!whole.to_string().is_empty() && !whole.domains().is_empty());
}

#[test]
fn an_item_of_the_track_round_trips_and_any_bytes_give_a_summary_or_an_error() {
    let summary = summary();
    let mut bytes = Vec::new();
    track::encode(&summary, &mut bytes);
    assert_eq!(track::decode(&bytes), Ok(Some(summary)));
    assert!(bytes.len() < 600, "{}", bytes.len());
    assert_eq!(track::decode(&[99, 1, 2]), Ok(None), "an item of another format");
    for length in 0..bytes.len() {
        assert!(track::decode(&bytes[..length]).is_err(), "{length}");
    }
    let mut random = Draw::new(3, 0, 0, 0);
    for _ in 0..20_000 {
        let mut changed = bytes.clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(changed.len() as u32) as usize;
            changed[at] = random.below(256) as u8;
        }
        if let Ok(Some(found)) = track::decode(&changed) {
            let mut whole = ProfileSummary::default();
            whole.absorb(&found);
            whole.absorb(&found);
            assert!(!whole.to_string().is_empty());
        }
    }
}

#[test]
fn full_tables_count_the_rest_together() {
    let mut tally = Tally::default();
    tally.add_tag(StringId::new("a"), ObjectCost { fuel: 3, ..ObjectCost::default() });
    tally.add_line(LineCost { tag: StringId::new("a"), line: 1, fuel: 3 });
    let summary = tally.summary();
    assert_eq!((&summary.tags[0].path[..], summary.tags[0].cost.fuel), ("other tags", 3));
    assert_eq!((&summary.lines[0].path[..], summary.lines[0].fuel), ("other lines", 3));
}
