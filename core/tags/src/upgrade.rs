//! Upgrades: what a change of a class does to a text.
//!
//! Fields under former names are renamed, former values converted, former names of choices replaced, and the version is raised.
//! Everything else stays as it is.
//!
//! Laws
//! 1. No value is lost. One that cannot be converted stays under its former name, where it can still be read, and is told of.
//! 2. Upgrading twice changes nothing.
//! 3. The version is raised only if nothing is left that only the former version explains. Then what would be converted a
//!    second time waits too.
//! 4. Formulas that name a renamed field name it as it is called now. A field that a formula reads is not converted, since the
//!    formula would mean something else.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use script::source::Span;
use script::tree::{Expression, NodeId, Tree};

use crate::class::{Class, Field, Kind, Named, Record};
use crate::document::patch::{Comments, New, Old, Part, Patch, line_end, patch_file};
use crate::document::row::{Row, RowKind, comments_in};
use crate::document::{Document, Refusal, element_of, record_of, refuse, unquoted, version_of};
use crate::former::{self, Converter};
use crate::formula::Dependence;
use crate::notes::element_steps;
use crate::place::Place;

/// What an upgrade did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Upgrade {
    /// The text now.
    pub text: String,
    /// What was changed.
    pub done: Vec<Done>,
    /// What could not be, and why.
    pub left: Vec<Left>,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// Where it was.
    pub from: Place,
    /// Where it is now.
    pub place: Place,
    /// The value then.
    pub before: String,
    /// The value now.
    pub after: String,
}

/// One value that stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// Where it is.
    pub place: Place,
    /// The field that it would supply.
    pub field: String,
    /// Its text.
    pub text: String,
    /// Why it stays.
    pub why: String,
    /// What that means, and what to do.
    pub help: String,
}

/// Brings a text up to the version of its class.
pub fn upgrade(source: &str, class: &Class) -> Result<Upgrade, Refusal> {
    let document = Document::new(source, class);
    document.may_write()?;
    let tree = document.tree();
    if let Some(report) = tree.reports.first() {
        return Err(refuse(format!("this file is not understood: {}", report.message), "correct it, then upgrade it"));
    }
    let version = version_of(source, tree)?;
    let mut upgrader = Upgrader::new(source, tree, class, version);
    let mut parts = upgrader.file();
    if upgrader.is_held {
        // Once more, now that it is known that the version stays.
        upgrader = Upgrader { is_held: true, ..Upgrader::new(source, tree, class, version) };
        parts = upgrader.file();
    }
    let Upgrader { is_held, done, left, .. } = upgrader;
    let mut text = parts.map_or_else(|| source.to_string(), |parts| patch_file(source, tree, &parts));
    if version < class.version && !is_held {
        text = with_version(&text, tree, class);
    }
    let tree = script::parse::parse(&text);
    match tree.reports.first() {
        Some(report) => {
            Err(refuse(format!("the upgrade would not be understood: {}", report.message), "do it by hand"))
        }
        None => Ok(Upgrade { text, done, left }),
    }
}

/// The text with the class's version in its first line, which no other change moved.
fn with_version(text: &str, tree: &Tree, class: &Class) -> String {
    let version = class.version.to_string();
    match (tree.class, tree.version) {
        (_, Some(span)) => [&text[..span.start as usize], &version, &text[span.end as usize..]].concat(),
        (Some(span), None) => [&text[..span.end as usize], " ", &version, &text[span.end as usize..]].concat(),
        (None, None) => format!("@{} {version}{}{text}", class.name, line_end(text)),
    }
}

struct Upgrader<'a> {
    source: &'a str,
    tree: &'a Tree,
    class: &'a Class,
    version: u32,
    converter: Converter,
    /// The names that formulas of the file read.
    read: BTreeSet<&'a str>,
    /// Fields of the tag that are called otherwise now.
    renamed: BTreeMap<&'a str, &'a str>,
    /// Whether the version stays.
    is_held: bool,
    done: Vec<Done>,
    left: Vec<Left>,
}

/// A field that an item supplies under a former name or meaning.
struct Claim<'a> {
    field: &'a Field,
    /// Its new text, if it is converted.
    text: Option<String>,
}

/// Why a value stays as it is, and what to do.
struct Why {
    why: String,
    help: String,
}

const READ_ALL_THE_SAME: &str = "a game reads and converts it all the same, as long as the file keeps its version";

