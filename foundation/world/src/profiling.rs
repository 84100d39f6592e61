//! The measuring of objects while a profile is taken: how many were updated, of which tag, and how long that took.
//!
//! Laws
//! 1. Measuring changes nothing in the world, and allocates nothing while stepping: the tables of a worker have one row for each
//!    prototype.
//! 2. The world reads no clock: a profile brings the caller's.
//! 3. Counts are exact. Times are exact for the first objects of a tag in each chunk and cycle, and sampled for the rest: a clock
//!    reading costs about as much as the update of a simple object.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::Relaxed;

use base::Handle;
use jobs::PerWorker;

use crate::limits::{CHUNK_OBJECTS, DESKS, MEASURED_FIRST, MEASURED_INTERVAL};
use crate::object::Object;

/// The clock of a profile: nanoseconds since any moment.
pub type ProfileClock = Arc<dyn Fn() -> u64 + Send + Sync>;

/// The parts of a step that have a budget of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Domain {
    /// The whole step.
    Step,
    /// Updates and movement of objects, inputs, spawning and destroying, placement, tag changes.
    Mechanics,
    /// Messages, damage and callbacks.
    Messages,
    /// Physics.
    Physics,
    /// The game's own brushes.
    Game,
}

impl Domain {
    /// All domains.
    pub const ALL: [Domain; 5] = [Domain::Step, Domain::Mechanics, Domain::Messages, Domain::Physics, Domain::Game];

    /// Its name, as tags have it.
    pub const fn name(self) -> &'static str {
        match self {
            Domain::Step => "step",
            Domain::Mechanics => "mechanics",
            Domain::Messages => "messages",
            Domain::Physics => "physics",
            Domain::Game => "game",
        }
    }

    /// The domain of a stage, by its number in the [table](crate::stages).
    pub const fn of_stage(stage: u32) -> Domain {
        match stage {
            5..=7 => Domain::Messages,
            9 => Domain::Physics,
            12 => Domain::Game,
            _ => Domain::Mechanics,
        }
    }
}

/// A budget: a step whose domain takes longer is reported. It cannot change the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// The domain.
    pub domain: Domain,
    /// The time, in nanoseconds.
    pub nanos: u64,
}

/// The costs of the objects of a tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ObjectCost {
    /// Updates of objects, and messages delivered to them.
    pub updates: u64,
    /// The time of the updates on all workers, in nanoseconds; partly an estimate.
    pub nanos: u64,
    /// The number of evaluations of their scripts.
    pub evaluations: u64,
    /// The fuel of the evaluations.
    pub fuel: u64,
}

impl ObjectCost {
    /// Adds others.
    pub fn add(&mut self, other: ObjectCost) {
        self.updates = self.updates.saturating_add(other.updates);
        self.nanos = self.nanos.saturating_add(other.nanos);
        self.evaluations = self.evaluations.saturating_add(other.evaluations);
        self.fuel = self.fuel.saturating_add(other.fuel);
    }
}

/// The tables of all workers. Without a profile they are empty.
pub(crate) struct ObjectMeasuring {
    is_on: AtomicBool,
    desks: PerWorker<MeasuringDesk>,
}

/// The table of a worker, in cache lines of its own.
#[repr(align(128))]
#[derive(Default)]
struct MeasuringDesk {
    clock: Option<ProfileClock>,
    rows: Vec<MeasuredUpdates>,
    /// The prototypes whose objects were updated since the last call of `take`.
    updated: Vec<u32>,
    random: u32,
}

/// The updates of a prototype's objects: the first few, which are all measured, and the rest, of which some are.
#[derive(Clone, Copy, Default)]
struct MeasuredUpdates {
    updates: u64,
    first_nanos: u64,
    samples: u64,
    sampled_nanos: u64,
    /// The longest sample.
    longest_nanos: u64,
    /// The updates until the next sample.
    until: u32,
}

impl ObjectMeasuring {
    pub fn new() -> ObjectMeasuring {
        ObjectMeasuring { is_on: AtomicBool::new(false), desks: PerWorker::new(DESKS, MeasuringDesk::default) }
    }

    /// Allocates the tables for this many prototypes; off.
    pub fn prepare(&self, clock: &ProfileClock, prototypes: usize) {
        self.set_on(false);
        for number in 0..self.desks.count() {
            self.desks.with(number, |desk| {
                desk.clock = Some(Arc::clone(clock));
                desk.rows = alloc::vec![MeasuredUpdates::default(); prototypes];
                desk.updated = Vec::with_capacity(prototypes);
                desk.random = number as u32 + 1;
            });
        }
    }

    /// The clock, if the tables were allocated.
    pub fn clock(&self) -> Option<ProfileClock> {
        self.desks.with(0, |desk| desk.clock.clone())
    }

    /// Measures from now on, or does not.
    pub fn set_on(&self, is_on: bool) {
        self.is_on.store(is_on, Relaxed);
    }

