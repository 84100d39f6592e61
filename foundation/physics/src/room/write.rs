//! Writing: what came of the step goes into the block.

use alloc::vec::Vec;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use base::Handle;
use state::share::NOBODY;
use state::{Workers, World};

use super::Room;
use super::wake::rouse;
use crate::body::{Body, flag};
use crate::contact::{Touch, TouchKind};
use crate::fast::Kick;
use crate::parts::Parts;
use crate::settings::Settings;

impl Room {
    /// Writes bodies, contacts and what happened into the block.
    pub fn write(&mut self, world: &mut World, parts: Parts, settings: &Settings, workers: &dyn Workers) {
        self.touches.clear();
        self.woken.fill(0);
        self.touches_refused = 0;
        self.write_bodies(world, parts, settings, workers);
        self.write_kicks(world, parts);
        self.merge(world, parts, workers);
        self.tell_passing();
        self.write_joints(world, parts, settings, workers);
        self.write_contacts(world, parts, workers);
        self.wake(world, parts);
        self.write_touches(world, parts);
    }

    pub(super) fn tell(&mut self, touch: Touch) {
        tell(&mut self.touches, &mut self.touches_refused, touch);
    }

    fn write_bodies(&mut self, world: &mut World, parts: Parts, settings: &Settings, workers: &dyn Workers) {
        let (places, movers, motions) = (&self.places, &self.movers, &self.motions);
        let (sleepers, is_any_unsound) = (&self.sleepers, AtomicBool::new(false));
        let place = |handle: Handle<Body>| places[usize::from(handle.slot())];
        parts.bodies.edit_each(
            world,
            workers,
            |handle| place(handle) != NOBODY,
            |handle, body| {
                let index = place(handle) as usize;
                body.follow(&movers[index], &motions[index], settings.speed_max);
                body.rest_seconds = movers[index].rest;
                if body.is(flag::QUARANTINED) {
                    is_any_unsound.store(true, Relaxed);
                }
                if sleepers[index] && !body.is(flag::RESTLESS) {
                    body.fall_asleep();
                }
            },
        );
        if !is_any_unsound.into_inner() {
            return;
        }
        let quarantined = movers.iter().filter(|mover| {
            parts.bodies.get_absolute(world, mover.slot).is_some_and(|(_, body)| body.is(flag::QUARANTINED))
        });
        self.unsound.extend(quarantined.map(|mover| mover.slot));
    }

    /// Those that were hit in their sleep wake, and move from the next step on.
    fn write_kicks(&mut self, world: &mut World, parts: Parts) {
        for index in 0..self.fast.kicks.len() {
            let Kick { slot, velocity, spin } = self.fast.kicks[index];
            if let Some((handle, _)) = parts.bodies.get_absolute(world, slot) {
                let mut body = parts.bodies.edit(world, handle);
                (body.velocity, body.spin) = (body.velocity + velocity, body.spin + spin);
                if !body.is_sound() {
                    body.quarantine();
                }
                body.wake();
            }
            self.rouse(slot);
        }
        for index in 0..self.fast.strikes.len() {
            self.tell(self.fast.strikes[index]);
        }
        if !self.fast.strikes.is_empty() {
            parts.counts.edit(world).impacts += self.fast.strikes.len() as u64;
        }
    }

    /// Who passed a trigger within the step. It comes after what was told of where bodies were as the step began: whoever passes one
    /// that it has just left leaves it first.
    fn tell_passing(&mut self) {
        let (touches, refused) = (&mut self.touches, &mut self.touches_refused);
        *refused += self.fast.passing.refused * 2;
        self.fast.passing.touches().flatten().for_each(|touch| tell(touches, refused, touch));
    }

    /// Writes the joints, and notes who is to wake because of them.
    fn write_joints(&mut self, world: &mut World, parts: Parts, settings: &Settings, workers: &dyn Workers) {
        let (woken, touches, refused) = (&mut self.woken, &mut self.touches, &mut self.touches_refused);
        self.joints.write(world, parts, settings, workers, |touch| {
            for body in [touch.first, touch.second] {
                rouse(woken, body.slot());
            }
            tell(touches, refused, touch);
        });
        let is_awake = |slot: u16| match self.places.get(usize::from(slot)) {
            Some(place) => *place != NOBODY && !self.sleepers[*place as usize],
            None => false,
        };
        let is_still = |slot: u16| self.places.get(usize::from(slot)) == Some(&NOBODY);
        for [first, second] in self.joints.pairs() {
            for (one, other) in [(*first, *second), (*second, *first)] {
                if is_still(one) && is_awake(other) {
                    rouse(&mut self.woken, one);
                }
            }
        }
    }

    fn write_touches(&mut self, world: &mut World, parts: Parts) {
        for index in 0..self.unsound.len() {
            if let Some((handle, _)) = parts.bodies.get_absolute(world, self.unsound[index]) {
                self.tell(Touch::of(handle, Handle::NONE, TouchKind::Quarantined));
            }
        }
        let touches = &self.touches;
        if !touches.is_empty() || parts.touches.count(world) > 0 {
            parts.touches.rewrite(world, &state::Alone, touches.len() as u32, |index| touches[index as usize]);
        }
        let refused = self.touches_refused;
        let is_something =
            refused > 0 || !self.unsound.is_empty() || !self.are_pairs_complete || self.contacts_refused > 0;
        if is_something {
            let mut counts = parts.counts.edit(world);
            counts.touches_refused += refused;
            counts.quarantined += self.unsound.len() as u64;
            counts.pairs_refused += u64::from(!self.are_pairs_complete);
            counts.contacts_refused += u64::from(self.contacts_refused);
        }
    }
}

/// Tells, if there is room. What ran away is told as nothing.
fn tell(touches: &mut Vec<Touch>, refused: &mut u64, touch: Touch) {
    if touches.len() < touches.capacity() {
        let finite = |number: f32| if number.is_finite() { number } else { 0.0 };
        touches.push(Touch { speed: finite(touch.speed), impulse: finite(touch.impulse), ..touch });
    } else {
        *refused += 1;
    }
}
