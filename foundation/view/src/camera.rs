//! Cameras: where a player sees the world from, as camera tags say, moved by what happens and by what the player does.
//!
//! Laws
//! 1. A camera is presentation: nothing of it enters the world.
//! 2. Whatever the input, the settings and the frame hold, a view is finite, of unit rotation, and within the limits of the class.
//! 3. How a camera moves does not depend on the rate of pictures: everything that follows does so with a half-life.

pub mod rig;
mod shake;
#[cfg(test)]
mod tests;

use alloc::vec::Vec;

use base::number::{clamp, max};
use base::{Quat, Vec2, Vec3};
use tags::packed::View;

use crate::classes::camera::{Camera, CameraKind};
use crate::frame::Frame;
use crate::instance::Instance;
use crate::visuals::Shake;

pub use rig::CameraRig;

/// What a camera tag says, as plain numbers; angles in radians. The fields are those of [`Camera`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(missing_docs, reason = "the class documents them")]
pub struct CameraSettings {
    pub kind: CameraKind,
    pub fov: f32,
    pub near: f32,
    pub offset: Vec3,
    pub distance: f32,
    pub distance_min: f32,
    pub distance_max: f32,
    pub pitch: f32,
    pub pitch_min: f32,
    pub pitch_max: f32,
    pub yaw: f32,
    pub turn_speed: f32,
    pub pointer_speed: f32,
    pub zoom_step: f32,
    pub pan_speed: f32,
    pub edge: f32,
    pub range: f32,
    pub fly_speed: f32,
    pub hurry: f32,
    pub position_lag: f32,
    pub rotation_lag: f32,
    pub rolls: bool,
    pub collides: bool,
    pub collision_radius: f32,
    pub shake: f32,
    pub circling: f32,
    pub transition: f32,
}

/// What a player does to a camera in one picture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CameraInput {
    /// The movement of the pointer that turns it, in heights of the view: x to the right, y down.
    pub look: Vec2,
    /// The movement of a finger, in heights of the view: a strategy camera moves so that the ground follows it, others turn.
    pub drag: Vec2,
    /// How often the distance between two fingers has doubled: so much nearer it comes.
    pub pinch: f32,
    /// How far keys or sticks turn it, each from −1 to 1: x to the right, y down.
    pub turn: Vec2,
    /// How far keys or sticks move it, each from −1 to 1: x forward, y left, z up.
    pub push: Vec3,
    /// The steps of the wheel: positive is nearer.
    pub zoom: f32,
    /// The pointer in the view, from 0 to 1 from the top left corner, if it is there and moves the camera at the edges.
    pub pointer: Option<Vec2>,
    /// Whether it is hurried.
    pub is_hurried: bool,
}

/// What a camera follows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraTarget {
    /// Its position.
    pub position: Vec3,
    /// Its rotation.
    pub orientation: Quat,
    /// Its velocity.
    pub velocity: Vec3,
}

/// Finds out how far a camera can be from the point it looks at.
pub trait FreePath {
    /// The part of a way that a sphere can go: at most `distance`.
    fn free_distance(&self, from: Vec3, direction: Vec3, distance: f32, radius: f32) -> f32;
}

/// What a camera sees around it.
#[derive(Clone, Copy)]
pub struct CameraScene<'a> {
    /// The frame.
    pub frame: &'a Frame,
    /// What it follows, as it is shown now; none if that does not exist.
    pub target: Option<CameraTarget>,
    /// The shakes of effects.
    pub shakes: &'a [Shake],
    /// What may stand in its way.
    pub path: Option<&'a dyn FreePath>,
}

