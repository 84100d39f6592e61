//! The type checker: reports, and the absence of false reports.

use crate::world;

use script::builtin::BUILTINS;
use script::check::{Checked, Refusal, Setting, check as run};
use script::compile::compile;
use script::parse::{REPORTS_MAX, parse};
use script::report::Severity;
use script::types::Signature;

fn checked(source: &str) -> Checked {
    let tree = parse(source);
    assert!(tree.reports.is_empty(), "{source}: {:#?}", tree.reports);
    run(source, &tree, &world::setting())
}

/// Neither the checker nor the compiler reports anything.
fn passes(source: &str) {
    let found = checked(source);
    assert!(found.reports.is_empty(), "{source}: {:#?}", found.reports);
    let (_, reports) = compile(source, &parse(source), &["this"]);
    assert!(reports.is_empty(), "{source}: {reports:#?}");
}

/// There is exactly one report: its place, its message, and part of its help.
fn finds(severity: Severity, source: &str, place: &str, message: &str, help: &str) {
    let found = checked(source);
    let shown: Vec<(&str, &str)> =
        found.reports.iter().map(|report| (report.span.text(source), report.message.as_str())).collect();
    assert_eq!(shown, [(place, message)], "{source}");
    assert!(found.reports[0].help.contains(help), "{source}: {}", found.reports[0].help);
    assert_eq!(found.reports[0].severity, severity, "{source}");
}

fn fails(source: &str, place: &str, message: &str, help: &str) {
    finds(Severity::Error, source, place, message, help);
}

fn warns(source: &str, place: &str, message: &str, help: &str) {
    finds(Severity::Warning, source, place, message, help);
}

/// The type of a variable.
fn has_type(source: &str, name: &str, expected: &str) {
    let found = checked(source);
    assert!(found.reports.is_empty(), "{source}: {:#?}", found.reports);
    let variable = found.variables.iter().find(|variable| variable.name == name).expect("the source sets it");
    assert_eq!(variable.kind.to_string(), expected, "{source}");
}

#[test]
fn every_signature_states_the_number_of_arguments() {
    for builtin in BUILTINS {
        let signature =
            Signature::parse(builtin.signature).unwrap_or_else(|error| panic!("{}: {error:?}", builtin.name));
        assert_eq!(signature.name, builtin.name);
        for count in 0..6 {
            assert_eq!(signature.takes(count), builtin.takes(count), "{} with {count}", builtin.signature);
        }
        assert!(builtin.cost > 0, "{}", builtin.name);
        passes(builtin.example.0);
    }
}

#[test]
fn types_are_inferred_from_use() {
    has_type("!set a 1", "a", "number");
    has_type("!set a #1", "a", "identifier");
    has_type("!set a [1, 2]", "a", "list of number");
    has_type("!set a [1, \"x\"]", "a", "list");
    has_type("!set a { hull 1, name \"x\" }", "a", "{ hull number, name string }");
    has_type("!set a [{ marker \"nose\" }, { marker \"tail\", at 2 }]", "a", "list of { marker string, at number }");
    has_type("!set a vec(1, 2, 3) * 2", "a", "vector");
    has_type("!set a if true then 5", "a", "number");
    has_type("!set a 1\n!set a \"x\"", "a", "any");
    has_type("!set a 1\n!set a nothing", "a", "number");
    has_type("!set a []\n!set a [1]", "a", "list of number");
    has_type("!set f Lambda(x, x + 1)", "f", "Lambda(number, number)");
    has_type("!set f Lambda(x, x)", "f", "Lambda(A, A)");
    has_type("!set max Lambda(m, n, if m > n then m else n)", "max", "Lambda(A, A, A)");
    has_type("!set fact Lambda(n, if n < 2 then 1 else n * fact(n - 1))", "fact", "Lambda(number, number)");
    has_type(
        "!set even Lambda(n, if n = 0 then true else odd(n - 1))\n!set odd Lambda(n, if n = 0 then false else even(n - 1))",
        "odd",
        "Lambda(number, truth)",
    );
    has_type("!set f Lambda(l, map(l, Lambda(x, x * 2)))\n!set r f([1])", "r", "list of number");
    has_type("!set f Lambda(x: number, y: list of string, y[#0])", "f", "Lambda(number, list of string, string)");
    has_type("!set twice Lambda(f, x, f(f(x)))\n!set r twice(Lambda(y, y + 1), 2)", "r", "number");
    has_type("!set add Lambda(a, Lambda(b, a + b))\n!set r add(3)(4)", "r", "number");
    has_type("!set r fold([1, 2], 0, Lambda(t, x, t + x))", "r", "number");
    has_type("!set r first(filter([{ hull 3 }], Lambda(ship, ship.hull > 2))).hull", "r", "number");
    has_type("!set t !After(100, [ !Log(1) ])", "t", "identifier");
    has_type(
        "!set hit Lambda(d, [ !set hull hull - d, hull ])\n!set hull 10",
        "hit",
        "Lambda(number, !Lambda(number))",
    );
    has_type("!set p Lambda(a, b, a * b)\n!set v p(2, vec(1, 2, 3))", "v", "vector");
}

