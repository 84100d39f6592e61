//! An object: a small datum, and a row of variables whose length its prototype decides.
//!
//! | variable | | first value |
//! |---|---|---|
//! | `position` | its position | given when it is spawned |
//! | `velocity` | its velocity in metres per second, by which the world moves it | `vec(0, 0, 0)` |
//! | `facing` | the direction of its x axis | `vec(1, 0, 0)` |
//! | `team` | its team, 0 to 31 | 0 |
//! | `owner` | its owner, or nothing | the object that spawned it |
//!
//! They come first in every object's row, then the state fields of its class, then the names that its lambdas set.
//!
//! Laws
//! 1. Scripts write the variables. The datum holds what the world derives from them: cell, team set, links. It follows the
//!    variables within the same cycle.
//! 2. Links between objects (cells, owners, attachments) change only while painting, both ends at once.
//! 3. A bit in `agreed` says that the datum's copy of a variable is bit-equal to the row's: then queries read the datum. A change of
//!    one alone clears the bit.
//! 4. A slot is three cache lines: fields that queries read, fields of the object's own update, fields of links and rotation.

use base::handle::first_generation;
use base::{Handle, Plain, Quat, StringId, Vec3};
use script::row::Head;
use script::value::Value;
use state::{Block, Edit, Entities, World};
use tags::TagId;

use crate::classes::ObjectTag;
use crate::limits::TEAMS_MAX;

/// The variables of every object, by number.
pub const VARIABLES: [&str; 5] = ["position", "velocity", "facing", "team", "owner"];
/// The number of `position`.
pub const POSITION: usize = 0;
/// The number of `velocity`.
pub const VELOCITY: usize = 1;
/// The number of `facing`.
pub const FACING: usize = 2;
/// The number of `team`.
pub const TEAM: usize = 3;
/// The number of `owner`.
pub const OWNER: usize = 4;

/// The name of the array of objects. The generation of its first object, the level, follows from it.
pub const OBJECTS: &str = "objects";

/// The level's own object: the first of every world.
pub const LEVEL: Handle<Object> = Handle::new(0, first_generation(OBJECTS));

/// The datum of an object.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Object {
    /// Its position.
    pub position: Vec3,
    /// Its bounding radius.
    pub radius: f32,
    /// Its velocity.
    pub velocity: Vec3,
    /// The number of its class among the object classes.
    pub class: u32,
    /// Its prototype's number, and the count of its random draws and timers.
    pub mind: Head,
    /// Its team.
    pub team: u32,
    /// Its flags, a bit each.
    pub flags: u32,
    /// The next in the same cell's list.
    pub next_in_cell: Handle<Object>,
    /// The variables whose copies here are equal to the row's: a bit for each of [`VARIABLES`].
    pub agreed: u32,
    /// The cycle of its next `OnUpdate`; `u64::MAX` if it has none.
    pub update_at: u64,
    /// A lower bound of the cycle in which its next timer is due.
    pub timer_at: u64,
    /// The direction of its x axis, of unit length.
    pub facing: Vec3,
    /// Its [`Stage`] of life.
    pub stage: u16,
    /// The row of `far_updates` by which its next `OnUpdate` was scheduled, counted from 1; 0 for `update_period`.
    pub far_update: u16,
    /// Its owner.
    pub owner: Handle<Object>,
    /// The object it is attached to.
    pub parent: Handle<Object>,
    /// The first object attached to it.
    pub first_child: Handle<Object>,
    /// The number of the cell list it is in.
    pub cell: u32,
    /// The next object attached to the same parent.
    pub next_child: Handle<Object>,
    /// The first object it owns.
    pub first_owned: Handle<Object>,
    /// The next object of the same owner.
    pub next_owned: Handle<Object>,
    /// The previous object of the same owner.
    pub previous_owned: Handle<Object>,
    /// Its tag.
    pub tag: TagId<ObjectTag>,
    /// The cycle in which it was spawned.
    pub born_at: u64,
    /// The marker of its parent at which it is attached.
    pub marker: StringId,
    /// Its rotation.
    pub orientation: Quat,
    /// Its rotation relative to its parent, while it is attached.
    pub relative: Quat,
    /// The previous in the same cell's list.
    pub previous_in_cell: Handle<Object>,
    /// The cycle in which it was last placed without passing through the space between (spawned, attached, moved), in 32 bits.
    pub placed_at: u32,
}

