//! A value: a tagged union in sixteen plain bytes.
//!
//! | kind | `bits` | `extra` |
//! |---|---|---|
//! | nothing | 0 | 0 |
//! | number | a 64-bit float | 0 |
//! | identifier | a 32-bit integer | 0 |
//! | truth | 0 or 1 | 0 |
//! | string | the string's id | 0 |
//! | vector | x and y | z |
//! | handle | slot and generation | the array's number |
//! | lambda | the function, and the offset of the captured values | how many values it captures |
//! | list, record | the offset of the elements | how many there are |
//!
//! Laws
//! 1. Any sixteen bytes are a value; an unknown kind reads as nothing.
//! 2. The parts of lists, records and lambdas lie in an [`Arena`](crate::arena::Arena), in a row or in a program;
//!    values refer to them by offset. A record lies there as its names and values in turn, sorted by the ids of the
//!    names.

use base::number::canonical_f64;
use base::{Handle, Plain, StringId, Vec3};

/// What kind of value it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
#[expect(missing_docs, reason = "the table above says what they are")]
pub enum Kind {
    Nothing = 0,
    Number = 1,
    Identifier = 2,
    Truth = 3,
    String = 4,
    Vector = 5,
    Handle = 6,
    Lambda = 7,
    List = 8,
    Record = 9,
}

/// One value of a script. `==` compares bytes; equality in scripts is defined by the virtual machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Plain)]
#[repr(C)]
pub struct Value {
    bits: u64,
    /// The kind in the lower half, `extra` in the upper. Two words instead of three fields, so that a value is passed
    /// in two registers.
    tag: u64,
}

impl Value {
    /// No value.
    pub const NOTHING: Value = Value::of(Kind::Nothing, 0, 0);
    /// `true`.
    pub const TRUE: Value = Value::truth(true);
    /// `false`.
    pub const FALSE: Value = Value::truth(false);

    const fn of(kind: Kind, bits: u64, extra: u32) -> Value {
        Value { bits, tag: (extra as u64) << 32 | kind as u64 }
    }

    /// Its two words: the bits, and the kind below `extra`.
    #[inline]
    pub(crate) const fn words(self) -> (u64, u64) {
        (self.bits, self.tag)
    }

    /// The value of two words.
    #[inline]
    pub(crate) const fn from_words((bits, tag): (u64, u64)) -> Value {
        Value { bits, tag }
    }

    const fn extra(self) -> u32 {
        (self.tag >> 32) as u32
    }

    const fn is(self, kind: Kind) -> bool {
        self.tag as u32 == kind as u32
    }

    /// A number.
    #[inline]
    pub const fn number(number: f64) -> Value {
        Value::of(Kind::Number, number.to_bits(), 0)
    }

    /// An identifier.
    #[inline]
    pub const fn identifier(number: i32) -> Value {
        Value::of(Kind::Identifier, number.cast_unsigned() as u64, 0)
    }

    /// `true` or `false`.
    #[inline]
    pub const fn truth(truth: bool) -> Value {
        Value::of(Kind::Truth, truth as u64, 0)
    }

    /// A string.
    #[inline]
    pub const fn string(id: StringId) -> Value {
        Value::of(Kind::String, id.number(), 0)
    }

    /// A vector.
    #[inline]
    pub const fn vector(vector: Vec3) -> Value {
        let bits = (vector.y.to_bits() as u64) << 32 | vector.x.to_bits() as u64;
        Value::of(Kind::Vector, bits, vector.z.to_bits())
    }

    /// A handle of an array.
    #[inline]
    pub const fn handle(handle: Handle<()>, array: u16) -> Value {
        Value::of(Kind::Handle, handle.raw() as u64, array as u32)
    }

    /// A lambda and what it captures.
    pub(crate) const fn lambda(function: u32, captured: Elements) -> Value {
        Value::of(Kind::Lambda, (function as u64) << 32 | captured.start as u64, captured.count)
    }

    pub(crate) const fn list(elements: Elements) -> Value {
        Value::of(Kind::List, elements.start as u64, elements.count)
    }

    pub(crate) const fn record(elements: Elements) -> Value {
        Value::of(Kind::Record, elements.start as u64, elements.count)
    }

    /// What kind of value it is.
    #[inline]
    pub const fn kind(self) -> Kind {
        match self.tag as u32 {
            1 => Kind::Number,
            2 => Kind::Identifier,
            3 => Kind::Truth,
            4 => Kind::String,
            5 => Kind::Vector,
            6 => Kind::Handle,
            7 => Kind::Lambda,
            8 => Kind::List,
            9 => Kind::Record,
            _ => Kind::Nothing,
        }
    }

    /// The number, if it is one.
    #[inline]
    pub const fn as_number(self) -> Option<f64> {
        if self.tag == Kind::Number as u64 { Some(f64::from_bits(self.bits)) } else { None }
    }

    /// The identifier, if it is one.
    #[inline]
    pub const fn as_identifier(self) -> Option<i32> {
        if self.is(Kind::Identifier) { Some((self.bits as u32).cast_signed()) } else { None }
    }

    /// The truth, if it is one.
    #[inline]
    pub const fn as_truth(self) -> Option<bool> {
        if self.is(Kind::Truth) { Some(self.bits != 0) } else { None }
    }

