//! `astrarium tag …`: the commands for tags.

mod ask;
mod change;
mod check;
mod diff;
mod git;
mod import;
mod make;
mod manual;
mod merge;
mod refs;
mod rename;
mod show;
mod upgrade;
mod versions;

use std::path::{Path, PathBuf};

use crate::arguments::read_input;
use crate::error::Failure;
use crate::json::Json;
use crate::words::counted;
use astrarium::GameEntry;
use astrarium::mods::Mod;
use astrarium::project::TAGS;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use forge::finding::Finding;
use forge::tree::{Tree, find_root, text_of};
use forge::tree_error::TreeError;
use host::files;
use tags::Classes;
use tags::limits::TEXT_BYTES_MAX;

/// One of the commands.
struct Row {
    command: fn() -> Command,
    carry_out: fn(&ArgMatches, &[GameEntry]) -> Result<(), Failure>,
}

const ROWS: &[Row] = &[
    Row { command: make::command, carry_out: make::carry_out },
    Row { command: import::command, carry_out: import::carry_out },
    Row { command: show::command, carry_out: show::carry_out },
    Row { command: change::command, carry_out: change::carry_out },
    Row { command: check::command, carry_out: check::carry_out },
    Row { command: diff::command, carry_out: diff::carry_out },
    Row { command: merge::command, carry_out: merge::carry_out },
    Row { command: upgrade::command, carry_out: upgrade::carry_out },
    Row { command: refs::command, carry_out: refs::carry_out },
    Row { command: ask::command, carry_out: ask::carry_out },
    Row { command: rename::command, carry_out: rename::carry_out },
    Row { command: manual::command, carry_out: manual::carry_out },
    Row { command: git::command, carry_out: git::carry_out },
    Row { command: versions::log_command, carry_out: versions::log },
    Row { command: versions::status_command, carry_out: versions::status },
];

/// The command and its arguments.
pub fn command() -> Command {
    let tags = Arg::new("tags").long("tags").value_name("FOLDER").value_parser(value_parser!(PathBuf)).global(true);
    let whole = Command::new("tag")
        .about("Creates, imports, shows, edits, checks, compares, merges, finds and renames tags")
        .subcommand_required(true)
        .arg(tags.help("The folder of the tree; the default is the nearest folder named `tags`"))
        .arg(crate::mods::arg().global(true));
    ROWS.iter().fold(whole, |whole, row| whole.subcommand((row.command)()))
}

/// Runs one of its subcommands.
pub fn carry_out(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), Failure> {
    let (name, matches) = matches.subcommand().ok_or_else(|| String::from("astrarium tag --help"))?;
    let row = ROWS.iter().find(|row| (row.command)().get_name() == name);
    row.map_or(Err(Failure::from(format!("there is no command {name}"))), |row| (row.carry_out)(matches, games))
}

/// The tree that the arguments name.
fn tree(matches: &ArgMatches, games: &[GameEntry]) -> Result<Tree, TreeError> {
    let root = find_root(matches.get_one::<PathBuf>("tags").map(PathBuf::as_path))?;
    let mods = mods_of(matches, &root)?;
    Tree::open_folders(&root, astrarium::mods::folders(&root, &mods), classes(games))
}

/// The tree without mods, for commands that write files: they work on one folder.
fn own_tree(matches: &ArgMatches, games: &[GameEntry]) -> Result<Tree, TreeError> {
    if let Some(folder) = crate::mods::folders(matches).first() {
        let folder = folder.display();
        return Err(TreeError::Mods(format!(
            "--mod {folder}: this command writes files; work on one folder: --tags {folder}"
        )));
    }
    Tree::open(&find_root(matches.get_one::<PathBuf>("tags").map(PathBuf::as_path))?, classes(games))
}

/// The mods above a tree: the declared ones of its game, then those of `--mod`.
fn mods_of(matches: &ArgMatches, root: &Path) -> Result<Vec<Mod>, TreeError> {
    let home = root.parent().filter(|_| root.file_name().is_some_and(|name| name == TAGS)).unwrap_or(root);
    astrarium::mods::open(root, home, &crate::mods::folders(matches))
        .map_err(|error| TreeError::Mods(error.to_string()))
}

/// The available classes: those of the tree, if there is one, or only the program's.
fn known_classes(matches: &ArgMatches, games: &[GameEntry]) -> forge::classes::Classes {
    match tree(matches, games) {
        Ok(tree) => tree.classes,
        Err(_) => forge::classes::Classes::new(classes(games)),
    }
}

/// The classes of every world and of the games of this program; of equal names the first.
pub fn classes(games: &[GameEntry]) -> Classes {
    // Those of every world come first: games that are folders use them, and export nothing before they are played.
    let first = astrarium::classes();
    let mut classes = Classes::with_rules_of(&first);
    let known = games.iter().map(|game| (game.tags.classes)());
    for known in [first].into_iter().chain(known) {
        for class in known.iter().map(|prepared| prepared.class()) {
            // A second class of the same name belongs to another game, whose tree says which one applies.
            let _ = classes.add_table(class.clone());
        }
    }
    classes
}

/// The tags that the arguments name, or all.
fn which(tree: &Tree, matches: &ArgMatches) -> Result<Vec<usize>, TreeError> {
    let named = words_of(matches, "TAGS");
    if named.is_empty() {
        return Ok((0..tree.tags.len()).collect());
    }
    named.iter().map(|written| tree.tag(written)).collect()
}

/// The text of a file. The missing side of a comparison has git's name for it, and is empty.
fn read_text(path: &Path) -> Result<String, TreeError> {
    if path == Path::new("/dev/null") {
        return Ok(String::new());
    }
    let bytes = files::read_at_most(path, TEXT_BYTES_MAX as u64)?;
    text_of(bytes).map_err(|error| TreeError::Text { file: path.display().to_string(), error })
}

/// The text that standard input holds.
fn text_of_stream(path: &Path) -> Result<String, Failure> {
    let bytes = read_input(path, TEXT_BYTES_MAX as u64)?;
    Ok(text_of(bytes).map_err(|error| format!("standard input: {error}"))?)
}

/// Any number of positional arguments.
fn words(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).num_args(0..).help(help)
}

/// A required positional argument.
fn word(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).required(true).help(help)
}

/// An option with a word that may be repeated.
fn repeated(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).action(ArgAction::Append).help(help)
}

fn word_of<'a>(matches: &'a ArgMatches, name: &str) -> &'a str {
    matches.get_one::<String>(name).map_or("", String::as_str)
}

fn words_of(matches: &ArgMatches, name: &str) -> Vec<String> {
    matches.get_many::<String>(name).map(|words| words.cloned().collect()).unwrap_or_default()
}

/// A finding in JSON.
fn json_of(finding: &Finding) -> Json {
    let (line, column) = finding.place.map_or((0, 0), |place| (place.line, place.column));
    Json::new()
        .text("file", &finding.file)
        .value("line", line)
        .value("column", column)
        .text("severity", finding.word())
        .text("message", &finding.message)
        .text("help", &finding.help)
}

/// A value truncated to one short line.
fn short(value: &str) -> String {
    const SHOWN_MAX: usize = 400;
    let line: String =
        value.chars().take(SHOWN_MAX).map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    if value.chars().nth(SHOWN_MAX).is_some() { format!("{line}…") } else { line }
}
