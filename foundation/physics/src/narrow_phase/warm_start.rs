//! Warm starting: a constraint inherits the accumulated impulses of the old contact, matched by feature id.
//!
//! Law: the total normal impulse is kept when points change: the impulses of points that vanished are shared among new ones.
//! Otherwise flush boxes would drop and be caught again whenever a corner passes an edge.

use base::Vec3;
use base::number::{max, min, sqrt};

use super::lever_arm::LEVER_POINTS;
use super::{ContactConstraint, NarrowPhaseContext, PairBody};
use crate::body::flag;
use crate::contact::{Contact, TOUCHING};
use crate::limits::POINTS_MAX;
use crate::manifold::Manifold;

/// Marks a point without an old impulse.
const NEW_POINT: f32 = -1.0;

impl NarrowPhaseContext<'_> {
    /// Fills the constraint of a manifold, with the impulses of the old contact.
    #[inline]
    pub(super) fn fill_constraint(
        &self,
        pair: [u16; 2],
        (one, other): (&PairBody, &PairBody),
        manifold: &Manifold,
        old: &[Contact],
        constraint: &mut ContactConstraint,
    ) {
        let normal = manifold.normal;
        let offset = one.pose.position - one.center_of_mass;
        let between = one.center_of_mass - other.center_of_mass;
        let known = old.iter().find(|contact| contact.child == manifold.child);
        let acceleration = (other.acceleration - one.acceleration).dot(normal);
        let strongest = max(one.acceleration.length_squared(), other.acceleration.length_squared());
        let gained = sqrt(strongest) * (3.0 * self.settings.seconds);
        let (mut is_touching, mut is_active, mut approach, mut new_points) = (false, false, 0.0, 0);
        let contact = &mut constraint.contact;
        for (index, point) in manifold.points().iter().enumerate() {
            let arm = point.anchor + offset;
            constraint.arms[index] = arm;
            constraint.separations[index] = point.separation;
            let one_velocity = one.velocity + one.angular_velocity.cross(arm);
            let other_velocity = other.velocity + other.angular_velocity.cross(arm + between);
            let speed = (other_velocity - one_velocity).dot(normal);
            approach = min(approach, impact_speed(speed, acceleration, point.separation));
            contact.features[index] = point.feature;
            let impulse = known.and_then(|known| known.normal_impulse_of(point.feature));
            (contact.normal_impulses[index], new_points) =
                (impulse.unwrap_or(NEW_POINT), new_points + u32::from(impulse.is_none()));
            is_touching |= point.separation <= self.settings.slop;
            is_active |= point.separation + speed * self.settings.seconds <= self.settings.slop;
        }
        for index in manifold.points().len()..POINTS_MAX {
            (constraint.arms[index], constraint.separations[index]) = (Vec3::ZERO, 0.0);
            (contact.features[index], contact.normal_impulses[index]) = (0, 0.0);
        }
        if new_points > 0 {
            let lost =
                known.map_or(0.0, |known| known.normal_impulse_beside(&contact.features[..manifold.points().len()]));
            let share = lost / new_points as f32;
            contact.normal_impulses.iter_mut().filter(|impulse| **impulse < 0.0).for_each(|impulse| *impulse = share);
        }
        (contact.child, [contact.first, contact.second]) = (manifold.child, pair);
        contact.state = manifold.count | if is_touching { TOUCHING } else { 0 };
        contact.normal = normal;
        (contact.friction_impulse, contact.rolling_impulse, contact.twist_impulse) = known
            .map_or((Vec3::ZERO, Vec3::ZERO, 0.0), |known| {
                (known.friction_impulse, known.rolling_impulse, known.twist_impulse)
            });
        (constraint.between, constraint.body_indices) = (between, [one.solver_body, other.solver_body]);
        (constraint.approach, constraint.acceleration) = (approach, acceleration);
        constraint.restitution_threshold = min(self.settings.restitution_threshold, gained);
        constraint.friction = sqrt(max(one.friction * other.friction, 0.0));
        constraint.restitution = max(one.restitution, other.restitution);
        constraint.rolling_resistance = max(one.rolling_resistance, other.rolling_resistance);
        (constraint.is_trigger, constraint.is_active) = (one.is(flag::TRIGGER) || other.is(flag::TRIGGER), is_active);
        let now = constraint.lever_arms();
        constraint.contact.lever_arms = now;
        let may_rest =
            manifold.points().len() >= LEVER_POINTS && new_points == 0 && (one.is_accelerated || other.is_accelerated);
        if let Some(known) = known.filter(|_| may_rest) {
            self.keep_lever_arms((one, other), known, now, constraint);
        }
    }
}

/// The relative velocity at the time the gap closes, under constant acceleration.
fn impact_speed(speed: f32, acceleration: f32, separation: f32) -> f32 {
    if speed >= 0.0 || separation <= 0.0 {
        return speed;
    }
    -sqrt(max(speed * speed - 2.0 * acceleration * separation, 0.0))
}
