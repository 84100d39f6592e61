//! What is where? Rays, sweeps, overlaps and neighbours among many bodies.
//!
//! Whoever asks has the bodies in a slice or in a block, and a tree over their boxes; this file knows only how to ask.
//!
//! Laws
//! 1. Answers come in a fixed order: by distance (or time), then by key. Which answers there are, and their order, follow from the bodies
//!    alone; not from the order they lie in, nor from the tree.
//! 2. Answers go into a slice of the caller's. If there are more, the farthest are left out, and counted.
//! 3. A question looks closely at no more bodies than its budget; what the budget did not reach is told by [`Budget::is_spent`]. Only
//!    then does the tree decide which bodies were asked.
//! 4. Nothing is allocated.

use base::{Vec3, number};

use crate::bounds::Line;
use crate::distance::Distance;
use crate::nearest::nearest_of;
use crate::overlap::is_overlapping;
use crate::pose::Pose;
use crate::ray::{self, RayHit};
use crate::shape::Shape;
use crate::sweep::{self, Motion, SweepHit};
use crate::tree::Tree;

#[cfg(test)]
mod tests;

/// A body as questions see it.
#[derive(Clone, Copy, Debug)]
pub struct Item<'world> {
    /// What it is known by; no two have the same.
    pub key: u64,
    /// Its shape.
    pub shape: &'world Shape,
    /// Where it is.
    pub pose: Pose,
    /// Bits of the layers that it is in.
    pub layers: u32,
}

/// Bodies that can be asked about, under the numbers that they have in the tree.
pub trait Items {
    /// The body with a number; none if it is not to be asked.
    fn item(&self, number: u32) -> Option<Item<'_>>;
}

/// How much may be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    left: u32,
    is_spent: bool,
}

/// Who is asked: bodies through a tree over their boxes, in some layers, within a budget.
pub struct Questions<'world, T: Items + ?Sized> {
    /// The bodies.
    pub items: &'world T,
    /// A tree over boxes that are at least as large as theirs.
    pub tree: &'world Tree,
    /// Only bodies in one of these layers answer.
    pub layers: u32,
    /// How much may still be asked.
    pub budget: Budget,
}

/// An answer: who, how far or when, and what was found there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer<T> {
    /// The key of the body.
    pub key: u64,
    /// The distance, or the time.
    pub rank: f32,
    /// What was found.
    pub found: T,
}

/// Answers in order, as many as fit.
pub struct Answers<'room, T> {
    room: &'room mut [Answer<T>],
    count: usize,
    refused: u32,
}

impl Budget {
    /// So many bodies may be looked at closely.
    pub fn new(bodies: u32) -> Budget {
        Budget { left: bodies, is_spent: false }
    }

    /// How many may still be.
    pub fn left(&self) -> u32 {
        self.left
    }

    /// Whether something was not asked because nothing was left.
    pub fn is_spent(&self) -> bool {
        self.is_spent
    }

    fn take(&mut self) -> bool {
        self.is_spent |= self.left == 0;
        self.left = self.left.saturating_sub(1);
        !self.is_spent
    }
}

impl<'room, T: Copy> Answers<'room, T> {
    /// Empty, with room for as many as the slice is long.
    pub fn new(room: &'room mut [Answer<T>]) -> Answers<'room, T> {
        Answers { room, count: 0, refused: 0 }
    }

    /// Those that were found, in order.
    pub fn as_slice(&self) -> &[Answer<T>] {
        &self.room[..self.count]
    }

    /// How many found no room.
    pub fn refused(&self) -> u32 {
        self.refused
    }

    /// Adds an answer in its place.
    fn add(&mut self, answer: Answer<T>) {
        let rank = |answer: &Answer<T>| (answer.rank, answer.key);
        let place = self.as_slice().partition_point(|other| rank(other) < rank(&answer));
        let is_full = self.count == self.room.len();
        self.refused = self.refused.saturating_add(u32::from(is_full));
        if place == self.room.len() {
            return;
        }
        self.count += usize::from(!is_full);
        self.room[place..self.count].rotate_right(1);
        self.room[place] = answer;
    }

    /// Beyond this, answers find no room.
    fn rank_max(&self, otherwise: f32) -> f32 {
        match self.room.last() {
            Some(last) if self.count == self.room.len() => number::min(last.rank, otherwise),
            _ => otherwise,
        }
    }
}

impl<T: Items + ?Sized> Questions<'_, T> {
    /// The first body that a ray meets.
    pub fn ray_first(&mut self, from: Vec3, direction: Vec3, length: f32) -> Option<Answer<RayHit>> {
        let mut room = [Answer { key: 0, rank: 0.0, found: RayHit { distance: 0.0, normal: Vec3::ZERO, child: 0 } }];
        let mut answers = Answers::new(&mut room);
        self.rays(from, direction, length, |answers| answers.rank_max(length), &mut answers);
        answers.as_slice().first().copied()
    }

