//! Accessors: typed arrays in the buffers of a glTF.
//!
//! Law: every range is checked against its buffer before it is read, with checked arithmetic.

use base::Vec3;
use physics::limits::MESH_TRIANGLES_MAX;
use serde_json::Value;

use super::{index, list};
use crate::import::ReadBeside;
use crate::limits::{IMPORT_BUFFERS_MAX, IMPORT_BYTES_MAX};

/// The buffers of a file.
pub struct Buffers<'a> {
    json: &'a Value,
    buffers: Vec<Vec<u8>>,
}

/// The elements of an accessor.
struct Numbers<'a> {
    bytes: &'a [u8],
    stride: usize,
    count: usize,
    format: Format,
    is_normalised: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Byte,
    UnsignedByte,
    Short,
    UnsignedShort,
    UnsignedInt,
    Float,
}

impl<'a> Buffers<'a> {
    /// Loads all buffers: from the file itself, from data URIs, and from files beside it.
    pub fn read(json: &'a Value, binary: Option<&[u8]>, beside: ReadBeside<'_>) -> Result<Buffers<'a>, String> {
        let said = list(&json["buffers"]);
        if said.len() > IMPORT_BUFFERS_MAX {
            return Err(format!("expected at most {IMPORT_BUFFERS_MAX} buffers, found {}", said.len()));
        }
        let mut buffers = Vec::new();
        let mut whole = 0_u64;
        for buffer in said {
            let bytes = match buffer["uri"].as_str() {
                None => binary.ok_or_else(|| String::from("expected a buffer, found none in the file"))?.to_vec(),
                Some(uri) => match uri.split_once(";base64,").filter(|(start, _)| start.starts_with("data:")) {
                    Some((_, text)) => base64(text).ok_or_else(|| String::from("expected base64 in a buffer"))?,
                    None => beside(&name_of(uri)?)?,
                },
            };
            whole += bytes.len() as u64;
            if whole > IMPORT_BYTES_MAX {
                return Err(format!("expected at most {IMPORT_BYTES_MAX} bytes, found more"));
            }
            buffers.push(bytes);
        }
        Ok(Buffers { json, buffers })
    }

    /// The positions of an accessor.
    pub fn places(&self, accessor: usize) -> Result<Vec<Vec3>, String> {
        let numbers = self.numbers(accessor, "VEC3", 3)?;
        let place = |number: usize| {
            let at = |axis: usize| numbers.get(number, axis);
            Vec3::new(at(0), at(1), at(2))
        };
        Ok((0..numbers.count).map(place).collect())
    }

    /// The indices of an accessor.
    pub fn indices(&self, accessor: usize) -> Result<Vec<u32>, String> {
        let numbers = self.numbers(accessor, "SCALAR", 1)?;
        let is_sound = matches!(numbers.format, Format::UnsignedByte | Format::UnsignedShort | Format::UnsignedInt);
        if !is_sound {
            return Err(format!("expected whole numbers as indices in accessor {accessor}"));
        }
        Ok((0..numbers.count).map(|number| numbers.whole(number)).collect())
    }

    fn numbers(&self, number: usize, kind: &str, width: usize) -> Result<Numbers<'_>, String> {
        let wrong = |what: &str| format!("accessor {number}: {what}");
        let accessor = list(&self.json["accessors"]).get(number).ok_or_else(|| wrong("it is not there"))?;
        if accessor["type"].as_str() != Some(kind) {
            return Err(wrong(&format!("expected the type {kind}")));
        }
        if accessor.get("sparse").is_some() {
            return Err(wrong("it is sparse, which is not known here; export it without"));
        }
        let format = Format::of(accessor["componentType"].as_u64());
        let format = format.ok_or_else(|| wrong("expected a type of numbers"))?;
        let count = index(&accessor["count"]);
        if count > MESH_TRIANGLES_MAX * 3 {
            return Err(wrong("it has more numbers than a mesh can have"));
        }
        let view = index(&accessor["bufferView"]);
        let view = list(&self.json["bufferViews"]).get(view).ok_or_else(|| wrong("expected numbers, found none"))?;
        let buffer = self.buffers.get(index(&view["buffer"])).ok_or_else(|| wrong("its buffer is not there"))?;
        let size = format.bytes() * width;
        let stride = view.get("byteStride").map_or(size, index);
        let bytes = (|| {
            let offset = |value: &Value| value.get("byteOffset").map_or(0, index);
            let start = offset(view).checked_add(offset(accessor))?;
            let end = offset(view).checked_add(index(&view["byteLength"]))?;
            let needed = stride.checked_mul(count.saturating_sub(1))?.checked_add(if count == 0 { 0 } else { size })?;
            let bytes = buffer.get(start..end)?;
            (stride >= size && bytes.len() >= needed).then_some(bytes)
        })();
        let bytes = bytes.ok_or_else(|| wrong("it reaches beyond its buffer"))?;
        let is_normalised = accessor["normalized"].as_bool().unwrap_or(false);
        Ok(Numbers { bytes, stride, count, format, is_normalised })
    }
}

