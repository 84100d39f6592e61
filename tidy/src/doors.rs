//! A third-party crate has one door: the one crate of ours that uses it.
//!
//! In the root manifest, the comment after each one begins with the name of its door. Procedural macro crates (derives) may
//! share one: `# base_derive, tags_derive`. Dependencies under the note `Only in tests.` have no door; only tests may use them.

use crate::complaint::Complaint;
use crate::dependencies::{Workspace, place};
use crate::manifest::{Entry, Manifest, Purpose, inline};
use crate::tree::Tree;

const DEPENDENCIES: &str = "workspace.dependencies";

/// Checks every dependency of every crate of the tree.
pub fn check(tree: &Tree) -> Vec<Complaint> {
    let workspace = Workspace::of(tree);
    let manifests = Manifest::all(tree);
    let crates: Vec<(String, bool)> =
        manifests.iter().map(|manifest| (place(manifest.folder()).1, writes_code(manifest))).collect();
    let mut complaints = Vec::new();
    for entry in others(&workspace.manifest) {
        let at = |what: String| Complaint::at(&workspace.manifest.path, entry.line, what);
        match door(&workspace.manifest, entry) {
            Door::Tests => {}
            Door::Missing => complaints
                .push(at(format!("{} needs a door: name the one crate that uses it in a comment after it", entry.key))),
            Door::Crates(names) => {
                for name in &names {
                    match crates.iter().find(|(own, _)| own == name) {
                        None => complaints
                            .push(at(format!("the door of {} is {name}, but there is no such crate", entry.key))),
                        Some((_, false)) if names.len() > 1 => complaints.push(at(format!(
                            "{} has several doors, and {name} is not a derive: only derives may share a dependency",
                            entry.key
                        ))),
                        Some(_) => {}
                    }
                }
            }
        }
    }
    for manifest in &manifests {
        complaints.extend(check_crate(&workspace, manifest));
    }
    complaints
}

/// Whether a dependency of the workspace is only for tests.
pub fn is_only_for_tests(root: &Manifest, name: &str) -> bool {
    others(root).any(|entry| entry.key == name && matches!(door(root, entry), Door::Tests))
}

enum Door<'entry> {
    Tests,
    Crates(Vec<&'entry str>),
    Missing,
}

fn others(root: &Manifest) -> impl Iterator<Item = &Entry> {
    let is_ours = |entry: &Entry| inline(&entry.value, "path").is_some();
    root.entries.iter().filter(move |entry| entry.section == DEPENDENCIES && !is_ours(entry))
}

fn door<'entry>(root: &Manifest, entry: &'entry Entry) -> Door<'entry> {
    let is_tests_note = |note: &(usize, String)| note.1 == "Only in tests." && note.0 < entry.line;
    if root.notes.iter().any(is_tests_note) {
        return Door::Tests;
    }
    // The names up to the first one without a comma after it; the rest is a comment for people.
    let mut names = Vec::new();
    for part in entry.comment.split(',') {
        let part = part.trim_start();
        let name = part.split(|char: char| char.is_whitespace() || char == ':').next().unwrap_or("");
        if !name.is_empty() {
            names.push(name);
        }
        if name != part.trim_end() {
            break;
        }
    }
    if names.is_empty() { Door::Missing } else { Door::Crates(names) }
}

/// Whether it is a procedural macro crate.
fn writes_code(manifest: &Manifest) -> bool {
    manifest.entries.iter().any(|entry| {
        (entry.section.as_str(), entry.key.as_str(), entry.value.as_str()) == ("lib", "proc-macro", "true")
    })
}

fn check_crate(workspace: &Workspace, manifest: &Manifest) -> Vec<Complaint> {
    let name = place(manifest.folder()).1;
    let root = &workspace.manifest;
    let mut complaints = Vec::new();
    for dependency in manifest.dependencies() {
        if workspace.own_crate(&dependency).is_some() {
            continue;
        }
        let mut complain = |what: String| complaints.push(Complaint::at(&manifest.path, dependency.line, what));
        if !dependency.is_of_workspace {
            complain(format!("{0} must come from the workspace: write {0}.workspace = true", dependency.name));
            continue;
        }
        let entry = others(root).find(|entry| entry.key == dependency.name);
        match entry.map(|entry| door(root, entry)) {
            // The crate `testing` is itself only for tests.
            Some(Door::Tests) if dependency.purpose != Purpose::Tests && manifest.folder() != "testing" => {
                complain(format!("{} is only for tests: move it to [dev-dependencies]", dependency.name));
            }
            Some(Door::Crates(doors)) if !doors.contains(&name.as_str()) => {
                complain(format!("{} may not use {}: its door is {}", name, dependency.name, doors.join(", ")));
            }
            _ => {}
        }
    }
    complaints
}
