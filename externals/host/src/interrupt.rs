//! The wish of a person or a system that the program ends: Ctrl-C, SIGTERM.
//!
//! Laws
//! 1. After [`watch`], the first such signal only sets a flag that the program reads; the second ends the program at once, as without
//!    this module.
//! 2. Where there are no signals (wasm, Windows), nothing is watched, and the flag stays clear.
#![allow(unsafe_code, reason = "the C library's `signal` is declared and called here")]

use std::sync::atomic::{AtomicBool, Ordering};

static IS_ASKED: AtomicBool = AtomicBool::new(false);

/// Whether the program was asked to end since [`watch`].
pub fn is_asked() -> bool {
    IS_ASKED.load(Ordering::Relaxed)
}

/// Watches for the wish from now on.
#[cfg(unix)]
pub fn watch() {
    for number in [SIGINT, SIGTERM] {
        // SAFETY: `signal` may be called with these numbers at any time; the handler only does what a handler may do.
        unsafe { signal(number, on_signal as *const () as usize) };
    }
}

/// Watches for the wish from now on.
#[cfg(not(unix))]
pub fn watch() {}

#[cfg(unix)]
const SIGINT: i32 = 2;
#[cfg(unix)]
const SIGTERM: i32 = 15;
/// The system's own reaction.
#[cfg(unix)]
const SIG_DFL: usize = 0;

#[cfg(unix)]
unsafe extern "C" {
    fn signal(number: i32, handler: usize) -> usize;
}

#[cfg(unix)]
extern "C" fn on_signal(number: i32) {
    IS_ASKED.store(true, Ordering::Relaxed);
    // SAFETY: `signal` is one of the functions that a handler may call.
    unsafe { signal(number, SIG_DFL) };
}
