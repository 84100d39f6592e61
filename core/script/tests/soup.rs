//! Fuzzing of the front end: any source is parsed, checked and compiled without a panic, and the reports are right.

use proptest::prelude::*;
use script::check::{Checked, Refusal, Setting, check};
use script::compile::compile;
use script::environment::Environment;
use script::machine::{Limits, Scratch};
use script::parse::parse;
use script::report::Severity;
use script::schema::{DeclaredVariable, Schema};
use script::types::Type;
use script::value::Value;
use script::write::write;

/// This many random cases, unless the environment sets a number.
fn cases(count: u32) -> ProptestConfig {
    let mut config = ProptestConfig::default();
    config.cases = if config.cases == 256 { count } else { config.cases };
    config.failure_persistence = None;
    config
}

/// The types that the checker inferred, as declarations.
fn schema_of(checked: &Checked) -> Schema {
    let own = checked.variables.iter().filter(|variable| !variable.name.is_empty() && variable.name != "this");
    let variables = own.map(|variable| {
        // The types of generic lambdas and of variables that are only read cannot be declared.
        let is_plain = matches!(variable.kind, Type::Number | Type::String | Type::Truth | Type::Vector);
        let kind = if is_plain { variable.kind.clone() } else { Type::Any };
        DeclaredVariable { kind, ..DeclaredVariable::new(&variable.name) }
    });
    Schema { name: "own".to_string(), variables: variables.collect() }
}

/// Runs a source through all stages, and evaluates it within limits.
fn digest(source: &str) {
    let tree = parse(source);
    let checked = check(source, &tree, &Setting::default());
    assert!(checked.reports.len() <= 100);
    for report in &checked.reports {
        assert!(source.get(report.span.range()).is_some(), "{report:?}");
    }
    let (program, _) = compile(source, &tree, &["this"]);
    assert_eq!(program.verify(), Ok(()));
    check(source, &tree, &Setting { schema: Some(&schema_of(&checked)), ..Setting::default() });
    let mut environment = Environment::new(&program, 1000);
    let mut scratch = Scratch::new(Limits { fuel: 10_000, ..Limits::default() });
    for statement in program.statements.iter().take(50) {
        let _ = environment.evaluate(&program, *statement, &[], &mut scratch);
    }
}

