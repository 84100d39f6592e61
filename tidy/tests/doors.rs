//! Each third-party crate has one door, and only that crate uses it.

use tidy::complaint::{Complaint, expect_none, expect_one};
use tidy::doors::check;
use tidy::tree::Tree;

#[test]
fn every_third_party_crate_of_the_repository_has_one_door() {
    expect_none(&check(&Tree::here()));
}

fn check_with(dependencies: &str, state: &str) -> Vec<Complaint> {
    let root = format!(
        "[workspace.dependencies]\nbase = {{ package = \"astrarium-base\", path = \"core/base\" }}\n{dependencies}"
    );
    let state = format!("[package]\nname = \"astrarium-state\"\n{state}");
    check(&Tree::of(&[
        ("Cargo.toml", &root),
        ("core/base/Cargo.toml", "[package]\nname = \"astrarium-base\""),
        ("core/state/Cargo.toml", &state),
    ]))
}

#[test]
fn the_door_may_use_its_crate() {
    expect_none(&check_with("libm = { version = \"=1\" } # state", "[dependencies]\nlibm.workspace = true"));
    expect_none(&check_with("libm = \"1\" # state: for its square root", "[dependencies]\nlibm.workspace = true"));
}

#[test]
fn another_crate_may_not_use_it() {
    let complaints = check_with("libm = \"1\" # base", "[dependencies]\nlibm.workspace = true");
    expect_one(&complaints, "core/state/Cargo.toml:4: state may not use libm: its door is base");
    let complaints = check_with("libm = \"1\" # base", "[dev-dependencies]\nlibm.workspace = true");
    expect_one(&complaints, "its door is base");
}

#[test]
fn a_door_must_be_named_and_exist() {
    expect_one(&check_with("libm = \"1\"", ""), "Cargo.toml:3: libm needs a door");
    expect_one(&check_with("libm = \"1\" # missing", ""), "there is no such crate");
}

#[test]
fn derives_may_share_a_door_and_others_may_not() {
    let check_with = |doors: &str, kind: &str, user: &str| {
        let root = format!("[workspace.dependencies]\nsyn = \"3\" # {doors}");
        let derive = |name: &str| format!("[package]\nname = \"astrarium-{name}\"\n[lib]\nproc-macro = {kind}");
        let (base, tags) = (derive("base-derive"), derive("tags-derive"));
        let used = "\n[dependencies]\nsyn.workspace = true";
        let (base, tags) = (format!("{base}{used}"), format!("{tags}{used}"));
        check(&Tree::of(&[
            ("Cargo.toml", &root),
            ("core/base/derive/Cargo.toml", &base),
            ("core/tags/derive/Cargo.toml", &tags),
            ("core/state/Cargo.toml", &format!("[package]\nname = \"astrarium-state\"{user}")),
        ]))
    };
    expect_none(&check_with("base_derive, tags_derive", "true", ""));
    expect_none(&check_with("base_derive, tags_derive: they write code, and no more", "true", ""));
    expect_one(&check_with("base_derive: and tags_derive", "true", ""), "tags_derive may not use syn");
    expect_one(&check_with("base_derive, tags_derive, gone", "true", ""), "the door of syn is gone");
    let user = "\n[dependencies]\nsyn.workspace = true";
    let complaints = check_with("base_derive, tags_derive", "true", user);
    expect_one(&complaints, "state may not use syn: its door is base_derive, tags_derive");
    let complaints = check_with("base_derive, tags_derive", "false", "");
    assert_eq!(complaints.len(), 2, "{complaints:?}");
    assert!(format!("{:?}", complaints[0]).contains("only derives may share a dependency"), "{complaints:?}");
}

#[test]
fn a_dependency_for_tests_needs_no_door_and_stays_in_tests() {
    let tests = "# Only in tests.\nproptest = \"1\"";
    expect_none(&check_with(tests, "[dev-dependencies]\nproptest.workspace = true"));
    expect_one(&check_with(tests, "[dependencies]\nproptest.workspace = true"), "proptest is only for tests");
}

#[test]
fn a_third_party_crate_comes_through_the_workspace() {
    expect_one(&check_with("", "[dependencies]\nserde = \"1\""), "serde must come from the workspace");
}
