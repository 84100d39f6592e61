//! Parallel directory walk: path, size and modification time of every file of a tree.
//!
//! Laws
//! 1. The list is sorted by path, byte by byte, and a path is in it once. Paths are relative to the root, in UTF-8,
//!    with `/` between the names on every machine.
//! 2. The walk never leaves the tree and never loops: symbolic links are not followed. Each is reported as an oddity,
//!    and so is every other entry that is neither a folder nor a file with a valid name.
//! 3. An oddity omits itself and its subtree, nothing more. Only a root that cannot be listed is an error.
//! 4. Names that start with a dot are skipped silently: they are for tools.
//! 5. Depth and number are limited. Entries beyond the limit are omitted and reported; which ones is not deterministic.
//! 6. Files created, deleted or changed meanwhile may or may not be in the list.
//!
//! Cost: one listing per folder and one `stat` per file, on as many threads as the limits allow.

mod shared;

use std::fmt;
use std::fs::{self, DirEntry, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::files::FileError;
use crate::limits::{WALK_DEPTH_MAX, WALK_FILES_MAX, WALK_ODDITIES_MAX};
use crate::parallel;
use shared::{Folder, Shared};

/// The limits of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkLimits {
    /// The maximum number of files and folders together.
    pub entries: usize,
    /// The maximum depth of folders; the root's own files have depth 1.
    pub depth: usize,
    /// The maximum number of threads, the caller included.
    pub threads: usize,
}

impl Default for WalkLimits {
    fn default() -> WalkLimits {
        WalkLimits { entries: WALK_FILES_MAX, depth: WALK_DEPTH_MAX, threads: parallel::threads() }
    }
}

/// The result of a walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walk {
    /// All files, sorted by path.
    pub files: Vec<WalkedFile>,
    /// All folders below the root, sorted by path.
    pub folders: Vec<String>,
    /// Omitted entries with their reasons, sorted by path.
    pub oddities: Vec<Oddity>,
}

impl Walk {
    /// The file at a path.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<&WalkedFile> {
        let place = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        self.files.get(place)
    }
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkedFile {
    /// Its path relative to the root, with `/`.
    pub path: String,
    /// Its stamp.
    pub stamp: Stamp,
}

/// The metadata of a file. If it differs, the file was changed or at least touched; equality proves nothing about a
/// file written a moment ago, because the clocks of file systems are coarse.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Its size in bytes.
    pub size: u64,
    /// Its modification time: nanoseconds since 1970, negative before.
    pub modified: i64,
    /// A hash of inode number and change time (ctime), which programs cannot set; on Windows the time of its creation; zero
    /// where there is neither.
    pub number: u64,
}

impl Stamp {
    /// The stamp of the file at a path, if any. A symbolic link is not a file.
    #[must_use]
    pub fn of(path: &Path) -> Option<Stamp> {
        let metadata = fs::symlink_metadata(path).ok()?;
        metadata.is_file().then(|| Stamp::from(&metadata))
    }

    fn from(metadata: &Metadata) -> Stamp {
        let modified = metadata.modified().map_or(0, nanoseconds);
        Stamp { size: metadata.len(), modified, number: number(metadata) }
    }
}

/// An omitted entry.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Oddity {
    /// Its path relative to the root; invalid characters are replaced by �.
    pub path: String,
    /// The reason.
    pub what: What,
}

/// Why an entry is omitted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// A link into the tree, whose target is listed under its own path.
    LinkInside,
    /// A link to outside the tree.
    LinkOutside,
    /// A dangling link, or a link to itself.
    LinkNowhere,
    /// A name that is not UTF-8, or has a backslash, which is a separator on other machines.
    Name,
    /// A folder that cannot be listed, or a file without metadata; with the system's reason.
    Unreadable(String),
    /// Neither a file nor a folder: a device, a pipe.
    NoFile,
    /// A folder below the maximum depth.
    TooDeep,
    /// More entries than the limit; reported once, with the limit.
    TooMany(usize),
}

impl fmt::Display for Oddity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.path, self.what)
    }
}

impl fmt::Display for What {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::LinkInside => formatter.write_str("is a link to another place in this tree; links are not followed"),
            What::LinkOutside => formatter.write_str("is a link that leads out of the tree; copy its target instead"),
            What::LinkNowhere => formatter.write_str("is a dangling link; remove it"),
            What::Name => formatter.write_str("has a name that is not UTF-8 or contains a backslash; rename it"),
            What::Unreadable(reason) => write!(formatter, "cannot be read: {reason}"),
            What::NoFile => formatter.write_str("is neither a file nor a folder"),
            What::TooDeep => formatter.write_str("is nested too deep and is left out"),
            What::TooMany(limit) => write!(formatter, "there are more than {limit} files; the rest is left out"),
        }
    }
}

/// Walks the tree below a folder.
pub fn walk(root: &Path, limits: &WalkLimits) -> Result<Walk, FileError> {
    walk_below(root, "", limits)
}

