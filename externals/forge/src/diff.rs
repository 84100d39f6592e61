//! Semantic diff: the changes between two texts of a class.
//!
//! Laws
//! 1. Comments, blanks, the order of fields and the notation of a value are no change. A note is.
//! 2. Elements with keys are matched by key, others by a shortest edit script; a series that differs too much is one
//!    change.
//! 3. The changes have a fixed order: fields as in the class, then unknown ones by name.
//! 4. Texts of different versions are both read as of today, if all of their values can be: what is equal by conversion is no change.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use script::ast::NodeId;
use script::parse::parse;

use crate::document::item_list::ItemList;
use crate::document::patch::longest_rising;
use crate::document::{Refusal, refuse, version_of};
use crate::field_path::{FieldPath, PathStep};
use crate::upgrade::upgrade;
use tags::class::{Class, Kind, Record};

pub(crate) mod canonical;

use crate::limits::ELEMENT_DIFFERENCES_MAX;
use crate::myers::{self, align};
use canonical::{Comparing, ParsedText, shape};

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Its field path. An element without a key is named by its index in the new text; a removed one, by its index in
    /// the old.
    pub place: FieldPath,
    /// The kind of change.
    pub kind: ChangeKind,
    /// The value before; of a moved element, its index; of notes, their text.
    pub before: Option<String>,
    /// The value now, likewise.
    pub after: Option<String>,
}

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ChangeKind {
    Added,
    Removed,
    Changed,
    Moved,
    Note,
}

/// The changes from one text to another.
pub fn diff(before: &str, after: &str, class: &Class) -> Result<Vec<Change>, Refusal> {
    if before == after {
        return Ok(Vec::new());
    }
    let (old, new) = (parse(before), parse(after));
    for (tree, which) in [(&old, "the old text"), (&new, "the new text")] {
        if let Some(report) = tree.reports.first() {
            return Err(refuse(format!("{which} has a syntax error: {}", report.message), "compare the lines instead"));
        }
    }
    let (old_version, new_version) = (version_of(before, &old)?, version_of(after, &new)?);
    let old = ParsedText { class, source: before, tree: &old, version: old_version };
    let new = ParsedText { class, source: after, tree: &new, version: new_version };
    if old_version == new_version {
        return Ok(differences(old, new, Vec::new()));
    }
    let (place, kind) = (FieldPath::root(), ChangeKind::Changed);
    let (was, is) = (Some(old_version.to_string()), Some(new_version.to_string()));
    let changes = vec![Change { place, kind, before: was, after: is }];
    let (Some(before), Some(after)) = (as_of_today(before, class), as_of_today(after, class)) else {
        return Ok(differences(old, new, changes));
    };
    let (old, new) = (parse(&before), parse(&after));
    let old = ParsedText { class, source: &before, tree: &old, version: class.version };
    let new = ParsedText { class, source: &after, tree: &new, version: class.version };
    Ok(differences(old, new, changes))
}

/// A text in the version of the class; none if not all of its values can be converted.
fn as_of_today(text: &str, class: &Class) -> Option<String> {
    let upgraded = upgrade(text, class).ok()?.text;
    let version = version_of(&upgraded, &parse(&upgraded)).ok()?;
    (version == class.version).then_some(upgraded)
}

/// The changes from one text to another, behind those that are known.
fn differences<'a>(old: ParsedText<'a>, new: ParsedText<'a>, changes: Vec<Change>) -> Vec<Change> {
    let rows = (ItemList::of_file(old.source, old.tree), ItemList::of_file(new.source, new.tree));
    let root = Some(old.class.root());
    let mut differ = Differ { old, new, changes };
    differ.record((&rows.0, &rows.1), root, &FieldPath::root());
    differ.changes
}

struct Differ<'a> {
    old: ParsedText<'a>,
    new: ParsedText<'a>,
    changes: Vec<Change>,
}

impl<'a> Differ<'a> {
    fn change(&mut self, place: FieldPath, kind: ChangeKind, before: Option<String>, after: Option<String>) {
        self.changes.push(Change { place, kind, before, after });
    }

