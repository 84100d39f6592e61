//! `tag new`: creates a tag, with its possible fields listed.

use crate::arguments::{flag, json};
use crate::error::Failure;
use crate::json::Json;
use astrarium::GameEntry;
use clap::{ArgMatches, Command};
use forge::new_tag::blank;
use host::files;
use tags::TagPath;

use super::{own_tree, word, word_of};

pub fn command() -> Command {
    Command::new("new")
        .about("Creates a tag")
        .arg(word("TAG", "Its path in the tree, as in ships/corvette.ship"))
        .arg(flag("print", "Only print the tag"))
        .arg(json())
}

pub fn carry_out(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), Failure> {
    let tree = own_tree(matches, games)?;
    let path = tree.path_of(word_of(matches, "TAG"))?;
    let class = tree.classes.named(path.class())?.class();
    let text = blank(class);
    let file = tree.file(path.as_str());
    let is_print = matches.get_flag("print");
    if !is_print {
        // Also anything that is not a tag: a folder, a link.
        if file.symlink_metadata().is_ok() {
            return Err(Failure::from(format!("`{path}` already exists and is unchanged")));
        }
        let is_like = |other: &TagPath| other.folded() == path.folded();
        if let Some(other) = tree.tags.iter().find(|tag| is_like(&tag.path)) {
            let message = format!("`{}` differs from it only in upper and lower case; choose another name", other.path);
            return Err(Failure::from(message));
        }
        let file = tree.new_file(path.as_str())?;
        files::write_atomically(&file, &[text.as_bytes()])?;
    }
    if matches.get_flag("json") {
        println!("{}", Json::new().text("tag", path.as_str()).text("text", &text).finish());
    } else if is_print {
        print!("{text}");
    } else {
        println!("{} created", tree.shown(path.as_str()));
    }
    Ok(())
}
