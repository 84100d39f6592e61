//! Formulas: the free names and effects of a value in a text.
//!
//! A value is constant if it is closed: it refers to no other field, contains no lambda and has no effect.

use alloc::vec::Vec;

use script::ast::{Expression, Items, NodeId, Tree};
use script::builtin;
use script::source::Span;

/// The dependences of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dependence {
    /// References to names that are neither built in nor bound in the value.
    pub names: Vec<Span>,
    /// Whether it is a lambda, or contains one other than as the argument of a call.
    pub has_lambda: bool,
    /// Whether it has an effect, or queries an object.
    pub has_effect: bool,
    /// Whether a part of it is missing.
    pub has_mistake: bool,
}

impl Dependence {
    /// Computes them for a node of the syntax tree.
    pub fn of(source: &str, tree: &Tree, node: NodeId) -> Dependence {
        let mut walk = DependenceWalk { source, tree, bound: Vec::new(), found: Dependence::default() };
        walk.visit(node, false);
        walk.found
    }

    /// Whether the value is constant and can be written out.
    pub fn is_constant(&self) -> bool {
        self.names.is_empty() && !self.has_lambda && !self.has_effect && !self.has_mistake
    }
}

struct DependenceWalk<'a> {
    source: &'a str,
    tree: &'a Tree,
    /// The parameters and `let`s in scope.
    bound: Vec<&'a str>,
    found: Dependence,
}

impl<'a> DependenceWalk<'a> {
    /// The tree is at most [`script::parse::HEIGHT_MAX`] high, which bounds the recursion.
    fn visit(&mut self, id: NodeId, is_argument: bool) {
        let node = *self.tree.node(id);
        match node.expression {
            Expression::Name => self.name(node.span, false),
            Expression::Object => self.found.has_effect = true,
            Expression::Missing => self.found.has_mistake = true,
            Expression::List(items) | Expression::Record(_, items) | Expression::Text(items) => self.each(items, false),
            Expression::Do(items) => {
                self.found.has_effect = true;
                self.each(items, false);
            }
            Expression::Body(items) => {
                self.found.has_lambda |= !is_argument;
                self.each(items, false);
            }
            Expression::Lambda { parameters, body, .. } => {
                self.found.has_lambda |= !is_argument;
                let known = self.bound.len();
                let names = self.tree.names(parameters).iter();
                self.bound.extend(names.map(|name| name.span.text(self.source)));
                // The result of a lambda is not the value itself.
                self.visit(body, true);
                self.bound.truncate(known);
            }
            Expression::Call(callee, arguments) => {
                let called = self.tree.node(callee);
                match called.expression {
                    Expression::Name => self.name(called.span, true),
                    _ => self.visit(callee, true),
                }
                self.each(arguments, true);
            }
            Expression::Effect(_, arguments) => {
                self.found.has_effect = true;
                self.each(arguments, true);
            }
            Expression::Set(_, value) => {
                self.found.has_effect = true;
                self.visit(value, false);
            }
            Expression::Update(target, _, value) => {
                self.found.has_effect = true;
                self.visit(target, false);
                self.visit(value, false);
            }
            Expression::Index(left, right) | Expression::Binary(_, left, right) => {
                self.visit(left, is_argument);
                self.visit(right, is_argument);
            }
            Expression::Field(inner, _)
            | Expression::Negate(inner)
            | Expression::Not(inner)
            | Expression::Group(inner) => self.visit(inner, is_argument),
            Expression::If(condition, then, otherwise) => {
                self.visit(condition, is_argument);
                self.visit(then, is_argument);
                otherwise.into_iter().for_each(|otherwise| self.visit(otherwise, is_argument));
            }
            Expression::Let(names, values, body) => {
                let known = self.bound.len();
                for (name, value) in self.tree.names(names).iter().zip(self.tree.items(values)) {
                    self.visit(*value, is_argument);
                    self.bound.push(name.span.text(self.source));
                }
                self.visit(body, is_argument);
                self.bound.truncate(known);
            }
            Expression::Number(_)
            | Expression::Identifier(_)
            | Expression::String
            | Expression::Truth(_)
            | Expression::Nothing => {}
        }
    }

    fn each(&mut self, items: Items, is_argument: bool) {
        for item in self.tree.items(items) {
            self.visit(*item, is_argument);
        }
    }

    fn name(&mut self, span: Span, is_called: bool) {
        let name = span.text(self.source);
        let is_known = self.bound.contains(&name) || is_called && builtin::find(name).is_some();
        if !is_known {
            self.found.names.push(span);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: &str, names: &[&str], is_constant: bool) {
        let tree = script::parse::parse(value);
        let found = Dependence::of(value, &tree, tree.statements[0]);
        let found_names: Vec<&str> = found.names.iter().map(|span| span.text(value)).collect();
        assert_eq!((&*found_names, found.is_constant()), (names, is_constant), "{value}: {found:?}");
    }

    #[test]
    fn a_value_is_constant_unless_it_names_something() {
        check("3 * 4", &[], true);
        check("[1, { mass 2 }]", &[], true);
        check("vec(1, 2, 3)", &[], true);
        check("let a = 2 in a * a", &[], true);
        check("map([1], Lambda(x, x * 2))", &[], true);
        check("mass * 2", &["mass"], false);
        check("[{ a mass }, hull(3)]", &["mass", "hull"], false);
        check("Lambda(x, x * mass)", &["mass"], false);
        check("Lambda(3)", &[], false);
        check("{ a Lambda(3) }", &[], false);
        check("[ !Log(1) ]", &[], false);
        check("~this", &[], false);
        check("vec", &["vec"], false);
    }
}
