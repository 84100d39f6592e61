//! `tag diff`: a semantic diff of two versions of a tag. Also git's diff driver.

use astrarium::GameEntry;
use std::path::{Path, PathBuf};

use crate::arguments::{is_standard_input, json};
use crate::error::Failure;
use crate::json::Json;
use clap::{Arg, ArgMatches, Command};
use forge::diff::Change;
use forge::file_merge::{Comparison, class_of, compare, told};
use forge::line_merge::Line;

use super::{known_classes, read_text, text_of_stream, tree, words_of};

/// The numbers of arguments with which git calls a driver: the path, then name, hash and mode of the old and of the new
/// file; for a renamed file also its new path and the similarity; for an unmerged file only the path.
const GIT: [usize; 3] = [7, 9, 1];

pub fn command() -> Command {
    let versions =
        "Two files or tags, one of which may be - for standard input; or the seven arguments of a git diff driver";
    Command::new("diff")
        .about("Compares two versions of a tag by meaning, not by lines")
        .arg(Arg::new("VERSIONS").required(true).num_args(1..=9).help(versions))
        .arg(json())
}

pub fn carry_out(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), Failure> {
    let words = words_of(matches, "VERSIONS");
    let (path, old, new) = match words.as_slice() {
        [old, new] => (new.clone(), file_of(matches, games, old)?, file_of(matches, games, new)?),
        [path] => {
            println!("{path} is not merged yet");
            return Ok(());
        }
        [path, old, _, _, new, ..] if GIT.contains(&words.len()) => {
            (path.clone(), PathBuf::from(old), PathBuf::from(new))
        }
        _ => {
            return Err(Failure::from(String::from(
                "expected two files or tags, or the seven arguments of a git diff driver",
            )));
        }
    };
    let is_git = words.len() > 2;
    if is_standard_input(&old) && is_standard_input(&new) {
        return Err(Failure::from(String::from("expected standard input, `-`, for one of the two")));
    }
    let read = |path: &Path| match is_standard_input(path) {
        true => Ok(Ok(text_of_stream(path)?)),
        false => Ok::<_, Failure>(read_text(path)),
    };
    let (before, after) = (read(&old)?, read(&new)?);
    let (before, after) = match (before, after) {
        (Ok(before), Ok(after)) => (before, after),
        // With git this is not a failure: git would stop at it.
        (Err(trouble), _) | (_, Err(trouble)) if is_git => {
            println!("tag {path}\n{trouble}");
            return Ok(());
        }
        (Err(trouble), _) | (_, Err(trouble)) => return Err(Failure::from(trouble)),
    };
    let class = class_of(&known_classes(matches, games), &path, &[&before, &after]);
    let comparison = compare(&before, &after, class.as_ref());
    if matches.get_flag("json") {
        println!("{}", json_of_comparison(&path, &comparison).finish());
        return Ok(());
    }
    if is_git {
        let was = if old == Path::new("/dev/null") { " is new" } else { "" };
        let is = if new == Path::new("/dev/null") { " is gone" } else { "" };
        let moved = words.get(7).map_or(String::new(), |new_path| format!(" → {new_path}"));
        println!("tag {path}{moved}{was}{is}");
    }
    match &comparison {
        Comparison::Changes(changes) if changes.is_empty() => println!("no differences"),
        Comparison::Changes(changes) => changes.iter().for_each(|change| println!("{}", told(change))),
        Comparison::Lines(lines, why) => {
            println!("compared by lines: {why}");
            for line in lines {
                match line {
                    Line::Same(_) => {}
                    Line::Removed(line) => println!("- {}", line.trim_end()),
                    Line::Added(line) => println!("+ {}", line.trim_end()),
                }
            }
        }
    }
    Ok(())
}

/// A file, or the file of a tag.
fn file_of(matches: &ArgMatches, games: &[GameEntry], written: &str) -> Result<PathBuf, Failure> {
    let file = PathBuf::from(written);
    if file.exists() || written == "/dev/null" || is_standard_input(&file) {
        return Ok(file);
    }
    let tree = tree(matches, games).map_err(|_| format!("{written}: there is no such file"))?;
    let tag = tree.tag(written)?;
    Ok(tree.file(tree.tags[tag].path.as_str()))
}

fn json_of_comparison(path: &str, comparison: &Comparison<'_>) -> Json {
    let json = Json::new().text("path", path);
    match comparison {
        Comparison::Changes(changes) => json
            .value("is_by_meaning", true)
            .value("count", changes.len())
            .list("changes", changes.iter().map(json_of_change)),
        Comparison::Lines(lines, why) => {
            let of = |kind: &str, line: &str| Some(Json::new().text("kind", kind).text("line", line));
            let rows = lines.iter().filter_map(|line| match line {
                Line::Same(_) => None,
                Line::Removed(line) => of("removed", line),
                Line::Added(line) => of("added", line),
            });
            let rows: Vec<Json> = rows.collect();
            json.value("is_by_meaning", false).text("why", why).value("count", rows.len()).list("changes", rows)
        }
    }
}

/// A change by meaning.
pub fn json_of_change(change: &Change) -> Json {
    let row =
        Json::new().text("kind", &format!("{:?}", change.kind).to_lowercase()).text("place", &change.place.to_string());
    let row = change.before.iter().fold(row, |row, text| row.text("before", text));
    change.after.iter().fold(row, |row, text| row.text("after", text))
}
