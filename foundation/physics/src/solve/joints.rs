//! Joints at work: gathered from the block, grown into trees, worked out in every sub-step, and written back.
//!
//! Laws
//! 1. A tree is one job's with all joints that close a ring in it, and no body is in two trees: so it does not matter who works on
//!    which.
//! 2. In each sub-step joints come last, behind contacts: they are worked out exactly, and what comes behind would tear at them.
//!    (The other way round, light feet of heavy ragdolls never came to rest.)
//! 3. What a joint is is read once a step; what it did is written once.
//! 4. Contacts with what nothing can move are worked out with the tree: see [`footing`].

pub mod rows;
pub mod small;

pub mod forest;
pub mod ways;

pub mod link;

pub mod goals;

pub mod energy;

pub mod factors;

pub mod tree;

pub mod ring;

pub mod footing;

pub mod shove;

use alloc::vec::Vec;

use base::number::max;
use base::{Handle, Mat3, Quat, Vec3};
use state::share::{NOBODY, each_run_of_two};
use state::{Workers, World};

use crate::body::{Body, flag};
use crate::contact::{Touch, TouchKind};
use crate::islands::Islands;
use crate::joint::{self, Joint, Kind};
use crate::limits::{FOOTING_TURNS, JOINT_GOAL_RATE, JOINT_LINKS_CHUNK, JOINT_PUSH_SPEED_MAX};
use crate::mover::{Motion, Mover, row};
use crate::parts::{Capacities, Parts};
use crate::settings::Settings;
use crate::sketch::Sketches;
use crate::solve::block::{Pace, Stiffness};
use crate::touching::Narrow;
use footing::{Footing, Footings, Look};
use forest::{Forest, Twig};
use link::{Link, Pass};
use rows::Side;
use shove::Trees;

/// Room for all joints of a step.
pub struct Joints {
    /// Those that hold something that moves, in the order of their slots.
    bonds: Vec<Bond>,
    /// Whom they join: movers that can be moved, or [`NOBODY`].
    ends: Vec<[u32; 2]>,
    /// The slots of all bodies that are joined to one another.
    pairs: Vec<[u16; 2]>,
    /// Of those, the ones that do not collide: in order, the lower first.
    apart: Vec<[u16; 2]>,
    /// Those that are not sound, or whose body is gone.
    lost: Vec<(Handle<Joint>, Touch)>,
    dropped: u64,
    broken: Vec<(Handle<Joint>, Touch)>,
    forest: Forest,
    /// Trees, each with the joints that close its rings behind it.
    links: Vec<Link>,
    /// Where each tree ends.
    tree_ends: Vec<u32>,
    /// Where each job ends among the trees.
    job_ends: Vec<u32>,
    /// Which link has the joint of a slot.
    places: Vec<u32>,
    /// How many wheels each mover has.
    wheels: Vec<u32>,
    /// Which movers touch something or are part of a ring.
    loose: Vec<bool>,
}

/// A joint that holds something that moves.
#[derive(Clone, Copy)]
struct Bond {
    slot: u16,
    joint: Joint,
    sides: [Side; 2],
    /// The movers of both ends, whether they can be moved or not.
    movers: [u32; 2],
}

impl Joints {
    /// Room for so many.
    pub fn new(capacities: Capacities) -> Joints {
        let (bodies, joints) = (capacities.bodies as usize, capacities.joints as usize);
        Joints {
            bonds: Vec::with_capacity(joints),
            ends: Vec::with_capacity(joints),
            pairs: Vec::with_capacity(joints),
            apart: Vec::with_capacity(joints),
            lost: Vec::with_capacity(joints),
            dropped: 0,
            broken: Vec::with_capacity(joints),
            forest: Forest::new(bodies, joints),
            links: Vec::with_capacity(joints * 2),
            tree_ends: Vec::with_capacity(joints),
            job_ends: Vec::with_capacity(joints),
            places: alloc::vec![NOBODY; joints],
            wheels: Vec::with_capacity(bodies),
            loose: Vec::with_capacity(bodies),
        }
    }

