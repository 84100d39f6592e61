//! A bump arena for the parts of lists, records and lambdas: filled from the front, emptied all at once.
//!
//! Every worker has one for the values that an evaluation creates. Values that outlive the evaluation are deep-copied.
//!
//! Laws
//! 1. A value in an arena does not change after it was written.
//! 2. An arena has a fixed capacity; exceeding it ends the evaluation with [`Full`].
//! 3. An offset from outside may be out of bounds: it then refers to no values.
//! 4. Parts lie in one of three memories, selected by the two highest bits of their offset: *made* by the evaluation,
//!    *kept* in a row, or *shared* by all objects of one program. A row refers to kept parts only.

use alloc::vec::Vec;

use base::StringId;

use crate::value::{Elements, Value};

/// The deepest nesting of lists and records that is compared or copied.
pub const NESTING_MAX: u32 = 100;

/// The bit in the offset of parts that lie in a row.
pub(crate) const KEPT: u32 = 1 << 31;
/// The bit, without [`KEPT`], in the offset of parts that lie in a program: those of its fields.
pub(crate) const SHARED: u32 = 1 << 30;

/// The three memories that parts may lie in.
#[derive(Clone, Copy)]
pub(crate) struct Spaces<'a> {
    pub made: &'a [Value],
    pub kept: &'a [Value],
    pub shared: &'a [Value],
}

impl<'a> Spaces<'a> {
    /// The values of a range; none if it is out of bounds.
    #[inline]
    pub fn parts(self, elements: Elements) -> &'a [Value] {
        let from = match elements.start >> 30 {
            0 => self.made,
            1 => self.shared,
            _ => self.kept,
        };
        parts_in(from, elements)
    }
}

/// The arena.
#[derive(Clone, Debug)]
pub struct Arena {
    values: Vec<Value>,
    capacity: usize,
    /// Values that were charged without being stored: those of memoised evaluations.
    charged: usize,
}

