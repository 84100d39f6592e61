//! Upgrading the text of a tag to the version of its class.
//!
//! Fields under former names are renamed, former values converted, former names of choices replaced, and the version is
//! raised. Everything else stays.
//!
//! Laws
//! 1. No value is lost. One that cannot be converted stays under its former name, where it can still be read, and is
//!    reported.
//! 2. Upgrading is idempotent.
//! 3. The version is raised only if nothing is left that depends on the former version. Otherwise values that would be
//!    converted twice stay too.
//! 4. Formulas that read a renamed field get its new name. A field that a formula reads is not converted, since the
//!    formula would change its meaning.

use std::collections::{BTreeMap, BTreeSet};

use script::ast::{Expression, NodeId, Tree};
use script::source::Span;

use crate::document::item_list::{ItemList, ItemListKind, comments_in};
use crate::document::patch::{Comments, ItemEdit, KeptItem, NewItem, Patch, line_end, patch_file};
use crate::document::{Document, Refusal, element_of, record_of, refuse, unquoted, version_of};
use crate::field_path::FieldPath;
use crate::notes::element_steps;
use tags::class::{Class, Field, Kind, Named, Record};
use tags::former::{self, Converter};
use tags::formula::Dependence;

/// The result of an upgrade.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Upgrade {
    /// The new text.
    pub text: String,
    /// The changes.
    pub done: Vec<Done>,
    /// The values that stay, and why.
    pub left: Vec<Left>,
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// Its old field path.
    pub from: FieldPath,
    /// Its new field path.
    pub place: FieldPath,
    /// The old value.
    pub before: String,
    /// The new value.
    pub after: String,
}

/// A value that stays unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// Its field path.
    pub place: FieldPath,
    /// The field that it would supply.
    pub field: String,
    /// Its text.
    pub text: String,
    /// Why it stays.
    pub why: String,
    /// The consequence, and what to do.
    pub help: String,
}

