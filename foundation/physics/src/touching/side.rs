//! Sides: all that a look at a pair needs of each of both, side by side.

use base::{Pcg, Random, Vec3};
use state::share::NOBODY;

use crate::body::Body;
use crate::mover::Mover;
use crate::pose::Pose;
use crate::shape::Shape;

/// One side of a pair: all that a look at it needs, side by side.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    pub(super) pose: Pose,
    pub(super) centre: Vec3,
    pub(super) velocity: Vec3,
    pub(super) spin: Vec3,
    pub(super) acceleration: Vec3,
    /// Which mover it is, or [`NOBODY`].
    pub(super) mover: u32,
    pub(super) shape: u32,
    pub(super) flags: u32,
    pub(super) friction: f32,
    pub(super) restitution: f32,
    pub(super) rolling: f32,
    pub(super) inner: f32,
    pub(super) reach: f32,
    /// Whether something pulls at it besides forces.
    pub(super) is_pulled: bool,
}

/// What triggers see of a point: next to nothing.
pub static POINT: Shape = Shape::Sphere(1.0e-3);

impl Side {
    /// Nobody.
    pub const NOBODY: Side = Side {
        pose: Pose::IDENTITY,
        centre: Vec3::ZERO,
        velocity: Vec3::ZERO,
        spin: Vec3::ZERO,
        acceleration: Vec3::ZERO,
        mover: NOBODY,
        shape: 0,
        flags: 0,
        friction: 0.0,
        restitution: 0.0,
        rolling: 0.0,
        inner: 0.0,
        reach: 0.0,
        is_pulled: false,
    };

    /// That of a body that moves.
    pub fn of_mover(index: u32, body: &Body, mover: &Mover) -> Side {
        Side::new(body, index, mover.pose, mover.centre, [mover.acceleration, mover.felt])
    }

    /// That of a body that does not.
    pub(super) fn of_resting(body: &Body) -> Side {
        let pose = Pose::new(body.position, body.orientation);
        Side::new(body, NOBODY, pose, pose.point(body.centre), [Vec3::ZERO; 2])
    }

    /// Whether its body has this flag.
    #[inline]
    pub(super) fn is(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// The same a little aside, in a direction that follows from who the two are.
    #[cold]
    pub(super) fn beside(&self, pair: [u16; 2], far: f32) -> Side {
        let seed = u64::from(pair[0]) << 16 | u64::from(pair[1]);
        let position = self.pose.position + Pcg::new(seed, seed).on_sphere() * far;
        Side { pose: Pose { position, ..self.pose }, ..*self }
    }

    /// The same as a point in its centre.
    pub(super) fn at_centre(&self) -> Side {
        Side { pose: Pose { position: self.centre, ..self.pose }, ..*self }
    }

    #[inline]
    fn new(body: &Body, mover: u32, pose: Pose, centre: Vec3, [acceleration, felt]: [Vec3; 2]) -> Side {
        let Body { velocity, spin, shape, flags, friction, restitution, rolling, inner, reach, .. } = *body;
        Side {
            pose,
            centre,
            velocity,
            spin,
            acceleration,
            mover,
            shape,
            flags,
            friction,
            restitution,
            rolling,
            inner,
            reach,
            is_pulled: felt != Vec3::ZERO,
        }
    }
}