    #[inline]
    pub fn is_on(&self) -> bool {
        self.is_on.load(Relaxed)
    }

    /// Works on an object, and counts that, if a profile is taken.
    #[inline]
    pub fn measure(&self, object: Handle<Object>, prototype: u32, work: impl FnOnce()) {
        if !self.is_on() {
            return work();
        }
        self.desks.with(usize::from(object.slot()) / CHUNK_OBJECTS as usize, |desk| desk.measure(prototype, work));
    }

    /// Takes the counts of the cycle. A prototype may come several times.
    pub fn take(&self, mut take: impl FnMut(u32, ObjectCost)) {
        for number in 0..self.desks.count() {
            self.desks.with(number, |desk| {
                while let Some(prototype) = desk.updated.pop() {
                    if let Some(row) = desk.rows.get_mut(prototype as usize) {
                        let rest = MeasuredUpdates { until: row.until, ..MeasuredUpdates::default() };
                        take(prototype, core::mem::replace(row, rest).cost());
                    }
                }
            });
        }
    }
}

impl MeasuringDesk {
    fn measure(&mut self, prototype: u32, work: impl FnOnce()) {
        let (Some(row), Some(clock)) = (self.rows.get_mut(prototype as usize), &self.clock) else { return work() };
        if row.updates == 0 {
            self.updated.push(prototype);
        }
        row.updates += 1;
        let is_first = row.updates <= MEASURED_FIRST;
        if !is_first {
            row.until = row.until.saturating_sub(1);
            if row.until > 0 {
                return work();
            }
            // Intervals of random length (xorshift), so that no pattern of objects is preferred.
            self.random ^= self.random << 13;
            self.random ^= self.random >> 17;
            self.random ^= self.random << 5;
            row.until = 1 + self.random % (2 * MEASURED_INTERVAL - 1);
        }
        let before = clock();
        work();
        let nanos = clock().saturating_sub(before);
        if is_first {
            row.first_nanos += nanos;
        } else {
            row.samples += 1;
            row.sampled_nanos += nanos;
            row.longest_nanos = row.longest_nanos.max(nanos);
        }
    }
}

impl MeasuredUpdates {
    /// The costs, with the time of updates that were not measured estimated from those that were. The longest sample counts once: it
    /// may be the one during which the thread was interrupted.
    fn cost(&self) -> ObjectCost {
        let first = self.updates.min(MEASURED_FIRST);
        let rest = (self.updates - first).saturating_sub(self.samples.min(1));
        let (measured, nanos) = if self.samples > 1 {
            (self.samples - 1, self.sampled_nanos - self.longest_nanos)
        } else {
            (first, self.first_nanos)
        };
        let estimate = (u128::from(nanos) * u128::from(rest)).checked_div(measured.into()).unwrap_or(0);
        let measured = self.first_nanos.saturating_add(self.longest_nanos);
        let nanos = measured.saturating_add(u64::try_from(estimate).unwrap_or(u64::MAX));
        ObjectCost { updates: self.updates, nanos, ..ObjectCost::default() }
    }
}

impl fmt::Debug for ObjectMeasuring {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ObjectMeasuring({})", self.is_on())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::sync::atomic::AtomicU64;

    #[test]
    fn a_sampled_time_is_near_the_exact_one_and_counts_are_exact() {
        let time = Arc::new(AtomicU64::new(0));
        let (clock, ticks) = (Arc::clone(&time), Arc::clone(&time));
        let clock: ProfileClock = Arc::new(move || clock.load(Relaxed));
        let measuring = ObjectMeasuring::new();
        measuring.measure(Handle::NONE, 0, || {});
        measuring.take(|_, _| panic!("no profile is taken"));
        measuring.prepare(&clock, 3);
        measuring.set_on(true);
        let mut found = ObjectCost::default();
        let mut exact = 0;
        for _ in 0..100 {
            for index in 0_u64..600 {
                // Every second object is slow, and each first one of a cycle is very slow.
                let nanos = if index == 0 { 5000 } else { 50 + index % 2 * 100 };
                exact += nanos;
                measuring.measure(Handle::NONE, 2, || {
                    ticks.fetch_add(nanos, Relaxed);
                });
            }
            measuring.take(|prototype, cost| {
                assert_eq!(prototype, 2);
                found.add(cost);
            });
        }
        assert_eq!(found.updates, 60_000);
        let error = found.nanos.abs_diff(exact) as f64 / exact as f64;
        assert!(error < 0.03, "{} instead of {exact}", found.nanos);
    }

    #[test]
    fn every_stage_has_a_domain() {
        let of = |stage: u32| Domain::of_stage(stage).name();
        assert_eq!(
            [1, 5, 6, 7, 9, 11, 12].map(of),
            ["mechanics", "messages", "messages", "messages", "physics", "mechanics", "game"]
        );
    }
}
