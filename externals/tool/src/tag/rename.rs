//! `tag rename`: renames a tag, or a field of a class, with all references to it.

use crate::arguments::{flag, json};
use crate::error::Failure;
use crate::json::Json;
use astrarium::GameEntry;
use clap::{Arg, ArgMatches, Command};
use forge::edit;
use forge::rename::{FieldRename, Rename, Renamed, carry_out as rename, plan, plan_field, rename_reads, uses_of};
use forge::tree::Tree;
use forge::tree_upgrade;

use super::upgrade::{json_of_plan, print_plan};
use super::{counted, own_tree, word, word_of};

pub fn command() -> Command {
    Command::new("rename")
        .about("Renames a tag and all references to it; or, with --field, a field of a class that a header declares")
        .arg(word("FROM", "The tag; with --field the field, as in hull or mounts.delay"))
        .arg(word("TO", "The new name"))
        .arg(Arg::new("field").long("field").value_name("CLASS").help("Rename a field of this class"))
        .arg(flag("dry-run", "Only print what would change"))
        .arg(json())
}

pub fn carry_out(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), Failure> {
    let tree = own_tree(matches, games)?;
    match matches.get_one::<String>("field") {
        Some(class) => rename_field(&tree, class, matches),
        None => rename_tag(&tree, matches),
    }
}

fn rename_tag(tree: &Tree, matches: &ArgMatches) -> Result<(), Failure> {
    let plan = plan(tree, word_of(matches, "FROM"), word_of(matches, "TO"))?;
    let is_dry = matches.get_flag("dry-run");
    let troubles = if is_dry { Vec::new() } else { rename(tree, &plan)? };
    let count: usize = plan.files.iter().map(|file| file.count).sum();
    let json = json_of_rename(&plan, count);
    if !troubles.is_empty() {
        let troubles: Vec<String> = troubles.iter().map(ToString::to_string).collect();
        let message = format!("{}\nwhen that is fixed, run the same command again", troubles.join("\n"));
        return Err(Failure { message, found: json });
    }
    if matches.get_flag("json") {
        println!("{}", json.finish());
        return Ok(());
    }
    let done = if is_dry { "would be" } else { "is now" };
    println!("{} {done} {}", tree.shown(plan.from.as_str()), tree.shown(plan.to.as_str()));
    for (old, new, is_shared) in &plan.bulk {
        println!("  its bulk data {old} {} {new}", if *is_shared { "is also at" } else { "is at" });
    }
    for file in &plan.files {
        println!("  {}: {}", tree.shown(&file.path), counted(file.count, "reference"));
    }
    Ok(())
}

fn json_of_rename(plan: &Rename, count: usize) -> Json {
    let files = plan.files.iter().map(|file| Json::new().text("file", &file.path).value("count", file.count));
    let json = Json::new().text("from", plan.from.as_str()).text("to", plan.to.as_str());
    json.value("references", count).list("files", files)
}

/// Renames a field of the tag itself: in its header, in all tags, and wherever it is read.
fn rename_everywhere(
    tree: &Tree,
    field: &FieldRename,
    (class, from, to): (&str, &str, &str),
    matches: &ArgMatches,
) -> Result<(), Failure> {
    let uses = uses_of(tree, field, class, from, to);
    let count: usize = uses.files.iter().map(|file| file.count).sum();
    let is_tag = |file: &&Renamed| file.path != field.header;
    let files = uses.files.iter().map(|file| Json::new().text("file", &file.path).value("count", file.count));
    let json = Json::new()
        .text("header", &field.header)
        .value("changes", uses.files.iter().filter(is_tag).count())
        .value("uses", count)
        .list("files", files)
        .texts("undecided", &uses.undecided)
        .texts("conflicts", &uses.conflicts);
    if !uses.conflicts.is_empty() {
        let message =
            format!("nothing is renamed, as `{to}` would mean something else:\n{}", uses.conflicts.join("\n"));
        return Err(Failure { message, found: json });
    }
    let mut troubles = Vec::new();
    if !matches.get_flag("dry-run") {
        for file in &uses.files {
            if let Err(error) = edit::write(&tree.file(&file.path), &file.before, &file.after) {
                troubles.push(error.to_string());
            }
        }
    }
    if !matches.get_flag("json") {
        let done = if matches.get_flag("dry-run") { "would be" } else { "is now" };
        println!("{}: `{from}` {done} `{to}`; the former name is still read", tree.shown(&field.header));
        for file in uses.files.iter().filter(|file| file.count > 0) {
            println!("  {}: {}", tree.shown(&file.path), counted(file.count, "use"));
        }
        for place in &uses.undecided {
            println!("  {place} stays: it may mean something else");
        }
    }
    let json = json.value("written", uses.files.len() - troubles.len());
    if !troubles.is_empty() {
        let message = format!("some files keep the former name, which is still read: {}", troubles.join("; "));
        return Err(Failure { message, found: json });
    }
    if matches.get_flag("json") {
        println!("{}", json.finish());
    }
    Ok(())
}

fn rename_field(tree: &Tree, class: &str, matches: &ArgMatches) -> Result<(), Failure> {
    let (from, to) = (word_of(matches, "FROM"), word_of(matches, "TO"));
    let field = plan_field(tree, class, from, to)?;
    if !from.contains('.') {
        return rename_everywhere(tree, &field, (class, from, to), matches);
    }
    let all: Vec<usize> = (0..tree.tags.len()).filter(|tag| tree.tags[*tag].path.class() == class).collect();
    let mut plan = tree_upgrade::plan(tree, &all, Some(&field.class));
    let undecided = rename_reads(tree, &mut plan, class, from, to);
    let is_json = matches.get_flag("json");
    let json = json_of_plan(tree, &plan).text("header", &field.header).texts("undecided", &undecided);
    let (mut written, mut troubles) = (0, Vec::new());
    if !matches.get_flag("dry-run") {
        // The header first: with the former name in it, the field is read from every tag, rewritten or not.
        edit::write(&tree.file(&field.header), &field.before, &field.after)?;
        let (count, errors) = tree_upgrade::write(tree, &plan);
        (written, troubles) = (count, errors.iter().map(ToString::to_string).collect());
    }
    let json = json.value("written", written);
    if !is_json {
        println!("{}: `{from}` is now `{to}`; the former name is still read", tree.shown(&field.header));
        print_plan(tree, &plan, false);
        for place in &undecided {
            println!("  {place} stays: it may mean something else");
        }
    }
    troubles.extend(plan.findings.iter().map(|finding| finding.message.clone()));
    if !troubles.is_empty() {
        let message = format!("some tags keep the former name, which is still read: {}", troubles.join("; "));
        return Err(Failure { message, found: json });
    }
    if is_json {
        println!("{}", json.finish());
    }
    Ok(())
}
