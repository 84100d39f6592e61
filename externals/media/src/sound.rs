//! The importer of sounds: files are decoded, brought to a common loudness, and cut into parts that can be streamed.
//!
//! One file is one permutation. With the option `permutations`, the numbered files that follow it become further ones;
//! they share one gain, so that a quiet take stays quieter than a loud one.
//!
//! Cost: decoding takes time and memory in proportion to the file and its samples, which have limits. Held by
//! `tests/growth.rs` of the tool.

pub mod adpcm;
mod decode;
mod loops;
mod loudness;
mod options;
mod resample;
#[cfg(test)]
mod tests;

use view::classes::sound::SampleFormat;

use crate::error::ImportError;
use crate::importer::{Importer, Source};
use crate::limits::{PERMUTATIONS_MAX, SAMPLES_MAX};
use crate::lscript::{choice, double, list, record, rounded, text};
use crate::numbered::Numbered;
use crate::options::Options;
use crate::product::{Part, Product, Warning};
use crate::sound::decode::Waveform;
use crate::sound::options::{LoopWish, OPTIONS, SoundWishes};

/// The row of the importer.
pub const IMPORTER: Importer = Importer {
    name: "sound",
    extensions: &["wav", "aif", "aiff", "ogg", "flac", "mp3"],
    version: 1,
    options: OPTIONS,
    help: "Makes a sound of a recording: at a common loudness, with its loop, in parts that can be streamed.",
    gathers: |options| options.is_on("permutations"),
    import,
};

/// The true peak that no gain exceeds, in dBTP.
const PEAK_MAX: f64 = -1.0;

/// The parts of one second.
const PARTS_PER_SECOND: u32 = 2;

fn import(source: &Source<'_>, options: &Options) -> Result<Vec<Product>, ImportError> {
    let wishes = SoundWishes::read(options)?;
    let mut remarks = Vec::new();
    let takes = read_takes(source, &wishes, &mut remarks)?;
    let (rate, channels) = (takes[0].sound.rate, takes[0].sound.channels.len());
    let source_loop = takes[0].source_loop;
    let (names, sounds): (Vec<String>, Vec<Waveform>) = takes.into_iter().map(|take| (take.name, take.sound)).unzip();

    let loudness = loudness::integrated_loudness(&sounds);
    let peak = sounds
        .iter()
        .map(loudness::true_peak)
        .fold(-200.0, |first, second| if second > first { second } else { first });
    let gain = wishes.target_loudness.map_or(0.0, |target| gain(target, loudness, peak, &mut remarks));
    let factor = loudness::amplitude(gain);

    let frames_max = sounds.iter().map(Waveform::frames).max().unwrap_or(0);
    let part_frames = rate.div_ceil(PARTS_PER_SECOND) as usize;
    let mut parts = Vec::new();
    let mut permutations = Vec::new();
    for (name, sound) in names.iter().zip(&sounds) {
        let first_part = parts.len();
        for bytes in encode(sound, factor, part_frames, wishes.format) {
            parts.push(Part { name: format!("{name} part {}", parts.len() - first_part), bytes });
        }
        permutations.push(record(&[
            ("name", text(name)),
            ("first_part", double(first_part as f64)),
            ("parts", double((parts.len() - first_part) as f64)),
            ("frames", double(sound.frames() as f64)),
        ]));
    }
    let frames = sounds[0].frames() as u64;
    let found_loop = match wishes.looping {
        LoopWish::None => None,
        LoopWish::Whole => Some((0, frames)),
        LoopWish::File => source_loop,
    };
    if found_loop.is_some_and(|(_, end)| end > frames) {
        remarks.push("its loop ends behind the sound: it was cut there".to_string());
    }
    let found_loop = found_loop.map(|(start, end)| (start, end.min(frames))).filter(|(start, end)| start < end);
    let (loop_start, loop_end) = found_loop.unwrap_or((0, 0));

    let fields = vec![
        ("format".to_string(), choice(wishes.format)),
        ("sample_rate".to_string(), double(f64::from(rate))),
        ("channels".to_string(), double(channels as f64)),
        ("frames".to_string(), double(frames_max as f64)),
        ("part_frames".to_string(), double(part_frames as f64)),
        ("loudness".to_string(), rounded(loudness, 2)),
        ("peak".to_string(), rounded(peak, 2)),
        ("gain".to_string(), rounded(gain, 2)),
        ("loops".to_string(), found_loop.is_some().to_string()),
        ("loop_start".to_string(), double(loop_start as f64)),
        ("loop_end".to_string(), double(loop_end as f64)),
        ("permutations".to_string(), list(permutations)),
    ];
    let warnings = remarks.into_iter().map(|message| Warning { message }).collect();
    Ok(vec![Product { class: "sound", fields, bulk_field: "data", parts, warnings, ..Product::default() }])
}

