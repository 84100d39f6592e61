//! The queues of a cycle: entries in outboxes, and for each brush the keys by which they are sorted.
//!
//! While items simulate, each chunk appends its entries to its own outbox: no lock, no shared counter. Painting appends
//! to one more outbox. An entry is never moved; a brush sorts 128-bit keys whose last bits are the entry's position.
//!
//! Laws
//! 1. A key is (target, source, sequence): array and slot of both, and a count within the source. None of it depends on
//!    threads. Entries queued by painting are numbered from `PAINT_SEQUENCE` on, so that a painter may queue with an
//!    item as source that has queued itself. Items painted in parallel each number from the current sequence; after the
//!    round painting continues after the highest. So no number is used twice for one source.
//! 2. No two entries at a brush have the same key; this is asserted.
//! 3. An entry that does not fit its outbox is refused at once. An outbox belongs to a chunk, and chunks are constants
//!    of the game, so the same entries are refused on every machine.
//! 4. The queues are scratch memory: empty between cycles and never part of a world. Entries left over go into the
//!    block.

use alloc::vec::Vec;

use base::handle::Handle;
use base::plain::{self, Plain};
use base::random::{Draw, Random};

/// Something that can queue or be queued for: a datum of some array, a brush, a player, or the world itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Plain)]
#[repr(C)]
pub struct Address {
    /// Slot and generation within the array.
    pub(crate) handle: Handle<()>,
    /// The array's number in the plan, or a constant for other addresses.
    pub(crate) array: u16,
    pub(crate) spare: u16,
}

impl Address {
    /// The world itself.
    pub const WORLD: Address = Address { handle: Handle::NONE, array: u16::MAX, spare: 0 };

    /// The source of entries that waited in the block: they sort before all others of their target.
    pub(crate) const WAITED: Address = Address { handle: Handle::from_raw(0), array: 0, spare: 0 };

    /// A player.
    pub const fn player(number: u16) -> Address {
        Address { handle: Handle::from_raw(number as u32), array: u16::MAX - 1, spare: 0 }
    }

    /// The number of the player, if the address is one.
    pub const fn as_player(self) -> Option<u16> {
        if self.array == u16::MAX - 1 { Some(self.handle.raw() as u16) } else { None }
    }

    pub(crate) const fn brush(number: u16) -> Address {
        Address { handle: Handle::from_raw(0), array: 0x8000 | number, spare: 0 }
    }

    const fn place(self) -> u32 {
        (self.array as u32) << 16 | self.handle.slot() as u32
    }
}

/// The header before the payload of every entry.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub(crate) struct EntryHead {
    pub target: Address,
    pub source: Address,
    pub sequence: u32,
    /// The number of the brush.
    pub brush: u16,
    /// The length of the payload in words.
    pub words: u16,
}

/// The first sequence number of entries queued by painting. No item queues as many.
const PAINT_SEQUENCE: u32 = 1 << 31;

pub(crate) const HEAD_WORDS: usize = size_of::<EntryHead>() / 8;
const _: () = assert!(size_of::<EntryHead>() == 24);

/// Where the entries of one chunk, or of painting, are written.
pub(crate) struct Outbox<'a> {
    words: &'a mut [u64],
    used: &'a mut u32,
    refused: &'a mut u32,
}

impl<'a> Outbox<'a> {
    pub fn new(words: &'a mut [u64], used: &'a mut u32, refused: &'a mut u32) -> Outbox<'a> {
        Outbox { words, used, refused }
    }

    /// A reborrow of the same outbox.
    pub fn reborrow(&mut self) -> Outbox<'_> {
        Outbox { words: self.words, used: self.used, refused: self.refused }
    }

    /// Appends an entry; false if it does not fit.
    #[inline]
    pub fn push<T: Plain>(&mut self, mut head: EntryHead, payload: &T) -> bool {
        let words = size_of::<T>().div_ceil(8);
        let start = *self.used as usize;
        let Some(entry) = self.words.get_mut(start..start + HEAD_WORDS + words) else {
            *self.refused += 1;
            return false;
        };
        head.words = words as u16;
        let bytes = write_head(entry, &head);
        let (value, rest) = bytes.split_at_mut(size_of::<T>());
        value.copy_from_slice(plain::bytes_of(payload));
        plain::from_bytes_mut::<T>(value).canonicalise();
        rest.fill(0);
        *self.used += (HEAD_WORDS + words) as u32;
        true
    }
}

