//! Resting: who falls asleep, and for how long each has rested.
//!
//! Law: all who hang together fall asleep together, and only when each of them has rested for long enough.

use super::Room;
use crate::mover::Mover;
use crate::settings::Settings;

/// How many times as fast as what may fall asleep a body may be now and then, and still rest.
pub(super) const CALM: f32 = 2.0;

impl Room {
    /// Decides who falls asleep.
    pub fn rest(&mut self, settings: &Settings) {
        self.islands.begin(self.movers.len());
        for index in 0..self.narrow.count() {
            let touching = self.narrow.get(index);
            let has_mass = |mover: u32| self.movers.get(mover as usize).is_some_and(|mover| mover.inverse_mass > 0.0);
            if self.is_touching(index) && !touching.is_trigger && touching.movers.iter().all(|mover| has_mass(*mover)) {
                self.islands.join(touching.movers[0], touching.movers[1]);
            }
        }
        self.joints.join(&mut self.islands);
        let longest = if settings.sleep_seconds > 0.0 { settings.sleep_seconds } else { f32::INFINITY };
        self.sleepers.clear();
        self.sleepers.resize(self.movers.len(), true);
        for mover in 0..self.movers.len() {
            let leader = self.islands.leader(mover as u32) as usize;
            let is_calm = self.is_slow(mover, settings.sleep_speed * CALM, settings);
            self.sleepers[leader] &= self.movers[mover].rest + settings.seconds >= longest && is_calm;
        }
        for mover in 0..self.movers.len() {
            let leader = self.islands.leader(mover as u32) as usize;
            self.sleepers[mover] = self.sleepers[leader];
        }
    }

    /// Whether it hardly moves, and not because it has only begun to fall: where hardly anything pulls, that takes its time.
    pub(super) fn is_slow(&self, mover: usize, speed: f32, settings: &Settings) -> bool {
        let (motion, most) = (&self.motions[mover], speed * speed);
        let Mover { is_free, felt, .. } = self.movers[mover];
        let gained = felt.length_squared() * settings.sleep_seconds * settings.sleep_seconds;
        let is_falling = is_free && gained > 0.0 && gained <= 4.0 * settings.sleep_speed * settings.sleep_speed;
        !is_falling
            && motion.velocity().length_squared() <= most
            && motion.spin().length_squared() * self.reach(mover) <= most
    }

    /// The square of how far a mover reaches.
    fn reach(&self, mover: usize) -> f32 {
        let reach = self.movers[mover].reach;
        reach * reach
    }
}
