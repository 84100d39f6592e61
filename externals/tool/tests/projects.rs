//! A game in a folder: created, checked, played, proven, saved, broken.

use crate::common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{Folder, PROGRAM};

/// A folder with a new game in it.
fn new_game() -> Folder {
    let folder = Folder::new();
    let printed = folder.run("new demo").stdout();
    assert!(printed.contains("play demo --headless"), "{printed}");
    folder
}

/// The files of the tree of a game, as arguments of a command.
const TAGS: &str = "demo/tags/globals.globals demo/tags/ship.header demo/tags/mission.header demo/tags/orders.events \
                    demo/tags/player.controls demo/tags/cameras/fleet.camera demo/tags/interfaces/hud.interface \
                    demo/tags/ships/corvette.ship demo/tags/levels/first.mission";

#[test]
fn a_new_game_plays_to_its_end_and_names_the_winner() {
    let folder = new_game();
    let ran = folder.run("play demo --headless --cycles 6000 --no-film --json");
    let json = ran.json();
    assert_eq!((json.text("game"), json.text("level")), ("demo", "first"));
    assert!(["won", "lost"].contains(&json.text("result")), "{json:?}");
    assert!(json.number("cycle") < 6000, "{json:?}");
    assert_eq!(json.number("allocations_while_stepping"), 0);
    let printed = folder.run("play demo/tags --headless --cycles 6000 --no-film").stdout();
    assert!(printed.starts_with("demo first: ") && printed.contains("\nfirst is over: "), "{printed}");
}

#[test]
fn a_new_game_has_no_faults() {
    let folder = new_game();
    for _ in 0..2 {
        let json = folder.run("tag check --tags demo/tags --json").json();
        assert_eq!((json.number("errors"), json.number("warnings")), (0, 0), "{json:?}");
        let json = folder.run(&format!("script check {TAGS} --json")).json();
        assert_eq!((json.number("errors"), json.list("reports").len()), (0, 0), "{json:?}");
        folder.run(&format!("script fmt --check {TAGS}")).stdout();
        // Then as in a fresh clone of its repository.
        let _ = fs::remove_dir_all(folder.join("demo/.astrarium"));
    }
}

#[test]
fn every_template_has_no_faults_and_passes_its_own_checks() {
    for template in ["strategy", "arena", "toy", "empty"] {
        let folder = Folder::new();
        let json = folder.run(&format!("new demo --template {template} --json")).json();
        assert_eq!(json.text("template"), template);
        let paths: Vec<String> = json.list("files").iter().map(|file| format!("demo/{}", file.text("path"))).collect();
        assert!(paths.iter().all(|path| folder.join(path).exists()), "{template}");
        let tags: Vec<&str> = paths.iter().map(String::as_str).filter(|path| path.starts_with("demo/tags/")).collect();
        folder.run(&format!("script fmt --check {}", tags.join(" "))).stdout();
        let json = folder.run("tag check --tags demo/tags --json").json();
        assert_eq!((json.number("errors"), json.number("warnings")), (0, 0), "{template}: {json:?}");
        let script = Command::new("sh").arg(folder.join("demo/check.sh")).env("ASTRARIUM", PROGRAM).output();
        // Windows may have no shell.
        if let Ok(ended) = script {
            assert!(ended.status.success(), "{template}: {ended:?}");
            let said = String::from_utf8_lossy(&ended.stdout);
            assert!(said.contains("proven: all"), "{template}: {said}");
            for fault in ["halted", "default was used", "was kept", "does not exist"] {
                assert!(!said.contains(fault), "{template}: {said}");
            }
        }
    }
    assert!(Folder::new().run("new demo --template castle").complaint().contains("castle"));
}

#[test]
fn the_checks_of_scripts_and_of_tags_report_the_same_error_in_a_tag() {
    let folder = new_game();
    let ship = folder.read("demo/tags/ships/corvette.ship").replace("reach", "raech");
    folder.write("demo/tags/ships/corvette.ship", ship);
    for command in ["script check demo/tags/ships/corvette.ship", "tag check --tags demo/tags"] {
        let ran = folder.run(command);
        ran.complaint();
        let printed = ran.output();
        assert!(printed.contains("`raech` is not known here") && printed.contains("1 error"), "{command}: {printed}");
    }
    // What only the world and the whole tree know.
    for (wrong, told) in [
        ("!Destory(~this)", "there is no effect `!Destory`"),
        ("!Damage(~this)", "`!Damage` takes"),
        ("!Spawn(\"ships/corvete.ship\")", "there is no tag `ships/corvete.ship`"),
        ("!Send(~leval, \"a\")", "there is no object `~leval`"),
    ] {
        folder.write("demo/tags/ships/wrong.ship", format!("// A ship.\n@ship\n!set OnSpawn Lambda({wrong})\n"));
        for command in ["script check demo/tags/ships/wrong.ship", "tag check --tags demo/tags ships/wrong.ship"] {
            let ran = folder.run(command);
            ran.complaint();
            let printed = ran.output();
            assert!(printed.contains(told) && printed.contains("wrong.ship:3:"), "{command}: {printed}");
        }
    }
    let header = folder.read("demo/tags/ship.header").replace("type \"handle\"", "type \"hadnle\"");
    folder.write("demo/tags/ship.header", header);
    assert!(folder.run("script check demo/tags/ship.header").complaint().contains("1 error"));
}

