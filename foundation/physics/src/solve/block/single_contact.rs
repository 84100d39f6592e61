//! A single contact of an articulation: solved with the articulated inverse inertia at its bodies.
//!
//! Laws
//! 1. It keeps the laws of a contact block, of which it fills the first lane.
//! 2. A pass changes its impulses only; the caller applies the difference to the articulations.

use base::Vec3;
use jobs::simd_dispatch::{SimdWork, dispatch};

use crate::contact::Contact;
use crate::lanes::{Wide, WideMatrix, WideVector, each};
use crate::limits::{LANES, POINTS_MAX};
use crate::narrow_phase::ContactConstraint;
use crate::solve::block::{
    BlockVelocities, ContactBlock, InverseMass, NO_CONTACT, NONE, ONE, StepCoefficients, bodies_of,
};
use crate::solve::block_lcp::{self, FACTORS};
use crate::solver_body::{PaddedVec3, SolverBody, SolverVelocity, unpad};

/// A spatial vector: linear, then angular.
pub type Six = [f32; 6];

/// The 6×6 inverse inertia of a body with its articulation.
#[derive(Clone, Copy, Default)]
pub struct ArticulatedInverseInertia {
    linear: WideMatrix,
    /// The coupling block, row by row: linear velocity change by an angular impulse.
    coupling: [WideVector; 3],
    angular: WideMatrix,
}

/// A single contact.
#[derive(Clone, Copy)]
pub struct SingleContact {
    block: ContactBlock<POINTS_MAX, FACTORS, ArticulatedInverseInertia>,
    /// One for each existing point.
    is_there: [Wide; POINTS_MAX],
}

/// The velocities and displacements of both bodies.
pub struct ContactVelocities {
    velocities: BlockVelocities,
    moved: [WideVector; 2],
    turned: [WideVector; 2],
    free: BlockVelocities,
}

impl InverseMass for ArticulatedInverseInertia {
    const NONE: ArticulatedInverseInertia = ArticulatedInverseInertia {
        linear: WideMatrix::ZERO,
        coupling: [WideVector::ZERO; 3],
        angular: WideMatrix::ZERO,
    };

    #[inline(always)]
    fn apply_impulse(&self, impulse: WideVector, angular_impulse: WideVector) -> [WideVector; 2] {
        let [x, y, z] = self.coupling;
        let by_angular = WideVector { x: x.dot(angular_impulse), y: y.dot(angular_impulse), z: z.dot(angular_impulse) };
        let by_linear = x * impulse.x + y * impulse.y + z * impulse.z;
        [self.linear * impulse + by_angular, by_linear + self.angular * angular_impulse]
    }

    #[inline(always)]
    fn apply_angular_impulse(&self, velocity: &mut WideVector, angular_velocity: &mut WideVector, turn: WideVector) {
        let [linear, angular] = self.apply_impulse(WideVector::ZERO, turn);
        *velocity += linear;
        *angular_velocity += angular;
    }

    #[inline(always)]
    fn angular_diagonal(&self) -> WideVector {
        self.angular.diagonal
    }
}

impl ArticulatedInverseInertia {
    /// From a 6×6 matrix.
    pub fn new(matrix: &[Six; 6]) -> ArticulatedInverseInertia {
        let mut inverse_inertia = ArticulatedInverseInertia::NONE;
        let symmetric = |first: usize| {
            let at = |row: usize, column: usize| matrix[first + row][first + column];
            let mut made = WideMatrix::ZERO;
            made.diagonal.put(0, Vec3::new(at(0, 0), at(1, 1), at(2, 2)));
            made.off_diagonal.put(0, Vec3::new(at(0, 1), at(0, 2), at(1, 2)));
            made
        };
        (inverse_inertia.linear, inverse_inertia.angular) = (symmetric(0), symmetric(3));
        for (row, coupling) in inverse_inertia.coupling.iter_mut().enumerate() {
            coupling.put(0, Vec3::new(matrix[row][3], matrix[row][4], matrix[row][5]));
        }
        inverse_inertia
    }
}

impl SingleContact {
    /// A contact of an articulation, with bodies that are immovable until their inverse inertias are set.
    pub fn new(touching: &ContactConstraint, solver_bodies: &[SolverBody]) -> SingleContact {
        let (mut block, mut contacts) = (ContactBlock::EMPTY, [&NO_CONTACT; LANES]);
        contacts[0] = touching;
        block.load_contacts(&contacts, &bodies_of(&contacts, solver_bodies));
        let count = touching.contact.count().min(POINTS_MAX);
        let is_there = each(NONE, |index| if index < count { ONE } else { NONE });
        SingleContact { block, is_there }
    }

