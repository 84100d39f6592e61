//! Spawn: objects are created from tags, and the callbacks of their spawners queued.
//!
//! An object starts with the row of its prototype and the variables given. In the next cycle it is awake and its `OnSpawn` is
//! called. If it cannot be created, the callback gets nothing.

use base::{Handle, Quat, StringId, Vec3};
use script::message::{CALLBACK, MESSAGE_VALUES, Message};
use script::row::{Head, RowEdit};
use script::value::Value;
use state::World;

use crate::condition::Condition;
use crate::embodiment::{embody, halt_fixed};
use crate::links;
use crate::object::{
    FACING, OWNER, Object, POSITION, Stage, TEAM, VELOCITY, handle_of, linked, team_of, value_of, vector_of,
};
use crate::pose::{PoseVariables, StatedPose};
use crate::prototype::{Prototype, Prototypes, is_alike};
use crate::rules::{Cycle, LEVEL};
use crate::space::NO_CELL;
use crate::warnings::warn;

/// An order to create an object.
pub(crate) struct SpawnOrder<'a> {
    /// Its tag.
    pub tag: StringId,
    /// The object that ordered it.
    pub asker: Handle<Object>,
    /// The message that holds the names and values of its variables, if any.
    pub given: Option<&'a Message>,
    /// Its position, unless the variables hold one.
    pub position: Vec3,
    /// Its team, unless the variables hold one.
    pub team: u32,
    /// Its velocity, if it differs from the tag's.
    pub velocity: Option<Vec3>,
    /// Its orientation and angular velocity, as far as they differ from the tag's.
    pub pose: StatedPose,
}

pub(super) fn paint(cycle: &Cycle<'_>, world: &mut World) {
    let parts = &cycle.rules.parts;
    parts.spawns.paint(world, |world, stroke| {
        let message = stroke.payload;
        let asker = handle_of(message.from);
        let place = |asker: &Object| (asker.position, asker.team);
        let from = linked(parts.objects, world, asker).map(place);
        // A spawner that is destroyed by now: the object is created where it was when the cycle began.
        let before = || linked(parts.objects, world.frozen(), asker).map(place);
        let (position, team) = from.or_else(before).unwrap_or((Vec3::ZERO, 0));
        let order = SpawnOrder {
            tag: message.name,
            asker: if from.is_some() { asker } else { Handle::NONE },
            given: Some(&message),
            position,
            team,
            velocity: None,
            pose: StatedPose::default(),
        };
        let made = make(cycle, world, &order);
        let callback = message.arguments().get(1).copied().filter(|value| value.as_identifier().is_some());
        if let Some(callback) = callback
            && from.is_some()
        {
            let arguments = [callback, made.map_or(Value::NOTHING, value_of)];
            if let Ok(answer) = Message::new(CALLBACK, Value::NOTHING).with_atoms(&arguments) {
                parts.callbacks.queue(world, parts.objects.address(asker), &answer);
            }
        }
    });
}

/// Creates an object. None, with a warning, if that is not possible.
pub(crate) fn make(cycle: &Cycle<'_>, world: &mut World, order: &SpawnOrder<'_>) -> Option<Handle<Object>> {
    let parts = &cycle.rules.parts;
    let number = cycle.prototypes.number(order.tag);
    let Some((number, prototype)) = number.and_then(|number| Some((number, cycle.prototypes.get(number)?))) else {
        warn(cycle, world, Condition::NoSuchTag, order.tag, order.asker);
        return None;
    };
    let Some(handle) = parts.objects.create(world, prototype.row.len() as u32) else {
        let is_full = parts.objects.count(world) >= parts.objects.capacity();
        let condition = if is_full { Condition::NoRoomForObject } else { Condition::NoRoomForVariables };
        warn(cycle, world, condition, order.tag, order.asker);
        return None;
    };
    let born_at = world.cycle();
    let mut spin = None;
    let refused = parts.objects.edit_both(world, handle, |object, values| {
        *object = Object {
            position: order.position,
            radius: prototype.radius,
            velocity: Vec3::ZERO,
            class: prototype.class,
            mind: Head { program: number, tickets: 0 },
            team: 0,
            flags: 0,
            next_in_cell: Handle::NONE,
            agreed: 0,
            update_at: first_update(prototype, handle, born_at),
            timer_at: 0,
            facing: Vec3::X,
            stage: Stage::New as u16,
            far_update: 0,
            owner: Handle::NONE,
            parent: Handle::NONE,
            first_child: Handle::NONE,
            cell: NO_CELL,
            next_child: Handle::NONE,
            first_owned: Handle::NONE,
            next_owned: Handle::NONE,
            previous_owned: Handle::NONE,
            tag: tags::TagId::of(order.tag),
            born_at,
            marker: StringId::default(),
            orientation: Quat::IDENTITY,
            relative: Quat::IDENTITY,
            previous_in_cell: Handle::NONE,
            placed_at: born_at as u32,
        };
        values[..prototype.row.len()].copy_from_slice(&prototype.row);
        values[POSITION] = Value::vector(order.position);
        values[VELOCITY] = order.velocity.map_or(values[VELOCITY], Value::vector);
        values[TEAM] = Value::number(f64::from(order.team));
        values[OWNER] = value_of(order.asker);
        let program = cycle.prototypes.programs().get(number)?;
        let mut row = RowEdit { head: &mut object.mind, values };
        let mut pose = order.pose;
        let refused = order.given.map(|message| give(cycle.prototypes, &mut row, (prototype, &mut pose), message));
        // After the given variables: `this` cannot be overridden.
        if let Some(variable) = program.variable("this") {
            row.set(variable, value_of(handle));
        }
        // A position that is not finite is warned of when the object settles; until then the order's position counts.
        object.position = vector_of(values[POSITION], order.position);
        object.team = team_of(values[TEAM]).unwrap_or(order.team);
        spin = place_pose(prototype.pose, pose, object, values);
        refused
    });
    for name in refused.into_iter().flatten().filter(|name| !name.is_none()) {
        warn(cycle, world, Condition::NotGiven, name, handle);
    }
    // The level has no position and no team: queries do not find it.
    if handle != LEVEL {
        links::enter(cycle, world, handle);
        embody(cycle, world, handle);
        if let Some(spin) = spin {
            set_spin(cycle, world, handle, spin);
        }
    }
    let mut progress = parts.progress.get_mut(world);
    progress.spawned = progress.spawned.saturating_add(1);
    drop(progress);
    Some(handle)
}

