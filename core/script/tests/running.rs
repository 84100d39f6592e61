//! Evaluation of sources.

use script::builtin::BUILTINS;
use script::compile::compile;
use script::environment::Environment;
use script::machine::{Halt, Limits, Scratch};
use script::parse::parse;
use script::program::Program;
use script::statement_run::StatementRun;
use script::value::Value;
use script::write::write;

struct Run {
    program: Program,
    environment: Environment,
    scratch: Scratch,
    result: Result<String, Halt>,
}

fn run_within(source: &str, limits: Limits) -> Run {
    let tree = parse(source);
    assert!(tree.reports.is_empty(), "{source}: {:#?}", tree.reports);
    let (program, reports) = compile(source, &tree, &["this"]);
    assert!(reports.is_empty(), "{source}: {reports:#?}");
    assert_eq!(program.verify(), Ok(()));
    let mut environment = Environment::new(&program, 4096);
    let mut scratch = Scratch::new(limits);
    let mut result = Ok(String::from("nothing"));
    for statement in &program.statements {
        let value = environment.evaluate(&program, *statement, &[], &mut scratch);
        result = match value {
            Ok(value) => Ok(write(value, &program, scratch.region(), environment.kept())),
            Err(trouble) => Err(trouble.halt),
        };
        if result.is_err() {
            break;
        }
    }
    Run { program, environment, scratch, result }
}

fn run(source: &str) -> Run {
    run_within(source, Limits::default())
}

fn check(source: &str, expected: &str) {
    let found = run(source);
    assert_eq!(found.result.as_deref(), Ok(expected), "{source}");
    assert_eq!(found.scratch.complaints(), [], "{source}");
}

#[test]
fn a_localised_text_is_its_id_and_its_parameters() {
    check("text(\"ship.hit\")", "{ text \"ship.hit\", with {} }");
    check("text(\"ship.hit\", { by \"us\" }).with.by", "\"us\"");
    check("!set t text(\"ship.hit\", { n 2 })\nt", "{ text \"ship.hit\", with { n 2 } }");
    check("kind(text(\"a\"))", "\"record\"");
    for wrong in ["text(3)", "text(\"\", 3)"] {
        let found = run(wrong);
        assert_eq!(found.result.as_deref(), Ok("{ text \"\", with {} }"));
        assert_eq!(found.scratch.complaints().len(), 1, "{wrong}");
    }
}

#[test]
fn every_built_in_passes_its_example() {
    for builtin in BUILTINS {
        let (source, expected) = builtin.example;
        check(source, expected);
        assert!(builtin.signature.starts_with(builtin.name) && !builtin.help.is_empty(), "{}", builtin.name);
    }
}

#[test]
fn arithmetic_conditions_and_names() {
    check("1 + 2 * 3 - 4 / 8", "6.5");
    check("7 % 3 + -2", "-1");
    check("let a = 2, b = a * a in if a < b then \"yes\" else \"no\"", "\"yes\"");
    check("if false then 1", "nothing");
    check("1 < 2 and not (2 <> 2) or false", "true");
    check("#3 + #4 = #7", "true");
    check("vec(1, 2, 3) * 2 + vec(0, 0, 1)", "vec(2, 4, 7)");
    check("-vec(1, 0, 0) / 2", "vec(-0.5, -0, -0)");
    check("[1, [2, 3]] = [1, [2, 3]]", "true");
    check("{ a 1, b [2] } = { b [2], a 1 }", "true");
    check("{ a 1, b { c 5 } }.b.c", "5");
    check("[10, 20, 30][#1] + [10, 20][0]", "30");
    check("[1][#5]", "nothing");
}

#[test]
fn lambdas_capture_the_names_they_use() {
    check("Lambda(m, n, if m > n then m else n)(3, 7)", "7");
    check("!set add Lambda(a, Lambda(b, a + b))\nadd(3)(4)", "7");
    check("!set twice Lambda(f, x, f(f(x)))\nlet k = 10 in twice(Lambda(x, x + k), 1)", "21");
    check("map([1, 2], Lambda(x, map([10, 20], Lambda(y, x * y))))", "[[10, 20], [20, 40]]");
    check("!set fact Lambda(n, if n < 2 then 1 else n * fact(n - 1))\nfact(10)", "3628800");
    check("!set f Lambda(a, b, b)\nf(1)", "nothing");
}

#[test]
fn a_lambda_may_contain_several_sets() {
    let source = "!set hull 10\n!set log []\n!set hit Lambda(damage, [ !set hull hull - damage, !set log join(log, [hull]), hull ])\nhit(3)()\nhit(2)()\nlog";
    check(source, "[7, 5]");
    check("!set a 1\n!set b 2\nif a < b then !set a 5\na", "5");
    check("!set a 1\n[ !set a 2, !set a 3 ]()\na", "3");
}

