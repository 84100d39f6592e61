//! Loads: what a contact takes over from that of the last step.
//!
//! Law: a contact keeps its load when its points become others. What held those that are gone is shared out among those that are new.
//! Otherwise whatever lies flush would be let go of, and caught again, whenever a corner comes to lie beyond an edge.

use base::Vec3;
use base::number::{max, min, sqrt};

use super::lever::LEVER_POINTS;
use super::{Look, Side, Touching};
use crate::body::flag;
use crate::contact::{Contact, TOUCHING};
use crate::limits::POINTS_MAX;
use crate::manifold::Manifold;

/// The impulse of a point that was not there in the last step, until it is known what it takes over.
const STRANGER: f32 = -1.0;

impl Look<'_> {
    /// Makes what the solver needs of a manifold of this pair, with the load of the old contacts.
    #[inline]
    pub(super) fn touching(
        &self,
        pair: [u16; 2],
        (one, other): (&Side, &Side),
        manifold: &Manifold,
        old: &[Contact],
        touching: &mut Touching,
    ) {
        let normal = manifold.normal;
        let offset = one.pose.position - one.centre;
        let between = one.centre - other.centre;
        let known = old.iter().find(|contact| contact.child == manifold.child);
        let acceleration = (other.acceleration - one.acceleration).dot(normal);
        let strongest = max(one.acceleration.length_squared(), other.acceleration.length_squared());
        let gained = sqrt(strongest) * (3.0 * self.settings.seconds);
        let (mut is_touching, mut is_active, mut approach, mut strangers) = (false, false, 0.0, 0);
        let contact = &mut touching.contact;
        for (index, point) in manifold.points().iter().enumerate() {
            let arm = point.place + offset;
            touching.arms[index] = arm;
            touching.separations[index] = point.separation;
            let one_velocity = one.velocity + one.spin.cross(arm);
            let other_velocity = other.velocity + other.spin.cross(arm + between);
            let speed = (other_velocity - one_velocity).dot(normal);
            approach = min(approach, impact_speed(speed, acceleration, point.separation));
            contact.features[index] = point.feature;
            let impulse = known.and_then(|known| known.impulse_of(point.feature));
            (contact.impulses[index], strangers) =
                (impulse.unwrap_or(STRANGER), strangers + u32::from(impulse.is_none()));
            is_touching |= point.separation <= self.settings.slop;
            is_active |= point.separation + speed * self.settings.seconds <= self.settings.slop;
        }
        for index in manifold.points().len()..POINTS_MAX {
            (touching.arms[index], touching.separations[index]) = (Vec3::ZERO, 0.0);
            (contact.features[index], contact.impulses[index]) = (0, 0.0);
        }
        if strangers > 0 {
            let lost = known.map_or(0.0, |known| known.impulse_beside(&contact.features[..manifold.points().len()]));
            let share = lost / strangers as f32;
            contact.impulses.iter_mut().filter(|impulse| **impulse < 0.0).for_each(|impulse| *impulse = share);
        }
        (contact.child, [contact.first, contact.second]) = (manifold.child, pair);
        contact.state = manifold.count | if is_touching { TOUCHING } else { 0 };
        contact.normal = normal;
        (contact.friction, contact.rolling, contact.twist) =
            known.map_or((Vec3::ZERO, Vec3::ZERO, 0.0), |known| (known.friction, known.rolling, known.twist));
        (touching.between, touching.movers) = (between, [one.mover, other.mover]);
        (touching.approach, touching.acceleration) = (approach, acceleration);
        touching.bounce_speed = min(self.settings.bounce_speed_least, gained);
        touching.friction = sqrt(max(one.friction * other.friction, 0.0));
        touching.restitution = max(one.restitution, other.restitution);
        touching.rolling = max(one.rolling, other.rolling);
        (touching.is_trigger, touching.is_active) = (one.is(flag::TRIGGER) || other.is(flag::TRIGGER), is_active);
        let now = touching.levers();
        touching.contact.levers = now;
        let may_rest = manifold.points().len() >= LEVER_POINTS && strangers == 0 && (one.is_pulled || other.is_pulled);
        if let Some(known) = known.filter(|_| may_rest) {
            self.keep_levers((one, other), known, now, touching);
        }
    }
}

/// How fast two surfaces meet that are apart and come nearer, under a constant pull: not how fast they are now, but when they meet.
fn impact_speed(speed: f32, acceleration: f32, separation: f32) -> f32 {
    if speed >= 0.0 || separation <= 0.0 {
        return speed;
    }
    -sqrt(max(speed * speed - 2.0 * acceleration * separation, 0.0))
}
