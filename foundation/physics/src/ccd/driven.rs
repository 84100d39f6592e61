//! Driven bodies: those in the way of a kinematic body that moves or turns far in a step.
//!
//! Nothing stops a kinematic body, so what lies in its way is swept however slow it is: along its own motion and that of the kinematic
//! body at once. Between a plate and a row of others it would be hit without end, ever more weakly: so what leans on a kinematic body hits
//! with the weight of that, and what has no impacts left is carried.
//!
//! Laws
//! 1. If no kinematic body moves farther in the step than the speculative margin, nothing of this page happens.
//! 2. A driven body has up to [`DRIVEN_IMPACTS_MAX`] impacts. Then, or where it would stay until the next step, it is carried by the
//!    first kinematic body that sweeps over it, at the same place relative to it. Only what is not dynamic stops that.
//! 3. What a driven body hits is driven too, and begins a new segment there: a row keeps its order.
//! 4. A body that does not rebound from a kinematic one is backed: what it hits ahead cannot stop it, and is backed as well.

use base::number::{max, min};
use base::{Quat, Vec3};
use jobs::NONE as NO_BODY;

use super::motion_segment::{Clearance, MotionSegment};
use super::{Ccd, CcdBody, CcdScene, Impact};
use crate::aabb::Aabb;
use crate::body::{Body, flag};
use crate::pose::Pose;
use crate::solver_body::{SolverBody, SolverVelocity, pad, unpad};
use crate::sweep::{self, DrivenRadii, DriverMotion, Motion};

/// The most impacts of a driven body in a step: a light body between a plate and another meets both in turns.
const DRIVEN_IMPACTS_MAX: u32 = 16;

/// The least cosine between the directions in which a body is backed and in which it hits.
const BACKED_COSINE_MIN: f32 = 0.5;

/// Where a kinematic body carries another for the rest of the step.
struct Carried {
    translation: Vec3,
    /// How far the kinematic body turns meanwhile.
    turn: Quat,
    /// The direction in which it pushes at the end, and its velocity there; none if something else is in the way.
    push: Option<[Vec3; 2]>,
}

impl Ccd {
    /// Marks the bodies that kinematic ones may drive within the step, as candidates.
    pub(super) fn mark_driven(
        &mut self,
        scene: &CcdScene<'_>,
        solver_bodies: &[SolverBody],
        velocities: &[SolverVelocity],
    ) {
        self.driven.resize(solver_bodies.len(), false);
        for [first, second] in scene.broad.pairs() {
            for (driver, other) in [(*first, *second), (*second, *first)] {
                if let Some(index) = scene.driven_body(driver, other, solver_bodies, velocities) {
                    (self.driven[index], self.candidates[index]) = (true, true);
                }
            }
        }
    }

    /// The body in a slot, if it is swept: its index.
    pub(super) fn index_of(&self, scene: &CcdScene<'_>, slot: u16) -> Option<usize> {
        let solver_body = scene.solver_index(slot);
        let (gathered, struck) = self.bodies.split_at(self.gathered);
        let is_it = |ccd_body: &CcdBody| ccd_body.solver_body == solver_body;
        gathered
            .binary_search_by_key(&solver_body, |ccd_body| ccd_body.solver_body)
            .ok()
            .or_else(|| struck.iter().position(is_it).map(|index| index + gathered.len()))
    }

    /// Whether the bodies of an impact are backed against each other: the one that hits, and the other. Not both.
    pub(super) fn are_backed(&self, scene: &CcdScene<'_>, ccd_body: &CcdBody, impact: &Impact) -> [bool; 2] {
        let is_backed =
            |backing: Option<Vec3>, along: Vec3| backing.is_some_and(|backing| backing.dot(along) > BACKED_COSINE_MIN);
        let other = self.index_of(scene, impact.slot).and_then(|other| self.bodies[other].backing);
        let is_dynamic = scene.body(impact.slot).is_some_and(|(_, other)| other.is_dynamic());
        let both = [is_dynamic && is_backed(ccd_body.backing, impact.normal), is_backed(other, -impact.normal)];
        if both == [true; 2] { [false; 2] } else { both }
    }

