//! Every file of tests is run.

use tidy::complaint::{expect_none, expect_one};
use tidy::test_programs::check;
use tidy::tree::Tree;

#[test]
fn every_file_of_tests_in_the_repository_is_run() {
    expect_none(&check(&Tree::here()));
}

#[test]
fn a_file_that_no_program_contains_is_named() {
    let manifest = "[package]\nautotests = false\nname = \"astrarium-base\"\n[[test]]\nname = \"all\"\n[[test]]\nname = \"alone\"\n";
    let tree = |listed: &str| {
        Tree::of(&[
            ("core/base/Cargo.toml", manifest),
            ("core/base/tests/all.rs", listed),
            ("core/base/tests/alone.rs", ""),
            ("core/base/tests/streams.rs", ""),
            ("core/base/tests/common/mod.rs", ""),
        ])
    };
    expect_none(&check(&tree("mod streams;\n")));
    expect_one(&check(&tree("mod other;\n")), "add `mod streams;`");
}
