//! Proof that a step does not allocate: a counting global allocator.
//!
//! A program that makes [`CountingAllocator`] its `#[global_allocator]` can prove that a step allocates nothing.
//! Without it everything here works and counts nothing.
//!
//! Laws
//! 1. Forbidding holds for the current thread, and for the jobs of every [`ThreadPool`](crate::thread_pool::ThreadPool)
//!    it runs meanwhile.
//! 2. Allocation and reallocation are counted; deallocation is always allowed.
//! 3. Allocations of a panic for its message are not counted.
//! 4. Where allocation is allowed and not measured, the cost is a few accesses to thread-locals.
//! 5. [`measure`] counts the bytes of the current thread only.
//! 6. Where the machine gives no more memory, or a limit that was set is reached, the program ends with a message and the status 1
//!    instead of being aborted, or killed by the system. Work that can go on without the memory asks in [`may_fail`].
#![allow(unsafe_code, reason = "an allocator is an unsafe trait; every call is passed on to the system's")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::{Backtrace, BacktraceStatus};
use std::cell::Cell;
use std::fs::File;
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::process;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

/// The reaction to a forbidden allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It is counted, see [`allocations_while_forbidden`]. The default.
    Count,
    /// It is reported on standard error, with a backtrace if `RUST_BACKTRACE` is set, and the process aborts.
    Stop,
}

/// Sets the reaction to a forbidden allocation for the whole process.
pub fn set_mode(mode: Mode) {
    STOPS.store(mode == Mode::Stop, Ordering::Relaxed);
}

/// Runs `work` with allocation forbidden on this thread and in the jobs it runs on a thread pool. May be nested.
pub fn forbid<R>(work: impl FnOnce() -> R) -> R {
    let _forbidding = Forbidding::new();
    work()
}

/// The number of forbidden allocations by this thread and by the jobs that thread pools ran for it. Monotonic: compare
/// two readings.
#[must_use]
pub fn allocations_while_forbidden() -> u64 {
    COUNTED.get()
}

/// The bytes that some work took from the heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeapUse {
    /// All bytes allocated, including freed ones.
    pub bytes: u64,
    /// The most bytes that were held at a time, beyond those held before.
    pub peak: u64,
    /// The bytes still held at the end, beyond those held before; negative if more was given back.
    pub kept: i64,
}

/// Runs `work` and measures the heap that it uses on this thread. Not to be nested. Nothing is counted without
/// [`CountingAllocator`].
pub fn measure<R>(work: impl FnOnce() -> R) -> (R, HeapUse) {
    TAKEN.set(0);
    HELD.set(0);
    PEAK.set(0);
    MEASURES.set(true);
    let result = work();
    MEASURES.set(false);
    (result, HeapUse { bytes: TAKEN.get(), peak: PEAK.get().max(0).unsigned_abs(), kept: HELD.get() })
}

/// Runs `work`, in which an allocation may fail: it is for `try_reserve`, whose error says so.
pub fn may_fail<R>(work: impl FnOnce() -> R) -> R {
    let before = MAY_FAIL.replace(true);
    let result = work();
    MAY_FAIL.set(before);
    result
}

/// Sets the most bytes of memory that the process may take; 0 for no limit. It is compared with what the system counts, once for every
/// megabyte that a thread allocates. Without effect where the system does not tell.
pub fn set_limit(bytes: u64) {
    LIMIT.store(bytes, Ordering::Relaxed);
}

/// Lets all threads share one heap, for a program whose addresses are limited: the system's allocator otherwise reserves 64 MB of
/// addresses for each thread. To be called before there are threads. Without effect where the system has another allocator.
pub fn share_heap() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        unsafe extern "C" {
            fn mallopt(parameter: std::ffi::c_int, value: std::ffi::c_int) -> std::ffi::c_int;
        }
        const ARENA_MAX: std::ffi::c_int = -8;
        // SAFETY: a function of the C library that takes two numbers and changes only how later memory is found.
        let _ = unsafe { mallopt(ARENA_MAX, 1) };
    }
}

/// Ends the program because the machine gives no more memory.
#[cold]
pub fn out_of_memory(bytes: usize) -> ! {
    // Nothing here allocates.
    MAY_FAIL.set(true);
    let limit = LIMIT.load(Ordering::Relaxed);
    let mut out = io::stderr();
    let _ = match limit {
        0 => writeln!(out, "out of memory: the machine gives no more, and {bytes} bytes were needed"),
        _ => writeln!(out, "out of memory: {limit} bytes are allowed here, and {bytes} more were needed"),
    };
    let _ = writeln!(out, "give the program more memory, or a smaller input");
    process::exit(1);
}

/// Whether [`CountingAllocator`] is the global allocator: otherwise a count of zero proves nothing.
#[must_use]
pub fn is_watched() -> bool {
    PROBING.set(true);
    forbid(|| drop(black_box(Box::new(0_u8))));
    !PROBING.replace(false)
}

/// The system allocator with counting.
///
/// ```
/// #[global_allocator]
/// static ALLOCATOR: host::allocation::CountingAllocator = host::allocation::CountingAllocator;
///
/// host::allocation::forbid(|| drop(vec![1, 2, 3]));
/// assert_eq!(host::allocation::allocations_while_forbidden(), 1);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct CountingAllocator;

