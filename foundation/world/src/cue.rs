//! Cues: the sounds, visual effects and interface events that scripts begin. They lie in the block, so that a loaded or rewound world
//! shows what it showed.
//!
//! Laws
//! 1. A cue is never removed, only overwritten: the ring holds the last [`CUES_MAX`](crate::limits::CUES_MAX). Which of them still run
//!    follows from their cycles and the content.
//! 2. Nothing in the world reads a cue: it cannot change a later cycle.

use base::{Handle, Plain, Quat, StringId, Vec3};
use script::value::Value;

use crate::limits::CUE_ARGUMENTS;
use crate::object::Object;

/// A sound, a visual effect or an interface event.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct Cue {
    /// [`PLAY`] or [`GUI_FIRE`].
    pub what: StringId,
    /// The path of the sound or effect, the name of the event.
    pub name: StringId,
    /// The marker at which it is; none: the object's origin.
    pub marker: StringId,
    /// The cycle in which it began.
    pub cycle: u64,
    /// The arguments of an interface event, without lists and records.
    pub arguments: [Value; CUE_ARGUMENTS],
    /// Where its object was.
    pub position: Vec3,
    /// The object it is at.
    pub object: Handle<Object>,
    /// The rotation of its object.
    pub orientation: Quat,
    /// The end point of beams, if it has one.
    pub target: Vec3,
    /// 1 if it has a target.
    pub has_target: u32,
    /// A factor on the size of an effect.
    pub scale: f32,
    /// A factor on the volume of a sound.
    pub volume: f32,
    /// A factor on the pitch of a sound.
    pub pitch: f32,
    /// Unused.
    pub spare: u32,
}

/// The effect that plays a sound or a visual effect.
pub const PLAY: StringId = StringId::new("Play");
/// The effect that sends an event to the interface.
pub const GUI_FIRE: StringId = StringId::new("GUIFire");

impl Cue {
    /// A cue at an object.
    pub fn at(what: StringId, name: StringId, (handle, object): (Handle<Object>, &Object), cycle: u64) -> Cue {
        Cue {
            what,
            name,
            marker: StringId::NONE,
            cycle,
            arguments: [Value::NOTHING; CUE_ARGUMENTS],
            position: object.position,
            object: handle,
            orientation: object.orientation,
            target: Vec3::ZERO,
            has_target: 0,
            scale: 1.0,
            volume: 1.0,
            pitch: 1.0,
            spare: 0,
        }
    }
}

/// Where the next cue goes.
#[derive(Clone, Copy, Debug, Plain)]
#[repr(C)]
pub struct CueRing {
    /// The number of cues since the level began. The next one goes to this place, modulo the length of the ring.
    pub total: u64,
}
