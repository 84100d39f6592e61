//! Static analysis of functions: equal bodies (hash-consing), the variables they require, and whether memoisation can
//! pay.
//!
//! Laws
//! 1. Two functions have the same body number only if they compute the same from the same values: equal instructions
//!    with equal constants, variables of the same names, and inner lambdas of the same bodies. Bodies are compared, not
//!    hashed. Functions that refer to each other in a cycle equal no other function.
//! 2. Everything is derived from the code; claims of a program are not trusted.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use base::StringId;
use base::hash::{hash, mix};

use crate::arena::NESTING_MAX;
use crate::ast::Caching;
use crate::builtin::BUILTINS;
use crate::facts::{ASKED_WORK_MIN, ATOMS_MAX, Cacheability, Facts, UNASKED_WORK_MIN};
use crate::machine::{Builtin, Work};
use crate::program::{Function, Operation, Program, WAITING};
use crate::value::{Elements, Value};

/// The assumed cost of a call through a variable and of a loop over a list, in instructions.
const CALL_WORK: u32 = 15;
const LOOP_WORK: u32 = 60;

/// The numbers of all bodies.
#[derive(Clone, Debug, Default)]
pub struct BodyTable {
    numbers: BTreeMap<Vec<u8>, u32>,
    stamp: u64,
    functions: u32,
}

impl BodyTable {
    /// Analyses the functions of a program. Programs of one table may share a cache.
    pub fn add(&mut self, program: &mut Program) {
        program.number_variables();
        program.names = program.variables.iter().map(|name| StringId::new(name)).collect();
        program.places = places(program);
        program.waiting = program.variable(WAITING);
        program.sender = program.variable("sender");
        program.this = program.variable("this");
        program.handlers = handlers(program);
        program.first = self.functions;
        // Requirements are numbers of variables, so the order of the names is part of the stamp.
        self.stamp = program.names.iter().fold(self.stamp, |stamp, name| mix(stamp, name.number()));
        self.functions += program.functions.len() as u32;
        let mut known = alloc::vec![None; program.functions.len()];
        for number in callees_first(program) {
            let facts = self.facts(program, number, &known);
            known[number as usize] = Some(facts.body);
            program.functions[number as usize].facts = facts;
        }
        share_requirements(program);
        for function in &mut program.functions {
            function.facts.worth = cacheability(function, &function.facts);
        }
        (program.stamp, program.all) = (self.stamp(), self.functions);
    }

    /// Equal only for the same bodies and variables under the same numbers.
    pub fn stamp(&self) -> u64 {
        mix(self.stamp, u64::from(self.functions))
    }

    /// The number of functions added.
    pub fn functions(&self) -> u32 {
        self.functions
    }

    /// Analyses a function. `known` has the bodies of the functions that were analysed before it.
    fn facts(&mut self, program: &Program, at: u32, known: &[Option<u32>]) -> Facts {
        let function = &program.functions[at as usize];
        let mut facts = Facts::default();
        let alone = u64::MAX - u64::from(program.first + at);
        let text = Text { program, known, alone };
        let mut bytes = Vec::with_capacity(function.code.len() * 12 + 2);
        bytes.extend([function.parameters, function.captured]);
        for instruction in &function.code {
            facts.work += 1;
            bytes.extend([instruction.operation as u8, instruction.a, instruction.b]);
            let mut put = |words: &[u64]| words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
            let number = instruction.number;
            let constant = |index: usize| program.constants.get(index).copied().unwrap_or_default();
            match OperandRole::of(instruction.operation) {
                OperandRole::Literal => put(&[u64::from(instruction.c), u64::from(number)]),
                OperandRole::Constant => {
                    put(&[u64::from(instruction.c)]);
                    let constant = constant(number as usize);
                    text.put(constant, &mut bytes);
                    match constant.as_lambda() {
                        Some((lambda, Elements { count: 0, .. })) => {
                            let made = program.functions.get(lambda as usize).map(|made| &made.facts);
                            facts.require(made.map_or(&[], |made| &made.requirements));
                        }
                        // Requirements of lambdas in lists are not followed.
                        _ => facts.has_effect |= text.holds_lambda(constant),
                    }
                }
                OperandRole::SmallConstant => {
                    put(&[u64::from(number)]);
                    text.put(constant(usize::from(instruction.c)), &mut bytes);
                }
                OperandRole::Variable => {
                    put(&[program.names.get(number as usize).copied().unwrap_or_default().number()]);
                    facts.require(&[number]);
                }
                OperandRole::SetVariable => {
                    put(&[program.names.get(number as usize).copied().unwrap_or_default().number()]);
                    facts.has_effect = true;
                }
                OperandRole::Function => {
                    // Inner lambdas are analysed first. One that was not (a cycle) equals no other.
                    let body = text.body(number);
                    put(&[u64::from(instruction.c), body.unwrap_or(alone)]);
                    let made = program.functions.get(number as usize).filter(|_| body.is_some());
                    facts.require(made.map_or(&[], |made| &made.facts.requirements));
                    facts.has_effect |= made.is_none();
                }
            }
            facts.has_effect |= matches!(instruction.operation, Operation::Effect | Operation::Query);
            let looks =
                |number: u32| matches!(BUILTINS.get(number as usize), Some(Builtin { work: Work::Look(_), .. }));
            facts.has_effect |= instruction.operation == Operation::Builtin && looks(number);
            facts.work += match instruction.operation {
                Operation::Builtin => builtin_work(number),
                Operation::Query => program.queries.get(number as usize).map_or(2, |query| work_of(query.signature)),
                Operation::Call => CALL_WORK,
                _ => 0,
            };
        }
        self.stamp = mix(self.stamp, hash(&bytes));
        let next = self.numbers.len() as u32;
        facts.body = *self.numbers.entry(bytes).or_insert(next);
        facts
    }
}

