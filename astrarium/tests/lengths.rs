//! The lengths of cycles come from the globals; saves and films carry them.

use crate::common;

use std::fs;

use astrarium::film::{Film, Moment, Player, Shown};
use astrarium::host::pages::Pages;
use astrarium::session::{Session, Start};
use astrarium::state::{Alone, Settings};
use astrarium::{GameEntry, project, saves};
use common::Folder;

fn write(folder: &Folder, path: &str, text: &str) {
    let file = folder.join("demo/tags").join(path);
    fs::create_dir_all(file.parent().expect("it lies in a folder")).expect("folders can be made");
    fs::write(file, text).expect("files can be written");
}

fn game(folder: &Folder, globals: &str) -> GameEntry {
    write(folder, "globals.globals", globals);
    write(folder, "mover.object", "@object\n!set velocity vec(1, 0, 0)\n");
    write(
        folder,
        "levels/a.scenario",
        "@scenario\n!set objects_max 32\n!set placements [{ object \"mover.object\" }]\n",
    );
    project::open(&folder.join("demo")).expect("it can be played").0
}

fn begin(entry: &GameEntry) -> Session {
    let start = Start { level: "a".into(), seed: 7, players: 1, settings: Settings::default() };
    let content = entry.content("a").expect("the tree is there");
    Session::begin(entry, content, &start, &Pages).expect("the level is there")
}

const SLOW: &str = "@globals\n!set brush_cycle 20\n!set safe_cycle 60\n";

#[test]
fn a_session_has_the_lengths_of_its_globals() {
    let folder = Folder::new();
    let entry = game(&folder, SLOW);
    let mut session = begin(&entry);
    assert_eq!((session.lengths().brush_nanos, session.lengths().brushes_per_safe), (20_000_000, 3));
    assert_eq!(session.next_safe_cycle(), 0);
    session.step(&Alone);
    assert_eq!(session.next_safe_cycle(), 1, "inputs enter with every third cycle");
    (0..2).for_each(|_| session.step(&Alone));
    assert!(session.lengths().is_safe(session.world().cycle()));
    // Without lengths in the globals, and without globals: ten and fifty milliseconds.
    let other = Folder::new();
    assert_eq!(begin(&game(&other, "@globals\n")).lengths(), astrarium::state::pacer::Lengths::default());
}

#[test]
fn a_film_of_other_lengths_is_refused_with_both() {
    let folder = Folder::new();
    let entry = game(&folder, SLOW);
    let mut session = begin(&entry);
    let path = folder.join("a.film");
    session.film_to(&path, None).expect("a film");
    (0..30).for_each(|_| session.step(&Alone));
    session.end_film("enough");
    let film = || Film::open(&path).expect("a film");
    let mut player = Player::new(film(), &[entry], Shown::Own).expect("a player");
    player.seek(Moment { take: None, cycle: Some(27) }, &Alone).expect("its own content has its lengths");
    write(&folder, "globals.globals", "@globals\n");
    let entry = project::open(&folder.join("demo")).expect("it can be played").0;
    let root = folder.join("demo/tags");
    let mut player = Player::new(film(), &[entry], Shown::Now(Some(root))).expect("a player");
    let error = player.seek(Moment { take: None, cycle: Some(27) }, &Alone).expect_err("other lengths").to_string();
    assert!(error.contains("brush cycles of 20 ms, 3 in a safe cycle") && error.contains("10 ms, 5"), "{error}");
}

#[test]
fn a_save_carries_the_lengths_of_its_world() {
    let folder = Folder::new();
    let entry = game(&folder, SLOW);
    let mut session = begin(&entry);
    (0..31).for_each(|_| session.step(&Alone));
    let path = folder.join("a.save");
    saves::write(&mut session, &path).expect("a save");
    let mut other = begin(&entry);
    saves::load(&mut other, &path).expect("it can be loaded");
    assert_eq!(other.lengths(), session.lengths());
    assert_eq!(other.game().lengths_in(other.world()), Some(session.lengths()));
    (0..5).for_each(|_| other.step(&Alone));
    (0..5).for_each(|_| session.step(&Alone));
    assert_eq!(other.hash(), session.hash());
}

#[test]
fn lengths_that_change_while_it_runs_restart_the_level_at_the_same_safe_cycle() {
    let folder = Folder::new();
    let entry = game(&folder, SLOW);
    let mut session = begin(&entry);
    (0..30).for_each(|_| session.step(&Alone));
    assert_eq!(session.lengths().safe_cycle(session.world().cycle()), 10);
    write(&folder, "globals.globals", "@globals\n!set brush_cycle 10\n!set safe_cycle 50\n");
    let changed = entry.content("a").expect("the tree is there");
    changed.library().tags().for_each(|ready| session.content_mut().offer(ready.clone()));
    session.step(&Alone);
    assert_eq!(session.lengths(), astrarium::state::pacer::Lengths::default());
    assert_eq!(session.world().cycle(), 51, "the tenth safe cycle now begins with the fiftieth cycle");
    let lines = session.content_mut().take_lines();
    assert!(lines.iter().any(|line| line.contains("brush cycles of 10 ms") && line.contains("20 ms")), "{lines:?}");
}
