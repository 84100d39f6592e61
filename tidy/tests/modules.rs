//! Each `lib.rs` is a page that lists its modules in reading order.

use tidy::complaint::{Complaint, expect_none, expect_one};
use tidy::modules::{check, check_order, check_page};
use tidy::tree::{Text, Tree};

#[test]
fn the_repository_is_in_reading_order() {
    expect_none(&check(&Tree::here()));
}

fn check_lib(folder: &str, text: &str) -> Vec<Complaint> {
    check_page(&Text::new("src/lib.rs", text), folder, false)
}

#[test]
fn a_page_begins_with_a_sentence() {
    expect_none(&check_lib("externals/host", "//! What machine are we on?\n//!\n//! more\nmod clock;"));
    expect_none(&check_lib("externals/host", "//! What machine are we on,\n//! and since when?"));
    expect_one(&check_lib("externals/host", "//! The host\n//!\n//! A sentence."), "must begin with a sentence");
    expect_one(&check_lib("externals/host", "mod clock;"), "must begin with a sentence");
}

#[test]
fn a_page_of_core_has_laws() {
    let page = "//! What?\n//!\n//! Never: lies.\n//!\n//! Laws\n//! 1. One.";
    expect_none(&check_lib("core/base", page));
    expect_one(&check_lib("core/base", "//! What?\n//!\n//! Never: lies."), "no line that begins with Laws");
    expect_one(&check_lib("foundation/net", "//! What?\n//!\n//! Laws"), "no line that begins with Never");
}

#[test]
fn a_page_has_no_code() {
    expect_one(&check_lib("tidy", "//! What?\nmod a;\npub fn b() {}"), "src/lib.rs:3: `fn` in lib.rs");
    expect_one(&check_lib("tidy", "//! What?\nstruct A;"), "`struct` in lib.rs");
    expect_none(&check_lib("tidy", "//! What?\n//! fn in words.\n#[cfg(test)]\nmod tests { fn f() {} }"));
    let macros = Text::new("src/lib.rs", "//! What?\npub fn derive() {}");
    expect_none(&check_page(&macros, "core/base/derive", true));
}

fn check_modules(lib: &str, files: &[(&str, &str)]) -> Vec<Complaint> {
    let root = Text::new("core/base/src/lib.rs", lib);
    let files: Vec<Text> = files.iter().map(|(path, text)| Text::new(&format!("core/base/src/{path}"), text)).collect();
    check_order(&root, &files.iter().collect::<Vec<_>>())
}

const LIB: &str =
    "//! What?\npub mod a;\npub(crate) mod b;\nmod c;\npub use c::{Deep, Other as Another};\n#[cfg(test)]\nmod tests;";

#[test]
fn a_module_may_use_those_above() {
    let c = "use crate::a::X;\nuse crate::{b::{Y, Z}, a};\nuse crate::c::own;\nuse super::b;";
    expect_none(&check_modules(LIB, &[("c.rs", c), ("c/deep.rs", "use super::c; use crate::b;")]));
}

#[test]
fn a_module_may_not_use_those_below() {
    let expected = "core/base/src/a.rs:2: a uses b, which core/base/src/lib.rs lists below it";
    expect_one(&check_modules(LIB, &[("a.rs", "//! A.\nuse crate::b::X;")]), expected);
    expect_one(&check_modules(LIB, &[("a.rs", "fn f() { crate::c::g() }")]), "a uses c");
    expect_one(&check_modules(LIB, &[("b.rs", "use crate::{a::{X, Y}, c::Z};")]), "b uses c");
    expect_one(&check_modules(LIB, &[("a/inner.rs", "use crate::b::X;")]), "a uses b");
    expect_one(&check_modules(LIB, &[("a.rs", "use super::c;")]), "a uses c");
}

#[test]
fn a_name_of_the_root_belongs_to_its_module() {
    expect_one(&check_modules(LIB, &[("a.rs", "use crate::Deep;")]), "a uses c");
    expect_one(&check_modules(LIB, &[("a.rs", "use crate::Another;")]), "a uses c");
    expect_none(&check_modules(LIB, &[("a.rs", "use crate::Unknown;")]));
}

#[test]
fn tests_comments_and_visibility_are_not_uses() {
    expect_none(&check_modules(LIB, &[("a.rs", "/// See [`crate::b`].\npub(in crate::b) fn f() {}")]));
    expect_none(&check_modules(LIB, &[("a.rs", "#[cfg(test)]\nmod tests {\n    use crate::b;\n}")]));
    expect_none(&check_modules(LIB, &[("a/tests.rs", "use crate::b;")]));
}

#[test]
fn a_module_of_tests_is_marked_with_cfg_test() {
    let tree = |text| Tree::of(&[("tidy/Cargo.toml", "[package]\nname = \"t\""), ("tidy/src/a.rs", text)]);
    expect_none(&check(&tree("#[cfg(test)]\nmod tests;")));
    expect_one(&check(&tree("mod tests;")), "tidy/src/a.rs:1: mod tests without #[cfg(test)]");
}
