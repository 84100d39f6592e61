//! Smoothing: what is shown goes over from one frame to the next without a jump.
//!
//! Each new frame corrects what was predicted from the one before. The difference between what was shown and what is true is kept
//! for each object and decays (projective velocity blending, Murphy 2011, without the blend of velocities).
//!
//! Laws
//! 1. The difference halves every [`HALF_LIFE`] seconds of machine time, and is dropped above [`DISTANCE_MAX`], for objects that were
//!    placed elsewhere, and whenever the epoch changes.
//! 2. While nothing is corrected, what is shown is what is predicted.
//! 3. State is kept by object and dropped with it: it is bounded by the instances of a frame.

use alloc::vec::Vec;

use base::{Quat, Vec3, hash, number};

use crate::frame::Frame;
use crate::instance::{Instance, look};
use crate::prediction::{limited, predicted};

/// The machine time in which half of a difference is gone, in seconds.
pub const HALF_LIFE: f32 = 0.05;
/// The difference above which it is not smoothed, in metres.
pub const DISTANCE_MAX: f32 = 2.0;
/// The same for rotations, in radians.
pub const ANGLE_MAX: f32 = 1.5;

/// Keeps what was shown of each object, and goes over to what is true.
#[derive(Clone, Debug, Default)]
pub struct Smoother {
    /// What was last shown.
    shown: PoseTable,
    /// The differences from what is true, decaying.
    offsets: PoseTable,
    /// The cycle and epoch of the frame that was last shown, if there was one.
    last: Option<(u64, u32)>,
    /// The world time that was last shown, in seconds.
    shown_at: f64,
}

impl Smoother {
    /// Moves a frame to `ahead` seconds after its moment, with the differences of earlier frames fading out. `machine_seconds` have
    /// passed since the last call. A renderer draws the frame with nothing ahead.
    pub fn advance(&mut self, frame: &mut Frame, ahead: f32, machine_seconds: f32) {
        let ahead = limited(frame, ahead);
        let now = frame.moment.seconds + f64::from(ahead);
        let moment = (frame.moment.cycle, frame.moment.epoch);
        let passed = if machine_seconds.is_finite() { number::max(machine_seconds, 0.0) } else { 0.0 };
        let is_new = self.last != Some(moment);
        if self.last.is_some_and(|(_, epoch)| epoch != moment.1) || self.last.is_none() {
            self.offsets.clear();
            self.shown.clear();
        } else if is_new {
            self.correct(frame, ahead, (now - self.shown_at) as f32);
        }
        self.offsets.decay(number::exp2(-passed / HALF_LIFE));
        (self.last, self.shown_at) = (Some(moment), now);
        self.shown.reset(frame.instances.len());
        for instance in &mut frame.instances {
            let mut pose = predicted(instance, ahead);
            if let Some(offset) = self.offsets.get(instance.object) {
                pose = (pose.0 + offset.position, (offset.turn * pose.1).normal());
            }
            (instance.position, instance.orientation) = pose;
            self.shown.put(instance.object, pose.0, pose.1);
        }
        let offset_of = |object: u32| self.offsets.get(object).map_or(Vec3::ZERO, |offset| offset.position);
        for effect in &mut frame.effects {
            effect.position += effect.velocity * ahead + offset_of(effect.object);
        }
        for sound in &mut frame.sounds {
            let moved = sound.velocity * ahead + offset_of(sound.object);
            sound.position = sound.position.map(|position| position + moved);
        }
        frame.moment.seconds = now;
    }

    /// Shows what lies between the frame before and this one: `part` is 0 at the frame before and 1 at this one. For a world that runs
    /// so slowly that predicted motion would be seen to be wrong, or that is stepped by hand.
    pub fn between(&mut self, before: &Frame, frame: &mut Frame, part: f32) {
        let part = if part.is_finite() { number::clamp(part, 0.0, 1.0) } else { 1.0 };
        if before.moment.epoch == frame.moment.epoch {
            self.shown.reset(before.instances.len());
            for instance in &before.instances {
                self.shown.put(instance.object, instance.position, instance.orientation);
            }
            for instance in &mut frame.instances {
                let Some(earlier) = self.shown.get(instance.object).filter(|_| is_blended(instance)) else { continue };
                instance.position = earlier.position.lerp(instance.position, part);
                instance.orientation = earlier.turn.nlerp(instance.orientation, part);
            }
            let from = before.moment.seconds;
            frame.moment.seconds = from + (frame.moment.seconds - from) * f64::from(part);
        }
        self.forget();
    }

