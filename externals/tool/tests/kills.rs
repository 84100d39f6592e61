//! The command is killed at random moments. Its crash report can always be replayed, and its save loaded.

use crate::common;

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use astrarium::crash::Replay;
use astrarium::host::pages::Pages;
use astrarium::session::{Session, Start};
use astrarium::state::Settings;
use astrarium::tags::Library;
use astrarium::{Content, crash, saves};
use common::{Folder, draw, seed};

const SAVE_KILLS: u32 = 220;
const TINY_KILLS: u32 = 36;
const MEADOW_KILLS: u32 = 4;

fn begin(folder: &Folder, words: &str) -> Child {
    let mut command = folder.command(words);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the command can be run")
}

/// Sends SIGKILL after this time.
fn kill(mut child: Child, moment: Duration) {
    thread::sleep(moment);
    child.kill().expect("it runs until it is killed");
    let status = child.wait().expect("it was killed");
    assert!(!status.success(), "it runs until it is killed");
}

fn reports(folder: &Folder) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder.join(".astrarium/crash")) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "crash")).collect()
}

/// Kills plays of a level; returns how many left a report. Every report must replay to the last complete cycle, with
/// the hash of an uninterrupted play.
fn kill_plays(level: &str, kills: u32, moment_most: Duration, state: &mut u64) -> u32 {
    let mut left = 0;
    for kill_number in 0..kills {
        let folder = Folder::new();
        // Every second one soon after the start, while the box is created.
        let most = if kill_number % 2 == 0 { moment_most } else { moment_most / 8 };
        let moment = Duration::from_micros(draw(state) % most.as_micros() as u64);
        kill(begin(&folder, &format!("play --headless --level {level} --cycles 1000000000 --workers 2")), moment);
        let Some(path) = reports(&folder).pop() else { continue };
        left += 1;
        let shown = folder.run("crash show --json").json();
        assert_eq!(shown.text("last_words"), "");
        let newest = folder.run("crash replay --json").json();
        assert_eq!(newest.number("cycle"), shown.number("complete"), "after {moment:?}");
        let expected = folder
            .run(&format!("play --headless --level {level} --no-black-box --json --cycles {}", newest.number("cycle")))
            .json();
        assert_eq!(newest.text("hash"), expected.text("hash"), "after {moment:?}, from {}", newest.number("from"));
        let oldest = crash::replay(&path, &[sandbox::ENTRY], &Replay { is_from_oldest: true, ..Replay::default() })
            .expect("the oldest leads there too");
        assert_eq!(format!("{:016x}", oldest.hash), newest.text("hash"), "after {moment:?}, from {}", oldest.from);
    }
    left
}

#[test]
fn a_killed_play_leaves_a_report_that_replays_to_its_last_cycle() {
    let mut state = seed();
    let left = kill_plays("tiny", TINY_KILLS, Duration::from_millis(400), &mut state);
    println!("{left} of {TINY_KILLS} kills left a black box");
    assert!(left > TINY_KILLS / 4, "hardly any process was killed after its start");
}

#[test]
fn a_killed_play_of_the_meadow_leaves_a_report_too() {
    let mut state = seed();
    let left = kill_plays("meadow", MEADOW_KILLS, Duration::from_millis(2000), &mut state);
    println!("{left} of {MEADOW_KILLS} kills left a black box");
}

#[test]
fn a_save_is_whole_whenever_its_writer_is_killed() {
    let mut state = seed();
    let folder = Folder::new();
    let path = folder.join("a.save");
    let start = Start { level: "tiny".into(), seed: 1, players: 2, settings: Settings::default() };
    let mut session =
        Session::new((sandbox::ENTRY.make)(&sandbox::ENTRY, "tiny", &Library::new()), Content::none(), &start, &Pages);
    let (mut absent, mut cycles, mut leftovers) = (0, Vec::new(), 0);
    let begun = Instant::now();
    for number in 0..SAVE_KILLS {
        if number % 10 == 0 {
            let _ = fs::remove_file(&path);
        }
        let words =
            "play --headless --level tiny --cycles 1000000000 --no-black-box --no-film --save a.save --save-every 1";
        kill(begin(&folder, words), Duration::from_micros(draw(&mut state) % 60_000));
        match path.exists() {
            false => absent += 1,
            true => {
                let header = saves::load(&mut session, &path).expect("it is always whole");
                assert_eq!((session.world().cycle(), session.hash()), (header.cycle, header.hash), "kill {number}");
                cycles.push(header.cycle);
            }
        }
        leftovers = fs::read_dir(folder.path()).unwrap().count() - usize::from(path.exists());
        assert!(leftovers <= 2, "kill {number}: leftovers of earlier kills are removed");
    }
    println!("{absent} times there was none yet; {} saves; {:?}", cycles.len(), begun.elapsed());
    assert!(cycles.len() > 50, "hardly any process was killed after its start");
    cycles.sort_unstable();
    cycles.dedup();
    assert!(cycles.len() > 5, "saves of many cycles: {cycles:?}");
    folder.run("play --headless --level tiny --cycles 1 --no-black-box --no-film --save a.save").stdout();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{leftovers} leftovers are removed by the next writer");
}
