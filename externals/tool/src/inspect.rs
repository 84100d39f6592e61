//! `save show` and `film show`: the objects of a world, and one of them with its variables, links and timers.

use astrarium::game::GameEntry;
use astrarium::project::title_of;
use astrarium::saves;
use astrarium::script::report::closest;
use astrarium::session::Session;
use astrarium::world::{LEVEL, Rules};
use clap::{Arg, ArgMatches, Command};

use std::path::Path;

use crate::arguments::{file, json, number, path};
use crate::error::CommandError;
use crate::json::Json;

/// The arguments of both commands.
pub fn arguments(command: Command, what: &'static str) -> Command {
    let object =
        "A name in the level's placements, a handle as in #e2700001, the path of a tag, `level`, or `player 0`";
    command
        .arg(file("FILE").help(what))
        .arg(Arg::new("OBJECT").num_args(0..=2).help(object))
        .arg(number("most", "The maximum number of objects to print, at least 1", "50"))
        .arg(path("game", "The folder of the game, if it is one").value_name("FOLDER"))
        .arg(json())
}

/// Prints a world, or some objects of it.
pub fn show(matches: &ArgMatches, games: &[GameEntry]) -> Result<(), CommandError> {
    let file = matches.get_one::<std::path::PathBuf>("FILE").expect("the parser requires it");
    let words: Vec<&String> = matches.get_many::<String>("OBJECT").map(Iterator::collect).unwrap_or_default();
    let words: Vec<&str> = words.into_iter().map(String::as_str).collect();
    let most = matches.get_one::<u64>("most").copied().unwrap_or(50).clamp(1, 65_535) as usize;
    show_file(file, games, &words.join(" "), most, matches.get_flag("json"))
}

fn show_file(file: &Path, games: &[GameEntry], object: &str, most: usize, is_json: bool) -> Result<(), CommandError> {
    let mut session = saves::session_of(file, games)?;
    let (text, json) = described(&mut session, object, most)?;
    println!("{}", if is_json { json.finish() } else { text });
    Ok(())
}

/// A world in lines and as JSON, or the objects of it that a person means.
pub fn described(session: &mut Session, object: &str, most: usize) -> Result<(String, Json), CommandError> {
    let hash = session.hash();
    let (game, version) = (session.world().plan().name().to_string(), title_of(session.content().library()).1);
    let head = Json::new()
        .text("game", &game)
        .text("version", &version)
        .text("level", session.level())
        .value("cycle", session.world().cycle())
        .hex("hash", hash);
    let title = format!("{game} {}, cycle {}", session.level(), session.world().cycle());
    let Some(rules) = session.game().extensions().rules else {
        let described = session.game().describe(session.world());
        return Ok((format!("{title}: {described}"), head.text("description", &described)));
    };
    if object.is_empty() {
        return Ok(all_of(session, rules, head, most));
    }
    let found = resolve(session, object)?;
    let (count, found) = (found.len(), &found[..found.len().min(most)]);
    let mut lines = vec![title];
    lines.extend(found.iter().map(|raw| text_of(session, rules, *raw)));
    if count > most {
        lines.push(format!("and {} more: --most N prints N of them", count - most));
    }
    let rows = found.iter().map(|raw| json_of(session, rules, *raw));
    Ok((lines.join("\n"), head.value("count", count).list("objects", rows)))
}

/// All objects, up to a number.
fn all_of(session: &Session, rules: &Rules, head: Json, most: usize) -> (String, Json) {
    let world = session.world();
    let named = |raw: u32| rules.names(world).find(|(_, object)| object.raw() == raw).map_or("", |(name, _)| name);
    let count = rules.parts.objects.count(world);
    let rows = session.game().objects(world, most);
    let objects = rows.iter().map(|row| {
        let json = Json::new().text("object", &format!("#{:08x}", row.object)).text("name", named(row.object));
        let json = json.text("tag", &row.tag).value("team", row.team);
        json.value("position", format_args!("[{}, {}, {}]", row.position.x, row.position.y, row.position.z))
    });
    let json = head.value("count", count).list("objects", objects);
    let described = session.game().describe(world);
    let mut lines = vec![format!("{} {}, cycle {}: {described}", world.plan().name(), session.level(), world.cycle())];
    for row in &rows {
        let (name, place) = (named(row.object), row.position);
        let name = if name.is_empty() { String::new() } else { format!(" \"{name}\"") };
        lines.push(format!(
            "#{:08x} {}{name}: team {}, position vec({}, {}, {})",
            row.object, row.tag, row.team, place.x, place.y, place.z
        ));
    }
    if count as usize > rows.len() {
        lines.push(format!("and {} more: --most N prints N of them", count as usize - rows.len()));
    }
    (lines.join("\n"), json)
}

