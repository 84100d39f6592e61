//! The tags in force, and the changed tags that wait to enter.
//!
//! A changed tag comes from a feed (a watched tree, another machine), waits here, and is offered to the world as an
//! input of the content player: "from this safe cycle on, this tag has that version". The input carries only the
//! version's key, so films and crash reports stay small and find the version in the store.
//!
//! Laws
//! 1. The library changes at the start of a safe cycle, by inputs only.
//! 2. An input names a version that waits here or can be fetched by its key. If it is not found, the tag stays as it
//!    was, and a notice reports it.
//! 3. Nothing here blocks on a disk or a network, except replays and loads.

use std::collections::{BTreeMap, VecDeque, btree_map};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base::StringId;
use relay::limits::{CONTENT_PLAYER, EVENTS_PER_BATCH_MAX};
use relay::{Event, Sealed};
use shelf::blocks::BlockBudgets;
use shelf::containers::Containers;
use shelf::headers;
use shelf::history::History;
use shelf::limits::BULK_BYTES_MAX;
use tags::library::{Change, Changed, Ready};
use tags::{Classes, Key, Library, Tag};

use crate::error::Error;
use crate::game::GameEntry;
use crate::objects::level_of;
use crate::vocabulary::Situation;

pub use shelf::blocks::{BlockCache, BlockCounters, BlockHandle, BlockKind, BulkHandle};

/// The folder for the files that a program creates by itself.
pub const FOLDER: &str = ".astrarium";

/// The input that puts a version of a tag in force.
pub const TAG_CHANGED: StringId = StringId::new("astrarium tag changed");

/// The ids of the paths of the tags that changed with the inputs of a safe cycle.
pub(crate) fn changes_in(inputs: &Sealed) -> impl Iterator<Item = StringId> {
    let of_content =
        inputs.events().iter().filter(|(player, event)| *player == CONTENT_PLAYER && event.kind == TAG_CHANGED);
    of_content.map(|(_, event)| Change::from_words(&event.words).path)
}

/// The maximum number of versions kept in memory after they entered the world; older ones are fetched again when
/// needed.
const ENTERED_MAX: usize = 4096;

/// The maximum number of events of developers that wait for a safe cycle.
const DEVELOPER_EVENTS_MAX: usize = 1024;

/// A source of changed tags. Polling never blocks.
pub trait Feed: Send {
    /// The changes since the last call.
    fn poll(&mut self) -> Arrivals;

    /// A version by its key, from the store. Only replays call this; it may block on a disk.
    fn fetch(&mut self, change: Change) -> Option<Ready> {
        self.history()?.fetch(change)
    }

    /// All tags of a content that was in force before. Only loading a world calls this; it may block on a disk.
    fn content_of(&mut self, identity: u64) -> Option<Vec<Ready>> {
        self.history()?.content_of(identity)
    }

    /// Called when a content enters into force, so that it can be found later.
    fn keep(&mut self, library: &Library) {
        if let Some(history) = self.history() {
            history.keep(library);
        }
    }

    /// The store of earlier versions, if there is one.
    fn history(&mut self) -> Option<&mut History> {
        None
    }

    /// Whether the tags it began with are the ones being edited, so that a loaded world should receive them.
    fn is_followed(&self) -> bool {
        true
    }
}

/// A feed without new tags that still finds stored versions: for saves and crash reports of a game whose tags were fed.
pub(crate) struct Remembered {
    pub(crate) history: History,
}

impl Feed for Remembered {
    fn poll(&mut self) -> Arrivals {
        Arrivals::default()
    }

    fn history(&mut self) -> Option<&mut History> {
        Some(&mut self.history)
    }

    /// Built-in tags, and tags that are only read, need not be stored.
    fn keep(&mut self, _: &Library) {}

    fn is_followed(&self) -> bool {
        false
    }
}

/// The result of polling a feed.
#[derive(Debug, Default)]
pub struct Arrivals {
    /// The changed tags.
    pub tags: Vec<Ready>,
    /// The resident bulk data that these tags name, by digest.
    pub bulk: Vec<([u8; 32], Arc<[u8]>)>,
    /// Whether bulk data that is read on demand has arrived or changed, so that blocks which failed may be there now.
    pub has_new_blocks: bool,
    /// Lines for people: faults found in files, and faults that were fixed.
    pub lines: Vec<String>,
}

