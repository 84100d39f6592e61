//! Every chapter of the book is listed, and its examples are run.

use tidy::book::{EXAMPLES, SUMMARY, check};
use tidy::complaint::{Complaint, expect_none, expect_one};
use tidy::tree::Tree;

#[test]
fn the_chapters_of_the_book_are_listed_and_run() {
    let tree = Tree::here();
    assert!(tree.has(SUMMARY));
    expect_none(&check(&tree));
}

fn check_book(summary: &str, examples: &str) -> Vec<Complaint> {
    check(&Tree::of(&[(SUMMARY, summary), ("docs/book/src/time.md", "# Time"), (EXAMPLES, examples)]))
}

#[test]
fn a_chapter_that_is_listed_and_run_is_fine() {
    expect_none(&check_book("- [Time](time.md)", "#[doc = include_str!(\"../../docs/book/src/time.md\")]"));
}

#[test]
fn a_chapter_that_is_not_listed_is_refused() {
    let complaints = check_book("- [Space](space.md)", "#[doc = include_str!(\"../../docs/book/src/time.md\")]");
    expect_one(&complaints, "docs/book/src/time.md: docs/book/src/SUMMARY.md does not list it");
}

#[test]
fn a_chapter_whose_examples_are_not_run_is_refused() {
    expect_one(&check_book("- [Time](time.md)", ""), "its examples are not run");
}
