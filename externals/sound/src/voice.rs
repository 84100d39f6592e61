//! A voice: one sound that is being heard.
//!
//! The source is gathered from its parts, resampled by cubic interpolation (Catmull and Rom 1974), faded, filtered for each ear,
//! and added to a bus and the reverb. Every factor changes linearly within a block.

use std::sync::Arc;

use base::number;

use crate::command::{VoiceStart, VoiceTarget};
use crate::decode::Samples;
use crate::dsp::StereoBlock;
use crate::limits::{BLOCK_FRAMES, STEP_MAX, WINDOW_PARTS};
use crate::plan::Course;

/// The frames before the end of a sound in which it becomes silent: a recording may end abruptly.
const TAPER_FRAMES: i64 = 64;

/// The frames of one gathered channel: one before, two behind, and one for rounding.
const GATHERED: usize = BLOCK_FRAMES * STEP_MAX as usize + 4;

const ONE: u64 = 1 << 32;

/// What voices use while they are mixed, one after the other.
#[derive(Debug)]
pub struct Workspace {
    gathered: [Vec<f32>; 2],
    dry: [[f32; BLOCK_FRAMES]; 2],
}

/// What a voice adds to.
pub struct Destination<'a> {
    /// Its bus.
    pub bus: &'a mut StereoBlock,
    /// The input of the reverb.
    pub reverb: &'a mut [f32; BLOCK_FRAMES],
}

/// A voice.
#[derive(Debug)]
pub struct Voice {
    course: Course,
    is_stereo: bool,
    window: [Option<(u32, Arc<Samples>)>; WINDOW_PARTS],
    /// In 2⁻³² frames; counts on through repetitions, and is set back now and then.
    place: u64,
    /// The frame before the place. It may lie in a part that the window no longer has.
    before: [f32; 2],
    now: VoiceTarget,
    target: VoiceTarget,
    filtered: [f32; 2],
    /// From 0 to 1: fading in and out.
    fade: f32,
    fade_step: f32,
    /// The frames before the fade begins.
    wait: u32,
    /// From 0 to 1: open unless it is held or has no samples.
    gate: f32,
}

/// What became of a voice in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    /// The frame at which it is; none if it has ended.
    pub frame: Option<u32>,
    /// The frames without samples.
    pub starved_frames: u32,
}

impl Workspace {
    /// Allocates once.
    pub fn new() -> Workspace {
        Workspace { gathered: [vec![0.0; GATHERED], vec![0.0; GATHERED]], dry: [[0.0; BLOCK_FRAMES]; 2] }
    }
}

impl Voice {
    /// A voice that begins.
    pub fn new(start: &VoiceStart) -> Voice {
        let is_immediate = start.fade_frames == 0 && start.wait_frames == 0;
        Voice {
            course: start.course,
            is_stereo: start.is_stereo,
            window: [const { None }; WINDOW_PARTS],
            place: start.place,
            before: [0.0; 2],
            now: start.target,
            target: start.target,
            filtered: [0.0; 2],
            fade: if is_immediate { 1.0 } else { 0.0 },
            fade_step: if is_immediate { 0.0 } else { 1.0 / start.fade_frames.max(1) as f32 },
            wait: start.wait_frames,
            gate: if start.target.is_held { 0.0 } else { 1.0 },
        }
    }

    /// Changes what it becomes.
    pub fn aim(&mut self, target: &VoiceTarget) {
        self.target = *target;
    }

    /// Puts a part into a place of its window. Gives back what was there.
    pub fn put(&mut self, at: u8, part: u32, samples: Arc<Samples>) -> Option<Arc<Samples>> {
        match self.window.get_mut(usize::from(at)) {
            Some(place) => place.replace((part, samples)).map(|(_, samples)| samples),
            None => Some(samples),
        }
    }

