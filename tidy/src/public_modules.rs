//! A public module of core has a user outside its own files and outside tests.
//!
//! A module counts as used if the code of another file, which is not a test, contains the name of one of its public items, or names
//! the module in a path of its crate (`state::inquiry`). Core modules that a planned crate needs are listed in the architecture:
//! `- Core modules kept for planned crates: base::bits …`.

use std::collections::BTreeSet;

use crate::complaint::Complaint;
use crate::manifest::Manifest;
use crate::source::{code, is_for_tests, outside_tests, words};
use crate::table::{ARCHITECTURE, Table};
use crate::tree::{Text, Tree};

/// Checks every crate of core.
pub fn check(tree: &Tree) -> Vec<Complaint> {
    let kept = Table::read(tree.text(ARCHITECTURE).unwrap_or("")).kept_modules;
    let sources: Vec<Source> = tree.sources().filter(|file| !is_for_tests(&file.path)).map(Source::read).collect();
    let mut complaints = Vec::new();
    for manifest in Manifest::all(tree).iter().filter(|manifest| manifest.folder().starts_with("core/")) {
        let folder = manifest.folder();
        let Some(root) = sources.iter().find(|source| source.path == format!("{folder}/src/lib.rs")) else { continue };
        let name = folder.rsplit('/').next().unwrap_or("");
        for (module, line) in public_modules(&root.code) {
            let is_kept = kept.iter().any(|own| *own == format!("{name}::{module}"));
            if !is_kept && !is_used(folder, &module, &sources) {
                let what = format!(
                    "{module} is public and only tests use it: delete it, make it private, or list it in {ARCHITECTURE}"
                );
                complaints.push(Complaint::at(&root.path, line, what));
            }
        }
    }
    complaints
}

/// A source file without its tests, with the words of its code.
struct Source {
    path: String,
    code: String,
    words: BTreeSet<String>,
}

impl Source {
    fn read(file: &Text) -> Source {
        let code = outside_tests(&code(&file.text));
        let words = words(&code).into_iter().map(|word| word.text.to_owned()).collect();
        Source { path: file.path.clone(), code, words }
    }
}

fn public_modules(code: &str) -> Vec<(String, usize)> {
    let words = words(code);
    let is_public = |three: &&[crate::source::Word<'_>]| three[0].text == "pub" && three[1].text == "mod";
    words.windows(3).filter(is_public).map(|three| (three[2].text.to_owned(), three[2].line)).collect()
}

fn is_used(folder: &str, module: &str, sources: &[Source]) -> bool {
    let (file, inside) = (format!("{folder}/src/{module}.rs"), format!("{folder}/src/{module}/"));
    let (crate_folder, root) = (format!("{folder}/src/"), format!("{folder}/src/lib.rs"));
    let is_own = |source: &&Source| source.path == file || source.path.starts_with(&inside);
    let names: BTreeSet<&str> = sources.iter().filter(is_own).flat_map(|source| public_items(&source.code)).collect();
    let name = folder.rsplit('/').next().unwrap_or("");
    sources.iter().filter(|source| !is_own(source) && source.path != root).any(|source| {
        let start = if source.path.starts_with(&crate_folder) { "crate" } else { name };
        source.code.contains(&format!("{start}::{module}::")) || names.iter().any(|name| source.words.contains(*name))
    })
}

/// Types, traits, constants, macros and functions that are public at the start of a line. Methods are left out: their names are common.
fn public_items(code: &str) -> Vec<&str> {
    let lines = code.lines().filter_map(|line| line.strip_prefix("pub "));
    let items = lines.filter_map(|line| {
        let mut words = line.split(|char: char| !crate::source::is_of_word(char)).filter(|word| !word.is_empty());
        let kinds = ["fn", "struct", "enum", "trait", "type", "const", "static", "union"];
        words.by_ref().find(|word| kinds.contains(word))?;
        words.find(|word| *word != "fn")
    });
    items.collect()
}
