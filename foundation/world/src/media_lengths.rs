//! How long effects and sounds run: computed once, when the content is loaded.
//!
//! Law: an effect runs until its last particle, light, decal and sound has ended, and no cue runs longer than
//! [`CUE_SECONDS_MAX`](crate::limits::CUE_SECONDS_MAX).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use base::number::double::{max, min};
use base::{StringId, Vec3};
use tags::Library;
use tags::packed::View;
use view::classes::Sound;
use view::classes::effect::{Effect, EffectStart};

use crate::limits::CUE_SECONDS_MAX;

/// The lengths of all effects and sounds of a content.
#[derive(Clone, Debug, Default)]
pub struct MediaLengths {
    effects: BTreeMap<StringId, EffectLength>,
    sounds: BTreeMap<StringId, SoundLength>,
}

/// What is known of an effect.
#[derive(Clone, Debug, Default)]
pub struct EffectLength {
    /// How long it emits, in seconds; infinite: until it is stopped.
    pub emits: f64,
    /// How long after that something of it is seen or heard.
    pub fades: f64,
    /// Its sounds.
    pub sounds: Vec<EffectSoundLength>,
}

/// A sound of an effect.
#[derive(Clone, Copy, Debug)]
pub struct EffectSoundLength {
    /// The sound tag.
    pub sound: StringId,
    /// The delay after the beginning of the effect, in seconds.
    pub delay: f64,
    /// The marker, or none.
    pub marker: StringId,
    /// The offset in the frame of the marker.
    pub offset: Vec3,
    /// The factor of its volume.
    pub volume: f32,
    /// The factor of its pitch.
    pub pitch: f32,
    /// Whether it repeats as long as the effect lasts.
    pub loops: bool,
}

/// What is known of a sound.
#[derive(Clone, Copy, Debug, Default)]
pub struct SoundLength {
    /// The duration of its longest permutation, in seconds.
    pub seconds: f64,
    /// Whether it repeats.
    pub loops: bool,
}

impl EffectLength {
    /// How long it is shown after a cue, in seconds.
    pub fn shown(&self) -> f64 {
        min(self.emits + self.fades, CUE_SECONDS_MAX)
    }
}

impl MediaLengths {
    /// Those of a content.
    pub fn of(content: &Library) -> MediaLengths {
        let mut lengths = MediaLengths::default();
        for (path, sound) in content.of_class::<Sound>() {
            lengths.sounds.insert(path.id(), sound_length(&sound));
        }
        // An alternative is played in the place of the sound: the longest counts. One level, as they are written.
        for (path, sound) in content.of_class::<Sound>() {
            let others = sound.each(&sound.alternatives).iter();
            let longest = others.filter_map(|other| lengths.sounds.get(&other.sound.id()).copied());
            let longest = longest.map(|other| other.seconds).fold(0.0, max);
            if let Some(length) = lengths.sounds.get_mut(&path.id()) {
                length.seconds = max(length.seconds, longest);
            }
        }
        for (path, effect) in content.of_class::<Effect>() {
            let length = effect_length(&effect, &lengths.sounds);
            lengths.effects.insert(path.id(), length);
        }
        lengths
    }

    /// An effect, if the content has it.
    pub fn effect(&self, tag: StringId) -> Option<&EffectLength> {
        self.effects.get(&tag)
    }

    /// A sound, if the content has it.
    pub fn sound(&self, tag: StringId) -> Option<SoundLength> {
        self.sounds.get(&tag).copied()
    }
}

fn sound_length(sound: &View<'_, Sound>) -> SoundLength {
    let frames = sound.each(&sound.permutations).iter().map(|take| take.frames).fold(sound.frames, u32::max);
    let seconds = if sound.sample_rate == 0 { 0.0 } else { f64::from(frames) / f64::from(sound.sample_rate) };
    SoundLength { seconds, loops: sound.loops.is_true() }
}

fn effect_length(effect: &View<'_, Effect>, sounds: &BTreeMap<StringId, SoundLength>) -> EffectLength {
    let duration = f64::from(effect.duration);
    let end = |start: &EffectStart, lifetime: f32| f64::from(start.delay) + f64::from(lifetime);
    let particles = effect.each(&effect.particles).iter();
    // A particle may be born at the very end.
    let mut last = particles.map(|own| duration + end(&own.start, own.lifetime.y)).fold(duration, max);
    last = effect.each(&effect.trails).iter().map(|own| duration + end(&own.start, own.lifetime)).fold(last, max);
    last = effect.each(&effect.beams).iter().map(|own| end(&own.start, own.lifetime)).fold(last, max);
    last = effect.each(&effect.rings).iter().map(|own| end(&own.start, own.lifetime)).fold(last, max);
    last = effect.each(&effect.decals).iter().map(|own| end(&own.start, own.lifetime)).fold(last, max);
    last = effect.each(&effect.lights).iter().map(|own| end(&own.start, own.lifetime)).fold(last, max);
    last = effect.each(&effect.shakes).iter().map(|own| end(&own.start, own.lifetime)).fold(last, max);
    let mut own = Vec::new();
    for sound in effect.each(&effect.sounds).iter().filter(|sound| !sound.sound.is_none()) {
        let number = |formula: &tags::Formula| formula.number().map_or(1.0, |number| number as f32);
        let (volume, pitch) = (number(&sound.volume), base::number::max(number(&sound.pitch), 0.01));
        let length = sounds.get(&sound.sound.id()).copied().unwrap_or_default();
        last = max(last, f64::from(sound.start.delay) + length.seconds / f64::from(pitch));
        own.push(EffectSoundLength {
            sound: sound.sound.id(),
            delay: f64::from(sound.start.delay),
            marker: if sound.start.marker.is_none() { effect.marker } else { sound.start.marker },
            offset: sound.start.offset,
            volume,
            pitch,
            loops: sound.loops.is_true(),
        });
    }
    let emits = if duration > 0.0 { duration } else { f64::INFINITY };
    EffectLength { emits, fades: last - duration, sounds: own }
}
