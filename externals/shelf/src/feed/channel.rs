//! An authenticated connection.
//!
//! Handshake: the caller sends the eight letters of its protocol, a version and a nonce; the callee answers with its own nonce and a proof;
//! the caller answers with a proof. Nonces are 32 random bytes, proofs are keyed BLAKE3 over the role and both nonces.
//! Each direction gets a key derived in the same way.
//!
//! A frame is its length (with the highest bit set if the message continues in the next frame), its bytes, and a MAC
//! over its number, length and bytes.

use std::io;
use std::time::{Duration, Instant};

use host::sockets::{Connection, SocketError};

use super::Secret;
use crate::content_key::{is_same_proof, proof};
use crate::limits::{FRAME_BYTES_MAX, FRAME_PATIENCE, GREETING_PATIENCE, MESSAGE_BYTES_MAX};

/// What is spoken over a connection: eight letters, which the caller sends first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Protocol(pub [u8; 8]);

/// Changed tags for a running game.
pub const FEED: Protocol = Protocol(*b"ASTRFEED");

const VERSION: u32 = 2;
const GOES_ON: u32 = 1 << 31;

/// A connection to an authenticated peer.
#[derive(Debug)]
pub struct Channel {
    connection: Connection,
    outwards: Direction,
    inwards: Direction,
    /// The message being received.
    received: Vec<u8>,
    /// The longest message that is received.
    bytes_max: usize,
}

/// The key and frame counter of one direction.
#[derive(Debug)]
struct Direction {
    key: [u8; 32],
    frames: u64,
}

/// Why a connection ended.
#[derive(Debug)]
pub enum ChannelError {
    /// A network error.
    Socket(SocketError),
    /// The peer speaks another protocol or version, or does not know the secret.
    Stranger(&'static str),
    /// A frame was tampered with or is too large.
    Forged(&'static str),
    /// The system has no random numbers.
    Chance(io::Error),
}

impl std::fmt::Display for ChannelError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ChannelError::Socket(error) => error.fmt(formatter),
            ChannelError::Stranger(why) | ChannelError::Forged(why) => formatter.write_str(why),
            ChannelError::Chance(error) => write!(formatter, "no random numbers for the handshake: {error}"),
        }
    }
}

impl From<SocketError> for ChannelError {
    fn from(error: SocketError) -> ChannelError {
        ChannelError::Socket(error)
    }
}

impl std::error::Error for ChannelError {}

const OTHER_PROTOCOL: ChannelError = ChannelError::Stranger("the peer does not speak this protocol in this version");
const OTHER_SECRET: ChannelError =
    ChannelError::Stranger("the peer does not know the secret: give both sides the same");

