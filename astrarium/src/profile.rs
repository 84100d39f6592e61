//! The profile of a session: the time of its steps by stage, phase of physics, domain, class, tag and script line, the slowest
//! steps, and the steps that exceeded a budget.
//!
//! Laws
//! 1. Measuring changes nothing in the world, and allocates nothing while it is stepped.
//! 2. A phase of physics belongs to the stage `physics`; the stages add up to the whole, less the clock readings.
//! 3. Fuel and counts of tags and lines are exact, in the steps in which they are measured: in all of them after
//!    [`Session::begin_profile`](crate::Session::begin_profile), otherwise in one of [`SAMPLED_INTERVAL`](limits::SAMPLED_INTERVAL).
//! 4. Times of tags are those of all workers together, and partly estimates; times of lines are the parts of their tags' times that
//!    their fuel has.

use std::fmt;
use std::sync::Arc;

use host::clock::Clock;
use physics::StepPhase;
use world::{Lap, ProfileClock, StepInput, TagCost};

use crate::game::Game;

pub mod limits;

pub mod summary;
pub mod track;

mod tally;

mod budgets;

pub use summary::{LineRow, ProfileRow, ProfileSummary, SlowStep, TagRow};

use budgets::BudgetWatch;
use limits::{LINES_MAX, LINES_PER_SECOND_MAX, SAMPLED_INTERVAL, SECOND_STEPS, SPIKE_NANOS, SPIKES_MAX};
use tally::{Spike, StepCosts, StepTimes, TagNames, Tally};

/// The step times since it was begun.
pub struct StepProfile {
    clock: ProfileClock,
    /// Whether tags and lines are measured in every step.
    is_full: bool,
    /// Whether they are in this one.
    is_measured: bool,
    last: u64,
    began: u64,
    names: Arc<TagNames>,
    step: StepTimes,
    /// The costs of this step, if they are measured.
    of_step: StepCosts,
    /// The steps of the current second of world time, …
    second: Tally,
    /// … of the last one, …
    last_second: Tally,
    /// … and of all before the current one.
    total: Tally,
    /// The slowest of the last seconds.
    spikes: Vec<Spike>,
    budgets: BudgetWatch,
}

/// A second of a profile, which another thread can sum up.
#[derive(Debug, Default)]
pub struct SecondOfProfile(Box<Tally>);

impl fmt::Debug for StepProfile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "StepProfile({} steps)", self.total.steps() + self.second.steps())
    }
}

impl Default for StepProfile {
    fn default() -> StepProfile {
        let clock = Clock::new();
        StepProfile::new(Arc::new(move || clock.now()))
    }
}

impl StepProfile {
    /// A profile with this clock. Tags and lines are measured in some steps.
    pub fn new(clock: ProfileClock) -> StepProfile {
        StepProfile {
            clock,
            is_full: false,
            is_measured: false,
            last: 0,
            began: 0,
            names: Arc::default(),
            step: StepTimes::default(),
            of_step: StepCosts::default(),
            second: Tally::default(),
            last_second: Tally::default(),
            total: Tally::default(),
            spikes: Vec::with_capacity(SPIKES_MAX),
            budgets: BudgetWatch::default(),
        }
    }

    /// Measures tags and lines in every step from now on.
    pub fn measure_all(&mut self) {
        self.is_full = true;
    }

    /// Whether tags and lines are measured in every step.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Prepares for a game that is to be measured: allocates tables.
    pub fn enter(&mut self, game: &dyn Game) {
        game.prepare_profile(&self.clock);
        let mut names = TagNames::clone(&self.names);
        game.each_object_tag(&mut |tag, path, class| names.add(tag, path, class));
        self.names = Arc::new(names);
        self.of_step.reserve(self.names.count());
        self.second.reserve(&self.names, LINES_PER_SECOND_MAX);
        self.last_second.reserve(&self.names, LINES_PER_SECOND_MAX);
        self.total.reserve(&self.names, LINES_MAX);
    }

    /// Takes what a game has measured, before another replaces it.
    pub fn leave(&mut self, game: &dyn Game) {
        self.take_lines(game, &StepInput::empty());
    }

    /// Begins a step.
    pub fn begin_step(&mut self, game: &dyn Game, cycle: u64) {
        self.is_measured = self.is_full || cycle.is_multiple_of(SAMPLED_INTERVAL);
        game.switch_profile(self.is_measured);
        self.step = StepTimes { cycle, ..StepTimes::default() };
        self.began = (self.clock)();
        self.last = self.began;
    }

