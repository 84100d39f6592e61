//! `tag merge`: a semantic three-way merge of a tag. Also git's merge driver.

use std::path::{Path, PathBuf};

use crate::arguments::{file, flag, is_standard_input, json};
use crate::error::Failure;
use crate::json::Json;
use astrarium::GameEntry;
use clap::{Arg, ArgMatches, Command};
use forge::file_merge::{class_of, merge};
use forge::tree_error::TreeError;
use host::files;

use super::{counted, known_classes, read_text, text_of_stream};

pub fn command() -> Command {
    Command::new("merge")
        .about("Merges two versions of a tag with a common base, by meaning; the result replaces OURS, or is printed if that is standard input")
        .arg(file("BASE").help("The common base; one of the three may be - for standard input"))
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
    let path_of = |name: &str| matches.get_one::<PathBuf>(name).cloned().unwrap_or_default();
    let files @ [_, ours, _] = &["BASE", "OURS", "THEIRS"].map(path_of);
    if files.iter().filter(|file| is_standard_input(file)).count() > 1 {
        return Err(Failure::from(String::from("expected standard input, `-`, for one of the three")));
    }
    let not_merged = |error: TreeError| format!("{error}; nothing was merged, and OURS is unchanged");
    let read = |file: &Path| match is_standard_input(file) {
        true => text_of_stream(file),
        false => Ok(read_text(file).map_err(not_merged)?),
    };
    let (base, our_text, theirs) = (read(&files[0])?, read(ours)?, read(&files[2])?);
    let shown = ours.display().to_string();
    let path = matches.get_one::<String>("path").map_or(shown.as_str(), String::as_str);
    let class = class_of(&known_classes(matches, games), path, &[&our_text, &theirs, &base]);
    let merged = merge(&base, &our_text, &theirs, class.as_ref());
    let is_print = matches.get_flag("print") || is_standard_input(ours);
    if !is_print && merged.text != our_text {
        files::write_atomically(ours, &[merged.text.as_bytes()])?;
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
