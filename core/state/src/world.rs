//! The world: a block that lives, and the frozen block it lives from.
//!
//! A cycle goes like this, and `World` sees to the order:
//!
//! 1. `simulate`: the pages written since the last cycle are copied to the frozen block. Those whose alarm is for this cycle
//!    wake. Items update themselves in parallel: each reads the frozen block, writes its own slot in the living one, and
//!    queues work for brushes.
//! 2. `paint`, brush by brush in the order the game lists them: what was queued is applied, in the order of its keys.
//! 3. `rest`: the cycle is counted. Until the next one everybody may look and nobody may write.
//!
//! Laws
//! 1. After `rest`, the block is all there is: a world restored from its bytes goes on in the same way.
//! 2. While a cycle is under way, the frozen block is the world as it was when it began. If the cycle fails, it is what can
//!    be saved.
//! 3. Nothing here takes memory from the heap after `new`, but for checked worlds: their hashes are worked out twice.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut, Range};
use core::sync::atomic::AtomicBool;

use base::plain::{self, Plain};
use base::random::{Draw, Pcg};

use crate::block::Block;
use crate::limits::{FREEZE_PAGES, GARBAGE, PAGE_BYTES};
use crate::marks::{Marks, Moment};
use crate::memory::{Access, MemorySource};
use crate::phase::{Deed, Phase};
use crate::plan::{Layout, Life, Plan, RegionKind};
use crate::queue::{EntryHead, Queues};
use crate::tree::HashTree;

/// A world that can be stepped. It reads as its living [`Block`].
pub struct World {
    pub(crate) now: Block,
    pub(crate) frozen: Block,
    pub(crate) marks: Marks,
    pub(crate) queues: Queues,
    pub(crate) phase: Phase,
    pub(crate) settings: Settings,
    /// The domain and the chunk of each job of this cycle, and whether somebody took it.
    pub(crate) jobs: Vec<(u16, u16)>,
    pub(crate) taken: Vec<AtomicBool>,
    /// Whether somebody took a part of what is frozen.
    pub(crate) copied: Vec<AtomicBool>,
    shuffle: Option<Draw>,
    pub(crate) frozen_at: Moment,
    tree: HashTree,
    hashed_at: Moment,
    identity: u64,
}

/// How carefully a world is run. None of this may change what happens in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Checks what costs time: pages that nobody may write are protected, garbage is looked at before a slot is used again.
    pub is_checked: bool,
    /// What dead slots are filled with. Zero makes hashing fastest, anything else makes whoever reads them stumble.
    pub garbage: u8,
    /// If not zero: every queue is shuffled before it is sorted, in an order that follows from this number.
    pub shuffle: u64,
}

impl Default for Settings {
    /// Checked, and with garbage that is none, in debug builds.
    fn default() -> Settings {
        let is_checked = cfg!(debug_assertions);
        Settings { is_checked, garbage: if is_checked { GARBAGE } else { 0 }, shuffle: 0 }
    }
}

/// What every world knows of itself. It lies in the first system, "time".
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Time {
    /// How many brush cycles were completed.
    pub cycle: u64,
    /// What all random draws of this world follow from.
    pub seed: u64,
    /// A generator for what happens in order: setting up and painting. Parallel work draws from `Item::random`.
    pub random: Pcg,
    /// How many entries found no room in an outbox, in the whole life of the world.
    pub entries_refused: u64,
    /// The content that is in force: the identity of its library.
    pub content: u64,
}

/// Where [`Time`] lies in every plan.
const TIME_REGION: u16 = 0;
const TIME_OFFSET: usize = 0;

impl Time {
    /// The time in the bytes of a whole block, which need not be aligned.
    pub(crate) fn of(bytes: &[u8]) -> Time {
        plain::pod_read_unaligned(&bytes[TIME_OFFSET..TIME_OFFSET + size_of::<Time>()])
    }
}

impl Layout {
    /// The layout of a world: the system "time" is in it already. Worlds are built only from layouts made so.
    pub fn of_world(name: &str) -> Layout {
        let mut layout = Layout::new(name);
        layout.system("time");
        layout.reserve(crate::plan::Reservation {
            name: "time",
            kind: RegionKind::One,
            head: None,
            bit_sets: 0,
            capacity: 1,
            header: None,
            value: Time::DESCRIPTION,
            value_align: align_of::<Time>(),
            chunk: 0,
            life: |_, _| Life::Always,
        });
        layout
    }
}

impl Block {
    /// What the world knows of itself.
    pub fn time(&self) -> &Time {
        self.value(TIME_OFFSET)
    }

    /// How many brush cycles were completed.
    pub fn cycle(&self) -> u64 {
        self.time().cycle
    }
}

impl World {
    /// An empty world, setting up. `seed` decides all its random draws.
    pub fn new(plan: &Arc<Plan>, source: &dyn MemorySource, settings: Settings, seed: u64) -> World {
        assert_eq!(plan.systems()[0].name, "time", "a world's layout begins with `Layout::of_world`");
        let brushes = plan.regions().iter().filter(|region| region.kind == RegionKind::Brush).count();
        let chunks = plan.chunks_max();
        let mut world = World {
            now: Block::new(plan, source),
            frozen: Block::new(plan, source),
            marks: Marks::new(plan.pages()),
            queues: Queues::new(chunks, plan.outbox_bytes, plan.paint_bytes, brushes),
            phase: Phase::SettingUp,
            settings,
            jobs: Vec::with_capacity(chunks),
            taken: (0..chunks).map(|_| AtomicBool::new(false)).collect(),
            copied: (0..plan.pages().div_ceil(FREEZE_PAGES)).map(|_| AtomicBool::new(false)).collect(),
            shuffle: (settings.shuffle != 0).then(|| Draw::new(settings.shuffle, 0, 0, 0)),
            frozen_at: Moment::NEVER,
            tree: HashTree::empty(plan),
            hashed_at: Moment::NEVER,
            identity: next_identity(),
        };
        crate::life::prepare(&mut world.now);
        crate::life::fill_dead(&mut world.now, settings.garbage);
        let time = world.now.value_mut::<Time>(TIME_OFFSET);
        *time = Time { cycle: 0, seed, random: Pcg::new(seed, 0), entries_refused: 0, content: 0 };
        world
    }

