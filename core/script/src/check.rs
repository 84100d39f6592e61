//! The type checker: type and effect inference, after Hindley (1969) and Milner (1978), with let-polymorphism for
//! lambdas.
//!
//! Types are inferred from use and need not be written. A name that holds a lambda may be used with different types in
//! different places.
//!
//! Laws
//! 1. No false errors: a source that runs without complaints for all arguments is not reported. Where the checker
//!    cannot decide, it accepts: `any` and `nothing` fit everything, and a name of different types in different
//!    branches is `any`.
//! 2. A variable has the type that its schema declares; otherwise the type it is set to, or `any` if that differs.
//! 3. A lambda is effectful if it can reach a `!` call or a `!set`, through the lambdas it calls or receives.
//! 4. The time is proportional to the source, with constant limits on every constraint.
//! 5. Unknown names and wrong numbers of arguments to built-ins and queries are reported by the compiler.
//!
//! Cost: time and memory in proportion to the text and its calls: at most 500 bytes of heap for each byte. Held by
//! `tests/growth.rs` of the tool.

mod call;
mod given;
mod graph;
mod infer;
mod lambda_fact;
mod mean;
mod set;
mod solve;
mod unused;

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::ast::{Expression, NodeId, Tree};
use crate::builtin::BUILTINS;
use crate::effect::{Effect, STANDARD};
use crate::handler::Handler;
use crate::meaning::Mention;
use crate::parse::REPORTS_MAX;
use crate::query::Query;
use crate::report::Report;
use crate::schema::Schema;
use crate::source::Span;
use crate::types::{Signature, Type};

pub use lambda_fact::{
    COST_MIN, ELEMENTS_GUESSED, INPUTS_MAX, INSTRUCTION_NANOSECONDS, LambdaFact, REQUIREMENTS_MAX, Refusal,
};

use lambda_fact::LambdaDraft;
use solve::{ANY, Cell, Misfit, SOME_LAMBDA, Scheme, Solver, Term};

/// The input of the checker besides the source.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The variables that the class of the source declares, if it has a known class.
    pub schema: Option<&'a Schema>,
    /// The known effects.
    pub effects: &'a [&'a [Effect]],
    /// The queries of the world.
    pub queries: &'a [Query],
    /// Whether other effects are accepted too.
    pub accepts_unknown_effects: bool,
    /// The handlers that the world calls, with what it gives them.
    pub handlers: &'a [Handler],
}

impl Default for Setting<'_> {
    /// No schema, the effects every world has, and no queries.
    fn default() -> Self {
        Setting { schema: None, effects: STANDARD, queries: &[], accepts_unknown_effects: false, handlers: &[] }
    }
}

/// The results of the checker.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Errors and warnings, by place.
    pub reports: Vec<Report>,
    /// All variables: those that the schema declares, those that the source sets, those that it only reads.
    pub variables: Vec<VariableFact>,
    /// All lambdas and bodies, by place.
    pub lambdas: Vec<LambdaFact>,
    /// The places that mean something outside of the source: paths, classes, messages, variables of other objects.
    pub mentions: Vec<Mention>,
}

/// The inferred facts of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableFact {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: Type,
    /// Whether the schema declares it.
    pub is_declared: bool,
    /// Whether the source sets it.
    pub is_set: bool,
}

impl Checked {
    /// The variables that a lambda, and everything it may call through them, reads; in order of first use.
    pub fn requirements(&self, lambda: &LambdaFact) -> impl Iterator<Item = &str> {
        lambda
            .requirements
            .iter()
            .filter_map(|number| self.variables.get(*number as usize))
            .map(|found| found.name.as_str())
    }

    /// The lambda that was given to a variable, the first if there are several.
    pub fn lambda(&self, name: &str) -> Option<&LambdaFact> {
        self.lambdas.iter().find(|fact| fact.name == name)
    }
}

/// The names of the variables in which the world keeps the objects `~this`, `~sender`, `~level` and `~player`. No source
/// sets them.
pub const RESERVED: [&str; 4] = ["this", "sender", "level", "player"];

