//! Budgets: steps whose domains take longer than the globals allow are reported. They change nothing.

use world::{Budget, Domain};

use super::limits::{PAUSE_NANOS, REPORTS_MAX};
use super::tally::{LongestTags, StepTimes, TagNames};

/// What is known about the budgets of a running world.
#[derive(Clone, Debug)]
pub struct BudgetWatch {
    domains: [DomainWatch; Domain::ALL.len()],
    /// The reports that were not taken yet; beyond a limit they are dropped.
    reports: Vec<BudgetReport>,
}

#[derive(Clone, Copy, Debug, Default)]
struct DomainWatch {
    /// When it was last reported.
    reported: Option<u64>,
    /// The steps that exceeded it since then.
    exceeded: u64,
}

/// A step that exceeded a budget.
#[derive(Clone, Copy, Debug)]
struct BudgetReport {
    cycle: u64,
    domain: Domain,
    taken: u64,
    budget: u64,
    /// The steps that exceeded it since the last report.
    exceeded: u64,
    tags: LongestTags,
}

impl Default for BudgetWatch {
    fn default() -> BudgetWatch {
        BudgetWatch { domains: [DomainWatch::default(); Domain::ALL.len()], reports: Vec::with_capacity(REPORTS_MAX) }
    }
}

impl BudgetWatch {
    /// Compares a step with the budgets at a time in nanoseconds. `tags` gives those that took longest. There is at most one report
    /// per domain and second. Allocates nothing.
    pub fn compare(&mut self, now: u64, step: &StepTimes, budgets: &[Budget], tags: impl Fn() -> LongestTags) {
        for Budget { domain, nanos: budget } in budgets {
            let taken = step.domain(*domain);
            if taken <= *budget {
                continue;
            }
            let watch = &mut self.domains[*domain as usize];
            let is_pausing = watch.reported.is_some_and(|reported| now.saturating_sub(reported) < PAUSE_NANOS);
            if is_pausing || self.reports.len() >= REPORTS_MAX {
                watch.exceeded += 1;
                continue;
            }
            let exceeded = std::mem::take(&mut watch.exceeded);
            watch.reported = Some(now);
            let (cycle, domain, budget) = (step.cycle, *domain, *budget);
            self.reports.push(BudgetReport { cycle, domain, taken, budget, exceeded, tags: tags() });
        }
    }

    /// Takes the reports since the last call, a line each.
    pub fn take(&mut self, names: &TagNames) -> Vec<String> {
        self.reports.drain(..).map(|report| report.line(names)).collect()
    }
}

impl BudgetReport {
    fn line(&self, names: &TagNames) -> String {
        let BudgetReport { cycle, domain, exceeded, .. } = self;
        let [taken, budget] = [self.taken, self.budget].map(|nanos| nanos as f64 / 1e6);
        let mut text = format!("cycle {cycle}: {} took {taken:.2} ms, its budget is {budget:.2} ms", domain.name());
        if *exceeded > 0 {
            text.push_str(&format!(" (and {exceeded} more steps since the last such line)"));
        }
        let tags = names.name(&self.tags);
        if !tags.is_empty() {
            let tags = tags.iter().map(|(path, nanos)| format!("{path} {:.2} ms", *nanos as f64 / 1e6));
            text.push_str(&format!("; most: {}", tags.collect::<Vec<String>>().join(", ")));
        }
        text
    }
}