#[test]
fn effects_are_queued_in_order_and_only_when_called() {
    let found = run("!set fire [ !GUIFire(\"blaster\", 1), !Log(2) ]");
    assert_eq!(found.scratch.effects(), []);
    let found = run("!set fire [ !GUIFire(\"blaster\", 1), !Log(2) ]\nfire()");
    let names: Vec<_> = found.scratch.effects().iter().map(|effect| found.program.strings.text(effect.name)).collect();
    assert_eq!(names, [Some("GUIFire"), Some("Log")]);
}

#[test]
fn a_wrong_kind_is_a_complaint_and_a_default() {
    for (source, expected, complaints) in [
        ("nothing + 1", "1", 1),
        ("\"a\" * 2", "0", 1),
        ("1 / 0", "0", 1),
        ("if 1 then 2 else 3", "3", 1),
        ("3()", "nothing", 1),
        ("count(5)", "0", 0),
        ("sqrt(\"x\")", "0", 1),
        ("5.field", "nothing", 1),
        ("vec(1, 2, 3).w", "nothing", 1),
        ("with([1], \"a\", 2)", "{ a 2 }", 1),
        // Beside a vector nothing counts as the zero vector.
        ("nothing + vec(1, 2, 3)", "vec(1, 2, 3)", 1),
        ("vec(1, 2, 3) + nothing", "vec(1, 2, 3)", 1),
        ("nothing - vec(1, 2, 3)", "vec(-1, -2, -3)", 1),
        ("vec(1, 2, 3) - [][0]", "vec(1, 2, 3)", 1),
        ("vec(1, 2, 3) - true", "vec(1, 2, 3)", 1),
    ] {
        let found = run(source);
        assert_eq!(found.result.as_deref(), Ok(expected), "{source}");
        assert_eq!(found.scratch.complaints().len(), complaints, "{source}");
    }
}

#[test]
fn endless_evaluations_are_stopped_and_change_nothing() {
    let small = Limits { fuel: 10_000, ..Limits::default() };
    for (source, halt) in [
        ("!set x 1\n!set f Lambda(n, f(n + 1) + 1)\n[ !set x 2, f(0) ]()", Halt::Depth),
        ("!set x 1\n[ !set x 2, fold(range(100000), 0, Lambda(a, b, a + b)) ]()", Halt::Fuel),
        (
            "!set x 1\n!set grow Lambda(l, n, if n = 0 then l else grow(join(l, l), n - 1))\n[ !set x 2, grow([1, 2], 40) ]()",
            Halt::Fuel,
        ),
        ("!set x 1\n!set f Lambda(a, map([1, 2, 3], Lambda(b, f(b))))\n[ !set x 2, f(1) ]()", Halt::Depth),
    ] {
        let found = run_within(source, small);
        assert_eq!(found.result, Err(halt), "{source}");
        let x = found.program.variable("x").unwrap();
        assert_eq!(found.environment.get(x), Value::number(1.0), "{source}");
        assert_eq!(found.scratch.effects(), []);
    }
    let source = "!set l range(3000)\n!set l join(l, l)";
    let found = run(source);
    assert_eq!(found.result, Err(Halt::Room), "the memory of a row is bounded");
}

#[test]
fn kept_values_are_not_read_from_the_evaluation_arena() {
    let mut run = run("!set kept [1, 2, 3]\n!set give Lambda(n, let made = [n, n, n, n, n, n, n, n] in kept)");
    let give = run.program.variable("give").expect("it is set");
    let list = run.environment.call(&run.program, give, &[Value::number(9.0)], &mut run.scratch).expect("it ends");
    assert!(run.scratch.region().parts(list).is_empty());
    let found = script::write::parts(list, run.scratch.region(), run.environment.kept());
    assert_eq!(found, [1.0, 2.0, 3.0].map(Value::number));
}

#[test]
fn a_set_that_does_not_fit_is_reported_with_its_place() {
    let source = "!set a 1\n!set big []\n!set grow Lambda(n, [ !set big range(n) ]())";
    let mut run = run(source);
    let grow = run.program.variable("grow").expect("it is set");
    let mut small = Environment::new(&run.program, 8);
    for statement in &run.program.statements {
        small.evaluate(&run.program, *statement, &[], &mut run.scratch).expect("the first set fits");
    }
    let trouble = small.call(&run.program, grow, &[Value::number(9.0)], &mut run.scratch);
    let trouble = trouble.expect_err("there is room for eight");
    assert_eq!((trouble.halt, trouble.span.text(source)), (Halt::Room, "Lambda(n, [ !set big range(n) ]())"));
    assert_eq!(
        trouble.to_string(),
        "its variables hold more lists and records than there is room for (the limit is 8)"
    );
}

