//! A crowd is asked as each of its members would be.

mod rows;

use proptest::prelude::*;
use script::cache::{Cache, Policy};
use script::columns::Lanes;
use script::crowd::{Member, Question, ask};
use script::environment::{Callee, evaluate};
use script::library::Library;
use script::machine::{Limits, Nowhere, Scratch};
use script::row::Row64;
use script::value::Value;

use rows::{nowhere, program, row};

const SHIP: &str = "
!set hull 100
!set rank 3
!set scale Lambda(x, x * rank)
!set other Lambda(x, x - 1)
!set hits 0
!set pure   Lambda(damage, kind, if kind = \"emp\" then scale(damage) / (hull - 50) else max(damage, hull * 0.5))
!set setting Lambda(damage, kind, [ !set hits hits + 1, !set hull hull - damage, hull ]())
!set loud   Lambda(damage, kind, [ if damage > 5 then !Log(damage), damage ]())
!set listed Lambda(damage, kind, count(filter([1, 5, 9], Lambda(x, x < damage))))
";

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => (-5..150_i32).prop_map(|number| Value::number(f64::from(number))),
        1 => Just(Value::NOTHING),
        1 => Just(Value::TRUE),
        1 => Just(Value::number(f64::NAN)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn each_gives_what_it_would_give_alone(
        members in prop::collection::vec((value(), value(), any::<bool>(), 0..20_u8), 1..150),
        fuel in prop_oneof![Just(100_000_u64), 0..120_u64],
    ) {
        let mut scratch = Scratch::new(Limits::default());
        let mut library = Library::new();
        let number = library.add(program(SHIP));
        let example = row(nowhere(library.get(number).expect("it was added")), &mut scratch);
        let plain = library.clone();
        library.specialise(number, example.view());
        let program = library.get(number).expect("it was added");
        let limits = Limits { fuel, ..Limits::default() };
        for name in ["pure", "setting", "loud", "listed"] {
            let variable = program.variable(name).expect("it is there");
            let (hull, scale) = (program.variable("hull").expect("so"), program.variable("scale").expect("so"));
            let other = example.view().get(program.variable("other").expect("so"));
            let mut rows: Vec<Row64> = vec![example; members.len()];
            for (row, (hull_value, _, _, which)) in rows.iter_mut().zip(&members) {
                row.edit().set(hull, *hull_value);
                if *which == 0 {
                    row.values[scale as usize] = other;
                }
            }
            let damages: Vec<Value> = members.iter().map(|member| member.1).collect();
            let emp = base::StringId::new("emp");
            let kinds: Vec<Value> =
                members.iter().map(|member| if member.2 { Value::string(emp) } else { Value::NOTHING }).collect();
            let mut expected = Vec::new();
            let mut alone = rows.clone();
            let mut alone_scratch = Scratch::with_cache(limits, Cache::new(Policy::Off, 0));
            let place = nowhere(plain.get(number).expect("it was added"));
            for (index, row) in alone.iter_mut().enumerate() {
                let given = [damages[index], kinds[index]];
                let result = evaluate(place, row.edit(), Callee::Variable(variable), &given, &mut alone_scratch);
                expected.push((index, canonical(result), alone_scratch.complaints().to_vec(), alone_scratch.effects().len()));
            }
            let mut found = Vec::new();
            {
                let mut crowd: Vec<Member<'_>> =
                    rows.iter_mut().map(|row| Member { this: Value::NOTHING, row: row.edit() }).collect();
                let arguments = [&damages[..], &kinds[..]];
                let question =
                    Question { library: &library, program: number, callee: Callee::Variable(variable), arguments: &arguments, outside: &Nowhere, now: 0.0, seed: 0 };
                let mut crowd_scratch = Scratch::new(limits);
                ask(&question, &mut crowd, &mut Lanes::new(), &mut crowd_scratch, &mut |index, result, scratch| {
                    found.push((index, canonical(result), scratch.complaints().to_vec(), scratch.effects().len()));
                });
            }
            prop_assert_eq!(&found, &expected, "{}", name);
            prop_assert_eq!(&rows, &alone, "{}", name);
        }
    }
}

/// Of a NaN nobody promises more than that it is one.
fn canonical<E>(result: Result<Value, E>) -> Result<Value, E> {
    result.map(Value::canonical)
}

#[test]
fn a_crowd_of_equals_goes_through_columns() {
    let mut scratch = Scratch::new(Limits::default());
    let mut library = Library::new();
    let number = library.add(program(SHIP));
    let example = row(nowhere(library.get(number).expect("it was added")), &mut scratch);
    library.specialise(number, example.view());
    let program = library.get(number).expect("it was added");
    let function = program.functions.iter().position(|function| function.name == "pure").expect("it is there");
    assert!(library.plan(number, function as u32).is_some());
}

#[test]
fn every_set_counts_however_it_is_made() {
    let source = "!set a 1\n!set f Lambda(x, [ !set a 2, !set a 3, !set a x ]())";
    let mut scratch = Scratch::new(Limits::default());
    let mut library = Library::new();
    let number = library.add(program(source));
    let example = row(nowhere(library.get(number).expect("it was added")), &mut scratch);
    let plain = library.clone();
    library.specialise(number, example.view());
    for effects in 0..5 {
        let results = [&plain, &library].map(|library| {
            let program = library.get(number).expect("it was added");
            let callee = Callee::Variable(program.variable("f").expect("it is there"));
            let mut scratch = Scratch::new(Limits { effects, ..Limits::default() });
            let mut row = example;
            (evaluate(nowhere(program), row.edit(), callee, &[Value::number(7.0)], &mut scratch), row)
        });
        assert_eq!(results[0], results[1], "{effects}");
        assert_eq!(results[0].0.is_ok(), effects >= 3, "{effects}");
    }
}