    /// After an impact of a driven body: whether it leans on something that a kinematic body moves. Returns how it backs the other.
    pub(super) fn lean(
        &self,
        scene: &CcdScene<'_>,
        ccd_body: &mut CcdBody,
        impact: &Impact,
        solver_bodies: &[SolverBody],
        velocities: &[SolverVelocity],
    ) -> Option<Vec3> {
        let target = scene.solver_index(impact.slot) as usize;
        let is_driver = match (solver_bodies.get(target), velocities.get(target)) {
            (Some(other), Some(motion)) => scene.is_driver(other, motion),
            _ => false,
        };
        let hit = (impact.slot, (0.0, impact.normal, impact.arm));
        let index = ccd_body.solver_body as usize;
        let rebound = -scene.approach_speed(ccd_body, index, hit, solver_bodies, velocities);
        let stays = rebound <= scene.settings.restitution_threshold;
        let [near, far] = self.are_backed(scene, ccd_body, impact);
        if !near {
            ccd_body.backing = (stays && (is_driver || far)).then_some(-impact.normal);
        }
        (stays && near).then_some(impact.normal)
    }

    /// A body was struck by a driven one: it begins a new segment, of which the next impact is still to be found.
    pub(super) fn strike(
        &mut self,
        scene: &CcdScene<'_>,
        impact: &Impact,
        backing: Option<Vec3>,
        solver_bodies: &mut [SolverBody],
        velocities: &mut [SolverVelocity],
    ) -> Option<usize> {
        let Impact { slot, time_of_impact: time, .. } = *impact;
        let solver_body = scene.solver_index(slot);
        let target = solver_bodies.get(solver_body as usize)?;
        if target.is_joined || target.inverse_mass <= 0.0 || self.events.len() + 2 > self.events_max {
            return None;
        }
        let index = match self.index_of(scene, slot) {
            Some(index) => index,
            None if self.bodies.len() < self.bodies.capacity() => {
                let motion = &velocities[solver_body as usize];
                self.bodies.push(CcdBody::new(solver_body, target, motion));
                self.bodies.len() - 1
            }
            None => return None,
        };
        let mut struck = self.bodies[index];
        if struck.impacts >= scene.driven_impacts_max() || struck.from > time {
            return None;
        }
        (struck.is_center_only, struck.is_driven) = (false, true);
        struck.backing = backing.or(struck.backing);
        struck.impacts += 1;
        self.advance(scene, &mut struck, time, solver_bodies, velocities);
        self.begin_segment(scene, (index, struck), false, solver_bodies, velocities);
        Some(index)
    }

    /// Describes the motion of each driven body from the beginning of the step again, as for all others.
    pub(super) fn restore_driven(&mut self, solver_bodies: &mut [SolverBody], velocities: &mut [SolverVelocity]) {
        for ccd_body in self.bodies.iter().filter(|ccd_body| ccd_body.is_driven && ccd_body.from > 0.0) {
            let index = ccd_body.solver_body as usize;
            let (solver_body, motion) = (&mut solver_bodies[index], &mut velocities[index]);
            let end = solver_body.center_of_mass + motion.delta_position();
            (solver_body.center_of_mass, solver_body.start_rotation) = ccd_body.start;
            motion.delta_position = pad(end - solver_body.center_of_mass);
            if !ccd_body.is_center_only {
                let turn = (solver_body.rotation * solver_body.start_rotation.conjugate()).normal();
                motion.delta_rotation = pad(turn.rotation_vector());
            }
        }
    }
}

