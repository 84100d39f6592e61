//! `tag check`: reports all faults in a tree, or in some of its tags.

use crate::arguments::json;
use crate::error::Failure;
use crate::json::Json;
use astrarium::GameEntry;
use clap::{ArgMatches, Command};
use forge::check::check;

use super::{counted, json_of, tree, words, words_of};

pub fn command() -> Command {
    Command::new("check")
        .about("Reports errors and warnings in a tree of tags")
        .arg(words("TAGS", "The tags to check; the default is all tags of the tree"))
        .arg(json())
}

pub fn carry_out(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), Failure> {
    let tree = tree(matches, games)?;
    let named = words_of(matches, "TAGS");
    let which: Vec<usize> = named.iter().map(|written| tree.tag(written)).collect::<Result<_, _>>()?;
    let found = check(&tree, (!named.is_empty()).then_some(&which));
    let is_json = matches.get_flag("json");
    if !is_json {
        found.findings.iter().for_each(|finding| print!("{}", finding.rendered));
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
        .list("reports", found.findings.iter().map(json_of));
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
