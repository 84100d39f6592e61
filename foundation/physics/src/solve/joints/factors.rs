//! Factors: what all joints of a tree do to one another is a large matrix, but one that follows the tree. So it is taken apart from
//! the leaves to the root, six numbers of a body and up to eight of a joint at a time, and an answer takes two walks, up and down. A
//! heavy last link of a chain is felt in the first at once; nothing has to be repeated until it gets there.
//!
//! Law: what is still good is not taken apart again.

use base::Vec3;
use base::number::{abs, max};

use crate::solve::joints::link::{Link, State, TOO_FAST};
use crate::solve::joints::rows::{ROWS_MAX, Row};
use crate::solve::joints::small::{backward, factor, forward, triangle};

/// Takes the matrix of a tree apart, from the leaves to the root; unless it is still good.
pub fn take_apart(links: &mut [Link]) {
    if links.iter().all(|link| link.factors.made_from == link.free_rows()) {
        return;
    }
    for link in links.iter_mut() {
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
        let can_parent_turn = links.get(parent).is_some_and(|parent| parent.can_turn);
        take_link_apart(&mut links[index], can_parent_turn);
        let (above, count) = (links[index].factors.above, links[index].factors.count);
        if let Some(parent) = links.get_mut(parent) {
            for row in &above[..count] {
                for line in 0..6 {
                    for column in 0..=line {
                        parent.factors.body[triangle(line) + column] += row[line] * row[column];
                    }
                }
            }
        }
    }
}

fn take_link_apart(link: &mut Link, can_parent_turn: bool) {
    let free = link.free_rows();
    let (mut count, mut softness) = (0, [0.0; ROWS_MAX]);
    let mut factors = link.factors;
    factor(&mut factors.body, 6);
    for number in (0..link.rows.count).filter(|number| free >> number & 1 == 1) {
        let [mut own, above] = link.seen(&link.rows.list[number], can_parent_turn);
        forward(&factors.body, &mut own);
        (factors.own[count], factors.above[count]) = (own, above);
        (factors.free[count], softness[count]) = (number as u8, link.goals[number].softness);
        count += 1;
    }
    (factors.count, factors.made_from) = (count, free);
    for (row, softness) in softness[..count].iter().enumerate() {
        for column in 0..=row {
            factors.joint[triangle(row) + column] = dot(&factors.own[row], &factors.own[column]);
        }
        factors.joint[triangle(row) + row] += softness;
    }
    factor(&mut factors.joint, count);
    for row in 0..count {
        for column in 0..row {
            let part = factors.joint[triangle(row) + column];
            let before = factors.above[column];
            (0..6).for_each(|axis| factors.above[row][axis] -= part * before[axis]);
        }
        let scale = factors.joint[triangle(row) + row];
        factors.above[row].iter_mut().for_each(|value| *value *= scale);
    }
    link.factors = factors;
}

/// Works out which impulses give what is wanted. False if they are not finite.
pub fn answer(links: &mut [Link]) -> bool {
    links.iter_mut().for_each(|link| link.half = [0.0; 6]);
    walk(links, |link, row| link.goals[usize::from(link.factors.free[row])].off)
}

/// Works out how the tree answers to the impulses that lie in `half`. False if that is not finite.
pub fn respond(links: &mut [Link]) -> bool {
    walk(links, |_, _| 0.0)
}

fn walk(links: &mut [Link], off: impl Fn(&Link, usize) -> f32) -> bool {
    for index in 0..links.len() {
        let link = &mut links[index];
        let count = link.factors.count;
        forward(&link.factors.body, &mut link.half);
        for row in 0..count {
            link.row_half[row] = -off(link, row) - dot(&link.factors.own[row], &link.half);
        }
        forward(&link.factors.joint, &mut link.row_half[..count]);
        let (above, half, parent) = (link.factors.above, link.row_half, link.parent as usize);
        if let Some(parent) = links.get_mut(parent) {
            for row in 0..count {
                (0..6).for_each(|axis| parent.half[axis] += above[row][axis] * half[row]);
            }
        }
    }
    let mut most = 0.0;
    for index in (0..links.len()).rev() {
        let above = links.get(links[index].parent as usize).map_or([0.0; 6], |parent| parent.change);
        let link = &mut links[index];
        let count = link.factors.count;
        for row in 0..count {
            link.row_change[row] = dot(&link.factors.above[row], &above) - link.row_half[row];
        }
        backward(&link.factors.joint, &mut link.row_change[..count]);
        link.change = link.half;
        for row in 0..count {
            let change = link.row_change[row];
            (0..6).for_each(|axis| link.change[axis] -= link.factors.own[row][axis] * change);
        }
        backward(&link.factors.body, &mut link.change);
        most = link.change.iter().fold(most, |most, change| most + abs(*change));
    }
    most < TOO_FAST
}

impl Link {
    /// A row as its body sees it, and as the parent does.
    pub(super) fn seen(&self, row: &Row, can_parent_turn: bool) -> [[f32; 6]; 2] {
        let side = |is_first: bool, can_turn: bool| {
            let (sign, turn) = if is_first { (-1.0, row.first) } else { (1.0, row.second) };
            let turn = if can_turn { turn * sign } else { Vec3::ZERO };
            let linear = row.linear * sign;
            [linear.x, linear.y, linear.z, turn.x, turn.y, turn.z]
        };
        [side(self.is_first, self.can_turn), side(!self.is_first, can_parent_turn)]
    }

    /// Which rows are free: a bit for each.
    fn free_rows(&self) -> u32 {
        let free = |bits: u32, number: usize| bits | u32::from(self.goals[number].state == State::Free) << number;
        if self.has_joint { (0..self.rows.count).fold(0, free) } else { 0 }
    }
}

/// The sum of the products.
#[inline]
pub fn dot(one: &[f32; 6], other: &[f32; 6]) -> f32 {
    one.iter().zip(other).fold(0.0, |sum, (one, other)| sum + one * other)
}
