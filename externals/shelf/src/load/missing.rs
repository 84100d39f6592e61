//! References to missing tags, references to tags of a class that the field does not accept, and mistakes that the checks of
//! classes find.

use std::collections::{BTreeMap, BTreeSet};

use base::StringId;
use script::report::Report;
use tags::packed::Packed;

use super::{Loaded, LoadedTag};
use crate::report::{TagReport, advice, link_span};
use crate::tree::Shelf;

/// Reports each reference to a missing tag.
pub(super) fn reports(shelf: &Shelf, loaded: &Loaded, missing: &BTreeSet<String>) -> Vec<TagReport> {
    let mut reports = Vec::new();
    if missing.is_empty() {
        return reports;
    }
    for (path, tag) in &loaded.tags {
        let links: Vec<_> = tag.packed.links().filter(|link| missing.contains(link.path)).collect();
        if links.is_empty() {
            continue;
        }
        let source = shelf.text(path);
        for link in links {
            let message = format!("the tag `{}` does not exist", link.path);
            let report = Report::error(link_span(&source, link.place), message);
            reports.push(TagReport::in_text(path, &source, report.with_help(advice(&shelf.walk, link.path))));
        }
    }
    reports
}

/// Reports references to tags of a wrong class, and records the tags that hold them.
pub(super) fn misplaced(shelf: &Shelf, loaded: &mut Loaded) {
    let mut reports = Vec::new();
    for (path, tag) in &loaded.tags {
        let wrong = shelf.classes.check_links(&tag.packed);
        if wrong.is_empty() {
            continue;
        }
        let source = shelf.text(path);
        loaded.unsound.insert(path.clone());
        for mut report in wrong {
            report.span = link_span(&source, report.span.start);
            reports.push(TagReport::in_text(path, &source, report));
        }
    }
    loaded.reports.extend(reports);
}

/// Reports the mistakes that the checks of classes find. The tags are loaded as they are: the world says what it does with
/// them. `there` are the tags that were
/// loaded before.
pub(super) fn mistakes(shelf: &Shelf, loaded: &mut Loaded, there: &BTreeMap<String, LoadedTag>) {
    let mut reports = Vec::new();
    let by_id: BTreeMap<StringId, &Packed> =
        there.iter().chain(&loaded.tags).map(|(path, tag)| (StringId::from(path.as_str()), &*tag.packed)).collect();
    let find = |id: StringId| by_id.get(&id).copied();
    for (path, tag) in &loaded.tags {
        let mistakes = shelf.classes.mistakes(&tag.packed, &find);
        if mistakes.is_empty() {
            continue;
        }
        let source = shelf.text(path);
        reports.extend(mistakes.iter().map(|mistake| TagReport::in_text(path, &source, mistake.report(&source))));
    }
    loaded.reports.extend(reports);
}

/// Reports tags whose paths differ only in letter case: some file systems cannot hold both.
pub(super) fn conflicts(loaded: &Loaded) -> Vec<TagReport> {
    let mut by_folded: BTreeMap<String, &str> = BTreeMap::new();
    let mut reports = Vec::new();
    for path in loaded.tags.keys() {
        if let Some(other) = by_folded.insert(path.to_lowercase(), path) {
            let message = format!("its path differs from `{other}` only in letter case");
            reports.push(TagReport::of_file(path, &message, "rename one of them; some file systems cannot hold both"));
        }
    }
    reports
}
