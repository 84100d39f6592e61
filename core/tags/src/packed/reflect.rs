//! A packed tag field by field, for those who know its class only as a table: editors, searches, people.
//!
//! Laws
//! 1. Never fails: what leads out of the data is nothing, or empty.
//! 2. [`write_text`] writes a value as a designer would; read again, it means the same.

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt::Write;

use base::StringId;

use super::{Packed, follow, text_at};
use crate::class::{Class, Field, Kind, Named, Number, Record};
use crate::limits::DEPTH_MAX;

/// A value as it was found.
#[derive(Clone, Copy, Debug)]
pub enum Seen<'a> {
    /// No value: an optional without one, or a field that is not there.
    Nothing,
    /// A number. Angles are in degrees, as in the text.
    Number(f64),
    /// Yes or no.
    Truth(bool),
    /// `#3`.
    Identifier(i32),
    /// A name, and its id.
    Name(&'a str, StringId),
    /// Words.
    Text(&'a str),
    /// Two to four numbers: a vector or a colour.
    Numbers([f32; 4], u8),
    /// One of some names.
    Choice(&'a str),
    /// Some of some names: a bit for each.
    Flags(&'a [Named], u32),
    /// The path of a tag; empty for none.
    Reference(&'a str),
    /// Bulk data: how many bytes, and their digest.
    Bulk(u64, [u8; 32]),
    /// A lambda: its function in the tag's program.
    Lambda(u32),
    /// A record.
    Record(SeenRecord<'a>),
    /// A series.
    Series(SeenSeries<'a>),
}

/// A record as it was found.
#[derive(Clone, Copy, Debug)]
pub struct SeenRecord<'a> {
    packed: &'a Packed,
    class: &'a Class,
    number: u32,
    at: usize,
    depth: u32,
}

/// A series as it was found.
#[derive(Clone, Copy, Debug)]
pub struct SeenSeries<'a> {
    packed: &'a Packed,
    class: &'a Class,
    of: &'a Kind,
    start: usize,
    count: usize,
    depth: u32,
}

impl<'a> SeenRecord<'a> {
    pub(super) fn root(packed: &'a Packed, class: &'a Class) -> SeenRecord<'a> {
        SeenRecord { packed, class, number: 0, at: 0, depth: 0 }
    }

    /// What the record is.
    pub fn record(self) -> &'a Record {
        self.class.record(self.number).unwrap_or(self.class.root())
    }

    /// Its fields and their values, in order.
    pub fn fields(self) -> impl Iterator<Item = (&'a Field, Seen<'a>)> {
        self.record().fields.iter().map(move |field| (field, self.value(field)))
    }

    /// The value of the field of a name.
    pub fn get(self, name: &str) -> Seen<'a> {
        self.record().field(name).map_or(Seen::Nothing, |(_, field)| self.value(field))
    }

    /// The value of one of its fields.
    pub fn value(self, field: &'a Field) -> Seen<'a> {
        see(self.packed, self.class, &field.kind, self.at + field.offset as usize, self.depth)
    }
}

impl<'a> SeenSeries<'a> {
    /// How many elements there are.
    pub fn count(self) -> usize {
        self.count
    }

    /// The elements in order.
    pub fn each(self) -> impl ExactSizeIterator<Item = Seen<'a>> {
        let bytes = self.class.size_of(self.of).0 as usize;
        (0..self.count).map(move |index| see(self.packed, self.class, self.of, self.start + index * bytes, self.depth))
    }
}

fn see<'a>(packed: &'a Packed, class: &'a Class, kind: &'a Kind, at: usize, depth: u32) -> Seen<'a> {
    let data = packed.data();
    let Some(bytes) = data.get(at..at.saturating_add(class.size_of(kind).0 as usize)) else { return Seen::Nothing };
    if depth > DEPTH_MAX {
        return Seen::Nothing;
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
        Kind::Number(number) => Seen::Number(number_of(*number, bytes)),
        Kind::Truth => Seen::Truth(bytes[0] != 0),
        Kind::Identifier => Seen::Identifier(word(0).cast_signed()),
        Kind::StringId => {
            let id = StringId::from_number(long(0));
            Seen::Name(packed.name(id).unwrap_or(""), id)
        }
        Kind::Text => Seen::Text(stretch(1).map_or("", |(start, count)| text_at(data, start, count as u32))),
        Kind::Vector(count) => {
            let mut numbers = [0.0; 4];
            for (index, number) in numbers.iter_mut().take(usize::from(*count)).enumerate() {
                *number = float(index);
            }
            Seen::Numbers(numbers, *count)
        }
        Kind::Colour => Seen::Numbers([float(0), float(1), float(2), float(3)], 4),
        Kind::Angle => Seen::Number(crate::angle::degrees(float(0))),
        Kind::Choice(names) => {
            let name = names.get(word(0) as usize).or(names.first());
            name.map_or(Seen::Nothing, |named| Seen::Choice(&named.name))
        }
        Kind::Flags(names) => Seen::Flags(names, word(0)),
        Kind::Reference(_) => Seen::Reference(packed.link_at(at as u32).map_or("", |link| link.path)),
        Kind::Bulk => {
            let mut digest = [0; 32];
            digest.copy_from_slice(&bytes[..32]);
            Seen::Bulk(long(8), digest)
        }
        Kind::Own(_) => Seen::Nothing,
        Kind::Lambda(_) => word(0).checked_sub(1).map_or(Seen::Nothing, Seen::Lambda),
        Kind::Formula => match word(2).checked_sub(1) {
            Some(function) => Seen::Lambda(function),
            None => Seen::Number(f64::from_bits(long(0))),
        },
        Kind::Record(number) => Seen::Record(SeenRecord { packed, class, number: *number, at, depth: depth + 1 }),
        Kind::Series(of) => {
            let (start, count) = stretch(class.size_of(of).0).unwrap_or((0, 0));
            Seen::Series(SeenSeries { packed, class, of, start, count, depth })
        }
        Kind::Optional(of) if word(0) != 0 => see(packed, class, of, at + class.optional_offset(of) as usize, depth),
        Kind::Optional(_) => Seen::Nothing,
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

/// A number of 32 bits as the shortest one of 64 that a designer could have meant by it: 0.1, not 0.10000000149.
fn shortest(number: f32) -> f64 {
    format!("{number}").parse().unwrap_or(f64::from(number))
}

/// Writes a value as a designer would. Lambdas are written as what they are, for the text is not here.
pub fn write_text(seen: &Seen<'_>, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = match seen {
        Seen::Nothing => out.write_str("nothing"),
        Seen::Number(number) => write!(out, "{number}"),
        Seen::Truth(truth) => write!(out, "{truth}"),
        Seen::Identifier(number) => write!(out, "#{number}"),
        Seen::Name(text, _) | Seen::Text(text) | Seen::Choice(text) | Seen::Reference(text) => {
            out.write_str(&quote(text))
        }
        Seen::Numbers(numbers, count @ 2..=3) => {
            let numbers = &numbers[..usize::from(*count)];
            write!(out, "vec({})", join(numbers))
        }
        Seen::Numbers(numbers, _) => write!(out, "[{}]", join(numbers)),
        Seen::Flags(names, bits) => {
            let set = names.iter().enumerate().filter(|(index, _)| *index < 32 && bits >> index & 1 == 1);
            let set: alloc::vec::Vec<String> = set.map(|(_, named)| quote(&named.name)).collect();
            write!(out, "[{}]", set.join(", "))
        }
        Seen::Bulk(bytes, digest) => {
            let _ = write!(out, "{{ bytes {bytes}, hash \"");
            for byte in digest {
                let _ = write!(out, "{byte:02x}");
            }
            out.write_str("\" }")
        }
        Seen::Lambda(function) => write!(out, "Lambda(…) // function {function}"),
        Seen::Record(record) => {
            out.push('{');
            for (index, (field, value)) in record.fields().enumerate() {
                let _ = write!(out, "{} {} ", if index == 0 { "" } else { "," }, field.name);
                write_text(&value, out);
            }
            out.write_str(" }")
        }
        Seen::Series(series) => {
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
