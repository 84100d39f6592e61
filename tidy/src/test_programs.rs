//! A file of tests is part of a test program.
//!
//! A crate with `autotests = false` names its test programs; a file under `tests/` that none of them contains would never be run, and
//! nothing would say so.

use crate::complaint::Complaint;
use crate::manifest::Manifest;
use crate::tree::Tree;

/// Checks every crate that names its test programs itself.
pub fn check(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for manifest in Manifest::all(tree) {
        let folder = format!("{}/tests/", manifest.folder());
        let Some(text) = tree.text(&format!("{}/Cargo.toml", manifest.folder())) else { continue };
        if !text.lines().any(|line| line.trim() == "autotests = false") {
            continue;
        }
        let listed = tree.text(&format!("{folder}all.rs")).unwrap_or("");
        for source in tree.sources() {
            let Some(name) = source.path.strip_prefix(&folder).and_then(|file| file.strip_suffix(".rs")) else {
                continue;
            };
            let is_program = text.lines().any(|line| line.trim() == format!("name = \"{name}\""));
            let is_module = listed.lines().any(|line| line.trim() == format!("mod {name};"));
            if !name.contains('/') && !is_program && !is_module {
                let what = format!("no test program contains it: add `mod {name};` to {folder}all.rs");
                complaints.push(Complaint::about(&source.path, what));
            }
        }
    }
    complaints
}
