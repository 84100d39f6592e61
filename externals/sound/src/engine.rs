//! The engine: it owns the voices, the buses and the reverb, and makes blocks of samples. It runs on the mixing thread.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use base::number;

use crate::command::{Command, ENDED, EngineEnd, VoiceKey};
use crate::decode::Samples;
use crate::dsp::compressor::Compressor;
use crate::dsp::limiter::Limiter;
use crate::dsp::reverb::Reverb;
use crate::dsp::{StereoBlock, approach, finite};
use crate::limits::{BLOCK_FRAMES, BUSES_MAX, SAMPLE_RATE, SLOTS_MAX};
use crate::mix_plan::{BusSettings, MixPlan};
use crate::voice::{Destination, Voice, Workspace};

/// The times in which a bus becomes softer and recovers when it is ducked, in seconds.
const DUCK_ATTACK: f32 = 0.05;
const DUCK_RELEASE: f32 = 0.4;

/// Mixes. It neither allocates, locks nor waits, once it is made.
#[derive(Debug)]
pub struct Engine {
    end: EngineEnd,
    slots: Vec<Slot>,
    buses: Vec<BusState>,
    blocks: Vec<StereoBlock>,
    send: [f32; BLOCK_FRAMES],
    reverb: Reverb,
    master: MasterState,
    limiter: Limiter,
    work: Workspace,
    /// A finished block, and how many of its frames were given away.
    sum: StereoBlock,
    given: usize,
}

#[derive(Debug)]
struct Slot {
    generation: u32,
    voice: Option<Voice>,
}

#[derive(Debug)]
struct BusState {
    settings: BusSettings,
    volume: f32,
    filtered: [f32; 2],
    compressor: Compressor,
    /// How far it is ducked, from 0 to 1.
    ducked: f32,
    /// The level of its last block.
    level: f32,
}

#[derive(Debug)]
struct MasterState {
    volume: f32,
    target: f32,
    is_mono: bool,
}

impl Engine {
    /// At rest, with the usual mix. Allocates about 400 KB.
    #[must_use]
    pub fn new(end: EngineEnd) -> Engine {
        let plan = MixPlan::default();
        Engine {
            end,
            slots: (0..SLOTS_MAX).map(|_| Slot { generation: 0, voice: None }).collect(),
            buses: (0..BUSES_MAX).map(|_| BusState::new()).collect(),
            blocks: vec![StereoBlock::SILENCE; BUSES_MAX],
            send: [0.0; BLOCK_FRAMES],
            reverb: Reverb::new(plan.reverb),
            master: MasterState { volume: 1.0, target: 1.0, is_mono: false },
            limiter: Limiter::new(plan.ceiling),
            work: Workspace::new(),
            sum: StereoBlock::SILENCE,
            given: BLOCK_FRAMES,
        }
    }

    /// Fills interleaved stereo samples, left first. Commands take effect at the next whole block.
    pub fn mix(&mut self, out: &mut [f32]) {
        for frame in out.chunks_mut(2) {
            if self.given == BLOCK_FRAMES {
                self.block();
                self.given = 0;
            }
            frame[0] = self.sum.left[self.given];
            if let Some(right) = frame.get_mut(1) {
                *right = self.sum.right[self.given];
            }
            self.given += 1;
        }
    }

    /// Makes one block.
    fn block(&mut self) {
        self.obey();
        self.blocks.iter_mut().for_each(StereoBlock::clear);
        self.send.fill(0.0);
        self.sum.clear();
        self.mix_voices();
        self.mix_buses();
        self.reverb.process(&self.send, &mut self.sum);
        self.master.process(&mut self.sum);
        let peak = self.sum.peak();
        self.limiter.process(&mut self.sum);
        let status = &self.end.status;
        status.frames.fetch_add(BLOCK_FRAMES as u64, Ordering::Relaxed);
        status.peak.store(finite(peak, 0.0, 0.0, 1e9).to_bits(), Ordering::Relaxed);
        status.limiter_gain.store(self.limiter.gain().to_bits(), Ordering::Relaxed);
    }

    /// Follows the commands that have arrived.
    fn obey(&mut self) {
        while let Ok(command) = self.end.commands.try_recv() {
            match command {
                Command::Start(key, start) => {
                    let Some(slot) = self.slots.get_mut(usize::from(key.slot)) else { continue };
                    if let Some(mut old) = slot.voice.replace(Voice::new(&start)) {
                        old.retire().for_each(|samples| retire(&self.end, samples));
                    }
                    slot.generation = key.generation;
                    let frame = start.course.frame((start.place >> 32) as i64).unwrap_or(0);
                    self.end.status.set_frame(key, frame);
                }
                Command::Aim(key, target) => {
                    if let Some(voice) = find(&mut self.slots, key) {
                        voice.aim(&target);
                    }
                }
                Command::Part { voice, at, part, samples } => {
                    let unused = match find(&mut self.slots, voice) {
                        Some(voice) => voice.put(at, part, samples),
                        None => Some(samples),
                    };
                    unused.into_iter().for_each(|samples| retire(&self.end, samples));
                }
                Command::Stop(key, frames) => {
                    if let Some(voice) = find(&mut self.slots, key) {
                        voice.leave(0, frames);
                    }
                }
                Command::Leave { voice, wait_frames, fade_frames } => {
                    if let Some(voice) = find(&mut self.slots, voice) {
                        voice.leave(wait_frames, fade_frames);
                    }
                }
                Command::Bus(index, settings) => {
                    if let Some(bus) = self.buses.get_mut(usize::from(index)) {
                        bus.settings = settings;
                    }
                }
                Command::Reverb(settings) => self.reverb.set(settings),
                Command::LeaveReverb => self.reverb.leave(),
                Command::Master { volume, ceiling, is_mono } => {
                    (self.master.target, self.master.is_mono) = (volume, is_mono);
                    self.limiter.set_ceiling(ceiling);
                }
            }
        }
    }