    /// Reads all joints, and takes those out of the world that hold nothing any more.
    pub fn gather(&mut self, world: &mut World, parts: Parts, slots: &[u32], movers: &mut [Mover]) {
        self.bonds.clear();
        self.ends.clear();
        self.pairs.clear();
        self.apart.clear();
        self.lost.clear();
        self.dropped = 0;
        for (handle, joint) in parts.joints.iterate(world) {
            let find = |body: Handle<Body>| parts.bodies.get_untrusted(world, body.raw());
            let (first, second) = (find(joint.first), find(joint.second));
            let is_there = |body: Handle<Body>| body.is_none() || find(body).is_some();
            let is_held = first.is_some() || second.is_some();
            if !joint.is_sound() || !is_there(joint.first) || !is_there(joint.second) || !is_held {
                self.dropped += u64::from(!joint.is_sound());
                let name = |found: Option<(Handle<Body>, &Body)>| found.map_or(Handle::NONE, |(handle, _)| handle);
                self.lost.push((handle, broke([name(first), name(second)])));
                continue;
            }
            if let (Some((first, _)), Some((second, _))) = (first, second) {
                let pair = [first.slot(), second.slot()];
                self.pairs.push(pair);
                if !joint.is(joint::flag::COLLIDES) {
                    self.apart.push([pair[0].min(pair[1]), pair[0].max(pair[1])]);
                }
            }
            let both = [first.map(|(_, body)| body), second.map(|(_, body)| body)];
            let mover = |found: Option<(Handle<Body>, &Body)>| {
                found.map_or(NOBODY, |(handle, _)| slots.get(usize::from(handle.slot())).copied().unwrap_or(NOBODY))
            };
            self.add(handle.slot(), joint, both, [mover(first), mover(second)], movers);
        }
        self.apart.sort_unstable();
        for (handle, _) in &self.lost {
            parts.delete_joint(world, *handle);
        }
    }

    /// The pairs of slots that do not collide because they are joined, in order; some maybe twice.
    pub fn apart(&self) -> &[[u16; 2]] {
        &self.apart
    }

    /// The trees, to be shoved; and the same pairs.
    pub fn trees(&mut self) -> (Trees<'_>, &[[u16; 2]]) {
        let Joints { forest, links, tree_ends, apart, .. } = self;
        (Trees { forest, links, ends: tree_ends }, apart)
    }

    /// Lets those hang together who are joined; each is told by its mover, if it has mass.
    pub fn join(&self, islands: &mut Islands) {
        self.ends.iter().for_each(|[first, second]| islands.join(*first, *second));
    }

    /// The slots of all bodies that are joined to one another.
    pub fn pairs(&self) -> &[[u16; 2]] {
        &self.pairs
    }

    /// Grows the trees, and finds their footings.
    pub fn prepare(
        &mut self,
        contacts: (&Narrow, &Sketches),
        footings: &mut Footings,
        (movers, motions): (&mut [Mover], &[Motion]),
    ) {
        self.grow(contacts.0, movers, motions);
        footings.find((&mut self.links, &self.job_ends), contacts, movers);
    }

    fn grow(&mut self, narrow: &Narrow, movers: &mut [Mover], motions: &[Motion]) {
        self.links.clear();
        self.tree_ends.clear();
        self.job_ends.clear();
        self.places.fill(NOBODY);
        if self.bonds.is_empty() {
            return;
        }
        self.count_wheels(movers);
        self.forest.grow(movers.len(), &self.ends);
        self.share_out(movers);
        let (mut begun, mut start, mut closing) = (0, 0, 0);
        for tree in 0..self.forest.ends.len() {
            let end = self.forest.ends[tree];
            for index in start..end {
                let twig = self.forest.twigs[index as usize];
                self.push(twig, index - start, (movers, motions));
            }
            while let Some(closed) =
                self.forest.closing.get(closing).copied().filter(|closed| closed.tree == tree as u32)
            {
                self.push_closing(closed.bond, (movers, motions));
                closing += 1;
            }
            start = end;
            let count = self.links.len() as u32;
            self.tree_ends.push(count);
            if count - begun >= JOINT_LINKS_CHUNK || tree + 1 == self.forest.ends.len() {
                self.job_ends.push(count);
                begun = count;
            }
        }
        for (index, link) in self.links.iter().enumerate().filter(|(_, link)| link.has_joint) {
            self.places[usize::from(link.joint_slot)] = index as u32;
        }
        self.find_loose(narrow, movers.len());
    }

