//! Gather: bodies and contacts are copied out of the block into contiguous arrays.
//!
//! Laws
//! 1. Solver bodies are in slot order, old contacts in key order.
//! 2. Slots above the last body cost nothing: neither here nor in later phases.
//! 3. Invalid bodies and contacts (not finite, out of order) are not copied.

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use base::{Quat, Vec3};
use jobs::{NONE as NO_BODY, each_chunk, each_run_of};
use state::{Workers, World};

use super::{StepContext, Workspace};
use crate::aabb::Aabb;
use crate::body::{Body, flag};
use crate::contact::Contact;
use crate::limits::{BODIES_CHUNK, CONTACTS_CHUNK};
use crate::narrow_phase::PairBody;
use crate::parts::Parts;
use crate::pose::Pose;
use crate::proxy::Proxy;
use crate::shapes::Shapes;
use crate::solver_body::{SolverBody, SolverVelocity, swept_bounds};

/// The values that determine the proxy of a resting body.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct RestingProxyKey {
    position: Vec3,
    rotation: Quat,
    shape: u32,
    layers: u32,
    mask: u32,
    group: u32,
    flags: u32,
    slot: u16,
}

impl Workspace {
    /// Copies awake bodies, contacts and joints out of the block.
    pub fn gather(&mut self, context: &StepContext<'_>, world: &mut World) {
        let StepContext { parts, workers, .. } = *context;
        self.invalid.clear();
        if !self.count(world, parts, workers) {
            self.quarantine(world, parts);
            self.count(world, parts, workers);
        }
        self.gather_contacts(world, parts, workers);
        self.gather_bodies(context, world);
        self.articulations.gather(world, parts, &self.solver_indices, &mut self.solver_bodies);
    }

