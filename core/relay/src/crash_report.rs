//! Crash reports: the reader of black boxes.
//!
//! Laws
//! 1. Any bytes give a report or a clear error. Nothing in them is trusted: backups are validated before a world adopts
//!    them, and records count only while their checksums match.
//! 2. A backup can be replayed up to the last complete cycle if all inputs since are present.
//!
//! Cost: time and memory in proportion to the report: at most 8 bytes of heap for each byte. Held by
//! `tests/growth.rs` of the tool.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use base::bytes::ByteReader;
use base::hash::hash;
use base::plain;
use state::World;
use state::backups::Schedule;
use state::limits::{NAME_BYTES_MAX, PAGE_BYTES};
use state::snapshot::Inconsistent;

use crate::black_box::{
    FORMAT, JOURNAL_HEAD, MAGIC, MODS_BYTES_MAX, Places, Purpose, RECORD_HEAD, TAGS_FRAME, TAGS_MAGIC, WORDS_BYTES_MAX,
    WORDS_OFFSET, read_u64,
};
use crate::sealed::Sealed;

/// An opened black box.
#[derive(Debug)]
pub struct CrashReport<'a> {
    /// Its description.
    pub purpose: Purpose,
    /// The number of completed brush cycles.
    pub complete: u64,
    /// The panic message; empty if the process was killed.
    pub last_words: String,
    /// The whole backups, newest first.
    pub backups: Vec<Backup<'a>>,
    /// All whole inputs, by safe cycle, oldest first, without gaps.
    pub records: Vec<Record>,
    /// The tags that the session began with, as its front door encoded them; empty in reports from before they were kept.
    pub tags: &'a [u8],
}

/// One backup.
#[derive(Clone, Copy, Debug)]
pub struct Backup<'a> {
    /// The brush cycle it was made after.
    pub cycle: u64,
    /// The hash of its world.
    pub hash: u64,
    bytes: &'a [u8],
}

/// The inputs of one safe cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The hash of the world before they entered.
    pub hash_before: u64,
    /// The sealed inputs.
    pub inputs: Sealed,
}

/// Why a black box cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CrashReportError {
    /// It does not start with the magic number.
    NotABlackBox,
    /// Its format is unknown to this program.
    Format {
        /// The format in the file.
        found: u32,
    },
    /// Its head is damaged.
    HeadDamaged,
    /// It is too short or too long.
    Length {
        /// The expected number of bytes.
        expected: u64,
        /// The actual number.
        found: u64,
    },
}

/// Why a backup cannot be restored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BackupError {
    /// Its bytes are not a valid world.
    World(Inconsistent),
    /// Its world is not the one that the report names.
    Damaged {
        /// The cycle that the report names.
        cycle: u64,
        /// The hash that the report names.
        hash: u64,
        /// The cycle of the world.
        found_cycle: u64,
        /// The hash of the world.
        found_hash: u64,
    },
}

impl<'a> CrashReport<'a> {
    /// Opens a black box.
    pub fn read(bytes: &'a [u8]) -> Result<CrashReport<'a>, CrashReportError> {
        let purpose = read_head(bytes)?;
        let places = purpose.places().ok_or(CrashReportError::HeadDamaged)?;
        let length = CrashReportError::Length { expected: places.end as u64, found: bytes.len() as u64 };
        let Some((_, rest)) = bytes.split_at_checked(places.end) else { return Err(length) };
        let tags = if rest.is_empty() { rest } else { read_tags(rest).ok_or(length)? };
        Ok(CrashReport {
            complete: read_u64(bytes, PAGE_BYTES),
            last_words: read_last_words(bytes),
            backups: read_backups(bytes, &places),
            records: read_records(bytes, &places),
            tags,
            purpose,
        })
    }

    /// The record of a safe cycle.
    pub fn record(&self, safe_cycle: u64) -> Option<&Record> {
        let found = self.records.binary_search_by_key(&safe_cycle, |record| record.inputs.cycle());
        found.ok().map(|index| &self.records[index])
    }
}

impl Backup<'_> {
    /// The content identity of its world.
    pub fn content(&self) -> u64 {
        state::save::content_of_block(self.bytes).unwrap_or(0)
    }

    /// Restores the backup into a world. It must be consistent and match its hash; else the world is unchanged.
    pub fn load(&self, world: &mut World) -> Result<(), BackupError> {
        let before = world.bytes().to_vec();
        world.adopt(self.bytes).map_err(BackupError::World)?;
        let (cycle, hash) = (world.cycle(), world.hash());
        if (cycle, hash) == (self.cycle, self.hash) {
            return Ok(());
        }
        world.adopt(&before).map_err(BackupError::World)?;
        Err(BackupError::Damaged { cycle: self.cycle, hash: self.hash, found_cycle: cycle, found_hash: hash })
    }
}

