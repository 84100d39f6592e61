//! Compression of animations: the curves of a clip as few keys of 8 bytes.
//!
//! Samples are taken at whole frames. Keys that linear interpolation restores within a tolerance are left out, where what is
//! interpolated are the values as they are decoded. Then the error is measured at all samples and all keys of the source.

pub mod quantise;

mod curve;

use base::Vec3;
use base::number::{max, round};
use view::classes::animation::ChannelTarget;

use crate::error::ImportError;
use crate::limits::FRAMES_MAX;
use crate::lscript::{self, RecordText};
use crate::product::{Part, Product};
use crate::scene::{Interpolation, SceneClip};
use curve::Sampler;
use quantise::Range;

/// The rates that are tried in this order; keys of most files lie on the frames of one.
const RATES: [f32; 8] = [24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 100.0, 120.0];
/// The rate if keys lie on the frames of none.
const RATE_OTHERWISE: f32 = 60.0;

/// How exact a clip is kept.
#[derive(Clone, Copy, Debug)]
pub struct AnimationOptions {
    /// The frames per second; 0: found from the keys.
    pub rate: f32,
    /// The tolerance of positions, in metres.
    pub position_error: f32,
    /// The tolerance of rotations, in radians.
    pub rotation_error: f32,
    /// The tolerance of scales.
    pub scale_error: f32,
}

/// A compressed clip.
#[derive(Clone, Debug, Default)]
pub struct CompressedClip {
    /// The duration in seconds.
    pub duration: f32,
    /// The frames per second.
    pub rate: f32,
    /// The channels, those of a node one after the other.
    pub channels: Vec<CompressedChannel>,
    /// The keys.
    pub bytes: Vec<u8>,
    /// The largest errors of positions, rotations and scales.
    pub errors: [f32; 3],
    /// The bytes that the keys of the source took.
    pub source_bytes: usize,
}

/// A channel of a compressed clip.
#[derive(Clone, Copy, Debug)]
pub struct CompressedChannel {
    /// The node.
    pub node: usize,
    /// What it moves.
    pub target: ChannelTarget,
    /// Whether values hold.
    pub is_stepped: bool,
    /// The place of its first key in the bytes.
    pub offset: usize,
    /// The number of its keys.
    pub keys: usize,
    /// The range of positions and scales.
    pub range: Range,
}

/// Compresses a clip.
pub fn compress(clip: &SceneClip, options: &AnimationOptions) -> Result<CompressedClip, ImportError> {
    let duration = clip.curves.iter().filter_map(|curve| curve.times.last()).fold(0.0, |most, time| max(most, *time));
    let mut rate = if options.rate > 0.0 { options.rate } else { find_rate(clip) };
    if round(duration * rate) as usize >= FRAMES_MAX {
        rate = (FRAMES_MAX - 1) as f32 / duration;
    }
    let mut made = CompressedClip { duration, rate, ..CompressedClip::default() };
    let mut order: Vec<usize> = (0..clip.curves.len()).collect();
    order.sort_by_key(|at| (clip.curves[*at].node, clip.curves[*at].target));
    let mut frames = 0;
    for curve in order.into_iter().map(|at| &clip.curves[at]) {
        let (error, tolerance) = match curve.target {
            ChannelTarget::Position => (0, options.position_error),
            ChannelTarget::Rotation => (1, options.rotation_error),
            ChannelTarget::Scale => (2, options.scale_error),
        };
        let sampler = Sampler::new(curve);
        let samples = sampler.samples(rate, &mut frames)?;
        let range = Range::of(curve.target, &samples);
        let keys = curve::reduce(&sampler, &samples, &range, tolerance);
        made.errors[error] = max(made.errors[error], curve::measure(&sampler, &samples, &keys, rate));
        made.channels.push(CompressedChannel {
            node: curve.node,
            target: curve.target,
            is_stepped: curve.interpolation == Interpolation::Step,
            offset: made.bytes.len(),
            keys: keys.len(),
            range,
        });
        for key in &keys {
            made.bytes.extend((key.frame as u16).to_le_bytes());
            key.numbers.iter().for_each(|number| made.bytes.extend(number.to_le_bytes()));
        }
        let value_bytes = if curve.target == ChannelTarget::Rotation { 16 } else { 12 };
        made.source_bytes += curve.times.len() * 4 + curve.values.len() * value_bytes;
    }
    Ok(made)
}

/// The product of a compressed clip. Nodes are named by the table.
#[must_use]
pub fn product(name: String, clip: &CompressedClip, names: &[String]) -> Product {
    let tracks = clip.channels.chunk_by(|one, other| one.node == other.node).map(|channels| {
        let channel = |channel: &CompressedChannel| {
            let target = match channel.target {
                ChannelTarget::Position => "position",
                ChannelTarget::Rotation => "rotation",
                ChannelTarget::Scale => "scale",
            };
            let has_range = channel.target != ChannelTarget::Rotation;
            RecordText::new()
                .with("target", lscript::text(target))
                .with_if(channel.is_stepped, "stepped", true)
                .with("offset", channel.offset)
                .with("keys", channel.keys)
                .with_if(has_range, "min", lscript::vector(channel.range.min))
                .with_if(has_range && channel.range.size != Vec3::ZERO, "size", lscript::vector(channel.range.size))
                .finish()
        };
        RecordText::new()
            .with("node", lscript::text(&names[channels[0].node]))
            .with("channels", lscript::list(channels.iter().map(channel)))
            .finish()
    });
    let field = |name: &str, value: String| (name.to_string(), value);
    Product {
        name,
        class: "animation",
        fields: vec![
            field("duration", lscript::number(clip.duration)),
            field("rate", lscript::number(clip.rate)),
            field("tracks", lscript::list(tracks)),
            field("position_error", lscript::number(clip.errors[0])),
            field("rotation_error", lscript::number(clip.errors[1])),
            field("scale_error", lscript::number(clip.errors[2])),
        ],
        bulk_field: "data",
        parts: vec![Part { name: "keys".into(), bytes: clip.bytes.clone() }],
        ..Product::default()
    }
}

/// The lowest rate on whose frames all keys lie.
fn find_rate(clip: &SceneClip) -> f32 {
    let is_on_frames = |rate: &f32| {
        let mut times = clip.curves.iter().flat_map(|curve| &curve.times);
        times.all(|time| base::number::abs(time * rate - round(time * rate)) < 0.01)
    };
    RATES.into_iter().find(is_on_frames).unwrap_or(RATE_OTHERWISE)
}

#[cfg(test)]
mod tests;
