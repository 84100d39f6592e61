//! The library: the tags in force, found by id.
//!
//! Laws
//! 1. A tag is identified by the id of its path, which is what worlds and other tags hold. So nothing in a world
//!    depends on the order of loading, and nothing becomes stale when a tag changes.
//! 2. A library changes only between cycles, by [`Library::apply`]. Results of earlier lookups must be looked up again.
//! 3. Its [`identity`](Library::identity) is a hash over all paths and keys: two libraries with the same identity hold
//!    the same tags. A world stores it, so that a loaded or rewound world finds the content that it had
//!    ([`Library::return_to`]).
//! 4. Its classes are fixed. A tag packed for another version of its class has no class here.
//! 5. A tag whose file is gone keeps its last good version, and is reported.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use base::StringId;
use base::hash::mix;
use base::plain::Plain;
use script::binary::decode;
use script::program::Program;

use crate::class::Class;
use crate::classes::Classes;
use crate::field::{Bulk, Reference, Tag};
use crate::packed::{Packed, View};
use crate::path::TagPath;

/// The number of earlier contents that are kept.
const STATES_MAX: usize = 64;

/// The cache key of a packed tag: the BLAKE3 hash of its text, its class and its dependencies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub [u8; 32]);

/// A tag by the id of its path, with its type. Plain: this is what a world holds of a tag.
#[derive(Plain)]
#[plain(number = StringId)]
#[repr(transparent)]
pub struct TagId<T> {
    id: u64,
    of: PhantomData<fn() -> T>,
}

/// A tag that is ready for use.
#[derive(Clone, Debug)]
pub struct Ready {
    /// Its path.
    pub path: TagPath,
    /// The key of its version.
    pub key: Key,
    /// Its packed form, checked and postprocessed.
    pub packed: Arc<Packed>,
}

/// A change of content, as it enters a world: from this cycle on, this tag has that version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The id of the tag's path.
    pub path: StringId,
    /// The first half of the key of its new version.
    pub key: u128,
}

/// The tags in force.
#[derive(Debug, Default)]
pub struct Library {
    /// Shared with the earlier contents.
    slots: Vec<Arc<Slot>>,
    /// Hash table from ids to slot numbers plus one; 0 is free.
    table: Vec<u32>,
    identity: u64,
    bulk: BTreeMap<[u8; 32], Arc<[u8]>>,
    classes: Option<Arc<Classes>>,
    states: VecDeque<State>,
}

#[derive(Debug)]
struct Slot {
    ready: Ready,
    id: StringId,
    program: Option<Arc<Program>>,
}

/// An earlier content.
#[derive(Debug)]
struct State {
    identity: u64,
    slots: Vec<Arc<Slot>>,
}

/// The result of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// The ids of the changed tags.
    pub tags: Vec<StringId>,
    /// The classes of those tags.
    pub classes: Vec<StringId>,
}

impl Library {
    /// No tags.
    pub const fn new() -> Library {
        Library {
            slots: Vec::new(),
            table: Vec::new(),
            identity: 0,
            bulk: BTreeMap::new(),
            classes: None,
            states: VecDeque::new(),
        }
    }

    /// Without tags, but with their classes.
    pub fn with_classes(classes: Arc<Classes>) -> Library {
        Library { classes: Some(classes), ..Library::new() }
    }

    /// Sets the classes of its tags, which do not change with the tags.
    pub fn set_classes(&mut self, classes: Arc<Classes>) {
        self.classes = Some(classes);
    }

    /// The classes of its tags; none unless they were set.
    pub fn classes(&self) -> &Classes {
        static NONE: Classes = Classes::new();
        self.classes.as_deref().unwrap_or(&NONE)
    }

    /// Puts tags in force, new ones and new versions. Allocates: never while stepping.
    pub fn apply(&mut self, tags: impl IntoIterator<Item = Ready>) -> Changed {
        self.keep_current();
        let mut changed = Changed::default();
        for ready in tags {
            let id = ready.path.id();
            let program = decode(ready.packed.program(), self.classes().vocabulary().queries).ok().map(Arc::new);
            let class = ready.packed.class();
            match self.slot(id) {
                Some(slot) if self.slots[slot].ready.key == ready.key => continue,
                Some(slot) => self.slots[slot] = Arc::new(Slot { ready, id, program }),
                None => {
                    self.slots.push(Arc::new(Slot { ready, id, program }));
                    self.enter(self.slots.len() - 1);
                }
            }
            debug_assert!(
                self.path(id).is_some_and(|path| path.id() == id),
                "law 1 of the library: a tag is found by the id of its path"
            );
            changed.tags.push(id);
            changed.classes.push(class);
        }
        self.identity = self.work_out_identity();
        changed
    }

