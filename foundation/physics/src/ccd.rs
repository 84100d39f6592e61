//! Continuous collision detection (CCD): bodies that move farther in a step than half their inscribed radius, or turn so far that a
//! part of their surface moves by all of it, are swept along their motion.
//!
//! A body that would pass through others is stopped at its first time of impact, rebounds there, and continues with
//! the rest of the step, several times if necessary. Times of impact come from conservative advancement (Mirtich 1996;
//! see [`sweep`](crate::sweep)) and are processed from a heap, the earliest first, as in event-driven simulation.
//! Points are cast as rays.
//!
//! Laws
//! 1. Impacts are processed in the order of their times; of equal times, in the order of solver bodies. So the first
//!    shot hits first.
//! 2. A body has at most as many impacts per step as the settings say; then it stays where it is until the next step.
//! 3. Of a joined body, only the centre of mass is cast: its contacts are speculative, found as far ahead as it moves, and if it
//!    turns too far for that, it is swept about its joint, and its articulation goes back to the impact: see [`turning`].
//!    If its centre of mass would pass into a static or kinematic body, its whole articulation is projected back: see
//!    [`projection`].
//! 4. No centre of mass passes into a static or kinematic body, at any speed or rotation, whatever the sweep found and
//!    the joints require: it stops there, and its joints open. So the centre of mass of a body that penetrates deeply
//!    is cast even if it is slow: beyond the middle of a thin wall, it would be pushed out on the other side.
//! 5. The current segment of a body is not changed by bodies that hit it meanwhile: they change its velocity after it.
//! 6. What lies in the way of a kinematic body that moves or turns far is swept however slow it is, and for it law 5 does not hold:
//!    see [`driven`].
//! 7. Triggers stop no body. Bodies that pass one within the step are recorded, kinematic ones too: see [`triggers`].

mod motion_segment;

mod driven;
mod restitution;

mod projection;
pub mod triggers;
mod turning;

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use base::{Handle, Quat, Vec3, number};
use jobs::{NONE as NO_BODY, each_chunk};
use state::{Block, Datums, Workers};

use crate::aabb::Aabb;
use crate::body::{Body, flag};
use crate::broad::BroadPhase;
use crate::contact::ContactEvent;
use crate::limits::BODIES_CHUNK;
use crate::pose::Pose;
use crate::settings::Settings;
use crate::shape::Shape;
use crate::shapes::Shapes;
use crate::solve::articulations::projection::ArticulationProjector;
use crate::solver_body::{SolverBody, SolverVelocity, pad, unpad};
use crate::sweep;
use motion_segment::{Clearance, Hit, MotionSegment};
use triggers::{TriggerPasses, is_detected};
use turning::TurningHit;

/// The inputs of CCD.
pub struct CcdScene<'a> {
    /// The block at the beginning of the step.
    pub block: &'a Block,
    /// The bodies in it.
    pub bodies: Datums<Body>,
    /// Their shapes.
    pub shapes: &'a Shapes,
    /// The settings.
    pub settings: &'a Settings,
    /// The broad phase.
    pub broad: &'a BroadPhase,
    /// For each slot, the index of its solver body.
    pub solver_indices: &'a [u32],
    /// Pairs of slots that do not collide because they are joined, sorted.
    pub non_colliding: &'a [[u16; 2]],
}

/// Working memory of CCD, and its results.
pub struct Ccd {
    /// For each solver body, whether it needs CCD or was moved by a projection.
    candidates: Vec<bool>,
    /// For each solver body, whether a kinematic one may drive it; empty if there are none.
    driven: Vec<bool>,
    /// The candidates, in order, then those that driven ones struck.
    bodies: Vec<CcdBody>,
    /// How many of them are candidates.
    gathered: usize,
    events: BinaryHeap<ImpactEvent>,
    events_max: usize,
    turning_hits: Vec<TurningHit>,
    /// Velocity changes of sleeping bodies by impacts.
    pub sleeper_velocities: Vec<SleeperVelocity>,
    /// All impacts.
    pub impacts: Vec<ContactEvent>,
    /// Kinematic bodies that move or turn far: they are tested for triggers only.
    passing: Vec<u32>,
    /// Bodies that passed a trigger.
    pub trigger_passes: TriggerPasses,
}

