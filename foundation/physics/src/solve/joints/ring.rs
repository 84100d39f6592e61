//! Rings: joints that are left over because their bodies hang together already.
//!
//! What such a joint does is felt all along its ring. So the tree is asked how it answers to each row of the joints that close its
//! rings; that gives a small matrix of these rows alone, which is turned round, and the tree then answers to what came out. A bridge
//! that is held at both ends is as stiff as one that hangs from one.
//!
//! Law: rows and links of a ring that is worked out like this are few. Where they are more, each joint that closes a ring is worked
//! out alone and softly, as a spring so strongly damped that it cannot swing.

use base::number::clamp;

use crate::limits::{RING_ROWS_MAX, RING_WORK_MAX};
use crate::solve::joints::factors::{dot, respond};
use crate::solve::joints::goals::set_goals;
use crate::solve::joints::link::{Link, Pass, State, push};
use crate::solve::joints::small::{backward, factor, forward, triangle};
use crate::solve::joints::tree::take;

/// A row of a joint that closes a ring.
#[derive(Clone, Copy, Default)]
struct Tie {
    link: usize,
    number: usize,
    /// As both bodies see it.
    seen: [[f32; 6]; 2],
}

/// Whether the rings of so many joints are few enough to be worked out exactly.
pub fn is_small(bodies: usize, closing: &[Link]) -> bool {
    let rows = closing.iter().fold(0, |rows, link| rows + link.rows.count);
    rows <= RING_ROWS_MAX && rows * bodies <= RING_WORK_MAX
}

/// Works out the joints that lie behind the bodies of a tree, which has been worked out.
pub fn close(links: &mut [Link], bodies: usize, pass: &Pass) {
    if links.len() == bodies {
        return;
    }
    let is_exact = is_small(bodies, &links[bodies..]);
    links[bodies..].iter_mut().for_each(|link| link.is_alone = !is_exact);
    if is_exact {
        close_some(links, bodies, (bodies, links.len()), pass);
    } else {
        (bodies..links.len()).for_each(|index| close_some(links, bodies, (index, index + 1), pass));
    }
}

fn close_some(links: &mut [Link], bodies: usize, (from, to): (usize, usize), pass: &Pass) {
    let mut ties = [Tie::default(); RING_ROWS_MAX];
    let mut count = 0;
    let is_alone = links[from].is_alone;
    for index in from..to {
        set_goals(links, index, pass, true);
        let link = &links[index];
        let can_parent_turn = links.get(link.parent as usize).is_some_and(|parent| parent.can_turn);
        for number in (0..link.rows.count).filter(|number| link.goals[*number].state == State::Free) {
            ties[count] = Tie { link: index, number, seen: link.seen(&link.rows.list[number], can_parent_turn) };
            count += 1;
        }
    }
    let ties = &ties[..count];
    let mut matrix = [0.0; triangle(RING_ROWS_MAX)];
    let mut values = [0.0; RING_ROWS_MAX];
    for (column, tie) in ties.iter().enumerate() {
        begin(links, bodies);
        strike(links, tie, 1.0);
        if is_alone {
            answer_alone(links, tie);
        } else if !respond(&mut links[..bodies]) {
            return;
        }
        for (row, other) in ties.iter().enumerate().skip(column) {
            matrix[triangle(row) + column] = felt(links, other);
        }
        let goal = &links[tie.link].goals[tie.number];
        let own = matrix[triangle(column) + column];
        // What the tree holds already needs no second joint: all it would bear is rounding.
        if own > goal.softness {
            matrix[triangle(column) + column] = own + goal.softness;
            values[column] = -goal.off;
        } else {
            (column..count).for_each(|row| matrix[triangle(row) + column] = 0.0);
            (0..column).for_each(|before| matrix[triangle(column) + before] = 0.0);
        }
    }
    factor(&mut matrix, count);
    forward(&matrix, &mut values[..count]);
    backward(&matrix, &mut values[..count]);
    if !values[..count].iter().all(|value| value.is_finite()) {
        return;
    }
    begin(links, bodies);
    for (index, (tie, value)) in ties.iter().zip(&mut values).enumerate() {
        let link = &links[tie.link];
        let (goal, slot) = (link.goals[tie.number], link.rows.list[tie.number].slot);
        let before = link.joint.impulses[slot];
        let is_dead = matrix[triangle(index) + index] == 0.0;
        *value = if is_dead { -before } else { clamp(before + *value, goal.least, goal.most) - before };
        strike(links, tie, *value);
    }
    if !is_alone && !respond(&mut links[..bodies]) {
        return;
    }
    for (tie, value) in ties.iter().zip(values) {
        let row = links[tie.link].rows.list[tie.number];
        links[tie.link].joint.impulses[row.slot] += value;
        push(links, tie.link, &row, value);
    }
    if !is_alone {
        (0..bodies).for_each(|index| take(links, index));
    }
}

/// No impulses yet.
fn begin(links: &mut [Link], bodies: usize) {
    links[..bodies].iter_mut().for_each(|link| link.half = [0.0; 6]);
}

/// An impulse along a row.
fn strike(links: &mut [Link], tie: &Tie, impulse: f32) {
    let (body, parent) = (links[tie.link].body as usize, links[tie.link].parent as usize);
    for (index, seen) in [body, parent].into_iter().zip(tie.seen) {
        if let Some(link) = links.get_mut(index) {
            link.half.iter_mut().zip(seen).for_each(|(half, seen)| *half += seen * impulse);
        }
    }
}

/// How fast both bodies of a row move along it, by what was answered.
fn felt(links: &[Link], tie: &Tie) -> f32 {
    let link = &links[tie.link];
    let one = dot(&tie.seen[0], &links[link.body as usize].change);
    one + links.get(link.parent as usize).map_or(0.0, |parent| dot(&tie.seen[1], &parent.change))
}

/// Both bodies answer as if they were not part of a tree.
fn answer_alone(links: &mut [Link], tie: &Tie) {
    for index in [links[tie.link].body as usize, links[tie.link].parent as usize] {
        if let Some(link) = links.get_mut(index) {
            let [x, y, z, turn_x, turn_y, turn_z] = link.half;
            let spin = link.inverse_inertia * base::Vec3::new(turn_x, turn_y, turn_z);
            let mass = link.inverse_mass;
            link.change = [x * mass, y * mass, z * mass, spin.x, spin.y, spin.z];
        }
    }
}
