//! Mods: folders of tags above a game's, in order.
//!
//! Laws
//! 1. A path means the tag in the uppermost folder that has one. A tag that begins with `!from` its own path is made from the tag of
//!    that path below it, and sets some of its fields only.
//! 2. Mods are tags, headers, scripts and bulk data. They can do what those of a game can, and nothing else.
//! 3. The mods in force are a tag of the content ([`LOADED_MODS`]), so saves, films and stored contents hold them. The hash of a mod
//!    is that of its files when the game was opened.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use host::files;
use host::walk::{WalkLimits, walk};
use shelf::content_key::{KeyHasher, of_file};
use shelf::folders::{Folders, ModFolder};
use state::limits::NAME_BYTES_MAX;
use tags::limits::TEXT_BYTES_MAX;
use tags::{Library, Tag, TagId};

use crate::error::{Error, ModFault};
use crate::vocabulary::{DECLARED_MODS, LOADED_MODS, ModTag, classes};

/// The most mods of a game.
pub const MODS_MAX: usize = 16;

/// The folder of the mods that a game declares, beside its `tags`.
pub const MODS: &str = "mods";

/// The path of the tag that names a mod.
pub const MOD_TAG: &str = "mod.mod";

const DECLARED_PATH: &str = "mods.mods";
const LOADED_PATH: &str = "mods/loaded.mods";

/// A mod in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mod {
    /// Who it is.
    pub identity: ModIdentity,
    /// The folder of its tags.
    pub folder: PathBuf,
}

/// The name, the version and the contents of a mod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModIdentity {
    /// Its name.
    pub name: String,
    /// Its version, for people; may be empty.
    pub version: String,
    /// The hash of the paths and contents of its files.
    pub hash: u64,
}

impl fmt::Display for ModIdentity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = if self.version.is_empty() { "without a version" } else { &self.version };
        write!(out, "`{}` {version} ({:016x})", self.name, self.hash)
    }
}

impl ModIdentity {
    /// As it is stored: the name, the version, the hash.
    #[must_use]
    pub fn written(&self) -> String {
        format!("{} {} {:016x}", self.name, self.version, self.hash)
    }

    /// The identity that was stored.
    #[must_use]
    pub fn read(written: &str) -> Option<ModIdentity> {
        let (name, rest) = written.split_once(' ')?;
        let (version, hash) = rest.rsplit_once(' ')?;
        let hash = u64::from_str_radix(hash, 16).ok()?;
        Some(ModIdentity { name: name.to_string(), version: version.to_string(), hash })
    }
}

/// The mods of a game: those it declares, then these. `root` is the folder of its tags, `home` that of the game.
pub fn open(root: &Path, home: &Path, more: &[PathBuf]) -> Result<Vec<Mod>, Error> {
    let mut found: Vec<Mod> = Vec::new();
    for folder in declared(root, home)?.iter().chain(more) {
        let one = open_one(folder)?;
        if found.len() >= MODS_MAX {
            return Err(Error::Mod(ModFault::TooMany).in_file(folder));
        }
        if found.iter().any(|known| known.identity.name == one.identity.name) {
            return Err(Error::Mod(ModFault::Twice { name: one.identity.name }).in_file(folder));
        }
        found.push(one);
    }
    Ok(found)
}

/// The folders of a tree with mods above it, and the list of these as a tag.
#[must_use]
pub fn folders(root: &Path, mods: &[Mod]) -> Folders {
    let above: Vec<ModFolder> =
        mods.iter().map(|one| ModFolder { name: one.identity.name.clone(), folder: one.folder.clone() }).collect();
    let folders = Folders::with_mods(root, &above);
    if mods.is_empty() {
        return folders;
    }
    let rows: Vec<String> = mods.iter().map(|one| format!("\"{}\"", one.identity.written())).collect();
    folders.with_text(LOADED_PATH, format!("@mods\n!set loaded [{}]\n", rows.join(", ")))
}

/// The mods of a content.
#[must_use]
pub fn in_force(content: &Library) -> Vec<ModIdentity> {
    let Some(tag) = content.get(LOADED_MODS) else { return Vec::new() };
    tag.each(&tag.loaded).iter().filter_map(|written| ModIdentity::read(tag.text(written))).collect()
}

/// The identities of mods.
#[must_use]
pub fn identities(mods: &[Mod]) -> Vec<ModIdentity> {
    mods.iter().map(|one| one.identity.clone()).collect()
}

/// How the mods in force differ from the mods of a file, a line for each mod.
#[must_use]
pub fn differences(then: &[ModIdentity], now: &[ModIdentity]) -> Vec<String> {
    let mut lines = Vec::new();
    for one in then {
        match now.iter().find(|other| other.name == one.name) {
            None => lines.push(format!("it was made with the mod {one}, which is missing here: say --mod FOLDER")),
            Some(other) if other != one => {
                lines.push(format!("it was made with the mod {one}, which is changed here: {other}"));
            }
            Some(_) => {}
        }
    }
    let is_extra = |one: &&ModIdentity| !then.iter().any(|other| other.name == one.name);
    lines.extend(now.iter().filter(is_extra).map(|one| format!("the mod {one} is extra: it was made without it")));
    let order = |of: &[ModIdentity], among: &[ModIdentity]| -> Vec<String> {
        let is_common = |one: &&ModIdentity| among.iter().any(|other| other.name == one.name);
        of.iter().filter(is_common).map(|one| format!("`{}`", one.name)).collect()
    };
    let (before, here) = (order(then, now), order(now, then));
    if before != here {
        let (before, here) = (before.join(", "), here.join(", "));
        lines.push(format!("it was made with the mods in the order {before}; here it is {here}"));
    }
    lines
}