/// The queues of one world.
pub(crate) struct Queues {
    /// All outboxes, one after the other; the last is the painters'.
    words: Vec<u64>,
    used: Vec<u32>,
    /// For each outbox of a chunk, the position up to which keys were gathered.
    gathered: Vec<u32>,
    refused: Vec<u32>,
    outbox_words: usize,
    keys: Vec<Vec<u128>>,
    /// Stands in for a brush's keys while they are being painted.
    spare_keys: Vec<u128>,
    has_painted: Vec<bool>,
    painting: Option<u16>,
    /// The brush that painted last in this cycle.
    last_painted: Option<u16>,
    sequence: u32,
}

impl Queues {
    pub fn new(chunks: usize, outbox_bytes: u32, paint_bytes: u32, brushes: usize) -> Queues {
        let outbox_words = outbox_bytes as usize / 8;
        let words = chunks * outbox_words + paint_bytes as usize / 8;
        let keys = || Vec::with_capacity(words / HEAD_WORDS);
        Queues {
            words: alloc::vec![0; words],
            used: alloc::vec![0; chunks + 1],
            gathered: alloc::vec![0; chunks],
            refused: alloc::vec![0; chunks + 1],
            outbox_words,
            keys: (0..brushes).map(|_| keys()).collect(),
            spare_keys: keys(),
            has_painted: alloc::vec![false; brushes],
            painting: None,
            last_painted: None,
            sequence: PAINT_SEQUENCE,
        }
    }

    /// Clears all queues, at the start of a cycle.
    pub fn clear(&mut self) {
        self.used.fill(0);
        self.gathered.fill(0);
        self.refused.fill(0);
        // A painter that panicked did not give its keys back.
        for keys in self.keys.iter_mut().chain([&mut self.spare_keys]) {
            keys.clear();
            keys.reserve(self.words.len() / HEAD_WORDS);
        }
        self.has_painted.fill(false);
        self.painting = None;
        self.last_painted = None;
        self.sequence = PAINT_SEQUENCE;
    }

    /// The arrays of which each chunk has its own part: words (followed by the painters'), used, refused; and the words
    /// per chunk.
    pub fn chunk_parts(&mut self) -> (&mut [u64], &mut [u32], &mut [u32], usize) {
        let chunks = self.used.len() - 1;
        (&mut self.words, &mut self.used[..chunks], &mut self.refused[..chunks], self.outbox_words)
    }

    /// Gathers the keys of all entries that chunks wrote since the last call. Returns how many entries were refused.
    pub fn gather(&mut self) -> u32 {
        let chunks = self.used.len() - 1;
        for chunk in 0..chunks {
            let start = chunk * self.outbox_words;
            let mut at = start + self.gathered[chunk] as usize;
            let end = start + self.used[chunk] as usize;
            self.gathered[chunk] = self.used[chunk];
            while at < end {
                let head = self.head(at);
                self.keys[usize::from(head.brush)].push(key(&head, at));
                at += HEAD_WORDS + usize::from(head.words);
            }
        }
        self.refused[..chunks].iter_mut().map(core::mem::take).sum()
    }

    /// Appends an entry while painting; false if it does not fit.
    pub fn push<T: Plain>(&mut self, brush: u16, target: Address, source: Address, sequence: u32, payload: &T) -> bool {
        let chunks = self.used.len() - 1;
        let start = chunks * self.outbox_words;
        let at = start + self.used[chunks] as usize;
        let head = EntryHead { target, source, sequence, brush, words: 0 };
        let mut outbox = Outbox::new(&mut self.words[start..], &mut self.used[chunks], &mut self.refused[chunks]);
        let fits = outbox.push(head, payload);
        if fits {
            self.keys[usize::from(brush)].push(key(&head, at));
        }
        fits
    }

    /// Appends an entry that waited in the block: it sorts before all others of its target, in the order of waiting.
    pub fn push_waited(&mut self, head: &EntryHead, payload: &[u8], index: u32) -> bool {
        let chunks = self.used.len() - 1;
        let words = payload.len().div_ceil(8);
        let start = chunks * self.outbox_words + self.used[chunks] as usize;
        let Some(entry) = self.words.get_mut(start..start + HEAD_WORDS + words) else { return false };
        let head = EntryHead { words: words as u16, ..*head };
        write_head(entry, &head)[..payload.len()].copy_from_slice(payload);
        self.used[chunks] += (HEAD_WORDS + words) as u32;
        let first = EntryHead { source: Address::WAITED, sequence: index, ..head };
        self.keys[usize::from(head.brush)].push(key(&first, start));
        true
    }

