//! Why a symbol is not renamed.

use std::error::Error;
use std::fmt;

use tags::path::TagPathError;

use super::limits::PLACES_MAX;

/// The reasons why a symbol is not renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenameRefusal {
    /// There is no symbol that can be renamed.
    NoSymbol,
    /// The symbol is a class.
    IsClass,
    /// The file is not in a tree of tags.
    NotInTree,
    /// The new name is not the path of a tag.
    Path(TagPathError),
    /// The new path is that of another class.
    OtherClass {
        /// The class of the tag.
        class: String,
        /// The new path.
        found: String,
    },
    /// The editor cannot rename files.
    NoFileRename,
    /// There is a tag at the new path.
    TagExists {
        /// The path.
        path: String,
    },
    /// A path cannot be written as a URI.
    NoUri {
        /// The path.
        path: String,
    },
    /// The new name is not a name.
    NotAName {
        /// The text.
        text: String,
    },
    /// The class, or one derived from it, has a field of the new name.
    FieldExists {
        /// The class.
        class: String,
        /// The name.
        field: String,
        /// Whether it is a derived class.
        is_derived: bool,
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
    /// The program declares the field.
    DeclaredInRust {
        /// The class.
        class: String,
        /// The field.
        field: String,
    },
    /// The header of the class cannot be read.
    NoHeader {
        /// The class.
        class: String,
        /// The path of the header.
        header: String,
    },
    /// The header computes the declaration of the field.
    NoDeclaration {
        /// The class.
        class: String,
        /// The field.
        field: String,
    },
    /// The new name has another meaning in a file.
    Taken {
        /// The file, if it is not the one that the symbol is in.
        file: Option<String>,
        /// The name.
        name: String,
        /// The line that uses the name; none if it is a field of the file's class.
        line: Option<u32>,
    },
    /// Too many places would have to change.
    TooManyPlaces,
}

impl fmt::Display for RenameRefusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RenameRefusal::NoSymbol => {
                out.write_str("nothing here can be renamed; put the cursor on a variable, a field or the path of a tag")
            }
            RenameRefusal::IsClass => {
                out.write_str("a class is renamed in its header, together with the names of its files")
            }
            RenameRefusal::NotInTree => out.write_str("this file is not in a tree of tags"),
            RenameRefusal::Path(error) => error.fmt(out),
            RenameRefusal::OtherClass { class, found } => {
                write!(out, "a tag keeps its class: expected a path that ends in .{class}, found `{found}`")
            }
            RenameRefusal::NoFileRename => out.write_str(
                "this editor cannot rename files for a server; move the file, then change what refers to it",
            ),
            RenameRefusal::TagExists { path } => write!(out, "there already is a tag `{path}`"),
            RenameRefusal::NoUri { path } => write!(out, "the path `{path}` cannot be written as a URI"),
            RenameRefusal::NotAName { text } => write!(
                out,
                "`{text}` cannot be a name: a name is letters, digits and `_`, does not begin with a digit, and is no \
                 keyword"
            ),
            RenameRefusal::FieldExists { class, field, is_derived: false } => {
                write!(out, "`@{class}` already has a field `{field}`")
            }
            RenameRefusal::FieldExists { class, field, is_derived: true } => {
                write!(out, "`@{class}`, which is derived from it, already has a field `{field}`")
            }
            RenameRefusal::DeclaredByBase { class, field, base } => {
                write!(out, "`{field}` of `@{class}` is declared by `@{base}`: rename it there")
            }
            RenameRefusal::DeclaredInRust { class, field } => {
                write!(out, "`{field}` of `@{class}` is declared in Rust: rename it there, and give it its former name")
            }
            RenameRefusal::NoHeader { class, header } => {
                write!(out, "the header of `@{class}` cannot be read: {header}")
            }
            RenameRefusal::NoDeclaration { class, field } => write!(
                out,
                "the declaration of `{field}` was not found: the attributes in the header of `@{class}` are not one \
                 literal list"
            ),
            RenameRefusal::Taken { file, name, line } => {
                if let Some(file) = file {
                    write!(out, "{file}: ")?;
                }
                match line {
                    Some(line) => write!(out, "`{name}` already has another meaning, in line {line}"),
                    None => write!(out, "`{name}` already is a field of its class"),
                }
            }
            RenameRefusal::TooManyPlaces => write!(out, "more than {PLACES_MAX} places would have to change"),
        }
    }
}

impl Error for RenameRefusal {}

impl From<TagPathError> for RenameRefusal {
    fn from(error: TagPathError) -> RenameRefusal {
        RenameRefusal::Path(error)
    }
}
