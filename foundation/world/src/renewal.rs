//! How objects get from one content to the next.

use alloc::sync::Arc;
use alloc::vec::Vec;

use base::StringId;

use crate::mould::Moulds;

/// How objects get from one content to the next.
#[derive(Clone, Debug)]
pub(crate) struct Renewal {
    /// What was in force before.
    pub former: Arc<Moulds>,
    /// For each tag that changed, in the order of their ids.
    carries: Vec<(StringId, Carry)>,
}

/// How the objects of one tag get from its old mould to its new one.
#[derive(Clone, Debug)]
pub(crate) struct Carry {
    /// The number of the old mould.
    pub old: u32,
    /// The number of the new one.
    pub new: u32,
    /// Which function of the new program each of the old one is.
    pub functions: Vec<Option<u32>>,
}

impl Renewal {
    /// From these moulds, by these ways.
    pub fn new(former: &Arc<Moulds>, mut carries: Vec<(StringId, Carry)>) -> Renewal {
        carries.sort_unstable_by_key(|(tag, _)| *tag);
        carries.dedup_by_key(|(tag, _)| *tag);
        Renewal { former: Arc::clone(former), carries }
    }

    /// How the objects of a tag are carried over; none if the tag is the same.
    pub fn carry(&self, tag: StringId) -> Option<&Carry> {
        let found = self.carries.binary_search_by_key(&tag, |(known, _)| *known).ok()?;
        Some(&self.carries[found].1)
    }
}
