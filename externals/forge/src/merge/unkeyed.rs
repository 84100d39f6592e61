//! Merging series without keys: elements are matched by a diff against the base.
//!
//! Each side's changes are hunks against the base. Hunks that touch different elements are all applied; overlapping
//! ones are a conflict.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{Merger, Signature, ThreeLists, marked, signature};
use crate::diff::canonical::ParsedText;
use crate::document::item_list::{ItemList, comments_in};
use crate::document::patch::ItemEdit;
use crate::document::{element_of, record_of};
use crate::field_path::{FieldPath, PathStep};
use crate::limits::ELEMENT_DIFFERENCES_MAX;
use crate::myers::{Hunk, align};
use tags::class::Kind;

/// The length of a comment without text.
const MARK_BYTES: usize = 3;

/// A run of the result.
enum Stretch {
    Ours(Range<usize>),
    Theirs(Range<usize>),
    /// Ours counts; theirs and the base's are reported.
    Both {
        base: Range<usize>,
        ours: Range<usize>,
        theirs: Range<usize>,
    },
}

impl<'a> Merger<'a> {
    /// The edits of our series. None if both changed so much that it must be taken as a whole.
    pub(super) fn unkeyed(
        &mut self,
        rows: ThreeLists<'_>,
        of: Option<&'a Kind>,
        place: &FieldPath,
    ) -> Option<Vec<ItemEdit>> {
        let (base_row, our_row, their_row) = (rows.0?, rows.1, rows.2);
        let base: Vec<Signature<'a>> =
            (0..base_row.items.len()).map(|at| signature(&self.base, (base_row, at), of)).collect();
        let ours: Vec<Signature<'a>> =
            (0..our_row.items.len()).map(|at| signature(&self.ours, (our_row, at), of)).collect();
        let theirs: Vec<Signature<'a>> =
            (0..their_row.items.len()).map(|at| signature(&self.theirs, (their_row, at), of)).collect();
        let align = |side: &[Signature<'a>]| align(&base, side, ELEMENT_DIFFERENCES_MAX).ok();
        let hunks = (align(&ours)?, align(&theirs)?);
        let stretches = stretches(&hunks.0, &hunks.1, (&base, &ours, &theirs));
        let comes_back = self.comes_back(rows, base_row, (&hunks.0, &hunks.1), &stretches, of);
        if comes_back || !is_sound(&stretches, (&base, &ours, &theirs)) {
            return None;
        }
        let mut free: BTreeMap<usize, ItemEdit> = self.free_comments(rows).into_iter().collect();
        let mut parts = Vec::new();
        let mut their_at = 0;
        for stretch in stretches {
            // Their free comments precede the same elements as in their text.
            let their_end = match &stretch {
                Stretch::Ours(range) => their_at + range.len(),
                Stretch::Theirs(range) | Stretch::Both { theirs: range, .. } => range.end,
            };
            let due: Vec<usize> = free.range(..=their_end).map(|(at, _)| *at).collect();
            parts.extend(due.into_iter().filter_map(|at| free.remove(&at)));
            match stretch {
                Stretch::Ours(range) => parts.extend(range.map(ItemEdit::keep)),
                Stretch::Theirs(range) => {
                    their_at = range.end;
                    parts.extend(range.map(|at| self.added((their_row, at))));
                }
                Stretch::Both { base, ours, theirs } => {
                    their_at = theirs.end;
                    let here = place.then(PathStep::Index(ours.start));
                    let before = own_text(&self.base, base_row, base);
                    let mine = own_text(&self.ours, our_row, ours.clone());
                    let other = own_text(&self.theirs, their_row, theirs);
                    let mut marks = marked("theirs", other.as_deref().unwrap_or("removed"));
                    marks.extend(marked("base", before.as_deref().unwrap_or("nothing")));
                    parts.push(ItemEdit::Comments(marks));
                    self.conflict(&here, before.as_deref(), mine.as_deref(), other.as_deref());
                    parts.extend(ours.map(ItemEdit::keep));
                }
            }
        }
        parts.extend(free.into_values());
        Some(parts)
    }
}

impl<'a> Merger<'a> {
    /// Whether an element that both changed seems to reappear, changed, in another hunk.
    fn comes_back(
        &self,
        rows: ThreeLists<'_>,
        base_row: &ItemList,
        hunks: (&[Hunk], &[Hunk]),
        stretches: &[Stretch],
        of: Option<&'a Kind>,
    ) -> bool {
        let by_theirs: BTreeSet<usize> = hunks.1.iter().flat_map(|hunk| hunk.before.clone()).collect();
        let by_ours = hunks.0.iter().filter(|hunk| hunk.after.len() < hunk.before.len());
        let by_ours = by_ours.flat_map(|hunk| hunk.before.clone());
        let mut touched: BTreeSet<usize> = by_ours.filter(|at| by_theirs.contains(at)).collect();
        let mut disputed: Vec<Range<usize>> = Vec::new();
        for stretch in stretches {
            if let Stretch::Both { base, .. } = stretch {
                touched.extend(base.clone());
                disputed.push(base.clone());
            }
        }
        let mut parts: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for at in touched {
            for part in parts_of(&self.base, base_row, at, of) {
                parts.entry(part).or_default().push(at);
            }
        }
        let is_among = |side: &ParsedText<'a>, row: &ItemList, hunks: &[Hunk]| {
            hunks.iter().any(|hunk| {
                // Elements of a conflict stay together.
                let around = disputed.iter().find(|range| overlaps((range.start, range.end), key(hunk)));
                let around = around.unwrap_or(&hunk.before);
                let had = hunk.before.clone().flat_map(|at| parts_of(&self.base, base_row, at, of));
                let had: BTreeSet<String> = had.collect();
                let mut new = hunk.after.clone().flat_map(|at| parts_of(side, row, at, of));
                let is_elsewhere = |places: &Vec<usize>| places.iter().any(|place| !around.contains(place));
                new.any(|part| !had.contains(&part) && parts.get(&part).is_some_and(is_elsewhere))
            })
        };
        !parts.is_empty() && (is_among(&self.ours, rows.1, hunks.0) || is_among(&self.theirs, rows.2, hunks.1))
    }
}