/// The change of velocity of a sleeping body by an impact.
#[derive(Clone, Copy, Debug)]
pub struct SleeperVelocity {
    /// Its slot.
    pub slot: u16,
    /// Change of its velocity.
    pub velocity: Vec3,
    /// Change of its angular velocity.
    pub angular_velocity: Vec3,
}

/// A body with CCD, on its current motion segment.
#[derive(Clone, Copy, Default)]
struct CcdBody {
    solver_body: u32,
    /// Pose of the centre of mass at the beginning of the step.
    start: (Vec3, Quat),
    /// When the segment began, as a part of the step.
    from: f32,
    /// Pose of the centre of mass at that time.
    center_of_mass: Vec3,
    start_rotation: Quat,
    /// Translation and rotation over the segment. Those of the first come from the solver, of the others from the
    /// velocity.
    translation: Vec3,
    rotation: Vec3,
    /// Whether only its centre of mass is cast: it is joined, or it penetrates deeply and is slow.
    is_center_only: bool,
    /// Whether a kinematic body may drive it, or one that is driven struck it.
    is_driven: bool,
    /// The direction in which it is pushed by a kinematic body behind it, with all its weight.
    backing: Option<Vec3>,
    impacts: u32,
    next: Option<Impact>,
    /// Whether there are triggers near the segment.
    sees_trigger: bool,
}

/// The end of a motion segment.
#[derive(Clone, Copy)]
struct Impact {
    /// Time of impact, as a part of the step.
    time_of_impact: f32,
    /// Slot of the other body.
    slot: u16,
    /// Contact normal, towards the other body.
    normal: Vec3,
    /// Contact point relative to the centre of mass at that time.
    arm: Vec3,
}

/// An impact ordered by time. The heap returns its maximum first, so the order is reversed.
#[derive(Clone, Copy, PartialEq)]
struct ImpactEvent {
    time: f32,
    body: u32,
}

impl Eq for ImpactEvent {}

impl PartialOrd for ImpactEvent {
    fn partial_cmp(&self, other: &ImpactEvent) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ImpactEvent {
    fn cmp(&self, other: &ImpactEvent) -> Ordering {
        other.time.total_cmp(&self.time).then(other.body.cmp(&self.body))
    }
}

impl Ccd {
    /// Allocates for this many bodies.
    pub fn new(bodies: usize) -> Ccd {
        Ccd {
            candidates: Vec::with_capacity(bodies),
            driven: Vec::with_capacity(bodies),
            bodies: Vec::with_capacity(bodies),
            gathered: 0,
            // Of a driven body there may be an event that no longer counts.
            events: BinaryHeap::with_capacity(bodies * 2),
            events_max: bodies * 2,
            turning_hits: Vec::with_capacity(bodies),
            sleeper_velocities: Vec::with_capacity(bodies),
            impacts: Vec::with_capacity(bodies),
            passing: Vec::with_capacity(bodies),
            trigger_passes: TriggerPasses::new(bodies),
        }
    }

    /// Selects the bodies that need CCD. False if there are none.
    pub fn select(
        &mut self,
        scene: &CcdScene<'_>,
        solver_bodies: &[SolverBody],
        velocities: &[SolverVelocity],
        workers: &dyn Workers,
    ) -> bool {
        self.events.clear();
        self.sleeper_velocities.clear();
        self.impacts.clear();
        self.trigger_passes.clear();
        self.driven.clear();
        self.passing.clear();
        self.candidates.resize(solver_bodies.len(), false);
        let is_any_driver = AtomicBool::new(false);
        each_chunk(workers, &mut self.candidates, BODIES_CHUNK, |first, candidates| {
            let all = solver_bodies[first..].iter().zip(&velocities[first..]);
            let is_candidate = |(solver_body, solver_velocity): (&SolverBody, &SolverVelocity)| {
                if scene.is_driver(solver_body, solver_velocity) {
                    is_any_driver.store(true, Relaxed);
                }
                solver_body.is_deep || needs_ccd(scene, solver_body, solver_velocity)
            };
            candidates.iter_mut().zip(all).for_each(|(candidate, pair)| *candidate = is_candidate(pair));
        });
        if is_any_driver.into_inner() {
            self.mark_driven(scene, solver_bodies, velocities);
            let all = solver_bodies.iter().zip(velocities).zip(0..);
            let is_passing = |solver_body: &SolverBody, motion: &SolverVelocity| {
                scene.is_driver(solver_body, motion) && moves_far(scene, solver_body, motion)
            };
            let passing = all.filter(|((solver_body, motion), _)| is_passing(solver_body, motion));
            self.passing.extend(passing.map(|(_, index)| index));
        }
        self.gather(scene, solver_bodies, velocities);
        !self.bodies.is_empty() || !self.passing.is_empty()
    }

