//! Documents: editing by field path keeps every other byte.
#![allow(clippy::unwrap_used, reason = "a failing test shows the line")]

use crate::generate;

use forge::document::Document;
use forge::field_path::FieldPath;
use proptest::prelude::*;
use tags::class::{Class, Former};

fn place(text: &str) -> FieldPath {
    FieldPath::new(text).unwrap()
}

fn edit(source: &str, work: impl FnOnce(&mut Document<'_>) -> Result<(), forge::document::Refusal>) -> String {
    let class = generate::ship();
    let mut document = Document::new(source, &class);
    match work(&mut document) {
        Ok(()) => document.text().to_string(),
        Err(refusal) => format!("refused: {refusal}"),
    }
}

fn set(source: &str, at: &str, value: &str, expected: &str) {
    assert_eq!(edit(source, |document| document.set(&place(at), value)), expected);
}

fn refused(source: &str, at: &str, value: &str, part: &str) {
    let found = edit(source, |document| document.set(&place(at), value));
    assert!(found.starts_with("refused: ") && found.contains(part), "{found}");
}

#[test]
fn a_value_is_replaced_and_nothing_else() {
    set("@ship\n!set mass 1 // heavy\n", "mass", "2", "@ship\n!set mass 2 // heavy\n");
    set("@ship\r\n!set  mass\t1\r\n", "mass", " 2 // x", "@ship\r\n!set  mass\t2\r\n");
    set("!set mass 1  \n!set title 1 \t\n  ", "mass", "2", "!set mass 2  \n!set title 1 \t\n  ");
    set("!set mass 1  ", "mass", "2", "!set mass 2  ");
    set("!set mass 1\n!set mass 2\n", "mass", "3", "!set mass 1\n!set mass 3\n");
    set("!set hull { plates 1,kind\"small\" }", "hull.kind", "[1]", "!set hull { plates 1,kind [1] }");
    set(
        "!set weapons [{ name \"nose\", count 1 }, { name \"tail\" }]",
        "weapons[nose].count",
        "1 + 2",
        "!set weapons [{ name \"nose\", count 1 + 2 }, { name \"tail\" }]",
    );
    set("!set speeds ([1, 2, 3])", "speeds[#1]", "-7", "!set speeds ([1, -7, 3])");
    set("!set odd { a [1, { b 2 }] }", "odd.a[#1].b", "3", "!set odd { a [1, { b 3 }] }");
}

#[test]
fn a_missing_field_is_added_in_the_order_of_the_class() {
    set(
        "@ship\n!set title  \"a\"\n!set speeds [1]\n",
        "mass",
        "2",
        "@ship\n!set title  \"a\"\n!set mass   2\n!set speeds [1]\n",
    );
    set(
        "@ship\n!set title   \"a\"\n!set odd     1\n",
        "mass",
        "2",
        "@ship\n!set title   \"a\"\n!set mass    2\n!set odd     1\n",
    );
    set("@ship\n!set speeds [1]\n", "mass", "2", "@ship\n!set mass   2\n!set speeds [1]\n");
    set("@ship", "mass", "2", "@ship\n!set mass 2\n");
    set("", "mass", "2", "!set mass 2\n");
    set("//? n\n\n", "mass", "2", "!set mass 2\n//? n\n\n");
    set("// x\n\n!set speeds [1]\n", "mass", "2", "!set mass   2\n// x\n\n!set speeds [1]\n");
    set("@ship // x\n\n// end\n", "mass", "2", "@ship // x\n!set mass 2\n\n// end\n");
    set("@ship\r\n!set title \"a\"\r\n", "mass", "2", "@ship\r\n!set title \"a\"\r\n!set mass  2\r\n");
    set("@ship\n!set hull {}\n", "hull.plates", "2", "@ship\n!set hull { plates 2 }\n");
    set("@ship\n!set hull { kind \"small\" }\n", "hull.plates", "2", "@ship\n!set hull { plates 2, kind \"small\" }\n");
    set(
        "@ship\n!set hull {\n\tkind \"small\" // x\n}\n",
        "hull.plates",
        "2",
        "@ship\n!set hull {\n\tplates 2,\n\tkind \"small\" // x\n}\n",
    );
    set("@ship\n", "hull.plates", "2", "@ship\n!set hull { plates 2 }\n");
    set("@ship\n!set spare nothing\n", "spare.plates", "2", "@ship\n!set spare { plates 2 }\n");
}

#[test]
fn elements_are_added() {
    set("!set speeds [1, 2]", "speeds[]", "3", "!set speeds [1, 2, 3]");
    set("!set speeds [1, 2,]", "speeds[]", "3", "!set speeds [1, 2, 3,]");
    set("!set speeds []", "speeds[]", "3", "!set speeds [3]");
    set(
        "!set speeds [\n  1, // one\n  2 // two\n]",
        "speeds[]",
        "3",
        "!set speeds [\n  1, // one\n  2, // two\n  3\n]",
    );
    set("!set weapons []", "weapons[]", "{ name \"a\" }", "!set weapons [\n    { name \"a\" }\n]");
    set("!set speeds [ // none\n]", "speeds[]", "3", "!set speeds [ // none\n    3\n]");
    let found = edit("!set speeds [1, 2] // x", |document| document.insert(&place("speeds"), 0, "0"));
    assert_eq!(found, "!set speeds [0, 1, 2] // x");
    let found = edit("!set speeds [\n  // first\n  1\n]", |document| document.insert(&place("speeds"), 0, "0"));
    assert_eq!(found, "!set speeds [\n  0,\n  // first\n  1\n]");
}

fn remove(source: &str, at: &str, expected: &str) {
    assert_eq!(edit(source, |document| document.remove(&place(at))), expected);
}

#[test]
fn a_removed_item_takes_its_comments_with_it() {
    remove("@ship\n// about mass\n!set mass 1 // heavy\n!set title \"a\"\n", "mass", "@ship\n!set title \"a\"\n");
    remove("@ship\n// section\n\n// about mass\n!set mass 1\n", "mass", "@ship\n// section\n\n");
    remove("!set mass 1\n!set title \"a\"", "mass", "!set title \"a\"");
    remove("!set mass 1\n!set title \"a\"\n!set mass 2\n", "mass", "!set title \"a\"\n");
    remove("!set speeds [1, 2, 3]", "speeds[#0]", "!set speeds [2, 3]");
    remove("!set speeds [1, 2, 3]", "speeds[#1]", "!set speeds [1, 3]");
    remove("!set speeds [1, 2, 3]", "speeds[#2]", "!set speeds [1, 2]");
    remove("!set speeds [1]", "speeds[#0]", "!set speeds []");
    remove("!set speeds [\n  1,\n  // two\n  2, // 2\n  3\n]", "speeds[#1]", "!set speeds [\n  1,\n  3\n]");
    remove("!set speeds [\n  1, // one\n  2 // two\n]", "speeds[#1]", "!set speeds [\n  1 // one\n]");
    remove("!set speeds [\n  // free\n\n  1, 2]", "speeds[#0]", "!set speeds [\n  // free\n  2]");
    remove("!set hull { plates 1, kind \"small\" }", "hull.plates", "!set hull { kind \"small\" }");
}

#[test]
fn elements_are_moved_with_their_comments() {
    let moved = |source: &str, at: &str, to: usize| edit(source, |document| document.move_element(&place(at), to));
    assert_eq!(moved("!set speeds [1, 2, 3]", "speeds[#0]", 2), "!set speeds [2, 3, 1]");
    assert_eq!(moved("!set speeds [1, 2, 3]", "speeds[#2]", 0), "!set speeds [3, 1, 2]");
    let source = "!set speeds [\n  // one\n  1, // 1\n\n  // free\n\n  2,\n  3 // three\n]";
    let expected = "!set speeds [\n\n  // free\n\n  2,\n  3, // three\n  // one\n  1 // 1\n]";
    assert_eq!(moved(source, "speeds[#0]", 9), expected);
    assert_eq!(moved("!set speeds [1, 2 // x\n]", "speeds[#1]", 0), "!set speeds [2, // x\n    1\n]");
    assert!(moved("!set mass 1", "mass", 0).contains("not an element"));
}

#[test]
fn fields_are_renamed() {
    let renamed = |source: &str, at: &str, to: &str| edit(source, |document| document.rename(&place(at), to));
    assert_eq!(renamed("!set odd  1 // x", "odd", "even"), "!set even  1 // x");
    assert_eq!(renamed("!set hull { plates 1 }", "hull.plates", "p"), "!set hull { p 1 }");
    assert!(renamed("!set a 1\n!set b 1", "a", "b").contains("already"));
    assert!(renamed("!set a 1", "a", "if").contains("cannot be the name"));
    assert!(renamed("!set speeds [1]", "speeds[#0]", "b").contains("not a field"));
}

#[test]
fn an_impossible_edit_is_refused_with_a_reason() {
    refused("@ship 9\n!set mass 1\n", "mass", "2", "version 9");
    refused("@ship x\n!set mass 1\n", "weapons[a].b", "2", "no `weapons`");
    refused("@tank\n!set mass 1\n", "mass", "2", "class `tank`");
    refused("!set mass 1", "mass", "", "one value");
    refused("!set mass 1", "mass", "2 3", "not a value");
    refused("!set mass 1", "mass", "2\n3", "one value");
    refused("!set mass 1", "mass", "!set x 3", "one value");
    refused("!set mass 1", "mass", "[1", "not a value");
    refused("!set mass 1", "mass[#0]", "1", "no fields or elements");
    refused("!set speeds [1]", "speeds[#1]", "1", "there are 1");
    refused("!set speeds [1]", "speeds[a]", "1", "no key");
    refused("!set weapons [{ name \"a\" }, { name \"a\" }]", "weapons[a]", "1", "two elements");
    refused("!set weapons [{ name \"a\" }]", "weapons[b].count", "1", "no `weapons[b]`");
    refused("!set weapons map(a, b)", "weapons[b].count", "1", "formula");
    refused("!set mass 1 2\n!set title \"a\"", "mass", "1", "syntax error");
    refused("!set speeds [1, (\n!set title \"a\"", "speeds[#0]", "1", "syntax error");
    refused("!set speeds [1, (\n!set title \"a\"", "title", "1", "syntax error");
}

#[test]
fn a_file_with_syntax_errors_can_be_edited_elsewhere() {
    set("!set mass 1 2\n!set title \"a\"\n", "title", "\"b\"", "!set mass 1 2\n!set title \"b\"\n");
    set("!set speeds [1, )\n!set title \"a\"\n", "title", "\"b\"", "!set speeds [1, )\n!set title \"b\"\n");
    set("@ship\n?? !!\n!set mass 1\n", "mass", "2", "@ship\n?? !!\n!set mass 2\n");
    set(
        "@ship\n!set mass 1 2\n!set speeds [1]\n",
        "title",
        "\"b\"",
        "@ship\n!set title \"b\"\n!set mass 1 2\n!set speeds [1]\n",
    );
}

#[test]
fn a_value_under_a_former_name_can_be_edited() {
    let mut class = generate::ship();
    class.version = 3;
    class.records[0].fields[1].former = vec![
        Former { name: "weight".into(), before: 0, convert: None },
        Former { name: "tons".into(), before: 2, convert: Some("Lambda(old, old * 1000)".into()) },
        Former { name: "mass".into(), before: 3, convert: Some("Lambda(old, old * 10)".into()) },
    ];
    let set = |source: &str| {
        let mut document = Document::new(source, &class);
        document.set(&place("mass"), "5").map(|()| document.text().to_string()).map_err(|refusal| refusal.to_string())
    };
    assert_eq!(set("@ship 3\n!set weight 1\n").unwrap(), "@ship 3\n!set weight 5\n");
    assert_eq!(set("@ship 3\n!set mass 1\n").unwrap(), "@ship 3\n!set mass 5\n");
    assert!(set("@ship 2\n!set mass 1\n").unwrap_err().contains("upgrade"));
    let document = Document::new("@ship\n!set tons 1\n", &class);
    let found = document.get(&place("mass")).unwrap();
    assert_eq!((found.text, found.former.unwrap().name.as_str()), ("1", "tons"));
}

fn value() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "1",
        "\"a // b\"",
        "vec(1, 2, 3)",
        "[1, 2]",
        "{ x 1 }",
        "-3",
        "a + b",
        "Lambda(x, x)",
        "#3",
    ])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    #[test]
    fn an_edit_changes_only_what_it_must(seed: u64, pick: u64, value in value(), operation in 0..5_u32) {
        let class: Class = generate::ship();
        let source = generate::text(seed);
        let before = Document::new(&source, &class);
        prop_assert!(before.tree().reports.is_empty(), "{source}");
        let places = generate::places(&source, &class);
        prop_assume!(!places.is_empty());
        let at = &places[(pick % places.len() as u64) as usize];
        let mut document = before.clone();
        let found = before.get(at).unwrap();
        let to = (pick >> 32) as usize % 5;
        let is_element = !matches!(at.steps.last(), Some(forge::field_path::PathStep::Field(_)));
        let mut series = at.clone();
        series.steps.pop();
        let result = match operation {
            0 | 1 => document.set(at, value),
            2 => document.remove(at),
            3 if is_element => document.move_element(at, to),
            4 if is_element => document.insert(&series, to, value),
            _ => document.rename(at, "renamed_now"),
        };
        if result.is_err() {
            prop_assert_eq!(document.text(), &*source);
            prop_assert!(operation > 2, "{} {:?}", at, result);
            return Ok(());
        }
        prop_assert!(document.tree().reports.is_empty(), "{}", document.text());
        let after = document.text();
        let comments = |text: &str| -> Vec<String> {
            let tokens = script::token::tokens(text);
            let comments = tokens.iter().filter(|token| token.kind == script::token::TokenKind::Comment);
            let mut comments: Vec<String> = comments.map(|token| token.span.text(text).trim_end().to_string()).collect();
            comments.sort();
            comments
        };
        let range = found.span.range();
        match operation {
            0 | 1 => {
                prop_assert_eq!(after, format!("{}{}{}", &source[..range.start], value, &source[range.end..]));
                prop_assert_eq!(document.get(at).unwrap().text, value);
            }
            // The item is gone; everything left was there before.
            2 => {
                let mut rest = source.chars().filter(|letter| !letter.is_whitespace());
                let is_part = after.chars().filter(|letter| !letter.is_whitespace()).all(|letter| rest.any(|other| other == letter));
                prop_assert!(is_part, "{source}\n---\n{after}");
            }
            _ => prop_assert_eq!(comments(&source), comments(after)),
        }
        // All other places are unchanged.
        let named: Vec<String> = places.iter().map(ToString::to_string).collect();
        let name = at.to_string();
        for (other, text) in places.iter().zip(&named) {
            let is_touched = text.starts_with(&name) || name.starts_with(text.as_str());
            let is_in_row = is_element && text.starts_with(&series.to_string());
            if !(is_touched || operation >= 2 && is_in_row) {
                prop_assert_eq!(document.get(other).unwrap().text, before.get(other).unwrap().text, "{}", text);
            }
        }
    }

    #[test]
    fn any_text_can_be_read_and_edited_without_harm(source in ".{0,80}", value in ".{0,10}", tokens in generate::soup()) {
        let class = generate::ship();
        for source in [&source, &tokens] {
            for at in ["mass", "hull.plates", "weapons[a].count", "speeds[#0]", "speeds[]", "odd"] {
                let mut document = Document::new(source, &class);
                let reports = document.tree().reports.len();
                let _ = document.get(&place(at));
                for value in [&*value, "3"] {
                    let _ = document.set(&place(at), value);
                    let _ = document.move_element(&place(at), 1);
                    let _ = document.rename(&place(at), "other");
                    let _ = document.remove(&place(at));
                }
                prop_assert!(document.tree().reports.len() <= reports);
            }
        }
    }
}

