//! `tag set`: changes values of a tag, addressed by field path.

use std::path::Path;

use crate::arguments::{flag, json, read_input};
use crate::error::{CommandError, Failure};
use crate::json::Json;
use astrarium::GameEntry;
use clap::{ArgMatches, Command};
use forge::edit::{Edit, edit, write};
use forge::edit_error::EditError;
use forge::field_path::FieldPath;
use tags::limits::TEXT_BYTES_MAX;

use super::{counted, json_of, repeated, tree, word, word_of, words, words_of};

/// The maximum number of retries when another process changed the tag.
const TRIES: u32 = 100;

pub fn command() -> Command {
    Command::new("set")
        .about("Changes values of a tag; the rest of its file stays as it is")
        .arg(word("TAG", "The tag"))
        .arg(
            words("PLACES", "Places, each followed by its value, as in mass 1500 'mounts[nose].delay' 0.5; - for a value on standard input")
                .allow_negative_numbers(true)
                .value_name("PLACE VALUE"),
        )
        .arg(repeated("remove", "PLACE", "Remove the value at this place"))
        .arg(repeated("note", "PLACE=TEXT", "Set the note of a value; an empty text removes it"))
        .arg(flag("force", "Even if it adds an error to the tag"))
        .arg(flag("dry-run", "Only print the changed file"))
        .arg(json())
}

pub fn carry_out(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), Failure> {
    let tree = tree(matches, games)?;
    let tag = tree.tag(word_of(matches, "TAG"))?;
    let edits = edits(matches)?;
    let path = &tree.tags[tag].path;
    let is_dry = matches.get_flag("dry-run");
    let mut tries = 0;
    let (edited, is_changed) = loop {
        let edited = edit(&tree, tag, &edits)?;
        if !edited.findings.is_empty() && !matches.get_flag("force") {
            edited.findings.iter().for_each(|finding| eprint!("{}", finding.rendered));
            let found = Json::new().text("tag", path.as_str()).list("reports", edited.findings.iter().map(json_of));
            let errors = counted(edited.findings.len(), "error");
            return Err(Failure {
                message: format!("{path} is unchanged: the edit would add {errors}; --force makes it anyway"),
                found,
            });
        }
        if is_dry {
            let is_changed = edited.before != edited.after;
            break (edited, is_changed);
        }
        match write(&tree.file(path.as_str()), &edited.before, &edited.after) {
            Ok(is_changed) => break (edited, is_changed),
            // Another process was faster: retry on its version.
            Err(EditError::ChangedMeanwhile { .. }) if tries < TRIES => tries += 1,
            Err(error) => return Err(error.into()),
        }
    };
    if matches.get_flag("json") {
        let json = Json::new().text("tag", path.as_str()).value("is_changed", is_changed);
        let json = if is_dry { json.text("text", &edited.after) } else { json };
        println!("{}", json.list("reports", edited.findings.iter().map(json_of)).finish());
    } else if is_dry {
        print!("{}", edited.after);
    } else {
        println!("{} {}", tree.shown(path.as_str()), if is_changed { "changed" } else { "already has these values" });
    }
    Ok(())
}

/// The value that standard input holds.
fn value_of_stream() -> Result<String, CommandError> {
    let bytes = read_input(Path::new("-"), TEXT_BYTES_MAX as u64)?;
    let text = String::from_utf8(bytes).map_err(|error| CommandError::not_text(Path::new("standard input"), &error))?;
    Ok(text.trim().to_string())
}

fn edits(matches: &ArgMatches) -> Result<Vec<Edit>, CommandError> {
    let place = |text: &str| FieldPath::new(text).map_err(|error| CommandError::Usage(error.message));
    let words = words_of(matches, "PLACES");
    let mut edits = Vec::new();
    for pair in words.chunks(2) {
        let [at, value] = pair else {
            return Err(CommandError::Usage(format!("expected a value after `{}`", pair[0])));
        };
        let value = if value == "-" { value_of_stream()? } else { value.clone() };
        edits.push(Edit::Set(place(at)?, value));
    }
    for text in words_of(matches, "note") {
        let wrong = || CommandError::Usage(format!("--note: expected PLACE=TEXT, found {text:?}"));
        let (at, note) = text.split_once('=').ok_or_else(wrong)?;
        edits.push(Edit::Note(place(at)?, note.to_string()));
    }
    for text in words_of(matches, "remove") {
        edits.push(Edit::Remove(place(&text)?));
    }
    if edits.is_empty() {
        return Err(CommandError::Usage(String::from("there is nothing to change; expected places and values")));
    }
    Ok(edits)
}
