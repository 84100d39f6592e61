//! The step, on one page.
//!
//! | | what happens | where |
//! |---|---|---|
//! | gather | awake bodies become solver bodies; a body with a number that is not finite is quarantined | [`workspace`](crate::workspace) |
//! | broad phase | pairs whose AABBs overlap, looked up in the pair cache | [`broad`](crate::broad), [`pair_cache`](crate::pair_cache) |
//! | wake | sleeping bodies that are about to be hit wake with their islands, and the step begins anew | [`workspace`](crate::workspace) |
//! | narrow phase | contact manifolds of each pair, with the accumulated impulses of the last step; a short summary of each contact | [`narrow_phase`](crate::narrow_phase), [`contact_summary`](crate::contact_summary) |
//! | solve | velocities and positions that satisfy contacts and joints, in sub-steps; if a sleeping body received an impulse, its island wakes and the step begins anew | [`solve`](crate::solve) |
//! | continuous collision | fast bodies stop where they first hit something; joints cannot drag a body into a static one | [`ccd`](crate::ccd) |
//! | sleep | islands at rest fall asleep | [`workspace`](crate::workspace), [`islands`](crate::islands) |
//! | write back | bodies, contacts, joints and events go into the block; islands that were touched wake | [`workspace`](crate::workspace) |
//!
//! Law: the block is the only state of a step that can change a later result.

use base::Handle;
use jobs::PerWorker;
use state::{Alone, Layout, Workers, World};

use crate::body::{Body, flag};
use crate::contact::{Contact, TOUCHING};
use crate::force_field::{ForceField, external_acceleration_of, has_changed};
use crate::joint::Joint;
use crate::joint::definition::JointDefinition;
use crate::limits::{FORCE_FIELDS_MAX, WAKE_ROUNDS_MAX};
use crate::parts::{Capacities, Parts};
use crate::profile::StepPhase;
use crate::settings::Settings;
use crate::shapes::Shapes;
use crate::workspace::{StepContext, Workspace};

/// The physics of a world: the keys to its regions of the block, and the workspace of a step.
pub struct Physics {
    /// The keys to bodies, contacts, joints and events in the block.
    pub parts: Parts,
    workspace: PerWorker<Workspace>,
}

impl Physics {
    /// Reserves the regions in a layout, in which the caller has begun a system.
    pub fn new(layout: &mut Layout, capacities: Capacities) -> Physics {
        let parts = Parts::new(layout, capacities);
        Physics { parts, workspace: PerWorker::new(1, || Workspace::new(capacities)) }
    }

    /// Advances the world by one step.
    pub fn step(&self, world: &mut World, shapes: &Shapes, settings: &Settings, workers: &dyn Workers) {
        self.step_in_laps(world, shapes, settings, workers, &mut |_| {});
    }

    /// The same; `lap` is called at the end of each phase, so that the caller can time it: see [`Profile`](crate::Profile).
    pub fn step_in_laps(
        &self,
        world: &mut World,
        shapes: &Shapes,
        settings: &Settings,
        workers: &dyn Workers,
        lap: &mut dyn FnMut(StepPhase),
    ) {
        let context = StepContext { parts: self.parts, shapes, settings: &settings.sanitized(), workers };
        self.workspace.with(0, |workspace| {
            for round in 0..=WAKE_ROUNDS_MAX {
                let is_last = round == WAKE_ROUNDS_MAX;
                let wakes_last = round + 1 == WAKE_ROUNDS_MAX;
                workspace.gather(&context, world);
                lap(StepPhase::Gather);
                workspace.find_pairs(&context);
                let is_hit = !is_last && workspace.wake_hit(&context, world, wakes_last);
                lap(StepPhase::BroadPhase);
                if is_hit {
                    continue;
                }
                workspace.find_contacts(&context, world);
                lap(StepPhase::NarrowPhase);
                workspace.prepare(&context);
                lap(StepPhase::Prepare);
                workspace.solve(&context);
                lap(StepPhase::Solve);
                if is_last || !workspace.wake_pushed(&context, world, wakes_last) {
                    break;
                }
            }
            workspace.solve_ccd(&context, world);
            lap(StepPhase::Ccd);
            workspace.sleep(&context);
            lap(StepPhase::Sleep);
            workspace.write_bodies(&context, world);
            lap(StepPhase::WriteBack);
            workspace.merge_contacts(&context, world);
            lap(StepPhase::MergeContacts);
            workspace.write_contacts(&context, world);
            lap(StepPhase::WriteBack);
        });
    }

    /// Adds a body. `None` if the capacity is reached: that is counted.
    pub fn add(&self, world: &mut World, body: Body) -> Option<Handle<Body>> {
        let (handle, mut place) = self.parts.bodies.create(world)?;
        *place = body;
        Some(handle)
    }

    /// Removes a body, if it still exists. Bodies in contact with it wake. No events are reported: a caller that needs them reads
    /// [`Physics::touching`] before.
    pub fn remove(&self, world: &mut World, handle: Handle<Body>) {
        if self.parts.bodies.find_raw(world, handle.raw()).is_some() {
            // The next body in this slot must not inherit these contacts.
            self.wake_partners(world, handle, 0);
            self.parts.bodies.delete(world, handle);
        }
    }

