//! Series without keys: elements are told apart by what they say and where they stand.
//!
//! What each side did is a list of stretches of the base that became something else. Stretches that do not touch the same
//! elements are all done; others are a conflict.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use super::{Merger, Rows, Signature, marked, signature};
use crate::class::Kind;
use crate::diff::align::{Hunk, align};
use crate::diff::meaning::Side;
use crate::document::patch::Part;
use crate::document::row::{Row, comments_in};
use crate::document::{element_of, record_of};
use crate::place::{Place, Step};

/// So long is a comment that says nothing.
const MARK_BYTES: usize = 3;

/// A stretch of the result.
enum Stretch {
    Ours(Range<usize>),
    Theirs(Range<usize>),
    /// Ours counts; theirs and the base's are told of.
    Both {
        base: Range<usize>,
        ours: Range<usize>,
        theirs: Range<usize>,
    },
}

impl<'a> Merger<'a> {
    /// The elements of our series, with their changes. Nothing if both changed it so much that it must be taken as a whole.
    pub(super) fn unkeyed(&mut self, rows: Rows<'_>, of: Option<&'a Kind>, place: &Place) -> Option<Vec<Part>> {
        let (base_row, our_row, their_row) = (rows.0?, rows.1, rows.2);
        let base: Vec<Signature<'a>> =
            (0..base_row.items.len()).map(|at| signature(&self.base, (base_row, at), of)).collect();
        let ours: Vec<Signature<'a>> =
            (0..our_row.items.len()).map(|at| signature(&self.ours, (our_row, at), of)).collect();
        let theirs: Vec<Signature<'a>> =
            (0..their_row.items.len()).map(|at| signature(&self.theirs, (their_row, at), of)).collect();
        let hunks = (align(&base, &ours)?, align(&base, &theirs)?);
        let stretches = stretches(&hunks.0, &hunks.1, (&base, &ours, &theirs));
        let comes_back = self.comes_back(rows, base_row, (&hunks.0, &hunks.1), &stretches, of);
        if comes_back || !is_sound(&stretches, (&base, &ours, &theirs)) {
            return None;
        }
        let mut free: BTreeMap<usize, Part> = self.free_comments(rows).into_iter().collect();
        let mut parts = Vec::new();
        let mut their_at = 0;
        for stretch in stretches {
            // Their free comments come before what they stood before in their text.
            let their_end = match &stretch {
                Stretch::Ours(range) => their_at + range.len(),
                Stretch::Theirs(range) | Stretch::Both { theirs: range, .. } => range.end,
            };
            let due: Vec<usize> = free.range(..=their_end).map(|(at, _)| *at).collect();
            parts.extend(due.into_iter().filter_map(|at| free.remove(&at)));
            match stretch {
                Stretch::Ours(range) => parts.extend(range.map(Part::keep)),
                Stretch::Theirs(range) => {
                    their_at = range.end;
                    parts.extend(range.map(|at| self.added((their_row, at))));
                }
                Stretch::Both { base, ours, theirs } => {
                    their_at = theirs.end;
                    let here = place.then(Step::Index(ours.start));
                    let before = own_text(&self.base, base_row, base);
                    let mine = own_text(&self.ours, our_row, ours.clone());
                    let other = own_text(&self.theirs, their_row, theirs);
                    let mut marks = marked("theirs", other.as_deref().unwrap_or("removed"));
                    marks.extend(marked("base", before.as_deref().unwrap_or("nothing")));
                    parts.push(Part::Comments(marks));
                    self.conflict(&here, before.as_deref(), mine.as_deref(), other.as_deref());
                    parts.extend(ours.map(Part::keep));
                }
            }
        }
        parts.extend(free.into_values());
        Some(parts)
    }
}

impl<'a> Merger<'a> {
    /// Whether an element that both touched seems to be there again, changed, where one of them put something new.
    fn comes_back(
        &self,
        rows: Rows<'_>,
        base_row: &Row,
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
        let is_among = |side: &Side<'a>, row: &Row, hunks: &[Hunk]| {
            hunks.iter().any(|hunk| {
                // What is disputed anyway stays together.
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

/// What the values in an element say, and its comments: by these it is known again.
fn parts_of(side: &Side<'_>, row: &Row, at: usize, of: Option<&Kind>) -> Vec<String> {
    let mut parts = Vec::new();
    let value = row.items[at].value;
    let Some(inner) = side.row(value) else { return parts };
    let comments = comments_in(side.tree, row.items[at].own, row.items[at].stop, false);
    let comments = comments.iter().map(|comment| comment.span.text(side.source).trim_end());
    parts.extend(comments.filter(|text| text.len() > MARK_BYTES).map(String::from));
    let mut open = alloc::vec![(inner, of)];
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

/// What some elements are, with their comments, an element to a line; nothing if there are none.
fn own_text(side: &Side<'_>, row: &Row, range: Range<usize>) -> Option<String> {
    let elements = range.map(|at| side.source[row.items[at].own..row.items[at].stop].trim());
    let text = elements.collect::<Vec<&str>>().join("\n");
    (!text.is_empty()).then(|| String::from(text.trim_end_matches(',')))
}

/// The result, stretch by stretch.
fn stretches(
    ours: &[Hunk],
    theirs: &[Hunk],
    rows: (&[Signature<'_>], &[Signature<'_>], &[Signature<'_>]),
) -> Vec<Stretch> {
    let (mut our_next, mut their_next) = (ours.iter().peekable(), theirs.iter().peekable());
    let mut found = Vec::new();
    let (mut base_at, mut our_at, mut their_at) = (0, 0, 0);
    loop {
        // The next hunk of either, and all that touch the same elements.
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

/// What both did at the same place.
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
    // Both only added, and different things: then both are there.
    if our_part < their_part {
        found.extend([Stretch::Ours(ours), Stretch::Theirs(theirs)]);
    } else {
        found.extend([Stretch::Theirs(theirs), Stretch::Ours(ours)]);
    }
}

fn key(hunk: &Hunk) -> (usize, usize) {
    (hunk.before.start, hunk.before.end)
}

/// Whether two stretches of the base touch the same elements, or add at the same place.
fn overlaps(one: (usize, usize), other: (usize, usize)) -> bool {
    one == other || one.0 < other.1 && other.0 < one.1
}

/// How long a stretch of the base is after some hunks.
fn grown(length: usize, hunks: &[&Hunk]) -> usize {
    let added: usize = hunks.iter().map(|hunk| hunk.after.len()).sum();
    let removed: usize = hunks.iter().map(|hunk| hunk.before.len()).sum();
    length + added - removed
}

/// Whether every element is there as often as both sides together want it. One that both moved, or one moved and the other
/// removed or changed, is not.
fn is_sound(stretches: &[Stretch], rows: (&[Signature<'_>], &[Signature<'_>], &[Signature<'_>])) -> bool {
    /// How often in the base, ours, theirs and the result; and how often of these where both changed the same.
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
            // It must not have come from there to elsewhere.
            let elsewhere = base - disputed[0];
            return ours - disputed[1] <= elsewhere && theirs - disputed[2] <= elsewhere;
        }
        let wanted = if ours == base { theirs } else { ours };
        let is_agreed = ours == base || theirs == base || ours == theirs;
        is_agreed && result == wanted
    })
}