/// The canonical texts of the values in an element, and its comments: by these it is recognised.
fn parts_of(side: &ParsedText<'_>, row: &ItemList, at: usize, of: Option<&Kind>) -> Vec<String> {
    let mut parts = Vec::new();
    let value = row.items[at].value;
    let Some(inner) = side.row(value) else { return parts };
    let comments = comments_in(side.tree, row.items[at].own, row.items[at].stop, false);
    let comments = comments.iter().map(|comment| comment.span.text(side.source).trim_end());
    parts.extend(comments.filter(|text| text.len() > MARK_BYTES).map(String::from));
    let mut open = vec![(inner, of)];
    while let Some((row, kind)) = open.pop() {
        let record = kind.and_then(|kind| record_of(side.class, kind));
        for item in &row.items {
            let name = item.name.map_or("", |name| name.text(side.source));
            let kind = match item.name {
                Some(_) => record.and_then(|record| record.field(name)).map(|(_, field)| &field.kind),
                None => kind.and_then(element_of),
            };
            match side.row(item.value) {
                Some(inner) => open.push((inner, kind)),
                None => parts.push(format!("{name} {}", side.meaning(item.value, kind))),
            }
        }
    }
    parts
}

/// Some elements with their comments, one per line; none if there are none.
fn own_text(side: &ParsedText<'_>, row: &ItemList, range: Range<usize>) -> Option<String> {
    let elements = range.map(|at| side.source[row.items[at].own..row.items[at].stop].trim());
    let text = elements.collect::<Vec<&str>>().join("\n");
    (!text.is_empty()).then(|| String::from(text.trim_end_matches(',')))
}

