//! `tag show`: the values of a tag with their documentation.

use crate::arguments::{flag, json};
use crate::error::Failure;
use crate::json::Json;
use astrarium::GameEntry;
use clap::{Arg, ArgMatches, Command};
use forge::field_path::FieldPath;
use forge::show::{ShownField, ShownTag, show, value_at};

use super::{json_of, short, tree, word, word_of};

pub fn command() -> Command {
    Command::new("show")
        .about("Shows the values of a tag, with units, defaults and notes")
        .arg(word("TAG", "The tag"))
        .arg(
            Arg::new("PLACE")
                .help("Print only the value at this place as it is written, as in mass or mounts[nose].weapon"),
        )
        .arg(flag("all", "Include hidden fields, and what each field may hold"))
        .arg(json())
}

pub fn carry_out(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), Failure> {
    let tree = tree(matches, games)?;
    let tag = tree.tag(word_of(matches, "TAG"))?;
    let path = &tree.tags[tag].path;
    let is_json = matches.get_flag("json");
    if let Some(place) = matches.get_one::<String>("PLACE") {
        let place = FieldPath::new(place).map_err(|trouble| trouble.message)?;
        let value = value_at(&tree, tag, &place)?;
        if is_json {
            let json = Json::new().text("tag", path.as_str()).text("place", &place.to_string());
            println!("{}", json.text("value", &value).finish());
        } else {
            println!("{value}");
        }
        return Ok(());
    }
    let mut shown = show(&tree, tag)?;
    let is_all = matches.get_flag("all");
    shown.rows.retain(|row| is_all || !row.is_hidden);
    if is_json {
        println!("{}", json_of_tag(path.as_str(), &shown).finish());
        return Ok(());
    }
    println!("{path}, {}", version(&shown));
    shown.rows.iter().for_each(|row| print_field(row, is_all));
    shown.findings.iter().for_each(|finding| eprint!("{}", finding.rendered));
    Ok(())
}

fn version(shown: &ShownTag) -> String {
    let ShownTag { class, versions: (text, known), .. } = shown;
    match text.cmp(known) {
        std::cmp::Ordering::Equal => format!("`{class}` version {text}"),
        std::cmp::Ordering::Less => {
            format!("`{class}` version {text}; the class is at {known}: `astrarium tag upgrade`")
        }
        std::cmp::Ordering::Greater => format!("`{class}` version {text}, which is newer than the class here, {known}"),
    }
}

fn print_field(row: &ShownField, is_all: bool) {
    let unit = if row.unit.is_empty() { String::new() } else { format!(" {}", row.unit) };
    let mut remarks = Vec::new();
    if row.is_default && row.is_known {
        remarks.push(String::from("default"));
    }
    if !row.is_known {
        remarks.push(String::from("unknown to the class"));
    }
    if !row.former.is_empty() && row.former != row.name {
        remarks.push(format!("in the file as `{}`", row.former));
    } else if !row.former.is_empty() {
        remarks.push(String::from("converted"));
    }
    if !row.written.is_empty() {
        remarks.push(format!("= {}", short(&row.written)));
    }
    let remarks = if remarks.is_empty() { String::new() } else { format!("  ({})", remarks.join(", ")) };
    println!("  {} {}{unit}{remarks}", row.name, short(&row.value));
    if is_all && row.is_known {
        println!("      {}", row.description);
        row.help.lines().for_each(|line| println!("      {line}"));
    }
    row.notes.iter().for_each(|note| println!("      //? {note}"));
}

fn json_of_tag(path: &str, shown: &ShownTag) -> Json {
    let rows = shown.rows.iter().map(|row| {
        Json::new()
            .text("name", &row.name)
            .text("value", &row.value)
            .text("written", &row.written)
            .text("unit", &row.unit)
            .value("is_default", row.is_default)
            .value("is_known", row.is_known)
            .text("former", &row.former)
            .text("description", &row.description)
            .text("help", &row.help)
            .texts("notes", &row.notes)
    });
    Json::new()
        .text("tag", path)
        .text("class", &shown.class)
        .value("version", shown.versions.0)
        .value("class_version", shown.versions.1)
        .list("fields", rows)
        .list("reports", shown.findings.iter().map(json_of))
}
