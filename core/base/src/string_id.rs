//! String ids: strings as 64-bit hashes.
//!
//! The world stores no strings, only their ids. The strings are in a [`StringTable`] on the presentation side.
//!
//! Laws
//! 1. The id of a text is its [`hash`](crate::hash): the same in every program, without a table. The empty text is
//!    [`StringId::NONE`].
//! 2. Every byte counts: there is no case folding and no path normalisation.
//! 3. A hash collision is an error that names both texts when the second enters the table.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use core::fmt;

use crate::hash::{hash, hash_const};
use crate::plain::Plain;

#[cfg(test)]
mod tests;

/// The id of a text. Their order is that of the numbers, not of the texts.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Plain)]
#[plain(number = StringId)]
#[repr(transparent)]
pub struct StringId(u64);

impl StringId {
    /// The empty text.
    pub const NONE: StringId = StringId(0);

    /// The id of a text at compile time. At run time `StringId::from` is faster.
    #[inline]
    pub const fn new(text: &str) -> StringId {
        if text.is_empty() { StringId::NONE } else { StringId(hash_const(text.as_bytes())) }
    }

    /// The id with this number, from [`number`](StringId::number).
    #[inline]
    pub const fn from_number(number: u64) -> StringId {
        StringId(number)
    }

    /// The number of the id, for files and the network.
    #[inline]
    pub const fn number(self) -> u64 {
        self.0
    }

    /// Whether it is the id of the empty text.
    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for StringId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}", self.0)
    }
}

impl fmt::Debug for StringId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "StringId({:#018x})", self.0)
    }
}

impl From<&str> for StringId {
    #[inline]
    fn from(text: &str) -> StringId {
        if text.is_empty() { StringId::NONE } else { StringId(hash(text.as_bytes())) }
    }
}

/// The table from ids to texts.
///
/// Ordered by id, so that iteration is deterministic. Lookup and insertion are logarithmic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StringTable {
    texts: BTreeMap<StringId, Box<str>>,
}

/// Two texts with the same id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collision {
    /// The id.
    pub id: StringId,
    /// The text the table already held.
    pub present: Box<str>,
    /// The text that was to be added.
    pub added: Box<str>,
}

impl StringTable {
    /// A table with only the empty text.
    pub const fn new() -> StringTable {
        StringTable { texts: BTreeMap::new() }
    }

    /// Inserts a text, if new, and returns its id.
    pub fn add(&mut self, text: &str) -> Result<StringId, Collision> {
        self.add_as(StringId::from(text), text)
    }

    /// The text of an id; `None` if it was never added. [`StringId::NONE`] is always the empty text.
    pub fn text(&self, id: StringId) -> Option<&str> {
        if id.is_none() { Some("") } else { self.texts.get(&id).map(|text| &**text) }
    }

    /// The number of texts, without the empty one.
    pub fn count(&self) -> usize {
        self.texts.len()
    }

    /// All ids and texts but the empty one, in the order of the ids.
    pub fn iter(&self) -> impl Iterator<Item = (StringId, &str)> {
        self.texts.iter().map(|(&id, text)| (id, &**text))
    }

    /// Separate for tests, since no collision is known.
    fn add_as(&mut self, id: StringId, text: &str) -> Result<StringId, Collision> {
        match self.text(id) {
            Some(present) if present == text => Ok(id),
            Some(present) => Err(Collision { id, present: present.into(), added: text.into() }),
            None => {
                self.texts.insert(id, text.into());
                Ok(id)
            }
        }
    }
}

impl fmt::Display for Collision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?} and {:?} have the same id {}: change one of them", self.present, self.added, self.id)
    }
}

impl core::error::Error for Collision {}
