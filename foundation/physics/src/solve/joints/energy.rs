//! Energy: what holds does no work.
//!
//! Joints are worked out in small steps of time, with rows that turn, with bodies that turn far within one of them, and with numbers
//! of seven digits: what comes out may be more than there was. What a tree may have is reckoned here, sub-step by sub-step.
//!
//! Laws
//! 1. To work joints out takes energy and gives none, but for what motors and springs give and what is lent while bodies move: what
//!    brings them back to where they should be, and what holds them on their curve. A motor gives no more than its force at its
//!    speed, a spring no more than lies in it.
//! 2. A tree that nothing touches has after a sub-step at most what it had before, with what forces did along the way it really went.
//!    Time is cut up, so that is right but for what forces do in one sub-step, and for a part of how far it turns in one, squared;
//!    but if it turns far, that part is none.
//! 3. What is above that is taken from how bodies move against one another, from all alike: so joints hold as they did, and the tree
//!    as a whole goes where it went. If the world holds it, it is taken from how they move.
//! 4. Footings do no work either, if what they stand on does not move: a tree has at most what it had, as the world sees it, and what other
//!    contacts gave it. What is above that is taken from how its bodies move, from all alike: so joints and contacts hold as they did.
//! 5. What is joined to something that moves and that nobody can move is driven by it: then nothing is reckoned.

use base::Vec3;
use base::number::{abs, clamp, max, min, sqrt};
use state::share::NOBODY;

use crate::joint::{Kind, slot};
use crate::solve::joints::goals::WILD;
use crate::solve::joints::link::{Ledger, Link, Pass, ends, forget_all, take_back, turns_far};

/// Above this part too much, it is more than rounding.
const ROUNDING: f32 = 1.0e-6;
/// How many times its energy a tree may have while it moves, since what is on a curve is faster along the chord.
const ON_CURVE: f32 = 1.25;
/// How many times what forces do in one sub-step joints may do that bear what lies on their bodies: planks of a bridge under crates of
/// thirty times their mass.
const LOADED: f32 = 1.0e5;
/// So much of all energy is left after a blow, at most.
const HALF: f32 = 0.5;
/// If no more than this of all speeds may be kept, what was worked out was worth nothing.
const BADLY: f32 = 0.5;

/// Begins a sub-step: forces have done what they do.
pub fn open(links: &mut [Link], seconds: f32) {
    for index in 0..links.len() {
        let link = &mut links[index];
        (link.begun.moved, link.begun.velocity, link.begun.spin) = (link.own.moved, link.own.velocity, link.own.spin);
        if links[index].has_joint && links[index].is_driving() {
            note_gifts(links, index, seconds);
        }
    }
    let whole = Whole::of(links);
    let gained = bodies(links).fold(0.0, |sum, link| {
        let (velocity, pull) = (link.own.velocity - whole.velocity, (link.acceleration - whole.acceleration) * seconds);
        sum + link.mass() * (velocity - pull * 0.5).dot(pull)
    });
    let least = bodies(links).fold(0.0, |sum, link| sum + 0.5 * link.mass() * link.acceleration.length_squared());
    let (pulled, least) = (energy(links, &whole), least * seconds * seconds);
    let pulled_in_all = energy(links, &Whole::default());
    links[0].ledger = Ledger { before: pulled - gained, pulled, least, pulled_in_all, ..Ledger::default() };
}

/// Looks at what the impulses of the last sub-step did, done again. After a blow they are no guess: what a contact made of them
/// before joints are worked out would be out of nothing.
pub fn settle_warm(links: &mut [Link]) {
    let Ledger { pulled, least, .. } = links[0].ledger;
    let is_fit = energy(links, &Whole::of(links)) <= pulled * ON_CURVE + least * LOADED;
    if !is_fit && !links.iter().any(Link::is_driven_from_outside) {
        forget_last(links);
    }
    note_joints(links);
}

