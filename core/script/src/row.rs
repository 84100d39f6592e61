//! A row: the memory of one environment, plain data in the world's block.
//!
//! First come the variables, by number; behind them what their lists, records and lambdas hold.
//!
//! Laws
//! 1. A row is all an environment is: copying it copies the environment, and saves, films and rewinds need nothing more.
//! 2. An evaluation's sets come in all at once or not at all. What finds no room even after everything else was moved
//!    together is refused.
//! 3. Where things lie in a row follows from the sets that were made, and from nothing else.
//! 4. A row may come from anywhere: whatever bytes are in it, reading gives values and writing stays inside.

use base::{Plain, StringId};

use crate::program::Program;
use crate::region::{Full, KEPT, NESTING_MAX, SHARED, Spaces, parts_in};
use crate::value::Value;

/// What a row says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Plain)]
#[repr(C)]
pub struct Head {
    /// Which program its variables are of. The owner of the programs says what the number means.
    pub program: u32,
    /// How many timers and callbacks it has asked for, and how often it has tried its luck.
    pub tickets: u32,
}

/// A row, to be read.
#[derive(Clone, Copy)]
pub struct RowView<'a> {
    /// What it says of itself.
    pub head: &'a Head,
    /// Its values.
    pub values: &'a [Value],
}

/// A row, to be changed.
pub struct RowEdit<'a> {
    /// What it says of itself.
    pub head: &'a mut Head,
    /// Its values.
    pub values: &'a mut [Value],
}

macro_rules! rows {
    ($($name:ident $count:literal $text:literal;)*) => {$(
        #[doc = $text]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Plain)]
        #[repr(C)]
        pub struct $name {
            /// What it says of itself.
            pub head: Head,
            /// Its values.
            pub values: [Value; $count],
        }

        impl $name {
            /// The row, to be read.
            pub fn view(&self) -> RowView<'_> {
                RowView { head: &self.head, values: &self.values }
            }

            /// The row, to be changed.
            pub fn edit(&mut self) -> RowEdit<'_> {
                RowEdit { head: &mut self.head, values: &mut self.values }
            }
        }

        impl Default for $name {
            fn default() -> $name {
                $name { head: Head::default(), values: [Value::NOTHING; $count] }
            }
        }
    )*};
}

rows! {
    Row16 16 "A row of 16 values.";
    Row64 64 "A row of 64 values.";
    Row256 256 "A row of 256 values.";
}

impl<'a> RowView<'a> {
    /// The value of a variable.
    #[inline]
    pub fn get(self, variable: u32) -> Value {
        self.values.get(variable as usize).copied().unwrap_or_default()
    }

    /// The value of the variable or the field with this name. Costs a search among the sorted names.
    #[inline]
    pub fn named(self, program: &Program, name: StringId) -> Option<Value> {
        self.at(program, program.named(name)?)
    }

    /// The value at a place: of a variable or, behind those, of a field.
    #[inline]
    pub(crate) fn at(self, program: &Program, place: u32) -> Option<Value> {
        match program.field_at(place) {
            Some(field) => Some(field),
            None => self.values.get(place as usize).copied(),
        }
    }

    /// The elements of a list, the names and values of a record, or what a lambda carries. Of what a program shares there are
    /// none here: see [`RowView::parts_of`].
    pub fn parts(self, value: Value) -> &'a [Value] {
        let elements = value.parts().filter(|elements| elements.start & (KEPT | SHARED) != SHARED);
        elements.map_or(&[], |elements| parts_in(self.values, elements))
    }

    /// The elements of a value of this row, or of a field of its program.
    pub fn parts_of(self, program: &'a Program, value: Value) -> &'a [Value] {
        if value.is_shared() { program.parts(value) } else { self.parts(value) }
    }

    /// The value of a record's field.
    pub fn field(self, record: Value, name: StringId) -> Option<Value> {
        record.as_record()?;
        let (pairs, _) = self.parts(record).as_chunks::<2>();
        pairs.iter().find(|pair| pair[0].as_string() == Some(name)).map(|pair| pair[1])
    }
}

