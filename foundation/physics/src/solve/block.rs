//! A block of eight contacts in SIMD lanes: normal constraints, friction, torsional friction and rolling resistance, by sequential
//! impulses (Catto 2005) with soft constraints (Catto 2011).
//!
//! A contact has a normal, up to `POINTS` points with one normal constraint each, and friction at the center of the points: two
//! tangents, solved as a 2×2 block, and torsion about the normal. Rolling resistance is an angular constraint.
//!
//! Laws
//! 1. Accumulated normal impulses are not negative. Friction is inside the Coulomb cone.
//! 2. The biased pass pushes overlap out as an overdamped spring; the relax pass, without bias, removes the velocity this added.
//! 3. The points of a manifold are solved as a block (see [`block_lcp`]), so that no point comes first and stacks do not lean.
//! 4. A speculative contact lets its bodies approach by their separation and no farther.
//! 5. Restitution (Newton) applies in the sub-step of the impact: a point without an impulse before, whose approach speed exceeds the
//!    threshold, separates at that speed times the coefficient. Impact impulses are not warm started.
//! 6. Lanes are independent. Work is skipped only where it would not change any lane.
//!
//! Bending modes of a tall stack converge slowly, and their accumulated impulses oscillate. The oscillation decays only if the
//! softness (`impulse_scale`) removes impulse faster than the bias pushes overlap out. That holds for frequencies up to a quarter of
//! the sub-step rate, if all of the impulse leaks, including how the points share their load, and if the relax pass over-relaxes by
//! [`OVER_RELAXATION`]. With less leak, towers, pyramids and houses of cards sway until they fall.

pub mod single_contact;
mod velocities;

use base::Vec3;
use base::number::{max, min};
use jobs::Pairs;
use jobs::simd_dispatch::{SimdWork, dispatch};

use crate::contact::Contact;
use crate::lanes::{Wide, WideMatrix, WideVector, each};
use crate::limits::LANES;
use crate::narrow_phase::ContactConstraint;
use crate::solve::block_lcp;
use crate::solver_body::{SolverBody, SolverVelocity};
use velocities::BlockVelocities;

/// Over-relaxation of manifolds in the relax pass (SOR). With 1 it converges slowly, with 2 it diverges.
const OVER_RELAXATION: f32 = 1.4;

/// The bias of a joined body is scaled by its fraction of the articulation's mass: a contact sees the mass of the body alone, needs
/// that many more iterations to carry the rest, and would oscillate if it pushed faster. This is the lower bound of the scale.
const PUSH_SCALE_MIN: f32 = 0.1;

/// Eight contacts of up to `POINTS` points.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ContactBlock<const POINTS: usize, const FACTORS: usize, H = BodyInverseMass> {
    normal: WideVector,
    tangent: WideVector,
    /// From the second center of mass to the first.
    between: WideVector,
    /// The lever arm of friction, from the first center of mass.
    friction_arm: WideVector,
    first: H,
    second: H,
    points: [PointConstraint; POINTS],
    /// The factored inverse effective mass of all points: see [`block_lcp`].
    factors: [Wide; FACTORS],
    /// Positive where an impact happened in this sub-step.
    is_impact: Wide,
    /// Positive where one body is immovable.
    involves_static: Wide,
    friction: Wide,
    /// The lever arm of torsional friction: the mean distance of the points from their center.
    twist_arm: Wide,
    rolling: Wide,
    restitution: Wide,
    /// The approach speed from which on there is restitution.
    restitution_threshold: Wide,
    /// The relative acceleration along the normal.
    acceleration: Wide,
    tangent_effective_mass: [Wide; 3],
    tangent_impulse: [Wide; 2],
    twist_effective_mass: Wide,
    twist_impulse: Wide,
    rolling_impulse: WideVector,
    /// One where that body has a joint, or touches an articulation; it is then warm started in every sub-step.
    joined: [Wide; 2],
    /// Over-relaxation in the relax pass. None on joined bodies: joints are solved after, and would oscillate.
    over_relaxation: Wide,
    /// The scale of the bias.
    push_scale: Wide,
}

/// The inverse mass and inertia of a rigid body in each lane.
#[derive(Clone, Copy, Default)]
pub struct BodyInverseMass {
    inverse_mass: Wide,
    inverse_inertia: WideMatrix,
}

/// The inverse mass matrix of one side: of a rigid body, or of an articulation at a body.
pub trait InverseMass: Copy {
    /// Immovable.
    const NONE: Self;

    /// The changes of linear and angular velocity by an impulse and an angular impulse.
    fn apply_impulse(&self, push: WideVector, turn: WideVector) -> [WideVector; 2];

    /// Applies an angular impulse.
    fn apply_angular_impulse(&self, velocity: &mut WideVector, angular_velocity: &mut WideVector, turn: WideVector);

    /// The diagonal of the inverse inertia.
    fn angular_diagonal(&self) -> WideVector;
}

