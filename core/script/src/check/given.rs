//! What lambdas are called with: handlers and callbacks by the engine, and others by their callers.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::Checker;
use super::solve::{Cell, Term};
use crate::ast::{Expression, NodeId};
use crate::effect;
use crate::handler::{self, Handler};
use crate::report::Report;
use crate::types::{Lambda, Type};

/// A lambda whose result the world uses: its body, its type, and the type that is expected, as it is written.
pub(super) struct AwaitedResult {
    body: NodeId,
    term: Term,
    called: &'static str,
}

impl<'a> Checker<'a> {
    /// The parameters of a handler have the types that the world calls it with. Warns of parameters that it is never given.
    pub(super) fn predict_handler(&mut self, lambda: NodeId, name: &str) {
        let Some(handler) = handler::find(self.setting.handlers, name) else { return };
        let Ok(Type::Lambda(called)) = Type::parse(handler.called) else { return };
        self.predict(lambda, &called);
        let given: Vec<String> = called.parameters.iter().map(|kind| format!("{kind}")).collect();
        let words = match given.len() {
            0 => String::from("without arguments"),
            1 => format!("with 1 argument: {}", given[0]),
            count => format!("with {count} arguments: {}", given.join(", ")),
        };
        self.warn_of_absent(lambda, given.len(), &format!("`{name}` is called {words}"));
    }

    /// The lambdas in records of a value whose results the world uses, such as `when` of triggers: the bodies and the types of the
    /// lambdas, which are inferred with the value, and the results that are expected.
    pub(super) fn await_results(&mut self, name: &str, value: NodeId) -> Vec<AwaitedResult> {
        let of_name = |handler: &&Handler| handler.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        let handlers: Vec<Handler> = self.setting.handlers.iter().filter(of_name).copied().collect();
        let declared = self.setting.schema.and_then(|schema| schema.variable(name));
        let mut awaited = Vec::new();
        if !handlers.is_empty() && declared.is_some_and(|declared| declared.is_declared) {
            self.find_results(value, &handlers, name.len() + 1, &mut awaited);
        }
        awaited
    }

    fn find_results(&mut self, value: NodeId, handlers: &[Handler], prefix: usize, awaited: &mut Vec<AwaitedResult>) {
        match self.tree.node(value).expression {
            Expression::Group(inner) => self.find_results(inner, handlers, prefix, awaited),
            Expression::List(items) => {
                for item in self.tree.items(items) {
                    self.find_results(*item, handlers, prefix, awaited);
                }
            }
            Expression::Record(names, values) => {
                for (name, value) in self.tree.names(names).iter().zip(self.tree.items(values)) {
                    let name = name.span.text(self.source);
                    let Some(handler) = handlers.iter().find(|handler| &handler.name[prefix..] == name) else {
                        continue;
                    };
                    let Some(lambda) = self.lambda_of(*value) else { continue };
                    let Expression::Lambda { body, .. } = self.tree.node(lambda).expression else { continue };
                    let term = self.lay_out(lambda);
                    self.awaited.insert(lambda, term);
                    awaited.push(AwaitedResult { body, term, called: handler.called });
                }
            }
            _ => {}
        }
    }

    /// Checks results that were awaited.
    pub(super) fn check_results(&mut self, awaited: Vec<AwaitedResult>) {
        for AwaitedResult { body, term, called } in awaited {
            let Ok(Type::Lambda(expected)) = Type::parse(called) else { continue };
            if let Cell::Lambda { result, .. } = self.solver.cell(term) {
                let expected = self.solver.term(&expected.result, &mut Vec::new());
                self.fit(body, result, expected, "the world uses the result");
            }
        }
    }

