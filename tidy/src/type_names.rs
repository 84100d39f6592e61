//! A type name is declared once per crate.
//!
//! Two types of one name in one crate cannot be distinguished in a message, a search or a debugger. Tests may repeat names; so may code
//! for one platform that replaces other code (`#[cfg(…)]` on the type or on its module), and associated types.

use std::collections::BTreeMap;

use crate::complaint::Complaint;
use crate::manifest::Manifest;
use crate::source::{code, is_for_tests, outside_tests, words};
use crate::tree::{Text, Tree};

/// Checks every crate of the tree.
pub fn check(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for manifest in Manifest::all(tree) {
        let sources = format!("{}/src/", manifest.folder());
        let is_own = |file: &&Text| file.path.starts_with(&sources) && !is_for_tests(&file.path);
        let files: Vec<&Text> = tree.sources().filter(is_own).collect();
        let conditional: Vec<String> = files.iter().flat_map(|file| conditional_modules(file)).collect();
        complaints.extend(check_crate(files.into_iter().filter(|file| !conditional.contains(&file.path))));
    }
    complaints
}

/// Checks the sources of one crate.
pub fn check_crate<'tree>(files: impl Iterator<Item = &'tree Text>) -> Vec<Complaint> {
    let mut first_places: BTreeMap<String, (String, usize)> = BTreeMap::new();
    let mut complaints = Vec::new();
    for file in files {
        for (name, line) in declared(&outside_tests(&code(&file.text))) {
            match first_places.get(&name) {
                Some((path, first)) => {
                    let what = format!("{name} is also declared at {path}:{first}: rename one of the two");
                    complaints.push(Complaint::at(&file.path, line, what));
                }
                None => {
                    first_places.insert(name, (file.path.clone(), line));
                }
            }
        }
    }
    complaints
}

/// The files of the modules that a file declares under a `#[cfg(…)]`.
fn conditional_modules(file: &Text) -> Vec<String> {
    let folder = match file.path.strip_suffix("/lib.rs").or(file.path.strip_suffix("/main.rs")) {
        Some(folder) => folder,
        None => file.path.trim_end_matches(".rs"),
    };
    let lines: Vec<&str> = file.text.lines().collect();
    let pairs = lines.windows(2).filter(|pair| pair[0].trim_start().starts_with("#[cfg("));
    let names = pairs.filter_map(|pair| pair[1].trim().strip_prefix("mod ")?.strip_suffix(';'));
    names.map(|name| format!("{folder}/{name}.rs")).collect()
}

/// The types that some code declares, with their lines.
fn declared(code: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = code.lines().collect();
    let words = words(code);
    let mut found = Vec::new();
    for pair in words.windows(2) {
        let line = lines[pair[0].line - 1];
        let is_type = match pair[0].text {
            "struct" | "enum" | "trait" | "union" => true,
            // Deeper ones belong to an impl or a trait.
            "type" => ["type ", "pub type ", "pub(crate) type ", "pub(super) type "]
                .iter()
                .any(|start| line.starts_with(start)),
            _ => false,
        };
        let between = &code[pair[0].start + pair[0].text.len()..pair[1].start];
        let is_name = pair[1].text.starts_with(char::is_uppercase) && between.trim().is_empty();
        let is_conditional = lines[..pair[0].line - 1]
            .iter()
            .rev()
            .take_while(|above| above.trim_start().starts_with("#["))
            .any(|above| above.contains("#[cfg("));
        if is_type && is_name && !is_conditional {
            found.push((pair[1].text.to_owned(), pair[0].line));
        }
    }
    found
}
