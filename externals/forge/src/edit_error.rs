//! Why a tag cannot be edited, or its file not be written.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;

use host::files::FileError;

use crate::class_error::ClassError;
use crate::document::Refusal;
use crate::tree_error::TreeError;

/// The errors of editing a tag.
#[derive(Debug)]
pub enum EditError {
    /// The tag cannot be read.
    Tree(TreeError),
    /// The document refuses the edit, or has no such value.
    Refused {
        /// The file, as it is shown to people.
        file: String,
        /// The reason.
        refusal: Refusal,
    },
    /// Another program changed the file after it was read. It is left unchanged.
    ChangedMeanwhile {
        /// The file.
        file: PathBuf,
    },
    /// The file cannot be written.
    File(FileError),
}

impl fmt::Display for EditError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EditError::Tree(error) => error.fmt(out),
            EditError::Refused { file, refusal } => write!(out, "{file}: {refusal}"),
            EditError::ChangedMeanwhile { file } => write!(
                out,
                "{}: it was changed meanwhile by another program; it is left unchanged; repeat the command",
                file.display()
            ),
            EditError::File(error) => error.fmt(out),
        }
    }
}

impl Error for EditError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            EditError::Tree(error) => Some(error),
            EditError::Refused { refusal, .. } => Some(refusal),
            EditError::ChangedMeanwhile { .. } => None,
            EditError::File(error) => Some(error),
        }
    }
}

impl From<TreeError> for EditError {
    fn from(error: TreeError) -> EditError {
        EditError::Tree(error)
    }
}

impl From<ClassError> for EditError {
    fn from(error: ClassError) -> EditError {
        EditError::Tree(TreeError::Class(error))
    }
}

impl From<FileError> for EditError {
    fn from(error: FileError) -> EditError {
        EditError::File(error)
    }
}
