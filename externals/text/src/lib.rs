//! What does a person read?
//!
//! The world knows only ids. Which words an id stands for is in files of texts, one folder per language, written in
//! [Fluent](https://projectfluent.org): plurals and cases as each language has them, and parameters.
//!
//! Never: reads a file (whoever looks hands the sources in); reaches the world; shows a type of the crates behind it.
//!
//! Laws
//! 1. An id is letters, digits, `_` and dots, and begins with a letter. Its message is called the same with dashes for
//!    dots: `"ship.hit"` is `ship-hit`. As ids have no dashes, no two ids mean one message. An attribute is a text of its
//!    own, behind one more dot: `.tooltip` of `fire` is `"fire.tooltip"`.
//! 2. A language falls back: `de-AT`, then `de`, then the folder's default language. What is in none of them reads as its
//!    id in brackets and is reported once.
//! 3. Any bytes may be a source. What is wrong with them is reported with file, line, column and what to do; the rest is
//!    used. Nothing panics, recurses without a limit, or grows beyond [`limits`].
//! 4. One entry stands for itself: a mistake in one never takes another with it. An entry begins where a line begins with
//!    a letter, `-` or `#`; all other lines of it are indented or begin with a bracket.

pub mod limits;

pub mod report;

mod number;
mod source;

mod walk;

mod entries;

mod bundle;

mod texts;

pub use limits::DEFAULT_LANGUAGE;
pub use report::{Report, Severity};
pub use texts::{Parameter, Reading, Source, Texts, is_language};
