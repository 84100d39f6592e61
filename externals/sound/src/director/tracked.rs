//! A running sound that the director follows.

use base::{StringId, Vec3, number};
use view::RunningSound;

use super::{Hearing, INAUDIBLE, LATE, MixerSettings, OCCLUSION_PERIOD, approach};
use crate::choice::Choice;
use crate::command::{VoiceKey, VoiceTarget};
use crate::dsp::{amplitude, finite};
use crate::limits::{SAMPLE_RATE, STEP_MAX};
use crate::listener::{Placement, attenuation, place};
use crate::mix_plan::MixPlan;
use crate::plan::Course;

/// The bus of interfaces.
const INTERFACE: StringId = StringId::new("interface");
/// How much softer a sound behind a wall is, in decibels.
const OCCLUDED: f32 = -12.0;

/// What the speed of the world means for a sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorldSpeed {
    /// A factor on its pitch.
    pub pitch: f32,
    /// Whether it stands still.
    pub is_held: bool,
    /// Whether it is silent.
    pub is_muted: bool,
}

/// A running sound.
#[derive(Debug)]
pub struct TrackedSound {
    /// As the frame lists it.
    pub running: RunningSound,
    /// Whether it belongs to an interface, not to the world.
    pub is_of_interface: bool,
    /// What it plays; none if it cannot be played.
    pub choice: Option<Choice>,
    /// The most voices of its kind; 0: any number.
    pub kind_max: u32,
    /// Its voice.
    pub voice: Option<VoiceKey>,
    /// When it was last listed.
    pub stamp: u64,
    /// Whether its tag must be read.
    pub is_stale: bool,
    /// Whether it is over.
    pub has_ended: bool,
    /// How loud it is.
    pub audibility: f32,
    /// Whether it is among those that get a voice.
    pub is_chosen: bool,
    bus: u8,
    bus_volume: f32,
    speed: WorldSpeed,
    occlusion: f32,
    occlusion_goal: f32,
    /// When the walls are asked for again.
    occlusion_due: Option<f64>,
}

impl TrackedSound {
    /// New.
    pub fn new(running: &RunningSound) -> TrackedSound {
        TrackedSound {
            running: *running,
            is_of_interface: false,
            choice: None,
            kind_max: 0,
            voice: None,
            stamp: 0,
            is_stale: true,
            has_ended: false,
            audibility: 0.0,
            is_chosen: false,
            bus: 0,
            bus_volume: 1.0,
            speed: WorldSpeed { pitch: 1.0, is_held: false, is_muted: false },
            occlusion: 0.0,
            occlusion_goal: 0.0,
            occlusion_due: None,
        }
    }

    /// Takes what its tag says now. Whether it plays other samples than before.
    pub fn renew(&mut self, choice: Option<Choice>, kind_max: u32) -> bool {
        let samples =
            |choice: &Choice| (choice.plan.bulk, choice.take.first_part, choice.take.frames, choice.plan.repeat);
        let is_other = self.choice.as_ref().map(samples) != choice.as_ref().map(samples);
        if is_other {
            self.has_ended = false;
        }
        (self.choice, self.kind_max) = (choice, kind_max);
        is_other
    }

    /// The index of its bus; none if it plays nothing. Interfaces have a bus of their own, whatever their sounds say.
    pub fn bus(&self, mix: &MixPlan) -> Option<u8> {
        let own = self.choice.as_ref()?.plan.bus;
        Some(mix.bus(if self.is_of_interface { INTERFACE } else { own }))
    }

    /// The factor on its audibility.
    pub fn priority(&self) -> f32 {
        self.choice.as_ref().map_or(0.0, |choice| choice.plan.priority)
    }

    /// Whether its two channels go to the two ears.
    pub fn is_stereo(&self) -> bool {
        self.running.position.is_none() && self.choice.as_ref().is_some_and(|choice| choice.plan.channels > 1)
    }

    /// How its frames follow each other.
    pub fn course(&self) -> Option<Course> {
        let choice = self.choice.as_ref()?;
        Some(choice.plan.course(&choice.take, self.running.loops))
    }

    /// The time since it began, in seconds.
    pub fn age(&self, now: f64) -> f64 {
        let age = now - self.running.started;
        if age.is_finite() { age } else { 0.0 }
    }

    /// Where its voice would begin, in 2⁻³² frames; none if it is over.
    pub fn place(&self, now: f64) -> Option<u64> {
        let age = self.age(now);
        if age <= LATE { Some(0) } else { self.course()?.place_after(self.frames_after(age)) }
    }

    /// The frames of its source in this many seconds.
    pub fn frames_after(&self, seconds: f64) -> f64 {
        let rate = self.choice.as_ref().map_or(0, |choice| choice.plan.rate);
        seconds * f64::from(rate) * f64::from(self.pitch())
    }

    /// The seconds from a frame of its source to the end.
    pub fn seconds_left(&self, frame: Option<u32>) -> f64 {
        let (Some(course), Some(frame)) = (self.course(), frame) else { return 0.0 };
        let per_second = self.frames_after(1.0);
        if per_second > 0.0 { f64::from(course.frames.saturating_sub(frame)) / per_second } else { 0.0 }
    }

    /// The time until other music may follow it, in seconds; none if it is no music with beats.
    pub fn until_followed(&self, now: f64) -> Option<f64> {
        /// Times so near to a beat are at it: cycles are counted in decimal fractions.
        const NEAR: f64 = 1e-6;
        let period = self.choice.as_ref().filter(|_| self.running.loops)?.plan.follow_period?;
        let period = period / f64::from(self.pitch());
        let beats = self.age(now) / period;
        Some(number::double::max((number::double::ceil(beats - NEAR) - beats) * period, 0.0))
    }