/// The tags of a session.
pub struct Content {
    library: Library,
    classes: Arc<Classes>,
    feed: Option<Box<dyn Feed>>,
    waiting: BTreeMap<(StringId, u128), Ready>,
    /// The latest versions from the feed: the files as they are now.
    present: BTreeMap<StringId, Ready>,
    /// Versions not yet offered to the world, by path, and the paths in order of arrival.
    offered: BTreeMap<StringId, u128>,
    offers: VecDeque<StringId>,
    /// Events of developers for the next safe cycle.
    developer_events: VecDeque<Event>,
    /// The tags in force, as other threads see them.
    shared: Option<Arc<Library>>,
    /// Versions that were offered, in order.
    entered: VecDeque<(StringId, u128)>,
    changed: Changed,
    notices: Vec<Notice>,
    blocks: Arc<BlockCache>,
    /// The content as it is stored in saves, and its identity.
    pub(crate) encoded: Option<(u64, Arc<[u8]>)>,
}

/// A message for people about the tags of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A tag changed.
    Changed {
        /// Its path.
        path: String,
        /// The first safe cycle with the new version.
        safe_cycle: u64,
    },
    /// An input names a version of a tag that is not stored here. The tag stays as it was.
    VersionMissing {
        /// Its path, if the tag is known.
        path: Option<String>,
        /// The first half of the version's key.
        key: u128,
    },
    /// A line from a feed or from the session, for people only.
    Other(String),
}

impl fmt::Display for Notice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::Changed { path, safe_cycle } => write!(out, "{path}: changed, from safe cycle {safe_cycle} on"),
            Notice::VersionMissing { path, key } => write!(
                out,
                "the tag {} changes to version {key:032x}, which is not stored here; it is unchanged",
                path.as_deref().unwrap_or("of an unknown path")
            ),
            Notice::Other(line) => out.write_str(line),
        }
    }
}

impl GameEntry {
    /// The classes of the game's tags: those declared in Rust, and those of the built-in headers.
    pub fn classes(&self) -> Result<Classes, Error> {
        let mut classes = (self.tags.classes)();
        let reports = headers::add_from_texts(&mut classes, self.tags.texts);
        reports.into_iter().next().map_or(Ok(classes), |report| Err(Error::BuiltInTags(Box::new(report))))
    }
}

/// The bulk containers of a game, where no tree is open: those of its own tree, and those stored beside it.
pub(crate) fn containers_of(entry: &GameEntry) -> Arc<Containers> {
    Arc::new(match entry.tags.folder {
        Some(root) => {
            let above: Vec<PathBuf> = entry.tags.mods.iter().map(|one| one.folder.clone()).collect();
            Containers::of_tree(root, &shelf::tree::home_of(root)).with_folders(&above)
        }
        None => Containers::in_home(Path::new(FOLDER)).with_embedded(entry.tags.containers),
    })
}

/// The built-in tags of a level. A fault in them is an error, as it is in the game's code.
pub(crate) fn built_in(entry: &GameEntry, level: &str) -> Result<Content, Error> {
    let classes = entry.classes()?;
    let roots = (entry.tags.roots)(level);
    let roots: Vec<&str> = roots.iter().map(String::as_str).collect();
    let (tags, reports) = shelf::embedded::load(&classes, entry.tags.texts, &roots);
    if let Some(report) = reports.into_iter().next() {
        return Err(Error::BuiltInTags(Box::new(report)));
    }
    let classes = Arc::new(classes);
    let paths = entry.tags.texts.iter().map(|(path, _)| *path).filter(|path| !headers::is_header(path));
    let history = History::new(Path::new(FOLDER), Arc::clone(&classes), paths);
    let content = Content::new(classes, tags).with_containers(containers_of(entry));
    Ok(content.with_feed(Box::new(Remembered { history })))
}

/// The BLAKE3 digest of a bulk file, which its tag gives as `hash`.
pub fn digest_of(bytes: &[u8]) -> Key {
    shelf::content_key::of(bytes)
}

fn blocks_of(containers: Arc<Containers>) -> Arc<BlockCache> {
    Arc::new(BlockCache::new(containers, &BlockBudgets::default()))
}

