//! The wire format of a datagram: a head, then frames.
//!
//! | bytes | field |
//! |---|---|
//! | 1 | lowest bit: there is an acknowledgement; two bits: the bytes of its bits (0, 1, 4, 8); one: an answer is wanted; four: version |
//! | 2 | sequence |
//! | 2 | the sender's clock, in units of 256 µs |
//! | 2 | with an acknowledgement: the newest sequence received |
//! | 1 to 3 | how long that one was held, as a varint in units of 256 µs |
//! | 0 to 8 | one bit for each of the 64 sequences before it; bits that are not written are ones |
//!
//! A frame begins with a byte: three bits for the stream, two for the kind, one for "to the end of the datagram", two
//! zeros. A reliable chunk has its number as a varint, a window its limit. Without the third, a length follows.

use core::error::Error;
use core::fmt;

use alloc::vec::Vec;
use base::bytes::{ByteReader, ByteWriter, ReadError};

use crate::limits::DATAGRAM_BYTES_MAX;

/// The version of the format.
const VERSION: u8 = 1;
/// One unit of the clock, as a shift of microseconds.
const UNIT_SHIFT: u32 = 8;

/// The clock of a datagram at a time.
pub(super) fn clock(now_us: u64) -> u16 {
    (now_us >> UNIT_SHIFT) as u16
}

/// A span of the clock in microseconds.
pub(super) fn span_us(units: u16) -> u64 {
    u64::from(units) << UNIT_SHIFT
}

/// A signed span of the clock in microseconds.
pub(super) fn signed_span_us(units: i16) -> i64 {
    i64::from(units) << UNIT_SHIFT
}

/// The head of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub sequence: u16,
    pub sent: u16,
    pub wants_answer: bool,
    pub acknowledged: Option<Acknowledgement>,
}

/// What a machine has received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Acknowledgement {
    pub newest: u16,
    /// How long the newest was held before this was sent, in units of the clock.
    pub held: u16,
    /// Bit n is the sequence n + 1 before the newest.
    pub bits: u64,
}

/// A part of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame<'bytes> {
    /// A whole message of an unreliable stream.
    Message { stream: u8, bytes: &'bytes [u8] },
    /// A part of a message of a reliable stream.
    Chunk { stream: u8, number: u64, is_last: bool, bytes: &'bytes [u8] },
    /// The receiver of a reliable stream accepts chunks below this number.
    Window { stream: u8, limit: u64 },
}

/// Why a datagram was refused. Nothing changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketError {
    /// It is malformed.
    Malformed(ReadError),
    /// It is longer than [`DATAGRAM_BYTES_MAX`].
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// Another version of the format, or reserved bits.
    Version {
        /// The first byte of the head or of the frame.
        found: u8,
    },
    /// It acknowledges a packet that was never sent.
    NeverSent {
        /// The lower bits of its sequence.
        sequence: u16,
    },
    /// A stream that does not exist, or is of the other kind.
    Stream {
        /// Its number.
        stream: u8,
    },
    /// A chunk beyond the granted window.
    BeyondWindow {
        /// The stream.
        stream: u8,
        /// The number of the chunk.
        number: u64,
    },
    /// A message that exceeds its maximum length.
    MessageTooLong {
        /// The stream.
        stream: u8,
    },
    /// It arrived already, or is older than the last 64.
    Twice,
    /// The program does not read: too many events wait.
    Busy,
}

impl Head {
    pub fn write(&self, out: &mut Vec<u8>) {
        let bits = self.acknowledged.map_or(u64::MAX, |own| own.bits);
        let size = [0_u8, 1, 4, 8].into_iter().position(|bytes| bits | low_mask(bytes) == u64::MAX).unwrap_or(3);
        let has = u8::from(self.acknowledged.is_some());
        out.write_u8(has | (size as u8) << 1 | u8::from(self.wants_answer) << 3 | VERSION << 4);
        out.write_u16(self.sequence);
        out.write_u16(self.sent);
        if let Some(own) = self.acknowledged {
            out.write_u16(own.newest);
            out.write_varint(own.held.into());
            out.put(&own.bits.to_le_bytes()[..[0, 1, 4, 8][size]]);
        }
    }

    pub fn read(reader: &mut ByteReader<'_>) -> Result<Head, PacketError> {
        let first = reader.read_u8()?;
        let has_acknowledgement = first & 1 == 1;
        let bytes = [0_u8, 1, 4, 8][usize::from(first >> 1 & 3)];
        if first >> 4 != VERSION || !has_acknowledgement && bytes > 0 {
            return Err(PacketError::Version { found: first });
        }
        let (sequence, sent) = (reader.read_u16()?, reader.read_u16()?);
        let acknowledged = if has_acknowledgement {
            let newest = reader.read_u16()?;
            let held = u16::try_from(reader.read_varint()?).unwrap_or(u16::MAX);
            let mut bits = u64::MAX.to_le_bytes();
            bits[..usize::from(bytes)].copy_from_slice(reader.take(bytes.into())?);
            Some(Acknowledgement { newest, held, bits: u64::from_le_bytes(bits) })
        } else {
            None
        };
        Ok(Head { sequence, sent, wants_answer: first >> 3 & 1 == 1, acknowledged })
    }
}

