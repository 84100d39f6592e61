//! Why a query, or its evaluation for a tag, is refused.

use std::error::Error;
use std::fmt;

use script::environment::EvaluationError;
use script::machine::Complaint;

use crate::class_error::ClassError;
use crate::limits::CONDITION_BYTES_MAX;

/// Why a text is not a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryError {
    /// It is too long.
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// It has an error.
    Wrong {
        /// The first error with its place, as it is printed.
        rendered: String,
    },
    /// It is not one expression.
    NotOneExpression {
        /// The class whose fields it may use.
        class: String,
        /// The text.
        text: String,
    },
    /// It has an effect.
    HasEffect,
}

/// Why a query has no answer for a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnswerError {
    /// The tag's file cannot be read.
    Unreadable,
    /// The query has no statement.
    Empty,
    /// The lists of the tag are too long.
    TooLong,
    /// The evaluation halted.
    Halted(EvaluationError),
    /// A value has the wrong kind.
    Kind(Complaint),
    /// The result is neither true nor false.
    NotTruth {
        /// The kind of the result.
        found: &'static str,
    },
}

/// Why a search is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchError {
    /// A class is not found.
    Class(ClassError),
    /// A condition, or an expression to list, is not a query.
    Query(QueryError),
}

impl fmt::Display for QueryError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            QueryError::TooLong { bytes } => {
                write!(out, "a query has at most {CONDITION_BYTES_MAX} bytes, this has {bytes}")
            }
            QueryError::Wrong { rendered } => out.write_str(rendered),
            QueryError::NotOneExpression { class, text } => {
                write!(out, "expected one expression over the fields of `{class}`, found {text:?}")
            }
            QueryError::HasEffect => out.write_str("a query has no effects; expected an expression without `!`"),
        }
    }
}

impl fmt::Display for AnswerError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnswerError::Unreadable => out.write_str("it cannot be read"),
            AnswerError::Empty => out.write_str("the query is empty"),
            AnswerError::TooLong => out.write_str("its lists are too long for a query"),
            AnswerError::Halted(error) => error.fmt(out),
            AnswerError::Kind(complaint) => complaint.fmt(out),
            AnswerError::NotTruth { found } => write!(out, "expected true or false, found {found}"),
        }
    }
}

impl fmt::Display for SearchError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SearchError::Class(error) => error.fmt(out),
            SearchError::Query(error) => error.fmt(out),
        }
    }
}

impl Error for QueryError {}

impl Error for AnswerError {}

impl Error for SearchError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            SearchError::Class(error) => Some(error),
            SearchError::Query(error) => Some(error),
        }
    }
}

impl From<ClassError> for SearchError {
    fn from(error: ClassError) -> SearchError {
        SearchError::Class(error)
    }
}

impl From<QueryError> for SearchError {
    fn from(error: QueryError) -> SearchError {
        SearchError::Query(error)
    }
}