#[test]
fn valid_sources_are_not_reported() {
    for source in [
        "!set max Lambda(m, n, if m > n then m else n)\nmax(1, 2)\nmax(#1, #2)",
        "!set a Lambda(cond, if cond then 5 else a)",
        "nothing + 1",
        "[1][#5] + 1",
        "first([]) + 1",
        "!set x 1\n!set x \"a\"\nx + 1",
        "Lambda(x: any, x + 1)(\"a\")",
        "!set f Lambda(x, if kind(x) = \"number\" then x + 1 else length(x))\nf(1)\nf(vec(1, 2, 3))",
        "!set f Lambda(mode, x, if mode then x + 1 else length(x))\nf(true, 1)\nf(false, vec(1, 2, 3))",
        "!set f Lambda(c, x, if c then x else 5)\nf(true, \"a\")\nf(true, 1) + 1",
        "!set f Lambda(g, [g(1), g(\"a\")])\nf(Lambda(x, x))",
        "let f = Lambda(x, x) in [f(1), f(\"a\")]",
        "!set f Lambda(p, p.x + p.y)\nf(vec(1, 2, 3))\nf({ x 1, y 2 })",
        "~this.hull + 1",
        "join([1], [\"a\"])",
        "fold([1, 2], nothing, Lambda(best, x, if best = nothing or x > best then x else best))",
        "fold([1, 2], 0, Lambda(t, x, vec(x, 0, 0)))",
        "!set state 0\n!set step [ !set state if state = 0 then \"on\" else 0 ]\nstep()",
        "!set log []\n!set hull 1\n!set hit [ !set log join(log, [hull]) ]\nhit()",
        "!set f Lambda(r, r.weapon)\nf({ marker 1 })",
        "!set d { front 5, back 1 }\nd.front - d.back",
        "[{ marker \"nose\" }, { marker \"tail\", weapon \"x\" }][#0].weapon",
        "!set l []\nfirst(l).name",
        "let g = Lambda(n, n) in g(#1) + #2",
        "!set fire [ !GUIFire(\"blaster\", 1), !Log(2) ]\nfire()",
        "!set x 1\nif x > 0 then !set x 5",
        "sort([3, 1], Lambda(x, -x))",
        "-vec(1, 0, 0) / 2",
        "!Spawn(\"a.ship\", { hull 1 }, Lambda(ship, [ !Destroy(ship) ]))",
        "number(3) + number(#3)",
        "!set f Lambda(x, f)\nf(1)(2)(3)",
        "!set f Lambda(x, x(x))",
        "!set f Lambda(l, l = [] or f([l]))",
        "!set list [Lambda(x, x + 1), Lambda(x, x * 2)]\nlist[#0](4) + 1",
        "let x = 1, x = \"a\" in x = \"a\"",
        "with({ a 1 }, \"b\", 2).b",
        "if 1 = 1 and not (2 <> 2) then 1 else \"x\"",
        "!set f Lambda(id, if id = nothing then 0 else id.hull)\nf(nothing)",
        "!set apply Lambda(f, x, f(x))\n!set n 0\napply(Lambda(y, [ !set n y ]), 1)()\nmap([1], Lambda(z, apply(Lambda(q, q), z)))",
    ] {
        passes(source);
    }
}

