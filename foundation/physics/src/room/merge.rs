//! Merging: the contacts that were found and those of the last step become those of the next, and it is told who began and who
//! ceased to touch.
//!
//! Laws
//! 1. Both are walked along in the order of keys, and so are written and told.
//! 2. Of a pair that was looked at, what was found is kept; of two that rest, what they had; all others are let go of, and wake.

use state::share::NOBODY;
use state::{Workers, World};

use super::Room;
use crate::body::flag;
use crate::contact::{Contact, TOUCHING, Touch, TouchKind};
use crate::parts::Parts;

/// Marks an old contact in `written`.
const OLD: u32 = 1 << 31;

impl Room {
    /// Merges what was found with what is kept of the last step, and notes who began and ceased to touch.
    pub(super) fn merge(&mut self, world: &World, parts: Parts) {
        self.written.clear();
        let (mut new, mut old) = (0, 0);
        let count = self.narrow.count();
        while new < count || old < self.old.len() {
            let next = (new < count).then(|| self.narrow.get(new).contact.pair());
            let last = self.old.get(old).map(Contact::pair);
            let pair = match (next, last) {
                (Some(next), Some(last)) => next.min(last),
                (Some(pair), None) | (None, Some(pair)) => pair,
                (None, None) => break,
            };
            let news = (new..count).take_while(|index| self.narrow.get(*index).contact.pair() == pair).count();
            let olds = self.old[old..].iter().take_while(|contact| contact.pair() == pair).count();
            self.merge_pair(world, parts, (new, news), (old, olds));
            (new, old) = (new + news, old + olds);
        }
    }

    fn merge_pair(&mut self, world: &World, parts: Parts, (new, news): (usize, usize), (old, olds): (usize, usize)) {
        let was = self.old[old..old + olds].iter().any(Contact::is_touching);
        let is = (new..new + news).any(|index| self.is_touching(index));
        for index in new..new + news {
            self.written.push(index as u32);
        }
        if news > 0 {
            self.tell_pair(world, parts, (new, news), was, is);
            return;
        }
        for index in old..old + olds {
            let contact = self.old[index];
            let body = |slot: u16| {
                let is_slot = u32::from(slot) < parts.bodies.capacity();
                if is_slot { parts.bodies.get_absolute(world, slot) } else { None }
            };
            let moves = |slot: u16| self.places.get(usize::from(slot)).is_some_and(|place| *place != NOBODY);
            match (body(contact.first), body(contact.second)) {
                // Both rest: what holds them is kept for when they wake.
                (Some(_), Some(_)) if !moves(contact.first) && !moves(contact.second) && contact.count() > 0 => {
                    self.written.push(index as u32 | OLD);
                }
                (Some((first, one)), Some((second, other))) if contact.is_touching() => {
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
