//! Names do not contain the words that the glossary refuses.

use tidy::complaint::{Complaint, expect_none, expect_one};
use tidy::glossary::{check, check_glossary, check_names, refused};
use tidy::tree::{Text, Tree};

#[test]
fn names_of_the_repository_contain_no_refused_words() {
    expect_none(&check(&Tree::here()));
}

const GLOSSARY: &str = "# Glossary\n\n| word | meaning | elsewhere called |\n|---|---|---|\n| world | all | — |\n\n## Words we do not use\n\n- Manager: say what it does\n- Util, Misc: name the idea\n";

fn check_text(path: &str, text: &str) -> Vec<Complaint> {
    check_names(&Text::new(path, text), &refused(GLOSSARY))
}

#[test]
fn empty_words_are_refused_in_types() {
    expect_one(
        &check_text("a.rs", "\npub struct WorldManager;"),
        "a.rs:2: WorldManager: not Manager: say what it does",
    );
    expect_one(&check_text("a.rs", "trait Utils {}"), "Utils: not Util: name the idea");
    expect_one(&check_text("a.rs", "enum Misc {}"), "not Misc: name the idea");
    expect_one(&check_text("a.rs", "type ManagerOf<T> = T;"), "not Manager");
    expect_one(&check_text("a.rs", "struct PageManagers;"), "PageManagers: not Manager");
    expect_none(&check_text("a.rs", "struct Management; use other::FileManager; // struct Manager"));
}

#[test]
fn empty_words_are_refused_in_file_names() {
    expect_one(&check_text("core/base/src/utils.rs", ""), "core/base/src/utils.rs: not Util");
    expect_one(&check_text("core/base/src/page_manager.rs", ""), "not Manager");
    expect_none(&check_text("core/base/src/utility.rs", ""));
}

#[test]
fn a_glossary_defines_each_word_in_one_row() {
    let check_rows =
        |rows: &str| check_glossary(&format!("| word | meaning | elsewhere called |\n|---|---|---|\n{rows}"));
    expect_none(&check_glossary(GLOSSARY));
    expect_none(&check_rows("| a | x, for `b || c` | — |\n| b | y | z |"));
    expect_one(&check_rows("| a | x | — |\n| a | y | — |"), "GLOSSARY.md:4: a is defined twice");
    expect_one(&check_rows("| a | x |"), "GLOSSARY.md:3: a row has three cells");
    expect_one(&check_rows("| a | x | y | z |"), "a row has three cells");
    expect_one(&check_rows("| a |  | — |"), "a row has three cells");
    expect_one(&check_rows("| a | x | —"), "a row has three cells");
    expect_one(&check_rows("- **a**: x"), "GLOSSARY.md:3: a list entry; a word is a row");
}

#[test]
fn a_glossary_has_its_list_of_refused_words() {
    expect_one(&check(&Tree::of(&[("GLOSSARY.md", "# Glossary")])), "there is no list");
}
