//! Lines: what changed between two texts, and two people's changes made one, without understanding a word.
//!
//! For texts that are no tags, or no longer: where meaning ends, lines are what is left.
//!
//! Laws
//! 1. Nothing is lost: a line of either side is in the result, or was removed by the other side while this one left it alone.
//! 2. What both changed, and differently, stands between marks as git writes them, ours first.
//! 3. Time and memory are limited. Texts that differ in more than [`DIFFERENCES_MAX`] lines are one difference.

use crate::limits::DIFFERENCES_MAX;

/// What git writes around a conflict.
pub const MARKS: [&str; 3] = ["<<<<<<< ours", "=======", ">>>>>>> theirs"];

/// Two texts made one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedLines {
    /// The text.
    pub text: String,
    /// How many times both changed the same lines differently.
    pub conflicts: usize,
}

/// A line of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// In both.
    Same(&'a str),
    /// Only in the old text.
    Removed(&'a str),
    /// Only in the new text.
    Added(&'a str),
}

/// Compares two texts line by line.
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

/// Merges two texts that both come from a third.
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

/// A stretch between two lines that all three have.
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

/// A mark stands on a line of its own, also behind a last line that has no end.
fn begin_line(text: &mut String) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
}

/// The lines that all three have, by their numbers.
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

/// Lines with their ends.
fn split(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// The numbers of lines that are the same in both, rising in both: as many as there can be, unless the texts differ too much.
fn matching(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let before = old.iter().zip(new).take_while(|(left, right)| left == right).count();
    let (old_rest, new_rest) = (&old[before..], &new[before..]);
    let behind = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(left, right)| left == right).count();
    let (old_end, new_end) = (old.len() - behind, new.len() - behind);
    let mut pairs: Vec<(usize, usize)> = (0..before).map(|index| (index, index)).collect();
    let middle = shortest_edit(&old[before..old_end], &new[before..new_end]);
    pairs.extend(middle.into_iter().map(|(left, right)| (left + before, right + before)));
    pairs.extend((0..behind).map(|index| (old_end + index, new_end + index)));
    pairs
}

/// Myers' algorithm: the furthest that each diagonal is reached with ever more differences, then the way back.
fn shortest_edit(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let most = (old.len() + new.len()).min(DIFFERENCES_MAX);
    let place = |diagonal: isize| usize::try_from(diagonal + most as isize + 1).unwrap_or(0);
    let mut reached = vec![0_usize; 2 * most + 3];
    let mut history: Vec<Vec<usize>> = Vec::new();
    for differences in 0..=most as isize {
        // Only what this round can change, so that the memory is half of a square and no more.
        history.push(reached[place(-differences - 1)..=place(differences + 1)].to_vec());
        for diagonal in (-differences..=differences).step_by(2) {
            let is_down = diagonal == -differences
                || diagonal != differences && reached[place(diagonal - 1)] < reached[place(diagonal + 1)];
            let mut x = if is_down { reached[place(diagonal + 1)] } else { reached[place(diagonal - 1)] + 1 };
            let mut y = x.saturating_add_signed(-diagonal);
            while x < old.len() && y < new.len() && old[x] == new[y] {
                (x, y) = (x + 1, y + 1);
            }
            reached[place(diagonal)] = x;
            if x >= old.len() && y >= new.len() {
                return way_back(&history, old.len(), new.len());
            }
        }
    }
    Vec::new()
}

fn way_back(history: &[Vec<usize>], mut x: usize, mut y: usize) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (differences, reached) in history.iter().enumerate().rev() {
        let (differences, diagonal) = (differences as isize, x as isize - y as isize);
        let at = |diagonal: isize| reached[usize::try_from(diagonal + differences + 1).unwrap_or(0)];
        let is_down = diagonal == -differences || diagonal != differences && at(diagonal - 1) < at(diagonal + 1);
        let before = if is_down { diagonal + 1 } else { diagonal - 1 };
        let (from_x, from_y) = match differences {
            0 => (0, 0),
            _ => (at(before), at(before).saturating_add_signed(-before)),
        };
        while x > from_x && y > from_y {
            (x, y) = (x - 1, y - 1);
            pairs.push((x, y));
        }
        (x, y) = (from_x, from_y);
    }
    pairs.reverse();
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
    fn changes_of_different_lines_come_together() {
        check("a b c", "a x c", "a b c d", "a x c d", 0);
        check("a b c", "b c", "a b", "b", 0);
        check("a b c", "a b c", "", "", 0);
        check("a b c", "a x c", "a x c", "a x c", 0);
        check("", "a", "", "a", 0);
    }

    #[test]
    fn what_both_changed_stands_between_marks() {
        check("a b c", "a x c", "a y c", "a <<<<<<< ours x ======= y >>>>>>> theirs c", 1);
        check("", "a", "b", "<<<<<<< ours a ======= b >>>>>>> theirs", 1);
        check("a b c", "a c", "a y c", "a <<<<<<< ours ======= y >>>>>>> theirs c", 1);
        let merged = merge("a", "b", "c");
        assert_eq!(merged.text, "<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n");
    }

    #[test]
    fn texts_that_differ_too_much_are_one_difference() {
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
            // What only one side can have written is there as often as that side wrote it.
            for (letter, side) in [("d\n", &ours), ("e\n", &theirs)] {
                prop_assert_eq!(merged.text.matches(letter).count(), side.matches(letter).count());
            }
        }
    }
}
