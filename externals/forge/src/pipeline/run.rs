//! The pipeline over a folder: once, or again for every change while it is watched.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use host::clock::time_of_day;
use host::files::{FileError, OwnedLock, make_folder, own};
use host::walk::{Stamp, Walk, WalkLimits, walk};
use host::watch::Watch;
use media::Importer;
use tags::Key;

use super::export::{ExportError, Exported, export, exporters};
use super::index::{ImportEntry, ImportIndex, SeenFile};
use super::intake::{Intake, TakeImported, TakenTag};
use super::job::{Job, Outcome, ReadFile};
use super::part_cache::{FreshParts, PARTS, PartUse};
use super::plan::{Plan, Reason, Request, plan};
use super::surroundings::{Surroundings, options_in, settled_options};
use super::worker::{IMPORT_PATIENCE, ImportWorker, Isolation};
use crate::classes::Classes;
use crate::tree::IMPORTED;

/// How often the index is written while imports run.
const SAVE_EVERY: Duration = Duration::from_secs(10);

/// The file that a running import has locked.
const LOCK: &str = "import.lock";

/// How long a watch waits before it checks whether it should end.
const WATCH_STEP: Duration = Duration::from_millis(200);

/// The pipeline of a game.
pub struct Pipeline<'a> {
    /// The folder of sources.
    pub data: PathBuf,
    /// The folder of tags.
    pub tree: PathBuf,
    /// The classes.
    pub classes: Classes,
    /// The importers.
    pub importers: &'a [Importer],
    /// How imports are isolated.
    pub isolation: Isolation,
    /// How many imports run at a time, at least one.
    pub workers: usize,
    /// The time limit of one import.
    pub patience: Duration,
    /// Which imported values replace edited ones.
    pub take: TakeImported,
    /// Whether nothing is written.
    pub is_dry: bool,
}

/// What happens while the pipeline runs.
#[derive(Debug)]
pub enum Event {
    /// The plan is made.
    Planned(Plan),
    /// A source was imported.
    Imported {
        /// The source.
        source: String,
        /// Why.
        reason: Reason,
        /// Its tags.
        tags: Vec<TakenTag>,
        /// Tags that it made before, and no longer makes.
        dropped: Vec<String>,
        /// What was made of its parts, and what was found in the cache.
        parts: PartUse,
        /// How long it took.
        time: Duration,
    },
    /// A source was not imported.
    Failed {
        /// The source.
        source: String,
        /// Why not.
        error: String,
    },
    /// The index or the cache of parts could not be written: the next run does more than it must.
    NotSaved(FileError),
    /// Another import of the same tree runs: which. This one goes on when it has ended.
    Waiting(String),
    /// The index of imports, or something of the cache of parts, was damaged and is made again.
    CacheDamaged(String),
}

/// The sum of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Sources that were imported.
    pub imported: usize,
    /// Sources that could not be imported, now or earlier without a change since.
    pub failed: usize,
    /// Sources that are unchanged.
    pub unchanged: usize,
    /// Tags created or changed.
    pub written: usize,
}

/// What the threads of a run share.
struct Shared<'r> {
    jobs: &'r [(Job, Reason)],
    next: AtomicUsize,
    index: Mutex<&'r mut ImportIndex>,
    fresh: Mutex<FreshParts>,
    /// The folder of the cache of parts.
    parts: &'r Path,
}