/// Notes what a motor and springs may give, and how fast what they drive is.
fn note_gifts(links: &mut [Link], index: usize, seconds: f32) {
    let [first, second] = ends(links, index);
    let link = &links[index];
    let above = links.get(link.parent as usize);
    let pulls = [link.acceleration, above.map_or(Vec3::ZERO, |above| above.acceleration)];
    let pull = if link.is_first { pulls[1] - pulls[0] } else { pulls[0] - pulls[1] } * seconds;
    let (joint, mut begun, is_wild) = (&link.joint, link.begun, turns_far(links, index, seconds));
    for (number, row) in link.rows.iter().enumerate().filter(|(_, row)| link.is_driven_by(row.slot)) {
        begun.speeds[number] = row.speed(&first, &second) - row.linear.dot(pull);
        let off = match row.slot {
            slot::SPRING => link.measure.way - joint.rest,
            slot::MOTOR => 0.0,
            lock => link.measure.locks[lock],
        };
        let ease = max(link.ease(above, row), f32::MIN_POSITIVE);
        let mass = if link.spring_mass > 0.0 { link.spring_mass } else { 1.0 / ease };
        // It may be through its middle before the sub-step ends.
        let off = abs(off) + abs(begun.speeds[number]) * seconds;
        let swing = core::f32::consts::TAU * joint.hertz * off;
        begun.gifts[number] = match row.slot {
            slot::MOTOR => joint.motor_force * abs(joint.motor_speed) * seconds,
            // Where levers turn too far to be followed, nobody knows what lies in a spring.
            _ if is_wild => 0.0,
            _ => 0.5 * mass * swing * swing,
        };
    }
    links[index].begun = begun;
}

/// Notes what contacts have given since the joints were left last.
pub fn note_contacts(links: &mut [Link]) {
    let (now, is_loose) = (energy(links, &Whole::of(links)), links[0].is_loose);
    let ledger = &mut links[0].ledger;
    ledger.contacts += now - ledger.last;
    // What touches something is pressed by it, and held by its joints: only both together are in balance.
    ledger.held = if is_loose { now } else { ledger.pulled + max(ledger.contacts, 0.0) };
}

/// Notes what the joints leave.
pub fn note_joints(links: &mut [Link]) {
    links[0].ledger.last = energy(links, &Whole::of(links));
    links[0].ledger.last_in_all = energy(links, &Whole::default());
}

/// Notes what others than footings have given since the joints were left last.
pub fn note_others(links: &mut [Link]) {
    let now = energy(links, &Whole::default());
    links[0].ledger.given += now - links[0].ledger.last_in_all;
}

/// Ends a sub-step of a tree with footings on what does not move: takes away what is too much.
pub fn settle_footings(links: &mut [Link]) {
    let Ledger { pulled_in_all, given, least, .. } = links[0].ledger;
    if !links.iter().any(Link::is_driven_from_outside) {
        let most = pulled_in_all + max(given, 0.0) + driven_by_all(links) + least;
        keep_within(links, &Whole::default(), most);
    }
}

/// Works joints out, softly; and if what comes of that is more than they can give while they bring bodies back, hard.
pub fn work(links: &mut [Link], soft: &Pass, hard: &Pass, work: impl Fn(&mut [Link], &Pass)) {
    begin(links);
    work(links, soft);
    if links.iter().any(Link::is_driven_from_outside) {
        return;
    }
    let whole = Whole::of(links);
    if energy(links, &whole) <= most_while_moving(links, soft) {
        return;
    }
    restore(links);
    links.iter_mut().for_each(|link| link.joint.impulses = link.begun.impulses);
    work(links, hard);
    let most = most_while_moving(links, hard);
    keep_within(links, &Whole::of(links), most);
}

/// Lets footings do something to a tree, which may push it at such a speed. False, and it moves as before, if they did more than
/// they can.
pub fn watch(links: &mut [Link], push_speed: f32, work: impl FnOnce(&mut [Link]) -> bool) -> bool {
    begin(links);
    let before = energy(links, &Whole::default());
    let is_done = work(links);
    let now = energy(links, &Whole::default());
    let Ledger { pulled_in_all, given, least, .. } = links[0].ledger;
    let most = (pulled_in_all + max(given, 0.0) + driven_by_all(links)) * ON_CURVE + least * LOADED;
    let most = max(most + 0.5 * heft(links) * push_speed * push_speed, before);
    let is_within = now <= most || now.is_finite() && links.iter().any(Link::is_driven_from_outside);
    let is_fit = is_done && is_within;
    if !is_fit {
        for link in links {
            (link.own.velocity, link.own.spin) = (link.begun.velocity, link.begun.spin);
            link.joint.impulses = link.begun.impulses;
        }
    }
    is_fit
}

