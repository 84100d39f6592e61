//! Core and foundation do not use the standard library, except in their tests.

use tidy::complaint::{expect_none, expect_one};
use tidy::no_std::{check, check_file};
use tidy::tree::{Text, Tree};

#[test]
fn core_and_foundation_do_not_use_the_standard_library() {
    expect_none(&check(&Tree::here()));
}

#[test]
fn a_library_says_no_std() {
    let tree = |text| {
        Tree::of(&[("core/base/Cargo.toml", "[package]\nname = \"astrarium-base\""), ("core/base/src/lib.rs", text)])
    };
    expect_none(&check(&tree("//! Numbers.\n#![no_std]\n")));
    expect_one(&check(&tree("//! Numbers, #![no_std]\n")), "core/base/src/lib.rs: #![no_std] is missing");
}

#[test]
fn macros_and_externals_may_use_it() {
    let tree = Tree::of(&[
        ("core/base/derive/Cargo.toml", "[package]\nname = \"d\"\n[lib]\nproc-macro = true"),
        ("core/base/derive/src/lib.rs", "use std::fmt;"),
        ("externals/host/Cargo.toml", "[package]\nname = \"h\""),
        ("externals/host/src/lib.rs", "use std::fmt;"),
    ]);
    expect_none(&check(&tree));
}

fn check_text(text: &str) -> Vec<tidy::complaint::Complaint> {
    check_file(&Text::new("core/base/src/bytes.rs", text))
}

#[test]
fn std_is_refused_outside_of_tests() {
    expect_one(&check_text("use core::fmt;\nuse std::fmt;\n"), "core/base/src/bytes.rs:2: std outside of tests");
    expect_one(&check_text("extern crate std;"), "std outside of tests");
    expect_one(&check_text("fn f() { ::std::process::abort() }"), "std outside of tests");
    expect_one(&check_text("#[cfg(not(test))]\nuse std::fmt;"), ":2:");
}

#[test]
fn std_is_fine_in_tests_and_comments() {
    expect_none(&check_text("#[cfg(test)]\nextern crate std;\n// std::fmt\nconst S: &str = \"std::\";"));
    expect_none(&check_text("#[cfg(test)]\nmod tests {\n    use std::fmt;\n}\n"));
    expect_none(&check_file(&Text::new("core/base/src/bytes/tests.rs", "use std::fmt;")));
}
