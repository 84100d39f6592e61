//! A summary of some steps: tables of times by stage, domain, class, tag and line, and the slowest steps.

use std::collections::BTreeMap;
use std::fmt;

use world::workspaces::STAGES;
use world::{Domain, ObjectCost};

use super::limits::SPIKES_MAX;

/// The times of some steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfileSummary {
    /// The first cycle.
    pub first: u64,
    /// The cycle after the last.
    pub until: u64,
    /// The number of steps.
    pub steps: u64,
    /// The time of all steps, in nanoseconds.
    pub nanos: u64,
    /// The time of each stage that ran, in order, each phase of physics after its stage.
    pub rows: Vec<ProfileRow>,
    /// In how many of the steps tags and lines were measured.
    pub measured: u64,
    /// The costs of tags, the longest time first.
    pub tags: Vec<TagRow>,
    /// The fuel of lines, the most first.
    pub lines: Vec<LineRow>,
    /// The slowest steps, the slowest first.
    pub slowest: Vec<SlowStep>,
}

/// The time of a stage, or of a phase of physics.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfileRow {
    /// The stage, or the phase of physics.
    pub name: String,
    /// Whether it is a phase of physics, which is also counted in the stage above it.
    pub is_phase: bool,
    /// The number of calls.
    pub calls: u64,
    /// The time of all calls, in nanoseconds.
    pub nanos: u64,
}

/// The costs of a tag, or of a class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TagRow {
    /// The tag's path; the class, in a table of classes.
    pub path: String,
    /// The class.
    pub class: String,
    /// The costs, in the steps that were measured.
    pub cost: ObjectCost,
}

/// The fuel of a line of a tag.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineRow {
    /// The tag's path.
    pub path: String,
    /// The line.
    pub line: u32,
    /// The fuel, in the steps that were measured.
    pub fuel: u64,
}

/// A slow step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SlowStep {
    /// Its cycle.
    pub cycle: u64,
    /// Its time, in nanoseconds.
    pub nanos: u64,
    /// The times of its stages, in order.
    pub stages: Vec<(String, u64)>,
    /// The times of the tags that took longest, if they were measured.
    pub tags: Vec<(String, u64)>,
}

impl ProfileSummary {
    /// Adds later steps.
    pub fn absorb(&mut self, other: &ProfileSummary) {
        if self.steps == 0 {
            self.first = other.first;
        }
        (self.first, self.until) = (self.first.min(other.first), self.until.max(other.until));
        // Items of a track may hold any numbers.
        self.steps = self.steps.saturating_add(other.steps);
        self.nanos = self.nanos.saturating_add(other.nanos);
        self.measured = self.measured.saturating_add(other.measured);
        for row in &other.rows {
            match self.rows.iter_mut().find(|known| (&known.name, known.is_phase) == (&row.name, row.is_phase)) {
                Some(known) => {
                    known.calls = known.calls.saturating_add(row.calls);
                    known.nanos = known.nanos.saturating_add(row.nanos);
                }
                None => self.rows.push(row.clone()),
            }
        }
        self.sort_rows();
        for row in &other.tags {
            match self.tags.iter_mut().find(|known| known.path == row.path) {
                Some(known) => known.cost.add(row.cost),
                None => self.tags.push(row.clone()),
            }
        }
        for row in &other.lines {
            match self.lines.iter_mut().find(|known| known.line == row.line && known.path == row.path) {
                Some(known) => known.fuel = known.fuel.saturating_add(row.fuel),
                None => self.lines.push(row.clone()),
            }
        }
        self.slowest.extend(other.slowest.iter().cloned());
        self.sort();
    }

    /// Sorts tags, lines and slow steps by their costs.
    pub(super) fn sort(&mut self) {
        self.tags.sort_by(|one, other| {
            let key = |row: &TagRow| (row.cost.nanos, row.cost.fuel, row.cost.updates);
            key(other).cmp(&key(one)).then_with(|| one.path.cmp(&other.path))
        });
        let place = |row: &LineRow| (row.path.clone(), row.line);
        self.lines.sort_by(|one, other| other.fuel.cmp(&one.fuel).then_with(|| place(one).cmp(&place(other))));
        self.slowest.sort_by(|one, other| other.nanos.cmp(&one.nanos).then_with(|| one.cycle.cmp(&other.cycle)));
        self.slowest.truncate(SPIKES_MAX);
    }

    /// Puts a stage that ran for the first time at its place.
    fn sort_rows(&mut self) {
        let known = |row: &ProfileRow| STAGES.iter().position(|name| *name == row.name);
        let physics = STAGES.iter().position(|name| *name == "physics");
        self.rows.sort_by_key(|row| if row.is_phase { physics } else { known(row) }.map_or(usize::MAX, |place| place));
    }

    /// Keeps only the first tags and lines.
    pub fn truncate(&mut self, most: usize) {
        self.tags.truncate(most);
        self.lines.truncate(most);
    }

    /// The time of each domain, in nanoseconds.
    pub fn domains(&self) -> Vec<(Domain, u64)> {
        let of_stage = |row: &ProfileRow| {
            let stage = STAGES.iter().position(|name| *name == row.name);
            stage.map_or(Domain::Mechanics, |stage| Domain::of_stage(stage as u32 + 1))
        };
        let stages = || self.rows.iter().filter(|row| !row.is_phase);
        let time = |domain: Domain| match domain {
            Domain::Step => self.nanos,
            _ => stages().filter(|row| of_stage(row) == domain).fold(0, |sum: u64, row| sum.saturating_add(row.nanos)),
        };
        Domain::ALL.into_iter().map(|domain| (domain, time(domain))).filter(|(_, nanos)| *nanos > 0).collect()
    }

