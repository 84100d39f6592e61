//! Worlds looked at from the command line: objects by name, handle and tag, in saves and films.

use crate::common;

use common::Folder;

fn game() -> Folder {
    let folder = Folder::new();
    folder.write("mine/tags/globals.globals", "@globals\n!set name \"mine\"\n");
    folder.write(
        "mine/tags/post.object",
        "@object\n!set hits 3\n!set OnSpawn Lambda(!After(5000, [!set hits hits + 1]))\n",
    );
    let level = "@scenario\n!set seen nothing\n!set OnSpawn Lambda(!set seen named(\"goal\"))\n!set placements [\n    { name \"goal\", object \"post.object\", position vec(4, 5, 6), team 2 },\n    { object \"post.object\" },\n]\n";
    folder.write("mine/tags/levels/a.scenario", level);
    folder.run("play mine --headless --cycles 60 --record a.film --save a.save").stdout();
    folder
}

#[track_caller]
fn check(said: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(said.contains(part), "{part}: {said}"));
}

#[test]
fn a_placed_object_is_found_by_its_name_by_tools_and_scripts() {
    let folder = game();
    for file in ["save show a.save", "film show a.film@40"] {
        let said = folder.run(&format!("{file} goal")).stdout();
        check(
            &said,
            &["post.object \"goal\"", "position: vec(4, 5, 6)", "team: 2", "hits 3", "timer at 5", "post.object:3"],
        );
        let all = folder.run(file).stdout();
        check(&all, &["mine a, cycle", "\"goal\": team 2", "3 objects"]);
        let json = folder.run(&format!("{file} goal --json")).json();
        let handle = json.list("objects")[0].text("object").to_string();
        check(&folder.run(&format!("{file} level")).stdout(), &[&format!("seen ~0x{}", &handle[1..])]);
        check(&folder.run(&format!("{file} {handle}")).stdout(), &["\"goal\""]);
    }
    let json = folder.run("save show a.save post.object --json").json();
    assert_eq!(json.number("count"), 2);
    check(&folder.run("save show a.save gaol").complaint(), &["there is no object `gaol`", "did you mean `goal`?"]);
}

#[test]
fn a_write_to_what_does_not_exist_is_refused_at_once() {
    let folder = game();
    check(&folder.run("film who a.film goal hist").complaint(), &["has no variable `hist`", "did you mean `hits`?"]);
    check(&folder.run("film who a.film gaol hits").complaint(), &["did you mean `goal`?"]);
    check(&folder.run("film who a.film #deadbeef hits").complaint(), &["there is no object #deadbeef"]);
    check(&folder.run("film who a.film level seen").stdout(), &["seen nothing → "]);
}

#[test]
fn a_game_in_a_folder_is_found_from_its_files() {
    let folder = game();
    check(
        &folder.run("film play a.film --content now").stdout(),
        &["the replay with the current content is identical"],
    );
    folder.write(
        "mine/tags/post.object",
        "@object\n!set hits 4\n!set OnSpawn Lambda(!After(100, [!set hits hits + 1]))\n",
    );
    check(&folder.run("film play a.film --content now").stdout(), &["diverged before cycle"]);
    check(&folder.run("film play a.film --content now --game mine").stdout(), &["diverged before cycle"]);
    check(&folder.run("save diff a.film@20 a.save").stdout(), &["cycle"]);
    folder.run("play mine --headless --cycles 60 --no-film --black-box a.crash --panic-at 47").last_words();
    check(&folder.run("crash replay a.crash").stdout(), &["all equal"]);
    let elsewhere = Folder::new();
    elsewhere.write("a.film", std::fs::read(folder.join("a.film")).expect("it was written"));
    check(&elsewhere.run("film play a.film --content now").complaint(), &["say --game FOLDER"]);
}

#[test]
fn films_are_counted_together() {
    let folder = Folder::new();
    folder.write("mine/tags/globals.globals", "@globals\n!set name \"mine\"\n");
    folder.write(
        "mine/tags/spark.object",
        "@object\n!set OnSpawn Lambda(!After(200, [!set position vec(25, -5, 0), !After(100, [!Destroy(~this)])]))\n",
    );
    folder.write("mine/tags/all.events", "@events\n!set kinds [ { name \"jump\", fields [ ], robots 0.5 } ]\n");
    folder.write("mine/tags/me.object", "@object\n!set OnJump Lambda(!Spawn(\"spark.object\"))\n");
    folder.write(
        "mine/tags/levels/a.scenario",
        "@scenario\n!set events \"all.events\"\n!set players [ { object \"me.object\" }, { object \"me.object\" } ]\n",
    );
    for (seed, film) in [(1, "a.film"), (2, "b.film")] {
        folder.run(&format!("play mine --headless --cycles 400 --seed {seed} --record {film}")).stdout();
    }
    let lines = folder.run("film inputs a.film --json").json().list("lines").len()
        + folder.run("film inputs b.film --json").json().list("lines").len();
    let counted = folder.run("film count a.film b.film --json").json();
    assert_eq!((counted.number("films"), counted.number("cycles")), (2, 800));
    let sum = |rows: &[common::Json], name: &str| rows.iter().map(|row| row.number(name)).sum::<u64>();
    assert_eq!(sum(counted.list("events"), "count"), lines as u64);
    let sparks: Vec<_> =
        counted.list("objects").iter().filter(|row| row.text("tag") == "spark.object").cloned().collect();
    assert!(lines > 20 && sum(&sparks, "made") <= lines as u64 && sum(&sparks, "made") > 10, "{lines} {sparks:?}");
    // All that ended did so where they were moved to.
    let (ended, places) = (sum(&sparks, "ended"), counted.list("places"));
    assert!(ended > 10, "{sparks:?}");
    assert_eq!((places.len(), places[0].number("count")), (1, ended));
    assert_eq!(
        places[0].get("from"),
        &common::Json::List([20, -10, 0].map(|n| common::Json::Number(n.into())).to_vec())
    );
    let said = folder.run("film count a.film --of spark.object --cell 50").stdout();
    check(&said, &["1 film, 400 cycles", "jump, player 0", "spark.object, team 0", "within 50 m from vec(0, -50, 0)"]);
    assert!(!said.contains("me.object"), "{said}");
    let failed = folder.run("film count a.film none.film --json").failed_json();
    assert_eq!(failed.number("films"), 1);
}

#[test]
fn a_crash_report_is_replayed_without_its_game() {
    let folder = game();
    folder.run("play mine --headless --cycles 120 --no-film --black-box a.crash").stdout();
    let expected = folder.run("crash replay a.crash --json").json();
    std::fs::remove_dir_all(folder.join("mine")).expect("it is there");
    let shown = folder.run("crash show a.crash --json").json();
    assert_eq!((shown.text("game"), shown.get("has_tags")), ("mine", &common::Json::Truth(true)));
    let replayed = folder.run("crash replay a.crash --json").json();
    assert_eq!((replayed.number("cycle"), replayed.text("hash")), (120, expected.text("hash")));
    // Damaged tags are no tags.
    let mut bytes = std::fs::read(folder.join("a.crash")).expect("it is there");
    let end = bytes.len();
    bytes[end - 100] ^= 1;
    folder.write("b.crash", bytes);
    check(&folder.run("crash replay b.crash").complaint(), &["b.crash", "mine"]);
    assert_eq!(folder.run("crash show b.crash --json").json().get("has_tags"), &common::Json::Truth(false));
}
