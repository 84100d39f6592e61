//! Prediction cycles: dead reckoning of shown positions between two brush cycles.
//!
//! Laws
//! 1. Prediction reads a frame and cannot reach the world, so it never changes a brush cycle.
//! 2. At most [`CYCLES_AHEAD_MAX`] cycles are predicted: beyond that a slow world stands still, instead of running through walls.
//! 3. From finite instances follow finite positions.

use alloc::vec::Vec;

use base::{Quat, Vec3, number, plain};
use jobs::simd_dispatch::{SimdWork, dispatch};

use crate::frame::Frame;
use crate::instance::Instance;

/// The cycles that are predicted at most.
pub const CYCLES_AHEAD_MAX: f32 = 1.5;

/// The world time that is predicted, in seconds: from the frame's moment to `ahead` seconds later, within the limit.
pub fn limited(frame: &Frame, ahead: f32) -> f32 {
    let most = frame.moment.cycle_seconds * CYCLES_AHEAD_MAX;
    if ahead.is_finite() { number::clamp(ahead, 0.0, number::max(most, 0.0)) } else { 0.0 }
}

/// The position and rotation of an instance, this many seconds after its frame's moment.
#[inline]
pub fn predicted(instance: &Instance, ahead: f32) -> (Vec3, Quat) {
    let position = instance.position + instance.velocity * ahead;
    if instance.angular_velocity == Vec3::ZERO {
        return (position, instance.orientation);
    }
    (position, instance.orientation.turned(instance.angular_velocity, ahead))
}

/// Moves everything in a frame to `ahead` seconds later, within the limit. A renderer then draws it with nothing ahead.
pub fn advance(frame: &mut Frame, ahead: f32) {
    let ahead = limited(frame, ahead);
    for instance in &mut frame.instances {
        (instance.position, instance.orientation) = predicted(instance, ahead);
    }
    for effect in &mut frame.effects {
        effect.position += effect.velocity * ahead;
    }
    for sound in &mut frame.sounds {
        sound.position = sound.position.map(|position| position + sound.velocity * ahead);
    }
    frame.moment.seconds += f64::from(ahead);
}

/// The positions of all instances in flat columns, for as many prediction cycles as the machine can do: one multiplication and one
/// addition for each number.
#[derive(Clone, Debug, Default)]
pub struct PositionColumns {
    positions: Vec<Vec3>,
    velocities: Vec<Vec3>,
    shown: Vec<Vec3>,
}

impl PositionColumns {
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

    /// Copies those of a frame's instances, in their order.
    pub fn set_frame(&mut self, frame: &Frame) {
        self.set(frame.instances.iter().map(|instance| (instance.position, instance.velocity)));
    }

    /// The predicted positions, this many seconds after the brush cycle.
    pub fn at(&mut self, ahead: f32) -> &[Vec3] {
        dispatch(ColumnWork {
            positions: plain::cast_slice(&self.positions),
            velocities: plain::cast_slice(&self.velocities),
            shown: plain::cast_slice_mut(&mut self.shown),
            ahead,
        });
        &self.shown
    }
}

/// One prediction cycle over columns.
struct ColumnWork<'a> {
    positions: &'a [f32],
    velocities: &'a [f32],
    shown: &'a mut [f32],
    ahead: f32,
}

impl SimdWork for ColumnWork<'_> {
    type Output = ();

    #[inline(always)]
    fn work(self) {
        for ((shown, position), velocity) in self.shown.iter_mut().zip(self.positions).zip(self.velocities) {
            *shown = position + velocity * self.ahead;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::Shape;

    fn moving() -> Frame {
        let mut frame = Frame::new(0);
        frame.moment.cycle_seconds = 0.01;
        let instance = Instance::new(7, Shape::None, Vec3::new(1.0, 2.0, 3.0));
        let (velocity, angular_velocity) = (Vec3::new(10.0, 0.0, -10.0), Vec3::new(0.0, 0.0, 100.0));
        frame.push_instance(Instance { velocity, angular_velocity, ..instance });
        frame
    }

    #[test]
    fn instances_move_and_turn_by_their_velocities() {
        let mut frame = moving();
        advance(&mut frame, 0.01);
        let instance = frame.instances[0];
        assert!((instance.position - Vec3::new(1.1, 2.0, 2.9)).length() < 1e-5);
        assert!((instance.orientation.angle_to(Quat::IDENTITY) - 1.0).abs() < 1e-3);
        assert!((frame.moment.seconds - 0.01).abs() < 1e-9);
    }

    #[test]
    fn prediction_is_limited_and_any_time_is_finite() {
        let frame = moving();
        assert_eq!(
            [9.0, -1.0, f32::NAN, f32::INFINITY, 0.005].map(|ahead| limited(&frame, ahead)),
            [0.015, 0.0, 0.0, 0.0, 0.005]
        );
        for ahead in [f32::NAN, f32::INFINITY, -1.0, 1e30] {
            let mut moved = frame.clone();
            advance(&mut moved, ahead);
            assert!(moved.instances[0].is_finite());
        }
    }

    #[test]
    fn columns_agree_with_instances() {
        let mut frame = Frame::new(0);
        frame.moment.cycle_seconds = 0.01;
        for number in 0..101_u16 {
            let number = f32::from(number);
            let instance = Instance::new(1, Shape::None, Vec3::new(number, -number, 1.0 / (number + 1.0)));
            frame.push_instance(Instance { velocity: Vec3::new(3.0, number, -0.1 * number), ..instance });
        }
        let mut columns = PositionColumns::default();
        columns.set_frame(&frame);
        let shown = columns.at(0.007).to_vec();
        advance(&mut frame, 0.007);
        assert_eq!(shown, frame.instances.iter().map(|instance| instance.position).collect::<Vec<_>>());
    }
}
