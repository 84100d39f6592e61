//! Commands beyond those that every program has, for [`run_with`](crate::run_with): what they are called, and what they do.

use std::path::PathBuf;

pub use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

use crate::json::Json;

/// A command that a program offers besides.
#[derive(Clone, Copy, Debug)]
pub struct Extra {
    /// What it is called, and what it takes.
    pub command: fn() -> Command,
    /// Does what was asked. With `--json` the last line it prints is one JSON object.
    pub carry_out: fn(&ArgMatches) -> Result<(), Failure>,
}

impl Extra {
    pub(crate) fn named<'a>(extras: &'a [Extra], name: &str) -> Option<&'a Extra> {
        extras.iter().find(|extra| (extra.command)().get_name() == name)
    }
}

/// That not all was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What was not, and why: a sentence.
    pub message: String,
    /// What was found until then. With `--json` it is printed, with `error` added.
    pub found: Json,
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure { message, found: Json::new() }
    }
}

/// `--json`.
pub fn json() -> Arg {
    flag("json", "End with one JSON object")
}

/// A flag that is there or not.
pub fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// A flag with a number.
pub fn number(name: &'static str, help: &'static str, default: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("N").value_parser(value_parser!(u64)).default_value(default).help(help)
}

/// A flag with a word.
pub fn word(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

/// A flag with a file.
pub fn path(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("FILE").value_parser(value_parser!(PathBuf)).help(help)
}

/// A file that must be named.
pub fn file(name: &'static str) -> Arg {
    Arg::new(name).required(true).value_parser(value_parser!(PathBuf))
}
