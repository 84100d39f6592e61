//! Alignment: which elements of two rows are the same ones, by the shortest way from the one to the other (Myers).
//!
//! Law: the time is proportional to the length times the number of differences, and the memory to the square of that number.
//! Rows with more than [`DIFFERENCES_MAX`] are not aligned.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

/// Rows that differ in more elements are told apart as a whole.
pub(crate) const DIFFERENCES_MAX: usize = 1000;

/// A stretch of the one row that became a stretch of the other. One of the two may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub before: Range<usize>,
    pub after: Range<usize>,
}

/// Where two rows differ, in order. Nothing if they differ too much.
pub(crate) fn align<T: Ord>(before: &[T], after: &[T]) -> Option<Vec<Hunk>> {
    let mut numbers: BTreeMap<&T, u32> = BTreeMap::new();
    let mut number = |of| {
        let next = numbers.len() as u32;
        *numbers.entry(of).or_insert(next)
    };
    let left: Vec<u32> = before.iter().map(&mut number).collect();
    let right: Vec<u32> = after.iter().map(&mut number).collect();
    let front = left.iter().zip(&right).take_while(|(left, right)| left == right).count();
    let (left_rest, right_rest) = (&left[front..], &right[front..]);
    let back = left_rest.iter().rev().zip(right_rest.iter().rev()).take_while(|(left, right)| left == right).count();
    let (left, right) = (&left_rest[..left_rest.len() - back], &right_rest[..right_rest.len() - back]);
    let same = if left.is_empty() || right.is_empty() { Vec::new() } else { shortest(left, right)? };
    let mut hunks = Vec::new();
    let (mut x, mut y) = (0, 0);
    for (left_at, right_at) in same.into_iter().chain([(left.len(), right.len())]) {
        if left_at > x || right_at > y {
            hunks.push(Hunk { before: front + x..front + left_at, after: front + y..front + right_at });
        }
        (x, y) = (left_at + 1, right_at + 1);
    }
    Some(hunks)
}

/// The pairs of equal elements on the shortest way.
fn shortest(left: &[u32], right: &[u32]) -> Option<Vec<(usize, usize)>> {
    let most = (left.len() + right.len()).min(DIFFERENCES_MAX);
    // For each diagonal, how far along the left row the furthest way reaches. Kept for every number of differences.
    let mut furthest: Vec<usize> = alloc::vec![0; 2 * most + 3];
    let middle = most + 1;
    let mut kept: Vec<Vec<usize>> = Vec::new();
    for differences in 0..=most {
        kept.push(furthest[middle - differences..=middle + differences].to_vec());
        let mut diagonal = middle - differences;
        while diagonal <= middle + differences {
            let is_down = diagonal == middle - differences
                || diagonal != middle + differences && furthest[diagonal - 1] < furthest[diagonal + 1];
            let mut x = if is_down { furthest[diagonal + 1] } else { furthest[diagonal - 1] + 1 };
            // The place in the right row: the diagonal is the left place minus the right one.
            let Some(mut y) = (x + middle).checked_sub(diagonal) else {
                diagonal += 2;
                continue;
            };
            while x < left.len() && y < right.len() && left[x] == right[y] {
                (x, y) = (x + 1, y + 1);
            }
            furthest[diagonal] = x;
            if x >= left.len() && y >= right.len() {
                return Some(walk_back(left.len(), right.len(), &kept));
            }
            diagonal += 2;
        }
    }
    None
}

fn walk_back(mut x: usize, mut y: usize, kept: &[Vec<usize>]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (differences, furthest) in kept.iter().enumerate().rev() {
        // `furthest` holds the diagonals from -differences to +differences, as they were one difference before.
        let diagonal = x as isize - y as isize;
        let reach = differences as isize;
        let at = |diagonal: isize| {
            let index = diagonal + reach;
            usize::try_from(index).ok().and_then(|index| furthest.get(index)).copied().unwrap_or(0)
        };
        let (before_x, before_y) = if differences == 0 {
            (0, 0)
        } else {
            let is_down = diagonal == -reach || diagonal != reach && at(diagonal - 1) < at(diagonal + 1);
            let previous = if is_down { diagonal + 1 } else { diagonal - 1 };
            let x = at(previous);
            (x, usize::try_from(x as isize - previous).unwrap_or(0))
        };
        while x > before_x && y > before_y {
            (x, y) = (x - 1, y - 1);
            pairs.push((x, y));
        }
        (x, y) = (before_x, before_y);
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str, expected: &[(Range<usize>, Range<usize>)]) {
        let (left, right): (Vec<char>, Vec<char>) = (before.chars().collect(), after.chars().collect());
        let found = align(&left, &right).expect("they are short");
        let found: Vec<_> = found.into_iter().map(|hunk| (hunk.before, hunk.after)).collect();
        assert_eq!(found, expected, "{before} {after}");
    }

    #[test]
    fn hunks_are_what_differs() {
        check("", "", &[]);
        check("abc", "abc", &[]);
        check("", "ab", &[(0..0, 0..2)]);
        check("ab", "", &[(0..2, 0..0)]);
        check("abc", "axc", &[(1..2, 1..2)]);
        check("abcd", "abxcd", &[(2..2, 2..3)]);
        check("abcdef", "acdxf", &[(1..2, 1..1), (4..5, 3..4)]);
    }

    #[test]
    fn every_row_can_be_made_of_the_other_with_its_hunks() {
        let mut state = 1_u64;
        for _ in 0..2000 {
            let mut row = || -> Vec<u64> {
                let mut roll = |sides: u64| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state >> 33) % sides
                };
                (0..roll(12)).map(|_| roll(4)).collect()
            };
            let (left, right) = (row(), row());
            let hunks = align(&left, &right).expect("they are short");
            let (mut made, mut at) = (Vec::new(), 0);
            for hunk in &hunks {
                made.extend_from_slice(&left[at..hunk.before.start]);
                made.extend_from_slice(&right[hunk.after.clone()]);
                at = hunk.before.end;
            }
            made.extend_from_slice(&left[at..]);
            assert_eq!(made, right, "{left:?}");
        }
    }

    #[test]
    fn long_rows_with_few_differences_are_aligned_and_others_are_not() {
        let left: Vec<usize> = (0..100_000).collect();
        let mut right = left.clone();
        right.remove(70_000);
        right.insert(20, 5);
        right[50_000] = 7;
        assert_eq!(align(&left, &right).expect("few differences").len(), 3);
        let other: Vec<usize> = (1..100_001).rev().collect();
        assert!(align(&left, &other).is_none());
    }
}