/// The normal constraint of a point, in each lane.
#[derive(Clone, Copy, Default)]
struct PointConstraint {
    arm: WideVector,
    separation: Wide,
    impulse: Wide,
    /// The sum of its impulses over the step.
    total_impulse: Wide,
    /// The separation speed that restitution demands in this sub-step; zero without an impact.
    rebound_speed: Wide,
}

/// Soft constraint coefficients (Catto 2011).
#[derive(Clone, Copy, Debug, Default)]
pub struct Softness {
    /// The rate at which overlap is removed, per second.
    pub bias_rate: f32,
    /// The factor of the rigid impulse.
    pub mass_scale: f32,
    /// The fraction of the accumulated impulse that leaks.
    pub impulse_scale: f32,
}

/// Coefficients of a step that all contacts share.
#[derive(Clone, Copy, Debug)]
pub struct StepCoefficients {
    /// One over the length of a sub-step.
    pub rate: f32,
    /// The maximum push-out speed.
    pub push_speed_max: f32,
    /// For contacts between dynamic bodies.
    pub soft: Softness,
    /// For contacts with immovable bodies: stiffer, so that piles do not sink into the ground.
    pub hard: Softness,
}

impl Softness {
    /// The coefficients of a spring of this frequency and damping ratio, at this time step.
    pub fn new(hertz: f32, damping: f32, seconds: f32) -> Softness {
        let omega = core::f32::consts::TAU * hertz;
        let stretch = 2.0 * damping + seconds * omega;
        let push = seconds * omega * stretch;
        let impulse_scale = 1.0 / (1.0 + push);
        Softness { bias_rate: omega / stretch, mass_scale: push * impulse_scale, impulse_scale }
    }
}

/// The right-hand side of a normal constraint.
#[derive(Clone, Copy)]
struct PointTarget {
    bias: Wide,
    mass_scale: Wide,
    impulse_scale: Wide,
    /// Positive where the constraint is disabled.
    is_inactive: Wide,
}

/// The relative normal velocity as a function of the lever arm: its value at the first center of mass, and its gradient.
struct NormalVelocity {
    center_of_mass: Wide,
    change: WideVector,
}

impl PointTarget {
    const NONE: PointTarget = PointTarget { bias: NONE, mass_scale: NONE, impulse_scale: NONE, is_inactive: NONE };
}

const NONE: Wide = Wide::ZERO;
/// A bias that disables the constraint: no approach speed reaches it.
const INACTIVE_BIAS: Wide = Wide([1.0e9; LANES]);
const ONE: Wide = Wide([1.0; LANES]);

/// The contact and the body of an empty lane.
static NO_CONTACT: ContactConstraint = ContactConstraint::NONE;
static NO_BODY: SolverBody = SolverBody::NO_BODY;

impl<const POINTS: usize, const FACTORS: usize, H: InverseMass> ContactBlock<POINTS, FACTORS, H> {
    /// A block of empty lanes.
    pub const EMPTY: Self = ContactBlock {
        normal: WideVector::ZERO,
        tangent: WideVector::ZERO,
        between: WideVector::ZERO,
        friction_arm: WideVector::ZERO,
        first: H::NONE,
        second: H::NONE,
        points: [PointConstraint::NONE; POINTS],
        factors: [NONE; FACTORS],
        is_impact: NONE,
        involves_static: NONE,
        friction: NONE,
        twist_arm: NONE,
        rolling: NONE,
        restitution: NONE,
        restitution_threshold: NONE,
        acceleration: NONE,
        tangent_effective_mass: [NONE; 3],
        tangent_impulse: [NONE; 2],
        twist_effective_mass: NONE,
        twist_impulse: NONE,
        rolling_impulse: WideVector::ZERO,
        joined: [NONE; 2],
        over_relaxation: NONE,
        push_scale: NONE,
    };
}

impl<const POINTS: usize, const FACTORS: usize> ContactBlock<POINTS, FACTORS> {
    /// Fills the block with these contacts, one per lane.
    pub fn prepare(&mut self, contacts: [Option<&ContactConstraint>; LANES], solver_bodies: &[SolverBody]) {
        dispatch(Prepare { block: self, contacts, solver_bodies });
    }
}

impl<const POINTS: usize, const FACTORS: usize, H: InverseMass> ContactBlock<POINTS, FACTORS, H> {
    /// Applies the accumulated impulses of the last step.
    #[inline(always)]
    pub fn warm_start(&self, pairs: &mut Pairs<'_, SolverVelocity, LANES>) {
        self.warm_started(&BlockVelocities::load(pairs)).store(pairs);
    }

    /// The same in later sub-steps, for bodies with joints only.
    #[inline(always)]
    pub fn warm_start_joined(&self, pairs: &mut Pairs<'_, SolverVelocity, LANES>) {
        if !self.joined[0].max(self.joined[1]).any_nonzero() {
            return;
        }
        let before = BlockVelocities::load(pairs);
        let mut warm = self.warm_started(&before);
        for side in 0..2 {
            let is_joined = self.joined[side];
            warm.velocity[side] = warm.velocity[side].where_positive(is_joined, before.velocity[side]);
            warm.angular_velocity[side] =
                warm.angular_velocity[side].where_positive(is_joined, before.angular_velocity[side]);
        }
        warm.store(pairs);
    }

