//! Content: the tags that are in force, and those that are to come.
//!
//! A changed tag comes from a feed (a tree that is watched, another machine), waits here, and is offered to the world as an
//! input of the player who feeds content: "from this safe cycle on, this tag is that version". The input carries only the
//! version's key; so films and crash reports stay small, and find the version itself where it is kept.
//!
//! Laws
//! 1. The library changes at the start of a safe cycle, by inputs, and in no other way.
//! 2. A version that an input names is one that waits here, or is fetched by its key. If nobody has it, the tag stays what it
//!    was, and that is told.
//! 3. Nothing here waits for a disk or a network, but for replays and loads.

use std::collections::{BTreeMap, VecDeque, btree_map};
use std::path::Path;
use std::sync::Arc;

use base::StringId;
use relay::limits::{CONTENT_PLAYER, EVENTS_PER_BATCH_MAX};
use relay::{Event, Sealed};
use shelf::headers;
use shelf::kept::Kept;
use tags::library::{Change, Changed, Ready};
use tags::{Classes, Library};

use crate::game::GameEntry;

/// Where a program keeps what it makes by itself.
pub(crate) const FOLDER: &str = ".astrarium";

/// An input that says from when on a tag is which version.
pub const TAG_CHANGED: StringId = StringId::new("astrarium tag changed");

/// So many versions that entered the world are kept at most; of more, the oldest are fetched again when they are needed.
const ENTERED_MAX: usize = 4096;

/// Where changed tags come from. Never waits.
pub trait Feed: Send {
    /// What has come since the last time.
    fn poll(&mut self) -> Arrivals;

    /// A version by its key, from where versions are kept. Only a replay asks: this may wait for a disk.
    fn fetch(&mut self, change: Change) -> Option<Ready>;

    /// All tags of a content that was in force some time. Only whoever loads a world asks: this may wait for a disk.
    fn content_of(&mut self, identity: u64) -> Option<Vec<Ready>>;

    /// A content is in force now: it may be asked for later.
    fn keep(&mut self, library: &Library);

    /// Whether the tags that it began with are those that are edited, so that a world that is loaded shall get them.
    fn is_followed(&self) -> bool {
        true
    }
}

/// Nothing comes, but versions that came once are remembered: for the saves and crash reports of a game that was fed.
pub(crate) struct Remembered {
    pub(crate) kept: Kept,
}

impl Feed for Remembered {
    fn poll(&mut self) -> Arrivals {
        Arrivals::default()
    }

    fn fetch(&mut self, change: Change) -> Option<Ready> {
        self.kept.fetch(change)
    }

    fn content_of(&mut self, identity: u64) -> Option<Vec<Ready>> {
        self.kept.content_of(identity)
    }

    /// What is part of the program, or is only looked at, need not be kept.
    fn keep(&mut self, _: &Library) {}

    fn is_followed(&self) -> bool {
        false
    }
}

/// What a feed brings.
#[derive(Debug, Default)]
pub struct Arrivals {
    /// Tags that have changed.
    pub tags: Vec<Ready>,
    /// Bulk data that they name, by digest.
    pub bulk: Vec<([u8; 32], Arc<[u8]>)>,
    /// What people should know: what is wrong with a file, what is right again.
    pub lines: Vec<String>,
}

/// The tags of a session.
pub struct Content {
    library: Library,
    classes: Arc<Classes>,
    feed: Option<Box<dyn Feed>>,
    waiting: BTreeMap<(StringId, u128), Ready>,
    /// What the feed has, as far as it has told: the files as they are now.
    present: BTreeMap<StringId, Ready>,
    /// Which of them were offered to no world yet, by path, and the paths in the order in which they came.
    offered: BTreeMap<StringId, u128>,
    offers: VecDeque<StringId>,
    /// Which of them were, in order.
    entered: VecDeque<(StringId, u128)>,
    changed: Changed,
    /// What people should know.
    lines: Vec<String>,
}

impl GameEntry {
    /// The classes of its tags: those of its Rust, and those of the headers that are part of the program.
    pub fn classes(&self) -> Result<Classes, String> {
        let mut classes = (self.tags.classes)();
        let reports = headers::add_from_texts(&mut classes, self.tags.texts);
        reports.first().map_or(Ok(classes), |report| Err(report.to_string()))
    }
}

/// The tags of a level that are part of the program. What is wrong with them is an error: they are as much its own as its code.
pub(crate) fn built_in(entry: &GameEntry, level: &str) -> Result<Content, String> {
    let classes = entry.classes()?;
    let roots = (entry.tags.roots)(level);
    let roots: Vec<&str> = roots.iter().map(String::as_str).collect();
    let (tags, reports) = shelf::embedded::load(&classes, entry.tags.texts, &roots);
    if let Some(report) = reports.first() {
        return Err(report.to_string());
    }
    let classes = Arc::new(classes);
    let paths = entry.tags.texts.iter().map(|(path, _)| *path).filter(|path| !headers::is_header(path));
    let kept = Kept::new(Path::new(FOLDER), Arc::clone(&classes), paths);
    Ok(Content::new(classes, tags).with_feed(Box::new(Remembered { kept })))
}

impl Content {
    /// No tags.
    pub fn none() -> Content {
        Content::new(Arc::new(Classes::new()), [])
    }

