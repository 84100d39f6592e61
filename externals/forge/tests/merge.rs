//! Semantic three-way merge: nothing is lost, nothing is duplicated.
#![allow(clippy::unwrap_used, reason = "a failing test shows the line")]

use crate::generate;

use std::collections::BTreeMap;

use forge::diff::diff;
use forge::document::Document;
use forge::field_path::FieldPath;
use forge::field_path::PathStep;
use forge::merge::{MARK, MergedTag, conflicts, merge};
use forge::notes;
use generate::Dice;
use proptest::prelude::*;
use tags::Class;
use tags::class::Former;

fn merged(base: &str, ours: &str, theirs: &str) -> MergedTag {
    merged_as(base, ours, theirs, &generate::ship())
}

fn merged_as(base: &str, ours: &str, theirs: &str, class: &Class) -> MergedTag {
    let merged = merge(base, ours, theirs, class).expect("they are understood");
    assert!(script::parse::parse(&merged.text).reports.is_empty(), "{}", merged.text);
    assert_eq!(merged.conflicts.is_empty(), conflicts(&merged.text).is_empty(), "{}", merged.text);
    merged
}

fn clean(base: &str, ours: &str, theirs: &str, expected: &str) {
    let found = merged(base, ours, theirs);
    assert_eq!((found.text.as_str(), found.conflicts.len()), (expected, 0));
}

fn conflict(base: &str, ours: &str, theirs: &str, expected: &str) {
    let found = merged(base, ours, theirs);
    assert_eq!((found.text.as_str(), found.conflicts.len()), (expected, 1), "{:?}", found.conflicts);
}

#[test]
fn different_fields_are_merged() {
    let base = "@ship\n!set mass 1\n!set title \"a\"\n";
    clean(
        base,
        "@ship\n!set mass 2 // x\n!set title \"a\"\n",
        "@ship\n!set mass 1\n!set title \"b\" // y\n",
        "@ship\n!set mass 2 // x\n!set title \"b\" // y\n",
    );
    clean(
        base,
        "@ship\n\n!set title   \"a\"\n",
        "@ship\n!set mass 1\n!set title \"b\"\n",
        "@ship\n\n!set title   \"b\"\n",
    );
    clean(
        base,
        "@ship\n!set mass 2\n!set title \"a\"\n",
        "@ship\n!set mass 1\n!set odd 3\n!set title \"a\"\n// end\n",
        "@ship\n!set mass 2\n!set odd 3\n!set title \"a\"\n\n// end\n\n",
    );
    clean(
        base,
        "@ship\n!set mass 1\n!set title \"a\"\n!set odd 1\n",
        "@ship\n!set mass 1\n!set title \"a\"\n!set even 1\n",
        "@ship\n!set mass 1\n!set title \"a\"\n!set even 1\n!set odd 1\n",
    );
    clean(
        "!set hull { plates 1 }\n",
        "!set hull { plates 2 }\n",
        "!set hull { plates 1, kind \"small\" }\n",
        "!set hull { plates 2, kind \"small\" }\n",
    );
    clean(
        base,
        "@ship\n!set mass 3\n!set title \"a\"\n",
        "@ship\n!set mass 3.0\n!set title \"b\"\n",
        "@ship\n!set mass 3\n!set title \"b\"\n",
    );
    clean(
        base,
        "@ship\n!set title \"a\"\n",
        "@ship\n!set title \"a\"\n!set odd 1\n",
        "@ship\n!set title \"a\"\n!set odd 1\n",
    );
}

