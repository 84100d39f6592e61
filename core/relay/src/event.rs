//! Input events: a kind and a few numbers, whose meaning is up to the game.

use base::bytes::{ByteReader, ByteWriter, Found, Offset, ReadError};
use base::{Plain, StringId};

/// The number of words of an event.
pub const EVENT_WORDS: usize = 6;

/// One input of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Plain)]
#[repr(C)]
pub struct Event {
    /// The kind.
    pub kind: StringId,
    /// The arguments: handles, identifiers, or the bits of floats. Unused ones are zero.
    pub words: [u32; EVENT_WORDS],
}

impl Event {
    /// An event with its first few numbers.
    ///
    /// # Panics
    /// If there are more than [`EVENT_WORDS`].
    pub fn new(kind: StringId, words: &[u32]) -> Event {
        let mut event = Event { kind, words: [0; EVENT_WORDS] };
        event.words[..words.len()].copy_from_slice(words);
        event
    }

    /// A word as a float; a non-finite one reads as zero, because the source is not trusted.
    pub fn float(&self, index: usize) -> f32 {
        let value = f32::from_bits(self.words[index]);
        if value.is_finite() { value + 0.0 } else { 0.0 }
    }

    pub(crate) fn write(&self, out: &mut impl ByteWriter) {
        let count = EVENT_WORDS - self.words.iter().rev().take_while(|word| **word == 0).count();
        out.write_u64(self.kind.number());
        out.write_varint(count as u64);
        for word in &self.words[..count] {
            out.write_u32(*word);
        }
    }

    pub(crate) fn read(reader: &mut ByteReader<'_>) -> Result<Event, ReadError> {
        let kind = StringId::from_number(reader.read_u64()?);
        let offset = Offset::Byte(reader.offset() as u64);
        let count = reader.read_count(EVENT_WORDS, size_of::<u32>())?;
        let mut words = [0; EVENT_WORDS];
        for word in &mut words[..count] {
            *word = reader.read_u32()?;
        }
        // Trailing zeros are not written, so that the encoding is canonical.
        if words[..count].last() == Some(&0) {
            return Err(ReadError {
                expected: "numbers without zeros at their end",
                offset,
                found: Found::NotShortest,
            });
        }
        Ok(Event { kind, words })
    }
}
