//! Who offers the tags of a tree to games on other machines.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use base::StringId;
use host::sockets::{Connection, Listener, SocketError};
use tags::packed::Packed;

use super::Secret;
use super::line::{Line, LineError};
use super::message::Message;
use crate::key::Key;
use crate::limits::{FED_MAX, FEED_PULSE, FEED_STEP, FRAME_PATIENCE, STRANGERS_MAX, TROUBLES_MAX};
use crate::living::News;
use crate::load::Loaded;

/// Offers tags. Dropping it ends that.
#[derive(Debug)]
pub struct Server {
    offer: Arc<Offer>,
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

/// What all threads share.
#[derive(Debug)]
struct Offer {
    secret: Secret,
    state: Mutex<State>,
    changed: Condvar,
    strangers: AtomicUsize,
    fed: AtomicUsize,
}

#[derive(Debug, Default)]
struct State {
    /// What is in force, by path.
    tags: BTreeMap<String, (Key, Arc<Packed>)>,
    bulk: BTreeMap<[u8; 32], Arc<[u8]>>,
    /// Grows with every change.
    version: u64,
    troubles: Vec<String>,
    is_over: bool,
}

impl Server {
    /// Offers what was loaded at an address of this machine, as in `0.0.0.0:7321`, to who knows the secret.
    pub fn open(address: &str, secret: Secret, loaded: &Loaded) -> Result<Server, SocketError> {
        let listener = Listener::open(address)?;
        let address = listener.address();
        let tags = loaded.tags.iter().map(|(path, tag)| (path.clone(), (tag.key, Arc::clone(&tag.packed))));
        let state = State { tags: tags.collect(), bulk: loaded.bulk.clone(), ..State::default() };
        let offer = Arc::new(Offer {
            secret,
            state: Mutex::new(state),
            changed: Condvar::new(),
            strangers: AtomicUsize::new(0),
            fed: AtomicUsize::new(0),
        });
        let work = {
            let offer = Arc::clone(&offer);
            move || offer.listen(&listener)
        };
        let thread = thread::Builder::new().name("feed".into()).spawn(work).ok();
        Ok(Server { offer, address, thread })
    }

    /// Where it can be called.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// How many games are fed.
    #[must_use]
    pub fn fed(&self) -> usize {
        self.offer.fed.load(Ordering::Relaxed)
    }

    /// Offers what changed. Does not wait for the network.
    pub fn offer(&self, news: &News) {
        if news.ready.is_empty() && news.bulk.is_empty() {
            return;
        }
        let mut state = self.offer.lock();
        for ready in &news.ready {
            state.tags.insert(ready.path.as_str().to_string(), (ready.key, Arc::clone(&ready.packed)));
        }
        for (digest, bytes) in &news.bulk {
            state.bulk.insert(*digest, Arc::clone(bytes));
        }
        state.version += 1;
        drop(state);
        self.offer.changed.notify_all();
    }

