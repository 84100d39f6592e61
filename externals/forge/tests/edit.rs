//! Edits of tags: the errors that an edit adds are told from those that were there.

use crate::common;

use common::Folder;
use forge::edit::{Edit, edit};
use forge::edit_error::EditError;
use forge::field_path::FieldPath;

/// The number of errors that edits add to this ship.
fn added(text: &str, edits: &[(&str, Option<&str>)]) -> usize {
    let folder = Folder::new(&[("a.ship", text)]);
    let edit_of = |(place, value): &(&str, Option<&str>)| {
        let place = FieldPath::new(place).expect("it is a field path");
        value.map_or(Edit::Remove(place.clone()), |value| Edit::Set(place, value.to_string()))
    };
    let edits: Vec<Edit> = edits.iter().map(edit_of).collect();
    edit(&folder.tree(), 0, &edits).expect("the edits are possible").findings.len()
}

#[test]
fn an_error_that_was_there_is_not_added() {
    assert_eq!(added("@ship\n!set hull \"x\"\n", &[("mounts", Some("[]"))]), 0);
    let mounts = "@ship\n!set mounts [{ marker \"a\" }, { marker 3 }]\n";
    assert_eq!(added(mounts, &[("mounts[#0]", None)]), 0, "the element with the error has another index now");
}

#[test]
fn a_wrong_value_adds_an_error_also_where_there_was_one() {
    assert_eq!(added("@ship\n", &[("hull", Some("\"x\""))]), 1);
    assert_eq!(added("@ship\n!set hull \"x\"\n", &[("hull", Some("\"y\""))]), 1);
    assert_eq!(added("@ship\n!set hull \"x\"\n", &[("hull", Some("3"))]), 0);
    assert_eq!(added("@ship\n!set mounts [{ marker 3 }]\n", &[("mounts[]", Some("{ marker 4 }"))]), 1);
}

#[test]
fn a_refused_edit_names_the_file() {
    let folder = Folder::new(&[("a.ship", "@ship\n")]);
    let remove = Edit::Remove(FieldPath::new("hull").expect("it is a field path"));
    let refused = edit(&folder.tree(), 0, &[remove]).expect_err("there is no value");
    let EditError::Refused { file, .. } = &refused else { panic!("{refused}") };
    assert!(file.ends_with("a.ship") && refused.to_string().starts_with(file), "{refused}");
}

#[test]
fn a_misspelt_field_of_an_open_class_is_not_set() {
    let mut class = tags::class::Class::new("ship");
    class.is_open = true;
    class.records[0].fields =
        vec![tags::class::Field::new("damage", tags::class::Kind::Number(tags::class::Number::F32))];
    let folder = Folder::new(&[("a.ship", "@ship\n!set dmage 3\n!set f Lambda(damagge + 1)\n")]);
    let tree = folder.tree_of(vec![class.finish().expect("the declaration is valid")]);
    let told = |place: &str| -> Vec<(String, String)> {
        let set = Edit::Set(FieldPath::new(place).expect("it is a field path"), String::from("5"));
        let edited = edit(&tree, 0, &[set]).expect("the edit is possible");
        edited.findings.into_iter().map(|finding| (finding.message, finding.help)).collect()
    };
    let wrong = "`damgae` is not a field of `ship`, and nothing in the tag has this name";
    assert_eq!(told("damgae"), [(wrong.to_string(), "did you mean `damage`?".to_string())]);
    for right in ["damage", "dmage", "damagge", "quite_another"] {
        assert_eq!(told(right), [], "{right}");
    }
}

#[test]
fn read_only_fields_and_numbers_between_steps_are_not_set_by_hand() {
    let mut class = tags::class::Class::new("ship");
    let number = || tags::class::Kind::Number(tags::class::Number::F32);
    let (mut period, mut length) =
        (tags::class::Field::new("period", number()), tags::class::Field::new("length", number()));
    (period.step, period.range, length.is_read_only) = (Some(10.0), Some((5.0, 1000.0)), true);
    class.records[0].fields = vec![period, length];
    let folder = Folder::new(&[("a.ship", "@ship\n!set length 3\n")]);
    let tree = folder.tree_of(vec![class.finish().expect("the declaration is valid")]);
    let refusals = |place: &str, value: &str| -> Vec<String> {
        let set = Edit::Set(FieldPath::new(place).expect("it is a field path"), value.to_string());
        let edited = edit(&tree, 0, &[set]).expect("the edit is possible");
        edited.findings.iter().map(|finding| finding.message.clone()).collect()
    };
    assert_eq!(refusals("length", "4"), ["`length` is read-only: the engine or an import writes it"]);
    assert_eq!(refusals("period", "17"), ["`period`: expected a number in steps of 10, found 17"]);
    for on_a_step in ["20", "5", "25"] {
        assert!(refusals("period", on_a_step).is_empty(), "{on_a_step}");
    }
}