/// Places a new object as its row and its order state. Returns an angular velocity for which the row has no variable.
fn place_pose(variables: PoseVariables, given: StatedPose, object: &mut Object, values: &mut [Value]) -> Option<Vec3> {
    let stated = given.or(variables.stated(values));
    if let Some((orientation, facing)) = stated.turned(Quat::IDENTITY, Vec3::X) {
        (object.orientation, object.facing) = (orientation, facing);
        values[FACING] = Value::vector(facing);
    }
    variables.write(object, values);
    let spin = stated.spin?;
    variables.set_spin(values, spin);
    (!variables.has_spin()).then_some(spin)
}

/// Gives the body of a new object an angular velocity. An object without a body needs the variable.
fn set_spin(cycle: &Cycle<'_>, world: &mut World, handle: Handle<Object>, spin: Vec3) {
    let parts = &cycle.rules.parts;
    match parts.body_of(world, handle) {
        Some(body) => {
            let mut body = parts.physics.parts.bodies.get_mut(world, body);
            body.angular_velocity = spin;
            halt_fixed(&mut body);
        }
        None => warn(cycle, world, Condition::NotGiven, StringId::new("spin"), handle),
    }
}

/// The cycle of an object's first update after that cycle; `u64::MAX` if it has none. Updates of objects spawned together are spread
/// over the period.
pub(super) fn first_update(prototype: &Prototype, object: Handle<Object>, cycle: u64) -> u64 {
    // The level is always updated: it evaluates its triggers.
    let has_work = prototype.on_update != Value::NOTHING || object == LEVEL;
    if has_work { cycle + 1 + u64::from(object.slot()) % prototype.period.max(1) } else { u64::MAX }
}

/// Sets the given variables. Returns the names that were refused although the prototype takes them, since their values exceed the
/// storage; the rest of the array is empty. Refused variables keep the tag's values. What no object of the tag takes was told where it
/// was asked for.
fn give(
    prototypes: &Prototypes,
    row: &mut RowEdit<'_>,
    (prototype, pose): (&Prototype, &mut StatedPose),
    message: &Message,
) -> [StringId; GIVEN_MAX] {
    let mut used = prototype.used;
    let mut refused = [StringId::NONE; GIVEN_MAX];
    let Some(program) = prototypes.programs().get(row.head.program) else { return refused };
    let Some(record) = message.arguments().first() else { return refused };
    let view = message.view();
    let (pairs, _) = view.parts(*record).as_chunks::<2>();
    let mut places = refused.iter_mut();
    for [name, value] in pairs {
        let name = name.as_string().unwrap_or_default();
        let fits = |variable: &u32| is_alike(row.values.get(*variable as usize).copied().unwrap_or_default(), *value);
        let variable = program.variable_of(name).filter(fits);
        if variable.is_none() && pose.say(name, *value) {
            continue;
        }
        let given = variable.map(|variable| row.append(&mut used, variable, *value, view));
        if given != Some(Ok(()))
            && prototypes.takes(prototype.tag, name, *value)
            && let Some(place) = places.next()
        {
            *place = name;
        }
    }
    refused
}

/// The most variables that a message can give.
const GIVEN_MAX: usize = MESSAGE_VALUES / 2;
