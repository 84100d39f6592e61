//! Rules for every file: short, begun with a page comment, finished, and about the project only.

use crate::complaint::Complaint;
use crate::source::{after, code, is_of_word, words};
use crate::tree::{Text, Tree};

/// The maximum lines of a source. A file has one topic; a third of this is usual.
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
        complaints
            .push(Complaint::about(&file.path, format!("{count} lines are more than {LINES_MAX}: split it by topic")));
    }
    if !says_by_its_path(&file.path) && !file.text.starts_with("//!") {
        complaints.push(Complaint::at(&file.path, 1, "must start with a //! page that describes it"));
    }
    for (index, line) in file.text.lines().enumerate() {
        if is_banner(line) {
            complaints.push(Complaint::at(&file.path, index + 1, "a banner: divide code by files and modules instead"));
        }
    }
    let code = code(&file.text);
    for word in words(&code) {
        let what = match word.text {
            "todo" | "unimplemented" | "dbg" if after(&code, &word).starts_with('!') => word.text,
            "ignore" if code[..word.start].trim_end().ends_with("#[") => "#[ignore]",
            _ => continue,
        };
        complaints.push(Complaint::at(&file.path, word.line, format!("{what} is not allowed in committed code")));
    }
    complaints
}

/// Checks the words of one text file: no notes about unfinished work, its authors or their machines.
pub fn check_words(file: &Text) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let mut complain = |what: String| complaints.push(Complaint::at(&file.path, index + 1, what));
        let small = line.to_lowercase();
        let exact = LEFTOVERS.iter().filter(|word| contains_word(line, word));
        let small_ones = SMALL_LEFTOVERS.iter().filter(|word| contains_word(&small, word));
        for word in exact.chain(small_ones) {
            complain(format!("{word:?} is a note about unfinished work: finish it or remove it"));
        }
        for word in HANDS {
            if contains_word(&small, word) {
                complain(format!("{word:?} is about the authors: describe the project instead"));
            }
        }
        for path in PLACES {
            if contains_path(line, path) {
                complain(format!("{path} is a path of one machine: write it relative to the root of the repository"));
            }
        }
    }
    complaints
}

// The words below are split in two, so that this file passes its own check.

/// Notes about unfinished work, case-sensitive.
const LEFTOVERS: [&str; 3] = [concat!("FIX", "ME"), concat!("XX", "X"), concat!("TO", "DO")];

/// The same, case-insensitive.
const SMALL_LEFTOVERS: [&str; 2] = [concat!("for", " now"), concat!("place", "holder")];

/// Words for authors, case-insensitive.
const HANDS: [&str; 4] =
    [concat!("sub", "-agent"), concat!("sub", "agent"), concat!("lang", "uage model"), concat!("as an ", "ai")];

/// Folders of a single machine.
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

/// Files without a page: the tests of a module, and sources below `tests/` that a compiler must refuse.
fn says_by_its_path(path: &str) -> bool {
    let is_refused_text = |(folder, rest): (&str, &str)| !folder.contains("/src") && rest.contains('/');
    path.ends_with("/tests.rs") || path.split_once("/tests/").is_some_and(is_refused_text)
}

/// Whether a comment is a banner. Tables in doc comments are not.
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
