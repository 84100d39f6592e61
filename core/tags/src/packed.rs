//! The packed form of a tag: plain data that is read in place.
//!
//! | part | |
//! |---|---|
//! | head | the sizes of the parts, the class, a checksum over everything |
//! | data | the tag's record, then the contents of its series and texts |
//! | links | the tags it refers to, and the offset of each reference in the data |
//! | files | the bulk data it names, and the offset of each in the data |
//! | names | the texts of its string ids |
//! | program | its lambdas, as `script::binary` writes them |
//! | letters | the texts that links, files and names refer to |
//!
//! Laws
//! 1. Offsets are relative to their own position, so that the bytes are relocatable.
//! 2. [`Packed::check`] accepts only what a packer could have written: right sizes and checksum, every series within
//!    the data, none overlapping another. Checked data can be traversed without a cycle or a surprise.
//! 3. Even unchecked bytes do no harm: every access is bounds-checked, and an offset out of the data reads as empty.
//!
//! Cost: a check takes one pass and one copy of the bytes. Held by `tests/growth.rs` of the tool.
#![allow(unsafe_code, reason = "bytes are reinterpreted as the types they were packed from; see `cast`")]

mod check;
mod reflect;
mod tables;

use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;

use base::StringId;
use base::hash::hash;
use base::plain::{self, Plain};

use crate::class::Class;
use crate::field::{AnyBytes, FieldType, Series, Tag, Text};
use crate::limits::PACKED_BYTES_MAX;

pub use reflect::{Reflected, ReflectedRecord, ReflectedSeries, write_text};
pub use tables::{File, Link, Name, Part};

pub(crate) use tables::{FileRow, LinkRow, NameRow, RESIDENT};

const MAGIC: [u8; 8] = *b"ASTRATAG";

/// Incremented when the head or the tables change.
pub const FORMAT: u32 = 1;

/// The header of every packed tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Plain)]
#[repr(C)]
pub(crate) struct Head {
    pub magic: [u8; 8],
    /// Over all bytes behind it.
    pub checksum: u64,
    /// The fingerprint of its class: of the layout.
    pub fingerprint: u64,
    /// The name of the class.
    pub class: StringId,
    pub format: u32,
    /// The size of everything.
    pub bytes: u32,
    pub data: Part,
    pub links: Part,
    pub files: Part,
    pub names: Part,
    pub program: Part,
    pub letters: Part,
}

/// The place of a reference or a file that a tag inherits: its text has none.
pub const INHERITED: u32 = u32::MAX;

/// A packed tag in memory.
#[derive(Clone, PartialEq, Eq)]
pub struct Packed {
    /// Words, so that the data is aligned to eight bytes.
    words: Vec<u64>,
}

/// A packed tag with its type.
pub struct View<'a, T> {
    value: &'a T,
    data: &'a [u8],
}

impl Packed {
    /// Validates untrusted bytes and copies them. Cost: one pass for the checksum, then a traversal of the data.
    pub fn check(bytes: &[u8], class: &Class) -> Result<Packed, Damage> {
        let packed = Packed::check_parts(bytes)?;
        if packed.head().class != StringId::from(class.name.as_str()) || !packed.fits(class) {
            return Err(Damage {
                expected: "a tag packed with this version of its class",
                found: "one packed for another class or version",
            });
        }
        check::walk(packed.data(), class)?;
        Ok(packed)
    }

    /// The same for a class whose layout is unknown here: only the parts are checked.
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
        assert!(u32::try_from(end).is_ok(), "the parts of a packed tag have offsets of 32 bits");
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
        debug_assert!(
            end > PACKED_BYTES_MAX || check::parts(bytes).is_ok(),
            "law 2 of the packed form: what is written is accepted"
        );
        Packed { words }
    }

    /// All of its bytes, for a file.
    pub fn bytes(&self) -> &[u8] {
        plain::cast_slice(&self.words)
    }

    /// Whether it can be read with this class: it has the layout that the class gives its tags.
    pub fn fits(&self, class: &Class) -> bool {
        let found = self.head().fingerprint;
        // Tags of earlier programs carry the fingerprint of the whole class.
        found == class.layout_fingerprint() || found == class.fingerprint()
    }

    /// The id of its class's name.
    pub fn class(&self) -> StringId {
        self.head().class
    }

    /// The fingerprint of the class it was packed with.
    pub fn fingerprint(&self) -> u64 {
        self.head().fingerprint
    }

    /// A view as its type. The caller makes sure that it was packed for `T`'s class; otherwise the values are
    /// meaningless, but nothing worse.
    pub fn view<T: Tag>(&self) -> Option<View<'_, T>> {
        let data = self.data();
        Some(View { value: cast(data, 0)?, data })
    }

    /// Reflection: the fields by the table of a class.
    pub fn reflect<'a>(&'a self, class: &'a Class) -> ReflectedRecord<'a> {
        ReflectedRecord::root(self, class)
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

    /// Appends elements to the data and points the series at an offset to them. An offset outside the data changes
    /// nothing.
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

    /// Recomputes the checksum after a change of the data.
    pub(crate) fn seal(&mut self) {
        let checksum = hash(&self.bytes()[16..]);
        if let Some(word) = self.words.get_mut(1) {
            *word = checksum;
        }
    }
}

impl<'a, T: AnyBytes> View<'a, T> {
    /// The tag, as long as the packed form is borrowed.
    pub fn get(self) -> &'a T {
        self.value
    }

    /// The elements of a series of this tag. Empty if it belongs to another.
    pub fn each<U: FieldType>(self, series: &Series<U>) -> &'a [U] {
        let at = address_of(series).wrapping_sub(address_of_bytes(self.data));
        let Some(start) = follow(at, series.offset, self.data.len()) else { return &[] };
        cast_series(self.data, start, series.count as usize).unwrap_or(&[])
    }

    /// The words of a text of this tag. Empty if it belongs to another.
    pub fn text(self, text: &Text) -> &'a str {
        let at = address_of(text).wrapping_sub(address_of_bytes(self.data));
        let Some(start) = follow(at, text.offset, self.data.len()) else { return "" };
        text_at(self.data, start, text.bytes)
    }
}

/// The target of an offset.
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

/// Values in the data, if they are entirely within it and aligned.
fn cast_series<T: AnyBytes>(data: &[u8], start: usize, count: usize) -> Option<&[T]> {
    let bytes = data.get(start..start.checked_add(count.checked_mul(size_of::<T>())?)?)?;
    let pointer = bytes.as_ptr().cast::<T>();
    // Any number of zero-sized values would fit; there is one, for a class without fields.
    if !pointer.is_aligned() || (size_of::<T>() == 0 && count > 1) {
        return None;
    }
    // SAFETY: `AnyBytes` says that any bytes are a `T`; `count` times its size are in bounds, they are aligned for it,
    // and they are borrowed for as long as the result is.
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

/// Why bytes are not a packed tag.
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
