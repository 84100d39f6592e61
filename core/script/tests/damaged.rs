//! Corrupt rows: their meaning is defined, and the same on every execution path.

use crate::rows;

use base::StringId;
use script::environment::{Callee, evaluate};
use script::library::Library;
use script::machine::{EvaluationContext, Limits, Scratch};
use script::message::Message;
use script::program::Program;
use script::stage::{deliver, tick};
use script::value::Value;

use rows::{nowhere, program, row};

fn variable(program: &Program, name: &str) -> u32 {
    program.variable(name).expect("the test made it")
}

#[test]
fn unset_variables_keep_their_bits() {
    let mut library = Library::new();
    let number = library.add(program("!set a 1\n!set f Lambda(x, [ if x > 0 then !set a x, 1 ]())"));
    let mut scratch = Scratch::new(Limits::default());
    let mut before = row(nowhere(library.get(number).expect("it was added")), &mut scratch);
    library.specialise(number, before.view());
    let program = library.get(number).expect("it was added");
    let wild = Value::number(f64::from_bits(0xfff0_0000_0000_1234));
    before.values[variable(program, "a") as usize] = wild;
    let callee = Callee::Variable(variable(program, "f"));
    let mut row = before;
    assert!(evaluate(nowhere(program), row.edit(), callee, &[Value::number(-1.0)], &mut scratch).is_ok());
    assert_eq!(row, before);
}

#[test]
fn a_record_name_without_a_value_is_dropped() {
    let program = program("!set r { a 1, b 2 }\n!set f Lambda(x, with(r, \"c\", x))");
    let mut scratch = Scratch::new(Limits::default());
    let mut row = row(nowhere(&program), &mut scratch);
    let place = variable(&program, "r") as usize;
    let [bits, tag]: [u64; 2] = base::plain::pod_read_unaligned(base::plain::bytes_of(&row.values[place]));
    assert_eq!(tag >> 32, 4, "two names and two values");
    row.values[place] = base::plain::pod_read_unaligned(base::plain::bytes_of(&[bits, tag - (1 << 32)]));
    let callee = Callee::Variable(variable(&program, "f"));
    let record = evaluate(nowhere(&program), row.edit(), callee, &[Value::TRUE], &mut scratch);
    assert_eq!(scratch.region().parts(record.expect("it ends")).len(), 4);
}

#[test]
fn a_timer_fires_once_per_point_in_time_with_any_period() {
    let program = program("!set n 0\n!Every(1, [ !set n n + 1 ])");
    let mut scratch = Scratch::new(Limits::default());
    let before = row(nowhere(&program), &mut scratch);
    for period in [1e-30, f64::NAN, f64::MIN_POSITIVE, -1.0, 0.0, f64::INFINITY] {
        let mut row = before;
        for value in row.values.iter_mut().filter(|value| **value == Value::number(1.0)) {
            *value = Value::number(period);
        }
        let waiting = variable(&program, "~waiting");
        let start = row.view().get(waiting);
        assert_eq!(row.view().parts(start).len(), 4);
        for time in [5.0, 6.0] {
            let place = EvaluationContext { now: time, ..nowhere(&program) };
            let count = (0..10).take_while(|_| tick(place, row.edit(), &mut scratch).is_some()).count();
            assert!(count <= 1, "{period}: {count} times at {time}");
        }
    }
}

#[test]
fn a_sender_with_parts_becomes_nothing() {
    let (source, name) = ("!set who 0\n!set OnHail Lambda(x, !set who ~sender)", StringId::new("hail"));
    let program = program(source);
    let mut scratch = Scratch::new(Limits::default());
    let mut row = row(nowhere(&program), &mut scratch);
    let list: Value = base::plain::pod_read_unaligned(base::plain::bytes_of(&[0_u64, 1 << 32 | 8]));
    for (from, expected) in [(Value::identifier(3), Value::identifier(3)), (list, Value::NOTHING)] {
        deliver(nowhere(&program), row.edit(), &Message::new(name, from), &mut scratch).expect("it ends");
        assert_eq!(row.view().get(variable(&program, "who")), expected);
    }
}

#[test]
fn a_lambda_of_a_missing_function_is_not_callable() {
    let mut library = Library::new();
    let number = library.add(program("!set h 0\n!set g Lambda(x, x + 1)\n!set f Lambda(x, g(x) + h(x) + g(x))"));
    let mut scratch = Scratch::new(Limits::default());
    let mut before = row(nowhere(library.get(number).expect("it was added")), &mut scratch);
    let plain = library.clone();
    library.specialise(number, before.view());
    let wild = base::plain::pod_read_unaligned(base::plain::bytes_of(&[77_u64 << 32, 7]));
    before.values[variable(plain.get(number).expect("it was added"), "h") as usize] = wild;
    for library in [&plain, &library] {
        let program = library.get(number).expect("it was added");
        let callee = Callee::Variable(variable(program, "f"));
        let mut row = before;
        let result = evaluate(nowhere(program), row.edit(), callee, &[Value::number(1.0)], &mut scratch);
        assert_eq!(result, Ok(Value::number(4.0)));
        assert_eq!(scratch.complaints()[0].to_string(), "expected a lambda, found lambda");
    }
}
