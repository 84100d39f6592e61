//! What a change of a class does to a whole tree.
//!
//! Laws
//! 1. Nothing is written unless it was looked at, and only files that change. One of a newer version is never written.
//! 2. What cannot be upgraded stays as it is and is told; the others are upgraded all the same.

use std::collections::BTreeMap;

use host::parallel;
use tags::class::Class;
use tags::document::Document;
use tags::upgrade::{Upgrade, upgrade};

use crate::edit;
use crate::finding::Finding;
use crate::limits::WRITERS;
use crate::tree::Tree;

/// What an upgrade would do to a tree.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The tags that would be changed.
    pub changes: Vec<Changed>,
    /// How many are as they should be.
    pub same: usize,
    /// The numbers of those that a newer program wrote.
    pub newer: Vec<usize>,
    /// What cannot be upgraded.
    pub findings: Vec<Finding>,
}

/// A tag that would be changed.
#[derive(Clone, Debug)]
pub struct Changed {
    /// Its number in the tree.
    pub tag: usize,
    /// Its text now.
    pub before: String,
    /// What it would be, and what was done.
    pub upgrade: Upgrade,
}

enum Outcome {
    Same,
    Newer,
    Changed(Changed),
    Refused(Finding),
}

/// Looks what an upgrade of some tags would do. Nothing is written. With a class, tags of its name are taken to be of it.
pub fn plan(tree: &Tree, which: &[usize], class: Option<&Class>) -> Plan {
    let outcomes = parallel::many(which.len(), parallel::threads(), |index| look(tree, which[index], class));
    let mut plan = Plan::default();
    for (outcome, tag) in outcomes.into_iter().zip(which) {
        match outcome {
            Outcome::Same => plan.same += 1,
            Outcome::Newer => plan.newer.push(*tag),
            Outcome::Refused(finding) => plan.findings.push(finding),
            Outcome::Changed(changed) => {
                let shown = tree.shown(tree.tags[*tag].path.as_str());
                for left in &changed.upgrade.left {
                    let message = format!("`{}` stays as it is: {}", left.place, left.why);
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

/// Writes what was planned. Gives how many files were written, and what could not be.
pub fn write(tree: &Tree, plan: &Plan) -> (usize, Vec<String>) {
    let written = parallel::many(plan.changes.len(), WRITERS, |index| {
        let changed = &plan.changes[index];
        let file = tree.file(tree.tags[changed.tag].path.as_str());
        edit::write(&file, &changed.before, &changed.upgrade.text)
    });
    let (mut count, mut troubles) = (0, Vec::new());
    for result in written {
        match result {
            Ok(is_written) => count += usize::from(is_written),
            Err(trouble) => troubles.push(trouble),
        }
    }
    (count, troubles)
}

/// What happens to which field, how often, with the first tag that it happens to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The class.
    pub class: String,
    /// The field as it was called, and as it is called now.
    pub fields: (String, String),
    /// How often.
    pub count: usize,
    /// The first tag, and its value before and after.
    pub first: (usize, String, String),
}

impl Plan {
    /// The changes by class and field.
    pub fn summary(&self, tree: &Tree) -> Vec<Summary> {
        let mut rows: BTreeMap<(&str, String, String), Summary> = BTreeMap::new();
        for changed in &self.changes {
            let class = tree.tags[changed.tag].path.class();
            for done in &changed.upgrade.done {
                let fields = (done.from.without_elements(), done.place.without_elements());
                let row = rows.entry((class, fields.0.clone(), fields.1.clone())).or_insert_with(|| Summary {
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

fn look(tree: &Tree, tag: usize, given: Option<&Class>) -> Outcome {
    let file = &tree.tags[tag];
    let given = given.filter(|class| class.name == file.path.class());
    let shown = tree.shown(file.path.as_str());
    let refused = |message: String, help: &str| Outcome::Refused(Finding::error(&shown, message, help));
    let Some(class) = given.or_else(|| tree.classes.class(file.path.class())) else { return Outcome::Same };
    let before = match tree.read(file.path.as_str()) {
        Ok(text) => text,
        Err(trouble) => return refused(trouble, ""),
    };
    if Document::new(&before, class).version().is_ok_and(|version| version > class.version) {
        return Outcome::Newer;
    }
    match upgrade(&before, class) {
        Ok(upgrade) if upgrade.text == before && upgrade.left.is_empty() => Outcome::Same,
        Ok(upgrade) => Outcome::Changed(Changed { tag, before, upgrade }),
        Err(refusal) => refused(refusal.message, &refusal.help),
    }
}
