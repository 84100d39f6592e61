//! Fast bodies: whoever moves farther in a step than it is thick is followed along its way.
//!
//! A body that would pass through others is stopped where it first meets one, bounces there, and goes on with what is left of the
//! step, several times if need be. Points are followed as lines.
//!
//! Laws
//! 1. Impacts happen in the order of their times; of equal times, in the order of slots. So a shot that comes first hits first.
//! 2. A body meets at most so many others in one step as the settings say; then it stays where it is until the next.
//! 3. Of whom a joint holds, only the middle is followed: its contacts are found as far ahead as it goes. If its middle would pass
//!    into what nobody can move, all that it is joined to is held back with it: see [`held`].
//! 4. Nobody's middle passes into what nobody can move, however fast it goes or turns, whatever the sweep found and the joints
//!    say: it stops there, and what joins it opens. So the middle of one that is deep in such a thing is followed however slow it
//!    is: past the middle of a thin wall, it would be pushed out on the other side.
//! 5. The piece of way that a body is on is not bent by those that hit it meanwhile: they change what comes after it.
//! 6. Triggers stop nobody. Who passes one within the step is noted: see [`passing`].

mod way;

mod blow;

mod held;
pub mod passing;

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Ordering;

use base::{Handle, Quat, Vec3};
use state::share::{NOBODY, each_chunk};
use state::{Block, Datums, Workers};

use crate::body::{Body, flag};
use crate::bounds::Bounds;
use crate::broad::Broad;
use crate::contact::Touch;
use crate::limits::BODIES_CHUNK;
use crate::mover::{Motion, Mover, row};
use crate::pose::Pose;
use crate::settings::Settings;
use crate::shapes::Shapes;
use crate::solve::joints::shove::Trees;
use crate::sweep;
use passing::{Passing, is_noticed};
use way::{Before, Hit, Way};

/// What is looked at and changed while fast bodies are followed.
pub struct Ground<'a> {
    /// The block as the step found it.
    pub block: &'a Block,
    /// The bodies in it.
    pub bodies: Datums<Body>,
    /// Their shapes.
    pub shapes: &'a Shapes,
    /// The settings.
    pub settings: &'a Settings,
    /// Who is near whom.
    pub broad: &'a Broad,
    /// Which slot is which mover.
    pub places: &'a [u32],
    /// Pairs that do not meet because they are joined, in order.
    pub apart: &'a [[u16; 2]],
}

/// Fast bodies: room to work in, and what came of them.
pub struct Fast {
    /// Which movers are fast, or have to be looked at for another reason.
    meant: Vec<bool>,
    /// Those movers, in order.
    who: Vec<Runner>,
    heap: BinaryHeap<Due>,
    /// Blows to bodies that were asleep.
    pub kicks: Vec<Kick>,
    /// Who hit whom.
    pub strikes: Vec<Touch>,
    /// Who passed a trigger.
    pub passing: Passing,
}

/// A blow to a body that was asleep.
#[derive(Clone, Copy, Debug)]
pub struct Kick {
    /// Its slot.
    pub slot: u16,
    /// What it does to its velocity.
    pub velocity: Vec3,
    /// What it does to its spin.
    pub spin: Vec3,
}

/// A fast body, on its way.
#[derive(Clone, Copy, Default)]
struct Runner {
    mover: u32,
    /// When its present piece of way began, as a part of the step.
    from: f32,
    /// Where it was then: its centre, and how it was turned.
    centre: Vec3,
    orientation: Quat,
    /// How far it goes and turns on this piece. The first is what the solver says, the others follow from the velocity alone.
    translation: Vec3,
    rotation: Vec3,
    /// Whether only its middle is followed: a joint holds it, or it is deep in something and slow.
    is_held: bool,
    impacts: u32,
    next: Option<Impact>,
    /// Whether there are triggers near its present piece of way.
    sees_trigger: bool,
}

/// Where a way ends.
#[derive(Clone, Copy)]
struct Impact {
    /// When, as a part of the step.
    time: f32,
    /// Whom it meets.
    slot: u16,
    /// From the fast one to the other.
    normal: Vec3,
    /// Where, seen from the fast one's centre at that time.
    arm: Vec3,
}

/// An impact in the order of times. The heap gives the greatest first, so the order is turned round.
#[derive(Clone, Copy, PartialEq)]
struct Due {
    time: f32,
    runner: u32,
}

