//! Articulated static contacts: contacts of a tree with static, kinematic or sleeping bodies, solved with the whole
//! tree.
//!
//! An impulse on a body of a tree acts on all of it. Solved with the mass of the body alone, joints would remove most
//! of each impulse again, and a foot would need as many iterations to carry a person as the person is heavier than the
//! foot. So each contact uses the articulated inverse inertia of its body (Featherstone 1983), and contacts are solved
//! one after the other (Gauss-Seidel) in depth-first order of the tree, with impulses and velocity changes propagated
//! along the edges in between (Mirtich 1996): each contact sees the effect of all before it. At the end the tree
//! responds exactly to the sum of all impulses.
//!
//! Laws
//! 1. Only equality rows take part. Limits and motors are released: a contact that relied on a limit that then opens
//!    would push far too hard. So joints are solved again after contacts, for a few rounds.
//! 2. A tree with a loop has no static contacts, and those beyond the capacity are none: they are solved as all other
//!    contacts.
//! 3. When the impulses of joints are reset, so are those of static contacts: only both together are in balance.

use alloc::vec::Vec;

use base::Vec3;
use jobs::NONE as NO_BODY;

use crate::contact_summary::ContactSummaries;
use crate::joint::impulse;
use crate::limits::STATIC_CONTACTS_PER_JOINT;
use crate::narrow_phase::NarrowPhase;
use crate::solve::articulations::active_set::apply_solution;
use crate::solve::articulations::cholesky::{backward_substitute_six, forward_substitute_six, triangle};
use crate::solve::articulations::factorization::{factorize, solve_impulses};
use crate::solve::articulations::link::{ActiveSet, Link, reset_impulses};
use crate::solve::articulations::{each_tree, energy};
use crate::solve::block::StepCoefficients;
use crate::solve::block::single_contact::{
    ArticulatedInverseInertia, ContactVelocities, SingleContact, Six, add, times, times_transposed,
};
use crate::solver_body::{SolverBody, SolverVelocity};

/// The static contacts of all trees.
pub struct StaticContacts {
    /// Ordered by tree, and within a tree by depth-first order.
    pub(super) list: Vec<StaticContact>,
    /// Where those of each job end.
    pub(super) job_ends: Vec<u32>,
    found: Vec<StaticContactKey>,
    /// For each contact, its index in the list, or [`NO_BODY`].
    indices: Vec<u32>,
    /// For each solver body, its link, if its tree can have static contacts.
    links: Vec<u32>,
}

/// A contact of a tree with a body that it cannot move.
#[derive(Clone, Copy)]
pub struct StaticContact {
    /// Index of its body in the tree.
    link: u32,
    solver_bodies: [u32; 2],
    /// Which of its two bodies is in the tree.
    side: usize,
    single: SingleContact,
}

/// Which pass of the solver over the contacts of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContactPass {
    Solve,
    Relax,
    Bounce,
}

/// A contact to be solved with its tree: sorted by tree, then by depth-first order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct StaticContactKey {
    tree: u32,
    order: u32,
    contact: u32,
    link: u32,
    side: u32,
}

/// The part of its own inverse inertia that is added to the effective mass of a contact: bounds the impulse at a body
/// that its joints hold rigidly, and damps jitter of coordinates at their limits.
const OWN_PART_MIN: f32 = 1.0e-2;
/// The part of its own inverse inertia that is added to that of each body: far above rounding, which a heavy body on a
/// light one would otherwise amplify.
const ROUNDING: f32 = 1.0e-5;

impl StaticContacts {
    /// Allocates for this many bodies, contacts and joints.
    pub fn new(bodies: usize, contacts: usize, joints: usize) -> StaticContacts {
        let capacity = contacts.min(joints * STATIC_CONTACTS_PER_JOINT);
        StaticContacts {
            list: Vec::with_capacity(capacity),
            job_ends: Vec::with_capacity(joints),
            found: Vec::with_capacity(capacity),
            indices: Vec::with_capacity(contacts),
            links: Vec::with_capacity(bodies),
        }
    }

    /// The static contact with the index of a contact, if it is one.
    #[inline]
    pub fn of(&self, contact: usize) -> Option<&SingleContact> {
        let index = self.indices.get(contact)?;
        self.list.get(*index as usize).map(|contact| &contact.single)
    }

