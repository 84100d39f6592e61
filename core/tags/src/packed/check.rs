//! Validation of packed bytes from an untrusted file.

use base::hash::hash;
use base::plain;

use super::{Damage, FORMAT, FileRow, Head, LinkRow, MAGIC, NameRow, Part, follow};
use crate::class::{Class, Kind};
use crate::limits::{DEPTH_MAX, PACKED_BYTES_MAX};

/// Checks the head, the checksum, and the bounds of every part.
pub(super) fn parts(bytes: &[u8]) -> Result<(), Damage> {
    let damage = |expected, found| Err(Damage { expected, found });
    if bytes.len() < size_of::<Head>() || bytes[..8] != MAGIC {
        return damage("a packed tag", "something else");
    }
    if bytes.len() > PACKED_BYTES_MAX || !bytes.len().is_multiple_of(8) {
        return damage("a packed tag", "a wrong length");
    }
    let head: Head = plain::pod_read_unaligned(&bytes[..size_of::<Head>()]);
    if head.format != FORMAT {
        return damage("the format of this program", "another format");
    }
    if head.bytes as usize != bytes.len() || head.checksum != hash(&bytes[16..]) {
        return damage("a matching length and checksum", "changed bytes");
    }
    let mut end = size_of::<Head>();
    let rows = [
        (head.data, 1),
        (head.links, size_of::<LinkRow>()),
        (head.files, size_of::<FileRow>()),
        (head.names, size_of::<NameRow>()),
        (head.program, 1),
        (head.letters, 1),
    ];
    for (Part { start, bytes: length }, row) in rows {
        let is_next = start as usize == end && (length as usize).is_multiple_of(row);
        end = (end.saturating_add(length as usize)).next_multiple_of(8);
        if !is_next || end > bytes.len() {
            return damage("contiguous parts", "parts elsewhere");
        }
    }
    if end != bytes.len() {
        return damage("contiguous parts", "bytes after the last part");
    }
    let data = head.data.bytes;
    let rows = |part: Part, size: usize| bytes[part.range()].chunks_exact(size);
    let has_links = rows(head.links, size_of::<LinkRow>()).all(|row| {
        let row: LinkRow = plain::pod_read_unaligned(row);
        row.at.is_multiple_of(8) && row.at.checked_add(8).is_some_and(|end| end <= data)
    });
    let has_files = rows(head.files, size_of::<FileRow>()).all(|row| {
        let row: FileRow = plain::pod_read_unaligned(row);
        row.at.is_multiple_of(8) && row.at.checked_add(40).is_some_and(|end| end <= data)
    });
    if has_links && has_files { Ok(()) } else { damage("links to fields in the data", "one outside the data") }
}

/// Checks everything that the data's series and texts refer to.
pub(super) fn walk(data: &[u8], class: &Class) -> Result<(), Damage> {
    let root = class.root();
    if data.len() < root.bytes as usize {
        return Err(OUTSIDE);
    }
    let mut walk = PackedWalk { data, class, left: data.len() - root.bytes as usize };
    walk.record(0, 0, 0)
}

const OUTSIDE: Damage =
    Damage { expected: "series within the data that do not overlap", found: "one outside or overlapping" };

struct PackedWalk<'a> {
    data: &'a [u8],
    class: &'a Class,
    /// The bytes that the remaining series can have if none overlaps another.
    left: usize,
}

impl PackedWalk<'_> {
    fn record(&mut self, at: usize, number: u32, depth: u32) -> Result<(), Damage> {
        let class = self.class;
        let record = class.record(number).ok_or(OUTSIDE)?;
        record.fields.iter().try_for_each(|field| self.kind(at + field.offset as usize, &field.kind, depth))
    }

    fn kind(&mut self, at: usize, kind: &Kind, depth: u32) -> Result<(), Damage> {
        match kind {
            Kind::Text => self.stretch(at, (1, 1), depth).map(drop),
            // Zero-sized elements refer to nothing, and there could be any number of them.
            Kind::Record(_) if self.class.size_of(kind).0 == 0 => Ok(()),
            Kind::Record(number) => self.record(at, *number, depth + 1),
            Kind::Optional(of) => self.kind(at + self.class.optional_offset(of) as usize, of, depth),
            Kind::Series(of) => {
                let (bytes, align) = self.class.size_of(of);
                let (start, count) = self.stretch(at, (bytes as usize, align as usize), depth)?;
                if has_parts(of) {
                    (0..count).try_for_each(|index| self.kind(start + index * bytes as usize, of, depth))?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Offset and length of a series or text, if it lies within the data. Records nested deeper than allowed were
    /// packed as empty, which bounds the depth.
    fn stretch(&mut self, at: usize, (bytes, align): (usize, usize), depth: u32) -> Result<(usize, usize), Damage> {
        let word =
            |at: usize| self.data.get(at..at + 4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let (offset, count) = (word(at).ok_or(OUTSIDE)?.cast_signed(), word(at + 4).ok_or(OUTSIDE)? as usize);
        if count == 0 {
            return Ok((0, 0));
        }
        if depth > DEPTH_MAX {
            return Err(Damage { expected: "records nested within the depth limit", found: "deeper ones" });
        }
        let start = follow(at, offset, self.data.len()).ok_or(OUTSIDE)?;
        let length = count.checked_mul(bytes.max(1)).ok_or(OUTSIDE)?;
        let is_within = start.checked_add(length).is_some_and(|end| end <= self.data.len());
        if !is_within || !start.is_multiple_of(align) || length > self.left {
            return Err(OUTSIDE);
        }
        self.left -= length;
        Ok((start, count))
    }
}

fn has_parts(kind: &Kind) -> bool {
    matches!(kind, Kind::Text | Kind::Record(_) | Kind::Optional(_) | Kind::Series(_))
}
