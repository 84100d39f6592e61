//! Memory pages for blocks: zeroed, at a fixed address, with write protection by the MMU.
//!
//! Laws
//! 1. Those of `state::memory`.
//! 2. The machine's pages may be larger than the engine's (16 or 64 KiB against 4 KiB). Making a range read-only rounds
//!    inwards to whole pages of the machine, making it writable rounds outwards. So a larger page protects less, but an
//!    allowed write never faults.
//! 3. Without virtual memory (wasm), [`Pages`] is `state::memory::Heap`.
//!
//! Cost: one system call per `reserve`, `protect` and drop.

/// The allocator of memory pages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pages;

#[cfg(target_family = "wasm")]
pub use plain::page_bytes;
#[cfg(not(target_family = "wasm"))]
pub use real::page_bytes;
#[cfg(not(target_family = "wasm"))]
pub(crate) use real::protection_works;

#[cfg(not(target_family = "wasm"))]
mod real;

#[cfg(target_family = "wasm")]
mod plain {
    use super::Pages;
    use state::limits::PAGE_BYTES;
    use state::memory::{Heap, Memory, MemorySource};

    /// The page size of the machine. This one has none, so the engine's.
    #[must_use]
    pub fn page_bytes() -> usize {
        PAGE_BYTES
    }

    impl MemorySource for Pages {
        fn reserve(&self, len: usize) -> Box<dyn Memory> {
            Heap.reserve(len)
        }
    }
}
