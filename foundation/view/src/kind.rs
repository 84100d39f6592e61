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
    Kinematic, "kinematic", Shapes, 0x4fc3a1, "A body that moves by its velocity and is not stopped.";
    Trigger, "trigger", Shapes, 0xb98cf0, "A sensor: a body that reports overlaps and has no contacts. Or a trigger volume of the level.";
    Quarantined, "quarantined", Shapes, 0xff2d55, "A body whose state was not finite.";
    Object, "object", Shapes, 0xc9d36a, "An object without a body: its position, along the axes of its orientation.";
    Contact, "contact", Contacts, 0xffffff, "A contact point with its normal.";
    Near, "near", Contacts, 0x8a8a8a, "A speculative contact point: the bodies do not touch yet.";
    Impulse, "impulse", Contacts, 0xff5a4f, "The normal impulse of a contact.";
    Joint, "joint", Joints, 0x5ec8f2, "From a body to the anchor of a joint.";
    Axis, "axis", Joints, 0xf7e35c, "The axis of a joint.";
    Limit, "limit", Joints, 0xf08fc0, "The limits of a joint.";
    Bounds, "bounds", Bounds, 0x4e6a5b, "The axis-aligned bounding box of a body.";
    CenterOfMass, "center_of_mass", CentersOfMass, 0xf7f3d6, "A center of mass, with the principal axes of inertia.";
    Velocity, "velocity", Velocities, 0x8be04e, "The path of a body in a tenth of a second.";
    AngularVelocity, "angular_velocity", Velocities, 0x3fa7ff, "The angular velocity of a body, along its axis.";
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
