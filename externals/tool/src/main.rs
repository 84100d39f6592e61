//! The `astrarium` command, with the games of this repository and the tools over their content.

mod tag;

mod lsp;

use std::process::ExitCode;

use astrarium::GameEntry;
use astrarium::host::allocation::CountingAllocator;

/// Watches that a step takes nothing from the heap.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The games of this repository.
const GAMES: [GameEntry; 3] = [sandbox::ENTRY, skirmish::ENTRY, quarry::ENTRY];

fn main() -> ExitCode {
    astrarium::run_with(&GAMES, &[tag::EXTRA, lsp::EXTRA])
}
