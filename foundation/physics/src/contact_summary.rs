//! Contact summaries: the few bytes of each contact that passes over all contacts read.
//!
//! Laws
//! 1. There is one for each contact constraint, in key order.
//! 2. A summary is derived from its constraint; only the touching bit is updated after the solver.

use alloc::vec::Vec;

use base::number::{max, min};
use jobs::{NONE as NO_BODY, each_chunk};
use state::Workers;

use crate::limits::CONTACTS_CHUNK;
use crate::narrow_phase::{ContactConstraint, NarrowPhase};
use crate::settings::Settings;
use crate::solver_body::SolverBody;

/// The summary of a contact, 20 bytes.
#[derive(Clone, Copy, Debug)]
pub struct ContactSummary {
    /// The indices of both solver bodies, or [`NO_BODY`].
    pub body_indices: [u32; 2],
    /// The slots of both bodies.
    pub pair: (u16, u16),
    /// The deepest penetration, in metres.
    pub depth: f32,
    state: u32,
}

/// The summaries of all contacts of a step.
#[derive(Default)]
pub struct ContactSummaries {
    list: Vec<ContactSummary>,
}

/// The bits of `state`.
const TRIGGER: u32 = 1;
const SOLVED: u32 = 1 << 1;
const ACTIVE: u32 = 1 << 2;
const ONE_POINT: u32 = 1 << 3;
const TOUCHING: u32 = 1 << 4;
const PENETRATES_STATIC: u32 = 1 << 5;

impl ContactSummaries {
    /// Allocates for this many contacts.
    pub fn with_capacity(contacts: usize) -> ContactSummaries {
        ContactSummaries { list: Vec::with_capacity(contacts) }
    }

    /// Summarizes all contacts.
    pub fn summarize(
        &mut self,
        narrow: &NarrowPhase,
        solver_bodies: &[SolverBody],
        settings: &Settings,
        workers: &dyn Workers,
    ) {
        let nothing = ContactSummary { body_indices: [NO_BODY; 2], pair: (0, 0), depth: 0.0, state: 0 };
        self.list.resize(narrow.count(), nothing);
        each_chunk(workers, &mut self.list, CONTACTS_CHUNK, |first, list| {
            for (index, summary) in list.iter_mut().enumerate() {
                *summary = ContactSummary::of(narrow.get(first + index), solver_bodies, settings);
            }
        });
    }

    /// Marks contacts with a normal impulse as touching.
    pub fn mark_touching(&mut self, workers: &dyn Workers, is_held: impl Fn(usize) -> bool + Sync) {
        each_chunk(workers, &mut self.list, CONTACTS_CHUNK, |first, list| {
            for (index, summary) in list.iter_mut().enumerate() {
                if summary.state & (SOLVED | TOUCHING) == SOLVED && is_held(first + index) {
                    summary.state |= TOUCHING;
                }
            }
        });
    }

    /// All summaries, in key order.
    pub fn as_slice(&self) -> &[ContactSummary] {
        &self.list
    }
}

impl ContactSummary {
    fn of(constraint: &ContactConstraint, solver_bodies: &[SolverBody], settings: &Settings) -> ContactSummary {
        let separations = &constraint.separations[..constraint.contact.count()];
        let nearest = separations.iter().copied().fold(f32::INFINITY, min);
        let is_solved = !constraint.is_trigger && (constraint.is_active || nearest <= settings.speculative_margin);
        let is_penetrating_static =
            !constraint.is_trigger && nearest < 0.0 && constraint.involves_static(solver_bodies);
        let bits = [
            (TRIGGER, constraint.is_trigger),
            (SOLVED, is_solved),
            (ACTIVE, constraint.is_active),
            (ONE_POINT, separations.len() == 1),
            (TOUCHING, constraint.contact.is_touching()),
            (PENETRATES_STATIC, is_penetrating_static),
        ];
        ContactSummary {
            body_indices: constraint.body_indices,
            pair: constraint.contact.pair(),
            depth: max(-nearest, 0.0),
            state: bits.iter().fold(0, |state, (bit, is_set)| state | if *is_set { *bit } else { 0 }),
        }
    }

    /// Whether a body is a trigger: then nothing is solved.
    #[inline]
    pub fn is_trigger(&self) -> bool {
        self.state & TRIGGER != 0
    }

    /// Whether it is solved: the bodies could touch within the step.
    #[inline]
    pub fn is_solved(&self) -> bool {
        self.state & SOLVED != 0
    }

    /// Whether the bodies will touch within the step at their current velocities.
    #[inline]
    pub fn is_active(&self) -> bool {
        self.state & ACTIVE != 0
    }

    /// Whether it has one point.
    #[inline]
    pub fn has_one_point(&self) -> bool {
        self.state & ONE_POINT != 0
    }

    /// Whether they touch: at the start of the step, or with a normal impulse in it.
    #[inline]
    pub fn is_touching(&self) -> bool {
        self.state & TOUCHING != 0
    }

    /// Whether they penetrate, and one of them is immovable.
    #[inline]
    pub fn is_penetrating_static(&self) -> bool {
        self.state & PENETRATES_STATIC != 0
    }
}
