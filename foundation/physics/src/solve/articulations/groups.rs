//! Groups: trees and free bodies that touch one another. Their contacts are solved together, by one job.
//!
//! Laws
//! 1. A contact of a tree with an immovable body belongs to the group of its tree. A contact of a tree with a free body or with
//!    another tree unites their groups, in key order, as long as the group stays small: so a heap of ragdolls is still many jobs.
//! 2. Contacts that would make a group too large, contacts within a tree, contacts of a tree with loops and those beyond the
//!    capacity are solved as all others, with the masses of their two bodies alone.
//! 3. A free body is in one group at most. It is called a partner of the trees there.

use alloc::vec::Vec;

use jobs::NONE as NO_BODY;

use crate::contact_summary::ContactSummaries;
use crate::islands::Islands;
use crate::limits::{GROUP_LINKS_MAX, GROUP_PARTNERS_MAX, PARTNERS_PER_JOINT, TREE_CONTACTS_PER_JOINT};
use crate::solve::articulations::spanning_forest::SpanningForest;
use crate::solver_body::SolverBody;

/// The groups of a step.
pub struct Groups {
    /// Trees, then solver bodies.
    islands: Islands,
    /// For the root of each island, its links.
    sizes: Vec<u32>,
    /// For each tree, whether it has loops.
    has_loop: Vec<bool>,
    /// All trees and partners, group by group.
    pub members: Vec<GroupMember>,
    /// The contacts that are solved in groups, in key order.
    pub contacts: Vec<GroupContact>,
    partners: Vec<u32>,
}

/// A tree or a partner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GroupMember {
    /// The lowest tree of its group.
    pub group: u32,
    /// The number of the tree; of a partner, the number of trees and the index of its solver body.
    pub number: u32,
}

/// A contact that is solved in a group.
#[derive(Clone, Copy, Debug)]
pub struct GroupContact {
    /// Its index.
    pub contact: u32,
    /// The solver bodies of both sides; [`NO_BODY`] if that side is immovable.
    pub solver_bodies: [u32; 2],
}

/// What one side of a contact is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Immovable,
    Tree(u32),
    LoopTree,
    Free(u32),
}

impl Groups {
    /// Allocates for this many bodies, contacts and joints.
    pub fn new(bodies: usize, contacts: usize, joints: usize) -> Groups {
        let partners = Groups::partners_max(bodies, joints);
        Groups {
            islands: Islands::with_capacity(bodies + joints),
            sizes: Vec::with_capacity(bodies + joints),
            has_loop: Vec::with_capacity(joints),
            members: Vec::with_capacity(joints + partners),
            contacts: Vec::with_capacity(contacts.min(joints * TREE_CONTACTS_PER_JOINT)),
            partners: Vec::with_capacity(partners),
        }
    }

    /// The largest number of partners.
    pub fn partners_max(bodies: usize, joints: usize) -> usize {
        bodies.min(joints * PARTNERS_PER_JOINT)
    }

    /// Finds the groups of all trees, and marks their partners.
    pub fn find(&mut self, forest: &SpanningForest, summaries: &ContactSummaries, solver_bodies: &mut [SolverBody]) {
        self.begin(forest, solver_bodies.len());
        let trees = forest.tree_ends.len() as u32;
        for (contact, summary) in summaries.as_slice().iter().enumerate().filter(|(_, summary)| summary.is_solved()) {
            let sides = summary.body_indices.map(|solver_body| self.side_of(forest, solver_bodies, solver_body));
            let is_full = self.contacts.len() == self.contacts.capacity();
            let is_in_group = match sides {
                _ if is_full => false,
                [Side::Tree(_), Side::Immovable] | [Side::Immovable, Side::Tree(_)] => true,
                [Side::Tree(tree), Side::Free(body)] | [Side::Free(body), Side::Tree(tree)] => {
                    self.add_partner(tree, body, trees, &mut solver_bodies[body as usize])
                }
                [Side::Tree(one), Side::Tree(other)] => one != other && self.unite(one, other, GROUP_LINKS_MAX),
                _ => false,
            };
            if is_in_group {
                let solver_body = |side: usize| match sides[side] {
                    Side::Immovable => NO_BODY,
                    _ => summary.body_indices[side],
                };
                self.contacts
                    .push(GroupContact { contact: contact as u32, solver_bodies: [solver_body(0), solver_body(1)] });
            }
        }
        for number in (0..trees).chain(self.partners.iter().map(|partner| trees + partner)) {
            self.members.push(GroupMember { group: self.islands.root(number), number });
        }
        self.members.sort_unstable();
    }

    fn begin(&mut self, forest: &SpanningForest, solver_bodies: usize) {
        self.members.clear();
        self.contacts.clear();
        self.partners.clear();
        self.has_loop.clear();
        self.has_loop.resize(forest.tree_ends.len(), false);
        forest.loops.iter().for_each(|edge| self.has_loop[edge.tree as usize] = true);
        self.islands.begin(forest.tree_ends.len() + solver_bodies);
        self.sizes.clear();
        let starts = core::iter::once(0).chain(forest.tree_ends.iter().copied());
        self.sizes.extend(forest.tree_ends.iter().zip(starts).map(|(end, start)| end - start));
        self.sizes.resize(forest.tree_ends.len() + solver_bodies, 1);
    }

    fn side_of(&self, forest: &SpanningForest, solver_bodies: &[SolverBody], solver_body: u32) -> Side {
        match solver_bodies.get(solver_body as usize) {
            Some(body) if body.inverse_mass > 0.0 => match forest.tree_of[solver_body as usize] {
                NO_BODY => Side::Free(solver_body),
                tree if self.has_loop[tree as usize] => Side::LoopTree,
                tree => Side::Tree(tree),
            },
            _ => Side::Immovable,
        }
    }

    /// Makes a free body a partner of a tree. False if there is no room.
    fn add_partner(&mut self, tree: u32, body: u32, trees: u32, solver_body: &mut SolverBody) -> bool {
        let is_new = !solver_body.touches_articulation;
        if is_new && self.partners.len() == self.partners.capacity() {
            return false;
        }
        let size_max = if is_new { GROUP_PARTNERS_MAX } else { GROUP_LINKS_MAX };
        if !self.unite(tree, trees + body, size_max) {
            return false;
        }
        if is_new {
            solver_body.touches_articulation = true;
            self.partners.push(body);
        }
        true
    }

    /// Unites two groups, unless the result would be too large. True if they are one.
    fn unite(&mut self, one: u32, other: u32, size_max: u32) -> bool {
        let (one, other) = (self.islands.root(one), self.islands.root(other));
        if one == other {
            return true;
        }
        let size = self.sizes[one as usize] + self.sizes[other as usize];
        if size > size_max {
            return false;
        }
        self.islands.union(one, other);
        self.sizes[one.min(other) as usize] = size;
        true
    }
}
