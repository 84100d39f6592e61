//! Tree contacts: contacts of a tree, solved with the whole tree.
//!
//! An impulse on a body of a tree acts on all of it. Solved with the mass of the body alone, joints would remove most
//! of each impulse again: a foot would need as many iterations to carry a person as the person is heavier than the
//! foot, and a ball would bounce off a hand as if the hand were alone. So each contact uses the articulated inverse
//! inertia of its bodies (Featherstone 1983), and contacts are solved one after the other (Gauss-Seidel) in depth-first
//! order of the tree, with impulses and velocity changes propagated along the edges in between (Mirtich 1996): each
//! contact sees the effect of all before it. At the end the tree responds exactly to the sum of all impulses.
//!
//! Laws
//! 1. Only equality rows take part. Limits and motors are released: a contact that relied on a limit that then opens
//!    would push far too hard. So joints are solved again after contacts, for a few rounds.
//! 2. Which contacts these are is said in [`groups`](super::groups).
//! 3. When the impulses of joints are reset, so are those of tree contacts: only both together are in balance.
//! 4. What a contact gives to one side it takes from the other, also where it is reset.

use alloc::vec::Vec;

use base::Vec3;
use base::number::abs;
use jobs::NONE as NO_BODY;

use crate::joint::impulse;
use crate::limits::TREE_CONTACTS_PER_JOINT;
use crate::narrow_phase::NarrowPhase;
use crate::solve::articulations::active_set::apply_solution;
use crate::solve::articulations::cholesky::{backward_substitute_six, forward_substitute_six, triangle};
use crate::solve::articulations::factorization::{factorize, solve_impulses};
use crate::solve::articulations::groups::GroupContact;
use crate::solve::articulations::link::{ActiveSet, Link, SPEED_MAX, reset_impulses};
use crate::solve::articulations::propagation::Ground;
use crate::solve::articulations::{each_tree, energy, is_partner};
use crate::solve::block::StepCoefficients;
use crate::solve::block::single_contact::{
    ArticulatedInverseInertia, ContactVelocities, SingleContact, Six, add, times, times_transposed,
};
use crate::solver_body::{SolverBody, SolverVelocity};

/// The contacts of all groups.
pub struct TreeContacts {
    /// Ordered by group, and within a group by tree and depth-first order.
    pub(super) list: Vec<TreeContact>,
    /// Where those of each job end.
    pub(super) job_ends: Vec<u32>,
    found: Vec<TreeContactKey>,
    /// For each contact, its index in the list, or [`NO_BODY`].
    indices: Vec<u32>,
    /// For each solver body, where its link is.
    places: Vec<LinkPlace>,
}

/// A contact of a tree.
#[derive(Clone, Copy)]
pub struct TreeContact {
    sides: [TreeSide; 2],
    solver_bodies: [u32; 2],
    single: SingleContact,
}

/// One side of a contact: a body of the group, or an immovable one.
#[derive(Clone, Copy)]
struct TreeSide {
    /// Where its tree begins in the group; [`NO_BODY`] if it is immovable.
    tree: u32,
    /// Its index in the tree.
    link: u32,
    /// The factorization from which the effective masses of the contact were computed.
    factorization: u32,
}

/// Where the link of a body is: the first links of its group and of its tree, and its own.
#[derive(Clone, Copy)]
struct LinkPlace {
    group: u32,
    tree: u32,
    link: u32,
}

/// Which pass of the solver over the contacts of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContactPass {
    Solve,
    Relax,
    Bounce,
}

/// The order of contacts: by group, then by tree, then depth first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct TreeContactKey {
    group: u32,
    tree: u32,
    order: u32,
    contact: u32,
    solver_bodies: [u32; 2],
}

/// The part of its own inverse inertia that is added to the effective mass of a contact: bounds the impulse at a body
/// that its joints hold rigidly, and damps jitter of coordinates at their limits.
const OWN_PART_MIN: f32 = 1.0e-2;
/// The part of its own inverse inertia that is added to that of each body: far above rounding, which a heavy body on a
/// light one would otherwise amplify.
const ROUNDING: f32 = 1.0e-5;

