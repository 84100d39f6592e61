//! `Play` as a library: its black box, its saves, and its crash reports.

use crate::common;

use std::fs;

use astrarium::relay::CrashReport;
use astrarium::session::Session;
use astrarium::state::backups::Schedule;
use astrarium::state::{Alone, Heap};
use common::Folder;
use tool::crash;
use tool::play::{BlackBoxFile, Play};

fn play(level: &str, black_box: BlackBoxFile) -> Play {
    Play { level: level.to_string(), cycles: 30, black_box, ..Play::default() }
}

#[test]
fn a_play_that_ends_well_leaves_no_report_unless_requested() {
    let folder = Folder::new();
    play("tiny", BlackBoxFile::In(folder.join("crash"))).run(&sandbox::ENTRY).expect("it ends well");
    assert_eq!(fs::read_dir(folder.join("crash")).unwrap().count(), 0);
    let path = folder.join("kept.crash");
    play("tiny", BlackBoxFile::At(path.clone())).run(&sandbox::ENTRY).expect("it ends well");
    let bytes = fs::read(&path).unwrap();
    let report = CrashReport::read(&bytes).expect("it is whole");
    assert_eq!((report.complete, report.last_words.as_str()), (30, "normal exit"));
}

#[test]
fn a_report_that_cannot_be_written_is_an_error_only_if_requested() {
    let folder = Folder::new();
    let file = folder.join("file");
    fs::write(&file, "in the way").unwrap();
    play("tiny", BlackBoxFile::In(file.join("crash"))).run(&sandbox::ENTRY).expect("it is played without");
    let printed = play("tiny", BlackBoxFile::At(file.join("a.crash")))
        .run(&sandbox::ENTRY)
        .expect_err("it was asked for")
        .to_string();
    assert!(printed.contains("file"), "{printed}");
    assert_eq!(fs::read(&file).unwrap(), b"in the way");
}

#[test]
#[cfg(unix)]
fn the_report_of_a_running_program_is_not_overwritten() {
    let folder = Folder::new();
    let path = folder.join("a.crash");
    let start = play("tiny", BlackBoxFile::None).start(&sandbox::ENTRY);
    let content = sandbox::ENTRY.content(&start.level).expect("the sandbox has no tags");
    let mut session = Session::begin(&sandbox::ENTRY, content, &start, &Heap).expect("the level is there");
    session.record_to(&path, Schedule::default()).expect("the folder can be written");
    (0..12).for_each(|_| session.step(&Alone));
    let printed =
        play("tiny", BlackBoxFile::At(path.clone())).run(&sandbox::ENTRY).expect_err("it is taken").to_string();
    assert!(printed.contains("a.crash") && printed.contains("a running program is writing it"), "{printed}");
    let bytes = fs::read(&path).unwrap();
    assert_eq!(CrashReport::read(&bytes).expect("it is whole").complete, 12);
    drop(session);
    play("tiny", BlackBoxFile::At(path)).run(&sandbox::ENTRY).expect("it is free now");
}

#[test]
fn a_save_that_cannot_be_written_is_reported_before_playing() {
    let folder = Folder::new();
    let save = Some(folder.join("missing/a.save"));
    let black_box = BlackBoxFile::In(folder.join("crash"));
    let printed = Play { save, panic_at: Some(0), ..play("tiny", black_box) }
        .run(&sandbox::ENTRY)
        .expect_err("no folder")
        .to_string();
    assert!(printed.contains("a.save") && !printed.contains("panic requested"), "{printed}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing was begun");
}

#[test]
fn a_save_that_fails_at_the_end_is_reported_and_the_world_is_not_lost() {
    let folder = Folder::new();
    // A folder at that path: the temporary file can be written, but not renamed.
    let save = folder.join("a.save");
    fs::create_dir(&save).unwrap();
    fs::write(save.join("inside"), "old").unwrap();
    for save_every in [0, 1] {
        let crashes = folder.join("crash");
        let black_box = BlackBoxFile::In(crashes.clone());
        let play = Play { save: Some(save.clone()), save_every, ..play("tiny", black_box) };
        let printed = play.run(&sandbox::ENTRY).expect_err("a folder is in the way").to_string();
        assert!(printed.contains("a.save") && printed.contains("the crash report is"), "{printed}");
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
fn the_largest_number_of_cycles_is_accepted() {
    let folder = Folder::new();
    let save = Some(folder.join("a.save"));
    let first = Play { cycles: 8, save, ..play("tiny", BlackBoxFile::None) };
    first.run(&sandbox::ENTRY).expect("the folder can be written");
    let load = Some(folder.join("a.save"));
    let play = Play { cycles: u64::MAX, load, panic_at: Some(12), ..play("tiny", BlackBoxFile::None) };
    let printed = play.run(&sandbox::ENTRY).expect_err("it is panic requested").to_string();
    assert!(printed.contains("panic requested at cycle 12"), "{printed}");
}

#[test]
fn showing_a_report_works_on_any_bytes() {
    let folder = Folder::new();
    let path = folder.join("a.crash");
    play("tiny", BlackBoxFile::At(path.clone())).run(&sandbox::ENTRY).expect("it ends well");
    for is_json in [false, true] {
        crash::show(&path, is_json).expect("it is whole");
        assert!(crash::show(&folder.join("missing"), is_json).is_err());
    }
    fs::write(&path, [0; 5000]).unwrap();
    assert!(crash::show(&path, false).expect_err("zeros").to_string().contains("ASTRCRSH"));
}
