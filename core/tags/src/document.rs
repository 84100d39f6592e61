//! Documents: the text of a tag, to be read and changed by place.
//!
//! Laws
//! 1. The text is the truth. An edit replaces what it must, and every other byte is as it was: comments, unknown fields, empty
//!    lines, ends of lines, blanks.
//! 2. After an edit the text is understood at least as well as before; an edit that could not keep this is refused, and so is
//!    one where the text is not understood.
//! 3. A text of a newer version than the class is read as far as possible, and never changed.
//! 4. Where a name is given twice, the last counts.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use script::parse::parse;
use script::source::Span;
use script::token::Token;
use script::tree::{Expression, NodeId, Tree};

use crate::class::{Class, Field, Former, Kind, Record};
use crate::former;
use crate::limits::{REPORTS_MAX, TEXT_BYTES_MAX};
use crate::place::{Place, Step, is_name};

pub(crate) mod patch;
pub(crate) mod row;

use patch::{Part, Patch, patch_file};
use row::{Row, RowKind, peeled};

/// The text of a tag.
#[derive(Clone, Debug)]
pub struct Document<'c> {
    class: &'c Class,
    source: String,
    tree: Tree,
}

/// A value in a document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found<'a> {
    /// Where it is.
    pub span: Span,
    /// Its text.
    pub text: &'a str,
    /// What it is called or means in this version, if not what it does today.
    pub former: Option<&'a Former>,
}

/// Why something was not done, or not found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What was expected and what was found.
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
}

/// The row that a place lies in, and those around it.
struct Way<'d> {
    /// From the file on: the row, and the item that the way goes through.
    through: Vec<(Row, usize)>,
    /// The last row.
    row: Row,
    /// What is known of its items: the record they are fields of, or the kind of each element.
    holds: Holds<'d>,
}

