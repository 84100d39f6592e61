//! Why is something made anew?

use std::fmt;

use super::Made;
use crate::key::Key;

/// Why a tag is made anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// Nothing is known of it.
    NeverMade,
    /// Its text changed.
    Text,
    /// Its class did; its name.
    Class(String),
    /// A tag that its postprocess reads changed; its path.
    Dependency(String),
    /// The way of making did: a new version of the program.
    Program,
    /// There was something to report, which has to be told again.
    Reports,
    /// It should be in the store, and is not, or is damaged.
    Lost,
}

impl Reason {
    /// Why a text is packed anew, by what it was made from last time and would be now; the first that differs counts.
    #[must_use]
    pub fn between(before: Option<(&Key, &Made)>, class: &str, content: &Key, now: &Made) -> Reason {
        let Some((content_before, made)) = before else { return Reason::NeverMade };
        if content_before != content {
            return Reason::Text;
        }
        if made.fingerprint != now.fingerprint {
            return Reason::Class(class.to_string());
        }
        if made.key != now.key {
            Reason::Program
        } else if made.is_reported {
            Reason::Reports
        } else {
            Reason::Lost
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NeverMade => formatter.write_str("it was never built"),
            Reason::Text => formatter.write_str("its text changed"),
            Reason::Class(class) => write!(formatter, "the class `{class}` changed"),
            Reason::Dependency(path) => write!(formatter, "it reads `{path}`, which changed"),
            Reason::Program => formatter.write_str("the program builds in another way now"),
            Reason::Reports => formatter.write_str("there is something to report about it"),
            Reason::Lost => formatter.write_str("the store lost it"),
        }
    }
}