impl TreeContacts {
    /// Allocates for this many bodies, contacts and joints.
    pub fn new(bodies: usize, contacts: usize, joints: usize) -> TreeContacts {
        let capacity = contacts.min(joints * TREE_CONTACTS_PER_JOINT);
        TreeContacts {
            list: Vec::with_capacity(capacity),
            job_ends: Vec::with_capacity(joints),
            found: Vec::with_capacity(capacity),
            indices: Vec::with_capacity(contacts),
            places: Vec::with_capacity(bodies),
        }
    }

    /// The tree contact with the index of a contact, if it is one.
    #[inline]
    pub fn of(&self, contact: usize) -> Option<&SingleContact> {
        let index = self.indices.get(contact)?;
        self.list.get(*index as usize).map(|contact| &contact.single)
    }

    /// Prepares the contacts of all groups, in the same jobs as their links.
    pub(super) fn prepare(
        &mut self,
        (links, job_ends): (&mut [Link], &[u32]),
        (contacts, narrow): (&[GroupContact], &NarrowPhase),
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
        self.order_depth_first(links, contacts);
        self.indices.resize(narrow.count(), NO_BODY);
        for (index, found) in self.found.iter().enumerate() {
            let touching = narrow.get(found.contact as usize);
            let side = |solver_body: u32| match self.places.get(solver_body as usize) {
                Some(place) => {
                    assert!(
                        place.group == found.group,
                        "a contact joins the groups at {} and {}",
                        place.group,
                        found.group
                    );
                    TreeSide { tree: place.tree - place.group, link: place.link - place.tree, factorization: NO_BODY }
                }
                None => TreeSide { tree: NO_BODY, link: 0, factorization: NO_BODY },
            };
            self.list.push(TreeContact {
                sides: found.solver_bodies.map(side),
                solver_bodies: touching.body_indices,
                single: SingleContact::new(touching, solver_bodies),
            });
            self.indices[found.contact as usize] = index as u32;
            links[found.group as usize].propagation.group_contacts += 1;
        }
        for end in job_ends {
            self.job_ends.push(self.found.partition_point(|found| found.group < *end) as u32);
        }
    }

    fn index_links(&mut self, links: &mut [Link], solver_bodies: usize) {
        let places = &mut self.places;
        places.clear();
        places.resize(solver_bodies, LinkPlace { group: NO_BODY, tree: NO_BODY, link: NO_BODY });
        let (mut start, mut group) = (0, 0);
        each_tree(links, |links| {
            group = if links[0].propagation.group_links > 0 { start } else { group };
            for (link, index) in links.iter().zip(start..).filter(|(link, _)| !link.is_loop_closure) {
                places[link.solver_body as usize] = LinkPlace { group, tree: start, link: index };
            }
            start += links.len() as u32;
        });
    }

    /// Orders the bodies of each tree depth first, along all branches with contacts, and the contacts by them.
    fn order_depth_first(&mut self, links: &mut [Link], contacts: &[GroupContact]) {
        let places = &self.places;
        for solver_body in contacts.iter().flat_map(|contact| contact.solver_bodies) {
            if let Some(place) = places.get(solver_body as usize) {
                links[place.link as usize].propagation.is_on_path = true;
            }
        }
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
                link.propagation.order = order;
                (here, order) = (link.propagation.next, order + 1);
            }
        });
        self.found.extend(contacts.iter().map(|found| {
            let place = |solver_body: u32| places.get(solver_body as usize);
            let is_joined = |place: &&LinkPlace| links[place.tree as usize].has_joint_or_parent();
            let mut sides = found.solver_bodies.into_iter().filter_map(place);
            let leading = sides.clone().find(is_joined).or_else(|| sides.next());
            let place = leading.copied().unwrap_or(LinkPlace { group: 0, tree: 0, link: 0 });
            TreeContactKey {
                group: place.group,
                tree: place.tree,
                order: links[place.link as usize].propagation.order,
                contact: found.contact,
                solver_bodies: found.solver_bodies,
            }
        }));
        self.found.sort_unstable();
    }
}

