//! Notes: designers' remarks on values.
//!
//! A comment that begins with `//?` is a note on the field or element that it stands above or behind. Notes on a field
//! in general are in a file of its class, `<class>.notes`: `!set mass "below 2 it flies backwards"`, and for fields of
//! elements `!set weapons { marker "…" }`.
//!
//! Law: a note belongs to its value. It is moved and removed with it, and no tool changes it otherwise.

use std::collections::BTreeMap;

use script::ast::{Expression, NodeId, Tree};
use script::parse::parse;
use script::report::Report;
use script::source::Span;

use crate::document::item_list::{Comment, ItemList, ItemListKind, comments_in, indent_at};
use crate::document::patch::line_end;
use crate::document::{Document, Refusal, element_of, key_of, kind_at, record_of, unquoted, version_of};
use crate::field_path::{FieldPath, PathStep};
use tags::class::{Class, Kind, Record};
use tags::limits::{DEPTH_MAX, REPORTS_MAX};

/// The prefix of a note.
pub const MARK: &str = "//?";

/// A note on a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The field path of the value.
    pub place: FieldPath,
    /// Its text, with a line for each comment.
    pub text: String,
    /// The comments it was read from.
    pub spans: Vec<Span>,
}

/// All notes of a text, in order.
pub fn find(source: &str, tree: &Tree, class: &Class) -> Vec<Note> {
    let version = version_of(source, tree).unwrap_or(1);
    let mut finder = Finder { source, tree, class, version, notes: Vec::new() };
    finder.row(&ItemList::of_file(source, tree), Enclosing::Record(Some(class.root())), &FieldPath::root(), 0);
    finder.notes
}

/// The note on a value, if there is one.
pub fn get(document: &Document<'_>, place: &FieldPath) -> Result<Option<String>, Refusal> {
    let (row, index) = document.locate(place)?;
    let comments = notes_of(document.text(), document.tree(), &row, index);
    Ok((!comments.is_empty()).then(|| joined(document.text(), &comments)))
}

/// Replaces the notes on a value. An empty text only removes them.
pub fn set(document: &mut Document<'_>, place: &FieldPath, note: &str) -> Result<(), Refusal> {
    document.may_write()?;
    let (row, index) = document.locate(place)?;
    let found = notes_of(document.text(), document.tree(), &row, index);
    let lines = lines_of(note);
    if let ([only], [line]) = (found.as_slice(), lines.as_slice()) {
        let text = spliced(document.text(), &[(only.span.range(), line.clone())]);
        return document.take(text);
    }
    let mut splices: Vec<(std::ops::Range<usize>, String)> =
        found.iter().map(|comment| (whole_comment(document.text(), comment.span), String::new())).collect();
    if !lines.is_empty() {
        splices.push(above(document.text(), &row, index, &lines));
    }
    let text = spliced(document.text(), &splices);
    document.take(text)
}

/// Adds a note to a value.
pub fn add(document: &mut Document<'_>, place: &FieldPath, note: &str) -> Result<(), Refusal> {
    document.may_write()?;
    let (row, index) = document.locate(place)?;
    let text = spliced(document.text(), &[above(document.text(), &row, index, &lines_of(note))]);
    document.take(text)
}

/// Removes the notes on a value.
pub fn remove(document: &mut Document<'_>, place: &FieldPath) -> Result<(), Refusal> {
    set(document, place, "")
}

/// The notes on the fields of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassNotes {
    /// By field path without elements: `weapons.marker`.
    notes: BTreeMap<String, String>,
}

impl ClassNotes {
    /// Reads a file of notes. Invalid entries are reported.
    pub fn read(source: &str) -> (ClassNotes, Vec<Report>) {
        let tree = parse(source);
        let mut reader = Reader { source, tree: &tree, notes: BTreeMap::new(), reports: tree.reports.clone() };
        for statement in &tree.statements {
            match tree.node(*statement).expression {
                Expression::Set(name, value) => reader.value(name.text(source), value, 0),
                _ => reader.report(tree.node(*statement).span),
            }
        }
        (ClassNotes { notes: reader.notes }, reader.reports)
    }

    /// The note on a field.
    pub fn get(&self, place: &FieldPath) -> Option<&str> {
        self.notes.get(&place.without_elements()).map(String::as_str)
    }

