//! Pairs of which one body is fast: whether it will hit the other, by a sweep along the motion it has at the start of the step.
//!
//! The narrow phase looks no farther than half of the smaller body; beyond it bodies are swept after the solver, see
//! [`ccd`](crate::ccd). Sleeping bodies that will be hit there have to wake before the solver.

use base::Vec3;

use super::{NarrowPhaseContext, PairBody};
use crate::body::flag;
use crate::ray;
use crate::sweep::{self, DrivenRadii, DriverMotion, Motion, is_fast};

impl NarrowPhaseContext<'_> {
    /// Whether a body of the pair is fast enough for CCD, or drives the other, and hits it.
    pub(super) fn will_hit(&self, pair: [u16; 2]) -> bool {
        let mut resting = [PairBody::NO_BODY; 2];
        let [space_first, space_second] = &mut resting;
        let (Some(first), Some(second)) = (self.side(pair[0], space_first), self.side(pair[1], space_second)) else {
            return false;
        };
        [(first, second), (second, first)].into_iter().any(|(one, other)| self.is_fast_hit(one, other))
    }

    fn is_fast_hit(&self, one: &PairBody, other: &PairBody) -> bool {
        let Some(solver_body) =
            self.solver_bodies.get(one.solver_body as usize).filter(|body| !body.is_joined || body.inverse_mass == 0.0)
        else {
            return false;
        };
        let shape = |side: &PairBody| self.shapes.colliding(side.shape, side.is(flag::STATIC));
        let (Some(shape), Some(other_shape)) = (shape(one), shape(other)) else { return false };
        let seconds = self.settings.seconds;
        let translation = (one.velocity + one.acceleration * seconds) * seconds;
        let rotation = one.angular_velocity * seconds;
        if one.is(flag::POINT) {
            let length = translation.length();
            return ray::cast(other_shape, &other.pose, one.center_of_mass, translation, length).is_some();
        }
        let pivot = one.pose.local_point(one.center_of_mass);
        let motion = Motion { pose: one.pose, pivot, translation, rotation };
        let radii = [one.inscribed_radius, one.bounding_radius];
        let other_motion = self.motion_of(other);
        let is_driver = || {
            let driver = DriverMotion { center_of_mass: one.center_of_mass, translation, rotation };
            let radii = DrivenRadii {
                inscribed: [one.inscribed_radius, other.inscribed_radius],
                bounding: other.bounding_radius,
                margin: self.settings.speculative_margin,
            };
            solver_body.inverse_mass == 0.0
                && sweep::is_driven(&driver, other.center_of_mass, other_motion.translation, &radii)
        };
        (is_fast(shape, &motion, radii) || is_driver())
            && sweep::sweep(shape, &motion, other_shape, &other_motion).is_some()
    }

    fn motion_of(&self, body: &PairBody) -> Motion {
        let seconds = self.settings.seconds;
        let pivot = body.pose.local_point(body.center_of_mass);
        let (translation, rotation) = match self.solver_bodies.get(body.solver_body as usize) {
            Some(_) => (body.velocity * seconds, body.angular_velocity * seconds),
            None => (Vec3::ZERO, Vec3::ZERO),
        };
        Motion { pose: body.pose, pivot, translation, rotation }
    }
}
