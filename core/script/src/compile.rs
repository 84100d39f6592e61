//! The bytecode compiler: name resolution, register allocation and code generation in one pass over the syntax tree.
//!
//! Laws
//! 1. An expression that cannot be compiled becomes `nothing`, and there is a report about it.
//! 2. A name resolves, in this order, to a parameter or a `let` around it, a variable of the environment, a built-in,
//!    or a query of the world.
//! 3. An inner lambda that uses names of an outer one captures their values when it is created.
//! 4. Registers are allocated as a stack: an expression leaves the allocation as it was, with its value in the target
//!    register.

mod closures;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;

use base::StringId;

use crate::analysis::BodyTable;
use crate::ast::{Caching, Expression, Items, NodeId, Operator, Tree};
use crate::builtin;
use crate::facts::Facts;
use crate::parse::REPORTS_MAX;
use crate::program::{
    CONSTANTS_MAX, FUNCTIONS_MAX, Function, INSTRUCTIONS_MAX, Instruction, Operation, Program, REGISTERS_MAX, TAIL,
    VARIABLES_MAX, WAITING, is_tail,
};
use crate::query::{self, Query};
use crate::report::{Report, closest};
use crate::source::{Lines, Span};
use crate::value::Value;

/// The longest list that is made at once. A longer one is joined from halves, so that its length is not limited by registers.
const LIST_MAX: usize = 120;

/// The number of registers in use from which a list or record becomes a function of its own, so that nesting is not limited by
/// registers.
const OUTLINE_FROM: usize = 160;

/// Compiles a source without a world, so without queries. `declared` are the variables of its class; other variables
/// that it sets are added.
pub fn compile(source: &str, tree: &Tree, declared: &[&str]) -> (Program, Vec<Report>) {
    let variables = declared.iter().map(ToString::to_string).collect();
    extend(Program { variables, ..Program::default() }, source, tree)
}

/// A program without statements, to be extended: the variables of a class, those of them that may hold a formula, and
/// the queries of the world.
pub fn begin(declared: &[&str], formulas: &[&str], queries: &'static [Query]) -> Program {
    let (mut program, _) = compile("", &crate::parse::parse(""), declared);
    program.queries = queries;
    program.formulas = formulas.iter().filter_map(|name| program.variable(name)).collect();
    program
}

/// Compiles a source into an existing program, as a console does line by line. The statements are replaced by those of
/// the source; functions stay, so that lambdas created before stay valid.
pub fn extend(mut program: Program, source: &str, tree: &Tree) -> (Program, Vec<Report>) {
    for node in &tree.nodes {
        let name = match node.expression {
            // The world sets the variables of object names: `~this`, `~sender`.
            Expression::Object => node.span.text(source).trim_start_matches('~'),
            _ => tree.set_by(node).map_or("", |name| name.text(source)),
        };
        if !name.is_empty() {
            program.add_variable(name);
        }
    }
    let can_wait = tree.nodes.iter().any(|node| matches!(node.expression, Expression::Effect(..)));
    if can_wait {
        program.add_variable(WAITING);
    }
    program.statements.clear();
    program.lines = Lines::of(source).starts().to_vec();
    let (functions, constants) = (program.functions.len(), program.constants.len());
    let mut compiler = Compiler { source, tree, program, reports: Vec::new(), functions: Vec::new() };
    for statement in &tree.statements {
        let (inputs, span) = (Inputs { parameters: &[], captured: &[] }, tree.node(*statement).span);
        let function = compiler.function("", inputs, &[*statement], Caching::Unsaid, span);
        compiler.program.statements.push(function);
    }
    assert!(compiler.functions.is_empty(), "every function was finished");
    let Compiler { mut program, mut reports, .. } = compiler;
    let is_within = program.functions.len() <= FUNCTIONS_MAX
        && program.constants.len() <= CONSTANTS_MAX
        && program.variables.len() <= VARIABLES_MAX;
    if !is_within {
        let help = "split it into several files";
        reports.push(Report::error(Span::new(0, 0), "this source is too large for one program").with_help(help));
        program.functions.truncate(functions);
        program.constants.truncate(constants);
        program.variables.truncate(VARIABLES_MAX);
        program.statements.clear();
    }
    program.number_places();
    BodyTable::default().add(&mut program);
    debug_assert_eq!(program.verify(), Ok(()));
    (program, reports)
}

