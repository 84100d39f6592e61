//! The verifier: a mutated program is refused, or gives the same results with every scratch.

use crate::samples;

use std::cell::{Cell, RefCell};

use proptest::prelude::*;
use samples::{SOURCES, compiled, outcome, scratches};
use script::builtin::BUILTINS;
use script::program::{Instruction, Operation, Program};

fn operations() -> impl Strategy<Value = Operation> {
    let known: Vec<Operation> = SOURCES
        .iter()
        .flat_map(|source| compiled(source).functions)
        .flat_map(|function| function.code)
        .fold(Vec::new(), |mut known, instruction| {
            if !known.contains(&instruction.operation) {
                known.push(instruction.operation);
            }
            known
        });
    assert!(known.len() > 35, "the sources must use nearly every operation: {known:?}");
    prop::sample::select(known)
}

#[derive(Clone, Debug)]
struct Change {
    place: prop::sample::Index,
    field: u8,
    operation: Operation,
    small: u8,
    number: u32,
}

impl Change {
    fn apply(&self, program: &mut Program) {
        let count: usize = program.functions.iter().map(|function| function.code.len()).sum();
        let mut left = self.place.index(count);
        for function in &mut program.functions {
            if let Some(instruction) = function.code.get_mut(left) {
                let Instruction { operation, a, b, c, number } = instruction;
                match self.field {
                    0 => *operation = self.operation,
                    1 => *a = self.small,
                    2 => *b = self.small,
                    3 => *c = self.small,
                    _ => *number = self.number,
                }
                return;
            }
            left -= function.code.len();
        }
    }
}

fn changes() -> impl Strategy<Value = Vec<Change>> {
    let change = (any::<prop::sample::Index>(), 0..5_u8, operations(), 0..12_u8, 0..24_u32);
    let change =
        change.prop_map(|(place, field, operation, small, number)| Change { place, field, operation, small, number });
    prop::collection::vec(change, 1..6)
}

#[test]
fn compiled_programs_verify() {
    let examples = BUILTINS.iter().map(|builtin| builtin.example.0);
    for source in SOURCES.iter().copied().chain(examples) {
        assert_eq!(compiled(source).verify(), Ok(()), "{source}");
    }
}

#[test]
fn changed_programs_are_refused_or_run_the_same_in_every_scratch() {
    let (refused, run) = (Cell::new(0), Cell::new(0));
    let scratches = RefCell::new(scratches());
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(1500));
    let strategy = (prop::sample::select(SOURCES), changes());
    let result = runner.run(&strategy, |(source, changes)| {
        let mut program = compiled(source);
        changes.iter().for_each(|change| change.apply(&mut program));
        if program.verify().is_err() {
            refused.set(refused.get() + 1);
            return Ok(());
        }
        run.set(run.get() + 1);
        let outcomes: Vec<_> = scratches.borrow_mut().iter_mut().map(|scratch| outcome(&program, scratch)).collect();
        prop_assert!(outcomes.windows(2).all(|pair| pair[0] == pair[1]), "{source}: {outcomes:#?}");
        Ok(())
    });
    result.unwrap();
    let (refused, run) = (refused.get(), run.get());
    assert!(refused > 100 && run > 100, "{refused} refused, {run} run: too few mutations were refused or accepted");
}