    /// Whether any were gathered in this step.
    pub fn is_any_gathered(&self) -> bool {
        !self.bonds.is_empty()
    }

    /// Whether there are none to be solved.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// Begins a sub-step with the impulses of the last.
    pub fn warm(
        &mut self,
        is_first: bool,
        settings: &Settings,
        footings: &mut Footings,
        (movers, motions): (&[Mover], &mut [Motion]),
        workers: &dyn Workers,
    ) {
        let seconds = settings.seconds / settings.substeps as f32;
        self.each(footings, (movers, motions), workers, |links, footings, _| {
            if is_first {
                link::look(links);
            }
            energy::open(links, seconds);
            link::warm(links, seconds);
            footing::warm(links, footings);
            energy::settle_warm(links);
            footing::forget_with_joints(links, footings);
        });
    }

    /// Holds together, so that nothing is off when bodies have moved.
    pub fn solve(
        &mut self,
        settings: &Settings,
        footings: &mut Footings,
        (movers, motions): (&[Mover], &mut [Motion]),
        workers: &dyn Workers,
    ) {
        let (soft, hard, pace) = (Pass::new(settings, true), Pass::new(settings, false), Pace::new(settings));
        self.each(footings, (movers, motions), workers, |links, footings, motions| {
            energy::note_others(links);
            energy::note_contacts(links);
            energy::work(links, &soft, &hard, solve_all);
            energy::note_joints(links);
            let turns = if footings.is_empty() { 0 } else { FOOTING_TURNS };
            for _ in 0..turns {
                footing::work(links, footings, motions, &pace, Look::Solve);
                energy::note_contacts(links);
                // It is lent anew.
                link::take_back(links);
                energy::work(links, &soft, &hard, solve_all);
                energy::note_joints(links);
            }
        });
    }

    /// Takes back what was only lent, where contacts would take it for motion: bodies have moved.
    pub fn take_back(
        &mut self,
        footings: &mut Footings,
        (movers, motions): (&[Mover], &mut [Motion]),
        workers: &dyn Workers,
    ) {
        self.each(footings, (movers, motions), workers, |links, _, _| {
            energy::settle_lent(links);
        });
    }

    /// Makes velocities fit where bodies are now. Those of footings that met are looked at a few times more.
    pub fn relax(
        &mut self,
        settings: &Settings,
        (footings, bounce_looks): (&mut Footings, u32),
        (movers, motions): (&[Mover], &mut [Motion]),
        workers: &dyn Workers,
    ) {
        let (pass, pace) = (Pass::new(settings, false), Pace::new(settings));
        self.each(footings, (movers, motions), workers, |links, footings, motions| {
            energy::note_others(links);
            link::take_back(links);
            energy::note_contacts(links);
            link::look(links);
            solve_all(links, &pass);
            energy::settle(links, pass.seconds);
            if !footings.is_empty() {
                energy::note_joints(links);
                footing::work(links, footings, motions, &pace, Look::Relax);
                footing::bounce(links, footings, motions, &pace, bounce_looks);
                energy::note_contacts(links);
                solve_all(links, &pass);
                energy::settle(links, pass.seconds);
                if footing::are_firm(footings, motions) {
                    energy::settle_footings(links);
                }
            }
            link::note(links);
            energy::forget_blow(links);
            footing::end(links, footings);
        });
    }

