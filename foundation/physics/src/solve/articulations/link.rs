//! Links: the bodies of an articulation, each with the joint to its parent.
//!
//! In a tree without contacts, the impulses that keep bodies on their curve are part of the motion: so a pendulum keeps
//! its energy. In a tree that touches something or closes a loop, joints are not solved together with everything that
//! acts on them, and the remainder would grow if it were kept as velocity. There, position correction is done by pseudo
//! impulses, which are removed once the bodies have moved. Limits always use them, so that a body corrected to its
//! limit does not bounce off it.
//!
//! Laws
//! 1. Links are ordered from the leaves to the root: a parent follows its children, and the root is the last of its
//!    tree.
//! 2. A solution that is not finite is not applied, and its impulses are reset.

use core::ops::{Deref, DerefMut};

use base::number::{abs, max, min};
use base::{Mat3, Quat, Vec3};
use jobs::NONE as NO_BODY;

use crate::joint::{IMPULSES, Joint, JointKind};
use crate::solve::articulations::cholesky::triangle;
use crate::solve::articulations::jacobian::{
    Jacobian, JacobianRow, JointBody, JointCoordinates, JointFrames, ROWS_MAX, wrapped_coordinate,
};
use crate::solve::articulations::propagation::ImpulsePropagation;
use crate::solve::block::Softness;

/// A body of a tree with the joint to its parent.
#[derive(Clone, Copy)]
pub struct Link {
    /// Index of its solver body.
    pub solver_body: u32,
    /// Index of its parent in the same tree, or [`NO_BODY`] for the root.
    pub parent: u32,
    /// Index of its body in the same tree: its own, unless its joint closes a loop.
    pub node: u32,
    /// Whether there is a joint; a root may have none.
    pub has_joint: bool,
    /// Whether its body is the first body of the joint.
    pub is_first: bool,
    /// Whether the joint closes a loop. Then the link is not a body of the tree: it follows the tree and joins two
    /// bodies of it.
    pub is_loop_closure: bool,
    /// Whether it is solved without the tree, because the tree has too many loops.
    pub is_solved_alone: bool,
    /// Whether its tree touches something or closes a loop: then position correction uses pseudo impulses.
    pub is_coupled: bool,
    /// A copy of the joint with its accumulated impulses.
    pub joint: Joint,
    /// The slot of the joint.
    pub joint_slot: u16,
    /// The state of its body.
    pub own: JointBody,
    /// Anchor and frame on the parent; of a root, the whole state of the static or kinematic body or of the world.
    pub other: JointBody,
    /// Index of the solver body that a root is joined to, if that is kinematic.
    pub other_solver_body: u32,
    /// Inverse mass.
    pub inverse_mass: f32,
    /// Inverse inertia tensor about the axes of the world.
    pub inverse_inertia: Mat3,
    /// Inertia tensor about the axes of the world.
    pub inertia: Mat3,
    /// Principal moments of inertia; zero if all are equal.
    pub moments: Vec3,
    /// Rotation of the principal axes relative to the body.
    pub principal_axes: Quat,
    /// Rotation of the body at the beginning of the step, for which contacts computed its inertia.
    pub start_rotation: Quat,
    /// Whether joints can rotate it.
    pub can_rotate: bool,
    /// Acceleration by all forces.
    pub acceleration: Vec3,
    /// The mass that its spring carries; zero: the effective mass at the joint.
    pub spring_mass: f32,
    /// Sum of the joint's impulses in this step: linear and angular.
    pub reaction: [Vec3; 2],
    pub(super) rows: Jacobian,
    pub(super) frames: JointFrames,
    pub(super) coordinates: JointCoordinates,
    pub(super) targets: [Target; ROWS_MAX],
    pub(super) factors: FactorPair,
    /// Velocity change of the body, and its intermediate value after the forward substitution.
    pub(super) velocity_change: [f32; 6],
    pub(super) partial: [f32; 6],
    /// The negated impulse of each free row, and its intermediate value.
    pub(super) row_solution: [f32; ROWS_MAX],
    pub(super) row_partial: [f32; ROWS_MAX],
    /// Position-correction impulses, removed once the bodies have moved.
    pub(super) pseudo_impulses: [f32; ROWS_MAX],
    pub(super) substep_start: SubstepStart,
    pub(super) budget: EnergyBudget,
    pub(super) propagation: ImpulsePropagation,
}