#[test]
fn a_field_changed_by_both_is_a_conflict_that_holds_both() {
    let base = "@ship\n!set mass 1\n";
    conflict(
        base,
        "@ship\n!set mass 2 // x\n",
        "@ship\n!set mass 3\n",
        "@ship\n//! conflict: theirs: !set mass 3\n//! conflict: base: !set mass 1\n!set mass 2 // x\n",
    );
    conflict(
        "@ship\n",
        "@ship\n!set mass 2\n",
        "@ship\n!set mass 3\n",
        "@ship\n//! conflict: theirs: !set mass 3\n!set mass 2\n",
    );
    conflict(
        base,
        "@ship\n",
        "@ship\n!set mass 3\n",
        "@ship\n//! conflict: ours: removed\n//! conflict: base: !set mass 1\n!set mass 3\n",
    );
    conflict(
        base,
        "@ship\n!set mass 3\n",
        "@ship\n",
        "@ship\n//! conflict: theirs: removed\n//! conflict: base: !set mass 1\n!set mass 3\n",
    );
    conflict(
        "!set hull { plates 1 }",
        "!set hull { plates 2 }",
        "!set hull { plates 3 }",
        "!set hull {\n    //! conflict: theirs: plates 3\n    //! conflict: base: plates 1\n    plates 2 }",
    );
    let marks = conflicts("//! conflict: theirs: a\n!set a \"//! conflict: no\"\n//! other\n");
    assert_eq!(marks.len(), 1);
    assert_eq!(MARK, "//! conflict:");
}

#[test]
fn keyed_elements_are_merged_by_key() {
    let base = "!set weapons [\n  { name \"a\", count 1 },\n  { name \"b\", count 1 },\n]\n";
    let ours = "!set weapons [\n  { name \"a\", count 2 }, // ours\n  { name \"b\", count 1 },\n  { name \"o\" },\n]\n";
    let theirs = "!set weapons [\n  { name \"b\", count 3 },\n  { name \"a\", count 1, weapon \"w\" },\n  // new\n  { name \"t\" },\n]\n";
    let expected = "!set weapons [\n  { name \"b\", count 3 },\n  { name \"o\" },\n  { name \"a\", count 2, weapon \"w\" }, // ours\n  // new\n  { name \"t\" },\n]\n";
    clean(base, ours, theirs, expected);
    conflict(
        base,
        "!set weapons [{ name \"a\", count 1 }]",
        "!set weapons [{ name \"a\", count 1 }, { name \"b\", count 2 }]",
        "!set weapons [{ name \"a\", count 1 },\n    //! conflict: ours: removed\n    //! conflict: base: { name \"b\", count 1 }\n    { name \"b\", count 2 }]",
    );
    clean(
        base,
        "!set weapons [{ name \"a\", count 1 }, { name \"b\", count 2 }]",
        "!set weapons [{ name \"b\", count 1 }]",
        "!set weapons [{ name \"b\", count 2 }]",
    );
}

#[test]
fn an_element_with_another_key_is_still_the_same() {
    let base = "!set weapons [{ name \"a\", count 1 }, { name \"b\", count 2 }]";
    let renamed = "!set weapons [{ name \"x\", count 1 }, { name \"b\", count 2 }]";
    let changed = "!set weapons [{ name \"a\", count 5 }, { name \"b\", count 2 }]";
    let expected = "!set weapons [{ name \"x\", count 5 }, { name \"b\", count 2 }]";
    clean(base, renamed, changed, expected);
    clean(base, changed, renamed, expected);
    let other = "!set weapons [{ name \"y\", count 1 }, { name \"b\", count 2 }]";
    assert_eq!(merged(base, renamed, other).conflicts[0].place.to_string(), "weapons[a].name");
    // An element that both have under that key was not renamed.
    let added = "!set weapons [{ name \"a\", count 1 }, { name \"b\", count 2 }, { name \"x\", weapon \"w\" }]";
    clean(base, renamed, added, "!set weapons [{ name \"b\", count 2 }, { name \"x\", weapon \"w\", count 1 }]");
}

