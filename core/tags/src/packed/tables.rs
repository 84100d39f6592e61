//! The tables behind the data: references, bulk files, and the texts of string ids.

use core::ops::Range;

use base::StringId;
use base::plain::{self, Plain};

use super::{Packed, text_at};

/// A range of bytes in a packed tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Plain)]
#[repr(C)]
pub struct Part {
    pub(crate) start: u32,
    pub(crate) bytes: u32,
}

impl Part {
    pub(crate) fn range(self) -> Range<usize> {
        let start = self.start as usize;
        start..start.saturating_add(self.bytes as usize)
    }
}

/// A reference in its stored form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Plain)]
#[repr(C)]
pub(crate) struct LinkRow {
    /// The offset of the reference in the data.
    pub at: u32,
    /// Its position in the source.
    pub place: u32,
    /// The path, among the letters.
    pub path: Part,
    /// The expected class, among the letters; empty for any.
    pub class: Part,
}

/// Bulk data in its stored form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Plain)]
#[repr(C)]
pub(crate) struct FileRow {
    pub at: u32,
    pub place: u32,
    pub file: Part,
    pub digest: [u8; 32],
    /// The length given in the tag, and [`RESIDENT`].
    pub bytes: u64,
}

/// Set in [`FileRow::bytes`] if the file is loaded whole before the level begins.
pub(crate) const RESIDENT: u64 = 1 << 63;

/// A string id in its stored form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Plain)]
#[repr(C)]
pub(crate) struct NameRow {
    pub id: StringId,
    pub text: Part,
}

/// A reference to a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link<'a> {
    /// Its path.
    pub path: &'a str,
    /// The expected class; empty for any.
    pub class: &'a str,
    /// The byte of the source where it stands.
    pub place: u32,
    /// The offset of the reference in the data.
    pub(crate) at: u32,
}

/// A bulk file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File<'a> {
    /// Its path, relative to the folder of the tag.
    pub file: &'a str,
    /// The BLAKE3 digest given in the tag; zeros if there is none.
    pub digest: [u8; 32],
    /// The length given in the tag.
    pub bytes: u64,
    /// Whether it is loaded whole before the level begins, instead of by blocks on demand.
    pub is_resident: bool,
    /// The byte of the source where it stands.
    pub place: u32,
    /// The offset in the data.
    pub(crate) at: u32,
}

/// A string id and its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name<'a> {
    /// The id.
    pub id: StringId,
    /// The text.
    pub text: &'a str,
}

impl Packed {
    /// The references, sorted by their offset in the data.
    pub fn links(&self) -> impl ExactSizeIterator<Item = Link<'_>> {
        self.rows::<LinkRow>(self.head().links).map(|row| self.link(row))
    }

    /// The reference at an offset of the data.
    pub(crate) fn link_at(&self, at: u32) -> Option<Link<'_>> {
        let rows = self.part(self.head().links);
        let (mut low, mut high) = (0, rows.len() / size_of::<LinkRow>());
        while low < high {
            let middle = low + (high - low) / 2;
            let row: LinkRow = read_row(rows, middle);
            if row.at < at {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let is_there = (low + 1) * size_of::<LinkRow>() <= rows.len();
        is_there.then(|| self.link(read_row(rows, low))).filter(|link| link.at == at)
    }

    fn link(&self, row: LinkRow) -> Link<'_> {
        Link { path: self.letters(row.path), class: self.letters(row.class), place: row.place, at: row.at }
    }

    /// The bulk files, sorted by their offset in the data.
    pub fn files(&self) -> impl ExactSizeIterator<Item = File<'_>> {
        self.rows::<FileRow>(self.head().files).map(|row| File {
            file: self.letters(row.file),
            digest: row.digest,
            bytes: row.bytes & !RESIDENT,
            is_resident: row.bytes & RESIDENT != 0,
            place: row.place,
            at: row.at,
        })
    }

    /// Its string ids and their texts, sorted by id.
    pub fn names(&self) -> impl ExactSizeIterator<Item = Name<'_>> {
        self.rows::<NameRow>(self.head().names).map(|row| Name { id: row.id, text: self.letters(row.text) })
    }

    /// The text of one of its string ids.
    pub fn name(&self, id: StringId) -> Option<&str> {
        let rows = self.part(self.head().names);
        let (mut low, mut high) = (0, rows.len() / size_of::<NameRow>());
        while low < high {
            let middle = low + (high - low) / 2;
            let row: NameRow = read_row(rows, middle);
            match row.id.cmp(&id) {
                core::cmp::Ordering::Less => low = middle + 1,
                core::cmp::Ordering::Equal => return Some(self.letters(row.text)),
                core::cmp::Ordering::Greater => high = middle,
            }
        }
        id.is_none().then_some("")
    }

    fn rows<R: Plain>(&self, part: Part) -> impl ExactSizeIterator<Item = R> {
        let bytes = self.part(part);
        (0..bytes.len() / size_of::<R>()).map(move |index| read_row(bytes, index))
    }

    fn letters(&self, part: Part) -> &str {
        text_at(self.part(self.head().letters), part.start as usize, part.bytes)
    }
}

fn read_row<R: Plain>(bytes: &[u8], index: usize) -> R {
    plain::pod_read_unaligned(&bytes[index * size_of::<R>()..][..size_of::<R>()])
}
