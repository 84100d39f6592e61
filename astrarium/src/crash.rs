//! Crash reports: what was going on, and the same again up to the last complete cycle.

use std::path::{Path, PathBuf};

use host::crew::Crew;
use host::files;
use host::pages::Pages;
use relay::CrashReport;
use state::Settings;

use crate::content::Content;
use crate::game::GameEntry;
use crate::json::Json;
use crate::session::{Session, Start};
use crate::tree;

/// No black box is larger: a handful of the largest blocks.
const REPORT_BYTES_MAX: u64 = 64 << 30;

/// Tells what a crash report holds.
pub fn show(path: &Path, is_json: bool) -> Result<(), String> {
    let bytes = read(path)?;
    let report = CrashReport::read(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
    let is_running = files::is_held(path);
    let records = (report.records.first(), report.records.last());
    if is_json {
        let backups =
            report.backups.iter().map(|backup| Json::new().value("cycle", backup.cycle).hex("hash", backup.hash));
        let json = Json::new()
            .text("file", &path.to_string_lossy())
            .text("game", &report.purpose.game)
            .text("level", &report.purpose.level)
            .hex("layout", report.purpose.layout)
            .hex("content", report.purpose.content)
            .value("complete", report.complete)
            .text("last_words", &report.last_words)
            .value("is_running", is_running)
            .list("backups", backups)
            .value("inputs", report.records.len());
        println!("{}", json.finish());
        return Ok(());
    }
    println!("{} {}, {} brush cycles completed", report.purpose.game, report.purpose.level, report.complete);
    let words = match report.last_words.as_str() {
        "" if is_running => "none yet: the program is running",
        "" => "none: it was killed",
        words => words,
    };
    println!("last words: {words}");
    for backup in &report.backups {
        println!("backup of cycle {}, hash {:016x}", backup.cycle, backup.hash);
    }
    if let (Some(first), Some(last)) = records {
        println!("inputs of safe cycles {} to {}", first.inputs.cycle(), last.inputs.cycle());
    }
    Ok(())
}

/// How a replay went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The cycle of the backup it began with.
    pub from: u64,
    /// The last complete cycle, which it reached.
    pub to: u64,
    /// The hash of the world there.
    pub hash: u64,
    /// How many safe cycles' hashes were compared on the way, all equal.
    pub compared: u64,
}

/// How a crash report is run again.
#[derive(Clone, Debug)]
pub struct Replay {
    /// How many workers.
    pub workers: u32,
    /// Begin with the oldest backup from which inputs are there instead of the newest.
    pub is_from_oldest: bool,
    /// Run on into the cycle that was not completed.
    pub is_through: bool,
    /// The tree of tags that it was played with; none: the tags that are part of the program.
    pub tags: Option<PathBuf>,
}

impl Default for Replay {
    fn default() -> Replay {
        Replay { workers: 1, is_from_oldest: false, is_through: false, tags: None }
    }
}

/// Runs a crash report again up to its last complete cycle, comparing hashes on the way.
pub fn replay(path: &Path, games: &[GameEntry], how: &Replay) -> Result<Replayed, String> {
    let bytes = read(path)?;
    let replayed = replay_bytes(&bytes, games, how);
    replayed.map_err(|trouble| format!("{}: {trouble}", path.display()))
}

fn replay_bytes(bytes: &[u8], games: &[GameEntry], how: &Replay) -> Result<Replayed, String> {
    let report = CrashReport::read(bytes).map_err(|error| error.to_string())?;
    let known = games.iter().find(|entry| entry.name == report.purpose.game);
    let entry = known.ok_or_else(|| format!("expected a game of this program, found \"{}\"", report.purpose.game))?;
    let start = Start { level: report.purpose.level.clone(), seed: 0, players: 0, settings: Settings::default() };
    let mut content = match &how.tags {
        Some(root) => tree::open(entry, &start.level, root)?.0,
        None => entry.content(&start.level)?,
    };
    return_to_some(&mut content, &report, how.is_from_oldest)?;
    let mut session = Session::begin(entry, content, &start, &Pages)?;
    let game = session.game();
    for (what, expected, found) in
        [("layout", game.plan().hash(), report.purpose.layout), ("content", game.content(), report.purpose.content)]
    {
        if expected != found {
            return Err(format!("it is of another {what}: expected {expected:016x}, found {found:016x}"));
        }
    }
    let lengths = session.lengths();
    // The safe cycles that begin at or after a backup and before the end. Records have no holes.
    let safe_cycle_from = |cycle: u64| cycle.div_ceil(u64::from(lengths.brushes_per_safe));
    let end = safe_cycle_from(report.complete);
    let has_inputs = |cycle: u64| {
        let first = safe_cycle_from(cycle);
        first >= end || (report.record(first).is_some() && report.record(end - 1).is_some())
    };
    let leads_there = |cycle: u64| cycle <= report.complete && has_inputs(cycle);
    let mut candidates: Vec<_> = report.backups.iter().filter(|backup| leads_there(backup.cycle)).collect();
    let (whole, complete) = (candidates.len(), report.complete);
    if how.is_from_oldest {
        candidates.reverse();
    }
    let mut troubles = Vec::new();
    let loaded = candidates.into_iter().find(|backup| match backup.load(session.world_mut()) {
        Ok(()) => true,
        Err(trouble) => {
            troubles.push(trouble);
            false
        }
    });
    let Some(backup) = loaded else {
        let found = format!("{} are there, {whole} of them with all inputs up to it", report.backups.len());
        let troubles: String = troubles.iter().map(|trouble| format!("; {trouble}")).collect();
        return Err(format!("no backup leads to cycle {complete}: {found}{troubles}"));
    };
    session.follow_content()?;
    let crew = Crew::new(how.workers);
    let mut compared = 0;
    let end = complete.saturating_add(u64::from(how.is_through));
    while session.world().cycle() < end {
        let cycle = session.world().cycle();
        let record = if lengths.is_safe(cycle) {
            let safe = lengths.safe_cycle(cycle);
            let missing = || format!("cycle {cycle} did not begin: the inputs of safe cycle {safe} are not there");
            Some(report.record(safe).ok_or_else(missing)?)
        } else {
            None
        };
        if let Some(record) = record {
            let found = session.hash();
            if found != record.hash_before {
                let expected = record.hash_before;
                let why: String = session.content_mut().take_lines().iter().map(|line| format!("; {line}")).collect();
                return Err(format!(
                    "cycle {cycle} came out differently: expected hash {expected:016x}, found {found:016x}{why}"
                ));
            }
            compared += 1;
        }
        session.replay(record.map(|record| &record.inputs), &crew);
    }
    Ok(Replayed { from: backup.cycle, to: session.world().cycle(), hash: session.hash(), compared })
}

/// Puts the content of a backup in force: of the first that shall be tried and whose content is kept.
fn return_to_some(content: &mut Content, report: &CrashReport, is_from_oldest: bool) -> Result<(), String> {
    let mut contents: Vec<u64> = report.backups.iter().map(|backup| backup.content()).collect();
    if is_from_oldest {
        contents.reverse();
    }
    let mut trouble = Ok(());
    for identity in contents {
        match content.return_to(identity) {
            Ok(()) => return Ok(()),
            Err(why) => trouble = trouble.and(Err(why)),
        }
    }
    trouble
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    files::read_at_most(path, REPORT_BYTES_MAX).map_err(|error| error.to_string())
}