    /// The frames of output in which it fades out.
    pub fn fade_out_frames(&self) -> u32 {
        let seconds = self.choice.as_ref().map_or(0.0, |choice| choice.plan.fade_out);
        (seconds * SAMPLE_RATE as f32) as u32
    }

    /// Finds out how loud it is at the nearest listener, and whether it is over. The walls are those of the last question.
    pub fn approach(&mut self, hearing: &Hearing<'_>, bus: u8, bus_volume: f32, speed: WorldSpeed) {
        (self.bus, self.bus_volume, self.speed) = (bus, bus_volume, speed);
        let Some(choice) = &self.choice else { return };
        if self.voice.is_none() && !self.has_ended {
            self.has_ended = self.place(hearing.now).is_none();
        }
        let gain = match self.position(hearing.ahead) {
            None => 1.0,
            Some(position) => {
                let distances = hearing.listeners.iter().map(|listener| listener.position.distance_squared(position));
                let nearest = distances.fold(f32::INFINITY, number::min);
                if nearest.is_finite() { attenuation(&choice.plan.spread, number::sqrt(nearest)) } else { 0.0 }
            }
        };
        let is_early = self.running.started > hearing.now + 1e-3;
        let heard = gain * self.volume() * bus_volume * self.occluded_gain();
        self.audibility = if speed.is_muted || is_early { 0.0 } else { heard };
    }

    /// Asks about the walls between it and the nearest listener, now and then.
    pub fn occlude(&mut self, hearing: &Hearing<'_>, rays: &mut u32) {
        let strength = self.choice.as_ref().map_or(0.0, |choice| choice.plan.occlusion);
        let (Some(occluder), Some(position)) = (hearing.walls, self.position(hearing.ahead)) else {
            (self.occlusion, self.occlusion_goal) = (0.0, 0.0);
            return;
        };
        let is_due = self.occlusion_due.is_none_or(|due| hearing.now >= due);
        if is_due && *rays > 0 && strength > 0.0 {
            let distance = |ear: &Vec3| ear.distance_squared(position);
            let ears = hearing.listeners.iter().map(|listener| listener.position);
            if let Some(ear) = ears.min_by(|one, other| distance(one).total_cmp(&distance(other))) {
                *rays -= 1;
                let sound = RunningSound { position: Some(position), ..self.running };
                self.occlusion_goal = finite(occluder.occlusion(&sound, ear), 0.0, 0.0, 1.0) * strength;
                if self.occlusion_due.is_none() {
                    self.occlusion = self.occlusion_goal;
                }
                self.occlusion_due = Some(hearing.now + OCCLUSION_PERIOD);
            }
        }
        self.occlusion += (self.occlusion_goal - self.occlusion) * approach(hearing.seconds, 0.05);
    }

    /// What its voice is to become.
    pub fn target(&self, hearing: &Hearing<'_>, mix: &MixPlan, settings: &MixerSettings) -> Option<VoiceTarget> {
        let choice = self.choice.as_ref()?;
        let placement = match self.position(hearing.ahead) {
            None => Placement::CENTRE,
            Some(position) => {
                let (spread, speed) = (&choice.plan.spread, settings.speed_of_sound);
                place(hearing.listeners, position, self.running.velocity, spread, speed).0
            }
        };
        let volume = self.volume() * self.occluded_gain();
        let gain = volume * placement.gain;
        let (left, right) = if self.is_stereo() { (1.0, 1.0) } else { (placement.left, placement.right) };
        // A room answers a distant sound nearly as much as a near one.
        let send = mix.buses[usize::from(self.bus)].reverb_send * choice.plan.reverb * self.bus_volume;
        let send = send * volume * number::sqrt(placement.gain) * if self.is_stereo() { 0.5 } else { 1.0 };
        let ratio = choice.plan.rate as f32 / SAMPLE_RATE as f32;
        let step = ratio * self.pitch() * placement.doppler * self.speed.pitch;
        let step = finite(step, 1.0, 1.0 / 256.0, STEP_MAX as f32);
        Some(VoiceTarget {
            left: gain * left,
            right: gain * right,
            send: if send > INAUDIBLE { send } else { 0.0 },
            filters: placement.filters(self.occlusion),
            step: (f64::from(step) * 4_294_967_296.0) as u64,
            bus: self.bus,
            is_held: self.speed.is_held,
        })
    }

    /// Where it is, moved on by its velocity. None if it has no place.
    fn position(&self, ahead: f32) -> Option<Vec3> {
        let position = self.running.position?;
        let moved = position + self.running.velocity * ahead;
        Some(if moved.is_finite() { moved } else { position })
    }

    fn volume(&self) -> f32 {
        let own = self.choice.as_ref().map_or(0.0, |choice| choice.plan.volume * choice.volume);
        own * finite(self.running.volume, 1.0, 0.0, 16.0)
    }

    fn pitch(&self) -> f32 {
        let own = self.choice.as_ref().map_or(1.0, |choice| choice.plan.pitch * choice.pitch);
        own * finite(self.running.pitch, 1.0, 0.01, 16.0)
    }

    fn occluded_gain(&self) -> f32 {
        if self.occlusion > 0.0 { amplitude(OCCLUDED * self.occlusion) } else { 1.0 }
    }
}
