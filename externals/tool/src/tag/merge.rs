//! `tag merge`: a semantic three-way merge of a tag. Also git's merge driver.

use crate::arguments::{file, flag, json};
use crate::error::Failure;
use crate::json::Json;
use astrarium::GameEntry;
use clap::{Arg, ArgMatches, Command};
use forge::file_merge::{class_of, merge};
use forge::tree_error::TreeError;
use host::files;

use super::{counted, known_classes, read_text};

pub fn command() -> Command {
    Command::new("merge")
        .about("Merges two versions of a tag with a common base, by meaning; the result replaces OURS")
        .arg(file("BASE").help("The common base"))
        .arg(file("OURS").help("Our version; it is replaced by the result"))
        .arg(file("THEIRS").help("Their version"))
        .arg(
            Arg::new("path")
                .long("path")
                .value_name("PATH")
                .help("The path of the file, since git passes temporary files"),
        )
        .arg(flag("print", "Only print the result"))
        .arg(json())
}

pub fn carry_out(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), Failure> {
    let path_of = |name: &str| matches.get_one::<std::path::PathBuf>(name).cloned().unwrap_or_default();
    let ours = path_of("OURS");
    let texts = [read_text(&path_of("BASE")), read_text(&ours), read_text(&path_of("THEIRS"))];
    let [base, our_text, theirs] = texts;
    let not_merged = |error: TreeError| format!("{error}; nothing was merged, and OURS is unchanged");
    let (base, our_text, theirs) =
        (base.map_err(not_merged)?, our_text.map_err(not_merged)?, theirs.map_err(not_merged)?);
    let shown = ours.display().to_string();
    let path = matches.get_one::<String>("path").map_or(shown.as_str(), String::as_str);
    let class = class_of(&known_classes(matches, games), path, &[&our_text, &theirs, &base]);
    let merged = merge(&base, &our_text, &theirs, class.as_ref());
    let is_print = matches.get_flag("print");
    if !is_print && merged.text != our_text {
        files::write_atomically(&ours, &[merged.text.as_bytes()])?;
    }
    if let Some(why) = &merged.by_lines {
        eprintln!("{path}: merged by lines: {why}");
    }
    let json = Json::new()
        .text("path", path)
        .value("is_by_meaning", merged.by_lines.is_none())
        .texts("conflicts", &merged.conflicts);
    let json = if is_print { json.text("text", &merged.text) } else { json };
    if is_print && !matches.get_flag("json") {
        print!("{}", merged.text);
    }
    if !merged.conflicts.is_empty() {
        let conflicts = counted(merged.conflicts.len(), "conflict");
        let message = format!("{path}: {conflicts}, both versions are in the file:\n{}", merged.conflicts.join("\n"));
        return Err(Failure { message, found: json });
    }
    if matches.get_flag("json") {
        println!("{}", json.finish());
    }
    Ok(())
}
