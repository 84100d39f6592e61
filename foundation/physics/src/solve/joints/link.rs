//! Links: a tree of bodies, each with the joint to its parent, worked out at once and exactly.
//!
//! What all joints of a tree do to one another is a large matrix, but one that follows the tree: so it is taken apart from the
//! leaves to the root, six numbers of a body and up to eight of a joint at a time, and an answer takes two walks, up and down. A
//! heavy last link of a chain is felt in the first at once; nothing has to be repeated until it gets there.
//!
//! What only pushes (limits) or is only so strong (motors) is found out by trying: rows that would pull are let go, rows that
//! would give way are taken in, and the tree is worked out anew; a few times at most.
//!
//! Where a tree moves on its own, the impulses that keep it on its curve are part of its motion: so a pendulum swings on for ever.
//! Where it touches something, or closes a ring, not everything is worked out at once, and what is left over would be taken for
//! motion too and grow. There these impulses are taken back as soon as the bodies have moved; and those of limits always, since
//! what is brought back to its limit is not to bounce off it.
//!
//! Laws
//! 1. Links lie from the leaves to the root: a parent comes behind its children, and the root is the last of its tree.
//! 2. Impulses stay within the bounds of their rows.
//! 3. What does not come out finite is not done, and its impulses are forgotten.

use base::number::{abs, clamp, max};
use base::{Mat3, Vec3};
use state::share::NOBODY;

use crate::joint::{Joint, Kind, slot};
use crate::limits::{JOINT_REFINES_MAX, JOINT_ROUNDS_MAX};
use crate::solve::block::Stiffness;
use crate::solve::joints::rows::{Frames, Measure, ROWS_MAX, Row, Rows, Side, kept_way, motor_speed, nearer_limit};
use crate::solve::joints::small::{backward, factor, forward, triangle};

/// A body of a tree, with its joint to its parent.
#[derive(Clone, Copy)]
pub struct Link {
    /// Which mover it is.
    pub mover: u32,
    /// Where its parent is in the same tree, or [`NOBODY`]: it is the root.
    pub parent: u32,
    /// Whether there is a joint; a root may have none.
    pub has_joint: bool,
    /// Whether it is the first body of the joint.
    pub is_first: bool,
    /// Whether the joint closes a ring: then it is soft.
    pub is_closing: bool,
    /// Whether its tree touches something or closes a ring: what brings it back is not kept as motion.
    pub is_loose: bool,
    /// The joint.
    pub joint: Joint,
    /// In which slot the joint lies.
    pub joint_slot: u16,
    /// The body.
    pub own: Side,
    /// Where the joint is on the parent; of a root, all of what it is joined to.
    pub other: Side,
    /// The mover that a root is joined to, if that moves but nothing can move it.
    pub other_mover: u32,
    /// One over its mass.
    pub inverse_mass: f32,
    /// One over its inertia.
    pub inverse_inertia: Mat3,
    /// Its inertia.
    pub inertia: Mat3,
    /// Whether joints can turn it.
    pub can_turn: bool,
    /// How much mass its spring bears; zero: as much as there is at the joint.
    pub spring_mass: f32,
    /// What the joint bore in this step: impulses along, and about.
    pub borne: [Vec3; 2],
    rows: Rows,
    frames: Frames,
    measure: Measure,
    goals: [Goal; ROWS_MAX],
    factors: Factors,
    /// What the body changes by, and half of that on the way up.
    change: [f32; 6],
    half: [f32; 6],
    /// The same of the rows.
    row_change: [f32; ROWS_MAX],
    row_half: [f32; ROWS_MAX],
    /// What is taken back once bodies have moved.
    lent: [f32; ROWS_MAX],
}

/// How a pass works.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// The length of a sub-step.
    pub seconds: f32,
    /// Whether what is off is brought back; otherwise velocities only are made fit.
    pub is_soft: bool,
    /// How stiff joints are.
    pub stiffness: Stiffness,
    /// How fast what is off comes back at most.
    pub push_speed_max: f32,
    /// How fast a motor closes in on its goal, per second.
    pub goal_rate: f32,
}

