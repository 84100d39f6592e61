//! Recording films: the data that a running session hands over, and the thread that writes it to disk.
//!
//! Laws
//! 1. The world never blocks on the disk and allocates nothing for it: inputs are copied into a tray, blocks into one
//!    of two snapshots. A thread compresses and writes them. (The tray grows only if the disk falls behind by more than
//!    it holds; and the start of a take allocates.)
//! 2. Inputs are never left out; a keyframe is, if both snapshots are still in use.
//! 3. Keyframes are as rare as possible while any cycle can be reached within [`SEEK_NANOS`] of stepping, and rarer if
//!    they would cost more than [`SHARE_PER_MILLE`] of the world's time.
//! 4. A full or missing disk is reported once, and the world continues without a film.
//! 5. A changed tag is in the film before the cycle it enters.
//! 6. A take that ends while the program runs records where and why, to the brush cycle: when the level is replaced by
//!    another, when a world is loaded over it, and when the program stops within a cycle.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use host::clock::{Clock, thread_nanos};
use host::files::{self, FileError};
use relay::Sealed;
use relay::film::content::encode_header;
use relay::film::limits::TAKES_MAX;
use relay::film::{ContentList, Ending, FilmWriter, Kind, Opening, Parent, Reason, Stamp, track};
use state::memory::MemorySource;
use state::pacer::Lengths;
use state::snapshot::Snapshot;
use state::{World, limits::NAME_BYTES_MAX};
use tags::library::Ready;
use tags::{Key, header};

use crate::content::Content;
use crate::profile::{SecondOfProfile, StepProfile};

mod desk;
mod pace;
mod writing;

pub use desk::Costs;
pub use pace::{SEEK_NANOS, SHARE_PER_MILLE};

use desk::{Desk, Entry};
use pace::Pace;
use writing::FilmThread;

/// After this many lists of changes, a complete list is written.
const LISTS_BETWEEN: u32 = 64;

/// The thread is woken after this many records; it also wakes up by itself now and then.
const RECORDS_AT_ONCE: u32 = 20;

/// The longest wait for the disk before a film that is being recorded is played.
const SYNC_PATIENCE: Duration = Duration::from_secs(5);

/// The number of blocks that may be in use by the thread.
const SNAPSHOTS: usize = 2;

/// The number of seconds of a profile that may be in use by the thread: it wakes up once per second.
const SECONDS: usize = 4;

/// The parts of a session that a recorder reads.
pub struct Scene<'a> {
    /// The world.
    pub world: &'a mut World,
    /// Its tags.
    pub content: &'a Content,
    /// The identity of the game's built-in content.
    pub game_content: u64,
    /// The level's name.
    pub level: &'a str,
    /// The number of players.
    pub players: u16,
    /// The lengths of its cycles.
    pub lengths: Lengths,
    /// The chain up to now.
    pub chain: u64,
    /// The memory for blocks.
    pub memory: &'static dyn MemorySource,
}

/// A film that is being recorded.
pub struct Filming {
    path: PathBuf,
    film: u64,
    desk: Arc<Desk>,
    writing: Option<FilmThread>,
    take: u16,
    take_start: u64,
    /// The first cycle that is not recorded yet: the next record is at it or after it.
    cycle: u64,
    /// The hash of the world at that cycle, if known, and the chain.
    hash: Option<u64>,
    chain: u64,
    lengths: Lengths,
    identity: u64,
    lists: u32,
    keys: BTreeSet<Key>,
    spare: Vec<Snapshot>,
    spare_seconds: Vec<SecondOfProfile>,
    pace: Pace,
    clock: Clock,
    began: u64,
    records: u32,
}

impl Filming {
    /// Begins a film in a new file with the current world.
    pub fn begin(path: &Path, parent: Option<Parent>, scene: &mut Scene<'_>) -> Result<Filming, FileError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.map_or(Ok(()), files::make_folder)?;
        let file = files::GrowingFile::create(path)?;
        let film = new_number(path);
        let desk = Arc::new(Desk::new());
        let writing = FilmThread::begin(file, FilmWriter::new(film, 0), Arc::clone(&desk));
        let mut filming = Filming {
            path: path.to_path_buf(),
            film,
            desk,
            writing: Some(writing),
            take: 0,
            take_start: 0,
            cycle: 0,
            hash: None,
            chain: 0,
            lengths: scene.lengths,
            identity: 0,
            lists: 0,
            keys: BTreeSet::new(),
            spare: Vec::with_capacity(SNAPSHOTS),
            spare_seconds: Vec::with_capacity(SECONDS),
            pace: Pace::default(),
            clock: Clock::new(),
            began: 0,
            records: 0,
        };
        for class in scene.content.classes().iter().map(|prepared| prepared.class()) {
            // Classes of the program itself are known to any program that can play the film.
            if !class.origin.is_empty() {
                let body = encode_header(&class.name, &header::write(class));
                filming.desk.chunk(Kind::Header, 0, Stamp::default(), &body);
            }
        }
        let reason = if parent.is_some() { Reason::Continued } else { Reason::Begun };
        filming.open(reason, parent, scene);
        Ok(filming)
    }

