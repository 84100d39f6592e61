//! Block-sparse factorization of a tree: linear-time dynamics with Lagrange multipliers (Baraff 1996).
//!
//! Masses of the bodies and Jacobians of the joints form one symmetric indefinite (KKT) matrix, whose block structure
//! is the tree. Eliminated from the leaves to the root, body before joint, it fills in nowhere: each step factors a 6×6
//! body block and a joint block of up to eight rows by Cholesky, and adds to the block of the parent body. A body block
//! that has received its children is the articulated-body inertia of its subtree (Featherstone 1983). A solve is one
//! forward and one backward substitution. So a heavy last link of a chain acts on the first at once, without iteration.
//!
//! Law: a factorization is reused until a Jacobian or the active set changes.

use base::Vec3;
use base::number::{abs, max};

use crate::solve::articulations::cholesky::{backward_substitute, decompose, forward_substitute, triangle};
use crate::solve::articulations::jacobian::{JacobianRow, ROWS_MAX};
use crate::solve::articulations::link::{ActiveSet, Link, SPEED_MAX};

/// Factorizes the matrix of a tree, from the leaves to the root. Does nothing if the factorization is still valid.
pub fn factorize(links: &mut [Link]) {
    if links.iter().all(|link| link.factors.active_rows == link.free_rows()) {
        return;
    }
    let is_ordered = |(index, link): (usize, &Link)| link.parent as usize > index;
    debug_assert!(links.iter().enumerate().all(is_ordered), "a parent comes before its child");
    for link in links.iter_mut() {
        assert!(link.inverse_mass > 0.0, "body {} of a tree is static", link.solver_body);
        let body = &mut link.factors.body;
        body.fill(0.0);
        let mass = 1.0 / max(link.inverse_mass, f32::MIN_POSITIVE);
        (0..3).for_each(|axis| body[triangle(axis) + axis] = mass);
        let [x, y, z] = link.inertia.columns;
        let rows = [[x.x, 0.0, 0.0], [x.y, y.y, 0.0], [x.z, y.z, z.z]];
        for (index, row) in rows.iter().enumerate() {
            body[triangle(3 + index) + 3..triangle(3 + index) + 4 + index].copy_from_slice(&row[..=index]);
        }
    }
    for index in 0..links.len() {
        let parent = links[index].parent as usize;
        let can_parent_rotate = links.get(parent).is_some_and(|parent| parent.can_rotate);
        factorize_link(&mut links[index], can_parent_rotate);
        let (parent_block, count) = (links[index].factors.parent_block, links[index].factors.count);
        if let Some(parent) = links.get_mut(parent) {
            for row in &parent_block[..count] {
                for line in 0..6 {
                    for column in 0..=line {
                        parent.factors.body[triangle(line) + column] += row[line] * row[column];
                    }
                }
            }
        }
    }
}

fn factorize_link(link: &mut Link, can_parent_rotate: bool) {
    let free = link.free_rows();
    let (mut count, mut softness) = (0, [0.0; ROWS_MAX]);
    let mut factors = link.factors;
    decompose(&mut factors.body, 6);
    for number in (0..link.rows.count).filter(|number| free >> number & 1 == 1) {
        let [mut own, parent] = link.jacobian_blocks(&link.rows.list[number], can_parent_rotate);
        forward_substitute(&factors.body, &mut own);
        (factors.own_block[count], factors.parent_block[count]) = (own, parent);
        (factors.rows[count], softness[count]) = (number as u8, link.targets[number].softness);
        count += 1;
    }
    (factors.count, factors.active_rows) = (count, free);
    for (row, softness) in softness[..count].iter().enumerate() {
        for column in 0..=row {
            factors.joint[triangle(row) + column] = dot(&factors.own_block[row], &factors.own_block[column]);
        }
        factors.joint[triangle(row) + row] += softness;
    }
    decompose(&mut factors.joint, count);
    for row in 0..count {
        for column in 0..row {
            let part = factors.joint[triangle(row) + column];
            let before = factors.parent_block[column];
            (0..6).for_each(|axis| factors.parent_block[row][axis] -= part * before[axis]);
        }
        let scale = factors.joint[triangle(row) + row];
        factors.parent_block[row].iter_mut().for_each(|value| *value *= scale);
    }
    link.factors = factors;
}

