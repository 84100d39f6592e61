//! Gathering: what the block holds of bodies and contacts is put side by side.
//!
//! Laws
//! 1. Movers lie in the order of their slots, old contacts in the order of their keys.
//! 2. Whatever of the block is not sound does not come in.

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use base::{Quat, Vec3};
use state::share::{NOBODY, each_chunk, each_run_of};
use state::{Workers, World};

use super::Room;
use crate::body::{Body, flag};
use crate::contact::Contact;
use crate::limits::{BODIES_CHUNK, CONTACTS_CHUNK};
use crate::mover::{Motion, Mover, swept_bounds};
use crate::parts::Parts;
use crate::pose::Pose;
use crate::proxy::Proxy;
use crate::settings::Settings;
use crate::shape::Bounds;
use crate::shapes::Shapes;
use crate::touching::Side;

/// What the box of a body that rests follows from.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Resting {
    position: Vec3,
    orientation: Quat,
    shape: u32,
    layers: u32,
    meets: u32,
    group: u32,
    flags: u32,
    slot: u16,
}

impl Room {
    /// Puts the bodies that move side by side.
    pub fn gather(
        &mut self,
        world: &mut World,
        parts: Parts,
        shapes: &Shapes,
        settings: &Settings,
        workers: &dyn Workers,
    ) {
        self.unsound.clear();
        if !self.count(world, parts, workers) {
            self.quarantine(world, parts);
            self.count(world, parts, workers);
        }
        self.gather_contacts(world, parts, workers);
        self.gather_movers(world, parts, shapes, settings, workers);
        self.joints.gather(world, parts, &self.places, &mut self.movers);
    }

    /// Finds who moves, and counts them and those that rest by chunks of slots. False if some body is not sound.
    fn count(&mut self, world: &World, parts: Parts, workers: &dyn Workers) -> bool {
        let (are_sound, is_any_asleep) = (AtomicBool::new(true), AtomicBool::new(false));
        let tallies = &self.tallies;
        each_chunk(workers, &mut self.places, BODIES_CHUNK, |first, places| {
            for (chunk, places) in places.chunks_mut(BODIES_CHUNK).enumerate() {
                let chunk = first / BODIES_CHUNK + chunk;
                let mut counts = [0; 2];
                for (index, place) in places.iter_mut().enumerate() {
                    *place = NOBODY;
                    let slot = chunk * BODIES_CHUNK + index;
                    let Some((_, body)) = parts.bodies.get_absolute(world, slot as u16) else { continue };
                    if !body.is_sound() {
                        are_sound.store(false, Relaxed);
                    }
                    if body.is(flag::ASLEEP) {
                        is_any_asleep.store(true, Relaxed);
                    }
                    if body.is(flag::QUARANTINED) {
                        continue;
                    }
                    if is_mover(body) {
                        *place = counts[0];
                    }
                    counts[usize::from(*place == NOBODY)] += 1;
                }
                tallies[chunk].iter().zip(counts).for_each(|(tally, count)| tally.store(count, Relaxed));
            }
        });
        self.is_any_asleep = is_any_asleep.into_inner();
        let mut sums = [0; 2];
        self.ends.clear();
        self.runs.clear();
        for (tally, places) in self.tallies.iter_mut().zip(self.places.chunks_mut(BODIES_CHUNK)) {
            places.iter_mut().filter(|place| **place != NOBODY).for_each(|place| *place += sums[0]);
            sums = [sums[0] + *tally[0].get_mut(), sums[1] + *tally[1].get_mut()];
            self.ends.push(sums);
            self.runs.push(sums[0]);
        }
        are_sound.into_inner()
    }

    /// Copies the contacts of the last step.
    fn gather_contacts(&mut self, world: &World, parts: Parts, workers: &dyn Workers) {
        let contacts = parts.contacts.get(world);
        let is_good = AtomicBool::new(true);
        self.old.resize(contacts.len(), Contact::default());
        each_chunk(workers, &mut self.old, CONTACTS_CHUNK, |first, old| {
            let from = &contacts[first..first + old.len()];
            old.copy_from_slice(from);
            let is_first = first == 0 || contacts[first - 1].key() < from[0].key();
            if !is_first
                || !from.iter().all(Contact::is_sound)
                || !from.is_sorted_by(|one, other| one.key() < other.key())
            {
                is_good.store(false, Relaxed);
            }
        });
        // A table from outside need not be in order.
        if !is_good.into_inner() {
            self.old.retain(Contact::is_sound);
            self.old.sort_unstable_by_key(Contact::key);
            self.old.dedup_by_key(|contact| contact.key());
        }
    }

