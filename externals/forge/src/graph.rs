//! The reference graph of a tree.
//!
//! Laws
//! 1. Edges are sorted by tag, and by the place of the reference. Both directions have the same edges.
//! 2. Traversals are iterative: a chain of a million tags is no special case.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use host::parallel;
use script::compile::unquoted;
use script::token::{Token, TokenKind, tokens};
use tags::TagPath;
use tags::packed::{INHERITED, Packed};

use crate::limits::CYCLES_MAX;
use crate::tree::Tree;

/// One reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The referring tag.
    pub from: usize,
    /// The byte of its text where the reference stands.
    pub place: u32,
    /// The referenced tag.
    pub to: usize,
}

/// A reference to a missing tag.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Missing {
    /// The referring tag.
    pub from: usize,
    /// The byte of its text where the reference stands.
    pub place: u32,
    /// The missing path.
    pub path: String,
}

/// All references of a tree.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// By referring tag.
    out: Vec<Edge>,
    /// By referenced tag.
    back: Vec<Edge>,
    /// References to missing tags, by referring tag.
    pub missing: Vec<Missing>,
    tags: usize,
}

impl Graph {
    /// Collects the references of packed tags, each with its number in the tree.
    pub fn of<'a>(tree: &Tree, packed: impl IntoIterator<Item = (usize, &'a Packed)>) -> Graph {
        let numbers: BTreeMap<&str, usize> =
            tree.tags.iter().enumerate().map(|(number, tag)| (tag.path.as_str(), number)).collect();
        let mut graph = Graph { tags: tree.tags.len(), ..Graph::default() };
        for (from, packed) in packed {
            // What a tag inherits, the tag that it is made from refers to.
            for link in packed.links().filter(|link| link.place != INHERITED) {
                match numbers.get(link.path) {
                    Some(to) => graph.out.push(Edge { from, place: link.place, to: *to }),
                    None => {
                        let path = link.path.to_string();
                        graph.missing.push(Missing { from, place: link.place, path });
                    }
                }
            }
        }
        graph.missing.sort_unstable();
        graph.sort();
        graph
    }

    /// Adds the strings of all tags that are paths of tags, as a rename would find them: scripts spawn and play tags by
    /// their paths. Costs reading every text.
    pub fn add_strings(&mut self, tree: &Tree) {
        let found = parallel::many(tree.tags.len(), parallel::threads(), |from| {
            let source = tree.read(tree.tags[from].path.as_str()).unwrap_or_default();
            let strings = tokens(&source).into_iter().filter(|token| token.kind == TokenKind::String);
            let edge = |token: Token| {
                let path = TagPath::new(&unquoted(token.span.text(&source)).replace('\\', "/")).ok()?;
                Some(Edge { from, place: token.span.start, to: tree.find(&path)? })
            };
            strings.filter_map(edge).collect::<Vec<Edge>>()
        });
        let known: BTreeSet<Edge> = self.out.iter().copied().collect();
        // A reference that a formula gives stands at the formula, and its string within: as many strings as there are
        // references are those.
        let mut left: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for edge in &self.out {
            *left.entry((edge.from, edge.to)).or_insert(0) += 1;
        }
        for edge in found.into_iter().flatten() {
            match left.get_mut(&(edge.from, edge.to)) {
                Some(count) if *count > 0 => *count -= 1,
                _ if known.contains(&edge) => {}
                _ => self.out.push(edge),
            }
        }
        self.sort();
    }

    fn sort(&mut self) {
        self.out.sort_unstable();
        self.back = self.out.clone();
        self.back.sort_unstable_by_key(|edge| (edge.to, edge.from, edge.place));
    }

    /// The number of references to existing tags.
    pub fn count(&self) -> usize {
        self.out.len()
    }

    /// The references of a tag.
    pub fn uses(&self, tag: usize) -> &[Edge] {
        let start = self.out.partition_point(|edge| edge.from < tag);
        let end = self.out.partition_point(|edge| edge.from <= tag);
        &self.out[start..end]
    }

    /// The references to a tag.
    pub fn used_by(&self, tag: usize) -> &[Edge] {
        let start = self.back.partition_point(|edge| edge.to < tag);
        let end = self.back.partition_point(|edge| edge.to <= tag);
        &self.back[start..end]
    }

    /// The tags without incoming references, except for the `roots`.
    pub fn unused(&self, roots: &BTreeSet<usize>) -> Vec<usize> {
        let is_used = |tag: usize| self.used_by(tag).iter().any(|edge| edge.from != tag);
        (0..self.tags).filter(|tag| !roots.contains(tag) && !is_used(*tag)).collect()
    }

    /// The shortest path from a root to a tag, as edges; empty if the tag is a root, none if it is unreachable.
    pub fn chain(&self, roots: &BTreeSet<usize>, tag: usize) -> Option<Vec<Edge>> {
        if roots.contains(&tag) {
            return Some(Vec::new());
        }
        let mut reached: Vec<Option<Edge>> = vec![None; self.tags];
        let mut waiting: VecDeque<usize> = roots.iter().copied().collect();
        while let Some(next) = waiting.pop_front() {
            for edge in self.uses(next) {
                let is_new = !roots.contains(&edge.to) && reached.get(edge.to).is_some_and(Option::is_none);
                if is_new {
                    reached[edge.to] = Some(*edge);
                    waiting.push_back(edge.to);
                }
            }
            if reached.get(tag).is_some_and(Option::is_some) {
                break;
            }
        }
        let mut chain = Vec::new();
        let mut at = tag;
        while let Some(Some(edge)) = reached.get(at) {
            chain.push(*edge);
            at = edge.from;
        }
        chain.reverse();
        (!chain.is_empty()).then_some(chain)
    }

    /// Cycles of the edges that count, each as its tags in order: at least one per strongly connected component, at
    /// most [`CYCLES_MAX`].
    pub fn cycles(&self, counts: impl Fn(&Edge) -> bool) -> Vec<Vec<usize>> {
        const NEW: u8 = 0;
        const OPEN: u8 = 1;
        const DONE: u8 = 2;
        let mut state = vec![NEW; self.tags];
        let mut cycles = Vec::new();
        // The tags on the current path, each with the number of references visited.
        let mut way: Vec<(usize, usize)> = Vec::new();
        for start in 0..self.tags {
            if state[start] != NEW {
                continue;
            }
            state[start] = OPEN;
            way.push((start, 0));
            while let Some((tag, looked)) = way.last_mut() {
                let Some(edge) = self.uses(*tag).get(*looked) else {
                    state[*tag] = DONE;
                    way.pop();
                    continue;
                };
                *looked += 1;
                if !counts(edge) {
                    continue;
                }
                match state[edge.to] {
                    NEW => {
                        state[edge.to] = OPEN;
                        way.push((edge.to, 0));
                    }
                    OPEN if cycles.len() < CYCLES_MAX => {
                        let from = way.iter().position(|(tag, _)| *tag == edge.to).unwrap_or(0);
                        cycles.push(way[from..].iter().map(|(tag, _)| *tag).collect());
                    }
                    _ => {}
                }
            }
        }
        cycles
    }
}
