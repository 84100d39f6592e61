//! Reports of interfaces: what is wrong in a tag or a script, and where.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::limits::REPORTS_MAX;

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct GuiReport {
    /// The path of the tag; may be empty.
    pub path: String,
    /// The line in it, from 1; 0 if it is not known.
    pub line: u32,
    /// What was expected, what was found, and what is done about it.
    pub message: String,
}

impl fmt::Display for GuiReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.path.is_empty(), self.line) {
            (true, _) => write!(formatter, "{}", self.message),
            (_, 0) => write!(formatter, "{}: {}", self.path, self.message),
            _ => write!(formatter, "{}:{}: {}", self.path, self.line, self.message),
        }
    }
}

/// Reports, each once.
#[derive(Clone, Debug, Default)]
pub struct Reports {
    waiting: Vec<GuiReport>,
    known: BTreeSet<GuiReport>,
}

impl Reports {
    /// Adds a report, unless it was added before or there are too many.
    pub fn add(&mut self, path: &str, line: u32, message: impl Into<String>) {
        let report = GuiReport { path: path.into(), line, message: message.into() };
        if self.known.len() < REPORTS_MAX && self.known.insert(report.clone()) {
            self.waiting.push(report);
        }
    }

    /// The new reports.
    pub fn take(&mut self) -> Vec<GuiReport> {
        core::mem::take(&mut self.waiting)
    }

    /// Forgets what was reported: after a tag has changed, mistakes are reported again.
    pub fn forget(&mut self) {
        self.known.clear();
    }
}