    /// What went wrong since the last time: who was turned away, and whose line broke.
    #[must_use]
    pub fn take_troubles(&self) -> Vec<String> {
        std::mem::take(&mut self.offer.lock().troubles)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.offer.lock().is_over = true;
        self.offer.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Offer {
    fn listen(self: &Arc<Offer>, listener: &Listener) {
        let mut threads: Vec<JoinHandle<()>> = Vec::new();
        while !self.lock().is_over {
            threads.retain(|thread| !thread.is_finished());
            match listener.accept(FEED_STEP) {
                Ok(Some(connection)) => threads.extend(self.welcome(connection)),
                Ok(None) => {}
                Err(error) => {
                    self.trouble(error.to_string());
                    thread::sleep(FEED_STEP);
                }
            }
        }
        for thread in threads {
            let _ = thread.join();
        }
    }

    /// Gives a caller a thread, if there is room.
    fn welcome(self: &Arc<Offer>, connection: Connection) -> Option<JoinHandle<()>> {
        let peer = connection.peer();
        if self.strangers.load(Ordering::Relaxed) >= STRANGERS_MAX || self.fed.load(Ordering::Relaxed) >= FED_MAX {
            self.trouble(format!("{peer}: turned away, because too many call at once"));
            return None;
        }
        self.strangers.fetch_add(1, Ordering::Relaxed);
        let offer = Arc::clone(self);
        let work = move || {
            let line = Line::answer(connection, &offer.secret);
            offer.strangers.fetch_sub(1, Ordering::Relaxed);
            offer.fed.fetch_add(1, Ordering::Relaxed);
            let fed = line.and_then(|line| offer.feed(line));
            offer.fed.fetch_sub(1, Ordering::Relaxed);
            if let Err(error) = fed {
                offer.trouble(format!("{peer}: {error}"));
            }
        };
        let thread = thread::Builder::new().name("feed line".into()).spawn(work);
        if thread.is_err() {
            self.strangers.fetch_sub(1, Ordering::Relaxed);
        }
        thread.ok()
    }

    /// Sends what differs from what the game has, until it is over.
    fn feed(&self, mut line: Line) -> Result<(), LineError> {
        let first = line.receive(FRAME_PATIENCE)?.unwrap_or_default();
        let Some(Message::Have(rows)) = Message::read(&first) else {
            return Err(LineError::Forged("the game did not say what it has"));
        };
        let mut fed = Game { has: rows.into_iter().collect(), bulk: BTreeSet::new() };
        let mut version = None;
        loop {
            let Some(next) = self.next(version, &mut fed) else { return Ok(()) };
            version = Some(next.version);
            for bulk in &next.bulk {
                line.send(&Message::Bulk(bulk).write())?;
            }
            for (path, key, packed) in &next.tags {
                line.send(&Message::Tag { path, key: *key, packed: packed.bytes() }.write())?;
            }
            line.send(&Message::Here.write())?;
            // A game that is gone, or does not keep up, is found out here.
            let answer = self.receive(&mut line)?;
            if Message::read(&answer) != Some(Message::Got) {
                return Err(LineError::Forged("the game did not answer"));
            }
        }
    }

    fn receive(&self, line: &mut Line) -> Result<Vec<u8>, LineError> {
        let end = Instant::now() + FRAME_PATIENCE;
        loop {
            if let Some(answer) = line.receive(FEED_STEP)? {
                return Ok(answer);
            }
            if Instant::now() >= end || self.lock().is_over {
                return Err(LineError::Forged("the game does not answer any more"));
            }
        }
    }

    /// Waits for a change, or for the next pulse, and gives what the game is to be sent. None when it is over.
    fn next(&self, version: Option<u64>, game: &mut Game) -> Option<Next> {
        let end = Instant::now() + FEED_PULSE;
        let mut state = self.lock();
        while !state.is_over && version == Some(state.version) {
            let left = end.saturating_duration_since(Instant::now());
            if left == Duration::ZERO {
                return Some(Next { version: state.version, tags: Vec::new(), bulk: Vec::new() });
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        if state.is_over { None } else { Some(game.next(&state)) }
    }

    fn trouble(&self, trouble: String) {
        let mut state = self.lock();
        if state.troubles.len() < TROUBLES_MAX {
            state.troubles.push(trouble);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a game has, as far as we know.
struct Game {
    has: BTreeMap<u64, Key>,
    bulk: BTreeSet<[u8; 32]>,
}

/// What it is to be sent.
struct Next {
    version: u64,
    tags: Vec<(String, Key, Arc<Packed>)>,
    bulk: Vec<Arc<[u8]>>,
}

impl Game {
    /// What differs: among the tags it has, and those that they lead to.
    fn next(&mut self, state: &State) -> Next {
        let mut next = Next { version: state.version, tags: Vec::new(), bulk: Vec::new() };
        let id = |path: &str| StringId::from(path).number();
        let mut ways: Vec<&String> = state.tags.keys().filter(|path| self.has.contains_key(&id(path))).collect();
        let mut seen: BTreeSet<&String> = ways.iter().copied().collect();
        while let Some(path) = ways.pop() {
            let Some((key, packed)) = state.tags.get(path) else { continue };
            for link in packed.links() {
                let target = state.tags.get_key_value(link.path).map(|(path, _)| path);
                ways.extend(target.filter(|target| seen.insert(*target)));
            }
            if self.has.insert(id(path), *key) == Some(*key) {
                continue;
            }
            for file in packed.files() {
                let bytes = state.bulk.get(&file.digest).filter(|_| self.bulk.insert(file.digest));
                next.bulk.extend(bytes.map(Arc::clone));
            }
            next.tags.push((path.clone(), *key, Arc::clone(packed)));
        }
        next.tags.sort_by(|one, other| one.0.cmp(&other.0));
        next
    }
}