/// What is wanted of a row.
#[derive(Clone, Copy, Debug, Default)]
struct Goal {
    /// How far its speed is off, softness included, with what brings it back to where it should be.
    off: f32,
    /// The same without what brings it back.
    speed_off: f32,
    /// How soft it is.
    softness: f32,
    /// The bounds of its impulse.
    least: f32,
    most: f32,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// It does what it has to.
    #[default]
    Free,
    /// It pushes as little as it may.
    Least,
    /// It pushes as much as it may.
    Most,
    /// It goes on as before.
    Frozen,
}

/// What was taken apart.
#[derive(Clone, Copy)]
struct Factors {
    body: [f32; triangle(6)],
    joint: [f32; triangle(ROWS_MAX)],
    /// The rows, seen from the body and from the parent, as far as they are taken apart.
    own: [[f32; 6]; ROWS_MAX],
    above: [[f32; 6]; ROWS_MAX],
    /// Which rows they are.
    free: [u8; ROWS_MAX],
    count: usize,
    /// Which rows they were made from, so that what is still good is not made again.
    made_from: u32,
}

/// Nothing was taken apart, or not this.
const NOT_MADE: u32 = u32::MAX;
/// The sub-step is too long for so fast a turn to be followed, in radians.
const WILD: f32 = 0.3;
/// The same where what keeps it on its curve is not kept as motion, so that a wrong guess cannot grow.
const WILD_LOOSE: f32 = 0.8;
/// From such a turn within a sub-step on, looking ahead once is not enough.
const FAST: f32 = 0.1;
/// A speed this far off counts as none, in metres or radians per second.
const NO_SPEED: f32 = 1.0e-4;
/// So much of its own resistance each row gives way, so that rows that say nearly the same share what they bear.
const GIVE: f32 = 1.0e-6;
/// The least of a spring that is worked out looking ahead. All would damp it; none cannot be divided by.
const AHEAD_LEAST: f32 = 1.0e-3;
/// No impulse makes a body this fast.
const TOO_FAST: f32 = 1.0e7;

impl Link {
    /// A body without a joint.
    pub fn new(mover: u32, own: Side, joint: Joint) -> Link {
        Link {
            mover,
            parent: NOBODY,
            has_joint: false,
            is_first: false,
            is_closing: false,
            is_loose: false,
            joint,
            joint_slot: 0,
            own,
            other: Side::WORLD,
            other_mover: NOBODY,
            inverse_mass: 0.0,
            inverse_inertia: Mat3::ZERO,
            inertia: Mat3::IDENTITY,
            can_turn: false,
            spring_mass: 0.0,
            borne: [Vec3::ZERO; 2],
            rows: Rows::default(),
            frames: Frames::new(&Side::WORLD, &Side::WORLD),
            measure: Measure::default(),
            goals: [Goal::default(); ROWS_MAX],
            factors: Factors {
                body: [0.0; triangle(6)],
                joint: [0.0; triangle(ROWS_MAX)],
                own: [[0.0; 6]; ROWS_MAX],
                above: [[0.0; 6]; ROWS_MAX],
                free: [0; ROWS_MAX],
                count: 0,
                made_from: NOT_MADE,
            },
            change: [0.0; 6],
            half: [0.0; 6],
            row_change: [0.0; ROWS_MAX],
            row_half: [0.0; ROWS_MAX],
            lent: [0.0; ROWS_MAX],
        }
    }

    /// Notes the mass of its body.
    pub fn set_mass(&mut self, inverse_mass: f32, inverse_inertia: Mat3) {
        (self.inverse_mass, self.inverse_inertia) = (inverse_mass, inverse_inertia);
        let [x, y, z] = inverse_inertia.columns;
        let trace = x.x + y.y + z.z;
        // What cannot be turned about some axis is taken as very hard to turn about it.
        let inertia = inverse_inertia.inverse().or_else(|| {
            let floor = Mat3::from_diagonal(Vec3::splat(trace * 1.0e-4));
            (inverse_inertia + floor).inverse()
        });
        self.can_turn = trace > 0.0 && inertia.is_some();
        self.inertia = inertia.unwrap_or(Mat3::IDENTITY);
    }

