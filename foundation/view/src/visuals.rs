//! What running effects look like at one time: sprites, ribbons, decals and lights. Both renderers draw these.

use alloc::vec::Vec;

use base::number::{clamp, max};
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

/// What is left of the light of effects for people who are harmed by flashes: of added light, and of lamps.
const CALM_ADDED: f32 = 0.3;
const CALM_LAMPS: f32 = 0.1;

impl Visuals {
    /// Dims flashes: what effects show beyond white is multiplied by `flash` from 0 to 1, which takes bloom from them; added light,
    /// which many particles pile up, and lamps are dimmed with it. 1 changes nothing. A picture still follows from its moment alone.
    pub fn dim_flashes(&mut self, flash: f32) {
        let flash = if flash.is_finite() { clamp(flash, 0.0, 1.0) } else { 1.0 };
        if flash >= 1.0 {
            return;
        }
        let added = CALM_ADDED + (1.0 - CALM_ADDED) * flash;
        for sprite in &mut self.sprites {
            dim(&mut sprite.colour, sprite.blend, flash, added);
        }
        for ribbon in &self.ribbons {
            for point in ribbon.points.of_mut(&mut self.ribbon_points) {
                dim(&mut point.colour, ribbon.blend, flash, added);
            }
        }
        for light in &mut self.lights {
            light.intensity *= CALM_LAMPS + (1.0 - CALM_LAMPS) * flash;
        }
    }

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

/// Multiplies what a colour has beyond white by `flash`, and the opacity of light that is added by `added`.
fn dim(colour: &mut [f32; 4], blend: Blend, flash: f32, added: f32) {
    let most = max(colour[0], max(colour[1], colour[2]));
    if most > 1.0 {
        let kept = (1.0 + (most - 1.0) * flash) / most;
        colour[..3].iter_mut().for_each(|channel| *channel *= kept);
    }
    if blend == Blend::Additive {
        colour[3] *= added;
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn flashes_are_dimmed_and_what_is_not_bright_stays() {
        let sprite = |colour, blend| Sprite {
            position: Vec3::ZERO,
            size: 1.0,
            rotation: 0.0,
            stretch: Vec3::ZERO,
            colour,
            bitmap: StringId::NONE,
            frame: 0.0,
            blend,
        };
        let lamp =
            Light { position: Vec3::ZERO, direction: Vec3::ZERO, intensity: Vec3::splat(10.0), range: 5.0, cone: -1.0 };
        let point = RibbonPoint { position: Vec3::ZERO, width: 1.0, colour: [0.0, 4.0, 2.0, 0.5] };
        let made = Visuals {
            sprites: vec![sprite([8.0, 4.0, 0.0, 0.5], Blend::Additive), sprite([0.5, 0.2, 0.1, 0.9], Blend::Alpha)],
            ribbons: vec![Ribbon { points: Span { first: 0, count: 1 }, bitmap: StringId::NONE, blend: Blend::Alpha }],
            ribbon_points: vec![point],
            lights: vec![lamp],
            ..Visuals::default()
        };
        let mut calm = made.clone();
        calm.dim_flashes(0.0);
        assert_eq!(calm.sprites[0].colour, [1.0, 0.5, 0.0, 0.15]);
        assert_eq!(calm.sprites[1], made.sprites[1], "smoke is as dark as before");
        assert_eq!(calm.ribbon_points[0].colour, [0.0, 1.0, 0.5, 0.5]);
        assert_eq!(calm.lights[0].intensity, Vec3::splat(1.0));
        for untouched in [1.0, 7.0, f32::NAN] {
            let mut same = made.clone();
            same.dim_flashes(untouched);
            assert_eq!((same.sprites, same.lights), (made.sprites.clone(), made.lights.clone()));
        }
    }
}