/// The serialised form of constants, by which bodies are compared.
struct Text<'a> {
    program: &'a Program,
    /// The bodies of the functions that were analysed before.
    known: &'a [Option<u32>],
    /// A number for constants that cannot be compared, unique to the function.
    alone: u64,
}

/// Longer constants are not compared with others.
const TEXT_BYTES_MAX: usize = 1 << 16;

impl Text<'_> {
    fn body(&self, function: u32) -> Option<u64> {
        self.known.get(function as usize).copied().flatten().map(u64::from)
    }

    fn put(&self, constant: Value, bytes: &mut Vec<u8>) {
        let start = bytes.len();
        if self.put_value(constant, bytes, start + TEXT_BYTES_MAX, 0).is_none() {
            bytes.truncate(start);
            bytes.extend(self.alone.to_le_bytes());
        }
    }

    /// None if it is too long or nested too deep.
    fn put_value(&self, value: Value, bytes: &mut Vec<u8>, end: usize, depth: u32) -> Option<()> {
        let mut put = |words: [u64; 2]| words.into_iter().for_each(|word| bytes.extend(word.to_le_bytes()));
        if let Some((function, Elements { count: 0, .. })) = value.as_lambda() {
            put([self.body(function)?, value.kind() as u64]);
            return Some(());
        }
        let (bits, tag) = value.words();
        let Some(elements) = value.parts() else {
            put([bits, tag]);
            return Some(());
        };
        // The offset of parts does not matter, their number and values do.
        put([u64::from(elements.count), u64::from(tag as u32)]);
        if depth > NESTING_MAX || bytes.len() > end {
            return None;
        }
        let parts = self.program.parts(value);
        parts.iter().try_for_each(|part| self.put_value(*part, bytes, end, depth + 1))
    }

    /// Whether there may be a lambda in a list or a record.
    fn holds_lambda(&self, value: Value) -> bool {
        value.parts().is_some() && self.holds_lambda_within(value, &mut TEXT_BYTES_MAX.clone(), 0)
    }

    fn holds_lambda_within(&self, value: Value, left: &mut usize, depth: u32) -> bool {
        if value.as_lambda().is_some() || depth > NESTING_MAX || *left == 0 {
            return true;
        }
        *left -= 1;
        self.program.parts(value).iter().any(|part| self.holds_lambda_within(*part, left, depth + 1))
    }
}

/// The places of all names: variables first, then fields.
fn places(program: &Program) -> Vec<(StringId, u32)> {
    let names = program.names.iter().chain(program.fields.iter().map(|(name, _)| name));
    let mut places: Vec<_> = names.copied().zip(0..).collect();
    places.sort_unstable();
    places
}

/// The handler of each message: `OnHit` handles "Hit" and "hit".
fn handlers(program: &Program) -> Vec<(StringId, u32)> {
    let mut handlers = Vec::new();
    let fields = program.fields.iter().map(|(name, _)| program.strings.text(*name).unwrap_or_default());
    for (place, name) in (0..).zip(program.variables.iter().map(String::as_str).chain(fields)) {
        let Some(name) = name.strip_prefix("On").filter(|name| !name.is_empty()) else { continue };
        handlers.push((StringId::new(name), place));
        let mut letters = name.chars();
        if let Some(first) = letters.next().filter(|first| first.is_ascii_uppercase()) {
            let message = format!("{}{}", first.to_ascii_lowercase(), letters.as_str());
            handlers.push((StringId::new(&message), place));
        }
    }
    handlers.sort_unstable();
    handlers
}

