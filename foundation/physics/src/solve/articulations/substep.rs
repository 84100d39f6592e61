//! One sub-step of one group of trees: the order in which joints, tree contacts and the energy limiter run.
//!
//! | stage of the solver | step | why here |
//! |---|---|---|
//! | [`warm_start`], after forces | Jacobians, in the first sub-step | later ones have those of the last relax stage |
//! | | energy: begin | forces have been applied, impulses have not |
//! | | joints: warm start | |
//! | | tree contacts: warm start | their impulses are in balance with those of the joints |
//! | | energy: check the warm start | contacts would turn wrong impulses into motion |
//! | | tree contacts: undo if the joints were | only both together are in balance |
//! | [`solve`], after contacts | energy: record the work outside the tree, and of contacts | before joints change velocities |
//! | | joints: biased solve | bodies move with the result, so joints come last |
//! | | energy: record the joints | |
//! | with contacts, `TREE_CONTACT_ROUNDS` times | tree contacts: biased pass | they need joints that are solved |
//! | | energy: record contacts | |
//! | | joints: remove pseudo impulses | the next solve computes them again |
//! | | joints: biased solve | limits and motors respond to contacts only here |
//! | | energy: record the joints | |
//! | [`settle`], after bodies have moved | pseudo impulses: remove if the tree moves | contacts, which come next, would pass them on |
//! | [`relax`], after contacts | energy: record the work outside the tree | |
//! | | joints: remove pseudo impulses | those of trees at rest are still there |
//! | | energy: record contacts | |
//! | | Jacobians | at the new poses |
//! | | joints: unbiased solve | velocities only |
//! | | energy: limit | |
//! | with contacts | energy: record the joints | |
//! | | tree contacts: relax pass with friction, then restitution | |
//! | | energy: record contacts | |
//! | | joints: unbiased solve | |
//! | | energy: limit, then relative to the world if all immovable bodies are at rest | |
//! | [`relax`], for all | reactions: record | impulses are final |
//! | | impulses: reset after an impact | they are no approximation for the next sub-step |
//! | | tree contacts: end | |

use crate::limits::TREE_CONTACT_ROUNDS;
use crate::solve::articulations::link::{Link, SolvePass};
use crate::solve::articulations::propagation::Ground;
use crate::solve::articulations::tree_contacts::{ContactPass, TreeContact};
use crate::solve::articulations::{active_set, each_tree, energy, is_partner, link, loop_closure, tree_contacts};
use crate::solve::block::StepCoefficients;
use crate::solver_body::SolverVelocity;

/// A group of trees and free bodies with its contacts, and the velocities of all solver bodies at the beginning of the stage.
pub(super) struct ArticulationGroup<'a> {
    pub links: &'a mut [Link],
    pub contacts: &'a mut [TreeContact],
    pub velocities: &'a [SolverVelocity],
}

/// Warm starts with the impulses of the last sub-step.
pub(super) fn warm_start(group: ArticulationGroup<'_>, is_first: bool, seconds: f32) {
    let ArticulationGroup { links, contacts, .. } = group;
    each_articulation(links, |links| {
        if is_first {
            link::update_jacobians(links);
        }
        energy::begin_substep(links, seconds);
        link::warm_start(links, seconds);
    });
    tree_contacts::warm_start(links, contacts);
    each_articulation(links, energy::check_warm_start);
    tree_contacts::undo_with_joints(links, contacts);
}

/// The biased solve: corrects positions, so that joints are satisfied when the bodies have moved.
pub(super) fn solve(group: ArticulationGroup<'_>, [biased, unbiased]: [&SolvePass; 2], pace: &StepCoefficients) {
    let ArticulationGroup { links, contacts, velocities } = group;
    each_articulation(links, |links| {
        energy::record_external_work(links);
        energy::record_contact_work(links);
        energy::solve_joints(links, biased, unbiased, solve_joints);
        energy::record_joint_energy(links);
    });
    let rounds = if contacts.is_empty() { 0 } else { TREE_CONTACT_ROUNDS };
    for _ in 0..rounds {
        tree_contacts::solve_pass(links, contacts, velocities, pace, ContactPass::Solve);
        each_articulation(links, |links| {
            energy::record_contact_work(links);
            link::remove_pseudo_impulses(links);
            energy::solve_joints(links, biased, unbiased, solve_joints);
            energy::record_joint_energy(links);
        });
    }
}

/// Removes pseudo impulses, where contacts would take them for motion.
pub(super) fn settle(group: ArticulationGroup<'_>) {
    each_articulation(group.links, energy::settle_pseudo_impulses);
}

/// The unbiased solve: corrects velocities at the new poses. Tree contacts with an impact get restitution passes.
pub(super) fn relax(
    group: ArticulationGroup<'_>,
    unbiased: &SolvePass,
    pace: &StepCoefficients,
    restitution_passes: u32,
) {
    let ArticulationGroup { links, contacts, velocities } = group;
    each_articulation(links, |links| {
        energy::record_external_work(links);
        link::remove_pseudo_impulses(links);
        energy::record_contact_work(links);
        link::update_jacobians(links);
        solve_joints(links, unbiased);
        energy::limit_energy(links, unbiased.seconds);
    });
    if !contacts.is_empty() {
        each_articulation(links, energy::record_joint_energy);
        tree_contacts::solve_pass(links, contacts, velocities, pace, ContactPass::Relax);
        tree_contacts::apply_restitution(links, contacts, velocities, pace, restitution_passes);
        tree_contacts::mark_grounded(links, contacts, velocities);
        each_articulation(links, |links| {
            energy::record_contact_work(links);
            solve_joints(links, unbiased);
            energy::limit_energy(links, unbiased.seconds);
            if links[0].propagation.ground == Ground::Resting {
                energy::limit_tree_contacts(links);
            }
        });
    }
    each_articulation(links, |links| {
        link::record_reactions(links);
        energy::reset_after_impact(links);
    });
    tree_contacts::end_substep(links, contacts);
}

/// Works on all trees of a group that have joints.
fn each_articulation(links: &mut [Link], work: impl Fn(&mut [Link])) {
    each_tree(links, |links| {
        if !is_partner(links) {
            work(links);
        }
    });
}

/// Solves the joints of a tree, then those that close its loops.
fn solve_joints(links: &mut [Link], pass: &SolvePass) {
    let bodies = links.iter().position(|link| link.is_loop_closure).unwrap_or(links.len());
    if active_set::solve(&mut links[..bodies], pass) {
        loop_closure::solve_loops(links, bodies, pass);
    }
}
