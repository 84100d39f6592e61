//! Accessors: typed arrays in the buffers of a glTF.
//!
//! Law: every range is checked against its buffer before it is read, with checked arithmetic.

use std::borrow::Cow;

use super::super::json::Json;
use super::super::material::name_beside;
use super::items;
use crate::error::ImportError;
use crate::importer::Source;
use crate::limits::{BUFFERS_MAX, SOURCE_BYTES_MAX, ZEROS_MAX};

/// The buffers of a file, its views and its accessors.
pub struct Buffers<'d> {
    accessors: Vec<Json<'d>>,
    views: Vec<Json<'d>>,
    buffers: Vec<Cow<'d, [u8]>>,
    bytes_beside: u64,
}

/// The elements of an accessor.
#[derive(Clone, Copy)]
pub struct Numbers<'a> {
    bytes: &'a [u8],
    stride: usize,
    /// The number of elements.
    pub count: usize,
    format: NumberFormat,
    width: usize,
    is_normalised: bool,
    sparse: Option<Sparse<'a>>,
}

/// Elements that replace some of an accessor's.
#[derive(Clone, Copy)]
struct Sparse<'a> {
    indices: &'a [u8],
    format: NumberFormat,
    count: usize,
    values: &'a [u8],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NumberFormat {
    Byte,
    UnsignedByte,
    Short,
    UnsignedShort,
    UnsignedInt,
    Float,
}

impl<'d> Buffers<'d> {
    /// Loads all buffers: from the file itself, from data URIs, and from files beside it.
    pub fn read(root: Json<'d>, binary: Option<&'d [u8]>, source: &Source<'_>) -> Result<Buffers<'d>, ImportError> {
        let accessors = items(root, "accessors")?;
        let views = items(root, "bufferViews")?;
        let said = items(root, "buffers")?;
        if said.len() > BUFFERS_MAX {
            return Err(ImportError::TooLarge { what: "buffers", found: said.len() as u64, limit: BUFFERS_MAX as u64 });
        }
        let mut buffers = Vec::new();
        let mut bytes_beside = 0_u64;
        for (index, buffer) in said.iter().enumerate() {
            let bytes = match buffer.get("uri").text() {
                None if index == 0 => Cow::Borrowed(binary.unwrap_or(&[])),
                // A buffer without bytes belongs to an extension; whoever uses it is told.
                None => Cow::Borrowed(&[][..]),
                Some(uri) if uri.starts_with("data:") => {
                    let text = uri.split_once(";base64,").map(|(_, text)| text);
                    let bytes = text.and_then(base64).ok_or_else(|| damaged("expected base64 in a buffer"))?;
                    Cow::Owned(bytes)
                }
                Some(uri) => {
                    let name = name_beside(&uri).ok_or_else(|| ImportError::Beside {
                        name: super::short(&uri),
                        reason: "buffers lie beside the file or below it".into(),
                    })?;
                    let bytes = source.read_beside(&name)?;
                    bytes_beside += bytes.len() as u64;
                    Cow::Owned(bytes)
                }
            };
            if bytes_beside > SOURCE_BYTES_MAX {
                return Err(ImportError::TooLarge { what: "bytes", found: bytes_beside, limit: SOURCE_BYTES_MAX });
            }
            buffers.push(bytes);
        }
        Ok(Buffers { accessors, views, buffers, bytes_beside })
    }

    /// The bytes of the files beside the source.
    pub fn bytes_beside(&self) -> u64 {
        self.bytes_beside
    }

    /// An accessor with elements of one of these types: names of glTF and numbers in each.
    pub fn numbers(&self, number: usize, kinds: &[(&str, usize)]) -> Result<Numbers<'_>, ImportError> {
        let wrong = |what: &str| damaged(&format!("accessor {number}: {what}"));
        let accessor = *self.accessors.get(number).ok_or_else(|| wrong("it is not there"))?;
        let kind = accessor.get("type").word().unwrap_or_default();
        let width = kinds.iter().find(|(name, _)| *name == kind).map(|(_, width)| *width);
        let width = width.ok_or_else(|| wrong(&format!("expected the type {}", kinds[0].0)))?;
        let format = NumberFormat::of(accessor.get("componentType"));
        let format = format.ok_or_else(|| wrong("expected a type of numbers"))?;
        let count = accessor.get("count").index().ok_or_else(|| wrong("expected a count"))?;
        let size = format.bytes() * width;
        let is_normalised = accessor.get("normalized").truth().unwrap_or(false);
        let mut numbers = Numbers { bytes: &[], stride: size, count, format, width, is_normalised, sparse: None };
        match accessor.get("bufferView").index() {
            Some(view) => {
                let (bytes, stride) =
                    self.view(view, accessor.get("byteOffset")).ok_or_else(|| wrong("it reaches beyond its buffer"))?;
                numbers.stride = stride.unwrap_or(size);
                let needed = numbers
                    .stride
                    .checked_mul(count.saturating_sub(1))
                    .and_then(|sum| sum.checked_add(if count == 0 { 0 } else { size }));
                if needed.is_none_or(|needed| needed > bytes.len()) || numbers.stride < size {
                    return Err(wrong("it reaches beyond its buffer"));
                }
                numbers.bytes = bytes;
            }
            None if count > ZEROS_MAX => {
                return Err(ImportError::TooLarge {
                    what: "elements without bytes",
                    found: count as u64,
                    limit: ZEROS_MAX as u64,
                });
            }
            None => {}
        }
        let sparse = accessor.get("sparse");
        if sparse.is_there() {
            numbers.sparse =
                Some(self.sparse(sparse, size).ok_or_else(|| wrong("its sparse elements reach beyond a buffer"))?);
        }
        Ok(numbers)
    }

