//! Sources checked against the variables that a schema declares.

use script::check::{Setting, check};
use script::handler::Handler;
use script::parse::parse;
use script::schema::{DeclaredVariable, Schema};
use script::types::Type;

fn schema() -> Schema {
    let variable = |name: &str, kind: &str| {
        let kind = Type::parse(kind).expect("it is a type");
        DeclaredVariable { kind, ..DeclaredVariable::new(name) }
    };
    let variables = vec![
        DeclaredVariable::new("Name"),
        DeclaredVariable { range: Some((0.0, 1000.0)), ..variable("CurHealth", "number") },
        variable("Weapons", "list of { marker string, weapon @weapon }"),
        DeclaredVariable { allows_formula: true, ..variable("Speed", "number") },
        variable("OnHit", "Lambda(number, number)"),
    ];
    Schema { name: "ship".to_string(), variables }
}

#[test]
fn a_source_is_checked_against_its_schema() {
    let schema = schema();
    let setting = Setting { schema: Some(&schema), ..Setting::default() };
    let check = |source: &str, expected: &[(&str, &str)]| {
        let source = format!("@ship\n{source}");
        let found = check(&source, &parse(&source), &setting);
        let found: Vec<(&str, &str)> =
            found.reports.iter().map(|report| (report.span.text(&source), report.message.as_str())).collect();
        assert_eq!(found, expected, "{source}");
    };
    check("!set CurHealth 100\n!set OnHit Lambda(d, CurHealth - d)", &[]);
    check("!set CurHelath 100", &[("CurHelath", "`CurHelath` is not a variable of the class `ship`")]);
    check("!set CurHealth \"full\"", &[("\"full\"", "expected a number, found a string")]);
    check("!set CurHealth 1001", &[("1001", "1001 is outside the range of `CurHealth`: 0 to 1000")]);
    check("!set CurHealth -1", &[("-1", "-1 is outside the range of `CurHealth`: 0 to 1000")]);
    check("!set CurHealth Lambda(1)", &[("Lambda(1)", "expected a number, found a Lambda(number)")]);
    check("!set Speed Lambda(CurHealth / 10)", &[]);
    check("!set Speed Lambda(\"a\")", &[("Lambda(\"a\")", "expected a number, found a string")]);
    check(
        "!set Speed Lambda(if true then !set CurHealth 1)",
        &[("Lambda(if true then !set CurHealth 1)", "the formula of `Speed` has effects")],
    );
    check("!set Weapons [{ marker \"nose\", weapon \"a.weapon\" }]", &[]);
    check(
        "!set Weapons [{ marker 5 }]",
        &[(
            "[{ marker 5 }]",
            "expected a list of { marker string, weapon @weapon }, found a list of { marker number }",
        )],
    );
    check("CurHealth and true", &[("CurHealth", "expected true or false, found a number")]);
    check("!set Weapons [{ markr \"x\" }]", &[("markr", "this record has no field `markr`")]);
    check("!set Weapons [{ marker \"x\", weapon \"laser\" }]", &[]);
    check("Weapons[#0].wepon", &[("wepon", "this record has no field `wepon`")]);
    check("OnHit(\"a\")", &[("\"a\"", "expected a number, found a string")]);
    check("!set Name 1\n!set Name \"x\"", &[]);
}

/// The reports about a source of a class that is open, in a world with these handlers.
fn found(source: &str) -> Vec<(String, String)> {
    static HANDLERS: [Handler; 2] = [
        Handler { name: "OnDamage", called: "Lambda(number, string, any)" },
        Handler { name: "OnSpawn", called: "Lambda(any)" },
    ];
    let mut schema = schema();
    schema.variables.extend(["OnDamage", "OnSpawn", "tick", "tock", "count"].map(DeclaredVariable::added));
    let source = format!("@ship\n{source}");
    let setting = Setting { schema: Some(&schema), handlers: &HANDLERS, ..Setting::default() };
    let checked = check(&source, &parse(&source), &setting);
    let texts = checked.reports.iter().map(|report| (report.span.text(&source).to_string(), report.message.clone()));
    texts.collect()
}

#[track_caller]
fn tells(source: &str, place: &str, message: &str) {
    let found = found(source);
    assert_eq!(found, [(place.to_string(), message.to_string())], "{source}");
}

