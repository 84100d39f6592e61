//! A tree goes back to the time of an impact, and is pushed there: see [`turning`](crate::ccd).
//!
//! Laws
//! 1. No tree gains energy by going back, and none but that of the impulse by a push.
//! 2. The centre of mass of a free tree keeps its path and its velocity.
//! 3. A result that is not finite is not applied.

use base::number::max;
use base::{Quat, Vec3};
use jobs::NONE as NO_BODY;

use crate::solve::articulations::factorization::{factorize, solve_impulses};
use crate::solve::articulations::jacobian::JointBody;
use crate::solve::articulations::link::{Link, update_jacobians};
use crate::solve::articulations::projection::ArticulationProjector;
use crate::solver_body::{SolverBody, SolverVelocity, pad, unpad};

/// How much more energy than its impulse gives may be in a tree that was pushed, as a fraction of its energy.
const ENERGY_TOLERANCE: f32 = 0.01;

impl ArticulationProjector<'_> {
    /// The tree of a solver body, and the anchor of its joint to its parent, relative to its centre of mass, in its own frame. The
    /// centre of mass itself if the joint does not hold an anchor.
    pub fn anchor_of(&self, solver_body: u32) -> Option<(u32, Vec3)> {
        let index_in = |list: &[u32]| list.get(solver_body as usize).copied().filter(|index| *index != NO_BODY);
        let (tree, node) = (index_in(&self.forest.tree_of)?, index_in(&self.forest.nodes)?);
        let [start, _] = self.ranges.get(tree as usize)?;
        let link = self.links.get((start + node) as usize)?;
        Some((tree, if link.holds_anchor() { link.own.anchor } else { Vec3::ZERO }))
    }

    /// Moves all bodies of a tree back to a part of the step, and reports them. Rotations are interpolated, and each body whose joint
    /// holds its anchor follows its parent: the gap between both anchors is interpolated too, so a joint that is satisfied stays so,
    /// and one that is torn open does not snap shut. Velocities relative to the parent turn with the body.
    pub fn rewind(
        &mut self,
        tree: u32,
        part: f32,
        (solver_bodies, velocities): (&mut [SolverBody], &mut [SolverVelocity]),
        mut report: impl FnMut(u32),
    ) {
        let links = self.bodies_of(tree);
        links.iter_mut().for_each(|link| link.read_velocities(solver_bodies, velocities));
        let is_free = !links.iter().any(Link::is_anchored);
        let [mean_moved, drift] = if is_free { mean_motion(links) } else { [Vec3::ZERO; 2] };
        let energy_before = energy(links, drift);
        let path_of = |index: u32| {
            let (solver_body, motion) = (solver_bodies.get(index as usize)?, velocities.get(index as usize)?);
            Some(StepPath::new(solver_body, motion))
        };
        for index in (0..links.len()).rev() {
            let parent = links.get(links[index].parent as usize).map(|parent| (parent.solver_body, parent.own));
            let link = &mut links[index];
            let Some(path) = path_of(link.solver_body) else { continue };
            let rotation = path.rotation_at(part);
            let angular_velocity = solver_bodies[link.solver_body as usize].transport_angular_velocity(
                path.end.angular_velocity,
                path.end.rotation,
                rotation,
            );
            let mut next = JointBody { moved: path.end.moved * part, rotation, angular_velocity, ..path.end };
            if link.holds_anchor() {
                let (other_index, other_next) = parent.unwrap_or((link.other_solver_body, link.other));
                let other = path_of(other_index).unwrap_or(StepPath::resting(link.other));
                let other_next = if parent.is_some() { other_next } else { other.at(part) };
                let gap = |part: f32| path.at(part).point(link.own.anchor) - other.at(part).point(link.other.anchor);
                let (from, to) = (gap(0.0), gap(1.0));
                let anchor = other_next.point(link.other.anchor) + from + (to - from) * part;
                next.moved = anchor - rotation.rotate(link.own.anchor) - path.end.center_of_mass;
                let relative = path.end.velocity - other.end.velocity_at(link.other.anchor);
                let back = rotation * path.end.rotation.conjugate();
                next.velocity = other_next.velocity_at(link.other.anchor) + back.rotate(relative);
            }
            (next.anchor, next.frame) = (link.own.anchor, link.own.frame);
            link.own = next;
        }
        let [moved, velocity] = if is_free { mean_motion(links) } else { [Vec3::ZERO; 2] };
        for link in &mut *links {
            link.own.moved += mean_moved * part - moved;
            link.own.velocity += drift - velocity;
        }
        // Where joints are torn open, velocities relative to the parent mean nothing.
        if energy(links, drift) > energy_before * (1.0 + ENERGY_TOLERANCE) {
            for link in &mut *links {
                let Some(StepPath { end, .. }) = path_of(link.solver_body) else { continue };
                let back = link.own.rotation * end.rotation.conjugate();
                (link.own.velocity, link.own.angular_velocity) = (end.velocity, back.rotate(end.angular_velocity));
            }
        }
        let is_valid = |link: &Link| {
            let JointBody { moved, velocity, angular_velocity, .. } = link.own;
            moved.is_finite() && velocity.is_finite() && angular_velocity.is_finite()
        };
        if !links.iter().all(is_valid) {
            return;
        }
        for link in links {
            let index = link.solver_body as usize;
            let motion = &mut velocities[index];
            motion.delta_rotation = pad(unpad(motion.delta_rotation) * part);
            motion.delta_position = pad(link.own.moved);
            (motion.linear, motion.angular) = (pad(link.own.velocity), pad(link.own.angular_velocity));
            solver_bodies[index].rotation = link.own.rotation;
            report(link.solver_body);
        }
    }

    /// Applies an impulse along a direction at an arm of a body to its tree, and returns it; `impulse` computes it from the inverse
    /// effective mass there. None is applied if the response is not finite, or so inaccurate that the tree would gain energy.
    pub fn push(
        &mut self,
        solver_body: u32,
        [direction, arm]: [Vec3; 2],
        (solver_bodies, velocities): (&[SolverBody], &mut [SolverVelocity]),
        impulse: impl FnOnce(f32) -> f32,
    ) -> f32 {
        let index_in = |list: &[u32]| list.get(solver_body as usize).copied().unwrap_or(NO_BODY);
        let (tree, at) = (index_in(&self.forest.tree_of), index_in(&self.forest.nodes) as usize);
        let links = self.bodies_of(tree);
        links.iter_mut().for_each(|link| link.read_velocities(solver_bodies, velocities));
        update_jacobians(links);
        links.iter_mut().for_each(|link| {
            link.fix_near_limits();
            link.partial = [0.0; 6];
        });
        factorize(links);
        let turn = arm.cross(direction);
        let Some(link) = links.get_mut(at) else { return 0.0 };
        link.partial = [direction.x, direction.y, direction.z, turn.x, turn.y, turn.z];
        if !solve_impulses(links) {
            return 0.0;
        }
        let [along, about] = links[at].response();
        let inverse_effective_mass = max((along + about.cross(arm)).dot(direction), f32::MIN_POSITIVE);
        let impulse = impulse(inverse_effective_mass);
        let own = &links[at].own;
        let speed = (own.velocity + own.angular_velocity.cross(arm)).dot(direction);
        let before = energy(links, Vec3::ZERO);
        let expected = before + impulse * (speed + 0.5 * impulse * inverse_effective_mass);
        for link in &mut *links {
            let [along, about] = link.response();
            link.own.velocity += along * impulse;
            link.own.angular_velocity += about * impulse;
        }
        let is_accurate = energy(links, Vec3::ZERO) <= expected + max(before, 0.0) * ENERGY_TOLERANCE;
        if !impulse.is_finite() || !is_accurate {
            return 0.0;
        }
        for link in links {
            let motion = &mut velocities[link.solver_body as usize];
            (motion.linear, motion.angular) = (pad(link.own.velocity), pad(link.own.angular_velocity));
        }
        impulse
    }
}

