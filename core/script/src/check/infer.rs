//! Inference: the type, effect and cost of every expression.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::lambda_fact::LambdaDraft;
use super::solve::{
    ANY, Cell, Constraint, ConstraintKind, HANDLE, IDENTIFIER, MASK_ALL, MASK_LIST, MASK_RECORD, MASK_REFERENCE, Mask,
    NOTHING, NUMBER, STRING, TRUTH, Term, VECTOR, mask,
};
use super::{Checker, Known, Local, Purity};
use crate::ast::{Caching, Expression, GivenName, Items, Names, NodeId, Operator};
use crate::builtin;
use crate::compile::unquoted;
use crate::meaning::Meaning;
use crate::parse::REPORTS_MAX;
use crate::query;
use crate::report::{Report, closest};
use crate::schema::{DeclaredVariable, Schema};
use crate::source::Span;
use crate::types::{Type, WORDS};

const SUMMED: Mask = mask(&[NUMBER, IDENTIFIER, VECTOR]);
const COMPARED: Mask = mask(&[NUMBER, IDENTIFIER]);
const SCALED: Mask = mask(&[NUMBER, VECTOR]);

impl<'a> Checker<'a> {
    /// Infers the type of an expression. Reports its type errors, and adds its cost.
    pub(super) fn infer(&mut self, id: NodeId) -> Term {
        let term = self.infer_node(id);
        if self.dropped[id.0 as usize] {
            self.warn_of_idle_lambda(id, term);
        }
        term
    }

    fn infer_node(&mut self, id: NodeId) -> Term {
        let node = *self.tree.node(id);
        let span = node.span;
        match node.expression {
            Expression::Number(_) => self.constant(NUMBER),
            Expression::Identifier(_) => self.constant(IDENTIFIER),
            Expression::String => self.constant(STRING),
            Expression::Truth(_) => self.constant(TRUTH),
            Expression::Nothing => self.constant(NOTHING),
            Expression::Missing => ANY,
            Expression::Name => self.name(span),
            Expression::Object => {
                let name = &span.text(self.source)[1..];
                self.check_object(name, span);
                let _ = self.read(name);
                HANDLE
            }
            Expression::Do(items) => self.sequence(items),
            Expression::Text(items) => {
                self.sequence(items);
                self.spend(2 + 2 * self.tree.items(items).len() as u32);
                // It stands where a string may stand too.
                ANY
            }
            Expression::Group(inner) => self.infer(inner),
            Expression::List(items) => {
                let mut of = NOTHING;
                for item in self.tree.items(items) {
                    let element = self.infer(*item);
                    of = self.solver.join(of, element, self.tree.node(*item).span);
                }
                self.spend(1);
                self.solver.add(Cell::List(of))
            }
            Expression::Record(names, items) => {
                let mut fields: Vec<(u32, Term)> = Vec::new();
                for (name, item) in self.tree.names(names).iter().zip(self.tree.items(items)) {
                    let value = self.infer(*item);
                    let text = name.span.text(self.source);
                    if !text.is_empty() {
                        fields.push((self.solver.name(text), value));
                    }
                }
                self.spend(1 + fields.len() as u32);
                self.solver.record(&fields, false)
            }
            Expression::Lambda { .. } if span.text(self.source).starts_with('"') => {
                // A text of a field: the field takes strings, or lambdas.
                self.lambda(id, "");
                ANY
            }
            Expression::Lambda { .. } | Expression::Body(_) => self.lambda(id, ""),
            Expression::Call(callee, arguments) => self.call(callee, arguments, span),
            Expression::Effect(name, arguments) => self.effect(name, arguments, span),
            Expression::Set(name, value) => self.set(name, value),
            Expression::Update(target, operator, value) => self.update(target, operator, value, span),
            Expression::Index(of, index) => self.index(of, index),
            Expression::Field(of, name) => self.field(of, name, span),
            Expression::Negate(of) => {
                let term = self.infer(of);
                self.want(of, term, SUMMED);
                self.spend(1);
                term
            }
            Expression::Not(of) => {
                self.condition(of);
                self.spend(1);
                TRUTH
            }
            Expression::Binary(operator, left, right) => self.binary(operator, left, right, span),
            Expression::If(condition, then, otherwise) => {
                self.condition(condition);
                self.spend(2);
                let cost = self.around.last().map_or(0, |draft| draft.cost);
                let one = self.branch(then);
                let with_then = self.around.last_mut().map_or(0, |draft| core::mem::replace(&mut draft.cost, cost));
                let other = otherwise.map_or(NOTHING, |otherwise| self.branch(otherwise));
                if let Some(draft) = self.around.last_mut() {
                    draft.cost = draft.cost.max(with_then);
                }
                self.solver.join(one, other, span)
            }
            Expression::Let(names, values, body) => self.let_in(names, values, body),
        }
    }

