//! The class `sky`: what surrounds a level, and the light and air that come with it.
//!
//! Skies are made by people; there is no importer.

use base::Vec3;
use tags::{Angle, Choice, Colour, Names, Reference, Series, Tag};

use super::bitmap::Bitmap;

/// What surrounds a level: its background, sun, ambient light, fog and exposure. Its fields have the values of a dark sky full
/// of stars, lit by a white sun.
#[derive(Tag)]
#[repr(C)]
pub struct Sky {
    /// What the background is.
    #[tag(default = "\"stars\"")]
    pub kind: Choice<SkyKind>,
    /// Of a cube: the cube map.
    pub bitmap: Reference<Bitmap>,
    /// The factor of the background's brightness.
    #[tag(range(0, 1000), step = 0.05, default = 1)]
    pub brightness: f32,
    /// Of stars: the seed of their places and of the nebulae.
    pub seed: u32,
    /// Of stars: how many there are, relative to a clear night.
    #[tag(range(0, 10), step = 0.1, default = 1)]
    pub stars: f32,
    /// Of stars: the colours of the nebulae. Empty: there are none.
    pub nebulae: Series<Colour>,
    /// Of stars: the factor of the nebulae's brightness.
    #[tag(range(0, 10), step = 0.05, default = 0.3)]
    pub nebula_strength: f32,
    /// Of a day: the colour overhead.
    #[tag(default = "\"#3a6fb5\"")]
    pub zenith: Colour,
    /// Of a day: the colour at the horizon.
    #[tag(default = "\"#b9cfe0\"")]
    pub horizon: Colour,
    /// The direction of the sun, seen from the level.
    #[tag(default = "vec(0.5, 0.35, 0.8)")]
    pub sun_direction: Vec3,
    /// The colour of the sun.
    #[tag(default = "\"#fff4e5\"")]
    pub sun_colour: Colour,
    /// The illuminance of a surface that faces the sun; π makes a white surface white.
    #[tag(range(0, 1000), step = 0.1, default = 3.5)]
    pub sun_strength: f32,
    /// The apparent diameter of the sun. 0: it is not seen.
    #[tag(range(0, 90), step = 0.1, default = 1.2)]
    pub sun_size: Angle,
    /// The ambient light from above.
    #[tag(default = "\"#39445c\"")]
    pub sky_ambient: Colour,
    /// The ambient light from below.
    #[tag(default = "\"#1d1a18\"")]
    pub ground_ambient: Colour,
    /// The factor of the ambient light.
    #[tag(range(0, 1000), step = 0.05, default = 1)]
    pub ambient_strength: f32,
    /// The colour of the fog.
    #[tag(default = "\"#8fa3b8\"")]
    pub fog_colour: Colour,
    /// The part of the light that a metre of fog takes. 0: there is none.
    #[tag(unit = "1/m", range(0, 10), default = 0)]
    pub fog_density: f32,
    /// The exposure: each step doubles the brightness of the picture.
    #[tag(unit = "stops", range(-16, 16), step = 0.1, default = 0)]
    pub exposure: f32,
    /// How much of what is brighter than white glows around it.
    #[tag(range(0, 10), step = 0.05, default = 0.5)]
    pub bloom: f32,
}

/// What the background of a level is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Names)]
pub enum SkyKind {
    /// Stars and nebulae, computed from the seed.
    Stars,
    /// A sky over a horizon, computed from the sun and the colours.
    Day,
    /// The cube map.
    Cube,
}