/// The error of an arena or a row without space for another value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl Arena {
    /// An empty arena of this capacity, in values.
    ///
    /// # Panics
    /// If the offsets would not fit 30 bits.
    pub fn new(capacity: usize) -> Arena {
        assert!(capacity < SHARED as usize, "the two highest bits of an offset select its memory");
        Arena { values: Vec::with_capacity(capacity), capacity, charged: 0 }
    }

    /// Empties it, and changes its capacity.
    pub(crate) fn restrict(&mut self, capacity: usize) {
        assert!(capacity < SHARED as usize, "the two highest bits of an offset select its memory");
        self.clear();
        self.capacity = capacity;
    }

    /// Empties it.
    pub fn clear(&mut self) {
        self.values.clear();
        self.charged = 0;
    }

    /// The number of values stored or charged.
    pub fn used(&self) -> usize {
        self.values.len() + self.charged
    }

    /// Charges for values without storing them. False, without charging, if they do not fit.
    pub(crate) fn charge(&mut self, values: usize) -> bool {
        let has_room = self.used() + values <= self.capacity;
        self.charged += if has_room { values } else { 0 };
        has_room
    }

    /// All values in it.
    pub(crate) fn all(&self) -> &[Value] {
        &self.values
    }

    /// The elements of a list, the names and values of a record, or the captured values of a lambda.
    pub(crate) fn values(&self, elements: Elements) -> &[Value] {
        if elements.start & (KEPT | SHARED) == 0 { parts_in(&self.values, elements) } else { &[] }
    }

    /// The parts of a value that lie in this arena; none for parts in a row or a program, which
    /// [`write::parts`](crate::write::parts) finds too.
    pub fn parts(&self, value: Value) -> &[Value] {
        value.parts().map_or(&[], |elements| self.values(elements))
    }

    /// The value of a record's field.
    pub fn field(&self, record: Value, name: StringId) -> Option<Value> {
        let elements = record.as_record()?;
        let pairs = self.values(elements).chunks_exact(2);
        pairs.into_iter().find(|pair| pair[0].as_string() == Some(name)).map(|pair| pair[1])
    }

    /// Makes a list.
    pub fn list(&mut self, values: &[Value]) -> Result<Value, Full> {
        Ok(Value::list(self.push(values)?))
    }

    /// Makes a record of names and values in turn.
    pub fn record(&mut self, pairs: &[Value]) -> Result<Value, Full> {
        let elements = self.push(pairs)?;
        let start = elements.start as usize;
        let (pairs, _) = self.values[start..].as_chunks_mut::<2>();
        // Binary insertion sort: the stable sort of the library allocates, and the pairs are mostly in order.
        for index in 1..pairs.len() {
            let name = pairs[index][0].as_string();
            let place = pairs[..index].partition_point(|other| other[0].as_string() <= name);
            pairs[place..=index].rotate_right(1);
        }
        Ok(Value::record(elements))
    }

    pub(crate) fn push(&mut self, values: &[Value]) -> Result<Elements, Full> {
        debug_assert!(self.used() <= self.capacity, "the arena is within its capacity");
        if self.used() + values.len() > self.capacity {
            return Err(Full);
        }
        let start = self.values.len() as u32;
        self.values.extend_from_slice(values);
        Ok(Elements { start, count: values.len() as u32 })
    }

    /// Copies the parts that its values and `value` have in a row into the arena, so that the row can change. Returns
    /// `value` with its new parts.
    pub(crate) fn detach(&mut self, row: &[Value], value: Value) -> Result<Value, Full> {
        let value = self.detached(row, value)?;
        let mut index = 0;
        while let Some(part) = self.values.get(index).copied() {
            self.values[index] = self.detached(row, part)?;
            index += 1;
        }
        Ok(value)
    }

    fn detached(&mut self, row: &[Value], value: Value) -> Result<Value, Full> {
        match value.parts().filter(|elements| elements.start & KEPT != 0) {
            Some(elements) => {
                let copied = self.push(parts_in(row, elements))?;
                Ok(value.moved(copied.start, copied.count))
            }
            None => Ok(value),
        }
    }

    /// Copies a value whose parts lie in a row, with all its parts. Lambdas become nothing.
    pub(crate) fn copy(&mut self, value: Value, row: &[Value], depth: u32) -> Result<Value, Full> {
        if value.as_lambda().is_some() {
            return Ok(Value::NOTHING);
        }
        let Some(elements) = value.parts() else { return Ok(value) };
        if depth > NESTING_MAX {
            return Err(Full);
        }
        let parts = if elements.start & KEPT == 0 { &[] } else { parts_in(row, elements) };
        let copied = self.push(parts)?;
        for (index, part) in parts.iter().enumerate() {
            let part = self.copy(*part, row, depth + 1)?;
            self.replace(copied, index, part);
        }
        Ok(value.moved(copied.start, copied.count))
    }

    /// Replaces one of the values that were just pushed.
    pub(crate) fn replace(&mut self, elements: Elements, index: usize, value: Value) {
        self.values[elements.start as usize + index] = value;
    }
}

/// The values of a range in this memory, ignoring the bits that name a memory; none if it is out of bounds.
#[inline]
pub(crate) fn parts_in(values: &[Value], elements: Elements) -> &[Value] {
    let is_kept = elements.start & KEPT != 0;
    let start = (elements.start & if is_kept { !KEPT } else { !SHARED }) as usize;
    values.get(start..start.saturating_add(elements.count as usize)).unwrap_or(&[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_arena_returns_an_error_and_is_unchanged() {
        let mut region = Arena::new(3);
        let list = region.list(&[Value::TRUE, Value::FALSE]).unwrap();
        assert_eq!(region.list(&[Value::TRUE, Value::FALSE]), Err(Full));
        assert_eq!(region.parts(list).len(), 2);
        assert!(region.list(&[Value::TRUE]).is_ok());
    }

    #[test]
    fn records_do_not_depend_on_the_order_of_fields() {
        let mut region = Arena::new(16);
        let (a, b) = (StringId::new("a"), StringId::new("b"));
        let pair = |name, number: f64| [Value::string(name), Value::number(number)];
        let left = region.record(&[pair(a, 1.0), pair(b, 2.0)].concat()).unwrap();
        let right = region.record(&[pair(b, 2.0), pair(a, 1.0)].concat()).unwrap();
        assert_eq!(region.parts(left), region.parts(right));
        assert_eq!(region.field(right, a).and_then(Value::as_number), Some(1.0));
        assert!(region.field(right, StringId::new("c")).is_none());
    }
}
