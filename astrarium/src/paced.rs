//! Playing in real time: brush cycles run when they are due, and the thread sleeps between them.
//!
//! Law: the clock decides when a cycle runs, never what happens in it.

use state::pacer::{Pacer, Stopwatch};

use crate::session::Session;

/// The machine's time, as a paced run reads it.
pub trait PaceClock {
    /// The time since an arbitrary fixed moment, in nanoseconds.
    fn now(&mut self) -> u64;

    /// Waits for about this many nanoseconds. Returning early or late costs only smoothness.
    fn sleep(&mut self, nanoseconds: u64);
}

impl PaceClock for host::clock::Clock {
    fn now(&mut self) -> u64 {
        host::clock::Clock::now(self)
    }

    fn sleep(&mut self, nanoseconds: u64) {
        host::clock::Clock::sleep(self, nanoseconds);
    }
}

/// Runs a session up to a brush cycle, or until its last level ends; returns the machine time that was dropped because
/// the machine was too slow, in nanoseconds. `speed` is world time per machine time, in thousandths; `step` runs one
/// brush cycle.
pub fn run<E>(
    session: &mut Session,
    end: u64,
    speed: u32,
    clock: &mut dyn PaceClock,
    step: &mut dyn FnMut(&mut Session) -> Result<(), E>,
) -> Result<u64, E> {
    let mut watch = Stopwatch::default();
    let mut pacer = Pacer::new(session.lengths());
    pacer.set_speed(speed);
    while session.world().cycle() < end && session.last_ending().is_none() {
        pacer.set_lengths(session.lengths());
        let due = pacer.advance(watch.elapsed(clock.now()));
        for _ in 0..u64::from(due.cycles).min(end - session.world().cycle()) {
            step(session)?;
            if session.last_ending().is_some() {
                break;
            }
        }
        if due.cycles == 0 {
            let world_seconds = session.lengths().brush_seconds() - due.ahead_seconds;
            clock.sleep((f64::from(world_seconds.max(0.0)) * 1e12 / f64::from(speed.max(1))) as u64);
        }
    }
    Ok(pacer.forgotten_nanos())
}
