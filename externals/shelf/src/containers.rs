//! The bulk containers of a game's tags, found by digest: in the program, in the tree, and in the folder
//! `.astrarium/bulk`.
//!
//! Laws
//! 1. A container is found only if its BLAKE3 digest is the one that was asked for. Hashing reads the whole file; the
//!    result is remembered with the stamp of the file, in memory and in the index of the tree.
//! 2. [`Containers::keep`] stores the containers of tags in force under their digests, so that films, saves and rewinds
//!    that use an earlier version of a tag find its container after the file changed.
//! 3. Stored containers take no more space than the limit: the oldest ones that no tag in force names are removed.
//!    Containers in force that would exceed it are hard links, which take no space, and do not survive a change of the
//!    file in place.
//! 4. A container from another machine is written in pieces, and appears when it is whole and has its digest.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use host::clock::time_of_day;
use host::files::{self, FileError, NewFile, Reader};
use host::walk::Stamp;
use tags::bulk::{BulkError, Directory, HEADER_BYTES};
use tags::packed::Packed;

use crate::content_key::{self, Key};
use crate::limits::STORE_BYTES_MAX;

const EXTENSION: &str = "bulk";

/// The containers of one tree, or of a game that is fed its tags.
#[derive(Debug)]
pub struct Containers {
    root: Option<PathBuf>,
    /// The folders above it, the lowest first.
    upper: Vec<PathBuf>,
    folder: PathBuf,
    bytes_max: u64,
    /// The containers that are part of the program.
    embedded: BTreeMap<Key, &'static [u8]>,
    known: Mutex<KnownContainers>,
}

#[derive(Debug, Default)]
struct KnownContainers {
    /// The files of the tree in force: by digest and path of the tag.
    places: BTreeMap<(Key, String), String>,
    /// The digests that a tag in force names.
    named: BTreeMap<String, Vec<Key>>,
    /// The digests of files that were hashed.
    hashed: BTreeMap<PathBuf, HashedFile>,
    /// The digests of containers that another machine is going to send.
    expected: BTreeSet<Key>,
}

/// A file whose digest is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HashedFile {
    pub(crate) stamp: Stamp,
    pub(crate) digest: Key,
    /// When it was read: nanoseconds since 1970.
    pub(crate) time: i64,
}

/// An opened container.
#[derive(Debug)]
pub struct Container {
    /// Its file, relative to the tree if it is there, otherwise its digest.
    pub name: String,
    /// Its directory.
    pub directory: Directory,
    source: ByteSource,
}

/// The bytes of a container.
#[derive(Debug)]
enum ByteSource {
    File(Reader),
    Program(&'static [u8]),
}

/// Memory for reading blocks, used again for each.
#[derive(Debug, Default)]
pub struct BlockBuffers {
    stored: Vec<u8>,
    decoded: Vec<u8>,
}

/// Why a container cannot be opened, or a block of it cannot be read.
#[derive(Debug)]
pub enum ContainerError {
    /// No file has this digest.
    Missing {
        /// The digest.
        digest: Key,
    },
    /// The file cannot be read.
    File(FileError),
    /// The file is not a sound container, or a block of it is damaged.
    Bulk(BulkError),
    /// The container has no block of this number.
    NoBlock {
        /// The number.
        block: u32,
        /// How many it has.
        blocks: u32,
    },
}

/// A container that arrives in pieces.
#[derive(Debug)]
pub struct IncomingContainer {
    file: NewFile,
    hasher: content_key::KeyHasher,
    digest: Key,
    bytes: u64,
}

impl Containers {
    /// The containers of the tree below a folder, and those stored beside it.
    #[must_use]
    pub fn of_tree(root: &Path, home: &Path) -> Containers {
        Containers { root: Some(root.to_path_buf()), ..Containers::in_home(home) }
    }

    /// The same with the folders of mods above the tree.
    #[must_use]
    pub fn with_folders(mut self, upper: &[PathBuf]) -> Containers {
        self.upper = upper.to_vec();
        self
    }

    /// The file of a path in the uppermost folder that has one.
    fn file_in(&self, root: &Path, file: &str) -> PathBuf {
        let upper = self.upper.iter().rev().map(|folder| folder.join(file)).find(|file| file.exists());
        upper.unwrap_or_else(|| root.join(file))
    }

    /// The containers that are stored in a folder `.astrarium`.
    #[must_use]
    pub fn in_home(home: &Path) -> Containers {
        let (folder, known) = (home.join("bulk"), Mutex::default());
        Containers {
            root: None,
            upper: Vec::new(),
            folder,
            bytes_max: STORE_BYTES_MAX,
            embedded: BTreeMap::new(),
            known,
        }
    }

