//! Every chapter of the book is in its list of contents, and its examples are run.

use crate::complaint::Complaint;
use crate::tree::Tree;

/// The folder of the chapters.
pub const FOLDER: &str = "docs/book/src/";
/// The list of contents.
pub const SUMMARY: &str = "docs/book/src/SUMMARY.md";
/// The file that includes the chapters as documentation tests.
pub const EXAMPLES: &str = "astrarium/src/book.rs";

/// Checks every chapter of the tree. Dead links in the list of contents are found by `links`.
pub fn check(tree: &Tree) -> Vec<Complaint> {
    let is_chapter = |path: &&String| path.starts_with(FOLDER) && path.ends_with(".md") && *path != SUMMARY;
    let (summary, examples) = (tree.text(SUMMARY).unwrap_or(""), tree.text(EXAMPLES).unwrap_or(""));
    let mut complaints = Vec::new();
    for path in tree.paths.iter().filter(is_chapter) {
        let name = &path[FOLDER.len()..];
        if !summary.contains(&format!("]({name})")) {
            complaints.push(Complaint::about(path, format!("{SUMMARY} does not list it")));
        }
        if !examples.contains(&format!("include_str!(\"../../{path}\")")) {
            complaints
                .push(Complaint::about(path, format!("{EXAMPLES} does not include it: its examples are not run")));
        }
    }
    complaints
}
