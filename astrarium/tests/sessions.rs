//! The loop: its chain, its robots, what it takes, and what it leaves behind.

mod common;

use std::fs;

use astrarium::base::hash::mix;
use astrarium::host::allocation::{CountingAllocator, allocations_while_forbidden, forbid};
use astrarium::host::crew::Crew;
use astrarium::host::pages::Pages;
use astrarium::play::{BlackBoxFile, Play};
use astrarium::relay::{CrashReport, Sealed};
use astrarium::state::Alone;
use astrarium::state::backups::Schedule;
use astrarium::tags::Library;
use astrarium::{Content, GameEntry, Session, saves};
use common::{Folder, LAMPS, Lamps, run_to, start, tiny, words_of_panic};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const SCHEDULE: Schedule = Schedule { short_cycles: 20, short_count: 3, long_cycles: 100, long_count: 2 };

#[test]
fn the_chain_is_over_the_hashes_of_safe_cycles() {
    let mut session = tiny(1);
    let mut chain = 0;
    assert_eq!(session.chain(), chain);
    for cycle in 1..=50 {
        session.step(&Alone);
        if cycle % 5 == 0 {
            chain = mix(chain, session.hash());
        }
        assert_eq!(session.chain(), chain, "cycle {cycle}");
    }
}

#[test]
fn the_chain_goes_on_over_a_load_in_the_middle_of_a_safe_cycle() {
    let folder = Folder::new();
    let path = folder.join("a.save");
    let mut whole = tiny(6);
    run_to(&mut whole, 200);
    for cycle in [50, 51, 54, 123] {
        let mut first = tiny(6);
        run_to(&mut first, cycle);
        saves::write(&mut first, &path).expect("the folder can be written");
        let mut second = tiny(77);
        saves::load(&mut second, &path).expect("it is sound");
        second.set_chain(first.chain());
        run_to(&mut second, 200);
        assert_eq!((second.hash(), second.chain()), (whole.hash(), whole.chain()), "loaded at {cycle}");
    }
}

#[test]
fn robots_follow_the_seed_of_the_world_they_play_in() {
    let folder = Folder::new();
    let save = folder.join("a.save");
    let inputs = |session: &mut Session| -> Vec<Sealed> {
        let path = folder.join("a.crash");
        session.record_to(&path, SCHEDULE).expect("the folder can be written");
        run_to(session, 100);
        let bytes = fs::read(&path).unwrap();
        let records = CrashReport::read(&bytes).expect("it is whole").records;
        assert_eq!(records.len(), 20);
        records.into_iter().map(|record| record.inputs).collect()
    };
    let mut first = tiny(6);
    saves::write(&mut first, &save).expect("the folder can be written");
    let mut other = tiny(7);
    let expected = inputs(&mut first);
    assert_ne!(inputs(&mut other), expected, "another seed is another game");
    saves::load(&mut other, &save).expect("it is sound");
    assert_eq!(inputs(&mut other), expected);
    assert_eq!(first.hash(), other.hash());
}

#[test]
fn a_whole_step_takes_nothing_from_the_heap() {
    let folder = Folder::new();
    for is_recorded in [false, true] {
        let mut session = tiny(1);
        let crew = Crew::new(2);
        if is_recorded {
            session.record_to(&folder.join("a.crash"), SCHEDULE).expect("the folder can be written");
        }
        let before = allocations_while_forbidden();
        for _ in 0..500 {
            forbid(|| session.step(&crew));
        }
        assert_eq!(allocations_while_forbidden() - before, 0, "recorded: {is_recorded}");
    }
}

#[test]
fn any_number_of_players_is_played() {
    for players in [0, 1, 64] {
        let sessions = [1, 3].map(|workers| {
            let mut start = start("tiny", 1);
            start.players = players;
            let mut session = Session::new(
                (sandbox::ENTRY.make)(&sandbox::ENTRY, "tiny", &Library::new()),
                Content::none(),
                &start,
                &Pages,
            );
            let crew = Crew::new(workers);
            (0..60).for_each(|_| session.step(&crew));
            (session.hash(), session.chain())
        });
        assert_eq!(sessions[0], sessions[1], "{players} players");
    }
}

#[test]
fn a_robot_that_does_too_much_is_cut_short() {
    let game = std::sync::Arc::new(Lamps::new("sound"));
    let mut session = Session::new(game.clone(), Content::none(), &start("sound", 1), &Pages);
    run_to(&mut session, 500);
    let events = game.meter.get(session.world()).events;
    let safe_cycles = 100;
    assert!(events > 2 * 3 * safe_cycles && events < 2 * 64 * safe_cycles, "{events} events of two players");
}

#[test]
fn a_session_replayed_from_its_report_has_the_same_chain() {
    let folder = Folder::new();
    let path = folder.join("a.crash");
    let mut session = tiny(2);
    session.record_to(&path, SCHEDULE).expect("the folder can be written");
    run_to(&mut session, 95);
    let bytes = fs::read(&path).unwrap();
    let report = CrashReport::read(&bytes).expect("it is whole");
    let mut again = tiny(2);
    while again.world().cycle() < 95 {
        let cycle = again.world().cycle();
        let record = cycle.is_multiple_of(5).then(|| report.record(cycle / 5).expect("all are there"));
        again.replay(record.map(|record| &record.inputs), &Alone);
    }
    assert_eq!((again.hash(), again.chain()), (session.hash(), session.chain()));
}

