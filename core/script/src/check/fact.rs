//! What is known about each lambda: what it reads, what it costs, whether its results may be kept.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::Checker;
use super::solve::{ANY, Term};
use crate::report::Report;
use crate::source::Span;
use crate::tree::{Caching, NodeId};
use crate::types::Type;

/// How long an instruction takes, for estimates.
pub const INSTRUCTION_NANOSECONDS: u32 = 2;
/// A lambda that costs less, in instructions, is not worth looking its result up: 30 ns.
pub const COST_LEAST: u32 = 30 / INSTRUCTION_NANOSECONDS;
/// More arguments and requirements than this are no key.
pub const INPUTS_MAX: usize = 4;
/// How many elements a list is guessed to have, for estimates.
pub const ELEMENTS_GUESSED: u32 = 8;
/// More requirements than this are not listed.
pub const REQUIREMENTS_MAX: usize = 256;
/// What a call of something unknown is guessed to cost.
pub(super) const UNKNOWN_CALL_COST: u32 = 10;
/// Reads looked at for one lambda, at most.
const READS_MAX: usize = 2048;

/// What is known about a lambda or a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LambdaFact {
    /// Its node.
    pub node: NodeId,
    /// Where it stands.
    pub span: Span,
    /// The variable or `let` it is given to; may be empty.
    pub name: String,
    /// What it takes and gives.
    pub kind: Type,
    /// Whether it can do something.
    pub is_effectful: bool,
    /// The variables that it, and everything it may call through them, reads, by their place in `Checked::variables`; in
    /// order of first use.
    pub requirements: Vec<u32>,
    /// Whether those are all, or there were too many to list.
    pub has_all_requirements: bool,
    /// What a call costs, in instructions: the costlier branches, with a guess for lists.
    pub cost: u32,
    /// Why its results may not be kept, or would not be worth keeping; none if they may.
    pub refusal: Option<Refusal>,
}

/// Why a lambda's results are not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It does something.
    Effectful,
    /// It says `Uncached`.
    Unwanted,
    /// It calls what it is given, or something of which nothing is known.
    CallsUnknown,
    /// It uses names of a lambda around it.
    Carries,
    /// It has so many arguments and requirements.
    TooManyInputs(usize),
    /// It costs so little.
    TooCheap(u32),
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Effectful => formatter.write_str("it does something"),
            Refusal::Unwanted => formatter.write_str("it says `Uncached`"),
            Refusal::CallsUnknown => formatter.write_str("it calls lambdas that are not known here"),
            Refusal::Carries => formatter.write_str("it uses names of the lambda around it"),
            Refusal::TooManyInputs(count) => {
                write!(
                    formatter,
                    "it depends on {count} arguments and variables, and at most {INPUTS_MAX} are looked up"
                )
            }
            Refusal::TooCheap(cost) => {
                let time = cost * INSTRUCTION_NANOSECONDS;
                let least = COST_LEAST * INSTRUCTION_NANOSECONDS;
                write!(formatter, "it takes about {time} ns, and looking a result up pays from {least} ns on")
            }
        }
    }
}

/// A lambda while it is looked at.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub node: NodeId,
    pub span: Span,
    pub name: String,
    pub term: Term,
    pub effect: u32,
    pub cost: u32,
    pub caching: Caching,
    pub parameters: usize,
    /// Its part of the reads.
    pub start: usize,
    pub end: usize,
    /// How many lambdas are around the outermost name it uses.
    pub outermost: u32,
    pub carries: bool,
    pub calls_given: bool,
}

impl Draft {
    /// One that is a statement, for the time being.
    pub fn statement(effect: u32) -> Draft {
        Draft {
            node: NodeId(0),
            span: Span::default(),
            name: String::new(),
            term: ANY,
            effect,
            cost: 0,
            caching: Caching::Unsaid,
            parameters: 0,
            start: 0,
            end: 0,
            outermost: u32::MAX,
            carries: false,
            calls_given: false,
        }
    }
}

