//! A tag for people: every field with its value, its origin, and its notes.
//!
//! Laws
//! 1. Values are those that a game would have, also where the text has errors.
//! 2. Lambdas, and formulas that a game evaluates, are shown as they are written.

use std::collections::{BTreeMap, BTreeSet};

use crate::document::Document;
use crate::field_path::{FieldPath, PathStep};
use crate::notes::{self, ClassNotes};
use script::ast::{Expression, Tree as Syntax};
use script::parse::parse;
use script::report::Report;
use tags::ancestry::Ancestry;
use tags::class::{Class, Field, Kind};
use tags::compose::Layer;
use tags::pack::Prepared;
use tags::packed::{Reflected, write_text};

use crate::edit_error::EditError;
use crate::finding::Finding;
use crate::new_tag::description;
use crate::tree::{NOTES, Tree};
use crate::tree_error::TreeError;

/// A tag for people.
#[derive(Clone, Debug, Default)]
pub struct ShownTag {
    /// Its class.
    pub class: String,
    /// The version of the text, and that of the class.
    pub versions: (u32, u32),
    /// Its fields in the class's order, then unknown ones.
    pub rows: Vec<ShownField>,
    /// Its errors and warnings.
    pub findings: Vec<Finding>,
}

/// A field for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownField {
    /// Its name.
    pub name: String,
    /// Its value as LScript.
    pub value: String,
    /// Its text, if that is not the value: a formula.
    pub written: String,
    /// The unit of its number.
    pub unit: String,
    /// Whether the text does not set it, so that the class's default counts.
    pub is_default: bool,
    /// Where an inherited value comes from: the path of a tag or a library, or "default of the class".
    pub from: String,
    /// Its name in the text, if that is a former one.
    pub former: String,
    /// Its kind, unit and range.
    pub description: String,
    /// What it is for.
    pub help: String,
    /// The notes on this value, with their field paths, and on the field in general.
    pub notes: Vec<String>,
    /// Whether the class has it.
    pub is_known: bool,
    /// Whether it is hidden.
    pub is_hidden: bool,
}

/// Shows a tag.
pub fn show(tree: &Tree, tag: usize) -> Result<ShownTag, TreeError> {
    let file = &tree.tags[tag];
    let prepared = tree.classes.named(file.path.class())?;
    let class = prepared.class();
    let source = tree.read(file.path.as_str())?;
    let parsed = parse(&source);
    let ancestry = tree.ancestry(&file.path, &source, &parsed);
    let made = prepared.pack_from(&source, &parsed, &ancestry.parents());
    let inherited = Inherited::of(prepared, &source, &parsed, &ancestry);
    let document = Document::new(&source, class);
    let of_class = class_notes(tree, &class.name);
    let found = notes::find(&source, document.tree(), class);
    let seen = made.packed.reflect(class);
    let mut rows = Vec::new();
    for (field, value) in seen.fields().filter(|(field, _)| !field.is_runtime) {
        let mut row = row(&document, class, field, &value, &inherited);
        for note in found.iter().filter(|note| is_in(&note.place, &field.name)) {
            let place = if note.place.steps.len() == 1 { String::new() } else { format!("{}: ", note.place) };
            row.notes.extend(note.text.lines().map(|line| format!("{place}{line}")));
        }
        row.notes.extend(of_class.get(&FieldPath::root().field(&field.name)).map(String::from));
        rows.push(row);
    }
    let folders = tree.folders();
    if folders.all().len() > 1 {
        let own = folders.shown(file.path.as_str(), folders.file(file.path.as_str()).1);
        let is_own = |row: &&mut ShownField| !row.is_default && row.from.is_empty();
        rows.iter_mut().filter(is_own).for_each(|row: &mut ShownField| row.from.clone_from(&own));
    }
    rows.extend(strangers(&document, class));
    let is_shown = |rows: &[ShownField], name: &str| rows.iter().any(|row| row.name == name);
    for (name, (value, from)) in &inherited.values {
        if class.root().field(name).is_none() && !is_shown(&rows, name) {
            let (name, value, from) = (name.clone(), value.clone(), from.clone());
            rows.push(ShownField { name, value, from, ..ShownField::default() });
        }
    }
    let version = document.version().unwrap_or(1);
    let reports: Vec<Report> = ancestry.report.clone().into_iter().chain(made.reports).collect();
    let findings = Finding::of_reports(&tree.shown(file.path.as_str()), &source, &reports);
    Ok(ShownTag { class: class.name.clone(), versions: (version, class.version), rows, findings })
}

/// The notes on the fields of a class.
pub fn class_notes(tree: &Tree, class: &str) -> ClassNotes {
    let text = tree.read(&format!("{class}.{NOTES}")).unwrap_or_default();
    ClassNotes::read(&text).0
}

/// What a tag inherits: texts and their origins, by name.
struct Inherited {
    values: BTreeMap<String, (String, String)>,
    /// The names of which the tag itself changes parts.
    changed: BTreeSet<String>,
}

