//! Sources checked against the variables that a schema declares.

use script::check::{Setting, check};
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
