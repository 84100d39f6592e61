//! Merging: the contacts that were found and those of the last step become those of the next, and it is told who began and who
//! ceased to touch.
//!
//! Laws
//! 1. Both are walked along in the order of keys, and so are written and told.
//! 2. Of a pair that was looked at, what was found is kept; of two that rest, what they had; all others are let go of, and wake.

use core::sync::atomic::Ordering::Relaxed;

use base::Handle;
use state::share::{NOBODY, each_run_of};
use state::{Workers, World};

use super::Room;
use crate::body::{Body, flag};
use crate::contact::{Contact, TOUCHING, Touch, TouchKind};
use crate::limits::BODIES_CHUNK;
use crate::parts::Parts;
use crate::sketch::Sketch;

/// Marks an old contact in `written`.
const OLD: u32 = 1 << 31;

/// A pair of which something has to be told, or somebody woken: where its new and old contacts begin, and how many there are.
#[derive(Clone, Copy, Default)]
pub(super) struct Change {
    new: u32,
    old: u32,
    news: u32,
    olds: u32,
}

/// All that merging looks at.
struct Merging<'a> {
    world: &'a World,
    parts: Parts,
    places: &'a [u32],
    sketches: &'a [Sketch],
    old: &'a [Contact],
}

impl Room {
    /// Merges what was found with what is kept of the last step, and notes who began and ceased to touch.
    pub(super) fn merge(&mut self, world: &World, parts: Parts, workers: &dyn Workers) {
        let (sketches, old) = (self.sketches.as_slice(), &self.old[..]);
        self.ends.clear();
        self.runs.clear();
        for chunk in 1..=self.tallies.len() {
            let is_last = chunk == self.tallies.len();
            let is_before = |slot: u16| is_last || usize::from(slot) < chunk * BODIES_CHUNK;
            let new = sketches.partition_point(|sketch| is_before(sketch.pair.0));
            let old = old.partition_point(|contact| is_before(contact.first));
            self.ends.push([new as u32, old as u32]);
            self.runs.push((new + old) as u32);
        }
        let merging = Merging { world, parts, places: &self.places, sketches, old };
        self.written.resize(sketches.len() + old.len(), 0);
        self.changes.resize(sketches.len() + old.len(), Change::default());
        let (ends, tallies) = (&self.ends, &self.tallies);
        let room = (&mut self.written[..], &mut self.changes[..]);
        each_run_of(workers, room, &self.runs, |chunk, (written, changes)| {
            let from = if chunk == 0 { [0; 2] } else { ends[chunk - 1] };
            let counts = merging.chunk(from, ends[chunk], written, changes);
            tallies[chunk].iter().zip(counts).for_each(|(tally, count)| tally.store(count as u32, Relaxed));
        });
        let (mut start, mut total) = (0, 0);
        for (tally, end) in self.tallies.iter_mut().zip(&self.runs) {
            let count = *tally[0].get_mut() as usize;
            self.written.copy_within(start..start + count, total);
            (start, total) = (*end as usize, total + count);
        }
        self.written.truncate(total);
        let mut start = 0;
        for chunk in 0..self.tallies.len() {
            for index in start..start + *self.tallies[chunk][1].get_mut() as usize {
                self.tell_change(world, parts, self.changes[index]);
            }
            start = self.runs[chunk] as usize;
        }
    }

    fn tell_change(&mut self, world: &World, parts: Parts, change: Change) {
        let Change { new, old, news, olds } = change;
        let (new, news, olds) = (new as usize, news as usize, old as usize..old as usize + olds as usize);
        if news > 0 {
            let was = self.old[olds].iter().any(Contact::is_touching);
            let is = self.sketches.as_slice()[new..new + news].iter().any(Sketch::is_touching);
            self.tell_pair(world, parts, (new, news), was, is);
            return;
        }
        for index in olds {
            let contact = self.old[index];
            let merging = Merging { world, parts, places: &self.places, sketches: &[], old: &[] };
            match [contact.first, contact.second].map(|slot| merging.body(slot)) {
                [Some(_), Some(_)] if merging.is_kept(&contact) => {}
                [Some((first, one)), Some((second, other))] if contact.is_touching() => {
                    let is_trigger = one.is(flag::TRIGGER) || other.is(flag::TRIGGER);
                    let kind = if is_trigger { TouchKind::Left } else { TouchKind::Ended };
                    let is_told = self.touches.last().is_some_and(|last| (last.first, last.second) == (first, second));
                    if !is_told {
                        self.tell(Touch { normal: contact.normal, ..Touch::of(first, second, kind) });
                    }
                    self.rouse(contact.first);
                    self.rouse(contact.second);
                }
                _ => {
                    self.rouse(contact.first);
                    self.rouse(contact.second);
                }
            }
        }
    }

