//! Arguments shared by several commands.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, value_parser};
use host::files;

use crate::error::CommandError;

/// Whether a path means standard input.
pub fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// The bytes of a file, or of standard input if it is `-`.
pub fn read_input(path: &Path, bytes_max: u64) -> Result<Vec<u8>, CommandError> {
    if !is_standard_input(path) {
        return Ok(files::read_at_most(path, bytes_max)?);
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        return Err(CommandError::Failed(format!("standard input: expected at most {bytes_max} bytes")));
    }
    Ok(bytes)
}

/// A film and a cycle of it, as they are written on a command line.
pub fn at_cycle(film: &Path, cycle: u64) -> PathBuf {
    let mut text = film.as_os_str().to_os_string();
    text.push(format!("@{cycle}"));
    PathBuf::from(text)
}

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
