//! The monotonic clock, for the main loop, the profiler and the network. Never for the world.
//!
//! Laws
//! 1. A clock never goes backwards, even if the time of day does.
//! 2. Sleeping ends on time or late, never early, and does not spin.

use std::fs::File;
use std::io::Read;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// Nanoseconds since its creation; 64 bits last for 584 years.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
}

impl Clock {
    /// A clock that starts at zero, now.
    #[must_use]
    pub fn new() -> Clock {
        Clock { start: Instant::now() }
    }

    /// Nanoseconds since the clock was created.
    #[must_use]
    pub fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Sleeps until `now()` is at least `moment`. Returns at once if that has passed.
    pub fn sleep_until(&self, moment: u64) {
        loop {
            let now = self.now();
            if now >= moment {
                return;
            }
            thread::sleep(Duration::from_nanos(moment - now));
        }
    }

    /// Sleeps for at least this many nanoseconds.
    pub fn sleep(&self, nanoseconds: u64) {
        self.sleep_until(self.now().saturating_add(nanoseconds));
    }
}

/// Nanoseconds since 1970, as in file timestamps. May jump: only for comparison with those.
#[must_use]
pub fn time_of_day() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.ok().and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0)
}

/// CPU time of the current thread in nanoseconds, where the machine provides it. Costs a few microseconds; does not
/// allocate.
#[must_use]
pub fn thread_nanos() -> Option<u64> {
    let mut text = [0; 64];
    let length = File::open("/proc/thread-self/schedstat").and_then(|mut file| file.read(&mut text)).ok()?;
    let digits = text[..length].split(|byte| *byte == b' ').next()?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

impl Default for Clock {
    fn default() -> Clock {
        Clock::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_never_goes_backwards() {
        let clock = Clock::new();
        let mut last = 0;
        for _ in 0..10_000 {
            let now = clock.now();
            assert!(now >= last);
            last = now;
        }
    }

    #[test]
    fn sleeping_never_ends_early() {
        let clock = Clock::new();
        let moment = clock.now() + 100_000;
        clock.sleep_until(moment);
        let woken = clock.now();
        assert!(woken >= moment);
        clock.sleep(50_000);
        assert!(clock.now() >= woken + 50_000);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_working_thread_uses_processor_time() {
        let before = thread_nanos().expect("the machine reports it");
        let clock = Clock::new();
        while clock.now() < 20_000_000 {}
        assert!(thread_nanos().expect("the machine reports it") > before);
    }

    #[test]
    fn sleeping_until_a_past_moment_returns_at_once() {
        let clock = Clock::new();
        clock.sleep_until(0);
        clock.sleep(0);
    }
}