    /// The string's id, if it is one.
    pub const fn as_string(self) -> Option<StringId> {
        if self.is(Kind::String) { Some(StringId::from_number(self.bits)) } else { None }
    }

    /// The vector, if it is one.
    #[inline]
    pub const fn as_vector(self) -> Option<Vec3> {
        if !self.is(Kind::Vector) {
            return None;
        }
        let (x, y) = (f32::from_bits(self.bits as u32), f32::from_bits((self.bits >> 32) as u32));
        Some(Vec3::new(x, y, f32::from_bits(self.extra())))
    }

    /// The handle and its array's number, if it is one.
    pub const fn as_handle(self) -> Option<(Handle<()>, u16)> {
        if !self.is(Kind::Handle) {
            return None;
        }
        Some((Handle::from_raw(self.bits as u32), self.extra() as u16))
    }

    /// The function of a lambda, if it is one that captures nothing.
    pub const fn as_function(self) -> Option<u32> {
        match self.as_lambda() {
            Some((function, Elements { count: 0, .. })) => Some(function),
            _ => None,
        }
    }

    /// The number of the function of a lambda, in its program.
    pub const fn function_number(self) -> Option<u32> {
        match self.as_lambda() {
            Some((function, _)) => Some(function),
            None => None,
        }
    }

    pub(crate) const fn as_lambda(self) -> Option<(u32, Elements)> {
        if !self.is(Kind::Lambda) {
            return None;
        }
        Some(((self.bits >> 32) as u32, Elements { start: self.bits as u32, count: self.extra() }))
    }

    /// A lambda that captures nothing.
    pub const fn function(function: u32) -> Value {
        Value::lambda(function, Elements { start: 0, count: 0 })
    }

    /// Whether its parts lie in a program.
    pub const fn is_shared(self) -> bool {
        match self.parts() {
            Some(elements) => elements.start >> 30 == 1,
            None => false,
        }
    }

    /// Where the elements of a list lie.
    pub(crate) const fn as_list(self) -> Option<Elements> {
        if self.is(Kind::List) { Some(self.elements()) } else { None }
    }

    /// Where the names and values of a record lie.
    pub(crate) const fn as_record(self) -> Option<Elements> {
        if self.is(Kind::Record) { Some(self.elements()) } else { None }
    }

    const fn elements(self) -> Elements {
        Elements { start: self.bits as u32, count: self.extra() }
    }

    /// The same list, record or lambda with its parts at another offset.
    pub(crate) const fn moved(self, start: u32, count: u32) -> Value {
        let bits = self.bits & !(u32::MAX as u64) | start as u64;
        Value { bits, tag: (count as u64) << 32 | self.tag & u32::MAX as u64 }
    }

    /// Where its elements lie, if it has any: a list's, a record's, a lambda's.
    pub(crate) const fn parts(self) -> Option<Elements> {
        match self.kind() {
            Kind::List | Kind::Record | Kind::Lambda => Some(self.elements()),
            _ => None,
        }
    }

    /// The same value with canonical floats, as it may be stored.
    pub fn canonical(self) -> Value {
        match self.kind() {
            Kind::Number => Value::number(canonical_f64(f64::from_bits(self.bits))),
            Kind::Vector => {
                let mut vector = self.as_vector().unwrap_or_default();
                Plain::canonicalise(&mut vector);
                Value::vector(vector)
            }
            _ => self,
        }
    }

    /// Whether two values that have no parts are the same.
    #[inline]
    pub(crate) fn is_same_atom(self, other: Value) -> bool {
        match (self.kind(), other.kind()) {
            (Kind::Number, Kind::Number) => f64::from_bits(self.bits) == f64::from_bits(other.bits),
            (Kind::Vector, Kind::Vector) => self.as_vector() == other.as_vector(),
            (left, right) => left == right && (self.bits, self.extra()) == (other.bits, other.extra()),
        }
    }
}

impl Default for Value {
    fn default() -> Value {
        Value::NOTHING
    }
}

impl Kind {
    /// Its name, as designers write and read it.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Nothing => "nothing",
            Kind::Number => "number",
            Kind::Identifier => "identifier",
            Kind::Truth => "truth",
            Kind::String => "string",
            Kind::Vector => "vector",
            Kind::Handle => "handle",
            Kind::Lambda => "lambda",
            Kind::List => "list",
            Kind::Record => "record",
        }
    }
}

/// The parts of a value: a range of values in an arena, a row or a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Elements {
    pub start: u32,
    pub count: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_round_trip() {
        assert_eq!(Value::number(-2.5).as_number(), Some(-2.5));
        assert_eq!(Value::identifier(-1).as_identifier(), Some(-1));
        assert_eq!(Value::TRUE.as_truth(), Some(true));
        assert_eq!(Value::vector(Vec3::new(1.0, -2.0, 3.0)).as_vector(), Some(Vec3::new(1.0, -2.0, 3.0)));
        assert_eq!(Value::number(1.0).as_truth(), None);
        let handle = Handle::new(5, 0xe373);
        assert_eq!(Value::handle(handle, 7).as_handle(), Some((handle, 7)));
        assert_eq!(size_of::<Value>(), 16);
    }

    #[test]
    fn any_bytes_are_a_value() {
        let wild: Value = base::plain::pod_read_unaligned(&[0xff; 16]);
        assert_eq!(wild.kind(), Kind::Nothing);
        assert!(wild.as_number().is_none() && wild.parts().is_none());
    }
}