#[test]
fn arithmetic_requires_numbers_or_vectors() {
    fails("1 + \"a\"", "\"a\"", "expected a number, found a string", "the same kind");
    fails("\"a\" + \"b\"", "\"a\"", "expected a number, an identifier or a vector, found a string", "in braces");
    fails("1 + #2", "#2", "expected a number, found an identifier", "number(#2)");
    fails("#2 + 1", "1", "expected an identifier, found a number", "#3");
    fails("vec(1, 2, 3) + 1", "1", "expected a vector, found a number", "");
    fails("vec(1, 2, 3) * vec(1, 2, 3)", "vec(1, 2, 3)", "expected a number, found a vector", "");
    fails("2 * true", "true", "expected a number or a vector, found true or false", "");
    fails("1 / \"a\"", "\"a\"", "expected a number, found a string", "");
    fails("#1 % 2", "#1", "expected a number, found an identifier", "number(#1)");
    fails("-\"a\"", "\"a\"", "expected a number, an identifier or a vector, found a string", "");
    fails("1 < vec(1, 2, 3)", "vec(1, 2, 3)", "expected a number, found a vector", "");
    fails("1 < #2", "#2", "expected a number, found an identifier", "number(#2)");
    fails(
        "!set hull \"full\"\n!set f Lambda(d, hull - d)",
        "hull",
        "expected a number, an identifier or a vector, found a string",
        "",
    );
    fails(
        "!set f Lambda(x, if x then x + 1)",
        "x",
        "expected a number, an identifier or a vector, found true or false",
        "",
    );
}

#[test]
fn conditions_must_be_truths() {
    fails("if 1 then 2", "1", "expected true or false, found a number", "write `1 <> 0`");
    fails("not \"a\"", "\"a\"", "expected true or false, found a string", "compare it");
    fails("true and (5)", "5", "expected true or false, found a number", "5 <> 0");
    fails("filter([1], Lambda(x, x + 1))", "x + 1", "expected true or false, found a number", "write `x + 1 <> 0`");
    warns("!set id #1\nid = 1", "id = 1", "an identifier and a number are never equal, so this never holds", "`#`");
}

#[test]
fn arguments_must_match_the_callee() {
    fails("3()", "3", "this is a number, and cannot be called", "lambdas");
    fails("!set f 3\nf(1)", "f", "this is a number, and cannot be called", "");
    fails("!set f Lambda(x, x + 1)\nf(\"a\")", "\"a\"", "expected a number, found a string", "`f`");
    fails("!set f Lambda(x, x + 1)\nf(1, 2)", "2", "`f` takes 1 argument, found 2", "remove");
    warns("!set f Lambda(x, y, x + y)\nf(1)", "f(1)", "`f` takes 2 arguments, found 1", "nothing");
    fails("sqrt(\"a\")", "\"a\"", "expected a number, found a string", "sqrt(number)");
    fails("length(3)", "3", "expected a vector, found a number", "");
    fails("map(3, Lambda(x, x))", "3", "expected a list, found a number", "map(");
    fails(
        "map([\"a\"], Lambda(x, x + 1))",
        "Lambda(x, x + 1)",
        "expected a Lambda(string, A), found a Lambda(number, number)",
        "map(",
    );
    fails("fold([1], 0, Lambda(t, t))", "Lambda(t, t)", "this lambda takes 1 argument, but `fold` gives it 2", "fold(");
    warns("map([1], Lambda(x, y, x))", "Lambda(x, y, x)", "this lambda takes 2 arguments, but `map` gives it 1", "");
    fails("map([1], 5)", "5", "expected a Lambda(number, A), found a number", "map(");
    fails("!set f Lambda(n, if n > 0 then f(\"a\") else 0)", "\"a\"", "expected a number, found a string", "`f`");
    fails(
        "!set a Lambda(n, b(n) + 1)\n!set b Lambda(n, length(n))\na(3)",
        "3",
        "expected a vector, found a number",
        "`a`",
    );
    fails(
        "!set f Lambda(l, first(l) + 1)\nf([\"a\"])",
        "[\"a\"]",
        "expected a list of number, found a list of string",
        "`f`",
    );
    fails(
        "!set f Lambda(x, let l = [x, 1] in first(l) + 1)\nf(1)\n!set l [\"a\"]\nfirst(l) + 1",
        "first(l)",
        "expected a number, an identifier or a vector, found a string",
        "",
    );
    fails(
        "Lambda(x: list of nubmer, x)",
        "list of nubmer",
        "expected a type, found `nubmer`",
        "did you mean `number`?",
    );
    fails("filter([{ a 5 }], Lambda(w, w.a))", "w.a", "expected true or false, found a number", "write `w.a <> 0`");
    let long = "{ first 1, second 2, third 3, fourth 4, fifth 5 }";
    fails(&format!("abs([{long}])"), &format!("[{long}]"), "expected a number, found a list", "");
    fails("Lambda(x: nubmer, x)", "nubmer", "expected a type, found `nubmer`", "did you mean `number`?");
    fails("Lambda(x: string, x + 1)", "x", "expected a number, an identifier or a vector, found a string", "");
    fails(
        "!set f Lambda(l: list of number, l)\nf([\"a\"])",
        "[\"a\"]",
        "expected a list of number, found a list of string",
        "",
    );
}