    /// The biased pass: normal constraints with position correction. Records impacts.
    #[inline(always)]
    pub fn solve(&mut self, pairs: &mut Pairs<'_, SolverVelocity, LANES>, coefficients: &StepCoefficients) {
        let (mut velocities, moved, turned) = BlockVelocities::load_all(pairs);
        self.solve_normals_biased(
            &mut velocities,
            [&moved, &turned],
            || BlockVelocities::load_free(pairs),
            coefficients,
        );
        velocities.store(pairs);
    }

    /// The biased pass on loaded velocities.
    #[inline(always)]
    fn solve_normals_biased(
        &mut self,
        velocities: &mut BlockVelocities,
        [moved, turned]: [&[WideVector; 2]; 2],
        free: impl Fn() -> BlockVelocities,
        coefficients: &StepCoefficients,
    ) {
        let (drift, velocity) = (
            self.normal_velocity(moved, turned),
            self.normal_velocity(&velocities.velocity, &velocities.angular_velocity),
        );
        let separations: [Wide; POINTS] =
            each(NONE, |index| self.points[index].separation + drift.at(self.points[index].arm));
        let mut targets: [PointTarget; POINTS] =
            each(PointTarget::NONE, |index| self.biased_target(separations[index], coefficients));
        let next = if self.restitution.any_nonzero() {
            let met = self.approach_speeds(&free(), &separations, coefficients);
            for (index, target) in targets.iter_mut().enumerate() {
                target.is_inactive = self.is_deferred(index, met[index]);
            }
            let next = self.solve_normals(&velocity, &targets);
            self.record_impacts(&met, &next);
            next
        } else {
            self.solve_normals(&velocity, &targets)
        };
        self.set_normal_impulses(velocities, next);
    }

    /// The relax pass: friction, then normal constraints without bias, with restitution of impacts.
    #[inline(always)]
    pub fn relax(&mut self, pairs: &mut Pairs<'_, SolverVelocity, LANES>, coefficients: &StepCoefficients) {
        let (mut velocities, moved, turned) = BlockVelocities::load_all(pairs);
        self.solve_friction(&mut velocities);
        let next = self.solve_normals_relaxed(&velocities, &moved, &turned, coefficients);
        self.set_normal_impulses(&mut velocities, next);
        self.accumulate_impulses();
        velocities.store(pairs);
    }

    /// Adds the impulses of this sub-step to the totals.
    #[inline(always)]
    fn accumulate_impulses(&mut self) {
        for point in &mut self.points {
            point.total_impulse = point.total_impulse + point.impulse;
        }
    }

    /// Whether a contact collided in this sub-step.
    #[inline(always)]
    pub fn has_impact(&self) -> bool {
        self.is_impact.any_nonzero()
    }

    /// A restitution pass over impacts: simultaneous ones have to be in balance, or energy would be lost. After the last pass the
    /// impact impulses become part of the free velocities.
    #[inline(always)]
    pub fn restitute(
        &mut self,
        pairs: &mut Pairs<'_, SolverVelocity, LANES>,
        coefficients: &StepCoefficients,
        is_last: bool,
    ) {
        if self.has_impact() {
            self.apply_restitution(pairs, coefficients, is_last);
        }
    }

    /// Writes the accumulated impulses of a lane into its contact.
    pub fn store_impulses(&self, lane: usize, contact: &mut Contact) {
        let other = self.normal.cross(self.tangent);
        let across = self.tangent * self.tangent_impulse[0] + other * self.tangent_impulse[1];
        contact.friction_impulse = across.lane(lane);
        contact.rolling_impulse = self.rolling_impulse.lane(lane);
        contact.twist_impulse = self.twist_impulse.0[lane];
        for (index, point) in self.points.iter().enumerate() {
            contact.normal_impulses[index] = point.impulse.0[lane];
        }
    }

    /// The normal impulse of a lane over the step.
    pub fn total_impulse(&self, lane: usize) -> f32 {
        self.points.iter().fold(0.0, |sum, point| sum + point.total_impulse.0[lane])
    }