    /// Whether something that brings it back is not kept as motion.
    fn is_lending(&self) -> bool {
        let free = &self.factors.free[..self.factors.count];
        free.iter().map(|number| &self.goals[usize::from(*number)]).any(|goal| goal.off != goal.speed_off)
    }

    /// How fast its way changes.
    fn speed(&self, first: &Side, second: &Side) -> f32 {
        let kind = self.joint.kind();
        let Some(row) = self.frames.way_row(kind, kind == Kind::Wheel) else { return 0.0 };
        row.speed(first, second)
    }

    /// How easily both bodies move along a row.
    fn ease(&self, parent: Option<&Link>, row: &Row) -> f32 {
        let part = |link: &Link, turn: Vec3| {
            row.linear.length_squared() * link.inverse_mass + (link.inverse_inertia * turn).dot(turn)
        };
        let (own, other) = if self.is_first { (row.first, row.second) } else { (row.second, row.first) };
        part(self, own) + parent.map_or(0.0, |parent| part(parent, other))
    }
}

/// Looks where the bodies are now, and makes the rows from it.
pub fn look(links: &mut [Link]) {
    for index in 0..links.len() {
        if !links[index].has_joint {
            links[index].factors.made_from = NOT_MADE;
            continue;
        }
        let [first, second] = ends(links, index);
        let link = &mut links[index];
        link.frames = Frames::new(&first, &second);
        link.measure = link.frames.measure(&link.joint);
        link.joint.way = kept_way(&link.joint, link.measure.way);
        link.measure.way = link.joint.way;
        if link.joint.kind() != Kind::Wheel {
            link.measure.turn = link.joint.way;
        }
        link.rows = link.frames.rows(&link.joint);
        link.factors.made_from = NOT_MADE;
    }
}

/// Begins with the impulses of before.
pub fn warm(links: &mut [Link]) {
    for index in 0..links.len() {
        if !links[index].has_joint {
            continue;
        }
        let before = [links[index].own, parent_side(links, index)];
        let rows = links[index].rows;
        for row in rows.iter() {
            let impulse = links[index].joint.impulses[row.slot];
            push(links, index, row, impulse);
        }
        let is_fit = |side: &Side| side.velocity.length_squared() + side.spin.length_squared() < TOO_FAST * TOO_FAST;
        if !is_fit(&links[index].own) || !is_fit(&parent_side(links, index)) {
            forget(links, index, before);
        }
    }
}

/// Works all joints of a tree out.
pub fn solve(links: &mut [Link], pass: &Pass) {
    let is_pushed = (0..links.len()).fold(false, |is_pushed, index| set_goals(links, index, pass, true) | is_pushed);
    if is_pushed {
        (0..links.len()).for_each(|index| {
            set_goals(links, index, pass, false);
        });
    }
    for round in 0..JOINT_ROUNDS_MAX {
        take_apart(links, pass);
        if !answer(links) {
            forget_all(links);
            return;
        }
        let is_last = round + 1 == JOINT_ROUNDS_MAX;
        if is_last || !change_states(links) {
            break;
        }
        for index in 0..links.len() {
            set_goals(links, index, pass, false);
        }
    }
    if pass.is_soft && links.iter().any(Link::is_lending) {
        lend(links);
    }
    for index in 0..links.len() {
        take(links, index);
    }
    if pass.is_soft && links.iter().any(|link| is_fast(&link.own, pass, FAST)) {
        for _ in 0..JOINT_REFINES_MAX {
            refine(links, pass);
        }
    }
}

