//! Why a file could not be imported.

use std::error::Error;
use std::fmt;

/// The reason why an import gave no products. The caller adds the name of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    /// The bytes are not what the format says: what is wrong, and where if it is known.
    Damaged(String),
    /// The file is valid, but uses a feature that the importer does not have.
    Unsupported(String),
    /// The file, or what it decodes to, exceeds a limit: what, how much was found, and the limit.
    TooLarge {
        /// What is too large: "pixels", "samples", "nodes".
        what: &'static str,
        /// How much there is, or is claimed to be.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// A file that it names could not be read: its name, and why.
    Beside {
        /// The name, as the file gives it.
        name: String,
        /// Why it could not be read.
        reason: String,
    },
    /// An option has a value that the importer does not accept.
    Option {
        /// The name of the option.
        name: &'static str,
        /// What was expected and what was found.
        reason: String,
    },
    /// The file holds nothing that can be imported: no pixels, no samples, no triangles.
    Empty(&'static str),
}

impl fmt::Display for ImportError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ImportError::Damaged(what) => write!(formatter, "the file is damaged: {what}"),
            ImportError::Unsupported(what) => write!(formatter, "not supported: {what}"),
            ImportError::TooLarge { what, found, limit } => {
                write!(formatter, "too large: {found} {what}, and the limit is {limit}")
            }
            ImportError::Beside { name, reason } => write!(formatter, "it needs the file \"{name}\": {reason}"),
            ImportError::Option { name, reason } => write!(formatter, "option `{name}`: {reason}"),
            ImportError::Empty(what) => write!(formatter, "the file has no {what}"),
        }
    }
}

impl Error for ImportError {}
