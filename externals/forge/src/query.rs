//! Queries over tags of one class: an LScript expression over its fields, compiled once and evaluated for each tag.
//!
//! Laws
//! 1. A field has the same value as in the tag's own formulas; angles are in degrees, as in the text. Choices, names,
//!    texts and references are strings, flags a list of strings, series lists, records records.
//! 2. A query has no effects and ends within its limits.
//! 3. A tag for which it cannot be evaluated (a field holds a lambda, a number is compared with nothing) is counted as
//!    unanswered, with the reason.

use std::collections::BTreeMap;

use base::{StringId, Vec3};
use script::arena::{Arena, Full};
use script::check::{Setting, check};
use script::compile::compile;
use script::environment::Environment;
use script::machine::{Limits, Scratch};
use script::parse::parse;
use script::program::Program;
use script::report::{Report, Severity};
use script::source::Lines;
use script::token::TokenKind;
use script::value::{Kind as ValueKind, Value};
use script::write::write;
use tags::class::Class;
use tags::header::schema_of;
use tags::packed::{Packed, Reflected, ReflectedRecord, write_text};

use crate::limits::{ASKED_DEPTH_MAX, ASKED_VALUES, CONDITION_BYTES_MAX};
use crate::query_error::{AnswerError, QueryError};

/// The limits of evaluating one tag.
const LIMITS: Limits = Limits { fuel: 10_000_000, depth: 32, values: 1 << 16, effects: 16 };

/// A compiled query.
#[derive(Debug)]
pub struct Query {
    text: String,
    program: Program,
    /// The fields it reads, each with its variable.
    fields: Vec<(String, u32)>,
    /// The field, if the query is nothing but one.
    only: Option<String>,
}

/// The workspace of one thread.
pub struct QueryRunner<'q> {
    question: &'q Query,
    environment: Environment,
    made: Arena,
    spare: Vec<Value>,
    scratch: Scratch,
    values: usize,
    /// The texts of strings from tags, for results that are shown.
    words: BTreeMap<StringId, String>,
    keeps_words: bool,
}

impl Query {
    /// Compiles a query.
    pub fn new(text: &str, class: &Class) -> Result<Query, QueryError> {
        if text.len() > CONDITION_BYTES_MAX {
            return Err(QueryError::TooLong { bytes: text.len() });
        }
        let tree = parse(text);
        let schema = schema_of(class);
        let names = schema.names();
        let (program, reports) = compile(text, &tree, &names);
        let setting = Setting { schema: Some(&schema), effects: &[], ..Setting::default() };
        let checked = check(text, &tree, &setting);
        let mut reports: Vec<Report> = tree.reports.iter().cloned().chain(reports).chain(checked.reports).collect();
        reports.sort_by_key(|report| (report.span.start, report.span.end));
        reports.dedup();
        reports.retain(|report| report.severity == Severity::Error);
        if let [first, ..] = reports.as_slice() {
            let rendered = first.render("query", text, &Lines::of(text)).trim_end().to_string();
            return Err(QueryError::Wrong { rendered });
        }
        let [statement] = tree.statements.as_slice() else {
            return Err(QueryError::NotOneExpression { class: class.name.clone(), text: text.to_string() });
        };
        if tree.node(*statement).has_effect {
            return Err(QueryError::HasEffect);
        }
        let mut fields: Vec<(String, u32)> = Vec::new();
        for token in tree.tokens.iter().filter(|token| token.kind == TokenKind::Name) {
            let name = token.span.text(text);
            let is_new = names.contains(&name) && fields.iter().all(|(known, _)| known != name);
            if let Some(variable) = program.variable(name).filter(|_| is_new) {
                fields.push((name.to_string(), variable));
            }
        }
        let only = fields.first().filter(|(name, _)| name == text.trim()).map(|(name, _)| name.clone());
        Ok(Query { text: text.to_string(), program, fields, only })
    }

