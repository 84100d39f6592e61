use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use base::{StringId, Vec3};

use super::*;
use crate::ast::Caching;
use crate::builtin;
use crate::facts::Facts;
use crate::query::Query;
use crate::source::Span;
use crate::value::{Elements, Value};

fn function(code: &[Instruction]) -> Function {
    Function {
        name: String::new(),
        code: code.to_vec(),
        spans: vec![Span::default(); code.len()],
        parameters: 2,
        captured: 1,
        registers: 6,
        is_effectful: true,
        reads: vec![0],
        caching: Caching::Unsaid,
        span: Span::default(),
        facts: Facts::default(),
        place: 0,
    }
}

static QUERIES: &[Query] = &[Query::new("near", "near(number, record?) truth", 1, "", ("", ""))];

/// Three functions: the first has the code, the second captures one value, the third is a statement.
fn program(code: &[Instruction]) -> Program {
    let end = [at(Operation::Constant, 0, 0, 0, 0), at(Operation::Return, 0, 0, 0, 0)];
    let statement = Function { parameters: 0, captured: 0, ..function(&end) };
    Program {
        functions: vec![function(code), function(&end), statement],
        constants: vec![Value::number(1.0), Value::string(StringId::new("x")), Value::vector(Vec3::default())],
        variables: vec![String::from("a"), String::from("b")],
        statements: vec![2],
        queries: QUERIES,
        ..Program::default()
    }
}

fn at(operation: Operation, a: u8, b: u8, c: u8, number: u32) -> Instruction {
    Instruction { operation, a, b, c, number }
}

const END: Instruction = Instruction { operation: Operation::Return, a: 0, b: 0, c: 0, number: 0 };

#[test]
fn each_law_has_a_program_that_breaks_it() {
    use Operation::*;
    let min = builtin::find("min").unwrap().0;
    let builtins = BUILTINS.len() as u32;
    let check = |code: &[Instruction], expected: Result<(), (u32, Law)>| {
        let found = program(code).verify();
        let expected = expected.map_err(|(instruction, law)| Breach { function: 0, instruction, law });
        assert_eq!(found, expected, "{code:?}");
    };
    // Registers.
    check(&[at(Move, 5, 2, 0, 0), END], Ok(()));
    check(&[at(Move, 6, 0, 0, 0), END], Err((0, Law::Registers)));
    check(&[at(Move, 0, 6, 0, 0), END], Err((0, Law::Registers)));
    check(&[at(Add, 0, 0, 255, 0), END], Err((0, Law::Registers)));
    check(&[at(Return, 6, 0, 0, 0)], Err((0, Law::Registers)));
    check(&[at(List, 0, 5, 2, 0), END], Err((0, Law::Registers)));
    check(&[at(List, 0, 255, 255, 0), END], Err((0, Law::Registers)));
    check(&[at(Call, 0, 255, 255, 0), END], Err((0, Law::Registers)));
    check(&[at(Call, 0, 3, 3, 0), END], Err((0, Law::Registers)));
    // Numbers.
    check(&[at(Constant, 0, 0, 0, 3), END], Err((0, Law::Numbers)));
    check(&[at(AddConstant, 0, 0, 0, u32::MAX), END], Err((0, Law::Numbers)));
    check(&[at(Variable, 0, 0, 0, 2), END], Err((0, Law::Numbers)));
    check(&[at(SetVariable, 0, 0, 0, 2), END], Err((0, Law::Numbers)));
    check(&[at(Lambda, 0, 0, 1, 3), END], Err((0, Law::Numbers)));
    check(&[at(Builtin, 0, 0, 1, builtins), END], Err((0, Law::Numbers)));
    check(&[at(Query, 0, 0, 1, 1), END], Err((0, Law::Numbers)));
    check(&[at(JumpUnlessLessConstant, 0, 0, 3, 1), END], Err((0, Law::Numbers)));
    check(&[at(Field, 0, 0, 0, 3), END], Err((0, Law::Numbers)));
    // Names.
    check(&[at(Field, 0, 0, 0, 1), at(Effect, 0, 0, 0, 1), END], Ok(()));
    check(&[at(Field, 0, 0, 0, 0), END], Err((0, Law::Names)));
    check(&[at(Effect, 0, 0, 0, 2), END], Err((0, Law::Names)));
    // Jumps.
    check(&[at(Jump, 0, 0, 0, 1), END], Ok(()));
    check(&[at(Jump, 0, 0, 0, 0), END], Err((0, Law::Jumps)));
    check(&[at(Jump, 0, 0, 0, 2), END], Err((0, Law::Jumps)));
    check(&[at(Move, 0, 0, 0, 0), at(JumpUnless, 0, 0, 0, 0), END], Err((1, Law::Jumps)));
    check(&[END, at(Jump, 0, 0, 0, 0), END], Err((1, Law::Jumps)));
    // Counts.
    check(&[at(Builtin, 0, 0, 2, min), at(Lambda, 0, 0, 1, 1), at(Record, 0, 0, 2, 0), END], Ok(()));
    check(&[at(Builtin, 0, 0, 1, min), END], Err((0, Law::Counts)));
    check(&[at(Builtin, 0, 0, 3, min), END], Err((0, Law::Counts)));
    check(&[at(Query, 0, 0, 1, 0), at(Query, 0, 0, 2, 0), END], Ok(()));
    check(&[at(Query, 0, 0, 0, 0), END], Err((0, Law::Counts)));
    check(&[at(Query, 0, 0, 3, 0), END], Err((0, Law::Counts)));
    check(&[at(Lambda, 0, 0, 2, 1), END], Err((0, Law::Counts)));
    check(&[at(Record, 0, 0, 1, 0), END], Err((0, Law::Counts)));
    // Claims.
    check(&[at(Variable, 0, 0, 0, 0), END], Ok(()));
    check(&[at(Variable, 0, 0, 0, 1), END], Err((0, Law::Claims)));
    // The end.
    check(&[at(Move, 0, 0, 0, 0)], Err((0, Law::End)));
    check(&[], Err((0, Law::End)));
}