/// The parameters of a pass over all joints.
#[derive(Clone, Copy, Debug)]
pub struct SolvePass {
    /// The length of a sub-step.
    pub seconds: f32,
    /// Whether position errors are corrected; otherwise the pass only corrects velocities.
    pub is_biased: bool,
    /// The coefficients of soft constraints.
    pub stiffness: Softness,
    /// The largest correction speed.
    pub push_speed_max: f32,
    /// Rate at which a motor approaches its target, per second.
    pub target_rate: f32,
}

/// What a row is solved for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Target {
    /// The velocity error to be removed, with position bias and softness.
    pub velocity_error: f32,
    /// The velocity error without position bias.
    pub unbiased_error: f32,
    /// Softness of the row, added to the diagonal of the system (constraint force mixing).
    pub softness: f32,
    /// The bounds of its accumulated impulse.
    pub lower: f32,
    pub upper: f32,
    pub activity: ActiveSet,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ActiveSet {
    /// Part of the linear system.
    #[default]
    Free,
    /// Its impulse stays at the lower bound.
    AtLower,
    /// Its impulse stays at the upper bound.
    AtUpper,
    /// Excluded from this solve: its impulse stays as it is.
    Fixed,
}

/// The kinetic energy of a tree during a sub-step, kept at its first link.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EnergyBudget {
    /// Energy before and after forces were applied.
    pub before_forces: f32,
    pub after_forces: f32,
    /// Energy that forces give to bodies at rest in one sub-step.
    pub substep_gain: f32,
    /// Energy after joints were solved last.
    pub after_joints: f32,
    /// Work done by contacts since then, summed up.
    pub contact_work: f32,
    /// The energy that the current solve of the joints may leave.
    pub allowed: f32,
    /// The same relative to the world instead of the mean motion: after forces, after joints, and the work of
    /// everything outside the tree in between.
    pub after_forces_world: f32,
    pub after_joints_world: f32,
    pub external_work: f32,
    /// The same before the contacts of its group were solved.
    pub before_contacts: f32,
    /// The work that kinematic bodies did on it in these contacts.
    pub driven_work: f32,
    /// Whether joints removed most of the energy at once.
    pub had_impact: bool,
    /// Whether the accumulated impulses of its joints were reset.
    pub are_impulses_reset: bool,
}

/// The state of a link when the sub-step, or a solve, began.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SubstepStart {
    /// Translation of its body at the beginning of the sub-step.
    pub moved: Vec3,
    /// Velocities of its rows before forces were applied.
    pub row_speeds: [f32; ROWS_MAX],
    /// The most work that motor and spring rows can do in this sub-step.
    pub work_max: [f32; ROWS_MAX],
    /// Velocities of its body and impulses of its joint before the current solve.
    pub velocity: Vec3,
    pub angular_velocity: Vec3,
    pub impulses: [f32; IMPULSES],
}

/// The factorization of a link.
#[derive(Clone, Copy)]
pub(super) struct LinkFactors {
    pub body: [f32; triangle(6)],
    pub joint: [f32; triangle(ROWS_MAX)],
    /// Jacobian blocks of the body and the parent, multiplied by the inverse factors.
    pub own_block: [[f32; 6]; ROWS_MAX],
    pub parent_block: [[f32; 6]; ROWS_MAX],
    /// Which rows of the joint these are.
    pub rows: [u8; ROWS_MAX],
    /// The softness of these rows when the factorization was computed.
    pub softness: [f32; ROWS_MAX],
    pub count: usize,
    /// The rows that were free when the factorization was computed, as a bit set.
    pub active_rows: u32,
    /// The number of this factorization in the step, the same for all links of a tree. Zero: none.
    pub number: u32,
}

/// The last two factorizations of a link: joints and tree contacts are solved in turns, each with their own rows.
/// Dereferences to the current one.
#[derive(Clone, Copy)]
pub(super) struct FactorPair {
    sets: [LinkFactors; 2],
    current: usize,
    /// How many factorizations there were in this step.
    pub computed: u32,
}

impl FactorPair {
    /// None yet.
    pub const NONE: FactorPair = FactorPair { sets: [LinkFactors::NONE; 2], current: 0, computed: 0 };

    /// Marks both as outdated: the matrix has changed.
    pub fn invalidate(&mut self) {
        self.sets.iter_mut().for_each(|set| set.active_rows = STALE);
    }

    /// The one that is not current.
    pub fn other(&self) -> &LinkFactors {
        &self.sets[1 - self.current]
    }

    /// Makes the other one current.
    pub fn switch(&mut self) {
        self.current = 1 - self.current;
    }
}

impl Deref for FactorPair {
    type Target = LinkFactors;

    #[inline]
    fn deref(&self) -> &LinkFactors {
        &self.sets[self.current]
    }
}