    /// The costs of classes: those of their tags, added up.
    pub fn classes(&self) -> Vec<TagRow> {
        let mut classes: BTreeMap<&str, ObjectCost> = BTreeMap::new();
        for row in &self.tags {
            classes.entry(&row.class).or_default().add(row.cost);
        }
        let row =
            |(class, cost): (&str, ObjectCost)| TagRow { path: class.to_string(), class: class.to_string(), cost };
        let mut rows: Vec<TagRow> = classes.into_iter().map(row).collect();
        rows.sort_by_key(|row| std::cmp::Reverse((row.cost.nanos, row.cost.fuel)));
        rows
    }

    /// The time of a line, in nanoseconds: the part of its tag's time that its fuel has in the tag's fuel. An estimate; `None` if
    /// the tag is not in the table.
    pub fn line_nanos(&self, line: &LineRow) -> Option<u64> {
        let tag = self.tags.iter().find(|tag| tag.path == line.path && tag.cost.fuel > 0)?;
        let nanos = u128::from(tag.cost.nanos) * u128::from(line.fuel) / u128::from(tag.cost.fuel);
        u64::try_from(nanos).ok()
    }

    /// The share of a time in the time of all steps, from 0 to 1.
    pub fn share(&self, nanos: u64) -> f64 {
        nanos as f64 / self.nanos.max(1) as f64
    }

    fn write_stages(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:<24} {:>9} {:>12} {:>12} {:>8}", "time of", "calls", "total ms", "mean us", "share")?;
        let whole = ProfileRow { name: "step".into(), is_phase: false, calls: self.steps, nanos: self.nanos };
        for row in std::iter::once(&whole).chain(&self.rows) {
            let name = format!("{}{}", if row.is_phase { "  " } else { "" }, row.name);
            let (total, mean) = (row.nanos as f64 / 1e6, row.nanos as f64 / row.calls.max(1) as f64 / 1e3);
            let share = self.share(row.nanos) * 100.0;
            write!(out, "\n{name:<24} {:>9} {total:>12.2} {mean:>12.2} {share:>6.1} %", row.calls)?;
        }
        Ok(())
    }

    fn write_costs(&self, out: &mut fmt::Formatter<'_>, title: &str, rows: &[TagRow]) -> fmt::Result {
        let steps = self.measured.max(1) as f64;
        write!(
            out,
            "\n\n{title:<40} {:>12} {:>12} {:>12} {:>12}",
            "updates/step", "evals/step", "fuel/step", "us/step"
        )?;
        for row in rows {
            let ObjectCost { updates, nanos, evaluations, fuel } = row.cost;
            let [updates, evaluations, fuel] = [updates, evaluations, fuel].map(|count| count as f64 / steps);
            let micros = nanos as f64 / steps / 1e3;
            write!(out, "\n{:<40} {updates:>12.1} {evaluations:>12.1} {fuel:>12.0} {micros:>12.2}", row.path)?;
        }
        Ok(())
    }
}

impl fmt::Display for ProfileSummary {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_stages(out)?;
        write!(out, "\n\n{:<24} {:>12} {:>8}", "domain", "us/step", "share")?;
        for (domain, nanos) in self.domains() {
            let micros = nanos as f64 / self.steps.max(1) as f64 / 1e3;
            write!(out, "\n{:<24} {micros:>12.2} {:>6.1} %", domain.name(), self.share(nanos) * 100.0)?;
        }
        if !self.tags.is_empty() {
            self.write_costs(out, "class", &self.classes())?;
            self.write_costs(out, "tag", &self.tags)?;
        }
        if !self.lines.is_empty() {
            write!(out, "\n\n{:<40} {:>12} {:>12}", "line", "fuel/step", "~us/step")?;
            for row in &self.lines {
                let steps = self.measured.max(1) as f64;
                let place = format!("{}:{}", row.path, row.line);
                let micros = self.line_nanos(row).unwrap_or(0) as f64 / steps / 1e3;
                write!(out, "\n{place:<40} {:>12.0} {micros:>12.2}", row.fuel as f64 / steps)?;
            }
        }
        if !self.slowest.is_empty() {
            write!(out, "\n\n{:<12} {:>9}  of which", "slowest step", "ms")?;
            for step in &self.slowest {
                write!(out, "\n{:<12} {:>9.2}  {step}", step.cycle, step.nanos as f64 / 1e6)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for SlowStep {
    /// Its stages and tags with their times, without itself.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_telling = |(_, nanos): &&(String, u64)| *nanos >= self.nanos / 100;
        let mut stages: Vec<&(String, u64)> = self.stages.iter().filter(is_telling).collect();
        stages.sort_by_key(|(_, nanos)| std::cmp::Reverse(*nanos));
        stages.truncate(3);
        for (index, (name, nanos)) in stages.into_iter().chain(self.tags.iter().filter(is_telling)).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(out, "{comma}{name} {:.2}", *nanos as f64 / 1e6)?;
        }
        Ok(())
    }
}