/// Applies the accumulated impulses of the last sub-step, or resets them if those of the joints were.
pub(super) fn warm_start(links: &mut [Link], contacts: &mut [TreeContact]) {
    reset_with_joints(links, contacts);
    for contact in contacts {
        for (side, at) in contact.sides.into_iter().enumerate() {
            if let Some(link) = at.link_in(links) {
                link.apply_external_impulse(&contact.single.applied_impulse(side));
            }
        }
    }
}

/// Resets the impulses of all contacts of a tree if those of its joints were, with the velocities it had before them. The other
/// side of each contact gives back what it got.
pub(super) fn undo_with_joints(links: &mut [Link], contacts: &mut [TreeContact]) {
    if !links.iter().any(|link| link.budget.are_impulses_reset) {
        return;
    }
    for contact in contacts.iter() {
        let is_any_reset = contact.has_reset_side(links);
        for (side, at) in contact.sides.into_iter().enumerate().filter(|_| is_any_reset) {
            let is_reset = at.is_reset(links);
            if let Some(link) = at.link_in(links).filter(|_| !is_reset) {
                link.apply_external_impulse(&contact.single.applied_impulse(side).map(|value| -value));
            }
        }
    }
    reset_with_joints(links, contacts);
}

/// Resets the impulses of all contacts of a tree if those of its joints were.
pub(super) fn reset_with_joints(links: &mut [Link], contacts: &mut [TreeContact]) {
    if !links.iter().any(|link| link.budget.are_impulses_reset) {
        return;
    }
    for contact in contacts.iter_mut().filter(|contact| contact.has_reset_side(links)) {
        contact.single.clear_impulses();
    }
    links.iter_mut().for_each(|link| link.budget.are_impulses_reset = false);
}

/// One pass over the contacts of a group whose joints were solved. If the result has too much energy, nothing is applied
/// and all impulses are reset.
pub(super) fn solve_pass(
    links: &mut [Link],
    contacts: &mut [TreeContact],
    velocities: &[SolverVelocity],
    pace: &StepCoefficients,
    pass: ContactPass,
) {
    each_tree(links, |links| {
        // Inverse inertias and effective masses follow from the factorization, and change with it only.
        if !is_partner(links) {
            release_bounded_rows(links);
        }
        let factorization = links[0].factors.number;
        if links[0].propagation.factorization != factorization {
            links[0].propagation.factorization = factorization;
            compute_inverse_inertias(links);
        }
    });
    contacts.iter_mut().for_each(|contact| contact.update_effective_mass(links));
    let push_speed = if pass == ContactPass::Solve { pace.push_speed_max } else { 0.0 };
    let is_within_energy =
        energy::guard_tree_contacts(links, push_speed, |links| sweep(links, contacts, velocities, pace, pass));
    if !is_within_energy {
        each_tree(links, reset_impulses);
        reset_with_joints(links, contacts);
    } else if pass == ContactPass::Relax {
        contacts.iter_mut().for_each(|contact| contact.single.accumulate_impulses());
    }
}

/// Restitution passes, directly after the relax pass.
pub(super) fn apply_restitution(
    links: &mut [Link],
    contacts: &mut [TreeContact],
    velocities: &[SolverVelocity],
    pace: &StepCoefficients,
    passes: u32,
) {
    if contacts.iter().any(|contact| contact.single.has_impact()) {
        let is_finite = energy::keep_finite(links, |links| {
            (0..passes).all(|_| sweep(links, contacts, velocities, pace, ContactPass::Bounce))
        });
        if !is_finite {
            each_tree(links, reset_impulses);
            reset_with_joints(links, contacts);
        }
    }
}

/// Marks the trees whose contacts with immovable bodies are all with bodies at rest, and that have such contacts.
pub(super) fn mark_grounded(links: &mut [Link], contacts: &[TreeContact], velocities: &[SolverVelocity]) {
    links.iter_mut().for_each(|link| link.propagation.ground = Ground::None);
    for contact in contacts {
        let [first, second] = contact.sides;
        let (tree, immovable) = match (first.tree, second.tree) {
            (tree, NO_BODY) => (tree, contact.solver_bodies[1]),
            (NO_BODY, tree) => (tree, contact.solver_bodies[0]),
            _ => continue,
        };
        let is_still = velocities
            .get(immovable as usize)
            .is_none_or(|motion| motion.linear() == Vec3::ZERO && motion.angular() == Vec3::ZERO);
        let ground = &mut links[tree as usize].propagation.ground;
        *ground = if is_still && *ground != Ground::Moving { Ground::Resting } else { Ground::Moving };
    }
}

