//! Conditions: the runtime errors and warnings of a world. None of them stops it; each has a name, a counter in the
//! world, and a log line that names the object, its tag and the line in it.
//!
//! Laws
//! 1. A condition is counted in the block, in the order of painting: equal worlds have equal counters.
//! 2. The log cannot influence the world. Unread lines are dropped, oldest first.

use alloc::string::String;
use core::fmt;

use base::{Handle, Plain, StringId};
use script::source::Span;

use crate::object::Object;

macro_rules! conditions {
    ($($name:ident $field:ident $text:literal;)*) => {
        /// A runtime error or warning of a world.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum Condition {
            $(#[doc = $text] $name,)*
        }

        impl Condition {
            /// All conditions, by number.
            pub const ALL: &[Condition] = &[$(Condition::$name,)*];

            /// The text of a log line.
            pub fn text(self) -> &'static str {
                match self { $(Condition::$name => $text,)* }
            }
        }

        /// The number of occurrences of each condition since the world began.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Plain)]
        #[repr(C)]
        pub struct Counts {
            $(#[doc = $text] pub $field: u64,)*
        }

        impl Counts {
            /// Adds to the counter of a condition.
            pub fn add(&mut self, condition: Condition, more: u64) {
                let place = match condition { $(Condition::$name => &mut self.$field,)* };
                *place = place.saturating_add(more);
            }

            /// The number of occurrences of a condition.
            pub fn of(&self, condition: Condition) -> u64 {
                match condition { $(Condition::$name => self.$field,)* }
            }
        }
    };
}

conditions! {
    Halted halted "a script reached a limit and was halted; none of its sets and effects count";
    Complained complained "a script got a value of the wrong type; a default was used";
    NotFinite not_finite "a position, velocity, direction or force was not finite; the last good value was kept";
    TooFar too_far "an object reached the end of space and was stopped there";
    TooFast too_fast "a velocity exceeded the speed limit and was clamped";
    NoSuchTag no_such_tag "spawning from a tag that does not exist";
    NoRoomForObject no_room_for_object "the capacity for objects is used up; nothing was spawned";
    NoRoomForVariables no_room_for_variables "the capacity for variables is used up; nothing was spawned";
    NotGiven not_given "spawning with a variable that the class does not have, or of another type; the tag's value was kept";
    NoSuchObject no_such_object "message or effect for a destroyed or missing object";
    NoSuchPlayer no_such_player "input of a player for whom the level has no object";
    EventRefused event_refused "an event of a player was malformed or out of range";
    AttachedInCircle attached_in_circle "attaching an object to itself or to one of its own attachments";
    AttachedTooDeep attached_too_deep "attachments are nested too deep";
    NoSuchMarker no_such_marker "attaching at a marker that the parent does not have; its origin was used";
    NoSuchTeam no_such_team "a team must be a whole number from 0 to 31; the last good one was kept";
    NoSuchFlag no_such_flag "the globals do not list a flag of this name among the first 32";
    NoSuchEffect no_such_effect "unknown effect, or an effect with wrong arguments";
    TooMuch too_much "a message or the variables of a spawn exceed 12 values; nothing was sent";
    NoBody no_body "a force or a joint needs an object with a body";
    NoRoomForBody no_room_for_body "the capacity for bodies is used up; the object has no body";
    NoShape no_shape "the body that the tag describes cannot be built; the object has none";
    BodyQuarantined body_quarantined "the state of a body was not finite; it is quarantined: it stands still and collides with nothing";
    NoRoomForJoint no_room_for_joint "the capacity for joints is used up";
    NoSuchJoint no_such_joint "disconnecting, driving or steering two objects that have no joint";
    ContactsLeftOut contacts_left_out "the capacity for contacts is used up; the remaining pairs did not collide in this cycle";
    NoRoomForTouch no_room_for_touch "the capacity for contact events is used up; some handlers were not called";
    FieldsLeftOut fields_left_out "the capacity for force fields is used up; the last ones did not act in this cycle";
    MoveDenied move_denied "moving an object into a closed trigger volume; it stayed where it was";
    MoveBlocked move_blocked "moving an object into a fixed body; it stayed where it was";
    MessagesLeftOver messages_left_over "messages were left after the last round; they are carried to the next cycle";
    QueueFull queue_full "objects queued more in one cycle than the queues hold; the rest was refused";
    QueryCut query_cut "a query exceeded its hits or its budget; the script was halted";
    QueryBudget query_budget "the queries of a cycle visited more objects than their budget";
    TagLost tag_lost "the tag of a living object is gone; the object does nothing";
    TagChanged tag_changed "the tag of an object changed, and part of its state has no place in the new one: a list that is too long, or a timer, handler or callback whose lambda is gone";
}

impl Condition {
    /// The setting whose number a full capacity names; none for other conditions.
    pub fn setting(self) -> Option<&'static str> {
        Some(match self {
            Condition::NoRoomForObject => "`objects_max` of the level",
            Condition::NoRoomForVariables => "`values_max` of the level",
            Condition::NoRoomForBody | Condition::NoRoomForTouch => "`bodies_max` of the level",
            Condition::NoRoomForJoint => "`joints_max` of the level",
            Condition::ContactsLeftOut => "`contacts_max` of the level",
            Condition::QueueFull => "`messages_max` of the level",
            Condition::MessagesLeftOver => "`message_rounds` of the globals",
            Condition::QueryBudget => "`query_budget` of the globals",
            _ => return None,
        })
    }
}

/// A condition that came up, queued to be counted and logged.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Warning {
    /// The name, tag or message that it concerns.
    pub about: StringId,
    /// The number of the condition.
    pub condition: u32,
    /// The number of occurrences.
    pub count: u32,
    /// The function of the object's prototype that caused it; zero with an empty span if no script did.
    pub function: u32,
    /// The start of its span in the tag's text.
    pub start: u32,
    /// The end of its span; zero if no script caused it.
    pub end: u32,
    /// The other party: the raw handle of a missing target, or of a player condition the player plus one; zero if there is none.
    pub subject: u32,
}

impl Warning {
    /// A condition that came up once.
    pub fn new(condition: Condition, about: StringId) -> Warning {
        Warning { about, condition: condition as u32, count: 1, function: 0, start: 0, end: 0, subject: 0 }
    }

    /// The same, caused at a place in a script.
    pub fn at(self, function: u32, span: Span) -> Warning {
        Warning { function, start: span.start, end: span.end, ..self }
    }

    /// The condition; none if the number is unknown.
    pub fn condition(&self) -> Option<Condition> {
        Condition::ALL.get(self.condition as usize).copied()
    }
}

/// A logged condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The cycle.
    pub cycle: u64,
    /// The condition.
    pub condition: Condition,
    /// The object.
    pub object: Handle<Object>,
    /// The path of the object's tag; empty if there is none.
    pub tag: String,
    /// The line of the tag's text; zero if no script caused it.
    pub line: u32,
    /// The name, tag or message that it concerns; may be empty.
    pub about: String,
}

impl fmt::Display for Trouble {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "cycle {}: ", self.cycle)?;
        if !self.tag.is_empty() {
            write!(formatter, "{}", self.tag)?;
            if self.line > 0 {
                write!(formatter, ":{}", self.line)?;
            }
            write!(formatter, " #{:08x}: ", self.object.raw())?;
        }
        formatter.write_str(self.condition.text())?;
        if !self.about.is_empty() {
            write!(formatter, " ({})", self.about)?;
        }
        Ok(())
    }
}
