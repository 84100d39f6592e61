//! How is work shared out?
//!
//! Data parallelism for a deterministic step: slices cut into chunks, phases separated by barriers, pairs of elements
//! scheduled by graph colouring, per-worker memory, and dispatch to AVX2. The threads come from outside, behind the
//! trait [`Workers`].
//!
//! Never: starts a thread; reads a clock; lets the number of threads or their order show in a result.
//!
//! Laws
//! 1. How work is cut into jobs follows from constants of the caller, never from the number of threads.
//! 2. Two jobs that may run at the same time never have the same element.
//! 3. Nothing is allocated while jobs run.
//! 4. A panic in a job reaches the caller.
#![no_std]

extern crate alloc;

pub mod per_worker;
pub mod simd_dispatch;
pub mod workers;

mod parallel_slices;
mod phases;

pub mod slices;

pub mod arena;
pub mod pairing;

pub use arena::{Arena, Filling};
pub use pairing::{NONE, PairWork, Pairing, Pairs};
pub use parallel_slices::ParallelSlices;
pub use per_worker::PerWorker;
pub use slices::{each_chunk, each_chunk_of, each_chunk_of_two, each_range, each_run, each_run_of, each_run_of_two};
pub use workers::{Alone, Workers};
