//! An importer and its class for the tests of the pipeline: it counts words, and fails in many ways when asked.
#![allow(dead_code, reason = "each file of tests uses a part of it")]

use std::time::Duration;

use base::StringId;
use media::{ImportError, Importer, OptionRow, Options, Part, Product, Source, Warning};
use tags::{Bulk, Record, Series, Tag};
use view::classes::source::SourceRecord;

/// A class with imported fields and one that only people set.
#[derive(Tag)]
#[tag(class = "note")]
#[repr(C)]
pub struct Note {
    /// Imported.
    length: u32,
    /// Imported, by name.
    words: Series<Word>,
    /// Imported, and only so.
    #[tag(read_only)]
    size: u32,
    /// Imported, a list without keys.
    sizes: Series<u32>,
    /// Set by people.
    #[tag(default = 1)]
    volume: f32,
    /// The bulk data.
    data: Bulk,
    /// Where it came from.
    source: SourceRecord,
}

/// A class without bulk data and source.
#[derive(Tag)]
#[tag(class = "plan")]
#[repr(C)]
pub struct Plan {
    /// Imported, by name.
    words: Series<Word>,
    /// Set by people.
    volume: f32,
}

/// A word of a note.
#[derive(Record)]
#[repr(C)]
struct Word {
    /// The word.
    #[tag(key)]
    name: StringId,
    /// How often it occurs.
    count: u32,
}

const OPTIONS: &[OptionRow] =
    &[OptionRow { name: "factor", default: "1", words: &[], help: "By what counts are multiplied." }];

pub const IMPORTERS: &[Importer] = &[Importer {
    name: "note",
    extensions: &["txt"],
    version: 1,
    options: OPTIONS,
    help: "Counts words.",
    gathers: media::importer::gathers_nothing,
    import: import_note,
}];

/// Counts the words of a text. `include NAME` adds a file beside it; a line `part NAME` makes a second product.
fn import_note(source: &Source<'_>, options: &Options) -> Result<Vec<Product>, ImportError> {
    let factor = options.number("factor", 0.0, 100.0)?;
    let mut text = String::from_utf8(source.bytes.to_vec()).map_err(|_| ImportError::Damaged("no UTF-8".into()))?;
    match text.trim() {
        "" => return Err(ImportError::Empty("words")),
        "panic" => panic!("a codec has a bug"),
        "exit" => std::process::exit(3),
        // More than a worker may have.
        "grow" => {
            let large = vec![1_u8; 16 << 30];
            return Err(ImportError::Damaged(format!("{}", large.len())));
        }
        "hang" => loop {
            std::thread::sleep(Duration::from_millis(10));
        },
        _ => {}
    }
    if let Some(name) = text.strip_prefix("include ").map(|rest| rest.trim().to_string()) {
        text = String::from_utf8_lossy(&source.read_beside(&name)?).into_owned();
    }
    let (parts, words): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with("part "));
    let mut counts = std::collections::BTreeMap::<&str, f64>::new();
    words.iter().flat_map(|line| line.split_whitespace()).for_each(|word| *counts.entry(word).or_default() += factor);
    let rows: Vec<String> =
        counts.iter().map(|(word, count)| format!("{{ name \"{word}\", count {count} }}")).collect();
    let sizes: Vec<String> = text.split_whitespace().map(|word| word.len().to_string()).collect();
    let product = |name: &str, length: usize| Product {
        name: name.to_string(),
        class: "note",
        fields: vec![
            ("length".into(), length.to_string()),
            ("words".into(), format!("[ {} ]", rows.join(", "))),
            ("size".into(), text.len().to_string()),
            ("sizes".into(), format!("[\n    {}\n]", sizes.join(",\n    "))),
        ],
        bulk_field: "data",
        parts: vec![Part { name: "text".into(), bytes: text.clone().into_bytes() }],
        warnings: vec![Warning { message: "only a test".into() }],
        exporter: ("hand".into(), String::new()),
        ..Product::default()
    };
    let rest = parts.iter().map(|line| match line[5..].strip_prefix("plan ") {
        Some(name) => Product {
            class: "plan",
            parts: Vec::new(),
            fields: vec![product(name, 0).fields.remove(1)],
            ..product(name, 0)
        },
        None => product(&line[5..], 0),
    });
    Ok([product("", text.len())].into_iter().chain(rest).collect())
}