    /// The generator for what happens in order.
    pub fn random(&mut self) -> Edit<'_, Pcg> {
        let offset = TIME_OFFSET + core::mem::offset_of!(Time, random);
        self.edit(TIME_REGION, offset, Deed::Edit)
    }

    /// Another content is in force from now on. Between cycles.
    pub fn set_content(&mut self, identity: u64) {
        self.set_up(|world| world.edit::<Time>(TIME_REGION, TIME_OFFSET, Deed::Edit).content = identity);
    }

    /// What the world is doing.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// How carefully it is run.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// The world as it was when the cycle began.
    pub fn frozen(&self) -> &Block {
        &self.frozen
    }

    /// Makes or changes a level, between cycles.
    pub fn set_up<R>(&mut self, work: impl FnOnce(&mut World) -> R) -> R {
        assert!(matches!(self.phase, Phase::SettingUp | Phase::Resting), "cannot set up while {}", self.phase);
        self.enter(Phase::SettingUp);
        let result = work(self);
        self.enter(Phase::Resting);
        result
    }

    /// The hash of the world, split by system and page. Costs what was written since the last call.
    pub fn hash_tree(&mut self) -> &HashTree {
        let moment = self.marks.look();
        self.tree.update(&self.now, &self.marks, self.hashed_at, self.settings.garbage);
        self.hashed_at = moment;
        if self.settings.is_checked {
            assert_eq!(self.tree, HashTree::of(&self.now), "a page was written without being marked");
        }
        &self.tree
    }

    /// The hash of the world as one number.
    pub fn hash(&mut self) -> u64 {
        self.hash_tree().root
    }

    /// Changes the phase, and with it what may be written.
    pub(crate) fn enter(&mut self, phase: Phase) {
        if self.settings.is_checked {
            let access = if phase == Phase::Resting { Access::Read } else { Access::Write };
            self.now.protect(0..self.now.plan().bytes(), access);
        }
        self.phase = phase;
    }

    /// Access to change one value; its pages are marked.
    #[inline]
    #[track_caller]
    pub(crate) fn edit<T: Plain>(&mut self, region: u16, offset: usize, deed: Deed) -> Edit<'_, T> {
        self.phase.require_writing(deed, self.now.plan(), region);
        self.marks.mark(offset..offset + size_of::<T>());
        Edit { value: self.now.value_mut(offset) }
    }

    /// Access to change bytes; their pages are marked.
    #[inline]
    #[track_caller]
    pub(crate) fn edit_bytes(&mut self, region: u16, bytes: Range<usize>, deed: Deed) -> &mut [u8] {
        self.phase.require_writing(deed, self.now.plan(), region);
        self.marks.mark(bytes.clone());
        &mut self.now.bytes_mut()[bytes]
    }

    pub(crate) fn take_sorted(&mut self, brush: u16) -> Vec<u128> {
        self.queues.take_sorted(brush, &mut self.shuffle)
    }

    pub(crate) fn withdraw_queued(
        &mut self,
        brush: u16,
        bytes: usize,
        is_meant: &mut dyn FnMut(&EntryHead, &[u8]) -> bool,
    ) -> u32 {
        self.queues.withdraw(brush, bytes, &mut self.shuffle, is_meant)
    }

    pub(crate) fn set_cycle(&mut self, cycle: u64) {
        self.edit::<Time>(TIME_REGION, TIME_OFFSET, Deed::Edit).cycle = cycle;
    }

    pub(crate) fn count_cycle(&mut self) {
        self.edit::<Time>(TIME_REGION, TIME_OFFSET, Deed::Edit).cycle += 1;
    }

    pub(crate) fn count_refused(&mut self, entries: u32) {
        if entries > 0 {
            let mut time = self.edit::<Time>(TIME_REGION, TIME_OFFSET, Deed::Edit);
            time.entries_refused = time.entries_refused.saturating_add(u64::from(entries));
        }
    }

    /// Which of all worlds of this process it is, so that a snapshot knows whose pages it follows.
    pub(crate) fn identity(&self) -> u64 {
        self.identity
    }

    /// Overwrites the pages of the present that were written since `moment`.
    pub(crate) fn take_pages(&mut self, moment: Moment, from: &[u8]) {
        for pages in self.marks.since(moment) {
            let bytes = pages.start * PAGE_BYTES..pages.end * PAGE_BYTES;
            self.marks.mark(bytes.clone());
            self.now.bytes_mut()[bytes.clone()].copy_from_slice(&from[bytes]);
        }
    }
}

impl Deref for World {
    type Target = Block;

    #[inline]
    fn deref(&self) -> &Block {
        &self.now
    }
}

/// A value of the world, being changed. When this is dropped, the value is made canonical.
pub struct Edit<'a, T: Plain> {
    value: &'a mut T,
}

impl<T: Plain> Deref for Edit<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.value
    }
}

impl<T: Plain> DerefMut for Edit<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.value
    }
}

impl<T: Plain> Drop for Edit<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.value.canonicalise();
    }
}

fn next_identity() -> u64 {
    use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Relaxed)
}