/// The folders of the mods that a game declares.
fn declared(root: &Path, home: &Path) -> Result<Vec<PathBuf>, Error> {
    let names = read_tag(&root.join(DECLARED_PATH), (DECLARED_PATH, DECLARED_MODS), |library| {
        let Some(tag) = library.get(DECLARED_MODS) else { return Vec::new() };
        tag.each(&tag.folders).iter().map(|name| tag.text(name).to_string()).collect::<Vec<String>>()
    });
    let mut folders = Vec::new();
    for name in names.unwrap_or_default() {
        // A name, and no path: nothing outside of the game's folder is declared by it.
        if !is_name(&name) {
            return Err(Error::Mod(ModFault::Name { name }).in_file(&root.join(DECLARED_PATH)));
        }
        if root == home {
            return Err(Error::Mod(ModFault::NoPlace).in_file(&root.join(DECLARED_PATH)));
        }
        folders.push(home.join(MODS).join(name));
    }
    Ok(folders)
}

fn open_one(folder: &Path) -> Result<Mod, Error> {
    let refused = |fault: ModFault| Error::Mod(fault).in_file(folder);
    let whole = folder.canonicalize().ok().filter(|whole| whole.is_dir()).ok_or_else(|| refused(ModFault::NoFolder))?;
    let inner = whole.join(crate::vocabulary::TAGS);
    let tree = if inner.is_dir() { inner } else { whole.clone() };
    let stated = read_tag(&tree.join(MOD_TAG), (MOD_TAG, TagId::<ModTag>::at(MOD_TAG)), |library| {
        let tag = library.get(TagId::<ModTag>::at(MOD_TAG))?;
        Some((tag.text(&tag.name).to_string(), tag.text(&tag.version).to_string()))
    });
    let (mut name, version) = stated.flatten().unwrap_or_default();
    if name.is_empty() {
        name = whole.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    }
    if !is_name(&name) {
        return Err(refused(ModFault::Name { name }));
    }
    if version.len() > NAME_BYTES_MAX || version.chars().any(|letter| letter.is_control() || letter == '"') {
        return Err(refused(ModFault::Version { version }));
    }
    let hash = hash_of(&tree)?;
    Ok(Mod { identity: ModIdentity { name, version, hash }, folder: tree })
}

fn is_name(name: &str) -> bool {
    let is_fine = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    (1..=NAME_BYTES_MAX).contains(&name.len()) && name.chars().all(is_fine)
}

/// Reads something from one tag, whose faults are reported when all tags are loaded.
fn read_tag<T: Tag, R>(file: &Path, (path, _): (&str, TagId<T>), read: impl Fn(&Library) -> R) -> Option<R> {
    let text = String::from_utf8(files::read_at_most(file, TEXT_BYTES_MAX as u64).ok()?).ok()?;
    let classes = classes();
    let (tags, _) = shelf::embedded::load(&classes, &[(path, &text)], &[path]);
    let mut library = Library::with_classes(Arc::new(classes));
    library.apply(tags);
    Some(read(&library))
}

/// The hash of the paths and contents of all files of a folder.
fn hash_of(folder: &Path) -> Result<u64, Error> {
    let mut hasher = KeyHasher::new();
    for file in walk(folder, &WalkLimits::default())?.files {
        // In pieces: a mod may have more bulk data than there is memory.
        let key = of_file(&folder.join(&file.path))?;
        hasher.add(file.path.as_bytes());
        hasher.add(&[0]);
        hasher.add(&key.0);
    }
    let key = hasher.finish().0;
    Ok(key.first_chunk().map_or(0, |first| u64::from_le_bytes(*first)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_mods(rows: &[(&str, &str, u64)]) -> Vec<ModIdentity> {
        let made = |(name, version, hash): &(&str, &str, u64)| ModIdentity {
            name: name.to_string(),
            version: version.to_string(),
            hash: *hash,
        };
        rows.iter().map(made).collect()
    }

    #[test]
    fn a_written_identity_is_read_again() {
        for one in of_mods(&[("hard", "1.0", 7), ("a", "", 0), ("b-c", "1 beta 2", u64::MAX)]) {
            assert_eq!(ModIdentity::read(&one.written()), Some(one));
        }
        assert_eq!(ModIdentity::read("hard"), None);
    }

    #[test]
    fn each_difference_names_its_mod() {
        let then = of_mods(&[("a", "1", 1), ("b", "1", 2), ("c", "1", 3), ("d", "1", 4)]);
        let now = of_mods(&[("b", "1", 2), ("a", "1", 1), ("d", "2", 5), ("e", "1", 6)]);
        let lines = differences(&then, &now);
        assert_eq!(lines.len(), 4, "{lines:?}");
        assert!(lines[0].contains("`c` 1") && lines[0].contains("missing"), "{lines:?}");
        assert!(lines[1].contains("`d` 1") && lines[1].contains("changed here: `d` 2"), "{lines:?}");
        assert!(lines[2].contains("`e` 1") && lines[2].contains("extra"), "{lines:?}");
        assert!(lines[3].contains("`a`, `b`, `d`; here it is `b`, `a`, `d`"), "{lines:?}");
        assert!(differences(&then, &then).is_empty());
    }
}
