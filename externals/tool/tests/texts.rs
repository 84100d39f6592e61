//! Texts for people from the command line.

use crate::common;

use std::fs;
use std::process::Output;

use common::{Folder, Json};

/// The texts of the sandbox.
const TEXTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/sandbox/texts");

fn run(folder: &Folder, words: &[&str]) -> Output {
    folder.command("").args(words).output().expect("the command can be run")
}

#[track_caller]
fn printed(folder: &Folder, words: &[&str]) -> String {
    let output = run(folder, words);
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).expect("the output is UTF-8")
}

#[track_caller]
fn complaint(folder: &Folder, words: &[&str]) -> String {
    let output = run(folder, words);
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(output.status.code(), Some(1 | 2)) && !printed.contains("panicked"), "{words:?}: {output:?}");
    printed
}

fn write(folder: &Folder, path: &str, bytes: impl AsRef<[u8]>) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("it is in the folder")).expect("the folder can be written");
    fs::write(path, bytes).expect("the folder can be written");
}

#[test]
fn the_sandbox_has_all_its_texts() {
    let folder = Folder::new();
    let found = printed(&folder, &["text", "check", TEXTS]);
    assert_eq!(found, "11 texts in de, de-AT, en, pl\n");
    let json = Json::read(printed(&folder, &["text", "check", TEXTS, "--json"]).trim());
    assert_eq!((json.number("texts"), json.number("errors"), json.list("reports").len()), (11, 0, 0));
    assert_eq!(json.text("languages"), "de, de-AT, en, pl");
    for level in sandbox::ENTRY.levels {
        printed(&folder, &["text", "say", TEXTS, &format!("sandbox.level.{level}")]);
    }
}

#[test]
fn a_text_is_printed_in_a_language() {
    let folder = Folder::new();
    let check = |words: &[&str], expected: &str| {
        let words = [&["text", "say", TEXTS], words].concat();
        assert_eq!(printed(&folder, &words), format!("{expected}\n"), "{words:?}");
    };
    check(&["sandbox.level.meadow"], "A meadow");
    check(&["sandbox.level.meadow", "--language", "pl"], "Łąka");
    check(&["sandbox.level.crowd", "--language", "de-AT"], "Ein Wirbel");
    check(&["agents.born", "--language", "pl", "team=Zieloni", "count=22"], "Zieloni: 22 narodziny");
    check(&["ship.hit", "damage=1234.5", "--language", "de"], "Das Schiff ist getroffen und verliert 1.234,5 Punkte");
    check(&["ship.hit.short", "damage=\"3\""], "Hit: 3");
    let json = printed(&folder, &["text", "say", TEXTS, "sandbox.about", "--json"]);
    assert_eq!(Json::read(json.trim()).text("text"), "Sandbox: small agents among plants that grow");
}

#[test]
fn a_text_that_cannot_be_printed_fails_and_says_why() {
    let folder = Folder::new();
    let check = |words: &[&str], expected: &str| {
        let words = [&["text", "say", TEXTS], words].concat();
        let found = complaint(&folder, &words);
        assert!(found.contains(expected), "{words:?}: {found}");
    };
    check(&["ship.lost"], "there is no text \"ship.lost\"");
    check(&["ship-hit"], "an id is letters, digits, `_` and dots");
    check(&["ship.hit.short"], "\"ship.hit.short\" in en lacks its parameter `damage`");
    check(&["ship.hit", "damage"], "expected name=value, found \"damage\"");
    check(&["ship.hit", "damage=1", "--language", "german"], "\"german\" is not a language tag; en is used");
    assert!(complaint(&folder, &["text", "say", "missing", "a"]).contains("missing: listing the folder failed"));
    assert!(complaint(&folder, &["text", "check", "."]).contains("expected folders of languages"));
    let output = run(&folder, &["text", "say", TEXTS, "ship.lost", "--json"]);
    let last = Json::read(String::from_utf8_lossy(&output.stdout).trim());
    assert!(last.text("error").contains("ship.lost"));
}

