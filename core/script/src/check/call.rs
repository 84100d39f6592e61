//! Calls: of lambdas, built-ins, queries and effects.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::lambda_fact::{ELEMENTS_GUESSED, UNKNOWN_CALL_COST};
use super::solve::{ANY, Cell, IDENTIFIER, MASK_LAMBDA, NUMBER, SOME_LAMBDA, TRUTH, Term, mask};
use super::{Checker, Purity};
use crate::ast::{Expression, Items, NodeId};
use crate::builtin::{self, BUILTINS};
use crate::effect;
use crate::meaning::Meaning;
use crate::query::{self, RecordArgument};
use crate::report::{Report, closest};
use crate::source::Span;
use crate::types::{Lambda, Signature, Type};

/// A built-in or a query, as far as the checker is concerned.
struct CalledRow<'a> {
    name: &'a str,
    signature: &'a str,
    cost: u32,
    records: &'a [RecordArgument],
    /// Its place among the parsed signatures.
    number: usize,
}

impl<'a> Checker<'a> {
    pub(super) fn call(&mut self, callee: NodeId, arguments: Items, span: Span) -> Term {
        let node = *self.tree.node(callee);
        let name = node.span.text(self.source);
        if node.expression == Expression::Name
            && self.is_free(name)
            && let Some(row) = self.row(name)
        {
            return self.call_row(&row, arguments);
        }
        let term = self.infer(callee);
        let found: Vec<Term> = self.tree.items(arguments).iter().map(|argument| self.infer(*argument)).collect();
        self.spend(self.cost_of(callee).saturating_add(1 + found.len() as u32));
        match self.solver.cell(term) {
            Cell::Lambda { start, count, result, effect, is_guessed } => {
                self.does(effect);
                if is_guessed {
                    self.call_again(start, count, &found, span);
                } else {
                    self.fit_arguments(callee, arguments, &found, (start, count), span);
                }
                result
            }
            Cell::Unknown { .. } => {
                if !self.want(callee, term, MASK_LAMBDA) {
                    return ANY;
                }
                let (result, effect) = (self.solver.unknown(), self.solver.effect());
                let expected = self.solver.lambda(&found, result, effect, true);
                self.fit(callee, term, expected, "");
                self.does(effect);
                if let Some(draft) = self.around.last_mut() {
                    draft.calls_given = true;
                }
                result
            }
            _ => {
                if self.solver.mask(term) & MASK_LAMBDA == 0 {
                    let words = self.words(term);
                    let help = match self.solver.cell(term) {
                        Cell::List(_) => {
                            "a list is evaluated where it stands; `do [ … ]` evaluates its elements in order"
                        }
                        _ => "only lambdas can be called",
                    };
                    self.report(
                        Report::error(node.span, format!("this is {words}, and cannot be called")).with_help(help),
                    );
                } else if let Some(draft) = self.around.last() {
                    self.solver.effects[draft.effect as usize].is_unknown = true;
                }
                ANY
            }
        }
    }