/// The functions whose lambdas a function creates, or has among its constants.
fn callees<'a>(program: &'a Program, function: &'a Function) -> impl Iterator<Item = u32> + 'a {
    let used = function.code.iter().filter_map(|instruction| match instruction.operation {
        Operation::Lambda => Some(instruction.number),
        Operation::Constant => program.constants.get(instruction.number as usize)?.as_function(),
        _ => None,
    });
    used.filter(|number| (*number as usize) < program.functions.len())
}

/// All functions in depth-first postorder: each behind those it refers to, except in cycles.
fn callees_first(program: &Program) -> Vec<u32> {
    let mut is_met = alloc::vec![false; program.functions.len()];
    let mut order = Vec::with_capacity(program.functions.len());
    let mut open: Vec<(u32, Vec<u32>)> = Vec::new();
    for number in 0..program.functions.len() as u32 {
        let mut next = (!is_met[number as usize]).then_some(number);
        loop {
            if let Some(number) = next {
                is_met[number as usize] = true;
                open.push((number, callees(program, &program.functions[number as usize]).collect()));
            }
            let Some((function, left)) = open.last_mut() else { break };
            next = left.pop().filter(|number| !is_met[*number as usize]);
            if next.is_none() && left.is_empty() {
                order.push(*function);
                open.pop();
            }
        }
    }
    assert_eq!(order.len(), program.functions.len(), "every function is analysed once");
    order
}

/// Propagates requirements through cycles of functions, to a fixed point.
fn share_requirements(program: &mut Program) {
    const ROUNDS_MAX: usize = 16;
    for _ in 0..ROUNDS_MAX {
        let mut has_changed = false;
        for number in 0..program.functions.len() {
            let mut facts = core::mem::take(&mut program.functions[number].facts);
            let count = facts.requirements.len();
            for callee in callees(program, &program.functions[number]) {
                facts.require(&program.functions[callee as usize].facts.requirements);
            }
            has_changed |= facts.requirements.len() > count;
            program.functions[number].facts = facts;
        }
        if !has_changed {
            return;
        }
    }
    // No fixed point within the limit: nothing is memoised.
    program.functions.iter_mut().for_each(|function| function.facts.has_effect = true);
}

fn builtin_work(number: u32) -> u32 {
    match BUILTINS.get(number as usize).map(|builtin| (&builtin.work, builtin.signature)) {
        Some((Work::Any(_) | Work::Look(_), signature)) => work_of(signature),
        _ => 2,
    }
}

fn work_of(signature: &str) -> u32 {
    if signature.contains("list") { LOOP_WORK } else { 4 }
}

fn cacheability(function: &Function, facts: &Facts) -> Cacheability {
    let atoms = usize::from(function.parameters) + facts.requirements.len();
    if facts.has_effect || function.captured > 0 || atoms > ATOMS_MAX {
        return Cacheability::Impossible;
    }
    let enough = match function.caching {
        Caching::Cached => ASKED_WORK_MIN,
        Caching::Unsaid => UNASKED_WORK_MIN,
        Caching::Uncached => u32::MAX,
    };
    if facts.work >= enough { Cacheability::Kept } else { Cacheability::Possible }
}

/// The meaning of an instruction's `number`, or of its `c`.
enum OperandRole {
    /// Itself, or nothing.
    Literal,
    /// The number is that of a constant.
    Constant,
    /// `c` is the number of a constant.
    SmallConstant,
    Variable,
    SetVariable,
    Function,
}

impl OperandRole {
    fn of(operation: Operation) -> OperandRole {
        use Operation::*;
        match operation {
            Constant | AddConstant | SubtractConstant | MultiplyConstant | DivideConstant | Field | Effect => {
                OperandRole::Constant
            }
            JumpUnlessLessConstant
            | JumpUnlessLessEqualConstant
            | JumpUnlessGreaterConstant
            | JumpUnlessGreaterEqualConstant
            | JumpUnlessEqualConstant
            | JumpUnlessUnequalConstant => OperandRole::SmallConstant,
            Variable => OperandRole::Variable,
            SetVariable => OperandRole::SetVariable,
            Lambda => OperandRole::Function,
            _ => OperandRole::Literal,
        }
    }
}
