//! Players' inputs as text: recorded, played again, and wrong.

use crate::common;

use common::Folder;

const EVENTS: &str = "@events\n!set kinds [\n    { name \"go\", fields [ { name \"to\", kind \"vector\" }, { name \"speed\", kind \"number\" }, { name \"fast\", kind \"truth\" } ], robots 0.3 },\n    { name \"pick\", fields [ { name \"what\", kind \"identifier\" }, { name \"whom\", kind \"object\" }, { name \"word\", kind \"string\" } ], robots 0.2 },\n]\n";

fn game() -> Folder {
    let folder = Folder::new();
    folder.write("mine/tags/all.events", EVENTS);
    folder.write(
        "mine/tags/me.object",
        "@object\n!set sum 0\n!set OnGo Lambda(to, speed, fast, [!set position to, !set sum sum + speed]())\n",
    );
    folder.write(
        "mine/tags/levels/a.scenario",
        "@scenario\n!set events \"all.events\"\n!set players [ { object \"me.object\" }, { object \"me.object\" } ]\n",
    );
    folder
}

#[test]
fn recorded_inputs_give_the_same_world() {
    let folder = game();
    let play = |more: &str| folder.run(&format!("play mine --headless --cycles 400 --json {more}")).json();
    let robots = play("--record-inputs a.txt --record a.film");
    let again = play("--inputs a.txt --record-inputs b.txt --no-film");
    assert_eq!(robots.text("chain"), again.text("chain"));
    assert_eq!(folder.read("a.txt"), folder.read("b.txt"));
    assert!(folder.read("a.txt").lines().count() > 20, "{}", folder.read("a.txt"));
    // A film has them too.
    assert_eq!(folder.run("film inputs a.film").stdout(), folder.read("a.txt"));
    // Without lines nobody does anything.
    folder.write("none.txt", "// nothing\n");
    assert_ne!(play("--inputs none.txt --no-film").text("chain"), robots.text("chain"));
}

#[test]
fn inputs_of_a_game_without_a_table_are_raw_words() {
    let folder = Folder::new();
    let play = |more: &str| {
        folder.run(&format!("play sandbox --level tiny --headless --cycles 200 --no-film --json {more}")).json()
    };
    let robots = play("--record-inputs a.txt");
    assert!(folder.read("a.txt").contains(" @"), "{}", folder.read("a.txt"));
    assert_eq!(robots.text("chain"), play("--inputs a.txt").text("chain"));
}

#[test]
fn a_line_enters_with_the_next_safe_cycle() {
    let folder = game();
    folder.write("a.txt", "12 1 go vec(7, 8, 9.5) 2.5 true // by hand\n");
    folder.run("play mine --headless --cycles 40 --no-film --inputs a.txt --save a.save").stdout();
    let shown = folder.run_words(&["save", "show", "a.save", "player", "1"]).stdout();
    assert!(shown.contains("position: vec(7, 8, 9.5)") && shown.contains("sum 2.5"), "{shown}");
}

#[test]
fn mistakes_are_named_by_line_and_column() {
    let folder = game();
    let check = |line: &str, place: &str, part: &str| {
        folder.write("a.txt", format!("\n{line}\n"));
        let said = folder.run("play mine --headless --cycles 20 --no-film --inputs a.txt").complaint();
        assert!(said.contains(&format!("a.txt:2:{place}: ")) && said.contains(part), "{line}: {said}");
    };
    check("x 0 go", "1", "expected the number of a cycle");
    check("5 9 go", "4", "expected a player from 0 to 1, found 9");
    check("5 0 goo vec(1, 2, 3) 1 true", "5", "did you mean `go`?");
    check("5 0 go vec(1, 2) 1 true", "16", "`to`: expected `,`");
    check("5 0 go vec(1, 2, 3) 1", "22", "the field `fast` is missing");
    check("5 0 go vec(1, 2, 3) 1 yes", "23", "expected true or false, found \"yes\"");
    check("5 0 go vec(1, 2, 3) 1 true 8", "28", "expected the end of the line");
    check("5 0 pick 3 ~nothing \"a\"", "10", "expected an identifier as in #3");
    check("5 0 @12 0", "5", "sixteen hexadecimal digits");
}