const WORDS: &[&str] = &[
    "!set",
    "a",
    "b",
    "f",
    "hull",
    "Lambda(",
    "Cached Lambda(",
    "Lambda(x, ",
    "Lambda(f, x, ",
    ")",
    "(",
    "[",
    "]",
    "{",
    "}",
    ",",
    ",",
    "\n",
    "\n",
    "1",
    "0.5",
    "#2",
    "\"text\"",
    "true",
    "nothing",
    "~this",
    "!Log(",
    "!After(5, ",
    "!Every(",
    "if",
    "then",
    "else",
    "let",
    "=",
    "in",
    "and",
    "or",
    "not",
    "+",
    "-",
    "*",
    "/",
    "%",
    "<",
    ">=",
    "<>",
    ".x",
    ".hull",
    "[#0]",
    "(x)",
    "(1)",
    "x",
    "x",
    "map(",
    "fold(",
    "first(",
    "vec(1, 2, 3)",
    "sort(",
    "with(",
    "kind(x)",
    "x: list of number",
    "x: @weapon",
    "x: Lambda(number, truth)",
    "@ship\n",
    "!set a Lambda(x, ",
    "!set f Lambda(x, f(",
    "//",
    ":",
    "..",
    "|",
];

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn random_words_do_not_panic(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..80)) {
        digest(&words.join(" "));
    }

    #[test]
    fn any_text_does_not_panic(text in "\\PC{0,200}") {
        digest(&text);
    }

    /// In an expression without branches everything is evaluated: the checker reports an error if and only if
    /// evaluation complains.
    #[test]
    fn errors_are_reported_if_and_only_if_evaluation_complains(source in expression()) {
        let tree = parse(&source);
        prop_assert!(tree.reports.is_empty(), "{}: {:#?}", source, tree.reports);
        let checked = check(&source, &tree, &Setting::default());
        let (program, reports) = compile(&source, &tree, &[]);
        prop_assert!(reports.is_empty(), "{}: {:#?}", source, reports);
        let mut environment = Environment::new(&program, 1000);
        let mut scratch = Scratch::new(Limits::default());
        let _ = environment.evaluate(&program, program.statements[0], &[], &mut scratch);
        let errors = checked.reports.iter().filter(|report| report.severity == Severity::Error).count();
        let has_complaints = !scratch.complaints().is_empty();
        prop_assert_eq!(errors > 0, has_complaints, "{}: {:#?} {:?}", source, checked.reports, scratch.complaints());
    }

    /// Where everything is evaluated, every reported error is one. The checker does not find all.
    #[test]
    fn reported_errors_are_real(source in busy_expression()) {
        let tree = parse(&source);
        prop_assert!(tree.reports.is_empty(), "{}: {:#?}", source, tree.reports);
        let checked = check(&source, &tree, &Setting::default());
        let (program, reports) = compile(&source, &tree, &[]);
        prop_assert!(reports.is_empty(), "{}: {:#?}", source, reports);
        let mut environment = Environment::new(&program, 10_000);
        let mut scratch = Scratch::new(Limits::default());
        let mut complaints = 0;
        for statement in &program.statements {
            let ended = environment.evaluate(&program, *statement, &[], &mut scratch);
            complaints += scratch.complaints().len() + usize::from(ended.is_err());
        }
        let errors = checked.reports.iter().filter(|report| report.severity == Severity::Error).count();
        prop_assert!(errors == 0 || complaints > 0, "{}: {:#?}", source, checked.reports);
    }

    /// A pure lambda has no effects, and depends only on its requirements.
    #[test]
    fn pure_lambdas_have_no_effects_and_read_only_their_requirements(source in tangle()) {
        let tree = parse(&source);
        prop_assert!(tree.reports.is_empty(), "{}: {:#?}", source, tree.reports);
        let checked = check(&source, &tree, &Setting::default());
        let (program, reports) = compile(&source, &tree, &[]);
        prop_assert!(reports.is_empty(), "{}: {:#?}", source, reports);
        let mut environment = Environment::new(&program, 10_000);
        let mut scratch = Scratch::new(Limits { fuel: 20_000, ..Limits::default() });
        for statement in &program.statements {
            let _ = environment.evaluate(&program, *statement, &[], &mut scratch);
        }
        for name in ["f0", "f1", "f2", "f3", "f4"] {
            let lambda = checked.lambda(name).expect("it is set");
            let number = program.variable(name).expect("it is set");
            let mut call = |environment: &mut Environment| {
                let value = environment.call(&program, number, &[Value::number(2.0)], &mut scratch);
                let value = value.map(|value| write(value, &program, scratch.region(), environment.kept()));
                (value.map_err(|trouble| trouble.halt), scratch.effects().len())
            };
            let mut before = environment.clone();
            let (value, effects) = call(&mut before);
            if lambda.is_effectful || lambda.refusal == Some(Refusal::CallsUnknown) {
                continue;
            }
            prop_assert_eq!(effects, 0, "{}: {}", source, name);
            let required: Vec<&str> = checked.requirements(lambda).collect();
            prop_assert!(lambda.has_all_requirements);
            let mut other = environment.clone();
            for free in ["h0", "h1", "h2", "g0", "g1", "f0", "f1", "f2", "f3", "f4"] {
                let variable = program.variable(free).expect("it is set");
                prop_assert_eq!(before.get(variable).as_number(), environment.get(variable).as_number(), "{}", source);
                if !required.contains(&free) && free != name {
                    other.set(variable, Value::number(77.0));
                }
            }
            prop_assert_eq!(call(&mut other).0, value, "{}: {} requires {:?}", source, name, required);
        }
    }

    /// Well-typed sources have no reports, however they are combined.
    #[test]
    fn valid_sources_are_not_reported(source in program()) {
        let tree = parse(&source);
        prop_assert!(tree.reports.is_empty(), "{}: {:#?}", source, tree.reports);
        let checked = check(&source, &tree, &Setting::default());
        prop_assert!(checked.reports.is_empty(), "{}: {:#?}", source, checked.reports);
        let (program, reports) = compile(&source, &tree, &[]);
        prop_assert!(reports.is_empty(), "{}: {:#?}", source, reports);
        let mut environment = Environment::new(&program, 10_000);
        let mut scratch = Scratch::new(Limits::default());
        for statement in &program.statements {
            let _ = environment.evaluate(&program, *statement, &[], &mut scratch);
            prop_assert!(scratch.complaints().is_empty(), "{}: {:?}", source, scratch.complaints());
        }
        let schema = schema_of(&checked);
        let checked = check(&source, &tree, &Setting { schema: Some(&schema), ..Setting::default() });
        prop_assert!(checked.reports.is_empty(), "with its own types declared {}: {:#?}", source, checked.reports);
    }
}