    /// Takes everything out of its window.
    pub fn retire(&mut self) -> impl Iterator<Item = Arc<Samples>> + '_ {
        self.window.iter_mut().filter_map(|place| place.take().map(|(_, samples)| samples))
    }

    /// Fades it out after some frames, within this many, at least one.
    pub fn leave(&mut self, wait: u32, frames: u32) {
        // One that waits to be heard is never heard.
        (self.wait, self.fade_step) = (wait, -1.0 / frames.max(1) as f32);
    }

    /// Its bus.
    pub fn bus(&self) -> u8 {
        self.target.bus
    }

    /// Adds one block. Cost: about 1.5 µs when it has a place.
    pub fn mix(&mut self, work: &mut Workspace, out: &mut Destination<'_>) -> Played {
        let is_stopped = self.fade <= 0.0 && self.fade_step < 0.0 && self.wait == 0;
        if is_stopped || self.has_ended() {
            return Played { frame: None, starved_frames: 0 };
        }
        if self.target.is_held && self.gate <= 0.0 {
            let is_over = self.fade_step < 0.0;
            return Played { frame: (!is_over).then(|| self.frame()), starved_frames: 0 };
        }
        let step = self.target.step.min(u64::from(STEP_MAX) * ONE);
        let step_change = (step as i64 - self.now.step as i64) / BLOCK_FRAMES as i64;
        let frames = BLOCK_FRAMES as i64;
        let advance = (self.now.step as i64 * frames + step_change * (frames * (frames - 1) / 2)).max(0) as u64;
        let first = (self.place >> 32) as i64;
        let whole = (((self.place & (ONE - 1)) + advance) >> 32) as usize;
        let count = (whole + 4).min(GATHERED);

        // The next block is checked too: if its samples are not there, this one fades out.
        let is_fed = self.has_samples(first, 2 * count);
        let gate = if self.target.is_held || !is_fed { 0.0 } else { 1.0 };
        let is_silent = gate == 0.0 && self.gate == 0.0;
        if !is_silent {
            let channels = if self.is_stereo { 2 } else { 1 };
            self.gather(work, first, count, channels);
            for channel in 0..channels {
                let source = &work.gathered[channel][..count];
                resample(source, self.place & (ONE - 1), self.now.step, step_change, &mut work.dry[channel]);
                self.before[channel] = source.get(whole).copied().unwrap_or(0.0);
            }
        } else {
            self.before = [0.0; 2];
        }
        self.envelope(work, gate, is_silent);
        if !is_silent {
            self.send(work, out);
        }
        self.place += advance;
        self.settle(step, gate);
        let starved_frames = if is_fed { 0 } else { BLOCK_FRAMES as u32 };
        Played { frame: (!self.has_ended()).then(|| self.frame()), starved_frames }
    }

    fn has_ended(&self) -> bool {
        self.course.repeat.is_none() && self.place >> 32 >= u64::from(self.course.frames)
    }

    fn frame(&self) -> u32 {
        self.course.frame((self.place >> 32) as i64).unwrap_or(0)
    }

    fn part(&self, part: u32) -> Option<&Samples> {
        self.window.iter().flatten().find(|(number, _)| *number == part).map(|(_, samples)| &**samples)
    }

    fn has_samples(&self, first: i64, count: usize) -> bool {
        let mut index = first;
        let end = first + count as i64;
        while index < end {
            let Some((frame, run)) = self.course.run(index) else { return true };
            if self.part(frame / self.course.part_frames).is_none() {
                return false;
            }
            index += i64::from(run);
        }
        true
    }

    /// Copies frames from the parts, as floats: the one before the first, then the others; zeros where there are none.
    fn gather(&self, work: &mut Workspace, first: i64, count: usize, channels: usize) {
        for (channel, before) in work.gathered.iter_mut().zip(self.before) {
            channel[0] = before;
        }
        let mut done = 1;
        while done < count {
            let Some((frame, run)) = self.course.run(first + done as i64 - 1) else {
                for channel in &mut work.gathered[..channels] {
                    channel[done..count].fill(0.0);
                }
                break;
            };
            let run = (run as usize).min(count - done);
            let start = (frame % self.course.part_frames) as usize;
            let samples = self.part(frame / self.course.part_frames);
            let [left, right] = &mut work.gathered;
            copy(samples, start, &mut left[done..done + run], &mut right[done..done + run], channels == 2);
            done += run;
        }
        if self.course.repeat.is_none() {
            self.taper(work, first, count, channels);
        }
    }

    /// Makes the last frames of a sound softer.
    fn taper(&self, work: &mut Workspace, first: i64, count: usize, channels: usize) {
        let frames = i64::from(self.course.frames);
        // The frame before the first has been made softer with those before it.
        let from = (frames - TAPER_FRAMES - first).clamp(1, count as i64) as usize;
        for done in from..count {
            let left = (frames - first - done as i64 + 1).clamp(0, TAPER_FRAMES);
            let factor = left as f32 / TAPER_FRAMES as f32;
            for channel in &mut work.gathered[..channels] {
                channel[done] *= factor;
            }
        }
    }

    /// Fades and gates.
    fn envelope(&mut self, work: &mut Workspace, gate: f32, is_silent: bool) {
        let gate_step = (gate - self.gate) / BLOCK_FRAMES as f32;
        let waited = self.wait.min(BLOCK_FRAMES as u32);
        if is_silent {
            self.wait -= waited;
            let faded = (BLOCK_FRAMES as u32 - waited) as f32;
            self.fade = number::clamp(self.fade + self.fade_step * faded, 0.0, 1.0);
            return;
        }
        let is_waiting = waited == BLOCK_FRAMES as u32;
        let is_steady =
            self.fade >= 1.0 && (self.fade_step >= 0.0 || is_waiting) && gate_step == 0.0 && self.gate >= 1.0;
        if is_steady {
            self.wait -= waited;
            return;
        }
        let [left, right] = &mut work.dry;
        for (left, right) in left.iter_mut().zip(right) {
            if self.wait > 0 {
                self.wait -= 1;
            } else {
                self.fade = number::clamp(self.fade + self.fade_step, 0.0, 1.0);
            }
            self.gate += gate_step;
            // Bent so that two sounds of which one fades in while the other fades out keep their loudness.
            let factor = self.fade * (2.0 - self.fade) * self.gate;
            *left *= factor;
            *right *= factor;
        }
    }

    /// Filters for each ear, and adds to the bus and the reverb.
    fn send(&mut self, work: &Workspace, out: &mut Destination<'_>) {
        let [first, second] = &work.dry;
        let (left, right) = (first, if self.is_stereo { second } else { first });
        let (now, target) = (&self.now, &self.target);
        let sides = [
            (left, &mut out.bus.left, now.left, target.left, 0),
            (right, &mut out.bus.right, now.right, target.right, 1),
        ];
        for (dry, bus, from, to, ear) in sides {
            let is_open = now.filters[ear] >= 1.0 && target.filters[ear] >= 1.0;
            if is_open {
                add(dry, bus, from, to);
                self.filtered[ear] = dry[BLOCK_FRAMES - 1];
            } else {
                let filters = (now.filters[ear], target.filters[ear]);
                add_filtered(dry, bus, (from, to), filters, &mut self.filtered[ear]);
            }
        }
        if now.send > 0.0 || target.send > 0.0 {
            add(left, out.reverb, now.send, target.send);
            if self.is_stereo {
                add(right, out.reverb, now.send, target.send);
            }
        }
    }

    /// Makes the target the present, exactly.
    fn settle(&mut self, step: u64, gate: f32) {
        self.now = self.target;
        self.now.step = step;
        self.gate = gate;
        if let Some((start, end)) = self.course.repeat {
            let (end, length) = (u64::from(end), u64::from(end - start));
            let whole = self.place >> 32;
            if whole >= end + length {
                self.place -= ((whole - end) / length * length) << 32;
            }
        }
        for state in &mut self.filtered {
            if !state.is_finite() || number::abs(*state) < 1e-15 {
                *state = 0.0;
            }
        }
    }
}

