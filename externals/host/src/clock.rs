//! How much time has passed, for those who may know: the loop, the profiler, the network. Never the world.
//!
//! Laws
//! 1. A clock never goes backwards, whatever happens to the time of day.
//! 2. Sleeping ends late or on time, never early, and burns nothing.

use std::fs::File;
use std::io::Read;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

/// Nanoseconds since it was made. They last for 584 years.
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

    /// Nanoseconds since the clock was made.
    #[must_use]
    pub fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Sleeps until `now()` is at least `moment`. A moment that has passed does not wait at all.
    pub fn sleep_until(&self, moment: u64) {
        loop {
            let now = self.now();
            if now >= moment {
                return;
            }
            thread::sleep(Duration::from_nanos(moment - now));
        }
    }

    /// Sleeps for at least so many nanoseconds.
    pub fn sleep(&self, nanoseconds: u64) {
        self.sleep_until(self.now().saturating_add(nanoseconds));
    }
}

/// Nanoseconds since 1970, as the ages of files are told. It may jump: for holding against those, and nothing else.
#[must_use]
pub fn time_of_day() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.ok().and_then(|since| i64::try_from(since.as_nanos()).ok()).unwrap_or(0)
}

/// Nanoseconds that the processors worked for the current thread, where the machine tells. A few microseconds; nothing from
/// the heap.
#[must_use]
pub fn thread_nanos() -> Option<u64> {
    let mut told = [0; 64];
    let length = File::open("/proc/thread-self/schedstat").and_then(|mut file| file.read(&mut told)).ok()?;
    let digits = told[..length].split(|byte| *byte == b' ').next()?;
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
    fn a_thread_that_works_is_counted() {
        let before = thread_nanos().expect("the machine tells");
        let clock = Clock::new();
        while clock.now() < 20_000_000 {}
        assert!(thread_nanos().expect("the machine tells") > before);
    }

    #[test]
    fn a_moment_that_has_passed_does_not_wait() {
        let clock = Clock::new();
        clock.sleep_until(0);
        clock.sleep(0);
    }
}
