//! Helpers that compile a source and initialise a row.

#![allow(dead_code, reason = "every test file uses its own part of this")]

use script::compile::compile;
use script::environment::{Callee, evaluate};
use script::machine::{EvaluationContext, Nowhere, Scratch};
use script::parse::parse;
use script::program::Program;
use script::row::{Row64, RowEdit};
use script::value::Value;

/// Compiles a valid source.
pub fn program(source: &str) -> Program {
    let tree = parse(source);
    assert!(tree.reports.is_empty(), "{source}: {:#?}", tree.reports);
    let (program, reports) = compile(source, &tree, &["this"]);
    assert!(reports.is_empty(), "{source}: {reports:#?}");
    assert_eq!(program.verify(), Ok(()));
    program
}

/// A context without other objects, at time 0.
pub fn nowhere(program: &Program) -> EvaluationContext<'_> {
    EvaluationContext { program, this: Value::NOTHING, outside: &Nowhere, now: 0.0, seed: 0 }
}

/// Runs all statements of a program over a row.
pub fn begin(place: EvaluationContext<'_>, mut row: RowEdit<'_>, number: u32, scratch: &mut Scratch) {
    row.begin(place.program, number, place.this).expect("the row is long enough");
    for statement in &place.program.statements {
        let row = RowEdit { head: row.head, values: row.values };
        evaluate(place, row, Callee::Function(*statement), &[], scratch).expect("statements of tests are cheap");
    }
}

/// A row over which all statements of a program have run.
pub fn row(place: EvaluationContext<'_>, scratch: &mut Scratch) -> Row64 {
    let mut row = Row64::default();
    begin(place, row.edit(), 0, scratch);
    row
}
