//! Lists that must agree are equal.

use tidy::complaint::{Complaint, expect_none, expect_one};
use tidy::lists::{check_bans, check_pure};
use tidy::tree::Tree;

#[test]
fn the_ban_lists_of_the_repository_are_equal() {
    expect_none(&check_bans(&Tree::here()));
}

#[test]
fn core_and_foundation_use_pure_crates_only() {
    expect_none(&check_pure(&Tree::here()));
}

#[test]
fn a_copy_that_differs_is_refused() {
    let tree =
        |games| Tree::of(&[("core/clippy.toml", "a"), ("foundation/clippy.toml", "a"), ("games/clippy.toml", games)]);
    expect_none(&check_bans(&tree("a")));
    expect_one(&check_bans(&tree("b")), "games/clippy.toml: differs from core/clippy.toml");
    let missing = Tree::of(&[("core/clippy.toml", "a"), ("foundation/clippy.toml", "a")]);
    expect_one(&check_bans(&missing), "games/clippy.toml");
}

fn check_base(base: &str, lock: &str) -> Vec<Complaint> {
    let root = "[workspace.dependencies]\nlibm = \"1\" # base\nrand = \"1\" # base\n# Only in tests.\nproptest = \"1\"";
    let base = format!("[package]\nname = \"astrarium-base\"\n{base}");
    check_pure(&Tree::of(&[
        ("deny.toml", "# pure: libm\n# pure: bytemuck"),
        ("Cargo.toml", root),
        ("Cargo.lock", lock),
        ("core/base/Cargo.toml", &base),
    ]))
}

#[test]
fn a_crate_that_is_not_pure_is_refused_in_core() {
    expect_none(&check_base("[dependencies]\nlibm.workspace = true\nbytemuck.workspace = true", ""));
    expect_one(
        &check_base("[dependencies]\nrand.workspace = true", ""),
        "core/base/Cargo.toml:4: core may not use rand",
    );
    expect_one(&check_base("[build-dependencies]\nrand.workspace = true", ""), "core may not use rand");
}

#[test]
fn tests_and_macros_may_use_more() {
    expect_none(&check_base("[dev-dependencies]\nproptest.workspace = true", ""));
    expect_none(&check_base("[lib]\nproc-macro = true\n[dependencies]\nsyn.workspace = true", ""));
}

#[test]
fn what_a_pure_crate_uses_must_be_pure() {
    let lock = "[[package]]\nname = \"libm\"\ndependencies = [\n \"bytemuck\",\n \"rand 0.9.0\",\n]\n\n\
                [[package]]\nname = \"syn\"\ndependencies = [\n \"quote\",\n]\n";
    expect_one(&check_base("", lock), "Cargo.lock: libm is listed as pure but uses rand");
}
