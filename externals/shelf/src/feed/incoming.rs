//! The containers that a game asks for and receives, over one connection.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use tags::packed::Packed;

use super::channel::ChannelError;
use crate::containers::{Containers, IncomingContainer};
use crate::content_key::{self, Key};
use crate::limits::{BULK_BYTES_MAX, STORED_UNASKED_BYTES_MAX, WANTED_MAX};

#[derive(Debug)]
pub(super) struct Incoming {
    containers: Arc<Containers>,
    /// Not asked for yet.
    wanted: VecDeque<Key>,
    /// Everything that was wanted, so that nothing is asked for twice.
    known: BTreeSet<Key>,
    /// The one that is arriving; without a file if it cannot be stored.
    current: Option<(Key, Option<IncomingContainer>)>,
    /// The bytes of resident data that were stored since the stored containers were last limited.
    stored_bytes: u64,
}

impl Incoming {
    /// Wants the containers that the game's tags name and that are not here.
    pub(super) fn new(containers: Arc<Containers>) -> Incoming {
        let wanted = containers.missing();
        let mut incoming =
            Incoming { containers, wanted: VecDeque::new(), known: BTreeSet::new(), current: None, stored_bytes: 0 };
        wanted.into_iter().for_each(|digest| incoming.want(digest));
        incoming
    }

    /// Wants the containers that a new version of a tag names.
    pub(super) fn want_of(&mut self, path: &str, packed: &Packed) {
        self.containers.set_tag(path, packed);
        for file in packed.files().filter(|file| file.digest != [0; 32]) {
            if !self.containers.has(&Key(file.digest)) {
                self.want(Key(file.digest));
            }
        }
    }

    fn want(&mut self, digest: Key) {
        if self.known.insert(digest) {
            self.containers.set_expected(digest, true);
            self.wanted.push_back(digest);
        }
    }

    /// What to ask for next.
    pub(super) fn ask(&mut self) -> Vec<Key> {
        let count = self.wanted.len().min(WANTED_MAX);
        self.wanted.drain(..count).collect()
    }

    /// Stores resident data, so that earlier versions of its tags find it. Returns its digest.
    pub(super) fn store(&mut self, bytes: &[u8]) -> (Key, Result<(), String>) {
        let digest = content_key::of(bytes);
        if self.containers.has(&digest) {
            return (digest, Ok(()));
        }
        let stored = self.containers.receive(&digest, bytes.len() as u64).and_then(|mut incoming| {
            incoming.append(bytes)?;
            incoming.finish()
        });
        self.stored_bytes += bytes.len() as u64;
        if self.stored_bytes > STORED_UNASKED_BYTES_MAX {
            self.stored_bytes = 0;
            // Old versions that could not be removed are removed next time.
            let _ = self.containers.limit();
        }
        (digest, stored.map(drop).map_err(|error| error.to_string()))
    }

    /// Takes a piece. Returns the digest of a container that is whole now, or why it cannot be used.
    pub(super) fn piece(
        &mut self,
        digest: Key,
        total: u64,
        bytes: &[u8],
    ) -> Result<Result<Option<Key>, String>, ChannelError> {
        if !self.known.contains(&digest) {
            return Err(ChannelError::Forged("the server sent bulk data that the game did not ask for"));
        }
        if self.current.as_ref().is_none_or(|(current, _)| *current != digest) {
            let begun = if total > BULK_BYTES_MAX {
                Err(format!("it has {total} bytes, and {BULK_BYTES_MAX} is the limit"))
            } else {
                self.containers.receive(&digest, total).map_err(|error| error.to_string())
            };
            match begun {
                Ok(incoming) => self.current = Some((digest, Some(incoming))),
                Err(why) => {
                    self.current = Some((digest, None));
                    return Ok(Err(self.refuse(digest, &why)));
                }
            }
        }
        let Some((_, Some(incoming))) = &mut self.current else { return Ok(Ok(None)) };
        if incoming.received() + bytes.len() as u64 > total {
            return Err(ChannelError::Forged("the server sent more of a container than it announced"));
        }
        if let Err(error) = incoming.append(bytes) {
            self.current = Some((digest, None));
            return Ok(Err(self.refuse(digest, &error.to_string())));
        }
        if incoming.received() < total {
            return Ok(Ok(None));
        }
        let finished = self.current.take().and_then(|(_, incoming)| incoming).map(IncomingContainer::finish);
        Ok(match finished {
            Some(Ok(true)) => {
                self.containers.set_expected(digest, false);
                // Old versions that could not be removed are removed next time.
                let _ = self.containers.limit();
                Ok(Some(digest))
            }
            Some(Err(error)) => Err(self.refuse(digest, &error.to_string())),
            _ => Err(self.refuse(digest, "it arrived with another hash")),
        })
    }

    /// The server does not have a container. Returns a message.
    pub(super) fn absent(&mut self, digest: Key) -> String {
        self.refuse(digest, "the other machine does not have it")
    }

    fn refuse(&mut self, digest: Key, why: &str) -> String {
        self.containers.set_expected(digest, false);
        format!("{}: {why}", self.containers.name_of(&digest))
    }
}
