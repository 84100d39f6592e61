//! `astrarium tag …`: everything that can be done with tags from a command line.

mod ask;
mod check;
mod refs;

use std::path::PathBuf;

use astrarium::extra::{Arg, ArgAction, ArgMatches, Command, Extra, Failure, value_parser};
use astrarium::json::Json;
use forge::finding::Finding;
use forge::tree::{Tree, find_root};

/// The commands, for the program.
pub const EXTRA: Extra = Extra { command, carry_out };

fn command() -> Command {
    let tags = Arg::new("tags").long("tags").value_name("FOLDER").value_parser(value_parser!(PathBuf)).global(true);
    Command::new("tag")
        .about("Makes, shows, changes, checks, compares, merges, finds and renames tags")
        .subcommand_required(true)
        .arg(tags.help("The folder of the tree; the nearest one named `tags` if none is given"))
        .subcommand(check::command())
        .subcommand(refs::command())
        .subcommand(ask::command())
}

fn carry_out(matches: &ArgMatches) -> Result<(), Failure> {
    match matches.subcommand() {
        Some(("check", matches)) => check::carry_out(matches),
        Some(("refs", matches)) => refs::carry_out(matches),
        Some(("find", matches)) => ask::carry_out(matches),
        _ => Err(Failure::from(String::from("astrarium tag check|refs|find"))),
    }
}

/// The tree that is meant.
fn tree(matches: &ArgMatches) -> Result<Tree, String> {
    let root = find_root(matches.get_one::<PathBuf>("tags").map(PathBuf::as_path))?;
    // The games of this program have no classes of their own yet: all come from headers.
    Tree::open(&root, Vec::new())
}

/// Words behind a command, any number of them.
fn words(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).num_args(0..).help(help)
}

/// A word that must be there.
fn word(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).required(true).help(help)
}

/// A flag with a word that may be given several times.
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

/// "1 tag", "2 tags".
fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}
