//! Articulations: joints gathered from the block, built into trees, solved in every sub-step, and written back.
//!
//! Laws
//! 1. A tree, with the joints that close its loops, belongs to one job, and no body is in two trees: so the assignment
//!    of jobs to workers does not matter.
//! 2. In each sub-step joints are solved after contacts: they are solved exactly, and anything solved after them would
//!    violate them again. (The other way round, light feet of heavy ragdolls never came to rest.)
//! 3. Joints are read once per step, and their results written once.
//! 4. Contacts of a tree are solved with the tree: see [`tree_contacts`]. Trees and free bodies that touch one another form a
//!    group, which belongs to one job: see [`groups`].
//!
//! The order of all of this within a sub-step is the table of [`substep`].

pub mod cholesky;
pub mod jacobian;

pub mod propagation;
pub mod spanning_forest;

pub mod groups;

pub mod link;

pub mod targets;

pub mod energy;

pub mod factorization;

pub mod active_set;

pub mod loop_closure;

pub mod tree_contacts;

mod substep;

pub mod projection;
mod rewind;

use alloc::vec::Vec;

use base::number::max;
use base::{Handle, Mat3, Quat, Vec3};
use jobs::{NONE as NO_BODY, each_run_of_two};
use state::{Workers, World};

use crate::body::{Body, flag};
use crate::contact::{ContactEvent, ContactEventKind};
use crate::contact_summary::ContactSummaries;
use crate::islands::Islands;
use crate::joint::{self, Joint, JointKind};
use crate::limits::{JOINT_CORRECTION_SPEED_MAX, JOINT_LINKS_CHUNK, JOINT_TARGET_RATE};
use crate::narrow_phase::NarrowPhase;
use crate::parts::{Capacities, Parts};
use crate::settings::Settings;
use crate::solve::block::single_contact::SingleContact;
use crate::solve::block::{Softness, StepCoefficients};
use crate::solver_body::{SolverBody, SolverVelocity, pad};
use groups::Groups;
use jacobian::JointBody;
use link::{Link, SolvePass};
use projection::ArticulationProjector;
use spanning_forest::{SpanningForest, TreeEdge};
use substep::ArticulationGroup;
use tree_contacts::TreeContacts;

/// All joints of a step, with the working memory to solve them.
pub struct Articulations {
    /// Joints with at least one dynamic body, in the order of their slots.
    joints: Vec<JointEdge>,
    /// The dynamic solver bodies of each, or [`NO_BODY`].
    dynamic_ends: Vec<[u32; 2]>,
    /// The slots of all pairs of joined bodies.
    pairs: Vec<[u16; 2]>,
    /// Those that do not collide, sorted, the lower slot first.
    non_colliding: Vec<[u16; 2]>,
    /// Joints that are not valid, or whose body was removed.
    invalid: Vec<(Handle<Joint>, ContactEvent)>,
    dropped: u64,
    broken: Vec<(Handle<Joint>, ContactEvent)>,
    forest: SpanningForest,
    groups: Groups,
    /// All groups: trees, each followed by the joints that close its loops, then free bodies.
    links: Vec<Link>,
    /// Where the links of each tree begin and end.
    tree_ranges: Vec<[u32; 2]>,
    /// Where each job ends.
    job_ends: Vec<u32>,
    /// For each joint slot, its link, or [`NO_BODY`].
    links_of_joints: Vec<u32>,
    /// For each solver body, the number of its wheels.
    wheel_counts: Vec<u32>,
    /// For each solver body, whether it touches something or is part of a loop.
    coupled: Vec<bool>,
    /// The contacts of the groups.
    tree_contacts: TreeContacts,
}

/// An edge of the joint graph: a joint with at least one dynamic body.
#[derive(Clone, Copy)]
struct JointEdge {
    slot: u16,
    joint: Joint,
    bodies: [JointBody; 2],
    /// The solver bodies of both ends, static ones included.
    solver_bodies: [u32; 2],
}