/// Takes back what was only lent: bodies have moved.
pub fn take_back(links: &mut [Link]) {
    for index in 0..links.len() {
        let lent = core::mem::take(&mut links[index].lent);
        let rows = links[index].rows;
        for (row, lent) in rows.iter().zip(lent).filter(|(_, lent)| *lent != 0.0) {
            push(links, index, row, -lent);
        }
    }
}

/// Notes what each joint bore.
pub fn note(links: &mut [Link]) {
    for index in 0..links.len() {
        let [first, second] = ends(links, index);
        let link = &mut links[index];
        if !link.has_joint {
            continue;
        }
        for row in link.rows.iter() {
            let impulse = link.joint.impulses[row.slot];
            link.borne[0] += row.linear * impulse;
            if row.linear == Vec3::ZERO {
                link.borne[1] += row.second * impulse;
            }
        }
        link.joint.speed = link.speed(&first, &second);
    }
}

/// The bodies of a link's joint.
fn ends(links: &[Link], index: usize) -> [Side; 2] {
    let (link, other) = (&links[index], parent_side(links, index));
    if link.is_first { [link.own, other] } else { [other, link.own] }
}

fn parent_side(links: &[Link], index: usize) -> Side {
    let link = &links[index];
    match links.get(link.parent as usize) {
        Some(parent) => Side { anchor: link.other.anchor, turn: link.other.turn, ..parent.own },
        None => link.other,
    }
}

/// An impulse along a row: on the second, and the opposite on the first.
fn push(links: &mut [Link], index: usize, row: &Row, impulse: f32) {
    let Link { parent, is_first, .. } = links[index];
    let mut on = |index: usize, is_first: bool| {
        if let Some(link) = links.get_mut(index) {
            let (sign, turn) = if is_first { (-impulse, row.first) } else { (impulse, row.second) };
            link.own.velocity += row.linear * (sign * link.inverse_mass);
            link.own.spin += link.inverse_inertia * (turn * sign);
        }
    };
    on(index, is_first);
    on(parent as usize, !is_first);
}

fn forget(links: &mut [Link], index: usize, [own, other]: [Side; 2]) {
    links[index].own = own;
    links[index].joint.impulses.fill(0.0);
    let parent = links[index].parent as usize;
    if let Some(parent) = links.get_mut(parent) {
        (parent.own.velocity, parent.own.spin) = (other.velocity, other.spin);
    }
}

fn forget_all(links: &mut [Link]) {
    for link in links {
        link.joint.impulses.fill(0.0);
    }
}

/// Says what is wanted of each row. True if an impulse had to be brought within its bounds.
fn set_goals(links: &mut [Link], index: usize, pass: &Pass, is_first: bool) -> bool {
    if !links[index].has_joint {
        return false;
    }
    let [first, second] = ends(links, index);
    let wild = if links[index].is_loose { WILD_LOOSE } else { WILD };
    let is_wild = is_fast(&first, pass, wild) || is_fast(&second, pass, wild);
    let is_ahead = pass.is_soft && !is_wild;
    let link = &links[index];
    let later = if is_ahead {
        Frames::new(&first.later(pass.seconds), &second.later(pass.seconds)).measure(&link.joint)
    } else {
        link.measure
    };
    let rows = link.rows;
    for (number, row) in rows.iter().enumerate() {
        let link = &links[index];
        let ease = link.ease(links.get(link.parent as usize), row);
        let look = Look { link, pass, later: &later, is_ahead, speed: row.speed(&first, &second), ease };
        let mut goal = look.goal(row.slot);
        let impulse = link.joint.impulses[row.slot];
        goal.state = match (goal.state, is_first) {
            (State::Frozen, _) => State::Frozen,
            (_, false) => link.goals[number].state,
            _ if impulse <= goal.least && goal.off >= 0.0 => State::Least,
            _ if impulse >= goal.most && goal.off <= 0.0 => State::Most,
            _ => State::Free,
        };
        links[index].goals[number] = goal;
    }
    links[index].settle_motor();
    keep_bounds(links, index)
}

