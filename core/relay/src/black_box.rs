//! The black box: a flight recorder of backups and a write-ahead log of inputs, in bytes that outlive the process.
//!
//! The host memory-maps a file and lends its bytes; writes survive even if the process is killed. Every part has its
//! own checksum or hash, so that a reader uses whole parts and skips torn ones.
//!
//! | part | content |
//! |---|---|
//! | head, one page | `ASTRCRSH`, format, layout, content, sizes, schedule, names; checksum |
//! | progress, one page | last complete cycle; the panic message |
//! | places, one page | for each backup: whether it is whole, its cycle, the hash of its world |
//! | journals | inputs, one journal for each long backup and the time after it |
//! | backups | one block each |
//! | tags, if there are any | `ASTRTAGS`, their length, their bytes, the hash of the bytes |
//!
//! A journal begins with the brush cycle at which it was begun and the number of bytes used; a record is its length,
//! the checksum of the rest, the hash of the world before the cycle, and the sealed inputs.
//!
//! Laws
//! 1. Inputs are written before the cycle they enter (write-ahead); a cycle is marked complete after it ended.
//! 2. A record that does not fit its journal is dropped, and so are all after it: a journal has no gaps.
//! 3. Recording does not allocate.
//! 4. From the first backup of a run on, at least one backup is whole at every moment.
//! 5. A box holds one run of cycles. Loading or rewinding a world starts a new run, since the old records do not lead
//!    to it.

use alloc::string::String;
use alloc::vec::Vec;
use core::sync::atomic::{Ordering::SeqCst, compiler_fence};

use base::bytes::{ByteWriter, SliceWriter};
use base::hash::hash;
use base::plain;
use state::World;
use state::backups::{Backups, Schedule};
use state::limits::{NAME_BYTES_MAX, PAGE_BYTES};
use state::marks::Moment;

use crate::sealed::Sealed;

pub(crate) const MAGIC: &[u8; 8] = b"ASTRCRSH";
pub(crate) const FORMAT: u32 = 1;
pub(crate) const PLACES_MAX: usize = 64;
/// One is whole while another is written.
pub(crate) const LONG_COUNT_MIN: u32 = 2;
/// The offset of the panic message, length first.
pub(crate) const WORDS_OFFSET: usize = PAGE_BYTES + 64;
pub(crate) const WORDS_BYTES_MAX: usize = 2048;
/// The journal's first cycle and the bytes used.
pub(crate) const JOURNAL_HEAD: usize = 16;
/// Length, checksum and hash of a record.
pub(crate) const RECORD_HEAD: usize = 24;

/// The first bytes of the tags behind the backups.
pub(crate) const TAGS_MAGIC: &[u8; 8] = b"ASTRTAGS";
/// The bytes around the tags: magic number, length, hash.
pub(crate) const TAGS_FRAME: usize = 24;

/// The part of a black box that holds the tags that the session begins with, as their owner encodes them; empty if there are none.
/// It stands behind the [`Purpose::bytes`] of the rest, and nothing is written there later.
pub fn tags_part(tags: &[u8]) -> Vec<u8> {
    let mut part = Vec::new();
    if !tags.is_empty() {
        part.put(TAGS_MAGIC);
        part.write_u64(tags.len() as u64);
        part.put(tags);
        part.write_u64(hash(tags));
    }
    part
}

/// The most bytes of the list of mods.
pub const MODS_BYTES_MAX: usize = 2048;

/// The description of a black box.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purpose {
    /// The hash of the plan.
    pub layout: u64,
    /// The hash of the content.
    pub content: u64,
    /// The size of a block.
    pub block_bytes: u64,
    /// The size of each journal in bytes.
    pub journal_bytes: u32,
    /// The schedule of backups.
    pub schedule: Schedule,
    /// The game's name.
    pub game: String,
    /// The level's name.
    pub level: String,
    /// The mods in force, a line each; empty without mods. At most [`MODS_BYTES_MAX`] bytes.
    pub mods: String,
}

/// The offsets of all parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    pub journals: usize,
    pub journal_bytes: usize,
    pub journal_count: usize,
    pub backups: usize,
    pub block_bytes: usize,
    pub backup_count: usize,
    pub end: usize,
}

impl Purpose {
    /// The default size of the journal of 30 seconds.
    pub const JOURNAL_BYTES: u32 = 256 * 1024;

