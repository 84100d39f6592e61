//! Pair bodies: what the narrow phase reads of a body, in one piece of memory.

use base::{Pcg, Random, Vec3};
use jobs::NONE as NO_BODY;

use crate::body::Body;
use crate::pose::Pose;
use crate::shape::Shape;
use crate::solver_body::SolverBody;

/// A body of a pair.
#[derive(Clone, Copy, Debug)]
pub struct PairBody {
    pub(super) pose: Pose,
    pub(super) center_of_mass: Vec3,
    pub(super) velocity: Vec3,
    pub(super) angular_velocity: Vec3,
    pub(super) acceleration: Vec3,
    /// Its solver index, or [`NO_BODY`].
    pub(super) solver_body: u32,
    pub(super) shape: u32,
    pub(super) flags: u32,
    pub(super) friction: f32,
    pub(super) restitution: f32,
    pub(super) rolling_resistance: f32,
    pub(super) inscribed_radius: f32,
    pub(super) bounding_radius: f32,
    /// Whether gravity or a force field accelerates it.
    pub(super) is_accelerated: bool,
}

/// The shape of a point for triggers: a sphere of a millimetre.
pub static POINT: Shape = Shape::Sphere(1.0e-3);

impl PairBody {
    /// A body that does not exist.
    pub const NO_BODY: PairBody = PairBody {
        pose: Pose::IDENTITY,
        center_of_mass: Vec3::ZERO,
        velocity: Vec3::ZERO,
        angular_velocity: Vec3::ZERO,
        acceleration: Vec3::ZERO,
        solver_body: NO_BODY,
        shape: 0,
        flags: 0,
        friction: 0.0,
        restitution: 0.0,
        rolling_resistance: 0.0,
        inscribed_radius: 0.0,
        bounding_radius: 0.0,
        is_accelerated: false,
    };

    /// Of a simulated body.
    pub fn of_solver_body(index: u32, body: &Body, solver_body: &SolverBody) -> PairBody {
        PairBody::new(
            body,
            index,
            solver_body.pose,
            solver_body.center_of_mass,
            [solver_body.acceleration, solver_body.external_acceleration],
        )
    }

    /// Of a resting body.
    pub(super) fn of_resting(body: &Body) -> PairBody {
        let pose = Pose::new(body.position, body.rotation);
        PairBody::new(body, NO_BODY, pose, pose.point(body.center_of_mass), [Vec3::ZERO; 2])
    }

    /// The radius of the largest sphere within its shape.
    pub(crate) fn inscribed_radius(&self) -> f32 {
        self.inscribed_radius
    }

    /// Its velocity at the start of the step.
    pub(crate) fn velocity(&self) -> Vec3 {
        self.velocity
    }

    /// Whether its body has this flag.
    #[inline]
    pub(super) fn is(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// The same moved by `far` in a direction seeded by the pair.
    #[cold]
    pub(super) fn beside(&self, pair: [u16; 2], far: f32) -> PairBody {
        let seed = u64::from(pair[0]) << 16 | u64::from(pair[1]);
        let position = self.pose.position + Pcg::new(seed, seed).on_sphere() * far;
        PairBody { pose: Pose { position, ..self.pose }, ..*self }
    }

    /// The same with its origin at the center of mass.
    pub(super) fn at_center_of_mass(&self) -> PairBody {
        PairBody { pose: Pose { position: self.center_of_mass, ..self.pose }, ..*self }
    }

    #[inline]
    fn new(
        body: &Body,
        solver_body: u32,
        pose: Pose,
        center_of_mass: Vec3,
        [acceleration, external_acceleration]: [Vec3; 2],
    ) -> PairBody {
        let Body {
            velocity,
            angular_velocity,
            shape,
            flags,
            friction,
            restitution,
            rolling_resistance,
            inscribed_radius,
            bounding_radius,
            ..
        } = *body;
        PairBody {
            pose,
            center_of_mass,
            velocity,
            angular_velocity,
            acceleration,
            solver_body,
            shape,
            flags,
            friction,
            restitution,
            rolling_resistance,
            inscribed_radius,
            bounding_radius,
            is_accelerated: external_acceleration != Vec3::ZERO,
        }
    }
}
