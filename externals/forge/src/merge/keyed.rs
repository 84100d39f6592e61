//! Merging series with keys: elements are matched by key, and the orders of both sides are combined.

use std::collections::{BTreeMap, BTreeSet};

use super::{Merger, ThreeLists, marked, signature};
use crate::diff::canonical::ParsedText;
use crate::document::item_list::ItemList;
use crate::document::patch::ItemEdit;
use crate::document::record_of;
use crate::field_path::{FieldPath, PathStep};
use tags::class::Kind;

/// Elements that only one side has, after an element that both have: ours and theirs.
type Gap = (Vec<usize>, Vec<usize>);

impl<'a> Merger<'a> {
    /// The edits of our series.
    pub(super) fn keyed(
        &mut self,
        rows: ThreeLists<'_>,
        [base, ours, theirs]: [&[String]; 3],
        of: Option<&'a Kind>,
        place: &FieldPath,
    ) -> Vec<ItemEdit> {
        let places = |keys: &'_ [String]| -> BTreeMap<String, usize> {
            keys.iter().enumerate().map(|(at, key)| (key.clone(), at)).collect()
        };
        let (base_at, our_at, their_at) = (places(base), places(ours), places(theirs));
        let mut parts = Vec::new();
        let order = match common_order(base, ours, theirs) {
            Ok(order) => order,
            Err((order, wanted)) => {
                let (ours, theirs) = (order.join(", "), wanted.join(", "));
                self.conflict(place, None, Some(&ours), Some(&theirs));
                parts.push(ItemEdit::Comments(marked("theirs", &format!("order: {theirs}"))));
                order
            }
        };
        let mut gaps = gaps(ours, theirs);
        let mut free = BTreeMap::new();
        for (index, comments) in self.free_comments(rows) {
            // They follow the last element before them that both sides have.
            let before = theirs[..index].iter().rev().find(|key| our_at.contains_key(*key));
            free.entry(before).or_insert_with(Vec::new).push(comments);
        }
        for anchor in core::iter::once(None).chain(order.iter().map(Some)) {
            if let Some(key) = anchor {
                let at = base_at.get(key).and_then(|at| rows.0.map(|row| (row, *at)));
                let here = place.then(PathStep::Key(key.clone()));
                parts.push(self.item(at, (rows.1, our_at[key]), (rows.2, their_at[key]), of, &here));
            }
            parts.extend(free.remove(&anchor).unwrap_or_default());
            let (of_ours, of_theirs) = gaps.remove(&anchor.cloned()).unwrap_or_default();
            let (first, second) = (of_ours.first().map(|at| &ours[*at]), of_theirs.first().map(|at| &theirs[*at]));
            let ours_first = second.is_none() || first < second;
            let is_ours = if ours_first { [true, false] } else { [false, true] };
            for is_ours in is_ours {
                let (keys, run) = if is_ours { (ours, &of_ours) } else { (theirs, &of_theirs) };
                for index in run {
                    let here = place.then(PathStep::Key(keys[*index].clone()));
                    let base = base_at.get(&keys[*index]).and_then(|at| rows.0.map(|row| (row, *at)));
                    parts.extend(self.alone(rows, base, *index, is_ours, of, &here));
                }
            }
        }
        parts
    }

    /// The keys of both sides; an element whose key was changed keeps the key of the base.
    pub(super) fn with_former_keys(
        &self,
        rows: ThreeLists<'_>,
        base: &[String],
        (ours, theirs): (Vec<String>, Vec<String>),
        of: Option<&'a Kind>,
    ) -> (Vec<String>, Vec<String>) {
        let Some(base_row) = rows.0 else { return (ours, theirs) };
        let former = |side: &ParsedText<'a>, row: &ItemList, keys: &[String], others: &[String]| -> Vec<String> {
            let (in_base, in_keys): (BTreeSet<&String>, BTreeSet<&String>) =
                (base.iter().collect(), keys.iter().collect());
            let in_others: BTreeSet<&String> = others.iter().collect();
            // It is recognised by its other fields: the one element of the base that is missing.
            let mut gone: BTreeMap<String, Option<&String>> = BTreeMap::new();
            for (at, key) in base.iter().enumerate().filter(|(_, key)| !in_keys.contains(key)) {
                let rest = beside_key(&self.base, base_row, at, of);
                gone.entry(rest).and_modify(|found| *found = None).or_insert(Some(key));
            }
            let mut keys = keys.to_vec();
            for (at, key) in keys.iter_mut().enumerate() {
                if gone.is_empty() || in_base.contains(key) || in_others.contains(key) {
                    continue;
                }
                let rest = beside_key(side, row, at, of);
                if let Some(Some(before)) = gone.remove(&rest).filter(|_| !rest.is_empty()) {
                    *key = before.clone();
                }
            }
            keys
        };
        (former(&self.ours, rows.1, &ours, &theirs), former(&self.theirs, rows.2, &theirs, &ours))
    }

    /// An element that only one side has: added there, or removed by the other.
    fn alone(
        &mut self,
        rows: ThreeLists<'_>,
        base: Option<super::ItemRef<'_>>,
        index: usize,
        is_ours: bool,
        of: Option<&'a Kind>,
        place: &FieldPath,
    ) -> Option<ItemEdit> {
        let at = (if is_ours { rows.1 } else { rows.2 }, index);
        let side = if is_ours { &self.ours } else { &self.theirs };
        match base {
            None if is_ours => Some(ItemEdit::keep(index)),
            None => Some(self.added(at)),
            Some(base) if signature(&self.base, base, of) == signature(side, at, of) => None,
            Some(base) if is_ours => Some(self.kept_ours(base, at, place)),
            Some(base) => Some(self.kept_theirs(base, at, place)),
        }
    }
}