    /// Begins a new take: the level restarted, or a world was loaded. `words` say why the previous take ends.
    pub fn begin_take(&mut self, reason: Reason, words: &str, scene: &mut Scene<'_>) {
        self.end_take(words);
        if usize::from(self.take) + 1 >= TAKES_MAX {
            self.desk.give_up("the film has too many takes; the rest is not recorded");
            return;
        }
        self.take += 1;
        self.open(reason, None, scene);
    }

    /// Records the end of the take, as far as it is known.
    fn end_take(&mut self, words: &str) {
        let stamp = Stamp { cycle: self.cycle, until: self.cycle, hash: self.hash.unwrap_or(0) };
        let ending = Ending { chain: self.chain, words: words.to_string() };
        self.desk.chunk(Kind::End, self.take, stamp, &ending.encode());
    }

    fn open(&mut self, reason: Reason, parent: Option<Parent>, scene: &mut Scene<'_>) {
        let (cycle, time) = (scene.world.cycle(), *scene.world.time());
        let (hash, plan) = (scene.world.hash(), Arc::clone(scene.world.plan()));
        (self.lengths, self.take_start) = (scene.lengths, cycle);
        (self.cycle, self.hash, self.chain) = (cycle, Some(hash), scene.chain);
        let opening = Opening {
            reason,
            layout: plan.hash(),
            game_content: scene.game_content,
            content: time.content,
            block_bytes: plan.bytes() as u64,
            seed: time.seed,
            chain: scene.chain,
            brush_nanos: scene.lengths.brush_nanos,
            brushes_per_safe: scene.lengths.brushes_per_safe,
            players: scene.players,
            parent,
            game: plan.name().to_string(),
            level: scene.level.to_string(),
            program: program(),
        };
        self.desk.chunk(Kind::Opening, self.take, Stamp { cycle, until: cycle, hash }, &opening.encode());
        self.keep_content(scene.content, cycle, true);
        self.spare.clear();
        self.desk.forget_returned();
        for _ in 0..SNAPSHOTS {
            self.spare.push(scene.world.snapshot(scene.memory));
        }
        self.keyframe(scene.world, hash, scene.chain, true);
    }

    /// Records the inputs of a safe cycle, and the tags they changed, with the hash of the world before it.
    pub fn record(&mut self, hash_before: u64, inputs: &Sealed, content: &Content) {
        let cycle = inputs.cycle().saturating_mul(u64::from(self.lengths.brushes_per_safe));
        self.keep_content(content, cycle, false);
        self.records += 1;
        let is_urgent = self.records >= RECORDS_AT_ONCE;
        self.desk.record(self.take, cycle, hash_before, inputs, is_urgent, self.lengths.brushes_per_safe);
        if is_urgent {
            self.records = 0;
        }
    }

    /// Whether a world of this cycle continues the recording.
    pub fn leads_to(&self, cycle: u64) -> bool {
        self.cycle == cycle
    }

    /// Sets the hash of the current world, which is about to be replaced by a load.
    pub fn know_hash(&mut self, hash: u64) {
        self.hash = Some(hash);
    }

    /// Called before a step.
    pub fn before_step(&mut self) {
        self.began = self.clock.now();
    }

    /// Called after a step; `hash` is that of the world if a safe cycle is complete.
    pub fn after_step(&mut self, world: &mut World, hash: Option<u64>, chain: u64) {
        (self.cycle, self.hash, self.chain) = (world.cycle(), hash, chain);
        self.pace.count(self.clock.now().saturating_sub(self.began), self.lengths.brush_nanos);
        let Some(hash) = hash else { return };
        self.pace.learn(self.desk.keyframe_nanos());
        if self.pace.is_due(|| self.worked()) {
            self.keyframe(world, hash, chain, false);
        }
    }

    fn keyframe(&mut self, world: &mut World, hash: u64, chain: u64, is_first: bool) {
        self.desk.take_returned(&mut self.spare);
        // A snapshot of an earlier plan may be returned late.
        self.spare.retain(|spare| spare.block().plan().hash() == world.plan().hash());
        let Some(mut snapshot) = self.spare.pop() else {
            self.desk.leave_out_keyframe();
            return;
        };
        let began = self.clock.now();
        world.save(&mut snapshot);
        let nanos = self.clock.now().saturating_sub(began);
        self.pace.begin_anew(nanos, self.worked());
        let stamp = Stamp { cycle: world.cycle(), until: world.cycle(), hash };
        self.desk.put(Entry::Keyframe { take: self.take, stamp, chain, is_first, snapshot }, nanos);
    }

