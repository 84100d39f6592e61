//! A game that is a folder of tags and scripts, without Rust.
//!
//! The tree of its tags is the subfolder `tags`, or the folder itself. Its classes are those that every world knows,
//! and those that the headers of the tree declare. All tags of the tree are loaded. Its levels are the tags in
//! `levels/` whose class is `scenario` or derived from it; the name of a level is its path without folder and
//! extension.
//!
//! Laws
//! 1. The name of the game is in its globals (`globals.globals`), so that its worlds and its saves do not depend on the folder it
//!    lies in. A game without a name is called [`UNNAMED`].
//! 2. A fault in a tag does not prevent playing. A folder without a level cannot be played, and the error says why.
//! 3. An entry lives as long as the program: names and paths of a folder are leaked on purpose.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use host::files;
use script::report::closest;
use shelf::headers;
use shelf::load::EVERYTHING;
use state::limits::NAME_BYTES_MAX;
use tags::{Classes, Library};
use world::GLOBALS;

use crate::error::{Error, GameFolderFault, ModFault};
use crate::game::{GameEntry, TagsEntry};
use crate::mods::{self, Mod};
use crate::objects::{LEVELS, ObjectGame, SCENARIO, level_of};
use crate::vocabulary::classes;

pub use crate::vocabulary::TAGS;

/// The game in a folder, and messages for people about its levels.
pub fn open(folder: &Path) -> Result<(GameEntry, Vec<String>), Error> {
    open_with(folder, &[])
}

/// The same with these mods above the declared ones.
pub fn open_with(folder: &Path, more: &[PathBuf]) -> Result<(GameEntry, Vec<String>), Error> {
    let refused = |fault: GameFolderFault| Error::GameFolder(fault).in_file(folder);
    let whole = folder.canonicalize().map_err(|error| refused(GameFolderFault::Unreadable(error)))?;
    if !whole.is_dir() {
        return Err(refused(GameFolderFault::IsFile));
    }
    let (home, root) = parts_of(&whole);
    let mut classes = classes();
    // Faults in headers are reported when the tags are loaded.
    let mods = mods::open(&root, &home, more)?;
    let folders = mods::folders(&root, &mods);
    headers::add_from_folders(&mut classes, &folders, &[])?;
    let found = folders.walk()?;
    let paths: Vec<&str> = found.files.iter().map(|file| file.path.as_str()).collect();
    let (levels, mut lines) = levels_among(&paths, &classes);
    if levels.is_empty() {
        return Err(Error::GameFolder(why_no_level(&paths, &classes)).in_file(&root));
    }
    let (name, fault) = name_in(&root, classes);
    lines.extend(fault);
    let about = format!("the game in {}", home.display());
    let mut entry = entry_of(&name, &about, &levels, Some(Box::leak(root.into_boxed_path())));
    entry.tags.mods = mods.leak();
    Ok((entry, lines))
}

/// A game of tags alone, from any source: for instance from a film.
pub fn of_tags(name: &str, levels: &BTreeSet<&str>) -> Result<GameEntry, Error> {
    check_name(name)?;
    let levels: Vec<&str> = levels.iter().copied().collect();
    Ok(entry_of(name, "a game made of tags alone", &levels, None))
}

/// The name of a game whose globals do not state one.
pub const UNNAMED: &str = "game";

/// The name and the version that the globals in force state; empty if they state none.
pub fn title_of(content: &Library) -> (String, String) {
    let Some(globals) = content.get(GLOBALS) else { return Default::default() };
    (globals.text(&globals.name).to_string(), globals.text(&globals.version).to_string())
}

/// Whether this is a name of the game in a folder: that of its entry, or that of the folder itself, by which saves were named before
/// the globals had a name.
pub fn is_called(entry: &GameEntry, name: &str) -> bool {
    let home = entry.tags.folder.map(|root| parts_of(root).0);
    entry.name == name || home.is_some_and(|home| home.file_name().is_some_and(|folder| folder == name))
}

impl GameEntry {
    /// The same game with these mods above its own. `tree` is the folder of its tags, where that is not its own.
    pub fn with_mods(self, tree: Option<&Path>, more: &[PathBuf]) -> Result<GameEntry, Error> {
        let Some(root) = tree.or(self.tags.folder).filter(|_| !more.is_empty()) else {
            return match more.first() {
                Some(folder) => Err(Error::Mod(ModFault::NoTree { game: self.name.to_string() }).in_file(folder)),
                None => Ok(self),
            };
        };
        let (home, _) = parts_of(root);
        let mods: Vec<Mod> = mods::open(root, &home, more)?;
        Ok(GameEntry { tags: TagsEntry { mods: mods.leak(), ..self.tags }, ..self })
    }

    /// The same game under another name, for a world that was made under that one.
    #[must_use]
    pub(crate) fn called(self, name: &str) -> GameEntry {
        if self.name == name { self } else { GameEntry { name: kept(name), ..self } }
    }

    /// The same game with this level, which it may no longer have.
    #[must_use]
    pub(crate) fn with_level(self, level: &str) -> GameEntry {
        if self.levels.contains(&level) { self } else { GameEntry { levels: vec![kept(level)].leak(), ..self } }
    }
}

