//! Skies: the light of a level, its fog, and what lies behind everything.

use base::{StringId, Vec3};
use tags::{Colour, Library};
use view::classes::Sky;
use view::classes::sky::SkyKind;

/// The most colours of nebulae.
const NEBULAE_MAX: usize = 8;

/// A sky in memory. Colours are in linear light.
#[derive(Clone, Debug, PartialEq)]
pub struct SkyResource {
    /// Differs between all resources and versions of them.
    pub serial: u64,
    /// What the background is.
    pub kind: SkyKind,
    /// Of a cube: the cube map.
    pub bitmap: StringId,
    /// The factor of the background's brightness.
    pub brightness: f32,
    /// The seed of stars and nebulae.
    pub seed: u32,
    /// How many stars there are, relative to a clear night.
    pub stars: f32,
    /// The colours of the nebulae, times their strength.
    pub nebulae: Vec<Vec3>,
    /// Of a day: the colour straight up.
    pub zenith: Vec3,
    /// Of a day: the colour at the horizon.
    pub horizon: Vec3,
    /// The direction towards the sun, of unit length.
    pub sun_direction: Vec3,
    /// The illuminance of a surface that faces the sun: a white surface then has this divided by π.
    pub sun_light: Vec3,
    /// The radius of the sun's disc, in radians; 0: no disc.
    pub sun_radius: f32,
    /// The light from above and from below: a white surface has this.
    pub ambient: [Vec3; 2],
    /// The colour of the fog.
    pub fog_colour: Vec3,
    /// The part of the light that fog swallows per metre; 0: no fog.
    pub fog_density: f32,
    /// The factor of all light before the tone curve.
    pub exposure: f32,
    /// How much of what is brighter than white glows around it.
    pub bloom: f32,
}

impl SkyResource {
    /// Reads a sky; its serial is 0. None if there is no such tag.
    pub(super) fn load(tag: StringId, content: &Library) -> Option<SkyResource> {
        let sky = content.get_as::<Sky>(tag)?;
        let at_least_zero = |value: f32| if value > 0.0 && value.is_finite() { value } else { 0.0 };
        let strength = at_least_zero(sky.nebula_strength);
        let nebulae = sky.each(&sky.nebulae).iter().take(NEBULAE_MAX);
        let ambient = at_least_zero(sky.ambient_strength);
        Some(SkyResource {
            serial: 0,
            kind: sky.kind.get(),
            bitmap: sky.bitmap.id(),
            brightness: at_least_zero(sky.brightness),
            seed: sky.seed,
            stars: at_least_zero(sky.stars),
            nebulae: nebulae.map(|colour| light(colour) * strength).collect(),
            zenith: light(&sky.zenith),
            horizon: light(&sky.horizon),
            sun_direction: sky.sun_direction.normal_or(Vec3::Z),
            sun_light: light(&sky.sun_colour) * at_least_zero(sky.sun_strength),
            sun_radius: at_least_zero(sky.sun_size.radians) * 0.5,
            ambient: [light(&sky.sky_ambient) * ambient, light(&sky.ground_ambient) * ambient],
            fog_colour: light(&sky.fog_colour),
            fog_density: at_least_zero(sky.fog_density),
            exposure: base::number::exp2(base::number::clamp(sky.exposure, -16.0, 16.0)),
            bloom: at_least_zero(sky.bloom),
        })
    }

    /// The colour of the background far from sun and stars, in a direction of unit length: what reflections show of it.
    /// Cost: some ten operations.
    #[inline]
    pub fn gradient(&self, direction: Vec3, up: Vec3) -> Vec3 {
        let height = direction.dot(up);
        match self.kind {
            SkyKind::Day => {
                let part = if height > 0.0 { height } else { 0.0 };
                // The horizon is a narrow band: the square root of the height.
                let part = base::number::sqrt(part);
                let above = self.horizon + (self.zenith - self.horizon) * part;
                let below = if height < 0.0 { base::number::max(height * 4.0, -1.0) } else { 0.0 };
                (above + (self.ambient[1] - above) * -below) * self.brightness
            }
            SkyKind::Stars | SkyKind::Cube => {
                let part = height * 0.5 + 0.5;
                (self.ambient[1] + (self.ambient[0] - self.ambient[1]) * part) * (0.03 * self.brightness)
            }
        }
    }
}

/// The default sky: clear space with nebulae in blue and amber.
impl Default for SkyResource {
    fn default() -> SkyResource {
        SkyResource {
            serial: 0,
            kind: SkyKind::Stars,
            bitmap: StringId::NONE,
            brightness: 1.0,
            seed: 1,
            stars: 1.0,
            nebulae: vec![
                Vec3::new(0.018, 0.036, 0.090),
                Vec3::new(0.085, 0.036, 0.016),
                Vec3::new(0.042, 0.012, 0.055),
            ],
            zenith: Vec3::new(0.042, 0.159, 0.462),
            horizon: Vec3::new(0.485, 0.624, 0.745),
            sun_direction: Vec3::new(0.5, 0.35, 0.8).normal_or(Vec3::Z),
            sun_light: Vec3::new(3.5, 3.2, 2.75),
            sun_radius: 0.0105,
            ambient: [Vec3::new(0.130, 0.155, 0.210), Vec3::new(0.070, 0.062, 0.058)],
            fog_colour: Vec3::new(0.274, 0.366, 0.479),
            fog_density: 0.0,
            exposure: 1.0,
            bloom: 0.5,
        }
    }
}

fn light(colour: &Colour) -> Vec3 {
    let light = Vec3::new(colour.red, colour.green, colour.blue);
    if light.is_finite() { light.max(Vec3::ZERO) } else { Vec3::ZERO }
}
