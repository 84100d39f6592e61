//! One sub-step of one tree: the order in which joints, static contacts and the energy limiter run.
//!
//! | stage of the solver | step | why here |
//! |---|---|---|
//! | [`warm_start`], after forces | Jacobians, in the first sub-step | later ones have those of the last relax stage |
//! | | energy: begin | forces have been applied, impulses have not |
//! | | joints: warm start | |
//! | | static contacts: warm start | their impulses are in balance with those of the joints |
//! | | energy: check the warm start | contacts would turn wrong impulses into motion |
//! | | static contacts: reset if the joints were | only both together are in balance |
//! | [`solve`], after contacts | energy: record the work outside the tree, and of contacts | before joints change velocities |
//! | | joints: biased solve | bodies move with the result, so joints come last |
//! | | energy: record the joints | |
//! | `STATIC_CONTACT_ROUNDS` times | static contacts: biased pass | they need joints that are solved |
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
//! | with static contacts | energy: record the joints | |
//! | | static contacts: relax pass with friction, then restitution | |
//! | | energy: record contacts | |
//! | | joints: unbiased solve | |
//! | | energy: limit, then relative to the world if all contacts are with bodies at rest | |
//! | [`relax`], for all | reactions: record | impulses are final |
//! | | impulses: reset after an impact | they are no approximation for the next sub-step |
//! | | static contacts: end | |

use crate::limits::STATIC_CONTACT_ROUNDS;
use crate::solve::articulations::link::{Link, SolvePass};
use crate::solve::articulations::static_contacts::{ContactPass, StaticContact};
use crate::solve::articulations::{active_set, energy, link, loop_closure, static_contacts};
use crate::solve::block::StepCoefficients;
use crate::solver_body::SolverVelocity;

/// A tree with its static contacts, and the velocities of all solver bodies at the beginning of the stage.
pub(super) struct ArticulationTree<'a> {
    pub links: &'a mut [Link],
    pub contacts: &'a mut [StaticContact],
    pub velocities: &'a [SolverVelocity],
}

/// Warm starts with the impulses of the last sub-step.
pub(super) fn warm_start(tree: ArticulationTree<'_>, is_first: bool, seconds: f32) {
    let ArticulationTree { links, contacts, .. } = tree;
    if is_first {
        link::update_jacobians(links);
    }
    energy::begin_substep(links, seconds);
    link::warm_start(links, seconds);
    static_contacts::warm_start(links, contacts);
    energy::check_warm_start(links);
    static_contacts::reset_with_joints(links, contacts);
}

/// The biased solve: corrects positions, so that joints are satisfied when the bodies have moved.
pub(super) fn solve(tree: ArticulationTree<'_>, [biased, unbiased]: [&SolvePass; 2], pace: &StepCoefficients) {
    let ArticulationTree { links, contacts, velocities } = tree;
    energy::record_external_work(links);
    energy::record_contact_work(links);
    energy::solve_joints(links, biased, unbiased, solve_joints);
    energy::record_joint_energy(links);
    let rounds = if contacts.is_empty() { 0 } else { STATIC_CONTACT_ROUNDS };
    for _ in 0..rounds {
        static_contacts::solve_pass(links, contacts, velocities, pace, ContactPass::Solve);
        energy::record_contact_work(links);
        link::remove_pseudo_impulses(links);
        energy::solve_joints(links, biased, unbiased, solve_joints);
        energy::record_joint_energy(links);
    }
}

/// Removes pseudo impulses, where contacts would take them for motion.
pub(super) fn settle(tree: ArticulationTree<'_>) {
    energy::settle_pseudo_impulses(tree.links);
}

/// The unbiased solve: corrects velocities at the new poses. Static contacts with an impact get restitution passes.
pub(super) fn relax(
    tree: ArticulationTree<'_>,
    unbiased: &SolvePass,
    pace: &StepCoefficients,
    restitution_passes: u32,
) {
    let ArticulationTree { links, contacts, velocities } = tree;
    energy::record_external_work(links);
    link::remove_pseudo_impulses(links);
    energy::record_contact_work(links);
    link::update_jacobians(links);
    solve_joints(links, unbiased);
    energy::limit_energy(links, unbiased.seconds);
    if !contacts.is_empty() {
        energy::record_joint_energy(links);
        static_contacts::solve_pass(links, contacts, velocities, pace, ContactPass::Relax);
        static_contacts::apply_restitution(links, contacts, velocities, pace, restitution_passes);
        energy::record_contact_work(links);
        solve_joints(links, unbiased);
        energy::limit_energy(links, unbiased.seconds);
        if static_contacts::are_on_resting_bodies(contacts, velocities) {
            energy::limit_static_contacts(links);
        }
    }
    link::record_reactions(links);
    energy::reset_after_impact(links);
    static_contacts::end_substep(links, contacts);
}

/// Solves the joints of a tree, then those that close its loops.
fn solve_joints(links: &mut [Link], pass: &SolvePass) {
    let bodies = links.iter().position(|link| link.is_loop_closure).unwrap_or(links.len());
    if active_set::solve(&mut links[..bodies], pass) {
        loop_closure::solve_loops(links, bodies, pass);
    }
}
