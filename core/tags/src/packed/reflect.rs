//! Reflection: a packed tag field by field, for code that knows its class only as a table.
//!
//! Laws
//! 1. It never fails: an offset out of the data reads as nothing or empty.
//! 2. [`write_text`] writes a value as LScript; parsing it gives the same value.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Write;

use base::StringId;

use super::{Packed, follow, text_at};
use crate::class::{Class, Field, Kind, Named, Number, Record};
use crate::limits::DEPTH_MAX;

/// A value read by reflection.
#[derive(Clone, Copy, Debug)]
pub enum Reflected<'a> {
    /// No value: an empty optional, or a missing field.
    Nothing,
    /// A number. Angles are in degrees, as in the text.
    Number(f64),
    /// A truth.
    Truth(bool),
    /// `#3`.
    Identifier(i32),
    /// A name, and its id.
    Name(&'a str, StringId),
    /// A text.
    Text(&'a str),
    /// Two to four numbers: a vector or a colour.
    Numbers([f32; 4], u8),
    /// A choice.
    Choice(&'a str),
    /// Flags: the names, and a bit for each.
    Flags(&'a [Named], u32),
    /// The path of a tag; empty for none.
    Reference(&'a str),
    /// Bulk data: its length and digest.
    Bulk(u64, [u8; 32]),
    /// A lambda: its function in the tag's program.
    Lambda(u32),
    /// A record.
    Record(ReflectedRecord<'a>),
    /// A series.
    Series(ReflectedSeries<'a>),
}

/// A record read by reflection.
#[derive(Clone, Copy, Debug)]
pub struct ReflectedRecord<'a> {
    packed: &'a Packed,
    class: &'a Class,
    number: u32,
    at: usize,
    depth: u32,
}

/// A series read by reflection.
#[derive(Clone, Copy, Debug)]
pub struct ReflectedSeries<'a> {
    packed: &'a Packed,
    class: &'a Class,
    of: &'a Kind,
    start: usize,
    count: usize,
    depth: u32,
}

impl<'a> ReflectedRecord<'a> {
    pub(super) fn root(packed: &'a Packed, class: &'a Class) -> ReflectedRecord<'a> {
        ReflectedRecord { packed, class, number: 0, at: 0, depth: 0 }
    }

    /// The record's declaration.
    pub fn record(self) -> &'a Record {
        self.class.record(self.number).unwrap_or(self.class.root())
    }

    /// Its fields and their values, in order.
    pub fn fields(self) -> impl Iterator<Item = (&'a Field, Reflected<'a>)> {
        self.record().fields.iter().map(move |field| (field, self.value(field)))
    }

    /// A value by the name of its field.
    pub fn get(self, name: &str) -> Reflected<'a> {
        self.record().field(name).map_or(Reflected::Nothing, |(_, field)| self.value(field))
    }

    /// The value of one of its fields.
    pub fn value(self, field: &'a Field) -> Reflected<'a> {
        see(self.packed, self.class, &field.kind, self.at + field.offset as usize, self.depth)
    }
}

impl<'a> ReflectedSeries<'a> {
    /// The number of elements.
    pub fn count(self) -> usize {
        self.count
    }

    /// The elements in order.
    pub fn each(self) -> impl ExactSizeIterator<Item = Reflected<'a>> {
        let bytes = self.class.size_of(self.of).0 as usize;
        (0..self.count).map(move |index| see(self.packed, self.class, self.of, self.start + index * bytes, self.depth))
    }
}

fn see<'a>(packed: &'a Packed, class: &'a Class, kind: &'a Kind, at: usize, depth: u32) -> Reflected<'a> {
    let data = packed.data();
    let Some(bytes) = data.get(at..at.saturating_add(class.size_of(kind).0 as usize)) else {
        return Reflected::Nothing;
    };
    if depth > DEPTH_MAX {
        return Reflected::Nothing;
    }
    let word = |index: usize| {
        bytes.get(index * 4..index * 4 + 4).map_or(0, |word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
    };
    let long = |index: usize| u64::from(word(index)) | u64::from(word(index + 1)) << 32;
    let float = |index: usize| f32::from_bits(word(index));
    let stretch = |size: u32| {
        let count = word(1) as usize;
        let start = follow(at, word(0).cast_signed(), data.len())?;
        let end = start.checked_add(count.checked_mul(size as usize)?)?;
        (end <= data.len() && size > 0).then_some((start, count))
    };
    match kind {
        Kind::Number(number) => Reflected::Number(number_of(*number, bytes)),
        Kind::Truth => Reflected::Truth(bytes[0] != 0),
        Kind::Identifier => Reflected::Identifier(word(0).cast_signed()),
        Kind::StringId => {
            let id = StringId::from_number(long(0));
            Reflected::Name(packed.name(id).unwrap_or(""), id)
        }
        Kind::Text => Reflected::Text(stretch(1).map_or("", |(start, count)| text_at(data, start, count as u32))),
        Kind::Vector(count) => {
            let mut numbers = [0.0; 4];
            for (index, number) in numbers.iter_mut().take(usize::from(*count)).enumerate() {
                *number = float(index);
            }
            Reflected::Numbers(numbers, *count)
        }
        Kind::Colour => Reflected::Numbers([float(0), float(1), float(2), float(3)], 4),
        Kind::Angle => Reflected::Number(crate::angle::degrees(float(0))),
        Kind::Choice(names) => {
            let name = names.get(word(0) as usize).or(names.first());
            name.map_or(Reflected::Nothing, |named| Reflected::Choice(&named.name))
        }
        Kind::Flags(names) => Reflected::Flags(names, word(0)),
        Kind::Reference(_) => Reflected::Reference(packed.link_at(at as u32).map_or("", |link| link.path)),
        Kind::Bulk => {
            let mut digest = [0; 32];
            digest.copy_from_slice(&bytes[..32]);
            Reflected::Bulk(long(8), digest)
        }
        Kind::Own(_) => Reflected::Nothing,
        Kind::Lambda(_) => word(0).checked_sub(1).map_or(Reflected::Nothing, Reflected::Lambda),
        Kind::Formula => match word(2).checked_sub(1) {
            Some(function) => Reflected::Lambda(function),
            None => Reflected::Number(f64::from_bits(long(0))),
        },
        Kind::Record(number) => {
            Reflected::Record(ReflectedRecord { packed, class, number: *number, at, depth: depth + 1 })
        }
        Kind::Series(of) => {
            let (start, count) = stretch(class.size_of(of).0).unwrap_or((0, 0));
            Reflected::Series(ReflectedSeries { packed, class, of, start, count, depth })
        }
        Kind::Optional(of) if word(0) != 0 => see(packed, class, of, at + class.optional_offset(of) as usize, depth),
        Kind::Optional(_) => Reflected::Nothing,
    }
}

