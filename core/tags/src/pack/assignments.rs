//! Assignments in lambdas: a field shared by all objects of a tag becomes an object's own.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::vec::Vec;

use script::ast::Tree;
use script::report::{Report, closest};
use script::source::Span;
use script::token::{Token, TokenKind};

use super::{REPORTS_MAX, push};
use crate::class::Class;

/// Warns of each field that a lambda sets although it is not state, at its first assignment.
pub(super) fn check(source: &str, tree: &Tree, class: &Class, reports: &mut Vec<Report>) {
    let mut told = BTreeSet::new();
    for name in set_by_lambdas(source, tree) {
        let word = name.text(source);
        let is_shared = class.root().field(word).is_some_and(|(_, field)| !field.is_state);
        if is_shared && told.insert(word) {
            let message = format!("`{word}` belongs to the tag; an object that sets it gets its own copy");
            let help = format!("declare it `state` in the class `{}`, or set a variable of another name", class.name);
            push(reports, Report::warning(name, message).with_help(help));
        }
    }
}

/// Warns of each additional variable that is unused and resembles a field: it may be a misspelling. Handlers are used by
/// their names.
pub(super) fn check_own(
    source: &str,
    tree: &Tree,
    class: &Class,
    names: impl Iterator<Item = Span>,
    reports: &mut Vec<Report>,
) {
    let mut uses: BTreeMap<&str, u32> = BTreeMap::new();
    for token in tree.tokens.iter().filter(|token| token.kind == TokenKind::Name) {
        *uses.entry(token.span.text(source)).or_default() += 1;
    }
    for name in names {
        let word = name.text(source);
        if reports.len() >= REPORTS_MAX || word.starts_with("On") || uses.get(word).is_some_and(|uses| *uses > 1) {
            continue;
        }
        let fields = class.root().fields.iter().filter(|field| !field.is_runtime).map(|field| field.name.as_str());
        if let Some(like) = closest(word, fields) {
            let message = format!("`{word}` is not a field of `{}`, and is unused here", class.name);
            push(reports, Report::warning(name, message).with_help(format!("did you mean `{like}`?")));
        }
    }
}

/// The names that are set elsewhere than by the tag's own statements.
fn set_by_lambdas<'a>(source: &'a str, tree: &'a Tree) -> impl Iterator<Item = Span> + 'a {
    let statements = tree.statements.iter().map(|statement| tree.node(*statement));
    let of_tag: BTreeSet<Span> = statements.filter_map(|statement| tree.set_by(statement)).collect();
    let is_blank = |token: &&Token| !matches!(token.kind, TokenKind::Comment | TokenKind::NewLine);
    let tokens = tree.tokens.iter().filter(is_blank);
    let pairs = tokens.clone().zip(tokens.skip(1));
    let is_set =
        |token: &Token| token.kind == TokenKind::Effect && token.span.text(source).eq_ignore_ascii_case("!set");
    let names = pairs.filter(move |(set, name)| is_set(set) && name.kind == TokenKind::Name);
    names.map(|(_, name)| name.span).filter(move |name| !of_tag.contains(name))
}
