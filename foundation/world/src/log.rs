//! The log: warnings with their objects and lines, and values that scripts log. No part of the world.
//!
//! Laws
//! 1. The log cannot influence the world. Unread lines are dropped beyond a limit.
//! 2. Logging does not allocate while a world is stepped.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use base::{Handle, StringId};
use jobs::PerWorker;
use script::environment::EvaluationError;
use script::machine::{Complaint, Halt};
use script::migration::{Waiting, lambda_in_words};
use script::program::SourcePlace;
use script::source::{Place, Span};
use script::stage::Act;
use script::value::{Kind, Value};
use script::write::write_plain;
use state::Item;

use crate::condition::{Condition, Warning};
use crate::limits::TROUBLES_MAX;
use crate::object::Object;
use crate::prototype::Prototypes;

/// The most values of a line.
const VALUES_MAX: usize = 12;

/// The most elements of lists and records in the unread lines. Lines beyond it show `…` in their place.
const PARTS_MAX: usize = 16 * 1024;

/// The log of a world.
pub struct Log {
    unread: PerWorker<Unread>,
    /// The prototypes before the last change of tags, which name the lambdas that are gone.
    former: Option<Arc<Prototypes>>,
}

/// What was logged since the lines were last taken. Nothing here grows beyond its first capacity.
struct Unread {
    lines: Vec<LogLine>,
    /// The elements of the lists and records in the lines, and how many there are.
    parts: Vec<Value>,
    used: usize,
    details: Vec<Detail>,
}

/// The details of a condition that a script caused, which the world does not hold.
#[derive(Clone, Copy)]
struct Detail {
    object: Handle<Object>,
    function: u32,
    start: u32,
    what: DetailContent,
}

