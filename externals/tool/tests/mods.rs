//! Mods: layered, checked, shown, saved, filmed, compared and edited while a game runs.

use crate::common;

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use astrarium::mods::in_force;
use astrarium::project;
use astrarium::session::{Session, Start};
use astrarium::state::{Alone, Heap, Settings};
use common::Folder;
use common::chapter::{blocks, commands, is_as_shown, run};

const CHAPTER: &str = include_str!("../../../docs/book/src/mods.md");

/// A game with two mods beside it.
fn game_with_mods() -> Folder {
    let folder = Folder::new();
    folder.run("new demo").stdout();
    folder.write("hard/mod.mod", "@mod\n!set name \"hard\"\n!set version \"1.0\"\n");
    folder.write("hard/ships/corvette.ship", "@ship\n!from \"ships/corvette.ship\"\n!set speed 90\n");
    folder.write("fast/tags/mod.mod", "@mod\n!set name \"fast\"\n!set version \"2.0\"\n");
    folder.write("fast/tags/ships/corvette.ship", "@ship\n!from \"ships/corvette.ship\"\n!set radius 6\n");
    folder
}

fn play(folder: &Folder, more: &str) -> common::Json {
    folder.run(&format!("play demo --headless --cycles 200 --no-film --no-black-box --json {more}")).json()
}

#[test]
fn every_step_of_the_chapter_gives_the_output_shown() {
    let folder = Folder::new();
    let mut count = 0;
    for (kind, inside) in blocks(CHAPTER) {
        if let Some(path) = kind.strip_prefix("lscript ") {
            folder.write(path, &inside);
        }
        if kind == "console" {
            for (line, shown) in commands(&inside) {
                let printed = run(&folder, &line);
                assert!(is_as_shown(&printed, &shown), "$ {line}\n{printed}\nthe chapter shows:\n{shown}");
                count += 1;
            }
        }
    }
    assert!(count >= 5, "{count}");
}

#[test]
fn mods_change_parts_of_a_tag_in_order_and_the_same_mods_give_the_same_world() {
    let folder = game_with_mods();
    let chain = |more: &str| play(&folder, more).text("chain").to_string();
    let (none, hard, both, other) =
        (chain(""), chain("--mod hard"), chain("--mod hard --mod fast"), chain("--mod fast --mod hard"));
    assert!(none != hard && hard != both && both != other);
    assert_eq!((chain(""), chain("--mod hard")), (none, hard));
    let shown = folder.run("tag show ships/corvette.ship --tags demo/tags --mod hard --mod fast").stdout();
    let line = |name: &str| shown.lines().find(|line| line.trim().starts_with(name)).unwrap_or("").to_string();
    assert!(line("speed 90").contains("(from hard:ships/corvette.ship)"), "{shown}");
    assert!(line("radius 6").contains("(from fast:ships/corvette.ship)"), "{shown}");
    assert!(line("update_period 100").contains("(from ships/corvette.ship)"), "{shown}");
    folder.run("prove demo --cycles 60 --workers 2 --mod hard --mod fast").stdout();
}

#[test]
fn a_check_tells_what_a_mod_overrides_and_what_is_gone_below() {
    let folder = game_with_mods();
    folder.write("hard/levels/first.mission", folder.read("demo/tags/levels/first.mission"));
    let printed = folder.run("tag check --tags demo/tags --mod hard --mod fast").stdout();
    for line in [
        "hard: sets speed of ships/corvette.ship, which is of the game",
        "fast: sets radius of ships/corvette.ship, which is of the mod `hard`",
        "hard: replaces levels/first.mission, which is of the game",
    ] {
        assert!(printed.lines().any(|printed| printed == line), "{line}\n{printed}");
    }
    folder.write("hard/ships/gone.ship", "@ship\n!from \"ships/gone.ship\"\n!set speed 90\n");
    folder.write("hard/ships/wrong.ship", "@ship\n!set spede 90\n!set speed 9000000\n");
    let ran = folder.run("tag check --tags demo/tags --mod hard");
    ran.complaint();
    let printed = ran.output();
    assert!(
        printed.contains("hard/ships/gone.ship:2:7: error: `!from`: `ships/gone.ship` is this tag itself"),
        "{printed}"
    );
    assert!(printed.contains("hard/ships/wrong.ship:3:"), "{printed}");
}

#[test]
fn a_tag_of_a_mod_is_edited_behind_what_it_is_made_from() {
    let folder = game_with_mods();
    let from = "@ship\n!from \"ships/corvette.ship\"\n";
    folder.write("hard/ships/corvette.ship", from);
    let set = |place: &str, value: &str| {
        let set = format!("tag set ships/corvette.ship {place} {value} --tags demo/tags --mod hard");
        folder.run(&set).stdout();
        folder.read("hard/ships/corvette.ship")
    };
    assert_eq!(set("speed", "80"), format!("{from}!set speed 80\n"));
    let below = folder.read("demo/tags/ships/corvette.ship");
    let text = set("radius", "7");
    assert!(text.starts_with(from) && text.contains("!set radius 7\n"), "{text}");
    assert_eq!(folder.read("demo/tags/ships/corvette.ship"), below);
    folder.run("tag check --tags demo/tags --mod hard").stdout();
}

