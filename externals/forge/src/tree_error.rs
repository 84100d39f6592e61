//! Why a tree, or something in it, cannot be read or found.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;

use host::files::FileError;
use tags::TagPath;
use tags::path::TagPathError;

use crate::class_error::ClassError;

/// The name of a tree's folder.
pub const FOLDER: &str = "tags";

/// Why a file has no text.
#[derive(Debug)]
pub enum TextError {
    /// It cannot be read.
    File(FileError),
    /// It is not UTF-8.
    NotUtf8 {
        /// The first byte that is not.
        byte: usize,
    },
}

/// The errors of a tree.
#[derive(Debug)]
pub enum TreeError {
    /// A file or folder cannot be read.
    File(FileError),
    /// A file has no text.
    Text {
        /// The file, as it is shown to people.
        file: String,
        /// The reason.
        error: TextError,
    },
    /// A mod cannot be opened; with the reason, for people.
    Mods(String),
    /// The given root is not a folder.
    NotAFolder {
        /// The root.
        root: PathBuf,
    },
    /// The given root has no absolute path.
    NoAbsolutePath {
        /// The root.
        root: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// The program has no current folder to search from.
    NoCurrentFolder(io::Error),
    /// Neither the current folder nor one above it has a tree.
    NoTree {
        /// The current folder.
        from: PathBuf,
    },
    /// A folder of the tree is a link, behind which nothing is written.
    Link {
        /// The folder.
        link: PathBuf,
    },
    /// A class is refused or not found.
    Class(ClassError),
    /// A text is not the path of a tag.
    Path(TagPathError),
    /// There is no such tag.
    NoTag {
        /// Its path.
        path: TagPath,
        /// A tag with a similar path.
        similar: Option<String>,
        /// The root of the tree.
        root: PathBuf,
    },
}

impl fmt::Display for TextError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextError::File(error) => error.fmt(out),
            TextError::NotUtf8 { byte } => {
                write!(out, "expected a text in UTF-8, found other bytes from byte {byte} on")
            }
        }
    }
}

impl fmt::Display for TreeError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // An error of a file names it.
            TreeError::File(error) | TreeError::Text { error: TextError::File(error), .. } => error.fmt(out),
            TreeError::Text { file, error } => write!(out, "{file}: {error}"),
            TreeError::Mods(reason) => out.write_str(reason),
            TreeError::NotAFolder { root } => {
                write!(out, "{} is not a folder; expected the folder of a tree of tags", root.display())
            }
            TreeError::NoAbsolutePath { root, error } => write!(out, "{}: {error}", root.display()),
            TreeError::NoCurrentFolder(error) => write!(out, "there is no folder to start from: {error}"),
            TreeError::NoTree { from } => {
                write!(out, "there is no folder `{FOLDER}` in {} or above; say where it is with --tags", from.display())
            }
            TreeError::Link { link } => write!(
                out,
                "{} is a link, and nothing is written behind links; put a folder in its place",
                link.display()
            ),
            TreeError::Class(error) => error.fmt(out),
            TreeError::Path(error) => error.fmt(out),
            TreeError::NoTag { path, similar: Some(similar), .. } => {
                write!(out, "there is no tag `{path}`; did you mean `{similar}`?")
            }
            TreeError::NoTag { path, similar: None, root } => {
                write!(out, "there is no tag `{path}` in {}", root.display())
            }
        }
    }
}

impl Error for TextError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            TextError::File(error) => Some(error),
            TextError::NotUtf8 { .. } => None,
        }
    }
}

impl Error for TreeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            TreeError::File(error) => Some(error),
            TreeError::Text { error, .. } => Some(error),
            TreeError::NoAbsolutePath { error, .. } | TreeError::NoCurrentFolder(error) => Some(error),
            TreeError::Class(error) => Some(error),
            TreeError::Path(error) => Some(error),
            TreeError::NotAFolder { .. }
            | TreeError::NoTree { .. }
            | TreeError::Link { .. }
            | TreeError::Mods(_)
            | TreeError::NoTag { .. } => None,
        }
    }
}

impl From<FileError> for TextError {
    fn from(error: FileError) -> TextError {
        TextError::File(error)
    }
}

impl From<FileError> for TreeError {
    fn from(error: FileError) -> TreeError {
        TreeError::File(error)
    }
}

impl From<ClassError> for TreeError {
    fn from(error: ClassError) -> TreeError {
        TreeError::Class(error)
    }
}

impl From<TagPathError> for TreeError {
    fn from(error: TagPathError) -> TreeError {
        TreeError::Path(error)
    }
}
