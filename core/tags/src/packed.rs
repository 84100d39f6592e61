//! The packed form of a tag: plain data that is read where it lies.
//!
//! | part | |
//! |---|---|
//! | head | what follows where, the class, a checksum over all of it |
//! | data | the tag's record, then everything its series and texts hold |
//! | links | the tags it refers to, and where in the data each reference lies |
//! | files | the bulk data it names, and where in the data each lies |
//! | names | the texts of its string ids |
//! | program | its lambdas, as `script::binary` writes them |
//! | letters | the texts that links, files and names point to |
//!
//! Laws
//! 1. Offsets are counted from where they stand, so that the bytes mean the same wherever they lie.
//! 2. [`Packed::check`] accepts only what a packer could have written: right sizes and checksum, every series within the data,
//!    none inside another. What was checked can be followed without end or surprise.
//! 3. Even unchecked, no bytes can do harm: every step stays within the data, and what leads out of it is empty.
#![allow(unsafe_code, reason = "bytes are looked at as the types they were packed from; see `cast`")]

mod check;
mod reflect;
mod rows;

use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;

use base::StringId;
use base::hash::hash;
use base::plain::{self, Plain};

use crate::class::Class;
use crate::field::{AnyBytes, FieldType, Series, Tag, Text};
use crate::limits::PACKED_BYTES_MAX;

pub use reflect::{Seen, SeenRecord, SeenSeries, write_text};
pub use rows::{File, Link, Name, Part};

pub(crate) use rows::{FileRow, LinkRow, NameRow};

const MAGIC: [u8; 8] = *b"ASTRATAG";

/// Raised when the head or the rows change.
pub const FORMAT: u32 = 1;

/// What every packed tag begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Plain)]
#[repr(C)]
pub(crate) struct Head {
    pub magic: [u8; 8],
    /// Over all bytes behind it.
    pub checksum: u64,
    /// Of the class that it was packed with.
    pub fingerprint: u64,
    /// The name of the class.
    pub class: StringId,
    pub format: u32,
    /// Of everything.
    pub bytes: u32,
    pub data: Part,
    pub links: Part,
    pub files: Part,
    pub names: Part,
    pub program: Part,
    pub letters: Part,
}

/// A packed tag in memory.
#[derive(Clone, PartialEq, Eq)]
pub struct Packed {
    /// So that the data lies at a multiple of eight.
    words: Vec<u64>,
}

/// A packed tag as its type.
pub struct View<'a, T> {
    value: &'a T,
    data: &'a [u8],
}

impl Packed {
    /// Checks bytes from outside and takes a copy of them. Cost: reads everything once for the checksum, then walks the data.
    pub fn check(bytes: &[u8], class: &Class) -> Result<Packed, Damage> {
        let packed = Packed::check_parts(bytes)?;
        if packed.head().class != StringId::from(class.name.as_str())
            || packed.head().fingerprint != class.fingerprint()
        {
            return Err(Damage {
                expected: "a tag packed with this version of its class",
                found: "another class or version",
            });
        }
        check::walk(packed.data(), class)?;
        Ok(packed)
    }

    /// The same for a class whose layout is not known here: only the parts are checked.
    pub fn check_parts(bytes: &[u8]) -> Result<Packed, Damage> {
        check::parts(bytes)?;
        let mut words = alloc::vec![0_u64; bytes.len() / 8];
        plain::cast_slice_mut::<u64, u8>(&mut words).copy_from_slice(bytes);
        Ok(Packed { words })
    }

    pub(crate) fn from_parts(mut head: Head, parts: &[&[u8]; 6]) -> Packed {
        let mut end = size_of::<Head>();
        let places =
            [&mut head.data, &mut head.links, &mut head.files, &mut head.names, &mut head.program, &mut head.letters];
        for (place, part) in places.into_iter().zip(parts) {
            *place = Part { start: end as u32, bytes: part.len() as u32 };
            end = (end + part.len()).next_multiple_of(8);
        }
        (head.magic, head.format, head.bytes) = (MAGIC, FORMAT, end as u32);
        let mut words = alloc::vec![0_u64; end / 8];
        let bytes: &mut [u8] = plain::cast_slice_mut(&mut words);
        let places = [head.data, head.links, head.files, head.names, head.program, head.letters];
        for (place, part) in places.iter().zip(parts) {
            bytes[place.range()].copy_from_slice(part);
        }
        bytes[..size_of::<Head>()].copy_from_slice(plain::bytes_of(&head));
        head.checksum = hash(&bytes[16..]);
        bytes[..size_of::<Head>()].copy_from_slice(plain::bytes_of(&head));
        Packed { words }
    }

    /// All of its bytes, for a file.
    pub fn bytes(&self) -> &[u8] {
        plain::cast_slice(&self.words)
    }

    /// Whether it is of this very class.
    pub fn fits(&self, class: &Class) -> bool {
        self.head().fingerprint == class.fingerprint()
    }

    /// The id of its class's name.
    pub fn class(&self) -> StringId {
        self.head().class
    }

    /// The fingerprint of the class it was packed with.
    pub fn fingerprint(&self) -> u64 {
        self.head().fingerprint
    }