    /// The built-in or the query of a name.
    fn row(&self, name: &str) -> Option<CalledRow<'a>> {
        if let Some((number, row)) = builtin::find(name) {
            let (name, signature, cost) = (row.name, row.signature, row.cost);
            return Some(CalledRow { name, signature, cost, records: &[], number: number as usize });
        }
        let (number, row) = query::find(self.setting.queries, name)?;
        let (name, signature, cost, records) = (row.name, row.signature, row.cost, row.records);
        Some(CalledRow { name, signature, cost, records, number: BUILTINS.len() + number as usize })
    }

    /// The type of a built-in or a query as a value.
    pub(super) fn built_in(&mut self, name: &str) -> Term {
        let signature = self.row(name).and_then(|row| Signature::parse(row.signature).ok());
        let Some(Signature { parameters, optional, rest: None, result, .. }) = signature else { return ANY };
        if !optional.is_empty() {
            return SOME_LAMBDA;
        }
        let mut letters = Vec::new();
        let lambda = Type::Lambda(Box::new(Lambda { parameters, result, is_effectful: false }));
        let term = self.solver.term(&lambda, &mut letters);
        self.solver.fix_soft_terms(&letters);
        term
    }

    /// Whether a name is neither a local nor a variable.
    fn is_free(&self, name: &str) -> bool {
        let is_local = self.locals.get(name).is_some_and(|locals| !locals.is_empty());
        let is_variable = self.numbers.get(name).is_some_and(|number| {
            let variable = &self.variables[*number as usize];
            variable.sets > 0 || variable.declared.is_some()
        });
        !is_local && !is_variable
    }

    /// Adds the effect of a callee to the enclosing lambda.
    fn does(&mut self, effect: u32) {
        if let Some(draft) = self.around.last() {
            let own = draft.effect;
            self.solver.follows(effect, own);
        }
    }

    /// The cost of a callee beyond the call itself.
    fn cost_of(&self, callee: NodeId) -> u32 {
        let node = self.tree.node(callee);
        match node.expression {
            Expression::Name if !self.is_free(node.span.text(self.source)) => {
                let number = self.numbers.get(node.span.text(self.source));
                let cost = number.map_or(0, |number| self.variables[*number as usize].cost);
                if cost == 0 { UNKNOWN_CALL_COST } else { cost }
            }
            Expression::Lambda { .. } | Expression::Body(_) => {
                self.drafts.last().filter(|draft| draft.node == callee).map_or(0, |draft| draft.cost)
            }
            _ => UNKNOWN_CALL_COST,
        }
    }

    /// Another call of a parameter: its argument types are joined with those of earlier calls.
    fn call_again(&mut self, start: u32, count: u32, found: &[Term], span: Span) {
        for (index, argument) in found.iter().enumerate().take(count as usize) {
            let before = self.solver.parameter(start, index as u32);
            self.solver.parameters[start as usize + index] = self.solver.join(before, *argument, span);
        }
    }

    fn fit_arguments(&mut self, callee: NodeId, arguments: Items, found: &[Term], lambda: (u32, u32), span: Span) {
        let (start, count) = lambda;
        let items = self.tree.items(arguments);
        let name = self.tree.node(callee).span.text(self.source);
        let is_name = self.tree.node(callee).expression == Expression::Name;
        let called = if is_name { format!("`{name}`") } else { String::from("this lambda") };
        let plural = |count: usize| if count == 1 { "1 argument".into() } else { format!("{count} arguments") };
        for (index, (item, found)) in items.iter().zip(found).enumerate().take(count as usize) {
            let parameter = self.solver.parameter(start, index as u32);
            if !self.solver.accept(*found, parameter) {
                let help = format!("this is how {called} uses its argument {}", index + 1);
                self.mismatch(self.tree.node(*item).span, *found, parameter, &help);
            }
            if let Cell::Lambda { effect, .. } = self.solver.cell(parameter)
                && self.solver.effects[effect as usize].must_be_pure
            {
                let message = format!("{called} was given a lambda with effects");
                let help = format!("{called} passes it to a built-in, which accepts only pure lambdas");
                self.purities.push(Purity { effect, span: self.tree.node(*item).span, message, help });
            }
        }
        if let Some(extra) = items.get(count as usize) {
            let message = format!("{called} takes {}, found {}", plural(count as usize), items.len());
            self.report(Report::error(self.tree.node(*extra).span, message).with_help("remove the surplus arguments"));
        } else if items.len() < count as usize && self.misses(callee, items.len()) {
            let message = format!("{called} takes {}, found {}", plural(count as usize), items.len());
            self.report(Report::warning(span, message).with_help("missing arguments are `nothing`"));
        }
    }

    fn call_row(&mut self, row: &CalledRow<'_>, arguments: Items) -> Term {
        let items = self.tree.items(arguments);
        let mut cost = row.cost;
        let known = self.signatures[row.number].take();
        let signature = known.or_else(|| Signature::parse(row.signature).ok());
        let mut letters = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let drafts = self.drafts.len();
            let parameter = signature.as_ref().and_then(|signature| signature.parameter(index));
            if let Some(parameter @ Type::Lambda(_)) = parameter {
                let expected = self.solver.term(parameter, &mut letters);
                self.predict_parameters(*item, parameter, expected);
                let found = self.infer(*item);
                let inner = self.drafts[drafts..].last().map_or_else(|| self.cost_of(*item), |draft| draft.cost);
                cost = cost.saturating_add(inner.saturating_mul(ELEMENTS_GUESSED));
                self.check_lambda_argument(row.name, row.signature, *item, found, expected);
                continue;
            }
            let found = self.infer(*item);
            let Some(parameter) = parameter else { continue };
            if let Some(record) = row.records.iter().find(|record| record.index == index) {
                self.mean(*item, Meaning::Record(record.what, record.fields, record.means), arguments);
            }
            match row.name {
                "number" | "identifier" => {
                    self.want(*item, found, mask(&[NUMBER, IDENTIFIER]));
                    continue;
                }
                // A script that tests the kind expects several.
                "kind" => {
                    if matches!(self.solver.cell(found), Cell::Unknown { .. }) {
                        self.solver.settle(found);
                    }
                    continue;
                }
                _ => {}
            }
            let expected = self.solver.term(parameter, &mut letters);
            self.fit(*item, found, expected, row.signature);
        }
        self.spend(cost.saturating_add(1));
        let result = signature.as_ref().map_or(ANY, |signature| self.solver.term(&signature.result, &mut letters));
        self.solver.fix_soft_terms(&letters);
        self.signatures[row.number] = signature;
        result
    }

    /// Checks that a record in an argument of a query has only known fields.
    pub(super) fn fields(&mut self, item: NodeId, what: &str, all: &[&str]) {
        let Expression::Record(names, _) = self.tree.node(item).expression else { return };
        for name in self.tree.names(names) {
            let text = name.span.text(self.source);
            if !all.contains(&text) {
                let all = || all.iter().copied().filter(|field| !field.is_empty());
                let known = || format!("{what} has {}", all().collect::<Vec<_>>().join(", "));
                let closest = closest(text, all());
                let help = closest.map_or_else(known, |found| format!("did you mean `{found}`?"));
                self.report(Report::error(name.span, format!("{what} has no field `{text}`")).with_help(help));
            }
        }
    }

    /// A lambda that is passed to a built-in: it must accept the arguments, and be pure.
    fn check_lambda_argument(&mut self, name: &str, signature: &str, item: NodeId, found: Term, expected: Term) {
        let span = self.tree.node(item).span;
        if let Cell::Lambda { effect, .. } = self.solver.cell(expected) {
            let message = format!("`{name}` was given a lambda with effects");
            let help = String::from("built-ins accept only pure lambdas: without `!` calls and without `!set`");
            self.does(effect);
            self.solver.effects[effect as usize].must_be_pure = true;
            self.purities.push(Purity { effect, span, message, help });
        }
        if let (Cell::Lambda { count, is_guessed: false, .. }, Cell::Lambda { count: given, .. }) =
            (self.solver.cell(found), self.solver.cell(expected))
            && count != given
        {
            let plural = |count: u32| if count == 1 { "1 argument".into() } else { format!("{count} arguments") };
            let message = format!("this lambda takes {}, but `{name}` gives it {given}", plural(count));
            if count < given {
                self.report(Report::error(span, message).with_help(signature));
                return;
            }
            self.report(Report::warning(span, message).with_help("missing arguments are `nothing`"));
        }
        // If only its result is wrong, the report points there.
        if let (Cell::Lambda { result, .. }, Cell::Lambda { result: wanted, .. }) =
            (self.solver.cell(found), self.solver.cell(expected))
            && let Some(Expression::Lambda { body, .. }) = self.lambda_of(item).map(|id| self.tree.node(id).expression)
            && matches!(self.solver.root(wanted), NUMBER | TRUTH)
            && !matches!(self.solver.cell(result), Cell::Unknown { .. })
            && !self.solver.accept(result, wanted)
        {
            self.mismatch(self.inner(body), result, wanted, signature);
            return;
        }
        self.fit(item, found, expected, signature);
    }

    pub(super) fn effect(&mut self, name: Span, arguments: Items, span: Span) -> Term {
        let text = name.text(self.source);
        if let Some(draft) = self.around.last() {
            self.solver.effects[draft.effect as usize].is_effectful = true;
        }
        let items = self.tree.items(arguments);
        self.spend(2 + items.len() as u32);
        let row = effect::find(self.setting.effects, text);
        let signature = row.and_then(|row| row.signature().ok());
        if row.is_none() && !self.setting.accepts_unknown_effects {
            // A game may have effects that are not in these tables: only a probable misspelling is an error.
            self.report(match closest(text, effect::names(self.setting.effects)) {
                Some(found) => Report::error(name, format!("there is no effect `!{text}`"))
                    .with_help(format!("did you mean `!{found}`?")),
                None => Report::warning(name, format!("`!{text}` is not a known effect"))
                    .with_help("the game that runs this must know it"),
            });
        }
        let shown = row.map_or(String::new(), |row| format!("!{}", row.signature));
        let mut letters = Vec::new();
        for (index, item) in items.iter().enumerate() {
            let parameter = signature.as_ref().and_then(|signature| signature.parameter(index));
            let expected = parameter.map(|parameter| self.solver.term(parameter, &mut letters));
            if let (Some(parameter), Some(expected)) = (parameter, expected) {
                self.predict_parameters(*item, parameter, expected);
            }
            let found = self.infer(*item);
            if let Some(meaning) = row.and_then(|row| row.meaning(index)) {
                self.mean(*item, meaning, arguments);
            }
            let Some(expected) = expected else { continue };
            if matches!(parameter, Some(Type::Lambda(_) | Type::SomeLambda)) && self.check_callback(text, *item, index)
            {
                continue;
            }
            self.fit(*item, found, expected, &shown);
        }
        let Some(signature) = signature else { return ANY };
        if !signature.takes(items.len()) {
            let message = format!("`!{text}` takes {}, found {}", signature.expected(), items.len());
            self.report(Report::error(span, message).with_help(shown));
        }
        let result = self.solver.term(&signature.result, &mut letters);
        self.solver.fix_soft_terms(&letters);
        result
    }
}
