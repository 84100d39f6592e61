//! The second edition of the language: `do`, parts that are set, `!Each`, tail calls, built-ins as values, texts, and what the
//! engine runs.

use script::check::{Setting, check};
use script::compile::compile;
use script::environment::{Environment, run};
use script::format::format;
use script::machine::{EvaluationContext, Halt, Limits, Nowhere, Scratch};
use script::message::Message;
use script::parse::{parse, parse_line};
use script::program::Program;
use script::stage::{deliver, tick};
use script::value::Value;
use script::write::write;

use crate::common::written;

struct Ran {
    program: Program,
    environment: Environment,
    scratch: Scratch,
    value: Result<String, Halt>,
}

fn evaluated(source: &str) -> Ran {
    let tree = parse_line(source);
    assert!(tree.reports.is_empty(), "{source}: {:#?}", tree.reports);
    let (program, reports) = compile(source, &tree, &["this"]);
    assert!(reports.is_empty(), "{source}: {reports:#?}");
    assert_eq!(program.verify(), Ok(()), "{source}");
    let mut environment = Environment::new(&program, 4096);
    let mut scratch = Scratch::new(Limits::default());
    let mut value = Ok(String::from("nothing"));
    for statement in &program.statements {
        let result = environment.evaluate(&program, *statement, &[], &mut scratch);
        value = result
            .map(|value| write(value, &program, scratch.region(), environment.kept()))
            .map_err(|trouble| trouble.halt);
        if value.is_err() {
            break;
        }
    }
    Ran { program, environment, scratch, value }
}

/// The value of a source that runs without complaints, and that neither the checker nor the formatter objects to.
fn gives(source: &str, expected: &str) {
    let ran = evaluated(source);
    assert_eq!(ran.value.as_deref(), Ok(expected), "{source}");
    assert_eq!(ran.scratch.complaints(), [], "{source}");
    let reports = check(source, &parse_line(source), &Setting::default()).reports;
    assert_eq!(reports, [], "{source}");
    let formatted = format(source, &parse(source)).expect("it has no syntax errors");
    let bare = |source: &str| written(source, &parse(source));
    assert_eq!(bare(&formatted), bare(source), "formatting changed the meaning of {source}");
    assert_eq!(format(&formatted, &parse(&formatted)).as_ref(), Ok(&formatted), "formatting is idempotent");
}

#[test]
fn do_runs_its_elements_now_and_has_the_value_of_the_last() {
    gives("!set n 1\n!set f Lambda(x, do [ !set n n + x, n * 10 ])\nf(2)", "30");
    gives("!set n 0\nif true then do [ !set n 5, !set n n + 1 ]\nn", "6");
    gives("do []", "nothing");
    gives("!set n 0\n!set add Lambda(x, !set n n + x)\ndo [ add(2), add(3) ]\nn", "5");
    // The word is an ordinary name everywhere else.
    gives("!set do [4, 5]\ndo[#1] + do[0]", "9");
    gives("{ do [1] }.do", "[1]");
    gives("let do = 3 in do", "3");
}

#[test]
fn parts_of_variables_are_set() {
    gives("!set r { a 1, b { c [1, 2, 3] } }\n!set r.b.c[#1] 7\nr.b.c", "[1, 7, 3]");
    gives("!set r { a 1 }\n!set r.a 5\nr.a", "5");
    gives("!set r { a 1 }\n!set r.b 5\nr", "{ a 1, b 5 }");
    gives("!set xs [1, 2]\n!set xs[1] 9\nxs", "[1, 9]");
    gives("!set xs [1, 2]\n!set xs[#0] -4\nxs", "[-4, 2]");
    gives("!set n 1\n!set n += 2\n!set n *= 10\n!set n -= 6\n!set n /= 4\nn", "6");
    gives("!set r { xs [{ n 1 }] }\n!set r.xs[#0].n += 4\nr.xs[#0].n", "5");
    gives("!set v vec(1, 2, 3)\n!set v.y += 5\nv", "vec(1, 7, 3)");
    gives("!set r { a 1 }\n!set key \"a\"\n!set r[key] += 1\nr[key]", "2");
    gives("!set xs [1, 2]\n!set f Lambda(i, !set xs[i] 0)\nf(#1)\nxs", "[1, 0]");
    // A bracket without another value behind it is the value, as before.
    gives("!set xs[1, 2]\nxs", "[1, 2]");
    gives("!set n - 3\nn", "-3");
}

