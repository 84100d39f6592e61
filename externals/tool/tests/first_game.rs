//! The chapter about a first game, executed word by word.

use crate::common;

use common::Folder;
use common::chapter::{blocks, commands, is_as_shown, run};

const CHAPTER: &str = include_str!("../../../docs/book/src/first-game.md");
const README: &str = include_str!("../../../README.md");

/// Creates the files of a chapter and runs its commands; returns the number of commands.
fn go_through(chapter: &'static str, folder: &Folder) -> usize {
    let mut count = 0;
    for (kind, inside) in blocks(chapter) {
        if let Some(path) = kind.strip_prefix("lscript ") {
            folder.write(path, &inside);
        }
        if kind == "console" {
            for (line, shown) in commands(&inside) {
                let printed = run(folder, &line);
                assert!(is_as_shown(&printed, &shown), "$ {line}\n{printed}\nthe chapter shows:\n{shown}");
                count += 1;
            }
        }
    }
    count
}

#[test]
fn every_step_of_the_first_game_gives_the_output_shown() {
    let folder = Folder::new();
    assert!(go_through(CHAPTER, &folder) >= 8);
    let files = blocks(CHAPTER).into_iter().filter_map(|(kind, _)| kind.strip_prefix("lscript "));
    let files: Vec<&str> = files.collect();
    folder.run(&format!("script fmt --check {}", files.join(" "))).stdout();
}

#[test]
fn the_first_page_gives_the_output_shown() {
    assert!(go_through(README, &Folder::new()) >= 2);
}