    /// Adds the end of a part of the step.
    pub fn add(&mut self, lap: Lap) {
        let now = (self.clock)();
        let nanos = now.saturating_sub(self.last);
        self.last = now;
        match lap {
            Lap::Stage(number) => {
                if let Some(stage) = self.step.stages.get_mut((number as usize).wrapping_sub(1)) {
                    stage.add(nanos);
                }
            }
            Lap::Physics(phase) => {
                if let Some(index) = StepPhase::ALL.iter().position(|other| *other == phase) {
                    self.step.phases[index].add(nanos);
                }
            }
        }
    }

    /// Ends the step.
    pub fn end_step(&mut self) {
        self.last = (self.clock)();
        self.step.nanos = self.last.saturating_sub(self.began);
    }

    /// Adds the step, which had this input, to the sums, and compares it with the game's budgets.
    pub fn settle(&mut self, game: &dyn Game, input: &StepInput<'_>) {
        self.of_step.clear();
        if self.is_measured {
            let (second, of_step) = (&mut self.second, &mut self.of_step);
            game.take_costs(input, &mut |TagCost { tag, cost }| {
                second.add_tag(tag, cost);
                of_step.add(tag, cost);
            });
        }
        if !input.changed.tags.is_empty() {
            self.take_lines(game, input);
        }
        let spike = Spike { ended: self.last, step: self.step, tags: self.of_step.longest() };
        self.second.add(&spike, self.is_measured);
        self.keep_spike(spike);
        // Tags that were not measured in this step are told from the others of the second.
        let (second, is_measured) = (&self.second, self.is_measured);
        let tags = || if is_measured { spike.tags } else { second.longest() };
        self.budgets.compare(self.last, &self.step, game.budgets(), tags);
    }

    /// Whether the current second of world time is complete.
    pub fn is_second_over(&self) -> bool {
        self.second.steps() >= SECOND_STEPS
    }

    /// Ends the current second of world time, complete or not. Returns whether it has a step.
    pub fn end_second(&mut self, game: &dyn Game) -> bool {
        if self.second.steps() == 0 {
            return false;
        }
        self.take_lines(game, &StepInput::empty());
        self.total.absorb(&self.second);
        std::mem::swap(&mut self.second, &mut self.last_second);
        self.second.clear();
        true
    }

    /// Copies the last second that has ended. Does not allocate if `second` was reserved.
    pub fn copy_second(&self, second: &mut SecondOfProfile) {
        second.0.copy(&self.last_second);
    }

    /// Allocates for a copy of a second.
    pub fn reserve_second(&self, second: &mut SecondOfProfile) {
        second.0.reserve(&self.names, LINES_PER_SECOND_MAX);
    }

    /// The last second of world time that has ended; without steps before the first has.
    pub fn last_second(&self) -> ProfileSummary {
        self.last_second.summary()
    }

    /// All steps since it was begun, with the slowest of the last seconds. Lines are those up to the last second that has ended.
    pub fn summary(&self) -> ProfileSummary {
        let mut total = Tally::default();
        total.reserve(&self.names, LINES_MAX);
        total.absorb(&self.total);
        total.absorb(&self.second);
        let mut summary = total.summary();
        summary.slowest = self.spikes.iter().map(|spike| spike.slow_step(&self.names)).collect();
        summary.sort();
        summary
    }

    /// Takes the reports about exceeded budgets since the last call, a line each.
    pub fn take_budget_lines(&mut self) -> Vec<String> {
        self.budgets.take(&self.names)
    }

    fn take_lines(&mut self, game: &dyn Game, input: &StepInput<'_>) {
        let second = &mut self.second;
        game.take_lines(input, &mut |line| second.add_line(line));
    }

    /// Keeps a step if it is one of the slowest of the last seconds.
    fn keep_spike(&mut self, spike: Spike) {
        self.spikes.retain(|kept| spike.ended.saturating_sub(kept.ended) < SPIKE_NANOS);
        if self.spikes.len() >= SPIKES_MAX {
            let fastest = self.spikes.iter().enumerate().min_by_key(|(_, kept)| kept.step.nanos);
            let Some((place, _)) = fastest.filter(|(_, kept)| kept.step.nanos < spike.step.nanos) else { return };
            self.spikes.swap_remove(place);
        }
        self.spikes.push(spike);
    }
}

impl SecondOfProfile {
    /// Its first cycle.
    pub fn first(&self) -> u64 {
        self.0.first()
    }

    /// Its tables. Allocates.
    pub fn summary(&self) -> ProfileSummary {
        self.0.summary()
    }
}

#[cfg(test)]
mod tests;