/// The lowest bits of this many bytes.
fn low_mask(bytes: u8) -> u64 {
    u64::MAX.checked_shr(64 - 8 * u32::from(bytes)).unwrap_or(0)
}

const MESSAGE: u8 = 0;
const CHUNK: u8 = 1;
const CHUNK_LAST: u8 = 2;
const WINDOW: u8 = 3;

impl<'bytes> Frame<'bytes> {
    /// Writes it. The last frame of a datagram has no length.
    pub fn write(&self, is_at_end: bool, out: &mut Vec<u8>) {
        let end = u8::from(is_at_end) << 5;
        let bytes = match *self {
            Frame::Message { stream, bytes } => {
                out.write_u8(stream | MESSAGE << 3 | end);
                bytes
            }
            Frame::Chunk { stream, number, is_last, bytes } => {
                out.write_u8(stream | if is_last { CHUNK_LAST } else { CHUNK } << 3 | end);
                out.write_varint(number);
                bytes
            }
            Frame::Window { stream, limit } => {
                out.write_u8(stream | WINDOW << 3);
                out.write_varint(limit);
                return;
            }
        };
        if !is_at_end {
            out.write_varint(bytes.len() as u64);
        }
        out.put(bytes);
    }

    pub fn read(reader: &mut ByteReader<'bytes>) -> Result<Frame<'bytes>, PacketError> {
        let first = reader.read_u8()?;
        let (stream, kind, is_at_end) = (first & 7, first >> 3 & 3, first >> 5 & 1 == 1);
        if first >> 6 != 0 || kind == WINDOW && is_at_end {
            return Err(PacketError::Version { found: first });
        }
        let number = if kind == MESSAGE { 0 } else { reader.read_varint()? };
        if kind == WINDOW {
            return Ok(Frame::Window { stream, limit: number });
        }
        let bytes = if is_at_end { reader.take(reader.left())? } else { reader.read_bytes(DATAGRAM_BYTES_MAX)? };
        Ok(match kind {
            MESSAGE => Frame::Message { stream, bytes },
            _ => Frame::Chunk { stream, number, is_last: kind == CHUNK_LAST, bytes },
        })
    }
}

impl From<ReadError> for PacketError {
    fn from(error: ReadError) -> PacketError {
        PacketError::Malformed(error)
    }
}

impl fmt::Display for PacketError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PacketError::Malformed(error) => write!(formatter, "malformed datagram: {error}"),
            PacketError::TooLong { bytes } => {
                write!(formatter, "a datagram of {bytes} bytes; at most {DATAGRAM_BYTES_MAX} are allowed")
            }
            PacketError::Version { found } => {
                write!(formatter, "expected format {VERSION}, found the byte {found:#04x}: update the older game")
            }
            PacketError::NeverSent { sequence } => {
                write!(formatter, "it acknowledges packet {sequence}, which was never sent")
            }
            PacketError::Stream { stream } => write!(formatter, "stream {stream} does not exist or is of another kind"),
            PacketError::BeyondWindow { stream, number } => {
                write!(formatter, "chunk {number} of stream {stream} is beyond the granted window")
            }
            PacketError::MessageTooLong { stream } => {
                write!(formatter, "a message of stream {stream} exceeds its maximum length")
            }
            PacketError::Twice => formatter.write_str("the packet arrived already or is too old"),
            PacketError::Busy => formatter.write_str("too many unread events: poll the channel"),
        }
    }
}

impl Error for PacketError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(bits: u64, expected_bytes: usize) {
        let own = Acknowledgement { newest: 900, held: 3, bits };
        let head = Head { sequence: 65_000, sent: 7, wants_answer: true, acknowledged: Some(own) };
        let mut bytes = Vec::new();
        head.write(&mut bytes);
        assert_eq!(bytes.len(), expected_bytes, "{bits:#x}");
        assert_eq!(Head::read(&mut ByteReader::new(&bytes)), Ok(head));
    }

    #[test]
    fn acknowledgement_bits_take_as_many_bytes_as_the_oldest_gap_needs() {
        round_trip(u64::MAX, 8);
        round_trip(!(1 << 7), 9);
        round_trip(!(1 << 8), 12);
        round_trip(!(1 << 40), 16);
        round_trip(0, 16);
    }

    #[test]
    fn reserved_bits_and_other_versions_are_refused() {
        for first in [0x00, 0x20, 0x12, 0xf1] {
            let bytes = [first, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            assert_eq!(Head::read(&mut ByteReader::new(&bytes)), Err(PacketError::Version { found: first }));
        }
        let frame = [0x40, 0];
        assert_eq!(Frame::read(&mut ByteReader::new(&frame)), Err(PacketError::Version { found: 0x40 }));
    }
}