impl Articulations {
    /// Allocates for these capacities.
    pub fn new(capacities: Capacities) -> Articulations {
        let (bodies, joints) = (capacities.bodies as usize, capacities.joints as usize);
        Articulations {
            joints: Vec::with_capacity(joints),
            dynamic_ends: Vec::with_capacity(joints),
            pairs: Vec::with_capacity(joints),
            non_colliding: Vec::with_capacity(joints),
            invalid: Vec::with_capacity(joints),
            dropped: 0,
            broken: Vec::with_capacity(joints),
            forest: SpanningForest::new(bodies, joints),
            groups: Groups::new(bodies, capacities.contacts as usize, joints),
            links: Vec::with_capacity(joints * 2 + Groups::partners_max(bodies, joints)),
            tree_ranges: Vec::with_capacity(joints),
            job_ends: Vec::with_capacity(joints),
            links_of_joints: alloc::vec![NO_BODY; joints],
            wheel_counts: Vec::with_capacity(bodies),
            coupled: Vec::with_capacity(bodies),
            tree_contacts: TreeContacts::new(bodies, capacities.contacts as usize, joints),
        }
    }

    /// Reads all joints, and removes those from the world that are not valid or have lost a body.
    pub fn gather(&mut self, world: &mut World, parts: Parts, slots: &[u32], solver_bodies: &mut [SolverBody]) {
        self.joints.clear();
        self.dynamic_ends.clear();
        self.pairs.clear();
        self.non_colliding.clear();
        self.invalid.clear();
        self.dropped = 0;
        for (handle, joint) in parts.joints.iterate(world) {
            let find = |body: Handle<Body>| parts.bodies.find_raw(world, body.raw());
            let (first, second) = (find(joint.first), find(joint.second));
            let is_there = |body: Handle<Body>| body.is_none() || find(body).is_some();
            let has_body = first.is_some() || second.is_some();
            if !joint.is_valid() || !is_there(joint.first) || !is_there(joint.second) || !has_body {
                self.dropped += u64::from(!joint.is_valid());
                let handle_of = |found: Option<(Handle<Body>, &Body)>| found.map_or(Handle::NONE, |(handle, _)| handle);
                self.invalid.push((handle, broken_event([handle_of(first), handle_of(second)])));
                continue;
            }
            if let (Some((first, _)), Some((second, _))) = (first, second) {
                let pair = [first.slot(), second.slot()];
                self.pairs.push(pair);
                if !joint.is(joint::flag::COLLIDES) {
                    self.non_colliding.push([pair[0].min(pair[1]), pair[0].max(pair[1])]);
                }
            }
            let both = [first.map(|(_, body)| body), second.map(|(_, body)| body)];
            let solver_body = |found: Option<(Handle<Body>, &Body)>| {
                found.map_or(NO_BODY, |(handle, _)| slots.get(usize::from(handle.slot())).copied().unwrap_or(NO_BODY))
            };
            self.add_joint(handle.slot(), joint, both, [solver_body(first), solver_body(second)], solver_bodies);
        }
        self.non_colliding.sort_unstable();
        for (handle, _) in &self.invalid {
            parts.delete_joint(world, *handle);
        }
    }

    /// The pairs of slots that do not collide because they are joined, sorted; a pair may occur twice.
    pub fn non_colliding_pairs(&self) -> &[[u16; 2]] {
        &self.non_colliding
    }

    /// The trees, for projection, and the same pairs.
    pub fn projector(&mut self) -> (ArticulationProjector<'_>, &[[u16; 2]]) {
        let Articulations { forest, links, tree_ranges, non_colliding, .. } = self;
        (ArticulationProjector { forest, links, ranges: tree_ranges }, non_colliding)
    }

    /// Unions the islands of joined dynamic bodies.
    pub fn union_islands(&self, islands: &mut Islands) {
        self.dynamic_ends.iter().for_each(|[first, second]| islands.union(*first, *second));
    }

