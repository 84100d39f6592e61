//! Changed tags for a game on another machine, over the network, while it runs.
//!
//! Where the tree is, a [`Server`] offers what is in force; a game's [`Client`] says what it has, and is sent what differs,
//! then and from then on. A line that breaks is made again, and begins with what the game has: nothing is lost, nothing is
//! sent twice.
//!
//! Laws
//! 1. Both sides know a secret. Each proves so to the other before anything else is said, with numbers that both have just
//!    drawn, so that nothing recorded can be played again. What was said is proven too, frame by frame, in order: nobody on
//!    the way can change, add, repeat, swap or leave out a frame without the line being dropped.
//! 2. Nothing is hidden: who listens on the way reads the tags. And who records a greeting may try secrets at leisure; so a
//!    secret is long ([`new_secret`] makes one).
//! 3. Before the proof a caller costs a hundred bytes and five seconds, and there are few at a time. After it, frames and
//!    messages have limits.
//! 4. A packed tag from the network is checked as one from a foreign file is: against the class that the game has. Bulk is
//!    checked against its digest.
//! 5. The game never waits: a thread of its own listens. Where there are no sockets (wasm) there is no feed.
//! 6. A game is sent the tags it has, if they differ, and those that they lead to.

mod client;
mod line;
mod message;
mod server;

use std::fmt;
use std::io;

use crate::limits::SECRET_BYTES_LEAST;

pub use client::{Client, Fed};
pub use server::Server;

/// What both sides know.
#[derive(Clone)]
pub struct Secret {
    key: [u8; 32],
}

impl Secret {
    /// A secret as people write it. Too short a one is refused.
    pub fn new(text: &str) -> Result<Secret, String> {
        let text = text.trim();
        if text.len() < SECRET_BYTES_LEAST {
            return Err(format!(
                "a secret of at least {SECRET_BYTES_LEAST} letters is expected, this has {}; shorter ones can be guessed",
                text.len()
            ));
        }
        Ok(Secret { key: crate::key::of_secret("astrarium 2026 feed of tags", text.as_bytes()) })
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret")
    }
}

/// A new secret, for people to carry from one machine to the other.
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