    /// The description for this world.
    pub fn of(world: &World, content: u64, level: &str, schedule: Schedule) -> Purpose {
        Purpose {
            layout: world.plan().hash(),
            content,
            block_bytes: world.plan().bytes() as u64,
            journal_bytes: Purpose::JOURNAL_BYTES,
            schedule,
            game: String::from(world.plan().name()),
            level: String::from(level),
            mods: String::new(),
        }
    }

    /// The size of the box in bytes.
    pub fn bytes(&self) -> u64 {
        self.places().map_or(0, |places| places.end as u64)
    }

    /// The offsets of all parts. Nothing if the numbers are absurd.
    pub(crate) fn places(&self) -> Option<Places> {
        let block_bytes = usize::try_from(self.block_bytes).ok()?;
        let journal_bytes = self.journal_bytes as usize;
        let counts = self.schedule.short_count.checked_add(self.schedule.long_count)? as usize;
        let is_sane = (1..=PLACES_MAX).contains(&counts)
            && self.schedule.long_count >= LONG_COUNT_MIN
            && self.schedule.long_cycles > 0
            && journal_bytes.is_multiple_of(PAGE_BYTES)
            && journal_bytes > JOURNAL_HEAD
            && block_bytes.is_multiple_of(PAGE_BYTES);
        if !is_sane {
            return None;
        }
        let journal_count = self.schedule.long_count as usize + 1;
        let journals = 3 * PAGE_BYTES;
        let backups = journal_count.checked_mul(journal_bytes)?.checked_add(journals)?;
        let end = backups.checked_add(counts.checked_mul(block_bytes)?)?;
        Some(Places { journals, journal_bytes, journal_count, backups, block_bytes, backup_count: counts, end })
    }
}

/// Records one session.
#[derive(Debug)]
pub struct BlackBox {
    places: Places,
    backups: Backups,
    long_cycles: u64,
    /// The last complete cycle.
    cycle: u64,
    is_full: bool,
}

impl BlackBox {
    /// Creates a box in these bytes, which must be zero, and makes the first backup.
    ///
    /// # Panics
    /// If there are not [`Purpose::bytes`] of them, a name is too long, or the schedule keeps fewer than two long
    /// backups, or more than 64 in all.
    pub fn new(purpose: &Purpose, bytes: &mut [u8], world: &mut World) -> BlackBox {
        let places = purpose.places().expect("the sizes of a world's black box are in range");
        assert_eq!(bytes.len(), places.end, "the black box of this world");
        assert!(purpose.game.len() <= NAME_BYTES_MAX && purpose.level.len() <= NAME_BYTES_MAX, "{purpose:?}");
        assert!(purpose.mods.len() <= MODS_BYTES_MAX, "{purpose:?}");
        let mut head = Vec::new();
        head.put(MAGIC);
        head.write_u32(FORMAT);
        head.write_u32(purpose.journal_bytes);
        for number in [purpose.layout, purpose.content, purpose.block_bytes] {
            head.write_u64(number);
        }
        head.put(plain::bytes_of(&purpose.schedule));
        for name in [&purpose.game, &purpose.level] {
            head.write_text(name, NAME_BYTES_MAX);
        }
        // Older files end here with zeros, which are an empty text.
        head.write_text(&purpose.mods, MODS_BYTES_MAX);
        head.resize(PAGE_BYTES - 8, 0);
        let checksum = hash(&head);
        head.write_u64(checksum);
        bytes[..PAGE_BYTES].copy_from_slice(&head);
        let long_cycles = u64::from(purpose.schedule.long_cycles);
        let backups = Backups::new(purpose.schedule);
        let mut black_box = BlackBox { places, backups, long_cycles, cycle: world.cycle(), is_full: false };
        black_box.begin_anew(bytes, world);
        black_box
    }

    /// Starts a new run with a backup of this world.
    pub fn begin_anew(&mut self, bytes: &mut [u8], world: &mut World) {
        for place in 0..self.places.backup_count {
            write_u64(bytes, 2 * PAGE_BYTES + place * 24, 0);
        }
        for number in 0..self.places.journal_count {
            write_u64(bytes, self.places.journals + number * self.places.journal_bytes + 8, 0);
        }
        compiler_fence(SeqCst);
        self.cycle = world.cycle();
        write_u64(bytes, PAGE_BYTES, self.cycle);
        self.begin_journal(bytes, self.cycle);
        // A run may start at a cycle without a scheduled backup. It then takes the place of the previous long one,
        // which is not the next to be written, so that some backup is whole at every moment.
        let schedule = self.backups.schedule();
        let long =
            || schedule.short_count as usize + (self.cycle / self.long_cycles) as usize % schedule.long_count as usize;
        self.keep(bytes, world, schedule.place(self.cycle).unwrap_or_else(long));
    }

