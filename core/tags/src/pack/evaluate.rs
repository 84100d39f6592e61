//! Evaluation of values that are not literals: formulas and their dependences.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use base::StringId;
use script::arena::Arena;
use script::ast::{Expression, NodeId, Tree};
use script::check::{Setting, check};
use script::compile::{begin, extend};
use script::effect::EFFECTS;
use script::environment::Environment;
use script::machine::{Limits, Scratch};
use script::meaning::Mention;
use script::program::Program;
use script::report::Report;
use script::schema::DeclaredVariable;
use script::source::Span;
use script::statement_run::StatementRun;
use script::token::TokenKind;
use script::value::Value;
use script::write::write;

use super::{Prepared, Statements, order, push};
use crate::class::Field;
use crate::literal::{is_literal, number};

const FUEL_ALL: u64 = 20_000_000;
const FUEL_MIN: u64 = 1000;

/// The limits for each of this many statements of one tag: memory in proportion to its text plus a constant, and an
/// equal share of the fuel.
fn limits(source: &str, statements: usize) -> Limits {
    const VALUES_FEW: usize = 4096;
    const VALUES_MAX: usize = 1 << 20;
    let values = (VALUES_FEW + source.len()).min(VALUES_MAX) as u32;
    let fuel = (FUEL_ALL / statements.max(1) as u64).max(FUEL_MIN);
    Limits { fuel, depth: 64, values, effects: 64 }
}

/// The evaluated values.
pub(super) struct Evaluated {
    ran: Option<EvaluatedProgram>,
    /// The places that mean something outside of the tag.
    pub mentions: Vec<Mention>,
}

struct EvaluatedProgram {
    program: Program,
    environment: Environment,
    /// The names that were evaluated.
    names: BTreeSet<String>,
    /// The functions of lambdas, by their spans.
    functions: BTreeMap<Span, u32>,
    has_lambdas: bool,
}

impl Evaluated {
    /// Nothing needed evaluation.
    pub const NOTHING: Evaluated = Evaluated { ran: None, mentions: Vec::new() };

    pub fn of(
        source: &str,
        tree: &Tree,
        prepared: &Prepared,
        statements: &Statements<'_>,
        own_bytes: u32,
        reports: &mut Vec<Report>,
    ) -> Evaluated {
        let has_lambdas = tree.statements.iter().any(|statement| makes_lambda(tree, *statement));
        let formulas: BTreeSet<&str> = statements
            .values
            .iter()
            .filter(|(name, (_, value))| !is_literal(source, tree, *value) || statements.updates.contains_key(*name))
            .map(|(name, _)| *name)
            .collect();
        let own = own_names(prepared, statements);
        let has_later = prepared.dialect.is_some() && tree.statements.iter().any(|id| is_effect(tree, *id));
        let has_lambdas = has_lambdas || has_later;
        if formulas.is_empty() && !has_lambdas && own.is_empty() {
            return Evaluated::NOTHING;
        }
        let has_lambdas = has_lambdas || !own.is_empty();
        let needed = needed(source, tree, statements, &formulas);
        let mut part = tree.clone();
        part.statements.retain(|statement| match tree.node(*statement).expression {
            Expression::Set(name, value) => {
                let name = name.text(source);
                needed.contains(name) || own.contains(name) || makes_lambda(tree, value)
            }
            Expression::Update(target, ..) => needed.contains(tree.variable_of(target).text(source)),
            _ => has_later && is_effect(tree, *statement),
        });
        let mut schema = alloc::borrow::Cow::Borrowed(&prepared.schema);
        let former = former_names(prepared, statements);
        if !own.is_empty() || !former.is_empty() {
            schema.to_mut().variables.extend(own.iter().chain(&former).map(|name| DeclaredVariable::added(name)));
        }
        let effects = [EFFECTS, prepared.dialect.map_or(prepared.effects, |dialect| dialect.effects)];
        let queries = prepared.queries;
        // Without a world its effects are not known.
        let accepts_unknown_effects = prepared.dialect.is_none() && prepared.effects.is_empty();
        let handlers = prepared.handlers;
        let setting = Setting { schema: Some(&schema), effects: &effects, queries, accepts_unknown_effects, handlers };
        let checked = check(source, &part, &setting);
        for report in checked.reports {
            push(reports, report);
        }
        let declared: Vec<&str> = prepared.names[0].keys().map(|name| name.as_str()).collect();
        let formula_names: Vec<&str> = prepared.formulas.iter().map(|name| name.as_str()).collect();
        let (mut program, found) = extend(begin(&declared, &formula_names, queries), source, &part);
        for report in found {
            push(reports, report);
        }
        let order = order::of(source, &part, own_bytes, reports);
        part.statements = order.iter().map(|index| part.statements[*index]).collect();
        if program.statements.len() == order.len() {
            program.statements = order.iter().map(|index| program.statements[*index]).collect();
        }
        let limits = limits(source, part.statements.len());
        let mut ran = EvaluatedProgram {
            environment: Environment::new(&program, limits.values as usize),
            functions: program
                .functions
                .iter()
                .enumerate()
                .map(|(number, found)| (found.span, number as u32))
                .collect(),
            names: needed,
            program,
            has_lambdas,
        };
        ran.set_defaults(prepared);
        if !formulas.is_empty() || !own.is_empty() {
            ran.run(&part, limits, reports);
        }
        Evaluated { ran: Some(ran), mentions: checked.mentions }
    }

