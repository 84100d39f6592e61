//! Strings that people read: `"{hull} of {hull_max}"` becomes the text that it means.
//!
//! The parser does it where the language says so, in `!Log`. For fields of tags that people read, the caller does it.

use alloc::vec::Vec;

use crate::ast::{Caching, Expression, Items, Names, Node, NodeId, Tree};
use crate::source::Span;
use crate::template;

/// The most words of a name in braces, and the greatest height of a text: its own, and that of its longest name.
const WORDS_MAX: usize = 16;
pub(crate) const TEXT_HEIGHT: u16 = WORDS_MAX as u16 + 1;

/// The fields that people read, and the names in braces that are not variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Readable {
    /// The names of fields.
    pub fields: &'static [&'static str],
    /// The beginning of names that stay as they are written; empty: there are none.
    pub reserved: &'static str,
}

impl Readable {
    /// Makes texts of the strings in the fields of records, wherever they lie in the values of these variables. A string becomes a
    /// lambda that makes the text, with the span of the string; in a lambda, the strings that are its result become texts.
    pub fn read(&self, source: &str, tree: &mut Tree, is_meant: impl Fn(&str) -> bool) {
        for statement in tree.statements.clone() {
            if let Expression::Set(name, value) = tree.node(statement).expression
                && is_meant(name.text(source))
            {
                self.visit(source, tree, value);
            }
        }
    }

    /// Whether a tree may have such strings: without braces in it there are none.
    pub fn is_in(&self, source: &str) -> bool {
        !self.fields.is_empty() && template::holes(source).next().is_some()
    }

    /// The tree is at most [`crate::parse::HEIGHT_MAX`] high, which bounds the recursion.
    fn visit(&self, source: &str, tree: &mut Tree, id: NodeId) {
        match tree.node(id).expression {
            Expression::Group(inner) => self.visit(source, tree, inner),
            Expression::List(items) => {
                (0..items.count).for_each(|index| self.visit(source, tree, tree.items[(items.start + index) as usize]));
            }
            Expression::Record(names, items) => {
                for index in 0..items.count {
                    let name = tree.names(names)[index as usize].span.text(source);
                    let place = (items.start + index) as usize;
                    let value = tree.items[place];
                    if !self.fields.contains(&name) {
                        self.visit(source, tree, value);
                    } else if let Some(read) = self.field(source, tree, value) {
                        tree.items[place] = read;
                    }
                }
            }
            _ => {}
        }
    }

    /// The value of a field that people read, if it is another one now.
    fn field(&self, source: &str, tree: &mut Tree, id: NodeId) -> Option<NodeId> {
        let Node { expression, span, .. } = *tree.node(id);
        match expression {
            Expression::Group(inner) => self.field(source, tree, inner),
            Expression::Lambda { caching, parameters, body } => {
                let body = self.result(source, tree, body)?;
                tree.nodes[id.0 as usize].expression = Expression::Lambda { caching, parameters, body };
                None
            }
            _ => {
                let body = text_of(source, tree, id, self.reserved)?;
                let (caching, parameters) = (Caching::Unsaid, Names::default());
                tree.texts.push(span);
                Some(add(tree, Expression::Lambda { caching, parameters, body }, span))
            }
        }
    }

    /// The result of a lambda, if it is another one now.
    fn result(&self, source: &str, tree: &mut Tree, id: NodeId) -> Option<NodeId> {
        let changed = match tree.node(id).expression {
            Expression::Group(inner) => Expression::Group(self.result(source, tree, inner)?),
            Expression::Let(names, values, body) => Expression::Let(names, values, self.result(source, tree, body)?),
            Expression::If(condition, then, otherwise) => {
                let (one, other) = (
                    self.result(source, tree, then),
                    otherwise.and_then(|otherwise| self.result(source, tree, otherwise)),
                );
                if one.is_none() && other.is_none() {
                    return None;
                }
                Expression::If(condition, one.unwrap_or(then), other.or(otherwise))
            }
            _ => return text_of(source, tree, id, self.reserved),
        };
        let span = tree.node(id).span;
        Some(add(tree, changed, span))
    }
}

/// A string with names in braces as a text; none if it is another node. Names with the reserved beginning are none.
pub(crate) fn text_of(source: &str, tree: &mut Tree, id: NodeId, reserved: &str) -> Option<NodeId> {
    let Node { expression: Expression::String, span, .. } = *tree.node(id) else { return None };
    let is_name = |hole: &Span| {
        let name = hole.text(source);
        name.split('.').count() <= WORDS_MAX && (reserved.is_empty() || !name.starts_with(reserved))
    };
    let holes: Vec<Span> = template::holes(span.text(source))
        .map(|hole| Span::new(span.start + hole.start as u32, span.start + hole.end as u32))
        .filter(is_name)
        .collect();
    if holes.is_empty() {
        return None;
    }
    let mut values = Vec::with_capacity(holes.len());
    for hole in holes {
        let mut at = hole.start;
        let mut value: Option<NodeId> = None;
        for word in hole.text(source).split('.') {
            let name = Span::new(at, at + word.len() as u32);
            at = name.end + 1;
            let next = match value {
                None => Expression::Name,
                Some(of) => Expression::Field(of, name),
            };
            value = Some(add(tree, next, Span::new(hole.start, name.end)));
        }
        values.extend(value);
    }
    let items = Items { start: tree.items.len() as u32, count: values.len() as u32 };
    tree.items.extend(values);
    Some(add(tree, Expression::Text(items), span))
}

fn add(tree: &mut Tree, expression: Expression, span: Span) -> NodeId {
    tree.nodes.push(Node { expression, span, has_effect: false });
    NodeId(tree.nodes.len() as u32 - 1)
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;
    use crate::parse::parse;

    const TEXTS: Readable = Readable { fields: &["text"], reserved: "key_" };

    fn names_read(source: &str) -> Vec<String> {
        let mut tree = parse(source);
        TEXTS.read(source, &mut tree, |name| name == "widgets");
        let texts = tree.nodes.iter().filter_map(|node| match node.expression {
            Expression::Text(items) => Some(items),
            _ => None,
        });
        let names = texts.flat_map(|items| tree.items(items)).map(|id| tree.node(*id).span.text(source).into());
        names.collect()
    }

    #[test]
    fn strings_that_people_read_become_texts() {
        let check = |source: &str, names: &[&str]| assert_eq!(names_read(source), names, "{source}");
        check("!set widgets [{ text \"{hull} of {ship.hull_max}\" }]", &["hull", "ship.hull_max"]);
        check("!set widgets [{ children [{ text (\"{a}\"), bind { text Lambda(\"{b}\") } }] }]", &["a", "b"]);
        check("!set widgets [{ text Lambda(if a then \"{a}\" else let c = 1 in (\"{c}\")) }]", &["a", "c"]);
        check("!set widgets [{ text \"{key_fire} {{a}} {\" }, { string \"{a}\" }]", &[]);
        check("!set widgets [{ text \"{key_fire}: {shots}\" }]", &["shots"]);
        check("!set widgets [{ text Lambda({ text \"{a}\" }) }, { bind { value Lambda(\"{a}\") } }]", &[]);
        check("!set other [{ text \"{a}\" }]", &[]);
    }
}