impl Content {
    /// No tags.
    pub fn none() -> Content {
        Content::new(Arc::new(Classes::new()), [])
    }

    /// Content with these tags.
    pub fn new(classes: Arc<Classes>, tags: impl IntoIterator<Item = Ready>) -> Content {
        let mut library = Library::with_classes(Arc::clone(&classes));
        library.apply(tags);
        Content {
            library,
            classes,
            feed: None,
            waiting: BTreeMap::new(),
            present: BTreeMap::new(),
            offered: BTreeMap::new(),
            offers: VecDeque::new(),
            developer_events: VecDeque::new(),
            shared: None,
            entered: VecDeque::new(),
            changed: Changed::default(),
            notices: Vec::new(),
            blocks: blocks_of(Arc::new(Containers::in_home(Path::new(FOLDER)))),
            encoded: None,
        }
    }

    /// The same content with bulk data from these containers.
    #[must_use]
    pub fn with_containers(mut self, containers: Arc<Containers>) -> Content {
        self.blocks = blocks_of(containers);
        self
    }

    /// The same content with a feed of changes.
    #[must_use]
    pub fn with_feed(mut self, mut feed: Box<dyn Feed>) -> Content {
        feed.keep(&self.library);
        if feed.is_followed() {
            self.present = self.library.tags().map(|ready| (ready.path.id(), ready.clone())).collect();
        }
        self.feed = Some(feed);
        self
    }

    /// The same tags with the feed wrapped in another.
    pub(crate) fn wrap_feed(mut self, wrap: impl FnOnce(Option<Box<dyn Feed>>) -> Box<dyn Feed>) -> Content {
        self.feed = Some(wrap(self.feed.take()));
        self
    }

    /// The tags in force.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The tags in force, for other threads: a copy that shares all tags and never changes. The same one until a tag changes.
    pub fn shared(&mut self) -> Arc<Library> {
        match &self.shared {
            Some(shared) if shared.identity() == self.library.identity() => Arc::clone(shared),
            _ => Arc::clone(self.shared.insert(Arc::new(self.library.present()))),
        }
    }

    /// Offers an event of a developer, which enters the world as an input of the content player. False if too many wait.
    pub fn offer_event(&mut self, event: Event) -> bool {
        let has_room = self.developer_events.len() < DEVELOPER_EVENTS_MAX && event.kind != TAG_CHANGED;
        if has_room {
            self.developer_events.push_back(event);
        }
        has_room
    }

    /// The cache of bulk data that is read on demand, for presentation. A world cannot reach it: what a world reads of
    /// bulk data is resident, in the library.
    pub fn blocks(&self) -> &Arc<BlockCache> {
        &self.blocks
    }

    /// Adds tags before a session begins with it; later ones enter by [`Content::offer`].
    pub fn add_tags(&mut self, tags: impl IntoIterator<Item = Ready>) {
        self.library.apply(tags);
        self.settle();
    }

    /// Adds resident bulk data, which tags name by its digest.
    pub fn add_bulk(&mut self, digest: [u8; 32], bytes: Arc<[u8]>) {
        self.library.add_bulk(digest, bytes);
    }

    /// The classes of the tags.
    pub fn classes(&self) -> &Arc<Classes> {
        &self.classes
    }

    /// The tags that changed at the last safe cycle.
    pub fn changed(&self) -> &Changed {
        &self.changed
    }

    /// Adds a message for people.
    pub(crate) fn note(&mut self, trouble: String) {
        self.notices.push(Notice::Other(trouble));
    }

    /// The messages since the last call, a line each.
    pub fn take_lines(&mut self) -> Vec<String> {
        self.take_notices().iter().map(ToString::to_string).collect()
    }

