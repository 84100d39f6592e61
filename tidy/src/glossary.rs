//! Types and files are not named by the words that the glossary refuses, and the glossary says each word once.

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

/// A word that names may not have, and what to say instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The word, with a capital letter.
    pub word: String,
    /// What to say instead.
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

/// Checks that each word of the glossary is said once, on one line.
pub fn check_glossary(text: &str) -> Vec<Complaint> {
    let mut known: Vec<&str> = Vec::new();
    let mut complaints = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some(entry) = line.strip_prefix("- **") else {
            continue;
        };
        match entry.split_once("**: ") {
            Some((word, _)) if known.contains(&word) => {
                complaints.push(Complaint::at(GLOSSARY, index + 1, format!("{word} is here twice")));
            }
            Some((word, _)) => known.push(word),
            None => complaints.push(Complaint::at(GLOSSARY, index + 1, "an entry is: - **word**: what it means")),
        }
    }
    complaints
}

/// Checks the names of the types that a file declares, and its own.
pub fn check_names(file: &Text, refused: &[Refused]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let file_name = file.path.rsplit('/').next().unwrap_or("").trim_end_matches(".rs");
    for part in file_name.split('_') {
        let is_same =
            |own: &&Refused| [own.word.to_lowercase(), own.word.to_lowercase() + "s"].iter().any(|own| own == part);
        if let Some(found) = refused.iter().find(is_same).filter(|_| !is_for_tests(&file.path)) {
            complaints.push(Complaint::about(&file.path, format!("not {}: {}", found.word, found.instead)));
        }
    }
    let code = code(&file.text);
    for pair in words(&code).windows(2) {
        let is_declaration = ["struct", "enum", "trait", "type", "union"].contains(&pair[0].text);
        let parts = capital_words(pair[1].text);
        let found = refused.iter().find(|own| parts.contains(&own.word.as_str()));
        if let Some(found) = found.filter(|_| is_declaration) {
            let what = format!("{}: not {}: {}", pair[1].text, found.word, found.instead);
            complaints.push(Complaint::at(&file.path, pair[1].line, what));
        }
    }
    complaints
}

/// The parts of a name in capitals: `WorldData` is `World` and `Data`.
fn capital_words(name: &str) -> Vec<&str> {
    let mut starts: Vec<usize> =
        name.char_indices().filter(|(_, char)| char.is_uppercase()).map(|(at, _)| at).collect();
    starts.push(name.len());
    starts.windows(2).map(|pair| &name[pair[0]..pair[1]]).collect()
}