#[test]
fn a_game_in_a_folder_is_proven_saved_compared_and_replayed() {
    let folder = new_game();
    let json = folder.run("prove demo --cycles 40 --workers 2,5 --json").json();
    assert_eq!((json.text("game"), json.number("failed")), ("demo", 0));
    for (cycles, save) in [(40, "a.save"), (50, "b.save")] {
        folder.run(&format!("play demo --headless --cycles {cycles} --no-film --save {save}")).stdout();
    }
    let printed = folder.run("play demo --headless --cycles 10 --no-film --load a.save --json").json();
    let whole = folder.run("play demo --headless --cycles 50 --no-film --json").json();
    assert_eq!(printed.text("hash"), whole.text("hash"));
    let printed = folder.run("save diff a.save b.save --game demo").stdout();
    assert!(printed.contains("position"), "{printed}");
    // Saves hold their tags, so they are compared without the folder too.
    assert_eq!(folder.run("save diff a.save b.save").stdout(), printed);
    let words = folder.run("play demo --headless --cycles 60 --no-film --black-box a.crash --panic-at 47").last_words();
    assert!(words.contains("crash replay a.crash --game "), "{words}");
    let json = folder.run("crash replay a.crash --game demo --json").json();
    assert_eq!(json.number("cycle"), 47);
    folder.run("play demo --headless --cycles 30 --record a.film").stdout();
    assert!(folder.run("film verify a.film --quiet").stdout().contains("all hashes are equal"));
    assert!(folder.run("play --headless --from a.film --cycles 5 --no-film").stdout().starts_with("demo first: "));
}

#[test]
fn two_clones_in_folders_of_other_names_have_one_chain_and_read_each_others_saves() {
    let folder = new_game();
    copy_folder(&folder.join("demo"), &folder.join("demo-1.2"));
    let play = |game: &str, more: &str| {
        folder.run(&format!("play {game} --headless --cycles 60 --no-film --json {more}")).json()
    };
    let (one, other) = (play("demo", "--save a.save"), play("demo-1.2", ""));
    assert_eq!((one.text("game"), one.text("version")), ("demo", "0.1"));
    assert_eq!((one.text("chain"), one.text("hash")), (other.text("chain"), other.text("hash")));
    let went_on = play("demo-1.2", "--load a.save");
    assert_eq!(went_on.number("cycle"), 120);
}

#[test]
fn a_folder_that_cannot_be_played_says_why_and_names_the_remedy() {
    let folder = Folder::new();
    let scenario = "@scenario\n";
    folder.write("empty/readme.txt", "nothing");
    folder.write("flat/globals.globals", "@globals\n");
    folder.write("astray/tags/first.scenario", scenario);
    folder.write("typo/tags/levels/first.scenarii", "@scenarii\n");
    folder.write("typo/tags/globals.globals", "@globals\n");
    folder.write("bad name-1.2/tags/levels/first.scenario", scenario);
    folder.write("a.file", "");
    let check = |name: &str, parts: &[&str]| {
        let printed = folder.run_words(&["play", name, "--headless"]).complaint();
        parts.iter().for_each(|part| assert!(printed.contains(part), "{name}: {part}: {printed}"));
    };
    check("nowhere", &["expected one of: sandbox", "or the folder of a game", "\"nowhere\""]);
    check("a.file", &["expected the folder of a game, found a file"]);
    check("empty", &["there are no tags", "new NAME"]);
    check("flat", &["there is no level", "`levels/first.scenario`"]);
    check("astray", &["there is no level", "first.scenario: move it there"]);
    check("typo", &["there is no class `scenarii`", "did you mean `scenario`?"]);
    // The name of a folder does not matter; that of the globals does.
    let printed = folder.run_words(&["play", "bad name-1.2", "--headless", "--cycles", "5", "--no-film"]).stdout();
    assert!(printed.starts_with("game first: "), "{printed}");
    folder.write("bad name-1.2/tags/globals.globals", "@globals\n!set name \"bad name\"\n");
    let ran = folder.run_words(&["play", "bad name-1.2", "--headless", "--cycles", "5", "--no-film"]);
    let printed = ran.output();
    assert!(printed.contains("1 to 48 letters, digits") && printed.contains("found \"bad name\""), "{printed}");
    folder.run("new demo").stdout();
    assert!(folder.run("new demo").complaint().contains("a new folder"));
    assert!(folder.run("new no.dots").complaint().contains("found \"no.dots\""));
    assert!(folder.run("new games/sandbox").complaint().contains("already has a game named sandbox"));
    assert!(!folder.join("games").exists());
    assert!(folder.run("play demo --headless --level second").complaint().contains("expected a level of demo: first"));
}

