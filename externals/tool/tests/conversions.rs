//! A save survives changes of content: classes, defaults, names of fields, and the level.

use crate::common;

use common::Folder;

const HEADER: &str = "@EnvironmentHeader\n!set Namespace \"ship\"\n!set Base \"object\"\n!set Attributes [\n    { name \"hull\", type \"number\", default 10, state true },\n    { name \"shield\", type \"number\", default 3, state true },\n]\n";
const SHIP: &str = "@ship\n!set update_period 100\n!set OnUpdate Lambda(s, !set hull hull - 0.25)\n";
const LEVEL: &str = "@scenario\n!set objects_max 64\n!set placements [\n    { name \"flag\", object \"a.ship\", count 3, spread vec(9, 9, 9) },\n]\n";

/// A game with three ships, whose save of cycle 200 is `a.save`.
fn saved() -> Folder {
    let folder = Folder::new();
    folder.write("flotilla/tags/globals.globals", "@globals\n!set name \"flotilla\"\n!set version \"1\"\n");
    folder.write("flotilla/tags/ship.header", HEADER);
    folder.write("flotilla/tags/a.ship", SHIP);
    folder.write("flotilla/tags/levels/one.scenario", LEVEL);
    folder.run("play flotilla --headless --cycles 200 --no-film --save a.save").stdout();
    folder
}

/// Loads the save for ten more cycles; returns everything that was printed, and what `save show` says of the first ship then.
fn go_on(folder: &Folder) -> (String, String) {
    let ran = folder.run("play flotilla --headless --cycles 10 --no-film --load a.save --save b.save");
    ran.stdout();
    (ran.output(), folder.run("save show b.save flag").stdout())
}

#[track_caller]
fn check(said: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(said.contains(part), "{part}: {said}"));
}

#[test]
fn added_and_removed_fields_and_other_defaults_are_carried() {
    let folder = saved();
    let header = HEADER.replace("\"shield\"", "\"armour\"").replace("default 10", "default 77");
    folder.write("flotilla/tags/ship.header", header);
    let (said, ship) = go_on(&folder);
    check(&said, &["was converted to the tags of today", "a.ship: its 3 objects lose `shield`", "cycle 210"]);
    check(&ship, &["hull 4.75", "armour 3"]);
    // The save itself is as it was, and needs no folder to be read.
    check(&folder.run("save show a.save flag").stdout(), &["hull 5", "shield 3"]);
}

#[test]
fn timers_and_handlers_whose_lambda_is_gone_are_named_before_the_save_is_loaded() {
    let folder = Folder::new();
    let ship = "@ship\n!set storage 24\n!set tend [ !set hull hull + 1 ]\n!set OnSpawn Lambda(do [ !Every(500, tend), !EventHandler(~this, \"poke\", [ !set hull 0 ]) ])\n";
    folder.write("flotilla/tags/globals.globals", "@globals\n!set name \"flotilla\"\n!set version \"1\"\n");
    folder.write("flotilla/tags/ship.header", HEADER);
    folder.write("flotilla/tags/a.ship", ship);
    folder.write("flotilla/tags/levels/one.scenario", LEVEL);
    folder.run("play flotilla --headless --cycles 200 --no-film --save a.save").stdout();
    // An edited lambda goes on.
    folder.write("flotilla/tags/a.ship", ship.replace("hull + 1", "hull + 100"));
    check(&folder.run("save check a.save --game flotilla").stdout(), &["nothing is lost"]);
    folder.write("flotilla/tags/a.ship", "@ship\n!set storage 24\n");
    let timers = "a.ship: its 3 objects lose 3 timers of `tend` (line 3): there is no such lambda now";
    let handlers = "a.ship: its 3 objects lose 3 handlers of a lambda in `OnSpawn` (line 4)";
    check(&folder.run("save check a.save --game flotilla").output(), &[timers, handlers]);
    check(&go_on(&folder).0, &[timers, handlers]);
    // As a conversion too.
    folder.write("flotilla/tags/levels/one.scenario", LEVEL.replace("objects_max 64", "objects_max 128"));
    check(&folder.run("save check a.save --game flotilla").output(), &[timers, handlers]);
    check(&go_on(&folder).0, &["was converted to the tags of today", timers, handlers]);
}