    /// Initializes the first motion segment of all candidates.
    fn gather(&mut self, scene: &CcdScene<'_>, solver_bodies: &[SolverBody], velocities: &[SolverVelocity]) {
        self.bodies.clear();
        let all = solver_bodies.iter().zip(velocities).enumerate();
        let fast = all.filter(|(index, _)| self.candidates[*index]);
        self.bodies.extend(fast.map(|(index, (solver_body, solver_velocity))| {
            let is_driven = self.driven.get(index).copied().unwrap_or(false);
            let is_swept = is_driven || needs_ccd(scene, solver_body, solver_velocity);
            CcdBody {
                is_center_only: solver_body.is_joined || !is_swept,
                is_driven,
                ..CcdBody::new(index as u32, solver_body, solver_velocity)
            }
        }));
        self.gathered = self.bodies.len();
    }

    /// Processes all impacts of the selected bodies in order, and changes their final poses and velocities.
    pub fn solve(
        &mut self,
        scene: &CcdScene<'_>,
        projector: &mut ArticulationProjector<'_>,
        (solver_bodies, velocities): (&mut [SolverBody], &mut [SolverVelocity]),
        workers: &dyn Workers,
    ) {
        self.rewind_articulations(scene, projector, solver_bodies, velocities);
        self.project_articulations(scene, projector, solver_bodies, velocities);
        let (all_bodies, all_velocities) = (&*solver_bodies, &*velocities);
        each_chunk(workers, &mut self.bodies, BODIES_CHUNK, |_, bodies| {
            bodies.iter_mut().for_each(|ccd_body| scene.find_next_impact(ccd_body, all_bodies, all_velocities));
        });
        for (index, ccd_body) in self.bodies.iter().enumerate() {
            self.events.extend(ccd_body.next.map(|next| ImpactEvent { time: next.time_of_impact, body: index as u32 }));
        }
        let mut time = 0.0;
        while let Some(event) = self.events.pop() {
            assert!(event.time >= time && event.time <= 1.0, "an impact at {} after one at {time}", event.time);
            time = event.time;
            self.process_impact(scene, event, solver_bodies, velocities);
        }
        self.restore_driven(solver_bodies, velocities);
        self.find_remaining_passes(scene, solver_bodies, velocities);
    }

    /// Processes the next impact of a body, and finds the one after it.
    fn process_impact(
        &mut self,
        scene: &CcdScene<'_>,
        event: ImpactEvent,
        solver_bodies: &mut [SolverBody],
        velocities: &mut [SolverVelocity],
    ) {
        let index = event.body as usize;
        let mut ccd_body = self.bodies[index];
        // A body that was struck meanwhile has another next impact.
        let Some(impact) = ccd_body.next.take().filter(|next| next.time_of_impact == event.time) else { return };
        let began = ccd_body.from;
        self.advance(scene, &mut ccd_body, impact.time_of_impact, solver_bodies, velocities);
        // So has one that would have hit a body which was struck meanwhile.
        let has_moved = |other: &CcdBody| other.is_driven && other.from > began;
        if self.index_of(scene, impact.slot).is_some_and(|other| has_moved(&self.bodies[other])) {
            self.bodies[index] = ccd_body;
            self.find_next(scene, index, solver_bodies, velocities);
            return;
        }
        ccd_body.impacts += 1;
        let is_resolved = self.resolve_impact(scene, &ccd_body, &impact, solver_bodies, velocities);
        let impacts_max = if ccd_body.is_driven { scene.driven_impacts_max() } else { scene.settings.impacts_max };
        let is_last = ccd_body.impacts >= impacts_max || !is_resolved || ccd_body.is_center_only;
        let backing = if ccd_body.is_driven && is_resolved {
            self.lean(scene, &mut ccd_body, &impact, solver_bodies, velocities)
        } else {
            None
        };
        self.begin_segment(scene, (index, ccd_body), is_last, solver_bodies, velocities);
        let struck = if ccd_body.is_driven && is_resolved {
            self.strike(scene, &impact, backing, solver_bodies, velocities)
        } else {
            None
        };
        if !is_last {
            self.find_next(scene, index, solver_bodies, velocities);
        }
        if let Some(struck) = struck {
            self.find_next(scene, struck, solver_bodies, velocities);
        }
    }

