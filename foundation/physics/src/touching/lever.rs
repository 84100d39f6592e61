//! Levers: from the centres of mass to the middle of a contact's points.
//!
//! Law: who rests on a side does not lean on it. Its levers stay what they were when it came to rest, until it turns, slides, or has
//! moved by [`LEVER_SLACK`] of their length. The solver gives way to bending a little, more so the taller a tower is; if levers
//! followed, a tower of forty would lean more for leaning, and fall. Only where something pulls: elsewhere nothing falls, and what
//! turns there keeps turning as much as it did.

use base::Vec3;
use base::number::max;

use super::{Look, Side, Touching};
use crate::contact::Contact;

/// How many points a side has that bears without leaning.
pub(super) const LEVER_POINTS: usize = 3;

/// How far the middle of a contact may move, as a part of how far its points are from it, before levers follow.
const LEVER_SLACK: f32 = 0.02;
/// Whoever turns by more than this in a step (in radians), or slides by that part of a lever, does not rest.
const LEVER_CALM: f32 = 0.002;

impl Touching {
    /// The middle of its points: where friction works, seen from the first body's centre of mass.
    pub fn middle(&self) -> Vec3 {
        let arms = &self.arms[..self.contact.count().max(1)];
        let sum = arms.iter().fold(Vec3::ZERO, |sum, arm| sum + *arm);
        sum * (1.0 / arms.len() as f32)
    }

    /// The same, and seen from the second's.
    pub fn levers(&self) -> [Vec3; 2] {
        let middle = self.middle();
        [middle, middle + self.between]
    }

    /// How far its points are from their middle, on average; if there is one, how large the disc is that it stands for.
    pub fn lever(&self) -> f32 {
        let (middle, count) = (self.middle(), self.contact.count());
        if count < 2 {
            return self.rolling;
        }
        self.arms[..count].iter().fold(0.0, |sum, arm| sum + arm.distance(middle)) / count as f32
    }
}

impl Look<'_> {
    /// Lets a contact with the same points as before keep its levers, if both rest: see the law.
    #[inline]
    pub(super) fn keep_levers(
        &self,
        (one, other): (&Side, &Side),
        known: &Contact,
        now: [Vec3; 2],
        touching: &mut Touching,
    ) {
        let normal = touching.contact.normal;
        let level = |vector: Vec3| vector - normal * vector.dot(normal);
        let squared = now[0].distance_squared(touching.arms[0]);
        let calm = LEVER_CALM * LEVER_CALM / (self.settings.seconds * self.settings.seconds);
        let turning = max(one.spin.length_squared(), other.spin.length_squared());
        let sliding = other.velocity + other.spin.cross(now[1]) - one.velocity - one.spin.cross(now[0]);
        let rests = turning <= calm && level(sliding).length_squared() <= calm * squared;
        if !rests || !known.is_touching() || known.count() != touching.contact.count() {
            return;
        }
        let shifts = [level(known.levers[0] - now[0]), level(known.levers[1] - now[1])];
        if shifts.iter().all(|shift| shift.length_squared() < LEVER_SLACK * LEVER_SLACK * squared) {
            touching.arms.iter_mut().for_each(|arm| *arm += shifts[0]);
            touching.between += shifts[1] - shifts[0];
            touching.contact.levers = known.levers;
        }
    }
}
