//! Trees, worked out at once and exactly.
//!
//! What only pushes (limits) or is only so strong (motors) is found out by trying: rows that would pull are let go, rows that
//! would give way are taken in, and the tree is worked out anew; a few times at most.

use base::number::clamp;

use crate::joint::slot;
use crate::limits::{JOINT_REFINES_MAX, JOINT_ROUNDS_MAX};
use crate::solve::joints::factors::{answer, dot, take_apart};
use crate::solve::joints::goals::{is_fast, keep_bounds, set_goals};
use crate::solve::joints::link::{Link, Pass, State, forget_all, push};
use crate::solve::joints::rows::ROWS_MAX;

/// From such a turn within a sub-step on, looking ahead once is not enough.
const FAST: f32 = 0.1;
/// A speed this far off counts as none, in metres or radians per second.
const NO_SPEED: f32 = 1.0e-4;

/// Works all joints of a tree out. False if that did not come out finite.
pub fn solve(links: &mut [Link], pass: &Pass) -> bool {
    let is_pushed = (0..links.len()).fold(false, |is_pushed, index| set_goals(links, index, pass, true) | is_pushed);
    if is_pushed {
        (0..links.len()).for_each(|index| {
            set_goals(links, index, pass, false);
        });
    }
    for round in 0..JOINT_ROUNDS_MAX {
        take_apart(links);
        if !answer(links) {
            forget_all(links);
            return false;
        }
        let is_last = round + 1 == JOINT_ROUNDS_MAX;
        if is_last || !change_states(links) {
            break;
        }
        for index in 0..links.len() {
            set_goals(links, index, pass, false);
        }
    }
    if pass.is_soft && links.iter().any(Link::is_lending) {
        lend(links);
    }
    for index in 0..links.len() {
        take(links, index);
    }
    if pass.is_soft && links.iter().any(|link| is_fast(&link.own, pass, FAST)) {
        for _ in 0..JOINT_REFINES_MAX {
            refine(links, pass);
        }
    }
    true
}

/// Lets go of rows that would pull, and takes in rows that would give way. False if there are none.
fn change_states(links: &mut [Link]) -> bool {
    let mut is_changed = false;
    for index in 0..links.len() {
        let link = &links[index];
        let (rows, factors, mut goals) = (link.rows, link.factors, link.goals);
        let changes: [f32; ROWS_MAX] = {
            let mut all = [0.0; ROWS_MAX];
            (0..factors.count).for_each(|row| all[usize::from(factors.free[row])] = -link.row_change[row]);
            all
        };
        let above = links.get(link.parent as usize);
        let count = if link.has_joint { rows.count } else { 0 };
        for number in 0..count {
            let (row, goal) = (&rows.list[number], &mut goals[number]);
            let next = links[index].joint.impulses[row.slot] + changes[number];
            let off = || {
                let [own, other] = link.seen(row, above.is_some_and(|above| above.can_turn));
                goal.off + dot(&own, &link.change) + above.map_or(0.0, |above| dot(&other, &above.change))
            };
            let state = match goal.state {
                State::Free if next < goal.least => State::Least,
                State::Free if next > goal.most => State::Most,
                State::Least if off() < -NO_SPEED => State::Free,
                State::Most if off() > NO_SPEED => State::Free,
                state => state,
            };
            is_changed |= state != goal.state;
            goal.state = state;
        }
        links[index].goals = goals;
        keep_bounds(links, index);
    }
    is_changed
}

/// Tells what brings bodies back from what they need anyhow: works the latter out, and lends the difference.
fn lend(links: &mut [Link]) {
    for link in links.iter_mut() {
        for row in 0..link.factors.count {
            let number = usize::from(link.factors.free[row]);
            link.lent[number] = -link.row_change[row];
            link.goals[number].off = link.goals[number].speed_off;
        }
    }
    if !answer(links) {
        links.iter_mut().for_each(|link| link.lent.fill(0.0));
        return;
    }
    for index in 0..links.len() {
        let (rows, factors) = (links[index].rows, links[index].factors);
        for row in 0..factors.count {
            let number = usize::from(factors.free[row]);
            links[index].lent[number] += links[index].row_change[row];
            push(links, index, &rows.list[number], links[index].lent[number]);
        }
    }
}

/// What turns fast does not end up where it was thought to: looks ahead once more, and corrects what is off, limits that are
/// passed only now included.
fn refine(links: &mut [Link], pass: &Pass) {
    for index in 0..links.len() {
        set_goals(links, index, pass, true);
    }
    take_apart(links);
    if !answer(links) {
        return;
    }
    for index in 0..links.len() {
        let (rows, factors, changes) = (links[index].rows, links[index].factors, links[index].row_change);
        for (row, change) in changes[..factors.count].iter().enumerate() {
            let number = usize::from(factors.free[row]);
            let (row, link) = (&rows.list[number], &mut links[index]);
            if link.is_loose || row.slot >= slot::LIMIT {
                link.lent[number] -= change;
            } else {
                link.joint.impulses[row.slot] -= change;
            }
            push(links, index, row, -change);
        }
    }
}

/// Does what was worked out, within the bounds of each row.
pub fn take(links: &mut [Link], index: usize) {
    let (rows, factors, changes) = (links[index].rows, links[index].factors, links[index].row_change);
    for (row, change) in changes[..factors.count].iter().enumerate() {
        let number = usize::from(factors.free[row]);
        let (goal, slot) = (links[index].goals[number], rows.list[number].slot);
        let before = links[index].joint.impulses[slot];
        let next = clamp(before - change, goal.least, goal.most);
        links[index].joint.impulses[slot] = next;
        push(links, index, &rows.list[number], next - before);
    }
}
