//! The instances of a frame: one for each object but the level.

use base::{Handle, Vec3, number};
use jobs::each_chunk_of_two;
use physics::{Body, flag};
use script::value::Value;
use state::{Block, Workers};
use view::instance::look;
use view::limits::INSTANCES_MAX;
use view::{Frame, Instance, Shape};

use super::FrameBudget;
use crate::appearance::Appearance;
use crate::limits::{ATTACHMENT_DEPTH_MAX, PLACED_CYCLES};
use crate::object::{Object, VELOCITY, linked, vector_of};
use crate::presentation::{InstanceKind, ListedObject};
use crate::prototype::Prototype;
use crate::rules::{LEVEL, Rules};

/// How an object moves: the velocity of its origin, its angular velocity, and what follows for its look.
#[derive(Clone, Copy, Default)]
pub(super) struct Motion {
    pub velocity: Vec3,
    angular_velocity: Vec3,
    look: u16,
}

/// The objects that one job extracts.
const INSTANCES_PER_JOB: usize = 256;

impl Rules {
    /// Replaces the instances by those of all objects.
    pub(super) fn extract_instances(
        &self,
        block: &Block,
        (frame, budget): (&mut Frame, &mut FrameBudget),
        workers: &dyn Workers,
    ) {
        self.presentation.with_listed(|listed| {
            let objects = self.parts.objects;
            listed.clear();
            listed.extend(
                objects
                    .iterate(block)
                    .filter(|(handle, _)| *handle != LEVEL)
                    .map(|(handle, _)| ListedObject { handle, kind: InstanceKind::Plain }),
            );
            frame.refused += listed.len().saturating_sub(INSTANCES_MAX) as u64;
            listed.truncate(INSTANCES_MAX);
            let blank = Instance::new(0, Shape::None, Vec3::ZERO);
            frame.instances.resize(listed.len(), blank);
            let (bodies, now) = (self.parts.bodies.get(block), block.cycle() as u32);
            each_chunk_of_two(workers, (&mut frame.instances, listed), INSTANCES_PER_JOB, |_, instances, listed| {
                for (instance, listed) in instances.iter_mut().zip(listed) {
                    let Some((handle, object)) = objects.find_raw(block, listed.handle.raw()) else { continue };
                    let prototype = self.prototype_of(object);
                    *instance = self.instance(block, (bodies, now), (handle, object), prototype);
                    listed.kind = match prototype {
                        _ if !instance.is_finite() => InstanceKind::Refused,
                        Some(own) if own.appearance.has_more => InstanceKind::More,
                        _ => InstanceKind::Plain,
                    };
                }
            });
            for (index, listed) in listed.iter().enumerate().filter(|(_, listed)| listed.kind == InstanceKind::More) {
                self.extract_more(block, (listed.handle, index), (frame, budget));
            }
            self.drop_refused(frame, listed);
        });
    }

    /// Removes the instances with numbers that are not finite.
    fn drop_refused(&self, frame: &mut Frame, listed: &[ListedObject]) {
        let is_refused = |listed: &ListedObject| listed.kind == InstanceKind::Refused;
        if listed.iter().any(is_refused) {
            let mut kinds = listed.iter();
            let before = frame.instances.len();
            frame.instances.retain(|_| !kinds.next().is_some_and(is_refused));
            frame.refused += (before - frame.instances.len()) as u64;
        }
    }

    #[inline]
    fn instance(
        &self,
        block: &Block,
        (bodies, now): (&[Handle<Body>], u32),
        (handle, object): (Handle<Object>, &Object),
        prototype: Option<&Prototype>,
    ) -> Instance {
        let motion = self.motion_of(block, (bodies, now), handle, object);
        let team = object.team.min(u8::MAX.into()) as u8;
        let team_colour = self.level.settings.team_colours.get(usize::from(team)).copied().unwrap_or_default();
        let is_placed = now.wrapping_sub(object.placed_at) <= PLACED_CYCLES;
        let mut instance = Instance {
            parent: if object.parent.is_none() { 0 } else { object.parent.raw() },
            orientation: object.orientation,
            velocity: motion.velocity,
            angular_velocity: motion.angular_velocity,
            colour: team_colour,
            team,
            look: motion.look | if is_placed { look::TELEPORTED } else { 0 },
            ..Instance::new(handle.raw(), Shape::Marker { radius: object.radius }, object.position)
        };
        if let Some(prototype) = prototype {
            let appearance = &prototype.appearance;
            (instance.model, instance.shape) = (appearance.model, appearance.shape);
            (instance.scale, instance.colour) = (appearance.scale, appearance.colour.unwrap_or(team_colour));
            if appearance.is_hidden {
                instance.look |= look::HIDDEN;
            }
            if appearance.has_variables() {
                self.read_variables(block, handle, appearance, &mut instance);
            }
        }
        instance
    }

