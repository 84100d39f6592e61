//! The effects of the script machine, one row each, and the row type with which a world adds its own.
//!
//! The machine performs the effects that concern only the object itself: timers, handlers and random numbers. `!Send`
//! and `!Log` are handed to the [`Stage`](crate::stage::Stage). Everything else a script can do is a row in a table of
//! the world, which is handed to the checker as a second table. No effect acts at once: each is queued at a brush.

use alloc::vec::Vec;

use base::StringId;

use crate::meaning::Meaning;
use crate::types::{Signature, Type, Unread};

/// One effect, as the checker and the editors see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// Its name, without the mark.
    pub name: &'static str,
    /// Its parameters and its result.
    pub signature: &'static str,
    /// What it does.
    pub help: &'static str,
    /// The meanings of its arguments, by index.
    pub meanings: &'static [(usize, Meaning)],
}

impl Effect {
    /// A row whose arguments mean no more than their types.
    pub const fn new(name: &'static str, signature: &'static str, help: &'static str) -> Effect {
        Effect { name, signature, help, meanings: &[] }
    }

    /// With the meanings of some arguments, by index.
    #[must_use]
    pub const fn with_meanings(self, meanings: &'static [(usize, Meaning)]) -> Effect {
        Effect { meanings, ..self }
    }

    /// The meaning of the argument at an index.
    pub fn meaning(&self, index: usize) -> Option<Meaning> {
        self.meanings.iter().find(|(known, _)| *known == index).map(|(_, meaning)| *meaning)
    }

    /// Parses the signature.
    pub fn signature(&self) -> Result<Signature, Unread> {
        Signature::parse(self.signature)
    }

    /// The type of its result.
    pub fn gives(&self) -> Type {
        self.signature().map_or(Type::Any, |signature| signature.result)
    }
}

/// The effect that sends a message.
pub const SEND: StringId = StringId::new("Send");

/// The effect that logs values.
pub const LOG: StringId = StringId::new("Log");

/// The effects of the machine itself.
#[rustfmt::skip]
pub static EFFECTS: &[Effect] = &[
    Effect::new("Send", "Send(handle, string, any…)", "Sends an object a message with this name and these arguments.").with_meanings(&[(1, Meaning::Message)]),
    Effect::new("After", "After(number, lambda) identifier", "Calls the lambda once, this many milliseconds from now. Returns the timer."),
    Effect::new("Every", "Every(number, lambda) identifier", "Calls the lambda repeatedly, at intervals of this many milliseconds. Returns the timer."),
    Effect::new("Cancel", "Cancel(identifier)", "Stops a timer."),
    Effect::new("EventHandler", "EventHandler(handle, string, lambda)", "Installs the lambda as the object's handler of messages with this name.").with_meanings(&[(1, Meaning::Handler)]),
    Effect::new("Random", "Random(number, number) number", "A random number between these two."),
    Effect::new("Chance", "Chance(number) truth", "True with this probability: 0 is never, 1 always."),
    Effect::new("Pick", "Pick(list of A) A", "A random element of the list; nothing if it is empty."),
    Effect::new("Each", "Each(list of A, !Lambda(A, any))", "Calls the lambda for each element of the list, in order; it may have effects."),
    Effect::new("Log", "Log(any…)", "Writes these values to the developer's log."),
];

/// The tables without a world.
pub static STANDARD: &[&[Effect]] = &[EFFECTS];

/// The row of a name in several tables; a later table wins.
pub fn find<'a>(tables: &[&'a [Effect]], name: &str) -> Option<&'a Effect> {
    tables.iter().rev().find_map(|table| table.iter().find(|effect| effect.name == name))
}

/// The names in several tables.
pub fn names(tables: &[&[Effect]]) -> Vec<&'static str> {
    tables.iter().flat_map(|table| table.iter().map(|effect| effect.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_signature_and_help() {
        for effect in EFFECTS {
            let signature = effect.signature().expect(effect.name);
            assert_eq!(signature.name, effect.name);
            assert!(!effect.help.is_empty(), "{}", effect.name);
        }
        assert_eq!(find(&[EFFECTS], "After").map(Effect::gives), Some(Type::Identifier));
        assert_eq!(find(&[EFFECTS], "Log").map(Effect::gives), Some(Type::Nothing));
    }

    #[test]
    fn a_world_adds_rows_and_replaces_them() {
        static OURS: &[Effect] =
            &[Effect::new("Warp", "Warp(handle)", "Leaves."), Effect::new("Log", "Log(string)", "Only texts.")];
        let tables = [EFFECTS, OURS];
        assert_eq!(find(&tables, "Warp").map(|effect| effect.help), Some("Leaves."));
        assert_eq!(find(&tables, "Log").map(|effect| effect.signature), Some("Log(string)"));
        assert!(find(&tables, "Wrap").is_none());
    }
}