    /// The messages since the last call.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        std::mem::take(&mut self.notices)
    }

    /// Offers a version of a tag: it enters the world in one of the next safe cycles.
    pub fn offer(&mut self, ready: Ready) {
        let change = Change { path: ready.path.id(), key: ready.key.half() };
        let before = self.offered.get(&change.path).copied();
        if before.is_none() && self.library.key(change.path) == Some(ready.key) {
            return;
        }
        // A tag saved twice before the first version entered is offered once.
        match before {
            Some(key) => self.entered.push_back((change.path, key)),
            None => self.offers.push_back(change.path),
        }
        self.offered.insert(change.path, change.key);
        self.waiting.insert((change.path, change.key), ready);
        self.forget_entered();
    }

    /// Drops the oldest versions that entered. Versions that have not entered stay: they may exist nowhere else.
    fn forget_entered(&mut self) {
        while self.entered.len() > ENTERED_MAX {
            let Some((path, key)) = self.entered.pop_front() else { break };
            if self.offered.get(&path) != Some(&key) {
                self.waiting.remove(&(path, key));
            }
        }
    }

    /// Offers the feed's versions that are not in force: after a load, which first puts the saved world's content in
    /// force.
    pub fn offer_present(&mut self) {
        let is_other = |ready: &&Ready| self.library.key(ready.path.id()) != Some(ready.key);
        let others: Vec<Ready> = self.present.values().filter(is_other).cloned().collect();
        others.into_iter().for_each(|ready| self.offer(ready));
    }

    /// The inputs of the content player for the next safe cycle.
    pub(crate) fn gather(&mut self, events: &mut Vec<Event>) {
        let arrived = self.feed.as_mut().map(|feed| feed.poll()).unwrap_or_default();
        // Bulk data enters at once: it has no effect until a tag names it.
        arrived.bulk.into_iter().for_each(|(digest, bytes)| self.library.add_bulk(digest, bytes));
        if arrived.has_new_blocks || !arrived.tags.is_empty() {
            self.blocks.retry_failed();
        }
        for ready in arrived.tags {
            self.present.insert(ready.path.id(), ready.clone());
            self.offer(ready);
        }
        self.notices.extend(arrived.lines.into_iter().chain(self.blocks.take_troubles()).map(Notice::Other));
        events.clear();
        let count = self.developer_events.len().min(EVENTS_PER_BATCH_MAX);
        events.extend(self.developer_events.drain(..count));
        while events.len() < EVENTS_PER_BATCH_MAX
            && let Some(path) = self.offers.pop_front()
        {
            let Some(key) = self.offered.remove(&path) else { continue };
            self.entered.push_back((path, key));
            events.push(Event::new(TAG_CHANGED, &Change { path, key }.words()));
        }
        self.forget_entered();
    }

    /// Offers gathered changes again, because another source fed content for that cycle.
    pub(crate) fn take_back(&mut self, events: &[Event]) {
        for event in events.iter().rev() {
            if event.kind != TAG_CHANGED {
                self.developer_events.push_front(*event);
                continue;
            }
            let Change { path, key } = Change::from_words(&event.words);
            if let btree_map::Entry::Vacant(place) = self.offered.entry(path) {
                place.insert(key);
                self.offers.push_front(path);
            }
        }
    }

    /// Applies the changes among the inputs of a safe cycle; returns whether there were any.
    pub(crate) fn change(&mut self, inputs: &Sealed) -> bool {
        self.changed = Changed::default();
        let of_content =
            inputs.events().iter().filter(|(player, event)| *player == CONTENT_PLAYER && event.kind == TAG_CHANGED);
        let changes: Vec<Change> = of_content.map(|(_, event)| Change::from_words(&event.words)).collect();
        if changes.is_empty() {
            return false;
        }
        let mut tags = Vec::new();
        for change in changes {
            let waiting = self.waiting.get(&(change.path, change.key)).cloned();
            let found = waiting.or_else(|| self.feed.as_mut().and_then(|feed| feed.fetch(change)));
            match found.filter(|ready| ready.path.id() == change.path && ready.key.half() == change.key) {
                Some(ready) => tags.push(ready),
                None => {
                    let path = self.library.path(change.path).map(|path| path.as_str().to_string());
                    self.notices.push(Notice::VersionMissing { path, key: change.key });
                }
            }
        }
        let paths: Vec<String> = tags.iter().map(|ready| ready.path.as_str().to_string()).collect();
        self.find_bulk(&tags);
        self.changed = self.library.apply(tags);
        let cycle = inputs.cycle();
        self.notices.extend(paths.into_iter().map(|path| Notice::Changed { path, safe_cycle: cycle }));
        if let Some(feed) = &mut self.feed {
            feed.keep(&self.library);
        }
        !self.changed.tags.is_empty()
    }

    /// Clears the list of changed tags.
    pub(crate) fn settle(&mut self) {
        if !self.changed.tags.is_empty() {
            self.changed = Changed::default();
        }
    }

    /// Puts the content with this identity in force: for a world that was loaded or rolled back.
    pub(crate) fn return_to(&mut self, identity: u64) -> Result<(), Error> {
        if self.library.return_to(identity) {
            return Ok(());
        }
        let kept = self.feed.as_mut().and_then(|feed| feed.content_of(identity));
        let in_force = self.library.identity();
        let missing = || Error::ContentMissing { identity, in_force };
        let kept = kept.ok_or_else(missing)?;
        self.find_bulk(&kept);
        let mut library = Library::with_classes(Arc::clone(&self.classes));
        library.apply(kept);
        if library.identity() != identity {
            return Err(missing());
        }
        self.library.replace_by(library);
        Ok(())
    }

    /// Adds the resident bulk data of versions of tags that come from a store or a film, and says where the rest may be.
    fn find_bulk(&mut self, tags: &[Ready]) {
        for ready in tags {
            self.blocks.containers().add_version(ready.path.as_str(), &ready.packed);
            for file in ready.packed.files().filter(|file| file.is_resident && file.digest != [0; 32]) {
                if self.library.has_bulk(&file.digest) {
                    continue;
                }
                match self.blocks.containers().read(&Key(file.digest), BULK_BYTES_MAX) {
                    Ok(bytes) => self.library.add_bulk(file.digest, bytes),
                    Err(error) => {
                        let line = format!("{}: its bulk data `{}`: {error}", ready.path, file.file);
                        self.notices.push(Notice::Other(line));
                    }
                }
            }
        }
    }

    /// Whether the classes of its tags are those of another content.
    pub(crate) fn has_classes_of(&self, other: &Content) -> bool {
        let print = |classes: &Classes, name: &str| classes.get(name).map(|class| class.fingerprint());
        self.library.tags().all(|ready| {
            let class = self.library.class_of(ready.path.id()).map_or("", |class| class.name.as_str());
            print(&self.classes, class) == print(&other.classes, class)
        })
    }

    /// Makes a content known that was in force elsewhere, so that it can be returned to. Its tags must have the classes of this content.
    pub(crate) fn remember(&mut self, library: &Library) {
        let before = self.library.identity();
        let tags: Vec<Ready> = library.tags().cloned().collect();
        self.find_bulk(&tags);
        let mut other = Library::with_classes(Arc::clone(&self.classes));
        other.apply(tags);
        self.library.replace_by(other);
        // It was in force a moment ago, so the library still keeps it.
        self.library.return_to(before);
    }

    /// Whether the tags that it began with are the ones being edited.
    pub(crate) fn is_followed(&self) -> bool {
        self.feed.as_ref().is_some_and(|feed| feed.is_followed())
    }

    /// Whether one of these tags cannot change while a level runs.
    pub(crate) fn has_fixed(&self, tags: &[StringId]) -> bool {
        let class = |tag: &StringId| self.library.class_of(*tag).map(|class| class.name.clone());
        tags.iter()
            .filter_map(class)
            .any(|name| self.classes.get(&name).is_some_and(|class| !class.class().is_recoverable))
    }

    /// Whether one of the changed tags cannot be replaced while this level runs. A situation matters only to itself.
    pub(crate) fn needs_restart(&self, level: &str) -> bool {
        let situation = StringId::from(Situation::CLASS);
        let is_played = |tag: &StringId| {
            self.library
                .path(*tag)
                .is_some_and(|path| path.class() == Situation::CLASS && level_of(path.as_str()) == Some(level))
        };
        let is_elsewhere = |class: &StringId| *class == situation && !self.changed.tags.iter().any(is_played);
        let is_fixed = |class: &StringId| {
            let mut classes = self.classes.iter().map(|prepared| prepared.class());
            classes.any(|known| StringId::from(known.name.as_str()) == *class && !known.is_recoverable)
        };
        self.changed.classes.iter().any(|class| is_fixed(class) && !is_elsewhere(class))
    }
}
