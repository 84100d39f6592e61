//! Gathering: what the block holds of bodies and contacts is put side by side.
//!
//! Laws
//! 1. Movers lie in the order of their slots, old contacts in the order of their keys.
//! 2. Whatever of the block is not sound does not come in.

use base::{Quat, Vec3};
use state::share::{NOBODY, each_chunk_of_two};
use state::{Workers, World};

use super::Room;
use crate::body::{Body, flag};
use crate::contact::Contact;
use crate::limits::BODIES_CHUNK;
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
        self.quarantine(world, parts);
        self.old.clear();
        self.old.extend_from_slice(parts.contacts.get(world));
        self.old.retain(Contact::is_sound);
        // A table from outside need not be in order.
        if !self.old.is_sorted_by(|one, other| one.key() < other.key()) {
            self.old.sort_unstable_by_key(Contact::key);
            self.old.dedup_by_key(|contact| contact.key());
        }
        self.places.fill(NOBODY);
        self.movers.clear();
        self.broad.movers.clear();
        let (mut resting, mut is_same) = (0, true);
        for (handle, body) in parts.bodies.iterate(world) {
            let slot = handle.slot();
            if body.is(flag::QUARANTINED) {
                continue;
            }
            if is_mover(body) {
                self.places[usize::from(slot)] = self.movers.len() as u32;
                self.movers.push(Mover { slot, ..Mover::NOBODY });
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
        self.gather_movers(world, parts, shapes, settings, workers);
        self.joints.gather(world, parts, &self.places, &mut self.movers);
    }

    /// Takes those out of the world of which something is not finite, and wakes those that were pushed in their sleep.
    fn quarantine(&mut self, world: &mut World, parts: Parts) {
        self.unsound.clear();
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
        let count = self.movers.len();
        // A block from outside may hold any.
        self.pulls.clear();
        self.pulls.extend(parts.pulls.get(world).iter().map(|pull| pull.sound()));
        let pulls = &self.pulls;
        self.motions.clear();
        self.motions.resize(count, Motion::default());
        self.sides.clear();
        self.sides.resize(count, Side::NOBODY);
        let body_of = |slot: u16| parts.bodies.get_absolute(world, slot).expect("it was living a moment ago").1;
        each_chunk_of_two(workers, (&mut self.movers, &mut self.motions), BODIES_CHUNK, |_, movers, motions| {
            for (mover, motion) in movers.iter_mut().zip(motions) {
                let body = body_of(mover.slot);
                *mover = Mover::new(mover.slot, body, settings, pulls);
                *motion = Motion::new(body);
            }
        });
        let (movers, proxies) = (&self.movers, &mut self.broad.movers);
        let nobody = Bounds { least: Vec3::ZERO, most: Vec3::ZERO };
        proxies.extend(movers.iter().map(|mover| Proxy::new(mover.slot, body_of(mover.slot), nobody, true)));
        each_chunk_of_two(workers, (proxies, &mut self.sides), BODIES_CHUNK, |first, proxies, sides| {
            for (index, (proxy, side)) in (first..).zip(proxies.iter_mut().zip(sides)) {
                let mover = &movers[index];
                let body = body_of(mover.slot);
                proxy.bounds =
                    shapes.get(body.shape).map_or(nowhere(body), |shape| swept_bounds(shape, body, mover, settings));
                proxy.way = body.velocity * settings.seconds;
                *side = Side::of_mover(index as u32, body, mover);
            }
        });
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
