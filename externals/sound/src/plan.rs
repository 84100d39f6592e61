//! The plan of a sound: what the mixer needs of its tag, with sound values in place of impossible ones.

use base::{StringId, number};
use tags::packed::View;
use tags::{Bulk, Library};
use view::classes::Sound;
use view::classes::sound::{Follow, SampleFormat};

use crate::dsp::{amplitude, finite};
use crate::limits::{CHOICES_MAX, PART_FRAMES_MAX, SOUND_FRAMES_MAX};
use crate::listener::Spread;
use crate::reports::Reports;

/// How the frames of a sound follow each other. Their indices count on through repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Course {
    /// The number of frames.
    pub frames: u32,
    /// The first frame of its loop and the one behind its last, if it repeats.
    pub repeat: Option<(u32, u32)>,
    /// The frames of each part but the last.
    pub part_frames: u32,
}

impl Course {
    /// The frame at an index. None before the beginning and behind the end.
    #[must_use]
    pub fn frame(&self, index: i64) -> Option<u32> {
        let index = u64::try_from(index).ok()?;
        match self.repeat {
            Some((start, end)) if index >= u64::from(end) => {
                Some(start + ((index - u64::from(end)) % u64::from(end - start)) as u32)
            }
            _ => u32::try_from(index).ok().filter(|frame| *frame < self.frames),
        }
    }

    /// The frame at an index, and how many frames from it on lie in the same part without a jump: at least one.
    #[must_use]
    pub fn run(&self, index: i64) -> Option<(u32, u32)> {
        let frame = self.frame(index)?;
        let end = self.repeat.map_or(self.frames, |(_, end)| end);
        let part_end = (frame / self.part_frames + 1) * self.part_frames;
        Some((frame, part_end.min(end) - frame))
    }

    /// The place after this many frames from the beginning, in 2⁻³² frames; none if it has ended there.
    #[must_use]
    pub fn place_after(&self, frames: f64) -> Option<u64> {
        let frames = if frames > 0.0 { frames } else { 0.0 };
        let inside = match self.repeat {
            Some((start, end)) if frames >= f64::from(end) => {
                f64::from(start) + number::double::remainder(frames - f64::from(end), f64::from(end - start))
            }
            _ if frames >= f64::from(self.frames) => return None,
            _ => frames,
        };
        Some((inside * 4_294_967_296.0) as u64)
    }
}

/// A permutation of a sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Take {
    /// Its first part in the bulk data.
    pub first_part: u32,
    /// The number of its frames.
    pub frames: u32,
    /// How likely it is played.
    pub weight: f32,
    /// The probability that it is skipped.
    pub skip_fraction: f32,
}

/// What the mixer needs of a sound tag.
#[derive(Clone, Debug, PartialEq)]
pub struct SoundPlan {
    /// The tag.
    pub tag: StringId,
    /// Its samples.
    pub bulk: Bulk,
    /// Their format.
    pub format: SampleFormat,
    /// Their channels, from 1 to 8.
    pub channels: u32,
    /// Their frames per second.
    pub rate: u32,
    /// The frames of each part but the last.
    pub part_frames: u32,
    /// The loop of the tag.
    pub repeat: Option<(u32, u32)>,
    /// The permutations.
    pub takes: Vec<Take>,
    /// The sounds that are played instead, with their weights.
    pub alternatives: Vec<(StringId, f32)>,
    /// The factor on its volume.
    pub volume: f32,
    /// The factor on its pitch.
    pub pitch: f32,
    /// The greatest random difference in volume, in decibels.
    pub volume_variation: f32,
    /// The greatest random difference in pitch, in semitones.
    pub pitch_variation: f32,
    /// How it reaches listeners.
    pub spread: Spread,
    /// Its bus.
    pub bus: StringId,
    /// The factor on its audibility in the choice of voices.
    pub priority: f32,
    /// The most voices of its kind; 0: any number.
    pub voices_max: u32,
    /// The strength of occlusion, from 0 to 1.
    pub occlusion: f32,
    /// The factor on the reverb send of its bus.
    pub reverb: f32,
    /// The time in which it fades in, in seconds.
    pub fade_in: f32,
    /// The time in which it fades out, in seconds.
    pub fade_out: f32,
    /// The time between two places at which other music may follow it, in seconds; none: anywhere.
    pub follow_period: Option<f64>,
}