/// Brings impulses within their bounds, and to them if that is where they are to stay. True if one was not.
fn keep_bounds(links: &mut [Link], index: usize) -> bool {
    let (rows, goals, mut is_changed) = (links[index].rows, links[index].goals, false);
    for (row, goal) in rows.iter().zip(&goals) {
        let before = links[index].joint.impulses[row.slot];
        let next = match goal.state {
            State::Least => goal.least,
            State::Most => goal.most,
            State::Free | State::Frozen => clamp(before, goal.least, goal.most),
        };
        if next != before {
            links[index].joint.impulses[row.slot] = next;
            push(links, index, row, next - before);
            is_changed = true;
        }
    }
    is_changed
}

/// All that a goal follows from.
struct Look<'a> {
    link: &'a Link,
    pass: &'a Pass,
    later: &'a Measure,
    is_ahead: bool,
    speed: f32,
    ease: f32,
}

impl Look<'_> {
    fn goal(&self, slot: usize) -> Goal {
        let (link, pass) = (self.link, self.pass);
        let (joint, now) = (&link.joint, &link.measure);
        let goal = match slot {
            slot::MOTOR => {
                let most = joint.motor_force * pass.seconds;
                let off = self.speed - motor_speed(joint, now, pass.goal_rate);
                Goal { off, speed_off: off, ..Goal::within(-most, most) }
            }
            slot::SPRING => self.spring(now.way - joint.rest, joint.impulses[slot]),
            slot::SWING => self.limit(-1.0, now.swing - joint.swing_most, self.later.swing - now.swing),
            slot::LIMIT => {
                let along = self.later.way - now.way;
                match nearer_limit(joint, now.way) {
                    side if side > 0.0 => self.limit(side, now.way - joint.least, along),
                    side if side < 0.0 => self.limit(side, now.way - joint.most, along),
                    _ => self.lock(now.way - (joint.least + joint.most) * 0.5, along, joint.impulses[slot]),
                }
            }
            _ if joint.hertz > 0.0 && matches!(joint.kind(), Kind::Fixed | Kind::Ball) => {
                self.spring(now.locks[slot], joint.impulses[slot])
            }
            _ => self.lock(now.locks[slot], self.later.locks[slot] - now.locks[slot], joint.impulses[slot]),
        };
        Goal { softness: goal.softness + self.ease * GIVE, ..goal }
    }

    /// What is so far off, and moves so far in this sub-step, is to be nowhere.
    fn lock(&self, value: f32, along: f32, impulse: f32) -> Goal {
        let goal = Goal::within(f32::NEG_INFINITY, f32::INFINITY);
        if !self.pass.is_soft {
            return Goal { off: self.speed, speed_off: self.speed, ..goal };
        }
        let softness = if self.link.is_closing {
            let scale = self.pass.stiffness.mass_scale;
            self.ease * (1.0 - scale) / max(scale, 0.01)
        } else {
            0.0
        };
        let soft = softness * impulse;
        let off = self.along(along) + self.back(value) + soft;
        let is_lent = self.link.is_loose || !self.is_ahead;
        let speed_off = if is_lent { self.speed + soft } else { off };
        Goal { off, speed_off, softness, ..goal }
    }

    /// What is so far within its limit may come nearer, but not pass it.
    fn limit(&self, side: f32, value: f32, along: f32) -> Goal {
        let goal = if side > 0.0 { Goal::within(0.0, f32::INFINITY) } else { Goal::within(f32::NEG_INFINITY, 0.0) };
        let is_within = value * side > 0.0;
        let back = match (is_within, self.pass.is_soft) {
            (true, _) => value / self.pass.seconds,
            (false, true) => self.back(value),
            (false, false) => 0.0,
        };
        let off = self.along(along) + back;
        Goal { off, speed_off: if is_within { off } else { self.speed }, ..goal }
    }

    /// A spring, worked out with what it will be as far as it has to be in order to hold: the less, the truer it swings.
    fn spring(&self, value: f32, impulse: f32) -> Goal {
        let goal = Goal::within(f32::NEG_INFINITY, f32::INFINITY);
        let (link, seconds) = (self.link, self.pass.seconds);
        if !self.pass.is_soft || self.ease <= 0.0 {
            return Goal { state: State::Frozen, ..goal };
        }
        let omega = core::f32::consts::TAU * link.joint.hertz;
        let square = omega * omega * seconds * seconds;
        let ahead = max(1.0 - 1.0 / max(square, 1.0e-6), AHEAD_LEAST);
        let mass = if link.spring_mass > 0.0 { link.spring_mass } else { 1.0 / self.ease };
        let (stiffness, damping) = (mass * omega * omega, 2.0 * mass * link.joint.damping * omega);
        let hold = damping + ahead * seconds * stiffness;
        let softness = 1.0 / max(seconds * hold, 1.0e-12);
        let off = self.speed + softness * (seconds * stiffness * value + impulse);
        Goal { off, speed_off: off, softness, ..goal }
    }

    fn along(&self, way: f32) -> f32 {
        if self.is_ahead { way / self.pass.seconds } else { self.speed }
    }

    fn back(&self, value: f32) -> f32 {
        let most = self.pass.push_speed_max;
        clamp(value * self.pass.stiffness.bias_rate, -most, most)
    }
}