impl Pipeline<'_> {
    /// The default time limit of one import.
    pub const PATIENCE: Duration = IMPORT_PATIENCE;

    /// Imports everything that must be imported.
    pub fn run(&self, request: &Request, report: &mut dyn FnMut(Event)) -> Result<Summary, FileError> {
        let home = shelf::tree::home_of(&self.tree);
        let _lock = self.take_turn(&home, report)?;
        let (mut index, damage) = ImportIndex::open(&home);
        if let Some(damage) = damage {
            report(Event::CacheDamaged(damage));
        }
        let before = index.clone();
        let summary = self.run_with(request, &mut index, report)?;
        if !self.is_dry
            && index != before
            && let Err(error) = index.save(&home)
        {
            report(Event::NotSaved(error));
        }
        Ok(summary)
    }

    /// Waits until no other import of this tree runs: both would do the same work.
    fn take_turn(&self, home: &Path, report: &mut dyn FnMut(Event)) -> Result<Option<OwnedLock>, FileError> {
        if self.is_dry {
            return Ok(None);
        }
        make_folder(home)?;
        let owner = format!("the import of process {}", std::process::id());
        own(&home.join(LOCK), &owner, &mut |other| report(Event::Waiting(other.to_string()))).map(Some)
    }

    /// Exports the files of authoring programs that changed.
    pub fn export(&self, request: &Request, report: &mut dyn FnMut(&str, &Exported)) -> Result<(), ExportError> {
        let sources = walk(&self.data, &WalkLimits::default()).map_err(ExportError::File)?;
        let home = shelf::tree::home_of(&self.tree);
        export(&self.data, &home, &sources, (&|source| request.has(source), request.is_forced), report)
    }

    /// Imports everything, then every change, until the flag is set.
    pub fn watch(&self, request: &Request, end: &AtomicBool, report: &mut dyn FnMut(Event)) -> Result<(), FileError> {
        let (mut watch, _) = Watch::begin(&self.data, &WalkLimits::default())?;
        let (mut tags, _) = Watch::begin(&self.tree, &WalkLimits::default())?;
        self.run(request, report)?;
        while !end.load(Ordering::Relaxed) {
            let changed = watch.wait(WATCH_STEP);
            let edited = tags.poll();
            // A plan looks at all stamps: what was changed beside a source leads to it.
            let again = Request { options: Vec::new(), is_forced: false, ..request.clone() };
            if !changed.is_empty() {
                self.run(&again, report)?;
            } else if !edited.is_empty() {
                let only: Vec<String> = self.with_new_options(&edited, request);
                if !only.is_empty() {
                    self.run(&Request { only, ..again }, report)?;
                }
            }
        }
        Ok(())
    }

    /// The sources whose options were changed in their tags.
    fn with_new_options(&self, edited: &[String], request: &Request) -> Vec<String> {
        // Damage was told by the run before.
        let (index, _) = ImportIndex::open(&shelf::tree::home_of(&self.tree));
        let edited: BTreeSet<&str> =
            edited.iter().map(|path| path.strip_suffix(&format!(".{IMPORTED}")).unwrap_or(path)).collect();
        let (sources, tags) = (Walk::default(), Walk::default());
        let around = Surroundings {
            data: &self.data,
            sources: &sources,
            tree: &self.tree,
            tags: &tags,
            classes: &self.classes,
            importers: self.importers,
            exporters: &[],
        };
        let has_changed = |source: &str, entry: &ImportEntry| {
            let importer = self.importers.iter().find(|importer| importer.name == entry.importer)?;
            let main = entry.made.first().filter(|main| edited.contains(main.as_str()))?;
            let given = options_in(around, main, source)?;
            Some(settled_options(importer, given) != entry.options)
        };
        let entries = index.entries.iter().filter(|(source, _)| request.has(source));
        entries
            .filter(|(source, entry)| has_changed(source, entry) == Some(true))
            .map(|(source, _)| source.clone())
            .collect()
    }

    fn run_with(
        &self,
        request: &Request,
        index: &mut ImportIndex,
        report: &mut dyn FnMut(Event),
    ) -> Result<Summary, FileError> {
        let sources = walk(&self.data, &WalkLimits::default())?;
        let tags = walk(&self.tree, &WalkLimits::default())?;
        // Errors in the declarations are reported by the export itself.
        let exporters = exporters(&self.data).unwrap_or_default();
        let around = Surroundings {
            data: &self.data,
            sources: &sources,
            tree: &self.tree,
            tags: &tags,
            classes: &self.classes,
            importers: self.importers,
            exporters: &exporters,
        };
        let plan = plan(around, request, index);
        let jobs = plan.jobs.clone();
        let mut summary =
            Summary { unchanged: plan.unchanged, failed: plan.failed.len() + plan.doubled.len(), ..Summary::default() };
        report(Event::Planned(plan));
        let home = shelf::tree::home_of(&self.tree);
        let parts = home.join(PARTS);
        let shared = Shared {
            jobs: &jobs,
            next: AtomicUsize::new(0),
            index: Mutex::new(index),
            fresh: Mutex::default(),
            parts: &parts,
        };
        thread::scope(|scope| {
            let (sender, events) = channel();
            for _ in 0..self.workers.clamp(1, jobs.len().max(1)) {
                let sender = sender.clone();
                let shared = &shared;
                scope.spawn(move || self.work(shared, &sender));
            }
            drop(sender);
            let mut saved = Instant::now();
            for event in events {
                match &event {
                    Event::Imported { tags, .. } => {
                        summary.imported += 1;
                        summary.written +=
                            tags.iter().filter(|tag| tag.change != super::intake::TagChange::None).count();
                    }
                    Event::Failed { .. } => summary.failed += 1,
                    Event::Planned(_) | Event::NotSaved(_) | Event::CacheDamaged(_) | Event::Waiting(_) => {}
                }
                report(event);
                if saved.elapsed() > SAVE_EVERY && !self.is_dry {
                    // A killed run then goes on where it was. What fails here is reported at the end.
                    let _ = shared.index().save(&home);
                    saved = Instant::now();
                }
            }
        });
        let fresh = shared.fresh.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = self.write_fresh(fresh, &parts) {
            report(Event::NotSaved(error));
        }
        Ok(summary)
    }

    /// Runs jobs until there are none left.
    fn work(&self, shared: &Shared<'_>, events: &Sender<Event>) {
        let folders = (self.data.as_path(), shared.parts);
        let mut worker = ImportWorker::new(&self.isolation, folders, self.importers, self.patience);
        while let Some((job, reason)) = shared.jobs.get(shared.next.fetch_add(1, Ordering::Relaxed)) {
            let start = Instant::now();
            let mut outcome = worker.run(job);
            // The receiver lives as long as the threads.
            let send = |event| drop(events.send(event));
            self.keep_parts(shared, &job.source, &mut outcome.parts).into_iter().for_each(send);
            send(self.take_in(shared, job, reason, outcome, start));
        }
    }

    /// Keeps what a job made of parts of its source. Returns what is to be reported.
    fn keep_parts(&self, shared: &Shared<'_>, source: &str, parts: &mut PartUse) -> Vec<Event> {
        let mut events: Vec<Event> = std::mem::take(&mut parts.troubles).into_iter().map(Event::CacheDamaged).collect();
        if parts.damaged > 0 {
            let count = parts.damaged;
            events.push(Event::CacheDamaged(format!("{source}: {count} kept parts were damaged and are made again")));
        }
        let due = {
            let mut fresh = shared.fresh.lock().unwrap_or_else(PoisonError::into_inner);
            fresh.add(parts).then(|| std::mem::take(&mut *fresh))
        };
        if let Some(Err(error)) = due.map(|due| self.write_fresh(due, shared.parts)) {
            events.push(Event::NotSaved(error));
        }
        events
    }

    fn write_fresh(&self, fresh: FreshParts, folder: &Path) -> Result<(), FileError> {
        if self.is_dry { Ok(()) } else { fresh.write(folder) }
    }

    fn take_in(&self, shared: &Shared<'_>, job: &Job, reason: &Reason, mut outcome: Outcome, start: Instant) -> Event {
        let intake = Intake {
            tree: &self.tree,
            data: &self.data,
            classes: &self.classes,
            take: &self.take,
            is_dry: self.is_dry,
            moved_from: match reason {
                Reason::Moved(from) => Some(from),
                _ => None,
            },
        };
        let mut tags = Vec::new();
        let mut error = std::mem::take(&mut outcome.error);
        let is_of_source = !error.is_empty();
        for made in std::mem::take(&mut outcome.made) {
            match intake.take(&job.source, made) {
                Ok(taken) => tags.push(taken),
                Err(found) if error.is_empty() => error = found.to_string(),
                Err(_) => {}
            }
        }
        if !error.is_empty() && !is_of_source {
            // What the tag or the disk refused is tried again: nothing in the source has to change for it to succeed.
            outcome.file = ReadFile::default();
            outcome.beside.clear();
        }
        let is_known = error.is_empty() || is_of_source;
        let dropped = self.note(shared, (job, is_known), &outcome, &tags, &error);
        if error.is_empty() {
            Event::Imported {
                source: job.source.clone(),
                reason: reason.clone(),
                tags,
                dropped,
                parts: outcome.parts,
                time: start.elapsed(),
            }
        } else {
            Event::Failed { source: job.source.clone(), error }
        }
    }

    /// Notes the outcome in the index. Returns the tags that the source made before and no longer makes.
    fn note(
        &self,
        shared: &Shared<'_>,
        (job, is_known): (&Job, bool),
        outcome: &Outcome,
        tags: &[TakenTag],
        error: &str,
    ) -> Vec<String> {
        let time = time_of_day();
        let seen = |(stamp, content): ReadFile| SeenFile::new(stamp, Key(content), time);
        let made: Vec<String> = tags.iter().map(|tag| tag.path.as_str().to_string()).collect();
        let version =
            self.importers.iter().find(|importer| importer.name == job.importer).map_or(0, |found| found.version);
        let mut index = shared.index();
        let old = index.entries.get(&job.source);
        let before = old.map(|old| old.made.clone()).unwrap_or_default();
        let now: BTreeSet<&String> = made.iter().collect();
        let dropped = match error {
            "" => before.iter().filter(|path| !now.contains(path)).cloned().collect(),
            _ => Vec::new(),
        };
        let file = match outcome.file {
            // The worker died: what it read is not known, and a repetition would end in the same way.
            (_, [0, ..]) if is_known && outcome.file.1 == [0; 32] => self.seen_now(&job.source, time),
            file => seen(file),
        };
        let main = if error.is_empty() { made.first() } else { before.first() };
        let tag = main.and_then(|main| Stamp::of(&self.tree.join(main))).unwrap_or_default();
        let entry = ImportEntry {
            file,
            beside: outcome.beside.iter().map(|(path, file)| (path.clone(), seen(*file))).collect(),
            importer: job.importer.clone(),
            version,
            options: job.options.clone(),
            tag,
            containers: tags.iter().filter_map(|tag| tag.container.clone()).collect(),
            made: if error.is_empty() { made } else { before },
            error: error.to_string(),
        };
        index.entries.insert(job.source.clone(), entry);
        dropped
    }

    /// A source as it is now.
    fn seen_now(&self, source: &str, time: i64) -> SeenFile {
        let path = self.data.join(source);
        let stamp = Stamp::of(&path).unwrap_or_default();
        let bytes = host::files::read_at_most(&path, media::limits::SOURCE_BYTES_MAX);
        SeenFile::new(stamp, bytes.map_or(Key([0; 32]), |bytes| shelf::content_key::of(&bytes)), time)
    }
}

impl<'r> Shared<'r> {
    fn index(&self) -> MutexGuard<'_, &'r mut ImportIndex> {
        // A thread that panicked left whole entries behind.
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The folder of sources that belongs to a folder of tags.
#[must_use]
pub fn data_of(tree: &Path) -> PathBuf {
    tree.parent().map_or_else(|| PathBuf::from(super::layout::DATA), |folder| folder.join(super::layout::DATA))
}
