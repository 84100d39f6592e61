//! `tag new`: a new tag, with what may stand in it.

use astrarium::extra::{ArgMatches, Command, Failure, flag, json};
use astrarium::host::files;
use astrarium::json::Json;
use astrarium::tags::TagPath;
use forge::blank::blank;

use super::{tree, word, word_of};

pub fn command() -> Command {
    Command::new("new")
        .about("Makes a new tag")
        .arg(word("TAG", "Its path in the tree, as in ships/corvette.ship"))
        .arg(flag("print", "Only prints what it would be"))
        .arg(json())
}

pub fn carry_out(matches: &ArgMatches) -> Result<(), Failure> {
    let tree = tree(matches)?;
    let path = tree.path_of(word_of(matches, "TAG"))?;
    let class = tree.classes.named(path.class())?.class();
    let text = blank(class);
    let file = tree.file(path.as_str());
    let is_print = matches.get_flag("print");
    if !is_print {
        // Also what is no tag: a folder, a link.
        if file.symlink_metadata().is_ok() {
            return Err(Failure::from(format!("there is a `{path}` already; it is left as it is")));
        }
        let is_like = |other: &TagPath| other.folded() == path.folded();
        if let Some(other) = tree.tags.iter().find(|tag| is_like(&tag.path)) {
            let message = format!("`{}` differs from it only in upper and lower case; choose another name", other.path);
            return Err(Failure::from(message));
        }
        if let Some(folder) = file.parent() {
            files::make_folder(folder).map_err(|error| error.to_string())?;
        }
        files::write_atomically(&file, &[text.as_bytes()]).map_err(|error| error.to_string())?;
    }
    if matches.get_flag("json") {
        println!("{}", Json::new().text("tag", path.as_str()).text("text", &text).finish());
    } else if is_print {
        print!("{text}");
    } else {
        println!("{} made", tree.shown(path.as_str()));
    }
    Ok(())
}