impl Goal {
    fn within(least: f32, most: f32) -> Goal {
        Goal { least, most, ..Goal::default() }
    }
}

impl Link {
    /// A motor and a limit in the same direction cannot both decide: one that pushes into a limit goes on as it did; where it
    /// drives away from one, the limit lets go.
    fn settle_motor(&mut self) {
        let place = |slot: usize| self.rows.iter().position(|row| row.slot == slot);
        let (Some(limit), Some(motor)) = (place(slot::LIMIT), place(slot::MOTOR)) else { return };
        if self.joint.kind() == Kind::Wheel
            || self.goals[limit].state != State::Free
            || self.goals[motor].state != State::Free
        {
            return;
        }
        let is_at_least = self.goals[limit].most > 0.0 && self.goals[limit].least == 0.0;
        let is_at_most = self.goals[limit].most == 0.0;
        let off = self.goals[motor].off;
        if is_at_least && off < 0.0 {
            self.goals[limit].state = State::Least;
        } else if is_at_most && off > 0.0 {
            self.goals[limit].state = State::Most;
        } else {
            self.goals[motor].state = State::Frozen;
        }
    }

    /// A row as its body sees it, and as the parent does.
    fn seen(&self, row: &Row, can_parent_turn: bool) -> [[f32; 6]; 2] {
        let side = |is_first: bool, can_turn: bool| {
            let (sign, turn) = if is_first { (-1.0, row.first) } else { (1.0, row.second) };
            let turn = if can_turn { turn * sign } else { Vec3::ZERO };
            let linear = row.linear * sign;
            [linear.x, linear.y, linear.z, turn.x, turn.y, turn.z]
        };
        [side(self.is_first, self.can_turn), side(!self.is_first, can_parent_turn)]
    }

    /// Which rows are free: a bit for each, and one more if the joint is soft now.
    fn free_rows(&self, pass: &Pass) -> u32 {
        let free = |bits: u32, number: usize| bits | u32::from(self.goals[number].state == State::Free) << number;
        let bits = if self.has_joint { (0..self.rows.count).fold(0, free) } else { 0 };
        bits | u32::from(self.is_closing && pass.is_soft) << ROWS_MAX
    }
}

