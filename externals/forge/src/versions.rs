//! The state and the history of tags in git: what differs from the last commit, and what each commit changed, by meaning.
//!
//! Law: git is only asked; nothing is written.

use std::io::ErrorKind;
use std::path::Path;
use std::time::{Duration, Instant};

use host::files::{self, FileError};
use host::tool;

use crate::classes::Classes;
use crate::diff::Change;
use crate::file_merge::{Comparison, class_of, compare};
use crate::git::GitError;
use crate::tree::Tree;

/// How long git may take to answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// The longest answer of git: the largest text of a tag and a long list of names fit.
const ANSWER_BYTES_MAX: u64 = 64 << 20;

/// What separates the parts of a line of the log.
const BETWEEN: char = '\u{1f}';

/// What changed between two versions of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileChange {
    /// There was no file before.
    Added,
    /// The file is gone.
    Removed,
    /// Its values changed.
    Changes(Vec<Change>),
    /// Only its notation changed, or it is no tag.
    Lines(usize),
    /// It cannot be read, or is too long: why.
    Unreadable(String),
}

/// A commit that changed a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The first letters of its hash.
    pub commit: String,
    /// Its date, as 2026-11-18.
    pub date: String,
    /// Its author.
    pub author: String,
    /// The first line of its message.
    pub subject: String,
    /// What it changed.
    pub change: FileChange,
}

/// A file that differs from the last commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Its path in the tree.
    pub path: String,
    /// How it differs.
    pub change: FileChange,
}

/// The commits that changed a file of the tree, the newest first.
pub fn history(tree: &Tree, path: &str, most: usize) -> Result<Vec<Version>, GitError> {
    let format = format!("--format=%H{BETWEEN}%h{BETWEEN}%ad{BETWEEN}%an{BETWEEN}%s");
    let most = format!("-n{most}");
    let listed = ask(tree, &["log", &most, "--date=short", &format, "--", path])?;
    let rows = listed.lines().filter_map(|line| {
        let mut parts = line.splitn(5, BETWEEN);
        let [hash, commit, date, author, subject] = std::array::from_fn(|_| parts.next().map(str::to_string));
        Some((hash?, commit?, date?, author?, subject?))
    });
    let versions = rows.map(|(hash, commit, date, author, subject)| {
        let (before, after) = (text_at(tree, &format!("{hash}^"), path), text_at(tree, &hash, path));
        Version { commit, date, author, subject, change: change_of(&tree.classes, path, before, after) }
    });
    Ok(versions.collect())
}

/// The files of the tree that differ from the last commit.
pub fn state(tree: &Tree) -> Result<Vec<ChangedFile>, GitError> {
    let has_commit = ask(tree, &["rev-parse", "--verify", "--quiet", "HEAD"]).is_ok();
    let mut paths: Vec<String> = Vec::new();
    if has_commit {
        paths.extend(names(&ask(
            tree,
            &["diff", "--name-only", "--no-renames", "--relative", "-z", "HEAD", "--", "."],
        )?));
    } else {
        paths.extend(names(&ask(tree, &["ls-files", "-z", "--", "."])?));
    }
    paths.extend(names(&ask(tree, &["ls-files", "--others", "--exclude-standard", "-z", "--", "."])?));
    paths.sort();
    paths.dedup();
    let files = paths.into_iter().map(|path| {
        let before = has_commit.then(|| text_at(tree, "HEAD", &path)).flatten();
        let change = match text_now(&tree.root.join(&path)) {
            Ok(after) => change_of(&tree.classes, &path, before, after),
            Err(error) => FileChange::Unreadable(error.to_string()),
        };
        ChangedFile { change, path }
    });
    Ok(files.collect())
}

/// The text of a file as git sees it: that of a link is where it leads to. None if there is no file.
fn text_now(file: &Path) -> Result<Option<String>, FileError> {
    if let Ok(target) = file.read_link() {
        return Ok(Some(target.to_string_lossy().into_owned()));
    }
    match files::read_at_most(file, ANSWER_BYTES_MAX) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn names(listed: &str) -> Vec<String> {
    listed.split('\0').filter(|name| !name.is_empty()).map(str::to_string).collect()
}

fn change_of(classes: &Classes, path: &str, before: Option<String>, after: Option<String>) -> FileChange {
    let (before, after) = match (before, after) {
        (None, _) => return FileChange::Added,
        (_, None) => return FileChange::Removed,
        (Some(before), Some(after)) => (before, after),
    };
    let class = class_of(classes, path, &[&before, &after]);
    match compare(&before, &after, class.as_ref()) {
        Comparison::Changes(changes) => FileChange::Changes(changes),
        Comparison::Lines(lines, _) => {
            let is_changed = |line: &&crate::line_merge::Line<'_>| !matches!(line, crate::line_merge::Line::Same(_));
            FileChange::Lines(lines.iter().filter(is_changed).count())
        }
    }
}

/// The text of a file in a commit, if it is there.
fn text_at(tree: &Tree, commit: &str, path: &str) -> Option<String> {
    ask(tree, &["show", "--no-textconv", "--no-ext-diff", &format!("{commit}:./{path}")]).ok()
}

fn ask(tree: &Tree, words: &[&str]) -> Result<String, GitError> {
    let none = || GitError::NoRepository { root: tree.root.clone() };
    let folder = tree.root.to_str().ok_or_else(none)?;
    let words: Vec<&str> = ["-C", folder].into_iter().chain(words.iter().copied()).collect();
    tool::ask_at_most("git", &words, Instant::now() + PATIENCE, ANSWER_BYTES_MAX).ok_or_else(none)
}
