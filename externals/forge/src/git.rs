//! Git integration: semantic diff and merge drivers for tags.
//!
//! Two places are written: `.gitattributes` in the tree's folder, which is committed, and the local configuration of
//! the repository. Other lines in either stay.

use std::error::Error;
use std::fmt;
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

/// Files that are no tags even in a tree: git compares and merges them as it always does.
const OTHERS: [&str; 6] = ["*.md", "*.txt", "*.json", "*.toml", ".*", "*.lscript"];

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

/// Why the drivers are not installed or removed.
#[derive(Debug)]
pub enum GitError {
    /// The tree is not in a repository, or git is not installed.
    NoRepository {
        /// The root of the tree.
        root: PathBuf,
    },
    /// The tree has no classes.
    NoClasses {
        /// The root of the tree.
        root: PathBuf,
    },
    /// Git refused a setting.
    Setting {
        /// The name of the setting.
        name: String,
    },
    /// The file of attributes cannot be read or written.
    File(FileError),
    /// The file of attributes is not UTF-8 text.
    NotText {
        /// The file.
        file: PathBuf,
    },
}

impl fmt::Display for GitError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GitError::NoRepository { root } => {
                write!(out, "{} is not in a git repository, or git is not installed", root.display())
            }
            GitError::NoClasses { root } => {
                write!(out, "{} has no classes yet, so there are no tags to compare", root.display())
            }
            GitError::Setting { name } => write!(out, "git did not take the setting {name}"),
            GitError::File(error) => error.fmt(out),
            GitError::NotText { file } => write!(out, "{}: expected UTF-8 text", file.display()),
        }
    }
}

impl Error for GitError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            GitError::File(error) => Some(error),
            _ => None,
        }
    }
}

impl From<FileError> for GitError {
    fn from(error: FileError) -> GitError {
        GitError::File(error)
    }
}

/// Installs the drivers for the tags of a tree: `program` is the path of this program.
pub fn install(tree: &Tree, program: &str) -> Result<GitSetup, GitError> {
    let (repository, prefix) = repository_of(tree)?;
    let classes: Vec<String> = tree.classes.names().map(String::from).collect();
    if classes.is_empty() {
        return Err(GitError::NoClasses { root: tree.root.clone() });
    }
    // All files, so that classes that are added later, and headers, are covered in every clone. What is no tag, the drivers treat by
    // lines.
    let others: String = OTHERS.iter().map(|other| format!("{other} !diff !merge\n")).collect();
    let lines = format!("* diff={DRIVER} merge={DRIVER}\n{others}");
    let attributes = write_attributes(tree, &format!("{FIRST}\n{lines}{LAST}\n"))?;
    let (program, prefix) = (quoted(program), quoted(&prefix));
    for (name, value) in [
        ("diff.*.command", format!("{program} tag diff --tags {prefix}")),
        ("merge.*.name", String::from("tags by meaning")),
        ("merge.*.driver", format!("{program} tag merge --tags {prefix} --path %P %O %A %B")),
    ] {
        let name = name.replace('*', DRIVER);
        git(tree, &["config", "--local", &name, &value]).ok_or(GitError::Setting { name })?;
    }
    Ok(GitSetup { attributes, repository, classes })
}

/// Removes the drivers.
pub fn remove(tree: &Tree) -> Result<GitSetup, GitError> {
    let (repository, _) = repository_of(tree)?;
    let attributes = write_attributes(tree, "")?;
    for part in ["diff", "merge"] {
        // It is fine if there is no such section.
        let _ = git(tree, &["config", "--local", "--remove-section", &format!("{part}.{DRIVER}")]);
    }
    Ok(GitSetup { attributes, repository, classes: Vec::new() })
}

/// The folder of the repository, and the path of the tree in it.
fn repository_of(tree: &Tree) -> Result<(String, String), GitError> {
    let ask =
        |question| git(tree, &["rev-parse", question]).map(|answer| answer.trim_end_matches(['\n', '\r']).to_string());
    let none = || GitError::NoRepository { root: tree.root.clone() };
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

/// Replaces our lines in the file. They stand first, so that all other lines count more.
fn write_attributes(tree: &Tree, ours: &str) -> Result<PathBuf, GitError> {
    let file = tree.root.join(".gitattributes");
    let before = match files::read_at_most(&file, ATTRIBUTES_BYTES_MAX) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| GitError::NotText { file: file.clone() })?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error.into()),
    };
    let after = with_lines(&before, ours);
    if after.is_empty() && !before.is_empty() {
        files::remove(&file)?;
    } else if after != before {
        files::write_atomically(&file, &[after.as_bytes()])?;
    }
    Ok(file)
}

fn with_lines(before: &str, ours: &str) -> String {
    let mut after = String::from(ours);
    let mut is_ours = false;
    for line in before.split_inclusive('\n') {
        is_ours |= line.trim_end() == FIRST;
        if !is_ours {
            after.push_str(line);
        }
        is_ours &= line.trim_end() != LAST;
    }
    after
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
        assert_eq!(with_lines("*.png binary", &ours), format!("{ours}*.png binary"));
        let twice = with_lines(&format!("a\n{ours}b\n"), &ours);
        assert_eq!(twice, format!("{ours}a\nb\n"));
        assert_eq!(with_lines(&twice, ""), "a\nb\n");
        assert_eq!(with_lines(&ours, ""), "");
    }

    #[test]
    fn a_word_with_quotes_is_one_word_to_a_shell() {
        assert_eq!(quoted("it's here"), "'it'\\''s here'");
    }
}