/// Checks a source.
pub fn check(source: &str, tree: &Tree, setting: &Setting<'_>) -> Checked {
    let mut checker = Checker::new(source, tree, setting);
    checker.declare();
    for group in checker.groups() {
        checker.group(&group);
    }
    checker.warn_of_unused_comparisons();
    checker.finish()
}

struct Checker<'a> {
    source: &'a str,
    tree: &'a Tree,
    setting: &'a Setting<'a>,
    solver: Solver,
    reports: Vec<Report>,
    /// Variables by name, and what is known about each.
    numbers: BTreeMap<&'a str, u32>,
    variables: Vec<Variable<'a>>,
    /// Parameters and `let`s by name, innermost last.
    locals: BTreeMap<&'a str, Vec<Local>>,
    /// The parsed signatures of built-ins, and of queries behind them, that were called.
    signatures: Vec<Option<Signature>>,
    /// The enclosing lambdas, outermost first; the first is the statement itself.
    around: Vec<LambdaDraft>,
    /// The finished lambdas.
    drafts: Vec<LambdaDraft>,
    /// Reads of variables in order, each with its nesting depth in lambdas.
    reads: Vec<(u32, u32)>,
    purities: Vec<Purity>,
    /// The sets in the current group.
    sets: Vec<(u32, Term)>,
    /// Lambdas whose types were created before they are inferred.
    awaited: BTreeMap<NodeId, Term>,
    /// For each node, whether its value is not used.
    dropped: Vec<bool>,
    mentions: Vec<Mention>,
}

#[derive(Clone, Debug)]
struct Variable<'a> {
    name: &'a str,
    declared: Option<Term>,
    /// Whether the source itself adds it to the class.
    is_added: bool,
    known: Known,
    /// The statement that is its only set, where that is a lambda.
    definition: Option<u32>,
    sets: u32,
    /// The join of the types it was set to in earlier groups.
    so_far: Option<Term>,
    /// The reads within its values, and the nesting depth.
    read: Vec<(u32, u32, u32)>,
    /// The cost of a call.
    cost: u32,
}

#[derive(Clone, Debug)]
enum Known {
    No,
    Term(Term),
    Scheme(Scheme),
}

#[derive(Clone, Debug)]
struct Local {
    known: Known,
    /// Its nesting depth in lambdas.
    depth: u32,
}

/// An expression that must be pure.
#[derive(Clone, Debug)]
struct Purity {
    effect: u32,
    span: Span,
    message: String,
    help: String,
}

/// The lengths of all lists before a group, to undo an attempt.
struct Mark {
    reports: usize,
    drafts: usize,
    reads: usize,
    purities: usize,
    constraints: usize,
    mentions: usize,
}

