//! The mapping of objects from the former prototypes to the new ones.

use alloc::sync::Arc;
use alloc::vec::Vec;

use base::StringId;
use script::program::Program;

use crate::prototype::Prototypes;

/// The mapping from the former prototypes to the new ones.
#[derive(Clone, Debug)]
pub(crate) struct Renewal {
    /// The former prototypes.
    pub former: Arc<Prototypes>,
    /// For each tag that changed, in the order of their ids.
    carries: Vec<(StringId, PrototypeMapping)>,
}

/// The mapping of one tag's objects.
#[derive(Clone, Debug)]
pub(crate) struct PrototypeMapping {
    /// The number of the old prototype.
    pub old: u32,
    /// The number of the new one.
    pub new: u32,
    /// For each function of the old program, the same function of the new one.
    pub functions: Vec<Option<u32>>,
    /// The new program with the old names of variables that have others now; none if none has.
    pub mapped: Option<Arc<Program>>,
}

impl Renewal {
    /// A mapping from these prototypes.
    pub fn new(former: &Arc<Prototypes>, mut carries: Vec<(StringId, PrototypeMapping)>) -> Renewal {
        carries.sort_unstable_by_key(|(tag, _)| *tag);
        carries.dedup_by_key(|(tag, _)| *tag);
        assert!(
            carries.iter().all(|(tag, carry)| former.get(carry.old).is_some_and(|prototype| prototype.tag == *tag)),
            "law 2 of renewal: a mapping starts from the former prototype of its tag"
        );
        Renewal { former: Arc::clone(former), carries }
    }

    /// The mapping of a tag's objects; none if the tag is unchanged.
    pub fn carry(&self, tag: StringId) -> Option<&PrototypeMapping> {
        let found = self.carries.binary_search_by_key(&tag, |(known, _)| *known).ok()?;
        Some(&self.carries[found].1)
    }
}
