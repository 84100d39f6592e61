//! Spawn: objects are made from tags, and whoever asked for one is called back with it.
//!
//! An object begins with the row of its mould, and the variables that it is given. With the next cycle it is awake and its
//! `OnSpawn` is called. If it cannot be made, the callback is given nothing.

use base::{Handle, Quat, StringId, Vec3};
use script::message::{CALLBACK, Message};
use script::program::Program;
use script::row::{Head, RowEdit};
use script::value::{Kind, Value};
use state::World;

use crate::condition::Condition;
use crate::links;
use crate::mould::Mould;
use crate::object::{
    FACING, OWNER, Object, POSITION, Stage, TEAM, VELOCITY, handle_of, linked, team_of, value_of, vector_of,
};
use crate::rules::{Cycle, LEVEL};
use crate::space::NO_CELL;
use crate::stages::motion;
use crate::telling::tell;

/// An object that is to be made.
pub(crate) struct Order<'a> {
    /// From which tag.
    pub tag: StringId,
    /// Who asked.
    pub asker: Handle<Object>,
    /// Names and values of variables, if the asker gave some, in this message.
    pub given: Option<&'a Message>,
    /// Where it is and whose side it is on, unless the variables say otherwise.
    pub position: Vec3,
    /// See above.
    pub team: u32,
    /// How it moves, if not as its tag says.
    pub velocity: Option<Vec3>,
    /// Which way it looks, if not as its tag says.
    pub facing: Option<Vec3>,
}

pub(super) fn paint(cycle: &Cycle<'_>, world: &mut World) {
    let parts = &cycle.rules.parts;
    parts.spawns.paint(world, |world, stroke| {
        let message = stroke.payload;
        let asker = handle_of(message.from);
        let place = |asker: &Object| (asker.position, asker.team);
        let from = linked(parts.objects, world, asker).map(place);
        // Who asked with its last word is gone by now: it is made where that one was when the cycle began.
        let before = || linked(parts.objects, world.frozen(), asker).map(place);
        let (position, team) = from.or_else(before).unwrap_or((Vec3::ZERO, 0));
        let order = Order {
            tag: message.name,
            asker: if from.is_some() { asker } else { Handle::NONE },
            given: Some(&message),
            position,
            team,
            velocity: None,
            facing: None,
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

/// Makes an object. Nothing if that cannot be, which is told.
pub(crate) fn make(cycle: &Cycle<'_>, world: &mut World, order: &Order<'_>) -> Option<Handle<Object>> {
    let parts = &cycle.rules.parts;
    let number = cycle.moulds.number(order.tag);
    let Some((number, mould)) = number.and_then(|number| Some((number, cycle.moulds.get(number)?))) else {
        tell(cycle, world, Condition::NoSuchTag, order.tag, order.asker);
        return None;
    };
    let Some(handle) = parts.objects.create(world, mould.row.len() as u32) else {
        let is_full = parts.objects.count(world) >= parts.objects.capacity();
        let condition = if is_full { Condition::NoRoomForObject } else { Condition::NoRoomForVariables };
        tell(cycle, world, condition, order.tag, order.asker);
        return None;
    };
    let born_at = world.cycle();
    let refused = parts.objects.edit_both(world, handle, |object, values| {
        *object = Object {
            position: order.position,
            radius: mould.radius,
            velocity: Vec3::ZERO,
            class: mould.class,
            mind: Head { program: number, tickets: 0 },
            team: 0,
            flags: 0,
            next_in_cell: Handle::NONE,
            agreed: 0,
            update_at: first_update(mould, handle, born_at),
            timer_at: 0,
            facing: Vec3::X,
            stage: Stage::New as u32,
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
            spare: 0,
        };
        values[..mould.row.len()].copy_from_slice(&mould.row);
        values[POSITION] = Value::vector(order.position);
        values[VELOCITY] = order.velocity.map_or(values[VELOCITY], Value::vector);
        values[FACING] = order.facing.map_or(values[FACING], Value::vector);
        values[TEAM] = Value::number(f64::from(order.team));
        values[OWNER] = value_of(order.asker);
        let program = cycle.moulds.programs().get(number)?;
        let mut row = RowEdit { head: &mut object.mind, values };
        let refused = order.given.and_then(|message| give(program, &mut row, mould.used, message));
        // Behind what it was given: nobody is anybody else.
        if let Some(variable) = program.variable("this") {
            row.set(variable, value_of(handle));
        }
        // A place that is none is told when the object settles; until then it is where it was asked for.
        object.position = vector_of(values[POSITION], order.position);
        object.team = team_of(values[TEAM]).unwrap_or(order.team);
        refused
    });
    if let Some(name) = refused {
        tell(cycle, world, Condition::NotGiven, name, handle);
    }
    // The level is nowhere, and on nobody's side: questions about who is there do not mean it.
    if handle != LEVEL {
        links::enter(cycle, world, handle);
        motion::embody(cycle, world, handle);
    }
    let mut progress = parts.progress.edit(world);
    progress.spawned = progress.spawned.saturating_add(1);
    drop(progress);
    Some(handle)
}

/// The cycle of an object's first update after that cycle; never if it has none. Those of many that come at once are spread over
/// the period.
pub(super) fn first_update(mould: &Mould, object: Handle<Object>, cycle: u64) -> u64 {
    // The level is always updated: it looks at its triggers.
    let has_work = mould.on_update != Value::NOTHING || object == LEVEL;
    if has_work { cycle + 1 + u64::from(object.slot()) % mould.period.max(1) } else { u64::MAX }
}

/// Sets the variables that the asker gave values for. Gives the name of the first that could not be: it stays what it is.
fn give(program: &Program, row: &mut RowEdit<'_>, mut used: usize, message: &Message) -> Option<StringId> {
    let record = message.arguments().first()?;
    let view = message.view();
    let (pairs, _) = view.parts(*record).as_chunks::<2>();
    let mut refused = None;
    for [name, value] in pairs {
        let name = name.as_string().unwrap_or_default();
        let fits = |variable: &u32| is_alike(row.values.get(*variable as usize).copied().unwrap_or_default(), *value);
        let variable = program.variable_of(name).filter(fits);
        // What finds no room stays what the tag says, too.
        let given = variable.map(|variable| row.append(&mut used, variable, *value, view));
        if given != Some(Ok(())) {
            refused = refused.or(Some(name));
        }
    }
    refused
}

/// Whether a value can take the place of another: it is of the same kind, or one of them is nothing.
fn is_alike(before: Value, after: Value) -> bool {
    let kind = |value: Value| if value.kind() == Kind::Identifier { Kind::Number } else { value.kind() };
    let (before, after) = (kind(before), kind(after));
    before == after || before == Kind::Nothing || after == Kind::Nothing
}