/// One file, decoded and at the wanted rate.
struct Take {
    name: String,
    sound: Waveform,
    /// The loop that the file has, at the wanted rate.
    source_loop: Option<(u64, u64)>,
}

/// The file, and with the option the numbered files that follow it.
fn read_takes(source: &Source<'_>, wishes: &SoundWishes, remarks: &mut Vec<String>) -> Result<Vec<Take>, ImportError> {
    let mut takes = vec![read_take(source.name, source.bytes, wishes, remarks)?];
    if !wishes.has_permutations {
        return Ok(takes);
    }
    let Some(first) = Numbered::read(source.name) else {
        let reason = format!("expected a numbered file such as `shot_01.wav`, found `{}`", source.name);
        return Err(ImportError::Option { name: "permutations", reason });
    };
    let mut samples = 0;
    for later in 1..=PERMUTATIONS_MAX {
        let name = first.later(later);
        let Ok(bytes) = source.read_beside(&name) else { break };
        if later == PERMUTATIONS_MAX {
            return Err(ImportError::TooLarge { what: "permutations", found: later + 1, limit: later });
        }
        let take = read_take(&name, &bytes, wishes, remarks)?;
        let kind = |sound: &Waveform| (sound.rate, sound.channels.len());
        if kind(&take.sound) != kind(&takes[0].sound) {
            let reason = "its sample rate or number of channels differs from that of the first file".to_string();
            return Err(ImportError::Beside { name, reason });
        }
        samples += take.sound.frames() as u64 * take.sound.channels.len() as u64;
        if samples > SAMPLES_MAX {
            return Err(ImportError::TooLarge { what: "samples", found: samples, limit: SAMPLES_MAX });
        }
        takes.push(take);
    }
    Ok(takes)
}

fn read_take(name: &str, bytes: &[u8], wishes: &SoundWishes, remarks: &mut Vec<String>) -> Result<Take, ImportError> {
    let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
    let (mut sound, found) = decode::decode(&extension.to_ascii_lowercase(), bytes)?;
    remarks.extend(found);
    if wishes.is_mono && sound.channels.len() > 1 {
        sound = sound.to_mono();
    }
    let from = sound.rate;
    let rate = wishes.rate.unwrap_or(from);
    if rate != from {
        let found = resample::scaled(sound.frames() as u64, from, rate) * sound.channels.len() as u64;
        if found > SAMPLES_MAX {
            return Err(ImportError::TooLarge { what: "samples", found, limit: SAMPLES_MAX });
        }
        sound = resample::resample(&sound, rate);
    }
    let place = |frame: u64| resample::scaled(frame, from, rate);
    let source_loop = loops::find_loop(bytes).map(|(start, end)| (place(start), place(end)));
    Ok(Take { name: stem.to_string(), sound, source_loop })
}

/// The gain that brings a sound to its target, as far as its peaks allow.
fn gain(target: f64, loudness: f64, peak: f64, remarks: &mut Vec<String>) -> f64 {
    if loudness <= loudness::SILENCE {
        return 0.0;
    }
    let (wanted, most) = (target - loudness, PEAK_MAX - peak);
    if wanted <= most {
        return wanted;
    }
    if wanted - most > 3.0 {
        remarks.push(format!(
            "it stays {} dB below the target loudness, because its peaks would clip; compress it, or lower the target",
            rounded(wanted - most, 1)
        ));
    }
    most
}

/// The parts of a sound in a format.
fn encode(sound: &Waveform, factor: f64, part_frames: usize, format: SampleFormat) -> Vec<Vec<u8>> {
    let quantised: Vec<Vec<i16>> = sound
        .channels
        .iter()
        // Casts saturate; the rounding is that of `round`, away from zero.
        .map(|channel| {
            let sample = |sample: &f32| base::number::double::round(f64::from(*sample) * factor * 32_768.0) as i16;
            channel.iter().map(sample).collect()
        })
        .collect();
    let mut encoder = adpcm::Encoder::new(quantised.len());
    (0..sound.frames())
        .step_by(part_frames)
        .map(|start| {
            let end = (start + part_frames).min(sound.frames());
            let channels: Vec<&[i16]> = quantised.iter().map(|channel| &channel[start..end]).collect();
            match format {
                SampleFormat::ImaAdpcm => encoder.part(&channels),
                SampleFormat::Pcm16 => (0..end - start)
                    .flat_map(|frame| channels.iter().map(move |channel| channel[frame]))
                    .flat_map(i16::to_le_bytes)
                    .collect(),
            }
        })
        .collect()
}
