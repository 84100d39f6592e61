//! `tag find`: queries over all tags.

use crate::arguments::json;
use crate::error::Failure;
use crate::json::Json;
use astrarium::GameEntry;
use clap::{Arg, ArgAction, ArgMatches, Command};
use forge::provider::FromShelf;
use forge::search::{Search, SearchResult, TagFilter, find};
use forge::tree::Tree;

use super::{counted, repeated, tree, word, word_of, words_of};

pub fn command() -> Command {
    let condition = "An expression over its fields, as in 'damage > 50'; without one, all tags of the class are found";
    Command::new("find")
        .about("Finds tags by their values")
        .arg(word("CLASS", "The class of the tags"))
        .arg(Arg::new("CONDITION").help(condition))
        .arg(other("used-by", "Only tags that are referenced by a tag of this class for which the condition holds"))
        .arg(other("uses", "Only tags that reference a tag of this class for which the condition holds"))
        .arg(repeated(
            "show",
            "EXPRESSION",
            "Also print the value of this expression for each tag, as in damage or 'damage * 2'",
        ))
        .arg(json())
}

pub fn carry_out(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), Failure> {
    let tree = tree(matches, games)?;
    let show = words_of(matches, "show");
    let search = Search {
        wanted: TagFilter {
            class: word_of(matches, "CLASS").to_string(),
            condition: matches.get_one::<String>("CONDITION").cloned(),
        },
        used_by: others_of(matches, "used-by"),
        uses: others_of(matches, "uses"),
        show: show.iter().flat_map(|text| split(text)).collect(),
    };
    let mut provider = FromShelf::new(&tree);
    let answer = find(&tree, &mut provider, &search)?;
    if let Err(trouble) = provider.keep() {
        eprintln!("the packed tags could not be cached and will be packed again: {trouble}");
    }
    if let Some((path, why)) = &answer.why {
        eprintln!(
            "the condition could not be evaluated for {}; the first is {path}: {why}",
            counted(answer.unanswered, "tag")
        );
    }
    if matches.get_flag("json") {
        println!("{}", json_of(&tree, &search, &answer).finish());
        return Ok(());
    }
    for found in &answer.found {
        let path = tree.shown(tree.tags[found.tag].path.as_str());
        let values = search.show.iter().zip(&found.values).map(|(text, value)| format!("  {text} {value}"));
        println!("{path}{}", values.collect::<String>());
    }
    let milliseconds = |time: std::time::Duration| time.as_secs_f64() * 1000.0;
    eprintln!(
        "{} of {}; {:.0} ms to load, {:.0} ms to evaluate",
        answer.found.len(),
        counted(answer.asked, "tag"),
        milliseconds(answer.loading),
        milliseconds(answer.asking)
    );
    Ok(())
}

fn json_of(tree: &Tree, search: &Search, answer: &SearchResult) -> Json {
    let rows = answer.found.iter().map(|found| {
        let row = Json::new().text("tag", tree.tags[found.tag].path.as_str());
        if search.show.is_empty() { row } else { row.texts("values", &found.values) }
    });
    Json::new()
        .value("count", answer.found.len())
        .value("asked", answer.asked)
        .value("unanswered", answer.unanswered)
        .value("reading_seconds", answer.loading.as_secs_f64())
        .value("asking_seconds", answer.asking.as_secs_f64())
        .texts("show", &search.show)
        .list("found", rows)
}

fn other(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_names(["CLASS", "CONDITION"]).num_args(1..=2).action(ArgAction::Append).help(help)
}

fn others_of(matches: &ArgMatches, name: &str) -> Vec<TagFilter> {
    let occurrences = matches.get_occurrences::<String>(name).into_iter().flatten();
    let wanted = occurrences.map(|mut words| TagFilter {
        class: words.next().cloned().unwrap_or_default(),
        condition: words.next().cloned(),
    });
    wanted.collect()
}

/// Splits expressions at commas, except within brackets or quotes.
fn split(text: &str) -> Vec<String> {
    let (mut parts, mut depth, mut is_quoted) = (vec![String::new()], 0_u32, false);
    for letter in text.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            '(' | '[' | '{' if !is_quoted => depth += 1,
            ')' | ']' | '}' if !is_quoted => depth = depth.saturating_sub(1),
            ',' if !is_quoted && depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().expect("there is one from the start").push(letter);
    }
    parts.into_iter().map(|part| part.trim().to_string()).filter(|part| !part.is_empty()).collect()
}