    /// Gathers those that rest, as far as they are not the same as in the last step.
    fn gather_resting(&mut self, world: &World, parts: Parts, shapes: &Shapes) {
        let (mut resting, mut is_same) = (0, true);
        for (handle, body) in parts.bodies.iterate(world) {
            let slot = handle.slot();
            if body.is(flag::QUARANTINED) || self.places[usize::from(slot)] != NOBODY {
                continue;
            }
            let now = Resting::of(slot, body);
            is_same &= self.resting.get(resting) == Some(&now);
            if !is_same {
                self.resting.truncate(resting);
                self.resting.push(now);
                self.broad.resting.truncate(resting);
                let bounds = shapes
                    .get(body.shape)
                    .map_or(nowhere(body), |shape| shape.bounds(&Pose::new(body.position, body.orientation)));
                self.broad.resting.push(Proxy::new(slot, body, bounds, false));
            }
            resting += 1;
        }
        self.resting.truncate(resting);
        self.broad.resting.truncate(resting);
    }

    /// Takes those out of the world of which something is not finite, and wakes those that were pushed in their sleep.
    fn quarantine(&mut self, world: &mut World, parts: Parts) {
        let unsound = parts.bodies.iterate(world).filter(|(_, body)| !body.is_sound());
        self.unsound.extend(unsound.map(|(handle, _)| handle.slot()));
        for slot in &self.unsound {
            if let Some((handle, _)) = parts.bodies.get_absolute(world, *slot) {
                parts.bodies.edit(world, handle).quarantine();
            }
        }
    }

    fn gather_movers(
        &mut self,
        world: &World,
        parts: Parts,
        shapes: &Shapes,
        settings: &Settings,
        workers: &dyn Workers,
    ) {
        // A block from outside may hold any.
        self.pulls.clear();
        self.pulls.extend(parts.pulls.get(world).iter().map(|pull| pull.sound()));
        let [movers, resting] = self.ends.last().copied().unwrap_or([0; 2]).map(|count| count as usize);
        self.movers.resize(movers, Mover::NOBODY);
        self.motions.resize(movers, Motion::default());
        self.sides.resize(movers, Side::NOBODY);
        self.broad.movers.resize(movers, Proxy::NOBODY);
        let (places, pulls, ends, known) = (&self.places, &self.pulls, &self.ends, &self.resting);
        let are_same = AtomicBool::new(resting == known.len());
        let moving = (&mut self.movers[..], &mut self.motions[..]);
        let others = (&mut self.broad.movers[..], &mut self.sides[..]);
        each_run_of(workers, (moving, others), &self.runs, |chunk, ((movers, motions), (proxies, sides))| {
            let (mut next, mut resting) = (0, if chunk == 0 { 0 } else { ends[chunk - 1][1] as usize });
            let first = chunk * BODIES_CHUNK;
            for (slot, place) in places.iter().enumerate().skip(first).take(BODIES_CHUNK) {
                let Some((_, body)) = parts.bodies.get_absolute(world, slot as u16) else { continue };
                if *place != NOBODY {
                    let mover = Mover::new(slot as u16, body, settings, pulls);
                    let shape = shapes.get(body.shape);
                    let bounds = shape.map_or(nowhere(body), |shape| swept_bounds(shape, body, &mover, settings));
                    proxies[next] = Proxy::new(slot as u16, body, bounds, true);
                    proxies[next].way = body.velocity * settings.seconds;
                    sides[next] = Side::of_mover(*place, body, &mover);
                    (movers[next], motions[next]) = (mover, Motion::new(body));
                    next += 1;
                } else if !body.is(flag::QUARANTINED) {
                    if known.get(resting) != Some(&Resting::of(slot as u16, body)) {
                        are_same.store(false, Relaxed);
                    }
                    resting += 1;
                }
            }
        });
        if !are_same.into_inner() {
            self.gather_resting(world, parts, shapes);
        }
    }
}

impl Resting {
    fn of(slot: u16, body: &Body) -> Resting {
        Resting {
            position: body.position,
            orientation: body.orientation,
            shape: body.shape,
            layers: body.layers,
            meets: body.meets,
            group: body.group,
            flags: body.flags & !flag::ASLEEP,
            slot,
        }
    }
}

/// Whether a body takes part in this step as one that moves. Whoever is pushed in its sleep wakes.
fn is_mover(body: &Body) -> bool {
    let is_pushed = [body.velocity, body.spin, body.force, body.torque].iter().any(|vector| *vector != Vec3::ZERO);
    !body.is(flag::FIXED) && (!body.is(flag::ASLEEP) || is_pushed)
}

/// The box of what has no shape.
fn nowhere(body: &Body) -> Bounds {
    Bounds { least: body.position, most: body.position }
}
