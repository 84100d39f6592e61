//! `tag manual`: the page of a class.

use astrarium::extra::{Arg, ArgMatches, Command, Failure, flag, json};
use astrarium::json::Json;
use astrarium::tags::manual::{Shown, page};

use super::tree;

pub fn command() -> Command {
    Command::new("manual")
        .about("Prints the manual of a class as Markdown; without a class, which there are")
        .arg(Arg::new("CLASS").help("The class"))
        .arg(flag("all", "Also of what is hidden"))
        .arg(json())
}

pub fn carry_out(matches: &ArgMatches) -> Result<(), Failure> {
    let tree = tree(matches)?;
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
    let shown = if matches.get_flag("all") { Shown::All } else { Shown::Visible };
    let page = page(class, shown);
    if is_json {
        println!("{}", Json::new().text("class", name).text("page", &page).finish());
    } else {
        print!("{page}");
    }
    Ok(())
}
