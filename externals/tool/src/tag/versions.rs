//! `tag log` and `tag status`: the history and the state of tags in git, by meaning.

use crate::arguments::{json, number};
use crate::error::Failure;
use crate::json::Json;
use astrarium::GameEntry;
use clap::{Arg, ArgMatches, Command};
use forge::diff::Change;
use forge::file_merge::told;
use forge::versions::{FileChange, Version, history, state};

use super::{counted, own_tree, word, word_of};

/// `tag log`.
pub fn log_command() -> Command {
    Command::new("log")
        .about("Lists the commits that changed a tag, and what each changed, by meaning")
        .arg(word("TAG", "The tag; a file of the tree that is gone may be named too"))
        .arg(Arg::new("PLACE").help("Only changes at this place, as in hull or mounts[nose]"))
        .arg(number("most", "The maximum number of commits, at least 1", "20"))
        .arg(json())
}

/// `tag status`.
pub fn status_command() -> Command {
    Command::new("status").about("Lists the tags that differ from the last commit, and how, by meaning").arg(json())
}

/// `tag log`.
pub fn log(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), Failure> {
    let tree = own_tree(matches, games)?;
    let named = word_of(matches, "TAG");
    // A tag that is gone has a history too.
    let path = match tree.tag(named) {
        Ok(tag) => tree.tags[tag].path.as_str().to_string(),
        Err(_) => tree.path_of(named)?.as_str().to_string(),
    };
    let most = matches.get_one::<u64>("most").map_or(20, |most| (*most).clamp(1, 10_000) as usize);
    let mut versions = history(&tree, &path, most)?;
    if let Some(place) = matches.get_one::<String>("PLACE") {
        versions.retain_mut(|version| is_at(&mut version.change, place));
    }
    if matches.get_flag("json") {
        println!("{}", Json::new().text("tag", &path).list("versions", versions.iter().map(json_of_version)).finish());
        return Ok(());
    }
    if versions.is_empty() {
        println!("no commit changed {path}");
    }
    for Version { commit, date, author, subject, change } in &versions {
        println!("{commit} {date} {author}: {subject}");
        lines_of(change).iter().for_each(|line| println!("  {line}"));
    }
    Ok(())
}

/// `tag status`.
pub fn status(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), Failure> {
    let tree = own_tree(matches, games)?;
    let files = state(&tree)?;
    if matches.get_flag("json") {
        let rows = files.iter().map(|file| json_of_change(Json::new().text("path", &file.path), &file.change));
        println!("{}", Json::new().value("count", files.len()).list("files", rows).finish());
        return Ok(());
    }
    if files.is_empty() {
        println!("no file differs from the last commit");
    }
    for file in &files {
        println!("{}", file.path);
        lines_of(&file.change).iter().for_each(|line| println!("  {line}"));
    }
    Ok(())
}

/// Keeps the changes at a place, or in it. False if there are none.
fn is_at(change: &mut FileChange, place: &str) -> bool {
    let FileChange::Changes(changes) = change else { return false };
    changes.retain(|change| {
        let found = change.place.to_string();
        let rest = found.strip_prefix(place);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    });
    !changes.is_empty()
}

fn lines_of(change: &FileChange) -> Vec<String> {
    match change {
        FileChange::Added => vec![String::from("new")],
        FileChange::Removed => vec![String::from("removed")],
        FileChange::Unreadable(why) => vec![why.clone()],
        FileChange::Lines(count) => vec![format!("{}, and no value", counted(*count, "line"))],
        FileChange::Changes(changes) => changes.iter().map(told).collect(),
    }
}

fn json_of_version(version: &Version) -> Json {
    let json = Json::new().text("commit", &version.commit).text("date", &version.date);
    json_of_change(json.text("author", &version.author).text("subject", &version.subject), &version.change)
}

fn json_of_change(json: Json, change: &FileChange) -> Json {
    let kind = match change {
        FileChange::Added => "added",
        FileChange::Removed => "removed",
        FileChange::Unreadable(_) => "unreadable",
        FileChange::Lines(_) => "lines",
        FileChange::Changes(_) => "changed",
    };
    let changes: &[Change] = if let FileChange::Changes(changes) = change { changes } else { &[] };
    json.text("kind", kind).list("changes", changes.iter().map(super::diff::json_of_change))
}
