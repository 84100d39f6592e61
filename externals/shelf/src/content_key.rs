//! Content keys: BLAKE3 hashes of 32 bytes. Collisions are assumed not to happen.

use std::path::Path;

use host::files::{FileError, Reader};
use tags::class::PACKING;
use tags::pack::Prepared;
use tags::packed::FORMAT;

use crate::limits::HASHED_BYTES;

pub use tags::Key;

/// The length of a key in bytes.
pub const BYTES: usize = 32;

/// The hash of some bytes.
#[must_use]
pub fn of(bytes: &[u8]) -> Key {
    Key(*blake3::hash(bytes).as_bytes())
}

/// The hash of the bytes of a file, which is read in pieces.
pub fn of_file(path: &Path) -> Result<Key, FileError> {
    let reader = Reader::open(path)?;
    let mut hasher = KeyHasher::new();
    let mut buffer = vec![0; HASHED_BYTES];
    let (mut offset, length) = (0, reader.length());
    while offset < length {
        let part = usize::try_from(length - offset).unwrap_or(usize::MAX).min(buffer.len());
        reader.read_at(offset, &mut buffer[..part])?;
        hasher.add(&buffer[..part]);
        offset += part as u64;
    }
    Ok(hasher.finish())
}

/// The hash of bytes that come in pieces: the same as [`of`] all of them.
#[derive(Debug, Clone, Default)]
pub struct KeyHasher {
    inner: blake3::Hasher,
}

impl KeyHasher {
    /// No bytes yet.
    #[must_use]
    pub fn new() -> KeyHasher {
        KeyHasher::default()
    }

    /// Adds a piece.
    pub fn add(&mut self, piece: &[u8]) {
        self.inner.update(piece);
    }

    /// The number of bytes so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.inner.count()
    }

    /// The hash of all bytes so far.
    #[must_use]
    pub fn finish(&self) -> Key {
        Key(*self.inner.finalize().as_bytes())
    }
}

/// The hash of several parts in order, each prefixed with its length.
#[must_use]
pub fn of_parts(parts: &[&[u8]]) -> Key {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    Key(*hasher.finalize().as_bytes())
}

/// The cache key of a packed text: covers everything that decides its bytes.
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

/// The cache key of a packed text that was made from others: covers those too.
#[must_use]
pub fn of_composed(class: &Prepared, text: &Key, parents: &[(String, Key)]) -> Key {
    let packed = of_packed(class, text);
    if parents.is_empty() {
        return packed;
    }
    let mut parts: Vec<&[u8]> = vec![b"composed", &packed.0];
    for (path, key) in parents {
        parts.push(path.as_bytes());
        parts.push(&key.0);
    }
    of_parts(&parts)
}

/// The key of the mark that a packed tag has reports.
#[must_use]
pub fn of_mark(packed: &Key) -> Key {
    of_parts(&[b"reported", &packed.0])
}

/// The cache key of a postprocessed tag: covers its packed text and the tags that it may read, by path.
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

/// Derives a key of 32 bytes from a secret of any length, for one purpose.
#[must_use]
pub fn of_secret(purpose: &str, secret: &[u8]) -> [u8; 32] {
    blake3::derive_key(purpose, secret)
}

/// The MAC of these parts under a key (keyed BLAKE3). All parts but the last have fixed lengths.
#[must_use]
pub fn proof(key: &[u8; 32], parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_keyed(key);
    for part in parts {
        hasher.update(part);
    }
    *hasher.finalize().as_bytes()
}

/// Compares two MACs in constant time.
#[must_use]
pub fn is_same_proof(one: &[u8; 32], other: &[u8; 32]) -> bool {
    blake3::Hash::from(*one) == blake3::Hash::from(*other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_hash_of_its_bytes() {
        let folder = testing::folder::Folder::new();
        let path = folder.join("a");
        for length in [0, 1, HASHED_BYTES - 1, HASHED_BYTES, HASHED_BYTES + 1, 3 * HASHED_BYTES + 5] {
            let bytes: Vec<u8> = (0..length).map(|number| (number % 251) as u8).collect();
            std::fs::write(&path, &bytes).expect("the folder can be written");
            assert_eq!(of_file(&path).expect("it is there"), of(&bytes), "{length}");
        }
        assert!(of_file(folder.path()).is_err() && of_file(&folder.join("b")).is_err());
    }

    #[test]
    fn the_boundaries_between_parts_are_hashed() {
        assert_eq!(of_parts(&[b"ab", b"c"]), of_parts(&[b"ab", b"c"]));
        assert_ne!(of_parts(&[b"ab", b"c"]), of_parts(&[b"a", b"bc"]));
        assert_ne!(of_parts(&[b"ab"]), of(b"ab"));
        assert_eq!(of(b"").to_string(), "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262");
    }
}
