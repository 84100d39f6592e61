//! Baking: partial evaluation of a tag's program into the program of its objects.
//!
//! The program of a tag has a variable for every field of its class. An object has only some of them in its row: those
//! of every object, the state of its class, and the variables that its scripts set. All other fields are equal for all
//! objects of the tag and become constants, which cost a row nothing.
//!
//! Laws
//! 1. A baked program computes what the tag's program would compute over a row with the values of all fields.
//! 2. Functions keep their numbers, and instructions their index and span. Statements have run when the tag was made,
//!    so they are emptied.
//! 3. A row never refers to shared parts: values are deep-copied when they are set.
//! 4. A baked program is not written to a file; its tag is.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use base::StringId;

use crate::analysis::BodyTable;
use crate::arena::{Full, SHARED, Spaces};
use crate::program::{Function, Instruction, Operation, Program, WAITING};
use crate::row::DeepCopy;
use crate::value::{Elements, Value};

/// The most values in the lists and records of one tag.
pub const SHARED_MAX: usize = 1 << 20;

/// The input of [`bake`].
#[derive(Clone, Debug, Default)]
pub struct Baking<'a> {
    /// The variables of every object, first in its row, in this order.
    pub first: &'a [&'a str],
    /// The state fields of the class, next, in this order.
    pub state: &'a [&'a str],
    /// The values of fields, whose parts lie in `shared`. For a variable it is the initial value.
    pub fields: Vec<(String, Value)>,
    /// The parts of the fields' values.
    pub shared: Shared,
}

/// A builder for the shared parts of a tag's lists and records.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    values: Vec<Value>,
}

impl Shared {
    /// No parts.
    pub fn new() -> Shared {
        Shared::default()
    }

    /// Makes a list. Its elements may be lists and records that were made here before; parts of others are dropped.
    pub fn list(&mut self, elements: &[Value]) -> Result<Value, Full> {
        Ok(Value::list(self.push(elements.len(), elements.iter().copied())?))
    }

    /// Makes a record of names and values. Of several fields with one name the first is found.
    pub fn record(&mut self, fields: &[(StringId, Value)]) -> Result<Value, Full> {
        let mut sorted = fields.to_vec();
        sorted.sort_by_key(|(name, _)| *name);
        let values = sorted.into_iter().flat_map(|(name, value)| [Value::string(name), value]);
        Ok(Value::record(self.push(fields.len().saturating_mul(2), values)?))
    }

    /// The same value if its parts lie here, otherwise nothing. So no value contains itself.
    fn owned(&self, value: Value) -> Value {
        match value.parts() {
            Some(Elements { count: 0, .. }) if value.as_lambda().is_none() => value.moved(SHARED, 0),
            Some(Elements { count: 0, .. }) => value,
            Some(elements) => {
                let end = u64::from(elements.start & !SHARED) + u64::from(elements.count);
                if value.is_shared() && end <= self.values.len() as u64 { value } else { Value::NOTHING }
            }
            None => value.canonical(),
        }
    }

    fn push(&mut self, count: usize, values: impl Iterator<Item = Value>) -> Result<Elements, Full> {
        if count > SHARED_MAX - self.values.len() {
            return Err(Full);
        }
        let start = self.values.len();
        let owned: Vec<Value> = values.map(|value| self.owned(value)).collect();
        self.values.extend(owned);
        Ok(Elements { start: start as u32 | SHARED, count: count as u32 })
    }
}

/// The program of the objects of a tag. Its variables are `first`, `state`, those that some lambda sets, in the order
/// of the tag's program, and then `this`, `sender` and the list of timers, each if the tag's program has it.
pub fn bake(program: &Program, baking: Baking<'_>) -> Program {
    let mut baked = Program {
        functions: program.functions.clone(),
        constants: program.constants.clone(),
        strings: program.strings.clone(),
        lines: program.lines.clone(),
        queries: program.queries,
        ..Program::default()
    };
    let nothing = baked.constants.len() as u32;
    baked.constants.push(Value::NOTHING);
    for statement in &program.statements {
        if let Some(function) = baked.functions.get_mut(*statement as usize) {
            clear(function, nothing);
        }
    }
    baking.first.iter().chain(baking.state).for_each(|name| baked.add_variable(name));
    let set = baked.functions.iter().flat_map(|function| &function.code);
    let set = set.filter(|instruction| instruction.operation == Operation::SetVariable);
    let mut set: Vec<u32> = set.map(|instruction| instruction.number).collect();
    set.sort_unstable();
    set.dedup();
    const LAST: [&str; 3] = ["this", "sender", WAITING];
    let set = set.into_iter().filter_map(|number| program.variables.get(number as usize));
    set.filter(|name| !LAST.contains(&name.as_str())).for_each(|name| baked.add_variable(name));
    LAST.into_iter().filter(|name| program.variable(name).is_some()).for_each(|name| baked.add_variable(name));
    add_fields(&mut baked, program, baking.fields, &baking.shared);
    baked.shared = baking.shared.values;
    renumber(&mut baked, program);
    BodyTable::default().add(&mut baked);
    assert_eq!(baked.functions.len(), program.functions.len(), "functions keep their numbers");
    debug_assert_eq!(baked.verify(), Ok(()));
    baked
}

