//! Contact merge: the contacts of this step and those of the last become those of the next; pairs that began or ceased to touch
//! are reported.
//!
//! Laws
//! 1. Both lists are merged in key order; contacts are written and events reported in that order.
//! 2. A pair of this step keeps its new contacts, a pair of two resting bodies its old ones; all other contacts end, and their
//!    bodies wake.

use core::sync::atomic::Ordering::Relaxed;

use base::Handle;
use jobs::{NONE as NO_BODY, each_run_of};
use state::World;

use super::{StepContext, Workspace};
use crate::body::{Body, flag};
use crate::contact::{Contact, ContactEvent, ContactEventKind, TOUCHING};
use crate::contact_summary::ContactSummary;
use crate::limits::BODIES_CHUNK;
use crate::parts::Parts;

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
        let (mut start, mut total) = (0, 0);
        for (counter, end) in self.chunk_counts[..self.chunks].iter_mut().zip(&self.runs) {
            let count = *counter[0].get_mut() as usize;
            self.written.copy_within(start..start + count, total);
            (start, total) = (*end as usize, total + count);
        }
        self.written.truncate(total);
        let is_in_range = |index: &u32| match index & OLD {
            0 => (*index as usize) < self.narrow.count(),
            _ => ((index & !OLD) as usize) < self.old.len(),
        };
        debug_assert!(self.written.iter().all(is_in_range), "a merged contact is one of this step or of the last");
        let mut start = 0;
        for chunk in 0..self.chunks {
            for index in start..start + *self.chunk_counts[chunk][1].get_mut() as usize {
                self.report_change(world, parts, self.changes[index]);
            }
            start = self.runs[chunk] as usize;
        }
    }

    fn report_change(&mut self, world: &World, parts: Parts, change: PairChange) {
        let PairChange { new, old, news, olds } = change;
        let (new, news, olds) = (new as usize, news as usize, old as usize..old as usize + olds as usize);
        if news > 0 {
            let was = self.old[olds].iter().any(Contact::is_touching);
            let is = self.summaries.as_slice()[new..new + news].iter().any(ContactSummary::is_touching);
            self.report_pair(world, parts, (new, news), was, is);
            return;
        }
        for index in olds {
            let contact = self.old[index];
            let merging = MergeContext { world, parts, solver_indices: &self.solver_indices, summaries: &[], old: &[] };
            match [contact.first, contact.second].map(|slot| merging.body(slot)) {
                [Some(_), Some(_)] if merging.is_kept(&contact) => {}
                [Some((first, one)), Some((second, other))] if contact.is_touching() => {
                    let is_trigger = one.is(flag::TRIGGER) || other.is(flag::TRIGGER);
                    let kind = if is_trigger { ContactEventKind::Left } else { ContactEventKind::Ended };
                    let is_reported =
                        self.events.last().is_some_and(|last| (last.first, last.second) == (first, second));
                    if !is_reported {
                        self.push_event(ContactEvent {
                            normal: contact.normal,
                            ..ContactEvent::of(first, second, kind)
                        });
                    }
                    self.mark_woken(contact.first);
                    self.mark_woken(contact.second);
                }
                _ => {
                    self.mark_woken(contact.first);
                    self.mark_woken(contact.second);
                }
            }
        }
    }

    fn report_pair(&mut self, world: &World, parts: Parts, (new, news): (usize, usize), was: bool, is: bool) {
        let constraint = *self.narrow.get(new);
        let contact = constraint.contact;
        let body = |slot: u16| parts.bodies.at_slot(world, slot);
        let (Some((first, one)), Some((second, other))) = (body(contact.first), body(contact.second)) else { return };
        // A sleeping body wakes when an awake one touches it.
        if is && !constraint.is_trigger {
            for (body, partner) in [(one, contact.second), (other, contact.first)] {
                let is_awake = self.solver_indices[usize::from(partner)] != NO_BODY
                    && !self.sleepers[self.solver_indices[usize::from(partner)] as usize];
                let slot = if partner == contact.second { contact.first } else { contact.second };
                if body.is(flag::ASLEEP) && self.solver_indices[usize::from(slot)] == NO_BODY && is_awake {
                    self.mark_woken(slot);
                }
            }
        }
        if was == is {
            return;
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
        let center_of_mass = match self.solver_bodies.get(constraint.body_indices[0] as usize) {
            Some(solver_body) => solver_body.center_of_mass,
            None => one.world_center_of_mass(),
        };
        let point = center_of_mass + constraint.friction_arm();
        self.push_event(ContactEvent {
            speed: -speed,
            impulse,
            point,
            normal: contact.normal,
            ..ContactEvent::of(first, second, kind)
        });
    }

    /// Writes the merged contacts, with their accumulated impulses.
    pub(super) fn write_merged_contacts(&mut self, context: &StepContext<'_>, world: &mut World) {
        let StepContext { parts, workers, .. } = *context;
        let (narrow, solver, old, written) = (&self.narrow, &self.solver, &self.old, &self.written);
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
