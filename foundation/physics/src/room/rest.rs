//! Resting: who falls asleep, and for how long each has rested.
//!
//! Law: all who hang together fall asleep together, and only when each of them has rested for long enough.

use core::sync::atomic::{AtomicBool, Ordering::Relaxed};

use base::number::clamp;
use state::Workers;
use state::share::each_chunk_of_two;

use super::Room;
use crate::limits::BODIES_CHUNK;
use crate::mover::{Motion, Mover};
use crate::settings::Settings;

/// How many times as fast as what may fall asleep a body may be now and then, and still rest.
const CALM: f32 = 2.0;

impl Room {
    /// Decides who falls asleep.
    pub fn rest(&mut self, settings: &Settings, workers: &dyn Workers) {
        let longest = if settings.sleep_seconds > 0.0 { settings.sleep_seconds } else { f32::INFINITY };
        let is_any_ready = AtomicBool::new(false);
        self.sleepers.resize(self.movers.len(), false);
        let motions = &self.motions;
        each_chunk_of_two(workers, (&mut self.movers, &mut self.sleepers), BODIES_CHUNK, |first, movers, sleepers| {
            for ((mover, sleeper), motion) in movers.iter_mut().zip(sleepers).zip(&motions[first..]) {
                let is_calm = is_slow(mover, motion, settings.sleep_speed * CALM, settings);
                *sleeper = mover.rest + settings.seconds >= longest && is_calm;
                if *sleeper {
                    is_any_ready.store(true, Relaxed);
                }
                mover.rest = if is_slow(mover, motion, settings.sleep_speed, settings) {
                    mover.rest + settings.seconds
                } else if is_calm {
                    // A twitch takes back as much as it lasts, not all.
                    clamp(mover.rest - settings.seconds, 0.0, settings.sleep_seconds)
                } else {
                    0.0
                };
            }
        });
        if is_any_ready.into_inner() {
            self.is_any_asleep = true;
            self.rest_together();
        }
    }

    /// Of those that could sleep, those do that hang together with nobody who could not.
    fn rest_together(&mut self) {
        self.islands.begin(self.movers.len());
        let has_mass = |mover: &u32| self.movers.get(*mover as usize).is_some_and(|mover| mover.inverse_mass > 0.0);
        for sketch in self.sketches.as_slice() {
            if sketch.is_touching() && !sketch.is_trigger() && sketch.movers.iter().all(has_mass) {
                self.islands.join(sketch.movers[0], sketch.movers[1]);
            }
        }
        self.joints.join(&mut self.islands);
        for mover in 0..self.movers.len() {
            if !self.sleepers[mover] {
                self.sleepers[self.islands.leader(mover as u32) as usize] = false;
            }
        }
        for mover in 0..self.movers.len() {
            self.sleepers[mover] = self.sleepers[self.islands.leader(mover as u32) as usize];
        }
    }
}

/// Whether it hardly moves, and not because it has only begun to fall: where hardly anything pulls, that takes its time.
fn is_slow(mover: &Mover, motion: &Motion, speed: f32, settings: &Settings) -> bool {
    let most = speed * speed;
    let gained = mover.felt.length_squared() * settings.sleep_seconds * settings.sleep_seconds;
    let is_falling = mover.is_free && gained > 0.0 && gained <= 4.0 * settings.sleep_speed * settings.sleep_speed;
    !is_falling
        && motion.velocity().length_squared() <= most
        && motion.spin().length_squared() * (mover.reach * mover.reach) <= most
}
