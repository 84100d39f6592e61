//! Who refers to whom.
//!
//! Laws
//! 1. Edges are in the order of the tags, and of each tag's references by place. Both ways show the same edges.
//! 2. Walks over the graph have lists of their own and no recursion: a chain of a million tags is walked as any other.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use tags::packed::Packed;

use crate::limits::CIRCLES_MAX;
use crate::tree::Tree;

/// One reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The tag that refers.
    pub from: usize,
    /// The byte of its text where it does.
    pub place: u32,
    /// The tag that is referred to.
    pub to: usize,
}

/// A reference to what is not there.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Missing {
    /// The tag that refers.
    pub from: usize,
    /// The byte of its text where it does.
    pub place: u32,
    /// The path that it names.
    pub path: String,
}

/// All references of a tree.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// By the tag that refers.
    out: Vec<Edge>,
    /// By the tag that is referred to.
    back: Vec<Edge>,
    /// Those that lead nowhere, by the tag that refers.
    pub missing: Vec<Missing>,
    tags: usize,
}

impl Graph {
    /// The references of packed tags, each with its number in the tree.
    pub fn of<'a>(tree: &Tree, packed: impl IntoIterator<Item = (usize, &'a Packed)>) -> Graph {
        let numbers: BTreeMap<&str, usize> =
            tree.tags.iter().enumerate().map(|(number, tag)| (tag.path.as_str(), number)).collect();
        let mut graph = Graph { tags: tree.tags.len(), ..Graph::default() };
        for (from, packed) in packed {
            for link in packed.links() {
                match numbers.get(link.path) {
                    Some(to) => graph.out.push(Edge { from, place: link.place, to: *to }),
                    None => {
                        let path = link.path.to_string();
                        graph.missing.push(Missing { from, place: link.place, path });
                    }
                }
            }
        }
        graph.out.sort_unstable();
        graph.missing.sort_unstable();
        graph.back = graph.out.clone();
        graph.back.sort_unstable_by_key(|edge| (edge.to, edge.from, edge.place));
        graph
    }

    /// How many references there are that lead somewhere.
    pub fn count(&self) -> usize {
        self.out.len()
    }

    /// What a tag refers to.
    pub fn uses(&self, tag: usize) -> &[Edge] {
        let start = self.out.partition_point(|edge| edge.from < tag);
        let end = self.out.partition_point(|edge| edge.from <= tag);
        &self.out[start..end]
    }

    /// Who refers to a tag.
    pub fn used_by(&self, tag: usize) -> &[Edge] {
        let start = self.back.partition_point(|edge| edge.to < tag);
        let end = self.back.partition_point(|edge| edge.to <= tag);
        &self.back[start..end]
    }

    /// The tags that nobody else refers to, those in `roots` aside.
    pub fn unused(&self, roots: &BTreeSet<usize>) -> Vec<usize> {
        let is_used = |tag: usize| self.used_by(tag).iter().any(|edge| edge.from != tag);
        (0..self.tags).filter(|tag| !roots.contains(tag) && !is_used(*tag)).collect()
    }

    /// The shortest chain from a root to a tag, as edges from the root on; empty if the tag is a root itself, none if
    /// no root leads there.
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

    /// Circles of those edges that count, each as its tags in order: some for every knot of them, at most [`CIRCLES_MAX`].
    pub fn circles(&self, counts: impl Fn(&Edge) -> bool) -> Vec<Vec<usize>> {
        const NEW: u8 = 0;
        const OPEN: u8 = 1;
        const DONE: u8 = 2;
        let mut state = vec![NEW; self.tags];
        let mut circles = Vec::new();
        // The tags on the way, each with how many of its references were looked at.
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
                    OPEN if circles.len() < CIRCLES_MAX => {
                        let from = way.iter().position(|(tag, _)| *tag == edge.to).unwrap_or(0);
                        circles.push(way[from..].iter().map(|(tag, _)| *tag).collect());
                    }
                    _ => {}
                }
            }
        }
        circles
    }
}
