//! The settings of physics. Each has a default, and a reason for it.

use base::{Plain, Vec3};

use crate::limits::PULL_MOST;

/// How a world's physics is worked out. The same for all bodies, and part of the content: equal settings, equal results.
#[derive(Clone, Copy, Debug, PartialEq, Plain)]
#[repr(C)]
pub struct Settings {
    /// The pull on everything that has mass, in metres per second squared. None by default: space is the more common case for
    /// worlds without ground, and ground has to be made anyhow.
    pub gravity: Vec3,
    /// The length of a step in seconds: a brush cycle.
    pub seconds: f32,
    /// Into how many parts a step is divided for the solver. Four hold towers of forty; more cost in proportion.
    pub substeps: u32,
    /// How far apart surfaces may be and still be looked at, in metres. Contacts are then there before they are needed.
    pub margin: f32,
    /// How far apart surfaces may be and still count as touching, in metres: what rests does not flicker then.
    pub slop: f32,
    /// How stiff contacts are, in oscillations per second. At most a quarter of the rate of sub-steps is used: more would swing.
    pub contact_hertz: f32,
    /// How much contacts are damped; far above one, so that what overlaps comes apart without a jump.
    pub contact_damping: f32,
    /// How fast overlapping bodies are pushed apart at most, in metres per second.
    pub push_speed_max: f32,
    /// How stiff joints are, in oscillations per second, where they are not springs.
    pub joint_hertz: f32,
    /// How much joints are damped.
    pub joint_damping: f32,
    /// Bodies that meet slower than this do not bounce, in metres per second: otherwise nothing would come to rest. Where nothing
    /// pulls at bodies, they bounce at any speed: the limit is never more than what forces do to them in three steps.
    pub bounce_speed_least: f32,
    /// Below this speed (metres per second, and that of the surface as it turns) a body may fall asleep.
    pub sleep_speed: f32,
    /// How long it has to be that slow, in seconds. Zero: nothing ever sleeps.
    pub sleep_seconds: f32,
    /// No body is faster than this, in metres per second, and none of its points goes round it faster.
    pub speed_max: f32,
    /// How many impacts of one fast body are worked out within one step.
    pub impacts_max: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            gravity: Vec3::ZERO,
            seconds: 0.01,
            substeps: 4,
            margin: 0.02,
            slop: 0.005,
            contact_hertz: 60.0,
            contact_damping: 10.0,
            push_speed_max: 3.0,
            joint_hertz: 60.0,
            joint_damping: 2.0,
            bounce_speed_least: 0.5,
            sleep_speed: 0.05,
            sleep_seconds: 0.5,
            speed_max: 1.0e5,
            impacts_max: 4,
        }
    }
}

impl Settings {
    /// With every number made sound: whatever makes no sense becomes the nearest that does.
    #[must_use]
    pub fn sound(self) -> Settings {
        let other = Settings::default();
        let within = |value: f32, least: f32, most: f32, other: f32| {
            if value.is_finite() { base::number::clamp(value, least, most) } else { other }
        };
        let gravity = if self.gravity.is_finite() { self.gravity.limit_length(PULL_MOST) } else { other.gravity };
        Settings {
            gravity,
            seconds: within(self.seconds, 1.0e-4, 0.1, other.seconds),
            substeps: self.substeps.clamp(1, 32),
            margin: within(self.margin, 0.0, 1.0, other.margin),
            slop: within(self.slop, 0.0, 0.1, other.slop),
            contact_hertz: within(self.contact_hertz, 1.0, 1000.0, other.contact_hertz),
            contact_damping: within(self.contact_damping, 0.0, 100.0, other.contact_damping),
            push_speed_max: within(self.push_speed_max, 0.0, 1000.0, other.push_speed_max),
            joint_hertz: within(self.joint_hertz, 1.0, 1000.0, other.joint_hertz),
            joint_damping: within(self.joint_damping, 0.0, 100.0, other.joint_damping),
            bounce_speed_least: within(self.bounce_speed_least, 0.0, 100.0, other.bounce_speed_least),
            sleep_speed: within(self.sleep_speed, 0.0, 100.0, other.sleep_speed),
            sleep_seconds: within(self.sleep_seconds, 0.0, 1.0e6, other.sleep_seconds),
            speed_max: within(self.speed_max, 1.0, 1.0e7, other.speed_max),
            impacts_max: self.impacts_max.clamp(1, 16),
        }
    }
}
