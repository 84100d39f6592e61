//! Files are edited while a world runs, and it crashes: the crash report finds the tags it was played with.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use astrarium::crash::{self, Replay};
use astrarium::session::{Session, Start};
use astrarium::state::backups::Schedule;
use astrarium::state::{Alone, Heap, Settings};
use astrarium::tree;
use skirmish::ENTRY;

/// How often something that takes its time is asked for, and how long is waited between.
const TRIES: usize = 3000;
const BETWEEN: Duration = Duration::from_millis(5);

/// Runs until the content is another, with some time between the steps.
fn run_to_change(session: &mut Session) {
    let before = session.content().library().identity();
    for _ in 0..TRIES {
        if session.content().library().identity() != before {
            return;
        }
        sleep(BETWEEN);
        session.step(&Alone);
    }
    panic!("nothing changed: {:?}", session.content_mut().take_lines());
}

#[test]
fn a_crash_right_after_an_edit_is_replayed_with_it() {
    let project = Path::new(env!("CARGO_TARGET_TMPDIR")).join("living-crash");
    let _ = fs::remove_dir_all(&project);
    let (tags, path, copy) = (project.join("tags"), project.join("a.crash"), project.join("copy.crash"));
    fs::create_dir_all(tags.join("levels")).expect("it can be written");
    let write = |file: &str, text: &str| fs::write(tags.join(file), text).expect("it can be written");
    write("globals.globals", "@globals\n");
    write("levels/skirmish.scenario", "@scenario\n!set ships_max 40\n!set ships 20\n");
    let (content, told) = tree::open(&ENTRY, "skirmish", &tags).expect("it is there");
    assert!(told.is_empty(), "{told:?}");
    let settings = Settings { is_checked: false, ..Settings::default() };
    let start = Start { level: "skirmish".into(), seed: 1, players: 2, settings };
    let mut session = Session::begin(&ENTRY, content, &start, &Heap).expect("the level is there");
    session.record_to(&path, Schedule::default()).expect("it can be written");
    (0..7).for_each(|_| session.step(&Alone));
    let edits = [
        ("globals.globals", "@globals\n!set speed 90\n"),
        ("levels/skirmish.scenario", "@scenario\n!set ships_max 40\n!set ships 10\n"),
        ("levels/skirmish.scenario", "@scenario\n!set ships_max 50\n!set ships 10\n"),
        ("globals.globals", "@globals\n!set speed 95\n"),
    ];
    for (file, text) in edits {
        write(file, text);
        run_to_change(&mut session);
        (0..7).for_each(|_| session.step(&Alone));
        // As if the program were killed now.
        fs::copy(&path, &copy).expect("it is there");
        let how = Replay { tags: Some(tags.clone()), ..Replay::default() };
        // The disk may take a moment longer.
        let mut tries = (0..TRIES).map(|_| {
            sleep(BETWEEN);
            crash::replay(&copy, &[ENTRY], &how)
        });
        let first = tries.next().expect("there are some");
        let found = if first.is_ok() { first } else { tries.take(50).find(Result::is_ok).unwrap_or(first) };
        let replayed = found.unwrap_or_else(|trouble| panic!("{text}: {trouble}"));
        assert_eq!((replayed.to, replayed.hash), (session.world().cycle(), session.hash()));
        assert!(replayed.compared > 0);
    }
    drop(session);
    fs::remove_dir_all(&project).expect("it is there");
}
