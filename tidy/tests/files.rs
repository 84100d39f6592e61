//! Each file is short, begins with a page comment, is finished, and is about the project only.

use tidy::complaint::{Complaint, expect_none, expect_one};
use tidy::files::{LINES_MAX, check, check_source, check_words};
use tidy::tree::{Text, Tree};

#[test]
fn the_files_of_the_repository_are_in_order() {
    expect_none(&check(&Tree::here()));
}

fn check_text(text: &str) -> Vec<Complaint> {
    check_source(&Text::new("core/base/src/bytes.rs", &format!("//! Bytes.\n{text}")))
}

#[test]
fn a_file_has_an_end() {
    expect_none(&check_text(&"\n".repeat(LINES_MAX - 1)));
    expect_one(&check_text(&"\n".repeat(LINES_MAX)), "1001 lines are more than 1000");
}

#[test]
fn a_file_starts_with_its_page() {
    let text = "use core::fmt;\n//! Late.";
    expect_one(&check_source(&Text::new("core/base/src/bytes.rs", text)), "must start with a //! page");
    expect_one(&check_source(&Text::new("core/base/tests/plain.rs", text)), "must start with a //! page");
    expect_none(&check_source(&Text::new("core/base/tests/refused/padding.rs", text)));
    expect_none(&check_source(&Text::new("core/base/src/bytes/tests.rs", text)));
}

#[test]
fn banners_are_refused() {
    for banner in
        ["// -----", "// === Types ===", "//////////", "/*** a */", "// Types ---", "    // ~~~~", "// ────", "// ####"]
    {
        expect_one(&check_text(banner), "core/base/src/bytes.rs:2: a banner");
    }
    for text in
        ["//! | a | b |\n//! |---|---|", "/// # Safety", "/// ### Small", "// a - b", "let a = 1 - -1;", "// +---+"]
    {
        expect_none(&check_text(text));
    }
}

#[test]
fn unfinished_code_is_refused() {
    expect_one(&check_text("fn f() { todo!() }"), "todo is not allowed in committed code");
    expect_one(&check_text("fn f() { unimplemented!() }"), "unimplemented");
    expect_one(&check_text("fn f() { dbg!(1); }"), "dbg");
    expect_one(&check_text("#[test]\n#[ignore = \"slow\"]\nfn f() {}"), ":3: #[ignore]");
    expect_none(&check_text("fn f() { ignore(\"todo!\") } // dbg!"));
}

fn check_line(line: &str) -> Vec<Complaint> {
    check_words(&Text::new("docs/a.md", line))
}

// The words are split in two, so that this file passes its own check.

#[test]
fn notes_about_unfinished_work_are_refused() {
    for note in
        [concat!("// FIX", "ME: x"), concat!("XX", "X"), concat!("TO", "DO(me)"), concat!("good enough f", "or now.")]
    {
        expect_one(&check_line(note), "is a note about unfinished work");
    }
    expect_one(&check_line(concat!("a Place", "holder value")), "docs/a.md:1:");
    expect_none(&check_line("for nowhere, XXXL, todos, fixme"));
}

#[test]
fn words_about_authors_and_their_machines_are_refused() {
    expect_one(&check_line(concat!("written by a Sub", "-agent")), "is about the authors");
    for place in [concat!("see /wo", "rk/a"), concat!("`/ho", "me/me/b`"), concat!("(../sha", "red/c.md)")] {
        expect_one(&check_line(place), "a path of one machine");
    }
    expect_none(&check_line(concat!("net/wo", "rk/a and https://example.org/wo", "rk/b")));
}

#[test]
fn third_party_texts_are_not_checked() {
    expect_none(&check(&Tree::of(&[("LICENSE-MIT", concat!("FIX", "ME")), ("Cargo.lock", concat!("FIX", "ME"))])));
}
