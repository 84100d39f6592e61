//! The effects that objects can have, one row each.
//!
//! This crate only knows their names and what they take; what they do is the world's. A world with effects of its own
//! hands the checker a second table. Nothing acts at once: every effect is queued at a brush. What concerns only the object
//! itself is done by the machine when the evaluation has ended: its timers, its handlers and its luck.

use alloc::vec::Vec;

use crate::types::{Signature, Type, Unread};

/// One effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// Its name, without its mark.
    pub name: &'static str,
    /// What it takes and gives.
    pub signature: &'static str,
    /// What it does.
    pub help: &'static str,
}

impl Effect {
    /// What it takes and gives.
    pub fn signature(&self) -> Result<Signature, Unread> {
        Signature::parse(self.signature)
    }

    /// What it gives.
    pub fn gives(&self) -> Type {
        self.signature().map_or(Type::Any, |signature| signature.result)
    }
}

/// The effects every world has.
#[rustfmt::skip]
pub static EFFECTS: &[Effect] = &[
    Effect { name: "Send", signature: "Send(handle, string, any…)", help: "Sends a message with a name and its arguments to an object." },
    Effect { name: "Spawn", signature: "Spawn(string, record?, lambda?)", help: "Makes an object from the tag at this path, with these variables set; the lambda is called with its handle." },
    Effect { name: "Destroy", signature: "Destroy(handle)", help: "Removes an object." },
    Effect { name: "Damage", signature: "Damage(handle, number, string?)", help: "Tells an object that it was hit, how hard, and by what kind of thing." },
    Effect { name: "After", signature: "After(number, lambda) identifier", help: "Calls the lambda once, so many milliseconds from now. Gives the timer." },
    Effect { name: "Every", signature: "Every(number, lambda) identifier", help: "Calls the lambda again and again, so many milliseconds apart. Gives the timer." },
    Effect { name: "Cancel", signature: "Cancel(identifier)", help: "Stops a timer." },
    Effect { name: "Force", signature: "Force(handle, vector, vector?)", help: "Pushes an object for one cycle, at its centre or at a place." },
    Effect { name: "Impulse", signature: "Impulse(handle, vector, vector?)", help: "Pushes an object at once, at its centre or at a place." },
    Effect { name: "Torque", signature: "Torque(handle, vector)", help: "Turns an object for one cycle." },
    Effect { name: "Body", signature: "Body(handle, string, any)", help: "Changes a property of an object's body: friction, restitution, rolling, damping, spin_damping, gravity, fixed, trigger, upright." },
    Effect { name: "Connect", signature: "Connect(handle, handle, string, record?)", help: "Joins the bodies of two objects: fixed, hinge, slider, ball, cone, distance, rope, spring or wheel. The record says where, how far and how strongly." },
    Effect { name: "Disconnect", signature: "Disconnect(handle, handle)", help: "Takes away all joints between two objects." },
    Effect { name: "Drive", signature: "Drive(handle, handle, number, number?)", help: "Lets the motors of the joints between two objects go so fast, with this force if one is given." },
    Effect { name: "Steer", signature: "Steer(handle, handle, number)", help: "Steers a wheel by this angle; lets the motor of another joint go to this angle or place and hold it." },
    Effect { name: "Move", signature: "Move(vector)", help: "Puts the object itself at a place." },
    Effect { name: "Attach", signature: "Attach(handle, handle, string?)", help: "Fastens the first object to the second, at its centre or at a marker; from then on it moves along." },
    Effect { name: "Detach", signature: "Detach(handle)", help: "Lets an object go from what it is fastened to." },
    Effect { name: "Give", signature: "Give(handle, handle?)", help: "Gives an object to another owner; without one it belongs to nobody." },
    Effect { name: "Join", signature: "Join(handle, number)", help: "Lets an object be of this team." },
    Effect { name: "Flag", signature: "Flag(string, truth)", help: "Sets a flag of the object itself, or takes it away: queries find objects by their flags." },
    Effect { name: "Play", signature: "Play(string, any…)", help: "Plays the sound or the effect at this path." },
    Effect { name: "GUIFire", signature: "GUIFire(string, any…)", help: "Sends an event to the interface's logic." },
    Effect { name: "EventHandler", signature: "EventHandler(handle, string, lambda)", help: "From now on calls the lambda when the object gets an event of this name." },
    Effect { name: "EndLevel", signature: "EndLevel(string, string?)", help: "Ends the level with this outcome; the level at the path, if there is one, comes next." },
    Effect { name: "Random", signature: "Random(number, number) number", help: "Gives a number between these two, by chance." },
    Effect { name: "Chance", signature: "Chance(number) truth", help: "Gives true so often as the number says: 0 is never, 1 always." },
    Effect { name: "Pick", signature: "Pick(list of A) A", help: "Gives one of the elements, by chance; of an empty list, nothing." },
    Effect { name: "Log", signature: "Log(any…)", help: "Tells the developer these values." },
];

/// The tables of a world that adds none.
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
    fn every_row_says_what_it_takes_and_does() {
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
        static OURS: &[Effect] = &[
            Effect { name: "Warp", signature: "Warp(handle)", help: "Leaves." },
            Effect {
                name: "Random",
                signature: "Random(number, number) number",
                help: "Gives a number between these two, by chance.",
            },
            Effect {
                name: "Chance",
                signature: "Chance(number) truth",
                help: "Gives true so often as the number says: 0 is never, 1 always.",
            },
            Effect {
                name: "Pick",
                signature: "Pick(list of A) A",
                help: "Gives one of the elements, by chance; of an empty list, nothing.",
            },
            Effect { name: "Log", signature: "Log(string)", help: "Only texts." },
        ];
        let tables = [EFFECTS, OURS];
        assert_eq!(find(&tables, "Warp").map(|effect| effect.help), Some("Leaves."));
        assert_eq!(find(&tables, "Log").map(|effect| effect.signature), Some("Log(string)"));
        assert!(find(&tables, "Wrap").is_none());
    }
}
