//! The curve of one channel: sampling, reduction, measuring.

use base::Quat;
use base::number::{ceil, floor, max, round};
use view::classes::animation::ChannelTarget;

use super::quantise::{Range, vector};
use crate::error::ImportError;
use crate::limits::FRAMES_MAX;
use crate::scene::{Interpolation, SceneCurve};

/// The most samples of all cubic curves of a clip: a key of such a curve gives as many as its time has frames.
const CUBIC_SAMPLES_MAX: u64 = 1 << 22;
/// The most samples that one key stands for.
const WINDOW: usize = 64;

/// A value at a frame.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub frame: u32,
    pub value: [f32; 4],
}

/// A key that is kept: its numbers, and what they decode to.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    pub frame: u32,
    pub numbers: [u16; 3],
    pub value: [f32; 4],
}

/// A curve of the source that can be evaluated anywhere.
pub struct Sampler<'a> {
    curve: &'a SceneCurve,
}

impl<'a> Sampler<'a> {
    pub fn new(curve: &'a SceneCurve) -> Sampler<'a> {
        Sampler { curve }
    }

    fn is_rotation(&self) -> bool {
        self.curve.target == ChannelTarget::Rotation
    }

    fn is_stepped(&self) -> bool {
        self.curve.interpolation == Interpolation::Step
    }

    /// The value of a key of the source.
    fn key(&self, at: usize) -> [f32; 4] {
        let at = if self.curve.interpolation == Interpolation::Cubic { 3 * at + 1 } else { at };
        self.whole(self.curve.values[at])
    }

    fn whole(&self, value: [f32; 4]) -> [f32; 4] {
        if !self.is_rotation() {
            return value;
        }
        let [x, y, z, w] = value;
        let rotation = Quat::new(x, y, z, w);
        if rotation.dot(rotation) > 0.0 { rotation.normal().to_vector().to_array() } else { [0.0, 0.0, 0.0, 1.0] }
    }

    fn at(&self, time: f32) -> [f32; 4] {
        let times = &self.curve.times;
        let next = times.partition_point(|key| *key <= time);
        if next == 0 {
            return self.key(0);
        }
        if next == times.len() || self.is_stepped() {
            return self.key(next - 1);
        }
        let (from, to) = (times[next - 1], times[next]);
        let length = to - from;
        let part = if length > 0.0 { (time - from) / length } else { 1.0 };
        if self.curve.interpolation == Interpolation::Linear {
            return self.between(self.key(next - 1), self.key(next), part);
        }
        let value = |at: usize| self.curve.values[at];
        let (start, leaving) = (value(3 * next - 2), value(3 * next - 1));
        let (arriving, end) = (value(3 * next), value(3 * next + 1));
        let (square, cube) = (part * part, part * part * part);
        let mut found = [0.0; 4];
        for (axis, found) in found.iter_mut().enumerate() {
            *found = (2.0 * cube - 3.0 * square + 1.0) * start[axis]
                + length * (cube - 2.0 * square + part) * leaving[axis]
                + (3.0 * square - 2.0 * cube) * end[axis]
                + length * (cube - square) * arriving[axis];
        }
        let is_finite = found.iter().all(|number| number.is_finite());
        self.whole(if is_finite { found } else { start })
    }

    fn between(&self, from: [f32; 4], to: [f32; 4], part: f32) -> [f32; 4] {
        if self.is_stepped() {
            return if part >= 1.0 { to } else { from };
        }
        if self.is_rotation() {
            let [one, other] = [from, to].map(|value| Quat::new(value[0], value[1], value[2], value[3]));
            return one.nlerp(other, part).to_vector().to_array();
        }
        vector(from).lerp(vector(to), part).with_w(0.0).to_array()
    }

    /// How far two values are apart.
    fn distance(&self, one: [f32; 4], other: [f32; 4]) -> f32 {
        if self.is_rotation() {
            let [one, other] = [one, other].map(|value| Quat::new(value[0], value[1], value[2], value[3]));
            return one.angle_to(other);
        }
        vector(one).distance(vector(other))
    }

    /// The samples: at the frames on both sides of each key, which is all of a curve that is linear; at every frame of a
    /// cubic one.
    pub fn samples(&self, rate: f32, frames: &mut u64) -> Result<Vec<Sample>, ImportError> {
        let times = &self.curve.times;
        let frame = |value: f32| value.clamp(0.0, (FRAMES_MAX - 1) as f32) as u32;
        let mut found: Vec<u32> = Vec::new();
        if self.curve.interpolation == Interpolation::Cubic {
            let (first, last) = (frame(floor(times[0] * rate)), frame(ceil(times[times.len() - 1] * rate)));
            *frames += u64::from(last - first + 1);
            if *frames > CUBIC_SAMPLES_MAX {
                return Err(ImportError::TooLarge {
                    what: "frames of cubic curves",
                    found: *frames,
                    limit: CUBIC_SAMPLES_MAX,
                });
            }
            found.extend(first..=last);
        } else {
            for time in times {
                let nearest = round(time * rate);
                if base::number::abs(time * rate - nearest) < 0.01 {
                    found.push(frame(nearest));
                } else {
                    found.extend([frame(floor(time * rate)), frame(ceil(time * rate))]);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        // A key that lies a little behind its frame is meant to be on it.
        let time = |frame: u32| {
            let time = frame as f32 / rate;
            let nearest = times.partition_point(|key| *key < time);
            let is_on = |key: &&f32| base::number::abs(**key - time) * rate < 0.01;
            times.get(nearest).filter(is_on).copied().unwrap_or(time)
        };
        Ok(found.into_iter().map(|frame| Sample { frame, value: self.at(time(frame)) }).collect())
    }
}

/// The keys that restore the samples within a tolerance.
pub fn reduce(sampler: &Sampler<'_>, samples: &[Sample], range: &Range, tolerance: f32) -> Vec<Key> {
    let key = |at: usize| {
        let numbers = range.encode(samples[at].value);
        Key { frame: samples[at].frame, numbers, value: range.decode(numbers) }
    };
    let Some(last) = samples.len().checked_sub(1) else { return Vec::new() };
    let first = key(0);
    if samples.iter().all(|sample| sampler.distance(sample.value, first.value) <= tolerance) {
        return vec![first];
    }
    let fits = |from: &Key, to: &Key, between: std::ops::Range<usize>| {
        samples[between].iter().all(|sample| {
            let part = (sample.frame - from.frame) as f32 / (to.frame - from.frame) as f32;
            sampler.distance(sampler.between(from.value, to.value, part), sample.value) <= tolerance
        })
    };
    let mut keys = vec![first];
    let mut at = 0;
    while at < last {
        let from = keys[keys.len() - 1];
        let mut next = at + 1;
        while next < last && next + 1 - at <= WINDOW && fits(&from, &key(next + 1), at + 1..next + 1) {
            next += 1;
        }
        keys.push(key(next));
        at = next;
    }
    keys
}

/// The largest distance between the decoded curve and the source, at all samples and all keys of the source.
pub fn measure(sampler: &Sampler<'_>, samples: &[Sample], keys: &[Key], rate: f32) -> f32 {
    let mut worst = 0.0;
    let mut compare = |frame: f32, value: [f32; 4]| {
        let next = keys.partition_point(|key| key.frame as f32 <= frame + 0.005);
        let decoded = match (next.checked_sub(1), keys.get(next)) {
            (None, _) => keys[0].value,
            (Some(before), None) => keys[before].value,
            (Some(before), Some(after)) => {
                let before = &keys[before];
                let part = (frame - before.frame as f32) / (after.frame - before.frame) as f32;
                sampler.between(before.value, after.value, max(part, 0.0))
            }
        };
        worst = max(worst, sampler.distance(decoded, value));
    };
    samples.iter().for_each(|sample| compare(sample.frame as f32, sample.value));
    // A step between two frames is heard of at the next frame: there is nothing to compare between them.
    if !sampler.is_stepped() {
        for (at, time) in sampler.curve.times.iter().enumerate() {
            let is_last_of_time = sampler.curve.times.get(at + 1).is_none_or(|next| next > time);
            if is_last_of_time {
                compare(time * rate, sampler.key(at));
            }
        }
    }
    worst
}