    fn constant(&mut self, term: Term) -> Term {
        self.spend(1);
        term
    }

    pub(super) fn spend(&mut self, cost: u32) {
        if let Some(draft) = self.around.last_mut() {
            draft.cost = draft.cost.saturating_add(cost);
        }
    }

    /// Infers an expression in a separate branch.
    fn branch(&mut self, id: NodeId) -> Term {
        let outer = self.solver.enter_branch();
        let term = self.infer(id);
        self.solver.path = outer;
        term
    }

    fn name(&mut self, span: Span) -> Term {
        let name = span.text(self.source);
        if let Some(local) = self.locals.get(name).and_then(|locals| locals.last()) {
            let (known, depth) = (local.known.clone(), local.depth);
            if let Some(draft) = self.around.last_mut() {
                draft.outermost = draft.outermost.min(depth);
            }
            return self.use_of(&known, span);
        }
        self.spend(1);
        let Some(number) = self.read(name) else { return self.built_in(name) };
        let variable = &self.variables[number as usize];
        let known = variable.declared.map_or_else(|| variable.known.clone(), Known::Term);
        self.use_of(&known, span)
    }

    /// Records the read of a variable.
    pub(super) fn read(&mut self, name: &'a str) -> Option<u32> {
        let is_known = self.numbers.contains_key(name);
        let is_built_in = || builtin::find(name).is_some() || query::find(self.setting.queries, name).is_some();
        if !is_known && is_built_in() {
            return None;
        }
        let number = self.variable(name);
        self.reads.push((number, self.around.len() as u32));
        Some(number)
    }

    fn use_of(&mut self, known: &Known, span: Span) -> Term {
        match known {
            Known::No => ANY,
            Known::Term(term) => *term,
            Known::Scheme(scheme) => self.solver.instantiate(scheme, span),
        }
    }

    /// The type of a lambda or a body before its body is inferred.
    pub(super) fn lay_out(&mut self, id: NodeId) -> Term {
        let mut parameters = Vec::new();
        if let Expression::Lambda { parameters: names, .. } = self.tree.node(id).expression {
            for name in self.tree.names(names) {
                let parameter = self.given(name).unwrap_or_else(|| self.solver.unknown());
                parameters.push(parameter);
            }
        }
        let (result, effect) = (self.solver.unknown(), self.solver.effect());
        self.solver.lambda(&parameters, result, effect, false)
    }

    /// A lambda literal as the argument of a built-in: the record types of its parameters are known before its body is
    /// inferred, except for its own result, which `fold` passes back to it.
    pub(super) fn predict_parameters(&mut self, item: NodeId, taken: &Type, expected: Term) {
        let (Type::Lambda(taken), Some(id)) = (taken, self.lambda_of(item)) else { return };
        let laid_out = self.lay_out(id);
        if let (Cell::Lambda { start, count, .. }, Cell::Lambda { start: first, .. }) =
            (self.solver.cell(laid_out), self.solver.cell(expected))
        {
            for (index, kind) in taken.parameters.iter().enumerate().take(count as usize) {
                let given = self.solver.root(self.solver.parameter(first, index as u32));
                let parameter = self.solver.parameter(start, index as u32);
                let is_record = matches!(self.solver.cell(given), Cell::Record { is_open: false, .. });
                let is_unknown = matches!(self.solver.cell(parameter), Cell::Unknown { .. });
                if is_record && is_unknown && *kind != taken.result {
                    let _ = self.solver.accept(given, parameter);
                }
            }
        }
        self.awaited.insert(id, laid_out);
    }

    /// The type annotation of a name.
    fn given(&mut self, name: &GivenName) -> Option<Term> {
        let span = name.written_type?;
        match Type::parse(span.text(self.source)) {
            Ok(written) => Some(self.solver.term(&written, &mut Vec::new())),
            Err(unread) => {
                let words = span.text(self.source).split(|letter: char| !letter.is_alphanumeric());
                let mut unknown = words.filter(|word| !word.is_empty() && *word != "of" && !WORDS.contains(word));
                let help = unknown.next().and_then(|word| closest(word, WORDS.iter().copied()));
                let help = help.map_or_else(
                    || format!("types are {}", WORDS.join(", ")),
                    |word| format!("did you mean `{word}`?"),
                );
                self.report(Report::error(span, unread.message).with_help(help));
                Some(ANY)
            }
        }
    }