    /// Sets the inverse inertias of both sides, and the regularized ones from which effective masses are computed.
    pub fn set_inverse_inertias(
        &mut self,
        inverse_inertias: &[ArticulatedInverseInertia; 2],
        regularized: &[ArticulatedInverseInertia; 2],
    ) {
        dispatch(SetInverseInertias { contact: self, inverse_inertias, regularized });
    }

    #[inline(always)]
    fn compute_effective_masses(
        &mut self,
        inverse_inertias: &[ArticulatedInverseInertia; 2],
        regularized: &[ArticulatedInverseInertia; 2],
    ) {
        let block = &mut self.block;
        [block.first, block.second] = *inverse_inertias;
        let (normal, between) = (block.normal, block.between);
        // Angular Jacobians of an impulse at an arm, and the velocity changes of both bodies that it causes.
        let levers = |arm: WideVector, along: WideVector| [arm.cross(along), (arm + between).cross(along)];
        let response = |along: WideVector, levers: &[WideVector; 2]| -> [[WideVector; 2]; 2] {
            each([WideVector::ZERO; 2], |side| regularized[side].apply_impulse(along, levers[side]))
        };
        let speed = |response: &[[WideVector; 2]; 2], along: WideVector, levers: &[WideVector; 2]| {
            (response[0][0] + response[1][0]).dot(along)
                + (response[0][1].dot(levers[0]) + response[1][1].dot(levers[1]))
        };
        let arms: [_; POINTS_MAX] = each([WideVector::ZERO; 2], |index| levers(block.points[index].arm, normal));
        let responses: [_; POINTS_MAX] = each([[WideVector::ZERO; 2]; 2], |index| response(normal, &arms[index]));
        let is_there = &self.is_there;
        let inverse_effective_mass = |row: usize, column: usize| {
            speed(&responses[row], normal, &arms[column]) * (is_there[row] * is_there[column])
        };
        block.factors = block_lcp::factorize::<POINTS_MAX, FACTORS>(inverse_effective_mass);
        let (one, two) = (block.tangent, normal.cross(block.tangent));
        let (levers_one, levers_two) = (levers(block.friction_arm, one), levers(block.friction_arm, two));
        let (response_one, response_two) = (response(one, &levers_one), response(two, &levers_two));
        let along = speed(&response_one, one, &levers_one);
        let across = speed(&response_two, two, &levers_two);
        let mixed = speed(&response_one, two, &levers_two);
        let inverse = (along * across - mixed * mixed).inverse();
        block.tangent_effective_mass = [across * inverse, along * inverse, -(mixed * inverse)];
        block.twist_effective_mass =
            (regularized[0].angular * normal + regularized[1].angular * normal).dot(normal).inverse();
    }

    /// The accumulated impulse on the body of a side, about its center of mass.
    pub fn applied_impulse(&self, side: usize) -> Six {
        let block = &self.block;
        let (mut sum, mut at) = (0.0, Vec3::ZERO);
        for point in &block.points {
            sum += point.impulse.0[0];
            at += point.arm.lane(0) * point.impulse.0[0];
        }
        let (normal, tangent) = (block.normal.lane(0), block.tangent.lane(0));
        let (friction_arm, between) = (block.friction_arm.lane(0), block.between.lane(0));
        let across = tangent * block.tangent_impulse[0].0[0] + normal.cross(tangent) * block.tangent_impulse[1].0[0];
        let spot = normal * block.twist_impulse.0[0] + block.rolling_impulse.lane(0);
        let (sign, at, friction_arm) =
            if side == 0 { (-1.0, at, friction_arm) } else { (1.0, at + between * sum, friction_arm + between) };
        let push = (normal * sum + across) * sign;
        let turn = (at.cross(normal) + friction_arm.cross(across) + spot) * sign;
        [push.x, push.y, push.z, turn.x, turn.y, turn.z]
    }

    /// The biased pass.
    pub fn solve(&mut self, sides: &ContactVelocities, coefficients: &StepCoefficients) {
        dispatch(SolveOrRelax::<true> { contact: self, sides, coefficients });
    }

    #[inline(always)]
    fn solve_biased(&mut self, sides: &ContactVelocities, coefficients: &StepCoefficients) {
        let (mut velocities, before) = (sides.velocities, self.block.points);
        self.block.solve_normals_biased(&mut velocities, [&sides.moved, &sides.turned], || sides.free, coefficients);
        // In a second round the contact has an impulse already; an impact of the first round counts.
        for (point, before) in self.block.points.iter_mut().zip(before) {
            point.rebound_speed = point.rebound_speed.max(before.rebound_speed);
        }
    }

    /// The relax pass.
    pub fn relax(&mut self, sides: &ContactVelocities, coefficients: &StepCoefficients) {
        dispatch(SolveOrRelax::<false> { contact: self, sides, coefficients });
    }

