//! Profiles: costs by tag and line, budgets, and the track of a film. None changes a world.

mod common;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use astrarium::film::{self, Film, Moment};
use astrarium::host::allocation::{CountingAllocator, allocations_while_forbidden, forbid};
use astrarium::host::pages::Pages;
use astrarium::profile::{ProfileSummary, StepProfile};
use astrarium::relay::film::{Kind, track};
use astrarium::session::{Session, Start};
use astrarium::state::{Alone, Settings};
use astrarium::{GameEntry, project};
use common::Folder;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const THING: &str = "@EnvironmentHeader
!set Namespace \"thing\"
!set Base \"object\"
!set Attributes [{ name \"age\", type \"number\", state true, default 0 }]
";

const OLD: &str = "@thing
!set velocity vec(1, 2, 3)
!set OnUpdate Lambda(seconds,
    !set age age + sum(map([1, 2, 3], Lambda(x, x * age))) / 1000)
";

/// Objects that grow old, and budgets that every step exceeds.
fn game(folder: &Folder, globals: &str) -> GameEntry {
    let write = |path: &str, text: &str| {
        let file = folder.join("demo/tags").join(path);
        fs::create_dir_all(file.parent().expect("it lies in a folder")).expect("folders can be made");
        fs::write(file, text).expect("files can be written");
    };
    write("thing.header", THING);
    write("old.thing", OLD);
    write("young.thing", "@thing\n!set OnUpdate Lambda(seconds, !set age age + 1)\n");
    write("globals.globals", globals);
    write(
        "levels/a.scenario",
        "@scenario\n!set objects_max 64\n!set placements [{ object \"old.thing\", count 40, spread vec(9, 9, 9) },
{ object \"young.thing\", count 10, spread vec(9, 9, 9) }]\n",
    );
    let (entry, lines) = project::open(&folder.join("demo")).expect("it can be played");
    assert_eq!(lines, Vec::<String>::new());
    entry
}

fn begin(entry: &GameEntry) -> Session {
    let settings = Settings { is_checked: false, ..Settings::default() };
    let start = Start { level: "a".into(), seed: 7, players: 1, settings };
    let mut content = entry.content("a").expect("the tree is there");
    assert_eq!(content.take_lines(), Vec::<String>::new());
    Session::begin(entry, content, &start, &Pages).expect("the level is there")
}

fn run(session: &mut Session, cycles: u64) {
    for _ in 0..cycles {
        session.step(&Alone);
    }
}

/// A profile whose clock advances by a microsecond with every reading.
fn ticking() -> Box<StepProfile> {
    let time = AtomicU64::new(0);
    let mut profile = StepProfile::new(Arc::new(move || time.fetch_add(1000, Relaxed)));
    profile.measure_all();
    Box::new(profile)
}

/// A film of this many cycles.
fn recorded(folder: &Folder, cycles: u64) -> (GameEntry, std::path::PathBuf, Session) {
    let entry = game(folder, "@globals\n");
    let mut session = begin(&entry);
    let path = folder.join("a.film");
    session.film_to(&path, None).expect("the folder can be written");
    run(&mut session, cycles);
    let (_, trouble) = session.end_film("enough").expect("it was recorded");
    assert_eq!(trouble, None);
    (entry, path, session)
}

fn profile_of(path: &Path) -> (Vec<ProfileSummary>, u64) {
    Film::open(path).expect("it can be read").profile(None, 0..=u64::MAX)
}

#[test]
fn chains_are_equal_with_and_without_a_profile() {
    let folder = Folder::new();
    let entry = game(&folder, "@globals\n");
    let mut plain = begin(&entry);
    run(&mut plain, 150);
    let mut profiled = begin(&entry);
    profiled.begin_profile();
    run(&mut profiled, 150);
    assert_eq!((plain.chain(), plain.hash()), (profiled.chain(), profiled.hash()));
    assert!(plain.profile().is_none());
    profiled.end_profile_second();
    let summary = profiled.profile().expect("it was begun").summary();
    assert_eq!((summary.first, summary.until, summary.steps, summary.measured), (0, 150, 150, 150));
    let fuel: u64 = summary.tags.iter().map(|row| row.cost.fuel).sum();
    assert_eq!(summary.lines.iter().map(|row| row.fuel).sum::<u64>(), fuel, "every unit of fuel has a line");
    let old = summary.tags.iter().find(|row| row.path == "old.thing").expect("it has costs");
    assert_eq!((old.class.as_str(), old.cost.updates, old.cost.evaluations), ("thing", 40 * 150, 40 * 149));
    assert_eq!((&summary.lines[0].path[..], summary.lines[0].line), ("old.thing", 4), "{:?}", summary.lines);
    let classes = summary.classes();
    let of_class = classes.iter().find(|row| row.class == "thing").expect("it has costs");
    assert_eq!(of_class.cost.updates, 50 * 150);
    let stages: u64 = summary.rows.iter().filter(|row| !row.is_phase).map(|row| row.nanos).sum();
    assert!(stages <= summary.nanos && summary.domains().len() >= 4, "{summary}");
    assert!(summary.slowest.iter().all(|step| !step.tags.is_empty()), "{summary}");
}

#[test]
fn a_profiled_and_filmed_step_allocates_nothing() {
    let folder = Folder::new();
    let entry = game(&folder, "@globals\n!set budgets [{ domain \"step\", milliseconds 0.001 }]\n");
    let mut session = begin(&entry);
    session.film_to(&folder.join("a.film"), None).expect("the folder can be written");
    session.begin_profile();
    let before = allocations_while_forbidden();
    for _ in 0..450 {
        forbid(|| session.step(&Alone));
    }
    assert_eq!(allocations_while_forbidden() - before, 0);
    assert!(!session.take_budget_lines().is_empty());
}

#[test]
fn exceeded_budgets_are_told_and_change_no_world() {
    let folder = Folder::new();
    let tight = "@globals\n!set budgets [{ domain \"mechanics\", milliseconds 0.001 }, { domain \"physics\", milliseconds 1000 }]\n";
    let entry = game(&folder, tight);
    let mut plain = begin(&entry);
    run(&mut plain, 60);
    assert!(plain.profile().is_some_and(|profile| !profile.is_full()), "budgets alone suffice");
    assert!(plain.take_budget_lines()[0].starts_with("cycle 0: mechanics took "));
    let mut session = begin(&entry);
    session.profile_with(ticking());
    run(&mut session, 60);
    assert_eq!(session.chain(), plain.chain());
    let lines = session.take_budget_lines();
    // Sixty steps take far less than a second on this clock.
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("its budget is 0.00 ms; most: old.thing "), "{lines:?}");
    assert!(session.take_budget_lines().is_empty());
}

#[test]
fn a_film_has_a_profile_of_every_second() {
    let folder = Folder::new();
    let (entry, path, mut session) = recorded(&folder, 253);
    let film = Film::open(&path).expect("it is whole");
    assert_eq!(film.tracks()[0].0, "profiler");
    let (seconds, unread) = profile_of(&path);
    let cycles: Vec<(u64, u64)> = seconds.iter().map(|second| (second.first, second.until)).collect();
    assert_eq!((cycles, unread), (vec![(0, 100), (100, 200), (200, 253)], 0));
    let second = &seconds[1];
    // Tags and lines are measured in some steps, and counts are exact in those.
    let measured = (100..200).filter(|cycle| cycle % 19 == 0).count() as u64;
    let old = second.tags.iter().find(|row| row.path == "old.thing").expect("it has costs");
    assert_eq!((second.measured, old.cost.updates), (measured, 40 * measured));
    let fuel: u64 = second.tags.iter().map(|row| row.cost.fuel).sum();
    assert_eq!(second.lines.iter().map(|row| row.fuel).sum::<u64>(), fuel);
    assert_eq!(second.slowest.len(), 1);
    let some = film.profile(Some(0), 100..=150).0;
    assert_eq!(some.len(), 1);
    assert!(film.profile(Some(1), 0..=u64::MAX).0.is_empty());
    let verdict = film::verify(film, &[entry], &Alone, 10, &mut |_, _| ()).expect("it can be played");
    assert!(verdict.is_sound());
    assert_eq!(verdict.hash, session.hash());
}

#[test]
fn a_cut_film_keeps_the_items_of_its_cycles() {
    let folder = Folder::new();
    let (entry, path, _) = recorded(&folder, 353);
    film::mark(Film::open(&path).expect("it is whole"), Moment::at(120), "here").expect("it can be marked");
    film::mark(Film::open(&path).expect("it is whole"), Moment::at(20), "too early").expect("it can be marked");
    let out = folder.join("b.film");
    film::cut(Film::open(&path).expect("it is whole"), &[entry], (Moment::at(100), 210), &out, &Alone)
        .expect("it can be cut");
    let cut = Film::open(&out).expect("it is whole");
    assert_eq!(cut.troubles().count(), 0);
    let tracks: Vec<(String, Vec<u64>)> =
        cut.tracks().into_iter().map(|(name, items)| (name, items.iter().map(|item| item.cycle).collect())).collect();
    assert_eq!(tracks, [("markers".into(), vec![120]), ("profiler".into(), vec![100, 200])]);
    assert_eq!(profile_of(&out).0, profile_of(&path).0[1..3]);
}

#[test]
fn a_damaged_track_damages_no_film() {
    let folder = Folder::new();
    let (entry, path, mut session) = recorded(&folder, 253);
    let bytes = fs::read(&path).expect("it was written");
    let film = Film::open(&path).expect("it is whole");
    let places: Vec<_> = film.index().of_kind(Kind::Track).copied().collect();
    assert_eq!(places.len(), 3);
    let mut damaged = bytes.clone();
    damaged[places[1].end() as usize - 3] ^= 0x40;
    fs::write(&path, &damaged).expect("the folder can be written");
    let mut film = Film::open(&path).expect("only a track is damaged");
    film.check_endings();
    assert_eq!(film.troubles().count(), 1);
    let firsts: Vec<u64> = profile_of(&path).0.iter().map(|second| second.first).collect();
    assert_eq!(firsts, [0, 200]);
    let out = folder.join("b.film");
    let snippet = film::cut(film, &[entry], (Moment::at(50), 253), &out, &Alone).expect("a film needs no tracks");
    assert_eq!(snippet.hash, session.hash());
    let verdict = film::verify(Film::open(&path).expect("it opens"), &[entry], &Alone, 10, &mut |_, _| ());
    let verdict = verdict.expect("it can be played");
    assert_eq!((verdict.hash, verdict.departure.is_none()), (session.hash(), true));
}

#[test]
fn unknown_tracks_and_items_are_skipped() {
    let folder = Folder::new();
    let entry = game(&folder, "@globals\n");
    let mut session = begin(&entry);
    let path = folder.join("a.film");
    session.film_to(&path, None).expect("the folder can be written");
    let film = session.film_mut().expect("it is recorded");
    film.lay("profiler", 0, b"\x63 of another format");
    film.lay("profiler", 0, b"\x01 damaged");
    film.lay("an unknown track", 0, &[1, 2, 3]);
    run(&mut session, 20);
    session.end_film("enough");
    let (seconds, unread) = profile_of(&path);
    assert_eq!((seconds.len(), unread), (1, 2));
    let names: Vec<String> =
        Film::open(&path).expect("it is whole").tracks().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["an unknown track", "profiler"]);
    let body = track::encode("an unknown track", [(0, &[1, 2, 3][..])].into_iter());
    assert_eq!(track::decode(&body).expect("it is sound").0, "an unknown track");
}