#[test]
fn a_part_of_something_without_parts_is_not_set() {
    for (source, expected) in [
        ("!set n 3\n!set n.a 1\nn", "3"),
        ("!set n 3\n!set n[#0] 1\nn", "3"),
        ("!set xs [1]\n!set xs[#5] 1\nxs", "[1]"),
        ("!set v vec(1, 2, 3)\n!set v.w 1\nv", "vec(1, 2, 3)"),
    ] {
        let ran = evaluated(source);
        assert_eq!(ran.value.as_deref(), Ok(expected), "{source}");
    }
    let reports = parse("!set ~target.hull 3").reports;
    assert_eq!(reports.len(), 1, "{reports:?}");
    assert!(reports[0].help.contains("!Send"), "{reports:?}");
}

#[test]
fn each_calls_an_effectful_lambda_for_every_element_in_order() {
    gives("!set xs []\n!Each(range(4), Lambda(x, !set xs join(xs, [x])))\nxs", "[0, 1, 2, 3]");
    gives("!set n 0\n!Each([1, 2], Lambda(x, [ !set n n + x ]))\nn", "3");
    let many = evaluated("!Each(range(200), Lambda(x, !Log(x)))");
    assert_eq!(many.scratch.effects().len(), 200);
    let endless = evaluated("!set f Lambda(x, !Each(range(10), f))\nf(1)");
    assert_eq!(endless.value, Err(Halt::Depth));
    let costly = evaluated("!Each(range(16000), Lambda(x, !Each(range(16000), Lambda(y, x))))");
    assert_eq!(costly.value, Err(Halt::Memory));
    let reports = check(
        "map([1], Lambda(x, !Each([x], Lambda(y, y))))",
        &parse("map([1], Lambda(x, !Each([x], Lambda(y, y))))"),
        &Setting::default(),
    )
    .reports;
    assert_eq!(reports.len(), 1, "`map` takes pure lambdas only: {reports:?}");
}

#[test]
fn calls_in_tail_position_cost_no_depth() {
    gives("!set f Lambda(n, a, if n = 0 then a else f(n - 1, a + 1))\nf(2000, 0)", "2000");
    gives(
        "!set even Lambda(n, if n = 0 then true else odd(n - 1))\n!set odd Lambda(n, if n = 0 then false else even(n - 1))\neven(501)",
        "false",
    );
    gives(
        "!set f Lambda(n, a, let m = n - 1 in if n <= 0 then a else if n % 2 = 0 then f(m, a + 1) else f(m, a))\nf(900, 0)",
        "450",
    );
    gives("!set f Lambda(n, a, if n = 0 then a else do [ !set last n, f(n - 1, a + n) ])\nf(100, 0)\nlast", "1");
    assert_eq!(evaluated("!set f Lambda(n, f(n + 1))\nf(0)").value, Err(Halt::Fuel));
    assert_eq!(evaluated("!set f Lambda(n, f(n + 1) + 1)\nf(0)").value, Err(Halt::Depth));
    // With captured values, and with a result that is cached on the way.
    gives("!set f Lambda(n, g, if n = 0 then g(1) else f(n - 1, Lambda(x, x + n)))\nf(70, Lambda(x, x))", "2");
    gives(
        "!set f Cached Lambda(n, a, if n = 0 then a else f(n - 1, a + sum(map(range(20), Lambda(x, x * n * n + x * x)))))\nf(100, 0) = f(100, 0)",
        "true",
    );
}

#[test]
fn built_ins_are_values() {
    gives("map([1, -2], abs)", "[1, 2]");
    gives("fold([3, 1, 2], 0, max)", "3");
    gives("let f = vec in f(1, 2)", "vec(1, 2, 0)");
    gives("map([[1, 2], [3]], sum)", "[3, 3]");
    gives("(if true then floor else ceil)(1.5)", "1");
}

#[test]
fn fields_are_found_by_name_and_elements_by_number() {
    gives("let r = { b 2, a 1 }, name = \"a\" in r[name] + r[\"b\"]", "3");
    gives("has({ a nothing }, \"a\") and not has({}, \"a\")", "true");
    gives("count(keys({ a 1, b 2 }))", "2");
    gives("let r = { a 1, b 2 } in sum(map(keys(r), Lambda(name, r[name])))", "3");
    gives("[4, 5, 6][2]", "6");
    gives("{ a 1 }[\"c\"]", "nothing");
    assert_eq!(evaluated("[1][0.5]").scratch.complaints().len(), 1);
}

