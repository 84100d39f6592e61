//! What the book says about commands for tags is so: its files are made, its commands are run, and they say what it shows.

mod common;

use std::fs;
use std::process::{Command, Output};

use common::Folder;

const CHAPTER: &str = include_str!("../../../docs/book/src/tag-tools.md");
const LIVING: &str = include_str!("../../../docs/book/src/living.md");
const COMMANDS: &str = include_str!("../../../docs/book/src/commands.md");

#[test]
fn every_command_of_the_chapter_about_tools_does_what_is_shown() {
    let folder = Folder::new();
    let has_git = git(&folder, &["init", "--quiet", "--initial-branch", "main"]).is_some();
    let home = fs::canonicalize(folder.path()).expect("it is there").display().to_string();
    let mut count = 0;
    for (kind, inside) in blocks(CHAPTER) {
        match kind.split_once(' ') {
            Some(("lscript", path)) => write(&folder, path, &inside),
            None if kind == "console" => {
                for (line, shown) in commands(&inside) {
                    if line.starts_with("git ") && !has_git {
                        continue;
                    }
                    let told = run(&folder, &line).replace(&home, "~/game");
                    match shown.split_once('…') {
                        Some((start, _)) => assert!(told.starts_with(start), "$ {line}\n{told}"),
                        None => assert_eq!(without_times(&told), without_times(&shown), "$ {line}"),
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
fn a_mistake_is_told_to_who_plays_as_the_book_shows_it() {
    let folder = Folder::new();
    write(&folder, "tags/globals.globals", "// What holds.\n@globals\n!set speed       9000\n");
    write(&folder, "tags/levels/skirmish.scenario", "@scenario\n");
    let words = "play skirmish --headless --cycles 1 --no-black-box --tags tags";
    let told = told(&folder.command(words).output().expect("it can be run"));
    let shown = blocks(LIVING).into_iter().find(|(kind, _)| *kind == "text").expect("it shows one").1;
    assert!(told.contains(&shown), "{told}");
}

#[test]
fn every_command_for_tags_is_in_the_list_of_commands() {
    let help = Folder::new().run("tag --help").told();
    let listed = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let names: Vec<&str> =
        listed.map_while(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect();
    assert!(names.len() >= 3, "{help}");
    for name in names {
        assert!(COMMANDS.contains(&format!("| `tag {name}")), "{name}");
    }
}

/// The blocks of a chapter: what stands behind their fence, and what is in them.
fn blocks(chapter: &'static str) -> Vec<(&'static str, String)> {
    let mut blocks = Vec::new();
    let mut lines = chapter.lines();
    while let Some(line) = lines.next() {
        if let Some(kind) = line.strip_prefix("```") {
            let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push((kind, inside.join("\n") + "\n"));
        }
    }
    blocks
}

/// What stands behind each `$ `, and the lines up to the next.
fn commands(block: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) => commands.push((command.to_string(), String::new())),
            (None, Some((_, shown))) => *shown += &format!("{line}\n"),
            (None, None) => panic!("a block begins with a command: {line}"),
        }
    }
    commands
}

fn run(folder: &Folder, line: &str) -> String {
    let words = words(line);
    let rest: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    match words.first().map(String::as_str) {
        Some("astrarium") => told(&folder.command("").args(rest).output().expect("it can be run")),
        Some("git") => told(&git(folder, &rest).expect("it was there before")),
        Some("cat") => rest.iter().map(|file| fs::read_to_string(folder.join(file)).expect("it is there")).collect(),
        Some("rm") => {
            rest.iter().for_each(|file| fs::remove_file(folder.join(file)).expect("it is there"));
            String::new()
        }
        other => panic!("{other:?} is no command of the chapter"),
    }
}

fn told(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}

/// The words of a line as a shell has them; quotes are single ones.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for letter in line.chars() {
        match letter {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            letter => words.last_mut().expect("there is one from the start").push(letter),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Nothing if git is not there.
fn git(folder: &Folder, words: &[&str]) -> Option<Output> {
    let mut command = Command::new("git");
    command.args(words).current_dir(folder.path());
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null").env("GIT_PAGER", "cat");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "a designer").env(format!("GIT_{who}_EMAIL"), "a@designer.example");
    }
    command.output().ok()
}

fn write(folder: &Folder, path: &str, text: &str) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().expect("it is in a folder")).expect("folders can be made");
    fs::write(path, text).expect("files can be written");
}

/// How many milliseconds something took is different every time.
fn without_times(text: &str) -> String {
    let mut parts = text.split(" ms").map(|part| part.trim_end_matches(|letter: char| letter.is_ascii_digit()));
    let first = parts.next().unwrap_or("").to_string();
    parts.fold(first, |text, part| text + "N ms" + part)
}