#[test]
fn unknown_fields_and_elements_are_reported() {
    fails("{ front 1 }.fornt", "fornt", "this record has no field `fornt`", "did you mean `front`?");
    fails("!set armour { front 1, back 2 }\narmour.side", "side", "this record has no field `side`", "front, back");
    fails("vec(1, 2, 3).w", "w", "a vector has no field `w`", "x, y and z");
    fails("5.field", "5", "expected a handle or a record, found a number", "");
    fails("5[#0]", "5", "expected a list, found a number", "");
    fails("[1][\"a\"]", "\"a\"", "expected a number or an identifier, found a string", "");
}

#[test]
fn unknown_effects_and_wrong_arguments_are_reported() {
    fails("!Dmage(~this, 1)", "Dmage", "there is no effect `!Dmage`", "did you mean `!Damage`?");
    warns("!Xylophone(1)", "Xylophone", "`!Xylophone` is not a known effect", "the game that runs this must know it");
    fails("!Damage(~this, \"a\")", "\"a\"", "expected a number, found a string", "!Damage(handle, number, string?)");
    fails("!Destroy()", "!Destroy()", "`!Destroy` takes 1 argument, found 0", "!Destroy(handle)");
    fails("!After(5, 5)", "5", "expected a lambda, found a number", "!After(number, lambda)");
    let source = "!Whatever(1)";
    let setting = Setting { accepts_unknown_effects: true, ..world::setting() };
    assert!(run(source, &parse(source), &setting).reports.is_empty());
}

#[test]
fn effectful_lambdas_may_not_be_passed_to_pure_built_ins() {
    let given = "`map` was given a lambda with effects";
    fails("map([1], Lambda(x, !Log(x)))", "Lambda(x, !Log(x))", given, "built-ins accept only pure lambdas");
    fails("!set n 0\nmap([1], Lambda(x, !set n x))", "Lambda(x, !set n x)", given, "");
    fails("!set log Lambda(x, !Log(x))\nmap([1], log)", "log", given, "");
    fails("!set log Lambda(x, !Log(x))\nmap([1], Lambda(y, log(y)))", "Lambda(y, log(y))", given, "");
    fails(
        "!set a Lambda(x, if x > 0 then b(x - 1)())\n!set b Lambda(x, [ !Log(x), a(x) ])\nmap([1], Lambda(y, b(y)()))",
        "Lambda(y, b(y)())",
        given,
        "",
    );
    fails(
        "!set apply Lambda(f, x, f(x))\nmap([1], Lambda(y, apply(Lambda(z, !Log(z)), y)))",
        "Lambda(y, apply(Lambda(z, !Log(z)), y))",
        given,
        "",
    );
    fails(
        "!set each Lambda(l, f, map(l, f))\neach([1], Lambda(x, !Log(x)))",
        "Lambda(x, !Log(x))",
        "`each` was given a lambda with effects",
        "built-in",
    );
    fails("!set g Lambda(x, x)\n!set g Lambda(x, !Log(x))\nmap([1], g)", "g", given, "");
    fails("!set r { go Lambda(x, !Log(x)) }\nmap([1], r.go)", "r.go", given, "");
    fails("!set l [Lambda(x, x), Lambda(x, !Log(x))]\nmap([1], l[#0])", "l[#0]", given, "");
    passes("map([1], Lambda(x, [ !Log(x) ]))");
}

