//! From the bytes of a sound file to its samples. This is the door to the crate `symphonia`.
//!
//! The content decides about the format, and the extension is only a hint. What the header claims is checked before
//! anything is decoded, and what is decoded while it grows.
//!
//! The lossless formats decode alike on every machine. Tables of the Vorbis and MP3 decoders are computed with the
//! platform's sine and power, which can differ in the last bit between operating systems; the samples then differ by
//! less than the step of 16 bits, and a few are rounded the other way.

use std::io::Cursor;

use symphonia::core::codecs::audio::AudioDecoderOptions;
use symphonia::core::errors::Error;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, TrackType};
use symphonia::core::io::{MediaSourceStream, MediaSourceStreamOptions};
use symphonia::core::meta::MetadataOptions;

use crate::codec::guarded;
use crate::error::ImportError;
use crate::limits::{CHANNELS_MAX, SAMPLE_RATE_MAX, SAMPLE_RATE_MIN, SAMPLES_MAX};

/// Samples of a sound, −1…1, one list for each channel.
#[derive(Clone, Debug, PartialEq)]
pub struct Waveform {
    /// Frames per second.
    pub rate: u32,
    /// The samples of each channel: at least one channel, all of the same length, which is at least 1.
    pub channels: Vec<Vec<f32>>,
}

impl Waveform {
    /// The number of frames.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.channels[0].len()
    }

    /// One channel: the mean of all.
    #[must_use]
    pub fn to_mono(&self) -> Waveform {
        let share = 1.0 / self.channels.len() as f32;
        let mean = |frame: usize| self.channels.iter().map(|channel| channel[frame]).sum::<f32>() * share;
        Waveform { rate: self.rate, channels: vec![(0..self.frames()).map(mean).collect()] }
    }
}

/// Decodes a file. Also says what a person should know: whether it ends early or has undecodable packets.
pub fn decode(extension: &str, bytes: &[u8]) -> Result<(Waveform, Vec<String>), ImportError> {
    guarded(|| decode_track(extension, bytes))
}

fn decode_track(extension: &str, bytes: &[u8]) -> Result<(Waveform, Vec<String>), ImportError> {
    let stream = MediaSourceStream::new(Box::new(Cursor::new(bytes)), MediaSourceStreamOptions::default());
    let mut hint = Hint::new();
    hint.with_extension(extension);
    let (format_options, metadata) = (FormatOptions::default(), MetadataOptions::default());
    let mut format =
        symphonia::default::get_probe().probe(&hint, stream, format_options, metadata).map_err(|why| match why {
            Error::Unsupported(_) | Error::IoError(_) => {
                ImportError::Damaged(format!("it does not begin as a sound of the kind .{extension} does"))
            }
            other => error(&other),
        })?;
    let track = format.default_track(TrackType::Audio).ok_or(ImportError::Empty("sound"))?;
    let parameters = track.codec_params.as_ref().and_then(|parameters| parameters.audio());
    let parameters = parameters.ok_or_else(|| ImportError::Unsupported("the codec of the sound".to_string()))?;
    let (track_id, claimed) = (track.id, track.num_frames.unwrap_or(0));
    let count = parameters.channels.as_ref().map_or(1, |channels| channels.count()) as u64;
    if let Some(rate) = parameters.sample_rate {
        check_rate(rate)?;
    }
    check_channels(count)?;
    check_samples(claimed.saturating_mul(count))?;
    let mut decoder = symphonia::default::get_codecs()
        .make_audio_decoder(parameters, &AudioDecoderOptions::default())
        .map_err(|why| error(&why))?;

    let mut sound: Option<Waveform> = None;
    let mut undecodable = 0u64;
    let mut remarks = Vec::new();
    loop {
        let packet = match format.next_packet() {
            Ok(Some(packet)) => packet,
            Ok(None) => break,
            Err(Error::IoError(_)) if sound.is_some() => break,
            Err(Error::ResetRequired) => {
                remarks.push("it has several sounds in sequence: only the first was imported".to_string());
                break;
            }
            Err(why) if sound.is_none() => return Err(error(&why)),
            Err(why) => {
                remarks.push(format!("it was imported up to a damaged place: {why}"));
                break;
            }
        };
        if packet.track_id != track_id {
            continue;
        }
        match decoder.decode(&packet) {
            Ok(buffer) => append(&mut sound, &buffer)?,
            Err(Error::DecodeError(_)) => undecodable += 1,
            Err(why) => return Err(error(&why)),
        }
    }
    let sound = sound.filter(|sound| sound.frames() > 0).ok_or(if undecodable > 0 {
        ImportError::Damaged("no packet of the sound can be decoded".to_string())
    } else {
        ImportError::Empty("samples")
    })?;
    if undecodable > 0 {
        remarks.push(format!("{undecodable} damaged packets were left out"));
    }
    if (sound.frames() as u64) < claimed {
        remarks.push(format!("it ends early: {} of {claimed} frames are there", sound.frames()));
    }
    Ok((sound, remarks))
}

fn append(
    sound: &mut Option<Waveform>,
    buffer: &symphonia::core::audio::GenericAudioBufferRef<'_>,
) -> Result<(), ImportError> {
    let (rate, count) = (buffer.spec().rate(), buffer.spec().channels().count());
    check_rate(rate)?;
    check_channels(count as u64)?;
    let sound = sound.get_or_insert_with(|| Waveform { rate, channels: vec![Vec::new(); count] });
    if (sound.rate, sound.channels.len()) != (rate, count) {
        return Err(ImportError::Unsupported("a sample rate or a number of channels that changes".to_string()));
    }
    check_samples((sound.frames() as u64 + buffer.frames() as u64) * count as u64)?;
    let mut samples: Vec<f32> = Vec::new();
    buffer.copy_to_vec_interleaved(&mut samples);
    for frame in samples.chunks_exact(count) {
        for (channel, sample) in sound.channels.iter_mut().zip(frame) {
            channel.push(if sample.is_finite() { *sample } else { 0.0 });
        }
    }
    Ok(())
}

fn check_rate(rate: u32) -> Result<(), ImportError> {
    if (SAMPLE_RATE_MIN..=SAMPLE_RATE_MAX).contains(&rate) {
        return Ok(());
    }
    let message = format!("a sample rate of {rate} Hz; expected {SAMPLE_RATE_MIN} to {SAMPLE_RATE_MAX}");
    Err(ImportError::Unsupported(message))
}

fn check_channels(count: u64) -> Result<(), ImportError> {
    match count {
        0 => Err(ImportError::Empty("channels")),
        1..=CHANNELS_MAX => Ok(()),
        _ => Err(ImportError::TooLarge { what: "channels", found: count, limit: CHANNELS_MAX }),
    }
}

fn check_samples(found: u64) -> Result<(), ImportError> {
    if found <= SAMPLES_MAX {
        Ok(())
    } else {
        Err(ImportError::TooLarge { what: "samples", found, limit: SAMPLES_MAX })
    }
}

fn error(error: &Error) -> ImportError {
    match error {
        Error::Unsupported(what) => ImportError::Unsupported((*what).to_string()),
        other => ImportError::Damaged(other.to_string()),
    }
}
