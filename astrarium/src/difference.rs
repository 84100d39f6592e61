//! Differences between two worlds of a game, described in the game's terms where it has some: objects, tags, variables.

use std::fmt;

use state::{Difference, differences};

use crate::session::Session;

/// A difference with its description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedDifference {
    /// The location and both values.
    pub difference: Difference,
    /// The description, in one line.
    pub line: String,
}

/// The first `most` differences between the worlds of two sessions, whose plans must be equal.
///
/// # Panics
/// If the plans differ.
pub fn describe(left: &Session, right: &Session, most: usize) -> Vec<DescribedDifference> {
    let described = |difference: Difference| {
        let line = left.game().explain(&difference, left.world(), right.world());
        DescribedDifference { line: line.unwrap_or_else(|| difference.to_string()), difference }
    };
    differences(left.world(), right.world(), most).into_iter().map(described).collect()
}

impl fmt::Display for DescribedDifference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.line)
    }
}
