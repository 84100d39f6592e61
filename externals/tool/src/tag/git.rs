//! `tag git`: installs the semantic diff and merge drivers in a git repository.

use crate::arguments::{flag, json};
use crate::error::Failure;
use crate::json::Json;
use astrarium::GameEntry;
use clap::{ArgMatches, Command};
use forge::git::{install, remove};

use super::own_tree;

pub fn command() -> Command {
    Command::new("git")
        .about("Makes git compare and merge the tags of a tree by meaning")
        .arg(flag("install", "Write the tree's .gitattributes and the repository's configuration"))
        .arg(flag("remove", "Undo --install").conflicts_with("install"))
        .arg(json())
}

pub fn carry_out(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), Failure> {
    let tree = own_tree(matches, games)?;
    let written = match (matches.get_flag("install"), matches.get_flag("remove")) {
        (true, _) => {
            let program =
                std::env::current_exe().map_err(|error| format!("the path of this program is unknown: {error}"))?;
            let program = program
                .to_str()
                .ok_or_else(|| String::from("the path of this program is not UTF-8, so git cannot call it"))?;
            install(&tree, program)?
        }
        (_, true) => remove(&tree)?,
        _ => return Err(Failure::from(String::from("expected --install or --remove"))),
    };
    if matches.get_flag("json") {
        let json = Json::new().text("repository", &written.repository);
        let json = json.text("attributes", &written.attributes.display().to_string());
        println!("{}", json.texts("classes", &written.classes).finish());
        return Ok(());
    }
    if written.classes.is_empty() {
        println!("git compares and merges the tags of {} like any other text", written.repository);
    } else {
        println!("git compares and merges by meaning in {}: {}", written.repository, written.classes.join(", "));
        println!("commit {}; run this command once in every clone of the repository", written.attributes.display());
    }
    Ok(())
}
