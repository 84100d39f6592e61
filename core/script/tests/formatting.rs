//! The formatter: one canonical form, with unchanged meaning.

use proptest::prelude::*;
use script::format::format;
use script::parse::parse;
use script::token::{TokenKind, tokens};

fn formatted(source: &str) -> Option<String> {
    let tree = parse(source);
    format(source, &tree).ok()
}

fn check(source: &str, expected: &str) {
    let found = formatted(source).unwrap_or_else(|| panic!("{:#?}", parse(source).reports));
    assert_eq!(found, expected);
    check_laws(source, &found);
}

/// Kinds and texts of all tokens, without empty lines.
fn words(source: &str) -> Vec<(TokenKind, String)> {
    let mut words: Vec<(TokenKind, String)> = Vec::new();
    for token in tokens(source) {
        let is_line = token.kind == TokenKind::NewLine;
        let follows_line = words.last().is_none_or(|last| last.0 == TokenKind::NewLine);
        if !(is_line && follows_line) {
            words.push((token.kind, token.span.text(source).trim_end().to_string()));
        }
    }
    words.retain(|word| word.0 != TokenKind::End);
    while words.last().is_some_and(|last| last.0 == TokenKind::NewLine) {
        words.pop();
    }
    words
}

fn check_laws(source: &str, found: &str) {
    assert_eq!(words(source), words(found), "the words are the same");
    assert_eq!(formatted(found).as_deref(), Some(found), "formatting again changes nothing");
}

#[test]
fn blanks_are_normalised() {
    check("!set   a  1+2*-3", "!set a 1 + 2 * -3\n");
    check("f( a,b )[ #1 ] . c", "f(a, b)[#1].c\n");
    check("1( )", "1()\n");
    check("[ nothing[0],true( ),#1(2) ]", "[nothing[0], true(), #1(2)]\n");
    check("{a 1,b  -2}", "{ a 1, b -2 }\n");
    check("{}", "{}\n");
    check("Cached   Lambda ( a:number,b , a-b )", "Cached Lambda(a: number, b, a - b)\n");
    check("if  not(a)then(b)else[c]", "if not (a) then (b) else [c]\n");
    check("!Send( ~this,\"x\" )", "!Send(~this, \"x\")\n");
    check("!set a (1)", "!set a (1)\n");
    check("a - -b", "a - -b\n");
}

#[test]
fn line_breaks_stay_and_brackets_indent() {
    let source = "@gui\n\n\n\n!On(~this,\"x\",[\n!A( ),\n{ a [\n1,\n2 ]\n}\n])\n!set b 1 +\n2\n\n";
    let expected =
        "@gui\n\n!On(~this, \"x\", [\n    !A(),\n    { a [\n        1,\n        2]\n    }\n])\n!set b 1 +\n    2\n";
    check(source, expected);
    // A closing bracket is indented like the line that opened it.
    let source = "!set f Lambda(n,[\n!A(n),\n!B( )\n]( ))\nf(\na,[\n1\n],b)";
    check(source, "!set f Lambda(n, [\n    !A(n),\n    !B()\n]())\nf(\n    a, [\n        1\n    ], b)\n");
}

#[test]
fn values_and_comments_of_consecutive_lines_are_aligned() {
    check(
        "!set mass 1200 // in tons\n!set name \"ship.corvette\"// an id\n// of its own\n!set x 1\n\n!set longer 2",
        "!set mass 1200             // in tons\n!set name \"ship.corvette\"  // an id\n// of its own\n!set x 1\n\n!set longer 2\n",
    );
}

#[test]
fn a_source_with_errors_is_unchanged() {
    assert_eq!(formatted("!set a (1"), None);
}

proptest! {
    #[test]
    fn formatting_preserves_the_tokens(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)) {
        let source: String = pieces.concat();
        if let Some(found) = formatted(&source) {
            check_laws(&source, &found);
        }
    }

    #[test]
    fn any_text_is_parsed_without_panic(source in any::<String>()) {
        let tree = parse(&source);
        for report in &tree.reports {
            let _ = report.render("x", &source, &script::source::Lines::of(&source));
        }
    }

    #[test]
    fn any_pieces_are_parsed_without_panic(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
        let source: String = pieces.concat();
        let tree = parse(&source);
        for report in &tree.reports {
            prop_assert!(report.span.end as usize <= source.len());
            let _ = report.render("x", &source, &script::source::Lines::of(&source));
        }
    }
}

const PIECES: &[&str] = &[
    "a",
    "b ",
    "1",
    "2.5 ",
    "#3 ",
    "\"s\"",
    " ",
    "\n",
    "\n\n",
    "// c\n",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ", ",
    ",",
    ".",
    ": ",
    " = ",
    " + ",
    "-",
    " - ",
    "*",
    "/ ",
    "not ",
    " and ",
    " or\n",
    "if ",
    " then ",
    " else ",
    "let ",
    " in ",
    "Lambda(",
    "Cached ",
    "!set a ",
    "!F(",
    "~this",
    "@c",
    "f(a)",
    "x[#0]",
    "!set b 1\n",
    "§",
    "\"",
    "\t",
    "\r\n",
];
