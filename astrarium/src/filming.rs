//! Recording films: what a session hands over while it is played, and the thread that brings it to the disk.
//!
//! Laws
//! 1. The world never waits for the disk and takes nothing from the heap for it: inputs are copied into a tray, blocks into one of
//!    two snapshots. A thread squeezes and writes them. (Only a disk that is behind by more than the tray holds makes it grow;
//!    and a take that begins takes what it needs.)
//! 2. Inputs are never left out, keyframes are: when both snapshots are still under way.
//! 3. Keyframes are as rare as allows to reach any cycle within [`SEEK_NANOS`] of stepping, and rarer if they would cost more
//!    than [`SHARE_PER_MILLE`] of the time of the world.
//! 4. A disk that is full or gone is told once, and the world goes on without a film.
//! 5. A changed tag is in the film before the cycle it enters.
//! 6. A take that ends while somebody watches says where and why, to the brush cycle: when the level gives way to another, when a
//!    world is loaded over it, and when the program stops within a cycle.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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

mod desk;
mod pace;
mod writing;

pub use desk::Costs;
pub use pace::{SEEK_NANOS, SHARE_PER_MILLE};

use desk::{Desk, Entry};
use pace::Pace;
use writing::Writing;

/// After so many lists that say only what changed, one says all.
const LISTS_BETWEEN: u32 = 64;

/// So many records are handed over at once; the thread also looks by itself every now and then.
const RECORDS_AT_ONCE: u32 = 20;

/// How many blocks may be under way.
const SNAPSHOTS: usize = 2;

/// What a recorder sees of a session.
pub struct Scene<'a> {
    /// The world.
    pub world: &'a mut World,
    /// Its tags.
    pub content: &'a Content,
    /// The number of all that is built into the game.
    pub game_content: u64,
    /// The level's name.
    pub level: &'a str,
    /// How many players.
    pub players: u16,
    /// How long its cycles are.
    pub lengths: Lengths,
    /// The chain so far.
    pub chain: u64,
    /// Where blocks lie.
    pub memory: &'static dyn MemorySource,
}

/// A film that is being recorded.
pub struct Filming {
    path: PathBuf,
    film: u64,
    desk: Arc<Desk>,
    writing: Option<Writing>,
    take: u16,
    /// The cycle that the next record is expected at, or comes after.
    cycle: u64,
    /// The hash of the world at that cycle, where it is known; and the chain.
    hash: Option<u64>,
    chain: u64,
    lengths: Lengths,
    identity: u64,
    lists: u32,
    keys: BTreeSet<Key>,
    spare: Vec<Snapshot>,
    pace: Pace,
    clock: Clock,
    began: u64,
    records: u32,
}

impl Filming {
    /// Begins a film in a new file with the world as it is.
    pub fn begin(path: &Path, parent: Option<Parent>, scene: &mut Scene<'_>) -> Result<Filming, FileError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        folder.map_or(Ok(()), files::make_folder)?;
        let file = files::GrowingFile::create(path)?;
        let film = new_number(path);
        let desk = Arc::new(Desk::new());
        let writing = Writing::begin(file, FilmWriter::new(film, 0), Arc::clone(&desk));
        let mut filming = Filming {
            path: path.to_path_buf(),
            film,
            desk,
            writing: Some(writing),
            take: 0,
            cycle: 0,
            hash: None,
            chain: 0,
            lengths: scene.lengths,
            identity: 0,
            lists: 0,
            keys: BTreeSet::new(),
            spare: Vec::with_capacity(SNAPSHOTS),
            pace: Pace::default(),
            clock: Clock::new(),
            began: 0,
            records: 0,
        };
        for class in scene.content.classes().iter().map(|prepared| prepared.class()) {
            // Those of the program itself are known to whoever plays the film with it.
            if !class.origin.is_empty() {
                let body = encode_header(&class.name, &header::write(class));
                filming.desk.strip(Kind::Header, 0, Stamp::default(), &body);
            }
        }
        let reason = if parent.is_some() { Reason::Continued } else { Reason::Begun };
        filming.open(reason, parent, scene);
        Ok(filming)
    }

    /// A new take: the level started again, or the world was loaded over. The words say why the one before ends.
    pub fn begin_take(&mut self, reason: Reason, words: &str, scene: &mut Scene<'_>) {
        self.end_take(words);
        if usize::from(self.take) + 1 >= TAKES_MAX {
            self.desk.give_up("the film has too many takes; what follows is not recorded");
            return;
        }
        self.take += 1;
        self.open(reason, None, scene);
    }