    /// These tags.
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
            entered: VecDeque::new(),
            changed: Changed::default(),
            lines: Vec::new(),
        }
    }

    /// The same, and from now on what a feed brings.
    #[must_use]
    pub fn with_feed(mut self, mut feed: Box<dyn Feed>) -> Content {
        feed.keep(&self.library);
        if feed.is_followed() {
            self.present = self.library.tags().map(|ready| (ready.path.id(), ready.clone())).collect();
        }
        self.feed = Some(feed);
        self
    }

    /// The same tags; from now on whatever is not found is asked from, or comes from, another feed around the one it had.
    pub(crate) fn wrap_feed(mut self, wrap: impl FnOnce(Option<Box<dyn Feed>>) -> Box<dyn Feed>) -> Content {
        self.feed = Some(wrap(self.feed.take()));
        self
    }

    /// The tags in force.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// Adds bulk data, which tags name by its digest.
    pub fn add_bulk(&mut self, digest: [u8; 32], bytes: Arc<[u8]>) {
        self.library.add_bulk(digest, bytes);
    }

    /// The classes of the tags.
    pub fn classes(&self) -> &Arc<Classes> {
        &self.classes
    }

    /// Which tags are others since the last safe cycle.
    pub fn changed(&self) -> &Changed {
        &self.changed
    }

    /// Something could not be done.
    pub(crate) fn note(&mut self, trouble: String) {
        self.lines.push(trouble);
    }

    /// What people should know since the last call.
    pub fn take_lines(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }

    /// Offers a version of a tag: it enters the world with one of the next safe cycles.
    pub fn offer(&mut self, ready: Ready) {
        let change = Change { path: ready.path.id(), key: ready.key.half() };
        let before = self.offered.get(&change.path).copied();
        if before.is_none() && self.library.key(change.path) == Some(ready.key) {
            return;
        }
        // A tag saved twice before the world has seen the first version is offered once.
        match before {
            Some(key) => self.entered.push_back((change.path, key)),
            None => self.offers.push_back(change.path),
        }
        self.offered.insert(change.path, change.key);
        self.waiting.insert((change.path, change.key), ready);
        self.forget_entered();
    }

    /// Versions that no world has seen are never forgotten: nobody else may have them yet.
    fn forget_entered(&mut self) {
        while self.entered.len() > ENTERED_MAX {
            let Some((path, key)) = self.entered.pop_front() else { break };
            if self.offered.get(&path) != Some(&key) {
                self.waiting.remove(&(path, key));
            }
        }
    }

    /// Offers what the feed has where it is not in force: after a world was loaded, whose own content is in force at first.
    pub fn offer_present(&mut self) {
        let is_other = |ready: &&Ready| self.library.key(ready.path.id()) != Some(ready.key);
        let others: Vec<Ready> = self.present.values().filter(is_other).cloned().collect();
        others.into_iter().for_each(|ready| self.offer(ready));
    }

    /// The inputs of the player who feeds content, for the next safe cycle.
    pub(crate) fn gather(&mut self, events: &mut Vec<Event>) {
        let arrived = self.feed.as_mut().map(|feed| feed.poll()).unwrap_or_default();
        // Bulk that no tag names yet can be there already: nobody can see it.
        arrived.bulk.into_iter().for_each(|(digest, bytes)| self.library.add_bulk(digest, bytes));
        for ready in arrived.tags {
            self.present.insert(ready.path.id(), ready.clone());
            self.offer(ready);
        }
        self.lines.extend(arrived.lines);
        events.clear();
        while events.len() < EVENTS_PER_BATCH_MAX
            && let Some(path) = self.offers.pop_front()
        {
            let Some(key) = self.offered.remove(&path) else { continue };
            self.entered.push_back((path, key));
            events.push(Event::new(TAG_CHANGED, &Change { path, key }.words()));
        }
        self.forget_entered();
    }

    /// What was gathered did not enter: somebody else fed content for that cycle. It is offered again.
    pub(crate) fn take_back(&mut self, events: &[Event]) {
        for event in events.iter().rev() {
            let Change { path, key } = Change::from_words(&event.words);
            if let btree_map::Entry::Vacant(place) = self.offered.entry(path) {
                place.insert(key);
                self.offers.push_front(path);
            }
        }
    }

    /// The changes among the inputs of a safe cycle enter. True if there were any.
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
                None => self.lines.push(format!(
                    "the tag {} changes to version {:032x}, which is not kept here: it stays as it was",
                    self.library.path(change.path).map_or("of an unknown path", |path| path.as_str()),
                    change.key
                )),
            }
        }
        let paths: Vec<String> = tags.iter().map(|ready| ready.path.as_str().to_string()).collect();
        self.changed = self.library.apply(tags);
        let cycle = inputs.cycle();
        self.lines.extend(paths.iter().map(|path| format!("{path}: changed, from safe cycle {cycle} on")));
        if let Some(feed) = &mut self.feed {
            feed.keep(&self.library);
        }
        !self.changed.tags.is_empty()
    }

    /// Nothing has changed since the cycle before.
    pub(crate) fn settle(&mut self) {
        if !self.changed.tags.is_empty() {
            self.changed = Changed::default();
        }
    }

    /// Makes the content of an identity the one in force: of a world that was loaded or taken back.
    pub(crate) fn return_to(&mut self, identity: u64) -> Result<(), String> {
        if self.library.return_to(identity) {
            return Ok(());
        }
        let kept = self.feed.as_mut().and_then(|feed| feed.content_of(identity));
        let found = self.library.identity();
        let missing =
            || format!("it was made with content {identity:016x}, which is not kept here; this is {found:016x}");
        let mut library = Library::new();
        library.apply(kept.ok_or_else(missing)?);
        if library.identity() != identity {
            return Err(missing());
        }
        self.library.replace_by(library);
        Ok(())
    }

    /// Whether one of the tags that changed cannot take its old one's place while a level runs.
    pub(crate) fn needs_restart(&self) -> bool {
        let is_fixed = |class: &StringId| {
            let mut classes = self.classes.iter().map(|prepared| prepared.class());
            classes.any(|known| StringId::from(known.name.as_str()) == *class && !known.is_recoverable)
        };
        self.changed.classes.iter().any(is_fixed)
    }
}