#[test]
fn the_check_reports_file_line_column_and_remedy() {
    let folder = Folder::new();
    write(&folder, "texts/default-language.txt", "de\n");
    write(&folder, "texts/de/a.ftl", "a = { $n }\nb = x\nc = { -who }\n");
    write(&folder, "texts/en/a.ftl", "a = { $m }\nb = {\n");
    write(&folder, "texts/fr/a.ftl", [b'a', b' ', b'=', b' ', 0xff]);
    let found = complaint(&folder, &["text", "check", "texts"]);
    for expected in [
        "texts/de/a.ftl:3:1: error: `c` refers to the term `-who`, which this language does not have\n  = add `-who = …`",
        "texts/de/a.ftl:2:1: error: \"b\" has no text in en\n  = add `b` to the texts of en",
        "texts/en/a.ftl:1:1: error: \"a\" uses `$m` in en, but not in de\n  = in de it uses `$n`",
        "texts/en/a.ftl:3:1: error: Expected an inline expression\n  = write a parameter `$name`",
        "texts/fr/a.ftl:1:5: error: expected UTF-8 text",
        "errors in the texts of texts",
    ] {
        assert!(found.contains(expected), "{expected}\nin\n{found}");
    }
    let output = run(&folder, &["text", "check", "texts", "--json"]);
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let json = Json::read(lines.lines().next().expect("there is output"));
    let first = &json.list("reports")[0];
    assert_eq!((first.text("file"), first.number("line"), first.text("severity")), ("texts/de/a.ftl", 1, "error"));
    assert!(!output.status.success());
}

#[test]
fn the_texts_of_a_script_are_printed_in_the_chosen_language() {
    let folder = Folder::new();
    let source = "!set t text(\"ship.hit\", { damage 3 })\n!Log(text(\"ship.hit\", { damage 1 }), t, 2)\n\
        !Log(text(\"agents.born\", { team text(\"sandbox.level.crowd\"), count #2 }))\ntext(\"a.b\")\n";
    write(&folder, "a.ship", source);
    let plain = printed(&folder, &["script", "run", "a.ship"]);
    assert!(plain.starts_with("!Log({ text \"ship.hit\", with { damage 1 } }, { text \"ship.hit\", with"), "{plain}");
    let output = run(&folder, &["script", "run", "a.ship", "--texts", TEXTS, "--language", "de"]);
    let expected = "!Log(\"Das Schiff ist getroffen und verliert einen Punkt\", \
        \"Das Schiff ist getroffen und verliert 3 Punkte\", 2)\n!Log(\"Ein Gedränge: 2 Geburten\")\n\"[a.b]\"\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no text \"a.b\""));
    assert!(output.status.success());
    let english = printed(&folder, &["script", "run", "a.ship", "--texts", TEXTS]);
    assert!(english.starts_with("!Log(\"The ship is hit and loses one point\""), "{english}");
    assert!(complaint(&folder, &["script", "run", "a.ship", "--language", "de"]).contains("--texts"));
}

#[test]
fn deeply_nested_texts_are_resolved_in_bounded_time() {
    let folder = Folder::new();
    write(&folder, "texts/en/a.ftl", "w = { $a }{ $b }\n");
    let fields: String = ('a'..='j').map(|name| format!("{name} t, ")).collect();
    let source =
        format!("!set d Lambda(n, t, if n = 0 then t else d(n - 1, text(\"w\", {{ {fields} }})))\nd(8, text(\"w\"))\n");
    write(&folder, "a.ship", source);
    let said = printed(&folder, &["script", "run", "a.ship", "--texts", "texts"]);
    assert!(said.len() < 100_000, "{}", said.len());
}

#[test]
fn texts_from_standard_input_are_checked() {
    let folder = Folder::new();
    assert_eq!(folder.run_on("text check -", "sunk = { $ship } was sunk\n").stdout(), "1 texts in en\n");
    let ran = folder.run_on("text check -", "sunk = { $ship\n");
    assert!(ran.output().contains("standard input:2:1: error"), "{}", ran.output());
    assert!(ran.complaint().contains("errors in the texts of standard input"));
}