struct Compiler<'a> {
    source: &'a str,
    tree: &'a Tree,
    program: Program,
    reports: Vec<Report>,
    /// The functions being compiled, outermost first.
    functions: Vec<FunctionBuilder<'a>>,
}

/// The names of a function's first registers.
#[derive(Clone, Copy)]
struct Inputs<'s, 'a> {
    parameters: &'s [&'a str],
    captured: &'s [&'a str],
}

/// A function being compiled.
#[derive(Default)]
struct FunctionBuilder<'a> {
    code: Vec<Instruction>,
    spans: Vec<Span>,
    reads: Vec<u32>,
    /// Names and their registers, innermost last.
    names: Vec<(&'a str, u8)>,
    /// The next free register.
    next: usize,
    /// The most registers used at once.
    registers: usize,
    is_effectful: bool,
    is_too_large: bool,
}

impl<'a> Compiler<'a> {
    /// Compiles a function that evaluates `parts` in order and returns the value of the last. Returns its number.
    fn function(&mut self, name: &str, inputs: Inputs<'_, 'a>, parts: &[NodeId], caching: Caching, span: Span) -> u32 {
        let mut draft = FunctionBuilder::default();
        for name in inputs.parameters.iter().chain(inputs.captured) {
            let register = draft.push();
            draft.names.push((name, register));
        }
        self.functions.push(draft);
        let result = match parts {
            [only] => self.operand(*only),
            _ => {
                let result = self.draft().push();
                parts.iter().for_each(|part| self.expression(*part, result));
                result
            }
        };
        self.emit(Operation::Return, result, 0, 0, 0, span);
        let mut draft = self.functions.pop().expect("it was pushed above");
        mark_tail_calls(&mut draft.code);
        if draft.is_too_large || draft.code.len() > INSTRUCTIONS_MAX {
            let help = "split it into several: a call takes at most about 240 arguments, and a record about 120 fields";
            self.report(Report::error(span, "this is too large for one lambda").with_help(help));
            let nothing = self.constant(Value::NOTHING);
            let give = Instruction { operation: Operation::Constant, a: 0, b: 0, c: 0, number: nothing };
            let end = Instruction { operation: Operation::Return, a: 0, b: 0, c: 0, number: 0 };
            (draft.code, draft.spans) = (alloc::vec![give, end], alloc::vec![span; 2]);
        }
        self.finish(name, draft, inputs, caching, span)
    }

    /// Adds a function whose code is complete.
    fn finish(
        &mut self,
        name: &str,
        draft: FunctionBuilder<'a>,
        inputs: Inputs<'_, 'a>,
        caching: Caching,
        span: Span,
    ) -> u32 {
        assert_eq!(draft.code.len(), draft.spans.len(), "every instruction has a span");
        self.program.functions.push(Function {
            name: name.to_string(),
            code: draft.code,
            spans: draft.spans,
            parameters: short(inputs.parameters.len()),
            captured: short(inputs.captured.len()),
            registers: short(draft.registers),
            is_effectful: draft.is_effectful,
            reads: draft.reads,
            caching,
            span,
            facts: Facts::default(),
            place: 0,
        });
        self.program.functions.len() as u32 - 1
    }

    /// The register that holds the value of a node: that of the name if it is a local, otherwise a new one.
    fn operand(&mut self, id: NodeId) -> u8 {
        let mut inner = id;
        while let Expression::Group(of) = self.tree.node(inner).expression {
            inner = of;
        }
        let node = self.tree.node(inner);
        if node.expression == Expression::Name
            && let Some(register) = self.local(node.span.text(self.source))
        {
            return register;
        }
        let to = self.draft().push();
        self.expression(inner, to);
        to
    }

