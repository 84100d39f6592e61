//! Loop closure: joints between bodies that the tree connects already (auxiliary constraints, Baraff 1996).
//!
//! The response of the tree to a unit impulse along each loop row gives the matrix J M⁻¹ Jᵀ of these rows alone, with
//! all joints of the tree in M. It is solved directly, and the tree then responds to the resulting impulses. So a
//! bridge held at both ends is as stiff as one that hangs from one.
//!
//! Law: the number of loop rows solved this way, and rows times bodies, are limited. Beyond that, each loop joint is
//! solved by itself as a soft constraint, overdamped so that it cannot oscillate.

use base::number::clamp;

use crate::limits::{LOOP_ROWS_MAX, LOOP_WORK_MAX};
use crate::solve::articulations::active_set::apply_solution;
use crate::solve::articulations::cholesky::{backward_substitute, decompose, forward_substitute, triangle};
use crate::solve::articulations::factorization::{dot, solve_impulses};
use crate::solve::articulations::jacobian::ROWS_MAX;
use crate::solve::articulations::link::{ActiveSet, Link, SolvePass, apply_impulse};
use crate::solve::articulations::targets::set_targets;

const _: () = assert!(ROWS_MAX <= LOOP_ROWS_MAX, "one joint can always be solved by itself");

/// One row of a loop-closing joint.
#[derive(Clone, Copy, Default)]
struct LoopRow {
    link: usize,
    number: usize,
    /// Its Jacobian blocks: of the body and of the parent.
    blocks: [[f32; 6]; 2],
}

/// Whether the loops of a tree are few enough for a direct solve.
pub fn is_direct(bodies: usize, closing: &[Link]) -> bool {
    let rows = closing.iter().fold(0, |rows, link| rows + link.rows.count);
    rows <= LOOP_ROWS_MAX && rows * bodies <= LOOP_WORK_MAX
}

/// Solves the loop-closing joints, which follow the bodies of a tree, after the tree itself.
pub fn solve_loops(links: &mut [Link], bodies: usize, pass: &SolvePass) {
    if links.len() == bodies {
        return;
    }
    let is_exact = is_direct(bodies, &links[bodies..]);
    links[bodies..].iter_mut().for_each(|link| link.is_solved_alone = !is_exact);
    if is_exact {
        solve_loop_rows(links, bodies, (bodies, links.len()), pass);
    } else {
        (bodies..links.len()).for_each(|index| solve_loop_rows(links, bodies, (index, index + 1), pass));
    }
}

fn solve_loop_rows(links: &mut [Link], bodies: usize, (from, to): (usize, usize), pass: &SolvePass) {
    let mut loop_rows = [LoopRow::default(); LOOP_ROWS_MAX];
    let mut count = 0;
    let is_solved_alone = links[from].is_solved_alone;
    for index in from..to {
        set_targets(links, index, pass, true);
        let link = &links[index];
        let can_parent_rotate = links.get(link.parent as usize).is_some_and(|parent| parent.can_rotate);
        for number in (0..link.rows.count).filter(|number| link.targets[*number].activity == ActiveSet::Free) {
            loop_rows[count] = LoopRow {
                link: index,
                number,
                blocks: link.jacobian_blocks(&link.rows.list[number], can_parent_rotate),
            };
            count += 1;
        }
    }
    let loop_rows = &loop_rows[..count];
    let mut matrix = [0.0; triangle(LOOP_ROWS_MAX)];
    let mut values = [0.0; LOOP_ROWS_MAX];
    for (column, loop_row) in loop_rows.iter().enumerate() {
        clear_impulses(links, bodies);
        add_impulse(links, loop_row, 1.0);
        if is_solved_alone {
            solve_decoupled(links, loop_row);
        } else if !solve_impulses(&mut links[..bodies]) {
            return;
        }
        for (row, other) in loop_rows.iter().enumerate().skip(column) {
            matrix[triangle(row) + column] = row_velocity(links, other);
        }
        let target = &links[loop_row.link].targets[loop_row.number];
        let diagonal = matrix[triangle(column) + column];
        // A row that the tree already constrains would only carry rounding errors: it is left out.
        if diagonal > target.softness {
            matrix[triangle(column) + column] = diagonal + target.softness;
            values[column] = -target.velocity_error;
        } else {
            (column..count).for_each(|row| matrix[triangle(row) + column] = 0.0);
            (0..column).for_each(|before| matrix[triangle(column) + before] = 0.0);
        }
    }
    decompose(&mut matrix, count);
    forward_substitute(&matrix, &mut values[..count]);
    backward_substitute(&matrix, &mut values[..count]);
    if !values[..count].iter().all(|value| value.is_finite()) {
        return;
    }
    clear_impulses(links, bodies);
    for (index, (loop_row, value)) in loop_rows.iter().zip(&mut values).enumerate() {
        let link = &links[loop_row.link];
        let (target, impulse_index) = (link.targets[loop_row.number], link.rows.list[loop_row.number].impulse_index);
        let before = link.joint.impulses[impulse_index];
        let is_dependent = matrix[triangle(index) + index] == 0.0;
        *value = if is_dependent { -before } else { clamp(before + *value, target.lower, target.upper) - before };
        add_impulse(links, loop_row, *value);
    }
    if !is_solved_alone && !solve_impulses(&mut links[..bodies]) {
        return;
    }
    for (loop_row, value) in loop_rows.iter().zip(values) {
        let row = links[loop_row.link].rows.list[loop_row.number];
        links[loop_row.link].joint.impulses[row.impulse_index] += value;
        apply_impulse(links, loop_row.link, &row, value);
    }
    if !is_solved_alone {
        (0..bodies).for_each(|index| apply_solution(links, index));
    }
}

/// Clears the external impulses.
fn clear_impulses(links: &mut [Link], bodies: usize) {
    links[..bodies].iter_mut().for_each(|link| link.partial = [0.0; 6]);
}

/// Adds an external impulse along a row.
fn add_impulse(links: &mut [Link], loop_row: &LoopRow, impulse: f32) {
    let (body, parent) = (links[loop_row.link].node as usize, links[loop_row.link].parent as usize);
    for (index, block) in [body, parent].into_iter().zip(loop_row.blocks) {
        if let Some(link) = links.get_mut(index) {
            link.partial.iter_mut().zip(block).for_each(|(partial, value)| *partial += value * impulse);
        }
    }
}

/// The relative velocity along a row caused by the last response.
fn row_velocity(links: &[Link], loop_row: &LoopRow) -> f32 {
    let link = &links[loop_row.link];
    let one = dot(&loop_row.blocks[0], &links[link.node as usize].velocity_change);
    one + links.get(link.parent as usize).map_or(0.0, |parent| dot(&loop_row.blocks[1], &parent.velocity_change))
}

/// The response of both bodies as if they had no joints.
fn solve_decoupled(links: &mut [Link], loop_row: &LoopRow) {
    for index in [links[loop_row.link].node as usize, links[loop_row.link].parent as usize] {
        if let Some(link) = links.get_mut(index) {
            let [x, y, z, angular_x, angular_y, angular_z] = link.partial;
            let angular = link.inverse_inertia * base::Vec3::new(angular_x, angular_y, angular_z);
            let mass = link.inverse_mass;
            link.velocity_change = [x * mass, y * mass, z * mass, angular.x, angular.y, angular.z];
        }
    }
}
