//! Situations: levels that begin again while one edits, with the same inputs each time.

use crate::common;

use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use common::Folder;

const EVENTS: &str =
    "@events\n!set kinds [ { name \"go\", fields [ { name \"by\", kind \"number\" } ], robots 0.5 } ]\n";
const ME: &str = "@object\n!set sum 0\n!set OnGo Lambda(by, [!set sum sum + by, !Log(\"sum\", sum)])\n";
const LEVEL: &str = "!set events \"all.events\"\n!set players [ { object \"me.object\" } ]\n";

fn game() -> Folder {
    let folder = Folder::new();
    folder.write("mine/tags/globals.globals", "@globals\n!set name \"mine\"\n");
    folder.write("mine/tags/all.events", EVENTS);
    folder.write("mine/tags/me.object", ME);
    folder.write("mine/tags/levels/a.scenario", format!("@scenario\n{LEVEL}"));
    folder.write(
        "mine/tags/levels/duel.situation",
        format!("@situation\n{LEVEL}!set cycles 40\n!set inputs [ \"10 0 go 2\", \"21 0 go 3.5\" ]\n"),
    );
    folder
}

#[test]
fn each_round_has_the_same_cast_and_inputs() {
    let folder = game();
    let said = folder.run("play mine --level duel --headless --cycles 120 --log all --record a.film").output();
    assert_eq!(said.matches("sum 5.5").count(), 3, "{said}");
    assert_eq!(said.matches("sum 2\n").count(), 3, "{said}");
    assert!(
        said.contains("duel, round 1, ends at cycle 40") && said.contains("duel, round 2, ends at cycle 80"),
        "{said}"
    );
    assert!(folder.run("film verify a.film --quiet").stdout().contains("120"));
    folder.run("tag check --tags mine/tags").stdout();
    // A line that is wrong is told before anything is played.
    folder.write("mine/tags/levels/wrong.situation", format!("@situation\n{LEVEL}!set inputs [ \"10 0 og 2\" ]\n"));
    let complaint = folder.run("play mine --level wrong --headless").complaint();
    assert!(complaint.contains("the inputs of wrong:1:") && complaint.contains("did you mean"), "{complaint}");
}

#[test]
fn a_stretch_of_a_film_repeats_with_the_inputs_of_the_film_and_the_tags_of_today() {
    let folder = game();
    folder.run("play mine --level a --headless --cycles 400 --record mine/b.film").stdout();
    folder.run("play mine --level a --headless --cycles 200 --no-film --save at200.save").stdout();
    folder.run("play mine --level a --headless --cycles 300 --no-film --save at300.save").stdout();
    let sum = |file: &str| -> f64 {
        let shown = folder.run_words(&["save", "show", file, "player", "0"]).stdout();
        let line = shown.lines().find_map(|line| line.trim().strip_prefix("sum ")).expect("it has a sum").to_string();
        line.parse().expect("it is a number")
    };
    let gained = sum("at300.save") - sum("at200.save");
    assert!(gained != 0.0);
    folder.write(
        "mine/tags/levels/again.situation",
        "@situation\n!set film \"b.film\"\n!set first 200\n!set cycles 100\n",
    );
    let said = folder.run("play mine --level again --headless --cycles 100 --no-film --save c.save").stdout();
    assert!(said.contains("cycle 300"), "{said}");
    assert_eq!(sum("c.save"), sum("at300.save"));
    // Three rounds, and the world is that of the third; then with a tag of today.
    folder.run("play mine --level again --headless --cycles 300 --no-film --save d.save").stdout();
    assert_eq!(sum("d.save"), sum("at300.save"));
    folder.write("mine/tags/me.object", ME.replace("!set sum sum + by", "!set sum sum + by * 3"));
    folder.run("play mine --level again --headless --cycles 300 --no-film --save e.save").stdout();
    // An edit enters with the first safe cycle, whose inputs meet the tags of the film.
    let inputs = folder.run("film inputs mine/b.film").stdout();
    let by = |cycles: std::ops::Range<u64>| -> f64 {
        let lines = inputs.lines().filter_map(|line| line.split_once(" 0 go "));
        let within = lines.filter(|(cycle, _)| cycle.parse().is_ok_and(|cycle| cycles.contains(&cycle)));
        within.map(|(_, by)| by.parse::<f64>().expect("it is a number")).sum()
    };
    let expected = sum("at200.save") + by(200..201) + 3.0 * by(201..300);
    assert!((sum("e.save") - expected).abs() < 1.0, "{} {expected}", sum("e.save"));
    let left = folder.join(".astrarium").read_dir().expect("it is there").filter_map(Result::ok);
    assert!(!left.into_iter().any(|entry| entry.file_name().to_string_lossy().starts_with("situation-")));
}

#[test]
fn an_edit_counts_in_the_next_round() {
    let folder = game();
    let mut command = folder.command("play mine --level duel --headless --paused --cycles 1000 --no-film");
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it can be run");
    for _ in 0..2000 {
        if folder.run("tell status").output().contains("cycle 0") {
            break;
        }
        sleep(Duration::from_millis(5));
    }
    let sum = || folder.run_words(&["tell", "evaluate", "sum", "--object", "player 0"]).stdout().trim().to_string();
    folder.run("tell step 39").stdout();
    assert_eq!(sum(), "5.5");
    folder.write("mine/tags/me.object", ME.replace("!set sum sum + by", "!set sum sum + by * 10"));
    for _ in 0..2000 {
        folder.run("tell step 40").stdout();
        if sum() == "55" {
            break;
        }
        sleep(Duration::from_millis(5));
    }
    assert_eq!(sum(), "55");
    folder.run("tell stop").stdout();
    child.wait().expect("it ends");
}