    /// The value of an evaluated name.
    pub fn value(&self, name: &str) -> Option<Value> {
        let ran = self.ran.as_ref().filter(|ran| ran.names.contains(name))?;
        Some(ran.environment.get(ran.program.variable(name)?))
    }

    pub fn parts(&self, value: Value) -> &[Value] {
        self.ran.as_ref().map_or(&[], |ran| ran.environment.view().parts(value))
    }

    pub fn text(&self, value: Value) -> Option<&str> {
        self.ran.as_ref()?.program.strings.text(value.as_string()?)
    }

    /// A value as LScript.
    pub fn written(&self, value: Value) -> String {
        let Some(ran) = &self.ran else { return String::new() };
        write(value, &ran.program, &Arena::new(0), ran.environment.kept())
    }

    /// Says where the parts of its source come from.
    pub fn set_origins(&mut self, origins: impl FnOnce() -> Vec<script::program::Origin>) {
        if let Some(ran) = self.ran.as_mut().filter(|ran| ran.has_lambdas) {
            ran.program.origins = origins();
        }
    }

    pub fn function_at(&self, span: Span) -> Option<u32> {
        self.ran.as_ref()?.functions.get(&span).copied()
    }

    /// The program, if the tag has lambdas for a game to call.
    pub fn program(&self) -> Option<&Program> {
        self.ran.as_ref().filter(|ran| ran.has_lambdas).map(|ran| &ran.program)
    }
}

impl EvaluatedProgram {
    /// Fields that the text does not set have their defaults in a formula, where those are simple.
    fn set_defaults(&mut self, prepared: &Prepared) {
        for (name, index) in &prepared.names[0] {
            let Some(Some((source, tree))) = prepared.defaults[0].get(*index as usize) else { continue };
            let Some(Expression::Set(_, value)) = tree.statements.first().map(|first| tree.node(*first).expression)
            else {
                continue;
            };
            let default = match tree.node(value).expression {
                Expression::Truth(truth) => Value::truth(truth),
                Expression::Identifier(number) => Value::identifier(number),
                Expression::String => {
                    let text = script::compile::unquoted(tree.node(value).span.text(source));
                    // Two names with one id: the formula sees the id, which is all it can compare.
                    let _ = self.program.strings.add(&text);
                    Value::string(StringId::from(&*text))
                }
                _ => number(tree, value).map_or(Value::NOTHING, Value::number),
            };
            if let Some(variable) = self.program.variable(name) {
                self.environment.set(variable, default);
            }
        }
    }

