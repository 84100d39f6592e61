//! `tag refs`: references to and from a tag, why it is part of a game, and unused tags.

use crate::arguments::{flag, json};
use crate::error::Failure;
use crate::json::Json;
use astrarium::GameEntry;
use clap::{Arg, ArgMatches, Command};
use forge::provider::FromShelf;
use forge::refs::{ReferenceSite, Refs, spots};
use forge::tree::Tree;

use super::{counted, repeated, tree, word_of, words_of};

pub fn command() -> Command {
    let roots = "A class or tag that is a root of the game, besides the classes globals and scenario";
    Command::new("refs")
        .about("Lists the references to a tag and from it")
        .arg(Arg::new("TAG").required_unless_present("unused").help("The tag"))
        .arg(flag("why", "Only the shortest chain of references to it from a root of the game"))
        .arg(flag("unused", "List the tags that no tag refers to").conflicts_with_all(["TAG", "why"]))
        .arg(repeated("root", "NAME", roots))
        .arg(json())
}

pub fn carry_out(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), Failure> {
    let tree = tree(matches, games)?;
    let mut provider = FromShelf::new(&tree);
    let refs = Refs::of(&tree, &mut provider, &words_of(matches, "root"))?;
    if let Err(trouble) = provider.keep() {
        eprintln!("the packed tags could not be cached and will be packed again: {trouble}");
    }
    let is_json = matches.get_flag("json");
    if matches.get_flag("unused") {
        print_unused(&tree, &refs, is_json);
        return Ok(());
    }
    let tag = tree.tag(word_of(matches, "TAG"))?;
    if matches.get_flag("why") {
        print_why(&tree, &refs, tag, is_json)
    } else {
        print_references(&tree, &refs, tag, is_json)
    }
}

fn print_references(tree: &Tree, refs: &Refs, tag: usize, is_json: bool) -> Result<(), Failure> {
    let path = &tree.tags[tag].path;
    let used_by = spots(tree, refs.graph.used_by(tag));
    let uses = spots(tree, refs.graph.uses(tag));
    let missing: Vec<&str> = {
        let of_tag = refs.graph.missing.iter().filter(|missing| missing.from == tag);
        of_tag.map(|missing| missing.path.as_str()).collect()
    };
    if is_json {
        let json = Json::new().text("tag", path.as_str()).list("used_by", used_by.iter().map(json_of));
        println!("{}", json.list("uses", uses.iter().map(json_of)).texts("missing", missing).finish());
        return Ok(());
    }
    println!("`{path}` is used by {}", counted(used_by.len(), "place"));
    for spot in &used_by {
        println!("  {}  {}", place_of(tree, spot), spot.field);
    }
    println!("`{path}` uses {}", counted(uses.len(), "tag"));
    for spot in &uses {
        println!("  {}  {} at {}", spot.to, spot.field, place_of(tree, spot));
    }
    for path in missing {
        println!("  {path}, which does not exist");
    }
    Ok(())
}

fn print_why(tree: &Tree, refs: &Refs, tag: usize, is_json: bool) -> Result<(), Failure> {
    let path = &tree.tags[tag].path;
    let Some(chain) = refs.graph.chain(&refs.roots, tag) else {
        let roots = counted(refs.roots.len(), "tag");
        return Err(Failure::from(format!(
            "no references lead to `{path}` from the {roots} that are roots of the game"
        )));
    };
    let spots = spots(tree, &chain);
    if is_json {
        println!("{}", Json::new().text("tag", path.as_str()).list("chain", spots.iter().map(json_of)).finish());
        return Ok(());
    }
    if spots.is_empty() {
        println!("`{path}` is a root of the game");
    }
    for spot in &spots {
        println!("{}  {} → {}", place_of(tree, spot), spot.field, spot.to);
    }
    Ok(())
}

fn print_unused(tree: &Tree, refs: &Refs, is_json: bool) {
    let unused = refs.graph.unused(&refs.roots);
    let paths = unused.iter().map(|tag| tree.tags[*tag].path.as_str());
    if is_json {
        println!("{}", Json::new().value("count", unused.len()).texts("unused", paths).finish());
        return;
    }
    paths.for_each(|path| println!("{path}"));
    match unused.len() {
        0 => eprintln!("every tag is a root or is referred to"),
        1 => eprintln!("no tag refers to this tag"),
        count => eprintln!("no tag refers to these {count} tags"),
    }
}

fn place_of(tree: &Tree, spot: &ReferenceSite) -> String {
    format!("{}:{}:{}", tree.shown(spot.from.as_str()), spot.place.line, spot.place.column)
}

fn json_of(spot: &ReferenceSite) -> Json {
    Json::new()
        .text("from", spot.from.as_str())
        .value("line", spot.place.line)
        .value("column", spot.place.column)
        .text("field", &spot.field)
        .text("to", &spot.to)
}