/// Copies frames of a part, from `start` on, as floats of one or two channels.
fn copy(samples: Option<&Samples>, start: usize, left: &mut [f32], right: &mut [f32], is_stereo: bool) {
    const SCALE: f32 = 1.0 / 32_768.0;
    let Some(samples) = samples else {
        left.fill(0.0);
        right.fill(0.0);
        return;
    };
    let channels = samples.channels as usize;
    let available = samples.samples.get(start * channels..).unwrap_or_default();
    let frames = (available.len() / channels).min(left.len());
    let available = &available[..frames * channels];
    left[frames..].fill(0.0);
    right[frames..].fill(0.0);
    if channels == 1 {
        for (out, sample) in left.iter_mut().zip(available) {
            *out = f32::from(*sample) * SCALE;
        }
        if is_stereo {
            right[..frames].copy_from_slice(&left[..frames]);
        }
        return;
    }
    for ((left, right), frame) in left.iter_mut().zip(right).zip(available.as_chunks::<2>().0) {
        let (first, second) = (f32::from(frame[0]) * SCALE, f32::from(frame[1]) * SCALE);
        (*left, *right) = if is_stereo { (first, second) } else { ((first + second) * 0.5, 0.0) };
    }
}

/// Resamples: `source[0]` is the frame before the place.
fn resample(source: &[f32], place: u64, step: u64, step_change: i64, out: &mut [f32; BLOCK_FRAMES]) {
    if step == ONE && step_change == 0 && place == 0 && source.len() > BLOCK_FRAMES {
        out.copy_from_slice(&source[1..=BLOCK_FRAMES]);
        return;
    }
    let (mut place, mut step) = (place, step as i64);
    for out in out {
        let index = (place >> 32) as usize;
        let Some(&[before, at, after, last]) = source.get(index..index + 4) else {
            *out = 0.0;
            continue;
        };
        let part = (place & (ONE - 1)) as f32 * (1.0 / ONE as f32);
        let slope = (after - before) * 0.5;
        let next_slope = (last - at) * 0.5;
        let difference = at - after;
        let cubic = slope + next_slope + difference + difference;
        let square = -(difference + slope + cubic);
        *out = ((cubic * part + square) * part + slope) * part + at;
        place = place.wrapping_add_signed(step);
        step += step_change;
    }
}

fn add(dry: &[f32; BLOCK_FRAMES], out: &mut [f32; BLOCK_FRAMES], from: f32, to: f32) {
    let step = (to - from) / BLOCK_FRAMES as f32;
    for (index, (out, dry)) in out.iter_mut().zip(dry).enumerate() {
        *out += dry * (from + step * index as f32);
    }
}

fn add_filtered(
    dry: &[f32; BLOCK_FRAMES],
    out: &mut [f32; BLOCK_FRAMES],
    gains: (f32, f32),
    filters: (f32, f32),
    state: &mut f32,
) {
    let gain_step = (gains.1 - gains.0) / BLOCK_FRAMES as f32;
    let filter_step = (filters.1 - filters.0) / BLOCK_FRAMES as f32;
    let mut filtered = *state;
    for (index, (out, dry)) in out.iter_mut().zip(dry).enumerate() {
        filtered += (filters.0 + filter_step * index as f32) * (dry - filtered);
        *out += filtered * (gains.0 + gain_step * index as f32);
    }
    *state = filtered;
}