    /// Adds resident bulk data, which tags name by its digest.
    pub fn add_bulk(&mut self, digest: [u8; 32], bytes: Arc<[u8]>) {
        self.bulk.insert(digest, bytes);
    }

    /// A copy of the tags in force, without the earlier contents: for threads that only read. Tags, programs and bulk data
    /// are shared with it, so it costs a few words for each tag.
    #[must_use]
    pub fn present(&self) -> Library {
        Library {
            slots: self.slots.clone(),
            table: self.table.clone(),
            identity: self.identity,
            bulk: self.bulk.clone(),
            classes: self.classes.clone(),
            states: VecDeque::new(),
        }
    }

    /// Puts an earlier content in force again. False if it is no longer kept.
    pub fn return_to(&mut self, identity: u64) -> bool {
        if self.identity == identity {
            return true;
        }
        // Removed before the current content is saved, which may evict the oldest.
        let state = self.states.iter().find(|state| state.identity == identity);
        let Some(slots) = state.map(|state| state.slots.clone()) else { return false };
        self.keep_current();
        (self.slots, self.identity) = (slots, identity);
        self.rebuild_table();
        assert_eq!(
            self.work_out_identity(),
            identity,
            "law 3 of the library: an earlier content has the identity it was kept under"
        );
        true
    }

    /// Takes over the tags of another library; the current content can be returned to.
    pub fn replace_by(&mut self, other: Library) {
        self.keep_current();
        (self.slots, self.identity) = (other.slots, other.identity);
        self.bulk.extend(other.bulk);
        self.rebuild_table();
        debug_assert_eq!(
            self.work_out_identity(),
            self.identity,
            "law 3 of the library: the identity is the hash of all paths and keys"
        );
    }

    fn keep_current(&mut self) {
        if self.states.iter().any(|state| state.identity == self.identity) {
            return;
        }
        if self.states.len() == STATES_MAX {
            self.states.pop_front();
        }
        self.states.push_back(State { identity: self.identity, slots: self.slots.clone() });
    }

    fn work_out_identity(&self) -> u64 {
        let mut rows: Vec<(StringId, Key)> = self.slots.iter().map(|slot| (slot.id, slot.ready.key)).collect();
        rows.sort_unstable();
        rows.iter().fold(0, |sum, (id, key)| mix(mix(sum, id.number()), (key.half() >> 64) as u64 ^ key.half() as u64))
    }

    /// A hash over all paths and keys.
    pub fn identity(&self) -> u64 {
        self.identity
    }