impl Program {
    /// The initial values of its variables, by number; nothing for those that are not listed.
    pub fn initial(&self) -> &[(u32, Value)] {
        &self.initial
    }

    /// Initialises a new row: with the initial values of its variables, then with these values, whose parts the program
    /// [shares](Program::parts). Returns the number of values used in the row. Costs a copy of them.
    pub fn begin_row(&self, values: &[(u32, Value)], row: &mut [Value]) -> Result<usize, Full> {
        let variables = self.variables.len();
        if row.len() < variables {
            return Err(Full);
        }
        row.fill(Value::NOTHING);
        let spaces = Spaces { made: &[], kept: &[], shared: &self.shared };
        // Of several values for one variable only the last is copied, so that no space is lost.
        let is_given_again = |number: u32, rest: &[(u32, Value)]| rest.iter().any(|(other, _)| *other == number);
        let mut copy = DeepCopy { into: row, used: variables, spaces };
        for (index, (number, value)) in self.initial.iter().enumerate() {
            if !is_given_again(*number, values) && !is_given_again(*number, &self.initial[index + 1..]) {
                copy.variable(*number, *value, variables)?;
            }
        }
        for (index, (number, value)) in values.iter().enumerate() {
            if !is_given_again(*number, &values[index + 1..]) {
                copy.variable(*number, *value, variables)?;
            }
        }
        Ok(copy.used)
    }
}

impl DeepCopy<'_> {
    /// Copies a value to a variable, if there is one of this number.
    pub(crate) fn variable(&mut self, number: u32, value: Value, variables: usize) -> Result<(), Full> {
        if (number as usize) < variables {
            let value = self.value(value, 0)?;
            if let Some(place) = self.into.get_mut(number as usize) {
                *place = value;
            }
        }
        Ok(())
    }
}

/// Empties a function: it returns nothing.
fn clear(function: &mut Function, nothing: u32) {
    let give = Instruction { operation: Operation::Constant, a: 0, b: 0, c: 0, number: nothing };
    let end = Instruction { operation: Operation::Return, a: 0, b: 0, c: 0, number: 0 };
    function.code = alloc::vec![give, end];
    function.spans = alloc::vec![function.span; 2];
    (function.parameters, function.captured, function.registers) = (0, 0, 1);
    function.is_effectful = false;
    function.reads = Vec::new();
}

/// Turns all fields that are no variables of the objects into constants, and all other variables of the tag into
/// nothing. Of several fields with one name the last counts.
fn add_fields(baked: &mut Program, program: &Program, fields: Vec<(String, Value)>, shared: &Shared) {
    let mut constants: BTreeMap<&str, Value> =
        program.variables.iter().map(|name| (name.as_str(), Value::NOTHING)).collect();
    let mut initial = BTreeMap::new();
    for (name, value) in &fields {
        let value = shared.owned(*value);
        match baked.variable(name) {
            Some(number) => {
                initial.insert(number, value);
            }
            None => {
                constants.insert(name, value);
            }
        }
    }
    baked.initial = initial.into_iter().collect();
    for (name, value) in constants {
        if baked.variable(name).is_none() {
            // Of two names with one id the first is found, here as in rows.
            let _ = baked.strings.add(name);
            baked.fields.push((StringId::new(name), value));
            baked.constants.push(value);
        }
    }
}

/// Renumbers the variables in all instructions, and turns reads of fields into reads of constants.
fn renumber(baked: &mut Program, program: &Program) {
    baked.number_variables();
    let first = (baked.constants.len() - baked.fields.len()) as u32;
    let mut fields: BTreeMap<StringId, u32> = BTreeMap::new();
    for ((name, _), constant) in baked.fields.iter().zip(first..) {
        fields.entry(*name).or_insert(constant);
    }
    let places: Vec<Result<u32, u32>> = program
        .variables
        .iter()
        .map(|name| match baked.variable(name) {
            Some(variable) => Ok(variable),
            None => Err(fields.get(&StringId::new(name)).copied().unwrap_or(first)),
        })
        .collect();
    let place = |number: u32| places.get(number as usize).copied().unwrap_or(Ok(u32::MAX));
    for function in &mut baked.functions {
        let mut reads: Vec<u32> = function.reads.iter().filter_map(|read| place(*read).ok()).collect();
        reads.dedup();
        function.reads = reads;
        function.facts.kernel = None;
        for instruction in &mut function.code {
            match (instruction.operation, place(instruction.number)) {
                (Operation::Variable | Operation::SetVariable, Ok(variable)) => instruction.number = variable,
                (Operation::Variable, Err(constant)) => {
                    (instruction.operation, instruction.number) = (Operation::Constant, constant);
                }
                _ => {}
            }
        }
    }
    let formulas = program.formulas.iter().filter_map(|formula| place(*formula).ok());
    baked.formulas = formulas.collect();
}
