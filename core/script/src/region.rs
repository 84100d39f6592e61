//! Where the parts of lists, records and lambdas lie: one row of values, filled from the front and emptied all at once.
//!
//! Every worker has one for what an evaluation makes on its way. What is to stay is copied out of it, whole.
//!
//! Laws
//! 1. Nothing in a region changes after it was written.
//! 2. A region has a fixed capacity; what does not fit is an error of the evaluation, not of the program.
//! 3. An offset from outside may be nonsense: it then names no values.
//! 4. There are three spaces parts may lie in, told by the two highest bits of their offset: what an evaluation *made*, what a
//!    row *keeps*, and what all objects of one program *share*. A row holds only kept ones.

use alloc::vec::Vec;

use base::StringId;

use crate::value::{Elements, Value};

/// How deep lists may lie in lists for two of them to be compared or copied.
pub const NESTING_MAX: u32 = 100;

/// Set in the offset of parts that lie in the row of an environment, and not in what an evaluation made.
pub(crate) const KEPT: u32 = 1 << 31;
/// Set, without [`KEPT`], in the offset of parts that lie in a program: those of its fields.
pub(crate) const SHARED: u32 = 1 << 30;

/// The three memories that parts may lie in.
#[derive(Clone, Copy)]
pub(crate) struct Spaces<'a> {
    pub made: &'a [Value],
    pub kept: &'a [Value],
    pub shared: &'a [Value],
}

impl<'a> Spaces<'a> {
    /// The values that elements name. Nonsense names none.
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

/// A row of values.
#[derive(Clone, Debug)]
pub struct Region {
    values: Vec<Value>,
    capacity: usize,
    /// What was charged for without being there.
    charged: usize,
}

/// There was no room for another list or record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl Region {
    /// An empty region for so many values.
    pub fn new(capacity: usize) -> Region {
        Region { values: Vec::with_capacity(capacity), capacity, charged: 0 }
    }

    /// Empties it, and gives it another capacity.
    pub(crate) fn restrict(&mut self, capacity: usize) {
        self.clear();
        self.capacity = capacity;
    }

    /// Forgets everything in it.
    pub fn clear(&mut self) {
        self.values.clear();
        self.charged = 0;
    }

    /// How many values are in it, or are counted as if they were.
    pub fn used(&self) -> usize {
        self.values.len() + self.charged
    }

    /// Counts so many values as if they were in it; not if there is no room for them.
    pub(crate) fn charge(&mut self, values: usize) -> bool {
        let has_room = self.used() + values <= self.capacity;
        self.charged += if has_room { values } else { 0 };
        has_room
    }

    /// Everything in it.
    pub(crate) fn all(&self) -> &[Value] {
        &self.values
    }

    /// The elements of a list, the names and values of a record, or what a lambda carries.
    pub(crate) fn values(&self, elements: Elements) -> &[Value] {
        if elements.start & (KEPT | SHARED) == 0 { parts_in(&self.values, elements) } else { &[] }
    }

    /// The elements of a value that has some here. Of one that an environment or a program keeps there are none: see
    /// [`write::parts`](crate::write::parts) for those of either.
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
        // Binary insertion: in place, where the sort of the library takes memory for long ones. They are mostly in order.
        for index in 1..pairs.len() {
            let name = pairs[index][0].as_string();
            let place = pairs[..index].partition_point(|other| other[0].as_string() <= name);
            pairs[place..=index].rotate_right(1);
        }
        Ok(Value::record(elements))
    }

    pub(crate) fn push(&mut self, values: &[Value]) -> Result<Elements, Full> {
        if self.used() + values.len() > self.capacity {
            return Err(Full);
        }
        let start = self.values.len() as u32;
        self.values.extend_from_slice(values);
        Ok(Elements { start, count: values.len() as u32 })
    }

    /// Copies all that its values and `value` still hold in a row, so that the row can change. Gives `value` as it is now.
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

    /// Exchanges one value of a row that was just pushed.
    pub(crate) fn replace(&mut self, elements: Elements, index: usize, value: Value) {
        self.values[elements.start as usize + index] = value;
    }
}

/// The values that elements name, whichever memory they say they are in. Nonsense names none.
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
    fn a_full_region_says_so_and_stays_as_it_was() {
        let mut region = Region::new(3);
        let list = region.list(&[Value::TRUE, Value::FALSE]).unwrap();
        assert_eq!(region.list(&[Value::TRUE, Value::FALSE]), Err(Full));
        assert_eq!(region.parts(list).len(), 2);
        assert!(region.list(&[Value::TRUE]).is_ok());
    }

    #[test]
    fn records_are_the_same_in_whatever_order_they_were_written() {
        let mut region = Region::new(16);
        let (a, b) = (StringId::new("a"), StringId::new("b"));
        let pair = |name, number: f64| [Value::string(name), Value::number(number)];
        let left = region.record(&[pair(a, 1.0), pair(b, 2.0)].concat()).unwrap();
        let right = region.record(&[pair(b, 2.0), pair(a, 1.0)].concat()).unwrap();
        assert_eq!(region.parts(left), region.parts(right));
        assert_eq!(region.field(right, a).and_then(Value::as_number), Some(1.0));
        assert!(region.field(right, StringId::new("c")).is_none());
    }
}