// SAFETY: every call is passed on unchanged to the system's allocator, which keeps the laws of the trait, or gives nothing.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !watch(layout.size()) {
            return given(ptr::null_mut(), layout.size());
        }
        // SAFETY: the caller keeps the same laws.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !watch(layout.size()) {
            return given(ptr::null_mut(), layout.size());
        }
        // SAFETY: the caller keeps the same laws.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !watch(size) {
            return given(ptr::null_mut(), size);
        }
        if MEASURES.get() {
            give_back(layout.size());
        }
        // SAFETY: the caller keeps the same laws.
        given(unsafe { System.realloc(start, layout, size) }, size)
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        if MEASURES.get() {
            give_back(layout.size());
        }
        // SAFETY: the caller keeps the same laws.
        unsafe { System.dealloc(start, layout) }
    }
}

/// Whether the current thread may not allocate. The thread pool passes this on to its workers.
pub(crate) fn is_forbidden() -> bool {
    DEPTH.get() > 0
}

/// Adds the counts of workers to those of the current thread.
pub(crate) fn add_counted(allocations: u64) {
    COUNTED.set(COUNTED.get() + allocations);
}

// All are const-initialised without destructors, so that access never allocates and works while a thread ends.
thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static COUNTED: Cell<u64> = const { Cell::new(0) };
    static PROBING: Cell<bool> = const { Cell::new(false) };
    static MEASURES: Cell<bool> = const { Cell::new(false) };
    static MAY_FAIL: Cell<bool> = const { Cell::new(false) };
    static UNCHECKED: Cell<usize> = const { Cell::new(0) };
    static TAKEN: Cell<u64> = const { Cell::new(0) };
    static HELD: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

static STOPS: AtomicBool = AtomicBool::new(false);

/// The most bytes of the process; 0 for no limit.
static LIMIT: AtomicU64 = AtomicU64::new(0);

/// The bytes that a thread allocates between two looks at the memory of the process.
const UNCHECKED_BYTES_MAX: usize = 1 << 20;

/// The bytes of a page in what the system counts.
const COUNTED_PAGE_BYTES: u64 = 4096;

/// Raises the depth while it lives, so that a panic in the work lowers it again.
struct Forbidding;

impl Forbidding {
    fn new() -> Forbidding {
        DEPTH.set(DEPTH.get() + 1);
        Forbidding
    }
}

impl Drop for Forbidding {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get() - 1);
    }
}

/// Whether this may be allocated.
#[inline]
fn watch(bytes: usize) -> bool {
    if DEPTH.get() > 0 {
        note(bytes);
    }
    if MEASURES.get() {
        take(bytes);
    }
    let unchecked = UNCHECKED.get().saturating_add(bytes);
    UNCHECKED.set(unchecked);
    unchecked < UNCHECKED_BYTES_MAX || is_within_limit(bytes)
}

/// What the system gave, unless it gave nothing where something is needed.
#[inline]
fn given(start: *mut u8, bytes: usize) -> *mut u8 {
    if start.is_null() && !MAY_FAIL.get() {
        out_of_memory(bytes);
    }
    start
}

#[cold]
fn is_within_limit(bytes: usize) -> bool {
    UNCHECKED.set(0);
    let limit = LIMIT.load(Ordering::Relaxed);
    limit == 0 || resident_bytes().saturating_add(bytes as u64) <= limit
}

/// The memory of the process as the system counts it; 0 where it does not tell. Does not allocate.
fn resident_bytes() -> u64 {
    let mut text = [0; 128];
    let Ok(length) = File::open("/proc/self/statm").and_then(|mut file| file.read(&mut text)) else { return 0 };
    let words = str::from_utf8(&text[..length]).unwrap_or_default();
    let pages = words.split(' ').nth(1).and_then(|word| word.parse::<u64>().ok());
    pages.unwrap_or(0).saturating_mul(COUNTED_PAGE_BYTES)
}

fn take(bytes: usize) {
    TAKEN.set(TAKEN.get().wrapping_add(bytes as u64));
    HELD.set(HELD.get().wrapping_add(bytes as i64));
    PEAK.set(PEAK.get().max(HELD.get()));
}

fn give_back(bytes: usize) {
    HELD.set(HELD.get().wrapping_sub(bytes as i64));
}

#[cold]
fn note(bytes: usize) {
    if thread::panicking() || PROBING.replace(false) {
        return;
    }
    add_counted(1);
    if STOPS.load(Ordering::Relaxed) {
        stop(bytes);
    }
}

