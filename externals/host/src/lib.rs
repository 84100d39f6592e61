//! What machine are we on?
//!
//! The only crate that talks to the operating system: time, pages, threads, files, sockets, tools. What it offers goes inwards as
//! values of core's traits (`state::memory::MemorySource`, `state::workers::Workers`), so that the world never learns
//! which machine it runs on.
//!
//! Never: decides anything about the world; lets a clock, a thread order or a path reach it; asks the network or a
//! person.
//!
//! Laws
//! 1. A file that was there is whole at every moment, whoever is killed when.
//! 2. What the machine lacks is an answer, not a failure: no threads, no pages and no mappings (wasm) give the same
//!    results, slower or with a clear error.
//! 3. The outside being wrong is a `Result` that names the file and what was being done.
//! 4. What a step uses (pages, the crew) takes nothing from the heap while stepping; [`allocation`] proves it.
//! 5. Nothing waits without a limit, except for work that was given to it.

pub mod limits;

pub mod clock;

pub mod process;

pub mod allocation;

pub mod pages;

pub mod crew;

pub mod parallel;

pub mod files;

pub mod walk;

pub mod watch;

pub mod background;

pub mod mapped;

pub mod chance;

pub mod sockets;

pub mod tool;

pub mod doctor;

#[cfg(test)]
mod testing;
