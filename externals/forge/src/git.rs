//! Git integration: semantic diff and merge drivers for tags.
//!
//! Two places are written: `.gitattributes` in the tree's folder, which is committed, and the local configuration of
//! the repository. Other lines in either stay.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use host::files::{self, FileError};
use host::tool;

use crate::tree::Tree;

/// The name of the drivers.
pub const DRIVER: &str = "astrarium-tag";

const FIRST: &str = "# Tags are compared and merged by meaning: astrarium tag git --install";
const LAST: &str = "# Up to here: astrarium tag git --remove";

/// How long git may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// The largest `.gitattributes` that is edited.
const ATTRIBUTES_BYTES_MAX: u64 = 1 << 20;

/// The files and settings that were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitSetup {
    /// The file of attributes.
    pub attributes: PathBuf,
    /// The folder of the repository.
    pub repository: String,
    /// The classes whose tags are covered.
    pub classes: Vec<String>,
}

/// Installs the drivers for the tags of a tree: `program` is the path of this program.
pub fn install(tree: &Tree, program: &str) -> Result<GitSetup, String> {
    let (repository, prefix) = repository_of(tree)?;
    let classes: Vec<String> = tree.classes.names().map(String::from).collect();
    if classes.is_empty() {
        return Err(format!("{} has no classes yet, so there are no tags to compare", tree.root.display()));
    }
    let lines: String = classes.iter().map(|class| format!("*.{class} diff={DRIVER} merge={DRIVER}\n")).collect();
    let attributes = write_attributes(tree, &format!("{FIRST}\n{lines}{LAST}\n"))?;
    let (program, prefix) = (quoted(program), quoted(&prefix));
    for (name, value) in [
        ("diff.*.command", format!("{program} tag diff --tags {prefix}")),
        ("merge.*.name", String::from("tags by meaning")),
        ("merge.*.driver", format!("{program} tag merge --tags {prefix} --path %P %O %A %B")),
    ] {
        let name = name.replace('*', DRIVER);
        git(tree, &["config", "--local", &name, &value]).ok_or_else(|| format!("git did not take {name}"))?;
    }
    Ok(GitSetup { attributes, repository, classes })
}

/// Removes the drivers.
pub fn remove(tree: &Tree) -> Result<GitSetup, String> {
    let (repository, _) = repository_of(tree)?;
    let attributes = write_attributes(tree, "")?;
    for part in ["diff", "merge"] {
        // It is fine if there is no such section.
        let _ = git(tree, &["config", "--local", "--remove-section", &format!("{part}.{DRIVER}")]);
    }
    Ok(GitSetup { attributes, repository, classes: Vec::new() })
}

/// The folder of the repository, and the path of the tree in it.
fn repository_of(tree: &Tree) -> Result<(String, String), String> {
    let ask =
        |question| git(tree, &["rev-parse", question]).map(|answer| answer.trim_end_matches(['\n', '\r']).to_string());
    let none = || format!("{} is not in a git repository, or git is not installed", tree.root.display());
    let top = ask("--show-toplevel").filter(|top| !top.is_empty()).ok_or_else(none)?;
    let prefix = ask("--show-prefix").ok_or_else(none)?;
    let prefix = if prefix.is_empty() { String::from(".") } else { prefix.trim_end_matches('/').to_string() };
    Ok((top, prefix))
}

fn git(tree: &Tree, words: &[&str]) -> Option<String> {
    let folder = tree.root.to_str()?;
    let words: Vec<&str> = ["-C", folder].into_iter().chain(words.iter().copied()).collect();
    tool::ask("git", &words, Instant::now() + PATIENCE)
}

/// Replaces our lines in the file, or appends them.
fn write_attributes(tree: &Tree, ours: &str) -> Result<PathBuf, String> {
    let file = tree.root.join(".gitattributes");
    let told = |error: FileError| error.to_string();
    let before = match files::read_at_most(&file, ATTRIBUTES_BYTES_MAX) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| format!("{}: expected text", file.display()))?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error.to_string()),
    };
    let after = with_lines(&before, ours);
    if after.is_empty() && !before.is_empty() {
        files::remove(&file).map_err(told)?;
    } else if after != before {
        files::write_atomically(&file, &[after.as_bytes()]).map_err(told)?;
    }
    Ok(file)
}

fn with_lines(before: &str, ours: &str) -> String {
    let mut after = String::new();
    let mut is_ours = false;
    for line in before.split_inclusive('\n') {
        is_ours |= line.trim_end() == FIRST;
        if !is_ours {
            after.push_str(line);
        }
        is_ours &= line.trim_end() != LAST;
    }
    if !ours.is_empty() && !after.is_empty() && !after.ends_with('\n') {
        after.push('\n');
    }
    after + ours
}

/// A word quoted for the shell that git runs programs with.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_lines_are_added_and_removed_and_others_stay() {
        let ours = format!("{FIRST}\n*.ship x\n{LAST}\n");
        assert_eq!(with_lines("", &ours), ours);
        assert_eq!(with_lines("*.png binary", &ours), format!("*.png binary\n{ours}"));
        let twice = with_lines(&format!("a\n{ours}b\n"), &ours);
        assert_eq!(twice, format!("a\nb\n{ours}"));
        assert_eq!(with_lines(&twice, ""), "a\nb\n");
        assert_eq!(with_lines(&ours, ""), "");
    }

    #[test]
    fn a_word_with_quotes_is_one_word_to_a_shell() {
        assert_eq!(quoted("it's here"), "'it'\\''s here'");
    }
}
