//! `tag check`: reports all faults in a tree, or in some of its tags.

use std::path::Path;

use crate::arguments::{is_standard_input, json};
use crate::error::Failure;
use crate::json::Json;
use astrarium::GameEntry;
use clap::{ArgMatches, Command};
use forge::check::check;
use forge::check_text::check_text;
use forge::overrides::{Override, overrides};

use super::{counted, json_of, text_of_stream, tree, words, words_of};

pub fn command() -> Command {
    Command::new("check")
        .about("Reports errors and warnings in a tree of tags")
        .arg(words(
            "TAGS",
            "The tags to check, or - for a text from standard input; the default is all tags of the tree",
        ))
        .arg(json())
}

pub fn carry_out(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), Failure> {
    let tree = tree(matches, games)?;
    let named = words_of(matches, "TAGS");
    let found = match named.as_slice() {
        [only] if is_standard_input(Path::new(only)) => {
            check_text(&tree, "standard input", &text_of_stream(Path::new(only))?)?
        }
        _ => {
            let which: Vec<usize> = named.iter().map(|written| tree.tag(written)).collect::<Result<_, _>>()?;
            check(&tree, (!named.is_empty()).then_some(&which))
        }
    };
    let is_json = matches.get_flag("json");
    if !is_json {
        found.findings.iter().for_each(|finding| print!("{}", finding.rendered));
    }
    let overridden = overrides(&tree);
    if !is_json {
        overridden.iter().for_each(|one| println!("{}", line_of(one)));
    }
    let printed = found.findings.len();
    if printed < found.errors + found.warnings {
        eprintln!("and {} more", found.errors + found.warnings - printed);
    }
    let json = Json::new()
        .value("tags", found.tags)
        .value("references", found.references)
        .value("errors", found.errors)
        .value("warnings", found.warnings)
        .list("reports", found.findings.iter().map(json_of))
        .list("overrides", overridden.iter().map(json_of_override));
    if found.errors > 0 {
        let message = format!("{} in {}", counted(found.errors, "error"), counted(found.tags, "tag"));
        return Err(Failure { message, found: json });
    }
    if is_json {
        println!("{}", json.finish());
    } else {
        println!("{}, {}, no errors", counted(found.tags, "tag"), counted(found.references, "reference"));
    }
    Ok(())
}

/// What a tag of a mod does to the one below it, in one line.
fn line_of(one: &Override) -> String {
    let below = one.below.as_ref().map_or_else(|| String::from("the game"), |name| format!("the mod `{name}`"));
    match &one.fields {
        Some(fields) => format!("{}: sets {} of {}, which is of {below}", one.name, fields.join(", "), one.path),
        None => format!("{}: replaces {}, which is of {below}", one.name, one.path),
    }
}

fn json_of_override(one: &Override) -> Json {
    Json::new()
        .text("mod", &one.name)
        .text("path", &one.path)
        .text("below", one.below.as_deref().unwrap_or(""))
        .value("is_partial", one.fields.is_some())
        .texts("fields", one.fields.as_deref().unwrap_or(&[]))
}
