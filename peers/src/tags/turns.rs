//! Times of a contender: wall time, which people wait for, and processor time, which is the cost.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

use crate::measure::{Row, Times};

/// The measurements of a contender.
#[derive(Clone, Debug)]
pub struct Measured {
    name: String,
    is_warm: bool,
    wall: Times,
    processor: Times,
    turns: u32,
    failures: Vec<(Duration, String)>,
}

impl Measured {
    /// No measurements yet.
    pub fn new(name: &str) -> Measured {
        let (wall, processor) = (Times::default(), Times::default());
        Measured { name: String::from(name), is_warm: false, wall, processor, turns: 0, failures: Vec::new() }
    }

    /// Runs an operation and records its times, unless it failed. The first success warms the caches and does one-time work;
    /// it is not measured.
    pub fn time<R>(&mut self, work: impl FnOnce() -> Result<R, String>) -> Option<R> {
        let (start, start_of_processor) = (Instant::now(), ProcessTime::now());
        let result = std::hint::black_box(work());
        let (wall, processor) = (start.elapsed(), start_of_processor.elapsed());
        match result {
            Ok(result) if !self.is_warm => {
                self.is_warm = true;
                Some(result)
            }
            Ok(result) => {
                self.turns += 1;
                self.wall.add(wall);
                self.processor.add(processor);
                Some(result)
            }
            Err(why) => {
                self.turns += 1;
                self.failures.push((wall, why));
                None
            }
        }
    }

    /// The same for an operation that must succeed.
    pub fn must<R>(&mut self, work: impl FnOnce() -> Result<R, String>) -> R {
        let name = self.name.clone();
        self.time(|| Ok(work().unwrap_or_else(|why| panic!("{name}: {why}")))).expect("it did not fail")
    }

    /// Its name, with the number of failures.
    fn display_name(&self) -> String {
        match self.failures.first() {
            None => self.name.clone(),
            Some((_, why)) if self.has_failed() => format!("{}: always failed, after this time: {why}", self.name),
            Some((_, why)) => format!("{}: failed {} of {} times: {why}", self.name, self.failures.len(), self.turns),
        }
    }

    fn has_failed(&self) -> bool {
        self.failures.len() as u32 == self.turns
    }

    /// The times; those of the failures, if there are no others.
    fn display_times(&self) -> [Times; 2] {
        if !self.has_failed() {
            return [self.wall.clone(), self.processor.clone()];
        }
        let longest = self.failures.iter().map(|(wall, _)| *wall).max().unwrap_or_default();
        [(); 2].map(|()| Times::known(longest.as_secs_f64() * 1e6))
    }
}

/// Our times against a peer's, wall and processor; against a peer that always failed, wall only.
pub fn rows(what: &str, ours: &Measured, peer: &Measured) -> Vec<Row> {
    let ([wall, processor], [peer_wall, peer_processor]) = (ours.display_times(), peer.display_times());
    let mut rows = vec![Row::new(what, &wall, &peer_wall, peer.display_name())];
    if !peer.has_failed() {
        rows.push(Row::new(format!("{what}: processor"), &processor, &peer_processor, peer.display_name()));
    }
    rows
}

/// Our time against the goal.
pub fn goal(what: &str, ours: &Measured, most: Duration) -> Row {
    let [wall, _] = ours.display_times();
    Row::new(what, &wall, &Times::known(most.as_secs_f64() * 1e6), "the goal").with_goal(1.0)
}