#[test]
fn a_save_and_a_film_name_their_mods_and_a_load_compares_them() {
    let folder = game_with_mods();
    play(&folder, "--mod hard --mod fast --save a.save");
    let json = folder.run("save info a.save --json").json();
    let names: Vec<&str> = json.list("mods").iter().map(|one| one.text("name")).collect();
    assert_eq!(names, ["hard", "fast"]);
    let load = |more: &str| {
        let words = format!("play demo --headless --cycles 5 --no-film --no-black-box --load a.save {more}");
        let ran = folder.run(&words);
        ran.stdout();
        ran.output()
    };
    assert!(!load("--mod hard --mod fast").contains("the mod"));
    let other = load("--mod fast --mod hard");
    assert!(other.contains("in the order `hard`, `fast`; here it is `fast`, `hard`"), "{other}");
    let missing = load("--mod hard");
    assert!(missing.contains("a.save: it was made with the mod `fast` 2.0 (") && missing.contains("missing here"));
    let losses = folder.run("save check a.save --game demo --mod hard").stdout();
    assert!(losses.contains("`fast` 2.0") && losses.contains("missing here"), "{losses}");
    folder.write("hard/mod.mod", "@mod\n!set name \"hard\"\n!set version \"1.1\"\n");
    folder.write("new/mod.mod", "@mod\n!set name \"new\"\n");
    let changed = load("--mod hard --mod fast --mod new");
    assert!(changed.contains("`hard` 1.0 (") && changed.contains("changed here: `hard` 1.1 ("), "{changed}");
    assert!(changed.contains("the mod `new` without a version (") && changed.contains("is extra"), "{changed}");
    let words = "play demo --headless --cycles 60 --no-black-box --record a.film --mod fast";
    folder.run(words).stdout();
    assert!(folder.run("film info a.film").stdout().contains("mods, the lowest first: `fast` 2.0 ("));
    folder.run("film verify a.film").stdout();
    let now = folder.run("film play a.film --content now --game demo").output();
    assert!(now.contains("a.film: it was made with the mod `fast` 2.0 (") && now.contains("missing here"), "{now}");
}

#[test]
fn a_crash_report_names_its_mods_and_is_replayed_with_them() {
    let folder = game_with_mods();
    let words = "play demo --headless --cycles 100 --no-film --black-box a.crash --panic-at 50 --mod hard";
    folder.run(words).last_words();
    assert!(folder.run("crash show a.crash").stdout().contains("mods, the lowest first: `hard` 1.0 ("));
    let replayed = folder.run("crash replay a.crash --game demo --mod hard --oldest");
    assert!(replayed.stdout().contains("all equal") && !replayed.output().contains("missing"));
    let without = folder.run("crash replay a.crash --game demo --oldest").output();
    assert!(without.contains("a.crash: it was made with the mod `hard` 1.0 ("), "{without}");
}

#[test]
fn a_game_declares_mods_by_name_and_nothing_outside_its_folder() {
    let folder = game_with_mods();
    fs::create_dir(folder.join("demo/mods")).expect("it can be created");
    fs::rename(folder.join("hard"), folder.join("demo/mods/hard")).expect("it can be moved");
    folder.write("demo/tags/mods.mods", "@mods\n!set folders [\"hard\"]\n");
    let shown = folder.run("tag show ships/corvette.ship speed --tags demo/tags").stdout();
    assert_eq!(shown.trim(), "90");
    play(&folder, "--mod fast --save a.save");
    let json = folder.run("save info a.save --json").json();
    let names: Vec<&str> = json.list("mods").iter().map(|one| one.text("name")).collect();
    assert_eq!(names, ["hard", "fast"]);
    let refused = |more: &str| folder.run(&format!("play demo --headless --cycles 1 --no-film {more}")).complaint();
    assert!(refused("--mod demo/mods/hard").contains("another mod named `hard`"));
    assert!(refused("--mod nowhere").contains("nowhere: expected the folder of a mod, found none"));
    folder.write("demo/tags/mods.mods", "@mods\n!set folders [\"../../fast\"]\n");
    assert!(refused("").contains("the name of a mod: expected 1 to 48 letters"));
    let built_in = folder.run("play skirmish --headless --cycles 1 --no-film --mod fast").complaint();
    assert!(built_in.contains("--tags FOLDER"), "{built_in}");
}

#[test]
fn a_tag_of_a_mod_edited_while_the_game_runs_enters_the_world() {
    let folder = game_with_mods();
    let mods: [PathBuf; 1] = [folder.join("hard")];
    let (entry, lines) = project::open_with(&folder.join("demo"), &mods).expect("it is a game");
    assert!(lines.is_empty(), "{lines:?}");
    let root = entry.tags.folder.expect("it is a folder");
    let (content, lines) = astrarium::tag_tree::open(&entry, "first", root).expect("it can be loaded");
    assert!(lines.is_empty(), "{lines:?}");
    assert_eq!(in_force(content.library()).len(), 1);
    let start = Start { level: "first".into(), seed: 1, players: 1, settings: Settings::default() };
    let mut session = Session::begin(&entry, content, &start, &Heap).expect("it begins");
    let mut wait_for = |text: &str, wanted: &str| {
        folder.write("hard/ships/corvette.ship", text);
        let end = Instant::now() + Duration::from_secs(60);
        let mut seen = Vec::new();
        while Instant::now() < end {
            session.step(&Alone);
            seen.extend(session.content_mut().take_lines());
            if seen.iter().any(|line| line.contains(wanted)) {
                return;
            }
        }
        panic!("{wanted}: {seen:?}");
    };
    wait_for("@ship\n!from \"ships/corvette.ship\"\n!set speed 91\n", "ships/corvette.ship: changed, from safe cycle");
    wait_for("@ship\n!from \"ships/corvette.ship\"\n!set speed\n", "its last good version stays in force");
}
