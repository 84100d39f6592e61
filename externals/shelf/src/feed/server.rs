//! The server of a feed: offers the tags of a tree to games on other machines.

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
use super::channel::{Channel, ChannelError, FEED};
use super::message::Message;
use super::outgoing::Outgoing;
use super::strangers::Strangers;
use crate::containers::Containers;
use crate::content_key::Key;
use crate::hot_reload::TreeChanges;
use crate::limits::{FED_MAX, FEED_PULSE, FEED_STEP, FRAME_PATIENCE, LINES_MAX, TROUBLES_MAX};
use crate::load::Loaded;

/// Offers tags until the value is dropped.
#[derive(Debug)]
pub struct Server {
    shared: Arc<ServerShared>,
    address: SocketAddr,
    thread: Option<JoinHandle<()>>,
}

/// The state shared by all threads.
#[derive(Debug)]
struct ServerShared {
    secret: Secret,
    containers: Arc<Containers>,
    state: Mutex<ServerState>,
    changed: Condvar,
    strangers: Mutex<Strangers>,
    fed: AtomicUsize,
}

#[derive(Debug, Default)]
struct ServerState {
    /// The tags in force, by path.
    tags: BTreeMap<String, (Key, Arc<Packed>)>,
    bulk: BTreeMap<[u8; 32], Arc<[u8]>>,
    /// Incremented by every change.
    version: u64,
    troubles: Vec<String>,
    is_over: bool,
}

impl Server {
    /// Offers loaded tags at an address of this machine, such as `0.0.0.0:7321`, to clients that know the secret.
    ///
    /// Containers are sent to games that ask for them.
    pub fn open(
        address: &str,
        secret: Secret,
        loaded: &Loaded,
        containers: Arc<Containers>,
    ) -> Result<Server, SocketError> {
        let listener = Listener::open(address)?;
        let address = listener.address();
        let tags = loaded.tags.iter().map(|(path, tag)| (path.clone(), (tag.key, Arc::clone(&tag.packed))));
        let state = ServerState { tags: tags.collect(), bulk: loaded.bulk.clone(), ..ServerState::default() };
        let shared = Arc::new(ServerShared {
            secret,
            containers,
            state: Mutex::new(state),
            changed: Condvar::new(),
            strangers: Mutex::default(),
            fed: AtomicUsize::new(0),
        });
        let work = {
            let shared = Arc::clone(&shared);
            move || shared.listen(&listener)
        };
        let thread = thread::Builder::new().name("feed".into()).spawn(work).ok();
        Ok(Server { shared, address, thread })
    }

    /// The address it listens on.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The number of connected games.
    #[must_use]
    pub fn fed(&self) -> usize {
        self.shared.fed.load(Ordering::Relaxed)
    }