// With the eight bytes of the slot's header, three cache lines: see law 4.
const _: () = assert!(size_of::<Object>() + 8 == 3 * 64);

/// The stages of an object's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub enum Stage {
    /// Spawned, and not simulated yet.
    New = 0,
    /// Living.
    Living = 1,
    /// Being destroyed.
    Ending = 2,
}

impl Object {
    /// Whether it is in this stage.
    #[inline]
    pub fn is(&self, stage: Stage) -> bool {
        self.stage == stage as u16
    }

    /// The value of one of [`VARIABLES`], if the copy here is valid.
    #[inline]
    pub fn known(&self, name: StringId) -> Option<Value> {
        let variable = NAMES.iter().position(|known| *known == name)?;
        (self.agreed >> variable & 1 == 1).then(|| self.variable(variable))
    }

    /// Recomputes which copies of variables are valid.
    #[inline]
    pub fn agree(&mut self, values: &[Value]) {
        let agrees = |variable: usize| u32::from(values.get(variable) == Some(&self.variable(variable))) << variable;
        self.agreed = agrees(POSITION) | agrees(VELOCITY) | agrees(FACING) | agrees(TEAM) | agrees(OWNER);
    }

    /// The datum's copy of a variable.
    #[inline]
    fn variable(&self, variable: usize) -> Value {
        match variable {
            POSITION => Value::vector(self.position),
            VELOCITY => Value::vector(self.velocity),
            FACING => Value::vector(self.facing),
            TEAM => Value::number(f64::from(self.team)),
            _ => value_of(self.owner),
        }
    }
}

/// The ids of the variables' names, in the order of their numbers.
const NAMES: [StringId; 5] = [
    StringId::new(VARIABLES[POSITION]),
    StringId::new(VARIABLES[VELOCITY]),
    StringId::new(VARIABLES[FACING]),
    StringId::new(VARIABLES[TEAM]),
    StringId::new(VARIABLES[OWNER]),
];

/// The script value of an object.
pub fn value_of(handle: Handle<Object>) -> Value {
    if handle.is_none() { Value::NOTHING } else { Value::handle(handle.cast(), 0) }
}

/// The object of a script value; it may be stale, or no handle at all.
pub fn handle_of(value: Value) -> Handle<Object> {
    value.as_handle().map_or(Handle::NONE, |(handle, _)| handle.cast())
}

/// Whether a handle's slot is within an array of this capacity. It may be stale.
pub fn may_be(handle: Handle<Object>, capacity: u32) -> bool {
    !handle.is_none() && handle.generation() >= base::handle::GENERATION_MIN && u32::from(handle.slot()) < capacity
}

/// The object of a link, if it exists: in a loaded block a link may hold any value.
pub fn linked(objects: Entities<Object, Value>, block: &Block, handle: Handle<Object>) -> Option<&Object> {
    objects.find_raw(block, handle.raw()).map(|(_, object)| object)
}

/// The object of a link, for writing.
pub fn edit_linked(
    objects: Entities<Object, Value>,
    world: &mut World,
    handle: Handle<Object>,
) -> Option<Edit<'_, Object>> {
    linked(objects, world, handle)?;
    Some(objects.get_mut(world, handle))
}

/// Sets one of [`VARIABLES`]. Rows of a loaded block may be too short; then nothing is set.
pub fn set(values: &mut [Value], variable: usize, value: Value) {
    if let Some(place) = values.get_mut(variable) {
        *place = value;
    }
}

/// The finite vector of a value; otherwise the default.
pub fn vector_of(value: Value, other: Vec3) -> Vec3 {
    value.as_vector().filter(|vector| vector.is_finite()).unwrap_or(other)
}

/// The team of a value; none if it is not a whole number from 0 to 31.
pub fn team_of(value: Value) -> Option<u32> {
    let number = value.as_number().or_else(|| value.as_identifier().map(f64::from))?;
    let team = number as u32;
    (f64::from(team) == number && team < TEAMS_MAX).then_some(team)
}
