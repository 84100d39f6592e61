//! What a function is, apart from where it stands: its body, what it requires, and whether keeping its results can pay.
//!
//! Laws
//! 1. Two functions have the same body number if and only if they do the same to the same values: the same instructions
//!    with the same constants, variables of the same names, and inner lambdas of the same bodies. Bodies are compared, not
//!    hashed.
//! 2. All of this is worked out from the code, never believed: a program may have come from anywhere.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use base::StringId;
use base::hash::{hash, mix};

use crate::builtin::BUILTINS;
use crate::facts::{ASKED_WORK_MIN, ATOMS_MAX, Facts, UNASKED_WORK_MIN, Worth};
use crate::machine::Work;
use crate::program::{Function, Operation, Program, WAITING};
use crate::tree::Caching;

/// What a call through a variable or a loop over a list counts for, in instructions.
const CALL_WORK: u32 = 15;
const LOOP_WORK: u32 = 60;

/// All bodies there are, each with its number.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    numbers: BTreeMap<Vec<u8>, u32>,
    stamp: u64,
    functions: u32,
}

impl Bodies {
    /// Works out the facts of a program's functions. Programs added to the same bodies may share a cache.
    pub fn add(&mut self, program: &mut Program) {
        program.number_variables();
        program.names = program.variables.iter().map(|name| StringId::new(name)).collect();
        program.waiting = program.variable(WAITING);
        program.sender = program.variable("sender");
        program.handlers = handlers(&program.variables);
        program.first = self.functions;
        // Requirements are numbers of variables: with the same names in another order they would mean others.
        self.stamp = program.names.iter().fold(self.stamp, |stamp, name| mix(stamp, name.number()));
        self.functions += program.functions.len() as u32;
        for number in 0..program.functions.len() {
            let facts = self.facts(program, number);
            program.functions[number].facts = facts;
        }
        (program.stamp, program.all) = (self.stamp(), self.functions);
    }

    /// Equal only for the same bodies and variables under the same numbers.
    pub fn stamp(&self) -> u64 {
        mix(self.stamp, u64::from(self.functions))
    }

    /// How many functions were added.
    pub fn functions(&self) -> u32 {
        self.functions
    }

    fn facts(&mut self, program: &Program, at: usize) -> Facts {
        let function = &program.functions[at];
        let mut facts = Facts::default();
        let mut bytes = Vec::with_capacity(function.code.len() * 12 + 2);
        bytes.extend([function.parameters, function.carried]);
        for instruction in &function.code {
            facts.work += 1;
            bytes.extend([instruction.operation as u8, instruction.a, instruction.b]);
            let mut put = |words: &[u64]| words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
            let number = instruction.number;
            let constant = |index: usize| {
                let (bits, tag) = program.constants.get(index).copied().unwrap_or_default().words();
                [bits, tag]
            };
            match Operand::of(instruction.operation) {
                Operand::Literal => put(&[u64::from(instruction.c), u64::from(number)]),
                Operand::Constant => {
                    put(&[u64::from(instruction.c)]);
                    put(&constant(number as usize));
                }
                Operand::SmallConstant => {
                    put(&[u64::from(number)]);
                    put(&constant(usize::from(instruction.c)));
                }
                Operand::Variable => {
                    put(&[program.names.get(number as usize).copied().unwrap_or_default().number()]);
                    facts.require(&[number]);
                }
                Operand::SetVariable => {
                    put(&[program.names.get(number as usize).copied().unwrap_or_default().number()]);
                    facts.has_effect = true;
                }
                Operand::Function => {
                    // Inner lambdas are compiled first. One that is not is taken for one of a kind.
                    let made = program.functions[..at].get(number as usize).map(|made| &made.facts);
                    put(&[u64::from(instruction.c), made.map_or(u64::MAX - at as u64, |made| u64::from(made.body))]);
                    facts.require(made.map_or(&[], |made| &made.requirements));
                    facts.has_effect |= made.is_none();
                }
            }
            facts.has_effect |= instruction.operation == Operation::Effect;
            facts.work += match instruction.operation {
                Operation::Builtin => builtin_work(number),
                Operation::Call => CALL_WORK,
                _ => 0,
            };
        }
        facts.worth = worth(function, &facts);
        self.stamp = mix(self.stamp, hash(&bytes));
        let next = self.numbers.len() as u32;
        facts.body = *self.numbers.entry(bytes).or_insert(next);
        facts
    }
}

/// Which variable handles which message: `OnHit` handles "Hit" and "hit".
fn handlers(variables: &[String]) -> Vec<(StringId, u32)> {
    let mut handlers = Vec::new();
    for (number, variable) in variables.iter().enumerate() {
        let Some(name) = variable.strip_prefix("On").filter(|name| !name.is_empty()) else { continue };
        handlers.push((StringId::new(name), number as u32));
        let mut letters = name.chars();
        if let Some(first) = letters.next().filter(|first| first.is_ascii_uppercase()) {
            let message = format!("{}{}", first.to_ascii_lowercase(), letters.as_str());
            handlers.push((StringId::new(&message), number as u32));
        }
    }
    handlers
}

fn builtin_work(number: u32) -> u32 {
    match BUILTINS.get(number as usize).map(|builtin| (&builtin.work, builtin.signature)) {
        Some((Work::Any(_), signature)) if signature.contains("list") => LOOP_WORK,
        Some((Work::Any(_), _)) => 4,
        _ => 2,
    }
}

fn worth(function: &Function, facts: &Facts) -> Worth {
    let atoms = usize::from(function.parameters) + facts.requirements.len();
    if facts.has_effect || function.carried > 0 || atoms > ATOMS_MAX {
        return Worth::Impossible;
    }
    let enough = match function.caching {
        Caching::Cached => ASKED_WORK_MIN,
        Caching::Unsaid => UNASKED_WORK_MIN,
        Caching::Uncached => u32::MAX,
    };
    if facts.work >= enough { Worth::Kept } else { Worth::Possible }
}

/// What the number of an instruction, or its `c`, means.
enum Operand {
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

impl Operand {
    fn of(operation: Operation) -> Operand {
        use Operation::*;
        match operation {
            Constant | AddConstant | SubtractConstant | MultiplyConstant | DivideConstant | Field | Effect => {
                Operand::Constant
            }
            JumpUnlessLessConstant
            | JumpUnlessLessEqualConstant
            | JumpUnlessGreaterConstant
            | JumpUnlessGreaterEqualConstant
            | JumpUnlessEqualConstant
            | JumpUnlessUnequalConstant => Operand::SmallConstant,
            Variable => Operand::Variable,
            SetVariable => Operand::SetVariable,
            Lambda => Operand::Function,
            _ => Operand::Literal,
        }
    }
}
