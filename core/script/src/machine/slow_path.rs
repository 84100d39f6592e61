//! The slow path of operations: operands that are not numbers, complaints, and sorting.

use base::number::double as number;
use base::{Handle, StringId, Vec3};

use super::{Halt, Machine};
use crate::arena::{NESTING_MAX, Spaces};
use crate::program::Operation;
use crate::value::Value;

impl Machine<'_> {
    /// Whether two values are equal, with all their parts.
    #[inline]
    pub(crate) fn is_same(&mut self, left: Value, right: Value) -> Result<bool, Halt> {
        self.is_same_slowly(left, right, 0)
    }

    /// Lists may hold the same list many times over, so that comparing them costs far more than making them: each part
    /// costs fuel.
    fn is_same_slowly(&mut self, left: Value, right: Value, depth: u32) -> Result<bool, Halt> {
        let (Some(left_parts), Some(right_parts)) = (left.parts(), right.parts()) else {
            return Ok(left.is_same_atom(right));
        };
        // Lambdas are equal if their bodies are, as in the cache.
        let function = |value: Value| {
            let (number, _) = value.as_lambda()?;
            Some(self.program.functions.get(number as usize).map_or(Err(number), |found| Ok(found.facts.body)))
        };
        let is_alike =
            left.kind() == right.kind() && left_parts.count == right_parts.count && function(left) == function(right);
        if !is_alike || depth >= NESTING_MAX {
            return Ok(false);
        }
        let count = self.row(left_parts).len().min(self.row(right_parts).len());
        self.burn(count as u64)?;
        for index in 0..count {
            let (left, right) = (self.row(left_parts)[index], self.row(right_parts)[index]);
            if !self.is_same_slowly(left, right, depth + 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    #[cold]
    pub(super) fn negate_slowly(&mut self, from: Value, place: (u32, u32)) -> Value {
        match (from.as_vector(), from.as_identifier()) {
            (Some(vector), _) => Value::vector(-vector),
            (_, Some(identifier)) => Value::identifier(identifier.saturating_neg()),
            _ => self.complain("a number", from, place, Value::number(0.0)),
        }
    }

    /// Arithmetic of vectors and identifiers; operands of a wrong kind count as zero, of the kind of the other one.
    #[cold]
    pub(super) fn arithmetic_slowly(
        &mut self,
        operation: Operation,
        left: Value,
        right: Value,
        place: (u32, u32),
    ) -> Value {
        use Operation::*;
        match (operation, left.as_vector(), right.as_vector()) {
            (Add | AddConstant, Some(left), Some(right)) => return Value::vector(left + right),
            (Subtract | SubtractConstant, Some(left), Some(right)) => return Value::vector(left - right),
            // An operand that is no vector counts as the zero vector, so that the result is one.
            (Add | AddConstant, Some(left), None) => return Value::vector(left + self.vector_of(right, place)),
            (Add | AddConstant, None, Some(right)) => return Value::vector(self.vector_of(left, place) + right),
            (Subtract | SubtractConstant, Some(left), None) => {
                return Value::vector(left - self.vector_of(right, place));
            }
            (Subtract | SubtractConstant, None, Some(right)) => {
                return Value::vector(self.vector_of(left, place) - right);
            }
            (Multiply | MultiplyConstant, Some(vector), None) => {
                return Value::vector(vector * self.number_of(right, place) as f32);
            }
            (Multiply | MultiplyConstant, None, Some(vector)) => {
                return Value::vector(vector * self.number_of(left, place) as f32);
            }
            (Divide | DivideConstant, Some(vector), None) => {
                let by = self.number_of(right, place) as f32;
                return if by == 0.0 { Value::vector(Vec3::default()) } else { Value::vector(vector / by) };
            }
            _ => {}
        }
        match (operation, left.as_identifier(), right.as_identifier()) {
            (Add, Some(left), Some(right)) => return Value::identifier(left.saturating_add(right)),
            (Subtract, Some(left), Some(right)) => return Value::identifier(left.saturating_sub(right)),
            _ => {}
        }
        let (left, divisor) = (self.number_of(left, place), right);
        let right = self.number_of(right, place);
        Value::number(match operation {
            Add | AddConstant => left + right,
            Subtract | SubtractConstant => left - right,
            Multiply | MultiplyConstant => left * right,
            _ if right == 0.0 => self.complain("a divisor that is not zero", divisor, place, 0.0),
            Remainder => left % right,
            _ => left / right,
        })
    }

    #[cold]
    pub(super) fn compare_slowly(
        &mut self,
        operation: Operation,
        left: Value,
        right: Value,
        place: (u32, u32),
    ) -> bool {
        use Operation::*;
        let (left, right) = match (left.as_identifier(), right.as_identifier()) {
            (Some(left), Some(right)) => (f64::from(left), f64::from(right)),
            _ => (self.number_of(left, place), self.number_of(right, place)),
        };
        match operation {
            Less | JumpUnlessLess | JumpUnlessLessConstant => left < right,
            LessEqual | JumpUnlessLessEqual | JumpUnlessLessEqualConstant => left <= right,
            Greater | JumpUnlessGreater | JumpUnlessGreaterConstant => left > right,
            _ => left >= right,
        }
    }

    pub(super) fn truth_of(&mut self, value: Value, place: (u32, u32)) -> bool {
        value.as_truth().unwrap_or_else(|| self.complain("true or false", value, place, false))
    }

    pub(super) fn number_of(&mut self, value: Value, place: (u32, u32)) -> f64 {
        value.as_number().unwrap_or_else(|| self.complain("a number", value, place, 0.0))
    }

    fn vector_of(&mut self, value: Value, place: (u32, u32)) -> Vec3 {
        value.as_vector().unwrap_or_else(|| self.complain("a vector", value, place, Vec3::default()))
    }

    /// An element of a list, or a field by its name. An index out of bounds gives nothing, without a complaint, so that
    /// scripts can test for it.
    pub(super) fn element(&mut self, of: Value, index: Value, place: (u32, u32)) -> Result<Value, Halt> {
        if index.as_string().is_some() {
            return self.field(of, index, place);
        }
        let Some(elements) = of.as_list() else { return Ok(self.complain("a list", of, place, Value::NOTHING)) };
        let index = self.index_of(index);
        let found = usize::try_from(index).ok().and_then(|index| self.row(elements).get(index));
        Ok(found.copied().unwrap_or_default())
    }

    /// The index of an element: an identifier or a whole number. Others are a complaint, and out of bounds.
    pub(crate) fn index_of(&mut self, index: Value) -> i32 {
        match (index.as_identifier(), index.as_number()) {
            (Some(index), _) => index,
            (_, Some(index)) if number::floor(index) == index => index as i32,
            _ => self.complain("an index: a whole number or an identifier such as `#2`", index, self.at, -1),
        }
    }

    /// A field of a record or a vector, or a variable of an object. A missing one is nothing, and so is every field of
    /// nothing.
    pub(super) fn field(&mut self, of: Value, name: Value, place: (u32, u32)) -> Result<Value, Halt> {
        const X: StringId = StringId::new("x");
        const Y: StringId = StringId::new("y");
        const Z: StringId = StringId::new("z");
        let Some(name) = name.as_string() else { return Ok(Value::NOTHING) };
        if let Some(elements) = of.as_record() {
            let (pairs, _) = self.row(elements).as_chunks::<2>();
            let found = pairs.iter().find(|pair| pair[0].as_string() == Some(name)).map(|pair| pair[1]);
            return Ok(found.unwrap_or_default());
        }
        if let Some(vector) = of.as_vector() {
            let part = [(X, vector.x), (Y, vector.y), (Z, vector.z)].into_iter().find(|(known, _)| *known == name);
            let part = part.map(|(_, part)| Value::number(f64::from(part)));
            return Ok(part.unwrap_or_else(|| self.complain("a vector's field x, y or z", of, place, Value::NOTHING)));
        }
        if let Some((handle, array)) = of.as_handle() {
            return self.variable_of(of, handle, array, name, place);
        }
        // Fields of nothing are nothing, as those of a destroyed object: `target.hull` needs no test before it.
        if of == Value::NOTHING {
            return Ok(of);
        }
        Ok(self.complain("a record", of, place, Value::NOTHING))
    }

    /// A variable of an object: of this object as it is now, of another from the frozen world.
    fn variable_of(
        &mut self,
        object: Value,
        handle: Handle<()>,
        array: u16,
        name: StringId,
        place: (u32, u32),
    ) -> Result<Value, Halt> {
        // For any object: the requirements of a function do not cover variables that are read by name.
        self.has_looked = true;
        if object == self.place.this {
            let Some(found) = self.program.named(name) else { return Ok(Value::NOTHING) };
            return Ok(self.program.field_at(found).unwrap_or_else(|| self.variable(found)));
        }
        if let Some(value) = self.place.outside.known(handle, array, name) {
            return Ok(value);
        }
        let Some((program, row)) = self.place.outside.object(handle, array) else { return Ok(Value::NOTHING) };
        let Some(value) = row.named(program, name) else { return Ok(Value::NOTHING) };
        self.import(value, Spaces { made: &[], kept: row.values, shared: &program.shared }, place, 0)
    }

    /// Deep-copies a value of another object, or of its tag. Lambdas become nothing: their functions belong to another
    /// program.
    pub(crate) fn import(
        &mut self,
        value: Value,
        spaces: Spaces<'_>,
        place: (u32, u32),
        depth: u32,
    ) -> Result<Value, Halt> {
        if value.as_lambda().is_some() {
            return Ok(self.complain(
                "a value: lambdas of other objects cannot be called",
                value,
                place,
                Value::NOTHING,
            ));
        }
        let Some(elements) = value.parts() else { return Ok(value) };
        if depth > NESTING_MAX {
            return Err(Halt::Memory);
        }
        let parts = spaces.parts(elements);
        self.burn(parts.len() as u64)?;
        let elements = self.scratch.region.push(parts)?;
        for (index, part) in parts.iter().enumerate() {
            if part.parts().is_some() {
                let part = self.import(*part, spaces, place, depth + 1)?;
                self.scratch.region.replace(elements, index, part);
            }
        }
        Ok(value.moved(elements.start, elements.count))
    }
}

/// Sorts pairs by their first number, stably and in place; NaN comes last.
pub(super) fn sort_pairs(pairs: &mut [[Value; 2]]) {
    // The sort that does not allocate is not stable, so the index is the second key.
    for (place, pair) in pairs.iter_mut().enumerate() {
        let number = pair[0].as_number().unwrap_or(0.0);
        pair[0] = Value::from_words((number.to_bits(), place as u64));
    }
    pairs.sort_unstable_by(|left, right| {
        let ((left, left_place), (right, right_place)) = (left[0].words(), right[0].words());
        let (left, right) = (f64::from_bits(left), f64::from_bits(right));
        let order = left.partial_cmp(&right).unwrap_or_else(|| left.is_nan().cmp(&right.is_nan()));
        order.then(left_place.cmp(&right_place))
    });
}
