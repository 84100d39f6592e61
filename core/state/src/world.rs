//! The world: the present block and the frozen block (double buffering).
//!
//! `World` enforces the order of a cycle:
//!
//! 1. `simulate`: the pages written since the last cycle are copied to the frozen block. Alarms for this cycle go off.
//!    Items update themselves in parallel: each reads the frozen block, writes its own slot in the present one, and
//!    queues entries at brushes.
//! 2. `paint`, brush by brush in the order of the layout: queued entries are applied in the order of their keys.
//! 3. `rest`: the cycle is counted. Until the next one the world is read-only.
//!
//! Laws
//! 1. After `rest`, the block is the whole state: a world restored from its bytes has the same future.
//! 2. During a cycle, the frozen block is the world at its start. If the cycle panics, the frozen block can be saved.
//! 3. Nothing is allocated after `new`, except in checked worlds, which hash everything a second time.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut, Range};
use core::sync::atomic::AtomicBool;

use base::plain::{self, Plain};
use base::random::{Draw, Pcg};

use crate::block::Block;
use crate::limits::{GARBAGE, PAGE_BYTES};
use crate::marks::{Marks, Moment};
use crate::memory::{MemorySource, PageAccess};
use crate::phase::{Access, Phase};
use crate::plan::{Layout, Life, Plan, RegionKind};
use crate::queue::{EntryHead, Queues};
use crate::tree::HashTree;

/// A world that can be stepped. It dereferences to its present [`Block`].
pub struct World {
    pub(crate) now: Block,
    pub(crate) frozen: Block,
    pub(crate) marks: Marks,
    pub(crate) queues: Queues,
    pub(crate) phase: Phase,
    pub(crate) settings: Settings,
    /// The domain and the chunk of each job of this cycle, and whether it was run.
    pub(crate) jobs: Vec<(u16, u16)>,
    pub(crate) taken: Vec<AtomicBool>,
    /// The runs of pages that freezing copies: first and end.
    pub(crate) dirty: Vec<[u32; 2]>,
    shuffle: Option<Draw>,
    pub(crate) frozen_at: Moment,
    tree: HashTree,
    hashed_at: Moment,
    identity: u64,
}

/// How strictly a world is checked. None of this changes a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Expensive checks: pages are write-protected, and the garbage of a slot is verified before reuse.
    pub is_checked: bool,
    /// The fill byte of dead slots. Zero makes hashing fastest; other values make reads of dead slots conspicuous.
    pub garbage: u8,
    /// If not zero, every queue is shuffled with this seed before it is sorted.
    pub shuffle: u64,
}

impl Default for Settings {
    /// Checked, with nonzero garbage, in debug builds.
    fn default() -> Settings {
        let is_checked = cfg!(debug_assertions);
        Settings { is_checked, garbage: if is_checked { GARBAGE } else { 0 }, shuffle: 0 }
    }
}

/// The state that every world has, in the first system, "time".
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Time {
    /// The number of completed brush cycles.
    pub cycle: u64,
    /// The seed of all random draws of this world.
    pub seed: u64,
    /// The generator of serial code: setting up and painting. Parallel code draws from `Item::random`.
    pub random: Pcg,
    /// The number of entries refused by full outboxes since the world was created.
    pub entries_refused: u64,
    /// The identity of the content in force.
    pub content: u64,
}

/// The offset of [`Time`] in every plan.
const TIME_REGION: u16 = 0;
const TIME_OFFSET: usize = 0;

impl Time {
    /// The time in the bytes of a whole block, which need not be aligned.
    pub(crate) fn of(bytes: &[u8]) -> Time {
        plain::pod_read_unaligned(&bytes[TIME_OFFSET..TIME_OFFSET + size_of::<Time>()])
    }
}

impl Layout {
    /// The layout of a world, with the system "time". Worlds are built only from such layouts.
    pub fn of_world(name: &str) -> Layout {
        let mut layout = Layout::new(name);
        layout.system("time");
        layout.reserve(crate::plan::Reservation {
            name: "time",
            kind: RegionKind::Single,
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
    /// Cycle, seed, random state and counters.
    pub fn time(&self) -> &Time {
        self.value(TIME_OFFSET)
    }

    /// The number of completed brush cycles.
    pub fn cycle(&self) -> u64 {
        self.time().cycle
    }
}

impl World {
    /// An empty world in the phase of setting up. `seed` determines all its random draws.
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
            dirty: Vec::with_capacity(plan.pages()),
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

    /// The generator of serial code.
    pub fn random(&mut self) -> Edit<'_, Pcg> {
        let offset = TIME_OFFSET + core::mem::offset_of!(Time, random);
        self.edit(TIME_REGION, offset, Access::Edit)
    }

    /// Sets the identity of the content in force. Between cycles.
    pub fn set_content(&mut self, identity: u64) {
        self.set_up(|world| world.edit::<Time>(TIME_REGION, TIME_OFFSET, Access::Edit).content = identity);
    }

    /// The current phase.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The settings.
    pub fn settings(&self) -> Settings {
        self.settings
    }

    /// The frozen block: the world at the start of the cycle.
    pub fn frozen(&self) -> &Block {
        &self.frozen
    }

    /// Sets up or changes a level, between cycles.
    pub fn set_up<R>(&mut self, work: impl FnOnce(&mut World) -> R) -> R {
        assert!(matches!(self.phase, Phase::SettingUp | Phase::Resting), "cannot set up while {}", self.phase);
        self.enter(Phase::SettingUp);
        let result = work(self);
        self.enter(Phase::Resting);
        result
    }

    /// The hash tree of the world. Costs only the pages written since the last call.
    pub fn hash_tree(&mut self) -> &HashTree {
        let moment = self.marks.end_epoch();
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

    /// Changes the phase, and in checked worlds the page protection.
    pub(crate) fn enter(&mut self, phase: Phase) {
        if self.settings.is_checked {
            let access = if phase == Phase::Resting { PageAccess::Read } else { PageAccess::Write };
            self.now.protect(0..self.now.plan().bytes(), access);
        }
        self.phase = phase;
    }

    /// Mutable access to one value; marks its pages dirty.
    #[inline]
    #[track_caller]
    pub(crate) fn edit<T: Plain>(&mut self, region: u16, offset: usize, access: Access) -> Edit<'_, T> {
        self.phase.require_writing(access, self.now.plan(), region);
        self.marks.mark(offset..offset + size_of::<T>());
        Edit { value: self.now.value_mut(offset) }
    }

    /// Mutable access to bytes; marks their pages dirty.
    #[inline]
    #[track_caller]
    pub(crate) fn edit_bytes(&mut self, region: u16, bytes: Range<usize>, access: Access) -> &mut [u8] {
        self.phase.require_writing(access, self.now.plan(), region);
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
        self.edit::<Time>(TIME_REGION, TIME_OFFSET, Access::Edit).cycle = cycle;
    }

    pub(crate) fn count_cycle(&mut self) {
        self.edit::<Time>(TIME_REGION, TIME_OFFSET, Access::Edit).cycle += 1;
    }

    pub(crate) fn count_refused(&mut self, entries: u32) {
        if entries > 0 {
            let mut time = self.edit::<Time>(TIME_REGION, TIME_OFFSET, Access::Edit);
            time.entries_refused = time.entries_refused.saturating_add(u64::from(entries));
        }
    }

    /// The number of this world in this process, so that a snapshot knows which world it follows.
    pub(crate) fn identity(&self) -> u64 {
        self.identity
    }

    /// Overwrites the pages of the present block that were written since `moment`.
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

/// Mutable access to a value of the world. When dropped, the value is canonicalised.
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
