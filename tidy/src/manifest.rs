//! A reader for the parts of a `Cargo.toml` that the checks need.
//!
//! Not a TOML parser: it handles sections, `key = value` with inline tables and arrays over several lines, and comments.
//! The manifests of this repository use nothing else.

use crate::tree::{Text, Tree};

/// A manifest, line by line.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// The file.
    pub path: String,
    /// Its entries, in order.
    pub entries: Vec<Entry>,
    /// Comments on separate lines: line and text, without the `#`.
    pub notes: Vec<(usize, String)>,
}

/// One `key = value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its section.
    pub section: String,
    /// The text before the `=`.
    pub key: String,
    /// The text after the `=`, without the comment.
    pub value: String,
    /// The comment on its line.
    pub comment: String,
    /// The line, from one.
    pub line: usize,
}

/// The use of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The crate itself.
    Crate,
    /// Its tests, examples and benchmarks.
    Tests,
    /// Its build script.
    Build,
}

/// One dependency of a crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// Its name in the code.
    pub name: String,
    /// Its use.
    pub purpose: Purpose,
    /// The package, if the manifest gives one that differs from the name.
    pub package: Option<String>,
    /// Whether version and path come from the workspace.
    pub is_of_workspace: bool,
    /// The line, from one.
    pub line: usize,
}

impl Manifest {
    /// Reads a manifest. Unknown syntax is skipped.
    pub fn read(file: &Text) -> Self {
        let mut manifest = Manifest { path: file.path.clone(), entries: Vec::new(), notes: Vec::new() };
        let mut section = String::new();
        let mut lines = file.text.lines().enumerate();
        while let Some((index, line)) = lines.next() {
            let (content, comment) = split_comment(line);
            let (mut content, comment) = (content.trim().to_owned(), comment.trim().to_owned());
            if content.is_empty() {
                if !comment.is_empty() {
                    manifest.notes.push((index + 1, comment));
                }
            } else if content.starts_with('[') {
                section = content.trim_matches(['[', ']']).trim().to_owned();
            } else {
                while depth(&content) > 0 {
                    let Some((_, more)) = lines.next() else { break };
                    content.push_str(split_comment(more).0.trim());
                }
                let (key, value) = content.split_once('=').unwrap_or((&content, ""));
                manifest.entries.push(Entry {
                    section: section.clone(),
                    key: key.trim().trim_matches('"').to_owned(),
                    value: value.trim().to_owned(),
                    comment,
                    line: index + 1,
                });
            }
        }
        manifest
    }

    /// The crates of the repository: every manifest with a package, without `peers/`, which is a workspace of its own.
    pub fn all(tree: &Tree) -> Vec<Manifest> {
        let is_manifest = |path: &str| path == "Cargo.toml" || path.ends_with("/Cargo.toml");
        tree.texts
            .iter()
            .filter(|file| is_manifest(&file.path) && !file.path.starts_with("peers/"))
            .map(Manifest::read)
            .filter(|manifest| manifest.package().is_some())
            .collect()
    }

    /// The folder that the manifest lies in.
    pub fn folder(&self) -> &str {
        self.path.strip_suffix("Cargo.toml").map_or("", |folder| folder.trim_end_matches('/'))
    }

    /// A value, without quotes.
    pub fn value(&self, section: &str, key: &str) -> Option<&str> {
        self.entries
            .iter()
            .find(|entry| entry.section == section && entry.key == key)
            .map(|entry| entry.value.trim_matches('"'))
    }

    /// The name of the package.
    pub fn package(&self) -> Option<&str> {
        self.value("package", "name")
    }

    /// The name of the library, explicit or derived from the package.
    pub fn library(&self) -> Option<String> {
        let explicit = self.value("lib", "name").map(str::to_owned);
        explicit.or_else(|| Some(self.package()?.replace('-', "_")))
    }

    /// Whether it is a crate of macros, which runs in the compiler only.
    pub fn is_macros(&self) -> bool {
        self.value("lib", "proc-macro") == Some("true")
    }

    /// All dependencies of the crate.
    pub fn dependencies(&self) -> Vec<Dependency> {
        let mut dependencies: Vec<Dependency> = Vec::new();
        for entry in &self.entries {
            let Some((purpose, own_section)) = purpose_of(&entry.section) else {
                continue;
            };
            let (name, part) = match own_section {
                Some(name) => (name, Some(entry.key.as_str())),
                None => match entry.key.split_once('.') {
                    Some((name, part)) => (name, Some(part)),
                    None => (entry.key.as_str(), None),
                },
            };
            let read = |key: &str| match part {
                Some(part) => (part == key).then(|| entry.value.clone()),
                None => inline(&entry.value, key),
            };
            let is_same = |known: &&mut Dependency| known.name == name && known.purpose == purpose;
            let dependency = match dependencies.iter_mut().find(is_same) {
                Some(known) => known,
                None => {
                    dependencies.push(Dependency {
                        name: name.to_owned(),
                        purpose,
                        package: None,
                        is_of_workspace: false,
                        line: entry.line,
                    });
                    dependencies.last_mut().expect("an entry was just pushed")
                }
            };
            dependency.is_of_workspace |= read("workspace").as_deref() == Some("true");
            if let Some(package) = read("package") {
                dependency.package = Some(package.trim_matches('"').to_owned());
            }
        }
        dependencies
    }
}

