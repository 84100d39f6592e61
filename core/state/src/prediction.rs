//! Prediction cycles: dead reckoning of displayed positions between two brush cycles.
//!
//! After a brush cycle the presentation copies positions and velocities out of the world, once, into flat columns; each
//! prediction cycle is then one multiplication and one addition per number, at any frame rate.
//!
//! Law: nothing here can write to the world, so prediction never changes the next brush cycle.

use alloc::vec::Vec;

use base::Vec3;
use base::plain;

/// Positions and velocities of displayed things, and their predicted positions.
#[derive(Clone, Debug, Default)]
pub struct Prediction {
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    shown: Vec<Vec3>,
}

impl Prediction {
    /// Copies positions and velocities, after a brush cycle.
    pub fn set(&mut self, things: impl IntoIterator<Item = (Vec3, Vec3)>) {
        self.positions.clear();
        self.velocities.clear();
        for (position, velocity) in things {
            self.positions.push(position);
            self.velocities.push(velocity);
        }
        self.shown.resize(self.positions.len(), Vec3::default());
    }

    /// The predicted positions, this many seconds after the brush cycle.
    pub fn at(&mut self, ahead_seconds: f32) -> &[Vec3] {
        let positions: &[f32] = plain::cast_slice(&self.positions);
        let velocities: &[f32] = plain::cast_slice(&self.velocities);
        let shown: &mut [f32] = plain::cast_slice_mut(&mut self.shown);
        for ((shown, position), velocity) in shown.iter_mut().zip(positions).zip(velocities) {
            *shown = position + velocity * ahead_seconds;
        }
        &self.shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_extrapolated_by_velocity() {
        let mut prediction = Prediction::default();
        prediction.set([(Vec3::new(1.0, 2.0, 3.0), Vec3::new(10.0, 0.0, -10.0))]);
        assert_eq!(prediction.at(0.0), [Vec3::new(1.0, 2.0, 3.0)]);
        assert_eq!(prediction.at(0.5), [Vec3::new(6.0, 2.0, -2.0)]);
        assert_eq!(prediction.at(0.25), [Vec3::new(3.5, 2.0, 0.5)]);
    }
}
