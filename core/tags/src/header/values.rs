//! The values of a header's variables: literals are read from the syntax tree, others are evaluated.
//!
//! Laws
//! 1. A literal is not evaluated, however large it is: it is blanked out in the text that is evaluated, which keeps all
//!    positions.
//! 2. A default or a conversion is its literal text, unless it uses a variable that the header sets for itself.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base::StringId;
use script::arena::Arena;
use script::ast::{Expression, NodeId, Tree};
use script::compile::{compile, unquoted};
use script::environment::Environment;
use script::machine::{Limits, Scratch};
use script::parse::parse;
use script::program::Program;
use script::report::{Report, closest};
use script::source::Span;
use script::token::TokenKind;
use script::value::{Kind as ValueKind, Value};
use script::write::write;

use super::vocabulary::VARIABLES;
use crate::expression::canonical;
use crate::formula::Dependence;

/// A value, and its position.
#[derive(Clone, Copy)]
pub struct HeaderValue {
    node: Option<NodeId>,
    value: Value,
    /// Its span, or the nearest known one around it.
    pub span: Span,
    /// The span of the name before it, if it is a field of a record.
    pub name: Span,
}

/// The variables of a header.
pub struct Values<'a> {
    source: &'a str,
    tree: &'a Tree,
    /// The last value of each known variable.
    known: BTreeMap<&'a str, NodeId>,
    /// The variables that the header sets for itself.
    own: BTreeSet<&'a str>,
    program: Program,
    environment: Environment,
}