#[test]
fn unknown_names_are_reported_with_a_suggestion() {
    let check = |source: &str, message: &str, help: &str| {
        let tree = parse(source);
        let (program, reports) = compile(source, &tree, &[]);
        assert_eq!(program.verify(), Ok(()));
        let found = reports.first().map(|report| (report.message.as_str(), report.help.as_str()));
        assert_eq!(found, Some((message, help)), "{source}");
    };
    check("!set CurHealth 1\nCurHelath + 1", "`CurHelath` is not known here", "did you mean `CurHealth`?");
    check("cuont([1])", "`cuont` is not known here", "did you mean `count`?");
    check("Lambda(damage, damgae)", "`damgae` is not known here", "did you mean `damage`?");
    check("count(1, 2)", "`count` takes 1 argument, found 2", "count(list) number");
}

#[test]
fn a_source_too_large_for_one_program_is_reported_and_nothing_of_it_runs() {
    let source = "1\n".repeat(script::program::FUNCTIONS_MAX + 1);
    let (program, reports) = compile(&source, &parse(&source), &["this"]);
    assert_eq!(reports.first().map(|report| report.message.as_str()), Some("this source is too large for one program"));
    assert_eq!((program.functions.len(), program.constants.len(), program.statements.len()), (0, 0, 0));
}

#[test]
fn the_sets_of_an_evaluation_are_listed_with_their_place() {
    let source = "!set hull 100\n!set hit Lambda(n, [ !set hull hull - n, !set last n ]())\n!set far Lambda(far(1))";
    let (program, _) = script::compile::compile(source, &script::parse::parse(source), &["last"]);
    let mut library = script::library::Library::new();
    let number = library.add(program);
    let program = library.get(number).unwrap();
    let mut environment = Environment::new(program, 8);
    let mut scratch = Scratch::new(Limits::default());
    for statement in program.statements.clone() {
        environment.evaluate(program, statement, &[], &mut scratch).unwrap();
    }
    environment.set(program.variable("last").unwrap(), Value::number(0.0));
    library.specialise(number, environment.view());
    let program = library.get(number).unwrap();
    let [hit, far] = ["hit", "far"].map(|name| program.variable(name).unwrap());
    let mut sets_of = |is_exact: bool, variable: u32| {
        scratch.set_exact(is_exact);
        let _ = environment.call(program, variable, &[Value::number(3.0)], &mut scratch);
        let sets = scratch
            .sets(program)
            .map(|(variable, _, span)| (program.variables[variable as usize].as_str(), span.text(source)));
        sets.collect::<Vec<_>>()
    };
    assert_eq!(sets_of(true, hit), [("hull", "!set hull hull - n"), ("last", "!set last n")]);
    assert_eq!(sets_of(false, hit), [], "a kernel records no sets");
    assert_eq!(sets_of(true, far), [], "a halted evaluation sets nothing");
    assert_eq!(environment.get(program.variable("hull").unwrap()).as_number(), Some(94.0));
}

#[test]
fn a_list_of_any_length_and_a_record_of_any_depth_fit_into_one_lambda() {
    let numbers: Vec<String> = (0..3000).map(|number| number.to_string()).collect();
    let source = format!("let long = [{}] in [count(long), long[#0], long[#1499], long[#2999]]", numbers.join(", "));
    let found = run_within(&source, Limits { values: 1 << 16, ..Limits::default() });
    assert_eq!(found.result.as_deref(), Ok("[3000, 0, 1499, 2999]"));
    let fields = "a 1, b 2, c 3, d 4, e 5, next ";
    let deep = format!("{}{{ a x, next [x, 9] }}{}", format!("{{ {fields}").repeat(60), " }".repeat(60));
    check(&format!("Lambda(x, {deep})(7){}.next", ".next".repeat(60)), "[7, 9]");
}

#[test]
fn what_an_outlined_part_reads_counts_for_the_lambda_around_it() {
    let fields: Vec<String> = (0..90).map(|number| format!("f{number} {number}")).collect();
    let source = format!("!set hull 5\n!set f Lambda({{ {}, last [hull] }})\nf().last[#0]", fields.join(", "));
    let found = run(&source);
    assert_eq!(found.result.as_deref(), Ok("5"));
    let hull = found.program.variable("hull").unwrap();
    let f = found.program.functions.iter().find(|function| function.name == "f").unwrap();
    assert!(f.reads.contains(&hull), "{source}");
}

