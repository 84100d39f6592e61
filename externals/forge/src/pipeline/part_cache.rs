//! The cache of results of work on parts of sources: meshes with levels of detail, images, clips, hulls of scene files.
//!
//! It is a content-addressed store beside the one of packed tags, `import-parts` in the folder that the tree keeps for
//! tools. A job only reads it: new results travel with its outcome, and the pipeline writes them.
//!
//! Laws
//! 1. A cache changes no tag. Without it, or with any byte of it damaged, the work is done again, and damage is reported.
//! 2. Its size is bounded by [`PART_CACHE_BYTES_MAX`], new results of one job by [`FRESH_BYTES_MAX`].

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use host::files::FileError;
use media::result_cache::ResultCache;
use shelf::content_key;
use shelf::store::Store;
use tags::Key;

use crate::limits::{FRESH_BYTES_MAX, PART_CACHE_BYTES_MAX};

/// The folder of the store.
pub const PARTS: &str = "import-parts";

/// A result that is not in the store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FreshPart {
    /// Its key.
    pub key: [u8; 32],
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What a job did with the cache.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartUse {
    /// Results that were found.
    pub found: u32,
    /// Results that were made.
    pub made: u32,
    /// Those of them whose kept version was damaged.
    pub damaged: u32,
    /// The results that were made, as far as they fit.
    pub fresh: Vec<FreshPart>,
    /// Files of the cache that were damaged and are removed.
    pub troubles: Vec<String>,
}

/// The cache as jobs see it.
pub struct PartCache {
    folder: Option<PathBuf>,
    store: OnceCell<Option<Store>>,
    used: RefCell<PartUse>,
    /// The bytes of the fresh parts of a job, and of those below.
    bytes: Cell<[usize; 2]>,
    /// Made by this process since the store was opened, which shows only what it had then.
    own: RefCell<BTreeMap<Key, Vec<u8>>>,
}

impl PartCache {
    /// The cache in a folder; without one, nothing is kept. It is opened at its first use.
    #[must_use]
    pub fn new(folder: Option<&Path>) -> PartCache {
        PartCache {
            folder: folder.map(Path::to_path_buf),
            store: OnceCell::new(),
            used: RefCell::default(),
            bytes: Cell::default(),
            own: RefCell::default(),
        }
    }

    /// What was done with it since the last call.
    #[must_use]
    pub fn take_use(&self) -> PartUse {
        self.bytes.set([0, self.bytes.get()[1]]);
        self.used.take()
    }

    fn store(&self) -> Option<&Store> {
        let opened = self.store.get_or_init(|| {
            let folder = self.folder.as_deref().filter(|folder| folder.exists())?;
            let store = Store::open(folder).ok()?;
            self.used.borrow_mut().troubles.extend(store.troubles().iter().cloned());
            Some(store)
        });
        opened.as_ref()
    }
}

impl ResultCache for PartCache {
    fn key(&self, input: &[u8]) -> Key {
        content_key::of(input)
    }

    fn find(&self, key: &Key) -> Option<Vec<u8>> {
        let own = self.own.borrow().get(key).cloned();
        let found = own.or_else(|| self.store()?.get(key));
        if found.is_some() {
            self.used.borrow_mut().found += 1;
        } else if self.store().is_some_and(|store| store.has(key)) {
            // Listed, but its checksum is wrong.
            self.used.borrow_mut().damaged += 1;
        }
        found
    }

    fn keep(&self, key: Key, result: Vec<u8>, is_replaced: bool) {
        let mut used = self.used.borrow_mut();
        used.made += 1;
        if is_replaced {
            used.found -= 1;
            used.damaged += 1;
        }
        if self.folder.is_none() {
            return;
        }
        let [mut fresh_bytes, mut own_bytes] = self.bytes.get();
        fresh_bytes += result.len();
        if fresh_bytes > FRESH_BYTES_MAX {
            return;
        }
        used.fresh.push(FreshPart { key: key.0, bytes: result.clone() });
        let mut own = self.own.borrow_mut();
        own_bytes += result.len();
        if own_bytes > FRESH_BYTES_MAX {
            own.clear();
            own_bytes = result.len();
        }
        self.bytes.set([fresh_bytes, own_bytes]);
        own.insert(key, result);
    }
}

/// New results of several jobs, which are written together.
#[derive(Debug, Default)]
pub struct FreshParts {
    parts: Vec<FreshPart>,
    bytes: usize,
    has_damage: bool,
}

impl FreshParts {
    /// Adds what a job made. True if it is time to write.
    pub fn add(&mut self, used: &mut PartUse) -> bool {
        self.has_damage |= used.damaged > 0;
        for part in std::mem::take(&mut used.fresh) {
            self.bytes += part.bytes.len();
            self.parts.push(part);
        }
        self.bytes > FRESH_BYTES_MAX / 4
    }

    /// Writes them into the store, which is kept below its limit: the oldest results are dropped.
    pub fn write(self, folder: &Path) -> Result<(), FileError> {
        if self.parts.is_empty() {
            return Ok(());
        }
        let mut store = Store::open(folder)?;
        let objects: Vec<(Key, &[u8])> = self.parts.iter().map(|part| (Key(part.key), part.bytes.as_slice())).collect();
        if self.has_damage {
            store.replace(&objects)?
        } else {
            store.put(&objects)?
        };
        if store.is_out_of_order(PART_CACHE_BYTES_MAX) {
            store.put_in_order(&BTreeSet::new(), PART_CACHE_BYTES_MAX)?;
        }
        Ok(())
    }
}