impl<'a> Values<'a> {
    /// Evaluates a header as far as necessary.
    pub fn new(source: &'a str, tree: &'a Tree, reports: &mut Vec<Report>) -> Values<'a> {
        let (mut known, mut own) = (BTreeMap::new(), BTreeSet::new());
        for statement in &tree.statements {
            if let Expression::Set(name, value) = tree.node(*statement).expression {
                let name = name.text(source);
                match VARIABLES.iter().find(|known| known.name == name) {
                    Some(variable) => drop(known.insert(variable.name, value)),
                    None => drop(own.insert(name)),
                }
            }
        }
        let program = Program::default();
        let environment = Environment::new(&program, 0);
        let mut values = Values { source, tree, known, own, program, environment };
        values.find_misspelt(reports);
        values.evaluate(reports);
        values
    }

    /// The value of a variable.
    pub fn variable(&self, name: &str) -> Option<HeaderValue> {
        let node = *self.known.get(name)?;
        let value = self.program.variable(name).map_or(Value::NOTHING, |number| self.environment.get(number));
        let span = self.tree.node(node).span;
        Some(HeaderValue { node: Some(node), value, span, name: span })
    }

    /// A text, or lines joined to one.
    pub fn text(&self, given: HeaderValue) -> Option<String> {
        match self.list(given) {
            Some(lines) => {
                let lines: Option<Vec<String>> = lines.into_iter().map(|line| self.line(line)).collect();
                lines.filter(|lines| !lines.is_empty()).map(|lines| lines.join("\n"))
            }
            None => self.line(given),
        }
    }

    /// A text of one line.
    pub fn line(&self, given: HeaderValue) -> Option<String> {
        match self.expression(given) {
            Some(Expression::String) => Some(unquoted(self.inner(given)?.1.text(self.source))),
            _ => given.value.as_string().and_then(|id| self.program.strings.text(id)).map(ToString::to_string),
        }
    }

    /// A number.
    pub fn number(&self, given: HeaderValue) -> Option<f64> {
        match self.expression(given) {
            Some(Expression::Number(_) | Expression::Negate(_)) => {
                given.node.and_then(|node| number(self.tree, node)).or_else(|| given.value.as_number())
            }
            Some(expression) if is_literal(expression) => None,
            _ => given.value.as_number(),
        }
    }

    /// A whole number from `min` on.
    pub fn whole(&self, given: HeaderValue, min: u32) -> Option<u32> {
        let number = self.number(given)?;
        let whole = number as u32;
        (f64::from(whole) == number && whole >= min).then_some(whole)
    }

    /// True or false.
    pub fn truth(&self, given: HeaderValue) -> Option<bool> {
        match self.expression(given) {
            Some(Expression::Truth(truth)) => Some(truth),
            Some(expression) if is_literal(expression) => None,
            _ => given.value.as_truth(),
        }
    }

    /// The elements of a list.
    pub fn list(&self, given: HeaderValue) -> Option<Vec<HeaderValue>> {
        let parts = || self.environment.view().parts(given.value);
        match self.expression(given) {
            Some(Expression::List(items)) => {
                let values = if given.value.kind() == ValueKind::List { parts() } else { &[] };
                let items = self.tree.items(items).iter().enumerate();
                let element = |(index, node): (usize, &NodeId)| HeaderValue {
                    node: Some(*node),
                    value: values.get(index).copied().unwrap_or_default(),
                    span: self.tree.node(*node).span,
                    name: self.tree.node(*node).span,
                };
                Some(items.map(element).collect())
            }
            Some(expression) if is_literal(expression) => None,
            _ if given.value.kind() != ValueKind::List => None,
            _ => Some(parts().iter().map(|value| HeaderValue { node: None, value: *value, ..given }).collect()),
        }
    }

    /// The names and values of a record.
    pub fn record(&self, given: HeaderValue) -> Option<Vec<(String, HeaderValue)>> {
        match self.expression(given) {
            Some(Expression::Record(names, items)) => {
                let pairs = self.tree.names(names).iter().zip(self.tree.items(items));
                let field = |(name, node): (&script::ast::GivenName, &NodeId)| {
                    let (place, name) = (name.span, name.span.text(self.source));
                    let value = match self.is_kept_as_written(name, *node) {
                        true => Value::NOTHING,
                        false => self.environment.view().field(given.value, StringId::new(name)).unwrap_or_default(),
                    };
                    (
                        name.to_string(),
                        HeaderValue { node: Some(*node), value, span: self.tree.node(*node).span, name: place },
                    )
                };
                Some(pairs.map(field).collect())
            }
            Some(expression) if is_literal(expression) => None,
            _ if given.value.kind() != ValueKind::Record => None,
            _ => {
                let pairs = self.environment.view().parts(given.value).chunks_exact(2);
                let name = |value: Value| value.as_string().and_then(|id| self.program.strings.text(id));
                let field = |pair: &[Value]| {
                    let given = HeaderValue { node: None, value: pair[1], ..given };
                    (name(pair[0]).unwrap_or("").to_string(), given)
                };
                Some(pairs.map(field).collect())
            }
        }
    }

    /// The text of a default or a conversion, or an error message.
    pub fn script(&self, given: HeaderValue) -> Result<String, String> {
        match given.node.filter(|node| !self.uses_own(*node)) {
            Some(node) => canonical(self.tree.node(node).span.text(self.source)),
            None => canonical(&write(given.value, &self.program, &Arena::new(0), self.environment.kept()))
                .map_err(|_| "a value that uses a variable of the header cannot contain lambdas".to_string()),
        }
    }

    /// Whether the parser has reported an error there.
    pub fn has_mistake(&self, given: HeaderValue) -> bool {
        let is_inside = |span: Span| span.start >= given.span.start && span.end <= given.span.end;
        self.tree.reports.iter().any(|report| is_inside(report.span))
            || matches!(self.expression(given), Some(Expression::Missing))
    }

    /// Its expression, as far as the text has it, without brackets around it.
    pub fn expression(&self, given: HeaderValue) -> Option<Expression> {
        self.inner(given).map(|(expression, _)| expression)
    }

    fn inner(&self, given: HeaderValue) -> Option<(Expression, Span)> {
        let mut node = self.tree.node(given.node?);
        while let Expression::Group(inner) = node.expression {
            node = self.tree.node(inner);
        }
        Some((node.expression, node.span))
    }

    /// Whether a field of a record is kept as text.
    fn is_kept_as_written(&self, name: &str, node: NodeId) -> bool {
        matches!(name, "default" | "convert") && !self.uses_own(node)
    }

    fn uses_own(&self, node: NodeId) -> bool {
        if self.own.is_empty() {
            return false;
        }
        let names = Dependence::of(self.source, self.tree, node).names;
        names.iter().any(|name| self.own.contains(name.text(self.source)))
    }

    /// Warns of an unused variable whose name resembles a known one.
    fn find_misspelt(&self, reports: &mut Vec<Report>) {
        let names = self.tree.tokens.iter().filter(|token| token.kind == TokenKind::Name);
        let mut uses: BTreeMap<&str, u32> = BTreeMap::new();
        for token in names {
            *uses.entry(token.span.text(self.source)).or_default() += 1;
        }
        for statement in &self.tree.statements {
            let Expression::Set(span, _) = self.tree.node(*statement).expression else { continue };
            let name = span.text(self.source);
            let found = closest(name, VARIABLES.iter().map(|variable| variable.name))
                .filter(|_| self.own.contains(name) && uses.get(name) == Some(&1));
            if let Some(found) = found {
                let message = alloc::format!("`{name}` is not a variable of headers, and is unused");
                reports.push(Report::warning(span, message).with_help(alloc::format!("did you mean `{found}`?")));
            }
        }
    }

    fn evaluate(&mut self, reports: &mut Vec<Report>) {
        let mut literals = Vec::new();
        let mut is_over = true;
        for statement in &self.tree.statements {
            match self.tree.node(*statement).expression {
                Expression::Set(name, value) if VARIABLES.iter().any(|known| known.name == name.text(self.source)) => {
                    is_over &= self.find_literals(value, &mut literals);
                }
                _ => is_over = false,
            }
        }
        if is_over {
            return;
        }
        let mut text = self.source.as_bytes().to_vec();
        literals.into_iter().for_each(|span| blank(&mut text, span));
        let text = String::from_utf8(text).unwrap_or_default();
        let tree = parse(&text);
        let (program, found) = compile(&text, &tree, &[]);
        let limits = Limits::default();
        let mut environment = Environment::new(&program, limits.values as usize);
        let mut scratch = Scratch::new(limits);
        // After a syntax error, the rest of the text cannot be trusted.
        let is_whole = self.tree.reports.is_empty();
        reports.extend(found.into_iter().filter(|_| is_whole));
        for (statement, node) in program.statements.iter().zip(&tree.statements) {
            if let Err(trouble) = environment.evaluate(&program, *statement, &[], &mut scratch) {
                reports.push(Report::error(tree.node(*node).span, trouble.to_string()));
            }
        }
        (self.program, self.environment) = (program, environment);
    }

    /// Finds the largest literals; true if all of it is one. The tree is not higher than [`script::parse::HEIGHT_MAX`].
    fn find_literals(&self, node: NodeId, literals: &mut Vec<Span>) -> bool {
        let found = self.tree.node(node);
        let before = literals.len();
        let mut is_whole = true;
        match found.expression {
            Expression::List(items) => {
                for item in self.tree.items(items) {
                    is_whole &= self.find_literals(*item, literals);
                }
            }
            Expression::Record(names, items) => {
                for (name, item) in self.tree.names(names).iter().zip(self.tree.items(items)) {
                    if self.is_kept_as_written(name.span.text(self.source), *item) {
                        literals.push(self.tree.node(*item).span);
                    } else {
                        is_whole &= self.find_literals(*item, literals);
                    }
                }
            }
            Expression::Group(inner) => is_whole = self.find_literals(inner, literals),
            other => is_whole = is_literal(other) || number(self.tree, node).is_some(),
        }
        if is_whole {
            literals.truncate(before);
            literals.push(found.span);
        }
        is_whole
    }
}

/// A number, perhaps negated.
fn number(tree: &Tree, node: NodeId) -> Option<f64> {
    match tree.node(node).expression {
        Expression::Number(number) => Some(number),
        Expression::Negate(inner) => number(tree, inner).map(|number| -number),
        Expression::Group(inner) => number(tree, inner),
        _ => None,
    }
}

/// Whether it needs no evaluation itself; of lists and records, their parts decide.
fn is_literal(expression: Expression) -> bool {
    matches!(
        expression,
        Expression::Number(_)
            | Expression::Identifier(_)
            | Expression::String
            | Expression::Truth(_)
            | Expression::Nothing
            | Expression::List(_)
            | Expression::Record(..)
    )
}

/// A zero, and blanks to the end; line ends stay.
fn blank(text: &mut [u8], span: Span) {
    let Some(bytes) = text.get_mut(span.range()) else { return };
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = match *byte {
            _ if index == 0 => b'0',
            b'\n' => b'\n',
            _ => b' ',
        };
    }
}