    /// The bytes of a view.
    pub fn bytes_of(&self, number: usize) -> Option<&[u8]> {
        self.view(number, Json::Missing).map(|(bytes, _)| bytes)
    }

    /// The bytes of a view from an offset on, and its stride.
    fn view(&self, number: usize, offset: Json<'_>) -> Option<(&[u8], Option<usize>)> {
        let view = *self.views.get(number)?;
        let buffer = self.buffers.get(view.get("buffer").index()?)?;
        let start_of = |value: Json<'_>| if value.is_there() { value.index() } else { Some(0) };
        let first = start_of(view.get("byteOffset"))?;
        let end = first.checked_add(view.get("byteLength").index()?)?;
        let start = first.checked_add(start_of(offset)?)?;
        let stride = view.get("byteStride");
        let stride = if stride.is_there() { Some(stride.index()?) } else { None };
        Some((buffer.get(start..end)?, stride))
    }

    fn sparse(&self, sparse: Json<'_>, size: usize) -> Option<Sparse<'_>> {
        let count = sparse.get("count").index()?;
        let (at, values) = (sparse.get("indices"), sparse.get("values"));
        let format = NumberFormat::of(at.get("componentType")).filter(|format| format.is_index())?;
        let indices = self.view(at.get("bufferView").index()?, at.get("byteOffset"))?.0;
        let values = self.view(values.get("bufferView").index()?, values.get("byteOffset"))?.0;
        let indices = indices.get(..count.checked_mul(format.bytes())?)?;
        let values = values.get(..count.checked_mul(size)?)?;
        Some(Sparse { indices, format, count, values })
    }
}

impl<'a> Numbers<'a> {
    /// Whether its numbers are whole and not negative, as indices are.
    pub fn is_index(&self) -> bool {
        self.format.is_index()
    }