    /// The sequence number of the next entry that painting queues.
    /// All numbers below are used.
    pub fn continue_sequence(&mut self, sequence: u32) {
        self.sequence = self.sequence.max(sequence);
    }

    pub fn next_sequence(&mut self) -> u32 {
        self.sequence += 1;
        self.sequence
    }

    pub fn has_painted(&self, brush: u16) -> bool {
        self.has_painted[usize::from(brush)]
    }

    pub fn painting(&self) -> Option<u16> {
        self.painting
    }

    pub fn last_painted(&self) -> Option<u16> {
        self.last_painted
    }

    pub fn set_painting(&mut self, brush: Option<u16>) {
        if let Some(done) = self.painting.take() {
            self.has_painted[usize::from(done)] = true;
            self.last_painted = Some(done);
        }
        self.painting = brush;
    }

    pub fn is_waiting(&self, brush: u16) -> bool {
        !self.keys[usize::from(brush)].is_empty()
    }

    /// Takes the sorted keys of a brush. The caller gives them back; entries queued meanwhile are a new round.
    pub fn take_sorted(&mut self, brush: u16, shuffle: &mut Option<Draw>) -> Vec<u128> {
        let mut keys = core::mem::take(&mut self.spare_keys);
        core::mem::swap(&mut keys, &mut self.keys[usize::from(brush)]);
        self.sort(brush, &mut keys, shuffle);
        keys
    }

    /// Withdraws the matching entries of a brush and returns how many. Payloads have this many bytes.
    pub fn withdraw(
        &mut self,
        brush: u16,
        bytes: usize,
        shuffle: &mut Option<Draw>,
        is_meant: &mut dyn FnMut(&EntryHead, &[u8]) -> bool,
    ) -> u32 {
        let mut keys = core::mem::take(&mut self.keys[usize::from(brush)]);
        self.sort(brush, &mut keys, shuffle);
        let before = keys.len();
        keys.retain(|key| {
            let (head, payload) = self.entry_bytes(*key, bytes);
            !is_meant(&head, payload)
        });
        let withdrawn = before - keys.len();
        self.keys[usize::from(brush)] = keys;
        withdrawn as u32
    }

    /// Gives back the memory of taken keys.
    pub fn give_back(&mut self, mut keys: Vec<u128>) {
        keys.clear();
        self.spare_keys = keys;
    }

    pub fn entry<T: Plain>(&self, key: u128) -> (EntryHead, T) {
        let (head, bytes) = self.entry_bytes(key, size_of::<T>());
        (head, plain::pod_read_unaligned(bytes))
    }

    /// The same with the payload as bytes.
    pub fn entry_bytes(&self, key: u128, bytes: usize) -> (EntryHead, &[u8]) {
        let at = place_of(key);
        let start = at + HEAD_WORDS;
        let payload: &[u8] = plain::cast_slice(&self.words[start..start + bytes.div_ceil(8)]);
        (self.head(at), &payload[..bytes])
    }

    fn sort(&self, brush: u16, keys: &mut [u128], shuffle: &mut Option<Draw>) {
        if let Some(draw) = shuffle {
            draw.shuffle(keys);
        }
        keys.sort_unstable();
        let twins = keys.windows(2).find(|pair| pair[0] >> 32 == pair[1] >> 32);
        if let Some(twins) = twins {
            let entry = self.head(place_of(twins[0]));
            panic!("brush {brush} has two entries with the same key: {entry:?}");
        }
    }

    fn head(&self, at: usize) -> EntryHead {
        *plain::from_bytes(plain::cast_slice(&self.words[at..at + HEAD_WORDS]))
    }
}

/// The target in a key: the array in the upper half, the slot in the lower.
#[inline]
pub(crate) fn target_of(key: u128) -> u32 {
    (key >> 96) as u32
}

/// The position of an entry, in words of all outboxes.
#[inline]
pub(crate) fn place_of(key: u128) -> usize {
    key as u32 as usize
}

fn key(head: &EntryHead, at: usize) -> u128 {
    u128::from(head.target.place()) << 96
        | u128::from(head.source.place()) << 64
        | u128::from(head.sequence) << 32
        | at as u128
}

/// Writes the header of an entry bytewise (a header is aligned to 4, a word to 8) and returns the bytes for the
/// payload.
fn write_head<'a>(entry: &'a mut [u64], head: &EntryHead) -> &'a mut [u8] {
    let bytes: &mut [u8] = plain::cast_slice_mut(entry);
    let (place, payload) = bytes.split_at_mut(size_of::<EntryHead>());
    place.copy_from_slice(plain::bytes_of(head));
    payload
}
