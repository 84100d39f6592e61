//! `--mod FOLDER`: the mods of a command, above the declared mods of its game.

use std::path::{Path, PathBuf};

use astrarium::game::GameEntry;
use astrarium::mods::{ModIdentity, differences, identities};
use astrarium::project;
use clap::{Arg, ArgAction, ArgMatches, value_parser};

use crate::error::CommandError;
use crate::json::Json;

/// `--mod`.
pub fn arg() -> Arg {
    Arg::new("mod")
        .long("mod")
        .value_name("FOLDER")
        .action(ArgAction::Append)
        .value_parser(value_parser!(PathBuf))
        .help("The folder of a mod above the game's tags; may be repeated, the lowest first")
}

/// The folders of the mods.
pub fn folders(matches: &ArgMatches) -> Vec<PathBuf> {
    matches.try_get_many::<PathBuf>("mod").ok().flatten().map(|all| all.cloned().collect()).unwrap_or_default()
}

/// A game of the program with the mods, over the tags that the command names.
pub fn over(matches: &ArgMatches, entry: GameEntry) -> Result<GameEntry, CommandError> {
    let tags = matches.try_get_one::<PathBuf>("tags").ok().flatten().map(PathBuf::as_path);
    Ok(entry.with_mods(tags, &folders(matches))?)
}

/// The game in a folder with the mods.
pub fn open(matches: &ArgMatches, folder: &Path) -> Result<GameEntry, CommandError> {
    let (entry, lines) = project::open_with(folder, &folders(matches))?;
    lines.iter().for_each(|line| eprintln!("{line}"));
    Ok(entry)
}

/// Prints how the mods of a game differ from the mods of a file.
pub fn print_differences(file: &Path, then: &[ModIdentity], entry: &GameEntry) {
    let lines = differences(then, &identities(entry.tags.mods));
    lines.iter().for_each(|line| eprintln!("{}: {line}", file.display()));
}

/// Prints the mods that a file was made with, if there are any.
pub fn print(mods: &[ModIdentity]) {
    if !mods.is_empty() {
        let mods: Vec<String> = mods.iter().map(ToString::to_string).collect();
        println!("mods, the lowest first: {}", mods.join(", "));
    }
}

/// The mods in JSON.
pub fn rows(mods: &[ModIdentity]) -> impl Iterator<Item = Json> + '_ {
    mods.iter().map(|one| Json::new().text("name", &one.name).text("version", &one.version).hex("hash", one.hash))
}
