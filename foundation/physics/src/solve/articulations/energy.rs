//! Energy limiter: passive joints do no work.
//!
//! Joints are solved with finite sub-steps, with Jacobians that rotate within one, and in single precision, so a
//! solution can have more kinetic energy than the tree had before. This file keeps an energy budget per tree and
//! sub-step, and scales velocities down to it. The method is our own.
//!
//! Laws
//! 1. Solving joints only removes energy, except for the work of motors and springs and for pseudo impulses, which
//!    exist only while bodies move: position correction, and the chord instead of the arc. A motor does at most its
//!    force times its speed, a spring at most its stored energy.
//! 2. A tree without contacts has at the end of a sub-step at most the energy it had before, plus the work of forces
//!    along its actual displacement. The tolerance is the work of forces in one sub-step, and the energy times the
//!    square of the rotation per sub-step; for large rotations the second part is zero.
//! 3. The excess is removed by scaling all velocities relative to the mean motion of the tree by one factor: so joints
//!    stay satisfied, and momentum is kept. If the tree is anchored, the velocities themselves are scaled.
//! 4. Contacts with static bodies do no work either: relative to the world, a tree has at most its energy and the work
//!    of all other contacts. The excess is removed by scaling all velocities by one factor, so joints and contacts stay
//!    satisfied. Contacts of a tree with other bodies give it no more than these lose, and contacts with a kinematic body no more than
//!    the work of their impulses at its velocity.
//! 5. A tree joined to a moving kinematic body has no budget: that body does work on it.

use base::Vec3;
use base::number::{abs, clamp, max, min, sqrt};
use jobs::NONE as NO_BODY;

use crate::joint::{JointKind, impulse};
use crate::solve::articulations::link::{
    EnergyBudget, Link, SolvePass, joint_bodies, remove_pseudo_impulses, reset_impulses, rotates_too_far,
};
use crate::solve::articulations::targets::PREDICTED_TURN_MAX;
use crate::solve::articulations::{each_tree, is_partner};

/// Relative excess that counts as rounding.
const ROUNDING: f32 = 1.0e-6;
/// How many times its energy a tree may have while it moves: the velocity along the chord of an arc is larger.
const CHORD_GAIN: f32 = 1.25;
/// How many times the work of forces in one sub-step joints may add while they carry a load: planks of a bridge under
/// crates of thirty times their mass.
const LOAD_FACTOR: f32 = 1.0e5;
/// Joints that leave at most this part of the energy count as an impact.
const IMPACT_REMAINDER: f32 = 0.5;
/// If velocities have to be scaled by less than this, the solution is considered wrong and impulses are reset.
const DISCARD_BELOW: f32 = 0.5;

/// Begins a sub-step, after forces were applied.
pub fn begin_substep(links: &mut [Link], seconds: f32) {
    for index in 0..links.len() {
        let link = &mut links[index];
        (link.substep_start.moved, link.substep_start.velocity, link.substep_start.angular_velocity) =
            (link.own.moved, link.own.velocity, link.own.angular_velocity);
        if links[index].has_joint && links[index].has_actuator() {
            record_actuator_limits(links, index, seconds);
        }
    }
    let mean = MeanMotion::of(links);
    let gained = bodies(links).fold(0.0, |sum, link| {
        let (velocity, pull) = (link.own.velocity - mean.velocity, (link.acceleration - mean.acceleration) * seconds);
        sum + link.mass() * (velocity - pull * 0.5).dot(pull)
    });
    let substep_gain =
        bodies(links).fold(0.0, |sum, link| sum + 0.5 * link.mass() * link.acceleration.length_squared());
    let (after_forces, substep_gain) = (energy(links, &mean), substep_gain * seconds * seconds);
    let after_forces_world = energy(links, &MeanMotion::default());
    links[0].budget = EnergyBudget {
        before_forces: after_forces - gained,
        after_forces,
        substep_gain,
        after_forces_world,
        ..EnergyBudget::default()
    };
}