#[derive(Clone, Copy)]
enum DetailContent {
    /// What was expected, and what was found.
    Complaint(&'static str, Value),
    /// The limit that was reached, and its number.
    Halt(Halt, u64),
    /// What the effect takes; none if there is no effect of that name.
    Effect(Option<&'static str>),
    /// What was dropped with a lambda of a former prototype: the prototype, the lambda's function, and whether that has no counterpart
    /// now.
    Dropped(Waiting, u32, u32, bool),
    /// Why the state of an object has no place in its new prototype.
    Restarted(&'static str),
}

#[derive(Clone, Copy)]
struct LogLine {
    cycle: u64,
    object: Handle<Object>,
    prototype: u32,
    what: LogContent,
}

#[derive(Clone, Copy)]
enum LogContent {
    /// A warning, and the number of the capacity that it is about.
    Warned(Warning, Option<u64>),
    /// The values, how many they are, and whether all parts are there.
    Logged([Value; VALUES_MAX], usize, bool),
}

impl Log {
    /// An empty log.
    pub fn new() -> Log {
        let unread = || Unread {
            lines: Vec::with_capacity(TROUBLES_MAX),
            parts: alloc::vec![Value::NOTHING; PARTS_MAX],
            used: 0,
            details: Vec::with_capacity(TROUBLES_MAX),
        };
        Log { unread: PerWorker::new(1, unread), former: None }
    }

    /// An empty log of rules to which objects are carried over from these prototypes.
    pub(crate) fn after(former: &Arc<Prototypes>) -> Log {
        Log { former: Some(Arc::clone(former)), ..Log::new() }
    }

    /// Logs the values of a `!Log`, with the elements of lists and records.
    pub fn note(&self, item: &Item<'_, Object>, act: &Act<'_>) {
        let mut values = [Value::NOTHING; VALUES_MAX];
        let mut is_whole = true;
        self.unread.with(0, |unread| {
            for (place, value) in values.iter_mut().zip(act.arguments) {
                let copied = act.copy(*value, &mut unread.parts, &mut unread.used);
                is_whole &= copied.is_some();
                *place = copied.unwrap_or_default();
            }
        });
        let what = LogContent::Logged(values, act.arguments.len().min(VALUES_MAX), is_whole);
        self.push(LogLine { cycle: item.cycle(), object: item.handle, prototype: item.next.mind.program, what });
    }

    /// Logs a warning, with the number of the capacity that it is about.
    pub(crate) fn warn(
        &self,
        cycle: u64,
        (object, prototype): (Handle<Object>, u32),
        warning: Warning,
        capacity: Option<u64>,
    ) {
        self.push(LogLine { cycle, object, prototype, what: LogContent::Warned(warning, capacity) });
    }

    /// Keeps what was expected and found, for the warning about it.
    pub(crate) fn explain_complaint(&self, object: Handle<Object>, complaint: &Complaint, span: Span) {
        let what = DetailContent::Complaint(complaint.expected, complaint.found);
        self.explain(Detail { object, function: complaint.function, start: span.start, what });
    }

    /// Keeps which limit was reached, for the warning about it.
    pub(crate) fn explain_halt(&self, object: Handle<Object>, error: &EvaluationError) {
        let what = DetailContent::Halt(error.halt, error.limit);
        self.explain(Detail { object, function: error.function, start: error.span.start, what });
    }

    /// Keeps what an effect takes, or that there is none of its name, for the warning about its call.
    pub(crate) fn explain_effect(
        &self,
        object: Handle<Object>,
        (function, span): (u32, Span),
        signature: Option<&'static str>,
    ) {
        self.explain(Detail { object, function, start: span.start, what: DetailContent::Effect(signature) });
    }

    /// Keeps what is dropped with a lambda of a former prototype, for the warning about it.
    pub(crate) fn explain_dropped(
        &self,
        object: Handle<Object>,
        number: u32,
        (function, waiting): (u32, Waiting),
        is_gone: bool,
    ) {
        let what = DetailContent::Dropped(waiting, number, function, is_gone);
        self.explain(Detail { object, function, start: waiting as u32, what });
    }

    /// Keeps why an object restarts, for the warning about it.
    pub(crate) fn explain_restart(&self, object: Handle<Object>, why: &'static str) {
        self.explain(Detail { object, function: 0, start: 0, what: DetailContent::Restarted(why) });
    }

    fn explain(&self, detail: Detail) {
        self.unread.with(0, |unread| {
            if unread.details.len() == TROUBLES_MAX {
                unread.details.remove(0);
            }
            unread.details.push(detail);
        });
    }

    fn push(&self, line: LogLine) {
        self.unread.with(0, |Unread { lines, .. }| {
            if lines.len() == TROUBLES_MAX {
                lines.remove(0);
            }
            assert!(lines.len() < lines.capacity(), "law 2 of the log: another line would allocate");
            lines.push(line);
        });
    }

    /// Takes the lines since the last call, sorted by cycle, then by object.
    pub fn take(&self, prototypes: &Prototypes) -> Vec<String> {
        self.unread.with(0, |unread| {
            let mut lines = unread.lines.to_vec();
            lines.sort_by_key(|line| (line.cycle, line.object.slot()));
            let texts = lines.iter().map(|line| line.text(prototypes, self.former.as_deref(), unread)).collect();
            // The capacity is kept: a step does not allocate.
            unread.lines.clear();
            unread.details.clear();
            unread.used = 0;
            texts
        })
    }
}

impl Default for Log {
    fn default() -> Log {
        Log::new()
    }
}

impl LogLine {
    fn text(&self, prototypes: &Prototypes, former: Option<&Prototypes>, unread: &Unread) -> String {
        let prototype = prototypes.get(self.prototype);
        let mut text = alloc::format!("cycle {}: ", self.cycle);
        let program = prototypes.programs().get(self.prototype);
        let place = match (&self.what, program) {
            (LogContent::Warned(warning, _), Some(program)) if warning.end > 0 => Some(program.place(warning.start)),
            _ => None,
        };
        if let Some(prototype) = prototype.filter(|_| !self.object.is_none()) {
            text.push_str(place.and_then(|place| place.path).unwrap_or(&prototype.path));
            if let Some(SourcePlace { path, place: Place { line, column } }) =
                place.filter(|place| place.place.line > 0)
            {
                text.push_str(&alloc::format!(":{line}:{column}"));
                // An inherited lambda: whose it is.
                if path.is_some() {
                    text.push_str(&alloc::format!(" in {}", prototype.path));
                }
            }
            text.push_str(&alloc::format!(" #{:08x}: ", self.object.raw()));
        }
        match &self.what {
            LogContent::Warned(warning, capacity) => {
                let detail = unread.detail(self.object, warning);
                text.push_str(match (warning.condition(), detail) {
                    (Some(Condition::NoSuchEffect), Some(DetailContent::Effect(None))) => "there is no such effect",
                    (Some(Condition::NoSuchEffect), _) => "an effect with wrong arguments",
                    (Some(Condition::TagChanged), Some(_)) => "the tag of the object changed",
                    (Some(condition), _) => condition.text(),
                    (None, _) => "unknown condition",
                });
                if let Some(about) = prototypes.text(warning.about).filter(|about| !about.is_empty()) {
                    text.push_str(&alloc::format!(" ({about})"));
                }
                match warning.condition() {
                    _ if warning.subject == 0 => {}
                    Some(Condition::NoSuchPlayer | Condition::EventRefused) => {
                        text.push_str(&alloc::format!(", player {}", warning.subject - 1));
                    }
                    _ => text.push_str(&alloc::format!(" -> #{:08x}", warning.subject)),
                }
                if let Some(detail) = detail {
                    detail.write((prototypes, former), &mut text);
                }
                if let (Some(capacity), Some(setting)) =
                    (capacity, warning.condition().and_then(|condition| condition.setting()))
                {
                    text.push_str(&alloc::format!(": {setting} is {capacity}"));
                }
                if warning.count > 1 {
                    text.push_str(&alloc::format!(", {} times", warning.count));
                }
            }
            LogContent::Logged(values, count, is_whole) => {
                let known = |id: StringId| prototypes.text(id);
                for value in &values[..*count] {
                    text.push_str(&write_plain(*value, &unread.parts, &known));
                    text.push(' ');
                }
                if !is_whole {
                    text.push('…');
                }
            }
        }
        String::from(text.trim_end())
    }
}

impl Unread {
    /// The details of a warning, if a script caused it.
    fn detail(&self, object: Handle<Object>, warning: &Warning) -> Option<&DetailContent> {
        let is_it = |detail: &&Detail| {
            let is_kind = match detail.what {
                DetailContent::Complaint(..) => Condition::Complained,
                DetailContent::Halt(..) => Condition::Halted,
                DetailContent::Effect(_) => Condition::NoSuchEffect,
                DetailContent::Dropped(..) | DetailContent::Restarted(_) => Condition::TagChanged,
            };
            warning.condition() == Some(is_kind)
                && (detail.object, detail.function, detail.start) == (object, warning.function, warning.start)
        };
        self.details.iter().rev().find(is_it).map(|detail| &detail.what)
    }
}

impl DetailContent {
    fn write(&self, (prototypes, former): (&Prototypes, Option<&Prototypes>), text: &mut String) {
        match *self {
            DetailContent::Complaint(expected, found) => {
                let kind = found.kind();
                let value = match kind {
                    Kind::Nothing => String::new(),
                    Kind::Lambda | Kind::List | Kind::Record => alloc::format!("a {}", kind.name()),
                    _ => prototypes.written(found),
                };
                let found = if kind == Kind::Nothing { "nothing" } else { value.as_str() };
                text.push_str(&alloc::format!(": expected {expected}, found {found}"));
            }
            DetailContent::Halt(halt, limit) => {
                let remedy = match halt {
                    Halt::Fuel => "it used up its fuel of {}; the field `fuel` of the globals raises that",
                    Halt::Depth => "its calls were nested deeper than {}; the field `depth` of the globals raises that",
                    Halt::Effects => {
                        "it had more than {} effects and sets; the field `effects` of the globals raises that"
                    }
                    Halt::Memory => {
                        "its lists and records grew beyond {} values; the field `values` of the globals raises that"
                    }
                    Halt::Room => {
                        "its variables hold more than {} values in lists and records; `!set storage …` in its tag raises that"
                    }
                };
                text.push_str(": ");
                text.push_str(&remedy.replace("{}", &alloc::format!("{limit}")));
            }
            DetailContent::Effect(None) => {}
            DetailContent::Dropped(waiting, prototype, function, is_gone) => {
                let program = former.and_then(|former| former.programs().get(prototype));
                let lambda = program.map_or_else(String::new, |program| lambda_in_words(program, function));
                let why = if is_gone { "that is gone" } else { "the tag has no effects now, and so no place for it" };
                text.push_str(&alloc::format!(": its {} of {lambda} is dropped, since {why}", waiting.name()));
            }
            DetailContent::Restarted(why) => {
                text.push_str(": ");
                text.push_str(why);
            }
            DetailContent::Effect(Some(signature)) => text.push_str(&alloc::format!(": expected `!{signature}`")),
        }
    }
}
