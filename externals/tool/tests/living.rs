//! Hot reload and crashes: files are edited while a world runs, and its crash report finds the tags that were in force.

use crate::common;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use astrarium::crash::{self, Replay};
use astrarium::session::{Session, Start};
use astrarium::state::backups::Schedule;
use astrarium::state::{Alone, Heap, Settings};
use astrarium::tag_tree;
use common::skirmish::{CORVETTE, SCENARIO, corvette, scenario, write};
use skirmish::ENTRY;

/// The number of attempts at something slow, and the pause between them.
const TRIES: usize = 3000;
const BETWEEN: Duration = Duration::from_millis(5);

/// Runs until the content has changed, with pauses between the steps.
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
fn a_crash_right_after_an_edit_is_replayed_with_the_edit() {
    let project = Path::new(env!("CARGO_TARGET_TMPDIR")).join("living-crash");
    let _ = fs::remove_dir_all(&project);
    let (tags, path, copy) = (project.join("tags"), project.join("a.crash"), project.join("copy.crash"));
    write(&tags);
    let (content, printed) = tag_tree::open(&ENTRY, "skirmish", &tags).expect("it is there");
    assert!(printed.is_empty(), "{printed:?}");
    let settings = Settings { is_checked: false, ..Settings::default() };
    let start = Start { level: "skirmish".into(), seed: 1, players: 2, settings };
    let mut session = Session::begin(&ENTRY, content, &start, &Heap).expect("the level is there");
    session.record_to(&path, Schedule::default()).expect("it can be written");
    (0..7).for_each(|_| session.step(&Alone));
    let edits = [
        (CORVETTE, corvette(90)),
        (SCENARIO, scenario(64, 10)),
        (SCENARIO, scenario(80, 10)),
        (CORVETTE, corvette(95)),
    ];
    for (file, text) in edits {
        fs::write(tags.join(file), &text).expect("it can be written");
        run_to_change(&mut session);
        (0..7).for_each(|_| session.step(&Alone));
        // As if the process were killed now.
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

#[test]
fn a_game_is_fed_by_another_program_while_it_runs() {
    let project = Path::new(env!("CARGO_TARGET_TMPDIR")).join("living-fed");
    let _ = fs::remove_dir_all(&project);
    let (tags, home) = (project.join("tags"), project.join("elsewhere"));
    write(&tags);
    fs::create_dir_all(&home).expect("it can be written");
    let run = |folder: &Path, words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_astrarium"));
        command.current_dir(folder).args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it starts")
    };
    let feed =
        ["feed", "skirmish", "--tags", "tags", "--listen", "127.0.0.1:0", "--secret", "secret", "--seconds", "120"];
    let mut server = run(&project, &feed);
    let lines = BufReader::new(server.stdout.take().expect("it is piped")).lines();
    let said = lines.map_while(Result::ok).find(|line| line.starts_with("feeding ")).expect("it listens");
    let address = said.rsplit(' ').next().expect("it ends in its address");
    let play =
        ["play", "skirmish", "--headless", "--paced", "--cycles", "6000", "--feed", address, "--secret", "../secret"];
    let mut game = run(&home, &play);
    let mut printed = BufReader::new(game.stderr.take().expect("it is piped")).lines().map_while(Result::ok);
    // It begins with the built-in scenario, and is fed the one of the tree.
    assert!(printed.any(|line| line.contains("levels/skirmish.scenario: changed")));
    fs::write(tags.join(CORVETTE), corvette(90)).expect("it can be written");
    let is_reported = printed.any(|line| line.contains("ships/corvette.ship: changed, from safe cycle"));
    for program in [&mut game, &mut server] {
        let _ = program.kill();
        program.wait().expect("it was started");
    }
    assert!(is_reported, "the game ended before it was fed");
    let _ = fs::remove_dir_all(&project);
}