    /// Writes what the joints did, takes broken ones out of the world, and tells of all that are gone.
    pub fn write(
        &mut self,
        world: &mut World,
        parts: Parts,
        settings: &Settings,
        workers: &dyn Workers,
        mut tell: impl FnMut(Touch),
    ) {
        let (places, links, seconds) = (&self.places, &self.links, settings.seconds);
        let link = |handle: Handle<Joint>| links.get(places[usize::from(handle.slot())] as usize);
        if !links.is_empty() {
            parts.joints.edit_each(
                world,
                workers,
                |handle| link(handle).is_some(),
                |handle, joint| {
                    if let Some(link) = link(handle) {
                        link.tell(joint, seconds);
                    }
                },
            );
        }
        self.broken.clear();
        for link in links.iter().filter(|link| link.has_joint) {
            let Some((handle, joint)) = parts.joints.get_absolute(world, link.joint_slot) else { continue };
            let is_over = |value: f32, most: f32| most > 0.0 && value > most;
            if is_over(joint.force, joint.break_force) || is_over(joint.torque, joint.break_torque) {
                let name = |body: Handle<Body>| {
                    parts.bodies.get_untrusted(world, body.raw()).map_or(Handle::NONE, |(handle, _)| handle)
                };
                let touch = broke([name(joint.first), name(joint.second)]);
                let point = link.own.centre + link.own.moved + link.own.orientation.rotate(link.own.anchor);
                self.broken.push((handle, Touch { impulse: joint.force * seconds, point, ..touch }));
            }
        }
        self.broken.sort_unstable_by_key(|(handle, _)| handle.slot());
        for (handle, touch) in &self.broken {
            parts.delete_joint(world, *handle);
            tell(*touch);
        }
        self.lost.iter().for_each(|(_, touch)| tell(*touch));
        if self.dropped > 0 || !self.broken.is_empty() {
            let mut counts = parts.counts.edit(world);
            counts.joints_dropped += self.dropped;
            counts.joints_broken += self.broken.len() as u64;
        }
    }

    fn add(&mut self, slot: u16, joint: &Joint, bodies: [Option<&Body>; 2], places: [u32; 2], movers: &mut [Mover]) {
        let ends = places.map(|place| match movers.get(place as usize) {
            Some(mover) if mover.inverse_mass > 0.0 => place,
            _ => NOBODY,
        });
        if ends == [NOBODY; 2] {
            return;
        }
        for end in ends {
            if let Some(mover) = movers.get_mut(end as usize) {
                (mover.is_free, mover.is_joined) = (false, true);
            }
        }
        let steering = Quat::from_axis_angle(Vec3::Z, joint.steering);
        let is_steered = joint.kind() == Kind::Wheel && joint.steering != 0.0;
        let first_turn = if is_steered { joint.first_turn * steering } else { joint.first_turn };
        let sides =
            [side(bodies[0], joint.first_anchor, first_turn), side(bodies[1], joint.second_anchor, joint.second_turn)];
        self.bonds.push(Bond { slot, joint: *joint, sides, movers: places });
        self.ends.push(ends);
    }

    /// How many wheels each hull stands on: they share its mass.
    fn count_wheels(&mut self, movers: &[Mover]) {
        self.wheels.clear();
        self.wheels.resize(movers.len(), 0);
        for bond in self.bonds.iter().filter(|bond| bond.joint.kind() == Kind::Wheel) {
            if let Some(count) = self.wheels.get_mut(bond.movers[0] as usize) {
                *count += 1;
            }
        }
    }

    /// Tells each body which part of its tree's mass it is.
    fn share_out(&self, movers: &mut [Mover]) {
        let mut start = 0;
        for end in &self.forest.ends {
            let twigs = &self.forest.twigs[start..*end as usize];
            let mass = |mover: &Mover| 1.0 / max(mover.inverse_mass, f32::MIN_POSITIVE);
            let total = twigs.iter().fold(0.0, |sum, twig| sum + mass(&movers[twig.mover as usize]));
            for twig in twigs {
                let mover = &mut movers[twig.mover as usize];
                mover.share = mass(mover) / total;
            }
            start = *end as usize;
        }
    }

