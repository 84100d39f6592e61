//! The kinds of lines: a table with the topic, the colour and the description of each.

use crate::colour::Colour;
use crate::topic::Topic;

/// Makes the kinds from a table.
macro_rules! kinds {
    ($($kind:ident, $name:literal, $topic:ident, $colour:literal, $about:literal;)*) => {
        /// What a line shows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Kind {
            $(#[doc = $about] $kind,)*
        }

        impl Kind {
            /// All kinds, in their order.
            pub const ALL: &[Kind] = &[$(Kind::$kind),*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Kind::$kind => $name),* }
            }

            /// Its topic.
            pub const fn topic(self) -> Topic {
                match self { $(Kind::$kind => Topic::$topic),* }
            }

            /// Its colour.
            pub const fn colour(self) -> Colour {
                Colour::of(match self { $(Kind::$kind => $colour),* })
            }

            /// Its description.
            pub const fn about(self) -> &'static str {
                match self { $(Kind::$kind => $about),* }
            }
        }
    };
}

kinds! {
    Awake, "awake", Shapes, 0xf2a541, "A body that moves.";
    Asleep, "asleep", Shapes, 0x6f8fb8, "A body that is asleep.";
    Fixed, "fixed", Shapes, 0x7f8c86, "A body that never moves.";
    Driven, "driven", Shapes, 0x4fc3a1, "A body that goes where its velocity leads.";
    Trigger, "trigger", Shapes, 0xb98cf0, "A body that only notices who is in it.";
    Quarantined, "quarantined", Shapes, 0xff2d55, "A body of which something was not finite.";
    Contact, "contact", Contacts, 0xffffff, "Where two bodies touch, and which way they push.";
    Near, "near", Contacts, 0x8a8a8a, "Where two bodies will touch soon.";
    Impulse, "impulse", Contacts, 0xff5a4f, "How hard they are held apart.";
    Joint, "joint", Joints, 0x5ec8f2, "From a body to where it is joined.";
    Axis, "axis", Joints, 0xf7e35c, "About or along which a joint moves.";
    Limit, "limit", Joints, 0xf08fc0, "How far a joint may move.";
    Bounds, "bounds", Bounds, 0x4e6a5b, "The box along the axes around a body.";
    Centre, "centre", Centres, 0xf7f3d6, "A centre of mass, with the axes of inertia.";
    Velocity, "velocity", Velocities, 0x8be04e, "Where a body gets in a tenth of a second.";
    Spin, "spin", Velocities, 0x3fa7ff, "About what a body turns, and how fast.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_colours_are_unique_and_every_topic_has_a_kind() {
        for (index, kind) in Kind::ALL.iter().enumerate() {
            assert_eq!(*kind as usize, index);
            assert!(kind.about().ends_with('.'));
            for other in &Kind::ALL[..index] {
                assert_ne!(kind.name(), other.name());
                assert_ne!(kind.colour(), other.colour(), "{} and {}", kind.name(), other.name());
            }
        }
        for topic in Topic::ALL {
            assert!(Kind::ALL.iter().any(|kind| kind.topic() == topic), "{}", topic.name());
        }
    }
}