/// Checks the energy after warm starting. After an impact, the old impulses are no approximation: contacts, which are
/// solved before joints, would turn them into motion.
pub fn check_warm_start(links: &mut [Link]) {
    let EnergyBudget { after_forces, substep_gain, .. } = links[0].budget;
    let is_fit = energy(links, &MeanMotion::of(links)) <= after_forces * CHORD_GAIN + substep_gain * LOAD_FACTOR;
    if !is_fit && !links.iter().any(Link::is_moved_by_anchor) {
        discard_solve(links);
    }
    record_joint_energy(links);
}

/// Records how much work motor and springs can do at most, and the velocities of their rows.
fn record_actuator_limits(links: &mut [Link], index: usize, seconds: f32) {
    let [first, second] = joint_bodies(links, index);
    let link = &links[index];
    let parent = links.get(link.parent as usize);
    let pulls = [link.acceleration, parent.map_or(Vec3::ZERO, |parent| parent.acceleration)];
    let pull = if link.is_first { pulls[1] - pulls[0] } else { pulls[0] - pulls[1] } * seconds;
    let (joint, mut start, is_too_fast) = (&link.joint, link.substep_start, rotates_too_far(links, index, seconds));
    for (number, row) in link.rows.iter().enumerate().filter(|(_, row)| link.is_actuator_row(row.impulse_index)) {
        start.row_speeds[number] = row.relative_velocity(&first, &second) - row.linear.dot(pull);
        let error = match row.impulse_index {
            impulse::SPRING => link.coordinates.coordinate - joint.rest,
            impulse::MOTOR => 0.0,
            lock => link.coordinates.locked[lock],
        };
        let inverse_mass = max(link.inverse_effective_mass(parent, row), f32::MIN_POSITIVE);
        let mass = if link.spring_mass > 0.0 { link.spring_mass } else { 1.0 / inverse_mass };
        // It may pass its rest position within the sub-step.
        let error = abs(error) + abs(start.row_speeds[number]) * seconds;
        let swing = core::f32::consts::TAU * joint.hertz * error;
        start.work_max[number] = match row.impulse_index {
            impulse::MOTOR => joint.motor_force * abs(joint.motor_speed) * seconds,
            // Where arms rotate too far to be predicted, the energy of a spring is unknown.
            _ if is_too_fast => 0.0,
            _ => 0.5 * mass * swing * swing,
        };
    }
    links[index].substep_start = start;
}

/// Records the work of contacts since joints were solved last.
pub fn record_contact_work(links: &mut [Link]) {
    let (now, is_coupled) = (energy(links, &MeanMotion::of(links)), links[0].is_coupled);
    let budget = &mut links[0].budget;
    budget.contact_work += now - budget.after_joints;
    // A tree in contact is loaded by the contacts and held by its joints: only both together are in balance.
    budget.allowed = if is_coupled { now } else { budget.after_forces + max(budget.contact_work, 0.0) };
}

/// Records the energy after joints were solved.
pub fn record_joint_energy(links: &mut [Link]) {
    links[0].budget.after_joints = energy(links, &MeanMotion::of(links));
    links[0].budget.after_joints_world = energy(links, &MeanMotion::default());
}

/// Records the work of everything but tree contacts since joints were solved last; [`record_exchange`] adds theirs.
pub fn record_external_work(links: &mut [Link]) {
    let now = energy(links, &MeanMotion::default());
    links[0].budget.external_work += now - links[0].budget.after_joints_world;
}

/// Ends a sub-step of a tree whose immovable contacts do not move: removes the excess.
pub fn limit_tree_contacts(links: &mut [Link]) {
    let EnergyBudget { after_forces_world, external_work, substep_gain, .. } = links[0].budget;
    if !links.iter().any(Link::is_moved_by_anchor) {
        let limit = after_forces_world + max(external_work, 0.0) + actuator_work(links) + substep_gain;
        scale_to(links, &MeanMotion::default(), limit);
    }
}

/// Solves joints with position bias; if the result has more energy than correction can explain, restores and solves
/// without.
pub fn solve_joints(links: &mut [Link], soft: &SolvePass, hard: &SolvePass, work: impl Fn(&mut [Link], &SolvePass)) {
    save_velocities(links);
    work(links, soft);
    if links.iter().any(Link::is_moved_by_anchor) {
        return;
    }
    let mean = MeanMotion::of(links);
    if energy(links, &mean) <= allowed_while_moving(links, soft) {
        return;
    }
    restore_velocities(links);
    links.iter_mut().for_each(|link| link.joint.impulses = link.substep_start.impulses);
    work(links, hard);
    let limit = allowed_while_moving(links, hard);
    scale_to(links, &MeanMotion::of(links), limit);
}

