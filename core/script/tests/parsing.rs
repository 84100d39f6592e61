//! The parser: syntax trees, and reports of syntax errors.

use crate::common;

use common::written;
use script::parse::{DEPTH_MAX, REPORTS_MAX, parse};
use script::source::Lines;

fn check(source: &str, expected: &str) {
    let tree = parse(source);
    assert!(tree.reports.is_empty(), "{source}: {:#?}", tree.reports);
    assert_eq!(written(source, &tree), expected, "{source}");
}

/// The tree of a source with syntax errors, and its reports, one per line (`line:column message`).
fn check_wrong(source: &str, expected: &str, reports: &[&str]) {
    let tree = parse(source);
    let lines = Lines::of(source);
    let found: Vec<String> = tree
        .reports
        .iter()
        .map(|report| {
            let place = lines.place(source, report.span.start);
            format!("{}:{} {}", place.line, place.column, report.message)
        })
        .collect();
    assert_eq!(found, reports, "{source}");
    assert_eq!(written(source, &tree), expected, "{source}");
}

#[test]
fn operator_precedence_matches_the_book() {
    check("a or b and not c = d + e * -f", "(or a (and b (not (= c (+ d (* e (- f)))))))");
    check("a - b - c / d % e", "(- (- a b) (% (/ c d) e))");
    check("not a and b", "(and (not a) b)");
    check("(a or b) and c", "(and (or a b) c)");
    check("-a * b", "(* (- a) b)");
    check("not not a", "(not (not a))");
    check("a <> b or c >= d", "(or (<> a b) (>= c d))");
}

#[test]
fn conditions_and_names_within_expressions() {
    check("if m > n then m else n", "(if (> m n) m n)");
    check("if a then if b then c else d", "(if a (if b c d))");
    check("let a = 1, b = a + 1 in a * b", "(let (a 1) (b (+ a 1)) (* a b))");
    check("1 + if a then b else c + 2", "(+ 1 (if a b (+ c 2)))");
}

#[test]
fn calls_elements_and_fields_follow_their_value() {
    check("f(a, b)(c)[#2].d.e", "(field (field (at (call (call f a b) c) #2) d) e)");
    check("-ship.hull", "(- (field ship hull))");
    check("f()", "(call f )");
}

#[test]
fn lists_records_bodies_and_lambdas() {
    check("[1, \"a\"\"b\", #-1,]", "[1 \"a\"\"b\" #-1]");
    check("{ marker \"nose\", offset -1, at (2) }", "{(marker \"nose\") (offset (- 1)) (at 2)}");
    check("[ !A(), 1 ]", "do[(!A ) 1]");
    check("[ [ !A() ], Lambda(x, !B(x)) ]", "[do[(!A )] (lambda (x) (!B x))]");
    check("[ if a then !set b 1 ]", "do[(if a (set b 1))]");
    check("Cached Lambda(a: number, b, a + b)", "(cached (a:number b) (+ a b))");
    check("lambda(nothing)", "(lambda () nothing)");
    check("{}", "{}");
}

#[test]
fn statements_end_with_their_line_unless_it_is_incomplete() {
    check("!set a 1\n!set b -2\n\nb", "(set a 1)\n(set b (- 2))\nb");
    check("!set a 1 +\n  2\n!set b f(1,\n 2)", "(set a (+ 1 2))\n(set b (call f 1 2))");
    check("!set a if b // why\n then c\n else d", "(set a (if b c d))");
    check("a\n-b", "a\n(- b)");
}

/// All samples of the language in the thesis, as printed.
#[test]
fn the_samples_of_the_thesis_parse() {
    check("//The same expression in LScript:\nLambda(m, n, if m > n then m else n)", "(lambda (m n) (if (> m n) m n))");
    check(
        "//Check if a GUI element contains a script ID and\n//perform pre-event guiClick operations\nLambda(id, if not (id = #-1 or id = guiParent)\n        then guiClick(id))",
        "(lambda (id) (if (not (or (= id #-1) (= id guiParent))) (call guiClick id)))",
    );
    check("Lambda(cond, if cond then !set a 5)", "(lambda (cond) (if cond (set a 5)))");
    check("!set a Lambda(cond, if cond then 5 else a)", "(set a (lambda (cond) (if cond 5 a)))");
    check(
        "//test object for collision tests 1.2\n@EnvironmentHeader\n!set Namespace \"test\"\n!set Attributes [\"MaxHealth\", \"CurHealth\"]\n!set Init \"testgame\\h_testobject_init.lsc\"",
        "(set Namespace \"test\")\n(set Attributes [\"MaxHealth\" \"CurHealth\"])\n(set Init \"testgame\\h_testobject_init.lsc\")",
    );
    check(
        "@Resource\n!set version 1\n!set format #3\n!set content0 \"textures\\explosion01.png\"\n!set content1 [\"animation\\explosionU.lsc\",\n              \"animation\\explosionV.lsc\"]\n!set content2 [1 / 6, 1 / 6]",
        "(set version 1)\n(set format #3)\n(set content0 \"textures\\explosion01.png\")\n(set content1 [\"animation\\explosionU.lsc\" \"animation\\explosionV.lsc\"])\n(set content2 [(/ 1 6) (/ 1 6)])",
    );
    check(
        "@guibutton\n!EventHandler(~this, \"guiclick\", [\n    !GUIFire(\"fireblaster\")\n])",
        "(!EventHandler ~this \"guiclick\" do[(!GUIFire \"fireblaster\")])",
    );
}