    fn run(&mut self, part: &Tree, limits: Limits, reports: &mut Vec<Report>) {
        let mut scratch = Scratch::new(limits);
        // Beside the share of each statement there is as much again for the copying of values.
        let fuel = FUEL_ALL.saturating_add(limits.fuel.saturating_mul(part.statements.len() as u64));
        let mut run = StatementRun::new(&self.program, &mut self.environment, &mut scratch, fuel);
        for (function, statement) in self.program.statements.iter().zip(&part.statements) {
            if is_effect(part, *statement) {
                continue;
            }
            let span = part.node(*statement).span;
            match run.evaluate(*function) {
                Err(trouble) => push(reports, Report::error(span, trouble.to_string())),
                Ok(_) if !run.scratch().effects().is_empty() => {
                    let help = "effects belong in lambdas, which the world calls";
                    push(reports, Report::error(span, "a tag has no effects").with_help(help));
                }
                Ok(_) => {
                    for complaint in run.scratch().complaints() {
                        push(reports, Report::error(span, complaint.to_string()));
                    }
                }
            }
        }
    }
}

/// The additional variables of a tag of an open class.
pub(super) fn own_names<'a>(prepared: &Prepared, statements: &Statements<'a>) -> BTreeSet<&'a str> {
    let is_field = |name: &str| {
        let record = prepared.class.root();
        prepared.names[0].contains_key(name) || record.fields.iter().any(|field| is_called(field, name))
    };
    let is_allowed = |name: &str| prepared.class.is_open || prepared.shared.names.contains(name);
    let names = statements.values.keys().copied().filter(|name| is_allowed(name) && !is_field(name));
    names.collect()
}

/// The former names of fields that a tag sets: its formulas may read them as they are written.
fn former_names<'a>(prepared: &Prepared, statements: &Statements<'a>) -> BTreeSet<&'a str> {
    let is_former = |name: &str| {
        let fields = &prepared.class.root().fields;
        !prepared.names[0].contains_key(name) && fields.iter().any(|field| is_called(field, name))
    };
    statements.values.keys().copied().filter(|name| is_former(name)).collect()
}

/// Whether it is the former name of a field.
fn is_called(field: &Field, name: &str) -> bool {
    field.former.iter().any(|former| former.name == name)
}

/// The formulas, and the statements they depend on.
fn needed(source: &str, tree: &Tree, statements: &Statements<'_>, formulas: &BTreeSet<&str>) -> BTreeSet<String> {
    let mut needed: BTreeSet<String> = formulas.iter().map(ToString::to_string).collect();
    // Names that a formula mentions; each is visited once.
    let mut waiting: Vec<&str> = formulas.iter().copied().collect();
    while let Some(name) = waiting.pop() {
        let Some((_, value)) = statements.values.get(name) else { continue };
        let updates = statements.updates.get(name).map_or(&[][..], Vec::as_slice);
        for node in core::iter::once(value).chain(updates.iter().map(|(statement, _)| statement)) {
            let span = tree.node(*node).span;
            let first = tree.tokens.partition_point(|token| token.span.start < span.start);
            for token in tree.tokens[first..].iter().take_while(|token| token.span.start < span.end) {
                let mentioned = token.span.text(source);
                let is_set = token.kind == TokenKind::Name && statements.values.contains_key(mentioned);
                if is_set && !needed.contains(mentioned) {
                    needed.insert(mentioned.to_string());
                    waiting.push(mentioned);
                }
            }
        }
    }
    needed
}

/// Whether a statement is an effect: only tags of a dialect have such.
fn is_effect(tree: &Tree, statement: NodeId) -> bool {
    matches!(tree.node(statement).expression, Expression::Effect(..))
}

/// Whether a value is a lambda, or contains one.
fn makes_lambda(tree: &Tree, node: NodeId) -> bool {
    let span = tree.node(node).span;
    if tree.texts.iter().any(|text| span.start <= text.start && text.end <= span.end) {
        return true;
    }
    let first = tree.tokens.partition_point(|token| token.span.start < span.start);
    let mut tokens = tree.tokens[first..].iter().take_while(|token| token.span.start < span.end);
    tokens.any(|token| match token.kind {
        TokenKind::Lambda => true,
        // A body; the `!set` of a statement makes none.
        TokenKind::Effect => token.span.start > span.start,
        _ => false,
    })
}