    /// Moves a body along its segment to a time, with the triggers that it passes.
    fn advance(
        &mut self,
        scene: &CcdScene<'_>,
        ccd_body: &mut CcdBody,
        time: f32,
        solver_bodies: &[SolverBody],
        velocities: &[SolverVelocity],
    ) {
        let segment = ccd_body.segment();
        let part = if ccd_body.from < 1.0 { (time - ccd_body.from) / (1.0 - ccd_body.from) } else { 0.0 };
        if ccd_body.sees_trigger {
            scene.find_passes((ccd_body, &segment, part), solver_bodies, velocities, &mut self.trigger_passes);
        }
        (ccd_body.center_of_mass, ccd_body.start_rotation) = segment.at(part);
        (ccd_body.translation, ccd_body.rotation) =
            (segment.translation * (1.0 - part), segment.rotation * (1.0 - part));
        (ccd_body.from, ccd_body.sees_trigger) = (time, false);
    }

    /// Begins a new segment where a body is, with the velocity that it has now: for the rest of the step, or, if it is the last, until the
    /// next step.
    fn begin_segment(
        &mut self,
        scene: &CcdScene<'_>,
        (index, mut ccd_body): (usize, CcdBody),
        is_last: bool,
        solver_bodies: &mut [SolverBody],
        velocities: &mut [SolverVelocity],
    ) {
        let body_index = ccd_body.solver_body as usize;
        let (center_of_mass, rotation) = (ccd_body.center_of_mass, ccd_body.start_rotation);
        let left = if is_last { 0.0 } else { (1.0 - ccd_body.from) * scene.settings.seconds };
        let velocity = velocities[body_index].linear();
        let angular_velocity = solver_bodies[body_index].transport_angular_velocity(
            velocities[body_index].angular(),
            solver_bodies[body_index].rotation,
            rotation,
        );
        let gain = solver_bodies[body_index].velocity_gain(left);
        (ccd_body.translation, ccd_body.rotation) = ((velocity - gain * 0.5) * left, angular_velocity * left);
        if is_last && ccd_body.is_driven {
            scene.carry(&mut ccd_body, solver_bodies, velocities);
        }
        velocities[body_index].delta_position =
            pad(center_of_mass + ccd_body.translation - solver_bodies[body_index].center_of_mass);
        // Joined bodies keep the rotation of the solver.
        if !ccd_body.is_center_only {
            let end = if left > 0.0 { rotation.turned(angular_velocity, left) } else { rotation };
            velocities[body_index].angular =
                pad(solver_bodies[body_index].transport_angular_velocity(angular_velocity, rotation, end));
            solver_bodies[body_index].rotation = end;
        }
        if ccd_body.is_driven {
            ccd_body.extend_backwards(&mut solver_bodies[body_index], &mut velocities[body_index]);
        }
        (ccd_body.next, ccd_body.sees_trigger) = (None, false);
        self.bodies[index] = ccd_body;
    }

    /// Finds the next impact of a body on its segment.
    fn find_next(
        &mut self,
        scene: &CcdScene<'_>,
        index: usize,
        solver_bodies: &[SolverBody],
        velocities: &[SolverVelocity],
    ) {
        scene.find_next_impact(&mut self.bodies[index], solver_bodies, velocities);
        let next = self.bodies[index].next;
        self.events.extend(next.map(|next| ImpactEvent { time: next.time_of_impact, body: index as u32 }));
    }