    /// Drops everything: what comes next is shown as it is.
    pub fn forget(&mut self) {
        self.offsets.clear();
        self.shown.clear();
        self.last = None;
    }

    /// Computes the differences between what was shown and what a new frame predicts. `passed` is the shown time since then.
    fn correct(&mut self, frame: &Frame, ahead: f32, passed: f32) {
        self.offsets.reset(frame.instances.len());
        for instance in frame.instances.iter().filter(|instance| is_blended(instance)) {
            let Some(shown) = self.shown.get(instance.object) else { continue };
            let (position, orientation) = predicted(instance, ahead);
            // Where it would be shown now, had it gone on.
            let difference = shown.position + instance.velocity * passed - position;
            let turned = shown.turn.turned(instance.angular_velocity, passed) * orientation.conjugate();
            let is_small = difference.length() <= DISTANCE_MAX && turned.angle_to(Quat::IDENTITY) <= ANGLE_MAX;
            if is_small && difference.is_finite() && turned.is_finite() {
                self.offsets.put(instance.object, difference, turned);
            }
        }
    }
}

fn is_blended(instance: &Instance) -> bool {
    instance.object != 0 && instance.look & look::TELEPORTED == 0
}

/// A pose of each object, found by its handle.
#[derive(Clone, Debug, Default)]
struct PoseTable {
    /// Open addressing with linear probing; the length is a power of two, or 0.
    places: Vec<ObjectPose>,
}

#[derive(Clone, Copy, Debug)]
struct ObjectPose {
    /// 0: the place is free.
    object: u32,
    position: Vec3,
    turn: Quat,
}

const FREE: ObjectPose = ObjectPose { object: 0, position: Vec3::ZERO, turn: Quat::IDENTITY };

impl PoseTable {
    fn clear(&mut self) {
        self.places.fill(FREE);
    }

    /// Empties it, with space for this many.
    fn reset(&mut self, count: usize) {
        let length = (count * 2).next_power_of_two().max(16);
        self.places.clear();
        self.places.resize(length, FREE);
    }

    /// The place of an object, or the free one where it belongs.
    #[inline]
    fn place(&self, object: u32) -> usize {
        let mask = self.places.len() - 1;
        let mut at = hash::mix(u64::from(object), 0) as usize & mask;
        // At most half of the places are taken, so the search ends.
        while self.places[at].object != 0 && self.places[at].object != object {
            at = (at + 1) & mask;
        }
        at
    }

    #[inline]
    fn get(&self, object: u32) -> Option<ObjectPose> {
        if object == 0 || self.places.is_empty() {
            return None;
        }
        Some(self.places[self.place(object)]).filter(|found| found.object == object)
    }

    #[inline]
    fn put(&mut self, object: u32, position: Vec3, turn: Quat) {
        if object != 0 {
            let at = self.place(object);
            self.places[at] = ObjectPose { object, position, turn };
        }
    }