/// Expressions of any types, valid and invalid, in which everything is evaluated and no divisor is zero.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("3".to_string()),
        Just("#2".to_string()),
        Just("\"t\"".to_string()),
        Just("true".to_string()),
        Just("vec(1, 2, 3)".to_string()),
        Just("[7, 8]".to_string()),
        Just("{ a 4, b \"u\" }".to_string()),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            (pair.clone(), proptest::sample::select(vec!["+", "-", "*", "<", ">="]))
                .prop_map(|((a, b), o)| format!("({a} {o} {b})")),
            inner.clone().prop_map(|a| format!("(-{a})")),
            inner.clone().prop_map(|a| format!("(not {a})")),
            inner.clone().prop_map(|a| format!("length({a})")),
            inner.clone().prop_map(|a| format!("abs({a})")),
            inner.clone().prop_map(|a| format!("number({a})")),
            (pair.clone()).prop_map(|(a, b)| format!("let k = {a} in [{b}, {b}][#0]")),
            (pair.clone()).prop_map(|(a, b)| format!("{{ k {a}, l {b} }}.l")),
            (pair.clone()).prop_map(|(a, b)| format!("Lambda(x, y, y)({a}, {b})")),
            (pair).prop_map(|(a, b)| format!("(let f = Lambda(x, x + {a}) in f({b}))")),
        ]
    })
}

/// Expressions with lambdas, all of which are called, over variables with values of various types.
fn busy_expression() -> impl Strategy<Value = String> {
    let leaf = proptest::sample::select(vec![
        "3",
        "#2",
        "\"t\"",
        "true",
        "vec(1, 2, 3)",
        "[7, 8]",
        "{ a 4, b \"u\" }",
        "nothing",
        "g",
        "h",
        "k",
        "id(5)",
        "id(\"s\")",
        "both(1, 2)",
        "both(\"a\", #1)",
        "sum2(1, 2)",
        "sum2(vec(1, 2, 3), vec(1, 2, 3))",
    ]);
    let leaf = leaf.prop_map(ToString::to_string);
    let expression = leaf.prop_recursive(4, 24, 3, |inner| {
        let pair = (inner.clone(), inner.clone());
        let three = (inner.clone(), inner.clone(), inner.clone());
        prop_oneof![
            (pair.clone(), proptest::sample::select(vec!["+", "-", "*", "<", "=", "<>"]))
                .prop_map(|((a, b), o)| format!("({a} {o} {b})")),
            inner.clone().prop_map(|a| format!("(not {a})")),
            inner.clone().prop_map(|a| format!("id({a})")),
            pair.clone().prop_map(|(a, b)| format!("both({a}, {b})")),
            pair.clone().prop_map(|(a, b)| format!("sum2({a}, {b})")),
            pair.clone().prop_map(|(a, b)| format!("map([{a}], Lambda(x, [x, {b}]))")),
            pair.clone().prop_map(|(a, b)| format!("map([{a}], Lambda(x, x + {b}))")),
            three.clone().prop_map(|(a, b, c)| format!("fold([{a}, {b}], {c}, Lambda(t, x, [t, x]))")),
            three.clone().prop_map(|(a, b, c)| format!("fold([{a}, {b}], {c}, Lambda(t, x, x))")),
            pair.clone().prop_map(|(a, b)| format!("first(join([{a}], [{b}]))")),
            pair.clone().prop_map(|(a, b)| format!("(let f = Lambda(x, y, [x, y + {a}]) in f({b}, {a}))")),
            pair.clone().prop_map(|(a, b)| format!("(let f = Lambda(g, [g({a}), g({b})]) in f(Lambda(x, x)))")),
            three.clone().prop_map(|(a, b, c)| format!(
                "(let f = Lambda(g, x, g(g(x))) in [f(Lambda(x, [x]), {a}), f(Lambda(y, y), {b}), {c}])"
            )),
            pair.clone().prop_map(|(a, b)| format!("with({{ a {a} }}, \"b\", {b}).a")),
            three.prop_map(|(a, b, c)| format!("[{{ a {a} }}, {{ a {b}, c {c} }}][#1].a")),
            inner.prop_map(|a| format!("number(id({a}))")),
        ]
    });
    const BASE: &str = "!set id Lambda(x, x)\n!set both Lambda(x, y, [y, x])\n!set sum2 Lambda(x, y, x + y)\n";
    (expression.clone(), expression.clone(), expression.clone(), expression, 0..4_usize).prop_map(
        |(a, b, c, d, order)| {
            let set = format!("!set g {a}\n!set h {b}\n");
            let set =
                if order % 2 == 0 { format!("{set}!set k {c}\n") } else { format!("!set k {c}\n{set}!set k {d}\n") };
            format!("{BASE}{set}{d}")
        },
    )
}

