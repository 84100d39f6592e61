//! Lists that must agree: the copies of the ban list, and the pure crates that core and foundation may use.

use crate::complaint::Complaint;
use crate::dependencies::{Workspace, place};
use crate::doors::is_only_for_tests;
use crate::manifest::{Manifest, Purpose};
use crate::tree::Tree;

/// The one ban list for code of the world.
pub const BANS: &str = "core/clippy.toml";
/// Its copies: clippy reads the nearest file only.
pub const BANS_COPIES: [&str; 2] = ["foundation/clippy.toml", "games/clippy.toml"];
/// The file with the pure crates.
pub const DENY: &str = "deny.toml";

/// The copies of the ban list are equal to it.
pub fn check_bans(tree: &Tree) -> Vec<Complaint> {
    let list = tree.text(BANS);
    BANS_COPIES
        .iter()
        .filter(|copy| list.is_none() || tree.text(copy) != list)
        .map(|copy| Complaint::about(copy, format!("differs from {BANS}: copy that file here")))
        .collect()
}

/// Core and foundation use only third-party crates that `deny.toml` lists as pure, and these use only pure crates.
pub fn check_pure(tree: &Tree) -> Vec<Complaint> {
    let pure = pure_crates(tree.text(DENY).unwrap_or(""));
    let workspace = Workspace::of(tree);
    let mut complaints = Vec::new();
    for manifest in Manifest::all(tree) {
        let layer = place(manifest.folder()).0;
        if !matches!(layer.as_str(), "core" | "foundation") || manifest.is_macros() {
            continue;
        }
        for dependency in manifest.dependencies() {
            let package = workspace.package(&dependency);
            let is_of_tests =
                dependency.purpose == Purpose::Tests && is_only_for_tests(&workspace.manifest, &dependency.name);
            if workspace.own_crate(&dependency).is_none() && !is_of_tests && !pure.contains(&package) {
                let what = format!("{layer} may not use {package}: it is not among the pure crates of {DENY}");
                complaints.push(Complaint::at(&manifest.path, dependency.line, what));
            }
        }
    }
    let lock = tree.text("Cargo.lock").unwrap_or("");
    complaints.extend(check_lock(lock, &pure));
    complaints
}

/// The names behind `# pure:` in `deny.toml`.
fn pure_crates(deny: &str) -> Vec<String> {
    let lists = deny.lines().filter_map(|line| line.strip_prefix("# pure:"));
    lists.flat_map(str::split_whitespace).map(str::to_owned).collect()
}

fn check_lock(lock: &str, pure: &[String]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for package in lock.split("[[package]]") {
        let value =
            |key: &str| package.lines().find_map(|line| line.strip_prefix(key)).map(|own| own.trim_matches('"'));
        let Some(name) = value("name = ").filter(|name| pure.iter().any(|own| own == name)) else {
            continue;
        };
        let used = package.split_once("dependencies = [").map_or("", |(_, list)| list);
        for line in used.lines().map(|line| line.trim().trim_matches([',', '"'])) {
            let other = line.split(' ').next().unwrap_or("");
            if !matches!(other, "" | "]") && !pure.iter().any(|own| own == other) {
                complaints.push(Complaint::about(
                    "Cargo.lock",
                    format!("{name} is listed as pure but uses {other}, which is not"),
                ));
            }
        }
    }
    complaints
}