#[test]
fn a_lambda_that_a_tag_adds_is_checked_as_it_is_written() {
    let body = "!set tick [ !Log(1) ]\n";
    tells(&format!("{body}!set OnSpawn Lambda(do [ tick, !Log(2) ])"), "tick", "the lambda `tick` is not called here");
    let adds = "!set tock Lambda(x, y, x + y)\n";
    tells(&format!("{adds}!set OnSpawn Lambda(!Log(tock(3)))"), "tock(3)", "`tock` takes 2 arguments, found 1");
    tells(&format!("{adds}!set OnSpawn Lambda(!Log(tock(3, \"a\")))"), "\"a\"", "expected a number, found a string");
    tells(&format!("{adds}!set OnSpawn Lambda(!Log(tock(3, 4, 5)))"), "5", "`tock` takes 2 arguments, found 3");
    for right in [
        "!set OnSpawn Lambda(tick())",
        "!set OnSpawn Lambda(tick)",
        "!set OnSpawn Lambda(!After(100, tick))",
        // A parameter that nothing reads needs no argument.
        "!set tock Lambda(nobody, !Log(1))\n!set OnSpawn Lambda(tock())",
        // One that is set again may be another lambda.
        "!set tock Lambda(x, x)\n!set OnSpawn Lambda(do [ !set tock Lambda(x, y, x), tock(1, 2) ])",
        "!set count 3\n!set OnSpawn Lambda(!set count count + 1)",
        "!set tock Lambda(n, if n = 0 then 0 else tock(n - 1))\n!set OnSpawn Lambda(!Log(tock(3)))",
    ] {
        assert_eq!(found(&format!("{body}{right}")), [], "{right}");
    }
}

#[test]
fn results_that_the_world_uses_have_their_types() {
    static HANDLERS: [Handler; 1] = [Handler { name: "triggers.when", called: "Lambda(truth)" }];
    let kind = Type::parse("list of { name string, when lambda }").expect("it is a type");
    let triggers = DeclaredVariable { kind, ..DeclaredVariable::new("triggers") };
    let variables = vec![triggers, DeclaredVariable::added("rows"), DeclaredVariable::new("count")];
    let schema = Schema { name: "level".to_string(), variables };
    let setting = Setting { schema: Some(&schema), handlers: &HANDLERS, ..Setting::default() };
    let check = |source: &str, expected: &[(&str, &str)]| {
        let found = check(source, &parse(source), &setting);
        let found: Vec<(&str, &str)> =
            found.reports.iter().map(|report| (report.span.text(source), report.message.as_str())).collect();
        assert_eq!(found, expected, "{source}");
    };
    let wrong = "expected true or false, found a number";
    check("!set triggers [{ name \"a\", when Lambda(3) }]", &[("3", wrong)]);
    check(
        "!set triggers ([{ when Lambda(true) }, ({ when Lambda(let n = 1 in n + 1) })])",
        &[("let n = 1 in n + 1", wrong)],
    );
    check(
        "!set triggers [{ when Lambda(count) }, { when Lambda(count > 3), name \"b\" }, { when Lambda(nothing) }]",
        &[],
    );
    // What is called so elsewhere is something else.
    check("!set rows [{ when Lambda(3) }]", &[]);
}

#[test]
fn handlers_and_callbacks_know_what_they_are_called_with() {
    tells("!set OnDamage Lambda(much, what, who, !Log(who))", "who", "the parameter `who` is always `nothing`");
    tells(
        "!set OnDamage Lambda(much, what, !Log(what + 1))",
        "what",
        "expected a number, an identifier or a vector, found a string",
    );
    tells("!set OnSpawn Lambda(a, !Log(a))", "a", "the parameter `a` is always `nothing`");
    tells("!set OnSpawn Lambda(!After(10, Lambda(a, !Log(a))))", "a", "the parameter `a` is always `nothing`");
    tells("!set OnSpawn Lambda(!Each([1], Lambda(a, b, !Log(a, b))))", "b", "the parameter `b` is always `nothing`");
    let at_once = |effect: &str| format!("this is done at once, and `!{effect}` gets nothing to call");
    tells("!set OnSpawn Lambda(!After(10, !Log(1)))", "!Log(1)", &at_once("After"));
    tells("!set OnSpawn Lambda(!Every(10, (!set count 3)))", "!set count 3", &at_once("Every"));
    tells("!set OnSpawn Lambda(!EventHandler(~this, \"x\", !Log(1)))", "!Log(1)", &at_once("EventHandler"));
    for right in [
        "!set OnDamage Lambda(much, what, !Log(much + 1, what))",
        "!set OnDamage Lambda(much, what, nobody, !Log(much))",
        "!set OnSpawn Lambda(nobody, !After(10, Lambda(nobody, !Log(1))))",
        "!set OnSpawn Lambda(!Each([1], Lambda(a, !Log(a))))",
        "!set OnSpawn Lambda(!After(10, !Pick([ Lambda(!Log(1)), Lambda(!Log(2)) ])))",
        "!set OnHit Lambda(d, d)",
    ] {
        assert_eq!(found(right), [], "{right}");
    }
}
