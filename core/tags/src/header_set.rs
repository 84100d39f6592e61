//! Reading a set of headers, whose classes may be derived from each other.
//!
//! Laws
//! 1. The order of the headers only decides which one counts if two declare the same class: the first.
//! 2. A base is looked up among the classes that take precedence over headers, then among the headers, then among the
//!    other classes.
//! 3. A base that is missing, invalid or part of a cycle is reported by name, and the derived class does not exist.
//! 4. Every header is read once, however long the chains are.
//! 5. All classes together are in proportion to the texts, although a short header inherits all fields of its base: those for which
//!    there is no more room are reported, and do not exist.
//!
//! Cost: time and memory in proportion to the texts: at most 200 bytes of heap for each byte. Held by
//! `tests/growth.rs` of the tool.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::Cell;

use script::ast::{Expression, Tree};
use script::compile::unquoted;
use script::parse::parse;
use script::report::{Report, closest};

use crate::class::Class;
use crate::classes::Classes;
use crate::header::{Bases, Libraries, Surroundings, read_in};
use crate::limits::{HEADER_BYTES_MAX, HEADER_BYTES_PER_BYTE};

/// A header.
#[derive(Clone, Copy, Debug)]
pub struct Header<'a> {
    /// Where it lies, for people.
    pub origin: &'a str,
    /// Its text.
    pub source: &'a str,
}

/// The result for one header.
#[derive(Clone, Debug, Default)]
pub struct Declaration {
    /// The class that it declares.
    pub class: Option<Class>,
    /// Its errors and warnings.
    pub reports: Vec<Report>,
}

/// Reads headers that use no libraries; the results are in their order.
pub fn read_all(headers: &[Header<'_>], before: &Classes, after: &Classes) -> Vec<Declaration> {
    read_all_with(headers, before, after, &|_| Err(String::new()))
}

/// Reads headers; the results are in their order.
pub fn read_all_with(
    headers: &[Header<'_>],
    before: &Classes,
    after: &Classes,
    libraries: &Libraries<'_>,
) -> Vec<Declaration> {
    let mut gathering = HeaderSetReader {
        headers,
        libraries,
        before,
        after,
        done: Vec::new(),
        bases: alloc::vec![String::new(); headers.len()],
        names: BTreeMap::new(),
        left: Cell::new(bytes_max(headers)),
    };
    for number in 0..headers.len() {
        gathering.begin(number);
    }
    for number in 0..headers.len() {
        gathering.finish(number);
    }
    assert!(gathering.done.iter().all(Option::is_some), "law 4 of header sets: every header is read");
    gathering.done.into_iter().map(Option::unwrap_or_default).collect()
}

/// The memory that the classes of these headers may take together, approximately.
fn bytes_max(headers: &[Header<'_>]) -> usize {
    let texts = headers.iter().map(|header| header.source.len());
    texts.fold(HEADER_BYTES_MAX, |sum, bytes| sum.saturating_add(bytes.saturating_mul(HEADER_BYTES_PER_BYTE)))
}

/// The name that a header gives to one of its variables, if it is a literal: of its class, or of the base.
pub fn written_name(source: &str, tree: &Tree, variable: &str) -> Option<String> {
    let set = tree.statements.iter().rev().find_map(|statement| match tree.node(*statement).expression {
        Expression::Set(name, value) if name.text(source) == variable => Some(tree.node(value)),
        _ => None,
    })?;
    (set.expression == Expression::String).then(|| unquoted(set.span.text(source)))
}

struct HeaderSetReader<'a> {
    headers: &'a [Header<'a>],
    libraries: &'a Libraries<'a>,
    before: &'a Classes,
    after: &'a Classes,
    /// The results so far.
    done: Vec<Option<Declaration>>,
    /// The base of each header; empty if it has none.
    bases: Vec<String>,
    /// The first header of each name.
    names: BTreeMap<String, usize>,
    /// The memory that classes may still take.
    left: Cell<usize>,
}

impl HeaderSetReader<'_> {
    /// Reads a header without a base.
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
                let bases: &Bases<'_> = &|name| Err((format!("there is no class `{name}`"), String::new()));
                let surroundings = Surroundings { bases, libraries: self.libraries, left: &self.left };
                let (class, reports) = read_in(source, &tree, origin, surroundings);
                name = class.as_ref().map(|class| class.name.clone()).or(name);
                self.done.push(Some(Declaration { class, reports }));
            }
        }
        if let Some(name) = name {
            self.names.entry(name).or_insert(number);
        }
    }

    /// Reads a header and its bases, the furthest first.
    fn finish(&mut self, number: usize) {
        let mut chain = Vec::new();
        let mut places: BTreeMap<usize, usize> = BTreeMap::new();
        let (mut next, mut cycle) = (Some(number), usize::MAX);
        while let Some(number) = next.filter(|number| self.done[*number].is_none()) {
            if let Some(place) = places.insert(number, chain.len()) {
                cycle = place;
                break;
            }
            chain.push(number);
            let base = &self.bases[number];
            next = if self.before.get(base).is_some() { None } else { self.names.get(base).copied() };
        }
        let cycle = self.describe_cycle(chain.get(cycle..).unwrap_or_default());
        for number in chain.into_iter().rev() {
            let Header { origin, source } = self.headers[number];
            let bases: &Bases<'_> = &|name| self.base(name, &cycle);
            let surroundings = Surroundings { bases, libraries: self.libraries, left: &self.left };
            let found = read_in(source, &parse(source), origin, surroundings);
            assert!(self.done[number].is_none(), "law 4 of header sets: {origin} is read twice");
            self.done[number] = Some(Declaration { class: found.0, reports: found.1 });
        }
    }

    /// A cycle in words; its last class is derived from the first.
    fn describe_cycle(&self, cycle: &[usize]) -> String {
        const SHOWN_MAX: usize = 8;
        let mut names: Vec<String> =
            cycle.iter().take(SHOWN_MAX).map(|number| format!("`{}`", self.bases[*number])).collect();
        if cycle.len() > SHOWN_MAX {
            names.push("…".to_string());
        }
        names.extend(names.first().cloned());
        format!("the bases form a cycle: {}", names.join(" → "))
    }

    /// A base class, or an error message and a help text.
    fn base(&self, name: &str, cycle: &str) -> Result<&Class, (String, String)> {
        if let Some(known) = self.before.get(name) {
            return Ok(known.class());
        }
        if let Some(number) = self.names.get(name) {
            let origin = self.headers[*number].origin;
            let wrong = || (format!("the class `{name}` has errors"), format!("correct {origin} first"));
            return match &self.done[*number] {
                Some(declared) => declared.class.as_ref().ok_or_else(wrong),
                None => {
                    Err((cycle.to_string(), "a class cannot be derived from itself; remove one `Base`".to_string()))
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
