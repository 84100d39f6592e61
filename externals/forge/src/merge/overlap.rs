//! Overlaps: one side changes a variable, and the other a part of it in a statement of its own.

use std::collections::BTreeMap;

use script::ast::Expression;

use super::{ItemRef, Merger, ThreeLists, comments_of, item_text, marked, signature};
use crate::diff::canonical::{FROM, ParsedText};
use crate::document::item_list::{ItemListKind, ItemRole, peeled};
use crate::document::patch::ItemEdit;
use crate::field_path::{FieldPath, PathStep};
use tags::class::Record;

/// Items by their identities, in the base, in ours and in theirs.
pub(super) type Identities<'r> = [&'r BTreeMap<String, usize>; 3];

impl<'a> Merger<'a> {
    /// Their changes of what we changed too under another name, by item; each with the item of ours. They are conflicts.
    pub(super) fn overlaps(
        &mut self,
        rows: ThreeLists<'_>,
        [base, ours, theirs]: Identities<'_>,
        record: Option<&'a Record>,
    ) -> BTreeMap<usize, usize> {
        let mut found = BTreeMap::new();
        if rows.1.kind != ItemListKind::File {
            return found;
        }
        let before = |name: &String| base.get(name).and_then(|at| rows.0.map(|row| (row, *at)));
        let is_changed = |merger: &Self, side: &ParsedText<'a>, name: &String, at: ItemRef<'_>| {
            let kind = side.kind(record, name);
            before(name).is_none_or(|was| signature(&merger.base, was, kind) != signature(side, at, kind))
        };
        for (their_name, their_index) in theirs {
            let their_at = (rows.2, *their_index);
            let Some(their_place) = changed_place(their_name) else { continue };
            if !is_changed(self, &self.theirs, their_name, their_at) {
                continue;
            }
            let clash = ours.iter().find(|(name, index)| {
                let our_at = (rows.1, **index);
                let Some(place) = changed_place(name).filter(|_| *name != their_name) else { return false };
                let is_ours_outer = their_place.steps.starts_with(&place.steps);
                if !is_ours_outer && !place.steps.starts_with(&their_place.steps)
                    || is_relative(our_at) && is_relative(their_at)
                    || !is_changed(self, &self.ours, name, our_at)
                {
                    return false;
                }
                let (outer, rest, side, at) = match is_ours_outer {
                    true => (*name, &their_place.steps[place.steps.len()..], &self.ours, our_at),
                    false => (their_name, &place.steps[their_place.steps.len()..], &self.theirs, their_at),
                };
                let was = before(outer).and_then(|was| inner_meaning(&self.base, was, rest));
                rest.is_empty() || is_relative(at) || was != inner_meaning(side, at, rest)
            });
            let Some((_, our_index)) = clash else { continue };
            let base_text = before(their_name).map(|at| item_text(&self.base, at));
            let (our_text, their_text) =
                (item_text(&self.ours, (rows.1, *our_index)), item_text(&self.theirs, their_at));
            self.conflict(&their_place, base_text, Some(our_text), Some(their_text));
            found.insert(*their_index, *our_index);
        }
        found
    }

    /// Puts their versions of overlaps above ours.
    pub(super) fn mark_overlaps(
        &self,
        rows: ThreeLists<'_>,
        overlaps: &BTreeMap<usize, usize>,
        parts: &mut [ItemEdit],
    ) {
        for part in parts {
            let ItemEdit::Kept(kept) = part else { continue };
            for (theirs, _) in overlaps.iter().filter(|(_, ours)| **ours == kept.index) {
                let own = || comments_of(&self.ours, (rows.1, kept.index));
                let text = item_text(&self.theirs, (rows.2, *theirs));
                kept.comments.get_or_insert_with(own).above.extend(marked("theirs", text));
            }
        }
    }
}

/// The place that an item with this identity changes, if it changes one.
fn changed_place(identity: &str) -> Option<FieldPath> {
    if identity == FROM || identity.starts_with('\0') {
        return None;
    }
    FieldPath::new(identity.split(' ').next().unwrap_or(identity)).ok()
}

/// Whether the new value depends on the old one.
fn is_relative((row, index): ItemRef<'_>) -> bool {
    matches!(row.items[index].role, ItemRole::Part(_, Some(_)))
}

/// The canonical text of a part of an item's value; of the whole value, if its parts are not written out.
fn inner_meaning(side: &ParsedText<'_>, (row, index): ItemRef<'_>, steps: &[PathStep]) -> Option<String> {
    let mut value = row.items[index].value;
    for step in steps {
        value = match (side.tree.node(peeled(side.tree, value)).expression, step) {
            (Expression::Record(names, items), PathStep::Field(name)) => {
                let at = side.tree.names(names).iter().rposition(|given| given.span.text(side.source) == name)?;
                *side.tree.items(items).get(at)?
            }
            (Expression::List(items), PathStep::Index(at)) => *side.tree.items(items).get(*at)?,
            _ => break,
        };
    }
    Some(side.meaning(value, None))
}