/// Walks the subtree below a folder; paths and depths are relative to the root of the tree.
pub fn walk_below(root: &Path, folder: &str, limits: &WalkLimits) -> Result<Walk, FileError> {
    let start = root.join(folder);
    let true_root = fs::canonicalize(root).map_err(FileError::when("opening the folder", root))?;
    // Errors of the root are found here; deeper down they are oddities.
    fs::read_dir(&start).map_err(FileError::when("listing the folder", &start))?;
    let depth = if folder.is_empty() { 1 } else { 2 + folder.matches('/').count() };
    let shared = Shared::new(Folder { path: start, relative: folder.to_string(), depth }, limits.entries);
    let walker = Walker { true_root, limits: *limits };
    let parts = parallel::together(limits.threads.max(1), &|| vec![walker.work(&shared)]);
    Ok(whole(parts, limits, shared.is_over()))
}

fn whole(parts: Vec<Walk>, limits: &WalkLimits, is_over: bool) -> Walk {
    let mut all = Walk::default();
    for part in parts {
        all.files.extend(part.files);
        all.folders.extend(part.folders);
        all.oddities.extend(part.oddities);
    }
    if is_over {
        all.oddities.push(Oddity { path: ".".into(), what: What::TooMany(limits.entries) });
    }
    all.files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    all.folders.sort_unstable();
    all.oddities.sort_unstable();
    all.oddities.truncate(WALK_ODDITIES_MAX);
    all
}

/// The state of each thread.
struct Walker {
    true_root: PathBuf,
    limits: WalkLimits,
}

impl Walker {
    /// The loop of one thread.
    fn work(&self, shared: &Shared) -> Walk {
        let mut found = Walk::default();
        let mut inner = Vec::new();
        while let Some(folder) = shared.take() {
            if let Err(error) = self.list(&folder, shared, &mut found, &mut inner) {
                report(&mut found, folder.relative, What::Unreadable(error.to_string()));
            }
            shared.done(&mut inner);
        }
        found
    }

    fn list(&self, folder: &Folder, shared: &Shared, found: &mut Walk, inner: &mut Vec<Folder>) -> io::Result<()> {
        for entry in fs::read_dir(&folder.path)? {
            let entry = entry?;
            let name = entry.file_name();
            if name.as_encoded_bytes().starts_with(b".") {
                continue;
            }
            if !shared.count() {
                break;
            }
            match name.to_str().filter(|name| !name.contains('\\')) {
                Some(name) => self.look(&entry, folder.inner(name), folder.depth, found, inner),
                None => report(found, folder.inner(&name.to_string_lossy()), What::Name),
            }
        }
        Ok(())
    }

    fn look(&self, entry: &DirEntry, path: String, depth: usize, found: &mut Walk, inner: &mut Vec<Folder>) {
        let kind = match entry.file_type() {
            Ok(kind) => kind,
            Err(error) => return report_error(found, path, &error),
        };
        if kind.is_file() {
            match entry.metadata() {
                Ok(metadata) => found.files.push(WalkedFile { path, stamp: Stamp::from(&metadata) }),
                Err(error) => report_error(found, path, &error),
            }
        } else if kind.is_dir() && depth >= self.limits.depth {
            report(found, path, What::TooDeep);
        } else if kind.is_dir() {
            found.folders.push(path.clone());
            inner.push(Folder { path: entry.path(), relative: path, depth: depth + 1 });
        } else if kind.is_symlink() {
            report(found, path, self.where_it_leads(entry));
        } else {
            report(found, path, What::NoFile);
        }
    }

    fn where_it_leads(&self, link: &DirEntry) -> What {
        match fs::canonicalize(link.path()) {
            Ok(target) if target.starts_with(&self.true_root) => What::LinkInside,
            Ok(_) => What::LinkOutside,
            Err(_) => What::LinkNowhere,
        }
    }
}

/// An entry deleted since its folder was listed is not an oddity.
fn report_error(found: &mut Walk, path: String, error: &io::Error) {
    if error.kind() != io::ErrorKind::NotFound {
        report(found, path, What::Unreadable(error.to_string()));
    }
}

fn report(found: &mut Walk, path: String, what: What) {
    if found.oddities.len() < WALK_ODDITIES_MAX {
        found.oddities.push(Oddity { path, what });
    }
}

fn nanoseconds(time: SystemTime) -> i64 {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanoseconds| -nanoseconds),
    }
}

#[cfg(unix)]
fn number(metadata: &Metadata) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let changed = metadata.ctime().wrapping_mul(1_000_000_000).wrapping_add(metadata.ctime_nsec());
    metadata.ino().wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ changed.cast_unsigned()
}

#[cfg(windows)]
fn number(metadata: &Metadata) -> u64 {
    std::os::windows::fs::MetadataExt::creation_time(metadata)
}

#[cfg(not(any(unix, windows)))]
fn number(_: &Metadata) -> u64 {
    0
}

#[cfg(test)]
mod tests;
