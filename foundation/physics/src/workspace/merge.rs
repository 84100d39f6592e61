//! Contact merge: the contacts of this step and those of the last become those of the next; pairs that began or ceased to touch
//! are reported.
//!
//! Laws
//! 1. Both lists are merged in key order; contacts are written and events reported in that order.
//! 2. A pair of this step keeps its new contacts, a pair of two resting bodies its old ones; all other contacts end, and their
//!    bodies wake.

use core::sync::atomic::Ordering::Relaxed;

use base::{Handle, Vec3};
use jobs::{NONE as NO_BODY, each_chunk, each_run_of};
use state::World;

use super::{StepContext, Workspace};
use crate::body::{Body, flag};
use crate::contact::{Contact, ContactEvent, ContactEventKind, TOUCHING};
use crate::contact_summary::ContactSummary;
use crate::limits::BODIES_CHUNK;
use crate::narrow_phase::ContactConstraint;
use crate::parts::Parts;
use crate::solver_body::SolverBody;

/// Marks an old contact in `written`.
const OLD: u32 = 1 << 31;

/// A pair that needs an event or a wake-up: the starts and counts of its new and old contacts.
#[derive(Clone, Copy, Default)]
pub(super) struct PairChange {
    new: u32,
    old: u32,
    news: u32,
    olds: u32,
}

/// What a changed pair reports.
#[derive(Clone, Copy, Default)]
pub(super) struct PairReport {
    event: Option<ContactEvent>,
    /// Whether the pair has no contact any more: then its event is told unless the one before it is of the same pair.
    is_over: bool,
    /// The slots of bodies that wake.
    woken: [Option<u16>; 2],
}

/// Changed pairs per job.
const CHANGES_CHUNK: usize = 16;

/// What the merge reads.
struct MergeContext<'a> {
    world: &'a World,
    parts: Parts,
    solver_indices: &'a [u32],
    summaries: &'a [ContactSummary],
    old: &'a [Contact],
}

impl Workspace {
    /// Merges the contacts of this step with those kept of the last, and reports pairs that began or ceased to touch.
    pub fn merge_contacts(&mut self, context: &StepContext<'_>, world: &World) {
        let StepContext { parts, workers, .. } = *context;
        let (summaries, old) = (self.summaries.as_slice(), &self.old[..]);
        self.ends.clear();
        self.runs.clear();
        for chunk in 1..=self.chunks {
            let is_last = chunk == self.chunks;
            let is_before = |slot: u16| is_last || usize::from(slot) < chunk * BODIES_CHUNK;
            let new = summaries.partition_point(|summary| is_before(summary.pair.0));
            let old = old.partition_point(|contact| is_before(contact.first));
            self.ends.push([new as u32, old as u32]);
            self.runs.push((new + old) as u32);
        }
        let merging = MergeContext { world, parts, solver_indices: &self.solver_indices, summaries, old };
        self.written.resize(summaries.len() + old.len(), 0);
        self.changes.resize(summaries.len() + old.len(), PairChange::default());
        let (ends, chunk_counts) = (&self.ends, &self.chunk_counts);
        let room = (&mut self.written[..], &mut self.changes[..]);
        each_run_of(workers, room, &self.runs, |chunk, (written, changes)| {
            let from = if chunk == 0 { [0; 2] } else { ends[chunk - 1] };
            let counts = merging.chunk(from, ends[chunk], written, changes);
            chunk_counts[chunk].iter().zip(counts).for_each(|(counter, count)| counter.store(count as u32, Relaxed));
        });
        self.gather_merged(context);
        self.report_changes(context, world);
    }

    /// Joins the lists of all chunks.
    fn gather_merged(&mut self, context: &StepContext<'_>) {
        let (mut start, mut totals) = (0, [0; 2]);
        self.merged_ends.clear();
        for (counter, end) in self.chunk_counts[..self.chunks].iter_mut().zip(&self.runs) {
            let [written, changed] = counter.each_mut().map(|counter| *counter.get_mut());
            // Few pairs change.
            self.changes.copy_within(start..start + changed as usize, totals[1] as usize);
            totals = [totals[0] + written, totals[1] + changed];
            start = *end as usize;
            self.merged_ends.push(totals[0]);
        }
        self.changes.truncate(totals[1] as usize);
        self.merged.resize(totals[0] as usize, 0);
        let (written, runs) = (&self.written, &self.runs);
        each_run_of(context.workers, &mut self.merged[..], &self.merged_ends, |chunk, merged| {
            let start = if chunk == 0 { 0 } else { runs[chunk - 1] as usize };
            merged.copy_from_slice(&written[start..start + merged.len()]);
        });
        let is_in_range = |index: &u32| match index & OLD {
            0 => (*index as usize) < self.narrow.count(),
            _ => ((index & !OLD) as usize) < self.old.len(),
        };
        debug_assert!(self.merged.iter().all(is_in_range), "a merged contact is one of this step or of the last");
    }

