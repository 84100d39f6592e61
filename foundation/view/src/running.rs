//! What is running at a moment: effects and sounds with the time of their start.
//!
//! A frame lists everything that runs, not what has just begun. So after a load, a rewind or a seek it is complete.

use base::{Quat, StringId, Vec3};

use crate::answer::Atom;
use crate::moment::Span;

/// A visual effect that is running.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunningEffect {
    /// Unique among all effects of the world, and the same in every frame.
    pub id: u64,
    /// The effect tag.
    pub effect: StringId,
    /// The raw handle of the object it follows; 0 if it stays where it began.
    pub object: u32,
    /// The marker or node of the object's model at which it is; none: the object's origin.
    pub marker: StringId,
    /// The position and rotation of that marker in the frame of the object, if the object's tag has it. None: the model has it.
    pub marker_place: Option<(Vec3, Quat)>,
    /// Where it began, or the position of its object at the frame's moment.
    pub position: Vec3,
    /// The rotation of its frame.
    pub orientation: Quat,
    /// The velocity of its frame.
    pub velocity: Vec3,
    /// The end point of beams.
    pub target: Option<Vec3>,
    /// The world time at which it began, in seconds.
    pub started: f64,
    /// The world time at which it was stopped, in seconds; particles that live then fade out. Infinite: not stopped.
    pub stopped: f64,
    /// The seed of its random values.
    pub seed: u64,
    /// A factor on its size.
    pub scale: f32,
    /// The values its formulas read, in `Frame::parameters`.
    pub parameters: Span,
}

/// A sound that is running.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunningSound {
    /// Unique among all sounds of the world, and the same in every frame.
    pub id: u64,
    /// The sound tag.
    pub sound: StringId,
    /// The raw handle of the object it follows; 0 if it stays where it began.
    pub object: u32,
    /// Its position. None: it has no place, as music.
    pub position: Option<Vec3>,
    /// Its velocity, for the Doppler effect.
    pub velocity: Vec3,
    /// The world time at which it began, in seconds: it is heard from the corresponding place.
    pub started: f64,
    /// Whether it repeats until it is no longer listed.
    pub loops: bool,
    /// The seed that chooses its permutation.
    pub seed: u64,
    /// A factor on its volume.
    pub volume: f32,
    /// A factor on its pitch.
    pub pitch: f32,
}

/// A light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Its position.
    pub position: Vec3,
    /// The direction in which a spot light shines; zero for a point light.
    pub direction: Vec3,
    /// Its colour in linear light, times its intensity in candela.
    pub intensity: Vec3,
    /// The distance beyond which it has no effect.
    pub range: f32,
    /// The cosine of the half angle at which the cone of a spot light ends; −1 for a point light.
    pub cone: f32,
}

/// An event that a script sent to the interface with `!GUIFire`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InterfaceEvent {
    /// Unique among all events of the level, and growing: an event is listed in many frames, and handled once. After a change of
    /// epoch the events of the first frame are in the past.
    pub id: u64,
    /// The cycle in which it was sent.
    pub cycle: u64,
    /// Its name.
    pub name: StringId,
    /// The raw handle of the object that sent it.
    pub object: u32,
    /// Its position.
    pub position: Vec3,
    /// The player it is for; none: all.
    pub player: Option<u16>,
    /// Its arguments.
    pub arguments: [Atom; 4],
}
