//! The binary program format: round trips and invalid bytes.

use crate::samples;

use std::cell::{Cell, RefCell};

use proptest::prelude::*;
use samples::{QUERIES, SOURCES, compiled, outcome, scratches};
use script::binary::{BinaryError, FORMAT, decode, encode, seal};
use script::builtin::BUILTINS;
use script::compile::begin;
use script::program::{
    CONSTANTS_MAX, FUNCTIONS_MAX, INSTRUCTIONS_MAX, Operation, Program, REGISTERS_MAX, STATEMENTS_MAX, VARIABLES_MAX,
};
use script::value::Value;
use script::verify::Law;

#[test]
fn programs_round_trip() {
    let examples = BUILTINS.iter().map(|builtin| builtin.example.0);
    let others = ["", "Cached Lambda(a, a)", "Uncached Lambda(~x, ~x)", "\"ä€\" = \"\"", "[ !Log() ]"];
    let mut scratches = scratches();
    for source in SOURCES.iter().copied().chain(examples).chain(others) {
        let program = match source.contains('~') {
            true => script::compile::extend(begin(&[], &[], QUERIES), source, &script::parse::parse(source)).0,
            false => compiled(source),
        };
        let bytes = encode(&program);
        let decoded = decode(&bytes, QUERIES).unwrap_or_else(|error| panic!("{source}: {error}"));
        assert_eq!(format!("{decoded:?}"), format!("{program:?}"), "{source}");
        assert_eq!(encode(&decoded), bytes, "{source}");
        assert_eq!(outcome(&decoded, &mut scratches[0]), outcome(&program, &mut scratches[1]), "{source}");
    }
}

#[test]
fn constants_of_every_kind_round_trip_bit_by_bit() {
    let mut program = compiled("1");
    let nan = f64::from_bits(0x7ff0_0000_0000_0001);
    program.constants.extend([Value::NOTHING, Value::TRUE, Value::FALSE, Value::number(-0.0), Value::number(nan)]);
    program.constants.push(Value::identifier(i32::MIN));
    program.constants.push(Value::vector(base::Vec3::new(-0.0, f32::INFINITY, f32::from_bits(0x7f80_0001))));
    program.constants.push(Value::handle(base::Handle::new(5, 0xe373), 7));
    assert_eq!(decode(&encode(&program), QUERIES).unwrap().constants, program.constants);
}

/// Pins the format. A change to this test requires a higher `FORMAT` and an update of the book's page.
#[test]
fn a_tiny_program_has_these_bytes() {
    let program = compiled("!set x max(x, 2) + 1");
    #[rustfmt::skip]
    let body = [
        &[0][..], //                                  no strings
        &[1, 3, b'm', b'a', b'x'], //                 one built-in
        &[2, 4, b't', b'h', b'i', b's', 1, b'x'], //  two variables
        &[2, 1, 0, 0, 0, 0, 0, 0, 0, 0x40], //        two constants: 2
        &[1, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f], //        1
        &[1], //                                      one function
        &[0, 0, 0, 4, 1, 0, 40], //                   no name, nothing taken or captured, registers, effectful, 0 to 20
        &[1, 1], //                                   reads variable 1
        &[6], //                                      six instructions: operation, a, b, c, number
        &[2, 2, 0, 0, 1, 0, 0, 0], //                 Variable x
        &[1, 3, 0, 0, 0, 0, 0, 0], //                 Constant 2
        &[41, 1, 2, 2, 0, 0, 0, 0], //                Builtin, the first of the file
        &[15, 0, 1, 0, 1, 0, 0, 0], //                AddConstant 1
        &[3, 0, 0, 0, 1, 0, 0, 0], //                 SetVariable x
        &[43, 0, 0, 0, 0, 0, 0, 0], //                Return
        &[22, 2, 6, 2, 13, 18, 0, 26, 13, 40, 0, 40], // their places
        &[1, 0], //                                   one statement
        &[1, 0], //                                   one line
    ].concat();
    let bytes = encode(&program);
    assert_eq!(bytes[..16], *b"ASTRCODE\x03\0\0\0\0\0\0\0");
    assert_eq!(bytes[16..24], base::hash::hash(&body).to_le_bytes());
    assert_eq!(bytes[24..], body);
}