    /// Finds the triggers on the last segment of each body.
    fn find_remaining_passes(
        &mut self,
        scene: &CcdScene<'_>,
        solver_bodies: &[SolverBody],
        velocities: &[SolverVelocity],
    ) {
        for ccd_body in self.bodies.iter().filter(|ccd_body| ccd_body.sees_trigger) {
            let body_index = ccd_body.solver_body as usize;
            // A body that was hit meanwhile has another velocity, but the same end of its segment.
            let end = solver_bodies[body_index].center_of_mass + velocities[body_index].delta_position();
            let segment = MotionSegment { translation: end - ccd_body.center_of_mass, ..ccd_body.segment() };
            scene.find_passes((ccd_body, &segment, 1.0), solver_bodies, velocities, &mut self.trigger_passes);
        }
        for index in &self.passing {
            let body_index = *index as usize;
            let whole = CcdBody::new(*index, &solver_bodies[body_index], &velocities[body_index]);
            let segment = whole.segment();
            scene.find_passes((&whole, &segment, 1.0), solver_bodies, velocities, &mut self.trigger_passes);
        }
        self.trigger_passes.retain_left(scene, solver_bodies, velocities);
    }
}

impl CcdBody {
    /// A solver body on its way through the step.
    fn new(index: u32, solver_body: &SolverBody, motion: &SolverVelocity) -> CcdBody {
        CcdBody {
            solver_body: index,
            start: (solver_body.center_of_mass, solver_body.start_rotation),
            center_of_mass: solver_body.center_of_mass,
            start_rotation: solver_body.start_rotation,
            translation: motion.delta_position(),
            rotation: unpad(motion.delta_rotation),
            ..CcdBody::default()
        }
    }

    /// The rest of its motion.
    fn segment(&self) -> MotionSegment {
        let CcdBody { center_of_mass, start_rotation, translation, rotation, .. } = *self;
        MotionSegment { center_of_mass, start_rotation, translation, rotation }
    }
}

impl CcdScene<'_> {
    fn body(&self, slot: u16) -> Option<(Handle<Body>, &Body)> {
        if u32::from(slot) < self.bodies.capacity() { self.bodies.at_slot(self.block, slot) } else { None }
    }

    fn shape_of(&self, body: &Body) -> Option<&Shape> {
        self.shapes.colliding(body.shape, body.is(flag::STATIC))
    }

    /// Whether two bodies do not collide because they are joined.
    fn is_non_colliding(&self, one: u16, other: u16) -> bool {
        self.non_colliding.binary_search(&[one.min(other), one.max(other)]).is_ok()
    }

