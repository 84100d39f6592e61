//! The velocities of the bodies of a block: gathered into lanes, and scattered back.

use jobs::Pairs;

use crate::lanes::{Wide, WideVector, each};
use crate::limits::LANES;
use crate::solver_body::{PaddedVec3, SolverVelocity};

/// The velocities of both bodies, in each lane.
#[derive(Clone, Copy)]
pub(super) struct BlockVelocities {
    pub velocity: [WideVector; 2],
    pub angular_velocity: [WideVector; 2],
}

impl BlockVelocities {
    pub const NONE: BlockVelocities =
        BlockVelocities { velocity: [WideVector::ZERO; 2], angular_velocity: [WideVector::ZERO; 2] };

    #[inline(always)]
    pub fn load(pairs: &Pairs<'_, SolverVelocity, LANES>) -> BlockVelocities {
        BlockVelocities::load_all(pairs).0
    }

    /// With the translations and rotations since the step began.
    #[inline(always)]
    pub fn load_all(pairs: &Pairs<'_, SolverVelocity, LANES>) -> (BlockVelocities, [WideVector; 2], [WideVector; 2]) {
        let (mut velocities, mut moved, mut turned) =
            (BlockVelocities::NONE, [WideVector::ZERO; 2], [WideVector::ZERO; 2]);
        for side in 0..2 {
            let all: [&SolverVelocity; LANES] = each(pairs.get(side, 0), |lane| pairs.get(side, lane));
            velocities.velocity[side] = columns(each([0.0; 4], |lane| all[lane].linear));
            velocities.angular_velocity[side] = columns(each([0.0; 4], |lane| all[lane].angular));
            moved[side] = columns(each([0.0; 4], |lane| all[lane].delta_position));
            turned[side] = columns(each([0.0; 4], |lane| all[lane].delta_rotation));
        }
        (velocities, moved, turned)
    }

    #[inline(always)]
    pub fn store(&self, pairs: &mut Pairs<'_, SolverVelocity, LANES>) {
        for side in 0..2 {
            let (velocity, angular_velocity) = (rows(self.velocity[side]), rows(self.angular_velocity[side]));
            for lane in 0..LANES {
                pairs.change(side, lane, |motion| {
                    (motion.linear, motion.angular) = (velocity[lane], angular_velocity[lane]);
                });
            }
        }
    }

    /// These where `sign` is positive, the others elsewhere.
    #[inline(always)]
    pub fn unless(&self, sign: Wide, other: &BlockVelocities) -> BlockVelocities {
        let choose = |one: &[WideVector; 2], other: &[WideVector; 2]| {
            [one[0].where_positive(sign, other[0]), one[1].where_positive(sign, other[1])]
        };
        BlockVelocities {
            velocity: choose(&self.velocity, &other.velocity),
            angular_velocity: choose(&self.angular_velocity, &other.angular_velocity),
        }
    }

    /// The free velocities.
    #[inline(always)]
    pub fn load_free(pairs: &Pairs<'_, SolverVelocity, LANES>) -> BlockVelocities {
        let mut velocities = BlockVelocities::NONE;
        for side in 0..2 {
            let all: [&SolverVelocity; LANES] = each(pairs.get(side, 0), |lane| pairs.get(side, lane));
            velocities.velocity[side] = columns(each([0.0; 4], |lane| all[lane].free_linear));
            velocities.angular_velocity[side] = columns(each([0.0; 4], |lane| all[lane].free_angular));
        }
        velocities
    }

    #[inline(always)]
    pub fn store_free(&self, pairs: &mut Pairs<'_, SolverVelocity, LANES>) {
        for side in 0..2 {
            let (velocity, angular_velocity) = (rows(self.velocity[side]), rows(self.angular_velocity[side]));
            for lane in 0..LANES {
                pairs.change(side, lane, |motion| {
                    (motion.free_linear, motion.free_angular) = (velocity[lane], angular_velocity[lane]);
                });
            }
        }
    }
}

/// Transposes lanes to components.
#[inline(always)]
fn columns(rows: [PaddedVec3; LANES]) -> WideVector {
    let column = |index: usize| Wide(each(0.0, |lane| rows[lane][index]));
    WideVector { x: column(0), y: column(1), z: column(2) }
}

/// Transposes components to lanes.
#[inline(always)]
fn rows(columns: WideVector) -> [PaddedVec3; LANES] {
    each([0.0; 4], |lane| [columns.x.0[lane], columns.y.0[lane], columns.z.0[lane], 0.0])
}