/// Five lambdas of one number that call each other directly, through aliases and through lambdas, some with effects.
fn tangle() -> impl Strategy<Value = String> {
    let part = proptest::sample::select(vec![
        "x",
        "h0",
        "h1",
        "h2",
        "fA(x - 1)",
        "fB(h0)",
        "g0(x)",
        "g1(x)",
        "apply(fA, x)",
        "apply(Lambda(y, y + h1), x)",
        "apply(Lambda(y, fB(y)), x)",
        "fold([x, 1], 0, Lambda(t, e, t + e + h2))",
        "first(map([x], fA))",
        "(let q = fA in q(x))",
        "[fA, fB][#0](x)",
        "{ go fA }.go(x)",
        "(if x > 1 then fA else fB)(x - 1)",
        "pick(fA, fB)(x)",
        "late(x)",
        "twice(fA)(x)",
        "first([fA])(x)",
        "find([fA, fB], Lambda(q, true))(x)",
        "(let r = { a fA, b [fB] } in r.b[#0](x))",
        "with({ go fA }, \"go\", fB).go(x)",
        "box.go(x)",
        "box.all[#0](x)",
        "join([fA], [fB])[#1](x)",
        "fold([1], fA, Lambda(t, e, t))(x)",
        "compose(fA, fB)(x)",
        "compose(fA, Lambda(y, h1))(x)",
        "count(filter([x], Lambda(e, e > h2)))",
        "sort([fA, fB], Lambda(q, 1))[#0](x)",
        "apply(twice(fB), x)",
        "apply(apply, fA)",
        "(if h0 > 1 then [fA] else [fB])[#0](x)",
        "EFFECT",
    ]);
    let effect = proptest::sample::select(vec![
        "!Log(x)",
        "!set h0 x",
        "[ !Log(x), h1 ]()",
        "apply(Lambda(y, !Log(y)), x)",
        "[ !set h1 5 ]",
        "first([ [ !Log(1) ] ])",
        "twice(Lambda(y, !Log(y)))(x)",
    ]);
    let body = (part.clone(), part, effect, 0..5_usize, 0..5_usize).prop_map(|(one, two, effect, a, b)| {
        let body = format!("if x < 0 then 0 else [{one}, {two}]");
        body.replace("EFFECT", effect).replace("fA", &format!("f{a}")).replace("fB", &format!("f{b}"))
    });
    (proptest::collection::vec(body, 5), 0..5_usize, 0..5_usize, 0..5_usize).prop_map(|(bodies, a, b, c)| {
        let mut source =
            String::from("!set h0 1\n!set h1 2\n!set h2 3\n!set apply Lambda(f, x, f(x))\n!set pick Lambda(a, b, a)\n");
        source += &format!("!set g0 f{a}\n!set g1 Lambda(x, f{b}(x))\n!set late Lambda(x, x)\n");
        source += "!set twice Lambda(f, Lambda(x, [f(x), f(x)]))\n!set compose Lambda(f, g, Lambda(x, f(g(x))))\n";
        source += &format!("!set box {{ go f{c}, all [f{a}, f{b}] }}\n");
        for (index, body) in bodies.iter().enumerate() {
            source += &format!("!set f{index} Lambda(x, {body})\n");
        }
        source + &format!("!set g0 f{a}\n!set late f{c}\n!set box {{ go f{c}, all [f{a}, f{b}] }}\n")
    })
}

