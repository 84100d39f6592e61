//! The commands for tags in the book: its files are created, its commands are run, and the output must be the one it
//! shows.

use crate::common;

use std::fs;

use common::chapter::{blocks, commands, git, printed, run};
use common::{Folder, skirmish};
use forge::manual::{ShownFields, page};

const CHAPTER: &str = include_str!("../../../docs/book/src/tag-tools.md");
const LIVING: &str = include_str!("../../../docs/book/src/living.md");
const COMMANDS: &str = include_str!("../../../docs/book/src/commands.md");

#[test]
fn every_command_of_the_chapter_about_tools_gives_the_output_shown() {
    let folder = Folder::new();
    let has_git = git(&folder, &["init", "--quiet", "--initial-branch", "main"]).is_some();
    let home = fs::canonicalize(folder.path()).expect("it is there").display().to_string();
    let mut count = 0;
    for (kind, inside) in blocks(CHAPTER) {
        match kind.split_once(' ') {
            Some(("lscript", path)) => folder.write(path, &inside),
            None if kind == "console" => {
                for (line, shown) in commands(&inside) {
                    if line.starts_with("git ") && !has_git {
                        continue;
                    }
                    let printed = run(&folder, &line).replace(&home, "~/game");
                    match shown.split_once('…') {
                        Some((start, _)) => assert!(printed.starts_with(start), "$ {line}\n{printed}"),
                        None => assert_eq!(without_times(&printed), without_times(&shown), "$ {line}"),
                    }
                    count += 1;
                }
            }
            _ => {}
        }
    }
    assert!(count >= 15, "{count}");
}

#[test]
fn an_error_is_printed_while_playing_as_the_book_shows_it() {
    let folder = Folder::new();
    skirmish::write(&folder.join("tags"));
    folder.write(&format!("tags/{}", skirmish::CORVETTE), skirmish::corvette(9000));
    let words = "play skirmish --headless --cycles 1 --no-black-box --tags tags";
    let printed = printed(&folder.command(words).output().expect("it can be run"));
    let shown = blocks(LIVING).into_iter().find(|(kind, _)| *kind == "text").expect("it shows one").1;
    assert!(printed.contains(&shown), "{printed}");
}

#[test]
fn every_command_for_tags_is_in_the_list_of_commands() {
    let help = Folder::new().run("tag --help").stdout();
    let listed = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let names: Vec<&str> =
        listed.map_while(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect();
    assert!(names.len() >= 3, "{help}");
    for name in names {
        assert!(COMMANDS.contains(&format!("| `tag {name}")), "{name}");
    }
}

/// Replaces the milliseconds, which differ in every run.
fn without_times(text: &str) -> String {
    let mut parts = text.split(" ms").map(|part| part.trim_end_matches(|letter: char| letter.is_ascii_digit()));
    let first = parts.next().unwrap_or("").to_string();
    parts.fold(first, |text, part| text + "N ms" + part)
}

#[test]
fn the_chapter_of_world_classes_is_their_manual() {
    const CHAPTER: &str = include_str!("../../../docs/book/src/world-classes.md");
    let classes = astrarium::world::classes();
    let pages = classes.iter().map(|known| page(known.class(), ShownFields::Visible));
    let expected: Vec<String> = pages.map(|page| format!("\n#{}", page.replace("\n#", "\n##"))).collect();
    let written = CHAPTER.find("\n## ").map_or("", |start| &CHAPTER[start..]);
    assert_eq!(written.trim(), expected.join("\n").trim(), "replace the chapter's sections with the second text");
}