    /// The slots of all pairs of joined bodies.
    pub fn pairs(&self) -> &[[u16; 2]] {
        &self.pairs
    }

    /// Builds the trees and their groups, and prepares the contacts of these.
    pub fn prepare(
        &mut self,
        (narrow, summaries): (&NarrowPhase, &ContactSummaries),
        (solver_bodies, velocities): (&mut [SolverBody], &[SolverVelocity]),
    ) {
        self.links
            .iter()
            .filter(|link| link.has_joint)
            .for_each(|link| self.links_of_joints[usize::from(link.joint_slot)] = NO_BODY);
        self.links.clear();
        self.tree_ranges.clear();
        self.job_ends.clear();
        if !self.joints.is_empty() {
            self.count_wheels(solver_bodies);
            self.forest.build(solver_bodies.len(), &self.dynamic_ends);
            self.set_mass_shares(solver_bodies);
            self.groups.find(&self.forest, summaries, solver_bodies);
            self.build(narrow, solver_bodies, velocities);
        }
        let contacts = (&self.groups.contacts[..], narrow);
        self.tree_contacts.prepare((&mut self.links, &self.job_ends), contacts, solver_bodies);
    }

    fn build(&mut self, narrow: &NarrowPhase, solver_bodies: &[SolverBody], velocities: &[SolverVelocity]) {
        let (trees, state) = (self.forest.tree_ends.len() as u32, (solver_bodies, velocities));
        self.tree_ranges.resize(trees as usize, [0; 2]);
        let (mut begun, mut start) = (0, 0);
        for index in 0..self.groups.members.len() {
            let member = self.groups.members[index];
            match member.number.checked_sub(trees) {
                None => self.push_tree(member.number as usize, state),
                Some(solver_body) => {
                    self.push_link(TreeEdge { solver_body, parent: NO_BODY, joint: NO_BODY }, 0, state);
                }
            }
            let next = self.groups.members.get(index + 1);
            if next.is_none_or(|next| next.group != member.group) {
                let count = self.links.len() as u32;
                self.links[start as usize].propagation.group_links = count - start;
                start = count;
                if count - begun >= JOINT_LINKS_CHUNK || next.is_none() {
                    self.job_ends.push(count);
                    begun = count;
                }
            }
        }
        for (index, link) in self.links.iter().enumerate().filter(|(_, link)| link.has_joint) {
            self.links_of_joints[usize::from(link.joint_slot)] = index as u32;
        }
        self.find_coupled(narrow, solver_bodies.len());
    }

    /// Adds the links of a tree, and the joints that close its loops.
    fn push_tree(&mut self, tree: usize, state: (&[SolverBody], &[SolverVelocity])) {
        let (first, end) = (self.links.len() as u32, self.forest.tree_ends[tree]);
        let start = if tree == 0 { 0 } else { self.forest.tree_ends[tree - 1] };
        for index in start..end {
            let edge = self.forest.edges[index as usize];
            self.push_link(edge, index - start, state);
        }
        let mut loops = self.forest.loops.partition_point(|closed| closed.tree < tree as u32);
        while let Some(closed) = self.forest.loops.get(loops).copied().filter(|closed| closed.tree == tree as u32) {
            self.push_loop_closure(closed.joint, state);
            loops += 1;
        }
        self.tree_ranges[tree] = [first, self.links.len() as u32];
    }

    /// Whether any joint was gathered in this step.
    pub fn has_joints(&self) -> bool {
        !self.joints.is_empty()
    }

    /// Whether there is nothing to solve.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// Warm starts a sub-step with the impulses of the last.
    pub fn warm_start(
        &mut self,
        is_first: bool,
        settings: &Settings,
        (solver_bodies, velocities): (&[SolverBody], &mut [SolverVelocity]),
        workers: &dyn Workers,
    ) {
        let seconds = settings.seconds / settings.substeps as f32;
        self.each_group_in_parallel((solver_bodies, velocities), workers, |group| {
            substep::warm_start(group, is_first, seconds)
        });
    }