/// Applies contacts to a group of trees and free bodies, which may push bodies apart at this speed. If the result has more
/// energy than they can give, restores the velocities and returns false.
pub fn guard_tree_contacts(links: &mut [Link], push_speed: f32, work: impl FnOnce(&mut [Link]) -> bool) -> bool {
    save_velocities(links);
    let before = energy(links, &MeanMotion::default());
    let is_done = record_exchange(links, work);
    let now = energy(links, &MeanMotion::default());
    let (mut limit, mut is_moved_by_anchor) = (0.0, false);
    each_tree(links, |links| {
        let EnergyBudget { after_forces_world, external_work, substep_gain, before_contacts, driven_work, .. } =
            links[0].budget;
        limit += if is_partner(links) {
            before_contacts + max(driven_work, 0.0)
        } else {
            (after_forces_world + max(external_work, 0.0) + actuator_work(links)) * CHORD_GAIN
                + substep_gain * LOAD_FACTOR
        };
        limit += 0.5 * generalized_mass(links) * push_speed * push_speed;
        is_moved_by_anchor |= links.iter().any(Link::is_moved_by_anchor);
    });
    let is_fit = is_done && (now <= max(limit, before) || now.is_finite() && is_moved_by_anchor);
    if !is_fit {
        restore_impulses_and_velocities(links);
    }
    is_fit
}

/// Applies contacts to a group. If the result is not finite, restores the velocities and returns false.
pub fn keep_finite(links: &mut [Link], work: impl FnOnce(&mut [Link]) -> bool) -> bool {
    save_velocities(links);
    let is_finite = record_exchange(links, work) && energy(links, &MeanMotion::default()).is_finite();
    if !is_finite {
        restore_impulses_and_velocities(links);
    }
    is_finite
}

fn restore_impulses_and_velocities(links: &mut [Link]) {
    for link in links {
        (link.own.velocity, link.own.angular_velocity) =
            (link.substep_start.velocity, link.substep_start.angular_velocity);
        link.joint.impulses = link.substep_start.impulses;
    }
}

/// Applies contacts to a group, and records for each tree what the others of the group and kinematic bodies gave it: that is work from
/// outside the tree.
pub fn record_exchange(links: &mut [Link], work: impl FnOnce(&mut [Link]) -> bool) -> bool {
    let mut before = 0.0;
    each_tree(links, |links| {
        links[0].budget.before_contacts = energy(links, &MeanMotion::default());
        links[0].budget.driven_work = 0.0;
        before += links[0].budget.before_contacts;
    });
    let is_done = work(links);
    let (now, mut driven_work) = (energy(links, &MeanMotion::default()), 0.0);
    each_tree(links, |links| driven_work += links[0].budget.driven_work);
    each_tree(links, |links| {
        let (own_before, own_now) = (links[0].budget.before_contacts, energy(links, &MeanMotion::default()));
        let given = (before - own_before) - (now - own_now) + driven_work;
        links[0].budget.external_work += if given.is_finite() { given } else { 0.0 };
    });
    is_done
}

/// The largest energy of a tree while it moves, with the pseudo impulses of position correction and of the chord.
fn allowed_while_moving(links: &[Link], pass: &SolvePass) -> f32 {
    let EnergyBudget { allowed, substep_gain, .. } = links[0].budget;
    let driven = actuator_work(links);
    let correction =
        links.iter().fold(0.0, |largest, link| max(largest, link.position_error_max())) * pass.stiffness.bias_rate;
    let correction = min(correction, pass.push_speed_max);
    let pseudo = if pass.is_biased { 0.5 * generalized_mass(links) * correction * correction } else { 0.0 };
    (allowed + driven) * CHORD_GAIN + substep_gain + pseudo
}

/// Sum of all masses and of the traces of all inertia tensors.
fn generalized_mass(links: &[Link]) -> f32 {
    bodies(links).fold(0.0, |sum, link| {
        let [x, y, z] = link.inertia.columns;
        sum + link.mass() + if link.can_rotate { x.x + y.y + z.z } else { 0.0 }
    })
}