    /// Finds the trees that touch something or close a ring.
    fn find_loose(&mut self, narrow: &Narrow, movers: usize) {
        let loose = &mut self.loose;
        loose.clear();
        loose.resize(movers, false);
        let mut mark = |mover: u32| {
            if let Some(is_loose) = loose.get_mut(mover as usize) {
                *is_loose = true;
            }
        };
        let touching = narrow.iter().filter(|touching| !touching.is_trigger);
        let touching = touching.filter(|touching| touching.is_active || touching.contact.is_touching());
        touching.flat_map(|touching| touching.movers).for_each(&mut mark);
        self.links.iter().filter(|link| link.is_closing).for_each(|link| mark(link.mover));
        each_tree(&mut self.links, |links| {
            let is_loose = links.iter().any(|link| loose[link.mover as usize]);
            links.iter_mut().for_each(|link| link.is_loose = is_loose);
        });
    }

    /// Adds a joint that closes a ring.
    fn push_closing(&mut self, bond: u32, given: (&[Mover], &[Motion])) {
        let [first, second] = self.ends[bond as usize];
        let place = |mover: u32| self.forest.places.get(mover as usize).copied();
        let (mover, parent) = match (place(first), place(second)) {
            (Some(parent), Some(_)) => (second, parent),
            _ => (first.min(second), NOBODY),
        };
        let Some(body) = place(mover) else { return };
        self.push(Twig { mover, parent, bond }, body, given);
        if let Some(link) = self.links.last_mut() {
            link.is_closing = true;
        }
    }

    /// Adds a body with its joint; `body` is where the body is in its tree.
    fn push(&mut self, twig: Twig, body: u32, (movers, motions): (&[Mover], &[Motion])) {
        let mover = &movers[twig.mover as usize];
        let bond = self.bonds.get(twig.bond as usize);
        let own = Side { centre: mover.centre, orientation: mover.orientation, ..Side::WORLD };
        let mut link = Link::new(twig.mover, own, bond.unwrap_or(&self.bonds[0]).joint);
        (link.parent, link.body) = (twig.parent, body);
        let [xx, yy, zz, xy, xz, yz] = mover.inverse_inertia;
        let inertia = Mat3::from_columns(Vec3::new(xx, xy, xz), Vec3::new(xy, yy, yz), Vec3::new(xz, yz, zz));
        link.set_mass(mover.inverse_mass, inertia);
        (link.moments, link.inertia_turn, link.start) = (mover.inertia, mover.inertia_turn, mover.start);
        link.acceleration = mover.acceleration;
        if let Some(bond) = bond {
            let own = usize::from(bond.movers[0] != twig.mover);
            let (mine, other) = (&bond.sides[own], &bond.sides[1 - own]);
            (link.has_joint, link.is_first, link.joint_slot) = (true, own == 0, bond.slot);
            (link.own.anchor, link.own.turn) = (mine.anchor, mine.turn);
            link.other = *other;
            link.other_mover = bond.movers[1 - own];
            let hull = bond.movers[0] as usize;
            if bond.joint.kind() == Kind::Wheel
                && let (Some(mover), Some(wheels)) = (movers.get(hull), self.wheels.get(hull))
                && mover.inverse_mass > 0.0
            {
                link.spring_mass = 1.0 / (mover.inverse_mass * (*wheels).max(1) as f32);
            }
        }
        link.read(movers, motions);
        self.links.push(link);
    }

