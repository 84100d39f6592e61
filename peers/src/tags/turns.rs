//! Times of one side: of the wall, which is what people wait, and of the processor, which is what it costs.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;

use crate::measure::{Row, Times};

/// What was measured of one side.
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
    /// Nothing yet.
    pub fn new(name: &str) -> Measured {
        let (wall, processor) = (Times::default(), Times::default());
        Measured { name: String::from(name), is_warm: false, wall, processor, turns: 0, failures: Vec::new() }
    }

    /// Does something and adds how long it took, unless it failed. The first time it succeeds is for the caches, and for
    /// whatever there is to do but once, and not measured.
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

    /// The same for who must not fail.
    pub fn must<R>(&mut self, work: impl FnOnce() -> Result<R, String>) -> R {
        let name = self.name.clone();
        self.time(|| Ok(work().unwrap_or_else(|why| panic!("{name}: {why}")))).expect("it did not fail")
    }

    /// Who it is, and how often it failed.
    fn told_name(&self) -> String {
        match self.failures.first() {
            None => self.name.clone(),
            Some((_, why)) if self.has_failed() => format!("{}: always failed, after this time: {why}", self.name),
            Some((_, why)) => format!("{}: failed {} of {} times: {why}", self.name, self.failures.len(), self.turns),
        }
    }

    fn has_failed(&self) -> bool {
        self.failures.len() as u32 == self.turns
    }

    /// The times; of the failures, if there are no others.
    fn told_times(&self) -> [Times; 2] {
        if !self.has_failed() {
            return [self.wall.clone(), self.processor.clone()];
        }
        let longest = self.failures.iter().map(|(wall, _)| *wall).max().unwrap_or_default();
        [(); 2].map(|()| Times::known(longest.as_secs_f64() * 1e6))
    }
}

/// Ours beside another, by the wall and by the processor; beside one that always failed by the wall alone.
pub fn rows(what: &str, ours: &Measured, peer: &Measured) -> Vec<Row> {
    let ([wall, processor], [peer_wall, peer_processor]) = (ours.told_times(), peer.told_times());
    let mut rows = vec![Row::new(what, &wall, &peer_wall, peer.told_name())];
    if !peer.has_failed() {
        rows.push(Row::new(format!("{what}: processor"), &processor, &peer_processor, peer.told_name()));
    }
    rows
}

/// Ours beside what we want.
pub fn goal(what: &str, ours: &Measured, most: Duration) -> Row {
    let [wall, _] = ours.told_times();
    Row::new(what, &wall, &Times::known(most.as_secs_f64() * 1e6), "the goal").with_goal(1.0)
}
