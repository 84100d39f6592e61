//! All sleeping bodies that what happens in a step may reach, from one to the next.
//!
//! A row of sleeping bodies with gaps is hit one body after another, and each round of waking finds but the next one. In the last round
//! all of them wake that a hit could be passed on to within the step: from every awake body as far as it moves, then from each body that
//! is reached as far as is left.
//!
//! Laws
//! 1. What is reached is a function of the bodies alone: for each body, the longest way that is left over all paths.
//! 2. A hit passes on at most [`GAIN`] times the speed, by restitution or because a heavier body hits a lighter one.

use alloc::vec::Vec;

use base::number::{max, sqrt};
use state::World;

use super::sleep::has_rested;
use super::{StepContext, Workspace};
use crate::body::flag;
use crate::broad::BroadPhase;
use crate::proxy::Proxy;

/// The most by which a hit raises the speed.
const GAIN: f32 = 2.0;

/// How far what happens may reach from each resting body, and the bodies from which that is still to be found.
#[derive(Default)]
pub(super) struct Reach {
    left: Vec<f32>,
    is_queued: Vec<bool>,
    queue: Vec<u32>,
    next: Vec<u32>,
}

impl Reach {
    pub(super) fn with_capacity(bodies: usize) -> Reach {
        Reach {
            left: Vec::with_capacity(bodies),
            is_queued: Vec::with_capacity(bodies),
            queue: Vec::with_capacity(bodies),
            next: Vec::with_capacity(bodies),
        }
    }

    /// Reaches resting bodies from one.
    fn spread(&mut self, broad: &BroadPhase, from: &Proxy, way: f32, is_sleeper: &dyn Fn(u16) -> bool) {
        broad.visit_resting(&from.aabb.expanded(way), |index, other| {
            let left = way - sqrt(from.aabb.distance_squared(&other.aabb));
            let is_farther = left >= 0.0 && left > self.left[index as usize];
            if is_farther && from.slot() != other.slot() && from.can_collide(other) && is_sleeper(other.slot()) {
                self.left[index as usize] = left;
                if !core::mem::replace(&mut self.is_queued[index as usize], true) {
                    self.next.push(index);
                }
            }
        });
    }
}

impl Workspace {
    /// Marks all sleeping bodies that may be reached within the step.
    pub(super) fn mark_reachable(&mut self, context: &StepContext<'_>, world: &World) {
        self.broad.build_bvhs(context.workers);
        let (reach, broad, settings) = (&mut self.reach, &self.broad, context.settings);
        reach.left.clear();
        reach.left.resize(broad.resting.len(), -1.0);
        reach.is_queued.clear();
        reach.is_queued.resize(broad.resting.len(), false);
        reach.next.clear();
        let is_sleeper = |slot: u16| {
            let sleeps = |body: &crate::body::Body| {
                body.is_dynamic() && body.is(flag::ASLEEP) && !body.is(flag::QUARANTINED | flag::TRIGGER)
            };
            context.parts.bodies.at_slot(world, slot).is_some_and(|(_, body)| sleeps(body))
        };
        for ((solver_body, velocity), proxy) in self.solver_bodies.iter().zip(&self.velocities).zip(&broad.moving) {
            if !has_rested(solver_body, velocity, settings) {
                let speed = velocity.linear().length() + velocity.angular().length() * solver_body.bounding_radius;
                let way = max(speed * GAIN * settings.seconds, 0.0) + settings.speculative_margin;
                reach.spread(broad, proxy, way, &is_sleeper);
            }
        }
        while !reach.next.is_empty() {
            core::mem::swap(&mut reach.queue, &mut reach.next);
            reach.next.clear();
            for place in 0..reach.queue.len() {
                let index = reach.queue[place] as usize;
                reach.is_queued[index] = false;
                let way = reach.left[index];
                reach.spread(broad, &broad.resting[index], way, &is_sleeper);
            }
        }
        for (left, proxy) in reach.left.iter().zip(&broad.resting) {
            if *left >= 0.0 {
                super::wake::mark_woken(&mut self.woken, proxy.slot());
            }
        }
    }
}
