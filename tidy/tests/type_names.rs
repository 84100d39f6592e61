//! A type name is declared once per crate.

use tidy::complaint::{Complaint, expect_none, expect_one};
use tidy::tree::{Text, Tree};
use tidy::type_names::{check, check_crate};

#[test]
fn no_crate_of_the_repository_declares_a_type_name_twice() {
    expect_none(&check(&Tree::here()));
}

fn check_files(files: &[(&str, &str)]) -> Vec<Complaint> {
    let files: Vec<Text> = files.iter().map(|(path, text)| Text::new(path, text)).collect();
    check_crate(files.iter())
}

#[test]
fn a_second_type_of_the_same_name_is_refused() {
    for (first, second) in [
        ("pub struct Row;", "enum Row {}"),
        ("trait Row {}", "mod inner {\n    struct Row;\n}"),
        ("type Row = u8;", "union Row {}"),
    ] {
        expect_one(
            &check_files(&[("core/a/src/a.rs", first), ("core/a/src/b.rs", second)]),
            "Row is also declared at core/a/src/a.rs:1",
        );
    }
}

#[test]
fn a_module_for_one_platform_may_repeat_the_names_of_another() {
    let files = |attribute: &str| {
        check(&Tree::of(&[
            ("core/a/Cargo.toml", "[package]\nname = \"astrarium-a\"\n"),
            ("core/a/src/lib.rs", &format!("mod real;\n{attribute}\nmod absent;")),
            ("core/a/src/real.rs", "pub struct Row;"),
            ("core/a/src/absent.rs", "pub struct Row;"),
        ]))
    };
    expect_none(&files("#[cfg(unix)]"));
    expect_one(&files("#[macro_use]"), "Row is also declared at");
}

#[test]
fn tests_associated_types_and_conditions_may_repeat_a_name() {
    let first = ("core/a/src/a.rs", "struct Row;\nimpl Work for Row {\n    type Output = u8;\n}");
    expect_none(&check_files(&[first, ("core/a/src/b.rs", "impl Work for Other {\n    type Output = u8;\n}")]));
    expect_none(&check_files(&[first, ("core/a/src/b.rs", "#[cfg(test)]\nmod tests {\n    struct Row;\n}")]));
    expect_none(&check_files(&[first, ("core/a/src/b.rs", "#[cfg(unix)]\nstruct Row;")]));
    expect_none(&check_files(&[
        first,
        ("core/a/src/b.rs", "// struct Row\nlet text = \"struct Row\";\na.union(&Row);"),
    ]));
}
