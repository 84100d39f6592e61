//! The writer of chunk heads.

use base::hash::hash;

use crate::film::chunk::{HEAD_BYTES, Head, Kind, Stamp};
use crate::film::limits::BODY_BYTES_MAX;

/// Creates the heads of a film's chunks, in order.
#[derive(Clone, Debug)]
pub struct FilmWriter {
    film: u64,
    next: u32,
}

impl FilmWriter {
    /// Starts a film with this number, or continues one at its next chunk.
    pub fn new(film: u64, next: u32) -> FilmWriter {
        FilmWriter { film, next }
    }

    /// The film's number.
    pub fn film(&self) -> u64 {
        self.film
    }

    /// The head of the next chunk, to be followed by its body. `None` if the body is too long, or there were too many
    /// chunks.
    pub fn chunk(&mut self, kind: Kind, take: u16, stamp: Stamp, body: &[u8]) -> Option<[u8; HEAD_BYTES]> {
        if body.len() > BODY_BYTES_MAX {
            return None;
        }
        let number = self.next;
        self.next = number.checked_add(1)?;
        let length = body.len() as u32;
        Some(Head { kind: kind as u16, take, number, length, film: self.film, stamp, checksum: hash(body) }.encode())
    }
}
