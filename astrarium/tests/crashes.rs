//! Crash reports: whatever stopped a session, its report can be replayed to the last complete cycle, and into the
//! crash.

use crate::common;

use std::fs;
use std::path::{Path, PathBuf};

use astrarium::crash::{self, Replay, Replayed};
use astrarium::host::pages::Pages;
use astrarium::host::thread_pool::ThreadPool;
use astrarium::relay::CrashReport;
use astrarium::saves;
use astrarium::state::backups::Schedule;
use astrarium::tags::Library;
use astrarium::{Content, Error, GameEntry, Session};
use common::{FAULT, Folder, LAMPS, hash_at, run_to, start, tiny, words_of_panic};

const GAMES: [GameEntry; 2] = [sandbox::ENTRY, LAMPS];
const SCHEDULE: Schedule = Schedule { short_cycles: 20, short_count: 3, long_cycles: 100, long_count: 2 };
const PROGRESS: usize = 4096;
const PLACES: usize = 2 * 4096;

fn newest(path: &Path) -> Result<Replayed, Error> {
    crash::replay(path, &GAMES, &Replay::default())
}

fn oldest(path: &Path) -> Result<Replayed, Error> {
    crash::replay(path, &GAMES, &Replay { workers: 3, is_from_oldest: true, ..Replay::default() })
}

/// A session of the sandbox that was recorded up to a cycle and then dropped, as if the process had been killed.
fn record(folder: &Folder, seed: u64, cycles: u64) -> PathBuf {
    let path = folder.join("a.crash");
    let mut session = tiny(seed);
    session.record_to(&path, SCHEDULE).expect("the folder can be written");
    run_to(&mut session, cycles);
    path
}

#[test]
fn the_newest_and_the_oldest_backup_lead_to_the_hash_of_an_uninterrupted_run() {
    let folder = Folder::new();
    let path = folder.join("a.crash");
    let (mut session, mut plain) = (tiny(5), tiny(5));
    session.record_to(&path, SCHEDULE).expect("the folder can be written");
    for cycle in [0, 1, 4, 5, 19, 20, 21, 99, 100, 101, 203, 333, 400] {
        run_to(&mut session, cycle);
        run_to(&mut plain, cycle);
        assert_eq!(session.chain(), plain.chain(), "recording changes nothing");
        let copy = folder.join("copy.crash");
        fs::copy(&path, &copy).unwrap();
        let (new, old) = (newest(&copy).unwrap(), oldest(&copy).unwrap());
        assert_eq!((new.to, new.hash), (cycle, plain.hash()), "from the newest, {}", new.from);
        assert_eq!((old.to, old.hash), (cycle, plain.hash()), "from the oldest, {}", old.from);
        assert!(new.from >= old.from && cycle - new.from < 20 && cycle - old.from <= 200, "{new:?} {old:?}");
        assert_eq!(old.compared, cycle.div_ceil(5) - old.from.div_ceil(5), "every safe cycle's hash is compared");
    }
}

#[test]
fn a_session_that_began_with_a_save_is_replayed_from_there() {
    let folder = Folder::new();
    for cycle in [7, 20, 233] {
        let (save, path) = (folder.join("a.save"), folder.join("a.crash"));
        let mut session = tiny(8);
        run_to(&mut session, cycle);
        saves::write(&mut session, &save).expect("the folder can be written");
        let mut other = tiny(1);
        saves::load(&mut other, &save).expect("it is sound");
        other.record_to(&path, SCHEDULE).expect("the folder can be written");
        for end in [cycle, cycle + 3, cycle + 58] {
            run_to(&mut other, end);
            run_to(&mut session, end);
            let old = oldest(&path).unwrap();
            assert_eq!((old.from, old.to, old.hash), (cycle, end, session.hash()));
            assert_eq!(newest(&path).unwrap().hash, session.hash());
        }
    }
}

#[test]
fn loading_a_world_while_recording_begins_a_new_recording() {
    let folder = Folder::new();
    let (save, path) = (folder.join("a.save"), folder.join("a.crash"));
    // An earlier cycle, a later cycle, and another world of the same cycle.
    for (saved_at, loaded_at) in [(52, 300), (300, 52), (150, 150)] {
        let mut session = tiny(8);
        run_to(&mut session, saved_at);
        saves::write(&mut session, &save).expect("the folder can be written");
        let mut other = tiny(9);
        other.record_to(&path, SCHEDULE).expect("the folder can be written");
        run_to(&mut other, loaded_at);
        saves::load(&mut other, &save).expect("it is sound");
        for end in [saved_at, saved_at + 1, saved_at + 9, saved_at + 77] {
            run_to(&mut other, end);
            run_to(&mut session, end);
            let (new, old) = (newest(&path).unwrap(), oldest(&path).unwrap());
            assert_eq!((new.to, new.hash), (end, session.hash()), "{saved_at} over {loaded_at}");
            assert_eq!((old.from, old.to, old.hash), (saved_at, end, session.hash()));
        }
    }
}

/// Plays a level that panics, with a black box; returns the panic's message, which is also written into the box.
fn break_down(level: &str, path: &Path, workers: u32) -> String {
    let mut session =
        Session::new((LAMPS.make)(&LAMPS, level, &Library::new()), Content::none(), &start(level, 1), &Pages);
    session.record_to(path, Schedule::default()).expect("the folder can be written");
    let pool = ThreadPool::new(workers);
    let message = words_of_panic(|| (0..1000).for_each(|_| session.step(&pool)));
    session.write_last_words(&message);
    message
}

