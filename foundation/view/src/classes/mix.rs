//! Mixes: the class of buses, on which sounds are gathered, and of what is done to them.

use base::StringId;
use tags::{Choice, Names, Record, Series, Tag};

/// A mix. Every sound is played on a bus; the buses are added up, the reverb joins them, and a limiter keeps the sum within
/// what a loudspeaker takes. A mix without buses has the usual ones: `effects`, `ambience`, `speech`, `music`, `interface`. That in the
/// field `mix` of a level is in force while the level is played.
#[derive(Tag)]
#[tag(class = "mix")]
#[repr(C)]
pub struct Mix {
    /// The buses. Sounds of a bus that is not listed are played on the first one.
    pub buses: Series<MixBus>,
    /// The one reverb.
    pub reverb: MixReverb,
    /// The level that the sum of all buses never exceeds.
    #[tag(unit = "dB", range(-40, 0), default = -0.3)]
    pub ceiling: f32,
}

/// A bus of a mix.
#[derive(Record)]
#[repr(C)]
pub struct MixBus {
    /// Its name, which sounds and the volumes of the player's settings use.
    #[tag(key)]
    pub name: StringId,
    /// Its volume, beside that of the player's settings.
    #[tag(unit = "dB", range(-60, 20), step = 0.5, default = 0)]
    pub volume: f32,
    /// The frequency above which it is muffled. 0: it is not.
    #[tag(unit = "Hz", range(0, 20000), default = 0)]
    pub low_pass: f32,
    /// The part of its sounds that the reverb gets.
    #[tag(range(0, 4), default = 0)]
    pub reverb_send: f32,
    /// Its compressor.
    pub compressor: MixCompressor,
    /// The bus whose sounds make this one softer; none: it is not ducked.
    pub duck_by: StringId,
    /// How much softer it becomes.
    #[tag(unit = "dB", range(-60, 0), default = -9)]
    pub duck: f32,
    /// The level of the other bus from which on it becomes softer.
    #[tag(unit = "dB", range(-80, 0), default = -40)]
    pub duck_threshold: f32,
    /// What the time of the world does to it.
    #[tag(default = "\"world\"")]
    pub time: Choice<BusTime>,
}

/// What the time of the world does to the sounds of a bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Names)]
pub enum BusTime {
    /// They are held while the world is paused, and follow its speed as the settings say.
    World,
    /// They are held while the world is paused, and keep their pitch at every speed.
    Steady,
    /// They go on, as those of an interface.
    Real,
}

/// A compressor: it makes what is loud softer.
#[derive(Record)]
#[repr(C)]
pub struct MixCompressor {
    /// The level from which on it works.
    #[tag(unit = "dB", range(-60, 0), default = -18)]
    pub threshold: f32,
    /// How many decibels above the threshold become one. 1: it does nothing.
    #[tag(range(1, 100), default = 1)]
    pub ratio: f32,
    /// The time in which it reacts.
    #[tag(unit = "ms", range(0.1, 1000), default = 10)]
    pub attack: f32,
    /// The time in which it recovers.
    #[tag(unit = "ms", range(1, 5000), default = 150)]
    pub release: f32,
    /// The gain behind it.
    #[tag(unit = "dB", range(-20, 40), default = 0)]
    pub gain: f32,
}

/// A reverb.
#[derive(Record)]
#[repr(C)]
pub struct MixReverb {
    /// Its volume.
    #[tag(unit = "dB", range(-60, 20), default = -6)]
    pub volume: f32,
    /// The time in which it falls by 60 dB.
    #[tag(unit = "s", range(0.1, 20), default = 1.6)]
    pub decay: f32,
    /// How much faster high frequencies fall: 0 no faster, 1 at once.
    #[tag(range(0, 1), default = 0.4)]
    pub damping: f32,
    /// The time before the first reflection.
    #[tag(unit = "ms", range(0, 200), default = 12)]
    pub delay: f32,
}