    /// Loads the contacts, lane by lane.
    #[inline(always)]
    fn load_contacts(&mut self, contacts: &[&ContactConstraint; LANES], sides: &[[&SolverBody; LANES]; 2]) {
        let contact = |lane: usize| &contacts[lane].contact;
        let counts: [usize; LANES] = each(0, |lane| contact(lane).count());
        let is_there = |index: usize, lane: usize| index < counts[lane];
        let tangents: [Vec3; LANES] = each(Vec3::ZERO, |lane| contact(lane).normal.perpendicular());
        self.normal = WideVector::from_lanes(|lane| contact(lane).normal);
        self.tangent = WideVector::from_lanes(|lane| tangents[lane]);
        self.between = WideVector::from_lanes(|lane| contacts[lane].between);
        self.friction_arm = WideVector::from_lanes(|lane| contacts[lane].friction_arm());
        let is_anew = |body: &SolverBody| body.is_joined || body.touches_articulation;
        self.joined = each(NONE, |side| Wide::from_lanes(|lane| f32::from(u8::from(is_anew(sides[side][lane])))));
        let is_joined = |lane: usize| sides[0][lane].is_joined || sides[1][lane].is_joined;
        self.over_relaxation =
            Wide::from_lanes(|lane| if POINTS == 1 || is_joined(lane) { 1.0 } else { OVER_RELAXATION });
        self.push_scale = Wide::from_lanes(|lane| {
            max(min(sides[0][lane].mass_fraction, sides[1][lane].mass_fraction), PUSH_SCALE_MIN)
        });
        for (index, point) in self.points.iter_mut().enumerate() {
            let number = |lane: usize, number: f32| if is_there(index, lane) { number } else { 0.0 };
            *point = PointConstraint {
                arm: WideVector::from_lanes(|lane| {
                    if is_there(index, lane) { contacts[lane].arms[index] } else { Vec3::ZERO }
                }),
                separation: Wide::from_lanes(|lane| number(lane, contacts[lane].separations[index])),
                impulse: Wide::from_lanes(|lane| number(lane, contact(lane).normal_impulses[index])),
                ..PointConstraint::NONE
            };
        }
        let is_movable = |lane: usize| sides[0][lane].inverse_mass > 0.0 && sides[1][lane].inverse_mass > 0.0;
        self.involves_static = Wide::from_lanes(|lane| if is_movable(lane) { 0.0 } else { 1.0 });
        self.friction = Wide::from_lanes(|lane| contacts[lane].friction);
        self.twist_arm = Wide::from_lanes(|lane| contacts[lane].twist_arm());
        self.rolling = Wide::from_lanes(|lane| contacts[lane].rolling_resistance);
        self.restitution = Wide::from_lanes(|lane| contacts[lane].restitution);
        self.restitution_threshold = Wide::from_lanes(|lane| contacts[lane].restitution_threshold);
        self.acceleration = Wide::from_lanes(|lane| contacts[lane].acceleration);
        let friction = WideVector::from_lanes(|lane| contact(lane).friction_impulse);
        self.tangent_impulse = [friction.dot(self.tangent), friction.dot(self.normal.cross(self.tangent))];
        // Friction may have changed since the last step.
        self.twist_impulse = self.twist_arm.if_positive(Wide::from_lanes(|lane| contact(lane).twist_impulse), NONE);
        let rolling = WideVector::from_lanes(|lane| contact(lane).rolling_impulse);
        self.rolling_impulse = rolling.where_positive(self.rolling, WideVector::ZERO);
        self.is_impact = NONE;
    }
}

impl<const POINTS: usize, const FACTORS: usize> ContactBlock<POINTS, FACTORS> {
    /// Computes the effective masses: K = J M⁻¹ Jᵀ of the points, factored; the inverse of the tangent block; torsion.
    #[inline(always)]
    fn compute_effective_masses(&mut self, is_there: [Wide; POINTS]) {
        let (first, second, between, normal) = (&self.first, &self.second, self.between, self.normal);
        let straight = first.inverse_mass + second.inverse_mass;
        // Angular Jacobians of an impulse at an arm, and the angular velocity change it causes.
        let levers = |arm: WideVector, along: WideVector| [arm.cross(along), (arm + between).cross(along)];
        let turned = |by: &[WideVector; 2]| [first.inverse_inertia * by[0], second.inverse_inertia * by[1]];
        let sum = |turned: &[WideVector; 2], by: &[WideVector; 2]| turned[0].dot(by[0]) + turned[1].dot(by[1]);
        let arms: [_; POINTS] = each([WideVector::ZERO; 2], |index| levers(self.points[index].arm, normal));
        let turns: [_; POINTS] = each([WideVector::ZERO; 2], |index| turned(&arms[index]));
        let resistance = |row: usize, column: usize| {
            (straight + sum(&turns[row], &arms[column])) * (is_there[row] * is_there[column])
        };
        self.factors = block_lcp::factorize::<POINTS, FACTORS>(resistance);
        let one = levers(self.friction_arm, self.tangent);
        let two = levers(self.friction_arm, normal.cross(self.tangent));
        let (turned_one, turned_two) = (turned(&one), turned(&two));
        let (along, across) = (straight + sum(&turned_one, &one), straight + sum(&turned_two, &two));
        let mixed = sum(&turned_one, &two);
        let inverse = (along * across - mixed * mixed).inverse();
        self.tangent_effective_mass = [across * inverse, along * inverse, -(mixed * inverse)];
        self.twist_effective_mass =
            (first.inverse_inertia * normal + second.inverse_inertia * normal).dot(normal).inverse();
    }
}

