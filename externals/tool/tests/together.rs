//! Several processes play one world over 127.0.0.1.

use crate::common;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use common::machines::{Machine, assert_same_world};
use common::{Folder, Json};

#[test]
fn three_machines_play_one_world_and_each_has_its_player() {
    let folder = Folder::new();
    let (host, address) = Machine::host(&folder, "--players 4 --machines 3 --cycles 300");
    let one = Machine::guest(&folder, &address, "--password sesame --cycles 300");
    let other = Machine::guest(&folder, &address, "--password sesame --cycles 300 --net-profile dsl");
    let ((host, said), (one, _), (other, _)) = (host.success(), one.success(), other.success());
    assert_same_world(300, &[&host, &one, &other]);
    let mut players = [&host, &one, &other].map(|json| json.number("player"));
    players.sort_unstable();
    assert_eq!(players, [0, 1, 2]);
    assert!(said.contains("player 1 joins") && said.contains("player 2 joins"), "{said}");
    // Robots alone play another world: what the machines did was in it.
    let alone = folder.run("play sandbox --level tiny --players 4 --cycles 300 --headless --no-film --json").json();
    assert_ne!(alone.text("chain"), host.text("chain"));
}

#[test]
fn a_machine_joins_in_the_middle_another_watches_and_one_that_died_comes_back() {
    let folder = Folder::new();
    let (mut host, address) = Machine::host(&folder, "--players 2 --cycles 1800");
    let mut first = Machine::guest(&folder, &address, "--password sesame --cycles 1800");
    first.wait_for("this machine joins");
    let observer = Machine::guest(&folder, &address, "--password sesame --cycles 1800 --observe");
    host.wait_for("player 1 joins");
    host.wait_for("observer 2 joins");
    first.kill();
    // The place of who is silent is its own, in whichever process.
    let second = Machine::guest(&folder, &address, "--password sesame --cycles 1800");
    host.wait_for("player 1 has left");
    host.wait_for("player 1 joins");
    let ((host, _), (second, said), (observer, _)) = (host.success(), second.success(), observer.success());
    assert_same_world(1800, &[&host, &second, &observer]);
    assert_eq!(second.number("player"), 1);
    assert_eq!(observer.get("player"), &Json::Null);
    assert!(said.contains("the world arrives: 100 %"), "{said}");
}