#[derive(Clone, Copy)]
enum Holds<'d> {
    Fields(Option<&'d Record>),
    Elements(Option<&'d Kind>),
}

impl<'c> Document<'c> {
    /// Reads a text. Any text is a document; how much of it is understood, its reports tell.
    pub fn new(source: &str, class: &'c Class) -> Document<'c> {
        Document { class, tree: parse(source), source: source.to_string() }
    }

    /// The text as it is now.
    pub fn text(&self) -> &str {
        &self.source
    }

    /// The text's tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The class it is read with.
    pub fn class(&self) -> &'c Class {
        self.class
    }

    /// The version of the class that it was written with.
    pub fn version(&self) -> Result<u32, Refusal> {
        version_of(&self.source, &self.tree)
    }

    /// The value at a place.
    pub fn get(&self, place: &Place) -> Result<Found<'_>, Refusal> {
        let (way, last) = self.way(place)?;
        let (index, former) = self.item(&way, last, place)?;
        let span = way.row.items[index].span;
        Ok(Found { span, text: span.text(&self.source), former })
    }

    /// Gives a place a value, which is one expression. A field that is not there is added, as is an element at `[]`.
    pub fn set(&mut self, place: &Place, value: &str) -> Result<(), Refusal> {
        self.may_write()?;
        let value = one_value(value)?;
        let (way, last) = match self.way(place) {
            Ok(found) => found,
            // A record that is not there yet is made with the field in it.
            Err(refusal) => {
                let [around @ .., Step::Field(name)] = place.steps.as_slice() else { return Err(refusal) };
                let around = Place { steps: around.to_vec() };
                if !self.can_hold_record(&around) {
                    return Err(refusal);
                }
                return self.set(&around, &format!("{{ {name} {value} }}"));
            }
        };
        let parts = match (last, way.holds) {
            (Step::Append, _) => inserted(&way.row, way.row.items.len(), value.to_string()),
            (Step::Field(name), Holds::Fields(record)) => match self.field_to_set(&way, record, name)? {
                Some(index) => {
                    self.is_sound_item(&way.row, index, place)?;
                    replaced(&way.row, index, Patch::Text(value.to_string()))
                }
                None => {
                    self.is_not_hidden(&way.row, name, place)?;
                    self.added(&way.row, record, name, value)
                }
            },
            _ => {
                let (index, _) = self.sound_item(&way, last, place)?;
                replaced(&way.row, index, Patch::Text(value.to_string()))
            }
        };
        self.replace(way, parts)
    }

    /// Puts a new element before the one of this number, or behind the last.
    pub fn insert(&mut self, series: &Place, index: usize, value: &str) -> Result<(), Refusal> {
        self.may_write()?;
        let value = one_value(value)?;
        let (way, _) = self.way(&series.then(Step::Append))?;
        let parts = inserted(&way.row, index.min(way.row.items.len()), value.to_string());
        self.replace(way, parts)
    }

    /// Takes a field or an element away, with its comments.
    pub fn remove(&mut self, place: &Place) -> Result<(), Refusal> {
        self.may_write()?;
        let (way, last) = self.way(place)?;
        let (index, _) = self.sound_item(&way, last, place)?;
        let name = way.row.items[index].name.map(|name| name.text(&self.source));
        let is_it = |other: usize| match name {
            Some(name) => way.row.items[other].name.is_some_and(|found| found.text(&self.source) == name),
            None => other == index,
        };
        let parts = (0..way.row.items.len()).filter(|other| !is_it(*other)).map(Part::keep).collect();
        self.replace(way, parts)
    }

    /// Moves an element, so that it has this number.
    pub fn move_element(&mut self, place: &Place, to: usize) -> Result<(), Refusal> {
        self.may_write()?;
        let (way, last) = self.way(place)?;
        let (index, _) = self.sound_item(&way, last, place)?;
        if way.row.kind != RowKind::List {
            return Err(refuse(format!("`{place}` is no element of a series"), "only elements can be moved"));
        }
        let mut order: Vec<usize> = (0..way.row.items.len()).filter(|other| *other != index).collect();
        order.insert(to.min(order.len()), index);
        let parts = order.into_iter().map(Part::keep).collect();
        self.replace(way, parts)
    }

    /// Gives a field another name.
    pub fn rename(&mut self, place: &Place, name: &str) -> Result<(), Refusal> {
        self.may_write()?;
        if !is_name(name) {
            return Err(refuse(format!("`{name}` cannot be the name of a field"), "names are letters, digits and `_`"));
        }
        let (way, last) = self.way(place)?;
        let (index, _) = self.sound_item(&way, last, place)?;
        if way.row.items[index].name.is_none() {
            return Err(refuse(format!("`{place}` is no field"), "only fields have names"));
        }
        if way.row.named(&self.source, name).next().is_some() {
            return Err(refuse(format!("there is a field `{name}` already"), "remove one of the two first"));
        }
        let parts = (0..way.row.items.len()).map(|other| {
            let name = (other == index).then(|| name.to_string());
            Part::Old(patch::Old { index: other, name, ..patch::Old::default() })
        });
        let parts = parts.collect();
        self.replace(way, parts)
    }

    /// The row that a place lies in, and its number there.
    pub(crate) fn locate(&self, place: &Place) -> Result<(Row, usize), Refusal> {
        let (way, last) = self.way(place)?;
        let (index, _) = self.sound_item(&way, last, place)?;
        Ok((way.row, index))
    }

    /// Refuses if the text may not be changed at all.
    pub(crate) fn may_write(&self) -> Result<(), Refusal> {
        if self.tree.reports.len() >= REPORTS_MAX {
            return Err(refuse("too much of this file is not understood".to_string(), "correct it first"));
        }
        let version = self.version()?;
        if version > self.class.version {
            let message = format!(
                "this file is of version {version} of `{}`, and the class here is of version {}",
                self.class.name, self.class.version
            );
            return Err(refuse(message, "it is not changed, since something in it could be lost; use a newer build"));
        }
        match self.tree.class.map(|class| class.text(&self.source)) {
            Some(name) if name != self.class.name => {
                let message = format!("this file is of the class `{name}`, not `{}`", self.class.name);
                Err(refuse(message, "change the file's first line or its extension"))
            }
            _ => Ok(()),
        }
    }

    /// The row that a place's last step is made in.
    fn way<'p>(&self, place: &'p Place) -> Result<(Way<'c>, &'p Step), Refusal> {
        let Some((last, steps)) = place.steps.split_last() else {
            return Err(refuse("the tag as a whole has no value".to_string(), "name a field of it"));
        };
        let row = Row::of_file(&self.source, &self.tree);
        let mut way = Way { through: Vec::new(), row, holds: Holds::Fields(Some(self.class.root())) };
        for (number, step) in steps.iter().enumerate() {
            let here = Place { steps: steps[..=number].to_vec() };
            let (index, former) = self.item(&way, step, &here)?;
            if former.is_some_and(|former| former.convert.is_some()) {
                let help = "upgrade the file first: `astrarium tag upgrade`";
                return Err(refuse(format!("`{here}` meant something else when this file was written"), help));
            }
            let kind = self.kind_of(&way, step);
            let value = way.row.items[index].value;
            self.is_sound_item(&way.row, index, &here)?;
            let wants_fields = matches!(steps.get(number + 1).unwrap_or(last), Step::Field(_));
            let (row, holds) = self.inner(value, kind, wants_fields, &here)?;
            let around = core::mem::replace(&mut way.row, row);
            way.through.push((around, index));
            way.holds = holds;
        }
        Ok((way, last))
    }

    /// The row inside a value.
    fn inner(
        &self,
        value: NodeId,
        kind: Option<&'c Kind>,
        wants_fields: bool,
        here: &Place,
    ) -> Result<(Row, Holds<'c>), Refusal> {
        let Some(row) = Row::of_value(&self.source, &self.tree, value) else {
            let is_nothing = matches!(self.tree.node(value).expression, Expression::Nothing);
            let what = if is_nothing { "nothing" } else { "a value or formula without parts" };
            let help = format!("set `{here}` as a whole");
            return Err(refuse(format!("`{here}` has no fields or elements: it is {what}"), &help));
        };
        match (row.kind, wants_fields) {
            (RowKind::Record, true) => Ok((row, Holds::Fields(kind.and_then(|kind| record_of(self.class, kind))))),
            (RowKind::List, false) => Ok((row, Holds::Elements(kind.and_then(element_of)))),
            (RowKind::Record, false) => {
                Err(refuse(format!("`{here}` is a record, not a list"), "its fields are behind a point: `hull.mass`"))
            }
            _ => Err(refuse(format!("`{here}` is a list"), "say which element: `[#2]`, or by its key `[nose]`")),
        }
    }

    fn kind_of(&self, way: &Way<'c>, step: &Step) -> Option<&'c Kind> {
        match (way.holds, step) {
            (Holds::Fields(Some(record)), Step::Field(name)) => record.field(name).map(|(_, field)| &field.kind),
            (Holds::Elements(kind), _) => kind,
            _ => None,
        }
    }

    /// The item of a row that a step leads to.
    fn item(&self, way: &Way<'c>, step: &Step, place: &Place) -> Result<(usize, Option<&'c Former>), Refusal> {
        let missing = |message: String, help: &str| Err(refuse(message, help));
        match (step, way.holds) {
            (Step::Field(name), Holds::Fields(record)) => {
                if let Some((_, field)) = record.and_then(|record| record.field(name)) {
                    let record = record.unwrap_or(self.class.root());
                    if let Some(supply) = self.supply(&way.row, record, field)? {
                        return Ok((supply.at, supply.former));
                    }
                }
                match way.row.named(&self.source, name).next_back() {
                    Some(index) => Ok((index, None)),
                    None => missing(format!("there is no `{place}` in this file"), "the class's default counts"),
                }
            }
            (Step::Index(index), Holds::Elements(_)) => match way.row.items.len() {
                count if *index < count => Ok((*index, None)),
                count => missing(format!("there is no `{place}`: there are {count} elements"), "the first is `#0`"),
            },
            (Step::Key(key), Holds::Elements(kind)) => {
                let record = kind.and_then(|kind| record_of(self.class, kind));
                let Some(record) = record.filter(|record| record.key.is_some()) else {
                    return missing(format!("`{place}`: these elements have no key"), "use their number: `[#2]`");
                };
                let version = self.version()?;
                let is_it = |value: NodeId| {
                    key_of(&self.source, &self.tree, record, version, value).is_some_and(|found| found == *key)
                };
                let mut found = way.row.items.iter().enumerate().filter(|(_, item)| is_it(item.value));
                match (found.next(), found.next()) {
                    (Some((index, _)), None) => Ok((index, None)),
                    (None, _) => missing(format!("there is no `{place}`"), "no element has this key"),
                    _ => missing(format!("`{place}`: two elements have this key"), "use their number: `[#2]`"),
                }
            }
            (Step::Append, _) => missing(format!("`{place}` is where an element can be added"), "there is none yet"),
            _ => {
                missing(format!("`{place}` does not fit what is there"), "fields are behind a point, elements in `[ ]`")
            }
        }
    }

    /// The same, if it is understood whole.
    fn sound_item(&self, way: &Way<'c>, step: &Step, place: &Place) -> Result<(usize, Option<&'c Former>), Refusal> {
        let found = self.item(way, step, place)?;
        self.is_sound_item(&way.row, found.0, place)?;
        Ok(found)
    }

    fn supply(&self, row: &Row, record: &'c Record, field: &'c Field) -> Result<Option<former::Supply<'c>>, Refusal> {
        let version = self.version()?;
        Ok(former::find(record, field, version, |name| row.named(&self.source, name).next_back()))
    }

    /// The item that is to be replaced when a field is set; none if one is to be added.
    fn field_to_set(&self, way: &Way<'c>, record: Option<&'c Record>, name: &str) -> Result<Option<usize>, Refusal> {
        let Some((record, (_, field))) = record.and_then(|record| record.field(name).map(|found| (record, found)))
        else {
            return Ok(way.row.named(&self.source, name).next_back());
        };
        let version = self.version()?;
        let means_other = field.former.iter().any(|former| {
            former.name == *name && former.convert.is_some() && former::counts(record, field, former, version)
        });
        match self.supply(&way.row, record, field)? {
            _ if means_other => {
                let message = format!("`{name}` meant something else in version {version}, which this file is of");
                Err(refuse(message, "upgrade the file first: `astrarium tag upgrade`"))
            }
            Some(supply) if supply.former.is_none_or(|former| former.convert.is_none()) => Ok(Some(supply.at)),
            _ => Ok(way.row.named(&self.source, name).next_back()),
        }
    }

    fn can_hold_record(&self, place: &Place) -> bool {
        let Some(Step::Field(_)) = place.steps.last() else { return false };
        match self.get(place) {
            Ok(found) => found.text.eq_ignore_ascii_case("nothing"),
            Err(_) => kind_at(self.class, place).is_some_and(|kind| record_of(self.class, kind).is_some()),
        }
    }

    /// Refuses if an item of a row is not understood.
    fn is_sound_item(&self, row: &Row, index: usize, place: &Place) -> Result<(), Refusal> {
        let item = &row.items[index];
        let is_in = |span: Span| span.start as usize >= item.start && (span.start as usize) <= item.stop;
        match self.tree.reports.iter().find(|report| is_in(report.span)) {
            Some(report) => {
                let message = format!("`{place}` is not understood: {}", report.message);
                Err(refuse(message, "correct this first"))
            }
            None if item.is_sound => Ok(()),
            None => Err(refuse(format!("`{place}` is not understood"), "correct it first")),
        }
    }

    /// Refuses to add a field that is there, but in a part that is not understood.
    fn is_not_hidden(&self, row: &Row, name: &str, place: &Place) -> Result<(), Refusal> {
        if row.kind != RowKind::File || self.tree.reports.is_empty() {
            return Ok(());
        }
        let is_set = |pair: &[Token]| {
            pair[0].span.text(&self.source).eq_ignore_ascii_case("!set") && pair[1].span.text(&self.source) == name
        };
        match self.tree.tokens.windows(2).find(|pair| is_set(pair)) {
            Some(_) => Err(refuse(format!("`{place}` lies where this file is not understood"), "correct this first")),
            None => Ok(()),
        }
    }

    /// A row with one more field, in the order of the class and aligned as its neighbours are.
    fn added(&self, row: &Row, record: Option<&Record>, name: &str, value: &str) -> Vec<Part> {
        let order = |name: &str| record.and_then(|record| record.field(name)).map_or(u32::MAX, |(number, _)| number);
        let wanted = order(name);
        let number_of = |index: usize| row.items[index].name.map(|name| order(name.text(&self.source)));
        let count = row.items.len();
        let before = (0..count).rfind(|index| number_of(*index).is_some_and(|number| number <= wanted));
        let after = (0..count).find(|index| number_of(*index).is_some_and(|number| number > wanted));
        let at = before.map(|before| before + 1).or(after).unwrap_or(count);
        let text = match row.kind {
            RowKind::File => {
                let start = format!("!set {name}");
                let width = self.value_column(row, at).unwrap_or(0).saturating_sub(start.len()).max(1);
                format!("{start}{}{value}", " ".repeat(width))
            }
            _ => format!("{name} {value}"),
        };
        inserted(row, at, text)
    }

    /// The column in which the values of the statements around a place stand, if they stand under one another.
    fn value_column(&self, row: &Row, at: usize) -> Option<usize> {
        let column = |index: usize| {
            let item = row.items.get(index)?;
            item.name?;
            let before = &self.source[item.start..item.span.start as usize];
            (!before.contains('\n')).then_some(before.len())
        };
        let above = at.checked_sub(1).and_then(column);
        let below = column(at);
        match (above, below) {
            (Some(above), Some(below)) => (above == below).then_some(above),
            (one, other) => one.or(other),
        }
    }

    /// Puts other items into the last row of a way.
    fn replace(&mut self, way: Way<'_>, parts: Vec<Part>) -> Result<(), Refusal> {
        let mut parts = parts;
        for (row, index) in way.through.iter().rev() {
            parts = replaced(row, *index, Patch::Row(parts));
        }
        let text = patch_file(&self.source, &self.tree, &parts);
        self.take(text)
    }

    /// Takes a text in the place of the one so far, if it is understood as well.
    pub(crate) fn take(&mut self, text: String) -> Result<(), Refusal> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(refuse(
                format!("a tag has at most {TEXT_BYTES_MAX} bytes of text"),
                "bulk data has files of its own",
            ));
        }
        let tree = parse(&text);
        if tree.reports.len() > self.tree.reports.len() {
            let report = tree.reports.first().map_or("", |report| report.message.as_str());
            return Err(refuse(
                format!("this file could not be understood afterwards: {report}"),
                "is something wrong near it?",
            ));
        }
        (self.source, self.tree) = (text, tree);
        Ok(())
    }
}