    #[inline(always)]
    fn solve_relaxed(&mut self, sides: &ContactVelocities, coefficients: &StepCoefficients) {
        let mut velocities = sides.velocities;
        self.block.solve_friction(&mut velocities);
        let next = self.block.solve_normals_relaxed(&velocities, &sides.moved, &sides.turned, coefficients);
        self.block.set_normal_impulses(&mut velocities, next);
    }

    /// Adds the impulses of this sub-step to the total.
    pub fn accumulate_impulses(&mut self) {
        self.block.accumulate_impulses();
    }

    /// Whether it collided in this sub-step.
    pub fn has_impact(&self) -> bool {
        self.block.has_impact()
    }

    /// A restitution pass, if it collided.
    pub fn restitute(&mut self, sides: &ContactVelocities, coefficients: &StepCoefficients) {
        if self.block.has_impact() {
            let mut velocities = sides.velocities;
            self.block.solve_restitution(&mut velocities, [&sides.moved, &sides.turned], coefficients);
        }
    }

    /// Ends a sub-step: impact impulses are part of the velocities and are not warm started.
    pub fn end(&mut self) {
        if self.block.has_impact() {
            self.block.take_impact_impulses();
            self.block.is_impact = NONE;
        }
    }

    /// Clears the accumulated impulses.
    pub fn clear_impulses(&mut self) {
        let block = &mut self.block;
        block.points.iter_mut().for_each(|point| point.impulse = NONE);
        (block.tangent_impulse, block.twist_impulse) = ([NONE; 2], NONE);
        block.rolling_impulse = WideVector::ZERO;
    }

    /// Writes its accumulated impulses into the contact.
    pub fn store_impulses(&self, contact: &mut Contact) {
        self.block.store_impulses(0, contact);
    }

    /// Its normal impulse over the step.
    pub fn total_impulse(&self) -> f32 {
        self.block.total_impulse(0)
    }
}

/// [`SingleContact::set_inverse_inertias`], compiled twice.
struct SetInverseInertias<'a> {
    contact: &'a mut SingleContact,
    inverse_inertias: &'a [ArticulatedInverseInertia; 2],
    regularized: &'a [ArticulatedInverseInertia; 2],
}

impl SimdWork for SetInverseInertias<'_> {
    type Output = ();

    #[inline(always)]
    fn work(self) {
        self.contact.compute_effective_masses(self.inverse_inertias, self.regularized);
    }
}

/// [`SingleContact::solve`] or [`SingleContact::relax`], compiled twice.
struct SolveOrRelax<'a, const IS_BIASED: bool> {
    contact: &'a mut SingleContact,
    sides: &'a ContactVelocities,
    coefficients: &'a StepCoefficients,
}

impl<const IS_BIASED: bool> SimdWork for SolveOrRelax<'_, IS_BIASED> {
    type Output = ();

    #[inline(always)]
    fn work(self) {
        if IS_BIASED {
            self.contact.solve_biased(self.sides, self.coefficients);
        } else {
            self.contact.solve_relaxed(self.sides, self.coefficients);
        }
    }
}

impl ContactVelocities {
    /// From the velocities of both bodies; a side that belongs to an articulation has these instead.
    pub fn new(velocities: [&SolverVelocity; 2], articulated: [Option<[Vec3; 2]>; 2]) -> ContactVelocities {
        let both = |value: fn(&SolverVelocity) -> PaddedVec3| {
            velocities.map(|motion| {
                let mut first = WideVector::ZERO;
                first.put(0, unpad(value(motion)));
                first
            })
        };
        let mut velocities =
            BlockVelocities { velocity: both(|motion| motion.linear), angular_velocity: both(|motion| motion.angular) };
        for (side, motion) in articulated.into_iter().enumerate() {
            if let Some([velocity, angular_velocity]) = motion {
                velocities.velocity[side].put(0, velocity);
                velocities.angular_velocity[side].put(0, angular_velocity);
            }
        }
        ContactVelocities {
            velocities,
            moved: both(|motion| motion.delta_position),
            turned: both(|motion| motion.delta_rotation),
            free: BlockVelocities {
                velocity: both(|motion| motion.free_linear),
                angular_velocity: both(|motion| motion.free_angular),
            },
        }
    }
}

/// Adds a spatial vector.
pub fn add(sum: &mut Six, change: &Six) {
    sum.iter_mut().zip(change).for_each(|(sum, change)| *sum += change);
}

/// A matrix times a spatial vector.
pub fn times(matrix: &[Six; 6], by: &Six) -> Six {
    matrix.map(|row| row.iter().zip(by).fold(0.0, |sum, (one, other)| sum + one * other))
}

/// The transposed matrix times a spatial vector.
pub fn times_transposed(matrix: &[Six; 6], by: &Six) -> Six {
    let mut sum = [0.0; 6];
    for (row, by) in matrix.iter().zip(by) {
        sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value * by);
    }
    sum
}
