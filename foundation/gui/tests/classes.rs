//! The classes are sound: they can be written as headers, and every field explains itself.

use crate::common;

use script::parse::parse;

const OURS: [&str; 4] = ["interface", "guibutton", "controls", "settings"];

#[test]
fn every_field_has_help_and_a_default_that_fits() {
    let classes = common::classes();
    for name in OURS {
        let prepared = classes.get(name).expect(name);
        assert_eq!(prepared.wrong_default(), None);
        assert!(prepared.pack_text(&format!("@{name}\n")).reports.is_empty());
        for record in &prepared.class().records {
            for field in &record.fields {
                assert!(!field.help.is_empty(), "{name}: {}.{} has no help", record.name, field.name);
            }
        }
    }
}

#[test]
fn a_header_gives_the_same_class() {
    let classes = common::classes();
    for name in OURS.into_iter().filter(|name| *name != "guibutton") {
        let class = classes.get(name).expect(name).class();
        let text = tags::header::write(class);
        let (read, reports) = tags::header::read(&text, &parse(&text), "");
        assert_eq!(reports, [], "{name}");
        assert_eq!(read.map(|read| read.fingerprint()), Some(class.fingerprint()), "{name}");
    }
}

#[test]
fn wrong_tags_give_reports_and_defaults() {
    for (path, text, expected) in [
        ("a.interface", "@interface\n!set widgets [{ name \"a\", kind \"buton\" }]", "buton"),
        ("a.interface", "@interface\n!set widgets [{ name \"a\", anchor 3 }]", "anchor"),
        ("a.interface", "@interface\n!set widgets [{ name \"a\", colour 3 }]", "colour"),
        ("a.interface", "@interface\n!set widgets [{ name \"a\", bind { value 3 } }]", "value"),
        ("a.controls", "@controls\n!set actions [{ name \"a\", mode \"hodl\" }]", "hodl"),
        ("a.settings", "@settings\n!set picture { fov 500 }", "500"),
    ] {
        let (content, reports) = common::content(&[(path, text)]);
        assert!(reports.len() == 1 && reports[0].contains(expected), "{text}: {reports:?}");
        assert!(content.packed(common::id(path)).is_some());
    }
}
