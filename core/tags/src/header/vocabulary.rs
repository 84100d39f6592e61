//! The vocabulary of headers: one table of all names that may be set in a header and in its records.
//!
//! The reader takes the known names from it; the language server takes kinds and help texts from [`class`].

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::HEADER;
use crate::class::{Class, FLAGS, Field, Kind, Number, Record};

/// What an entry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum EntryKind {
    Text,
    Texts,
    Truth,
    Whole,
    Number,
    Numbers,
    Lambda,
    /// A list of records: the number of one of [`TABLES`].
    Records(u32),
}

/// One name that may be set.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct VocabularyEntry {
    pub name: &'static str,
    pub kind: EntryKind,
    pub help: &'static str,
}

const fn entry(name: &'static str, kind: EntryKind, help: &'static str) -> VocabularyEntry {
    VocabularyEntry { name, kind, help }
}

use EntryKind::{Lambda, Number as Real, Numbers, Records, Text, Texts, Truth, Whole};

/// The variables of a header.
pub const VARIABLES: [VocabularyEntry; 13] = [
    entry("Namespace", Text, "The name of the class: its files begin with `@name`."),
    entry("Base", Text, "The class it is derived from; its fields come first."),
    entry("Version", Whole, "Its version, from 1 on."),
    entry("Help", Text, "What it is for."),
    entry("Attributes", Records(1), "Its fields in order."),
    entry("Records", Records(2), "The records that its fields hold, by name."),
    entry("Recoverable", Truth, "False if a changed tag restarts the level."),
    entry("Open", Truth, "True if its tags may define additional variables."),
    entry("Reads", Texts, "The classes whose tags its postprocess may read."),
    entry("Postprocess", Whole, "The version number of its postprocess."),
    entry("Use", Texts, "The scripts, by their paths, whose names all its tags see."),
    entry("Init", Text, "The script, by its path, that sets the initial values of its tags."),
    entry("Libraries", Records(5), "The scripts that it uses with their texts, as tools write them."),
];

/// The attributes of a field, beside its [`FLAGS`].
pub const ATTRIBUTE: [VocabularyEntry; 12] = [
    entry("name", Text, "The field's name."),
    entry("type", Text, "What it may hold; without one, the type of its default."),
    entry("default", Text, "Its value where the text gives none."),
    entry("range", Numbers, "The smallest and the largest number it may be."),
    entry("step", Real, "The step of a slider or spin box."),
    entry("unit", Text, "The unit of its number: \"m/s\"."),
    entry("help", Text, "What it is for."),
    entry("key", Truth, "True if it identifies the elements of a series."),
    entry("formula", Truth, "True if a pure lambda may compute its value."),
    entry("names", Records(3), "Of a choice or of flags: the names to choose from."),
    entry("fields", Records(1), "Of a record that is declared here: its attributes."),
    entry("former", Records(4), "Its former names and meanings."),
];

/// A record of `Records`.
pub const RECORD: [VocabularyEntry; 3] = [
    entry("name", Text, "Its name in types: `record name`."),
    entry("help", Text, "What it is for."),
    entry("fields", Records(1), "Its attributes."),
];

/// A name of a choice or of flags.
pub const NAME: [VocabularyEntry; 3] = [
    entry("name", Text, "The name in the text."),
    entry("help", Text, "What it means."),
    entry("former", Texts, "Its former names."),
];

/// A former name or meaning of a field.
pub const FORMER: [VocabularyEntry; 3] = [
    entry("name", Text, "Its name then; may be today's."),
    entry("before", Whole, "Files of this version and later no longer have it."),
    entry("convert", Lambda, "Computes today's value from the former one."),
];

/// A library.
pub const LIBRARY: [VocabularyEntry; 2] =
    [entry("path", Text, "Its path in the tree."), entry("text", Text, "Its text.")];

/// The records of a header's class, by number.
pub const TABLES: [(&str, &[VocabularyEntry]); 6] = [
    (HEADER, &VARIABLES),
    ("attribute", &ATTRIBUTE),
    ("record", &RECORD),
    ("name", &NAME),
    ("former", &FORMER),
    ("library", &LIBRARY),
];

/// The names of a table.
pub fn names(entries: &[VocabularyEntry]) -> Vec<&'static str> {
    entries.iter().map(|entry| entry.name).collect()
}

/// The names of all attributes of a field, its flags included.
pub fn attribute_names() -> Vec<&'static str> {
    let mut all = names(&ATTRIBUTE);
    all.extend(FLAGS.iter().map(|flag| flag.name));
    all
}

/// The class of headers, as a table like that of any other class.
pub fn class() -> Class {
    let mut class = Class::new(HEADER);
    class.help = "Declares a class: its fields, and what is known about each.".to_string();
    class.records = TABLES.iter().map(|(name, entries)| record(name, entries)).collect();
    class.records[1].fields.extend(FLAGS.iter().map(|flag| {
        let help = alloc::format!("True if the field is marked: {}.", flag.phrase);
        Field { help, ..Field::new(flag.name, Kind::Truth) }
    }));
    class
}

fn record(name: &str, entries: &[VocabularyEntry]) -> Record {
    let field =
        |entry: &VocabularyEntry| Field { help: entry.help.to_string(), ..Field::new(entry.name, kind(entry.kind)) };
    Record { name: name.to_string(), fields: entries.iter().map(field).collect(), ..Record::default() }
}

fn kind(kind: EntryKind) -> Kind {
    let series = |of: Kind| Kind::Series(Box::new(of));
    match kind {
        Text => Kind::Text,
        Texts => series(Kind::Text),
        Truth => Kind::Truth,
        Whole => Kind::Number(Number::U32),
        Real => Kind::Number(Number::F64),
        Numbers => series(Kind::Number(Number::F64)),
        Lambda => Kind::Lambda(String::new()),
        Records(number) => series(Kind::Record(number)),
    }
}