impl Checker<'_> {
    /// The facts of all lambdas, by place. Warns of those that are to be kept in vain.
    pub(super) fn lambdas(&mut self) -> Vec<LambdaFact> {
        let drafts = core::mem::take(&mut self.drafts);
        let mut walk =
            Walk { seen: alloc::vec![(0, 0); self.variables.len()], stamp: 0, found: Vec::new(), queue: Vec::new() };
        let mut facts = Vec::with_capacity(drafts.len());
        for draft in drafts {
            let has_all_requirements = self.require(&draft, &mut walk);
            let requirements = walk.found.clone();
            let does = &self.solver.effects[draft.effect as usize];
            let (is_effectful, is_unknown) = (does.is_effectful, does.is_unknown);
            let inputs = draft.parameters + requirements.len();
            let refusal = match () {
                () if is_effectful => Some(Refusal::Effectful),
                () if is_unknown || draft.calls_given => Some(Refusal::CallsUnknown),
                () if draft.carries => Some(Refusal::Carries),
                () if inputs > INPUTS_MAX => Some(Refusal::TooManyInputs(inputs)),
                () if draft.cost < COST_LEAST => Some(Refusal::TooCheap(draft.cost)),
                () if draft.caching == Caching::Uncached => Some(Refusal::Unwanted),
                () => None,
            };
            if let Some(refusal) = refusal.filter(|_| draft.caching == Caching::Cached && !is_effectful) {
                let message = format!("`Cached` cannot pay here: {refusal}");
                self.report(Report::warning(draft.span, message).with_help("remove `Cached`"));
            }
            let kind = self.solver.type_of(draft.term);
            let Draft { node, span, name, cost, .. } = draft;
            facts.push(LambdaFact {
                node,
                span,
                name,
                kind,
                is_effectful,
                requirements,
                has_all_requirements,
                cost,
                refusal,
            });
        }
        facts.sort_by_key(|fact| (fact.span.start, fact.span.end));
        facts
    }

    /// Gathers the variables that a lambda and what it calls read. Whether those are all.
    fn require(&self, draft: &Draft, walk: &mut Walk) -> bool {
        walk.begin();
        let mut left = READS_MAX;
        for (number, _) in self.reads.get(draft.start..draft.end).unwrap_or(&[]).iter().take(READS_MAX) {
            walk.add(*number);
        }
        let mut is_all = draft.end.saturating_sub(draft.start) <= READS_MAX;
        let mut next = 0;
        while let Some(number) = walk.queue.get(next).copied() {
            next += 1;
            for (start, end, depth) in &self.variables[number as usize].read {
                for (read, at) in &self.reads[*start as usize..*end as usize] {
                    if left == 0 || walk.found.len() >= REQUIREMENTS_MAX {
                        walk.found.truncate(REQUIREMENTS_MAX);
                        return false;
                    }
                    left -= 1;
                    // Within a lambda it is read when that is called. Outside, it may be the lambda that is called.
                    if at > depth { walk.add(*read) } else { walk.follow(*read) }
                }
            }
        }
        is_all &= walk.found.len() <= REQUIREMENTS_MAX;
        walk.found.truncate(REQUIREMENTS_MAX);
        is_all
    }
}

/// Which variables were met on the way from one lambda.
struct Walk {
    /// For each variable, the last lambda that reads it, and the last from which its own lambdas were looked at.
    seen: Vec<(u32, u32)>,
    stamp: u32,
    found: Vec<u32>,
    queue: Vec<u32>,
}

impl Walk {
    fn begin(&mut self) {
        self.stamp += 1;
        self.found.clear();
        self.queue.clear();
    }

    fn add(&mut self, number: u32) {
        if self.seen[number as usize].0 != self.stamp {
            self.seen[number as usize].0 = self.stamp;
            self.found.push(number);
        }
        self.follow(number);
    }

    fn follow(&mut self, number: u32) {
        if self.seen[number as usize].1 != self.stamp {
            self.seen[number as usize].1 = self.stamp;
            self.queue.push(number);
        }
    }
}
