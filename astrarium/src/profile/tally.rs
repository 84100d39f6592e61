//! The running sums of a profile, in tables of fixed size: adding to them, copying and clearing them allocates nothing.

use std::sync::Arc;

use base::StringId;
use physics::StepPhase;
use world::workspaces::STAGES;
use world::{Domain, LineCost, ObjectCost};

use super::limits::{LINES_MAX, TAGS_MAX, TAGS_NAMED};
use super::summary::{LineRow, ProfileRow, ProfileSummary, SlowStep, TagRow};

/// The index of the stage that has phases.
pub(super) const PHYSICS: usize = 8;

/// The paths and classes of tags.
#[derive(Clone, Debug, Default)]
pub struct TagNames {
    /// By the ids of tags.
    names: Vec<TagName>,
}

/// The name of a tag.
#[derive(Clone, Debug)]
struct TagName {
    tag: StringId,
    path: String,
    class: String,
}

/// The times of one step.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepTimes {
    /// The cycle.
    pub cycle: u64,
    /// The whole step, in nanoseconds.
    pub nanos: u64,
    /// Each stage, and how often it ended. That of physics without its phases.
    pub stages: [Counter; STAGES.len()],
    /// Each phase of physics.
    pub phases: [Counter; StepPhase::ALL.len()],
}

/// The tags that took longest, with their times.
pub type LongestTags = [Option<(StringId, u64)>; TAGS_NAMED];

/// A step and its costliest tags.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spike {
    /// The time at which it ended.
    pub ended: u64,
    /// Its times.
    pub step: StepTimes,
    /// Its costliest tags, if they were measured.
    pub tags: LongestTags,
}

/// The costs of tags in one step.
#[derive(Clone, Debug, Default)]
pub struct StepCosts {
    /// By the ids of tags.
    tags: Vec<(StringId, ObjectCost)>,
}

/// Calls and their time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    pub calls: u64,
    pub nanos: u64,
}

/// The sums over some steps.
#[derive(Debug, Default)]
pub struct Tally {
    names: Arc<TagNames>,
    sums: Sums,
    /// By the ids of tags.
    tags: Vec<(StringId, ObjectCost)>,
    /// By the ids of tags, then by line.
    lines: Vec<((StringId, u32), u64)>,
}

/// The sums without tables.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    first: Option<u64>,
    until: u64,
    steps: u64,
    nanos: u64,
    stages: [Counter; STAGES.len()],
    phases: [Counter; StepPhase::ALL.len()],
    measured: u64,
    /// The costs for which the tables had no row left.
    other_tags: ObjectCost,
    other_fuel: u64,
    slowest: Spike,
}

impl TagNames {
    /// Adds a tag.
    pub fn add(&mut self, tag: StringId, path: &str, class: &str) {
        if let Err(place) = self.names.binary_search_by_key(&tag, |name| name.tag)
            && self.names.len() < TAGS_MAX
        {
            self.names.insert(place, TagName { tag, path: path.to_string(), class: class.to_string() });
        }
    }

    /// The path and the class of a tag.
    pub fn of(&self, tag: StringId) -> (&str, &str) {
        let found = self.names.binary_search_by_key(&tag, |name| name.tag);
        found.map_or(("an unknown tag", "unknown"), |found| (&self.names[found].path, &self.names[found].class))
    }

    /// The number of tags.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// Costly tags, by their paths.
    pub fn name(&self, tags: &LongestTags) -> Vec<(String, u64)> {
        tags.iter().flatten().map(|(tag, nanos)| (self.of(*tag).0.to_string(), *nanos)).collect()
    }
}

impl Counter {
    pub fn add(&mut self, nanos: u64) {
        self.absorb(Counter { calls: 1, nanos });
    }

    fn absorb(&mut self, other: Counter) {
        self.calls += other.calls;
        self.nanos += other.nanos;
    }
}

impl StepTimes {
    /// The time of a stage, with its phases.
    fn stage(&self, index: usize) -> Counter {
        let own = self.stages[index];
        let phases = if index == PHYSICS { self.phases.iter().map(|phase| phase.nanos).sum() } else { 0 };
        Counter { calls: own.calls, nanos: own.nanos + phases }
    }