    fn record(&mut self, (old, new): (&ItemList, &ItemList), record: Option<&'a Record>, place: &FieldPath) {
        let (before, after) = (self.old.fields(old, record), self.new.fields(new, record));
        let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
        names.sort_unstable_by_key(|name| (ParsedText::order(record, name), *name));
        names.dedup();
        for name in names {
            let kind = self.new.kind(record, name);
            let here = ParsedText::place(place, name);
            match (before.get(name), after.get(name)) {
                (Some(old_at), Some(new_at)) => self.item((old, *old_at), (new, *new_at), kind, &here),
                (Some(at), None) => self.removed(old, *at, here),
                (None, Some(at)) => self.added(new, *at, here),
                (None, None) => {}
            }
        }
    }

    fn added(&mut self, row: &ItemList, index: usize, place: FieldPath) {
        let text = self.new.text(row.items[index].value).to_string();
        let note = joined(&self.new.notes(row, index));
        self.change(place.clone(), ChangeKind::Added, None, Some(text));
        if note.is_some() {
            self.change(place, ChangeKind::Note, None, note);
        }
    }

    fn removed(&mut self, row: &ItemList, index: usize, place: FieldPath) {
        let text = self.old.text(row.items[index].value).to_string();
        self.change(place, ChangeKind::Removed, Some(text), None);
    }

    /// An item of both texts.
    fn item(&mut self, old: (&ItemList, usize), new: (&ItemList, usize), kind: Option<&'a Kind>, place: &FieldPath) {
        let whole = |side: &ParsedText<'a>, (row, index): (&ItemList, usize)| -> &'a str {
            &side.source[row.items[index].own..row.items[index].stop]
        };
        if whole(&self.old, old) == whole(&self.new, new) {
            return;
        }
        let (before, after) = (self.old.notes(old.0, old.1), self.new.notes(new.0, new.1));
        if before != after {
            self.change(place.clone(), ChangeKind::Note, joined(&before), joined(&after));
        }
        self.value(old.0.items[old.1].value, new.0.items[new.1].value, kind, place);
    }

    fn value(&mut self, old: NodeId, new: NodeId, kind: Option<&'a Kind>, place: &FieldPath) {
        if self.old.text(old) == self.new.text(new) {
            return;
        }
        let rows = (self.old.row(old), self.new.row(new));
        if let (Some(before), Some(after)) = &rows {
            match shape(self.old.class, &[before, after], kind) {
                Comparing::Record(record) => return self.record((before, after), record, place),
                Comparing::Series(of) => {
                    if self.series((before, after), of, place) {
                        return;
                    }
                }
                Comparing::Whole => {}
            }
        }
        if self.old.meaning(old, kind) != self.new.meaning(new, kind) {
            let texts = (Some(self.old.text(old).to_string()), Some(self.new.text(new).to_string()));
            self.change(place.clone(), ChangeKind::Changed, texts.0, texts.1);
        }
    }

