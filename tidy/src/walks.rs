//! The walks in `docs/walks/` follow one thing through the code in call order, and name existing functions.
//!
//! A page has one `##` section for each process that the thing passes through. A step is a line of a nested list, indented by three
//! spaces under the step whose call leads to it:
//!
//! ```text
//! 1. `astrarium/src/session.rs` · `Session::step`: what happens here
//!    1. `core/state/src/simulate.rs` · `World::simulate`: what happens there
//!       1. `games/sandbox/src/agents.rs` · `update` ↑ `Domain`: called back for every agent
//! ```
//!
//! Laws
//! 1. The file exists and has the function; for `Type::function` it also has the word `Type`.
//! 2. A section has one first step, and that is in externals, to which `astrarium` and `games` count.
//! 3. Dependencies sink: a step is in the layer of the step above it or in a lower one. Control comes back up only through a trait: the
//!    step names it behind `↑`, and a file of a layer below the step's own declares it.

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
                Some(step) => sections.last_mut().expect("split always yields a first part").push(step),
                None => {
                    let what = "a step is: 1. `folder/file.rs` · `function`: text, indented by three spaces per call";
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
        complaints.extend(check_calls(page, section, tree));
    }
    complaints
}

#[derive(Debug)]
struct Step {
    line: usize,
    /// How deep it is indented.
    depth: usize,
    file: String,
    function: String,
    /// The trait through which a lower layer calls it.
    upward: Option<String>,
}

impl Step {
    fn read(line: &str, number: usize) -> Option<Self> {
        let text = line.trim_start_matches(' ');
        let spaces = line.len() - text.len();
        let rest = text.trim_start_matches(|char: char| char.is_ascii_digit()).strip_prefix(". `")?;
        let (file, rest) = rest.split_once('`')?;
        let (function, rest) = rest.strip_prefix(" · `")?.split_once('`')?;
        let (upward, rest) = match rest.strip_prefix(" ↑ `") {
            Some(rest) => rest.split_once('`').map(|(name, rest)| (Some(name.to_owned()), rest))?,
            None => (None, rest),
        };
        let text = rest.strip_prefix(':')?;
        let is_step = spaces.is_multiple_of(INDENTATION) && !text.trim().is_empty();
        let (file, function) = (file.to_owned(), function.to_owned());
        is_step.then_some(Step { line: number, depth: spaces / INDENTATION, file, function, upward })
    }

    /// How high the layer of the file is.
    fn height(&self) -> Option<u32> {
        height_of(&self.file)
    }
}

fn height_of(path: &str) -> Option<u32> {
    match path.split('/').next()? {
        "core" => Some(0),
        "foundation" => Some(1),
        "externals" | "astrarium" | "games" => Some(TOP),
        _ => None,
    }
}

/// The height of externals.
const TOP: u32 = 2;

/// How far a step is indented under the step that leads to it.
const INDENTATION: usize = 3;

fn is_numbered(line: &str) -> bool {
    let line = line.trim_start_matches(' ');
    let rest = line.trim_start_matches(|char: char| char.is_ascii_digit());
    rest.len() < line.len() && rest.starts_with('.')
}

fn check_steps(page: &Text, steps: &[Step], tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for step in steps {
        let mut complain = |what: String| complaints.push(Complaint::at(&page.path, step.line, what));
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

fn check_calls(page: &Text, steps: &[Step], tree: &Tree) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let mut callers: Vec<&Step> = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        let mut complain =
            |what: String| complaints.push(Complaint::at(&page.path, step.line, format!("{}: {what}", step.file)));
        let Some(height) = step.height() else {
            complain("a step is in core, foundation, externals, astrarium or games".to_owned());
            continue;
        };
        if step.depth > callers.len() || index > 0 && step.depth == 0 {
            complain(
                "a section has one first step, and each other step is indented under the one that leads to it"
                    .to_owned(),
            );
            continue;
        }
        callers.truncate(step.depth);
        match callers.last().and_then(|caller| caller.height()) {
            None if height != TOP => complain("a section begins in externals".to_owned()),
            Some(above) if height > above => match &step.upward {
                None => complain("calls go down: name the trait that leads back up, as in ↑ `Trait`".to_owned()),
                Some(name) if !declares_below(tree, name, height) => {
                    complain(format!("no file of a lower layer declares the trait {name}"));
                }
                Some(_) => {}
            },
            _ => {}
        }
        callers.push(step);
    }
    complaints
}

/// Whether a file of a layer below this one declares a trait.
fn declares_below(tree: &Tree, name: &str, height: u32) -> bool {
    tree.sources().filter(|file| height_of(&file.path).is_some_and(|own| own < height)).any(|file| {
        let code = code(&file.text);
        words(&code).windows(2).any(|pair| pair[0].text == "trait" && pair[1].text == name)
    })
}