    /// The same with containers that are part of the program. Hashes them.
    #[must_use]
    pub fn with_embedded(self, containers: &[&'static [u8]]) -> Containers {
        let embedded = containers.iter().map(|bytes| (content_key::of(bytes), *bytes)).collect();
        Containers { embedded, ..self }
    }

    /// The same with another limit for earlier versions.
    #[must_use]
    pub fn with_limit(self, bytes_max: u64) -> Containers {
        Containers { bytes_max, ..self }
    }

    /// Takes note of the containers that a version of a tag names, instead of those of its version before.
    pub fn set_tag(&self, path: &str, packed: &Packed) {
        let mut known = self.lock();
        for digest in known.named.remove(path).unwrap_or_default() {
            known.places.remove(&(digest, path.to_string()));
        }
        let files = packed.files().filter(|file| file.digest != [0; 32]);
        let rows: Vec<(Key, String)> = files.map(|file| (Key(file.digest), path_beside(path, file.file))).collect();
        if !rows.is_empty() {
            known.named.insert(path.to_string(), rows.iter().map(|(digest, _)| *digest).collect());
            known.places.extend(rows.into_iter().map(|(digest, file)| ((digest, path.to_string()), file)));
        }
    }

    /// Takes note of the containers that another version of a tag names: an earlier one, or one from a film.
    pub fn add_version(&self, path: &str, packed: &Packed) {
        let files = packed.files().filter(|file| file.digest != [0; 32]);
        let rows = files.map(|file| ((Key(file.digest), path.to_string()), path_beside(path, file.file)));
        self.lock().places.extend(rows);
    }

    /// Opens the container with this digest. Reads its directory, and the whole file if its digest is not known yet.
    pub fn open(&self, digest: &Key) -> Result<Container, ContainerError> {
        if let Some(bytes) = self.embedded.get(digest) {
            return Container::of(format!("bulk data {digest}"), ByteSource::Program(bytes));
        }
        let (name, path) = self.find(digest)?;
        Container::open(name, &path)
    }

    /// The whole container with this digest, for data that is resident.
    pub fn read(&self, digest: &Key, bytes_max: u64) -> Result<std::sync::Arc<[u8]>, ContainerError> {
        if let Some(bytes) = self.embedded.get(digest).filter(|bytes| bytes.len() as u64 <= bytes_max) {
            return Ok(std::sync::Arc::from(*bytes));
        }
        let (_, path) = self.find(digest)?;
        let bytes = files::read_shared(&path, bytes_max).map_err(ContainerError::File)?;
        // It may have been replaced since it was found.
        if content_key::of(&bytes) == *digest { Ok(bytes) } else { Err(ContainerError::Missing { digest: *digest }) }
    }

    /// What to call the container with this digest: its file in the tree, if there is one.
    #[must_use]
    pub fn name_of(&self, digest: &Key) -> String {
        self.paths(digest).swap_remove(0).0
    }

    /// Whether a file is known under this digest, without reading it.
    #[must_use]
    pub fn has(&self, digest: &Key) -> bool {
        self.embedded.contains_key(digest) || self.paths(digest).iter().any(|(_, path)| path.is_file())
    }

    /// The digests that tags in force name, and of which no file is known.
    #[must_use]
    pub fn missing(&self) -> Vec<Key> {
        let named: BTreeSet<Key> = self.lock().named.values().flatten().copied().collect();
        named.into_iter().filter(|digest| !self.has(digest)).collect()
    }

    /// Takes note of whether a container is going to arrive: until then, its absence is no fault.
    pub(crate) fn set_expected(&self, digest: Key, is_expected: bool) {
        let mut known = self.lock();
        if is_expected {
            known.expected.insert(digest);
        } else {
            known.expected.remove(&digest);
        }
    }

    /// Whether a container is going to arrive from another machine.
    pub(crate) fn is_expected(&self, digest: &Key) -> bool {
        self.lock().expected.contains(digest)
    }

    /// The file that should have this digest, which is not checked: the machine that receives it does that.
    pub(crate) fn open_unchecked(&self, digest: &Key) -> Option<Reader> {
        // The stored file first: that of the tree may have been replaced.
        self.paths(digest).iter().rev().find_map(|(_, path)| Reader::open(path).ok())
    }

    /// Stores the containers that tags in force name, until this many bytes are copied. Returns how many of the tags are
    /// done. A container that would exceed the limit is linked instead of copied.
    pub fn keep(&self, tags: &[&str], bytes_at_once: u64) -> Result<usize, FileError> {
        let Some(root) = &self.root else { return Ok(tags.len()) };
        let mut free = None;
        let mut copied = 0;
        for (number, tag) in tags.iter().enumerate() {
            if copied >= bytes_at_once {
                return Ok(number);
            }
            for (file, to) in self.named_by(tag) {
                let from = self.file_in(root, &file);
                let Some(stamp) = Stamp::of(&from).filter(|_| !to.exists()) else { continue };
                files::make_folder(&self.folder)?;
                let free = free.get_or_insert_with(|| self.bytes_max.saturating_sub(self.stored_bytes()));
                if stamp.size <= *free {
                    files::copy(&from, &to)?;
                    *free -= stamp.size;
                    copied += stamp.size;
                } else {
                    files::link(&from, &to)?;
                }
            }
        }
        Ok(tags.len())
    }

    /// Removes the oldest earlier versions while the store exceeds its limit.
    pub fn limit(&self) -> Result<(), FileError> {
        let needed: BTreeSet<PathBuf> = {
            let known = self.lock();
            known.named.values().flatten().map(|digest| self.stored(digest)).collect()
        };
        let mut bytes = self.stored_bytes();
        for path in files::list(&self.folder, EXTENSION)?.iter().filter(|path| !needed.contains(*path)) {
            if bytes <= self.bytes_max {
                break;
            }
            bytes -= files::own_bytes(path);
            files::remove(path)?;
        }
        Ok(())
    }

    /// The space that stored containers take.
    fn stored_bytes(&self) -> u64 {
        let stored = files::list(&self.folder, EXTENSION).unwrap_or_default();
        stored.iter().fold(0, |sum, path| sum.saturating_add(files::own_bytes(path)))
    }

    /// The files of a tag, relative to the tree, and where they are stored.
    fn named_by(&self, tag: &str) -> Vec<(String, PathBuf)> {
        let known = self.lock();
        let digests = known.named.get(tag).into_iter().flatten();
        let place = |digest: &Key| Some((known.places.get(&(*digest, tag.to_string()))?.clone(), self.stored(digest)));
        digests.filter_map(place).collect()
    }

    /// Begins to store a container from another machine.
    pub fn receive(&self, digest: &Key, bytes: u64) -> Result<IncomingContainer, FileError> {
        files::make_folder(&self.folder)?;
        let file = NewFile::begin(&self.stored(digest))?;
        Ok(IncomingContainer { file, hasher: content_key::KeyHasher::new(), digest: *digest, bytes })
    }

    /// Takes note of the digest of a file of the tree, which the index is certain of.
    pub(crate) fn set_hashed(&self, file: &str, hashed: HashedFile) {
        if let Some(root) = &self.root {
            let whole = self.file_in(root, file);
            self.lock().hashed.insert(whole, hashed);
        }
    }

    /// The files of the tree that were hashed, relative to the root, for the index.
    pub(crate) fn hashed(&self) -> Vec<(String, HashedFile)> {
        let Some(root) = &self.root else { return Vec::new() };
        let known = self.lock();
        let rows = known
            .hashed
            .iter()
            .filter_map(|(path, hashed)| Some((path.strip_prefix(root).ok()?.to_str()?.replace('\\', "/"), *hashed)));
        rows.collect()
    }

    /// The name and the path of the file with this digest.
    fn find(&self, digest: &Key) -> Result<(String, PathBuf), ContainerError> {
        for (name, path) in self.paths(digest) {
            match self.digest_of(&path) {
                Ok(Some(found)) if found == *digest => return Ok((name, path)),
                Ok(Some(_)) if path.starts_with(&self.folder) => {
                    // Its bytes were changed in place. If it cannot be removed, it is found again next time.
                    let _ = files::remove(&path);
                }
                Ok(_) => {}
                Err(error) => return Err(ContainerError::File(error)),
            }
        }
        Err(ContainerError::Missing { digest: *digest })
    }

    /// Where a container with this digest may be: the names and paths of files.
    fn paths(&self, digest: &Key) -> Vec<(String, PathBuf)> {
        let known = self.lock();
        let named = known.places.range((*digest, String::new())..).take_while(|((found, _), _)| found == digest);
        let in_tree =
            self.root.iter().flat_map(|root| named.clone().map(|(_, file)| (file.clone(), self.file_in(root, file))));
        let mut paths: Vec<(String, PathBuf)> = in_tree.collect();
        paths.dedup();
        paths.push((format!("bulk data {digest}"), self.stored(digest)));
        paths
    }

    /// The digest of a file; none if there is no file. Reads it, unless its stamp is known.
    fn digest_of(&self, path: &Path) -> Result<Option<Key>, FileError> {
        let Some(stamp) = Stamp::of(path) else { return Ok(None) };
        if let Some(hashed) = self.lock().hashed.get(path)
            && hashed.stamp == stamp
        {
            return Ok(Some(hashed.digest));
        }
        let time = time_of_day();
        let digest = content_key::of_file(path)?;
        self.lock().hashed.insert(path.to_path_buf(), HashedFile { stamp, digest, time });
        Ok(Some(digest))
    }

    fn stored(&self, digest: &Key) -> PathBuf {
        self.folder.join(format!("{digest}.{EXTENSION}"))
    }

    fn lock(&self) -> MutexGuard<'_, KnownContainers> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Container {
    /// Opens a file and validates its directory.
    pub fn open(name: String, path: &Path) -> Result<Container, ContainerError> {
        Container::of(name, ByteSource::File(Reader::open(path).map_err(ContainerError::File)?))
    }

    fn of(name: String, source: ByteSource) -> Result<Container, ContainerError> {
        let directory = read_directory(&source)?;
        Ok(Container { name, directory, source })
    }

    /// The length of the file.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.source.length()
    }