#[test]
fn elements_without_key_are_merged_by_content() {
    clean("!set speeds [1, 2, 3]", "!set speeds [0, 1, 2, 3]", "!set speeds [1, 2, 4]", "!set speeds [0, 1, 2, 4]");
    clean(
        "!set speeds [1, 2, 3]",
        "!set speeds [1, 2, 3, 5]",
        "!set speeds [1, 2, 3, 4]",
        "!set speeds [1, 2, 3, 4, 5]",
    );
    clean("!set speeds [1, 2, 3]", "!set speeds [1, 9, 3]", "!set speeds [1, 2, 8]", "!set speeds [1, 9, 8]");
    conflict(
        "!set speeds [1, 2, 3]",
        "!set speeds [1, 9, 3]",
        "!set speeds [1, 8, 3]",
        "!set speeds [1,\n    //! conflict: theirs: 8\n    //! conflict: base: 2\n    9, 3]",
    );
    conflict(
        "!set speeds [1, 2]",
        "!set speeds [5, 1, 2]",
        "!set speeds [1, 2, 5]",
        "//! conflict: theirs: !set speeds [1, 2, 5]\n//! conflict: base: !set speeds [1, 2]\n!set speeds [5, 1, 2]",
    );
    conflict(
        "!set speeds [1, 2, 3]",
        "!set speeds [2, 3]",
        "!set speeds [2, 3, 1]",
        "//! conflict: theirs: !set speeds [2, 3, 1]\n//! conflict: base: !set speeds [1, 2, 3]\n!set speeds [2, 3]",
    );
}

#[test]
fn comments_and_notes_are_merged() {
    let base = "@ship\n// old\n!set mass 1\n";
    clean(
        base,
        "@ship\n// old\n!set mass 2\n",
        "@ship\n// old\n//? note\n!set mass 1 // behind\n",
        "@ship\n// old\n//? note\n!set mass 2 // behind\n",
    );
    clean(base, "@ship\n// old\n!set mass 2\n", "@ship\n!set mass 1\n", "@ship\n!set mass 2\n");
    clean(
        base,
        "@ship\n// old\n//? a\n!set mass 1\n",
        "@ship\n// old\n!set mass 1 //? b\n",
        "@ship\n// old\n//? a\n!set mass 1 //? b\n",
    );
}

#[test]
fn texts_of_different_versions_are_upgraded_first() {
    let mut class: Class = generate::ship();
    class.version = 2;
    class.records[0].fields[1].former =
        vec![Former { name: "tons".into(), before: 2, convert: Some("Lambda(old, old * 1000)".into()) }];
    let found =
        merge("@ship\n!set tons 1\n", "@ship 2\n!set mass 1000\n!set title \"a\"\n", "@ship\n!set tons 3\n", &class)
            .unwrap();
    assert_eq!((found.text.as_str(), found.conflicts.len()), ("@ship 2\n!set mass 3000\n!set title \"a\"\n", 0));
    class.records[0].fields[1].former = vec![Former { name: "tons".into(), before: 0, convert: None }];
    let found = merge("@ship\n!set tons 1\n", "@ship\n!set mass 1\n", "@ship\n!set tons 3\n", &class).unwrap();
    assert_eq!(found.text, "@ship\n!set mass 3\n");
    let found = merge("@ship\n!set tons 1\n", "@ship\n!set tons 3\n", "@ship\n!set mass 1\n", &class).unwrap();
    assert_eq!(found.text, "@ship\n!set mass 3\n");
}

#[test]
fn texts_with_syntax_errors_or_of_newer_versions_are_refused() {
    let class = generate::ship();
    assert!(merge("", "!set a 1", "!set a [", &class).is_err());
    assert!(merge("@ship 9\n", "@ship 9\n!set a 1\n", "@ship 9\n!set b 1\n", &class).is_err());
    assert!(merge("@tank\n", "@tank\n!set a 1\n", "@tank\n!set b 1\n", &class).is_err());
}