    /// Records inputs before they enter the world with this hash. If the world is not at the last complete cycle,
    /// starts a new run.
    pub fn record_inputs(&mut self, bytes: &mut [u8], world: &mut World, hash_before: u64, inputs: &Sealed) {
        if world.cycle() != self.cycle {
            self.begin_anew(bytes, world);
        }
        let journal = self.journal(bytes, self.cycle);
        let used = read_u64(journal, 8) as usize;
        let (Some(rest), false) = (journal.get_mut(JOURNAL_HEAD + used..), self.is_full) else {
            self.is_full = true;
            return;
        };
        let capacity = rest.len();
        if capacity < RECORD_HEAD {
            self.is_full = true;
            return;
        }
        let (head, body) = rest.split_at_mut(RECORD_HEAD);
        let mut writer = SliceWriter::new(body);
        inputs.write(&mut writer);
        let Ok(written) = writer.finish() else {
            self.is_full = true;
            return;
        };
        let length = written.len();
        head[..8].copy_from_slice(&(length as u64).to_le_bytes());
        head[16..24].copy_from_slice(&hash_before.to_le_bytes());
        let checksum = base::hash::mix(hash_before, hash(written));
        head[8..16].copy_from_slice(&checksum.to_le_bytes());
        compiler_fence(SeqCst);
        write_u64(journal, 8, (used + RECORD_HEAD + length) as u64);
        compiler_fence(SeqCst);
    }

    /// Marks a cycle as complete, and makes a backup if one is due. If it is not the next cycle, starts a new run.
    pub fn complete(&mut self, bytes: &mut [u8], world: &mut World) {
        let cycle = world.cycle();
        if Some(cycle) != self.cycle.checked_add(1) {
            self.begin_anew(bytes, world);
            return;
        }
        self.cycle = cycle;
        write_u64(bytes, PAGE_BYTES, cycle);
        compiler_fence(SeqCst);
        if let Some(place) = self.backups.schedule().place(cycle) {
            self.keep(bytes, world, place);
        }
        if cycle.is_multiple_of(self.long_cycles) {
            self.begin_journal(bytes, cycle);
        }
    }

    /// Records the panic message.
    pub fn last_words(bytes: &mut [u8], words: &str) {
        let length = words.floor_char_boundary(WORDS_BYTES_MAX.min(words.len()));
        if let Some(place) = bytes.get_mut(WORDS_OFFSET..WORDS_OFFSET + 8 + WORDS_BYTES_MAX) {
            place[8..8 + length].copy_from_slice(&words.as_bytes()[..length]);
            write_u64(place, 0, length as u64);
        }
    }

    /// Makes a backup. While it is being written its place is marked empty.
    fn keep(&mut self, bytes: &mut [u8], world: &mut World, place: usize) {
        let (cycle, hash_of_world) = (world.cycle(), world.hash());
        let row = 2 * PAGE_BYTES + place * 24;
        write_u64(bytes, row, 0);
        compiler_fence(SeqCst);
        let start = self.places.backups + place * self.places.block_bytes;
        let block = &mut bytes[start..start + self.places.block_bytes];
        if self.backups.schedule().place(cycle) == Some(place) {
            self.backups.keep(world, |_| block);
        } else {
            world.copy_changed(Moment::NEVER, block);
        }
        write_u64(bytes, row + 8, cycle);
        write_u64(bytes, row + 16, hash_of_world);
        compiler_fence(SeqCst);
        write_u64(bytes, row, 1);
        compiler_fence(SeqCst);
    }

    fn begin_journal(&mut self, bytes: &mut [u8], cycle: u64) {
        self.is_full = false;
        let journal = self.journal(bytes, cycle);
        write_u64(journal, 8, 0);
        compiler_fence(SeqCst);
        write_u64(journal, 0, cycle);
        compiler_fence(SeqCst);
    }

    fn journal<'a>(&self, bytes: &'a mut [u8], cycle: u64) -> &'a mut [u8] {
        let number = (cycle / self.long_cycles) as usize % self.places.journal_count;
        let start = self.places.journals + number * self.places.journal_bytes;
        &mut bytes[start..start + self.places.journal_bytes]
    }
}

pub(crate) fn read_u64(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}

fn write_u64(bytes: &mut [u8], at: usize, value: u64) {
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
}
