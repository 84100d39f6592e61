//! The save format: a header of fixed size, then the block as it lies in memory, then the content that the world was made with, which
//! is opaque here.
//!
//! | bytes | content |
//! |---|---|
//! | 0..8 | `ASTRSAVE` |
//! | 8..12 | format, now 2 |
//! | 12..16 | size of the header, now 256 |
//! | 16..24 | hash of the layout |
//! | 24..32 | hash of the content |
//! | 32..40 | brush cycle |
//! | 40..48 | hash of the world |
//! | 48..56 | size of the block |
//! | 56..64 | checksum of the block |
//! | 64..128 | the game's name, length first |
//! | 128..192 | the level's name, length first |
//! | 192..200 | size of the content behind the block; 0 in format 1, which has none |
//! | 200..208 | checksum of the content |
//! | 208..248 | zero |
//! | 248..256 | checksum of all before |
//!
//! All numbers are little-endian; checksums are XXH3-64.
//!
//! Laws
//! 1. The same world gives the same file on every machine and in every build, except for the garbage in dead slots.
//! 2. Loading refuses a file it does not fully understand; the error says what was expected and what was found. The
//!    world is then unchanged.
//!
//! Cost: loading takes a few passes over the block, and one copy of the world's. Held by `tests/growth.rs` of the
//! tool.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use base::bytes::{ByteReader, ByteWriter};
use base::hash::hash;

use crate::block::Block;
use crate::limits::NAME_BYTES_MAX;
use crate::snapshot::Inconsistent;
use crate::world::{Time, World};

/// The size of the header.
pub const HEADER_BYTES: usize = 256;

const MAGIC: &[u8; 8] = b"ASTRSAVE";
const FORMAT: u32 = 2;
/// The format without content.
const FORMAT_WITHOUT_CONTENT: u32 = 1;
const NAME_FIELD: usize = 64;
const _: () = assert!(NAME_BYTES_MAX < NAME_FIELD);

/// The header of a save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveHeader {
    /// The layout hash.
    pub layout: u64,
    /// The identity of the code that stepped the world. A save of another build loads, if the layout is the same.
    pub build: u64,
    /// The brush cycle it was made after.
    pub cycle: u64,
    /// The hash of the world.
    pub hash: u64,
    /// The size of the block.
    pub block_bytes: u64,
    /// The checksum of the block.
    pub checksum: u64,
    /// The game's name.
    pub game: String,
    /// The level's name.
    pub level: String,
    /// The size of the content behind the block.
    pub content_bytes: u64,
    /// The checksum of the content.
    pub content_checksum: u64,
    /// The format of the file.
    pub format: u32,
}

/// Why a save was not loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SaveError {
    /// The file is too short or too long.
    Length {
        /// The expected number of bytes.
        expected: u64,
        /// The actual number.
        found: u64,
    },
    /// It does not start with the magic number of a save.
    NotASave,
    /// Its format is unknown to this program.
    Format {
        /// The format in the file.
        found: u32,
    },
    /// Its header is damaged.
    HeaderDamaged,
    /// Its block is damaged.
    BlockDamaged,
    /// The content behind its block is damaged.
    ContentDamaged,
    /// It is of another game, level or layout.
    Other {
        /// Which of these differs.
        what: &'static str,
        /// The value of this world.
        expected: String,
        /// The value in the save.
        found: String,
    },
    /// Its checksums match, but the hash of its world is not the one in its header.
    Hash {
        /// The hash in the header.
        expected: u64,
        /// The hash of the world.
        found: u64,
    },
    /// Its checksums match, but the block is inconsistent.
    Inconsistent(Inconsistent),
}