#[test]
fn a_tree_with_errors_plays_and_prints_them() {
    let folder = new_game();
    folder.write("demo/tags/ships/broken.ship", "@ship\n!set hull \"much\"\n!set speed 1e9\n");
    folder.write("demo/tags/rocks/a.rock", "@rock\n");
    folder.write("demo/tags/wrong.header", "@EnvironmentHeader\n!set Namespace \"wrong\"\n!set Base \"missing\"\n");
    folder.write("demo/tags/levels/first.scenario", "@scenario\n!set placements [{ object \"ships/nothing.ship\" }]\n");
    let ran = folder.run("play demo --headless --cycles 20 --no-film");
    ran.stdout();
    let printed = ran.output();
    let parts = [
        "levels/first.scenario: another level named `first` takes precedence",
        "broken.ship:2",
        "broken.ship:3",
        "there is no class `rock`",
        "there is no class `missing`",
        "the tag `ships/nothing.ship` does not exist",
        "cycle 20, hash",
    ];
    parts.iter().for_each(|part| assert!(printed.contains(part), "{part}: {printed}"));
}

#[test]
fn runtime_errors_are_printed_with_their_place_but_not_repeatedly() {
    let folder = new_game();
    let ship = folder.read("demo/tags/ships/corvette.ship");
    let wrong = "!set empty nothing\n!set OnUpdate Lambda(seconds, !set hull hull + empty)\n";
    let until_update = ship.split("!set OnUpdate").next().expect("it updates");
    folder.write("demo/tags/ships/corvette.ship", format!("{until_update}{wrong}"));
    let ran = folder.run("play demo --headless --cycles 60 --no-film");
    let (printed, output) = (ran.stdout(), ran.output());
    let lines: Vec<&str> = output
        .lines()
        .filter(|line| line.starts_with("cycle ") && line.contains("a value of the wrong type"))
        .collect();
    assert!(lines.first().is_some_and(|line| line.contains("ships/corvette.ship:")), "{output}");
    assert!(lines.len() < 20, "{output}");
    assert!(printed.contains("times: a script got a value of the wrong type"), "{printed}");
}

#[test]
fn two_saves_differ_in_objects_and_a_film_knows_the_last_write() {
    let folder = new_game();
    folder.run("play demo --headless --cycles 700 --record a.film --save a.save").stdout();
    folder.run("film branch a.film 690 b.save").stdout();
    let printed = folder.run("save diff b.save a.save --game demo --most 500").stdout();
    let line = printed.lines().find(|line| line.contains(": hull ")).unwrap_or_else(|| panic!("{printed}"));
    // cycle 690, ships/corvette.ship #e2710002: hull 64 ≠ 46
    let object = line.split_whitespace().find(|word| word.starts_with('#')).expect("a handle").trim_end_matches(':');
    let who = folder.run(&format!("film who a.film {object} hull")).stdout();
    assert!(who.contains(&format!("damage: ships/corvette.ship {object}: hull ")), "{who}");
    let ship = folder.read("demo/tags/ships/corvette.ship");
    let line = ship.lines().position(|line| line.contains("!set hull hull -")).expect("a hit costs something") + 1;
    assert!(who.trim_end().ends_with(&format!("set at ships/corvette.ship:{line}")), "{who}");
    let missing = folder.run(&format!("film who a.film {object} hulk"));
    assert!(missing.complaint().contains("has no variable `hulk`; did you mean `hull`?"), "{}", missing.output());
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("it can be made");
    for entry in fs::read_dir(from).expect("it can be read") {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name())).expect("it can be read");
        if path.is_dir() {
            copy_folder(&path, &to.join(name));
        } else {
            fs::copy(&path, to.join(name)).expect("it can be copied");
        }
    }
}

#[test]
fn a_mistake_is_told_once_when_a_game_starts() {
    let folder = Folder::new();
    folder.write("mine/tags/globals.globals", "@globals\n!set name \"mine\"\n");
    folder.write("mine/tags/post.object", "@object\n!set team 99\n!set OnSpawn Lambda(!Log(team.x))\n");
    folder.write("mine/tags/levels/a.scenario", "@scenario\n!set placements [ { object \"post.object\" } ]\n");
    let said = folder.run("play mine --headless --paced --speed 5000 --cycles 200 --no-film").output();
    assert_eq!(said.matches("post.object:2:11: error").count(), 1, "{said}");
    assert_eq!(said.matches("post.object:3:26: error").count(), 1, "{said}");
    assert!(!said.contains("last good version"), "{said}");
}
