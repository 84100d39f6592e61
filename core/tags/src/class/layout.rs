//! The layout of the packed form, by the rules of `#[repr(C)]`.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Class, Kind};
use crate::limits::RECORD_BYTES_MAX;

impl Class {
    /// Lays out a record and those inside it. A record that contains itself, other than through a series, would be
    /// infinite.
    pub(super) fn lay_out(&mut self, number: usize, depth: usize) -> Result<(), String> {
        if self.records[number].align != 0 {
            return Ok(());
        }
        if depth > self.records.len() {
            return Err(format!("`{}` contains itself; only a series of it may", self.records[number].name));
        }
        let inner: Vec<u32> =
            self.records[number].fields.iter().filter_map(|field| inline_record(&field.kind)).collect();
        for other in inner {
            self.lay_out(other as usize, depth + 1)?;
        }
        let (mut end, mut align_max) = (0_u32, 1_u32);
        let begins_anew = |index: usize| number == 0 && self.bases.iter().any(|base| base.fields as usize == index);
        let anew: Vec<bool> = (0..self.records[number].fields.len()).map(begins_anew).collect();
        for (index, is_anew) in anew.into_iter().enumerate() {
            // A struct has its padded size, also as the first field of another.
            if is_anew {
                end = end.next_multiple_of(align_max);
            }
            let (bytes, align) = self.size_of(&self.records[number].fields[index].kind);
            let offset = end.next_multiple_of(align);
            self.records[number].fields[index].offset = offset;
            end = offset.saturating_add(bytes);
            align_max = align_max.max(align);
            if end > RECORD_BYTES_MAX {
                return Err(format!("`{}` has more than {RECORD_BYTES_MAX} bytes", self.records[number].name));
            }
        }
        let record = &mut self.records[number];
        (record.bytes, record.align) = (end.next_multiple_of(align_max), align_max);
        assert!(record.fields.is_sorted_by_key(|field| field.offset), "law 2 of classes: fields are laid out in order");
        assert!(
            record.fields.iter().all(|field| field.offset <= record.bytes),
            "law 2 of classes: fields lie within their record"
        );
        assert!(
            record.align.is_power_of_two() && record.bytes.is_multiple_of(record.align),
            "law 2 of classes: the size of `{}` is a multiple of its alignment",
            record.name
        );
        Ok(())
    }

    /// Size and alignment of a kind in the packed form.
    pub fn size_of(&self, kind: &Kind) -> (u32, u32) {
        match kind {
            Kind::Number(number) => (number.bytes(), number.bytes()),
            Kind::Truth => (1, 1),
            Kind::Identifier | Kind::Angle | Kind::Choice(_) | Kind::Flags(_) | Kind::Lambda(_) => (4, 4),
            Kind::StringId | Kind::Reference(_) => (8, 8),
            Kind::Vector(count) => (u32::from(*count) * 4, 4),
            Kind::Colour => (16, 4),
            Kind::Text | Kind::Series(_) => (8, 4),
            Kind::Formula => (16, 8),
            Kind::Bulk => (40, 8),
            Kind::Own(_) => (0, 1),
            Kind::Record(number) => self.record(*number).map_or((0, 1), |record| (record.bytes, record.align.max(1))),
            Kind::Optional(of) => {
                let (bytes, align) = self.size_of(of);
                let align = align.max(4);
                (align.max(4).saturating_add(bytes).next_multiple_of(align), align)
            }
        }
    }

    /// The offset of an optional's value.
    pub fn optional_offset(&self, of: &Kind) -> u32 {
        self.size_of(of).1.max(4)
    }
}

fn inline_record(kind: &Kind) -> Option<u32> {
    match kind {
        Kind::Record(number) => Some(*number),
        Kind::Optional(of) => inline_record(of),
        _ => None,
    }
}
