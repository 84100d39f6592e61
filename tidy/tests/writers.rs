//! Files are written through the atomic writer.

use tidy::complaint::{Complaint, expect_none, expect_one};
use tidy::tree::Tree;
use tidy::writers::check;

#[test]
fn every_file_of_the_repository_is_written_atomically() {
    expect_none(&check(&Tree::here()));
}

fn check_text(path: &str, text: &str) -> Vec<Complaint> {
    check(&Tree::of(&[(path, text)]))
}

#[test]
fn writing_in_place_is_refused() {
    for call in [
        "File::create(path)?",
        "std::fs::write(path, bytes)?",
        "OpenOptions::new().append(true).open(path)?",
        "fs::copy(from, to)?",
        "std::fs::rename(from, to)?",
        "file.set_len(0)?",
    ] {
        let text = format!("fn a() {{\n    {call};\n}}\n");
        expect_one(&check_text("externals/tool/src/a.rs", &text), "externals/tool/src/a.rs:2: ");
    }
}

#[test]
fn the_door_tests_and_words_in_comments_are_free() {
    let text = "fn a() { File::create(path)?; }\n";
    expect_none(&check_text("externals/host/src/files/temporary.rs", text));
    expect_none(&check_text("externals/tool/tests/a.rs", text));
    expect_none(&check_text("externals/tool/src/a.rs", "fn a() { files::rename(from, to)?; }\n"));
    expect_none(&check_text("externals/tool/src/a.rs", "// Not File::create: it empties the file.\nfn a() {}\n"));
    expect_none(&check_text(
        "externals/tool/src/a.rs",
        "#[cfg(test)]\nmod tests {\n    fn a() { fs::write(a, b); }\n}\n",
    ));
}
