//! A game that is a folder, with levels that lead to one another.

mod common;

use std::fs;

use astrarium::base::StringId;
use astrarium::crash::{self, Replay};
use astrarium::film::{self, Film};
use astrarium::game::Ending;
use astrarium::host::allocation::{CountingAllocator, measure};
use astrarium::host::pages::Pages;
use astrarium::proof::Proof;
use astrarium::relay::Event;
use astrarium::session::{Session, Start};
use astrarium::state::backups::Schedule;
use astrarium::state::report::memory_report;
use astrarium::state::{Alone, Settings};
use astrarium::{GameEntry, project, tag_tree};
use common::Folder;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const THING: &str = "@EnvironmentHeader
!set Namespace \"thing\"
!set Base \"object\"
!set Attributes [{ name \"age\", type \"number\", state true, default 0 }]
";

const MISSION: &str = "@EnvironmentHeader
!set Namespace \"mission\"
!set Base \"scenario\"
!set Attributes [{ name \"seen\", type \"number\", state true, default 0 }]
";

const OLD: &str = "@thing\n!set velocity vec(1, 2, 3)\n!set OnUpdate Lambda(seconds, !set age age + !Random(0, 1))\n";

/// A level that ends after this many milliseconds. Levels of different sizes have different layouts.
fn level(class: &str, objects: u32, milliseconds: u32, end: &str) -> String {
    format!(
        "@{class}\n!set objects_max {objects}\n!set messages_max 64\n!set OnSpawn Lambda(!After({milliseconds}, \
         [ !EndLevel({end}) ]))\n!set placements [{{ object \"old.thing\", count 10, spread vec(9, 9, 9) }}]\n"
    )
}

/// A folder with two levels, each of which leads to the other, and one that leads nowhere.
fn game(folder: &Folder) -> GameEntry {
    let write = |path: &str, text: &str| {
        let file = folder.join("demo/tags").join(path);
        fs::create_dir_all(file.parent().expect("it lies in a folder")).expect("folders can be made");
        fs::write(file, text).expect("files can be written");
    };
    write("globals.globals", "@globals\n!set name \"demo\"\n");
    write("thing.header", THING);
    write("mission.header", MISSION);
    write("old.thing", OLD);
    write("levels/a.scenario", &level("scenario", 32, 80, "\"on\", \"levels/b.mission\""));
    write("levels/b.mission", &level("mission", 64, 60, "\"back\", \"a\""));
    write("levels/c.mission", &level("mission", 64, 60, "\"won\""));
    write("levels/d.mission", &level("mission", 64, 60, "\"won\", \"levels/nowhere.mission\""));
    let (entry, lines) = project::open(&folder.join("demo")).expect("it can be played");
    assert_eq!((entry.name, entry.levels, lines), ("demo", &["a", "b", "c", "d"][..], Vec::new()));
    entry
}

fn begin(entry: &GameEntry, level: &str) -> Session {
    let settings = Settings { is_checked: false, ..Settings::default() };
    let start = Start { level: level.to_string(), seed: 7, players: 1, settings };
    let mut content = entry.content(level).expect("the tree is there");
    assert_eq!(content.take_lines(), Vec::<String>::new());
    Session::begin(entry, content, &start, &Pages).expect("the level is there")
}

/// Steps until another level has begun; returns its name and the hashes of all systems but the first (the time) of its
/// initial world.
fn run_to_next(session: &mut Session) -> (String, Vec<u64>) {
    for _ in 0..1000 {
        session.step(&Alone);
        if session.move_on() {
            let hashes = session.world_mut().hash_tree().systems[1..].to_vec();
            return (session.level().to_string(), hashes);
        }
    }
    panic!("the level does not end: {:?}", session.content_mut().take_lines());
}

#[test]
fn two_hundred_levels_in_a_row_begin_alike_and_leak_nothing() {
    let folder = Folder::new();
    let mut session = begin(&game(&folder), "a");
    let (first, second) = (run_to_next(&mut session), run_to_next(&mut session));
    assert_eq!((first.0.as_str(), second.0.as_str()), ("b", "a"));
    let rooms = memory_report(session.world()).to_string();
    let mut play = |rounds: u32| {
        for round in 0..rounds {
            assert_eq!(run_to_next(&mut session), first, "{round}");
            assert_eq!(run_to_next(&mut session), second, "{round}");
            assert_eq!(memory_report(session.world()).to_string(), rooms);
            session.content_mut().take_lines();
        }
    };
    play(20);
    // What is held, not what the system's allocator keeps: its pages come and go with the sizes of what is freed.
    let ((), heap) = measure(|| play(80));
    assert!(heap.kept.abs() < 64 * 1024, "160 levels kept {} bytes", heap.kept);
    assert!(session.world().cycle() > 200 * 10, "the cycle count continues: {}", session.world().cycle());
}

#[test]
fn a_sequence_of_levels_passes_the_proof() {
    let folder = Folder::new();
    let entry = game(&folder);
    let proof = Proof { level: String::from("a"), cycles: 60, seed: 3, players: 1, workers: vec![2, 5] };
    let verdicts = proof.run(&entry);
    for verdict in &verdicts {
        assert_eq!((verdict.chain, verdict.trouble.as_str()), (verdicts[0].chain, ""), "{}", verdict.run);
    }
    assert!(verdicts[0].chain.is_some_and(|chain| chain != 0));
}

#[test]
fn the_last_level_reports_its_ending_and_a_missing_next_level_is_named() {
    let folder = Folder::new();
    let entry = game(&folder);
    for (level, next) in [("c", None), ("d", Some("levels/nowhere.mission"))] {
        let mut session = begin(&entry, level);
        let mut ended_at = None;
        for _ in 0..40 {
            if ended_at.is_none() && session.last_ending().is_some() {
                ended_at = Some(session.world().cycle());
            }
            session.step(&Alone);
        }
        assert_eq!(ended_at, Some(10), "at the start of the safe cycle after the end");
        let ending = Ending { result: String::from("won"), next: next.map(str::to_string) };
        assert_eq!((session.last_ending(), session.level()), (Some(ending), level));
    }
}

#[test]
fn a_crash_in_a_later_level_is_replayed_in_that_level() {
    let folder = Folder::new();
    let entry = game(&folder);
    let path = folder.join("a.crash");
    let mut session = begin(&entry, "a");
    session.record_to(&path, Schedule::default()).expect("it can be written");
    for expected in ["b", "a", "b"] {
        assert_eq!(run_to_next(&mut session).0, expected);
        (0..4).for_each(|_| session.step(&Alone));
        let copy = folder.join("copy.crash");
        fs::copy(&path, &copy).expect("it can be copied");
        let replayed = crash::replay(&copy, &[entry], &Replay::default()).expect("it can be replayed");
        assert_eq!((replayed.to, replayed.hash), (session.world().cycle(), session.hash()), "{expected}");
    }
}

#[test]
fn a_film_of_several_levels_has_a_take_for_each_and_plays_without_the_folder() {
    let folder = Folder::new();
    let entry = game(&folder);
    let path = folder.join("a.film");
    let mut session = begin(&entry, "a");
    session.film_to(&path, None).expect("it can be written");
    (0..2).for_each(|_| drop(run_to_next(&mut session)));
    (0..8).for_each(|_| session.step(&Alone));
    session.end_film("done");
    fs::remove_dir_all(folder.join("demo")).expect("it is there");
    let film = Film::open(&path).expect("it is whole");
    let ends = [0, 1, 2].map(|take| film.ending(take).expect("it was written").words);
    assert_eq!(ends, ["a is over: on; b begins", "b is over: back; a begins", "done"]);
    let levels: Vec<&str> = film.index().takes.iter().map(|take| take.opening.level.as_str()).collect();
    assert_eq!(levels, ["a", "b", "a"]);
    let levels = levels.into_iter().collect();
    assert_eq!(film.describe_runs(), "take 0, cycles 0 to 10; take 1, cycles 10 to 20; take 2, cycles 20 to 28");
    let games = [project::of_tags("demo", &levels).expect("a valid name")];
    let verdict = film::verify(film, &games, &Alone, 3, &mut |_, _| {}).expect("it can be played");
    assert!(verdict.departure.is_none(), "{:?}", verdict.departure);
    assert_eq!((verdict.hash, verdict.chain), (session.hash(), session.chain()));
}

#[test]
fn an_impossible_event_is_named_and_does_not_enter() {
    let folder = Folder::new();
    let entry = game(&folder);
    let tags = folder.join("demo/tags");
    let kinds = "[{ name \"fly\", fields [{ name \"height\", kind \"number\", min 0, max 9 }], limit 1 }]";
    fs::write(tags.join("all.events"), format!("@events\n!set kinds {kinds}\n")).expect("it can be written");
    let text = level("scenario", 32, 80, "\"on\", \"levels/b.mission\"");
    fs::write(tags.join("levels/a.scenario"), text + "!set events \"all.events\"\n").expect("it can be written");
    let fly = |height: f32| Event::new(StringId::new("fly"), &[height.to_bits()]);
    let stranger = Event::new(StringId::new("never heard of"), &[]);
    let played = |events: &[Event]| {
        let mut session = begin(&entry, "a");
        session.deliver(0, 1, events).expect("the batch is valid");
        common::run_to(&mut session, 9);
        (session.hash(), session.last_inputs().events().len(), session.take_refusals())
    };
    let (hash, count, refusals) = played(&[fly(3.0)]);
    assert_eq!((count, refusals.len()), (1, 0));
    let (same, count, refusals) = played(&[fly(30.0), fly(3.0), fly(4.0), stranger]);
    assert_eq!((same, count), (hash, 1), "rejected events leave no trace in the world");
    let unknown = stranger.kind;
    let message = [
        String::from("cycle 5: player 0: the event fly was dropped: expected 0 to 9 in height, found 30"),
        String::from("cycle 5: player 0: the event fly was dropped: expected at most 1 of its kind, found more"),
        format!(
            "cycle 5: player 0: the event {unknown} was dropped: expected a kind of event in the table, found an unknown one"
        ),
    ];
    assert_eq!(refusals, message);
    // The table belongs to the level: the next one has none, so players cannot send any event.
    let mut session = begin(&entry, "a");
    assert_eq!(run_to_next(&mut session).0, "b");
    let next = session.next_safe_cycle();
    session.deliver(0, next, &[fly(3.0)]).expect("the batch is valid");
    session.step(&Alone);
    assert!(session.last_inputs().events().is_empty() && session.take_refusals().len() == 1);
}

#[test]
fn a_level_that_is_written_while_another_is_played_can_come_next() {
    let folder = Folder::new();
    let entry = game(&folder);
    let (content, lines) = tag_tree::open(&entry, "d", &folder.join("demo/tags")).expect("the tree is there");
    assert!(lines.is_empty(), "{lines:?}");
    let settings = Settings { is_checked: false, ..Settings::default() };
    let start = Start { level: String::from("d"), seed: 7, players: 1, settings };
    let mut session = Session::begin(&entry, content, &start, &Pages).expect("the level is there");
    common::run_to(&mut session, 20);
    assert!(session.last_ending().is_some());
    fs::write(folder.join("demo/tags/levels/nowhere.mission"), level("mission", 32, 60, "\"found\""))
        .expect("it can be written");
    for _ in 0..3000 {
        session.step(&Alone);
        if session.level() == "nowhere" {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    panic!("the level never began: {:?}", session.content_mut().take_lines());
}