    /// Reads a block and decodes it into buffers that are used again; returns the decoded bytes.
    pub fn read_block<'a>(&mut self, block: u32, buffers: &'a mut BlockBuffers) -> Result<&'a [u8], ContainerError> {
        let BlockBuffers { stored, decoded } = buffers;
        let rows = self.directory.blocks();
        let row = *rows.get(block as usize).ok_or(ContainerError::NoBlock { block, blocks: rows.len() as u32 })?;
        stored.resize(row.stored_bytes as usize, 0);
        self.source.read_at(row.offset, stored)?;
        decoded.clear();
        tags::bulk::decode_block(&row, stored, decoded).map_err(ContainerError::Bulk)?;
        Ok(decoded)
    }
}

impl ByteSource {
    fn length(&self) -> u64 {
        match self {
            ByteSource::File(reader) => reader.length(),
            ByteSource::Program(bytes) => bytes.len() as u64,
        }
    }

    /// Reads exactly `out.len()` bytes from `offset`.
    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<(), ContainerError> {
        match self {
            ByteSource::File(reader) => reader.read_at(offset, out).map_err(ContainerError::File),
            ByteSource::Program(bytes) => {
                let rest = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..)).unwrap_or_default();
                let found = rest.len() as u64;
                let stored = || BulkError::StoredLength { expected: out.len() as u32, found };
                let part = rest.get(..out.len()).ok_or_else(stored).map_err(ContainerError::Bulk)?;
                out.copy_from_slice(part);
                Ok(())
            }
        }
    }
}

