//! Targets: the velocity error, softness and impulse bounds of each row of a joint.
//!
//! Locks and limits are stabilized softly, by frequency and damping ratio, in small sub-steps (Catto 2011; Macklin et
//! al. 2019, "Small steps"). A spring is integrated implicitly only as far as stability needs.
//!
//! Law: accumulated impulses stay within the bounds of their rows.

use base::number::{clamp, max};

use crate::joint::{JointKind, impulse};
use crate::solve::articulations::jacobian::{
    JointBody, JointCoordinates, JointFrames, motor_target_speed, nearer_limit,
};
use crate::solve::articulations::link::{ActiveSet, Link, SolvePass, Target, apply_impulse, joint_bodies};

/// Bodies that rotate farther in a sub-step are not predicted, in radians.
pub const PREDICTED_TURN_MAX: f32 = 0.3;
/// The same for trees with pseudo impulses, where a wrong prediction cannot accumulate.
const PREDICTED_TURN_MAX_COUPLED: f32 = 0.8;
/// Softness of bounded rows, as a part of their inverse effective mass: nearly parallel rows share their load.
const ROW_COMPLIANCE: f32 = 1.0e-6;
/// Softness of loop-closing rows: loads that the tree carries already decay.
const LOOP_COMPLIANCE: f32 = 1.0e-3;
/// The smallest implicit part of a spring. A fully implicit spring is damped; a fully explicit one would divide by
/// zero.
const IMPLICIT_PART_MIN: f32 = 1.0e-3;

/// Sets the target of each row. True if an impulse had to be clamped.
pub fn set_targets(links: &mut [Link], index: usize, pass: &SolvePass, is_first: bool) -> bool {
    if !links[index].has_joint {
        return false;
    }
    let [first, second] = joint_bodies(links, index);
    let turn_max = if links[index].is_coupled { PREDICTED_TURN_MAX_COUPLED } else { PREDICTED_TURN_MAX };
    let is_too_fast = rotates_farther(&first, pass, turn_max) || rotates_farther(&second, pass, turn_max);
    let is_predicted = pass.is_biased && !is_too_fast;
    let link = &links[index];
    let predicted = if is_predicted {
        JointFrames::new(&first.predicted(pass.seconds), &second.predicted(pass.seconds)).coordinates(&link.joint)
    } else {
        link.coordinates
    };
    for number in 0..links[index].rows.count {
        let link = &links[index];
        let row = &link.rows.list[number];
        let inverse_effective_mass = link.inverse_effective_mass(links.get(link.parent as usize), row);
        let input = TargetInput {
            link,
            pass,
            predicted: &predicted,
            is_predicted,
            speed: row.relative_velocity(&first, &second),
            inverse_effective_mass,
        };
        let mut target = input.target(row.impulse_index);
        let impulse = link.joint.impulses[row.impulse_index];
        target.activity = match (target.activity, is_first) {
            (ActiveSet::Fixed, _) => ActiveSet::Fixed,
            (_, false) => link.targets[number].activity,
            _ if impulse <= target.lower && target.velocity_error >= 0.0 => ActiveSet::AtLower,
            _ if impulse >= target.upper && target.velocity_error <= 0.0 => ActiveSet::AtUpper,
            _ => ActiveSet::Free,
        };
        links[index].targets[number] = target;
    }
    links[index].resolve_motor_limit();
    clamp_impulses(links, index)
}

/// Clamps impulses to their bounds, or sets them to the bound of their active set. True if one changed.
pub fn clamp_impulses(links: &mut [Link], index: usize) -> bool {
    let mut is_changed = false;
    for number in 0..links[index].rows.count {
        let (row, target) = (links[index].rows.list[number], &links[index].targets[number]);
        let before = links[index].joint.impulses[row.impulse_index];
        let next = match target.activity {
            ActiveSet::AtLower => target.lower,
            ActiveSet::AtUpper => target.upper,
            ActiveSet::Free | ActiveSet::Fixed => clamp(before, target.lower, target.upper),
        };
        if next != before {
            links[index].joint.impulses[row.impulse_index] = next;
            apply_impulse(links, index, &row, next - before);
            is_changed = true;
        }
    }
    is_changed
}

/// Everything that a target depends on.
struct TargetInput<'a> {
    link: &'a Link,
    pass: &'a SolvePass,
    predicted: &'a JointCoordinates,
    is_predicted: bool,
    speed: f32,
    inverse_effective_mass: f32,
}