/// What a tree may have while it moves: what it needs to come back to where it should be, and what holds it on its curve, are only
/// lent.
fn most_while_moving(links: &[Link], pass: &Pass) -> f32 {
    let Ledger { held, least, .. } = links[0].ledger;
    let driven = driven_by_all(links);
    let back = links.iter().fold(0.0, |most, link| max(most, link.off_most())) * pass.stiffness.bias_rate;
    let back = min(back, pass.push_speed_max);
    let lent = if pass.is_soft { 0.5 * heft(links) * back * back } else { 0.0 };
    (held + driven) * ON_CURVE + least + lent
}

/// How heavy and hard to turn all bodies are.
fn heft(links: &[Link]) -> f32 {
    bodies(links).fold(0.0, |sum, link| {
        let [x, y, z] = link.inertia.columns;
        sum + link.mass() + if link.can_turn { x.x + y.y + z.z } else { 0.0 }
    })
}

/// Bodies have moved. Where there is more motion than from bearing a load, what was lent is taken back before contacts see it: they
/// would take it for motion, and give it to others. What rests is left in balance until joints are worked out again.
pub fn settle_lent(links: &mut [Link]) {
    let Ledger { held, least, .. } = links[0].ledger;
    if max(held, links[0].ledger.last) <= least * LOADED {
        // Bodies have turned: that they turn as before does not mean that they have what they had.
        links[0].ledger.last_in_all = energy(links, &Whole::default());
        return;
    }
    take_back(links);
    if links[0].is_loose && !links.iter().any(Link::is_driven_from_outside) {
        let most = held + least + driven_by_all(links);
        keep_within(links, &Whole::of(links), most);
    }
    note_joints(links);
    links[0].ledger.is_blow = links[0].ledger.last < held * HALF;
}

/// Ends a sub-step in which there was a blow: what it did is no guess for the next.
pub fn forget_blow(links: &mut [Link]) {
    if links[0].ledger.is_blow {
        forget_all(links);
    }
}

/// Ends a sub-step: takes away what is too much.
pub fn settle(links: &mut [Link], seconds: f32) {
    if links.iter().any(Link::is_driven_from_outside) {
        return;
    }
    let (whole, driven) = (Whole::of(links), driven_by_all(links));
    let Ledger { before, contacts, held, least, .. } = links[0].ledger;
    let most = if links[0].is_loose {
        held + driven
    } else {
        let forces = bodies(links).fold(0.0, |sum, link| {
            let way = link.own.moved - link.begun.moved - whole.moved;
            sum + link.mass() * (link.acceleration - whole.acceleration).dot(way)
        });
        let turn = bodies(links).fold(0.0, |most, link| max(most, link.own.spin.length_squared())) * seconds * seconds;
        (before + forces + max(contacts, 0.0) + driven) * (1.0 + if turn < WILD * WILD { turn } else { 0.0 })
    };
    keep_within(links, &whole, most + least);
}

/// Takes away what is above so much.
fn keep_within(links: &mut [Link], whole: &Whole, most: f32) {
    let now = energy(links, whole);
    if !now.is_finite() {
        forget_last(links);
        return;
    }
    if now <= most + most * ROUNDING {
        return;
    }
    let kept = sqrt(max(most, 0.0) / now);
    for link in links.iter_mut().filter(|link| !link.is_closing) {
        link.own.velocity = whole.velocity + (link.own.velocity - whole.velocity) * kept;
        if link.can_turn {
            link.own.spin *= kept;
        }
    }
    // What was so wrong is no guess for what comes next.
    if kept < BADLY {
        forget_all(links);
    }
}

/// Notes how all bodies move, and what joints have done.
fn begin(links: &mut [Link]) {
    for link in links {
        (link.begun.velocity, link.begun.spin) = (link.own.velocity, link.own.spin);
        link.begun.impulses = link.joint.impulses;
    }
}

/// All bodies move as they did before joints were looked at.
fn restore(links: &mut [Link]) {
    for link in links {
        (link.own.velocity, link.own.spin) = (link.begun.velocity, link.begun.spin);
        link.lent.fill(0.0);
    }
}

