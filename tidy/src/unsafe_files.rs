//! Unsafe code is only in the crates that the architecture allows, and each file with it states a reason.

use crate::complaint::Complaint;
use crate::source::{code, words};
use crate::table::{ARCHITECTURE, Table};
use crate::tree::{Text, Tree};

/// Checks every source of the tree. Tests in a separate file are covered by the reason of their module.
pub fn check(tree: &Tree) -> Vec<Complaint> {
    let folders = Table::read(tree.text(ARCHITECTURE).unwrap_or("")).with_unsafe;
    let mut complaints = Vec::new();
    for file in tree.sources() {
        let parent = file.path.strip_suffix("/tests.rs").map(|module| format!("{module}.rs"));
        let is_under_reason = parent.and_then(|path| tree.text(&path)).is_some_and(gives_reason);
        complaints.extend(check_file(file, &folders, is_under_reason));
    }
    complaints
}

/// Checks one source. `folders` are those of the crates that may have unsafe code.
pub fn check_file(file: &Text, folders: &[String], is_under_reason: bool) -> Vec<Complaint> {
    let code = code(&file.text);
    let Some(first) = words(&code).into_iter().find(|word| word.text == "unsafe") else {
        return Vec::new();
    };
    let is_inside = |folder: &String| file.path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/'));
    let what = if !folders.iter().any(is_inside) {
        format!("unsafe code here: {ARCHITECTURE} allows it only in {}", folders.join(", "))
    } else if !is_under_reason && !gives_reason(&file.text) {
        "unsafe code without #![allow(unsafe_code, reason = \"…\")] atop the file".to_owned()
    } else {
        return Vec::new();
    };
    vec![Complaint::at(&file.path, first.line, what)]
}

fn gives_reason(text: &str) -> bool {
    let is_reason = |attribute: &String| {
        let inside =
            ["#![allow(unsafe_code,", "#![expect(unsafe_code,"].iter().find_map(|start| attribute.strip_prefix(start));
        inside.is_some_and(|rest| rest.trim_start().starts_with("reason = \""))
    };
    joined_attributes(text).iter().any(is_reason)
}

/// The file-level attributes, each on one line.
fn joined_attributes(text: &str) -> Vec<String> {
    let mut attributes: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("#![") {
            attributes.push(line.to_owned());
        } else if let Some(last) = attributes.last_mut().filter(|_| is_open) {
            last.push_str(line);
        }
        is_open = attributes.last().is_some_and(|last| !last.ends_with(']'));
    }
    attributes
}