    /// Some numbers of an element, missing ones as given.
    pub fn get<const N: usize>(&self, number: usize, mut otherwise: [f32; N]) -> [f32; N] {
        let bytes = self.element(number);
        for (axis, value) in otherwise.iter_mut().enumerate().take(self.width) {
            *value =
                bytes.map_or(0.0, |bytes| self.format.float(&bytes[axis * self.format.bytes()..], self.is_normalised));
        }
        otherwise
    }

    /// Four whole numbers of an element.
    pub fn wholes(&self, number: usize) -> [u32; 4] {
        let bytes = self.element(number);
        let mut wholes = [0; 4];
        for (axis, value) in wholes.iter_mut().enumerate().take(self.width) {
            *value = bytes.map_or(0, |bytes| self.format.whole(&bytes[axis * self.format.bytes()..]));
        }
        wholes
    }

    /// The bytes of an element; none if it is zero.
    ///
    /// # Panics
    /// If there is no such element.
    fn element(&self, number: usize) -> Option<&'a [u8]> {
        assert!(number < self.count, "an element of the accessor");
        if let Some(sparse) = &self.sparse
            && let Some(at) = sparse.find(number as u32)
        {
            return Some(&sparse.values[at * self.format.bytes() * self.width..]);
        }
        if self.bytes.is_empty() { None } else { Some(&self.bytes[number * self.stride..]) }
    }
}

impl Sparse<'_> {
    /// Binary search: the indices ascend. In a wrong file they may not, and some are not found.
    fn find(&self, number: u32) -> Option<usize> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            let found = self.format.whole(&self.indices[middle * self.format.bytes()..]);
            match found.cmp(&number) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}

impl NumberFormat {
    fn of(number: Json<'_>) -> Option<NumberFormat> {
        Some(match number.index()? {
            5120 => NumberFormat::Byte,
            5121 => NumberFormat::UnsignedByte,
            5122 => NumberFormat::Short,
            5123 => NumberFormat::UnsignedShort,
            5125 => NumberFormat::UnsignedInt,
            5126 => NumberFormat::Float,
            _ => return None,
        })
    }

    fn bytes(self) -> usize {
        match self {
            NumberFormat::Byte | NumberFormat::UnsignedByte => 1,
            NumberFormat::Short | NumberFormat::UnsignedShort => 2,
            NumberFormat::UnsignedInt | NumberFormat::Float => 4,
        }
    }

    fn is_index(self) -> bool {
        matches!(self, NumberFormat::UnsignedByte | NumberFormat::UnsignedShort | NumberFormat::UnsignedInt)
    }

    fn float(self, bytes: &[u8], is_normalised: bool) -> f32 {
        let (value, most) = match self {
            NumberFormat::Float => return f32::from_le_bytes(first(bytes)),
            NumberFormat::UnsignedInt => return u32::from_le_bytes(first(bytes)) as f32,
            NumberFormat::Byte => (f32::from(i8::from_le_bytes(first(bytes))), 127.0),
            NumberFormat::UnsignedByte => (f32::from(u8::from_le_bytes(first(bytes))), 255.0),
            NumberFormat::Short => (f32::from(i16::from_le_bytes(first(bytes))), 32767.0),
            NumberFormat::UnsignedShort => (f32::from(u16::from_le_bytes(first(bytes))), 65535.0),
        };
        if is_normalised { base::number::max(value / most, -1.0) } else { value }
    }

    fn whole(self, bytes: &[u8]) -> u32 {
        match self {
            NumberFormat::Byte | NumberFormat::UnsignedByte => u32::from(bytes[0]),
            NumberFormat::Short | NumberFormat::UnsignedShort => u32::from(u16::from_le_bytes(first(bytes))),
            NumberFormat::UnsignedInt | NumberFormat::Float => u32::from_le_bytes(first(bytes)),
        }
    }
}

fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes[..N].try_into().expect("the range was checked")
}

fn damaged(what: &str) -> ImportError {
    ImportError::Damaged(what.to_string())
}

/// Decodes base64.
pub fn base64(text: &str) -> Option<Vec<u8>> {
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
