//! Lookup by position: the field path at a byte of a tag's text, and the record within a kind.

use crate::document::kind_at;
use crate::document::part::place_of;
use crate::field_path::FieldPath;
use script::ast::{Expression, NodeId, Tree};
use script::compile::unquoted;
use tags::class::{Class, Kind, Record};
use tags::limits::DEPTH_MAX;

/// The field path of the value at a byte, such as `weapons[nose].weapon`; empty if there is none. Elements are named by
/// their key, or by index: `[#2]`.
pub fn place_at(source: &str, tree: &Tree, class: Option<&Class>, byte: u32) -> String {
    let at = |id: NodeId| {
        let span = tree.node(id).span;
        span.start <= byte && byte < span.end
    };
    let Some(statement) = tree.statements.iter().copied().find(|statement| at(*statement)) else {
        return String::new();
    };
    let (set, mut value) = match tree.node(statement).expression {
        Expression::Set(name, value) => (FieldPath::root().field(name.text(source)), value),
        Expression::Update(target, _, value) => match place_of(source, tree, target) {
            Some(set) => (set, value),
            None => return tree.variable_of(target).text(source).to_string(),
        },
        _ => return String::new(),
    };
    let mut place = set.to_string();
    let mut kind = class.and_then(|class| kind_at(class, &set));
    for _ in 0..DEPTH_MAX * 2 {
        match tree.node(value).expression {
            Expression::Group(inner) => value = inner,
            Expression::List(items) => {
                let items = tree.items(items);
                let Some(index) = items.iter().position(|item| at(*item)) else { break };
                value = items[index];
                kind = kind.and_then(element);
                let key = kind.and_then(|kind| key_of(source, tree, class?, kind, value));
                place.push_str(&key.map_or_else(|| format!("[#{index}]"), |key| format!("[{key}]")));
            }
            Expression::Record(names, items) => {
                let items = tree.items(items);
                let Some(index) = items.iter().position(|item| at(*item)) else { break };
                let name = tree.names(names)[index].span.text(source);
                place.push('.');
                place.push_str(name);
                let record = kind.and_then(|kind| record_of(class?, kind));
                kind = record.and_then(|record| record.field(name)).map(|(_, field)| &field.kind);
                value = items[index];
            }
            _ => break,
        }
    }
    place
}

/// The record within a kind: directly, optional, or in a series.
pub fn record_within<'a>(class: &'a Class, kind: &Kind) -> Option<&'a Record> {
    match kind {
        Kind::Record(number) => class.record(*number),
        Kind::Series(of) | Kind::Optional(of) => record_within(class, of),
        _ => None,
    }
}

fn element(kind: &Kind) -> Option<&Kind> {
    match kind {
        Kind::Series(of) => Some(of),
        Kind::Optional(of) => element(of),
        _ => None,
    }
}

fn record_of<'a>(class: &'a Class, kind: &Kind) -> Option<&'a Record> {
    match kind {
        Kind::Record(number) => class.record(*number),
        Kind::Optional(of) => record_of(class, of),
        _ => None,
    }
}

/// The key of an element, if it is a string literal.
fn key_of(source: &str, tree: &Tree, class: &Class, kind: &Kind, element: NodeId) -> Option<String> {
    let record = record_of(class, kind)?;
    let key = &record.fields.get(record.key? as usize)?.name;
    let Expression::Record(names, items) = tree.node(element).expression else { return None };
    let index = tree.names(names).iter().position(|name| name.span.text(source) == key)?;
    let value = tree.node(tree.items(items)[index]);
    matches!(value.expression, Expression::String).then(|| unquoted(value.span.text(source)))
}