/// The result as runs.
fn stretches(
    ours: &[Hunk],
    theirs: &[Hunk],
    rows: (&[Signature<'_>], &[Signature<'_>], &[Signature<'_>]),
) -> Vec<Stretch> {
    let (mut our_next, mut their_next) = (ours.iter().peekable(), theirs.iter().peekable());
    let mut found = Vec::new();
    let (mut base_at, mut our_at, mut their_at) = (0, 0, 0);
    loop {
        // The next hunk of either side, and all hunks that overlap it.
        let starts = (our_next.peek().map(|hunk| key(hunk)), their_next.peek().map(|hunk| key(hunk)));
        let mut span = match starts {
            (None, None) => break,
            (Some(ours), Some(theirs)) => ours.min(theirs),
            (Some(one), None) | (None, Some(one)) => one,
        };
        let (mut by_ours, mut by_theirs) = (Vec::new(), Vec::new());
        loop {
            let touches =
                |hunk: &&Hunk, is_first: bool| is_first || overlaps(span, (hunk.before.start, hunk.before.end));
            let is_new = by_ours.is_empty() && by_theirs.is_empty();
            let our_is_first = is_new && starts.0 == Some(span);
            if let Some(hunk) = our_next.next_if(|hunk| touches(hunk, our_is_first)) {
                span = (span.0.min(hunk.before.start), span.1.max(hunk.before.end));
                by_ours.push(hunk);
            } else if let Some(hunk) = their_next.next_if(|hunk| touches(hunk, is_new && !our_is_first)) {
                span = (span.0.min(hunk.before.start), span.1.max(hunk.before.end));
                by_theirs.push(hunk);
            } else {
                break;
            }
        }
        let same = span.0 - base_at;
        found.push(Stretch::Ours(our_at..our_at + same));
        (our_at, their_at) = (our_at + same, their_at + same);
        let length = span.1 - span.0;
        let our_range = our_at..our_at + grown(length, &by_ours);
        let their_range = their_at..their_at + grown(length, &by_theirs);
        (base_at, our_at, their_at) = (span.1, our_range.end, their_range.end);
        match (by_ours.is_empty(), by_theirs.is_empty()) {
            (_, true) => found.push(Stretch::Ours(our_range)),
            (true, _) => found.push(Stretch::Theirs(their_range)),
            _ => both(span.0..span.1, our_range, their_range, rows, &mut found),
        }
    }
    found.push(Stretch::Ours(our_at..rows.1.len()));
    found
}

/// Both sides changed the same elements.
fn both(
    base: Range<usize>,
    ours: Range<usize>,
    theirs: Range<usize>,
    rows: (&[Signature<'_>], &[Signature<'_>], &[Signature<'_>]),
    found: &mut Vec<Stretch>,
) {
    let (our_part, their_part) = (&rows.1[ours.clone()], &rows.2[theirs.clone()]);
    if our_part == their_part {
        return found.push(Stretch::Ours(ours));
    }
    let said: BTreeSet<&str> = our_part.iter().map(|element| element.meaning.as_str()).collect();
    let shares = their_part.iter().any(|element| said.contains(element.meaning.as_str()));
    if !base.is_empty() || shares {
        return found.push(Stretch::Both { base, ours, theirs });
    }
    // Both only added, and different elements: both are kept.
    if our_part < their_part {
        found.extend([Stretch::Ours(ours), Stretch::Theirs(theirs)]);
    } else {
        found.extend([Stretch::Theirs(theirs), Stretch::Ours(ours)]);
    }
}

fn key(hunk: &Hunk) -> (usize, usize) {
    (hunk.before.start, hunk.before.end)
}

/// Whether two ranges of the base overlap, or insert at the same position.
fn overlaps(one: (usize, usize), other: (usize, usize)) -> bool {
    one == other || one.0 < other.1 && other.0 < one.1
}

/// The length of a range of the base after some hunks.
fn grown(length: usize, hunks: &[&Hunk]) -> usize {
    let added: usize = hunks.iter().map(|hunk| hunk.after.len()).sum();
    let removed: usize = hunks.iter().map(|hunk| hunk.before.len()).sum();
    length + added - removed
}

/// Whether every element occurs as often as both sides together want it. An element that both moved, or that one moved
/// and the other removed or changed, does not.
fn is_sound(stretches: &[Stretch], rows: (&[Signature<'_>], &[Signature<'_>], &[Signature<'_>])) -> bool {
    /// The counts in the base, ours, theirs and the result; and of these within conflicts.
    #[derive(Default)]
    struct Counts {
        all: [usize; 4],
        disputed: [usize; 3],
    }
    let mut counts: BTreeMap<&str, Counts> = BTreeMap::new();
    for (which, row) in [rows.0, rows.1, rows.2].into_iter().enumerate() {
        for element in row {
            counts.entry(&element.meaning).or_default().all[which] += 1;
        }
    }
    for stretch in stretches {
        let part = match stretch {
            Stretch::Ours(range) => &rows.1[range.clone()],
            Stretch::Theirs(range) => &rows.2[range.clone()],
            Stretch::Both { base, ours, theirs } => {
                let parts = [&rows.0[base.clone()], &rows.1[ours.clone()], &rows.2[theirs.clone()]];
                for (which, part) in parts.into_iter().enumerate() {
                    for element in part {
                        counts.entry(&element.meaning).or_default().disputed[which] += 1;
                    }
                }
                &rows.1[ours.clone()]
            }
        };
        for element in part {
            counts.entry(&element.meaning).or_default().all[3] += 1;
        }
    }
    counts.values().all(|Counts { all: [base, ours, theirs, result], disputed }| {
        if disputed.iter().any(|count| *count > 0) {
            // It must not have moved from the conflict to another position.
            let elsewhere = base - disputed[0];
            return ours - disputed[1] <= elsewhere && theirs - disputed[2] <= elsewhere;
        }
        let wanted = if ours == base { theirs } else { ours };
        let is_agreed = ours == base || theirs == base || ours == theirs;
        is_agreed && result == wanted
    })
}
