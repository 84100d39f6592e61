//! Sleeping: rest times, and islands that fall asleep.
//!
//! Law: an island falls asleep as a whole, once each of its bodies has been at rest for [`Settings::sleep_seconds`].

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use base::number::clamp;
use jobs::each_chunk_of_two;

use super::{StepContext, Workspace};
use crate::limits::BODIES_CHUNK;
use crate::settings::Settings;
use crate::solver_body::{SolverBody, SolverVelocity};

/// A body up to this many times faster than the sleep speed loses rest time, but not all of it.
const TWITCH_SPEED_SCALE: f32 = 2.0;

/// The part of the sleep speed below which a body in free flight is at rest.
const FREE_SPEED_SCALE: f32 = 0.1;

impl Workspace {
    /// Updates rest times, and decides which islands fall asleep.
    pub fn sleep(&mut self, context: &StepContext<'_>) {
        let StepContext { settings, workers, .. } = *context;
        let longest = if settings.sleep_seconds > 0.0 { settings.sleep_seconds } else { f32::INFINITY };
        let is_any_ready = AtomicBool::new(false);
        self.sleepers.resize(self.solver_bodies.len(), false);
        let velocities = &self.velocities;
        each_chunk_of_two(
            workers,
            (&mut self.solver_bodies, &mut self.sleepers),
            BODIES_CHUNK,
            |first, solver_bodies, sleepers| {
                for ((solver_body, sleeper), velocity) in
                    solver_bodies.iter_mut().zip(sleepers).zip(&velocities[first..])
                {
                    let is_calm = is_slow(solver_body, velocity, settings.sleep_speed * TWITCH_SPEED_SCALE, settings);
                    *sleeper = solver_body.rest_seconds + settings.seconds >= longest && is_calm;
                    if *sleeper {
                        is_any_ready.store(true, Relaxed);
                    }
                    solver_body.rest_seconds = if is_slow(solver_body, velocity, settings.sleep_speed, settings) {
                        solver_body.rest_seconds + settings.seconds
                    } else if is_calm {
                        // A twitch costs as much rest time as it lasts.
                        clamp(solver_body.rest_seconds - settings.seconds, 0.0, settings.sleep_seconds)
                    } else {
                        0.0
                    };
                }
            },
        );
        if is_any_ready.into_inner() {
            self.is_any_asleep = true;
            self.sleep_islands();
        }
    }

    /// Keeps those awake whose island has an awake body.
    fn sleep_islands(&mut self) {
        self.islands.begin(self.solver_bodies.len());
        let has_mass = |solver_body: &u32| {
            self.solver_bodies.get(*solver_body as usize).is_some_and(|solver_body| solver_body.inverse_mass > 0.0)
        };
        for summary in self.summaries.as_slice() {
            if summary.is_touching() && !summary.is_trigger() && summary.body_indices.iter().all(has_mass) {
                self.islands.union(summary.body_indices[0], summary.body_indices[1]);
            }
        }
        self.articulations.union_islands(&mut self.islands);
        for solver_body in 0..self.solver_bodies.len() {
            if !self.sleepers[solver_body] {
                self.sleepers[self.islands.root(solver_body as u32) as usize] = false;
            }
        }
        for solver_body in 0..self.solver_bodies.len() {
            self.sleepers[solver_body] = self.sleepers[self.islands.root(solver_body as u32) as usize];
        }
    }
}

/// Whether a body has been at rest long enough to sleep, and still is.
pub(super) fn has_rested(solver_body: &SolverBody, velocity: &SolverVelocity, settings: &Settings) -> bool {
    let is_long = settings.sleep_seconds > 0.0 && solver_body.rest_seconds + settings.seconds >= settings.sleep_seconds;
    is_long && is_below(solver_body, velocity, settings.sleep_speed * TWITCH_SPEED_SCALE)
}

/// Whether it is below a speed, and not merely at the start of a slow free fall. In free flight only the slowest bodies are at rest:
/// without anything that holds it, a body keeps its velocity.
fn is_slow(solver_body: &SolverBody, velocity: &SolverVelocity, speed: f32, settings: &Settings) -> bool {
    let gained = solver_body.external_acceleration.length_squared() * settings.sleep_seconds * settings.sleep_seconds;
    let is_falling = solver_body.is_free && gained > 0.0 && gained <= 4.0 * settings.sleep_speed * settings.sleep_speed;
    let speed = if solver_body.is_free { speed * FREE_SPEED_SCALE } else { speed };
    !is_falling && is_below(solver_body, velocity, speed)
}

/// Whether its linear and surface speeds are at most this.
fn is_below(solver_body: &SolverBody, velocity: &SolverVelocity, speed: f32) -> bool {
    let (most, radius) = (speed * speed, solver_body.bounding_radius);
    velocity.linear().length_squared() <= most && velocity.angular().length_squared() * (radius * radius) <= most
}
