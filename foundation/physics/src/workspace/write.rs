//! Write back: the results of the step go into the block.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use base::Handle;
use jobs::NONE as NO_BODY;
use state::World;

use super::wake::mark_woken;
use super::{StepContext, Workspace};
use crate::body::{Body, flag};
use crate::ccd::SleeperVelocity;
use crate::contact::{ContactEvent, ContactEventKind};
use crate::parts::Parts;

impl Workspace {
    /// Writes bodies and impacts into the block.
    pub fn write_bodies(&mut self, context: &StepContext<'_>, world: &mut World) {
        self.events.clear();
        self.woken.fill(0);
        self.events_refused = 0;
        self.write_simulated(context, world);
        self.write_sleeper_velocities(world, context.parts);
    }

    /// Writes joints, contacts and events into the block, and wakes islands.
    pub fn write_contacts(&mut self, context: &StepContext<'_>, world: &mut World) {
        self.push_trigger_passes();
        self.write_joints(context, world);
        self.write_merged_contacts(context, world);
        self.wake(world, context.parts);
        self.write_events(world, context.parts);
    }

    pub(super) fn push_event(&mut self, event: ContactEvent) {
        push_event(&mut self.events, &mut self.events_refused, event);
    }

    fn write_simulated(&mut self, context: &StepContext<'_>, world: &mut World) {
        let StepContext { parts, settings, workers, .. } = *context;
        let (places, solver_bodies, velocities) = (&self.solver_indices, &self.solver_bodies, &self.velocities);
        let (sleepers, is_any_invalid) = (&self.sleepers, AtomicBool::new(false));
        let place = |handle: Handle<Body>| places[usize::from(handle.slot())];
        parts.bodies.edit_each(
            world,
            workers,
            |handle| place(handle) != NO_BODY,
            |handle, body| {
                let index = place(handle) as usize;
                body.write_back(&solver_bodies[index], &velocities[index], settings.speed_max);
                body.rest_seconds = solver_bodies[index].rest_seconds;
                if body.is(flag::QUARANTINED) {
                    is_any_invalid.store(true, Relaxed);
                }
                if sleepers[index] && !body.is(flag::NEVER_SLEEPS) {
                    body.fall_asleep();
                }
            },
        );
        if !is_any_invalid.into_inner() {
            return;
        }
        let quarantined = solver_bodies.iter().filter(|solver_body| {
            parts.bodies.at_slot(world, solver_body.slot).is_some_and(|(_, body)| body.is(flag::QUARANTINED))
        });
        self.invalid.extend(quarantined.map(|solver_body| solver_body.slot));
    }

    /// Sleeping bodies that were hit wake, and move from the next step on.
    fn write_sleeper_velocities(&mut self, world: &mut World, parts: Parts) {
        for index in 0..self.ccd.sleeper_velocities.len() {
            let SleeperVelocity { slot, velocity, angular_velocity } = self.ccd.sleeper_velocities[index];
            if let Some((handle, _)) = parts.bodies.at_slot(world, slot) {
                let mut body = parts.bodies.get_mut(world, handle);
                (body.velocity, body.angular_velocity) =
                    (body.velocity + velocity, body.angular_velocity + angular_velocity);
                if !body.is_valid() {
                    body.quarantine();
                }
                body.wake();
            }
            self.mark_woken(slot);
        }
        for index in 0..self.ccd.impacts.len() {
            self.push_event(self.ccd.impacts[index]);
        }
        if !self.ccd.impacts.is_empty() {
            parts.counts.get_mut(world).impacts += self.ccd.impacts.len() as u64;
        }
    }

    /// Events of bodies that entered and left a trigger within the step. They follow the events of the merge, so that a body leaves
    /// a trigger before it passes it again.
    fn push_trigger_passes(&mut self) {
        let (events, refused) = (&mut self.events, &mut self.events_refused);
        *refused += self.ccd.trigger_passes.refused * 2;
        self.ccd.trigger_passes.events().flatten().for_each(|event| push_event(events, refused, event));
    }

    /// Writes the joints, and marks bodies that wake because of them.
    fn write_joints(&mut self, context: &StepContext<'_>, world: &mut World) {
        let StepContext { parts, settings, workers, .. } = *context;
        let (woken, events, refused) = (&mut self.woken, &mut self.events, &mut self.events_refused);
        self.articulations.write(world, parts, settings, workers, |event| {
            for body in [event.first, event.second] {
                mark_woken(woken, body.slot());
            }
            push_event(events, refused, event);
        });
        let is_awake = |slot: u16| match self.solver_indices.get(usize::from(slot)) {
            Some(place) => *place != NO_BODY && !self.sleepers[*place as usize],
            None => false,
        };
        let is_still = |slot: u16| self.solver_indices.get(usize::from(slot)) == Some(&NO_BODY);
        for [first, second] in self.articulations.pairs() {
            for (one, other) in [(*first, *second), (*second, *first)] {
                if is_still(one) && is_awake(other) {
                    mark_woken(&mut self.woken, one);
                }
            }
        }
    }

    fn write_events(&mut self, world: &mut World, parts: Parts) {
        for index in 0..self.invalid.len() {
            if let Some((handle, _)) = parts.bodies.at_slot(world, self.invalid[index]) {
                self.push_event(ContactEvent::of(handle, Handle::NONE, ContactEventKind::Quarantined));
            }
        }
        let events = &self.events;
        if !events.is_empty() || parts.events.count(world) > 0 {
            parts.events.rewrite(world, &state::Alone, events.len() as u32, |index| events[index as usize]);
        }
        let refused = self.events_refused;
        let is_something =
            refused > 0 || !self.invalid.is_empty() || !self.are_pairs_complete || self.contacts_refused > 0;
        if is_something {
            let mut counts = parts.counts.get_mut(world);
            counts.events_refused += refused;
            counts.quarantined += self.invalid.len() as u64;
            counts.pairs_refused += u64::from(!self.are_pairs_complete);
            counts.contacts_refused += u64::from(self.contacts_refused);
        }
    }
}

/// Appends an event if the capacity allows. Numbers that are not finite become zero.
fn push_event(events: &mut Vec<ContactEvent>, refused: &mut u64, event: ContactEvent) {
    if events.len() < events.capacity() {
        let finite = |number: f32| if number.is_finite() { number } else { 0.0 };
        events.push(ContactEvent { speed: finite(event.speed), impulse: finite(event.impulse), ..event });
    } else {
        *refused += 1;
    }
}