impl<const POINTS: usize, const FACTORS: usize, H: InverseMass> ContactBlock<POINTS, FACTORS, H> {
    /// The velocities after applying all accumulated impulses.
    #[inline(always)]
    fn warm_started(&self, velocities: &BlockVelocities) -> BlockVelocities {
        let mut velocities = *velocities;
        self.apply_normal_impulses(&mut velocities, each(NONE, |index| self.points[index].impulse));
        let other = self.normal.cross(self.tangent);
        let across = self.tangent * self.tangent_impulse[0] + other * self.tangent_impulse[1];
        self.apply_friction_impulse(&mut velocities, across);
        self.apply_angular_impulse_pair(&mut velocities, self.normal * self.twist_impulse + self.rolling_impulse);
        velocities
    }

    /// The accumulated normal impulses that meet the targets.
    #[inline(always)]
    fn solve_normals(&self, velocity: &NormalVelocity, targets: &[PointTarget; POINTS]) -> [Wide; POINTS] {
        if POINTS == 1 {
            self.solve_single_normal(velocity, targets)
        } else {
            self.solve_normals_jointly(velocity, targets)
        }
    }

    /// The same in the relax pass.
    #[inline(always)]
    fn solve_normals_relaxed(
        &self,
        velocities: &BlockVelocities,
        moved: &[WideVector; 2],
        turned: &[WideVector; 2],
        coefficients: &StepCoefficients,
    ) -> [Wide; POINTS] {
        let (drift, velocity) = (
            self.normal_velocity(moved, turned),
            self.normal_velocity(&velocities.velocity, &velocities.angular_velocity),
        );
        let targets: [PointTarget; POINTS] = each(PointTarget::NONE, |index| {
            let point = &self.points[index];
            self.relaxed_target(point, point.separation + drift.at(point.arm), coefficients)
        });
        self.solve_normals(&velocity, &targets)
    }

    /// The target of a point at this separation in the biased pass.
    #[inline(always)]
    fn biased_target(&self, separation: Wide, coefficients: &StepCoefficients) -> PointTarget {
        let StepCoefficients { soft, hard, .. } = coefficients;
        let choose = |hard: f32, soft: f32| self.involves_static.if_positive(Wide::splat(hard), Wide::splat(soft));
        let push = choose(hard.bias_rate, soft.bias_rate) * separation * self.push_scale;
        PointTarget {
            bias: separation.if_positive(
                separation * Wide::splat(coefficients.rate),
                push.max(Wide::splat(-coefficients.push_speed_max)),
            ),
            mass_scale: separation.if_positive(ONE, choose(hard.mass_scale, soft.mass_scale)),
            impulse_scale: separation.if_positive(NONE, choose(hard.impulse_scale, soft.impulse_scale)),
            is_inactive: NONE,
        }
    }

    /// The target in the relax pass.
    #[inline(always)]
    fn relaxed_target(
        &self,
        point: &PointConstraint,
        separation: Wide,
        coefficients: &StepCoefficients,
    ) -> PointTarget {
        let bias = separation.max(NONE) * Wide::splat(coefficients.rate);
        let is_inactive = point.impulse.if_positive(NONE, self.restitution_threshold.if_positive(separation, ONE));
        PointTarget {
            bias: point.rebound_speed.if_positive(-point.rebound_speed, bias),
            mass_scale: separation.max(point.rebound_speed).if_positive(ONE, self.over_relaxation),
            impulse_scale: NONE,
            is_inactive: self.restitution.if_positive(point.rebound_speed.if_positive(NONE, is_inactive), NONE),
        }
    }

    /// A single point: a scalar projection.
    #[inline(always)]
    fn solve_single_normal(&self, velocity: &NormalVelocity, targets: &[PointTarget; POINTS]) -> [Wide; POINTS] {
        each(NONE, |index| {
            let (point, target) = (&self.points[index], &targets[index]);
            let change = self.factors[0] * target.mass_scale * (velocity.at(point.arm) + target.bias);
            let next = (point.impulse - change - target.impulse_scale * point.impulse).max(NONE);
            target.is_inactive.if_positive(NONE, next)
        })
    }

    /// Several points: the linear solve, and the LCP in lanes in which an impulse would be negative.
    #[inline(always)]
    fn solve_normals_jointly(&self, velocity: &NormalVelocity, targets: &[PointTarget; POINTS]) -> [Wide; POINTS] {
        let previous: [Wide; POINTS] = each(NONE, |index| {
            let impulse = self.points[index].impulse;
            impulse - targets[index].impulse_scale * impulse
        });
        let wanted: [Wide; POINTS] =
            each(NONE, |index| (velocity.at(self.points[index].arm) + targets[index].bias) * targets[index].mass_scale);
        let changes = block_lcp::solve(&self.factors, &wanted);
        let next: [Wide; POINTS] =
            each(NONE, |index| targets[index].is_inactive.if_positive(-ONE, previous[index] - changes[index]));
        let least = next.iter().fold(NONE, |least, next| least.min(*next));
        if !least.any_nonzero() {
            return next;
        }
        let other = self.solve_normal_lcp(targets, &wanted, &previous);
        each(NONE, |index| (-least).if_positive(other[index], next[index]))
    }