impl RowEdit<'_> {
    /// The row, to be read.
    pub fn view(&self) -> RowView<'_> {
        RowView { head: self.head, values: self.values }
    }

    /// Gives every variable of a program the value nothing, and `~this` the object's handle. For a new row.
    pub fn begin(&mut self, program: &Program, number: u32, this: Value) -> Result<(), Full> {
        let variables = program.variables.len();
        self.values.get_mut(..variables).ok_or(Full)?.fill(Value::NOTHING);
        *self.head = Head { program: number, tickets: 0 };
        if let Some(variable) = program.variable("this") {
            self.set(variable, this);
        }
        Ok(())
    }

    /// Gives a variable a value that has no parts. One that has some is for an evaluation to set.
    pub fn set(&mut self, variable: u32, value: Value) {
        if let Some(place) = self.values.get_mut(variable as usize)
            && value.parts().is_none()
        {
            *place = value.canonical();
        }
    }

    /// Gives a variable a value of another row, whose parts are copied behind what is used of this one. Not if there is no room.
    pub fn append(&mut self, used: &mut usize, variable: u32, value: Value, from: RowView<'_>) -> Result<(), Full> {
        let place = variable as usize;
        if place >= *used || *used > self.values.len() {
            return Err(Full);
        }
        let spaces = Spaces { made: &[], kept: from.values, shared: &[] };
        let mut copy = Copy { into: self.values, used: *used, spaces };
        let value = copy.value(value, 0)?;
        *used = copy.used;
        self.values[place] = value;
        Ok(())
    }

    /// Takes over the values of the variables that were set. `spare` is room to work in.
    pub(crate) fn commit(&mut self, after: &After<'_>, spare: &mut [Value]) -> Result<(), Full> {
        let count = self.values.len().min(after.variables.len());
        let new_value = |change: &Change| after.variables.get(change.variable as usize).copied().unwrap_or_default();
        if after.sets.iter().all(|change| new_value(change).parts().is_none()) {
            for change in after.sets {
                if let Some(place) = self.values.get_mut(change.variable as usize) {
                    *place = new_value(change).canonical();
                }
            }
            return Ok(());
        }
        // Something has parts: everything is copied together, so that what is no longer needed leaves no gaps.
        let spare = spare.get_mut(..self.values.len()).ok_or(Full)?;
        let spaces = Spaces { made: after.made, kept: self.values, shared: after.shared };
        let mut copy = Copy { into: spare, used: count, spaces };
        for (number, value) in after.variables.iter().enumerate().take(count) {
            let value = copy.value(*value, 0)?;
            copy.into[number] = value;
        }
        let used = copy.used;
        self.values[..used].copy_from_slice(&spare[..used]);
        Ok(())
    }
}

/// A variable was set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Change {
    /// Which one.
    pub variable: u32,
    /// By which function.
    pub function: u32,
    /// And by which of its instructions.
    pub instruction: u32,
}

impl Change {
    /// A change that nobody's instruction made.
    pub fn of(variable: u32) -> Change {
        Change { variable, ..Change::default() }
    }
}

/// The variables as an evaluation left them.
pub(crate) struct After<'a> {
    /// All of them.
    pub variables: &'a [Value],
    /// Which of them were set.
    pub sets: &'a [Change],
    /// The parts of what was made on the way.
    pub made: &'a [Value],
    /// The parts of the program's fields.
    pub shared: &'a [Value],
}

/// A copy being made: values with all their parts, one behind the other.
pub(crate) struct Copy<'a> {
    /// Where it is made.
    pub into: &'a mut [Value],
    /// How much of that is used.
    pub used: usize,
    /// Where parts lie.
    pub spaces: Spaces<'a>,
}

impl Copy<'_> {
    /// Copies a value with all its parts, wherever they lie.
    pub fn value(&mut self, value: Value, depth: u32) -> Result<Value, Full> {
        let Some(elements) = value.parts() else { return Ok(value.canonical()) };
        if depth > NESTING_MAX {
            return Err(Full);
        }
        let parts = self.spaces.parts(elements);
        let start = self.used;
        self.used += parts.len();
        if self.used > self.into.len() {
            return Err(Full);
        }
        for (index, part) in parts.iter().enumerate() {
            let part = self.value(*part, depth + 1)?;
            self.into[start + index] = part;
        }
        Ok(value.moved(start as u32 | KEPT, parts.len() as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Elements;
    use alloc::vec;

    #[test]
    fn what_is_set_is_found_again_and_what_is_replaced_leaves_no_gap() {
        let mut row = Row16::default();
        let mut spare = vec![Value::NOTHING; 16];
        for round in 0..20 {
            let made: vec::Vec<Value> = (0..10).map(|index| Value::number(f64::from(round * 10 + index))).collect();
            let list = Value::list(Elements { start: 0, count: 10 });
            let variables = [Value::number(f64::from(round)), list];
            let after = After { variables: &variables, sets: &[Change::of(1)], made: &made, shared: &[] };
            assert_eq!(row.edit().commit(&after, &mut spare), Ok(()));
            let view = row.view();
            assert_eq!(view.parts(view.get(1)), &made[..]);
        }
    }

    #[test]
    fn what_finds_no_room_changes_nothing() {
        let mut row = Row16::default();
        let before = row;
        let made = [Value::TRUE; 15];
        let variables = [Value::TRUE, Value::list(Elements { start: 0, count: 15 })];
        let after = After { variables: &variables, sets: &[Change::of(0), Change::of(1)], made: &made, shared: &[] };
        assert_eq!(row.edit().commit(&after, &mut [Value::NOTHING; 16]), Err(Full));
        assert_eq!(row, before);
    }

    #[test]
    fn any_bytes_are_a_row() {
        let mut row: Row16 = base::plain::pod_read_unaligned(&[0xff; 264]);
        assert_eq!(row.view().get(3), base::plain::pod_read_unaligned::<Value>(&[0xff; 16]));
        for bits in [0_u64, 7, u64::MAX, 1 << 31] {
            for kind in 0..12_u64 {
                row.values.fill(base::plain::pod_read_unaligned(&[bits.to_le_bytes(), kind.to_le_bytes()].concat()));
                let view = row.view();
                assert!(view.parts(view.get(0)).len() <= 16);
                let variables = row.values;
                let after = After { variables: &variables, sets: &[Change::of(0)], made: &[], shared: &[] };
                let _ = row.edit().commit(&after, &mut [Value::NOTHING; 16]);
            }
        }
    }
}