impl<'a> Upgrader<'a> {
    fn new(source: &'a str, tree: &'a Tree, class: &'a Class, version: u32) -> Upgrader<'a> {
        let values = tree.statements.iter().map(|statement| match tree.node(*statement).expression {
            Expression::Set(_, value) => value,
            _ => *statement,
        });
        let names = values.flat_map(|value| Dependence::of(source, tree, value).names);
        Upgrader {
            source,
            tree,
            class,
            version,
            converter: Converter::new(),
            read: names.map(|span| span.text(source)).collect(),
            renamed: BTreeMap::new(),
            is_held: false,
            done: Vec::new(),
            left: Vec::new(),
        }
    }

    fn file(&mut self) -> Option<Vec<Part>> {
        let row = Row::of_file(self.source, self.tree);
        self.record(&row, Some(self.class.root()), &Place::root())
    }

    /// The items of a record as they shall be; nothing if none changes.
    fn record(&mut self, row: &Row, record: Option<&'a Record>, place: &Place) -> Option<Vec<Part>> {
        let mut present: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, item) in row.items.iter().enumerate() {
            if let Some(name) = item.name {
                present.insert(name.text(self.source), index);
            }
        }
        let (mut claims, mut owners, mut kept) = (BTreeMap::new(), BTreeMap::new(), BTreeSet::new());
        if let Some(record) = record {
            self.claims(row, record, &present, place, (&mut claims, &mut owners, &mut kept));
        }
        let mut parts = Vec::with_capacity(row.items.len());
        let mut is_changed = false;
        for index in 0..row.items.len() {
            let name = row.items[index].name.map_or("", |name| name.text(self.source));
            let here = place.field(name);
            let claims: Vec<Claim<'a>> = claims.remove(&index).unwrap_or_default();
            let stays = kept.contains(&index) || owners.contains_key(&index) || claims.is_empty();
            if stays {
                let kind = owners.get(&index).map(|field: &&'a Field| &field.kind);
                let patch = self.value(row.items[index].value, kind, &here);
                is_changed |= !matches!(patch, Patch::Keep);
                parts.push(Part::patched(index, patch));
            }
            is_changed |= !claims.is_empty();
            for (number, claim) in claims.into_iter().enumerate() {
                parts.push(self.claimed(row, index, claim, place, number == 0 && !stays));
            }
        }
        is_changed.then_some(parts)
    }

    /// Finds, for a record, which items supply fields under former names, which under their own, and which must stay.
    #[expect(clippy::type_complexity, reason = "three lists that are filled together")]
    fn claims(
        &mut self,
        row: &Row,
        record: &'a Record,
        present: &BTreeMap<&str, usize>,
        place: &Place,
        (claims, owners, kept): (
            &mut BTreeMap<usize, Vec<Claim<'a>>>,
            &mut BTreeMap<usize, &'a Field>,
            &mut BTreeSet<usize>,
        ),
    ) {
        for field in &record.fields {
            let found = former::find(record, field, self.version, |name| present.get(name).copied());
            let Some(supply) = found else { continue };
            if let Some(other) = supply.ignored {
                let why = format!("`{}` is set too, and counts", field.name);
                kept.insert(other);
                self.leave(row, other, field, place, Why { why, help: "remove one of the two".to_string() });
            }
            let Some(former) = supply.former else {
                owners.insert(supply.at, field);
                continue;
            };
            match self.claim(row, supply.at, record, field, former, place) {
                Ok(claim) => {
                    // Names in formulas follow where the value itself is not another.
                    if place.steps.is_empty() && claim.text.is_none() {
                        self.renamed.entry(&former.name).or_insert(&field.name);
                    }
                    claims.entry(supply.at).or_default().push(claim);
                }
                Err(why) => {
                    self.is_held |= former.before > 0;
                    kept.insert(supply.at);
                    self.leave(row, supply.at, field, place, why);
                }
            }
        }
        for index in kept.iter().chain(owners.keys()).filter(|_| place.steps.is_empty()) {
            // It keeps its name.
            let name = row.items[*index].name.map_or("", |name| name.text(self.source));
            self.renamed.remove(name);
        }
    }

    /// What a field becomes that an item supplies, or why it cannot.
    fn claim(
        &mut self,
        row: &Row,
        index: usize,
        record: &'a Record,
        field: &'a Field,
        former: &'a crate::class::Former,
        place: &Place,
    ) -> Result<Claim<'a>, Why> {
        let means_other = |other: &Field| {
            let mut formers = other.former.iter();
            formers.any(|former| former.name == field.name && former::counts(record, other, former, self.version))
        };
        if self.is_held && record.fields.iter().any(means_other) {
            return Err(Why {
                why: "it waits until everything of its version can be upgraded".to_string(),
                help: READ_ALL_THE_SAME.to_string(),
            });
        }
        let Some(convert) = &former.convert else { return Ok(Claim { field, text: None }) };
        if place.steps.is_empty() && self.read.contains(former.name.as_str()) {
            return Err(Why {
                why: format!("a formula reads `{}`, and would mean something else", former.name),
                help: READ_ALL_THE_SAME.to_string(),
            });
        }
        let texts: Vec<(&str, &str)> = row
            .items
            .iter()
            .filter_map(|item| Some((item.name?.text(self.source), item.span.text(self.source))))
            .collect();
        let old = row.items[index].span.text(self.source);
        let made = self.converter.convert(convert, old, &texts, &field.kind).map_err(|why| Why {
            why: why.message,
            help: format!("`{}` has its default until somebody corrects it", field.name),
        })?;
        Ok(Claim { field, text: Some(made) })
    }

    fn leave(&mut self, row: &Row, index: usize, field: &Field, place: &Place, Why { why, help }: Why) {
        let item = &row.items[index];
        let name = item.name.map_or("", |name| name.text(self.source));
        let text = item.span.text(self.source).to_string();
        self.left.push(Left { place: place.field(name), field: field.name.clone(), text, why, help });
    }

