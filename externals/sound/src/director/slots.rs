//! The slots of the engine, as the director knows them: what each plays, and which parts it has.

use crate::choice::Choice;
use crate::command::{ENDED, EngineStatus, VoiceKey};
use crate::limits::{SAMPLE_RATE, SLOTS_MAX, WINDOW_PARTS};
use crate::plan::Course;

/// The time for which a voice has samples in advance, in seconds.
const AHEAD_SECONDS: u64 = 1;

/// The most jumps within that time: very short loops are one part anyway.
const RUNS_MAX: usize = 64;

/// The parts that a voice needs, in order.
pub type NeededParts = [Option<u32>; WINDOW_PARTS];

/// The slots.
#[derive(Debug, Default)]
pub struct Slots {
    slots: Vec<SlotUse>,
    limit: usize,
}

#[derive(Debug, Default)]
struct SlotUse {
    generation: u32,
    work: Option<SlotWork>,
}

/// What a slot plays.
#[derive(Debug)]
pub struct SlotWork {
    /// What is played.
    pub choice: Choice,
    /// The frame with which it began.
    pub first_frame: u32,
    course: Course,
    step: u64,
    window: [Option<u32>; WINDOW_PARTS],
    is_leaving: bool,
}

impl Slots {
    /// Sets how many may be in use.
    pub fn resize(&mut self, limit: usize) {
        self.limit = limit.min(SLOTS_MAX);
        if self.slots.len() < self.limit {
            self.slots.resize_with(self.limit, SlotUse::default);
        }
    }

    /// The number of slots.
    pub fn count(&self) -> usize {
        self.slots.len()
    }

    /// The voices that play and are not fading out.
    pub fn playing(&self) -> Vec<VoiceKey> {
        let is_playing = |slot: &SlotUse| slot.work.as_ref().is_some_and(|work| !work.is_leaving);
        let slots = self.slots.iter().enumerate().filter(|(_, slot)| is_playing(slot));
        slots.map(|(index, slot)| key(index, slot)).collect()
    }

    /// Takes a free slot.
    pub fn take(&mut self, choice: &Choice, course: Course, first_frame: u32, step: u64) -> Option<VoiceKey> {
        let free = |slot: &SlotUse| slot.work.is_none();
        let index = self.slots.iter().take(self.limit).position(free)?;
        let slot = &mut self.slots[index];
        slot.generation = slot.generation.wrapping_add(1);
        let window = [None; WINDOW_PARTS];
        slot.work = Some(SlotWork { choice: choice.clone(), first_frame, course, step, window, is_leaving: false });
        Some(key(index, slot))
    }

    /// A voice is on its own now: its slot becomes free when it has ended.
    pub fn leave(&mut self, voice: VoiceKey) {
        if let Some(work) = self.find(voice) {
            work.is_leaving = true;
        }
    }

    /// Frees the slots of voices that have ended.
    pub fn sweep(&mut self, status: &EngineStatus) {
        for (index, slot) in self.slots.iter_mut().enumerate() {
            if slot.work.is_some() && status.frame(key(index, slot)) == Some(ENDED) {
                slot.work = None;
            }
        }
    }

    /// Sets the frames of the source for one of output, in 2⁻³².
    pub fn set_step(&mut self, voice: VoiceKey, step: u64) {
        if let Some(work) = self.find(voice) {
            work.step = step;
        }
    }

    /// What a slot plays.
    pub fn work(&self, index: usize) -> Option<(VoiceKey, &SlotWork)> {
        let slot = self.slots.get(index)?;
        slot.work.as_ref().map(|work| (key(index, slot), work))
    }

    /// Chooses the place of the window for a part: one without a part that is needed.
    pub fn put(&mut self, voice: VoiceKey, part: u32, needed: &[u32]) -> Option<u8> {
        let work = self.find(voice)?;
        let is_free = |held: &Option<u32>| held.is_none_or(|held| !needed.contains(&held));
        let at = work.window.iter().position(is_free)?;
        work.window[at] = Some(part);
        Some(at as u8)
    }

    fn find(&mut self, voice: VoiceKey) -> Option<&mut SlotWork> {
        let slot = self.slots.get_mut(usize::from(voice.slot)).filter(|slot| slot.generation == voice.generation)?;
        slot.work.as_mut()
    }
}

impl SlotWork {
    /// The parts that it needs from a frame on, the nearest first.
    pub fn needed(&self, frame: u32) -> NeededParts {
        needed_parts(&self.course, frame, self.step)
    }

    /// Those of the needed parts that it does not have.
    pub fn missing(&self, needed: &NeededParts) -> NeededParts {
        needed.map(|part| part.filter(|part| !self.window.contains(&Some(*part))))
    }
}

/// The parts that a voice needs from a frame on, the nearest first.
pub fn needed_parts(course: &Course, frame: u32, step: u64) -> NeededParts {
    let mut needed = [None; WINDOW_PARTS];
    let mut count = 0;
    let mut index = i64::from(frame);
    let ahead = ((step >> 16) * u64::from(SAMPLE_RATE) * AHEAD_SECONDS) >> 16;
    let end = index + ahead as i64;
    for _ in 0..RUNS_MAX {
        let Some((frame, run)) = course.run(index).filter(|_| index <= end && count < WINDOW_PARTS) else { break };
        let part = frame / course.part_frames;
        if !needed.contains(&Some(part)) {
            needed[count] = Some(part);
            count += 1;
        }
        index += i64::from(run);
    }
    needed
}

fn key(index: usize, slot: &SlotUse) -> VoiceKey {
    VoiceKey { slot: index as u16, generation: slot.generation }
}