#[test]
fn the_class_is_named_at_the_top() {
    let source = "// a ship\n@ship\n!set a 1";
    let tree = parse(source);
    assert_eq!(tree.class.map(|span| span.text(source)), Some("ship"));
    check_wrong("a\n@ship", "a\n?", &["2:1 a class is named once, at the top of the file"]);
}

#[test]
fn an_error_is_reported_once_and_parsing_continues() {
    check_wrong("!set a (1 + \n!set b 2", "(set a (+ 1 (set b 2)))", &["2:9 expected `)`, found the end of the file"]);
    check_wrong("!set a = 1\n!set b 2", "(set a 1)\n(set b 2)", &["1:8 expected a value, found `=`"]);
    check_wrong("!set a 1 2\n!set b 2", "(set a 1)\n(set b 2)", &["1:10 expected the end of the line, found `2`"]);
    check_wrong("!set \"a\" 1\nb", "(set  1)\nb", &["1:6 expected the name of a variable after `!set`, found `\"a\"`"]);
    check_wrong("if a b\nc", "(if a b)\nc", &["1:6 expected `then`, found `b`"]);
    check_wrong("[1 2]\nc", "[1 2]\nc", &["1:4 expected `,` or `]`, found `2`"]);
    check_wrong("{ a: 1 }\nc", "{(a 1)}\nc", &["1:4 there is no `:` between a name and its value"]);
    check_wrong("a < b < c", "(< (< a b) c)", &["1:3 comparisons do not chain"]);
    check_wrong("f (x)", "f", &["1:3 expected the end of the line, found `(`"]);
    check_wrong("\"open\nb", "\"open\nb", &["1:1 this string never ends"]);
    check_wrong("1e999", "0", &["1:1 this number is too large"]);
    check_wrong("#99999999999", "#0", &["1:1 this identifier is too large"]);
    check_wrong("a §", "a", &["1:3 expected the end of the line, found `§`"]);
    check_wrong("!set", "(set  ?)", &["1:5 expected the name of a variable after `!set`, found the end of the file"]);
}

#[test]
fn depth_and_the_number_of_reports_are_bounded() {
    for (open, close) in
        [("(", ")"), ("[", "]"), ("f(", ")"), ("-", ""), ("not ", ""), ("if a then ", ""), ("Lambda(", ")")]
    {
        let source = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let tree = parse(&source);
        assert!(!tree.reports.is_empty() && tree.reports.len() <= REPORTS_MAX, "{open}");
        let within = format!("{}1{}", open.repeat(DEPTH_MAX as usize / 2), close.repeat(DEPTH_MAX as usize / 2));
        assert!(parse(&within).reports.is_empty(), "{open}");
    }
    assert!(parse(&")".repeat(100_000)).reports.len() <= REPORTS_MAX);
}

#[test]
fn a_statement_continues_after_many_empty_lines_and_comments() {
    let lines = "\n// nothing\n".repeat(50_000);
    check(&format!("a +{lines}b{lines}and c{lines}d"), "(and (+ a b) c)\nd");
}

#[test]
fn syntax_of_other_languages_is_reported_with_the_lscript_spelling() {
    for (source, place, help) in [
        ("a == b", 3, "`=` compares two values"),
        ("a != b", 2, "write `<>`: it is true for unequal values"),
        ("a && b", 2, "write `and`"),
        ("a || b", 2, "write `or`"),
        ("!set a 1;", 8, "a statement ends with its line: remove it"),
        ("'a'", 0, "a string is written with double quotes: `\"nose\"`"),
        ("[a && b]", 3, "write `and`"),
        ("if a && b then 1", 5, "write `and`"),
        ("(a || b)", 3, "write `or`"),
        ("max (1, 2)", 4, "a call has no blank before its bracket: `f(x)`"),
        (".5", 0, "a number has a digit before its point: `0.5`"),
        ("!set a 12 km", 10, "a number is written without its unit"),
        ("if a then 1 elif b then 2", 12, "write `else if`"),
        ("!set a [1,\n 2\n!set b 3", 14, "the `[` of line 1 is not closed"),
        ("!set f Lambda(x,\n x + 1\n!set b 3", 24, "the `(` of line 1 is not closed"),
        ("\n!set a { n [1, 2] }\n!set b { n {\n m 1 }\n!set c 3", 41, "the `{` of line 3 is not closed"),
        ("[1 2]", 3, ""),
        (
            "!set ~a.b 1",
            5,
            "an object sets its own variables only; ask the other with a message: `!Send(~target, \"repair\", 3)`",
        ),
    ] {
        let reports = parse(source).reports;
        assert_eq!((reports[0].span.start, reports[0].help.as_str()), (place, help), "{source}");
    }
    check_wrong("a == b", "(= a b)", &["1:4 expected a value, found `=`"]);
}
