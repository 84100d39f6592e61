//! The facts of each lambda: its requirements, its cost, and whether its results can be memoised.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::Checker;
use super::solve::{ANY, Term};
use crate::ast::{Caching, NodeId};
use crate::report::Report;
use crate::source::Span;
use crate::types::Type;

/// The time of an instruction, for estimates.
pub const INSTRUCTION_NANOSECONDS: u32 = 2;
/// The cost, in instructions, from which a lookup pays: 30 ns.
pub const COST_MIN: u32 = 30 / INSTRUCTION_NANOSECONDS;
/// The most arguments and requirements of a key.
pub const INPUTS_MAX: usize = crate::facts::ATOMS_MAX;
/// The assumed length of a list, for estimates.
pub const ELEMENTS_GUESSED: u32 = 8;
/// The most requirements that are listed.
pub const REQUIREMENTS_MAX: usize = 256;
/// The assumed cost of an unknown callee.
pub(super) const UNKNOWN_CALL_COST: u32 = 10;
/// The most reads that are followed for one lambda.
const READS_MAX: usize = 2048;

/// The facts of a lambda or a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LambdaFact {
    /// Its node.
    pub node: NodeId,
    /// Its place in the source.
    pub span: Span,
    /// The variable or `let` it is assigned to; may be empty.
    pub name: String,
    /// Its type.
    pub kind: Type,
    /// Whether it can have an effect.
    pub is_effectful: bool,
    /// The variables that it, and everything it may call through them, reads, by their place in `Checked::variables`;
    /// in order of first use.
    pub requirements: Vec<u32>,
    /// Whether all requirements are listed.
    pub has_all_requirements: bool,
    /// The cost of a call, in instructions: of the costlier branches, with an assumed length of lists.
    pub cost: u32,
    /// Why its results are not memoised; none if they may be.
    pub refusal: Option<Refusal>,
}

/// Why the results of a lambda are not memoised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It has effects.
    Effectful,
    /// It says `Uncached`.
    Unwanted,
    /// It calls a parameter or an unknown lambda.
    CallsUnknown,
    /// It uses names of a lambda around it.
    Captures,
    /// It has this many arguments and requirements.
    TooManyInputs(usize),
    /// It costs this little, in instructions.
    TooCheap(u32),
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::Effectful => formatter.write_str("it has effects"),
            Refusal::Unwanted => formatter.write_str("it says `Uncached`"),
            Refusal::CallsUnknown => formatter.write_str("it calls lambdas that are not known here"),
            Refusal::Captures => formatter.write_str("it uses names of the lambda around it"),
            Refusal::TooManyInputs(count) => {
                write!(
                    formatter,
                    "it depends on {count} arguments and variables, and at most {INPUTS_MAX} are looked up"
                )
            }
            Refusal::TooCheap(cost) => {
                let time = cost * INSTRUCTION_NANOSECONDS;
                let min = COST_MIN * INSTRUCTION_NANOSECONDS;
                write!(formatter, "it takes about {time} ns, and looking a result up pays from {min} ns on")
            }
        }
    }
}

/// A lambda during inference.
#[derive(Clone, Debug)]
pub(super) struct LambdaDraft {
    pub node: NodeId,
    pub span: Span,
    pub name: String,
    pub term: Term,
    pub effect: u32,
    pub cost: u32,
    pub caching: Caching,
    pub parameters: usize,
    /// Its range of the reads.
    pub start: usize,
    pub end: usize,
    /// The nesting depth of the outermost name it uses.
    pub outermost: u32,
    pub captures: bool,
    pub calls_given: bool,
}

impl LambdaDraft {
    /// A statement, which counts as the outermost lambda.
    pub fn statement(effect: u32) -> LambdaDraft {
        LambdaDraft {
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
            captures: false,
            calls_given: false,
        }
    }
}

impl Checker<'_> {
    /// The facts of all lambdas, by place. Warns of `Cached` lambdas that cannot be memoised.
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
                () if draft.captures => Some(Refusal::Captures),
                () if inputs > INPUTS_MAX => Some(Refusal::TooManyInputs(inputs)),
                () if draft.cost < COST_MIN => Some(Refusal::TooCheap(draft.cost)),
                () if draft.caching == Caching::Uncached => Some(Refusal::Unwanted),
                () => None,
            };
            if let Some(refusal) = refusal.filter(|_| draft.caching == Caching::Cached && !is_effectful) {
                let message = format!("`Cached` cannot pay here: {refusal}");
                self.report(Report::warning(draft.span, message).with_help("remove `Cached`"));
            }
            let kind = self.solver.type_of(draft.term);
            let LambdaDraft { node, span, name, cost, .. } = draft;
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

    /// Collects the variables that a lambda and its callees read. Whether these are all.
    fn require(&self, draft: &LambdaDraft, walk: &mut Walk) -> bool {
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
                    // A read inside a lambda happens when the lambda is called; one outside may be the called lambda
                    // itself.
                    if at > depth { walk.add(*read) } else { walk.follow(*read) }
                }
            }
        }
        is_all &= walk.found.len() <= REQUIREMENTS_MAX;
        walk.found.truncate(REQUIREMENTS_MAX);
        is_all
    }
}

/// A graph search over variables, from one lambda.
struct Walk {
    /// For each variable, the stamps of the searches that last found and last followed it.
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