    /// Compiles a node, with its value in a given register.
    fn expression(&mut self, id: NodeId, to: u8) {
        let node = *self.tree.node(id);
        let span = node.span;
        let mark = self.draft().next;
        if mark > OUTLINE_FROM && self.outline(id, to, span) {
            return;
        }
        match node.expression {
            Expression::Number(number) => self.load(Value::number(number), to, span),
            Expression::Identifier(number) => self.load(Value::identifier(number), to, span),
            Expression::Truth(truth) => self.load(Value::truth(truth), to, span),
            Expression::Nothing | Expression::Missing => self.load(Value::NOTHING, to, span),
            Expression::String => {
                let string = self.string(&unquoted(span.text(self.source)), span);
                self.load(string, to, span);
            }
            Expression::Name => self.name(to, span),
            Expression::Object => {
                let name = &span.text(self.source)[1..];
                self.variable(name, to, span);
            }
            Expression::List(items) => self.list(self.tree.items(items), to, span),
            Expression::Body(items) => self.body(items, to, span),
            Expression::Do(items) => self.sequence(items, to, span),
            Expression::Text(items) => self.text(items, to, span),
            Expression::Record(names, items) => {
                let first = self.draft().next as u8;
                let values = self.tree.items(items);
                for (name, value) in self.tree.names(names).iter().zip(values) {
                    let register = self.draft().push();
                    let key = self.string(name.span.text(self.source), name.span);
                    self.load(key, register, name.span);
                    let register = self.draft().push();
                    self.expression(*value, register);
                }
                self.emit(Operation::Record, to, first, short(values.len() * 2), 0, span);
            }
            Expression::Lambda { caching, parameters, body } => {
                let names: Vec<&str> =
                    self.tree.names(parameters).iter().map(|name| name.span.text(self.source)).collect();
                // One that was made of a text is found by that text.
                let text = span.text(self.source);
                let name = if text.starts_with('"') { unquoted(text) } else { String::new() };
                self.lambda(&name, &names, &[body], caching, to, span);
            }
            Expression::Call(callee, arguments) => self.call(callee, arguments, to, span),
            Expression::Effect(name, arguments) => {
                let key = self.string(name.text(self.source), name);
                let number = self.constant(key);
                self.draft().is_effectful = true;
                self.row_with(Operation::Effect, arguments, to, number, span);
            }
            Expression::Set(name, value) => self.set(name, value, to, span),
            Expression::Update(target, operator, value) => self.update((target, operator, value), to, span),
            Expression::Index(of, index) => {
                let (of, index) = (self.operand(of), self.operand(index));
                self.emit(Operation::Index, to, of, index, 0, span);
            }
            Expression::Field(of, name) => {
                let of = self.operand(of);
                let key = self.string(name.text(self.source), name);
                let number = self.constant(key);
                self.emit(Operation::Field, to, of, 0, number, span);
            }
            Expression::Negate(of) => {
                if let Expression::Number(number) = self.tree.node(of).expression {
                    self.load(Value::number(-number), to, span);
                } else {
                    let of = self.operand(of);
                    self.emit(Operation::Negate, to, of, 0, 0, span);
                }
            }
            Expression::Not(of) => {
                let of = self.operand(of);
                self.emit(Operation::Not, to, of, 0, 0, span);
            }
            Expression::Binary(Operator::And | Operator::Or, ..) => self.truth(id, to, span),
            Expression::Binary(operator, left, right) => self.binary(operator, left, right, to, span),
            Expression::If(condition, then, otherwise) => {
                let skips = self.condition(condition);
                self.draft().next = mark;
                self.expression(then, to);
                self.draft().next = mark;
                let end = self.emit(Operation::Jump, 0, 0, 0, 0, span);
                self.patch_jumps(&skips);
                match otherwise {
                    Some(otherwise) => self.expression(otherwise, to),
                    None => self.load(Value::NOTHING, to, span),
                }
                self.patch_jumps(&[end]);
            }
            Expression::Let(names, values, body) => {
                let known = self.draft().names.len();
                for (name, value) in self.tree.names(names).iter().zip(self.tree.items(values)) {
                    let register = self.draft().push();
                    self.expression(*value, register);
                    let name = name.span.text(self.source);
                    self.draft().names.push((name, register));
                }
                self.expression(body, to);
                self.draft().names.truncate(known);
            }
            Expression::Group(inner) => self.expression(inner, to),
        }
        self.draft().next = mark;
    }

    fn name(&mut self, to: u8, span: Span) {
        let name = span.text(self.source);
        match self.local(name) {
            Some(register) => {
                self.emit(Operation::Move, to, register, 0, 0, span);
            }
            None => self.variable(name, to, span),
        }
    }

