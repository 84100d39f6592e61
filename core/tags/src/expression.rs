//! Values and lambdas stored in a class: the LScript text of one expression.
//!
//! Law: each has one canonical form, on one line as the formatter writes it, so that classes that differ only in blanks
//! are equal.

use alloc::format;
use alloc::string::{String, ToString};

use script::ast::{Expression, Tree};
use script::format::format as formatted;
use script::parse::parse;
use script::token::{TokenKind, tokens};
use script::types::Type;

use crate::literal::is_literal;

/// The canonical form of an expression, or an error message.
pub fn canonical(text: &str) -> Result<String, String> {
    let line = on_one_line(text);
    let tree = parse(&line);
    expect_expression(&line, &tree)?;
    match formatted(&line, &tree) {
        Ok(written) => Ok(written.trim().to_string()),
        Err(_) => Err(wrong(&line, "a value")),
    }
}

/// The same for a lambda with one or two parameters, which converts a former value.
pub fn canonical_conversion(text: &str) -> Result<String, String> {
    let text = canonical(text)?;
    let tree = parse(&text);
    let parameters = tree.statements.first().map(|statement| match tree.node(*statement).expression {
        Expression::Lambda { parameters, .. } => tree.names(parameters).len(),
        _ => 0,
    });
    match parameters {
        Some(1 | 2) => Ok(text),
        _ => Err(wrong(&text, "a lambda with one or two parameters, such as `Lambda(old, old * 10)`")),
    }
}

/// The canonical form of a lambda's signature; empty if it is unknown.
pub fn canonical_signature(text: &str) -> Result<String, String> {
    match Type::parse(text) {
        _ if text.is_empty() => Ok(String::new()),
        Ok(Type::SomeLambda) => Ok(String::new()),
        Ok(kind @ Type::Lambda(_)) => Ok(kind.to_string()),
        Ok(_) => Err(wrong(text, "what a lambda takes and gives, such as `Lambda(number, number)`")),
        Err(unread) => Err(format!("the signature `{}`: {}", shown(text), unread.message)),
    }
}

/// Whether a default is evaluated with each tag: it is a lambda, contains one, or is a formula.
pub fn is_shared_default(text: &str) -> bool {
    let source = format!("!set x {text}");
    let tree = parse(&source);
    let Some(Expression::Set(_, value)) = tree.statements.first().map(|first| tree.node(*first).expression) else {
        return false;
    };
    let has_lambda =
        tree.tokens.iter().skip(1).any(|token| matches!(token.kind, TokenKind::Lambda | TokenKind::Effect));
    tree.reports.is_empty() && (has_lambda || !is_literal(&source, &tree, value))
}

/// Whether a text is one name.
pub fn is_name(text: &str) -> bool {
    let first = if text.starts_with([' ', '\t', '\r']) { None } else { tokens(text).first().copied() };
    first.is_some_and(|token| token.kind == TokenKind::Name && token.span.text(text) == text)
}

/// The tokens of a text without comments and line ends.
fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let mut end = 0;
    for token in tokens(text) {
        if matches!(token.kind, TokenKind::Comment | TokenKind::NewLine | TokenKind::End) {
            continue;
        }
        if token.span.start > end && !line.is_empty() {
            line.push(' ');
        }
        line.push_str(token.span.text(text));
        end = token.span.end;
    }
    line
}

fn expect_expression(text: &str, tree: &Tree) -> Result<(), String> {
    if let Some(report) = tree.reports.first() {
        return Err(format!("`{}`: {}", shown(text), report.message));
    }
    match tree.statements[..] {
        [statement] if tree.class.is_none() && !tree.node(statement).has_effect => Ok(()),
        _ => Err(wrong(text, "a value")),
    }
}

fn wrong(text: &str, wanted: &str) -> String {
    format!("expected {wanted}, found `{}`", shown(text))
}

/// The longest excerpt of a wrong text in a message.
fn shown(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_has_one_canonical_form() {
        for (text, expected) in [
            ("3", "3"),
            ("  -1 ", "-1"),
            ("3*4", "3 * 4"),
            ("[ 1,2 ]", "[1, 2]"),
            ("{a 1}", "{ a 1 }"),
            ("[\n  1, // one\n  2\n]", "[1, 2]"),
            ("Lambda( old,\n old/3.6 )", "Lambda(old, old / 3.6)"),
            ("\"a  b\"", "\"a  b\""),
            ("3 +\n 4", "3 + 4"),
            ("a.b(c)[ #1 ]", "a.b(c)[#1]"),
        ] {
            assert_eq!(canonical(text).as_deref(), Ok(expected));
            assert_eq!(canonical(expected).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn an_invalid_expression_is_refused() {
        for text in ["", "// no", "1 2", "1\n2", "[1", "@ship", "!set a 1", "!Send(~this)", "\"open", "§"] {
            assert!(canonical(text).is_err(), "{text:?}");
        }
        assert!(canonical_conversion("3").is_err());
        assert!(canonical_conversion("Lambda(3)").is_err());
        assert!(canonical_conversion("Lambda(a, b, c, 3)").is_err());
        assert!(canonical_conversion("Lambda(old, all, old + all.more)").is_ok());
    }

    #[test]
    fn a_signature_has_one_canonical_form() {
        assert_eq!(canonical_signature("").as_deref(), Ok(""));
        assert_eq!(canonical_signature("lambda").as_deref(), Ok(""));
        assert_eq!(canonical_signature("Lambda( number,number )").as_deref(), Ok("Lambda(number, number)"));
        assert_eq!(canonical_signature("!lambda(nothing)").as_deref(), Ok("!Lambda(nothing)"));
        assert!(canonical_signature("number").is_err());
        assert!(canonical_signature("nubmer").is_err());
    }

    #[test]
    fn names_are_recognised() {
        assert!(["a", "OnDamage", "_x9"].iter().all(|name| is_name(name)));
        assert!(["", " a", "a ", "if", "Nothing", "9a", "a b", "a-b", "ü"].iter().all(|name| !is_name(name)));
    }
}
