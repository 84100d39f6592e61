//! One block: the bytes of a world at one moment, and the plan that says what they mean.
//!
//! A `&Block` is a read-only view of everything. Keys (`Datums`, `Single`, `List`, `Pool`) find their values in it. A
//! block is the present of a world, its frozen past, or a snapshot.
//!
//! Laws
//! 1. A block means the same at every address: nothing in it is a pointer.
//! 2. A key used with a block of another plan gives a wrong value or panics; it never reads out of bounds.
#![allow(unsafe_code, reason = "the block's bytes are borrowed from raw memory here, once")]

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::ops::Range;
use core::ptr::NonNull;

use base::plain::{self, Plain};

use crate::limits::{LINE_BYTES, PREFETCH_LINES_MAX};
use crate::memory::{Memory, MemorySource, PageAccess};
use crate::plan::{Life, Plan, Region};

/// The bytes of a world at one moment.
pub struct Block {
    plan: Arc<Plan>,
    /// The start of `memory`, kept here so that every access is one addition away.
    start: NonNull<u8>,
    memory: Box<dyn Memory>,
}

// SAFETY: the block owns its memory, which is Send.
unsafe impl Send for Block {}
// SAFETY: a shared block is only read.
unsafe impl Sync for Block {}

impl Block {
    /// A block of zeros.
    pub fn new(plan: &Arc<Plan>, source: &dyn MemorySource) -> Block {
        let memory = source.reserve(plan.bytes());
        assert!(memory.len() >= plan.bytes(), "a block of {} bytes got {}", plan.bytes(), memory.len());
        Block { plan: plan.clone(), start: memory.start(), memory }
    }

    /// What the bytes mean.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// All bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `Memory` promises this many readable bytes at this address while it lives.
        unsafe { core::slice::from_raw_parts(self.start.as_ptr(), self.plan.bytes()) }
    }

    /// All bytes, mutable. The caller is responsible for dirty-page marks and phases.
    #[inline]
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `bytes`, and the exclusive borrow makes it the only one.
        unsafe { core::slice::from_raw_parts_mut(self.start.as_ptr(), self.plan.bytes()) }
    }

    /// The first byte, for work that threads share.
    pub(crate) fn start(&mut self) -> NonNull<u8> {
        self.start
    }

    /// Sets the access to the whole pages within a range.
    pub(crate) fn protect(&mut self, range: Range<usize>, access: PageAccess) {
        self.memory.protect(range, access);
    }

    /// Prefetches the cache line at `offset`.
    #[inline]
    pub(crate) fn prefetch(&self, offset: usize) {
        if let Some(byte) = self.bytes().get(offset) {
            prefetch(byte);
        }
    }

    /// The plain value at `offset`.
    #[inline]
    pub(crate) fn value<T: Plain>(&self, offset: usize) -> &T {
        plain::from_bytes(&self.bytes()[offset..offset + size_of::<T>()])
    }

    /// The plain value at `offset`, mutable.
    #[inline]
    pub(crate) fn value_mut<T: Plain>(&mut self, offset: usize) -> &mut T {
        plain::from_bytes_mut(&mut self.bytes_mut()[offset..offset + size_of::<T>()])
    }

    /// Whether an element of a region is living.
    pub fn is_living(&self, region: &Region, index: u32) -> bool {
        match region.elements.life {
            Life::Always => true,
            Life::Bits(start) => {
                let word: u64 = *self.value(start + (index as usize / 64) * 8);
                word >> (index % 64) & 1 == 1
            }
            Life::Below(count) => index < *self.value::<u32>(count),
        }
    }
}

/// Prefetches these bytes, up to [`PREFETCH_LINES_MAX`] cache lines.
#[inline]
pub(crate) fn prefetch_all(bytes: &[u8]) {
    bytes.chunks(LINE_BYTES).take(PREFETCH_LINES_MAX).for_each(|line| prefetch(&line[0]));
}

/// Prefetches a cache line. Does nothing under Miri, which lacks the instruction.
#[inline]
fn prefetch(byte: &u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch has no visible effect, and the address is valid.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(byte).cast()) }
    }
    let _ = byte;
}