    fn variable(&mut self, name: &str, to: u8, span: Span) {
        if let Some(number) = self.program.variable(name) {
            let draft = self.draft();
            if !draft.reads.contains(&number) {
                draft.reads.push(number);
            }
            self.emit(Operation::Variable, to, 0, 0, number, span);
            if self.program.formulas.contains(&number)
                && let Some((value, _)) = builtin::find("value")
            {
                self.emit(Operation::Builtin, to, to, 1, value, span);
            }
            return;
        }
        if let Some((number, row)) = builtin::find(name) {
            return self.wrapper(Operation::Builtin, (number, row.arguments.1), to, span);
        }
        if let Some((number, row)) = query::find(self.program.queries, name) {
            return self.wrapper(Operation::Query, (number, row.arguments_max()), to, span);
        }
        self.unknown(name, span);
        self.load(Value::NOTHING, to, span);
    }

    fn unknown(&mut self, name: &str, span: Span) {
        if self.reports.len() >= REPORTS_MAX {
            return;
        }
        let locals = self.functions.last().map_or(&[][..], |draft| &draft.names).iter().map(|(name, _)| *name);
        let variables = self.program.variables.iter().map(String::as_str);
        let queries = self.program.queries.iter().map(|query| query.name);
        let known: Vec<&str> = locals.chain(variables).chain(builtin::names()).chain(queries).collect();
        let help = closest(name, known).map_or(String::new(), |found| format!("did you mean `{found}`?"));
        self.report(Report::error(span, format!("`{name}` is not known here")).with_help(help));
    }

    fn report(&mut self, report: Report) {
        if self.reports.len() < REPORTS_MAX {
            self.reports.push(report);
        }
    }

    fn set(&mut self, name: Span, value: NodeId, to: u8, span: Span) {
        let text = name.text(self.source);
        match self.tree.node(value).expression {
            Expression::Lambda { caching, parameters, body } => {
                let names: Vec<&str> =
                    self.tree.names(parameters).iter().map(|name| name.span.text(self.source)).collect();
                let span = self.tree.node(value).span;
                self.lambda(text, &names, &[body], caching, to, span);
            }
            Expression::Body(items) => {
                let parts = self.tree.items(items);
                self.lambda(text, &[], parts, Caching::Unsaid, to, self.tree.node(value).span);
            }
            _ => self.expression(value, to),
        }
        self.draft().is_effectful = true;
        if let Some(number) = self.program.variable(text) {
            self.emit(Operation::SetVariable, to, 0, 0, number, span);
        }
    }

    /// `!set` of a part of a variable, or with an operator: another value of the whole is made, from the innermost part
    /// outwards.
    fn update(&mut self, (target, operator, value): (NodeId, Option<Operator>, NodeId), to: u8, span: Span) {
        let name = self.tree.variable_of(target);
        let mut path = Vec::new();
        let mut at = target;
        loop {
            match self.tree.node(at).expression {
                Expression::Group(of) => at = of,
                Expression::Field(of, _) | Expression::Index(of, _) => {
                    path.push(at);
                    at = of;
                }
                _ => break,
            }
        }
        // The parts from the whole to the one that changes, each with its key in the register behind it.
        let mut parts = Vec::new();
        let mut part = self.draft().push();
        self.variable(name.text(self.source), part, name);
        for (number, step) in path.iter().rev().enumerate() {
            let key = self.draft().push();
            let span = self.tree.node(*step).span;
            let next = match self.tree.node(*step).expression {
                Expression::Index(_, index) => {
                    self.expression(index, key);
                    (Operation::Index, key, 0)
                }
                Expression::Field(_, name) => {
                    let text = self.string(name.text(self.source), name);
                    self.load(text, key, name);
                    (Operation::Field, 0, self.constant(text))
                }
                _ => continue,
            };
            parts.push((part, key, span));
            // The last part is read only if the operator needs it.
            if number + 1 < path.len() || operator.is_some() {
                let inner = self.draft().push();
                self.emit(next.0, inner, part, next.1, next.2, span);
                part = inner;
            }
        }
        match operator {
            Some(operator) => self.operation(operator, part, value, to, span),
            None => self.expression(value, to),
        }
        for (whole, key, span) in parts.into_iter().rev() {
            let arguments = [whole, key, to].map(|from| (self.draft().push(), from));
            for (register, from) in arguments {
                self.emit(Operation::Move, register, from, 0, 0, span);
            }
            if let Some((put, _)) = builtin::find("put") {
                self.emit(Operation::Builtin, to, arguments[0].0, 3, put, span);
            }
        }
        self.draft().is_effectful = true;
        if let Some(number) = self.program.variable(name.text(self.source)) {
            self.emit(Operation::SetVariable, to, 0, 0, number, span);
        }
    }

