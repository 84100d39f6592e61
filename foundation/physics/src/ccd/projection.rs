//! Projection of articulations: joined bodies whose centre of mass would pass into a static or kinematic body are moved
//! back, with their trees.
//!
//! Contacts and joints are solved alternately, and a heavy tree can overcome a light contact. The remaining penetration
//! is corrected here: the body is moved out along the surface normal, tangential motion is kept, and the tree follows
//! ([`ArticulationProjector::project`]). Other bodies of the tree that pass a surface by that are projected in the next
//! round; a body that still penetrates after the last one is stopped, and its joints open (law 4 of [`ccd`](super)).

use base::number::max;

use super::motion_segment::SKIN;
use super::{Ccd, CcdBody, CcdScene};
use crate::solve::articulations::projection::{ArticulationProjector, Projection};
use crate::solver_body::{SolverBody, SolverVelocity};

/// The largest number of rounds over all candidates.
const ROUNDS: u32 = 8;

impl Ccd {
    /// Projects all joined bodies that joints would drag into a static or kinematic body.
    pub(super) fn project_articulations(
        &mut self,
        scene: &CcdScene<'_>,
        projector: &mut ArticulationProjector<'_>,
        solver_bodies: &mut [SolverBody],
        velocities: &mut [SolverVelocity],
    ) {
        for _ in 0..ROUNDS {
            let mut is_any = false;
            for index in 0..self.bodies.len() {
                let Some(projection) = scene.projection_of(&self.bodies[index], solver_bodies, velocities) else {
                    continue;
                };
                let candidates = &mut self.candidates;
                is_any |= projector.project(&projection, (solver_bodies, velocities), |solver_body| {
                    candidates[solver_body as usize] = true
                });
            }
            if !is_any {
                break;
            }
            self.gather(scene, solver_bodies, velocities);
        }
    }
}

impl CcdScene<'_> {
    /// The projection that keeps a joined body outside, if it would pass a surface.
    fn projection_of(
        &self,
        ccd_body: &CcdBody,
        solver_bodies: &[SolverBody],
        velocities: &[SolverVelocity],
    ) -> Option<Projection> {
        let (solver_body, solver_velocity) =
            (&solver_bodies[ccd_body.solver_body as usize], &velocities[ccd_body.solver_body as usize]);
        if !solver_body.is_joined {
            return None;
        }
        let mut ccd_body = CcdBody { translation: solver_velocity.delta_position(), ..*ccd_body };
        self.find_next_impact(&mut ccd_body, solver_bodies, velocities);
        let impact = ccd_body.next?;
        let (_, other) = self.body(impact.slot).filter(|(_, other)| !other.is_dynamic())?;
        // A kinematic body moves on for the rest of the step.
        let surface_motion = self.motion_of(other, impact.slot, 0.0, solver_bodies, velocities).translation;
        let overshoot = (ccd_body.translation - surface_motion) * (1.0 - impact.time_of_impact);
        let distance = overshoot.dot(impact.normal) + SKIN * 0.5;
        let speed =
            max((solver_velocity.linear() - surface_motion * (1.0 / self.settings.seconds)).dot(impact.normal), 0.0);
        // A tree that its joints tore apart may have numbers that are not finite: its bodies are quarantined at the end of the step.
        (distance > SKIN * 0.5 && distance.is_finite() && speed.is_finite()).then_some(Projection {
            solver_body: ccd_body.solver_body,
            direction: -impact.normal,
            distance,
            speed,
        })
    }
}
