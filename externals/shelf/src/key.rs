//! Names of contents: BLAKE3, 32 bytes. Two contents of one name are not to be feared.

use std::fmt;

/// The name of a content.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub [u8; 32]);

impl Key {
    /// How many bytes it has.
    pub const BYTES: usize = 32;

    /// That of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Key {
        Key(*blake3::hash(bytes).as_bytes())
    }

    /// That of several contents in order. Where one ends and the next begins counts.
    #[must_use]
    pub fn of_parts(parts: &[&[u8]]) -> Key {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part);
        }
        Key(*hasher.finalize().as_bytes())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Enough to tell them apart.
        self.0.iter().take(6).try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_borders_between_parts_count() {
        assert_eq!(Key::of_parts(&[b"ab", b"c"]), Key::of_parts(&[b"ab", b"c"]));
        assert_ne!(Key::of_parts(&[b"ab", b"c"]), Key::of_parts(&[b"a", b"bc"]));
        assert_ne!(Key::of_parts(&[b"ab"]), Key::of(b"ab"));
        assert_eq!(Key::of(b"").to_string(), "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
    }
}