    /// Evaluates items in order; the value is that of the last.
    fn sequence(&mut self, items: Items, to: u8, span: Span) {
        let mark = self.draft().next;
        self.draft().is_effectful = true;
        if self.tree.items(items).is_empty() {
            self.load(Value::NOTHING, to, span);
        }
        for part in self.tree.items(items) {
            self.expression(*part, to);
            self.draft().next = mark;
        }
    }

    /// `"{hull} of {hull_max}"`: the record that `text` makes, of the string and the values of its names.
    fn text(&mut self, items: Items, to: u8, span: Span) {
        let first = self.draft().next;
        let push = |compiler: &mut Self, text: &str| {
            let value = compiler.string(text, span);
            let register = compiler.draft().push();
            compiler.load(value, register, span);
        };
        push(self, builtin::TEXT);
        push(self, &unquoted(span.text(self.source)));
        push(self, builtin::WITH);
        let values = self.draft().push();
        let inner = self.draft().next;
        for item in self.tree.items(items) {
            push(self, self.tree.node(*item).span.text(self.source));
            let register = self.draft().push();
            self.expression(*item, register);
        }
        let count = short(self.tree.items(items).len() * 2);
        self.emit(Operation::Record, values, short(inner), count, 0, span);
        self.emit(Operation::Record, to, short(first), 4, 0, span);
    }

    /// A built-in or a query as a value: a lambda that passes its arguments on.
    fn wrapper(&mut self, operation: Operation, (number, count): (u32, usize), to: u8, span: Span) {
        let mut draft = FunctionBuilder::default();
        (0..count.max(1)).for_each(|_| {
            draft.push();
        });
        self.functions.push(draft);
        self.emit(operation, 0, 0, short(count), number, span);
        self.emit(Operation::Return, 0, 0, 0, 0, span);
        let draft = self.functions.pop().expect("it was pushed above");
        let inputs = Inputs { parameters: &["", "", "", ""][..count], captured: &[] };
        let function = self.finish("", draft, inputs, Caching::Unsaid, span);
        self.emit(Operation::Lambda, to, 0, 0, function, span);
    }

    fn call(&mut self, callee: NodeId, arguments: Items, to: u8, span: Span) {
        let node = self.tree.node(callee);
        if let Expression::Body(parts) = node.expression
            && self.tree.items(arguments).is_empty()
        {
            // A body that is called directly is inlined.
            return self.sequence(parts, to, span);
        }
        let name = node.span.text(self.source);
        let is_name = node.expression == Expression::Name;
        let is_free = is_name && self.local(name).is_none() && self.program.variable(name).is_none();
        if is_free && let Some((number, row)) = builtin::find(name) {
            return match row.takes(self.tree.items(arguments).len()) {
                true => self.row_with(Operation::Builtin, arguments, to, number, span),
                false => self.wrong_count(name, &row.expected(), row.signature, (arguments, to, span)),
            };
        }
        if is_free && let Some((number, row)) = query::find(self.program.queries, name) {
            return match row.takes(self.tree.items(arguments).len()) {
                true => self.row_with(Operation::Query, arguments, to, number, span),
                false => self.wrong_count(name, &row.expected(), row.signature, (arguments, to, span)),
            };
        }
        if is_free {
            self.unknown(name, node.span);
        }
        let first = self.draft().push();
        if is_free {
            self.load(Value::NOTHING, first, node.span);
        } else {
            self.expression(callee, first);
        }
        for argument in self.tree.items(arguments) {
            let register = self.draft().push();
            self.expression(*argument, register);
        }
        let count = short(self.tree.items(arguments).len());
        self.emit(Operation::Call, to, first, count, 0, span);
    }

    /// A call of a built-in or a query with a wrong number of arguments is nothing.
    fn wrong_count(
        &mut self,
        name: &str,
        expected: &dyn fmt::Display,
        signature: &str,
        (arguments, to, span): (Items, u8, Span),
    ) {
        let message = format!("`{name}` takes {expected}, found {}", self.tree.items(arguments).len());
        self.report(Report::error(span, message).with_help(signature));
        self.row(Operation::List, arguments, to, span);
        self.load(Value::NOTHING, to, span);
    }