#[test]
fn nothing_is_added_ahead_of_what_a_tag_is_made_from() {
    set("@ship\n!from \"a.ship\"\n", "mass", "2", "@ship\n!from \"a.ship\"\n!set mass 2\n");
    set("@ship\n!from \"a.ship\"", "mass", "2", "@ship\n!from \"a.ship\"\n!set mass 2");
    set(
        "@ship\n// One.\n!from \"a.ship\" // why\n\n!set mass  1\n",
        "title",
        "\"t\"",
        "@ship\n// One.\n!from \"a.ship\" // why\n!set title \"t\"\n\n!set mass  1\n",
    );
}

#[test]
fn parts_that_are_set_on_their_own_are_values() {
    let class = generate::ship();
    let get =
        |source: &str, at: &str| Document::new(source, &class).get(&place(at)).map(|found| found.text.to_string());
    let part = "@ship\n!set hull.plates 5\n";
    assert_eq!(get(part, "hull.plates").unwrap(), "5");
    assert_eq!(get("@ship\n!set hull.plates 5\n!set hull { plates 1 }\n", "hull.plates").unwrap(), "5");
    assert_eq!(get("@ship\n!set weapons[1] { count 2 }\n", "weapons[#1].count").unwrap(), "2");
    assert!(get(part, "hull.kind").is_err());
    assert!(get("@ship\n!set mass += 5\n", "mass").is_err());
    set(part, "hull.plates", "6", "@ship\n!set hull.plates 6\n");
    set("@ship\n!set hull.plates(5)\n", "hull.plates", "6", "@ship\n!set hull.plates 6\n");
    set("@ship\n!set weapons[#1] { count 2 }\n", "weapons[#1].count", "3", "@ship\n!set weapons[#1] { count 3 }\n");
    set(part, "hull.kind", "\"small\"", "@ship\n!set hull.plates 5\n!set hull.kind \"small\"\n");
    let remove = |source: &str, at: &str| edit(source, |document| document.remove(&place(at)));
    assert_eq!(
        remove("@ship\n!set hull.plates 5\n!set mass 1\n!set hull.plates 6\n", "hull.plates"),
        "@ship\n!set mass 1\n"
    );
    refused(part, "hull", "{ plates 1 }", "`hull.plates`, a part of `hull`");
}

#[test]
fn a_part_of_what_another_tag_gives_is_set_on_its_own() {
    let from = "@ship\n!from \"a.ship\"\n";
    set(from, "hull.plates", "6", "@ship\n!from \"a.ship\"\n!set hull.plates 6\n");
    set(from, "hull", "{ plates 6 }", "@ship\n!from \"a.ship\"\n!set hull { plates 6 }\n");
    let whole = "@ship\n!from \"a.ship\"\n!set hull { plates 6 }\n";
    set(whole, "hull.kind", "\"small\"", "@ship\n!from \"a.ship\"\n!set hull { plates 6, kind \"small\" }\n");
    set("@ship\n", "hull.plates", "6", "@ship\n!set hull { plates 6 }\n");
}
