//! The arguments of queries: filters, shapes and objects, from the values of a script.
//!
//! A filter is a record of conditions, all of which must hold:
//!
//! | field | matches |
//! |---|---|
//! | `class "ship"` | objects of this class, or of one derived from it |
//! | `team 2` | objects of this team |
//! | `enemy_of 2` | objects of any other team |
//! | `owner ~x` | objects that belong to this one; objects without an owner, if it is nothing |
//! | `flag "armed"` | objects with this flag |
//! | `except ~this` | all objects but this one, or but the two in a list |
//! | `layer 3` | objects whose body is on this layer, or on one of a list of layers |

use base::number::double as number;
use base::{Handle, StringId, Vec3};
use script::machine::Machine;
use script::value::{Kind, Value};

use crate::question::{Filter, Form};

const CLASS: StringId = StringId::new("class");
const TEAM: StringId = StringId::new("team");
const ENEMY_OF: StringId = StringId::new("enemy_of");
const OWNER: StringId = StringId::new("owner");
const FLAG: StringId = StringId::new("flag");
const EXCEPT: StringId = StringId::new("except");
const LAYER: StringId = StringId::new("layer");

/// The fields of a filter, as designers write them.
pub(super) const FILTER: [&str; 7] = ["class", "team", "enemy_of", "owner", "flag", "except", "layer"];

const RADIUS: StringId = StringId::new("radius");
const LENGTH: StringId = StringId::new("length");
const HALF: StringId = StringId::new("half");
const FACING: StringId = StringId::new("facing");

/// The fields of a query shape.
pub(super) const FORM: [&str; 4] = ["radius", "length", "half", "facing"];

/// The number of collision layers.
const LAYERS: u32 = 32;

/// The number in a value. NaN gives -1, which no distance and no count is.
pub(super) fn number_of(machine: &mut Machine<'_>, value: Value) -> f64 {
    let found = value.as_number().unwrap_or_else(|| machine.wrong(Kind::Number, value, 0.0));
    if found.is_nan() { -1.0 } else { number::min(found, f64::MAX) }
}

/// The shape that a value describes. `None` for nothing, and, with a complaint, for any other value that is no shape.
pub(super) fn form_of(machine: &mut Machine<'_>, value: Value) -> Option<Form> {
    const A_SHAPE: &str = "a shape: a radius, a vector of half the sides of a box, an object, or a record of radius, length, half and facing";
    if value == Value::NOTHING {
        return None;
    }
    if let Some(radius) = value.as_number() {
        return Some(Form::Ball(radius as f32));
    }
    if let Some(half) = value.as_vector() {
        return Some(Form::Box { half, facing: Vec3::X });
    }
    if let Some((handle, _)) = value.as_handle() {
        return Some(Form::Object(handle));
    }
    let (mut radius, mut length, mut half, mut facing) = (None, None, None, Vec3::X);
    for index in 0..machine.field_count(value) {
        let [name, value] = machine.field_at(value, index);
        match name.as_string().unwrap_or_default() {
            RADIUS => radius = Some(size_of(machine, value)),
            LENGTH => length = Some(size_of(machine, value)),
            HALF => half = Some(direction_of(machine, value)),
            FACING => facing = direction_of(machine, value),
            _ => machine.refuse("a field of a shape: radius, length, half or facing", name, ()),
        }
    }
    match (half, radius, length) {
        (Some(half), ..) => Some(Form::Box { half, facing }),
        (None, Some(radius), Some(length)) if length != 0.0 => Some(Form::Capsule { radius, length, facing }),
        (None, Some(radius), _) => Some(Form::Ball(radius)),
        (None, None, _) => machine.refuse(A_SHAPE, value, None),
    }
}

fn size_of(machine: &mut Machine<'_>, value: Value) -> f32 {
    value.as_number().unwrap_or_else(|| machine.wrong(Kind::Number, value, 0.0)) as f32
}

fn direction_of(machine: &mut Machine<'_>, value: Value) -> Vec3 {
    value.as_vector().unwrap_or_else(|| machine.wrong(Kind::Vector, value, Vec3::default()))
}

/// The filter that a record describes. Invalid fields are ignored with a complaint.
pub(super) fn filter_of(machine: &mut Machine<'_>, record: Value) -> Filter {
    let mut filter = Filter::default();
    if record == Value::NOTHING {
        return filter;
    }
    if record.kind() != Kind::Record {
        return machine.refuse("a filter such as `{ class \"ship\" }`", record, filter);
    }
    for index in 0..machine.field_count(record) {
        let [name, value] = machine.field_at(record, index);
        match name.as_string().unwrap_or_default() {
            CLASS => filter.class = string_of(machine, value),
            FLAG => filter.flag = string_of(machine, value),
            TEAM => filter.team = team_of(machine, value),
            ENEMY_OF => filter.other_than_team = team_of(machine, value),
            OWNER => filter.owner = Some(handle_of(machine, value)),
            EXCEPT => {
                let [first, second] = match machine.list(value) {
                    [first, second] => [*first, *second],
                    [one] => [*one, Value::NOTHING],
                    _ => [value, Value::NOTHING],
                };
                filter.except = [handle_of(machine, first), handle_of(machine, second)];
            }
            LAYER => filter.layers = Some(layers_of(machine, value)),
            _ => machine.refuse("a field of a filter: class, team, enemy_of, owner, flag, except or layer", name, ()),
        }
    }
    filter
}

pub(super) fn string_of(machine: &mut Machine<'_>, value: Value) -> StringId {
    value.as_string().unwrap_or_else(|| machine.refuse("a string", value, StringId::NONE))
}

fn team_of(machine: &mut Machine<'_>, value: Value) -> Option<i32> {
    match whole_of(value) {
        None => machine.refuse("the number of a team", value, None),
        team => team,
    }
}

/// The bit mask of a layer or a list of layers. Layers out of range have no bit.
fn layers_of(machine: &mut Machine<'_>, value: Value) -> u32 {
    if value.kind() != Kind::List {
        return layer_of(machine, value);
    }
    (0..machine.list(value).len()).fold(0, |bits, index| {
        let layer = machine.list(value)[index];
        bits | layer_of(machine, layer)
    })
}

fn layer_of(machine: &mut Machine<'_>, value: Value) -> u32 {
    match whole_of(value) {
        None => machine.refuse("the number of a layer", value, 0),
        Some(layer) => u32::try_from(layer).ok().filter(|layer| *layer < LAYERS).map_or(0, |layer| 1 << layer),
    }
}

/// A number, rounded down, or an identifier.
fn whole_of(value: Value) -> Option<i32> {
    value.as_number().map(|found| number::floor(found) as i32).or(value.as_identifier())
}

/// The handle in a value. Nothing gives `Handle::NONE`.
pub(super) fn handle_of(machine: &mut Machine<'_>, value: Value) -> Handle<()> {
    match value.as_handle() {
        Some((handle, _)) => handle,
        None if value == Value::NOTHING => Handle::NONE,
        None => machine.refuse("an object's handle", value, Handle::NONE),
    }
}
