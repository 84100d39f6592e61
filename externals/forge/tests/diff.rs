//! Semantic diff.
#![allow(clippy::unwrap_used, reason = "a failing test shows the line")]

use crate::generate;

use forge::diff::{ChangeKind, diff};
use forge::document::Document;
use forge::field_path::FieldPath;
use proptest::prelude::*;

fn check(before: &str, after: &str, expected: &[&str]) {
    let class = generate::ship();
    let found: Vec<String> = diff(before, after, &class).unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(found, expected);
}

#[test]
fn fields_are_compared_by_name() {
    check("!set mass 1\n", "!set mass 2\n", &["mass: 1 → 2"]);
    check("!set mass 1\n!set title \"a\"", "!set title   \"a\" // x\n!set mass (1.0)", &[]);
    check("!set mass 1\n!set odd 1", "!set title \"a\"\n!set odd 2\n", &["title: + \"a\"", "mass: - 1", "odd: 1 → 2"]);
    check("!set hull { plates 1, kind \"a\" }", "!set hull {\n kind \"b\", plates 1 }", &["hull.kind: \"a\" → \"b\""]);
    check("!set hull { plates 1 }", "!set hull nothing", &["hull: { plates 1 } → nothing"]);
    check("@ship\n", "@ship 2\n", &["@: 1 → 2"]);
    check("!set mass a + b * 2", "!set mass (a + (b * 2))", &[]);
    check("!set mass Lambda(x, x + 1)", "!set mass lambda(x,x+2)", &["mass: Lambda(x, x + 1) → lambda(x,x+2)"]);
    check("!set mass 1\n!set mass 2\n", "!set mass 2\n", &[]);
    check("!Log(1)\n", "!Log( 1 )\n!Log(2)\n", &["@: + !Log(2)"]);
}

#[test]
fn what_is_equal_by_conversion_is_no_change() {
    use tags::class::{Class, Field, Former, Kind, Number};
    let former = |name: &str, before, convert: Option<&str>| Former {
        name: name.to_string(),
        before,
        convert: convert.map(str::to_string),
    };
    let number = |name: &str, former| Field { former, ..Field::new(name, Kind::Number(Number::F64)) };
    let mut class = Class::new("ship");
    class.version = 2;
    class.records[0].fields = vec![
        number("speed", vec![former("speed", 2, Some("Lambda(old, old / 3.6)"))]),
        number("weight", vec![former("mass", 0, None)]),
    ];
    let class = class.finish().unwrap();
    let check = |before: &str, after: &str, expected: &[&str]| {
        let found: Vec<String> = diff(before, after, &class).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(found, expected, "{before:?} {after:?}");
    };
    check("@ship\n!set speed 36\n", "@ship 2\n!set speed 10\n", &["@: 1 → 2"]);
    check(
        "@ship\n!set speed 36\n!set mass 3\n",
        "@ship 2\n!set speed 11\n!set weight 3\n",
        &["@: 1 → 2", "speed: 10 → 11"],
    );
    check("@ship 2\n!set speed 10\n", "@ship\n!set speed 72\n", &["@: 2 → 1", "speed: 10 → 20"]);
    // What cannot be converted is compared as it is written.
    check("@ship\n!set speed \"x\"\n", "@ship 2\n!set speed 10\n", &["@: 1 → 2", "speed: \"x\" → 10"]);
}

#[test]
fn elements_are_compared_by_key() {
    let before = "!set weapons [{ name \"a\", weapon \"x\\y.weapon\" }, { name \"b\" }, { name \"c\" }]";
    let after = "!set weapons [{ name \"c\" }, { weapon \"x/y.weapon\", name \"a\", count 1 }, { name \"d\" }]";
    let expected = ["weapons[b]: - { name \"b\" }", "weapons[a].count: + 1", "weapons[d]: + { name \"d\" }"];
    let class = generate::ship();
    let found = diff(before, after, &class).unwrap();
    let moved = found.iter().filter(|change| change.kind == ChangeKind::Moved).count();
    assert_eq!(moved, 1);
    let found: Vec<String> =
        found.iter().filter(|change| change.kind != ChangeKind::Moved).map(ToString::to_string).collect();
    assert_eq!(found, expected);
}

#[test]
fn elements_without_key_are_aligned() {
    check("!set speeds [1, 2, 3]", "!set speeds [1, 3]", &["speeds[#1]: - 2"]);
    check("!set speeds [1, 2, 3]", "!set speeds [1, 5, 3]", &["speeds[#1]: 2 → 5"]);
    check("!set speeds [1, 2, 3]", "!set speeds [2, 3, 1]", &["speeds[#2]: moved #0 → #2"]);
    check("!set shapes [{ width 1, height 2 }]", "!set shapes [{ height 3, width 1 }]", &["shapes[#0].height: 2 → 3"]);
    check("!set speeds []", "!set speeds [1, 2]", &["speeds[#0]: + 1", "speeds[#1]: + 2"]);
}