    /// The time of a domain, in nanoseconds.
    pub fn domain(&self, domain: Domain) -> u64 {
        if domain == Domain::Step {
            return self.nanos;
        }
        let stages = (0..STAGES.len()).filter(|index| Domain::of_stage(*index as u32 + 1) == domain);
        stages.map(|index| self.stage(index).nanos).sum()
    }
}

impl Spike {
    /// It with the names of its tags.
    pub fn slow_step(&self, names: &TagNames) -> SlowStep {
        let stages = STAGES.iter().enumerate().map(|(index, name)| (name.to_string(), self.step.stage(index).nanos));
        let stages = stages.filter(|(_, nanos)| *nanos > 0).collect();
        SlowStep { cycle: self.step.cycle, nanos: self.step.nanos, stages, tags: names.name(&self.tags) }
    }
}

impl StepCosts {
    /// Allocates for this many tags.
    pub fn reserve(&mut self, tags: usize) {
        self.tags.reserve(tags.min(TAGS_MAX).saturating_sub(self.tags.len()));
    }

    /// Begins a step.
    pub fn clear(&mut self) {
        self.tags.clear();
    }

    /// Adds the cost of a tag.
    pub fn add(&mut self, tag: StringId, cost: ObjectCost) {
        add_cost(&mut self.tags, tag, cost);
    }

    /// The tags that took longest.
    pub fn longest(&self) -> LongestTags {
        longest(&self.tags, 1)
    }
}

impl Tally {
    /// Allocates for tags of these names, and for this many lines.
    pub fn reserve(&mut self, names: &Arc<TagNames>, lines: usize) {
        self.names = Arc::clone(names);
        self.tags.reserve(names.count().saturating_sub(self.tags.len()));
        self.lines.reserve(lines.min(LINES_MAX).saturating_sub(self.lines.len()));
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        self.sums = Sums::default();
        self.tags.clear();
        self.lines.clear();
    }

    /// Becomes a copy of another. Does not allocate if it was reserved alike.
    pub fn copy(&mut self, other: &Tally) {
        self.names = Arc::clone(&other.names);
        self.sums = other.sums;
        self.tags.clone_from(&other.tags);
        self.lines.clone_from(&other.lines);
    }

    /// The number of steps.
    pub fn steps(&self) -> u64 {
        self.sums.steps
    }

    /// The first cycle.
    pub fn first(&self) -> u64 {
        self.sums.first.unwrap_or(0)
    }

    /// Adds a step, in which tags were measured or not.
    pub fn add(&mut self, spike: &Spike, is_measured: bool) {
        let (step, sums) = (&spike.step, &mut self.sums);
        sums.first.get_or_insert(step.cycle);
        sums.until = step.cycle + 1;
        sums.steps += 1;
        sums.nanos += step.nanos;
        sums.measured += u64::from(is_measured);
        sums.stages.iter_mut().zip(step.stages).for_each(|(sum, counter)| sum.absorb(counter));
        sums.phases.iter_mut().zip(step.phases).for_each(|(sum, counter)| sum.absorb(counter));
        if step.nanos > sums.slowest.step.nanos {
            sums.slowest = *spike;
        }
    }

    /// Adds the costs of a tag.
    pub fn add_tag(&mut self, tag: StringId, cost: ObjectCost) {
        if !add_cost(&mut self.tags, tag, cost) {
            self.sums.other_tags.add(cost);
        }
    }

    /// Adds the fuel of a line.
    pub fn add_line(&mut self, LineCost { tag, line, fuel }: LineCost) {
        match self.lines.binary_search_by_key(&(tag, line), |(known, _)| *known) {
            Ok(found) => self.lines[found].1 += fuel,
            Err(place) if self.lines.len() < self.lines.capacity() => self.lines.insert(place, ((tag, line), fuel)),
            Err(_) => self.sums.other_fuel += fuel,
        }
    }