impl Numbers<'_> {
    fn at<const N: usize>(&self, number: usize, axis: usize) -> [u8; N] {
        let at = number * self.stride + axis * N;
        self.bytes[at..at + N].try_into().expect("it was found to lie within")
    }

    fn get(&self, number: usize, axis: usize) -> f32 {
        let (value, most) = match self.format {
            Format::Float => return f32::from_le_bytes(self.at(number, axis)),
            Format::Byte => (f32::from(i8::from_le_bytes(self.at(number, axis))), 127.0),
            Format::UnsignedByte => (f32::from(u8::from_le_bytes(self.at(number, axis))), 255.0),
            Format::Short => (f32::from(i16::from_le_bytes(self.at(number, axis))), 32767.0),
            Format::UnsignedShort => (f32::from(u16::from_le_bytes(self.at(number, axis))), 65535.0),
            Format::UnsignedInt => return u32::from_le_bytes(self.at(number, axis)) as f32,
        };
        if self.is_normalised { base::number::max(value / most, -1.0) } else { value }
    }

    fn whole(&self, number: usize) -> u32 {
        match self.format {
            Format::UnsignedByte => u32::from(u8::from_le_bytes(self.at(number, 0))),
            Format::UnsignedShort => u32::from(u16::from_le_bytes(self.at(number, 0))),
            _ => u32::from_le_bytes(self.at(number, 0)),
        }
    }
}

impl Format {
    fn of(number: Option<u64>) -> Option<Format> {
        Some(match number? {
            5120 => Format::Byte,
            5121 => Format::UnsignedByte,
            5122 => Format::Short,
            5123 => Format::UnsignedShort,
            5125 => Format::UnsignedInt,
            5126 => Format::Float,
            _ => return None,
        })
    }

    fn bytes(self) -> usize {
        match self {
            Format::Byte | Format::UnsignedByte => 1,
            Format::Short | Format::UnsignedShort => 2,
            Format::UnsignedInt | Format::Float => 4,
        }
    }
}

/// The name of a file beside this one, or below; percent-decoded.
fn name_of(uri: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [first, others @ ..] = rest {
        let digits = others.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match (first, digits.and_then(|digits| u8::from_str_radix(digits, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &others[2..];
            }
            _ => {
                bytes.push(*first);
                rest = others;
            }
        }
    }
    let name = String::from_utf8(bytes).unwrap_or_default();
    let is_beside = |part: &str| !part.is_empty() && part != ".." && part != "." && !part.contains([':', '\\', '\0']);
    if name.len() < 400 && name.split('/').all(is_beside) {
        return Ok(name);
    }
    Err(format!("expected buffers beside the file, found \"{}\"", super::short(uri)))
}

/// Decodes base64.
fn base64(text: &str) -> Option<Vec<u8>> {
    let letters = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(letters.len() / 4 * 3 + 3);
    for four in letters.chunks(4) {
        let mut number = 0_u32;
        for letter in four {
            let value = match letter {
                b'A'..=b'Z' => letter - b'A',
                b'a'..=b'z' => letter - b'a' + 26,
                b'0'..=b'9' => letter - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            number = number << 6 | u32::from(value);
        }
        let [_, one, two, three] = (number << (6 * (4 - four.len()))).to_be_bytes();
        match four.len() {
            4 => bytes.extend([one, two, three]),
            3 => bytes.extend([one, two]),
            2 => bytes.push(one),
            _ => return None,
        }
    }
    Some(bytes)
}
