//! Compiled scripts from the command line.

use crate::common;

use std::fs;

use common::Folder;

#[test]
fn a_built_file_runs_like_its_source_and_without_it() {
    let folder = Folder::new();
    let source = "!set twice Lambda(x, x * 2)\n!Log(\"hi\", twice(4))\ntwice(21)\n";
    fs::write(folder.join("a.ship"), source).unwrap();
    assert!(folder.run("script build a.ship -o a.lsb").stdout().starts_with("a.lsb written, "));
    let printed = folder.run("script run a.ship").stdout();
    fs::remove_file(folder.join("a.ship")).unwrap();
    assert_eq!(folder.run("script run a.lsb").stdout(), printed);
    assert_eq!(printed, "!Log(\"hi\", 8)\n42\n");
    assert_eq!(folder.run("script run a.lsb --json").json().text("value"), "42");
}

#[test]
fn damaged_files_and_sources_with_errors_are_refused() {
    let folder = Folder::new();
    fs::write(folder.join("a.ship"), "1 + 2\n").unwrap();
    folder.run("script build a.ship -o a.lsb").stdout();
    let mut bytes = fs::read(folder.join("a.lsb")).unwrap();
    bytes[40] ^= 1;
    fs::write(folder.join("a.lsb"), bytes).unwrap();
    assert!(folder.run("script run a.lsb").complaint().contains("a.lsb: the file is damaged"));
    fs::write(folder.join("b.ship"), "1 + hull\n").unwrap();
    assert!(folder.run("script build b.ship -o b.lsb").complaint().contains("not built, because of 1 error"));
    assert!(!folder.join("b.lsb").exists());
}