    /// Compares the elements of a series; false if they differ too much.
    fn series(&mut self, (old, new): (&ItemList, &ItemList), of: Option<&'a Kind>, place: &FieldPath) -> bool {
        if let (Some(before), Some(after)) = (self.old.keys(old, of), self.new.keys(new, of)) {
            self.keyed((old, new), (&before, &after), of, place);
            return true;
        }
        let said = |side: &ParsedText<'_>, row: &ItemList| -> Vec<String> {
            row.items.iter().map(|item| side.meaning(item.value, of)).collect()
        };
        let (before, after) = (said(&self.old, old), said(&self.new, new));
        let Ok(hunks) = align(&before, &after, ELEMENT_DIFFERENCES_MAX) else { return false };
        self.unkeyed((old, new), (&before, &after), &hunks, of, place);
        true
    }

    fn keyed(
        &mut self,
        (old, new): (&ItemList, &ItemList),
        (before, after): (&[String], &[String]),
        of: Option<&'a Kind>,
        place: &FieldPath,
    ) {
        let old_at: BTreeMap<&String, usize> = before.iter().enumerate().map(|(at, key)| (key, at)).collect();
        let new_at: BTreeMap<&String, usize> = after.iter().enumerate().map(|(at, key)| (key, at)).collect();
        for (at, key) in before.iter().enumerate().filter(|(_, key)| !new_at.contains_key(key)) {
            self.removed(old, at, place.then(PathStep::Key(key.clone())));
        }
        let common: Vec<usize> = after.iter().filter_map(|key| old_at.get(key).copied()).collect();
        let mut stays = vec![false; common.len()];
        longest_rising(&common).into_iter().for_each(|at| stays[at] = true);
        let mut stays = stays.into_iter();
        for (at, key) in after.iter().enumerate() {
            let here = place.then(PathStep::Key(key.clone()));
            let Some(was) = old_at.get(key).copied() else {
                self.added(new, at, here);
                continue;
            };
            if stays.next() == Some(false) {
                self.change(here.clone(), ChangeKind::Moved, Some(format!("#{was}")), Some(format!("#{at}")));
            }
            self.item((old, was), (new, at), of, &here);
        }
    }

    fn unkeyed(
        &mut self,
        (old, new): (&ItemList, &ItemList),
        (before, after): (&[String], &[String]),
        hunks: &[myers::Hunk],
        of: Option<&'a Kind>,
        place: &FieldPath,
    ) {
        // Elements that went from one hunk to another were moved.
        let gone =
            hunks.iter().filter(|hunk| hunk.before.len() != hunk.after.len()).flat_map(|hunk| hunk.before.clone());
        let mut gone_at: BTreeMap<&String, Vec<usize>> = BTreeMap::new();
        gone.for_each(|at| gone_at.entry(&before[at]).or_default().push(at));
        gone_at.values_mut().for_each(|places| places.reverse());
        let mut moved: BTreeMap<usize, usize> = BTreeMap::new();
        for at in hunks.iter().filter(|hunk| hunk.before.len() != hunk.after.len()).flat_map(|hunk| hunk.after.clone())
        {
            if let Some(was) = gone_at.get_mut(&after[at]).and_then(Vec::pop) {
                moved.insert(at, was);
            }
        }
        let left: BTreeSet<usize> = moved.values().copied().collect();
        let (mut x, mut y) = (0, 0);
        for hunk in
            hunks.iter().chain([&myers::Hunk { before: before.len()..before.len(), after: after.len()..after.len() }])
        {
            for (was, at) in (x..hunk.before.start).zip(y..hunk.after.start) {
                self.item((old, was), (new, at), of, &place.then(PathStep::Index(at)));
            }
            (x, y) = (hunk.before.end, hunk.after.end);
            if hunk.before.len() == hunk.after.len() {
                for (was, at) in hunk.before.clone().zip(hunk.after.clone()) {
                    self.item((old, was), (new, at), of, &place.then(PathStep::Index(at)));
                }
                continue;
            }
            for was in hunk.before.clone().filter(|was| !left.contains(was)) {
                self.removed(old, was, place.then(PathStep::Index(was)));
            }
            for at in hunk.after.clone() {
                let here = place.then(PathStep::Index(at));
                match moved.get(&at) {
                    Some(was) => {
                        self.change(here.clone(), ChangeKind::Moved, Some(format!("#{was}")), Some(format!("#{at}")));
                        self.item((old, *was), (new, at), of, &here);
                    }
                    None => self.added(new, at, here),
                }
            }
        }
    }
}

fn joined(lines: &[&str]) -> Option<String> {
    (!lines.is_empty()).then(|| lines.join("\n"))
}

impl ChangeKind {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            ChangeKind::Added => "added",
            ChangeKind::Removed => "removed",
            ChangeKind::Changed => "changed",
            ChangeKind::Moved => "moved",
            ChangeKind::Note => "note",
        }
    }
}

impl fmt::Display for Change {
    /// One line for people: `weapons[nose].weapon: "a.weapon" → "b.weapon"`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |value: &Option<String>| value.as_deref().map_or_else(|| "nothing".to_string(), shown);
        let (place, before, after) = (&self.place, text(&self.before), text(&self.after));
        match self.kind {
            ChangeKind::Added => write!(formatter, "{place}: + {after}"),
            ChangeKind::Removed => write!(formatter, "{place}: - {before}"),
            ChangeKind::Changed => write!(formatter, "{place}: {before} → {after}"),
            ChangeKind::Moved => write!(formatter, "{place}: moved {before} → {after}"),
            ChangeKind::Note => write!(formatter, "{place}: note {before} → {after}"),
        }
    }
}

/// A value on one line, shortened.
fn shown(text: &str) -> String {
    const SHOWN_MAX: usize = 100;
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
