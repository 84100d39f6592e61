//! Motion segments: linear translation and rotation of a body over a part of the step, and its first hit.

use base::number::max;
use base::{Quat, Vec3};

use crate::body::Body;
use crate::ray;
use crate::shape::Shape;
use crate::sweep::{self, SweepHit, sweep_accepted};

/// Distance from a surface at which a point stops, in metres.
pub(super) const SKIN: f32 = 1.0e-3;
/// Lower bound on the sine of the angle of incidence.
const STEEPNESS_MIN: f32 = 0.02;

/// The pose at the beginning, and the translation and rotation over the segment.
pub(super) struct MotionSegment {
    pub center_of_mass: Vec3,
    pub start_rotation: Quat,
    pub translation: Vec3,
    pub rotation: Vec3,
}

impl MotionSegment {
    pub fn at(&self, part: f32) -> (Vec3, Quat) {
        let turn = Quat::from_rotation_vector(self.rotation * part);
        (self.center_of_mass + self.translation * part, (turn * self.start_rotation).normal())
    }

    /// The first hit with another body between two times, of those that are accepted.
    pub fn sweep_hit(
        &self,
        (body, shape, motion): (&Body, &Shape, &sweep::Motion),
        other: &Shape,
        other_motion: &sweep::Motion,
        (from, until): (f32, f32),
        accepts: &dyn Fn(&Hit) -> bool,
    ) -> Option<Hit> {
        if from >= until {
            return None;
        }
        let left = 1.0 - from;
        let (near, far) = (motion.after(from), other_motion.after(from));
        let whole = |hit: &SweepHit| {
            let part = from + hit.time * left;
            let (center_of_mass, rotation) = self.at(part);
            let position = center_of_mass - rotation.rotate(body.center_of_mass);
            (part, hit.normal, hit.anchor + position - center_of_mass)
        };
        let accepts = |hit: &SweepHit| accepts(&whole(hit));
        sweep_accepted(shape, &near, other, &far, (until - from) / left, &accepts).map(|hit| whole(&hit))
    }

    /// The first hit of the centre of mass with another shape, and whether it starts inside. The hit is the clearance,
    /// or at least a skin, before the surface, so that the point is not inside when it continues. If the clearance
    /// `is_kept`, a surface that is only approached that closely is hit too.
    pub fn center_hit(&self, clearance: Clearance, other: &Shape, motion: &sweep::Motion) -> Option<(Hit, bool)> {
        let relative = self.translation - motion.translation;
        let length = relative.length();
        let skin = SKIN + self.center_of_mass.abs().max_component() * f32::EPSILON * 8.0;
        let ahead = if clearance.is_kept { skin / STEEPNESS_MIN } else { 0.0 };
        let hit = ray::cast(other, &motion.pose, self.center_of_mass, relative, length + ahead)?;
        // The clearance is along the normal, at any angle of incidence.
        let steepness = if length > 0.0 { max(-hit.normal.dot(relative) / length, STEEPNESS_MIN) } else { 1.0 };
        let part = if length > 0.0 {
            max(hit.distance - max(skin, clearance.distance) / steepness, 0.0) / length
        } else {
            0.0
        };
        Some(((part, -hit.normal, Vec3::ZERO), hit.distance <= 0.0))
    }
}

/// The distance from a surface at which a centre of mass stops, and whether it must not come closer.
#[derive(Clone, Copy, Default)]
pub(super) struct Clearance {
    pub distance: f32,
    pub is_kept: bool,
}

/// A hit: the part of the segment, the normal, and the contact point relative to the centre of mass.
pub(super) type Hit = (f32, Vec3, Vec3);