#[test]
fn a_game_that_panics_leaves_its_last_words_and_panics_again_in_the_replay() {
    let folder = Folder::new();
    for (level, words) in [
        ("breaks in painting", "a fuse blew in cycle 137"),
        ("breaks in simulating", "lamp 100 burnt through in cycle 137"),
    ] {
        let path = folder.join("lamps.crash");
        let message = break_down(level, &path, 2);
        assert!(message.contains(words), "{message}");
        let bytes = fs::read(&path).unwrap();
        let report = CrashReport::read(&bytes).expect("a process that panics leaves a whole report");
        assert!(report.last_words.starts_with(words), "{}", report.last_words);
        assert_eq!(report.complete, FAULT, "the last complete cycle");
        let mut session =
            Session::new((LAMPS.make)(&LAMPS, level, &Library::new()), Content::none(), &start(level, 1), &Pages);
        run_to(&mut session, FAULT);
        for replayed in [newest(&path).unwrap(), oldest(&path).unwrap()] {
            assert_eq!((replayed.to, replayed.hash), (FAULT, session.hash()));
        }
        for (workers, is_from_oldest) in [(1, false), (4, true)] {
            let again = words_of_panic(|| {
                crash::replay(&path, &GAMES, &Replay { workers, is_from_oldest, is_through: true, ..Replay::default() })
            });
            assert_eq!(again, report.last_words, "at the same place with the same message");
        }
    }
}

#[test]
fn a_report_of_another_game_level_or_layout_says_so() {
    let folder = Folder::new();
    let path = record(&folder, 1, 30);
    let complaint =
        |games: &[GameEntry]| crash::replay(&path, games, &Replay::default()).expect_err("it does not fit").to_string();
    assert!(complaint(&[LAMPS]).contains("found \"sandbox\""));
    let without = GameEntry { levels: &["meadow"], ..sandbox::ENTRY };
    assert!(complaint(&[without]).contains("found \"tiny\""));
    let larger = GameEntry { make: |entry, _, tags| (sandbox::ENTRY.make)(entry, "meadow", tags), ..sandbox::ENTRY };
    assert!(complaint(&[larger]).contains("another layout"));
    assert!(newest(&folder.join("missing")).expect_err("nothing is there").to_string().contains("missing"));
    fs::write(folder.join("b.crash"), "ASTR").unwrap();
    assert!(newest(&folder.join("b.crash")).expect_err("it is not a report").to_string().contains("ASTRCRSH"));
}

/// Overwrites a number in the file.
fn patch(path: &Path, at: usize, value: u64) {
    let mut bytes = fs::read(path).expect("it is there");
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
    fs::write(path, bytes).expect("the folder can be written");
}

#[test]
fn a_damaged_backup_is_skipped() {
    let folder = Folder::new();
    let path = record(&folder, 1, 90);
    let whole = newest(&path).unwrap();
    assert_eq!(whole.from, 80);
    // The hash of the newest backup no longer matches its world: like a damaged block.
    let mut bytes = fs::read(&path).unwrap();
    let row = (0..5).map(|place| PLACES + place * 24).find(|row| bytes[row + 8..row + 16] == 80_u64.to_le_bytes());
    bytes[row.unwrap() + 16] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let found = newest(&path).unwrap();
    assert_eq!((found.from, found.to, found.hash), (60, 90, whole.hash));
    for place in 0..5 {
        patch(&path, PLACES + place * 24 + 16, 7);
    }
    let message = newest(&path).expect_err("none is whole").to_string();
    assert!(message.contains("no backup leads to cycle 90") && message.contains("0000000000000007"), "{message}");
}

#[test]
fn false_progress_gives_an_error_and_no_panic() {
    let folder = Folder::new();
    let path = record(&folder, 1, 90);
    for complete in [u64::MAX, u64::MAX - 1, u64::MAX / 5 * 5, 1 << 62, 1000] {
        patch(&path, PROGRESS, complete);
        for (is_from_oldest, is_through) in [(false, false), (true, true)] {
            let message = crash::replay(&path, &GAMES, &Replay { is_from_oldest, is_through, ..Replay::default() })
                .expect_err("no backup leads there")
                .to_string();
            assert!(message.contains("no backup leads to cycle"), "{message}");
        }
    }
    // Before the newest backups: if this progress were true, they would be from the future.
    patch(&path, PROGRESS, 33);
    let found = newest(&path).unwrap();
    assert_eq!((found.to, found.hash), (33, hash_at(1, 33)));
    // Slots with a false cycle.
    for cycle in [u64::MAX, u64::MAX - 1] {
        patch(&path, PLACES + 8, cycle);
        assert!(newest(&path).is_ok());
    }
}

#[test]
fn replaying_into_the_crash_needs_the_inputs_of_that_cycle() {
    let folder = Folder::new();
    let path = record(&folder, 1, 92);
    let through = crash::replay(&path, &GAMES, &Replay { is_through: true, ..Replay::default() })
        .expect("cycle 92 needs no inputs");
    assert_eq!((through.to, through.hash), (93, hash_at(1, 93)));
    let path = record(&folder, 1, 95);
    let message = crash::replay(&path, &GAMES, &Replay { is_through: true, ..Replay::default() })
        .expect_err("cycle 95 never began")
        .to_string();
    assert!(message.contains("cycle 95 did not begin"), "{message}");
}

#[test]
fn a_replay_that_diverges_names_the_cycle() {
    let folder = Folder::new();
    let path = folder.join("a.crash");
    let mut session = Session::new(
        (LAMPS.make)(&LAMPS, "counts outside", &Library::new()),
        Content::none(),
        &start("counts outside", 1),
        &Pages,
    );
    session.record_to(&path, SCHEDULE).expect("the folder can be written");
    run_to(&mut session, 90);
    let message = newest(&path).expect_err("it keeps state outside the world").to_string();
    assert!(message.contains("diverged before cycle 85"), "{message}");
}