    /// The item that a claim becomes: the old one under its new name, or one behind it.
    fn claimed(&mut self, row: &Row, index: usize, claim: Claim<'a>, place: &Place, takes_place: bool) -> Part {
        let item = &row.items[index];
        let name = item.name.map_or("", |name| name.text(self.source));
        let (from, to) = (place.field(name), place.field(&claim.field.name));
        let before = item.span.text(self.source).to_string();
        let after = claim.text.clone().unwrap_or_else(|| before.clone());
        self.done.push(Done { from, place: to.clone(), before: before.clone(), after: after.clone() });
        if !takes_place {
            let text = match row.kind {
                RowKind::File => format!("!set {} {after}", claim.field.name),
                _ => format!("{} {after}", claim.field.name),
            };
            return Part::New(New { text, comments: Comments::default() });
        }
        let patch = match &claim.text {
            Some(text) => Patch::Text(text.clone()),
            None => self.value(item.value, Some(&claim.field.kind), &to),
        };
        let inner = comments_in(self.tree, item.span.start as usize, item.span.end as usize, false);
        let comments = (claim.text.is_some() && !inner.is_empty()).then(|| {
            let own = row.comments(self.tree, index);
            let text = |comment: &crate::document::row::Comment| comment.span.text(self.source).to_string();
            let above = own.iter().filter(|comment| !comment.is_behind).chain(&inner).map(text);
            let behind: Vec<String> = own.iter().filter(|comment| comment.is_behind).map(text).collect();
            let more = behind.iter().skip(1).cloned();
            Comments { above: above.chain(more).collect(), behind: behind.first().cloned() }
        });
        let new_name = (name != claim.field.name).then(|| claim.field.name.clone());
        Part::Old(Old { index, name: new_name, patch, comments })
    }

    /// What becomes of a value that stays where it is.
    fn value(&mut self, id: NodeId, kind: Option<&'a Kind>, place: &Place) -> Patch {
        let Some(row) = Row::of_value(self.source, self.tree, id) else { return self.leaf(id, kind, place) };
        if row.kind == RowKind::Record {
            let record = kind.and_then(|kind| record_of(self.class, kind));
            return self.record(&row, record, place).map_or(Patch::Keep, Patch::Row);
        }
        let of = match kind {
            // A list of flags is a list of names.
            Some(Kind::Flags(_)) => kind,
            other => other.and_then(element_of),
        };
        let record = of.and_then(|kind| record_of(self.class, kind));
        let values = row.items.iter().map(|item| item.value);
        let steps = element_steps(self.source, self.tree, record, self.version, values);
        let mut is_changed = false;
        let mut parts = Vec::with_capacity(row.items.len());
        for (index, step) in steps.into_iter().enumerate() {
            let patch = self.value(row.items[index].value, of, &place.then(step));
            is_changed |= !matches!(patch, Patch::Keep);
            parts.push(Part::patched(index, patch));
        }
        if is_changed { Patch::Row(parts) } else { Patch::Keep }
    }

    /// A value without parts: a former name of a choice, or a formula that names renamed fields.
    fn leaf(&mut self, id: NodeId, kind: Option<&Kind>, place: &Place) -> Patch {
        let node = self.tree.node(id);
        let before = node.span.text(self.source);
        let after = match (node.expression, kind.and_then(names_of)) {
            (Expression::String, Some(names)) => {
                let chosen = unquoted(before);
                let is_today = names.iter().any(|named| named.name == chosen);
                let today = names.iter().find(|named| named.former.contains(&chosen)).filter(|_| !is_today);
                today.map(|named| format!("\"{}\"", named.name.replace('"', "\"\"")))
            }
            _ => self.with_new_names(id),
        };
        let Some(after) = after else { return Patch::Keep };
        let (from, before) = (place.clone(), before.to_string());
        self.done.push(Done { from, place: place.clone(), before, after: after.clone() });
        Patch::Text(after)
    }

    /// A formula with the names that fields have now.
    fn with_new_names(&self, id: NodeId) -> Option<String> {
        if self.renamed.is_empty() {
            return None;
        }
        let mut names: Vec<Span> = Dependence::of(self.source, self.tree, id).names;
        names.retain(|span| self.renamed.contains_key(span.text(self.source)));
        names.sort_unstable();
        if names.is_empty() {
            return None;
        }
        let span = self.tree.node(id).span;
        let (mut out, mut at) = (String::new(), span.start as usize);
        for name in names {
            out.push_str(&self.source[at..name.start as usize]);
            out.push_str(self.renamed.get(name.text(self.source)).copied().unwrap_or_default());
            at = name.end as usize;
        }
        out.push_str(&self.source[at..span.end as usize]);
        Some(out)
    }
}

fn names_of(kind: &Kind) -> Option<&[Named]> {
    match kind {
        Kind::Choice(names) | Kind::Flags(names) => Some(names),
        Kind::Optional(of) => names_of(of),
        _ => None,
    }
}