/// The canonical text of an element without its key.
fn beside_key(side: &ParsedText<'_>, row: &ItemList, at: usize, of: Option<&Kind>) -> String {
    let record = of.and_then(|kind| record_of(side.class, kind));
    let Some((record, inner)) = record.zip(side.row(row.items[at].value)) else { return String::new() };
    let key = record.key_field().map_or("", |field| &field.name);
    let fields = side.fields(&inner, Some(record));
    let others = fields.iter().filter(|(name, _)| *name != key).map(|(name, index)| {
        let kind = record.field(name).map(|(_, field)| &field.kind);
        format!("{name} {},", side.meaning(inner.items[*index].value, kind))
    });
    others.collect()
}

/// The order of the common elements. If both changed it, ours and theirs.
fn common_order(
    base: &[String],
    ours: &[String],
    theirs: &[String],
) -> Result<Vec<String>, (Vec<String>, Vec<String>)> {
    let set = |keys: &[String]| -> BTreeSet<String> { keys.iter().cloned().collect() };
    let (in_base, in_ours, in_theirs) = (set(base), set(ours), set(theirs));
    let only = |keys: &[String], sets: &[&BTreeSet<String>]| -> Vec<String> {
        keys.iter().filter(|key| sets.iter().all(|set| set.contains(*key))).cloned().collect()
    };
    let (our_order, their_order) = (only(ours, &[&in_theirs]), only(theirs, &[&in_ours]));
    if our_order == their_order {
        return Ok(our_order);
    }
    let before = only(base, &[&in_ours, &in_theirs]);
    let (our_part, their_part) = (only(&our_order, &[&in_base]), only(&their_order, &[&in_base]));
    match (our_part == before, their_part == before) {
        (false, true) => Ok(our_order),
        (true, false) => Ok(their_order),
        // They differ only in the position of common additions.
        _ if our_part == their_part => Ok(our_order.min(their_order)),
        _ => Err((our_order, their_order)),
    }
}

/// The elements that only one side has, by the common element before them.
fn gaps(ours: &[String], theirs: &[String]) -> BTreeMap<Option<String>, Gap> {
    let (in_ours, in_theirs): (BTreeSet<&String>, BTreeSet<&String>) = (ours.iter().collect(), theirs.iter().collect());
    let mut gaps: BTreeMap<Option<String>, Gap> = BTreeMap::new();
    for (keys, others, is_ours) in [(ours, &in_theirs, true), (theirs, &in_ours, false)] {
        let mut last = None;
        for (index, key) in keys.iter().enumerate() {
            if others.contains(key) {
                last = Some(key.clone());
            } else {
                let gap = gaps.entry(last.clone()).or_default();
                if is_ours { &mut gap.0 } else { &mut gap.1 }.push(index);
            }
        }
    }
    gaps
}
