//! The errors that end a command, by kind.
//!
//! A [`Failure`] is the end of a command: the text of one of these errors or of one of `forge`, and no code decides by it.

use std::fmt;
use std::io;
use std::path::Path;
use std::string::FromUtf8Error;

use astrarium::Error;
use forge::class_error::ClassError;
use forge::edit_error::EditError;
use forge::git::GitError;
use forge::query_error::SearchError;
use forge::rename_error::{FieldRenameError, RenameError};
use forge::tree_error::TreeError;
use host::files::FileError;
use host::sockets::SocketError;

use crate::json::Json;

/// The reason why a command failed.
#[derive(Debug)]
pub enum CommandError {
    /// The front door refused.
    Engine(Error),
    /// A file or folder could not be read or written.
    File(FileError),
    /// Standard input or output failed.
    Stream(io::Error),
    /// An address cannot be bound.
    Socket(SocketError),
    /// The arguments are wrong: which, what was expected, what was found.
    Usage(String),
    /// The files that were examined have errors, which were printed before.
    Mistakes(String),
    /// The command ran, and its result is a failure: a proof that does not hold, a game that stopped.
    Failed(String),
}

/// A failed command, with its partial results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The error, for people.
    pub message: String,
    /// The partial results. With `--json` they are printed, with `error` added.
    pub found: Json,
}

impl CommandError {
    /// The error for a file that should be text and is not UTF-8.
    pub fn not_text(path: &Path, error: &FromUtf8Error) -> CommandError {
        CommandError::Mistakes(format!("{}: expected UTF-8 text: {error}", path.display()))
    }
}

impl fmt::Display for CommandError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CommandError::Engine(error) => error.fmt(out),
            CommandError::File(error) => error.fmt(out),
            CommandError::Stream(error) => error.fmt(out),
            CommandError::Socket(error) => error.fmt(out),
            CommandError::Usage(message) | CommandError::Mistakes(message) | CommandError::Failed(message) => {
                out.write_str(message)
            }
        }
    }
}

impl std::error::Error for CommandError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CommandError::Engine(error) => Some(error),
            CommandError::File(error) => Some(error),
            CommandError::Stream(error) => Some(error),
            CommandError::Socket(error) => Some(error),
            CommandError::Usage(_) | CommandError::Mistakes(_) | CommandError::Failed(_) => None,
        }
    }
}

impl From<Error> for CommandError {
    fn from(error: Error) -> CommandError {
        CommandError::Engine(error)
    }
}

impl From<FileError> for CommandError {
    fn from(error: FileError) -> CommandError {
        CommandError::File(error)
    }
}

impl From<io::Error> for CommandError {
    fn from(error: io::Error) -> CommandError {
        CommandError::Stream(error)
    }
}

/// Makes each of these errors the end of a command.
macro_rules! end_a_command {
    ($($error:ty),*) => {
        $(impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                Failure::from(error.to_string())
            }
        })*
    };
}

end_a_command!(
    ClassError,
    CommandError,
    EditError,
    Error,
    FieldRenameError,
    FileError,
    GitError,
    RenameError,
    SearchError,
    TreeError
);

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure { message, found: Json::new() }
    }
}