    /// Infers a lambda or a body. `name` is the variable it is assigned to.
    fn lambda(&mut self, id: NodeId, name: &'a str) -> Term {
        let term = match self.awaited.remove(&id) {
            Some(term) => term,
            None => self.lay_out(id),
        };
        let Cell::Lambda { start, result, effect, .. } = self.solver.cell(term) else { return term };
        let span = self.tree.node(id).span;
        let mut draft = LambdaDraft::statement(effect);
        draft.start = self.reads.len();
        self.around.push(draft);
        let depth = self.around.len() as u32;
        let mut caching = Caching::Unsaid;
        let mut count = 0;
        let found = match self.tree.node(id).expression {
            Expression::Lambda { caching: said, parameters, body } => {
                caching = said;
                let names = self.tree.names(parameters);
                count = names.len();
                for (index, given) in names.iter().enumerate() {
                    let known = Known::Term(self.solver.parameter(start, index as u32));
                    let text = given.span.text(self.source);
                    let outer = self.locals.get(text).and_then(|locals| locals.last());
                    if outer.is_some_and(|outer| outer.depth == depth) {
                        let message = format!("the parameter `{text}` is declared twice");
                        let help = "only the last of them can be used: give them different names";
                        self.report(Report::warning(given.span, message).with_help(help));
                    }
                    self.locals.entry(given.span.text(self.source)).or_default().push(Local { known, depth });
                }
                let found = self.infer(body);
                names.iter().for_each(|given| self.forget(given.span));
                found
            }
            Expression::Body(items) => self.sequence(items),
            _ => ANY,
        };
        if !self.solver.accept(found, result) {
            self.mismatch(span, found, result, "this is how it is used elsewhere");
        }
        if caching == Caching::Cached {
            let message = String::from("this lambda is `Cached`, but it has effects");
            let help = String::from("only results are stored, not effects: remove `Cached`, or the `!` calls and sets");
            self.purities.push(Purity { effect, span, message, help });
        }
        let Some(mut draft) = self.around.pop() else { return term };
        (draft.node, draft.span, draft.term, draft.caching) = (id, span, term, caching);
        (draft.end, draft.parameters) = (self.reads.len(), count);
        draft.name = String::from(name);
        draft.captures = draft.outermost < depth;
        if let Some(outer) = self.around.last_mut() {
            outer.outermost = outer.outermost.min(draft.outermost);
        }
        self.drafts.push(draft);
        self.spend(1);
        term
    }

    /// The type of the last of several expressions.
    fn sequence(&mut self, items: Items) -> Term {
        let mut last = NOTHING;
        for item in self.tree.items(items) {
            last = self.infer(*item);
        }
        last
    }

    fn forget(&mut self, name: Span) {
        if let Some(locals) = self.locals.get_mut(name.text(self.source)) {
            locals.pop();
        }
    }

    fn let_in(&mut self, names: Names, values: Items, body: NodeId) -> Term {
        let names = self.tree.names(names);
        let depth = self.around.len() as u32;
        for (name, value) in names.iter().zip(self.tree.items(values)) {
            let text = name.span.text(self.source);
            let known = match self.lambda_of(*value) {
                Some(lambda) => {
                    let from = self.solver.constraints.len();
                    self.solver.level += 1;
                    let term = self.lambda(lambda, text);
                    self.solver.level -= 1;
                    Known::Scheme(self.solver.generalise(term, from))
                }
                None => Known::Term(self.infer(*value)),
            };
            let known = match (self.given(name), known) {
                (Some(written), Known::Term(found)) => {
                    self.fit(*value, found, written, "");
                    Known::Term(written)
                }
                (_, known) => known,
            };
            self.locals.entry(text).or_default().push(Local { known, depth });
        }
        let term = self.infer(body);
        names.iter().for_each(|name| self.forget(name.span));
        term
    }

