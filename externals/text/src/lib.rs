//! What does a person read?
//!
//! The world knows only ids. The texts of ids are in files, one folder per language, written in
//! [Fluent](https://projectfluent.org), with plurals, grammatical cases and parameters.
//!
//! Never: reads a file (the caller passes the sources); touches the world; exposes a type of the crates behind it.
//!
//! Laws
//! 1. An id is letters, digits, `_` and dots, and begins with a letter. Its message has the same name with dashes for
//!    dots: `"ship.hit"` is `ship-hit`. As ids have no dashes, no two ids share a message. An attribute is a separate
//!    text, after one more dot: `.tooltip` of `fire` is `"fire.tooltip"`.
//! 2. Languages fall back: `de-AT`, then `de`, then the folder's default language. A text that is in none of them reads
//!    as its id in brackets and is reported once.
//! 3. Any bytes may be a source. Errors are reported with file, line, column and help; the rest is used. Nothing
//!    panics, recurses without a limit, or grows beyond [`limits`].
//! 4. Entries are independent: an error in one never affects another. An entry begins where a line begins with a
//!    letter, `-` or `#`; all its other lines are indented or begin with a bracket.

pub mod limits;

pub mod report;

mod number;
mod source;

mod walk;

mod entries;

mod bundle;

mod texts;

pub use limits::DEFAULT_LANGUAGE;
pub use number::Numbers;
pub use report::{Report, Severity};
pub use texts::{Parameter, Reading, Source, Texts, is_language};
