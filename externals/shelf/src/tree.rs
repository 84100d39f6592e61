//! A tree of tags on disk, with its index and its store.
//!
//! Laws
//! 1. [`Shelf::open`] takes the stamp of every file of the tree and reads none.
//! 2. `.astrarium` lies beside the tree: that of `project/tags` is `project/.astrarium`. It holds `tags.index` (named
//!    after the tree) and `store`. A failure to read or write them is reported, and only costs time.
//! 3. Only [`Shelf::save`] writes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use host::background::BackgroundWriter;
use host::files::{self, FileError};
use host::parallel;
use host::walk::{Stamp, Walk};
use script::ast::Tree;
use tags::ancestry::Ancestry;
use tags::packed::Packed;
use tags::{Classes, TagPath};

use crate::containers::Containers;
use crate::content_key::Key;
use crate::folders::Folders;
use crate::index::{Entry, Index};
use crate::limits::STORE_BYTES_MAX;
use crate::store::{Store, write_by};

/// A tree of tags.
#[derive(Debug)]
pub struct Shelf {
    pub(crate) folders: Folders,
    home: PathBuf,
    index_path: PathBuf,
    pub(crate) walk: Walk,
    pub(crate) index: Index,
    /// None if it cannot be used.
    pub(crate) store: Option<Store>,
    pub(crate) classes: Arc<Classes>,
    pub(crate) containers: Arc<Containers>,
    /// Objects that are not in the store yet. Without a packed tag: the mark that a tag has reports.
    pub(crate) made: Vec<(Key, Option<Arc<Packed>>)>,
    /// Whether the store is known to have damaged objects.
    pub(crate) is_damaged: bool,
    troubles: Vec<String>,
}

impl Shelf {
    /// Opens the tree below a folder.
    pub fn open(root: &Path, classes: Arc<Classes>) -> Result<Shelf, FileError> {
        Shelf::open_folders(Folders::one(root), classes)
    }

    /// Opens a tree of several folders.
    pub fn open_folders(folders: Folders, classes: Arc<Classes>) -> Result<Shelf, FileError> {
        let root = folders.root();
        let (walk, memory) = thread::scope(|scope| {
            // In parallel, where threads exist.
            let memory = || Memory::of(root);
            let beside = thread::Builder::new().name("index".into()).spawn_scoped(scope, memory);
            let walk = folders.walk();
            let memory = beside.ok().and_then(|beside| beside.join().ok());
            (walk, memory.unwrap_or_else(|| Memory::of(root)))
        });
        let walk = walk?;
        Ok(Shelf::of(folders, classes, walk, memory))
    }

    /// The same for a tree that was walked already.
    #[must_use]
    pub fn of_walk(root: &Path, classes: Arc<Classes>, walk: Walk) -> Shelf {
        Shelf::of(Folders::one(root), classes, walk, Memory::of(root))
    }

    /// The same for several folders.
    #[must_use]
    pub fn of_folders(folders: Folders, classes: Arc<Classes>, walk: Walk) -> Shelf {
        let memory = Memory::of(folders.root());
        Shelf::of(folders, classes, walk, memory)
    }

    fn of(folders: Folders, classes: Arc<Classes>, walk: Walk, memory: Memory) -> Shelf {
        let Memory { home, index_path, mut index, store, troubles } = memory;
        index.keep_only(&walk);
        let containers = Arc::new(Containers::of_tree(folders.root(), &home).with_folders(&folders.all()[1..]));
        let (made, is_damaged) = (Vec::new(), false);
        Shelf { folders, home, index_path, walk, index, store, classes, containers, made, is_damaged, troubles }
    }

