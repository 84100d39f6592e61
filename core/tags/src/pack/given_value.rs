//! A value given in a text: read from the syntax tree if it is a literal, otherwise from its evaluation.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use base::Vec3;
use script::ast::{Expression, NodeId, Tree};
use script::compile::unquoted;
use script::source::Span;
use script::value::{Kind as ValueKind, Value};

use super::evaluate::Evaluated;
use crate::literal::number;

/// The text that a value comes from.
#[derive(Clone, Copy)]
pub(super) struct Origin<'a> {
    pub source: &'a str,
    pub tree: &'a Tree,
    pub evaluated: &'a Evaluated,
}

/// A value given in a text.
#[derive(Clone, Copy)]
pub(super) struct GivenValue<'a> {
    /// The text; an evaluated default has none.
    pub origin: Option<Origin<'a>>,
    /// Its node, if the tree has one.
    pub node: Option<NodeId>,
    /// Its evaluation, if it is not a literal.
    pub value: Option<Value>,
}

impl<'a> GivenValue<'a> {
    /// Its span.
    pub fn span(&self) -> Span {
        match (self.origin, self.node) {
            (Some(origin), Some(node)) => origin.tree.node(node).span,
            _ => Span::default(),
        }
    }

    fn expression(&self) -> Option<(Origin<'a>, Expression)> {
        let origin = self.origin?;
        let node = without_brackets(origin.tree, self.node?);
        Some((origin, origin.tree.node(node).expression))
    }

    fn literal(&self) -> Option<(Origin<'a>, Expression)> {
        if self.value.is_some() { None } else { self.expression() }
    }