/// The work of an impulse on a body that moves on with its velocity: one that is kinematic.
fn work([x, y, z, angular_x, angular_y, angular_z]: &Six, motion: &SolverVelocity) -> f32 {
    Vec3::new(*x, *y, *z).dot(motion.linear()) + Vec3::new(*angular_x, *angular_y, *angular_z).dot(motion.angular())
}

/// Ends a sub-step.
pub(super) fn end_substep(links: &mut [Link], contacts: &mut [TreeContact]) {
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
        links[index].propagation.local_inverse_inertia = inverse_inertia;
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

/// Sweeps over all contacts, then applies the exact response of the trees. False if it is not finite.
fn sweep(
    links: &mut [Link],
    contacts: &mut [TreeContact],
    velocities: &[SolverVelocity],
    pace: &StepCoefficients,
    pass: ContactPass,
) -> bool {
    each_tree(links, |links| {
        links.iter_mut().for_each(|link| link.propagation.begin_sweep());
        links[0].propagation.here = links.len() as u32 - 1;
    });
    contacts.iter_mut().for_each(|contact| contact.solve(links, velocities, pace, pass));
    let mut is_finite = true;
    each_tree(links, |links| {
        if links.iter().all(|link| link.propagation.applied_impulse == [0.0; 6]) {
            return;
        }
        links.iter_mut().for_each(|link| link.partial = link.propagation.applied_impulse);
        let is_alone = is_partner(links);
        is_finite &= if is_alone { links[0].is_response_finite() } else { solve_impulses(links) };
        for index in 0..links.len() {
            let impulse = links[index].propagation.applied_impulse;
            links[index].apply_external_impulse(&impulse);
            if !is_alone {
                apply_solution(links, index);
            }
        }
    });
    is_finite
}

/// Moves the sweep to a body of a tree: up to the common ancestor with the impulses of the subtree, then down with the change of
/// velocity.
fn go_to(links: &mut [Link], target: u32) {
    let (mut up, mut down) = (links[0].propagation.here as usize, target as usize);
    // Parents follow their children, so the lower index is never the ancestor.
    while up != down {
        if up < down {
            up = propagate_to_parent(links, up);
        } else {
            let parent = links[down].parent as usize;
            links[parent].propagation.down = down as u32;
            down = parent;
        }
    }
    while down != target as usize {
        let child = links[down].propagation.down as usize;
        let from_parent =
            times_transposed(&links[child].propagation.propagator, &links[down].propagation.velocity_change);
        let propagation = &mut links[child].propagation;
        propagation.velocity_change = propagation.local_change;
        add(&mut propagation.velocity_change, &from_parent);
        down = child;
    }
    links[0].propagation.here = target;
}

/// Moves from a body to its parent, which receives the propagated impulse.
fn propagate_to_parent(links: &mut [Link], here: usize) -> usize {
    let parent = links[here].parent as usize;
    let accumulated = core::mem::take(&mut links[here].propagation.accumulated_impulse);
    if accumulated != [0.0; 6] {
        let propagated = times(&links[here].propagation.propagator, &accumulated);
        links[parent].propagation.accumulate(&propagated);
    }
    parent
}

impl TreeSide {
    fn link_in<'a>(&self, links: &'a mut [Link]) -> Option<&'a mut Link> {
        if self.tree == NO_BODY { None } else { links.get_mut((self.tree + self.link) as usize) }
    }

    /// Whether the impulses of its tree were reset.
    fn is_reset(&self, links: &[Link]) -> bool {
        links.get(self.tree as usize).is_some_and(|first| first.budget.are_impulses_reset)
    }
}

