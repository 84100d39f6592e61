//! One block: the bytes of a world at one moment, and the plan that says what they mean.
//!
//! Whoever has a `&Block` can look at everything and change nothing. Keys (`Datums`, `One`, `List`, `Pool`) find their
//! values in it. A block may be a world's present, its frozen past, or a copy somebody keeps.
//!
//! Laws
//! 1. A block means the same at every address: nothing in it is a pointer.
//! 2. A key used with a block of another plan gives a wrong value or stops the program; it never reads outside.
#![allow(unsafe_code, reason = "the block's bytes are borrowed from raw memory here, once")]

use alloc::boxed::Box;
use alloc::sync::Arc;
use core::ops::Range;
use core::ptr::NonNull;

use base::plain::{self, Plain};

use crate::limits::{BRING_LINES_MAX, LINE_BYTES};
use crate::memory::{Access, Memory, MemorySource};
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

    /// All bytes, to be overwritten. The caller answers for marks and phases.
    #[inline]
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `bytes`, and the exclusive borrow makes it the only one.
        unsafe { core::slice::from_raw_parts_mut(self.start.as_ptr(), self.plan.bytes()) }
    }

    /// The first byte, for work that is divided among threads.
    pub(crate) fn start(&mut self) -> NonNull<u8> {
        self.start
    }

    /// Lets whole pages within the range be read only, or be written again.
    pub(crate) fn protect(&mut self, range: Range<usize>, access: Access) {
        self.memory.protect(range, access);
    }

    /// Has the cache line at `offset` brought nearer.
    #[inline]
    pub(crate) fn bring(&self, offset: usize) {
        if let Some(byte) = self.bytes().get(offset) {
            bring(byte);
        }
    }

    /// The plain value that lies at `offset`.
    #[inline]
    pub(crate) fn value<T: Plain>(&self, offset: usize) -> &T {
        plain::from_bytes(&self.bytes()[offset..offset + size_of::<T>()])
    }

    /// The plain value that lies at `offset`, to be changed.
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

/// Has what lies here brought nearer, as far as that is worth it.
#[inline]
pub(crate) fn bring_all(bytes: &[u8]) {
    bytes.chunks(LINE_BYTES).take(BRING_LINES_MAX).for_each(|line| bring(&line[0]));
}

/// Has a cache line brought nearer: it takes time from later, and does nothing else. What looks for wrong accesses does not know
/// the instruction.
#[inline]
fn bring(byte: &u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: it reads nothing that could be seen, and the byte is there.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(byte).cast()) }
    }
    let _ = byte;
}
