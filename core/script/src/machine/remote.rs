//! Other objects and the world, for kernels and for whoever answers queries.

use base::{Handle, StringId};

use super::{EmptyResult, EvaluationContext, Halt, Machine};
use crate::kernel;
use crate::value::Value;

impl kernel::RemoteObjects for EvaluationContext<'_> {
    fn read(&self, object: Value, name: StringId) -> Option<Value> {
        let (handle, array) = object.as_handle().filter(|_| object != self.this)?;
        if let Some(value) = self.outside.known(handle, array, name) {
            return Some(value);
        }
        let (program, row) = self.outside.object(handle, array)?;
        row.named(program, name)
    }

    fn is_living(&self, object: Value) -> bool {
        let is_there = object.as_handle().is_some_and(|(handle, array)| self.outside.is_there(handle, array));
        object == self.this || is_there
    }
}

impl Machine<'_> {
    /// Whether an object is alive.
    pub(crate) fn is_living(&mut self, handle: Handle<()>, array: u16) -> bool {
        self.has_looked = true;
        self.place.this == Value::handle(handle, array) || self.place.outside.is_there(handle, array)
    }

    /// The object itself, if it has a handle.
    pub fn this(&self) -> Value {
        self.place.this
    }

    /// The fuel that is left: the budget of a query.
    pub fn fuel(&self) -> u64 {
        self.fuel
    }

    /// The most values in the lists and records of one evaluation.
    pub fn values_max(&self) -> usize {
        self.scratch.limits.values as usize
    }

    /// The result of a query that finds nothing.
    pub fn find_nothing(&mut self, query: u32) -> Result<Value, Halt> {
        match self.program.queries.get(query as usize).map(|query| query.empty()) {
            Some(EmptyResult::Zero) => Ok(Value::number(0.0)),
            Some(EmptyResult::False) => Ok(Value::FALSE),
            Some(EmptyResult::List) => self.build(|_| Ok(())),
            Some(EmptyResult::Nothing) | None => Ok(Value::NOTHING),
        }
    }

    /// Complains about an argument that is not what a query takes, and returns a default.
    #[cold]
    pub fn refuse<T>(&mut self, expected: &'static str, found: Value, default: T) -> T {
        self.complain(expected, found, self.at, default)
    }

    /// The number of fields of a record; 0 for other values.
    pub fn field_count(&self, record: Value) -> usize {
        if record.as_record().is_some() { self.parts(record).as_chunks::<2>().0.len() } else { 0 }
    }

    /// The name and the value of a field of a record.
    ///
    /// # Panics
    /// If the record has no field of this number.
    pub fn field_at(&self, record: Value, number: usize) -> [Value; 2] {
        self.parts(record).as_chunks::<2>().0[number]
    }
}
