//! A public module of core has a user.

use tidy::complaint::{Complaint, expect_none, expect_one};
use tidy::public_modules::check;
use tidy::tree::Tree;

#[test]
fn every_public_module_of_core_has_a_user() {
    expect_none(&check(&Tree::here()));
}

fn check_user(path: &str, text: &str, architecture: &str) -> Vec<Complaint> {
    check(&Tree::of(&[
        ("ARCHITECTURE.md", architecture),
        ("core/base/Cargo.toml", "[package]\nname = \"astrarium-base\"\n"),
        ("core/base/src/lib.rs", "pub mod bits;\npub use bits::BitReader;\n"),
        (
            "core/base/src/bits.rs",
            "pub struct BitReader;\npub const fn width() {}\nimpl BitReader {\n    pub fn new() {}\n}\n",
        ),
        (path, text),
    ]))
}

#[test]
fn a_module_that_only_tests_use_is_refused() {
    let unused = "core/base/src/lib.rs:1: bits is public and only tests use it";
    expect_one(&check_user("core/base/tests/bits.rs", "use base::bits::BitReader;", ""), unused);
    expect_one(&check_user("core/state/src/a.rs", "fn a() { A::new() } // BitReader", ""), unused);
    expect_one(
        &check_user("core/state/src/a.rs", "#[cfg(test)]\nmod tests {\n    use base::BitReader;\n}", ""),
        unused,
    );
}

#[test]
fn a_module_with_a_user_or_a_plan_is_fine() {
    expect_none(&check_user("foundation/net/src/a.rs", "use base::BitReader;", ""));
    expect_none(&check_user("foundation/net/src/a.rs", "fn a() { base::bits::width() }", ""));
    expect_none(&check_user(
        "core/base/tests/bits.rs",
        "use base::bits::BitReader;",
        "- Core modules kept for planned crates: base::bits\n",
    ));
}