    /// Reports what the changed pairs have to report: found in parallel, told in order.
    fn report_changes(&mut self, context: &StepContext<'_>, world: &World) {
        let (parts, mut reports) = (context.parts, core::mem::take(&mut self.reports));
        reports.resize(self.changes.len(), PairReport::default());
        let reporter = &*self;
        each_chunk(context.workers, &mut reports, CHANGES_CHUNK, |first, reports| {
            for (report, change) in reports.iter_mut().zip(&reporter.changes[first..]) {
                *report = reporter.report_of(world, parts, change);
            }
        });
        for report in &reports {
            if let Some(event) = report.event {
                let is_told =
                    self.events.last().is_some_and(|last| (last.first, last.second) == (event.first, event.second));
                if !(report.is_over && is_told) {
                    self.push_event(event);
                }
            }
            report.woken.into_iter().flatten().for_each(|slot| self.mark_woken(slot));
        }
        self.reports = reports;
    }

    fn report_of(&self, world: &World, parts: Parts, change: &PairChange) -> PairReport {
        let PairChange { new, old, news, olds } = *change;
        let (new, news, olds) = (new as usize, news as usize, old as usize..old as usize + olds as usize);
        if news > 0 {
            let was = self.old[olds].iter().any(Contact::is_touching);
            let is = self.summaries.as_slice()[new..new + news].iter().any(ContactSummary::is_touching);
            return self.report_of_pair(world, parts, (new, news), was, is);
        }
        let merging = MergeContext { world, parts, solver_indices: &self.solver_indices, summaries: &[], old: &[] };
        let mut report = PairReport { is_over: true, ..PairReport::default() };
        for contact in self.old[olds].iter() {
            let bodies = [contact.first, contact.second].map(|slot| merging.body(slot));
            if let [Some((first, one)), Some((second, other))] = bodies {
                if merging.is_kept(contact) {
                    continue;
                }
                if contact.is_touching() && report.event.is_none() {
                    let is_trigger = one.is(flag::TRIGGER) || other.is(flag::TRIGGER);
                    let kind = if is_trigger { ContactEventKind::Left } else { ContactEventKind::Ended };
                    let event = ContactEvent::of(first, second, kind);
                    report.event = Some(ContactEvent { normal: contact.normal, ..event });
                }
            }
            report.woken = [Some(contact.first), Some(contact.second)];
        }
        report
    }

    fn report_of_pair(
        &self,
        world: &World,
        parts: Parts,
        (new, news): (usize, usize),
        was: bool,
        is: bool,
    ) -> PairReport {
        let mut report = PairReport::default();
        let constraint = self.narrow.get(new);
        let contact = &constraint.contact;
        let body = |slot: u16| parts.bodies.at_slot(world, slot);
        let (Some((first, one)), Some((second, other))) = (body(contact.first), body(contact.second)) else {
            return report;
        };
        // A sleeping body wakes when an awake one touches it.
        if is && !constraint.is_trigger {
            let slots = [contact.first, contact.second];
            for (side, body) in [one, other].into_iter().enumerate() {
                let index = |slot: u16| self.solver_indices[usize::from(slot)];
                let (own, partner) = (index(slots[side]), index(slots[1 - side]));
                let is_partner_awake = partner != NO_BODY && !self.sleepers[partner as usize];
                if body.is(flag::ASLEEP) && own == NO_BODY && is_partner_awake {
                    report.woken[side] = Some(slots[side]);
                }
            }
        }
        if was == is {
            return report;
        }
        let kind = match (constraint.is_trigger, is) {
            (true, true) => ContactEventKind::Entered,
            (true, false) => ContactEventKind::Left,
            (false, true) => ContactEventKind::Began,
            (false, false) => ContactEventKind::Ended,
        };
        let speed = (new..new + news).map(|index| self.narrow.get(index).approach).fold(0.0, base::number::min);
        let impulse =
            (new..new + news).fold(0.0, |sum, index| sum + self.solver.total_impulse(&self.articulations, index));
        let deepest = (new..new + news)
            .map(|index| *self.narrow.get(index))
            .reduce(|deepest, other| if other.min_separation() < deepest.min_separation() { other } else { deepest });
        let point = self.surface_point(&deepest.unwrap_or(*constraint), one);
        let event = ContactEvent::of(first, second, kind);
        report.event = Some(ContactEvent { speed: -speed, impulse, point, normal: contact.normal, ..event });
        report
    }