impl Eq for Due {}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Due) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Due {
    fn cmp(&self, other: &Due) -> Ordering {
        other.time.total_cmp(&self.time).then(other.runner.cmp(&self.runner))
    }
}

impl Fast {
    /// Room for so many bodies.
    pub fn new(bodies: usize) -> Fast {
        Fast {
            meant: Vec::with_capacity(bodies),
            who: Vec::with_capacity(bodies),
            heap: BinaryHeap::with_capacity(bodies),
            kicks: Vec::with_capacity(bodies),
            strikes: Vec::with_capacity(bodies),
            passing: Passing::new(bodies),
        }
    }

    /// Finds those that are fast. False if there are none.
    pub fn choose(&mut self, ground: &Ground<'_>, movers: &[Mover], motions: &[Motion], workers: &dyn Workers) -> bool {
        self.heap.clear();
        self.kicks.clear();
        self.strikes.clear();
        self.passing.clear();
        self.meant.resize(movers.len(), false);
        each_chunk(workers, &mut self.meant, BODIES_CHUNK, |first, meant| {
            let all = movers[first..].iter().zip(&motions[first..]);
            let is_meant = |(mover, motion): (&Mover, &Motion)| mover.is_deep || is_fast(ground, mover, motion);
            meant.iter_mut().zip(all).for_each(|(meant, pair)| *meant = is_meant(pair));
        });
        self.gather(ground, movers, motions);
        !self.who.is_empty()
    }

    /// Gathers those that are meant.
    fn gather(&mut self, ground: &Ground<'_>, movers: &[Mover], motions: &[Motion]) {
        self.who.clear();
        let all = movers.iter().zip(motions).enumerate();
        let fast = all.filter(|(index, _)| self.meant[*index]);
        self.who.extend(fast.map(|(index, (mover, motion))| Runner {
            mover: index as u32,
            centre: mover.centre,
            orientation: mover.start,
            translation: motion.moved(),
            rotation: crate::mover::vector(motion.turned),
            is_held: mover.is_joined || !is_fast(ground, mover, motion),
            ..Runner::default()
        }));
    }

    /// Follows those that were chosen, and changes how and where they end.
    pub fn follow(
        &mut self,
        ground: &Ground<'_>,
        trees: &mut Trees<'_>,
        (movers, motions): (&mut [Mover], &mut [Motion]),
        workers: &dyn Workers,
    ) {
        self.hold(ground, trees, movers, motions);
        let (all, ways) = (&*movers, &*motions);
        each_chunk(workers, &mut self.who, BODIES_CHUNK, |_, runners| {
            runners.iter_mut().for_each(|runner| ground.look_ahead(runner, all, ways));
        });
        for (index, runner) in self.who.iter().enumerate() {
            self.heap.extend(runner.next.map(|next| Due { time: next.time, runner: index as u32 }));
        }
        while let Some(due) = self.heap.pop() {
            self.meet(ground, due.runner as usize, movers, motions);
        }
        self.pass_the_rest(ground, movers, motions);
    }

    /// Lets one body meet what it meets next, and looks where its new way leads.
    fn meet(&mut self, ground: &Ground<'_>, index: usize, movers: &mut [Mover], motions: &mut [Motion]) {
        let mut runner = self.who[index];
        let Some(impact) = runner.next.take() else { return };
        let place = runner.mover as usize;
        let way = runner.way();
        let part = if runner.from < 1.0 { (impact.time - runner.from) / (1.0 - runner.from) } else { 0.0 };
        if runner.sees_trigger {
            ground.pass((&runner, &way, part), movers, motions, &mut self.passing);
        }
        let (centre, orientation) = way.at(part);
        (runner.centre, runner.orientation, runner.from) = (centre, orientation, impact.time);
        runner.impacts += 1;
        let is_struck = self.strike(ground, &runner, &impact, movers, motions);
        let is_last = runner.impacts >= ground.settings.impacts_max || !is_struck || runner.is_held;
        let left = if is_last { 0.0 } else { (1.0 - impact.time) * ground.settings.seconds };
        let velocity = motions[place].velocity();
        let spin = movers[place].carry(motions[place].spin(), movers[place].orientation, orientation);
        let gain = movers[place].gain(left);
        (runner.translation, runner.rotation) = ((velocity - gain * 0.5) * left, spin * left);
        motions[place].moved = row(centre + runner.translation - movers[place].centre);
        // Whoever is held turns as the solver lets it.
        if !runner.is_held {
            let end = if left > 0.0 { orientation.turned(spin, left) } else { orientation };
            motions[place].spin = row(movers[place].carry(spin, orientation, end));
            movers[place].orientation = end;
        }
        runner.sees_trigger = false;
        if !is_last {
            ground.look_ahead(&mut runner, movers, motions);
            self.heap.extend(runner.next.map(|next| Due { time: next.time, runner: index as u32 }));
        }
        self.who[index] = runner;
    }