    /// A tag by id. None if it is missing, or of another class.
    #[inline]
    pub fn get<T: Tag>(&self, tag: TagId<T>) -> Option<View<'_, T>> {
        let packed = self.packed(StringId::from_number(tag.id))?;
        if packed.class() == StringId::new(T::CLASS) { packed.view() } else { None }
    }

    /// A tag by id, if its class is this one or derived from it, as a view of the base. None if it is of another class,
    /// or its class is unknown here.
    pub fn get_as<T: Tag>(&self, id: StringId) -> Option<View<'_, T>> {
        let packed = self.packed(id)?;
        let is_own = packed.class() == StringId::new(T::CLASS);
        if is_own || self.class_of(id)?.is_a(T::CLASS) { packed.view() } else { None }
    }

    /// The tag that a reference names, of its class or a derived one.
    #[inline]
    pub fn follow<T: Tag>(&self, reference: &Reference<T>) -> Option<View<'_, T>> {
        self.get_as(reference.id())
    }

    /// The class of a tag. None if it is unknown here, or not the one that the tag was packed for.
    pub fn class_of(&self, id: StringId) -> Option<&Class> {
        let packed = self.packed(id)?;
        let known = self.classes().by_id(packed.class())?;
        known.fits(packed).then(|| known.class())
    }

    /// The ids of all tags of a class and of derived ones, in the order of their paths. Cost: visits every tag once.
    pub fn of_base(&self, base: &str) -> Vec<StringId> {
        let is_of = |slot: &&Arc<Slot>| self.class_of(slot.id).is_some_and(|class| class.is_a(base));
        let mut found: Vec<&Arc<Slot>> = self.slots.iter().filter(is_of).collect();
        found.sort_by(|one, other| one.ready.path.cmp(&other.ready.path));
        found.into_iter().map(|slot| slot.id).collect()
    }

    /// The tag at a path.
    pub fn find<T: Tag>(&self, path: &str) -> Option<View<'_, T>> {
        self.get(TagId::at(path))
    }

    /// The packed form of a tag.
    pub fn packed(&self, id: StringId) -> Option<&Packed> {
        self.slot(id).map(|slot| &*self.slots[slot].ready.packed)
    }

    /// The lambdas of a tag.
    pub fn program(&self, id: StringId) -> Option<&Program> {
        self.slots[self.slot(id)?].program.as_deref()
    }

    /// The path of a tag.
    pub fn path(&self, id: StringId) -> Option<&TagPath> {
        self.slot(id).map(|slot| &self.slots[slot].ready.path)
    }

    /// The key of a tag's version.
    pub fn key(&self, id: StringId) -> Option<Key> {
        self.slot(id).map(|slot| self.slots[slot].ready.key)
    }

    /// Whether it has bulk data with this digest.
    pub fn has_bulk(&self, digest: &[u8; 32]) -> bool {
        self.bulk.contains_key(digest)
    }

    /// The resident bytes that a field names; empty if they are missing or not resident.
    pub fn bulk(&self, bulk: &Bulk) -> &[u8] {
        self.bulk.get(&bulk.digest).map_or(&[], |bytes| bytes)
    }

    /// All tags in force, in the order of insertion.
    pub fn tags(&self) -> impl ExactSizeIterator<Item = &Ready> {
        self.slots.iter().map(|slot| &slot.ready)
    }

    /// All tags of a class, in the order of their paths.
    pub fn of_class<T: Tag>(&self) -> Vec<(&TagPath, View<'_, T>)> {
        let class = StringId::new(T::CLASS);
        let of_class = self.slots.iter().filter(|slot| slot.ready.packed.class() == class);
        let mut found: Vec<_> =
            of_class.filter_map(|slot| Some((&slot.ready.path, slot.ready.packed.view()?))).collect();
        found.sort_by_key(|(path, _)| *path);
        found
    }

    #[inline]
    fn slot(&self, id: StringId) -> Option<usize> {
        let mask = self.table.len().checked_sub(1)?;
        let mut at = id.number() as usize & mask;
        loop {
            let slot = (self.table[at] as usize).checked_sub(1)?;
            if self.slots[slot].id == id {
                return Some(slot);
            }
            at = (at + 1) & mask;
        }
    }

    fn enter(&mut self, slot: usize) {
        if self.slots.len() * 2 > self.table.len() {
            self.rebuild_table();
            return;
        }
        assert!(
            self.table.len().is_power_of_two() && self.slots.len() < self.table.len(),
            "law 1 of the library: a lookup ends at a free entry"
        );
        let mask = self.table.len() - 1;
        let mut at = self.slots[slot].id.number() as usize & mask;
        while self.table[at] != 0 {
            at = (at + 1) & mask;
        }
        self.table[at] = slot as u32 + 1;
    }

    fn rebuild_table(&mut self) {
        let room = (self.slots.len() * 4).next_power_of_two().max(16);
        self.table.clear();
        self.table.resize(room, 0);
        for slot in 0..self.slots.len() {
            let mut at = self.slots[slot].id.number() as usize & (room - 1);
            while self.table[at] != 0 {
                at = (at + 1) & (room - 1);
            }
            self.table[at] = slot as u32 + 1;
        }
    }
}