/// Takes the matrix of a tree apart, from the leaves to the root; unless it is still good.
fn take_apart(links: &mut [Link], pass: &Pass) {
    if links.iter().all(|link| link.factors.made_from == link.free_rows(pass)) {
        return;
    }
    for link in links.iter_mut() {
        let body = &mut link.factors.body;
        body.fill(0.0);
        let mass = 1.0 / max(link.inverse_mass, f32::MIN_POSITIVE);
        (0..3).for_each(|axis| body[triangle(axis) + axis] = mass);
        let [x, y, z] = link.inertia.columns;
        let rows = [[x.x, 0.0, 0.0], [x.y, y.y, 0.0], [x.z, y.z, z.z]];
        for (index, row) in rows.iter().enumerate() {
            body[triangle(3 + index) + 3..triangle(3 + index) + 4 + index].copy_from_slice(&row[..=index]);
        }
    }
    for index in 0..links.len() {
        let parent = links[index].parent as usize;
        let can_parent_turn = links.get(parent).is_some_and(|parent| parent.can_turn);
        take_link_apart(&mut links[index], pass, can_parent_turn);
        let (above, count) = (links[index].factors.above, links[index].factors.count);
        if let Some(parent) = links.get_mut(parent) {
            for row in &above[..count] {
                for line in 0..6 {
                    for column in 0..=line {
                        parent.factors.body[triangle(line) + column] += row[line] * row[column];
                    }
                }
            }
        }
    }
}

fn take_link_apart(link: &mut Link, pass: &Pass, can_parent_turn: bool) {
    let free = link.free_rows(pass);
    let (mut count, mut softness) = (0, [0.0; ROWS_MAX]);
    let mut factors = link.factors;
    factor(&mut factors.body, 6);
    for number in (0..link.rows.count).filter(|number| free >> number & 1 == 1) {
        let [mut own, above] = link.seen(&link.rows.list[number], can_parent_turn);
        forward(&factors.body, &mut own);
        (factors.own[count], factors.above[count]) = (own, above);
        (factors.free[count], softness[count]) = (number as u8, link.goals[number].softness);
        count += 1;
    }
    (factors.count, factors.made_from) = (count, free);
    for (row, softness) in softness[..count].iter().enumerate() {
        for column in 0..=row {
            factors.joint[triangle(row) + column] = dot(&factors.own[row], &factors.own[column]);
        }
        factors.joint[triangle(row) + row] += softness;
    }
    factor(&mut factors.joint, count);
    for row in 0..count {
        for column in 0..row {
            let part = factors.joint[triangle(row) + column];
            let before = factors.above[column];
            (0..6).for_each(|axis| factors.above[row][axis] -= part * before[axis]);
        }
        let scale = factors.joint[triangle(row) + row];
        factors.above[row].iter_mut().for_each(|value| *value *= scale);
    }
    link.factors = factors;
}

/// Works out which impulses give what is wanted. False if they are not finite.
fn answer(links: &mut [Link]) -> bool {
    links.iter_mut().for_each(|link| link.half = [0.0; 6]);
    for index in 0..links.len() {
        let link = &mut links[index];
        let count = link.factors.count;
        forward(&link.factors.body, &mut link.half);
        for row in 0..count {
            let off = link.goals[usize::from(link.factors.free[row])].off;
            link.row_half[row] = -off - dot(&link.factors.own[row], &link.half);
        }
        forward(&link.factors.joint, &mut link.row_half[..count]);
        let (above, half, parent) = (link.factors.above, link.row_half, link.parent as usize);
        if let Some(parent) = links.get_mut(parent) {
            for row in 0..count {
                (0..6).for_each(|axis| parent.half[axis] += above[row][axis] * half[row]);
            }
        }
    }
    let mut most = 0.0;
    for index in (0..links.len()).rev() {
        let above = links.get(links[index].parent as usize).map_or([0.0; 6], |parent| parent.change);
        let link = &mut links[index];
        let count = link.factors.count;
        for row in 0..count {
            link.row_change[row] = dot(&link.factors.above[row], &above) - link.row_half[row];
        }
        backward(&link.factors.joint, &mut link.row_change[..count]);
        link.change = link.half;
        for row in 0..count {
            let change = link.row_change[row];
            (0..6).for_each(|axis| link.change[axis] -= link.factors.own[row][axis] * change);
        }
        backward(&link.factors.body, &mut link.change);
        most = link.change.iter().fold(most, |most, change| most + abs(*change));
    }
    most < TOO_FAST
}

