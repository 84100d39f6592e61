//! Gathering classes: many headers at once, which may be made from each other.
//!
//! Laws
//! 1. In which order the headers come decides nothing but which one counts where two declare a class of one name: the first.
//! 2. The base of a class is looked for among the classes that count before the headers, then among the headers, then among the
//!    classes that count after them.
//! 3. Bases that lead back to where they began, that nobody declares, or that have mistakes themselves are told by name, and the
//!    class made from them is not there.
//! 4. Every header is read once, however long the chains are.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use script::compile::unquoted;
use script::parse::parse;
use script::report::{Report, closest};
use script::tree::{Expression, Tree};

use crate::class::Class;
use crate::classes::Classes;
use crate::header::{read, read_with};

/// A header as it lies there.
#[derive(Clone, Copy, Debug)]
pub struct Header<'a> {
    /// Where it lies, for people.
    pub origin: &'a str,
    /// Its text.
    pub source: &'a str,
}

/// What became of a header.
#[derive(Clone, Debug, Default)]
pub struct Declaration {
    /// The class that it declares.
    pub class: Option<Class>,
    /// What is wrong with it.
    pub reports: Vec<Report>,
}

/// Reads headers; what became of each, in their order.
pub fn gather(headers: &[Header<'_>], before: &Classes, after: &Classes) -> Vec<Declaration> {
    let mut gathering = Gathering {
        headers,
        before,
        after,
        done: Vec::new(),
        bases: alloc::vec![String::new(); headers.len()],
        names: BTreeMap::new(),
    };
    for number in 0..headers.len() {
        gathering.begin(number);
    }
    for number in 0..headers.len() {
        gathering.finish(number);
    }
    gathering.done.into_iter().map(Option::unwrap_or_default).collect()
}

/// The name that a header gives one of its variables, if it is written out: of its class, or of the base.
pub fn written_name(source: &str, tree: &Tree, variable: &str) -> Option<String> {
    let set = tree.statements.iter().rev().find_map(|statement| match tree.node(*statement).expression {
        Expression::Set(name, value) if name.text(source) == variable => Some(tree.node(value)),
        _ => None,
    })?;
    (set.expression == Expression::String).then(|| unquoted(set.span.text(source)))
}

struct Gathering<'a> {
    headers: &'a [Header<'a>],
    before: &'a Classes,
    after: &'a Classes,
    /// What became of those that were read.
    done: Vec<Option<Declaration>>,
    /// The name of each one's base; empty if it has none.
    bases: Vec<String>,
    /// The first header of each name.
    names: BTreeMap<String, usize>,
}

impl Gathering<'_> {
    /// Reads a header if it has no base.
    fn begin(&mut self, number: usize) {
        let Header { origin, source } = self.headers[number];
        let tree = parse(source);
        let mut name = written_name(source, &tree, "Namespace");
        match written_name(source, &tree, "Base") {
            Some(base) => {
                self.bases[number] = base;
                self.done.push(None);
            }
            None => {
                let (class, reports) = read(source, &tree, origin);
                name = class.as_ref().map(|class| class.name.clone()).or(name);
                self.done.push(Some(Declaration { class, reports }));
            }
        }
        if let Some(name) = name {
            self.names.entry(name).or_insert(number);
        }
    }

    /// Reads a header and those that it is made from, the furthest first.
    fn finish(&mut self, number: usize) {
        let mut chain = Vec::new();
        let mut places: BTreeMap<usize, usize> = BTreeMap::new();
        let (mut next, mut circle) = (Some(number), usize::MAX);
        while let Some(number) = next.filter(|number| self.done[*number].is_none()) {
            if let Some(place) = places.insert(number, chain.len()) {
                circle = place;
                break;
            }
            chain.push(number);
            let base = &self.bases[number];
            next = if self.before.get(base).is_some() { None } else { self.names.get(base).copied() };
        }
        let circle = self.told(chain.get(circle..).unwrap_or_default());
        for number in chain.into_iter().rev() {
            let Header { origin, source } = self.headers[number];
            let found = read_with(source, &parse(source), origin, &|name| self.base(name, &circle));
            self.done[number] = Some(Declaration { class: found.0, reports: found.1 });
        }
    }

    /// A circle in words; the last of it is made from the first.
    fn told(&self, circle: &[usize]) -> String {
        const SHOWN_MAX: usize = 8;
        let mut names: Vec<String> =
            circle.iter().take(SHOWN_MAX).map(|number| format!("`{}`", self.bases[*number])).collect();
        if circle.len() > SHOWN_MAX {
            names.push("…".to_string());
        }
        names.extend(names.first().cloned());
        format!("the bases go in a circle: {}", names.join(" → "))
    }

    /// A class that another is made from, or why it cannot be had and what to do.
    fn base(&self, name: &str, circle: &str) -> Result<&Class, (String, String)> {
        if let Some(known) = self.before.get(name) {
            return Ok(known.class());
        }
        if let Some(number) = self.names.get(name) {
            let origin = self.headers[*number].origin;
            let wrong = || (format!("the class `{name}` has mistakes itself"), format!("correct {origin} first"));
            return match &self.done[*number] {
                Some(declared) => declared.class.as_ref().ok_or_else(wrong),
                None => {
                    Err((circle.to_string(), "a class cannot be made from itself; take one `Base` out".to_string()))
                }
            };
        }
        if let Some(known) = self.after.get(name) {
            return Ok(known.class());
        }
        let known = self.before.iter().chain(self.after.iter()).map(|known| known.class().name.as_str());
        let help = match closest(name, self.names.keys().map(String::as_str).chain(known)) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => "declare it in Rust, or in a header".to_string(),
        };
        Err((format!("there is no class `{name}`"), help))
    }
}
