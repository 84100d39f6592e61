//! A chapter of the book as a test: creates its files and runs its commands.

use std::fs;
use std::process::{Command, Output};

use super::Folder;

/// The code blocks of a chapter: the text behind the fence, and the content.
pub fn blocks(chapter: &'static str) -> Vec<(&'static str, String)> {
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

/// The text behind each `$ `, and the lines up to the next.
pub fn commands(block: &str) -> Vec<(String, String)> {
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

/// The output of a command of a chapter, standard output first, then standard error.
pub fn run(folder: &Folder, line: &str) -> String {
    let words = words(line);
    let rest: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
    match words.first().map(String::as_str) {
        Some("astrarium") => printed(&folder.command("").args(rest).output().expect("it can be run")),
        Some("git") => printed(&git(folder, &rest).expect("it was there before")),
        Some("cat") => rest.iter().map(|file| fs::read_to_string(folder.join(file)).expect("it is there")).collect(),
        Some("rm") => {
            rest.iter().for_each(|file| fs::remove_file(folder.join(file)).expect("it is there"));
            String::new()
        }
        other => panic!("{other:?} is not a command of the chapter"),
    }
}

/// Whether an output matches the one shown, with `…` as a wildcard.
pub fn is_as_shown(printed: &str, shown: &str) -> bool {
    let mut parts = shown.trim_end().split('…');
    let Some(mut rest) = parts.next().and_then(|start| printed.strip_prefix(start)) else { return false };
    for part in parts {
        let Some(place) = rest.find(part) else { return false };
        rest = &rest[place + part.len()..];
    }
    shown.contains('…') || rest.trim().is_empty()
}

pub fn printed(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
}

/// Splits a line into words as a shell does, with single quotes.
pub fn words(line: &str) -> Vec<String> {
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

/// Runs git; none if it is not installed.
pub fn git(folder: &Folder, words: &[&str]) -> Option<Output> {
    let mut command = Command::new("git");
    command.args(words).current_dir(folder.path());
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null").env("GIT_PAGER", "cat");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "a designer").env(format!("GIT_{who}_EMAIL"), "a@designer.example");
    }
    command.output().ok()
}