    /// `!set name value`.
    fn set(&mut self, name: Span, value: NodeId) -> Term {
        let text = name.text(self.source);
        self.check_settable(name);
        self.mention_handler(name);
        let start = self.reads.len() as u32;
        let drafts = self.drafts.len();
        let term = match self.lambda_of(value) {
            Some(lambda) => {
                self.predict_handler(lambda, text);
                self.lambda(lambda, text)
            }
            None => {
                let awaited = self.await_results(text, value);
                let term = self.infer(value);
                self.check_results(awaited);
                term
            }
        };
        self.spend(1);
        if let Some(draft) = self.around.last() {
            self.solver.effects[draft.effect as usize].is_effectful = true;
        }
        let number = self.variable(text);
        let cost = self.drafts[drafts..].iter().map(|draft| draft.cost).max().unwrap_or(0);
        let range = (start, self.reads.len() as u32, self.around.len() as u32);
        let variable = &mut self.variables[number as usize];
        variable.read.push(range);
        variable.cost = variable.cost.max(cost);
        self.sets.push((number, term));
        if let Some(schema) = self.setting.schema {
            self.fit_schema(schema, name, value, term);
        }
        term
    }

    /// Checks a set against the declaration of the variable.
    fn fit_schema(&mut self, schema: &'a Schema, name: Span, value: NodeId, term: Term) {
        let text = name.text(self.source);
        let Some(variable) = self.declared(schema, text) else { return self.undeclared(schema, name) };
        let number = self.variable(text);
        let declared = self.variables[number as usize].declared.unwrap_or(ANY);
        let help = format!("`{text}` is {} in the class `{}`", variable.kind, schema.name);
        match self.solver.cell(term) {
            Cell::Lambda { result, effect, .. } if variable.allows_formula => {
                self.fit(value, result, declared, &help);
                let message = format!("the formula of `{text}` has effects");
                let help = String::from(
                    "a formula is evaluated whenever its value is read: it may not call `!` or set anything",
                );
                self.purities.push(Purity { effect, span: self.tree.node(value).span, message, help });
            }
            _ => self.fit(value, term, declared, &help),
        }
        self.fit_fields(value, declared);
        let literal = match self.tree.node(value).expression {
            Expression::Number(number) => Some(number),
            Expression::Negate(of) => match self.tree.node(of).expression {
                Expression::Number(number) => Some(-number),
                _ => None,
            },
            _ => None,
        };
        if let (Some((min, max)), Some(number)) = (variable.range, literal)
            && (number < min || number > max)
        {
            let message = format!("{number} is outside the range of `{text}`: {min} to {max}");
            self.report(Report::error(self.tree.node(value).span, message));
        }
    }

