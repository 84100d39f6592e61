//! A game that is asked to end by the system, with SIGTERM or Ctrl-C, ends in good order.

#![cfg(unix)]

use crate::common;

use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use common::Folder;

/// The number of attempts at something slow, and the pause between them.
const TRIES: usize = 3000;
const BETWEEN: Duration = Duration::from_millis(5);
/// More cycles than a test runs.
const ENDLESS: &str = "--cycles 1000000000";

/// Begins a game that does not end by itself, and waits until its world has run for a while.
fn begin(folder: &Folder, words: &str) -> Child {
    folder.write("mine/tags/globals.globals", "@globals\n!set name \"mine\"\n");
    folder.write(
        "mine/tags/post.object",
        "@object\n!set OnUpdate Lambda(seconds, !set position position + vec(seconds, 0, 0))\n",
    );
    let level = "@scenario\n!set placements [ { name \"goal\", object \"post.object\" } ]\n";
    folder.write("mine/tags/levels/a.scenario", level);
    let mut command = folder.command(&format!("play mine {words}"));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it can be run");
    let runs = (0..TRIES).any(|_| {
        sleep(BETWEEN);
        let output = folder.run("tell status --json").output();
        output.split("\"cycle\": ").nth(1).is_some_and(|rest| !rest.starts_with('0'))
            || output.split("\"cycle\":").nth(1).is_some_and(|rest| !rest.trim_start().starts_with('0'))
    });
    if !runs {
        child.kill().expect("it is a child of this process");
        panic!("it never runs: {:?}", child.wait_with_output());
    }
    child
}

/// Sends a signal, as a system or a person does.
fn ask(child: Child, signal: &str) -> Output {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().expect("there is `kill`");
    assert!(sent.success());
    child.wait_with_output().expect("it ends")
}

/// It has ended by itself, with its last lines, and its save is that of its last cycle.
#[track_caller]
fn check(folder: &Folder, output: &Output) {
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{printed}{}", String::from_utf8_lossy(&output.stderr));
    let hash = printed.split("hash ").nth(1).and_then(|rest| rest.get(..16)).unwrap_or_else(|| panic!("{printed}"));
    assert_eq!(folder.run("save info a.save --json").json().text("hash"), hash);
}

#[test]
fn a_game_without_a_window_ends_in_good_order() {
    for signal in ["-TERM", "-INT"] {
        let folder = Folder::new();
        let child = begin(&folder, &format!("--headless --paced {ENDLESS} --save a.save --record a.film"));
        check(&folder, &ask(child, signal));
        assert!(folder.run("film verify a.film --quiet").stdout().contains("all hashes are equal"));
    }
}

#[test]
fn a_shown_game_ends_in_good_order() {
    for signal in ["-TERM", "-INT"] {
        let folder = Folder::new();
        let child = begin(&folder, "--headless --web 0 --save a.save --record a.film");
        check(&folder, &ask(child, signal));
        assert!(folder.run("film verify a.film --quiet").stdout().contains("all hashes are equal"));
    }
}