    /// Finds the next impact of a body: the earliest, and of equal times the one with the lowest slot.
    fn find_next_impact(&self, ccd_body: &mut CcdBody, solver_bodies: &[SolverBody], velocities: &[SolverVelocity]) {
        (ccd_body.next, ccd_body.sees_trigger) = (None, false);
        let body_index = ccd_body.solver_body as usize;
        let Some((_, body)) = self.body(solver_bodies[body_index].slot) else { return };
        let Some(shape) = self.shape_of(body) else { return };
        let segment = ccd_body.segment();
        let start = Pose::new(
            segment.center_of_mass - segment.start_rotation.rotate(body.center_of_mass),
            segment.start_rotation,
        );
        let motion = sweep::Motion {
            pose: start,
            pivot: body.center_of_mass,
            translation: segment.translation,
            rotation: segment.rotation,
        };
        let is_point = body.is(flag::POINT);
        let radius = Vec3::splat(if is_point { 0.0 } else { body.bounding_radius });
        let end = segment.center_of_mass + segment.translation;
        let bounds =
            Aabb { min: segment.center_of_mass.min(end) - radius, max: segment.center_of_mass.max(end) + radius };
        let rotates = !is_point
            && !ccd_body.is_center_only
            && segment.rotation.length() * body.bounding_radius > body.inscribed_radius * 0.5;
        let (mut best, mut sees_trigger): (Option<(f32, Impact)>, bool) = (None, false);
        let own = &self.broad.moving[body_index];
        self.broad.visit_overlapping(&bounds.expanded(self.settings.speculative_margin), |proxy| {
            let slot = proxy.slot();
            if slot == own.slot() || !own.can_collide(proxy) || self.is_non_colliding(slot, own.slot()) {
                return;
            }
            let Some((_, other)) = self.body(slot) else { return };
            sees_trigger |= is_detected(body, other);
            if other.is(flag::TRIGGER) || body.is(flag::TRIGGER) || (is_point && other.is(flag::POINT)) {
                return;
            }
            let Some(other_shape) = self.shape_of(other) else { return };
            let other_motion = self.motion_of(other, slot, ccd_body.from, solver_bodies, velocities);
            // A kinematic body that turns far may leave it, and meet it again.
            let rotates = rotates
                || ccd_body.is_driven && !other.is_dynamic() && other_motion.rotation.length() > sweep::DRIVER_TURN_MIN;
            let time_max = best.as_ref().map_or(1.0, |(time, _)| *time);
            let swept = |from: f32, accepts: &dyn Fn(&Hit) -> bool| {
                segment.sweep_hit((body, shape, &motion), other_shape, &other_motion, (from, time_max), accepts)
            };
            let approach_speed =
                |hit: &Hit| self.approach_speed(ccd_body, body_index, (slot, *hit), solver_bodies, velocities);
            let left = |hit: &Hit| (1.0 - ccd_body.from) * (1.0 - hit.0) * self.settings.seconds;
            let unnoticed = self.unnoticed_depth(body, other);
            let is_hit = |hit: &Hit| {
                let speed = approach_speed(hit);
                let is_slow = speed <= self.settings.restitution_threshold && speed * left(hit) <= unnoticed;
                speed > 0.0 && (rotates || !is_slow)
            };
            let hit = if is_point {
                segment.center_hit(Clearance::default(), other_shape, &other_motion).map(|(hit, _)| hit)
            } else if ccd_body.is_center_only {
                None
            } else {
                swept(0.0, &is_hit)
            };
            let hit = hit.filter(|hit| approach_speed(hit) > 0.0).or_else(|| {
                let distance = if is_point || ccd_body.is_center_only { 0.0 } else { body.inscribed_radius };
                let clearance = Clearance { distance, is_kept: ccd_body.is_center_only };
                let center =
                    if other.is_dynamic() { None } else { segment.center_hit(clearance, other_shape, &other_motion) };
                let center = center.filter(|(_, is_inside)| !is_inside).map(|(hit, _)| hit);
                // A corner may leave the surface by rotation, and another meet it later. Penetration within the slop is
                // left to the solver.
                let penetrates = |hit: &Hit| {
                    // A body that already penetrates deeply has no contact point.
                    let is_there = hit.2.length_squared() <= body.bounding_radius * body.bounding_radius * 1.1;
                    is_there && approach_speed(hit) * left(hit) > self.settings.slop
                };
                let samples = if rotates { ROTATION_SAMPLES } else { 1 };
                let resampled = |sample: u32| swept(sample as f32 / ROTATION_SAMPLES as f32, &penetrates);
                match (center, (1..samples).find_map(resampled)) {
                    (Some(center), Some(rotated)) => Some(if rotated.0 < center.0 { rotated } else { center }),
                    (center, rotated) => center.or(rotated),
                }
            });
            let Some((part, normal, arm)) = hit else { return };
            let time = ccd_body.from + part * (1.0 - ccd_body.from);
            let is_first = best.as_ref().is_none_or(|(first, impact)| (part, slot) < (*first, impact.slot));
            if is_first && part <= 1.0 {
                best = Some((part, Impact { time_of_impact: time, slot, normal, arm }));
            }
        });
        (ccd_body.next, ccd_body.sees_trigger) = (best.map(|(_, impact)| impact), sees_trigger);
    }

    /// The depth up to which a slow approach is left to the solver of the next step, unless the body rotates fast: so what slides on a
    /// surface is not stopped by it.
    fn unnoticed_depth(&self, body: &Body, other: &Body) -> f32 {
        let own = number::min(self.settings.slop, body.inscribed_radius * 0.5);
        // A surface without a thickness has no far side that is near.
        if other.inscribed_radius > 0.0 { number::min(own, other.inscribed_radius * 0.5) } else { own }
    }

