//! Answers: plain values that travel from the world to an interface, and from an interface to the front door.

use alloc::string::String;
use alloc::vec::Vec;

use base::{StringId, Vec3};
use script::arena::{Arena, Full};
use script::program::Program;
use script::value::{Kind, Value};
use script::write::parts_of;
use view::Atom;

use crate::limits::{ANSWER_DEPTH_MAX, ANSWER_VALUES_MAX};

/// A plain value.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Answer {
    /// No value.
    #[default]
    Nothing,
    /// A number.
    Number(f64),
    /// True or false.
    Truth(bool),
    /// An identifier.
    Identifier(i32),
    /// A string: the id of a text, or a name.
    String(StringId),
    /// A text as it is: what a player typed.
    Words(String),
    /// A vector.
    Vector(Vec3),
    /// The raw handle of an object of the world.
    Object(u32),
    /// A list.
    List(Vec<Answer>),
    /// A record: names and values. A text for people is one: see the built-in `text`.
    Record(Vec<(StringId, Answer)>),
}

/// The memory in which the parts of values lie.
#[derive(Clone, Copy)]
pub struct ValueSpaces<'a> {
    /// The program.
    pub program: &'a Program,
    /// The parts that an evaluation made.
    pub made: &'a Arena,
    /// The values of a row.
    pub kept: &'a [Value],
}

impl From<Atom> for Answer {
    fn from(atom: Atom) -> Answer {
        match atom {
            Atom::Nothing => Answer::Nothing,
            Atom::Number(number) => Answer::Number(number),
            Atom::Truth(truth) => Answer::Truth(truth),
            Atom::Name(name) => Answer::String(name),
            Atom::Vector(vector) => Answer::Vector(vector),
            Atom::Object(object) => Answer::Object(object),
        }
    }
}

impl Answer {
    /// The answer of a script value. Lambdas are nothing; what is nested too deep or too much is nothing.
    pub fn of(value: Value, spaces: ValueSpaces<'_>) -> Answer {
        Answer::with_parts(value, &|value| parts_of(value, spaces.program, spaces.made, spaces.kept))
    }

    /// The same with a function that finds the parts of lists and records.
    pub fn with_parts<'a>(value: Value, parts: &dyn Fn(Value) -> &'a [Value]) -> Answer {
        let mut left = ANSWER_VALUES_MAX;
        read(value, parts, 0, &mut left)
    }

    /// The same as a script value; the parts of lists and records are made in an arena.
    pub fn value(&self, made: &mut Arena) -> Result<Value, Full> {
        Ok(match self {
            Answer::Nothing => Value::NOTHING,
            Answer::Number(number) => Value::number(*number),
            Answer::Truth(truth) => Value::truth(*truth),
            Answer::Identifier(number) => Value::identifier(*number),
            Answer::String(id) => Value::string(*id),
            Answer::Words(words) => Value::string(StringId::from(words.as_str())),
            Answer::Vector(vector) => Value::vector(*vector),
            Answer::Object(raw) => object_value(*raw),
            Answer::List(list) => {
                let mut values = Vec::with_capacity(list.len());
                for element in list {
                    values.push(element.value(made)?);
                }
                made.list(&values)?
            }
            Answer::Record(fields) => {
                let mut values = Vec::with_capacity(fields.len() * 2);
                for (name, field) in fields {
                    values.push(Value::string(*name));
                    values.push(field.value(made)?);
                }
                made.record(&values)?
            }
        })
    }

    /// The number: of a truth 0 or 1.
    pub fn number(&self) -> Option<f64> {
        match self {
            Answer::Number(number) => Some(*number),
            Answer::Identifier(number) => Some(f64::from(*number)),
            Answer::Truth(truth) => Some(f64::from(u8::from(*truth))),
            _ => None,
        }
    }

    /// Whether it counts as true: `true`, or a value other than `false` and nothing.
    pub fn is_true(&self) -> bool {
        !matches!(self, Answer::Nothing | Answer::Truth(false))
    }

    /// The raw handle of an object; 0 if it is none.
    pub fn object(&self) -> u32 {
        if let Answer::Object(raw) = self { *raw } else { 0 }
    }

    /// A field of a record.
    pub fn field(&self, name: StringId) -> Option<&Answer> {
        let Answer::Record(fields) = self else { return None };
        fields.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }
}

/// The script value of an object of the world, as worlds number their objects.
pub fn object_value(raw: u32) -> Value {
    if raw == 0 || raw == u32::MAX { Value::NOTHING } else { Value::handle(base::Handle::from_raw(raw), 0) }
}

fn read<'a>(value: Value, parts: &dyn Fn(Value) -> &'a [Value], depth: u32, left: &mut usize) -> Answer {
    if *left == 0 || depth > ANSWER_DEPTH_MAX {
        return Answer::Nothing;
    }
    *left -= 1;
    match value.kind() {
        Kind::Nothing | Kind::Lambda => Answer::Nothing,
        Kind::Number => Answer::Number(value.as_number().unwrap_or(0.0)),
        Kind::Identifier => Answer::Identifier(value.as_identifier().unwrap_or(0)),
        Kind::Truth => Answer::Truth(value.as_truth() == Some(true)),
        Kind::String => Answer::String(value.as_string().unwrap_or_default()),
        Kind::Vector => Answer::Vector(value.as_vector().unwrap_or_default()),
        Kind::Handle => match value.as_handle() {
            Some((handle, 0)) => Answer::Object(handle.raw()),
            _ => Answer::Nothing,
        },
        Kind::List => Answer::List(parts(value).iter().map(|part| read(*part, parts, depth + 1, left)).collect()),
        Kind::Record => {
            let (pairs, _) = parts(value).as_chunks::<2>();
            let fields = pairs
                .iter()
                .filter_map(|[name, field]| Some((name.as_string()?, read(*field, parts, depth + 1, left))));
            Answer::Record(fields.collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_become_values_and_back() {
        let mut made = Arena::new(64);
        let answer = Answer::Record(alloc::vec![
            (StringId::new("a"), Answer::List(alloc::vec![Answer::Number(2.0), Answer::Object(7)])),
            (StringId::new("b"), Answer::Truth(true)),
        ]);
        let value = answer.value(&mut made).unwrap();
        let program = Program::default();
        let back = Answer::of(value, ValueSpaces { program: &program, made: &made, kept: &[] });
        assert_eq!(back.field(StringId::new("a")), answer.field(StringId::new("a")));
        assert_eq!(back.field(StringId::new("b")), Some(&Answer::Truth(true)));
    }

    #[test]
    fn what_is_nested_too_deep_is_nothing() {
        let mut made = Arena::new(4096);
        let mut answer = Answer::Number(1.0);
        for _ in 0..50 {
            answer = Answer::List(alloc::vec![answer]);
        }
        let value = answer.value(&mut made).unwrap();
        let program = Program::default();
        let mut back = Answer::of(value, ValueSpaces { program: &program, made: &made, kept: &[] });
        let mut depth = 0;
        while let Answer::List(list) = &back {
            depth += 1;
            back = list[0].clone();
        }
        assert_eq!((back, depth), (Answer::Nothing, ANSWER_DEPTH_MAX + 1));
    }
}
