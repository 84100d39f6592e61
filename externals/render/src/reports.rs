//! Reports of missing and broken content: each tag once per version.

use std::collections::BTreeSet;

use base::StringId;
use tags::Library;

use crate::limits::REPORTS_MAX;

/// The reports that wait to be taken.
#[derive(Debug, Default)]
pub struct Reports {
    waiting: Vec<String>,
    /// What has been reported: the tag, and the half of the key of its version; 0 if it is missing.
    known: BTreeSet<(StringId, u128)>,
}

impl Reports {
    /// Reports something about a tag, unless that version of it has been reported before. The report begins with its path.
    pub fn about(&mut self, content: &Library, tag: StringId, what: impl FnOnce() -> String) {
        let version = content.key(tag).map_or(0, |key| key.half());
        let path = content.path(tag).map_or_else(|| format!("tag {tag}"), |path| path.to_string());
        self.once((tag, version), || format!("{path}: {}", what()));
    }

    /// Reports something that concerns no tag, once for each name.
    pub fn general(&mut self, name: &str, what: impl FnOnce() -> String) {
        self.once((StringId::from(name), u128::MAX), what);
    }

    /// Takes the reports.
    pub fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.waiting)
    }

    fn once(&mut self, key: (StringId, u128), what: impl FnOnce() -> String) {
        if self.known.len() >= REPORTS_MAX * 16 {
            self.known.clear();
        }
        if self.waiting.len() < REPORTS_MAX && self.known.insert(key) {
            self.waiting.push(what());
        }
    }
}