impl Channel {
    /// Connects as the caller.
    pub fn call(mut connection: Connection, protocol: Protocol, secret: &Secret) -> Result<Channel, ChannelError> {
        let end = Instant::now() + GREETING_PATIENCE;
        let ours = draw()?;
        connection.write_all(&[&protocol.0[..], &VERSION.to_le_bytes(), &ours].concat(), left(end))?;
        let mut answer = [0; 64];
        connection.read_exactly(&mut answer, left(end)).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => OTHER_PROTOCOL,
            _ => ChannelError::Socket(error),
        })?;
        let (theirs, shown) = halves(&answer);
        if !is_same_proof(&shown, &proof(&secret.key, &[b"called", &ours, &theirs])) {
            return Err(OTHER_SECRET);
        }
        connection.write_all(&proof(&secret.key, &[b"caller", &ours, &theirs]), left(end))?;
        let way = |name: &[u8]| Direction { key: proof(&secret.key, &[name, &ours, &theirs]), frames: 0 };
        Ok(Channel {
            connection,
            outwards: way(b"outwards"),
            inwards: way(b"inwards!"),
            received: Vec::new(),
            bytes_max: MESSAGE_BYTES_MAX,
        })
    }

    /// Accepts as the callee.
    pub fn answer(mut connection: Connection, protocol: Protocol, secret: &Secret) -> Result<Channel, ChannelError> {
        let end = Instant::now() + GREETING_PATIENCE;
        let mut greeting = [0; 44];
        connection.read_exactly(&mut greeting, left(end))?;
        let is_ours = greeting[..8] == protocol.0 && greeting[8..12] == VERSION.to_le_bytes();
        if !is_ours {
            return Err(OTHER_PROTOCOL);
        }
        let mut theirs = [0; 32];
        theirs.copy_from_slice(&greeting[12..]);
        let ours = draw()?;
        let shown = proof(&secret.key, &[b"called", &theirs, &ours]);
        connection.write_all(&[ours, shown].concat(), left(end))?;
        let mut answer = [0; 32];
        connection.read_exactly(&mut answer, left(end)).map_err(|error| match error.kind() {
            // A peer that rejects our proof closes the connection.
            io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => OTHER_SECRET,
            _ => ChannelError::Socket(error),
        })?;
        if !is_same_proof(&answer, &proof(&secret.key, &[b"caller", &theirs, &ours])) {
            return Err(OTHER_SECRET);
        }
        let way = |name: &[u8]| Direction { key: proof(&secret.key, &[name, &theirs, &ours]), frames: 0 };
        Ok(Channel {
            connection,
            outwards: way(b"inwards!"),
            inwards: way(b"outwards"),
            received: Vec::new(),
            bytes_max: MESSAGE_BYTES_MAX,
        })
    }

    /// Receives shorter messages only: no memory is taken for a longer one, which ends the connection.
    #[must_use]
    pub fn with_messages_of(self, bytes_max: usize) -> Channel {
        Channel { bytes_max: bytes_max.min(MESSAGE_BYTES_MAX), ..self }
    }

    /// Sends a message in as many frames as it needs.
    pub fn send(&mut self, message: &[u8]) -> Result<(), ChannelError> {
        if message.len() > MESSAGE_BYTES_MAX {
            return Err(ChannelError::Forged("a message is too large to be sent"));
        }
        let mut frames = message.chunks(FRAME_BYTES_MAX).peekable();
        // An empty message has one frame too.
        let mut next = Some(frames.next().unwrap_or(&[]));
        while let Some(frame) = next {
            next = frames.next();
            let length = u32::try_from(frame.len()).unwrap_or(0) | if next.is_some() { GOES_ON } else { 0 };
            let head = length.to_le_bytes();
            let shown = self.outwards.prove(head, frame);
            self.connection.write_all(&[&head[..], frame, &shown].concat(), FRAME_PATIENCE)?;
        }
        Ok(())
    }

    /// The next message, if one begins within this time; otherwise none, and nothing is lost.
    pub fn receive(&mut self, patience: Duration) -> Result<Option<Vec<u8>>, ChannelError> {
        let mut patience = patience;
        loop {
            let mut first = [0; 1];
            match self.connection.read_some(&mut first, patience) {
                Ok(0) => return Err(ChannelError::Forged("the peer closed the connection")),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::TimedOut && self.received.is_empty() => return Ok(None),
                Err(error) => return Err(error.into()),
            }
            if !self.frame(first[0])? {
                return Ok(Some(std::mem::take(&mut self.received)));
            }
            patience = FRAME_PATIENCE;
        }
    }

    /// Receives the rest of a frame. Returns whether the message continues.
    fn frame(&mut self, first: u8) -> Result<bool, ChannelError> {
        let end = Instant::now() + FRAME_PATIENCE;
        let mut head = [first, 0, 0, 0];
        self.connection.read_exactly(&mut head[1..], left(end))?;
        let word = u32::from_le_bytes(head);
        let length = usize::try_from(word & !GOES_ON).unwrap_or(usize::MAX);
        if length > FRAME_BYTES_MAX || self.received.len() + length > self.bytes_max {
            return Err(ChannelError::Forged("a message is larger than allowed"));
        }
        let start = self.received.len();
        self.received.resize(start + length, 0);
        self.connection.read_exactly(&mut self.received[start..], left(end))?;
        let mut shown = [0; 32];
        self.connection.read_exactly(&mut shown, left(end))?;
        if !is_same_proof(&shown, &self.inwards.prove(head, &self.received[start..])) {
            return Err(ChannelError::Forged("a frame was altered on the way"));
        }
        Ok(word & GOES_ON != 0)
    }

    /// A second handle to the connection, for closing it from another thread.
    pub fn twin(&self) -> Result<Connection, ChannelError> {
        Ok(self.connection.twin()?)
    }
}

impl Direction {
    fn prove(&mut self, head: [u8; 4], frame: &[u8]) -> [u8; 32] {
        let number = self.frames.to_le_bytes();
        self.frames += 1;
        proof(&self.key, &[&number, &head, frame])
    }
}

fn draw() -> Result<[u8; 32], ChannelError> {
    let mut number = [0; 32];
    host::chance::fill(&mut number).map_err(ChannelError::Chance)?;
    Ok(number)
}

fn left(end: Instant) -> Duration {
    end.saturating_duration_since(Instant::now())
}

fn halves(bytes: &[u8; 64]) -> ([u8; 32], [u8; 32]) {
    let (mut first, mut second) = ([0; 32], [0; 32]);
    first.copy_from_slice(&bytes[..32]);
    second.copy_from_slice(&bytes[32..]);
    (first, second)
}