    /// The declaration of a variable. Those of the schema are numbered first, unless it names one twice.
    pub(super) fn declared(&mut self, schema: &'a Schema, text: &'a str) -> Option<&'a DeclaredVariable> {
        let number = self.variable(text);
        let variable = &self.variables[number as usize];
        let is_declared = variable.declared.is_some() || variable.is_added;
        let numbered = schema.variables.get(number as usize).filter(|variable| variable.name == text);
        if is_declared { numbered.or_else(|| schema.variable(text)) } else { None }
    }

    /// Reports the set of a variable that the class does not have.
    pub(super) fn undeclared(&mut self, schema: &Schema, name: Span) {
        if self.reports.len() >= REPORTS_MAX {
            return;
        }
        let text = name.text(self.source);
        let help = closest(text, schema.names()).map_or_else(
            || format!("add it to the attributes of the header of `{}`", schema.name),
            |found| format!("did you mean `{found}`?"),
        );
        let message = format!("`{text}` is not a variable of the class `{}`", schema.name);
        self.report(Report::error(name, message).with_help(help));
    }

    fn condition(&mut self, id: NodeId) {
        let term = self.infer(id);
        self.want(id, term, mask(&[TRUTH]));
    }

    /// Constrains an expression to these kinds, and reports an error.
    pub(super) fn want(&mut self, id: NodeId, term: Term, allowed: Mask) -> bool {
        let fits = self.solver.restrict(term, allowed);
        if !fits {
            let expected = self.solver.unknown_of(allowed);
            self.mismatch(self.inner(id), term, expected, "");
        }
        fits
    }

    /// Constrains an expression to a type, and reports an error.
    pub(super) fn fit(&mut self, id: NodeId, found: Term, expected: Term, help: &str) {
        if !self.solver.accept(found, expected) {
            self.mismatch(self.inner(id), found, expected, help);
        }
    }

    /// The span of an expression without brackets around it.
    pub(super) fn inner(&self, mut id: NodeId) -> Span {
        while let Expression::Group(inner) = self.tree.node(id).expression {
            id = inner;
        }
        self.tree.node(id).span
    }

    fn index(&mut self, of: NodeId, index: NodeId) -> Term {
        let whole = self.infer(of);
        let at = self.infer(index);
        self.spend(1);
        self.element(of, whole, index, at)
    }

    /// The type of an element of a list, or of a field that is named by a string.
    pub(super) fn element(&mut self, of: NodeId, whole: Term, index: NodeId, at: Term) -> Term {
        let is_name = self.solver.root(at) == STRING;
        match self.solver.cell(whole) {
            Cell::Record { start, count, .. } => {
                self.want(index, at, mask(&[STRING]));
                let literal = (self.tree.node(index).expression == Expression::String).then(|| {
                    let name = unquoted(self.tree.node(index).span.text(self.source));
                    self.solver.name(&name)
                });
                literal.and_then(|name| self.solver.field(start, count, name)).unwrap_or(ANY)
            }
            Cell::List(element) => {
                self.want(index, at, COMPARED);
                element
            }
            _ if is_name => {
                self.want(of, whole, MASK_RECORD | MASK_REFERENCE | mask(&[HANDLE, VECTOR]));
                ANY
            }
            // Either a list or a record.
            Cell::Unknown { .. } if matches!(self.solver.cell(at), Cell::Unknown { .. }) => {
                self.want(of, whole, MASK_LIST | MASK_RECORD | MASK_REFERENCE | mask(&[HANDLE, VECTOR]));
                self.want(index, at, COMPARED | mask(&[STRING]));
                ANY
            }
            Cell::Unknown { .. } => {
                self.want(index, at, COMPARED);
                let element = self.solver.unknown();
                let expected = self.solver.add(Cell::List(element));
                self.fit(of, whole, expected, "");
                element
            }
            _ => {
                self.want(index, at, COMPARED);
                self.want(of, whole, MASK_LIST);
                ANY
            }
        }
    }

    fn field(&mut self, of: NodeId, name: Span, span: Span) -> Term {
        let term = self.infer(of);
        self.spend(1);
        self.field_of(of, term, name, span)
    }

    /// The type of a field of an expression.
    pub(super) fn field_of(&mut self, of: NodeId, term: Term, name: Span, span: Span) -> Term {
        let text = name.text(self.source);
        let number = self.solver.name(text);
        let root = self.solver.root(term);
        let is_axis = matches!(text, "x" | "y" | "z");
        match self.solver.cell(term) {
            Cell::Record { start, count, is_open } => match self.solver.field(start, count, number) {
                Some(field) => field,
                None if is_open || text.is_empty() => ANY,
                None => {
                    self.no_field(name, start, count);
                    ANY
                }
            },
            Cell::Atom if root == VECTOR => {
                if !is_axis && !text.is_empty() {
                    let message = format!("a vector has no field `{text}`");
                    self.report(Report::error(name, message).with_help("it has x, y and z"));
                }
                NUMBER
            }
            Cell::Unknown { .. } => {
                let vector = if is_axis { mask(&[VECTOR]) } else { 0 };
                if !self.want(of, term, MASK_RECORD | MASK_REFERENCE | mask(&[HANDLE]) | vector) {
                    return ANY;
                }
                let result = self.solver.unknown();
                let kind = ConstraintKind::Field;
                self.solver.ask(Constraint { kind, left: term, right: number, result, span });
                result
            }
            Cell::Reference(_) => ANY,
            Cell::Atom if root == HANDLE => {
                self.mention(Meaning::Variable, name, String::from(text), String::new());
                ANY
            }
            _ => {
                if self.solver.mask(term) != MASK_ALL {
                    self.want(of, term, MASK_RECORD | mask(&[HANDLE]));
                }
                ANY
            }
        }
    }

    /// Reports an unknown field of a record.
    pub(super) fn no_field(&mut self, name: Span, start: u32, count: u32) {
        let text = name.text(self.source);
        let fields = (start..start + count).map(|index| self.solver.text(self.solver.fields[index as usize].0));
        let known: Vec<&str> = fields.collect();
        let help = match closest(text, known.iter().copied()) {
            Some(found) => format!("did you mean `{found}`?"),
            None if known.is_empty() => String::from("it has no fields at all"),
            None => format!("it has {}", known.iter().take(8).copied().collect::<Vec<_>>().join(", ")),
        };
        self.report(Report::error(name, format!("this record has no field `{text}`")).with_help(help));
    }

    /// Checks that record literals have only declared fields.
    fn fit_fields(&mut self, value: NodeId, declared: Term) {
        match (self.tree.node(value).expression, self.solver.cell(declared)) {
            (Expression::Group(inner), _) => self.fit_fields(inner, declared),
            (Expression::List(items), Cell::List(of)) => {
                self.tree.items(items).iter().for_each(|item| self.fit_fields(*item, of));
            }
            (Expression::Record(names, items), Cell::Record { start, count, is_open: false }) => {
                for (name, item) in self.tree.names(names).iter().zip(self.tree.items(items)) {
                    let number = self.solver.name(name.span.text(self.source));
                    match self.solver.field(start, count, number) {
                        Some(field) => self.fit_fields(*item, field),
                        None => self.no_field(name.span, start, count),
                    }
                }
            }
            _ => {}
        }
    }

    fn binary(&mut self, operator: Operator, left: NodeId, right: NodeId, span: Span) -> Term {
        if matches!(operator, Operator::And | Operator::Or) {
            self.condition(left);
            let outer = self.solver.enter_branch();
            self.condition(right);
            self.solver.path = outer;
            self.spend(1);
            return TRUTH;
        }
        let (one, two) = (self.infer(left), self.infer(right));
        self.spend(1);
        self.operation(operator, (left, one), (right, two), span)
    }

    /// The type of an operator between two operands.
    pub(super) fn operation(
        &mut self,
        operator: Operator,
        (left, one): (NodeId, Term),
        (right, two): (NodeId, Term),
        span: Span,
    ) -> Term {
        use Operator::*;
        match operator {
            Equal | Unequal => self.compare(operator, one, two, span),
            Less | Greater | LessEqual | GreaterEqual => {
                self.alike(left, one, right, two, COMPARED);
                TRUTH
            }
            Add if self.solver.root(one) == STRING => {
                let expected = self.solver.unknown_of(SUMMED);
                let help = "strings are not joined: a text has values in braces, as in `!Log(\"{name}: {hull}\")`";
                self.mismatch(self.inner(left), one, expected, help);
                ANY
            }
            Add | Subtract => {
                self.alike(left, one, right, two, SUMMED);
                if self.solver.root(one) <= NOTHING { two } else { one }
            }
            Remainder => {
                self.want(left, one, mask(&[NUMBER]));
                self.want(right, two, mask(&[NUMBER]));
                NUMBER
            }
            Divide => {
                let is_good = self.want(left, one, SCALED);
                self.want(right, two, mask(&[NUMBER]));
                match self.solver.root(one) {
                    NOTHING => NUMBER,
                    _ if is_good => one,
                    _ => ANY,
                }
            }
            Multiply => {
                if !self.want(left, one, SCALED) || !self.want(right, two, SCALED) {
                    return ANY;
                }
                let result = self.solver.unknown_of(SCALED);
                let span = self.inner(right);
                self.solver.ask(Constraint { kind: ConstraintKind::Multiply, left: one, right: two, result, span });
                result
            }
            Or | And => TRUTH,
        }
    }

    /// Constrains both operands to one of these kinds, and to the same.
    fn alike(&mut self, left: NodeId, one: Term, right: NodeId, two: Term, allowed: Mask) {
        let is_good = self.want(left, one, allowed);
        let is_known = self.solver.root(one) > NOTHING && self.solver.mask(one).is_power_of_two();
        if is_good && (is_known || self.want(right, two, allowed)) {
            self.fit(right, two, one, "both operands must be of the same kind");
        }
    }

    /// `=` and `<>` take anything; values of different kinds are never equal, so comparing them is a warning.
    fn compare(&mut self, operator: Operator, one: Term, two: Term, span: Span) -> Term {
        let (left, right) = (self.solver.root(one), self.solver.root(two));
        let is_plain = |term: Term| (NUMBER..=VECTOR).contains(&term);
        if is_plain(left) && is_plain(right) && left != right {
            let (left, right) = (self.words(left), self.words(right));
            let always = if operator == Operator::Equal { "never" } else { "always" };
            let message = format!("{left} and {right} are never equal, so this {always} holds");
            let help = match (self.solver.root(one), self.solver.root(two)) {
                (NUMBER, IDENTIFIER) | (IDENTIFIER, NUMBER) => "identifiers are written with `#`, numbers without",
                _ => "compare values of one kind",
            };
            self.report(Report::warning(span, message).with_help(help));
        }
        TRUTH
    }
}