    /// Adds all voices, in the order of their slots.
    fn mix_voices(&mut self) {
        let (mut playing, mut starved) = (0, 0);
        for (index, slot) in self.slots.iter_mut().enumerate() {
            let Some(voice) = &mut slot.voice else { continue };
            let bus = usize::from(voice.bus()).min(BUSES_MAX - 1);
            let mut out = Destination { bus: &mut self.blocks[bus], reverb: &mut self.send };
            let played = voice.mix(&mut self.work, &mut out);
            let key = VoiceKey { slot: index as u16, generation: slot.generation };
            self.end.status.set_frame(key, played.frame.unwrap_or(ENDED));
            starved += u64::from(played.starved_frames);
            playing += 1;
            if played.frame.is_none() {
                voice.retire().for_each(|samples| retire(&self.end, samples));
                slot.voice = None;
            }
        }
        self.end.status.voices_playing.store(playing, Ordering::Relaxed);
        self.end.status.starved_frames.fetch_add(starved, Ordering::Relaxed);
    }

    /// Adds all buses to the sum.
    fn mix_buses(&mut self) {
        let mut levels = [0.0; BUSES_MAX];
        for (level, bus) in levels.iter_mut().zip(&self.buses) {
            *level = bus.level;
        }
        for (bus, block) in self.buses.iter_mut().zip(&mut self.blocks) {
            bus.process(block, &levels, &mut self.sum);
        }
    }
}

impl BusState {
    fn new() -> BusState {
        BusState {
            settings: BusSettings::PLAIN,
            volume: 1.0,
            filtered: [0.0; 2],
            compressor: Compressor::NEW,
            ducked: 0.0,
            level: 0.0,
        }
    }

    /// Filters, compresses, ducks, and adds the bus to the sum.
    fn process(&mut self, block: &mut StereoBlock, levels: &[f32; BUSES_MAX], sum: &mut StereoBlock) {
        let settings = &self.settings;
        if settings.low_pass < 1.0 {
            for (channel, state) in [&mut block.left, &mut block.right].into_iter().zip(&mut self.filtered) {
                for sample in channel {
                    *state += settings.low_pass * (*sample - *state);
                    *sample = *state;
                }
                *state = if state.is_finite() && number::abs(*state) > 1e-15 { *state } else { 0.0 };
            }
        }
        self.compressor.process(block, &settings.compressor);
        self.level = block.peak();

        let is_loud = settings
            .duck_by
            .is_some_and(|other| levels.get(usize::from(other)).is_some_and(|level| *level > settings.duck_threshold));
        let (goal, time) = if is_loud { (1.0, DUCK_ATTACK) } else { (0.0, DUCK_RELEASE) };
        self.ducked += (goal - self.ducked) * approach(BLOCK_FRAMES as f32 / SAMPLE_RATE as f32, time);
        let target = settings.volume * (1.0 + (settings.duck - 1.0) * self.ducked);
        let step = (target - self.volume) / BLOCK_FRAMES as f32;
        if self.level > 0.0 {
            for index in 0..BLOCK_FRAMES {
                let volume = self.volume + step * index as f32;
                sum.left[index] += block.left[index] * volume;
                sum.right[index] += block.right[index] * volume;
            }
        }
        self.volume = target;
    }
}

impl MasterState {
    fn process(&mut self, sum: &mut StereoBlock) {
        let step = (self.target - self.volume) / BLOCK_FRAMES as f32;
        for (index, (left, right)) in sum.left.iter_mut().zip(&mut sum.right).enumerate() {
            let volume = self.volume + step * index as f32;
            (*left, *right) = (*left * volume, *right * volume);
            if self.is_mono {
                let middle = (*left + *right) * 0.5;
                (*left, *right) = (middle, middle);
            }
        }
        self.volume = self.target;
    }
}

fn find(slots: &mut [Slot], key: VoiceKey) -> Option<&mut Voice> {
    let slot = slots.get_mut(usize::from(key.slot)).filter(|slot| slot.generation == key.generation)?;
    slot.voice.as_mut()
}

/// Sends samples back. If the channel is full, they are freed here: that is better than to keep them.
fn retire(end: &EngineEnd, samples: Arc<Samples>) {
    drop(end.retired.try_send(samples));
}