    /// All notes, by field path.
    pub fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        self.notes.iter().map(|(name, note)| (name.as_str(), note.as_str()))
    }

    /// The text of a file of notes with the note on a field replaced.
    pub fn write(source: &str, place: &FieldPath, note: &str) -> Result<String, Refusal> {
        let class = Class::new("notes");
        let mut document = Document::new(source, &class);
        let steps: Vec<PathStep> =
            place.steps.iter().filter(|step| matches!(step, PathStep::Field(_))).cloned().collect();
        let mut value = format!("\"{}\"", note.replace('"', "\"\"").replace(['\n', '\r'], " "));
        for length in (1..=steps.len()).rev() {
            let around = FieldPath { steps: steps[..length].to_vec() };
            match document.set(&around, &value) {
                Ok(()) => return Ok(document.text().to_string()),
                Err(refusal) if length == 1 => return Err(refusal),
                Err(_) => {}
            }
            // The record around it does not exist yet.
            if let PathStep::Field(name) = &steps[length - 1] {
                value = format!("{{ {name} {value} }}");
            }
        }
        Ok(document.text().to_string())
    }
}

struct Reader<'a> {
    source: &'a str,
    tree: &'a Tree,
    notes: BTreeMap<String, String>,
    reports: Vec<Report>,
}

impl Reader<'_> {
    fn value(&mut self, name: &str, id: NodeId, depth: u32) {
        let node = self.tree.node(id);
        match node.expression {
            Expression::String => {
                self.notes.insert(name.to_string(), unquoted(node.span.text(self.source)));
            }
            Expression::Record(names, values) if depth < DEPTH_MAX => {
                for (inner, value) in self.tree.names(names).iter().zip(self.tree.items(values)) {
                    self.value(&format!("{name}.{}", inner.span.text(self.source)), *value, depth + 1);
                }
            }
            // A note on a series, and on the fields of its elements.
            Expression::List(values) if depth < DEPTH_MAX => {
                self.tree.items(values).iter().for_each(|value| self.value(name, *value, depth + 1));
            }
            _ => self.report(node.span),
        }
    }

    fn report(&mut self, span: Span) {
        if self.reports.len() < REPORTS_MAX {
            let help = "`!set mass \"good values are 1 to 3\"`, `!set weapons { marker \"…\" }`";
            self.reports.push(Report::error(span, "expected a note in quotes").with_help(help));
        }
    }
}

/// The record or series that encloses an item.
#[derive(Clone, Copy)]
enum Enclosing<'a> {
    Record(Option<&'a Record>),
    Series(Option<&'a Kind>),
}

struct Finder<'a> {
    source: &'a str,
    tree: &'a Tree,
    class: &'a Class,
    version: u32,
    notes: Vec<Note>,
}

impl<'a> Finder<'a> {
    fn row(&mut self, row: &ItemList, around: Enclosing<'a>, place: &FieldPath, depth: u16) {
        // Text without a note is skipped.
        let has_notes = self.source[row.open..row.close].contains(MARK) || self.source[row.close..].starts_with(MARK);
        if !has_notes || depth > script::parse::HEIGHT_MAX {
            return;
        }
        let steps = self.steps(row, around);
        for (index, step) in steps.into_iter().enumerate() {
            let item = &row.items[index];
            let part = item.part(self.source, self.tree).filter(|part| !part.is_relative).map(|part| part.place);
            let Some(here) = part.or_else(|| step.map(|step| place.then(step))) else { continue };
            let comments = notes_of(self.source, self.tree, row, index);
            if !comments.is_empty() {
                let text = joined(self.source, &comments);
                let spans = comments.iter().map(|comment| comment.span).collect();
                self.notes.push(Note { place: here.clone(), text, spans });
            }
            if let Some(inner) = ItemList::of_value(self.source, self.tree, item.value) {
                let kind = match around {
                    Enclosing::Record(_) if item.name.is_none() => kind_at(self.class, &here),
                    Enclosing::Record(record) => {
                        let name = item.name.map(|name| name.text(self.source));
                        name.and_then(|name| record?.field(name)).map(|(_, field)| &field.kind)
                    }
                    Enclosing::Series(kind) => kind,
                };
                let around = match inner.kind {
                    ItemListKind::List => Enclosing::Series(kind.and_then(element_of)),
                    _ => Enclosing::Record(kind.and_then(|kind| record_of(self.class, kind))),
                };
                self.row(&inner, around, &here, depth + 1);
            }
        }
    }

