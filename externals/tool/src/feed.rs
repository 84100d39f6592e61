//! `feed`: sends the changed tags of a tree to running games on other machines.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use astrarium::game::GameEntry;
use astrarium::remote_tags::{SECRET_BYTES_MAX, make_secret, read_secret};
use host::clock::Clock;
use host::files;
use shelf::feed::Server;
use shelf::headers;
use shelf::hot_reload::HotReload;
use shelf::load::LoadLimits;

use crate::error::CommandError;
use crate::json::Json;

/// The longest wait for a change before the time limit is checked.
const PATIENCE: Duration = Duration::from_millis(500);

/// Feeds games with a tree of tags, for this many seconds, or until the process is ended.
pub fn run(
    entry: &GameEntry,
    level: &str,
    root: &Path,
    (address, secret): (&str, &Path),
    seconds: Option<u64>,
    is_json: bool,
) -> Result<(), CommandError> {
    let secret = match files::read_at_most(secret, SECRET_BYTES_MAX) {
        Ok(_) => read_secret(secret)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let drawn = make_secret(secret)?;
            if !is_json {
                println!("a new secret is in {}; the other machine needs a copy of that file", secret.display());
            }
            drawn
        }
        Err(error) => return Err(error.into()),
    };
    let mut classes = (entry.tags.classes)();
    let folders = astrarium::mods::folders(root, entry.tags.mods);
    let reports = headers::add_from_folders(&mut classes, &folders, entry.tags.texts)?;
    let roots = (entry.tags.roots)(level);
    let roots: Vec<&str> = roots.iter().map(String::as_str).collect();
    let begun = HotReload::begin_folders(folders, Arc::new(classes), None, &roots, &LoadLimits::default());
    let (mut living, loaded) = begun?;
    reports.iter().chain(&loaded.reports).for_each(|report| eprintln!("{report}"));
    let server =
        Server::open(address, secret, &loaded, Arc::clone(living.containers())).map_err(CommandError::Socket)?;
    if is_json {
        let json = Json::new().text("event", "feeding").value("tags", loaded.tags.len());
        println!("{}", json.text("address", &server.address().to_string()).finish());
    } else {
        println!("feeding {} tags of {} at {}", loaded.tags.len(), root.display(), server.address());
    }
    let clock = Clock::new();
    while seconds.is_none_or(|seconds| clock.now() / 1_000_000_000 < seconds) {
        let news = living.wait(PATIENCE);
        server.offer(&news);
        // A closed output stream does not stop the feed: the games still need it.
        let (mut out, mut errors) = (io::stdout(), io::stderr());
        for report in &news.reports {
            let _ = writeln!(errors, "{report}");
        }
        for ready in &news.ready {
            let _ = if is_json {
                let json = Json::new().text("event", "changed").text("tag", ready.path.as_str());
                writeln!(out, "{}", json.value("games", server.fed()).finish())
            } else {
                writeln!(out, "{} changed; connected games: {}", ready.path, server.fed())
            };
        }
        for trouble in server.take_troubles() {
            let _ = writeln!(errors, "{trouble}");
        }
    }
    if is_json {
        println!("{}", Json::new().text("event", "end").value("games", server.fed()).finish());
    }
    Ok(())
}
