//! The canonical form of values: what counts as a difference.
//!
//! Laws
//! 1. Two values have the same canonical text if they differ only in comments, blanks, line ends, redundant brackets,
//!    the notation of numbers, and the order of the fields of a record.
//! 2. A field under a former name that only renames it is that field.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use script::ast::{Expression, Items, NodeId, Tree};

use crate::document::item_list::{Item, ItemList, ItemListKind, ItemRole, peeled};
use crate::document::part::place_of;
use crate::document::{element_of, key_of, kind_at, record_of};
use crate::field_path::FieldPath;
use crate::notes::{self, MARK};
use tags::class::{Class, Kind, Record};
use tags::former;

/// A parsed text to compare.
#[derive(Clone, Copy)]
pub(crate) struct ParsedText<'a> {
    pub class: &'a Class,
    pub source: &'a str,
    pub tree: &'a Tree,
    pub version: u32,
}

/// How a value is compared.
pub(crate) enum Comparing<'a> {
    /// By its fields.
    Record(Option<&'a Record>),
    /// By its elements.
    Series(Option<&'a Kind>),
    /// As a whole.
    Whole,
}

impl<'a> ParsedText<'a> {
    /// The text of a value.
    pub fn text(&self, id: NodeId) -> &'a str {
        self.tree.node(id).span.text(self.source)
    }

    /// The canonical text of a value.
    pub fn meaning(&self, id: NodeId, kind: Option<&Kind>) -> String {
        let mut out = String::new();
        self.write(id, kind, &mut out);
        out
    }

    /// The item list of a value.
    pub fn row(&self, id: NodeId) -> Option<ItemList> {
        ItemList::of_value(self.source, self.tree, id)
    }

    /// The items of a record by their identities: their current names, `!from`, the parts that they set, or else their canonical
    /// text. Of a duplicate name, the last counts.
    pub fn fields(&self, row: &ItemList, record: Option<&Record>) -> BTreeMap<String, usize> {
        let names: BTreeSet<&str> =
            row.items.iter().filter_map(|item| item.name.map(|name| name.text(self.source))).collect();
        let mut fields = BTreeMap::new();
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for (index, item) in row.items.iter().enumerate() {
            let identity = match item.name {
                Some(name) => self.today(name.text(self.source), &names, record).to_string(),
                None => {
                    let (said, is_repeated) = self.identity(item);
                    let time = times.entry(said.clone()).or_default();
                    *time += usize::from(is_repeated);
                    if *time > 1 { format!("{said} {time}") } else { said }
                }
            };
            fields.insert(identity, index);
        }
        fields
    }

    /// The identity of an item without a name, and whether several of one identity all count.
    fn identity(&self, item: &Item) -> (String, bool) {
        let place_of = |target| match place_of(self.source, self.tree, target) {
            Some(place) => place.to_string(),
            None => self.meaning(target, None),
        };
        match item.role {
            ItemRole::From => (FROM.to_string(), false),
            ItemRole::Part(target, None) => (place_of(target), false),
            ItemRole::Part(target, Some(operator)) => (format!("{} {}=", place_of(target), operator.text()), true),
            ItemRole::Whole => (format!("\0{}", self.meaning(item.value, None)), true),
        }
    }

    /// The current name of a field, if it was only renamed.
    fn today<'n>(&self, name: &'n str, names: &BTreeSet<&str>, record: Option<&'n Record>) -> &'n str {
        let Some(record) = record.filter(|record| record.field(name).is_none()) else { return name };
        let renamed = record.fields.iter().find(|field| {
            let mut formers = field.former.iter();
            let is_it = |former: &tags::class::Former| {
                former.name == name && former.convert.is_none() && former::counts(record, field, former, self.version)
            };
            !names.contains(field.name.as_str()) && formers.any(is_it)
        });
        renamed.map_or(name, |field| &field.name)
    }

    /// The keys of a series' elements, if all have one and they are unique.
    pub fn keys(&self, row: &ItemList, kind: Option<&Kind>) -> Option<Vec<String>> {
        let record = kind.and_then(|kind| record_of(self.class, kind)).filter(|record| record.key.is_some())?;
        let key = |value: NodeId| key_of(self.source, self.tree, record, self.version, value);
        let keys: Vec<String> = row.items.iter().map(|item| key(item.value)).collect::<Option<_>>()?;
        let distinct: BTreeSet<&String> = keys.iter().collect();
        (distinct.len() == keys.len()).then_some(keys)
    }

    /// The lines of the notes on an item, sorted.
    pub fn notes(&self, row: &ItemList, index: usize) -> Vec<&'a str> {
        let comments = notes::notes_of(self.source, self.tree, row, index);
        let lines = comments.iter().map(|comment| comment.span.text(self.source));
        let mut lines: Vec<&str> = lines.filter_map(|line| line.strip_prefix(MARK)).map(str::trim).collect();
        lines.sort_unstable();
        lines
    }

    /// The position of an item among those of its record: `!from`, then fields as in the class, then unknown ones.
    pub fn order(record: Option<&Record>, identity: &str) -> u32 {
        let name = identity.split(['.', '[', ' ']).next().unwrap_or(identity);
        match identity {
            FROM => 0,
            _ => record.and_then(|record| record.field(name)).map_or(u32::MAX, |(number, _)| number + 1),
        }
    }

    /// The place of an item of a record, by its identity. A statement without a name has that of the record.
    pub fn place(place: &FieldPath, identity: &str) -> FieldPath {
        match identity {
            _ if identity.starts_with('\0') => place.clone(),
            _ if is_part(identity) => FieldPath::new(identity).unwrap_or_else(|_| place.field(identity)),
            _ => place.field(identity),
        }
    }

    /// The kind of an item of a record, by its identity.
    pub fn kind(&self, record: Option<&'a Record>, identity: &str) -> Option<&'a Kind> {
        if is_part(identity) {
            let place = identity.split(' ').next().unwrap_or(identity);
            return kind_at(self.class, &FieldPath::new(place).ok()?);
        }
        record.and_then(|record| record.field(identity)).map(|(_, field)| &field.kind)
    }

    fn write(&self, id: NodeId, kind: Option<&Kind>, out: &mut String) {
        let id = peeled(self.tree, id);
        let node = self.tree.node(id);
        let text = node.span.text(self.source);
        match node.expression {
            Expression::Number(number) => number_text(number, out),
            Expression::Identifier(number) => {
                let _ = write!(out, "#{number}");
            }
            Expression::String if is_path(kind) || self.tree.from == Some(id) => out.push_str(&text.replace('\\', "/")),
            Expression::String | Expression::Text(_) | Expression::Name | Expression::Object => out.push_str(text),
            Expression::Truth(truth) => out.push_str(if truth { "true" } else { "false" }),
            Expression::Nothing => out.push_str("nothing"),
            Expression::Missing => out.push('?'),
            Expression::List(items) if matches!(kind, Some(Kind::Flags(_))) => {
                let mut flags: Vec<String> =
                    self.tree.items(items).iter().map(|item| self.meaning(*item, None)).collect();
                flags.sort_unstable();
                let _ = write!(out, "[{}]", flags.join(","));
            }
            Expression::List(items) => self.row_text(('[', ']'), items, kind.and_then(element_of), out),
            Expression::Body(items) => self.row_text(('[', ']'), items, None, out),
            Expression::Do(items) => {
                out.push_str("do ");
                self.row_text(('[', ']'), items, None, out);
            }
            Expression::Record(names, items) => {
                let record = kind.and_then(|kind| record_of(self.class, kind));
                let given: Vec<&str> = self.tree.names(names).iter().map(|name| name.span.text(self.source)).collect();
                let all: BTreeSet<&str> = given.iter().copied().collect();
                let mut fields = BTreeMap::new();
                for (name, value) in given.iter().zip(self.tree.items(items)) {
                    let name = self.today(name, &all, record);
                    let kind = record.and_then(|record| record.field(name)).map(|(_, field)| &field.kind);
                    fields.insert(name, self.meaning(*value, kind));
                }
                out.push('{');
                for (name, value) in fields {
                    let _ = write!(out, "{name} {value},");
                }
                out.push('}');
            }
            Expression::Lambda { caching, parameters, body } => {
                let _ = write!(out, "{caching:?} Lambda(");
                for name in self.tree.names(parameters) {
                    let written = name.written_type.map_or("", |written| written.text(self.source));
                    let _ = write!(out, "{}:{written},", name.span.text(self.source));
                }
                self.write(body, None, out);
                out.push(')');
            }
            Expression::Call(callee, items) => {
                self.write(callee, None, out);
                self.row_text(('(', ')'), items, None, out);
            }
            Expression::Effect(name, items) => {
                let _ = write!(out, "!{}", name.text(self.source));
                self.row_text(('(', ')'), items, None, out);
            }
            Expression::Set(name, value) => {
                let _ = write!(out, "!set {} ", name.text(self.source));
                self.write(value, None, out);
            }
            Expression::Update(target, operator, value) => {
                self.prefixed("!set ", target, out);
                let operator = operator.map_or(String::from(" "), |operator| format!(" {}= ", operator.text()));
                self.prefixed(&operator, value, out);
            }
            Expression::Index(of, index) => {
                self.write(of, None, out);
                out.push('[');
                self.write(index, None, out);
                out.push(']');
            }
            Expression::Field(of, name) => {
                self.write(of, None, out);
                let _ = write!(out, ".{}", name.text(self.source));
            }
            Expression::Negate(of) => match self.tree.node(peeled(self.tree, of)).expression {
                Expression::Number(number) => number_text(-number, out),
                _ => self.prefixed("-", of, out),
            },
            Expression::Not(of) => self.prefixed("not ", of, out),
            Expression::Binary(operator, left, right) => {
                out.push('(');
                self.write(left, None, out);
                let _ = write!(out, " {} ", operator.text());
                self.write(right, None, out);
                out.push(')');
            }
            Expression::If(condition, then, otherwise) => {
                self.prefixed("(if ", condition, out);
                self.prefixed(" then ", then, out);
                otherwise.into_iter().for_each(|otherwise| self.prefixed(" else ", otherwise, out));
                out.push(')');
            }
            Expression::Let(names, values, body) => {
                out.push_str("(let ");
                for (name, value) in self.tree.names(names).iter().zip(self.tree.items(values)) {
                    let _ = write!(out, "{} = ", name.span.text(self.source));
                    self.write(*value, None, out);
                    out.push(',');
                }
                self.prefixed(" in ", body, out);
                out.push(')');
            }
            Expression::Group(_) => {}
        }
    }

    fn prefixed(&self, prefix: &str, of: NodeId, out: &mut String) {
        out.push_str(prefix);
        self.write(of, None, out);
    }

    fn row_text(&self, brackets: (char, char), items: Items, kind: Option<&Kind>, out: &mut String) {
        out.push(brackets.0);
        for item in self.tree.items(items) {
            self.write(*item, kind, out);
            out.push(',');
        }
        out.push(brackets.1);
    }
}