    /// Shrinks all poses towards none.
    fn decay(&mut self, part: f32) {
        for place in self.places.iter_mut().filter(|place| place.object != 0) {
            place.position *= part;
            place.turn = Quat::IDENTITY.nlerp(place.turn, part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance::Shape;

    fn frame(cycle: u64, x: f32, speed: f32) -> Frame {
        let mut frame = Frame::new(0);
        frame.moment.cycle = cycle;
        frame.moment.seconds = cycle as f64 * 0.01;
        frame.moment.cycle_seconds = 0.01;
        let instance = Instance::new(9, Shape::None, Vec3::new(x, 0.0, 0.0));
        frame.push_instance(Instance { velocity: Vec3::new(speed, 0.0, 0.0), ..instance });
        frame
    }

    fn x(frame: &Frame) -> f32 {
        frame.instances[0].position.x
    }

    fn shown(smoother: &mut Smoother, frame: &Frame, ahead: f32, machine: f32) -> f32 {
        let mut moved = frame.clone();
        smoother.advance(&mut moved, ahead, machine);
        x(&moved)
    }

    #[test]
    fn steady_motion_is_shown_as_predicted() {
        let mut smoother = Smoother::default();
        for cycle in 0..20 {
            let frame = frame(cycle, cycle as f32 * 0.1, 10.0);
            for part in [0.0, 0.003, 0.009] {
                let found = shown(&mut smoother, &frame, part, 0.003);
                assert!((found - (cycle as f32 * 0.1 + part * 10.0)).abs() < 1e-3, "{found}");
            }
        }
    }

    #[test]
    fn a_correction_halves_in_fifty_milliseconds() {
        let mut smoother = Smoother::default();
        shown(&mut smoother, &frame(0, 0.0, 0.0), 0.0, 0.0);
        let moved = frame(1, 1.0, 0.0);
        assert!(shown(&mut smoother, &moved, 0.0, 0.0).abs() < 1e-5, "no jump");
        assert!((shown(&mut smoother, &moved, 0.0, 0.05) - 0.5).abs() < 1e-3);
        assert!((shown(&mut smoother, &moved, 0.0, 0.05) - 0.75).abs() < 1e-3);
        assert!((shown(&mut smoother, &moved, 0.0, 10.0) - 1.0).abs() < 1e-5);
    }

    #[test]
    fn large_corrections_teleports_and_new_epochs_are_not_smoothed() {
        let mut smoother = Smoother::default();
        shown(&mut smoother, &frame(0, 0.0, 0.0), 0.0, 0.0);
        assert_eq!(shown(&mut smoother, &frame(1, 3.0, 0.0), 0.0, 0.0), 3.0);
        let mut teleported = frame(2, 4.0, 0.0);
        teleported.instances[0].look = look::TELEPORTED;
        assert_eq!(shown(&mut smoother, &teleported, 0.0, 0.0), 4.0);
        let mut loaded = frame(3, 4.5, 0.0);
        loaded.moment.epoch = 1;
        assert_eq!(shown(&mut smoother, &loaded, 0.0, 0.0), 4.5);
    }

    #[test]
    fn a_slow_world_is_shown_between_its_frames() {
        let (before, after) = (frame(0, 0.0, 0.0), frame(1, 1.0, 0.0));
        let mut smoother = Smoother::default();
        for (part, expected) in [(0.0, 0.0), (0.25, 0.25), (1.0, 1.0), (7.0, 1.0), (f32::NAN, 1.0)] {
            let mut moved = after.clone();
            smoother.between(&before, &mut moved, part);
            assert_eq!(x(&moved), expected);
        }
    }

    #[test]
    fn any_numbers_give_finite_poses() {
        let mut smoother = Smoother::default();
        for (cycle, machine) in [(0, f32::NAN), (1, f32::INFINITY), (1, -1.0), (5, 1e30)] {
            let mut moved = frame(cycle, cycle as f32, 1e30);
            smoother.advance(&mut moved, f32::NAN, machine);
            assert!(moved.instances[0].is_finite());
        }
    }

    #[test]
    fn many_objects_are_found_by_their_handles() {
        let mut table = PoseTable::default();
        table.reset(5000);
        for object in 1..=5000_u32 {
            table.put(object.wrapping_mul(0x9e37_79b1), Vec3::splat(object as f32), Quat::IDENTITY);
        }
        for object in 1..=5000_u32 {
            let found = table.get(object.wrapping_mul(0x9e37_79b1)).expect("it was put");
            assert_eq!(found.position.x, object as f32);
        }
        assert!(table.get(0).is_none() && table.get(77).is_none());
    }
}