    /// The steps from a list to each of its items.
    fn steps(&self, row: &ItemList, around: Enclosing<'_>) -> Vec<Option<PathStep>> {
        match around {
            Enclosing::Record(_) => {
                let name = |name: Span| PathStep::Field(name.text(self.source).to_string());
                row.items.iter().map(|item| item.name.map(name)).collect()
            }
            Enclosing::Series(kind) => {
                let record = kind.and_then(|kind| record_of(self.class, kind));
                let values = row.items.iter().map(|item| item.value);
                element_steps(self.source, self.tree, record, self.version, values).into_iter().map(Some).collect()
            }
        }
    }
}

/// The steps to the elements of a series: by key if it is unique, otherwise by index.
pub(crate) fn element_steps(
    source: &str,
    tree: &Tree,
    record: Option<&Record>,
    version: u32,
    values: impl Iterator<Item = NodeId>,
) -> Vec<PathStep> {
    let keyed = record.filter(|record| record.key.is_some());
    let keys: Vec<Option<String>> =
        values.map(|value| keyed.and_then(|record| key_of(source, tree, record, version, value))).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for key in keys.iter().flatten() {
        *counts.entry(key).or_default() += 1;
    }
    let step = |(index, key): (usize, &Option<String>)| match key {
        Some(key) if counts.get(key.as_str()) == Some(&1) => PathStep::Key(key.clone()),
        _ => PathStep::Index(index),
    };
    keys.iter().enumerate().map(step).collect()
}

/// The notes among the comments of an item: above it, behind it, and behind the opening bracket of its value.
pub(crate) fn notes_of(source: &str, tree: &Tree, row: &ItemList, index: usize) -> Vec<Comment> {
    let mut comments = row.comments(tree, index);
    if let Some(inner) = ItemList::of_value(source, tree, row.items[index].value).filter(|inner| inner.has_comment) {
        comments.extend(comments_in(tree, inner.open, inner.head, true));
    }
    comments.retain(|comment| comment.span.text(source).starts_with(MARK));
    comments.sort_by_key(|comment| comment.span);
    comments
}

fn joined(source: &str, comments: &[Comment]) -> String {
    let lines = comments.iter().map(|comment| comment.span.text(source)[MARK.len()..].trim());
    lines.collect::<Vec<&str>>().join("\n")
}

fn lines_of(note: &str) -> Vec<String> {
    let lines = note.lines().map(|line| line.replace('\r', " ")).map(|line| line.trim().to_string());
    lines.filter(|line| !line.is_empty()).map(|line| format!("{MARK} {line}")).collect()
}

/// A comment with its line, if it stands alone, otherwise with the blanks before it.
fn whole_comment(source: &str, span: Span) -> std::ops::Range<usize> {
    let range = span.range();
    let before = &source[..range.start];
    let start = before.trim_end_matches([' ', '\t']).len();
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    let behind = &source[range.end..];
    let end = behind.find('\n').filter(|end| behind[..*end].trim_start_matches(['\r', ' ', '\t']).is_empty());
    match end {
        Some(end) if start <= line_start => line_start..range.end + end + 1,
        _ => start..range.end,
    }
}

/// Inserts lines above an item.
fn above(source: &str, row: &ItemList, index: usize, lines: &[String]) -> (std::ops::Range<usize>, String) {
    let item = &row.items[index];
    let line_end = line_end(source);
    let begins_line = row.kind == ItemListKind::File || item.begins_line(source);
    let indent = indent_at(source, item.start);
    if begins_line {
        let lines: Vec<String> = lines.iter().map(|line| format!("{line}{line_end}{indent}")).collect();
        return (item.start..item.start, lines.concat());
    }
    let indent = format!("{line_end}{indent}    ");
    let lines: Vec<String> = lines.iter().map(|line| format!("{indent}{line}")).collect();
    (item.own..item.start, format!("{}{indent}", lines.concat()))
}

/// Replaces non-overlapping ranges of a text.
fn spliced(source: &str, splices: &[(std::ops::Range<usize>, String)]) -> String {
    let mut sorted: Vec<&(std::ops::Range<usize>, String)> = splices.iter().collect();
    sorted.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    for (range, text) in sorted {
        out.push_str(&source[at..range.start.max(at)]);
        out.push_str(text);
        at = range.end.max(at);
    }
    out.push_str(&source[at..]);
    out
}