#[test]
fn cached_lambdas_must_be_worth_it() {
    let source = "!set f Cached Lambda(x, [ !Log(x) ]())";
    fails(source, "Cached Lambda(x, [ !Log(x) ]())", "this lambda is `Cached`, but it has effects", "remove");
    let cheap = "`Cached` cannot pay here: it takes about";
    let found = checked("!set f Cached Lambda(x, x + 1)");
    assert!(found.reports[0].message.starts_with(cheap), "{:?}", found.reports);
    let long = "pow(a, b) + pow(b, a)";
    warns(
        &format!("!set f Cached Lambda(a, b, c, d, e, f, g, h, i, {long})"),
        &format!("Cached Lambda(a, b, c, d, e, f, g, h, i, {long})"),
        "`Cached` cannot pay here: it depends on 9 arguments and variables, and at most 8 are looked up",
        "remove",
    );
    passes(&format!("!set f Cached Lambda(a, b, {long})"));
    warns(
        "Lambda(a, Cached Lambda(b, pow(a, b)))",
        "Cached Lambda(b, pow(a, b))",
        "`Cached` cannot pay here: it uses names of the lambda around it",
        "",
    );
}

#[test]
fn requirements_include_those_of_callees() {
    let check = |source: &str, name: &str, expected: &[&str]| {
        let found = checked(source);
        let fact = found.lambda(name).expect("there is such a lambda");
        assert_eq!(found.requirements(fact).collect::<Vec<&str>>(), expected, "{source}");
        assert!(fact.has_all_requirements);
    };
    let click = "!set guiParent #3\n!set pressed #0\n!set guiClick Lambda(id, id = pressed)\n!set onClick Lambda(id, if not (id = #-1 or id = guiParent) then guiClick(id))";
    check(click, "onClick", &["guiParent", "guiClick", "pressed"]);
    check("!set a Lambda(x, b(x) + k)\n!set b Lambda(x, a(x) + m)\n!set k 1\n!set m 2", "a", &["b", "k", "a", "m"]);
    check("!set h 1\n!set f Lambda(l, map(l, Lambda(x, x + h)))", "f", &["h"]);
    check("!set h 1\n!set f Lambda(h, h)", "f", &[]);
    check("!set h 1\n!set f Lambda(x, let h = 2 in h + x)", "f", &[]);
    check("!set h 1\n!set g Lambda(x, x + h)\n!set alias g\n!set f Lambda(x, alias(x))", "f", &["alias", "h"]);
    check(
        "!set h 1\n!set c 2\n!set g Lambda(x, x + h)\n!set g Lambda(x, x + c)\n!set f Lambda(x, g(x))",
        "f",
        &["g", "h", "c"],
    );
    check("!set f Lambda(x, [ !Send(~this, \"a\") ])", "f", &["this"]);
}

