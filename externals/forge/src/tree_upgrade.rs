//! Upgrading a whole tree after a change of a class.
//!
//! Laws
//! 1. Everything is planned before anything is written, and only files that change are written. A file of a newer
//!    version never is.
//! 2. Values that cannot be upgraded stay and are reported; the others are upgraded.

use std::collections::BTreeMap;

use crate::document::Document;
use crate::upgrade::{Upgrade, upgrade};
use host::parallel;
use tags::class::Class;

use crate::edit;
use crate::edit_error::EditError;
use crate::finding::Finding;
use crate::limits::WRITERS;
use crate::tree::Tree;

/// The plan of an upgrade.
#[derive(Clone, Debug, Default)]
pub struct UpgradePlan {
    /// The tags that would change.
    pub changes: Vec<UpgradedTag>,
    /// The number of tags that are up to date.
    pub same: usize,
    /// The numbers of tags of a newer version.
    pub newer: Vec<usize>,
    /// Values that cannot be upgraded.
    pub findings: Vec<Finding>,
}

/// A tag that would change.
#[derive(Clone, Debug)]
pub struct UpgradedTag {
    /// Its number in the tree.
    pub tag: usize,
    /// Its old text.
    pub before: String,
    /// Its new text, and the changes.
    pub upgrade: Upgrade,
}

enum TagOutcome {
    Same,
    Newer,
    UpgradedTag(UpgradedTag),
    Refused(Finding),
}

/// Plans the upgrade of some tags. Nothing is written. With a class, tags of its name are upgraded to it.
pub fn plan(tree: &Tree, which: &[usize], class: Option<&Class>) -> UpgradePlan {
    let outcomes = parallel::many(which.len(), parallel::threads(), |index| look(tree, which[index], class));
    let mut plan = UpgradePlan::default();
    for (outcome, tag) in outcomes.into_iter().zip(which) {
        match outcome {
            TagOutcome::Same => plan.same += 1,
            TagOutcome::Newer => plan.newer.push(*tag),
            TagOutcome::Refused(finding) => plan.findings.push(finding),
            TagOutcome::UpgradedTag(changed) => {
                let shown = tree.shown(tree.tags[*tag].path.as_str());
                for left in &changed.upgrade.left {
                    let message = format!("`{}` stays unchanged: {}", left.place, left.why);
                    plan.findings.push(Finding::error(&shown, message, left.help.as_str()));
                }
                if changed.before == changed.upgrade.text {
                    plan.same += 1;
                } else {
                    plan.changes.push(changed);
                }
            }
        }
    }
    plan
}

/// Carries out a plan. Returns the number of files written, and the errors.
pub fn write(tree: &Tree, plan: &UpgradePlan) -> (usize, Vec<EditError>) {
    let written = parallel::many(plan.changes.len(), WRITERS, |index| {
        let changed = &plan.changes[index];
        let file = tree.file(tree.tags[changed.tag].path.as_str());
        edit::write(&file, &changed.before, &changed.upgrade.text)
    });
    let (mut count, mut errors) = (0, Vec::new());
    for result in written {
        match result {
            Ok(is_written) => count += usize::from(is_written),
            Err(error) => errors.push(error),
        }
    }
    (count, errors)
}

/// A change of a field, its frequency, and an example.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldSummary {
    /// The class.
    pub class: String,
    /// The old and the new name of the field.
    pub fields: (String, String),
    /// The number of occurrences.
    pub count: usize,
    /// The first tag, and its value before and after.
    pub first: (usize, String, String),
}

impl UpgradePlan {
    /// The changes by class and field.
    pub fn summary(&self, tree: &Tree) -> Vec<FieldSummary> {
        let mut rows: BTreeMap<(&str, String, String), FieldSummary> = BTreeMap::new();
        for changed in &self.changes {
            let class = tree.tags[changed.tag].path.class();
            for done in &changed.upgrade.done {
                let fields = (done.from.without_elements(), done.place.without_elements());
                let row = rows.entry((class, fields.0.clone(), fields.1.clone())).or_insert_with(|| FieldSummary {
                    class: class.to_string(),
                    fields,
                    count: 0,
                    first: (changed.tag, done.before.clone(), done.after.clone()),
                });
                row.count += 1;
            }
        }
        rows.into_values().collect()
    }
}

fn look(tree: &Tree, tag: usize, given: Option<&Class>) -> TagOutcome {
    let file = &tree.tags[tag];
    let given = given.filter(|class| class.name == file.path.class());
    let shown = tree.shown(file.path.as_str());
    let refused = |message: String, help: &str| TagOutcome::Refused(Finding::error(&shown, message, help));
    let Some(class) = given.or_else(|| tree.classes.class(file.path.class())) else { return TagOutcome::Same };
    let before = match tree.read(file.path.as_str()) {
        Ok(text) => text,
        Err(error) => return refused(error.to_string(), ""),
    };
    if Document::new(&before, class).version().is_ok_and(|version| version > class.version) {
        return TagOutcome::Newer;
    }
    match upgrade(&before, class) {
        Ok(upgrade) if upgrade.text == before && upgrade.left.is_empty() => TagOutcome::Same,
        Ok(upgrade) => TagOutcome::UpgradedTag(UpgradedTag { tag, before, upgrade }),
        Err(refusal) => refused(refusal.message, &refusal.help),
    }
}
