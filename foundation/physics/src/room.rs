//! The room a step is worked out in. Nothing in it outlives a step, but for a tree over those that rest, which is thrown away as
//! soon as one of them is not where it was.

use alloc::vec::Vec;

use base::number::min;
use base::{Handle, Quat, Vec3};
use state::share::{NOBODY, each_chunk_of_two};
use state::{Workers, World};

use crate::body::{Body, flag};
use crate::broad::{Broad, Proxy};
use crate::contact::{Contact, TOUCHING, Touch, TouchKind};
use crate::fast::{Fast, Ground, Kick};
use crate::islands::Islands;
use crate::limits::{BODIES_CHUNK, PULLS_MAX};
use crate::mover::{Motion, Mover, swept_bounds};
use crate::parts::{Capacities, Parts};
use crate::pose::Pose;
use crate::pull::Pull;
use crate::settings::Settings;
use crate::shape::Bounds;
use crate::shapes::Shapes;
use crate::solve::Solver;
use crate::solve::joints::Joints;
use crate::touching::{Look, Narrow};

/// Room for one step.
pub struct Room {
    /// Which slot is which mover, or [`NOBODY`].
    places: Vec<u32>,
    movers: Vec<Mover>,
    motions: Vec<Motion>,
    /// For how long each has rested, and whether it falls asleep now.
    rests: Vec<f32>,
    /// What pulls.
    pulls: Vec<Pull>,
    sleepers: Vec<bool>,
    /// What the proxies of those that rest were made from.
    resting: Vec<Resting>,
    /// Those whose body is not sound.
    unsound: Vec<u16>,
    broad: Broad,
    narrow: Narrow,
    solver: Solver,
    fast: Fast,
    joints: Joints,
    islands: Islands,
    /// The contacts of the last step.
    old: Vec<Contact>,
    /// Which contacts are written: the new ones by their index, old ones with the upper bit.
    written: Vec<u32>,
    touches: Vec<Touch>,
    /// Who is woken: a bit for each slot.
    woken: Vec<u64>,
    touches_refused: u64,
    are_pairs_complete: bool,
    contacts_refused: u32,
}

/// What the box of a body that rests follows from.
#[derive(Clone, Copy, PartialEq)]
struct Resting {
    position: Vec3,
    orientation: Quat,
    shape: u32,
    layers: u32,
    meets: u32,
    group: u32,
    flags: u32,
    slot: u16,
}

/// So far in what nobody can move, as a part of how far its middle is from its surface, is deep. Who is not followed goes no farther
/// than half of that in a step.
const DEEP: f32 = 0.25;

/// How many times as fast as what may fall asleep a body may be now and then, and still rest.
const CALM: f32 = 2.0;

/// Marks an old contact in `written`.
const OLD: u32 = 1 << 31;

