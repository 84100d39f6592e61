//! What the director tells the engine, and what the engine tells back.
//!
//! Commands go through a bounded channel in order. Samples that the engine no longer needs come back through another, so that
//! they are freed on the director's side. Where each voice is, and the counters, are atomics.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use crate::decode::Samples;
use crate::dsp::reverb::ReverbSettings;
use crate::limits::{COMMANDS_MAX, RETIRED_MAX, SLOTS_MAX};
use crate::mix_plan::BusSettings;
use crate::plan::Course;

/// A voice of the engine: its slot, and the number of its use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VoiceKey {
    /// The slot.
    pub slot: u16,
    /// How many times the slot had been used.
    pub generation: u32,
}

/// What a voice is to become: it gets there within a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoiceTarget {
    /// The factor for the left channel.
    pub left: f32,
    /// The factor for the right channel.
    pub right: f32,
    /// The factor for the reverb.
    pub send: f32,
    /// The coefficients of the filters of both ears.
    pub filters: [f32; 2],
    /// The frames of the source for one of output, in 2⁻³².
    pub step: u64,
    /// The bus.
    pub bus: u8,
    /// Whether it stands still, silent.
    pub is_held: bool,
}

/// How a voice begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VoiceStart {
    /// How its frames follow each other.
    pub course: Course,
    /// Whether its two channels go to the two ears. Otherwise they become one, which has a place.
    pub is_stereo: bool,
    /// Where it begins, in 2⁻³² frames.
    pub place: u64,
    /// The frames of output before it fades in: until then it runs silently.
    pub wait_frames: u32,
    /// The frames in which it fades in.
    pub fade_frames: u32,
    /// What it is from the beginning.
    pub target: VoiceTarget,
}

/// A command to the engine.
#[derive(Clone, Debug)]
pub enum Command {
    /// Starts a voice.
    Start(VoiceKey, VoiceStart),
    /// Changes a voice.
    Aim(VoiceKey, VoiceTarget),
    /// Gives a voice a part of its sound, for this place of its window.
    Part {
        /// The voice.
        voice: VoiceKey,
        /// The place of its window.
        at: u8,
        /// The number of the part.
        part: u32,
        /// Its samples.
        samples: Arc<Samples>,
    },
    /// Fades a voice out within this many frames.
    Stop(VoiceKey, u32),
    /// Fades a voice out after some frames.
    Leave {
        /// The voice.
        voice: VoiceKey,
        /// The frames of output before it fades out.
        wait_frames: u32,
        /// The frames in which it fades out.
        fade_frames: u32,
    },
    /// Sets up a bus.
    Bus(u8, BusSettings),
    /// Sets up the reverb.
    Reverb(ReverbSettings),
    /// The reverb fades out within a block, and forgets what it heard.
    LeaveReverb,
    /// Sets up the end of the chain.
    Master {
        /// The factor on everything.
        volume: f32,
        /// The level that is never exceeded.
        ceiling: f32,
        /// Whether both ears hear the same.
        is_mono: bool,
    },
}

/// The frame of a voice that has ended.
pub const ENDED: u32 = u32::MAX;

/// What the engine tells, at any time.
#[derive(Debug)]
pub struct EngineStatus {
    /// For each slot the generation and the frame.
    voices: Vec<AtomicU64>,
    /// The frames that were mixed.
    pub frames: AtomicU64,
    /// The frames of voices that were silent because their samples were not there.
    pub starved_frames: AtomicU64,
    /// The voices in the last block.
    pub voices_playing: AtomicU32,
    /// The bits of the greatest sample of the last block before the limiter.
    pub peak: AtomicU32,
    /// The bits of the factor that the limiter applied last.
    pub limiter_gain: AtomicU32,
}

impl EngineStatus {
    fn new() -> EngineStatus {
        EngineStatus {
            voices: (0..SLOTS_MAX).map(|_| AtomicU64::new(u64::from(ENDED))).collect(),
            frames: AtomicU64::new(0),
            starved_frames: AtomicU64::new(0),
            voices_playing: AtomicU32::new(0),
            peak: AtomicU32::new(0),
            limiter_gain: AtomicU32::new(1.0_f32.to_bits()),
        }
    }

    /// Tells where a voice is.
    pub fn set_frame(&self, voice: VoiceKey, frame: u32) {
        let word = u64::from(voice.generation) << 32 | u64::from(frame);
        self.voices[usize::from(voice.slot)].store(word, Ordering::Release);
    }

    /// The frame at which a voice is, [`ENDED`] if it has ended; none if the engine has not begun it.
    #[must_use]
    pub fn frame(&self, voice: VoiceKey) -> Option<u32> {
        let word = self.voices[usize::from(voice.slot)].load(Ordering::Acquire);
        ((word >> 32) as u32 == voice.generation).then_some(word as u32)
    }
}

/// The director's ends of the channels.
#[derive(Debug)]
pub struct DirectorEnd {
    /// Where commands go.
    pub commands: SyncSender<Command>,
    /// Where samples come back.
    pub retired: Receiver<Arc<Samples>>,
    /// What the engine tells.
    pub status: Arc<EngineStatus>,
}

/// The engine's ends of the channels.
#[derive(Debug)]
pub struct EngineEnd {
    /// Where commands come from.
    pub commands: Receiver<Command>,
    /// Where samples go back.
    pub retired: SyncSender<Arc<Samples>>,
    /// What the engine tells.
    pub status: Arc<EngineStatus>,
}

/// Both ends.
#[must_use]
pub fn connect() -> (DirectorEnd, EngineEnd) {
    let (commands, receiver) = sync_channel(COMMANDS_MAX);
    let (sender, retired) = sync_channel(RETIRED_MAX);
    let status = Arc::new(EngineStatus::new());
    let director = DirectorEnd { commands, retired, status: Arc::clone(&status) };
    (director, EngineEnd { commands: receiver, retired: sender, status })
}
