//! What running effects look like at a time: particles, beams, trails, rings, decals, lights and shakes.
//!
//! A particle is a function of its effect's seed, its own number and its age, so nothing is simulated: a paused, rewound or
//! loaded world shows what it would have shown.
//!
//! Laws
//! 1. The same frame, time, eyes and content give the same visuals, bit for bit. Trails alone have a history, which follows from
//!    the frames shown before it in the same epoch.
//! 2. Nearer and more important effects come first: when a list is full, the rest is left out and counted.
//! 3. Every number is finite. What is not is left out and counted.
//! 4. An effect whose tag is missing is a visible spark, and is reported once.
//!
//! Sounds of effects are no visuals: a mixer reads them from the tags.

mod curve;
mod dice;

mod placement;

mod run;

mod beams;
mod lamps;
mod particles;
mod rings;
mod trails;

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use base::{StringId, Vec3};
use tags::Library;

pub use placement::{FramePlacement, ObjectIndex, Place, Placement};

use crate::classes::Effect;
use crate::frame::Frame;
use crate::limits::{EFFECTS_MAX, MISSING_MAX, PARTICLES_TRIED_MAX};
use crate::running::RunningEffect;
use crate::visuals::{Blend, Visuals};
use run::{EffectRun, push_sprite};
use trails::Trails;

/// What effects are seen in.
#[derive(Clone, Copy)]
pub struct EffectScene<'a> {
    /// The frame whose effects are shown.
    pub frame: &'a Frame,
    /// The world time since the frame's moment, in seconds.
    pub ahead: f32,
    /// Where objects and markers are at this time.
    pub placement: &'a dyn Placement,
    /// The tags.
    pub content: &'a Library,
    /// Where the scene is seen from. None: everything is near.
    pub eyes: &'a [Vec3],
    /// The part of the particles that is shown: [`crate::Quality::particles`].
    pub particles: f32,
}

/// What is kept from picture to picture: the paths of trails, and memory.
#[derive(Clone, Debug, Default)]
pub struct EffectHistory {
    trails: Trails,
    order: Vec<(u32, u32)>,
    reported: BTreeSet<StringId>,
    missing: Vec<StringId>,
}

impl EffectHistory {
    /// The effect tags that were missing, each once.
    pub fn take_missing(&mut self) -> Vec<StringId> {
        core::mem::take(&mut self.missing)
    }

    fn report(&mut self, effect: StringId) {
        if self.reported.len() < MISSING_MAX && self.reported.insert(effect) {
            self.missing.push(effect);
        }
    }
}

/// Replaces `out` by the looks of all effects of a frame. Allocates only until its lists are as long as they ever were.
///
/// The cost is 25 to 60 nanoseconds per particle, by what its emitter uses.
pub fn evaluate(scene: &EffectScene<'_>, history: &mut EffectHistory, out: &mut Visuals) {
    out.clear();
    let now = scene.frame.moment.seconds + f64::from(scene.ahead);
    if !now.is_finite() {
        out.refused += scene.frame.effects.len() as u64;
        return;
    }
    history.trails.begin(scene.frame.moment.epoch);
    let mut order = core::mem::take(&mut history.order);
    sort(scene, now, history, &mut order, out);
    let mut tried_left = PARTICLES_TRIED_MAX;
    for (_, index) in &order {
        let running = &scene.frame.effects[*index as usize];
        match scene.content.get_as::<Effect>(running.effect) {
            Some(effect) => {
                let run = EffectRun::new(scene, running, effect, now);
                particles::add(&run, &mut tried_left, out);
                beams::add(&run, out);
                rings::add(&run, out);
                lamps::add(&run, out);
                history.trails.add(&run, out);
            }
            None => add_spark(scene, running, now, out),
        }
    }
    history.order = order;
    history.trails.fade_left(scene.content, now, out);
}

/// Lists the effects that may be seen, the nearest and most important first.
fn sort(
    scene: &EffectScene<'_>,
    now: f64,
    history: &mut EffectHistory,
    order: &mut Vec<(u32, u32)>,
    out: &mut Visuals,
) {
    order.clear();
    for (index, running) in scene.frame.effects.iter().enumerate() {
        if !is_finite(running) || index >= EFFECTS_MAX {
            out.refused += 1;
            continue;
        }
        if now < running.started {
            continue;
        }
        let effect = scene.content.get_as::<Effect>(running.effect);
        if effect.is_none() {
            history.report(running.effect);
        }
        let (distance_max, importance) = effect.map_or((0.0, 1.0), |effect| (effect.distance_max, effect.importance));
        let distance = run::distance(scene.eyes, running.position);
        if distance_max > 0.0 && distance > distance_max * base::number::max(running.scale, 1.0) {
            continue;
        }
        // The bits of positive numbers are in their order.
        let key = distance / base::number::max(importance, 0.01);
        order.push((key.to_bits(), index as u32));
    }
    order.sort_unstable();
}

fn is_finite(running: &RunningEffect) -> bool {
    running.position.is_finite()
        && running.orientation.is_finite()
        && running.velocity.is_finite()
        && running.scale.is_finite()
        && running.started.is_finite()
        && !running.stopped.is_nan()
        && running.target.is_none_or(Vec3::is_finite)
}

/// What is shown for an effect whose tag is missing: a magenta spark that blinks twice a second, for two seconds or as long as
/// its object has it.
fn add_spark(scene: &EffectScene<'_>, running: &RunningEffect, now: f64, out: &mut Visuals) {
    let age = now - running.started;
    if now >= running.stopped || (running.object == 0 && age > 2.0) {
        return;
    }
    let place = scene.placement.place(running.object, running.marker);
    let position = place.map_or(running.position, |place| place.position);
    let beat = (age * 2.0 - (age * 2.0) as u64 as f64) as f32;
    let size = base::number::clamp(running.scale, 0.01, 1000.0) * (0.5 - 0.35 * beat);
    let sprite = crate::visuals::Sprite {
        position,
        size,
        rotation: 0.0,
        stretch: Vec3::ZERO,
        colour: [4.0, 0.2, 4.0, 1.0],
        bitmap: StringId::NONE,
        frame: 0.0,
        blend: Blend::Additive,
    };
    push_sprite(out, sprite);
}

#[cfg(test)]
mod tests;
