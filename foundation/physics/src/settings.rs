//! The settings of physics, each with a default and its reason.

use base::{Plain, Vec3};

use crate::limits::ACCELERATION_MAX;

/// Settings of the step. Part of the content: equal settings give equal results.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Settings {
    /// Gravity, in metres per second squared. Zero by default: a world without ground is more often in space.
    pub gravity: Vec3,
    /// The length of a step in seconds: a brush cycle.
    pub seconds: f32,
    /// Sub-steps per step. Four hold towers of forty boxes; the cost is proportional.
    pub substeps: u32,
    /// The speculative contact distance, in metres: contacts exist before the surfaces touch.
    pub speculative_margin: f32,
    /// The distance at which surfaces still count as touching, in metres, so that resting contacts do not flicker.
    pub slop: f32,
    /// The frequency of soft contacts, in hertz. Capped at a quarter of the sub-step rate: beyond it they oscillate.
    pub contact_hertz: f32,
    /// The damping ratio of soft contacts; far above one, so that overlaps separate without a jump.
    pub contact_damping: f32,
    /// The maximum push-out speed of overlaps, in metres per second.
    pub push_speed_max: f32,
    /// The frequency of rigid joints, in hertz.
    pub joint_hertz: f32,
    /// The damping ratio of rigid joints.
    pub joint_damping: f32,
    /// Approach speeds below this have no restitution, in metres per second: otherwise nothing would come to rest. Capped at the
    /// speed that external acceleration gives a body in three steps, so bodies in free space bounce at any speed.
    pub restitution_threshold: f32,
    /// Below this linear and surface speed a body may fall asleep, in metres per second.
    pub sleep_speed: f32,
    /// The time a body must be that slow to fall asleep, in seconds. Zero: no body sleeps.
    pub sleep_seconds: f32,
    /// The maximum linear and surface speed, in metres per second.
    pub speed_max: f32,
    /// The maximum number of impacts of one body in one step of continuous collision detection.
    pub impacts_max: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            gravity: Vec3::ZERO,
            seconds: 0.01,
            substeps: 4,
            speculative_margin: 0.02,
            slop: 0.005,
            contact_hertz: 60.0,
            contact_damping: 10.0,
            push_speed_max: 3.0,
            joint_hertz: 60.0,
            joint_damping: 2.0,
            restitution_threshold: 0.5,
            sleep_speed: 0.05,
            sleep_seconds: 0.5,
            speed_max: 1.0e5,
            impacts_max: 4,
        }
    }
}

impl Settings {
    /// Clamps every number to its range; a number that is not finite becomes its default.
    #[must_use]
    pub fn sanitized(self) -> Settings {
        let other = Settings::default();
        let within = |value: f32, min: f32, max: f32, other: f32| {
            if value.is_finite() { base::number::clamp(value, min, max) } else { other }
        };
        let gravity =
            if self.gravity.is_finite() { self.gravity.limit_length(ACCELERATION_MAX) } else { other.gravity };
        Settings {
            gravity,
            seconds: within(self.seconds, 1.0e-4, 0.1, other.seconds),
            substeps: self.substeps.clamp(1, 32),
            speculative_margin: within(self.speculative_margin, 0.0, 1.0, other.speculative_margin),
            slop: within(self.slop, 0.0, 0.1, other.slop),
            contact_hertz: within(self.contact_hertz, 1.0, 1000.0, other.contact_hertz),
            contact_damping: within(self.contact_damping, 0.0, 100.0, other.contact_damping),
            push_speed_max: within(self.push_speed_max, 0.0, 1000.0, other.push_speed_max),
            joint_hertz: within(self.joint_hertz, 1.0, 1000.0, other.joint_hertz),
            joint_damping: within(self.joint_damping, 0.0, 100.0, other.joint_damping),
            restitution_threshold: within(self.restitution_threshold, 0.0, 100.0, other.restitution_threshold),
            sleep_speed: within(self.sleep_speed, 0.0, 100.0, other.sleep_speed),
            sleep_seconds: within(self.sleep_seconds, 0.0, 1.0e6, other.sleep_seconds),
            speed_max: within(self.speed_max, 1.0, 1.0e7, other.speed_max),
            impacts_max: self.impacts_max.clamp(1, 16),
        }
    }
}
