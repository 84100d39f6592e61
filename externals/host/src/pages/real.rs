//! Pages of the operating system, through the crates `memmap2` and `region`.
//!
//! Large blocks request huge pages where the machine has them: every cycle accesses a block from end to end, and the
//! TLB covers a thousand pages, not ten thousand. Copies of a block of two megabytes take two thirds of the time.
#![allow(unsafe_code, reason = "page protection is changed only here")]

use core::ops::Range;
use core::ptr::NonNull;
use std::alloc::Layout;

use memmap2::MmapMut;
use region::Protection;
use state::limits::PAGE_BYTES;
use state::memory::{Memory, MemorySource, PageAccess};

use super::Pages;
use crate::allocation::out_of_memory;
use crate::limits::LARGE_PAGE_BYTES;

/// The page size of the machine.
#[must_use]
pub fn page_bytes() -> usize {
    region::page::size()
}

impl MemorySource for Pages {
    fn reserve(&self, len: usize) -> Box<dyn Memory> {
        // A mapping has at least one byte, even if the block has none.
        let layout = Layout::from_size_align(len.max(1), PAGE_BYTES).expect("a block is far below the address space");
        let is_large = cfg!(target_os = "linux") && len >= LARGE_PAGE_BYTES;
        // The padding up to a huge page is never written, so it costs no memory.
        let (room, align) = match is_large {
            true => (len.next_multiple_of(LARGE_PAGE_BYTES) + LARGE_PAGE_BYTES, LARGE_PAGE_BYTES),
            false => (layout.size(), PAGE_BYTES),
        };
        let Ok(mut mapping) = MmapMut::map_anon(room) else { out_of_memory(layout.size()) };
        let first = mapping.as_mut_ptr();
        let offset = first.addr().next_multiple_of(align) - first.addr();
        #[cfg(target_os = "linux")]
        if is_large {
            // Without huge pages, ordinary ones will do.
            let _ = mapping.advise_range(memmap2::Advice::HugePage, offset, room - LARGE_PAGE_BYTES);
        }
        let start = NonNull::new(first.wrapping_add(offset)).expect("the operating system maps nothing at zero");
        assert!(offset + len <= room, "the machine's pages are no smaller than the engine's");
        Box::new(PageMemory { start, len, _mapping: mapping })
    }
}

struct PageMemory {
    start: NonNull<u8>,
    len: usize,
    /// Unmaps when dropped, with any protection.
    _mapping: MmapMut,
}

// SAFETY: the value owns its bytes as a `Box<[u8]>` would; pages belong to the process, not to a thread.
unsafe impl Send for PageMemory {}
// SAFETY: shared access only reads the address and the length.
unsafe impl Sync for PageMemory {}

// SAFETY: mapped in `Pages::reserve`, where the operating system gives zeroed pages and the alignment is checked;
// unmapped with the value, never moved between; a page is read-only while all of it was last set so.
unsafe impl Memory for PageMemory {
    fn start(&self) -> NonNull<u8> {
        self.start
    }

    fn len(&self) -> usize {
        self.len
    }

    fn can_protect(&self) -> bool {
        true
    }

    /// Panics if the machine refuses, as it may when out of page tables: silently missing protection would be worse.
    fn protect(&mut self, range: Range<usize>, access: PageAccess) {
        assert!(range.start <= range.end && range.end <= self.len, "{range:?} lies within {} bytes", self.len);
        let pages = whole_pages(&range, access, page_bytes());
        if pages.is_empty() {
            return;
        }
        let protection = match access {
            PageAccess::Read => Protection::READ,
            PageAccess::Write => Protection::READ_WRITE,
        };
        // SAFETY: the pages begin within the mapping, and so no later than its end.
        let first = unsafe { self.start.as_ptr().add(pages.start) };
        // SAFETY: these pages are all within the mapping, which is a whole number of them and belongs to this value.
        let done = unsafe { region::protect(first, pages.len(), protection) };
        if let Err(error) = done {
            panic!("the access to pages {pages:?} cannot be set to {access:?}: {error}");
        }
    }
}

/// Law 2: rounds inwards for read-only, outwards for writing. Empty for an empty range.
fn whole_pages(range: &Range<usize>, access: PageAccess, page_bytes: usize) -> Range<usize> {
    if range.is_empty() {
        return 0..0;
    }
    let (start, end) = match access {
        PageAccess::Read => (range.start.next_multiple_of(page_bytes), range.end / page_bytes * page_bytes),
        PageAccess::Write => (range.start / page_bytes * page_bytes, range.end.next_multiple_of(page_bytes)),
    };
    start..end.max(start)
}

/// Whether page protection works. For the doctor: queries the protection instead of trying a write.
pub(crate) fn protection_works() -> bool {
    let Ok(mapping) = region::alloc(1, Protection::READ_WRITE) else {
        return false;
    };
    let start = mapping.as_ptr::<u8>();
    // SAFETY: the mapping is this function's alone, and nothing is written to it.
    let done = unsafe { region::protect(start, 1, Protection::READ) };
    done.is_ok() && region::query(start).is_ok_and(|found| found.protection() == Protection::READ)
}

#[cfg(test)]
mod tests;