/// The version that a text names; 1 if it names none.
pub(crate) fn version_of(source: &str, tree: &Tree) -> Result<u32, Refusal> {
    let Some(version) = tree.version.map(|version| version.text(source)) else { return Ok(1) };
    let number = version.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| refuse(format!("expected a version such as 2, found `{version}`"), "correct the first line"))
}

pub(crate) fn refuse(message: String, help: &str) -> Refusal {
    Refusal { message, help: help.to_string() }
}

/// A text that is one expression: without blanks and comments around it.
pub(crate) fn one_value(text: &str) -> Result<&str, Refusal> {
    let tree = parse(text);
    let help = "a value is one expression: `3`, `\"name\"`, `[1, 2]`, `{ a 1 }`";
    if let Some(report) = tree.reports.first() {
        return Err(refuse(format!("this is no value: {}", report.message), help));
    }
    match (tree.class, tree.statements.as_slice()) {
        (None, [only]) if !tree.node(*only).has_effect => Ok(tree.node(*only).span.text(text)),
        _ => Err(refuse(format!("expected one value, found `{}`", text.chars().take(60).collect::<String>()), help)),
    }
}

/// The record that values of a kind are.
pub(crate) fn record_of<'c>(class: &'c Class, kind: &Kind) -> Option<&'c Record> {
    match kind {
        Kind::Record(number) => class.record(*number),
        Kind::Optional(of) => record_of(class, of),
        _ => None,
    }
}