impl<'a> Checker<'a> {
    fn new(source: &'a str, tree: &'a Tree, setting: &'a Setting<'a>) -> Checker<'a> {
        Checker {
            source,
            tree,
            setting,
            solver: Solver::new(tree.count()),
            reports: Vec::new(),
            numbers: BTreeMap::new(),
            variables: Vec::new(),
            locals: BTreeMap::new(),
            signatures: alloc::vec![None; BUILTINS.len() + setting.queries.len()],
            around: Vec::new(),
            drafts: Vec::new(),
            reads: Vec::new(),
            purities: Vec::new(),
            sets: Vec::new(),
            awaited: BTreeMap::new(),
            dropped: unused::dropped(tree),
            mentions: Vec::new(),
        }
    }

    /// Numbers the variables: those of the schema, then those that are set.
    fn declare(&mut self) {
        if let Some(schema) = self.setting.schema {
            for variable in &schema.variables {
                let number = self.variable(&variable.name);
                let term = self.solver.term(&variable.kind, &mut Vec::new());
                self.variables[number as usize].declared = Some(term);
                self.variables[number as usize].is_added = !variable.is_declared;
            }
        }
        for node in &self.tree.nodes {
            if let Some(name) = self.tree.set_by(node) {
                let number = self.variable(name.text(self.source));
                self.variables[number as usize].sets += 1;
            }
        }
        for (index, statement) in self.tree.statements.iter().enumerate() {
            let Expression::Set(name, value) = self.tree.node(*statement).expression else { continue };
            let number = self.variable(name.text(self.source));
            let is_lambda = self.lambda_of(value).is_some();
            let variable = &mut self.variables[number as usize];
            // A lambda that a tag adds to its class has the type that it is written with, as in a script.
            if variable.sets == 1 && (variable.declared.is_none() || variable.is_added) && is_lambda {
                variable.definition = Some(index as u32);
                variable.declared = None;
            }
        }
    }

    /// The lambda or body of an expression, without brackets around it.
    fn lambda_of(&self, mut id: NodeId) -> Option<NodeId> {
        loop {
            match self.tree.node(id).expression {
                Expression::Group(inner) => id = inner,
                Expression::Lambda { .. } | Expression::Body(_) => return Some(id),
                _ => return None,
            }
        }
    }

    fn variable(&mut self, name: &'a str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let number = self.variables.len() as u32;
        self.numbers.insert(name, number);
        self.variables.push(Variable {
            name,
            declared: None,
            is_added: false,
            known: Known::No,
            definition: None,
            sets: 0,
            so_far: None,
            read: Vec::new(),
            cost: 0,
        });
        number
    }

    /// The statements (by number) and variables (by number, after the statements) in dependency order.
    fn groups(&mut self) -> Vec<Vec<u32>> {
        let statements = self.tree.statements.len();
        let mut edges = alloc::vec![Vec::new(); statements + self.variables.len()];
        let mut first = 0;
        for (index, statement) in self.tree.statements.iter().enumerate() {
            for node in &self.tree.nodes[first..=statement.0 as usize] {
                let is_name = node.expression == Expression::Name;
                let read = is_name.then(|| node.span.text(self.source));
                let set = self.tree.set_by(node).map(|name| name.text(self.source));
                if let Some(number) = read.and_then(|name| self.numbers.get(name)) {
                    edges[index].push(statements as u32 + number);
                }
                if let Some(number) = set.and_then(|name| self.numbers.get(name)) {
                    edges[statements + *number as usize].push(index as u32);
                }
            }
            first = statement.0 as usize + 1;
        }
        graph::groups(&edges)
    }

    /// Infers a group of mutually dependent statements and variables. If the type of a variable changes, the group is
    /// inferred again, up to a limit.
    fn group(&mut self, group: &[u32]) {
        const TRIES_MAX: usize = 3;
        let count = self.tree.statements.len() as u32;
        let mut statements: Vec<u32> = group.iter().copied().filter(|member| *member < count).collect();
        statements.sort_unstable();
        let variables: Vec<u32> = group.iter().filter_map(|member| member.checked_sub(count)).collect();
        let is_open = |variable: &Variable<'_>| variable.declared.is_none() && variable.definition.is_none();
        let open: Vec<u32> =
            variables.iter().copied().filter(|number| is_open(&self.variables[*number as usize])).collect();
        for number in &open {
            let so_far = self.variables[*number as usize].so_far;
            let term = so_far.unwrap_or_else(|| self.solver.unknown());
            self.variables[*number as usize].known = Known::Term(term);
        }
        if statements.is_empty() {
            return;
        }
        let mark = self.mark();
        for attempt in 1..=TRIES_MAX {
            self.statements(&statements);
            self.solver.solve(mark.constraints);
            let results: Vec<(u32, Term)> = open.iter().map(|number| (*number, self.joined(*number))).collect();
            let mut is_settled = true;
            for (number, result) in results {
                let before = self.term_of(number);
                if self.solver.is_same(before, result) {
                    // Effects of its lambdas are effects of the callers.
                    let _ = self.solver.accept(result, before);
                } else {
                    is_settled = false;
                    let term = if attempt + 1 == TRIES_MAX { ANY } else { result };
                    self.variables[number as usize].known = Known::Term(term);
                }
            }
            if is_settled || attempt == TRIES_MAX {
                break;
            }
            self.return_to(&mark);
        }
        self.keep(&statements, &mark);
    }

    /// The join of the types that a variable is set to, here and in earlier groups.
    fn joined(&mut self, number: u32) -> Term {
        let mut joined = self.variables[number as usize].so_far;
        for index in 0..self.sets.len() {
            let (of, term) = self.sets[index];
            if of == number {
                self.solver.settle(term);
                joined = Some(joined.map_or(term, |before| self.solver.join(before, term, Span::default())));
            }
        }
        joined.unwrap_or(ANY)
    }

    fn term_of(&self, number: u32) -> Term {
        match &self.variables[number as usize].known {
            Known::Term(term) => *term,
            Known::Scheme(scheme) => scheme.term,
            Known::No => ANY,
        }
    }

    fn statements(&mut self, statements: &[u32]) {
        self.solver.level = 1;
        for index in statements {
            let id = self.tree.statements[*index as usize];
            let Expression::Set(name, value) = self.tree.node(id).expression else { continue };
            let number = self.variable(name.text(self.source));
            if self.variables[number as usize].definition == Some(*index)
                && let Some(lambda) = self.lambda_of(value)
            {
                let term = self.lay_out(lambda);
                self.awaited.insert(lambda, term);
                self.variables[number as usize].known = Known::Term(term);
            }
        }
        for index in statements {
            let effect = self.solver.effect();
            self.around.push(LambdaDraft::statement(effect));
            let _ = self.infer(self.tree.statements[*index as usize]);
            self.around.pop();
            self.report_mismatches();
        }
    }

    /// Finishes a group: lambdas are generalised to type schemes, other types are fixed.
    fn keep(&mut self, statements: &[u32], mark: &Mark) {
        self.solver.level = 0;
        for index in statements {
            let Expression::Set(name, _) = self.tree.node(self.tree.statements[*index as usize]).expression else {
                continue;
            };
            let number = self.variable(name.text(self.source));
            if self.variables[number as usize].definition == Some(*index) {
                let scheme = self.solver.generalise(self.term_of(number), mark.constraints);
                self.variables[number as usize].known = Known::Scheme(scheme);
            }
        }
        self.solver.give_up(mark.constraints);
        self.report_mismatches();
        let sets = core::mem::take(&mut self.sets);
        for (number, term) in sets {
            if self.variables[number as usize].definition.is_none() {
                self.solver.settle(term);
                let before = self.variables[number as usize].so_far;
                let joined = before.map_or(term, |before| self.solver.join(before, term, Span::default()));
                self.variables[number as usize].so_far = Some(joined);
            }
        }
        self.awaited.clear();
    }

    fn mark(&self) -> Mark {
        Mark {
            reports: self.reports.len(),
            drafts: self.drafts.len(),
            reads: self.reads.len(),
            purities: self.purities.len(),
            constraints: self.solver.constraints.len(),
            mentions: self.mentions.len(),
        }
    }

    fn return_to(&mut self, mark: &Mark) {
        assert!(self.reports.len() >= mark.reports && self.drafts.len() >= mark.drafts, "only additions are undone");
        self.reports.truncate(mark.reports);
        self.drafts.truncate(mark.drafts);
        self.purities.truncate(mark.purities);
        self.mentions.truncate(mark.mentions);
        self.solver.constraints.truncate(mark.constraints);
        for (number, _) in core::mem::take(&mut self.sets) {
            let read = &mut self.variables[number as usize].read;
            // Each set left one behind.
            read.pop();
        }
        self.reads.truncate(mark.reads);
        self.awaited.clear();
    }

    fn finish(mut self) -> Checked {
        self.solver.give_up(0);
        self.report_mismatches();
        self.solver.spread_effects();
        for Purity { effect, span, message, help } in core::mem::take(&mut self.purities) {
            if self.solver.effects[effect as usize].is_effectful {
                self.report(Report::error(span, message).with_help(help));
            }
        }
        let lambdas = self.lambdas();
        let mut variables = Vec::new();
        for number in 0..self.variables.len() as u32 {
            let Variable { name, declared, is_added, sets, so_far, .. } = self.variables[number as usize].clone();
            let term = match &self.variables[number as usize].known {
                Known::Scheme(scheme) => scheme.term,
                _ => declared.or(so_far).unwrap_or(ANY),
            };
            let kind = self.solver.type_of(term);
            variables.push(VariableFact {
                name: name.to_string(),
                kind,
                is_declared: declared.is_some() || is_added,
                is_set: sets > 0,
            });
        }
        self.reports.sort_by_key(|report| (report.span.start, report.span.end));
        self.mentions.sort_by_key(|mention| mention.span.start);
        Checked { reports: self.reports, variables, lambdas, mentions: self.mentions }
    }

    fn report(&mut self, report: Report) {
        if self.reports.len() < REPORTS_MAX && !self.reports.contains(&report) {
            self.reports.push(report);
        }
    }

    fn report_mismatches(&mut self) {
        for Misfit { span, found, expected } in core::mem::take(&mut self.solver.misfits) {
            self.mismatch(span, found, expected, "");
        }
    }

    /// Reports a type error.
    fn mismatch(&mut self, span: Span, found: Term, expected: Term, help: &str) {
        let wanted = self.words(expected);
        let found_words = self.words(found);
        let advice = self.advice(found, expected, span);
        let help = if advice.is_empty() { help } else { &advice };
        self.report(Report::error(span, format!("expected {wanted}, found {found_words}")).with_help(help));
    }

    /// A type term in words, for messages.
    fn words(&mut self, term: Term) -> String {
        const KINDS: [(Term, &str); 7] = [
            (solve::NUMBER, "a number"),
            (solve::IDENTIFIER, "an identifier"),
            (solve::TRUTH, "true or false"),
            (solve::STRING, "a string"),
            (solve::VECTOR, "a vector"),
            (solve::HANDLE, "a handle"),
            (SOME_LAMBDA, "a lambda"),
        ];
        if let Cell::Unknown { mask, .. } = self.solver.cell(term) {
            let kinds = KINDS.iter().filter(|(kind, _)| mask & (1 << kind) != 0).map(|(_, words)| *words);
            let others = [(solve::MASK_LIST, "a list"), (solve::MASK_RECORD, "a record")];
            let others = others.iter().filter(|(kind, _)| mask & kind != 0).map(|(_, words)| *words);
            let all: Vec<&str> = kinds.chain(others).collect();
            return match all.split_last() {
                Some((last, [])) => last.to_string(),
                Some((last, others)) => format!("{} or {last}", others.join(", ")),
                None => String::from("anything"),
            };
        }
        self.solver.type_of(term).in_words()
    }

    /// The remedy for the most frequent type errors.
    fn advice(&self, found: Term, expected: Term, span: Span) -> String {
        let (found, wanted) = (self.solver.root(found), self.solver.mask(expected));
        let text = span.text(self.source);
        let text = if text.len() > 24 || text.contains('\n') { "x" } else { text };
        let wants = |term: Term| wanted != solve::MASK_ALL && wanted & (1 << term) != 0;
        match found {
            solve::NUMBER if wants(solve::TRUTH) => format!("a condition is true or false: write `{text} <> 0`"),
            _ if wants(solve::TRUTH) => String::from("a condition is true or false: compare it with something"),
            _ if wants(SOME_LAMBDA) && matches!(self.solver.cell(found), Cell::List(_)) => {
                String::from("a list is evaluated at once: to run its elements later, write `Lambda(do [ … ])`")
            }
            solve::IDENTIFIER if wants(solve::NUMBER) => format!("`number({text})` converts it to a number"),
            solve::NUMBER if wants(solve::IDENTIFIER) => {
                format!("`identifier({text})` converts it to an identifier; a literal one is written `#3`")
            }
            _ => String::new(),
        }
    }
}
