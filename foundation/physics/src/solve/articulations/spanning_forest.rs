//! The spanning forest of the joint graph: bodies as nodes, joints as edges, and the joints that close loops.
//!
//! Laws
//! 1. Joints are visited in the order of their slots; one that connects two components becomes a tree edge (Kruskal
//!    1956, with union-find). A tree has at most one joint to a static body or the world, the first; its body is the
//!    root. Without one, the body with the lowest index is the root.
//! 2. Trees are in the order of their lowest bodies, each from the leaves to the root: reversed breadth-first order.

use alloc::vec::Vec;

use jobs::NONE as NO_BODY;

use crate::islands::Islands;

/// A body in a tree with the joint to its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeEdge {
    /// Index of the solver body.
    pub solver_body: u32,
    /// Index of its parent in the same tree, or [`NO_BODY`].
    pub parent: u32,
    /// Index of the joint to its parent, or of a root to a static body; or [`NO_BODY`].
    pub joint: u32,
}

/// The forest, with the working memory to build it.
pub struct SpanningForest {
    islands: Islands,
    /// For each body, where its joints begin in the adjacency list.
    adjacency_starts: Vec<u32>,
    adjacency: Vec<u32>,
    /// For the root of each component, its joint to a static body.
    static_joints: Vec<u32>,
    visited: Vec<bool>,
    in_tree: Vec<bool>,
    /// All trees, one after the other.
    pub edges: Vec<TreeEdge>,
    /// Where each tree ends.
    pub tree_ends: Vec<u32>,
    /// For each body, its index in its tree, or [`NO_BODY`].
    pub nodes: Vec<u32>,
    /// For each body, the number of its tree, or [`NO_BODY`].
    pub tree_of: Vec<u32>,
    /// The joints that close loops: in the order of their trees, then of their slots.
    pub loops: Vec<LoopEdge>,
}

/// A joint that closes a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoopEdge {
    /// The number of its tree.
    pub tree: u32,
    /// Index of the joint.
    pub joint: u32,
}

impl SpanningForest {
    /// Allocates for this many bodies and joints.
    pub fn new(bodies: usize, joints: usize) -> SpanningForest {
        SpanningForest {
            islands: Islands::with_capacity(bodies),
            adjacency_starts: Vec::with_capacity(bodies + 1),
            adjacency: Vec::with_capacity(joints * 2),
            static_joints: Vec::with_capacity(bodies),
            visited: Vec::with_capacity(bodies),
            in_tree: Vec::with_capacity(joints),
            edges: Vec::with_capacity(bodies.min(joints * 2)),
            tree_ends: Vec::with_capacity(joints),
            nodes: Vec::with_capacity(bodies),
            tree_of: Vec::with_capacity(bodies),
            loops: Vec::with_capacity(joints),
        }
    }

    /// Builds the forest of joints between this many solver bodies. Each joint has one or two dynamic bodies; the
    /// others are [`NO_BODY`].
    pub fn build(&mut self, solver_bodies: usize, joints: &[[u32; 2]]) {
        self.classify_joints(solver_bodies, joints);
        self.build_adjacency(solver_bodies, joints);
        self.edges.clear();
        self.tree_ends.clear();
        self.visited.clear();
        self.visited.resize(solver_bodies, false);
        for solver_body in 0..solver_bodies as u32 {
            let is_joined =
                self.adjacency_starts[solver_body as usize] < self.adjacency_starts[solver_body as usize + 1];
            let leader = self.islands.root(solver_body);
            let joint = self.static_joints[leader as usize];
            if self.visited[solver_body as usize] || !(is_joined || joint != NO_BODY) {
                continue;
            }
            let root = match joints.get(joint as usize) {
                Some(ends) => ends[0].min(ends[1]),
                None => solver_body,
            };
            self.traverse(TreeEdge { solver_body: root, parent: NO_BODY, joint }, joints);
        }
        self.index_bodies(solver_bodies, joints);
    }

    /// Indexes bodies by tree, and assigns loops to trees.
    fn index_bodies(&mut self, solver_bodies: usize, joints: &[[u32; 2]]) {
        for indices in [&mut self.nodes, &mut self.tree_of] {
            indices.clear();
            indices.resize(solver_bodies, NO_BODY);
        }
        let mut start = 0;
        for (tree, end) in self.tree_ends.iter().enumerate() {
            for (node, edge) in self.edges[start..*end as usize].iter().enumerate() {
                self.nodes[edge.solver_body as usize] = node as u32;
                self.tree_of[edge.solver_body as usize] = tree as u32;
            }
            start = *end as usize;
        }
        for edge in &mut self.loops {
            let [first, second] = joints[edge.joint as usize];
            edge.tree = self.tree_of[first.min(second) as usize];
        }
        self.loops.sort_unstable();
    }

