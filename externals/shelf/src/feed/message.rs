//! The messages of a feed.

use base::bytes::{ByteReader, ByteWriter, ReadError};
use tags::limits::PATH_BYTES_MAX;

use crate::content_key::{self, Key};
use crate::limits::{LOADED_TAGS_MAX, MESSAGE_BYTES_MAX, PIECE_BYTES, WANTED_MAX};

const HAVE: u8 = 1;
const TAG: u8 = 2;
const BULK: u8 = 3;
const HERE: u8 = 4;
const GOT: u8 = 5;
const PIECE: u8 = 6;
const ABSENT: u8 = 7;

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Message<'a> {
    /// From the game: the ids of all its tags' paths, and the keys of their versions.
    Have(Vec<(u64, Key)>),
    /// To the game: a version of a tag.
    Tag { path: &'a str, key: Key, packed: &'a [u8] },
    /// To the game: resident bulk data. Its digest follows from its bytes.
    Bulk(&'a [u8]),
    /// To the game: the next piece of a container that it asked for, and the length of the whole.
    Piece { digest: Key, total: u64, bytes: &'a [u8] },
    /// To the game: a container that it asked for is not here.
    Absent(Key),
    /// To the game: end of a batch, or a keep-alive.
    Here,
    /// From the game: everything up to here was received, and it needs these containers.
    Got(Vec<Key>),
}

impl<'a> Message<'a> {
    pub(super) fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        match self {
            Message::Have(rows) => {
                bytes.write_u8(HAVE);
                bytes.write_varint(rows.len() as u64);
                for (path, key) in rows {
                    bytes.write_u64(*path);
                    bytes.put(&key.0);
                }
            }
            Message::Tag { path, key, packed } => {
                bytes.reserve(packed.len() + path.len() + 64);
                bytes.write_u8(TAG);
                bytes.write_text(path, PATH_BYTES_MAX);
                bytes.put(&key.0);
                bytes.write_bytes(packed, MESSAGE_BYTES_MAX);
            }
            Message::Bulk(bulk) => {
                bytes.write_u8(BULK);
                bytes.write_bytes(bulk, MESSAGE_BYTES_MAX);
            }
            Message::Piece { digest, total, bytes: piece } => {
                bytes.reserve(piece.len() + 64);
                bytes.write_u8(PIECE);
                bytes.put(&digest.0);
                bytes.write_u64(*total);
                bytes.write_bytes(piece, PIECE_BYTES);
            }
            Message::Absent(digest) => {
                bytes.write_u8(ABSENT);
                bytes.put(&digest.0);
            }
            Message::Here => bytes.write_u8(HERE),
            Message::Got(wanted) => {
                bytes.write_u8(GOT);
                bytes.write_varint(wanted.len() as u64);
                wanted.iter().for_each(|digest| bytes.put(&digest.0));
            }
        }
        bytes
    }

    pub(super) fn read(bytes: &'a [u8]) -> Option<Message<'a>> {
        let mut reader = ByteReader::new(bytes);
        let message = Message::read_from(&mut reader).ok()??;
        reader.finish().ok()?;
        Some(message)
    }

    fn read_from(reader: &mut ByteReader<'a>) -> Result<Option<Message<'a>>, ReadError> {
        let message = match reader.read_u8()? {
            HAVE => {
                let count = reader.read_count(LOADED_TAGS_MAX, 8 + content_key::BYTES)?;
                let mut rows = Vec::with_capacity(count);
                for _ in 0..count {
                    rows.push((reader.read_u64()?, read_key(reader)?));
                }
                Message::Have(rows)
            }
            TAG => {
                let path = reader.read_text(PATH_BYTES_MAX)?;
                let key = read_key(reader)?;
                Message::Tag { path, key, packed: reader.read_bytes(MESSAGE_BYTES_MAX)? }
            }
            BULK => Message::Bulk(reader.read_bytes(MESSAGE_BYTES_MAX)?),
            HERE => Message::Here,
            GOT => {
                let count = reader.read_count(WANTED_MAX, content_key::BYTES)?;
                Message::Got((0..count).map(|_| read_key(reader)).collect::<Result<_, _>>()?)
            }
            PIECE => {
                let (digest, total) = (read_key(reader)?, reader.read_u64()?);
                Message::Piece { digest, total, bytes: reader.read_bytes(PIECE_BYTES)? }
            }
            ABSENT => Message::Absent(read_key(reader)?),
            _ => return Ok(None),
        };
        Ok(Some(message))
    }
}

fn read_key(reader: &mut ByteReader<'_>) -> Result<Key, ReadError> {
    let mut key = Key::default();
    key.0.copy_from_slice(reader.take(content_key::BYTES)?);
    Ok(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn messages_are_read_as_they_were_written() {
        let key = content_key::of(b"a");
        for message in [
            Message::Have(vec![]),
            Message::Have(vec![(1, key), (u64::MAX, Key::default())]),
            Message::Tag { path: "a/b.ship", key, packed: b"12345678" },
            Message::Bulk(b"pixels"),
            Message::Piece { digest: key, total: 1 << 40, bytes: b"pix" },
            Message::Absent(key),
            Message::Here,
            Message::Got(vec![]),
            Message::Got(vec![key, Key::default()]),
        ] {
            let bytes = message.write();
            assert_eq!(Message::read(&bytes), Some(message));
            for length in 0..bytes.len() {
                assert_eq!(Message::read(&bytes[..length]), None);
            }
        }
    }

    proptest! {
        #[test]
        fn any_bytes_decode_to_a_message_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Some(message) = Message::read(&bytes) {
                prop_assert_eq!(message.write(), bytes);
            }
        }
    }
}
