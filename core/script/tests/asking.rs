//! Queries, from the source to the answer of a world that is a row of points.

use crate::world;

use base::{Handle, Vec3};
use proptest::prelude::*;
use script::bake::{Baking, bake};
use script::binary::{decode, encode};
use script::check::check;
use script::compile::{begin, compile, extend};
use script::environment::{Callee, Environment, EvaluationError, evaluate};
use script::library::Library;
use script::machine::{EvaluationContext, Halt, Limits, Machine, Nowhere, Outside, Scratch};
use script::parse::parse;
use script::program::{Operation, Program};
use script::query::Query;
use script::report::Report;
use script::row::{Row16, RowView};
use script::types::ARGUMENTS_MAX;
use script::value::{Kind, Value};
use script::write::write;
use world::QUERIES;

/// The number of the array of all handles.
const ARRAY: u16 = 4;

/// Points at whole numbers, which are also their slots.
struct Line {
    count: u16,
    program: Program,
    rows: Vec<Row16>,
}

impl Line {
    fn new(count: u16) -> Line {
        let program = bake(&Program::default(), Baking { first: &["position"], ..Baking::default() });
        let row = |slot: u16| {
            let mut row = Row16::default();
            row.edit().set(0, Value::vector(Vec3::new(f32::from(slot), 0.0, 0.0)));
            row
        };
        Line { count, program, rows: (0..count).map(row).collect() }
    }
}

fn point(slot: u16) -> Value {
    Value::handle(Handle::new(slot, 9), ARRAY)
}

impl Outside for Line {
    fn object(&self, found: Handle<()>, array: u16) -> Option<(&Program, RowView<'_>)> {
        let row = self.rows.get(usize::from(found.slot()))?;
        (found.generation() == 9 && array == ARRAY).then(|| (&self.program, row.view()))
    }

    fn query(&self, number: u32, arguments: &[Value; ARGUMENTS_MAX], machine: &mut Machine<'_>) -> Result<Value, Halt> {
        let [at, wide, choice, _] = *arguments;
        let is_missing = at == Value::NOTHING;
        let at = at.as_number().unwrap_or_else(|| if is_missing { 0.0 } else { machine.wrong(Kind::Number, at, 0.0) });
        let wide = wide.as_number().unwrap_or_default();
        let is_near = |slot: u16| (f64::from(slot) - at).abs() <= wide;
        match QUERIES[number as usize].name {
            "near" => {
                let mut above = f64::NEG_INFINITY;
                for index in 0..machine.field_count(choice) {
                    let [name, value] = machine.field_at(choice, index);
                    match value.as_number().filter(|_| name.as_string() == Some("above".into())) {
                        Some(least) => above = least,
                        None => machine.refuse("a choice", name, ()),
                    }
                }
                machine.burn(self.count.into())?;
                let found = (0..self.count).filter(|slot| is_near(*slot) && f64::from(*slot) > above);
                machine.build(|machine| found.into_iter().try_for_each(|slot| machine.push(point(slot))))
            }
            "next" => Ok(if at < f64::from(self.count) { point(at as u16) } else { Value::NOTHING }),
            "meets" => Ok(Value::truth((0..self.count).any(is_near))),
            "tally" => Ok(Value::number(self.count.into())),
            "mark" => machine.make_record(["point", "sort"], [point(at as u16), Value::string("peak".into())]),
            other => panic!("{other}"),
        }
    }
}

fn compiled(source: &str) -> (Program, Vec<Report>) {
    extend(begin(&["this"], &[], QUERIES), source, &parse(source))
}

fn run(outside: &dyn Outside, source: &str, scratch: &mut Scratch) -> Result<String, EvaluationError> {
    let (program, reports) = compiled(source);
    assert_eq!(reports, [], "{source}");
    run_program(outside, &program, scratch)
}

fn run_program(outside: &dyn Outside, program: &Program, scratch: &mut Scratch) -> Result<String, EvaluationError> {
    let mut environment = Environment::new(program, 100);
    let place = EvaluationContext { program, this: Value::NOTHING, outside, now: 0.0, seed: 0 };
    let mut last = Value::NOTHING;
    for statement in &program.statements {
        last = evaluate(place, environment.edit(), Callee::Function(*statement), &[], scratch)?;
    }
    Ok(write(last, program, scratch.region(), environment.kept()))
}

#[test]
fn queries_are_answered_by_the_world() {
    let line = Line::new(10);
    for (source, expected) in [
        ("map(near(3, 1), Lambda(each, each.position.x))", "[2, 3, 4]"),
        ("map(near(3, 1, { above 2 }), Lambda(each, each.position.x))", "[3, 4]"),
        ("next(4).position.x", "4"),
        ("next(40)", "nothing"),
        ("next(40).position", "nothing"),
        ("meets(3.5, 0.5) and not meets(20, 5)", "true"),
        ("tally() + 1", "11"),
        ("mark(2).point = next(2)", "true"),
        ("mark(2).sort = \"peak\"", "true"),
        ("!set tally 4\ntally", "4"),
        ("let near = Lambda(x, x) in near(5)", "5"),
    ] {
        let mut scratch = Scratch::new(Limits::default());
        assert_eq!(run(&line, source, &mut scratch).as_deref(), Ok(expected), "{source}");
        assert_eq!(scratch.complaints(), [], "{source}");
    }
}

