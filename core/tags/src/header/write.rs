//! Writing a class as the text of its header.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use script::format::format as formatted;
use script::parse::parse;

use super::HEADER;
use super::types::{RecordNames, text};
use crate::class::{Class, FLAGS, Field, Former, Kind, Named, Record, ScriptLibrary};

/// The header of a finished class, formatted. Inherited fields are not written.
pub fn write(class: &Class) -> String {
    let records = RecordNames::of(class);
    let mut out = format!("@{HEADER}\n!set Namespace {}\n", quoted(&class.name));
    if !class.base.is_empty() {
        out.push_str(&format!("!set Base {}\n", quoted(&class.base)));
    }
    if class.version != 1 {
        out.push_str(&format!("!set Version {}\n", class.version));
    }
    if !class.help.is_empty() {
        out.push_str(&format!("!set Help {}\n", words(&class.help)));
    }
    if !class.is_recoverable {
        out.push_str("!set Recoverable false\n");
    }
    if class.is_open {
        out.push_str("!set Open true\n");
    }
    if !class.reads.is_empty() {
        out.push_str(&format!("!set Reads {}\n", list(class.reads.iter().map(|name| quoted(name)))));
    }
    if class.postprocess != 0 {
        out.push_str(&format!("!set Postprocess {}\n", class.postprocess));
    }
    if !class.libraries.is_empty() {
        let library =
            |library: &ScriptLibrary| format!("{{ path {}, text {} }}", quoted(&library.path), words(&library.text));
        out.push_str(&format!("!set Libraries {}\n", list(class.libraries.iter().map(library))));
    }
    let fields_of_base = class.bases.first().map_or(0, |base| base.fields as usize);
    out.push_str(&format!("!set Attributes {}\n", fields(&records, class.root(), fields_of_base, "    ")));
    let inherited = class.bases.first().map_or(1, |base| base.records as usize);
    if class.records.len() > inherited {
        out.push_str("!set Records [\n");
        for (index, record) in class.records.iter().enumerate().skip(inherited) {
            let comma = if index + 1 < class.records.len() { "," } else { "" };
            out.push_str(&format!("    {{ {} }}{comma}\n", record_parts(&records, record).join(", ")));
        }
        out.push_str("]\n");
    }
    let tree = parse(&out);
    formatted(&out, &tree).unwrap_or(out)
}

fn record_parts(records: &RecordNames<'_>, record: &Record) -> Vec<String> {
    let mut parts = Vec::new();
    if !record.name.is_empty() {
        parts.push(format!("name {}", words(&record.name)));
    }
    if !record.help.is_empty() {
        parts.push(format!("help {}", words(&record.help)));
    }
    parts.push(format!("fields {}", fields(records, record, 0, "        ")));
    parts
}

/// One line for each field that is not inherited. A field of the base that is declared again is written with all its
/// attributes.
fn fields(records: &RecordNames<'_>, record: &Record, inherited: usize, indent: &str) -> String {
    let mut text = String::from("[\n");
    let own = record.fields.iter().enumerate().filter(|(_, field)| !field.is_inherited);
    let lines = own.map(|(index, field)| {
        let is_key = record.key == Some(index as u32);
        format!("{indent}{{ {} }}", field_parts(records, field, is_key, index < inherited).join(", "))
    });
    text.push_str(&lines.collect::<Vec<String>>().join(",\n"));
    text.push('\n');
    text.push(']');
    text
}

fn field_parts(records: &RecordNames<'_>, field: &Field, is_key: bool, is_again: bool) -> Vec<String> {
    let mut parts =
        Vec::from([format!("name {}", quoted(&field.name)), format!("type {}", quoted(&text(records, &field.kind)))]);
    if let Some(names) = names_of(&field.kind) {
        parts.push(format!("names {}", list(names.iter().map(named))));
    }
    if let Some(default) = &field.default {
        parts.push(format!("default {default}"));
    }
    if let Some((min, max)) = field.range {
        parts.push(format!("range [{}, {}]", number(min), number(max)));
    }
    if let Some(step) = field.step {
        parts.push(format!("step {}", number(step)));
    }
    if !field.unit.is_empty() || is_again {
        parts.push(format!("unit {}", words(&field.unit)));
    }
    let flags = FLAGS.iter().map(|flag| (flag.name, (flag.is_set)(field)));
    let said = core::iter::once(("key", is_key)).chain(flags).filter(|(_, is_set)| *is_set || is_again);
    parts.extend(said.map(|(name, is_set)| format!("{name} {is_set}")));
    if !field.former.is_empty() || is_again {
        parts.push(format!("former {}", list(field.former.iter().map(former))));
    }
    if !field.help.is_empty() || is_again {
        parts.push(format!("help {}", words(&field.help)));
    }
    parts
}

fn names_of(kind: &Kind) -> Option<&[Named]> {
    match kind {
        Kind::Choice(names) | Kind::Flags(names) => Some(names),
        Kind::Series(of) | Kind::Optional(of) => names_of(of),
        _ => None,
    }
}

fn named(named: &Named) -> String {
    if named.help.is_empty() && named.former.is_empty() && !named.name.contains('\n') {
        return quoted(&named.name);
    }
    let mut parts = Vec::from([format!("name {}", words(&named.name))]);
    if !named.help.is_empty() {
        parts.push(format!("help {}", words(&named.help)));
    }
    if !named.former.is_empty() {
        parts.push(format!("former {}", list(named.former.iter().map(|name| words(name)))));
    }
    format!("{{ {} }}", parts.join(", "))
}

fn former(former: &Former) -> String {
    if former.before == 0 && former.convert.is_none() {
        return quoted(&former.name);
    }
    let mut parts = Vec::from([format!("name {}", quoted(&former.name))]);
    if former.before != 0 {
        parts.push(format!("before {}", former.before));
    }
    if let Some(convert) = &former.convert {
        parts.push(format!("convert {convert}"));
    }
    format!("{{ {} }}", parts.join(", "))
}

fn list(parts: impl Iterator<Item = String>) -> String {
    format!("[{}]", parts.collect::<Vec<String>>().join(", "))
}

/// A text, or its lines if it has several.
fn words(text: &str) -> String {
    if text.contains('\n') { list(text.split('\n').map(quoted)) } else { quoted(text) }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A number in the fewest digits that give it exactly.
fn number(number: f64) -> String {
    let text = format!("{number:?}");
    text.strip_suffix(".0").map_or(text.clone(), ToString::to_string)
}
