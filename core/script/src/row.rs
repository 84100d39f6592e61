//! A row: the memory of one environment, plain data in the world's block.
//!
//! First come the variables, by number; behind them the parts of their lists, records and lambdas.
//!
//! Laws
//! 1. A row is the whole environment: copying it copies the environment, and saves, films and rewinds need nothing
//!    more.
//! 2. The sets of an evaluation are committed all at once or not at all. If the parts do not fit even after compaction,
//!    the commit is refused.
//! 3. The layout of a row follows from the committed sets alone.
//! 4. A row may hold any bytes: reading gives values, and writing stays in bounds.

use base::{Plain, StringId};

use crate::arena::{Full, KEPT, NESTING_MAX, SHARED, Spaces, parts_in};
use crate::program::Program;
use crate::value::Value;

/// The header of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Plain)]
#[repr(C)]
pub struct Head {
    /// The program of its variables, as the owner of the programs numbers them.
    pub program: u32,
    /// A counter of the timers, callbacks and random numbers that it requested.
    pub tickets: u32,
}

/// A row for reading.
#[derive(Clone, Copy)]
pub struct RowView<'a> {
    /// Its header.
    pub head: &'a Head,
    /// Its values.
    pub values: &'a [Value],
}

/// A row for writing.
pub struct RowEdit<'a> {
    /// Its header.
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
            /// Its header.
            pub head: Head,
            /// Its values.
            pub values: [Value; $count],
        }

        impl $name {
            /// The row for reading.
            pub fn view(&self) -> RowView<'_> {
                RowView { head: &self.head, values: &self.values }
            }

            /// The row for writing.
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

    /// The value of the variable or the field with this name. Costs a binary search.
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

    /// The elements of a list, the names and values of a record, or the captured values of a lambda; none if they are
    /// shared: see [`RowView::parts_of`].
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
    /// The row for reading.
    pub fn view(&self) -> RowView<'_> {
        RowView { head: self.head, values: self.values }
    }

    /// Initialises a new row: every variable of the program is nothing, and `~this` the handle of the object.
    pub fn begin(&mut self, program: &Program, number: u32, this: Value) -> Result<(), Full> {
        let variables = program.variables.len();
        self.values.get_mut(..variables).ok_or(Full)?.fill(Value::NOTHING);
        *self.head = Head { program: number, tickets: 0 };
        if let Some(variable) = program.variable("this") {
            self.set(variable, this);
        }
        Ok(())
    }

    /// Sets a variable to a value without parts. Values with parts are set by evaluations only.
    pub fn set(&mut self, variable: u32, value: Value) {
        if let Some(place) = self.values.get_mut(variable as usize)
            && value.parts().is_none()
        {
            *place = value.canonical();
        }
    }

    /// Sets a variable to a value of another row, whose parts are appended to this one, unless they do not fit.
    pub fn append(&mut self, used: &mut usize, variable: u32, value: Value, from: RowView<'_>) -> Result<(), Full> {
        self.append_shared(used, variable, value, (from, &[]))
    }

    /// The same for a value of a row or of a field of its program.
    pub fn append_from(
        &mut self,
        used: &mut usize,
        variable: u32,
        value: Value,
        (from, program): (RowView<'_>, &Program),
    ) -> Result<(), Full> {
        self.append_shared(used, variable, value, (from, &program.shared))
    }

    fn append_shared(
        &mut self,
        used: &mut usize,
        variable: u32,
        value: Value,
        (from, shared): (RowView<'_>, &[Value]),
    ) -> Result<(), Full> {
        let place = variable as usize;
        if place >= *used || *used > self.values.len() {
            return Err(Full);
        }
        let spaces = Spaces { made: &[], kept: from.values, shared };
        let mut copy = DeepCopy { into: self.values, used: *used, spaces };
        let value = copy.value(value, 0)?;
        *used = copy.used;
        self.values[place] = value;
        Ok(())
    }

    /// Commits the variables that were set. `spare` is a workspace of the size of the row. Costs the sets, or if one of
    /// them has parts, the whole row.
    pub(crate) fn commit(&mut self, after: &CommittedVariables<'_>, spare: &mut [Value]) -> Result<(), Full> {
        let count = self.values.len().min(after.variables.len());
        let new_value = |change: &SetRecord| after.variables.get(change.variable as usize).copied().unwrap_or_default();
        if after.sets.iter().all(|change| new_value(change).parts().is_none()) {
            for change in after.sets {
                if let Some(place) = self.values.get_mut(change.variable as usize) {
                    *place = new_value(change).canonical();
                }
            }
            return Ok(());
        }
        // A value has parts: all variables are copied, which compacts the row.
        let spare = spare.get_mut(..self.values.len()).ok_or(Full)?;
        let spaces = Spaces { made: after.made, kept: self.values, shared: after.shared };
        let mut copy = DeepCopy { into: spare, used: count, spaces };
        for (number, value) in after.variables.iter().enumerate().take(count) {
            let value = copy.value(*value, 0)?;
            copy.into[number] = value;
        }
        let used = copy.used;
        assert!(count <= used && used <= self.values.len(), "the compacted row is within the row");
        self.values[..used].copy_from_slice(&spare[..used]);
        Ok(())
    }
}

/// A set of a variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SetRecord {
    /// The variable.
    pub variable: u32,
    /// The function that set it.
    pub function: u32,
    /// The instruction that set it.
    pub instruction: u32,
}

