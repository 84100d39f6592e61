//! Waking: bodies that were touched or lost a contact wake, with their islands.

use state::World;

use super::Workspace;
use crate::body::flag;
use crate::parts::Parts;

impl Workspace {
    /// Marks the body in a slot to be woken.
    pub(super) fn mark_woken(&mut self, slot: u16) {
        mark_woken(&mut self.woken, slot);
    }

    /// Wakes the islands of all marked bodies.
    pub(super) fn wake(&mut self, world: &mut World, parts: Parts) {
        if !self.is_any_asleep || self.woken.iter().all(|word| *word == 0) {
            return;
        }
        let capacity = self.solver_indices.len() as u32;
        self.islands.begin(capacity as usize);
        let sleeps = |world: &World, slot: u16| {
            u32::from(slot) < capacity
                && parts.bodies.at_slot(world, slot).is_some_and(|(_, body)| body.is(flag::ASLEEP))
        };
        for contact in parts.contacts.get(world).iter().filter(|contact| contact.is_touching()) {
            if sleeps(world, contact.first) && sleeps(world, contact.second) {
                self.islands.union(u32::from(contact.first), u32::from(contact.second));
            }
        }
        for [first, second] in self.articulations.pairs() {
            if sleeps(world, *first) && sleeps(world, *second) {
                self.islands.union(u32::from(*first), u32::from(*second));
            }
        }
        let is_woken = |woken: &[u64], slot: u32| woken[slot as usize / 64] >> (slot % 64) & 1 == 1;
        // A marked body marks the root of its island, and the root all of it.
        for slot in (0..capacity).filter(|slot| sleeps(world, *slot as u16)) {
            if is_woken(&self.woken, slot) {
                let root = self.islands.root(slot);
                self.woken[root as usize / 64] |= 1 << (root % 64);
            }
        }
        for slot in 0..capacity {
            let root = self.islands.root(slot);
            if sleeps(world, slot as u16)
                && is_woken(&self.woken, root)
                && let Some((handle, _)) = parts.bodies.at_slot(world, slot as u16)
            {
                parts.bodies.get_mut(world, handle).wake();
            }
        }
    }
}

/// Marks the body in a slot to be woken.
pub(super) fn mark_woken(woken: &mut [u64], slot: u16) {
    if let Some(word) = woken.get_mut(usize::from(slot) / 64) {
        *word |= 1 << (slot % 64);
    }
}
