//! The class `camera`: where a player sees the world from, and how that follows what happens and what the player does.
//!
//! Cameras are made by people; there is no importer. [`crate::camera`] moves them.

use base::{StringId, Truth, Vec3};
use tags::{Angle, Choice, Names, Reference, Tag};

use super::post_effect::PostEffect;

/// Where a player sees the world from.
#[derive(Tag)]
#[repr(C)]
pub struct Camera {
    /// How it moves.
    #[tag(default = "\"chase\"")]
    pub kind: Choice<CameraKind>,
    /// The angle of view from top to bottom.
    #[tag(range(1, 170), default = 60)]
    pub fov: Angle,
    /// The distance of the nearest things that are seen.
    #[tag(unit = "m", range(0.001, 100), default = 0.1, expert)]
    pub near: f32,
    /// Of a first-person camera: the marker of the model at which the eye is. None: the object's origin.
    pub marker: StringId,
    /// The eye of a first-person camera, and the point that the others look at, in the object's frame.
    #[tag(unit = "m")]
    pub offset: Vec3,
    /// Its distance from the point it looks at.
    #[tag(unit = "m", range(0, 100000), default = 12)]
    pub distance: f32,
    /// The least distance to which a player can zoom.
    #[tag(unit = "m", range(0, 100000), default = 2)]
    pub distance_min: f32,
    /// The greatest distance to which a player can zoom.
    #[tag(unit = "m", range(0, 100000), default = 400)]
    pub distance_max: f32,
    /// How far it looks down, at the start.
    #[tag(range(-90, 90), default = 20)]
    pub pitch: Angle,
    /// The least angle by which it looks down; negative: up.
    #[tag(range(-90, 90), default = -80)]
    pub pitch_min: Angle,
    /// The greatest angle by which it looks down.
    #[tag(range(-90, 90), default = 85)]
    pub pitch_max: Angle,
    /// The direction in which it looks, at the start: counter-clockwise from the x axis of the object, or of the level.
    #[tag(range(-360, 360), default = 0)]
    pub yaw: Angle,
    /// How fast the keys and sticks of a player turn it, per second.
    #[tag(range(0, 1440), default = 120)]
    pub turn_speed: Angle,
    /// How far a movement of the pointer turns it: the angle for a movement across the height of the view.
    #[tag(range(0, 1440), default = 90)]
    pub pointer_speed: Angle,
    /// The factor by which one step of the wheel changes its distance.
    #[tag(range(1, 10), step = 0.01, default = 1.15)]
    pub zoom_step: f32,
    /// Of a strategy camera: how many of its distances it moves in a second.
    #[tag(unit = "1/s", range(0, 100), default = 1)]
    pub pan_speed: f32,
    /// Of a strategy camera: the margin of the view in which the pointer moves it, as a part of the height. 0: none.
    #[tag(range(0, 0.5), step = 0.001, default = 0.01)]
    pub edge: f32,
    /// Of a strategy camera: how far from the level's origin it can be moved. 0: anywhere.
    #[tag(unit = "m", range(0, 1000000), default = 0)]
    pub range: f32,
    /// Of a free camera: its speed.
    #[tag(unit = "m/s", range(0, 100000), default = 20)]
    pub fly_speed: f32,
    /// Of a free camera: the factor of its speed while it is hurried.
    #[tag(range(1, 100), default = 5)]
    pub hurry: f32,
    /// The time in which half of a movement of its object is followed. 0: at once.
    #[tag(unit = "s", range(0, 10), step = 0.01, default = 0.06)]
    pub position_lag: f32,
    /// The time in which half of a rotation of its object is followed. 0: at once.
    #[tag(unit = "s", range(0, 10), step = 0.01, default = 0.12)]
    pub rotation_lag: f32,
    /// Whether it rolls and pitches with its object, as in space. If not, it stays upright and follows only the object's yaw.
    pub rolls: Truth,
    /// Whether it comes nearer if something stands between it and the point it looks at.
    #[tag(default = true)]
    pub collides: Truth,
    /// How far it stays from what stands in its way.
    #[tag(unit = "m", range(0, 100), default = 0.3)]
    pub collision_radius: f32,
    /// The factor by which effects shake it.
    #[tag(range(0, 10), step = 0.1, default = 1)]
    pub shake: f32,
    /// Of a camera after death: how fast it circles the place, per second.
    #[tag(range(-360, 360), default = 12)]
    pub circling: Angle,
    /// What becomes of the picture that it shows.
    pub post_effect: Reference<PostEffect>,
    /// The duration of the change to this camera from another one.
    #[tag(unit = "s", range(0, 60), step = 0.05, default = 0.4)]
    pub transition: f32,
}

/// How a camera moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Names)]
pub enum CameraKind {
    /// It is at the eye of its object, and looks where that does.
    FirstPerson,
    /// It follows behind its object; a player can look around, and it returns.
    Chase,
    /// It circles its object as the player turns it.
    Orbit,
    /// It looks down on the level, and the player moves it about.
    Strategy,
    /// It flies as the player says, without an object.
    Free,
    /// It circles the place where its object ended.
    Death,
}
