//! What can go wrong in a world without stopping it: every such condition has a name, a counter in the world, and a line for
//! people that says which object, which tag and which line of it.
//!
//! Laws
//! 1. A condition is counted in the block, in the order of painting: two worlds that went the same way counted the same.
//! 2. Telling people is looking: it changes nothing, and what is not read is forgotten, oldest first.

use alloc::string::String;
use core::fmt;

use base::{Handle, Plain, StringId};
use script::source::Span;

use crate::object::Object;

macro_rules! conditions {
    ($($name:ident $field:ident $text:literal;)*) => {
        /// What went wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u32)]
        pub enum Condition {
            $(#[doc = $text] $name,)*
        }

        impl Condition {
            /// All of them, by number.
            pub const ALL: &[Condition] = &[$(Condition::$name,)*];

            /// What it says to people.
            pub fn text(self) -> &'static str {
                match self { $(Condition::$name => $text,)* }
            }
        }

        /// How often each condition came up, in the whole life of the world.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Plain)]
        #[repr(C)]
        pub struct Counts {
            $(#[doc = $text] pub $field: u64,)*
        }

        impl Counts {
            /// One more.
            pub fn add(&mut self, condition: Condition, more: u64) {
                let place = match condition { $(Condition::$name => &mut self.$field,)* };
                *place = place.saturating_add(more);
            }

            /// How often it came up.
            pub fn of(&self, condition: Condition) -> u64 {
                match condition { $(Condition::$name => self.$field,)* }
            }
        }
    };
}

conditions! {
    Halted halted "a script reached a limit and was halted; nothing of it counts";
    Complained complained "a script met a value of another kind than it needs; a default was used";
    NotFinite not_finite "a position, velocity or direction was not finite; the last good one was kept";
    TooFar too_far "an object reached the end of space and was stopped there";
    TooFast too_fast "a velocity was beyond all bounds and was cut";
    NoSuchTag no_such_tag "an object was to be spawned from a tag that is not there";
    NoRoomForObject no_room_for_object "there was no room for another object";
    NoRoomForVariables no_room_for_variables "there was no room for the variables of an object";
    NotGiven not_given "an object was to be spawned with a variable that it does not have, or of another kind; its tag's value was kept";
    NoSuchObject no_such_object "something was meant for an object that is not there";
    NoSuchPlayer no_such_player "a player did something, but no object of the level takes that player's inputs";
    EventRefused event_refused "an event from a player was malformed or impossible";
    AttachedInCircle attached_in_circle "an object was to be attached to itself, or to what is attached to it";
    AttachedTooDeep attached_too_deep "attachments were nested too deep";
    NoSuchMarker no_such_marker "an object was attached at a marker that its parent does not have; its centre was used";
    NoSuchTeam no_such_team "a team must be a whole number from 0 to 31; the last good one was kept";
    NoSuchFlag no_such_flag "a flag has a name that the globals do not list";
    NoSuchEffect no_such_effect "this world has no such effect, or it was given the wrong arguments";
    TooMuch too_much "a message, or what an object was to be spawned with, was more than 12 values; nothing of it was sent";
    NoBody no_body "a force or a joint needs an object with a body";
    NoRoomForBody no_room_for_body "there was no room for another body, or what is described has no shape; the object goes on without";
    BodyQuarantined body_quarantined "something about a body was not finite; it stands still and touches nothing";
    NoRoomForJoint no_room_for_joint "there was no room for another joint";
    NoSuchJoint no_such_joint "two objects are not joined, so that there is nothing to part, drive or steer";
    ContactsLeftOut contacts_left_out "more bodies touched than there is room for; the rest did not meet in this cycle";
    NoRoomForTouch no_room_for_touch "more happened between bodies in one cycle than can be told; the rest was not told";
    FieldsLeftOut fields_left_out "there were more fields than there is room for; the last ones did not pull in this cycle";
    MoveDenied move_denied "an object was to be moved into a closed zone";
    MessagesLeftOver messages_left_over "there were still messages after the last round; they wait for the next cycle";
    QueueFull queue_full "objects asked for more in one cycle than there is room for; the rest was refused";
    QueryCut query_cut "a query found more than it can give, or looked at more than it may; the script was halted";
    QueryBudget query_budget "the queries of a cycle looked at more objects than their budget";
    TagLost tag_lost "the tag of a living object is not there any more; it does nothing";
    TagChanged tag_changed "the tag of an object changed, and something it kept found no place in the new one";
}

/// A condition, on its way to be counted.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Told {
    /// What it is about: a name, a tag, a message.
    pub about: StringId,
    /// Which one, by number.
    pub condition: u32,
    /// How often.
    pub count: u32,
    /// The function of the object's mould, and where in the tag's text it stands; both zero if no script is to blame.
    pub function: u32,
    /// See above.
    pub start: u32,
    /// See above.
    pub end: u32,
    /// The player who is to blame and one; zero if none is.
    pub player: u32,
}

impl Told {
    /// A condition that came up once.
    pub fn new(condition: Condition, about: StringId) -> Told {
        Told { about, condition: condition as u32, count: 1, function: 0, start: 0, end: 0, player: 0 }
    }

    /// The same, of a script.
    pub fn at(self, function: u32, span: Span) -> Told {
        Told { function, start: span.start, end: span.end, ..self }
    }

    /// Which condition it is.
    pub fn condition(&self) -> Option<Condition> {
        Condition::ALL.get(self.condition as usize).copied()
    }
}

/// A condition, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// When.
    pub cycle: u64,
    /// What.
    pub condition: Condition,
    /// Whose.
    pub object: Handle<Object>,
    /// The path of the object's tag; empty if there is none.
    pub tag: String,
    /// The line of the tag's text; zero if no script is to blame.
    pub line: u32,
    /// What it is about; may be empty.
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