/// After the bodies have moved: removes pseudo impulses before contacts take them for motion and pass them on, if the
/// tree moves faster than bearing a load explains. A tree at rest stays in balance until its joints are solved again.
pub fn settle_pseudo_impulses(links: &mut [Link]) {
    let EnergyBudget { allowed, substep_gain, .. } = links[0].budget;
    if max(allowed, links[0].budget.after_joints) <= substep_gain * LOAD_FACTOR {
        // Bodies have rotated: the same angular velocity is another energy.
        links[0].budget.after_joints_world = energy(links, &MeanMotion::default());
        return;
    }
    remove_pseudo_impulses(links);
    if links[0].is_coupled && !links.iter().any(Link::is_moved_by_anchor) {
        let limit = allowed + substep_gain + actuator_work(links);
        scale_to(links, &MeanMotion::of(links), limit);
    }
    record_joint_energy(links);
    links[0].budget.had_impact = links[0].budget.after_joints < allowed * IMPACT_REMAINDER;
}

/// Ends a sub-step with an impact: its impulses are no approximation for the next.
pub fn reset_after_impact(links: &mut [Link]) {
    if links[0].budget.had_impact {
        reset_impulses(links);
    }
}

/// Ends a sub-step: removes excess energy.
pub fn limit_energy(links: &mut [Link], seconds: f32) {
    if links.iter().any(Link::is_moved_by_anchor) {
        return;
    }
    let (mean, driven) = (MeanMotion::of(links), actuator_work(links));
    let EnergyBudget { before_forces, contact_work, allowed, substep_gain, .. } = links[0].budget;
    let limit = if links[0].is_coupled {
        allowed + driven
    } else {
        let forces = bodies(links).fold(0.0, |sum, link| {
            let translation = link.own.moved - link.substep_start.moved - mean.moved;
            sum + link.mass() * (link.acceleration - mean.acceleration).dot(translation)
        });
        let turn = bodies(links).fold(0.0, |largest, link| max(largest, link.own.angular_velocity.length_squared()))
            * seconds
            * seconds;
        (before_forces + forces + max(contact_work, 0.0) + driven)
            * (1.0 + if turn < PREDICTED_TURN_MAX * PREDICTED_TURN_MAX { turn } else { 0.0 })
    };
    scale_to(links, &mean, limit + substep_gain);
}

/// Scales velocities relative to a mean motion down to an energy.
fn scale_to(links: &mut [Link], mean: &MeanMotion, limit: f32) {
    let now = energy(links, mean);
    if !now.is_finite() {
        discard_solve(links);
        return;
    }
    if now <= limit + limit * ROUNDING {
        return;
    }
    let kept = sqrt(max(limit, 0.0) / now);
    for link in links.iter_mut().filter(|link| !link.is_loop_closure) {
        link.own.velocity = mean.velocity + (link.own.velocity - mean.velocity) * kept;
        if link.can_rotate {
            link.own.angular_velocity *= kept;
        }
    }
    // An error this large makes the impulses useless for warm starting.
    if kept < DISCARD_BELOW {
        reset_impulses(links);
    }
}

/// Saves velocities and impulses before a solve.
fn save_velocities(links: &mut [Link]) {
    for link in links {
        (link.substep_start.velocity, link.substep_start.angular_velocity) =
            (link.own.velocity, link.own.angular_velocity);
        link.substep_start.impulses = link.joint.impulses;
    }
}

/// Restores the velocities from before the solve.
fn restore_velocities(links: &mut [Link]) {
    for link in links {
        (link.own.velocity, link.own.angular_velocity) =
            (link.substep_start.velocity, link.substep_start.angular_velocity);
        link.pseudo_impulses.fill(0.0);
    }
}

fn discard_solve(links: &mut [Link]) {
    restore_velocities(links);
    reset_impulses(links);
}

fn actuator_work(links: &[Link]) -> f32 {
    (0..links.len()).fold(0.0, |sum, index| sum + actuator_work_of(links, index))
}

