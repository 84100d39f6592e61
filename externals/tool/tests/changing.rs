//! Files that change while a command reads them, and commands without memory: a clear error or a sound result, never a panic or a
//! signal.

use crate::common;

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use common::{Folder, PROGRAM, draw, seed};

/// How often each command is run while its file changes.
const TIMES: u32 = 5;

/// Truncates, rewrites, overwrites and extends a file at random, until it is told to stop.
fn keep_changing(path: &Path, whole: &[u8], mut state: u64, is_over: &AtomicBool) {
    while !is_over.load(Ordering::Relaxed) {
        let at = (draw(&mut state) % (whole.len() as u64 + 1)) as usize;
        // The file may be gone for a moment, where the command itself replaces it.
        let _ = match draw(&mut state) % 4 {
            0 => OpenOptions::new().write(true).open(path).and_then(|file| file.set_len(at as u64)),
            1 => fs::write(path, &whole[..at]),
            2 => fs::write(path, [&whole[..at], &at.to_le_bytes(), &whole[at..]].concat()),
            _ => fs::write(path, whole),
        };
        thread::yield_now();
    }
}

#[test]
fn a_file_that_changes_while_it_is_read_is_an_error_or_sound() {
    let mut state = seed();
    let folder = Folder::new();
    let play = "play sandbox --level tiny --headless --no-black-box";
    folder.run(&format!("{play} --cycles 400 --record a.film")).stdout();
    folder.run(&format!("{play} --cycles 50 --no-film --save a.save")).stdout();
    folder.run("play sandbox --level tiny --headless --no-film --cycles 50 --black-box a.crash").stdout();
    folder.run("new game").stdout();
    folder.run("play game --headless --no-film --no-black-box --cycles 5").stdout();
    fs::write(folder.join("a.lscript"), "!set a [1, 2]\n".repeat(2000)).expect("the folder can be written");
    let points: String =
        (0..2000).map(|number| format!("v {} {} {}\n", number % 7, number % 11, number % 13)).collect();
    let faces: String = (1..1500).map(|number| format!("f {} {} {}\n", number, number + 1, number + 2)).collect();
    fs::write(folder.join("a.obj"), points + &faces).expect("the folder can be written");
    let tag = "game/tags/ships/corvette.ship";
    let mut rows = vec![
        ("a.film", "film verify a.film".to_string()),
        ("a.film", "film info --check a.film".to_string()),
        ("a.film", format!("{play} --cycles 20 --no-film --from a.film@200")),
        ("a.save", "save info a.save".to_string()),
        ("a.save", format!("{play} --cycles 20 --no-film --load a.save")),
        ("a.crash", "crash replay a.crash".to_string()),
        (tag, "tag --tags game/tags check".to_string()),
        (tag, "play game --headless --no-film --no-black-box --cycles 5".to_string()),
        ("a.lscript", "script run a.lscript".to_string()),
        ("a.obj", "tag --tags game/tags import a.obj --as mesh --out a.geometry --print".to_string()),
    ];
    // Whatever was packed and kept for the next start.
    let kept = folder.join("game/.astrarium");
    let mut folders = vec![kept.clone()];
    let mut packed = Vec::new();
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("it was made").flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => packed.push(path),
            }
        }
    }
    let is_packed = |path: &&std::path::PathBuf| {
        path.extension().is_some_and(|extension| extension == "pack" || extension == "index")
    };
    let packed: Vec<String> = packed
        .iter()
        .filter(is_packed)
        .map(|path| path.strip_prefix(folder.path()).expect("it is below").display().to_string())
        .collect();
    assert!(!packed.is_empty(), "the game keeps packed tags in {}", kept.display());
    rows.extend(packed.iter().map(|path| (path.as_str(), rows[7].1.clone())).collect::<Vec<_>>());
    for (file, words) in rows {
        let path = folder.join(file);
        let whole = fs::read(&path).expect("it was made");
        for _ in 0..TIMES {
            let (is_over, changer) = (AtomicBool::new(false), draw(&mut state));
            let ran = thread::scope(|scope| {
                scope.spawn(|| keep_changing(&path, &whole, changer, &is_over));
                let ran = folder.run(&words);
                is_over.store(true, Ordering::Relaxed);
                ran
            });
            assert!(ran.is_orderly(), "{words} while {file} changes: {}", ran.output());
            fs::write(&path, &whole).expect("the folder can be written");
        }
        folder.run(&words).stdout();
    }
}

#[test]
fn a_game_whose_black_box_is_truncated_goes_on_and_says_so() {
    let folder = Folder::new();
    let path = folder.join("a.crash");
    let words = "play sandbox --level tiny --headless --paced --no-film --cycles 150 --black-box a.crash";
    let child = folder.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it can be run");
    // The game has it mapped when it writes to it.
    let mut first = None;
    while first.is_none() || first == fs::read(&path).ok() {
        first = first.or_else(|| fs::read(&path).ok());
        thread::yield_now();
    }
    OpenOptions::new().write(true).open(&path).and_then(|file| file.set_len(100)).expect("it is there");
    let output = child.wait_with_output().expect("it ends");
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("the black box is no longer written: another program truncated"), "{said}");
}

/// Linux counts the address space, which `ulimit` bounds.
#[cfg(target_os = "linux")]
#[test]
fn a_command_without_memory_says_so() {
    let folder = Folder::new();
    fs::write(folder.join("a.lscript"), "[".repeat(30 << 20)).expect("the folder can be written");
    for words in ["script check a.lscript", "script run a.lscript", "script fmt --check a.lscript"] {
        let script = format!("ulimit -v 400000 && exec {PROGRAM} {words}");
        let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{words}: {said}");
        assert!(said.contains("out of memory") && !said.contains("panicked"), "{words}: {said}");
    }
    fs::write(folder.join("b.lscript"), " ".repeat((32 << 20) + 1)).expect("the folder can be written");
    let said = folder.run("script check b.lscript").complaint();
    assert!(said.contains("at most 33554432 are allowed"), "{said}");
}
