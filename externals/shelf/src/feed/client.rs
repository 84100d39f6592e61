//! The client of a feed: a game that receives changed tags from another machine.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use host::sockets::Connection;
use tags::library::Ready;
use tags::packed::{Damage, Packed};
use tags::path::TagPathError;
use tags::{Classes, Library, TagPath};

use super::Secret;
use super::channel::{Channel, ChannelError, FEED};
use super::incoming::Incoming;
use super::message::Message;
use crate::containers::Containers;
use crate::content_key::Key;
use crate::limits::{
    CALL_AGAIN, FED_WAITING_BYTES_MAX, FEED_PULSE, FEED_STEP, FRAME_PATIENCE, GREETING_PATIENCE, LOADED_TAGS_MAX,
    TROUBLES_MAX,
};

/// What has arrived since the last poll.
#[derive(Debug, Default)]
pub struct Fed {
    /// Resident bulk data by digest; to be added before the tags.
    pub bulk: Vec<([u8; 32], Arc<[u8]>)>,
    /// The digests of containers that were stored.
    pub containers: Vec<Key>,
    /// New versions of tags, and new tags.
    pub ready: Vec<Ready>,
    /// Problems of the connection or of received tags.
    pub troubles: Vec<String>,
}

/// A connection to a feed, kept up until the value is dropped.
#[derive(Debug)]
pub struct Client {
    shared: Arc<ClientShared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct ClientShared {
    address: String,
    secret: Secret,
    classes: Arc<Classes>,
    containers: Arc<Containers>,
    state: Mutex<ClientState>,
}

#[derive(Debug, Default)]
struct ClientState {
    fed: Fed,
    /// The places of waiting tags, by the ids of their paths.
    places: BTreeMap<u64, usize>,
    /// The bytes of what waits.
    waiting_bytes: usize,
    is_connected: bool,
    is_over: bool,
    /// For closing the connection at once.
    connection: Option<Connection>,
}

impl ClientState {
    /// Adds a tag, in the place of its waiting version if there is one.
    fn add(&mut self, id: u64, ready: Ready) {
        let place = self.places.get(&id).and_then(|place| self.fed.ready.get_mut(*place));
        match place {
            Some(place) => *place = ready,
            None => {
                self.places.insert(id, self.fed.ready.len());
                self.fed.ready.push(ready);
            }
        }
    }
}

/// Why a received tag is refused.
#[derive(Debug)]
enum ReceivedError {
    Path(TagPathError),
    NoClass { path: TagPath },
    Damaged { path: TagPath, damage: Damage },
}

impl fmt::Display for ReceivedError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReceivedError::Path(error) => error.fmt(out),
            ReceivedError::NoClass { path } => write!(out, "{path}: this game has no class `{}`", path.class()),
            ReceivedError::Damaged { path, damage } => write!(out, "{path}: {damage}; the game keeps its version"),
        }
    }
}

impl Client {
    /// Connects to a server, again after every failure, for tags of these classes. The library holds the versions that
    /// the game has now. Containers that the game does not have are stored among `containers`.
    #[must_use]
    pub fn begin(
        address: &str,
        secret: Secret,
        classes: Arc<Classes>,
        library: &Library,
        containers: Arc<Containers>,
    ) -> Client {
        library.tags().for_each(|ready| containers.set_tag(ready.path.as_str(), &ready.packed));
        // Until the server says otherwise.
        containers.missing().into_iter().for_each(|digest| containers.set_expected(digest, true));
        let has = library.tags().map(|ready| (ready.path.id().number(), ready.key)).collect();
        let state = Mutex::new(ClientState::default());
        let shared = Arc::new(ClientShared { address: address.to_string(), secret, classes, containers, state });
        let work = {
            let shared = Arc::clone(&shared);
            move || shared.run(has)
        };
        let thread = thread::Builder::new().name("fed".into()).spawn(work);
        if let Err(error) = &thread {
            shared.lock().fed.troubles.push(format!("the feed cannot be started: {error}"));
        }
        Client { shared, thread: thread.ok() }
    }

    /// What has arrived since the last call. Does not wait.
    #[must_use]
    pub fn poll(&mut self) -> Fed {
        let mut state = self.shared.lock();
        state.places.clear();
        state.waiting_bytes = 0;
        std::mem::take(&mut state.fed)
    }