/// A ship made from another, after an edit, and the errors that it adds.
fn of_another(text: &str, place: &str, value: &str) -> (String, Vec<String>) {
    let below = "@ship\n!set mounts [{ marker \"nose\", delay 2 }]\n";
    let folder = Folder::new(&[("a.ship", below), ("b.ship", text)]);
    let set = Edit::Set(FieldPath::new(place).expect("it is a field path"), value.to_string());
    let edited = edit(&folder.tree(), 1, &[set]).expect("the edit is possible");
    (edited.after, edited.findings.into_iter().map(|finding| finding.message).collect())
}

#[test]
fn an_edit_of_a_tag_made_from_another_is_checked_with_that() {
    let from = "@ship\n!from \"a.ship\"\n";
    assert_eq!(of_another(from, "hull", "3"), (format!("{from}!set hull 3\n"), Vec::new()));
    let part = format!("{from}!set mounts[#0].delay 3\n");
    assert_eq!(of_another(from, "mounts[#0].delay", "3"), (part.clone(), Vec::new()));
    assert_eq!(of_another(&part, "mounts[#0].delay", "4").0, format!("{from}!set mounts[#0].delay 4\n"));
    assert!(!of_another(from, "mounts[#0].delay", "\"x\"").1.is_empty());
}

#[test]
fn a_part_is_shown_by_its_place() {
    let text = "@ship\n!from \"a.ship\"\n!set mounts[#0].delay 3\n";
    let folder = Folder::new(&[("a.ship", "@ship\n!set mounts [{ marker \"nose\" }]\n"), ("b.ship", text)]);
    let place = FieldPath::new("mounts[#0].delay").expect("it is a field path");
    assert_eq!(forge::show::value_at(&folder.tree(), 1, &place).expect("it is set"), "3");
}

#[test]
fn a_value_within_an_inherited_record_is_shown() {
    let mut class = tags::class::Class::new("ship");
    let number = tags::class::Kind::Number(tags::class::Number::F32);
    class.records[0].fields =
        vec![tags::class::Field::new("body", tags::class::Kind::Optional(Box::new(tags::class::Kind::Record(1))))];
    let fields = vec![tags::class::Field::new("mass", number.clone()), tags::class::Field::new("drag", number)];
    class.records.push(tags::class::Record { name: String::from("body"), fields, ..Default::default() });
    let text = "@ship\n!from \"a.ship\"\n!set body.mass 5\n";
    let folder = Folder::new(&[("a.ship", "@ship\n!set body { mass 3, drag 4 }\n"), ("b.ship", text)]);
    let tree = folder.tree_of(vec![class.finish().expect("the declaration is valid")]);
    let shown = |place: &str| {
        let place = FieldPath::new(place).expect("it is a field path");
        forge::show::value_at(&tree, 1, &place).ok()
    };
    assert_eq!(shown("body.mass").as_deref(), Some("5"));
    assert_eq!(shown("body.drag").as_deref(), Some("4"));
    assert_eq!(shown("body.colour"), None);
    let set = |place: &str, value: &str| {
        let set = Edit::Set(FieldPath::new(place).expect("it is a field path"), String::from(value));
        let edited = edit(&tree, 1, &[set]).expect("the edit is possible");
        assert_eq!(edited.findings, []);
        edited.after
    };
    assert_eq!(set("body.mass", "6"), text.replace('5', "6"));
    assert_eq!(set("body.drag", "1"), format!("{text}!set body.drag 1\n"));
    folder.write("b.ship", b"@ship\n!from \"a.ship\"\n");
    assert_eq!(set("body.mass", "6"), "@ship\n!from \"a.ship\"\n!set body.mass 6\n");
}
