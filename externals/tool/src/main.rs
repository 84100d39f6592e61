//! The `astrarium` program, with the games of this repository.

use std::process::ExitCode;

use astrarium::GameEntry;
use host::allocation::CountingAllocator;

/// Counts allocations, so that `play` can report those made while stepping.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// The games of this repository.
const GAMES: [GameEntry; 4] = [sandbox::ENTRY, skirmish::ENTRY, quarry::ENTRY, fleet::ENTRY];

fn main() -> ExitCode {
    tool::run(&GAMES)
}
