//! Reports: what is wrong with content or devices, each said once.

use std::collections::BTreeSet;

use base::StringId;
use tags::Library;

use crate::limits::REPORTS_MAX;

/// Collects reports until they are taken.
#[derive(Debug, Default)]
pub struct Reports {
    told: BTreeSet<(StringId, &'static str)>,
    waiting: Vec<String>,
}

impl Reports {
    /// Says what is wrong with a tag, unless that was said before. `what` is the same for all reports of a kind.
    pub fn tell(&mut self, content: &Library, tag: StringId, what: &'static str, found: &str) {
        if self.told.len() < REPORTS_MAX && self.told.insert((tag, what)) {
            let path = content.path(tag).map_or_else(|| tag.to_string(), |path| format!("`{}`", path.as_str()));
            self.add(format!("{path}: {what}{found}"));
        }
    }

    /// Says something.
    pub fn add(&mut self, text: String) {
        if self.waiting.len() < REPORTS_MAX {
            self.waiting.push(text);
        }
    }

    /// Forgets what was said: content has changed.
    pub fn forget(&mut self) {
        self.told.clear();
    }

    /// The reports since they were last taken.
    pub fn take(&mut self) -> Vec<String> {
        std::mem::take(&mut self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_said_once_until_content_changes() {
        let (mut reports, content) = (Reports::default(), Library::new());
        for _ in 0..3 {
            reports.tell(&content, StringId::new("a.sound"), "is missing", "");
        }
        assert_eq!(reports.take().len(), 1);
        reports.forget();
        reports.tell(&content, StringId::new("a.sound"), "is missing", "");
        assert_eq!(reports.take().len(), 1);
    }
}