    /// A list, joined from halves if it is long.
    fn list(&mut self, items: &[NodeId], to: u8, span: Span) {
        let mark = self.draft().next;
        match builtin::find("join").filter(|_| items.len() > LIST_MAX) {
            Some((join, _)) => {
                let first = self.draft().push();
                let (left, right) = items.split_at(items.len() / 2);
                self.list(left, first, span);
                let second = self.draft().push();
                self.list(right, second, span);
                self.emit(Operation::Builtin, to, first, 2, join, span);
            }
            None => self.row_of(Operation::List, items, to, 0, span),
        }
        self.draft().next = mark;
    }

    fn binary(&mut self, operator: Operator, left: NodeId, right: NodeId, to: u8, span: Span) {
        let from = self.operand(left);
        self.operation(operator, from, right, to, span);
    }

    /// An operator between a register and a node.
    fn operation(&mut self, operator: Operator, from: u8, right: NodeId, to: u8, span: Span) {
        use Operation::*;
        if let Expression::Number(number) = self.tree.node(right).expression {
            let with_constant = match operator {
                Operator::Add => Some(AddConstant),
                Operator::Subtract => Some(SubtractConstant),
                Operator::Multiply => Some(MultiplyConstant),
                Operator::Divide if number != 0.0 => Some(DivideConstant),
                _ => None,
            };
            if let Some(operation) = with_constant {
                let constant = self.constant(Value::number(number));
                self.emit(operation, to, from, 0, constant, span);
                return;
            }
        }
        let operation = match operator {
            Operator::Add => Add,
            Operator::Subtract => Subtract,
            Operator::Multiply => Multiply,
            Operator::Divide => Divide,
            Operator::Remainder => Remainder,
            Operator::Equal => Equal,
            Operator::Unequal => Unequal,
            Operator::Less => Less,
            Operator::Greater => Greater,
            Operator::LessEqual => LessEqual,
            Operator::GreaterEqual => GreaterEqual,
            Operator::And | Operator::Or => unreachable!("these are compiled as conditions"),
        };
        let other = self.operand(right);
        self.emit(operation, to, from, other, 0, span);
    }

    /// `and` and `or` as a value.
    fn truth(&mut self, id: NodeId, to: u8, span: Span) {
        let skips = self.condition(id);
        self.load(Value::TRUE, to, span);
        let end = self.emit(Operation::Jump, 0, 0, 0, 0, span);
        self.patch_jumps(&skips);
        self.load(Value::FALSE, to, span);
        self.patch_jumps(&[end]);
    }

    /// Compiles a condition; returns the jumps that are taken if it is false.
    fn condition(&mut self, id: NodeId) -> Vec<usize> {
        use Operation::*;
        let node = *self.tree.node(id);
        let mark = self.draft().next;
        let skips = match node.expression {
            Expression::Group(inner) => self.condition(inner),
            Expression::Binary(Operator::And, left, right) => {
                let mut skips = self.condition(left);
                skips.extend(self.condition(right));
                skips
            }
            Expression::Binary(Operator::Or, left, right) => {
                let skips = self.condition(left);
                let holds = self.emit(Jump, 0, 0, 0, 0, node.span);
                self.patch_jumps(&skips);
                let skips = self.condition(right);
                self.patch_jumps(&[holds]);
                skips
            }
            Expression::Binary(operator, left, right) if comparison(operator).is_some() => {
                let (operation, with_constant) =
                    comparison(operator).unwrap_or((JumpUnlessEqual, JumpUnlessEqualConstant));
                let left = self.operand(left);
                let constant = match self.tree.node(right).expression {
                    Expression::Number(number) => u8::try_from(self.constant(Value::number(number))).ok(),
                    Expression::Identifier(number) => u8::try_from(self.constant(Value::identifier(number))).ok(),
                    _ => None,
                };
                let jump = match constant {
                    Some(constant) => self.emit(with_constant, 0, left, constant, 0, node.span),
                    None => {
                        let right = self.operand(right);
                        self.emit(operation, 0, left, right, 0, node.span)
                    }
                };
                alloc::vec![jump]
            }
            _ => {
                let truth = self.operand(id);
                alloc::vec![self.emit(JumpUnless, truth, 0, 0, 0, node.span)]
            }
        };
        self.draft().next = mark;
        skips
    }

    fn row(&mut self, operation: Operation, items: Items, to: u8, span: Span) {
        self.row_with(operation, items, to, 0, span);
    }