fn read_head(bytes: &[u8]) -> Result<Purpose, CrashReportError> {
    if !bytes.starts_with(MAGIC) {
        return Err(CrashReportError::NotABlackBox);
    }
    let length = CrashReportError::Length { expected: 3 * PAGE_BYTES as u64, found: bytes.len() as u64 };
    let head: &[u8; PAGE_BYTES] = bytes.first_chunk().ok_or(length)?;
    let format = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
    if format != FORMAT {
        return Err(CrashReportError::Format { found: format });
    }
    if hash(&head[..PAGE_BYTES - 8]) != read_u64(head, PAGE_BYTES - 8) {
        return Err(CrashReportError::HeadDamaged);
    }
    let mut reader = ByteReader::new(&head[12..]);
    let mut read = || -> Result<Purpose, base::bytes::ReadError> {
        let journal_bytes = reader.read_u32()?;
        let [layout, content, block_bytes] = [reader.read_u64()?, reader.read_u64()?, reader.read_u64()?];
        let schedule: Schedule = plain::pod_read_unaligned(reader.take(size_of::<Schedule>())?);
        let game = String::from(reader.read_text(NAME_BYTES_MAX)?);
        let level = String::from(reader.read_text(NAME_BYTES_MAX)?);
        let mods = String::from(reader.read_text(MODS_BYTES_MAX)?);
        Ok(Purpose { layout, content, block_bytes, journal_bytes, schedule, game, level, mods })
    };
    read().map_err(|_| CrashReportError::HeadDamaged)
}

/// The tags behind the backups: empty if they are damaged. None if something else stands there.
fn read_tags(rest: &[u8]) -> Option<&[u8]> {
    let body = rest.strip_prefix(TAGS_MAGIC)?;
    let Some(length) = body.len().checked_sub(TAGS_FRAME - TAGS_MAGIC.len()) else { return Some(&[]) };
    let tags = &body[8..8 + length];
    let is_whole = read_u64(body, 0) == length as u64 && read_u64(body, 8 + length) == hash(tags);
    Some(if is_whole { tags } else { &[] })
}

fn read_last_words(bytes: &[u8]) -> String {
    let length = (read_u64(bytes, WORDS_OFFSET) as usize).min(WORDS_BYTES_MAX);
    String::from_utf8_lossy(&bytes[WORDS_OFFSET + 8..WORDS_OFFSET + 8 + length]).into_owned()
}

fn read_backups<'a>(bytes: &'a [u8], places: &Places) -> Vec<Backup<'a>> {
    let mut backups: Vec<Backup<'a>> = (0..places.backup_count)
        .filter_map(|place| {
            let row = 2 * PAGE_BYTES + place * 24;
            let start = places.backups + place * places.block_bytes;
            let backup = Backup {
                cycle: read_u64(bytes, row + 8),
                hash: read_u64(bytes, row + 16),
                bytes: &bytes[start..start + places.block_bytes],
            };
            (read_u64(bytes, row) == 1).then_some(backup)
        })
        .collect();
    backups.sort_by_key(|backup| core::cmp::Reverse(backup.cycle));
    backups
}

/// Reads all journals and keeps the newest gapless run of cycles.
fn read_records(bytes: &[u8], places: &Places) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::new();
    for number in 0..places.journal_count {
        let start = places.journals + number * places.journal_bytes;
        read_journal(&bytes[start..start + places.journal_bytes], &mut records);
    }
    records.sort_by_key(|record| record.inputs.cycle());
    let follows = |pair: &[Record]| pair[0].inputs.cycle().checked_add(1) == Some(pair[1].inputs.cycle());
    let first = records.windows(2).rposition(|pair| !follows(pair)).map_or(0, |hole| hole + 1);
    records.split_off(first)
}

fn read_journal(journal: &[u8], records: &mut Vec<Record>) {
    let used = usize::try_from(read_u64(journal, 8)).unwrap_or(usize::MAX);
    let mut rest = &journal[JOURNAL_HEAD..][..used.min(journal.len() - JOURNAL_HEAD)];
    while rest.len() >= RECORD_HEAD {
        let (head, body) = rest.split_at(RECORD_HEAD);
        let length = usize::try_from(read_u64(head, 0)).unwrap_or(usize::MAX);
        let Some(body) = body.get(..length) else { return };
        let hash_before = read_u64(head, 16);
        if base::hash::mix(hash_before, hash(body)) != read_u64(head, 8) {
            return;
        }
        let mut reader = ByteReader::new(body);
        let Ok(inputs) = Sealed::read(&mut reader) else { return };
        if reader.finish().is_err() {
            return;
        }
        records.push(Record { hash_before, inputs });
        rest = &rest[RECORD_HEAD + length..];
    }
}

impl fmt::Display for CrashReportError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CrashReportError::NotABlackBox => {
                formatter.write_str("expected a crash report, which begins with ASTRCRSH; found something else")
            }
            CrashReportError::Format { found } => {
                write!(formatter, "expected crash report format {FORMAT}, found {found}")
            }
            CrashReportError::HeadDamaged => formatter.write_str("the head is damaged: its checksum does not match"),
            CrashReportError::Length { expected, found } => {
                write!(formatter, "expected {expected} bytes, found {found}")
            }
        }
    }
}

impl core::error::Error for CrashReportError {}

impl fmt::Display for BackupError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BackupError::World(error) => error.fmt(formatter),
            BackupError::Damaged { cycle, hash, found_cycle, found_hash } => write!(
                formatter,
                "the backup of cycle {cycle} is damaged: expected hash {hash:016x}, found {found_hash:016x} of cycle \
                 {found_cycle}"
            ),
        }
    }
}

impl core::error::Error for BackupError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            BackupError::World(error) => Some(error),
            BackupError::Damaged { .. } => None,
        }
    }
}
