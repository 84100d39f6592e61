//! Classes, headers, and sources checked against them.

use script::check::{Setting, check};
use script::class::{Class, read};
use script::format::format as formatted;
use script::header::generate;
use script::parse::parse;
use script::types::Type;

const SHIP: &str = "@EnvironmentHeader
!set Most 500 * 2
!set Namespace \"ship\"
!set Attributes [
    \"Name\",
    { name \"CurHealth\", type \"number\", default Most / 10, range [0, Most], replicated true, help \"How whole it is.\" },
    { name \"Weapons\", type \"list of { marker string, weapon @weapon }\" },
    { name \"Speed\", type \"number\", formula true },
    { name \"OnHit\", type \"Lambda(number, number)\" }
]
!set Init \"testgame\\h_ship_init.lsc\"";

fn class(source: &str) -> Class {
    let (class, reports) = read(source, &parse(source));
    assert!(reports.is_empty(), "{reports:#?}");
    class.expect("it has a name")
}

#[test]
fn a_header_is_evaluated_and_gives_a_class() {
    let class = class(SHIP);
    assert_eq!(class.name, "ship");
    assert_eq!(class.names(), ["Name", "CurHealth", "Weapons", "Speed", "OnHit"]);
    assert_eq!(class.init.as_deref(), Some("testgame\\h_ship_init.lsc"));
    let health = class.variable("CurHealth").unwrap();
    assert_eq!(
        (health.kind.clone(), health.default.as_deref(), health.range),
        (Type::Number, Some("100"), Some((0.0, 1000.0)))
    );
    assert!(health.is_replicated && health.help == "How whole it is.");
    assert_eq!(class.variable("Weapons").unwrap().kind.to_string(), "list of { marker string, weapon @weapon }");
    assert_eq!(class.variable("Name").unwrap().kind, Type::Any);
}

#[test]
fn wrong_attributes_are_reported_and_the_rest_counts() {
    let check = |attributes: &str, place: &str, message: &str, count: usize| {
        let source = format!("@EnvironmentHeader\n!set Namespace \"a\"\n!set Attributes {attributes}");
        let (class, reports) = read(&source, &parse(&source));
        let found: Vec<(&str, &str)> =
            reports.iter().map(|report| (report.span.text(&source), report.message.as_str())).collect();
        assert_eq!(found, [(place, message)], "{source}");
        assert_eq!(class.unwrap().variables.len(), count, "{source}");
    };
    check("[\"a\", 5]", "5", "expected an attribute, found number", 1);
    check("[\"a\", \"b\", \"a\"]", "\"a\"", "the attribute `a` is there already", 2);
    check("[{ type \"number\" }]", "{ type \"number\" }", "this attribute has no name", 0);
    check(
        "[{ name \"a\", type \"nubmer\" }]",
        "{ name \"a\", type \"nubmer\" }",
        "the type of the attribute `a`: expected a type, found `nubmer`",
        1,
    );
    check(
        "[{ name \"a\", range 5 }]",
        "{ name \"a\", range 5 }",
        "`range` of the attribute `a`: expected the smallest and the largest number, such as `[0, 100]`",
        1,
    );
    check(
        "[{ name \"a\", range [5, 1] }]",
        "{ name \"a\", range [5, 1] }",
        "`range` of the attribute `a`: expected the smallest and the largest number, such as `[0, 100]`",
        1,
    );
    check(
        "[{ name \"a\", replicated 1 }]",
        "{ name \"a\", replicated 1 }",
        "`replicated` of the attribute `a`: expected true or false",
        1,
    );
    check("[\"a b\"]", "\"a b\"", "`a b` cannot be the name of a variable", 0);
    check("[\"if\", \"b\"]", "\"if\"", "`if` cannot be the name of a variable", 1);
    check(
        "[{ name \"a\", type \"number\", default \"x\" }]",
        "{ name \"a\", type \"number\", default \"x\" }",
        "the default of `a`: expected a number, found string",
        1,
    );
    check(
        "[{ name \"a\", type \"list of { b number }\", default [{ b #1 }] }]",
        "{ name \"a\", type \"list of { b number }\", default [{ b #1 }] }",
        "the default of `a`: expected a list of { b number }, found list",
        1,
    );
    check("[{ name \"a\", hepl \"x\" }]", "{ name \"a\", hepl \"x\" }", "an attribute has no field `hepl`", 1);
    check(
        "[{ name \"a\", default 7, range [0, 5] }]",
        "{ name \"a\", default 7, range [0, 5] }",
        "the default of `a` is outside its range 0 to 5",
        1,
    );
    check(
        "[{ name \"a\", default Lambda(1) }]",
        "{ name \"a\", default Lambda(1) }",
        "`default` of the attribute `a`: expected a value without lambdas and handles",
        1,
    );
    check("7", "!set Attributes 7", "expected a list of attributes, found number", 0);
    let source = "@EnvironmentHeader\n!set Attributes []";
    let (class, reports) = read(source, &parse(source));
    assert!(class.is_none() && reports[0].message == "this header has no `Namespace`");
}

#[test]
fn a_source_is_checked_against_its_class() {
    let classes = [class(SHIP)];
    let setting = Setting { classes: &classes, ..Setting::default() };
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
        &[("Lambda(if true then !set CurHealth 1)", "the formula of `Speed` does something")],
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

#[test]
fn a_generated_header_is_formatted_and_fits_its_source() {
    for (source, expected) in [
        (
            "@ship\n!set hull 100\n!set OnDamage Lambda(d, hull - d)\n!set parts [{ marker \"nose\" }]\n!set max Lambda(m, n, if m > n then m else n)\nspeed + 1",
            "@EnvironmentHeader\n!set Namespace  \"ship\"\n!set Attributes [\n    { name \"hull\", type \"number\" },\n    { name \"OnDamage\", type \"Lambda(number, number)\" },\n    { name \"parts\", type \"list of { marker string }\" },\n    { name \"max\", type \"Lambda(any, any, any)\" },\n    \"speed\"\n]\n",
        ),
        ("", "@EnvironmentHeader\n!set Namespace  \"unnamed\"\n!set Attributes [\n]\n"),
        (
            "!set n 0\n!set hit Lambda(d, [ !set n n + d, n ])\n!set a Lambda(c, if c then 5 else a)\n!set e []\n!set z nothing",
            "@EnvironmentHeader\n!set Namespace  \"unnamed\"\n!set Attributes [\n    { name \"n\", type \"number\" },\n    { name \"hit\", type \"Lambda(number, !Lambda(number))\" },\n    { name \"a\", type \"Lambda(truth, any)\" },\n    { name \"e\", type \"list\" },\n    \"z\"\n]\n",
        ),
    ] {
        let header = generate(source, &parse(source));
        assert_eq!(header, expected);
        assert_eq!(formatted(&header, &parse(&header)).as_deref(), Ok(header.as_str()));
        let class = class(&header);
        let checked = check(source, &parse(source), &Setting { class: Some(&class), ..Setting::default() });
        assert!(checked.reports.is_empty(), "{:#?}", checked.reports);
        let kinds: Vec<String> = class.variables.iter().map(|variable| variable.kind.to_string()).collect();
        let again: Vec<String> = checked.variables.iter().map(|variable| variable.kind.to_string()).collect();
        assert_eq!(kinds, again);
    }
}

#[test]
fn what_a_header_says_about_tags_does_no_harm() {
    for (kind, expected) in [
        ("f32", "number"),
        ("u8 or nothing", "number"),
        ("string id", "string"),
        ("list of string id", "list of string"),
        ("list of (vec3 or nothing)", "list of vector"),
        ("list of (number or nothing)", "list of number"),
        ("list of record weapon", "list of record"),
        ("record 3", "record"),
        ("@weapon or nothing", "@weapon"),
        ("flags", "list of string"),
        ("colour", "any"),
    ] {
        let more = "unit \"t\", step 0.1, hidden true, read_only true, expert true, runtime true, state true, key true";
        let attribute = format!("{{ name \"a\", type \"{kind}\", {more}, former [\"b\"], names [\"c\"], fields [] }}");
        let class = class(&format!("@EnvironmentHeader\n!set Namespace \"a\"\n!set Attributes [{attribute}]"));
        assert_eq!(class.variables[0].kind.to_string(), expected, "{kind}");
    }
    let formula = "@EnvironmentHeader\n!set Namespace \"a\"\n!set Attributes [{ name \"a\", type \"formula\" }]";
    assert!(class(formula).variables[0].allows_formula);
}