/// The name in the globals of a tree, and a report if it cannot be one.
fn name_in(root: &Path, classes: Classes) -> (String, Option<String>) {
    let standard = || String::from(UNNAMED);
    let path = GLOBALS_PATH;
    let Ok(bytes) = files::read_at_most(&root.join(path), GLOBALS_BYTES_MAX) else { return (standard(), None) };
    let Ok(text) = String::from_utf8(bytes) else { return (standard(), None) };
    // Faults of this tag are reported when all tags are loaded.
    let (tags, _) = shelf::embedded::load(&classes, &[(path, &text)], &[path]);
    let mut library = Library::with_classes(Arc::new(classes));
    library.apply(tags);
    let (name, _) = title_of(&library);
    match name.is_empty() {
        true => (standard(), None),
        false => match check_name(&name) {
            Ok(()) => (name, None),
            Err(error) => (standard(), Some(format!("{path}: {error}; `{UNNAMED}` is used"))),
        },
    }
}

/// The path of the globals.
const GLOBALS_PATH: &str = "globals.globals";

/// The largest text of globals that is read for the name.
const GLOBALS_BYTES_MAX: u64 = 1 << 20;

/// Checks the name of a game, which is part of file names, saves and crash reports.
pub fn check_name(name: &str) -> Result<(), Error> {
    let is_fine = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
    if !name.is_empty() && name.len() <= NAME_BYTES_MAX && name.chars().all(is_fine) {
        return Ok(());
    }
    Err(Error::GameName { name: name.to_string() })
}

/// The folder of a game and the folder of its tags, given either of the two.
fn parts_of(folder: &Path) -> (PathBuf, PathBuf) {
    let below = folder.join(TAGS);
    if below.is_dir() {
        return (folder.to_path_buf(), below);
    }
    let is_tree = folder.file_name().is_some_and(|name| name == TAGS);
    match folder.parent().filter(|_| is_tree) {
        Some(above) => (above.to_path_buf(), folder.to_path_buf()),
        None => (folder.to_path_buf(), folder.to_path_buf()),
    }
}

/// The names of the levels, in the order of their paths, and the faults found in them.
fn levels_among<'a>(paths: &[&'a str], classes: &Classes) -> (Vec<&'a str>, Vec<String>) {
    let (mut levels, mut lines): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    for path in paths.iter().filter(|path| classes.is_a(class_of(path), SCENARIO)) {
        match level_of(path) {
            None => {}
            Some(name) if levels.contains(&name) => {
                lines.push(format!("{path}: another level named `{name}` takes precedence; rename one of the two"));
            }
            Some(name) if name.is_empty() || name.len() > NAME_BYTES_MAX => {
                let most = format!("expected a name of 1 to {NAME_BYTES_MAX} bytes after `{LEVELS}`");
                lines.push(format!("{path}: {most}, found {}; it cannot be played until it is renamed", name.len()));
            }
            Some(name) => levels.push(name),
        }
    }
    (levels, lines)
}

/// The remedy for a tree without a level.
fn why_no_level(paths: &[&str], classes: &Classes) -> GameFolderFault {
    let is_tag = |path: &&&str| classes.get(class_of(path)).is_some();
    if !paths.iter().any(|path| is_tag(&path)) {
        return GameFolderFault::NoTags;
    }
    let expected = format!("expected a tag of the class `{SCENARIO}`, or of a class derived from it, in `{LEVELS}`");
    let elsewhere = paths.iter().find(|path| classes.is_a(class_of(path), SCENARIO));
    let stranger = paths.iter().filter(|path| path.starts_with(LEVELS)).find(|path| !is_tag(path));
    let found = match (elsewhere, stranger) {
        (Some(path), _) => format!("found {path}: move it there"),
        (None, Some(path)) => {
            let names = classes.iter().map(|class| class.class().name.as_str());
            let near =
                closest(class_of(path), names).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            format!("found {path}, but there is no class `{}`{near}", class_of(path))
        }
        (None, None) => format!("found none; a file `{LEVELS}first.{SCENARIO}` with the line `@{SCENARIO}` is a level"),
    };
    GameFolderFault::NoLevel { hint: format!("{expected}; {found}") }
}

fn entry_of(name: &str, about: &str, levels: &[&str], folder: Option<&'static Path>) -> GameEntry {
    let levels: Vec<&'static str> = levels.iter().map(|level| kept(level)).collect();
    let roots = |_: &str| vec![String::from(EVERYTHING)];
    GameEntry {
        name: kept(name),
        about: kept(about),
        build: 0,
        levels: levels.leak(),
        tags: TagsEntry { classes, texts: &[], containers: &[], folder, mods: &[], roots },
        make: ObjectGame::make,
    }
}

fn class_of(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, class)| class)
}

fn kept(text: &str) -> &'static str {
    Box::leak(text.to_string().into_boxed_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_letters_digits_and_two_signs() {
        for name in ["a", "First_Game-2", &"x".repeat(48)] {
            assert!(check_name(name).is_ok(), "{name}");
        }
        for name in ["", "a b", "über", "a.b", "a/b", "..", &"x".repeat(49)] {
            let trouble = check_name(name).expect_err(name).to_string();
            assert!(trouble.contains("1 to 48 letters") && trouble.contains(&format!("\"{name}\"")), "{trouble}");
        }
    }

    #[test]
    fn levels_are_the_scenarios_below_their_folder_in_order() {
        let paths = ["levels/a.scenario", "levels/a.events", "levels/b/c.scenario", "levels/d.ship", "other.scenario"];
        assert_eq!(levels_among(&paths, &classes()), (vec!["a", "b/c"], Vec::new()));
        let long = format!("levels/{}.scenario", "x".repeat(49));
        let (levels, lines) = levels_among(&[&long, "levels/.scenario"], &classes());
        assert!(levels.is_empty() && lines.len() == 2, "{lines:?}");
    }
}
