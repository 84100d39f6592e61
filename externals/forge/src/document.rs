//! Documents: lossless reading and editing of a tag's text by field path.
//!
//! Laws
//! 1. The text is the source of truth. An edit replaces only what it must; every other byte stays: comments, unknown
//!    fields, empty lines, line ends, blanks.
//! 2. An edit never adds syntax errors; one that would is refused, as is one in a part of the text with syntax errors.
//! 3. A text of a newer version than the class is read as far as possible, and never changed.
//! 4. Of a duplicate name, the last counts.

use std::fmt;

use script::ast::{Expression, NodeId, Tree};
use script::parse::parse;
use script::source::Span;
use script::token::Token;

use crate::field_path::{FieldPath, PathStep, is_name};
use tags::class::{Class, Field, Former, Kind, Record};
use tags::former;
use tags::limits::{REPORTS_MAX, TEXT_BYTES_MAX};

pub(crate) mod item_list;
pub(crate) mod part;
pub(crate) mod patch;

use item_list::{ItemList, ItemListKind, ItemRole, peeled};
use part::target_of;
use patch::{ItemEdit, Patch, patch_file};

/// The text of a tag.
#[derive(Clone, Debug)]
pub struct Document<'c> {
    class: &'c Class,
    source: String,
    tree: Tree,
}

/// A value in a document.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoundValue<'a> {
    /// Its span.
    pub span: Span,
    /// Its text.
    pub text: &'a str,
    /// Its former name or meaning, if it is not today's.
    pub former: Option<&'a Former>,
}

/// Why an edit or a lookup failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What was expected and what was found.
    pub message: String,
    /// What to do; may be empty.
    pub help: String,
}

/// The list that a field path leads into, and those around it.
struct ResolvedPath<'d> {
    /// From the file on: each list, and the index of the item on the path.
    through: Vec<(ItemList, usize)>,
    /// The innermost list.
    row: ItemList,
    /// The record whose fields its items are, or the kind of its elements.
    holds: Holds<'d>,
    /// The item itself, if a statement sets just this part: `!set body.mass 5`.
    part: Option<usize>,
}