/// Valid sources of several statements that depend on each other.
fn program() -> impl Strategy<Value = String> {
    let pick = |kind: &'static str| {
        let leaves: Vec<&str> = match kind {
            "number" => vec![
                "3",
                "n",
                "double(n)",
                "max(n, 2)",
                "first(l) + 1",
                "r.at",
                "v.x",
                "pick(true, 4)",
                "rec(2)",
                "box(n)[#0]",
            ],
            "truth" => vec!["true", "n > 2", "is(3)", "not is(n)", "v = v", "id = #3", "any(l, is)"],
            "vector" => {
                vec!["v", "v * n", "n * v", "v / 2 + v", "double(v)", "pick(false, v)", "vec(n, 1, n)", "first(box(v))"]
            }
            _ => vec![
                "l",
                "[n, 2]",
                "map(l, double)",
                "filter(l, is)",
                "join(l, [n])",
                "sort(l, Lambda(e, -e))",
                "box(n)",
                "map(l, Lambda(e, pick(true, e)))",
            ],
        };
        proptest::sample::select(leaves).prop_map(|leaf| format!("({leaf})"))
    };
    let number = (pick("number"), pick("number"), pick("truth"), pick("list")).prop_map(|(a, b, c, l)| {
        vec![
            a.clone(),
            format!("({a} * {b})"),
            format!("(if {c} then {a} else {b})"),
            format!("fold({l}, {a}, Lambda(t, e, t + e))"),
            format!("(let q = {a} in q + {b})"),
        ]
    });
    let vector = (pick("vector"), pick("number"), pick("truth")).prop_map(|(v, n, c)| {
        vec![v.clone(), format!("({v} * {n})"), format!("(if {c} then {v} else v)"), format!("pick({c}, {v})")]
    });
    let line = (number, vector, any::<usize>(), 0..7_usize).prop_map(|(numbers, vectors, at, kind)| {
        let (n, v) = (&numbers[at % numbers.len()], &vectors[at % vectors.len()]);
        match kind {
            0 => format!("!set n {n}"),
            1 => format!("!set v {v}"),
            2 => format!("!set r {{ at {n}, to {v} }}"),
            3 => format!("!set l [{n}, {n}]"),
            4 => format!("!set f{at} Lambda(p, p + {n})\nf{at}({n})"),
            5 => format!("!set g{at} Lambda(p, w, p * w)\ng{at}({n}, {v})\ng{at}({v}, {n})"),
            _ => format!("!set h{at} Lambda(p, [ !set n p, !set v {v}, !Log({n}), p ])\nh{at}({n})()"),
        }
    });
    const BASE: &str = "!set n 4\n!set v vec(1, 2, 3)\n!set l [1, 2]\n!set id #3\n!set r { at 1, to v }
!set double Lambda(x, x + x)\n!set is Lambda(x, x > 1)\n!set max Lambda(a, b, if a > b then a else b)
!set pick Lambda(c, x, if c then x else x)\n!set rec Lambda(k, if k < 1 then 0 else k + rec(k - 1))\n!set box Lambda(x, [x])\n";
    proptest::collection::vec(line, 0..8).prop_map(|lines| format!("{BASE}{}", lines.join("\n")))
}

#[test]
fn deep_and_long_expressions_do_not_overflow_the_stack() {
    for source in [
        "1+".repeat(20_000) + "1",
        format!("a{}", ".b".repeat(20_000)),
        format!("f{}", "()".repeat(20_000)),
        format!("x{}", "[#0]".repeat(20_000)),
        "(".repeat(20_000),
        "[".repeat(20_000),
        "not ".repeat(20_000),
        "Lambda(x, ".repeat(190) + "x",
        "Lambda(x: ".to_string() + &"list of ".repeat(20_000),
        "Lambda(x: ".to_string() + &"Lambda(".repeat(20_000),
        "1+(".repeat(190) + &"1+".repeat(300) + "1" + &")".repeat(190),
        "if true then ".repeat(190) + "1",
        "!set a ".repeat(190) + "1",
        "let a = ".repeat(190) + "1",
    ] {
        digest(&source);
    }
}
