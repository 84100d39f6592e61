//! `join` without an address: the sessions that are found on the local network.

use std::net::IpAddr;
use std::time::Duration;

use astrarium::game::GameEntry;
use astrarium::net::finding::FoundSession;
use astrarium::party;
use astrarium::session::{Session, Start};
use clap::ArgMatches;
use host::pages::Pages;
use state::Settings;

use crate::error::CommandError;
use crate::json::Json;

/// How long answers are waited for.
const PATIENCE: Duration = Duration::from_millis(1200);

/// Lists the sessions, and whether this program could join them.
pub fn list(
    matches: &ArgMatches,
    games: &[GameEntry],
    open: &dyn Fn(&str) -> Result<GameEntry, CommandError>,
) -> Result<(), CommandError> {
    let beside = match matches.get_one::<String>("ask") {
        None => None,
        Some(text) => match text.parse::<IpAddr>() {
            Ok(ip) => Some(ip),
            Err(_) => {
                return Err(CommandError::Usage(format!("--ask: expected an address as in 10.0.0.255, found {text}")));
            }
        },
    };
    let found = party::find(beside, PATIENCE).map_err(|error| CommandError::Failed(error.to_string()))?;
    let mut rows = Vec::new();
    for (address, session) in &found {
        let fit = fit_of(session, games, open);
        let begun = if session.has_begun { "plays" } else { "waits" };
        if matches.get_flag("json") {
            let row = Json::new()
                .text("address", &address.to_string())
                .text("name", &session.name)
                .text("game", &session.game)
                .text("version", &session.version)
                .text("level", &session.level)
                .value("players", session.players)
                .value("played", session.played)
                .value("has_begun", session.has_begun)
                .text("fit", fit);
            rows.push(row);
        } else {
            let FoundSession { name, game, level, players, played, .. } = session;
            println!("{address:<21} {name:<16} {game} {level}, {played} of {players} players, {begun}, {fit}");
        }
    }
    if matches.get_flag("json") {
        println!("{}", Json::new().list("sessions", rows).finish());
    } else if found.is_empty() {
        println!("no session answers; a host on another network is joined by its address");
    } else {
        println!("join one with `astrarium join ADDRESS --password TEXT`");
    }
    Ok(())
}

/// Whether this program and its tags are those of a session.
fn fit_of(
    found: &FoundSession,
    games: &[GameEntry],
    open: &dyn Fn(&str) -> Result<GameEntry, CommandError>,
) -> &'static str {
    if !games.iter().any(|entry| entry.name == found.game) {
        return "another game";
    }
    let Ok(entry) = open(&found.game) else { return "another game" };
    let Ok(content) = entry.content(&found.level) else { return "other tags" };
    let is_same_content = content.library().identity() == found.content;
    // The layout of a world depends on its players too; the build does not.
    let start = Start { level: found.level.clone(), seed: 1, players: 1, settings: Settings::default() };
    let build = Session::begin(&entry, content, &start, &Pages).map(|session| session.build());
    match (build.is_ok_and(|build| build == found.build), is_same_content) {
        (true, true) => "the same version",
        (false, _) => "another version",
        (true, false) => "other tags",
    }
}
