//! The result of a check: a place, and what is wrong there.

use std::fmt;

/// A violation of a rule at one place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Complaint {
    /// The file, from the root of the repository.
    pub path: String,
    /// The line, counted from one; zero for the whole file.
    pub line: usize,
    /// What is wrong, and the remedy.
    pub what: String,
}

impl Complaint {
    /// A complaint about one line.
    pub fn at(path: &str, line: usize, what: impl Into<String>) -> Self {
        Complaint { path: path.to_owned(), line, what: what.into() }
    }

    /// A complaint about a whole file.
    pub fn about(path: &str, what: impl Into<String>) -> Self {
        Complaint::at(path, 0, what)
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(out, "{}: {}", self.path, self.what),
            line => write!(out, "{}:{line}: {}", self.path, self.what),
        }
    }
}

/// Panics with the whole list unless it is empty. Every test over the repository ends with this call.
#[track_caller]
pub fn expect_none(complaints: &[Complaint]) {
    let list: Vec<String> = complaints.iter().map(|complaint| format!("  {complaint}")).collect();
    assert!(list.is_empty(), "{} complaint(s):\n{}", list.len(), list.join("\n"));
}

/// Panics unless there is exactly one complaint, and it contains `part`. For examples that break a rule.
#[track_caller]
pub fn expect_one(complaints: &[Complaint], part: &str) {
    match complaints {
        [only] if only.to_string().contains(part) => {}
        others => panic!("expected one complaint with {part:?}, found {others:#?}"),
    }
}