fn number_of(number: Number, bytes: &[u8]) -> f64 {
    let mut word = [0; 8];
    word[..bytes.len().min(8)].copy_from_slice(&bytes[..bytes.len().min(8)]);
    let long = u64::from_le_bytes(word);
    match number {
        Number::I8 => f64::from(long as u8 as i8),
        Number::I16 => f64::from(long as u16 as i16),
        Number::I32 => f64::from(long as u32 as i32),
        Number::I64 => long.cast_signed() as f64,
        Number::U8 | Number::U16 | Number::U32 | Number::U64 => long as f64,
        Number::F32 => shortest(f32::from_bits(long as u32)),
        Number::F64 => f64::from_bits(long),
    }
}

/// A number of 32 bits as the shortest decimal that gives it: 0.1, not 0.10000000149.
fn shortest(number: f32) -> f64 {
    format!("{number}").parse().unwrap_or(f64::from(number))
}

/// Writes a value as LScript. Of a lambda only its function number is written, since its text is not stored.
pub fn write_text(seen: &Reflected<'_>, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = match seen {
        Reflected::Nothing => out.write_str("nothing"),
        Reflected::Number(number) => write!(out, "{number}"),
        Reflected::Truth(truth) => write!(out, "{truth}"),
        Reflected::Identifier(number) => write!(out, "#{number}"),
        Reflected::Name(text, _) | Reflected::Text(text) | Reflected::Choice(text) | Reflected::Reference(text) => {
            out.write_str(&quote(text))
        }
        Reflected::Numbers(numbers, count @ 2..=3) => {
            let numbers = &numbers[..usize::from(*count)];
            write!(out, "vec({})", join(numbers))
        }
        Reflected::Numbers(numbers, _) => write!(out, "[{}]", join(numbers)),
        Reflected::Flags(names, bits) => {
            let set = names.iter().enumerate().filter(|(index, _)| *index < 32 && bits >> index & 1 == 1);
            let set: alloc::vec::Vec<String> = set.map(|(_, named)| quote(&named.name)).collect();
            write!(out, "[{}]", set.join(", "))
        }
        Reflected::Bulk(bytes, digest) => {
            let _ = write!(out, "{{ bytes {bytes}, hash \"");
            for byte in digest {
                let _ = write!(out, "{byte:02x}");
            }
            out.write_str("\" }")
        }
        Reflected::Lambda(function) => write!(out, "Lambda(…) // function {function}"),
        Reflected::Record(record) => {
            out.push('{');
            for (index, (field, value)) in record.fields().enumerate() {
                let _ = write!(out, "{} {} ", if index == 0 { "" } else { "," }, field.name);
                write_text(&value, out);
            }
            out.write_str(" }")
        }
        Reflected::Series(series) => {
            out.push('[');
            for (index, value) in series.each().enumerate() {
                out.push_str(if index == 0 { "" } else { ", " });
                write_text(&value, out);
            }
            out.write_str("]")
        }
    };
}

fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

fn join(numbers: &[f32]) -> String {
    let texts: alloc::vec::Vec<String> = numbers.iter().map(ToString::to_string).collect();
    texts.join(", ")
}
