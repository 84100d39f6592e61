//! Texts as numbers.
//!
//! The world knows no texts, only their ids. The words behind them are in a [`StringTable`], on the side of those who
//! look.
//!
//! Laws
//! 1. The id of a text is its [`hash`](crate::hash): the same in every program, without a table. The empty text is
//!    [`StringId::NONE`].
//! 2. Every byte counts: ids know nothing of letter case or of paths.
//! 3. Two texts with one id are an error that names both, when the second enters the table; never a mix-up later.

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

    /// The id of a text, for the compiler to find. When the program runs, `StringId::from` is faster.
    #[inline]
    pub const fn new(text: &str) -> StringId {
        if text.is_empty() { StringId::NONE } else { StringId(hash_const(text.as_bytes())) }
    }

    /// The id with a number, from [`number`](StringId::number).
    #[inline]
    pub const fn from_number(number: u64) -> StringId {
        StringId(number)
    }

    /// The number of the id, for files and the network.
    #[inline]
    pub const fn number(self) -> u64 {
        self.0
    }

    /// Whether it is that of the empty text.
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

/// Which text an id stands for: the authority where people read or write.
///
/// Ordered by id, so that going through it is the same everywhere. Finding and adding cost the logarithm of its size.
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
    /// Holds only the empty text, as every table does.
    pub const fn new() -> StringTable {
        StringTable { texts: BTreeMap::new() }
    }

    /// Adds a text, if it is not there yet, and gives its id.
    pub fn add(&mut self, text: &str) -> Result<StringId, Collision> {
        self.add_as(StringId::from(text), text)
    }

    /// The text of an id; none if it was never added. [`StringId::NONE`] is always the empty text.
    pub fn text(&self, id: StringId) -> Option<&str> {
        if id.is_none() { Some("") } else { self.texts.get(&id).map(|text| &**text) }
    }

    /// How many texts there are, without the empty one.
    pub fn count(&self) -> usize {
        self.texts.len()
    }

    /// All ids and texts but the empty one, in the order of the ids.
    pub fn iter(&self) -> impl Iterator<Item = (StringId, &str)> {
        self.texts.iter().map(|(&id, text)| (id, &**text))
    }

    /// Separate, because nobody has two texts with one id to test with.
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
