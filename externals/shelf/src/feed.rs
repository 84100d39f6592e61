//! Hot reload over the network: changed tags for a game that runs on another machine.
//!
//! A [`Server`] beside the tree offers the tags in force; a game's [`Client`] sends the versions it has, and receives
//! every tag that differs, now and later. A broken connection is opened again and starts with the versions the game has
//! by then: nothing is lost or sent twice.
//!
//! Laws
//! 1. Both sides share a secret and prove that they know it before anything else is sent: mutual challenge-response
//!    with fresh nonces, so that a recording cannot be replayed. Every frame carries a MAC over its number and content:
//!    a frame that is changed, added, repeated, reordered or dropped on the network closes the connection.
//! 2. There is no encryption: an eavesdropper reads the tags, and can try secrets offline against a recorded handshake.
//!    A secret is therefore long ([`new_secret`] makes one).
//! 3. An unauthenticated caller costs a hundred bytes, a thread and five seconds, and few are admitted at a time. A new
//!    caller takes the place of the oldest one of the network with the most: so strangers cannot keep a friend out, unless
//!    they open connections faster than the friend can answer, from the friend's own network. (A cookie would add nothing:
//!    TCP has shown already that a caller receives at its address.) Afterwards frames and messages have limits.
//! 4. A packed tag from the network is validated like one from an untrusted file, against the game's class. Bulk data
//!    is checked against its digest.
//! 5. The game never blocks: a background thread receives. Without sockets (wasm) there is no feed.
//! 6. Containers are sent in pieces, after the tags that name them and only if the game asks for them. Between a few
//!    pieces, changed tags are sent: a large container delays none of them. The game stores a container when it is
//!    whole and has its digest.
//! 7. Also a server that knows the secret cannot fill the memory or the disk of a game: what waits for the game has a limit,
//!    and so have its tags and its stored containers.
//! 8. A game receives the tags it has, if they differ, and the tags that these refer to.

pub mod channel;

mod client;
mod incoming;
mod message;
mod outgoing;
mod server;
pub mod strangers;

use std::error::Error;
use std::fmt;
use std::io;

use crate::limits::SECRET_BYTES_LEAST;

pub use client::{Client, Fed};
pub use server::Server;

/// The secret that both sides share.
#[derive(Clone)]
pub struct Secret {
    key: [u8; 32],
}

/// A secret was refused because it is too short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SecretTooShort {
    /// Its length in bytes.
    pub bytes: usize,
}

impl fmt::Display for SecretTooShort {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            out,
            "expected a secret of at least {SECRET_BYTES_LEAST} letters, found {}; shorter ones can be guessed",
            self.bytes
        )
    }
}

impl Error for SecretTooShort {}

impl Secret {
    /// A secret as people write it. One that is too short is refused.
    pub fn new(text: &str) -> Result<Secret, SecretTooShort> {
        let text = text.trim();
        if text.len() < SECRET_BYTES_LEAST {
            return Err(SecretTooShort { bytes: text.len() });
        }
        Ok(Secret { key: crate::content_key::of_secret("astrarium 2026 feed of tags", text.as_bytes()) })
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret")
    }
}

/// Whether some bytes are a message of a feed, as one behind the proof of the secret is read. For tests of the reader.
#[must_use]
pub fn is_message(bytes: &[u8]) -> bool {
    message::Message::read(bytes).is_some()
}

/// A new random secret, to be copied from one machine to the other.
pub fn new_secret() -> io::Result<String> {
    let mut bytes = [0; 20];
    host::chance::fill(&mut bytes)?;
    Ok(bytes
        .chunks(4)
        .map(|part| part.iter().map(|byte| format!("{byte:02x}")).collect())
        .collect::<Vec<String>>()
        .join("-"))
}

#[cfg(test)]
mod tests;
