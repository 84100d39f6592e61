//! The end of a take. Its cycle and hash are in the stamp; a hash of zero is unknown.
//!
//! Body: the chain in 64 bits, and the reason, length first.

use alloc::string::String;
use alloc::vec::Vec;

use base::bytes::{ByteReader, ByteWriter, ReadError};

use crate::film::limits::WORDS_BYTES_MAX;

/// The end of a take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The chain over the hashes of all safe cycles.
    pub chain: u64,
    /// The reason.
    pub words: String,
}

impl Ending {
    /// Encodes it.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.write_u64(self.chain);
        let length = self.words.floor_char_boundary(self.words.len().min(WORDS_BYTES_MAX));
        out.write_text(&self.words[..length], WORDS_BYTES_MAX);
        out
    }

    /// Decodes a body.
    pub fn decode(body: &[u8]) -> Result<Ending, ReadError> {
        let mut reader = ByteReader::new(body);
        let chain = reader.read_u64()?;
        let words = String::from(reader.read_text(WORDS_BYTES_MAX)?);
        reader.finish()?;
        Ok(Ending { chain, words })
    }
}
