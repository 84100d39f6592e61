//! The folders of a tree: that of the game, and those of mods above it.
//!
//! Law: a path means the file in the uppermost folder that has one. Folders are numbered from the lowest, the game's own, which
//! is 0.

use std::path::{Path, PathBuf};

use host::files::{self, FileError};
use host::walk::{Stamp, Walk, WalkLimits, walk};
use tags::TagPath;
use tags::ancestry::{Ancestry, TagSource};
use tags::limits::TEXT_BYTES_MAX;

use crate::content_key::{self, Key};

/// A folder of tags above a game's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModFolder {
    /// The name of the mod, which reports show before its paths.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
}

/// The folders of a tree, the lowest first. There is at least one.
#[derive(Debug, Clone)]
pub struct Folders {
    all: Vec<PathBuf>,
    /// The names of the mods, from the second folder on.
    names: Vec<String>,
    /// Tags that lie in no file: their paths and texts.
    made: Vec<(String, String)>,
}

impl Folders {
    /// A tree of one folder.
    #[must_use]
    pub fn one(root: &Path) -> Folders {
        Folders::with_mods(root, &[])
    }

    /// A tree with the folders of mods above it, in order.
    #[must_use]
    pub fn with_mods(root: &Path, mods: &[ModFolder]) -> Folders {
        let whole = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let all = std::iter::once(whole(root)).chain(mods.iter().map(|one| whole(&one.folder))).collect();
        Folders { all, names: mods.iter().map(|one| one.name.clone()).collect(), made: Vec::new() }
    }

    /// The same with a tag that lies in no file. Every load includes it.
    #[must_use]
    pub fn with_text(mut self, path: &str, text: String) -> Folders {
        self.made.push((path.to_string(), text));
        self
    }

    /// The tags that lie in no file: their paths and texts.
    #[must_use]
    pub fn made(&self) -> &[(String, String)] {
        &self.made
    }

    /// The name of the mod whose folder this is; none for that of the game.
    #[must_use]
    pub fn name(&self, folder: u32) -> Option<&str> {
        let place = (folder as usize).checked_sub(1)?;
        self.names.get(place).map(String::as_str)
    }

    /// The folder of the game.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.all[0]
    }

    /// All folders, the lowest first.
    #[must_use]
    pub fn all(&self) -> &[PathBuf] {
        &self.all
    }

    /// The files of all folders; of a path in several, the uppermost.
    pub fn walk(&self) -> Result<Walk, FileError> {
        let mut whole = walk(self.root(), &WalkLimits::default())?;
        for folder in &self.all[1..] {
            let upper = walk(folder, &WalkLimits::default())?;
            for file in upper.files {
                match whole.files.binary_search_by(|known| known.path.cmp(&file.path)) {
                    Ok(place) => whole.files[place] = file,
                    Err(place) => whole.files.insert(place, file),
                }
            }
            whole.folders.extend(upper.folders);
            whole.oddities.extend(upper.oddities);
        }
        whole.folders.sort_unstable();
        whole.folders.dedup();
        Ok(whole)
    }

    /// The file of a path, and the number of its folder. Where there is none, the file it would have in the lowest.
    #[must_use]
    pub fn file(&self, path: &str) -> (PathBuf, u32) {
        self.file_below(path, None).unwrap_or_else(|| (self.root().join(path), 0))
    }

    /// The file of a path in the uppermost folder that has one, or in one below another folder.
    #[must_use]
    pub fn file_below(&self, path: &str, below: Option<u32>) -> Option<(PathBuf, u32)> {
        let count = below.map_or(self.all.len(), |below| (below as usize).min(self.all.len()));
        if self.all.len() == 1 && below.is_none() {
            return Some((self.root().join(path), 0));
        }
        let upper = self.all[..count].iter().enumerate().rev();
        upper.map(|(number, folder)| (folder.join(path), number as u32)).find(|(file, _)| Stamp::of(file).is_some())
    }

    /// The path of a tag as it is shown: with the name of the mod that it belongs to.
    #[must_use]
    pub fn shown(&self, path: &str, folder: u32) -> String {
        self.name(folder).map_or_else(|| path.to_string(), |name| format!("{name}:{path}"))
    }

    /// The text of a tag.
    // The error is text: the help of a report, for people only; empty if there is no such file.
    pub fn source(&self, path: &TagPath, below: Option<u32>) -> Result<TagSource, String> {
        let (file, folder) = self.file_below(path.as_str(), below).ok_or_else(String::new)?;
        let bytes = files::read_at_most(&file, TEXT_BYTES_MAX as u64).map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(TagSource { folder, shown: self.shown(path.as_str(), folder), text })
    }
}

/// The paths and texts of an ancestry, for a content key.
pub(crate) fn inputs(ancestry: &Ancestry) -> Vec<(String, Key)> {
    let mut inputs: Vec<(String, Key)> = ancestry
        .tags
        .iter()
        .map(|tag| (tag.source.shown.clone(), content_key::of(tag.source.text.as_bytes())))
        .collect();
    inputs.extend(ancestry.missing.iter().map(|path| (path.as_str().to_string(), Key::default())));
    inputs
}