    /// Finds the static contacts of all trees, and splits them into the same jobs.
    pub(super) fn find(
        &mut self,
        (links, job_ends): (&mut [Link], &[u32]),
        (narrow, sketches): (&NarrowPhase, &ContactSummaries),
        solver_bodies: &[SolverBody],
    ) {
        self.list.clear();
        self.found.clear();
        self.indices.clear();
        self.job_ends.clear();
        if links.is_empty() {
            return;
        }
        self.index_links(links, solver_bodies.len());
        self.find_contacts(sketches, solver_bodies);
        self.order_depth_first(links);
        self.found.sort_unstable();
        self.indices.resize(sketches.as_slice().len(), NO_BODY);
        for (index, found) in self.found.iter().enumerate() {
            let (touching, side) = (narrow.get(found.contact as usize), found.side as usize);
            let single = SingleContact::new(touching, side, solver_bodies);
            assert!(found.link >= found.tree, "link {} is not in the tree at {}", found.link, found.tree);
            self.list.push(StaticContact {
                link: found.link - found.tree,
                solver_bodies: touching.body_indices,
                side,
                single,
            });
            self.indices[found.contact as usize] = index as u32;
            links[found.tree as usize].propagation.static_contacts += 1;
        }
        for end in job_ends {
            self.job_ends.push(self.found.partition_point(|found| found.tree < *end) as u32);
        }
    }

    fn index_links(&mut self, links: &mut [Link], solver_bodies: usize) {
        let indices = &mut self.links;
        indices.clear();
        indices.resize(solver_bodies, NO_BODY);
        let mut start = 0;
        each_tree(links, |links| {
            if links.iter().all(|link| !link.is_loop_closure) {
                links.iter().zip(start..).for_each(|(link, index)| indices[link.solver_body as usize] = index);
            }
            start += links.len() as u32;
        });
    }

    fn find_contacts(&mut self, sketches: &ContactSummaries, solver_bodies: &[SolverBody]) {
        let is_static = |solver_body: u32| {
            solver_bodies.get(solver_body as usize).is_none_or(|solver_body| solver_body.inverse_mass <= 0.0)
        };
        for (contact, sketch) in sketches.as_slice().iter().enumerate().filter(|(_, sketch)| sketch.is_solved()) {
            let [first, second] = sketch.body_indices;
            let (side, solver_body) = match (is_static(first), is_static(second)) {
                (false, true) => (0, first),
                (true, false) => (1, second),
                _ => continue,
            };
            let link = self.links[solver_body as usize];
            if link != NO_BODY && self.found.len() < self.found.capacity() {
                self.found.push(StaticContactKey { tree: 0, order: 0, contact: contact as u32, link, side });
            }
        }
    }

    /// Orders the bodies of each tree depth first, along all branches with static contacts.
    fn order_depth_first(&mut self, links: &mut [Link]) {
        let mut start = 0;
        let found = &mut self.found;
        found.iter().for_each(|found| links[found.link as usize].propagation.is_on_path = true);
        each_tree(links, |links| {
            for index in 0..links.len() {
                let parent = links[index].parent as usize;
                if links[index].propagation.is_on_path && parent < links.len() {
                    links[parent].propagation.is_on_path = true;
                }
            }
            // Parents come before children here, and each child is inserted directly after its parent.
            for index in (0..links.len()).rev() {
                let parent = links[index].parent as usize;
                if links[index].propagation.is_on_path && parent < links.len() {
                    links[index].propagation.next =
                        core::mem::replace(&mut links[parent].propagation.next, index as u32);
                }
            }
            let (mut here, mut order) = (links.len() as u32 - 1, 0);
            while let Some(link) = links.get_mut(here as usize) {
                (link.propagation.order, link.propagation.tree_start) = (order, start);
                (here, order) = (link.propagation.next, order + 1);
            }
            start += links.len() as u32;
        });
        for found in found {
            let propagation = &links[found.link as usize].propagation;
            (found.tree, found.order) = (propagation.tree_start, propagation.order);
        }
    }
}

/// Applies the accumulated impulses of the last sub-step, or resets them if those of the joints were.
pub(super) fn warm_start(links: &mut [Link], contacts: &mut [StaticContact]) {
    reset_with_joints(links, contacts);
    contacts
        .iter()
        .for_each(|contact| links[contact.link as usize].apply_external_impulse(&contact.single.applied_impulse()));
}

/// Resets all impulses if those of the joints were.
pub(super) fn reset_with_joints(links: &mut [Link], contacts: &mut [StaticContact]) {
    if core::mem::take(&mut links[0].budget.are_impulses_reset) {
        contacts.iter_mut().for_each(|contact| contact.single.clear_impulses());
    }
}

