//! Texts for people, in one language.

use base::StringId;
use tags::{Bulk, Series, Tag, Text};

use super::source::SourceRecord;

/// Texts of one language, written in Fluent. The world knows only their ids.
#[derive(Tag)]
#[tag(class = "strings")]
#[repr(C)]
pub struct Strings {
    /// The language, as in `de` or `de-AT`.
    pub language: Text,
    /// The ids that have a text.
    pub ids: Series<StringId>,
    /// The part that holds the Fluent text.
    pub part: u32,
    /// The container.
    pub data: Bulk,
    /// Where it came from.
    pub source: SourceRecord,
}