#[test]
fn long_series_are_merged_quickly() {
    let class = generate::ship();
    let keyed = |change: usize| -> String {
        let count = |number: usize| if number == change { 1_000_000 + number } else { number };
        let elements = (0..100_000).map(|number| format!("  {{ name \"n{number}\", count {} }},\n", count(number)));
        let numbers = (0..100_000).map(|number| format!("{},\n", count(number)));
        format!("!set weapons [\n{}]\n!set speeds [\n{}]\n", elements.collect::<String>(), numbers.collect::<String>())
    };
    let found = merge(&keyed(usize::MAX), &keyed(500), &keyed(99_000), &class).unwrap();
    assert_eq!(found.conflicts.len(), 0);
    for word in ["\"n500\", count 1000500 ", "\"n99000\", count 1099000 ", "\n1000500,", "\n1099000,"] {
        assert!(found.text.contains(word), "{word}");
    }
    let whole = |from: usize| {
        format!("!set speeds [{}]\n", (from..from + 20_000).map(|number| format!("{number}, ")).collect::<String>())
    };
    assert_eq!(merge(&whole(0), &whole(100_000), &whole(200_000), &class).unwrap().conflicts.len(), 1);
}

/// Makes a random change to a text; all new words begin with the mark.
fn edit(source: &str, class: &Class, dice: &mut Dice, mark: usize) -> String {
    let mut document = Document::new(source, class);
    for number in 0..dice.roll(4) + 1 {
        let new = mark + number * 10;
        let places = generate::places(document.text(), class);
        if places.is_empty() {
            continue;
        }
        let at = places[dice.roll(places.len())].clone();
        let mut series = at.clone();
        let last = series.steps.pop();
        let is_element = matches!(last, Some(PathStep::Index(_)));
        // Known series get elements of their record type; all other places get a number.
        let is_key = matches!(&last, Some(PathStep::Field(name)) if name == "name" || name == "id");
        let element = match at.steps.first() {
            Some(PathStep::Field(name)) if name == "weapons" && at.steps.len() == 2 => {
                format!("{{ name \"n{new}\", count {} }}", new + 1)
            }
            Some(PathStep::Field(name)) if name == "weapons" && is_element => format!("{{ id {new}, at {} }}", new + 1),
            Some(PathStep::Field(name)) if name == "shapes" => format!("{{ width {new}, height {} }}", new + 1),
            _ => new.to_string(),
        };
        let _ = match dice.roll(8) {
            0 | 1 if !is_key && !is_element => document.set(&at, &new.to_string()),
            2 => document.remove(&at),
            3 | 4 if is_element => document.insert(&series, dice.roll(4), &element),
            5 if is_element => document.move_element(&at, dice.roll(4)),
            6 => notes::add(&mut document, &at, &format!("n{new}")),
            7 => {
                let name = ["title", "mass", "odd", "strange", "extra"][dice.roll(5)];
                document.set(&FieldPath::root().field(name), &new.to_string())
            }
            _ => Ok(()),
        };
    }
    document.text().to_string()
}

/// The number of occurrences of each marked word: in the text itself, then in conflict markers.
fn words(text: &str) -> BTreeMap<String, (usize, usize)> {
    let mut found: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for line in text.lines() {
        let is_mark = line.contains(MARK);
        for word in line.split(|letter: char| !letter.is_alphanumeric()) {
            let digits = word.trim_start_matches(['n', 'c']);
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            if is_number && (digits.len() > 4 || digits.len() < word.len()) {
                let counts = found.entry(word.to_string()).or_default();
                if is_mark { counts.1 += 1 } else { counts.0 += 1 }
            }
        }
    }
    found
}

