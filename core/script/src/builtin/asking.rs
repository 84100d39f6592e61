//! The built-ins that query the world.

use base::number::double as number;
use base::{StringId, Vec3};

use crate::machine::{Arguments, Halt, Machine};
use crate::query::{Hit, Joined, JointKind, Joints, Question, Want};
use crate::value::{Kind, Value};

/// The fields of a hit.
const MET: [&str; 4] = ["object", "distance", "at", "normal"];

/// The fields of a joint.
const JOINT: [&str; 7] = ["object", "kind", "way", "speed", "force", "torque", "strain"];

/// The names of all record fields that these built-ins produce.
pub(super) const WORDS: [&str; 10] =
    ["object", "distance", "at", "normal", "kind", "way", "speed", "force", "torque", "strain"];

pub(super) fn within(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let [centre] = machine.vectors(&arguments.values);
    let radius = number_in(machine, arguments.values[1]);
    let filter = machine.filter(arguments.values[2]);
    // A negative or NaN radius finds nothing.
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
    first_met(machine)
}

pub(super) fn ray_any(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    ray(machine, &arguments, Want::Any)?;
    Ok(Value::truth(!machine.hits().is_empty()))
}

pub(super) fn ray_all(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    ray(machine, &arguments, Want::All)?;
    all_met(machine)
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

pub(super) fn sweep_first(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    sweep(machine, &arguments, Want::First)?;
    first_met(machine)
}

pub(super) fn sweep_any(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    sweep(machine, &arguments, Want::Any)?;
    Ok(Value::truth(!machine.hits().is_empty()))
}

pub(super) fn sweep_all(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    sweep(machine, &arguments, Want::All)?;
    all_met(machine)
}

pub(super) fn overlap_any(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    overlap(machine, &arguments, Want::Any)?;
    Ok(Value::truth(!machine.hits().is_empty()))
}

pub(super) fn overlap_all(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    overlap(machine, &arguments, Want::All)?;
    handles(machine)
}

pub(super) fn surface_first(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    surface(machine, &arguments, Want::First)?;
    first_met(machine)
}

pub(super) fn surface_all(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    surface(machine, &arguments, Want::All)?;
    all_met(machine)
}

pub(super) fn joint_between(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let [of, other] = [0, 1].map(|index| machine.who(arguments.values[index]));
    let mut joints = Joints { of, other: Some(other), from: 0 };
    let mut found = None;
    // Other joints take precedence over distance joints.
    while let Some(joint) = machine.joint(&mut joints)? {
        let is_rope = joint.kind == JointKind::Distance;
        if !is_rope || found.is_none() {
            found = Some(joint);
        }
        if !is_rope {
            break;
        }
    }
    found.map_or(Ok(Value::NOTHING), |joint| joined(machine, &joint))
}

pub(super) fn joints_of(machine: &mut Machine<'_>, arguments: Arguments<'_>) -> Result<Value, Halt> {
    let mut joints = Joints { of: machine.who(arguments.values[0]), other: None, from: 0 };
    machine.build(|machine| {
        while let Some(joint) = machine.joint(&mut joints)? {
            let record = joined(machine, &joint)?;
            machine.push(record)?;
        }
        Ok(())
    })
}

fn sweep(machine: &mut Machine<'_>, arguments: &Arguments<'_>, want: Want) -> Result<(), Halt> {
    let [form, from, to, filter] = arguments.values;
    let [from, to] = machine.vectors(&[from, to, Value::NOTHING, Value::NOTHING]);
    let (form, filter) = (machine.form(form), machine.filter(filter));
    match form {
        Some(form) => machine.question(&Question::Sweep { form, from, to, want }, &filter).map(|_| ()),
        None => machine.forget(),
    }
}

fn overlap(machine: &mut Machine<'_>, arguments: &Arguments<'_>, want: Want) -> Result<(), Halt> {
    let [form, at, filter, _] = arguments.values;
    let [at] = machine.vectors(&[at, Value::NOTHING, Value::NOTHING, Value::NOTHING]);
    let (form, filter) = (machine.form(form), machine.filter(filter));
    match form {
        Some(form) => machine.question(&Question::Overlap { form, at, want }, &filter).map(|_| ()),
        None => machine.forget(),
    }
}

fn surface(machine: &mut Machine<'_>, arguments: &Arguments<'_>, want: Want) -> Result<(), Halt> {
    let [centre] = machine.vectors(&arguments.values);
    let radius_max = number_in(machine, arguments.values[1]);
    let filter = machine.filter(arguments.values[2]);
    if radius_max >= 0.0 {
        return machine.question(&Question::Surface { centre, radius_max, want }, &filter).map(|_| ());
    }
    machine.forget()
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

fn first_met(machine: &mut Machine<'_>) -> Result<Value, Halt> {
    match machine.hits().first().copied() {
        Some(hit) => met(machine, hit),
        None => Ok(Value::NOTHING),
    }
}

fn all_met(machine: &mut Machine<'_>) -> Result<Value, Halt> {
    machine.build(|machine| {
        for index in 0..machine.hits().len() {
            let record = met(machine, machine.hits()[index])?;
            machine.push(record)?;
        }
        Ok(())
    })
}

/// The record of a hit.
fn met(machine: &mut Machine<'_>, hit: Hit) -> Result<Value, Halt> {
    let values = [handle(&hit), Value::number(hit.distance), Value::vector(hit.at), Value::vector(hit.normal)];
    record(machine, MET, values)
}

fn joined(machine: &mut Machine<'_>, joint: &Joined) -> Result<Value, Halt> {
    let number = |number: f32| Value::number(f64::from(number));
    let kind = Value::string(StringId::new(joint.kind.name()));
    let numbers = [joint.way, joint.speed, joint.force, joint.torque, joint.strain];
    let [way, speed, force, torque, strain] = numbers.map(number);
    record(machine, JOINT, [Value::handle(joint.object, joint.array), kind, way, speed, force, torque, strain])
}

fn record<const N: usize>(machine: &mut Machine<'_>, names: [&str; N], values: [Value; N]) -> Result<Value, Halt> {
    machine.burn(N as u64)?;
    machine.build_record(|machine| {
        for (name, value) in names.into_iter().zip(values) {
            machine.push(Value::string(StringId::new(name)))?;
            machine.push(value)?;
        }
        Ok(())
    })
}
