//! Ten thousand sessions with faults, one for each seed: machines agree, and none hangs.
//!
//! `cargo run --release -p astrarium-net --example seeds`
//!
//! Prints every seed that fails and the sums, and fails if there was one.

use std::process::ExitCode;

use net::rehearsal::{SeedOutcome, try_seed};

const SEEDS: u64 = 10_000;

fn main() -> ExitCode {
    let (mut sum, mut replaced, mut failed) = (SeedOutcome::default(), 0, 0);
    for seed in 0..SEEDS {
        match try_seed(seed) {
            Ok(outcome) => {
                sum.machines += outcome.machines;
                sum.living += outcome.living;
                sum.cycles += outcome.cycles;
                sum.lasted_us += outcome.lasted_us;
                replaced += u64::from(outcome.terms > 0);
            }
            Err(fault) => {
                failed += 1;
                println!("seed {seed}: {fault}");
            }
        }
    }
    println!(
        "{SEEDS} sessions of {:.1} hours, {failed} failed; {} machines, {} of them play at the end; the host was replaced in {replaced}; {} cycles",
        sum.lasted_us as f64 / 3.6e9,
        sum.machines,
        sum.living,
        sum.cycles,
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
