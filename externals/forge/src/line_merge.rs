//! Line-based diff and three-way merge, for texts that are not tags or have syntax errors.
//!
//! Laws
//! 1. No line is lost: a line of either side is in the result, or was removed by the other side while this one left it
//!    unchanged.
//! 2. Conflicts stand between markers as git writes them, ours first.
//! 3. Time and memory are limited. Texts that differ in more than [`LINE_DIFFERENCES_MAX`] lines are one hunk.

use crate::limits::LINE_DIFFERENCES_MAX;
use crate::myers::{Hunk, align};

/// The conflict markers of git.
pub const MARKS: [&str; 3] = ["<<<<<<< ours", "=======", ">>>>>>> theirs"];

/// The result of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedLines {
    /// The text.
    pub text: String,
    /// The number of conflicts.
    pub conflicts: usize,
}

/// A line of a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// In both.
    Same(&'a str),
    /// Only in the old text.
    Removed(&'a str),
    /// Only in the new text.
    Added(&'a str),
}

/// Compares two texts by lines.
pub fn compare<'a>(before: &'a str, after: &'a str) -> Vec<Line<'a>> {
    let (old, new) = (split(before), split(after));
    let mut lines = Vec::new();
    let (mut old_at, mut new_at) = (0, 0);
    for (old_same, new_same) in matching(&old, &new).into_iter().chain([(old.len(), new.len())]) {
        lines.extend(old[old_at..old_same].iter().map(|line| Line::Removed(line)));
        lines.extend(new[new_at..new_same].iter().map(|line| Line::Added(line)));
        if let Some(line) = old.get(old_same) {
            lines.push(Line::Same(line));
        }
        (old_at, new_at) = (old_same + 1, new_same + 1);
    }
    lines
}

/// Three-way merge by lines (diff3).
pub fn merge(base: &str, ours: &str, theirs: &str) -> MergedLines {
    let [base_lines, our_lines, their_lines] = [base, ours, theirs].map(split);
    let our_match = matching(&base_lines, &our_lines);
    let their_match = matching(&base_lines, &their_lines);
    let mut merged = MergedLines { text: String::with_capacity(ours.len()), conflicts: 0 };
    let mut at = (0, 0, 0);
    for anchor in
        anchors(&our_match, &their_match).into_iter().chain([(base_lines.len(), our_lines.len(), their_lines.len())])
    {
        let parts = [&base_lines[at.0..anchor.0], &our_lines[at.1..anchor.1], &their_lines[at.2..anchor.2]];
        merge_part(parts, &mut merged);
        if let Some(line) = base_lines.get(anchor.0) {
            merged.text.push_str(line);
        }
        at = (anchor.0 + 1, anchor.1 + 1, anchor.2 + 1);
    }
    merged
}

/// Merges a part between two lines that all three texts share.
fn merge_part([base, ours, theirs]: [&[&str]; 3], merged: &mut MergedLines) {
    let whole = |merged: &mut MergedLines, lines: &[&str]| lines.iter().for_each(|line| merged.text.push_str(line));
    if ours == theirs || theirs == base {
        return whole(merged, ours);
    }
    if ours == base {
        return whole(merged, theirs);
    }
    merged.conflicts += 1;
    for (mark, lines) in MARKS.iter().zip([ours, theirs, &[]]) {
        begin_line(&mut merged.text);
        merged.text.push_str(mark);
        merged.text.push('\n');
        whole(merged, lines);
    }
}

/// A marker stands on a separate line, also after a last line without a line end.
fn begin_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

/// The lines that all three texts share, by their numbers.
fn anchors(ours: &[(usize, usize)], theirs: &[(usize, usize)]) -> Vec<(usize, usize, usize)> {
    let mut theirs = theirs.iter().peekable();
    let mut anchors = Vec::new();
    for (base, our) in ours {
        while theirs.next_if(|(other, _)| other < base).is_some() {}
        if let Some((_, their)) = theirs.next_if(|(other, _)| other == base) {
            anchors.push((*base, *our, *their));
        }
    }
    anchors
}

/// Lines with their line ends.
fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The pairs of matching lines of two texts, by their numbers.
fn matching(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let hunks = align(old, new, LINE_DIFFERENCES_MAX).unwrap_or_else(|whole| vec![whole]);
    let end = Hunk { before: old.len()..old.len(), after: new.len()..new.len() };
    let (mut pairs, mut old_at, mut new_at) = (Vec::new(), 0, 0);
    for hunk in hunks.into_iter().chain([end]) {
        pairs.extend((old_at..hunk.before.start).zip(new_at..hunk.after.start));
        (old_at, new_at) = (hunk.before.end, hunk.after.end);
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(base: &str, ours: &str, theirs: &str, expected: &str, conflicts: usize) {
        let lines = |text: &str| text.split_whitespace().map(|word| format!("{word}\n")).collect::<String>();
        let merged = merge(&lines(base), &lines(ours), &lines(theirs));
        let found: Vec<&str> = merged.text.lines().collect();
        assert_eq!((found.join(" ").as_str(), merged.conflicts), (expected, conflicts));
    }

    #[test]
    fn changes_of_different_lines_are_combined() {
        check("a b c", "a x c", "a b c d", "a x c d", 0);
        check("a b c", "b c", "a b", "b", 0);
        check("a b c", "a b c", "", "", 0);
        check("a b c", "a x c", "a x c", "a x c", 0);
        check("", "a", "", "a", 0);
    }

    #[test]
    fn conflicts_stand_between_markers() {
        check("a b c", "a x c", "a y c", "a <<<<<<< ours x ======= y >>>>>>> theirs c", 1);
        check("", "a", "b", "<<<<<<< ours a ======= b >>>>>>> theirs", 1);
        check("a b c", "a c", "a y c", "a <<<<<<< ours ======= y >>>>>>> theirs c", 1);
        let merged = merge("a", "b", "c");
        assert_eq!(merged.text, "<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n");
    }

    #[test]
    fn texts_that_differ_too_much_are_one_hunk() {
        let many = |word: &str| (0..20_000).map(|number| format!("{word}{number}\n")).collect::<String>();
        let (base, ours, theirs) = (many("a"), many("b"), many("c"));
        let merged = merge(&base, &ours, &theirs);
        assert_eq!(merged.conflicts, 1);
        assert!(merged.text.contains(&ours) && merged.text.contains(&theirs));
        assert_eq!(compare(&base, &ours).len(), 40_000);
    }

    proptest! {
        #[test]
        fn a_comparison_has_both_texts(old in "([abc]\n){0,12}", new in "([abc]\n){0,12}x?") {
            let lines = compare(&old, &new);
            let side = |is_old: bool| lines.iter().map(|line| match line {
                Line::Same(line) => line,
                Line::Removed(line) if is_old => line,
                Line::Added(line) if !is_old => line,
                _ => "",
            }).collect::<String>();
            prop_assert_eq!((side(true), side(false)), (old, new));
        }

        #[test]
        fn nothing_is_lost(base in "([abc]\n){0,8}", ours in "([abcd]\n){0,8}", theirs in "([abce]\n){0,8}") {
            let merged = merge(&base, &ours, &theirs);
            prop_assert_eq!(&merge(&base, &ours, &base).text, &ours);
            prop_assert_eq!(&merge(&base, &base, &theirs).text, &theirs);
            // A line that only one side can have written occurs as often as in that side.
            for (letter, side) in [("d\n", &ours), ("e\n", &theirs)] {
                prop_assert_eq!(merged.text.matches(letter).count(), side.matches(letter).count());
            }
        }
    }
}
