//! The memory of a block: page-aligned bytes at a fixed address that may be write-protected.
//!
//! Core cannot call the operating system, so memory pages come from the host through [`MemorySource`]. [`Heap`] is the
//! same without protection, for tests and for machines without virtual memory.
//!
//! Laws
//! 1. Memory is zero when reserved, starts at a multiple of [`PAGE_BYTES`] and keeps its address until dropped.
//! 2. Protection never changes the content; it only makes a wrong write fault at the writer.
#![allow(unsafe_code, reason = "raw memory is handed out here, and nowhere else in core")]

use alloc::alloc::{alloc_zeroed, dealloc, handle_alloc_error};
use alloc::boxed::Box;
use core::alloc::Layout;
use core::ops::Range;
use core::ptr::NonNull;

use crate::limits::PAGE_BYTES;

/// The access to a range of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageAccess {
    /// Read-only: a write faults.
    Read,
    /// Reading and writing.
    Write,
}

/// One reserved range of memory.
///
/// # Safety
/// `start` must stay the same, aligned to [`PAGE_BYTES`], and valid for reads of `len` bytes until the value is
/// dropped, and for writes wherever `protect` did not say [`PageAccess::Read`]. All bytes are zero at first. The memory
/// belongs to this value alone.
pub unsafe trait Memory: Send + Sync {
    /// The first byte.
    fn start(&self) -> NonNull<u8>;

    /// The number of bytes.
    fn len(&self) -> usize;

    /// Whether it has no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether [`Memory::protect`] has an effect.
    fn can_protect(&self) -> bool {
        false
    }

    /// Makes the pages that lie wholly within `range` read-only, or all pages that it touches writable: parts of the
    /// machine's larger pages stay writable.
    fn protect(&mut self, range: Range<usize>, access: PageAccess) {
        let _ = (range, access);
    }
}

/// An allocator of memory for blocks.
pub trait MemorySource: Sync {
    /// Reserves `len` zeroed bytes. Panics if the machine is out of memory: this happens while loading, never while
    /// stepping.
    fn reserve(&self, len: usize) -> Box<dyn Memory>;
}

/// Memory from the ordinary allocator, without protection.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heap;

impl MemorySource for Heap {
    fn reserve(&self, len: usize) -> Box<dyn Memory> {
        let layout = Layout::from_size_align(len.max(1), PAGE_BYTES).expect("a block is far below the address space");
        // SAFETY: the size is at least one.
        let start = unsafe { alloc_zeroed(layout) };
        let Some(start) = NonNull::new(start) else { handle_alloc_error(layout) };
        Box::new(HeapMemory { start, len, layout })
    }
}

struct HeapMemory {
    start: NonNull<u8>,
    len: usize,
    layout: Layout,
}

// SAFETY: the value owns its bytes as a `Box<[u8]>` would.
unsafe impl Send for HeapMemory {}
// SAFETY: shared access only reads the address and the length.
unsafe impl Sync for HeapMemory {}

// SAFETY: allocated zeroed and page-aligned in `Heap::reserve`, freed in `drop`, never moved between.
unsafe impl Memory for HeapMemory {
    fn start(&self) -> NonNull<u8> {
        self.start
    }

    fn len(&self) -> usize {
        self.len
    }
}

impl Drop for HeapMemory {
    fn drop(&mut self) {
        // SAFETY: `start` came from the allocator with this same layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}