    /// Lets all trees work at once, each with its footings.
    fn each(
        &mut self,
        footings: &mut Footings,
        (movers, motions): (&[Mover], &mut [Motion]),
        workers: &dyn Workers,
        work: impl Fn(&mut [Link], &mut [Footing], &[Motion]) + Sync,
    ) {
        if self.links.is_empty() {
            return;
        }
        let before = &*motions;
        let both = (&mut self.links[..], &mut footings.list[..]);
        each_run_of_two(workers, both, (&self.job_ends, &footings.job_ends), |_, links, mut left| {
            links.iter_mut().for_each(|link| link.read(movers, before));
            each_tree(links, |links| {
                let (footings, rest) = core::mem::take(&mut left).split_at_mut(links[0].ways.footings as usize);
                work(links, footings, before);
                left = rest;
            });
        });
        self.links.iter().filter(|link| !link.is_closing).for_each(|link| link.write(motions));
    }
}

impl Link {
    /// Reads how its body moves.
    pub(super) fn read(&mut self, movers: &[Mover], motions: &[Motion]) {
        let state = |side: &mut Side, mover: u32| {
            if let (Some(mover), Some(motion)) = (movers.get(mover as usize), motions.get(mover as usize)) {
                side.orientation = mover.orientation;
                (side.moved, side.velocity, side.spin) = (motion.moved(), motion.velocity(), motion.spin());
            }
        };
        state(&mut self.own, self.mover);
        state(&mut self.other, self.other_mover);
    }

    fn write(&self, motions: &mut [Motion]) {
        let motion = &mut motions[self.mover as usize];
        (motion.velocity, motion.spin) = (row(self.own.velocity), row(self.own.spin));
    }

    /// Tells its joint what it did.
    fn tell(&self, joint: &mut Joint, seconds: f32) {
        let next = Joint {
            impulses: self.joint.impulses,
            way: self.joint.way,
            speed: self.joint.speed,
            force: self.borne[0].length() / seconds,
            torque: self.borne[1].length() / seconds,
            ..*joint
        };
        if next.is_sound() {
            *joint = next;
        } else {
            joint.impulses.fill(0.0);
        }
    }
}

impl Pass {
    fn new(settings: &Settings, is_soft: bool) -> Pass {
        let seconds = settings.seconds / settings.substeps as f32;
        let hertz = base::number::min(settings.joint_hertz, 0.25 / seconds);
        Pass {
            seconds,
            is_soft,
            stiffness: Stiffness::new(hertz, settings.joint_damping, seconds),
            push_speed_max: JOINT_PUSH_SPEED_MAX,
            goal_rate: base::number::min(JOINT_GOAL_RATE, 0.5 / seconds),
        }
    }
}

/// Works a tree out, and what closes its rings.
fn solve_all(links: &mut [Link], pass: &Pass) {
    let bodies = links.iter().position(|link| link.is_closing).unwrap_or(links.len());
    if tree::solve(&mut links[..bodies], pass) {
        ring::close(links, bodies, pass);
    }
}

/// Cuts a list of trees behind their roots, and behind what closes their rings.
fn each_tree(mut links: &mut [Link], mut work: impl FnMut(&mut [Link])) {
    while let Some(root) = links.iter().position(|link| link.parent == NOBODY) {
        let closing = links[root + 1..].iter().take_while(|link| link.is_closing).count();
        let (tree, rest) = links.split_at_mut(root + 1 + closing);
        work(tree);
        links = rest;
    }
}

/// One side of a joint, where the body is as the step begins; none is the world.
fn side(body: Option<&Body>, anchor: Vec3, turn: Quat) -> Side {
    let Some(body) = body else { return Side { anchor, turn: turn.normal(), ..Side::WORLD } };
    let is_moving = !body.is(flag::FIXED | flag::ASLEEP | flag::QUARANTINED);
    let (velocity, spin) = if is_moving { (body.velocity, body.spin) } else { (Vec3::ZERO, Vec3::ZERO) };
    let (centre, orientation) = (body.centre(), body.orientation);
    Side { centre, orientation, velocity, spin, anchor: anchor - body.centre, turn: turn.normal(), moved: Vec3::ZERO }
}

/// A joint between these is gone.
fn broke([first, second]: [Handle<Body>; 2]) -> Touch {
    let (first, second) = if first.is_none() { (second, first) } else { (first, second) };
    Touch::of(first, second, TouchKind::Broke)
}