#[test]
fn a_register_is_written_before_it_is_read_on_every_path() {
    use Operation::*;
    let skip = |to| at(JumpUnless, 0, 0, 0, to);
    let check = |code: &[Instruction], expected: Option<u32>| {
        let breach = |instruction| Breach { function: 0, instruction, law: Law::Written };
        assert_eq!(program(code).verify(), expected.map_or(Ok(()), |at| Err(breach(at))), "{code:?}");
    };
    check(&[at(Move, 0, 3, 0, 0), END], Some(0));
    check(&[at(Move, 3, 0, 0, 0), at(Return, 3, 0, 0, 0)], None);
    check(&[at(Return, 3, 0, 0, 0)], Some(0));
    check(&[at(SetVariable, 3, 0, 0, 0), END], Some(0));
    check(&[at(JumpUnless, 4, 0, 0, 1), END], Some(0));
    check(&[at(JumpUnlessLess, 0, 0, 4, 1), END], Some(0));
    check(&[at(List, 0, 2, 2, 0), END], Some(0));
    // Written on one path only, and on both.
    check(&[skip(2), at(Move, 3, 0, 0, 0), at(Return, 3, 0, 0, 0)], Some(2));
    check(&[skip(3), at(Move, 3, 0, 0, 0), at(Jump, 0, 0, 0, 4), at(Move, 3, 1, 0, 0), at(Return, 3, 0, 0, 0)], None);
    check(
        &[skip(3), at(Move, 3, 0, 0, 0), at(Jump, 0, 0, 0, 4), at(Move, 4, 1, 0, 0), at(Return, 3, 0, 0, 0)],
        Some(4),
    );
    // Three paths join; the first one skips the write.
    check(&[skip(3), at(Move, 3, 0, 0, 0), skip(3), at(Return, 3, 0, 0, 0)], Some(3));
    check(&[at(Move, 3, 0, 0, 0), skip(3), skip(3), at(Return, 3, 0, 0, 0)], None);
    // Unreachable code may read any register.
    check(&[END, at(Move, 0, 5, 0, 0), END], None);
    check(&[at(Jump, 0, 0, 0, 2), at(Move, 3, 5, 0, 0), at(Return, 3, 0, 0, 0)], Some(2));
    // A call takes the registers above the lambda.
    let call = |to, lambda, count| at(Call, to, lambda, count, 0);
    check(&[call(0, 0, 0), at(Return, 0, 0, 0, 0)], None);
    check(&[call(0, 0, 1), at(Return, 1, 0, 0, 0)], Some(1));
    check(&[call(2, 0, 1), at(Return, 2, 0, 0, 0)], None);
    check(&[call(2, 1, 1), at(Return, 1, 0, 0, 0)], None);
    check(&[call(0, 2, 1), END], Some(0));
}

