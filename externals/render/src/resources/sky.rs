//! Skies: the light of a level, its fog, and what lies behind everything.

use base::{StringId, Vec3};

/// A sky in memory. Colours are in linear light.
#[derive(Clone, Debug, PartialEq)]
pub struct SkyResource {
    /// Differs between all resources and versions of them.
    pub serial: u64,
    /// The colour straight up.
    pub zenith: Vec3,
    /// The colour at the horizon.
    pub horizon: Vec3,
    /// The colour straight down.
    pub ground: Vec3,
    /// The direction towards the sun, of unit length.
    pub sun_direction: Vec3,
    /// The light of the sun on a surface that faces it.
    pub sun_light: Vec3,
    /// The radius of the sun's disc, in radians; 0: no disc.
    pub sun_radius: f32,
    /// The light from above and from below that falls on everything.
    pub ambient: [Vec3; 2],
    /// The colour of the fog.
    pub fog_colour: Vec3,
    /// The part of the light that fog swallows per metre; 0: no fog.
    pub fog_density: f32,
    /// The number of stars.
    pub stars: u32,
    /// The brightness of the brightest stars.
    pub star_light: f32,
    /// The two colours of the nebula.
    pub nebula: [Vec3; 2],
    /// How much of the sky the nebula covers, from 0 to 1.
    pub nebula_cover: f32,
    /// The seed of stars and nebula.
    pub seed: u64,
    /// A bitmap of the class `cube`, or of twice the width as height (equirectangular); none: the colours.
    pub bitmap: StringId,
    /// The factor of the light before the tone curve.
    pub exposure: f32,
}

/// The default sky: clear space with a nebula in blue and amber.
impl Default for SkyResource {
    fn default() -> SkyResource {
        SkyResource {
            serial: 0,
            zenith: Vec3::new(0.006, 0.010, 0.022),
            horizon: Vec3::new(0.018, 0.026, 0.050),
            ground: Vec3::new(0.008, 0.009, 0.014),
            sun_direction: Vec3::new(0.45, 0.55, 0.70).normal_or(Vec3::Z),
            sun_light: Vec3::new(3.4, 3.1, 2.7),
            sun_radius: 0.012,
            ambient: [Vec3::new(0.26, 0.31, 0.42), Vec3::new(0.12, 0.11, 0.12)],
            fog_colour: Vec3::new(0.018, 0.026, 0.050),
            fog_density: 0.0,
            stars: 5000,
            star_light: 1.6,
            nebula: [Vec3::new(0.05, 0.10, 0.26), Vec3::new(0.30, 0.13, 0.06)],
            nebula_cover: 0.5,
            seed: 1,
            bitmap: StringId::NONE,
            exposure: 1.0,
        }
    }
}
