//! Names of contents: BLAKE3, 32 bytes. Two contents of one name are not to be feared.

use tags::class::PACKING;
use tags::pack::Prepared;
use tags::packed::FORMAT;

pub use tags::Key;

/// How many bytes a key has.
pub const BYTES: usize = 32;

/// The key of some bytes.
#[must_use]
pub fn of(bytes: &[u8]) -> Key {
    Key(*blake3::hash(bytes).as_bytes())
}

/// The key of several contents in order. Where one ends and the next begins counts.
#[must_use]
pub fn of_parts(parts: &[&[u8]]) -> Key {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    Key(*hasher.finalize().as_bytes())
}

/// The key of what a text is packed to: everything that decides it.
#[must_use]
pub fn of_packed(class: &Prepared, text: &Key) -> Key {
    of_parts(&[
        b"packed",
        &PACKING.to_le_bytes(),
        &FORMAT.to_le_bytes(),
        class.class().name.as_bytes(),
        &class.fingerprint().to_le_bytes(),
        &text.0,
    ])
}

/// The key of the mark that something is to be reported about what lies under a key.
#[must_use]
pub fn of_mark(packed: &Key) -> Key {
    of_parts(&[b"reported", &packed.0])
}

/// The key of what a postprocess makes of a packed tag and of the tags that it may read, by path.
#[must_use]
pub fn of_postprocessed(class: &Prepared, packed: &Key, reads: &[(String, Key)]) -> Key {
    let number = class.class().postprocess.to_le_bytes();
    let mut parts: Vec<&[u8]> = vec![b"postprocessed", &number, &packed.0];
    for (path, key) in reads {
        parts.push(path.as_bytes());
        parts.push(&key.0);
    }
    of_parts(&parts)
}

/// A secret of any length as a key of 32 bytes, for one purpose.
#[must_use]
pub fn of_secret(purpose: &str, secret: &[u8]) -> [u8; 32] {
    blake3::derive_key(purpose, secret)
}

/// What only somebody who has the key can make of these parts, all of fixed lengths but the last.
#[must_use]
pub fn proof(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_keyed(key);
    for part in parts {
        hasher.update(part);
    }
    *hasher.finalize().as_bytes()
}

/// Whether two proofs are the same, in a time that does not tell where they differ.
#[must_use]
pub fn is_same_proof(one: &[u8; 32], other: &[u8; 32]) -> bool {
    blake3::Hash::from(*one) == blake3::Hash::from(*other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_borders_between_parts_count() {
        assert_eq!(of_parts(&[b"ab", b"c"]), of_parts(&[b"ab", b"c"]));
        assert_ne!(of_parts(&[b"ab", b"c"]), of_parts(&[b"a", b"bc"]));
        assert_ne!(of_parts(&[b"ab"]), of(b"ab"));
        assert_eq!(of(b"").to_string(), "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
    }
}
