//! The built-ins that ask the world.

use base::number::double as number;
use base::{StringId, Vec3};

use crate::machine::{Arguments, Halt, Machine};
use crate::query::{Hit, Question, Want};
use crate::value::{Kind, Value};

/// The fields of what a line meets.
pub(super) const MET: [&str; 3] = ["object", "distance", "at"];

pub(super) fn within(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let [centre] = machine.vectors(&arguments.values);
    let radius = number_in(machine, arguments.values[1]);
    let filter = machine.filter(arguments.values[2]);
    // Not below zero: nobody is nearer than that, and what is no number reaches nobody.
    if radius >= 0.0 {
        machine.question(&Question::Within { centre, radius }, &filter)?;
        return handles(machine);
    }
    machine.build(|_| Ok(()))
}

pub(super) fn within_box(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let [one, other] = machine.vectors(&arguments.values);
    let filter = machine.filter(arguments.values[2]);
    let sorted = |one: f32, other: f32| if other < one { (other, one) } else { (one, other) };
    let [x, y, z] = [sorted(one.x, other.x), sorted(one.y, other.y), sorted(one.z, other.z)];
    let question = Question::Box { least: Vec3::new(x.0, y.0, z.0), most: Vec3::new(x.1, y.1, z.1) };
    machine.question(&question, &filter)?;
    handles(machine)
}

pub(super) fn nearest_object(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let [centre] = machine.vectors(&arguments.values);
    let radius_max = number_in(machine, arguments.values[1]);
    let filter = machine.filter(arguments.values[2]);
    if radius_max >= 0.0 {
        machine.question(&Question::Nearest { centre, radius_max, count: 1 }, &filter)?;
        return Ok(machine.hits().first().map_or(Value::NOTHING, handle));
    }
    Ok(Value::NOTHING)
}

pub(super) fn nearest_objects(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let [centre] = machine.vectors(&arguments.values);
    let count = number_in(machine, arguments.values[1]) as u32;
    let filter = machine.filter(arguments.values[2]);
    if count == 0 {
        return machine.build(|_| Ok(()));
    }
    machine.question(&Question::Nearest { centre, radius_max: f64::INFINITY, count }, &filter)?;
    handles(machine)
}

pub(super) fn ray_first(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    ray(machine, &arguments, Want::First)?;
    match machine.hits().first().copied() {
        Some(hit) => met(machine, hit),
        None => Ok(Value::NOTHING),
    }
}

pub(super) fn ray_any(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    ray(machine, &arguments, Want::Any)?;
    Ok(Value::truth(!machine.hits().is_empty()))
}

pub(super) fn ray_all(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    ray(machine, &arguments, Want::All)?;
    machine.build(|machine| {
        for index in 0..machine.hits().len() {
            let record = met(machine, machine.hits()[index])?;
            machine.push(record)?;
        }
        Ok(())
    })
}

pub(super) fn objects(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let filter = machine.filter(arguments.values[0]);
    machine.question(&Question::All, &filter)?;
    handles(machine)
}

pub(super) fn count_objects(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let filter = machine.filter(arguments.values[0]);
    let asked = machine.question(&Question::Count, &filter)?;
    Ok(Value::number(asked.count as f64))
}

pub(super) fn is_living(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let value = arguments.values[0];
    let is_living = match value.as_handle() {
        Some((handle, array)) => machine.is_living(handle, array),
        None if value == Value::NOTHING => false,
        None => machine.wrong(Kind::Handle, value, false),
    };
    Ok(Value::truth(is_living))
}

fn ray(machine: &mut Machine<'_>, arguments: &Arguments<'_>, want: Want) -> Result<(), Halt> {
    let [from, to] = machine.vectors(&arguments.values);
    let filter = machine.filter(arguments.values[2]);
    machine.question(&Question::Ray { from, to, want }, &filter).map(|_| ())
}

fn number_in(machine: &mut Machine<'_>, value: Value) -> f64 {
    let found = value.as_number().unwrap_or_else(|| machine.wrong(Kind::Number, value, 0.0));
    if found.is_nan() { -1.0 } else { number::min(found, f64::MAX) }
}

fn handle(hit: &Hit) -> Value {
    Value::handle(hit.handle, hit.array)
}

fn handles(machine: &mut Machine<'_>) -> Result<Value, Halt> {
    machine.build(|machine| {
        for index in 0..machine.hits().len() {
            machine.push(handle(&machine.hits()[index]))?;
        }
        Ok(())
    })
}

/// What a line meets.
fn met(machine: &mut Machine<'_>, hit: Hit) -> Result<Value, Halt> {
    let values = [handle(&hit), Value::number(hit.distance), Value::vector(hit.at)];
    machine.burn(MET.len() as u64)?;
    machine.build_record(|machine| {
        for (name, value) in MET.into_iter().zip(values) {
            machine.push(Value::string(StringId::new(name)))?;
            machine.push(value)?;
        }
        Ok(())
    })
}