impl Key {
    /// The first half, which changes carry.
    pub fn half(self) -> u128 {
        let mut half = [0; 16];
        half.copy_from_slice(&self.0[..16]);
        u128::from_le_bytes(half)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl Change {
    /// Encodes it as the numbers of an input.
    pub fn words(self) -> [u32; 6] {
        let (path, key) = (self.path.number(), self.key);
        [path as u32, (path >> 32) as u32, key as u32, (key >> 32) as u32, (key >> 64) as u32, (key >> 96) as u32]
    }

    /// Decodes it from the numbers of an input.
    pub fn from_words(words: &[u32; 6]) -> Change {
        let path = u64::from(words[0]) | u64::from(words[1]) << 32;
        let key = words[2..].iter().rev().fold(0, |key, word| key << 32 | u128::from(*word));
        Change { path: StringId::from_number(path), key }
    }
}

impl<T> TagId<T> {
    /// No tag.
    pub const NONE: TagId<T> = TagId { id: 0, of: PhantomData };

    /// The tag with this id.
    pub const fn of(id: StringId) -> TagId<T> {
        TagId { id: id.number(), of: PhantomData }
    }

    /// The tag at this path, computed at compile time.
    pub const fn at(path: &str) -> TagId<T> {
        TagId::of(StringId::new(path))
    }

    /// Its path's id.
    pub const fn id(self) -> StringId {
        StringId::from_number(self.id)
    }
}

impl<T> Clone for TagId<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for TagId<T> {}

impl<T> PartialEq for TagId<T> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<T> Eq for TagId<T> {}

impl<T> fmt::Debug for TagId<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "TagId({:016x})", self.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::{Class, Field, Kind};
    use crate::pack::Prepared;

    fn ready(path: &str, text: &str) -> Ready {
        let mut class = Class::new("thing");
        class.records[0].fields = alloc::vec![Field::new("is_on", Kind::Truth)];
        let packed = Prepared::new(class.finish().unwrap()).pack_text(text).packed;
        let mut key = [0; 32];
        key[..8].copy_from_slice(&base::hash::hash(text.as_bytes()).to_le_bytes());
        Ready { path: TagPath::new(path).unwrap(), key: Key(key), packed: Arc::new(packed) }
    }

    #[test]
    fn the_identity_depends_on_the_tags_in_force_and_not_on_their_order() {
        let (a, b) = (ready("a.thing", "@thing"), ready("b.thing", "@thing\n!set is_on true"));
        let (mut left, mut right) = (Library::new(), Library::new());
        left.apply([a.clone(), b.clone()]);
        right.apply([b.clone()]);
        assert_ne!(left.identity(), right.identity());
        right.apply([a]);
        assert_eq!(left.identity(), right.identity());
        assert_eq!(right.apply([b]), Changed::default());
    }

    #[test]
    fn an_earlier_content_can_be_returned_to() {
        let mut library = Library::new();
        library.apply([ready("a.thing", "@thing")]);
        let (first, key) = (library.identity(), library.key(StringId::new("a.thing")));
        library.apply([ready("a.thing", "@thing\n!set is_on true"), ready("c.thing", "@thing")]);
        let second = library.identity();
        assert!(library.return_to(first));
        assert_eq!((library.identity(), library.key(StringId::new("a.thing"))), (first, key));
        assert!(library.packed(StringId::new("c.thing")).is_none());
        assert!(library.return_to(second) && library.packed(StringId::new("c.thing")).is_some());
        assert!(!library.return_to(12345));
        assert_eq!(library.identity(), second);
    }

    #[test]
    fn each_kept_content_is_restored_exactly() {
        let mut library = Library::new();
        let (id, mut known) = (StringId::new("a.thing"), alloc::vec![(0, None)]);
        for number in 0..STATES_MAX + 8 {
            library.apply([ready("a.thing", &alloc::format!("@thing\n!set is_on {number}"))]);
            known.push((library.identity(), library.key(id)));
        }
        for (identity, key) in known.iter().rev().take(STATES_MAX / 2).rev() {
            assert!(library.return_to(*identity));
            assert_eq!((library.identity(), library.key(id)), (*identity, *key));
            assert_eq!(library.work_out_identity(), *identity);
        }
        let mut library = Library::new();
        library.apply([ready("a.thing", "@thing")]);
        assert!(library.return_to(0) && library.tags().len() == 0 && library.packed(id).is_none());
    }

    #[test]
    fn many_tags_are_found_by_their_ids() {
        let mut library = Library::new();
        let one = ready("0.thing", "@thing");
        let paths = || (0..1000).map(|number| alloc::format!("f/{number}.thing"));
        library.apply(paths().map(|path| Ready { path: TagPath::new(&path).unwrap(), ..one.clone() }));
        for path in paths() {
            assert_eq!(library.path(StringId::from(&*path)).map(TagPath::as_str), Some(&*path));
        }
        assert!(library.packed(StringId::new("f/1000.thing")).is_none());
    }

    #[test]
    fn a_change_fits_the_numbers_of_an_input() {
        let change = Change { path: StringId::new("a.thing"), key: 0x0123_4567_89ab_cdef_1122_3344_5566_7788 };
        assert_eq!(Change::from_words(&change.words()), change);
    }
}