fn forget_last(links: &mut [Link]) {
    restore(links);
    forget_all(links);
}

fn driven_by_all(links: &[Link]) -> f32 {
    (0..links.len()).fold(0.0, |sum, index| sum + driven(links, index))
}

/// What the motor and the spring of a joint gave: what they pushed, times how fast that moved on average. What they took is not
/// reckoned.
fn driven(links: &[Link], index: usize) -> f32 {
    let link = &links[index];
    if !link.has_joint || !link.is_driving() {
        return 0.0;
    }
    let [first, second] = ends(links, index);
    let rows = link.rows.iter().enumerate().filter(|(_, row)| link.is_driven_by(row.slot));
    rows.fold(0.0, |sum, (number, row)| {
        let speed = (link.begun.speeds[number] + row.speed(&first, &second)) * 0.5;
        sum + clamp(link.joint.impulses[row.slot] * speed, 0.0, link.begun.gifts[number])
    })
}

/// How a tree moves as a whole, if nothing holds it; nothing, if the world does.
#[derive(Default)]
struct Whole {
    velocity: Vec3,
    moved: Vec3,
    acceleration: Vec3,
}

impl Whole {
    fn of(links: &[Link]) -> Whole {
        if links.iter().any(Link::is_outer) {
            return Whole::default();
        }
        let mut whole = Whole::default();
        let mut total = 0.0;
        for link in bodies(links) {
            let mass = link.mass();
            total += mass;
            whole.velocity += link.own.velocity * mass;
            whole.moved += (link.own.moved - link.begun.moved) * mass;
            whole.acceleration += link.acceleration * mass;
        }
        let part = 1.0 / max(total, f32::MIN_POSITIVE);
        Whole { velocity: whole.velocity * part, moved: whole.moved * part, acceleration: whole.acceleration * part }
    }
}

fn energy(links: &[Link], whole: &Whole) -> f32 {
    bodies(links).fold(0.0, |sum, link| sum + link.energy(whole.velocity))
}

fn bodies(links: &[Link]) -> impl Iterator<Item = &Link> {
    links.iter().filter(|link| !link.is_closing)
}

impl Link {
    fn mass(&self) -> f32 {
        1.0 / max(self.inverse_mass, f32::MIN_POSITIVE)
    }

    /// Whether it is joined to the world, or to what nobody can move.
    fn is_outer(&self) -> bool {
        self.has_joint && self.parent == NOBODY
    }

    /// Whether what it is joined to moves, and nobody can move that.
    fn is_driven_from_outside(&self) -> bool {
        self.is_outer() && (self.other.velocity != Vec3::ZERO || self.other.spin != Vec3::ZERO)
    }

    /// How far something that its joint holds is off at most.
    fn off_most(&self) -> f32 {
        if !self.has_joint {
            return 0.0;
        }
        let (joint, now) = (&self.joint, &self.measure);
        self.rows.iter().fold(0.0, |most, row| {
            let off = match row.slot {
                slot::MOTOR | slot::SPRING => 0.0,
                slot::SWING => max(now.swing - joint.swing_most, 0.0),
                slot::LIMIT => max(max(joint.least - now.way, now.way - joint.most), 0.0),
                lock => abs(now.locks[lock]),
            };
            max(most, off)
        })
    }

    /// Whether something of its joint may do work.
    fn is_driving(&self) -> bool {
        self.joint.motor_force > 0.0 || self.joint.hertz > 0.0
    }

    fn is_driven_by(&self, number: usize) -> bool {
        let is_soft = self.joint.hertz > 0.0 && matches!(self.joint.kind(), Kind::Fixed | Kind::Ball);
        matches!(number, slot::MOTOR | slot::SPRING) || is_soft && number < slot::LIMIT
    }

    /// The energy of its body, seen by one who goes at a velocity.
    fn energy(&self, drift: Vec3) -> f32 {
        let spin = self.own.spin;
        let turning = if !self.can_turn {
            0.0
        } else if self.moments == Vec3::ZERO {
            spin.dot(self.inertia * spin)
        } else {
            let local = (self.own.orientation * self.inertia_turn).rotate_back(spin);
            local.dot(self.moments.times(local))
        };
        0.5 * (self.mass() * (self.own.velocity - drift).length_squared() + turning)
    }
}
