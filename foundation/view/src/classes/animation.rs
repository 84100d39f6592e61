//! The class `animation`: how nodes move over time.
//!
//! A channel is a curve of keys at whole frames, interpolated linearly (rotations normalised, along the shorter arc), in the bulk
//! data: for each key the frame and three 16-bit numbers. Positions and scales are quantised in the range of their
//! channel; rotations are the three smallest components of a quaternion, 15 bits each, and the index of the largest.

use base::{StringId, Truth, Vec3};
use tags::{Bulk, Choice, Names, Record, Series, Tag, Text};

use super::source::SourceRecord;

/// How nodes move over time.
#[derive(Tag)]
#[repr(C)]
pub struct Animation {
    /// Where it came from.
    pub source: SourceRecord,
    /// Its keys, all in part 0.
    pub data: Bulk,
    /// Its duration.
    #[tag(read_only, unit = "s", range(0, 86400))]
    pub duration: f32,
    /// Its frames per second.
    #[tag(read_only, unit = "1/s", range(0.001, 1000), default = 30)]
    pub rate: f32,
    /// The nodes it moves.
    #[tag(read_only)]
    pub tracks: Series<AnimationTrack>,
    /// How far a position is at most from the source.
    #[tag(read_only, unit = "m", range(0, 1000))]
    pub position_error: f32,
    /// How far a rotation is at most from the source.
    #[tag(read_only, unit = "rad", range(0, 4))]
    pub rotation_error: f32,
    /// How far a scale is at most from the source.
    #[tag(read_only, range(0, 1000))]
    pub scale_error: f32,
    /// Set by people: what happens at some times, as footsteps.
    pub events: Series<AnimationEvent>,
    /// Set by people: whether it repeats.
    pub loops: Truth,
    /// Set by people: whether the movement of `root` moves the object.
    pub root_motion: Truth,
    /// Set by people: the node whose movement moves the object. None: the first track.
    pub root: StringId,
}

/// The movement of one node.
#[derive(Record)]
#[repr(C)]
pub struct AnimationTrack {
    /// The name of the node.
    #[tag(key)]
    pub node: StringId,
    /// Its channels.
    pub channels: Series<AnimationChannel>,
}

/// One curve of a track.
#[derive(Record)]
#[repr(C)]
pub struct AnimationChannel {
    /// What it moves.
    #[tag(key, default = "\"position\"")]
    pub target: Choice<ChannelTarget>,
    /// Whether a value holds until the next key.
    pub stepped: Truth,
    /// The place of its first key in the part.
    #[tag(unit = "bytes")]
    pub offset: u32,
    /// The number of its keys, of 8 bytes each.
    pub keys: u32,
    /// The value of the number 0.
    pub min: Vec3,
    /// What is added to it for the number 65,535.
    pub size: Vec3,
}

/// What a channel moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Names)]
pub enum ChannelTarget {
    /// The position in the parent's frame.
    Position,
    /// The rotation in the parent's frame.
    Rotation,
    /// The scale.
    Scale,
}

/// What happens at a time of an animation.
#[derive(Record)]
#[repr(C)]
pub struct AnimationEvent {
    /// Its name, which objects get as a message.
    #[tag(key)]
    pub name: StringId,
    /// Its time.
    #[tag(unit = "s", range(0, 86400))]
    pub time: f32,
    /// The marker or node at which it happens.
    pub marker: StringId,
    /// Anything else it says.
    pub argument: Text,
}