    /// The next body that touched this one in the last step, searching contacts from index `from`; with the index to continue from.
    pub fn touching(&self, world: &World, handle: Handle<Body>, from: u32) -> Option<(Handle<Body>, u32)> {
        let contacts = self.parts.contacts.get(world);
        let mut from = from;
        while let Some((index, other)) = self.next_partner(world, handle.slot(), from) {
            from = index + 1;
            let pair = contacts[index as usize].pair();
            // Contacts of one pair are adjacent; the pair is reported once.
            let is_reported = |contact: &Contact| contact.pair() == pair && contact.is_touching();
            let before = contacts[..index as usize].iter().rev().take_while(|contact| contact.pair() == pair);
            let is_first = contacts[index as usize].is_touching() && !before.into_iter().any(is_reported);
            if let Some((other, _)) = self.slot(world, other).filter(|_| is_first) {
                return Some((other, from));
            }
        }
        None
    }

    /// Joins two bodies in their current poses and wakes them. `None` if the capacity is reached, a body is gone or the
    /// definition is invalid: that is counted.
    pub fn add_joint(&self, world: &mut World, definition: &JointDefinition) -> Option<Handle<Joint>> {
        let body = |handle: Handle<Body>| self.parts.bodies.find_raw(world, handle.raw()).map(|(_, body)| body);
        let [first, second] = definition.ends();
        let joint = definition.resolve(body(first), body(second));
        let is_there = |handle: Handle<Body>| handle.is_none() || body(handle).is_some();
        if !joint.is_valid() || !is_there(first) || !is_there(second) {
            self.parts.counts.get_mut(world).joints_dropped += 1;
            return None;
        }
        let made = self.parts.create_joint(world, &joint);
        match made {
            Some(_) => [first, second].iter().for_each(|end| self.wake(world, *end)),
            None => self.parts.counts.get_mut(world).joints_refused += 1,
        }
        made
    }

    /// Changes a joint, if it still exists, and wakes its bodies.
    pub fn edit_joint(&self, world: &mut World, handle: Handle<Joint>, change: impl FnOnce(&mut Joint)) {
        let Some((handle, joint)) = self.parts.joints.find_raw(world, handle.raw()) else { return };
        let (before, ends) = (*joint, [joint.first, joint.second]);
        let mut next = before;
        change(&mut next);
        if next != before {
            *self.parts.joints.get_mut(world, handle) = next;
            if [next.first, next.second] != ends {
                self.parts.note_ends(world, handle, [next.first, next.second]);
            }
            ends.iter().for_each(|end| self.wake(world, *end));
        }
    }

    /// Removes a joint, if it still exists, and wakes its bodies.
    pub fn remove_joint(&self, world: &mut World, handle: Handle<Joint>) {
        let Some((handle, joint)) = self.parts.joints.find_raw(world, handle.raw()) else { return };
        let ends = [joint.first, joint.second];
        self.parts.delete_joint(world, handle);
        ends.iter().for_each(|end| self.wake(world, *end));
    }

    /// Sets the force fields from the next step on; those beyond [`FORCE_FIELDS_MAX`] are ignored. Sleeping bodies whose external
    /// acceleration changes wake. Unchanged fields cost one comparison.
    pub fn set_force_fields(&self, world: &mut World, settings: &Settings, force_fields: &[ForceField]) {
        let count = force_fields.len().min(FORCE_FIELDS_MAX);
        let is_same = |(old, new): (&ForceField, &ForceField)| *old == new.sanitized();
        let old = self.parts.force_fields.get(world);
        if old.len() == count && old.iter().zip(force_fields).all(is_same) {
            return;
        }
        self.parts.force_fields.rewrite(world, &Alone, count as u32, |index| force_fields[index as usize].sanitized());
        let settings = settings.sanitized();
        for slot in 0..self.parts.bodies.slots_end(world) {
            let Some((handle, body)) = self.parts.bodies.at_slot(world, slot as u16) else { continue };
            let is_asleep = body.is(flag::ASLEEP) && !body.is(flag::QUARANTINED);
            if is_asleep {
                let external = external_acceleration_of(body, &settings, self.parts.force_fields.get(world));
                if has_changed(body.external_acceleration, external.acceleration) {
                    self.parts.bodies.get_mut(world, handle).wake();
                }
            }
        }
    }

    fn wake(&self, world: &mut World, handle: Handle<Body>) {
        if let Some((handle, _)) = self.parts.bodies.find_raw(world, handle.raw()) {
            self.parts.bodies.get_mut(world, handle).wake();
        }
    }

    /// Wakes a body and the bodies in contact with it: to be called when something other than the step changed it. Its contacts
    /// keep their touching flag and lose their points, so they are not warm started.
    pub fn wake_around(&self, world: &mut World, handle: Handle<Body>) {
        self.wake_partners(world, handle, TOUCHING);
    }

    /// Wakes a body and its contact partners, and masks the states of its contacts.
    fn wake_partners(&self, world: &mut World, handle: Handle<Body>, state_mask: u32) {
        let slot = handle.slot();
        let mut from = 0;
        while let Some((index, other)) = self.next_partner(world, slot, from) {
            if let Some((other, _)) = self.slot(world, other) {
                self.parts.bodies.get_mut(world, other).wake();
            }
            if let Some(mut contact) = self.parts.contacts.get_mut(world, index) {
                contact.state &= state_mask;
            }
            from = index + 1;
        }
        if self.parts.bodies.find_raw(world, handle.raw()).is_some() {
            self.parts.bodies.get_mut(world, handle).wake();
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
        if is_slot { self.parts.bodies.at_slot(world, slot) } else { None }
    }
}
