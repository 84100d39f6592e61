//! Names of types and files do not contain the words that the glossary refuses, and the glossary defines each word once.

use crate::complaint::Complaint;
use crate::source::{code, is_for_tests, words};
use crate::tree::{Text, Tree};

/// The page of words.
pub const GLOSSARY: &str = "GLOSSARY.md";

/// Checks the glossary of the tree, and every source against it.
pub fn check(tree: &Tree) -> Vec<Complaint> {
    let text = tree.text(GLOSSARY).unwrap_or("");
    let refused = refused(text);
    let mut complaints = check_glossary(text);
    if refused.is_empty() {
        complaints.push(Complaint::about(GLOSSARY, format!("there is no list under {REFUSED:?}")));
    }
    for file in tree.sources() {
        complaints.extend(check_names(file, &refused));
    }
    complaints
}

/// A word that names may not contain, and its replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The word, with a capital letter.
    pub word: String,
    /// Its replacement.
    pub instead: String,
}

const REFUSED: &str = "## Words we do not use";

/// The refused words of a glossary: lines `- Word, Word: instead` under their heading.
pub fn refused(glossary: &str) -> Vec<Refused> {
    let section = glossary.split_once(REFUSED).map_or("", |(_, section)| section);
    let lines = section.lines().filter_map(|line| line.strip_prefix("- ")?.split_once(": "));
    lines
        .flat_map(|(words, instead)| words.split(", ").map(move |word| (word, instead)))
        .map(|(word, instead)| Refused { word: word.to_owned(), instead: instead.to_owned() })
        .collect()
}

/// Checks the tables of a glossary: rows `| word | meaning | elsewhere called |`, no cell empty, each word in one row. A
/// list entry above the refused words is an error too.
pub fn check_glossary(text: &str) -> Vec<Complaint> {
    let tables = text.split_once(REFUSED).map_or(text, |(tables, _)| tables);
    let mut known: Vec<&str> = Vec::new();
    let mut complaints = Vec::new();
    for (index, line) in tables.lines().enumerate() {
        let mut complain = |what: String| complaints.push(Complaint::at(GLOSSARY, index + 1, what));
        if line.starts_with("- ") {
            complain(format!("a list entry; a word is a row: {HEADER}"));
        }
        if !line.starts_with('|') || line == HEADER || line == RULE {
            continue;
        }
        let inner = line.strip_prefix("| ").and_then(|line| line.strip_suffix(" |"));
        let cells: Vec<&str> = inner.unwrap_or("").split(" | ").map(str::trim).collect();
        match cells[..] {
            [word, meaning, elsewhere] if ![word, meaning, elsewhere].contains(&"") => {
                if known.contains(&word) {
                    complain(format!("{word} is defined twice"));
                }
                known.push(word);
            }
            _ => complain(format!("a row has three cells: {HEADER}")),
        }
    }
    complaints
}

/// The header of every table, and the line below it.
const HEADER: &str = "| word | meaning | elsewhere called |";
const RULE: &str = "|---|---|---|";

/// Checks the names of the types that a file declares, and its own.
pub fn check_names(file: &Text, refused: &[Refused]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let file_name = file.path.rsplit('/').next().unwrap_or("").trim_end_matches(".rs");
    for part in file_name.split('_') {
        let found = refused.iter().find(|own| is_same(&own.word.to_lowercase(), part));
        if let Some(found) = found.filter(|_| !is_for_tests(&file.path)) {
            complaints.push(Complaint::about(&file.path, format!("not {}: {}", found.word, found.instead)));
        }
    }
    let code = code(&file.text);
    for pair in words(&code).windows(2) {
        let is_declaration = ["struct", "enum", "trait", "type", "union"].contains(&pair[0].text);
        let parts = capital_words(pair[1].text);
        let found = refused.iter().find(|own| parts.iter().any(|part| is_same(&own.word, part)));
        if let Some(found) = found.filter(|_| is_declaration) {
            let what = format!("{}: not {}: {}", pair[1].text, found.word, found.instead);
            complaints.push(Complaint::at(&file.path, pair[1].line, what));
        }
    }
    complaints
}

/// Whether a part of a name is a refused word or its plural.
fn is_same(refused: &str, part: &str) -> bool {
    part.strip_prefix(refused).is_some_and(|rest| ["", "s"].contains(&rest))
}

/// The parts of a name in capitals: `WorldData` is `World` and `Data`.
fn capital_words(name: &str) -> Vec<&str> {
    let mut starts: Vec<usize> =
        name.char_indices().filter(|(_, char)| char.is_uppercase()).map(|(at, _)| at).collect();
    starts.push(name.len());
    starts.windows(2).map(|pair| &name[pair[0]..pair[1]]).collect()
}