/// Solves for the impulses that remove the velocity errors of all free rows. False if the solution is not finite.
pub fn solve_targets(links: &mut [Link]) -> bool {
    links.iter_mut().for_each(|link| link.partial = [0.0; 6]);
    substitute(links, |link, row| link.targets[usize::from(link.factors.rows[row])].velocity_error)
}

/// Solves for the velocity changes caused by the external impulses in `partial`. False if the solution is not finite.
pub fn solve_impulses(links: &mut [Link]) -> bool {
    substitute(links, |_, _| 0.0)
}

fn substitute(links: &mut [Link], right_side: impl Fn(&Link, usize) -> f32) -> bool {
    for index in 0..links.len() {
        let link = &mut links[index];
        let count = link.factors.count;
        forward_substitute(&link.factors.body, &mut link.partial);
        for row in 0..count {
            link.row_partial[row] = -right_side(link, row) - dot(&link.factors.own_block[row], &link.partial);
        }
        forward_substitute(&link.factors.joint, &mut link.row_partial[..count]);
        let (parent_block, row_partial, parent) = (link.factors.parent_block, link.row_partial, link.parent as usize);
        if let Some(parent) = links.get_mut(parent) {
            for row in 0..count {
                (0..6).for_each(|axis| parent.partial[axis] += parent_block[row][axis] * row_partial[row]);
            }
        }
    }
    let mut total = 0.0;
    for index in (0..links.len()).rev() {
        let parent_change = links.get(links[index].parent as usize).map_or([0.0; 6], |parent| parent.velocity_change);
        let link = &mut links[index];
        let count = link.factors.count;
        for row in 0..count {
            link.row_solution[row] = dot(&link.factors.parent_block[row], &parent_change) - link.row_partial[row];
        }
        backward_substitute(&link.factors.joint, &mut link.row_solution[..count]);
        link.velocity_change = link.partial;
        for row in 0..count {
            let change = link.row_solution[row];
            (0..6).for_each(|axis| link.velocity_change[axis] -= link.factors.own_block[row][axis] * change);
        }
        backward_substitute(&link.factors.body, &mut link.velocity_change);
        total = link.velocity_change.iter().fold(total, |total, change| total + abs(*change));
    }
    total < SPEED_MAX
}

impl Link {
    /// A row of the Jacobian as two 6-vectors: the block of its body and the block of the parent.
    pub(super) fn jacobian_blocks(&self, row: &JacobianRow, can_parent_rotate: bool) -> [[f32; 6]; 2] {
        let side = |is_first: bool, can_rotate: bool| {
            let (sign, turn) = if is_first { (-1.0, row.angular_a) } else { (1.0, row.angular_b) };
            let turn = if can_rotate { turn * sign } else { Vec3::ZERO };
            let linear = row.linear * sign;
            [linear.x, linear.y, linear.z, turn.x, turn.y, turn.z]
        };
        [side(self.is_first, self.can_rotate), side(!self.is_first, can_parent_rotate)]
    }

    /// Which rows are free, as a bit set.
    fn free_rows(&self) -> u32 {
        let free =
            |bits: u32, number: usize| bits | u32::from(self.targets[number].activity == ActiveSet::Free) << number;
        if self.has_joint { (0..self.rows.count).fold(0, free) } else { 0 }
    }
}

/// The dot product.
#[inline]
pub fn dot(one: &[f32; 6], other: &[f32; 6]) -> f32 {
    one.iter().zip(other).fold(0.0, |sum, (one, other)| sum + one * other)
}
