//! Position projection of an articulation: a body of a tree is moved, and the tree follows within its joints.
//!
//! The response of the tree to a unit impulse at the body's centre of mass is computed from the solver's factorization,
//! and scaled twice: to the required displacement, and to the required velocity change. So a body pushed out of a wall
//! pulls at its joints as if the wall had held it, and joint errors stay as they were (to first order).
//!
//! Laws
//! 1. The projection is linear: no body is rotated farther than [`TURN_MAX`], and the displacement falls short if it
//!    has to. If some body would move more than [`STRETCH_MAX`] times as far as required, nothing is done.
//! 2. No limit is exceeded: a coordinate near its limit is held where it is.
//! 3. A response that is not finite is not applied.
//!
//! A tree of which a body would turn through something goes back to the time of impact: see [`rewind`](super::rewind).

use base::Vec3;
use base::number::{max, min};
use jobs::NONE as NO_BODY;

use crate::joint::{JointKind, impulse};
use crate::solve::articulations::factorization::{factorize, solve_impulses};
use crate::solve::articulations::link::{ActiveSet, Link, update_jacobians};
use crate::solve::articulations::spanning_forest::SpanningForest;
use crate::solver_body::{SolverBody, SolverVelocity, integrate_rotation, pad, unpad};

/// The required displacement of a solver body, along a direction through its centre of mass.
#[derive(Clone, Copy, Debug)]
pub struct Projection {
    /// Index of the solver body.
    pub solver_body: u32,
    /// Direction, a unit vector.
    pub direction: Vec3,
    /// Required displacement.
    pub distance: f32,
    /// Required change of velocity.
    pub speed: f32,
}

/// The largest rotation by a projection, in radians.
const TURN_MAX: f32 = 0.1;

/// How many times as far as required a body may move: a body on rails that lead nearly along the wall would run away
/// along them.
const STRETCH_MAX: f32 = 10.0;

/// A coordinate this near to a limit, in radians or metres, is held.
const LIMIT_MARGIN: f32 = 0.2;

/// All trees as the solver left them.
pub struct ArticulationProjector<'a> {
    pub(super) forest: &'a SpanningForest,
    pub(super) links: &'a mut [Link],
    /// Where the links of each tree begin and end, loop-closing joints included.
    pub(super) ranges: &'a [[u32; 2]],
}

impl ArticulationProjector<'_> {
    /// Projects a body, if it is in a tree, and reports every solver body that moved. False if nothing was done.
    pub fn project(
        &mut self,
        projection: &Projection,
        (solver_bodies, velocities): (&mut [SolverBody], &mut [SolverVelocity]),
        mut report: impl FnMut(u32),
    ) -> bool {
        assert!(projection.distance > 0.0 && projection.speed >= 0.0, "a projection into the surface: {projection:?}");
        let index_in = |list: &[u32]| list.get(projection.solver_body as usize).copied().unwrap_or(NO_BODY) as usize;
        let (tree, at) = (index_in(&self.forest.tree_of), index_in(&self.forest.nodes));
        let Some([start, end]) = self.ranges.get(tree) else { return false };
        let links = &mut self.links[*start as usize..*end as usize];
        let count = links.iter().position(|link| link.is_loop_closure).unwrap_or(links.len());
        let bodies = &mut links[..count];
        bodies.iter_mut().for_each(|link| link.read_velocities(solver_bodies, velocities));
        update_jacobians(bodies);
        let Some(ProjectionScale { position, velocity }) = scale_response(bodies, at, projection) else { return false };
        for link in bodies {
            let (solver_body, solver_velocity) =
                (&mut solver_bodies[link.solver_body as usize], &mut velocities[link.solver_body as usize]);
            let [along, about] = link.response();
            solver_velocity.delta_position = pad(solver_velocity.delta_position() + along * position);
            solver_velocity.delta_rotation = pad(unpad(solver_velocity.delta_rotation) + about * position);
            solver_velocity.linear = pad(solver_velocity.linear() + along * velocity);
            solver_velocity.angular = pad(solver_velocity.angular() + about * velocity);
            solver_body.rotation = integrate_rotation(solver_body.rotation, about, position);
            report(link.solver_body);
        }
        true
    }
}

impl ArticulationProjector<'_> {
    /// The links of a tree that are bodies.
    pub(super) fn bodies_of(&mut self, tree: u32) -> &mut [Link] {
        let [start, end] = self.ranges.get(tree as usize).copied().unwrap_or_default();
        let links = &mut self.links[start as usize..end as usize];
        let count = links.iter().position(|link| link.is_loop_closure).unwrap_or(links.len());
        &mut links[..count]
    }
}

/// How much of the unit response is applied: to positions, and to velocities.
struct ProjectionScale {
    position: f32,
    velocity: f32,
}

fn scale_response(bodies: &mut [Link], at: usize, projection: &Projection) -> Option<ProjectionScale> {
    bodies.iter_mut().for_each(|link| {
        link.fix_near_limits();
        link.partial = [0.0; 6];
    });
    factorize(bodies);
    bodies.get_mut(at)?.partial[..3].copy_from_slice(&projection.direction.to_array());
    if !solve_impulses(bodies) {
        return None;
    }
    let inverse_effective_mass = bodies[at].response()[0].dot(projection.direction);
    let [along, turn] = bodies.iter().fold([0.0; 2], |[along, turn], link| {
        let response = link.response();
        [max(along, response[0].length()), max(turn, response[1].length())]
    });
    let position = min(projection.distance / inverse_effective_mass, TURN_MAX / max(turn, f32::MIN_POSITIVE));
    let velocity = projection.speed / inverse_effective_mass;
    let is_valid =
        along <= inverse_effective_mass * STRETCH_MAX && position > 0.0 && position.is_finite() && velocity.is_finite();
    is_valid.then_some(ProjectionScale { position, velocity })
}

impl Link {
    /// Holds coordinates near a limit in both directions, and releases motors.
    pub(super) fn fix_near_limits(&mut self) {
        let (joint, coordinates, rows) = (&self.joint, &self.coordinates, &self.rows);
        for (row, target) in rows.iter().zip(&mut self.targets) {
            let margin = match row.impulse_index {
                impulse::LIMIT => min(coordinates.coordinate - joint.lower, joint.upper - coordinates.coordinate),
                impulse::SWING => joint.swing_max - coordinates.swing,
                impulse::MOTOR => f32::INFINITY,
                _ => continue,
            };
            target.activity = if margin < LIMIT_MARGIN { ActiveSet::Free } else { ActiveSet::Fixed };
        }
    }

    /// Whether its joint holds its anchor at that of its parent.
    pub(super) fn holds_anchor(&self) -> bool {
        self.has_joint && matches!(self.joint.kind(), JointKind::Fixed | JointKind::Hinge | JointKind::Ball)
    }

    /// The response of its body: linear and angular.
    pub(super) fn response(&self) -> [Vec3; 2] {
        let [x, y, z, about_x, about_y, about_z] = self.velocity_change;
        [Vec3::new(x, y, z), Vec3::new(about_x, about_y, about_z)]
    }
}
