//! The folder of a game, found near a file that belongs to it.

use std::path::{Path, PathBuf};

use astrarium::game::GameEntry;
use astrarium::project::{self, TAGS, is_called};

/// The most folders that are looked at.
const FOLDERS_MAX: usize = 64;

/// The game of this name in a folder near the file: one above it or above the current folder, or a folder in one of these two.
pub fn game_near(file: &Path, name: &str, mods: &[PathBuf]) -> Option<GameEntry> {
    let here = std::env::current_dir().ok()?;
    let beside = here.join(file).parent().map(Path::to_path_buf)?;
    let above = here.ancestors().chain(beside.ancestors()).map(Path::to_path_buf);
    let within = [&here, &beside].into_iter().flat_map(|folder| folders_in(folder));
    let is_game = |folder: &PathBuf| folder.join(TAGS).is_dir() || folder.join("levels").is_dir();
    let opened = above.chain(within).filter(is_game).take(FOLDERS_MAX).filter_map(|folder| project::open(&folder).ok());
    let found = opened.map(|(entry, _)| entry).find(|entry| is_called(entry, name))?;
    match found.tags.folder.filter(|_| !mods.is_empty()) {
        Some(root) => project::open_with(root, mods).ok().map(|(entry, _)| entry),
        None => Some(found),
    }
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}