/// One pass over the contacts of a tree whose joints were solved. If the result has too much energy, nothing is applied
/// and all impulses are reset.
pub(super) fn solve_pass(
    links: &mut [Link],
    contacts: &mut [StaticContact],
    velocities: &[SolverVelocity],
    pace: &StepCoefficients,
    pass: ContactPass,
) {
    release_bounded_rows(links);
    // Inverse inertias and effective masses follow from the factorization, and change with it only.
    let factorization = links[0].factors.number;
    if links[0].propagation.factorization != factorization {
        links[0].propagation.factorization = factorization;
        compute_inverse_inertias(links);
        contacts.iter_mut().for_each(|contact| contact.update_effective_mass(&links[contact.link as usize]));
    }
    let push_speed = if pass == ContactPass::Solve { pace.push_speed_max } else { 0.0 };
    let is_within_energy =
        energy::guard_static_contacts(links, push_speed, |links| sweep(links, contacts, velocities, pace, pass));
    if !is_within_energy {
        reset_impulses(links);
        reset_with_joints(links, contacts);
    } else if pass == ContactPass::Relax {
        contacts.iter_mut().for_each(|contact| contact.single.accumulate_impulses());
    }
}

/// Restitution passes, directly after the relax pass.
pub(super) fn apply_restitution(
    links: &mut [Link],
    contacts: &mut [StaticContact],
    velocities: &[SolverVelocity],
    pace: &StepCoefficients,
    passes: u32,
) {
    if contacts.iter().any(|contact| contact.single.has_impact()) {
        let is_within_energy = (0..passes).all(|_| sweep(links, contacts, velocities, pace, ContactPass::Bounce));
        if !is_within_energy {
            reset_impulses(links);
            reset_with_joints(links, contacts);
        }
    }
}

/// Whether all bodies under them are at rest.
pub(super) fn are_on_resting_bodies(contacts: &[StaticContact], velocities: &[SolverVelocity]) -> bool {
    let is_still = |solver_velocity: &SolverVelocity| {
        solver_velocity.linear() == Vec3::ZERO && solver_velocity.angular() == Vec3::ZERO
    };
    contacts.iter().all(|contact| velocities.get(contact.solver_bodies[1 - contact.side] as usize).is_none_or(is_still))
}

/// Ends a sub-step.
pub(super) fn end_substep(links: &mut [Link], contacts: &mut [StaticContact]) {
    contacts.iter_mut().for_each(|contact| contact.single.end());
    reset_with_joints(links, contacts);
}

/// Factorizes the tree without bounded rows.
fn release_bounded_rows(links: &mut [Link]) {
    for link in links.iter_mut() {
        for (row, target) in link.rows.iter().zip(&mut link.targets) {
            if matches!(row.impulse_index, impulse::LIMIT | impulse::SWING | impulse::MOTOR) {
                target.activity = ActiveSet::Fixed;
            }
        }
    }
    factorize(links);
}

/// Computes the articulated inverse inertia of all bodies on the path, from the root to the leaves.
fn compute_inverse_inertias(links: &mut [Link]) {
    for index in (0..links.len()).rev() {
        if !links[index].propagation.is_on_path {
            continue;
        }
        let parent = links.get(links[index].parent as usize).map(|parent| parent.propagation.inverse_inertia);
        let (propagator, mut inverse_inertia) = links[index].local_response();
        if let Some(parent) = parent {
            // Velocity change that the parent returns for the impulse propagated to it.
            let returned: [Six; 6] = core::array::from_fn(|axis| {
                let propagated = core::array::from_fn(|row| propagator[row][axis]);
                times_transposed(&propagator, &times(&parent, &propagated))
            });
            inverse_inertia
                .iter_mut()
                .zip(&returned)
                .for_each(|(inverse_inertia, returned)| add(inverse_inertia, returned));
        }
        (links[index].propagation.propagator, links[index].propagation.inverse_inertia) = (propagator, inverse_inertia);
    }
}

/// Sweeps over all contacts in depth-first order, then applies the exact response of the tree. False if it is not
/// finite.
fn sweep(
    links: &mut [Link],
    contacts: &mut [StaticContact],
    velocities: &[SolverVelocity],
    pace: &StepCoefficients,
    pass: ContactPass,
) -> bool {
    for link in links.iter_mut() {
        (link.propagation.velocity_change, link.propagation.accumulated_impulse, link.propagation.applied_impulse) =
            ([0.0; 6], [0.0; 6], [0.0; 6]);
    }
    let (mut here, mut left) = (links.len() - 1, contacts);
    loop {
        let count = left.iter().take_while(|contact| contact.link as usize == here).count();
        let (own, rest) = left.split_at_mut(count);
        own.iter_mut().for_each(|contact| contact.solve(&mut links[here], velocities, pace, pass));
        left = rest;
        let next = links[here].propagation.next as usize;
        if left.is_empty() || next >= links.len() {
            break;
        }
        while here != links[next].parent as usize {
            here = propagate_to_parent(links, here);
        }
        links[next].propagation.velocity_change =
            times_transposed(&links[next].propagation.propagator, &links[here].propagation.velocity_change);
        here = next;
    }
    assert!(left.is_empty(), "{} static contacts are not on the path through their tree", left.len());
    links.iter_mut().for_each(|link| link.partial = link.propagation.applied_impulse);
    if !solve_impulses(links) {
        return false;
    }
    for index in 0..links.len() {
        let impulse = links[index].propagation.applied_impulse;
        links[index].apply_external_impulse(&impulse);
        apply_solution(links, index);
    }
    true
}