/// All statements, evaluated one by one and as a run; both must give the same values, halts and variables.
fn check_run(source: &str, room: usize, limits: Limits) -> Vec<String> {
    let (program, reports) = compile(source, &parse(source), &["this"]);
    assert!(reports.is_empty(), "{source}: {reports:#?}");
    let (mut single, mut together) = (Environment::new(&program, room), Environment::new(&program, room));
    let (mut scratch, mut other) = (Scratch::new(limits), Scratch::new(limits));
    let text =
        |result: Result<Value, script::environment::EvaluationError>, scratch: &Scratch, environment: &Environment| {
            match result {
                Ok(value) => write(value, &program, scratch.region(), environment.kept()),
                Err(error) => format!("{:?} in {}", error.halt, error.function),
            }
        };
    let mut expected = Vec::new();
    for statement in &program.statements {
        let result = single.evaluate(&program, *statement, &[], &mut scratch);
        expected.push(text(result, &scratch, &single));
    }
    let mut run = StatementRun::new(&program, &mut together, &mut other, u64::MAX);
    for (statement, expected) in program.statements.iter().zip(&expected) {
        let result = run.evaluate(*statement);
        let found = text(result, run.scratch(), run.environment());
        assert_eq!(&found, expected, "{source}");
    }
    for number in 0..program.variables.len() as u32 {
        let of =
            |environment: &Environment| write(environment.get(number), &program, scratch.region(), environment.kept());
        assert_eq!(of(&together), of(&single), "{source}: {}", program.variables[number as usize]);
    }
    expected
}

#[test]
fn a_run_of_statements_gives_what_single_evaluations_give() {
    let limits = Limits::default();
    check_run("!set a 1\n!set b [a, [a, 2]]\n!set a b\n!set b a\na\n[b, a]\n!set c { x b, y a }\nc.x\nc", 100, limits);
    check_run(
        "!set f Lambda(x, x + a)\n!set a 3\nf(4)\n!set g Lambda(y, Lambda(x, [x, y, a]))\n!set h g([1])\nh(2)",
        100,
        limits,
    );
    // Full again and again: compaction makes room, and what does not fit changes nothing.
    let mut source = String::from("!set a range(10)\n");
    for round in 0..40 {
        source.push_str(&format!("!set b [a, {round}]\n!set c range({})\n[b, c]\n", round % 9));
    }
    let found = check_run(&source, 36, limits);
    assert!(found.iter().all(|found| !found.contains("Room")), "{found:?}");
    let found = check_run("!set a range(20)\n!set b range(20)\n!set c 1\n!set a 2\n!set b range(20)\nb", 30, limits);
    assert_eq!(found.iter().filter(|found| found.contains("Room")).count(), 1, "{found:?}");
    // A statement that halts has set nothing.
    let deep = "!set r Lambda(x, r(x) + 1)\n!set a 1\n!set b 2\n!set a [a, r(1)]\na\n!set b a\nb";
    let found = check_run(deep, 30, Limits { depth: 20, ..limits });
    assert!(found[3].contains("Depth") && found[4..] == ["1", "1", "1"], "{found:?}");
}

#[test]
fn a_run_of_statements_ends_with_its_fuel_also_if_it_only_copies() {
    let source = format!("!set a range(5000)\n{}", "!set b a\n".repeat(400));
    let (program, reports) = compile(&source, &parse(&source), &["this"]);
    assert!(reports.is_empty(), "{reports:#?}");
    let mut environment = Environment::new(&program, 20_000);
    let mut scratch = Scratch::new(Limits { fuel: 1_000_000, values: 20_000, ..Limits::default() });
    let mut run = StatementRun::new(&program, &mut environment, &mut scratch, 60_000);
    let ended = program.statements.iter().position(|statement| run.evaluate(*statement).is_err());
    assert!(ended.is_some_and(|ended| (20..200).contains(&ended)), "{ended:?}");
    // The same limit is none for many small statements.
    let source = (0..20_000).map(|number| format!("!set v{number} {number}\n")).collect::<String>();
    let (program, _) = compile(&source, &parse(&source), &["this"]);
    let mut environment = Environment::new(&program, 1000);
    let mut run = StatementRun::new(&program, &mut environment, &mut scratch, 600_000);
    assert!(program.statements.iter().all(|statement| run.evaluate(*statement).is_ok()));
    assert_eq!(environment.get(program.variable("v19999").expect("it is set")), Value::number(19999.0));
}
