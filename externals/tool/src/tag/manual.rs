//! `tag manual`: prints the manual page of a class.

use crate::arguments::{flag, json};
use crate::error::Failure;
use crate::json::Json;
use astrarium::GameEntry;
use clap::{Arg, ArgMatches, Command};
use forge::manual::{ShownFields, page};

use super::tree;

pub fn command() -> Command {
    Command::new("manual")
        .about("Prints the manual of a class as Markdown; without a class, lists all classes")
        .arg(Arg::new("CLASS").help("The class"))
        .arg(flag("all", "Include hidden fields"))
        .arg(json())
}

pub fn carry_out(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), Failure> {
    let tree = tree(matches, games)?;
    let is_json = matches.get_flag("json");
    let Some(name) = matches.get_one::<String>("CLASS") else {
        if is_json {
            println!("{}", Json::new().texts("classes", tree.classes.names()).finish());
            return Ok(());
        }
        for class in tree.classes.all() {
            println!("{:<20} {}", class.name, class.help.lines().next().unwrap_or(""));
        }
        return Ok(());
    };
    let class = tree.classes.named(name)?.class();
    let shown = if matches.get_flag("all") { ShownFields::All } else { ShownFields::Visible };
    let page = page(class, shown);
    if is_json {
        println!("{}", Json::new().text("class", name).text("page", &page).finish());
    } else {
        print!("{page}");
    }
    Ok(())
}