    /// Looks which triggers are on the last piece of everybody's way.
    fn pass_the_rest(&mut self, ground: &Ground<'_>, movers: &[Mover], motions: &[Motion]) {
        for runner in self.who.iter().filter(|runner| runner.sees_trigger) {
            let place = runner.mover as usize;
            // Who was hit meanwhile has another velocity, but still ends where it was bound for.
            let end = movers[place].centre + motions[place].moved();
            let way = Way { translation: end - runner.centre, ..runner.way() };
            ground.pass((runner, &way, 1.0), movers, motions, &mut self.passing);
        }
        self.passing.settle(ground, movers, motions);
    }
}

impl Runner {
    /// What is left of its way.
    fn way(&self) -> Way {
        let Runner { centre, orientation, translation, rotation, .. } = *self;
        Way { centre, orientation, translation, rotation }
    }
}

impl Ground<'_> {
    fn body(&self, slot: u16) -> Option<(Handle<Body>, &Body)> {
        if u32::from(slot) < self.bodies.capacity() { self.bodies.get_absolute(self.block, slot) } else { None }
    }

    /// Whether two do not meet because they are joined.
    fn is_apart(&self, one: u16, other: u16) -> bool {
        self.apart.binary_search(&[one.min(other), one.max(other)]).is_ok()
    }

    /// Looks what a body meets next on its way, if anything: the first, and of equals the lowest slot.
    fn look_ahead(&self, runner: &mut Runner, movers: &[Mover], motions: &[Motion]) {
        (runner.next, runner.sees_trigger) = (None, false);
        let place = runner.mover as usize;
        let Some((_, body)) = self.body(movers[place].slot) else { return };
        let Some(shape) = self.shapes.get(body.shape) else { return };
        let way = runner.way();
        let start = Pose::new(way.centre - way.orientation.rotate(body.centre), way.orientation);
        let motion =
            sweep::Motion { pose: start, centre: body.centre, translation: way.translation, rotation: way.rotation };
        let is_point = body.is(flag::POINT);
        let reach = Vec3::splat(if is_point { 0.0 } else { body.reach });
        let end = way.centre + way.translation;
        let bounds = Bounds { least: way.centre.min(end) - reach, most: way.centre.max(end) + reach };
        let (mut best, mut sees_trigger): (Option<(f32, Impact)>, bool) = (None, false);
        let own = &self.broad.movers[place];
        self.broad.each(&bounds.grown(self.settings.margin), |proxy| {
            let slot = proxy.slot();
            if slot == own.slot() || !own.meets(proxy) || self.is_apart(slot, own.slot()) {
                return;
            }
            let Some((_, other)) = self.body(slot) else { return };
            sees_trigger |= is_noticed(body, other);
            if other.is(flag::TRIGGER) || body.is(flag::TRIGGER) || (is_point && other.is(flag::POINT)) {
                return;
            }
            let Some(other_shape) = self.shapes.get(other.shape) else { return };
            let other_motion = self.way_of(other, slot, runner.from, movers, motions);
            let time_max = best.as_ref().map_or(1.0, |(time, _)| *time);
            let swept = |from: f32| way.swept((body, shape, &motion), other_shape, &other_motion, (from, time_max));
            let hit = if is_point {
                way.middle_hit(Before::default(), other_shape, &other_motion).map(|(hit, _)| hit)
            } else if runner.is_held {
                None
            } else {
                swept(0.0)
            };
            let nearing = |hit: &Hit| self.nearing(runner, place, (slot, *hit), movers, motions);
            let hit = hit.filter(|hit| nearing(hit) > 0.0).or_else(|| {
                let far = if is_point || runner.is_held { 0.0 } else { body.inner };
                let before = Before { far, keeps_off: runner.is_held };
                let middle =
                    if other.can_be_moved() { None } else { way.middle_hit(before, other_shape, &other_motion) };
                let middle = middle.filter(|(_, is_inside)| !is_inside).map(|(hit, _)| hit);
                // One corner may leave what it touched as it turns, and another meet it later. The solver sees to what comes so
                // little nearer that it still only touches.
                let goes_deep = |hit: &Hit| {
                    let left = (1.0 - runner.from) * (1.0 - hit.0) * self.settings.seconds;
                    // What is deep already has no place where it touches.
                    let is_there = hit.2.length_squared() <= body.reach * body.reach * 1.1;
                    is_there && nearing(hit) * left > self.settings.slop
                };
                let turns = !is_point && !runner.is_held && way.rotation.length() * body.reach > body.inner * 0.5;
                let looks = if turns { TURN_LOOKS } else { 1 };
                let later = |look: u32| swept(look as f32 / TURN_LOOKS as f32).filter(goes_deep);
                match (middle, (1..looks).find_map(later)) {
                    (Some(middle), Some(turned)) => Some(if turned.0 < middle.0 { turned } else { middle }),
                    (middle, turned) => middle.or(turned),
                }
            });
            let Some((part, normal, arm)) = hit else { return };
            let time = runner.from + part * (1.0 - runner.from);
            let is_first = best.as_ref().is_none_or(|(first, impact)| (part, slot) < (*first, impact.slot));
            if is_first && part <= 1.0 {
                best = Some((part, Impact { time, slot, normal, arm }));
            }
        });
        (runner.next, runner.sees_trigger) = (best.map(|(_, impact)| impact), sees_trigger);
    }

    /// How another body moves from a time on.
    fn way_of(&self, other: &Body, slot: u16, from: f32, movers: &[Mover], motions: &[Motion]) -> sweep::Motion {
        let place = self.places.get(usize::from(slot)).copied().unwrap_or(NOBODY) as usize;
        let (Some(mover), Some(motion)) = (movers.get(place), motions.get(place)) else {
            return sweep::Motion::still(Pose::new(other.position, other.orientation));
        };
        let (moved, turned) = (motion.moved(), crate::mover::vector(motion.turned));
        let orientation = (Quat::from_rotation_vector(turned * from) * mover.start).normal();
        let centre = mover.centre + moved * from;
        sweep::Motion {
            pose: Pose::new(centre - orientation.rotate(other.centre), orientation),
            centre: other.centre,
            translation: moved * (1.0 - from),
            rotation: turned * (1.0 - from),
        }
    }

    /// How fast two that meet come nearer to each other. If they do not, the solver has seen to them.
    fn nearing(
        &self,
        runner: &Runner,
        place: usize,
        (slot, (part, normal, arm)): (u16, Hit),
        movers: &[Mover],
        motions: &[Motion],
    ) -> f32 {
        let (mover, motion) = (&movers[place], &motions[place]);
        let (_, orientation) = runner.way().at(part);
        let spin = mover.carry(motion.spin(), mover.orientation, orientation);
        let near = motion.velocity() + spin.cross(arm);
        let target = self.places.get(usize::from(slot)).copied().unwrap_or(NOBODY) as usize;
        let far = match (movers.get(target), motions.get(target)) {
            (Some(mover), Some(motion)) => {
                let far_arm = runner.centre + arm - mover.centre;
                motion.velocity() + motion.spin().cross(far_arm)
            }
            _ => Vec3::ZERO,
        };
        (near - far).dot(normal)
    }
}

/// Into how many pieces the way of one is cut that turns far, to look what it meets after it has left what it touched.
const TURN_LOOKS: u32 = 8;

/// Whether a body moves so far in the step that it could pass through something.
fn is_fast(ground: &Ground<'_>, mover: &Mover, motion: &Motion) -> bool {
    let Some((_, body)) = ground.body(mover.slot) else { return false };
    if ground.shapes.get(body.shape).is_none() || !motion.moved().is_finite() || body.inverse_mass <= 0.0 {
        return false;
    }
    let limit = body.inner * 0.5;
    body.is(flag::POINT) || motion.moved().length_squared() > limit * limit
}
