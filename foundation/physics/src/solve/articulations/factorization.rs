//! Block-sparse factorization of a tree: linear-time dynamics with Lagrange multipliers (Baraff 1996).
//!
//! Masses of the bodies and Jacobians of the joints form one symmetric indefinite (KKT) matrix, whose block structure
//! is the tree. Eliminated from the leaves to the root, body before joint, it fills in nowhere: each step factors a 6×6
//! body block and a joint block of up to eight rows by Cholesky, and adds to the block of the parent body. A body block
//! that has received its children is the articulated-body inertia of its subtree (Featherstone 1983). A solve is one
//! forward and one backward substitution. So a heavy last link of a chain acts on the first at once, without iteration.
//!
//! Law: a factorization is reused until a Jacobian or the active set changes; and so is the one before it, if the active
//! set changes back. A reused one has the bits that computing it again would give.

use base::Vec3;
use base::number::{abs, max};

use crate::solve::articulations::cholesky::{
    backward_substitute, backward_substitute_six, decompose, forward_substitute, forward_substitute_six, triangle,
};
use crate::solve::articulations::jacobian::JacobianRow;
use crate::solve::articulations::link::{ActiveSet, Link, SPEED_MAX};

/// Factorizes the matrix of a tree, from the leaves to the root. Does nothing if one of the last two factorizations is
/// still valid.
pub fn factorize(links: &mut [Link]) {
    if links.iter().all(|link| link.factors.active_rows == link.free_rows()) {
        return;
    }
    let is_known = links.iter().all(Link::is_other_valid);
    links.iter_mut().for_each(|link| link.factors.switch());
    if is_known {
        return;
    }
    let is_ordered = |(index, link): (usize, &Link)| link.parent as usize > index;
    debug_assert!(links.iter().enumerate().all(is_ordered), "a parent comes before its child");
    links[0].factors.computed += 1;
    let number = links[0].factors.computed;
    for link in links.iter_mut() {
        assert!(link.inverse_mass > 0.0, "body {} of a tree is static", link.solver_body);
        link.factors.number = number;
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
        let (done, above) = links.split_at_mut(index + 1);
        let link = &mut done[index];
        let mut parent = above.get_mut((link.parent as usize).wrapping_sub(index + 1));
        factorize_link(link, parent.as_ref().is_some_and(|parent| parent.can_rotate));
        if let Some(parent) = &mut parent {
            add_to_parent(&link.factors.parent_block[..link.factors.count], &mut parent.factors.body);
        }
    }
}

/// Adds the rows of a child to the block of its parent.
fn add_to_parent(rows: &[[f32; 6]], body: &mut [f32; triangle(6)]) {
    for row in rows {
        for line in 0..6 {
            for column in 0..=line {
                body[triangle(line) + column] += row[line] * row[column];
            }
        }
    }
}

fn factorize_link(link: &mut Link, can_parent_rotate: bool) {
    let free = link.free_rows();
    let (mut count, is_first, can_rotate) = (0, link.is_first, link.can_rotate);
    let (rows, targets, factors) = (&link.rows, &link.targets, &mut *link.factors);
    decompose(&mut factors.body, 6);
    for number in (0..rows.count).filter(|number| free >> number & 1 == 1) {
        let [mut own, parent] = jacobian_blocks(&rows.list[number], is_first, [can_rotate, can_parent_rotate]);
        forward_substitute_six(&factors.body, &mut own);
        (factors.own_block[count], factors.parent_block[count]) = (own, parent);
        (factors.rows[count], factors.softness[count]) = (number as u8, targets[number].softness);
        count += 1;
    }
    (factors.count, factors.active_rows) = (count, free);
    for row in 0..count {
        for column in 0..=row {
            factors.joint[triangle(row) + column] = dot(&factors.own_block[row], &factors.own_block[column]);
        }
        factors.joint[triangle(row) + row] += factors.softness[row];
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
        forward_substitute_six(&link.factors.body, &mut link.partial);
        for row in 0..count {
            link.row_partial[row] = -right_side(link, row) - dot(&link.factors.own_block[row], &link.partial);
        }
        forward_substitute(&link.factors.joint, &mut link.row_partial[..count]);
        let (done, above) = links.split_at_mut(index + 1);
        let link = &done[index];
        if let Some(parent) = above.get_mut((link.parent as usize).wrapping_sub(index + 1)) {
            for (row, partial) in link.factors.parent_block[..count].iter().zip(&link.row_partial) {
                (0..6).for_each(|axis| parent.partial[axis] += row[axis] * partial);
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
        backward_substitute_six(&link.factors.body, &mut link.velocity_change);
        total = link.velocity_change.iter().fold(total, |total, change| total + abs(*change));
    }
    total < SPEED_MAX
}

impl Link {
    /// A row of the Jacobian as two 6-vectors: the block of its body and the block of the parent.
    pub(super) fn jacobian_blocks(&self, row: &JacobianRow, can_parent_rotate: bool) -> [[f32; 6]; 2] {
        jacobian_blocks(row, self.is_first, [self.can_rotate, can_parent_rotate])
    }

    /// Whether the factorization before the current one is that of the present rows.
    fn is_other_valid(&self) -> bool {
        let other = self.factors.other();
        let mut rows = other.rows[..other.count].iter().zip(&other.softness);
        other.active_rows == self.free_rows()
            && rows.all(|(row, softness)| self.targets[usize::from(*row)].softness.to_bits() == softness.to_bits())
    }

    /// Which rows are free, as a bit set.
    fn free_rows(&self) -> u32 {
        let free =
            |bits: u32, number: usize| bits | u32::from(self.targets[number].activity == ActiveSet::Free) << number;
        if self.has_joint { (0..self.rows.count).fold(0, free) } else { 0 }
    }
}

/// A row of the Jacobian as two 6-vectors, of bodies that can rotate or not.
#[inline]
fn jacobian_blocks(row: &JacobianRow, is_first: bool, can_rotate: [bool; 2]) -> [[f32; 6]; 2] {
    let side = |is_first: bool, can_rotate: bool| {
        let (sign, turn) = if is_first { (-1.0, row.angular_a) } else { (1.0, row.angular_b) };
        let turn = if can_rotate { turn * sign } else { Vec3::ZERO };
        let linear = row.linear * sign;
        [linear.x, linear.y, linear.z, turn.x, turn.y, turn.z]
    };
    [side(is_first, can_rotate[0]), side(!is_first, can_rotate[1])]
}

/// The dot product.
#[inline]
pub fn dot(one: &[f32; 6], other: &[f32; 6]) -> f32 {
    one.iter().zip(other).fold(0.0, |sum, (one, other)| sum + one * other)
}
