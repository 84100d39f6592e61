//! Sessions with random connections and faults, each from a seed, and what must hold in all of them.

use core::fmt;

use alloc::vec::Vec;

use base::{Pcg, Random};

use super::{Disagreement, Rehearsal};
use crate::simulation::{Profile, profile};

/// What a session of [`try_seed`] was like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeedOutcome {
    /// The machines at the beginning.
    pub machines: usize,
    /// Those that take part at the end.
    pub living: usize,
    /// The number of the last term: how often the host was replaced.
    pub terms: u64,
    /// The cycles applied by all machines together.
    pub cycles: u64,
    /// The time of the session, in microseconds.
    pub lasted_us: u64,
}

/// What must not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeedFault {
    /// Machines of one term differ.
    Differ(Disagreement),
    /// A machine neither goes on nor has ended: it applied so few cycles in five seconds.
    Hangs {
        /// The machine.
        machine: usize,
        /// The cycles.
        cycles: usize,
    },
}

const SECOND: u64 = 1_000_000;
/// The longest silence, an election by every candidate, and giving up are over by then.
const SETTLED_US: u64 = 30 * SECOND;
/// A fifth of real time, over five seconds.
const CYCLES_LEAST: usize = 20;

/// A short session of two to six machines with random connections, deaths, cuts, stalls, kicks and leavings.
pub fn faulty(seed: u64) -> Rehearsal {
    let mut random = Pcg::new(seed, 3);
    let count = random.range(2, 6) as usize;
    let draw = |_| random.pick(&profile::ALL).copied().unwrap_or(profile::LAN);
    let profiles: Vec<Profile> = (0..count).map(draw).collect();
    let mut session = Rehearsal::new(seed, &profiles, 10_000);
    session.actions_per_minute = random.range(0, 500) as u32;
    for _ in 0..random.range(1, 4) {
        let now_us = session.now_us + u64::from(random.below(2_500_000));
        session.run_until(now_us);
        let machine = random.below(count as u32) as usize;
        let long_us = now_us + u64::from(random.below(4_000_000));
        match random.below(8) {
            0 | 1 => session.network.kill(machine),
            2 => session.network.kill(usize::from(session.machines[machine].peer.term().host)),
            3 => session.network.cut(machine, long_us),
            4 => session.network.stall(machine, long_us),
            5 => session.machines[machine].peer.leave(),
            6 => drop(session.machines[0].peer.kick(machine as u8)),
            _ => session.network.set_profile(machine, profile::MOUNTAIN_CABIN),
        }
    }
    session
}

/// Plays the session of a seed, with its faults and half a minute after them: machines agree, and each has ended or goes on.
pub fn try_seed(seed: u64) -> Result<SeedOutcome, SeedFault> {
    let mut session = faulty(seed);
    session.check().map_err(SeedFault::Differ)?;
    let settled_us = session.now_us + SETTLED_US;
    session.run_until(settled_us);
    session.check().map_err(SeedFault::Differ)?;
    let before: Vec<usize> = session.machines.iter().map(|machine| machine.chains.len()).collect();
    session.run_until(settled_us + 5 * SECOND);
    session.check().map_err(SeedFault::Differ)?;
    let living = session.living();
    for machine in living.iter().copied() {
        let cycles = session.machines[machine].chains.len() - before[machine];
        if cycles < CYCLES_LEAST {
            return Err(SeedFault::Hangs { machine, cycles });
        }
    }
    Ok(SeedOutcome {
        machines: session.machines.len(),
        living: living.len(),
        terms: session.machines.iter().map(|machine| machine.peer.term().number).max().unwrap_or(0),
        cycles: session.machines.iter().map(|machine| machine.chains.len() as u64).sum(),
        lasted_us: session.now_us,
    })
}

impl fmt::Display for SeedFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SeedFault::Differ(Disagreement { machines: (one, other), cycle }) => {
                write!(out, "machines {one} and {other} differ after cycle {cycle}")
            }
            SeedFault::Hangs { machine, cycles } => {
                write!(out, "machine {machine} applied {cycles} cycles in five seconds")
            }
        }
    }
}
