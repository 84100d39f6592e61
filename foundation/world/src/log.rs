//! The log: warnings with their objects and lines, and values that scripts log. No part of the world.
//!
//! Laws
//! 1. The log cannot influence the world. Unread lines are dropped beyond a limit.
//! 2. Logging does not allocate while a world is stepped.

use alloc::string::String;
use alloc::vec::Vec;

use base::Handle;
use jobs::PerWorker;
use script::value::Value;
use state::Item;

use crate::condition::{Condition, Warning};
use crate::limits::TROUBLES_MAX;
use crate::object::Object;
use crate::prototype::Prototypes;

/// The most values of a line.
const VALUES_MAX: usize = 12;

/// The log of a world.
pub struct Log {
    lines: PerWorker<Vec<LogLine>>,
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
    Warned(Warning),
    Logged([Value; VALUES_MAX], usize),
}

impl Log {
    /// An empty log.
    pub fn new() -> Log {
        Log { lines: PerWorker::new(1, || Vec::with_capacity(TROUBLES_MAX)) }
    }

    /// Logs the values of a `!Log`. Of lists and records only the type is shown.
    pub fn note(&self, item: &Item<'_, Object>, arguments: &[Value]) {
        let mut values = [Value::NOTHING; VALUES_MAX];
        values.iter_mut().zip(arguments).for_each(|(place, value)| *place = *value);
        let what = LogContent::Logged(values, arguments.len().min(VALUES_MAX));
        self.push(LogLine { cycle: item.cycle(), object: item.handle, prototype: item.next.mind.program, what });
    }

    /// Logs a warning.
    pub(crate) fn warn(&self, cycle: u64, object: Handle<Object>, prototype: u32, warning: Warning) {
        self.push(LogLine { cycle, object, prototype, what: LogContent::Warned(warning) });
    }

    fn push(&self, line: LogLine) {
        self.lines.with(0, |lines| {
            if lines.len() == TROUBLES_MAX {
                lines.remove(0);
            }
            assert!(lines.len() < lines.capacity(), "law 2 of the log: another line would allocate");
            lines.push(line);
        });
    }

    /// Takes the lines since the last call, sorted by cycle, then by object.
    pub fn take(&self, prototypes: &Prototypes) -> Vec<String> {
        let mut lines = self.lines.with(0, |lines| {
            let taken = lines.to_vec();
            // The capacity is kept: a step does not allocate.
            lines.clear();
            taken
        });
        lines.sort_by_key(|line| (line.cycle, line.object.slot()));
        lines.iter().map(|line| line.text(prototypes)).collect()
    }
}

impl Default for Log {
    fn default() -> Log {
        Log::new()
    }
}

impl LogLine {
    fn text(&self, prototypes: &Prototypes) -> String {
        let prototype = prototypes.get(self.prototype);
        let mut text = alloc::format!("cycle {}: ", self.cycle);
        let program = prototypes.programs().get(self.prototype);
        let line = match (&self.what, program) {
            (LogContent::Warned(warning), Some(program)) if warning.end > 0 => program.line(warning.start),
            _ => 0,
        };
        if let Some(prototype) = prototype.filter(|_| !self.object.is_none()) {
            text.push_str(&prototype.path);
            if line > 0 {
                text.push_str(&alloc::format!(":{line}"));
            }
            text.push_str(&alloc::format!(" #{:08x}: ", self.object.raw()));
        }
        match &self.what {
            LogContent::Warned(warning) => {
                text.push_str(warning.condition().map_or("unknown condition", |condition| condition.text()));
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
                if warning.count > 1 {
                    text.push_str(&alloc::format!(", {} times", warning.count));
                }
            }
            LogContent::Logged(values, count) => {
                for value in &values[..*count] {
                    text.push_str(&prototypes.written(*value));
                    text.push(' ');
                }
            }
        }
        String::from(text.trim_end())
    }
}
