//! The step, on one page.
//!
//! | | what happens | where |
//! |---|---|---|
//! | gather | bodies that move are put side by side; what is not finite is quarantined | [`room`](crate::room) |
//! | pairs | whose boxes touch, looked for among those of the last steps | [`broad`](crate::broad), [`near`](crate::near) |
//! | touching | where their shapes touch, with what the last step remembers; a short row of each | [`touching`](crate::touching), [`sketch`](crate::sketch) |
//! | solve | velocities that keep bodies apart, and where they lead | [`solve`](crate::solve) |
//! | follow | those that are fast meet what is in their way; those that joints drag into a wall are held back | [`fast`](crate::fast) |
//! | rest | islands fall asleep or wake | [`islands`](crate::islands) |
//! | write | bodies, contacts and what happened go into the block | here |
//!
//! Law: nothing of a step is kept that could change a result but what is written into the block.

use base::Handle;
use state::{Alone, Desks, Layout, Workers, World};

use crate::body::{Body, flag};
use crate::contact::{Contact, TOUCHING};
use crate::joint::Joint;
use crate::joint::draft::Draft;
use crate::limits::PULLS_MAX;
use crate::parts::{Capacities, Parts};
use crate::pull::{Pull, felt_by, is_another};
use crate::room::Room;
use crate::settings::Settings;
use crate::shapes::Shapes;

/// The physics of a world: the keys to what lies in the block, and room to work in.
pub struct Physics {
    /// The keys.
    pub parts: Parts,
    room: Desks<Room>,
}

impl Physics {
    /// Reserves room in a layout. The caller has begun a system.
    pub fn new(layout: &mut Layout, capacities: Capacities) -> Physics {
        let parts = Parts::new(layout, capacities);
        Physics { parts, room: Desks::new(1, || Room::new(capacities)) }
    }

    /// Works one step out.
    pub fn step(&self, world: &mut World, shapes: &Shapes, settings: &Settings, workers: &dyn Workers) {
        let settings = settings.sound();
        self.room.with(0, |room| {
            room.gather(world, self.parts, shapes, &settings, workers);
            room.find_pairs(workers);
            room.find_touching(world, self.parts, shapes, &settings, workers);
            room.solve(&settings, workers);
            room.follow_fast(world, self.parts, shapes, &settings, workers);
            room.rest(&settings, workers);
            room.write(world, self.parts, &settings, workers);
        });
    }

    /// Adds a body. Nothing if there is no room: that is counted.
    pub fn add(&self, world: &mut World, body: Body) -> Option<Handle<Body>> {
        let (handle, mut place) = self.parts.bodies.create(world)?;
        *place = body;
        Some(handle)
    }

    /// Takes a body away, if it is still there. Whatever rested on it wakes in the next step. Nobody is told: whoever wants to tell
    /// looks at [`Physics::touching`] before.
    pub fn remove(&self, world: &mut World, handle: Handle<Body>) {
        if self.parts.bodies.get_untrusted(world, handle.raw()).is_some() {
            // Whoever comes to lie in this slot next has touched nobody yet.
            self.let_go(world, handle, 0);
            self.parts.bodies.delete(world, handle);
        }
    }

    /// The next body that touched this one in the last step, from a place in the order of contacts on; with the place after it.
    pub fn touching(&self, world: &World, handle: Handle<Body>, from: u32) -> Option<(Handle<Body>, u32)> {
        let contacts = self.parts.contacts.get(world);
        let mut from = from;
        while let Some((index, other)) = self.next_partner(world, handle.slot(), from) {
            from = index + 1;
            let pair = contacts[index as usize].pair();
            // All contacts of two lie side by side: they are told once.
            let is_told = |contact: &Contact| contact.pair() == pair && contact.is_touching();
            let before = contacts[..index as usize].iter().rev().take_while(|contact| contact.pair() == pair);
            let is_first = contacts[index as usize].is_touching() && !before.into_iter().any(is_told);
            if let Some((other, _)) = self.slot(world, other).filter(|_| is_first) {
                return Some((other, from));
            }
        }
        None
    }

    /// Joins bodies as they are now. Nothing if there is no room, if a body is gone, or if the draft makes no sense: that is
    /// counted. Both wake.
    pub fn add_joint(&self, world: &mut World, draft: &Draft) -> Option<Handle<Joint>> {
        let body = |handle: Handle<Body>| self.parts.bodies.get_untrusted(world, handle.raw()).map(|(_, body)| body);
        let [first, second] = draft.ends();
        let joint = draft.lay(body(first), body(second));
        let is_there = |handle: Handle<Body>| handle.is_none() || body(handle).is_some();
        if !joint.is_sound() || !is_there(first) || !is_there(second) {
            self.parts.counts.edit(world).joints_dropped += 1;
            return None;
        }
        let made = self.parts.create_joint(world, &joint);
        match made {
            Some(_) => [first, second].iter().for_each(|end| self.wake(world, *end)),
            None => self.parts.counts.edit(world).joints_refused += 1,
        }
        made
    }

