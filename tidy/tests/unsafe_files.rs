//! Unsafe code is only in the crates that the architecture allows, and each file with it states a reason.

use tidy::complaint::{Complaint, expect_none, expect_one};
use tidy::tree::{Text, Tree};
use tidy::unsafe_files::{check, check_file};

#[test]
fn unsafe_code_is_only_in_the_allowed_crates() {
    expect_none(&check(&Tree::here()));
}

fn check_at(path: &str, text: &str) -> Vec<Complaint> {
    check_file(&Text::new(path, text), &["core/state".to_owned(), "externals/host".to_owned()], false)
}

#[test]
fn other_crates_may_not_have_unsafe_code() {
    let text = "#![allow(unsafe_code, reason = \"speed\")]\nunsafe fn f() {}";
    expect_none(&check_at("core/state/src/block.rs", text));
    expect_one(&check_at("core/base/src/bytes.rs", text), "core/base/src/bytes.rs:2: unsafe code here");
    expect_one(&check_at("core/state_more/src/a.rs", text), "unsafe code here");
}

#[test]
fn a_file_with_unsafe_code_states_a_reason() {
    expect_one(&check_at("core/state/src/block.rs", "unsafe fn f() {}"), "without #![allow(unsafe_code");
    expect_one(
        &check_at("core/state/src/block.rs", "#![allow(unsafe_code)]\nunsafe fn f() {}"),
        ":2: unsafe code without",
    );
    expect_one(
        &check_at("core/state/src/block.rs", "// #![allow(unsafe_code, reason = \"a\")]\nunsafe fn f() {}"),
        "without",
    );
    let long = "#![allow(\n    unsafe_code,\n    reason = \"memory is mapped here\"\n)]\nunsafe fn f() {}";
    expect_none(&check_at("core/state/src/block.rs", long));
}

#[test]
fn tests_are_covered_by_the_reason_of_their_module() {
    let page = "- Unsafe code may be in: core/state";
    let tree = |module| {
        let tests = ("core/state/src/block/tests.rs", "unsafe fn f() {}");
        Tree::of(&[("ARCHITECTURE.md", page), ("core/state/src/block.rs", module), tests])
    };
    expect_none(&check(&tree("#![allow(unsafe_code, reason = \"memory\")]")));
    expect_one(&check(&tree("")), "core/state/src/block/tests.rs:1: unsafe code without");
}

#[test]
fn the_word_in_comments_and_strings_is_not_code() {
    expect_none(&check_at("core/base/src/bytes.rs", "// unsafe\n#![deny(unsafe_code)]\nconst A: &str = \"unsafe\";"));
}