    /// Adds what only some objects have: effects, sounds, animations and formulas.
    #[cold]
    fn extract_more(
        &self,
        block: &Block,
        (handle, index): (Handle<Object>, usize),
        (frame, budget): (&mut Frame, &mut FrameBudget),
    ) {
        let Some((_, object)) = self.parts.objects.find_raw(block, handle.raw()) else { return };
        let (Some(prototype), Some(instance)) = (self.prototype_of(object), frame.instances.get(index).copied()) else {
            return;
        };
        let (appearance, mut instance) = (&prototype.appearance, instance);
        if instance.look & look::HIDDEN != 0 {
            return;
        }
        self.extract_lasting(block, (handle, object), (&instance, appearance), (frame, budget));
        if let Some((graph, first)) = &prototype.graph {
            instance.clips = self.extract_clips(block, (handle, object), (graph, *first), (frame, budget));
        }
        if let Some(materials) = self.presentation.models.get(&appearance.model) {
            instance.parameters = self.extract_parameters(block, handle, materials, (frame, budget));
        }
        frame.instances[index] = instance;
    }

    /// How an object moves.
    #[inline]
    pub(super) fn motion_of(
        &self,
        block: &Block,
        (bodies, now): (&[Handle<Body>], u32),
        handle: Handle<Object>,
        object: &Object,
    ) -> Motion {
        match object.parent.is_none() {
            true => self.motion(block, bodies, handle, object),
            false => self.motion_with_parents(block, (bodies, now), object),
        }
    }

    /// What scripts have set takes the place of what the tag says.
    #[cold]
    fn read_variables(&self, block: &Block, handle: Handle<Object>, appearance: &Appearance, instance: &mut Instance) {
        let values = self.parts.objects.values(block, handle);
        let variable = |number: Option<u32>| number.and_then(|number| values.get(number as usize)).copied();
        if let Some(scale) = variable(appearance.scale_variable).and_then(Value::as_number) {
            instance.scale = number::clamp(scale as f32, SCALE_MIN, SCALE_MAX);
        }
        if let Some(is_hidden) = variable(appearance.hidden_variable).and_then(Value::as_truth) {
            instance.look = instance.look & !look::HIDDEN | if is_hidden { look::HIDDEN } else { 0 };
        }
        if variable(appearance.unseen_variable).and_then(Value::as_truth) == Some(true) {
            instance.look |= look::UNSEEN;
        }
    }

    /// The motion of an object that is attached to nothing.
    #[inline]
    fn motion(&self, block: &Block, bodies: &[Handle<Body>], handle: Handle<Object>, object: &Object) -> Motion {
        let body = bodies.get(usize::from(handle.slot())).filter(|body| !body.is_none());
        let body = body.and_then(|body| self.parts.physics.parts.bodies.find_raw(block, body.raw()));
        if let Some((_, body)) = body.filter(|(_, body)| body.owner == handle.raw()) {
            let passable = if body.is(flag::TRIGGER) { look::PASSABLE } else { 0 };
            if body.is(flag::STATIC) {
                return Motion { look: look::FIXED | passable, ..Motion::default() };
            }
            // The body's velocity is that of its center of mass, for most bodies their origin.
            let is_origin = body.center_of_mass == Vec3::ZERO || body.angular_velocity == Vec3::ZERO;
            return Motion {
                velocity: if is_origin { body.velocity } else { body.velocity_at(body.position) },
                angular_velocity: body.angular_velocity,
                look: passable | if body.is(flag::ASLEEP) { look::ASLEEP } else { 0 },
            };
        }
        let velocity = match object.agreed >> VELOCITY & 1 {
            1 => object.velocity,
            // A script has set it since the object settled.
            _ => {
                let values = self.parts.objects.values(block, handle);
                values.get(VELOCITY).map_or(object.velocity, |value| vector_of(*value, object.velocity))
            }
        };
        Motion { velocity, ..Motion::default() }
    }

    /// The motion of an attached object: that of a point of the object at the root of its attachments.
    #[cold]
    fn motion_with_parents(&self, block: &Block, (bodies, now): (&[Handle<Body>], u32), object: &Object) -> Motion {
        let mut at = object.parent;
        let mut look = 0;
        for _ in 0..=ATTACHMENT_DEPTH_MAX {
            let Some(parent) = linked(self.parts.objects, block, at) else { return Motion::default() };
            if now.wrapping_sub(parent.placed_at) <= PLACED_CYCLES {
                look |= look::TELEPORTED;
            }
            if parent.parent.is_none() {
                let motion = self.motion(block, bodies, at, parent);
                let arm = object.position - parent.position;
                let velocity = motion.velocity + motion.angular_velocity.cross(arm);
                return Motion { velocity, look: motion.look | look, ..motion };
            }
            at = parent.parent;
        }
        Motion::default()
    }
}

/// The limits of the class for `scale`, which also hold for what scripts set.
const SCALE_MIN: f32 = 0.0001;
const SCALE_MAX: f32 = 10_000.0;
