//! References for people: where a tag is referenced, which tags are unreferenced, and why a tag is part of a game.

use std::collections::BTreeSet;

use script::parse::parse;
use script::source::{Lines, Place};
use tags::TagPath;

use crate::graph::{Edge, Graph};
use crate::provider::Provider;
use crate::source_lookup::place_at;
use crate::tree::Tree;
use crate::tree_error::TreeError;

/// The classes whose tags are the roots of a game.
pub const ROOT_CLASSES: [&str; 2] = ["globals", "scenario"];

/// The reference graph of a tree, and its roots.
#[derive(Debug)]
pub struct Refs {
    /// The references.
    pub graph: Graph,
    /// The roots of the game.
    pub roots: BTreeSet<usize>,
}

/// A reference with its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReferenceSite {
    /// The referring tag.
    pub from: TagPath,
    /// Line and column of the reference.
    pub place: Place,
    /// Its field path, such as `weapons[nose].weapon`; empty if it is unknown.
    pub field: String,
    /// The referenced path.
    pub to: String,
}

impl Refs {
    /// Builds the graph of a whole tree. `roots` are further classes or paths of tags that a game begins from.
    pub fn of(tree: &Tree, provider: &mut dyn Provider, roots: &[String]) -> Result<Refs, TreeError> {
        let all: Vec<usize> = (0..tree.tags.len()).collect();
        let packed = provider.packed(tree, &all);
        let there = packed.iter().enumerate().filter_map(|(tag, packed)| Some((tag, packed.as_deref()?)));
        let mut graph = Graph::of(tree, there);
        graph.add_strings(tree);
        let mut classes: BTreeSet<&str> = ROOT_CLASSES.into_iter().collect();
        let mut found = BTreeSet::new();
        for root in roots {
            if tree.classes.has(root) {
                classes.insert(root);
            } else {
                found.insert(tree.tag(root)?);
            }
        }
        let is_root = |class: &str| classes.iter().any(|root| tree.classes.is_a(class, root));
        found.extend(all.into_iter().filter(|tag| is_root(tree.tags[*tag].path.class())));
        Ok(Refs { graph, roots: found })
    }
}

/// References with line, column and field path. Files that cannot be read have line 1.
pub fn spots(tree: &Tree, edges: &[Edge]) -> Vec<ReferenceSite> {
    let mut spots = Vec::with_capacity(edges.len());
    for group in edges.chunk_by(|left, right| left.from == right.from) {
        let from = &tree.tags[group[0].from].path;
        let source = tree.read(from.as_str()).unwrap_or_default();
        let (parsed, lines) = (parse(&source), Lines::of(&source));
        let class = tree.classes.class(from.class());
        for edge in group {
            spots.push(ReferenceSite {
                from: from.clone(),
                place: lines.place(&source, edge.place),
                field: place_at(&source, &parsed, class, edge.place),
                to: tree.tags[edge.to].path.as_str().to_string(),
            });
        }
    }
    spots
}