/// A value of an inline table, verbatim.
pub fn inline(table: &str, key: &str) -> Option<String> {
    let inside = table.trim().strip_prefix('{')?.strip_suffix('}')?;
    split_outside(inside, ',').into_iter().find_map(|pair| {
        let (own, value) = pair.split_once('=')?;
        (own.trim() == key).then(|| value.trim().to_owned())
    })
}

/// For a section of dependencies: their use and, if the section is for a single one, its name.
fn purpose_of(section: &str) -> Option<(Purpose, Option<&str>)> {
    let kinds = [
        ("dev-dependencies", Purpose::Tests),
        ("build-dependencies", Purpose::Build),
        ("dependencies", Purpose::Crate),
    ];
    if section.starts_with("workspace") {
        return None;
    }
    kinds.into_iter().find_map(|(kind, purpose)| {
        let start = section.rfind(kind)?;
        let is_whole = start == 0 || section[..start].ends_with('.');
        let name = section[start + kind.len()..].strip_prefix('.');
        is_whole.then_some((purpose, name))
    })
}

fn split_comment(line: &str) -> (&str, &str) {
    let mut is_quoted = false;
    for (at, char) in line.char_indices() {
        match char {
            '"' => is_quoted = !is_quoted,
            '#' if !is_quoted => return (&line[..at], &line[at + 1..]),
            _ => {}
        }
    }
    (line, "")
}

fn depth(text: &str) -> i32 {
    let mut is_quoted = false;
    text.chars().fold(0, |depth, char| {
        is_quoted ^= char == '"';
        match char {
            '[' | '{' if !is_quoted => depth + 1,
            ']' | '}' if !is_quoted => depth - 1,
            _ => depth,
        }
    })
}

fn split_outside(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, char) in text.char_indices() {
        if char == separator && depth(&text[start..at]) == 0 && text[start..at].matches('"').count().is_multiple_of(2) {
            parts.push(&text[start..at]);
            start = at + char.len_utf8();
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Manifest {
        Manifest::read(&Text::new("core/base/Cargo.toml", text))
    }

    #[test]
    fn entries_know_section_comment_and_line() {
        let manifest = read("[a]\n# note\nb = { c = \"#\", d = [1, 2] } # door\nlist = [\n  \"x\", # y\n]\n");
        assert_eq!(manifest.notes, [(2, "note".to_owned())]);
        let first = &manifest.entries[0];
        assert_eq!((first.key.as_str(), first.comment.as_str(), first.line), ("b", "door", 3));
        assert_eq!(inline(&first.value, "c").as_deref(), Some("\"#\""));
        assert_eq!(inline(&first.value, "d").as_deref(), Some("[1, 2]"));
        assert_eq!(manifest.value("a", "list"), Some("[\"x\",]"));
        assert_eq!(manifest.folder(), "core/base");
    }

    #[test]
    fn dependencies_are_found_in_every_form() {
        let manifest = read(
            "[dependencies]\na.workspace = true\nb = \"1\"\nc = { package = \"d\", path = \"..\" }\n\
             [target.'cfg(unix)'.dev-dependencies]\ne = { workspace = true }\n\
             [build-dependencies.f]\npackage = \"g\"\nworkspace = true\n\
             [workspace.dependencies]\nh = \"1\"\n",
        );
        let found: Vec<_> = manifest
            .dependencies()
            .into_iter()
            .map(|own| (own.name, own.purpose, own.package, own.is_of_workspace))
            .collect();
        let expected = [
            ("a", Purpose::Crate, None, true),
            ("b", Purpose::Crate, None, false),
            ("c", Purpose::Crate, Some("d"), false),
            ("e", Purpose::Tests, None, true),
            ("f", Purpose::Build, Some("g"), true),
        ]
        .map(|(name, purpose, package, is_of_workspace)| {
            (name.to_owned(), purpose, package.map(str::to_owned), is_of_workspace)
        });
        assert_eq!(found, expected);
    }

    #[test]
    fn library_names_are_explicit_or_derived() {
        assert_eq!(read("[package]\nname = \"a-b\"").library().as_deref(), Some("a_b"));
        assert_eq!(read("[package]\nname = \"a-b\"\n[lib]\nname = \"b\"").library().as_deref(), Some("b"));
        assert!(read("[lib]\nproc-macro = true").is_macros());
    }
}