impl TreeContact {
    fn has_reset_side(&self, links: &[Link]) -> bool {
        self.sides.iter().any(|side| side.is_reset(links))
    }

    /// Sets the articulated inverse inertias of its bodies, and the effective masses that follow from them, if one has changed.
    fn update_effective_mass(&mut self, links: &[Link]) {
        let current =
            |side: &TreeSide| links.get(side.tree as usize).map_or(NO_BODY, |first| first.propagation.factorization);
        if self.sides.iter().all(|side| side.tree == NO_BODY || current(side) == side.factorization) {
            return;
        }
        let mut inverse_inertias = [[[0.0; 6]; 6]; 2];
        let mut regularized = inverse_inertias;
        for (index, side) in self.sides.iter_mut().enumerate().filter(|(_, side)| side.tree != NO_BODY) {
            side.factorization = current(side);
            let link = &links[(side.tree + side.link) as usize];
            (inverse_inertias[index], regularized[index]) =
                (link.propagation.inverse_inertia, link.propagation.inverse_inertia);
            if link.factors.number > 0 {
                link.regularize(&mut regularized[index], OWN_PART_MIN);
            }
        }
        self.single.set_inverse_inertias(
            &inverse_inertias.map(|matrix| ArticulatedInverseInertia::new(&matrix)),
            &regularized.map(|matrix| ArticulatedInverseInertia::new(&matrix)),
        );
    }

    fn solve(&mut self, links: &mut [Link], velocities: &[SolverVelocity], pace: &StepCoefficients, pass: ContactPass) {
        if pass == ContactPass::Bounce && !self.single.has_impact() {
            return;
        }
        let resting = SolverVelocity::default();
        let both = self.solver_bodies.map(|solver_body| velocities.get(solver_body as usize).unwrap_or(&resting));
        let motions = self.sides.map(|side| {
            (side.tree != NO_BODY).then(|| {
                go_to(&mut links[side.tree as usize..], side.link);
                links[(side.tree + side.link) as usize].current_velocity()
            })
        });
        let sides = ContactVelocities::new(both, motions);
        let before = [self.single.applied_impulse(0), self.single.applied_impulse(1)];
        match pass {
            ContactPass::Solve => self.single.solve(&sides, pace),
            ContactPass::Relax => self.single.relax(&sides, pace),
            ContactPass::Bounce => self.single.restitute(&sides, pace),
        }
        for (index, before) in before.iter().enumerate() {
            let after = self.single.applied_impulse(index);
            let change = core::array::from_fn(|axis| after[axis] - before[axis]);
            if let Some(link) = self.sides[index].link_in(links) {
                add(&mut link.propagation.applied_impulse, &change);
                link.propagation.accumulate(&change);
            } else if let Some(first) = links.get_mut(self.sides[1 - index].tree as usize) {
                first.budget.driven_work -= work(&change, both[index]);
            }
        }
    }
}

impl Link {
    /// The propagator to its parent, and its inverse inertia with the parent held fixed.
    fn local_response(&self) -> ([Six; 6], [Six; 6]) {
        let factors = &self.factors;
        let (mut propagator, mut inverse_inertia) = ([[0.0; 6]; 6], [[0.0; 6]; 6]);
        if factors.number == 0 {
            // A free body is not factorized.
            self.regularize(&mut inverse_inertia, 1.0);
            return (propagator, inverse_inertia);
        }
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

    /// Whether its tree has joints; of the first link of a tree.
    fn has_joint_or_parent(&self) -> bool {
        self.has_joint || self.parent != NO_BODY
    }

    /// Whether a free body responds to its impulse with a change of velocity that is not absurd.
    fn is_response_finite(&self) -> bool {
        self.propagation.velocity_change.iter().fold(0.0, |total, change| total + abs(*change)) < SPEED_MAX
    }

    /// Applies an impulse to its body alone.
    fn apply_external_impulse(&mut self, [x, y, z, angular_x, angular_y, angular_z]: &Six) {
        self.own.velocity += Vec3::new(*x, *y, *z) * self.inverse_mass;
        self.own.angular_velocity += self.inverse_inertia * Vec3::new(*angular_x, *angular_y, *angular_z);
    }
}