    /// The biased solve: corrects positions, so that joints are satisfied when the bodies have moved.
    pub fn solve(
        &mut self,
        settings: &Settings,
        (solver_bodies, velocities): (&[SolverBody], &mut [SolverVelocity]),
        workers: &dyn Workers,
    ) {
        let (biased, unbiased) = (SolvePass::new(settings, true), SolvePass::new(settings, false));
        let pace = StepCoefficients::new(settings);
        self.each_group_in_parallel((solver_bodies, velocities), workers, |group| {
            substep::solve(group, [&biased, &unbiased], &pace)
        });
    }

    /// Removes pseudo impulses after the bodies have moved.
    pub fn settle(
        &mut self,
        (solver_bodies, velocities): (&[SolverBody], &mut [SolverVelocity]),
        workers: &dyn Workers,
    ) {
        self.each_group_in_parallel((solver_bodies, velocities), workers, substep::settle);
    }

    /// The unbiased solve: corrects velocities at the new poses, with this many restitution passes.
    pub fn relax(
        &mut self,
        settings: &Settings,
        restitution_passes: u32,
        (solver_bodies, velocities): (&[SolverBody], &mut [SolverVelocity]),
        workers: &dyn Workers,
    ) {
        let (unbiased, pace) = (SolvePass::new(settings, false), StepCoefficients::new(settings));
        self.each_group_in_parallel((solver_bodies, velocities), workers, |group| {
            substep::relax(group, &unbiased, &pace, restitution_passes);
        });
    }

    /// The tree contact that a contact is solved as, if it is one.
    #[inline]
    pub fn tree_contact(&self, contact: usize) -> Option<&SingleContact> {
        self.tree_contacts.of(contact)
    }

    /// Writes the results of all joints, removes broken ones from the world, and reports all that are gone.
    pub fn write(
        &mut self,
        world: &mut World,
        parts: Parts,
        settings: &Settings,
        workers: &dyn Workers,
        mut report: impl FnMut(ContactEvent),
    ) {
        let (indices, links, seconds) = (&self.links_of_joints, &self.links, settings.seconds);
        let link = |handle: Handle<Joint>| links.get(indices[usize::from(handle.slot())] as usize);
        if !links.is_empty() {
            parts.joints.edit_each(
                world,
                workers,
                |handle| link(handle).is_some(),
                |handle, joint| {
                    if let Some(link) = link(handle) {
                        link.write_joint(joint, seconds);
                    }
                },
            );
        }
        self.broken.clear();
        for link in links.iter().filter(|link| link.has_joint) {
            let Some((handle, joint)) = parts.joints.at_slot(world, link.joint_slot) else { continue };
            let is_over = |value: f32, limit: f32| limit > 0.0 && value > limit;
            if is_over(joint.force, joint.break_force) || is_over(joint.torque, joint.break_torque) {
                let handle_of = |body: Handle<Body>| {
                    parts.bodies.find_raw(world, body.raw()).map_or(Handle::NONE, |(handle, _)| handle)
                };
                let event = broken_event([handle_of(joint.first), handle_of(joint.second)]);
                let point = link.own.center_of_mass + link.own.moved + link.own.rotation.rotate(link.own.anchor);
                self.broken.push((handle, ContactEvent { impulse: joint.force * seconds, point, ..event }));
            }
        }
        self.broken.sort_unstable_by_key(|(handle, _)| handle.slot());
        for (handle, event) in &self.broken {
            parts.delete_joint(world, *handle);
            report(*event);
        }
        self.invalid.iter().for_each(|(_, event)| report(*event));
        if self.dropped > 0 || !self.broken.is_empty() {
            let mut counts = parts.counts.get_mut(world);
            counts.joints_dropped += self.dropped;
            counts.joints_broken += self.broken.len() as u64;
        }
    }

