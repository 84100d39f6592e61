//! The spatial grid: the square is divided into cells, each with a list of its agents and one of its plants.

use astrarium::base::number::clamp;
use astrarium::base::{Handle, Vec2};
use astrarium::state::{Block, World};

use crate::parts::{Agent, CELLS_PER_SIDE, Parts, Plant};

/// The cell of a position in a square of this side.
pub fn cell_at(position: Vec2, side: f32) -> u16 {
    let along = |value: f32| clamp(value / side * CELLS_PER_SIDE as f32, 0.0, CELLS_PER_SIDE as f32 - 1.0) as u16;
    along(position.y) * CELLS_PER_SIDE as u16 + along(position.x)
}

/// The agents of a cell, at most `most` of them.
pub fn agents_in<'a>(
    parts: &'a Parts,
    block: &'a Block,
    cell: u16,
    most: usize,
) -> impl Iterator<Item = (Handle<Agent>, &'a Agent)> {
    let mut next = parts.grid.get(block).agents.get(usize::from(cell)).copied().unwrap_or(Handle::NONE);
    core::iter::from_fn(move || {
        let found = parts.agents.find(block, next).map(|agent| (next, agent))?;
        next = found.1.next;
        Some(found)
    })
    .take(most)
}

/// The plants of a cell, at most `most` of them.
pub fn plants_in<'a>(
    parts: &'a Parts,
    block: &'a Block,
    cell: u16,
    most: usize,
) -> impl Iterator<Item = (Handle<Plant>, &'a Plant)> {
    let mut next = parts.grid.get(block).plants.get(usize::from(cell)).copied().unwrap_or(Handle::NONE);
    core::iter::from_fn(move || {
        let found = parts.plants.find(block, next).map(|plant| (next, plant))?;
        next = found.1.next;
        Some(found)
    })
    .take(most)
}

/// Puts an agent at the head of a cell's list.
pub fn link(parts: &Parts, world: &mut World, handle: Handle<Agent>, cell: u16) {
    let head = core::mem::replace(&mut parts.grid.get_mut(world).agents[usize::from(cell)], handle);
    let mut agent = parts.agents.get_mut(world, handle);
    (agent.cell, agent.next, agent.previous) = (cell, head, Handle::NONE);
    drop(agent);
    if let Some(mut second) = parts.agents.find_mut(world, head) {
        second.previous = handle;
    }
}

/// Takes an agent out of its cell's list.
pub fn unlink(parts: &Parts, world: &mut World, handle: Handle<Agent>) {
    let Agent { next, previous, cell, .. } = *parts.agents.get(world, handle);
    // A world that was loaded may have any cell and any neighbours in its agents.
    if let Some(mut before) = parts.agents.find_mut(world, previous) {
        before.next = next;
    } else if let Some(head) = parts.grid.get_mut(world).agents.get_mut(usize::from(cell)) {
        *head = next;
    }
    if let Some(mut after) = parts.agents.find_mut(world, next) {
        after.previous = previous;
    }
}
