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
