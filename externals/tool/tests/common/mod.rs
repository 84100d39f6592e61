//! Shared by the tests of the command: a folder to run it in, its output, and a JSON parser.
#![allow(dead_code, reason = "each file of tests uses a part of it")]

pub mod chapter;
pub mod machines;
pub mod skirmish;

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Deref;
use std::process::{Command, Output, Stdio};
use std::time::SystemTime;

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_astrarium");

/// A temporary folder in which the command is run.
pub struct Folder(testing::Folder);

impl Folder {
    pub fn new() -> Folder {
        Folder(testing::Folder::new())
    }

    /// The command with these arguments, separated by blanks.
    pub fn command(&self, words: &str) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(words.split_whitespace()).current_dir(self.path()).env("RUST_BACKTRACE", "0");
        command
    }

    /// Runs the command to its end with these arguments, which may contain blanks.
    pub fn run_words(&self, words: &[&str]) -> Ran {
        let output = self.command("").args(words).output().expect("the command can be run");
        Ran { words: words.join(" "), output }
    }

    /// Runs the command to its end with a text on its standard input.
    pub fn run_on(&self, words: &str, text: &str) -> Ran {
        let mut command = self.command(words);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command can be run");
        let mut input = child.stdin.take().expect("it is piped");
        input.write_all(text.as_bytes()).expect("the command reads it");
        drop(input);
        let output = child.wait_with_output().expect("the command ends");
        Ran { words: words.to_string(), output }
    }

    /// Runs the command to its end.
    pub fn run(&self, words: &str) -> Ran {
        let output = self.command(words).output().expect("the command can be run");
        Ran { words: words.to_string(), output }
    }
}

impl Deref for Folder {
    type Target = testing::Folder;

    fn deref(&self) -> &testing::Folder {
        &self.0
    }
}

/// The result of a command.
pub struct Ran {
    words: String,
    output: Output,
}

impl Ran {
    /// Its standard output, if it succeeded.
    #[track_caller]
    pub fn stdout(&self) -> String {
        assert!(self.output.status.success(), "{}: {:?}", self.words, self.output);
        String::from_utf8(self.output.stdout.clone()).expect("the output is UTF-8")
    }

    /// The JSON object in its last line.
    #[track_caller]
    pub fn json(&self) -> Json {
        let printed = self.stdout();
        Json::read(printed.lines().last().expect("there is output"))
    }

    /// Its error message, if it failed. It must not have panicked.
    #[track_caller]
    pub fn complaint(&self) -> String {
        let printed = String::from_utf8_lossy(&self.output.stderr).into_owned();
        assert!(matches!(self.output.status.code(), Some(1 | 2)), "{}: {:?}", self.words, self.output);
        assert!(!printed.trim().is_empty(), "{}: it says nothing", self.words);
        assert!(!printed.contains("panicked"), "{}: {printed}", self.words);
        printed
    }

    /// Its output on both streams, however it ended.
    pub fn output(&self) -> String {
        [&self.output.stdout, &self.output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned()).concat()
    }

    /// Whether it exited by itself, successfully or not, but without a panic.
    pub fn is_orderly(&self) -> bool {
        let printed = String::from_utf8_lossy(&self.output.stderr);
        matches!(self.output.status.code(), Some(0..=2)) && !printed.contains("panicked")
    }

    /// The JSON object in its last line, if it failed.
    #[track_caller]
    pub fn failed_json(&self) -> Json {
        self.complaint();
        let printed = String::from_utf8_lossy(&self.output.stdout).into_owned();
        Json::read(printed.lines().last().expect("there is output"))
    }

    /// Its message after a panic that it caught.
    #[track_caller]
    pub fn last_words(&self) -> String {
        assert!(!self.output.status.success(), "{}: {:?}", self.words, self.output);
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }
}

/// A JSON value, as far as the command writes it.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Truth(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    /// Parses one value and nothing after it.
    #[track_caller]
    pub fn read(text: &str) -> Json {
        let mut rest = text;
        let value = read_value(&mut rest).filter(|_| rest.trim().is_empty());
        value.unwrap_or_else(|| panic!("this is not JSON, from {rest:?} on: {text}"))
    }

    #[track_caller]
    pub fn get(&self, name: &str) -> &Json {
        match self {
            Json::Object(fields) => fields.get(name).unwrap_or_else(|| panic!("{self:?} has no {name}")),
            other => panic!("{other:?} is not an object"),
        }
    }

    #[track_caller]
    pub fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Json::Text(text) => text,
            other => panic!("{name} is {other:?}"),
        }
    }

    #[track_caller]
    pub fn number(&self, name: &str) -> u64 {
        match self.get(name) {
            Json::Number(number) if number.fract() == 0.0 => *number as u64,
            other => panic!("{name} is {other:?}"),
        }
    }

    #[track_caller]
    pub fn list(&self, name: &str) -> &[Json] {
        match self.get(name) {
            Json::List(list) => list,
            other => panic!("{name} is {other:?}"),
        }
    }
}

fn read_value(rest: &mut &str) -> Option<Json> {
    *rest = rest.trim_start();
    for (word, value) in [("null", Json::Null), ("true", Json::Truth(true)), ("false", Json::Truth(false))] {
        if let Some(after) = rest.strip_prefix(word) {
            *rest = after;
            return Some(value);
        }
    }
    match rest.chars().next()? {
        '"' => read_text(rest).map(Json::Text),
        '[' => read_items(rest, ']', read_value).map(Json::List),
        '{' => {
            let field = |rest: &mut &str| {
                *rest = rest.trim_start();
                let name = read_text(rest)?;
                take(rest, ':')?;
                Some((name, read_value(rest)?))
            };
            let fields = read_items(rest, '}', field)?;
            let count = fields.len();
            let object: BTreeMap<String, Json> = fields.into_iter().collect();
            (object.len() == count).then_some(Json::Object(object))
        }
        _ => {
            let end = rest.find(|letter: char| !"+-.0123456789eE".contains(letter)).unwrap_or(rest.len());
            let number = rest[..end].parse().ok()?;
            *rest = &rest[end..];
            Some(Json::Number(number))
        }
    }
}

fn read_items<T>(rest: &mut &str, end: char, item: impl Fn(&mut &str) -> Option<T>) -> Option<Vec<T>> {
    *rest = &rest[1..];
    let mut items = Vec::new();
    if take(rest, end).is_some() {
        return Some(items);
    }
    loop {
        items.push(item(rest)?);
        if take(rest, end).is_some() {
            return Some(items);
        }
        take(rest, ',')?;
    }
}

fn read_text(rest: &mut &str) -> Option<String> {
    let mut letters = rest.strip_prefix('"')?.chars();
    let mut text = String::new();
    loop {
        match letters.next()? {
            '"' => {
                *rest = letters.as_str();
                return Some(text);
            }
            '\\' => match letters.next()? {
                'u' => {
                    let digits: String = letters.by_ref().take(4).collect();
                    text.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
                }
                'n' => text.push('\n'),
                't' => text.push('\t'),
                other => text.push(other),
            },
            control if control < ' ' => return None,
            other => text.push(other),
        }
    }
}

fn take(rest: &mut &str, letter: char) -> Option<()> {
    *rest = rest.trim_start().strip_prefix(letter)?;
    Some(())
}

/// A seed from the environment or the clock, printed so that it can be used again.
pub fn seed() -> u64 {
    let of_this_moment = || {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("it is later than 1970");
        u64::from(since.subsec_nanos())
    };
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(of_this_moment);
    println!("SEED={seed}");
    seed
}

/// Splitmix64.
pub fn draw(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (*state ^ *state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}