impl SetRecord {
    /// A set that was not made by an instruction.
    pub fn of(variable: u32) -> SetRecord {
        SetRecord { variable, ..SetRecord::default() }
    }
}

/// The variables at the end of an evaluation.
pub(crate) struct CommittedVariables<'a> {
    /// All of them.
    pub variables: &'a [Value],
    /// Which of them were set.
    pub sets: &'a [SetRecord],
    /// The parts that the evaluation made.
    pub made: &'a [Value],
    /// The parts of the program's fields.
    pub shared: &'a [Value],
}

/// A deep copy: values with all their parts, appended to one memory.
pub(crate) struct DeepCopy<'a> {
    /// The target.
    pub into: &'a mut [Value],
    /// The number of values used in the target.
    pub used: usize,
    /// The memories of the parts.
    pub spaces: Spaces<'a>,
}

impl DeepCopy<'_> {
    /// Copies a value with all its parts.
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
    fn sets_are_stored_and_replaced_values_leave_no_gap() {
        let mut row = Row16::default();
        let mut spare = vec![Value::NOTHING; 16];
        for round in 0..20 {
            let made: vec::Vec<Value> = (0..10).map(|index| Value::number(f64::from(round * 10 + index))).collect();
            let list = Value::list(Elements { start: 0, count: 10 });
            let variables = [Value::number(f64::from(round)), list];
            let after =
                CommittedVariables { variables: &variables, sets: &[SetRecord::of(1)], made: &made, shared: &[] };
            assert_eq!(row.edit().commit(&after, &mut spare), Ok(()));
            let view = row.view();
            assert_eq!(view.parts(view.get(1)), &made[..]);
        }
    }

    #[test]
    fn a_commit_that_does_not_fit_changes_nothing() {
        let mut row = Row16::default();
        let before = row;
        let made = [Value::TRUE; 15];
        let variables = [Value::TRUE, Value::list(Elements { start: 0, count: 15 })];
        let after = CommittedVariables {
            variables: &variables,
            sets: &[SetRecord::of(0), SetRecord::of(1)],
            made: &made,
            shared: &[],
        };
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
                let after =
                    CommittedVariables { variables: &variables, sets: &[SetRecord::of(0)], made: &[], shared: &[] };
                let _ = row.edit().commit(&after, &mut [Value::NOTHING; 16]);
            }
        }
    }
}