impl DerefMut for FactorPair {
    #[inline]
    fn deref_mut(&mut self) -> &mut LinkFactors {
        &mut self.sets[self.current]
    }
}

impl LinkFactors {
    const NONE: LinkFactors = LinkFactors {
        body: [0.0; triangle(6)],
        joint: [0.0; triangle(ROWS_MAX)],
        own_block: [[0.0; 6]; ROWS_MAX],
        parent_block: [[0.0; 6]; ROWS_MAX],
        rows: [0; ROWS_MAX],
        softness: [0.0; ROWS_MAX],
        count: 0,
        active_rows: STALE,
        number: 0,
    };
}

/// No factorization, or an outdated one.
pub(super) const STALE: u32 = u32::MAX;
/// A tree in which an arm rotates farther in a sub-step, in radians, is not warm started.
const WARM_START_TURN_MAX: f32 = 1.0;
/// The cosine of half the rotation since the beginning of the step up to which the inertia is not updated: a third of a
/// radian in all.
const INERTIA_TURN_COSINE: f32 = 0.986;
/// A solution with a larger velocity change is rejected.
pub(super) const SPEED_MAX: f32 = 1.0e7;

impl Link {
    /// A body without a joint.
    pub fn new(solver_body: u32, own: JointBody, joint: Joint) -> Link {
        Link {
            solver_body,
            parent: NO_BODY,
            node: 0,
            has_joint: false,
            is_first: false,
            is_loop_closure: false,
            is_solved_alone: false,
            is_coupled: false,
            joint,
            joint_slot: 0,
            own,
            other: JointBody::WORLD,
            other_solver_body: NO_BODY,
            inverse_mass: 0.0,
            inverse_inertia: Mat3::ZERO,
            inertia: Mat3::IDENTITY,
            moments: Vec3::ZERO,
            principal_axes: Quat::IDENTITY,
            start_rotation: Quat::IDENTITY,
            can_rotate: false,
            acceleration: Vec3::ZERO,
            spring_mass: 0.0,
            reaction: [Vec3::ZERO; 2],
            rows: Jacobian::default(),
            frames: JointFrames::new(&JointBody::WORLD, &JointBody::WORLD),
            coordinates: JointCoordinates::default(),
            targets: [Target::default(); ROWS_MAX],
            factors: FactorPair::NONE,
            velocity_change: [0.0; 6],
            partial: [0.0; 6],
            row_solution: [0.0; ROWS_MAX],
            row_partial: [0.0; ROWS_MAX],
            pseudo_impulses: [0.0; ROWS_MAX],
            substep_start: SubstepStart::default(),
            budget: EnergyBudget::default(),
            propagation: ImpulsePropagation::NONE,
        }
    }

    /// Sets mass and inertia of its body.
    pub fn set_mass(&mut self, inverse_mass: f32, inverse_inertia: Mat3) {
        (self.inverse_mass, self.inverse_inertia) = (inverse_mass, inverse_inertia);
        let [x, y, z] = inverse_inertia.columns;
        let trace = x.x + y.y + z.z;
        // An axis with zero inverse inertia gets a small one instead. The determinant of very small or very large
        // inertias is not a finite number: then the inverse is computed of a scaled tensor.
        let is_finite = |inertia: &Mat3| inertia.columns.iter().all(|column| column.is_finite());
        let scale = 1.0 / max(trace, f32::MIN_POSITIVE);
        let scaled = inverse_inertia * scale;
        let floor = Mat3::from_diagonal(Vec3::splat(1.0e-4));
        let inertia = inverse_inertia.inverse().filter(is_finite).or_else(|| {
            let inertia = scaled.inverse().or_else(|| (scaled + floor).inverse());
            inertia.map(|inertia| inertia * scale)
        });
        self.can_rotate = trace > 0.0 && inertia.is_some();
        self.inertia = inertia.unwrap_or(Mat3::IDENTITY);
    }

    /// Rotates the inertia tensor to the current rotation of the body if it is far from that at the beginning of the
    /// step: that of a long, fast rotating body changes in every sub-step. Otherwise contacts and joints use the same
    /// tensor.
    fn rotate_inertia(&mut self) {
        let is_near = abs(self.own.rotation.dot(self.start_rotation)) > INERTIA_TURN_COSINE;
        if is_near || self.moments == Vec3::ZERO || !self.can_rotate {
            return;
        }
        let axes = (self.own.rotation * self.principal_axes).matrix();
        let Vec3 { x, y, z } = self.moments;
        let turned = |moments: Vec3| axes * Mat3::from_diagonal(moments) * axes.transpose();
        (self.inertia, self.inverse_inertia) = (turned(self.moments), turned(Vec3::new(1.0 / x, 1.0 / y, 1.0 / z)));
    }