    /// Gives the parameters of a lambda that is not inferred yet their types.
    fn predict(&mut self, lambda: NodeId, called: &Lambda) {
        let laid_out = match self.awaited.get(&lambda) {
            Some(term) => *term,
            None => self.lay_out(lambda),
        };
        if let Cell::Lambda { start, count, .. } = self.solver.cell(laid_out) {
            for (index, kind) in called.parameters.iter().enumerate().take(count as usize) {
                let parameter = self.solver.parameter(start, index as u32);
                if *kind != Type::Any && matches!(self.solver.cell(parameter), Cell::Unknown { .. }) {
                    let given = self.solver.term(kind, &mut Vec::new());
                    let _ = self.solver.accept(given, parameter);
                }
            }
        }
        self.awaited.insert(lambda, laid_out);
    }

    /// Checks what an effect is to call later. True if that is nothing that could be called, which was reported.
    pub(super) fn check_callback(&mut self, effect: &str, item: NodeId, index: usize) -> bool {
        let mut node = *self.tree.node(item);
        while let Expression::Group(inner) = node.expression {
            node = *self.tree.node(inner);
        }
        let is_done_now = match node.expression {
            Expression::Set(..) | Expression::Update(..) => true,
            Expression::Effect(name, _) => {
                let row = effect::find(self.setting.effects, name.text(self.source));
                row.and_then(|row| row.signature().ok()).is_some_and(|found| found.result == Type::Nothing)
            }
            _ => false,
        };
        if is_done_now {
            let text = node.span.text(self.source);
            let shown = if text.len() > 40 || text.contains('\n') { "…" } else { text };
            let message = format!("this is done at once, and `!{effect}` gets nothing to call");
            self.report(Report::error(node.span, message).with_help(format!("to do it later, write `[ {shown} ]`")));
            return true;
        }
        let given = match (effect, index) {
            ("After" | "Every", 1) => 0,
            ("Each" | "Spawn", _) => 1,
            _ => return false,
        };
        if let Some(lambda) = self.lambda_of(item) {
            let words = if given == 0 { "nothing" } else { "1 argument" };
            self.warn_of_absent(lambda, given, &format!("`!{effect}` gives it {words}"));
        }
        false
    }

    /// Warns of a parameter that is read and never given.
    fn warn_of_absent(&mut self, lambda: NodeId, given: usize, why: &str) {
        let Expression::Lambda { parameters, .. } = self.tree.node(lambda).expression else { return };
        for name in self.tree.names(parameters).iter().skip(given) {
            let text = name.span.text(self.source);
            if self.reads_name(lambda, text) {
                let message = format!("the parameter `{text}` is always `nothing`");
                self.report(Report::warning(name.span, message).with_help(why));
            }
        }
    }

    /// Whether a call with this many arguments leaves a parameter out that the lambda reads. True if the lambda is not known here.
    pub(super) fn misses(&self, callee: NodeId, given: usize) -> bool {
        let node = self.tree.node(callee);
        let lambda = match node.expression {
            Expression::Name => {
                let number = self.numbers.get(node.span.text(self.source));
                let definition = number.and_then(|number| self.variables[*number as usize].definition);
                let statement = definition.map(|index| self.tree.node(self.tree.statements[index as usize]).expression);
                match statement {
                    Some(Expression::Set(_, value)) => self.lambda_of(value),
                    _ => None,
                }
            }
            _ => self.lambda_of(callee),
        };
        let Some(lambda) = lambda else { return true };
        let Expression::Lambda { parameters, .. } = self.tree.node(lambda).expression else { return true };
        let mut names = self.tree.names(parameters).iter().skip(given);
        names.any(|name| self.reads_name(lambda, name.span.text(self.source)))
    }

    /// Whether a name is read in a lambda.
    fn reads_name(&self, lambda: NodeId, name: &str) -> bool {
        let span = self.tree.node(lambda).span;
        // The nodes of an expression come before it.
        let within = self.tree.nodes[..lambda.0 as usize].iter().rev();
        let mut within = within.take_while(|node| node.span.start >= span.start);
        within.any(|node| node.expression == Expression::Name && node.span.text(self.source) == name)
    }
}
