//! The opening of a take.
//!
//! Body: the reason in a byte; then in 64 bits each the hash of the plan, the number of the game's own content, the
//! identity of the tags, the size of a block, the seed, the chain and the length of a brush cycle in nanoseconds; how
//! many brush cycles make a safe cycle, in 32 bits; the players, in 16; the parent film, in 64 (zero if none), its take
//! in 16 and cycle in 64; the names of game, level and program, length first.

use alloc::string::String;
use alloc::vec::Vec;

use base::bytes::{ByteReader, ByteWriter, Found, Offset, ReadError};
use state::limits::{BLOCK_BYTES_MAX, NAME_BYTES_MAX};

/// Why a take starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Reason {
    /// A level was started.
    Begun = 0,
    /// A level was restarted (a tag changed that cannot be reloaded) or succeeded by the next. The previous take leads
    /// here.
    Anew = 1,
    /// A world was loaded or rewound.
    Loaded = 2,
    /// Continued from another film, or cut out of it.
    Continued = 3,
}

/// The origin of a film.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parent {
    /// The film.
    pub film: u64,
    /// Its take.
    pub take: u16,
    /// The brush cycle.
    pub cycle: u64,
}

/// The opening of a take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The reason.
    pub reason: Reason,
    /// The layout hash.
    pub layout: u64,
    /// The identity of the game's built-in content.
    pub game_content: u64,
    /// The identity of the tags in force.
    pub content: u64,
    /// The size of a block.
    pub block_bytes: u64,
    /// The seed of all random draws.
    pub seed: u64,
    /// The chain so far.
    pub chain: u64,
    /// The length of a brush cycle.
    pub brush_nanos: u64,
    /// Brush cycles per safe cycle.
    pub brushes_per_safe: u32,
    /// The number of players.
    pub players: u16,
    /// The origin, if any.
    pub parent: Option<Parent>,
    /// The game's name.
    pub game: String,
    /// The level's name.
    pub level: String,
    /// The program that recorded it.
    pub program: String,
}

impl Opening {
    /// Encodes it.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        out.write_u8(self.reason as u8);
        let numbers = [self.layout, self.game_content, self.content, self.block_bytes, self.seed, self.chain];
        numbers.into_iter().chain([self.brush_nanos]).for_each(|number| out.write_u64(number));
        out.write_u32(self.brushes_per_safe);
        out.write_u16(self.players);
        let parent = self.parent.unwrap_or(Parent { film: 0, take: 0, cycle: 0 });
        out.write_u64(parent.film);
        out.write_u16(parent.take);
        out.write_u64(parent.cycle);
        for name in [&self.game, &self.level, &self.program] {
            let length = name.floor_char_boundary(name.len().min(NAME_BYTES_MAX));
            out.write_text(&name[..length], NAME_BYTES_MAX);
        }
        out
    }

    /// Decodes a body.
    pub fn decode(body: &[u8]) -> Result<Opening, ReadError> {
        let mut reader = ByteReader::new(body);
        let reason = match reader.read_u8()? {
            0 => Reason::Begun,
            1 => Reason::Anew,
            2 => Reason::Loaded,
            3 => Reason::Continued,
            other => return Err(out_of_range("a reason", other.into(), 3)),
        };
        let mut numbers = [0; 7];
        for number in &mut numbers {
            *number = reader.read_u64()?;
        }
        let [layout, game_content, content, block_bytes, seed, chain, brush_nanos] = numbers;
        if block_bytes > BLOCK_BYTES_MAX as u64 {
            return Err(out_of_range("the size of a block", block_bytes, BLOCK_BYTES_MAX as u64));
        }
        let brushes_per_safe = reader.read_u32()?;
        if brushes_per_safe == 0 {
            return Err(out_of_range("brush cycles in a safe cycle", 0, u32::MAX.into()));
        }
        let players = reader.read_u16()?;
        let parent = Parent { film: reader.read_u64()?, take: reader.read_u16()?, cycle: reader.read_u64()? };
        let mut names = [String::new(), String::new(), String::new()];
        for name in &mut names {
            *name = String::from(reader.read_text(NAME_BYTES_MAX)?);
        }
        reader.finish()?;
        let [game, level, program] = names;
        let parent = (parent.film != 0).then_some(parent);
        Ok(Opening {
            reason,
            layout,
            game_content,
            content,
            block_bytes,
            seed,
            chain,
            brush_nanos,
            brushes_per_safe,
            players,
            parent,
            game,
            level,
            program,
        })
    }
}

fn out_of_range(expected: &'static str, number: u64, max: u64) -> ReadError {
    ReadError { expected, offset: Offset::Byte(0), found: Found::OutOfRange { number, max } }
}
