//! Lambdas: the names they capture, and expressions that become functions of their own.

use alloc::vec::Vec;

use super::{Compiler, Inputs, short};
use crate::ast::{Caching, Expression, Items, NodeId};
use crate::program::Operation;
use crate::source::Span;

/// The most captured values of such a function.
const OUTLINE_CAPTURED_MAX: usize = 60;

impl<'a> Compiler<'a> {
    /// A list with `!` calls in it: a lambda without parameters that evaluates its elements in order and returns the
    /// last value.
    pub(super) fn body(&mut self, items: Items, to: u8, span: Span) {
        let parts = self.tree.items(items);
        self.lambda("", &[], parts, Caching::Unsaid, to, span);
    }

    pub(super) fn lambda(
        &mut self,
        name: &str,
        parameters: &[&'a str],
        parts: &[NodeId],
        caching: Caching,
        to: u8,
        span: Span,
    ) {
        let mut free = Vec::new();
        parts.iter().for_each(|part| self.free_names(*part, &mut parameters.to_vec(), &mut free));
        let inputs = Inputs { parameters, captured: &free };
        let number = self.function(name, inputs, parts, caching, span);
        self.capture(&free, number, to, span);
    }

    /// Compiles a list or record as a function of its own that is called at once, with all registers for itself. False if it is
    /// something else, or captures too much.
    pub(super) fn outline(&mut self, id: NodeId, to: u8, span: Span) -> bool {
        if !matches!(self.tree.node(id).expression, Expression::List(_) | Expression::Record(..)) {
            return false;
        }
        let mut free = Vec::new();
        self.free_names(id, &mut Vec::new(), &mut free);
        if free.len() > OUTLINE_CAPTURED_MAX {
            return false;
        }
        let mark = self.draft().next;
        let inputs = Inputs { parameters: &[], captured: &free };
        let number = self.function("", inputs, &[id], Caching::Unsaid, span);
        let made = &self.program.functions[number as usize];
        let (is_effectful, reads) = (made.is_effectful, made.reads.clone());
        let draft = self.draft();
        draft.is_effectful |= is_effectful;
        for read in reads {
            if !draft.reads.contains(&read) {
                draft.reads.push(read);
            }
        }
        let callee = draft.push();
        self.capture(&free, number, callee, span);
        self.emit(Operation::Call, to, callee, 0, 0, span);
        self.draft().next = mark;
        true
    }

    /// Creates a lambda value with its captured values.
    fn capture(&mut self, names: &[&'a str], function: u32, to: u8, span: Span) {
        let first = self.draft().next;
        for name in names {
            let register = self.draft().push();
            let from = self.local(name).expect("a free name is a local around it");
            self.emit(Operation::Move, register, from, 0, 0, span);
        }
        self.emit(Operation::Lambda, to, short(first), short(names.len()), function, span);
    }

    /// The free variables of a node: names that resolve to parameters or `let`s of the functions around it.
    fn free_names(&self, id: NodeId, bound: &mut Vec<&'a str>, free: &mut Vec<&'a str>) {
        let each = |items: Items, bound: &mut Vec<&'a str>, free: &mut Vec<&'a str>| {
            self.tree.items(items).iter().for_each(|item| self.free_names(*item, bound, free));
        };
        let node = self.tree.node(id);
        match node.expression {
            Expression::Name => {
                let name = node.span.text(self.source);
                if !bound.contains(&name) && !free.contains(&name) && self.local(name).is_some() {
                    free.push(name);
                }
            }
            Expression::List(items)
            | Expression::Body(items)
            | Expression::Do(items)
            | Expression::Text(items)
            | Expression::Record(_, items)
            | Expression::Effect(_, items) => {
                each(items, bound, free);
            }
            Expression::Lambda { parameters, body, .. } => {
                let known = bound.len();
                bound.extend(self.tree.names(parameters).iter().map(|name| name.span.text(self.source)));
                self.free_names(body, bound, free);
                bound.truncate(known);
            }
            Expression::Call(callee, items) => {
                self.free_names(callee, bound, free);
                each(items, bound, free);
            }
            Expression::Set(_, of)
            | Expression::Field(of, _)
            | Expression::Negate(of)
            | Expression::Not(of)
            | Expression::Group(of) => {
                self.free_names(of, bound, free);
            }
            Expression::Index(left, right) | Expression::Binary(_, left, right) => {
                self.free_names(left, bound, free);
                self.free_names(right, bound, free);
            }
            Expression::Update(target, _, value) => {
                // The name of the target is that of a variable; indices in it may be anything.
                let mut at = target;
                while let Expression::Field(of, _) | Expression::Index(of, _) | Expression::Group(of) =
                    self.tree.node(at).expression
                {
                    if let Expression::Index(_, index) = self.tree.node(at).expression {
                        self.free_names(index, bound, free);
                    }
                    at = of;
                }
                self.free_names(value, bound, free);
            }
            Expression::If(condition, then, otherwise) => {
                self.free_names(condition, bound, free);
                self.free_names(then, bound, free);
                otherwise.into_iter().for_each(|otherwise| self.free_names(otherwise, bound, free));
            }
            Expression::Let(names, values, body) => {
                let known = bound.len();
                for (name, value) in self.tree.names(names).iter().zip(self.tree.items(values)) {
                    self.free_names(*value, bound, free);
                    bound.push(name.span.text(self.source));
                }
                self.free_names(body, bound, free);
                bound.truncate(known);
            }
            Expression::Number(_)
            | Expression::Identifier(_)
            | Expression::String
            | Expression::Truth(_)
            | Expression::Nothing
            | Expression::Object
            | Expression::Missing => {}
        }
    }
}