    /// The LCP: projected Jacobi, but direct where there was an impact.
    #[inline(always)]
    fn solve_normal_lcp(
        &self,
        targets: &[PointTarget; POINTS],
        wanted: &[Wide; POINTS],
        previous: &[Wide; POINTS],
    ) -> [Wide; POINTS] {
        let wanted = each(NONE, |index| targets[index].is_inactive.if_positive(INACTIVE_BIAS, wanted[index]));
        let gently = block_lcp::solve_projected_jacobi(&self.factors, &wanted, previous);
        if !self.is_impact.any_nonzero() {
            return gently;
        }
        let active = each(NONE, |index| targets[index].is_inactive.if_positive(NONE, ONE));
        let exactly = block_lcp::solve_direct(&self.factors, &wanted, previous, active);
        each(NONE, |index| self.is_impact.if_positive(exactly[index], gently[index]))
    }

    /// The approach speeds of the points at the time their gaps close, under constant acceleration; zero if they separate.
    #[inline(always)]
    fn approach_speeds(
        &self,
        free: &BlockVelocities,
        separations: &[Wide; POINTS],
        coefficients: &StepCoefficients,
    ) -> [Wide; POINTS] {
        let velocity = self.normal_velocity(&free.velocity, &free.angular_velocity);
        each(NONE, |index| {
            let before = velocity.at(self.points[index].arm) - self.acceleration * Wide::splat(1.0 / coefficients.rate);
            let fallen = self.acceleration * separations[index].max(NONE);
            let squared = before * before - (fallen + fallen);
            (-before).if_positive(squared.max(NONE).sqrt(), NONE)
        })
    }

    /// Positive where a point is deferred to the next sub-step: it approaches only because its partner was hit in this one, and its
    /// restitution would be lost. Only without external acceleration: resting contacts must not wait.
    #[inline(always)]
    fn is_deferred(&self, index: usize, met: Wide) -> Wide {
        let is_pressed = self.points[index].impulse.max(met).max(self.restitution_threshold);
        self.restitution.if_positive(is_pressed.if_positive(NONE, ONE), NONE)
    }

    /// Records the separation speeds of points with a new impulse and an approach speed above the threshold.
    #[inline(always)]
    fn record_impacts(&mut self, met: &[Wide; POINTS], next: &[Wide; POINTS]) {
        for (index, point) in self.points.iter_mut().enumerate() {
            let is_new = point.impulse.if_positive(NONE, next[index]);
            let involves_static = (met[index] - self.restitution_threshold).if_positive(is_new, NONE);
            point.rebound_speed = involves_static.if_positive(self.restitution * met[index], NONE);
            self.is_impact = self.is_impact.max(point.rebound_speed);
        }
    }

    #[inline(always)]
    fn apply_restitution(
        &mut self,
        pairs: &mut Pairs<'_, SolverVelocity, LANES>,
        coefficients: &StepCoefficients,
        is_last: bool,
    ) {
        let (mut velocities, moved, turned) = BlockVelocities::load_all(pairs);
        let before = velocities;
        self.solve_restitution(&mut velocities, [&moved, &turned], coefficients);
        velocities.unless(self.is_impact, &before).store(pairs);
        if is_last {
            self.end_impacts(pairs);
        }
    }

    /// Solves the normal constraints of impacts.
    #[inline(always)]
    fn solve_restitution(
        &mut self,
        velocities: &mut BlockVelocities,
        [moved, turned]: [&[WideVector; 2]; 2],
        coefficients: &StepCoefficients,
    ) {
        let next = self.solve_normals_relaxed(velocities, moved, turned, coefficients);
        let next = each(NONE, |index| self.is_impact.if_positive(next[index], self.points[index].impulse));
        for (next, point) in next.iter().zip(&mut self.points) {
            point.total_impulse = point.total_impulse + (*next - point.impulse);
        }
        self.set_normal_impulses(velocities, next);
    }

    #[inline(always)]
    fn end_impacts(&mut self, pairs: &mut Pairs<'_, SolverVelocity, LANES>) {
        let given = self.take_impact_impulses();
        let before = BlockVelocities::load_free(pairs);
        let mut free = before;
        self.apply_normal_impulses(&mut free, given);
        free.unless(self.is_impact, &before).store_free(pairs);
        self.is_impact = NONE;
    }

    /// Removes the impulses of impacts, and returns them.
    #[inline(always)]
    fn take_impact_impulses(&mut self) -> [Wide; POINTS] {
        let mut given = [NONE; POINTS];
        for (given, point) in given.iter_mut().zip(&mut self.points) {
            *given = point.rebound_speed.if_positive(point.impulse, NONE);
            point.impulse = point.rebound_speed.if_positive(NONE, point.impulse);
            point.rebound_speed = NONE;
        }
        given
    }

