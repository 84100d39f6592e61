//! Errors are types: a public function whose error is a `String` says above itself why.

use crate::complaint::Complaint;
use crate::source::{code, is_for_tests, outside_tests};
use crate::tree::{Text, Tree};

/// The words of the comment that gives the reason, as in "The error is text because clap prints it".
pub const REASON: &str = "error is text";

/// The folders whose public functions are checked.
const FOLDERS: [&str; 2] = ["externals/", "astrarium/"];

/// Checks all public functions of externals and of the front door.
pub fn check(tree: &Tree) -> Vec<Complaint> {
    let is_checked = |file: &&Text| FOLDERS.iter().any(|folder| file.path.starts_with(folder));
    tree.sources().filter(is_checked).flat_map(check_file).collect()
}

/// Checks the public functions of one file.
pub fn check_file(file: &Text) -> Vec<Complaint> {
    if is_for_tests(&file.path) {
        return Vec::new();
    }
    let lines: Vec<&str> = file.text.lines().collect();
    let code = outside_tests(&code(&file.text));
    let mut complaints = Vec::new();
    let mut offset = 0;
    for (number, line) in code.split_inclusive('\n').enumerate() {
        let is_public = line.trim_start().starts_with("pub ") && line.contains("fn ");
        if is_public && is_error_text(signature(&code[offset..])) && !has_reason(&lines[..number]) {
            let what = format!(
                "a public function with a String for its error: give it an error type, or a comment directly above it with \
                 the reason, which begins \"The {REASON}\""
            );
            complaints.push(Complaint::at(&file.path, number + 1, what));
        }
        offset += line.len();
    }
    complaints
}

/// The code of a function up to its body.
fn signature(code: &str) -> &str {
    &code[..code.find(['{', ';']).unwrap_or(code.len())]
}

/// Whether the result of a function is a `Result` whose last argument is `String`.
fn is_error_text(signature: &str) -> bool {
    let Some((_, result)) = signature.rsplit_once("->") else { return false };
    let Some((_, arguments)) = result.split_once("Result<") else { return false };
    let mut depth = 0;
    let mut last = 0;
    for (at, letter) in arguments.char_indices() {
        match letter {
            '<' | '(' | '[' => depth += 1,
            '>' if depth == 0 => return last > 0 && arguments[last..at].trim().trim_end_matches(',') == "String",
            '>' | ')' | ']' => depth -= 1,
            ',' if depth == 0 && !arguments[at + 1..].trim_start().starts_with('>') => last = at + 1,
            _ => {}
        }
    }
    false
}

/// Whether the comment that ends these lines, before attributes, gives the reason.
fn has_reason(above: &[&str]) -> bool {
    let lines = above.iter().rev().map(|line| line.trim_start());
    let comment = lines.skip_while(|line| line.starts_with("#[")).take_while(|line| line.starts_with("//"));
    comment.collect::<Vec<&str>>().iter().any(|line| line.contains(REASON))
}