/// What the elements of a series are.
pub(crate) fn element_of(kind: &Kind) -> Option<&Kind> {
    match kind {
        Kind::Series(of) => Some(of),
        Kind::Optional(of) => element_of(of),
        _ => None,
    }
}

/// What a class says is at a place.
pub fn kind_at<'c>(class: &'c Class, place: &Place) -> Option<&'c Kind> {
    let mut record = Some(class.root());
    let mut kind = None;
    for step in &place.steps {
        kind = match step {
            Step::Field(name) => record?.field(name).map(|(_, field)| &field.kind),
            _ => element_of(kind?),
        };
        record = record_of(class, kind?);
    }
    kind
}

/// The key of an element, if it has one that is plain to see.
pub(crate) fn key_of(source: &str, tree: &Tree, record: &Record, version: u32, value: NodeId) -> Option<String> {
    let Expression::Record(names, items) = tree.node(peeled(tree, value)).expression else { return None };
    let (names, items) = (tree.names(names), tree.items(items));
    let present = |name: &str| names.iter().rposition(|found| found.span.text(source) == name);
    let supply = former::find(record, record.key_field()?, version, present)?;
    if supply.former.is_some_and(|former| former.convert.is_some()) {
        return None;
    }
    let key = peeled(tree, *items.get(supply.at)?);
    let node = tree.node(key);
    let text = node.span.text(source);
    match node.expression {
        Expression::String => Some(unquoted(text)),
        Expression::Number(number) => Some(number.to_string()),
        Expression::Identifier(_) | Expression::Truth(_) => Some(text.to_ascii_lowercase()),
        Expression::Negate(inner) => match tree.node(inner).expression {
            Expression::Number(number) => Some((-number).to_string()),
            _ => None,
        },
        _ => None,
    }
}

/// What a string says.
pub(crate) fn unquoted(text: &str) -> String {
    let inner = text.strip_prefix('"').unwrap_or(text);
    inner.strip_suffix('"').unwrap_or(inner).replace("\"\"", "\"")
}

/// A row in which one item has another value.
fn replaced(row: &Row, index: usize, patch: Patch) -> Vec<Part> {
    let mut parts: Vec<Part> = (0..row.items.len()).map(Part::keep).collect();
    parts[index] = Part::patched(index, patch);
    parts
}

/// A row with one more item.
fn inserted(row: &Row, at: usize, text: String) -> Vec<Part> {
    let mut parts: Vec<Part> = (0..row.items.len()).map(Part::keep).collect();
    parts.insert(at, Part::new(text));
    parts
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        if self.help.is_empty() { Ok(()) } else { write!(formatter, "; {}", self.help) }
    }
}

impl core::error::Error for Refusal {}