impl SoundPlan {
    /// Reads a tag. Takes that cannot be played are left out and reported.
    pub fn read(tag: StringId, content: &Library, reports: &mut Reports) -> Option<SoundPlan> {
        let Some(sound) = content.get_as::<Sound>(tag) else {
            reports.tell(content, tag, "there is no such sound tag: nothing is played", "");
            return None;
        };
        let (part_frames, rate, channels) = (sound.part_frames, sound.sample_rate, sound.channels);
        let is_playable = (1..=PART_FRAMES_MAX).contains(&part_frames)
            && (1_000..=192_000).contains(&rate)
            && (1..=8).contains(&channels);
        if !is_playable && sound.permutations.count() > 0 {
            let found = format!("found {rate} Hz, {channels} channels, {part_frames} frames per part");
            reports.tell(content, tag, "its samples cannot be played; import it again: ", &found);
        }
        let takes = if is_playable { takes(sound) } else { Vec::new() };
        let alternatives = sound.each(&sound.alternatives).iter().take(CHOICES_MAX);
        let plan = SoundPlan {
            tag,
            bulk: sound.data,
            format: sound.format.get(),
            channels,
            rate,
            part_frames,
            repeat: (sound.loops.is_true() && sound.loop_start < sound.loop_end)
                .then_some((sound.loop_start, sound.loop_end)),
            takes,
            alternatives: alternatives.map(|other| (other.sound.id(), weight(other.weight))).collect(),
            volume: amplitude(finite(sound.volume, 0.0, -60.0, 20.0)),
            pitch: finite(sound.pitch, 1.0, 0.1, 8.0),
            volume_variation: finite(sound.volume_variation, 0.0, 0.0, 20.0),
            pitch_variation: finite(sound.pitch_variation, 0.0, 0.0, 24.0),
            spread: Spread {
                distance_min: finite(sound.distance_min, 1.0, 0.0, 1e6),
                distance_max: finite(sound.distance_max, 50.0, 0.0, 1e6),
                rolloff: sound.rolloff.get(),
                doppler: finite(sound.doppler, 1.0, 0.0, 10.0),
            },
            bus: sound.bus,
            priority: finite(sound.priority, 1.0, 0.0, 1000.0),
            voices_max: sound.voices_max,
            occlusion: finite(sound.occlusion, 1.0, 0.0, 1.0),
            reverb: finite(sound.reverb, 1.0, 0.0, 4.0),
            fade_in: finite(sound.fade_in, 0.0, 0.0, 60.0),
            fade_out: finite(sound.fade_out, 0.0, 0.0, 60.0),
            follow_period: follow_period(sound.tempo, sound.bar, sound.follow.get()),
        };
        if plan.takes.is_empty() && plan.alternatives.is_empty() {
            reports.tell(content, tag, "it has neither permutations nor alternatives: nothing is played", "");
        }
        Some(plan)
    }

    /// How one of its takes runs.
    #[must_use]
    pub fn course(&self, take: &Take, repeats: bool) -> Course {
        let whole = (0, take.frames);
        let marked = self.repeat.map(|(start, end)| (start, end.min(take.frames))).filter(|(start, end)| start < end);
        let repeat = repeats.then(|| marked.unwrap_or(whole));
        Course { frames: take.frames, repeat, part_frames: self.part_frames }
    }
}

fn takes(sound: View<'_, Sound>) -> Vec<Take> {
    let weights = sound.each(&sound.weights);
    let takes = sound.each(&sound.permutations).iter().take(CHOICES_MAX).map(|permutation| {
        let own = weights.iter().find(|weight| weight.name == permutation.name);
        let held = u64::from(permutation.parts) * u64::from(sound.part_frames);
        let frames = u64::from(permutation.frames).min(held).min(u64::from(SOUND_FRAMES_MAX));
        Take {
            first_part: permutation.first_part,
            frames: frames as u32,
            weight: own.map_or(1.0, |own| weight(own.weight)),
            skip_fraction: own.map_or(0.0, |own| finite(own.skip_fraction, 0.0, 0.0, 1.0)),
        }
    });
    takes.filter(|take| take.frames > 0).collect()
}

fn weight(value: f32) -> f32 {
    finite(value, 1.0, 0.0, 1000.0)
}

/// The time between two places at which other music may follow, in seconds.
fn follow_period(tempo: f32, bar: u32, follow: Follow) -> Option<f64> {
    let tempo = finite(tempo, 0.0, 0.0, 1000.0);
    let beats = match follow {
        Follow::Bar => bar.clamp(1, 64),
        Follow::Beat => 1,
        Follow::AtOnce => return None,
    };
    (tempo > 0.0).then(|| 60.0 / f64::from(tempo) * f64::from(beats))
}

#[cfg(test)]
mod tests {
    use super::*;

    const COURSE: Course = Course { frames: 100, repeat: None, part_frames: 40 };

    #[test]
    fn a_course_runs_through_its_parts_and_ends() {
        let runs: Vec<_> = [-1, 0, 39, 40, 99, 100].map(|index| COURSE.run(index)).into();
        assert_eq!(runs, [None, Some((0, 40)), Some((39, 1)), Some((40, 40)), Some((99, 1)), None]);
        assert_eq!(COURSE.place_after(99.5), Some((99 << 32) + (1 << 31)));
        assert_eq!(COURSE.place_after(100.0), None);
        assert_eq!(COURSE.place_after(f64::NAN), Some(0));
    }

    #[test]
    fn a_loop_is_entered_once_and_repeats() {
        let course = Course { repeat: Some((30, 90)), ..COURSE };
        assert_eq!([0, 89, 90, 149, 150].map(|index| course.frame(index)), [0, 89, 30, 89, 30].map(Some));
        assert_eq!(course.run(85), Some((85, 5)), "not beyond the end of the loop");
        assert_eq!(course.place_after(90.0 + 60.0 * 1_000_000.0 + 7.0), Some(37 << 32));
    }
}
