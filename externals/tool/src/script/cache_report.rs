//! The use of the result cache by each lambda of a program, for its author: lookups and hits, or the reason why it was
//! never looked up.

use std::collections::BTreeSet;

use script::ast::Caching;
use script::cache::{Cache, Usage};
use script::facts::{Cacheability, UNASKED_WORK_MIN};
use script::program::{Function, Program};

use super::source_part::SourcePart;
use crate::json::Json;

/// The use of the result cache by one lambda.
pub struct CacheReportRow {
    name: String,
    file: String,
    line: Option<u32>,
    usage: Usage,
    /// Why it was never looked up; empty if it was.
    why: String,
}

/// The use of the result cache by all lambdas of a program, in the order of their source.
pub fn of_program(program: &Program, parts: &[SourcePart], cache: &Cache) -> Vec<CacheReportRow> {
    let statements: BTreeSet<u32> = program.statements.iter().copied().collect();
    let mut rows = Vec::new();
    for (number, function) in program.functions.iter().enumerate() {
        let number = number as u32;
        if statements.contains(&number) {
            continue;
        }
        let part = SourcePart::of(parts, number);
        let usage = cache.usage(number);
        let why = if usage.lookups > 0 { String::new() } else { why_not(function, part, &usage) };
        let row = CacheReportRow {
            name: function.name.clone(),
            file: part.map_or(String::new(), |part| part.name.clone()),
            line: part.map(|part| part.line(function.span.start)),
            usage,
            why,
        };
        rows.push(((part.map(|part| part.functions_from), function.span.start, function.span.end), row));
    }
    rows.sort_by_key(|(place, _)| *place);
    rows.into_iter().map(|(_, row)| row).collect()
}

impl CacheReportRow {
    /// One line for people.
    pub fn line(&self) -> String {
        let place = self.line.map_or(String::new(), |line| format!("{}:{line}: ", self.file));
        let name = if self.name.is_empty() { "(no name)" } else { &self.name };
        if !self.why.is_empty() {
            return format!("{place}{name}: not looked up: {}", self.why);
        }
        let Usage { lookups, hits, rests, refreshes, entries, saved } = self.usage;
        let rate = 100.0 * self.hit_rate();
        let (change, time) = if saved < 0.0 { ("lost", -saved) } else { ("saved", saved) };
        let few = |count: u64, one: &'static str, more: &'static str| {
            format!("{count} {}", if count == 1 { one } else { more })
        };
        let (hits, lookups) = (few(hits, "hit", "hits"), few(lookups, "lookup", "lookups"));
        let (entries, refreshes) = (few(entries.into(), "entry", "entries"), few(refreshes, "time", "times"));
        let rests = few(rests, "call", "calls");
        format!(
            "{place}{name}: {hits} in {lookups} ({rate:.1} %), {entries}, about {time:.0} ns {change}, \
             requirements computed {refreshes}, {rests} without a lookup"
        )
    }

    /// As a row of JSON.
    pub fn json(&self) -> Json {
        let line = self.line.map_or_else(|| String::from("null"), |line| line.to_string());
        let Usage { lookups, hits, rests, refreshes, entries, saved } = self.usage;
        let row = Json::new().text("name", &self.name).text("file", &self.file).value("line", line);
        let row = row.value("lookups", lookups).value("hits", hits).value("hit_rate", self.hit_rate());
        let row = row.value("entries", entries).value("saved_nanoseconds", saved);
        row.value("refreshes", refreshes).value("rests", rests).text("why_not", &self.why)
    }

    fn hit_rate(&self) -> f64 {
        if self.usage.lookups == 0 { 0.0 } else { self.usage.hits as f64 / self.usage.lookups as f64 }
    }
}

/// The reason why a lambda was never looked up: the compiler's, in the checker's words where it has some.
fn why_not(function: &Function, part: Option<&SourcePart>, usage: &Usage) -> String {
    let known = part.and_then(|part| part.lambdas.iter().find(|lambda| lambda.span == function.span));
    let refusal = known.and_then(|lambda| lambda.refusal).map(|refusal| refusal.to_string());
    match function.facts.worth {
        Cacheability::Possible if function.caching == Caching::Uncached => String::from("it says `Uncached`"),
        Cacheability::Impossible | Cacheability::Possible if refusal.is_some() => refusal.unwrap_or_default(),
        Cacheability::Impossible => {
            String::from("it has effects, uses names of a lambda around it, or depends on too many values")
        }
        Cacheability::Possible => {
            let work = function.facts.work;
            format!(
                "it takes about {work} instructions; without `Cached`, results are cached from {UNASKED_WORK_MIN} on"
            )
        }
        Cacheability::Kept if usage.refreshes > 0 => {
            refusal.unwrap_or_else(|| String::from("the lambdas it calls have effects, or read too many variables"))
        }
        Cacheability::Kept => String::from("it was never called, or never with atoms (numbers, strings) alone"),
    }
}