fn check_nothing_is_lost(base: &str, ours: &str, theirs: &str, result: &MergedTag) -> Result<(), TestCaseError> {
    let [in_base, in_ours, in_theirs, in_result] = [base, ours, theirs, &result.text].map(words);
    let all =
        || format!("BASE\n{base}\nOURS\n{ours}\nTHEIRS\n{theirs}\nRESULT\n{}\n{:?}", result.text, result.conflicts);
    let mut every: Vec<&String> = in_base.keys().chain(in_ours.keys()).chain(in_theirs.keys()).collect();
    every.sort();
    every.dedup();
    for word in every {
        let is_in = |words: &BTreeMap<String, (usize, usize)>| words.contains_key(word);
        let (active, marked) = in_result.get(word).copied().unwrap_or_default();
        let is_new = !is_in(&in_base) && (is_in(&in_ours) || is_in(&in_theirs));
        let is_kept = is_in(&in_base) && is_in(&in_ours) && is_in(&in_theirs);
        if is_new || is_kept {
            prop_assert!(active + marked > 0, "{word} is lost\n{}", all());
            prop_assert!(active > 0 || !result.conflicts.is_empty(), "{word} is lost\n{}", all());
        }
        let is_comment = word.starts_with('c');
        let is_removed = is_in(&in_base) && (!is_in(&in_ours) || !is_in(&in_theirs));
        if is_removed && !is_comment && result.conflicts.is_empty() {
            prop_assert!(active == 0 || word.starts_with('n'), "{word} is back\n{}", all());
        }
        prop_assert!(active <= 1, "{word} is there {active} times\n{}", all());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1200, max_global_rejects: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn no_edit_is_lost_and_no_element_doubled(seed: u64) {
        let class = generate::some_ship(seed);
        let mut dice = Dice(seed);
        let base = generate::unique_text(seed);
        let ours = edit(&base, &class, &mut dice, 50_000);
        let theirs = edit(&base, &class, &mut dice, 60_000);
        let result = merged_as(&base, &ours, &theirs, &class);
        check_nothing_is_lost(&base, &ours, &theirs, &result)?;
        let other = merged_as(&base, &theirs, &ours, &class);
        check_nothing_is_lost(&base, &theirs, &ours, &other)?;
        prop_assert_eq!(result.conflicts.len(), other.conflicts.len(), "{:?}\n{:?}", &result.conflicts, &other.conflicts);
        if result.conflicts.is_empty() {
            let changes = diff(&result.text, &other.text, &class).unwrap();
            prop_assert!(changes.is_empty(), "{:?}\n{}\n---\n{}", changes, result.text, other.text);
        }
    }

    #[test]
    fn changes_of_one_side_alone_are_the_result(seed: u64) {
        let class = generate::some_ship(seed);
        let mut dice = Dice(seed);
        let base = generate::unique_text(seed);
        let changed = edit(&base, &class, &mut dice, 50_000);
        let formatted = |text: &str| script::format::format(text, &script::parse::parse(text)).unwrap();
        let written = formatted(&base);
        prop_assert_eq!(&merged_as(&base, &changed, &base, &class).text, &changed);
        prop_assert_eq!(&merged_as(&base, &base, &changed, &class).text, &changed);
        for (ours, theirs) in [(&changed, &written), (&written, &changed), (&changed, &formatted(&changed))] {
            let result = merged_as(&base, ours, theirs, &class);
            prop_assert_eq!(&result.conflicts, &vec![]);
            let changes = diff(&result.text, &changed, &class).unwrap();
            prop_assert!(changes.is_empty(), "{:?}\nBASE\n{}\nOURS\n{}\nTHEIRS\n{}\nRESULT\n{}", changes, base, ours, theirs, result.text);
        }
    }

    #[test]
    fn any_texts_are_merged_or_refused(base in generate::soup(), ours in generate::soup(), theirs in generate::soup(), text in ".{0,60}") {
        let class = generate::ship();
        let _ = merge(&base, &ours, &theirs, &class);
        let _ = merge(&text, &ours, &theirs, &class);
        let _ = merge("", &ours, &theirs, &class);
        conflicts(&text);
    }
}

#[test]
fn what_a_tag_is_made_from_is_merged() {
    let base = "@ship\n!set mass 1\n";
    let from = |path: &str| format!("@ship\n!from \"{path}\"\n!set mass 1\n");
    clean(base, "@ship\n!set mass 2\n", &from("a.ship"), "@ship\n!from \"a.ship\"\n!set mass 2\n");
    clean(
        &from("a.ship"),
        "@ship\n!from \"a.ship\"\n!set mass 2\n",
        &from("b.ship"),
        "@ship\n!from \"b.ship\"\n!set mass 2\n",
    );
    clean(&from("a.ship"), "@ship\n!from \"a.ship\"\n!set mass 2\n", base, "@ship\n!set mass 2\n");
    clean(
        "@ship\n",
        "@ship\n!from \"a.ship\" // why\n",
        "@ship\n!from \"a.ship\"\n!set mass 1\n",
        "@ship\n!from \"a.ship\" // why\n!set mass 1\n",
    );
    // What they put first does not come ahead of it.
    clean(
        base,
        &from("a.ship"),
        "@ship\n// The head.\n\n!set title \"t\"\n!set mass 1\n",
        "@ship\n\n// The head.\n\n!from \"a.ship\"\n!set title \"t\"\n!set mass 1\n",
    );
}

#[test]
fn what_a_tag_is_made_from_is_a_conflict_if_both_changed_it() {
    let from = |path: &str| format!("@ship\n!from \"{path}\"\n!set mass 1\n");
    conflict(
        &from("a.ship"),
        &from("b.ship"),
        &from("c.ship"),
        "@ship\n//! conflict: theirs: !from \"c.ship\"\n//! conflict: base: !from \"a.ship\"\n!from \"b.ship\"\n!set mass 1\n",
    );
    conflict(
        "@ship\n!set mass 1\n",
        &from("b.ship"),
        &from("c.ship"),
        "@ship\n//! conflict: theirs: !from \"c.ship\"\n!from \"b.ship\"\n!set mass 1\n",
    );
    conflict(
        &from("a.ship"),
        "@ship\n!set mass 1\n",
        &from("c.ship"),
        "@ship\n//! conflict: ours: removed\n//! conflict: base: !from \"a.ship\"\n!from \"c.ship\"\n!set mass 1\n",
    );
}

#[test]
fn parts_are_merged_by_their_place() {
    let base = "@ship\n!set hull.plates 1\n";
    clean(
        base,
        "@ship\n!set hull.plates 2\n",
        "@ship\n!set hull.plates 1\n!set hull.kind \"small\"\n",
        "@ship\n!set hull.plates 2\n!set hull.kind \"small\"\n",
    );
    clean(base, base, "@ship\n!set hull.plates 3\n", "@ship\n!set hull.plates 3\n");
    clean("@ship\n", base, "@ship\n!set hull.plates (1)\n!set mass 1\n", "@ship\n!set hull.plates 1\n!set mass 1\n");
    conflict(
        base,
        "@ship\n!set hull.plates 2\n",
        "@ship\n!set hull.plates 3\n",
        "@ship\n//! conflict: theirs: !set hull.plates 3\n//! conflict: base: !set hull.plates 1\n!set hull.plates 2\n",
    );
    conflict(
        "@ship\n!set mass += 1\n",
        "@ship\n!set mass += 2\n",
        "@ship\n!set mass += 3\n",
        "@ship\n//! conflict: theirs: !set mass += 3\n//! conflict: base: !set mass += 1\n!set mass += 2\n",
    );
}

#[test]
fn a_part_that_one_side_changes_within_the_value_of_the_other_is_a_conflict() {
    let base = "@ship\n!set hull { plates 1, kind \"small\" }\n";
    let part = "@ship\n!set hull { plates 1, kind \"small\" }\n!set hull.plates 3\n";
    let whole = "@ship\n!set hull { plates 2, kind \"small\" }\n";
    conflict(
        base,
        whole,
        part,
        "@ship\n//! conflict: theirs: !set hull.plates 3\n!set hull { plates 2, kind \"small\" }\n",
    );
    conflict(
        base,
        part,
        whole,
        "@ship\n!set hull { plates 1, kind \"small\" }\n//! conflict: theirs: !set hull { plates 2, kind \"small\" }\n!set hull.plates 3\n",
    );
    let other = "@ship\n!set hull { plates 1, kind \"large\" }\n";
    clean(base, other, part, "@ship\n!set hull { plates 1, kind \"large\" }\n!set hull.plates 3\n");
    conflict(
        "@ship\n!set mass 1\n",
        "@ship\n!set mass 2\n",
        "@ship\n!set mass 1\n!set mass += 1\n",
        "@ship\n//! conflict: theirs: !set mass += 1\n!set mass 2\n",
    );
}