    /// Whether one of its free rows has a position bias.
    pub(super) fn has_bias(&self) -> bool {
        let free = &self.factors.rows[..self.factors.count];
        free.iter()
            .map(|number| &self.targets[usize::from(*number)])
            .any(|target| target.velocity_error != target.unbiased_error)
    }

    /// The rate of the joint coordinate; of a wheel, its angular velocity.
    fn coordinate_speed(&self, first: &JointBody, second: &JointBody) -> f32 {
        let kind = self.joint.kind();
        let Some(row) = self.frames.coordinate_row(kind, kind == JointKind::Wheel) else { return 0.0 };
        row.relative_velocity(first, second)
    }

    /// The inverse effective mass of a row, of both bodies alone: J M⁻¹ Jᵀ.
    pub(super) fn inverse_effective_mass(&self, parent: Option<&Link>, row: &JacobianRow) -> f32 {
        let part = |link: &Link, turn: Vec3| {
            row.linear.length_squared() * link.inverse_mass + (link.inverse_inertia * turn).dot(turn)
        };
        let (own, other) = if self.is_first { (row.angular_a, row.angular_b) } else { (row.angular_b, row.angular_a) };
        part(self, own) + parent.map_or(0.0, |parent| part(parent, other))
    }
}

/// Recomputes coordinates and Jacobians at the current poses.
pub fn update_jacobians(links: &mut [Link]) {
    links.iter_mut().for_each(Link::rotate_inertia);
    for index in 0..links.len() {
        if !links[index].has_joint {
            links[index].factors.invalidate();
            continue;
        }
        let [first, second] = joint_bodies(links, index);
        let link = &mut links[index];
        link.frames = JointFrames::new(&first, &second);
        link.coordinates = link.frames.coordinates(&link.joint);
        link.joint.coordinate = wrapped_coordinate(&link.joint, link.coordinates.coordinate);
        link.coordinates.coordinate = link.joint.coordinate;
        if link.joint.kind() != JointKind::Wheel {
            link.coordinates.motor = link.joint.coordinate;
        }
        link.rows = link.frames.jacobian(&link.joint);
        link.factors.invalidate();
    }
}

/// Applies the accumulated impulses of the last sub-step.
pub fn warm_start(links: &mut [Link], seconds: f32) {
    // Arms that rotated farther have other directions: the old impulses are no approximation of the new ones.
    if (0..links.len()).any(|index| rotates_too_far(links, index, seconds)) {
        reset_impulses(links);
    }
    for index in 0..links.len() {
        if !links[index].has_joint {
            continue;
        }
        apply_drag(links, index, seconds);
        let before = [own_body(links, index), parent_body(links, index)];
        for number in 0..links[index].rows.count {
            let row = links[index].rows.list[number];
            let impulse = links[index].joint.impulses[row.impulse_index];
            apply_impulse(links, index, &row, impulse);
        }
        let is_fit = |side: &JointBody| {
            side.velocity.length_squared() + side.angular_velocity.length_squared() < SPEED_MAX * SPEED_MAX
        };
        if !is_fit(&own_body(links, index)) || !is_fit(&parent_body(links, index)) {
            undo_warm_start(links, index, before);
        }
    }
}

/// Whether the arms of a joint rotate too far in a sub-step for warm starting. A wheel about its axle may rotate at any
/// speed.
pub(super) fn rotates_too_far(links: &[Link], index: usize, seconds: f32) -> bool {
    let ([first, second], link) = (joint_bodies(links, index), &links[index]);
    let arm = link.frames.arm_b;
    let (turn, swung) = (first.angular_velocity.length_squared(), second.angular_velocity.cross(arm).length_squared());
    let limit = WARM_START_TURN_MAX * WARM_START_TURN_MAX / (seconds * seconds);
    link.has_joint && (turn > limit || swung > limit * arm.length_squared())
}

