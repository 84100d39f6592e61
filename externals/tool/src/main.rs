//! The `astrarium` command, with the games of this repository and the tools over their content.

mod tag;

mod lsp;

use std::process::ExitCode;

use astrarium::host::allocation::CountingAllocator;

/// Watches that a step takes nothing from the heap.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

fn main() -> ExitCode {
    astrarium::run_with(&[sandbox::ENTRY, skirmish::ENTRY], &[tag::EXTRA, lsp::EXTRA])
}