#[test]
fn checking_takes_time_proportional_to_the_source() {
    let chain: String = (0..20_000).map(|n| format!("!set f{n} Lambda(x, f{}(x))\n", n + 1)).collect();
    let tags: String = (0..10_000)
        .map(|n| format!("!set part{n} {{ marker \"nose\", at vec({n}, 2, 3), list [1, 2, {n}] }}\n"))
        .collect();
    let doubling: String =
        (0..200).map(|n| format!("!set g{} Lambda(x, {{ a g{n}(x), b g{n}(x) }})\n", n + 1)).collect();
    let records: String = (0..200).map(|n| format!("!set r{} {{ a r{n}, b r{n} }}\n", n + 1)).collect();
    let lists: String = (0..5_000).map(|n| format!("!set l{} [l{n}]\n", n + 1)).collect();
    let long_list = format!("!set l [{}]", "{ a 1, b \"x\" }, ".repeat(20_000));
    let different = format!("!set d [{}]", (0..20_000).map(|n| format!("{{ f{n} 1 }}, ")).collect::<String>());
    let fields: String = (0..20_000).map(|n| format!("f{n} 1, ")).collect();
    let changing: String = (0..20_000).map(|n| format!(", {{ f{n} \"x\" }}")).collect();
    let lets = format!("let a0 = 1{} in a0", (1..5_000).map(|n| format!(", a{n} = a{}", n - 1)).collect::<String>());
    let arguments = format!("Lambda({}1)", (0..5_000).map(|n| format!("a{n}, ")).collect::<String>());
    for source in [
        chain,
        tags,
        format!("!set g0 Lambda(x, x)\n{doubling}"),
        format!("!set r0 1\n{records}"),
        format!("!set l0 1\n{lists}"),
        long_list,
        different,
        format!("!set c [{{ {fields} }}{changing}]"),
        lets,
        arguments,
        "1+".repeat(20_000) + "1",
        format!("a{}", ".b".repeat(20_000)),
        format!("f{}", "()".repeat(20_000)),
        "Lambda(x, ".repeat(150),
    ] {
        let tree = parse(&source);
        let found = run(&source, &tree, &world::setting());
        assert!(found.reports.len() <= 200);
    }
}

#[test]
fn unknown_names_are_reported_up_to_a_limit_and_quickly() {
    let sets: String = (0..4_000).map(|n| format!("!set variable{n} 1\n")).collect();
    let source = sets + &(0..40_000).map(|n| format!("wariable{n}x\n")).collect::<String>();
    let (_, reports) = compile(&source, &parse(&source), &[]);
    assert_eq!(reports.len(), REPORTS_MAX);
    assert_eq!(reports[0].help, "did you mean `variable0`?");
}

#[test]
fn lambda_arguments_know_the_fields_of_their_records() {
    let ships = "!set ships [{ name \"a\", hull 3 }, { name \"b\", hull 5 }]\n";
    let finds = |source: &str, place: &str, help: &str| {
        fails(&format!("{ships}{source}"), place, &format!("this record has no field `{place}`"), help);
    };
    finds("filter(ships, Lambda(s, s.hul > 0))", "hul", "did you mean `hull`?");
    finds("nearest(ships, Lambda(s, 2 * s.hulll)).name", "hulll", "did you mean `hull`?");
    finds("map(ships, Lambda(s, map(ships, Lambda(t, t.nam))))", "nam", "did you mean `name`?");
    finds("fold(ships, 0, Lambda(most, s, max(most, s.hlul)))", "hlul", "did you mean `hull`?");
    passes(&format!("{ships}fold(ships, {{}}, Lambda(so_far, s, {{ best s.name, before so_far.best }}))"));
    passes(&format!("{ships}map(map(ships, Lambda(s, with(s, \"mark\", 1))), Lambda(s, s.mark))"));
    passes("map([{ a 1 }, { b 2 }], Lambda(r, r.a))");
    passes("!set ships []\nmap(ships, Lambda(s, s.hull))");
    passes("!set has Lambda(r, r.shield <> nothing)\n[has({ shield 1 }), has({ hull 1 })]");
}

#[test]
fn duplicate_parameters_are_reported() {
    warns("Lambda(a, a, a)", "a", "the parameter `a` is declared twice", "different names");
    passes("Lambda(a, Lambda(a, a)(1) + a)");
    passes("!set f Lambda(a, let a = 1 in a)\nf(2)");
}

#[test]
fn uncached_lambdas_are_not_memoised() {
    let found = checked(
        "!set f Uncached Lambda(x, sum(map([1], Lambda(y, y + x))))\n!set g Lambda(x, sum(map([1], Lambda(y, y + x))))",
    );
    assert_eq!(found.lambda("f").map(|lambda| lambda.refusal), Some(Some(Refusal::Unwanted)));
    assert_eq!(found.lambda("g").map(|lambda| lambda.refusal), Some(None));
}