#[test]
fn texts_are_filled_in_where_people_read_them() {
    gives(
        "!set hull 30\n!set ship { hull_max 40, name \"Rook\" }\n\"{ship.name}: {hull} of {ship.hull_max}, {{hull}}\"",
        "Rook: 30 of 40, {hull}",
    );
    // Anywhere else a string is a string.
    gives("!set a \"{b}\"\na", "\"{b}\"");
    let source = "!set f Lambda(damage, !Log(\"hit for {damage}\"))\nf(3)";
    let ran = evaluated(source);
    let effect = ran.scratch.effects()[0];
    let text = ran.scratch.region().parts(effect.arguments)[0];
    assert_eq!(write(text, &ran.program, ran.scratch.region(), ran.environment.kept()), "hit for 3");
    let (_, reports) = compile("!Log(\"{hul}\")\n!set hull 3", &parse("!Log(\"{hul}\")\n!set hull 3"), &[]);
    assert_eq!(reports.len(), 1, "an unknown name in braces is reported: {reports:?}");
}

/// A row whose statements have run, with its program.
fn object(source: &str) -> Ran {
    let ran = evaluated(source);
    assert!(ran.value.is_ok(), "{source}");
    ran
}

fn place(program: &Program, now: f64) -> EvaluationContext<'_> {
    EvaluationContext { program, this: Value::NOTHING, outside: &Nowhere, now, seed: 0 }
}

fn variable(ran: &Ran, name: &str) -> Option<f64> {
    ran.environment.get(ran.program.variable(name).expect("a variable")).as_number()
}

#[test]
fn the_engine_runs_a_body_that_it_gets_back() {
    let source = "!set hull 10\n!set OnDamage Lambda(d, [ !set hull hull - d ])\n!set OnPlain Lambda(d, Lambda(x, !set hull 0))\n!set OnNested Lambda(d, [ !set hull hull + d, [ !set hull hull * 2 ] ])\n!set OnDo Lambda(d, do [ !set hull d ])";
    let mut ran = object(source);
    for (message, expected) in [("damage", 7.0), ("nested", 20.0), ("plain", 20.0), ("do", 3.0)] {
        let message = Message::new(message.into(), Value::NOTHING).with_atoms(&[Value::number(3.0)]).expect("room");
        deliver(place(&ran.program, 0.0), ran.environment.edit(), &message, &mut ran.scratch).expect("it ends");
        assert_eq!(variable(&ran, "hull"), Some(expected));
    }
}

#[test]
fn timers_and_engine_calls_run_a_body_that_they_get_back() {
    let mut ran = object("!set n 0\n!set wake Lambda([ !set n n + 1 ])\n!After(10, wake)");
    assert!(
        tick(place(&ran.program, 10.0), ran.environment.edit(), &mut ran.scratch).is_some_and(|result| result.is_ok())
    );
    assert_eq!(variable(&ran, "n"), Some(1.0));
    let wake = ran.environment.get(ran.program.variable("wake").expect("a variable"));
    run(place(&ran.program, 0.0), ran.environment.edit(), wake, &[], &mut ran.scratch).expect("it ends");
    assert_eq!(variable(&ran, "n"), Some(2.0));
    let mut endless = object("!set again Lambda([ !Log(1), again() ])\n!set body [ !Log(1), body ]");
    let body = endless.environment.get(endless.program.variable("body").expect("a variable"));
    let result = run(place(&endless.program, 0.0), endless.environment.edit(), body, &[], &mut endless.scratch);
    assert_eq!(result.map_err(|trouble| trouble.halt), Err(Halt::Effects));
}

/// The reports of the checker, each as its text and its message.
fn reported(source: &str) -> Vec<String> {
    let tree = parse(source);
    assert!(tree.reports.is_empty(), "{source}: {:?}", tree.reports);
    let reports = check(source, &tree, &Setting::default()).reports;
    reports
        .into_iter()
        .map(|report| format!("{}: {} ({})", report.span.text(source), report.message, report.help))
        .collect()
}