#[test]
fn the_words_of_a_result_are_written_though_the_source_lacks_them() {
    let mut scratch = Scratch::new(Limits::default());
    let text = run(&Line::new(3), "mark(1)", &mut scratch).unwrap();
    assert!(text.starts_with("{ point ~") && text.ends_with(", sort \"peak\" }"), "{text}");
}

#[test]
fn arguments_that_do_not_fit_are_complaints() {
    for (source, expected, complaint) in [
        ("count(near(\"a\", 1))", "2", "expected number, found string"),
        ("count(near(3, 1, { even 2 }))", "3", "expected a choice, found string"),
    ] {
        let mut scratch = Scratch::new(Limits::default());
        assert_eq!(run(&Line::new(10), source, &mut scratch).as_deref(), Ok(expected), "{source}");
        let complaints: Vec<String> = scratch.complaints().iter().map(ToString::to_string).collect();
        assert_eq!(complaints, [complaint], "{source}");
    }
}

#[test]
fn without_a_world_a_query_finds_nothing() {
    for query in QUERIES {
        let (source, expected) = query.example;
        let mut scratch = Scratch::new(Limits::default());
        assert_eq!(run(&Nowhere, source, &mut scratch).as_deref(), Ok(expected), "{source}");
    }
}

#[test]
fn a_query_costs_its_row_and_what_the_world_charges() {
    let line = Line::new(20);
    let with = |source: &str, fuel: u64| {
        let limits = Limits { fuel, ..Limits::default() };
        run(&line, source, &mut Scratch::new(limits)).map_err(|trouble| trouble.halt)
    };
    let least = |source: &str| (0..200).find(|fuel| with(source, *fuel).is_ok()).expect("it ends");
    // The call itself is two instructions, and each argument one more.
    assert_eq!(least("tally()"), 2 + 8);
    assert_eq!(least("next(1)"), 3 + 8);
    assert_eq!(least("mark(1)"), 3 + 9 + 2);
    assert_eq!(least("near(1, 1)"), 4 + 8 + 20);
    assert_eq!(with("tally()", 9), Err(Halt::Fuel));
    let few = Limits { values: 5, ..Limits::default() };
    let found = run(&line, "near(0, 9)", &mut Scratch::new(few)).map_err(|trouble| trouble.halt);
    assert_eq!(found, Err(Halt::Memory));
}

#[test]
fn query_results_are_not_memoised() {
    let source = "!set f Cached Lambda(n, count(near(0, n)) + sum(range(20)))\n!set g Lambda(f(3))\nf(3) + g()";
    let mut scratch = Scratch::new(Limits::default());
    for count in [2_u16, 3, 4, 9] {
        let expected = 2 * (190 + count.min(4));
        assert_eq!(run(&Line::new(count), source, &mut scratch), Ok(expected.to_string()));
    }
}

#[test]
fn kernels_leave_queries_to_the_machine() {
    let source = "!set hit 0\n!set OnUpdate Lambda(step, if step > 1 then !set hit tally() + step else !set hit step)";
    let (program, reports) = compiled(source);
    assert_eq!(reports, []);
    let function = program.functions.iter().position(|function| function.name == "OnUpdate").unwrap() as u32;
    let mut environment = Environment::new(&program, 10);
    environment.set(program.variable("hit").unwrap(), Value::number(0.0));
    let mut library = Library::new();
    let number = library.add(program);
    library.specialise(number, environment.view());
    let (program, line) = (library.get(number).unwrap(), Line::new(5));
    let place = EvaluationContext { program, this: Value::NOTHING, outside: &line, now: 0.0, seed: 0 };
    let mut scratch = Scratch::new(Limits::default());
    for (step, expected) in [(1.0, 1.0), (2.0, 7.0), (0.5, 0.5)] {
        let arguments = [Value::number(step)];
        evaluate(place, environment.edit(), Callee::Function(function), &arguments, &mut scratch).unwrap();
        assert_eq!(environment.get(program.variable("hit").unwrap()), Value::number(expected));
    }
}