    fn add_joint(
        &mut self,
        slot: u16,
        joint: &Joint,
        bodies: [Option<&Body>; 2],
        indices: [u32; 2],
        solver_bodies: &mut [SolverBody],
    ) {
        let ends = indices.map(|index| match solver_bodies.get(index as usize) {
            Some(solver_body) if solver_body.inverse_mass > 0.0 => index,
            _ => NO_BODY,
        });
        if ends == [NO_BODY; 2] {
            return;
        }
        for end in ends {
            if let Some(solver_body) = solver_bodies.get_mut(end as usize) {
                (solver_body.is_free, solver_body.is_joined) = (false, true);
            }
        }
        let steering = Quat::from_axis_angle(Vec3::Z, joint.steering);
        let is_steered = joint.kind() == JointKind::Wheel && joint.steering != 0.0;
        let first_rotation = if is_steered { joint.first_rotation * steering } else { joint.first_rotation };
        let bodies = [
            joint_body(bodies[0], joint.first_anchor, first_rotation),
            joint_body(bodies[1], joint.second_anchor, joint.second_rotation),
        ];
        self.joints.push(JointEdge { slot, joint: *joint, bodies, solver_bodies: indices });
        self.dynamic_ends.push(ends);
    }

    /// Counts the wheels of each hull: they share its mass.
    fn count_wheels(&mut self, solver_bodies: &[SolverBody]) {
        self.wheel_counts.clear();
        self.wheel_counts.resize(solver_bodies.len(), 0);
        for edge in self.joints.iter().filter(|edge| edge.joint.kind() == JointKind::Wheel) {
            if let Some(count) = self.wheel_counts.get_mut(edge.solver_bodies[0] as usize) {
                *count += 1;
            }
        }
    }

    /// Sets the part that each body has of the mass of its tree.
    fn set_mass_shares(&self, solver_bodies: &mut [SolverBody]) {
        let mut start = 0;
        for end in &self.forest.tree_ends {
            let edges = &self.forest.edges[start..*end as usize];
            let mass = |solver_body: &SolverBody| 1.0 / max(solver_body.inverse_mass, f32::MIN_POSITIVE);
            let total = edges.iter().fold(0.0, |sum, edge| sum + mass(&solver_bodies[edge.solver_body as usize]));
            for edge in edges {
                let solver_body = &mut solver_bodies[edge.solver_body as usize];
                solver_body.mass_fraction = mass(solver_body) / total;
            }
            start = *end as usize;
        }
    }

    /// Marks the trees that touch something or close a loop.
    fn find_coupled(&mut self, narrow: &NarrowPhase, solver_bodies: usize) {
        let coupled = &mut self.coupled;
        coupled.clear();
        coupled.resize(solver_bodies, false);
        let mut mark = |solver_body: u32| {
            if let Some(is_coupled) = coupled.get_mut(solver_body as usize) {
                *is_coupled = true;
            }
        };
        let contacts = narrow.iter().filter(|contact| !contact.is_trigger);
        let contacts = contacts.filter(|contact| contact.is_active || contact.contact.is_touching());
        contacts.flat_map(|contact| contact.body_indices).for_each(&mut mark);
        self.links.iter().filter(|link| link.is_loop_closure).for_each(|link| mark(link.solver_body));
        each_tree(&mut self.links, |links| {
            let is_coupled = links.iter().any(|link| coupled[link.solver_body as usize]);
            links.iter_mut().for_each(|link| link.is_coupled = is_coupled);
        });
    }

