//! Results of expensive work on a part of a file, kept from one import to the next.
//!
//! A level has a thousand meshes, and one of them changed: the levels of detail of the others are found here. The caller
//! of an import decides where results are kept; [`NoCache`] keeps none.
//!
//! Laws
//! 1. A key covers the name and the version of the work and every byte of its input, so a kept result is what the work
//!    would give again.
//! 2. Any bytes decode to a result or fail. What does not decode is made again, and the cache is told.

use base::bytes::{ByteReader, ByteWriter, ReadError};
use tags::Key;

/// The most bytes of one list or text of a kept result.
const LIST_BYTES_MAX: usize = 1 << 30;

/// Where results are kept.
pub trait ResultCache {
    /// The hash of some bytes.
    fn key(&self, input: &[u8]) -> Key;

    /// The result that is kept for a key.
    fn find(&self, key: &Key) -> Option<Vec<u8>>;

    /// Takes a result that was made. `is_replaced` if the kept one could not be decoded.
    fn keep(&self, key: Key, result: Vec<u8>, is_replaced: bool);
}

/// Keeps nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoCache;

impl ResultCache for NoCache {
    fn key(&self, _: &[u8]) -> Key {
        Key([0; 32])
    }

    fn find(&self, _: &Key) -> Option<Vec<u8>> {
        None
    }

    fn keep(&self, _: Key, _: Vec<u8>, _: bool) {}
}

/// A kind of work: its name, and a version that changes with its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkKind {
    /// Its name.
    pub name: &'static str,
    /// The version of its importer.
    pub version: u32,
}

/// A result that can be kept.
pub trait KeptResult: Sized {
    /// Appends its bytes.
    fn write(&self, bytes: &mut Vec<u8>);

    /// Reads it.
    fn read(reader: &mut ByteReader<'_>) -> Result<Self, ReadError>;
}

/// The kept result of some work on an input, or else the one that is made now. Errors are not kept.
pub fn kept_or_made<T: KeptResult, E>(
    cache: &dyn ResultCache,
    kind: WorkKind,
    input: impl FnOnce(&mut Vec<u8>),
    make: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let mut bytes = Vec::new();
    bytes.write_text(env!("CARGO_PKG_VERSION"), LIST_BYTES_MAX);
    bytes.write_text(kind.name, LIST_BYTES_MAX);
    bytes.write_u32(kind.version);
    input(&mut bytes);
    let key = cache.key(&bytes);
    drop(bytes);
    let kept = cache.find(&key);
    let is_found = kept.is_some();
    if let Some(result) = kept.and_then(|kept| decoded(&kept)) {
        return Ok(result);
    }
    let result = make()?;
    let mut bytes = Vec::new();
    result.write(&mut bytes);
    cache.keep(key, bytes, is_found);
    Ok(result)
}

fn decoded<T: KeptResult>(bytes: &[u8]) -> Option<T> {
    let mut reader = ByteReader::new(bytes);
    let result = T::read(&mut reader).ok()?;
    reader.finish().ok()?;
    Some(result)
}

/// Writes a list: its length, then its elements.
pub fn write_list<T>(bytes: &mut Vec<u8>, list: &[T], mut write: impl FnMut(&mut Vec<u8>, &T)) {
    bytes.write_varint(list.len() as u64);
    list.iter().for_each(|element| write(bytes, element));
}

/// Reads a list whose elements take at least some bytes each.
pub fn read_list<T>(
    reader: &mut ByteReader<'_>,
    element_bytes_min: usize,
    mut read: impl FnMut(&mut ByteReader<'_>) -> Result<T, ReadError>,
) -> Result<Vec<T>, ReadError> {
    let count = reader.read_count(LIST_BYTES_MAX, element_bytes_min)?;
    (0..count).map(|_| read(reader)).collect()
}

/// Writes a text.
pub fn write_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.write_text(text, LIST_BYTES_MAX);
}

/// Reads a text.
pub fn read_text(reader: &mut ByteReader<'_>) -> Result<String, ReadError> {
    reader.read_text(LIST_BYTES_MAX).map(str::to_string)
}

/// Writes bytes.
pub fn write_bytes(bytes: &mut Vec<u8>, list: &[u8]) {
    bytes.write_bytes(list, LIST_BYTES_MAX);
}

/// Reads bytes.
pub fn read_bytes(reader: &mut ByteReader<'_>) -> Result<Vec<u8>, ReadError> {
    reader.read_bytes(LIST_BYTES_MAX).map(<[u8]>::to_vec)
}

/// Writes three numbers.
pub fn write_vector(bytes: &mut Vec<u8>, vector: base::Vec3) {
    vector.to_array().iter().for_each(|part| bytes.write_f32(*part));
}

/// Reads three numbers.
pub fn read_vector(reader: &mut ByteReader<'_>) -> Result<base::Vec3, ReadError> {
    Ok(base::Vec3::new(reader.read_f32()?, reader.read_f32()?, reader.read_f32()?))
}

/// A cache for tests, in memory, which counts.
#[cfg(test)]
pub mod testing {
    use std::cell::{Cell, RefCell};
    use std::collections::BTreeMap;
    use std::hash::{DefaultHasher, Hash, Hasher};

    use super::{Key, ResultCache};

    /// Results by their keys, and how often they were made, replaced and found.
    #[derive(Default)]
    pub struct CountingCache {
        /// The results.
        pub results: RefCell<BTreeMap<[u8; 32], Vec<u8>>>,
        made: Cell<usize>,
        replaced: Cell<usize>,
        found: Cell<usize>,
    }

    impl CountingCache {
        /// The numbers of results made, found and replaced since the last call.
        pub fn take_counts(&self) -> (usize, usize, usize) {
            (self.made.take(), self.found.take(), self.replaced.take())
        }
    }

    impl ResultCache for CountingCache {
        fn key(&self, input: &[u8]) -> Key {
            let mut key = [0; 32];
            for (seed, part) in key.chunks_mut(8).enumerate() {
                let mut hasher = DefaultHasher::new();
                (seed, input).hash(&mut hasher);
                part.copy_from_slice(&hasher.finish().to_le_bytes());
            }
            Key(key)
        }

        fn find(&self, key: &Key) -> Option<Vec<u8>> {
            let found = self.results.borrow().get(&key.0).cloned();
            self.found.set(self.found.get() + usize::from(found.is_some()));
            found
        }

        fn keep(&self, key: Key, result: Vec<u8>, is_replaced: bool) {
            self.made.set(self.made.get() + 1);
            self.replaced.set(self.replaced.get() + usize::from(is_replaced));
            self.results.borrow_mut().insert(key.0, result);
        }
    }
}