fn play(level: &str, black_box: BlackBoxFile) -> Play {
    Play { level: level.to_string(), cycles: 30, black_box, ..Play::default() }
}

#[test]
fn a_play_that_ends_well_leaves_no_report_unless_it_was_asked_to() {
    let folder = Folder::new();
    play("tiny", BlackBoxFile::In(folder.join("crash"))).run(&sandbox::ENTRY).expect("it ends well");
    assert_eq!(fs::read_dir(folder.join("crash")).unwrap().count(), 0);
    let path = folder.join("kept.crash");
    play("tiny", BlackBoxFile::At(path.clone())).run(&sandbox::ENTRY).expect("it ends well");
    let bytes = fs::read(&path).unwrap();
    let report = CrashReport::read(&bytes).expect("it is whole");
    assert_eq!((report.complete, report.last_words.as_str()), (30, "it ended in good order"));
}

#[test]
fn a_report_that_cannot_be_kept_stops_only_who_asked_for_it() {
    let folder = Folder::new();
    let file = folder.join("file");
    fs::write(&file, "in the way").unwrap();
    play("tiny", BlackBoxFile::In(file.join("crash"))).run(&sandbox::ENTRY).expect("it is played without");
    let told = play("tiny", BlackBoxFile::At(file.join("a.crash"))).run(&sandbox::ENTRY).expect_err("it was asked for");
    assert!(told.contains("file"), "{told}");
    assert_eq!(fs::read(&file).unwrap(), b"in the way");
}

#[test]
#[cfg(unix)]
fn a_report_that_a_running_program_keeps_is_not_taken_from_it() {
    let folder = Folder::new();
    let path = folder.join("a.crash");
    let mut session = tiny(1);
    session.record_to(&path, SCHEDULE).expect("the folder can be written");
    run_to(&mut session, 12);
    let told = play("tiny", BlackBoxFile::At(path.clone())).run(&sandbox::ENTRY).expect_err("it is taken");
    assert!(told.contains("a.crash") && told.contains("a program that is running writes it"), "{told}");
    let bytes = fs::read(&path).unwrap();
    assert_eq!(CrashReport::read(&bytes).expect("it is whole").complete, 12);
    drop(session);
    play("tiny", BlackBoxFile::At(path)).run(&sandbox::ENTRY).expect("it is free now");
}

#[test]
fn a_save_that_could_not_be_written_is_told_before_anything_is_played() {
    let folder = Folder::new();
    let save = Some(folder.join("missing/a.save"));
    let black_box = BlackBoxFile::In(folder.join("crash"));
    let told = Play { save, panic_at: Some(0), ..play("tiny", black_box) }.run(&sandbox::ENTRY).expect_err("no folder");
    assert!(told.contains("a.save") && !told.contains("asked to stop"), "{told}");
    assert!(folder.names().is_empty(), "nothing was begun");
}

#[test]
fn a_save_that_fails_on_the_way_is_the_last_word_and_the_world_is_not_lost() {
    let folder = Folder::new();
    // A folder in its place: the new version can be made, but cannot take the place.
    let save = folder.join("a.save");
    fs::create_dir(&save).unwrap();
    fs::write(save.join("inside"), "old").unwrap();
    for save_every in [0, 1] {
        let crashes = folder.join("crash");
        let black_box = BlackBoxFile::In(crashes.clone());
        let play = Play { save: Some(save.clone()), save_every, ..play("tiny", black_box) };
        let told = play.run(&sandbox::ENTRY).expect_err("a folder is in the way");
        assert!(told.contains("a.save") && told.contains("the crash report is"), "{told}");
        let reports: Vec<_> = fs::read_dir(&crashes).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(reports.len(), 1);
        let bytes = fs::read(&reports[0]).unwrap();
        let report = CrashReport::read(&bytes).expect("it is whole");
        assert!(report.last_words.contains("a.save"), "{}", report.last_words);
        fs::remove_file(&reports[0]).unwrap();
    }
    assert_eq!(fs::read(save.join("inside")).unwrap(), b"old");
}

#[test]
fn as_many_cycles_as_there_are_numbers_may_be_asked_for() {
    let folder = Folder::new();
    let mut session = tiny(1);
    run_to(&mut session, 8);
    saves::write(&mut session, &folder.join("a.save")).expect("the folder can be written");
    let load = Some(folder.join("a.save"));
    let play = Play { cycles: u64::MAX, load, panic_at: Some(12), ..play("tiny", BlackBoxFile::None) };
    let told = play.run(&sandbox::ENTRY).expect_err("it is asked to stop");
    assert!(told.contains("asked to stop at cycle 12"), "{told}");
}

#[test]
fn a_game_whose_world_is_called_otherwise_is_told_so_at_once() {
    let entry = GameEntry { name: "lights", ..LAMPS };
    let words = words_of_panic(|| play("sound", BlackBoxFile::None).run(&entry));
    assert!(words.contains("Layout::of_world(\"lights\")"), "{words}");
    let told = play("nowhere", BlackBoxFile::None).run(&LAMPS).expect_err("no such level");
    assert!(told.contains("sound") && told.contains("found \"nowhere\""), "{told}");
}