    /// A description for messages.
    pub fn describe(&self) -> &'static str {
        match self.value {
            Some(value) => match value.kind() {
                ValueKind::Nothing => "nothing",
                ValueKind::Number => "a number",
                ValueKind::Identifier => "an identifier",
                ValueKind::Truth => "true or false",
                ValueKind::String => "a text in quotes",
                ValueKind::Vector => "a vector",
                ValueKind::Handle => "a handle",
                ValueKind::Lambda => "a lambda",
                ValueKind::List => "a list",
                ValueKind::Record => "a record",
            },
            None => match self.expression().map(|(_, expression)| expression) {
                Some(Expression::Number(_) | Expression::Negate(_)) => "a number",
                Some(Expression::Identifier(_)) => "an identifier",
                Some(Expression::String) => "a text in quotes",
                Some(Expression::Truth(_)) => "true or false",
                Some(Expression::List(_)) => "a list",
                Some(Expression::Body(_)) => "a body",
                Some(Expression::Record(..)) => "a record",
                Some(Expression::Lambda { .. }) => "a lambda",
                Some(Expression::Call(..)) => "a vector",
                Some(Expression::Nothing) => "nothing",
                _ => "something else",
            },
        }
    }

    /// The value as LScript.
    pub fn written(&self) -> String {
        match (self.value, self.origin) {
            (Some(value), Some(origin)) => origin.evaluated.written(value),
            (None, Some(origin)) => String::from(self.span().text(origin.source)),
            _ => String::new(),
        }
    }

    pub fn is_nothing(&self) -> bool {
        match self.value {
            Some(value) => value == Value::NOTHING,
            None => matches!(self.expression(), None | Some((_, Expression::Nothing | Expression::Missing))),
        }
    }

    /// Whether the parser has already reported an error at the value.
    pub fn is_missing(&self) -> bool {
        matches!(self.literal(), Some((_, Expression::Missing)))
    }

    pub fn number(&self) -> Option<f64> {
        match self.value {
            Some(value) => value.as_number(),
            None => {
                let (origin, _) = self.expression()?;
                number(origin.tree, self.node?)
            }
        }
    }

    pub fn truth(&self) -> Option<bool> {
        match (self.value, self.literal()) {
            (Some(value), _) => value.as_truth(),
            (None, Some((_, Expression::Truth(truth)))) => Some(truth),
            _ => None,
        }
    }

    pub fn identifier(&self) -> Option<i32> {
        match (self.value, self.literal()) {
            (Some(value), _) => value.as_identifier(),
            (None, Some((_, Expression::Identifier(number)))) => Some(number),
            _ => None,
        }
    }

    pub fn text(&self) -> Option<Cow<'a, str>> {
        let origin = self.origin?;
        match self.value {
            Some(value) => origin.evaluated.text(value).map(Cow::Borrowed),
            None => match self.literal()? {
                (origin, Expression::String) => Some(plain_text(origin, self.node?)),
                // A text with names in braces, of which a lambda was made.
                (origin, Expression::Lambda { .. }) if self.span().text(origin.source).starts_with('"') => {
                    Some(plain_text(origin, self.node?))
                }
                _ => None,
            },
        }
    }

    /// The numbers of a vector, or of a list of numbers.
    pub fn numbers(&self) -> Option<Vec<f64>> {
        if let Some(value) = self.value
            && let Some(Vec3 { x, y, z }) = value.as_vector()
        {
            return Some(alloc::vec![f64::from(x), f64::from(y), f64::from(z)]);
        }
        if let Some((origin, Expression::Call(callee, items))) = self.literal() {
            let is_vector = origin.tree.node(callee).span.text(origin.source).eq_ignore_ascii_case("vec");
            let numbers = origin.tree.items(items).iter().map(|item| number(origin.tree, *item));
            return if is_vector { numbers.collect() } else { None };
        }
        self.list()?.iter().map(GivenValue::number).collect()
    }

    /// The elements of a list.
    pub fn list(&self) -> Option<Vec<GivenValue<'a>>> {
        let origin = self.origin?;
        let nodes = match self.expression() {
            Some((_, Expression::List(items) | Expression::Body(items))) => origin.tree.items(items),
            _ => &[],
        };
        let Some(value) = self.value else {
            let is_list = matches!(self.expression(), Some((_, Expression::List(_))));
            let element = |node: &NodeId| GivenValue { node: Some(*node), ..*self };
            return is_list.then(|| nodes.iter().map(element).collect());
        };
        if value.kind() != ValueKind::List {
            return None;
        }
        let parts = origin.evaluated.parts(value);
        // In a list literal, each element has its own span.
        let node_of = |index: usize| if nodes.len() == parts.len() { Some(nodes[index]) } else { self.node };
        let element =
            |(index, value): (usize, &Value)| GivenValue { node: node_of(index), value: Some(*value), ..*self };
        Some(parts.iter().enumerate().map(element).collect())
    }

    /// The names, spans and values of a record.
    pub fn record(&self) -> Option<Vec<(&'a str, Span, GivenValue<'a>)>> {
        let origin = self.origin?;
        let (names, nodes) = match self.expression() {
            Some((_, Expression::Record(names, items))) => (origin.tree.names(names), origin.tree.items(items)),
            _ => (&[][..], &[][..]),
        };
        let written = names.iter().zip(nodes);
        let Some(value) = self.value else {
            let is_record = matches!(self.expression(), Some((_, Expression::Record(..))));
            let fields = written.map(|(name, node)| {
                (name.span.text(origin.source), name.span, GivenValue { node: Some(*node), ..*self })
            });
            return is_record.then(|| fields.collect());
        };
        if value.kind() != ValueKind::Record {
            return None;
        }
        let pairs = origin.evaluated.parts(value).chunks_exact(2);
        let fields = pairs.filter_map(|pair| {
            let name = origin.evaluated.text(pair[0])?;
            let found = written.clone().find(|(written, _)| written.span.text(origin.source) == name);
            let node = found.map_or(self.node, |(_, node)| Some(*node));
            let span = found.map_or(self.span(), |(name, _)| name.span);
            Some((name, span, GivenValue { node, value: Some(pair[1]), ..*self }))
        });
        Some(fields.collect())
    }

    /// The function of a lambda.
    pub fn function(&self) -> Option<u32> {
        let origin = self.origin?;
        match (self.value, self.literal()) {
            (Some(value), _) => value.as_function(),
            (None, Some((_, Expression::Lambda { .. } | Expression::Body(_)))) => {
                let node = without_brackets(origin.tree, self.node?);
                origin.evaluated.function_at(origin.tree.node(node).span)
            }
            _ => None,
        }
    }

    pub fn is_lambda(&self) -> bool {
        match self.value {
            Some(value) => value.kind() == ValueKind::Lambda,
            None => matches!(self.expression(), Some((_, Expression::Lambda { .. } | Expression::Body(_)))),
        }
    }
}

/// Brackets around a value change nothing; their depth is bounded by the height of the tree.
fn without_brackets(tree: &Tree, mut node: NodeId) -> NodeId {
    while let Expression::Group(inner) = tree.node(node).expression {
        node = inner;
    }
    node
}

/// A text without its quotes.
fn plain_text<'a>(origin: Origin<'a>, node: NodeId) -> Cow<'a, str> {
    let text = origin.tree.node(without_brackets(origin.tree, node)).span.text(origin.source);
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or("");
    if inner.contains('"') { Cow::Owned(String::from(&*unquoted(text))) } else { Cow::Borrowed(inner) }
}