/// Upgrades a text to the version of its class.
pub fn upgrade(source: &str, class: &Class) -> Result<Upgrade, Refusal> {
    let document = Document::new(source, class);
    document.may_write()?;
    let tree = document.tree();
    if let Some(report) = tree.reports.first() {
        return Err(refuse(format!("this file has a syntax error: {}", report.message), "correct it, then upgrade it"));
    }
    let version = version_of(source, tree)?;
    let mut upgrader = Upgrader::new(source, tree, class, version);
    let mut parts = upgrader.file();
    if upgrader.is_held {
        // Again, now that it is known that the version stays.
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
            Err(refuse(format!("the upgraded text would have a syntax error: {}", report.message), "do it by hand"))
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
    /// Fields of the tag that are renamed.
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

/// Why a value stays, and what to do.
struct Why {
    why: String,
    help: String,
}

const READ_ALL_THE_SAME: &str = "a game still reads and converts it, as long as the file keeps its version";

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

    fn file(&mut self) -> Option<Vec<ItemEdit>> {
        let row = ItemList::of_file(self.source, self.tree);
        self.record(&row, Some(self.class.root()), &FieldPath::root())
    }

    /// The edits of a record; none if nothing changes.
    fn record(&mut self, row: &ItemList, record: Option<&'a Record>, place: &FieldPath) -> Option<Vec<ItemEdit>> {
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
                parts.push(ItemEdit::patched(index, patch));
            }
            is_changed |= !claims.is_empty();
            for (number, claim) in claims.into_iter().enumerate() {
                parts.push(self.claimed(row, index, claim, place, number == 0 && !stays));
            }
        }
        is_changed.then_some(parts)
    }

    /// Determines for a record which items supply fields under former names, which under their own, and which must
    /// stay.
    #[expect(clippy::type_complexity, reason = "three lists that are filled together")]
    fn claims(
        &mut self,
        row: &ItemList,
        record: &'a Record,
        present: &BTreeMap<&str, usize>,
        place: &FieldPath,
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
                let why = format!("`{}` is also set, and takes precedence", field.name);
                kept.insert(other);
                self.leave(row, other, field, place, Why { why, help: "remove one of the two".to_string() });
            }
            let Some(former) = supply.former else {
                owners.insert(supply.at, field);
                continue;
            };
            match self.claim(row, supply.at, record, field, former, place) {
                Ok(claim) => {
                    // Names in formulas are replaced where the value itself does not change.
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

    /// The new text of a field that an item supplies, or why it has none.
    fn claim(
        &mut self,
        row: &ItemList,
        index: usize,
        record: &'a Record,
        field: &'a Field,
        former: &'a tags::class::Former,
        place: &FieldPath,
    ) -> Result<Claim<'a>, Why> {
        let means_other = |other: &Field| {
            let mut formers = other.former.iter();
            formers.any(|former| former.name == field.name && former::counts(record, other, former, self.version))
        };
        if self.is_held && record.fields.iter().any(means_other) {
            return Err(Why {
                why: "it stays until everything of its version can be upgraded".to_string(),
                help: READ_ALL_THE_SAME.to_string(),
            });
        }
        let Some(convert) = &former.convert else { return Ok(Claim { field, text: None }) };
        if place.steps.is_empty() && self.read.contains(former.name.as_str()) {
            return Err(Why {
                why: format!("a formula reads `{}`, and would change its meaning", former.name),
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
            help: format!("`{}` has its default until this is corrected", field.name),
        })?;
        Ok(Claim { field, text: Some(made) })
    }

    fn leave(&mut self, row: &ItemList, index: usize, field: &Field, place: &FieldPath, Why { why, help }: Why) {
        let item = &row.items[index];
        let name = item.name.map_or("", |name| name.text(self.source));
        let text = item.span.text(self.source).to_string();
        self.left.push(Left { place: place.field(name), field: field.name.clone(), text, why, help });
    }

    /// The item that a claim becomes: the old one under its new name, or one after it.
    fn claimed(
        &mut self,
        row: &ItemList,
        index: usize,
        claim: Claim<'a>,
        place: &FieldPath,
        takes_place: bool,
    ) -> ItemEdit {
        let item = &row.items[index];
        let name = item.name.map_or("", |name| name.text(self.source));
        let (from, to) = (place.field(name), place.field(&claim.field.name));
        let before = item.span.text(self.source).to_string();
        let after = claim.text.clone().unwrap_or_else(|| before.clone());
        self.done.push(Done { from, place: to.clone(), before: before.clone(), after: after.clone() });
        if !takes_place {
            let text = match row.kind {
                ItemListKind::File => format!("!set {} {after}", claim.field.name),
                _ => format!("{} {after}", claim.field.name),
            };
            return ItemEdit::New(NewItem { text, comments: Comments::default() });
        }
        let patch = match &claim.text {
            Some(text) => Patch::Text(text.clone()),
            None => self.value(item.value, Some(&claim.field.kind), &to),
        };
        let inner = comments_in(self.tree, item.span.start as usize, item.span.end as usize, false);
        let comments = (claim.text.is_some() && !inner.is_empty()).then(|| {
            let own = row.comments(self.tree, index);
            let text = |comment: &crate::document::item_list::Comment| comment.span.text(self.source).to_string();
            let above = own.iter().filter(|comment| !comment.is_behind).chain(&inner).map(text);
            let behind: Vec<String> = own.iter().filter(|comment| comment.is_behind).map(text).collect();
            let more = behind.iter().skip(1).cloned();
            Comments { above: above.chain(more).collect(), behind: behind.first().cloned() }
        });
        let new_name = (name != claim.field.name).then(|| claim.field.name.clone());
        ItemEdit::Kept(KeptItem { index, name: new_name, patch, comments })
    }

    /// The edit of a value that stays in its place.
    fn value(&mut self, id: NodeId, kind: Option<&'a Kind>, place: &FieldPath) -> Patch {
        let Some(row) = ItemList::of_value(self.source, self.tree, id) else { return self.leaf(id, kind, place) };
        if row.kind == ItemListKind::Record {
            let record = kind.and_then(|kind| record_of(self.class, kind));
            return self.record(&row, record, place).map_or(Patch::Keep, Patch::ItemList);
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
            parts.push(ItemEdit::patched(index, patch));
        }
        if is_changed { Patch::ItemList(parts) } else { Patch::Keep }
    }

    /// A leaf value: a former name of a choice, or a formula that reads renamed fields.
    fn leaf(&mut self, id: NodeId, kind: Option<&Kind>, place: &FieldPath) -> Patch {
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

    /// A formula with the current names of fields.
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
