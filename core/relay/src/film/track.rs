//! Tracks: named extra data beside the inputs, each item with its cycle.
//!
//! Body: the name of the track, length first; how many items, as a varint; for each the brush cycle as a varint, and
//! its bytes, length first.

use alloc::string::String;
use alloc::vec::Vec;

use base::bytes::{ByteReader, ByteWriter, ReadError};

use crate::film::limits::{TRACK_ITEM_BYTES_MAX, TRACK_ITEMS_MAX, TRACK_NAME_BYTES_MAX};

/// The track of markers, whose items are texts.
pub const MARKERS: &str = "markers";

/// One item of a track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The brush cycle it belongs to.
    pub cycle: u64,
    /// Its bytes, whose meaning only its writer knows.
    pub bytes: Vec<u8>,
}

/// Encodes items of a track. Too long items are truncated, too many are dropped.
pub fn encode<'a>(name: &str, items: impl ExactSizeIterator<Item = (u64, &'a [u8])>) -> Vec<u8> {
    let mut out = Vec::new();
    let length = name.floor_char_boundary(name.len().min(TRACK_NAME_BYTES_MAX));
    out.write_text(&name[..length], TRACK_NAME_BYTES_MAX);
    out.write_varint(items.len().min(TRACK_ITEMS_MAX) as u64);
    for (cycle, bytes) in items.take(TRACK_ITEMS_MAX) {
        out.write_varint(cycle);
        out.write_bytes(&bytes[..bytes.len().min(TRACK_ITEM_BYTES_MAX)], TRACK_ITEM_BYTES_MAX);
    }
    out
}

/// Decodes a body: the name of the track, and items.
pub fn decode(body: &[u8]) -> Result<(String, Vec<Item>), ReadError> {
    let mut reader = ByteReader::new(body);
    let name = String::from(reader.read_text(TRACK_NAME_BYTES_MAX)?);
    let count = reader.read_count(TRACK_ITEMS_MAX, 2)?;
    let mut items = Vec::with_capacity(count);
    for _ in 0..count {
        let cycle = reader.read_varint()?;
        items.push(Item { cycle, bytes: reader.read_bytes(TRACK_ITEM_BYTES_MAX)?.to_vec() });
    }
    reader.finish()?;
    Ok((name, items))
}
