//! Notes on values.
#![allow(clippy::unwrap_used, reason = "a failing test shows the line")]

use crate::generate;

use forge::document::Document;
use forge::field_path::FieldPath;
use forge::notes::{self, ClassNotes};

fn place(text: &str) -> FieldPath {
    FieldPath::new(text).unwrap()
}

fn found(source: &str) -> Vec<String> {
    let class = generate::ship();
    let tree = script::parse::parse(source);
    notes::find(source, &tree, &class).iter().map(|note| format!("{}: {}", note.place, note.text)).collect()
}

#[test]
fn notes_are_found_above_and_behind_values() {
    let source = "@ship //? no\n//? heavy\n// plain\n//? very\n!set mass 1 //? or not\n\n//? free\n\n!set hull { //? all\n  \
                  //? many\n  plates 3, kind \"small\" //? so\n}\n!set weapons [\n  { name \"nose\" }, //? first\n  //? second\n  { \
                  name \"tail\", count 2 //? two\n  }\n]\n!set speeds [1, //? slow\n 2]\n";
    let expected = [
        "mass: heavy\nvery\nor not",
        "hull: all",
        "hull.plates: many",
        "hull.kind: so",
        "weapons[nose]: first",
        "weapons[tail]: second",
        "weapons[tail].count: two",
        "speeds[#0]: slow",
    ];
    assert_eq!(found(source), expected);
    assert!(found("").is_empty() && found("//? x").is_empty() && found("!set weapons [{ name \"a\"").is_empty());
}

fn set(source: &str, at: &str, note: &str) -> String {
    let class = generate::ship();
    let mut document = Document::new(source, &class);
    notes::set(&mut document, &place(at), note).unwrap();
    let read = notes::get(&document, &place(at)).unwrap();
    assert_eq!(read.as_deref(), (!note.is_empty()).then_some(note));
    document.text().to_string()
}

#[test]
fn a_note_is_set_replaced_and_removed() {
    assert_eq!(set("@ship\n!set mass 1 // x\n", "mass", "heavy"), "@ship\n//? heavy\n!set mass 1 // x\n");
    assert_eq!(set("!set mass 1\r\n", "mass", "a\nb"), "//? a\r\n//? b\r\n!set mass 1\r\n");
    assert_eq!(set("!set mass 1 //? light\n", "mass", "heavy"), "!set mass 1 //? heavy\n");
    assert_eq!(set("//? a\n// c\n//? b\n!set mass 1\n", "mass", "heavy"), "// c\n//? heavy\n!set mass 1\n");
    assert_eq!(set("//? a\n// c\n!set mass 1 //? b\n", "mass", ""), "// c\n!set mass 1\n");
    assert_eq!(set("!set hull { plates 1 }", "hull.plates", "x"), "!set hull {\n    //? x\n    plates 1 }");
    assert_eq!(set("!set speeds [1, 2]", "speeds[#1]", "x"), "!set speeds [1,\n    //? x\n    2]");
    assert_eq!(set("!set speeds [ //? y\n 1]", "speeds", ""), "!set speeds [\n 1]");
    assert_eq!(set("!set mass 1 //? y", "mass", ""), "!set mass 1");
}

#[test]
fn notes_on_a_class_are_in_a_separate_file() {
    let (read, reports) =
        ClassNotes::read("@notes\n!set mass \"heavy\"\n!set weapons [\"guns\", { name \"who\" }]\n!set x 1\n");
    let all: Vec<(&str, &str)> = read.all().collect();
    assert_eq!(all, [("mass", "heavy"), ("weapons", "guns"), ("weapons.name", "who")]);
    assert_eq!(read.get(&place("weapons[nose].name")), Some("who"));
    assert_eq!(reports.len(), 1);
    let text = ClassNotes::write("", &place("mass"), "say \"x\"").unwrap();
    let text = ClassNotes::write(&text, &place("weapons[#1].name"), "who").unwrap();
    let text = ClassNotes::write(&text, &place("weapons.count"), "some").unwrap();
    assert_eq!(text, "!set mass \"say \"\"x\"\"\"\n!set weapons { name \"who\", count \"some\" }\n");
}

proptest::proptest! {
    #[test]
    fn any_text_has_notes_or_none(source in ".{0,80}", tokens in generate::soup(), note in ".{0,10}") {
        let class = generate::ship();
        for source in [&source, &tokens] {
            found(source);
            ClassNotes::read(source);
            let _ = ClassNotes::write(source, &place("a.b"), &note);
            let mut document = Document::new(source, &class);
            let _ = notes::set(&mut document, &place("mass"), &note);
            let _ = notes::add(&mut document, &place("speeds[#0]"), &note);
            let _ = notes::remove(&mut document, &place("mass"));
        }
    }

    #[test]
    fn a_note_that_is_set_is_found_and_the_others_stay(seed: u64, pick: u64) {
        let class = generate::ship();
        let source = generate::text(seed);
        let places = generate::places(&source, &class);
        proptest::prop_assume!(!places.is_empty());
        let at = &places[(pick % places.len() as u64) as usize];
        let before = found(&source);
        let mut document = Document::new(&source, &class);
        notes::add(&mut document, at, "quite new").unwrap();
        let after = found(document.text());
        proptest::prop_assert!(notes::get(&document, at).unwrap().unwrap().contains("quite new"));
        let is_there = |note: &&String| after.iter().any(|other| other.lines().next() == note.lines().next());
        let kept = before.iter().filter(is_there).count();
        proptest::prop_assert!(kept + 1 >= before.len() && document.tree().reports.is_empty());
        let had = notes::get(&Document::new(&source, &class), at).unwrap();
        notes::set(&mut document, at, "other").unwrap();
        notes::remove(&mut document, at).unwrap();
        proptest::prop_assert_eq!(notes::get(&document, at).unwrap(), None);
        if had.is_none() {
            proptest::prop_assert_eq!(found(document.text()), before);
        }
    }
}
