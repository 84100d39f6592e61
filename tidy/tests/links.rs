//! No page of the repository has a dead link.

use tidy::complaint::{Complaint, expect_none, expect_one};
use tidy::links::{check, check_page};
use tidy::tree::{Text, Tree};

#[test]
fn no_page_of_the_repository_has_a_dead_link() {
    expect_none(&check(&Tree::here()));
}

fn check_text(text: &str) -> Vec<Complaint> {
    let tree = Tree::of(&[
        ("README.md", "# One\n## The two: a & b\n"),
        ("docs/walks/key.md", "# Key\n"),
        ("core/base/src/lib.rs", ""),
    ]);
    check_page(&Text::new("docs/page.md", text), &tree)
}

#[test]
fn files_folders_and_headings_are_found() {
    expect_none(&check_text(
        "[a](walks/key.md) [b](../README.md) [c](./walks) [d](../core/base/) [e](walks/key.md \"title\")",
    ));
    expect_none(&check_text("[a](../README.md#one) [b](../README.md#the-two-a--b)"));
    expect_none(&check_text("[a]: walks/key.md\n[b](https://example.org/x) [c](mailto:a@b.c)"));
}

#[test]
fn dead_links_are_refused() {
    expect_one(&check_text("one\n[a](walks/gone.md)"), "docs/page.md:2: the link walks/gone.md is dead");
    expect_one(&check_text("[a](README.md)"), "is dead");
    expect_one(&check_text("[a](../../beside/page.md)"), "is dead");
    expect_one(&check_text("![picture](a.png)"), "is dead");
    expect_one(&check_text("[a]: gone.md"), "is dead");
    expect_one(&check_text("[a](../README.md#three)"), "README.md has no heading #three");
}

#[test]
fn code_has_no_links() {
    expect_none(&check_text("```\n[a](gone.md)\n```\n`[a](gone.md)`\n\n    [a](gone.md)"));
}
