//! Kinds of values.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::expression::canonical_signature;

/// The kind of a field's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// A number: `3`, `0.25`.
    Number(Number),
    /// `true`, `false`.
    Truth,
    /// `#3`.
    Identifier,
    /// `"muzzle"`: a name, known to the game by its id.
    StringId,
    /// `"…"`: a text.
    Text,
    /// `vec(1, 2)`, `vec(1, 2, 3)`, `[1, 2, 3, 4]`.
    Vector(u8),
    /// A number of degrees in the text, radians in the packed form.
    Angle,
    /// `"#ff8800"`, `"#ff880080"`, or `[1, 0.5, 0]`.
    Colour,
    /// One of several names: `"small"`.
    Choice(Vec<Named>),
    /// A set of names: `["fast", "armed"]`.
    Flags(Vec<Named>),
    /// The path of a tag of a class; of any class if the name is empty.
    Reference(String),
    /// `{ file "corvette.pixels", bytes 4096, hash "…" }`: bytes in a file beside the tag.
    Bulk,
    /// A value that only objects have: a handle, if it is true, or anything. For state fields.
    Own(bool),
    /// A lambda; its signature as in [`script::types`], or empty.
    Lambda(String),
    /// A number, or a lambda without effects that computes one.
    Formula,
    /// A record inside this one: `{ name value, … }`.
    Record(u32),
    /// A series: `[a, b]`.
    Series(Box<Kind>),
    /// An optional value.
    Optional(Box<Kind>),
}

/// The encoding of a number in the packed form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "they are called as in Rust")]
pub enum Number {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
}

/// One name of a choice or of flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The name in the text.
    pub name: String,
    /// What it means; may be empty.
    pub help: String,
    /// Its former names.
    pub former: Vec<String>,
}

impl Named {
    /// A name without help or former names.
    pub fn new(name: &str) -> Named {
        Named { name: name.to_string(), help: String::new(), former: Vec::new() }
    }
}

impl Number {
    /// All of them.
    pub const ALL: [Number; 10] = [
        Number::I8,
        Number::I16,
        Number::I32,
        Number::I64,
        Number::U8,
        Number::U16,
        Number::U32,
        Number::U64,
        Number::F32,
        Number::F64,
    ];

    /// Its size.
    pub const fn bytes(self) -> u32 {
        match self {
            Number::I8 | Number::U8 => 1,
            Number::I16 | Number::U16 => 2,
            Number::I32 | Number::U32 | Number::F32 => 4,
            Number::I64 | Number::U64 | Number::F64 => 8,
        }
    }

    /// Its name, as in Rust.
    pub const fn name(self) -> &'static str {
        match self {
            Number::I8 => "i8",
            Number::I16 => "i16",
            Number::I32 => "i32",
            Number::I64 => "i64",
            Number::U8 => "u8",
            Number::U16 => "u16",
            Number::U32 => "u32",
            Number::U64 => "u64",
            Number::F32 => "f32",
            Number::F64 => "f64",
        }
    }

    /// Whether it is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, Number::F32 | Number::F64)
    }

    /// The smallest and the largest number it can hold exactly, as a script's number.
    pub const fn range(self) -> (f64, f64) {
        /// Integers are exact up to here in a script.
        const WHOLE: f64 = 9_007_199_254_740_992.0;
        match self {
            Number::I8 => (-128.0, 127.0),
            Number::I16 => (-32_768.0, 32_767.0),
            Number::I32 => (-2_147_483_648.0, 2_147_483_647.0),
            Number::I64 => (-WHOLE, WHOLE),
            Number::U8 => (0.0, 255.0),
            Number::U16 => (0.0, 65_535.0),
            Number::U32 => (0.0, 4_294_967_295.0),
            Number::U64 => (0.0, WHOLE),
            Number::F32 => (f32::MIN as f64, f32::MAX as f64),
            Number::F64 => (f64::MIN, f64::MAX),
        }
    }
}

impl Kind {
    pub(super) fn settle(&mut self) -> Result<(), String> {
        match self {
            Kind::Lambda(signature) => {
                *signature = canonical_signature(signature)?;
                Ok(())
            }
            Kind::Series(of) | Kind::Optional(of) => of.settle(),
            _ => Ok(()),
        }
    }

    /// Its code in fingerprints.
    pub(super) const fn number(&self) -> u8 {
        match self {
            Kind::Number(_) => 0,
            Kind::Truth => 1,
            Kind::Identifier => 2,
            Kind::StringId => 3,
            Kind::Text => 4,
            Kind::Vector(_) => 5,
            Kind::Angle => 6,
            Kind::Colour => 7,
            Kind::Choice(_) => 8,
            Kind::Flags(_) => 9,
            Kind::Reference(_) => 10,
            Kind::Bulk => 11,
            Kind::Lambda(_) => 12,
            Kind::Formula => 13,
            Kind::Record(_) => 14,
            Kind::Series(_) => 15,
            Kind::Optional(_) => 16,
            Kind::Own(_) => 17,
        }
    }

    /// A description for designers: "a number", "a list of records".
    pub fn in_words(&self) -> String {
        let word = match self {
            Kind::Number(number) if number.is_float() => "a number",
            Kind::Number(_) => "a whole number",
            Kind::Truth => "true or false",
            Kind::Identifier => "an identifier such as `#3`",
            Kind::StringId => "a name in quotes",
            Kind::Text => "a text in quotes",
            Kind::Vector(2) => "a vector such as `vec(1, 2)`",
            Kind::Vector(3) => "a vector such as `vec(1, 2, 3)`",
            Kind::Vector(_) => "a list of four numbers",
            Kind::Angle => "a number of degrees",
            Kind::Colour => "a colour such as \"#ff8800\"",
            Kind::Choice(names) => return format!("one of {}", quoted(names)),
            Kind::Flags(names) => return format!("a list of some of {}", quoted(names)),
            Kind::Reference(class) if class.is_empty() => "the path of a tag in quotes",
            Kind::Reference(class) => return format!("the path of a `{class}` in quotes"),
            Kind::Bulk => "bulk data such as `{ file \"pixels.bulk\", bytes 4096, hash \"…\" }`",
            Kind::Own(_) => "nothing, for only objects can have a value here",
            Kind::Lambda(_) => "a lambda",
            Kind::Formula => "a number, or a lambda that gives one",
            Kind::Record(_) => "a record",
            Kind::Series(of) => match &**of {
                Kind::Record(_) => "a list of records",
                other => return format!("a list, each {}", other.in_words()),
            },
            Kind::Optional(of) => return format!("{}, or nothing", of.in_words()),
        };
        word.to_string()
    }
}

/// Whether only objects have such a value.
pub(crate) fn has_own(kind: &Kind) -> bool {
    match kind {
        Kind::Own(_) => true,
        Kind::Series(of) | Kind::Optional(of) => has_own(of),
        _ => false,
    }
}

fn quoted(names: &[Named]) -> String {
    const SHOWN_MAX: usize = 12;
    let shown: Vec<String> = names.iter().take(SHOWN_MAX).map(|named| format!("\"{}\"", named.name)).collect();
    let more = if names.len() > SHOWN_MAX { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}