#[test]
fn the_page_of_the_book_has_every_operation_and_limit() {
    let page = include_str!("../../../docs/book/src/bytecode.md");
    // In a file a query is a built-in.
    let written = Operation::ALL.iter().filter(|operation| **operation != Operation::Query);
    let rows = written.enumerate().map(|(number, operation)| format!("\n| {number} | `{operation:?}` |"));
    rows.for_each(|row| assert!(page.contains(&row), "{row}"));
    assert!(page.contains(&format!("| 8..12 | format, {FORMAT} |")));
    let limits = [REGISTERS_MAX, INSTRUCTIONS_MAX, FUNCTIONS_MAX, STATEMENTS_MAX, VARIABLES_MAX, CONSTANTS_MAX];
    let [thousand, million] = [1 << 10, 1 << 20];
    assert_eq!(limits, [250, million, million, million, million, 16 * thousand * thousand]);
}

#[test]
fn invalid_bytes_are_refused_with_a_reason() {
    let good = encode(&compiled("!set x max(x, 2) + 1"));
    let check = |change: fn(&mut Vec<u8>), expected: &str| {
        let mut bytes = good.clone();
        change(&mut bytes);
        assert_eq!(decode(&bytes, QUERIES).unwrap_err().to_string(), expected);
    };
    check(|bytes| bytes.clear(), "not a compiled script");
    check(|bytes| bytes[0] = b'a', "not a compiled script");
    check(|bytes| bytes[8] = 9, "compiled for format 9, this is format 3: compile it again");
    check(|bytes| bytes[60] ^= 1, "the file is damaged: its checksum differs");
    check(|bytes| bytes.truncate(100), "the file is damaged: its checksum differs");
    let name = |bytes: &mut Vec<u8>| {
        bytes[27] = b'w';
        seal(bytes);
    };
    check(name, "there is no built-in or query `wax`: compile it again");
    let mut program = compiled("1 + 2");
    program.functions[0].code.pop();
    program.functions[0].spans.pop();
    match decode(&encode(&program), QUERIES) {
        Err(BinaryError::Breach(breach)) => assert_eq!((breach.function, breach.law), (0, Law::End)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_truncation_is_an_error() {
    let good = encode(&compiled(SOURCES[4]));
    for length in 0..good.len() {
        let mut bytes = good[..length].to_vec();
        seal(&mut bytes);
        assert!(decode(&bytes, QUERIES).is_err(), "cut to {length}");
    }
    let mut longer = [&good[..], &[0]].concat();
    seal(&mut longer);
    assert!(decode(&longer, QUERIES).is_err());
}

#[test]
fn counts_without_data_allocate_nothing() {
    let mut bytes = encode(&Program::default());
    bytes.truncate(24);
    // No strings, built-ins or variables, and a hundred million constants.
    bytes.extend([0, 0, 0, 0x80, 0xc2, 0xd7, 0x2f]);
    seal(&mut bytes);
    assert!(matches!(decode(&bytes, QUERIES), Err(BinaryError::Read(_))));
}

#[test]
fn changed_files_are_refused_or_run_within_limits() {
    let (refused, run) = (Cell::new(0), Cell::new(0));
    let scratches = RefCell::new(scratches());
    let files: Vec<Vec<u8>> = SOURCES.iter().map(|source| encode(&compiled(source))).collect();
    let change =
        (any::<prop::sample::Index>(), prop_oneof![Just(None), (0..16_u8).prop_map(Some), any::<u8>().prop_map(Some)]);
    let strategy = (prop::sample::select(files), prop::collection::vec(change, 1..4));
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(1500));
    let result = runner.run(&strategy, |(mut bytes, changes)| {
        for (place, byte) in changes {
            let place = 24 + place.index(bytes.len() - 24);
            match byte {
                Some(byte) => bytes[place] = byte,
                None => bytes[place] ^= 1,
            }
        }
        seal(&mut bytes);
        let Ok(program) = decode(&bytes, QUERIES) else {
            refused.set(refused.get() + 1);
            return Ok(());
        };
        run.set(run.get() + 1);
        prop_assert_eq!(&encode(&program), &bytes);
        let outcomes: Vec<_> = scratches.borrow_mut().iter_mut().map(|scratch| outcome(&program, scratch)).collect();
        prop_assert!(outcomes.windows(2).all(|pair| pair[0] == pair[1]), "{:#?}", outcomes);
        Ok(())
    });
    result.unwrap();
    let (refused, run) = (refused.get(), run.get());
    assert!(refused > 100 && run > 100, "{refused} refused, {run} run");
}

proptest! {
    #[test]
    fn random_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(decode(&bytes, QUERIES).is_err());
        let mut sealed = [&encode(&Program::default())[..24], &bytes].concat();
        seal(&mut sealed);
        if let Ok(program) = decode(&sealed, QUERIES) {
            prop_assert_eq!(program.verify(), Ok(()));
            prop_assert_eq!(encode(&program), sealed);
        }
    }
}
