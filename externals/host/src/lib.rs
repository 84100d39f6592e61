//! What machine are we on?
//!
//! The only crate that calls the operating system: time, memory pages, threads, files, sockets, programs. It implements
//! core's traits (`state::memory::MemorySource`, `jobs::Workers`), so that the world is independent of the machine.
//!
//! Never: decides anything about the world; lets a clock, a thread order or a path reach it; prompts the user.
//!
//! Laws
//! 1. Existing files are replaced atomically: a process killed at any moment leaves the old or the new file.
//! 2. Missing features are not failures: without threads, memory protection or mappings (wasm) results are the same,
//!    slower or with a clear error.
//! 3. An error of the machine is a `Result` that names the file and the operation.
//! 4. Memory pages and thread pool allocate nothing while stepping; [`allocation`] proves it.
//! 5. Every wait has a time limit, except for submitted work.

pub mod limits;

pub mod clock;

pub mod interrupt;
pub mod process;

pub mod allocation;
pub mod memory_limit;

pub mod pages;

pub mod thread_pool;

pub mod parallel;

pub mod exchange;

pub mod files;

pub mod walk;

pub mod watch;

pub mod background;

pub mod mapped;

pub mod chance;

pub mod sockets;

pub mod datagrams;

pub mod share;

pub mod gate;

pub mod own_key;

pub mod web_server;

pub mod tool;

pub mod tool_run;

pub mod worker_process;

#[cfg(all(feature = "window", not(target_family = "wasm")))]
pub mod window;

#[cfg(all(feature = "window", not(target_family = "wasm")))]
pub mod gamepad;

pub mod doctor;

#[cfg(test)]
mod testing;
