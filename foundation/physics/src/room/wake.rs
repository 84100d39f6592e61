//! Waking: those who were touched or let go of, with all that hang together with them.

use state::World;

use super::Room;
use crate::body::flag;
use crate::parts::Parts;

impl Room {
    /// Whoever is in this slot is to wake.
    pub(super) fn rouse(&mut self, slot: u16) {
        rouse(&mut self.woken, slot);
    }

    /// Wakes those that were touched or let go of, with all that hang together with them.
    pub(super) fn wake(&mut self, world: &mut World, parts: Parts) {
        if !self.is_any_asleep || self.woken.iter().all(|word| *word == 0) {
            return;
        }
        let capacity = parts.bodies.capacity();
        self.islands.begin(capacity as usize);
        let sleeps = |world: &World, slot: u16| {
            u32::from(slot) < capacity
                && parts.bodies.get_absolute(world, slot).is_some_and(|(_, body)| body.is(flag::ASLEEP))
        };
        for contact in parts.contacts.get(world).iter().filter(|contact| contact.is_touching()) {
            if sleeps(world, contact.first) && sleeps(world, contact.second) {
                self.islands.join(u32::from(contact.first), u32::from(contact.second));
            }
        }
        for [first, second] in self.joints.pairs() {
            if sleeps(world, *first) && sleeps(world, *second) {
                self.islands.join(u32::from(*first), u32::from(*second));
            }
        }
        let is_woken = |woken: &[u64], slot: u32| woken[slot as usize / 64] >> (slot % 64) & 1 == 1;
        // Whoever is woken wakes its leader, and the leader all.
        for slot in (0..capacity).filter(|slot| sleeps(world, *slot as u16)) {
            if is_woken(&self.woken, slot) {
                let leader = self.islands.leader(slot);
                self.woken[leader as usize / 64] |= 1 << (leader % 64);
            }
        }
        for slot in 0..capacity {
            let leader = self.islands.leader(slot);
            if sleeps(world, slot as u16)
                && is_woken(&self.woken, leader)
                && let Some((handle, _)) = parts.bodies.get_absolute(world, slot as u16)
            {
                parts.bodies.edit(world, handle).wake();
            }
        }
    }
}

/// Whoever is in this slot is to wake.
pub(super) fn rouse(woken: &mut [u64], slot: u16) {
    if let Some(word) = woken.get_mut(usize::from(slot) / 64) {
        *word |= 1 << (slot % 64);
    }
}