impl TargetInput<'_> {
    fn target(&self, impulse_index: usize) -> Target {
        let (link, pass) = (self.link, self.pass);
        let (joint, now) = (&link.joint, &link.coordinates);
        let target = match impulse_index {
            impulse::MOTOR => {
                let upper = joint.motor_force * pass.seconds;
                let velocity_error = self.speed - motor_target_speed(joint, now, pass.target_rate);
                Target { velocity_error, unbiased_error: velocity_error, ..Target::bounded(-upper, upper) }
            }
            impulse::SPRING => self.spring(now.coordinate - joint.rest, joint.impulses[impulse_index]),
            impulse::SWING => self.inequality(-1.0, now.swing - joint.swing_max, self.predicted.swing - now.swing),
            impulse::LIMIT => {
                let displacement = self.predicted.coordinate - now.coordinate;
                match nearer_limit(joint, now.coordinate) {
                    side if side > 0.0 => self.inequality(side, now.coordinate - joint.lower, displacement),
                    side if side < 0.0 => self.inequality(side, now.coordinate - joint.upper, displacement),
                    _ => self.equality(
                        now.coordinate - (joint.lower + joint.upper) * 0.5,
                        displacement,
                        joint.impulses[impulse_index],
                    ),
                }
            }
            _ if joint.hertz > 0.0 && matches!(joint.kind(), JointKind::Fixed | JointKind::Ball) => {
                self.spring(now.locked[impulse_index], joint.impulses[impulse_index])
            }
            _ => self.equality(
                now.locked[impulse_index],
                self.predicted.locked[impulse_index] - now.locked[impulse_index],
                joint.impulses[impulse_index],
            ),
        };
        // Locks are linearly independent, and softness in the tree would weaken its loops.
        let compliance =
            if impulse_index < impulse::LIMIT { 0.0 } else { self.inverse_effective_mass * ROW_COMPLIANCE };
        Target { softness: target.softness + compliance, ..target }
    }

    /// An equality row, from its position error and its predicted displacement.
    fn equality(&self, value: f32, displacement: f32, impulse: f32) -> Target {
        let target = Target::bounded(f32::NEG_INFINITY, f32::INFINITY);
        let softness = match (self.link.is_loop_closure, self.link.is_solved_alone && self.pass.is_biased) {
            (_, true) => {
                let scale = self.pass.stiffness.mass_scale;
                self.inverse_effective_mass * (1.0 - scale) / max(scale, 0.01)
            }
            (true, false) => self.inverse_effective_mass * LOOP_COMPLIANCE,
            (false, false) => 0.0,
        };
        let soft = softness * impulse;
        if !self.pass.is_biased {
            return Target { velocity_error: self.speed + soft, unbiased_error: self.speed + soft, softness, ..target };
        }
        let velocity_error = self.predicted_speed(displacement) + self.bias_speed(value) + soft;
        let is_pseudo = self.link.is_coupled || !self.is_predicted;
        let unbiased_error = if is_pseudo { self.speed + soft } else { velocity_error };
        Target { velocity_error, unbiased_error, softness, ..target }
    }

    /// An inequality row: the coordinate may approach its limit, but not pass it.
    fn inequality(&self, side: f32, value: f32, displacement: f32) -> Target {
        let target =
            if side > 0.0 { Target::bounded(0.0, f32::INFINITY) } else { Target::bounded(f32::NEG_INFINITY, 0.0) };
        let is_within = value * side > 0.0;
        let bias = match (is_within, self.pass.is_biased) {
            (true, _) => value / self.pass.seconds,
            (false, true) => self.bias_speed(value),
            (false, false) => 0.0,
        };
        let velocity_error = self.predicted_speed(displacement) + bias;
        Target { velocity_error, unbiased_error: if is_within { velocity_error } else { self.speed }, ..target }
    }

    /// A spring row, integrated implicitly only as far as stability needs: the smaller that part, the less numerical
    /// damping.
    fn spring(&self, value: f32, impulse: f32) -> Target {
        let target = Target::bounded(f32::NEG_INFINITY, f32::INFINITY);
        let (link, seconds) = (self.link, self.pass.seconds);
        if !self.pass.is_biased || self.inverse_effective_mass <= 0.0 {
            return Target { activity: ActiveSet::Fixed, ..target };
        }
        let omega = core::f32::consts::TAU * link.joint.hertz;
        let square = omega * omega * seconds * seconds;
        let implicit = max(1.0 - 1.0 / max(square, 1.0e-6), IMPLICIT_PART_MIN);
        let mass = if link.spring_mass > 0.0 { link.spring_mass } else { 1.0 / self.inverse_effective_mass };
        let (stiffness, damping) = (mass * omega * omega, 2.0 * mass * link.joint.damping_ratio * omega);
        let hold = damping + implicit * seconds * stiffness;
        let softness = 1.0 / max(seconds * hold, 1.0e-12);
        let velocity_error = self.speed + softness * (seconds * stiffness * value + impulse);
        Target { velocity_error, unbiased_error: velocity_error, softness, ..target }
    }

    fn predicted_speed(&self, displacement: f32) -> f32 {
        if self.is_predicted { displacement / self.pass.seconds } else { self.speed }
    }

    fn bias_speed(&self, value: f32) -> f32 {
        let upper = self.pass.push_speed_max;
        clamp(value * self.pass.stiffness.bias_rate, -upper, upper)
    }
}

impl Target {
    fn bounded(lower: f32, upper: f32) -> Target {
        Target { lower, upper, ..Target::default() }
    }
}

impl Link {
    /// A motor and a limit act along the same coordinate: a motor that pushes into an active limit keeps its impulse;
    /// one that drives away from it releases the limit.
    fn resolve_motor_limit(&mut self) {
        let row_of = |index: usize| self.rows.iter().position(|row| row.impulse_index == index);
        let (Some(limit), Some(motor)) = (row_of(impulse::LIMIT), row_of(impulse::MOTOR)) else { return };
        if self.joint.kind() == JointKind::Wheel
            || self.targets[limit].activity != ActiveSet::Free
            || self.targets[motor].activity != ActiveSet::Free
        {
            return;
        }
        let is_at_lower = self.targets[limit].upper > 0.0 && self.targets[limit].lower == 0.0;
        let is_at_upper = self.targets[limit].upper == 0.0;
        let velocity_error = self.targets[motor].velocity_error;
        if is_at_lower && velocity_error < 0.0 {
            self.targets[limit].activity = ActiveSet::AtLower;
        } else if is_at_upper && velocity_error > 0.0 {
            self.targets[limit].activity = ActiveSet::AtUpper;
        } else {
            self.targets[motor].activity = ActiveSet::Fixed;
        }
    }
}

/// Whether a body rotates farther than this angle in a sub-step.
pub fn rotates_farther(body: &JointBody, pass: &SolvePass, angle: f32) -> bool {
    body.angular_velocity.length_squared() * pass.seconds * pass.seconds > angle * angle
}
