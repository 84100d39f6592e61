//! Memoisation never changes a result, a limit or a complaint.

use crate::rows;

use base::{Handle, Vec3};
use proptest::prelude::*;
use script::cache::{Cache, Policy};
use script::compile::compile;
use script::environment::{Callee, EvaluationError, evaluate};
use script::facts::Cacheability;
use script::library::Library;
use script::machine::{Complaint, EvaluationContext, Halt, Limits, Scratch};
use script::parse::parse;
use script::program::Program;
use script::row::Row64;
use script::value::{Kind, Value};

use rows::{nowhere, program, row};

const ARMOUR: &str = "
!set armour 3
!set buffs [2, 4, 8]
!set soften Lambda(damage, damage - armour)
!set rating Lambda(level, fold(range(level), 0, Lambda(total, n, total + soften(n) * soften(n))))
!set worst  Lambda(level, kind, if kind = 1 then rating(level) + rating(level + 1) else max(rating(level), 0))
!set deep   Lambda(n, if n = 0 then fold(range(20), 0, Lambda(a, b, a + b)) else deep(n - 1) + 1)
!set wrong  Lambda(n, fold(range(10), 0, Lambda(a, b, a + \"x\")))
!set wide   Lambda(n, count(join(range(n), range(n))))
!set loud   Lambda(n, fold(range(10), 0, Lambda(a, b, a + b)) + shout(n))
!set shout  Lambda(n, [ !Log(n), n ]())
!set listed Lambda(n, map(range(10), Lambda(x, x * n)))
";

type Outcome = (Result<Value, EvaluationError>, Vec<Complaint>, usize);

fn call(program: &Program, row: &mut Row64, name: &str, arguments: &[Value], scratch: &mut Scratch) -> Outcome {
    let variable = program.variable(name).expect("the test made it");
    let result = evaluate(nowhere(program), row.edit(), Callee::Variable(variable), arguments, scratch);
    (result, scratch.complaints().to_vec(), scratch.effects().len())
}

fn scratch(policy: Policy, limits: Limits) -> Scratch {
    Scratch::with_cache(limits, Cache::new(policy, 256))
}

fn usage(program: &Program, scratch: &Scratch, name: &str) -> script::cache::Usage {
    let number = program.functions.iter().position(|function| function.name == name).expect("the test made it");
    scratch.cache().usage(number as u32)
}

fn number(number: f64) -> Value {
    Value::number(number)
}

#[test]
fn results_are_memoised() {
    let program = program(ARMOUR);
    let mut scratch = scratch(Policy::Paying, Limits::default());
    let mut row = row(nowhere(&program), &mut scratch);
    let first = call(&program, &mut row, "worst", &[number(9.0), number(1.0)], &mut scratch);
    for _ in 0..10 {
        assert_eq!(call(&program, &mut row, "worst", &[number(9.0), number(1.0)], &mut scratch), first);
    }
    // Its key has five values: its arguments, `armour`, and the lambdas it calls.
    let worst = usage(&program, &scratch, "worst");
    assert_eq!((worst.lookups, worst.hits, worst.entries), (11, 10, 1));
    assert!(worst.saved > 0.0);
    let rating = usage(&program, &scratch, "rating");
    assert_eq!((rating.lookups, rating.hits, rating.entries), (2, 0, 2));
    let softer = call(&program, &mut row, "worst", &[number(9.0), number(2.0)], &mut scratch);
    assert_ne!(softer, first);
    let rating = usage(&program, &scratch, "rating");
    assert_eq!((rating.lookups, rating.hits, rating.entries), (3, 1, 2));
}

#[test]
fn a_changed_requirement_changes_the_key_and_a_changed_lambda_the_requirements() {
    let program = program(
        "!set factor 2\n!set scale Lambda(x, x * factor)\n!set other Lambda(x, x + bonus)\n!set bonus 100\n!set total Lambda(n, fold(range(n), 0, Lambda(a, b, a + scale(b))))\n!set swap [ !set scale other ]",
    );
    let mut scratch = scratch(Policy::Paying, Limits::default());
    let mut row = row(nowhere(&program), &mut scratch);
    let total = |row: &mut Row64, scratch: &mut Scratch| {
        call(&program, row, "total", &[number(5.0)], scratch)
            .0
            .expect("the test made it")
            .as_number()
            .expect("the test made it")
    };
    assert_eq!((total(&mut row, &mut scratch), total(&mut row, &mut scratch)), (20.0, 20.0));
    assert_eq!(usage(&program, &scratch, "total").refreshes, 1);
    row.edit().set(program.variable("factor").expect("the test made it"), number(3.0));
    assert_eq!(total(&mut row, &mut scratch), 30.0);
    assert_eq!(
        usage(&program, &scratch, "total").refreshes,
        1,
        "replacing a number by a number does not change the requirements"
    );
    row.edit().set(program.variable("factor").expect("the test made it"), number(2.0));
    assert_eq!(total(&mut row, &mut scratch), 20.0);
    assert_eq!(usage(&program, &scratch, "total").hits, 2, "keys are values, so an earlier key hits again");
    let swap = Callee::Variable(program.variable("swap").expect("the test made it"));
    evaluate(nowhere(&program), row.edit(), swap, &[], &mut scratch).expect("the test made it");
    assert_eq!(total(&mut row, &mut scratch), 510.0);
    assert_eq!(usage(&program, &scratch, "total").refreshes, 2, "another lambda changes the requirements");
    row.edit().set(program.variable("bonus").expect("the test made it"), number(1.0));
    assert_eq!(total(&mut row, &mut scratch), 15.0, "the requirements of the new lambda count");
    row.edit().set(program.variable("scale").expect("the test made it"), number(7.0));
    let (result, complaints, _) = call(&program, &mut row, "total", &[number(5.0)], &mut scratch);
    assert!(result.is_ok() && !complaints.is_empty(), "calling a number is a complaint every time");
    assert_eq!(call(&program, &mut row, "total", &[number(5.0)], &mut scratch).1, complaints);
}

#[test]
fn equal_lambdas_of_different_programs_share_entries() {
    let source = |extra: &str| {
        format!("{extra}!set armour 3\n!set rating Lambda(level, fold(range(level), 0, Lambda(a, b, a + b - armour)))")
    };
    let mut library = Library::new();
    let first = library.add(program(&source("")));
    let second = library.add(program(&source("!set unused 5\n!set more \"x\"\n")));
    let third = library.add(program(&source("").replace("b - armour", "armour - b")));
    let mut scratch = scratch(Policy::Paying, Limits::default());
    let mut results = Vec::new();
    for number in [first, second, third] {
        let program = library.get(number).expect("the test made it");
        let mut row = row(nowhere(program), &mut scratch);
        results
            .push(call(program, &mut row, "rating", &[Value::number(9.0)], &mut scratch).0.expect("the test made it"));
    }
    assert_eq!(results, [number(9.0), number(9.0), number(-9.0)]);
    let hits = |which: u32| {
        let before: u32 =
            (0..which).map(|number| library.get(number).expect("the test made it").functions.len() as u32).sum();
        let functions = &library.get(which).expect("the test made it").functions;
        let rating = functions.iter().position(|function| function.name == "rating").expect("the test made it");
        scratch.cache().usage(before + rating as u32).hits
    };
    assert_eq!([hits(0), hits(1), hits(2)], [0, 1, 0]);
}

#[test]
fn the_order_of_variables_distinguishes_bodies() {
    let source = "!set f Lambda(n, fold(range(n), 0, Lambda(x, y, x + y)) + a)";
    let mut scratch = scratch(Policy::Paying, Limits::default());
    for names in [["this", "a", "b"], ["this", "b", "a"]] {
        let (program, reports) = compile(source, &parse(source), &names);
        assert!(reports.is_empty());
        let mut row = row(nowhere(&program), &mut scratch);
        for a in [1.0, 2.0] {
            row.edit().set(program.variable("a").expect("the test made it"), number(a));
            assert_eq!(call(&program, &mut row, "f", &[number(9.0)], &mut scratch).0, Ok(number(36.0 + a)));
        }
    }
}

#[test]
fn equal_lambdas_have_equal_bodies() {
    let mut library = Library::new();
    let tail = "!set other Lambda(x, -x)\n!set f Lambda(n, g = h)\n!set e Lambda(n, g = other)";
    library.add(program(&format!("!set g Lambda(x, x)\n!set h g\n{tail}")));
    library.add(program(&format!("!set g Lambda(x, x)\n!set h Lambda(x, x)\n{tail}")));
    for policy in [Policy::Off, Policy::Forced] {
        let mut scratch = scratch(policy, Limits::default());
        for which in [0, 1] {
            let program = library.get(which).expect("the test made it");
            let mut row = row(nowhere(program), &mut scratch);
            assert_eq!(
                call(program, &mut row, "f", &[number(1.0)], &mut scratch).0,
                Ok(Value::TRUE),
                "{policy:?} {which}"
            );
            assert_eq!(
                call(program, &mut row, "e", &[number(1.0)], &mut scratch).0,
                Ok(Value::FALSE),
                "{policy:?} {which}"
            );
        }
    }
}

#[test]
fn fields_of_the_object_itself_are_not_memoised() {
    let program = program("!set hull 5\n!set f Lambda(o, fold(range(9), 0, Lambda(a, b, a + b)) + o.hull)");
    let this = Value::handle(Handle::new(1, 0xaaaa), 1);
    let place = EvaluationContext { this, ..nowhere(&program) };
    let callee = Callee::Variable(program.variable("f").expect("the test made it"));
    let mut scratch = scratch(Policy::Paying, Limits::default());
    let mut row = row(place, &mut scratch);
    for hull in [5.0, 6.0, 7.0] {
        row.edit().set(program.variable("hull").expect("the test made it"), number(hull));
        assert_eq!(evaluate(place, row.edit(), callee, &[this], &mut scratch), Ok(number(36.0 + hull)));
    }
}

#[test]
fn random_numbers_are_not_memoised() {
    let program = program(
        "!set f Lambda(most, let roll = Lambda(top, !Random(0, top)) in fold(range(9), 0, Lambda(a, b, a + b)) + roll(most))",
    );
    for policy in [Policy::Off, Policy::Paying, Policy::Forced] {
        let mut scratch = scratch(policy, Limits::default());
        let mut row = row(nowhere(&program), &mut scratch);
        let first = call(&program, &mut row, "f", &[number(5.0)], &mut scratch);
        let second = call(&program, &mut row, "f", &[number(5.0)], &mut scratch);
        assert_ne!(first, second, "{policy:?}");
        assert_eq!(row.head.tickets, 2, "{policy:?}");
    }
}

#[test]
fn cheap_and_impure_lambdas_are_not_memoised() {
    let program = program(ARMOUR);
    let worth = |name: &str| {
        program.functions.iter().find(|function| function.name == name).expect("the test made it").facts.worth
    };
    assert_eq!(worth("soften"), Cacheability::Possible);
    assert_eq!(worth("rating"), Cacheability::Kept);
    let mut scratch = scratch(Policy::Forced, Limits::default());
    let mut row = row(nowhere(&program), &mut scratch);
    for name in ["loud", "wrong", "listed"] {
        let first = call(&program, &mut row, name, &[number(2.0)], &mut scratch);
        let second = call(&program, &mut row, name, &[number(2.0)], &mut scratch);
        assert_eq!((&first.1, first.2), (&second.1, second.2), "{name}");
        assert_eq!(usage(&program, &scratch, name).hits, 0, "{name}");
    }
}

#[test]
fn limits_are_hit_at_the_same_place_with_and_without_a_cache() {
    let program = program(ARMOUR);
    let generous = Limits::default();
    for (name, arguments) in [
        ("worst", vec![number(9.0), number(1.0)]),
        ("worst", vec![number(6.0), number(2.0)]),
        ("deep", vec![number(12.0)]),
        ("wide", vec![number(40.0)]),
        ("rating", vec![number(30.0)]),
    ] {
        for fuel in 0..600 {
            compare(&program, name, &arguments, Limits { fuel, ..generous });
        }
        for depth in 0..20 {
            compare(&program, name, &arguments, Limits { depth, ..generous });
        }
        for values in 0..130 {
            compare(&program, name, &arguments, Limits { values, ..generous });
        }
    }
}

/// Calls a function three times with each policy, after warming the cache with generous limits.
fn compare(program: &Program, name: &str, arguments: &[Value], limits: Limits) {
    let mut plain = scratch(Policy::Off, Limits::default());
    let mut row = row(nowhere(program), &mut plain);
    let mut off = scratch(Policy::Off, limits);
    let expected = call(program, &mut row, name, arguments, &mut off);
    for policy in [Policy::Paying, Policy::Forced] {
        let mut warm = scratch(policy, Limits::default());
        for _ in 0..2 {
            assert!(call(program, &mut row, name, arguments, &mut warm).0.is_ok());
        }
        warm.restrict(limits);
        let found = call(program, &mut row, name, arguments, &mut warm);
        assert_eq!(found, expected, "{name} {arguments:?} within {limits:?} with {policy:?}");
    }
}

#[test]
fn comparing_deeply_shared_values_costs_fuel() {
    let source = "!set grow Lambda(l, n, if n = 0 then l else grow([l, l], n - 1))\n!set same Lambda(n, grow([1], n) = grow([1], n))";
    let program = program(source);
    let mut scratch = scratch(Policy::Off, Limits::default());
    let mut row = row(nowhere(&program), &mut scratch);
    assert_eq!(call(&program, &mut row, "same", &[number(5.0)], &mut scratch).0, Ok(Value::TRUE));
    let result = call(&program, &mut row, "same", &[number(28.0)], &mut scratch).0;
    assert_eq!(result.map_err(|trouble| trouble.halt), Err(Halt::Fuel));
}

fn atom() -> impl Strategy<Value = Value> {
    prop_oneof![
        (-3..30_i32).prop_map(|number| Value::number(f64::from(number))),
        any::<f64>().prop_map(Value::number),
        (0..4_i32).prop_map(Value::identifier),
        any::<bool>().prop_map(Value::truth),
        Just(Value::NOTHING),
        Just(Value::vector(Vec3::new(1.0, 2.0, 3.0))),
    ]
}

proptest! {
    #[test]
    fn any_sequence_of_calls_and_sets_gives_the_same_results(
        steps in prop::collection::vec((0..8_usize, atom(), atom(), any::<bool>()), 1..60)
    ) {
        let program = program(ARMOUR);
        let names = ["soften", "rating", "worst", "deep", "wrong", "wide", "loud", "listed"];
        let limits = Limits { fuel: 2_000, ..Limits::default() };
        let mut runs = [Policy::Off, Policy::Paying, Policy::Forced].map(|policy| {
            let mut scratch = scratch(policy, limits);
            let row = row(nowhere(&program), &mut scratch);
            (row, scratch)
        });
        for (which, first, second, is_set) in steps {
            let outcomes = runs.each_mut().map(|(row, scratch)| {
                if is_set {
                    row.edit().set(program.variable("armour").expect("the test made it"), first);
                }
                let (result, complaints, effects) = call(&program, row, names[which], &[first, second], scratch);
                let parts = result.as_ref().map_or(Vec::new(), |value| scratch.region().parts(*value).to_vec());
                // The offset of a list may differ: a cache hit allocates no parts.
                let result = result.map(|value| if value.kind() == Kind::List { Value::NOTHING } else { value });
                (result, parts, complaints, effects, *row)
            });
            prop_assert_eq!(&outcomes[0], &outcomes[1]);
            prop_assert_eq!(&outcomes[0], &outcomes[2]);
        }
    }
}