impl Inherited {
    fn of(prepared: &Prepared, source: &str, tree: &Syntax, ancestry: &Ancestry) -> Inherited {
        let mut inherited = Inherited { values: BTreeMap::new(), changed: BTreeSet::new() };
        for statement in &tree.statements {
            let node = tree.node(*statement);
            if matches!(node.expression, Expression::Update(..)) {
                inherited.changed.extend(tree.set_by(node).map(|name| name.text(source).to_string()));
            }
        }
        let Some(composed) = prepared.compose(source, tree, &ancestry.parents()) else { return inherited };
        for statement in &composed.statements {
            let text = statement.span.text(&composed.text);
            let value = text.get("!set ".len() + statement.name.len()..).unwrap_or("").trim().to_string();
            let from = match statement.layer {
                Layer::Parent(number) => ancestry.tags.get(number as usize).map(|tag| tag.source.shown.clone()),
                Layer::Library(number) => {
                    prepared.class().libraries.get(number as usize).map(|library| library.path.clone())
                }
                Layer::Default(_) => Some(String::from("default of the class")),
            };
            let from = from.unwrap_or_default();
            // The nearest layer that changes a value is its origin.
            inherited.values.entry(statement.name.clone()).or_insert((value, from));
        }
        inherited
    }
}

fn row(
    document: &Document<'_>,
    class: &Class,
    field: &Field,
    value: &Reflected<'_>,
    inherited: &Inherited,
) -> ShownField {
    let found = document.get(&FieldPath::root().field(&field.name)).ok();
    let of_others = inherited.values.get(&field.name).filter(|_| found.is_none());
    let written = match (found, of_others) {
        (Some(found), _) => found.text.to_string(),
        (None, Some((written, _))) => written.clone(),
        (None, None) => String::new(),
    };
    let is_changed = inherited.changed.contains(&field.name);
    let mut text = String::new();
    write_text(value, &mut text);
    let has_lambdas = matches!(value, Reflected::Lambda(_)) || text.contains("Lambda(…)");
    if has_lambdas && !written.is_empty() {
        text.clone_from(&written);
    }
    ShownField {
        name: field.name.clone(),
        written: if is_formula(&written, &field.kind) && written != text { written } else { String::new() },
        value: text,
        unit: field.unit.clone(),
        is_default: found.is_none() && of_others.is_none() && !is_changed,
        from: match of_others {
            Some((_, from)) if is_changed => format!("{from}, parts of it set here"),
            Some((_, from)) => from.clone(),
            None => String::new(),
        },
        former: found.and_then(|found| found.former).map_or(String::new(), |former| former.name.clone()),
        description: description(class, field),
        help: field.help.clone(),
        notes: Vec::new(),
        is_known: true,
        is_hidden: field.is_hidden,
    }
}

/// Whether a number is given by an expression.
fn is_formula(written: &str, kind: &Kind) -> bool {
    let is_number = matches!(kind, Kind::Number(_) | Kind::Angle | Kind::Formula);
    is_number && !written.is_empty() && written.trim().parse::<f64>().is_err()
}

fn is_in(place: &FieldPath, name: &str) -> bool {
    matches!(place.steps.first(), Some(PathStep::Field(first)) if first == name)
}

/// Names that the text sets and the class does not have.
fn strangers(document: &Document<'_>, class: &Class) -> Vec<ShownField> {
    let (source, tree) = (document.text(), document.tree());
    let version = document.version().unwrap_or(1);
    let root = class.root();
    let set = tree.statements.iter().filter_map(|statement| match tree.node(*statement).expression {
        Expression::Set(name, value) => Some((name.text(source), tree.node(value).span.text(source))),
        _ => None,
    });
    let unknown = set.filter(|(name, _)| root.field(name).is_none() && !tags::former::is_former(root, name, version));
    let rows = unknown.map(|(name, value)| ShownField {
        name: name.to_string(),
        value: value.to_string(),
        ..ShownField::default()
    });
    rows.collect()
}

/// The value at a field path of a tag, as it is written.
pub fn value_at(tree: &Tree, tag: usize, place: &FieldPath) -> Result<String, EditError> {
    let file = &tree.tags[tag];
    let class = tree.classes.named(file.path.class())?.class();
    let source = tree.read(file.path.as_str())?;
    let document = Document::new(&source, class);
    match document.get(place) {
        Ok(found) => Ok(found.text.to_string()),
        Err(refusal) => {
            let default = match place.steps.split_first() {
                Some((PathStep::Field(name), inner)) => class.root().field(name).map(|(_, field)| (field, inner)),
                _ => None,
            };
            let Some((field, inner)) = default else {
                return Err(EditError::Refused { file: tree.shown(file.path.as_str()), refusal });
            };
            let parsed = parse(&source);
            let ancestry = tree.ancestry(&file.path, &source, &parsed);
            let prepared = tree.classes.named(file.path.class())?;
            let made = prepared.pack_from(&source, &parsed, &ancestry.parents());
            let inherited = Inherited::of(prepared, &source, &parsed, &ancestry);
            let mut value = made.packed.reflect(class).value(field);
            if let (Reflected::Lambda(_), Some((written, _)), []) = (&value, inherited.values.get(&field.name), inner) {
                return Ok(written.clone());
            }
            for step in inner {
                value = match (value, step) {
                    (Reflected::Record(record), PathStep::Field(name)) if record.record().field(name).is_some() => {
                        record.get(name)
                    }
                    _ => return Err(EditError::Refused { file: tree.shown(file.path.as_str()), refusal }),
                };
            }
            let mut text = String::new();
            write_text(&value, &mut text);
            Ok(text)
        }
    }
}
