//! A line on which everything is proven.
//!
//! The caller sends `ASTRFEED`, a version and a number; the called answers with a number of its own and a proof; the caller
//! answers with a proof. Numbers are 32 bytes of chance, proofs are keyed BLAKE3 over the side's name and both numbers. Each
//! direction then has a key of its own, made in the same way.
//!
//! A frame is its length (with the highest bit set if the message goes on in the next), its bytes, and a proof of
//! its number, length and bytes.

use std::io;
use std::time::{Duration, Instant};

use host::sockets::{Connection, SocketError};

use super::Secret;
use crate::key::{is_same_proof, proof};
use crate::limits::{FRAME_BYTES_MAX, FRAME_PATIENCE, GREETING_PATIENCE, MESSAGE_BYTES_MAX};

const MAGIC: &[u8; 8] = b"ASTRFEED";
const VERSION: u32 = 1;
const GOES_ON: u32 = 1 << 31;

/// A line to a peer that has proven itself.
#[derive(Debug)]
pub(super) struct Line {
    connection: Connection,
    outwards: Way,
    inwards: Way,
    /// Of the message that is being received.
    received: Vec<u8>,
}

/// One direction.
#[derive(Debug)]
struct Way {
    key: [u8; 32],
    frames: u64,
}

/// Why a line ended.
#[derive(Debug)]
pub(super) enum LineError {
    /// The network.
    Socket(SocketError),
    /// The peer is no feed of ours, or does not know the secret.
    Stranger(&'static str),
    /// What came was changed on the way, or is too large.
    Forged(&'static str),
    /// This machine cannot draw numbers.
    Chance(io::Error),
}

impl std::fmt::Display for LineError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LineError::Socket(error) => error.fmt(formatter),
            LineError::Stranger(why) | LineError::Forged(why) => formatter.write_str(why),
            LineError::Chance(error) => write!(formatter, "no number can be drawn for the greeting: {error}"),
        }
    }
}

impl From<SocketError> for LineError {
    fn from(error: SocketError) -> LineError {
        LineError::Socket(error)
    }
}

const NO_FEED: LineError = LineError::Stranger("the peer is no feed of this version");
const OTHER_SECRET: LineError = LineError::Stranger("the peer does not know the secret: give both sides the same");

impl Line {
    /// As the one who calls.
    pub(super) fn call(mut connection: Connection, secret: &Secret) -> Result<Line, LineError> {
        let end = Instant::now() + GREETING_PATIENCE;
        let ours = draw()?;
        connection.write_all(&[&MAGIC[..], &VERSION.to_le_bytes(), &ours].concat(), left(end))?;
        let mut answer = [0; 64];
        connection.read_exactly(&mut answer, left(end)).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => NO_FEED,
            _ => LineError::Socket(error),
        })?;
        let (theirs, shown) = halves(&answer);
        if !is_same_proof(&shown, &proof(&secret.key, &[b"called", &ours, &theirs])) {
            return Err(OTHER_SECRET);
        }
        connection.write_all(&proof(&secret.key, &[b"caller", &ours, &theirs]), left(end))?;
        let way = |name: &[u8]| Way { key: proof(&secret.key, &[name, &ours, &theirs]), frames: 0 };
        Ok(Line { connection, outwards: way(b"outwards"), inwards: way(b"inwards!"), received: Vec::new() })
    }

    /// As the one who is called.
    pub(super) fn answer(mut connection: Connection, secret: &Secret) -> Result<Line, LineError> {
        let end = Instant::now() + GREETING_PATIENCE;
        let mut greeting = [0; 44];
        connection.read_exactly(&mut greeting, left(end))?;
        let is_ours = greeting[..8] == MAGIC[..] && greeting[8..12] == VERSION.to_le_bytes();
        if !is_ours {
            return Err(NO_FEED);
        }
        let mut theirs = [0; 32];
        theirs.copy_from_slice(&greeting[12..]);
        let ours = draw()?;
        let shown = proof(&secret.key, &[b"called", &theirs, &ours]);
        connection.write_all(&[ours, shown].concat(), left(end))?;
        let mut answer = [0; 32];
        connection.read_exactly(&mut answer, left(end)).map_err(|error| match error.kind() {
            // Who cannot make sense of our proof goes away.
            io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => OTHER_SECRET,
            _ => LineError::Socket(error),
        })?;
        if !is_same_proof(&answer, &proof(&secret.key, &[b"caller", &theirs, &ours])) {
            return Err(OTHER_SECRET);
        }
        let way = |name: &[u8]| Way { key: proof(&secret.key, &[name, &theirs, &ours]), frames: 0 };
        Ok(Line { connection, outwards: way(b"inwards!"), inwards: way(b"outwards"), received: Vec::new() })
    }

    /// Sends a message, in as many frames as it needs.
    pub(super) fn send(&mut self, message: &[u8]) -> Result<(), LineError> {
        if message.len() > MESSAGE_BYTES_MAX {
            return Err(LineError::Forged("a message is too large to be sent"));
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

    /// The next message, if one begins within so long. None if not: nothing is lost by that.
    pub(super) fn receive(&mut self, patience: Duration) -> Result<Option<Vec<u8>>, LineError> {
        let mut patience = patience;
        loop {
            let mut first = [0; 1];
            match self.connection.read_some(&mut first, patience) {
                Ok(0) => return Err(LineError::Forged("the other end is closed")),
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

    /// Receives the rest of a frame. Gives whether the message goes on.
    fn frame(&mut self, first: u8) -> Result<bool, LineError> {
        let end = Instant::now() + FRAME_PATIENCE;
        let mut head = [first, 0, 0, 0];
        self.connection.read_exactly(&mut head[1..], left(end))?;
        let word = u32::from_le_bytes(head);
        let length = usize::try_from(word & !GOES_ON).unwrap_or(usize::MAX);
        if length > FRAME_BYTES_MAX || self.received.len() + length > MESSAGE_BYTES_MAX {
            return Err(LineError::Forged("a message is larger than allowed"));
        }
        let start = self.received.len();
        self.received.resize(start + length, 0);
        self.connection.read_exactly(&mut self.received[start..], left(end))?;
        let mut shown = [0; 32];
        self.connection.read_exactly(&mut shown, left(end))?;
        if !is_same_proof(&shown, &self.inwards.prove(head, &self.received[start..])) {
            return Err(LineError::Forged("what came is not what was sent"));
        }
        Ok(word & GOES_ON != 0)
    }

    /// Another hold on the connection, to end it from another thread.
    pub(super) fn twin(&self) -> Result<Connection, LineError> {
        Ok(self.connection.twin()?)
    }
}

impl Way {
    fn prove(&mut self, head: [u8; 4], frame: &[u8]) -> [u8; 32] {
        let number = self.frames.to_le_bytes();
        self.frames += 1;
        proof(&self.key, &[&number, &head, frame])
    }
}

fn draw() -> Result<[u8; 32], LineError> {
    let mut number = [0; 32];
    host::chance::fill(&mut number).map_err(LineError::Chance)?;
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
