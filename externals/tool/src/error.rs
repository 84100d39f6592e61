//! The errors that end a command, by kind.
//!
//! The commands for tags end with the text that `forge` reports: it names file, line and remedy, and no code decides by
//! it.

use std::fmt;
use std::io;
use std::path::Path;
use std::string::FromUtf8Error;

use astrarium::Error;
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

impl From<CommandError> for Failure {
    fn from(error: CommandError) -> Failure {
        Failure::from(error.to_string())
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure::from(error.to_string())
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure { message, found: Json::new() }
    }
}
