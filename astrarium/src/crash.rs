//! Crash reports: reading them, and replaying them up to the last complete cycle.

use std::any::Any;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use base::StringId;
use host::files;
use host::pages::Pages;
use host::thread_pool::ThreadPool;
use relay::CrashReport;
use state::Settings;

use crate::content::{Content, changes_in};
use crate::error::Error;
use crate::game::GameEntry;
use crate::mods::ModIdentity;
use crate::project::{is_called, of_tags};
use crate::saved_content;
use crate::session::{Session, Start};
use crate::tag_tree;

/// The maximum size of a black box: a handful of the largest blocks.
const REPORT_BYTES_MAX: u64 = 64 << 30;

/// The bytes of a crash report.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    Ok(files::read_at_most(path, REPORT_BYTES_MAX)?)
}

/// The message of a panic.
pub fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str).or(payload.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic without a message").to_string()
}

/// The result of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Replayed {
    /// The cycle of the backup from which the replay started.
    pub from: u64,
    /// The last complete cycle, which the replay reached.
    pub to: u64,
    /// The hash of the world there.
    pub hash: u64,
    /// The number of safe cycles whose hashes were compared, all equal.
    pub compared: u64,
}

/// The parameters of a replay.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The number of workers.
    pub workers: u32,
    /// Start from the oldest backup that has all inputs, instead of the newest.
    pub is_from_oldest: bool,
    /// Continue into the cycle that was not completed.
    pub is_through: bool,
    /// The tree of tags that the session used; none for the built-in tags.
    pub tags: Option<PathBuf>,
}

impl Default for Replay {
    fn default() -> Replay {
        Replay { workers: 1, is_from_oldest: false, is_through: false, tags: None }
    }
}

/// The name of the game of a crash report.
pub fn game_of(path: &Path) -> Result<String, Error> {
    let bytes = read(path)?;
    CrashReport::read(&bytes).map(|report| report.purpose.game).map_err(|error| Error::from(error).in_file(path))
}

/// The mods that the session of a crash report had.
pub fn mods_of(path: &Path) -> Result<Vec<ModIdentity>, Error> {
    let bytes = read(path)?;
    let report = CrashReport::read(&bytes).map_err(|error| Error::from(error).in_file(path))?;
    Ok(report.purpose.mods.lines().filter_map(ModIdentity::read).collect())
}

/// Replays a crash report up to its last complete cycle and compares hashes on the way.
pub fn replay(path: &Path, games: &[GameEntry], how: &Replay) -> Result<Replayed, Error> {
    let bytes = read(path)?;
    replay_bytes(&bytes, games, how).map_err(|error| error.in_file(path))
}

fn replay_bytes(bytes: &[u8], games: &[GameEntry], how: &Replay) -> Result<Replayed, Error> {
    let report = CrashReport::read(bytes)?;
    let known = games.iter().find(|entry| is_called(entry, &report.purpose.game)).copied();
    let start = Start { level: report.purpose.level.clone(), seed: 0, players: 0, settings: Settings::default() };
    let (entry, content) = content_of(&report, known, &start.level, how)?;
    let mut session = Session::begin(&entry, content, &start, &Pages)?;
    let game = session.game();
    let (expected, found) = (game.plan().hash(), report.purpose.layout);
    if expected != found {
        return Err(Error::Layout { expected, found });
    }
    let lengths = session.lengths();
    // The safe cycles that begin at or after a backup and before the end. Records have no gaps.
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
        let backups = report.backups.len();
        return Err(Error::NoBackup { cycle: complete, backups, with_inputs: whole, refusals: troubles });
    };
    session.follow_content()?;
    let pool = ThreadPool::new(how.workers);
    let mut compared = 0;
    let end = complete.saturating_add(u64::from(how.is_through));
    while session.world().cycle() < end {
        let cycle = session.world().cycle();
        let record = if lengths.is_safe(cycle) {
            let safe = lengths.safe_cycle(cycle);
            Some(report.record(safe).ok_or(Error::CycleNotBegun { cycle, safe_cycle: safe })?)
        } else {
            None
        };
        if let Some(record) = record {
            let found = session.hash();
            if found != record.hash_before {
                let expected = record.hash_before;
                let notes = session.content_mut().take_lines();
                return Err(Error::Diverged { cycle, expected, found, notes });
            }
            compared += 1;
        }
        session.replay(record.map(|record| &record.inputs), &pool);
    }
    Ok(Replayed { from: backup.cycle, to: session.world().cycle(), hash: session.hash(), compared })
}

/// The game of a report and the content of one of its backups: where the tags are kept, or else as the report itself holds them.
fn content_of(
    report: &CrashReport<'_>,
    known: Option<GameEntry>,
    level: &str,
    how: &Replay,
) -> Result<(GameEntry, Content), Error> {
    let kept = |entry: GameEntry| {
        let mut content = match &how.tags {
            Some(root) => tag_tree::open(&entry, level, root)?.0,
            None => entry.content(level)?,
        };
        return_to_some(&mut content, report, how.is_from_oldest)?;
        Ok((entry, content))
    };
    let trouble = match known.map(kept) {
        Some(Ok(found)) => return Ok(found),
        Some(Err(error)) => error,
        None => Error::UnknownGame { name: report.purpose.game.clone() },
    };
    let levels = BTreeSet::from([level]);
    let Some(entry) = known.or_else(|| of_tags(&report.purpose.game, &levels).ok()) else { return Err(trouble) };
    match saved_content::decode(&entry, report.tags, &mut Vec::new()) {
        Some(content) => Ok((entry, content)),
        None => Err(trouble),
    }
}

/// A tag that was changed while a session ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedTag {
    /// Its path; empty if the report does not hold the tag, which then came later.
    pub path: String,
    /// The id of its path.
    pub id: StringId,
    /// The safe cycle with which the change entered.
    pub safe_cycle: u64,
}

/// The tags that were changed in the last minute of a report, the oldest first.
pub fn changed_lately(report: &CrashReport<'_>) -> Vec<ChangedTag> {
    let paths = saved_content::paths_in(report.tags);
    let last = report.records.last().map_or(0, |record| record.inputs.cycle());
    let since = last.saturating_sub(SAFE_CYCLES_PER_MINUTE);
    let lately = report.records.iter().filter(|record| record.inputs.cycle() >= since);
    let changes = lately.flat_map(|record| {
        changes_in(&record.inputs).map(|id| ChangedTag {
            path: paths.get(&id).cloned().unwrap_or_default(),
            id,
            safe_cycle: record.inputs.cycle(),
        })
    });
    changes.collect()
}

/// The safe cycles of a minute, in the usual length.
const SAFE_CYCLES_PER_MINUTE: u64 = 60 * 20;

/// Puts the content of a backup in force: the first one, in the order they are tried, whose content is stored.
fn return_to_some(content: &mut Content, report: &CrashReport, is_from_oldest: bool) -> Result<(), Error> {
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