impl SaveHeader {
    /// The header for a block of a world.
    pub fn of(block: &Block, hash_of_world: u64, build: u64, level: &str) -> SaveHeader {
        assert!(level.len() <= NAME_BYTES_MAX, "the level's name \"{level}\" is longer than {NAME_BYTES_MAX} bytes");
        SaveHeader {
            layout: block.plan().hash(),
            build,
            cycle: block.cycle(),
            hash: hash_of_world,
            block_bytes: block.bytes().len() as u64,
            checksum: hash(block.bytes()),
            game: String::from(block.plan().name()),
            level: String::from(level),
            content_bytes: 0,
            content_checksum: hash(&[]),
            format: FORMAT,
        }
    }

    /// The same header for a file with this content behind the block.
    #[must_use]
    pub fn with_content(self, content: &[u8]) -> SaveHeader {
        SaveHeader { content_bytes: content.len() as u64, content_checksum: hash(content), ..self }
    }

    /// The size of the whole file.
    pub fn file_bytes(&self) -> u64 {
        self.block_bytes.saturating_add(HEADER_BYTES as u64).saturating_add(self.content_bytes)
    }

    /// The block and the content of a file with this header, if all of it is intact.
    pub fn parts<'a>(&self, file: &'a [u8]) -> Result<(&'a [u8], &'a [u8]), SaveError> {
        let (expected, found) = (self.file_bytes(), file.len() as u64);
        if expected != found {
            return Err(SaveError::Length { expected, found });
        }
        let (block, content) = file[HEADER_BYTES..].split_at(self.block_bytes as usize);
        if hash(block) != self.checksum {
            return Err(SaveError::BlockDamaged);
        }
        if self.format != FORMAT_WITHOUT_CONTENT && hash(content) != self.content_checksum {
            return Err(SaveError::ContentDamaged);
        }
        Ok((block, content))
    }

    /// Its bytes.
    pub fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut out = Vec::with_capacity(HEADER_BYTES);
        out.put(MAGIC);
        out.write_u32(self.format);
        out.write_u32(HEADER_BYTES as u32);
        for number in [self.layout, self.build, self.cycle, self.hash, self.block_bytes, self.checksum] {
            out.write_u64(number);
        }
        let mut header = [0; HEADER_BYTES];
        header[..64].copy_from_slice(&out);
        for (name, start) in [(&self.game, 64), (&self.level, 128)] {
            header[start] = name.len() as u8;
            header[start + 1..start + 1 + name.len()].copy_from_slice(name.as_bytes());
        }
        if self.format != FORMAT_WITHOUT_CONTENT {
            header[192..200].copy_from_slice(&self.content_bytes.to_le_bytes());
            header[200..208].copy_from_slice(&self.content_checksum.to_le_bytes());
        }
        let checksum = hash(&header[..HEADER_BYTES - 8]);
        header[HEADER_BYTES - 8..].copy_from_slice(&checksum.to_le_bytes());
        header
    }

    /// Reads a header from the first bytes of a file.
    pub fn decode(bytes: &[u8]) -> Result<SaveHeader, SaveError> {
        let length = SaveError::Length { expected: HEADER_BYTES as u64, found: bytes.len() as u64 };
        if !bytes.starts_with(&MAGIC[..bytes.len().min(MAGIC.len())]) {
            return Err(SaveError::NotASave);
        }
        let mut reader = ByteReader::new(bytes.get(MAGIC.len()..).ok_or_else(|| length.clone())?);
        let format = reader.read_u32().map_err(|_| length.clone())?;
        if !(FORMAT_WITHOUT_CONTENT..=FORMAT).contains(&format) {
            return Err(SaveError::Format { found: format });
        }
        let header: &[u8; HEADER_BYTES] = bytes.first_chunk().ok_or(length)?;
        let (body, checksum) = header.split_at(HEADER_BYTES - 8);
        if hash(body).to_le_bytes() != *checksum {
            return Err(SaveError::HeaderDamaged);
        }
        let number = |index: usize| {
            let start = 16 + index * 8;
            u64::from_le_bytes(header[start..start + 8].try_into().expect("eight bytes of a header of 256"))
        };
        let name = |start: usize| {
            let length = usize::from(header[start]);
            let text = header[start + 1..start + NAME_FIELD].get(..length);
            text.and_then(|text| core::str::from_utf8(text).ok()).map(String::from).ok_or(SaveError::HeaderDamaged)
        };
        let decoded = SaveHeader {
            layout: number(0),
            build: number(1),
            cycle: number(2),
            hash: number(3),
            block_bytes: number(4),
            checksum: number(5),
            game: name(64)?,
            level: name(128)?,
            content_bytes: number(22),
            content_checksum: number(23),
            format,
        };
        // Bytes outside the fields (header size, rest of a name, zeros) must be as `encode` writes them.
        if decoded.encode() == *header { Ok(decoded) } else { Err(SaveError::HeaderDamaged) }
    }

    /// Checks that the save fits a world with this plan and level.
    pub fn check(&self, block: &Block, level: &str) -> Result<(), SaveError> {
        let plan = block.plan();
        let other = |what, expected: String, found: String| Err(SaveError::Other { what, expected, found });
        if self.game != plan.name() {
            return other("game", String::from(plan.name()), self.game.clone());
        }
        if self.level != level {
            return other("level", String::from(level), self.level.clone());
        }
        if self.layout != plan.hash() {
            return other("layout", alloc::format!("{:016x}", plan.hash()), alloc::format!("{:016x}", self.layout));
        }
        let (expected, found) = (plan.bytes() as u64, self.block_bytes);
        if expected == found { Ok(()) } else { Err(SaveError::Length { expected, found }) }
    }
}

