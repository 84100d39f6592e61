//! The walks in `docs/walks/` follow one thing through the code, and the code is still there.
//!
//! A page has one `##` section for each process that the thing passes through. A step is a numbered line:
//!
//! ```text
//! 1. `externals/host/src/clock.rs` · `Clock::now`: what happens here
//! ```
//!
//! Laws
//! 1. The file exists and has the function; for `Type::function` it also has the word `Type`.
//! 2. No file comes twice within a section.
//! 3. A section begins and ends in externals. Between, the layers sink once and rise once: externals, foundation, core
//!    on the way in, core, foundation, externals on the way out. A layer may be passed over; none is returned to.
//!    `astrarium` and `games` count as externals.

use crate::complaint::Complaint;
use crate::source::{code, words};
use crate::tree::{Text, Tree};

/// The folder of the pages.
pub const FOLDER: &str = "docs/walks/";

/// Checks every page of the tree.
pub fn check(tree: &Tree) -> Vec<Complaint> {
    let is_page = |file: &&Text| file.path.starts_with(FOLDER) && file.has_extension("md");
    tree.texts.iter().filter(is_page).flat_map(|page| check_page(page, tree)).collect()
}

/// Checks one page against the tree.
pub fn check_page(page: &Text, tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let mut sections: Vec<Vec<Step>> = vec![Vec::new()];
    for (index, line) in page.text.lines().enumerate() {
        if line.starts_with("## ") {
            sections.push(Vec::new());
        } else if is_numbered(line) {
            match Step::read(line, index + 1) {
                Some(step) => sections.last_mut().expect("there is always one").push(step),
                None => {
                    let what = "a step is: 1. `folder/file.rs` · `function`: text";
                    complaints.push(Complaint::at(&page.path, index + 1, what));
                }
            }
        }
    }
    // The list of all walks is a page without steps.
    if sections.iter().all(Vec::is_empty) && !page.path.ends_with("/README.md") {
        complaints.push(Complaint::about(&page.path, "a walk without steps"));
    }
    for section in &sections {
        complaints.extend(check_steps(page, section, tree));
        complaints.extend(check_layers(page, section));
    }
    complaints
}

#[derive(Debug)]
struct Step {
    line: usize,
    file: String,
    function: String,
}

impl Step {
    fn read(line: &str, number: usize) -> Option<Self> {
        let rest = line.trim_start_matches(|char: char| char.is_ascii_digit()).strip_prefix(". `")?;
        let (file, rest) = rest.split_once('`')?;
        let (function, rest) = rest.strip_prefix(" · `")?.split_once('`')?;
        let text = rest.strip_prefix(':')?;
        (!text.trim().is_empty()).then(|| Step { line: number, file: file.to_owned(), function: function.to_owned() })
    }

    /// How high the layer of the file is.
    fn height(&self) -> Option<u32> {
        match self.file.split('/').next()? {
            "core" => Some(0),
            "foundation" => Some(1),
            "externals" | "astrarium" | "games" => Some(TOP),
            _ => None,
        }
    }
}

/// The height of externals.
const TOP: u32 = 2;

fn is_numbered(line: &str) -> bool {
    let rest = line.trim_start_matches(|char: char| char.is_ascii_digit());
    rest.len() < line.len() && rest.starts_with('.')
}

fn check_steps(page: &Text, steps: &[Step], tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let mut complain = |what: String| complaints.push(Complaint::at(&page.path, step.line, what));
        if steps[..index].iter().any(|earlier| earlier.file == step.file) {
            complain(format!("{} comes twice in this section", step.file));
        }
        let Some(text) = tree.text(&step.file) else {
            complain(format!("there is no file {}", step.file));
            continue;
        };
        let code = code(text);
        let words = words(&code);
        let (type_name, function) = step.function.rsplit_once("::").unwrap_or(("", &step.function));
        let has_function = words.windows(2).any(|pair| pair[0].text == "fn" && pair[1].text == function);
        let has_type = type_name.is_empty() || words.iter().any(|word| word.text == type_name);
        if !has_function || !has_type {
            complain(format!("{} has no function {}", step.file, step.function));
        }
    }
    complaints
}

fn check_layers(page: &Text, steps: &[Step]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let mut is_rising = false;
    for (index, step) in steps.iter().enumerate() {
        let mut complain =
            |what: &str| complaints.push(Complaint::at(&page.path, step.line, format!("{}: {what}", step.file)));
        let Some(height) = step.height() else {
            complain("a step is in core, foundation, externals, astrarium or games");
            continue;
        };
        let is_end = index == 0 || index + 1 == steps.len();
        if is_end && height != TOP {
            complain("a section begins and ends in externals");
        }
        let Some(before) = index.checked_sub(1).and_then(|index| steps[index].height()) else {
            continue;
        };
        if is_rising && height < before {
            complain("sinks again: the design goes back and forth here");
        }
        is_rising |= height > before;
    }
    complaints
}