/// Moves from a body to its parent, which receives the propagated impulse.
fn propagate_to_parent(links: &mut [Link], here: usize) -> usize {
    let (parent, propagated) = (
        links[here].parent as usize,
        times(&links[here].propagation.propagator, &links[here].propagation.accumulated_impulse),
    );
    links[parent].propagation.accumulate(&propagated);
    parent
}

impl StaticContact {
    /// Sets the articulated inverse inertia of its body, and the effective masses that follow from it.
    fn update_effective_mass(&mut self, link: &Link) {
        let mut regularized = link.propagation.inverse_inertia;
        link.regularize(&mut regularized, OWN_PART_MIN);
        self.single.set_inverse_inertia(
            &ArticulatedInverseInertia::new(&link.propagation.inverse_inertia),
            &ArticulatedInverseInertia::new(&regularized),
        );
    }

    fn solve(&mut self, link: &mut Link, velocities: &[SolverVelocity], pace: &StepCoefficients, pass: ContactPass) {
        let resting = SolverVelocity::default();
        let both = self.solver_bodies.map(|solver_body| velocities.get(solver_body as usize).unwrap_or(&resting));
        let sides = ContactVelocities::new(both, self.side, link.current_velocity());
        let before = self.single.applied_impulse();
        match pass {
            ContactPass::Solve => self.single.solve(&sides, pace),
            ContactPass::Relax => self.single.relax(&sides, pace),
            ContactPass::Bounce => self.single.restitute(&sides, pace),
        }
        let after = self.single.applied_impulse();
        let change = core::array::from_fn(|axis| after[axis] - before[axis]);
        add(&mut link.propagation.applied_impulse, &change);
        link.propagation.accumulate(&change);
    }
}

impl Link {
    /// The propagator to its parent, and its inverse inertia with the parent held fixed.
    fn local_response(&self) -> ([Six; 6], [Six; 6]) {
        let factors = &self.factors;
        let (mut propagator, mut inverse_inertia) = ([[0.0; 6]; 6], [[0.0; 6]; 6]);
        for (axis, row) in inverse_inertia.iter_mut().enumerate() {
            row[axis] = 1.0;
            forward_substitute_six(&factors.body, row);
            backward_substitute_six(&factors.body, row);
        }
        let mut rows = factors.own_block;
        for row in 0..factors.count {
            for column in 0..row {
                let (part, before) = (factors.joint[triangle(row) + column], rows[column]);
                (0..6).for_each(|axis| rows[row][axis] -= part * before[axis]);
            }
            let scale = factors.joint[triangle(row) + row];
            rows[row].iter_mut().for_each(|value| *value *= scale);
        }
        for (row, parent) in rows[..factors.count].iter_mut().zip(&factors.parent_block) {
            backward_substitute_six(&factors.body, row);
            for line in 0..6 {
                (0..6).for_each(|axis| inverse_inertia[line][axis] -= row[line] * row[axis]);
                (0..6).for_each(|axis| propagator[line][axis] -= parent[line] * row[axis]);
            }
        }
        if !self.can_rotate {
            for line in 0..6 {
                (3..6).for_each(|axis| {
                    (inverse_inertia[line][axis], inverse_inertia[axis][line], propagator[line][axis]) = (0.0, 0.0, 0.0)
                });
            }
        }
        self.regularize(&mut inverse_inertia, ROUNDING);
        (propagator, inverse_inertia)
    }

    /// Adds a part of its own inverse inertia.
    fn regularize(&self, inverse_inertia: &mut [Six; 6], part: f32) {
        for (axis, column) in self.inverse_inertia.columns.into_iter().enumerate() {
            inverse_inertia[axis][axis] += self.inverse_mass * part;
            let turning = column.to_array().into_iter().enumerate();
            turning.for_each(|(row, value)| inverse_inertia[3 + row][3 + axis] += value * part);
        }
    }

    /// Its velocities, with the changes of this sweep.
    fn current_velocity(&self) -> [Vec3; 2] {
        let [x, y, z, angular_x, angular_y, angular_z] = self.propagation.velocity_change;
        [self.own.velocity + Vec3::new(x, y, z), self.own.angular_velocity + Vec3::new(angular_x, angular_y, angular_z)]
    }

    /// Applies an impulse to its body alone.
    fn apply_external_impulse(&mut self, [x, y, z, angular_x, angular_y, angular_z]: &Six) {
        self.own.velocity += Vec3::new(*x, *y, *z) * self.inverse_mass;
        self.own.angular_velocity += self.inverse_inertia * Vec3::new(*angular_x, *angular_y, *angular_z);
    }
}