#[test]
fn a_wrong_password_and_a_full_session_are_refused() {
    let folder = Folder::new();
    let (host, address) = Machine::host(&folder, "--players 1 --cycles 100000");
    let (is_success, json, said) = Machine::guest(&folder, &address, "--password barley").end();
    assert!(!is_success && said.contains("the password is wrong"), "{said}");
    assert!(json.text("error").contains("the password is wrong"));
    let (is_success, _, said) = Machine::guest(&folder, &address, "--password sesame").end();
    assert!(!is_success && said.contains("all 1 players are taken"), "{said}");
    let complaint = folder.run(&format!("join {address} --headless")).complaint();
    assert!(complaint.contains("--password"), "{complaint}");
    host.kill();
    let started = Instant::now();
    let (is_success, _, said) = Machine::guest(&folder, &address, "--password sesame").end();
    assert!(!is_success && said.contains("it does not answer"), "{said}");
    assert!(started.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_guest_with_other_tags_is_refused_and_told_which() {
    let (there, here) = (Folder::new(), Folder::new());
    for folder in [&there, &here] {
        folder.run("new ships").stdout();
    }
    let tag = a_tag_with_a_number(&here.join("ships"));
    // It waits at its first cycle: the level is over after a while.
    let words =
        "host ships --machines 2 --listen 127.0.0.1 --port 0 --password sesame --headless --no-film --cycles 900";
    let mut host = Machine::begin(&there, words);
    let line = host.wait_for("hosts ships");
    let address = line.rsplit(' ').next().expect("the line ends with the address");
    let (is_success, _, said) = Machine::guest(&here, address, "ships --password sesame").end();
    assert!(!is_success && said.contains("another game than the host"), "{said}");
    assert!(said.contains(&format!("the tag {tag}: the host has another version")), "{said}");
    assert_eq!(said.matches("the tag ").count(), 1, "{said}");
    let (is_success, _, said) = Machine::guest(&here, address, "--password sesame").end();
    assert!(!is_success && said.contains("name the folder of the game"), "{said}");
    let (is_success, _, said) = Machine::guest(&here, address, "sandbox --password sesame").end();
    assert!(!is_success && said.contains("the host plays \"ships\", not \"sandbox\""), "{said}");
    // Who has the same tags is welcome.
    let mut same = Machine::guest(&there, address, "ships --password sesame --cycles 900");
    same.wait_for("this machine joins");
}

/// Changes a number in one of the ship's tags, and returns its path.
fn a_tag_with_a_number(game: &Path) -> String {
    let folder = game.join("tags/ships");
    let mut files: Vec<_> =
        fs::read_dir(&folder).expect("there are ships").map(|entry| entry.expect("it can be listed").path()).collect();
    files.sort();
    let file = files.into_iter().find(|file| file.extension().is_some_and(|ending| ending == "ship")).expect("a ship");
    let text = fs::read_to_string(&file).expect("it is text");
    let changed = text.replacen("!set speed ", "!set speed 1", 1);
    assert_ne!(text, changed, "it has a speed");
    fs::write(&file, changed).expect("it can be written");
    format!("ships/{}", file.file_name().expect("it has a name").to_string_lossy())
}

#[test]
fn a_world_that_differs_is_named_saved_and_replaced_by_the_hosts() {
    let folder = Folder::new();
    let (mut host, address) = Machine::host(&folder, "--players 2 --machines 2 --cycles 2500");
    let guest = Machine::guest(&folder, &address, "--password sesame --cycles 2500 --differ-at 200");
    host.wait_for("the world of player 1 differs");
    host.wait_for("what differs before cycle");
    let saved = host.wait_for("both worlds are saved");
    host.wait_for("player 1 has left");
    host.wait_for("player 1 joins");
    let ((host, _), (guest, said)) = (host.success(), guest.success());
    assert!(said.contains("differs from the host's"), "{said}");
    assert_eq!((host.text("chain"), host.number("cycle")), (guest.text("chain"), 2500));
    assert!(host.number("desyncs") >= 1 && guest.number("desyncs") >= 1, "{host:?} {guest:?}");
    let paths: Vec<&str> = saved.split_whitespace().filter(|word| word.ends_with(".save")).collect();
    let differences = folder.run(&format!("save diff {} {} --json", paths[0], paths[1])).output();
    assert!(differences.contains("\"line\"") || differences.contains("differ"), "{differences}");
}

#[test]
fn a_host_whose_world_differs_from_both_others_hands_over_and_gets_theirs() {
    let folder = Folder::new();
    // It withholds events for some seconds: its first new world may differ too.
    let (mut host, address) = Machine::host(&folder, "--players 3 --machines 3 --cycles 4000 --differ-at 300");
    let mut one = Machine::guest(&folder, &address, "--password sesame --player 1 --cycles 4000");
    one.wait_for("joins sandbox");
    let mut other = Machine::guest(&folder, &address, "--password sesame --player 2 --cycles 4000");
    host.wait_for("the world of this machine differs");
    one.wait_for("the world of player 0 differs");
    other.wait_for("the world of player 0 differs");
    one.wait_for("this machine is the host now");
    one.wait_for("player 0 joins");
    let ((host, _), (one, _), (other, _)) = (host.success(), one.success(), other.success());
    for json in [&host, &one, &other] {
        assert_eq!((json.number("cycle"), json.text("chain")), (4000, one.text("chain")), "{json:?}");
    }
    assert_eq!((host.get("is_host"), one.get("is_host")), (&Json::Truth(false), &Json::Truth(true)));
}

#[test]
fn of_two_machines_the_guest_plays_on_when_the_host_dies() {
    let folder = Folder::new();
    let (host, address) = Machine::host(&folder, "--players 2 --machines 2 --cycles 100000");
    let mut guest = Machine::guest(&folder, &address, "--password sesame --cycles 1200");
    guest.wait_for("this machine joins");
    host.kill();
    guest.wait_for("this machine is the host now");
    let (json, said) = guest.success();
    assert_eq!((json.number("cycle"), json.get("is_host")), (1200, &Json::Truth(true)));
    assert!(said.contains("player 0 has left"), "{said}");
}