    /// Changes a joint, if it is still there, and wakes its bodies.
    pub fn edit_joint(&self, world: &mut World, handle: Handle<Joint>, change: impl FnOnce(&mut Joint)) {
        let Some((handle, joint)) = self.parts.joints.get_untrusted(world, handle.raw()) else { return };
        let (before, ends) = (*joint, [joint.first, joint.second]);
        let mut next = before;
        change(&mut next);
        if next != before {
            *self.parts.joints.edit(world, handle) = next;
            if [next.first, next.second] != ends {
                self.parts.note_ends(world, handle, [next.first, next.second]);
            }
            ends.iter().for_each(|end| self.wake(world, *end));
        }
    }

    /// Takes a joint away, if it is still there, and wakes its bodies.
    pub fn remove_joint(&self, world: &mut World, handle: Handle<Joint>) {
        let Some((handle, joint)) = self.parts.joints.get_untrusted(world, handle.raw()) else { return };
        let ends = [joint.first, joint.second];
        self.parts.delete_joint(world, handle);
        ends.iter().for_each(|end| self.wake(world, *end));
    }

    /// Says what pulls besides gravity, from the next step on: as many as there is room for. Sleepers wake that would feel another pull
    /// than they fell asleep with. If all are as they were, nothing happens, and that costs nothing.
    pub fn set_pulls(&self, world: &mut World, settings: &Settings, pulls: &[Pull]) {
        let count = pulls.len().min(PULLS_MAX);
        let is_same = |(old, new): (&Pull, &Pull)| *old == new.sound();
        let old = self.parts.pulls.get(world);
        if old.len() == count && old.iter().zip(pulls).all(is_same) {
            return;
        }
        self.parts.pulls.rewrite(world, &Alone, count as u32, |index| pulls[index as usize].sound());
        let settings = settings.sound();
        for slot in 0..self.parts.bodies.capacity() {
            let Some((handle, body)) = self.parts.bodies.get_absolute(world, slot as u16) else { continue };
            let is_asleep = body.is(flag::ASLEEP) && !body.is(flag::QUARANTINED);
            if is_asleep {
                let felt = felt_by(body, &settings, self.parts.pulls.get(world));
                if is_another(body.felt, felt.acceleration) {
                    self.parts.bodies.edit(world, handle).wake();
                }
            }
        }
    }

    fn wake(&self, world: &mut World, handle: Handle<Body>) {
        if let Some((handle, _)) = self.parts.bodies.get_untrusted(world, handle.raw()) {
            self.parts.bodies.edit(world, handle).wake();
        }
    }

    /// Wakes whatever touches a body: to be told when it was changed by others than the step. That they touched is remembered, not
    /// what held them apart.
    pub fn wake_around(&self, world: &mut World, handle: Handle<Body>) {
        self.let_go(world, handle, TOUCHING);
    }

    /// Wakes a body and whatever touches it, and keeps so much of the states of its contacts.
    fn let_go(&self, world: &mut World, handle: Handle<Body>, kept: u32) {
        let slot = handle.slot();
        let mut from = 0;
        // One at a time, since what is found may be anywhere.
        while let Some((index, other)) = self.next_partner(world, slot, from) {
            if let Some((other, _)) = self.slot(world, other) {
                self.parts.bodies.edit(world, other).wake();
            }
            if let Some(mut contact) = self.parts.contacts.edit(world, index) {
                contact.state &= kept;
            }
            from = index + 1;
        }
        if self.parts.bodies.get_untrusted(world, handle.raw()).is_some() {
            self.parts.bodies.edit(world, handle).wake();
        }
    }

    fn next_partner(&self, world: &World, slot: u16, from: u32) -> Option<(u32, u16)> {
        let contacts = self.parts.contacts.get(world).iter().enumerate().skip(from as usize);
        let mut partners = contacts.filter_map(|(index, contact)| match (contact.first, contact.second) {
            (first, second) if first == slot => Some((index as u32, second)),
            (first, second) if second == slot => Some((index as u32, first)),
            _ => None,
        });
        partners.next()
    }

    fn slot<'a>(&self, world: &'a World, slot: u16) -> Option<(Handle<Body>, &'a Body)> {
        let is_slot = u32::from(slot) < self.parts.bodies.capacity();
        if is_slot { self.parts.bodies.get_absolute(world, slot) } else { None }
    }
}
