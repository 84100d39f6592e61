//! Checking a text that is no file yet, as a tag of a tree.

use script::parse::parse;
use script::report::{Report, closest};
use tags::TagPath;

use crate::check::Checked;
use crate::class_error::ClassError;
use crate::classes::head_of;
use crate::finding::Finding;
use crate::provider::link_span;
use crate::tree::Tree;

/// Checks a text as a tag of the class that its first line names: its fields, lambdas and references. What takes the whole tree, such as
/// cycles, is left to [`check`](crate::check::check).
pub fn check_text(tree: &Tree, shown: &str, source: &str) -> Result<Checked, ClassError> {
    let class = tree.classes.named(head_of(source).map_or("", |(class, _)| class))?;
    let parsed = parse(source);
    // It has no path; that of a tag made from another is that of no tag.
    let path = TagPath::new(&format!("standard_input.{}", class.class().name)).ok();
    let ancestry = path.map(|path| tree.ancestry(&path, source, &parsed)).unwrap_or_default();
    let made = class.pack_from(source, &parsed, &ancestry.parents());
    let mut reports = made.reports;
    reports.extend(ancestry.report.clone());
    reports.extend(tree.classes.shared().check_links(&made.packed).into_iter().map(|mut report| {
        report.span = link_span(source, &parsed, report.span.start);
        report
    }));
    let mut references = 0;
    for link in made.packed.links() {
        references += 1;
        if TagPath::new(link.path).is_ok_and(|path| tree.find(&path).is_some()) {
            continue;
        }
        let like = closest(link.path, tree.tags.iter().map(|tag| tag.path.as_str()));
        let help =
            like.map_or_else(|| String::from("create it, or name another"), |like| format!("did you mean `{like}`?"));
        let message = format!("there is no tag `{}`", link.path);
        reports.push(Report::error(link_span(source, &parsed, link.place), message).with_help(help));
    }
    let mut findings = Finding::of_reports(shown, source, &reports);
    findings.sort_by_key(|finding| finding.place);
    let errors = findings.iter().filter(|finding| finding.is_error()).count();
    let warnings = findings.len() - errors;
    Ok(Checked { tags: 1, references, findings, errors, warnings })
}
