//! A public function has an error type, or says why its error is text.

use tidy::complaint::{Complaint, expect_none, expect_one};
use tidy::errors::check;
use tidy::tree::Tree;

#[test]
fn public_functions_have_error_types_or_a_reason() {
    expect_none(&check(&Tree::here()));
}

fn check_text(path: &str, text: &str) -> Vec<Complaint> {
    check(&Tree::of(&[(path, text)]))
}

const FORGE: &str = "externals/forge/src/tree.rs";

#[test]
fn a_public_function_with_a_string_for_its_error_is_refused() {
    let text = "/// Reads.\npub fn read(path: &str) -> Result<String, String> {\n    todo(path)\n}\n";
    expect_one(&check_text(FORGE, text), "externals/forge/src/tree.rs:2: a public function with a String");
    expect_one(&check_text("astrarium/src/film.rs", text), "astrarium/src/film.rs:2:");
    let long = "pub const fn read(\n    path: &str,\n) -> Result<\n    Vec<(usize, String)>,\n    String,\n> {\n}\n";
    expect_one(&check_text(FORGE, long), "tree.rs:1:");
}

#[test]
fn a_reason_somewhere_else_does_not_count() {
    let text = "/// The error is text: it is shown.\npub fn a() {}\n\npub fn b() -> Result<(), String> {}\n";
    expect_one(&check_text(FORGE, text), "tree.rs:4:");
    let text = "/// The error is text: it is shown.\n\npub fn b() -> Result<(), String> {}\n";
    expect_one(&check_text(FORGE, text), "tree.rs:3:");
}

#[test]
fn a_reason_directly_above_is_enough() {
    let text =
        "/// Parses. The error is text because clap prints it.\n#[must_use]\npub fn read() -> Result<(), String> {}\n";
    expect_none(&check_text(FORGE, text));
}

#[test]
fn error_types_and_private_functions_and_tests_and_other_folders_are_fine() {
    expect_none(&check_text(FORGE, "pub fn a() -> Result<String, TreeError> {}\n"));
    expect_none(&check_text(FORGE, "pub fn a() -> Result<BTreeMap<u8, String>, TreeError> {}\n"));
    expect_none(&check_text(FORGE, "pub fn a(ask: impl Fn() -> Result<(), String>) -> bool {}\n"));
    expect_none(&check_text(FORGE, "fn a() -> Result<(), String> {}\n"));
    expect_none(&check_text(FORGE, "#[cfg(test)]\nmod tests {\n    pub fn a() -> Result<(), String> {}\n}\n"));
    expect_none(&check_text("core/tags/src/class.rs", "pub fn a() -> Result<(), String> {}\n"));
    expect_none(&check_text("externals/forge/tests/a.rs", "pub fn a() -> Result<(), String> {}\n"));
}
