//! Schemas: the variables that a source may set and read, as the type checker needs them.
//!
//! The checker does not know tags or their classes. The crate that declares classes derives a schema from each of them,
//! and hands it to the checker.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::types::Type;

/// The variables of a class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schema {
    /// The name of the class, for messages.
    pub name: String,
    /// Its variables, in the order in which the compiler numbers them.
    pub variables: Vec<DeclaredVariable>,
}

/// One variable of a schema.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclaredVariable {
    /// Its name.
    pub name: String,
    /// The type of its values.
    pub kind: Type,
    /// The smallest and the largest number it may be set to.
    pub range: Option<(f64, f64)>,
    /// Whether a pure lambda may stand for its value.
    pub allows_formula: bool,
    /// Whether the class declares it; otherwise the source itself adds it.
    pub is_declared: bool,
}

impl Schema {
    /// The variable of a name.
    pub fn variable(&self, name: &str) -> Option<&DeclaredVariable> {
        self.variables.iter().find(|variable| variable.name == name)
    }

    /// The names of all variables, in order.
    pub fn names(&self) -> Vec<&str> {
        self.variables.iter().map(|variable| variable.name.as_str()).collect()
    }
}

impl DeclaredVariable {
    /// A variable that may hold a value of any type.
    pub fn new(name: &str) -> DeclaredVariable {
        let name = name.to_string();
        DeclaredVariable { name, kind: Type::Any, range: None, allows_formula: false, is_declared: true }
    }

    /// A variable that the source adds to its class.
    pub fn added(name: &str) -> DeclaredVariable {
        DeclaredVariable { is_declared: false, ..DeclaredVariable::new(name) }
    }
}