#[test]
fn calls_of_queries_are_checked() {
    let told = |source: &str| {
        let tree = parse(source);
        let reports = [compiled(source).1, check(source, &tree, &world::setting()).reports].concat();
        reports.into_iter().map(|report| format!("{} ({})", report.message, report.help)).collect::<Vec<_>>()
    };
    assert_eq!(told("near(1, 2, { above 1 })"), [""; 0]);
    assert_eq!(
        told("!set x near(1, 2, { abov 1 })"),
        ["a choice of points has no field `abov` (did you mean `above`?)"]
    );
    assert_eq!(
        told("near(1, 2, { colour 1 })"),
        ["a choice of points has no field `colour` (a choice of points has even, above)"]
    );
    assert_eq!(
        told("near(1)"),
        ["`near` takes 2 to 3 arguments, found 1 (near(number, number, record?) list of handle)"]
    );
    assert_eq!(told("!set x 3 + tally(1)")[0], "`tally` takes 0 arguments, found 1 (tally() number)");
    assert_eq!(told("naer(1, 2)"), ["`naer` is not known here (did you mean `near`?)"]);
    assert_eq!(told("!set x near"), [""; 0]);
    assert_eq!(told("!set x 3 + near(1, 2)").len(), 1);
    assert_eq!(told("!set x mark(3).sorte").len(), 1);
    assert_eq!(told("mark(3).point.hull"), [""; 0]);
}

#[test]
fn a_program_with_queries_is_written_by_name() {
    let source = "!set a [tally(), count(near(1, 2)), tally()]\nmax(next(1).position.x, sum(a))";
    let (program, _) = compiled(source);
    let bytes = encode(&program);
    let decoded = decode(&bytes, QUERIES).unwrap();
    assert_eq!(format!("{decoded:?}"), format!("{program:?}"));
    let mut scratch = Scratch::new(Limits::default());
    assert_eq!(run_program(&Line::new(7), &decoded, &mut scratch).as_deref(), Ok("18"));
    // In a file a query is a built-in: the same bytes as when it was one.
    let tiny = encode(&compiled("tally()").0);
    assert_eq!(tiny[24..33], *b"\0\x01\x05tally\x01");
    assert!(tiny.windows(8).any(|bytes| bytes == [41, 0, 1, 0, 0, 0, 0, 0]), "{tiny:?}");
    let missing = decode(&bytes, &[]).unwrap_err().to_string();
    assert_eq!(missing, "there is no built-in or query `tally`: compile it again");
    // A table in another order: the same program with other numbers.
    static OTHERS: &[Query] = &[QUERIES_LAST, QUERIES_FIRST, QUERIES_NEXT];
    const QUERIES_LAST: Query = Query::new("tally", "tally() number", 8, "", ("", ""));
    const QUERIES_FIRST: Query = Query::new("near", "near(number, number, record?) list of handle", 8, "", ("", ""));
    const QUERIES_NEXT: Query = Query::new("next", "next(number) handle", 8, "", ("", ""));
    let other = decode(&bytes, OTHERS).unwrap();
    assert_eq!(encode(&other), bytes);
    let numbers = |program: &Program| -> Vec<u32> {
        let code = program.functions.iter().flat_map(|function| &function.code);
        code.filter(|instruction| instruction.operation == Operation::Query).map(|query| query.number).collect()
    };
    assert_eq!(numbers(&program), [3, 0, 3, 1]);
    assert_eq!(numbers(&other), [0, 1, 0, 2]);
}

#[test]
fn a_source_without_a_world_has_no_queries() {
    let source = "tally()";
    let (_, reports) = compile(source, &parse(source), &[]);
    assert_eq!(reports[0].message, "`tally` is not known here");
}

proptest! {
    #[test]
    fn any_answer_of_the_world_is_handled(
        fuel in prop_oneof![0..200_u64, any::<u64>()],
        halts in prop::option::of(prop_oneof![Just(Halt::Fuel), Just(Halt::Memory)]),
        answer in prop_oneof![
            any::<f64>().prop_map(Value::number),
            any::<i32>().prop_map(Value::identifier),
            (any::<u32>(), any::<u16>()).prop_map(|(raw, array)| Value::handle(Handle::from_raw(raw), array)),
            Just(Value::NOTHING),
        ],
    ) {
        struct Liar(u64, Option<Halt>, Value);
        impl Outside for Liar {
            fn object(&self, _: Handle<()>, _: u16) -> Option<(&Program, RowView<'_>)> {
                None
            }
            fn query(&self, _: u32, _: &[Value; ARGUMENTS_MAX], machine: &mut Machine<'_>) -> Result<Value, Halt> {
                machine.burn(self.0)?;
                self.1.map_or(Ok(self.2), Err)
            }
        }
        let mut scratch = Scratch::new(Limits::default());
        let source = "[count(near(1, 2)), next(1).position, tally() + 1, mark(1).sort]";
        match run(&Liar(fuel, halts, answer), source, &mut scratch) {
            Ok(_) => prop_assert!(halts.is_none() && fuel < 25_000),
            Err(trouble) => prop_assert!(Some(trouble.halt) == halts || fuel > 24_000, "{:?}", trouble),
        }
    }
}
