//! Core and foundation do not use the standard library, except in their tests.

use crate::complaint::Complaint;
use crate::manifest::Manifest;
use crate::source::{code, is_for_tests, outside_tests, words};
use crate::tree::{Text, Tree};

/// Checks all crates of core and foundation, except crates of macros, which run in the compiler.
pub fn check(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for manifest in Manifest::all(tree) {
        let folder = manifest.folder();
        if !folder.starts_with("core/") && !folder.starts_with("foundation/") || manifest.is_macros() {
            continue;
        }
        let page = format!("{folder}/src/lib.rs");
        if !tree.text(&page).is_some_and(|text| code(text).contains("#![no_std]")) {
            complaints.push(Complaint::about(&page, "#![no_std] is missing"));
        }
        let sources = format!("{folder}/src/");
        for file in tree.sources().filter(|file| file.path.starts_with(&sources)) {
            complaints.extend(check_file(file));
        }
    }
    complaints
}

/// Checks one file: the word `std` is nowhere in its code but in tests.
pub fn check_file(file: &Text) -> Vec<Complaint> {
    if is_for_tests(&file.path) {
        return Vec::new();
    }
    let code = outside_tests(&code(&file.text));
    words(&code)
        .iter()
        .filter(|word| word.text == "std")
        .map(|word| {
            Complaint::at(
                &file.path,
                word.line,
                "std outside of tests: use core or alloc, or get it from the host through a trait",
            )
        })
        .collect()
}
