//! A crate depends only on the crates that its row allows, and is named after its folder.

use crate::complaint::Complaint;
use crate::manifest::{Dependency, Manifest, Purpose, inline};
use crate::table::{ARCHITECTURE, Table};
use crate::tree::Tree;

/// Checks every crate of the tree against the table in its architecture page.
pub fn check(tree: &Tree) -> Vec<Complaint> {
    let table = Table::read(tree.text(ARCHITECTURE).unwrap_or(""));
    let workspace = Workspace::of(tree);
    let mut complaints = table.complaints();
    let manifests = Manifest::all(tree);
    for manifest in &manifests {
        complaints.extend(check_crate(tree, &table, &workspace, manifest));
    }
    complaints
}

/// Checks that a row is marked as planned exactly if its crate does not exist.
pub fn check_planned(tree: &Tree) -> Vec<Complaint> {
    let manifests = Manifest::all(tree);
    let exists = |folder: &str, name: &str| {
        manifests.iter().any(|manifest| place(manifest.folder()) == (folder.to_owned(), name.to_owned()))
    };
    let mut complaints = Vec::new();
    for row in &Table::read(tree.text(ARCHITECTURE).unwrap_or("")).rows {
        for name in &row.names {
            let what = match (exists(&row.folder, name), row.is_planned) {
                (true, true) => format!("{name} exists: remove *planned* from its row"),
                (false, false) => format!("there is no crate {name} in {}: mark its row *planned*", row.folder),
                _ => continue,
            };
            complaints.push(Complaint::at(ARCHITECTURE, row.line, what));
        }
    }
    complaints
}

/// The root manifest, which resolves the names of dependencies.
pub struct Workspace {
    /// The manifest.
    pub manifest: Manifest,
}

impl Workspace {
    /// The workspace of a tree; an empty one if it has no root manifest.
    pub fn of(tree: &Tree) -> Self {
        let empty = crate::tree::Text::new("Cargo.toml", "");
        let root = tree.texts.iter().find(|text| text.path == "Cargo.toml").unwrap_or(&empty);
        Workspace { manifest: Manifest::read(root) }
    }

    /// The package name of a dependency.
    pub fn package(&self, dependency: &Dependency) -> String {
        let renamed = || {
            let value = self.manifest.value("workspace.dependencies", &dependency.name)?;
            Some(inline(value, "package")?.trim_matches('"').to_owned())
        };
        let package = dependency.package.clone();
        package
            .or_else(|| dependency.is_of_workspace.then(renamed).flatten())
            .unwrap_or_else(|| dependency.name.clone())
    }

    /// Our crate that a dependency refers to; none if it is a third-party crate.
    pub fn own_crate(&self, dependency: &Dependency) -> Option<String> {
        let package = self.package(dependency);
        match package.strip_prefix("astrarium-") {
            Some(name) => Some(name.replace('-', "_")),
            None => (package == "astrarium").then_some(package),
        }
    }
}

/// The layer of a crate's folder, and the name that the crate must have: `core/base/derive` is `base_derive` of `core`.
pub fn place(folder: &str) -> (String, String) {
    match folder.split_once('/') {
        Some((layer, rest)) => (layer.to_owned(), rest.replace('/', "_")),
        None => (folder.to_owned(), folder.to_owned()),
    }
}

fn check_crate(tree: &Tree, table: &Table, workspace: &Workspace, manifest: &Manifest) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    let mut complain = |line: usize, what: String| complaints.push(Complaint::at(&manifest.path, line, what));
    let (layer, name) = place(manifest.folder());
    let package = match name.as_str() {
        "astrarium" => name.clone(),
        _ => format!("astrarium-{}", name.replace('_', "-")),
    };
    if manifest.package() != Some(&package) {
        complain(0, format!("the package must be named {package}"));
    }
    let has_library = tree.has(&format!("{}/src/lib.rs", manifest.folder()));
    if has_library && manifest.library().as_deref() != Some(&name) {
        complain(0, format!("the library must be named {name}"));
    }
    if manifest.value("lints", "workspace") != Some("true") {
        complain(0, "the lints of the workspace do not apply: add [lints] workspace = true".to_owned());
    }
    let Some(row) = table.row(&layer, &name) else {
        complain(0, format!("{name} of {layer} has no row in the table of {ARCHITECTURE}: add one"));
        return complaints;
    };
    for dependency in manifest.dependencies() {
        let Some(used) = workspace.own_crate(&dependency) else {
            continue;
        };
        let is_for_tests = dependency.purpose == Purpose::Tests && table.for_tests.contains(&used);
        if !table.allows(row, &used) && !is_for_tests {
            complain(dependency.line, format!("{name} may not use {used}: its row in {ARCHITECTURE} does not list it"));
        }
        if !dependency.is_of_workspace {
            complain(
                dependency.line,
                format!("write {}.workspace = true: the root manifest has its path", dependency.name),
            );
        }
    }
    complaints
}