impl Room {
    /// Room for so much.
    pub fn new(capacities: Capacities) -> Room {
        let (bodies, contacts) = (capacities.bodies as usize, capacities.contacts as usize);
        let pairs = capacities.pairs as usize;
        Room {
            places: alloc::vec![NOBODY; bodies],
            movers: Vec::with_capacity(bodies),
            motions: Vec::with_capacity(bodies),
            rests: Vec::with_capacity(bodies),
            pulls: Vec::with_capacity(PULLS_MAX),
            sleepers: Vec::with_capacity(bodies),
            resting: Vec::with_capacity(bodies),
            unsound: Vec::with_capacity(bodies),
            broad: Broad::new(bodies, pairs),
            narrow: Narrow::new(pairs, contacts),
            solver: Solver::new(bodies, contacts),
            fast: Fast::new(bodies),
            joints: Joints::new(capacities),
            islands: Islands::with_capacity(bodies),
            old: Vec::with_capacity(contacts),
            written: Vec::with_capacity(contacts * 2),
            touches: Vec::with_capacity(capacities.touches as usize),
            woken: alloc::vec![0; bodies.div_ceil(64)],
            touches_refused: 0,
            are_pairs_complete: true,
            contacts_refused: 0,
        }
    }

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
                self.broad.resting.push(Proxy::new(slot, body, bounds));
            }
            resting += 1;
        }
        self.resting.truncate(resting);
        self.broad.resting.truncate(resting);
        self.gather_movers(world, parts, shapes, settings, workers);
        self.joints.gather(world, parts, &self.places, &mut self.movers);
    }

    /// Finds the pairs whose boxes touch.
    pub fn find_pairs(&mut self, workers: &dyn Workers) {
        self.are_pairs_complete = self.broad.find(workers);
        self.broad.leave_out(self.joints.apart());
    }

    /// Finds where they touch.
    pub fn find_touching(
        &mut self,
        world: &World,
        parts: Parts,
        shapes: &Shapes,
        settings: &Settings,
        workers: &dyn Workers,
    ) {
        let look = Look {
            block: world,
            bodies: parts.bodies,
            old: &self.old,
            shapes,
            settings,
            movers: &self.movers,
            places: &self.places,
        };
        self.contacts_refused = self.narrow.find(look, self.broad.pairs(), workers);
    }

    /// Works out how the movers move.
    pub fn solve(&mut self, settings: &Settings, workers: &dyn Workers) {
        self.solver.solve(settings, &self.narrow, &mut self.joints, (&mut self.movers, &mut self.motions), workers);
    }

    /// Follows those that are fast along their way.
    pub fn follow_fast(
        &mut self,
        world: &World,
        parts: Parts,
        shapes: &Shapes,
        settings: &Settings,
        workers: &dyn Workers,
    ) {
        self.mark_deep(world, parts);
        let ground = Ground {
            block: world,
            bodies: parts.bodies,
            shapes,
            settings,
            broad: &self.broad,
            places: &self.places,
            apart: self.joints.apart(),
        };
        self.fast.follow(&ground, &mut self.movers, &mut self.motions, workers);
    }

    /// Notes who is deep in what nobody can move.
    fn mark_deep(&mut self, world: &World, parts: Parts) {
        for index in 0..self.narrow.count() {
            let touching = self.narrow.get(index);
            let deepest = touching.separations[..touching.contact.count()].iter().copied().fold(0.0, min);
            if deepest >= 0.0 || touching.is_trigger || !touching.is_hard(&self.movers) {
                continue;
            }
            for mover in touching.movers {
                let Some(mover) = self.movers.get_mut(mover as usize) else { continue };
                let inner = parts.bodies.get_absolute(world, mover.slot).map_or(0.0, |(_, body)| body.inner);
                // To stop one that is joined would tear at its joint.
                let can_stop = mover.inverse_mass > 0.0 && !mover.is_joined;
                mover.is_deep |= can_stop && deepest < -DEEP * inner;
            }
        }
    }

    /// Decides who falls asleep.
    pub fn rest(&mut self, settings: &Settings) {
        self.islands.begin(self.movers.len());
        for index in 0..self.narrow.count() {
            let touching = self.narrow.get(index);
            let has_mass = |mover: u32| self.movers.get(mover as usize).is_some_and(|mover| mover.inverse_mass > 0.0);
            if self.is_touching(index) && !touching.is_trigger && touching.movers.iter().all(|mover| has_mass(*mover)) {
                self.islands.join(touching.movers[0], touching.movers[1]);
            }
        }
        self.joints.join(&mut self.islands);
        let longest = if settings.sleep_seconds > 0.0 { settings.sleep_seconds } else { f32::INFINITY };
        self.sleepers.clear();
        self.sleepers.resize(self.movers.len(), true);
        for mover in 0..self.movers.len() {
            let leader = self.islands.leader(mover as u32) as usize;
            let is_calm = self.is_slow(mover, settings.sleep_speed * CALM, settings);
            self.sleepers[leader] &= self.rests[mover] + settings.seconds >= longest && is_calm;
        }
        for mover in 0..self.movers.len() {
            let leader = self.islands.leader(mover as u32) as usize;
            self.sleepers[mover] = self.sleepers[leader];
        }
    }

    /// Writes bodies, contacts and what happened into the block.
    pub fn write(&mut self, world: &mut World, parts: Parts, settings: &Settings, workers: &dyn Workers) {
        self.touches.clear();
        self.woken.fill(0);
        self.touches_refused = 0;
        self.write_bodies(world, parts, settings, workers);
        self.write_kicks(world, parts);
        self.merge(world, parts);
        self.tell_passing();
        self.write_joints(world, parts, settings, workers);
        self.write_contacts(world, parts, workers);
        self.wake(world, parts);
        self.write_touches(world, parts);
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
        self.rests.clear();
        self.rests.resize(count, 0.0);
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
        proxies.extend(movers.iter().map(|mover| Proxy::new(mover.slot, body_of(mover.slot), nobody)));
        each_chunk_of_two(workers, (proxies, &mut self.rests), BODIES_CHUNK, |first, proxies, rests| {
            for ((proxy, rest), mover) in proxies.iter_mut().zip(rests).zip(&movers[first..]) {
                let body = body_of(mover.slot);
                proxy.bounds =
                    shapes.get(body.shape).map_or(nowhere(body), |shape| swept_bounds(shape, body, mover, settings));
                *rest = body.rest_seconds;
            }
        });
    }

    /// Whether it hardly moves, and not because it has only begun to fall: where hardly anything pulls, that takes its time.
    fn is_slow(&self, mover: usize, speed: f32, settings: &Settings) -> bool {
        let (motion, most) = (&self.motions[mover], speed * speed);
        let Mover { is_free, felt, .. } = self.movers[mover];
        let gained = felt.length_squared() * settings.sleep_seconds * settings.sleep_seconds;
        let is_falling = is_free && gained > 0.0 && gained <= 4.0 * settings.sleep_speed * settings.sleep_speed;
        !is_falling
            && motion.velocity().length_squared() <= most
            && motion.spin().length_squared() * self.reach(mover) <= most
    }

    /// The square of how far a mover reaches.
    fn reach(&self, mover: usize) -> f32 {
        let reach = self.movers[mover].reach;
        reach * reach
    }

    fn write_bodies(&mut self, world: &mut World, parts: Parts, settings: &Settings, workers: &dyn Workers) {
        for mover in 0..self.movers.len() {
            let rest = self.rests[mover];
            self.rests[mover] = if self.is_slow(mover, settings.sleep_speed, settings) {
                rest + settings.seconds
            } else if self.is_slow(mover, settings.sleep_speed * CALM, settings) {
                // A twitch takes back as much as it lasts, not all.
                base::number::clamp(rest - settings.seconds, 0.0, settings.sleep_seconds)
            } else {
                0.0
            };
        }
        let (places, movers, motions) = (&self.places, &self.movers, &self.motions);
        let (rests, sleepers) = (&self.rests, &self.sleepers);
        let place = |handle: Handle<Body>| places[usize::from(handle.slot())];
        parts.bodies.edit_each(
            world,
            workers,
            |handle| place(handle) != NOBODY,
            |handle, body| {
                let index = place(handle) as usize;
                body.follow(&movers[index], &motions[index], settings.speed_max);
                body.rest_seconds = rests[index];
                if sleepers[index] && !body.is(flag::RESTLESS) {
                    body.fall_asleep();
                }
            },
        );
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

    /// Merges what was found with what is kept of the last step, and notes who began and ceased to touch.
    fn merge(&mut self, world: &World, parts: Parts) {
        self.written.clear();
        let (mut new, mut old) = (0, 0);
        let count = self.narrow.count();
        while new < count || old < self.old.len() {
            let next = (new < count).then(|| self.narrow.get(new).contact.pair());
            let last = self.old.get(old).map(Contact::pair);
            let pair = match (next, last) {
                (Some(next), Some(last)) => next.min(last),
                (Some(pair), None) | (None, Some(pair)) => pair,
                (None, None) => break,
            };
            let news = (new..count).take_while(|index| self.narrow.get(*index).contact.pair() == pair).count();
            let olds = self.old[old..].iter().take_while(|contact| contact.pair() == pair).count();
            self.merge_pair(world, parts, (new, news), (old, olds));
            (new, old) = (new + news, old + olds);
        }
    }

    fn merge_pair(&mut self, world: &World, parts: Parts, (new, news): (usize, usize), (old, olds): (usize, usize)) {
        let was = self.old[old..old + olds].iter().any(Contact::is_touching);
        let is = (new..new + news).any(|index| self.is_touching(index));
        for index in new..new + news {
            self.written.push(index as u32);
        }
        if news > 0 {
            self.tell_pair(world, parts, (new, news), was, is);
            return;
        }
        for index in old..old + olds {
            let contact = self.old[index];
            let body = |slot: u16| {
                let is_slot = u32::from(slot) < parts.bodies.capacity();
                if is_slot { parts.bodies.get_absolute(world, slot) } else { None }
            };
            let moves = |slot: u16| self.places.get(usize::from(slot)).is_some_and(|place| *place != NOBODY);
            match (body(contact.first), body(contact.second)) {
                // Both rest: what holds them is kept for when they wake.
                (Some(_), Some(_)) if !moves(contact.first) && !moves(contact.second) && contact.count() > 0 => {
                    self.written.push(index as u32 | OLD);
                }
                (Some((first, one)), Some((second, other))) if contact.is_touching() => {
                    let is_trigger = one.is(flag::TRIGGER) || other.is(flag::TRIGGER);
                    let kind = if is_trigger { TouchKind::Left } else { TouchKind::Ended };
                    let is_told = self.touches.last().is_some_and(|last| (last.first, last.second) == (first, second));
                    if !is_told {
                        self.tell(Touch { normal: contact.normal, ..Touch::of(first, second, kind) });
                    }
                    self.rouse(contact.first);
                    self.rouse(contact.second);
                }
                _ => {
                    self.rouse(contact.first);
                    self.rouse(contact.second);
                }
            }
        }
    }

    fn tell_pair(&mut self, world: &World, parts: Parts, (new, news): (usize, usize), was: bool, is: bool) {
        let touching = *self.narrow.get(new);
        let contact = touching.contact;
        let body = |slot: u16| parts.bodies.get_absolute(world, slot);
        let (Some((first, one)), Some((second, other))) = (body(contact.first), body(contact.second)) else { return };
        // Whoever sleeps and is touched by somebody awake wakes.
        if is && !touching.is_trigger {
            for (body, partner) in [(one, contact.second), (other, contact.first)] {
                let is_awake = self.places[usize::from(partner)] != NOBODY
                    && !self.sleepers[self.places[usize::from(partner)] as usize];
                let slot = if partner == contact.second { contact.first } else { contact.second };
                if body.is(flag::ASLEEP) && self.places[usize::from(slot)] == NOBODY && is_awake {
                    self.rouse(slot);
                }
            }
        }
        if was == is {
            return;
        }
        let kind = match (touching.is_trigger, is) {
            (true, true) => TouchKind::Entered,
            (true, false) => TouchKind::Left,
            (false, true) => TouchKind::Began,
            (false, false) => TouchKind::Ended,
        };
        let speed = (new..new + news)
            .flat_map(|index| {
                let touching = self.narrow.get(index);
                touching.approaches[..touching.contact.count()].iter().copied()
            })
            .fold(0.0, base::number::min);
        let impulse = (new..new + news).fold(0.0, |sum, index| sum + self.solver.total(index));
        let centre = match self.movers.get(touching.movers[0] as usize) {
            Some(mover) => mover.centre,
            None => one.centre(),
        };
        let point = centre + touching.middle();
        self.tell(Touch { speed: -speed, impulse, point, normal: contact.normal, ..Touch::of(first, second, kind) });
    }

    /// Whether a contact touches: from the start of the step on, or because something had to be held apart in it.
    fn is_touching(&self, index: usize) -> bool {
        self.narrow.get(index).contact.is_touching() || self.solver.total(index) > 0.0
    }

    fn tell(&mut self, touch: Touch) {
        tell(&mut self.touches, &mut self.touches_refused, touch);
    }

    /// Whoever is in this slot is to wake.
    fn rouse(&mut self, slot: u16) {
        rouse(&mut self.woken, slot);
    }

    fn write_contacts(&mut self, world: &mut World, parts: Parts, workers: &dyn Workers) {
        let (narrow, solver, old, written) = (&self.narrow, &self.solver, &self.old, &self.written);
        parts.contacts.rewrite(world, workers, written.len() as u32, |index| {
            let index = written[index as usize];
            if index & OLD != 0 {
                return old[(index & !OLD) as usize];
            }
            let mut contact = narrow.get(index as usize).contact;
            solver.remember(index as usize, &mut contact);
            if solver.total(index as usize) > 0.0 {
                contact.state |= TOUCHING;
            }
            // What ran away with a body that is quarantined now is forgotten.
            if contact.is_sound() { contact } else { contact.forgotten() }
        });
    }

    /// Wakes those that were touched or let go of, with all that hang together with them.
    fn wake(&mut self, world: &mut World, parts: Parts) {
        if self.woken.iter().all(|word| *word == 0) {
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

/// Tells, if there is room. What ran away is told as nothing.
fn tell(touches: &mut Vec<Touch>, refused: &mut u64, touch: Touch) {
    if touches.len() < touches.capacity() {
        let finite = |number: f32| if number.is_finite() { number } else { 0.0 };
        touches.push(Touch { speed: finite(touch.speed), impulse: finite(touch.impulse), ..touch });
    } else {
        *refused += 1;
    }
}

/// Whoever is in this slot is to wake.
fn rouse(woken: &mut [u64], slot: u16) {
    if let Some(word) = woken.get_mut(usize::from(slot) / 64) {
        *word |= 1 << (slot % 64);
    }
}

/// The box of what has no shape.
fn nowhere(body: &Body) -> Bounds {
    Bounds { least: body.position, most: body.position }
}
