//! An object: a small datum, and its variables in a block of their own length.
//!
//! | variable | | first value |
//! |---|---|---|
//! | `position` | where it is | what placed it says |
//! | `velocity` | how it moves, in metres per second; it moves by itself | `vec(0, 0, 0)` |
//! | `facing` | the direction it looks in | `vec(1, 0, 0)` |
//! | `team` | whose side it is on, 0 to 31 | 0 |
//! | `owner` | the object it belongs to, or nothing | whoever spawned it |
//!
//! They come first in every object's row; then come the fields its class calls state, and what its lambdas set.
//!
//! Laws
//! 1. The variables are the object's own word. The datum holds what the world has made of it: where it is looked for, whose
//!    side it is counted on, to whom it is attached. It follows the variables within the same cycle.
//! 2. The links between objects (cells, owners, attachments) are changed only while painting, and are never half made.
//! 3. Where the datum says that it *agrees* with a variable, both are the same, bit by bit: then others read the datum. Whoever
//!    changes one of them alone takes that back.
//! 4. A slot is three lines of a cache. What others ask for lies in the first, what an object's own update needs in the
//!    second, and what only links and turns need in the third.

use base::{Handle, Plain, Quat, StringId, Vec3};
use script::row::Head;
use script::value::Value;
use state::{Block, Edit, Entities, World};
use tags::TagId;

use crate::classes::ObjectTag;
use crate::limits::TEAMS_MAX;

/// The variables that every object has, in the order of their numbers.
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

/// An object, as the world knows it.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Object {
    /// Where it is.
    pub position: Vec3,
    /// How far it reaches.
    pub radius: f32,
    /// How it moves by itself.
    pub velocity: Vec3,
    /// The number of its class among the classes of objects.
    pub class: u32,
    /// Its mould's number, and how often it has tried its luck.
    pub mind: Head,
    /// Whose side it is on.
    pub team: u32,
    /// The flags it has: a bit for each.
    pub flags: u32,
    /// The next in the same cell's list.
    pub next_in_cell: Handle<Object>,
    /// With which of its variables it agrees: a bit for each of [`VARIABLES`].
    pub agreed: u32,
    /// The cycle of its next `OnUpdate`; never if it has none.
    pub update_at: u64,
    /// None of its timers is due before this cycle.
    pub timer_at: u64,
    /// The direction it looks in, of length one.
    pub facing: Vec3,
    /// What it is going through: see [`Stage`].
    pub stage: u32,
    /// Whom it belongs to.
    pub owner: Handle<Object>,
    /// Whom it is attached to.
    pub parent: Handle<Object>,
    /// The first that is attached to it.
    pub first_child: Handle<Object>,
    /// The list it is in, by number.
    pub cell: u32,
    /// The next that is attached to the same.
    pub next_child: Handle<Object>,
    /// The first that belongs to it.
    pub first_owned: Handle<Object>,
    /// The next and the one before that belong to the same.
    pub next_owned: Handle<Object>,
    /// See above.
    pub previous_owned: Handle<Object>,
    /// What it was made from.
    pub tag: TagId<ObjectTag>,
    /// The cycle it came into the world.
    pub born_at: u64,
    /// Where on its parent it is attached.
    pub marker: StringId,
    /// Which way it is turned.
    pub orientation: Quat,
    /// The same, seen from its parent, while it is attached.
    pub relative: Quat,
    /// The one before in the same cell's list.
    pub previous_in_cell: Handle<Object>,
    /// Nothing.
    pub spare: u32,
}

// With the eight bytes before it, three lines: see law 4.
const _: () = assert!(size_of::<Object>() + 8 == 3 * 64);

/// What an object is going through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Stage {
    /// It was made and has not been simulated yet.
    New = 0,
    /// It lives.
    Living = 1,
    /// It is being destroyed.
    Ending = 2,
}

impl Object {
    /// Whether it is going through this.
    #[inline]
    pub fn is(&self, stage: Stage) -> bool {
        self.stage == stage as u32
    }

    /// A variable that every object has, if it agrees with that.
    #[inline]
    pub fn known(&self, name: StringId) -> Option<Value> {
        let variable = NAMES.iter().position(|known| *known == name)?;
        (self.agreed >> variable & 1 == 1).then(|| self.variable(variable))
    }

    /// Finds out with which of its variables it agrees.
    #[inline]
    pub fn agree(&mut self, values: &[Value]) {
        let agrees = |variable: usize| u32::from(values.get(variable) == Some(&self.variable(variable))) << variable;
        self.agreed = agrees(POSITION) | agrees(VELOCITY) | agrees(FACING) | agrees(TEAM) | agrees(OWNER);
    }

    /// What it takes a variable to be.
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

/// An object as a value of scripts.
pub fn value_of(handle: Handle<Object>) -> Value {
    if handle.is_none() { Value::NOTHING } else { Value::handle(handle.cast(), 0) }
}

/// A value of scripts as an object, which may be stale or nonsense.
pub fn handle_of(value: Value) -> Handle<Object> {
    value.as_handle().map_or(Handle::NONE, |(handle, _)| handle.cast())
}

/// Whether a handle can be one of an array with so many slots. It may be stale.
pub fn may_be(handle: Handle<Object>, capacity: u32) -> bool {
    !handle.is_none() && handle.salt() >= base::handle::SALT_MIN && u32::from(handle.slot()) < capacity
}

/// The object that a link leads to, if it leads to one: in a world that was loaded, it may lead anywhere.
pub fn linked(objects: Entities<Object, Value>, block: &Block, handle: Handle<Object>) -> Option<&Object> {
    objects.get_untrusted(block, handle.raw()).map(|(_, object)| object)
}

/// The same, to be changed.
pub fn edit_linked(
    objects: Entities<Object, Value>,
    world: &mut World,
    handle: Handle<Object>,
) -> Option<Edit<'_, Object>> {
    linked(objects, world, handle)?;
    Some(objects.edit(world, handle))
}

/// Sets a variable that every object has. A row that was loaded may be too short for it.
pub fn set(values: &mut [Value], variable: usize, value: Value) {
    if let Some(place) = values.get_mut(variable) {
        *place = value;
    }
}

/// A vector that a variable holds; the other if it holds none, or one that is not finite.
pub fn vector_of(value: Value, other: Vec3) -> Vec3 {
    value.as_vector().filter(|vector| vector.is_finite()).unwrap_or(other)
}

/// A team as a number.
pub fn team_of(value: Value) -> Option<u32> {
    let number = value.as_number().or_else(|| value.as_identifier().map(f64::from))?;
    let team = number as u32;
    (f64::from(team) == number && team < TEAMS_MAX).then_some(team)
}
