//! `tag upgrade`: migrates tags to the versions of their classes.

use crate::arguments::{flag, json};
use crate::error::Failure;
use crate::json::Json;
use astrarium::GameEntry;
use clap::{ArgMatches, Command};
use forge::tree::Tree;
use forge::tree_upgrade::{UpgradePlan, plan, write};

use super::{counted, json_of, own_tree, short, which, words};

pub fn command() -> Command {
    Command::new("upgrade")
        .about("Rewrites tags for the current versions of their classes: former names, conversions")
        .arg(words("TAGS", "The tags to upgrade; the default is all tags of the tree"))
        .arg(flag("dry-run", "Only print what would change"))
        .arg(flag("each", "Print every change"))
        .arg(json())
}

pub fn carry_out(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), Failure> {
    let tree = own_tree(matches, games)?;
    let plan = plan(&tree, &which(&tree, matches)?, None);
    let is_json = matches.get_flag("json");
    let (written, troubles) = if matches.get_flag("dry-run") { (0, Vec::new()) } else { write(&tree, &plan) };
    if !is_json {
        print_plan(&tree, &plan, matches.get_flag("each"));
    }
    troubles.iter().for_each(|trouble| eprintln!("{trouble}"));
    let json = json_of_plan(&tree, &plan).value("written", written);
    let left = plan.findings.len() + troubles.len();
    if left > 0 {
        let message = format!("{} could not be upgraded", counted(left, "value or file"));
        return Err(Failure { message, found: json });
    }
    if is_json {
        println!("{}", json.finish());
    } else if matches.get_flag("dry-run") {
        println!("{} would be changed, {} are up to date", counted(plan.changes.len(), "tag"), plan.same);
    } else {
        println!("{} changed, {} were up to date", counted(written, "tag"), plan.same);
    }
    Ok(())
}

/// Prints a plan for people.
pub fn print_plan(tree: &Tree, plan: &UpgradePlan, is_each: bool) {
    let path = |tag: usize| tree.shown(tree.tags[tag].path.as_str());
    if is_each {
        for changed in &plan.changes {
            println!("{}", path(changed.tag));
            for done in &changed.upgrade.done {
                println!("  {}: {} → {}: {}", done.from, short(&done.before), done.place, short(&done.after));
            }
        }
    } else {
        for row in plan.summary(tree) {
            let (tag, before, after) = &row.first;
            let fields = if row.fields.0 == row.fields.1 {
                row.fields.0
            } else {
                format!("{} → {}", row.fields.0, row.fields.1)
            };
            println!("{} {fields}: {}", row.class, counted(row.count, "time"));
            println!("  {}: {} → {}", path(*tag), short(before), short(after));
        }
    }
    for tag in &plan.newer {
        println!("{}: written by a newer program; it is unchanged", path(*tag));
    }
    plan.findings.iter().for_each(|finding| print!("{}", finding.rendered));
}

/// A plan as JSON.
pub fn json_of_plan(tree: &Tree, plan: &UpgradePlan) -> Json {
    let path = |tag: usize| tree.tags[tag].path.as_str();
    let rows = plan.summary(tree);
    let rows = rows.iter().map(|row| {
        Json::new()
            .text("class", &row.class)
            .text("from", &row.fields.0)
            .text("to", &row.fields.1)
            .value("count", row.count)
            .text("tag", path(row.first.0))
            .text("before", &row.first.1)
            .text("after", &row.first.2)
    });
    Json::new()
        .value("changes", plan.changes.len())
        .value("same", plan.same)
        .texts("newer", plan.newer.iter().map(|tag| path(*tag)))
        .list("fields", rows)
        .texts("tags", plan.changes.iter().map(|changed| path(changed.tag)))
        .list("reports", plan.findings.iter().map(json_of))
}