impl CameraSettings {
    /// What a tag says, within the limits of the class.
    pub fn of(tag: &View<'_, Camera>) -> CameraSettings {
        let least = finite(tag.distance_min, 0.0);
        CameraSettings {
            kind: tag.kind.get(),
            fov: clamp(finite(tag.fov.radians, 1.0), 0.02, 2.97),
            near: clamp(finite(tag.near, 0.1), 0.001, 100.0),
            offset: if tag.offset.is_finite() { tag.offset } else { Vec3::ZERO },
            distance: finite(tag.distance, 12.0),
            distance_min: least,
            distance_max: max(finite(tag.distance_max, 400.0), least),
            pitch: finite(tag.pitch.radians, 0.0),
            pitch_min: clamp(finite(tag.pitch_min.radians, -1.4), -PITCH_MOST, PITCH_MOST),
            pitch_max: clamp(finite(tag.pitch_max.radians, 1.4), -PITCH_MOST, PITCH_MOST),
            yaw: finite(tag.yaw.radians, 0.0),
            turn_speed: finite(tag.turn_speed.radians, 0.0),
            pointer_speed: finite(tag.pointer_speed.radians, 0.0),
            zoom_step: clamp(finite(tag.zoom_step, 1.0), 1.0, 10.0),
            pan_speed: finite(tag.pan_speed, 0.0),
            edge: clamp(finite(tag.edge, 0.0), 0.0, 0.5),
            range: max(finite(tag.range, 0.0), 0.0),
            fly_speed: finite(tag.fly_speed, 0.0),
            hurry: finite(tag.hurry, 1.0),
            position_lag: max(finite(tag.position_lag, 0.0), 0.0),
            rotation_lag: max(finite(tag.rotation_lag, 0.0), 0.0),
            rolls: tag.rolls.is_true(),
            collides: tag.collides.is_true(),
            collision_radius: max(finite(tag.collision_radius, 0.0), 0.0),
            shake: finite(tag.shake, 0.0),
            circling: finite(tag.circling.radians, 0.0),
            transition: max(finite(tag.transition, 0.0), 0.0),
        }
    }

    /// The settings of a camera of this kind for which there is no tag: the defaults of the class.
    pub fn new(kind: CameraKind) -> CameraSettings {
        let degrees = |degrees: f32| degrees * core::f32::consts::PI / 180.0;
        let pitch = if kind == CameraKind::Strategy { 55.0 } else { 20.0 };
        CameraSettings {
            kind,
            fov: degrees(60.0),
            near: 0.1,
            offset: Vec3::ZERO,
            distance: if kind == CameraKind::Strategy { 60.0 } else { 12.0 },
            distance_min: 2.0,
            distance_max: 400.0,
            pitch: degrees(pitch),
            pitch_min: degrees(-80.0),
            pitch_max: degrees(85.0),
            yaw: 0.0,
            turn_speed: degrees(120.0),
            pointer_speed: degrees(90.0),
            zoom_step: 1.15,
            pan_speed: 1.0,
            edge: 0.01,
            range: 0.0,
            fly_speed: 20.0,
            hurry: 5.0,
            position_lag: 0.06,
            rotation_lag: 0.12,
            rolls: false,
            collides: true,
            collision_radius: 0.3,
            shake: 1.0,
            circling: degrees(12.0),
            transition: 0.4,
        }
    }
}

impl CameraTarget {
    /// An instance as a target, at its position in the frame.
    pub fn of(instance: &Instance) -> CameraTarget {
        let Instance { position, orientation, velocity, .. } = *instance;
        CameraTarget { position, orientation, velocity }
    }
}

/// A camera looks down or up by less than a right angle, so that it keeps an up direction.
const PITCH_MOST: f32 = 1.56;

/// The number, or another one if it is not finite.
fn finite(number: f32, other: f32) -> f32 {
    if number.is_finite() { number } else { other }
}

/// The parts of a picture for several players, each as left, top, right, bottom from 0 to 1: two beside each other in a wide picture,
/// more in a grid. `aspect` is width through height. At most [`VIEWS_MAX`].
pub fn viewports(count: usize, aspect: f32) -> Vec<[f32; 4]> {
    let count = count.clamp(1, VIEWS_MAX);
    let is_wide = finite(aspect, 1.0) >= 1.0;
    let mut columns = 1;
    while columns * columns < count {
        columns += 1;
    }
    let rows = count.div_ceil(columns);
    let (columns, rows) = if is_wide || columns == rows { (columns, rows) } else { (rows, columns) };
    let part = |index: usize, of: usize| index as f32 / of as f32;
    (0..count)
        .map(|index| {
            let (column, row) = (index % columns, index / columns);
            [part(column, columns), part(row, rows), part(column + 1, columns), part(row + 1, rows)]
        })
        .collect()
}

/// The most views of one picture.
pub const VIEWS_MAX: usize = 16;