    /// Assigns solver indices, and counts simulated and resting bodies by chunks of slots. False if a body is invalid.
    fn count(&mut self, world: &World, parts: Parts, workers: &dyn Workers) -> bool {
        let (are_valid, is_any_asleep) = (AtomicBool::new(true), AtomicBool::new(false));
        // At least one, so that the contacts of a world whose last body is gone end in a chunk as well.
        let slots = parts.bodies.slots_end(world).max(1);
        self.solver_indices.resize(slots as usize, NO_BODY);
        self.chunks = self.solver_indices.len().div_ceil(BODIES_CHUNK);
        let chunk_counts = &self.chunk_counts;
        each_chunk(workers, &mut self.solver_indices, BODIES_CHUNK, |first, places| {
            for (chunk, places) in places.chunks_mut(BODIES_CHUNK).enumerate() {
                let chunk = first / BODIES_CHUNK + chunk;
                let mut counts = [0; 2];
                places.fill(NO_BODY);
                let start = chunk * BODIES_CHUNK;
                for (handle, body) in parts.bodies.iterate_slots(world, start as u32..(start + places.len()) as u32) {
                    let place = &mut places[usize::from(handle.slot()) - start];
                    if !body.is_valid() {
                        are_valid.store(false, Relaxed);
                    }
                    if body.is(flag::ASLEEP) {
                        is_any_asleep.store(true, Relaxed);
                    }
                    if body.is(flag::QUARANTINED) {
                        continue;
                    }
                    if is_simulated(body) {
                        *place = counts[0];
                    }
                    counts[usize::from(*place == NO_BODY)] += 1;
                }
                chunk_counts[chunk].iter().zip(counts).for_each(|(counter, count)| counter.store(count, Relaxed));
            }
        });
        self.is_any_asleep = is_any_asleep.into_inner();
        let mut sums = [0; 2];
        self.ends.clear();
        self.runs.clear();
        for (counter, places) in
            self.chunk_counts[..self.chunks].iter_mut().zip(self.solver_indices.chunks_mut(BODIES_CHUNK))
        {
            places.iter_mut().filter(|place| **place != NO_BODY).for_each(|place| *place += sums[0]);
            sums = [sums[0] + *counter[0].get_mut(), sums[1] + *counter[1].get_mut()];
            self.ends.push(sums);
            self.runs.push(sums[0]);
        }
        are_valid.into_inner()
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
                || !from.iter().all(Contact::is_valid)
                || !from.is_sorted_by(|one, other| one.key() < other.key())
            {
                is_good.store(false, Relaxed);
            }
        });
        // A loaded block may hold anything.
        if !is_good.into_inner() {
            self.old.retain(Contact::is_valid);
            self.old.sort_unstable_by_key(Contact::key);
            self.old.dedup_by_key(|contact| contact.key());
        }
    }

    /// Rebuilds the proxies of resting bodies from the first one that changed since the last step.
    fn gather_resting(&mut self, world: &World, parts: Parts, shapes: &Shapes) {
        let (mut resting, mut is_same) = (0, true);
        for (handle, body) in parts.bodies.iterate(world) {
            let slot = handle.slot();
            if body.is(flag::QUARANTINED) || self.solver_indices[usize::from(slot)] != NO_BODY {
                continue;
            }
            let now = RestingProxyKey::of(slot, body);
            is_same &= self.resting.get(resting) == Some(&now);
            if !is_same {
                self.resting.truncate(resting);
                self.resting.push(now);
                self.broad.resting.truncate(resting);
                let bounds = shapes
                    .get(body.shape)
                    .map_or(point_bounds(body), |shape| shape.aabb(&Pose::new(body.position, body.rotation)));
                self.broad.resting.push(Proxy::new(slot, body, bounds, false));
            }
            resting += 1;
        }
        self.resting.truncate(resting);
        self.broad.resting.truncate(resting);
    }

    /// Quarantines invalid bodies.
    fn quarantine(&mut self, world: &mut World, parts: Parts) {
        let invalid = parts.bodies.iterate(world).filter(|(_, body)| !body.is_valid());
        self.invalid.extend(invalid.map(|(handle, _)| handle.slot()));
        for slot in &self.invalid {
            if let Some((handle, _)) = parts.bodies.at_slot(world, *slot) {
                parts.bodies.get_mut(world, handle).quarantine();
            }
        }
    }

    /// Fills solver bodies, velocities, pair bodies and proxies, in parallel by chunks of slots.
    fn gather_bodies(&mut self, context: &StepContext<'_>, world: &World) {
        let StepContext { parts, shapes, settings, workers } = *context;
        // A loaded block may hold anything.
        self.force_fields.clear();
        self.force_fields.extend(parts.force_fields.get(world).iter().map(|pull| pull.sanitized()));
        let [solver_bodies, resting] = self.ends.last().copied().unwrap_or([0; 2]).map(|count| count as usize);
        self.solver_bodies.resize(solver_bodies, SolverBody::NO_BODY);
        self.velocities.resize(solver_bodies, SolverVelocity::default());
        self.pair_bodies.resize(solver_bodies, PairBody::NO_BODY);
        self.broad.moving.resize(solver_bodies, Proxy::NONE);
        let (solver_indices, force_fields, ends, known) =
            (&self.solver_indices, &self.force_fields, &self.ends, &self.resting);
        let are_same = AtomicBool::new(resting == known.len());
        let moving = (&mut self.solver_bodies[..], &mut self.velocities[..]);
        let others = (&mut self.broad.moving[..], &mut self.pair_bodies[..]);
        each_run_of(
            workers,
            (moving, others),
            &self.runs,
            |chunk, ((solver_bodies, velocities), (proxies, pair_bodies))| {
                let (mut next, mut resting) = (0, if chunk == 0 { 0 } else { ends[chunk - 1][1] as usize });
                let first = chunk * BODIES_CHUNK;
                let slots = first as u32..solver_indices.len().min(first + BODIES_CHUNK) as u32;
                for (handle, body) in parts.bodies.iterate_slots(world, slots) {
                    let (slot, place) = (handle.slot(), &solver_indices[usize::from(handle.slot())]);
                    if *place != NO_BODY {
                        let solver_body = SolverBody::new(slot, body, settings, force_fields);
                        let shape = shapes.get(body.shape);
                        let bounds =
                            shape.map_or(point_bounds(body), |shape| swept_bounds(shape, body, &solver_body, settings));
                        proxies[next] = Proxy::new(slot, body, bounds, true);
                        proxies[next].displacement = body.velocity * settings.seconds;
                        pair_bodies[next] = PairBody::of_solver_body(*place, body, &solver_body);
                        (solver_bodies[next], velocities[next]) = (solver_body, SolverVelocity::new(body));
                        next += 1;
                    } else if !body.is(flag::QUARANTINED) {
                        if known.get(resting) != Some(&RestingProxyKey::of(slot, body)) {
                            are_same.store(false, Relaxed);
                        }
                        resting += 1;
                    }
                }
            },
        );
        if !are_same.into_inner() {
            self.gather_resting(world, parts, shapes);
        }
    }
}

impl RestingProxyKey {
    fn of(slot: u16, body: &Body) -> RestingProxyKey {
        RestingProxyKey {
            position: body.position,
            rotation: body.rotation,
            shape: body.shape,
            layers: body.layers,
            mask: body.mask,
            group: body.group,
            flags: body.flags & !flag::ASLEEP,
            slot,
        }
    }
}

/// Whether a body is simulated in this step: not static, and awake or pushed while asleep.
fn is_simulated(body: &Body) -> bool {
    let is_pushed =
        [body.velocity, body.angular_velocity, body.force, body.torque].iter().any(|vector| *vector != Vec3::ZERO);
    !body.is(flag::STATIC) && (!body.is(flag::ASLEEP) || is_pushed)
}

/// The AABB of a body without a shape.
fn point_bounds(body: &Body) -> Aabb {
    Aabb { min: body.position, max: body.position }
}