/// Lets go of rows that would pull, and takes in rows that would give way. False if there are none.
fn change_states(links: &mut [Link]) -> bool {
    let mut is_changed = false;
    for index in 0..links.len() {
        let link = &links[index];
        let (rows, factors, mut goals) = (link.rows, link.factors, link.goals);
        let changes: [f32; ROWS_MAX] = {
            let mut all = [0.0; ROWS_MAX];
            (0..factors.count).for_each(|row| all[usize::from(factors.free[row])] = -link.row_change[row]);
            all
        };
        let above = links.get(link.parent as usize);
        let count = if link.has_joint { rows.count } else { 0 };
        for number in 0..count {
            let (row, goal) = (&rows.list[number], &mut goals[number]);
            let next = links[index].joint.impulses[row.slot] + changes[number];
            let off = || {
                let [own, other] = link.seen(row, above.is_some_and(|above| above.can_turn));
                goal.off + dot(&own, &link.change) + above.map_or(0.0, |above| dot(&other, &above.change))
            };
            let state = match goal.state {
                State::Free if next < goal.least => State::Least,
                State::Free if next > goal.most => State::Most,
                State::Least if off() < -NO_SPEED => State::Free,
                State::Most if off() > NO_SPEED => State::Free,
                state => state,
            };
            is_changed |= state != goal.state;
            goal.state = state;
        }
        links[index].goals = goals;
        keep_bounds(links, index);
    }
    is_changed
}

/// Tells what brings bodies back from what they need anyhow: works the latter out, and lends the difference.
fn lend(links: &mut [Link]) {
    for link in links.iter_mut() {
        for row in 0..link.factors.count {
            let number = usize::from(link.factors.free[row]);
            link.lent[number] = -link.row_change[row];
            link.goals[number].off = link.goals[number].speed_off;
        }
    }
    if !answer(links) {
        links.iter_mut().for_each(|link| link.lent.fill(0.0));
        return;
    }
    for index in 0..links.len() {
        let (rows, factors) = (links[index].rows, links[index].factors);
        for row in 0..factors.count {
            let number = usize::from(factors.free[row]);
            links[index].lent[number] += links[index].row_change[row];
            push(links, index, &rows.list[number], links[index].lent[number]);
        }
    }
}

/// What turns fast does not end up where it was thought to: looks ahead once more, and corrects what is off, limits that are
/// passed only now included.
fn refine(links: &mut [Link], pass: &Pass) {
    for index in 0..links.len() {
        set_goals(links, index, pass, true);
    }
    take_apart(links, pass);
    if !answer(links) {
        return;
    }
    for index in 0..links.len() {
        let (rows, factors, changes) = (links[index].rows, links[index].factors, links[index].row_change);
        for (row, change) in changes[..factors.count].iter().enumerate() {
            let number = usize::from(factors.free[row]);
            let (row, link) = (&rows.list[number], &mut links[index]);
            if link.is_loose || row.slot >= slot::LIMIT {
                link.lent[number] -= change;
            } else {
                link.joint.impulses[row.slot] -= change;
            }
            push(links, index, row, -change);
        }
    }
}

fn is_fast(side: &Side, pass: &Pass, angle: f32) -> bool {
    side.spin.length_squared() * pass.seconds * pass.seconds > angle * angle
}

/// Does what was worked out, within the bounds of each row.
fn take(links: &mut [Link], index: usize) {
    let (rows, factors, changes) = (links[index].rows, links[index].factors, links[index].row_change);
    for (row, change) in changes[..factors.count].iter().enumerate() {
        let number = usize::from(factors.free[row]);
        let (goal, slot) = (links[index].goals[number], rows.list[number].slot);
        let before = links[index].joint.impulses[slot];
        let next = clamp(before - change, goal.least, goal.most);
        links[index].joint.impulses[slot] = next;
        push(links, index, &rows.list[number], next - before);
    }
}

#[inline]
fn dot(one: &[f32; 6], other: &[f32; 6]) -> f32 {
    one.iter().zip(other).fold(0.0, |sum, (one, other)| sum + one * other)
}
