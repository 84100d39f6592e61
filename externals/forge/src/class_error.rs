//! Why a class is refused or not found.

use std::error::Error;
use std::fmt;

/// The errors of a tree's classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClassError {
    /// A class is declared twice, and the two declarations differ. The first counts.
    DeclaredTwice {
        /// The class.
        class: String,
        /// The file of the first declaration; empty if that is this program.
        first: String,
    },
    /// The table of a class is inconsistent.
    Table {
        /// The reason, for people: `tags` reports it as text.
        message: String,
    },
    /// There is no class of this name.
    Unknown {
        /// The name.
        name: String,
        /// A class with a similar name.
        similar: Option<String>,
        /// The names of all classes.
        known: Vec<String>,
    },
}

impl fmt::Display for ClassError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClassError::DeclaredTwice { class, first } => {
                let first = if first.is_empty() { "this program" } else { first };
                write!(out, "the class `{class}` is declared twice; {first} declares it too, and that one counts")
            }
            ClassError::Table { message } => out.write_str(message),
            ClassError::Unknown { name, similar: Some(similar), .. } => {
                write!(out, "there is no class `{name}`; did you mean `{similar}`?")
            }
            ClassError::Unknown { name, similar: None, known } if known.is_empty() => write!(
                out,
                "there is no class `{name}`: this program and tree declare none; a file `{name}.header` declares it"
            ),
            ClassError::Unknown { name, similar: None, known } => {
                write!(out, "there is no class `{name}`; expected one of {}", known.join(", "))
            }
        }
    }
}

impl Error for ClassError {}