impl IncomingContainer {
    /// Appends the next piece.
    pub fn append(&mut self, piece: &[u8]) -> Result<(), FileError> {
        self.hasher.add(piece);
        self.file.append(piece)
    }

    /// The number of bytes that were appended.
    #[must_use]
    pub fn received(&self) -> u64 {
        self.hasher.bytes()
    }

    /// Puts the container in its place if it is whole and has its digest; otherwise it is discarded. Returns which.
    pub fn finish(self) -> Result<bool, FileError> {
        if self.hasher.bytes() != self.bytes || self.hasher.finish() != self.digest {
            return Ok(false);
        }
        self.file.finish().map(|()| true)
    }
}

/// Checks the size and the directory of a file, and reads no block. Returns its length.
pub(crate) fn check(path: &Path) -> Result<u64, ContainerError> {
    let source = ByteSource::File(Reader::open(path).map_err(ContainerError::File)?);
    read_directory(&source)?;
    Ok(source.length())
}

fn read_directory(source: &ByteSource) -> Result<Directory, ContainerError> {
    let length = source.length();
    let mut start = vec![0; usize::try_from(length).unwrap_or(usize::MAX).min(HEADER_BYTES)];
    source.read_at(0, &mut start)?;
    let end = Directory::end_of(&start, length).map_err(ContainerError::Bulk)?;
    start.resize(usize::try_from(end).unwrap_or(usize::MAX), 0);
    source.read_at(0, &mut start)?;
    Directory::parse(&start, length).map_err(ContainerError::Bulk)
}

/// The path of a file that a tag names, relative to the root.
pub(crate) fn path_beside(tag: &str, file: &str) -> String {
    match tag.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{file}"),
        None => file.to_string(),
    }
}

impl fmt::Display for ContainerError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ContainerError::Missing { digest } => write!(formatter, "no file has the hash {digest}"),
            ContainerError::File(error) => write!(formatter, "{error}"),
            ContainerError::Bulk(error) => write!(formatter, "{error}"),
            ContainerError::NoBlock { block, blocks } => {
                write!(formatter, "there is no block {block}: the container has {blocks}")
            }
        }
    }
}

impl std::error::Error for ContainerError {}

#[cfg(test)]
mod tests;