    /// Offers changes. Does not wait for the network.
    pub fn offer(&self, news: &TreeChanges) {
        if news.ready.is_empty() && news.bulk.is_empty() {
            return;
        }
        let mut state = self.shared.lock();
        for ready in &news.ready {
            state.tags.insert(ready.path.as_str().to_string(), (ready.key, Arc::clone(&ready.packed)));
        }
        for (digest, bytes) in &news.bulk {
            state.bulk.insert(*digest, Arc::clone(bytes));
        }
        state.version += 1;
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Problems since the last call: rejected callers, broken connections.
    #[must_use]
    pub fn take_troubles(&self) -> Vec<String> {
        std::mem::take(&mut self.shared.lock().troubles)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl ServerShared {
    fn listen(self: &Arc<ServerShared>, listener: &Listener) {
        let mut threads: Vec<JoinHandle<()>> = Vec::new();
        while !self.lock().is_over {
            threads.retain(|thread| !thread.is_finished());
            match listener.accept(FEED_STEP) {
                Ok(Some(connection)) if threads.len() < LINES_MAX => threads.extend(self.welcome(connection)),
                // Turned-out strangers are still leaving.
                Ok(Some(connection)) => self.trouble(format!("{}: rejected: too many connections", connection.peer())),
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

    /// Starts a thread for a caller, if the limits allow it.
    fn welcome(self: &Arc<ServerShared>, connection: Connection) -> Option<JoinHandle<()>> {
        let peer = connection.peer();
        if self.fed.load(Ordering::Relaxed) >= FED_MAX {
            self.trouble(format!("{peer}: rejected: too many games"));
            return None;
        }
        let (number, turned_out) = self.strangers().admit(peer, connection.twin().ok()?);
        if let Some(turned_out) = turned_out {
            self.trouble(format!(
                "{turned_out}: turned out for another caller: it has not shown that it knows the secret"
            ));
        }
        let shared = Arc::clone(self);
        let work = move || {
            let line = Channel::answer(connection, FEED, &shared.secret);
            shared.strangers().leave(number);
            let fed = line.and_then(|line| {
                shared.fed.fetch_add(1, Ordering::Relaxed);
                let fed = shared.feed(line);
                shared.fed.fetch_sub(1, Ordering::Relaxed);
                fed
            });
            if let Err(error) = fed {
                shared.trouble(format!("{peer}: {error}"));
            }
        };
        let thread = thread::Builder::new().name("feed line".into()).spawn(work);
        if thread.is_err() {
            self.strangers().leave(number);
        }
        thread.ok()
    }

    fn strangers(&self) -> MutexGuard<'_, Strangers> {
        self.strangers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends the tags that differ from the game's, until the server stops.
    fn feed(&self, mut line: Channel) -> Result<(), ChannelError> {
        let first = line.receive(FRAME_PATIENCE)?.unwrap_or_default();
        let Some(Message::Have(rows)) = Message::read(&first) else {
            return Err(ChannelError::Forged("the game did not list its tags"));
        };
        let mut fed = GameContent { has: rows.into_iter().collect(), bulk: BTreeSet::new() };
        let mut version = None;
        let mut outgoing = Outgoing::default();
        loop {
            let Some(next) = self.next(version, &mut fed, outgoing.is_empty()) else { return Ok(()) };
            version = Some(next.version);
            for bulk in &next.bulk {
                line.send(&Message::Bulk(bulk).write())?;
            }
            for (path, key, packed) in &next.tags {
                line.send(&Message::Tag { path, key: *key, packed: packed.bytes() }.write())?;
            }
            outgoing.send_some(&mut line, &self.containers)?;
            line.send(&Message::Here.write())?;
            // A game that vanished or cannot keep up is detected here.
            let answer = self.receive(&mut line)?;
            let Some(Message::Got(wanted)) = Message::read(&answer) else {
                return Err(ChannelError::Forged("the game did not answer"));
            };
            outgoing.add(wanted)?;
        }
    }

    fn receive(&self, line: &mut Channel) -> Result<Vec<u8>, ChannelError> {
        let end = Instant::now() + FRAME_PATIENCE;
        loop {
            if let Some(answer) = line.receive(FEED_STEP)? {
                return Ok(answer);
            }
            if Instant::now() >= end || self.lock().is_over {
                return Err(ChannelError::Forged("the game stopped answering"));
            }
        }
    }

    /// Waits for a change, or for the next keep-alive, and returns the tags to send. None when the server stops. Does
    /// not wait if there is something else to send.
    fn next(&self, version: Option<u64>, game: &mut GameContent, may_wait: bool) -> Option<Delivery> {
        let end = Instant::now() + FEED_PULSE;
        let mut state = self.lock();
        while !state.is_over && version == Some(state.version) {
            let left = end.saturating_duration_since(Instant::now());
            if left == Duration::ZERO || !may_wait {
                return Some(Delivery { version: state.version, tags: Vec::new(), bulk: Vec::new() });
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

    fn lock(&self) -> MutexGuard<'_, ServerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The tags and bulk data that a game is known to have.
struct GameContent {
    has: BTreeMap<u64, Key>,
    bulk: BTreeSet<[u8; 32]>,
}

/// One batch of tags and bulk data to send.
struct Delivery {
    version: u64,
    tags: Vec<(String, Key, Arc<Packed>)>,
    bulk: Vec<Arc<[u8]>>,
}

impl GameContent {
    /// The tags that differ, among those the game has and those they lead to.
    fn next(&mut self, state: &ServerState) -> Delivery {
        let mut next = Delivery { version: state.version, tags: Vec::new(), bulk: Vec::new() };
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
