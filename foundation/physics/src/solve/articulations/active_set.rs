//! The joints of one tree, solved as a mixed (boxed) linear complementarity problem by an active-set method.
//!
//! Locks are equality rows; limits have one-sided and motors two-sided bounds on their impulses. For a guess of which
//! rows are free and which stay at a bound, the free rows are one linear system, solved directly (see
//! [`factorization`](super::factorization)). A free row whose impulse leaves its bounds is then fixed there, a row at a
//! bound whose velocity error points inwards is freed, and the system is solved again: at most
//! [`ACTIVE_SET_ROUNDS_MAX`] times, which is principal pivoting of all violated rows at once (Júdice and Pires 1994),
//! without a guarantee to finish. What is left is clamped to its bounds.

use base::number::clamp;

use crate::joint::impulse;
use crate::limits::{ACTIVE_SET_ROUNDS_MAX, JOINT_REFINEMENTS_MAX};
use crate::solve::articulations::factorization::{dot, factorize, solve_targets};
use crate::solve::articulations::jacobian::ROWS_MAX;
use crate::solve::articulations::link::{ActiveSet, Link, SolvePass, apply_impulse, reset_impulses};
use crate::solve::articulations::targets::{clamp_impulses, rotates_farther, set_targets};

/// From this rotation per sub-step on, in radians, one prediction is too inaccurate and the solution is refined.
const REFINE_TURN: f32 = 0.1;
/// A velocity error below this counts as zero, in metres or radians per second.
const SPEED_TOLERANCE: f32 = 1.0e-4;

/// Solves all joints of a tree and applies their impulses. False if the solution is not finite: then impulses are
/// reset.
pub fn solve(links: &mut [Link], pass: &SolvePass) -> bool {
    let is_pushed = (0..links.len()).fold(false, |is_pushed, index| set_targets(links, index, pass, true) | is_pushed);
    if is_pushed {
        (0..links.len()).for_each(|index| {
            set_targets(links, index, pass, false);
        });
    }
    for round in 0..ACTIVE_SET_ROUNDS_MAX {
        factorize(links);
        if !solve_targets(links) {
            reset_impulses(links);
            return false;
        }
        let is_last = round + 1 == ACTIVE_SET_ROUNDS_MAX;
        if is_last || !update_active_set(links) {
            break;
        }
        for index in 0..links.len() {
            set_targets(links, index, pass, false);
        }
    }
    if pass.is_biased && links.iter().any(Link::has_bias) {
        split_pseudo_impulses(links);
    }
    for index in 0..links.len() {
        apply_solution(links, index);
    }
    if pass.is_biased && links.iter().any(|link| rotates_farther(&link.own, pass, REFINE_TURN)) {
        for _ in 0..JOINT_REFINEMENTS_MAX {
            refine(links, pass);
        }
    }
    true
}

/// Fixes free rows that left their bounds, and frees rows whose error points inwards. False if no row changed.
fn update_active_set(links: &mut [Link]) -> bool {
    let mut is_changed = false;
    for index in 0..links.len() {
        let link = &links[index];
        let (rows, factors, mut targets) = (&link.rows, &*link.factors, link.targets);
        let changes: [f32; ROWS_MAX] = {
            let mut all = [0.0; ROWS_MAX];
            (0..factors.count).for_each(|row| all[usize::from(factors.rows[row])] = -link.row_solution[row]);
            all
        };
        let parent = links.get(link.parent as usize);
        let count = if link.has_joint { rows.count } else { 0 };
        for number in 0..count {
            let (row, target) = (&rows.list[number], &mut targets[number]);
            let next = links[index].joint.impulses[row.impulse_index] + changes[number];
            let residual = || {
                let [own, other] = link.jacobian_blocks(row, parent.is_some_and(|parent| parent.can_rotate));
                target.velocity_error
                    + dot(&own, &link.velocity_change)
                    + parent.map_or(0.0, |parent| dot(&other, &parent.velocity_change))
            };
            let activity = match target.activity {
                ActiveSet::Free if next < target.lower => ActiveSet::AtLower,
                ActiveSet::Free if next > target.upper => ActiveSet::AtUpper,
                ActiveSet::AtLower if residual() < -SPEED_TOLERANCE => ActiveSet::Free,
                ActiveSet::AtUpper if residual() > SPEED_TOLERANCE => ActiveSet::Free,
                activity => activity,
            };
            is_changed |= activity != target.activity;
            target.activity = activity;
        }
        links[index].targets = targets;
        clamp_impulses(links, index);
    }
    is_changed
}

/// Splits the solution into impulses that correct velocities and pseudo impulses that only correct positions: solves
/// again without position bias and keeps the difference as pseudo impulses.
fn split_pseudo_impulses(links: &mut [Link]) {
    for link in links.iter_mut() {
        for row in 0..link.factors.count {
            let number = usize::from(link.factors.rows[row]);
            link.pseudo_impulses[number] = -link.row_solution[row];
            link.targets[number].velocity_error = link.targets[number].unbiased_error;
        }
    }
    if !solve_targets(links) {
        links.iter_mut().for_each(|link| link.pseudo_impulses.fill(0.0));
        return;
    }
    for index in 0..links.len() {
        for row in 0..links[index].factors.count {
            let link = &mut links[index];
            let number = usize::from(link.factors.rows[row]);
            link.pseudo_impulses[number] += link.row_solution[row];
            let (row, impulse) = (link.rows.list[number], link.pseudo_impulses[number]);
            apply_impulse(links, index, &row, impulse);
        }
    }
}

/// Another Newton step for bodies that rotate far within the sub-step: predicts again and corrects what is left, limits
/// that are only now exceeded included.
fn refine(links: &mut [Link], pass: &SolvePass) {
    for index in 0..links.len() {
        set_targets(links, index, pass, true);
    }
    factorize(links);
    if !solve_targets(links) {
        return;
    }
    for index in 0..links.len() {
        for row in 0..links[index].factors.count {
            let link = &mut links[index];
            let (number, change) = (usize::from(link.factors.rows[row]), link.row_solution[row]);
            let row = link.rows.list[number];
            if link.is_coupled || row.impulse_index >= impulse::LIMIT {
                link.pseudo_impulses[number] -= change;
            } else {
                link.joint.impulses[row.impulse_index] -= change;
            }
            apply_impulse(links, index, &row, -change);
        }
    }
}

/// Applies the impulses of a solution, clamped to the bounds of each row.
pub fn apply_solution(links: &mut [Link], index: usize) {
    for row in 0..links[index].factors.count {
        let link = &mut links[index];
        let (number, change) = (usize::from(link.factors.rows[row]), link.row_solution[row]);
        let (row, target) = (link.rows.list[number], &link.targets[number]);
        let before = link.joint.impulses[row.impulse_index];
        let next = clamp(before - change, target.lower, target.upper);
        link.joint.impulses[row.impulse_index] = next;
        apply_impulse(links, index, &row, next - before);
    }
}
