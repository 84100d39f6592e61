//! Sleeping bodies that are hit wake before the solver, with their islands, and take part in that very step.
//!
//! Two passes find them. Before the narrow phase, each pair of an awake and a sleeping body is tested by the motion it has at the
//! start of the step: that finds nearly all. After the solver, a sleeping body that received an impulse was hit by a body whose
//! motion changed within the step. In both cases the step begins anew with the islands awake; nothing has been written by then.
//!
//! Laws
//! 1. What an awake body does to a sleeping one is what it does to one awake and at rest.
//! 2. A body that has been at rest long enough to sleep, and may not, wakes nothing.
//! 3. A step begins anew at most [`WAKE_ROUNDS_MAX`](crate::limits::WAKE_ROUNDS_MAX) times. In the last of these rounds everything
//!    wakes that could be hit within the step by what is awake: see [`reach`](super::reach).

use jobs::NONE as NO_BODY;
use state::World;

use super::sleep::has_rested;
use super::{StepContext, Workspace};
use crate::body::flag;
use crate::narrow_phase::NarrowPhaseContext;

impl Workspace {
    /// Wakes the islands of sleeping bodies that awake ones touch or are about to hit, or are joined to; if this is the last
    /// time, with all that could be hit then. False if there are none.
    pub fn wake_hit(&mut self, context: &StepContext<'_>, world: &mut World, is_last: bool) -> bool {
        if !self.is_any_asleep {
            return false;
        }
        self.woken.fill(0);
        let mut is_any = false;
        for index in 0..self.articulations.pairs().len() {
            let pair = self.articulations.pairs()[index];
            if let Some(sleeper) = self.sleeper_of(context, world, pair) {
                self.mark_woken(sleeper);
                is_any = true;
            }
        }
        for index in 0..self.broad.pairs().len() {
            let pair = self.broad.pairs()[index];
            let Some(sleeper) = self.sleeper_of(context, world, pair) else { continue };
            // A body that is woken already need not be tested against its other partners.
            if !self.is_marked(sleeper) && self.narrow_context(context, world).will_touch(pair) {
                self.mark_woken(sleeper);
                is_any = true;
            }
        }
        if is_any {
            if is_last {
                self.mark_reachable(context, world);
            }
            self.wake(world, context.parts);
        }
        is_any
    }

    /// Wakes the islands of sleeping bodies that received an impulse from the solver; if this is the last time, with
    /// all that could be hit then. False if there are none.
    pub fn wake_pushed(&mut self, context: &StepContext<'_>, world: &mut World, is_last: bool) -> bool {
        if !self.is_any_asleep {
            return false;
        }
        self.woken.fill(0);
        let mut is_any = false;
        for index in 0..self.summaries.as_slice().len() {
            let summary = self.summaries.as_slice()[index];
            if !summary.is_solved() || summary.body_indices.iter().all(|body| *body != NO_BODY) {
                continue;
            }
            let pair = [summary.pair.0, summary.pair.1];
            if let Some(sleeper) = self.sleeper_of(context, world, pair)
                && self.solver.total_impulse(&self.articulations, index) > 0.0
            {
                self.mark_woken(sleeper);
                is_any = true;
            }
        }
        if is_any {
            if is_last {
                self.mark_reachable(context, world);
            }
            self.wake(world, context.parts);
        }
        is_any
    }

    /// The sleeping body of a pair whose other body is awake and not at rest.
    fn sleeper_of(&self, context: &StepContext<'_>, world: &World, [first, second]: [u16; 2]) -> Option<u16> {
        let index = |slot: u16| self.solver_indices.get(usize::from(slot)).copied();
        let (sleeper, awake) = match (index(first)?, index(second)?) {
            (NO_BODY, NO_BODY) => return None,
            (NO_BODY, awake) => (first, awake as usize),
            (awake, NO_BODY) => (second, awake as usize),
            _ => return None,
        };
        if has_rested(&self.solver_bodies[awake], &self.velocities[awake], context.settings) {
            return None;
        }
        let (_, body) = context.parts.bodies.at_slot(world, sleeper)?;
        let is_asleep = body.is(flag::ASLEEP) && !body.is(flag::QUARANTINED) && !body.is(flag::TRIGGER);
        is_asleep.then_some(sleeper)
    }

    fn is_marked(&self, slot: u16) -> bool {
        self.woken.get(usize::from(slot) / 64).is_some_and(|word| word >> (slot % 64) & 1 == 1)
    }

    /// What the narrow phase reads.
    pub(super) fn narrow_context<'a>(&'a self, context: &StepContext<'a>, world: &'a World) -> NarrowPhaseContext<'a> {
        NarrowPhaseContext {
            block: world,
            bodies: context.parts.bodies,
            old: &self.old,
            shapes: context.shapes,
            settings: context.settings,
            solver_bodies: &self.solver_bodies,
            pair_bodies: &self.pair_bodies,
            are_joined: self.articulations.has_joints(),
            solver_indices: &self.solver_indices,
        }
    }
}
