//! Why a tag or a field cannot be renamed.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;

use host::files::FileError;
use tags::TagPath;
use tags::path::TagPathError;

use crate::class_error::ClassError;
use crate::document::Refusal;
use crate::tree_error::TreeError;

/// The errors of renaming a tag.
#[derive(Debug)]
pub enum RenameError {
    /// The tag is not found, or the new name is not the path of a tag.
    Tree(TreeError),
    /// The new path is that of another class.
    OtherClass {
        /// The class of the tag.
        class: String,
        /// The new path.
        to: TagPath,
    },
    /// The new path is the old one.
    SamePath {
        /// The path.
        path: TagPath,
    },
    /// There is a tag at the new path.
    Taken {
        /// The path.
        path: TagPath,
    },
    /// The new path differs from that of another tag only in letter case.
    LetterCase {
        /// The path of the other tag.
        other: TagPath,
        /// The new path.
        to: TagPath,
    },
    /// A file that is not a tag is at the new path.
    FileThere {
        /// The path.
        path: TagPath,
    },
    /// A file is where bulk data would be moved to.
    BulkThere {
        /// The file.
        file: PathBuf,
    },
    /// The text of an import that made another tag is where that of this one would be moved to.
    ImportedThere {
        /// The file.
        file: PathBuf,
    },
    /// A folder cannot be made, or a file cannot be moved or copied.
    File(FileError),
}

/// The errors of renaming a field.
#[derive(Debug)]
pub enum FieldRenameError {
    /// The class is not found.
    Class(ClassError),
    /// No header in the tree declares the class.
    DeclaredElsewhere {
        /// The class.
        class: String,
        /// The file that declares it; empty if that is this program.
        origin: String,
    },
    /// A base of the class declares the field.
    DeclaredByBase {
        /// The class.
        class: String,
        /// The field.
        field: String,
        /// The base.
        base: String,
    },
    /// There is no such field.
    NoField {
        /// The record.
        record: String,
        /// The field.
        field: String,
    },
    /// A field on the way has no fields.
    NoFields {
        /// The record.
        record: String,
        /// The field.
        field: String,
    },
    /// The new name is taken.
    Taken {
        /// The record.
        record: String,
        /// The name.
        name: String,
    },
    /// The header computes the field.
    NotLiteral {
        /// The header, as it is shown to people.
        header: String,
        /// The field.
        field: String,
    },
    /// The text of the header cannot be edited.
    Refused {
        /// The header, as it is shown to people.
        header: String,
        /// The reason.
        refusal: Refusal,
    },
    /// The header would be wrong afterwards.
    WrongHeader {
        /// The header, as it is shown to people.
        header: String,
        /// The first error it would have; none if it would only lack the field.
        message: Option<String>,
    },
}

impl fmt::Display for RenameError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RenameError::Tree(error) => error.fmt(out),
            RenameError::OtherClass { class, to } => {
                write!(out, "a tag keeps its class: expected a path that ends in `.{class}`, found `{to}`")
            }
            RenameError::SamePath { path } => write!(out, "`{path}` already has that name"),
            RenameError::Taken { path } => write!(out, "there already is a tag `{path}`"),
            RenameError::LetterCase { other, to } => {
                write!(out, "`{other}` would differ from `{to}` only in letter case")
            }
            RenameError::FileThere { path } => write!(out, "another file is at `{path}`; move it away first"),
            RenameError::BulkThere { file } => {
                write!(out, "the file {} already exists; nothing was renamed; move it away first", file.display())
            }
            RenameError::ImportedThere { file } => write!(
                out,
                "{} is left of an earlier tag; nothing was renamed; remove it, or move it away, first",
                file.display()
            ),
            RenameError::File(error) => error.fmt(out),
        }
    }
}

impl fmt::Display for FieldRenameError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldRenameError::Class(error) => error.fmt(out),
            FieldRenameError::DeclaredElsewhere { class, origin } => {
                let origin = if origin.is_empty() { "this program" } else { origin };
                write!(out, "`{class}` is declared by {origin}, not by a header in this tree; rename the field there")
            }
            FieldRenameError::DeclaredByBase { class, field, base } => {
                write!(out, "`{field}` is declared by `{base}`, a base of `{class}`; rename it in `{base}`")
            }
            FieldRenameError::NoField { record, field } => write!(out, "`{record}` has no field `{field}`"),
            FieldRenameError::NoFields { record, field } => {
                write!(out, "`{record}` has no field `{field}` with fields")
            }
            FieldRenameError::Taken { record, name } => write!(out, "`{record}` already has a field `{name}`"),
            FieldRenameError::NotLiteral { header, field } => {
                write!(out, "{header}: the field `{field}` is not a literal in the header; rename it by hand")
            }
            FieldRenameError::Refused { header, refusal } => write!(out, "{header}: {refusal}"),
            FieldRenameError::WrongHeader { header, message } => {
                let message = message.as_deref().unwrap_or("the header would declare no such field");
                write!(out, "{header}: not renamed: {message}")
            }
        }
    }
}

impl Error for RenameError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            RenameError::Tree(error) => Some(error),
            RenameError::File(error) => Some(error),
            _ => None,
        }
    }
}

impl Error for FieldRenameError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            FieldRenameError::Class(error) => Some(error),
            FieldRenameError::Refused { refusal, .. } => Some(refusal),
            _ => None,
        }
    }
}

impl From<TreeError> for RenameError {
    fn from(error: TreeError) -> RenameError {
        RenameError::Tree(error)
    }
}

impl From<TagPathError> for RenameError {
    fn from(error: TagPathError) -> RenameError {
        RenameError::Tree(TreeError::Path(error))
    }
}

impl From<FileError> for RenameError {
    fn from(error: FileError) -> RenameError {
        RenameError::File(error)
    }
}

impl From<ClassError> for FieldRenameError {
    fn from(error: ClassError) -> FieldRenameError {
        FieldRenameError::Class(error)
    }
}