/// The content identity of the world in a save. `None` if the save is damaged.
pub fn content_of(file: &[u8]) -> Option<u64> {
    let header = SaveHeader::decode(file).ok()?;
    header.parts(file).ok().and_then(|(block, _)| content_of_block(block))
}

/// The content identity of the world in the bytes of a block. `None` if there are too few.
pub fn content_of_block(block: &[u8]) -> Option<u64> {
    (block.len() >= size_of::<Time>()).then(|| Time::of(block).content)
}

/// Loads a save, header and block, into a world. If that fails, the world is unchanged.
pub fn load(world: &mut World, file: &[u8], level: &str) -> Result<SaveHeader, SaveError> {
    let header = SaveHeader::decode(file)?;
    header.check(world, level)?;
    let (block, _) = header.parts(file)?;
    let cycle = Time::of(block).cycle;
    if cycle != header.cycle {
        let complaint = alloc::format!("its header says cycle {}, its block says {cycle}", header.cycle);
        return Err(SaveError::Inconsistent(Inconsistent(complaint)));
    }
    match world.adopt_hashed(block, header.hash).map_err(SaveError::Inconsistent)? {
        Ok(()) => Ok(header),
        Err(found) => Err(SaveError::Hash { expected: header.hash, found }),
    }
}

impl fmt::Display for SaveError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SaveError::Length { expected, found } => write!(formatter, "expected {expected} bytes, found {found}"),
            SaveError::NotASave => {
                formatter.write_str("expected a save, which begins with ASTRSAVE; found something else")
            }
            SaveError::Format { found } if *found > FORMAT => {
                write!(
                    formatter,
                    "expected save format {FORMAT}, found {found}: it was made by a newer version of the program"
                )
            }
            SaveError::Format { found } => write!(formatter, "expected save format {FORMAT}, found {found}"),
            SaveError::HeaderDamaged => formatter.write_str("the header is damaged: its checksum does not match"),
            SaveError::BlockDamaged => formatter.write_str("the world in it is damaged: its checksum does not match"),
            SaveError::ContentDamaged => {
                formatter.write_str("the content in it is damaged: its checksum does not match")
            }
            SaveError::Other { what, expected, found } => {
                write!(formatter, "it belongs to another {what}: expected {expected}, found {found}")
            }
            SaveError::Hash { expected, found } => {
                write!(formatter, "its world is not the saved one: expected hash {expected:016x}, found {found:016x}")
            }
            SaveError::Inconsistent(inconsistent) => inconsistent.fmt(formatter),
        }
    }
}

impl core::error::Error for SaveError {}
