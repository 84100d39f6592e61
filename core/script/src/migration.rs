//! Migration of rows to a changed program: the hot reload of a tag under living objects.
//!
//! Laws
//! 1. A lambda in a row is mapped to the function of the new program that is the same lambda: one with the same name, else
//!    one with the same source (the same instructions and names, regardless of the current values of the fields), else one at
//!    the same place, in the lambda of the same name. So its timers, handlers and callbacks go on with the edited text.
//! 2. A lambda without a counterpart, or whose counterpart captures another number of values, becomes nothing; its timers,
//!    handlers and callbacks are dropped, and counted.
//! 3. Variables keep their values by name. New variables, and variables that held a lambda without a counterpart, are
//!    initialised as in a new object.
//! 4. Whatever the bytes of a row are, nothing here panics or loops forever.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::analysis::BodyTable;
use crate::arena::{Full, KEPT, Spaces};
use crate::program::{Function, Operation, Program};
use crate::row::{DeepCopy, RowEdit, RowView};
use crate::value::Value;

/// A row that was migrated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Migrated {
    /// The number of values used in the new row.
    pub used: usize,
    /// The number of timers, handlers and callbacks that were dropped, since their lambdas have no counterparts.
    pub dropped: usize,
}

/// What waits for a lambda in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Waiting {
    /// The time of `!After` or `!Every`.
    Timer,
    /// A message, by `!EventHandler`.
    Handler,
    /// The answer to an effect.
    Callback,
}

impl Waiting {
    /// In words: "timer".
    pub fn name(self) -> &'static str {
        match self {
            Waiting::Timer => "timer",
            Waiting::Handler => "handler",
            Waiting::Callback => "callback",
        }
    }
}

/// The timers, handlers and callbacks of a row that a migration drops: see law 2. Each with the function of the old program that it
/// would have called.
pub fn dropped<'a>(
    row: RowView<'a>,
    (old, new): (&Program, &Program),
    functions: &'a [Option<u32>],
) -> impl Iterator<Item = (u32, Waiting)> + use<'a> {
    let entries = old.waiting.map_or(&[][..], |variable| row.parts(row.get(variable)).as_chunks::<4>().0);
    let has_place = new.waiting.is_some();
    entries.iter().filter_map(move |[_, key, _, body]| {
        let (function, _) = body.as_lambda()?;
        let waiting = match (key.as_number(), key.as_string()) {
            (Some(_), _) => Waiting::Timer,
            (None, Some(_)) => Waiting::Handler,
            (None, None) => Waiting::Callback,
        };
        (!has_place || mapped(functions, function).is_none()).then_some((function, waiting))
    })
}

/// A lambda for people: "`tend` (line 21)", or "a lambda in `OnSpawn` (line 19)" if it has no name of its own.
pub fn lambda_in_words(program: &Program, function: u32) -> String {
    let Some(found) = program.functions.get(function as usize) else { return String::from("an unknown lambda") };
    let line = program.line(found.span.start);
    if !found.name.is_empty() {
        return format!("`{}` (line {line})", found.name);
    }
    let is_around = |other: &&Function| {
        !other.name.is_empty() && other.span.start <= found.span.start && found.span.end <= other.span.end
    };
    let around = program.functions.iter().filter(is_around).min_by_key(|other| other.span.end - other.span.start);
    match around {
        Some(around) => format!("a lambda in `{}` (line {line})", around.name),
        None => format!("the lambda in line {line}"),
    }
}

/// For each function of a program, the function of another that is the same lambda, if there is one: see law 1. Allocates;
/// for when content is loaded.
pub fn matching(old: &Program, new: &Program) -> Vec<Option<u32>> {
    let mut bodies = BodyTable::default();
    let (old, new) = (in_words(old, &mut bodies), in_words(new, &mut bodies));
    let (mut same, mut first) = (BTreeMap::new(), BTreeMap::new());
    let (mut placed, mut named) = (BTreeMap::new(), BTreeMap::new());
    for (number, function) in (0_u32..).zip(&new.functions) {
        same.entry((function.facts.body, function.name.as_str())).or_insert(number);
        first.entry(function.facts.body).or_insert(number);
        // Captured values are carried over by their order.
        placed.entry((function.place, function.captured)).or_insert(number);
        named.entry((function.name.as_str(), function.captured)).or_insert(number);
    }
    let found = old.functions.iter().map(|function| {
        let (body, name) = (function.facts.body, function.name.as_str());
        let at_place = placed.get(&(function.place, function.captured)).filter(|_| function.place != 0);
        let of_name = || {
            let is_it = |number: &&u32| new.functions[**number as usize].name == name;
            at_place.filter(is_it).or_else(|| named.get(&(name, function.captured))).filter(|_| !name.is_empty())
        };
        let found = same.get(&(body, name)).or_else(of_name).or_else(|| first.get(&body)).or(at_place);
        found.copied()
    });
    let found: Vec<Option<u32>> = found.collect();
    assert!(
        found.iter().flatten().all(|function| (*function as usize) < new.functions.len()),
        "law 1 of migration: a lambda is mapped to a function of the new program"
    );
    found
}