    /// Adds an item to a named track, beside the inputs.
    pub fn lay(&mut self, name: &str, cycle: u64, bytes: &[u8]) {
        let body = track::encode(name, [(cycle, bytes)].into_iter());
        self.desk.chunk(Kind::Track, self.take, Stamp { cycle, until: cycle, hash: 0 }, &body);
    }

    /// Allocates for the seconds of a profile that the thread may have in hand.
    pub fn reserve_seconds(&mut self, profile: &StepProfile) {
        self.desk.take_seconds(&mut self.spare_seconds);
        self.spare_seconds.resize_with(SECONDS, SecondOfProfile::default);
        self.spare_seconds.iter_mut().for_each(|second| profile.reserve_second(second));
    }

    /// Adds the last second of a profile to its track, at the second's first cycle. Like a keyframe it is left out if the thread
    /// still has all copies.
    pub fn lay_second(&mut self, profile: &StepProfile) {
        self.desk.take_seconds(&mut self.spare_seconds);
        let Some(mut second) = self.spare_seconds.pop() else { return };
        profile.copy_second(&mut second);
        self.desk.put(Entry::Second { take: self.take, second }, 0);
    }

    /// Records which tags are in force, and adds those that are not in the film yet.
    fn keep_content(&mut self, content: &Content, cycle: u64, is_first: bool) {
        let library = content.library();
        let identity = library.identity();
        if identity == self.identity && !is_first {
            return;
        }
        let is_all = is_first || self.lists >= LISTS_BETWEEN;
        let mut rows = Vec::new();
        for ready in library.tags() {
            let is_new = self.keys.insert(ready.key);
            if is_new {
                self.desk.put(Entry::Tag { take: self.take, cycle, ready: Ready::clone(ready) }, 0);
            }
            // Unchanged tags are in the list before; a tag that returned to an older version is not new, but changed.
            if is_all || is_new || content.changed().tags.contains(&ready.path.id()) {
                rows.push((ready.path.as_str().to_string(), ready.key.0));
            }
        }
        // After a restart it is unknown what changed.
        let base = (!is_all && !content.changed().tags.is_empty()).then_some(self.identity);
        if base.is_none() && !is_all {
            rows = library.tags().map(|ready| (ready.path.as_str().to_string(), ready.key.0)).collect();
        }
        self.lists = if base.is_none() { 0 } else { self.lists + 1 };
        self.identity = identity;
        let list = ContentList { identity, base, rows };
        self.desk.chunk(Kind::Content, self.take, Stamp { cycle, until: cycle, hash: identity }, &list.encode());
    }

    /// The processor time of this thread.
    fn worked(&self) -> u64 {
        thread_nanos().unwrap_or_else(|| self.clock.now())
    }

    /// Ends the film and waits until it is on disk. Returns the error, if there was one.
    pub fn finish(&mut self, world: &mut World, chain: u64, words: &str) -> Option<String> {
        (self.cycle, self.hash, self.chain) = (world.cycle(), Some(world.hash()), chain);
        self.abandon(words)
    }

    /// Ends the film at the last complete cycle, because the world is inconsistent. Waits for the disk.
    pub fn abandon(&mut self, words: &str) -> Option<String> {
        self.end_take(words);
        self.writing = None;
        self.desk.take_trouble()
    }

    /// Waits until everything recorded so far can be read from the film's file, so that it can be played while it is being
    /// recorded. False if the disk takes too long or failed.
    pub fn sync(&mut self) -> bool {
        self.records = 0;
        self.desk.sync(SYNC_PATIENCE)
    }

    /// The first cycle of the take being recorded.
    pub fn take_start(&self) -> u64 {
        self.take_start
    }

    /// The take being recorded, and the first cycle that is not recorded yet.
    pub fn place(&self) -> (u16, u64) {
        (self.take, self.cycle)
    }

    /// The error that stopped the recording, if it was not reported yet.
    pub fn take_trouble(&mut self) -> Option<String> {
        self.desk.take_trouble()
    }

    /// The costs of recording up to now.
    pub fn costs(&self) -> Costs {
        self.desk.costs()
    }

    /// The path of the film.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The film's number.
    pub fn film(&self) -> u64 {
        self.film
    }
}

/// A number for a new film.
pub fn new_number(path: &Path) -> u64 {
    let mut bytes = [0; 8];
    let drawn = host::chance::fill(&mut bytes).ok().map(|()| u64::from_le_bytes(bytes));
    let of_moment = || base::hash::hash(format!("{} {}", host::process::stamp(), path.display()).as_bytes());
    drawn.filter(|number| *number != 0).unwrap_or_else(of_moment).max(1)
}

/// The name of the program, for openings.
pub fn program() -> String {
    let mut name = format!("{} {}", host::process::program(), env!("CARGO_PKG_VERSION"));
    name.truncate(name.floor_char_boundary(name.len().min(NAME_BYTES_MAX)));
    name
}