    /// The text of the query.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl<'q> QueryRunner<'q> {
    /// Prepares for evaluating one tag after the other.
    pub fn new(question: &'q Query) -> QueryRunner<'q> {
        let values = ASKED_VALUES.0;
        QueryRunner {
            question,
            environment: Environment::new(&question.program, values),
            made: Arena::new(values),
            spare: Vec::new(),
            scratch: Scratch::new(LIMITS),
            values,
            words: BTreeMap::new(),
            keeps_words: false,
        }
    }

    /// Whether the result is `true`. Any other value than true or false is an error.
    pub fn is_true(&mut self, packed: &Packed, class: &Class) -> Result<bool, AnswerError> {
        let value = self.ask(packed, class)?;
        value.as_truth().ok_or_else(|| AnswerError::NotTruth { found: named(value) })
    }

    /// The result as LScript.
    pub fn answer(&mut self, packed: &Packed, class: &Class) -> Result<String, AnswerError> {
        if let Some(field) = &self.question.only {
            let mut out = String::new();
            write_text(&packed.reflect(class).get(field), &mut out);
            return Ok(out);
        }
        self.keeps_words = true;
        let value = self.ask(packed, class)?;
        if let Some(id) = value.as_string()
            && let Some(text) = self.words.get(&id)
        {
            return Ok(format!("\"{}\"", text.replace('"', "\"\"")));
        }
        Ok(write(value, &self.question.program, self.scratch.region(), self.environment.kept()))
    }

    fn ask(&mut self, packed: &Packed, class: &Class) -> Result<Value, AnswerError> {
        let statement = *self.question.program.statements.first().ok_or(AnswerError::Empty)?;
        self.fill(packed.reflect(class))?;
        let result = self.environment.evaluate(&self.question.program, statement, &[], &mut self.scratch);
        let value = result.map_err(AnswerError::Halted)?;
        match self.scratch.complaints().first() {
            Some(complaint) => Err(AnswerError::Kind(*complaint)),
            None => Ok(value),
        }
    }

    /// Sets the fields in the environment, which grows if it is too small.
    fn fill(&mut self, seen: ReflectedRecord<'_>) -> Result<(), AnswerError> {
        loop {
            match self.try_fill(seen) {
                Ok(()) => return Ok(()),
                Err(Full) if self.values < ASKED_VALUES.1 => {
                    self.values = (self.values * 8).min(ASKED_VALUES.1);
                    self.environment = Environment::new(&self.question.program, self.values);
                    self.made = Arena::new(self.values);
                }
                Err(Full) => return Err(AnswerError::TooLong),
            }
        }
    }

    fn try_fill(&mut self, seen: ReflectedRecord<'_>) -> Result<(), Full> {
        self.made.clear();
        self.words.clear();
        let question = self.question;
        let mut sets = Vec::with_capacity(question.fields.len());
        for (name, variable) in &question.fields {
            sets.push((*variable, self.value(&seen.get(name), 0)?));
        }
        if sets.iter().all(|(_, value)| !matches!(value.kind(), ValueKind::List | ValueKind::Record)) {
            sets.iter().for_each(|(variable, value)| self.environment.set(*variable, *value));
            return Ok(());
        }
        self.environment.set_made(&sets, &self.made, &mut self.spare)
    }

    fn value(&mut self, seen: &Reflected<'_>, depth: u32) -> Result<Value, Full> {
        if depth > ASKED_DEPTH_MAX {
            return Err(Full);
        }
        Ok(match seen {
            Reflected::Nothing | Reflected::Lambda(_) => Value::NOTHING,
            Reflected::Number(number) => Value::number(*number),
            Reflected::Truth(truth) => Value::truth(*truth),
            Reflected::Identifier(number) => Value::identifier(*number),
            Reflected::Name(text, id) => {
                self.keep(*id, text);
                Value::string(*id)
            }
            Reflected::Text(text) | Reflected::Choice(text) | Reflected::Reference(text) => self.string(text),
            Reflected::Numbers([x, y, z, _], 3) => Value::vector(Vec3 { x: *x, y: *y, z: *z }),
            Reflected::Numbers(numbers, count) => {
                let numbers = numbers.map(|number| Value::number(f64::from(number)));
                self.made.list(&numbers[..usize::from(*count).min(4)])?
            }
            Reflected::Flags(names, bits) => {
                let set = names.iter().enumerate().filter(|(index, _)| *index < 32 && bits >> index & 1 == 1);
                let set: Vec<Value> = set.map(|(_, named)| self.string(&named.name)).collect();
                self.made.list(&set)?
            }
            Reflected::Bulk(bytes, _) => {
                let pair = [self.string("bytes"), Value::number(*bytes as f64)];
                self.made.record(&pair)?
            }
            Reflected::Record(record) => {
                let mut pairs = Vec::new();
                for (field, seen) in record.fields() {
                    pairs.push(self.string(&field.name));
                    pairs.push(self.value(&seen, depth + 1)?);
                }
                self.made.record(&pairs)?
            }
            Reflected::Series(series) => {
                if series.count() > self.values {
                    return Err(Full);
                }
                let mut elements = Vec::with_capacity(series.count());
                for seen in series.each() {
                    elements.push(self.value(&seen, depth + 1)?);
                }
                self.made.list(&elements)?
            }
        })
    }

    fn string(&mut self, text: &str) -> Value {
        let id = StringId::from(text);
        self.keep(id, text);
        Value::string(id)
    }

    fn keep(&mut self, id: StringId, text: &str) {
        if self.keeps_words {
            self.words.insert(id, text.to_string());
        }
    }
}

fn named(value: Value) -> &'static str {
    match value.kind() {
        ValueKind::Nothing => "nothing",
        kind => kind.name(),
    }
}