/// The message is written first, without allocation; then, if requested, the backtrace, which allocates.
fn stop(bytes: usize) -> ! {
    DEPTH.set(0);
    let mut out = io::stderr();
    let _ = writeln!(out, "{bytes} bytes were allocated where allocation is forbidden");
    let backtrace = Backtrace::capture();
    if backtrace.status() == BacktraceStatus::Captured {
        let _ = writeln!(out, "{backtrace}");
    }
    process::abort();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use std::sync::Barrier;
    use std::{env, panic};

    // For all unit tests of the crate.
    #[global_allocator]
    static ALLOCATOR: CountingAllocator = CountingAllocator;

    fn counted(work: impl FnOnce()) -> u64 {
        let before = allocations_while_forbidden();
        work();
        allocations_while_forbidden() - before
    }

    #[test]
    fn the_end_of_memory_is_told_and_is_an_error_where_it_may_be() {
        const CASE: &str = "ASTRARIUM_HOST_TEST_MEMORY";
        const MOST: u64 = 64 << 20;
        let reserve = || Vec::<u8>::new().try_reserve_exact(isize::MAX as usize / 2).is_err();
        if testing::is_child() {
            match env::var(CASE).as_deref() {
                Ok("machine") => drop(reserve()),
                Ok("small") => {
                    set_limit(MOST);
                    let mut kept = Vec::new();
                    loop {
                        kept.push(black_box(Box::new([1_u64; 16])));
                    }
                }
                _ => {
                    set_limit(MOST);
                    drop(black_box(vec![1_u8; 2 * MOST as usize]));
                }
            }
            return;
        }
        assert!(may_fail(reserve), "an error where it may fail");
        for (case, told) in [("machine", "gives no more"), ("small", "67108864"), ("large", "67108864")] {
            let test = "allocation::tests::the_end_of_memory_is_told_and_is_an_error_where_it_may_be";
            let output = testing::again(test).env(CASE, case).output().expect("the test binary runs");
            let said = String::from_utf8_lossy(&output.stderr);
            // The harness of the tests ends with 101 after a panic, and an abort has no status.
            assert_eq!(output.status.code(), Some(1), "{case}: {said}");
            assert!(said.contains("out of memory") && said.contains(told), "{case}: {said}");
        }
    }

    #[test]
    fn only_allocations_while_forbidden_are_counted() {
        assert_eq!(counted(|| drop(black_box(vec![1_u8]))), 0);
        assert_eq!(counted(|| forbid(|| drop(black_box(vec![1_u8])))), 1);
        assert_eq!(counted(|| forbid(|| drop(black_box(vec![0_u8; 9])))), 1);
        assert_eq!(counted(|| drop(black_box(vec![1_u8]))), 0);
    }

    #[test]
    fn reallocation_is_counted_and_deallocation_is_not() {
        let mut grown = black_box(vec![0_u8; 8]);
        assert_eq!(counted(|| forbid(|| grown.reserve_exact(1000))), 1);
        assert_eq!(counted(|| forbid(|| drop(grown))), 0);
    }

    #[test]
    fn the_heap_that_work_uses_is_measured() {
        let before = black_box(vec![0_u8; 5000]);
        let (_, used) = measure(|| {
            drop(black_box(vec![0_u8; 1000]));
            drop(before);
            black_box(vec![0_u8; 600])
        });
        assert_eq!(used, HeapUse { bytes: 1600, peak: 1000, kept: -4400 });
        assert_eq!(measure(|| ()).1, HeapUse::default());
    }

    #[test]
    fn forbidding_may_be_nested() {
        let count = counted(|| {
            forbid(|| {
                forbid(|| ());
                drop(black_box(Box::new(1)));
            });
        });
        assert_eq!(count, 1);
    }

    #[test]
    fn a_panic_ends_the_forbidding_and_is_not_counted_itself() {
        let count = counted(|| {
            let caught = panic::catch_unwind(|| forbid(|| panic!("as {}", "planned")));
            assert!(caught.is_err());
            drop(black_box(Box::new(1)));
        });
        assert_eq!(count, 0);
    }

    #[test]
    fn a_watched_program_knows_it_and_querying_counts_nothing() {
        assert_eq!(counted(|| assert!(is_watched())), 0);
        assert_eq!(counted(|| forbid(|| assert!(is_watched()))), 0);
        assert_eq!(counted(|| forbid(|| drop(black_box(Box::new(1))))), 1);
    }

    #[test]
    fn another_thread_is_not_forbidden() {
        let (before, after) = (Barrier::new(2), Barrier::new(2));
        thread::scope(|scope| {
            let other = scope.spawn(|| {
                before.wait();
                drop(black_box(Box::new(1)));
                after.wait();
                allocations_while_forbidden()
            });
            let count = counted(|| {
                forbid(|| {
                    before.wait();
                    after.wait();
                });
            });
            assert_eq!(count, 0);
            assert_eq!(other.join().expect("it does not panic"), 0);
        });
    }

    #[test]
    #[cfg(not(target_family = "wasm"))]
    fn in_mode_stop_the_program_says_so_and_stops() {
        use crate::testing;
        if testing::is_child() {
            set_mode(Mode::Stop);
            forbid(|| drop(black_box(vec![1_u8; 77])));
            return;
        }
        let output = testing::again("allocation::tests::in_mode_stop_the_program_says_so_and_stops")
            .env("RUST_BACKTRACE", "0")
            .output()
            .expect("the test binary runs");
        assert!(!output.status.success());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("77 bytes were allocated"), "{stderr}");
    }
}