/// The centre of mass of all bodies of a tree, relative to where it was when the step began, and its velocity.
fn mean_motion(links: &[Link]) -> [Vec3; 2] {
    let mut mass_sum = 0.0;
    let mut sums = [Vec3::ZERO; 2];
    for link in links {
        let mass = link.mass();
        mass_sum += mass;
        sums = [sums[0] + link.own.moved * mass, sums[1] + link.own.velocity * mass];
    }
    sums.map(|sum| sum * (1.0 / mass_sum))
}

/// The kinetic energy of a tree relative to a velocity.
fn energy(links: &[Link], drift: Vec3) -> f32 {
    links.iter().fold(0.0, |sum, link| sum + link.energy(drift))
}

/// The motion of a body in the step.
struct StepPath {
    start_rotation: Quat,
    turn: Vec3,
    end: JointBody,
}

impl StepPath {
    fn new(solver_body: &SolverBody, motion: &SolverVelocity) -> StepPath {
        let end = JointBody {
            center_of_mass: solver_body.center_of_mass,
            moved: motion.delta_position(),
            rotation: solver_body.rotation,
            velocity: motion.linear(),
            angular_velocity: motion.angular(),
            ..JointBody::WORLD
        };
        StepPath { start_rotation: solver_body.start_rotation, turn: unpad(motion.delta_rotation), end }
    }

    fn resting(body: JointBody) -> StepPath {
        StepPath { start_rotation: body.rotation, turn: Vec3::ZERO, end: body }
    }

    fn rotation_at(&self, part: f32) -> Quat {
        (Quat::from_rotation_vector(self.turn * part) * self.start_rotation).normal()
    }

    /// Its pose after a part of the step, with the velocities of the end.
    fn at(&self, part: f32) -> JointBody {
        JointBody { moved: self.end.moved * part, rotation: self.rotation_at(part), ..self.end }
    }
}

impl JointBody {
    /// Where a point given relative to its centre of mass is.
    fn point(&self, local: Vec3) -> Vec3 {
        self.center_of_mass + self.moved + self.rotation.rotate(local)
    }

    /// The velocity of such a point.
    fn velocity_at(&self, local: Vec3) -> Vec3 {
        self.velocity + self.angular_velocity.cross(self.rotation.rotate(local))
    }
}