    /// Friction: torsion, rolling resistance, then both tangents as a block.
    #[inline(always)]
    fn solve_friction(&mut self, velocities: &mut BlockVelocities) {
        let pressed = self.points.iter().fold(NONE, |sum, point| sum + point.impulse);
        let most = self.friction * pressed;
        let other = self.normal.cross(self.tangent);
        // Torsion. A single point has a lever arm only with rolling resistance.
        if POINTS > 1 || self.twist_arm.any_nonzero() {
            let limit = most * self.twist_arm;
            let spinning = (velocities.angular_velocity[1] - velocities.angular_velocity[0]).dot(self.normal);
            let next = (self.twist_impulse - self.twist_effective_mass * spinning).min(limit).max(-limit);
            let change = next - self.twist_impulse;
            self.twist_impulse = next;
            self.apply_angular_impulse_pair(velocities, self.normal * change);
        }
        if self.rolling.any_nonzero() {
            self.solve_rolling(velocities, pressed);
        }
        // Tangents, clamped to the Coulomb cone.
        let far = self.friction_arm + self.between;
        let sliding = velocities.velocity[1] + velocities.angular_velocity[1].cross(far)
            - velocities.velocity[0]
            - velocities.angular_velocity[0].cross(self.friction_arm);
        let (one, two) = (sliding.dot(self.tangent), sliding.dot(other));
        let [first, second, mixed] = self.tangent_effective_mass;
        let [old_one, old_two] = self.tangent_impulse;
        let next_one = old_one - (first * one + mixed * two);
        let next_two = old_two - (mixed * one + second * two);
        let length = (next_one * next_one + next_two * next_two).sqrt();
        let scale = (length - most).if_positive(most * length.inverse(), ONE);
        let (next_one, next_two) = (next_one * scale, next_two * scale);
        self.tangent_impulse = [next_one, next_two];
        self.apply_friction_impulse(velocities, self.tangent * (next_one - old_one) + other * (next_two - old_two));
    }

    /// Rolling resistance.
    #[inline(never)]
    fn solve_rolling(&mut self, velocities: &mut BlockVelocities, pressed: Wide) {
        let before = *velocities;
        let rolling = velocities.angular_velocity[1] - velocities.angular_velocity[0];
        let (one, two) = (self.first.angular_diagonal(), self.second.angular_diagonal());
        let hold = one + two;
        let old = self.rolling_impulse;
        let mut next = WideVector {
            x: old.x - hold.x.inverse() * rolling.x,
            y: old.y - hold.y.inverse() * rolling.y,
            z: old.z - hold.z.inverse() * rolling.z,
        };
        let most = self.rolling * pressed;
        let length = next.dot(next).sqrt();
        next = next * (length - most).if_positive(most * length.inverse(), ONE);
        next = next.where_positive(self.rolling, WideVector::ZERO);
        self.rolling_impulse = next;
        self.apply_angular_impulse_pair(velocities, next - old);
        for side in 0..2 {
            velocities.angular_velocity[side] =
                velocities.angular_velocity[side].where_positive(self.rolling, before.angular_velocity[side]);
        }
    }

    /// Sets the accumulated normal impulses, and applies the changes.
    #[inline(always)]
    fn set_normal_impulses(&mut self, velocities: &mut BlockVelocities, next: [Wide; POINTS]) {
        let mut changes = next;
        for (change, point) in changes.iter_mut().zip(&mut self.points) {
            (*change, point.impulse) = (*change - point.impulse, *change);
        }
        self.apply_normal_impulses(velocities, changes);
    }

    /// The relative velocity (or displacement) of the second surface along the normal.
    #[inline(always)]
    fn normal_velocity(&self, straight: &[WideVector; 2], turning: &[WideVector; 2]) -> NormalVelocity {
        let far = self.normal.cross(turning[1]);
        NormalVelocity {
            center_of_mass: (straight[1] - straight[0]).dot(self.normal) + self.between.dot(far),
            change: far - self.normal.cross(turning[0]),
        }
    }

    /// Applies impulses along the normal at all points.
    #[inline(always)]
    fn apply_normal_impulses(&self, velocities: &mut BlockVelocities, impulses: [Wide; POINTS]) {
        let (mut sum, mut at) = (impulses[0], self.points[0].arm * impulses[0]);
        for (point, impulse) in self.points.iter().zip(impulses).skip(1) {
            sum = sum + impulse;
            at += point.arm * impulse;
        }
        let push = self.normal * sum;
        self.apply_impulse_pair(
            velocities,
            push,
            [at.cross(self.normal), (at + self.between * sum).cross(self.normal)],
        );
    }