    /// Whether a ray meets any body.
    pub fn ray_any(&mut self, from: Vec3, direction: Vec3, length: f32) -> bool {
        let mut room = [Answer { key: 0, rank: 0.0, found: RayHit { distance: 0.0, normal: Vec3::ZERO, child: 0 } }];
        let mut answers = Answers::new(&mut room);
        self.rays(from, direction, length, |answers| if answers.count > 0 { -1.0 } else { length }, &mut answers);
        answers.count > 0
    }

    /// All bodies that a ray meets, each where it is met first.
    pub fn ray_all(&mut self, from: Vec3, direction: Vec3, length: f32, answers: &mut Answers<RayHit>) {
        self.rays(from, direction, length, |_| length, answers);
    }

    /// The first body that a shape meets on its way.
    pub fn sweep_first(&mut self, shape: &Shape, motion: &Motion) -> Option<Answer<SweepHit>> {
        let none = SweepHit { time: 0.0, normal: Vec3::ZERO, place: Vec3::ZERO, child: 0 };
        let mut room = [Answer { key: 0, rank: 0.0, found: none }];
        let mut answers = Answers::new(&mut room);
        self.sweeps(shape, motion, |answers| answers.rank_max(1.0), &mut answers);
        answers.as_slice().first().copied()
    }

    /// All bodies that a shape meets on its way, each when it is met first.
    pub fn sweep_all(&mut self, shape: &Shape, motion: &Motion, answers: &mut Answers<SweepHit>) {
        self.sweeps(shape, motion, |_| 1.0, answers);
    }

    /// All bodies that overlap a shape. All are as far: they come by their keys.
    pub fn overlaps(&mut self, shape: &Shape, pose: &Pose, answers: &mut Answers<()>) {
        let (items, layers, budget) = (self.items, self.layers, &mut self.budget);
        let bounds = shape.bounds(pose);
        self.tree.each_in(&bounds, |number| {
            let Some(item) = in_layers(items, layers, number) else { return true };
            if !budget.take() {
                return false;
            }
            if is_overlapping(shape, pose, item.shape, &item.pose) {
                answers.add(Answer { key: item.key, rank: 0.0, found: () });
            }
            true
        });
    }

    /// The bodies nearest to a shape, within a distance. The points are seen from the shape's position.
    pub fn nearest(&mut self, shape: &Shape, pose: &Pose, distance_max: f32, answers: &mut Answers<Distance>) {
        let (items, layers, budget) = (self.items, self.layers, &mut self.budget);
        let bounds = shape.bounds(pose);
        if answers.room.is_empty() || distance_max < 0.0 {
            return;
        }
        self.tree.each_near(&bounds, distance_max, |number| {
            let limit = answers.rank_max(distance_max);
            let Some(item) = in_layers(items, layers, number) else { return limit };
            if !budget.take() {
                return -1.0;
            }
            if let Some(found) = nearest_of(shape, pose, item.shape, &item.pose, limit) {
                answers.add(Answer { key: item.key, rank: found.distance, found });
            }
            answers.rank_max(distance_max)
        });
    }

    fn rays(
        &mut self,
        from: Vec3,
        direction: Vec3,
        length: f32,
        limit: impl Fn(&Answers<RayHit>) -> f32,
        answers: &mut Answers<RayHit>,
    ) {
        let (items, layers, budget) = (self.items, self.layers, &mut self.budget);
        let line = Line::new(from, direction.normal());
        if answers.room.is_empty() {
            return;
        }
        self.tree.each_along(&line, length, |number, _| {
            let length = limit(answers);
            let Some(item) = in_layers(items, layers, number) else { return length };
            if !budget.take() {
                return -1.0;
            }
            if let Some(found) = ray::cast(item.shape, &item.pose, from, direction, length) {
                answers.add(Answer { key: item.key, rank: found.distance, found });
            }
            limit(answers)
        });
    }

    fn sweeps(
        &mut self,
        shape: &Shape,
        motion: &Motion,
        limit: impl Fn(&Answers<SweepHit>) -> f32,
        answers: &mut Answers<SweepHit>,
    ) {
        let (items, layers, budget) = (self.items, self.layers, &mut self.budget);
        if answers.room.is_empty() {
            return;
        }
        self.tree.each_along(&sweep::line(shape, motion), 1.0, |number, _| {
            let time = limit(answers);
            let Some(item) = in_layers(items, layers, number) else { return time };
            if !budget.take() {
                return -1.0;
            }
            if let Some(found) = sweep::sweep_before(shape, motion, item.shape, &Motion::still(item.pose), time) {
                answers.add(Answer { key: item.key, rank: found.time, found });
            }
            limit(answers)
        });
    }
}

fn in_layers<T: Items + ?Sized>(items: &T, layers: u32, number: u32) -> Option<Item<'_>> {
    items.item(number).filter(|item| item.layers & layers != 0)
}
