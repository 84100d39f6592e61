//! The types that a console has inferred for its variables from earlier lines.
//!
//! Laws
//! 1. A variable that was set to values of different types has no fixed type. So a line that runs without an error is
//!    never reported.
//! 2. Lambdas have no fixed type either: their parameters and effects can depend on variables of later lines.

use script::ast::Tree;
use script::check::{Setting, check};
use script::schema::{DeclaredVariable, Schema};
use script::types::Type;

/// The types of a console's variables, as the schema of its next line.
#[derive(Clone)]
pub struct ConsoleTypes(Schema);

impl ConsoleTypes {
    /// Without any types.
    pub fn new() -> ConsoleTypes {
        ConsoleTypes(Schema { name: String::from("console"), variables: Vec::new() })
    }

    /// The schema of the next line.
    pub fn schema(&self) -> &Schema {
        &self.0
    }

    /// The types known after another line has been run.
    pub fn after(&self, line: &str, tree: &Tree, setting: &Setting<'_>) -> ConsoleTypes {
        let mut after = self.clone();
        let set = check(line, tree, setting).variables.into_iter().filter(|variable| variable.is_set);
        for variable in set {
            let kind = if holds_lambda(&variable.kind) { Type::Any } else { variable.kind };
            match after.0.variables.iter_mut().find(|known| known.name == variable.name) {
                Some(known) if known.kind != kind => known.kind = Type::Any,
                Some(_) => {}
                None => after.0.variables.push(DeclaredVariable { kind, ..DeclaredVariable::new(&variable.name) }),
            }
        }
        after
    }
}

/// Whether a value of a type can be a lambda or contain one.
fn holds_lambda(kind: &Type) -> bool {
    match kind {
        Type::Lambda(_) | Type::SomeLambda | Type::Variable(_) => true,
        Type::List(element) => holds_lambda(element),
        Type::Record(record) => record.fields.iter().any(|(_, kind)| holds_lambda(kind)),
        _ => false,
    }
}
