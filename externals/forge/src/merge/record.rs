//! Merging records: fields are matched by name.

use std::collections::BTreeMap;

use super::overlap::Identities;
use super::{Merger, ThreeLists, signature};
use crate::diff::canonical::{FROM, ParsedText};
use crate::document::item_list::ItemListKind;
use crate::document::patch::ItemEdit;
use crate::field_path::FieldPath;
use tags::class::Record;

impl<'a> Merger<'a> {
    /// The edits of our record. Their added fields follow the same field as in their text.
    pub(super) fn record(
        &mut self,
        rows: ThreeLists<'_>,
        record: Option<&'a Record>,
        place: &FieldPath,
    ) -> Vec<ItemEdit> {
        let (base_row, our_row, their_row) = rows;
        let base = base_row.map(|row| self.base.fields(row, record)).unwrap_or_default();
        let (ours, theirs) = (self.ours.fields(our_row, record), self.theirs.fields(their_row, record));
        let overlaps = self.overlaps(rows, [&base, &ours, &theirs], record);
        let mut behind = self.brought(rows, [&base, &ours, &theirs], record, place, &overlaps);
        let names: BTreeMap<usize, &String> = ours.iter().map(|(name, index)| (*index, name)).collect();
        let mut parts = behind.remove(&None).unwrap_or_default();
        for index in 0..our_row.items.len() {
            let Some(name) = names.get(&index).copied() else {
                // Defined again further below, which counts.
                parts.push(ItemEdit::keep(index));
                continue;
            };
            let here = ParsedText::place(place, name);
            let kind = self.ours.kind(record, name);
            let base_at = base.get(name).and_then(|at| base_row.map(|row| (row, *at)));
            match (base_at, theirs.get(name)) {
                (_, Some(their_at)) if overlaps.contains_key(their_at) => parts.push(ItemEdit::keep(index)),
                (_, Some(their_at)) => {
                    parts.push(self.item(base_at, (our_row, index), (their_row, *their_at), kind, &here));
                }
                (None, None) => parts.push(ItemEdit::keep(index)),
                (Some(at), None) => {
                    if signature(&self.base, at, kind) != signature(&self.ours, (our_row, index), kind) {
                        parts.push(self.kept_ours(at, (our_row, index), &here));
                    }
                }
            }
            parts.extend(behind.remove(&Some(index)).unwrap_or_default());
        }
        self.mark_overlaps(rows, &overlaps, &mut parts);
        // Nothing that is brought stands ahead of `!from`.
        let is_from = |part: &ItemEdit| match part {
            ItemEdit::Kept(kept) => ours.get(FROM) == Some(&kept.index),
            ItemEdit::New(new) => begins_with_from(&new.text),
            ItemEdit::Comments(_) => false,
        };
        if let Some(at) = parts.iter().position(is_from).filter(|_| our_row.kind == ItemListKind::File) {
            let is_comment = |part: &&ItemEdit| matches!(part, ItemEdit::Comments(_));
            let first = parts.iter().take_while(is_comment).count();
            parts[first.min(at)..=at].rotate_right(1);
        }
        parts
    }

    /// The additions from their record, by the item of ours that they follow.
    fn brought(
        &mut self,
        rows: ThreeLists<'_>,
        [base, ours, theirs]: Identities<'_>,
        record: Option<&'a Record>,
        place: &FieldPath,
        overlaps: &BTreeMap<usize, usize>,
    ) -> BTreeMap<Option<usize>, Vec<ItemEdit>> {
        let mut free = self.free_comments(rows).into_iter().peekable();
        let names: BTreeMap<usize, &String> = theirs.iter().map(|(name, index)| (*index, name)).collect();
        let mut behind: BTreeMap<Option<usize>, Vec<ItemEdit>> = BTreeMap::new();
        let mut last = None;
        for index in 0..=rows.2.items.len() {
            if let Some((_, comments)) = free.next_if(|(before, _)| *before == index) {
                behind.entry(last).or_default().push(comments);
            }
            let Some(name) = names.get(&index).copied() else { continue };
            if let Some(at) = ours.get(name) {
                last = Some(*at);
                continue;
            }
            if overlaps.contains_key(&index) {
                continue;
            }
            let kind = self.ours.kind(record, name);
            let at = (rows.2, index);
            match base.get(name).and_then(|at| rows.0.map(|row| (row, *at))) {
                None => {
                    let part = self.added(at);
                    behind.entry(last).or_default().push(part);
                }
                Some(base_at) if signature(&self.base, base_at, kind) != signature(&self.theirs, at, kind) => {
                    let part = self.kept_theirs(base_at, at, &ParsedText::place(place, name));
                    behind.entry(last).or_default().push(part);
                }
                Some(_) => {}
            }
        }
        behind
    }
}

/// Whether the text of a statement is `!from` and its path.
fn begins_with_from(text: &str) -> bool {
    let (mark, behind) = text.split_at_checked(FROM.len()).unwrap_or(("", text));
    mark.eq_ignore_ascii_case(FROM)
        && !behind.starts_with(|letter: char| letter.is_ascii_alphanumeric() || letter == '_')
}