#[test]
fn mistakes_that_did_nothing_silently_are_reported() {
    for (source, expected) in [
        (
            "!set level 3",
            "level: `level` cannot be set: the world keeps the object `~level` there (choose another name, such as `own_level`)",
        ),
        (
            "!set this.a 3",
            "this: `this` cannot be set: the world keeps the object `~this` there (choose another name, such as `own_this`)",
        ),
        (
            "!set f Lambda(hull, !set hull hull - 1)",
            "hull: `hull` is a parameter or a `let` here, and those cannot be set (`!set` gives a variable of the object its value: give one of the two another name)",
        ),
        (
            "!set f Lambda(let n = 1 in !set n += 1)",
            "n: `n` is a parameter or a `let` here, and those cannot be set (`!set` gives a variable of the object its value: give one of the two another name)",
        ),
        ("!set f Lambda(!Send(~leval, \"a\"))", "~leval: there is no object `~leval` (did you mean `~level`?)"),
        (
            "!set f Lambda(~captain)",
            "~captain: there is no object `~captain` (there are `~this`, `~sender`, `~level` and `~player`, and the variables of the object)",
        ),
        (
            "!set tick [ !Log(1) ]\n!set f [ tick, !Log(2) ]",
            "tick: the lambda `tick` is not called here (write `tick()`)",
        ),
        (
            "!set f Lambda(d, do [ [ !Log(d) ], !Log(2) ])",
            "[ !Log(d) ]: this body is never run (write `do` before it to run it here, or give it to something that calls it)",
        ),
        (
            "!set f Lambda(d, do [ if d > 3 then [ !Log(d) ], !Log(2) ])",
            "[ !Log(d) ]: this body is never run (write `do` before it to run it here, or give it to something that calls it)",
        ),
        (
            "!set n 0\n!set heal Lambda(d, [ !set n n + d ])\n!set f Lambda(d, do [ heal(d), !Log(2) ])",
            "heal(d): this call gives a lambda, which is never called (call it too: `heal(d)()`; or write `do` before the body that it gives)",
        ),
        (
            "!set n 0\n!set OnHit Lambda(d, n = n + 1)",
            "n = n + 1: the result of this comparison is not used (to give a variable a value, write `!set n n + 1`)",
        ),
        (
            "!set f Lambda(!Log(1))\n!After(100, [ f() ])",
            "[ f() ]: expected a lambda, found a list (a list is evaluated at once: to run its elements later, write `Lambda(do [ … ])`)",
        ),
        (
            "!set target ~this\n!set f Lambda(!set target.hull 3)",
            "target: an object sets its own variables only (send the other a message, and let it set them: `!Send(target, \"repair\", 3)`)",
        ),
        (
            "!set f Lambda(if 3 then 1 else 2)",
            "3: expected true or false, found a number (a condition is true or false: write `3 <> 0`)",
        ),
    ] {
        assert_eq!(reported(source), [expected], "{source}");
    }
}

#[test]
fn what_is_right_is_not_reported() {
    for source in [
        "!set OnDamage Lambda(d, [ !Log(d) ])",
        "!set n 0\n!set heal Lambda(d, [ !set n n + d ])\n!set OnHit Lambda(d, do [ !Log(1), heal(d) ])",
        "!set r { a 1 }\n!set r.b \"x\"\n!set r.a \"y\"\nr.b",
        "!set target ~this\n!Send(~target, \"a\")",
        "!set n nothing\n!set f Lambda(x, !set n x)\n!set n += 1",
        "!set xs [1, 2]\n!Each(xs, Lambda(x, !Log(x)))",
        "!set f Lambda(x, x[\"a\"] + 1)\nf({ a 1 })",
        "!set f Lambda(x, i, x[i])\nf({ a 1 }, \"a\")\nf([1], 0)",
    ] {
        assert_eq!(reported(source), [] as [String; 0], "{source}");
    }
}

#[test]
fn the_checker_takes_little_for_lambdas_that_all_call_each_other() {
    let source: String = (0..60)
        .map(|lambda| {
            let calls: Vec<String> = (0..60).map(|other| format!("x{other}(a)")).collect();
            format!("!set x{lambda} Lambda(a, [{}])\n", calls.join(", "))
        })
        .collect();
    let checked = check(&source, &parse(&source), &Setting::default());
    assert_eq!(checked.lambdas.len(), 60);
}
