//! The waveform of a sound: a band for each channel of each take, with its loop.

use view::classes::sound::SampleFormat;

use super::{GAP, Picture, PictureError};
use crate::sound::adpcm;

/// The columns of a waveform, and the rows of a band.
const COLUMNS: u32 = 1024;
const ROWS: u32 = 128;

/// The most bands; further takes are not shown.
const BANDS_MAX: usize = 24;

const PAPER: [u8; 4] = [40, 40, 44, 255];
const BAND: [u8; 4] = [24, 24, 28, 255];
const LOOP: [u8; 4] = [44, 48, 72, 255];
const ZERO: [u8; 4] = [90, 90, 96, 255];
const WAVE: [u8; 4] = [96, 200, 150, 255];
/// Where samples have the largest value there is.
const CLIPPED: [u8; 4] = [240, 80, 70, 255];

/// A sound as its tag describes it.
#[derive(Clone, Debug)]
pub struct ShownSound<'a> {
    /// The format of its samples.
    pub format: SampleFormat,
    /// The number of its channels.
    pub channels: usize,
    /// The number of frames in each part but the last of a take.
    pub part_frames: usize,
    /// The loop: its first frame, and the frame after its last.
    pub looped: Option<(usize, usize)>,
    /// Its takes.
    pub takes: Vec<ShownTake<'a>>,
}

/// One take.
#[derive(Clone, Debug)]
pub struct ShownTake<'a> {
    /// The number of its frames.
    pub frames: usize,
    /// Its parts, in order.
    pub parts: Vec<&'a [u8]>,
}

/// The lowest and the highest sample of a column.
type Span = (i16, i16);

/// The waveform of a sound. The loop is that of the first take.
pub fn waveform(sound: &ShownSound<'_>) -> Result<Picture, PictureError> {
    let mut bands = Vec::new();
    for (number, take) in sound.takes.iter().enumerate() {
        let looped = sound.looped.filter(|_| number == 0).map(|(start, end)| {
            let column = |frame: usize| (frame as u64 * u64::from(COLUMNS) / take.frames.max(1) as u64) as u32;
            (column(start), column(end))
        });
        for spans in spans_of(sound, take)? {
            bands.push((spans, looped));
        }
    }
    bands.truncate(BANDS_MAX);
    if bands.is_empty() {
        return Err(PictureError::Empty("samples"));
    }
    let mut picture = Picture::filled(COLUMNS + GAP * 2, GAP + (ROWS + GAP) * bands.len() as u32, PAPER);
    for (number, (spans, looped)) in bands.iter().enumerate() {
        let top = GAP + (ROWS + GAP) * number as u32;
        for (column, span) in spans.iter().enumerate() {
            draw_column(&mut picture, column as u32, top, *span, *looped);
        }
    }
    Ok(picture)
}

fn draw_column(picture: &mut Picture, column: u32, top: u32, (low, high): Span, looped: Option<(u32, u32)>) {
    let is_looped = looped.is_some_and(|(start, end)| (start..end).contains(&column));
    // The row of a sample: the highest is 0.
    let row = |sample: i16| (i32::from(i16::MAX) - i32::from(sample)) as u32 * (ROWS - 1) / u32::from(u16::MAX);
    let is_clipped = low == i16::MIN || high == i16::MAX;
    for y in 0..ROWS {
        let colour = match y {
            y if (row(high)..=row(low)).contains(&y) => {
                if is_clipped {
                    CLIPPED
                } else {
                    WAVE
                }
            }
            y if y == row(0) => ZERO,
            _ if is_looped => LOOP,
            _ => BAND,
        };
        picture.set(GAP + column, top + y, colour);
    }
}

/// The spans of each column, for each channel of a take.
fn spans_of(sound: &ShownSound<'_>, take: &ShownTake<'_>) -> Result<Vec<Vec<Span>>, PictureError> {
    let mut channels: Vec<Vec<Option<Span>>> = vec![vec![None; COLUMNS as usize]; sound.channels];
    for (number, part) in take.parts.iter().enumerate() {
        let start = number * sound.part_frames;
        let frames = take.frames.saturating_sub(start).min(sound.part_frames);
        let decoded = decode(sound.format, part, sound.channels, frames)
            .ok_or_else(|| PictureError::Part(format!("part {number} has {} bytes for {frames} frames", part.len())))?;
        for (spans, samples) in channels.iter_mut().zip(decoded) {
            for (frame, sample) in samples.into_iter().enumerate() {
                let column = ((start + frame) as u64 * u64::from(COLUMNS) / take.frames as u64) as usize;
                if let Some(span) = spans.get_mut(column) {
                    let (low, high) = span.unwrap_or((sample, sample));
                    *span = Some((low.min(sample), high.max(sample)));
                }
            }
        }
    }
    Ok(channels.into_iter().map(joined).collect())
}

/// Columns without a frame, as in very short sounds, continue the column before; spans touch one another.
fn joined(spans: Vec<Option<Span>>) -> Vec<Span> {
    let mut before = (0, 0);
    let mut joined = Vec::with_capacity(spans.len());
    for span in spans {
        let (low, high) = span.unwrap_or(before);
        // A steep wave has no gap between columns.
        joined.push((low.min(before.1), high.max(before.0)));
        before = (low, high);
    }
    joined
}

fn decode(format: SampleFormat, bytes: &[u8], channels: usize, frames: usize) -> Option<Vec<Vec<i16>>> {
    match format {
        SampleFormat::ImaAdpcm => adpcm::decode_part(bytes, channels, frames),
        SampleFormat::Pcm16 => {
            let (samples, rest) = bytes.as_chunks::<2>();
            if !rest.is_empty() || Some(samples.len()) != frames.checked_mul(channels) {
                return None;
            }
            let of =
                |channel: usize| samples.iter().skip(channel).step_by(channels).map(|two| i16::from_le_bytes(*two));
            Some((0..channels).map(|channel| of(channel).collect()).collect())
        }
    }
}