/// The work of the motor and spring of a joint: impulse times mean velocity. Negative work counts as zero.
fn actuator_work_of(links: &[Link], index: usize) -> f32 {
    let link = &links[index];
    if !link.has_joint || !link.has_actuator() {
        return 0.0;
    }
    let [first, second] = joint_bodies(links, index);
    let rows = link.rows.iter().enumerate().filter(|(_, row)| link.is_actuator_row(row.impulse_index));
    rows.fold(0.0, |sum, (number, row)| {
        let speed = (link.substep_start.row_speeds[number] + row.relative_velocity(&first, &second)) * 0.5;
        sum + clamp(link.joint.impulses[row.impulse_index] * speed, 0.0, link.substep_start.work_max[number])
    })
}

/// The mean motion of a tree: of its centre of mass, or zero if it is anchored.
#[derive(Default)]
struct MeanMotion {
    velocity: Vec3,
    moved: Vec3,
    acceleration: Vec3,
}

impl MeanMotion {
    fn of(links: &[Link]) -> MeanMotion {
        if links.iter().any(Link::is_anchored) {
            return MeanMotion::default();
        }
        let mut mean = MeanMotion::default();
        let mut total = 0.0;
        for link in bodies(links) {
            let mass = link.mass();
            total += mass;
            mean.velocity += link.own.velocity * mass;
            mean.moved += (link.own.moved - link.substep_start.moved) * mass;
            mean.acceleration += link.acceleration * mass;
        }
        let part = 1.0 / max(total, f32::MIN_POSITIVE);
        MeanMotion { velocity: mean.velocity * part, moved: mean.moved * part, acceleration: mean.acceleration * part }
    }
}

fn energy(links: &[Link], mean: &MeanMotion) -> f32 {
    bodies(links).fold(0.0, |sum, link| sum + link.energy(mean.velocity))
}

fn bodies(links: &[Link]) -> impl Iterator<Item = &Link> {
    links.iter().filter(|link| !link.is_loop_closure)
}

impl Link {
    pub(super) fn mass(&self) -> f32 {
        1.0 / max(self.inverse_mass, f32::MIN_POSITIVE)
    }

    /// Whether it is joined to the world, or to a static or kinematic body.
    pub(super) fn is_anchored(&self) -> bool {
        self.has_joint && self.parent == NO_BODY
    }

    /// Whether it is joined to a kinematic body that moves.
    fn is_moved_by_anchor(&self) -> bool {
        self.is_anchored() && (self.other.velocity != Vec3::ZERO || self.other.angular_velocity != Vec3::ZERO)
    }

    /// The largest position error of its joint.
    fn position_error_max(&self) -> f32 {
        if !self.has_joint {
            return 0.0;
        }
        let (joint, now) = (&self.joint, &self.coordinates);
        self.rows.iter().fold(0.0, |largest, row| {
            let error = match row.impulse_index {
                impulse::MOTOR | impulse::SPRING => 0.0,
                impulse::SWING => max(now.swing - joint.swing_max, 0.0),
                impulse::LIMIT => max(max(joint.lower - now.coordinate, now.coordinate - joint.upper), 0.0),
                lock => abs(now.locked[lock]),
            };
            max(largest, error)
        })
    }

    /// Whether its joint can do work: it has a motor or a spring.
    fn has_actuator(&self) -> bool {
        self.joint.motor_force > 0.0 || self.joint.hertz > 0.0
    }

    fn is_actuator_row(&self, impulse_index: usize) -> bool {
        let is_biased = self.joint.hertz > 0.0 && matches!(self.joint.kind(), JointKind::Fixed | JointKind::Ball);
        matches!(impulse_index, impulse::MOTOR | impulse::SPRING) || is_biased && impulse_index < impulse::LIMIT
    }

    /// The kinetic energy of its body relative to a velocity.
    pub(super) fn energy(&self, drift: Vec3) -> f32 {
        let angular_velocity = self.own.angular_velocity;
        let turning = if !self.can_rotate {
            0.0
        } else if self.moments == Vec3::ZERO {
            angular_velocity.dot(self.inertia * angular_velocity)
        } else {
            let local = (self.own.rotation * self.principal_axes).rotate_back(angular_velocity);
            local.dot(self.moments.times(local))
        };
        0.5 * (self.mass() * (self.own.velocity - drift).length_squared() + turning)
    }
}