#[test]
fn notes_are_changes_and_other_comments_are_not() {
    check("// a\n!set mass 1 // b\n", "!set mass 1\n", &[]);
    check("//? a\n!set mass 1\n", "!set mass 1 //? b\n", &["mass: note a → b"]);
    check("!set mass 1\n", "!set mass 1\n!set title \"a\" //? b\n", &["title: + \"a\"", "title: note nothing → b"]);
}

#[test]
fn texts_with_syntax_errors_are_refused() {
    let class = generate::ship();
    assert!(diff("!set a [", "", &class).unwrap_err().message.contains("old text"));
    assert!(diff("", "!set a [", &class).unwrap_err().message.contains("new text"));
}

#[test]
fn long_series_are_compared_quickly() {
    let class = generate::ship();
    let keyed = |count: usize| -> String {
        let elements: Vec<String> =
            (0..count).map(|number| format!("{{ name \"n{number}\", count {number} }}")).collect();
        format!("!set weapons [{}]", elements.join(", "))
    };
    let before = keyed(100_000);
    let after = before.replace("count 500 ", "count 7 ");
    assert_eq!(diff(&before, &after, &class).unwrap().len(), 1);
    let numbers = |range: std::ops::Range<usize>| -> String {
        format!("!set speeds [{}]", range.map(|number| format!("{number}, ")).collect::<String>())
    };
    assert_eq!(diff(&numbers(0..100_000), &numbers(1..100_000), &class).unwrap().len(), 1);
    let whole = diff(&numbers(0..50_000), &numbers(100_000..150_000), &class).unwrap();
    assert_eq!((whole.len(), whole[0].kind), (1, ChangeKind::Changed));
}

proptest! {
    #[test]
    fn formatting_is_no_change(seed: u64) {
        let class = generate::ship();
        let source = generate::text(seed);
        let formatted = script::format::format(&source, &script::parse::parse(&source)).unwrap();
        prop_assert_eq!(diff(&source, &formatted, &class).unwrap(), vec![]);
    }

    #[test]
    fn a_changed_value_is_one_change(seed: u64, pick: u64) {
        let class = generate::ship();
        let source = generate::unique_text(seed);
        let places: Vec<FieldPath> = generate::places(&source, &class);
        prop_assume!(!places.is_empty());
        let at = &places[(pick % places.len() as u64) as usize];
        let mut document = Document::new(&source, &class);
        document.set(at, "99999").unwrap();
        let changes = diff(&source, document.text(), &class).unwrap();
        prop_assert!(!changes.is_empty());
        let back = diff(document.text(), &source, &class).unwrap();
        prop_assert_eq!(changes.len(), back.len());
    }

    #[test]
    fn any_texts_are_compared_or_refused(one in generate::soup(), other in generate::soup(), text in ".{0,60}") {
        let class = generate::ship();
        let _ = diff(&one, &other, &class);
        let _ = diff(&text, &one, &class);
    }
}

#[test]
fn what_a_tag_is_made_from_is_compared() {
    let (a, b) = ("@ship\n!from \"a.ship\"\n!set mass 1\n", "@ship\n!from \"b.ship\"\n!set mass 2\n");
    check(a, b, &["!from: \"a.ship\" → \"b.ship\"", "mass: 1 → 2"]);
    check("@ship\n!set mass 1\n", a, &["!from: + \"a.ship\""]);
    check(a, "@ship\n!set mass 1\n", &["!from: - \"a.ship\""]);
    check("@ship\n!from \"x\\a.ship\"\n", "@ship\n// why\n!From   \"x/a.ship\" // there\n", &[]);
}

#[test]
fn parts_are_compared_by_their_place() {
    check("!set hull.plates 1\n", "!set hull.plates 2\n", &["hull.plates: 1 → 2"]);
    check("!set hull.plates 1\n", "!set hull.kind \"small\"\n", &["hull.kind: + \"small\"", "hull.plates: - 1"]);
    check("!set weapons[#0].count 1\n", "!set weapons[0].count (1.0)\n", &[]);
    check("!set weapons[#0] { count 1 }\n", "!set weapons[#0] { count 2 }\n", &["weapons[#0].count: 1 → 2"]);
    check("!set mass += 1\n!set mass += 1\n", "!set mass += 1\n!set mass += 2\n", &["mass += 2: 1 → 2"]);
    check("!set mass += 1\n", "!set mass -= 1\n", &["mass +=: - 1", "mass -=: + 1"]);
}
