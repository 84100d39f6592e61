//! `tag show`: the values of a tag with their documentation, where it came from, and a picture of it.

use std::path::PathBuf;

use crate::arguments::{flag, json, path};
use crate::error::Failure;
use crate::json::Json;
use astrarium::GameEntry;
use clap::{Arg, ArgMatches, Command};
use forge::field_path::FieldPath;
use forge::imported::{TagSource, ValueOrigin, source_of};
use forge::show::{ShownField, ShownTag, show, value_at};
use forge::tag_picture::picture_of;
use host::files;

use super::{json_of, short, tree, word, word_of};

pub fn command() -> Command {
    Command::new("show")
        .about("Shows the values of a tag, with units, defaults and notes, and where they came from")
        .arg(word("TAG", "The tag"))
        .arg(
            Arg::new("PLACE")
                .help("Print only the value at this place as it is written, as in mass or mounts[nose].weapon"),
        )
        .arg(flag("all", "Include hidden fields, and what each field may hold"))
        .arg(path("picture", "Also write a picture of it as PNG: the mip levels of a bitmap, the waveform of a sound"))
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
    if let Some(file) = matches.get_one::<PathBuf>("picture") {
        if !file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
            return Err(Failure::from(format!("{}: expected a file that ends in .png", file.display())));
        }
        let picture = picture_of(&tree, tag).map_err(|error| format!("{path}: {error}"))?;
        files::write_atomically(file, &[&picture.to_png()])?;
    }
    let mut shown = show(&tree, tag)?;
    let source = source_of(&tree, tag)?;
    let is_all = matches.get_flag("all");
    shown.rows.retain(|row| is_all || !row.is_hidden);
    if is_json {
        println!("{}", json_of_tag(path.as_str(), &shown, source.as_ref()).finish());
        return Ok(());
    }
    println!("{path}, {}", version(&shown));
    if let Some(source) = &source {
        // The line says what this field does.
        shown.rows.retain(|row| is_all || row.name != "source");
        println!("  {}", line_of(source));
    }
    shown.rows.iter().for_each(|row| print_field(row, source.as_ref(), is_all));
    shown.findings.iter().for_each(|finding| eprint!("{}", finding.rendered));
    Ok(())
}

/// Where a tag came from, in one line.
fn line_of(source: &TagSource) -> String {
    let TagSource { file, importer: (importer, version), options, exporter, intermediate, .. } = source;
    let mut line = format!("imported from {file} by `{importer}` version {version}");
    if !options.is_empty() {
        let options: Vec<String> = options.iter().map(|(name, value)| format!("{name}={value}")).collect();
        line += &format!(", with {}", options.join(" "));
    }
    if !intermediate.is_empty() {
        line += &format!(", exported as {intermediate}");
    }
    if !exporter.0.is_empty() {
        line += &format!(", written by {} {}", exporter.0, exporter.1);
    }
    line.trim_end().to_string()
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

fn print_field(row: &ShownField, source: Option<&TagSource>, is_all: bool) {
    let unit = if row.unit.is_empty() { String::new() } else { format!(" {}", row.unit) };
    let mut remarks = Vec::new();
    if row.is_default && row.is_known {
        remarks.push(String::from("default"));
    }
    if !row.from.is_empty() {
        let is_class = row.from.starts_with("default of the class");
        remarks.push(if is_class { row.from.clone() } else { format!("from {}", row.from) });
    } else if !row.is_known {
        remarks.push(String::from("unknown to the class"));
    }
    if !row.former.is_empty() && row.former != row.name {
        remarks.push(format!("in the file as `{}`", row.former));
    } else if !row.former.is_empty() {
        remarks.push(String::from("converted"));
    }
    match source.and_then(|source| source.of_field(&row.name)) {
        Some(ValueOrigin::Imported) => remarks.push(String::from("imported")),
        Some(ValueOrigin::Edited(imported)) => remarks.push(format!("edited; imported as {}", short(imported))),
        Some(ValueOrigin::Added) => remarks.push(String::from("added")),
        None => {}
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

fn json_of_tag(path: &str, shown: &ShownTag, source: Option<&TagSource>) -> Json {
    let rows = shown.rows.iter().map(|row| {
        let (origin, imported) = match source.and_then(|source| source.of_field(&row.name)) {
            Some(ValueOrigin::Imported) => ("imported", ""),
            Some(ValueOrigin::Edited(imported)) => ("edited", imported.as_str()),
            Some(ValueOrigin::Added) => ("added", ""),
            None => ("", ""),
        };
        Json::new()
            .text("name", &row.name)
            .text("value", &row.value)
            .text("written", &row.written)
            .text("unit", &row.unit)
            .value("is_default", row.is_default)
            .value("is_known", row.is_known)
            .text("origin", origin)
            .text("imported", imported)
            .text("from", &row.from)
            .text("former", &row.former)
            .text("description", &row.description)
            .text("help", &row.help)
            .texts("notes", &row.notes)
    });
    let source = source.map_or_else(
        || String::from("null"),
        |source| {
            let options =
                source.options.iter().map(|(name, value)| Json::new().text("name", name).text("value", value));
            Json::new()
                .text("file", &source.file)
                .text("hash", &source.hash)
                .text("importer", &source.importer.0)
                .value("importer_version", source.importer.1)
                .list("options", options)
                .text("exporter", &source.exporter.0)
                .text("exporter_version", &source.exporter.1)
                .text("intermediate", &source.intermediate)
                .finish()
        },
    );
    Json::new()
        .text("tag", path)
        .value("source", source)
        .text("class", &shown.class)
        .value("version", shown.versions.0)
        .value("class_version", shown.versions.1)
        .list("fields", rows)
        .list("reports", shown.findings.iter().map(json_of))
}