    /// Adds the sums of later steps.
    pub fn absorb(&mut self, other: &Tally) {
        let (sums, more) = (&mut self.sums, &other.sums);
        sums.first = sums.first.or(more.first);
        sums.until = sums.until.max(more.until);
        sums.steps += more.steps;
        sums.nanos += more.nanos;
        sums.measured += more.measured;
        sums.stages.iter_mut().zip(more.stages).for_each(|(sum, counter)| sum.absorb(counter));
        sums.phases.iter_mut().zip(more.phases).for_each(|(sum, counter)| sum.absorb(counter));
        sums.other_tags.add(more.other_tags);
        sums.other_fuel += more.other_fuel;
        if more.slowest.step.nanos > sums.slowest.step.nanos {
            sums.slowest = more.slowest;
        }
        other.tags.iter().for_each(|(tag, cost)| self.add_tag(*tag, *cost));
        other.lines.iter().for_each(|((tag, line), fuel)| {
            self.add_line(LineCost { tag: *tag, line: *line, fuel: *fuel });
        });
    }

    /// The tags that took longest, with their times per measured step.
    pub fn longest(&self) -> LongestTags {
        longest(&self.tags, self.sums.measured.max(1))
    }

    /// The tables. Allocates.
    pub fn summary(&self) -> ProfileSummary {
        let (sums, names) = (&self.sums, &self.names);
        let mut rows = Vec::new();
        let times = StepTimes { stages: sums.stages, phases: sums.phases, ..StepTimes::default() };
        for (index, name) in STAGES.iter().enumerate().filter(|(index, _)| sums.stages[*index].calls > 0) {
            let Counter { calls, nanos } = times.stage(index);
            rows.push(ProfileRow { name: name.to_string(), is_phase: false, calls, nanos });
            if index == PHYSICS {
                let phases = StepPhase::ALL.iter().zip(sums.phases).filter(|(_, phase)| phase.calls > 0);
                rows.extend(phases.map(|(phase, Counter { calls, nanos })| ProfileRow {
                    name: phase.name().to_string(),
                    is_phase: true,
                    calls,
                    nanos,
                }));
            }
        }
        let tag = |(tag, cost): &(StringId, ObjectCost)| {
            let (path, class) = names.of(*tag);
            TagRow { path: path.to_string(), class: class.to_string(), cost: *cost }
        };
        let mut tags: Vec<TagRow> = self.tags.iter().map(tag).collect();
        if sums.other_tags != ObjectCost::default() {
            tags.push(TagRow { path: "other tags".into(), class: "other".into(), cost: sums.other_tags });
        }
        let line = |((tag, line), fuel): &((StringId, u32), u64)| LineRow {
            path: names.of(*tag).0.to_string(),
            line: *line,
            fuel: *fuel,
        };
        let mut lines: Vec<LineRow> = self.lines.iter().map(line).collect();
        if sums.other_fuel > 0 {
            lines.push(LineRow { path: "other lines".into(), line: 0, fuel: sums.other_fuel });
        }
        let mut summary = ProfileSummary {
            first: self.first(),
            until: sums.until,
            steps: sums.steps,
            nanos: sums.nanos,
            rows,
            measured: sums.measured,
            tags,
            lines,
            slowest: if sums.slowest.step.nanos > 0 { vec![sums.slowest.slow_step(names)] } else { Vec::new() },
        };
        summary.sort();
        summary
    }
}

/// Adds to a table that is sorted by tag; false if it is full.
fn add_cost(tags: &mut Vec<(StringId, ObjectCost)>, tag: StringId, cost: ObjectCost) -> bool {
    match tags.binary_search_by_key(&tag, |(known, _)| *known) {
        Ok(found) => tags[found].1.add(cost),
        Err(place) if tags.len() < tags.capacity() => tags.insert(place, (tag, cost)),
        Err(_) => return false,
    }
    true
}

/// The tags that took longest, with their times divided by a number of steps.
fn longest(tags: &[(StringId, ObjectCost)], steps: u64) -> LongestTags {
    let mut found: LongestTags = [None; TAGS_NAMED];
    for (tag, cost) in tags.iter().filter(|(_, cost)| cost.nanos > 0) {
        let nanos = cost.nanos / steps;
        let place = found.iter().position(|known| known.is_none_or(|(_, known)| known < nanos));
        if let Some(place) = place {
            found[place..].rotate_right(1);
            found[place] = Some((*tag, nanos));
        }
    }
    found
}