    /// Adds a joint that closes a loop.
    fn push_loop_closure(&mut self, edge: u32, state: (&[SolverBody], &[SolverVelocity])) {
        let [first, second] = self.dynamic_ends[edge as usize];
        let node = |solver_body: u32| self.forest.nodes.get(solver_body as usize).copied();
        let (solver_body, parent) = match (node(first), node(second)) {
            (Some(parent), Some(_)) => (second, parent),
            _ => (first.min(second), NO_BODY),
        };
        let Some(node) = node(solver_body) else { return };
        self.push_link(TreeEdge { solver_body, parent, joint: edge }, node, state);
        if let Some(link) = self.links.last_mut() {
            link.is_loop_closure = true;
        }
    }

    /// Adds a body with its joint; `node` is the index of the body in its tree.
    fn push_link(
        &mut self,
        tree_edge: TreeEdge,
        node: u32,
        (solver_bodies, velocities): (&[SolverBody], &[SolverVelocity]),
    ) {
        let solver_body = &solver_bodies[tree_edge.solver_body as usize];
        let edge = self.joints.get(tree_edge.joint as usize);
        let own = JointBody {
            center_of_mass: solver_body.center_of_mass,
            rotation: solver_body.rotation,
            ..JointBody::WORLD
        };
        let mut link = Link::new(tree_edge.solver_body, own, edge.unwrap_or(&self.joints[0]).joint);
        (link.parent, link.node) = (tree_edge.parent, node);
        let [xx, yy, zz, xy, xz, yz] = solver_body.inverse_inertia;
        let inertia = Mat3::from_columns(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
        link.set_mass(solver_body.inverse_mass, inertia);
        (link.moments, link.principal_axes, link.start_rotation) =
            (solver_body.principal_moments, solver_body.principal_axes, solver_body.start_rotation);
        link.acceleration = solver_body.acceleration;
        if let Some(edge) = edge {
            let own = usize::from(edge.solver_bodies[0] != tree_edge.solver_body);
            let (mine, other) = (&edge.bodies[own], &edge.bodies[1 - own]);
            (link.has_joint, link.is_first, link.joint_slot) = (true, own == 0, edge.slot);
            (link.own.anchor, link.own.frame) = (mine.anchor, mine.frame);
            link.other = *other;
            link.other_solver_body = edge.solver_bodies[1 - own];
            let hull = edge.solver_bodies[0] as usize;
            if edge.joint.kind() == JointKind::Wheel
                && let (Some(solver_body), Some(wheels)) = (solver_bodies.get(hull), self.wheel_counts.get(hull))
                && solver_body.inverse_mass > 0.0
            {
                link.spring_mass = 1.0 / (solver_body.inverse_mass * (*wheels).max(1) as f32);
            }
        }
        link.read_velocities(solver_bodies, velocities);
        self.links.push(link);
    }

    /// Works on all groups in parallel, each with its contacts.
    fn each_group_in_parallel(
        &mut self,
        (solver_bodies, velocities): (&[SolverBody], &mut [SolverVelocity]),
        workers: &dyn Workers,
        work: impl Fn(ArticulationGroup<'_>) + Sync,
    ) {
        if self.links.is_empty() {
            return;
        }
        let before = &*velocities;
        let contacts = &mut self.tree_contacts;
        let both = (&mut self.links[..], &mut contacts.list[..]);
        each_run_of_two(workers, both, (&self.job_ends, &contacts.job_ends), |_, mut links, mut contacts| {
            links.iter_mut().for_each(|link| link.read_velocities(solver_bodies, before));
            while let Some(first) = links.first() {
                let (count, contact_count) = (first.propagation.group_links, first.propagation.group_contacts);
                let (group, other_groups) = core::mem::take(&mut links).split_at_mut(count as usize);
                let (own, others) = core::mem::take(&mut contacts).split_at_mut(contact_count as usize);
                work(ArticulationGroup { links: group, contacts: own, velocities: before });
                (links, contacts) = (other_groups, others);
            }
        });
        self.links.iter().filter(|link| !link.is_loop_closure).for_each(|link| link.write_velocity(velocities));
    }
}

impl Link {
    /// Reads pose and velocities of its bodies.
    pub(super) fn read_velocities(&mut self, solver_bodies: &[SolverBody], velocities: &[SolverVelocity]) {
        let state = |side: &mut JointBody, solver_body: u32| {
            if let (Some(solver_body), Some(solver_velocity)) =
                (solver_bodies.get(solver_body as usize), velocities.get(solver_body as usize))
            {
                side.rotation = solver_body.rotation;
                (side.moved, side.velocity, side.angular_velocity) =
                    (solver_velocity.delta_position(), solver_velocity.linear(), solver_velocity.angular());
            }
        };
        state(&mut self.own, self.solver_body);
        state(&mut self.other, self.other_solver_body);
    }

    fn write_velocity(&self, velocities: &mut [SolverVelocity]) {
        let solver_velocity = &mut velocities[self.solver_body as usize];
        (solver_velocity.linear, solver_velocity.angular) = (pad(self.own.velocity), pad(self.own.angular_velocity));
    }

    /// Writes the results into its joint.
    fn write_joint(&self, joint: &mut Joint, seconds: f32) {
        let next = Joint {
            impulses: self.joint.impulses,
            coordinate: self.joint.coordinate,
            speed: self.joint.speed,
            force: self.reaction[0].length() / seconds,
            torque: self.reaction[1].length() / seconds,
            ..*joint
        };
        if next.is_valid() {
            *joint = next;
        } else {
            joint.impulses.fill(0.0);
        }
    }
}

impl SolvePass {
    fn new(settings: &Settings, is_biased: bool) -> SolvePass {
        let seconds = settings.seconds / settings.substeps as f32;
        let hertz = base::number::min(settings.joint_hertz, 0.25 / seconds);
        SolvePass {
            seconds,
            is_biased,
            stiffness: Softness::new(hertz, settings.joint_damping, seconds),
            push_speed_max: JOINT_CORRECTION_SPEED_MAX,
            target_rate: base::number::min(JOINT_TARGET_RATE, 0.5 / seconds),
        }
    }
}

/// Splits a list of links into trees, each with the joints that close its loops.
fn each_tree(mut links: &mut [Link], mut work: impl FnMut(&mut [Link])) {
    while let Some(root) = links.iter().position(|link| link.parent == NO_BODY) {
        let loops = links[root + 1..].iter().take_while(|link| link.is_loop_closure).count();
        let (tree, rest) = links.split_at_mut(root + 1 + loops);
        work(tree);
        links = rest;
    }
    assert!(links.is_empty(), "the last tree has no root");
}

/// Whether a tree is a free body, which touches other trees of its group.
fn is_partner(links: &[Link]) -> bool {
    links.len() == 1 && !links[0].has_joint
}

/// One body of a joint at the beginning of the step; none is the world.
fn joint_body(body: Option<&Body>, anchor: Vec3, frame: Quat) -> JointBody {
    let Some(body) = body else { return JointBody { anchor, frame: frame.normal(), ..JointBody::WORLD } };
    let is_moving = !body.is(flag::STATIC | flag::ASLEEP | flag::QUARANTINED);
    let (velocity, angular_velocity) =
        if is_moving { (body.velocity, body.angular_velocity) } else { (Vec3::ZERO, Vec3::ZERO) };
    let (center_of_mass, rotation) = (body.world_center_of_mass(), body.rotation);
    JointBody {
        center_of_mass,
        rotation,
        velocity,
        angular_velocity,
        anchor: anchor - body.center_of_mass,
        frame: frame.normal(),
        moved: Vec3::ZERO,
    }
}

/// The event that a joint between these bodies is gone.
fn broken_event([first, second]: [Handle<Body>; 2]) -> ContactEvent {
    let (first, second) = if first.is_none() { (second, first) } else { (first, second) };
    ContactEvent::of(first, second, ContactEventKind::JointBroke)
}
