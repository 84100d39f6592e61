//! Where an imported tag came from, and which of its values are still as they were imported.

use std::path::Path;

use tags::Tag;
use tags::class::{Class, Kind};
use tags::pack::Prepared;
use tags::packed::{Packed, Reflected, ReflectedRecord, write_text};

use crate::document::Document;
use crate::field_path::FieldPath;
use crate::pipeline::held::imported_text;
use crate::pipeline::intake::{beside_name, imported_beside};
use crate::pipeline::layout;
use crate::pipeline::surroundings::Origin;
use crate::tree::Tree;
use crate::tree_error::TreeError;

/// The field with the source record.
const SOURCE: &str = "source";

/// Where a tag came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagSource {
    /// The source file, relative to the folder of sources.
    pub file: String,
    /// The hash of its bytes.
    pub hash: String,
    /// The importer and its version.
    pub importer: (String, u32),
    /// The options that differ from their defaults.
    pub options: Vec<(String, String)>,
    /// The program that wrote the file, and its version, as far as the file says.
    pub exporter: (String, String),
    /// The file that was read, if the source had to be exported first.
    pub intermediate: String,
    /// The fields that are not at their defaults, with what became of their imported values; empty if the last imported
    /// text is lost.
    pub fields: Vec<(String, ValueOrigin)>,
}

/// Where the value of a field came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueOrigin {
    /// It is as it was imported.
    Imported,
    /// People changed or removed it; the imported value.
    Edited(String),
    /// People set it; the import did not.
    Added,
}

impl TagSource {
    /// Where the value of a field came from, if that is known.
    #[must_use]
    pub fn of_field(&self, name: &str) -> Option<&ValueOrigin> {
        self.fields.iter().find(|(field, _)| field == name).map(|(_, origin)| origin)
    }
}

/// Where a tag came from; none if it was not imported.
pub fn source_of(tree: &Tree, tag: usize) -> Result<Option<TagSource>, TreeError> {
    let path = &tree.tags[tag].path;
    let prepared = tree.classes.named(path.class())?;
    let class = prepared.class();
    let text = tree.read(path.as_str())?;
    let packed = prepared.pack_text(&text).packed;
    let (found, base) = match record_in(&packed, class) {
        Some(record) => (read(record), container(tree, tag, &packed).and_then(|file| imported_text(&file))),
        None => {
            let Some((base, record)) = imported_beside(&tree.root.join(beside_name(path))) else { return Ok(None) };
            let origin = Prepared::new(Origin::class());
            let packed = origin.pack_text(&format!("@origin\n!set source {record}\n")).packed;
            (record_in(&packed, origin.class()).map(read).unwrap_or_default(), Some(base))
        }
    };
    if found.file.is_empty() {
        return Ok(None);
    }
    let fields = base.map(|base| origins(prepared, &base, &text)).unwrap_or_default();
    Ok(Some(TagSource { fields, ..found }))
}

/// The file of a tag's bulk data.
pub(crate) fn container(tree: &Tree, tag: usize, packed: &Packed) -> Option<std::path::PathBuf> {
    let file = packed.files().next()?.file;
    let is_plain = Path::new(file).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    is_plain.then(|| tree.root.join(layout::beside(&tree.tags[tag].path, file)))
}

fn record_in<'a>(packed: &'a Packed, class: &'a Class) -> Option<ReflectedRecord<'a>> {
    match packed.reflect(class).get(SOURCE) {
        Reflected::Record(record) => Some(record),
        _ => None,
    }
}

fn read(record: ReflectedRecord<'_>) -> TagSource {
    let word = |name: &str| word(record.get(name));
    let options = match record.get("options") {
        Reflected::Series(rows) => rows.each().filter_map(option).collect(),
        _ => Vec::new(),
    };
    let version = match record.get("version") {
        Reflected::Number(version) => version as u32,
        _ => 0,
    };
    TagSource {
        file: word("file"),
        hash: word("hash"),
        importer: (word("importer"), version),
        options,
        exporter: (word("exporter"), word("exporter_version")),
        intermediate: word("intermediate"),
        fields: Vec::new(),
    }
}

fn option(row: Reflected<'_>) -> Option<(String, String)> {
    match row {
        Reflected::Record(row) => Some((word(row.get("name")), word(row.get("value")))),
        _ => None,
    }
}

fn word(value: Reflected<'_>) -> String {
    match value {
        Reflected::Text(text) | Reflected::Name(text, _) => text.to_string(),
        _ => String::new(),
    }
}

/// Compares the values of a tag with those that were imported. Its source and its bulk data are the import's own.
fn origins(prepared: &Prepared, base: &str, text: &str) -> Vec<(String, ValueOrigin)> {
    let class = prepared.class();
    let [before, now] = [base, text].map(|text| prepared.pack_text(text).packed);
    let (before, now) = (before.reflect(class), now.reflect(class));
    let [was_set, is_set] = [base, text].map(|text| {
        let document = Document::new(text, class);
        move |name: &str| document.get(&FieldPath::root().field(name)).is_ok()
    });
    let mut found = Vec::new();
    for (field, value) in now.fields().filter(|(field, _)| !field.is_runtime) {
        let name = field.name.as_str();
        let origin = match (was_set(name), is_set(name)) {
            _ if name == SOURCE || matches!(field.kind, Kind::Bulk) => ValueOrigin::Imported,
            (false, false) => continue,
            (false, true) => ValueOrigin::Added,
            (true, _) => {
                let [imported, present] = [&before.get(name), &value].map(|value| {
                    let mut text = String::new();
                    write_text(value, &mut text);
                    text
                });
                if imported == present { ValueOrigin::Imported } else { ValueOrigin::Edited(imported) }
            }
        };
        found.push((name.to_string(), origin));
    }
    found
}
