//! The row type of a world's queries: what scripts can ask it.
//!
//! A query is called like a built-in, by its name. The machine knows none of them: they are rows in a table of the
//! world, which is handed to the checker, the compiler and `decode`, and is found in the program from then on. The
//! world behind [`Outside`](crate::machine::Outside) answers them by number.
//!
//! Laws
//! 1. A query sees the frozen world at the start of the cycle, like every read of another object. Its result is never
//!    memoised.
//! 2. A query costs the fuel of its row, and what the world charges beyond that with
//!    [`Machine::burn`](crate::machine::Machine::burn).
//! 3. Without a world a query finds nothing: an empty list, 0, false or `nothing`, by the type of its result.

use core::fmt;

use crate::meaning::Meaning;
use crate::types::{ARGUMENTS_MAX, Signature, Unread, arguments_in_words};

/// One query, as the checker, the compiler, the machine and the editors see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Query {
    /// Its name.
    pub name: &'static str,
    /// Its parameters and its result.
    pub signature: &'static str,
    /// What it gives.
    pub help: &'static str,
    /// An expression and its value, both as a designer writes them.
    pub example: (&'static str, &'static str),
    /// The fuel of a call, without what the world charges for its work.
    pub cost: u32,
    /// The arguments that are records of known fields.
    pub records: &'static [RecordArgument],
    /// The strings in its result that the source of a script need not contain: names of fields, and texts.
    pub words: &'static [&'static str],
    /// The fewest and the most arguments.
    arguments: (usize, usize),
    empty: EmptyResult,
}

/// An argument that is a record of known fields, or may be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordArgument {
    /// The index of the argument.
    pub index: usize,
    /// What it is called in messages, with its article.
    pub what: &'static str,
    /// The fields it may have.
    pub fields: &'static [&'static str],
    /// The meanings of some of them.
    pub means: &'static [(&'static str, Meaning)],
}

/// The result of a query that finds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EmptyResult {
    Nothing,
    Zero,
    False,
    List,
}

impl Query {
    /// A row without records and words. The number of arguments follows from the signature.
    ///
    /// # Panics
    /// If the signature has more parameters than a query can have, or no closing bracket.
    pub const fn new(
        name: &'static str,
        signature: &'static str,
        cost: u32,
        help: &'static str,
        example: (&'static str, &'static str),
    ) -> Query {
        let (arguments, result) = scan(signature.as_bytes());
        assert!(arguments.1 <= ARGUMENTS_MAX, "a query has too many parameters");
        let empty = if begins(signature.as_bytes(), result, b"list") {
            EmptyResult::List
        } else if begins(signature.as_bytes(), result, b"number") {
            EmptyResult::Zero
        } else if begins(signature.as_bytes(), result, b"truth") {
            EmptyResult::False
        } else {
            EmptyResult::Nothing
        };
        Query { name, signature, help, example, cost, records: &[], words: &[], arguments, empty }
    }

    /// With arguments that are records of known fields.
    #[must_use]
    pub const fn with_records(self, records: &'static [RecordArgument]) -> Query {
        Query { records, ..self }
    }

    /// With the strings in its result.
    #[must_use]
    pub const fn with_words(self, words: &'static [&'static str]) -> Query {
        Query { words, ..self }
    }

    /// Parses the signature.
    pub fn signature(&self) -> Result<Signature, Unread> {
        Signature::parse(self.signature)
    }

    /// Whether it takes this number of arguments.
    pub fn takes(&self, count: usize) -> bool {
        (self.arguments.0..=self.arguments.1).contains(&count)
    }

    /// The most arguments.
    pub(crate) fn arguments_max(&self) -> usize {
        self.arguments.1
    }

    /// The number of arguments it takes, as text.
    pub fn expected(&self) -> impl fmt::Display {
        arguments_in_words(self.arguments)
    }

    pub(crate) fn empty(&self) -> EmptyResult {
        self.empty
    }
}

/// The number and the row of a query.
pub fn find<'a>(queries: &'a [Query], name: &str) -> Option<(u32, &'a Query)> {
    let found = queries.iter().position(|query| query.name == name)?;
    Some((found as u32, &queries[found]))
}

/// The fewest and the most arguments of a signature, and the place of its result.
const fn scan(text: &[u8]) -> ((usize, usize), usize) {
    let mut at = 0;
    while at < text.len() && text[at] != b'(' {
        at += 1;
    }
    let (mut least, mut most, mut depth, mut is_open, mut is_optional) = (0, 0, 0, false, false);
    while at < text.len() {
        match text[at] {
            b'(' | b'{' => depth += 1,
            b'}' => depth -= 1,
            b'?' if depth == 1 => is_optional = true,
            b',' | b')' if depth == 1 => {
                if is_open {
                    most += 1;
                    least += if is_optional { 0 } else { 1 };
                }
                (is_open, is_optional) = (false, false);
                if text[at] == b')' {
                    return ((least, most), at + 1);
                }
            }
            b')' => depth -= 1,
            b' ' => {}
            _ => is_open = true,
        }
        at += 1;
    }
    panic!("a signature has no closing bracket");
}

/// Whether a text continues at a place, behind a blank, with a word.
const fn begins(text: &[u8], mut at: usize, word: &[u8]) -> bool {
    while at < text.len() && text[at] == b' ' {
        at += 1;
    }
    let mut index = 0;
    while index < word.len() {
        if at + index >= text.len() || text[at + index] != word[index] {
            return false;
        }
        index += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_arguments_and_the_empty_result_follow_from_the_signature() {
        for (signature, empty) in [
            ("all() list of handle", EmptyResult::List),
            ("near(vector, number, record?) list of { object handle, at vector }", EmptyResult::List),
            ("first(any, { at vector, size number }, record?) { object handle }", EmptyResult::Nothing),
            ("tally(record?) number", EmptyResult::Zero),
            ("meets(handle, Lambda(number, truth), vector, record?) truth", EmptyResult::False),
            ("waits(handle)", EmptyResult::Nothing),
        ] {
            let query = Query::new("", signature, 1, "", ("", ""));
            let parsed = query.signature().expect(signature);
            for count in 0..6 {
                assert_eq!(query.takes(count), parsed.takes(count), "{signature} with {count}");
            }
            assert_eq!(query.empty(), empty, "{signature}");
        }
    }

    #[test]
    fn rows_are_found_by_name() {
        let rows = ["near", "far"].map(|name| Query::new(name, "x()", 1, "", ("", "")));
        assert_eq!(find(&rows, "far").map(|(number, row)| (number, row.name)), Some((1, "far")));
        assert!(find(&rows, "wide").is_none());
    }
}
