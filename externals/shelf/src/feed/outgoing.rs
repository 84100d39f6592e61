//! The containers that are being sent to one game.

use std::collections::VecDeque;

use host::files::Reader;

use super::channel::{Channel, ChannelError};
use super::message::Message;
use crate::containers::Containers;
use crate::content_key::Key;
use crate::limits::{LOADED_TAGS_MAX, PIECE_BYTES, PIECES_AT_ONCE};

/// The containers that a game asked for, in order; the first may be sent in part.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    wanted: VecDeque<Key>,
    /// The file of the first one, and the bytes that were sent.
    current: Option<(Reader, u64)>,
    piece: Vec<u8>,
}

impl Outgoing {
    pub(super) fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Adds containers that a game asks for.
    pub(super) fn add(&mut self, wanted: Vec<Key>) -> Result<(), ChannelError> {
        if self.wanted.len() + wanted.len() > LOADED_TAGS_MAX {
            return Err(ChannelError::Forged("the game asks for more containers than there can be"));
        }
        self.wanted.extend(wanted);
        Ok(())
    }

    /// Sends a few pieces.
    pub(super) fn send_some(&mut self, line: &mut Channel, containers: &Containers) -> Result<(), ChannelError> {
        for _ in 0..PIECES_AT_ONCE {
            let Some(digest) = self.wanted.front().copied() else { return Ok(()) };
            if self.current.is_none() {
                self.current = containers.open_unchecked(&digest).map(|reader| (reader, 0));
            }
            let is_done = match &mut self.current {
                Some((reader, sent)) => {
                    let total = reader.length();
                    let length = usize::try_from(total - *sent).unwrap_or(usize::MAX).min(PIECE_BYTES);
                    self.piece.resize(length, 0);
                    if reader.read_at(*sent, &mut self.piece).is_ok() {
                        line.send(&Message::Piece { digest, total, bytes: &self.piece }.write())?;
                        *sent += length as u64;
                        *sent == total
                    } else {
                        line.send(&Message::Absent(digest).write())?;
                        true
                    }
                }
                None => {
                    line.send(&Message::Absent(digest).write())?;
                    true
                }
            };
            if is_done {
                self.wanted.pop_front();
                self.current = None;
            }
        }
        Ok(())
    }
}
