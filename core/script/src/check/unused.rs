//! Values that are not used: lambdas that nothing calls, and comparisons that were meant as sets.

use alloc::format;
use alloc::vec::Vec;

use super::Checker;
use super::solve::{Cell, SOME_LAMBDA, Term};
use crate::ast::{Expression, Items, NodeId, Operator, Tree};
use crate::report::Report;

/// For each node, whether its value is not used: all but the last of the elements of bodies, of `do` and of the file.
pub(super) fn dropped(tree: &Tree) -> Vec<bool> {
    let mut dropped = alloc::vec![false; tree.nodes.len()];
    for row in rows(tree) {
        for id in row.split_last().map_or(&[][..], |(_, before)| before) {
            drop_value(tree, *id, &mut dropped);
        }
    }
    dropped
}

/// The sequences of a source.
fn rows(tree: &Tree) -> impl Iterator<Item = &[NodeId]> {
    let bodies = tree.nodes.iter().filter_map(|node| match node.expression {
        Expression::Body(items) | Expression::Do(items) => Some(tree.items(items)),
        _ => None,
    });
    bodies.chain([&tree.statements[..]])
}

fn drop_value(tree: &Tree, id: NodeId, dropped: &mut [bool]) {
    let last = |items: Items| tree.items(items).last().copied();
    match tree.node(id).expression {
        Expression::Group(inner) | Expression::Let(_, _, inner) => drop_value(tree, inner, dropped),
        Expression::If(_, then, otherwise) => {
            drop_value(tree, then, dropped);
            otherwise.into_iter().for_each(|otherwise| drop_value(tree, otherwise, dropped));
        }
        Expression::Do(items) => last(items).into_iter().for_each(|last| drop_value(tree, last, dropped)),
        Expression::Name
        | Expression::Field(..)
        | Expression::Index(..)
        | Expression::Call(..)
        | Expression::Lambda { .. }
        | Expression::Body(_) => dropped[id.0 as usize] = true,
        _ => {}
    }
}

impl Checker<'_> {
    /// Warns of a lambda whose value is not used: it was probably meant to be called.
    pub(super) fn warn_of_idle_lambda(&mut self, id: NodeId, term: Term) {
        let is_lambda = matches!(self.solver.cell(term), Cell::Lambda { .. }) || self.solver.root(term) == SOME_LAMBDA;
        if !is_lambda {
            return;
        }
        let node = self.tree.node(id);
        let text = node.span.text(self.source);
        let is_short = text.len() <= 40 && !text.contains('\n');
        let shown = if is_short { text } else { "f" };
        let (message, help) = match node.expression {
            Expression::Body(_) => (
                "this body is never run".into(),
                "write `do` before it to run it here, or give it to something that calls it".into(),
            ),
            Expression::Lambda { .. } => ("this lambda is never called".into(), "call it: write `()` behind it".into()),
            Expression::Call(..) => (
                "this call gives a lambda, which is never called".into(),
                format!("call it too: `{shown}()`; or write `do` before the body that it gives"),
            ),
            _ => (format!("the lambda `{shown}` is not called here"), format!("write `{shown}()`")),
        };
        self.report(Report::warning(node.span, message).with_help(help));
    }

    /// Warns of comparisons whose result is not used: `=` was probably meant as a set.
    pub(super) fn warn_of_unused_comparisons(&mut self) {
        let tree = self.tree;
        for row in rows(tree) {
            for id in row.split_last().map_or(&[][..], |(_, before)| before) {
                self.warn_of_comparison(*id);
            }
        }
        // What the engine calls has no use for the result.
        for node in &tree.nodes {
            match node.expression {
                Expression::Set(name, value) if name.text(self.source).starts_with("On") => self.warn_in_handler(value),
                Expression::Effect(name, items) => {
                    let is_calling = matches!(name.text(self.source), "After" | "Every" | "EventHandler" | "Each");
                    let last = tree.items(items).last().filter(|_| is_calling);
                    last.into_iter().for_each(|last| self.warn_in_handler(*last));
                }
                Expression::Record(names, values) => {
                    for (name, value) in tree.names(names).iter().zip(tree.items(values)) {
                        if name.span.text(self.source).starts_with("On") {
                            self.warn_in_handler(*value);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Warns of comparisons that a handler ends with. A list in its place is a body whose effects are missing.
    fn warn_in_handler(&mut self, id: NodeId) {
        let tree = self.tree;
        match tree.node(id).expression {
            Expression::Lambda { body, .. } => self.warn_of_comparison(body),
            Expression::Body(items) => tree.items(items).last().into_iter().for_each(|id| self.warn_of_comparison(*id)),
            Expression::List(items) => tree.items(items).iter().for_each(|id| self.warn_of_comparison(*id)),
            _ => {}
        }
    }

    fn warn_of_comparison(&mut self, id: NodeId) {
        let node = self.tree.node(id);
        if let Expression::Binary(Operator::Equal, left, right) = node.expression {
            let text = |id| self.tree.node(id).span.text(self.source);
            let (left, right) = (text(left), Some(text(right)).filter(|text| text.len() <= 40 && !text.contains('\n')));
            let help = format!("to give a variable a value, write `!set {left} {}`", right.unwrap_or("…"));
            let report = Report::warning(node.span, "the result of this comparison is not used");
            self.report(report.with_help(help));
        }
    }
}
