//! LZ4 block compression.
//!
//! The format is the LZ4 block format (Collet 2011), without a frame: the caller stores both lengths. The crate behind
//! it is built without unsafe code. This is the only door to it.
//!
//! Laws
//! 1. Decompressing gives the bytes that were compressed, on every machine.
//! 2. Any bytes decompress to exactly the expected length or to an error; nothing is written beyond, and nothing is
//!    allocated.
//! 3. On machines with the same pointer size, the same bytes compress to the same bytes. With another pointer size the
//!    compressed bytes may differ.

use alloc::vec::Vec;

/// A compressed byte expands to at most this many.
pub const EXPANSION_MAX: u64 = 255;

/// Compressed bytes that do not decompress to the expected length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecompressError {
    /// The expected length.
    pub expected: usize,
    /// The length that the compressed bytes give, if they are valid and not longer than expected.
    pub found: Option<usize>,
}

/// Appends the compressed bytes, and returns their number.
pub fn compress(bytes: &[u8], out: &mut Vec<u8>) -> usize {
    let start = out.len();
    out.resize(start + lz4_flex::block::get_maximum_output_size(bytes.len()), 0);
    let written = lz4_flex::block::compress_into(bytes, &mut out[start..]);
    let written = written.expect("the buffer has the maximum compressed size");
    out.truncate(start + written);
    written
}

/// Decompresses to exactly `into.len()` bytes. After an error, `into` holds anything.
pub fn decompress(compressed: &[u8], into: &mut [u8]) -> Result<(), DecompressError> {
    let expected = into.len();
    match lz4_flex::block::decompress_into(compressed, into) {
        Ok(found) if found == expected => Ok(()),
        Ok(found) => Err(DecompressError { expected, found: Some(found) }),
        Err(_) => Err(DecompressError { expected, found: None }),
    }
}

impl core::fmt::Display for DecompressError {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let expected = self.expected;
        match self.found {
            Some(found) => write!(formatter, "expected LZ4 data of {expected} bytes, found {found} bytes"),
            None => write!(formatter, "expected LZ4 data of {expected} bytes, found other data"),
        }
    }
}

impl core::error::Error for DecompressError {}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_wrong_length_is_an_error_that_names_both_lengths() {
        let mut compressed = Vec::new();
        compress(&[7; 1000], &mut compressed);
        let mut longer = [0; 1001];
        assert_eq!(decompress(&compressed, &mut longer), Err(DecompressError { expected: 1001, found: Some(1000) }));
        let mut shorter = [0; 999];
        assert_eq!(decompress(&compressed, &mut shorter), Err(DecompressError { expected: 999, found: None }));
    }

    #[test]
    fn the_longest_expansion_is_not_exceeded() {
        let bytes = vec![0; 4 << 20];
        let mut compressed = Vec::new();
        let written = compress(&bytes, &mut compressed) as u64;
        assert!(bytes.len() as u64 <= written * EXPANSION_MAX, "{written} bytes");
    }

    proptest! {
        #[test]
        fn what_was_compressed_comes_back(
            bytes in prop::collection::vec(prop_oneof![3 => Just(1), 1 => any::<u8>()], 0..5000),
            before in prop::collection::vec(any::<u8>(), 0..9),
        ) {
            let mut out = before.clone();
            let written = compress(&bytes, &mut out);
            prop_assert_eq!(out.len(), before.len() + written);
            prop_assert_eq!(&out[..before.len()], &before[..]);
            let mut back = vec![0xa5; bytes.len()];
            prop_assert_eq!(decompress(&out[before.len()..], &mut back), Ok(()));
            prop_assert_eq!(back, bytes);
        }

        #[test]
        fn any_bytes_decompress_or_are_an_error(
            bytes in prop::collection::vec(any::<u8>(), 0..300),
            length in 0_usize..2000,
        ) {
            let mut into = vec![0; length];
            if decompress(&bytes, &mut into).is_ok() {
                prop_assert!(length as u64 <= bytes.len() as u64 * EXPANSION_MAX);
            }
        }
    }
}