#[test]
fn a_renamed_field_keeps_its_value_and_a_conversion_is_applied() {
    let folder = saved();
    let header = HEADER.replace("{ name \"hull\",", "{ name \"health\", former [\"hull\"],");
    folder.write("flotilla/tags/ship.header", header);
    folder.write("flotilla/tags/a.ship", SHIP.replace("hull", "health"));
    let (said, ship) = go_on(&folder);
    assert!(!said.contains("lose"), "{said}");
    check(&ship, &["health 4.75", "shield 3"]);
    let former = "{ name \"health\", former [{ name \"hull\", convert Lambda(old, old * 100) }],";
    folder.write("flotilla/tags/ship.header", HEADER.replace("{ name \"hull\",", former));
    check(&go_on(&folder).1, &["health 499.75"]);
}

#[test]
fn a_save_goes_on_in_an_edited_level_without_a_restart() {
    let folder = saved();
    let level = LEVEL.replace("objects_max 64", "objects_max 32").replace("count 3", "count 7");
    folder.write("flotilla/tags/levels/one.scenario", level);
    let (said, ship) = go_on(&folder);
    assert!(!said.contains("restarts"), "{said}");
    check(&said, &["4 objects", "cycle 210"]);
    check(&ship, &["hull 4.75"]);
    let checked = folder.run("save check a.save --game flotilla").stdout();
    check(&checked, &["nothing is lost"]);
}

#[test]
fn what_does_not_fit_is_named_before_anything_happens() {
    let folder = Folder::new();
    folder.write("flotilla/tags/a.object", "@object\n");
    let level = "@scenario\n!set objects_max 64\n!set placements [ { object \"a.object\", count 40 } ]\n";
    folder.write("flotilla/tags/levels/one.scenario", level);
    folder.run("play flotilla --headless --cycles 20 --no-film --save a.save").stdout();
    folder.write(
        "flotilla/tags/levels/one.scenario",
        level.replace("objects_max 64", "objects_max 16").replace("40", "4"),
    );
    let said = folder.run("play flotilla --headless --cycles 20 --no-film --load a.save").complaint();
    check(&said, &["\"objects\" needs room for 41, and there is room for 16", "raise `objects_max`"]);
    check(&folder.run("save check a.save --game flotilla").complaint(), &["raise `objects_max`"]);
    folder.run("play flotilla --headless --cycles 20 --no-film").stdout();
}

#[test]
fn a_converted_world_is_deterministic_and_its_film_plays() {
    let folder = saved();
    folder.write("flotilla/tags/ship.header", HEADER.replace("\"shield\"", "\"armour\""));
    folder.write("flotilla/tags/levels/one.scenario", LEVEL.replace("objects_max 64", "objects_max 4096"));
    let play = |workers: u32| {
        let words = format!(
            "play flotilla --headless --cycles 100 --load a.save --record a.film --json --workers {workers} --shuffle {workers}"
        );
        folder.run(&words).json().text("chain").to_string()
    };
    assert_eq!(play(1), play(3));
    assert!(folder.run("film verify a.film --quiet").stdout().contains("all hashes are equal"));
}

#[test]
fn players_stay_where_they_are_when_an_edited_level_restarts() {
    let folder = Folder::new();
    folder.write("flotilla/tags/walker.object", "@object\n!set steps 0\n!set OnUpdate Lambda(s, [!set steps steps + 1, !set position position + vec(1, 0, 0)]())\n");
    let level = "@scenario\n!set players [ { object \"walker.object\" } ]\n!set objects_max 64\n";
    folder.write("flotilla/tags/levels/one.scenario", level);
    let mut playing = folder
        .command("play flotilla --headless --paced --cycles 400 --record a.film --json")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("the command can be run");
    let film = folder.join("a.film");
    while std::fs::metadata(&film).map_or(0, |file| file.len()) < 2000 {
        std::thread::yield_now();
    }
    folder.write("flotilla/tags/levels/one.scenario", level.replace("64", "128"));
    assert!(playing.wait().expect("it ends").success());
    let said = folder.run("film info a.film").stdout();
    check(&said, &["take 1"]);
    let shown = folder.run("film show a.film walker.object").stdout();
    // As many as without the restart: the first update is in the cycle after the spawn.
    folder.run("play flotilla --headless --cycles 400 --record b.film").stdout();
    let undisturbed = folder.run("film show b.film walker.object").stdout();
    assert!(undisturbed.contains("steps 399") && shown.contains("steps 399"), "{shown}{undisturbed}");
    assert!(folder.run("film verify a.film --quiet").stdout().contains("all hashes are equal"));
}
