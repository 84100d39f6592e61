//! What running effects look like at one time: sprites, ribbons, decals and lights. Both renderers draw these.

use alloc::vec::Vec;

use base::{Quat, StringId, Vec3};

use crate::moment::Span;
use crate::running::Light;

/// How colours are combined with what lies behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blend {
    /// Added: light.
    #[default]
    Additive,
    /// Covers by its opacity: smoke.
    Alpha,
}

/// A particle: a square that faces the camera, or is stretched along a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprite {
    /// Its centre.
    pub position: Vec3,
    /// Half its width.
    pub size: f32,
    /// Its rotation about the axis of view, in radians.
    pub rotation: f32,
    /// The vector along which it is stretched, half its length; zero: it is square.
    pub stretch: Vec3,
    /// Its colour in linear light, not multiplied by opacity, and its opacity. Colours may exceed 1.
    pub colour: [f32; 4],
    /// Its bitmap; none: a soft disc.
    pub bitmap: StringId,
    /// The frame of a bitmap sequence, or of a flip book.
    pub frame: f32,
    /// How it is blended.
    pub blend: Blend,
}

/// A strip that faces the camera: a trail or a beam.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ribbon {
    /// Its points, in `Visuals::ribbon_points`.
    pub points: Span,
    /// Its bitmap, repeated along it; none: soft edges.
    pub bitmap: StringId,
    /// How it is blended.
    pub blend: Blend,
}

/// A point of a ribbon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RibbonPoint {
    /// Its position.
    pub position: Vec3,
    /// Half the width of the ribbon there.
    pub width: f32,
    /// Its colour in linear light, and its opacity.
    pub colour: [f32; 4],
}

/// A picture on the surfaces within a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decal {
    /// The centre of the box.
    pub position: Vec3,
    /// Its rotation; the picture is projected along its −z axis.
    pub orientation: Quat,
    /// The half extents of the box.
    pub half: Vec3,
    /// The bitmap; none: a soft dark disc.
    pub bitmap: StringId,
    /// The colour by which it is multiplied, and its opacity.
    pub colour: [f32; 4],
}

/// The looks of all running effects at one time.
#[derive(Clone, Debug, Default)]
pub struct Visuals {
    /// The particles.
    pub sprites: Vec<Sprite>,
    /// The trails and beams.
    pub ribbons: Vec<Ribbon>,
    /// The points of the ribbons.
    pub ribbon_points: Vec<RibbonPoint>,
    /// The decals.
    pub decals: Vec<Decal>,
    /// The lights of effects.
    pub lights: Vec<Light>,
    /// How strongly the camera is shaken, at a position: strength in metres and range in metres.
    pub shakes: Vec<Shake>,
    /// What was left out because a list was full or a number was not finite.
    pub refused: u64,
}

/// A shake of cameras nearby.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shake {
    /// Where it is strongest.
    pub position: Vec3,
    /// Its amplitude in metres.
    pub strength: f32,
    /// The distance beyond which it is not felt.
    pub range: f32,
}

impl Visuals {
    /// Empties it, and keeps its memory.
    pub fn clear(&mut self) {
        self.sprites.clear();
        self.ribbons.clear();
        self.ribbon_points.clear();
        self.decals.clear();
        self.lights.clear();
        self.shakes.clear();
        self.refused = 0;
    }
}