    /// The motion of another body from a time on.
    fn motion_of(
        &self,
        other: &Body,
        slot: u16,
        from: f32,
        solver_bodies: &[SolverBody],
        velocities: &[SolverVelocity],
    ) -> sweep::Motion {
        let body_index = self.solver_indices.get(usize::from(slot)).copied().unwrap_or(NO_BODY) as usize;
        let (Some(solver_body), Some(solver_velocity)) = (solver_bodies.get(body_index), velocities.get(body_index))
        else {
            return sweep::Motion::at_rest(Pose::new(other.position, other.rotation));
        };
        let (translation, turned) = (solver_velocity.delta_position(), unpad(solver_velocity.delta_rotation));
        let rotation = (Quat::from_rotation_vector(turned * from) * solver_body.start_rotation).normal();
        let center_of_mass = solver_body.center_of_mass + translation * from;
        sweep::Motion {
            pose: Pose::new(center_of_mass - rotation.rotate(other.center_of_mass), rotation),
            pivot: other.center_of_mass,
            translation: translation * (1.0 - from),
            rotation: turned * (1.0 - from),
        }
    }

    /// The speed at which two bodies approach at an impact. If it is not positive, the solver has resolved the contact.
    fn approach_speed(
        &self,
        ccd_body: &CcdBody,
        body_index: usize,
        (slot, (part, normal, arm)): (u16, Hit),
        solver_bodies: &[SolverBody],
        velocities: &[SolverVelocity],
    ) -> f32 {
        let (solver_body, solver_velocity) = (&solver_bodies[body_index], &velocities[body_index]);
        let (_, rotation) = ccd_body.segment().at(part);
        let angular_velocity =
            solver_body.transport_angular_velocity(solver_velocity.angular(), solver_body.rotation, rotation);
        let near = solver_velocity.linear() + angular_velocity.cross(arm);
        let target = self.solver_indices.get(usize::from(slot)).copied().unwrap_or(NO_BODY) as usize;
        let far = match (solver_bodies.get(target), velocities.get(target)) {
            (Some(solver_body), Some(solver_velocity)) => {
                let far_arm = if solver_body.inverse_mass == 0.0 || ccd_body.is_driven {
                    let time = ccd_body.from + part * (1.0 - ccd_body.from);
                    let center_of_mass = solver_body.center_of_mass + solver_velocity.delta_position() * time;
                    ccd_body.center_of_mass + ccd_body.translation * part + arm - center_of_mass
                } else {
                    ccd_body.center_of_mass + arm - solver_body.center_of_mass
                };
                solver_velocity.linear() + solver_velocity.angular().cross(far_arm)
            }
            _ => Vec3::ZERO,
        };
        (near - far).dot(normal)
    }
}

/// Number of start times for repeated sweeps of a body that rotates far, to find impacts after it has left a surface.
const ROTATION_SAMPLES: u32 = 8;

/// Whether a body that can be stopped moves or turns so far in the step that it could pass through another.
fn needs_ccd(scene: &CcdScene<'_>, solver_body: &SolverBody, solver_velocity: &SolverVelocity) -> bool {
    solver_body.inverse_mass > 0.0 && moves_far(scene, solver_body, solver_velocity)
}

/// Whether a body moves or turns so far in the step that it could pass through another.
fn moves_far(scene: &CcdScene<'_>, solver_body: &SolverBody, solver_velocity: &SolverVelocity) -> bool {
    let Some((_, body)) = scene.body(solver_body.slot) else { return false };
    let (translation, rotation) = (solver_velocity.delta_position(), unpad(solver_velocity.delta_rotation));
    let Some(shape) = scene.shape_of(body) else { return false };
    if !translation.is_finite() || !rotation.is_finite() {
        return false;
    }
    let motion = sweep::Motion { pose: solver_body.pose, pivot: body.center_of_mass, translation, rotation };
    body.is(flag::POINT) || sweep::is_fast(shape, &motion, [body.inscribed_radius, body.bounding_radius])
}
