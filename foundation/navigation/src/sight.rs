//! Straight lines on a map.

use crate::moves::{OFFSETS, by_offset};
use crate::terrain::Terrain;

/// Whether an agent can go straight from one cell to another: every move along the line between their centres is legal.
///
/// Integer arithmetic; the line from `b` to `a` passes the same cells as that from `a` to `b`.
pub fn is_straight(terrain: &impl Terrain, from: u32, to: u32, needed: u8) -> bool {
    let lattice = terrain.lattice();
    let (start, end) = (lattice.position(from), lattice.position(to));
    let away: [i64; 3] = core::array::from_fn(|axis| i64::from(end[axis]) - i64::from(start[axis]));
    let mut taken = [0_i64; 3];
    let mut cell = from;
    while cell != to {
        // The next crossing of a cell border along each axis is at (2 × taken + 1) / (2 × away) of the way. The first one is next;
        // several at once are a diagonal move.
        let mut first: Option<(i64, i64)> = None;
        for axis in 0..3 {
            let (crossing, whole) = (2 * taken[axis] + 1, away[axis].abs());
            if taken[axis] < whole && first.is_none_or(|(best, of)| crossing * of < best * whole) {
                first = Some((crossing, whole));
            }
        }
        let Some((best, of)) = first else { return false };
        let mut offset = [0; 3];
        for axis in 0..3 {
            let (crossing, whole) = (2 * taken[axis] + 1, away[axis].abs());
            if taken[axis] < whole && crossing * of == best * whole {
                offset[axis] = away[axis].signum() as i32;
                taken[axis] += 1;
            }
        }
        let Some(index) = by_offset(offset) else { return false };
        if terrain.moves(cell, needed) >> index & 1 == 0 {
            return false;
        }
        match lattice.beside(lattice.position(cell), OFFSETS[index]) {
            Some(next) => cell = next,
            None => return false,
        }
    }
    true
}

/// Straightens a path in place: cells between which an agent can go straight are dropped. Keeps its ends. Returns the new length.
pub fn straighten(terrain: &impl Terrain, path: &mut [u32], needed: u8) -> usize {
    let corners = keep_corners(terrain, path);
    if corners < 3 {
        return corners;
    }
    // Each kept cell is the last one that the kept cell before it sees.
    let mut kept = 1;
    let mut candidate = 1;
    for index in 2..corners {
        if !is_straight(terrain, path[kept - 1], path[index], needed) {
            path[kept] = path[candidate];
            kept += 1;
        }
        candidate = index;
    }
    path[kept] = path[corners - 1];
    kept + 1
}

/// Keeps the cells where a path changes its direction, and its ends. Returns their number.
fn keep_corners(terrain: &impl Terrain, path: &mut [u32]) -> usize {
    if path.len() < 3 {
        return path.len();
    }
    let lattice = terrain.lattice();
    let direction = |from: u32, to: u32| {
        let (from, to) = (lattice.position(from), lattice.position(to));
        [0, 1, 2].map(|axis| i64::from(to[axis]) - i64::from(from[axis]))
    };
    let mut kept = 1;
    let mut before = direction(path[0], path[1]);
    for index in 1..path.len() - 1 {
        let after = direction(path[index], path[index + 1]);
        if after != before {
            path[kept] = path[index];
            kept += 1;
        }
        before = after;
    }
    path[kept] = path[path.len() - 1];
    kept + 1
}
