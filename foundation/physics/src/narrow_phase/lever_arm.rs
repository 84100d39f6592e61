//! Lever arms: from the centers of mass to the center of a contact's points.
//!
//! Law: the lever arms of a resting face contact are frozen until the bodies rotate, slide, or the center of the points has moved by
//! [`LEVER_ARM_SLACK`] of its radius. The solver yields to bending a little, the more the taller a tower is; if the arms followed, a
//! leaning tower of forty would lean further and fall. Only under external acceleration: in free space rotation must be conserved.

use base::Vec3;
use base::number::{max, min};

use super::{ContactConstraint, NarrowPhaseContext, PairBody};
use crate::contact::Contact;

/// The number of points from which on a contact is a face contact.
pub(super) const LEVER_POINTS: usize = 3;

/// How far the center of the points may move before the arms follow, as a fraction of the distance of the points from it.
const LEVER_ARM_SLACK: f32 = 0.02;
/// A body that rotates by more than this in a step (in radians), or slides by this fraction of an arm, is not at rest.
const LEVER_ARM_REST: f32 = 0.002;

/// Points that are farther apart than the nearest by less than this touch together with it, in metres.
const TOUCHING_SLACK: f32 = 0.001;

impl ContactConstraint {
    /// The center of its points, where friction acts, from the first center of mass.
    pub fn friction_arm(&self) -> Vec3 {
        let arms = &self.arms[..self.contact.count().max(1)];
        let sum = arms.iter().fold(Vec3::ZERO, |sum, arm| sum + *arm);
        sum * (1.0 / arms.len() as f32)
    }

    /// The center of the points that are nearest to touching, from the first center of mass, and their separation.
    pub fn touching_arm(&self) -> (Vec3, f32) {
        let nearest = self.min_separation();
        let points = self.arms.iter().zip(&self.separations).take(self.contact.count());
        let touching = points.filter(|(_, separation)| **separation <= nearest + TOUCHING_SLACK);
        let (arm, separation, count) = touching
            .fold((Vec3::ZERO, 0.0, 0.0), |(sum, total, count), (arm, separation)| {
                (sum + *arm, total + separation, count + 1.0)
            });
        (arm * (1.0 / max(count, 1.0)), separation / max(count, 1.0))
    }

    /// The separation of its deepest point.
    pub fn min_separation(&self) -> f32 {
        self.separations[..self.contact.count()].iter().copied().fold(f32::INFINITY, min)
    }

    /// The center of its points, from both centers of mass.
    pub fn lever_arms(&self) -> [Vec3; 2] {
        let middle = self.friction_arm();
        [middle, middle + self.between]
    }

    /// The lever arm of torsional friction: the mean distance of its points from their center; of a single point, its rolling
    /// resistance.
    pub fn twist_arm(&self) -> f32 {
        let (middle, count) = (self.friction_arm(), self.contact.count());
        if count < 2 {
            return self.rolling_resistance;
        }
        self.arms[..count].iter().fold(0.0, |sum, arm| sum + arm.distance(middle)) / count as f32
    }
}

impl NarrowPhaseContext<'_> {
    /// Keeps the arms of the old contact, if both bodies rest: see the law.
    #[inline]
    pub(super) fn keep_lever_arms(
        &self,
        (one, other): (&PairBody, &PairBody),
        known: &Contact,
        now: [Vec3; 2],
        constraint: &mut ContactConstraint,
    ) {
        let normal = constraint.contact.normal;
        let level = |vector: Vec3| vector - normal * vector.dot(normal);
        let squared = now[0].distance_squared(constraint.arms[0]);
        let calm = LEVER_ARM_REST * LEVER_ARM_REST / (self.settings.seconds * self.settings.seconds);
        let turning = max(one.angular_velocity.length_squared(), other.angular_velocity.length_squared());
        let sliding =
            other.velocity + other.angular_velocity.cross(now[1]) - one.velocity - one.angular_velocity.cross(now[0]);
        let rests = turning <= calm && level(sliding).length_squared() <= calm * squared;
        if !rests || !known.is_touching() || known.count() != constraint.contact.count() {
            return;
        }
        let shifts = [level(known.lever_arms[0] - now[0]), level(known.lever_arms[1] - now[1])];
        if shifts.iter().all(|shift| shift.length_squared() < LEVER_ARM_SLACK * LEVER_ARM_SLACK * squared) {
            constraint.arms.iter_mut().for_each(|arm| *arm += shifts[0]);
            constraint.between += shifts[1] - shifts[0];
            constraint.contact.lever_arms = known.lever_arms;
        }
    }
}