    /// Separates tree edges from loops.
    fn classify_joints(&mut self, solver_bodies: usize, joints: &[[u32; 2]]) {
        self.islands.begin(solver_bodies);
        self.static_joints.clear();
        self.static_joints.resize(solver_bodies, NO_BODY);
        self.loops.clear();
        self.in_tree.clear();
        for &[first, second] in joints {
            let is_new = first != NO_BODY && second != NO_BODY && self.islands.root(first) != self.islands.root(second);
            self.islands.union(first, second);
            self.in_tree.push(is_new);
        }
        for (joint, &[first, second]) in joints.iter().enumerate() {
            if first != NO_BODY && second != NO_BODY {
                if !self.in_tree[joint] {
                    self.loops.push(LoopEdge { tree: 0, joint: joint as u32 });
                }
                continue;
            }
            let leader = self.islands.root(first.min(second)) as usize;
            if self.static_joints[leader] == NO_BODY {
                self.static_joints[leader] = joint as u32;
            } else {
                self.loops.push(LoopEdge { tree: 0, joint: joint as u32 });
            }
        }
    }

    /// Builds the adjacency list of the tree edges.
    fn build_adjacency(&mut self, solver_bodies: usize, joints: &[[u32; 2]]) {
        self.adjacency_starts.clear();
        self.adjacency_starts.resize(solver_bodies + 1, 0);
        let in_tree = &self.in_tree;
        let kept = joints.iter().enumerate().filter(|(joint, _)| in_tree[*joint]);
        kept.clone().for_each(|(_, ends)| ends.iter().for_each(|end| self.adjacency_starts[*end as usize] += 1));
        let mut total = 0;
        for start in &mut self.adjacency_starts {
            total += *start;
            *start = total;
        }
        self.adjacency.clear();
        self.adjacency.resize(total as usize, NO_BODY);
        for (joint, ends) in kept {
            for end in ends {
                let start = &mut self.adjacency_starts[*end as usize];
                *start -= 1;
                self.adjacency[*start as usize] = joint as u32;
            }
        }
    }

    /// Breadth-first from the root, then reversed.
    fn traverse(&mut self, root: TreeEdge, joints: &[[u32; 2]]) {
        let first = self.edges.len();
        self.visited[root.solver_body as usize] = true;
        self.edges.push(root);
        let mut next = first;
        while let Some(edge) = self.edges.get(next).copied() {
            let range =
                self.adjacency_starts[edge.solver_body as usize]..self.adjacency_starts[edge.solver_body as usize + 1];
            for entry in range {
                let joint = self.adjacency[entry as usize];
                let Some(ends) = joints.get(joint as usize) else { continue };
                let other = if ends[0] == edge.solver_body { ends[1] } else { ends[0] };
                if !core::mem::replace(&mut self.visited[other as usize], true) {
                    self.edges.push(TreeEdge { solver_body: other, parent: (next - first) as u32, joint });
                }
            }
            next += 1;
        }
        let count = (self.edges.len() - first) as u32;
        self.edges[first..].reverse();
        for edge in self.edges[first..].iter_mut().filter(|edge| edge.parent != NO_BODY) {
            edge.parent = count - 1 - edge.parent;
            assert!(edge.parent < count, "a parent is outside of its tree");
        }
        self.tree_ends.push(self.edges.len() as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(joints: &[[u32; 2]], expected: &str) {
        let mut forest = SpanningForest::new(16, 16);
        forest.build(16, joints);
        let mut text = alloc::string::String::new();
        let mut start = 0;
        for end in &forest.tree_ends {
            for edge in &forest.edges[start..*end as usize] {
                let parent = forest.edges.get(start + edge.parent as usize).filter(|_| edge.parent != NO_BODY);
                let parent =
                    parent.map_or(alloc::string::String::new(), |parent| alloc::format!("<{}", parent.solver_body));
                text += &alloc::format!("{}{parent} ", edge.solver_body);
            }
            text += "| ";
            start = *end as usize;
        }
        let loops: Vec<u32> = forest.loops.iter().map(|edge| edge.joint).collect();
        assert_eq!(alloc::format!("{text}{loops:?}"), expected);
    }

    const NO: u32 = NO_BODY;

    #[test]
    fn trees_are_ordered_from_the_leaves_to_the_root() {
        check(&[], "[]");
        check(&[[0, 1]], "1<0 0 | []");
        check(&[[0, 1], [2, 1], [3, NO]], "2<1 1<0 0 | 3 | []");
        check(&[[1, 2], [2, 3], [NO, 3]], "1<2 2<3 3 | []");
        check(&[[4, 1], [4, 2], [4, 3]], "2<4 3<4 4<1 1 | []");
    }

    #[test]
    fn joints_that_close_loops_are_no_tree_edges() {
        check(&[[0, 1], [1, 2], [2, 0]], "2<1 1<0 0 | [2]");
        check(&[[0, 1], [0, 1]], "1<0 0 | [1]");
        check(&[[0, NO], [0, 1], [NO, 1]], "1<0 0 | [2]");
    }
}
