//! The reason of a rebuild.

use std::fmt;

use super::BuildRecord;
use crate::content_key::Key;

/// Why a tag is built again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RebuildReason {
    /// It is not in the index.
    NeverMade,
    /// Its text changed.
    Text,
    /// Its class changed; the name of the class.
    Class(String),
    /// A tag that its postprocess reads changed; its path.
    Dependency(String),
    /// The packing changed: a new version of the program.
    Program,
    /// It has reports, which must appear again.
    Reports,
    /// It is missing in the store, or damaged there.
    Lost,
}

impl RebuildReason {
    /// Why a text is packed again: the first input that differs from the last build.
    #[must_use]
    pub fn between(
        before: Option<(&Key, &BuildRecord)>,
        class: &str,
        content: &Key,
        now: &BuildRecord,
    ) -> RebuildReason {
        let Some((content_before, made)) = before else { return RebuildReason::NeverMade };
        if content_before != content {
            return RebuildReason::Text;
        }
        if made.fingerprint != now.fingerprint {
            return RebuildReason::Class(class.to_string());
        }
        if made.key != now.key {
            RebuildReason::Program
        } else if made.is_reported {
            RebuildReason::Reports
        } else {
            RebuildReason::Lost
        }
    }
}

impl fmt::Display for RebuildReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RebuildReason::NeverMade => formatter.write_str("it was never built"),
            RebuildReason::Text => formatter.write_str("its text changed"),
            RebuildReason::Class(class) => write!(formatter, "the class `{class}` changed"),
            RebuildReason::Dependency(path) => write!(formatter, "it reads `{path}`, which changed"),
            RebuildReason::Program => formatter.write_str("the packing of this program changed"),
            RebuildReason::Reports => formatter.write_str("it has reports"),
            RebuildReason::Lost => formatter.write_str("it was missing in the store"),
        }
    }
}