#[derive(Clone, Copy)]
enum Holds<'d> {
    Fields(Option<&'d Record>),
    Elements(Option<&'d Kind>),
}

impl<'c> Document<'c> {
    /// Parses a text. Any text is a document; syntax errors are in its tree.
    pub fn new(source: &str, class: &'c Class) -> Document<'c> {
        Document { class, tree: parse(source), source: source.to_string() }
    }

    /// The current text.
    pub fn text(&self) -> &str {
        &self.source
    }

    /// Its syntax tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The class it is read with.
    pub fn class(&self) -> &'c Class {
        self.class
    }

    /// The version of the class that it was written for.
    pub fn version(&self) -> Result<u32, Refusal> {
        version_of(&self.source, &self.tree)
    }

    /// The value at a field path.
    pub fn get(&self, place: &FieldPath) -> Result<FoundValue<'_>, Refusal> {
        let (way, last) = self.way(place)?;
        let (index, former) = self.item(&way, last, place)?;
        let span = way.row.items[index].span;
        Ok(FoundValue { span, text: span.text(&self.source), former })
    }

    /// Sets the value at a field path: one expression. A missing field is added, as is an element at `[]`.
    pub fn set(&mut self, place: &FieldPath, value: &str) -> Result<(), Refusal> {
        self.may_write()?;
        let value = one_value(value)?;
        if let Some(target) = self.part_to_add(place) {
            let way = self.file();
            let parts = self.added(&way.row, Some(self.class.root()), &target, value);
            return self.replace(way, parts);
        }
        let (way, last) = match self.way(place) {
            Ok(found) => found,
            // A missing record is created with the field in it.
            Err(refusal) => {
                let [around @ .., PathStep::Field(name)] = place.steps.as_slice() else { return Err(refusal) };
                let around = FieldPath { steps: around.to_vec() };
                if !self.can_hold_record(&around) {
                    return Err(refusal);
                }
                return self.set(&around, &format!("{{ {name} {value} }}"));
            }
        };
        let parts = match (last, way.holds) {
            (PathStep::Append, _) => inserted(&way.row, way.row.items.len(), value.to_string()),
            _ if way.part.is_some() => {
                let (index, _) = self.sound_item(&way, last, place)?;
                replaced(&way.row, index, Patch::Text(value.to_string()))
            }
            (PathStep::Field(name), Holds::Fields(record)) => match self.field_to_set(&way, record, name)? {
                Some(index) => {
                    self.is_sound_item(&way.row, index, place)?;
                    replaced(&way.row, index, Patch::Text(value.to_string()))
                }
                None => {
                    self.is_not_hidden(&way.row, name, place)?;
                    self.is_set_in_parts(&way, place)?;
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

    /// Inserts an element before the one at this index, or appends it.
    pub fn insert(&mut self, series: &FieldPath, index: usize, value: &str) -> Result<(), Refusal> {
        self.may_write()?;
        let value = one_value(value)?;
        let (way, _) = self.way(&series.then(PathStep::Append))?;
        let parts = inserted(&way.row, index.min(way.row.items.len()), value.to_string());
        self.replace(way, parts)
    }

    /// Removes a field or an element, with its comments.
    pub fn remove(&mut self, place: &FieldPath) -> Result<(), Refusal> {
        self.may_write()?;
        let (way, last) = self.way(place)?;
        let (index, _) = self.sound_item(&way, last, place)?;
        let name = way.row.items[index].name.map(|name| name.text(&self.source));
        let part = way.row.items[index].part(&self.source, &self.tree);
        let is_it = |other: usize| match name {
            Some(name) => way.row.items[other].name.is_some_and(|found| found.text(&self.source) == name),
            None if part.is_some() => way.row.items[other].part(&self.source, &self.tree) == part,
            None => other == index,
        };
        let parts = (0..way.row.items.len()).filter(|other| !is_it(*other)).map(ItemEdit::keep).collect();
        self.replace(way, parts)
    }

    /// Moves an element to this index.
    pub fn move_element(&mut self, place: &FieldPath, to: usize) -> Result<(), Refusal> {
        self.may_write()?;
        let (way, last) = self.way(place)?;
        let (index, _) = self.sound_item(&way, last, place)?;
        if way.row.kind != ItemListKind::List {
            return Err(refuse(format!("`{place}` is not an element of a series"), "only elements can be moved"));
        }
        let mut order: Vec<usize> = (0..way.row.items.len()).filter(|other| *other != index).collect();
        order.insert(to.min(order.len()), index);
        let parts = order.into_iter().map(ItemEdit::keep).collect();
        self.replace(way, parts)
    }

    /// Renames a field.
    pub fn rename(&mut self, place: &FieldPath, name: &str) -> Result<(), Refusal> {
        self.may_write()?;
        if !is_name(name) {
            return Err(refuse(format!("`{name}` cannot be the name of a field"), "names are letters, digits and `_`"));
        }
        let (way, last) = self.way(place)?;
        let (index, _) = self.sound_item(&way, last, place)?;
        if way.row.items[index].name.is_none() {
            return Err(refuse(format!("`{place}` is not a field"), "only fields have names"));
        }
        if way.row.named(&self.source, name).next().is_some() {
            return Err(refuse(format!("there already is a field `{name}`"), "remove one of the two first"));
        }
        let parts = (0..way.row.items.len()).map(|other| {
            let name = (other == index).then(|| name.to_string());
            ItemEdit::Kept(patch::KeptItem { index: other, name, ..patch::KeptItem::default() })
        });
        let parts = parts.collect();
        self.replace(way, parts)
    }

    /// The list that a field path leads into, and the index of its item.
    pub(crate) fn locate(&self, place: &FieldPath) -> Result<(ItemList, usize), Refusal> {
        let (way, last) = self.way(place)?;
        let (index, _) = self.sound_item(&way, last, place)?;
        Ok((way.row, index))
    }

    /// Fails if the text may not be changed at all.
    pub(crate) fn may_write(&self) -> Result<(), Refusal> {
        if self.tree.reports.len() >= REPORTS_MAX {
            return Err(refuse("this file has too many syntax errors".to_string(), "correct it first"));
        }
        let version = self.version()?;
        if version > self.class.version {
            let message = format!(
                "this file is of version {version} of `{}`, newer than the class here, version {}",
                self.class.name, self.class.version
            );
            return Err(refuse(message, "it is not changed, since data could be lost; use a newer build"));
        }
        match self.tree.class.map(|class| class.text(&self.source)) {
            Some(name) if name != self.class.name => {
                let message = format!("this file is of the class `{name}`, not `{}`", self.class.name);
                Err(refuse(message, "change the file's first line or its extension"))
            }
            _ => Ok(()),
        }
    }

    /// Resolves all steps of a field path but the last.
    fn way<'p>(&self, place: &'p FieldPath) -> Result<(ResolvedPath<'c>, &'p PathStep), Refusal> {
        let Some((last, steps)) = place.steps.split_last() else {
            return Err(refuse("the tag as a whole has no value".to_string(), "name a field of it"));
        };
        let mut way = self.file();
        let mut first = 0;
        if let Some((index, length)) = self.part_around(&way.row, place) {
            if length == place.steps.len() {
                way.part = Some(index);
                return Ok((way, last));
            }
            let here = FieldPath { steps: place.steps[..length].to_vec() };
            self.is_sound_item(&way.row, index, &here)?;
            let wants_fields = matches!(place.steps[length], PathStep::Field(_));
            let kind = kind_at(self.class, &here);
            let (row, holds) = self.inner(way.row.items[index].value, kind, wants_fields, &here)?;
            let file = core::mem::replace(&mut way.row, row);
            way.through.push((file, index));
            way.holds = holds;
            first = length;
        }
        for (number, step) in steps.iter().enumerate().skip(first) {
            let here = FieldPath { steps: steps[..=number].to_vec() };
            let (index, former) = self.item(&way, step, &here)?;
            if former.is_some_and(|former| former.convert.is_some()) {
                let help = "upgrade the file first: `astrarium tag upgrade`";
                return Err(refuse(format!("`{here}` had another meaning in the version of this file"), help));
            }
            let kind = self.kind_of(&way, step);
            let value = way.row.items[index].value;
            self.is_sound_item(&way.row, index, &here)?;
            let wants_fields = matches!(steps.get(number + 1).unwrap_or(last), PathStep::Field(_));
            let (row, holds) = self.inner(value, kind, wants_fields, &here)?;
            let around = core::mem::replace(&mut way.row, row);
            way.through.push((around, index));
            way.holds = holds;
        }
        Ok((way, last))
    }

    /// The file as a whole.
    fn file(&self) -> ResolvedPath<'c> {
        let row = ItemList::of_file(&self.source, &self.tree);
        ResolvedPath { through: Vec::new(), row, holds: Holds::Fields(Some(self.class.root())), part: None }
    }

    /// The statement that counts for a place and sets it, or a part around it; and the number of steps to what it sets.
    fn part_around(&self, row: &ItemList, place: &FieldPath) -> Option<(usize, usize)> {
        let length_of = |index: usize| {
            let part = row.items[index].part(&self.source, &self.tree).filter(|part| !part.is_relative)?;
            place.steps.starts_with(&part.place.steps).then_some((index, part.place.steps.len()))
        };
        (0..row.items.len()).rev().find_map(length_of)
    }

    /// The target of the statement that sets a place which this text has from elsewhere: a part of a field that it does not
    /// set as a whole, but takes from another tag or changes in parts.
    fn part_to_add(&self, place: &FieldPath) -> Option<String> {
        let (first, inner) = place.steps.split_first()?;
        let PathStep::Field(first) = first else { return None };
        let row = ItemList::of_file(&self.source, &self.tree);
        let is_changed = |item: &item_list::Item| {
            item.part(&self.source, &self.tree).is_some_and(|part| part.place.first_field() == Some(first))
        };
        let is_from_elsewhere = self.tree.from.is_some() || row.items.iter().any(is_changed);
        let is_here = self.item(&self.file(), &PathStep::Field(first.clone()), place).is_ok();
        if inner.is_empty() || !is_from_elsewhere || is_here || self.part_around(&row, place).is_some() {
            return None;
        }
        kind_at(self.class, place)?;
        target_of(place)
    }

    /// The list inside a value.
    fn inner(
        &self,
        value: NodeId,
        kind: Option<&'c Kind>,
        wants_fields: bool,
        here: &FieldPath,
    ) -> Result<(ItemList, Holds<'c>), Refusal> {
        let Some(row) = ItemList::of_value(&self.source, &self.tree, value) else {
            let is_nothing = matches!(self.tree.node(value).expression, Expression::Nothing);
            let what = if is_nothing { "nothing" } else { "a value or formula without parts" };
            let help = format!("set `{here}` as a whole");
            return Err(refuse(format!("`{here}` has no fields or elements: it is {what}"), &help));
        };
        match (row.kind, wants_fields) {
            (ItemListKind::Record, true) => Ok((row, Holds::Fields(kind.and_then(|kind| record_of(self.class, kind))))),
            (ItemListKind::List, false) => Ok((row, Holds::Elements(kind.and_then(element_of)))),
            (ItemListKind::Record, false) => {
                Err(refuse(format!("`{here}` is a record, not a list"), "its fields follow a dot: `hull.mass`"))
            }
            _ => Err(refuse(format!("`{here}` is a list"), "name an element: `[#2]`, or by its key `[nose]`")),
        }
    }

    fn kind_of(&self, way: &ResolvedPath<'c>, step: &PathStep) -> Option<&'c Kind> {
        match (way.holds, step) {
            (Holds::Fields(Some(record)), PathStep::Field(name)) => record.field(name).map(|(_, field)| &field.kind),
            (Holds::Elements(kind), _) => kind,
            _ => None,
        }
    }

    /// The item of a list that a step leads to.
    fn item(
        &self,
        way: &ResolvedPath<'c>,
        step: &PathStep,
        place: &FieldPath,
    ) -> Result<(usize, Option<&'c Former>), Refusal> {
        let missing = |message: String, help: &str| Err(refuse(message, help));
        if let Some(index) = way.part {
            return Ok((index, None));
        }
        match (step, way.holds) {
            (PathStep::Field(name), Holds::Fields(record)) => {
                if let Some((_, field)) = record.and_then(|record| record.field(name)) {
                    let record = record.unwrap_or(self.class.root());
                    if let Some(supply) = self.supply(&way.row, record, field)? {
                        return Ok((supply.at, supply.former));
                    }
                }
                match way.row.named(&self.source, name).next_back() {
                    Some(index) => Ok((index, None)),
                    None => missing(format!("there is no `{place}` in this file"), "the default of its class is used"),
                }
            }
            (PathStep::Index(index), Holds::Elements(_)) => match way.row.items.len() {
                count if *index < count => Ok((*index, None)),
                count => missing(format!("there is no `{place}`: there are {count} elements"), "the first is `#0`"),
            },
            (PathStep::Key(key), Holds::Elements(kind)) => {
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
            (PathStep::Append, _) => {
                missing(format!("`{place}` is where an element can be added"), "there is none yet")
            }
            _ => {
                missing(format!("`{place}` does not fit the value there"), "fields follow a dot, elements are in `[ ]`")
            }
        }
    }

    /// The same, if it has no syntax errors.
    fn sound_item(
        &self,
        way: &ResolvedPath<'c>,
        step: &PathStep,
        place: &FieldPath,
    ) -> Result<(usize, Option<&'c Former>), Refusal> {
        let found = self.item(way, step, place)?;
        self.is_sound_item(&way.row, found.0, place)?;
        Ok(found)
    }

    fn supply(
        &self,
        row: &ItemList,
        record: &'c Record,
        field: &'c Field,
    ) -> Result<Option<former::Supply<'c>>, Refusal> {
        let version = self.version()?;
        Ok(former::find(record, field, version, |name| row.named(&self.source, name).next_back()))
    }

    /// The item to replace when a field is set; none if one is to be added.
    fn field_to_set(
        &self,
        way: &ResolvedPath<'c>,
        record: Option<&'c Record>,
        name: &str,
    ) -> Result<Option<usize>, Refusal> {
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
                let message = format!("`{name}` had another meaning in version {version}, that of this file");
                Err(refuse(message, "upgrade the file first: `astrarium tag upgrade`"))
            }
            Some(supply) if supply.former.is_none_or(|former| former.convert.is_none()) => Ok(Some(supply.at)),
            _ => Ok(way.row.named(&self.source, name).next_back()),
        }
    }

    fn can_hold_record(&self, place: &FieldPath) -> bool {
        let Some(PathStep::Field(_)) = place.steps.last() else { return false };
        match self.get(place) {
            Ok(found) => found.text.eq_ignore_ascii_case("nothing"),
            Err(_) => kind_at(self.class, place).is_some_and(|kind| record_of(self.class, kind).is_some()),
        }
    }

    /// Fails if an item has syntax errors.
    fn is_sound_item(&self, row: &ItemList, index: usize, place: &FieldPath) -> Result<(), Refusal> {
        let item = &row.items[index];
        let is_in = |span: Span| span.start as usize >= item.start && (span.start as usize) <= item.stop;
        match self.tree.reports.iter().find(|report| is_in(report.span)) {
            Some(report) => {
                let message = format!("`{place}` has a syntax error: {}", report.message);
                Err(refuse(message, "correct this first"))
            }
            None if item.is_sound => Ok(()),
            None => Err(refuse(format!("`{place}` has a syntax error"), "correct it first")),
        }
    }

    /// Fails if a field to be added exists in a part with syntax errors.
    fn is_not_hidden(&self, row: &ItemList, name: &str, place: &FieldPath) -> Result<(), Refusal> {
        if row.kind != ItemListKind::File || self.tree.reports.is_empty() {
            return Ok(());
        }
        let is_set = |pair: &[Token]| {
            pair[0].span.text(&self.source).eq_ignore_ascii_case("!set") && pair[1].span.text(&self.source) == name
        };
        match self.tree.tokens.windows(2).find(|pair| is_set(pair)) {
            Some(_) => {
                Err(refuse(format!("`{place}` lies in a part of the file with syntax errors"), "correct this first"))
            }
            None => Ok(()),
        }
    }

    /// Fails if a field to be added to the file is changed in parts there, which would still count.
    fn is_set_in_parts(&self, way: &ResolvedPath<'_>, place: &FieldPath) -> Result<(), Refusal> {
        let mut parts = way.row.items.iter().filter_map(|item| item.part(&self.source, &self.tree));
        match parts.find(|part| way.through.is_empty() && part.place.steps.starts_with(&place.steps)) {
            Some(part) => {
                let message =
                    format!("this file changes `{}`, a part of `{place}`, which would still count", part.place);
                Err(refuse(message, "set or remove the part"))
            }
            None => Ok(()),
        }
    }

    /// A list with one more field, or a file with one more part of a field, in the order of the class and aligned with its
    /// neighbours.
    fn added(&self, row: &ItemList, record: Option<&Record>, name: &str, value: &str) -> Vec<ItemEdit> {
        let order = |name: &str| record.and_then(|record| record.field(name)).map_or(u32::MAX, |(number, _)| number);
        let wanted = order(name.split(['.', '[']).next().unwrap_or(name));
        let number_of = |index: usize| match row.items[index].role {
            ItemRole::Whole => row.items[index].name.map(|name| order(name.text(&self.source))),
            ItemRole::Part(target, _) => Some(order(self.tree.variable_of(target).text(&self.source))),
            ItemRole::From => None,
        };
        let count = row.items.len();
        let before = (0..count).rfind(|index| number_of(*index).is_some_and(|number| number <= wanted));
        let after = (0..count).find(|index| number_of(*index).is_some_and(|number| number > wanted));
        let at = before.map(|before| before + 1).or(after).unwrap_or(count);
        // Nothing stands ahead of `!from`.
        let from = row.items.iter().position(|item| item.role == ItemRole::From);
        let at = from.map_or(at, |from| at.max(from + 1));
        let text = match row.kind {
            ItemListKind::File => {
                let start = format!("!set {name}");
                let width = self.value_column(row, at).unwrap_or(0).saturating_sub(start.len()).max(1);
                format!("{start}{}{value}", " ".repeat(width))
            }
            _ => format!("{name} {value}"),
        };
        inserted(row, at, text)
    }

    /// The column of the values of the neighbouring statements, if they are aligned.
    fn value_column(&self, row: &ItemList, at: usize) -> Option<usize> {
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

    /// Replaces the items of the innermost list.
    fn replace(&mut self, way: ResolvedPath<'_>, parts: Vec<ItemEdit>) -> Result<(), Refusal> {
        let mut parts = parts;
        for (row, index) in way.through.iter().rev() {
            parts = replaced(row, *index, Patch::ItemList(parts));
        }
        let text = patch_file(&self.source, &self.tree, &parts);
        self.take(text)
    }

    /// Replaces the text, unless it has more syntax errors.
    pub(crate) fn take(&mut self, text: String) -> Result<(), Refusal> {
        if text.len() > TEXT_BYTES_MAX {
            return Err(refuse(
                format!("a tag has at most {TEXT_BYTES_MAX} bytes of text"),
                "put large data into bulk files",
            ));
        }
        let tree = parse(&text);
        if tree.reports.len() > self.tree.reports.len() {
            let report = tree.reports.first().map_or("", |report| report.message.as_str());
            return Err(refuse(
                format!("this file would have a syntax error afterwards: {report}"),
                "check the text around it",
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

/// Checks that a text is one expression, and strips blanks and comments around it.
pub(crate) fn one_value(text: &str) -> Result<&str, Refusal> {
    let tree = parse(text);
    let help = "a value is one expression: `3`, `\"name\"`, `[1, 2]`, `{ a 1 }`";
    if let Some(report) = tree.reports.first() {
        return Err(refuse(format!("this is not a value: {}", report.message), help));
    }
    match (tree.class, tree.statements.as_slice()) {
        (None, [only]) if !tree.node(*only).has_effect => Ok(tree.node(*only).span.text(text)),
        _ => Err(refuse(format!("expected one value, found `{}`", text.chars().take(60).collect::<String>()), help)),
    }
}

/// The record of a kind.
pub(crate) fn record_of<'c>(class: &'c Class, kind: &Kind) -> Option<&'c Record> {
    match kind {
        Kind::Record(number) => class.record(*number),
        Kind::Optional(of) => record_of(class, of),
        _ => None,
    }
}

/// The kind of a series' elements.
pub(crate) fn element_of(kind: &Kind) -> Option<&Kind> {
    match kind {
        Kind::Series(of) => Some(of),
        Kind::Optional(of) => element_of(of),
        _ => None,
    }
}

/// The kind at a field path of a class.
pub fn kind_at<'c>(class: &'c Class, place: &FieldPath) -> Option<&'c Kind> {
    let mut record = Some(class.root());
    let mut kind = None;
    for step in &place.steps {
        kind = match step {
            PathStep::Field(name) => record?.field(name).map(|(_, field)| &field.kind),
            _ => element_of(kind?),
        };
        record = record_of(class, kind?);
    }
    kind
}

/// The key of an element, if it is a literal.
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

/// The content of a string literal.
pub(crate) fn unquoted(text: &str) -> String {
    let inner = text.strip_prefix('"').unwrap_or(text);
    inner.strip_suffix('"').unwrap_or(inner).replace("\"\"", "\"")
}

/// The edits that replace one item's value.
fn replaced(row: &ItemList, index: usize, patch: Patch) -> Vec<ItemEdit> {
    let mut parts: Vec<ItemEdit> = (0..row.items.len()).map(ItemEdit::keep).collect();
    parts[index] = ItemEdit::patched(index, patch);
    parts
}

/// The edits that insert one item.
fn inserted(row: &ItemList, at: usize, text: String) -> Vec<ItemEdit> {
    let mut parts: Vec<ItemEdit> = (0..row.items.len()).map(ItemEdit::keep).collect();
    parts.insert(at, ItemEdit::new(text));
    parts
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)?;
        if self.help.is_empty() { Ok(()) } else { write!(formatter, "; {}", self.help) }
    }
}

impl std::error::Error for Refusal {}