    /// Where two bodies touch: on the surface of the one that cannot move; of two that move, where they meet.
    ///
    /// The points of a manifold lie half-way between both surfaces as they were at the start of the step.
    fn surface_point(&self, constraint: &ContactConstraint, one: &Body) -> Vec3 {
        let [first, second] = constraint.body_indices.map(|index| self.solver_bodies.get(index as usize));
        let center_of_mass = first.map_or_else(|| one.world_center_of_mass(), |body| body.center_of_mass);
        let (arm, separation) = constraint.touching_arm();
        let can_move = |body: Option<&SolverBody>| body.is_some_and(|body| body.inverse_mass > 0.0);
        let (middle, normal) = (center_of_mass + arm, constraint.contact.normal);
        let time = if separation > 0.0 && constraint.approach < 0.0 { -separation / constraint.approach } else { 0.0 };
        let velocity = |index: u32| self.pair_bodies.get(index as usize).map_or(Vec3::ZERO, |body| body.velocity());
        let [near, far] = constraint.body_indices.map(|index| velocity(index) * time);
        match (can_move(first), can_move(second)) {
            (true, true) => middle + (near + far) * 0.5,
            (true, false) => middle + normal * (separation * 0.5) + far,
            (false, _) => middle - normal * (separation * 0.5) + near,
        }
    }

    /// Writes the merged contacts, with their accumulated impulses.
    pub(super) fn write_merged_contacts(&mut self, context: &StepContext<'_>, world: &mut World) {
        let StepContext { parts, workers, .. } = *context;
        let (narrow, solver, old, written) = (&self.narrow, &self.solver, &self.old, &self.merged);
        let articulations = &self.articulations;
        parts.contacts.rewrite(world, workers, written.len() as u32, |index| {
            let index = written[index as usize];
            if index & OLD != 0 {
                return old[(index & !OLD) as usize];
            }
            let mut contact = narrow.get(index as usize).contact;
            solver.store_impulses(articulations, index as usize, &mut contact);
            if solver.total_impulse(articulations, index as usize) > 0.0 {
                contact.state |= TOUCHING;
            }
            // Impulses on a body that was quarantined may be infinite.
            if contact.is_valid() { contact } else { contact.without_impulses() }
        });
    }
}

impl MergeContext<'_> {
    /// Merges the contacts of a chunk of slots. Returns the number of contacts written and of changed pairs.
    fn chunk(&self, from: [u32; 2], to: [u32; 2], written: &mut [u32], changes: &mut [PairChange]) -> [usize; 2] {
        let ([mut new, mut old], [new_end, old_end]) = (from.map(|at| at as usize), to.map(|at| at as usize));
        let mut counts = [0; 2];
        while new < new_end || old < old_end {
            let (next, last) = (&self.summaries[new..new_end], &self.old[old..old_end]);
            let pair = match (next.first().map(|summary| summary.pair), last.first().map(Contact::pair)) {
                (Some(next), Some(last)) => next.min(last),
                (Some(pair), None) | (None, Some(pair)) => pair,
                (None, None) => break,
            };
            let news = next.iter().take_while(|summary| summary.pair == pair).count();
            let olds = last.iter().take_while(|contact| contact.pair() == pair).count();
            let is_change = if news > 0 {
                (new..new + news).for_each(|index| {
                    written[counts[0]] = index as u32;
                    counts[0] += 1;
                });
                self.is_change(&next[..news], &last[..olds])
            } else {
                let before = counts[0];
                for index in (old..old + olds).filter(|index| self.is_kept(&self.old[*index])) {
                    written[counts[0]] = index as u32 | OLD;
                    counts[0] += 1;
                }
                counts[0] - before < olds
            };
            if is_change {
                changes[counts[1]] =
                    PairChange { new: new as u32, old: old as u32, news: news as u32, olds: olds as u32 };
                counts[1] += 1;
            }
            (new, old) = (new + news, old + olds);
        }
        counts
    }

    /// Whether a pair began or ceased to touch, or touches a sleeping body, which may have to wake.
    fn is_change(&self, news: &[ContactSummary], olds: &[Contact]) -> bool {
        let was = olds.iter().any(Contact::is_touching);
        let is = news.iter().any(ContactSummary::is_touching);
        let sleeps =
            |slot: u16| !self.is_simulated(slot) && self.body(slot).is_some_and(|(_, body)| body.is(flag::ASLEEP));
        let (first, second) = news[0].pair;
        was != is || is && !news[0].is_trigger() && (sleeps(first) || sleeps(second))
    }

    /// Whether both bodies exist and rest: their contact is kept, to be warm started when they wake.
    fn is_kept(&self, contact: &Contact) -> bool {
        let rests = |slot: u16| self.body(slot).is_some() && !self.is_simulated(slot);
        contact.count() > 0 && rests(contact.first) && rests(contact.second)
    }

    fn is_simulated(&self, slot: u16) -> bool {
        self.solver_indices.get(usize::from(slot)).is_some_and(|place| *place != NO_BODY)
    }

    fn body(&self, slot: u16) -> Option<(Handle<Body>, &Body)> {
        let is_slot = u32::from(slot) < self.parts.bodies.capacity();
        if is_slot { self.parts.bodies.at_slot(self.world, slot) } else { None }
    }
}