impl CcdBody {
    /// Extends its segment backwards to the beginning of the step: whoever asks where it is from now on gets the right answer.
    pub(super) fn extend_backwards(&self, solver_body: &mut SolverBody, motion: &mut SolverVelocity) {
        let rate = if self.from < 1.0 { 1.0 / (1.0 - self.from) } else { 0.0 };
        let (way, turn) = (self.translation * rate, self.rotation * rate);
        solver_body.center_of_mass = self.center_of_mass - way * self.from;
        motion.delta_position = pad(self.center_of_mass + self.translation - solver_body.center_of_mass);
        if !self.is_center_only {
            let back = Quat::from_rotation_vector(turn * -self.from);
            solver_body.start_rotation = (back * self.start_rotation).normal();
            motion.delta_rotation = pad(turn);
        }
    }
}

impl CcdScene<'_> {
    /// Whether a solver body is kinematic and moves or turns farther in the step than the speculative margin.
    pub(super) fn is_driver(&self, solver_body: &SolverBody, motion: &SolverVelocity) -> bool {
        let way = || {
            let turn = unpad(motion.delta_rotation).length() * solver_body.bounding_radius;
            motion.delta_position().length() + turn
        };
        solver_body.inverse_mass == 0.0 && way() > self.settings.speculative_margin
    }

    /// The index of the solver body in a slot, or [`NO_BODY`].
    pub(super) fn solver_index(&self, slot: u16) -> u32 {
        self.solver_indices.get(usize::from(slot)).copied().unwrap_or(NO_BODY)
    }

    /// The most impacts of a driven body.
    pub(super) fn driven_impacts_max(&self) -> u32 {
        self.settings.impacts_max.max(DRIVEN_IMPACTS_MAX)
    }

    /// The solver body that the kinematic body in a slot may drive, if it does.
    fn driven_body(
        &self,
        driver: u16,
        other: u16,
        solver_bodies: &[SolverBody],
        velocities: &[SolverVelocity],
    ) -> Option<usize> {
        let [at, index] = [driver, other].map(|slot| self.solver_index(slot) as usize);
        let (solver_body, motion) = (solver_bodies.get(at)?, velocities.get(at)?);
        let (target, target_motion) = (solver_bodies.get(index)?, velocities.get(index)?);
        if target.inverse_mass <= 0.0 || !self.is_driver(solver_body, motion) {
            return None;
        }
        let [(_, driver), (_, other)] = [self.body(driver)?, self.body(other)?];
        if driver.is(flag::TRIGGER) || other.is(flag::TRIGGER) {
            return None;
        }
        let driver_motion = DriverMotion {
            center_of_mass: solver_body.center_of_mass,
            translation: motion.delta_position(),
            rotation: unpad(motion.delta_rotation),
        };
        let radii = DrivenRadii {
            inscribed: [driver.inscribed_radius, other.inscribed_radius],
            bounding: other.bounding_radius,
            margin: self.settings.speculative_margin,
        };
        sweep::is_driven(&driver_motion, target.center_of_mass, target_motion.delta_position(), &radii).then_some(index)
    }

    /// Moves a driven body that would stay where it is for the rest of the step: the first kinematic body that sweeps over it carries it.
    pub(super) fn carry(
        &self,
        ccd_body: &mut CcdBody,
        solver_bodies: &[SolverBody],
        velocities: &mut [SolverVelocity],
    ) {
        let index = ccd_body.solver_body as usize;
        let Some((_, body)) = self.body(solver_bodies[index].slot) else { return };
        let Some(carried) = self.carried(ccd_body, body, solver_bodies, velocities) else { return };
        ccd_body.translation = carried.translation;
        if let Some([direction, velocity]) = carried.push {
            let turned = carried.turn.rotate(velocities[index].linear());
            velocities[index].linear = pad(turned + direction * max((velocity - turned).dot(direction), 0.0));
        }
    }

    fn carried(
        &self,
        ccd_body: &CcdBody,
        body: &Body,
        solver_bodies: &[SolverBody],
        velocities: &[SolverVelocity],
    ) -> Option<Carried> {
        let shape = self.shape_of(body)?;
        let center = ccd_body.center_of_mass;
        let start = Pose::new(center - ccd_body.start_rotation.rotate(body.center_of_mass), ccd_body.start_rotation);
        let own = &self.broad.moving[ccd_body.solver_body as usize];
        let radius = Vec3::splat(body.bounding_radius);
        let mut first: Option<(f32, u16, Vec3, Motion)> = None;
        self.broad.visit_overlapping(&Aabb { min: center - radius, max: center + radius }, |proxy| {
            let slot = proxy.slot();
            if slot == own.slot() || !own.can_collide(proxy) || self.is_non_colliding(slot, own.slot()) {
                return;
            }
            let index = self.solver_index(slot) as usize;
            let (Some(driver), Some(motion)) = (solver_bodies.get(index), velocities.get(index)) else { return };
            let Some((_, other)) = self.body(slot).filter(|(_, other)| !other.is(flag::TRIGGER | flag::POINT)) else {
                return;
            };
            let Some(other_shape) = self.shape_of(other).filter(|_| self.is_driver(driver, motion)) else { return };
            let other_motion = self.motion_of(other, slot, ccd_body.from, solver_bodies, velocities);
            let latest = first.as_ref().map_or(1.0, |(time, ..)| *time);
            let hit = sweep::sweep_before(shape, &Motion::at_rest(start), other_shape, &other_motion, latest);
            let is_first =
                |time: f32| first.as_ref().is_none_or(|(earliest, lowest, ..)| (time, slot) < (*earliest, *lowest));
            if let Some(hit) = hit.filter(|hit| is_first(hit.time)) {
                first = Some((hit.time, slot, hit.normal, other_motion));
            }
        });
        let (time, carrier, normal, motion) = first?;
        let (touched, end) = (motion.at(time), motion.at(1.0));
        let turn = Quat::from_rotation_vector(motion.rotation * (1.0 - time)).normal();
        let way = end.point(touched.local_point(center)) - center;
        let segment = MotionSegment {
            center_of_mass: center,
            start_rotation: ccd_body.start_rotation,
            translation: way,
            rotation: Vec3::ZERO,
        };
        let free = self.free_part(&segment, (ccd_body, body, carrier), solver_bodies, velocities);
        let driver = &velocities[self.solver_index(carrier) as usize];
        let velocity = driver.linear() + driver.angular().cross(center + way - end.point(motion.pivot));
        let push = (free >= 1.0).then_some([-turn.rotate(normal), velocity]);
        Some(Carried { translation: way * free, turn, push })
    }

    /// The part of a segment before the center of mass comes to a body that is not dynamic, other than its carrier.
    fn free_part(
        &self,
        segment: &MotionSegment,
        (ccd_body, body, carrier): (&CcdBody, &Body, u16),
        solver_bodies: &[SolverBody],
        velocities: &[SolverVelocity],
    ) -> f32 {
        let own = &self.broad.moving[ccd_body.solver_body as usize];
        let (start, end) = (segment.center_of_mass, segment.center_of_mass + segment.translation);
        let bounds = Aabb { min: start.min(end), max: start.max(end) }.expanded(body.bounding_radius);
        let clearance = Clearance { distance: body.inscribed_radius, is_kept: false };
        let mut free: f32 = 1.0;
        self.broad.visit_overlapping(&bounds, |proxy| {
            let slot = proxy.slot();
            if slot == own.slot() || slot == carrier || !own.can_collide(proxy) {
                return;
            }
            let is_solid = |other: &Body| !other.is_dynamic() && !other.is(flag::TRIGGER | flag::POINT);
            let Some((_, other)) = self.body(slot).filter(|(_, other)| is_solid(other)) else { return };
            let Some(shape) = self.shape_of(other) else { return };
            let motion = self.motion_of(other, slot, ccd_body.from, solver_bodies, velocities);
            if let Some(((part, ..), false)) = segment.center_hit(clearance, shape, &motion) {
                free = min(free, part);
            }
        });
        free
    }
}