/// The identity of `!from`.
pub(crate) const FROM: &str = "!from";

/// Whether an identity is that of a statement which changes a part of a variable.
fn is_part(identity: &str) -> bool {
    !identity.starts_with('\0') && identity.contains(['.', '[', ' '])
}

/// How values with these item lists are compared.
pub(crate) fn shape<'a>(class: &'a Class, rows: &[&ItemList], kind: Option<&'a Kind>) -> Comparing<'a> {
    let all = |wanted: ItemListKind| rows.iter().all(|row| row.kind == wanted);
    let record = kind.and_then(|kind| record_of(class, kind));
    let element = kind.and_then(element_of);
    match kind {
        _ if rows.is_empty() => Comparing::Whole,
        None if all(ItemListKind::Record) => Comparing::Record(None),
        None if all(ItemListKind::List) => Comparing::Series(None),
        Some(_) if all(ItemListKind::Record) && record.is_some() => Comparing::Record(record),
        Some(_) if all(ItemListKind::List) && element.is_some() => Comparing::Series(element),
        _ => Comparing::Whole,
    }
}

fn is_path(kind: Option<&Kind>) -> bool {
    match kind {
        Some(Kind::Reference(_)) => true,
        Some(Kind::Optional(of)) => is_path(Some(of)),
        _ => false,
    }
}

fn number_text(number: f64, out: &mut String) {
    // Both zeros are one number.
    let number = if number == 0.0 { 0.0 } else { number };
    let _ = write!(out, "{number:e}");
}
