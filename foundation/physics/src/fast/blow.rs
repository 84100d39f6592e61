//! Blows: what two that meet on their way do to each other.
//!
//! Law: a blow gives nothing. Both come apart as fast as they met at most, and rub no more than that takes.

use base::number::{max, min, sqrt};
use base::{Mat3, Quat, Vec3};
use state::share::NOBODY;

use super::{Fast, Ground, Impact, Kick, Runner};
use crate::body::{Body, flag};
use crate::contact::{Touch, TouchKind};
use crate::mover::{Motion, Mover, row};

impl Fast {
    /// The blow itself. False if they do not come nearer to each other: then the way is only cut short.
    pub(super) fn strike(
        &mut self,
        ground: &Ground<'_>,
        runner: &Runner,
        impact: &Impact,
        movers: &mut [Mover],
        motions: &mut [Motion],
    ) -> bool {
        let place = runner.mover as usize;
        let (Some((first, one)), Some((second, other))) = (ground.body(movers[place].slot), ground.body(impact.slot))
        else {
            return false;
        };
        let target = ground.places.get(usize::from(impact.slot)).copied().unwrap_or(NOBODY);
        let is_mover = (target as usize) < movers.len();
        let left = (1.0 - impact.time) * ground.settings.seconds;
        let near = Side::of(&movers[place], &motions[place], one, runner.orientation);
        // What falls freely has not gained yet what it will gain after the blow.
        let gain = movers[place].gain(left);
        let near = Side { velocity: near.velocity - gain, ..near };
        let far_orientation = if is_mover {
            let (mover, motion) = (&movers[target as usize], &motions[target as usize]);
            (Quat::from_rotation_vector(crate::mover::vector(motion.turned) * impact.time) * mover.start).normal()
        } else {
            other.orientation
        };
        let far = if is_mover {
            Side::of(&movers[target as usize], &motions[target as usize], other, far_orientation)
        } else {
            Side::still(other)
        };
        let far_centre = if is_mover {
            let way = motions[target as usize].moved() * impact.time;
            movers[target as usize].centre + way
        } else {
            other.centre()
        };
        let point = runner.centre + impact.arm;
        let far_arm = point - far_centre;
        let speed = (far.at(far_arm) - near.at(impact.arm)).dot(impact.normal);
        if speed >= 0.0 {
            return false;
        }
        let restitution =
            if -speed > ground.settings.bounce_speed_least { max(one.restitution, other.restitution) } else { 0.0 };
        let along = near.resistance(impact.arm, impact.normal) + far.resistance(far_arm, impact.normal);
        let blow = if along > 0.0 { -(1.0 + restitution) * speed / along } else { 0.0 };
        let most = sqrt(max(one.friction * other.friction, 0.0)) * blow;
        let slides = |near: &Side, far: &Side| far.at(far_arm) - near.at(impact.arm);
        let rub = |near: &Side, far: &Side| {
            let across = slides(near, far) - impact.normal * slides(near, far).dot(impact.normal);
            let direction = across.normal();
            let resists = near.resistance(impact.arm, direction) + far.resistance(far_arm, direction);
            direction * if resists > 0.0 { min(across.length() / resists, most) } else { 0.0 }
        };
        let hit = |impulse: Vec3| (near.hit(impact.arm, -impulse), far.hit(far_arm, impulse));
        let push = impact.normal * blow;
        let impulse = push - rub(&near, &far);
        let (mut near_after, mut far_after) = hit(impulse);
        // What an impulse gives is its product with the mean of what slides before and after. If they gain, they rub only what
        // still slides once they are held apart: then both blows take.
        if impulse.dot(slides(&near, &far) + slides(&near_after, &far_after)) > 0.0 {
            let (near, far) = hit(push);
            let rub = rub(&near, &far);
            (near_after, far_after) = (near.hit(impact.arm, rub), far.hit(far_arm, -rub));
        }
        let near_after = Side { velocity: near_after.velocity + gain, ..near_after };
        near_after.into_motion(&movers[place], &mut motions[place], runner.orientation);
        if is_mover {
            far_after.into_motion(&movers[target as usize], &mut motions[target as usize], far_orientation);
        } else if other.can_be_moved() && self.kicks.len() < self.kicks.capacity() {
            self.kicks.push(Kick { slot: impact.slot, velocity: far_after.velocity, spin: far_after.spin });
        }
        if self.strikes.len() < self.strikes.capacity() {
            let touch = Touch::of(first, second, TouchKind::Struck);
            self.strikes.push(Touch { speed: -speed, impulse: blow, point, normal: impact.normal, ..touch });
        }
        true
    }
}

/// One side of a blow.
#[derive(Clone, Copy)]
struct Side {
    velocity: Vec3,
    spin: Vec3,
    inverse_mass: f32,
    inverse_inertia: Mat3,
}

impl Side {
    /// That of a mover at a time when it is turned like this.
    fn of(mover: &Mover, motion: &Motion, body: &Body, orientation: Quat) -> Side {
        let can_turn = mover.inverse_mass > 0.0 && !body.is(flag::UPRIGHT);
        let turned = Body { orientation, ..*body };
        Side {
            velocity: motion.velocity(),
            spin: mover.carry(motion.spin(), mover.orientation, orientation),
            inverse_mass: mover.inverse_mass,
            inverse_inertia: if can_turn { turned.inverse_inertia_world() } else { Mat3::ZERO },
        }
    }

    fn still(body: &Body) -> Side {
        let can_move = body.can_be_moved();
        let can_turn = can_move && !body.is(flag::UPRIGHT);
        Side {
            velocity: Vec3::ZERO,
            spin: Vec3::ZERO,
            inverse_mass: if can_move { body.inverse_mass } else { 0.0 },
            inverse_inertia: if can_turn { body.inverse_inertia_world() } else { Mat3::ZERO },
        }
    }

    fn at(&self, arm: Vec3) -> Vec3 {
        self.velocity + self.spin.cross(arm)
    }

    fn resistance(&self, arm: Vec3, direction: Vec3) -> f32 {
        let turn = arm.cross(direction);
        self.inverse_mass * direction.length_squared() + (self.inverse_inertia * turn).dot(turn)
    }

    fn hit(self, arm: Vec3, impulse: Vec3) -> Side {
        let velocity = self.velocity + impulse * self.inverse_mass;
        Side { velocity, spin: self.spin + self.inverse_inertia * arm.cross(impulse), ..self }
    }

    /// Written down as it will be when the step ends, if it is turned like this now.
    fn into_motion(self, mover: &Mover, motion: &mut Motion, orientation: Quat) {
        let spin = mover.carry(self.spin, orientation, mover.orientation);
        (motion.velocity, motion.spin) = (row(self.velocity), row(spin));
    }
}
