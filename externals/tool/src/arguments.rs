//! Arguments shared by several commands.

use std::path::PathBuf;

use clap::{Arg, ArgAction, value_parser};

/// `--json`.
pub fn json() -> Arg {
    flag("json", "End with one JSON object")
}

/// A boolean flag.
pub fn flag(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
}

/// An option with a number.
pub fn number(name: &'static str, help: &'static str, default: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("N").value_parser(value_parser!(u64)).default_value(default).help(help)
}

/// An option with a word.
pub fn word(name: &'static str, value: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).help(help)
}

/// An option with a file.
pub fn path(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("FILE").value_parser(value_parser!(PathBuf)).help(help)
}

/// A required file.
pub fn file(name: &'static str) -> Arg {
    Arg::new(name).required(true).value_parser(value_parser!(PathBuf))
}