    /// Whether the connection is open.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.shared.lock().is_connected
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let mut state = self.shared.lock();
        state.is_over = true;
        if let Some(connection) = &state.connection {
            connection.close();
        }
        drop(state);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl ClientShared {
    fn run(&self, mut has: BTreeMap<u64, Key>) {
        let mut last_trouble = String::new();
        while !self.lock().is_over {
            let Err(error) = self.call(&mut has) else { return };
            let mut state = self.lock();
            (state.is_connected, state.connection) = (false, None);
            let trouble = format!("the feed at {}: {error}", self.address);
            // An unreachable server is reported once, not every second.
            if !state.is_over && trouble != last_trouble && state.fed.troubles.len() < TROUBLES_MAX {
                state.fed.troubles.push(trouble.clone());
            }
            last_trouble = trouble;
            drop(state);
            self.rest(CALL_AGAIN);
        }
    }

    /// Connects, and receives until the connection fails or the client is dropped.
    fn call(&self, has: &mut BTreeMap<u64, Key>) -> Result<(), ChannelError> {
        let connection = Connection::open(&self.address, GREETING_PATIENCE)?;
        let mut line = Channel::call(connection, FEED, &self.secret)?;
        line.send(&Message::Have(has.iter().map(|(path, key)| (*path, *key)).collect()).write())?;
        let twin = line.twin()?;
        let mut state = self.lock();
        (state.is_connected, state.connection) = (true, Some(twin));
        drop(state);
        let mut incoming = Incoming::new(Arc::clone(&self.containers));
        let mut last = Instant::now();
        while !self.lock().is_over {
            if self.lock().waiting_bytes > FED_WAITING_BYTES_MAX {
                self.rest(FEED_STEP);
                continue;
            }
            match line.receive(FEED_PULSE)? {
                Some(message) => {
                    last = Instant::now();
                    if self.take(&message, has, &mut incoming)? {
                        line.send(&Message::Got(incoming.ask()).write())?;
                    }
                }
                None if last.elapsed() > FRAME_PATIENCE => {
                    return Err(ChannelError::Forged("the server has gone silent"));
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Handles a message. Returns whether it expects an answer.
    fn take(
        &self,
        message: &[u8],
        has: &mut BTreeMap<u64, Key>,
        incoming: &mut Incoming,
    ) -> Result<bool, ChannelError> {
        match Message::read(message) {
            Some(Message::Here) => return Ok(true),
            Some(Message::Bulk(bytes)) => {
                let (digest, stored) = incoming.store(bytes);
                let mut state = self.lock();
                state.waiting_bytes += bytes.len();
                state.fed.bulk.push((digest.0, Arc::from(bytes)));
                drop(state);
                // A failed write costs only later replays.
                if let Err(trouble) = stored {
                    self.trouble(trouble);
                }
            }
            Some(Message::Piece { digest, total, bytes }) => match incoming.piece(digest, total, bytes)? {
                Ok(whole) => self.lock().fed.containers.extend(whole),
                Err(trouble) => self.trouble(trouble),
            },
            Some(Message::Absent(digest)) => self.trouble(incoming.absent(digest)),
            Some(Message::Tag { path, key, packed }) => match self.check(path, key, packed) {
                Ok(ready) => {
                    let id = ready.path.id().number();
                    has.insert(id, key);
                    if has.len() > LOADED_TAGS_MAX {
                        return Err(ChannelError::Forged("the server sent more tags than a game can have"));
                    }
                    incoming.want_of(ready.path.as_str(), &ready.packed);
                    let mut state = self.lock();
                    state.waiting_bytes += packed.len();
                    state.add(id, ready);
                }
                Err(error) => self.trouble(error.to_string()),
            },
            _ => return Err(ChannelError::Forged("the server sent a message that this version does not understand")),
        }
        Ok(false)
    }

    fn check(&self, path: &str, key: Key, packed: &[u8]) -> Result<Ready, ReceivedError> {
        let path = TagPath::new(path).map_err(ReceivedError::Path)?;
        let class = self.classes.get(path.class());
        let Some(class) = class else { return Err(ReceivedError::NoClass { path }) };
        match Packed::check(packed, class.class()) {
            Ok(packed) => Ok(Ready { path, key, packed: Arc::new(packed) }),
            Err(damage) => Err(ReceivedError::Damaged { path, damage }),
        }
    }

    fn trouble(&self, trouble: String) {
        let mut state = self.lock();
        if state.fed.troubles.len() < TROUBLES_MAX {
            state.fed.troubles.push(trouble);
        }
    }

    fn rest(&self, duration: Duration) {
        let end = Instant::now() + duration;
        while Instant::now() < end && !self.lock().is_over {
            thread::sleep(FEED_STEP.min(end.saturating_duration_since(Instant::now())));
        }
    }

    fn lock(&self) -> MutexGuard<'_, ClientState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
