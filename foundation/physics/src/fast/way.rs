//! Ways: along what a body goes for a piece of the step, and what it meets there.

use base::number::max;
use base::{Quat, Vec3};

use crate::body::Body;
use crate::ray;
use crate::shape::Shape;
use crate::sweep::{self, sweep_before};

/// How far before a surface a point stops, in metres.
pub(super) const SKIN: f32 = 1.0e-3;
/// A way that leads into a surface flatter than this counts as if it were as steep.
const STEEP_LEAST: f32 = 0.02;

/// A piece of way: from where, along what, turning how.
pub(super) struct Way {
    pub centre: Vec3,
    pub orientation: Quat,
    pub translation: Vec3,
    pub rotation: Vec3,
}

impl Way {
    pub fn at(&self, part: f32) -> (Vec3, Quat) {
        let turn = Quat::from_rotation_vector(self.rotation * part);
        (self.centre + self.translation * part, (turn * self.orientation).normal())
    }

    /// What a body that goes it meets of another between two times.
    pub fn swept(
        &self,
        (body, shape, motion): (&Body, &Shape, &sweep::Motion),
        other: &Shape,
        other_motion: &sweep::Motion,
        (from, until): (f32, f32),
    ) -> Option<Hit> {
        if from >= until {
            return None;
        }
        let left = 1.0 - from;
        let (near, far) = (motion.after(from), other_motion.after(from));
        let hit = sweep_before(shape, &near, other, &far, (until - from) / left)?;
        let part = from + hit.time * left;
        let (centre, orientation) = self.at(part);
        let position = centre - orientation.rotate(body.centre);
        Some((part, hit.normal, hit.place + position - centre))
    }

    /// When its middle meets another's surface, with which normal and arm, and whether it is inside from the beginning. It is so
    /// far before the surface then, or a little, so that it is not inside when it goes on. If it `keeps_off`, it meets a surface
    /// that it only comes so near to.
    pub fn middle_hit(&self, before: Before, other: &Shape, motion: &sweep::Motion) -> Option<(Hit, bool)> {
        let relative = self.translation - motion.translation;
        let length = relative.length();
        let skin = SKIN + self.centre.abs().max_component() * f32::EPSILON * 8.0;
        let ahead = if before.keeps_off { skin / STEEP_LEAST } else { 0.0 };
        let hit = ray::cast(other, &motion.pose, self.centre, relative, length + ahead)?;
        // So far before it straight from the surface, however flat the way leads into it.
        let steep = if length > 0.0 { max(-hit.normal.dot(relative) / length, STEEP_LEAST) } else { 1.0 };
        let part = if length > 0.0 { max(hit.distance - max(skin, before.far) / steep, 0.0) / length } else { 0.0 };
        Some(((part, -hit.normal, Vec3::ZERO), hit.distance <= 0.0))
    }
}

/// How far before a surface a middle stops, and whether it has to stay so far from it.
#[derive(Clone, Copy, Default)]
pub(super) struct Before {
    pub far: f32,
    pub keeps_off: bool,
}

/// What a way meets: after which part of it, with which normal, and where as seen from the centre.
pub(super) type Hit = (f32, Vec3, Vec3);