    /// As its type. The caller has seen to it that it was packed with `T`'s class; if not, the values are nonsense, no more.
    pub fn view<T: Tag>(&self) -> Option<View<'_, T>> {
        let data = self.data();
        Some(View { value: cast(data, 0)?, data })
    }

    /// Field by field, as a class has them.
    pub fn seen<'a>(&'a self, class: &'a Class) -> SeenRecord<'a> {
        SeenRecord::root(self, class)
    }

    pub(crate) fn head(&self) -> Head {
        let bytes = self.bytes();
        if bytes.len() < size_of::<Head>() {
            Head::default()
        } else {
            plain::pod_read_unaligned(&bytes[..size_of::<Head>()])
        }
    }

    pub(crate) fn part(&self, part: Part) -> &[u8] {
        self.bytes().get(part.range()).unwrap_or(&[])
    }

    pub(crate) fn data(&self) -> &[u8] {
        self.part(self.head().data)
    }

    pub(crate) fn data_mut(&mut self) -> &mut [u8] {
        let range = self.head().data.range();
        plain::cast_slice_mut(&mut self.words).get_mut(range).unwrap_or(&mut [])
    }

    /// Its lambdas, as `script::binary` writes them; empty if it has none.
    pub fn program(&self) -> &[u8] {
        self.part(self.head().program)
    }

    /// Puts elements behind the data and lets the series at a place mean them. A place that is not in the data changes nothing.
    pub(crate) fn append_series(&mut self, at: usize, elements: &[u8], count: usize) {
        let mut data = self.data().to_vec();
        let start = data.len().next_multiple_of(8);
        let is_within = at.checked_add(8).is_some_and(|end| end <= data.len());
        if !is_within || start + elements.len() > PACKED_BYTES_MAX / 2 {
            return;
        }
        let offset = if count == 0 { 0 } else { (start as i64 - at as i64) as i32 };
        data[at..at + 4].copy_from_slice(&offset.to_le_bytes());
        data[at + 4..at + 8].copy_from_slice(&(count as u32).to_le_bytes());
        data.resize(start, 0);
        data.extend_from_slice(elements);
        let head = self.head();
        let parts = [head.links, head.files, head.names, head.program, head.letters].map(|part| self.part(part));
        let [links, files, names, program, letters] = parts;
        *self = Packed::from_parts(head, &[&data, links, files, names, program, letters]);
    }

    /// The checksum is over other bytes now: for whoever has written into the data.
    pub(crate) fn seal(&mut self) {
        let checksum = hash(&self.bytes()[16..]);
        if let Some(word) = self.words.get_mut(1) {
            *word = checksum;
        }
    }
}

impl<'a, T: AnyBytes> View<'a, T> {
    /// The tag, for as long as the packed form lives.
    pub fn get(self) -> &'a T {
        self.value
    }

    /// The elements of a series of this tag. Empty if it is another tag's.
    pub fn each<U: FieldType>(self, series: &Series<U>) -> &'a [U] {
        let at = address_of(series).wrapping_sub(address_of_bytes(self.data));
        let Some(start) = follow(at, series.offset, self.data.len()) else { return &[] };
        cast_series(self.data, start, series.count as usize).unwrap_or(&[])
    }

    /// The words of a text of this tag. Empty if it is another tag's.
    pub fn text(self, text: &Text) -> &'a str {
        let at = address_of(text).wrapping_sub(address_of_bytes(self.data));
        let Some(start) = follow(at, text.offset, self.data.len()) else { return "" };
        text_at(self.data, start, text.bytes)
    }
}

/// Where an offset leads.
pub(crate) fn follow(at: usize, offset: i32, bytes: usize) -> Option<usize> {
    if at >= bytes {
        return None;
    }
    at.checked_add_signed(offset as isize).filter(|start| *start <= bytes)
}

pub(crate) fn text_at(data: &[u8], start: usize, bytes: u32) -> &str {
    let text = start.checked_add(bytes as usize).and_then(|end| data.get(start..end)).unwrap_or(&[]);
    core::str::from_utf8(text).unwrap_or("")
}

fn address_of<T>(value: &T) -> usize {
    core::ptr::from_ref(value).addr()
}

fn address_of_bytes(bytes: &[u8]) -> usize {
    bytes.as_ptr().addr()
}

/// A value in the data.
fn cast<T: AnyBytes>(data: &[u8], start: usize) -> Option<&T> {
    cast_series(data, start, 1).and_then(|found| found.first())
}

/// Values in the data, if they are wholly within it and lie as their type must.
fn cast_series<T: AnyBytes>(data: &[u8], start: usize, count: usize) -> Option<&[T]> {
    let bytes = data.get(start..start.checked_add(count.checked_mul(size_of::<T>())?)?)?;
    let pointer = bytes.as_ptr().cast::<T>();
    // Any number of values without bytes would be within the data; there is one, for a class without fields.
    if !pointer.is_aligned() || (size_of::<T>() == 0 && count > 1) {
        return None;
    }
    // SAFETY: `AnyBytes` says that any bytes are a `T`; there are `count` times its size of them, they lie at a multiple of its
    // alignment, and they are borrowed for as long as the result is.
    Some(unsafe { core::slice::from_raw_parts(pointer, count) })
}

impl<T> Clone for View<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for View<'_, T> {}

impl<T> Deref for View<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value
    }
}

impl fmt::Debug for Packed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Packed({} bytes, class {})", self.bytes().len(), self.class())
    }
}

/// Why bytes are no packed tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Damage {
    /// What was expected.
    pub expected: &'static str,
    /// What was found.
    pub found: &'static str,
}

impl fmt::Display for Damage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "expected {}, found {}", self.expected, self.found)
    }
}

impl core::error::Error for Damage {}

const _: () = assert!(size_of::<Head>().is_multiple_of(8) && PACKED_BYTES_MAX < u32::MAX as usize);
