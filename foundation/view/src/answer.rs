//! Values of a world that an interface shows or is told.

use alloc::string::String;
use alloc::vec::Vec;

use base::{StringId, Vec3};

/// A value without parts: an argument of an interface event.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Atom {
    /// Nothing.
    #[default]
    Nothing,
    /// A number; also an identifier such as `#3`.
    Number(f64),
    /// A truth value.
    Truth(bool),
    /// A string, by its id; `Frame::text` finds its text.
    Name(StringId),
    /// A vector.
    Vector(Vec3),
    /// The raw handle of an object.
    Object(u32),
}

/// The answer to a question about a world: the value of an expression of an interface.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Answer {
    /// Nothing, also for what has no value outside of its world, as a lambda.
    #[default]
    Nothing,
    /// A number; also an identifier such as `#3`.
    Number(f64),
    /// A truth value.
    Truth(bool),
    /// A string.
    Text(String),
    /// A string whose text is not known.
    Name(StringId),
    /// A vector.
    Vector(Vec3),
    /// The raw handle of an object.
    Object(u32),
    /// A list.
    List(Vec<Answer>),
    /// A record: names and values.
    Record(Vec<(StringId, Answer)>),
}

impl Answer {
    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        if let Answer::Number(number) = self { Some(*number) } else { None }
    }

    /// The truth, if it is one.
    pub fn truth(&self) -> Option<bool> {
        if let Answer::Truth(truth) = self { Some(*truth) } else { None }
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        if let Answer::Text(text) = self { Some(text) } else { None }
    }

    /// The value of a record's field.
    pub fn field(&self, name: StringId) -> Option<&Answer> {
        let Answer::Record(fields) = self else { return None };
        fields.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}
