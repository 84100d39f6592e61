//! How does a view become samples?
//!
//! A frame lists the sounds that run, with the world time at which each began. The director, on the presentation thread,
//! chooses what is heard: which take of a sound, from which place in time, how loud and from where. The engine, on the
//! mixing thread, turns that into stereo samples, and a device plays, discards or writes them.
//!
//! Never: knows a world; waits for a disk or a lock while it mixes; makes a parameter jump.
//!
//! Laws
//! 1. What is heard follows from the frame: after a load or a seek a sound goes on in its middle, and a sound that has
//!    ended does not begin.
//! 2. The mixing thread neither allocates, frees, locks nor waits: commands and retired samples go through bounded
//!    channels, and everything else through atomics.
//! 3. The same frames at the same times give the same samples, on every machine: fixed-point places, `base::number`, and
//!    sums in a written order.
//! 4. Missing or broken content is silence and one report. No sample leaves that is not within −1 to 1.
//! 5. Every pool has its size from [`limits`]: a sound without a voice keeps its time, and is heard when it gets one.

pub mod limits;

pub mod dsp;
pub mod listener;
pub mod reports;
pub mod ring;

pub mod decode;

pub mod plan;

pub mod choice;
pub mod mix_plan;

pub mod parts;

pub mod command;

mod voice;

pub mod engine;

pub mod director;

pub mod mixer;

pub mod device;

pub mod output;

pub use device::{Device, DeviceError};
pub use director::{Director, HeardScene, MixerSettings, Occluder, SpeedPolicy};
pub use engine::Engine;
pub use listener::Listener;
pub use mixer::Mixer;
pub use output::{Output, OutputKind};