impl RowEdit<'_> {
    /// Maps all lambdas of the row to other functions: see [`matching`]. `program` is the program of the row now.
    pub fn remap_lambdas(&mut self, program: &Program, functions: &[Option<u32>]) {
        remap(self.values, program, functions);
    }
}

impl RowView<'_> {
    /// Migrates the row of a program to another program, into other memory. `values` override the initial values of new variables; their parts are shared by the new program.
    pub fn move_variables(
        self,
        (old, new): (&Program, &Program),
        functions: &[Option<u32>],
        values: &[(u32, Value)],
        into: &mut [Value],
    ) -> Result<Migrated, Full> {
        let variables = new.variables.len();
        if into.len() < variables {
            return Err(Full);
        }
        into.fill(Value::NOTHING);
        let mut used = variables;
        let begins = |number: u32| {
            let given = values.iter().rev().chain(new.initial().iter().rev());
            given.into_iter().find(|(given, _)| *given == number).map(|(_, value)| *value)
        };
        let stays = |number: u32, name: &str| {
            let value = self.get(old.variable(name)?);
            let is_gone = value.as_lambda().is_some_and(|(function, _)| mapped(functions, function).is_none());
            (!is_gone || begins(number).is_none()).then_some(value)
        };
        // First the variables that stay: their lambdas are mapped, those of initial values are right already.
        for (number, name) in (0_u32..).zip(&new.variables) {
            if let Some(value) = stays(number, name) {
                let spaces = Spaces { made: &[], kept: self.values, shared: &old.shared };
                used = copied(into, used, spaces, (number, value), variables)?;
            }
        }
        let dropped = remap(&mut into[..used], new, functions);
        for (number, name) in (0_u32..).zip(&new.variables) {
            if stays(number, name).is_none()
                && let Some(value) = begins(number)
            {
                let spaces = Spaces { made: &[], kept: &[], shared: &new.shared };
                used = copied(into, used, spaces, (number, value), variables)?;
            }
        }
        // A program whose scripts have no effects has no place for timers.
        let waiting = old.waiting.filter(|_| new.waiting.is_none());
        let lost = waiting.map_or(0, |variable| self.parts(self.get(variable)).len() / 4);
        Ok(Migrated { used, dropped: dropped + lost })
    }
}

fn copied(
    into: &mut [Value],
    used: usize,
    spaces: Spaces<'_>,
    (number, value): (u32, Value),
    variables: usize,
) -> Result<usize, Full> {
    let mut copy = DeepCopy { into, used, spaces };
    copy.variable(number, value, variables)?;
    Ok(copy.used)
}

fn mapped(functions: &[Option<u32>], function: u32) -> Option<u32> {
    functions.get(function as usize).copied().flatten()
}

/// Maps all lambdas. Returns the number of timers, handlers and callbacks that were dropped.
fn remap(values: &mut [Value], program: &Program, functions: &[Option<u32>]) -> usize {
    for value in values.iter_mut() {
        if let Some((function, captured)) = value.as_lambda() {
            *value = mapped(functions, function).map_or(Value::NOTHING, |function| Value::lambda(function, captured));
        }
    }
    let Some(variable) = program.waiting.map(|variable| variable as usize) else { return 0 };
    let Some(elements) = values.get(variable).and_then(|list| list.as_list()) else { return 0 };
    let (start, count) = ((elements.start & !KEPT) as usize, elements.count as usize);
    let Some(entries) = values.get_mut(start..start.saturating_add(count)) else { return 0 };
    let (entries, _) = entries.as_chunks_mut::<4>();
    let (mut left, all) = (0, entries.len());
    for index in 0..all {
        if entries[index][3].as_lambda().is_some() {
            entries[left] = entries[index];
            left += 1;
        }
    }
    values[variable] = values[variable].moved(elements.start, left as u32 * 4);
    all - left
}

/// The program with the names of its fields instead of their values, so that functions of equal source have equal
/// bodies.
fn in_words(program: &Program, bodies: &mut BodyTable) -> Program {
    let mut words = program.clone();
    let is_field = |number: u32| program.field_of(number).is_some();
    for function in &mut words.functions {
        function.facts.kernel = None;
        for instruction in &mut function.code {
            if instruction.operation == Operation::Constant && is_field(instruction.number) {
                let field = instruction.number as usize + program.fields.len() - program.constants.len();
                instruction.operation = Operation::Variable;
                instruction.number = (program.variables.len() + field) as u32;
            }
        }
    }
    let names = program.fields.iter().map(|(name, _)| String::from(program.strings.text(*name).unwrap_or_default()));
    words.variables.extend(names);
    words.fields.clear();
    bodies.add(&mut words);
    words
}