    fn row_with(&mut self, operation: Operation, items: Items, to: u8, number: u32, span: Span) {
        self.row_of(operation, self.tree.items(items), to, number, span);
    }

    fn row_of(&mut self, operation: Operation, items: &[NodeId], to: u8, number: u32, span: Span) {
        let first = self.draft().next;
        for item in items {
            let register = self.draft().push();
            self.expression(*item, register);
        }
        self.emit(operation, to, short(first), short(items.len()), number, span);
    }

    /// The register of a parameter, a `let` or a captured name of this function.
    fn local(&self, name: &str) -> Option<u8> {
        let draft = self.functions.last()?;
        draft.names.iter().rev().find(|(known, _)| *known == name).map(|(_, register)| *register)
    }

    fn load(&mut self, value: Value, to: u8, span: Span) {
        let number = self.constant(value);
        self.emit(Operation::Constant, to, 0, 0, number, span);
    }

    fn constant(&mut self, value: Value) -> u32 {
        let constants = &mut self.program.constants;
        // A longer search for an equal constant would cost more than it saves.
        let found = constants.iter().enumerate().rev().take(64).find(|(_, constant)| **constant == value);
        let number = found.map(|(number, _)| number);
        number.unwrap_or_else(|| {
            constants.push(value);
            constants.len() - 1
        }) as u32
    }

    fn string(&mut self, text: &str, span: Span) -> Value {
        match self.program.strings.add(text) {
            Ok(id) => Value::string(id),
            Err(collision) => {
                let help = "change one of the two texts a little";
                self.report(Report::error(span, format!("{collision}")).with_help(help));
                Value::string(StringId::new(""))
            }
        }
    }

    fn emit(&mut self, operation: Operation, a: u8, b: u8, c: u8, number: u32, span: Span) -> usize {
        let draft = self.draft();
        draft.code.push(Instruction { operation, a, b, c, number });
        draft.spans.push(span);
        draft.code.len() - 1
    }

    /// Patches jumps to target the next instruction.
    fn patch_jumps(&mut self, jumps: &[usize]) {
        let draft = self.draft();
        let target = draft.code.len() as u32;
        for jump in jumps {
            assert!(*jump < target as usize, "jumps go forward");
            draft.code[*jump].number = target;
        }
    }

    fn draft(&mut self) -> &mut FunctionBuilder<'a> {
        self.functions.last_mut().expect("something is being compiled")
    }
}

impl FunctionBuilder<'_> {
    /// Allocates a register. If there is none left, returns the last one and marks the function as too large.
    fn push(&mut self) -> u8 {
        if self.next >= REGISTERS_MAX {
            self.is_too_large = true;
            return REGISTERS_MAX as u8 - 1;
        }
        self.next += 1;
        self.registers = self.registers.max(self.next);
        self.next as u8 - 1
    }
}

/// Marks the calls whose result is the result of the function: they reuse its registers, and cost no depth.
fn mark_tail_calls(code: &mut [Instruction]) {
    for at in 0..code.len() {
        if code[at].operation == Operation::Call && is_tail(code, at) {
            code[at].number = TAIL;
        }
    }
}

/// The jumps that a comparison is compiled to: between registers, and with a constant.
fn comparison(operator: Operator) -> Option<(Operation, Operation)> {
    use Operation::*;
    Some(match operator {
        Operator::Equal => (JumpUnlessEqual, JumpUnlessEqualConstant),
        Operator::Unequal => (JumpUnlessUnequal, JumpUnlessUnequalConstant),
        Operator::Less => (JumpUnlessLess, JumpUnlessLessConstant),
        Operator::LessEqual => (JumpUnlessLessEqual, JumpUnlessLessEqualConstant),
        Operator::Greater => (JumpUnlessGreater, JumpUnlessGreaterConstant),
        Operator::GreaterEqual => (JumpUnlessGreaterEqual, JumpUnlessGreaterEqualConstant),
        _ => return None,
    })
}

/// The text between the quotes, with doubled quotes undone.
pub fn unquoted(text: &str) -> String {
    let inner = text.strip_prefix('"').unwrap_or(text);
    inner.strip_suffix('"').unwrap_or(inner).replace("\"\"", "\"")
}

/// A count as a byte; larger counts were reported by `FunctionBuilder::push`.
fn short(count: usize) -> u8 {
    count.min(REGISTERS_MAX) as u8
}