    /// Applies an impulse at the friction arm to the second body, and its opposite to the first.
    #[inline(always)]
    fn apply_friction_impulse(&self, velocities: &mut BlockVelocities, impulse: WideVector) {
        self.apply_impulse_pair(
            velocities,
            impulse,
            [self.friction_arm.cross(impulse), (self.friction_arm + self.between).cross(impulse)],
        );
    }

    /// Applies an impulse to the second body and its opposite to the first, with these angular impulses.
    #[inline(always)]
    fn apply_impulse_pair(&self, velocities: &mut BlockVelocities, push: WideVector, turns: [WideVector; 2]) {
        let (first, second) = (self.first.apply_impulse(push, turns[0]), self.second.apply_impulse(push, turns[1]));
        velocities.velocity[0] -= first[0];
        velocities.angular_velocity[0] -= first[1];
        velocities.velocity[1] += second[0];
        velocities.angular_velocity[1] += second[1];
    }

    /// Applies an angular impulse to the second body, and its opposite to the first.
    #[inline(always)]
    fn apply_angular_impulse_pair(&self, velocities: &mut BlockVelocities, impulse: WideVector) {
        let opposite = WideVector { x: -impulse.x, y: -impulse.y, z: -impulse.z };
        self.first.apply_angular_impulse(&mut velocities.velocity[0], &mut velocities.angular_velocity[0], opposite);
        self.second.apply_angular_impulse(&mut velocities.velocity[1], &mut velocities.angular_velocity[1], impulse);
    }
}

/// The work that fills a block.
struct Prepare<'a, const POINTS: usize, const FACTORS: usize> {
    block: &'a mut ContactBlock<POINTS, FACTORS>,
    contacts: [Option<&'a ContactConstraint>; LANES],
    solver_bodies: &'a [SolverBody],
}

impl<const POINTS: usize, const FACTORS: usize> SimdWork for Prepare<'_, POINTS, FACTORS> {
    type Output = ();

    #[inline(always)]
    fn work(self) {
        let (block, contacts) = (self.block, each(&NO_CONTACT, |lane| self.contacts[lane].unwrap_or(&NO_CONTACT)));
        let sides = bodies_of(&contacts, self.solver_bodies);
        block.load_contacts(&contacts, &sides);
        (block.first, block.second) = (BodyInverseMass::of(&sides[0]), BodyInverseMass::of(&sides[1]));
        let counts: [usize; LANES] = each(0, |lane| contacts[lane].contact.count());
        block.compute_effective_masses(each(NONE, |index| {
            Wide::from_lanes(|lane| if index < counts[lane] { 1.0 } else { 0.0 })
        }));
    }
}

/// The bodies of the contacts of a block.
#[inline(always)]
fn bodies_of<'a>(
    contacts: &[&ContactConstraint; LANES],
    solver_bodies: &'a [SolverBody],
) -> [[&'a SolverBody; LANES]; 2] {
    let solver_body =
        |side: usize, lane: usize| solver_bodies.get(contacts[lane].body_indices[side] as usize).unwrap_or(&NO_BODY);
    each([&NO_BODY; LANES], |side| each(&NO_BODY, |lane| solver_body(side, lane)))
}

impl NormalVelocity {
    #[inline(always)]
    fn at(&self, arm: WideVector) -> Wide {
        self.center_of_mass + self.change.dot(arm)
    }
}

impl PointConstraint {
    const NONE: PointConstraint = PointConstraint {
        arm: WideVector::ZERO,
        separation: NONE,
        impulse: NONE,
        total_impulse: NONE,
        rebound_speed: NONE,
    };
}

impl InverseMass for BodyInverseMass {
    const NONE: BodyInverseMass = BodyInverseMass { inverse_mass: NONE, inverse_inertia: WideMatrix::ZERO };

    #[inline(always)]
    fn apply_impulse(&self, push: WideVector, turn: WideVector) -> [WideVector; 2] {
        [push * self.inverse_mass, self.inverse_inertia * turn]
    }

    #[inline(always)]
    fn apply_angular_impulse(&self, _: &mut WideVector, angular_velocity: &mut WideVector, turn: WideVector) {
        *angular_velocity += self.inverse_inertia * turn;
    }

    #[inline(always)]
    fn angular_diagonal(&self) -> WideVector {
        self.inverse_inertia.diagonal
    }
}

impl BodyInverseMass {
    /// Of a body in each lane.
    #[inline(always)]
    fn of(solver_bodies: &[&SolverBody; LANES]) -> BodyInverseMass {
        let number = |index: usize| Wide::from_lanes(|lane| solver_bodies[lane].inverse_inertia[index]);
        let diagonal = WideVector { x: number(0), y: number(1), z: number(2) };
        let off_diagonal = WideVector { x: number(3), y: number(4), z: number(5) };
        let inverse_inertia = WideMatrix { diagonal, off_diagonal };
        BodyInverseMass { inverse_mass: Wide::from_lanes(|lane| solver_bodies[lane].inverse_mass), inverse_inertia }
    }
}
