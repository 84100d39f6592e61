//! What stands in the way of `!Move`: fixed and kinematic bodies that the moved one would be inside of.
//!
//! Laws
//! 1. Only bodies count that the moved one collides with and that nothing can push away. Others are pushed apart by physics.
//! 2. Touching is no obstacle, nor is less than [`MOVE_DEPTH_MAX`]: a body may be placed on the ground.
//! 3. A surface has no inside: a body wholly within a closed mesh, or below a height field, is not found.

use base::{Handle, Vec3};
use physics::manifold::Manifolds;
use physics::narrow::collide;
use physics::pose::Pose;
use physics::{Body, flag};
use script::message::Message;
use script::value::Value;
use state::World;

use crate::limits::MOVE_DEPTH_MAX;
use crate::object::{Object, value_of};
use crate::prototype::MOVE_DENIED;
use crate::question::{Filter, Form, Question, Want};
use crate::rules::Cycle;

/// The candidates that are visited. With more of them in one place, the move is carried out.
const BUDGET: u64 = 100_000;

/// The first object, by handle, that an object's body would be inside of at a position; none if it has no body.
pub fn find(cycle: &Cycle<'_>, world: &World, handle: Handle<Object>, to: Vec3) -> Option<Handle<Object>> {
    let parts = &cycle.rules.parts;
    let body = *parts.physics.parts.bodies.get(world, parts.body_of(world, handle)?);
    let prototype = cycle.prototypes.get(parts.objects.get(world, handle).mind.program)?;
    if prototype.moves_into_solids || body.is(flag::TRIGGER) {
        return None;
    }
    let sight = cycle.sight(world);
    let question = Question::Overlap { form: Form::Object(handle.cast()), at: to, want: Want::All };
    sight.workspaces.with_hits(handle, |hits| {
        hits.begin(parts.objects.capacity() as usize);
        if sight.find(&question, &Filter::default(), hits, BUDGET).is_cut {
            return None;
        }
        hits.sort();
        let found = hits.as_slice().iter().map(|hit| hit.handle.cast());
        found.into_iter().find(|other| is_in_the_way(cycle, world, (&body, to), *other))
    })
}

fn is_in_the_way(cycle: &Cycle<'_>, world: &World, (body, to): (&Body, Vec3), other: Handle<Object>) -> bool {
    let parts = &cycle.rules.parts;
    let Some(solid) = parts.body_of(world, other).map(|other| *parts.physics.parts.bodies.get(world, other)) else {
        return false;
    };
    let do_meet = body.layers & solid.mask != 0 && solid.layers & body.mask != 0;
    if !do_meet || solid.is_dynamic() || solid.is(flag::TRIGGER) || solid.is(flag::QUARANTINED) {
        return false;
    }
    let shapes = cycle.prototypes.shapes();
    let (Some(own), Some(their)) = (shapes.get(body.shape), shapes.get(solid.shape)) else { return false };
    let mut manifolds = Manifolds::default();
    let (pose, other_pose) = (Pose::new(to, body.rotation), Pose::new(solid.position, solid.rotation));
    collide(own, &pose, their, &other_pose, 0.0, &mut manifolds);
    manifolds.as_slice().iter().any(|manifold| manifold.min_separation() < -MOVE_DEPTH_MAX)
}

/// Tells an object that its move was denied: to where, and by what.
pub fn report(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, (to, by): (Vec3, Value)) {
    let parts = &cycle.rules.parts;
    let prototype = cycle.prototypes.get(parts.objects.get(world, handle).mind.program);
    if !prototype.is_some_and(|prototype| prototype.wants.move_denied) {
        return;
    }
    if let Ok(message) = Message::new(MOVE_DENIED, value_of(handle)).with_atoms(&[Value::vector(to), by]) {
        let address = parts.objects.address(handle);
        parts.messages.queue_from(world, address, address, &message);
    }
}
