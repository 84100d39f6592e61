//! Goals: what is wanted of each row of a joint, how softly, and within which bounds.
//!
//! Law: impulses stay within the bounds of their rows.

use base::number::{clamp, max};

use crate::joint::{Kind, slot};
use crate::solve::joints::link::{Goal, Link, Pass, State, ends, push};
use crate::solve::joints::rows::{Frames, Measure, Side, motor_speed, nearer_limit};

/// The sub-step is too long for so fast a turn to be followed, in radians.
pub const WILD: f32 = 0.3;
/// The same where what keeps it on its curve is not kept as motion, so that a wrong guess cannot grow.
const WILD_LOOSE: f32 = 0.8;
/// So much of its own resistance each row gives way, so that rows that say nearly the same share what they bear.
const GIVE: f32 = 1.0e-6;
/// How much joints that close a ring give way to what they bear: what they bear in vain, since others hold it already, goes away.
const RING_GIVE: f32 = 1.0e-3;
/// The least of a spring that is worked out looking ahead. All would damp it; none cannot be divided by.
const AHEAD_LEAST: f32 = 1.0e-3;

/// Says what is wanted of each row. True if an impulse had to be brought within its bounds.
pub fn set_goals(links: &mut [Link], index: usize, pass: &Pass, is_first: bool) -> bool {
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
pub fn keep_bounds(links: &mut [Link], index: usize) -> bool {
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
        // Locks say different things, and what is soft in a tree would be felt in its rings.
        let give = if slot < slot::LIMIT { 0.0 } else { self.ease * GIVE };
        Goal { softness: goal.softness + give, ..goal }
    }

    /// What is so far off, and moves so far in this sub-step, is to be nowhere.
    fn lock(&self, value: f32, along: f32, impulse: f32) -> Goal {
        let goal = Goal::within(f32::NEG_INFINITY, f32::INFINITY);
        let softness = match (self.link.is_closing, self.link.is_alone && self.pass.is_soft) {
            (_, true) => {
                let scale = self.pass.stiffness.mass_scale;
                self.ease * (1.0 - scale) / max(scale, 0.01)
            }
            (true, false) => self.ease * RING_GIVE,
            (false, false) => 0.0,
        };
        let soft = softness * impulse;
        if !self.pass.is_soft {
            return Goal { off: self.speed + soft, speed_off: self.speed + soft, softness, ..goal };
        }
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
}

/// Whether so much time is too long for how fast a body turns: it would turn by more than this angle.
pub fn is_fast(side: &Side, pass: &Pass, angle: f32) -> bool {
    side.spin.length_squared() * pass.seconds * pass.seconds > angle * angle
}
