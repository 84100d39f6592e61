//! Links between the pages of the repository lead somewhere.

use tidy::complaint::{Complaint, expect_none, expect_one};
use tidy::links::{check, check_page};
use tidy::tree::{Text, Tree};

#[test]
fn the_links_of_the_repository_lead_somewhere() {
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
fn links_that_lead_nowhere_are_refused() {
    expect_one(&check_text("one\n[a](walks/gone.md)"), "docs/page.md:2: the link walks/gone.md leads nowhere");
    expect_one(&check_text("[a](README.md)"), "leads nowhere");
    expect_one(&check_text("[a](../../beside/page.md)"), "leads nowhere");
    expect_one(&check_text("![picture](a.png)"), "leads nowhere");
    expect_one(&check_text("[a]: gone.md"), "leads nowhere");
    expect_one(&check_text("[a](../README.md#three)"), "README.md has no heading #three");
}

#[test]
fn code_has_no_links() {
    expect_none(&check_text("```\n[a](gone.md)\n```\n`[a](gone.md)`\n\n    [a](gone.md)"));
}
