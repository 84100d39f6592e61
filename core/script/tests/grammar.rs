//! The grammar in the book matches the parser: random sentences of its rules parse, and each rule has accepted and
//! refused examples.

use crate::common;

use common::{ebnf, written};
use proptest::prelude::*;
use script::parse::parse;

const CHAPTER: &str = include_str!("../../../docs/book/src/grammar.md");

#[test]
fn every_rule_accepts_and_refuses_its_examples() {
    for (rule, source, expected) in ALLOWED {
        let tree = parse(source);
        assert!(tree.reports.is_empty(), "{rule}: {source:?}: {:#?}", tree.reports);
        assert_eq!(written(source, &tree), *expected, "{rule}: {source:?}");
    }
    for (rule, source) in REFUSED {
        assert!(!parse(source).reports.is_empty(), "{rule}: {source:?} is understood");
    }
}

#[test]
fn every_rule_has_examples() {
    let grammar = ebnf::read(CHAPTER);
    assert!(grammar.len() > 25, "{:?}", grammar.keys());
    for rule in grammar.keys() {
        assert!(ALLOWED.iter().any(|(of, ..)| of == rule), "{rule} has no example");
    }
    for rule in ALLOWED.iter().map(|(rule, ..)| rule).chain(REFUSED.iter().map(|(rule, _)| rule)) {
        assert!(grammar.contains_key(*rule), "there is no rule {rule}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn random_sentences_of_the_grammar_parse(draws in prop::collection::vec(any::<u8>(), 0..300)) {
        let source = ebnf::draw(&ebnf::read(CHAPTER), "file", &draws);
        let tree = parse(&source);
        prop_assert!(tree.reports.is_empty(), "{source}\n{:#?}", tree.reports);
    }
}

/// A rule, a source, and its tree.
#[rustfmt::skip]
const ALLOWED: &[(&str, &str, &str)] = &[
    ("file", "", ""),
    ("file", "\n\n// nothing\n", ""),
    ("file", "\n// a ship\n@ship // its class\n\na\n\nb", "a\nb"),
    ("file", "a\r\nb\r\n", "a\nb"),
    ("from", "@ship\n// more of it\n!from \"a.ship\"\n!set a 1", "(set a 1)"),
    ("from", "@ship 2\n\n!FROM \"ships\\a.ship\" // so\n", ""),
    ("statement", "a\n-b", "a\n(- b)"),
    ("statement", "a -\n\n// why\nb", "(- a b)"),
    ("statement", "if a\n\nthen b // so\nelse c", "(if a b c)"),
    ("statement", "a\nand b\nor c", "(or (and a b) c)"),
    ("statement", "let a = 1\nin a", "(let (a 1) a)"),
    ("statement", "ship.\nhull", "(field ship hull)"),
    ("statement", "f(\na\n,\nb\n)", "(call f a b)"),
    ("statement", "Cached\nLambda\n(a, a)", "(cached (a) a)"),
    ("expression", "a or b and not c = d + e * -f", "(or a (and b (not (= c (+ d (* e (- f)))))))"),
    ("or", "a or b or c", "(or (or a b) c)"),
    ("or", "a or if b then c or d", "(or a (if b (or c d)))"),
    ("and", "a and b and not c", "(and (and a b) (not c))"),
    ("not", "not not a = b", "(not (not (= a b)))"),
    ("comparison", "a + 1 <= b * 2", "(<= (+ a 1) (* b 2))"),
    ("comparison", "a <> b", "(<> a b)"),
    ("comparison", "a = (b = c)", "(= a (= b c))"),
    ("comparison", "a = if b then c = d else e = f", "(= a (if b (= c d) (= e f)))"),
    ("sum", "a - b + c", "(+ (- a b) c)"),
    ("sum", "1 + if a then b else c + 2", "(+ 1 (if a b (+ c 2)))"),
    ("product", "a / b % c * d", "(* (% (/ a b) c) d)"),
    ("product", "a * let b = 1 in b * c", "(* a (let (b 1) (* b c)))"),
    ("factor", "--a * -b", "(* (- (- a)) (- b))"),
    ("factor", "- ship.hull", "(- (field ship hull))"),
    ("factor", "-if a then b", "(- (if a b))"),
    ("value", "f(a, b)(c)[#2].d", "(field (at (call (call f a b) c) #2) d)"),
    ("value", "!Find(a).hull", "(field (!Find a) hull)"),
    ("value", "[1, 2][#0]", "(at [1 2] #0)"),
    ("suffix", "f(a,)", "(call f a)"),
    ("suffix", "a[#1,]", "(at a #1)"),
    ("suffix", "a . b", "(field a b)"),
    ("primary", "(((a)))", "a"),
    ("primary", "TRUE or False or Nothing", "(or (or true false) nothing)"),
    ("primary", "~this", "~this"),
    ("let", "let a = 1, b = a in a * b", "(let (a 1) (b a) (* a b))"),
    ("let", "let a = let b = 1 in b, c = 2 in a", "(let (a (let (b 1) b)) (c 2) a)"),
    ("if", "if a then if b then c else d", "(if a (if b c d))"),
    ("if", "IF a Then b ELSE c", "(if a b c)"),
    ("list", "[]", "[]"),
    ("list", "[ a, !B(), Lambda(!C()) ]", "do[a (!B ) (lambda () (!C ))]"),
    ("list", "[ [ !A() ], Lambda(!B()) ]", "[do[(!A )] (lambda () (!B ))]"),
    ("row", "[a, b,]", "[a b]"),
    ("record", "{}", "{}"),
    ("record", "{ a 1, b { c 2 }, }", "{(a 1) (b {(c 2)})}"),
    ("field", "{ at (2), down -1, f x(3) }", "{(at 2) (down (- 1)) (f (call x 3))}"),
    ("lambda", "Lambda(a)", "(lambda () a)"),
    ("lambda", "lambda (a, b: number, a + b)", "(lambda (a b:number) (+ a b))"),
    ("lambda", "Uncached Lambda(a, a)", "(uncached (a) a)"),
    ("effect", "!Log (a, b,)", "(!Log a b)"),
    ("effect", "!if()", "(!if )"),
    ("set", "!set a b = c", "(set a (= b c))"),
    ("set", "!SET a -1", "(set a (- 1))"),
    ("set", "[ !set a 1 + 2, 3 ]", "do[(set a (+ 1 2)) 3]"),
    ("set", "!set a[1] -1", "(set (at a 1) (- 1))"),
    ("set", "!set a[1]", "(set a [1])"),
    ("set", "!set a [1] = b", "(set a (= [1] b))"),
    ("part", "!set a.b[#0].c d", "(set (field (at (field a b) #0) c) d)"),
    ("change", "!set a += 1 + 2", "(set+ a (+ 1 2))"),
    ("change", "[ !set a.b /= c ]", "do[(set/ (field a b) c)]"),
    ("do", "do [ a, DO [ b ] ]", "(do a (do b))"),
    ("do", "do[a, b] + do[a] + {do [1]}.do", "(+ (+ (do a b) (at do a)) (field {(do [1])} do))"),
    ("parameter", "Lambda(a : Lambda, b : nothing, a)", "(lambda (a:Lambda b:nothing) a)"),
    ("type", "Lambda(a: anything, a)", "(lambda (a:anything) a)"),
    ("type", "Lambda(a: list of @ship, a)", "(lambda (a:list of @ship) a)"),
    ("type", "Lambda(a: Lambda(number, list of truth), a)", "(lambda (a:Lambda(number, list of truth)) a)"),
    ("name", "_a1 + A1", "(+ _a1 A1)"),
    ("name", "iffy + android", "(+ iffy android)"),
    ("object", "~if", "~if"),
    ("class", "@let\na", "a"),
    ("effectname", "!_Go1()", "(!_Go1 )"),
    ("number", "0 + 0.25 + 1e3 + 1.5E-3 + 2e+1", "(+ (+ (+ (+ 0 0.25) 1000) 0.0015) 20)"),
    ("identifier", "[#0, #-1, #2147483647, #-2147483648]", "[#0 #-1 #2147483647 #-2147483648]"),
    ("string", "[\"\", \"a\\b\", \"say \"\"hi\"\"\", \"// é\"]", "[\"\" \"a\\b\" \"say \"\"hi\"\"\" \"// é\"]"),
];

/// A rule, and a source that it refuses.
#[rustfmt::skip]
const REFUSED: &[(&str, &str)] = &[
    ("from", "!from \"a.ship\""),
    ("from", "@ship\n!from a"),
    ("from", "@ship\n!from"),
    ("from", "@ship\n!set a 1\n!from \"a.ship\""),
    ("from", "@ship\n!from \"a.ship\"\n!from \"b.ship\""),
    ("part", "!set a.1 2"),
    ("part", "!set a[1] = 2"),
    ("change", "!set a + = 2"),
    ("change", "!set a %= 2"),
    ("file", "a\n@ship"),
    ("file", "@ship a"),
    ("file", "@ship\n@ship"),
    ("statement", "a b"),
    ("statement", "a, b"),
    ("statement", "a = b\n= c"),
    ("statement", "a\n+ b"),
    ("statement", "f\n(a) b"),
    ("statement", "a )"),
    ("or", "a or"),
    ("or", "or a"),
    ("and", "a and and b"),
    ("not", "not"),
    ("not", "a = not b"),
    ("not", "-not a"),
    ("comparison", "a < b < c"),
    ("comparison", "a = b <> c"),
    ("comparison", "a == b"),
    ("comparison", "a != b"),
    ("sum", "a +"),
    ("sum", "+a"),
    ("product", "a * / b"),
    ("factor", "-"),
    ("value", "a."),
    ("suffix", "f (a)"),
    ("suffix", "a [#0]"),
    ("suffix", "[f\n(a)]"),
    ("suffix", "[a // why\n[#0]]"),
    ("suffix", "a[]"),
    ("suffix", "a[#0, #1]"),
    ("suffix", "a.\"b\""),
    ("suffix", "a.if"),
    ("suffix", "f(,)"),
    ("primary", "()"),
    ("primary", "(a"),
    ("primary", "(a, b)"),
    ("primary", "a §"),
    ("let", "let a = 1"),
    ("let", "let a = 1, in a"),
    ("let", "let a 1 in a"),
    ("let", "let in = 1 in a"),
    ("if", "if a b"),
    ("if", "if a then"),
    ("if", "if a then b else"),
    ("if", "else a"),
    ("list", "[a"),
    ("row", "[a b]"),
    ("row", "[,]"),
    ("row", "[a,,b]"),
    ("record", "{ a 1 b 2 }"),
    ("record", "{ a 1, a 2 }"),
    ("record", "{ a }"),
    ("field", "{ a: 1 }"),
    ("field", "{ a = 1 }"),
    ("field", "{ \"a\" 1 }"),
    ("lambda", "Lambda()"),
    ("lambda", "Lambda(a,)"),
    ("lambda", "Lambda(a: number)"),
    ("lambda", "Lambda(1, a)"),
    ("lambda", "Lambda"),
    ("lambda", "Cached (a)"),
    ("effect", "!Log"),
    ("effect", "!Log a"),
    ("effect", "! Log()"),
    ("set", "!set a"),
    ("set", "!set a = 1"),
    ("set", "!set \"a\" 1"),
    ("set", "!set if 1"),
    ("set", "!set(a, 1)"),
    ("parameter", "Lambda(a:, a)"),
    ("let", "let a: number = 1 in a"),
    ("type", "Lambda(a: 3, a)"),
    ("type", "Lambda(a: list of 3, a)"),
    ("type", "Lambda(a: Lambda(), a)"),
    ("name", "é"),
    ("name", "let then = 1 in 2"),
    ("object", "~ this"),
    ("class", "@ ship"),
    ("number", ".5"),
    ("number", "5."),
    ("number", "1e999"),
    ("number", "1e"),
    ("identifier", "# 3"),
    ("identifier", "#2147483648"),
    ("string", "\"a"),
    ("string", "\"a\nb\""),
    ("string", "\"a\\\"b\""),
];
