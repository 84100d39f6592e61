//! The files of the repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One text file.
#[derive(Clone, Debug)]
pub struct Text {
    /// The path from the root of the repository, with `/`.
    pub path: String,
    /// Its content.
    pub text: String,
}

impl Text {
    /// A synthetic file, for examples.
    pub fn new(path: &str, text: &str) -> Self {
        Text { path: path.to_owned(), text: text.to_owned() }
    }

    /// Whether the path ends in `.extension`.
    pub fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|own| own == extension)
    }
}

/// All files of the repository. Of binary files only the path is read.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Every path, sorted.
    pub paths: Vec<String>,
    /// Every file that is valid UTF-8, sorted by path.
    pub texts: Vec<Text>,
}

impl Tree {
    /// Reads this repository: tracked files and untracked ones that git does not ignore. Without git, everything but `target`
    /// folders and hidden folders other than `.ci`. Panics if the folder cannot be read.
    pub fn here() -> Self {
        let root = root();
        let mut paths = git_paths(&root).unwrap_or_else(|| walked_paths(&root));
        paths.retain(|path| root.join(path).is_file());
        paths.sort();
        paths.dedup();
        assert!(paths.iter().any(|path| path == "ARCHITECTURE.md"), "this is not the repository: {}", root.display());
        let read = |path: &String| {
            let text = fs::read_to_string(root.join(path)).ok()?;
            Some(Text { path: path.clone(), text })
        };
        let texts = paths.iter().filter_map(read).collect();
        Tree { paths, texts }
    }

    /// A synthetic tree, for examples.
    pub fn of(files: &[(&str, &str)]) -> Self {
        let texts: Vec<Text> = files.iter().map(|(path, text)| Text::new(path, text)).collect();
        Tree { paths: texts.iter().map(|text| text.path.clone()).collect(), texts }
    }

    /// The text of one file.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.texts.iter().find(|text| text.path == path).map(|text| text.text.as_str())
    }

    /// All Rust sources, without those of `peers/`, which is a workspace with rules of its own.
    pub fn sources(&self) -> impl Iterator<Item = &Text> {
        self.texts.iter().filter(|text| text.has_extension("rs") && !text.path.starts_with("peers/"))
    }

    /// Whether there is a file or a folder with this path.
    pub fn has(&self, path: &str) -> bool {
        let folder = format!("{path}/");
        path.is_empty() || self.paths.iter().any(|own| own == path || own.starts_with(&folder))
    }
}

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("this crate is in a folder of the repository").to_owned()
}

fn git_paths(root: &Path) -> Option<Vec<String>> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .ok()?;
    let list = String::from_utf8(output.stdout).ok()?;
    let paths: Vec<String> = list.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect();
    (output.status.success() && !paths.is_empty()).then_some(paths)
}

fn walked_paths(root: &Path) -> Vec<String> {
    let mut paths = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(root.join(&folder)).expect("a folder of the repository can be read");
        for entry in entries.flatten() {
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let path = format!("{folder}{name}");
            if !entry.path().is_dir() {
                paths.push(path);
            } else if name != "target" && (name == ".ci" || !name.starts_with('.')) {
                folders.push(format!("{path}/"));
            }
        }
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walking_finds_what_git_finds() {
        let walked = walked_paths(&root());
        for path in ["ARCHITECTURE.md", "tidy/src/tree.rs", "core/clippy.toml"] {
            assert!(walked.iter().any(|own| own == path), "{path}");
        }
        assert!(!walked.iter().any(|path| path.starts_with(".git/") || path.starts_with("target/")));
    }

    #[test]
    fn folders_exist_through_their_files() {
        let tree = Tree::of(&[("a/b/c.md", "")]);
        assert!(tree.has("a/b") && tree.has("a/b/c.md") && tree.has(""));
        assert!(!tree.has("a/b/c") && !tree.has("a/c.md"));
    }
}