fn json_of(session: &Session, rules: &Rules, raw: u32) -> Json {
    let json = Json::new().text("object", &format!("#{raw:08x}"));
    let Some(details) = rules.details(session.world(), raw) else { return json };
    let facts = details.facts.iter().map(|(name, value)| Json::new().text("name", name).text("value", value));
    let variables = variables(session, raw);
    let variables = variables.iter().map(|(name, value)| Json::new().text("name", name).text("value", value));
    json.text("name", &details.name)
        .text("tag", &details.tag)
        .text("class", &details.class)
        .list("facts", facts)
        .list("variables", variables)
        .texts("timers", &details.timers)
}

/// An object in lines, as `save show` and `tell show` print it.
fn text_of(session: &Session, rules: &Rules, raw: u32) -> String {
    let Some(details) = rules.details(session.world(), raw) else {
        return format!("#{raw:08x}: there is no such object");
    };
    let name = if details.name.is_empty() { String::new() } else { format!(" \"{}\"", details.name) };
    let mut lines = vec![format!("#{raw:08x} {}{name} ({})", details.tag, details.class)];
    lines.extend(details.facts.iter().map(|(name, value)| format!("  {name}: {value}")));
    lines.extend(variables(session, raw).iter().map(|(name, value)| format!("  {name} {value}")));
    lines.extend(details.timers.iter().map(|timer| format!("  timer {timer}")));
    lines.join("\n")
}

/// The variables of an object that the facts do not have already.
fn variables(session: &Session, raw: u32) -> Vec<(String, String)> {
    let all = session.game().variables(session.world(), raw).into_iter();
    let is_own =
        |name: &str| !name.starts_with('~') && !astrarium::world::object::VARIABLES.contains(&name) && name != "this";
    all.filter(|row| is_own(&row.name)).map(|row| (row.name, row.value)).collect()
}

/// The objects that a person means, as raw handles: at least one.
pub fn resolve(session: &Session, text: &str) -> Result<Vec<u32>, CommandError> {
    let (world, usage) = (session.world(), |message: String| Err(CommandError::Usage(message)));
    let Some(rules) = session.game().extensions().rules else {
        return usage(format!("{} is not a game of objects", world.plan().name()));
    };
    if text == "level" {
        return Ok(vec![LEVEL.raw()]);
    }
    if let Some(number) = text.strip_prefix("player ").and_then(|number| number.parse::<usize>().ok()) {
        let players = rules.parts.players.get(world);
        let object = players.get(number).filter(|object| rules.parts.objects.find(world, **object).is_some());
        return match object {
            Some(object) => Ok(vec![object.raw()]),
            None => usage(format!("there is no object of player {number}; the level has {} players", players.len())),
        };
    }
    if let Some(digits) = text.strip_prefix('#')
        && let Ok(raw) = u32::from_str_radix(digits, 16)
    {
        return match rules.parts.objects.find_raw(world, raw) {
            Some(_) => Ok(vec![raw]),
            None => usage(format!("there is no object #{raw:08x} in cycle {}", world.cycle())),
        };
    }
    let named: Vec<u32> =
        rules.names(world).filter(|(name, _)| *name == text).map(|(_, object)| object.raw()).collect();
    if !named.is_empty() {
        return Ok(named);
    }
    let rows = session.game().objects(world, usize::MAX);
    let of_tag: Vec<u32> = rows.iter().filter(|row| row.tag == text).map(|row| row.object).collect();
    if !of_tag.is_empty() {
        return Ok(of_tag);
    }
    let known = rules.names(world).map(|(name, _)| name).chain(rows.iter().map(|row| row.tag.as_str()));
    let near = closest(text, known).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let expected =
        "expected a name in the level's placements, a handle as in #e2700001, the path of a tag, `level` or `player 0`";
    usage(format!("there is no object `{text}` in cycle {}: {expected}{near}", world.cycle()))
}
