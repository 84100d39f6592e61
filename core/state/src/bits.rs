//! Bit sets over slots, in 64-bit words.

use core::ops::Range;

/// Whether a bit is set.
#[inline]
pub(crate) fn is_set(words: &[u64], bit: u32) -> bool {
    words[bit as usize / 64] >> (bit % 64) & 1 == 1
}

/// Sets or clears a bit.
#[inline]
pub(crate) fn set(words: &mut [u64], bit: u32, value: bool) {
    let word = &mut words[bit as usize / 64];
    let mask = 1 << (bit % 64);
    *word = if value { *word | mask } else { *word & !mask };
}

/// Sets or clears all bits of a range.
pub(crate) fn set_range(words: &mut [u64], bits: Range<u32>, value: bool) {
    for_each_word(bits, |index, mask| {
        words[index] = if value { words[index] | mask } else { words[index] & !mask };
        true
    });
}

/// Whether all bits of a range are set.
pub(crate) fn all_set(words: &[u64], bits: Range<u32>) -> bool {
    for_each_word(bits, |index, mask| words[index] & mask == mask)
}

/// The first clear bit at or above `from` and below `end`.
pub(crate) fn first_clear(words: &[u64], from: u32, end: u32) -> Option<u32> {
    first(from..end, |index| !words[index])
}

/// The first set bit at or above `from` and below `end`.
pub(crate) fn first_set(words: &[u64], from: u32, end: u32) -> Option<u32> {
    first(from..end, |index| words[index])
}

/// The first set bit of a range, where `word` gives the value of each word.
fn first(bits: Range<u32>, word: impl Fn(usize) -> u64) -> Option<u32> {
    let mut found = None;
    for_each_word(bits, |index, mask| {
        let set = word(index) & mask;
        if set != 0 {
            found = Some(index as u32 * 64 + set.trailing_zeros());
        }
        set == 0
    });
    found
}

/// The last set bit below `end`.
pub(crate) fn last_set(words: &[u64], end: u32) -> Option<u32> {
    let mut index = (end as usize).div_ceil(64);
    while index > 0 {
        index -= 1;
        let beyond = (index as u32 * 64 + 64).saturating_sub(end);
        let word = words[index] << beyond >> beyond;
        if word != 0 {
            return Some(index as u32 * 64 + 63 - word.leading_zeros());
        }
    }
    None
}

/// The positions of all bits set in `word`, lowest first, counted from `start`.
#[inline]
pub(crate) fn positions(mut word: u64, start: u32) -> impl Iterator<Item = u32> {
    core::iter::from_fn(move || {
        if word == 0 {
            return None;
        }
        let bit = word.trailing_zeros();
        word &= word - 1;
        Some(start + bit)
    })
}

/// Calls `visit` with each word that a range touches and the mask of the range in it, until it returns false.
fn for_each_word(bits: Range<u32>, mut visit: impl FnMut(usize, u64) -> bool) -> bool {
    let mut bit = bits.start;
    while bit < bits.end {
        let in_word = (64 - bit % 64).min(bits.end - bit);
        if !visit(bit as usize / 64, (u64::MAX >> (64 - in_word)) << (bit % 64)) {
            return false;
        }
        bit += in_word;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn all_set_reads_exactly_the_bits_of_the_range() {
        let words = [u64::MAX << 3, u64::MAX, u64::MAX >> 3];
        assert!(all_set(&words, 3..189));
        assert!(all_set(&words, 64..128));
        assert!(all_set(&words, 70..70));
        assert!(!all_set(&words, 2..10));
        assert!(!all_set(&words, 100..190));
    }

    #[test]
    fn setting_a_range_changes_no_other_bit() {
        let mut words = [0; 3];
        set_range(&mut words, 5..130, true);
        assert_eq!(words, [u64::MAX << 5, u64::MAX, 0b11]);
        set_range(&mut words, 64..128, false);
        assert_eq!(words, [u64::MAX << 5, 0, 0b11]);
        assert_eq!(first_clear(&words, 5, 192), Some(64));
        assert_eq!(first_clear(&words, 5, 64), None);
        assert_eq!(first_set(&words, 0, 192), Some(5));
        assert_eq!(first_set(&words, 64, 192), Some(128));
        assert_eq!(first_set(&words, 64, 128), None);
        assert_eq!(last_set(&words, 192), Some(129));
        assert_eq!(last_set(&words, 129), Some(128));
        assert_eq!(last_set(&words, 128), Some(63));
        assert_eq!(last_set(&words, 5), None);
    }

    #[test]
    fn positions_ascend() {
        assert_eq!(positions(0b1001_0001, 64).collect::<Vec<_>>(), [64, 68, 71]);
        assert_eq!(positions(1 << 63, 0).collect::<Vec<_>>(), [63]);
    }
}