/// Damps the relative rotation of both bodies, with their moments of inertia about the joint: so a long pendulum is
/// damped as much as a short one.
fn apply_drag(links: &mut [Link], index: usize, seconds: f32) {
    let link = &links[index];
    if link.joint.drag <= 0.0 || !link.joint.kind().is_angle() {
        return;
    }
    let [first, second] = joint_bodies(links, index);
    let turning = second.angular_velocity - first.angular_velocity;
    let axis = turning.normal_or(Vec3::ZERO);
    let [own_arm, other_arm] =
        if link.is_first { [link.frames.arm_a, link.frames.arm_b] } else { [link.frames.arm_b, link.frames.arm_a] };
    // Inverse moments of inertia about the joint, and about the centre of mass.
    let inverse_moments = |link: &Link, arm: Vec3| {
        let mass = 1.0 / max(link.inverse_mass, f32::MIN_POSITIVE);
        let moment = (link.inertia * axis).dot(axis) + mass * arm.cross(axis).length_squared();
        [1.0 / max(moment, f32::MIN_POSITIVE), (link.inverse_inertia * axis).dot(axis)]
    };
    let own = inverse_moments(&links[link.node as usize], own_arm);
    let other = links.get(link.parent as usize).map_or([0.0; 2], |parent| inverse_moments(parent, other_arm));
    let lost = link.joint.drag * seconds / (1.0 + link.joint.drag * seconds);
    // No more than stops the rotation.
    let impulse = min(lost / (own[0] + other[0]), 1.0 / max(own[1] + other[1], f32::MIN_POSITIVE));
    let turn = JacobianRow { linear: Vec3::ZERO, angular_a: turning, angular_b: turning, impulse_index: 0 };
    if impulse.is_finite() {
        apply_impulse(links, index, &turn, -impulse);
    }
}

/// Removes the position-correction impulses after the bodies have moved.
pub fn remove_pseudo_impulses(links: &mut [Link]) {
    for index in 0..links.len() {
        let pseudo_impulses = core::mem::take(&mut links[index].pseudo_impulses);
        for (number, pseudo_impulse) in pseudo_impulses[..links[index].rows.count].iter().enumerate() {
            if *pseudo_impulse != 0.0 {
                let row = links[index].rows.list[number];
                apply_impulse(links, index, &row, -pseudo_impulse);
            }
        }
    }
}

/// Adds the impulses of each joint to its reaction, and records the rate of its coordinate.
pub fn record_reactions(links: &mut [Link]) {
    for index in 0..links.len() {
        let [first, second] = joint_bodies(links, index);
        let link = &mut links[index];
        if !link.has_joint {
            continue;
        }
        for row in link.rows.iter() {
            let impulse = link.joint.impulses[row.impulse_index];
            link.reaction[0] += row.linear * impulse;
            if row.linear == Vec3::ZERO {
                link.reaction[1] += row.angular_b * impulse;
            }
        }
        link.joint.speed = link.coordinate_speed(&first, &second);
    }
}

/// Both bodies of a link's joint, in the order of the joint.
pub(super) fn joint_bodies(links: &[Link], index: usize) -> [JointBody; 2] {
    let (own, other) = (own_body(links, index), parent_body(links, index));
    if links[index].is_first { [own, other] } else { [other, own] }
}

fn own_body(links: &[Link], index: usize) -> JointBody {
    let link = &links[index];
    JointBody { anchor: link.own.anchor, frame: link.own.frame, ..links[link.node as usize].own }
}

fn parent_body(links: &[Link], index: usize) -> JointBody {
    let link = &links[index];
    match links.get(link.parent as usize) {
        Some(parent) => JointBody { anchor: link.other.anchor, frame: link.other.frame, ..parent.own },
        None => link.other,
    }
}

/// Applies an impulse along a row: to the second body, and the opposite to the first.
pub(super) fn apply_impulse(links: &mut [Link], index: usize, row: &JacobianRow, impulse: f32) {
    let Link { node, parent, is_first, .. } = links[index];
    let mut on = |index: usize, is_first: bool| {
        if let Some(link) = links.get_mut(index) {
            let (sign, turn) = if is_first { (-impulse, row.angular_a) } else { (impulse, row.angular_b) };
            link.own.velocity += row.linear * (sign * link.inverse_mass);
            link.own.angular_velocity += link.inverse_inertia * (turn * sign);
        }
    };
    on(node as usize, is_first);
    on(parent as usize, !is_first);
}

fn undo_warm_start(links: &mut [Link], index: usize, [own, other]: [JointBody; 2]) {
    links[0].budget.are_impulses_reset = true;
    links[index].joint.impulses.fill(0.0);
    let (body, parent) = (links[index].node as usize, links[index].parent as usize);
    (links[body].own.velocity, links[body].own.angular_velocity) = (own.velocity, own.angular_velocity);
    if let Some(parent) = links.get_mut(parent) {
        (parent.own.velocity, parent.own.angular_velocity) = (other.velocity, other.angular_velocity);
    }
}

pub(super) fn reset_impulses(links: &mut [Link]) {
    if let Some(first) = links.first_mut() {
        first.budget.are_impulses_reset = true;
    }
    for link in links {
        link.joint.impulses.fill(0.0);
    }
}
