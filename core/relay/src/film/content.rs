//! The content of a film: the lists of tags in force, and the tags themselves.
//!
//! Body of a list: the identity of the content, and that of its base, in 64 bits each; a byte that is 1 if it has no
//! base; then the number of rows, and for each the path of a tag, length first, and the 32 bytes of its key.
//!
//! Body of a tag: the 32 bytes of its key, its length as a varint, and its packed form, compressed.
//!
//! Body of a header: the name of the class, and its text, both length first.

use alloc::string::String;
use alloc::vec::Vec;

use base::bytes::{ByteReader, ByteWriter, ReadError};

use crate::film::compression::{compress_with_length, decompress_with_length};
use crate::film::limits::{BODY_BYTES_MAX, HEADER_BYTES_MAX, PATH_BYTES_MAX, TAGS_MAX};

/// The size of a key.
pub const KEY_BYTES: usize = 32;

/// The tags in force from a cycle on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentList {
    /// The identity of the content.
    pub identity: u64,
    /// The base: tags not listed here are as in it. `None`: the list is complete.
    pub base: Option<u64>,
    /// Path and key of each tag.
    pub rows: Vec<(String, [u8; KEY_BYTES])>,
}

/// One version of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Its content key.
    pub key: [u8; KEY_BYTES],
    /// Its packed form, untrusted: users must validate it.
    pub packed: Vec<u8>,
}

impl ContentList {
    /// Encodes it.
    ///
    /// # Panics
    /// If a path is longer than [`PATH_BYTES_MAX`].
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.write_u64(self.identity);
        out.write_u64(self.base.unwrap_or(0));
        out.write_u8(u8::from(self.base.is_none()));
        out.write_varint(self.rows.len() as u64);
        for (path, key) in &self.rows {
            out.write_text(path, PATH_BYTES_MAX);
            out.put(key);
        }
        out
    }

    /// Decodes a body.
    pub fn decode(body: &[u8]) -> Result<ContentList, ReadError> {
        let mut reader = ByteReader::new(body);
        let [identity, base] = [reader.read_u64()?, reader.read_u64()?];
        let is_all = reader.read_u8()? != 0;
        let count = reader.read_count(TAGS_MAX, 1 + KEY_BYTES)?;
        let mut rows = Vec::with_capacity(count);
        for _ in 0..count {
            let path = String::from(reader.read_text(PATH_BYTES_MAX)?);
            rows.push((path, take_key(&mut reader)?));
        }
        reader.finish()?;
        Ok(ContentList { identity, base: (!is_all).then_some(base), rows })
    }
}

impl Tag {
    /// Encodes it.
    pub fn encode(key: &[u8; KEY_BYTES], packed: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        out.put(key);
        compress_with_length(packed, &mut out);
        out
    }

    /// Decodes a body.
    pub fn decode(body: &[u8]) -> Result<Tag, ReadError> {
        let mut reader = ByteReader::new(body);
        let key = take_key(&mut reader)?;
        let packed = decompress_with_length(&mut reader, BODY_BYTES_MAX)?;
        reader.finish()?;
        Ok(Tag { key, packed })
    }
}

/// The body of a class's header.
pub fn encode_header(name: &str, text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    out.write_text(name, HEADER_BYTES_MAX);
    out.write_text(text, HEADER_BYTES_MAX);
    out
}

/// Reads the body of a class's header: its name and its text.
pub fn decode_header(body: &[u8]) -> Result<(&str, &str), ReadError> {
    let mut reader = ByteReader::new(body);
    let header = (reader.read_text(HEADER_BYTES_MAX)?, reader.read_text(HEADER_BYTES_MAX)?);
    reader.finish()?;
    Ok(header)
}

fn take_key(reader: &mut ByteReader<'_>) -> Result<[u8; KEY_BYTES], ReadError> {
    let mut key = [0; KEY_BYTES];
    key.copy_from_slice(reader.take(KEY_BYTES)?);
    Ok(key)
}
