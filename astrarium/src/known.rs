//! What a console knows of its variables from earlier lines.
//!
//! Laws
//! 1. A variable that was set to values of different types may hold anything. So nothing is reported that runs without a
//!    complaint.
//! 2. Lambdas may be anything: what they take and do can hang on variables of lines to come.

use script::check::{Setting, check};
use script::class::{Class, Variable};
use script::tree::Tree;
use script::types::Type;

/// The types of a console's variables, as the class of its next line.
#[derive(Clone)]
pub struct Known(Class);

impl Known {
    /// Nothing is known.
    pub fn new() -> Known {
        Known(Class { name: String::from("console"), variables: Vec::new(), init: None })
    }

    /// The class of the next line.
    pub fn class(&self) -> &Class {
        &self.0
    }

    /// What will be known when another line has been run.
    pub fn after(&self, line: &str, tree: &Tree, setting: &Setting<'_>) -> Known {
        let mut after = self.clone();
        let set = check(line, tree, setting).variables.into_iter().filter(|variable| variable.is_set);
        for variable in set {
            let kind = if holds_lambda(&variable.kind) { Type::Any } else { variable.kind };
            match after.0.variables.iter_mut().find(|known| known.name == variable.name) {
                Some(known) if known.kind != kind => known.kind = Type::Any,
                Some(_) => {}
                None => after.0.variables.push(Variable { kind, ..Variable::new(&variable.name) }),
            }
        }
        after
    }
}

/// Whether a value of a type can be a lambda, or have one in it.
fn holds_lambda(kind: &Type) -> bool {
    match kind {
        Type::Lambda(_) | Type::SomeLambda | Type::Variable(_) => true,
        Type::List(element) => holds_lambda(element),
        Type::Record(record) => record.fields.iter().any(|(_, kind)| holds_lambda(kind)),
        _ => false,
    }
}