    fn tell_pair(&mut self, world: &World, parts: Parts, (new, news): (usize, usize), was: bool, is: bool) {
        let touching = *self.narrow.get(new);
        let contact = touching.contact;
        let body = |slot: u16| parts.bodies.get_absolute(world, slot);
        let (Some((first, one)), Some((second, other))) = (body(contact.first), body(contact.second)) else { return };
        // Whoever sleeps and is touched by somebody awake wakes.
        if is && !touching.is_trigger {
            for (body, partner) in [(one, contact.second), (other, contact.first)] {
                let is_awake = self.places[usize::from(partner)] != NOBODY
                    && !self.sleepers[self.places[usize::from(partner)] as usize];
                let slot = if partner == contact.second { contact.first } else { contact.second };
                if body.is(flag::ASLEEP) && self.places[usize::from(slot)] == NOBODY && is_awake {
                    self.rouse(slot);
                }
            }
        }
        if was == is {
            return;
        }
        let kind = match (touching.is_trigger, is) {
            (true, true) => TouchKind::Entered,
            (true, false) => TouchKind::Left,
            (false, true) => TouchKind::Began,
            (false, false) => TouchKind::Ended,
        };
        let speed = (new..new + news).map(|index| self.narrow.get(index).approach).fold(0.0, base::number::min);
        let impulse = (new..new + news).fold(0.0, |sum, index| sum + self.solver.total(index));
        let centre = match self.movers.get(touching.movers[0] as usize) {
            Some(mover) => mover.centre,
            None => one.centre(),
        };
        let point = centre + touching.middle();
        self.tell(Touch { speed: -speed, impulse, point, normal: contact.normal, ..Touch::of(first, second, kind) });
    }

    pub(super) fn write_contacts(&mut self, world: &mut World, parts: Parts, workers: &dyn Workers) {
        let (narrow, solver, old, written) = (&self.narrow, &self.solver, &self.old, &self.written);
        parts.contacts.rewrite(world, workers, written.len() as u32, |index| {
            let index = written[index as usize];
            if index & OLD != 0 {
                return old[(index & !OLD) as usize];
            }
            let mut contact = narrow.get(index as usize).contact;
            solver.remember(index as usize, &mut contact);
            if solver.total(index as usize) > 0.0 {
                contact.state |= TOUCHING;
            }
            // What ran away with a body that is quarantined now is forgotten.
            if contact.is_sound() { contact } else { contact.forgotten() }
        });
    }
}

impl Merging<'_> {
    /// Merges those of a chunk of slots. Gives back how many are written, and how many pairs somebody has to be told of.
    fn chunk(&self, from: [u32; 2], to: [u32; 2], written: &mut [u32], changes: &mut [Change]) -> [usize; 2] {
        let ([mut new, mut old], [new_end, old_end]) = (from.map(|at| at as usize), to.map(|at| at as usize));
        let mut counts = [0; 2];
        while new < new_end || old < old_end {
            let (next, last) = (&self.sketches[new..new_end], &self.old[old..old_end]);
            let pair = match (next.first().map(|sketch| sketch.pair), last.first().map(Contact::pair)) {
                (Some(next), Some(last)) => next.min(last),
                (Some(pair), None) | (None, Some(pair)) => pair,
                (None, None) => break,
            };
            let news = next.iter().take_while(|sketch| sketch.pair == pair).count();
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
                changes[counts[1]] = Change { new: new as u32, old: old as u32, news: news as u32, olds: olds as u32 };
                counts[1] += 1;
            }
            (new, old) = (new + news, old + olds);
        }
        counts
    }

    /// Whether a pair began or ceased to touch, or one of both sleeps and might have to wake.
    fn is_change(&self, news: &[Sketch], olds: &[Contact]) -> bool {
        let was = olds.iter().any(Contact::is_touching);
        let is = news.iter().any(Sketch::is_touching);
        let sleeps = |slot: u16| !self.moves(slot) && self.body(slot).is_some_and(|(_, body)| body.is(flag::ASLEEP));
        let (first, second) = news[0].pair;
        was != is || is && !news[0].is_trigger() && (sleeps(first) || sleeps(second))
    }

    /// Whether both are there and rest: what holds them is kept for when they wake.
    fn is_kept(&self, contact: &Contact) -> bool {
        let rests = |slot: u16| self.body(slot).is_some() && !self.moves(slot);
        contact.count() > 0 && rests(contact.first) && rests(contact.second)
    }

    fn moves(&self, slot: u16) -> bool {
        self.places.get(usize::from(slot)).is_some_and(|place| *place != NOBODY)
    }

    fn body(&self, slot: u16) -> Option<(Handle<Body>, &Body)> {
        let is_slot = u32::from(slot) < self.parts.bodies.capacity();
        if is_slot { self.parts.bodies.get_absolute(self.world, slot) } else { None }
    }
}