#[test]
fn laws_of_whole_functions_and_programs_are_checked() {
    let check = |change: fn(&mut Program), function: u32, law: Law| {
        let mut changed = program(&[END]);
        assert_eq!(changed.verify(), Ok(()));
        change(&mut changed);
        assert_eq!(changed.verify(), Err(Breach { function, instruction: 0, law }));
    };
    check(|program| program.functions[1].registers = 2, 1, Law::Inputs);
    check(|program| program.functions[1].registers = 251, 1, Law::Inputs);
    check(|program| (program.functions[0].parameters, program.functions[0].captured) = (255, 255), 0, Law::Inputs);
    check(|program| program.functions[2].spans.clear(), 2, Law::Spans);
    check(|program| program.functions[2].reads.push(2), 2, Law::Claims);
    check(|program| program.functions[2].reads = vec![0; 3], 2, Law::Claims);
    check(|program| program.statements.push(3), 3, Law::Statements);
    check(|program| program.statements.push(0), 3, Law::Statements);
    check(|program| program.functions[2].captured = 1, 3, Law::Statements);
    check(|program| program.constants.push(Value::list(Elements::default())), 3, Law::Constants);
    check(|program| program.constants.push(Value::lambda(0, Elements::default())), 3, Law::Constants);
    check(|program| program.statements = vec![2; STATEMENTS_MAX + 1], 3, Law::Limits);
    check(|program| program.constants = vec![Value::TRUE; CONSTANTS_MAX + 1], 3, Law::Limits);
    check(|program| program.functions[1].code = vec![END; INSTRUCTIONS_MAX + 1], 1, Law::Limits);
}

#[test]
fn effects_must_be_declared() {
    for operation in [Operation::Effect, Operation::SetVariable] {
        let number = u32::from(operation == Operation::Effect);
        let mut quiet = program(&[at(operation, 0, 0, 0, number), END]);
        assert_eq!(quiet.verify(), Ok(()));
        quiet.functions[0].is_effectful = false;
        assert_eq!(quiet.verify(), Err(Breach { function: 0, instruction: 0, law: Law::Claims }));
    }
}

#[test]
fn a_violation_names_its_place_and_law() {
    let breach = program(&[END, at(Operation::Jump, 0, 0, 0, 0), END]).verify().unwrap_err();
    assert_eq!(alloc::format!("{breach}"), "function 0, instruction 1: a jump backward or out of the function");
}

#[test]
fn register_sets_drop_exactly_the_registers_above() {
    for last in [0, 1, 62, 63, 64, 127, 128, 200, 255] {
        let mut registers = RegisterSet::default();
        (0..=255).for_each(|register| registers.insert(register));
        registers.remove_above(last);
        let kept: Vec<u8> = (0..=255).filter(|register| registers.contains(*register)).collect();
        assert_eq!(kept, (0..=last).collect::<Vec<u8>>());
    }
}