    /// The root folder of the tree.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.folders.root()
    }

    /// Its folders: that of the game, and those of mods above it.
    #[must_use]
    pub fn folders(&self) -> &Folders {
        &self.folders
    }

    /// The tags that a tag is made from.
    pub(crate) fn ancestry(&self, path: &TagPath, folder: u32, source: &str, tree: &Tree) -> Ancestry {
        let is_a = |class: &str, base: &str| self.classes.is_a(class, base);
        Ancestry::of((path, folder), (source, tree), &is_a, &mut |path, below| {
            self.folders.source(path, below).map_err(|why| match why.is_empty() {
                true => crate::report::advice(&self.walk, path.as_str()),
                false => why,
            })
        })
    }

    /// The folder `.astrarium` beside it.
    #[must_use]
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The files of the tree.
    #[must_use]
    pub fn walk(&self) -> &Walk {
        &self.walk
    }

    /// The index.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The classes of its tags.
    #[must_use]
    pub fn classes(&self) -> &Arc<Classes> {
        &self.classes
    }

    /// The bulk containers of its tags.
    #[must_use]
    pub fn containers(&self) -> &Arc<Containers> {
        &self.containers
    }

    /// Problems of the index and the store; none of them changes what is loaded.
    #[must_use]
    pub fn troubles(&self) -> &[String] {
        &self.troubles
    }

    /// Writes new objects and the index. Waits for the disk.
    pub fn save(&mut self) -> Result<(), FileError> {
        files::make_folder(&self.home)?;
        if let Some(store) = &mut self.store {
            let objects = objects(&self.made);
            if std::mem::take(&mut self.is_damaged) {
                store.replace(&objects)?
            } else {
                store.put(&objects)?
            }
            self.made.clear();
            if store.is_out_of_order(STORE_BYTES_MAX) {
                store.put_in_order(&self.index.needed(), STORE_BYTES_MAX)?;
            }
        }
        self.index_containers();
        self.index.save(&self.index_path)
    }

    /// The same without waiting for the disk; the index, which is large, only on request.
    pub(crate) fn save_later(&mut self, writer: &BackgroundWriter, with_index: bool) -> Result<(), FileError> {
        if let Some(store) = &mut self.store {
            store.put_later(&objects(&self.made), writer)?;
            self.made.clear();
        }
        if with_index {
            self.index_containers();
        }
        let index = if with_index { self.index.to_be_saved() } else { None };
        match index {
            Some(bytes) => write_by(Some(writer), &self.index_path, bytes),
            None => Ok(()),
        }
    }

    /// Takes the digests of containers that were hashed meanwhile into the index, so that they are not hashed again.
    fn index_containers(&mut self) {
        for (path, file) in self.containers.hashed() {
            if self.walk.find(&path).is_some_and(|found| found.stamp == file.stamp) {
                self.index.set(&path, Entry::read(file.stamp, file.digest, file.time));
            }
        }
    }

    /// The paths of files that changed, or may have changed, since the tree was opened.
    pub(crate) fn uncertain_since(&self, now: &Walk) -> Vec<String> {
        let is_racy = |path: &str| self.index.get(path).is_some_and(|entry| entry.is_racy);
        let mut before = self.walk.files.iter().peekable();
        let mut uncertain = Vec::new();
        for file in &now.files {
            while let Some(gone) = before.next_if(|other| other.path < file.path) {
                uncertain.push(gone.path.clone());
            }
            let known = before.next_if(|other| other.path == file.path);
            if known.is_none_or(|known| known.stamp != file.stamp) || is_racy(&file.path) {
                uncertain.push(file.path.clone());
            }
        }
        uncertain.extend(before.map(|gone| gone.path.clone()));
        uncertain
    }

    /// Takes the stamp of one file again, which may have appeared or vanished.
    pub(crate) fn look_again(&mut self, path: &str) -> Option<Stamp> {
        let stamp = self.folders.file_below(path, None).and_then(|(file, _)| Stamp::of(&file));
        let place = self.walk.files.binary_search_by(|file| file.path.as_str().cmp(path));
        match (place, stamp) {
            (Ok(place), Some(stamp)) => self.walk.files[place].stamp = stamp,
            (Ok(place), None) => {
                self.walk.files.remove(place);
                self.index.remove(path);
            }
            (Err(place), Some(stamp)) => {
                self.walk.files.insert(place, host::walk::WalkedFile { path: path.to_string(), stamp });
            }
            (Err(_), None) => {}
        }
        stamp
    }
}

/// The folder `.astrarium` beside the tree below a folder, however that is named.
#[must_use]
pub fn home_of(root: &Path) -> PathBuf {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
    root.parent().unwrap_or(&root).join(".astrarium")
}

fn objects(made: &[(Key, Option<Arc<Packed>>)]) -> Vec<(Key, &[u8])> {
    made.iter().map(|(key, packed)| (*key, packed.as_ref().map_or(&[][..], |packed| packed.bytes()))).collect()
}

/// The index and the store of a tree.
struct Memory {
    home: PathBuf,
    index_path: PathBuf,
    index: Index,
    store: Option<Store>,
    troubles: Vec<String>,
}

impl Memory {
    fn of(root: &Path) -> Memory {
        let root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
        let name = root.file_name().map_or_else(|| "tags".into(), |name| name.to_string_lossy().into_owned());
        let home = home_of(&root);
        let index_path = home.join(format!("{name}.index"));
        let (index, trouble) = Index::load(&index_path);
        let mut troubles: Vec<String> = trouble.into_iter().collect();
        let store = match Store::open(&home.join("store")) {
            Ok(store) => {
                troubles.extend(store.troubles().iter().cloned());
                Some(store)
            }
            Err(error) => {
                troubles.push(format!("{error}; nothing is cached"));
                None
            }
        };
        Memory { home, index_path, index, store, troubles }
    }
}

/// The number of files read at once: together they stay below [`crate::limits::OPEN_FILES_MAX`].
pub(crate) fn open_files() -> usize {
    parallel::threads().saturating_mul(2).min(crate::limits::OPEN_FILES_MAX)
}
