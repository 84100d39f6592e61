//! Real pages for blocks: zeroed, never moving, and guarded by the machine where asked.
//!
//! Laws
//! 1. Those of `state::memory`.
//! 2. The machine's pages may be larger than the engine's (16 or 64 KiB against 4 KiB). Making a range read only rounds
//!    inwards to whole pages of the machine, making it writable rounds outwards. So a larger page guards less, but a
//!    write that was allowed never stops the program.
//! 3. Where there are no pages (wasm), [`Pages`] is `state::memory::Heap`.
//!
//! Cost: one call of the operating system per `reserve`, `protect` and drop.

/// The machine's memory, page by page.
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

    /// How large the machine's pages are. This one has none, so the engine's are as good.
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
