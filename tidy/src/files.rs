//! What every file must be: short, opened by a sentence, finished, and about the project.

use crate::complaint::Complaint;
use crate::source::{after, code, is_of_word, words};
use crate::tree::{Text, Tree};

/// The most lines a source may have. A file is one thing; most need a third of this.
pub const LINES_MAX: usize = 1000;

/// Checks every text file of the tree.
pub fn check(tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for file in tree.sources() {
        complaints.extend(check_source(file));
    }
    for file in tree.texts.iter().filter(|file| !is_of_others(&file.path)) {
        complaints.extend(check_words(file));
    }
    complaints
}

/// Checks one Rust source.
pub fn check_source(file: &Text) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let count = file.text.lines().count();
    if count > LINES_MAX {
        complaints.push(Complaint::about(
            &file.path,
            format!("{count} lines are more than {LINES_MAX}: which two things is it?"),
        ));
    }
    if !says_by_its_path(&file.path) && !file.text.starts_with("//!") {
        complaints.push(Complaint::at(&file.path, 1, "must start with a //! page that says what it is"));
    }
    for (index, line) in file.text.lines().enumerate() {
        if is_banner(line) {
            complaints.push(Complaint::at(
                &file.path,
                index + 1,
                "a banner: files and modules divide code, lines do not",
            ));
        }
    }
    let code = code(&file.text);
    for word in words(&code) {
        let what = match word.text {
            "todo" | "unimplemented" | "dbg" if after(&code, &word).starts_with('!') => word.text,
            "ignore" if code[..word.start].trim_end().ends_with("#[") => "#[ignore]",
            _ => continue,
        };
        complaints.push(Complaint::at(&file.path, word.line, format!("{what} in finished work")));
    }
    complaints
}

/// Checks the words of one text file: no notes about work left over, and nothing about where or by whom it was written.
pub fn check_words(file: &Text) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let mut complain = |what: String| complaints.push(Complaint::at(&file.path, index + 1, what));
        let small = line.to_lowercase();
        let exact = LEFTOVERS.iter().filter(|word| contains_word(line, word));
        let small_ones = SMALL_LEFTOVERS.iter().filter(|word| contains_word(&small, word));
        for word in exact.chain(small_ones) {
            complain(format!("{word:?} speaks of work left over: finish it, or take it out"));
        }
        for word in HANDS {
            if contains_word(&small, word) {
                complain(format!("{word:?} is about who wrote this: speak of the project"));
            }
        }
        for path in PLACES {
            if contains_path(line, path) {
                complain(format!("{path} is a place on one machine: say it from the root of the repository"));
            }
        }
    }
    complaints
}

// The words below are cut in two so that this file does not complain about itself.

/// Notes about work left over, as they are written.
const LEFTOVERS: [&str; 3] = [concat!("FIX", "ME"), concat!("XX", "X"), concat!("TO", "DO")];

/// The same, in any case.
const SMALL_LEFTOVERS: [&str; 2] = [concat!("for", " now"), concat!("place", "holder")];

/// The hands that wrote something, in any case.
const HANDS: [&str; 4] =
    [concat!("sub", "-agent"), concat!("sub", "agent"), concat!("lang", "uage model"), concat!("as an ", "ai")];

/// Where one machine keeps things.
const PLACES: [&str; 5] = [
    concat!("/wo", "rk/"),
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/Us", "ers/"),
    concat!("../sha", "red/"),
];

fn is_of_others(path: &str) -> bool {
    path.starts_with("LICENSE") || path.ends_with(".lock")
}

/// The files that need no page: the tests of a module, and the texts below `tests/` that a compiler is to refuse.
fn says_by_its_path(path: &str) -> bool {
    let is_refused_text = |(folder, rest): (&str, &str)| !folder.contains("/src") && rest.contains('/');
    path.ends_with("/tests.rs") || path.split_once("/tests/").is_some_and(is_refused_text)
}

/// A comment that is drawn rather than written. Tables of doc comments are not.
fn is_banner(line: &str) -> bool {
    let line = line.trim();
    if line.starts_with("////") || line.starts_with("/***") {
        return true;
    }
    let Some(text) = line.strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!']).trim()) else {
        return false;
    };
    let is_drawn = |char: char| "-=*~#─═━".contains(char);
    let start: String = text.chars().take_while(|char| is_drawn(*char)).collect();
    let end = text.chars().rev().take_while(|char| is_drawn(*char)).count();
    let is_heading = start.len() < text.len() && start.chars().all(|char| char == '#');
    start.chars().count() >= 3 && !is_heading || end >= 3
}

fn contains_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let next = line[at + word.len()..].chars().next();
        !before.is_some_and(is_of_word) && !next.is_some_and(is_of_word)
    })
}

fn contains_path(line: &str, path: &str) -> bool {
    let is_of_path = |char: char| is_of_word(char) || "./-~}".contains(char);
    line.match_indices(path).any(|(at, _)| !line[..at].chars().next_back().is_some_and(is_of_path))
}
