//! Mistakes that only the code of a class can see: a hull without volume, more triggers than a level can have.
//!
//! Laws
//! 1. A check reads the tag itself and the tags it refers to, and changes nothing: the tag is loaded as it is.
//! 2. It runs wherever references are checked: `tag check`, the loading of a game, embedded tags. So all of them report the same.

use alloc::string::String;
use alloc::vec::Vec;

use base::StringId;
use script::ast::{Expression, Tree};
use script::parse::parse;
use script::report::Report;
use script::source::Span;

use crate::packed::Packed;

/// A mistake in a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The field in which it is.
    pub field: &'static str,
    /// What was expected and what was found.
    pub message: String,
    /// The remedy.
    pub help: String,
}

/// The tags that a checked tag refers to, by the ids of their paths; none for one that does not exist.
pub type FindTag<'a> = dyn Fn(StringId) -> Option<&'a Packed> + 'a;

/// The check of a class and the classes derived from it.
pub type CheckTag = for<'a> fn(&'a Packed, &FindTag<'a>) -> Vec<Mistake>;

impl Mistake {
    /// A mistake in a field.
    pub fn new(field: &'static str, message: impl Into<String>, help: impl Into<String>) -> Mistake {
        Mistake { field, message: message.into(), help: help.into() }
    }

    /// The report about it in the text of its tag: at the name of the field, or at the start if the text does not set it.
    pub fn report(&self, source: &str) -> Report {
        Report::error(self.span(source, &parse(source)), self.message.clone()).with_help(self.help.clone())
    }

    fn span(&self, source: &str, tree: &Tree) -> Span {
        let is_it = |statement: &_| match tree.node(*statement).expression {
            Expression::Set(name, _) => (name.text(source) == self.field).then_some(name),
            _ => None,
        };
        // The last setting of a name counts.
        tree.statements.iter().rev().find_map(is_it).unwrap_or_default()
    }
}
