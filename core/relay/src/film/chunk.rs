//! The head of a chunk.

use base::hash::hash;

use crate::film::limits::BODY_BYTES_MAX;

/// The magic number of a chunk.
pub const MAGIC: &[u8; 8] = b"ASTRFILM";

/// The format that is written.
pub const FORMAT: u16 = 1;

/// The size of a head.
pub const HEAD_BYTES: usize = 72;

/// The kind of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u16)]
pub enum Kind {
    /// The start of a take: game, level, plan, seed.
    Opening = 1,
    /// The list of tags in force from a cycle on.
    Content = 2,
    /// One version of a tag, by its key.
    Tag = 3,
    /// The header of a class.
    Header = 4,
    /// Inputs, and the hashes before them.
    Inputs = 5,
    /// A whole block.
    Whole = 6,
    /// A block as a patch of an earlier whole one.
    Patch = 7,
    /// Named extra data beside the inputs.
    Track = 8,
    /// The last cycle, and the reason of the end.
    End = 9,
}

/// The cycles of a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// The brush cycle it begins with.
    pub cycle: u64,
    /// The brush cycle it ends before. Of a tag: the first half of its key, lower part.
    pub until: u64,
    /// The hash of the world at the cycle it begins with, where there is one. Of a tag: the upper part.
    pub hash: u64,
}

/// The head of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its kind as a number, which may be unknown.
    pub kind: u16,
    /// The take it belongs to.
    pub take: u16,
    /// Its number.
    pub number: u32,
    /// The length of its body.
    pub length: u32,
    /// The film it belongs to.
    pub film: u64,
    /// Its cycles.
    pub stamp: Stamp,
    /// The checksum of its body.
    pub checksum: u64,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 9] = [
        Kind::Opening,
        Kind::Content,
        Kind::Tag,
        Kind::Header,
        Kind::Inputs,
        Kind::Whole,
        Kind::Patch,
        Kind::Track,
        Kind::End,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Opening => "opening",
            Kind::Content => "content",
            Kind::Tag => "tag",
            Kind::Header => "header",
            Kind::Inputs => "inputs",
            Kind::Whole => "whole keyframe",
            Kind::Patch => "patched keyframe",
            Kind::Track => "track",
            Kind::End => "end",
        }
    }
}

impl Stamp {
    /// The stamp of a version of a tag that takes effect in this cycle.
    pub fn of_tag(cycle: u64, key_half: u128) -> Stamp {
        Stamp { cycle, until: key_half as u64, hash: (key_half >> 64) as u64 }
    }

    /// The first half of the key of the tag.
    pub fn key_half(&self) -> u128 {
        u128::from(self.hash) << 64 | u128::from(self.until)
    }
}

impl Head {
    /// Its kind, if known.
    pub fn kind(&self) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| *kind as u16 == self.kind)
    }

    /// Its bytes.
    pub fn encode(&self) -> [u8; HEAD_BYTES] {
        let mut bytes = [0; HEAD_BYTES];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..10].copy_from_slice(&FORMAT.to_le_bytes());
        bytes[10..12].copy_from_slice(&self.kind.to_le_bytes());
        bytes[12..14].copy_from_slice(&self.take.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.number.to_le_bytes());
        bytes[20..24].copy_from_slice(&self.length.to_le_bytes());
        let numbers = [self.film, self.stamp.cycle, self.stamp.until, self.stamp.hash, self.checksum];
        for (index, number) in numbers.into_iter().enumerate() {
            bytes[24 + index * 8..32 + index * 8].copy_from_slice(&number.to_le_bytes());
        }
        let checksum = hash(&bytes[..64]);
        bytes[64..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Decodes a head. `None` if the bytes are no head, or it is damaged or of another format.
    pub fn decode(bytes: &[u8; HEAD_BYTES]) -> Option<Head> {
        if !bytes.starts_with(MAGIC) || number(bytes, 64) != hash(&bytes[..64]) {
            return None;
        }
        let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        let head = Head {
            kind: half(10),
            take: half(12),
            number: word(16),
            length: word(20),
            film: number(bytes, 24),
            stamp: Stamp { cycle: number(bytes, 32), until: number(bytes, 40), hash: number(bytes, 48) },
            checksum: number(bytes, 56),
        };
        (half(8) == FORMAT && half(14) == 0 && head.length as usize <= BODY_BYTES_MAX).then_some(head)
    }

    /// The format number of bytes that start like a chunk.
    pub fn format_of(bytes: &[u8]) -> Option<u16> {
        let rest = bytes.strip_prefix(MAGIC)?;
        Some(u16::from_le_bytes([*rest.first()?, *rest.get(1)?]))
    }
}

fn number(bytes: &[u8; HEAD_BYTES], at: usize) -> u64 {
    let mut number = [0; 8];
    number.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(number)
}
