//! A shortest edit script between two sequences, by the greedy algorithm of Myers (1986).
//!
//! Law: the time is proportional to the length times the number of differences, the memory to the square of that
//! number. Sequences that differ in more elements than the caller allows are not aligned; only their common prefix and
//! suffix are kept.

use std::collections::BTreeMap;
use std::ops::Range;

/// A run of elements of one sequence that became a run of the other. One of the two may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub before: Range<usize>,
    pub after: Range<usize>,
}

/// The hunks in which two sequences differ, in order. If they differ in more than `differences_max` elements, the error
/// is the one hunk between their common prefix and suffix.
pub(crate) fn align<T: Ord>(before: &[T], after: &[T], differences_max: usize) -> Result<Vec<Hunk>, Hunk> {
    // Elements are compared once each: equal ones get the same number.
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
    let matched = if left.is_empty() || right.is_empty() {
        Some(Vec::new())
    } else {
        longest_common_subsequence(left, right, differences_max)
    };
    let Some(matched) = matched else {
        return Err(Hunk { before: front..front + left.len(), after: front..front + right.len() });
    };
    let mut hunks = Vec::new();
    let (mut x, mut y) = (0, 0);
    for (left_at, right_at) in matched.into_iter().chain([(left.len(), right.len())]) {
        if left_at > x || right_at > y {
            hunks.push(Hunk { before: front + x..front + left_at, after: front + y..front + right_at });
        }
        (x, y) = (left_at + 1, right_at + 1);
    }
    Ok(hunks)
}

/// The pairs of equal elements on a shortest edit path; none if it has more than `differences_max` insertions and
/// deletions.
fn longest_common_subsequence(left: &[u32], right: &[u32], differences_max: usize) -> Option<Vec<(usize, usize)>> {
    let most = (left.len() + right.len()).min(differences_max);
    // The furthest x reached on each diagonal (x - y), stored with an offset. A copy per number of differences serves
    // the backtracking.
    let mut furthest: Vec<usize> = vec![0; 2 * most + 3];
    let middle = most + 1;
    let mut trace: Vec<Vec<usize>> = Vec::new();
    for differences in 0..=most {
        trace.push(furthest[middle - differences..=middle + differences].to_vec());
        let mut diagonal = middle - differences;
        while diagonal <= middle + differences {
            let is_down = diagonal == middle - differences
                || diagonal != middle + differences && furthest[diagonal - 1] < furthest[diagonal + 1];
            let mut x = if is_down { furthest[diagonal + 1] } else { furthest[diagonal - 1] + 1 };
            let Some(mut y) = (x + middle).checked_sub(diagonal) else {
                diagonal += 2;
                continue;
            };
            while x < left.len() && y < right.len() && left[x] == right[y] {
                (x, y) = (x + 1, y + 1);
            }
            furthest[diagonal] = x;
            if x >= left.len() && y >= right.len() {
                return Some(backtrack(left.len(), right.len(), &trace));
            }
            diagonal += 2;
        }
    }
    None
}

fn backtrack(mut x: usize, mut y: usize, trace: &[Vec<usize>]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (differences, furthest) in trace.iter().enumerate().rev() {
        // `furthest` holds the diagonals from -differences to +differences, as they were one difference earlier.
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
    assert!(pairs.is_sorted_by(|one, other| one.0 < other.0 && one.1 < other.1), "both sides rise");
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAX: usize = 1000;

    fn check(before: &str, after: &str, expected: &[(Range<usize>, Range<usize>)]) {
        let (left, right): (Vec<char>, Vec<char>) = (before.chars().collect(), after.chars().collect());
        let found = align(&left, &right, MAX).expect("they are short");
        let found: Vec<_> = found.into_iter().map(|hunk| (hunk.before, hunk.after)).collect();
        assert_eq!(found, expected, "{before} {after}");
    }

    #[test]
    fn hunks_cover_the_differences() {
        check("", "", &[]);
        check("abc", "abc", &[]);
        check("", "ab", &[(0..0, 0..2)]);
        check("ab", "", &[(0..2, 0..0)]);
        check("abc", "axc", &[(1..2, 1..2)]);
        check("abcd", "abxcd", &[(2..2, 2..3)]);
        check("abcdef", "acdxf", &[(1..2, 1..1), (4..5, 3..4)]);
    }

    #[test]
    fn applying_the_hunks_to_one_sequence_gives_the_other() {
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
            let hunks = align(&left, &right, MAX).expect("they are short");
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
    fn long_sequences_are_aligned_if_they_differ_in_few_elements() {
        let left: Vec<usize> = (0..100_000).collect();
        let mut right = left.clone();
        right.remove(70_000);
        right.insert(20, 5);
        right[50_000] = 7;
        assert_eq!(align(&left, &right, MAX).expect("few differences").len(), 3);
        let other: Vec<usize> = (1..100_001).rev().collect();
        assert_eq!(align(&left, &other, MAX), Err(Hunk { before: 0..100_000, after: 0..100_000 }));
    }
}
