//! Sets: of whole variables and of their parts, and the names that may not be set.

use alloc::format;
use alloc::string::String;

use super::solve::{ANY, Cell, HANDLE, IDENTIFIER, NUMBER, STRING, TRUTH, Term};
use super::{Checker, RESERVED};
use crate::ast::{Expression, NodeId, Operator};
use crate::report::{Report, closest};
use crate::source::Span;

impl<'a> Checker<'a> {
    /// Reports the set of a name that no source may set: of an object that the world names, of a parameter or of a
    /// `let`.
    pub(super) fn check_settable(&mut self, name: Span) {
        let text = name.text(self.source);
        if RESERVED.contains(&text) {
            let message = format!("`{text}` cannot be set: the world keeps the object `~{text}` there");
            let help = format!("choose another name, such as `own_{text}`");
            self.report(Report::error(name, message).with_help(help));
        } else if self.locals.get(text).is_some_and(|locals| !locals.is_empty()) {
            let message = format!("`{text}` is a parameter or a `let` here, and those cannot be set");
            let help = "`!set` gives a variable of the object its value: give one of the two another name";
            self.report(Report::error(name, message).with_help(help));
        }
    }

    /// Reports an object that no world and no variable names.
    pub(super) fn check_object(&mut self, name: &str, span: Span) {
        let is_variable = |variable: &super::Variable<'_>| variable.sets > 0 || variable.declared.is_some();
        let number = self.numbers.get(name).copied();
        if RESERVED.contains(&name) || number.is_some_and(|number| is_variable(&self.variables[number as usize])) {
            return;
        }
        let is_local = self.locals.get(name).is_some_and(|locals| !locals.is_empty());
        let known = RESERVED.into_iter().chain(self.variables.iter().filter(|it| is_variable(it)).map(|it| it.name));
        let help = match closest(name, known) {
            _ if is_local => format!("a parameter or a `let` is written without `~`: `{name}`"),
            Some(found) => format!("did you mean `~{found}`?"),
            None => {
                String::from("there are `~this`, `~sender`, `~level` and `~player`, and the variables of the object")
            }
        };
        self.report(Report::error(span, format!("there is no object `~{name}`")).with_help(help));
    }

    /// `!set` of a part of a variable, or with an operator.
    pub(super) fn update(&mut self, target: NodeId, operator: Option<Operator>, value: NodeId, span: Span) -> Term {
        let name = self.tree.variable_of(target);
        let text = name.text(self.source);
        self.check_settable(name);
        let start = self.reads.len() as u32;
        let number = self.variable(text);
        let is_declared = self.variables[number as usize].declared.is_some();
        let before = self.target(target, operator.is_some(), is_declared);
        let found = self.infer(value);
        let after = match (operator, before) {
            (Some(operator), Some(before)) => self.operation(operator, (target, before), (value, found), span),
            _ => found,
        };
        self.spend(2);
        if let Some(draft) = self.around.last() {
            self.solver.effects[draft.effect as usize].is_effectful = true;
        }
        let range = (start, self.reads.len() as u32, self.around.len() as u32);
        self.variables[number as usize].read.push(range);
        // A variable without a declaration may come to hold other types: then it is `any`.
        let whole = match before {
            Some(before) if is_declared => {
                self.fit(value, after, before, "");
                before
            }
            Some(before) if self.solver.accept(after, before) => self.term_of(number),
            _ => ANY,
        };
        self.sets.push((number, whole));
        if let Some(schema) = self.setting.schema
            && !is_declared
        {
            self.undeclared(schema, name);
        }
        after
    }

    /// The type of the part that is to be set; none if a set adds it.
    fn target(&mut self, target: NodeId, is_read: bool, is_declared: bool) -> Option<Term> {
        let node = *self.tree.node(target);
        match node.expression {
            Expression::Group(inner) => self.target(inner, is_read, is_declared),
            Expression::Field(of, name) => {
                let whole = self.target(of, true, is_declared)?;
                self.check_own(of, whole);
                self.spend(1);
                let text = name.text(self.source);
                if let Cell::Record { start, count, is_open } = self.solver.cell(whole) {
                    let number = self.solver.name(text);
                    let field = self.solver.field(start, count, number);
                    if field.is_none() && (is_declared || is_read) && !is_open && !text.is_empty() {
                        self.no_field(name, start, count);
                    }
                    return field;
                }
                Some(self.field_of(of, whole, name, node.span))
            }
            Expression::Index(of, index) => {
                let whole = self.target(of, true, is_declared)?;
                self.check_own(of, whole);
                self.spend(1);
                let at = self.infer(index);
                Some(self.element(of, whole, index, at))
            }
            _ => {
                // A local of the same name was reported; the variable is meant.
                let text = node.span.text(self.source);
                self.spend(1);
                let number = self.variable(text);
                self.reads.push((number, self.around.len() as u32));
                Some(self.variables[number as usize].declared.unwrap_or_else(|| self.term_of(number)))
            }
        }
    }

    /// Reports the set of a part of something that has no parts of its own: of another object, a number, a string.
    fn check_own(&mut self, of: NodeId, whole: Term) {
        match self.solver.root(whole) {
            HANDLE => {
                let message = "an object sets its own variables only";
                let name = self.tree.node(of).span.text(self.source);
                let help = format!("send the other a message, and let it set them: `!Send({name}, \"repair\", 3)`");
                self.report(Report::error(self.inner(of), message).with_help(help));
            }
            NUMBER | IDENTIFIER | TRUTH | STRING => {
                let words = self.words(whole);
                let help = "only records, lists and vectors have parts";
                self.report(Report::error(self.inner(of), format!("{words} has no parts to set")).with_help(help));
            }
            _ => {}
        }
    }
}