    /// Writes down where the take ends, as far as that is known.
    fn end_take(&mut self, words: &str) {
        let stamp = Stamp { cycle: self.cycle, until: self.cycle, hash: self.hash.unwrap_or(0) };
        let ending = Ending { chain: self.chain, words: words.to_string() };
        self.desk.strip(Kind::End, self.take, stamp, &ending.encode());
    }

    fn open(&mut self, reason: Reason, parent: Option<Parent>, scene: &mut Scene<'_>) {
        let (cycle, time) = (scene.world.cycle(), *scene.world.time());
        let (hash, plan) = (scene.world.hash(), Arc::clone(scene.world.plan()));
        self.lengths = scene.lengths;
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
        self.desk.strip(Kind::Opening, self.take, Stamp { cycle, until: cycle, hash }, &opening.encode());
        self.keep_content(scene.content, cycle, true);
        self.spare.clear();
        self.desk.forget_returned();
        for _ in 0..SNAPSHOTS {
            self.spare.push(scene.world.snapshot(scene.memory));
        }
        self.keyframe(scene.world, hash, scene.chain, true);
    }

    /// These inputs enter, or have just changed the tags; the world's hash was this before.
    pub fn record(&mut self, hash_before: u64, inputs: &Sealed, content: &Content) {
        let cycle = inputs.cycle().saturating_mul(u64::from(self.lengths.brushes_per_safe));
        self.keep_content(content, cycle, false);
        self.records += 1;
        let is_told = self.records >= RECORDS_AT_ONCE;
        self.desk.record(self.take, cycle, hash_before, inputs, is_told, self.lengths.brushes_per_safe);
        if is_told {
            self.records = 0;
        }
    }

    /// Whether a world of this cycle leads on from what was recorded.
    pub fn leads_to(&self, cycle: u64) -> bool {
        self.cycle == cycle
    }

    /// The hash of the world as it is, which is about to be loaded over.
    pub fn know_hash(&mut self, hash: u64) {
        self.hash = Some(hash);
    }

    /// A step begins.
    pub fn before_step(&mut self) {
        self.began = self.clock.now();
    }

    /// A step was made; `hash` is that of the world if it is a safe cycle now.
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
        // One of an earlier plan may come back late.
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

    /// Lays something beside the inputs, under the name of a track.
    pub fn lay(&mut self, name: &str, cycle: u64, bytes: &[u8]) {
        let body = track::encode(name, [(cycle, bytes)].into_iter());
        self.desk.strip(Kind::Track, self.take, Stamp { cycle, until: cycle, hash: 0 }, &body);
    }

    /// Writes down which tags are in force, and those of them that are not in the film yet.
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
            // Whatever is as it was is in the list before; what came back to an older version is not new, but changed.
            if is_all || is_new || content.changed().tags.contains(&ready.path.id()) {
                rows.push((ready.path.as_str().to_string(), ready.key.0));
            }
        }
        // After a restart nobody knows any more what changed.
        let base = (!is_all && !content.changed().tags.is_empty()).then_some(self.identity);
        if base.is_none() && !is_all {
            rows = library.tags().map(|ready| (ready.path.as_str().to_string(), ready.key.0)).collect();
        }
        self.lists = if base.is_none() { 0 } else { self.lists + 1 };
        self.identity = identity;
        let list = ContentList { identity, base, rows };
        self.desk.strip(Kind::Content, self.take, Stamp { cycle, until: cycle, hash: identity }, &list.encode());
    }

    /// How long this thread has worked.
    fn worked(&self) -> u64 {
        thread_nanos().unwrap_or_else(|| self.clock.now())
    }

    /// Ends the film, and waits until it is on the disk. Gives what went wrong.
    pub fn finish(&mut self, world: &mut World, chain: u64, words: &str) -> Option<String> {
        (self.cycle, self.hash, self.chain) = (world.cycle(), Some(world.hash()), chain);
        self.abandon(words)
    }

    /// Ends the film at the last complete cycle: the world is in no state to be looked at. Waits for the disk.
    pub fn abandon(&mut self, words: &str) -> Option<String> {
        self.end_take(words);
        self.writing = None;
        self.desk.take_trouble()
    }

    /// What people should know: that no film is recorded any more. Told once.
    pub fn take_trouble(&mut self) -> Option<String> {
        self.desk.take_trouble()
    }

    /// What recording has cost so far.
    pub fn costs(&self) -> Costs {
        self.desk.costs()
    }

    /// Where the film is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its number.
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

/// What the program is called, for openings.
pub fn program() -> String {
    let mut name = format!("{} {}", host::process::program(), env!("CARGO_PKG_VERSION"));
    name.truncate(name.floor_char_boundary(name.len().min(NAME_BYTES_MAX)));
    name
}
